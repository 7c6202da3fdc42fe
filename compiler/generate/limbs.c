// SPDX-License-Identifier: MIT
#include "compiler/generate/generate.h"

#include <math.h>
#include <string.h>

// Arms, legs, heads and tails by the skeleton alone, and where they can go.
//
// A limb is a bone with all below it that carries at most LIMB_SHARE of the character's surface while its parent carries
// more: an arm from the collar bone, a leg from the hip, a head from the neck. What is left is the trunk. Names are not
// asked. A subtree that carries nothing of the body (the bones of a cape, of a weapon's chain) is none.
//
// In the test poses every limb points in turn to each of a few sides, as far as a joint goes. They stand for the clips that a
// character gets some day: which of them lie in the file today does not change its body.

#define LIMB_SHARE 0.3
#define LEAST_SHARE 1e-3 // of the surface: a helper bone
#define TURN_LIMIT 1.75  // radians: an arm or a leg, 100 degrees
#define NOD_LIMIT 0.79   // what points up, 45 degrees
#define OPPOSITE 2.6     // beyond this there is no nearest way round

void hemc_find_limbs(hemc_arena* arena, const hemc_model* model, const int32_t* owner, hemc_limbs* limbs) {
    const uint32_t bones = model->bone_count;
    double* carried = hemc_alloc(arena, bones, sizeof(double)); // with all below
    double* body = hemc_alloc(arena, bones, sizeof(double));    // the same, without the parts
    hemc_d3* middle = hemc_alloc(arena, bones, sizeof(hemc_d3));
    double total = 0;
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        const uint32_t* c = model->triangles + 3 * (size_t)t;
        const hemc_d3 p[3] = {d3_from(model->positions[c[0]]), d3_from(model->positions[c[1]]),
                              d3_from(model->positions[c[2]])};
        const double third = d3_length(d3_cross(d3_sub(p[1], p[0]), d3_sub(p[2], p[0]))) / 6.0;
        total += 3.0 * third;
        for (int k = 0; k < 12; ++k) {
            const double share = third * (double)model->bone_weights[c[k / 4]][k % 4];
            int32_t b = share > 0 ? model->bones[c[k / 4]][k % 4] : HEM_NONE;
            for (; b != HEM_NONE; b = model->bone_defs[b].parent) {
                carried[b] += share;
                if (owner[t] == HEM_NONE) {
                    body[b] += share;
                    middle[b] = d3_madd(middle[b], p[k / 4], share);
                }
            }
        }
    }
    limbs->of_bone = hemc_alloc(arena, bones, sizeof(int32_t));
    limbs->items = hemc_alloc(arena, bones, sizeof(hemc_limb));
    limbs->count = 0;
    for (uint32_t b = 0; b < bones; ++b) { // parents come first
        const int32_t parent = model->bone_defs[b].parent;
        const bool small = carried[b] <= LIMB_SHARE * total && body[b] > LEAST_SHARE * total;
        limbs->of_bone[b] = parent != HEM_NONE ? limbs->of_bone[parent] : HEM_NONE;
        if (limbs->of_bone[b] == HEM_NONE && parent != HEM_NONE && small) {
            const float* m = model->bone_defs[b].bind;
            hemc_limb* limb = &limbs->items[limbs->count];
            limb->bone = b;
            limb->joint = d3(m[3], m[7], m[11]);
            limb->direction = d3_unit(d3_sub(d3_scale(middle[b], 1.0 / body[b]), limb->joint), d3(0, 0, 0));
            limbs->of_bone[b] = (int32_t)limbs->count++;
        }
    }
}

// Turns about the joint, so that the limb points to `to` or as far that way as it goes.
static void turn_limb(const hemc_limb* limb, hemc_d3 to, float out[12]) {
    const hemc_d3 u = limb->direction;
    const double angle = acos(fmin(fmax(d3_dot(u, to), -1), 1)), limit = u.y > 0.7 ? NOD_LIMIT : TURN_LIMIT;
    const hemc_d3 axis = d3_unit(d3_cross(u, to), d3(0, 0, 0));
    const double a = angle > OPPOSITE ? 0 : fmin(angle, limit), c = cos(a), s = sin(a);
    const double k[3] = {axis.x, axis.y, axis.z}, j[3] = {limb->joint.x, limb->joint.y, limb->joint.z};
    for (int row = 0; row < 3; ++row) {
        const int next = (row + 1) % 3, last = (row + 2) % 3;
        double m[3]; // Rodrigues: c + (1 - c) k k^T + s [k]x
        m[row] = c + (1 - c) * k[row] * k[row];
        m[next] = (1 - c) * k[row] * k[next] - s * k[last];
        m[last] = (1 - c) * k[row] * k[last] + s * k[next];
        for (int i = 0; i < 3; ++i) {
            out[4 * row + i] = (float)m[i];
        }
        out[4 * row + 3] = (float)(j[row] - (m[0] * j[0] + m[1] * j[1] + m[2] * j[2]));
    }
}

void hemc_test_pose(const hemc_model* model, const hemc_limbs* limbs, uint32_t number, float (*frame)[12]) {
    static const double sides[HEMC_TEST_POSES][3] = {
        {0, -1, 0}, {0, 0, 1},           {0, 0, -1},         {1, 0, 0},         {-1, 0, 0},
        {0, 1, 0},  {0, -0.707, -0.707}, {0, -0.707, 0.707}, {0.707, 0, 0.707}, {-0.707, 0, 0.707}};
    const hemc_d3 to = d3(sides[number][0], sides[number][1], sides[number][2]);
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        memset(frame[b], 0, sizeof(frame[b]));
        frame[b][0] = frame[b][5] = frame[b][10] = 1;
        if (limbs->of_bone[b] != HEM_NONE) {
            turn_limb(&limbs->items[limbs->of_bone[b]], to, frame[b]);
        }
    }
}
