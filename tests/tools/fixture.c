// SPDX-License-Identifier: MIT
#include "tests/tools/fixture.h"
#include "formats/hem_format.h"
#include "platform/file.h"
#include "tools/bytes.h"

#include <xxhash.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS = FIXTURE_SIDE + 1,
    PARTICLES = ROWS * HEM_LANES,
    CLOTH_VERTICES = 64,
    VERTICES = CLOTH_VERTICES + 8,
    BONES = 2
};

static const char STRINGS[] = "\0post\0curtain\0root\0rod\0node/curtain/0\0node/post/0\0swing\0turn";
enum {
    NAME_POST = 1,
    NAME_CURTAIN = 6,
    NAME_ROOT = 14,
    NAME_ROD = 19,
    NAME_CLOTH_MESH = 23,
    NAME_POST_MESH = 38,
    NAME_SWING = 50,
    NAME_TURN = 56
};

typedef struct builder {
    bytes content[HEM_SECTION_PREVIEW_FRAMES + 1];
    uint32_t element_size[HEM_SECTION_PREVIEW_FRAMES + 1];
} builder;

static void put(builder* b, uint32_t kind, const void* data, size_t element_size, size_t count) {
    b->element_size[kind] = (uint32_t)element_size;
    bytes_append(&b->content[kind], data, element_size * count);
}

static void particle_place(uint32_t particle, float p[3]) {
    uint32_t row = particle / HEM_LANES, lane = particle % HEM_LANES;
    if (row == 0) { // the post
        p[0] = 0.0f, p[1] = 0.2f + 0.1f * (float)lane, p[2] = -0.15f;
    } else {
        p[0] = ((float)row - 4.5f) * FIXTURE_SPACING, p[1] = FIXTURE_TOP - (float)lane * FIXTURE_SPACING, p[2] = 0.0f;
    }
}

static void put_particles(builder* b) {
    uint32_t flags[PARTICLES];
    for (uint32_t row = 0; row < ROWS; row++) {
        hem_rest_row rest;
        hem_shape_row shape;
        hem_bind_row bind;
        memset(&rest, 0, sizeof(rest));
        memset(&shape, 0, sizeof(shape));
        memset(&bind, 0, sizeof(bind));
        for (uint32_t lane = 0; lane < HEM_LANES; lane++) {
            float p[3];
            particle_place(row * HEM_LANES + lane, p);
            rest.x[lane] = p[0], rest.y[lane] = p[1], rest.z[lane] = p[2];
            rest.mass[lane] = 0.01f;
            bool body = row == 0, attached = !body && lane == 0;
            // The outward axis (+x of the particle) points to +z.
            shape.qy[lane] = -0.70710678f, shape.qw[lane] = 0.70710678f;
            shape.a[lane] = body ? 0.04f : 0.0125f;
            shape.b[lane] = shape.c[lane] = body ? 0.06f : 0.025f;
            shape.inverse_mass[lane] = body || attached ? 0.0f : 100.0f;
            bind.bone[0][lane] = body ? 0 : 1;
            bind.weight[0][lane] = 1.0f;
            uint32_t role = body       ? HEM_PARTICLE_ANIMATED | HEM_PARTICLE_BODY | HEM_PARTICLE_SURFACE
                            : attached ? HEM_PARTICLE_ANIMATED
                                       : 0;
            flags[row * HEM_LANES + lane] = role | HEM_PARTICLE_COLLIDES | (body ? 0u : 1u << HEM_PARTICLE_PART_SHIFT);
        }
        put(b, HEM_SECTION_REST_ROWS, &rest, sizeof(rest), 1);
        put(b, HEM_SECTION_SHAPE_ROWS, &shape, sizeof(shape), 1);
        put(b, HEM_SECTION_BIND_ROWS, &bind, sizeof(bind), 1);
        hem_anim_row anim = {row, row == 0 ? 0xffu : 1u, row == 0 ? 0xffu : 1u, 0};
        put(b, HEM_SECTION_ANIM_ROWS, &anim, sizeof(anim), 1);
    }
    put(b, HEM_SECTION_PARTICLE_FLAGS, flags, sizeof(uint32_t), PARTICLES);
    for (uint32_t row = 1; row < ROWS; row++) {
        hem_frame_row frame;
        memset(&frame, 0, sizeof(frame));
        for (uint32_t lane = 0; lane < HEM_LANES; lane++) {
            uint32_t left = row > 1 ? row - 1 : row, right = row + 1 < ROWS ? row + 1 : row;
            frame.u0[lane] = (uint16_t)(left * HEM_LANES + lane);
            frame.u1[lane] = (uint16_t)(right * HEM_LANES + lane);
            frame.v0[lane] = (uint16_t)(row * HEM_LANES + (lane < 7 ? lane + 1 : lane));
            frame.v1[lane] = (uint16_t)(row * HEM_LANES + (lane > 0 ? lane - 1 : lane));
            frame.qw[lane] = 1.0f; // u along +x, v along +y
        }
        put(b, HEM_SECTION_FRAME_ROWS, &frame, sizeof(frame), 1);
    }
}

