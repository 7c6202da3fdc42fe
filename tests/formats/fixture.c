// SPDX-License-Identifier: MIT
#include "tests/formats/fixture.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 6
#define ORIENTED_ROWS 3
#define PARTICLES (ROWS * HEM_LANES)
#define BONES 2
#define VERTICES 11

static const char strings[] = "\0soft\0body\0cloth\0root\0tip\0ball\0node/mesh/0\0node/mesh/1\0walk\0still";

static uint32_t string_offset(const char* text) {
    for (uint32_t i = 0; i < sizeof strings;) {
        if (strcmp(strings + i, text) == 0) {
            return i;
        }
        i += (uint32_t)strlen(strings + i) + 1;
    }
    abort();
}

static const uint32_t part_of_row[ROWS] = {0, 0, 1, 2, 2, 2};
static const uint32_t real_lanes[ROWS] = {0xff, 0x7f, 0x07, 0xff, 0xff, 0x3f};
static const bool animated_row[ROWS] = {false, false, true, true, false, false};

typedef struct builder {
    uint8_t* bytes;
    uint64_t end;
    hem_section table[40];
    const void* contents[40];
    uint32_t count;
} builder;

static void add(builder* b, uint32_t kind, const void* bytes, uint32_t element_size, uint32_t element_count) {
    b->contents[b->count] = bytes;
    b->table[b->count++] = (hem_section){.kind = kind,
                                         .element_size = element_size,
                                         .element_count = element_count,
                                         .size = (uint64_t)element_size * element_count};
}

static void make_rows(hem_rest_row* rest, hem_shape_row* shape, hem_bind_row* bind, uint32_t* flags) {
    for (uint32_t row = 0; row < ROWS; ++row) {
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const bool real = real_lanes[row] >> lane & 1;
            const uint32_t from = real ? lane : 0; // pads repeat lane 0
            rest[row].x[lane] = 0.25f * (float)from;
            rest[row].y[lane] = -0.5f * (float)row;
            rest[row].z[lane] = 0.125f;
            rest[row].mass[lane] = real ? 0.5f : 0;
            shape[row].qw[lane] = 1;
            shape[row].a[lane] = 0.0625f;
            shape[row].b[lane] = 0.125f;
            shape[row].c[lane] = 0.125f;
            shape[row].inverse_mass[lane] = real && !animated_row[row] ? 2.0f : 0;
            bind[row].bone[0][lane] = real ? (uint16_t)(lane & 1) : 0;
            bind[row].weight[0][lane] = real ? 0.75f : 1;
            bind[row].weight[1][lane] = real ? 0.25f : 0;
            uint32_t f = HEM_PARTICLE_PAD;
            if (real) {
                f = HEM_PARTICLE_COLLIDES;
                f |= animated_row[row] ? HEM_PARTICLE_ANIMATED : 0;
                f |= row == 2 ? HEM_PARTICLE_BODY | HEM_PARTICLE_SURFACE : 0;
            }
            flags[row * HEM_LANES + lane] = f | part_of_row[row] << HEM_PARTICLE_PART_SHIFT;
        }
    }
}

static hem_link_batch link_batch(uint32_t row_a, uint32_t row_b, uint8_t rotate, uint8_t kind, uint8_t part,
                                 uint8_t mask) {
    hem_link_batch b = {
        .row_a = row_a, .row_b = row_b, .rotate = rotate, .kind = kind, .part = part, .lane_mask = mask};
    for (int lane = 0; lane < HEM_LANES; ++lane) {
        b.rest[lane] = mask >> lane & 1 ? 0.5f : -1;
        b.scale[lane] = 255;
    }
    return b;
}

