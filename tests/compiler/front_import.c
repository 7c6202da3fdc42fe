// SPDX-License-Identifier: MIT
#include "greatest.h"

#include "front_kit.h"

#include "compiler/import/import.h"

#include <math.h>
#include <meshoptimizer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What import makes of a small known glTF and of its variations.

static bool near(double a, double b) {
    return fabs(a - b) < 1e-5;
}

TEST the_small_one_comes_out_in_metres(void) {
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    ASSERT(kit_import(&k, &d, NULL, NULL));
    const hemc_model* m = &k.model;
    ASSERT_EQ(2, m->primitive_count);
    ASSERT_EQ(KIT_VERTICES + KIT_FLAG_VERTICES, m->vertex_count);
    ASSERT_EQ(KIT_TRIANGLES + 2, m->triangle_count);
    ASSERT_EQ(2, m->bone_count); // the flag hangs on Lower
    ASSERT_STR_EQ("Upper", m->bone_defs[0].name);
    ASSERT_STR_EQ("Lower", m->bone_defs[1].name);
    ASSERT_EQ(0, m->bone_defs[1].parent);
    ASSERT_STR_EQ("Sheet/SheetMesh/0", m->primitives[0].name);
    ASSERT_STR_EQ("Cloth", m->primitives[0].material_name);
    for (int v = 0; v < KIT_VERTICES; ++v) { // the armature's 100 makes metres
        ASSERT(near(m->positions[v].x, 100.0 * d.positions[v][0]));
        ASSERT(near(m->positions[v].y, 100.0 * d.positions[v][1]));
        ASSERT(near(m->normals[v].z, 1));
        ASSERT(near(m->bone_weights[v][0] + m->bone_weights[v][1], 1));
    }
    // The flag: armature 100, Upper at 2 m, Lower 1 m below and scaled back to 1, the flag 0.5 above that.
    ASSERT(near(m->positions[KIT_VERTICES].y, 1.5));
    ASSERT(near(m->positions[KIT_VERTICES + 3].x, 1));
    ASSERT(near(m->positions[KIT_VERTICES + 3].y, 2.5));
    ASSERT_EQ(1, m->bones[KIT_VERTICES][0]);
    ASSERT(near(m->bone_weights[KIT_VERTICES][0], 1));
    // Binds: where the bones are, and their inverses.
    ASSERT(near(m->bone_defs[0].bind[7], 2) && near(m->bone_defs[0].bind[0], 100));
    ASSERT(near(m->bone_defs[1].bind[7], 1) && near(m->bone_defs[1].bind[0], 1));
    ASSERT(near(m->bone_defs[0].inverse_bind[0], 0.01) && near(m->bone_defs[0].inverse_bind[7], -0.02));
    float* pin = hemc_paint_values(m, "_hem_pin");
    ASSERT(pin != NULL);
    ASSERT(near(pin[KIT_VERTICES - 1], 1) && near(pin[0], 0) && near(pin[KIT_VERTICES], 0));
    ASSERT_EQ(1, m->paints[0].present[0]);
    ASSERT_EQ(0, m->paints[0].present[1]);
    // 0.5 linear is 188 in sRGB, 0.25 is 137.
    ASSERT_EQ(188, m->colors[0][0]);
    ASSERT_EQ(137, m->colors[0][1]);
    ASSERT_EQ(255, m->colors[0][2]);
    ASSERT_EQ(0, k.log.warning_count);
    kit_end(&k);
    // The dark end: 0.02 is 39, 0.002 on the straight piece is 7.
    kit_begin(&k);
    ASSERT(kit_import(&k, &d, "[0.5, 0.25, 1, 1]", "[0.02, 0.002, 0, 0.5]"));
    ASSERT_EQ(39, m->colors[0][0]);
    ASSERT_EQ(7, m->colors[0][1]);
    ASSERT_EQ(0, m->colors[0][2]);
    ASSERT_EQ(128, m->colors[0][3]);
    kit_end(&k);
    PASS();
}

static bool same_model(const hemc_model* a, const hemc_model* b) {
    bool same = a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
                a->bone_count == b->bone_count && a->clip_count == b->clip_count && a->paint_count == b->paint_count &&
                a->primitive_count == b->primitive_count;
    if (!same) {
        return false;
    }
    same = memcmp(a->positions, b->positions, a->vertex_count * sizeof(hemc_vec3)) == 0 &&
           memcmp(a->normals, b->normals, a->vertex_count * sizeof(hemc_vec3)) == 0 &&
           memcmp(a->bones, b->bones, a->vertex_count * sizeof(*a->bones)) == 0 &&
           memcmp(a->bone_weights, b->bone_weights, a->vertex_count * sizeof(*a->bone_weights)) == 0 &&
           memcmp(a->colors, b->colors, a->vertex_count * sizeof(*a->colors)) == 0 &&
           memcmp(a->triangles, b->triangles, a->triangle_count * 12) == 0;
    for (uint32_t i = 0; i < a->bone_count; ++i) {
        same = same && strcmp(a->bone_defs[i].name, b->bone_defs[i].name) == 0 &&
               memcmp(a->bone_defs[i].bind, b->bone_defs[i].bind, 48) == 0;
    }
    for (uint32_t i = 0; i < a->clip_count; ++i) {
        same =
            same && a->clips[i].frame_count == b->clips[i].frame_count &&
            memcmp(a->clips[i].frames, b->clips[i].frames, (size_t)a->clips[i].frame_count * a->bone_count * 48) == 0;
    }
    return same;
}

