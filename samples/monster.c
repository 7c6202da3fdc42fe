// SPDX-License-Identifier: MIT
#include "samples/kit_samples.h"

#include <math.h>

// A fat, horned creature on stubby legs, soft all over: one skin around blended blobs, with eyes, horns, claws and
// tusks set into it. Three clips: it idles, waddles on the spot (feet planted by inverse kinematics), and leaps along
// a path that no body could fly: up, a pause in the air, then sideways. The leap shows what momentum-conserving
// animation does that a direct one cannot.

enum { TRUNK, HEAD, TAIL, ARM_L, ARM_R, LEG_L, LEG_R, LABEL_COUNT };

typedef struct monster_bones {
    int32_t root, hips, spine, chest, neck, head, jaw;
    int32_t upper_arm[2], forearm[2], hand[2];
    int32_t thigh[2], shin[2], foot[2];
    int32_t tail[4];
} monster_bones;

static const kit_vec shoulder = {0.33, 1.04, 0.00}, elbow = {0.56, 0.82, 0.04}, wrist = {0.66, 0.58, 0.14};
static const kit_vec hip = {0.22, 0.46, 0.00}, knee = {0.27, 0.27, 0.06}, ankle = {0.28, 0.10, 0.00};
static const kit_vec tail_points[5] = {
    {0.0, 0.50, -0.34}, {0.0, 0.38, -0.54}, {0.0, 0.32, -0.74}, {0.0, 0.37, -0.92}, {0.0, 0.50, -1.02}};

static kit_vec side_of(kit_vec p, int32_t side) {
    return side == 0 ? p : kit_mirror(p);
}

static monster_bones monster_skeleton(kit_model* model) {
    static const char* const names[2][6] = {{"upper_arm.L", "forearm.L", "hand.L", "thigh.L", "shin.L", "foot.L"},
                                            {"upper_arm.R", "forearm.R", "hand.R", "thigh.R", "shin.R", "foot.R"}};
    static const char* const tails[4] = {"tail.1", "tail.2", "tail.3", "tail.4"};
    monster_bones b;
    b.root = kit_bone(model, "root", KIT_NONE, kit_v(0.0, 0.0, 0.0));
    b.hips = kit_bone_to(model, "hips", b.root, kit_v(0.0, 0.50, 0.0), kit_v(0.0, 0.68, 0.0));
    b.spine = kit_bone_to(model, "spine", b.hips, kit_v(0.0, 0.68, 0.0), kit_v(0.0, 0.92, 0.0));
    b.chest = kit_bone_to(model, "chest", b.spine, kit_v(0.0, 0.92, 0.0), kit_v(0.0, 1.16, 0.02));
    b.neck = kit_bone_to(model, "neck", b.chest, kit_v(0.0, 1.16, 0.02), kit_v(0.0, 1.28, 0.06));
    b.head = kit_bone_to(model, "head", b.neck, kit_v(0.0, 1.28, 0.06), kit_v(0.0, 1.56, 0.10));
    b.jaw = kit_bone_to(model, "jaw", b.head, kit_v(0.0, 1.27, 0.12), kit_v(0.0, 1.19, 0.34));
    for (int32_t s = 0; s < 2; ++s) {
        b.upper_arm[s] = kit_bone_to(model, names[s][0], b.chest, side_of(shoulder, s), side_of(elbow, s));
        b.forearm[s] = kit_bone_to(model, names[s][1], b.upper_arm[s], side_of(elbow, s), side_of(wrist, s));
        b.hand[s] =
            kit_bone_to(model, names[s][2], b.forearm[s], side_of(wrist, s), side_of(kit_v(0.69, 0.46, 0.22), s));
        b.thigh[s] = kit_bone_to(model, names[s][3], b.hips, side_of(hip, s), side_of(knee, s));
        b.shin[s] = kit_bone_to(model, names[s][4], b.thigh[s], side_of(knee, s), side_of(ankle, s));
        b.foot[s] = kit_bone_to(model, names[s][5], b.shin[s], side_of(ankle, s), side_of(kit_v(0.33, 0.05, 0.29), s));
    }
    for (int32_t i = 0; i < 4; ++i) {
        b.tail[i] = kit_bone_to(model, tails[i], i == 0 ? b.hips : b.tail[i - 1], tail_points[i], tail_points[i + 1]);
    }
    kit_bones_orient(model);
    return b;
}

// -- Skin

