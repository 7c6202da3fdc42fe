// SPDX-License-Identifier: MIT
#include "samples/human.h"

#include <math.h>

// How a person moves. A human_pose speaks in an animator's terms (where a foot stands, how far an arm swings); human_pose_write()
// turns it into joints. A foot is placed by the ground under its ball, never by the ankle: raising the heel pivots about the ball,
// raising the toes about the heel, and so whatever touches the ground stays where it was put. Legs are solved exactly; a
// target beyond reach is a mistake in the clip that the tests would show.

static double radians(double degrees) {
    return degrees * KIT_PI / 180.0;
}

human_pose human_stand(const human* h) {
    const double s = h->scale;
    human_pose p = {.root_rotation = kit_identity(),
                    .hips = kit_v(0, -0.012 * s, 0),
                    .hips_rotation = kit_identity(),
                    .spine = kit_euler(1.5, 0, 0),
                    .chest = kit_euler(-2.5, 0, 0),
                    .neck = kit_euler(2, 0, 0),
                    .head = kit_euler(-1, 0, 0)};
    for (int32_t side = 0; side < 2; side++) {
        const kit_vec ball = h->joints[human_bone(HUMAN_TOES, side)];
        p.foot[side] = kit_v(ball.x * 1.12, 0, ball.z);
        p.foot_yaw[side] = 6;
        p.arm_spread[side] = h->arms_out;
        p.arm_swing[side] = 2;
        p.elbow[side] = 14;
        p.wrist[side] = 6;
        p.fingers[side] = 18;
    }
    return p;
}

// -- Joints

// The rotation that takes the rest frame (bone direction, forward) to the wanted one.
static kit_quat aim(kit_vec rest, kit_vec rest_out, kit_vec want, kit_vec want_side) {
    const kit_vec y0 = kit_unit(rest), x0 = kit_unit(kit_cross(rest_out, y0));
    const kit_vec y1 = kit_unit(want), x1 = kit_unit(kit_mad(want_side, y1, -kit_dot(want_side, y1)));
    const kit_frame from = {x0, y0, kit_cross(x0, y0), {0, 0, 0}};
    const kit_frame to = {x1, y1, kit_cross(x1, y1), {0, 0, 0}};
    return kit_qmul(kit_quat_of_frame(to), kit_qinv(kit_quat_of_frame(from)));
}

