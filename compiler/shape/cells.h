// SPDX-License-Identifier: MIT
#ifndef HEMC_CELLS_H
#define HEMC_CELLS_H

#include "compiler/surface/spatial.h"

// Cells by their index.
typedef struct hemc_cell_table {
    const hemc_lattice* lattice;
    uint32_t size[3];
    int32_t* cell; // HEM_NONE = there is none
} hemc_cell_table;

void hemc_cell_table_make(hemc_arena* arena, const hemc_lattice* lattice, hemc_cell_table* table);
uint32_t hemc_find_cell(const hemc_cell_table* table, hemc_d3 point, double at[3]);
void hemc_cell_weights(const double at[3], double weights[8]); // trilinear, by corner
void hemc_lattice_masses(const hemc_lattice* lattice, double volume, uint32_t count, double* share);
void hemc_lattice_roles(hemc_arena* arena, hemc_log* log, const char* file, const hemc_part_recipe* part,
                        const hemc_surface* surface, const double* painted, hemc_particles* particles);
// Vertex to particle for a part that is a lattice.
void hemc_bind_cells(hemc_arena* arena, const hemc_model* model, const int32_t* vertex_part, uint32_t part,
                     hemc_mesh* mesh);

#endif
