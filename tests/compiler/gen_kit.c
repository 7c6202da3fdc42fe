// SPDX-License-Identifier: MIT
#include "tests/compiler/gen_kit.h"

#include <string.h>

void gen_begin(gen_kit* kit, double spacing) {
    memset(kit, 0, sizeof *kit);
    kit->arena = hemc_arena_create();
    kit->log.arena = kit->arena;
    kit->model.path = "formula";
    hemc_part_recipe* p = &kit->part;
    p->name = "part";
    p->json_path = "/parts/0";
    p->spacing = (float)spacing;
    p->axis_auto = true;
    p->density = 0.2f;
    p->attach.automatic = true;
    p->attach.top = p->attach.bottom = p->attach.near = p->attach.root = -1.0f;
    p->blend_width = p->max_distance = p->backstop = -1.0f;
    p->stitch = true;
}

void gen_end(gen_kit* kit) {
    hemc_arena_destroy(kit->arena);
}

uint32_t gen_vertex(gen_kit* kit, hemc_d3 p) {
    hemc_model* m = &kit->model;
    m->positions =
        hemc_grow(kit->arena, m->positions, &kit->position_capacity, (size_t)m->vertex_count + 1, sizeof *m->positions);
    m->positions[m->vertex_count] = d3_to(p);
    return m->vertex_count++;
}

void gen_triangle(gen_kit* kit, uint32_t a, uint32_t b, uint32_t c, int32_t owner) {
    hemc_model* m = &kit->model;
    size_t n = m->triangle_count;
    m->triangles = hemc_grow(kit->arena, m->triangles, &kit->triangle_capacity, 3 * n + 3, sizeof *m->triangles);
    kit->owner = hemc_grow(kit->arena, kit->owner, &kit->owner_capacity, n + 1, sizeof *kit->owner);
    m->triangles[3 * n] = a;
    m->triangles[3 * n + 1] = b;
    m->triangles[3 * n + 2] = c;
    kit->owner[n] = owner;
    ++m->triangle_count;
}

void gen_grid(gen_kit* kit, int columns, int rows, gen_formula formula, bool flip, int32_t owner) {
    uint32_t base = kit->model.vertex_count;
    for (int j = 0; j <= rows; ++j) {
        for (int i = 0; i <= columns; ++i) {
            gen_vertex(kit, formula((double)i / columns, (double)j / rows));
        }
    }
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
            uint32_t a = base + (uint32_t)(j * (columns + 1) + i), b = a + 1;
            uint32_t c = a + (uint32_t)columns + 1, d = c + 1;
            gen_triangle(kit, a, flip ? c : b, flip ? b : c, owner);
            gen_triangle(kit, b, flip ? c : d, flip ? d : c, owner);
        }
    }
}

void gen_model(gen_kit* kit) {
    hemc_model* m = &kit->model;
    m->primitive_count = 1;
    m->primitives = hemc_alloc(kit->arena, 1, sizeof *m->primitives);
    m->primitives[0].name = m->primitives[0].node_name = m->primitives[0].mesh_name = "formula";
    m->primitives[0].material_name = "";
    m->primitives[0].vertex_count = m->vertex_count;
    m->primitives[0].triangle_count = m->triangle_count;
    m->normals = hemc_alloc(kit->arena, m->vertex_count, sizeof *m->normals);
    m->bones = hemc_alloc(kit->arena, m->vertex_count, sizeof *m->bones);
    m->bone_weights = hemc_alloc(kit->arena, m->vertex_count, sizeof *m->bone_weights);
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        m->bone_weights[v][0] = 1.0f;
    }
    m->triangle_primitive = hemc_alloc(kit->arena, m->triangle_count, sizeof *m->triangle_primitive);
    m->bone_count = 1;
    m->bone_defs = hemc_alloc(kit->arena, 1, sizeof *m->bone_defs);
    m->bone_defs[0].name = "root";
    m->bone_defs[0].parent = HEM_NONE;
}

bool gen_run(gen_kit* kit) {
    gen_model(kit);
    return hemc_weld(kit->arena, &kit->model, kit->owner, 0, &kit->surface) &&
           hemc_generate(kit->arena, &kit->log, &kit->model, &kit->part, &kit->surface, &kit->particles);
}

static uint32_t root_of(uint32_t* roots, uint32_t i) {
    while (roots[i] != i) {
        i = roots[i] = roots[roots[i]];
    }
    return i;
}

gen_quality gen_measure(const gen_kit* kit) {
    const hemc_particles* p = &kit->particles;
    gen_quality q;
    memset(&q, 0, sizeof q);
    q.shortest = q.nearest = 1e30;
    uint32_t(*degree)[2] = hemc_alloc(kit->arena, (size_t)p->count + 1, sizeof *degree);
    uint32_t* roots = hemc_alloc(kit->arena, (size_t)p->count + 1, sizeof *roots);
    for (uint32_t i = 0; i < p->count; ++i) {
        roots[i] = i;
    }
    for (size_t k = 0; k < p->link_count; ++k) {
        uint32_t a = p->links[k].a, b = p->links[k].b;
        int kind = p->links[k].kind == HEM_LINK_WARP ? 0 : 1;
        ++degree[a][kind];
        ++degree[b][kind];
        int apart = p->level[a] - p->level[b];
        q.wrong += kind == 0 ? apart != 1 && apart != -1 : apart != 0;
        double d = d3_distance(d3_from(p->positions[a]), d3_from(p->positions[b])) / p->spacing;
        q.shortest = d < q.shortest ? d : q.shortest;
        q.longest = d > q.longest ? d : q.longest;
        uint32_t ra = root_of(roots, a), rb = root_of(roots, b);
        roots[ra > rb ? ra : rb] = ra > rb ? rb : ra;
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        q.pieces += roots[i] == i;
        q.loose += degree[i][0] + degree[i][1] == 0;
        bool inner = degree[i][1] >= 2 && p->level[i] > 0 && p->level[i] + 1 < (int32_t)p->level_count;
        q.inner += inner;
        q.regular += inner && degree[i][0] == 2 && degree[i][1] == 2;
        for (uint32_t j = 0; j < i; ++j) {
            if (p->level[i] == p->level[j]) {
                double d = d3_distance(d3_from(p->positions[i]), d3_from(p->positions[j])) / p->spacing;
                q.nearest = d < q.nearest ? d : q.nearest;
            }
        }
    }
    return q;
}

double gen_difference(const hemc_particles* a, const hemc_particles* b, hemc_d3 (*move)(hemc_d3)) {
    if (a->count != b->count || a->link_count != b->link_count) {
        return -1.0;
    }
    double worst = 0.0;
    for (uint32_t i = 0; i < a->count; ++i) {
        double d = d3_distance(move(d3_from(a->positions[i])), d3_from(b->positions[i]));
        worst = d > worst ? d : worst;
    }
    return worst;
}

double gen_set_difference(const hemc_particles* a, const hemc_particles* b, hemc_d3 (*move)(hemc_d3)) {
    if (a->count != b->count || a->link_count != b->link_count) {
        return -1.0;
    }
    double worst = 0.0;
    for (uint32_t i = 0; i < a->count; ++i) {
        double nearest = 1e30;
        for (uint32_t j = 0; j < b->count; ++j) {
            double d = d3_distance(move(d3_from(a->positions[i])), d3_from(b->positions[j]));
            nearest = d < nearest ? d : nearest;
        }
        worst = nearest > worst ? nearest : worst;
    }
    return worst;
}
