// SPDX-License-Identifier: MIT
#include "samples/kit_samples.h"

#include <string.h>

// An octopus: one closed skin over mantle, head and eight arms, with suckers and eyes set into it. Clip `swim` moves
// it by bones (a jet: arms open slowly, then stream together and the mantle is squeezed). Clip `pulse` holds no bone
// at all: it is a cycle of morph targets played like frames of film, as exporters write simulated caches.

enum { ARMS = 8, ARM_BONES = 6, PULSE_FRAMES = 4, SUCKERS = 9, MANTLE = 0 }; // arm i has label i + 1

typedef struct octopus_bones {
    int32_t root, head, mantle[3];
    int32_t arm[ARMS][ARM_BONES];
} octopus_bones;

static double arm_azimuth(int32_t arm) {
    return 2.0 * KIT_PI * (arm + 0.5) / ARMS;
}

// The arm's middle line: out from below the head, resting on the ground, the tip lifted and curled aside, all the
// same way round.
static kit_vec arm_point(int32_t arm, double t) {
    double a = arm_azimuth(arm), turn = 0.75 + 0.5 * kit_random(21, (uint32_t)arm);
    double radius = 0.085 + 0.56 * t - 0.05 * kit_smooth(0.7, 1.0, t);
    double height = kit_mix(0.29, 0.045, kit_smooth(0.0, 0.52, t)) + 0.13 * kit_smooth(0.68, 1.05, t);
    double swing = turn * (0.10 * kit_sin(2.4 * KIT_PI * t) * t + 0.28 * kit_smooth(0.55, 1.1, t));
    return kit_v(radius * kit_sin(a + swing), height, radius * kit_cos(a + swing));
}

static double arm_radius(double t) {
    return kit_mix(0.082, 0.020, kit_smooth(-0.25, 1.0, t) * 0.35 + t * 0.65);
}

static octopus_bones octopus_skeleton(kit_model* model) {
    static const char* const names[ARMS][ARM_BONES] = {
#define ARM_NAMES(n) {n ".1", n ".2", n ".3", n ".4", n ".5", n ".6"}
        ARM_NAMES("arm.A"), ARM_NAMES("arm.B"), ARM_NAMES("arm.C"), ARM_NAMES("arm.D"),
        ARM_NAMES("arm.E"), ARM_NAMES("arm.F"), ARM_NAMES("arm.G"), ARM_NAMES("arm.H")};
#undef ARM_NAMES
    octopus_bones b;
    b.root = kit_bone(model, "root", KIT_NONE, kit_v(0.0, 0.0, 0.0));
    b.head = kit_bone_to(model, "head", b.root, kit_v(0.0, 0.28, 0.0), kit_v(0.0, 0.46, 0.0));
    b.mantle[0] = kit_bone_to(model, "mantle.1", b.head, kit_v(0.0, 0.46, 0.0), kit_v(0.0, 0.60, -0.04));
    b.mantle[1] = kit_bone_to(model, "mantle.2", b.mantle[0], kit_v(0.0, 0.60, -0.04), kit_v(0.0, 0.74, -0.12));
    b.mantle[2] = kit_bone_to(model, "mantle.3", b.mantle[1], kit_v(0.0, 0.74, -0.12), kit_v(0.0, 0.86, -0.22));
    for (int32_t i = 0; i < ARMS; ++i) {
        for (int32_t k = 0; k < ARM_BONES; ++k) {
            double t = (double)k / ARM_BONES;
            b.arm[i][k] = kit_bone_to(model, names[i][k], k == 0 ? b.head : b.arm[i][k - 1], arm_point(i, t),
                                      arm_point(i, t + 1.0 / ARM_BONES));
        }
    }
    kit_bones_orient(model);
    for (int32_t k = 0; k < 3; ++k) {
        model->bones[b.mantle[k]].orientation = kit_identity(); // scaled unevenly in `swim`
    }
    return b;
}