fixture fixture_make(void) {
    hem_info info = {
        .particle_count = PARTICLES,
        .row_count = ROWS,
        .oriented_row_count = ORIENTED_ROWS,
        .real_particle_count = 40,
        .simulated_count = 29,
        .attached_count = 8,
        .body_count = 3,
        .part_count = 3,
        .bone_count = BONES,
        .vertex_count = VERTICES,
        .mesh_count = 2,
        .link_count = 8 + 6 + 5 + 6 + 7 + 3,
        .group_count = 7 + 2,
        .row_constraint_count = 5 + 2 + 1 + 1 + 5,
        .particle_radius = 0.125f,
        .bounds_min = {0, -2.5f, 0.125f},
        .bounds_max = {1.75f, 0, 0.125f},
        .spacing = 0.25f,
    };
    const float constraints = (float)(info.link_count + info.group_count + info.row_constraint_count);
    info.lane_fill = constraints / 104.0f;
    info.indexed_share = 9.0f / constraints;
    hem_part parts[3] = {
        {.name_offset = string_offset("soft"),
         .kind = HEM_PART_SOFT,
         .row_begin = 0,
         .row_count = 2,
         .range_begin = 0,
         .range_count = 2,
         .collision_group = 1,
         .collision_mask = 6,
         .spacing = 0.5f},
        {.name_offset = string_offset("body"),
         .kind = HEM_PART_BODY,
         .row_begin = 2,
         .row_count = 1,
         .range_begin = 2,
         .collision_group = 2,
         .collision_mask = 5,
         .spacing = 0.25f},
        {.name_offset = string_offset("cloth"),
         .kind = HEM_PART_CLOTH,
         .row_begin = 3,
         .row_count = 3,
         .range_begin = 2,
         .range_count = 6,
         .collision_group = 4,
         .collision_mask = 7,
         .level_count = 3,
         .spacing = 0.5f},
    };
    static const hem_range ranges[8] = {{0, HEM_BATCH_LINKS, 0, 1},     {0, HEM_BATCH_GROUPS, 0, 2},
                                        {2, HEM_BATCH_SPRINGS, 0, 2},   {2, HEM_BATCH_BENDS, 2, 1},
                                        {2, HEM_BATCH_DIHEDRALS, 3, 1}, {2, HEM_BATCH_TRIANGLES, 4, 1},
                                        {2, HEM_BATCH_LINKS, 1, 4},     {2, HEM_BATCH_INDEXED_LINKS, 0, 1}};
    hem_tuning tuning[3];
    memset(tuning, 0, sizeof tuning);
    for (int i = 0; i < 3; ++i) {
        tuning[i].gravity_scale = 1;
        tuning[i].max_speed = 30;
        tuning[i].iterations = 1;
        tuning[i].solver = HEM_SOLVER_XPBD;
    }
    hem_bone bones[BONES] = {
        {.name_offset = string_offset("root"),
         .parent = HEM_NONE,
         .inverse_bind = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
        {.name_offset = string_offset("tip"), .parent = 0, .inverse_bind = {1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 1, 0}},
    };
    static hem_rest_row rest[ROWS];
    static hem_shape_row shape[ROWS];
    static hem_bind_row bind[ROWS];
    static uint32_t flags[PARTICLES];
    memset(rest, 0, sizeof rest);
    memset(shape, 0, sizeof shape);
    memset(bind, 0, sizeof bind);
    make_rows(rest, shape, bind, flags);
    hem_anim_row anim[3] = {{.row = 2, .animated_mask = 0x07, .target_mask = 0x07},
                            {.row = 3, .animated_mask = 0xff, .target_mask = 0xff},
                            {.row = 4, .animated_mask = 0, .target_mask = 0x1f}};
    hem_limit_row limit = {.row = 4, .anim_row = 2};
    for (int lane = 0; lane < HEM_LANES; ++lane) {
        limit.max_distance[lane] = lane < 4 ? 0.25f : -1;
        limit.backstop_radius[lane] = lane == 4 ? 1.0f : -1;
    }
    hem_link_batch links[5] = {
        link_batch(1, 4, 0, HEM_LINK_STITCH, 0, 0x7f), link_batch(3, 4, 0, HEM_LINK_WARP, 2, 0xff),
        link_batch(4, 5, 0, HEM_LINK_WARP, 2, 0x3f),   link_batch(4, 5, 1, HEM_LINK_SHEAR, 2, 0x1f),
        link_batch(5, 3, 0, HEM_LINK_TETHER, 2, 0x3f),
    };
    hem_index_batch indexed = {.kind = HEM_LINK_WEFT, .part = 2, .lane_mask = 0x07};
    for (uint16_t lane = 0; lane < HEM_LANES; ++lane) {
        indexed.a[lane] = (uint16_t)(lane < 3 ? 32 + 2 * lane : lane);
        indexed.b[lane] = (uint16_t)(lane < 3 ? 33 + 2 * lane : lane);
        indexed.rest[lane] = lane < 3 ? 0.25f : -1;
        indexed.scale[lane] = lane < 3 ? 128 : 255;
    }
    hem_group_batch groups[2] = {
        {.own_row = 0, .member_begin = 0, .member_count = 1, .part = 0, .lane_mask = 0x7f},
        {.own_row = (uint32_t)HEM_NONE, .member_begin = 0, .member_count = 2, .part = 0, .lane_mask = 0x03},
    };
    for (uint16_t lane = 0; lane < HEM_LANES; ++lane) {
        groups[0].own[lane] = lane;
        groups[0].center[1][lane] = lane < 7 ? -0.25f : 0;
        groups[0].total_mass[lane] = 1;
        groups[1].own[lane] = (uint16_t)(lane < 2 ? 8 + lane * 3 : 16 + lane);
        groups[1].total_mass[lane] = lane == 0 ? 1.5f : 1;
    }
    hem_group_member member = {.row = 1, .rotate = 0, .lane_mask = 0x7f};
    hem_group_index group_indices[2];
    memset(group_indices, 0, sizeof group_indices);
    for (uint16_t lane = 0; lane < HEM_LANES; ++lane) {
        group_indices[0].index[lane] = (uint16_t)(lane < 2 ? lane * 3 : groups[1].own[lane]);
        group_indices[1].index[lane] = lane == 0 ? 1 : groups[1].own[lane];
    }
    group_indices[0].lane_mask = 0x03;
    group_indices[1].lane_mask = 0x01;
    // Five springs in rows, two by indices, one of these into another part; an edge that bends, flat and not, by indices; five
    // triangles in rows.
    hem_row_batch row_batches[5] = {
        {.rows = {3, 5}, .rotates = {0, 1}, .kind = HEM_KIND_SPRING, .part = 2, .lane_mask = 0x1f, .member_count = 2},
        {.kind = HEM_KIND_SPRING,
         .part = 2,
         .lane_mask = 0x03,
         .form = HEM_FORM_INDICES,
         .member_count = 2,
         .payload = 1},
        {.kind = HEM_KIND_FLAT,
         .part = 2,
         .lane_mask = 0x01,
         .form = HEM_FORM_INDICES,
         .member_begin = 2,
         .member_count = 4},
        {.kind = HEM_KIND_DIHEDRAL,
         .part = 2,
         .lane_mask = 0x01,
         .form = HEM_FORM_INDICES,
         .member_begin = 6,
         .member_count = 4},
        {.rows = {3, 4, 5},
         .rotates = {0, 1, 0},
         .kind = HEM_KIND_TRIANGLE,
         .part = 2,
         .lane_mask = 0x1f,
         .member_count = 3},
    };
    hem_group_index row_indices[10];
    hem_spring springs[2];
    hem_bend bend;
    hem_dihedral dihedral;
    hem_triangle triangle;
    memset(row_indices, 0, sizeof row_indices);
    memset(springs, 0, sizeof springs);
    memset(&bend, 0, sizeof bend);
    memset(&dihedral, 0, sizeof dihedral);
    memset(&triangle, 0, sizeof triangle);
    for (int i = 2; i < 10; ++i) {
        row_indices[i].lane_mask = 0x01;
        for (int lane = 0; lane < HEM_LANES; ++lane) {
            row_indices[i].index[lane] = (uint16_t)(32 + (i - 2) % 4);
        }
    }
    for (int lane = 0; lane < HEM_LANES; ++lane) {
        bend.c[0][lane] = bend.c[1][lane] = lane == 0 ? -2.0f : 0;
        bend.c[2][lane] = bend.c[3][lane] = lane == 0 ? 2.0f : 0;
        bend.compliance[lane] = lane == 0 ? 0.5f : 1;
        dihedral.cosine[lane] = lane == 0 ? 0.8f : 1;
        dihedral.sine[lane] = lane == 0 ? -0.6f : 0;
        dihedral.compliance[lane] = lane == 0 ? 0.5f : 1;
        triangle.q[0][lane] = triangle.q[3][lane] = lane < 5 ? 2.0f : 0;
        triangle.inverse_area[lane] = lane < 5 ? 8.0f : 1;
    }
    for (int i = 0; i < 2; ++i) {
        row_indices[i].lane_mask = 0x03;
        for (int lane = 0; lane < HEM_LANES; ++lane) {
            row_indices[i].index[lane] = (uint16_t)(i == 0 ? (lane == 1 ? 33 : 32) : (lane == 1 ? 0 : 40));
            const bool on = row_batches[i].lane_mask >> lane & 1;
            springs[i].rest[lane] = on ? 0.5f : -1;
            springs[i].compliance[lane] = on ? 0.01f : 1;
            springs[i].damping[lane] = on ? 0.5f : 0;
        }
    }
    static hem_frame_row frames[ROWS - ORIENTED_ROWS];
    memset(frames, 0, sizeof frames);
    for (uint32_t i = 0; i < ROWS - ORIENTED_ROWS; ++i) {
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            frames[i].u0[lane] = (uint16_t)((3 + i) * 8);
            frames[i].u1[lane] = (uint16_t)((3 + i) * 8 + 1);
            frames[i].v0[lane] = 24;
            frames[i].v1[lane] = 32;
            frames[i].qw[lane] = 1;
        }
    }
    // 0 ignores 32 and 33; 33 ignores 0 and 34.
    static uint32_t ignore_starts[PARTICLES + 1];
    static const uint16_t ignore_list[6] = {32, 33, 0, 0, 34, 33};
    static const struct { uint32_t particle, count; } ignore_counts[4] = {{0, 2}, {32, 1}, {33, 2}, {34, 1}};
    memset(ignore_starts, 0, sizeof ignore_starts);
    for (int i = 0; i < 4; ++i) {
        for (uint32_t p = ignore_counts[i].particle + 1; p <= PARTICLES; ++p) {
            ignore_starts[p] += ignore_counts[i].count;
        }
    }
    hem_asset_collider colliders[5];
    memset(colliders, 0, sizeof colliders);
    for (uint32_t i = 0; i < 5; ++i) {
        colliders[i].name_offset = string_offset("ball");
        colliders[i].kind = i; // one of each
        colliders[i].bone = (int32_t)(i % 3) - 1;
        colliders[i].collision_group = 8;
        colliders[i].rotation[3] = 1;
        colliders[i].friction = 0.5f;
    }
    colliders[1].size[0] = 0.25f;
    for (int k = 0; k < 3; ++k) {
        colliders[2].size[k] = 0.25f;
        colliders[3].size[k] = 0.5f;
    }
    colliders[4].plane_count = 4;
    static const float planes[4][4] = {{0.6f, 0.8f, 0, 1}, {-1, 0, 0, 1}, {0, -1, 0, 1}, {0, 0.6f, 0.8f, 1}};
    hem_mesh meshes[2] = {
        {.name_offset = string_offset("node/mesh/0"),
         .vertex_begin = 0,
         .vertex_count = 8,
         .index_begin = 0,
         .index_count = 6,
         .flags = HEM_MESH_DYNAMIC},
        {.name_offset = string_offset("node/mesh/1"),
         .vertex_begin = 8,
         .vertex_count = 3,
         .index_begin = 6,
         .index_count = 3,
         .source_primitive = 1},
    };
    static hem_vertex_rest vertex_rest[VERTICES];
    static hem_vertex_bind vertex_bind[VERTICES];
    memset(vertex_rest, 0, sizeof vertex_rest);
    memset(vertex_bind, 0, sizeof vertex_bind);
    for (uint32_t i = 0; i < VERTICES; ++i) {
        vertex_rest[i].position[0] = (float)i;
        vertex_rest[i].normal[2] = 1;
        if (i % 2 == 0) {
            vertex_rest[i].tangent[0] = 1;
            vertex_rest[i].tangent[3] = -1;
        }
        vertex_bind[i].bone[1] = 1;
        vertex_bind[i].bone_weight[0] = 40000;
        vertex_bind[i].bone_weight[1] = 25535;
        if (i < 8) {
            vertex_bind[i].particle[0] = 32;
            vertex_bind[i].particle[1] = 33;
            vertex_bind[i].particle_weight[0] = 60000;
            vertex_bind[i].particle_weight[1] = 5535;
            vertex_bind[i].blend = i == 3 ? 1000 : 65535;
        } else {
            vertex_bind[i].particle_weight[0] = 65535;
        }
    }
    static const uint8_t blocks[2] = {HEM_BLOCK_MIXED, HEM_BLOCK_BONES};
    static const uint32_t indices[9] = {0, 1, 2, 5, 6, 7, 8, 9, 10};
    static uint8_t colors[VERTICES][4];
    hem_clip clips[2] = {
        {.name_offset = string_offset("walk"), .frame_begin = 0, .frame_count = 2, .hz = 30, .flags = HEM_CLIP_LOOPS},
        {.name_offset = string_offset("still"), .frame_begin = 2, .frame_count = 1, .hz = 30},
    };
    static float matrices[3 * BONES][12];
    for (int i = 0; i < 3 * BONES; ++i) {
        memcpy(matrices[i], bones[0].inverse_bind, sizeof matrices[i]);
    }

    builder b = {0};
    hem_map_row maps[ROWS];
    for (uint32_t row = 0; row < ROWS; ++row) {
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            maps[row].friction[lane] = 0.5f;
            maps[row].drag[lane] = 1.0f;
            maps[row].damping[lane] = 0.0f;
            maps[row].contact[lane] = 0.25f;
        }
    }
    hem_hair_row hair[ROWS] = {0};
    for (uint32_t row = 0; row < ROWS; ++row) {
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            hair[row].guide[lane] = -1;
        }
    }
    hair[0].guide[0] = 0;
    hair[0].guide[1] = 1;
    hair[0].uncrowd[0] = hair[0].uncrowd[1] = 1;
    parts[0].fullness = 5;
    parts[0].fullness_reach = 0.1f;
    add(&b, HEM_SECTION_INFO, &info, sizeof info, 1);
    add(&b, HEM_SECTION_STRINGS, strings, 1, sizeof strings);
    add(&b, HEM_SECTION_PARTS, parts, sizeof parts[0], 3);
    add(&b, HEM_SECTION_TUNING, tuning, sizeof tuning[0], 3);
    add(&b, HEM_SECTION_BONES, bones, sizeof bones[0], BONES);
    add(&b, HEM_SECTION_REST_ROWS, rest, sizeof rest[0], ROWS);
    add(&b, HEM_SECTION_SHAPE_ROWS, shape, sizeof shape[0], ROWS);
    add(&b, HEM_SECTION_BIND_ROWS, bind, sizeof bind[0], ROWS);
    add(&b, HEM_SECTION_PARTICLE_FLAGS, flags, sizeof flags[0], PARTICLES);
    add(&b, HEM_SECTION_ANIM_ROWS, anim, sizeof anim[0], 3);
    add(&b, HEM_SECTION_LIMIT_ROWS, &limit, sizeof limit, 1);
    add(&b, HEM_SECTION_LINK_BATCHES, links, sizeof links[0], 5);
    add(&b, HEM_SECTION_INDEX_BATCHES, &indexed, sizeof indexed, 1);
    add(&b, HEM_SECTION_GROUP_BATCHES, groups, sizeof groups[0], 2);
    add(&b, HEM_SECTION_GROUP_MEMBERS, &member, sizeof member, 1);
    add(&b, HEM_SECTION_GROUP_INDICES, group_indices, sizeof group_indices[0], 2);
    add(&b, HEM_SECTION_FRAME_ROWS, frames, sizeof frames[0], ROWS - ORIENTED_ROWS);
    add(&b, HEM_SECTION_IGNORE_STARTS, ignore_starts, sizeof ignore_starts[0], PARTICLES + 1);
    add(&b, HEM_SECTION_IGNORE_LIST, ignore_list, sizeof ignore_list[0], 6);
    add(&b, HEM_SECTION_COLLIDERS, colliders, sizeof colliders[0], 5);
    add(&b, HEM_SECTION_HULL_PLANES, planes, sizeof planes[0], 4);
    add(&b, HEM_SECTION_MESHES, meshes, sizeof meshes[0], 2);
    add(&b, HEM_SECTION_VERTEX_REST, vertex_rest, sizeof vertex_rest[0], VERTICES);
    add(&b, HEM_SECTION_VERTEX_BIND, vertex_bind, sizeof vertex_bind[0], VERTICES);
    add(&b, HEM_SECTION_VERTEX_BLOCKS, blocks, 1, 2);
    add(&b, HEM_SECTION_RANGES, ranges, sizeof ranges[0], 8);
    add(&b, HEM_SECTION_ROW_BATCHES, row_batches, sizeof row_batches[0], 5);
    add(&b, HEM_SECTION_ROW_INDICES, row_indices, sizeof row_indices[0], 10);
    add(&b, HEM_SECTION_SPRINGS, springs, sizeof springs[0], 2);
    add(&b, HEM_SECTION_TRIANGLES, &triangle, sizeof triangle, 1);
    add(&b, HEM_SECTION_BENDS, &bend, sizeof bend, 1);
    add(&b, HEM_SECTION_DIHEDRALS, &dihedral, sizeof dihedral, 1);
    add(&b, HEM_SECTION_MAP_ROWS, maps, sizeof maps[0], ROWS);
    add(&b, HEM_SECTION_BONE_SPACES, matrices, sizeof matrices[0], BONES);
    add(&b, HEM_SECTION_HAIR_ROWS, hair, sizeof hair[0], ROWS);
    add(&b, HEM_SECTION_GROUP_REST_ROWS, rest, sizeof rest[0], ORIENTED_ROWS);
    add(&b, HEM_SECTION_PREVIEW_INDICES, indices, sizeof indices[0], 9);
    add(&b, HEM_SECTION_PREVIEW_COLORS, colors, sizeof colors[0], VERTICES);
    add(&b, HEM_SECTION_PREVIEW_CLIPS, clips, sizeof clips[0], 2);
    add(&b, HEM_SECTION_PREVIEW_FRAMES, matrices, sizeof matrices[0], 3 * BONES);

    uint64_t end = sizeof(hem_header) + b.count * sizeof(hem_section);
    for (uint32_t i = 0; i < b.count; ++i) {
        b.table[i].offset = (end + 63) / 64 * 64;
        end = b.table[i].offset + b.table[i].size;
    }
    hem_header header = {.version = HEM_FORMAT_VERSION,
                         .header_size = sizeof header,
                         .section_count = b.count,
                         .file_size = (end + 63) / 64 * 64,
                         .flags = HEM_FILE_PREVIEW,
                         .tool = "by hand"};
    memcpy(header.magic, HEM_MAGIC, sizeof header.magic);
    fixture whole = {.size = (size_t)header.file_size};
    whole.bytes = calloc(1, whole.size);
    memcpy(whole.bytes, &header, sizeof header);
    memcpy(whole.bytes + sizeof header, b.table, b.count * sizeof(hem_section));
    for (uint32_t i = 0; i < b.count; ++i) {
        memcpy(whole.bytes + b.table[i].offset, b.contents[i], (size_t)b.table[i].size);
    }
    fixture f = fixture_copy(&whole, whole.size);
    free(whole.bytes);
    return f;
}

