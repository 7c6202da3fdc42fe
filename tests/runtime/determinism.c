// SPDX-License-Identifier: MIT
// The same bits everywhere: a list of scenes, a hash per step, one table of constants for all targets.
//
// On each kernel of each build (compilers, architectures, WebAssembly) the hashes after the last step must equal the
// constants. Where they do not, the scene runs again beside the scalar kernel, so that a difference inside one build is named
// at its first step by particle and field. HEM_DETERMINISM=print shows the table as this build computes it.
//
// Two hashes: of the state, which is the library's own and changes with its layout; and of the particles as a game reads
// them, which a change of layout leaves alone.

#include "hem/budget.h"
#include "tests/runtime/suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scene_case {
    const char* asset;
    int steps;
    void (*drive)(world* w, int step);
    uint64_t expected;  // of the state after the last step, at the given number of steps
    uint64_t particles; // of what hem_instance_get_particles gives then
} scene_case;

static void still(world* w, int step) {
    (void)w, (void)step;
}

// Everything that moves a character: pose, root, wind, a collider that sweeps, a teleport, a swap of tuning.
static void busy(world* w, int step) {
    float m[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    float s = (float)(step % 120) / 60.0f - 1.0f;
    float swing = s < 0 ? -s : s;
    m[3] = 0.3f * swing;
    m[7] = 0.1f * swing * swing;
    hem_instance_set_pose(w->scene, w->id, m, 1, 0);
    hem_root root = {{0.01 * step, 0, 0}, {0, 0, 0, 1}};
    root.rotation[1] = 0.3f * (swing - 0.5f);
    root.rotation[3] = 1.0f - 0.5f * root.rotation[1] * root.rotation[1];
    if (step % 400 == 399) {
        root.position[0] = 5.0;
        hem_instance_teleport(w->scene, w->id, &root, step % 800 == 399);
    } else {
        hem_instance_set_root(w->scene, w->id, &root);
    }
    float wind[3] = {3.0f * s, 0, 1.0f};
    hem_instance_set_wind(w->scene, w->id, wind);
    hem_collider colliders[3];
    for (int i = 0; i < 3; ++i) {
        colliders[i] = hem_collider_default();
        colliders[i].bone = -1;
        colliders[i].rotation[3] = 1;
        colliders[i].mask = ~0u;
        colliders[i].friction = 0.2f;
        colliders[i].position[0] = root.position[0];
    }
    colliders[0].kind = HEM_COLLIDER_CAPSULE;
    colliders[0].position[1] = -0.5;
    colliders[0].position[2] = 0.3 + 0.5 * (double)s;
    colliders[0].size[0] = 0.1f;
    colliders[0].size[1] = 0.06f;
    colliders[0].size[2] = 0.4f;
    colliders[1].kind = HEM_COLLIDER_PLANE;
    colliders[1].position[1] = -1.0;
    colliders[2].kind = HEM_COLLIDER_BOX;
    colliders[2].position[1] = -0.8;
    colliders[2].size[0] = colliders[2].size[1] = colliders[2].size[2] = 0.15f;
    colliders[2].size[3] = 0.02f;
    hem_instance_set_colliders(w->scene, w->id, colliders, 3);
}

// A character through its first clip, walking, in wind and over a floor. The tuning goes through what assets rarely ask
// for: several iterations, Jacobi averaging, momentum conserving animation, drag.
static void play(world* w, int step) {
    static float pose[256 * 12];
    if (w->view.clip_count && w->view.info->bone_count <= 256) {
        clip_pose(w, &w->view.clips[0], step / 60.0, pose);
        hem_instance_set_pose(w->scene, w->id, pose, w->view.info->bone_count, 0);
    }
    hem_root root = {{0, 0, 0.02 * step}, {0, 0, 0, 1}};
    hem_instance_set_root(w->scene, w->id, &root);
    float wind[3] = {1.5f, 0, -2.0f};
    hem_instance_set_wind(w->scene, w->id, wind);
    hem_collider floor = hem_collider_default();
    floor.kind = HEM_COLLIDER_PLANE;
    floor.position[1] = 0.2;
    floor.friction = 0.3f;
    hem_instance_set_colliders(w->scene, w->id, &floor, step > 30);
    if (step == 40 || step == 60) {
        hem_tuning tuning[64];
        hem_instance_get_tuning(w->scene, w->id, tuning, sizeof(tuning));
        for (uint32_t p = 0; p < w->view.info->part_count; ++p) {
            tuning[p].iterations = step == 40 ? 3 : 1;
            tuning[p].solver = step == 40 ? HEM_SOLVER_XPBD : HEM_SOLVER_JACOBI;
            tuning[p].drag = 0.5f;
        }
        hem_instance_set_tuning(w->scene, w->id, tuning, w->view.info->part_count);
    }
    if (step == 80) {
        hem_instance_set_animation(w->scene, w->id, 1);
    }
}

// As play, at all levels of a budget in turn: the asset has coarser levels of detail.
static void changing(world* w, int step) {
    const hem_level level = (hem_level)(step / 7 * 5 % HEM_LEVEL_COUNT);
    play(w, step);
    hem_instance_set_levels(w->scene, w->id, level, level);
}

// All kinds of forces at once, with keys, about a character that turns and walks, and ties that share particles.
static void forced(world* w, int step) {
    static const hem_force_key keys[3] = {{0, 0.2f}, {0.5f, 1.5f}, {1, -0.5f}};
    hem_root root = {{0.01 * step, 0, 0}, {0, 0, 0, 1}};
    root.rotation[1] = 0.1f * (float)(step % 60) / 60.0f;
    root.rotation[3] = 1.0f - 0.5f * root.rotation[1] * root.rotation[1];
    hem_instance_set_root(w->scene, w->id, &root);
    hem_force f[7];
    for (int i = 0; i < 7; ++i) {
        f[i] = hem_force_default();
        f[i].kind = (hem_force_kind)i;
        f[i].position[0] = 0.2 * i - 0.5;
        f[i].position[1] = -0.3;
        f[i].rotation[0] = 0.6f;
        f[i].rotation[3] = 0.8f;
        f[i].strength = i == HEM_FORCE_DRAG ? 3.0f : 6.0f;
        f[i].radius = i == HEM_FORCE_EXPLOSION ? 4.0f : i % 2 ? 0.0f : 1.5f;
        f[i].length = 0.4f;
        f[i].speed = 2.0f;
        f[i].size[0] = f[i].size[1] = f[i].size[2] = 0.4f;
        f[i].velocity[1] = 0.5f;
        f[i].shelter = 0.7f;
        f[i].keys = keys;
        f[i].key_count = i % 3 ? 3 : 0;
        f[i].period = i == 1 ? 1.2f : 0.0f;
        f[i].restart = step % 100 == 50;
    }
    hem_scene_set_forces(w->scene, f, 7);
    hem_tie ties[4];
    for (uint32_t i = 0; i < 4; ++i) {
        ties[i] = hem_tie_default();
        ties[i].particle = nth_particle(w, false, i * i);
        ties[i].other = i % 2 ? (int32_t)nth_particle(w, false, 2 * i + 2) : -1;
        ties[i].position[0] = 0.2 * (step % 50) / 50 + 0.1 * i;
        ties[i].rest = 0.1f * (float)i;
        ties[i].damping = 0.2f;
        ties[i].force_limit = i == 2 ? 0.5f : 0.0f;
    }
    hem_instance_set_ties(w->scene, w->id, ties, 4);
}

// Joints to a bone that turns, to a place in the world, and between particles; and a point that comes and goes.
static void jointed(world* w, int step) {
    busy(w, step);
    hem_tie ties[6];
    for (uint32_t i = 0; i < 6; ++i) {
        ties[i] = hem_tie_default();
        ties[i].particle = nth_particle(w, false, 7 * i);
        ties[i].other = i % 3 == 2 ? (int32_t)nth_particle(w, false, 7 * i + 3) : -1;
        ties[i].bone = i % 3 == 1 ? 0 : -1;
        ties[i].position[0] = 0.1 * i;
        ties[i].position[1] = i % 3 == 0 ? 0.002 * step : 0.0;
        ties[i].rest = i % 3 == 2 ? 0.2f : 0.0f;
        ties[i].stiffness = step < 150 ? 1e6f : 200.0f;
        ties[i].joint = step % 160 < 120;
    }
    hem_instance_set_ties(w->scene, w->id, ties, step % 100 < 80 ? 6 : 2);
    const double point[3] = {0.2 * (step % 90), 0, 0};
    hem_scene_set_viewpoint(w->scene, point);
    hem_instance_set_sleep_distance(w->scene, w->id, 12.0f, 4.0f);
}

// Clips of a lattice, one after the other, blended, capped, halted and stopped, on a busy character.
static void clips(world* w, int step) {
    hem_clip_play play = hem_clip_play_default();
    play.clip = (uint32_t)(step / 60) % w->view.lattice_clip_count;
    play.blend_seconds = 0.3f;
    play.lerp_speed = step > 120 ? 1.5f : 0.0f;
    busy(w, step);
    if (step == 0) {
        hem_tuning t = world_tuning(w);
        t.tracking = 1;
        t.drive = 1.0f;
        world_tune(w, &t);
    }
    if (step % 60 == 10) {
        hem_instance_play_clip(w->scene, w->id, &play);
    } else if (step % 60 == 50) {
        hem_instance_stop_clip(w->scene, w->id, 0, 0.1f);
    }
    hem_instance_pause_clip(w->scene, w->id, 0, step % 60 > 30 && step % 60 < 40);
}

// A lattice that tears by both tolerances, until its reserve is used up, on a busy character.
static void tearing(world* w, int step) {
    busy(w, step);
    hem_tuning t = world_tuning(w);
    t.strain_limit = step < 60 ? 0.05f : 0.02f;
    t.buckle_angle = 0.1f;
    t.tracking = step > 120;
    t.drive = step > 120 ? 1.0f : 0.0f;
    world_tune(w, &t);
}

// Chains that follow their leaders, for a while in several passes.
static void follows(world* w, int step) {
    busy(w, step);
    hem_tuning t = world_tuning(w);
    t.solver = HEM_SOLVER_FOLLOW;
    t.iterations = step % 80 < 40 ? 1 : 3;
    world_tune(w, &t);
}

static const struct {
    const char* name;
    void (*drive)(world* w, int step);
} DRIVES[] = {{"still", still},
              {"busy", busy},
              {"play", play},
              {"changing", changing},
              {"drive_tuned", drive_tuned},
              {"drive_rest", drive_rest},
              {"forced", forced},
              {"clips", clips},
              {"tearing", tearing},
              {"follows", follows},
              {"jointed", jointed}};

static const char* drive_name(const scene_case* c) {
    for (size_t i = 0; i < sizeof(DRIVES) / sizeof(DRIVES[0]); ++i) {
        if (DRIVES[i].drive == c->drive) {
            return DRIVES[i].name;
        }
    }
    return "?";
}

static const scene_case SCENES[] = {
#include "tests/runtime/determinism_table.inl"
};

// Names the first field in which two worlds differ.
static void name_difference(const world* a, const world* b, int step) {
    for (uint32_t i = 0; i < a->view.info->particle_count; ++i) {
        hem_particle p = particle_at(a, i), q = particle_at(b, i);
        const struct {
            const char* name;
            const float* x;
            const float* y;
            int count;
        } fields[] = {{"position", p.position, q.position, 3},
                      {"rotation", p.rotation, q.rotation, 4},
                      {"velocity", p.velocity, q.velocity, 3}};
        for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); ++f) {
            for (int k = 0; k < fields[f].count; ++k) {
                if (memcmp(&fields[f].x[k], &fields[f].y[k], 4) != 0) {
                    printf("step %d: particle %u (row %u lane %u) %s.%c: %.9g here, %.9g scalar\n", step, i, i / 8,
                           i % 8, fields[f].name, "xyzw"[k], (double)fields[f].x[k], (double)fields[f].y[k]);
                    return;
                }
            }
        }
    }
    printf("step %d: the states differ outside of particles (head, targets or colliders)\n", step);
}

