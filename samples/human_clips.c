// SPDX-License-Identifier: MIT
#include "samples/human.h"

#include <math.h>

// Clips that belong to no costume. Curves are written for the 1.68 m woman and scaled; heights in flight are ballistic and are not.

void human_idle_clip(const human* h, double seconds) {
    kit_clip* clip = kit_clip_add(h->model, "idle", seconds, true);
    for (int32_t i = 0; i < clip->frame_count; i++) {
        const double a = 2.0 * KIT_PI * kit_clip_phase(clip, i);
        human_pose p = human_stand(h);
        const double shift = kit_sin(a), breath = kit_sin(2.0 * a + 0.4);
        p.hips = kit_mul(kit_v(0.022 * shift, -0.016 - 0.004 * shift * shift, 0.004 * kit_sin(2.0 * a)), h->scale);
        p.hips_rotation = kit_qmul(kit_euler(0, 0, 2.2 * shift), kit_euler(0, 2.0 * kit_sin(a + 0.8), 0));
        p.spine = kit_qmul(kit_euler(0, 0, -1.8 * shift), kit_euler(1.5 - 0.5 * breath, 0, 0));
        p.chest = kit_qmul(kit_euler(0, 0, -0.8 * shift), kit_euler(-2.5 - 1.1 * breath, 0, 0));
        p.neck = kit_qmul(kit_euler(0, 5.0 * kit_sin(a - 0.6), 0), kit_euler(2.0 + 0.6 * breath, 0, 0));
        p.head = kit_qmul(kit_euler(0, 7.0 * kit_sin(a - 0.6), 0), kit_euler(0, 0, 1.5 * shift));
        for (int32_t k = 0; k < 2; k++) {
            p.clavicle_raise[k] = 0.8 * breath;
            p.arm_spread[k] += 0.8 * breath;
            p.arm_swing[k] = 2 + 1.5 * kit_sin(a + k);
        }
        human_pose_write(h, &p, kit_clip_pose(clip, i));
    }
    kit_clip_finish(clip);
}

// Half a turn on the spot, and back. The body leads, the feet follow in four quick steps.
void human_turn_clip(const human* h) {
    kit_clip* clip = kit_clip_add(h->model, "turn", 2.8, true);
    static const kit_key body[] = {{0.00, 0}, {0.20, 0}, {0.68, 180}, {1.45, 180}, {1.93, 0}, {2.8, 0}};
    static const kit_key feet[2][7] = {
        {{0.0, 0}, {0.24, 0}, {0.42, 105}, {0.58, 105}, {0.74, 180}, {1.45, 180}, {2.8, 0}},
        {{0.0, 0}, {0.36, 0}, {0.58, 180}, {1.45, 180}, {2.8, 0}, {2.9, 0}, {3.0, 0}},
    };
    static const kit_key back[2][6] = {
        {{0.0, 180}, {1.61, 180}, {1.83, 0}, {2.8, 0}, {2.9, 0}, {3.0, 0}},
        {{0.0, 180}, {1.49, 180}, {1.67, 75}, {1.83, 75}, {1.99, 0}, {2.8, 0}},
    };
    const human_pose stand = human_stand(h);
    for (int32_t i = 0; i < clip->frame_count; i++) {
        const double t = kit_clip_seconds(clip, i);
        const double yaw = kit_keys(body, 6, 0, t);
        const double speed = (kit_keys(body, 6, 0, t + 0.02) - kit_keys(body, 6, 0, t - 0.02)) / 0.04;
        human_pose p = stand;
        const double lead = kit_clamp(speed / 560.0, -1.0, 1.0), busy = fabs(lead);
        p.root_rotation = kit_euler(0, yaw, 0);
        p.hips = kit_v(0, (-0.014 - 0.035 * busy) * h->scale, 0);
        p.hips_rotation = kit_euler(0, 4.0 * lead, 0);
        p.spine = kit_qmul(kit_euler(0, 7.0 * lead, 0), kit_euler(1.5 + 3.0 * busy, 0, 0));
        p.chest = kit_qmul(kit_euler(0, 8.0 * lead, 0), kit_euler(0, 0, -4.0 * lead));
        p.head = kit_euler(0, 14.0 * lead, 0);
        for (int32_t k = 0; k < 2; k++) {
            const double m = k == 0 ? 1.0 : -1.0;
            p.arm_spread[k] += 24 * busy;
            p.arm_swing[k] = 2 - 14 * m * lead;
            p.elbow[k] = 14 + 22 * busy;
            const double foot_yaw = t < 1.4 ? kit_keys(feet[k], 7, 0, t) : kit_keys(back[k], 6, 0, t);
            const double next = t < 1.4 ? kit_keys(feet[k], 7, 0, t + 0.01) : kit_keys(back[k], 6, 0, t + 0.01);
            const double before = t < 1.4 ? kit_keys(feet[k], 7, 0, t - 0.01) : kit_keys(back[k], 6, 0, t - 0.01);
            const double stepping = kit_clamp(fabs(next - before) / 0.02 / 500.0, 0.0, 1.0);
            const double behind = foot_yaw - yaw;
            p.foot[k] = kit_rotate(kit_euler(0, behind, 0), stand.foot[k]);
            p.foot[k].y = 0.05 * h->scale * stepping;
            p.foot_yaw[k] = stand.foot_yaw[k] + m * behind;
            p.foot_heel[k] = 16.0 * stepping;
        }
        human_pose_write(h, &p, kit_clip_pose(clip, i));
    }
    kit_clip_finish(clip);
}