// Weft between neighbouring rows, all levels but the attached one; warp within a row by index, even and odd pairs apart.
static uint32_t put_links(builder* b) {
    uint32_t count = 0;
    for (uint32_t row = 1; row + 1 < ROWS; row++) {
        hem_link_batch batch;
        memset(&batch, 0, sizeof(batch));
        batch.row_a = row, batch.row_b = row + 1;
        batch.kind = HEM_LINK_WEFT, batch.part = 1, batch.lane_mask = 0xfe;
        for (uint32_t lane = 0; lane < HEM_LANES; lane++) {
            batch.rest[lane] = lane > 0 ? FIXTURE_SPACING : -1.0f;
            batch.scale[lane] = 255;
        }
        put(b, HEM_SECTION_LINK_BATCHES, &batch, sizeof(batch), 1);
        count += 7;
    }
    for (uint32_t odd = 0; odd < 2; odd++) {
        for (uint32_t row = 1; row < ROWS; row += 2) {
            hem_index_batch batch;
            memset(&batch, 0, sizeof(batch));
            batch.kind = HEM_LINK_WARP, batch.part = 1;
            for (uint32_t lane = 0; lane < HEM_LANES; lane++) {
                uint32_t column = row + lane / 4, level = 2 * (lane % 4) + odd;
                bool on = level + 1 < HEM_LANES;
                batch.a[lane] = (uint16_t)(column * HEM_LANES + level);
                batch.b[lane] = (uint16_t)(batch.a[lane] + (on ? 1 : 0));
                batch.rest[lane] = on ? FIXTURE_SPACING : -1.0f;
                batch.scale[lane] = 255;
                batch.lane_mask |= (uint8_t)(on ? 1u << lane : 0u);
                count += on;
            }
            put(b, HEM_SECTION_INDEX_BATCHES, &batch, sizeof(batch), 1);
        }
    }
    return count;
}

static void put_parts(builder* b) {
    hem_part parts[2];
    hem_tuning tuning[2];
    memset(parts, 0, sizeof(parts));
    memset(tuning, 0, sizeof(tuning));
    parts[0] = (hem_part){.name_offset = NAME_POST,
                          .kind = HEM_PART_BODY,
                          .row_count = 1,
                          .collision_group = 1,
                          .collision_mask = 2,
                          .spacing = 0.1f};
    parts[1] = (hem_part){.name_offset = NAME_CURTAIN,
                          .kind = HEM_PART_CLOTH,
                          .row_begin = 1,
                          .row_count = 8,
                          .range_count = 2,
                          .collision_group = 2,
                          .collision_mask = 1,
                          .level_count = 8,
                          .spacing = FIXTURE_SPACING};
    for (int32_t i = 0; i < 2; i++) {
        for (int32_t k = 0; k < 8; k++) {
            tuning[i].stiffness[k] = 1.0f;
        }
        tuning[i].shape_stiffness = 1.0f;
        tuning[i].gravity_scale = 1.0f;
        tuning[i].damping = 0.5f;
        tuning[i].friction = 0.3f;
        tuning[i].max_speed = 30.0f;
        tuning[i].linear_inertia = tuning[i].angular_inertia = 1.0f;
        tuning[i].iterations = 2;
    }
    static const hem_range ranges[2] = {{1, HEM_BATCH_LINKS, 0, 7}, {1, HEM_BATCH_INDEXED_LINKS, 0, 8}};
    put(b, HEM_SECTION_RANGES, ranges, sizeof(hem_range), 2);
    put(b, HEM_SECTION_PARTS, parts, sizeof(hem_part), 2);
    put(b, HEM_SECTION_TUNING, tuning, sizeof(hem_tuning), 2);
}

