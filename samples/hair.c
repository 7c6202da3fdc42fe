// SPDX-License-Identifier: MIT
#include "samples/kit_samples.h"

// A bust with long hair. Head and shirt are implicit shapes; the hair is what games ship: some hundred cards in
// layers, all of them laid along few guide strands. A strand is a function of its place round the head (theta, 0 at
// the back, +-pi at the face) and of t from root to tip; cards sample it side by side, so that neighbours never cross
// and a simulation of the guides moves them all.

enum { LABEL_HEAD, LABEL_NECK, LABEL_SHIRT };

enum {
    STRAND_POINTS = 8,
    CARD_ROWS = 14,
    CARD_COLUMNS = 3,
};

typedef struct hair_bones {
    int32_t root, chest, neck, head;
} hair_bones;

typedef struct hair_shapes {
    kit_shape head, shirt;
} hair_shapes;

static const kit_vec skull = {0.0, 0.500, -0.018};
static const double theta_limit = 2.30; // the face stays free beyond

// -- Head

static void head_shape(kit_model* model, kit_shape* s) {
    kit_ball(model, s, LABEL_HEAD, skull, kit_v(0.0750, 0.094, 0.098), 0.0);
    kit_ball(model, s, LABEL_HEAD, kit_v(0.0, 0.458, 0.022), kit_v(0.0615, 0.078, 0.066), 0.04); // face
    kit_ball(model, s, LABEL_HEAD, kit_v(0.0, 0.3835, 0.056), kit_v(0.021, 0.019, 0.024), 0.05); // chin
    kit_ball(model, s, LABEL_HEAD, kit_v(0.0, 0.416, 0.060), kit_v(0.030, 0.027, 0.027), 0.03);  // mouth's mound
    kit_cone(model, s, LABEL_HEAD, kit_v(0.0, 0.488, 0.0840), kit_v(0.0, 0.450, 0.1010), 0.0080, 0.0098, 0.014); // nose
    kit_ball(model, s, LABEL_HEAD, kit_v(0.0, 0.4475, 0.1035), kit_v(0.0108, 0.0098, 0.0105), 0.010);
    int32_t first = s->blob_count;
    kit_cone(model, s, LABEL_HEAD, kit_v(0.042, 0.430, 0.004), kit_v(0.014, 0.388, 0.048), 0.019, 0.017, 0.045); // jaw
    kit_ball(model, s, LABEL_HEAD, kit_v(0.036, 0.444, 0.056), kit_v(0.024, 0.026, 0.021), 0.035); // cheek
    kit_ball(model, s, LABEL_HEAD, kit_v(0.0105, 0.4440, 0.0945), kit_v(0.0080, 0.0072, 0.0085),
             0.009); // wing of the nose
    kit_cone(model, s, LABEL_HEAD, kit_v(0.012, 0.5030, 0.0810), kit_v(0.046, 0.5060, 0.0650), 0.0090, 0.0085,
             0.022); // brow
    kit_shape_mirror(model, s, first, 0);
    first = s->blob_count;
    kit_ball(model, s, LABEL_HEAD, kit_v(0.0305, 0.4790, 0.0960), kit_v(0.0205, 0.0135, 0.0175), 0.016)->carve =
        true; // orbit
    kit_shape_mirror(model, s, first, 0);
    kit_cone(model, s, LABEL_NECK, kit_v(0.0, 0.405, -0.022), kit_v(0.0, 0.270, -0.036), 0.046, 0.050, 0.03);
    kit_cone(model, s, LABEL_NECK, kit_v(0.0, 0.275, -0.036), kit_v(0.0, 0.222, -0.022), 0.052, 0.068, 0.05);
    first = s->blob_count;
    kit_cone(model, s, LABEL_NECK, kit_v(0.050, 0.430, -0.020), kit_v(0.012, 0.255, 0.010), 0.012, 0.009,
             0.03); // the long neck muscle
    kit_shape_mirror(model, s, first, 0);
}

// Fine at the face, coarse where hair covers the skull.
static double head_grade(int32_t axis, double at) {
    if (axis == 0) {
        return 1.0 + 0.6 * kit_smooth(0.045, 0.07, fabs(at));
    }
    if (axis == 1) {
        return 1.0 + 0.9 * kit_smooth(0.520, 0.545, at) + 1.0 * kit_smooth(0.375, 0.345, at);
    }
    return 1.0 + 1.1 * kit_smooth(0.045, 0.0, at);
}

