// SPDX-License-Identifier: MIT
#include "samples/human.h"
#include "samples/kit_samples.h"

#include <math.h>

// A woman in a tunic, a pleated skirt, boots and a long cape, her hair loose to the middle of her back. Everything loose touches something
// else that is loose: the hair lies on the cape, the cape on the skirt. The tunic's front is painted soft.
//
// The layers are built from the inside out and each clears the one below: skin, tunic (10 mm), skirt and cape (lining 10 mm above
// the tunic), hair (on the cape's front).

typedef struct wardrobe {
    int32_t skin, eye_white, iris, brow, lips;
    int32_t hair, tunic, leggings, leather, sole, skirt, skirt_lining, cape, cape_lining, gold;
} wardrobe;

static wardrobe make_materials(kit_model* m) {
    wardrobe w = {.skin = kit_material(m, "skin", 0.80, 0.55, 0.43, 0.55),
                  .eye_white = kit_material(m, "eye_white", 0.86, 0.85, 0.82, 0.25),
                  .iris = kit_material(m, "iris", 0.05, 0.11, 0.07, 0.2),
                  .brow = kit_material(m, "brow", 0.10, 0.035, 0.018, 0.7),
                  .lips = kit_material(m, "lips", 0.62, 0.22, 0.19, 0.45),
                  .hair = kit_material(m, "hair", 0.30, 0.085, 0.030, 0.45),
                  .tunic = kit_material(m, "tunic", 0.74, 0.69, 0.58, 0.85),
                  .leggings = kit_material(m, "leggings", 0.055, 0.060, 0.075, 0.8),
                  .leather = kit_material(m, "leather", 0.150, 0.070, 0.032, 0.5),
                  .sole = kit_material(m, "sole", 0.035, 0.025, 0.020, 0.8),
                  .skirt = kit_material(m, "skirt", 0.045, 0.150, 0.240, 0.8),
                  .skirt_lining = kit_material(m, "skirt_lining", 0.030, 0.075, 0.115, 0.85),
                  .cape = kit_material(m, "cape", 0.420, 0.030, 0.045, 0.75),
                  .cape_lining = kit_material(m, "cape_lining", 0.480, 0.330, 0.130, 0.7),
                  .gold = kit_material(m, "gold", 0.830, 0.580, 0.190, 0.3)};
    m->materials[w.gold].metallic = 1.0;
    return w;
}

// -- Skin, tunic, boots: all from the cage

enum { TUNIC_BOTTOM = 2, TUNIC_TOP = 14, SLEEVE_END = 11, BOOT_TOP = 11 };

// The hairline: high on the brow, down before the ear, low on the nape.
static double scalp(double azimuth, double latitude) {
    static const kit_key low[] = {{0, 39},  {22, 37},   {40, 29},   {54, 16},  {66, 4},
                                  {80, -2}, {100, -16}, {130, -36}, {180, -44}};
    return latitude - kit_keys(low, 9, 0, azimuth);
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
           (f->region == HUMAN_REGION_TORSO && f->row >= TUNIC_TOP - 1) ||
           (human_is_arm(f->region) && f->row >= SLEEVE_END - 1);
}

static bool choose_leggings(const human* h, const human_face* f, const void* context) {
    (void)h;
    (void)context;
    return (f->region == HUMAN_REGION_TORSO && f->row < TUNIC_BOTTOM + 1) ||
           (human_is_leg(f->region) && f->row < BOOT_TOP + 1);
}

static bool choose_tunic(const human* h, const human_face* f, const void* context) {
    (void)h;
    (void)context;
    return (f->region == HUMAN_REGION_TORSO && f->row >= TUNIC_BOTTOM && f->row < TUNIC_TOP) ||
           (human_is_arm(f->region) && f->row < SLEEVE_END);
}

static bool choose_boots(const human* h, const human_face* f, const void* context) {
    (void)h;
    (void)context;
    return human_is_leg(f->region) && f->row >= BOOT_TOP;
}

// Ten millimetres off the skin; sleeves widen toward the cuff.
static kit_vec move_tunic(const human* h, int32_t point, const void* context) {
    (void)context;
    const kit_vec p = h->points[point];
    const kit_vec elbow = h->joints[HUMAN_FOREARM];
    const double out = 0.010 + 0.008 * kit_smooth(elbow.x - 0.05, elbow.x + 0.16, fabs(p.x));
    return kit_mad(p, h->normals[point], out);
}

