// SPDX-License-Identifier: MIT
// Clips of lattices: targets against the keys, blends and caps against their formulas, what a free body makes of them, and
// saves in the middle of a change.

#include "tests/runtime/suites.h"
#include "runtime/src/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP (1.0f / 60.0f)

static const hemi_instance* inside(const world* w) {
    return &w->scene->instances[w->id.index1 - 1];
}

static void place_in(const float x[8], const float y[8], const float z[8], uint32_t lane, double out[3]) {
    out[0] = (double)x[lane];
    out[1] = (double)y[lane];
    out[2] = (double)z[lane];
}

// Where the last step ended.
static void target_of(const world* w, uint32_t particle, double out[3]) {
    const hem_drive_row* d = &w->view.drive_rows[particle / 8];
    const hemi_target_row* t = &inside(w)->target_prev[d->anim_row];
    place_in(t->x.x, t->x.y, t->x.z, particle & 7, out);
}

static void key_of(const world* w, uint32_t clip, uint32_t key, uint32_t particle, double out[3]) {
    const hem_lattice_key* k = &w->view.lattice_keys[w->view.lattice_clips[clip].key_begin + key];
    const hem_key_row* r = &w->view.lattice_key_rows[k->row_begin + particle / 8];
    place_in(r->x, r->y, r->z, particle & 7, out);
}

static bool is_real(const world* w, uint32_t particle) {
    return !(w->view.particle_flags[particle] & HEM_PARTICLE_PAD);
}

// The farthest target from `share` of the way between two keys.
static double off_keys(const world* w, uint32_t clip, uint32_t a, uint32_t b, double share) {
    double worst = 0;
    for (uint32_t i = 0; i < w->view.info->particle_count; ++i) {
        double t[3], ka[3], kb[3];
        target_of(w, i, t);
        key_of(w, clip, a, i, ka);
        key_of(w, clip, b, i, kb);
        for (int k = 0; k < 3 && is_real(w, i); ++k) {
            worst = fmax(worst, fabs(t[k] - (ka[k] + share * (kb[k] - ka[k]))));
        }
    }
    return worst;
}

static hem_result play_named(world* w, const char* name, float blend, float cap) {
    hem_clip_play play = hem_clip_play_default();
    const int32_t clip = hem_asset_find_clip(&w->asset, name);
    play.clip = (uint32_t)clip;
    play.blend_seconds = blend;
    play.lerp_speed = cap;
    return clip < 0 ? HEM_ERROR_RANGE : hem_instance_play_clip(w->scene, w->id, &play);
}

static void weightless(world* w, float sleep_speed) {
    hem_tuning t = world_tuning(w);
    t.gravity_scale = 0;
    t.damping = t.angular_damping = 0;
    t.tracking = 1;
    t.sleep_speed = sleep_speed;
    t.drive = 0;
    world_tune(w, &t);
}

TEST an_asset_tells_its_clips(void) {
    world w;
    hem_asset_clip clip;
    OPEN(w, "lattice_clips");
    ASSERT_EQ(3, (int)hem_asset_clip_count(&w.asset));
    ASSERT_EQ(1, hem_asset_find_clip(&w.asset, "lift"));
    ASSERT_EQ(-1, hem_asset_find_clip(&w.asset, "lif"));
    ASSERT_EQ(HEM_OK, hem_asset_get_clip(&w.asset, 1, &clip));
    ASSERT_STR_EQ("lift", clip.name);
    ASSERT(clip.part == 0 && clip.key_count == 3 && clip.seconds == 1.0f && !clip.interpolates && !clip.loops);
    ASSERT_EQ(HEM_ERROR_RANGE, hem_asset_get_clip(&w.asset, 3, &clip));
    hem_clip_play play = hem_clip_play_default();
    play.clip = 3;
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_play_clip(w.scene, w.id, &play));
    play.clip = 0;
    play.speed = -1;
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_play_clip(w.scene, w.id, &play));
    ASSERT_STR_EQ("hem_instance_play_clip: play.speed is -1: must be 0 to 100", hem_scene_refusal(w.scene));
    play.cookie = 0;
    ASSERT_EQ(HEM_ERROR_COOKIE, hem_instance_play_clip(w.scene, w.id, &play));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_pause_clip(w.scene, w.id, 1, 1));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_stop_clip(w.scene, w.id, 0, NAN));
    world_close(&w);
    PASS();
}