static void shirt_shape(kit_model* model, kit_shape* s) {
    kit_ball(model, s, LABEL_SHIRT, kit_v(0.0, 0.105, -0.015), kit_v(0.150, 0.165, 0.096), 0.0);
    kit_cone(model, s, LABEL_SHIRT, kit_v(0.0, 0.225, -0.040), kit_v(0.0, 0.17, -0.02), 0.060, 0.11, 0.05)->scale =
        kit_v(1.0, 1.0, 0.75);
    int32_t first = s->blob_count;
    kit_cone(model, s, LABEL_SHIRT, kit_v(0.040, 0.232, -0.040), kit_v(0.158, 0.206, -0.032), 0.050, 0.052,
             0.05); // shoulder
    kit_cone(model, s, LABEL_SHIRT, kit_v(0.165, 0.200, -0.032), kit_v(0.186, 0.070, -0.025), 0.052, 0.046,
             0.04);                                                                                // sleeve
    kit_ball(model, s, LABEL_SHIRT, kit_v(0.068, 0.110, 0.045), kit_v(0.066, 0.062, 0.048), 0.06); // breast
    kit_shape_mirror(model, s, first, 0);
    kit_ball(model, s, LABEL_SHIRT, kit_v(0.0, -1.0, 0.0), kit_v(2.0, 1.012, 2.0), 0.012)->carve =
        true; // the cut below
}

// Height of the head's surface over the face plane: the outermost z at (x, y).
static double face_z(const kit_shape* shape, double x, double y) {
    double out = 0.16, in = 0.16;
    while (in > -0.1 && kit_shape_distance(shape, kit_v(x, y, in), NULL) > 0.0) {
        out = in;
        in -= 0.004;
    }
    for (int32_t i = 0; i < 24; ++i) {
        double middle = 0.5 * (out + in);
        if (kit_shape_distance(shape, kit_v(x, y, middle), NULL) > 0.0) {
            out = middle;
        } else {
            in = middle;
        }
    }
    return 0.5 * (out + in);
}

static void head_color(kit_vertex* v) {
    static const double skin[3] = {0.86, 0.62, 0.49}, blush[3] = {0.84, 0.42, 0.35}, hair[3] = {0.115, 0.055, 0.025};
    kit_vec p = v->position;
    double cheek = 0.40 * kit_bump(0.0, 0.034, kit_distance(p, kit_v(copysign(0.040, p.x), 0.445, 0.072)));
    double nose = 0.30 * kit_bump(0.0, 0.020, kit_distance(p, kit_v(0.0, 0.446, 0.110)));
    // Scalp: hair-coloured above the hairline.
    double line = kit_mix(0.560, 0.455, kit_smooth(0.075, 0.0, p.z)) - 0.05 * kit_smooth(0.0, -0.05, p.z);
    double scalp = v->label == LABEL_HEAD ? kit_smooth(line - 0.004, line + 0.006, p.y) : 0.0;
    for (int32_t k = 0; k < 3; ++k) {
        double c = kit_mix(skin[k], blush[k], cheek + nose);
        v->color[k] = kit_mix(c, hair[k], scalp);
    }
}

// -- Eyes, brows, ears

typedef struct shell {
    kit_vec centre;
    double radius;
    kit_quat turn;
    double from, to; // polar angles
} shell;

static kit_vec shell_point(double u, double v, const void* context) {
    const shell* s = context;
    double a = kit_mix(s->from, s->to, v), b = -KIT_PI * u;
    kit_vec d = {kit_cos(b) * kit_sin(a), kit_cos(a), -kit_sin(b) * kit_sin(a)};
    return kit_mad(s->centre, kit_rotate(s->turn, d), s->radius);
}

typedef struct brow {
    const kit_shape* shape;
    double side;
} brow;

