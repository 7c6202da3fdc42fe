// SPDX-License-Identifier: MIT
#include "compiler/hemc.h"
#include "tools/command.h"
#include "tools/crowd.h"
#include "tools/prove_budget.h"
#include "platform/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Levels of detail: what is seen of a change, vertex by vertex, and that the coarse level is nearer to the finest than the
// skeleton alone is.

enum { TURNS = 4, BEFORE = 0, AFTER = BEFORE + TURNS, CHANGES = AFTER + TURNS, ALL, WARM = 90, WATCHED = 300 };

bool proof_levels(proof* p, const char* name, uint32_t levels, asset* a) {
    char glb[SAMPLE_PATH_MAX], path[SAMPLE_PATH_MAX], why[SAMPLE_PATH_MAX], key[32];
    hem_bytes recipe;
    hem_file_error error;
    if (!sample_find(&p->folders, name, glb, path, why) || !hem_file_read(path, &recipe, &error)) {
        proof_unmeasured(p, "a sample", "it is not there", "%s with levels", name);
        return false;
    }
    snprintf(key, sizeof(key), "{\"levels\": %u,", levels);
    char* text = malloc(recipe.size + sizeof(key));
    const char* brace = memchr(recipe.data, '{', recipe.size);
    uint8_t* packed = NULL;
    size_t size = 0;
    bool good = text != NULL && brace != NULL;
    if (good) {
        const size_t before = (size_t)(brace - (const char*)recipe.data), after = recipe.size - before - 1;
        memcpy(text, recipe.data, before);
        memcpy(text + before, key, strlen(key));
        memcpy(text + before + strlen(key), brace + 1, after);
        const hemc_job job = {.input = glb,
                              .recipe = path,
                              .recipe_bytes = text,
                              .recipe_size = before + strlen(key) + after,
                              .verbosity = -1};
        good = hemc_compile(&job, &packed, &size) == 0 && asset_from_bytes(a, name, packed, size) == COMMAND_OK;
    }
    hemc_free(packed);
    free(text);
    hem_bytes_free(&recipe);
    if (!good) {
        proof_unmeasured(p, "a sample", "it does not compile", "%s with levels", name);
    }
    return good;
}

static double way_of(const float* a, const float* b) {
    const double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1], z = (double)a[2] - (double)b[2];
    return sqrt(x * x + y * y + z * z);
}

static void show(const crowd* c, const asset* a, uint32_t i, float* positions) {
    const hem_skin_args args = {.vertex_count = a->info.vertex_count, .positions = positions};
    hem_instance_skin(c->scene, c->ids[i], &args);
}

// How much farther a vertex of who changes goes from frame to frame than a tenth more than it goes anyway, in its liveliest
// frame at one of the two levels; millimetres. Who is not simulated in every frame has its turn by its place in the scene, and
// where the clip is long by a whole number of turns always sees the same frames of it: so there is one for each turn. Hair slides
// now or later: so each begins anew at another moment.
static double largest_pop(crowd* c, const asset* a, int32_t clip, hem_level from, hem_level to) {
    const uint32_t count = a->info.vertex_count;
    float* pose = malloc((size_t)a->info.bone_count * 48);
    float* last = calloc((size_t)count * 3 * (ALL + 1), sizeof(float));
    double *anyway = calloc(count, sizeof(double)), *changed = calloc(count, sizeof(double));
    const bool room = pose != NULL && last != NULL && anyway != NULL && changed != NULL;
    double worst = room ? 0 : 1e9;
    float* now = last != NULL ? last + (size_t)count * 3 * ALL : NULL;
    for (uint32_t i = 0; i < TURNS; i++) {
        hem_instance_set_levels(c->scene, c->ids[BEFORE + i], from, from);
        hem_instance_set_levels(c->scene, c->ids[AFTER + i], to, to);
    }
    for (uint32_t frame = 0; room && frame < 2 * WARM + WATCHED; frame++) {
        const hem_level level = frame < 2 * WARM ? from : to;
        const hem_step_args args = {.dt_seconds = 1.0f / 60.0f};
        asset_pose(a, clip, fmodf((float)frame / 60.0f, asset_clip_seconds(a, clip)), pose);
        hem_instance_set_levels(c->scene, c->ids[CHANGES], level, level);
        for (uint32_t i = 0; i < ALL; i++) {
            if (frame == (i == CHANGES ? 15 : i % TURNS * 10)) {
                hem_instance_reset(c->scene, c->ids[i]);
            }
        }
        for (uint32_t i = 0; i < ALL; i++) {
            hem_instance_set_pose(c->scene, c->ids[i], pose, a->info.bone_count, 0);
        }
        hem_scene_step(c->scene, &args);
        for (uint32_t i = 0; i < ALL; i++) {
            float* was = last + (size_t)count * 3 * i;
            show(c, a, i, now);
            for (uint32_t v = 0; frame > WARM && v < count; v++) {
                const double way = way_of(now + 3 * v, was + 3 * v);
                anyway[v] = i != CHANGES && way > anyway[v] ? way : anyway[v];
                changed[v] = i == CHANGES && frame >= 2 * WARM && way > changed[v] ? way : changed[v];
            }
            memcpy(was, now, (size_t)count * 12);
        }
    }
    for (uint32_t v = 0; room && v < count; v++) {
        worst = changed[v] - 1.1 * anyway[v] > worst ? changed[v] - 1.1 * anyway[v] : worst;
    }
    free(pose);
    free(last);
    free(anyway);
    free(changed);
    return 1e3 * worst;
}

void prove_pops(proof* p, const asset* a, const char* name, const char* clip_name) {
    static const hem_level changes[][2] = {{HEM_LEVEL_FULL, HEM_LEVEL_COARSE}, {HEM_LEVEL_LIGHT, HEM_LEVEL_COARSE},
                                           {HEM_LEVEL_COARSE, HEM_LEVEL_FULL}, {HEM_LEVEL_COARSE, HEM_LEVEL_HALF},
                                           {HEM_LEVEL_HALF, HEM_LEVEL_COARSE}, {HEM_LEVEL_QUARTER, HEM_LEVEL_FULL},
                                           {HEM_LEVEL_FULL, HEM_LEVEL_FULL},   {HEM_LEVEL_COARSE, HEM_LEVEL_COARSE},
                                           {HEM_LEVEL_HALF, HEM_LEVEL_HALF}}; // the last three: what is seen of none
    int32_t clip = 0;
    if (asset_find_clip(a, clip_name, &clip) != COMMAND_OK) {
        proof_unmeasured(p, "a clip", "it is not there", "%s, %s", name, clip_name);
        return;
    }
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        crowd c = {.speed = 0.0f};
        bool good = crowd_open(&c, a, ALL, HEM_BUDGET_SKINNED, NULL, 1);
        for (uint32_t k = 0; good && k < ALL; k++) {
            good = crowd_add(&c, k, 0);
        }
        if (good) {
            proof_at_most(p, 1.0, largest_pop(&c, a, clip, changes[i][0], changes[i][1]), "mm",
                          "%s, %s, %s to %s: farther in a frame than 1.1 times what the vertex goes anyway", name,
                          clip_name, hem_level_name(changes[i][0]), hem_level_name(changes[i][1]));
        } else {
            proof_unmeasured(p, "a crowd", "it cannot be opened", "%s, levels of detail", name);
        }
        crowd_close(&c);
    }
}