// FNV-1a over the bits of every particle but the pads.
static uint64_t particle_hash(const world* w) {
    uint64_t hash = 0xcbf29ce484222325ull;
    for (uint32_t i = 0; i < w->view.info->particle_count; ++i) {
        hem_particle p = particle_at(w, i);
        uint8_t bytes[10 * sizeof(float)];
        memcpy(bytes, p.position, 12);
        memcpy(bytes + 12, p.rotation, 16);
        memcpy(bytes + 28, p.velocity, 12);
        for (size_t k = 0; !(p.flags & HEM_PARTICLE_PAD) && k < sizeof(bytes); ++k) {
            hash = (hash ^ bytes[k]) * 0x100000001b3ull;
        }
    }
    return hash;
}

static bool open_case(const scene_case* c, world* w, hem_kernel kernel) {
    hem_scene_def def = hem_scene_def_default();
    def.force_capacity = def.tie_capacity = c->drive == forced || c->drive == jointed ? 7 : 0;
    def.budget = c->drive == changing ? HEM_BUDGET_SKINNED : HEM_BUDGET_NONE;
    def.kernel = kernel;
    return world_open(w, c->asset, &def, NULL, 1);
}

static void step_case(const scene_case* c, world* w, int step) {
    c->drive(w, step);
    world_step(w, 1.0f / 60.0f, 0, 1);
}

