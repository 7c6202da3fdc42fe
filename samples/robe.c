// SPDX-License-Identifier: MIT
#include "samples/human.h"
#include "samples/kit_samples.h"

#include <math.h>

// A monk in a floor-length robe of thick cloth: an outer face and a lining 12 mm behind it, joined at neck, cuffs and hem, with wide
// sleeves, and with things sewn on that are meshes of their own (placket, buttons, belt, buckle, pendant, cuffs, hem band).
//
// The upper robe is the body's own cage moved outward, so it has the body's shoulders and weights. Below the hips the ring of 24 columns
// is doubled to 48 and hangs as a folded cone that knows both thighs.

static const double thickness = 0.012;

typedef struct wardrobe {
    int32_t skin, eye_white, iris, hair, lips, trousers, leather, robe, lining, gold, sash;
} wardrobe;

static wardrobe make_materials(kit_model* m) {
    wardrobe w = {.skin = kit_material(m, "skin", 0.62, 0.40, 0.29, 0.6),
                  .eye_white = kit_material(m, "eye_white", 0.82, 0.80, 0.76, 0.25),
                  .iris = kit_material(m, "iris", 0.045, 0.025, 0.015, 0.2),
                  .hair = kit_material(m, "hair", 0.085, 0.070, 0.060, 0.8),
                  .lips = kit_material(m, "lips", 0.45, 0.20, 0.16, 0.5),
                  .trousers = kit_material(m, "trousers", 0.070, 0.050, 0.075, 0.85),
                  .leather = kit_material(m, "leather", 0.120, 0.060, 0.030, 0.55),
                  .robe = kit_material(m, "robe", 0.175, 0.115, 0.200, 0.85),
                  .lining = kit_material(m, "robe_lining", 0.360, 0.260, 0.150, 0.8),
                  .gold = kit_material(m, "gold", 0.830, 0.580, 0.190, 0.3),
                  .sash = kit_material(m, "sash", 0.420, 0.060, 0.040, 0.7)};
    m->materials[w.gold].metallic = 1.0;
    return w;
}

// -- Body

static bool choose_skin(const human* h, const human_face* f, const void* context) {
    (void)h;
    (void)context;
    return f->region == HUMAN_REGION_HEAD || (f->region == HUMAN_REGION_TORSO && f->row >= 13) ||
           (human_is_arm(f->region) && f->row >= 9);
}

// A tonsure: a band from temple to temple over the nape, the crown bald.
static double tonsure(double azimuth, double latitude) {
    static const kit_key low[] = {{0, 90}, {55, 60}, {63, 14}, {72, 0}, {84, 2}, {100, -14}, {130, -34}, {180, -42}};
    const double above = latitude - kit_keys(low, 8, 0, azimuth),
                 below = kit_mix(46.0, 38.0, kit_smooth(60, 110, azimuth)) - latitude;
    return above < below ? above : below;
}

static double beard(double azimuth, double latitude) {
    static const kit_key bottom[] = {{0, -56}, {35, -52}, {55, -42}, {72, -26}, {90, -20}};
    static const kit_key top[] = {{0, -36.5}, {14, -33}, {26, -25}, {45, -19}, {62, -9},
                                  {72, 4},    {80, 4},   {86, -30}, {92, -90}};
    const double below = kit_keys(top, 9, 0, azimuth) - latitude, above = latitude - kit_keys(bottom, 5, 0, azimuth);
    return above < below ? above : below;
}

