// SPDX-License-Identifier: MIT
#include "tests/formats/fixture.h"
#include "tests/formats/short_names.h"
#include "tests/formats/walk.h"

#include "greatest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Rules of strands, drives and areas, each broken once, and those of the rest that one field alone does not break: a row makes
// up to four changes to a valid file and names the answer. What is changed beside the last one keeps other rules.

typedef struct broken {
    const char* rule;
    fixture_edit edits[4];
    hem_format_result result;
    uint32_t section, element;
    const char* field;
} broken;

// clang-format off
static const broken strand_rules[] = {
    {"drive of one row", {{S_RANGES, 0, offsetof(hem_range, count), U32, 1}}, COUNT, S_RANGES, 11, "count"},
    {"drive of too few rows", {{S_DRIVES, 1, DRIVE(row), U32, 5}}, INDEXES, S_ANIM, 1, "row"},
    {"drive row twice", {{S_DRIVES, 1, DRIVE(row), U32, 0}}, INDEXES, S_ANIM, 1, "row"},
    {"drive target", {{S_DRIVES, 1, DRIVE(anim_row), U32, 0}}, INDEXES, S_DRIVES, 1, "anim_row"},
    {"drive target past the end", {{S_DRIVES, 1, DRIVE(anim_row), U32, -1}}, INDEXES, S_DRIVES, 1, "anim_row"},
    {"drive reserved", {{S_DRIVES, 0, DRIVE(reserved) + 20, U32, 1}}, VALUE, S_DRIVES, 0, "reserved"},
    {"drive share", {{S_DRIVES, 0, DRIVE(share), F32, 1.5}}, VALUE, S_DRIVES, 0, "share"},
    {"drive share is a number", {{S_DRIVES, 0, DRIVE(share) + 28, F32, NAN_VALUE}}, VALUE, S_DRIVES, 0, "share"},
    {"drive of a pad", {{S_DRIVES, 1, DRIVE(share) + 28, F32, 0.5}}, VALUE, S_DRIVES, 1, "share"},
    {"driven lanes have targets", {{S_ANIM, 1, 8, U32, 0x3f}}, VALUE, S_ANIM, 1, "target_mask"},
    {"driven lanes are not attached", {{S_ANIM, 0, 4, U32, 1}}, VALUE, S_ANIM, 0, "animated_mask"},
    {"rod kind", {{S_ROWS, 0, ROW(kind), U8, HEM_KIND_CHAIN}}, VALUE, S_ROWS, 0, "kind"},
    {"rod part", {{S_ROWS, 0, ROW(part), U8, 2}}, INDEXES, S_ROWS, 0, "part"},
    {"empty rod batch", {{S_ROWS, 0, ROW(lane_mask), U8, 0}}, VALUE, S_ROWS, 0, "lane_mask"},
    {"rod form", {{S_ROWS, 0, ROW(form), U8, HEM_FORM_ROWS}}, VALUE, S_ROWS, 0, "form"},
    {"rod of one particle", {{S_ROWS, 0, ROW(member_count), U16, 1}}, COUNT, S_ROWS, 0, "member_count"},
    {"rod too long", {{S_ROWS, 0, ROW(member_count), U16, HEM_MAX_STRAND + 1}}, COUNT, S_ROWS, 0, "member_count"},
    {"rod reserved", {{S_ROWS, 0, ROW(reserved), U16, 1}}, VALUE, S_ROWS, 0, "reserved"},
    {"rod reserved tail", {{S_ROWS, 1, ROW(reserved2), U32, 1}}, VALUE, S_ROWS, 1, "reserved"},
    {"rows of a strand are elsewhere", {{S_ROWS, 0, ROW(rows), U16, 1}}, VALUE, S_ROWS, 0, "rows"},
    {"rotations of a strand are elsewhere", {{S_ROWS, 0, ROW(rotates) + 1, U8, 1}}, VALUE, S_ROWS, 0, "rows"},
    {"strand members in order", {{S_ROWS, 0, ROW(member_begin), U32, 1}}, INDEXES, S_ROWS, 0, "member_begin"},
    {"strand members past the end", {{S_ROWS, 2, ROW(member_count), U16, 3}}, INDEXES, S_ROWS, 2, "member_begin"},
    {"strand indices past the end", {{S_ROWS, 1, ROW(member_count), U16, 14}}, INDEXES, S_ROWS, 1, "member_begin"},
    {"strand in rows without orientation", {{S_ROW_MEMBERS, 1, 0, U32, 3}}, INDEXES, S_ROW_MEMBERS, 1, "row"},
    {"strand begins rotated", {{S_ROW_MEMBERS, 0, 4, U8, 1}}, VALUE, S_ROW_MEMBERS, 0, "rotate"},
    {"strand rotation", {{S_ROW_MEMBERS, 1, 4, U8, 8}}, VALUE, S_ROW_MEMBERS, 1, "rotate"},
    {"strand member reserved", {{S_ROW_MEMBERS, 1, 6, U16, 1}}, VALUE, S_ROW_MEMBERS, 1, "reserved"},
    {"strand in one row", {{S_ROW_MEMBERS, 1, 0, U32, 0}}, BATCH, S_ROW_MEMBERS, 1, "row"},
    {"strand of one particle", {{S_ROW_MEMBERS, 1, 5, U8, 0x3f}}, VALUE, S_ROW_MEMBERS, 1, "lane_mask"},
    {"strand member of another part", {{S_ROW_MEMBERS, 3, 0, U32, 2}, {S_ROWS, 2, ROW(lane_mask), U8, 0x03},
        {S_ROW_MEMBERS, 2, 5, U8, 0x03}, {S_ROW_MEMBERS, 3, 5, U8, 0x03}}, VALUE, S_ROWS, 2, "lane_mask"},
    {"strand onto a pad", {{S_ROW_MEMBERS, 3, 4, U8, 2}}, VALUE, S_ROWS, 2, "lane_mask"},
    {"strand index", {{S_ROW_INDEX, 1, 0, U16, 24}}, INDEXES, S_ROW_INDEX, 1, "index"},
    {"strand index of an idle lane", {{S_ROW_INDEX, 1, 14, U16, 24}}, INDEXES, S_ROW_INDEX, 1, "index"},
    {"strand index reserved", {{S_ROW_INDEX, 2, 17, U8, 1}}, VALUE, S_ROW_INDEX, 2, "reserved"},
    {"strand index mask", {{S_ROW_INDEX, 1, 16, U8, 1}}, VALUE, S_ROW_INDEX, 1, "lane_mask"},
    {"strand that goes on after its end", {{S_ROW_INDEX, 2, 16, U8, 5}}, VALUE, S_ROW_INDEX, 2, "lane_mask"},
    {"strand member without lanes", {{S_ROW_INDEX, 2, 16, U8, 0}}, VALUE, S_ROW_INDEX, 2, "lane_mask"},
    {"strand of the body", {{S_ROW_INDEX, 2, 0, U16, 16}}, VALUE, S_ROWS, 1, "lane_mask"},
    {"two strands of one particle", {{S_ROW_INDEX, 1, 2, U16, 1}}, BATCH, S_ROWS, 1, "lanes"},
    {"strand that comes back", {{S_ROW_INDEX, 2, 0, U16, 0}}, BATCH, S_ROWS, 1, "lanes"},
    {"rod payload", {{S_ROWS, 1, ROW(payload), U32, 1}}, INDEXES, S_ROWS, 1, "payload"},
    {"rod edge is a number", {{S_RODS, 0, ROD(edge) + 4, F32, NAN_VALUE}}, VALUE, S_RODS, 0, "edge"},
    {"rod edge too long", {{S_RODS, 0, ROD(edge) + 32, F32, 1e8}}, VALUE, S_RODS, 0, "edge"},
    {"rod without length", {{S_RODS, 0, ROD(edge) + 32, F32, 0}}, VALUE, S_RODS, 0, "edge"},
    {"edge behind a rod's end", {{S_RODS, 1, ROD(edge) + 32, F32, 0.5}}, VALUE, S_RODS, 1, "edge"},
    {"rod turn", {{S_RODS, 0, ROD(turn), F32, 1.5}}, VALUE, S_RODS, 0, "turn"},
    {"rod turned too far", {{S_RODS, 0, ROD(turn), F32, 0.9}}, VALUE, S_RODS, 0, "turn"},
    {"turn behind a rod's end", {{S_RODS, 1, ROD(turn), F32, 0.25}}, VALUE, S_RODS, 1, "turn"},
    {"rod without stretch", {{S_RODS, 0, ROD(stretch), F32, 0}}, VALUE, S_RODS, 0, "stretch"},
    {"stretch of an idle lane", {{S_RODS, 0, ROD(stretch) + 28, F32, 1}}, VALUE, S_RODS, 0, "stretch"},
    {"rod bend", {{S_RODS, 0, ROD(bend), F32, 1e10}}, VALUE, S_RODS, 0, "bend"},
    {"bend of a rod's idle lane", {{S_RODS, 0, ROD(bend) + 28, F32, 1}}, VALUE, S_RODS, 0, "bend"},
    {"rod twist", {{S_RODS, 0, ROD(twist), F32, NAN_VALUE}}, VALUE, S_RODS, 0, "twist"},
    {"twist behind a rod's end", {{S_RODS, 4, ROD(twist), F32, 1}}, VALUE, S_RODS, 4, "twist"},
    {"rod without inertia", {{S_RODS, 4, ROD(inertia), F32, 0}}, VALUE, S_RODS, 4, "inertia"},
    {"inertia of an idle lane", {{S_RODS, 4, ROD(inertia) + 28, F32, 2}}, VALUE, S_RODS, 4, "inertia"},
    {"chain kind", {{S_ROWS, 2, ROW(kind), U8, HEM_KIND_ROD}}, VALUE, S_ROWS, 2, "kind"},
    {"chain payload", {{S_ROWS, 2, ROW(payload), U32, 1}}, INDEXES, S_ROWS, 2, "payload"},
    {"chain rest", {{S_CHAINS, 0, 0, F32, -1}}, VALUE, S_CHAINS, 0, "rest"},
    {"rest behind a chain's end", {{S_CHAINS, 1, 0, F32, 1}}, VALUE, S_CHAINS, 1, "rest"},
    {"rest of a chain's idle lane", {{S_CHAINS, 0, 28, F32, 1}}, VALUE, S_CHAINS, 0, "rest"},
    {"area", {{S_AREAS, 2, 0, F32, -1}}, VALUE, S_AREAS, 2, "area"},
    {"area is a number", {{S_AREAS, 2, 0, F32, NAN_VALUE}}, VALUE, S_AREAS, 2, "area"},
    {"area of a pad", {{S_AREAS, 2, 28, F32, 1}}, VALUE, S_AREAS, 2, "area"},
};

