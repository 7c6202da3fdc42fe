// SPDX-License-Identifier: MIT
#include "samples/kit_samples.h"

// A head on which every hair is there: a ribbon of two vertices a point. Few strands are simulated, the guides that the compiler finds among
// them; all are drawn. The head can be turned.

#define HEAD 0.1       // metres, its radius
#define HEAD_UP 0.55   // its middle above the ground
#define HAIR 0.0004    // half as wide as it is drawn
#define CLEARANCE 1.03 // of the radius, for the roots' neighbours

typedef struct hair_crop {
    const char* name;
    int32_t strands, points;
    double length; // metres
    uint32_t seed;
} hair_crop;

// Strand n of so many: evenly over the head but the face and what lies below the ears.
static kit_vec root_of(int32_t n, int32_t count) {
    const double low = -0.15, y = 1.0 - (1.0 - low) * (n + 0.5) / count, r = sqrt(1.0 - y * y);
    const double face = 0.9 * kit_smooth(0.70, 0.45, y); // from straight ahead to both sides
    const double turn = 2.39996322972865 * n / (2.0 * KIT_PI), a = 2.0 * KIT_PI * (turn - floor(turn)) - KIT_PI;
    const double around = (a < 0.0 ? -1.0 : 1.0) * (face + fabs(a) * (KIT_PI - face) / KIT_PI);
    return kit_v(r * kit_sin(around), y, r * kit_cos(around));
}

// Out of the skin, then down along it, then plumb; hair that roots higher lies farther out.
static void strand_add(kit_model* model, kit_mesh* mesh, const hair_crop* crop, int32_t n, int32_t material) {
    const kit_vec middle = kit_v(0.0, HEAD_UP, 0.0), out = root_of(n, crop->strands);
    const uint32_t seed = crop->seed;
    const double step = crop->length * (0.94 + 0.06 * kit_random(seed, (uint32_t)n)) / (crop->points - 1);
    const double clear =
        HEAD * (CLEARANCE + 0.10 * kit_smooth(-0.2, 1.0, out.y) + 0.05 * kit_random(seed + 1, (uint32_t)n));
    const double shade = 0.55 + 0.45 * kit_random(seed + 2, (uint32_t)n);
    kit_vec p = kit_mad(middle, out, HEAD), way = kit_unit(kit_v(2.0 * out.x, out.y, 2.0 * out.z));
    const int32_t first = mesh->vertex_count;
    for (int32_t k = 0; k < crop->points; ++k) {
        const kit_vec from = kit_sub(p, middle), round = kit_unit(kit_v(from.x, 0.0, from.z));
        const kit_vec side = kit_unit(kit_cross(kit_v(0.0, 1.0, 0.0), round));
        for (int32_t edge = -1; edge <= 1; edge += 2) {
            const int32_t v = kit_vertex_add(model, mesh, kit_mad(p, side, edge * HAIR), round, 0.5 + 0.5 * edge,
                                             (double)k / (crop->points - 1));
            mesh->vertices[v].pin = k < 3 ? 1.0 : 0.0;
            mesh->vertices[v].blend = kit_smooth(0.0, 3.0, k - 2.0);
        }
        if (k > 0) {
            const int32_t v = first + 2 * k;
            kit_triangle_add(model, mesh, v - 2, v - 1, v, material);
            kit_triangle_add(model, mesh, v - 1, v + 1, v, material);
        }
        const double lifted = kit_length(from), rise = kit_smooth(clear, HEAD, lifted);
        const kit_vec fall = kit_mad(kit_v(0.0, -0.35, 0.0), round, 0.35 * kit_smooth(0.3, 1.0, from.y / HEAD));
        way = kit_unit(kit_mad(kit_mad(fall, way, 0.5), out, 0.5 * rise));
        p = kit_mad(p, way, step);
        const kit_vec next = kit_sub(p, middle); // never nearer than it has risen to
        const double far = kit_length(next), least = lifted < clear ? lifted : clear;
        p = far < least ? kit_mad(middle, next, least / far) : p;
    }
    kit_mesh_paint(mesh, first, -1, shade, shade, shade);
}

static void crop_add(kit_model* model, const hair_crop* crop, int32_t bone, int32_t material) {
    kit_mesh* mesh = kit_mesh_add(model, crop->name, KIT_UV | KIT_COLOR | KIT_PIN | KIT_BLEND);
    for (int32_t n = 0; n < crop->strands; ++n) {
        strand_add(model, mesh, crop, n, material);
    }
    kit_mesh_rigid(mesh, 0, -1, bone);
}

static void head_build(kit_model* model, const hair_crop* crops, int32_t count) {
    const int32_t root = kit_bone(model, "root", KIT_NONE, kit_v(0.0, 0.0, 0.0));
    const int32_t head = kit_bone_to(model, "head", root, kit_v(0.0, HEAD_UP, 0.0), kit_v(0.0, HEAD_UP + HEAD, 0.0));
    const int32_t skin = kit_material(model, "Skin", 0.80, 0.60, 0.48, 0.6);
    const int32_t hair = kit_material(model, "Hair", 0.30, 0.14, 0.06, 0.45);
    kit_mesh* mesh = kit_mesh_add(model, "head", KIT_UV);
    model->materials[hair].double_sided = true;
    kit_sphere(model, mesh, kit_v(0.0, HEAD_UP, 0.0), kit_v(HEAD, HEAD, HEAD), kit_identity(), 48, 24, skin);
    const kit_ring neck[4] = {{{0.0, HEAD_UP - 0.06, 0.0}, 0.045, 0.045, 2.0, 0.0},
                              {{0.0, HEAD_UP - 0.14, 0.0}, 0.045, 0.045, 2.0, 0.0},
                              {{0.0, HEAD_UP - 0.16, 0.0}, 0.070, 0.070, 2.0, 0.0},
                              {{0.0, HEAD_UP - 0.17, 0.0}, 0.070, 0.070, 2.0, 0.0}};
    kit_tube(model, mesh, neck, 4, 32, kit_v(0.0, 0.0, 1.0), KIT_CAP_END, skin);
    kit_mesh_rigid(mesh, 0, -1, head);
    for (int32_t i = 0; i < count; ++i) {
        crop_add(model, &crops[i], head, hair);
    }
    kit_clip_add(model, "still", 1.0, true);
    static const kit_key turn[] = {{0.0, 0.0}, {0.9, 50.0}, {1.3, 50.0}, {2.7, -50.0}, {3.1, -50.0}, {4.0, 0.0}};
    kit_clip* clip = kit_clip_add(model, "turn", 4.6, true);
    for (int32_t f = 0; f < clip->frame_count; ++f) {
        kit_clip_pose(clip, f)[head].rotation = kit_euler(0.0, kit_keys(turn, 6, 4.6, kit_clip_seconds(clip, f)), 0.0);
    }
}

void short_hair_build(kit_model* model) {
    static const hair_crop crop = {"short", 7000, 40, 0.12, 71};
    head_build(model, &crop, 1);
}

void long_hair_build(kit_model* model) {
    static const hair_crop crops[] = {{"long", 5000, 100, 0.42, 81}, {"short", 2000, 40, 0.12, 91}};
    head_build(model, crops, 2);
}