static kit_vec move_boots(const human* h, int32_t point, const void* context) {
    (void)context;
    const kit_vec p = h->points[point];
    const double cuff = 0.006 * kit_smooth(0.30, 0.36, p.y);
    kit_vec q = kit_mad(p, h->normals[point], 0.011 + cuff);
    if (p.y < 0.02) {
        q.y = q.y < 0.0 ? 0.0 : q.y;
    }
    return q;
}

static void paint_chest(kit_mesh* mesh) {
    for (int32_t i = 0; i < mesh->vertex_count; i++) {
        kit_vertex* v = &mesh->vertices[i];
        const kit_vec centre = kit_v(v->position.x >= 0 ? 0.072 : -0.072, 1.220, 0.100);
        const double soft =
            kit_smooth(0.095, 0.030, kit_distance(v->position, centre)) * kit_smooth(0.02, 0.06, v->position.z);
        v->blend = 0.85 * soft;
        v->pin = 1.0 - soft;
        v->stiffness = 1.0 - 0.55 * soft;
    }
}

static void make_body(human* h, wardrobe w) {
    kit_mesh* body = kit_mesh_add(h->model, "body", KIT_UV);
    human_emit(h, body, w.skin, choose_skin, NULL, NULL);
    human_emit(h, body, w.leggings, choose_leggings, NULL, NULL);
    human_unwrap(h, body);
    human_emit_hands(h, body, w.skin);
    human_emit_face(h, body, (human_face_colors){w.skin, w.eye_white, w.iris, w.brow, w.lips}, false);

    kit_mesh* tunic = kit_mesh_add(h->model, "tunic", KIT_UV | KIT_BLEND | KIT_PIN | KIT_STIFFNESS);
    human_emit(h, tunic, w.tunic, choose_tunic, move_tunic, NULL);
    human_rim(h, tunic, 0, 0.005);
    human_unwrap(h, tunic);
    paint_chest(tunic);

    kit_mesh* boots = kit_mesh_add(h->model, "boots", KIT_UV);
    human_emit(h, boots, w.leather, choose_boots, move_boots, NULL);
    for (int32_t t = 0; t < boots->triangle_count; t++) {
        double high = 0;
        for (int32_t k = 0; k < 3; k++) {
            const double y = boots->vertices[boots->triangles[t].v[k]].position.y;
            high = y > high ? y : high;
        }
        if (high < 0.012) {
            boots->triangles[t].material = w.sole;
        }
    }
    human_rim(h, boots, 0, 0.012);
    human_unwrap(h, boots);
}

// -- Skirt

static double skirt_fold(double angle, double v) {
    // Pleats that run together toward the waist; a slower wave keeps them from looking stamped.
    const double depth = 0.0015 + 0.026 * kit_smooth(0.05, 1.0, v);
    return depth * (kit_cos(12.0 * angle + 0.5 * kit_sin(3.0 * angle)) + 0.35 * kit_cos(5.0 * angle + 1.0));
}

static human_grid shape_skirt(human* h) {
    enum { COLUMNS = 48, ROWS = 10 };
    human_grid g = human_grid_new(h->model, COLUMNS, ROWS, true);
    // Half axes of the ellipse, by metres below the waist.
    static const kit_key half_x[] = {{0, 0.132},     {0.065, 0.160}, {0.145, 0.196},
                                     {0.295, 0.228}, {0.445, 0.254}, {0.585, 0.274}};
    static const kit_key half_z[] = {{0, 0.112},     {0.065, 0.132}, {0.145, 0.158},
                                     {0.295, 0.188}, {0.445, 0.214}, {0.585, 0.236}};
    const double waist = 1.045, hem = 0.470;
    for (int32_t r = 0; r < ROWS; r++) {
        const double v = (double)r / (ROWS - 1);
        for (int32_t c = 0; c < COLUMNS; c++) {
            const double angle = 2.0 * KIT_PI * c / COLUMNS;
            const double fold = skirt_fold(angle, v);
            const double y = kit_mix(waist, hem, v) + 0.35 * fold * v; // ridges hang a little higher than valleys
            const double x = kit_keys(half_x, 6, 0, waist - y) + fold, z = kit_keys(half_z, 6, 0, waist - y) + fold;
            const kit_vec p = kit_v(x * kit_sin(angle), y, z * kit_cos(angle) - 0.004);
            // The waistband lies close to the tunic.
            const kit_vec d = kit_v(kit_sin(angle), 0, kit_cos(angle));
            const kit_vec close = kit_mad(human_cast(&h->body, kit_v(0, y, 0), d, 0.3), d, 0.026);
            *human_grid_at(&g, c, r) = kit_lerp(close, p, kit_smooth(0.06, 0.30, v));
        }
    }
    human_grid_clear(&g, &h->body, 0.010 + 0.0105 + 0.005);
    human_grid_normals(&g);
    return g;
}