static const broken other_rules[] = {
    {"two parts outside of each other", {{S_PARTS, 0, PART(outside_of), U32, 4}, {S_PARTS, 2, PART(outside_of), U32, 1}}, VALUE, S_PARTS,
        0, "outside_of"},
    {"tool without any end", {{0, 0, H(tool), U64, -1}, {0, 0, H(tool) + 8, U64, -1}, {0, 0, H(tool) + 16, U64, -1},
        {0, 0, H(tool) + 24, U64, -1}}, HEM_FORMAT_BAD_HEADER, 0, 0, "tool"},
    {"radius of a particle and the largest", {{S_SHAPE, 0, SHAPE(a), F32, 100}, {S_INFO, 0, INFO(particle_radius), F32, 100}},
        VALUE, S_SHAPE, 0, "radius"},
    {"second radius", {{S_SHAPE, 0, SHAPE(b), F32, 100}, {S_INFO, 0, INFO(particle_radius), F32, 100}}, VALUE, S_SHAPE, 0, "radius"},
    {"third radius", {{S_SHAPE, 0, SHAPE(c), F32, 100}, {S_INFO, 0, INFO(particle_radius), F32, 100}}, VALUE, S_SHAPE, 0, "radius"},
    {"tangent sphere", {{S_SHAPE, 2, SHAPE(a) + 4, F32, 1e-4}}, VALUE, S_SHAPE, 2, "tangent sphere"},
    {"pad with another weight", {{S_BIND, 5, offsetof(hem_bind_row, weight) + 28, F32, 0.5},
        {S_BIND, 5, offsetof(hem_bind_row, weight) + 60, F32, 0.5}}, VALUE, S_BIND, 5, "pad"},
    {"limits without a lane", {{S_LIMIT, 0, offsetof(hem_limit_row, max_distance), F32, -1},
        {S_LIMIT, 0, offsetof(hem_limit_row, max_distance) + 4, F32, -1}, {S_LIMIT, 0, offsetof(hem_limit_row, max_distance) + 8, F32, -1},
        {S_LIMIT, 0, offsetof(hem_limit_row, backstop_radius) + 16, F32, -1}}, VALUE, S_ANIM, 2, "target_mask"},
    {"limit reserved tail", {{S_LIMIT, 0, offsetof(hem_limit_row, reserved2) + 28, U32, 1}}, VALUE, S_LIMIT, 0, "reserved"},
    {"limit below all", {{S_LIMIT, 0, offsetof(hem_limit_row, max_distance), F32, -1e9}}, VALUE, S_LIMIT, 0, "max_distance"},
    {"run of one batch that goes on", {{S_LINKS, 0, LINK(run), U32, 2}}, BATCH, S_LINKS, 0, "run"},
    {"run that counts wrongly", {{S_LINKS, 1, LINK(run), U32, 3}, {S_LINKS, 2, LINK(run), U32, 1}}, BATCH, S_LINKS, 1, "run"},
    {"run of batches that share a row", {{S_LINKS, 1, LINK(run), U32, 2}, {S_LINKS, 2, LINK(run), U32, 1}}, BATCH, S_LINKS, 1, "run"},
    {"spring between attached particles", {{S_ROW_INDEX, 0, 0, U16, 24}, {S_ROW_INDEX, 1, 0, U16, 25}}, VALUE, S_ROWS, 1, "inverse_mass"},
    {"indexed member without lanes", {{S_GROUP_INDEX, 1, 0, U16, 8}, {S_GROUP_INDEX, 1, 16, U8, 0}, {S_GROUPS, 1, GROUP(total_mass), F32, 1}},
        VALUE, S_GROUP_INDEX, 1, "lane_mask"},
    {"member without lanes", {{S_MEMBERS, 0, 5, U8, 0}}, VALUE, S_MEMBERS, 0, "lane_mask"},
    {"particle weights of a vertex without blend", {{S_VBIND, 9, offsetof(hem_vertex_bind, particle_weight), U16, 65534},
        {S_VBIND, 9, offsetof(hem_vertex_bind, particle_weight) + 2, U16, 1}}, VALUE, S_VBIND, 9, "blend"},
    {"tracking", {{S_TUNING, 1, TUNE(tracking), U32, 2}}, VALUE, S_TUNING, 1, "tracking"},
    {"drive", {{S_TUNING, 0, TUNE(drive), F32, 1001}}, VALUE, S_TUNING, 0, "drive"},
    {"contact radius longer than the asset", {{S_TUNING, 0, TUNE(contact_radius), F32, 4.3}}, VALUE, S_TUNING, 0, "contact_radius"},
    {"fabric", {{S_TUNING, 2, TUNE(fabric_weft), F32, -1}}, VALUE, S_TUNING, 2, "fabric_weft"},
};