static void monster_trunk(kit_model* model, kit_shape* s) {
    kit_ball(model, s, TRUNK, kit_v(0.0, 0.70, -0.02), kit_v(0.50, 0.44, 0.44), 0.0);
    kit_ball(model, s, TRUNK, kit_v(0.0, 0.62, 0.18), kit_v(0.41, 0.35, 0.36), 0.16);  // belly
    kit_ball(model, s, TRUNK, kit_v(0.0, 1.02, -0.02), kit_v(0.36, 0.26, 0.29), 0.22); // chest and hump
    int32_t first = s->blob_count;
    kit_ball(model, s, TRUNK, kit_v(0.15, 0.98, 0.20), kit_v(0.15, 0.13, 0.10), 0.12); // breast
    kit_shape_mirror(model, s, first, 0);
    kit_ball(model, s, TRUNK, kit_v(0.0, 0.58, 0.55), kit_v(0.03, 0.03, 0.03), 0.035)->carve = true; // navel
    for (int32_t i = 0; i < 6; ++i) { // knobs down the spine
        double t = i / 5.0, y = kit_mix(1.22, 0.62, t);
        double z =
            -0.02 - 0.44 * sqrt(1.0 - (y - 0.74) * (y - 0.74) / 0.36) * kit_mix(0.72, 1.0, kit_smooth(0.0, 0.5, t));
        double r = 0.045 + 0.02 * kit_bump(0.45, 0.6, t);
        kit_ball(model, s, TRUNK, kit_v(0.0, y, z), kit_v(r * 0.8, r * 1.1, r), 0.05);
    }
    kit_vec from = tail_points[0];
    for (int32_t i = 1; i <= 8; ++i) {
        double t = i / 8.0;
        kit_vec to = kit_curve_point(tail_points, 5, t);
        kit_cone(model, s, TAIL, from, to, kit_mix(0.15, 0.045, (i - 1) / 8.0), kit_mix(0.15, 0.045, t),
                 i == 1 ? 0.14 : 0.04);
        from = to;
    }
}

static void monster_head(kit_model* model, kit_shape* s) {
    kit_cone(model, s, HEAD, kit_v(0.0, 1.12, 0.0), kit_v(0.0, 1.30, 0.06), 0.25, 0.21, 0.14); // neck
    kit_ball(model, s, HEAD, kit_v(0.0, 1.42, 0.07), kit_v(0.25, 0.21, 0.22), 0.10);
    kit_ball(model, s, HEAD, kit_v(0.0, 1.345, 0.25), kit_v(0.17, 0.105, 0.16), 0.08);  // snout
    kit_ball(model, s, HEAD, kit_v(0.0, 1.24, 0.19), kit_v(0.19, 0.09, 0.19), 0.06);    // lower jaw
    kit_ball(model, s, HEAD, kit_v(0.0, 1.395, 0.375), kit_v(0.085, 0.05, 0.05), 0.05); // nose
    int32_t first = s->blob_count;
    kit_ball(model, s, HEAD, kit_v(0.17, 1.30, 0.17), kit_v(0.10, 0.10, 0.12), 0.07);                     // cheek
    kit_cone(model, s, HEAD, kit_v(0.035, 1.505, 0.262), kit_v(0.175, 1.535, 0.19), 0.034, 0.030, 0.035); // brow
    kit_blob* ear = kit_cone(model, s, HEAD, kit_v(0.21, 1.46, 0.0), kit_v(0.37, 1.53, -0.05), 0.085, 0.045, 0.04);
    ear->scale = kit_v(1.0, 1.0, 0.6);
    kit_shape_mirror(model, s, first, 0);
    first = s->blob_count;
    kit_ball(model, s, HEAD, kit_v(0.30, 1.505, 0.045), kit_v(0.075, 0.045, 0.04), 0.04)->carve =
        true; // hollow of the ear
    kit_ball(model, s, HEAD, kit_v(0.042, 1.405, 0.425), kit_v(0.019, 0.015, 0.022), 0.02)->carve = true; // nostril
    kit_ball(model, s, HEAD, kit_v(0.098, 1.455, 0.30), kit_v(0.062, 0.056, 0.062), 0.03)->carve = true;  // eye socket
    kit_shape_mirror(model, s, first, 0);
    // The mouth is a shallow groove that curves up at the corners: a smile.
    for (int32_t i = -5; i <= 5; ++i) {
        double a = i * 0.21, x = 0.20 * kit_sin(a), z = 0.235 + 0.165 * kit_cos(a);
        kit_blob* groove = kit_ball(model, s, HEAD, kit_v(x, 1.258 + 1.3 * x * x, z), kit_v(0.042, 0.019, 0.024), 0.03);
        groove->carve = true;
    }
}

static kit_vec monster_toe(int32_t i) {
    return kit_v(0.215 + 0.115 * i, 0.058, 0.265 + (i == 1 ? 0.04 : 0.0));
}