static void write_leg(const human* h, const human_pose* p, kit_joint* joints, int32_t side) {
    const kit_vec* j = h->joints;
    const double m = side == 0 ? 1.0 : -1.0;
    const int32_t thigh = human_bone(HUMAN_THIGH, side), shin = human_bone(HUMAN_SHIN, side),
                  foot = human_bone(HUMAN_FOOT, side), toes = human_bone(HUMAN_TOES, side);
    // Everything in the root's frame.
    const kit_vec hips = kit_add(j[HUMAN_HIPS], p->hips);
    const kit_vec hip = kit_add(hips, kit_rotate(p->hips_rotation, kit_sub(j[thigh], j[HUMAN_HIPS])));
    const kit_quat yaw = kit_euler(0, m * p->foot_yaw[side], 0);
    const double pitch = p->foot_heel[side] - p->foot_toe[side];
    const kit_quat foot_world = kit_qmul(yaw, kit_euler(pitch, 0, 0));
    kit_vec ankle;
    if (pitch >= 0) {
        const kit_vec ball = kit_add(p->foot[side], kit_v(0, j[toes].y, 0));
        ankle = kit_add(ball, kit_rotate(foot_world, kit_sub(j[foot], j[toes])));
    } else {
        const kit_vec heel_rest = kit_v(j[foot].x, 0, -0.062 * h->scale);
        const kit_vec ball_rest = kit_v(j[toes].x, 0, j[toes].z);
        const kit_vec heel = kit_add(p->foot[side], kit_rotate(yaw, kit_sub(heel_rest, ball_rest)));
        ankle = kit_add(heel, kit_rotate(foot_world, kit_sub(j[foot], heel_rest)));
    }
    const kit_vec upper = kit_sub(j[shin], j[thigh]), lower = kit_sub(j[foot], j[shin]);
    const double a = kit_length(upper), b = kit_length(lower);
    const kit_vec line = kit_sub(ankle, hip);
    const double distance = kit_clamp(kit_length(line), fabs(a - b) * 1.01, (a + b) * 0.99999);
    const kit_vec along = kit_unit(line);
    // The knee points between where the hips and where the toes look.
    const kit_vec look = kit_add(kit_rotate(p->hips_rotation, kit_v(0, 0, 1)), kit_rotate(yaw, kit_v(0, 0, 1)));
    kit_vec pole = kit_rotate(kit_euler(0, m * p->knee_out[side], 0), look);
    // A thigh that is drawn up turns the pole upward with it.
    pole = kit_unit(kit_mad(pole, along, -kit_dot(pole, along)));
    const kit_vec side_axis = kit_unit(kit_cross(pole, along));
    const double forward = (a * a - b * b + distance * distance) / (2.0 * distance);
    const double height = a * a - forward * forward;
    const kit_vec knee = kit_mad(kit_mul(along, forward), pole, height > 0 ? sqrt(height) : 0);
    const kit_vec end = kit_mul(along, distance);
    kit_quat thigh_world = aim(upper, kit_v(0, 0, 1), knee, side_axis);
    kit_quat shin_world = aim(lower, kit_v(0, 0, 1), kit_sub(end, knee), side_axis);
    kit_quat foot_rotation = foot_world;
    kit_quat toes_world = kit_qmul(yaw, kit_euler((pitch < 0 ? pitch : 0) - p->toes[side], 0, 0));

    kit_quat thigh_local = kit_qmul(kit_qinv(p->hips_rotation), thigh_world);
    kit_quat shin_local = kit_qmul(kit_qinv(thigh_world), shin_world);
    kit_quat foot_local = kit_qmul(kit_qinv(shin_world), foot_rotation);
    kit_quat toes_local = kit_qmul(kit_qinv(foot_rotation), toes_world);
    const double free = p->leg_free[side];
    if (free > 0) {
        const kit_quat thigh_free =
            kit_qmul(kit_qmul(kit_euler(0, m * p->knee_out[side], 0), kit_euler(-p->thigh_flex[side], 0, 0)),
                     kit_euler(0, 0, m * 0.2 * p->knee_out[side]));
        thigh_local = kit_slerp(thigh_local, thigh_free, free);
        shin_local = kit_slerp(shin_local, kit_euler(p->shin_flex[side], 0, 0), free);
        foot_local = kit_slerp(foot_local, kit_euler(p->ankle_flex[side], 0, 0), free);
        toes_local = kit_slerp(toes_local, kit_euler(-p->toes[side], 0, 0), free);
    }
    joints[thigh].rotation = kit_qunit(thigh_local);
    joints[shin].rotation = kit_qunit(shin_local);
    joints[foot].rotation = kit_qunit(foot_local);
    joints[toes].rotation = kit_qunit(toes_local);
}

static void write_arm(const human* h, const human_pose* p, kit_joint* joints, int32_t side) {
    const kit_vec* j = h->joints;
    const double m = side == 0 ? 1.0 : -1.0;
    const int32_t clavicle = human_bone(HUMAN_CLAVICLE, side), upper = human_bone(HUMAN_UPPER_ARM, side),
                  fore = human_bone(HUMAN_FOREARM, side), hand = human_bone(HUMAN_HAND, side),
                  fingers = human_bone(HUMAN_FINGERS, side), thumb = human_bone(HUMAN_THUMB, side);
    const kit_vec along = kit_unit(kit_sub(j[fore], j[upper]));
    // How far the arm hangs out in the bind pose, and the elbow's hinge there.
    const double out = kit_atan2(fabs(along.x), -along.y) * 180.0 / KIT_PI;
    const kit_vec hinge = kit_rotate(kit_euler(0, 0, m * out), kit_v(1, 0, 0));
    // The girdle lifts with a raised arm, as shoulder blades do.
    const double raised = kit_clamp((p->arm_spread[side] - 40.0) * 0.25, 0.0, 22.0) +
                          kit_clamp((p->arm_swing[side] - 60.0) * 0.16, 0.0, 18.0);
    joints[clavicle].rotation = kit_qmul(kit_euler(0, -m * p->clavicle_forward[side], 0),
                                         kit_euler(0, 0, m * (p->clavicle_raise[side] + raised)));
    kit_quat q =
        kit_qmul(kit_euler(-p->arm_swing[side], 0, 0), kit_euler(0, 0, m * (p->arm_spread[side] - out - raised)));
    q = kit_qmul(q, kit_turn(along, m * radians(p->arm_twist[side])));
    joints[upper].rotation = kit_qunit(q);
    joints[fore].rotation = kit_turn(hinge, -radians(p->elbow[side]));
    joints[hand].rotation = kit_euler(0, 0, -m * p->wrist[side]);
    joints[fingers].rotation = kit_euler(0, 0, -m * p->fingers[side]);
    joints[thumb].rotation = kit_euler(0, 0, -m * 0.35 * p->fingers[side]);
}

