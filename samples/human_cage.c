// SPDX-License-Identifier: MIT
#include "samples/human.h"
#include "samples/human_private.h"

#include <math.h>

// The cage: a fixed net of quads laid over the body's shape.
//
// Torso and head are one tube of HUMAN_COLUMNS columns. Four columns by two rows are left out at each shoulder; the twelve points round
// that hole are row 0 of the arm. Below, the bottom ring splits: its left half and the points of the crotch line are row 0 of
// the left leg. Only the left half is computed; every right-hand point is the mirror image of its partner.
//
// Most points come from rays shot out of a limb's axis, so that rows stay where they were put; the groin and the armhole, where
// three tubes meet, are then relaxed on the surface.

enum {
    ARMHOLE_ROW = 10, // torso rows 10..12, columns 4..8 on the left
    ARMHOLE_COLUMN = 4,
    TORSO_POINTS = (HUMAN_ROWS - 1) * HUMAN_COLUMNS,
    CROWN = TORSO_POINTS,
    CROTCH = CROWN + 1,
    ARM = CROTCH + HUMAN_CROTCH,
    ARM_SIZE = (HUMAN_ARM_ROWS - 1) * HUMAN_ARM_COLUMNS + 1, // + 1: the point that closes the palm
    LEG = ARM + 2 * ARM_SIZE,
    LEG_SIZE = (HUMAN_LEG_ROWS - 1) * HUMAN_LEG_COLUMNS + 1,
    POINT_COUNT = LEG + 2 * LEG_SIZE,
};

// Height of a torso ring in front, its axis, and how much higher it lies at the sides.
typedef struct torso_row {
    double y, z, lift;
} torso_row;

static const torso_row torso_rows[HUMAN_TORSO_ROWS] = {
    {0.832, -0.012, 0.058}, {0.876, -0.010, 0.034}, {0.920, -0.008, 0.014}, {0.962, -0.004, 0.004},
    {1.004, 0.0, 0.0},      {1.044, 0.0, 0.0},      {1.084, 0.0, 0.0},      {1.124, -0.004, 0.0},
    {1.164, -0.008, 0.0},   {1.204, -0.010, 0.0},   {1.246, -0.012, 0.004}, {1.296, -0.014, 0.014},
    {1.344, -0.016, 0.030}, {1.378, -0.018, 0.028}, {1.402, -0.020, 0.022}, {1.424, -0.020, 0.012},
};

static const double head_latitudes[HUMAN_HEAD_ROWS] = {-63, -54, -46.5, -40.5, -35, -30.5, -26, -20,  -13,
                                                       -7,  0.5, 8,     15,    23,  36,    53,  71.5, 90};

// Fractions of the upper arm, then of the forearm, then metres beyond the wrist.
static const double upper_arm_rows[] = {0.20, 0.38, 0.56, 0.74, 0.89};
static const double forearm_rows[] = {0.0, 0.11, 0.27, 0.45, 0.63, 0.80, 0.93, 1.0};
static const double palm_rows[] = {0.022, 0.045, 0.066, 0.084};

static const double leg_heights[] = {0.780, 0.730, 0.675, 0.620, 0.568, 0.526, 0.496, 0.466,
                                     0.434, 0.390, 0.335, 0.280, 0.225, 0.170, 0.122};
// The foot: tilt of the ring in degrees, its centre's y and z.
static const double foot_rows[][3] = {{16, 0.088, -0.018}, {33, 0.072, -0.010}, {50, 0.060, 0.002}, {66, 0.050, 0.022},
                                      {80, 0.042, 0.046},  {90, 0.033, 0.076},  {90, 0.024, 0.108}, {90, 0.017, 0.138}};

// -- Numbering

int32_t human_torso_point(int32_t row, int32_t column) {
    if (row == HUMAN_ROWS - 1) {
        return CROWN;
    }
    return row * HUMAN_COLUMNS + (column + HUMAN_COLUMNS) % HUMAN_COLUMNS;
}

// The armhole, from the top of the shoulder over the front: offsets of column and row.
static const int32_t armhole[HUMAN_ARM_COLUMNS][2] = {{2, 2}, {1, 2}, {0, 2}, {0, 1}, {0, 0}, {1, 0},
                                                      {2, 0}, {3, 0}, {4, 0}, {4, 1}, {4, 2}, {3, 2}};

