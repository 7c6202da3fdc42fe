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

enum {
    REFERENCES = 16,
    CHANGED = 4,
    BEGIN_EVERY = 7,
    CHANGE_EVERY = 13,
    WARM = 180,
    WATCHED = 240,
    ANYWAY_WATCHED = 720
};

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

typedef struct seen_way {
    const asset* a;
    int32_t clip;
    hem_level from, to; // the same: nobody changes
    uint32_t count, begin, frames;
    double* longest; // of each vertex in a frame, metres
} seen_way;

static void show(const crowd* c, const asset* a, uint32_t i, float* positions) {
    const hem_skin_args args = {.vertex_count = a->info.vertex_count, .positions = positions};
    hem_instance_skin(c->scene, c->ids[i], &args);
}

// How far each vertex goes in a frame at most. Each of the crowd begins anew at a moment of its own, as hair slides now or later, and
// changes at another moment of the clip. Who is not simulated in every frame has its turn by its place in the scene, and where the
// clip is long by a whole number of turns always sees the same frames of it: so there are some of each turn.
static bool watch(seen_way* s) {
    const uint32_t vertices = s->a->info.vertex_count;
    crowd c = {.speed = 0.0f};
    bool good = crowd_open(&c, s->a, s->count, HEM_BUDGET_SKINNED, NULL, 1);
    float* pose = malloc((size_t)s->a->info.bone_count * 48);
    float* last = calloc((size_t)vertices * 3 * (s->count + 1), sizeof(float));
    good = good && pose != NULL && last != NULL;
    for (uint32_t i = 0; good && i < s->count; i++) {
        good = crowd_add(&c, i, 0);
    }
    float* now = last != NULL ? last + (size_t)vertices * 3 * s->count : NULL;
    for (uint32_t frame = 0; good && frame < WARM + s->frames + (s->count - 1) * CHANGE_EVERY; frame++) {
        const hem_step_args args = {.dt_seconds = 1.0f / 60.0f};
        asset_pose(s->a, s->clip, fmodf((float)frame / 60.0f, asset_clip_seconds(s->a, s->clip)), pose);
        for (uint32_t i = 0; i < s->count; i++) {
            const hem_level level = frame < WARM + i * CHANGE_EVERY ? s->from : s->to;
            hem_instance_set_levels(c.scene, c.ids[i], level, level);
            if (frame == s->begin + i * BEGIN_EVERY) {
                hem_instance_reset(c.scene, c.ids[i]);
            }
            hem_instance_set_pose(c.scene, c.ids[i], pose, s->a->info.bone_count, 0);
        }
        hem_scene_step(c.scene, &args);
        for (uint32_t i = 0; frame + 1 >= WARM && i < s->count; i++) {
            const uint32_t change = WARM + i * CHANGE_EVERY;
            float* was = last + (size_t)vertices * 3 * i;
            show(&c, s->a, i, now);
            for (uint32_t v = 0; frame >= change && frame < change + s->frames && v < vertices; v++) {
                const double way = way_of(now + 3 * v, was + 3 * v);
                s->longest[v] = way > s->longest[v] ? way : s->longest[v];
            }
            memcpy(was, now, (size_t)vertices * 12);
        }
    }
    free(pose);
    free(last);
    crowd_close(&c);
    return good;
}

// How much farther a vertex of who changes goes in a frame than a tenth more than it goes anyway, in its liveliest frame at one of the
// two levels; millimetres.
static double largest_pop(const seen_way* changed, const double* before, const double* after) {
    double worst = 0;
    for (uint32_t v = 0; v < changed->a->info.vertex_count; v++) {
        const double pop = changed->longest[v] - 1.1 * (before[v] > after[v] ? before[v] : after[v]);
        worst = pop > worst ? pop : worst;
    }
    return 1e3 * worst;
}

void prove_pops(proof* p, const asset* a, const char* name, const char* clip_name) {
    static const hem_level changes[][2] = {{HEM_LEVEL_FULL, HEM_LEVEL_COARSE}, {HEM_LEVEL_LIGHT, HEM_LEVEL_COARSE},
                                           {HEM_LEVEL_COARSE, HEM_LEVEL_FULL}, {HEM_LEVEL_COARSE, HEM_LEVEL_HALF},
                                           {HEM_LEVEL_HALF, HEM_LEVEL_COARSE}, {HEM_LEVEL_QUARTER, HEM_LEVEL_FULL},
                                           {HEM_LEVEL_FULL, HEM_LEVEL_FULL},   {HEM_LEVEL_COARSE, HEM_LEVEL_COARSE},
                                           {HEM_LEVEL_HALF, HEM_LEVEL_HALF}}; // the last three: what is seen of none
    const uint32_t vertices = a->info.vertex_count;
    int32_t clip = 0;
    if (asset_find_clip(a, clip_name, &clip) != COMMAND_OK) {
        proof_unmeasured(p, "a clip", "it is not there", "%s, %s", name, clip_name);
        return;
    }
    double* longest =
        calloc((size_t)vertices * (HEM_LEVEL_COUNT + 1), sizeof(double)); // at each level, then of who changes
    bool good = longest != NULL;
    for (int level = HEM_LEVEL_FULL; good && level <= HEM_LEVEL_QUARTER; level++) {
        seen_way s = {a,          clip, (hem_level)level, (hem_level)level,
                      REFERENCES, 0,    ANYWAY_WATCHED,   longest + (size_t)vertices * (size_t)level};
        good = watch(&s);
    }
    for (size_t i = 0; good && i < sizeof(changes) / sizeof(changes[0]); i++) {
        const hem_level from = changes[i][0], to = changes[i][1];
        seen_way s = {a, clip, from, to, CHANGED, 3, WATCHED, longest + (size_t)vertices * HEM_LEVEL_COUNT};
        memset(s.longest, 0, vertices * sizeof(double));
        good = watch(&s);
        if (good) {
            proof_at_most(p, 1.0, largest_pop(&s, longest + (size_t)vertices * from, longest + (size_t)vertices * to),
                          "mm", "%s, %s, %s to %s: farther in a frame than 1.1 times what the vertex goes anyway", name,
                          clip_name, hem_level_name(from), hem_level_name(to));
        }
    }
    if (!good) {
        proof_unmeasured(p, "a crowd", "it cannot be opened", "%s, levels of detail", name);
    }
    free(longest);
}