// -- Skin

static double octopus_warts(kit_vec p, const void* context) {
    (void)context;
    double up = kit_smooth(0.30, 0.55, p.y);
    return 0.004 * kit_noise(kit_mul(p, 14.0), 3) * (0.3 + 0.7 * up);
}

static void octopus_shape(kit_model* model, kit_shape* s) {
    kit_ball(model, s, MANTLE, kit_v(0.0, 0.70, -0.085), kit_v(0.205, 0.235, 0.205), 0.0)->rotation =
        kit_euler(-28.0, 0.0, 0.0);
    kit_ball(model, s, MANTLE, kit_v(0.0, 0.42, 0.01), kit_v(0.145, 0.14, 0.135), 0.14);
    kit_cone(model, s, MANTLE, kit_v(0.0, 0.31, 0.0), kit_v(0.0, 0.25, 0.0), 0.115, 0.10, 0.10);
    int32_t first = s->blob_count;
    kit_ball(model, s, MANTLE, kit_v(0.112, 0.475, 0.095), kit_v(0.058, 0.058, 0.058), 0.035);              // eye mound
    kit_cone(model, s, MANTLE, kit_v(0.075, 0.535, 0.130), kit_v(0.155, 0.535, 0.085), 0.020, 0.018, 0.03); // brow
    kit_shape_mirror(model, s, first, 0);
    kit_cone(model, s, MANTLE, kit_v(0.10, 0.33, 0.06), kit_v(0.165, 0.315, 0.105), 0.038, 0.030, 0.03); // siphon
    kit_ball(model, s, MANTLE, kit_v(0.185, 0.310, 0.118), kit_v(0.020, 0.020, 0.020), 0.015)->carve = true;
    first = s->blob_count;
    for (int32_t side = -1; side <= 1; side += 2) { // sockets
        kit_ball(model, s, MANTLE, kit_v(side * 0.135, 0.478, 0.145), kit_v(0.037, 0.034, 0.037), 0.02)->carve = true;
    }
    for (int32_t i = 0; i < ARMS; ++i) {
        enum { PIECES = 16 };
        for (int32_t k = 0; k < PIECES; ++k) {
            double t0 = (double)k / PIECES, t1 = (k + 1.0) / PIECES;
            kit_blob* piece = kit_cone(model, s, i + 1, arm_point(i, t0), arm_point(i, t1), arm_radius(t0),
                                       arm_radius(t1), k == 0 ? 0.09 : 0.03);
            piece->melt = k < 4 ? 0.075 - 0.012 * k : 0.02; // webs between the arms' roots
        }
    }
    s->displace = octopus_warts;
}

static void octopus_color(kit_vertex* v) {
    static const double top[3] = {0.70, 0.20, 0.13}, low[3] = {0.93, 0.66, 0.50}, dark[3] = {0.36, 0.07, 0.07};
    double under = kit_smooth(0.15, -0.65, v->normal.y) * kit_smooth(0.45, 0.30, v->position.y);
    double spots = kit_smooth(0.12, 0.42, kit_blotches(kit_mul(v->position, 15.0), 77)) * (1.0 - under);
    double crown = kit_smooth(0.50, 0.95, v->position.y);
    for (int32_t k = 0; k < 3; ++k) {
        double c = kit_mix(top[k], dark[k], 0.45 * crown);
        c = kit_mix(c, dark[k], 0.55 * spots);
        v->color[k] = kit_mix(c, low[k], under);
    }
}