// The legs under the robe only carry collision particles: every second row will do.
static void emit_legs(human* h, kit_mesh* mesh, int32_t trousers, int32_t leather) {
    static const int32_t rows[] = {0, 3, 6, 8, 11, 15, 17, 19, 21, 23, 24};
    enum { ROWS = sizeof rows / sizeof rows[0] };
    for (int32_t side = 0; side < 2; side++) {
        int32_t vertex[ROWS][HUMAN_LEG_COLUMNS];
        for (int32_t r = 0; r < ROWS; r++) {
            for (int32_t k = 0; k < HUMAN_LEG_COLUMNS; k++) {
                const int32_t p = human_leg_point(side, rows[r], k);
                if (rows[r] == HUMAN_LEG_ROWS && k > 0) {
                    vertex[r][k] = vertex[r][0];
                    continue;
                }
                vertex[r][k] = kit_vertex_add(h->model, mesh, h->points[p], h->normals[p], 0, 0);
                human_weights_set(&mesh->vertices[vertex[r][k]], h->weights + (size_t)p * HUMAN_BONE_COUNT);
            }
        }
        for (int32_t r = 0; r + 1 < ROWS; r++) {
            for (int32_t k = 0; k < HUMAN_LEG_COLUMNS; k++) {
                const int32_t n = (k + 1) % HUMAN_LEG_COLUMNS;
                int32_t q[4] = {vertex[r][n], vertex[r][k], vertex[r + 1][k], vertex[r + 1][n]};
                if (side == 1) {
                    const int32_t t = q[0];
                    q[0] = q[1];
                    q[1] = t;
                    const int32_t u = q[2];
                    q[2] = q[3];
                    q[3] = u;
                }
                for (int32_t t = 0; t < 2; t++) {
                    if (q[1 + t] != q[2 + t]) {
                        kit_triangle_add(h->model, mesh, q[0], q[1 + t], q[2 + t], rows[r] >= 17 ? leather : trousers);
                        mesh->triangles[mesh->triangle_count - 1].label = HUMAN_REGION_LEG + side;
                    }
                }
            }
        }
    }
}

static void make_body(human* h, wardrobe w) {
    kit_mesh* body = kit_mesh_add(h->model, "body", KIT_UV);
    human_emit(h, body, w.skin, choose_skin, NULL, NULL);
    emit_legs(h, body, w.trousers, w.leather);
    human_unwrap(h, body);
    human_emit_hands(h, body, w.skin);
    human_emit_face(h, body, (human_face_colors){w.skin, w.eye_white, w.iris, w.hair, w.lips}, true);
    kit_mesh* hair = kit_mesh_add(h->model, "hair", KIT_UV);
    human_emit_hair(h, hair, w.hair, tonsure, 0.006);
    human_emit_hair(h, hair, w.hair, beard, 0.007);
    human_unwrap(h, hair);
}

// -- Robe

enum {
    TOP_ROW = 14, // of the torso cage
    HIP_ROW = 4,  // where the doubled ring begins
    SKIRT_COLUMNS = 2 * HUMAN_COLUMNS,
    SKIRT_EVEN_ROWS = 7, // then the borders of the band, and the hem
    SKIRT_ROWS = SKIRT_EVEN_ROWS + 3,
    SLEEVE_STEPS = 7,
    CHART_BODY = 0,
    CHART_SKIRT = 1,
    CHART_SLEEVE = 2,
};

static const int32_t sleeve_rows[SLEEVE_STEPS] = {0, 1, 2, 4, 7, 10, 12};

typedef struct robe {
    human_net net;
    human_grid skirt;      // the 48 hanging columns, row 0 at the hips
    human_grid front;      // three columns down the breast
    human_grid sleeves[2]; // closed, from shoulder to cuff
    int32_t torso[HUMAN_ROWS][HUMAN_COLUMNS];
} robe;

static double fold(double angle, double v) {
    return 0.034 * kit_smooth(0.0, 1.0, v) *
           (kit_cos(11.0 * angle + 0.8 * kit_sin(2.0 * angle)) + 0.3 * kit_cos(4.0 * angle + 0.6));
}

static kit_vec upper_point(const human* h, int32_t row, int32_t column) {
    const int32_t p = human_torso_point(row, column);
    const double y = h->points[p].y / h->scale;
    // Loose over the chest, gathered by the belt, close at the neck.
    const double out = 0.024 + 0.012 * kit_bump(1.20, 0.14, y) - 0.002 * kit_smooth(1.38, 1.42, y);
    return kit_mad(h->points[p], h->normals[p], out);
}