// aligned_alloc wants a multiple of the alignment; the bytes sit at the end of whole ones, so that AddressSanitizer sees
// a read past them, whenever `size` itself is such a multiple, as that of every file is. Shorter copies keep a tail that
// is filled with what no file holds.
fixture fixture_copy(const fixture* from, size_t size) {
    const size_t room = (size / HEM_ALIGNMENT + (size % HEM_ALIGNMENT != 0 || size == 0)) * HEM_ALIGNMENT;
    fixture f = {.size = size, .block = aligned_alloc(HEM_ALIGNMENT, room)};
    f.bytes = f.block;
    memset(f.bytes, 0xee, room);
    if (size != 0) {
        memcpy(f.bytes, from->bytes, size);
    }
    return f;
}

void fixture_free(fixture* f) {
    free(f->block);
    memset(f, 0, sizeof *f);
}

hem_section* fixture_entry(const fixture* f, uint32_t kind) {
    hem_section* table = (hem_section*)(void*)(f->bytes + sizeof(hem_header));
    for (uint32_t i = 0; i < ((const hem_header*)(const void*)f->bytes)->section_count; ++i) {
        if (table[i].kind == kind) {
            return &table[i];
        }
    }
    return NULL;
}

void* fixture_section(const fixture* f, uint32_t kind) {
    const hem_section* entry = fixture_entry(f, kind);
    return entry != NULL ? f->bytes + entry->offset : NULL;
}

