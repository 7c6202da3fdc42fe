// SPDX-License-Identifier: MIT
// Coarser levels of detail: the finest is moved by them, nothing pops, and every word holds at each.

#include "hem/budget.h"
#include "tests/runtime/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const hem_level DETAILS[] = {HEM_LEVEL_COARSE, HEM_LEVEL_HALF, HEM_LEVEL_QUARTER};

static hem_scene_def budget_def(void) {
    hem_scene_def def = hem_scene_def_default();
    def.budget = HEM_BUDGET_SKINNED;
    def.tie_capacity = 2;
    return def;
}

static void hold_level(world* w, uint32_t i, hem_level level) {
    hem_instance_set_levels(w->scene, (hem_instance_id){w->id.index1 + i, w->id.generation}, level, level);
}

static void play(world* w, uint32_t count, int frame) {
    static float pose[256 * 12];
    clip_pose(w, &w->view.clips[0], frame / 60.0, pose);
    for (uint32_t i = 0; i < count; ++i) {
        const hem_instance_id id = {w->id.index1 + i, w->id.generation};
        hem_instance_set_pose(w->scene, id, pose, w->view.info->bone_count, 0);
    }
}

static float* skinned(const world* w, uint32_t i) {
    const uint32_t count = w->view.info->vertex_count;
    float* positions = malloc(count * 12u);
    const hem_skin_args args = {.vertex_count = count, .positions = positions};
    hem_instance_skin(w->scene, (hem_instance_id){w->id.index1 + i, w->id.generation}, &args);
    return positions;
}

static double distance(const float* a, const float* b) {
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

// Maps of the file against their own definition: at rest everybody is where it was modelled, whatever moves it.
TEST at_rest_a_level_moves_nothing(void) {
    const hem_scene_def def = budget_def();
    world w;
    ASSERT(world_open(&w, "cape_girl_levels", &def, NULL, 2));
    hem_instance_set_gravity(w.scene, w.id, (float[3]){0, 0, 0});
    hold_level(&w, 0, HEM_LEVEL_COARSE);
    hem_instance_set_features(w.scene, w.id, 0);
    world_step(&w, 1.0f / 60.0f, 0, 4);
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        const hem_particle p = particle_at(&w, i);
        const hem_rest_row* rest = &w.view.rest_rows[i / 8];
        const float at[3] = {rest->x[i % 8], rest->y[i % 8], rest->z[i % 8]};
        const uint32_t part = w.view.particle_flags[i] >> HEM_PARTICLE_PART_SHIFT; // (Hair is modelled for its weight.)
        ASSERT((w.view.particle_flags[i] & HEM_PARTICLE_PAD) || w.view.parts[part].kind == HEM_PART_SOFT ||
               distance(p.position, at) < 1e-3);
    }
    world_close(&w);
    PASS();
}

// As near to the finest as half of what the skeleton alone is, and its seams hold.
TEST a_level_follows_the_finest(hem_level level, double share) {
    const hem_scene_def def = budget_def();
    world w;
    ASSERT(world_open(&w, "cape_girl_levels", &def, NULL, 3));
    hold_level(&w, 1, level);
    hold_level(&w, 2, HEM_LEVEL_POSE);
    double of_level = 0, of_pose = 0;
    const int frames = as_long_as(240, 80);
    for (int frame = 0; frame < frames; ++frame) {
        play(&w, 3, frame);
        world_step(&w, 1.0f / 60.0f, 0, 1);
        float *full = skinned(&w, 0), *coarse = skinned(&w, 1), *bones = skinned(&w, 2);
        for (uint32_t v = 0; v < w.view.info->vertex_count; ++v) {
            of_level += distance(full + 3 * v, coarse + 3 * v);
            of_pose += distance(full + 3 * v, bones + 3 * v);
        }
        free(full);
        free(coarse);
        free(bones);
    }
    if (!(of_level < share * of_pose)) {
        printf("%s: %.2f of the pose's %.2f mm\n", hem_level_name(level),
               1e3 * of_level / frames / w.view.info->vertex_count, 1e3 * of_pose / frames / w.view.info->vertex_count);
    }
    ASSERT(of_level < share * of_pose);
    world_close(&w);
    PASS();
}