// Whoever walks by his own momentum stands on one foot at a time: they are as wide as he sways, and reach as far behind the
// ankles as belly and tail shift what he weighs.
static void monster_limbs(kit_model* model, kit_shape* s) {
    int32_t first = s->blob_count;
    kit_ball(model, s, ARM_L, kit_v(0.32, 1.04, 0.0), kit_v(0.17, 0.17, 0.17), 0.12);
    kit_cone(model, s, ARM_L, shoulder, elbow, 0.155, 0.125, 0.10);
    kit_cone(model, s, ARM_L, elbow, wrist, 0.125, 0.095, 0.05);
    kit_ball(model, s, ARM_L, kit_v(0.678, 0.525, 0.175), kit_v(0.085, 0.10, 0.10), 0.05);
    static const kit_vec fingers[4][2] = {{{0.72, 0.49, 0.20}, {0.735, 0.395, 0.255}},
                                          {{0.69, 0.47, 0.24}, {0.680, 0.385, 0.305}},
                                          {{0.645, 0.47, 0.22}, {0.615, 0.395, 0.265}},
                                          {{0.635, 0.53, 0.24}, {0.590, 0.490, 0.310}}};
    for (int32_t i = 0; i < 4; ++i) {
        kit_cone(model, s, ARM_L, fingers[i][0], fingers[i][1], 0.046, 0.036, 0.02);
    }
    kit_cone(model, s, LEG_L, hip, knee, 0.21, 0.165, 0.12);
    kit_cone(model, s, LEG_L, knee, ankle, 0.165, 0.125, 0.06);
    kit_ball(model, s, LEG_L, kit_v(0.32, 0.085, 0.05), kit_v(0.18, 0.09, 0.25), 0.06);
    for (int32_t i = 0; i < 3; ++i) {
        kit_ball(model, s, LEG_L, monster_toe(i), kit_v(0.065, 0.058, 0.085), 0.03);
    }
    kit_ball(model, s, LEG_L, kit_v(0.30, 0.055, -0.17), kit_v(0.13, 0.055, 0.09), 0.05); // heel
    kit_shape_mirror(model, s, first, 1); // the right side's labels follow the left's
    // Flat soles: everything below the ground is cut away.
    kit_ball(model, s, TRUNK, kit_v(0.0, -0.985, 0.0), kit_v(2.2, 1.0, 2.2), 0.03)->carve = true;
}

// Faint folds and lumps, so that the hide catches the light.
static double monster_hide(kit_vec p, const void* context) {
    (void)context;
    double coarse = kit_noise(kit_mul(p, 7.0), 11), fine = kit_noise(kit_mul(p, 17.0), 12);
    double face = kit_smooth(0.16, 0.05, p.z) + kit_smooth(1.20, 1.10, p.y);
    return (0.0035 * coarse + 0.0014 * fine) * kit_clamp(face, 0.15, 1.0);
}

// The face gets twice the triangles of the back.
static double monster_grade(int32_t axis, double at) {
    double face = axis == 1 ? kit_smooth(1.12, 1.20, at) : axis == 2 ? kit_smooth(0.05, 0.2, at) : 0.0;
    return 1.0 - 0.3 * face;
}

static void monster_color(kit_vertex* v) {
    kit_vec p = v->position;
    static const double back[3] = {0.16, 0.34, 0.36}, side[3] = {0.30, 0.58, 0.52}, belly[3] = {0.90, 0.80, 0.58};
    double up = kit_smooth(-0.15, 0.75, -v->normal.z + 0.35 * v->normal.y);
    // By place, not by label: a border between labels must not show.
    double dx = p.x / 0.35, dy = (p.y - 0.66) / 0.43;
    double front = kit_smooth(1.15, 0.75, dx * dx + dy * dy) * kit_smooth(0.05, 0.25, p.z);
    double chin = kit_smooth(1.32, 1.24, p.y) * kit_smooth(1.14, 1.20, p.y) * kit_smooth(0.12, 0.26, p.z) *
                  kit_smooth(0.24, 0.18, fabs(p.x));
    double toes = 0.6 * kit_smooth(0.09, 0.03, p.y) * kit_smooth(0.0, 0.2, p.z);
    front = front > chin ? front : chin;
    front = front > toes ? front : toes;
    front = v->label == ARM_L || v->label == ARM_R ? 0.0 : front;
    double spots = kit_smooth(0.28, 0.45, kit_blotches(kit_mul(p, 7.0), 31)) * up * (1.0 - front);
    for (int32_t k = 0; k < 3; ++k) {
        double c = kit_mix(side[k], back[k], up);
        c = kit_mix(c, belly[k], front);
        v->color[k] = kit_mix(c, back[k] * 0.6, 0.5 * spots);
    }
    // Dark lips, nostrils, ear hollows.
    double lips = v->label == HEAD ? kit_bump(1.264 + 1.3 * p.x * p.x, 0.032, p.y) * kit_smooth(0.22, 0.3, p.z) *
                                         kit_smooth(0.23, 0.19, fabs(p.x))
                                   : 0.0;
    double nose = kit_bump(0.0, 0.036, kit_distance(p, kit_v(copysign(0.042, p.x), 1.405, 0.412)));
    double ear = kit_bump(0.0, 0.09, kit_distance(p, kit_v(copysign(0.30, p.x), 1.505, 0.02))) *
                 kit_smooth(0.0, 0.4, v->normal.z);
    for (int32_t k = 0; k < 3; ++k) {
        static const double flesh[3] = {0.62, 0.28, 0.28}, dark[3] = {0.16, 0.08, 0.09};
        v->color[k] = kit_mix(v->color[k], flesh[k], 0.8 * ear);
        v->color[k] = kit_mix(v->color[k], dark[k], 0.85 * (lips > nose ? lips : nose));
    }
}