// Cloth vertices sit on the particles of the curtain; eight more on the post follow the skeleton.
static void put_mesh(builder* b) {
    hem_vertex_rest rest[VERTICES];
    hem_vertex_bind bind[VERTICES];
    uint8_t blocks[VERTICES / 8];
    memset(rest, 0, sizeof(rest));
    memset(bind, 0, sizeof(bind));
    for (uint32_t i = 0; i < VERTICES; i++) {
        bool cloth = i < CLOTH_VERTICES;
        if (cloth) {
            particle_place(i + HEM_LANES, rest[i].position);
        } else {
            uint32_t k = i - CLOTH_VERTICES;
            rest[i].position[0] = k & 1 ? 0.03f : -0.03f;
            rest[i].position[1] = k & 2 ? 0.9f : 0.2f;
            rest[i].position[2] = k & 4 ? -0.12f : -0.18f;
        }
        rest[i].normal[2] = 1.0f;
        bind[i].particle[0] = (uint16_t)(cloth ? i + HEM_LANES : 0);
        bind[i].particle_weight[0] = 65535;
        bind[i].bone[0] = cloth ? 1 : 0;
        bind[i].bone_weight[0] = 65535;
        bind[i].blend = cloth ? 65535 : 0;
        blocks[i / 8] = cloth ? HEM_BLOCK_PARTICLES : HEM_BLOCK_BONES;
    }
    hem_mesh meshes[2];
    memset(meshes, 0, sizeof(meshes));
    meshes[0] = (hem_mesh){.name_offset = NAME_CLOTH_MESH, .vertex_count = CLOTH_VERTICES, .flags = HEM_MESH_DYNAMIC};
    meshes[1] = (hem_mesh){.name_offset = NAME_POST_MESH, .vertex_begin = CLOTH_VERTICES, .vertex_count = 8};
    if (b->content[HEM_SECTION_PREVIEW_INDICES].size > 0) {
        meshes[0].index_count = 7 * 7 * 6;
        meshes[1].index_begin = 7 * 7 * 6;
        meshes[1].index_count = 36;
    }
    put(b, HEM_SECTION_MESHES, meshes, sizeof(hem_mesh), 2);
    put(b, HEM_SECTION_VERTEX_REST, rest, sizeof(hem_vertex_rest), VERTICES);
    put(b, HEM_SECTION_VERTEX_BIND, bind, sizeof(hem_vertex_bind), VERTICES);
    put(b, HEM_SECTION_VERTEX_BLOCKS, blocks, 1, VERTICES / 8);
}

// A turn by `angle` about the vertical axis through (0, y, 0), after a shift along x.
static void make_frame(float matrix[12], double angle, float shift) {
    float c = (float)cos(angle), s = (float)sin(angle);
    const float m[12] = {c, 0.0f, s, shift, 0.0f, 1.0f, 0.0f, 0.0f, -s, 0.0f, c, 0.0f};
    memcpy(matrix, m, sizeof(m));
}

