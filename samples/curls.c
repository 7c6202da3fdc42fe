// SPDX-License-Identifier: MIT
#include "samples/kit_samples.h"

// Ringlets on a wig-maker's block: helical locks that keep their curl only if the solver knows bending and twist.
// Each ringlet is a tube of flattened cross-section wound round a chain of bones, so that both kinds of guide can be
// tried: the tube itself and the chain.

enum { RINGLETS = 11, CHAIN = 6, SIDES = 8, TURN_RINGS = 14 };

static const kit_vec block_centre = {0.0, 0.70, 0.0};
static const double block_radius = 0.105;

typedef struct ringlet {
    double azimuth, polar; // of the root on the block
    double length, turns, radius, thickness, phase;
} ringlet;

// How wide the helix is: tight at both ends, widest a third down.
static double ringlet_width(const ringlet* r, double t) {
    return r->radius * kit_smooth(0.02, 0.30, t) * kit_mix(1.0, 0.6, kit_smooth(0.4, 1.0, t));
}

// The axis: down over the block at a height that clears the helix, then plumb from its equator.
static kit_vec ringlet_axis(const ringlet* r, double t) {
    double clear = block_radius * 1.05 + 0.002 + ringlet_width(r, t) * 0.95 + 0.010 * kit_smooth(0.0, 0.10, t);
    double angle = r->polar + r->length * t / (block_radius * 1.2), fall = angle - 0.5 * KIT_PI;
    double a = fall > 0.0 ? 0.5 * KIT_PI : angle;
    double out = clear * kit_sin(a) - 0.02 * kit_smooth(0.4, 1.0, t),
           down = fall > 0.0 ? fall * block_radius * 1.2 : 0.0;
    return kit_add(block_centre,
                   kit_v(out * kit_sin(r->azimuth), clear * kit_cos(a) - down, -out * kit_cos(r->azimuth)));
}

static kit_vec ringlet_point(const ringlet* r, double t) {
    // The helix stands across the axis, whichever way that points.
    kit_vec along = kit_unit(kit_sub(ringlet_axis(r, t + 0.01), ringlet_axis(r, t - 0.01)));
    kit_vec side = {kit_cos(r->azimuth), 0.0, kit_sin(r->azimuth)};
    kit_vec other = kit_cross(along, side);
    double wide = ringlet_width(r, t), a = r->phase + 2.0 * KIT_PI * r->turns * t;
    return kit_mad(kit_mad(ringlet_axis(r, t), side, wide * kit_cos(a)), other, wide * kit_sin(a));
}

static void ringlet_add(kit_model* model, kit_mesh* mesh, const ringlet* r, const int32_t* chain, int32_t material,
                        double shade) {
    kit_ring rings[160];
    int32_t count = (int32_t)(r->turns * TURN_RINGS) + 1;
    for (int32_t i = 0; i < count; ++i) {
        double t = (double)i / (count - 1);
        double thick =
            r->thickness * kit_mix(0.75, 1.0, kit_smooth(0.0, 0.1, t)) * kit_mix(1.0, 0.30, kit_smooth(0.80, 1.0, t));
        rings[i] = (kit_ring){ringlet_point(r, t), thick * 0.62, thick * 1.35, 2.0, 0.0};
    }
    int32_t first = kit_tube(model, mesh, rings, count, SIDES, kit_v(0.0, 1.0, 0.0),
                             KIT_CAP_START | KIT_CAP_END | KIT_CAP_ROUND, material);
    for (int32_t i = first; i < mesh->vertex_count; ++i) {
        kit_vertex* v = &mesh->vertices[i];
        // Two neighbouring bones of the chain, linear between their middles.
        double s = kit_clamp(v->v, 0.0, 1.0) * CHAIN - 0.5;
        int32_t low = (int32_t)kit_clamp(floor(s), 0.0, CHAIN - 1), high = low + 1 < CHAIN ? low + 1 : low;
        double f = kit_clamp(s - low, 0.0, 1.0);
        v->joints[0] = chain[low];
        v->joints[1] = chain[high];
        v->weights[0] = low == high ? 1.0 : 1.0 - f;
        v->weights[1] = low == high ? 0.0 : f;
        v->pin = v->v < 0.06 ? 1.0 : 0.0;
        v->blend = kit_smooth(0.03, 0.15, v->v);
        double light =
            shade * kit_mix(0.75, 1.15, kit_smooth(0.0, 1.0, v->v)) * (0.92 + 0.08 * kit_sin(v->u * 6.0 * KIT_PI));
        kit_mesh_paint(mesh, i, 1, light, light, light);
    }
}