// What hangs loose: belly, breast and flanks in front, the tail beyond its root. Everything else follows the pose.
// All of it is carried by particles (blend 1), or the skin would stay behind when physics moves the body from where
// the clip has it.
static void monster_soften(kit_vertex* v) {
    kit_vec p = v->position;
    double belly = v->label == TRUNK
                       ? kit_smooth(-0.22, -0.02, p.z) * kit_smooth(0.34, 0.46, p.y) * kit_smooth(1.16, 1.04, p.y)
                       : 0.0;
    double tail = v->label == TAIL ? kit_smooth(-0.50, -0.62, p.z) : 0.0;
    double loose = belly > tail ? belly : tail;
    v->pin = 1.0 - loose;
    v->blend = 1.0;
    v->stiffness = kit_mix(v->label == HEAD ? 0.9 : 0.7, 0.2, loose);
}

static void monster_pin_all(kit_mesh* mesh) {
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        mesh->vertices[i].pin = 1.0;
        mesh->vertices[i].stiffness = 1.0;
    }
}

static void monster_bind(kit_model* model, kit_mesh* mesh, const monster_bones* b) {
    uint64_t trunk = 1u << TRUNK, head = 1u << HEAD, tail = 1u << TAIL;
    kit_bind binds[40];
    int32_t count = 0;
    binds[count++] = (kit_bind){b->hips, 0.42, trunk | tail | 1u << LEG_L | 1u << LEG_R};
    binds[count++] = (kit_bind){b->spine, 0.46, trunk};
    binds[count++] = (kit_bind){b->chest, 0.38, trunk | head | 1u << ARM_L | 1u << ARM_R};
    binds[count++] = (kit_bind){b->neck, 0.22, trunk | head};
    binds[count++] = (kit_bind){b->head, 0.26, head};
    binds[count++] = (kit_bind){b->jaw, 0.07, head};
    for (int32_t s = 0; s < 2; ++s) {
        uint64_t arm = 1u << (ARM_L + s), leg = 1u << (LEG_L + s);
        binds[count++] = (kit_bind){b->upper_arm[s], 0.16, arm};
        binds[count++] = (kit_bind){b->forearm[s], 0.12, arm};
        binds[count++] = (kit_bind){b->hand[s], 0.10, arm};
        binds[count++] = (kit_bind){b->thigh[s], 0.20, leg};
        binds[count++] = (kit_bind){b->shin[s], 0.15, leg};
        binds[count++] = (kit_bind){b->foot[s], 0.19, leg};
    }
    for (int32_t i = 0; i < 4; ++i) {
        binds[count++] = (kit_bind){b->tail[i], 0.15 - 0.025 * i, tail};
    }
    kit_mesh_bind(model, mesh, 0, -1, binds, count, 14);
}

// -- Things set into the skin

static void monster_spike(kit_model* model, kit_mesh* mesh, kit_vec root, kit_vec middle, kit_vec tip, double radius,
                          double flat, int32_t sides, int32_t count, int32_t bone, int32_t material) {
    kit_vec points[3] = {root, middle, tip};
    kit_ring rings[16];
    for (int32_t i = 0; i < count; ++i) {
        double t = (double)i / (count - 1), r = radius * sqrt(1.0 - 0.97 * t) * (1.0 - 0.35 * t);
        double ridge = count > 8 && i > 0 ? 1.0 + 0.06 * kit_sin(i * 2.2) : 1.0;
        rings[i] = (kit_ring){kit_curve_point(points, 3, t), r * ridge, r * flat * ridge, 2.0, 0.0};
    }
    int32_t first =
        kit_tube(model, mesh, rings, count, sides, kit_v(0.0, 0.0, 1.0), KIT_CAP_END | KIT_CAP_ROUND, material);
    kit_mesh_rigid(mesh, first, -1, bone);
    for (int32_t i = first; i < mesh->vertex_count; ++i) {
        kit_vertex* v = &mesh->vertices[i];
        double t = kit_smooth(0.0, 0.9, v->v);
        kit_mesh_paint(mesh, i, 1, kit_mix(0.55, 1.0, t), kit_mix(0.42, 0.96, t), kit_mix(0.30, 0.86, t));
    }
}

