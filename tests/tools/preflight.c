// SPDX-License-Identifier: MIT
#include "tools/motion.h"
#include "tools/player.h"
#include "tools/preflight.h"
#include "tests/tools/fixture.h"
#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Test motions move a figure without bending what is no joint, and a pre-flight gives the same grades every time.

static bool open_fixture(asset* a) {
    uint8_t* data;
    size_t size = fixture_make(&data, true);
    bool good = asset_from_bytes(a, "fixture", data, size) == 0;
    free(data);
    return good;
}

TEST motions_begin_and_end_in_the_bind_pose(void) {
    asset a;
    ASSERT(open_fixture(&a));
    const uint32_t bones = a.view.info->bone_count;
    float* pose = malloc(sizeof(float) * 12 * bones);
    ASSERT(pose != NULL);
    for (int32_t m = 0; m < motion_count(); m++) {
        float moved = 0.0f;
        for (int32_t i = 0; i <= 64; i++) {
            motion_pose(&a, m, motion_seconds(m) * (float)i / 64.0f, pose);
            for (uint32_t b = 0; b < bones; b++) {
                const float* r = pose + 12 * (size_t)b;
                for (int32_t k = 0; k < 12; k++) {
                    const float bind = k % 5 == 0 ? 1.0f : 0.0f;
                    moved = fmaxf(moved, fabsf(r[k] - bind));
                    ASSERT(i % 64 != 0 || fabsf(r[k] - bind) < 1e-5f);
                }
                for (int32_t u = 0; u < 3; u++) { // rows of a rotation
                    for (int32_t v = 0; v < 3; v++) {
                        const float dot =
                            r[4 * u] * r[4 * v] + r[4 * u + 1] * r[4 * v + 1] + r[4 * u + 2] * r[4 * v + 2];
                        ASSERT_IN_RANGE(u == v ? 1.0f : 0.0f, dot, 1e-5f);
                    }
                }
            }
        }
        ASSERT(m != 0 || moved > 0.1f);
    }
    free(pose);
    asset_unload(&a);
    PASS();
}

TEST clips_stand_before_motions(void) {
    asset a;
    ASSERT(open_fixture(&a));
    int32_t clip = -1;
    ASSERT_EQ((int32_t)a.view.clip_count + motion_count(), asset_clip_count(&a));
    ASSERT_EQ(0, asset_find_clip(&a, "test-hop", &clip));
    ASSERT(clip > (int32_t)a.view.clip_count);
    ASSERT_STR_EQ("test-hop", asset_clip_name(&a, clip));
    ASSERT(asset_clip_loops(&a, clip));
    asset_unload(&a);
    PASS();
}

// "run" finds "A|run", where no other clip is so called.
TEST clips_are_found_without_their_armature(void) {
    asset a;
    ASSERT(open_fixture(&a));
    int32_t clip = -1;
    memcpy((char*)(uintptr_t)asset_clip_name(&a, 0), "A|run", 5);
    ASSERT_EQ(0, asset_find_clip(&a, "A|run", &clip));
    ASSERT_EQ(0, asset_find_clip(&a, "run", &clip));
    ASSERT_EQ(0, clip);
    ASSERT(asset_find_clip(&a, "un", &clip) != 0);
    memcpy((char*)(uintptr_t)asset_clip_name(&a, 1), "|run", 4);
    ASSERT(asset_find_clip(&a, "run", &clip) != 0); // which of the two?
    asset_unload(&a);
    PASS();
}

TEST a_preflight_is_the_same_twice_and_bounded(void) {
    asset a;
    preflight one, two;
    ASSERT(open_fixture(&a));
    ASSERT_EQ(0, preflight_run(&one, &a, NULL, NULL));
    ASSERT_EQ(0, preflight_run(&two, &a, NULL, NULL));
    ASSERT(one.grade >= 'A' && one.grade <= 'F');
    ASSERT_EQ(one.grade, two.grade);
    ASSERT_EQ((int32_t)a.view.clip_count, one.clip_count);
    ASSERT(one.frame_count > 0 && one.frame_count <= 3 * (600 + 12 * one.clip_count));
    ASSERT_EQ(one.part_count, two.part_count);
    for (int32_t i = 0; i < one.part_count; i++) {
        ASSERT_EQ(one.parts[i].crossed_share, two.parts[i].crossed_share);
        ASSERT_EQ(one.parts[i].drift_max, two.parts[i].drift_max);
        ASSERT(one.parts[i].grade <= one.grade);
    }
    asset_unload(&a);
    PASS();
}