fixture fixture_with(fixture f, uint32_t kind, uint32_t element_size, uint32_t count, const void* bytes) {
    hem_header header = *(const hem_header*)(const void*)f.bytes;
    const hem_section* old = (const hem_section*)(const void*)(f.bytes + sizeof header);
    hem_section table[64];
    const uint8_t* contents[64];
    uint64_t kept[64]; // bytes of what was there; behind them zeros
    uint32_t sections = 0;
    const hem_section added = {
        .kind = kind, .element_size = element_size, .element_count = count, .size = (uint64_t)element_size * count};
    for (uint32_t i = 0; i <= header.section_count; ++i) {
        const uint32_t last = sections != 0 ? table[sections - 1].kind : 0;
        const int ends = i == header.section_count;
        if (bytes != NULL && count != 0 && last < kind && (ends || old[i].kind >= kind)) {
            table[sections] = added;
            contents[sections] = bytes;
            kept[sections++] = added.size;
        }
        if (ends || (old[i].kind == kind && (bytes != NULL || count == 0))) {
            continue;
        }
        table[sections] = old[i];
        contents[sections] = f.bytes + old[i].offset;
        if (old[i].kind == kind) {
            table[sections].element_count = count;
            table[sections].size = (uint64_t)old[i].element_size * count;
        }
        kept[sections] = old[i].size < table[sections].size ? old[i].size : table[sections].size;
        ++sections;
    }
    uint64_t end = sizeof header + sections * sizeof(hem_section);
    for (uint32_t i = 0; i < sections; ++i) {
        table[i].offset = (end + 63) / 64 * 64;
        end = table[i].offset + table[i].size;
    }
    header.section_count = sections;
    header.file_size = (end + 63) / 64 * 64;
    fixture whole = {.size = (size_t)header.file_size};
    whole.bytes = calloc(1, whole.size);
    memcpy(whole.bytes, &header, sizeof header);
    memcpy(whole.bytes + sizeof header, table, sections * sizeof(hem_section));
    for (uint32_t i = 0; i < sections; ++i) {
        memcpy(whole.bytes + table[i].offset, contents[i], (size_t)kept[i]);
    }
    fixture made = fixture_copy(&whole, whole.size);
    free(whole.bytes);
    fixture_free(&f);
    return made;
}