static kit_vec sleeve_point(const human* h, int32_t row, int32_t column) {
    if (row == 0) {
        const int32_t p = human_arm_point(0, 0, column);
        return kit_mad(h->points[p], h->normals[p], 0.025);
    }
    kit_vec centre = kit_v(0, 0, 0);
    for (int32_t k = 0; k < HUMAN_ARM_COLUMNS; k++) {
        centre = kit_mad(centre, h->points[human_arm_point(0, row, k)], 1.0 / HUMAN_ARM_COLUMNS);
    }
    const kit_vec d = kit_sub(h->points[human_arm_point(0, row, column)], centre);
    const double t = kit_smooth(1.0, 12.0, row), r = kit_length(d);
    const double angle = 2.0 * KIT_PI * column / HUMAN_ARM_COLUMNS; // 0 on top
    const double below = 0.5 - 0.5 * kit_cos(angle);
    // A bell: wider toward the cuff, and most of the width hangs below the arm.
    const double out = 0.027 + t * (0.022 + 0.105 * below) + 0.006 * t * kit_cos(3.0 * angle);
    kit_vec p = kit_mad(centre, kit_unit(d), r + out);
    p.y -= 0.03 * t * below * h->scale;
    return p;
}

static void skirt_weights(const human* h, kit_vec p, double* dense) {
    const double y = p.y / h->scale, x = p.x / h->scale;
    const double low = kit_smooth(1.0, 0.66, y) * 0.70, left = kit_smooth(-0.17, 0.17, x);
    for (int32_t b = 0; b < HUMAN_BONE_COUNT; b++) {
        dense[b] = 0;
    }
    const double shin = 0.35 * kit_smooth(0.5, 0.2, y);
    dense[HUMAN_HIPS] = 1 - low;
    for (int32_t side = 0; side < 2; side++) {
        const double share = low * (side == 0 ? left : 1 - left);
        dense[human_bone(HUMAN_THIGH, side)] = share * (1 - shin);
        dense[human_bone(HUMAN_SHIN, side)] = share * shin;
    }
}

static void shape_upper(human* h, robe* r) {
    for (int32_t row = HIP_ROW; row <= TOP_ROW; row++) {
        for (int32_t c = 0; c < HUMAN_COLUMNS; c++) {
            const int32_t p = human_torso_point(row, c);
            r->torso[row][c] =
                human_net_point(&r->net, upper_point(h, row, c), h->weights + (size_t)p * HUMAN_BONE_COUNT, 0.0);
        }
    }
    for (int32_t f = 0; f < h->face_count; f++) {
        const human_face* face = &h->faces[f];
        if (face->region == HUMAN_REGION_TORSO && face->row >= HIP_ROW && face->row < TOP_ROW) {
            const int32_t c = face->column, n = (c + 1) % HUMAN_COLUMNS;
            human_net_face(&r->net, r->torso[face->row][c], r->torso[face->row][n], r->torso[face->row + 1][n],
                           r->torso[face->row + 1][c], CHART_BODY);
        }
    }
}