static const broken left_over[] = { // one element too many
    {"strand members", {{0}}, COUNT, S_ROW_MEMBERS, 4, "element_count"},
    {"strand indices", {{0}}, COUNT, S_ROW_INDEX, 13, "element_count"},
    {"rods", {{0}}, COUNT, S_RODS, 5, "element_count"},
    {"chains", {{0}}, COUNT, S_CHAINS, 2, "element_count"},
    {"springs", {{0}}, COUNT, HEM_SECTION_SPRINGS, 2, "element_count"},
    {"triangles", {{0}}, COUNT, S_TRIANGLES, 1, "element_count"},
    {"bends", {{0}}, COUNT, S_BENDS, 1, "element_count"},
    {"dihedrals", {{0}}, COUNT, S_DIHEDRALS, 1, "element_count"},
};
// clang-format on

// 1 = the answer is another one, which is printed.
static int answers_wrongly(const fixture* f, const broken* row) {
    hem_view view;
    hem_format_fault fault;
    const hem_format_result r = hem_validate(f->bytes, f->size, &view, &fault);
    const int right = r == row->result && fault.section == row->section && fault.element == row->element &&
                      strcmp(fault.field, row->field) == 0 && view.info == NULL;
    if (!right) {
        fprintf(stderr, "%s: got %d %s[%u].%s, want %d %s[%u].%s\n", row->rule, r, hem_section_name(fault.section),
                fault.element, fault.field, row->result, hem_section_name(row->section), row->element, row->field);
    }
    return !right;
}