TEST embedded_and_binary_give_the_same_model(void) {
    kit a, b;
    kit_begin(&a);
    kit_begin(&b);
    kit_data d = kit_good();
    ASSERT(kit_import(&a, &d, NULL, NULL));
    size_t size;
    uint8_t* glb = kit_glb(b.arena, &d, NULL, NULL, &size);
    ASSERT(hemc_import_memory(b.arena, &b.log, "test.glb", glb, size, &b.model));
    hemc_recipe recipe;
    hemc_recipe_defaults(&recipe);
    ASSERT(hemc_import_finish(a.arena, &a.log, &recipe, &a.model));
    ASSERT(hemc_import_finish(b.arena, &b.log, &recipe, &b.model));
    ASSERT_EQ(1, a.model.clip_count);
    ASSERT(same_model(&a.model, &b.model));
    d.positions[3][1] += 0.001f;
    kit c;
    kit_begin(&c);
    ASSERT(kit_import(&c, &d, NULL, NULL));
    ASSERT_FALSE(same_model(&a.model, &c.model));
    kit_end(&a);
    kit_end(&b);
    kit_end(&c);
    PASS();
}

// One clip that is too long must not make room for those after it.
TEST all_clips_together_are_bounded(void) {
    uint64_t used = 0;
    ASSERT_FALSE(hemc_clip_fits(&used, HEMC_FRAME_LIMIT, 1));
    ASSERT_FALSE(hemc_clip_fits(&used, NAN, 1));
    ASSERT_EQ(0, used);
    uint32_t taken = 0;
    for (uint32_t i = 0; i < 100; ++i) {
        taken += hemc_clip_fits(&used, 9999, 100) ? 1 : 0; // 10 000 frames of 100 bones
        ASSERT_FALSE(hemc_clip_fits(&used, HEMC_FRAME_LIMIT, 100));
        ASSERT(used <= HEMC_MATRIX_LIMIT);
    }
    ASSERT_EQ(HEMC_MATRIX_LIMIT / 1000000, taken);
    ASSERT_EQ(HEMC_MATRIX_LIMIT, used);
    ASSERT_FALSE(hemc_clip_fits(&used, 0, 1)); // full is full
    PASS();
}

TEST clips_have_whole_frames_and_loop(void) {
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    ASSERT(kit_import(&k, &d, NULL, NULL));
    hemc_recipe recipe;
    hemc_recipe_defaults(&recipe);
    recipe.clip_hz = 24;
    ASSERT(hemc_import_finish(k.arena, &k.log, &recipe, &k.model));
    ASSERT_EQ(1, k.model.clip_count);
    const hemc_clip* clip = &k.model.clips[0];
    ASSERT_STR_EQ("swing", clip->name);
    ASSERT_EQ(25, clip->frame_count);
    ASSERT(near(clip->hz, 24));
    ASSERT(clip->loops);
    // A quarter of the way: 22.5 degrees about x, through Lower's origin at (0, 1, 0).
    const float* m = clip->frames[6 * 2 + 1];
    double c = cos(3.14159265358979 / 8), s = sin(3.14159265358979 / 8);
    double truth[12] = {1, 0, 0, 0, 0, c, -s, 1 - c, 0, s, c, -s};
    for (int i = 0; i < 12; ++i) {
        ASSERT(near(truth[i], m[i]));
    }
    kit_end(&k);

    // Minus the quaternion is the same rotation, and a clip that begins late is the same clip.
    kit turned;
    kit_begin(&k);
    kit_begin(&turned);
    kit_data e = kit_good();
    for (int i = 0; i < 4; ++i) {
        e.rotations[1][i] *= -1;
    }
    for (int i = 0; i < KIT_KEYS; ++i) {
        e.times[i] += 1.0f;
    }
    ASSERT(kit_import(&k, &d, NULL, NULL) && kit_import(&turned, &e, NULL, NULL));
    ASSERT(hemc_import_finish(k.arena, &k.log, &recipe, &k.model));
    ASSERT(hemc_import_finish(turned.arena, &turned.log, &recipe, &turned.model));
    ASSERT_EQ(25, turned.model.clips[0].frame_count);
    for (int i = 0; i < 25 * 2 * 12; ++i) {
        ASSERT(near(k.model.clips[0].frames[i / 12][i % 12], turned.model.clips[0].frames[i / 12][i % 12]));
    }
    kit_end(&k);
    kit_end(&turned);

    kit_begin(&k); // cut short it does not close
    d.rotations[2][0] = 0.2f;
    ASSERT(kit_import(&k, &d, NULL, NULL));
    ASSERT(hemc_import_finish(k.arena, &k.log, &recipe, &k.model));
    ASSERT_FALSE(k.model.clips[0].loops);
    kit_end(&k);
    PASS();
}