static void monster_horns(kit_model* model, const monster_bones* b, int32_t material) {
    kit_mesh* mesh = kit_mesh_add(model, "horns", KIT_UV | KIT_COLOR | KIT_STIFFNESS | KIT_PIN | KIT_BLEND);
    for (int32_t s = 0; s < 2; ++s) {
        monster_spike(model, mesh, side_of(kit_v(0.13, 1.56, 0.08), s), side_of(kit_v(0.24, 1.70, 0.07), s),
                      side_of(kit_v(0.19, 1.86, 0.15), s), 0.058, 1.0, 20, 14, b->head, material);
        monster_spike(model, mesh, side_of(kit_v(0.085, 1.212, 0.335), s), side_of(kit_v(0.090, 1.28, 0.385), s),
                      side_of(kit_v(0.082, 1.335, 0.40), s), 0.019, 1.0, 12, 7, b->jaw, material); // tusk
        static const kit_vec tips[4] = {
            {0.735, 0.395, 0.255}, {0.680, 0.385, 0.305}, {0.615, 0.395, 0.265}, {0.590, 0.490, 0.310}};
        for (int32_t i = 0; i < 4; ++i) {
            kit_vec t = tips[i];
            monster_spike(model, mesh, side_of(kit_add(t, kit_v(0.0, -0.005, 0.008)), s),
                          side_of(kit_add(t, kit_v(0.0, -0.035, 0.030)), s),
                          side_of(kit_add(t, kit_v(0.0, -0.070, 0.034)), s), 0.024, 0.75, 10, 5, b->hand[s], material);
        }
        for (int32_t i = 0; i < 3; ++i) {
            kit_vec toe = monster_toe(i);
            monster_spike(model, mesh, side_of(kit_add(toe, kit_v(0.0, 0.005, 0.050)), s),
                          side_of(kit_add(toe, kit_v(0.0, 0.0, 0.100)), s),
                          side_of(kit_add(toe, kit_v(0.0, -0.028, 0.150)), s), 0.034, 0.8, 10, 5, b->foot[s], material);
        }
    }
    monster_pin_all(mesh);
}

// A lid is the upper part of a shell over the eyeball, tilted so that it frowns.
typedef struct monster_lid {
    kit_vec centre;
    double radius;
    kit_quat turn;
} monster_lid;

static kit_vec monster_lid_point(double u, double v, const void* context) {
    const monster_lid* lid = context;
    double a = 0.60 * KIT_PI * (1.0 - v), b = -2.0 * KIT_PI * u, r = lid->radius * (v > 0.999 ? 0.0 : 1.0);
    kit_vec d = {kit_sin(a) * kit_cos(b), kit_cos(a), kit_sin(a) * kit_sin(b)};
    d = kit_rotate(lid->turn, v > 0.999 ? kit_v(0.0, 1.0, 0.0) : d);
    return kit_mad(lid->centre, d, r > 0.0 ? r : lid->radius);
}

static void monster_eyes(kit_model* model, const monster_bones* b, int32_t skin, int32_t white, int32_t iris,
                         int32_t dark) {
    kit_mesh* mesh = kit_mesh_add(model, "eyes", KIT_UV | KIT_COLOR | KIT_STIFFNESS | KIT_PIN | KIT_BLEND);
    for (int32_t s = 0; s < 2; ++s) {
        kit_vec centre = side_of(kit_v(0.100, 1.450, 0.255), s);
        kit_vec look = kit_unit(kit_sub(side_of(kit_v(0.13, 1.42, 1.2), s), centre));
        kit_eye(model, mesh, centre, 0.064, look, 0.33, 0.66, 24, white, iris, dark);
        monster_lid lid = {centre, 0.069, kit_euler(-58.0, 0.0, s == 0 ? 14.0 : -14.0)};
        int32_t first = kit_sheet(model, mesh, 24, 6, true, monster_lid_point, &lid, skin);
        kit_mesh_paint(mesh, first, -1, 0.20, 0.42, 0.41);
    }
    kit_mesh_rigid(mesh, 0, -1, b->head);
    monster_pin_all(mesh);
}

// -- Clips