static int count_wrong(fixture (*make)(void), const broken* rows, size_t count) {
    int wrong = 0;
    for (size_t i = 0; i < count; ++i) {
        fixture f = make();
        for (int k = 0; k < 4; ++k) {
            if (k == 0 || rows[i].edits[k].section != 0 || rows[i].edits[k].offset != 0) {
                fixture_set(&f, &rows[i].edits[k]);
            }
        }
        wrong += answers_wrongly(&f, &rows[i]);
        fixture_free(&f);
    }
    return wrong;
}

static hem_format_result answer(const fixture* f, hem_format_fault* fault) {
    hem_view view;
    return hem_validate(f->bytes, f->size, &view, fault);
}

TEST strands_drives_and_areas_are_accepted(void) {
    fixture f = fixture_make_strands();
    hem_view view;
    hem_format_fault fault;
    const hem_format_result r = hem_validate(f.bytes, f.size, &view, &fault);
    ASSERT_EQ_FMTm(fault.field, HEM_FORMAT_OK, r, "%d");
    ASSERT_EQ(5, view.rod_count);
    ASSERT_EQ(2, view.chain_count);
    ASSERT_EQ(2, view.drive_row_count);
    ASSERT_EQ(6, view.area_row_count);
    ASSERT(walk_view(&view) == walk_view(&view));
    fixture_free(&f);
    PASS();
}

