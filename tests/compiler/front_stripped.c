// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"
#include "platform/file.h"
#include "tests/compiler/front_kit.h"

#include <greatest.h>
#include <stdio.h>
#include <string.h>

// Names, painted attributes and extras taken out of a character: what is loose must still be found by shape and bones.

// In the JSON of a .glb, in place: names become "xxx", attributes of one's own and extras get keys that nobody reads.
static void strip(char* json, size_t size) {
    for (size_t i = 0; i + 8 < size; ++i) {
        const bool name = memcmp(json + i, "\"name\"", 6) == 0, own = memcmp(json + i, "\"_HEM_", 6) == 0;
        if (memcmp(json + i, "\"extras\"", 8) == 0) {
            memcpy(json + i, "\"unread\"", 8);
        }
        if (own) {
            memcpy(json + i, "\"UNREAD", 7);
            continue;
        }
        size_t at = i + 6 + (name ? strspn(json + i + 6, ": ") : 0);
        for (at += 1; name && at < size && json[at] != '"'; ++at) {
            at += json[at] == '\\';
            json[at] = 'x';
        }
    }
}

static uint8_t* stripped(hemc_arena* arena, const char* path, size_t* size) {
    uint8_t* bytes;
    if (!hemc_read_file(arena, path, &bytes, size) || *size < 20) {
        return NULL;
    }
    uint32_t json_size;
    memcpy(&json_size, bytes + 12, 4);
    strip((char*)bytes + 20, json_size);
    return bytes;
}

// A quarter turn around y: whoever looked along z looks along x.
static void turn(hemc_model* model) {
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        hemc_vec3 *p = &model->positions[v], *n = &model->normals[v];
        *p = (hemc_vec3){p->z, p->y, -p->x};
        *n = (hemc_vec3){n->z, n->y, -n->x};
    }
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        float *m = model->bone_defs[b].bind, *back = model->bone_defs[b].inverse_bind;
        for (int c = 0; c < 4; ++c) {
            const float x = m[c];
            m[c] = m[8 + c];
            m[8 + c] = -x;
        }
        for (int r = 0; r < 12; r += 4) {
            const float x = back[r];
            back[r] = back[r + 2];
            back[r + 2] = -x;
        }
    }
}

static bool owners(kit* k, const char* path, const uint8_t* bytes, size_t size, bool turned, hemc_recipe* recipe,
                   int32_t** owner) {
    if (bytes != NULL ? !hemc_import_memory(k->arena, &k->log, path, bytes, size, &k->model)
                      : !hemc_import(k->arena, &k->log, path, &k->model)) {
        return false;
    }
    if (turned) {
        turn(&k->model);
    }
    *owner = hemc_alloc(k->arena, k->model.triangle_count, sizeof(int32_t));
    return hemc_recipe_load(k->arena, &k->log, NULL, &k->model, recipe) &&
           hemc_import_finish(k->arena, &k->log, recipe, &k->model) &&
           hemc_select(k->arena, &k->log, &k->model, recipe, *owner);
}

static int32_t part_named(const hemc_recipe* recipe, const char* name) {
    for (uint32_t i = 0; i < recipe->part_count; ++i) {
        if (strcmp(recipe->parts[i].name, name) == 0) {
            return (int32_t)i;
        }
    }
    return HEM_NONE;
}

