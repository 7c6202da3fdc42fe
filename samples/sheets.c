// SPDX-License-Identifier: MIT
#include "samples/kit_samples.h"

// Three small scenes for cloth alone: a sheet above a ball, a sheet above a table, and two sheets that face each
// other. Every thing has a bone of its own, so that a game can move it; the ball and the table are animated meshes
// from which recipes make collision particles or colliders.

typedef struct sheet_frame {
    kit_vec corner, across, up; // point(u, v) = corner + u across + v up
} sheet_frame;

static kit_vec sheet_point(double u, double v, const void* context) {
    const sheet_frame* s = context;
    return kit_mad(kit_mad(s->corner, s->across, u), s->up, v);
}

// A checked cloth: squares of two materials, so that its folds can be read. The border between the two splits
// vertices but must not tear the cloth.
static void sheet_add(kit_model* model, const char* name, sheet_frame frame, int32_t cells, int32_t square,
                      int32_t light, int32_t dark, int32_t bone) {
    kit_mesh* mesh = kit_mesh_add(model, name, KIT_UV);
    kit_sheet(model, mesh, cells, cells, false, sheet_point, &frame, light);
    kit_mesh_rigid(mesh, 0, -1, bone);
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        int32_t cell = t / 2, column = cell % cells / square, row = cell / cells / square;
        mesh->triangles[t].material = ((column + row) & 1) != 0 ? dark : light;
    }
    model->materials[light].double_sided = true;
    model->materials[dark].double_sided = true;
}

static void still(kit_model* model) {
    kit_clip_add(model, "still", 1.0, true);
}

void sheet_over_ball_build(kit_model* model) {
    int32_t root = kit_bone(model, "root", KIT_NONE, kit_v(0.0, 0.0, 0.0));
    int32_t ball_bone = kit_bone(model, "ball", root, kit_v(0.0, 0.45, 0.0));
    int32_t sheet_bone = kit_bone(model, "sheet", root, kit_v(0.0, 1.05, 0.0));
    int32_t light = kit_material(model, "ClothLight", 0.86, 0.80, 0.70, 0.85);
    int32_t dark = kit_material(model, "ClothDark", 0.24, 0.36, 0.52, 0.85);
    int32_t paint = kit_material(model, "Ball", 0.72, 0.16, 0.12, 0.25);

    kit_mesh* ball = kit_mesh_add(model, "ball", KIT_UV);
    kit_sphere(model, ball, kit_v(0.0, 0.45, 0.0), kit_v(0.45, 0.45, 0.45), kit_identity(), 48, 24, paint);
    kit_mesh_rigid(ball, 0, -1, ball_bone);
    sheet_frame frame = {{-0.8, 1.05, 0.8}, {1.6, 0.0, 0.0}, {0.0, 0.0, -1.6}};
    sheet_add(model, "sheet", frame, 48, 4, light, dark, sheet_bone);
    still(model);
}

void sheet_over_table_build(kit_model* model) {
    int32_t root = kit_bone(model, "root", KIT_NONE, kit_v(0.0, 0.0, 0.0));
    int32_t table_bone = kit_bone(model, "table", root, kit_v(0.0, 0.72, 0.0));
    int32_t sheet_bone = kit_bone(model, "sheet", root, kit_v(0.0, 0.95, 0.0));
    int32_t light = kit_material(model, "ClothLight", 0.90, 0.88, 0.82, 0.85);
    int32_t dark = kit_material(model, "ClothDark", 0.62, 0.14, 0.14, 0.85);
    int32_t wood = kit_material(model, "Wood", 0.42, 0.24, 0.11, 0.5);

    kit_mesh* table = kit_mesh_add(model, "table", KIT_UV);
    kit_box(model, table, kit_v(0.0, 0.70, 0.0), kit_v(0.45, 0.022, 0.45), 0.006, wood);
    kit_box(model, table, kit_v(0.0, 0.645, 0.0), kit_v(0.38, 0.033, 0.38), 0.004, wood); // apron
    for (int32_t i = 0; i < 4; ++i) {
        double x = (i & 1) != 0 ? 0.36 : -0.36, z = (i & 2) != 0 ? 0.36 : -0.36;
        kit_ring rings[6] = {{{x, 0.0, z}, 0.020, 0.020, 2.0, 0.0},  {{x, 0.05, z}, 0.026, 0.026, 2.0, 0.0},
                             {{x, 0.30, z}, 0.034, 0.034, 2.0, 0.0}, {{x, 0.50, z}, 0.027, 0.027, 2.0, 0.0},
                             {{x, 0.54, z}, 0.040, 0.040, 4.0, 0.0}, {{x, 0.68, z}, 0.040, 0.040, 4.0, 0.0}};
        kit_tube(model, table, rings, 6, 16, kit_v(0.0, 0.0, 1.0), KIT_CAP_START | KIT_CAP_END, wood);
    }
    kit_mesh_rigid(table, 0, -1, table_bone);
    sheet_frame frame = {{-0.75, 0.95, 0.75}, {1.5, 0.0, 0.0}, {0.0, 0.0, -1.5}};
    sheet_add(model, "sheet", frame, 48, 4, light, dark, sheet_bone);
    still(model);
}

void crossing_sheets_build(kit_model* model) {
    int32_t root = kit_bone(model, "root", KIT_NONE, kit_v(0.0, 0.0, 0.0));
    int32_t bone_a = kit_bone(model, "sheet.A", root, kit_v(0.0, 0.5, 0.3));
    int32_t bone_b = kit_bone(model, "sheet.B", root, kit_v(0.0, 0.5, -0.3));
    int32_t light_a = kit_material(model, "ClothA", 0.85, 0.45, 0.20, 0.8);
    int32_t dark_a = kit_material(model, "ClothADark", 0.50, 0.22, 0.08, 0.8);
    int32_t light_b = kit_material(model, "ClothB", 0.30, 0.58, 0.80, 0.8);
    int32_t dark_b = kit_material(model, "ClothBDark", 0.10, 0.26, 0.45, 0.8);
    // A's front looks toward -z, B's toward +z: at each other.
    sheet_frame a = {{0.25, 0.25, 0.3}, {-0.5, 0.0, 0.0}, {0.0, 0.5, 0.0}};
    sheet_frame b = {{-0.25, 0.25, -0.3}, {0.5, 0.0, 0.0}, {0.0, 0.5, 0.0}};
    sheet_add(model, "sheet.A", a, 16, 4, light_a, dark_a, bone_a);
    sheet_add(model, "sheet.B", b, 16, 4, light_b, dark_b, bone_b);
    still(model);
}

// A sheet held by its two upper corners, a checked one so that its stretch can be read.
void held_sheet_build(kit_model* model) {
    int32_t root = kit_bone(model, "root", KIT_NONE, kit_v(0.0, 0.0, 0.0));
    int32_t light = kit_material(model, "ClothLight", 0.88, 0.84, 0.76, 0.85);
    int32_t dark = kit_material(model, "ClothDark", 0.20, 0.42, 0.36, 0.85);
    sheet_frame frame = {{-0.5, 1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    sheet_add(model, "sheet", frame, 54, 6, light, dark, root);
    kit_mesh* mesh = model->meshes[0];
    mesh->attributes |= KIT_PIN;
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        const kit_vec p = mesh->vertices[i].position;
        mesh->vertices[i].pin = fabs(p.x) > 0.47 && p.y > 1.97 ? 1.0 : 0.0;
    }
    still(model);
}