// Lower ends turned by an angle, or away from where it began: a degree, and a hundredth of the model's size.
TEST loops_may_be_a_little_open(void) {
    hemc_recipe recipe;
    hemc_recipe_defaults(&recipe);
    static const struct {
        double degrees;
        bool loops;
    } turns[] = {{0.95, true}, {1.05, false}, {-0.95, true}, {-1.05, false}, {90, false}, {179, false}};
    for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); ++i) {
        kit k;
        kit_begin(&k);
        kit_data d = kit_good();
        double half = turns[i].degrees * 3.14159265358979 / 360;
        memcpy(d.rotations[1], d.rotations[0], sizeof(d.rotations[0])); // slowly: no step is longer than a degree
        d.rotations[2][0] = (float)sin(half);
        d.rotations[2][3] = (float)cos(half);
        ASSERT(kit_import(&k, &d, NULL, NULL));
        ASSERT(hemc_import_finish(k.arena, &k.log, &recipe, &k.model));
        const hemc_clip* clip = &k.model.clips[0];
        ASSERT_EQ(turns[i].loops, clip->loops);
        const size_t bones = k.model.bone_count,
                     end = (clip->frame_count - 1) * bones; // a loop repeats its first frame
        ASSERT_EQ(turns[i].loops, memcmp(clip->frames, clip->frames + end, bones * sizeof(*clip->frames)) == 0);
        kit_end(&k);
    }
    // Upper moves instead; the model spans 1.5 x 2.5 x 0.125 m.
    double size = sqrt(1.5 * 1.5 + 2.5 * 2.5 + 0.125 * 0.125);
    static const struct {
        double share;
        bool loops;
    } moves[] = {{0.0095, true}, {0.0105, false}, {-0.0095, true}, {-0.0105, false}};
    for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); ++i) {
        kit k;
        kit_begin(&k);
        kit_data d = kit_good();
        memset(d.rotations, 0, sizeof(d.rotations)); // read as three translations of 12 bytes
        float* translation = &d.rotations[0][0];
        for (int key = 0; key < KIT_KEYS; ++key) {
            translation[3 * key + 1] = 0.02f;
        }
        translation[3 * 2 + 0] = (float)(0.6 * moves[i].share * size / 100); // the armature scales by 100
        translation[3 * 2 + 1] += (float)(0.8 * moves[i].share * size / 100);
        size_t length;
        char* json = kit_gltf(k.arena, &d, "{\"node\": 2, \"path\": \"rotation\"}",
                              "{\"node\": 1, \"path\": \"translation\"}", &length);
        char* type = strstr(json, "\"count\": 3, \"type\": \"VEC4\"");
        ASSERT(type != NULL);
        memcpy(strstr(type, "VEC4"), "VEC3", 4);
        ASSERT(kit_import_text(&k, json));
        ASSERT(hemc_import_finish(k.arena, &k.log, &recipe, &k.model));
        ASSERT_EQ(moves[i].loops, k.model.clips[0].loops);
        kit_end(&k);
    }
    PASS();
}

// A turn of 720 degrees at an even pace, a step of it left off at the end; then a tenth of the way more than a step.
TEST loops_without_their_closing_key_get_it(void) {
    hemc_recipe recipe;
    hemc_recipe_defaults(&recipe);
    recipe.clip_hz = 20;
    for (int open = 0; open < 2; ++open) {
        kit k;
        kit_begin(&k);
        kit_data d = kit_good();
        double step = 180.0 / 10.5, end = open ? 360 - 1.6 * step : 360 - step; // degrees
        for (int key = 0; key < KIT_KEYS; ++key) {
            double half = 0.5 * end * key / (KIT_KEYS - 1) * 3.14159265358979 / 180;
            d.rotations[key][0] = (float)sin(half);
            d.rotations[key][3] = (float)cos(half);
        }
        ASSERT(kit_import(&k, &d, NULL, NULL));
        ASSERT(hemc_import_finish(k.arena, &k.log, &recipe, &k.model));
        const hemc_clip* clip = &k.model.clips[0];
        ASSERT_EQ(!open, clip->loops);
        ASSERT_EQ(open ? 21 : 22, clip->frame_count);
        ASSERT(near(clip->hz, 20));
        for (uint32_t f = 0; f < clip->frame_count; ++f) { // an even pace over the seam as well
            double angle = end / 20 * f * 3.14159265358979 / 180;
            ASSERT(fabs(clip->frames[2 * f + 1][5] - cos(angle)) < 1e-4);
        }
        kit_end(&k);
    }
    PASS();
}

TEST recipe_scale_scales_everything(void) {
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    ASSERT(kit_import(&k, &d, NULL, NULL));
    hemc_recipe recipe;
    hemc_recipe_defaults(&recipe);
    recipe.scale = 0.5f;
    ASSERT(hemc_import_finish(k.arena, &k.log, &recipe, &k.model));
    ASSERT(near(k.model.positions[KIT_VERTICES + 3].y, 1.25));
    const float* bind = k.model.bone_defs[1].bind;
    const float* inverse = k.model.bone_defs[1].inverse_bind;
    ASSERT(near(bind[7], 0.5) && near(bind[0], 0.5) && near(inverse[0], 2) && near(inverse[7], -1));
    const float* m = k.model.clips[0].frames[15 * 2 + 1]; // 45 degrees about (0, 0.5, 0)
    ASSERT(near(m[7], 0.5 - 0.5 * sqrt(0.5)) && near(m[11], -0.5 * sqrt(0.5)));
    kit_end(&k);
    PASS();
}