static void put_preview(builder* b) {
    for (uint32_t column = 0; column < 7; column++) {
        for (uint32_t level = 0; level < 7; level++) {
            uint32_t a = column * 8 + level;
            const uint32_t quad[6] = {a, a + 1, a + 8, a + 8, a + 1, a + 9};
            put(b, HEM_SECTION_PREVIEW_INDICES, quad, sizeof(uint32_t), 6);
        }
    }
    static const uint32_t box[36] = {0, 1, 3, 0, 3, 2, 4, 7, 5, 4, 6, 7, 0, 5, 1, 0, 4, 5,
                                     2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    for (int32_t i = 0; i < 36; i++) {
        uint32_t index = box[i] + CLOTH_VERTICES;
        put(b, HEM_SECTION_PREVIEW_INDICES, &index, sizeof(uint32_t), 1);
    }
    for (int32_t i = 0; i < VERTICES; i++) {
        const uint8_t colour[4] = {(uint8_t)(i < CLOTH_VERTICES ? 190 : 120), (uint8_t)(i < CLOTH_VERTICES ? 60 : 110),
                                   70, 255};
        put(b, HEM_SECTION_PREVIEW_COLORS, colour, 4, 1);
    }
    hem_clip clips[2];
    memset(clips, 0, sizeof(clips));
    clips[0] = (hem_clip){
        .name_offset = NAME_SWING, .frame_count = FIXTURE_SWING_FRAMES, .hz = 30.0f, .flags = HEM_CLIP_LOOPS};
    clips[1] = (hem_clip){
        .name_offset = NAME_TURN, .frame_begin = FIXTURE_SWING_FRAMES, .frame_count = FIXTURE_TURN_FRAMES, .hz = 10.0f};
    put(b, HEM_SECTION_PREVIEW_CLIPS, clips, sizeof(hem_clip), 2);
    for (int32_t i = 0; i < FIXTURE_SWING_FRAMES + FIXTURE_TURN_FRAMES; i++) {
        float matrices[BONES][12];
        make_frame(matrices[0], 0.0, 0.0f);
        if (i < FIXTURE_SWING_FRAMES) {
            make_frame(matrices[1], 0.0, (float)(0.2 * sin(6.283185307179586 * i / (FIXTURE_SWING_FRAMES - 1))));
        } else {
            make_frame(matrices[1], 6.283185307179586 * (i - FIXTURE_SWING_FRAMES) / (FIXTURE_TURN_FRAMES - 1), 0.0f);
        }
        put(b, HEM_SECTION_PREVIEW_FRAMES, matrices, sizeof(matrices[0]), BONES);
    }
}

static size_t align64(size_t x) {
    return (x + 63) & ~(size_t)63;
}

size_t fixture_make(uint8_t** result, bool preview) {
    builder* b = calloc(1, sizeof(builder));
    put(b, HEM_SECTION_STRINGS, STRINGS, 1, sizeof(STRINGS));
    put_parts(b);
    hem_bone bones[BONES];
    memset(bones, 0, sizeof(bones));
    for (int32_t i = 0; i < BONES; i++) {
        bones[i].name_offset = i == 0 ? NAME_ROOT : NAME_ROD;
        bones[i].parent = i - 1;
        bones[i].inverse_bind[0] = bones[i].inverse_bind[5] = bones[i].inverse_bind[10] = 1.0f;
        bones[i].inverse_bind[7] = i == 0 ? 0.0f : -FIXTURE_TOP; // the rod's joint is at the top of the curtain
    }
    put(b, HEM_SECTION_BONES, bones, sizeof(hem_bone), BONES);
    put_particles(b);
    uint32_t link_count = put_links(b);
    const uint32_t starts[PARTICLES + 1] = {0};
    put(b, HEM_SECTION_IGNORE_STARTS, starts, sizeof(uint32_t), PARTICLES + 1);
    if (preview) {
        put_preview(b);
    }
    put_mesh(b);
    hem_info info;
    memset(&info, 0, sizeof(info));
    info.row_count = ROWS, info.particle_count = PARTICLES, info.real_particle_count = PARTICLES;
    info.oriented_row_count = 1;
    info.body_count = 8, info.attached_count = 8, info.simulated_count = 56;
    info.part_count = 2, info.bone_count = BONES, info.vertex_count = VERTICES, info.mesh_count = 2;
    info.link_count = link_count;
    info.lane_fill = (float)link_count / (15.0f * 8.0f);
    info.indexed_share = 56.0f / (float)link_count;
    info.particle_radius = 0.06f;
    info.spacing = FIXTURE_SPACING;
    for (int32_t k = 0; k < 3; k++) {
        info.bounds_min[k] = 1e9f, info.bounds_max[k] = -1e9f;
        for (uint32_t i = 0; i < PARTICLES; i++) {
            float p[3];
            particle_place(i, p);
            info.bounds_min[k] = p[k] < info.bounds_min[k] ? p[k] : info.bounds_min[k];
            info.bounds_max[k] = p[k] > info.bounds_max[k] ? p[k] : info.bounds_max[k];
        }
    }
    put(b, HEM_SECTION_INFO, &info, sizeof(info), 1);

    uint32_t section_count = 0;
    for (uint32_t kind = 0; kind <= HEM_SECTION_PREVIEW_FRAMES; kind++) {
        section_count += b->content[kind].size > 0;
    }
    size_t size = sizeof(hem_header) + section_count * sizeof(hem_section);
    for (uint32_t kind = 0; kind <= HEM_SECTION_PREVIEW_FRAMES; kind++) {
        size = b->content[kind].size > 0 ? align64(size) + b->content[kind].size : size;
    }
    size = align64(size);
    uint8_t* data = calloc(1, size);
    hem_section* section = (hem_section*)(data + sizeof(hem_header));
    size_t at = sizeof(hem_header) + section_count * sizeof(hem_section);
    for (uint32_t kind = 0; kind <= HEM_SECTION_PREVIEW_FRAMES; kind++) {
        const bytes* content = &b->content[kind];
        if (content->size > 0) {
            at = align64(at);
            *section++ = (hem_section){
                kind, b->element_size[kind], at, content->size, (uint32_t)(content->size / b->element_size[kind]), 0};
            memcpy(data + at, content->data, content->size);
            at += content->size;
        }
        bytes_destroy(&b->content[kind]);
    }
    free(b);
    hem_header* header = (hem_header*)data;
    memcpy(header->magic, HEM_MAGIC, 8);
    header->version = HEM_FORMAT_VERSION;
    header->header_size = sizeof(hem_header);
    header->file_size = size;
    header->section_count = section_count;
    header->flags = preview ? HEM_FILE_PREVIEW : 0;
    memcpy(header->tool, "fixture", 7);
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits(data + sizeof(hem_header), size - sizeof(hem_header)));
    memcpy(header->content_hash, hash.digest, 16);
    *result = data;
    return size;
}

bool fixture_write(char* path, size_t path_size, const uint8_t* data, size_t size, const char* extension) {
    if (!hem_file_temp_name(path, path_size - 8, "hem_fixture")) {
        return false;
    }
    strcat(path, extension);
    return hem_file_write(path, data, size, 0, NULL);
}