// Waist rows belong to the skeleton, the rest to the particles; hems are a little stiffer, they are sewn double.
static void paint_hanging(kit_mesh* mesh, const human_grid* grid, const human_cloth* cloth, double pinned_rows,
                          double free_row) {
    const int32_t face = cloth->stride * grid->rows;
    for (int32_t i = 0; i < cloth->count; i++) {
        kit_vertex* v = &mesh->vertices[cloth->first + i];
        // Rim vertices find their row through v.
        const double row = i < 2 * face ? (i % face) / cloth->stride : -1.0;
        if (row < 0) {
            continue;
        }
        const double t = row / (grid->rows - 1);
        v->blend = kit_smooth(pinned_rows, free_row, row);
        v->pin = 1.0 - kit_smooth(pinned_rows - 0.5, pinned_rows + 0.5, row);
        v->stiffness = kit_mix(0.35, 0.6, kit_smooth(0.86, 1.0, t));
        const double shade = kit_mix(1.0, 0.78, t);
        v->color[0] = v->color[1] = v->color[2] = shade;
    }
    // The rim repeats places of front and lining.
    for (int32_t i = 2 * face; i < cloth->count; i++) {
        kit_vertex* v = &mesh->vertices[cloth->first + i];
        for (int32_t k = 0; k < 2 * face; k++) {
            const kit_vertex* o = &mesh->vertices[cloth->first + k];
            if (o->position.x == v->position.x && o->position.y == v->position.y && o->position.z == v->position.z) {
                v->blend = o->blend;
                v->pin = o->pin;
                v->stiffness = o->stiffness;
                for (int32_t c = 0; c < 4; c++) {
                    v->color[c] = o->color[c];
                    v->joints[c] = o->joints[c];
                    v->weights[c] = o->weights[c];
                }
                break;
            }
        }
    }
}

// Below the hips a skirt goes with both thighs, more with the nearer one; it never tears between them.
static void bind_skirt(kit_mesh* mesh, int32_t first) {
    for (int32_t i = first; i < mesh->vertex_count; i++) {
        kit_vertex* v = &mesh->vertices[i];
        const double low = kit_smooth(0.98, 0.62, v->position.y) * 0.72;
        const double left = kit_smooth(-0.16, 0.16, v->position.x);
        double dense[HUMAN_BONE_COUNT] = {0};
        const double spine = 0.35 * kit_smooth(0.96, 1.06, v->position.y);
        dense[HUMAN_HIPS] = (1 - low) * (1 - spine);
        dense[HUMAN_SPINE] = (1 - low) * spine;
        dense[human_bone(HUMAN_THIGH, 0)] = low * left;
        dense[human_bone(HUMAN_THIGH, 1)] = low * (1 - left);
        human_weights_set(v, dense);
    }
}

static void make_skirt(human* h, wardrobe w, const human_grid* grid) {
    kit_mesh* mesh = kit_mesh_add(h->model, "skirt", KIT_UV | KIT_COLOR | KIT_BLEND | KIT_PIN | KIT_STIFFNESS);
    mesh->node_extras = "{\"garment\":\"skirt\",\"fabric\":\"wool\",\"grams_per_square_metre\":260}";
    const human_cloth cloth = human_cloth_add(h, mesh, grid, 0.005, w.skirt, w.skirt_lining);
    bind_skirt(mesh, cloth.first);
    paint_hanging(mesh, grid, &cloth, 1.6, 4.4);

    kit_mesh* belt = kit_mesh_add(h->model, "belt", KIT_UV);
    human_trim(h, belt, grid, 0.0, 0.78, 0.0, grid->columns, 28, 0.007, w.leather);
    kit_vec n;
    const kit_vec at = human_grid_sample(grid, 0.0, 0.4, &n);
    kit_box(h->model, belt, kit_mad(at, n, 0.009), kit_v(0.024, 0.020, 0.004), 0.002, w.gold);
    for (int32_t k = 0; k < 4; k++) {
        human_stud(h, belt, grid, k < 2 ? 3.0 + 3 * k : grid->columns - 3.0 - 3 * (k - 2), 0.4, 0.009, 0.0125, 8,
                   w.gold);
    }
    bind_skirt(belt, 0);
}