static kit_vec brow_point(double u, double v, const void* context) {
    const brow* b = context;
    double thick = 0.0034 * kit_mix(0.55, 1.0, kit_smooth(0.0, 0.2, u)) * kit_mix(1.0, 0.25, kit_smooth(0.35, 1.0, u));
    double x = kit_mix(0.0120, 0.0500, u),
           y = 0.5015 + 0.0060 * kit_sin(KIT_PI * kit_mix(0.18, 0.85, u)) + thick * (2.0 * v - 1.0);
    x *= b->side;
    kit_vec p = {x, y, face_z(b->shape, x, y)};
    return kit_mad(p, kit_shape_normal(b->shape, p), 0.0014);
}

// Lips: u from corner to corner, v up. Two cushions with a line between, lying on the mouth's mound.
static kit_vec lips_point(double u, double v, const void* context) {
    const kit_shape* shape = context;
    double across = 2.0 * u - 1.0, wide = 1.0 - across * across, x = 0.0235 * across;
    double top = 0.0088 * wide - 0.0020 * kit_bump(0.0, 0.30, across), bottom = -0.0105 * wide;
    double y = 0.4150 + 0.0022 * across * across +
               (v < 0.5 ? kit_mix(bottom, 0.0, 2.0 * v) : kit_mix(0.0, top, 2.0 * v - 1.0));
    double cushion = kit_sin(2.0 * KIT_PI * (v < 0.5 ? v : 1.0 - v)); // 0 at the rim and at the line
    double full =
        (v < 0.5 ? 0.0046 : 0.0034) * cushion * kit_smooth(0.0, 0.5, wide) + (v > 0.01 && v < 0.99 ? 0.0004 : -0.0006);
    return kit_v(x, y, face_z(shape, x, y) + full);
}

static void face_parts(kit_model* model, const hair_shapes* shapes, const hair_bones* b, int32_t skin) {
    int32_t white = kit_material(model, "EyeWhite", 0.93, 0.91, 0.88, 0.1);
    int32_t iris = kit_material(model, "EyeIris", 0.16, 0.30, 0.22, 0.1);
    int32_t pupil = kit_material(model, "EyePupil", 0.01, 0.01, 0.01, 0.05);
    int32_t lash = kit_material(model, "Lash", 0.05, 0.025, 0.015, 0.8);
    int32_t lips = kit_material(model, "Lips", 0.62, 0.24, 0.23, 0.35);
    model->materials[lash].double_sided = true;
    kit_mesh* mesh = kit_mesh_add(model, "face", KIT_UV | KIT_COLOR);
    for (int32_t side = -1; side <= 1; side += 2) {
        kit_vec centre = {side * 0.0305, 0.4775, 0.0665};
        kit_eye(model, mesh, centre, 0.0155, kit_v(side * 0.05, 0.0, 1.0), 0.20, 0.47, 16, white, iris, pupil);
        // Lids are bands of a slightly larger ball, from its pole down to the open slit.
        kit_quat tilt = kit_euler(0.0, 0.0, side * 5.0);
        shell upper = {centre, 0.0167, tilt, 0.12 * KIT_PI, 0.385 * KIT_PI};
        shell lower = {centre, 0.0165, tilt, 0.630 * KIT_PI, 0.92 * KIT_PI};
        shell line = {centre, 0.0173, tilt, 0.366 * KIT_PI, 0.398 * KIT_PI};
        int32_t first = kit_sheet(model, mesh, 12, 4, false, shell_point, &upper, skin);
        kit_mesh_paint(mesh, first, -1, 0.80, 0.54, 0.43);
        first = kit_sheet(model, mesh, 12, 4, false, shell_point, &lower, skin);
        kit_mesh_paint(mesh, first, -1, 0.82, 0.58, 0.47);
        kit_sheet(model, mesh, 12, 1, false, shell_point, &line, lash);
        brow arc = {&shapes->head, side};
        kit_sheet(model, mesh, 12, 2, false, brow_point, &arc, lash);
        first = mesh->vertex_count;
        // Ear: a tilted disc with a rolled rim, as a bent tube round a shell.
        kit_ring rim[13];
        for (int32_t i = 0; i < 13; ++i) {
            double a = kit_mix(-0.72, 1.12, i / 12.0) * KIT_PI;
            double fat = kit_mix(0.0048, 0.0062, kit_smooth(0.3, 0.0, i / 12.0));
            rim[i] = (kit_ring){kit_v(side * (0.0765 + 0.006 * (1.0 + kit_cos(a - 2.6))),
                                      0.4655 + 0.0275 * kit_sin(a) + 0.002 * kit_cos(a),
                                      -0.012 - 0.0150 * kit_cos(a) - 0.004 * kit_sin(a)),
                                fat, fat * 0.8, 2.0, 0.0};
        }
        kit_tube(model, mesh, rim, 13, 7, kit_v(1.0, 0.0, 0.0), KIT_CAP_START | KIT_CAP_END | KIT_CAP_ROUND, skin);
        kit_sphere(model, mesh, kit_v(side * 0.0755, 0.4655, -0.012), kit_v(0.0045, 0.0255, 0.0145),
                   kit_euler(0.0, side * 12.0, 0.0), 12, 8, skin);
        kit_mesh_paint(mesh, first, -1, 0.84, 0.57, 0.46);
    }
    kit_sheet(model, mesh, 14, 8, false, lips_point, &shapes->head, lips);
    kit_mesh_rigid(mesh, 0, -1, b->head);
}

