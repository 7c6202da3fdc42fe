// SPDX-License-Identifier: MIT
#include "greatest.h"

#include "front_bench.h"
#include "front_kit.h"

#include "formats/hem_trimesh_validate.h"
#include "formats/hem_validate.h"

#include <string.h>

// hemc mesh: files, messages, exit codes.

static bool said(bench* b, const char* part) {
    uint8_t* text;
    size_t size;
    return bench_read(b, bench_path(b, "stderr.txt"), &text, &size) && strstr((const char*)text, part) != NULL;
}

TEST a_mesh_is_compiled_with_report_and_depfile(void) {
    bench b;
    ASSERT(bench_begin(&b));
    const char* words[] = {"mesh",      b.input,
                           "-o",        bench_path(&b, "a.hemmesh"),
                           "--report",  bench_path(&b, "a.json"),
                           "--depfile", bench_path(&b, "a.d")};
    ASSERT_EQ(HEMC_OK, bench_run(&b, words, 8));
    ASSERT(said(&b, "18 triangles"));
    uint8_t* bytes;
    size_t size;
    ASSERT(bench_read(&b, bench_path(&b, "a.hemmesh"), &bytes, &size));
    hem_trimesh_view view;
    ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(bytes, size, &view, NULL));
    ASSERT_EQ(KIT_TRIANGLES + 2u, view.header->triangle_count);
    ASSERT_EQ(0u, view.header->bone_count);
    ASSERT_EQ(0u, view.header->flags);
    uint8_t hash[16];
    hemc_hash128(bytes + sizeof(hem_trimesh_header), size - sizeof(hem_trimesh_header), hash);
    ASSERT_EQ(0, memcmp(hash, view.header->content_hash, 16));
    uint8_t* text;
    size_t text_size;
    ASSERT(bench_read(&b, bench_path(&b, "a.json"), &text, &text_size));
    hemc_log log = {.arena = b.arena};
    const hemc_json* report = hemc_json_parse(b.arena, &log, "report", "", (const char*)text, text_size, false);
    ASSERT(report != NULL);
    const hemc_json* mesh = hemc_json_member(report, "mesh");
    ASSERT_EQ((double)view.header->edge_count, hemc_json_member(mesh, "edges")->number);
    ASSERT_EQ((double)size, hemc_json_member(hemc_json_member(report, "sizes"), "file")->number);
    ASSERT(bench_read(&b, bench_path(&b, "a.d"), &text, &text_size));
    ASSERT(strstr((const char*)text, "a.hemmesh") != NULL && strstr((const char*)text, "a.glb") != NULL);
    // Again, and with bones.
    const char* again[] = {"mesh", b.input, "-o", bench_path(&b, "b.hemmesh"), "-q"};
    ASSERT_EQ(HEMC_OK, bench_run(&b, again, 5));
    ASSERT(bench_same_file(&b, bench_path(&b, "a.hemmesh"), bench_path(&b, "b.hemmesh")));
    const char* skinned[] = {"mesh", "--skinned", "--two-sided", b.input, "-o", bench_path(&b, "c.hemmesh"), "-q"};
    ASSERT_EQ(HEMC_OK, bench_run(&b, skinned, 7));
    ASSERT(bench_read(&b, bench_path(&b, "c.hemmesh"), &bytes, &size));
    ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(bytes, size, &view, NULL));
    ASSERT_EQ(2u, view.header->bone_count);
    ASSERT_EQ((uint32_t)(HEM_TRIMESH_SKINNED | HEM_TRIMESH_TWO_SIDED), view.header->flags);
    bench_end(&b);
    PASS();
}

static bool write_spoiled(bench* b, const kit_data* d, const char* name, char path[600]) {
    size_t size;
    uint8_t* glb = kit_glb(b->arena, d, NULL, NULL, &size);
    return kit_write(b->folder, name, glb, size, path);
}

TEST what_is_wrong_with_a_mesh_is_named(void) {
    bench b;
    char path[600];
    ASSERT(bench_begin(&b));
    kit_data d = kit_good();
    d.indices[4] = d.indices[3]; // no area
    ASSERT(write_spoiled(&b, &d, "flat.glb", path));
    const char* words[] = {"mesh", path, "-o", bench_path(&b, "x.hemmesh")};
    ASSERT_EQ(HEMC_OK, bench_run(&b, words, 4));
    ASSERT(said(&b, "/meshes/") && said(&b, "1 triangles have no area") && said(&b, "number 1 of this primitive"));
    const char* strict[] = {"mesh", path, "-o", bench_path(&b, "y.hemmesh"), "--strict"};
    ASSERT_EQ(HEMC_VALIDATION, bench_run(&b, strict, 5));
    uint8_t* bytes;
    size_t size;
    ASSERT(!bench_read(&b, bench_path(&b, "y.hemmesh"), &bytes, &size)); // nothing half written
    d = kit_good();
    uint16_t swap = d.indices[0]; // turned over
    d.indices[0] = d.indices[1];
    d.indices[1] = swap;
    ASSERT(write_spoiled(&b, &d, "turned.glb", path));
    ASSERT_EQ(HEMC_OK, bench_run(&b, words, 4));
    ASSERT(said(&b, "face opposite ways") && said(&b, "--two-sided"));
    d = kit_good();
    memset(&d.positions[4][1], 0xff, 4); // NaN
    ASSERT(write_spoiled(&b, &d, "nan.glb", path));
    ASSERT_EQ(HEMC_INPUT, bench_run(&b, words, 4));
    ASSERT(said(&b, "finite"));
    bench_end(&b);
    PASS();
}