// -- Cape

enum { CAPE_COLUMNS = 27, CAPE_ROWS = 19, CAPE_KEYS = 8 };

// Four key columns of the left half, from the front edge to the middle of the back; rows run from the neck to the hem.
static const kit_vec cape_keys[4][CAPE_KEYS] = {
    {{0.056, 1.402, 0.060},
     {0.112, 1.432, 0.036},
     {0.172, 1.432, -0.014},
     {0.214, 1.350, -0.098},
     {0.240, 1.200, -0.140},
     {0.268, 0.950, -0.175},
     {0.312, 0.640, -0.225},
     {0.345, 0.290, -0.250}},
    {{0.080, 1.432, -0.010},
     {0.124, 1.440, -0.030},
     {0.160, 1.412, -0.072},
     {0.182, 1.335, -0.125},
     {0.198, 1.185, -0.165},
     {0.220, 0.940, -0.215},
     {0.258, 0.630, -0.295},
     {0.285, 0.284, -0.330}},
    {{0.058, 1.446, -0.076},
     {0.086, 1.428, -0.098},
     {0.104, 1.380, -0.128},
     {0.112, 1.312, -0.155},
     {0.118, 1.165, -0.178},
     {0.128, 0.930, -0.235},
     {0.150, 0.622, -0.335},
     {0.165, 0.280, -0.380}},
    {{0.000, 1.450, -0.092},
     {0.000, 1.415, -0.116},
     {0.000, 1.362, -0.140},
     {0.000, 1.296, -0.160},
     {0.000, 1.155, -0.180},
     {0.000, 0.925, -0.240},
     {0.000, 0.620, -0.348},
     {0.000, 0.278, -0.395}},
};

static human_grid shape_cape(human* h, const human_grid* skirt) {
    human_grid g = human_grid_new(h->model, CAPE_COLUMNS, CAPE_ROWS, false);
    for (int32_t c = 0; c < CAPE_COLUMNS; c++) {
        // 0 at the left edge, 1 at the right one; the table holds the left half.
        const double across = (double)c / (CAPE_COLUMNS - 1);
        const double half = across <= 0.5 ? 2.0 * across : 2.0 * (1.0 - across);
        const double m = across <= 0.5 ? 1.0 : -1.0;
        for (int32_t r = 0; r < CAPE_ROWS; r++) {
            const double v = (double)r / (CAPE_ROWS - 1);
            // Rows are closer together over the shoulders, where the cloth turns.
            const double t = v < 0.32 ? v / 0.32 * (3.0 / 7.0) : kit_mix(3.0 / 7.0, 1.0, (v - 0.32) / 0.68);
            kit_vec line[7];
            for (int32_t k = 0; k < 4; k++) {
                line[k] = kit_curve_point(cape_keys[k], CAPE_KEYS, t);
                line[6 - k] = kit_mirror(line[k]);
            }
            kit_vec p = kit_curve_point(line, 7, across);
            // Folds hang from the shoulders: none at the neck, deep at the hem.
            const double deep = 0.024 * kit_smooth(0.22, 1.0, v) * kit_smooth(0.0, 0.12, half);
            const double fold = deep * kit_cos(2.0 * KIT_PI * (5.5 * (across - 0.5) + 0.10 * kit_sin(9.0 * across))) +
                                0.4 * deep * kit_sin(2.0 * KIT_PI * 9.0 * across + 2.0 * v);
            p = kit_add(p, kit_v(m * fold * 0.35 * (1.0 - half), 0.0, -fold));
            *human_grid_at(&g, c, r) = p;
        }
    }
    // Lining 10 mm above the tunic, which is 10 mm above the skin, and 6 mm of cloth.
    for (int32_t round = 0; round < 3; round++) {
        human_grid_normals(&g);
        for (int32_t i = 0; i < CAPE_COLUMNS * CAPE_ROWS; i++) {
            g.points[i] = human_grid_push(skirt, g.points[i], 0.022, 0.12);
        }
        human_grid_clear(&g, &h->body, 0.033);
    }
    human_grid_normals(&g);
    return g;
}

