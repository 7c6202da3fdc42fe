// SPDX-License-Identifier: MIT
#include "samples/kit_samples.h"

// A hundred and fifty penguins in the air, each turned as it likes, to fall into a heap. All of them are one mesh, as a game would
// have a heap of debris: cells of a lattice that no cell joins are separate bodies, so one part is as many bodies as it
// has penguins, and its particles meet each other.

enum { BODY = 0, FEET = 1, ALONG = 5, LAYERS = 6 };

static const double APART = 0.58, ABOVE = 0.56, LOWEST = 0.36; // metres; nobody shares a cell with anybody

static void penguin_shape(kit_model* model, kit_shape* s) {
    kit_ball(model, s, BODY, kit_v(0.0, -0.045, 0.0), kit_v(0.108, 0.140, 0.100), 0.0);
    kit_ball(model, s, BODY, kit_v(0.0, 0.115, 0.010), kit_v(0.072, 0.072, 0.070), 0.07);
    kit_cone(model, s, FEET, kit_v(0.0, 0.108, 0.075), kit_v(0.0, 0.098, 0.112), 0.022, 0.009, 0.008);
    kit_cone(model, s, BODY, kit_v(0.0, -0.140, -0.075), kit_v(0.0, -0.172, -0.112), 0.036, 0.016, 0.03); // tail
    const int32_t first = s->blob_count;
    kit_cone(model, s, BODY, kit_v(0.088, 0.045, -0.005), kit_v(0.140, -0.085, -0.015), 0.030, 0.017, 0.02); // flipper
    kit_cone(model, s, FEET, kit_v(0.050, -0.168, 0.030), kit_v(0.064, -0.176, 0.088), 0.028, 0.026, 0.01);
    kit_shape_mirror(model, s, first, 0);
}

static void penguin_paint(kit_vertex* v) {
    const kit_vec p = v->position;
    const double x = p.x < 0.0 ? -p.x : p.x;
    const bool white = p.z > 0.045 && x < 0.085 && p.y < 0.085 && v->normal.z > 0.30;
    const bool face = p.z > 0.045 && x > 0.014 && x < 0.058 && p.y > 0.085 && p.y < 0.150;
    const bool eye = face && x > 0.020 && x < 0.044 && p.y > 0.118 && p.y < 0.146;
    const double orange[3] = {0.95, 0.50, 0.06}, light[3] = {0.93, 0.93, 0.90}, dark[3] = {0.045, 0.05, 0.075};
    const double* color = v->label == FEET ? orange : (white || face) && !eye ? light : dark;
    for (int32_t k = 0; k < 3; ++k) {
        v->color[k] = color[k];
    }
}

// The penguin that was made first, once more.
static void penguin_copy(kit_model* model, kit_mesh* mesh, int32_t vertices, int32_t triangles, kit_frame to) {
    const int32_t first = mesh->vertex_count;
    for (int32_t i = 0; i < vertices; ++i) {
        const kit_vertex from = mesh->vertices[i];
        const int32_t at =
            kit_vertex_add(model, mesh, kit_point(to, from.position), kit_direction(to, from.normal), from.u, from.v);
        for (int32_t k = 0; k < 3; ++k) {
            mesh->vertices[at].color[k] = from.color[k];
        }
    }
    for (int32_t t = 0; t < triangles; ++t) {
        const kit_triangle from = mesh->triangles[t];
        kit_triangle_add(model, mesh, first + from.v[0], first + from.v[1], first + from.v[2], from.material);
    }
}

static kit_frame penguin_place(uint32_t n) {
    const uint32_t column = n % ALONG, line = n / ALONG % ALONG, layer = n / (ALONG * ALONG);
    const kit_quat turn =
        kit_euler(40.0 * (kit_random(71, n) - 0.5), 360.0 * kit_random(72, n), 40.0 * (kit_random(73, n) - 0.5));
    const double aside = layer % 2 ? 0.07 : -0.07; // a column that stands straight would stay one
    return kit_frame_of(turn, kit_v(APART * (column - 0.5 * (ALONG - 1)) + aside, LOWEST + ABOVE * layer,
                                    APART * (line - 0.5 * (ALONG - 1)) - aside));
}

void penguins_build(kit_model* model) {
    const int32_t root = kit_bone(model, "root", KIT_NONE, kit_v(0.0, 0.0, 0.0));
    const int32_t feathers = kit_material(model, "Feathers", 1.0, 1.0, 1.0, 0.5);
    kit_mesh* mesh = kit_mesh_add(model, "penguins", KIT_UV | KIT_COLOR);
    kit_shape shape = {0};
    penguin_shape(model, &shape);
    kit_shape_mesh(model, mesh, &shape, 0.027, feathers);
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        kit_vertex* v = &mesh->vertices[i];
        penguin_paint(v);
        v->u = 0.5 + 2.0 * v->position.x; // nobody has a texture
        v->v = 0.5 - 2.0 * v->position.y;
    }
    const int32_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    for (uint32_t n = 1; n < ALONG * ALONG * LAYERS; ++n) {
        penguin_copy(model, mesh, vertices, triangles, penguin_place(n));
    }
    kit_mesh_transform(mesh, 0, vertices, penguin_place(0));
    kit_mesh_rigid(mesh, 0, -1, root);
    kit_clip_add(model, "still", 1.0, true);
}