// Straight between keys, from the last to the first again, at twice the speed, and halted.
TEST targets_are_those_of_the_keys(void) {
    world w;
    hem_clip_state state;
    OPEN(w, "lattice_clips");
    ASSERT_EQ(HEM_OK, play_named(&w, "bend", 0, 0));
    for (int step = 1; step <= 100; ++step) {
        world_step(&w, STEP, 0, 1);
        const double t = fmod(step / 60.0, 1.0);
        ASSERT_IN_RANGE(0.0, off_keys(&w, 0, t < 0.5 ? 0 : 1, t < 0.5 ? 1 : 2, fmod(2 * t, 1.0)), 2e-5);
    }
    ASSERT_EQ(HEM_OK, hem_instance_pause_clip(w.scene, w.id, 0, 1));
    world_step(&w, STEP, 0, 20);
    ASSERT_EQ(HEM_OK, hem_instance_get_clip(w.scene, w.id, 0, &state));
    ASSERT(state.paused && !state.ended && state.clip == 0);
    ASSERT_IN_RANGE(100 / 60.0 - 1.0, (double)state.seconds, 1e-4);
    ASSERT_EQ(HEM_OK, hem_instance_pause_clip(w.scene, w.id, 0, 0));
    world_step(&w, STEP, 0, 5);
    ASSERT_IN_RANGE(0.0, off_keys(&w, 0, 1, 2, 2 * (105 / 60.0 - 1.5)), 2e-5);
    hem_clip_play fast = hem_clip_play_default();
    fast.start_seconds = 0.25f;
    fast.speed = 2.0f;
    fast.loop = 0;
    ASSERT_EQ(HEM_OK, hem_instance_play_clip(w.scene, w.id, &fast));
    world_step(&w, STEP, 0, 15);
    ASSERT_IN_RANGE(0.0, off_keys(&w, 0, 1, 2, 0.5), 2e-5); // 0.75 s
    world_step(&w, STEP, 0, 30);
    ASSERT_EQ(HEM_OK, hem_instance_get_clip(w.scene, w.id, 0, &state));
    ASSERT(state.ended && state.seconds == 1.0f);
    world_close(&w);
    PASS();
}

// A clip of keys alone stands between them, and what stands may sleep; the next key wakes.
TEST keys_alone_move_nothing_between_them(void) {
    world w;
    OPEN(w, "lattice_clips");
    weightless(&w, 0.02f);
    hem_clip_play play = hem_clip_play_default();
    play.clip = 1;
    play.speed = 0.1f; // a key every five seconds
    ASSERT_EQ(HEM_OK, hem_instance_play_clip(w.scene, w.id, &play));
    int slept = 0, woken = 0;
    uint32_t last = 0;
    for (int step = 1; step < 590; ++step) {
        hem_clip_state state;
        const bool asleep = inside(&w)->state->asleep != 0;
        world_step(&w, STEP, 0, 1);
        ASSERT_EQ(HEM_OK, hem_instance_get_clip(w.scene, w.id, 0, &state));
        ASSERT_IN_RANGE(step / 600.0, (double)state.seconds, 1e-4);
        const uint32_t key = state.seconds >= 0.5f;
        ASSERT_IN_RANGE(0.0, off_keys(&w, 1, key, key, 0), 1e-6);
        slept += asleep;
        woken += asleep && !inside(&w)->state->asleep;
        ASSERT_EQ(asleep && key == last, inside(&w)->state->asleep && asleep);
        last = key;
    }
    ASSERT(slept > 300);
    ASSERT_EQ(1, woken);
    world_close(&w);
    PASS();
}