TEST every_rule_of_strands_has_its_code_and_field(void) {
    ASSERT_EQ(0, count_wrong(fixture_make_strands, strand_rules, sizeof strand_rules / sizeof strand_rules[0]));
    PASS();
}

TEST rules_that_several_fields_break(void) {
    ASSERT_EQ(0, count_wrong(fixture_make, other_rules, sizeof other_rules / sizeof other_rules[0]));
    PASS();
}

TEST what_no_batch_uses_is_refused(void) {
    for (size_t i = 0; i < sizeof left_over / sizeof left_over[0]; ++i) {
        fixture f = fixture_make_strands();
        const uint32_t count = fixture_entry(&f, left_over[i].section)->element_count;
        f = fixture_with(f, left_over[i].section, 0, count + 1, NULL);
        ASSERT_EQ(0, answers_wrongly(&f, &left_over[i]));
        fixture_free(&f);
    }
    PASS();
}

TEST a_drive_has_all_rows_of_its_part(void) {
    fixture f = fixture_with(fixture_make_strands(), S_DRIVES, 0, 1, NULL);
    const fixture_edit one = {S_RANGES, 0, offsetof(hem_range, count), U32, 1};
    const fixture_edit not_there = {S_ANIM, 1, 0, U32, 1};
    fixture_set(&f, &one);
    fixture_set(&f, &not_there);
    // Row 1 has no target then.
    hem_anim_row* anim = fixture_section(&f, S_ANIM);
    anim[1].target_mask = 0;
    hem_format_fault fault;
    ASSERT_EQ(INDEXES, answer(&f, &fault));
    memmove(anim + 1, anim + 2, 3 * sizeof anim[0]);
    f = fixture_with(f, S_ANIM, 0, 4, NULL);
    ((hem_limit_row*)fixture_section(&f, S_LIMIT))->anim_row = 3;
    ASSERT_EQ(COUNT, answer(&f, &fault));
    ASSERT_EQ(S_DRIVES, fault.section);
    ASSERT_STR_EQ("rows", fault.field);
    fixture_free(&f);
    PASS();
}

