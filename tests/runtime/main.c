// SPDX-License-Identifier: MIT
// Tests of the runtime. HEM_KERNEL=scalar|sse2|avx2|neon|wasm forces a kernel; the assets come from test_assets.
#include "tests/runtime/suites.h"

#include <stdlib.h>

GREATEST_MAIN_DEFS();

// What steps for long to see what a number means. An emulator takes some five hundred times as long for that and has nothing
// to add: a processor whose states are those of the table (determinism_suite) moves as all others do.
static void run_long_suites(void) {
    RUN_SUITE(forces_suite);
    RUN_SUITE(drive_suite);
    RUN_SUITE(rods_suite);
    RUN_SUITE(fullness_suite);
    RUN_SUITE(fabric_suite);
    RUN_SUITE(lattice_suite);
    RUN_SUITE(solids_suite);
    RUN_SUITE(clips_suite);
    RUN_SUITE(tear_suite);
    RUN_SUITE(integrators_suite);
    RUN_SUITE(rotation_suite);
    RUN_SUITE(collision_suite);
    RUN_SUITE(ground_suite);
    RUN_SUITE(world_suite);
    RUN_SUITE(characters_suite);
    RUN_SUITE(air_suite);
    RUN_SUITE(friction_suite);
    RUN_SUITE(solvers_suite);
    RUN_SUITE(stress_suite);
    RUN_SUITE(costs_suite);
    RUN_SUITE(scale_suite);
    RUN_SUITE(sleep_suite);
    RUN_SUITE(away_suite);
    RUN_SUITE(frames_suite);
    RUN_SUITE(substeps_suite);
    RUN_SUITE(bounds_suite);
    RUN_SUITE(tuned_suite);
    RUN_SUITE(budget_suite);
    RUN_SUITE(levels_suite);
}

int main(int argc, char** argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(api_suite);
    RUN_SUITE(misuse_suite);
    RUN_SUITE(calls_suite);
    RUN_SUITE(inspect_suite);
    RUN_SUITE(physics_suite);
    RUN_SUITE(springs_suite);
    RUN_SUITE(ties_suite);
    RUN_SUITE(maps_suite);
    RUN_SUITE(skin_suite);
    RUN_SUITE(limits_suite);
    RUN_SUITE(stretch_suite);
    RUN_SUITE(contacts_suite);
    RUN_SUITE(stats_suite);
    RUN_SUITE(phases_suite);
    RUN_SUITE(trimesh_suite);
    RUN_SUITE(meshes_suite);
    RUN_SUITE(fields_suite);
    RUN_SUITE(own_mesh_suite);
    RUN_SUITE(wraps_suite);
    RUN_SUITE(triangulate_suite);
    RUN_SUITE(determinism_suite);
    RUN_SUITE(rows_suite);
    RUN_SUITE(jobs_suite);
    RUN_SUITE(crowds_suite);
    RUN_SUITE(ops_suite);
    RUN_SUITE(restore_suite);
    RUN_SUITE(verify_suite);
    if (!getenv("HEM_EMULATED")) {
        run_long_suites();
    }
    GREATEST_MAIN_END();
}
