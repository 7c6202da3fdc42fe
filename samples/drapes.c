// SPDX-License-Identifier: MIT
#include "samples/kit_samples.h"

// Cloth of few particles on things with edges: the scenes of "Collision Adaptive Particle Systems" (Etzmuss and others, 2000),
// a rug on a horse's back, a rag that is dragged down stairs. The cloth has one particle per vertex (`generator: vertices`), the
// thing below is a mesh that `hem play --mesh` lets it lie on.

typedef struct cloth_frame {
    kit_vec corner, across, along; // point(u, v) = corner + u across + v along
} cloth_frame;

static kit_vec cloth_point(double u, double v, const void* context) {
    const cloth_frame* s = context;
    return kit_mad(kit_mad(s->corner, s->across, u), s->along, v);
}

// Level, facing up.
static kit_mesh* cloth_add(kit_model* model, double width, double depth, double height, int32_t columns, int32_t rows,
                           int32_t bone) {
    const int32_t material = kit_material(model, "Cloth", 0.78, 0.32, 0.26, 0.85);
    const cloth_frame frame = {{-0.5 * width, height, 0.5 * depth}, {width, 0.0, 0.0}, {0.0, 0.0, -depth}};
    kit_mesh* mesh = kit_mesh_add(model, "cloth", KIT_UV);
    kit_sheet(model, mesh, columns, rows, false, cloth_point, &frame, material);
    kit_mesh_rigid(mesh, 0, -1, bone);
    model->materials[material].double_sided = true;
    return mesh;
}

static kit_mesh* thing_add(kit_model* model, int32_t* material) {
    *material = kit_material(model, "Thing", 0.50, 0.53, 0.56, 0.6);
    return kit_mesh_add(model, "thing", KIT_UV);
}

static int32_t root_add(kit_model* model) {
    return kit_bone(model, "root", KIT_NONE, kit_v(0.0, 0.0, 0.0));
}

static void still(kit_model* model) {
    kit_clip_add(model, "still", 1.0, true);
}

// Four particles over the edge of a box that stands on another edge: the paper's figure 10.
void drape_box_build(kit_model* model) {
    const int32_t root = root_add(model);
    int32_t material;
    kit_mesh* box = thing_add(model, &material);
    kit_box(model, box, kit_v(0.0, 0.0, 0.0), kit_v(0.1, 0.1, 0.45), 0.0, material);
    const kit_quat turn = kit_turn(kit_v(0.0, 0.0, 1.0), 0.25 * KIT_PI);
    for (int32_t i = 0; i < box->vertex_count; ++i) {
        kit_vertex* v = &box->vertices[i];
        v->position = kit_add(kit_rotate(turn, v->position), kit_v(0.0, 0.35, 0.0));
        v->normal = kit_rotate(turn, v->normal);
    }
    kit_mesh_rigid(box, 0, -1, root);
    cloth_add(model, 0.4, 0.4, 0.52, 1, 1, root);
    still(model);
}

// A hundred particles on a disk of 64 sides.
void drape_round_build(kit_model* model) {
    const int32_t root = root_add(model);
    int32_t material;
    kit_mesh* table = thing_add(model, &material);
    const kit_ring top[2] = {{{0.0, 0.66, 0.0}, 0.30, 0.30, 2.0, 0.0}, {{0.0, 0.70, 0.0}, 0.30, 0.30, 2.0, 0.0}};
    const kit_ring leg[3] = {{{0.0, 0.0, 0.0}, 0.12, 0.12, 2.0, 0.0},
                             {{0.0, 0.05, 0.0}, 0.03, 0.03, 2.0, 0.0},
                             {{0.0, 0.655, 0.0}, 0.03, 0.03, 2.0, 0.0}};
    kit_tube(model, table, top, 2, 64, kit_v(0.0, 0.0, 1.0), KIT_CAP_START | KIT_CAP_END, material);
    kit_tube(model, table, leg, 3, 16, kit_v(0.0, 0.0, 1.0), KIT_CAP_START | KIT_CAP_END, material);
    kit_mesh_rigid(table, 0, -1, root);
    cloth_add(model, 1.0, 1.0, 0.72, 9, 9, root);
    still(model);
}