TEST a_body_is_not_driven(void) {
    fixture f = fixture_make_strands();
    hem_range* ranges = fixture_section(&f, S_RANGES);
    hem_part* parts = fixture_section(&f, HEM_SECTION_PARTS);
    // The drive of the soft part becomes one of the body's single row: its ranges come behind those of part 0.
    const hem_range drive = {1, HEM_BATCH_DRIVES, 0, 1};
    memmove(ranges, ranges + 1, 4 * sizeof ranges[0]);
    ranges[4] = drive;
    parts[0].range_count = 4;
    parts[1].range_begin = 4;
    parts[1].range_count = 1;
    hem_drive_row* drives = fixture_section(&f, S_DRIVES);
    drives[0].row = 2;
    drives[0].anim_row = 0;
    memset(drives[0].share, 0, sizeof drives[0].share);
    f = fixture_with(f, S_DRIVES, 0, 1, NULL);
    hem_anim_row* anim = fixture_section(&f, S_ANIM);
    memmove(anim, anim + 2, 3 * sizeof anim[0]);
    f = fixture_with(f, S_ANIM, 0, 3, NULL);
    ((hem_limit_row*)fixture_section(&f, S_LIMIT))->anim_row = 2;
    hem_format_fault fault;
    ASSERT_EQ(COUNT, answer(&f, &fault));
    ASSERT_EQ(S_DRIVES, fault.section);
    ASSERT_STR_EQ("rows", fault.field);
    fixture_free(&f);
    PASS();
}

// Rows of limits ascend: two of them for row 4 are refused, and so is one without a lane.
TEST limit_rows_ascend_and_hold_something(void) {
    fixture f = fixture_make();
    hem_limit_row two[2];
    memcpy(&two[0], fixture_section(&f, S_LIMIT), sizeof two[0]);
    two[1] = two[0];
    f = fixture_with(f, S_LIMIT, sizeof two[0], 2, two);
    hem_format_fault fault;
    ASSERT_EQ(INDEXES, answer(&f, &fault));
    ASSERT_EQ(1, fault.element);
    ASSERT_STR_EQ("row", fault.field);
    for (int lane = 0; lane < HEM_LANES; ++lane) {
        two[0].max_distance[lane] = two[0].backstop_radius[lane] = -1;
    }
    f = fixture_with(f, S_LIMIT, sizeof two[0], 1, two);
    ASSERT_EQ(VALUE, answer(&f, &fault));
    ASSERT_STR_EQ("lanes", fault.field);
    // Without the row of targets that the limits need.
    f = fixture_with(f, S_ANIM, 0, 2, NULL);
    ASSERT_EQ(INDEXES, answer(&f, &fault));
    ASSERT_STR_EQ("anim_row", fault.field);
    fixture_free(&f);
    PASS();
}

// Full hair knows its guides from its rows of hair.
TEST fullness_has_rows_of_hair(void) {
    fixture f = fixture_with(fixture_make(), S_HAIR, 0, 0, NULL);
    hem_format_fault fault;
    ASSERT_EQ(COUNT, answer(&f, &fault));
    ASSERT_EQ(S_PARTS, fault.section);
    ASSERT_STR_EQ("fullness", fault.field);
    hem_part* parts = fixture_section(&f, S_PARTS);
    parts[0].fullness = 0;
    ASSERT_EQ(HEM_FORMAT_OK, answer(&f, &fault));
    fixture_free(&f);
    PASS();
}

