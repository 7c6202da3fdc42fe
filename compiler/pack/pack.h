// SPDX-License-Identifier: MIT
#ifndef HEMC_PACK_H
#define HEMC_PACK_H

// What the files of the last stage share: pack.c (sections, header, order of work), rows.c (parts, particles, rest
// overlaps), vertices.c (vertices, meshes, clips) and colliders.c (bones, colliders).
//
// Each file fills pointers and counts of `view` with arrays of the format's own structs, so that what is written is what
// the runtime reads; HEM_SECTIONS says in which order they become bytes.

#include "compiler/hemc_internal.h"
#include "formats/hem_validate.h"

typedef struct hemc_strings {
    hemc_arena* arena;
    char* text;
    size_t size, capacity;
    // Offsets of the strings so far, so that equal ones are stored once.
    uint32_t* offsets;
    size_t count, offset_capacity;
} hemc_strings;

typedef struct hemc_packer {
    hemc_arena* arena;
    const hemc_model* model;   // NULL = a bare particle mesh
    const hemc_recipe* recipe; // may be NULL
    const hemc_mesh* mesh;
    const hemc_layout* layout;
    bool ship;     // no preview, and
    bool ship_all; // unless this is set, no mesh that no particle moves
    hemc_strings strings;
    hem_info info;
    hem_view view;
} hemc_packer;

uint32_t hemc_pack_string(hemc_strings* strings, const char* text); // its offset
void hemc_pack_parts(hemc_packer* p);
void hemc_pack_rows(hemc_packer* p); // after the parts
void hemc_pack_ignore(hemc_packer* p);
void hemc_pack_bones(hemc_packer* p);
void hemc_pack_colliders(hemc_packer* p);
void hemc_pack_vertices(hemc_packer* p);
void hemc_pack_clips(hemc_packer* p);
void hemc_pack_lattice_clips(hemc_packer* p); // pack/key_rows.c
void hemc_pack_tears(hemc_packer* p);         // pack/tear_rows.c, after the vertices and the layout's batches

#endif