TEST steps_and_splines_are_sampled(void) {
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    hemc_recipe recipe;
    hemc_recipe_defaults(&recipe);
    ASSERT(kit_import(&k, &d, "LINEAR", "STEP"));
    ASSERT(hemc_import_finish(k.arena, &k.log, &recipe, &k.model));
    ASSERT(near(k.model.clips[0].frames[14 * 2 + 1][5], 1));         // still
    ASSERT(near(k.model.clips[0].frames[15 * 2 + 1][5], sqrt(0.5))); // turned
    ASSERT(near(k.model.clips[0].frames[29 * 2 + 1][5], sqrt(0.5)));
    ASSERT(near(k.model.clips[0].frames[30 * 2 + 1][5], 1));
    kit_end(&k);

    // One span, from x = 0 to x = 1 with tangents of 2 and -3: Hermite's closed form.
    static const char text[] = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":["
                               "{\"attributes\":{\"POSITION\":0}}]}],"
                               "\"animations\":[{\"samplers\":[{\"input\":1,\"output\":2,\"interpolation\":"
                               "\"CUBICSPLINE\"}],\"channels\":[{\"sampler\":0,"
                               "\"target\":{\"node\":0,\"path\":\"translation\"}}]}],"
                               "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
                               "{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},{"
                               "\"bufferView\":2,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"}],"
                               "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,"
                               "\"byteLength\":8},{\"buffer\":0,\"byteOffset\":44,\"byteLength\":72}],"
                               "\"buffers\":[{\"byteLength\":116}]}";
    float data[29] = {0,  0, 0, 1, 0, 0, 0, 1, 0, /* times */ 0, 2, /* in value out, twice */ 0, 0, 0, 0, 0, 0, 2, 0, 0,
                      -3, 0, 0, 1, 0, 0, 0, 0, 0};
    size_t json = sizeof(text) - 1, padded = (json + 3) / 4 * 4;
    uint8_t* glb = calloc(1, 28 + padded + sizeof(data));
    uint32_t words[5] = {0x46546c67, 2, (uint32_t)(28 + padded + sizeof(data)), (uint32_t)padded, 0x4e4f534a};
    memcpy(glb, words, 20);
    memset(glb + 20, ' ', padded);
    memcpy(glb + 20, text, json);
    uint32_t chunk[2] = {sizeof(data), 0x004e4942};
    memcpy(glb + 20 + padded, chunk, 8);
    memcpy(glb + 28 + padded, data, sizeof(data));
    kit_begin(&k);
    ASSERT(hemc_import_memory(k.arena, &k.log, "t.glb", glb, 28 + padded + sizeof(data), &k.model));
    ASSERT(hemc_import_finish(k.arena, &k.log, &recipe, &k.model));
    const hemc_clip* clip = &k.model.clips[0];
    ASSERT_EQ(61, clip->frame_count);
    for (uint32_t f = 0; f < 61; ++f) {
        double t = f / 60.0;
        double x = 2 * (t * t * t - 2 * t * t + t) * 2 + (3 * t * t - 2 * t * t * t) + 2 * (t * t * t - t * t) * -3;
        ASSERT(near(x, clip->frames[f][3]));
    }
    kit_end(&k);
    free(glb);
    PASS();
}

TEST strips_fans_and_missing_normals(void) {
    kit k;
    kit_data d = kit_good();
    // The strip 0 1 2 3: (0 1 2) (1 3 2), both facing +z.
    kit_begin(&k);
    ASSERT(kit_import(&k, &d, NULL, NULL));
    const uint32_t* t = &k.model.triangles[3 * KIT_TRIANGLES];
    uint32_t strip[6] = {0, 1, 2, 1, 3, 2};
    for (int i = 0; i < 6; ++i) {
        ASSERT_EQ(KIT_VERTICES + strip[i], t[i]);
    }
    for (int v = 0; v < 4; ++v) {
        ASSERT(near(k.model.normals[KIT_VERTICES + v].z, 1));
    }
    kit_end(&k);
    kit_begin(&k);
    ASSERT(kit_import(&k, &d, "\"mode\": 5", "\"mode\": 6"));
    t = &k.model.triangles[3 * KIT_TRIANGLES];
    uint32_t fan[6] = {1, 2, 0, 2, 3, 0};
    for (int i = 0; i < 6; ++i) {
        ASSERT_EQ(KIT_VERTICES + fan[i], t[i]);
    }
    kit_end(&k);
    kit_begin(&k);
    ASSERT(kit_import(&k, &d, "\"mode\": 5", "\"mode\": 1"));
    ASSERT_EQ(1, k.model.primitive_count);
    ASSERT(kit_log_has(&k.log, HEMC_NOTE, "/meshes/1/primitives/0: points and lines"));
    kit_end(&k);
    PASS();
}

TEST mirrors_keep_the_outside_out(void) {
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    ASSERT(kit_import(&k, &d, "\"name\": \"Flag\", ", "\"name\": \"Flag\", \"scale\": [-1, 1, 1], "));
    const hemc_model* m = &k.model;
    for (uint32_t t = KIT_TRIANGLES; t < m->triangle_count; ++t) {
        hemc_vec3 a = m->positions[m->triangles[3 * t]], b = m->positions[m->triangles[3 * t + 1]],
                  c = m->positions[m->triangles[3 * t + 2]];
        double nz = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        ASSERT(nz > 0);
        ASSERT(a.x <= 0 && b.x <= 0 && c.x <= 0);
    }
    kit_end(&k);
    PASS();
}

TEST a_rigid_mesh_on_an_animated_node_gets_its_bone(void) {
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    ASSERT(kit_import(&k, &d, "\"target\": {\"node\": 2", "\"target\": {\"node\": 4"));
    ASSERT_EQ(3, k.model.bone_count);
    ASSERT_STR_EQ("Flag", k.model.bone_defs[2].name);
    ASSERT_EQ(1, k.model.bone_defs[2].parent);
    ASSERT_EQ(2, k.model.bones[KIT_VERTICES][0]);
    ASSERT(near(k.model.positions[KIT_VERTICES].y, 1.5));
    kit_end(&k);
    // Hung on nothing that moves: the added root.
    kit_begin(&k);
    ASSERT(kit_import(&k, &d, "\"mesh\": 0, \"skin\": 0", "\"mesh\": 0"));
    ASSERT_EQ(2, k.model.bone_count);
    ASSERT_STR_EQ("Lower", k.model.bone_defs[0].name);
    ASSERT_STR_EQ("root", k.model.bone_defs[1].name);
    ASSERT_EQ(1, k.model.bones[0][0]);
    ASSERT_EQ(0, k.model.bones[KIT_VERTICES][0]);
    ASSERT(near(k.model.positions[KIT_VERTICES - 1].y, 2));
    kit_end(&k);
    PASS();
}

