// SPDX-License-Identifier: MIT
#include "samples/human.h"
#include "samples/human_private.h"

// The skeleton and the flesh of a person, as blobs that melt into each other.
//
// Numbers are metres on a woman of 1.68 m who stands with her feet on y = 0 and looks along +z. Seven and a half heads make the
// height: chin at 1.456, shoulder joints at 1.375, waist at 1.05, hip joints at 0.905, knees at 0.475. The arms hang out at 48
// degrees below the horizontal (A-pose), thumbs forward. Only the left side is written; the right is its mirror image.

static const double drawn_height = 1.68;

human_figure human_woman(void) {
    return (human_figure){.height = 1.68,
                          .shoulder = 1.0,
                          .hip = 1.0,
                          .waist = 1.0,
                          .chest = 1.0,
                          .bust = 1.0,
                          .limb = 1.0,
                          .neck = 0.88,
                          .jaw = 0.82};
}

human_figure human_man(void) {
    return (human_figure){.height = 1.78,
                          .shoulder = 1.15,
                          .hip = 0.92,
                          .waist = 1.14,
                          .chest = 1.1,
                          .bust = 0.0,
                          .limb = 1.1,
                          .neck = 1.2,
                          .jaw = 1.22};
}

kit_vec human_place(const human* h, double x, double y, double z) {
    return kit_mul(kit_v(x, y, z), h->scale);
}

// -- Skeleton

static void place_joints(human* h) {
    const human_figure f = h->figure;
    kit_vec* j = h->joints;
    j[HUMAN_ROOT] = kit_v(0, 0, 0);
    j[HUMAN_HIPS] = kit_v(0, 0.94, 0);
    j[HUMAN_SPINE] = kit_v(0, 1.03, -0.005);
    j[HUMAN_CHEST] = kit_v(0, 1.16, -0.012);
    j[HUMAN_NECK] = kit_v(0, 1.415, -0.022);
    j[HUMAN_HEAD] = kit_v(0, 1.495, -0.004);
    j[HUMAN_CLAVICLE] = kit_v(0.022 * f.shoulder, 1.388, 0.0);
    j[HUMAN_UPPER_ARM] = kit_v(0.153 * f.shoulder, 1.372, -0.016);
    const kit_vec arm = kit_unit(kit_v(0.669, -0.743, 0.0));
    j[HUMAN_FOREARM] = kit_mad(j[HUMAN_UPPER_ARM], arm, 0.275);
    const kit_vec forearm = kit_unit(kit_v(0.655, -0.745, 0.12));
    j[HUMAN_HAND] = kit_mad(j[HUMAN_FOREARM], forearm, 0.24);
    j[HUMAN_FINGERS] = kit_mad(j[HUMAN_HAND], forearm, 0.082);
    j[HUMAN_THUMB] = kit_add(kit_mad(j[HUMAN_HAND], forearm, 0.022), kit_v(0, 0, 0.026));
    j[HUMAN_THIGH] = kit_v(0.086 * f.hip, 0.905, 0.0);
    j[HUMAN_SHIN] = kit_v(0.083 * f.hip, 0.475, 0.010);
    j[HUMAN_FOOT] = kit_v(0.082 * f.hip, 0.09, -0.022);
    j[HUMAN_TOES] = kit_v(0.088 * f.hip, 0.022, 0.104);
    for (int32_t i = 0; i < HUMAN_SIDE_BONES; i++) {
        j[HUMAN_LEFT + HUMAN_SIDE_BONES + i] = kit_mirror(j[HUMAN_LEFT + i]);
    }
    for (int32_t i = 0; i < HUMAN_BONE_COUNT; i++) {
        j[i] = kit_mul(j[i], h->scale);
    }
}

