// SPDX-License-Identifier: MIT
#include "tests/formats/fixture.h"
#include "tests/formats/short_names.h"

#include "greatest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Edges that bend around meshes, written by hand over the cloth of the fixture. Rows 3, 4, 5 are particles 24 to 31, 32 to 39 and
// 40 to 45, behind which two pads stand. Links join 24 and 32 (warp), 33 and 42 (shear), 32 and 33 (weft, by indices).

#define S_EDGES HEM_SECTION_VIRTUAL_EDGES
#define EDGE(name) offsetof(hem_virtual_edges, name)

static fixture with_edges(void) {
    static const hem_virtual_edges edges[2] = {
        {
            .a = {24, 33, 32},
            .b = {32, 32, 41},
            .wing = {{25, 24, 40}, {HEM_VIRTUAL_NO_WING, 40, 33}},
            .link = {1 * 8 + 0, HEM_VIRTUAL_INDEXED | 0, HEM_VIRTUAL_NO_LINK, HEM_VIRTUAL_NO_LINK, HEM_VIRTUAL_NO_LINK,
                     HEM_VIRTUAL_NO_LINK, HEM_VIRTUAL_NO_LINK, HEM_VIRTUAL_NO_LINK},
            .part = 2,
            .lane_mask = 0x07,
            .face_mask = 0x05,
            .flags = HEM_VIRTUAL_FACES,
        },
        {
            .a = {33},
            .b = {42},
            .wing = {{41}, {34}},
            .link = {3 * 8 + 1, HEM_VIRTUAL_NO_LINK, HEM_VIRTUAL_NO_LINK, HEM_VIRTUAL_NO_LINK, HEM_VIRTUAL_NO_LINK,
                     HEM_VIRTUAL_NO_LINK, HEM_VIRTUAL_NO_LINK, HEM_VIRTUAL_NO_LINK},
            .part = 2,
            .lane_mask = 0x01,
            .flags = HEM_VIRTUAL_FACES,
        },
    };
    return fixture_with(fixture_make(), S_EDGES, sizeof edges[0], 2, edges);
}

typedef struct spoiled {
    const char* rule;
    uint32_t element;
    size_t offset;
    value_type type;
    double value;
    hem_format_result result;
    const char* field;
} spoiled;

// clang-format off
static const spoiled table[] = {
    {"edge from no particle", 0, EDGE(a), U16, 60000, INDEXES, "a"},
    {"edge from another part", 0, EDGE(a), U16, 0, INDEXES, "a"},
    {"edge from a pad", 0, EDGE(a), U16, 46, INDEXES, "a"},
    {"edge to another part", 0, EDGE(b), U16, 8, INDEXES, "b"},
    {"edge to itself", 0, EDGE(b), U16, 24, INDEXES, "b"},
    {"wing of no particle", 0, EDGE(wing), U16, 60000, INDEXES, "wing"},
    {"wing at the first end", 0, EDGE(wing), U16, 24, INDEXES, "wing"},
    {"wing at the second end", 0, EDGE(wing), U16, 32, INDEXES, "wing"},
    {"second wing of another part", 0, EDGE(wing) + 18, U16, 0, INDEXES, "wing"},
    {"second wing at the first end", 0, EDGE(wing) + 18, U16, 33, INDEXES, "wing"},
    {"second wing at the second end", 0, EDGE(wing) + 18, U16, 32, INDEXES, "wing"},
    {"one wing twice", 0, EDGE(wing) + 18, U16, 24, INDEXES, "wing"},
    {"link of no batch", 0, EDGE(link), U32, 5 * 8, INDEXES, "link"},
    {"link of no indexed batch", 0, EDGE(link), U32, 2147483648.0 + 8, INDEXES, "link"},
    {"link of another part", 0, EDGE(link), U32, 0, INDEXES, "link"},
    {"link of two others", 0, EDGE(link), U32, 1 * 8 + 1, INDEXES, "link"},
    {"link to somebody else", 0, EDGE(b), U16, 33, INDEXES, "link"},
    {"link from somebody else", 0, EDGE(a) + 2, U16, 34, INDEXES, "link"},
    {"shear to somebody else", 1, EDGE(b), U16, 43, INDEXES, "link"},
    {"neither a link nor of the triangulation", 0, EDGE(face_mask), U8, 0x01, INDEXES, "link"},
    {"edges of no part", 0, EDGE(part), U8, 3, INDEXES, "part"},
    {"edges of a part that is no cloth", 0, EDGE(part), U8, 0, INDEXES, "part"},
    {"no edges", 1, EDGE(lane_mask), U8, 0, VALUE, "lane_mask"},
    {"faces beside the edges", 0, EDGE(face_mask), U8, 0x0d, VALUE, "face_mask"},
    {"unknown flags", 0, EDGE(flags), U8, 2, VALUE, "flags"},
    {"one part with and without faces", 1, EDGE(flags), U8, 0, VALUE, "flags"},
    {"edges reserved", 1, EDGE(reserved) + 24, U32, 1, VALUE, "reserved"},
    {"idle lane from a particle", 1, EDGE(a) + 14, U16, 24, VALUE, "a"},
    {"idle lane to a particle", 1, EDGE(b) + 14, U16, 24, VALUE, "a"},
    {"idle lane with a wing", 1, EDGE(wing) + 14, U16, 24, VALUE, "a"},
    {"idle lane with a second wing", 1, EDGE(wing) + 30, U16, 24, VALUE, "a"},
    {"idle lane with a link", 1, EDGE(link) + 28, U32, 8, VALUE, "link"},
};
// clang-format on