static void bind_cape(human* h, kit_mesh* mesh, int32_t first, int32_t count) {
    // Over the shoulders like the skin below; lower down the chest, then the hips, carry it.
    human_bind(h, mesh, first, count, 6);
    const int32_t end = count < 0 ? mesh->vertex_count : first + count;
    for (int32_t i = first; i < end; i++) {
        kit_vertex* v = &mesh->vertices[i];
        double dense[HUMAN_BONE_COUNT] = {0};
        const double low = kit_smooth(1.40, 1.28, v->position.y);
        for (int32_t k = 0; k < 4; k++) {
            // Arms do not drag the cloth sideways; the shoulder blade does.
            int32_t bone = v->joints[k];
            double share = 1.0 - low;
            for (int32_t side = 0; side < 2; side++) {
                if (bone == human_bone(HUMAN_UPPER_ARM, side)) {
                    dense[human_bone(HUMAN_CLAVICLE, side)] += 0.7 * share * v->weights[k];
                    share *= 0.3;
                }
            }
            dense[bone] += share * v->weights[k];
        }
        const double hips = 0.6 * kit_smooth(1.2, 0.8, v->position.y);
        dense[HUMAN_CHEST] += low * (1 - hips);
        dense[HUMAN_HIPS] += low * hips;
        human_weights_set(v, dense);
    }
}

// A standing collar out of the cape's neckline.
static human_grid shape_collar(human* h, const human_grid* grid) {
    enum { COLLAR_ROWS = 4 };
    human_grid collar = human_grid_new(h->model, CAPE_COLUMNS - 2, COLLAR_ROWS, false);
    for (int32_t c = 0; c < collar.columns; c++) {
        const kit_vec base = *human_grid_at(grid, c + 1, 0);
        const kit_vec out = kit_unit(kit_v(base.x, 0, base.z + 0.022));
        const double half = 1.0 - fabs(2.0 * c / (collar.columns - 1.0) - 1.0);
        for (int32_t r = 0; r < COLLAR_ROWS; r++) {
            const double v = 1.0 - (double)r / (COLLAR_ROWS - 1);
            const double high = kit_mix(0.010, 0.026, kit_smooth(0.0, 0.45, half));
            *human_grid_at(&collar, c, r) =
                kit_add(kit_mad(base, out, 0.003 + 0.007 * v * v), kit_v(0, high * v - 0.004, 0));
        }
    }
    human_grid_normals(&collar);
    return collar;
}

static void make_cape(human* h, wardrobe w, const human_grid* grid, const human_grid* collar) {
    kit_mesh* mesh = kit_mesh_add(h->model, "cape", KIT_UV | KIT_COLOR | KIT_BLEND | KIT_PIN | KIT_STIFFNESS);
    mesh->node_extras = "{\"garment\":\"cape\",\"fabric\":\"heavy wool\",\"grams_per_square_metre\":420}";
    const human_cloth cloth = human_cloth_add(h, mesh, grid, 0.006, w.cape, w.cape_lining);
    bind_cape(h, mesh, cloth.first, cloth.count);
    paint_hanging(mesh, grid, &cloth, 5.0, 8.0);

    // The collar is stiff and carried by the bones.
    kit_mesh* trim = kit_mesh_add(h->model, "collar", KIT_UV);
    const human_cloth stand = human_cloth_add(h, trim, collar, 0.006, w.cape, w.cape_lining);
    human_bind(h, trim, stand.first, stand.count, 4);
    // Brooches and the chain between them.
    const int32_t brooch = trim->vertex_count;
    kit_vec ends[2];
    for (int32_t side = 0; side < 2; side++) {
        const double column = side == 0 ? 0.9 : CAPE_COLUMNS - 1.9;
        human_stud(h, trim, grid, column, 0.8, 0.019, 0.012, 10, w.gold);
        ends[side] = human_grid_sample(grid, column, 0.8, NULL);
    }
    kit_ring chain[9];
    for (int32_t i = 0; i < 9; i++) {
        const double t = i / 8.0, sag = 4.0 * t * (1 - t);
        kit_vec p = kit_add(kit_lerp(ends[0], ends[1], t), kit_v(0, -0.030 * sag, 0.02 * sag));
        const double d = kit_shape_distance(&h->body, p, NULL);
        if (d < 0.026) {
            p = kit_mad(p, kit_shape_normal(&h->body, p), 0.026 - d);
        }
        chain[i] = (kit_ring){.centre = p, .rx = 0.004, .ry = 0.004, .exponent = 2};
    }
    kit_tube(h->model, trim, chain, 9, 5, kit_v(0, 0, 1), KIT_CAP_START | KIT_CAP_END, w.gold);
    human_bind(h, trim, brooch, -1, 4);
}