TEST the_rest_shape_is_the_bind_pose(void) {
    // Nodes stand in another pose than the skin was bound in: the rest shape must not change.
    kit k, bent;
    kit_begin(&k);
    kit_begin(&bent);
    kit_data d = kit_good();
    ASSERT(kit_import(&k, &d, NULL, NULL));
    ASSERT(kit_import(&bent, &d, "\"scale\": [0.01, 0.01, 0.01]",
                      "\"scale\": [0.01, 0.01, 0.01], \"rotation\": [0.6, 0, 0, 0.8]"));
    for (uint32_t v = 0; v < k.model.vertex_count; ++v) { // the rigid flag too follows its bone back
        ASSERT(near(k.model.positions[v].x, bent.model.positions[v].x));
        ASSERT(near(k.model.positions[v].y, bent.model.positions[v].y));
        ASSERT(near(k.model.positions[v].z, bent.model.positions[v].z));
    }
    kit_end(&k);
    kit_end(&bent);
    PASS();
}

TEST influences_are_chosen_and_mended(void) {
    kit k;
    kit_data d = kit_good();
    kit_begin(&k); // weight 0 on a joint that is not there
    d.joints[4][3] = 77;
    ASSERT(kit_import(&k, &d, NULL, NULL));
    ASSERT(kit_log_has(&k.log, HEMC_WARNING, "/meshes/0/primitives/0: 1 influences refer to joints"));
    kit_end(&k);
    kit_begin(&k); // a little weight
    d.weights[4][3] = 0.02f;
    ASSERT(kit_import(&k, &d, NULL, NULL));
    ASSERT(near(k.model.bone_weights[4][0] + k.model.bone_weights[4][1], 1));
    kit_end(&k);
    kit_begin(&k); // too much
    d.weights[4][3] = 0.5f;
    ASSERT_FALSE(kit_import(&k, &d, NULL, NULL));
    ASSERT(kit_log_has(&k.log, HEMC_ERROR, "vertex 4 is bound to joint 77 with 50 %"));
    kit_end(&k);
    d = kit_good();
    kit_begin(&k);
    for (int i = 0; i < 4; ++i) {
        d.weights[7][i] *= 3;
        d.weights[8][i] = 0;
    }
    ASSERT(kit_import(&k, &d, NULL, NULL));
    ASSERT(near(k.model.bone_weights[7][0], 0.5) && near(k.model.bone_weights[7][1], 0.5));
    ASSERT(near(k.model.bone_weights[8][0], 1));
    ASSERT(kit_log_has(&k.log, HEMC_WARNING, "weights of 1 vertices do not sum to 1"));
    ASSERT(kit_log_has(&k.log, HEMC_WARNING, "1 vertices have no weight at all"));
    kit_end(&k);
    // Eight influences: JOINTS_1 and WEIGHTS_1 are the same arrays, so that everything doubles and merges.
    d = kit_good();
    kit_begin(&k);
    ASSERT(kit_import(&k, &d, "\"WEIGHTS_0\": 3,", "\"WEIGHTS_0\": 3, \"JOINTS_1\": 2, \"WEIGHTS_1\": 3,"));
    for (int v = 0; v < KIT_VERTICES; ++v) {
        double sum = 0;
        for (int i = 0; i < 4; ++i) {
            sum += k.model.bone_weights[v][i];
            ASSERT(i < 2 || k.model.bone_weights[v][i] == 0);
        }
        ASSERT(near(sum, 1));
    }
    kit_end(&k);
    PASS();
}

TEST quantised_and_sparse_accessors_are_read(void) {
    // Positions as normalised shorts under a node that scales them back; vertex 1 is moved by a sparse substitution.
    static const char format[] =
        "{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"KHR_mesh_quantization\"],\"extensionsUsed\":[\"KHR_"
        "mesh_quantization\"],"
        "\"nodes\":[{\"mesh\":0,\"scale\":[2,2,2]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5122,\"normalized\":true,\"count\":3,\"type\":\"VEC3\","
        "\"sparse\":{\"count\":1,"
        "\"indices\":{\"bufferView\":1,\"componentType\":5121},\"values\":{\"bufferView\":2}}}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":24,\"byteStride\":8},{\"buffer\":0,\"byteOffset\":24,"
        "\"byteLength\":1},{\"buffer\":0,\"byteOffset\":26,\"byteLength\":6}],"
        "\"buffers\":[{\"byteLength\":32,\"uri\":\"data:application/octet-stream;base64,%s\"}]}";
    // 0 0 0 pad, 32767 0 0 pad, 0 -32767 -32768 pad, index 1, pad, 16384 0 0
    const char* data = "AAAAAAAAAAD/fwAAAAAAAAAAAYAAgAAAAQAAQAAAAAA=";
    kit k;
    kit_begin(&k);
    ASSERT(kit_import_text(&k, hemc_format(k.arena, format, data)));
    ASSERT(near(k.model.positions[1].x, 2 * 16384.0 / 32767));
    ASSERT(near(k.model.positions[2].y, -2));
    ASSERT(near(k.model.positions[2].z, -2));
    ASSERT_EQ(0, k.log.warning_count);
    kit_end(&k);
    PASS();
}