static int32_t mirrored(int32_t column) {
    return (HUMAN_COLUMNS - column) % HUMAN_COLUMNS;
}

int32_t human_arm_point(int32_t side, int32_t row, int32_t column) {
    const int32_t k = (column + HUMAN_ARM_COLUMNS) % HUMAN_ARM_COLUMNS;
    if (row == 0) {
        const int32_t c = ARMHOLE_COLUMN + armhole[k][0];
        return human_torso_point(ARMHOLE_ROW + armhole[k][1], side == 0 ? c : mirrored(c));
    }
    if (row == HUMAN_ARM_ROWS) {
        return ARM + side * ARM_SIZE + ARM_SIZE - 1;
    }
    return ARM + side * ARM_SIZE + (row - 1) * HUMAN_ARM_COLUMNS + k;
}

int32_t human_leg_point(int32_t side, int32_t row, int32_t column) {
    const int32_t k = (column + HUMAN_LEG_COLUMNS) % HUMAN_LEG_COLUMNS;
    if (row == 0) {
        // Columns 0..12 are the torso's front, outer side and back; the rest come back along the crotch.
        if (k <= HUMAN_COLUMNS / 2) {
            return human_torso_point(0, side == 0 ? k : mirrored(k));
        }
        return CROTCH + HUMAN_LEG_COLUMNS - 1 - k;
    }
    if (row == HUMAN_LEG_ROWS) {
        return LEG + side * LEG_SIZE + LEG_SIZE - 1;
    }
    return LEG + side * LEG_SIZE + (row - 1) * HUMAN_LEG_COLUMNS + k;
}

// The partner of a left-hand point; points on the plane are their own.
static int32_t partner(int32_t point) {
    if (point < TORSO_POINTS) {
        return human_torso_point(point / HUMAN_COLUMNS, mirrored(point % HUMAN_COLUMNS));
    }
    if (point < ARM) {
        return point;
    }
    if (point < LEG) {
        return point < ARM + ARM_SIZE ? point + ARM_SIZE : point - ARM_SIZE;
    }
    return point < LEG + LEG_SIZE ? point + LEG_SIZE : point - LEG_SIZE;
}

static bool is_left(int32_t point) {
    if (point < TORSO_POINTS) {
        return point % HUMAN_COLUMNS <= HUMAN_COLUMNS / 2;
    }
    return point < ARM + ARM_SIZE || (point >= LEG && point < LEG + LEG_SIZE);
}

// -- Placing

kit_vec human_cast(const kit_shape* shape, kit_vec origin, kit_vec direction, double reach) {
    const int32_t steps = 48;
    double inside = 0.0;
    double outside = reach;
    for (int32_t i = 1; i <= steps; i++) {
        const double t = reach * i / steps;
        if (kit_shape_distance(shape, kit_mad(origin, direction, t), NULL) > 0.0) {
            outside = t;
            break;
        }
        inside = t;
    }
    if (inside == reach) {
        return kit_mad(origin, direction, reach);
    }
    for (int32_t i = 0; i < 20; i++) {
        const double t = 0.5 * (inside + outside);
        if (kit_shape_distance(shape, kit_mad(origin, direction, t), NULL) > 0.0) {
            outside = t;
        } else {
            inside = t;
        }
    }
    return kit_mad(origin, direction, 0.5 * (inside + outside));
}