void human_pose_write(const human* h, const human_pose* pose, kit_joint* joints) {
    kit_pose_rest(h->model, joints);
    joints[HUMAN_ROOT].position = pose->root;
    joints[HUMAN_ROOT].rotation = pose->root_rotation;
    joints[HUMAN_HIPS].position = kit_add(h->joints[HUMAN_HIPS], pose->hips);
    joints[HUMAN_HIPS].rotation = pose->hips_rotation;
    joints[HUMAN_SPINE].rotation = pose->spine;
    joints[HUMAN_CHEST].rotation = pose->chest;
    joints[HUMAN_NECK].rotation = pose->neck;
    joints[HUMAN_HEAD].rotation = pose->head;
    for (int32_t side = 0; side < 2; side++) {
        write_leg(h, pose, joints, side);
        write_arm(h, pose, joints, side);
    }
}

// -- Gaits

human_gait human_walk(const human* h) {
    const double s = h->scale;
    return (human_gait){.seconds = 34.0 / KIT_FRAMES_PER_SECOND,
                        .speed = 1.10 * s,
                        .stance = 20.0 / 34.0,
                        .reach = 0.42 * s,
                        .lift = 0.055 * s,
                        .lean = 2.0,
                        .bounce = 0.012 * s,
                        .sink = 0.032 * s,
                        .sway = 0.022 * s,
                        .roll = 4.0,
                        .twist = 7.0,
                        .width = 0.055 * s,
                        .arms = 24.0,
                        .elbows = 16.0,
                        .spread = 12.0,
                        .heel_strike = 20.0,
                        .push_off = 48.0,
                        .kick = 12.0};
}

human_gait human_run(const human* h) {
    const double s = h->scale;
    return (human_gait){.seconds = 22.0 / KIT_FRAMES_PER_SECOND,
                        .speed = 2.70 * s,
                        .stance = 8.0 / 22.0,
                        .reach = 0.36 * s,
                        .lift = 0.24 * s,
                        .lean = 9.0,
                        .bounce = -0.032 * s,
                        .sink = 0.062 * s,
                        .sway = 0.012 * s,
                        .roll = 4.0,
                        .twist = 11.0,
                        .width = 0.040 * s,
                        .arms = 48.0,
                        .elbows = 82.0,
                        .spread = 17.0,
                        .heel_strike = 8.0,
                        .push_off = 56.0,
                        .kick = 52.0};
}

static double wrap(double x) {
    return x - floor(x);
}