// Half of the time is half of the way, from wherever the targets are, also from the middle of another blend.
TEST blends_are_straight_and_arrive_in_time(void) {
    world w;
    OPEN(w, "lattice_clips");
    world_step(&w, STEP, 0, 1);
    hem_clip_play play = hem_clip_play_default();
    play.clip = 0;
    play.start_seconds = 0.5f;
    play.speed = 0;
    play.blend_seconds = 1;
    ASSERT_EQ(HEM_OK, hem_instance_play_clip(w.scene, w.id, &play));
    for (int step = 1; step <= 30; ++step) {
        world_step(&w, STEP, 0, 1);
        ASSERT_IN_RANGE(0.0, off_keys(&w, 0, 0, 1, step / 60.0), 2e-5); // key 0 is the rest shape
    }
    ASSERT_EQ(HEM_OK, hem_instance_stop_clip(w.scene, w.id, 0, 0.5f));
    for (int step = 1; step <= 30; ++step) {
        world_step(&w, STEP, 0, 1);
        ASSERT_IN_RANGE(0.0, off_keys(&w, 0, 0, 1, 0.5 * (1 - step / 30.0)), 2e-5);
    }
    world_step(&w, STEP, 0, 1);
    ASSERT_EQ(0, (int)inside(&w)->track_past[0].active);
    ASSERT_EQ(0.0, off_keys(&w, 0, 0, 0, 0));
    world_close(&w);
    PASS();
}

TEST no_target_moves_faster_than_the_cap(void) {
    world w;
    OPEN(w, "lattice_clips");
    world_step(&w, STEP, 0, 1);
    ASSERT_EQ(HEM_OK, play_named(&w, "bend", 0, 0.3f));
    double fastest = 0;
    for (int step = 0; step < 90; ++step) {
        static double before[4096][3];
        for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
            target_of(&w, i, before[i]);
        }
        world_step(&w, STEP, 0, 1);
        for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
            double now[3], way = 0;
            target_of(&w, i, now);
            for (int k = 0; k < 3; ++k) {
                way += (now[k] - before[i][k]) * (now[k] - before[i][k]);
            }
            fastest = fmax(fastest, 60 * sqrt(way));
        }
    }
    ASSERT_IN_RANGE(0.3, fastest, 1e-3);
    world_close(&w);
    PASS();
}

// The rest shape is the clip's: a body that floats takes it, wherever it is, and its middle does not move.
TEST a_free_body_takes_the_shape_of_its_clip(void) {
    world w;
    OPEN(w, "lattice_clips");
    weightless(&w, 0);
    hem_clip_play play = hem_clip_play_default();
    play.start_seconds = 0.5f;
    play.speed = 0;
    play.blend_seconds = 1;
    ASSERT_EQ(HEM_OK, hem_instance_play_clip(w.scene, w.id, &play));
    const vec3d before = center_of_mass(&w);
    world_step(&w, STEP, 0, 400);
    const vec3d p = linear_momentum(&w), after = center_of_mass(&w);
    ASSERT_IN_RANGE(0.0, fabs(p.x) + fabs(p.y) + fabs(p.z), 1e-3);
    ASSERT_IN_RANGE(0.0, fabs(after.x - before.x) + fabs(after.y - before.y) + fabs(after.z - before.z), 1e-3);
    double worst = 0; // over all distances: they do not ask where it is and how it is turned
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        for (uint32_t j = 0; is_real(&w, i) && j < i; ++j) {
            if (!is_real(&w, j)) {
                continue;
            }
            double a[3], b[3], wanted = 0, got = 0;
            key_of(&w, 0, 1, i, a);
            key_of(&w, 0, 1, j, b);
            const hem_particle pi = particle_at(&w, i), pj = particle_at(&w, j);
            for (int k = 0; k < 3; ++k) {
                wanted += (a[k] - b[k]) * (a[k] - b[k]);
                got += pow((double)(pi.position[k] - pj.position[k]), 2);
            }
            worst = fmax(worst, fabs(sqrt(wanted) - sqrt(got)));
        }
    }
    ASSERT_IN_RANGE(0.0, worst, 2e-3); // of a metre
    world_close(&w);
    PASS();
}

static void say(world* w, int step) {
    const float pose[12] = {1, 0, 0, 0.1f * (float)(step % 7), 0, 1, 0, 0, 0, 0, 1, 0};
    if (step % 5 == 0) {
        hem_instance_set_pose(w->scene, w->id, pose, 1, 0);
    }
    if (step % 40 == 3) {
        play_named(w, step % 80 == 3 ? "bend" : "lift", 0.4f, 2.0f);
    }
    if (step % 40 == 25) {
        hem_instance_stop_clip(w->scene, w->id, 0, 0.2f);
    }
    if (step % 50 == 20) {
        const hem_root there = {{0.1 * step, 0, 0}, {0, 0, 0, 1}};
        hem_instance_teleport(w->scene, w->id, &there, 1);
    }
    if (step == 47) {
        hem_instance_reset(w->scene, w->id);
    }
}