// -- Hair

// The strand at theta: from the parting over the skull, past the ear, down to the shoulder and its breadth below.
static void strand_points(double theta, kit_vec* points) {
    double side = theta < 0.0 ? -1.0 : 1.0, around = fabs(theta);
    double front = kit_smooth(1.1, theta_limit, around);
    double s = kit_sin(theta), c = kit_cos(theta);
    // The parting runs along the top, a little to the left; hair at the back comes from the crown.
    points[0] = kit_v(0.014 + 0.002 * side, 0.598 - 0.022 * front, kit_mix(-0.055, 0.062, front));
    points[1] = kit_v(0.040 * s + 0.3 * points[0].x + 0.010 * side * front, 0.592 - 0.024 * front,
                      kit_mix(-0.020 - 0.060 * c, 0.066, front));
    points[2] = kit_v((0.076 + 0.008 * front) * s, 0.555 - 0.012 * front, -0.018 - 0.094 * c);
    points[3] = kit_v((0.091 + 0.014 * front) * s, 0.500, -0.018 - 0.108 * c);
    points[4] = kit_v((0.098 + 0.016 * front) * s, 0.430, -0.026 - 0.102 * c);
    points[5] = kit_v((0.106 + 0.014 * front) * s, 0.360, -0.030 - 0.100 * c);
    // Longer before and behind the shoulders than on them.
    double on_shoulder = kit_bump(1.45, 0.75, around);
    points[6] =
        kit_v((0.112 + 0.008 * front) * s, kit_mix(0.275, 0.330, on_shoulder), -0.030 - (0.106 + 0.02 * front) * c);
    points[7] =
        kit_v((0.106 + 0.004 * front) * s, kit_mix(0.190, 0.297, on_shoulder), -0.026 - (0.112 + 0.045 * front) * c);
}

typedef struct strand {
    kit_vec points[STRAND_POINTS];
    const hair_shapes* shapes;
    double theta;
    double lift;   // metres above the scalp
    double length; // share of the whole
} strand;

// On the strand, kept clear of the head and the shirt.
static kit_vec strand_at(const strand* s, double t) {
    kit_vec p = kit_curve_point(s->points, STRAND_POINTS, t * s->length);
    double loose = kit_smooth(0.40, 0.95, t);
    // The wave depends on the place round the head alone: what lies in layers stays in layers.
    double wave = 0.0045 * loose, phase = 1.4 * s->theta, away = s->lift * loose + wave * kit_sin(9.0 * t + phase);
    double along = wave * kit_sin(7.0 * t + 2.3 * phase);
    p.x += away * kit_sin(s->theta) + along * kit_cos(s->theta);
    p.z += along * kit_sin(s->theta) - away * kit_cos(s->theta);
    double clear = 0.0035 + s->lift * kit_smooth(-0.05, 0.25, t);
    for (int32_t i = 0; i < 4; ++i) {
        double head = kit_shape_distance(&s->shapes->head, p, NULL),
               shirt = kit_shape_distance(&s->shapes->shirt, p, NULL);
        const kit_shape* near = head < shirt ? &s->shapes->head : &s->shapes->shirt;
        double d = head < shirt ? head : shirt;
        // On the scalp the hair lies at exactly its layer's height; below it only keeps clear.
        double on_scalp = kit_smooth(0.42, 0.30, t) * (head < shirt ? 1.0 : 0.0);
        double move = d < clear ? clear - d : (clear - d) * on_scalp;
        p = kit_mad(p, kit_shape_normal(near, p), move);
    }
    return p;
}

