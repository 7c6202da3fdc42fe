// SPDX-License-Identifier: MIT
#include "samples/human.h"
#include "samples/kit_samples.h"

#include <math.h>

// A gymnast in a short, loose skirt with gold discs and a band sewn on, over bare legs. Her clip is the hardest thing that cloth is asked here:
// a run-up, a hop onto both feet, a tucked forward somersault of 0.6 s, and a landing.
//
// The clip is written as footprints: each foot has a list of times and places where it stands, and swings from one to the next; the
// root and the hips have their own curves. What stands, stands still in the world to the last bit of the solver.

typedef struct wardrobe {
    int32_t skin, eye_white, iris, hair, lips, leotard, skirt, lining, gold, ribbon, slipper;
} wardrobe;

static wardrobe make_materials(kit_model* m) {
    wardrobe w = {.skin = kit_material(m, "skin", 0.66, 0.41, 0.29, 0.55),
                  .eye_white = kit_material(m, "eye_white", 0.86, 0.85, 0.82, 0.25),
                  .iris = kit_material(m, "iris", 0.070, 0.035, 0.018, 0.2),
                  .hair = kit_material(m, "hair", 0.045, 0.028, 0.020, 0.5),
                  .lips = kit_material(m, "lips", 0.50, 0.17, 0.15, 0.45),
                  .leotard = kit_material(m, "leotard", 0.72, 0.70, 0.66, 0.7),
                  .skirt = kit_material(m, "skirt", 0.070, 0.270, 0.250, 0.7),
                  .lining = kit_material(m, "skirt_lining", 0.040, 0.140, 0.135, 0.75),
                  .gold = kit_material(m, "gold", 0.830, 0.580, 0.190, 0.3),
                  .ribbon = kit_material(m, "ribbon", 0.520, 0.075, 0.065, 0.6),
                  .slipper = kit_material(m, "slipper", 0.300, 0.200, 0.130, 0.6)};
    m->materials[w.gold].metallic = 1.0;
    return w;
}

// -- Body and leotard

enum { LEOTARD_TOP = 13 };

static double scalp(double azimuth, double latitude) {
    static const kit_key low[] = {{0, 38}, {22, 36}, {40, 29},   {54, 18},   {66, 8},
                                  {78, 4}, {92, -4}, {110, -20}, {140, -36}, {180, -42}};
    return latitude - kit_keys(low, 10, 0, azimuth);
}

// Skin that the hair covers for good is left out.
static bool under_hair(const human* h, const human_face* f) {
    for (int32_t k = 0; k < 4 && f->v[k] != KIT_NONE; k++) {
        if (human_field_at(h, scalp, f->v[k]) < 11.0) {
            return false;
        }
    }
    return true;
}

static bool choose_skin(const human* h, const human_face* f, const void* context) {
    (void)context;
    return (f->region == HUMAN_REGION_HEAD && !under_hair(h, f)) ||
           (f->region == HUMAN_REGION_TORSO && f->row >= LEOTARD_TOP - 1) || human_is_arm(f->region) ||
           (human_is_leg(f->region) && f->row >= 1 && f->row < 17);
}

static bool choose_leotard(const human* h, const human_face* f, const void* context) {
    (void)h;
    (void)context;
    return (f->region == HUMAN_REGION_TORSO && f->row < LEOTARD_TOP) || (human_is_leg(f->region) && f->row < 1) ||
           (human_is_arm(f->region) && f->row < 1);
}

static kit_vec move_leotard(const human* h, int32_t point, const void* context) {
    (void)context;
    const kit_vec p = h->points[point];
    kit_vec q = kit_mad(p, h->normals[point], 0.008);
    // Between the thighs there is no room for two thicknesses: each side keeps to its own half.
    if (p.x != 0 && q.x * p.x < 0.0015 * fabs(p.x)) {
        q.x = p.x > 0 ? 0.0015 : -0.0015;
    }
    return q;
}

static bool choose_slippers(const human* h, const human_face* f, const void* context) {
    (void)h;
    (void)context;
    return human_is_leg(f->region) && f->row >= 17;
}