TEST packed_views_are_unpacked(void) {
    kit_data d = kit_good();
    unsigned char vertices[1024], triangles[1024];
    meshopt_encodeVertexVersion(0);
    size_t vertex_size = meshopt_encodeVertexBuffer(vertices, sizeof(vertices), d.positions, KIT_VERTICES, 12);
    unsigned int wide[KIT_TRIANGLES * 3];
    for (int i = 0; i < KIT_TRIANGLES * 3; ++i) {
        wide[i] = d.indices[i];
    }
    size_t triangle_size = meshopt_encodeIndexBuffer(triangles, sizeof(triangles), wide, KIT_TRIANGLES * 3);
    for (int khr = 0; khr < 2; ++khr) {
        for (int damage = 0; damage < 2; ++damage) {
            kit k;
            kit_begin(&k);
            char* json =
                hemc_format(k.arena,
                            "{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"%s_meshopt_compression\"],"
                            "\"nodes\":[{\"mesh\":0}],"
                            "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
                            "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":15,\"type\":\"VEC3\"},{"
                            "\"bufferView\":1,\"componentType\":5123,\"count\":48,\"type\":\"SCALAR\"}],"
                            "\"bufferViews\":[{\"buffer\":1,\"byteLength\":180,\"byteStride\":12,\"extensions\":{\"%s_"
                            "meshopt_compression\":{\"buffer\":0,\"byteLength\":%zu,\"byteStride\":12,\"count\":15,"
                            "\"mode\":\"ATTRIBUTES\"}}},"
                            "{\"buffer\":1,\"byteOffset\":180,\"byteLength\":96,\"extensions\":{\"%s_meshopt_"
                            "compression\":{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"byteStride\":2,"
                            "\"count\":48,\"mode\":\"TRIANGLES\"}}}],"
                            "\"buffers\":[{\"byteLength\":%zu},{\"byteLength\":276}]}",
                            khr ? "KHR" : "EXT", khr ? "KHR" : "EXT", vertex_size, khr ? "KHR" : "EXT", vertex_size,
                            triangle_size, vertex_size + triangle_size);
            size_t length = strlen(json), padded = (length + 3) / 4 * 4, bin = vertex_size + triangle_size;
            uint8_t* glb = hemc_alloc(k.arena, 28 + padded + bin, 1);
            uint32_t words[5] = {0x46546c67, 2, (uint32_t)(28 + padded + bin), (uint32_t)padded, 0x4e4f534a};
            memcpy(glb, words, 20);
            memset(glb + 20, ' ', padded);
            memcpy(glb + 20, json, length);
            uint32_t chunk[2] = {(uint32_t)bin, 0x004e4942};
            memcpy(glb + 20 + padded, chunk, 8);
            memcpy(glb + 28 + padded, vertices, vertex_size);
            memcpy(glb + 28 + padded + vertex_size, triangles, triangle_size);
            glb[28 + padded] ^= damage ? 0x55 : 0; // the codec's own header byte
            bool good = hemc_import_memory(k.arena, &k.log, "t.glb", glb, 28 + padded + bin, &k.model);
            ASSERT_EQ(!damage, good);
            if (damage) {
                ASSERT(kit_log_has(&k.log, HEMC_ERROR, "/bufferViews/0: its meshopt data is damaged"));
            } else {
                for (int v = 0; v < KIT_VERTICES; ++v) {
                    ASSERT_EQ(0, memcmp(&k.model.positions[v], d.positions[v], 12));
                }
                ASSERT_EQ(KIT_TRIANGLES, k.model.triangle_count);
            }
            kit_end(&k);
        }
    }
    PASS();
}