// A grade is that of the worst clip; another flight over the bad clips alone plays just those; what is left out is not crossed.
TEST each_clip_is_judged_by_itself(void) {
    asset a;
    preflight all, again, bare;
    ASSERT(open_fixture(&a));
    ASSERT_EQ(0, preflight_run(&all, &a, NULL, NULL));
    ASSERT(all.clip_count > 0 && all.part_count > 0);
    char worst = 'A';
    for (int32_t i = 0; i < all.clip_count; i++) {
        worst = all.clips[i].grade > worst ? all.clips[i].grade : worst;
    }
    ASSERT(all.grade >= worst); // or worse, by unrest
    hemc_preflight* before = calloc(1, sizeof(hemc_preflight));
    uint8_t* left_out = malloc(a.view.preview_index_count / 3 + 1);
    ASSERT(before != NULL && left_out != NULL);
    for (int32_t i = 0; i < all.clip_count; i++) {
        before->clips[i].grade = i == 0 ? 'C' : 'B';
    }
    ASSERT_EQ(0, preflight_run(&again, &a, NULL, before));
    ASSERT_EQ(1, again.clip_count);
    ASSERT_EQ(all.clips[0].grade, again.clips[0].grade);
    memset(left_out, 0, a.view.preview_index_count / 3);
    for (uint32_t t = 0; t < a.view.preview_index_count / 3; t++) {
        const hem_vertex_bind* v = &a.view.vertex_bind[a.view.preview_indices[3 * (size_t)t]];
        left_out[t] = v->blend == 0;
    }
    ASSERT_EQ(0, preflight_run(&bare, &a, left_out, NULL));
    for (int32_t i = 0; i < bare.part_count; i++) {
        ASSERT(bare.parts[i].crossed_share <= all.parts[i].crossed_share);
    }
    free(before);
    free(left_out);
    asset_unload(&a);
    PASS();
}

// A run that begins where another has settled, within the clip, goes on as that one does.
TEST players_take_over_what_has_settled(void) {
    asset a;
    player one, two;
    player_frame x, y;
    ASSERT(open_fixture(&a));
    player_setup setup = player_setup_default(&a);
    setup.clip = 0;
    setup.from = 0.1f;
    setup.settle_seconds = 0.5f;
    ASSERT_EQ(0, player_begin(&one, &setup));
    setup.settled = &one;
    ASSERT_EQ(0, player_begin(&two, &setup));
    for (int32_t i = 0; i < 5; i++) {
        ASSERT_EQ(0, i == 2 ? player_skip(&one) : player_step(&one, false, &x));
        ASSERT_EQ(0, player_step(&two, false, &y));
        ASSERT_EQ(hem_scene_hash(one.scene), hem_scene_hash(two.scene));
    }
    ASSERT_EQ(x.seconds, y.seconds);
    ASSERT_IN_RANGE(0.1f + 4.0f / 60.0f, x.seconds, 1e-6f);
    player_end(&two);
    player_end(&one);
    asset_unload(&a);
    PASS();
}

TEST a_wind_blows_in_one_motion_only(void) {
    float wind[3], most = 0.0f;
    for (int32_t m = 1; m < motion_count(); m++) {
        for (int32_t i = 0; i <= 32; i++) {
            motion_wind(m, motion_seconds(m) * (float)i / 32.0f, wind);
            const float speed = sqrtf(wind[0] * wind[0] + wind[1] * wind[1] + wind[2] * wind[2]);
            ASSERT(strcmp(motion_name(m), "test-wind") == 0 || speed == 0.0f);
            ASSERT(i % 32 != 0 || speed < 1e-6f);
            most = fmaxf(most, speed);
        }
    }
    ASSERT_IN_RANGE(6.0f, most, 0.1f);
    PASS();
}