static void make_body(human* h, wardrobe w) {
    kit_mesh* body = kit_mesh_add(h->model, "body", KIT_UV);
    human_emit(h, body, w.skin, choose_skin, NULL, NULL);
    human_emit(h, body, w.slipper, choose_slippers, NULL, NULL);
    human_unwrap(h, body);
    human_emit_hands(h, body, w.skin);
    human_emit_face(h, body, (human_face_colors){w.skin, w.eye_white, w.iris, w.hair, w.lips}, true);

    kit_mesh* leotard = kit_mesh_add(h->model, "leotard", KIT_UV);
    human_emit(h, leotard, w.leotard, choose_leotard, move_leotard, NULL);
    human_rim(h, leotard, 0, 0.005);
    human_unwrap(h, leotard);

    // Hair drawn back into a knot with a ribbon round it.
    kit_mesh* hair = kit_mesh_add(h->model, "hair", KIT_UV);
    human_emit_hair(h, hair, w.hair, scalp, 0.007);
    human_unwrap(h, hair);
    const int32_t knot = hair->vertex_count;
    kit_sphere(h->model, hair, human_place(h, 0, 1.630, -0.118), human_place(h, 0.038, 0.036, 0.030),
               kit_euler(-35, 0, 0), 12, 7, w.hair);
    kit_ring band[13];
    for (int32_t i = 0; i < 13; i++) {
        const double a = 2.0 * KIT_PI * i / 12.0;
        const kit_vec p = kit_rotate(kit_euler(55, 0, 0), kit_v(0.034 * kit_sin(a), 0, 0.034 * kit_cos(a)));
        band[i] = (kit_ring){.centre = kit_add(human_place(h, 0, 1.616, -0.102), kit_mul(p, h->scale)),
                             .rx = 0.006 * h->scale,
                             .ry = 0.006 * h->scale,
                             .exponent = 2};
    }
    kit_tube(h->model, hair, band, 13, 5, kit_rotate(kit_euler(55, 0, 0), kit_v(0, 1, 0)), 0, w.ribbon);
    kit_mesh_rigid(hair, knot, -1, HUMAN_HEAD);
}

// -- Skirt

enum { SKIRT_COLUMNS = 40, SKIRT_ROWS = 8 };

static double fold(double angle, double v) {
    return (0.001 + 0.022 * kit_smooth(0.1, 1.0, v)) *
           (kit_cos(10.0 * angle + 0.4 * kit_sin(2.0 * angle)) + 0.25 * kit_cos(3.0 * angle + 0.7));
}

static human_grid shape_skirt(human* h) {
    const double s = h->scale;
    human_grid g = human_grid_new(h->model, SKIRT_COLUMNS, SKIRT_ROWS, true);
    static const kit_key half_x[] = {{0.0, 0.130}, {0.14, 0.150}, {0.35, 0.192}, {0.65, 0.228}, {1.0, 0.256}};
    static const kit_key half_z[] = {{0.0, 0.110}, {0.14, 0.126}, {0.35, 0.160}, {0.65, 0.196}, {1.0, 0.226}};
    for (int32_t r = 0; r < SKIRT_ROWS; r++) {
        const double v = (double)r / (SKIRT_ROWS - 1);
        for (int32_t c = 0; c < SKIRT_COLUMNS; c++) {
            const double angle = 2.0 * KIT_PI * c / SKIRT_COLUMNS, f = fold(angle, v);
            const double x = (kit_keys(half_x, 5, 0, v) + f) * s, z = (kit_keys(half_z, 5, 0, v) + f) * s;
            kit_vec p =
                kit_v(x * kit_sin(angle), kit_mix(1.035, 0.655, v) * s + 0.3 * f * v, z * kit_cos(angle) - 0.004);
            // The waistband lies close.
            const kit_vec d = kit_v(kit_sin(angle), 0, kit_cos(angle));
            const kit_vec close = kit_mad(human_cast(&h->body, kit_v(0, p.y, 0), d, 0.3), d, 0.0235);
            *human_grid_at(&g, c, r) = kit_lerp(close, p, kit_smooth(0.08, 0.35, v));
        }
    }
    human_grid_clear(&g, &h->body, 0.008 + 0.0105 + 0.005);
    human_grid_normals(&g);
    return g;
}