// A triangle whose colours went through YCoCg by hand, K = 8 and K = 6 bits of eight, and K = 16.
TEST the_colour_filter_is_decoded(void) {
    static const struct {
        int16_t coded[4];
        uint16_t wanted[4];
        size_t stride;
    } rows[] = {
        {{100, 20, -10, 255}, {130, 90, 90, 255}, 4},        // y + co - cg, y + cg, y - co - cg
        {{0, 0, 0, 128}, {0, 0, 0, 0}, 4},                   // alpha 0
        {{128, 127, 0, 192}, {255, 128, 1, 128}, 4},         // alpha 64 of 127, doubled
        {{32, 10, 5, 63}, {150, 150, 69, 255}, 4},           // six bits: 37, 37, 17 of 63
        {{1000, 300, -200, -1}, {1500, 800, 900, 65535}, 8}, // sixteen bits
        {{16, 0, 0, 31}, {33825, 33825, 33825, 65535}, 8},   // five bits of sixteen: 16 of 31
    };
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); ++r) {
        kit k;
        kit_begin(&k);
        uint8_t plain[3 * 8] = {0}, colors[256], points[256];
        float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
        for (size_t v = 0; v < 3; ++v) {
            for (size_t c = 0; c < 4; ++c) {
                uint8_t narrow = (uint8_t)rows[r].coded[c];
                memcpy(plain + v * rows[r].stride + c * (rows[r].stride / 4),
                       rows[r].stride == 4 ? (const void*)&narrow : (const void*)&rows[r].coded[c], rows[r].stride / 4);
            }
        }
        meshopt_encodeVertexVersion(0);
        size_t size = meshopt_encodeVertexBuffer(colors, sizeof(colors), plain, 3, rows[r].stride);
        memcpy(points, positions, 36);
        memcpy(points + 36, colors, size);
        static const char format[] =
            "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
            "\"POSITION\":0,\"COLOR_0\":1}}]}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,"
            "\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":%d,\"normalized\":true,\"count\":3,\"type\":"
            "\"VEC4\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},{\"buffer\":1,\"byteLength\":%zu,"
            "\"extensions\":"
            "{\"KHR_meshopt_compression\":{\"buffer\":0,\"byteOffset\":36,\"byteLength\":%zu,\"byteStride\":%zu,"
            "\"count\":3,\"mode\":\"ATTRIBUTES\",\"filter\":\"%s\"}}}],\"buffers\":[{\"byteLength\":%zu,\"uri\":"
            "\"data:application/octet-stream;base64,%s\"},{\"byteLength\":24}]}";
        char* coded = kit_base64(k.arena, points, 36 + size);
        ASSERT(kit_import_text(&k, hemc_format(k.arena, format, rows[r].stride == 4 ? 5121 : 5123, 3 * rows[r].stride,
                                               size, rows[r].stride, "COLOR", 36 + size, coded)));
        ASSERT_EQ(4, k.model.paint_count);
        for (int c = 0; c < 4; ++c) {
            double unit = rows[r].stride == 4 ? 255.0 : 65535.0;
            ASSERT_IN_RANGE(rows[r].wanted[c], k.model.paints[c].values[1] * unit, 0.01);
        }
        kit_end(&k);
        kit_begin(&k); // a word that nobody knows is not passed over
        coded = kit_base64(k.arena, points, 36 + size);
        ASSERT_FALSE(
            kit_import_text(&k, hemc_format(k.arena, format, rows[r].stride == 4 ? 5121 : 5123, 3 * rows[r].stride,
                                            size, rows[r].stride, "COLOUR", 36 + size, coded)));
        ASSERT(
            kit_log_has(&k.log, HEMC_ERROR,
                        "/bufferViews/1/extensions/KHR_meshopt_compression/filter: \"COLOUR\" is no meshopt filter"));
        kit_end(&k);
    }
    PASS();
}

TEST what_is_not_supported_is_named(void) {
    kit k;
    kit_data d = kit_good();
    kit_begin(&k);
    ASSERT_FALSE(
        kit_import(&k, &d, "\"scene\": 0,", "\"scene\": 0, \"extensionsRequired\": [\"KHR_draco_mesh_compression\"],"));
    ASSERT(kit_log_has(&k.log, HEMC_ERROR, "export again without compression"));
    kit_end(&k);
    kit_begin(&k);
    ASSERT_FALSE(kit_import(&k, &d, "\"scene\": 0,", "\"scene\": 0, \"extensionsRequired\": [\"ACME_wobble\"],"));
    ASSERT(kit_log_has(&k.log, HEMC_ERROR, "ACME_wobble"));
    kit_end(&k);
    kit_begin(&k);
    ASSERT(kit_import(&k, &d, "\"scene\": 0,",
                      "\"scene\": 0, \"extensionsRequired\": [\"KHR_materials_unlit\", \"KHR_texture_transform\"],"));
    kit_end(&k);
    PASS();
}

TEST extras_become_a_recipe(void) {
    kit k;
    kit_data d = kit_good();
    kit_begin(&k);
    ASSERT(kit_import(&k, &d, NULL, NULL));
    ASSERT_EQ(NULL, k.model.extras_recipe);
    kit_end(&k);
    // As an object on a node, and as text (which is all a modelling tool can write) on a material.
    kit_begin(&k);
    ASSERT(kit_import(&k, &d, "\"name\": \"Flag\",",
                      "\"name\": \"Flag\", \"extras\": {\"hem\": {\"spacing\": 0.25, \"generator\": \"vertices\"}},"));
    ASSERT(k.model.extras_recipe != NULL);
    hemc_recipe recipe;
    ASSERT(hemc_recipe_load(k.arena, &k.log, NULL, &k.model, &recipe));
    ASSERT_EQ(1, recipe.part_count);
    ASSERT_STR_EQ("Flag", recipe.parts[0].name);
    ASSERT(near(recipe.parts[0].spacing, 0.25));
    ASSERT_EQ(HEMC_VERTICES, recipe.parts[0].generator);
    int32_t owner[KIT_TRIANGLES + 2];
    ASSERT(hemc_select(k.arena, &k.log, &k.model, &recipe, owner));
    for (int t = 0; t < KIT_TRIANGLES + 2; ++t) {
        ASSERT_EQ(t >= KIT_TRIANGLES ? 0 : HEM_NONE, owner[t]);
    }
    kit_end(&k);
    kit_begin(&k);
    ASSERT(kit_import(&k, &d, "\"name\": \"Cloth\",",
                      "\"name\": \"Cloth\", \"extras\": {\"hem\": \"{\\\"material\\\": \\\"silk\\\", // thin\\n}\"},"));
    ASSERT(hemc_recipe_load(k.arena, &k.log, NULL, &k.model, &recipe));
    ASSERT_STR_EQ("Cloth", recipe.parts[0].name);
    ASSERT(hemc_select(k.arena, &k.log, &k.model, &recipe, owner));
    ASSERT_EQ(0, owner[0]);
    ASSERT_EQ(HEM_NONE, owner[KIT_TRIANGLES]);
    kit_end(&k);
    // Faults are named where they stand.
    kit_begin(&k);
    ASSERT(
        kit_import(&k, &d, "\"name\": \"Flag\",", "\"name\": \"Flag\", \"extras\": {\"hem\": {\"spaceing\": 0.25}},"));
    ASSERT_FALSE(hemc_recipe_load(k.arena, &k.log, NULL, &k.model, &recipe));
    ASSERT(kit_log_has(&k.log, HEMC_ERROR, "/nodes/4/extras/hem/spaceing: unknown key; did you mean \"spacing\"?"));
    kit_end(&k);
    // On a bone: what follows it.
    kit_begin(&k);
    ASSERT(kit_import(&k, &d, "\"name\": \"Lower\",", "\"name\": \"Lower\", \"extras\": {\"hem\": true},"));
    ASSERT(hemc_recipe_load(k.arena, &k.log, NULL, &k.model, &recipe));
    ASSERT(hemc_select(k.arena, &k.log, &k.model, &recipe, owner));
    ASSERT_EQ(0, owner[0]);
    ASSERT_EQ(HEM_NONE, owner[KIT_TRIANGLES - 1]);
    ASSERT_EQ(0, owner[KIT_TRIANGLES]);
    kit_end(&k);
    PASS();
}