TEST a_wrong_mesh_command_is_answered(void) {
    bench b;
    ASSERT(bench_begin(&b));
    const char* none[] = {"mesh"};
    ASSERT_EQ(HEMC_USAGE, bench_run(&b, none, 1));
    ASSERT(said(&b, "hemc mesh table.glb"));
    const char* recipe[] = {"mesh", b.input, "-r", b.recipe, "-o", "x"};
    ASSERT_EQ(HEMC_USAGE, bench_run(&b, recipe, 6));
    const char* sided[] = {b.input, "--two-sided", "-o", "x"};
    ASSERT_EQ(HEMC_USAGE, bench_run(&b, sided, 4));
    const char* absent[] = {"mesh", "no_such.glb", "-o", bench_path(&b, "x.hemmesh")};
    ASSERT_EQ(HEMC_IO, bench_run(&b, absent, 4));
    const char* same[] = {"mesh", b.input, "-o", b.input};
    ASSERT_EQ(HEMC_USAGE, bench_run(&b, same, 4));
    bench_end(&b);
    PASS();
}

// The body of a recipe as triangles: those of no part, for the parts that collide with the body, with the asset's bones.
TEST a_recipe_takes_the_body_as_triangles(void) {
    static const char* const recipes[] = {
        "{ \"body\": { \"mesh\": true }, \"parts\": [ { \"name\": \"s\", \"select\": { \"node\": \"Sheet\" },\n"
        "  \"spacing\": 0.3, \"attach\": { \"top\": 0.2 } } ] }",
        "{ \"body\": { \"mesh\": true }, \"parts\": [ { \"name\": \"s\", \"select\": { \"node\": \"Sheet\" },\n"
        "  \"spacing\": 0.3, \"attach\": { \"top\": 0.2 }, \"collides_with\": [] } ] }",
        "{ \"body\": { \"mesh\": true, \"select\": { \"node\": \"Sheet\" } }, \"parts\": [ { \"name\": \"s\",\n"
        "  \"select\": { \"node\": \"Sheet\" }, \"spacing\": 0.3, \"attach\": { \"top\": 0.2 } } ] }"};
    bench b;
    ASSERT(bench_begin(&b));
    for (int i = 0; i < 3; ++i) {
        char path[600];
        uint8_t* bytes;
        size_t size;
        ASSERT(kit_write(b.folder, "m.json", recipes[i], strlen(recipes[i]), path));
        const char* words[] = {b.input, "-r", path, "-o", bench_path(&b, "m.hem"), "-q"};
        if (i == 2) {
            ASSERT_EQ(HEMC_INPUT, bench_run(&b, words, 6));
            ASSERT(said(&b, "/body/mesh") && said(&b, "no triangles"));
            continue;
        }
        ASSERT_EQ(HEMC_OK, bench_run(&b, words, 6));
        ASSERT(bench_read(&b, bench_path(&b, "m.hem"), &bytes, &size));
        hem_view view;
        ASSERT_EQ(HEM_FORMAT_OK, hem_validate(bytes, size, &view, NULL));
        ASSERT_EQ(0u, view.info->body_count);
        ASSERT_EQ(i == 0 ? 1u : 0u, view.collider_count);
        ASSERT_EQ(i == 0, view.body_mesh_size != 0);
        if (i == 0) {
            hem_trimesh_view mesh;
            ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(view.body_mesh, view.body_mesh_size, &mesh, NULL));
            ASSERT_EQ(2u, mesh.header->triangle_count);
            ASSERT_EQ(view.info->bone_count, mesh.header->bone_count);
            ASSERT_EQ((uint32_t)HEM_SHAPE_MESH, view.colliders[0].kind);
            ASSERT_EQ(view.parts[0].collision_group, view.colliders[0].collision_group);
        }
    }
    bench_end(&b);
    PASS();
}

