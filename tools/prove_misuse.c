// SPDX-License-Identifier: MIT
#include "tools/prove_sound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every call, called wrongly: each says what is wrong by a code of its own and changes nothing.

typedef struct misuse {
    proof* p;
    stage* s;
    uint64_t before;
} misuse;

static void row(misuse* m, hem_result wanted, hem_result got, const char* what) {
    char reached[128];
    const bool same = hem_scene_hash(m->s->scene) == m->before;
    snprintf(reached, sizeof(reached), "%d%s: %s", (int)got, same ? "" : ", and the scene has changed",
             hem_result_text(got));
    char aimed[64];
    // While a step is open its hash is not to be had.
    snprintf(aimed, sizeof(aimed), m->before != 0 ? "%d, nothing changed" : "%d", (int)wanted);
    proof_add(m->p, got == wanted && same, aimed, reached, "misuse: %s", what);
}

#define ROW(wanted, call) row(m, HEM_ERROR_##wanted, call, #call)

static void misuse_scene(misuse* m, const asset* a) {
    hem_memory need;
    hem_scene* other;
    const hem_slot_def slot = {&a->handle, 1}, none = {NULL, 1}, twice[2] = {slot, slot};
    hem_scene_def def = hem_scene_def_default();
    ROW(NULL, hem_scene_measure(NULL, &need));
    hem_scene_def bare;
    memset(&bare, 0, sizeof(bare));
    ROW(COOKIE, hem_scene_measure(&bare, &need));
    ROW(RANGE, hem_scene_measure(&def, &need)); // neither slots nor a reserve
    def.slot_count = 1;
    ROW(NULL, hem_scene_measure(&def, &need)); // no slots
    def.slots = &none;
    ROW(NULL, hem_scene_measure(&def, &need)); // no asset
    def.slots = twice;
    def.slot_count = 2;
    ROW(SLOT, hem_scene_measure(&def, &need)); // an asset twice
    def.slots = &slot;
    def.slot_count = 1;
    def.substep_hz = (float)NAN;
    ROW(RANGE, hem_scene_measure(&def, &need)); // no number
    def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    char small[64];
    ROW(MEMORY, hem_scene_init(&other, &def, small, sizeof(small)));
    ROW(NULL, hem_scene_init(&other, &def, NULL, 1u << 30));
    hem_instance_def one = hem_instance_def_default();
    hem_instance_id id;
    hem_scene* scene = m->s->scene;
    ROW(NULL, hem_scene_add(NULL, &one, &id));
    ROW(NULL, hem_scene_add(scene, &one, &id)); // no asset
    one.asset = &a->handle;
    ROW(FULL, hem_scene_add(scene, &one, &id));
    one.time_scale = 9.0f;
    ROW(RANGE, hem_scene_add(scene, &one, &id)); // time_scale
    hem_asset unopened;
    memset(&unopened, 0, sizeof(unopened));
    one = hem_instance_def_default();
    one.asset = &unopened;
    const hem_result result = hem_scene_add(scene, &one, &id);
    row(m, result == HEM_ERROR_SLOT ? HEM_ERROR_SLOT : HEM_ERROR_ASSET, result, "an asset that is not open");
}