// -- Hair

enum { LOCK_POINTS = 12 };

// A lock starts at the parting, lies on the skull on its way from azimuth `start` to azimuth `end`, then falls behind the shoulders to
// `length` metres below the crown.
static void add_lock(human* h, kit_mesh* mesh, const human_grid* cape, const human_grid* collar, wardrobe w,
                     double start, double end, double lift, double length, double width, uint32_t seed) {
    const kit_vec centre = kit_v(0, 1.575, -0.008);
    kit_vec points[LOCK_POINTS], outs[LOCK_POINTS];
    double above[LOCK_POINTS]; // the skin: roots sink into the cap of hair, the rest lies on it
    const double side = kit_sin(end), back = -kit_cos(end);
    // Front locks leave the parting far forward, the others near the crown.
    const kit_vec parting = kit_unit(kit_v(0.035 * (side >= 0 ? 1 : -1), 1.0, 0.10 + 0.38 * kit_cos(start)));
    for (int32_t i = 0; i < LOCK_POINTS; i++) {
        const double t = (double)i / (LOCK_POINTS - 1);
        kit_vec p;
        above[i] = lift * kit_mix(0.42, 1.0, kit_smooth(-0.05, 0.22, t));
        if (t <= 0.42) {
            const double s = t / 0.42;
            const double latitude = kit_mix(62.0, -22.0, s) * KIT_PI / 180.0;
            const double azimuth = kit_mix(start, end, kit_smooth(0.0, 1.1, s));
            kit_vec d =
                kit_v(kit_sin(azimuth) * kit_cos(latitude), kit_sin(latitude), kit_cos(azimuth) * kit_cos(latitude));
            d = kit_unit(kit_lerp(parting, d, kit_smooth(-0.2, 0.55, s)));
            p = kit_shape_project(&h->trunk, kit_mad(centre, d, 0.105));
            p = kit_mad(p, kit_shape_normal(&h->trunk, p), above[i]);
        } else {
            // Below: toward the back, spread over the shoulder blades.
            const double s = (t - 0.42) / 0.58;
            const double x = kit_mix(0.092 * side, 0.125 * side, s) * kit_mix(1.0, 0.90, s);
            const double z = kit_mix(-0.012 - 0.098 * back, -0.165 - 0.03 * back, kit_smooth(0.0, 0.6, s));
            p = kit_v(x, kit_mix(1.545, 1.68 - length, s), z);
            const double wave = 0.006 * kit_sin(9.0 * s + 6.3 * kit_random(seed, 1));
            p = kit_add(p, kit_v(wave, 0, 0.5 * wave));
        }
        points[i] = p;
        outs[i] = kit_unit(kit_v(p.x * 0.9, t < 0.42 ? (p.y - centre.y) : 0.0, p.z + 0.01));
    }
    // Ease the joint between skull and fall, then lie on whatever is below.
    for (int32_t round = 0; round < 6; round++) {
        kit_vec old[LOCK_POINTS];
        for (int32_t i = 0; i < LOCK_POINTS; i++) {
            old[i] = points[i];
        }
        for (int32_t i = 2; i + 1 < LOCK_POINTS; i++) {
            points[i] = kit_lerp(old[i], kit_lerp(old[i - 1], old[i + 1], 0.5), 0.5);
        }
        for (int32_t i = 0; i < LOCK_POINTS; i++) {
            points[i] = human_grid_push(collar, points[i], lift + 0.004, 0.035);
            points[i] = human_grid_push(cape, points[i], lift + (i > LOCK_POINTS / 2 ? 0.016 : 0.012), 0.12);
            const double d = kit_shape_distance(&h->body, points[i], NULL);
            if (d < above[i]) {
                points[i] = kit_mad(points[i], kit_shape_normal(&h->body, points[i]), above[i] - d);
            }
        }
    }
    // Falling hair turns its flat side to the cape.
    for (int32_t i = LOCK_POINTS / 2; i < LOCK_POINTS; i++) {
        const kit_vec n = cape->normals[human_grid_nearest(cape, points[i])];
        outs[i] = kit_unit(kit_lerp(outs[i], n, i == LOCK_POINTS / 2 ? 0.5 : 1.0));
    }
    const int32_t first = human_lock(h, mesh, points, outs, LOCK_POINTS, width, 0.0085, w.hair);
    for (int32_t i = first; i < mesh->vertex_count; i++) {
        kit_vertex* v = &mesh->vertices[i];
        const double t = v->v;
        v->blend = kit_smooth(0.22, 0.56, t);
        v->pin = 1.0 - kit_smooth(0.24, 0.34, t);
        v->stiffness = kit_mix(0.8, 0.3, t);
        const double tone = kit_mix(0.80, 1.15, kit_random(seed, 2)) * kit_mix(0.85, 1.1, t);
        v->color[0] = v->color[1] = v->color[2] = kit_clamp(tone, 0, 1);
        double dense[HUMAN_BONE_COUNT] = {0};
        const double low = 0.8 * kit_smooth(1.47, 1.25, v->position.y);
        dense[HUMAN_HEAD] = 1 - low;
        dense[HUMAN_CHEST] = low;
        human_weights_set(v, dense);
    }
}