// The worst part speaks, about what is worst in it.
// How far each motion carries a part is measured here by itself; what wind does is no drift.
TEST what_flies_in_the_wind_does_not_drift(void) {
    asset a;
    preflight flown;
    ASSERT(open_fixture(&a));
    a.view.clip_count = 0; // test motions alone
    hemc_preflight* before = calloc(1, sizeof(hemc_preflight));
    float* posed = malloc(sizeof(float) * 3 * a.view.info->vertex_count);
    ASSERT(before != NULL && posed != NULL);
    for (int32_t clip = 1; clip < asset_clip_count(&a); clip++) { // the first is all of them
        player p;
        player_setup setup = player_setup_default(&a);
        setup.clip = clip;
        setup.settle_seconds = PREFLIGHT_SETTLE_SECONDS;
        ASSERT_EQ(0, player_begin(&p, &setup));
        float farthest = 0.0f;
        for (int32_t i = 0; i < (int32_t)(60.0f * asset_clip_seconds(&a, clip)); i++) {
            player_frame frame;
            ASSERT_EQ(0, player_step(&p, false, &frame));
            asset_skin(&a, p.pose, posed, NULL);
            for (uint32_t v = 0; v < a.view.info->vertex_count; v++) {
                const float *x = p.puppet.positions + 3 * (size_t)v, *y = posed + 3 * (size_t)v;
                farthest = fmaxf(farthest, hypotf(hypotf(x[0] - y[0], x[1] - y[1]), x[2] - y[2]));
            }
        }
        player_end(&p);
        for (int32_t i = 0; i < asset_clip_count(&a); i++) {
            before->clips[i].grade = i + 1 == clip ? 'C' : 'A'; // fly this one alone
        }
        ASSERT_EQ(0, preflight_run(&flown, &a, NULL, before));
        ASSERT_EQ(1, flown.clip_count);
        float told = 0.0f;
        for (int32_t i = 0; i < flown.part_count; i++) {
            told = fmaxf(told, flown.parts[i].drift_max);
        }
        const bool wind = strcmp(asset_clip_name(&a, clip), "test-wind") == 0;
        ASSERTm(asset_clip_name(&a, clip), farthest > 0.001f);
        ASSERTm(asset_clip_name(&a, clip), wind ? told == 0.0f : told > 0.5f * farthest && told <= 1.001f * farthest);
    }
    free(posed);
    free(before);
    asset_unload(&a);
    PASS();
}

TEST advice_names_the_part_and_the_fault(void) {
    char text[512];
    asset a;
    ASSERT(open_fixture(&a));
    preflight f = {.grade = 'D', .part_count = 2};
    f.parts[0] = (preflight_part){.name = "hair", .grade = 'A'};
    f.parts[1] = (preflight_part){
        .name = "cape", .grade = 'D', .crossed_share = 0.1f, .moment = {.clip = 0, .seconds = 1.5f, .hz = 60.0f}};
    preflight_advice(&f, &a, text, sizeof(text));
    ASSERT(strstr(text, "\"cape\" goes through") != NULL && strstr(text, "at 1.50 s") != NULL);
    ASSERT(strstr(text, asset_clip_name(&a, 0)) != NULL);
    f.parts[1] = (preflight_part){.name = "cape", .grade = 'D', .stretched_share = 0.08f, .stretch_max = 2.5f};
    preflight_advice(&f, &a, text, sizeof(text));
    ASSERT(strstr(text, "8.0 % of the edges of \"cape\"") != NULL);
    f.parts[1] = (preflight_part){.name = "cape", .grade = 'C', .folded_share = 0.06f};
    preflight_advice(&f, &a, text, sizeof(text));
    ASSERT(strstr(text, "\"cape\" lies crumpled") != NULL && strstr(text, "(6 %") != NULL);
    f.parts[1] = (preflight_part){.name = "cape", .grade = 'D', .restless = 0.1f, .settle_seconds = -1.0f};
    preflight_advice(&f, &a, text, sizeof(text));
    ASSERT(strstr(text, "after 4 s of standing still") != NULL);
    // C by its edges and D by where it goes: the worse speaks.
    f.parts[1] = (preflight_part){.name = "cape", .grade = 'D', .stretched_share = 0.03f, .drift_max = 0.5f};
    preflight_advice(&f, &a, text, sizeof(text));
    ASSERT(strstr(text, "\"cape\" goes 0.50 m from the pose") != NULL);
    f.parts[1] = (preflight_part){.name = "cape", .grade = 'A'};
    preflight_advice(&f, &a, text, sizeof(text));
    ASSERT_STR_EQ("", text);
    asset_unload(&a);
    PASS();
}

SUITE(preflight_suite) {
    RUN_TEST(motions_begin_and_end_in_the_bind_pose);
    RUN_TEST(clips_stand_before_motions);
    RUN_TEST(clips_are_found_without_their_armature);
    RUN_TEST(a_preflight_is_the_same_twice_and_bounded);
    RUN_TEST(each_clip_is_judged_by_itself);
    RUN_TEST(players_take_over_what_has_settled);
    RUN_TEST(a_wind_blows_in_one_motion_only);
    RUN_TEST(what_flies_in_the_wind_does_not_drift);
    RUN_TEST(advice_names_the_part_and_the_fault);
}
