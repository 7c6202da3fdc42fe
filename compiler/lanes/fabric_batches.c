// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"
#include "compiler/lanes/tuples.h"

#include "compiler/graph/graph.h"

// Triangles, bending edges and tetrahedra into row batches. The weave has shaped the placement, and cloth lies along it.

typedef struct picked {
    hemc_tuples tuples;
    uint32_t* source; // into the mesh's list
    hemc_tuple_plan plan;
} picked;

typedef const uint32_t* particles_of(const hemc_mesh* mesh, size_t i);

static const uint32_t* triangle_particles(const hemc_mesh* mesh, size_t i) {
    return mesh->triangles[i].p;
}

static const uint32_t* bend_particles(const hemc_mesh* mesh, size_t i) {
    return mesh->bends[i].p;
}

static const uint32_t* tetrahedron_particles(const hemc_mesh* mesh, size_t i) {
    return mesh->tetrahedra[i].p;
}

// Those of a part, in batches.
static void pick(hemc_arena* arena, const hemc_mesh* mesh, const hemc_layout* layout, uint32_t part, size_t count,
                 uint32_t arity, particles_of* particles, picked* out) {
    uint32_t* starts = hemc_alloc(arena, count + 1, sizeof(uint32_t));
    uint32_t* slots = hemc_alloc(arena, count * arity, sizeof(uint32_t));
    out->source = hemc_alloc(arena, count, sizeof(uint32_t));
    out->tuples = (hemc_tuples){.starts = starts, .slots = slots};
    for (size_t i = 0; i < count; ++i) {
        const uint32_t* p = particles(mesh, i);
        if (hemc_part_of(mesh, p[0]) != layout->part_order[part]) {
            continue;
        }
        for (uint32_t k = 0; k < arity; ++k) {
            slots[arity * out->tuples.count + k] = layout->slot_of[p[k]];
        }
        out->source[out->tuples.count++] = (uint32_t)i;
        starts[out->tuples.count] = (uint32_t)(arity * out->tuples.count);
    }
    hemc_batch_tuples(arena, &out->tuples, &out->plan);
}

static const void* at_lane(const picked* from, size_t batch, uint32_t lane, const void* items, size_t size) {
    const int32_t tuple = from->plan.batches[batch].tuple[lane];
    return tuple != HEM_NONE ? (const char*)items + size * from->source[tuple] : NULL;
}

void hemc_batch_triangles(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, hemc_layout* layout) {
    picked from = {0};
    pick(arena, mesh, layout, part, mesh->triangle_count, 3, triangle_particles, &from);
    hem_triangle* out = hemc_alloc(arena, from.plan.count, sizeof(hem_triangle));
    for (size_t i = 0; i < from.plan.count; ++i) {
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const hemc_triangle* t = at_lane(&from, i, lane, mesh->triangles, sizeof(*t));
            for (int k = 0; k < 4; ++k) {
                out[i].q[k][lane] = t != NULL ? t->q[k] : 0;
            }
            out[i].inverse_area[lane] = t != NULL ? t->inverse_area : 1;
        }
    }
    hemc_add_row_batches(arena, &from.plan, HEM_KIND_TRIANGLE, 3, part, layout->triangle_count, layout);
    layout->triangles =
        hemc_append(arena, layout->triangles, layout->triangle_count, out, from.plan.count, sizeof(hem_triangle));
    layout->triangle_count += (uint32_t)from.plan.count;
}

void hemc_batch_tetrahedra(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, hemc_layout* layout) {
    picked from = {0};
    pick(arena, mesh, layout, part, mesh->tetrahedron_count, 4, tetrahedron_particles, &from);
    hem_tetrahedron* out = hemc_alloc(arena, from.plan.count, sizeof(hem_tetrahedron));
    for (size_t i = 0; i < from.plan.count; ++i) {
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const hemc_tetrahedron* t = at_lane(&from, i, lane, mesh->tetrahedra, sizeof(*t));
            for (int k = 0; k < 9; ++k) {
                out[i].q[k][lane] = t != NULL ? t->q[k] : 0;
            }
            out[i].volume[lane] = t != NULL ? t->volume : 0;
        }
    }
    hemc_add_row_batches(arena, &from.plan, HEM_KIND_TETRAHEDRON, 4, part, layout->tetrahedron_count, layout);
    layout->tetrahedra = hemc_append(arena, layout->tetrahedra, layout->tetrahedron_count, out, from.plan.count,
                                     sizeof(hem_tetrahedron));
    layout->tetrahedron_count += (uint32_t)from.plan.count;
}

hem_batch_kind hemc_bends_as(const hemc_mesh* mesh, uint32_t source_part) {
    return mesh->part_fabrics != NULL && mesh->part_fabrics[source_part].bending == HEMC_BEND_DIHEDRAL
               ? HEM_BATCH_DIHEDRALS
               : HEM_BATCH_BENDS;
}

static void add_bends(hemc_arena* arena, const hemc_mesh* mesh, const picked* from, uint32_t part,
                      hemc_layout* layout) {
    hem_bend* out = hemc_alloc(arena, from->plan.count, sizeof(hem_bend));
    for (size_t i = 0; i < from->plan.count; ++i) {
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const hemc_bend* b = at_lane(from, i, lane, mesh->bends, sizeof(*b));
            for (int k = 0; k < 4; ++k) {
                out[i].c[k][lane] = b != NULL ? b->c[k] : 0;
            }
            out[i].compliance[lane] = b != NULL ? b->compliance : 1;
        }
    }
    hemc_add_row_batches(arena, &from->plan, HEM_KIND_FLAT, 4, part, layout->bend_count, layout);
    layout->bends = hemc_append(arena, layout->bends, layout->bend_count, out, from->plan.count, sizeof(hem_bend));
    layout->bend_count += (uint32_t)from->plan.count;
}

void hemc_batch_bends(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, hemc_layout* layout) {
    picked from = {0};
    pick(arena, mesh, layout, part, mesh->bend_count, 4, bend_particles, &from);
    if (hemc_bends_as(mesh, layout->part_order[part]) == HEM_BATCH_BENDS) {
        add_bends(arena, mesh, &from, part, layout);
        return;
    }
    hem_dihedral* out = hemc_alloc(arena, from.plan.count, sizeof(hem_dihedral));
    for (size_t i = 0; i < from.plan.count; ++i) {
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const hemc_bend* b = at_lane(&from, i, lane, mesh->bends, sizeof(*b));
            out[i].cosine[lane] = b != NULL ? b->cosine : 1;
            out[i].sine[lane] = b != NULL ? b->sine : 0;
            out[i].compliance[lane] = b != NULL ? b->compliance : 1;
        }
    }
    hemc_add_row_batches(arena, &from.plan, HEM_KIND_DIHEDRAL, 4, part, layout->dihedral_count, layout);
    layout->dihedrals =
        hemc_append(arena, layout->dihedrals, layout->dihedral_count, out, from.plan.count, sizeof(hem_dihedral));
    layout->dihedral_count += (uint32_t)from.plan.count;
}