TEST edges_of_both_kinds_of_links_are_accepted(void) {
    fixture f = with_edges();
    hem_view view;
    hem_format_fault fault;
    ASSERT_EQ_FMT(HEM_FORMAT_OK, hem_validate(f.bytes, f.size, &view, &fault), "%d");
    ASSERT_EQ(2u, view.virtual_edge_count);
    fixture_free(&f);
    PASS();
}

TEST every_rule_of_edges_has_its_code_and_field(void) {
    int wrong = 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        const spoiled* row = &table[i];
        fixture f = with_edges();
        const fixture_edit edit = {S_EDGES, row->element, row->offset, row->type, row->value};
        fixture_set(&f, &edit);
        hem_view view;
        hem_format_fault fault;
        const hem_format_result r = hem_validate(f.bytes, f.size, &view, &fault);
        if (r != row->result || fault.section != S_EDGES || fault.element != row->element ||
            strcmp(fault.field, row->field) != 0) {
            fprintf(stderr, "%s: got %d %s[%u].%s, want %d [%u].%s\n", row->rule, r, hem_section_name(fault.section),
                    fault.element, fault.field, row->result, row->element, row->field);
            ++wrong;
        }
        fixture_free(&f);
    }
    ASSERT_EQ(0, wrong);
    PASS();
}

// Lanes 4 and 7 of the shear: 36 and 45 are joined, 39 and 40 would be, but that lane is idle. A tether joins 40 and 24.
TEST only_links_that_stretch_bend_around_something(void) {
    static const struct {
        uint16_t a, b;
        uint32_t link;
        hem_format_result result;
    } rows[] = {
        {36, 45, 3 * 8 + 4, HEM_FORMAT_OK},
        {39, 40, 3 * 8 + 7, INDEXES},
        {24, 40, 4 * 8 + 0, INDEXES},
    };
    for (int i = 0; i < 3; ++i) {
        fixture f = with_edges();
        hem_virtual_edges* e = fixture_section(&f, S_EDGES);
        e[1].a[0] = rows[i].a;
        e[1].b[0] = rows[i].b;
        e[1].link[0] = rows[i].link;
        hem_view view;
        hem_format_fault fault;
        ASSERT_EQ_FMT(rows[i].result, hem_validate(f.bytes, f.size, &view, &fault), "%d");
        if (rows[i].result != HEM_FORMAT_OK) {
            ASSERT_STR_EQ("link", fault.field);
        }
        fixture_free(&f);
    }
    PASS();
}

TEST edges_have_their_limit(void) {
    const uint32_t count = HEM_MAX_VIRTUAL_EDGES + 1;
    hem_virtual_edges* edges = calloc(count, sizeof edges[0]);
    fixture f = fixture_with(fixture_make(), S_EDGES, sizeof edges[0], count, edges);
    hem_view view;
    hem_format_fault fault;
    ASSERT_EQ(COUNT, hem_validate(f.bytes, f.size, &view, &fault));
    ASSERT_EQ(S_EDGES, fault.section);
    ASSERT_STR_EQ("element_count", fault.field);
    fixture_free(&f);
    free(edges);
    PASS();
}

SUITE(virtual_suite);
SUITE(virtual_suite) {
    RUN_TEST(edges_of_both_kinds_of_links_are_accepted);
    RUN_TEST(every_rule_of_edges_has_its_code_and_field);
    RUN_TEST(only_links_that_stretch_bend_around_something);
    RUN_TEST(edges_have_their_limit);
}