static void place_torso(human* h) {
    const double s = h->scale;
    for (int32_t r = 0; r < HUMAN_TORSO_ROWS; r++) {
        for (int32_t c = 0; c <= HUMAN_COLUMNS / 2; c++) {
            const double angle = 2.0 * KIT_PI * c / HUMAN_COLUMNS;
            const double side = kit_sin(angle);
            const kit_vec origin =
                kit_mul(kit_v(0, torso_rows[r].y + torso_rows[r].lift * side * side, torso_rows[r].z), s);
            h->points[human_torso_point(r, c)] = human_cast(r < ARMHOLE_ROW - 1 ? &h->left : &h->trunk, origin,
                                                            kit_v(side, 0, kit_cos(angle)), 0.26 * s);
        }
    }
    const kit_vec centre = human_place(h, 0, 1.552, 0.002);
    for (int32_t i = 0; i < HUMAN_HEAD_ROWS - 1; i++) {
        for (int32_t c = 0; c <= HUMAN_COLUMNS / 2; c++) {
            // Columns crowd together on the face; low rows climb toward the nape.
            const double even = 2.0 * KIT_PI * c / HUMAN_COLUMNS;
            const double crowd = 0.55 * kit_smooth(-66, -40, head_latitudes[i]) * kit_smooth(88, 40, head_latitudes[i]);
            const double angle = even - crowd * kit_sin(even);
            double latitude = head_latitudes[i];
            if (latitude < 0) {
                latitude *= kit_cos(angle) > 0 ? 0.78 + 0.22 * kit_cos(angle) : 0.78 + 0.04 * kit_cos(angle);
            }
            latitude *= KIT_PI / 180.0;
            const kit_vec d =
                kit_v(kit_sin(angle) * kit_cos(latitude), kit_sin(latitude), kit_cos(angle) * kit_cos(latitude));
            h->points[human_torso_point(HUMAN_TORSO_ROWS + i, c)] = human_cast(&h->trunk, centre, d, 0.20 * s);
        }
    }
    h->points[CROWN] = human_cast(&h->trunk, centre, kit_v(0, 1, 0), 0.2 * s);
}

static void place_arm(human* h) {
    const double s = h->scale;
    const kit_vec shoulder = h->joints[HUMAN_UPPER_ARM], elbow = h->joints[HUMAN_FOREARM],
                  wrist = h->joints[HUMAN_HAND];
    const kit_vec upper = kit_unit(kit_sub(elbow, shoulder)), fore = kit_unit(kit_sub(wrist, elbow));
    for (int32_t r = 0; r <= HUMAN_ARM_ROWS; r++) {
        kit_vec centre, axis;
        double reach = 0.09 * s;
        const int32_t first_fore = 6, first_palm = 14;
        if (r == 0) {
            centre = kit_mad(kit_mad(shoulder, kit_v(-1, 0, 0), 0.026 * s), kit_v(0, -1, 0), 0.016 * s);
            axis = kit_unit(kit_add(kit_v(1.0, 0, 0), upper));
            reach = 0.062 * s;
        } else if (r < first_fore) {
            const double t = upper_arm_rows[r - 1];
            centre = kit_lerp(shoulder, elbow, t);
            axis = kit_unit(kit_lerp(kit_unit(kit_add(kit_v(0.7, 0, 0), upper)), upper, kit_smooth(0.0, 0.5, t)));
            reach = (0.062 + 0.02 * t) * s;
        } else if (r < first_palm) {
            const double t = forearm_rows[r - first_fore];
            centre = kit_lerp(elbow, wrist, t);
            axis = kit_unit(kit_lerp(kit_unit(kit_add(upper, fore)), fore, kit_smooth(0.0, 0.2, t)));
        } else if (r < HUMAN_ARM_ROWS) {
            centre = kit_mad(wrist, fore, palm_rows[r - first_palm] * s);
            axis = fore;
            reach = 0.06 * s;
        } else {
            h->points[human_arm_point(0, r, 0)] = kit_mad(wrist, fore, 0.092 * s);
            break;
        }
        const kit_vec up = kit_unit(kit_sub(kit_v(0, 1, 0), kit_mul(axis, axis.y)));
        kit_vec front = kit_cross(up, axis);
        if (front.z < 0) {
            front = kit_mul(front, -1);
        }
        for (int32_t k = 0; k < HUMAN_ARM_COLUMNS; k++) {
            const double angle = 2.0 * KIT_PI * k / HUMAN_ARM_COLUMNS;
            const kit_vec d = kit_add(kit_mul(up, kit_cos(angle)), kit_mul(front, kit_sin(angle)));
            h->points[human_arm_point(0, r, k)] = human_cast(&h->left, centre, d, reach);
        }
    }
}