static void shape_sleeves(human* h, robe* r) {
    for (int32_t side = 0; side < 2; side++) {
        int32_t index[SLEEVE_STEPS][HUMAN_ARM_COLUMNS];
        r->sleeves[side] = human_grid_new(h->model, HUMAN_ARM_COLUMNS, SLEEVE_STEPS, true);
        for (int32_t i = 0; i < SLEEVE_STEPS; i++) {
            for (int32_t k = 0; k < HUMAN_ARM_COLUMNS; k++) {
                const int32_t p = human_arm_point(side, sleeve_rows[i], k);
                kit_vec at = sleeve_point(h, sleeve_rows[i], k);
                if (side == 1) {
                    at = kit_mirror(at);
                }
                if (i == 0) {
                    // The armhole is the torso's own; it was numbered there.
                    index[i][k] = r->torso[p / HUMAN_COLUMNS][p % HUMAN_COLUMNS];
                    at = r->net.points[index[i][k]];
                } else {
                    const double loose = kit_smooth(3.0, 9.0, sleeve_rows[i]);
                    index[i][k] = human_net_point(&r->net, at, h->weights + (size_t)p * HUMAN_BONE_COUNT, loose);
                    // A wide sleeve does not follow the wrist, only the forearm.
                    double* w = r->net.weights + (size_t)index[i][k] * HUMAN_BONE_COUNT;
                    w[human_bone(HUMAN_FOREARM, side)] +=
                        w[human_bone(HUMAN_HAND, side)] + w[human_bone(HUMAN_FINGERS, side)];
                    w[human_bone(HUMAN_HAND, side)] = w[human_bone(HUMAN_FINGERS, side)] = 0;
                }
                const int32_t column = side == 0 ? (HUMAN_ARM_COLUMNS - k) % HUMAN_ARM_COLUMNS : k;
                *human_grid_at(&r->sleeves[side], column, i) = at;
            }
        }
        for (int32_t i = 0; i + 1 < SLEEVE_STEPS; i++) {
            for (int32_t k = 0; k < HUMAN_ARM_COLUMNS; k++) {
                const int32_t n = (k + 1) % HUMAN_ARM_COLUMNS;
                if (side == 0) {
                    human_net_face(&r->net, index[i][k], index[i][n], index[i + 1][n], index[i + 1][k],
                                   CHART_SLEEVE + side);
                } else {
                    human_net_face(&r->net, index[i][n], index[i][k], index[i + 1][k], index[i + 1][n],
                                   CHART_SLEEVE + side);
                }
            }
        }
        human_grid_normals(&r->sleeves[side]);
    }
}

static void shape_skirt(human* h, robe* r) {
    const double s = h->scale;
    r->skirt = human_grid_new(h->model, SKIRT_COLUMNS, SKIRT_ROWS, true);
    int32_t index[SKIRT_ROWS][SKIRT_COLUMNS];
    const double top = 1.004 * s, hem = 0.070;
    for (int32_t row = 0; row < SKIRT_ROWS; row++) {
        // A band lies on rows of its own: between coarse ones the cloth would fold over it.
        static const double below[3] = {0.931, 0.985, 1.0};
        const double v = row < SKIRT_EVEN_ROWS ? (double)row / SKIRT_EVEN_ROWS : below[row - SKIRT_EVEN_ROWS];
        for (int32_t c = 0; c < SKIRT_COLUMNS; c++) {
            const double angle = 2.0 * KIT_PI * c / SKIRT_COLUMNS;
            kit_vec p;
            if (row == 0) {
                const kit_vec a = r->net.points[r->torso[HIP_ROW][c / 2]];
                const kit_vec b = r->net.points[r->torso[HIP_ROW][((c + 1) / 2) % HUMAN_COLUMNS]];
                p = kit_lerp(a, b, 0.5);
            } else {
                static const kit_key half_x[] = {{0.0, 0.148}, {0.10, 0.186}, {0.3, 0.226}, {0.6, 0.276}, {1.0, 0.335}};
                static const kit_key half_z[] = {{0.0, 0.128}, {0.10, 0.156}, {0.3, 0.196}, {0.6, 0.248}, {1.0, 0.308}};
                const double f = fold(angle, v);
                const double x = kit_keys(half_x, 5, 0, v) * s + f, z = kit_keys(half_z, 5, 0, v) * s + f;
                p = kit_v(x * kit_sin(angle), kit_mix(top, hem, v), z * kit_cos(angle) - 0.002);
            }
            *human_grid_at(&r->skirt, c, row) = p;
        }
    }
    // Row 0 belongs to the upper robe; below it the lining keeps 10 mm from legs and hips.
    human_grid_normals(&r->skirt);
    for (int32_t i = SKIRT_COLUMNS; i < SKIRT_COLUMNS * SKIRT_ROWS; i++) {
        for (int32_t step = 0; step < 8; step++) {
            const double d = kit_shape_distance(&h->body, r->skirt.points[i], NULL), want = thickness + 0.012;
            if (d >= want) {
                break;
            }
            r->skirt.points[i] = kit_mad(r->skirt.points[i], kit_shape_normal(&h->body, r->skirt.points[i]), want - d);
        }
    }
    for (int32_t row = 0; row < SKIRT_ROWS; row++) {
        for (int32_t c = 0; c < SKIRT_COLUMNS; c++) {
            const kit_vec p = *human_grid_at(&r->skirt, c, row);
            if (row == 0 && c % 2 == 0) {
                index[row][c] = r->torso[HIP_ROW][c / 2];
                continue;
            }
            double dense[HUMAN_BONE_COUNT];
            skirt_weights(h, p, dense);
            index[row][c] = row == 0 ? KIT_NONE : human_net_point(&r->net, p, dense, kit_smooth(0.2, 2.6, row));
        }
    }
    for (int32_t row = 0; row + 1 < SKIRT_ROWS; row++) {
        for (int32_t c = 0; c < SKIRT_COLUMNS; c++) {
            const int32_t n = (c + 1) % SKIRT_COLUMNS;
            if (row > 0) {
                human_net_face(&r->net, index[row][c], index[row + 1][c], index[row + 1][n], index[row][n],
                               CHART_SKIRT);
            } else if (c % 2 == 0) {
                // One wide edge above meets two below.
                const int32_t m = (c + 2) % SKIRT_COLUMNS;
                human_net_face(&r->net, index[0][c], index[1][c], index[1][n], KIT_NONE, CHART_SKIRT);
                human_net_face(&r->net, index[0][c], index[1][n], index[0][m], KIT_NONE, CHART_SKIRT);
                human_net_face(&r->net, index[0][m], index[1][n], index[1][m], KIT_NONE, CHART_SKIRT);
            }
        }
    }
    human_grid_normals(&r->skirt);
}