static void octopus_bind(kit_model* model, kit_mesh* mesh, int32_t first, const octopus_bones* b) {
    kit_bind binds[8 + ARMS * ARM_BONES];
    int32_t count = 0;
    uint64_t mantle = 1u << MANTLE;
    binds[count++] = (kit_bind){b->head, 0.15, 0x1ff};
    binds[count++] = (kit_bind){b->mantle[0], 0.19, mantle};
    binds[count++] = (kit_bind){b->mantle[1], 0.22, mantle};
    binds[count++] = (kit_bind){b->mantle[2], 0.20, mantle};
    for (int32_t i = 0; i < ARMS; ++i) {
        for (int32_t k = 0; k < ARM_BONES; ++k) {
            binds[count++] = (kit_bind){b->arm[i][k], arm_radius((double)k / ARM_BONES), 2u << i};
        }
    }
    kit_mesh_bind(model, mesh, first, -1, binds, count, 10);
}

// Two rows of cups down the under side of each arm.
static void octopus_suckers(kit_model* model, kit_mesh* mesh, const kit_shape* shape, int32_t material) {
    for (int32_t i = 0; i < ARMS; ++i) {
        for (int32_t k = 0; k < SUCKERS * 2; ++k) {
            double t = 0.22 + 0.72 * (k / 2 + 0.5 * (k & 1)) / SUCKERS, r = arm_radius(t);
            kit_vec centre = arm_point(i, t), along = kit_unit(kit_sub(arm_point(i, t + 0.01), arm_point(i, t - 0.01)));
            kit_vec side = kit_unit(kit_cross(along, kit_v(0.0, 1.0, 0.0)));
            kit_vec down = kit_cross(along, side);
            down = down.y > 0.0 ? kit_mul(down, -1.0) : down;
            kit_vec dir = kit_unit(kit_mad(down, side, (k & 1) != 0 ? 0.55 : -0.55));
            kit_vec p = kit_shape_project(shape, kit_mad(centre, dir, r));
            kit_vec n = kit_shape_normal(shape, p);
            double size = r * 0.34;
            // A cup: a low ring with a dent.
            kit_ring cup[4] = {{kit_mad(p, n, -0.4 * size), size * 0.9, size * 0.9, 2.0, 0.0},
                               {kit_mad(p, n, 0.25 * size), size, size, 2.0, 0.0},
                               {kit_mad(p, n, 0.38 * size), size * 0.72, size * 0.72, 2.0, 0.0},
                               {kit_mad(p, n, 0.10 * size), size * 0.30, size * 0.30, 2.0, 0.0}};
            int32_t first = kit_tube(model, mesh, cup, 4, 8, kit_v(0.31, 0.0, 0.95), KIT_CAP_END, material);
            kit_mesh_paint(mesh, first, -1, 1.0, 0.86, 0.76);
        }
    }
}

// -- Pulse

// The swollen, spread and the squeezed, gathered state are the two ends of one cycle; phase in turns.
static kit_vec pulse_move(kit_vec p, double phase) {
    double r = sqrt(p.x * p.x + p.z * p.z) + 1e-9;
    double mantle = kit_smooth(0.40, 0.58, p.y), wave = kit_sin(2.0 * KIT_PI * phase);
    double swell = 0.14 * mantle * kit_sin(2.0 * KIT_PI * phase - 2.0 * (p.y - 0.5));
    double reach = kit_smooth(0.10, 0.65, r) * (1.0 - mantle);
    double lift = 0.20 * reach * kit_sin(2.0 * KIT_PI * (phase - 0.35 * r));
    double gather = 1.0 + swell - 0.22 * reach * kit_sin(2.0 * KIT_PI * (phase - 0.25 - 0.3 * r));
    return kit_v(p.x * gather,
                 p.y * (1.0 - 0.05 * mantle * wave) + lift + 0.10 * kit_smooth(0.12, 0.4, r) * (1.0 - mantle),
                 p.z * gather + 0.05 * mantle * swell);
}