// The rms distance of simulated particles.
static double apart(const world* w, const hem_particle* a, const hem_particle* b) {
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->view.info->particle_count; ++i) {
        if (!(a[i].flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED))) {
            const double d = distance(a[i].position, b[i].position);
            sum += d * d;
            ++count;
        }
    }
    return sqrt(sum / count);
}

// Cloth that flies in the wind is not put back on the pose by a change of level. What is shown fades by the frame, so many frames
// of next to no time show where the level was put.
TEST a_level_begins_where_the_finest_is(void) {
    const hem_scene_def def = budget_def();
    const float gale[3] = {0, 0, -15};
    world w;
    ASSERT(world_open(&w, "cape_girl_levels", &def, NULL, 1));
    const uint32_t count = w.view.info->particle_count;
    hem_particle* blown = calloc(count, sizeof(*blown));
    hem_particle* handed = calloc(count, sizeof(*handed));
    hem_particle* posed = calloc(count, sizeof(*posed));
    hold_level(&w, 0, HEM_LEVEL_FULL);
    ASSERT_EQ(HEM_OK, hem_instance_set_wind(w.scene, w.id, gale));
    for (int frame = 0; frame < 60; ++frame) {
        play(&w, 1, 0);
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    hem_instance_get_particles(w.scene, w.id, 0, count, blown);
    hold_level(&w, 0, HEM_LEVEL_COARSE);
    world_step(&w, 1e-5f, 1, 400);
    hem_instance_get_particles(w.scene, w.id, 0, count, handed);
    ASSERT_EQ(HEM_OK, hem_instance_reset(w.scene, w.id));
    hem_instance_get_particles(w.scene, w.id, 0, count, posed);
    const double from_pose = apart(&w, blown, posed), moved = apart(&w, blown, handed);
    printf("%.1f mm off the pose, %.1f mm by the change of level\n", 1e3 * from_pose, 1e3 * moved);
    ASSERT(from_pose > 0.03);
    ASSERT(moved < 0.25 * from_pose);
    free(blown);
    free(handed);
    free(posed);
    world_close(&w);
    PASS();
}

// In no frame does a vertex go farther than in its liveliest one at one of the two levels, by a tenth and a millimetre.
TEST changes_do_not_pop(hem_level from, hem_level to) {
    enum { TURNS = 4, CHANGES = 0, BEFORE = 1, AFTER = BEFORE + TURNS, ALL = AFTER + TURNS };
    const hem_scene_def def = budget_def();
    world w;
    ASSERT(world_open(&w, "cape_girl_levels", &def, NULL, ALL));
    const uint32_t count = w.view.info->vertex_count;
    float* last[ALL] = {NULL};
    double *anyway = calloc(count, sizeof(double)), *changed = calloc(count, sizeof(double));
    double worst = 0;
    for (uint32_t i = 0; i < TURNS; ++i) { // who is not simulated in every frame has one by its place
        hold_level(&w, BEFORE + i, from);
        hold_level(&w, AFTER + i, to);
    }
    for (int frame = 0; frame < 350; ++frame) {
        hold_level(&w, CHANGES, frame < 100 ? from : to);
        play(&w, ALL, frame);
        world_step(&w, 1.0f / 60.0f, 0, 1);
        for (uint32_t i = ALL; i-- > 0;) {
            float* now = skinned(&w, i);
            for (uint32_t v = 0; frame > 40 && v < count; ++v) {
                const double way = distance(now + 3 * v, last[i] + 3 * v);
                if (i != CHANGES) {
                    anyway[v] = fmax(anyway[v], way);
                } else if (frame >= 100) {
                    changed[v] = fmax(changed[v], way);
                }
            }
            free(last[i]);
            last[i] = now;
        }
    }
    for (uint32_t v = 0; v < count; ++v) {
        worst = fmax(worst, changed[v] - 1.1 * anyway[v]);
    }
    if (!(worst < 1e-3)) {
        printf("%s to %s: %.2f mm\n", hem_level_name(from), hem_level_name(to), 1e3 * worst);
    }
    for (int i = 0; i < ALL; ++i) {
        free(last[i]);
    }
    free(anyway);
    free(changed);
    ASSERT(worst < 1e-3);
    world_close(&w);
    PASS();
}

// Levels that come and go with everything else that may be said, on this kernel and the scalar one, and after loads.
TEST levels_change_with_the_same_bits(void) {
    hem_scene_def def = budget_def();
    world w, scalar, loaded, alone;
    ASSERT(world_open(&w, "cape_girl_levels", &def, NULL, 2) && world_open(&alone, "cape_girl_levels", &def, NULL, 2));
    def.kernel = reference_kernel();
    ASSERT(world_open(&scalar, "cape_girl_levels", &def, NULL, 2));
    ASSERT(world_open(&loaded, "cape_girl_levels", &def, NULL, 2));
    world* all[] = {&w, &scalar, &loaded, &alone};
    const size_t size = hem_scene_save_size(w.scene, HEM_SAVE_ALL);
    const size_t one_size = hem_instance_save_size(w.scene, w.id, HEM_SAVE_ALL);
    void *bytes = malloc(size), *one = malloc(one_size);
    for (int frame = 0; frame < 90; ++frame) {
        for (int k = 0; k < (frame < 50 ? 2 : 4); ++k) {
            hold_level(all[k], 0, (hem_level)(frame / 6 * 5 % 7));
            hold_level(all[k], 1, DETAILS[frame / 8 % 3]);
            play(all[k], 2, frame);
            if (frame == 20 || frame == 70) {
                const hem_root root = {{frame, 0, 0}, {0, 0, 0, 1}};
                hem_instance_teleport(all[k]->scene, all[k]->id, &root, frame == 20);
            }
            if (frame == 56 || frame == 64) { // far away, at a coarse level, and back
                hem_scene_set_viewpoint(all[k]->scene, (double[3]){frame == 56 ? 0.0 : 20.0, 0, 0});
                hem_instance_set_sleep_distance(all[k]->scene, all[k]->id, 5.0f, 3.0f);
            }
            if (frame == 33) {
                hem_instance_reset(all[k]->scene, all[k]->id);
            }
            world_step(all[k], 1.0f / 60.0f, 0, 1);
            ASSERT(k == 3 || hem_scene_hash(w.scene) == hem_scene_hash(all[k]->scene));
            float *a = skinned(&w, 0), *b = skinned(all[k], 0); // of one alone: what its plan says depends on others
            ASSERT_MEM_EQ(a, b, w.view.info->vertex_count * 12u);
            free(a);
            free(b);
        }
        if (frame == 49) {
            ASSERT_EQ(HEM_OK, hem_scene_save(w.scene, HEM_SAVE_ALL, bytes, size));
            ASSERT_EQ(HEM_OK, hem_scene_load(loaded.scene, bytes, size));
            ASSERT_EQ(HEM_OK, hem_instance_save(w.scene, w.id, HEM_SAVE_ALL, one, one_size));
            ASSERT_EQ(HEM_OK, hem_instance_load(alone.scene, alone.id, one, one_size));
        }
    }
    free(bytes);
    free(one);
    for (int k = 0; k < 4; ++k) {
        world_close(all[k]);
    }
    PASS();
}

// Ties name particles of the finest level: who has one is simulated with those, at every level of the plan.
TEST who_is_tied_keeps_the_finest(void) {
    const hem_scene_def def = budget_def();
    world w, plain;
    ASSERT(world_open(&w, "cape_girl_levels", &def, NULL, 1) && world_open(&plain, "cape_girl", &def, NULL, 1));
    const uint32_t particle = nth_particle(&w, false, 40);
    const hem_particle at = particle_at(&w, particle);
    hem_tie tie = hem_tie_default();
    tie.particle = particle;
    for (int k = 0; k < 3; ++k) {
        tie.position[k] = (double)at.position[k] + 0.05;
    }
    ASSERT_EQ(HEM_OK, hem_instance_set_ties(w.scene, w.id, &tie, 1));
    ASSERT_EQ(HEM_OK, hem_instance_set_ties(plain.scene, plain.id, &tie, 1));
    hold_level(&w, 0, HEM_LEVEL_HALF);
    hold_level(&plain, 0, HEM_LEVEL_HALF);
    for (int frame = 0; frame < 20; ++frame) {
        play(&w, 1, frame);
        play(&plain, 1, frame);
        world_step(&w, 1.0f / 60.0f, 0, 1);
        world_step(&plain, 1.0f / 60.0f, 0, 1);
    }
    float *a = skinned(&w, 0), *b = skinned(&plain, 0);
    ASSERT_MEM_EQ(a, b, w.view.info->vertex_count * 12u);
    free(a);
    free(b);
    world_close(&w);
    world_close(&plain);
    PASS();
}

// Without a budget an asset with levels is the same asset.
TEST without_a_budget_levels_change_no_bit(void) {
    world w, plain;
    ASSERT(world_open(&w, "cape_girl_levels", NULL, NULL, 1) && world_open(&plain, "cape_girl", NULL, NULL, 1));
    ASSERT(w.block_size <= plain.block_size);
    for (int frame = 0; frame < 20; ++frame) {
        play(&w, 1, frame);
        play(&plain, 1, frame);
        world_step(&w, 1.0f / 60.0f, 0, 1);
        world_step(&plain, 1.0f / 60.0f, 0, 1);
        ASSERT_EQ(hem_scene_hash(w.scene), hem_scene_hash(plain.scene));
    }
    world_close(&w);
    world_close(&plain);
    PASS();
}

// Each level that is given costs less than the one before, and the plan gives the coarse one.
TEST coarse_is_cheaper_than_light(void) {
    const hem_scene_def def = budget_def();
    world w;
    ASSERT(world_open(&w, "cape_girl_levels", &def, NULL, 4));
    double us[HEM_LEVEL_COUNT];
    const hem_costs costs = hem_costs_default();
    for (int frame = 0; frame < 10; ++frame) {
        play(&w, 4, frame);
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    for (int level = 0; level < HEM_LEVEL_COUNT; ++level) {
        float work[HEM_COST_COUNT];
        ASSERT_EQ(HEM_OK, hem_instance_get_work(w.scene, w.id, (hem_level)level, work));
        us[level] = 0;
        for (int i = 0; i < HEM_COST_COUNT; ++i) {
            us[level] += 1e-3 * (double)work[i] * (double)costs.ns[i];
        }
        ASSERT(level == 0 || us[level] < us[level - 1]);
    }
    for (uint32_t i = 0; i < 4; ++i) {
        const hem_instance_id id = {w.id.index1 + i, w.id.generation};
        ASSERT_EQ(HEM_OK, hem_instance_set_levels(w.scene, id, HEM_LEVEL_LIGHT, HEM_LEVEL_COARSE));
    }
    hem_scene_set_budget(w.scene, (float)(4.0 * us[HEM_LEVEL_COARSE]));
    uint32_t coarse = 0;
    for (int frame = 10; frame < 60; ++frame) {
        play(&w, 4, frame);
        world_step(&w, 1.0f / 60.0f, 0, 1);
        hem_budget_report report;
        hem_scene_get_budget(w.scene, &report);
        coarse += report.counts[HEM_LEVEL_COARSE];
    }
    ASSERT(coarse > 150);
    world_close(&w);
    PASS();
}

// -- Files that lie about their levels

typedef struct lie {
    const char* field;
    hem_format_result result;
} lie;

// A writable section of the asset's bytes.
#define PART_OF(w, pointer, type)                                                                                      \
    ((type*)(void*)((uint8_t*)(w).bytes + ((const uint8_t*)(w).view.pointer - (const uint8_t*)(w).bytes)))

TEST broken_levels_are_refused(void) {
    static const lie lies[] = {{"byte_begin", HEM_FORMAT_BAD_INDEX},    {"file_size", HEM_FORMAT_TOO_SHORT},
                               {"down_begin", HEM_FORMAT_BAD_INDEX},    {"up_begin", HEM_FORMAT_BAD_INDEX},
                               {"reserved", HEM_FORMAT_BAD_VALUE},      {"particle", HEM_FORMAT_BAD_INDEX},
                               {"weight", HEM_FORMAT_BAD_VALUE},        {"version", HEM_FORMAT_BAD_VALUE},
                               {"element_count", HEM_FORMAT_BAD_COUNT}, {"magic", HEM_FORMAT_BAD_MAGIC}};
    world w;
    memset(&w, 0, sizeof(w));
    w.bytes = read_asset("cape_girl_levels", &w.byte_count);
    ASSERT(w.bytes && hem_validate(w.bytes, w.byte_count, &w.view, NULL) == HEM_FORMAT_OK);
    uint8_t* good = malloc(w.byte_count);
    memcpy(good, w.bytes, w.byte_count);
    hem_asset_level* levels = PART_OF(w, levels, hem_asset_level);
    hem_level_row* rows = PART_OF(w, level_rows, hem_level_row);
    hem_header* inner = PART_OF(w, level_bytes, hem_header);
    for (int i = 0; i < (int)(sizeof(lies) / sizeof(lies[0])); ++i) {
        levels[1].byte_begin += i == 0 ? 64 : 0;
        levels[2].byte_count -= i == 1 ? 64 : 0;
        levels[0].down_begin += i == 2;
        levels[1].up_begin -= i == 3;
        levels[2].reserved[1] = i == 4;
        rows[3].particle[0][2] = i == 5 ? 65535 : rows[3].particle[0][2];
        rows[5].weight[0][7] ^= i == 6;
        inner->version = i == 7 ? HEM_FORMAT_VERSION_LEVELS : inner->version;
        ((hem_header*)w.bytes)->version = i == 8 ? HEM_FORMAT_VERSION : HEM_FORMAT_VERSION_LEVELS;
        inner->magic[0] ^= i == 9;
        hem_view view;
        hem_format_fault fault;
        const hem_format_result result = hem_validate(w.bytes, w.byte_count, &view, &fault);
        ASSERT_EQ(lies[i].result, result);
        ASSERT_STR_EQ(lies[i].field, fault.field);
        ASSERT_EQ(HEM_ERROR_ASSET, hem_asset_open(&w.asset, w.bytes, w.byte_count));
        memcpy(w.bytes, good, w.byte_count);
    }
    free(good);
    world_close(&w);
    PASS();
}

// A level that is whole in itself and not of this asset: what a game says about one of them would mean something else.
TEST levels_of_another_asset_are_refused(void) {
    world w;
    memset(&w, 0, sizeof(w));
    w.bytes = read_asset("cape_girl_levels", &w.byte_count);
    ASSERT(w.bytes && hem_validate(w.bytes, w.byte_count, &w.view, NULL) == HEM_FORMAT_OK);
    static const char* const others[] = {"cape", "pendulum"};
    hem_asset_level* level = PART_OF(w, levels, hem_asset_level);
    uint8_t* to = PART_OF(w, level_bytes, uint8_t);
    for (int i = 0; i < 2; ++i) {
        size_t size;
        uint8_t* other = read_asset(others[i], &size);
        hem_view view;
        ASSERT(other && hem_validate(other, size, &view, NULL) == HEM_FORMAT_OK);
        ASSERT(size <= level[0].byte_count);
        memcpy(to, other, size);
        level[0].byte_count = (uint32_t)size; // whole at its place; what is behind it is looked at later
        hem_format_fault fault;
        ASSERT_EQ(HEM_FORMAT_BAD_COUNT, hem_validate(w.bytes, w.byte_count, &view, &fault));
        ASSERT_EQ(HEM_SECTION_LEVELS, fault.section);
        ASSERT_STR_EQ("part_count", fault.field);
        free(other);
    }
    world_close(&w);
    PASS();
}

// Whatever stands in the tables and in the head of a level: it is refused, or can be stepped.
TEST damaged_levels_are_refused_or_harmless(void) {
    world w;
    memset(&w, 0, sizeof(w));
    w.bytes = read_asset("cape_girl_levels", &w.byte_count);
    ASSERT(w.bytes && hem_validate(w.bytes, w.byte_count, &w.view, NULL) == HEM_FORMAT_OK);
    uint32_t seed = 1, refused = 0;
    const uint32_t values[] = {0, 1, 64, 0xff, 0xffff, 0x7fc00000u, 0xffffffffu};
    for (int round = 0; round < as_long_as(300, 60); ++round) {
        uint32_t* spoil[3] = {PART_OF(w, levels, uint32_t), PART_OF(w, level_rows, uint32_t),
                              PART_OF(w, level_bytes, uint32_t)};
        const uint32_t words[3] = {24, w.view.level_row_count * 32, 512};
        seed = seed * 1664525u + 1013904223u;
        uint32_t* at =
            spoil[seed >> 28 & 1 ? 2 : seed >> 29 & 1] + (seed >> 8) % words[seed >> 28 & 1 ? 2 : seed >> 29 & 1];
        const uint32_t was = *at;
        *at = values[(seed >> 4) % 7];
        refused += hem_asset_open(&w.asset, w.bytes, w.byte_count) != HEM_OK;
        *at = was;
    }
    ASSERT(refused > 0);
    world_close(&w);
    PASS();
}

SUITE(levels_suite) {
    RUN_TEST(broken_levels_are_refused);
    RUN_TEST(levels_of_another_asset_are_refused);
    RUN_TEST(damaged_levels_are_refused_or_harmless);
    RUN_TEST(at_rest_a_level_moves_nothing);
    RUN_TEST(a_level_begins_where_the_finest_is);
    RUN_TESTp(a_level_follows_the_finest, HEM_LEVEL_COARSE, 0.5);
    RUN_TESTp(a_level_follows_the_finest, HEM_LEVEL_HALF, 0.75);
    RUN_TESTp(a_level_follows_the_finest, HEM_LEVEL_QUARTER, 0.75);
    RUN_TESTp(changes_do_not_pop, HEM_LEVEL_FULL, HEM_LEVEL_COARSE);
    RUN_TESTp(changes_do_not_pop, HEM_LEVEL_LIGHT, HEM_LEVEL_COARSE);
    RUN_TESTp(changes_do_not_pop, HEM_LEVEL_COARSE, HEM_LEVEL_FULL);
    RUN_TESTp(changes_do_not_pop, HEM_LEVEL_COARSE, HEM_LEVEL_HALF);
    RUN_TESTp(changes_do_not_pop, HEM_LEVEL_HALF, HEM_LEVEL_COARSE);
    RUN_TESTp(changes_do_not_pop, HEM_LEVEL_QUARTER, HEM_LEVEL_FULL);
    RUN_TEST(levels_change_with_the_same_bits);
    RUN_TEST(who_is_tied_keeps_the_finest);
    RUN_TEST(without_a_budget_levels_change_no_bit);
    RUN_TEST(coarse_is_cheaper_than_light);
}
