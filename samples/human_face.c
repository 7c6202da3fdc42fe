// SPDX-License-Identifier: MIT
#include "samples/human.h"

// What is sewn onto the skin: eyes, brows, lips, ears and fingers. Small pieces with their own vertices, stiff on one bone.

// -- Pieces that lie on the face

typedef struct patch {
    const human* h;
    double x[5], y[5], half[5]; // a spine of five points in face coordinates, and its half width
    double lift;                // above the skin
    double bulge;               // extra in the middle
} patch;

// v runs across the strip, u along it; the skin gives the depth.
static kit_vec patch_point(double u, double v, const void* context) {
    const patch* p = context;
    kit_vec spine[5], width[5];
    for (int32_t i = 0; i < 5; i++) {
        spine[i] = kit_v(p->x[i], p->y[i], 0);
        width[i] = kit_v(p->half[i], 0, 0);
    }
    const kit_vec at = kit_curve_point(spine, 5, u);
    const double across = 2.0 * v - 1.0, half = kit_curve_point(width, 5, u).x;
    const kit_vec from = human_place(p->h, at.x, at.y - across * half, 0.02);
    // Walk out of the head along z until the skin is left behind.
    double in = 0.0, out = 0.12 * p->h->scale;
    for (int32_t i = 0; i < 40; i++) {
        const double t = 0.5 * (in + out);
        if (kit_shape_distance(&p->h->trunk, kit_mad(from, kit_v(0, 0, 1), t), NULL) > 0) {
            out = t;
        } else {
            in = t;
        }
    }
    const double lift = p->lift + p->bulge * (1.0 - across * across);
    return kit_mad(from, kit_v(0, 0, 1), in + lift * p->h->scale);
}

static void add_patch(human* h, kit_mesh* mesh, const patch* p, int32_t columns, int32_t rows, int32_t material) {
    const int32_t first = kit_sheet(h->model, mesh, columns, rows, false, patch_point, p, material);
    kit_mesh_rigid(mesh, first, -1, HUMAN_HEAD);
}

static void add_eye(human* h, kit_mesh* mesh, human_face_colors colors, int32_t side) {
    const double m = side == 0 ? 1.0 : -1.0;
    const double s = h->scale;
    const kit_vec centre = human_place(h, m * 0.0315, 1.5645, 0.0705);
    // The ball is flattened so that lids, not the ball, end the eye; the iris is a shallow lens on it.
    int32_t first = kit_sphere(h->model, mesh, centre, kit_mul(kit_v(0.0162, 0.0094, 0.0118), s),
                               kit_euler(0, m * 12, m * -4), 10, 5, colors.eye_white);
    const kit_vec pupil = kit_add(centre, kit_mul(kit_v(m * 0.0006, 0.0003, 0.0092), s));
    kit_sphere(h->model, mesh, pupil, kit_mul(kit_v(0.0074, 0.0032, 0.0080), s), kit_euler(90, 0, 0), 10, 3,
               colors.iris);
    kit_mesh_rigid(mesh, first, -1, HUMAN_HEAD);
    // Upper lid with lashes: a dark strip that follows the ball's upper edge, thicker outward.
    enum { LASH = 6 };
    kit_ring lash[LASH];
    for (int32_t i = 0; i < LASH; i++) {
        const double t = i / (LASH - 1.0);
        const double angle = KIT_PI * (0.06 + 0.86 * t);
        lash[i] = (kit_ring){
            .centre = kit_add(centre, kit_mul(kit_v(m * 0.0168 * -kit_cos(angle), 0.0100 * kit_sin(angle) - 0.0008,
                                                    0.0085 * kit_sin(angle) + 0.0018 - 0.0016 * t),
                                              s)),
            .rx = (0.0007 + 0.0012 * t) * s,
            .ry = (0.0010 + 0.0012 * t) * s,
            .exponent = 2.0};
    }
    first = kit_tube(h->model, mesh, lash, LASH, 3, kit_v(0, 0, 1), KIT_CAP_START | KIT_CAP_END, colors.brow);
    kit_mesh_rigid(mesh, first, -1, HUMAN_HEAD);
    patch brow = {.h = h,
                  .x = {m * 0.0125, m * 0.0220, m * 0.0315, m * 0.0405, m * 0.0480},
                  .y = {1.5835, 1.5865, 1.5885, 1.5875, 1.5830},
                  .half = {0.0022, 0.0027, 0.0025, 0.0018, 0.0006},
                  .lift = 0.0004,
                  .bulge = 0.0012};
    if (side == 1) {
        // The strip must run the same way round to face outward.
        for (int32_t i = 0; i < 5; i++) {
            brow.half[i] = -brow.half[i];
        }
    }
    for (int32_t i = 0; i < 5; i++) {
        brow.half[i] *= h->figure.bust > 0 ? 1.0 : 1.5;
    }
    add_patch(h, mesh, &brow, 6, 2, colors.brow);
}

static void add_ear(human* h, kit_mesh* mesh, int32_t material, int32_t side) {
    const double m = side == 0 ? 1.0 : -1.0;
    const double s = h->scale;
    const int32_t first =
        kit_sphere(h->model, mesh, human_place(h, m * 0.0735, 1.5530, -0.010),
                   kit_mul(kit_v(0.0075, 0.0300, 0.0165), s), kit_euler(-12, m * 24, m * -8), 8, 6, material);
    kit_mesh_rigid(mesh, first, -1, HUMAN_HEAD);
}