static void misuse_instance(misuse* m, const asset* a) {
    hem_scene* scene = m->s->scene;
    const hem_instance_id id = m->s->id, nobody = {0, 0}, dead = {id.index1, id.generation + 1};
    hem_root root = {{0, 0, 0}, {0, 0, 0, 1}};
    float* pose = m->s->pose;
    asset_bind_pose(a, pose);
    ROW(ID, hem_scene_remove(scene, nobody));
    ROW(ID, hem_instance_set_root(scene, dead, &root));
    ROW(NULL, hem_instance_set_root(scene, id, NULL));
    root.rotation[3] = 0.0f;
    ROW(RANGE, hem_instance_set_root(scene, id, &root)); // no rotation
    ROW(NULL, hem_instance_set_pose(scene, id, NULL, a->info.bone_count, 0));
    ROW(COUNT, hem_instance_set_pose(scene, id, pose, a->info.bone_count + 1, 0));
    ROW(RANGE, hem_instance_set_pose(scene, id, pose, a->info.bone_count, 7));
    pose[3] = (float)NAN;
    ROW(RANGE, hem_instance_set_pose(scene, id, pose, a->info.bone_count, 0)); // not finite
    ROW(RANGE, hem_instance_set_pose_blend(scene, id, 2.0f));
    ROW(RANGE, hem_instance_set_time_scale(scene, id, -1.0f));
    ROW(RANGE, hem_instance_set_animation(scene, id, 7));
    ROW(RANGE, hem_instance_set_features(scene, id, ~0u));
    ROW(RANGE, hem_instance_set_felt_limits(scene, id, 0.0f, 1.0f));
    ROW(NULL, hem_instance_set_wind(scene, id, NULL));
    hem_tuning tuning[HEM_MAX_PARTS];
    memcpy(tuning, m->s->tuning, a->info.part_count * sizeof(*tuning));
    ROW(NULL, hem_instance_set_tuning(scene, id, NULL, a->info.part_count));
    ROW(COUNT, hem_instance_set_tuning(scene, id, tuning, a->info.part_count + 1));
    tuning[0].collision_thickness = 1e4f;
    ROW(RANGE, hem_instance_set_tuning(scene, id, tuning, a->info.part_count)); // 10 km thick
    ROW(COUNT, hem_instance_get_tuning(scene, id, tuning, 8));
    hem_collider c[257];
    memset(c, 0, sizeof(c));
    ROW(NULL, hem_instance_set_colliders(scene, id, NULL, 1));
    ROW(COOKIE, hem_instance_set_colliders(scene, id, c, 1)); // not made by hem_collider_default
    for (int i = 0; i < 257; i++) {
        c[i] = hem_collider_default();
    }
    c[0].rotation[3] = 0.0f;
    ROW(RANGE, hem_instance_set_colliders(scene, id, c, 1)); // no rotation
    c[0].rotation[3] = 1.0f;
    ROW(COUNT, hem_instance_set_colliders(scene, id, c, 257));
    c[0].kind = HEM_COLLIDER_HULL;
    ROW(NULL, hem_instance_set_colliders(scene, id, c, 1)); // a hull without planes
    static float planes[1024][4];
    for (int i = 0; i < 1024; i++) {
        planes[i][1] = 1.0f;
    }
    c[0].planes = planes[0];
    c[0].plane_count = 1024;
    ROW(COUNT, hem_instance_set_colliders(scene, id, c, 1)); // more planes than there is room for
}

static void misuse_forces(misuse* m) {
    hem_scene* scene = m->s->scene;
    hem_force f[257];
    memset(f, 0, sizeof(f));
    ROW(NULL, hem_scene_set_forces(scene, NULL, 1));
    ROW(COOKIE, hem_scene_set_forces(scene, f, 1)); // not made by hem_force_default
    for (int i = 0; i < 257; i++) {
        f[i] = hem_force_default();
    }
    ROW(COUNT, hem_scene_set_forces(scene, f, 257));
    f[0].strength = (float)NAN;
    ROW(RANGE, hem_scene_set_forces(scene, f, 1)); // not a number
    f[0].strength = 1.0f;
    f[0].key_count = 1;
    ROW(NULL, hem_scene_set_forces(scene, f, 1)); // no keys
    f[0].key_count = 0;
    f[0].only = (hem_instance_id){m->s->id.index1, m->s->id.generation + 1};
    ROW(ID, hem_scene_set_forces(scene, f, 1)); // for somebody who is gone
}

static void misuse_ties(misuse* m, const asset* a) {
    hem_scene* scene = m->s->scene;
    const hem_instance_id id = m->s->id;
    hem_tie t[257];
    memset(t, 0, sizeof(t));
    ROW(NULL, hem_instance_set_ties(scene, id, NULL, 1));
    ROW(COOKIE, hem_instance_set_ties(scene, id, t, 1)); // not made by hem_tie_default
    for (int i = 0; i < 257; i++) {
        t[i] = hem_tie_default();
    }
    ROW(COUNT, hem_instance_set_ties(scene, id, t, 257));
    t[0].particle = a->info.particle_count;
    ROW(RANGE, hem_instance_set_ties(scene, id, t, 1)); // no such particle
    const double place[3] = {0, 0, 0};
    int32_t particle;
    ROW(RANGE, hem_instance_find_particle(scene, id, place, -1.0f, &particle));
    ROW(NULL, hem_instance_find_particle(scene, id, NULL, 1.0f, &particle));
}

