// SPDX-License-Identifier: MIT
#include "fixture.h"

#include "greatest.h"

#include <math.h>
#include <string.h>

// How the creatures move, read back from the files.

TEST looping_clips_end_where_they_begin(void) {
    static const char* const loops[][2] = {
        {"monster", "idle"},   {"monster", "walk"}, {"hair", "shake"},           {"hair", "nod"},
        {"hair", "turn"},      {"octopus", "swim"}, {"octopus", "pulse"},        {"curls", "bounce"},
        {"flag", "wave_pole"}, {"flag", "still"},   {"crossing_sheets", "still"}};
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; ++i) {
        sample* s = sample_get(loops[i][0]);
        cgltf_animation* clip = sample_clip(s, loops[i][1]);
        ASSERTm(loops[i][1], clip != NULL);
        for (cgltf_size c = 0; c < clip->channels_count; ++c) {
            const cgltf_accessor* out = clip->channels[c].sampler->output;
            cgltf_size frames = clip->channels[c].sampler->input->count,
                       width = out->count / frames * cgltf_num_components(out->type);
            for (cgltf_size k = 0; k < width; ++k) {
                float first, last;
                cgltf_size components = cgltf_num_components(out->type);
                float a[4], b[4];
                cgltf_accessor_read_float(out, k / components, a, components);
                cgltf_accessor_read_float(out, out->count - width / components + k / components, b, components);
                first = a[k % components];
                last = b[k % components];
                ASSERT_EQm(loops[i][1], first, last);
            }
        }
    }
    PASS();
}

// No bone whips round within a thirtieth of a second, across the seam of a loop neither.
TEST nothing_pops(void) {
    for (int32_t i = 0; i < kit_sample_count; ++i) {
        sample* s = sample_get(kit_samples[i].name);
        for (cgltf_size c = 0; c < s->data->animations_count; ++c) {
            for (cgltf_size k = 0; k < s->data->animations[c].channels_count; ++k) {
                const cgltf_animation_channel* channel = &s->data->animations[c].channels[k];
                if (channel->target_path != cgltf_animation_path_type_rotation) {
                    continue;
                }
                for (cgltf_size f = 1; f < channel->sampler->input->count; ++f) {
                    float a[4], b[4];
                    cgltf_accessor_read_float(channel->sampler->output, f - 1, a, 4);
                    cgltf_accessor_read_float(channel->sampler->output, f, b, 4);
                    float d = fabsf(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);
                    if (d <= 0.79f) { // cosine of half the angle: 75 degrees a frame
                        fprintf(GREATEST_STDOUT, "\n%s, clip %s, frame %d\n", s->name, s->data->animations[c].name,
                                (int)f);
                        FAILm(channel->target_node->name);
                    }
                }
            }
        }
    }
    PASS();
}

TEST standing_feet_stay_where_they_are(void) {
    sample* s = sample_get("monster");
    cgltf_animation* clip = sample_clip(s, "idle");
    const cgltf_node* feet[2] = {sample_node(s, "foot.L"), sample_node(s, "foot.R")};
    sample_pose(s, NULL, 0);
    kit_vec rest[2] = {node_place(feet[0]), node_place(feet[1])};
    for (int32_t f = 0; f < clip_frame_count(clip); ++f) {
        sample_pose(s, clip, f);
        for (int32_t k = 0; k < 2; ++k) {
            ASSERT_IN_RANGE(0.0, kit_distance(rest[k], node_place(feet[k])), 0.002);
        }
    }
    PASS();
}

TEST walking_feet_go_with_the_ground(void) {
    sample* s = sample_get("monster");
    cgltf_animation* clip = sample_clip(s, "walk");
    const cgltf_node* feet[2] = {sample_node(s, "foot.L"), sample_node(s, "foot.R")};
    sample_pose(s, NULL, 0);
    double ground = node_place(feet[0]).y;
    // One speed for both feet and all frames: the first planted step gives it.
    double speed = 0.0;
    int32_t planted = 0;
    for (int32_t k = 0; k < 2; ++k) {
        for (int32_t f = 0; f + 1 < clip_frame_count(clip); ++f) {
            sample_pose(s, clip, f);
            kit_vec a = node_place(feet[k]);
            sample_pose(s, clip, f + 1);
            kit_vec b = node_place(feet[k]);
            ASSERT(a.y > ground - 0.003);
            if (a.y > ground + 0.0015 || b.y > ground + 0.0015) {
                continue;
            }
            speed = planted == 0 ? b.z - a.z : speed;
            ++planted;
            ASSERT_IN_RANGE(speed, b.z - a.z, 0.0012);
            ASSERT_IN_RANGE(0.0, b.x - a.x, 0.0012);
        }
    }
    ASSERT(planted > clip_frame_count(clip)); // each foot more than half of the time
    ASSERT_IN_RANGE(-0.30 / 0.6 / 1.2 / 30.0, speed, 0.001);
    PASS();
}

// Up, still in the air for 0.7 s, two to three metres sideways, down.
TEST the_leap_hangs_then_flies_sideways(void) {
    sample* s = sample_get("monster");
    cgltf_animation* clip = sample_clip(s, "leap");
    const cgltf_node* root = sample_node(s, "root");
    int32_t longest = 0, run = 0, frames = clip_frame_count(clip);
    kit_vec before = {0.0, 0.0, 0.0};
    for (int32_t f = 0; f < frames; ++f) {
        sample_pose(s, clip, f);
        kit_vec p = node_place(root);
        run = p.y > 0.5 && kit_distance(p, before) < 1e-6 ? run + 1 : 0;
        longest = run > longest ? run : longest;
        before = p;
    }
    ASSERT(longest >= 20);
    ASSERT_IN_RANGE(2.5, before.x, 0.5);
    ASSERT_IN_RANGE(0.0, before.y, 1e-6);
    PASS();
}

TEST the_pulse_is_stored_as_morph_frames(void) {
    sample* s = sample_get("octopus");
    cgltf_animation* clip = sample_clip(s, "pulse");
    ASSERT_EQ(1, clip->channels_count);
    ASSERT_EQ(cgltf_animation_path_type_weights, clip->channels[0].target_path);
    cgltf_size targets = clip->channels[0].target_node->mesh->primitives[0].targets_count;
    ASSERT(targets >= 3);
    for (cgltf_size f = 0; f < clip->channels[0].sampler->input->count; ++f) {
        float sum = 0.0f;
        for (cgltf_size m = 0; m < targets; ++m) {
            float w;
            cgltf_accessor_read_float(clip->channels[0].sampler->output, f * targets + m, &w, 1);
            ASSERT(w >= 0.0f && w <= 1.0f);
            sum += w;
        }
        ASSERT_IN_RANGE(1.0f, sum, 1e-6f);
    }
    PASS();
}

SUITE(clips_suite) {
    RUN_TEST(looping_clips_end_where_they_begin);
    RUN_TEST(nothing_pops);
    RUN_TEST(standing_feet_stay_where_they_are);
    RUN_TEST(walking_feet_go_with_the_ground);
    RUN_TEST(the_leap_hangs_then_flies_sideways);
    RUN_TEST(the_pulse_is_stored_as_morph_frames);
}