static void make_bones(human* h) {
    static const char* const centre_names[] = {"root", "hips", "spine", "chest", "neck", "head"};
    static const char* const side_names[2][HUMAN_SIDE_BONES] = {
        {"clavicle.L", "upper_arm.L", "forearm.L", "hand.L", "fingers.L", "thumb.L", "thigh.L", "shin.L", "foot.L",
         "toes.L"},
        {"clavicle.R", "upper_arm.R", "forearm.R", "hand.R", "fingers.R", "thumb.R", "thigh.R", "shin.R", "foot.R",
         "toes.R"}};
    static const int32_t side_parents[HUMAN_SIDE_BONES] = {HUMAN_CHEST, HUMAN_CLAVICLE, HUMAN_UPPER_ARM, HUMAN_FOREARM,
                                                           HUMAN_HAND,  HUMAN_HAND,     HUMAN_HIPS,      HUMAN_THIGH,
                                                           HUMAN_SHIN,  HUMAN_FOOT};
    kit_model* m = h->model;
    const kit_vec* j = h->joints;
    const double s = h->scale;
    if (m->bone_count != 0) {
        kit_die("a person's bones must be the first of the model", m->name);
    }
    for (int32_t i = 0; i < HUMAN_LEFT; i++) {
        const kit_vec tail = i == HUMAN_ROOT   ? kit_v(0, 0, 0.2 * s)
                             : i == HUMAN_HEAD ? kit_add(j[i], kit_v(0, 0.18 * s, 0))
                                               : j[i + 1];
        kit_bone_to(m, centre_names[i], i - 1, j[i], tail);
    }
    for (int32_t side = 0; side < 2; side++) {
        for (int32_t i = 0; i < HUMAN_SIDE_BONES; i++) {
            const int32_t left = HUMAN_LEFT + i;
            const int32_t bone = human_bone(left, side);
            int32_t parent = side_parents[i];
            if (parent >= HUMAN_LEFT) {
                parent = human_bone(parent, side);
            }
            kit_vec tail = j[bone];
            if (left == HUMAN_FINGERS) {
                tail = kit_add(j[bone], kit_sub(j[bone], j[human_bone(HUMAN_HAND, side)]));
            } else if (left == HUMAN_THUMB) {
                tail = kit_add(j[bone], kit_sub(j[human_bone(HUMAN_FINGERS, side)], j[human_bone(HUMAN_HAND, side)]));
            } else if (left == HUMAN_TOES) {
                tail = kit_add(j[bone], kit_v(0, -0.005 * s, 0.06 * s));
            } else {
                tail = j[bone + 1];
            }
            kit_bone_to(m, side_names[side][i], parent, j[bone], tail);
        }
    }
}

// -- Flesh

static void ball(human* h, double x, double y, double z, double rx, double ry, double rz, double melt) {
    kit_ball(h->model, &h->body, 0, human_place(h, x, y, z), human_place(h, rx, ry, rz), melt * h->scale);
}

static void carve(human* h, double x, double y, double z, double rx, double ry, double rz, double melt) {
    kit_ball(h->model, &h->body, 0, human_place(h, x, y, z), human_place(h, rx, ry, rz), melt * h->scale)->carve = true;
}

static void cone(human* h, kit_vec a, kit_vec b, double ra, double rb, double melt) {
    const double s = h->scale;
    kit_cone(h->model, &h->body, 0, kit_mul(a, s), kit_mul(b, s), ra * s, rb * s, melt * s);
}

// Cones between joints, which already have the figure's size.
static kit_blob* limb(human* h, kit_vec a, kit_vec b, double ra, double rb, double melt) {
    const double s = h->scale;
    const double g = s * h->figure.limb;
    return kit_cone(h->model, &h->body, 0, a, b, ra * g, rb * g, melt * s);
}