// The scene once more on the kernel under test and on the scalar one side by side, up to the first difference.
static bool agrees_with_scalar(const scene_case* c, int steps) {
    world w, reference;
    bool same = open_case(c, &w, wanted_kernel()) && open_case(c, &reference, HEM_KERNEL_SCALAR);
    for (int step = 0; step < steps && same; ++step) {
        step_case(c, &w, step);
        step_case(c, &reference, step);
        if (hem_scene_hash(w.scene) != hem_scene_hash(reference.scene)) {
            name_difference(&w, &reference, step);
            same = false;
        }
    }
    world_close(&w);
    world_close(&reference);
    return same;
}

TEST kernels_and_builds_agree(const scene_case* c) {
    world w;
    if (c->drive == play || c->drive == changing) { // characters are compiled from the samples
        size_t size;
        void* bytes = read_asset(c->asset, &size);
        free(bytes);
        if (!bytes) {
            SKIPm("the character is not there");
        }
    }
    if (is_sanitized()) {
        ASSERT(agrees_with_scalar(c, 16));
    }
    const int steps = is_sanitized() && c->steps > 90 ? 90 : c->steps; // play changes its solver at 80
    ASSERT(open_case(c, &w, wanted_kernel()));
    for (int step = 0; step < steps; ++step) {
        step_case(c, &w, step);
    }
    const uint64_t hash = hem_scene_hash(w.scene), particles = particle_hash(&w);
    const char* print = getenv("HEM_DETERMINISM");
    if (print && strcmp(print, "print") == 0) {
        printf("{\"%s\", %d, %s, 0x%016llxull, 0x%016llxull},\n", c->asset, c->steps, drive_name(c),
               (unsigned long long)hash, (unsigned long long)particles);
    } else if (steps == c->steps && (hash != c->expected || particles != c->particles)) {
        const int state = particles == c->particles;
        printf("%s after %d steps, %s: %016llx, the table says %016llx\n", c->asset, c->steps,
               state ? "state" : "particles", (unsigned long long)(state ? hash : particles),
               (unsigned long long)(state ? c->expected : c->particles));
        FAILm(agrees_with_scalar(c, c->steps) ? "this build and the table differ"
                                              : "this kernel and the scalar one differ");
    }
    world_close(&w);
    PASS();
}