void human_jump_clip(const human* h) {
    kit_clip* clip = kit_clip_add(h->model, "jump", 2.2, true);
    // Hips above their standing place while a foot is on the ground; between, a ballistic arc.
    const double off = 0.62, on = 1.14, gravity = 9.81;
    static const kit_key crouch[] = {{0.0, -0.012}, {0.10, -0.012}, {0.42, -0.27},  {0.62, 0.040}, {1.14, 0.020},
                                     {1.32, -0.24}, {1.52, -0.17},  {1.95, -0.012}, {2.2, -0.012}};
    static const kit_key lean[] = {{0.0, 0},   {0.10, 0},  {0.42, 34}, {0.66, -4}, {0.90, 4},
                                   {1.14, 10}, {1.32, 32}, {1.55, 20}, {1.95, 0},  {2.2, 0}};
    static const kit_key heel[] = {{0.0, 0},   {0.46, 0},  {0.62, 50}, {0.85, 58},
                                   {1.08, 30}, {1.14, 22}, {1.24, 0},  {2.2, 0}};
    static const kit_key swing[] = {{0.0, 2},   {0.12, 2},   {0.42, -48}, {0.66, 105}, {0.95, 70},
                                    {1.16, 40}, {1.34, -22}, {1.6, 14},   {1.95, 2},   {2.2, 2}};
    static const kit_key elbow[] = {{0.0, 14}, {0.42, 28}, {0.64, 22}, {0.95, 40}, {1.34, 46}, {1.95, 14}, {2.2, 14}};
    static const kit_key spread[] = {{0.0, 0}, {0.42, 5}, {0.7, 11}, {1.1, 33}, {1.34, 17}, {1.95, 0}, {2.2, 0}};
    for (int32_t i = 0; i < clip->frame_count; i++) {
        const double t = kit_clip_seconds(clip, i);
        human_pose p = human_stand(h);
        const double air = t > off && t < on ? 0.5 * gravity * (t - off) * (on - t) : 0.0;
        const double in_air = t > off && t < on ? kit_sin(KIT_PI * (t - off) / (on - off)) : 0.0;
        const double bend = kit_keys(lean, 10, 0, t);
        p.hips = kit_v(0, kit_keys(crouch, 9, 0, t) * h->scale + air, -0.0022 * h->scale * bend);
        p.hips_rotation = kit_euler(0.55 * bend, 0, 0);
        p.spine = kit_euler(0.35 * bend, 0, 0);
        p.chest = kit_euler(0.2 * bend, 0, 0);
        p.neck = kit_euler(-0.4 * bend, 0, 0);
        p.head = kit_euler(-0.45 * bend, 0, 0);
        for (int32_t k = 0; k < 2; k++) {
            p.arm_swing[k] = kit_keys(swing, 10, 0, t);
            p.elbow[k] = kit_keys(elbow, 7, 0, t);
            p.arm_spread[k] += kit_keys(spread, 7, 0, t);
            p.fingers[k] = 30;
            p.foot[k].y = air + 0.07 * in_air;
            p.foot[k].z += (k == 0 ? 0.03 : -0.05) * in_air;
            p.foot_heel[k] = kit_keys(heel, 8, 0, t);
            p.toes[k] = -p.foot_heel[k] * kit_smooth(0.0, 0.5, in_air);
            p.knee_out[k] = 6;
        }
        human_pose_write(h, &p, kit_clip_pose(clip, i));
    }
    kit_clip_finish(clip);
}
