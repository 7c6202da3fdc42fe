// SPDX-License-Identifier: MIT
#include "formats/hem_trimesh_validate.h"
#include "tests/formats/trimesh_walk.h"

#include "greatest.h"

#include <stdlib.h>
#include <string.h>

// A .hemmesh damaged in every way: nothing is read out of bounds, and what is accepted can be used.

static volatile float sink;

// Every bit of a height field: refused by name, or harmless. Hashes, the tool's name, and heights between the lowest and the
// highest may differ unseen.
TEST every_bit_flip_of_a_field_is_refused_or_harmless(void) {
    mesh_file m = field_file_make();
    hem_trimesh_view view;
    hem_trimesh_fault_place fault;
    size_t accepted = 0;
    ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(m.bytes, m.size, &view, &fault));
    ASSERT_EQ(7u, view.header->columns);
    ASSERT_EQ(48u - 6u, view.header->triangle_count);
    ASSERT_EQ(2u, view.level_count);
    for (size_t bit = 0; bit < m.size * 8; ++bit) {
        m.bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        const size_t at = bit / 8;
        if (hem_trimesh_validate(m.bytes, m.size, &view, &fault) == HEM_TRIMESH_OK) {
            sink = walk_mesh(&view);
            ++accepted;
            const int hashes =
                at >= offsetof(hem_trimesh_header, content_hash) && at < offsetof(hem_trimesh_header, vertex_count);
            const int two_sided = at == offsetof(hem_trimesh_header, flags);
            const int zero = at / 4 == offsetof(hem_trimesh_header, low) / 4 ||
                             at / 4 == offsetof(hem_trimesh_header, low) / 4 + 1 ||
                             at / 4 == offsetof(hem_trimesh_header, low) / 4 + 2; // 0 and -0
            const int height = at >= 192 && at < 192 + 35 * 4;
            ASSERT(hashes || two_sided || zero || height);
        } else {
            ASSERT(fault.field != NULL && view.header == NULL);
        }
        m.bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    ASSERT(accepted > 100);
    for (size_t size = 0; size < m.size; ++size) {
        uint8_t* part = aligned_alloc(64, (size + 64) / 64 * 64);
        memcpy(part, m.bytes, size);
        ASSERT_EQ(HEM_TRIMESH_TOO_SHORT, hem_trimesh_validate(part, size, &view, NULL));
        free(part);
    }
    const float wrong[3] = {(float)strtod("nan", NULL), (float)strtod("inf", NULL), 1.1e5f};
    for (int i = 0; i < 3; ++i) {
        memcpy(m.bytes + 192 + 40, &wrong[i], 4);
        ASSERT_EQ(HEM_TRIMESH_BAD_VALUE, hem_trimesh_validate(m.bytes, m.size, &view, &fault));
        ASSERT_STR_EQ("heights", fault.array);
        ASSERT_EQ(10u, fault.element);
    }
    free(m.bytes);
    PASS();
}

static mesh_file copy_of(const mesh_file* m, size_t size) {
    mesh_file copy = {aligned_alloc(64, (size + 63) / 64 * 64 + (size == 0 ? 64 : 0)), size};
    memcpy(copy.bytes, m->bytes, size < m->size ? size : m->size);
    return copy;
}

TEST the_mesh_is_accepted(void) {
    for (int skinned = 0; skinned < 2; ++skinned) {
        mesh_file m = mesh_file_make(skinned);
        hem_trimesh_view view;
        hem_trimesh_fault_place fault;
        ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(m.bytes, m.size, &view, &fault));
        ASSERT_EQ(NULL, fault.field);
        ASSERT_EQ(skinned, view.binds != NULL);
        ASSERT(view.header->border_count > 0);
        free(m.bytes);
    }
    PASS();
}

TEST every_truncation_of_a_mesh_is_refused(void) {
    mesh_file m = mesh_file_make(1);
    hem_trimesh_view view;
    for (size_t size = 0; size < m.size; size += size < 256 ? 1 : 7) {
        mesh_file part = copy_of(&m, size);
        ASSERT_EQ(HEM_TRIMESH_TOO_SHORT, hem_trimesh_validate(part.bytes, part.size, &view, NULL));
        ASSERT_EQ(NULL, view.header);
        free(part.bytes);
    }
    mesh_file longer = copy_of(&m, m.size + 64);
    ASSERT_EQ(HEM_TRIMESH_BAD_HEADER, hem_trimesh_validate(longer.bytes, longer.size, &view, NULL));
    ASSERT_EQ(HEM_TRIMESH_MISALIGNED, hem_trimesh_validate(longer.bytes + 4, m.size, &view, NULL));
    free(longer.bytes);
    free(m.bytes);
    PASS();
}

