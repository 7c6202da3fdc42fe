// SPDX-License-Identifier: MIT
// The motion of the character's frame, as its particles feel it.

#include "runtime/src/step.h"

// `felt` follows `moved` by at most `limit`.
static hem_vec3 follow(hem_vec3 felt, hem_vec3 moved, float limit) {
    hem_vec3 change = hem_vec3_sub(moved, felt);
    float size = hem_vec3_length(change);
    return size > limit ? hem_vec3_madd(change, limit / size, felt) : moved;
}

// By the frame that it rides in, where the root starts from.
static void carried(const hemi_input* input, const hemi_state* s, double start[3], hem_quat* turned) {
    if (!input->carry_step || input->carry_step != s->step_count + 1) {
        return;
    }
    const double* from = input->carry_from;
    hem_quat carry = hemi_quat_of(input->carry_rotation);
    hem_vec3 arm = hem_vec3_make((float)(start[0] - from[0]), (float)(start[1] - from[1]), (float)(start[2] - from[2]));
    arm = hem_quat_rotate(carry, arm);
    start[0] = input->carry_to[0] + (double)arm.x;
    start[1] = input->carry_to[1] + (double)arm.y;
    start[2] = input->carry_to[2] + (double)arm.z;
    *turned = hem_quat_normalise(hem_quat_mul(carry, *turned));
}

void hemi_frame_carry(const hemi_input* input, hemi_state* s) {
    hem_quat turned = hemi_quat_of(s->root.rotation);
    carried(input, s, s->root.position, &turned);
    memcpy(s->root.rotation, &turned, sizeof(s->root.rotation));
}

// A game may start, stop or turn a character within a frame, with an acceleration that no body has and no cloth would
// outlive: the part of a skirt before the legs would be torn through them. So what the particles feel is a velocity that
// follows the root's with bounded acceleration. Once the root moves steadily both are the same.
hemi_frame_path hemi_frame_follow(const hemi_input* input, hemi_state* s, float seconds, float dt) {
    HEM_ASSERT(seconds > 0.0f && dt > 0.0f);
    hemi_frame_path path;
    path.from = hemi_quat_of(s->root.rotation);
    path.to = hemi_quat_of(input->root.rotation);
    double start[3] = {s->root.position[0], s->root.position[1], s->root.position[2]};
    carried(input, s, start, &path.from);
    hem_vec3 velocity = hemi_vec3_of(s->felt_velocity), spin = hemi_vec3_of(s->felt_spin);
    if (!s->jumped) { // else it goes on as it did before
        hem_vec3 way =
            hem_vec3_make((float)(input->root.position[0] - start[0]), (float)(input->root.position[1] - start[1]),
                          (float)(input->root.position[2] - start[2]));
        hem_quat turn = hem_quat_normalise(hem_quat_mul(hem_quat_conj(path.from), path.to));
        spin = follow(spin, hem_vec3_scale(hem_quat_to_rotation(turn), 1.0f / seconds), input->felt_turning * seconds);
        // What is felt of the turn leaves the velocity where it is in the world.
        velocity = hem_quat_rotate_back(hem_quat_from_rotation(hem_vec3_scale(spin, seconds)), velocity);
        velocity = follow(velocity, hem_vec3_scale(hem_quat_rotate_back(path.to, way), 1.0f / seconds),
                          input->felt_acceleration * seconds);
    }
    memcpy(s->felt_velocity, &velocity, sizeof(s->felt_velocity));
    memcpy(s->felt_spin, &spin, sizeof(s->felt_spin));
    path.way = hem_vec3_scale(hem_quat_rotate(path.to, velocity), dt);
    path.turn = hem_vec3_scale(spin, dt);
    return path;
}

hemi_mat34 hemi_frame_motion(const hemi_frame_path* path, hem_quat q1, float s0, float s1, float linear,
                             float angular) {
    HEM_ASSERT(0.0f <= s0 && s0 < s1 && s1 <= 1.0f);
    if (hem_vec3_dot(path->way, path->way) + hem_vec3_dot(path->turn, path->turn) == 0.0f) {
        return (hemi_mat34){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}; // most of a crowd stands
    }
    hem_quat turn = hem_quat_from_rotation(hem_vec3_scale(path->turn, (s0 - s1) * angular));
    hem_vec3 shift = hem_quat_rotate_back(q1, hem_vec3_scale(path->way, (s0 - s1) * linear));
    hem_mat34 m = hem_mat34_from_quat(turn, shift);
    hemi_mat34 out;
    memcpy(out.m, m.m, sizeof(out.m));
    return out;
}