void fixture_set(const fixture* f, const fixture_edit* edit) {
    uint8_t* at = f->bytes;
    if (edit->section != 0) {
        const hem_section* entry = fixture_entry(f, edit->section);
        at = f->bytes + entry->offset + (size_t)edit->element * entry->element_size;
    }
    at += edit->offset;
    const uint64_t bits = edit->value < 0 ? UINT64_MAX : (uint64_t)edit->value;
    const uint32_t nan = 0x7fc00000u;
    const float number = edit->value > 1e30 ? 0 : (float)edit->value;
    switch (edit->type) {
    case U8:
        memcpy(at, &bits, 1);
        break;
    case U16:
        memcpy(at, &bits, 2);
        break;
    case U32:
        memcpy(at, &bits, 4);
        break;
    case U64:
        memcpy(at, &bits, 8);
        break;
    case F32:
        memcpy(at, edit->value == NAN_VALUE ? (const void*)&nan : (const void*)&number, 4);
        break;
    }
}

// -- Strands, drives, areas

static fixture with_rods(fixture f) {
    // Lane 0 of the indexed rods goes over three particles, lane 1 over two.
    hem_group_member members[4] = {
        {.row = 0, .lane_mask = 0x7f},
        {.row = 1, .lane_mask = 0x7f},
        {.row = 0, .lane_mask = 0x3f},
        {.row = 1, .rotate = 1, .lane_mask = 0x3f},
    };
    static const uint16_t lane_particles[3][2] = {{0, 3}, {1, 4}, {2, 4}};
    hem_group_index indices[13];
    hem_rod rods[5];
    hem_chain chains[2];
    memset(indices, 0, sizeof indices);
    memset(rods, 0, sizeof rods);
    memset(chains, 0, sizeof chains);
    for (int k = 0; k < 3; ++k) {
        indices[k].lane_mask = k < 2 ? 0x03 : 0x01;
        indices[k].index[0] = lane_particles[k][0];
        indices[k].index[1] = lane_particles[k][1];
    }
    memcpy(indices + 3, fixture_section(&f, HEM_SECTION_ROW_INDICES), 10 * sizeof indices[0]);
    for (int k = 0; k < 5; ++k) {
        for (int lane = 0; lane < HEM_LANES; ++lane) {
            const bool in_rows = k < 2, member = in_rows ? lane < 7 : lane < (k == 4 ? 1 : 2);
            const bool joined = in_rows ? k == 0 && lane < 7 : k < 4 && lane < (k == 3 ? 1 : 2);
            rods[k].edge[1][lane] = joined ? -0.5f : 0;
            rods[k].turn[0][lane] = joined ? 0.25f : 0;
            rods[k].stretch[lane] = joined ? 1000 : 0;
            rods[k].bend[lane] = joined ? 0.01f : 0;
            rods[k].twist[lane] = joined ? 0.02f : 0;
            rods[k].inertia[lane] = member ? 1e-6f : 1;
        }
    }
    for (int lane = 0; lane < 6; ++lane) {
        chains[0].rest[lane] = 0.5f;
    }
    hem_row_batch batches[8] = {
        {.kind = HEM_KIND_ROD, .part = 0, .lane_mask = 0x7f, .form = HEM_FORM_STRANDS, .member_count = 2},
        {.kind = HEM_KIND_ROD, .lane_mask = 0x03, .form = HEM_FORM_INDICES, .member_count = 3, .payload = 2},
        {.kind = HEM_KIND_CHAIN, .lane_mask = 0x3f, .form = HEM_FORM_STRANDS, .member_begin = 2, .member_count = 2},
    };
    memcpy(batches + 3, fixture_section(&f, HEM_SECTION_ROW_BATCHES), 5 * sizeof batches[0]);
    for (int i = 3; i < 8; ++i) {
        batches[i].member_begin += batches[i].form == HEM_FORM_INDICES ? 3 : 0;
    }
    f = fixture_with(f, HEM_SECTION_ROW_BATCHES, sizeof batches[0], 8, batches);
    f = fixture_with(f, HEM_SECTION_ROW_MEMBERS, sizeof members[0], 4, members);
    f = fixture_with(f, HEM_SECTION_ROW_INDICES, sizeof indices[0], 13, indices);
    f = fixture_with(f, HEM_SECTION_RODS, sizeof rods[0], 5, rods);
    return fixture_with(f, HEM_SECTION_CHAINS, sizeof chains[0], 2, chains);
}