// Every bit of every byte. Normals, weights that keep their sum, hashes and the name of the tool may differ unseen.
TEST every_bit_flip_of_a_mesh_is_refused_or_harmless(void) {
    mesh_file m = mesh_file_make(1);
    hem_trimesh_view view;
    size_t accepted = 0, places = 0;
    for (size_t bit = 0; bit < m.size * 8; ++bit) {
        m.bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        if (hem_trimesh_validate(m.bytes, m.size, &view, NULL) == HEM_TRIMESH_OK) {
            sink = walk_mesh(&view);
            ++accepted;
            uint64_t at = bit / 8;
            const uint8_t *vertices = (const uint8_t*)view.vertices, *edges = (const uint8_t*)view.edges;
            int in_header = at < sizeof(hem_trimesh_header);
            int in_vertices = m.bytes + at >= vertices && m.bytes + at < (const uint8_t*)view.binds;
            int in_binds = m.bytes + at >= (const uint8_t*)view.binds && m.bytes + at < (const uint8_t*)view.corners;
            int in_edges = m.bytes + at >= edges && m.bytes + at < (const uint8_t*)view.nodes;
            uint32_t word;
            memcpy(&word, m.bytes + at / 4 * 4, 4);
            int turned_zero = word == 0x80000000u || word == 0; // 0 and -0 are the same place
            places += in_header || in_vertices || in_binds || in_edges || turned_zero;
        }
        m.bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    ASSERT_EQ(accepted, places); // corners, names and boxes have one right value each
    ASSERT(accepted > 0 && accepted < m.size * 8 / 4);
    free(m.bytes);
    PASS();
}

typedef struct spoiled {
    const char *array, *field;
    hem_trimesh_result result;
} spoiled;

TEST a_refusal_names_what_is_wrong(void) {
    mesh_file m = mesh_file_make(1);
    hem_trimesh_view v;
    ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(m.bytes, m.size, &v, NULL));
    hem_trimesh_header* h = (hem_trimesh_header*)(void*)m.bytes;
    float nan = (float)strtod("nan", NULL);
    const struct {
        void* place;
        uint32_t value;
        spoiled expected;
    } rows[] = {
        {&h->magic, 7, {"header", "magic", HEM_TRIMESH_BAD_MAGIC}},
        {&h->version, 9, {"header", "version", HEM_TRIMESH_BAD_VERSION}},
        {&h->flags, 64, {"header", "flags", HEM_TRIMESH_BAD_HEADER}},
        {&h->bone_count, 0, {"header", "bone_count", HEM_TRIMESH_BAD_HEADER}},
        {&h->triangle_count, 0, {"header", "triangle_count", HEM_TRIMESH_BAD_HEADER}},
        {&h->triangle_count, UINT32_MAX, {"header", "triangle_count", HEM_TRIMESH_BAD_HEADER}},
        {&h->vertex_count, UINT32_MAX, {"header", "vertex_count", HEM_TRIMESH_BAD_HEADER}},
        {&h->edge_count, h->edge_count + 100000, {"header", "edge_count", HEM_TRIMESH_BAD_HEADER}},
        {&h->edge_count, 2, {"header", "edge_count", HEM_TRIMESH_BAD_HEADER}},
        {&h->vertex_count, 2, {"header", "vertex_count", HEM_TRIMESH_BAD_HEADER}},
        {&h->tool[28], 0x78787878u, {"header", "tool", HEM_TRIMESH_BAD_HEADER}},
        {&h->border_count, 0, {"header", "border_count", HEM_TRIMESH_BAD_HEADER}},
        {&h->reserved, 1, {"header", "reserved", HEM_TRIMESH_BAD_HEADER}},
        {(void*)&v.vertices[3].position[1], 0, {"vertices", "position", HEM_TRIMESH_BAD_VALUE}}, // a NaN, below
        {(void*)&v.vertices[3].normal[1], 0x7f800000u, {"vertices", "normal", HEM_TRIMESH_BAD_VALUE}},
        {(void*)&v.binds[2].bone[0], 500, {"binds", "bone", HEM_TRIMESH_BAD_INDEX}},
        {(void*)&v.binds[2].weight[0], 5, {"binds", "weight", HEM_TRIMESH_BAD_VALUE}},
        {(void*)&v.names[1].vertex[0][2], h->vertex_count, {"names", "vertex", HEM_TRIMESH_BAD_INDEX}},
        {(void*)&v.names[1].edge[0][2], h->edge_count, {"names", "edge", HEM_TRIMESH_BAD_INDEX}},
        {(void*)&v.corners[1].at[0][0][2], 0x40490fdbu, {"corners", "at", HEM_TRIMESH_BAD_VALUE}},
        {(void*)&v.edges[1].triangle[0], h->triangle_count, {"edges", "triangle", HEM_TRIMESH_BAD_INDEX}},
        {(void*)&v.edges[1].flags, 3, {"edges", "flags", HEM_TRIMESH_BAD_VALUE}},
        {(void*)&v.edges[1].normal[2], 0x40000000u, {"edges", "normal", HEM_TRIMESH_BAD_VALUE}},
        {(void*)&v.vertices[3].flags, 6, {"vertices", "flags", HEM_TRIMESH_BAD_VALUE}},
        {(void*)&v.vertices[3].reserved, 1, {"vertices", "reserved", HEM_TRIMESH_BAD_VALUE}},
        {(void*)&v.nodes[0].low[1][0], 0x40490fdbu, {"nodes", "box", HEM_TRIMESH_BAD_VALUE}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        uint32_t was, now = rows[i].value;
        if (strcmp(rows[i].expected.field, "position") == 0) {
            memcpy(&now, &nan, 4);
        }
        memcpy(&was, rows[i].place, 4);
        memcpy(rows[i].place, &now, 4);
        hem_trimesh_view view;
        hem_trimesh_fault_place fault;
        ASSERT_EQm(rows[i].expected.field, rows[i].expected.result,
                   hem_trimesh_validate(m.bytes, m.size, &view, &fault));
        ASSERT_STR_EQ(rows[i].expected.array, fault.array);
        ASSERT_STR_EQ(rows[i].expected.field, fault.field);
        ASSERT(strlen(hem_trimesh_result_text(rows[i].expected.result)) > 10);
        memcpy(rows[i].place, &was, 4);
    }
    free(m.bytes);
    PASS();
}

// A direction may be any that is not too long; how far its block reaches along it has one right value.
TEST slabs_are_those_of_their_corners(void) {
    mesh_file m = mesh_file_make(0);
    hem_trimesh_view v;
    ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(m.bytes, m.size, &v, NULL));
    ASSERT(v.slabs != NULL);
    const struct {
        const float* place;
        uint32_t value;
        const char* field;
    } rows[] = {{&v.slabs[0].normal[1][0], 0x40490fdbu, "normal"}, {&v.slabs[0].normal[0][0], 0x7fc00000u, "normal"},
                {&v.slabs[0].normal[1][0], 0x3c23d70au, "reach"},  {&v.slabs[0].most[0], 0x40490fdbu, "reach"},
                {&v.slabs[0].least[0], 0x7fc00000u, "reach"},      {&v.slabs[0].most[7], 0x40490fdbu, "reach"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        uint32_t was;
        void* place = m.bytes + ((const uint8_t*)rows[i].place - m.bytes);
        hem_trimesh_view view;
        hem_trimesh_fault_place fault;
        memcpy(&was, place, 4);
        memcpy(place, &rows[i].value, 4);
        ASSERT_EQm(rows[i].field, HEM_TRIMESH_BAD_VALUE, hem_trimesh_validate(m.bytes, m.size, &view, &fault));
        ASSERT_STR_EQ("slabs", fault.array);
        ASSERT_STR_EQ(rows[i].field, fault.field);
        memcpy(place, &was, 4);
    }
    free(m.bytes);
    PASS();
}

// A triangle that names one vertex twice, at the right place and with an edge that fits nothing.
TEST a_triangle_has_three_vertices(void) {
    mesh_file m = mesh_file_make(0);
    hem_trimesh_view v, view;
    hem_trimesh_fault_place fault;
    ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(m.bytes, m.size, &v, NULL));
    hem_trimesh_names* names = (hem_trimesh_names*)&v.names[0];
    hem_trimesh_corners* corners = (hem_trimesh_corners*)&v.corners[0];
    names->vertex[1][2] = names->vertex[0][2];
    for (int axis = 0; axis < 3; ++axis) {
        corners->at[1][axis][2] = corners->at[0][axis][2];
    }
    ASSERT_EQ(HEM_TRIMESH_BAD_VALUE, hem_trimesh_validate(m.bytes, m.size, &view, &fault));
    ASSERT_STR_EQ("names", fault.array);
    ASSERT_STR_EQ("vertex", fault.field);
    ASSERT_EQ(2, fault.element);
    free(m.bytes);
    PASS();
}