static void place_leg(human* h) {
    const double s = h->scale;
    const int32_t shaft = (int32_t)(sizeof leg_heights / sizeof leg_heights[0]);
    const kit_vec hip = h->joints[HUMAN_THIGH], knee = h->joints[HUMAN_SHIN], ankle = h->joints[HUMAN_FOOT],
                  toes = h->joints[HUMAN_TOES];
    for (int32_t i = 0; i < HUMAN_CROTCH; i++) {
        // From back to front, as the leg's columns run.
        const double z = kit_mix(0.040, -0.060, (i + 1.0) / (HUMAN_CROTCH + 1));
        h->points[CROTCH + i] = human_cast(&h->trunk, human_place(h, 0, 0.90, z), kit_v(0, -1, 0), 0.2 * s);
    }
    for (int32_t r = 1; r < HUMAN_LEG_ROWS; r++) {
        kit_vec centre;
        kit_vec front = kit_v(0, 0, 1);
        double reach = 0.14 * s;
        double tilt = 0;
        if (r <= shaft) {
            const double y = leg_heights[r - 1] * s;
            centre = y > knee.y ? kit_lerp(hip, knee, (hip.y - y) / (hip.y - knee.y))
                                : kit_lerp(knee, ankle, (knee.y - y) / (knee.y - ankle.y));
            tilt = 0.035 * s * kit_smooth(0.70 * s, 0.78 * s, y); // the groin slants
        } else {
            const double* row = foot_rows[r - 1 - shaft];
            const double angle = row[0] * KIT_PI / 180.0;
            centre = kit_v(kit_mix(ankle.x, toes.x, kit_smooth(-0.02, 0.1, row[2])), row[1] * s, row[2] * s);
            front = kit_v(0, kit_sin(angle), kit_cos(angle));
        }
        for (int32_t k = 0; k < HUMAN_LEG_COLUMNS; k++) {
            const double angle = 2.0 * KIT_PI * k / HUMAN_LEG_COLUMNS;
            const kit_vec d = kit_add(kit_mul(front, kit_cos(angle)), kit_v(kit_sin(angle), 0, 0));
            const kit_vec from = kit_add(centre, kit_v(0, tilt * kit_sin(angle), 0));
            kit_vec p = human_cast(&h->left, from, d, reach);
            if (p.x < 0.0085 * s) {
                p.x = 0.0085 * s;
            }
            if (p.y < 0.0) {
                p.y = 0.0;
            }
            h->points[human_leg_point(0, r, k)] = p;
        }
    }
    const double* last = foot_rows[sizeof foot_rows / sizeof foot_rows[0] - 1];
    h->points[human_leg_point(0, HUMAN_LEG_ROWS, 0)] =
        human_cast(&h->left, kit_v(toes.x, last[1] * s, last[2] * s), kit_v(0, 0, 1), 0.1 * s);
}

static void mirror_points(human* h) {
    for (int32_t i = 0; i < POINT_COUNT; i++) {
        if (is_left(i)) {
            const int32_t other = partner(i);
            if (other == i) {
                h->points[i].x = 0;
            } else {
                h->points[other] = kit_mirror(h->points[i]);
            }
        }
    }
}

// -- Faces

static void add_face(human* h, int32_t a, int32_t b, int32_t c, int32_t d, int32_t region, int32_t row,
                     int32_t column) {
    human_face* f = &h->faces[h->face_count++];
    *f = (human_face){.v = {a, b, c, d}, .region = region, .row = row, .column = column};
    if (c == d) {
        f->v[3] = KIT_NONE;
    }
}

static bool in_armhole(int32_t row, int32_t column) {
    const int32_t left = column < HUMAN_COLUMNS / 2 ? column : HUMAN_COLUMNS - 1 - column;
    return row >= ARMHOLE_ROW && row < ARMHOLE_ROW + 2 && left >= ARMHOLE_COLUMN && left < ARMHOLE_COLUMN + 4;
}

