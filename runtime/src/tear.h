// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_TEAR_H
#define HEM_RUNTIME_TEAR_H

// Lattices that can tear. STATE holds which copy of a particle each cell has at each corner, and whose copy a spare is. All
// else follows from that: masses, bars, pieces, what is drawn. It lies in a view of the instance's own, which differs from
// the asset's in what tears change, so that nothing else in the runtime asks whether something is torn.

#include "runtime/src/layout.h"

#define HEMI_NO_PARTICLE 0xffffu

typedef uint16_t hemi_corners[8]; // of a cell, as in hem_lattice_cell

typedef struct hemi_torn {
    hem_view view;     // the instance's
    hem_view vertices; // of the torn vertices alone, for the kernel that skins cells
    // The asset's, with what tears change
    hem_rest_row* rest;
    hem_shape_row* shape;
    hem_bind_row* bind;
    uint32_t* flags;
    hem_area_row* area; // NULL as in the asset, like the next one
    hem_map_row* map;
    hem_drive_row* drives;
    hem_lattice* lattices;
    hem_lattice_cell* cells;
    hem_lattice_bar* bars;
    uint32_t* order;
    // Who is where
    uint16_t (*cell_of)[8];      // per particle of the asset: the cell of which it is corner k; HEMI_NO_PARTICLE = none
    int32_t (*face_of)[3];       // per cell: the face to the next one along each axis
    uint8_t* cell_counts;        // per particle: of how many cells it is a corner
    uint16_t *next[3], *prev[3]; // per particle: along its bar
    uint16_t* piece;             // per particle: a particle that stands for its piece
    uint8_t* open;               // per face
    // What is drawn
    hem_vertex_rest* vertex_rest;
    hem_vertex_bind* vertex_bind;
    hem_vertex_cell* vertex_cells;
    hem_torn_vertex* torn_vertices;
    uint32_t* same_point; // per torn vertex: the next one at its point
    uint32_t* at_point;   // per point: the first
    uint32_t* indices;    // three per TEAR_TRIANGLES
    uint32_t* cap_indices;
    uint32_t vertex_capacity, vertex_count, cap_index_count;
    uint32_t change_count, piece_count, spare_used;
    uint32_t vertex_need; // of open faces, at most
    // Of the last step
    uint32_t torn_count, refused_count;
    float place[3], size;
} hemi_torn;

// layout.c lays out what there is; tear.c fills it.
void hemi_layout_torn(hemi_carve* c, const hem_view* view, hemi_instance* instance);
void hemi_torn_begin(const hem_view* asset, hemi_instance* instance); // once, when the scene is made
void hemi_mend(const hem_view* asset, hemi_instance* instance);       // whole again
void hemi_torn_derive(const hem_view* asset, hemi_instance* instance);
int hemi_torn_is_good(const hem_view* asset, const hemi_corners* corners, const uint16_t* homes); // of a save
// Parts the cells of a face, and says whether there was room: else all is as before. The copies have to be derived then.
int hemi_tear_face(const hem_view* asset, hemi_instance* instance, uint32_t face);
void hemi_copy_targets(hemi_instance* instance); // of clips, whose keys know no copies
void hemi_weigh_torn(hemi_instance* instance);   // after tears

// torn.c
void hemi_draw_torn(hemi_instance* instance);

#endif
