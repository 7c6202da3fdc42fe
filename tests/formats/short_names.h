// SPDX-License-Identifier: MIT
#ifndef TEST_FORMATS_SHORT_NAMES_H
#define TEST_FORMATS_SHORT_NAMES_H

// Fields, sections and answers by short names, to keep a rule on a line.

#include "formats/hem_validate.h"

#include <stddef.h>

#define H(name) offsetof(hem_header, name)
#define INFO(name) offsetof(hem_info, name)
#define PART(name) offsetof(hem_part, name)
#define ROW(name) offsetof(hem_row_batch, name)
#define SPRING(name) offsetof(hem_spring, name)
#define RANGE(name) offsetof(hem_range, name)
#define TUNE(name) offsetof(hem_tuning, name)
#define LINK(name) offsetof(hem_link_batch, name)
#define INDEX(name) offsetof(hem_index_batch, name)
#define GROUP(name) offsetof(hem_group_batch, name)
#define COLLIDER(name) offsetof(hem_asset_collider, name)
#define MESH(name) offsetof(hem_mesh, name)
#define BIND(name) offsetof(hem_vertex_bind, name)
#define ROD(name) offsetof(hem_rod, name)
#define DRIVE(name) offsetof(hem_drive_row, name)
#define SHAPE(name) offsetof(hem_shape_row, name)

enum {
    S_INFO = HEM_SECTION_INFO,
    S_STRINGS = HEM_SECTION_STRINGS,
    S_PARTS = HEM_SECTION_PARTS,
    S_TUNING = HEM_SECTION_TUNING,
    S_BONES = HEM_SECTION_BONES,
    S_REST = HEM_SECTION_REST_ROWS,
    S_SHAPE = HEM_SECTION_SHAPE_ROWS,
    S_BIND = HEM_SECTION_BIND_ROWS,
    S_FLAGS = HEM_SECTION_PARTICLE_FLAGS,
    S_ANIM = HEM_SECTION_ANIM_ROWS,
    S_LIMIT = HEM_SECTION_LIMIT_ROWS,
    S_LINKS = HEM_SECTION_LINK_BATCHES,
    S_INDEXED = HEM_SECTION_INDEX_BATCHES,
    S_GROUPS = HEM_SECTION_GROUP_BATCHES,
    S_MEMBERS = HEM_SECTION_GROUP_MEMBERS,
    S_GROUP_INDEX = HEM_SECTION_GROUP_INDICES,
    S_FRAMES = HEM_SECTION_FRAME_ROWS,
    S_STARTS = HEM_SECTION_IGNORE_STARTS,
    S_IGNORE = HEM_SECTION_IGNORE_LIST,
    S_COLLIDERS = HEM_SECTION_COLLIDERS,
    S_PLANES = HEM_SECTION_HULL_PLANES,
    S_MESHES = HEM_SECTION_MESHES,
    S_VREST = HEM_SECTION_VERTEX_REST,
    S_VBIND = HEM_SECTION_VERTEX_BIND,
    S_BLOCKS = HEM_SECTION_VERTEX_BLOCKS,
    S_RANGES = HEM_SECTION_RANGES,
    S_ROWS = HEM_SECTION_ROW_BATCHES,
    S_ROW_MEMBERS = HEM_SECTION_ROW_MEMBERS,
    S_ROW_INDEX = HEM_SECTION_ROW_INDICES,
    S_SPRINGS = HEM_SECTION_SPRINGS,
    S_DRIVES = HEM_SECTION_DRIVE_ROWS,
    S_RODS = HEM_SECTION_RODS,
    S_CHAINS = HEM_SECTION_CHAINS,
    S_AREAS = HEM_SECTION_AREA_ROWS,
    S_TRIANGLES = HEM_SECTION_TRIANGLES,
    S_BENDS = HEM_SECTION_BENDS,
    S_DIHEDRALS = HEM_SECTION_DIHEDRALS,
    S_MAPS = HEM_SECTION_MAP_ROWS,
    S_HAIR = HEM_SECTION_HAIR_ROWS,
    S_GROUP_REST = HEM_SECTION_GROUP_REST_ROWS,
    S_SPACES = HEM_SECTION_BONE_SPACES,
    S_INDICES = HEM_SECTION_PREVIEW_INDICES,
    S_CLIPS = HEM_SECTION_PREVIEW_CLIPS,
    S_CLIP_FRAMES = HEM_SECTION_PREVIEW_FRAMES,
};

#define HEADER HEM_FORMAT_BAD_HEADER
#define COUNT HEM_FORMAT_BAD_COUNT
#define INDEXES HEM_FORMAT_BAD_INDEX
#define VALUE HEM_FORMAT_BAD_VALUE
#define BATCH HEM_FORMAT_BAD_BATCH

#endif