static void make_trunk(human* h) {
    const human_figure f = h->figure;
    ball(h, 0, 1.225, -0.012, 0.124 * (0.5 + 0.5 * f.shoulder), 0.165, 0.092 * f.chest, 0.0);
    ball(h, 0, 1.055, 0.0, 0.106 * f.waist, 0.17, 0.080 * f.waist, 0.08);
    ball(h, 0, 0.900, -0.008, 0.144 * f.hip, 0.120, 0.098, 0.08);
    for (int32_t i = -1; i <= 1; i += 2) {
        ball(h, i * 0.070 * f.hip, 0.868, -0.046, 0.080 * f.hip, 0.082, 0.078, 0.05);
        // Chest muscles under the bust, shoulder blades behind.
        ball(h, i * 0.062 * f.shoulder, 1.275, 0.038 * f.chest, 0.068, 0.062, 0.044, 0.04);
        ball(h, i * 0.075 * f.shoulder, 1.27, -0.060 * f.chest, 0.058, 0.085, 0.040, 0.05);
        // The girdle: collar bone to shoulder, and the slope from the neck.
        cone(h, kit_v(i * 0.02, 1.372, 0.0), kit_v(i * 0.138 * f.shoulder, 1.364, -0.014), 0.040, 0.042, 0.04);
        cone(h, kit_v(i * 0.015, 1.438, -0.03), kit_v(i * 0.125 * f.shoulder, 1.378, -0.022), 0.036 * f.neck, 0.032,
             0.04);
        if (f.bust > 0) {
            const double b = f.bust;
            ball(h, i * 0.072, 1.222, 0.060 + 0.014 * b, 0.058 * b, 0.058 * b, 0.054 * b, 0.035);
        }
    }
    ball(h, 0, 0.975, 0.030, 0.088 * f.waist, 0.095, 0.058, 0.05);
    cone(h, kit_v(0, 1.37, -0.024), kit_v(0, 1.50, 0.000), 0.054 * f.neck, 0.049 * f.neck, 0.035);
}

static void make_head(human* h) {
    const double j = h->figure.jaw;
    ball(h, 0, 1.592, -0.014, 0.0735, 0.0875, 0.094, 0.02);
    ball(h, 0, 1.537, 0.022, 0.0590 * (0.45 + 0.55 * j), 0.0765, 0.0610, 0.02);
    for (int32_t i = -1; i <= 1; i += 2) {
        cone(h, kit_v(i * 0.041 * j, 1.513, 0.006), kit_v(i * 0.013 * j, 1.4780, 0.064), 0.018, 0.0145, 0.035);
        ball(h, i * 0.040, 1.540, 0.046, 0.021, 0.020, 0.020, 0.035);
    }
    cone(h, kit_v(-0.030, 1.5855, 0.0715), kit_v(0.030, 1.5855, 0.0715), 0.0095, 0.0095, 0.018);
    ball(h, 0, 1.4735, 0.073, 0.014 * j, 0.012, 0.012, 0.02);
    carve(h, 0.0315, 1.5650, 0.0935, 0.0185, 0.0105, 0.0135, 0.012);
    carve(h, -0.0315, 1.5650, 0.0935, 0.0185, 0.0105, 0.0135, 0.012);
    // Nose: bridge, tip, wings.
    cone(h, kit_v(0, 1.577, 0.0815), kit_v(0, 1.5385, 0.1000), 0.0062, 0.0080 * (0.6 + 0.4 * j), 0.018);
    ball(h, 0.0085, 1.5340, 0.0915, 0.0070, 0.0060, 0.0075, 0.012);
    ball(h, -0.0085, 1.5340, 0.0915, 0.0070, 0.0060, 0.0075, 0.012);
    // Lips and the hollow below them.
    cone(h, kit_v(-0.013, 1.5080, 0.0815), kit_v(0.013, 1.5080, 0.0805), 0.0050, 0.0050, 0.012);
    cone(h, kit_v(-0.009, 1.4990, 0.0815), kit_v(0.009, 1.4990, 0.0800), 0.0055, 0.0055, 0.012);
}