// A grey PNG of 3 x 2 pixels, not packed: what the checksums are does not matter.
static size_t make_png(uint8_t depth, uint8_t kind, const uint8_t* rows, size_t row_bytes, uint8_t* png) {
    static const uint8_t head[] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 0, 0, 13,
                                   'I',  'H', 'D', 'R', 0,  0,  0,  3,  0, 0, 0, 2};
    const size_t raw = 2 * (row_bytes + 1);
    size_t at = sizeof(head);
    memcpy(png, head, at);
    const uint8_t more[] = {
        depth, kind,         0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (uint8_t)(raw + 7), 'I', 'D', 'A', 'T', 0x78, 1,
        1,     (uint8_t)raw, 0, 0, 0};
    memcpy(png + at, more, sizeof(more));
    at += sizeof(more);
    for (int r = 0; r < 2; ++r) {
        png[at++] = 0; // no filter
        memcpy(png + at, rows + (size_t)r * row_bytes, row_bytes);
        at += row_bytes;
    }
    memset(png + at, 0, 16);
    return at + 16;
}

TEST a_picture_is_a_height_field(void) {
    static const uint8_t eight[6] = {0, 51, 255, 102, 0, 255};
    static const uint8_t sixteen[12] = {0, 0, 0x33, 0x33, 0xff, 0xff, 0x66, 0x66, 0, 1, 0xff, 0xff};
    static const uint8_t holes[12] = {0, 255, 51, 255, 255, 0, 102, 255, 0, 255, 255, 255};
    bench b;
    ASSERT(bench_begin(&b));
    for (int i = 0; i < 3; ++i) {
        uint8_t png[128], *bytes;
        char path[600];
        size_t size = i == 0   ? make_png(8, 0, eight, 3, png)
                      : i == 1 ? make_png(16, 0, sixteen, 6, png)
                               : make_png(8, 4, holes, 6, png);
        ASSERT(kit_write(b.folder, "h.png", (const char*)png, size, path));
        const char* words[] = {"mesh", path, "-o", bench_path(&b, "h.hemmesh"), "--height", "-10,40", "--cell=0.5,2"};
        ASSERT_EQ(HEMC_OK, bench_run(&b, words, 7));
        ASSERT(bench_read(&b, bench_path(&b, "h.hemmesh"), &bytes, &size));
        hem_trimesh_view view;
        ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(bytes, size, &view, NULL));
        ASSERT_EQ(3u, view.header->columns);
        ASSERT_EQ(2u, view.header->rows);
        ASSERT_EQ(i == 2 ? 2u : 4u, view.header->triangle_count);
        ASSERT_EQ(-10.0f, view.heights[0]);
        ASSERT_EQ(0.0f, view.heights[1]); // a fifth of the way
        ASSERT_EQ(i == 2 ? HEM_TRIMESH_NOWHERE : 40.0f, view.heights[2]);
        ASSERT_EQ(10.0f, view.heights[3]);
        ASSERT_EQ(i == 1 ? (float)(-10.0 + 50.0 / 65535.0) : -10.0f, view.heights[4]);
        ASSERT_EQ(0.5f, view.header->cell[0]);
        ASSERT_EQ(2.0f, view.header->cell[1]);
    }
    static const struct {
        const char *height, *cell, *other, *answer;
        int code;
    } wrong[] = {
        {"40,-10", "1", "-q", "--height takes", HEMC_USAGE}, {"1", "1", "-q", "--height takes", HEMC_USAGE},
        {"0,1", "0", "-q", "--cell takes", HEMC_USAGE},      {"0,1", "1,", "-q", "--cell takes", HEMC_USAGE},
        {"0,1", "1", "--skinned", "bones", HEMC_USAGE},      {"0,1", "90000", "-q", "make no field", HEMC_INPUT}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        const char* words[] = {"mesh",        bench_path(&b, "h.png"), "-o",     bench_path(&b, "x.hemmesh"),
                               "--height",    wrong[i].height,         "--cell", wrong[i].cell,
                               wrong[i].other};
        ASSERT_EQ(wrong[i].code, bench_run(&b, words, 9));
        ASSERT(said(&b, wrong[i].answer));
    }
    const char* alone[] = {"mesh", bench_path(&b, "h.png"), "-o", bench_path(&b, "x.hemmesh"), "--height", "0,1"};
    ASSERT_EQ(HEMC_USAGE, bench_run(&b, alone, 6));
    ASSERT(said(&b, "--cell"));
    const char* other[] = {"mesh", b.input, "-o", bench_path(&b, "x.hemmesh"), "--height", "0,1", "--cell", "1"};
    ASSERT_EQ(HEMC_INPUT, bench_run(&b, other, 8));
    ASSERT(said(&b, "no PNG"));
    bench_end(&b);
    PASS();
}

SUITE(front_trimesh_suite) {
    RUN_TEST(a_picture_is_a_height_field);
    RUN_TEST(a_recipe_takes_the_body_as_triangles);
    RUN_TEST(a_mesh_is_compiled_with_report_and_depfile);
    RUN_TEST(what_is_wrong_with_a_mesh_is_named);
    RUN_TEST(a_wrong_mesh_command_is_answered);
}