static void make_faces(human* h) {
    const int32_t capacity =
        HUMAN_ROWS * HUMAN_COLUMNS + 2 * HUMAN_ARM_ROWS * HUMAN_ARM_COLUMNS + 2 * HUMAN_LEG_ROWS * HUMAN_LEG_COLUMNS;
    h->faces = kit_alloc(h->model, (size_t)capacity, sizeof(human_face));
    for (int32_t r = 0; r < HUMAN_ROWS - 1; r++) {
        const bool head = r >= HUMAN_TORSO_ROWS - 1;
        for (int32_t c = 0; c < HUMAN_COLUMNS; c++) {
            if (!in_armhole(r, c)) {
                add_face(h, human_torso_point(r, c), human_torso_point(r, c + 1), human_torso_point(r + 1, c + 1),
                         human_torso_point(r + 1, c), head ? HUMAN_REGION_HEAD : HUMAN_REGION_TORSO, r, c);
            }
        }
    }
    for (int32_t side = 0; side < 2; side++) {
        for (int32_t r = 0; r < HUMAN_ARM_ROWS; r++) {
            for (int32_t k = 0; k < HUMAN_ARM_COLUMNS; k++) {
                const int32_t a = human_arm_point(side, r, k), b = human_arm_point(side, r, k + 1);
                const int32_t c = human_arm_point(side, r + 1, k + 1), d = human_arm_point(side, r + 1, k);
                if (side == 0) {
                    add_face(h, a, b, c, d, HUMAN_REGION_ARM, r, k);
                } else {
                    add_face(h, b, a, d, c, HUMAN_REGION_ARM + 1, r, k);
                }
            }
        }
        for (int32_t r = 0; r < HUMAN_LEG_ROWS; r++) {
            for (int32_t k = 0; k < HUMAN_LEG_COLUMNS; k++) {
                const int32_t a = human_leg_point(side, r, k), b = human_leg_point(side, r, k + 1);
                const int32_t c = human_leg_point(side, r + 1, k + 1), d = human_leg_point(side, r + 1, k);
                if (side == 0) {
                    add_face(h, b, a, d, c, HUMAN_REGION_LEG, r, k);
                } else {
                    add_face(h, a, b, c, d, HUMAN_REGION_LEG + 1, r, k);
                }
            }
        }
    }
}

// Tangential smoothing of the places where tubes meet.
static void relax(human* h, int32_t rounds) {
    kit_vec* sum = kit_alloc(h->model, POINT_COUNT, sizeof(kit_vec));
    int32_t* count = kit_alloc(h->model, POINT_COUNT, sizeof(int32_t));
    double* amount = kit_alloc(h->model, POINT_COUNT, sizeof(double));
    for (int32_t c = 0; c < HUMAN_COLUMNS; c++) {
        const double side = kit_sin(2.0 * KIT_PI * c / HUMAN_COLUMNS);
        for (int32_t r = 8; r <= 14; r++) {
            amount[human_torso_point(r, c)] = (r == 8 || r == 14 ? 0.3 : 0.8) * kit_smooth(0.1, 0.7, fabs(side));
        }
        amount[human_torso_point(0, c)] = 0.8;
        amount[human_torso_point(1, c)] = 0.5;
    }
    for (int32_t k = 0; k < HUMAN_ARM_COLUMNS; k++) {
        for (int32_t r = 0; r <= 2; r++) {
            amount[human_arm_point(0, r, k)] = r == 2 ? 0.4 : 0.8;
        }
    }
    for (int32_t k = 0; k < HUMAN_LEG_COLUMNS; k++) {
        amount[human_leg_point(0, 0, k)] = 0.8;
        amount[human_leg_point(0, 1, k)] = 0.7;
        amount[human_leg_point(0, 2, k)] = 0.3;
    }
    for (int32_t round = 0; round < rounds; round++) {
        for (int32_t i = 0; i < POINT_COUNT; i++) {
            sum[i] = kit_v(0, 0, 0);
            count[i] = 0;
        }
        for (int32_t f = 0; f < h->face_count; f++) {
            const int32_t* v = h->faces[f].v;
            const int32_t n = v[3] == KIT_NONE ? 3 : 4;
            for (int32_t k = 0; k < n; k++) {
                const int32_t a = v[k], b = v[(k + 1) % n];
                sum[a] = kit_add(sum[a], h->points[b]);
                sum[b] = kit_add(sum[b], h->points[a]);
                count[a]++;
                count[b]++;
            }
        }
        for (int32_t i = 0; i < POINT_COUNT; i++) {
            if (is_left(i) && amount[i] > 0 && count[i] > 0) {
                const kit_vec to = kit_mul(sum[i], 1.0 / count[i]);
                const bool middle = partner(i) == i;
                kit_vec p = kit_lerp(h->points[i], to, 0.5 * amount[i]);
                p = kit_shape_project(middle ? &h->trunk : &h->left, p);
                if (middle) {
                    p.x = 0;
                } else if (p.x < 0.0085 * h->scale) {
                    p.x = 0.0085 * h->scale;
                }
                h->points[i] = p;
            }
        }
        mirror_points(h);
    }
}

