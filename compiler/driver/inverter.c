// SPDX-License-Identifier: MIT
#include "compiler/hemc.h"

#include "compiler/shape/inverse.h"
#include "formats/hem_validate.h"

#include <string.h>

// shape/inverse.c for programs: from places of a compiled asset's vertices to those of its particles.

struct hemc_inverter {
    hemc_arena* arena;
    hem_view view;
    hemc_lattice lattice;
    hemc_inverse* inverse;
    uint32_t count, particle_count;
    uint32_t* vertices;  // of the asset
    uint32_t* particles; // of the asset
    hemc_vec3 *now, *places;
};

static void read_cells(hemc_inverter* s, const hem_lattice* from) {
    const hem_view* v = &s->view;
    hemc_lattice* l = &s->lattice;
    const hem_part* part = &v->parts[from->part];
    uint32_t* number = hemc_alloc(s->arena, v->info->particle_count, sizeof(uint32_t));
    s->particles = hemc_alloc(s->arena, v->info->particle_count, sizeof(uint32_t));
    for (uint32_t i = part->row_begin * HEM_LANES; i < (part->row_begin + part->row_count) * HEM_LANES; ++i) {
        if ((v->particle_flags[i] & HEM_PARTICLE_PAD) == 0) {
            s->particles[s->particle_count] = i;
            number[i] = s->particle_count++;
        }
    }
    memcpy(l->origin, from->origin, sizeof l->origin);
    memcpy(l->spacing, from->spacing, sizeof l->spacing);
    memcpy(l->size, from->size, sizeof l->size);
    l->cell_count = from->cell_count;
    l->cells = hemc_alloc(s->arena, from->cell_count, sizeof *l->cells);
    l->corners = hemc_alloc(s->arena, from->cell_count, sizeof *l->corners);
    for (uint32_t c = 0; c < from->cell_count; ++c) {
        const hem_lattice_cell* cell = &v->lattice_cells[from->cell_begin + c];
        for (int k = 0; k < 8; ++k) {
            l->cells[c][k % 3] = cell->index[k % 3];
            l->corners[c][k] = number[cell->corner[k]];
        }
    }
}

static bool prepare(hemc_inverter* s, const void* bytes, size_t size, uint32_t lattice) {
    const hem_view* v = &s->view;
    if (hem_validate(bytes, size, &s->view, NULL) != HEM_FORMAT_OK || lattice >= v->lattice_count) {
        return false;
    }
    read_cells(s, &v->lattices[lattice]);
    s->vertices = hemc_alloc(s->arena, v->vertex_cell_count, sizeof(uint32_t));
    s->now = hemc_alloc(s->arena, v->vertex_cell_count, sizeof(hemc_vec3));
    s->places = hemc_alloc(s->arena, s->particle_count, sizeof(hemc_vec3));
    for (uint32_t i = 0; i < v->vertex_cell_count; ++i) {
        const hem_vertex_cell* at = &v->vertex_cells[i];
        if (v->lattice_cells[at->cell].lattice == lattice) {
            const float* x = v->vertex_rest[at->vertex].position;
            s->vertices[s->count] = at->vertex;
            s->now[s->count++] = (hemc_vec3){x[0], x[1], x[2]};
        }
    }
    s->inverse = hemc_inverse_make(s->arena, &s->lattice, s->particle_count, s->now, s->count);
    return s->inverse != NULL;
}

hemc_inverter* hemc_inverter_open(const void* bytes, size_t size, uint32_t lattice) {
    hemc_arena* arena = hemc_arena_create();
    if (arena == NULL) {
        return NULL;
    }
    if (setjmp(*hemc_arena_guard(arena)) != 0) {
        hemc_arena_destroy(arena);
        return NULL;
    }
    hemc_inverter* s = hemc_alloc(arena, 1, sizeof *s);
    s->arena = arena;
    if (!prepare(s, bytes, size, lattice)) {
        hemc_arena_destroy(arena);
        return NULL;
    }
    return s;
}

void hemc_inverter_frame(hemc_inverter* s, const float* vertices, float* particles) {
    for (uint32_t i = 0; i < s->count; ++i) {
        const float* x = vertices + 3 * (size_t)s->vertices[i];
        s->now[i] = (hemc_vec3){x[0], x[1], x[2]};
    }
    hemc_inverse_frame(s->inverse, s->now, s->places);
    for (uint32_t i = 0; i < s->particle_count; ++i) {
        memcpy(particles + 3 * (size_t)s->particles[i], &s->places[i], 3 * sizeof(float));
    }
}

void hemc_inverter_close(hemc_inverter* s) {
    if (s != NULL) {
        hemc_arena_destroy(s->arena);
    }
}
