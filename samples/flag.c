// SPDX-License-Identifier: MIT
#include "samples/kit_samples.h"

// A flag on a pole. The cloth is one layer of 42 x 28 quads whose UVs are its own plane, coloured by material (so
// that the mesh has borders between materials that must not tear) with its hoist painted into _HEM_PIN. The cloth's
// keys stand in the file itself, as extras on its node: it compiles without a recipe; flag.json only adds a collider.

enum { COLUMNS = 42, ROWS = 28 };

static const double pole_radius = 0.022, flag_width = 1.35, flag_height = 0.90, flag_top = 2.52;

static kit_vec flag_point(double u, double v, const void* context) {
    (void)context;
    // Not quite flat: a first ripple, and a fly that sags.
    double ripple = 0.05 * u * kit_sin(2.0 * KIT_PI * (1.4 * u - 0.15 * v)) +
                    0.02 * u * u * kit_sin(2.0 * KIT_PI * (2.6 * u + 0.3 * v));
    return kit_v(pole_radius + 0.012 + flag_width * u, flag_top - flag_height * (1.0 - v) - 0.05 * u * u, ripple);
}

static void flag_cloth(kit_model* model, int32_t bone, int32_t field, int32_t band, int32_t gold) {
    kit_mesh* mesh = kit_mesh_add(model, "flag", KIT_UV | KIT_PIN | KIT_BLEND | KIT_STIFFNESS);
    mesh->node_extras =
        "{\"hem\":{\"generator\":\"cut\",\"kind\":\"cloth\",\"spacing\":0.09,\"axis\":\"x\",\"material\":\"silk\","
        "\"attach\":{\"paint\":\"_HEM_PIN > 0.5\"},\"self_collision\":true}}";
    kit_sheet(model, mesh, COLUMNS, ROWS, false, flag_point, NULL, field);
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        // A gold panel at the hoist, a pale band along the middle edged with gold.
        int32_t cell = t / 2, column = cell % COLUMNS, row = cell / COLUMNS;
        int32_t middle = row < ROWS / 2 ? row : ROWS - 1 - row;
        bool panel = column >= 2 && column < 10 && middle >= 2;
        mesh->triangles[t].material = panel ? gold : middle >= 10 ? band : middle == 9 ? gold : field;
    }
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        kit_vertex* v = &mesh->vertices[i];
        v->pin = v->u < 0.5 / COLUMNS ? 1.0 : 0.0;
        v->blend = kit_smooth(0.0, 2.5 / COLUMNS, v->u);
        v->stiffness = kit_mix(1.0, 0.4, kit_smooth(0.0, 0.15, v->u)); // a stitched hoist
    }
    kit_mesh_rigid(mesh, 0, -1, bone);
}