static void make_normals(human* h) {
    for (int32_t f = 0; f < h->face_count; f++) {
        const int32_t* v = h->faces[f].v;
        const int32_t last = v[3] == KIT_NONE ? v[2] : v[3];
        const kit_vec n =
            kit_cross(kit_sub(h->points[v[2]], h->points[v[0]]), kit_sub(h->points[last], h->points[v[1]]));
        for (int32_t k = 0; k < 4 && v[k] != KIT_NONE; k++) {
            h->normals[v[k]] = kit_add(h->normals[v[k]], n);
        }
    }
    for (int32_t i = 0; i < POINT_COUNT; i++) {
        h->normals[i] = kit_unit(h->normals[i]);
    }
}

// -- Weights

static void weigh_torso(human* h) {
    const double s = h->scale;
    for (int32_t r = 0; r < HUMAN_ROWS; r++) {
        for (int32_t c = 0; c < HUMAN_COLUMNS; c++) {
            const int32_t i = human_torso_point(r, c);
            double* w = human_weights_of(h, i);
            for (int32_t b = 0; b < HUMAN_BONE_COUNT; b++) {
                w[b] = 0;
            }
            if (r >= HUMAN_TORSO_ROWS + 1) {
                w[HUMAN_HEAD] = 1;
                continue;
            }
            if (r >= HUMAN_TORSO_ROWS - 1) {
                w[HUMAN_NECK] = r == HUMAN_TORSO_ROWS ? 0.5 : 1.0;
                w[HUMAN_HEAD] = 1.0 - w[HUMAN_NECK];
                continue;
            }
            const kit_vec p = kit_mul(h->points[i], 1.0 / s);
            const double spine = kit_smooth(0.93, 1.05, p.y), chest = kit_smooth(1.06, 1.20, p.y);
            const double neck = kit_smooth(1.385, 1.43, p.y) * kit_smooth(0.11, 0.05, fabs(p.x));
            const double girdle = kit_smooth(1.25, 1.37, p.y) * kit_smooth(0.03, 0.11 * h->figure.shoulder, fabs(p.x));
            w[HUMAN_HIPS] = 1 - spine;
            w[HUMAN_SPINE] = spine * (1 - chest);
            w[HUMAN_CHEST] = spine * chest * (1 - neck) * (1 - girdle);
            w[HUMAN_NECK] = spine * chest * neck;
            w[human_bone(HUMAN_CLAVICLE, p.x >= 0 ? 0 : 1)] += spine * chest * (1 - neck) * girdle;
        }
    }
}

static void weigh_limbs(human* h) {
    for (int32_t side = 0; side < 2; side++) {
        const int32_t clavicle = human_bone(HUMAN_CLAVICLE, side), upper = human_bone(HUMAN_UPPER_ARM, side),
                      fore = human_bone(HUMAN_FOREARM, side), hand = human_bone(HUMAN_HAND, side),
                      fingers = human_bone(HUMAN_FINGERS, side);
        for (int32_t r = 0; r <= HUMAN_ARM_ROWS; r++) {
            for (int32_t k = 0; k < HUMAN_ARM_COLUMNS; k++) {
                double* w = human_weights_of(h, human_arm_point(side, r, k));
                if (r == 0) {
                    // Above, the girdle carries the skin; in the armpit, the chest.
                    const double high = 0.5 + 0.5 * kit_cos(2.0 * KIT_PI * k / HUMAN_ARM_COLUMNS);
                    for (int32_t b = 0; b < HUMAN_BONE_COUNT; b++) {
                        w[b] *= 0.5;
                    }
                    w[upper] += 0.5 * (1 - 0.3 * high);
                    w[clavicle] += 0.5 * 0.3 * high;
                    continue;
                }
                const double arm = kit_smooth(-0.5, 2.0, r), bend = kit_smooth(4.3, 7.7, r),
                             turn = kit_smooth(11.5, 14.5, r), grip = 0.35 * kit_smooth(16.0, 18.0, r);
                w[clavicle] = 1 - arm;
                w[upper] = arm * (1 - bend);
                w[fore] = bend * (1 - turn);
                w[hand] = turn * (1 - grip);
                w[fingers] = turn * grip;
            }
        }
        const int32_t thigh = human_bone(HUMAN_THIGH, side), shin = human_bone(HUMAN_SHIN, side),
                      foot = human_bone(HUMAN_FOOT, side), toes = human_bone(HUMAN_TOES, side);
        for (int32_t r = 0; r <= HUMAN_LEG_ROWS; r++) {
            for (int32_t k = 0; k < HUMAN_LEG_COLUMNS; k++) {
                double* w = human_weights_of(h, human_leg_point(side, r, k));
                if (r == 0) {
                    continue;
                }
                const double z = h->points[human_leg_point(side, r, k)].z / h->scale;
                const double leg = kit_smooth(-1.5, 2.0, r), bend = kit_smooth(5.4, 9.4, r),
                             ankle = kit_smooth(13.6, 17.0, r), ball = r > 18 ? kit_smooth(0.080, 0.118, z) : 0.0;
                w[HUMAN_HIPS] = 1 - leg;
                w[thigh] = leg * (1 - bend);
                w[shin] = bend * (1 - ankle);
                w[foot] = bend * ankle * (1 - ball);
                w[toes] = bend * ankle * ball;
            }
        }
    }
    // The groin ring and the buttocks go half with each thigh.
    for (int32_t side = 0; side < 2; side++) {
        for (int32_t k = 0; k < HUMAN_LEG_COLUMNS; k++) {
            double* w = human_weights_of(h, human_leg_point(side, 0, k));
            const bool middle = k == 0 || k >= HUMAN_COLUMNS / 2;
            w[HUMAN_HIPS] = 0.6;
            w[human_bone(HUMAN_THIGH, side)] = middle ? 0.2 : 0.4;
        }
    }
}