// Weights and paint of anything on or in the skirt, by height and side alone: what is sewn on moves with what it is sewn to.
static void dress_skirt(human* h, kit_mesh* mesh, int32_t first) {
    for (int32_t i = first; i < mesh->vertex_count; i++) {
        kit_vertex* v = &mesh->vertices[i];
        const double y = v->position.y / h->scale, x = v->position.x / h->scale;
        const double low = kit_smooth(0.98, 0.66, y) * 0.75, left = kit_smooth(-0.15, 0.15, x);
        double dense[HUMAN_BONE_COUNT] = {0};
        const double spine = 0.35 * kit_smooth(0.96, 1.06, y);
        dense[HUMAN_HIPS] = (1 - low) * (1 - spine);
        dense[HUMAN_SPINE] = (1 - low) * spine;
        dense[human_bone(HUMAN_THIGH, 0)] = low * left;
        dense[human_bone(HUMAN_THIGH, 1)] = low * (1 - left);
        human_weights_set(v, dense);
        v->blend = kit_smooth(0.995, 0.860, y);
        v->pin = 1.0 - kit_smooth(0.995, 0.965, y);
        v->stiffness = kit_mix(0.4, 0.7, kit_smooth(0.70, 0.66, y));
        const double shade = kit_mix(1.0, 0.85, kit_smooth(1.0, 0.66, y));
        v->color[0] = v->color[1] = v->color[2] = shade;
    }
}

static void make_skirt(human* h, wardrobe w, const human_grid* grid) {
    const uint32_t attributes = KIT_UV | KIT_COLOR | KIT_BLEND | KIT_PIN | KIT_STIFFNESS;
    kit_mesh* mesh = kit_mesh_add(h->model, "skirt", attributes);
    mesh->node_extras = "{\"garment\":\"skirt\",\"fabric\":\"cotton\",\"grams_per_square_metre\":180}";
    human_cloth_add(h, mesh, grid, 0.005, w.skirt, w.lining);
    dress_skirt(h, mesh, 0);

    kit_mesh* ornaments = kit_mesh_add(h->model, "ornaments", attributes & ~(uint32_t)KIT_COLOR);
    human_trim(h, ornaments, grid, 0.0, 0.85, 0.0, SKIRT_COLUMNS, 24, 0.006, w.ribbon);
    human_trim(h, ornaments, grid, SKIRT_ROWS - 1.85, SKIRT_ROWS - 1.25, 0.0, SKIRT_COLUMNS, SKIRT_COLUMNS, 0.003,
               w.ribbon);
    for (int32_t i = 0; i < 10; i++) {
        // One disc on each fold's ridge, two rows in turn.
        human_stud(h, ornaments, grid, 4.0 * i, i % 2 == 0 ? 3.6 : 4.4, 0.016 * h->scale, 0.008, 8, w.gold);
    }
    human_stud(h, ornaments, grid, 0.0, 0.42, 0.022 * h->scale, 0.013, 10, w.gold);
    dress_skirt(h, ornaments, 0);
}

// -- Clips

typedef struct footprint {
    double on, off; // seconds
    double z;       // of the ball of the foot, world
} footprint;

static const footprint prints[2][5] = {
    {{0.00, 0.30, 0.104}, {0.56, 0.80, 0.82}, {1.02, 1.18, 1.95}, {1.36, 1.52, 2.76}, {2.12, 9.0, 4.46}},
    {{0.00, 0.50, 0.104}, {0.78, 1.02, 1.27}, {1.36, 1.52, 2.76}, {2.12, 9.0, 4.46}, {9.0, 9.0, 4.46}},
};

static const double take_off = 1.52, touch_down = 2.12;