static void make_hair(human* h, wardrobe w, const human_grid* cape, const human_grid* collar) {
    kit_mesh* mesh = kit_mesh_add(h->model, "hair", KIT_UV | KIT_COLOR | KIT_BLEND | KIT_PIN | KIT_STIFFNESS);
    mesh->extras = "{\"groom\":\"loose\",\"locks\":21}";
    human_emit_hair(h, mesh, w.hair, scalp, 0.0095);
    kit_mesh_paint(mesh, 0, -1, 0.7, 0.7, 0.7);
    for (int32_t i = 0; i < mesh->vertex_count; i++) {
        mesh->vertices[i].blend = 0.0;
        mesh->vertices[i].pin = 1.0;
        mesh->vertices[i].stiffness = 1.0;
    }
    human_unwrap(h, mesh);
    // Two layers, the outer one over the gaps of the inner.
    for (int32_t layer = 0; layer < 2; layer++) {
        const int32_t count = layer == 0 ? 10 : 11;
        for (int32_t i = 0; i < count; i++) {
            const double t = layer == 0 ? (i + 0.5) / count : (double)i / (count - 1);
            const double start = kit_mix(20.0, 340.0, t) * KIT_PI / 180.0,
                         end = kit_mix(76.0, 284.0, t) * KIT_PI / 180.0;
            const uint32_t seed = (uint32_t)(layer * 100 + i);
            const double middle = kit_sin(KIT_PI * t);
            const double length = kit_mix(0.44, 0.54, middle) + 0.03 * kit_random(seed, 3) + (layer == 0 ? 0.015 : 0.0);
            add_lock(h, mesh, cape, collar, w, start, end, layer == 0 ? 0.010 : 0.017, length,
                     layer == 0 ? 0.030 : 0.027, seed);
        }
    }
}

void cape_girl_build(kit_model* model) {
    human* h = human_new(model, human_woman());
    h->arms_out = 19.0;
    const wardrobe w = make_materials(model);
    model->extras = "{\"ground_speed\":{\"walk\":1.1,\"run\":2.7},\"units\":\"metres\"}";
    make_body(h, w);
    const human_grid skirt = shape_skirt(h);
    make_skirt(h, w, &skirt);
    const human_grid cape = shape_cape(h, &skirt);
    const human_grid collar = shape_collar(h, &cape);
    make_cape(h, w, &cape, &collar);
    make_hair(h, w, &cape, &collar);

    human_idle_clip(h, 6.0);
    const human_gait walk = human_walk(h), run = human_run(h);
    human_gait_clip(h, "walk", &walk);
    human_gait_clip(h, "run", &run);
    human_turn_clip(h);
    human_jump_clip(h);
    kit_bones_orient(model);
}