static void misuse_step(misuse* m, const asset* a) {
    hem_scene* scene = m->s->scene;
    const hem_instance_id id = m->s->id;
    hem_step_args args = {-1.0f, 0};
    uint32_t jobs = 0;
    ROW(NULL, hem_scene_step(scene, NULL));
    ROW(RANGE, hem_scene_step(scene, &args)); // time goes back
    args = (hem_step_args){1.0f / 60.0f, 65};
    ROW(RANGE, hem_scene_step(scene, &args)); // 65 substeps
    args.substeps = 0;
    ROW(NO_STEP, hem_scene_step_end(scene));
    ROW(NO_STEP, hem_scene_step_job(scene, 0, 0));
    hem_scene_step_begin(scene, &args, &jobs);
    m->before = hem_scene_hash(scene);
    const hem_root root = {{0, 0, 0}, {0, 0, 0, 1}};
    hem_particle particle;
    ROW(BUSY, hem_scene_step_begin(scene, &args, &jobs));
    ROW(BUSY, hem_scene_step(scene, &args));
    ROW(BUSY, hem_instance_set_root(scene, id, &root));
    ROW(BUSY, hem_instance_get_particles(scene, id, 0, 1, &particle));
    ROW(JOBS_LEFT, hem_scene_step_end(scene));
    ROW(RANGE, hem_scene_step_job(scene, jobs, 0));
    ROW(RANGE, hem_scene_step_job(scene, 0, 64)); // no such worker
    for (uint32_t i = 0; i < jobs; i++) {
        hem_scene_step_job(scene, i, 0);
    }
    m->before = hem_scene_hash(scene);
    ROW(JOB_TWICE, hem_scene_step_job(scene, 0, 0));
    hem_scene_step_end(scene);
    m->before = hem_scene_hash(scene);
    ROW(COUNT, hem_instance_get_particles(scene, id, a->info.particle_count, 1, &particle));
    hem_skin_args skin;
    memset(&skin, 0, sizeof(skin));
    skin.vertex_count = 1;
    ROW(NULL, hem_instance_skin(scene, id, &skin)); // no positions
    float vertex[3];
    skin.positions = vertex;
    skin.vertex_begin = a->info.vertex_count;
    ROW(COUNT, hem_instance_skin(scene, id, &skin)); // past the end
}

static void misuse_saves(misuse* m) {
    hem_scene* scene = m->s->scene;
    const size_t size = hem_scene_save_size(scene, HEM_SAVE_ALL);
    uint8_t* save = malloc(size);
    if (save == NULL || hem_scene_save(scene, HEM_SAVE_ALL, save, size) != HEM_OK) {
        proof_unmeasured(m->p, "saves", "no memory", "misuse: saves");
        free(save);
        return;
    }
    ROW(NULL, hem_scene_save(scene, HEM_SAVE_ALL, NULL, size));
    ROW(MEMORY, hem_scene_save(scene, HEM_SAVE_ALL, save, size - 1));
    ROW(NULL, hem_scene_load(scene, NULL, size));
    ROW(STATE, hem_scene_load(scene, save, size - 1)); // cut short
    memset(save + size / 2, 0xff, size - size / 2);
    ROW(STATE, hem_scene_load(scene, save, size)); // damaged
    save[0] ^= 1;
    ROW(STATE, hem_scene_load(scene, save, size)); // no save
    free(save);
}

static void misuse_assets(misuse* m, const asset* a) {
    hem_asset handle;
    ROW(NULL, hem_asset_open(NULL, a->data, a->size));
    ROW(NULL, hem_asset_open(&handle, NULL, 100));
    ROW(ASSET, hem_asset_open(&handle, a->data, 100));             // cut short
    ROW(ASSET, hem_asset_open(&handle, a->data + 4, a->size - 4)); // not aligned
}

void prove_misuse(proof* p, const asset* a) {
    stage s;
    if (!sound_open(&s, a)) {
        proof_unmeasured(p, "a scene", "it cannot be made", "misuse");
        stage_close(&s);
        return;
    }
    misuse m = {p, &s, hem_scene_hash(s.scene)};
    misuse_assets(&m, a);
    misuse_scene(&m, a);
    misuse_instance(&m, a);
    misuse_forces(&m);
    misuse_ties(&m, a);
    misuse_step(&m, a);
    misuse_saves(&m);
    stage_close(&s);
}