static void octopus_pulse(kit_model* model, kit_mesh* mesh, int32_t mesh_index) {
    static const char* const names[PULSE_FRAMES] = {"pulse.1", "pulse.2", "pulse.3", "pulse.4"};
    // Differences of area-weighted normals: the same rule before and after, so that the dents of the fine normals stay.
    kit_mesh moved = *mesh;
    moved.vertices = kit_alloc(model, (size_t)mesh->vertex_count, sizeof(kit_vertex));
    memcpy(moved.vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof(kit_vertex));
    kit_vec* before = kit_alloc(model, (size_t)mesh->vertex_count, sizeof(kit_vec));
    kit_mesh_normals(model, &moved, 0, -1, true);
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        before[i] = moved.vertices[i].normal;
    }
    for (int32_t m = 0; m < PULSE_FRAMES; ++m) {
        kit_morph* morph = kit_morph_add(model, mesh, names[m]);
        for (int32_t i = 0; i < mesh->vertex_count; ++i) {
            moved.vertices[i].position = pulse_move(mesh->vertices[i].position, (double)m / PULSE_FRAMES);
            morph->position_deltas[i] = kit_sub(moved.vertices[i].position, mesh->vertices[i].position);
        }
        kit_mesh_normals(model, &moved, 0, -1, true);
        for (int32_t i = 0; i < mesh->vertex_count; ++i) {
            morph->normal_deltas[i] = kit_sub(moved.vertices[i].normal, before[i]);
        }
    }
    kit_clip* clip = kit_clip_add(model, "pulse", 2.0, true);
    for (int32_t f = 0; f < clip->frame_count; ++f) {
        double* weights = kit_clip_weights(model, clip, mesh_index, f);
        double at = kit_clip_phase(clip, f) * PULSE_FRAMES;
        int32_t low = (int32_t)floor(at) % PULSE_FRAMES, high = (low + 1) % PULSE_FRAMES;
        double share = kit_smooth(0.0, 1.0, at - floor(at));
        weights[low] += 1.0 - share;
        weights[high] += share;
    }
}

// -- Swim

static void octopus_swim(kit_model* model, const octopus_bones* b) {
    // Arm spread over one stroke: opens for two thirds, snaps shut in a quarter, glides.
    static const kit_key open[] = {{0.0, 0.0}, {0.20, 0.25}, {0.55, 1.0}, {0.72, 0.55}, {0.85, 0.05}};
    static const kit_key rise[] = {{0.0, 0.62}, {0.20, 0.70}, {0.62, 0.50}, {0.86, 0.58}};
    static const kit_key squeeze[] = {{0.0, 0.3}, {0.25, 0.0}, {0.55, -0.7}, {0.74, 1.0}, {0.90, 0.55}};
    kit_clip* clip = kit_clip_add(model, "swim", 2.4, true);
    for (int32_t f = 0; f < clip->frame_count; ++f) {
        kit_joint* pose = kit_clip_pose(clip, f);
        double phase = kit_clip_phase(clip, f), a = 2.0 * KIT_PI * phase;
        pose[b->root].position = kit_v(0.03 * kit_sin(a), kit_keys(rise, 4, 1.0, phase), 0.0);
        pose[b->root].rotation = kit_euler(4.0 * kit_sin(a + 0.6), 6.0 * kit_sin(a), 3.0 * kit_cos(a));
        for (int32_t k = 0; k < 3; ++k) {
            double s = kit_keys(squeeze, 5, 1.0, phase - 0.04 * k);
            pose[b->mantle[k]].rotation = kit_euler(4.0 * s, 0.0, 2.0 * kit_sin(a - 0.5 * k));
            // Narrower when squeezed; each bone undoes its parent's share.
            double s_parent = k == 0 ? 0.0 : kit_keys(squeeze, 5, 1.0, phase - 0.04 * (k - 1));
            double wide = (1.0 - 0.09 * s) / (1.0 - 0.09 * s_parent), tall = (1.0 + 0.05 * s) / (1.0 + 0.05 * s_parent);
            pose[b->mantle[k]].scale = kit_v(wide, tall, wide);
        }
        for (int32_t i = 0; i < ARMS; ++i) {
            double azimuth = arm_azimuth(i);
            kit_vec hinge = {kit_cos(azimuth), 0.0, -kit_sin(azimuth)}; // positive turns lower the arm
            for (int32_t k = 0; k < ARM_BONES; ++k) {
                double late = phase - 0.055 * k - 0.012 * (i % 3);
                double spread = kit_keys(open, 5, 1.0, late);
                // Closed: the arms hang together below and behind; open: nearly level, tips up.
                static const double shut[ARM_BONES] = {29.0, 17.0, 18.0, 14.0, 10.0, 8.0};
                static const double wide[ARM_BONES] = {-26.0, -8.0, 12.0, 16.0, 12.0, 6.0};
                double bend = kit_mix(shut[k], wide[k], spread);
                kit_quat aside = kit_turn(kit_v(0.0, 1.0, 0.0), 0.09 * kit_sin(a - 0.8 * k + 1.7 * i));
                pose[b->arm[i][k]].rotation = kit_qmul(aside, kit_turn(hinge, bend * KIT_PI / 180.0));
            }
        }
    }
}

