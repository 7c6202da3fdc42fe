// SPDX-License-Identifier: MIT
#ifndef HEM_TESTS_RUNTIME_SUITES_H
#define HEM_TESTS_RUNTIME_SUITES_H

#include "tests/runtime/fixture.h"

extern SUITE(api_suite);
extern SUITE(misuse_suite);
extern SUITE(calls_suite);
extern SUITE(inspect_suite);
extern SUITE(ground_suite);
extern SUITE(physics_suite);
extern SUITE(rotation_suite);
extern SUITE(collision_suite);
extern SUITE(world_suite);
extern SUITE(skin_suite);
extern SUITE(characters_suite);
extern SUITE(limits_suite);
extern SUITE(stretch_suite);
extern SUITE(air_suite);
extern SUITE(friction_suite);
extern SUITE(contacts_suite);
extern SUITE(solvers_suite);
extern SUITE(stress_suite);
extern SUITE(costs_suite);
extern SUITE(springs_suite);
extern SUITE(forces_suite);
extern SUITE(ties_suite);
extern SUITE(drive_suite);
extern SUITE(maps_suite);
extern SUITE(rods_suite);
extern SUITE(fullness_suite);
extern SUITE(fabric_suite);
extern SUITE(lattice_suite);
extern SUITE(solids_suite);
extern SUITE(clips_suite);
extern SUITE(tear_suite);
extern SUITE(integrators_suite);
extern SUITE(scale_suite);
extern SUITE(sleep_suite);
extern SUITE(away_suite);
extern SUITE(frames_suite);
extern SUITE(stats_suite);
extern SUITE(substeps_suite);
extern SUITE(bounds_suite);
extern SUITE(tuned_suite);
extern SUITE(determinism_suite);
extern SUITE(jobs_suite);
extern SUITE(crowds_suite);
extern SUITE(budget_suite);
extern SUITE(levels_suite);
extern SUITE(rows_suite);
SUITE(phases_suite);
extern SUITE(ops_suite);
extern SUITE(restore_suite);
extern SUITE(verify_suite);

// Everything a game may do to a character, with every field of the tuning at work: tuned.c.
void drive_tuned(world* w, int step);
void drive_rest(world* w, int step);
extern SUITE(trimesh_suite);
extern SUITE(meshes_suite);
extern SUITE(fields_suite);
extern SUITE(own_mesh_suite);
extern SUITE(wraps_suite);
extern SUITE(triangulate_suite);

#endif