static void make_arm(human* h) {
    const kit_vec* j = h->joints;
    const double s = h->scale;
    const double g = s * h->figure.limb;
    const kit_vec shoulder = j[HUMAN_UPPER_ARM], elbow = j[HUMAN_FOREARM], wrist = j[HUMAN_HAND];
    limb(h, shoulder, kit_lerp(shoulder, elbow, 0.5), 0.047, 0.041, 0.05);
    limb(h, kit_lerp(shoulder, elbow, 0.45), elbow, 0.041, 0.033, 0.02);
    kit_ball(h->model, &h->body, 0, kit_mad(kit_lerp(shoulder, elbow, 0.5), kit_v(0, 0, 1), 0.012 * g),
             kit_mul(kit_v(0.036, 0.055, 0.034), g), 0.03 * s)
        ->rotation = kit_between(kit_v(0, 1, 0), kit_sub(shoulder, elbow));
    limb(h, elbow, kit_lerp(elbow, wrist, 0.32), 0.033, 0.0375, 0.02);
    limb(h, kit_lerp(elbow, wrist, 0.30), wrist, 0.0375, 0.0215, 0.02);
    // The palm is a flattened pair of cones; thumb forward, so it is thin across the arm's up direction.
    const kit_vec knuckles = j[HUMAN_FINGERS];
    const kit_vec along = kit_unit(kit_sub(knuckles, wrist));
    const kit_vec down = kit_unit(kit_sub(kit_v(0, -1, 0), kit_mul(along, -along.y)));
    for (int32_t i = 0; i < 4; i++) {
        const double across = (i - 1.35) * 0.0185 * s;
        const kit_vec a = kit_mad(kit_mad(wrist, kit_v(0, 0, 1), -across * 0.45), along, 0.012 * s);
        const kit_vec b =
            kit_mad(kit_mad(knuckles, kit_v(0, 0, 1), -across), along, (i == 0 || i == 3 ? -0.006 : 0.0) * s);
        limb(h, a, b, 0.0155, 0.0112, 0.012);
    }
    // The ball of the thumb.
    const kit_vec thumb = kit_mad(j[HUMAN_THUMB], down, 0.004 * s);
    limb(h, kit_mad(wrist, along, 0.008 * s), kit_mad(thumb, along, 0.018 * s), 0.014, 0.0125, 0.014);
}

static void make_leg(human* h) {
    const kit_vec* j = h->joints;
    const double s = h->scale;
    const kit_vec hip = j[HUMAN_THIGH], knee = j[HUMAN_SHIN], ankle = j[HUMAN_FOOT], ball_joint = j[HUMAN_TOES];
    limb(h, kit_add(hip, kit_mul(kit_v(0.004, -0.03, -0.004), s)), kit_lerp(hip, knee, 0.45), 0.084, 0.073, 0.05);
    limb(h, kit_lerp(hip, knee, 0.4), kit_add(knee, kit_v(0, 0.02 * s, 0)), 0.075, 0.051, 0.03);
    limb(h, knee, kit_lerp(knee, ankle, 0.35), 0.0495, 0.047, 0.03);
    limb(h, kit_lerp(knee, ankle, 0.30), ankle, 0.047, 0.0315, 0.03);
    kit_ball(h->model, &h->body, 0, kit_add(kit_lerp(knee, ankle, 0.27), kit_mul(kit_v(0.002, 0, -0.022), s)),
             kit_mul(kit_v(0.042, 0.105, 0.038), s * h->figure.limb), 0.03 * s);
    ball(h, knee.x / s, knee.y / s + 0.005, knee.z / s + 0.030, 0.026, 0.034, 0.022, 0.025);
    // Foot: heel, instep, ball, toes. The sole is flattened by the cage, not here.
    const double fx = ankle.x / s, bx = ball_joint.x / s;
    ball(h, fx, 0.036, -0.040, 0.0285, 0.036, 0.034, 0.02);
    cone(h, kit_v(fx, 0.072, -0.012), kit_v(bx, 0.030, 0.095), 0.034, 0.0225, 0.03);
    ball(h, bx + 0.004, 0.0215, 0.095, 0.043, 0.0215, 0.040, 0.02);
    ball(h, bx - 0.002, 0.0165, 0.135, 0.036, 0.0160, 0.030, 0.02);
}

static kit_shape part_of(human* h, int32_t count) {
    kit_shape part = {0};
    for (int32_t i = 0; i < count; i++) {
        kit_blob* b = kit_ball(h->model, &part, 0, kit_v(0, 0, 0), kit_v(1, 1, 1), 0);
        *b = h->body.blobs[i];
    }
    return part;
}

void human_body_make(human* h) {
    h->scale = h->figure.height / drawn_height;
    place_joints(h);
    make_bones(h);
    make_trunk(h);
    make_head(h);
    h->trunk = part_of(h, h->body.blob_count);
    const int32_t limbs = h->body.blob_count;
    make_arm(h);
    make_leg(h);
    h->left = part_of(h, h->body.blob_count);
    kit_shape_mirror(h->model, &h->body, limbs, 0);
}