static void monster_plant(const kit_model* model, const monster_bones* b, kit_joint* pose, int32_t side, kit_vec at,
                          double pitch_degrees, double yaw_degrees) {
    kit_vec pole = kit_v(side == 0 ? 0.25 : -0.25, 0.0, 1.0);
    kit_pose_reach(model, pose, b->thigh[side], b->shin[side], b->foot[side], at, pole,
                   kit_euler(pitch_degrees, side == 0 ? yaw_degrees : -yaw_degrees, 0.0));
}

static void monster_idle(kit_model* model, const monster_bones* b) {
    kit_clip* clip = kit_clip_add(model, "idle", 4.0, true);
    for (int32_t f = 0; f < clip->frame_count; ++f) {
        kit_joint* p = kit_clip_pose(clip, f);
        double a = 2.0 * KIT_PI * kit_clip_phase(clip, f), breath = kit_sin(2.0 * a), sway = kit_sin(a);
        p[b->hips].position = kit_add(p[b->hips].position, kit_v(0.018 * sway, -0.012 + 0.008 * breath, 0.0));
        p[b->hips].rotation = kit_euler(0.0, 0.0, -1.5 * sway);
        p[b->spine].rotation = kit_euler(-1.5 - 1.5 * breath, 2.0 * kit_sin(a + 0.4), 1.2 * sway);
        p[b->chest].rotation = kit_euler(1.0 + 1.8 * breath, 0.0, 0.8 * sway);
        p[b->neck].rotation = kit_euler(-1.0 * breath, 4.0 * kit_sin(a - 0.6), 0.0);
        p[b->head].rotation = kit_euler(2.0 * kit_sin(2.0 * a - 0.8), 7.0 * kit_sin(a - 0.9), 2.5 * kit_cos(a));
        p[b->jaw].rotation = kit_euler(1.5 + 1.5 * kit_sin(2.0 * a + 0.5), 0.0, 0.0);
        for (int32_t s = 0; s < 2; ++s) {
            double m = s == 0 ? 1.0 : -1.0;
            p[b->upper_arm[s]].rotation = kit_euler(2.0 * kit_sin(a + m), 0.0, m * (2.0 + 2.5 * breath));
            p[b->forearm[s]].rotation = kit_euler(-4.0 - 3.0 * kit_sin(2.0 * a - 0.5 + m), 0.0, 0.0);
            p[b->hand[s]].rotation = kit_euler(3.0 * kit_sin(2.0 * a - 1.0), 0.0, m * 2.0);
            monster_plant(model, b, p, s, side_of(ankle, s), 0.0, 0.0);
        }
        for (int32_t i = 0; i < 4; ++i) {
            p[b->tail[i]].rotation = kit_euler(2.0 * kit_sin(2.0 * a - 0.7 * i), 9.0 * kit_sin(a - 0.8 * i), 0.0);
        }
    }
}

// On the spot: the ground runs backward below at stride / stance time, and a planted foot goes with it exactly.
static void monster_walk(kit_model* model, const monster_bones* b) {
    kit_clip* clip = kit_clip_add(model, "walk", 1.2, true);
    double stride = 0.30, stance = 0.6;
    for (int32_t f = 0; f < clip->frame_count; ++f) {
        kit_joint* p = kit_clip_pose(clip, f);
        double phase = kit_clip_phase(clip, f), a = 2.0 * KIT_PI * phase;
        double left = kit_sin(a); // +1 in the middle of the left foot's stance
        p[b->hips].position = kit_add(p[b->hips].position, kit_v(0.050 * left, -0.055 - 0.014 * kit_cos(2.0 * a), 0.0));
        p[b->hips].rotation = kit_euler(3.0, 7.0 * kit_cos(a), 6.5 * left);
        p[b->spine].rotation = kit_euler(2.0, -5.0 * kit_cos(a), -4.5 * left);
        p[b->chest].rotation = kit_euler(1.5 * kit_cos(2.0 * a), -6.0 * kit_cos(a), -4.0 * left);
        p[b->neck].rotation = kit_euler(-3.0, 2.0 * kit_cos(a), 1.0 * left);
        p[b->head].rotation = kit_euler(-3.0 + 2.0 * kit_cos(2.0 * a - 0.6), 2.0 * kit_cos(a), 2.5 * left);
        p[b->jaw].rotation = kit_euler(2.5 + 2.0 * kit_cos(2.0 * a), 0.0, 0.0);
        for (int32_t s = 0; s < 2; ++s) {
            double m = s == 0 ? 1.0 : -1.0;
            double swing = m * kit_cos(a);
            p[b->upper_arm[s]].rotation = kit_euler(22.0 * swing, 0.0, m * 6.0);
            p[b->forearm[s]].rotation = kit_euler(-14.0 + 10.0 * swing, 0.0, 0.0);
            p[b->hand[s]].rotation = kit_euler(8.0 * m * kit_sin(a), 0.0, 0.0);
            // The left foot lands at phase 0.25 - stance/2 and leaves stance later.
            double u = phase - (0.25 - 0.5 * stance) - (s == 0 ? 0.0 : 0.5);
            u -= floor(u);
            kit_vec at = side_of(ankle, s);
            double pitch = 0.0;
            if (u < stance) {
                at.z += stride * (0.5 - u / stance);
            } else {
                double t = (u - stance) / (1.0 - stance);
                // Leaves and lands with the ground's own speed, so that nothing jerks.
                double slope = -stride * (1.0 - stance) / stance;
                double t2 = t * t, t3 = t2 * t;
                at.z += -0.5 * stride * (2.0 * t3 - 3.0 * t2 + 1.0) + slope * (t3 - 2.0 * t2 + t) +
                        0.5 * stride * (3.0 * t2 - 2.0 * t3) + slope * (t3 - t2);
                double lift = kit_sin(KIT_PI * t);
                at.y += 0.10 * lift * lift;
                at.x += m * 0.02 * lift;
                pitch = 14.0 * kit_sin(2.0 * KIT_PI * t) * lift;
            }
            monster_plant(model, b, p, s, at, pitch, 0.0);
        }
        for (int32_t i = 0; i < 4; ++i) {
            p[b->tail[i]].rotation =
                kit_euler(3.0 * kit_sin(2.0 * a - 0.6 * i), 13.0 * kit_sin(a - 0.7 * i - 0.5), 0.0);
        }
    }
}