TEST a_tool_without_an_end_is_refused(void) {
    mesh_file m = mesh_file_make(0);
    hem_trimesh_view view;
    hem_trimesh_fault_place fault;
    hem_trimesh_header* h = (hem_trimesh_header*)(void*)m.bytes;
    memset(h->tool, 'x', sizeof h->tool);
    ASSERT_EQ(HEM_TRIMESH_BAD_HEADER, hem_trimesh_validate(m.bytes, m.size, &view, &fault));
    ASSERT_STR_EQ("tool", fault.field);
    h->tool[sizeof h->tool - 1] = 0;
    ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(m.bytes, m.size, &view, &fault));
    free(m.bytes);
    PASS();
}

// Boxes of two levels: more than 64 blocks of eight triangles, each node's box that of the eight below it.
TEST boxes_of_every_level_are_checked(void) {
    enum { SIDE = 18, TRIANGLES = SIDE * SIDE * 2 };
    static float p[(SIDE + 1) * (SIDE + 1)][3];
    static uint32_t index[TRIANGLES][3];
    for (uint32_t i = 0; i < (SIDE + 1) * (SIDE + 1); ++i) {
        p[i][0] = (float)(i % (SIDE + 1));
        p[i][2] = (float)(i / (SIDE + 1));
    }
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        const uint32_t a = i / SIDE * (SIDE + 1) + i % SIDE, b = a + SIDE + 1;
        const uint32_t two[6] = {a, b, a + 1, a + 1, b, b + 1};
        memcpy(index[2 * i], two, sizeof two);
    }
    hem_trimesh_def def = hem_trimesh_def_default();
    def.positions = p[0];
    def.vertex_count = (SIDE + 1) * (SIDE + 1);
    def.indices = index[0];
    def.triangle_count = TRIANGLES;
    hem_memory need, aside;
    ASSERT_EQ(HEM_OK, hem_trimesh_measure(&def, &need, &aside));
    void *room = aligned_alloc(64, need.size), *scratch = aligned_alloc(64, aside.size);
    hem_trimesh_report report;
    ASSERT_EQ(HEM_OK, hem_trimesh_build(&def, room, need.size, scratch, aside.size, &report));
    hem_trimesh_view v, view;
    hem_trimesh_fault_place fault;
    ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(room, report.size, &v, NULL));
    ASSERT(v.level_count >= 3);
    for (uint32_t level = 0; level < v.level_count; ++level) {
        hem_trimesh_node* node = (hem_trimesh_node*)&v.nodes[v.level_begin[level]];
        const float was = node->high[0][0];
        node->high[0][0] += 1;
        ASSERT_EQ(HEM_TRIMESH_BAD_VALUE, hem_trimesh_validate(room, report.size, &view, &fault));
        ASSERT_STR_EQ("box", fault.field);
        ASSERT_EQ(v.level_begin[level], fault.element);
        node->high[0][0] = was;
    }
    free(room);
    free(scratch);
    PASS();
}