TEST capes_skirts_hair_and_tails_are_found_without_names(void) {
    static const struct {
        const char* file;
        const char* parts[3];
    } rows[] = {{"build/samples/cape_girl.glb", {"skirt", "cape", "hair"}},
                {"build/samples/cape_girl.glb", {"skirt", "cape", "hair"}}, // odd rows look along x
                {"build/samples/monster.glb", {"tail", NULL, NULL}},
                {"build/samples/monster.glb", {"tail", NULL, NULL}},
                {"build/samples/hair.glb", {"hair", NULL, NULL}},
                {"build/samples/curls.glb", {"hair", NULL, NULL}},
                {"build/samples/robe.glb", {"robe", NULL, NULL}},
                {"build/samples/somersault.glb", {"skirt", NULL, NULL}}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        if (!hem_file_exists(rows[i].file)) {
            SKIPm("no build/samples");
        }
        kit a, b;
        kit_begin(&a);
        kit_begin(&b);
        size_t size;
        uint8_t* bytes = stripped(b.arena, rows[i].file, &size);
        hemc_recipe named, bare;
        int32_t *named_owner, *bare_owner;
        ASSERTm(rows[i].file, owners(&a, rows[i].file, NULL, 0, false, &named, &named_owner));
        ASSERTm(rows[i].file, owners(&b, rows[i].file, bytes, size, i % 2 == 1, &bare, &bare_owner));
        for (uint32_t p = 0; p < b.model.primitive_count; ++p) { // it is stripped indeed
            ASSERT_EQm(rows[i].file, strlen(b.model.primitives[p].node_name),
                       strspn(b.model.primitives[p].node_name, "x"));
        }
        ASSERT_EQm(rows[i].file, NULL, hemc_paint_values(&b.model, "_HEM_PIN"));
        for (int k = 0; k < 3 && rows[i].parts[k] != NULL; ++k) {
            const int32_t wanted = part_named(&named, rows[i].parts[k]), got = part_named(&bare, rows[i].parts[k]);
            ASSERTm(rows[i].file, wanted != HEM_NONE && got != HEM_NONE);
            uint32_t all = 0, both = 0, extra = 0;
            for (uint32_t t = 0; t < a.model.triangle_count; ++t) {
                all += named_owner[t] == wanted;
                both += named_owner[t] == wanted && bare_owner[t] == got;
                extra += named_owner[t] == HEM_NONE && bare_owner[t] == got;
            }
            ASSERTm(rows[i].file, both >= 0.8 * all);
            ASSERTm(rows[i].file, extra <= 0.25 * all); // trims may come along, a body may not
        }
        kit_end(&a);
        kit_end(&b);
    }
    PASS();
}

// Nothing hangs on it: a body that goes on arms.
TEST a_body_without_names_is_left_alone(void) {
    static const char* const files[] = {"build/samples/octopus.glb"};
    for (int i = 0; i < 1; ++i) {
        if (!hem_file_exists(files[i])) {
            SKIPm("no build/samples");
        }
        kit k;
        kit_begin(&k);
        size_t size;
        uint8_t* bytes = stripped(k.arena, files[i], &size);
        hemc_recipe recipe;
        int32_t* owner;
        ASSERT_FALSEm(files[i], owners(&k, files[i], bytes, size, false, &recipe, &owner));
        ASSERTm(files[i], kit_log_has(&k.log, HEMC_ERROR, "nothing loose"));
        kit_end(&k);
    }
    PASS();
}

// Characters of others without their names: legs in a skirt are no skirt, helmets and hoods no hair, fins no cloth.
TEST legs_and_helmets_stay_what_they_are(void) {
    static const struct {
        const char* file;
        const char* part; // all that moves; NULL = nothing
        uint32_t triangles;
    } rows[] = {{"../shared/assets/kaykit_Knight.glb", "cape", 84},
                {"../shared/assets/quaternius_FormalDress.glb", "skirt", 134},
                {"../shared/assets/quaternius_PlatformerCharacter.glb", "ears", 240},
                {"../shared/assets/quaternius_Ranger.glb", NULL, 0},
                {"../shared/assets/quaternius_Goldfish.glb", NULL, 0}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        if (!hem_file_exists(rows[i].file)) {
            SKIPm("no ../shared/assets");
        }
        kit k;
        kit_begin(&k);
        size_t size;
        uint8_t* bytes = stripped(k.arena, rows[i].file, &size);
        hemc_recipe recipe;
        int32_t* owner;
        ASSERT_EQm(rows[i].file, rows[i].part != NULL, owners(&k, rows[i].file, bytes, size, false, &recipe, &owner));
        uint32_t taken = 0;
        for (uint32_t t = 0; t < k.model.triangle_count && rows[i].part != NULL; ++t) {
            taken += owner[t] != HEM_NONE;
        }
        ASSERT_EQm(rows[i].file, rows[i].triangles, taken);
        if (rows[i].part != NULL) {
            ASSERT_EQm(rows[i].file, 1, recipe.part_count);
            ASSERT_STR_EQ(rows[i].part, recipe.parts[0].name);
        }
        kit_end(&k);
    }
    PASS();
}

SUITE(front_stripped_suite) {
    RUN_TEST(capes_skirts_hair_and_tails_are_found_without_names);
    RUN_TEST(a_body_without_names_is_left_alone);
    RUN_TEST(legs_and_helmets_stay_what_they_are);
}