TEST a_loaded_snapshot_goes_on_with_the_same_bits(void) {
    world w;
    OPEN(w, "cape");
    for (int step = 0; step < 60; ++step) {
        busy(&w, step);
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    size_t size = hem_scene_save_size(w.scene, HEM_SAVE_STATE);
    void* saved = malloc(size);
    ASSERT_EQ(HEM_OK, hem_scene_save(w.scene, HEM_SAVE_STATE, saved, size));
    uint64_t end[2];
    for (int run = 0; run < 2; ++run) {
        for (int step = 60; step < 90; ++step) {
            busy(&w, step);
            world_step(&w, 1.0f / 60.0f, 0, 1);
        }
        end[run] = hem_scene_hash(w.scene);
        ASSERT_EQ(HEM_OK, hem_scene_load(w.scene, saved, size));
    }
    ASSERT_EQ(end[0], end[1]);
    ((uint8_t*)saved)[0] ^= 1;
    ASSERT_EQ(HEM_ERROR_STATE, hem_scene_load(w.scene, saved, size));
    free(saved);
    world_close(&w);
    PASS();
}

TEST any_worker_count_and_job_order_gives_the_same_bits(void) {
    hem_scene_def def = hem_scene_def_default();
    def.worker_capacity = 3;
    world a, b;
    ASSERT(world_open(&a, "sheet", &def, NULL, 5));
    ASSERT(world_open(&b, "sheet", &def, NULL, 5));
    for (int step = 0; step < 40; ++step) {
        busy(&a, step);
        busy(&b, step);
        world_step(&a, 1.0f / 60.0f, 0, 1);
        hem_step_args args = {1.0f / 60.0f, 0};
        uint32_t jobs;
        ASSERT_EQ(HEM_OK, hem_scene_step_begin(b.scene, &args, &jobs));
        ASSERT_EQ(5, (int)jobs);
        for (uint32_t i = 0; i < jobs; ++i) {
            ASSERT_EQ(HEM_OK, hem_scene_step_job(b.scene, jobs - 1 - i, (i * 2) % 3));
        }
        ASSERT_EQ(HEM_OK, hem_scene_step_end(b.scene));
        ASSERT_EQ(hem_scene_hash(a.scene), hem_scene_hash(b.scene));
    }
    world_close(&a);
    world_close(&b);
    PASS();
}

// -- What one instance leaves in a worker's scratch must not reach the next. Everything is pressed together, so that
// all of them touch something.

enum { MIXED = 5 };

typedef struct mixed_scene {
    hem_asset assets[MIXED];
    void* bytes[MIXED];
    void* block;
    hem_scene* scene;
} mixed_scene;

static void press(void* user, hem_instance_id id, const float* position, const float* velocity, float* acceleration,
                  uint32_t row_count) {
    (void)user, (void)id, (void)velocity;
    for (uint32_t i = 0; i < row_count * 8; ++i) {
        const uint32_t row = i / 8, lane = i % 8;
        acceleration[row * 24 + 8 + lane] = position[row * 32 + 8 + lane] > 0 ? -20.0f : 20.0f;
    }
}

static bool open_mixed(mixed_scene* m) {
    static const char* const names[MIXED] = {"blocks", "crossing", "sheet_self", "cape_girl", "octopus"};
    hem_slot_def slots[MIXED];
    memset(m, 0, sizeof(*m));
    for (int i = 0; i < MIXED; ++i) {
        size_t size;
        m->bytes[i] = read_asset(names[i], &size);
        if (!m->bytes[i] || hem_asset_open(&m->assets[i], m->bytes[i], size) != HEM_OK) {
            return false;
        }
        slots[i] = (hem_slot_def){&m->assets[i], 1};
    }
    hem_scene_def def = hem_scene_def_default();
    def.slots = slots;
    def.slot_count = MIXED;
    def.worker_capacity = 2;
    def.kernel = wanted_kernel();
    hem_memory need;
    if (hem_scene_measure(&def, &need) != HEM_OK) {
        return false;
    }
    m->block = aligned_alloc(need.align, need.size);
    if (!m->block || hem_scene_init(&m->scene, &def, m->block, need.size) != HEM_OK) {
        return false;
    }
    for (int i = 0; i < MIXED; ++i) {
        hem_instance_def one = hem_instance_def_default();
        hem_instance_id id;
        one.asset = &m->assets[i];
        if (hem_scene_add(m->scene, &one, &id) != HEM_OK) {
            return false;
        }
    }
    return hem_scene_set_force_field(m->scene, press, NULL) == HEM_OK;
}

static void close_mixed(mixed_scene* m) {
    for (int i = 0; i < MIXED; ++i) {
        free(m->bytes[i]);
    }
    free(m->block);
}

TEST instances_leave_nothing_behind_for_each_other(void) {
    mixed_scene a, b;
    ASSERT(open_mixed(&a) && open_mixed(&b));
    uint32_t touched = 0;
    for (int step = 0; step < 40; ++step) {
        // One worker in order; two in reverse, the first of which steps the soft blocks after nobody else's.
        const hem_step_args args = {step % 3 ? 1.0f / 60.0f : 1.0f / 25.0f, 0};
        ASSERT_EQ(HEM_OK, hem_scene_step(a.scene, &args));
        uint32_t jobs;
        ASSERT_EQ(HEM_OK, hem_scene_step_begin(b.scene, &args, &jobs));
        for (uint32_t i = jobs; i-- > 0;) {
            ASSERT_EQ(HEM_OK, hem_scene_step_job(b.scene, i, i > 0));
        }
        ASSERT_EQ(HEM_OK, hem_scene_step_end(b.scene));
        ASSERT_EQ(hem_scene_hash(a.scene), hem_scene_hash(b.scene));
        hem_step_report report;
        hem_scene_get_report(a.scene, &report);
        touched += report.contact_count;
    }
    ASSERT(touched > 1000);
    close_mixed(&a);
    close_mixed(&b);
    PASS();
}

// Runs of batches are a matter of speed: with every batch on its own, through the general solver, the bits are the same.
TEST runs_change_nothing(const char* asset) {
    world w, alone;
    ASSERT(world_open(&w, asset, NULL, NULL, 1));
    ASSERT(world_open(&alone, asset, NULL, NULL, 1));
    uint32_t longest = 0;
    for (uint32_t i = 0; i < alone.view.link_batch_count; ++i) {
        hem_link_batch* batch =
            (hem_link_batch*)&alone.view.link_batches[i]; // in alone.bytes, which are the test's own
        longest = batch->run > longest ? batch->run : longest;
        batch->run = 0;
    }
    ASSERT(longest > 4);
    for (int step = 0; step < as_long_as(120, 30); ++step) {
        busy(&w, step);
        busy(&alone, step);
        world_step(&w, 1.0f / 60.0f, 0, 1);
        world_step(&alone, 1.0f / 60.0f, 0, 1);
        ASSERT_EQ(hem_scene_hash(alone.scene), hem_scene_hash(w.scene));
    }
    world_close(&w);
    world_close(&alone);
    PASS();
}

SUITE(determinism_suite) {
    for (size_t i = 0; i < sizeof(SCENES) / sizeof(SCENES[0]); ++i) {
        greatest_set_test_suffix(SCENES[i].asset);
        RUN_TESTp(kernels_and_builds_agree, &SCENES[i]);
    }
    static const char* const cloths[] = {"sheet", "cape"};
    for (size_t i = 0; i < sizeof(cloths) / sizeof(cloths[0]); ++i) {
        greatest_set_test_suffix(cloths[i]);
        RUN_TESTp(runs_change_nothing, cloths[i]);
    }
    RUN_TEST(a_loaded_snapshot_goes_on_with_the_same_bits);
    RUN_TEST(any_worker_count_and_job_order_gives_the_same_bits);
    RUN_TEST(instances_leave_nothing_behind_for_each_other);
}