TEST a_run_is_checked_to_its_end(void) {
    fixture f = fixture_make();
    hem_link_batch* links = fixture_section(&f, S_LINKS);
    links[1].run = 1; // alone, and so the last of its run
    hem_format_fault fault;
    ASSERT_EQ(HEM_FORMAT_OK, answer(&f, &fault));
    links[1].rest[3] = 1e-7f; // too short for one
    ASSERT_EQ(BATCH, answer(&f, &fault));
    ASSERT_STR_EQ("run", fault.field);
    fixture_free(&f);
    PASS();
}

TEST the_first_bad_member_of_a_group_is_named(void) {
    fixture f = fixture_make();
    const hem_group_member members[2] = {{.row = 1, .rotate = 8, .lane_mask = 0x7f}, {.row = 9}};
    f = fixture_with(f, S_MEMBERS, sizeof members[0], 2, members);
    ((hem_group_batch*)fixture_section(&f, S_GROUPS))->member_count = 2;
    hem_format_fault fault;
    ASSERT_EQ(VALUE, answer(&f, &fault));
    ASSERT_EQ(S_MEMBERS, fault.section);
    ASSERT_EQ(0, fault.element);
    ASSERT_STR_EQ("rotate", fault.field);
    fixture_free(&f);
    PASS();
}

// -- The container

TEST a_file_that_ends_before_its_sections_is_refused(void) {
    fixture whole = fixture_make();
    const hem_section* last = fixture_entry(&whole, HEM_SECTION_PREVIEW_FRAMES);
    const struct {
        size_t size;
        hem_format_result result;
        const char* field;
    } rows[] = {
        {sizeof(hem_header), HEM_FORMAT_BAD_HEADER, "section_count"},
        {sizeof(hem_header) + 64, HEM_FORMAT_BAD_HEADER, "section_count"},
        {(size_t)last->offset - 64, HEM_FORMAT_BAD_SECTION, "offset"}, // ends before the last one begins
        {(size_t)last->offset + 64, HEM_FORMAT_BAD_SECTION, "offset"}, // in the middle of it
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        fixture f = fixture_copy(&whole, rows[i].size);
        ((hem_header*)(void*)f.bytes)->file_size = rows[i].size;
        hem_format_fault fault;
        ASSERT_EQ(rows[i].result, answer(&f, &fault));
        ASSERT_STR_EQ(rows[i].field, fault.field);
        fixture_free(&f);
    }
    fixture_free(&whole);
    PASS();
}

// Nothing but particles: a file without any constraint is full and indexes nothing.
TEST an_asset_without_constraints_is_accepted(void) {
    static const uint32_t gone[] = {
        S_RANGES, S_LINKS,     S_INDEXED,           S_GROUPS, S_MEMBERS,   S_GROUP_INDEX,
        S_ROWS,   S_ROW_INDEX, HEM_SECTION_SPRINGS, S_BENDS,  S_DIHEDRALS, S_TRIANGLES,
    };
    fixture f = fixture_make();
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; ++i) {
        f = fixture_with(f, gone[i], 0, 0, NULL);
    }
    hem_part* parts = fixture_section(&f, HEM_SECTION_PARTS);
    hem_info* info = fixture_section(&f, S_INFO);
    for (int i = 0; i < 3; ++i) {
        parts[i].range_begin = parts[i].range_count = 0;
    }
    info->link_count = info->group_count = info->row_constraint_count = 0;
    info->lane_fill = 1;
    info->indexed_share = 0;
    hem_format_fault fault;
    ASSERT_EQ(HEM_FORMAT_OK, answer(&f, &fault));
    info->lane_fill = 0;
    ASSERT_EQ(VALUE, answer(&f, &fault));
    ASSERT_STR_EQ("lane_fill", fault.field);
    fixture_free(&f);
    PASS();
}

