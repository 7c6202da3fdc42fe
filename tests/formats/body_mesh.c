// SPDX-License-Identifier: MIT
#include "formats/hem_trimesh_validate.h"
#include "hem/trimesh.h"
#include "tests/formats/fixture.h"
#include "tests/formats/short_names.h"

#include "greatest.h"

#include <stdlib.h>
#include <string.h>

// The character's own mesh: one collider of that kind at most, which is where the character is, and a mesh on its bones.

#define S_BODY_MESH HEM_SECTION_BODY_MESH

// A strip of so many triangles on so many bones.
static uint8_t* strip(uint32_t triangles, uint32_t bones, size_t* size) {
    const uint32_t vertices = triangles + 2;
    float(*p)[3] = calloc(vertices, sizeof p[0]);
    uint32_t(*index)[3] = calloc(triangles, sizeof index[0]);
    uint16_t(*bone)[4] = calloc(vertices, sizeof bone[0]);
    uint16_t(*weight)[4] = calloc(vertices, sizeof weight[0]);
    for (uint32_t i = 0; i < vertices; ++i) {
        p[i][0] = 0.01f * (float)(i / 2);
        p[i][2] = 0.01f * (float)(i % 2);
        bone[i][0] = (uint16_t)(i % bones);
        weight[i][0] = 65535;
    }
    for (uint32_t i = 0; i < triangles; ++i) {
        const uint32_t corners[3] = {i, i + 1 + i % 2, i + 2 - i % 2};
        memcpy(index[i], corners, sizeof corners);
    }
    hem_trimesh_def def = hem_trimesh_def_default();
    def.positions = p[0];
    def.vertex_count = vertices;
    def.indices = index[0];
    def.triangle_count = triangles;
    def.bones = bone[0];
    def.weights = weight[0];
    def.bone_count = bones;
    hem_memory need, aside;
    hem_trimesh_report report;
    uint8_t* room = NULL;
    if (hem_trimesh_measure(&def, &need, &aside) == HEM_OK) {
        void* scratch = aligned_alloc(64, aside.size);
        room = aligned_alloc(64, need.size);
        if (hem_trimesh_build(&def, room, need.size, scratch, aside.size, &report) != HEM_OK) {
            abort();
        }
        *size = report.size;
        free(scratch);
    }
    free(p);
    free(index);
    free(bone);
    free(weight);
    return room;
}

// With so many colliders of that kind behind the five that there are.
static fixture with_mesh(uint32_t colliders, uint32_t triangles, uint32_t bones) {
    fixture f = fixture_make();
    hem_asset_collider all[7];
    memcpy(all, fixture_section(&f, S_COLLIDERS), 5 * sizeof all[0]);
    for (int i = 5; i < 7; ++i) {
        all[i] = (hem_asset_collider){.name_offset = all[0].name_offset,
                                      .kind = HEM_SHAPE_MESH,
                                      .bone = HEM_NONE,
                                      .collision_group = 8,
                                      .rotation = {0, 0, 0, 1},
                                      .friction = 0.5f};
    }
    f = fixture_with(f, S_COLLIDERS, sizeof all[0], 5 + colliders, all);
    if (triangles == 0) {
        return f;
    }
    size_t size = 0;
    uint8_t* mesh = strip(triangles, bones, &size);
    f = fixture_with(f, S_BODY_MESH, 1, (uint32_t)size, mesh);
    free(mesh);
    return f;
}

static enum greatest_test_res answers(fixture f, hem_format_result result, uint32_t section, const char* field) {
    hem_view view;
    hem_format_fault fault;
    const hem_format_result r = hem_validate(f.bytes, f.size, &view, &fault);
    fixture_free(&f);
    ASSERT_EQ_FMTm(fault.field, (int)result, (int)r, "%d");
    if (result != HEM_FORMAT_OK) {
        ASSERT_EQ_FMT(section, fault.section, "%u");
        ASSERT_STR_EQ(field, fault.field);
    }
    PASS();
}

TEST an_asset_has_one_mesh_of_its_own_on_its_bones(void) {
    CHECK_CALL(answers(with_mesh(1, 6, 2), HEM_FORMAT_OK, 0, ""));
    CHECK_CALL(answers(with_mesh(0, 6, 2), COUNT, S_BODY_MESH, "element_count"));
    CHECK_CALL(answers(with_mesh(1, 0, 0), COUNT, S_BODY_MESH, "element_count"));
    CHECK_CALL(answers(with_mesh(2, 6, 2), COUNT, S_BODY_MESH, "element_count"));
    CHECK_CALL(answers(with_mesh(2, 0, 0), COUNT, S_BODY_MESH, "element_count"));
    CHECK_CALL(answers(with_mesh(1, 6, 3), COUNT, S_BODY_MESH, "bone_count"));
    CHECK_CALL(answers(with_mesh(1, HEM_MAX_BODY_TRIANGLES + 1, 2), COUNT, S_BODY_MESH, "triangle_count"));
    fixture f = with_mesh(1, 6, 2);
    ((uint8_t*)fixture_section(&f, S_BODY_MESH))[0] ^= 1;
    CHECK_CALL(answers(f, VALUE, S_BODY_MESH, "bytes"));
    PASS();
}

TEST it_is_where_the_character_is(void) {
    for (int k = 0; k < 8; ++k) {
        fixture f = with_mesh(1, 6, 2);
        hem_asset_collider* c = (hem_asset_collider*)fixture_section(&f, S_COLLIDERS) + 5;
        if (k < 4) {
            memset(c->rotation, 0, sizeof c->rotation);
            c->rotation[k] = k < 3 ? 1 : -1; // half a turn; the last turns nothing, and is another number all the same
        } else if (k < 7) {
            c->position[k - 4] = 0.5f;
        } else {
            c->bone = 0;
        }
        CHECK_CALL(answers(f, VALUE, S_COLLIDERS, "position"));
    }
    PASS();
}

SUITE(body_mesh_suite);
SUITE(body_mesh_suite) {
    RUN_TEST(an_asset_has_one_mesh_of_its_own_on_its_bones);
    RUN_TEST(it_is_where_the_character_is);
}