static void card_add(kit_model* model, kit_mesh* mesh, const hair_shapes* shapes, double theta, double width,
                     double lift, double length, uint32_t seed, int32_t material) {
    int32_t first = mesh->vertex_count;
    double shade = 0.70 + 0.55 * kit_random(41, seed), warm = kit_random(42, seed),
           phase = 2.0 * KIT_PI * kit_random(43, seed);
    for (int32_t j = 0; j <= CARD_ROWS; ++j) {
        double t = (double)j / CARD_ROWS;
        // Narrow at the parting, full in the middle, closing to a point.
        double spread =
            width * kit_mix(0.75, 1.0, kit_smooth(0.0, 0.3, t)) * kit_mix(1.0, 0.22, kit_smooth(0.72, 1.0, t));
        for (int32_t i = 0; i <= CARD_COLUMNS; ++i) {
            double across = 2.0 * i / CARD_COLUMNS - 1.0;
            double place = kit_clamp(theta + 0.5 * spread * across, -theta_limit - 0.06, theta_limit + 0.06);
            strand s = {.shapes = shapes, .theta = place, .lift = lift - 0.0030 * across * across, .length = length};
            strand_points(place, s.points);
            kit_vec p = strand_at(&s, t);
            int32_t index = kit_vertex_add(model, mesh, p, kit_v(0.0, 1.0, 0.0), (double)i / CARD_COLUMNS, t);
            kit_vertex* v = &mesh->vertices[index];
            double tip = kit_mix(0.72, 1.25, kit_smooth(0.05, 1.0, t)),
                   streak = 1.0 + 0.12 * kit_sin(9.0 * across + phase);
            v->color[0] = shade * tip * streak;
            v->color[1] = shade * tip * streak * kit_mix(0.90, 1.0, warm);
            v->color[2] = shade * tip * streak * kit_mix(0.75, 1.0, warm);
            v->pin = t < 0.34 ? 1.0 : 0.0;
            v->blend = kit_smooth(0.30, 0.48, t);
            v->stiffness = kit_mix(0.9, 0.25, t);
        }
    }
    for (int32_t j = 0; j < CARD_ROWS; ++j) {
        for (int32_t i = 0; i < CARD_COLUMNS; ++i) {
            int32_t a = first + j * (CARD_COLUMNS + 1) + i, b = a + 1, c = a + CARD_COLUMNS + 1, d = c + 1;
            kit_triangle_add(model, mesh, a, c, d, material);
            kit_triangle_add(model, mesh, a, d, b, material);
        }
    }
    kit_mesh_normals(model, mesh, first, -1, false);
}

static void hair_cards(kit_model* model, const hair_shapes* shapes, const hair_bones* b, int32_t material) {
    // Layers from the scalp outward: how many cards side by side, how high they lie, how long they are.
    static const struct {
        int32_t cards;
        double lift, length;
    } layers[] = {{16, 0.004, 0.96}, {28, 0.009, 1.00}, {28, 0.014, 0.95}, {28, 0.019, 0.88}};
    kit_mesh* mesh = kit_mesh_add(model, "hair", KIT_UV | KIT_COLOR | KIT_PIN | KIT_BLEND | KIT_STIFFNESS);
    uint32_t seed = 0;
    for (int32_t layer = 0; layer < 4; ++layer) {
        int32_t cards = layers[layer].cards;
        double step = 2.0 * theta_limit / cards;
        for (int32_t i = 0; i < cards; ++i, ++seed) {
            double theta =
                -theta_limit + step * (i + 0.5 + 0.35 * (kit_random(44, seed) - 0.5) + ((layer & 1) != 0 ? 0.0 : 0.25));
            double lift = layers[layer].lift + 0.0028 * (kit_random(45, seed) - 0.5);
            double length = layers[layer].length * (0.95 + 0.07 * kit_random(46, seed));
            card_add(model, mesh, shapes, theta, step * 1.75, lift, length, seed, material);
        }
    }
    kit_mesh_rigid(mesh, 0, -1, b->head);
}

// -- Clips