static robe shape_robe(human* h) {
    robe r = {.net = human_net_new(h->model, 1200, 1200)};
    shape_upper(h, &r);
    shape_sleeves(h, &r);
    shape_skirt(h, &r);
    human_net_normals(&r.net);
    r.front = human_grid_new(h->model, 3, TOP_ROW - HIP_ROW + 1, false);
    for (int32_t row = 0; row < r.front.rows; row++) {
        for (int32_t c = -1; c <= 1; c++) {
            *human_grid_at(&r.front, c + 1, row) =
                r.net.points[r.torso[TOP_ROW - row][(c + HUMAN_COLUMNS) % HUMAN_COLUMNS]];
        }
    }
    human_grid_normals(&r.front);
    return r;
}

static void make_robe(human* h, wardrobe w, const robe* r) {
    kit_mesh* mesh = kit_mesh_add(h->model, "robe", KIT_UV | KIT_COLOR | KIT_BLEND | KIT_PIN | KIT_STIFFNESS);
    mesh->node_extras = "{\"garment\":\"robe\",\"layers\":\"outer and lining\",\"thickness\":0.012}";
    human_shell(h, mesh, &r->net, thickness, w.robe, w.lining);
    const kit_vec up = kit_v(0, 1, 0), front = kit_v(0, 0, 1);
    kit_chart charts[8];
    int32_t count = 0;
    for (int32_t layer = 0; layer < 2; layer++) {
        const int32_t add = layer * HUMAN_LINING;
        const double v = layer * 0.5;
        charts[count++] = (kit_chart){CHART_BODY + add, {0, 0, 0}, up, front, 0.0, v, 0.48, v + 0.22};
        charts[count++] = (kit_chart){CHART_SKIRT + add, {0, 0, 0}, up, front, 0.0, v + 0.24, 1.0, v + 0.48};
        for (int32_t side = 0; side < 2; side++) {
            const kit_vec a = h->joints[human_bone(HUMAN_UPPER_ARM, side)], b = h->joints[human_bone(HUMAN_HAND, side)];
            charts[count++] = (kit_chart){CHART_SLEEVE + side + add, a, kit_sub(a, b),      front,
                                          0.52 + 0.24 * side,        v, 0.74 + 0.24 * side, v + 0.22};
        }
    }
    kit_mesh_unwrap(h->model, mesh, charts, count);
    // Worn and dusty toward the hem.
    for (int32_t i = 0; i < mesh->vertex_count; i++) {
        kit_vertex* v = &mesh->vertices[i];
        const double dust = kit_smooth(0.5, 0.0, v->position.y);
        v->color[0] = kit_mix(1.0, 0.86, dust);
        v->color[1] = kit_mix(1.0, 0.82, dust);
        v->color[2] = kit_mix(1.0, 0.72, dust);
    }
}