static void step_foot(const human_gait* g, human_pose* p, int32_t side, double phase) {
    const double f = wrap(phase + 0.5 * side);
    const double length = g->speed * g->seconds * g->stance;
    const double m = side == 0 ? 1.0 : -1.0;
    kit_vec at = kit_v(m * g->width, 0, 0);
    double pitch;
    p->toes[side] = 0;
    if (f <= g->stance) {
        const double t = f / g->stance;
        at.z = g->reach - length * t;
        pitch = -g->heel_strike * kit_smooth(0.22, 0.0, t) + g->push_off * kit_smooth(0.52, 1.06, t);
    } else {
        // Leaves and lands at the ground's own speed: a Hermite piece between the two ends of the stance.
        const double u = (f - g->stance) / (1.0 - g->stance);
        const double tangent = -g->speed * g->seconds * (1.0 - g->stance);
        const double u2 = u * u, u3 = u2 * u;
        at.z = (g->reach - length) * (2 * u3 - 3 * u2 + 1) + g->reach * (3 * u2 - 2 * u3) +
               tangent * (2 * u3 - 3 * u2 + u);
        const double hump = 16.0 * u2 * (1 - u) * (1 - u);
        at.y = g->lift * hump;
        const double start = g->push_off * kit_smooth(0.52, 1.06, 1.0);
        pitch = kit_mix(start, -g->heel_strike, kit_smooth(0.05, 1.0, u)) + g->kick * hump * (1.0 - u) * 1.6;
        // In the air the toes fall in line with the foot.
        p->toes[side] = -(pitch > 0 ? pitch : 0) * kit_smooth(0.0, 0.35, u);
    }
    p->foot[side] = at;
    p->foot_heel[side] = pitch > 0 ? pitch : 0;
    p->foot_toe[side] = pitch < 0 ? -pitch : 0;
    p->foot_yaw[side] = 4;
}

human_pose human_gait_pose(const human* h, const human_gait* g, double phase) {
    human_pose p = human_stand(h);
    const double turn = 2.0 * KIT_PI;
    const double middle = 0.5 * g->stance; // of the left foot's stance
    const double side = kit_cos(turn * (phase - middle)), stride = kit_cos(turn * phase);
    const double bob = kit_cos(2.0 * turn * (phase - middle));
    p.hips =
        kit_v(g->sway * side, -g->sink + g->bounce * bob, 0.004 * h->scale * kit_sin(2.0 * turn * (phase - middle)));
    p.hips_rotation = kit_qmul(kit_euler(0, -g->twist * stride, 0),
                               kit_qmul(kit_euler(0.35 * g->lean, 0, 0), kit_euler(0, 0, g->roll * side)));
    // The spine takes the pelvis' roll and twist back, the chest turns against it.
    p.spine = kit_qmul(kit_euler(0, 0.9 * g->twist * stride, 0),
                       kit_qmul(kit_euler(0.35 * g->lean, 0, 0), kit_euler(0, 0, -0.7 * g->roll * side)));
    p.chest =
        kit_qmul(kit_euler(0, 0.9 * g->twist * stride, 0),
                 kit_qmul(kit_euler(0.3 * g->lean - 1.5 + 0.8 * bob, 0, 0), kit_euler(0, 0, -0.5 * g->roll * side)));
    p.neck = kit_qmul(kit_euler(0, -0.4 * g->twist * stride, 0), kit_euler(-0.4 * g->lean + 2.0, 0, 0));
    p.head = kit_qmul(kit_euler(0, -0.4 * g->twist * stride, 0),
                      kit_qmul(kit_euler(-0.4 * g->lean - 0.6 * bob, 0, 0), kit_euler(0, 0, 0.2 * g->roll * side)));
    for (int32_t i = 0; i < 2; i++) {
        const double m = i == 0 ? 1.0 : -1.0;
        // A little behind the legs: arms hang from the shoulders and follow.
        const double swing = -m * kit_cos(turn * (phase - 0.03));
        p.arm_swing[i] = g->arms * (swing + 0.08);
        p.arm_spread[i] = (g->spread > h->arms_out ? g->spread : h->arms_out) - 2.0 * swing;
        p.arm_twist[i] = 6.0 * swing;
        p.elbow[i] = g->elbows + (g->elbows > 45 ? 10.0 : 14.0) * (swing * 0.5 + 0.5);
        p.fingers[i] = g->elbows > 45 ? 46.0 : 20.0;
        p.clavicle_forward[i] = 3.0 * swing;
        step_foot(g, &p, i, phase);
    }
    return p;
}

void human_gait_clip(const human* h, const char* name, const human_gait* gait) {
    kit_clip* clip = kit_clip_add(h->model, name, gait->seconds, true);
    for (int32_t i = 0; i < clip->frame_count; i++) {
        const human_pose p = human_gait_pose(h, gait, kit_clip_phase(clip, i));
        human_pose_write(h, &p, kit_clip_pose(clip, i));
    }
    kit_clip_finish(clip);
}