TEST every_cut_of_a_glb_is_refused(void) {
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    size_t size;
    uint8_t* glb = kit_glb(k.arena, &d, NULL, NULL, &size);
    for (size_t cut = 0; cut < size; cut += cut < 64 || cut + 64 > size ? 1 : 37) {
        kit c;
        kit_begin(&c);
        uint8_t* tight = malloc(cut + (cut == 0));
        memcpy(tight, glb, cut);
        ASSERT_FALSE(hemc_import_memory(c.arena, &c.log, "cut.glb", tight, cut, &c.model));
        ASSERT(c.log.error_count > 0);
        free(tight);
        kit_end(&c);
    }
    kit_end(&k);
    PASS();
}

// A recipe's word counts more than what a clip looks like; what is made to loop gets a last frame that is its first.
TEST a_recipe_says_what_loops(void) {
    static const char* const name[] = {"sw*"};
    static const char* const other[] = {"walk"};
    for (int closed = 0; closed < 2; ++closed) {
        for (int word = 0; word < 4; ++word) { // loop, once, and the same about another clip
            kit k;
            kit_begin(&k);
            kit_data d = kit_good();
            d.rotations[2][0] = closed ? d.rotations[2][0] : 0.2f;
            hemc_recipe recipe;
            hemc_recipe_defaults(&recipe);
            recipe.clip_hz = 24;
            *(word % 2 ? &recipe.clip_once : &recipe.clip_loop) = (const char**)(uintptr_t)(word < 2 ? name : other);
            *(word % 2 ? &recipe.clip_once_count : &recipe.clip_loop_count) = 1;
            ASSERT(kit_import(&k, &d, NULL, NULL));
            ASSERT(hemc_import_finish(k.arena, &k.log, &recipe, &k.model));
            const hemc_clip* clip = &k.model.clips[0];
            const bool loops = word == 0 || (word > 1 && closed);
            ASSERT_EQ(loops, clip->loops);
            ASSERT_EQ(loops && !closed ? 26 : 25, clip->frame_count);
            if (loops) {
                ASSERT_EQ(0,
                          memcmp(clip->frames, clip->frames + (clip->frame_count - 1) * 2, 2 * sizeof(*clip->frames)));
            }
            kit_end(&k);
        }
    }
    PASS();
}

// Lower does not come back, but nothing follows it.
TEST what_carries_nothing_keeps_no_loop_open(void) {
    hemc_recipe recipe;
    hemc_recipe_defaults(&recipe);
    for (int carries = 0; carries < 2; ++carries) {
        kit k;
        kit_begin(&k);
        kit_data d = kit_good();
        d.rotations[2][0] = 0.2f;
        ASSERT(kit_import(&k, &d, NULL, NULL));
        for (uint32_t v = 0; v < k.model.vertex_count && !carries; ++v) {
            for (int i = 0; i < 4; ++i) {
                k.model.bones[v][i] = 0;
            }
        }
        ASSERT(hemc_import_finish(k.arena, &k.log, &recipe, &k.model));
        ASSERT_EQ(!carries, k.model.clips[0].loops);
        kit_end(&k);
    }
    PASS();
}

SUITE(front_import_suite) {
    RUN_TEST(the_small_one_comes_out_in_metres);
    RUN_TEST(embedded_and_binary_give_the_same_model);
    RUN_TEST(all_clips_together_are_bounded);
    RUN_TEST(clips_have_whole_frames_and_loop);
    RUN_TEST(loops_may_be_a_little_open);
    RUN_TEST(loops_without_their_closing_key_get_it);
    RUN_TEST(a_recipe_says_what_loops);
    RUN_TEST(what_carries_nothing_keeps_no_loop_open);
    RUN_TEST(recipe_scale_scales_everything);
    RUN_TEST(steps_and_splines_are_sampled);
    RUN_TEST(strips_fans_and_missing_normals);
    RUN_TEST(mirrors_keep_the_outside_out);
    RUN_TEST(a_rigid_mesh_on_an_animated_node_gets_its_bone);
    RUN_TEST(the_rest_shape_is_the_bind_pose);
    RUN_TEST(influences_are_chosen_and_mended);
    RUN_TEST(quantised_and_sparse_accessors_are_read);
    RUN_TEST(packed_views_are_unpacked);
    RUN_TEST(the_colour_filter_is_decoded);
    RUN_TEST(what_is_not_supported_is_named);
    RUN_TEST(extras_become_a_recipe);
    RUN_TEST(every_cut_of_a_glb_is_refused);
}