static void square_table(kit_model* model, int32_t cells) {
    const int32_t root = root_add(model);
    int32_t material;
    kit_mesh* table = thing_add(model, &material);
    kit_box(model, table, kit_v(0.0, 0.67, 0.0), kit_v(0.25, 0.03, 0.25), 0.0, material);
    for (int32_t i = 0; i < 4; ++i) {
        const double x = (i & 1) != 0 ? 0.21 : -0.21, z = (i & 2) != 0 ? 0.21 : -0.21;
        kit_box(model, table, kit_v(x, 0.3175, z), kit_v(0.02, 0.3175, 0.02), 0.0, material);
    }
    kit_mesh_rigid(table, 0, -1, root);
    cloth_add(model, 1.0, 1.0, 0.72, cells, cells, root);
    still(model);
}

void drape_square_build(kit_model* model) {
    square_table(model, 19);
}

// Two and a half thousand particles, for comparison.
void drape_square_fine_build(kit_model* model) {
    square_table(model, 49);
}

// A hundred particles on a ball of 1224 edges; the paper's has 1227.
void drape_ball_build(kit_model* model) {
    const int32_t root = root_add(model);
    int32_t material;
    kit_mesh* ball = thing_add(model, &material);
    kit_sphere(model, ball, kit_v(0.0, 0.45, 0.0), kit_v(0.3, 0.3, 0.3), kit_identity(), 24, 18, material);
    kit_mesh_rigid(ball, 0, -1, root);
    cloth_add(model, 1.0, 1.0, 0.77, 9, 9, root);
    still(model);
}

// A rug of 13 x 17 particles over a horse's back and flanks.
void drape_horse_build(kit_model* model) {
    const int32_t root = root_add(model);
    int32_t material;
    kit_mesh* horse = thing_add(model, &material);
    kit_shape shape = {0};
    kit_cone(model, &shape, 0, kit_v(0.0, 1.25, -0.55), kit_v(0.0, 1.22, 0.45), 0.29, 0.27, 0.0);   // barrel
    kit_ball(model, &shape, 0, kit_v(0.0, 1.30, -0.62), kit_v(0.27, 0.28, 0.32), 0.10);             // croup
    kit_cone(model, &shape, 0, kit_v(0.0, 1.42, 0.25), kit_v(0.0, 1.38, 0.50), 0.12, 0.18, 0.10);   // withers
    kit_cone(model, &shape, 0, kit_v(0.0, 1.30, 0.50), kit_v(0.0, 1.85, 1.00), 0.22, 0.12, 0.12);   // neck
    kit_cone(model, &shape, 0, kit_v(0.0, 1.90, 1.02), kit_v(0.0, 1.62, 1.42), 0.13, 0.08, 0.06);   // head
    kit_cone(model, &shape, 0, kit_v(0.06, 1.98, 0.96), kit_v(0.08, 2.12, 0.95), 0.04, 0.02, 0.02); // ears
    kit_cone(model, &shape, 0, kit_v(-0.06, 1.98, 0.96), kit_v(-0.08, 2.12, 0.95), 0.04, 0.02, 0.02);
    kit_cone(model, &shape, 0, kit_v(0.0, 1.40, -0.86), kit_v(0.0, 0.75, -1.05), 0.05, 0.07, 0.04); // tail
    for (int32_t i = 0; i < 4; ++i) {
        const double x = (i & 1) != 0 ? 0.16 : -0.16, z = (i & 2) != 0 ? 0.40 : -0.68;
        kit_cone(model, &shape, 0, kit_v(x, 1.05, z), kit_v(x, 0.55, z), 0.14, 0.07, 0.08);
        kit_cone(model, &shape, 0, kit_v(x, 0.55, z), kit_v(x, 0.07, z), 0.06, 0.05, 0.03);
    }
    kit_shape_mesh(model, horse, &shape, 0.05, material);
    kit_mesh_rigid(horse, 0, -1, root);
    cloth_add(model, 1.3, 1.0, 1.64, 16, 12, root);
    still(model);
}

