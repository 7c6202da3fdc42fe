// SPDX-License-Identifier: MIT
#include "samples/kit_samples.h"

// A bear of jelly, one closed skin, that stands on its feet and is taken by its crown. Clip `pull` lifts the crown until
// nothing holds any more: with the recipe's tolerances it tears at the waist. `_HEM_STIFFNESS` is low there, a weak place.

enum { BEAR = 0, EARS = 1 };

static const double WAIST = 0.47;

static void jelly_shape(kit_model* model, kit_shape* s) {
    kit_ball(model, s, BEAR, kit_v(0.0, 0.36, 0.0), kit_v(0.20, 0.22, 0.17), 0.0);
    kit_ball(model, s, BEAR, kit_v(0.0, 0.60, 0.0), kit_v(0.17, 0.15, 0.15), 0.09);
    kit_ball(model, s, BEAR, kit_v(0.0, 0.84, 0.01), kit_v(0.17, 0.155, 0.15), 0.05);
    kit_ball(model, s, BEAR, kit_v(0.0, 0.81, 0.13), kit_v(0.075, 0.06, 0.07), 0.04); // muzzle
    const int32_t first = s->blob_count;
    kit_ball(model, s, EARS, kit_v(0.125, 0.985, -0.01), kit_v(0.065, 0.065, 0.045), 0.03);
    kit_cone(model, s, BEAR, kit_v(0.12, 0.645, 0.03), kit_v(0.31, 0.70, 0.07), 0.075, 0.065, 0.04);
    kit_cone(model, s, BEAR, kit_v(0.11, 0.24, 0.02), kit_v(0.145, 0.09, 0.07), 0.095, 0.085, 0.05);
    kit_shape_mirror(model, s, first, 0);
}

static void jelly_color(kit_vertex* v) {
    const double x = v->position.x < 0.0 ? -v->position.x : v->position.x;
    const bool eye = v->position.z > 0.09 && x > 0.035 && x < 0.08 && v->position.y > 0.865 && v->position.y < 0.92;
    const bool nose = v->position.z > 0.185 && x < 0.03 && v->position.y > 0.81;
    const double green[3] = {0.30, 0.78, 0.22}, dark[3] = {0.05, 0.10, 0.05};
    const double lighter = kit_smooth(-0.1, 0.9, v->normal.z) * 0.25;
    for (int32_t k = 0; k < 3; ++k) {
        v->color[k] = eye || nose ? dark[k] : kit_mix(green[k], 1.0, lighter);
    }
}

static void jelly_pull(kit_model* model, int32_t crown) {
    kit_clip* clip = kit_clip_add(model, "pull", 4.0, false);
    for (int32_t f = 0; f <= 4 * KIT_FRAMES_PER_SECOND; ++f) {
        const double t = kit_clip_seconds(clip, f);
        kit_joint* pose = kit_clip_pose(clip, f);
        pose[crown].position.y += 0.55 * kit_smooth(0.3, 2.2, t);
        pose[crown].rotation = kit_turn(kit_v(0.0, 0.0, 1.0), 0.5 * kit_smooth(1.0, 2.6, t));
    }
    kit_clip_finish(clip);
}

void jelly_build(kit_model* model) {
    const int32_t root = kit_bone_to(model, "root", KIT_NONE, kit_v(0.0, 0.0, 0.0), kit_v(0.0, 0.25, 0.0));
    const int32_t crown = kit_bone_to(model, "crown", root, kit_v(0.0, 0.80, 0.0), kit_v(0.0, 1.0, 0.0));
    const int32_t skin = kit_material(model, "Jelly", 1.0, 1.0, 1.0, 0.15);
    kit_mesh* mesh = kit_mesh_add(model, "jelly", KIT_UV | KIT_COLOR | KIT_STIFFNESS);
    kit_shape shape = {0};
    jelly_shape(model, &shape);
    kit_shape_mesh(model, mesh, &shape, 0.026, skin);
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        kit_vertex* v = &mesh->vertices[i];
        jelly_color(v);
        v->stiffness = 1.0 - 0.75 * kit_bump(WAIST, 0.12, v->position.y);
    }
    const kit_bind binds[2] = {{root, 0.3, 0}, {crown, 0.3, 0}};
    kit_mesh_bind(model, mesh, 0, -1, binds, 2, 10);
    const kit_chart chart = {BEAR, {0.0, 0.5, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.0, 1.0, 0.8};
    const kit_chart ears = {EARS, {0.0, 0.98, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.8, 1.0, 1.0};
    const kit_chart charts[2] = {chart, ears};
    kit_mesh_unwrap(model, mesh, charts, 2);
    jelly_pull(model, crown);
}
