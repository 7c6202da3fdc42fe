// SPDX-License-Identifier: MIT
#include "tools/bench_private.h"
#include "formats/hem_validate.h"
#include "hem/hem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Shape matching: a block of 8 x 8 x 8 oriented particles, 10 cm apart, one group per particle with its neighbours along
// the axes (4 to 7 members), hung up at the four upper corners.

enum { SIDE = 8, COUNT = SIDE * SIDE * SIDE };

static int32_t at(int32_t x, int32_t y, int32_t z) {
    return (z * SIDE + y) * SIDE + x;
}

static int compile_block(uint8_t** bytes, size_t* size) {
    static const int32_t NEAR[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    static float positions[COUNT][3], mass[COUNT];
    static uint8_t pinned[COUNT];
    static uint32_t starts[COUNT + 1];
    static uint16_t members[COUNT * 6];
    uint32_t member_count = 0;
    for (int32_t i = 0; i < COUNT; i++) {
        int32_t cell[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
        for (int32_t k = 0; k < 3; k++) {
            positions[i][k] = 0.1f * (float)cell[k];
        }
        mass[i] = 0.1f;
        pinned[i] = cell[1] == SIDE - 1 && cell[0] % (SIDE - 1) == 0 && cell[2] % (SIDE - 1) == 0;
        starts[i] = member_count;
        for (int32_t n = 0; n < 6; n++) {
            int32_t x = cell[0] + NEAR[n][0], y = cell[1] + NEAR[n][1], z = cell[2] + NEAR[n][2];
            if (x >= 0 && x < SIDE && y >= 0 && y < SIDE && z >= 0 && z < SIDE) {
                members[member_count++] = (uint16_t)at(x, y, z);
            }
        }
    }
    starts[COUNT] = member_count;
    hemc_bare_mesh mesh;
    memset(&mesh, 0, sizeof(mesh));
    mesh.particle_count = COUNT;
    mesh.positions = (const float(*)[3])positions;
    mesh.animated = pinned;
    mesh.mass = mass;
    mesh.radius = 0.05f;
    mesh.group_starts = starts;
    mesh.group_members = members;
    mesh.damping = BENCH_DAMPING;
    return hemc_compile_bare(&mesh, bytes, size);
}

void bench_run_groups(bench* b) {
    static const char NAME[] = "groups-512";
    if (!bench_wants(b, NAME)) {
        return;
    }
    bench_progress(NAME);
    uint8_t* bytes = NULL;
    size_t size = 0;
    hem_asset asset;
    hem_asset_info info;
    hem_view view;
    if (compile_block(&bytes, &size) != 0 || hem_validate(bytes, size, &view, NULL) != HEM_FORMAT_OK ||
        hem_asset_open(&asset, bytes, size) != HEM_OK || hem_asset_get_info(&asset, &info) != HEM_OK) {
        bench_note(b, "%s: the block does not compile", NAME);
        hemc_free(bytes);
        return;
    }
    hem_slot_def slot = {&asset, 1};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    def.collider_capacity = 0;
    hem_memory need = {0, 64};
    hem_result result = hem_scene_measure(&def, &need);
    void* block = malloc(need.size + need.align);
    uint64_t* samples = malloc((size_t)b->frame_count * sizeof(*samples));
    hem_scene* scene = NULL;
    hem_instance_id id;
    if (result == HEM_OK && block != NULL && samples != NULL) {
        void* aligned = (void*)(((uintptr_t)block + need.align - 1) & ~(uintptr_t)(need.align - 1));
        result = hem_scene_init(&scene, &def, aligned, need.size);
    }
    hem_instance_def instance = hem_instance_def_default();
    instance.asset = &asset;
    if (scene == NULL || result != HEM_OK || hem_scene_add(scene, &instance, &id) != HEM_OK ||
        hem_instance_set_features(scene, id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP) != HEM_OK) {
        bench_note(b, "%s: %s", NAME, hem_result_text(result));
    } else {
        const hem_step_args args = {BENCH_DT, BENCH_SUBSTEPS};
        int64_t before = 0;
        int64_t calls = 0;
        for (int32_t turn = 0; turn < b->turn_count; turn++) {
            hem_instance_reset(scene, id);
            for (int32_t i = -b->warm_count; i < b->frame_count; i++) {
                before = i == 0 ? bench_allocation_count() : before;
                uint64_t start = bench_clock();
                hem_scene_step(scene, &args);
                if (i >= 0) {
                    bench_keep_least(samples, i, turn, bench_clock() - start);
                }
            }
            calls = bench_allocation_count() - before;
        }
        bench_result* r = bench_add(b, NAME, "hem");
        if (r != NULL) {
            r->times = bench_summarise(samples, b->frame_count);
            r->particle_count = COUNT;
            r->projection_count = (double)info.group_count * BENCH_SUBSTEPS;
            r->bytes_per_particle = (double)(need.size + size) / COUNT;
            r->state_bytes_per_particle = (double)info.state_size / COUNT;
            r->allocations_per_frame = before >= 0 ? (double)calls / (double)b->frame_count : NAN;
            r->lane_fill = (double)view.info->lane_fill;
        }
    }
    free(samples);
    free(block);
    hemc_free(bytes);
}