static const kit_key root_z[] = {{0.0, 0.0},   {0.2, 0.0},   {0.45, 0.22}, {0.7, 0.70},  {0.95, 1.36},
                                 {1.2, 2.06},  {1.36, 2.50}, {1.52, 2.94}, {1.82, 3.58}, {2.12, 4.22},
                                 {2.40, 4.37}, {2.8, 4.40},  {3.8, 4.40}};

// The foot in the world; root_z is taken off by the caller.
static void place_foot(human_pose* p, int32_t side, double t) {
    int32_t i = 0;
    while (prints[side][i].off < t) {
        i++;
    }
    const footprint* now = &prints[side][i];
    double pitch, lift = 0, z;
    p->toes[side] = 0;
    if (t >= now->on) {
        const double share = (t - now->on) / (now->off - now->on);
        z = now->z;
        pitch = now->off > 5.0 ? 0.0 : 46.0 * kit_smooth(0.45, 1.0, share);
    } else {
        const footprint* last = now - 1;
        const double u = (t - last->off) / (now->on - last->off), far = now->z - last->z;
        const double ease = kit_smooth(0.0, 1.0, u), hump = 16.0 * u * u * (1 - u) * (1 - u);
        z = kit_mix(last->z, now->z, ease);
        lift = hump * (last->off == take_off ? 0.55 : kit_clamp(0.20 * far, 0.08, 0.24));
        pitch = 46.0 * kit_smooth(0.8, 0.0, u) + 34.0 * hump * (1 - u);
        p->toes[side] = -pitch * kit_smooth(0.0, 0.3, u);
    }
    p->foot[side].z = z;
    p->foot[side].y = lift;
    p->foot_heel[side] = pitch;
    p->foot_toe[side] = 0;
}

static double keyed(const kit_key* keys, size_t size, double t) {
    return kit_keys(keys, (int32_t)(size / sizeof(kit_key)), 0, t);
}