static void block_add(kit_model* model, int32_t bone, int32_t scalp, int32_t wood) {
    kit_mesh* mesh = kit_mesh_add(model, "block", KIT_UV);
    kit_sphere(model, mesh, block_centre, kit_v(block_radius, block_radius * 1.04, block_radius), kit_identity(), 40,
               22, wood);
    // The scalp: a cap a little outside the wood, edge tucked in.
    kit_ring cap[8];
    for (int32_t i = 0; i < 8; ++i) {
        double a = kit_mix(0.62, 0.06, i / 7.0) * KIT_PI, r = block_radius * (i == 0 ? 0.99 : 1.05);
        cap[i] = (kit_ring){kit_v(0.0, block_centre.y + 1.04 * r * kit_cos(a), 0.0), r * kit_sin(a), r * kit_sin(a),
                            2.0, 0.0};
    }
    kit_tube(model, mesh, cap, 8, 40, kit_v(0.0, 0.0, 1.0), KIT_CAP_END, scalp);
    kit_ring stand[9] = {{{0.0, 0.00, 0.0}, 0.100, 0.100, 2.0, 0.0},  {{0.0, 0.018, 0.0}, 0.100, 0.100, 2.0, 0.0},
                         {{0.0, 0.034, 0.0}, 0.078, 0.078, 2.0, 0.0}, {{0.0, 0.05, 0.0}, 0.030, 0.030, 2.0, 0.0},
                         {{0.0, 0.09, 0.0}, 0.020, 0.020, 2.0, 0.0},  {{0.0, 0.28, 0.0}, 0.016, 0.016, 2.0, 0.0},
                         {{0.0, 0.52, 0.0}, 0.020, 0.020, 2.0, 0.0},  {{0.0, 0.585, 0.0}, 0.040, 0.040, 2.0, 0.0},
                         {{0.0, 0.62, 0.0}, 0.060, 0.060, 2.0, 0.0}};
    kit_tube(model, mesh, stand, 9, 28, kit_v(0.0, 0.0, 1.0), KIT_CAP_START, wood);
    kit_mesh_rigid(mesh, 0, -1, bone);
}

void curls_build(kit_model* model) {
    static const char* const names[RINGLETS][CHAIN] = {
#define CHAIN_NAMES(n) {n ".1", n ".2", n ".3", n ".4", n ".5", n ".6"}
        CHAIN_NAMES("curl.A"), CHAIN_NAMES("curl.B"), CHAIN_NAMES("curl.C"), CHAIN_NAMES("curl.D"),
        CHAIN_NAMES("curl.E"), CHAIN_NAMES("curl.F"), CHAIN_NAMES("curl.G"), CHAIN_NAMES("curl.H"),
        CHAIN_NAMES("curl.I"), CHAIN_NAMES("curl.J"), CHAIN_NAMES("curl.K")};
#undef CHAIN_NAMES
    int32_t root = kit_bone(model, "root", KIT_NONE, kit_v(0.0, 0.0, 0.0));
    int32_t block = kit_bone_to(model, "block", root, kit_v(0.0, 0.62, 0.0), kit_v(0.0, 0.80, 0.0));
    int32_t hair = kit_material(model, "Hair", 0.55, 0.22, 0.07, 0.45);
    int32_t scalp = kit_material(model, "Scalp", 0.30, 0.11, 0.035, 0.7);
    int32_t wood = kit_material(model, "Wood", 0.62, 0.46, 0.30, 0.5);

    kit_mesh* mesh = kit_mesh_add(model, "curls", KIT_UV | KIT_COLOR | KIT_PIN | KIT_BLEND);
    for (int32_t i = 0; i < RINGLETS; ++i) {
        uint32_t n = (uint32_t)i;
        double azimuth = KIT_PI * kit_mix(-0.88, 0.88, (double)i / (RINGLETS - 1)); // the front stays open
        ringlet r = {azimuth,
                     (i & 1) != 0 ? 0.30 : 0.62,
                     0.48 + 0.06 * kit_random(5, n),
                     6.0 + 1.5 * kit_random(6, n),
                     0.027 + 0.004 * kit_random(7, n),
                     0.0135,
                     2.0 * KIT_PI * kit_random(8, n)};
        int32_t chain[CHAIN];
        for (int32_t k = 0; k < CHAIN; ++k) {
            kit_vec head = ringlet_axis(&r, (double)k / CHAIN), tail = ringlet_axis(&r, (double)(k + 1) / CHAIN);
            chain[k] = kit_bone_to(model, names[i][k], k == 0 ? block : chain[k - 1], head, tail);
        }
        ringlet_add(model, mesh, &r, chain, hair, 0.8 + 0.4 * kit_random(9, (uint32_t)i));
    }
    kit_bones_orient(model);
    block_add(model, block, scalp, wood);

    // Two hops and a half turn each way; the chains hang rigid, the curls' own motion is what physics adds.
    static const kit_key hop[] = {{0.0, 0.0},    {0.16, -0.02}, {0.38, 0.14}, {0.60, 0.0},
                                  {0.70, -0.02}, {0.92, 0.14},  {1.14, 0.0}};
    static const kit_key spin[] = {{0.0, 0.0}, {1.2, 0.0}, {1.6, 70.0}, {2.1, -70.0}, {2.5, 0.0}};
    kit_clip* clip = kit_clip_add(model, "bounce", 3.0, true);
    for (int32_t f = 0; f < clip->frame_count; ++f) {
        double t = kit_clip_seconds(clip, f);
        kit_joint* pose = kit_clip_pose(clip, f);
        pose[root].position = kit_v(0.0, kit_keys(hop, 7, 3.0, t), 0.0);
        pose[block].rotation = kit_euler(0.0, kit_keys(spin, 5, 3.0, t), 0.0);
    }
}