fixture fixture_make_strands(void) {
    fixture f = with_rods(fixture_make());
    hem_range ranges[11] = {
        {0, HEM_BATCH_DRIVES, 0, 2}, {0, HEM_BATCH_LINKS, 0, 1},  {0, HEM_BATCH_GROUPS, 0, 2},
        {0, HEM_BATCH_RODS, 0, 2},   {0, HEM_BATCH_CHAINS, 2, 1},
    };
    memcpy(ranges + 5, (hem_range*)fixture_section(&f, HEM_SECTION_RANGES) + 2, 6 * sizeof ranges[0]);
    for (int i = 5; i < 9; ++i) { // those in row batches, which the strands have moved on
        ranges[i].begin += 3;
    }
    f = fixture_with(f, HEM_SECTION_RANGES, sizeof ranges[0], 11, ranges);
    hem_part* parts = fixture_section(&f, HEM_SECTION_PARTS);
    parts[0].range_count = 5;
    parts[1].range_begin = parts[2].range_begin = 5;

    hem_anim_row anim[5] = {{.row = 0, .target_mask = 0xff}, {.row = 1, .target_mask = 0x7f}};
    memcpy(anim + 2, fixture_section(&f, HEM_SECTION_ANIM_ROWS), 3 * sizeof anim[0]);
    hem_drive_row drives[2] = {{.row = 0, .anim_row = 0}, {.row = 1, .anim_row = 1}};
    hem_area_row areas[ROWS];
    for (int lane = 0; lane < HEM_LANES; ++lane) {
        drives[0].share[lane] = 1;
        drives[1].share[lane] = lane < 7 ? 0.5f : 0;
        for (int row = 0; row < ROWS; ++row) {
            areas[row].area[lane] = real_lanes[row] >> lane & 1 ? 0.0625f : 0;
        }
    }
    f = fixture_with(f, HEM_SECTION_ANIM_ROWS, sizeof anim[0], 5, anim);
    f = fixture_with(f, HEM_SECTION_DRIVE_ROWS, sizeof drives[0], 2, drives);
    f = fixture_with(f, HEM_SECTION_AREA_ROWS, sizeof areas[0], ROWS, areas);
    ((hem_limit_row*)fixture_section(&f, HEM_SECTION_LIMIT_ROWS))->anim_row = 4;

    hem_info* info = fixture_section(&f, HEM_SECTION_INFO);
    info->row_constraint_count += 7 + 2 + 6;
    const float constraints = (float)(info->link_count + info->group_count + info->row_constraint_count);
    info->lane_fill = constraints / 128.0f;
    info->indexed_share = 11.0f / constraints;
    return f;
}