// Diffusion over the cage, so that no weight jumps from one ring to the next. The face stays rigid.
static void smooth_weights(human* h, int32_t rounds) {
    const size_t size = (size_t)POINT_COUNT * HUMAN_BONE_COUNT;
    double* sum = kit_alloc(h->model, size, sizeof(double));
    int32_t* count = kit_alloc(h->model, POINT_COUNT, sizeof(int32_t));
    const int32_t face = human_torso_point(HUMAN_TORSO_ROWS + 2, 0);
    for (int32_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < size; i++) {
            sum[i] = 0;
        }
        for (int32_t i = 0; i < POINT_COUNT; i++) {
            count[i] = 0;
        }
        for (int32_t f = 0; f < h->face_count; f++) {
            const int32_t* v = h->faces[f].v;
            const int32_t n = v[3] == KIT_NONE ? 3 : 4;
            for (int32_t k = 0; k < n; k++) {
                const int32_t a = v[k], b = v[(k + 1) % n];
                for (int32_t bone = 0; bone < HUMAN_BONE_COUNT; bone++) {
                    sum[(size_t)a * HUMAN_BONE_COUNT + (size_t)bone] += human_weights_of(h, b)[bone];
                    sum[(size_t)b * HUMAN_BONE_COUNT + (size_t)bone] += human_weights_of(h, a)[bone];
                }
                count[a]++;
                count[b]++;
            }
        }
        for (int32_t i = 0; i < POINT_COUNT; i++) {
            if (count[i] == 0 || (i >= face && i <= CROWN)) {
                continue;
            }
            for (int32_t bone = 0; bone < HUMAN_BONE_COUNT; bone++) {
                double* w = &human_weights_of(h, i)[bone];
                *w = 0.5 * *w + 0.5 * sum[(size_t)i * HUMAN_BONE_COUNT + (size_t)bone] / count[i];
            }
        }
    }
}

human* human_new(kit_model* model, human_figure figure) {
    human* h = kit_alloc(model, 1, sizeof(human));
    h->model = model;
    h->figure = figure;
    h->arms_out = 13.0;
    human_body_make(h);
    h->point_count = POINT_COUNT;
    h->points = kit_alloc(model, POINT_COUNT, sizeof(kit_vec));
    h->normals = kit_alloc(model, POINT_COUNT, sizeof(kit_vec));
    h->weights = kit_alloc(model, (size_t)POINT_COUNT * HUMAN_BONE_COUNT, sizeof(double));
    place_torso(h);
    place_arm(h); // after the torso: row 0 replaces the torso's points at the armhole
    place_leg(h);
    mirror_points(h);
    make_faces(h);
    relax(h, 16);
    make_normals(h);
    weigh_torso(h);
    weigh_limbs(h);
    smooth_weights(h, 4);
    return h;
}