// -- Ornaments. They carry the paint and the weights of the cloth below.

static void sew_on(kit_mesh* mesh, int32_t first, const human_net* net) {
    for (int32_t i = first; i < mesh->vertex_count; i++) {
        kit_vertex* v = &mesh->vertices[i];
        // The three nearest points, by inverse distance.
        double dense[HUMAN_BONE_COUNT] = {0};
        double total = 0, loose = 0;
        int32_t taken[3] = {KIT_NONE, KIT_NONE, KIT_NONE};
        for (int32_t k = 0; k < 3; k++) {
            double minimum = 1e30;
            for (int32_t p = 0; p < net->point_count; p++) {
                const double d = kit_distance(net->points[p], v->position);
                if (d < minimum && p != taken[0] && p != taken[1]) {
                    minimum = d;
                    taken[k] = p;
                }
            }
            const double w = 1.0 / (minimum * minimum + 1e-6);
            for (int32_t b = 0; b < HUMAN_BONE_COUNT; b++) {
                dense[b] += w * net->weights[(size_t)taken[k] * HUMAN_BONE_COUNT + (size_t)b];
            }
            loose += w * net->free[taken[k]];
            total += w;
        }
        for (int32_t b = 0; b < HUMAN_BONE_COUNT; b++) {
            dense[b] /= total;
        }
        human_weights_set(v, dense);
        v->blend = loose / total;
        v->pin = 1.0 - kit_smooth(0.02, 0.35, v->blend);
        v->stiffness = 0.8;
    }
}

static void make_ornaments(human* h, wardrobe w, const robe* r) {
    kit_mesh* mesh = kit_mesh_add(h->model, "ornaments", KIT_UV | KIT_BLEND | KIT_PIN | KIT_STIFFNESS);
    const double s = h->scale;
    // A band down the front with buttons on it.
    human_trim(h, mesh, &r->front, 0.0, r->front.rows - 1.0, 0.45, 1.55, 10, 0.0035, w.sash);
    for (int32_t i = 0; i < 5; i++) {
        human_stud(h, mesh, &r->front, 1.0, 1.4 + 1.5 * i, 0.011 * s, 0.010, 7, w.gold);
    }
    // A rope of a belt, its buckle, and the ends hanging below it as a pendant.
    const double belt = 0.0;
    human_trim(h, mesh, &r->skirt, belt, belt + 0.42, 0.0, SKIRT_COLUMNS, 24, 0.008, w.leather);
    kit_vec n;
    const kit_vec at = human_grid_sample(&r->skirt, 0.0, belt + 0.21, &n);
    kit_box(h->model, mesh, kit_mad(at, n, 0.012), kit_v(0.028 * s, 0.024 * s, 0.005), 0.002, w.gold);
    // Pendant: a disc lower down on the cloth with a short strap above it.
    human_trim(h, mesh, &r->skirt, belt + 0.4, belt + 1.8, 3.6, 4.4, 7, 0.008, w.leather); // a vertex on row 1
    human_stud(h, mesh, &r->skirt, 4.0, belt + 1.95, 0.026 * s, 0.010, 10, w.gold);
    // Bands at hem and cuffs.
    human_trim(h, mesh, &r->skirt, SKIRT_ROWS - 3.0, SKIRT_ROWS - 2.0, 0.0, SKIRT_COLUMNS, SKIRT_COLUMNS, 0.004,
               w.sash);
    for (int32_t side = 0; side < 2; side++) {
        human_trim(h, mesh, &r->sleeves[side], SLEEVE_STEPS - 2.0, SLEEVE_STEPS - 1.0, 0.0, HUMAN_ARM_COLUMNS,
                   HUMAN_ARM_COLUMNS, 0.008, w.sash);
    }
    // A rolled collar round the neck opening.
    enum { COLLAR = HUMAN_COLUMNS / 2 + 2 }; // overlaps itself by a step at the nape
    kit_ring collar[COLLAR];
    for (int32_t i = 0; i < COLLAR; i++) {
        const kit_vec p = r->net.points[r->torso[TOP_ROW][(HUMAN_COLUMNS / 2 + 2 * i) % HUMAN_COLUMNS]];
        const kit_vec out = kit_unit(kit_v(p.x, 0.0, p.z + 0.02));
        collar[i] = (kit_ring){.centre = kit_mad(p, out, 0.012), .rx = 0.015 * s, .ry = 0.015 * s, .exponent = 2};
    }
    kit_tube(h->model, mesh, collar, COLLAR, 6, kit_v(0, 1, 0), 0, w.robe);
    sew_on(mesh, 0, &r->net);
}