#define STEPS 7
#define STEP_HEIGHT 0.15
#define STEP_DEPTH 0.26

// A rag of 10 x 22 particles, held by one side that goes down seven stairs ahead of it.
void drape_stairs_build(kit_model* model) {
    const int32_t root = root_add(model);
    int32_t material;
    kit_mesh* stairs = thing_add(model, &material);
    // One solid: the profile of the stairs between two sides.
    int32_t foot[2], corner[2 * STEPS + 1][2];
    for (int32_t side = 0; side < 2; ++side) {
        const double x = side != 0 ? 0.6 : -0.6;
        foot[side] = kit_vertex_add(model, stairs, kit_v(x, 0.0, -1.7), kit_v(0.0, 1.0, 0.0), 0.0, 0.0);
        for (int32_t i = 0; i <= 2 * STEPS; ++i) {
            const double y = STEP_HEIGHT * (STEPS - i / 2), z = i == 0 ? -1.7 : STEP_DEPTH * ((i - 1) / 2);
            corner[i][side] = kit_vertex_add(model, stairs, kit_v(x, y, z), kit_v(0.0, 1.0, 0.0), 0.0, 0.0);
        }
    }
    for (int32_t i = 0; i <= 2 * STEPS; ++i) {
        const int32_t* a = i > 0 ? corner[i - 1] : foot;
        kit_triangle_add(model, stairs, a[0], corner[i][0], corner[i][1], material);
        kit_triangle_add(model, stairs, a[0], corner[i][1], a[1], material);
    }
    kit_triangle_add(model, stairs, foot[0], foot[1], corner[2 * STEPS][1], material);
    kit_triangle_add(model, stairs, foot[0], corner[2 * STEPS][1], corner[2 * STEPS][0], material);
    for (int32_t side = 0; side < 2; ++side) { // of columns below each tread
        for (int32_t i = 1; i < 2 * STEPS; i += 2) {
            const int32_t next = i + 1, ahead = i > 1 ? i - 1 : 0;
            const int32_t three[3] = {foot[side], corner[ahead][side], corner[i][side]};
            kit_triangle_add(model, stairs, three[0], three[side != 0 ? 1 : 2], three[side != 0 ? 2 : 1], material);
            kit_triangle_add(model, stairs, foot[side], corner[side != 0 ? i : next][side],
                             corner[side != 0 ? next : i][side], material);
        }
    }
    kit_mesh_rigid(stairs, 0, -1, root);

    const int32_t hand = kit_bone(model, "hand", root, kit_v(0.0, 1.08, 0.0));
    kit_mesh* cloth = cloth_add(model, 0.7, 1.5, 1.08, 9, 21, hand);
    cloth->attributes |= KIT_PIN;
    for (int32_t i = 0; i < cloth->vertex_count; ++i) {
        kit_vertex* v = &cloth->vertices[i];
        v->pin = v->position.z > 0.74 ? 1.0 : 0.0;
        v->position.z -= 0.77;
    }
    kit_clip* drag = kit_clip_add(model, "drag", 5.0, false);
    for (int32_t f = 0; f < drag->frame_count; ++f) {
        const double t = kit_clip_seconds(drag, f), along = t < 0.5 ? 0.0 : 0.5 * (t - 0.5);
        const kit_vec at = kit_clip_pose(drag, f)[hand].position;
        // Over the nosings of the stairs, 3 cm above them and above the floor.
        const double down = along < 0.04 ? 0.0 : fmin((along - 0.04) * STEP_HEIGHT / STEP_DEPTH, STEPS * STEP_HEIGHT);
        kit_clip_pose(drag, f)[hand].position = kit_add(at, kit_v(0.0, -down, along));
    }
}