static void hair_pose(const hair_bones* b, kit_joint* pose, double x, double y, double z) {
    pose[b->neck].rotation = kit_euler(0.4 * x, 0.4 * y, 0.4 * z);
    pose[b->head].rotation = kit_euler(0.6 * x, 0.6 * y, 0.6 * z);
}

static void hair_clips(kit_model* model, const hair_bones* b) {
    static const kit_key shake[] = {{0.0, 0.0},    {0.25, 38.0}, {0.60, -42.0}, {0.95, 42.0},
                                    {1.30, -38.0}, {1.60, 16.0}, {1.85, 0.0}};
    static const kit_key nod[] = {{0.0, 0.0}, {0.30, 24.0}, {0.65, -16.0}, {1.0, 22.0}, {1.35, -10.0}, {1.65, 0.0}};
    static const kit_key turn[] = {{0.0, 0.0}, {0.5, 58.0}, {1.3, 58.0}, {1.75, -58.0}, {2.6, -58.0}, {3.1, 0.0}};
    kit_clip* clip = kit_clip_add(model, "shake", 2.4, true);
    for (int32_t f = 0; f < clip->frame_count; ++f) {
        double t = kit_clip_seconds(clip, f), y = kit_keys(shake, 7, 2.4, t);
        hair_pose(b, kit_clip_pose(clip, f), 4.0 * kit_smooth(0.0, 0.3, t) * kit_smooth(2.0, 1.6, t), y, -0.12 * y);
    }
    clip = kit_clip_add(model, "nod", 2.2, true);
    for (int32_t f = 0; f < clip->frame_count; ++f) {
        double t = kit_clip_seconds(clip, f);
        kit_joint* pose = kit_clip_pose(clip, f);
        hair_pose(b, pose, kit_keys(nod, 6, 2.2, t), 0.0, 0.0);
        pose[b->chest].rotation = kit_euler(0.12 * kit_keys(nod, 6, 2.2, t - 0.06), 0.0, 0.0);
    }
    clip = kit_clip_add(model, "turn", 3.6, true);
    for (int32_t f = 0; f < clip->frame_count; ++f) {
        double t = kit_clip_seconds(clip, f), y = kit_keys(turn, 6, 3.6, t);
        kit_joint* pose = kit_clip_pose(clip, f);
        hair_pose(b, pose, 3.0 * kit_sin(y * KIT_PI / 58.0), y, 0.06 * y);
        pose[b->chest].rotation = kit_euler(0.0, 0.14 * kit_keys(turn, 6, 3.6, t - 0.1), 0.0);
    }
}

// A rib of cloth where the neck leaves the shirt. On each ray round the neck the meeting point is found by walking
// down the skin until it dives into the shirt.
static void collar_add(kit_model* model, kit_mesh* mesh, const hair_shapes* shapes, int32_t material) {
    enum { RAYS = 40 };
    double height[RAYS], radius[RAYS];
    kit_vec axis = {0.0, 0.0, -0.030};
    for (int32_t i = 0; i < RAYS; ++i) {
        double a = 2.0 * KIT_PI * i / RAYS;
        kit_vec out = {kit_sin(a), 0.0, kit_cos(a)};
        height[i] = 0.340;
        bool above = true;
        while (above && height[i] > 0.20) {
            height[i] -= 0.001;
            radius[i] = 0.02;
            kit_vec start = kit_v(axis.x, height[i], axis.z);
            while (kit_shape_distance(&shapes->head, kit_mad(start, out, radius[i]), NULL) < 0.0) {
                radius[i] += 0.0005;
            }
            above = kit_shape_distance(&shapes->shirt, kit_mad(start, out, radius[i]), NULL) > 0.0;
        }
    }
    kit_ring rings[RAYS + 1];
    for (int32_t i = 0; i <= RAYS; ++i) {
        int32_t k = i % RAYS, l = (i + RAYS - 1) % RAYS, r = (i + 1) % RAYS;
        double y = 0.25 * (height[l] + 2.0 * height[k] + height[r]),
               out = 0.25 * (radius[l] + 2.0 * radius[k] + radius[r]) + 0.0015;
        double a = 2.0 * KIT_PI * k / RAYS;
        rings[i] = (kit_ring){kit_v(axis.x + out * kit_sin(a), y, axis.z + out * kit_cos(a)), 0.0042, 0.0058, 2.0, 0.0};
    }
    kit_tube(model, mesh, rings, RAYS + 1, 6, kit_v(0.0, 1.0, 0.0), 0, material);
}