static void flag_pole(kit_model* model, int32_t root, int32_t bone, int32_t wood, int32_t brass) {
    kit_mesh* mesh = kit_mesh_add(model, "pole", KIT_UV);
    kit_ring pole[6] = {{{0.0, 0.02, 0.0}, 0.030, 0.030, 2.0, 0.0}, {{0.0, 0.60, 0.0}, 0.026, 0.026, 2.0, 0.0},
                        {{0.0, 1.20, 0.0}, 0.024, 0.024, 2.0, 0.0}, {{0.0, 1.80, 0.0}, 0.022, 0.022, 2.0, 0.0},
                        {{0.0, 2.40, 0.0}, 0.020, 0.020, 2.0, 0.0}, {{0.0, 2.62, 0.0}, 0.019, 0.019, 2.0, 0.0}};
    kit_tube(model, mesh, pole, 6, 20, kit_v(0.0, 0.0, 1.0), KIT_CAP_END, wood);
    // Turned foot.
    kit_ring foot[6] = {{{0.0, 0.0, 0.0}, 0.19, 0.19, 2.0, 0.0},    {{0.0, 0.025, 0.0}, 0.19, 0.19, 2.0, 0.0},
                        {{0.0, 0.05, 0.0}, 0.15, 0.15, 2.0, 0.0},   {{0.0, 0.075, 0.0}, 0.075, 0.075, 2.0, 0.0},
                        {{0.0, 0.14, 0.0}, 0.045, 0.045, 2.0, 0.0}, {{0.0, 0.18, 0.0}, 0.040, 0.040, 2.0, 0.0}};
    int32_t first = kit_tube(model, mesh, foot, 6, 32, kit_v(0.0, 0.0, 1.0), KIT_CAP_START | KIT_CAP_END, wood);
    int32_t last = mesh->vertex_count;
    kit_ring finial[7] = {{{0.0, 2.60, 0.0}, 0.026, 0.026, 2.0, 0.0}, {{0.0, 2.615, 0.0}, 0.030, 0.030, 2.0, 0.0},
                          {{0.0, 2.63, 0.0}, 0.018, 0.018, 2.0, 0.0}, {{0.0, 2.66, 0.0}, 0.036, 0.036, 2.0, 0.0},
                          {{0.0, 2.70, 0.0}, 0.030, 0.030, 2.0, 0.0}, {{0.0, 2.76, 0.0}, 0.010, 0.010, 2.0, 0.0},
                          {{0.0, 2.79, 0.0}, 0.003, 0.003, 2.0, 0.0}};
    kit_tube(model, mesh, finial, 7, 20, kit_v(0.0, 0.0, 1.0), KIT_CAP_START | KIT_CAP_END | KIT_CAP_ROUND, brass);
    for (int32_t i = 0; i < 4; ++i) { // rings that hold the hoist
        double y = flag_top - 0.02 - i * (flag_height - 0.04) / 3.0;
        kit_ring ring[4] = {{{0.0, y - 0.012, 0.0}, 0.024, 0.024, 2.0, 0.0},
                            {{0.0, y - 0.008, 0.0}, 0.034, 0.034, 2.0, 0.0},
                            {{0.0, y + 0.008, 0.0}, 0.034, 0.034, 2.0, 0.0},
                            {{0.0, y + 0.012, 0.0}, 0.024, 0.024, 2.0, 0.0}};
        kit_tube(model, mesh, ring, 4, 20, kit_v(0.0, 0.0, 1.0), 0, brass);
    }
    kit_mesh_rigid(mesh, 0, -1, bone);
    kit_mesh_rigid(mesh, first, last - first, root);
}

void flag_build(kit_model* model) {
    model->extras = "{\"hem\":{\"version\":1,\"scale\":1}}";
    int32_t root = kit_bone(model, "root", KIT_NONE, kit_v(0.0, 0.0, 0.0));
    int32_t pole = kit_bone_to(model, "pole", root, kit_v(0.0, 0.03, 0.0), kit_v(0.0, 2.6, 0.0));
    int32_t field = kit_material(model, "FlagField", 0.05, 0.27, 0.26, 0.8);
    int32_t band = kit_material(model, "FlagBand", 0.90, 0.87, 0.78, 0.8);
    int32_t gold = kit_material(model, "FlagGold", 0.86, 0.52, 0.10, 0.8);
    int32_t wood = kit_material(model, "PoleWood", 0.34, 0.20, 0.10, 0.45);
    int32_t brass = kit_material(model, "PoleBrass", 0.80, 0.58, 0.22, 0.3);
    model->materials[brass].metallic = 1.0;
    for (int32_t m = field; m <= gold; ++m) {
        model->materials[m].double_sided = true;
    }
    flag_cloth(model, pole, field, band, gold);
    flag_pole(model, root, pole, wood, brass);

    kit_clip_add(model, "still", 2.0, true);
    kit_clip* wave = kit_clip_add(model, "wave_pole", 3.0, true);
    for (int32_t f = 0; f < wave->frame_count; ++f) {
        double a = 2.0 * KIT_PI * kit_clip_phase(wave, f);
        // A figure of eight drawn with the finial, three seconds a turn.
        kit_clip_pose(wave, f)[pole].rotation =
            kit_euler(24.0 * kit_sin(2.0 * a), 18.0 * kit_sin(a + 0.5), 32.0 * kit_sin(a));
    }
}