TEST every_result_of_a_mesh_has_its_text(void) {
    ASSERT_STR_EQ("unknown result", hem_trimesh_result_text((hem_trimesh_result)1000));
    const int results[] = {
#define VALUE_OF(name, value, text) value,
        HEM_TRIMESH_RESULTS(VALUE_OF)
#undef VALUE_OF
    };
    for (size_t i = 0; i < sizeof results / sizeof results[0]; ++i) {
        ASSERT(strcmp("unknown result", hem_trimesh_result_text((hem_trimesh_result)results[i])) != 0);
    }
    PASS();
}

SUITE(trimesh_format_suite) {
    RUN_TEST(every_bit_flip_of_a_field_is_refused_or_harmless);
    RUN_TEST(the_mesh_is_accepted);
    RUN_TEST(every_truncation_of_a_mesh_is_refused);
    RUN_TEST(every_bit_flip_of_a_mesh_is_refused_or_harmless);
    RUN_TEST(a_refusal_names_what_is_wrong);
    RUN_TEST(slabs_are_those_of_their_corners);
    RUN_TEST(a_triangle_has_three_vertices);
    RUN_TEST(a_tool_without_an_end_is_refused);
    RUN_TEST(boxes_of_every_level_are_checked);
    RUN_TEST(every_result_of_a_mesh_has_its_text);
}