void octopus_build(kit_model* model) {
    octopus_bones b = octopus_skeleton(model);
    int32_t skin = kit_material(model, "Skin", 1.0, 1.0, 1.0, 0.35);
    int32_t sucker = kit_material(model, "Sucker", 0.96, 0.76, 0.64, 0.5);
    int32_t white = kit_material(model, "EyeWhite", 0.95, 0.86, 0.55, 0.1);
    int32_t iris = kit_material(model, "EyeIris", 0.62, 0.38, 0.08, 0.1);
    int32_t pupil = kit_material(model, "EyePupil", 0.02, 0.015, 0.02, 0.05);

    kit_mesh* mesh = kit_mesh_add(model, "octopus", KIT_UV | KIT_COLOR | KIT_STIFFNESS | KIT_WIDE_JOINTS);
    kit_shape shape = {0};
    octopus_shape(model, &shape);
    kit_shape_mesh(model, mesh, &shape, 0.0165, skin);
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        octopus_color(&mesh->vertices[i]);
        mesh->vertices[i].stiffness = mesh->vertices[i].label == MANTLE ? 0.6 : 0.35;
    }
    octopus_bind(model, mesh, 0, &b);
    kit_chart charts[ARMS + 1] = {{MANTLE, {0.0, 0.5, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.0, 1.0, 0.5}};
    for (int32_t i = 0; i < ARMS; ++i) {
        kit_vec out = {kit_sin(arm_azimuth(i)), 0.0, kit_cos(arm_azimuth(i))};
        kit_vec middle = arm_point(i, 0.5);
        charts[i + 1] = (kit_chart){i + 1, middle, out, {0.0, 1.0, 0.0}, i / 8.0, 0.5, (i + 1) / 8.0, 0.9};
    }
    kit_mesh_unwrap(model, mesh, charts, ARMS + 1);

    kit_mesh body = *mesh; // the skin alone, before what is set into it
    body.vertices = kit_alloc(model, (size_t)mesh->vertex_count, sizeof(kit_vertex));
    memcpy(body.vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof(kit_vertex));
    int32_t first = mesh->vertex_count;
    octopus_suckers(model, mesh, &shape, sucker);
    kit_mesh_bind_like(mesh, first, -1, &body);
    first = mesh->vertex_count;
    for (int32_t side = -1; side <= 1; side += 2) {
        kit_eye(model, mesh, kit_v(side * 0.124, 0.478, 0.112), 0.043, kit_v(side * 0.42, 0.04, 1.0), 0.30, 0.75, 24,
                white, iris, pupil);
    }
    kit_mesh_bind_like(mesh, first, -1, &body);
    for (int32_t i = body.vertex_count; i < mesh->vertex_count; ++i) {
        mesh->vertices[i].stiffness = 1.0;
    }
    octopus_pulse(model, mesh, 0);
    octopus_swim(model, &b);
}
