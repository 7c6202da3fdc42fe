// SPDX-License-Identifier: MIT
#include "tools/motion.h"
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

TEST a_preflight_is_the_same_twice_and_bounded(void) {
    asset a;
    preflight one, two;
    ASSERT(open_fixture(&a));
    ASSERT_EQ(0, preflight_run(&one, &a));
    ASSERT_EQ(0, preflight_run(&two, &a));
    ASSERT(one.grade >= 'A' && one.grade <= 'F');
    ASSERT_EQ(one.grade, two.grade);
    ASSERT_EQ((int32_t)a.view.clip_count, one.clip_count);
    ASSERT(one.frame_count > 0 && one.frame_count <= 1200 + 60 + 120 + 24 * one.clip_count);
    ASSERT_EQ(one.part_count, two.part_count);
    for (int32_t i = 0; i < one.part_count; i++) {
        ASSERT_EQ(one.parts[i].crossed_share, two.parts[i].crossed_share);
        ASSERT_EQ(one.parts[i].drift_max, two.parts[i].drift_max);
        ASSERT(one.parts[i].grade <= one.grade);
    }
    asset_unload(&a);
    PASS();
}

// The worst part speaks, about what is worst in it.
TEST advice_names_the_part_and_the_fault(void) {
    char text[512];
    preflight f = {.grade = 'D', .part_count = 2, .worst_clip = "run", .worst_seconds = 1.5f, .worst_crossed = 40};
    f.parts[0] = (preflight_part){.name = "hair", .grade = 'A'};
    f.parts[1] = (preflight_part){.name = "cape", .grade = 'D', .crossed_share = 0.1f};
    preflight_advice(&f, text, sizeof(text));
    ASSERT(strstr(text, "\"cape\" goes through") != NULL && strstr(text, "run at 1.50 s") != NULL);
    f.parts[1] = (preflight_part){.name = "cape", .grade = 'D', .stretched_share = 0.08f, .stretch_max = 2.5f};
    preflight_advice(&f, text, sizeof(text));
    ASSERT(strstr(text, "8.0 % of the edges of \"cape\"") != NULL);
    f.parts[1] = (preflight_part){.name = "cape", .grade = 'A'};
    preflight_advice(&f, text, sizeof(text));
    ASSERT_STR_EQ("", text);
    PASS();
}

SUITE(preflight_suite) {
    RUN_TEST(motions_begin_and_end_in_the_bind_pose);
    RUN_TEST(clips_stand_before_motions);
    RUN_TEST(a_preflight_is_the_same_twice_and_bounded);
    RUN_TEST(advice_names_the_part_and_the_fault);
}
