// SPDX-License-Identifier: MIT
#include "samples/kit_samples.h"

// A bath duck, one closed skin, a hand above the ground: to be dropped. Its only bone stays where it is.

enum { BODY = 0, BEAK = 1 };

static void duck_shape(kit_model* model, kit_shape* s) {
    kit_ball(model, s, BODY, kit_v(0.0, 0.125, -0.02), kit_v(0.125, 0.105, 0.165), 0.0);
    kit_cone(model, s, BODY, kit_v(0.0, 0.165, -0.13), kit_v(0.0, 0.225, -0.205), 0.062, 0.022, 0.05); // tail
    kit_cone(model, s, BODY, kit_v(0.0, 0.17, 0.075), kit_v(0.0, 0.25, 0.09), 0.070, 0.066, 0.05);     // neck
    kit_ball(model, s, BODY, kit_v(0.0, 0.300, 0.095), kit_v(0.088, 0.084, 0.088), 0.03);
    const int32_t first = s->blob_count;
    kit_cone(model, s, BODY, kit_v(0.105, 0.150, 0.02), kit_v(0.125, 0.185, -0.105), 0.048, 0.020, 0.025); // wing
    kit_shape_mirror(model, s, first, 0);
    kit_cone(model, s, BEAK, kit_v(0.0, 0.290, 0.165), kit_v(0.0, 0.284, 0.225), 0.034, 0.022, 0.012);
}

void duck_build(kit_model* model) {
    const double height = 0.45; // above the ground
    const int32_t root = kit_bone(model, "root", KIT_NONE, kit_v(0.0, 0.0, 0.0));
    const int32_t rubber = kit_material(model, "Rubber", 1.0, 1.0, 1.0, 0.3);
    const int32_t white = kit_material(model, "EyeWhite", 0.95, 0.95, 0.92, 0.1);
    const int32_t iris = kit_material(model, "EyeIris", 0.10, 0.09, 0.10, 0.1);
    kit_mesh* mesh = kit_mesh_add(model, "duck", KIT_UV | KIT_COLOR);
    kit_shape shape = {0};
    duck_shape(model, &shape);
    kit_shape_mesh(model, mesh, &shape, 0.0125, rubber);
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        const bool beak = mesh->vertices[i].label == BEAK;
        kit_mesh_paint(mesh, i, 1, 0.96, beak ? 0.42 : 0.76, beak ? 0.08 : 0.12);
    }
    const kit_chart charts[2] = {{BODY, {0.0, 0.16, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.0, 1.0, 0.7},
                                 {BEAK, {0.0, 0.29, 0.19}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.75, 0.3, 1.0}};
    kit_mesh_unwrap(model, mesh, charts, 2);
    for (int32_t side = -1; side <= 1; side += 2) {
        kit_eye(model, mesh, kit_v(side * 0.052, 0.326, 0.150), 0.017, kit_v(side * 0.55, 0.1, 1.0), 0.55, 0.75, 16,
                white, iris, iris);
    }
    kit_mesh_rigid(mesh, 0, -1, root);
    // Tipped back and aside a little, so that it does not land on all of its belly at once.
    const kit_quat tip = kit_euler(-6.0, 25.0, 7.0);
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        kit_vertex* v = &mesh->vertices[i];
        v->position = kit_add(kit_rotate(tip, v->position), kit_v(0.0, height, 0.0));
        v->normal = kit_rotate(tip, v->normal);
    }
    kit_clip_add(model, "still", 1.0, true);
}