// -- Clips

static void make_walk(human* h) {
    human_gait gait = human_walk(h);
    // A robe asks for shorter, slower steps.
    gait.seconds = 36.0 / KIT_FRAMES_PER_SECOND;
    gait.stance = 22.0 / 36.0;
    gait.speed = 0.85;
    gait.reach = 0.36;
    gait.push_off = 40;
    gait.arms = 17;
    gait.elbows = 30;
    gait.spread = 18;
    gait.sway = 0.026;
    gait.roll = 3.0;
    human_gait_clip(h, "walk", &gait);
}

// Down onto a seat 0.46 m high behind the heels, a rest, and up again. The feet stay where they are.
static void make_sit(human* h) {
    kit_clip* clip = kit_clip_add(h->model, "sit", 5.6, true);
    static const kit_key down[] = {{0.0, 0.0}, {0.4, 0.0}, {1.6, 1.0}, {3.6, 1.0}, {4.8, 0.0}, {5.6, 0.0}};
    static const kit_key lean[] = {{0.0, 0.0}, {0.3, 0.0},  {1.1, 38.0}, {1.9, 4.0},
                                   {3.3, 4.0}, {4.0, 40.0}, {4.9, 0.0},  {5.6, 0.0}};
    static const kit_key rest[] = {{0.0, 0.0}, {1.2, 0.0}, {2.0, 1.0}, {3.3, 1.0}, {4.0, 0.0}, {5.6, 0.0}};
    const double s = h->scale;
    for (int32_t i = 0; i < clip->frame_count; i++) {
        const double t = kit_clip_seconds(clip, i), d = kit_keys(down, 6, 0, t), bend = kit_keys(lean, 8, 0, t);
        const double calm = kit_keys(rest, 6, 0, t), breath = kit_sin(2.0 * KIT_PI * t / 2.8);
        human_pose p = human_stand(h);
        p.hips = kit_v(0, (-0.012 - 0.335 * d) * s, (-0.345 * d - 0.0012 * bend) * s);
        p.hips_rotation = kit_euler(0.5 * bend - 8.0 * d, 0, 0);
        p.spine = kit_euler(0.3 * bend + 4.0 * d + 0.6 * breath, 0, 0);
        p.chest = kit_euler(0.2 * bend + 2.0 * d - 1.2 * breath, 0, 0);
        p.neck = kit_euler(-0.3 * bend, 0, 0);
        p.head = kit_qmul(kit_euler(0, 14.0 * calm * kit_sin(2.0 * KIT_PI * (t - 2.0) / 2.6), 0),
                          kit_euler(-0.25 * bend + 3.0 * calm, 0, 0));
        for (int32_t k = 0; k < 2; k++) {
            p.foot[k].x *= 1.25;
            p.foot_yaw[k] = 9;
            p.knee_out[k] = 8 * d;
            p.arm_swing[k] = 4 + 26 * calm + 0.5 * bend;
            p.arm_spread[k] = h->arms_out + 2 * breath * calm;
            p.elbow[k] = 20 + 44 * calm;
            p.arm_twist[k] = 14 * calm;
            p.fingers[k] = 24;
        }
        human_pose_write(h, &p, kit_clip_pose(clip, i));
    }
    kit_clip_finish(clip);
}