// Saved and loaded at every step of plays, blends, stops, jumps and resets: the same bits at the end.
TEST a_save_in_the_middle_of_a_change_goes_on(void) {
    world w, fresh;
    OPEN(w, "lattice_clips");
    const size_t size = hem_scene_save_size(w.scene, HEM_SAVE_ALL);
    void* saved = malloc(size);
    for (int step = 0; step < 130; ++step) {
        OPEN(fresh, "lattice_clips");
        ASSERT_EQ(HEM_OK, hem_scene_save(w.scene, HEM_SAVE_ALL, saved, size));
        ASSERT_EQ(HEM_OK, hem_scene_load(fresh.scene, saved, size));
        for (int k = 0; k < 2; ++k) {
            say(&w, step + k);
            say(&fresh, step + k);
            world_step(&w, STEP, 0, 1);
            world_step(&fresh, STEP, 0, 1);
            ASSERT_EQ(hem_scene_hash(w.scene), hem_scene_hash(fresh.scene));
        }
        ASSERT_EQ(HEM_OK, hem_scene_load(w.scene, saved, size));
        say(&w, step);
        world_step(&w, STEP, 0, 1);
        world_close(&fresh);
    }
    free(saved);
    world_close(&w);
    PASS();
}

// The octopus by its own clip, which the compiler made of the skeleton's: nobody poses a bone.
TEST the_octopus_swims_by_itself(void) {
    static float now[32768][3], skeleton[32768][3], pose[64 * 12];
    world w;
    OPEN(w, "octopus_lattice");
    const hem_info* info = w.view.info;
    ASSERT(info->vertex_count <= 32768 && info->bone_count <= 64);
    ASSERT_EQ(HEM_OK, play_named(&w, "swim", 0.3f, 0));
    const hem_clip* clip = find_clip(&w, "swim");
    double size = 0, worst = 0;
    for (int k = 0; k < 3; ++k) {
        size = fmax(size, (double)(info->bounds_max[k] - info->bounds_min[k]));
    }
    for (int f = 1; f <= 180; ++f) {
        world_step(&w, STEP, 0, 1);
        if (f < 60) {
            continue;
        }
        hem_skin_args args = {.positions = now[0], .vertex_count = info->vertex_count};
        ASSERT_EQ(HEM_OK, hem_instance_skin(w.scene, w.id, &args));
        clip_pose(&w, clip, fmod(f / 60.0, (clip->frame_count - 1) / (double)clip->hz), pose);
        for (uint32_t i = 0; i < info->vertex_count; i += 7) {
            const hem_vertex_bind* b = &w.view.vertex_bind[i];
            const float* x = w.view.vertex_rest[i].position;
            double d = 0;
            for (int r = 0; r < 3; ++r) {
                skeleton[i][r] = 0;
                for (int k = 0; k < 4; ++k) {
                    const float* m = pose + 12 * b->bone[k] + 4 * r;
                    skeleton[i][r] +=
                        (float)b->bone_weight[k] / 65535.0f * (m[0] * x[0] + m[1] * x[1] + m[2] * x[2] + m[3]);
                }
                d += pow((double)(now[i][r] - skeleton[i][r]), 2);
            }
            worst = fmax(worst, sqrt(d));
        }
    }
    if (getenv("HEM_LATTICE")) {
        printf("octopus by its own clip: at most %.1f %% of its size from it\n", 100 * worst / size);
    }
    ASSERT_IN_RANGE(0.0, worst / size, 0.05);
    world_close(&w);
    PASS();
}

SUITE(clips_suite) {
    RUN_TEST(an_asset_tells_its_clips);
    RUN_TEST(targets_are_those_of_the_keys);
    RUN_TEST(keys_alone_move_nothing_between_them);
    RUN_TEST(blends_are_straight_and_arrive_in_time);
    RUN_TEST(no_target_moves_faster_than_the_cap);
    RUN_TEST(a_free_body_takes_the_shape_of_its_clip);
    RUN_TEST(the_octopus_swims_by_itself);
    RUN_TEST(a_save_in_the_middle_of_a_change_goes_on);
}