static void make_somersault(human* h) {
    kit_clip* clip = kit_clip_add(h->model, "somersault", 3.8, false);
    static const kit_key height[] = {{0.0, -0.012},  {0.25, -0.040}, {0.5, -0.055},  {0.68, -0.080}, {0.80, -0.045},
                                     {0.90, -0.080}, {1.02, -0.045}, {1.10, -0.085}, {1.20, -0.030}, {1.30, -0.030},
                                     {1.43, -0.175}, {1.52, 0.015},  {2.12, -0.090}, {2.30, -0.270}, {2.50, -0.225},
                                     {3.0, -0.020},  {3.3, -0.012},  {3.8, -0.012}};
    // Turns of the whole body about its middle: 360 degrees end upright.
    static const kit_key flip[] = {{0.0, 0},    {0.2, 3},    {0.6, 9},    {1.2, 8},    {1.36, -2},
                                   {1.44, 8},   {1.52, 30},  {1.66, 96},  {1.84, 222}, {1.98, 318},
                                   {2.12, 372}, {2.30, 388}, {2.55, 380}, {3.0, 360},  {3.8, 360}};
    static const kit_key tuck[] = {{0.0, 0}, {1.54, 0}, {1.70, 1}, {1.90, 1}, {2.08, 0}, {3.8, 0}};
    static const kit_key loose[] = {{0.0, 0}, {1.54, 0}, {1.62, 1}, {1.98, 1}, {2.11, 0}, {3.8, 0}};
    static const kit_key reach[] = {{0.0, 0},  {1.14, 0},    {1.34, 0.5}, {1.44, 0.3}, {1.54, 1}, {1.66, 0},
                                    {1.96, 0}, {2.14, 0.55}, {2.34, 0.5}, {2.9, 0.75}, {3.3, 0},  {3.8, 0}};
    static const kit_key running[] = {{0.0, 0}, {0.15, 0}, {0.45, 1}, {1.14, 1}, {1.34, 0}, {3.8, 0}};
    const double start = 2.2; // behind the origin: the way is as long before it as after it
    const double s = h->scale, gravity = 9.81;
    const kit_vec middle = kit_mul(kit_v(0, 0.13, 0.05), s); // of the body, from the hips
    for (int32_t i = 0; i < clip->frame_count; i++) {
        const double t = kit_clip_seconds(clip, i);
        const double z = keyed(root_z, sizeof root_z, t), turn = keyed(flip, sizeof flip, t),
                     ball = keyed(tuck, sizeof tuck, t);
        const double up = keyed(reach, sizeof reach, t), run = keyed(running, sizeof running, t);
        const double air = t > take_off && t < touch_down ? 0.5 * gravity * (t - take_off) * (touch_down - t) : 0.0;
        human_pose p = human_stand(h);
        p.root = kit_v(0, 0, z - start);
        for (int32_t k = 0; k < 2; k++) {
            place_foot(&p, k, t);
            p.foot[k].z -= z;
        }
        const kit_quat whole = kit_euler(turn, 0, 0);
        // Upright, the hips lead; in the air the body turns about its middle.
        const double centred = kit_smooth(1.46, 1.60, t) * kit_smooth(2.16, 2.04, t);
        kit_vec swing = kit_sub(middle, kit_rotate(whole, middle));
        swing = kit_mul(swing, centred);
        p.hips = kit_add(kit_v(0, keyed(height, sizeof height, t) * s + air,
                               -0.02 * kit_smooth(2.0, 2.3, t) * kit_smooth(3.0, 2.5, t)),
                         swing);
        const double apart = kit_clamp((p.foot[1].z - p.foot[0].z) / (0.7 * s), -1.0, 1.0) * run; // right ahead: +1
        p.hips_rotation = kit_qmul(whole, kit_euler(0, 8.0 * apart, 0));
        p.spine = kit_qmul(kit_euler(0, -9.0 * apart, 0), kit_euler(3.0 + 15.0 * ball, 0, 0));
        p.chest = kit_qmul(kit_euler(0, -9.0 * apart, 0), kit_euler(-3.0 + 10.0 * ball - 10.0 * up * (1 - ball), 0, 0));
        p.neck = kit_euler(2.0 + 22.0 * ball - 6.0 * run, 0, 0);
        p.head = kit_euler(-1.0 + 16.0 * ball, 0, 0);
        for (int32_t k = 0; k < 2; k++) {
            const double m = k == 0 ? 1.0 : -1.0;
            const double stride = m * apart;
            double arm = kit_mix(2.0, 52.0 * stride, run), bend = kit_mix(14.0, 84.0, run),
                   spread = kit_mix(h->arms_out, 24.0, run);
            arm = kit_mix(arm, 158.0, up);
            bend = kit_mix(bend, 14.0, up);
            spread = kit_mix(spread, 24.0, up);
            // Hands to the shins.
            p.arm_swing[k] = kit_mix(arm, 62.0, ball);
            p.elbow[k] = kit_mix(bend, 48.0, ball);
            p.arm_spread[k] = kit_mix(spread, 14.0, ball);
            p.fingers[k] = kit_mix(20.0, 50.0, ball);
            p.leg_free[k] = keyed(loose, sizeof loose, t);
            p.thigh_flex[k] = kit_mix(18.0, 100.0, ball);
            p.shin_flex[k] = kit_mix(30.0, 132.0, ball);
            p.ankle_flex[k] = 38.0 * ball;
            p.knee_out[k] = 6.0 * ball + 5.0 * kit_smooth(2.1, 2.3, t) * kit_smooth(3.0, 2.6, t);
        }
        human_pose_write(h, &p, kit_clip_pose(clip, i));
    }
    kit_clip_finish(clip);
}

void somersault_build(kit_model* model) {
    human_figure figure = human_woman();
    figure.height = 1.62;
    figure.shoulder = 1.06;
    figure.hip = 0.96;
    figure.bust = 0.86;
    figure.limb = 1.02;
    human* h = human_new(model, figure);
    h->arms_out = 22.0;
    const wardrobe w = make_materials(model);
    model->extras = "{\"root_motion\":[\"somersault\"],\"units\":\"metres\"}";
    make_body(h, w);
    const human_grid skirt = shape_skirt(h);
    make_skirt(h, w, &skirt);
    human_idle_clip(h, 4.0);
    make_somersault(h);
    kit_bones_orient(model);
}