void human_emit_face(human* h, kit_mesh* mesh, human_face_colors colors, bool ears) {
    for (int32_t side = 0; side < 2; side++) {
        add_eye(h, mesh, colors, side);
        if (ears) {
            add_ear(h, mesh, colors.skin, side);
        }
    }
    const double wide = h->figure.bust > 0 ? 0.0205 : 0.0235, full = h->figure.bust > 0 ? 1.0 : 0.75;
    const patch upper = {.h = h,
                         .x = {-wide, -wide * 0.5, 0, wide * 0.5, wide},
                         .y = {1.5032, 1.5065, 1.5062, 1.5065, 1.5032},
                         .half = {0.0004, 0.0030 * full, 0.0028 * full, 0.0030 * full, 0.0004},
                         .lift = 0.0003,
                         .bulge = 0.0014 * full};
    const patch lower = {.h = h,
                         .x = {-wide, -wide * 0.5, 0, wide * 0.5, wide},
                         .y = {1.5030, 1.5002, 1.4990, 1.5002, 1.5030},
                         .half = {0.0004, 0.0030 * full, 0.0040 * full, 0.0030 * full, 0.0004},
                         .lift = 0.0003,
                         .bulge = 0.0022 * full};
    add_patch(h, mesh, &upper, 8, 2, colors.lips);
    add_patch(h, mesh, &lower, 8, 2, colors.lips);
}

// -- Fingers

static void add_finger(human* h, kit_mesh* mesh, int32_t material, int32_t side, kit_vec base, kit_vec along,
                       kit_vec down, double length, double radius, double curl, int32_t bone) {
    enum { RINGS = 4 };
    kit_ring rings[RINGS];
    kit_vec at = base;
    kit_vec d = along;
    for (int32_t i = 0; i < RINGS; i++) {
        const double t = i / (RINGS - 1.0);
        const double r = radius * (1.0 - 0.22 * t);
        rings[i] = (kit_ring){.centre = side == 0 ? at : kit_mirror(at), .rx = r, .ry = r, .exponent = 2.0};
        at = kit_mad(at, d, length / (RINGS - 1));
        d = kit_unit(kit_mad(d, down, curl));
    }
    // Tips are rounded by one more, narrower ring pulled in by the cap.
    rings[RINGS - 1].rx *= 0.62;
    rings[RINGS - 1].ry *= 0.62;
    const int32_t first = kit_tube(h->model, mesh, rings, RINGS, 5, kit_v(0, 0, 1), KIT_CAP_END, material);
    for (int32_t i = first; i < mesh->vertex_count; i++) {
        kit_vertex* v = &mesh->vertices[i];
        const double t = kit_clamp((v->v - 0.02) / 0.35, 0.0, 1.0);
        double dense[HUMAN_BONE_COUNT] = {0};
        dense[human_bone(HUMAN_HAND, side)] = 1.0 - t;
        dense[human_bone(bone, side)] = t;
        human_weights_set(v, dense);
        v->label = HUMAN_REGION_FINGERS + side;
    }
    for (int32_t t = mesh->triangle_count - 1; t >= 0 && mesh->triangles[t].v[0] >= first; t--) {
        mesh->triangles[t].label = HUMAN_REGION_FINGERS + side;
    }
}

void human_emit_hands(human* h, kit_mesh* mesh, int32_t material) {
    const double s = h->scale, g = s * h->figure.limb;
    const kit_vec wrist = h->joints[HUMAN_HAND], knuckles = h->joints[HUMAN_FINGERS];
    const kit_vec along = kit_unit(kit_sub(knuckles, wrist));
    const kit_vec down = kit_unit(kit_sub(kit_v(0, -1, 0), kit_mul(along, -along.y)));
    const kit_vec front = kit_v(0, 0, 1);
    static const double lengths[4] = {0.074, 0.082, 0.077, 0.062};
    static const double radii[4] = {0.0096, 0.0098, 0.0094, 0.0084};
    for (int32_t side = 0; side < 2; side++) {
        for (int32_t i = 0; i < 4; i++) {
            const double across = (i - 1.35) * 0.0185 * s;
            const kit_vec base =
                kit_mad(kit_mad(knuckles, front, -across), along, (i == 0 || i == 3 ? -0.012 : -0.006) * s);
            const kit_vec spread = kit_unit(kit_mad(along, front, (1.35 - i) * 0.045));
            add_finger(h, mesh, material, side, base, spread, down, lengths[i] * s, radii[i] * g, 0.10, HUMAN_FINGERS);
        }
        const kit_vec base = kit_mad(kit_mad(h->joints[HUMAN_THUMB], down, 0.004 * s), along, 0.004 * s);
        const kit_vec out = kit_unit(kit_add(along, kit_add(kit_mul(front, 0.62), kit_mul(down, 0.25))));
        add_finger(h, mesh, material, side, base, out, kit_unit(kit_mad(along, front, -0.4)), 0.066 * s, 0.0105 * g,
                   0.12, HUMAN_THUMB);
    }
}