// Two turns on the ball of the left foot, arms thrown out, the right foot drawn up.
static void make_spin(human* h) {
    kit_clip* clip = kit_clip_add(h->model, "spin", 3.6, true);
    static const kit_key yaw[] = {{0.0, 0}, {0.25, 0}, {0.65, -28}, {2.25, 720}, {3.6, 720}};
    static const kit_key up[] = {{0.0, 0}, {0.6, 0}, {0.95, 1}, {1.85, 1}, {2.35, 0}, {3.6, 0}};
    static const kit_key arms[] = {{0.0, 0}, {0.3, 0}, {0.75, 1}, {2.0, 0.85}, {2.7, 0.2}, {3.2, 0}, {3.6, 0}};
    static const kit_key over[] = {{0.0, 0}, {0.35, 0}, {0.75, 1}, {2.2, 1}, {2.7, 0}, {3.6, 0}};
    const double s = h->scale;
    const human_pose stand = human_stand(h);
    for (int32_t i = 0; i < clip->frame_count; i++) {
        const double t = kit_clip_seconds(clip, i);
        const double lift = kit_keys(up, 6, 0, t), out = kit_keys(arms, 7, 0, t), shift = kit_keys(over, 6, 0, t);
        const double wind = kit_bump(0.62, 0.4, t);
        human_pose p = stand;
        p.root_rotation = kit_euler(0, kit_keys(yaw, 5, 0, t), 0);
        // The ball of the left foot lies on the root's axis while the root turns.
        const kit_vec ball = stand.foot[0];
        p.root = kit_v(ball.x * 1.0 * shift, 0, ball.z * shift);
        const kit_vec back = kit_v(-p.root.x, 0, -p.root.z);
        p.foot[0] = kit_add(stand.foot[0], back);
        p.foot[1] = kit_add(stand.foot[1], back);
        p.hips = kit_v(-0.4 * ball.x * shift + 0.3 * ball.x * shift, (-0.014 - 0.035 * wind + 0.020 * lift) * s,
                       back.z * 0.35);
        p.hips_rotation = kit_euler(0, -10 * wind, 0);
        p.spine = kit_euler(0, -8 * wind, 0);
        p.chest = kit_euler(0, -10 * wind, 0);
        p.foot_heel[0] = 34 * lift;
        p.foot[1] = kit_lerp(p.foot[1], kit_v(0.02 * s, 0.26 * s, 0.06 * s), lift);
        p.foot_heel[1] = 40 * lift;
        p.toes[1] = -40 * lift;
        p.knee_out[1] = 42 * lift;
        for (int32_t k = 0; k < 2; k++) {
            p.arm_spread[k] = kit_mix(h->arms_out, 80.0, out);
            p.elbow[k] = 14 + 12 * out;
            p.arm_swing[k] = 2 + 12 * out + (k == 0 ? -20 : 20) * wind;
            p.fingers[k] = 12;
            p.wrist[k] = 4;
        }
        human_pose_write(h, &p, kit_clip_pose(clip, i));
    }
    kit_clip_finish(clip);
}

void robe_build(kit_model* model) {
    human* h = human_new(model, human_man());
    h->arms_out = 20.0;
    const wardrobe w = make_materials(model);
    model->extras = "{\"ground_speed\":{\"walk\":0.85},\"seat_height\":0.46,\"units\":\"metres\"}";
    make_body(h, w);
    const robe r = shape_robe(h);
    make_robe(h, w, &r);
    make_ornaments(h, w, &r);
    make_walk(h);
    make_sit(h);
    make_spin(h);
    kit_bones_orient(model);
}