TEST hulls_have_no_more_planes_than_an_asset_may(void) {
    fixture f = fixture_make();
    static float planes[HEM_MAX_HULL_PLANES + 1][4];
    for (int i = 0; i <= HEM_MAX_HULL_PLANES; ++i) {
        planes[i][0] = 1;
    }
    hem_format_fault fault;
    for (uint32_t over = 0; over < 2; ++over) {
        const uint32_t count = HEM_MAX_HULL_PLANES + over;
        f = fixture_with(f, S_PLANES, sizeof planes[0], count, planes);
        ((hem_asset_collider*)fixture_section(&f, HEM_SECTION_COLLIDERS))[4].plane_count = count;
        ASSERT_EQ(over ? COUNT : HEM_FORMAT_OK, answer(&f, &fault));
    }
    ASSERT_EQ(HEM_SECTION_COLLIDERS, fault.section);
    ASSERT_STR_EQ("plane_count", fault.field);
    fixture_free(&f);
    PASS();
}

// Eight vertices of a block that all follow particles alone.
TEST a_block_of_particle_vertices_says_so(void) {
    fixture f = fixture_make();
    hem_vertex_bind* bind = fixture_section(&f, S_VBIND);
    uint8_t* blocks = fixture_section(&f, HEM_SECTION_VERTEX_BLOCKS);
    bind[3].blend = 65535;
    hem_format_fault fault;
    ASSERT_EQ(VALUE, answer(&f, &fault));
    ASSERT_STR_EQ("block", fault.field);
    blocks[0] = HEM_BLOCK_PARTICLES;
    ASSERT_EQ(HEM_FORMAT_OK, answer(&f, &fault));
    fixture_free(&f);
    PASS();
}

// Lengths of a tuning are compared with the asset that it is for; without one, with ten kilometres.
TEST lengths_of_a_tuning_are_those_of_its_asset(void) {
    fixture f = fixture_make();
    const hem_info* info = fixture_section(&f, S_INFO);
    hem_tuning* tuning = fixture_section(&f, S_TUNING);
    const float longest = 1.75f + 2.5f; // the sides of its bounds
    hem_format_fault fault;
    tuning[1].self_thickness = longest;
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate_tuning_of(info, tuning, 3, &fault));
    tuning[1].self_thickness = longest + 1e-3f;
    ASSERT_EQ(VALUE, hem_validate_tuning_of(info, tuning, 3, &fault));
    ASSERT_EQ(1, fault.element);
    ASSERT_STR_EQ("self_thickness", fault.field);
    ASSERT_IN_RANGE(longest, fault.high, 1e-6f);
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate_tuning(tuning, 3, &fault));
    tuning[1].self_thickness = 10001;
    ASSERT_EQ(VALUE, hem_validate_tuning(tuning, 3, NULL));
    fixture_free(&f);
    PASS();
}

// A flat and small asset has room for a metre all the same.
TEST the_longest_length_is_a_metre_at_least(void) {
    hem_info info;
    memset(&info, 0, sizeof info);
    for (int k = 0; k < 3; ++k) {
        info.bounds_max[k] = 0.1f;
    }
    ASSERT_EQ(1.0f, hem_longest(&info));
    info.bounds_max[1] = 1.0f;
    ASSERT_IN_RANGE(1.2f, hem_longest(&info), 1e-6f);
    PASS();
}

SUITE(rules_suite);
SUITE(rules_suite) {
    RUN_TEST(strands_drives_and_areas_are_accepted);
    RUN_TEST(every_rule_of_strands_has_its_code_and_field);
    RUN_TEST(rules_that_several_fields_break);
    RUN_TEST(what_no_batch_uses_is_refused);
    RUN_TEST(a_drive_has_all_rows_of_its_part);
    RUN_TEST(a_body_is_not_driven);
    RUN_TEST(limit_rows_ascend_and_hold_something);
    RUN_TEST(fullness_has_rows_of_hair);
    RUN_TEST(a_run_is_checked_to_its_end);
    RUN_TEST(the_first_bad_member_of_a_group_is_named);
    RUN_TEST(a_file_that_ends_before_its_sections_is_refused);
    RUN_TEST(an_asset_without_constraints_is_accepted);
    RUN_TEST(hulls_have_no_more_planes_than_an_asset_may);
    RUN_TEST(a_block_of_particle_vertices_says_so);
    RUN_TEST(lengths_of_a_tuning_are_those_of_its_asset);
    RUN_TEST(the_longest_length_is_a_metre_at_least);
}