// Crouch, rise, hang for 0.7 s, fly 2.6 m to its left, land, settle. Times in seconds.
static void monster_leap(kit_model* model, const monster_bones* b) {
    static const kit_key height[] = {{0.5, 0.0}, {0.95, 1.35}, {1.65, 1.35}, {2.35, 0.0}, {3.4, 0.0}};
    static const kit_key across[] = {{1.65, 0.0}, {2.35, 2.6}, {3.4, 2.6}};
    static const kit_key crouch[] = {{0.0, 0.0},  {0.32, 0.17}, {0.40, 0.17}, {0.52, -0.03}, {0.70, 0.0},
                                     {2.28, 0.0}, {2.50, 0.19}, {2.72, 0.11}, {3.15, 0.0},   {3.4, 0.0}};
    static const kit_key tuck[] = {{0.52, 0.0}, {0.95, 0.12}, {1.65, 0.14}, {2.05, 0.12}, {2.33, 0.0}};
    static const kit_key arms[] = {{0.0, 0.0},    {0.34, 40.0},  {0.62, -110.0}, {0.95, -70.0}, {1.65, -62.0},
                                   {1.95, -95.0}, {2.40, -20.0}, {2.60, 18.0},   {3.2, 0.0}};
    static const kit_key spread[] = {{0.0, 0.0},  {0.4, 4.0},  {0.95, 46.0}, {1.65, 50.0},
                                     {2.0, 62.0}, {2.5, 14.0}, {3.2, 0.0}};
    static const kit_key lean[] = {{0.0, 0.0},  {0.34, 24.0}, {0.60, -10.0}, {0.95, 0.0},
                                   {1.65, 0.0}, {2.20, 4.0},  {2.50, 26.0},  {3.2, 0.0}};
    static const kit_key roll[] = {{1.55, 0.0}, {1.85, -24.0}, {2.20, 8.0}, {2.5, 3.0}, {3.0, 0.0}};
    static const kit_key look[] = {{0.0, 0.0},  {0.34, 8.0}, {0.6, -22.0}, {1.0, 4.0}, {1.35, 12.0},
                                   {1.65, 0.0}, {2.2, 10.0}, {2.5, -14.0}, {3.2, 0.0}};
    static const kit_key turn[] = {{1.0, 0.0}, {1.25, 34.0}, {1.7, 34.0}, {2.2, 0.0}};
    kit_clip* clip = kit_clip_add(model, "leap", 3.4, false);
    for (int32_t f = 0; f < clip->frame_count; ++f) {
        kit_joint* p = kit_clip_pose(clip, f);
        double t = kit_clip_seconds(clip, f);
        double y = kit_keys(height, 5, 0.0, t), x = kit_keys(across, 3, 0.0, t), down = kit_keys(crouch, 10, 0.0, t);
        double bend = kit_keys(lean, 8, 0.0, t), tilt = kit_keys(roll, 5, 0.0, t), legs = kit_keys(tuck, 5, 0.0, t);
        p[b->root].position = kit_v(x, y, 0.0);
        p[b->hips].position = kit_add(p[b->hips].position, kit_v(0.0, -down, -0.35 * down));
        p[b->hips].rotation = kit_euler(0.5 * bend, 0.0, tilt);
        p[b->spine].rotation = kit_euler(0.3 * bend, 0.0, 0.3 * tilt);
        p[b->chest].rotation = kit_euler(0.2 * bend, 0.0, 0.2 * tilt);
        p[b->neck].rotation = kit_euler(0.4 * kit_keys(look, 9, 0.0, t), 0.4 * kit_keys(turn, 4, 0.0, t), 0.0);
        p[b->head].rotation = kit_euler(0.6 * kit_keys(look, 9, 0.0, t), 0.6 * kit_keys(turn, 4, 0.0, t), 0.0);
        p[b->jaw].rotation = kit_euler(10.0 * kit_smooth(0.4, 0.7, t) * kit_smooth(2.7, 2.4, t), 0.0, 0.0);
        double planted = y > 1e-9 ? 0.0 : 1.0;
        for (int32_t s = 0; s < 2; ++s) {
            double m = s == 0 ? 1.0 : -1.0;
            p[b->upper_arm[s]].rotation = kit_euler(kit_keys(arms, 9, 0.0, t), 0.0, m * kit_keys(spread, 7, 0.0, t));
            p[b->forearm[s]].rotation = kit_euler(-12.0 - 0.15 * fabs(kit_keys(arms, 9, 0.0, t)), 0.0, 0.0);
            kit_vec at = kit_add(side_of(ankle, s), kit_v(x + m * 0.3 * legs, y + legs, -0.35 * legs));
            monster_plant(model, b, p, s, at, (1.0 - planted) * (140.0 * legs), 8.0 * legs);
        }
        for (int32_t i = 0; i < 4; ++i) {
            double lag = t - 0.06 * i;
            p[b->tail[i]].rotation = kit_euler(-0.35 * kit_keys(lean, 8, 0.0, lag) + 60.0 * kit_keys(tuck, 5, 0.0, lag),
                                               -0.8 * kit_keys(roll, 5, 0.0, lag), 0.0);
        }
    }
}