// Drops triangles that lie wholly inside the other shape, `depth` below its surface: nobody sees them.
static void cull_inside(kit_mesh* mesh, const kit_shape* other, double depth) {
    int32_t kept = 0;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        bool seen = false;
        for (int32_t k = 0; k < 3; ++k) {
            seen = seen || kit_shape_distance(other, mesh->vertices[mesh->triangles[t].v[k]].position, NULL) > -depth;
        }
        if (seen) {
            mesh->triangles[kept++] = mesh->triangles[t];
        }
    }
    mesh->triangle_count = kept;
}

static void bust_bind(kit_mesh* mesh, const hair_bones* b) {
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        // Chest to neck to head by height; under the jaw the neck's skin gives way smoothly.
        kit_vertex* v = &mesh->vertices[i];
        double back = kit_smooth(0.03, -0.05, v->position.z);
        double head = kit_smooth(0.335, kit_mix(0.372, 0.425, back), v->position.y),
               neck = kit_smooth(0.235, 0.315, v->position.y);
        v->joints[0] = b->head;
        v->joints[1] = b->neck;
        v->joints[2] = b->chest;
        v->weights[0] = head;
        v->weights[1] = (1.0 - head) * neck;
        v->weights[2] = (1.0 - head) * (1.0 - neck);
    }
}

void hair_build(kit_model* model) {
    hair_bones b;
    b.root = kit_bone(model, "root", KIT_NONE, kit_v(0.0, 0.0, 0.0));
    b.chest = kit_bone_to(model, "chest", b.root, kit_v(0.0, 0.08, -0.02), kit_v(0.0, 0.27, -0.035));
    b.neck = kit_bone_to(model, "neck", b.chest, kit_v(0.0, 0.27, -0.035), kit_v(0.0, 0.395, -0.02));
    b.head = kit_bone_to(model, "head", b.neck, kit_v(0.0, 0.395, -0.02), kit_v(0.0, 0.60, -0.02));
    kit_bones_orient(model);
    int32_t skin = kit_material(model, "Skin", 1.0, 1.0, 1.0, 0.55);
    int32_t cloth = kit_material(model, "Shirt", 0.26, 0.36, 0.46, 0.9);
    int32_t hair = kit_material(model, "Hair", 0.30, 0.145, 0.065, 0.42);
    model->materials[hair].double_sided = true;

    hair_shapes shapes = {0};
    head_shape(model, &shapes.head);
    shapes.head.grade = head_grade;
    shirt_shape(model, &shapes.shirt);
    kit_mesh* head = kit_mesh_add(model, "head", KIT_UV | KIT_COLOR);
    kit_shape_mesh(model, head, &shapes.head, 0.0084, skin);
    cull_inside(head, &shapes.shirt, 0.012);
    for (int32_t i = 0; i < head->vertex_count; ++i) {
        head_color(&head->vertices[i]);
    }
    bust_bind(head, &b);
    kit_vec up = {0.0, 1.0, 0.0}, front = {0.0, 0.0, 1.0};
    kit_chart head_charts[2] = {{LABEL_HEAD, {0.0, 0.48, 0.0}, up, front, 0.0, 0.0, 1.0, 0.7},
                                {LABEL_NECK, {0.0, 0.3, -0.03}, up, front, 0.0, 0.7, 1.0, 1.0}};
    kit_mesh_unwrap(model, head, head_charts, 2);
    kit_mesh* shirt = kit_mesh_add(model, "shirt", KIT_UV);
    kit_shape_mesh(model, shirt, &shapes.shirt, 0.023, cloth);
    cull_inside(shirt, &shapes.head, 0.012);
    collar_add(model, shirt, &shapes, cloth);
    bust_bind(shirt, &b);
    kit_chart shirt_chart = {LABEL_SHIRT, {0.0, 0.1, -0.02}, up, front, 0.0, 0.0, 1.0, 1.0};
    kit_mesh_unwrap(model, shirt, &shirt_chart, 1);
    face_parts(model, &shapes, &b, skin);
    hair_cards(model, &shapes, &b, hair);
    hair_clips(model, &b);
}