void monster_build(kit_model* model) {
    monster_bones b = monster_skeleton(model);
    int32_t skin = kit_material(model, "Skin", 1.0, 1.0, 1.0, 0.65);
    int32_t horn = kit_material(model, "Horn", 0.93, 0.88, 0.76, 0.35);
    int32_t lid = kit_material(model, "EyeLid", 1.0, 1.0, 1.0, 0.65);
    int32_t white = kit_material(model, "EyeWhite", 0.96, 0.93, 0.82, 0.15);
    int32_t iris = kit_material(model, "EyeIris", 0.75, 0.42, 0.06, 0.1);
    int32_t dark = kit_material(model, "EyePupil", 0.02, 0.015, 0.01, 0.05);
    model->materials[lid].double_sided = true;

    kit_mesh* body = kit_mesh_add(model, "body", KIT_UV | KIT_COLOR | KIT_STIFFNESS | KIT_PIN | KIT_BLEND);
    kit_shape shape = {0};
    monster_trunk(model, &shape);
    monster_limbs(model, &shape);
    monster_head(model, &shape);
    shape.displace = monster_hide;
    shape.grade = monster_grade;
    kit_shape_mesh(model, body, &shape, 0.0250, skin);
    for (int32_t i = 0; i < body->vertex_count; ++i) {
        kit_vertex* v = &body->vertices[i];
        monster_color(v);
        monster_soften(v);
    }
    monster_bind(model, body, &b);
    kit_vec up = {0.0, 1.0, 0.0}, front = {0.0, 0.0, 1.0};
    kit_chart charts[LABEL_COUNT] = {
        {TRUNK, {0.0, 0.7, 0.0}, up, front, 0.00, 0.00, 0.50, 0.60},
        {HEAD, {0.0, 1.4, 0.05}, up, front, 0.50, 0.00, 1.00, 0.45},
        {TAIL, tail_points[2], {0.0, -0.2, -1.0}, {0.0, -1.0, 0.0}, 0.00, 0.60, 0.25, 1.00},
        {ARM_L, elbow, kit_sub(wrist, shoulder), {0.3, 0.0, 1.0}, 0.50, 0.45, 0.75, 0.75},
        {ARM_R, kit_mirror(elbow), kit_mirror(kit_sub(wrist, shoulder)), {-0.3, 0.0, 1.0}, 0.75, 0.45, 1.00, 0.75},
        {LEG_L, knee, up, front, 0.50, 0.75, 0.75, 1.00},
        {LEG_R, kit_mirror(knee), up, front, 0.75, 0.75, 1.00, 1.00},
    };
    kit_mesh_unwrap(model, body, charts, LABEL_COUNT);
    monster_horns(model, &b, horn);
    monster_eyes(model, &b, lid, white, iris, dark);

    monster_idle(model, &b);
    monster_walk(model, &b);
    monster_leap(model, &b);
}
