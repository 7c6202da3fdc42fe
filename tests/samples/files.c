// SPDX-License-Identifier: MIT
#include "fixture.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What the written files promise to whoever reads them.

// -- Counts

TEST triangle_counts_are_within_a_tenth_of_the_table(void) {
    static const struct {
        const char* name;
        int32_t triangles;
    } table[] = {{"monster", 40000}, {"hair", 17000}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        sample* s = sample_get(table[i].name);
        ASSERT(s != NULL);
        cgltf_size indices = 0;
        for (cgltf_size m = 0; m < s->data->meshes_count; ++m) {
            for (cgltf_size p = 0; p < s->data->meshes[m].primitives_count; ++p) {
                indices += s->data->meshes[m].primitives[p].indices->count;
            }
        }
        ASSERT_IN_RANGEm(table[i].name, (double)table[i].triangles, (double)(indices / 3), 0.1 * table[i].triangles);
    }
    PASS();
}

TEST every_file_has_skeleton_clips_and_names(void) {
    for (int32_t i = 0; i < kit_sample_count; ++i) {
        sample* s = sample_get(kit_samples[i].name);
        ASSERTm(kit_samples[i].name, s != NULL);
        ASSERT_EQ(cgltf_result_success, cgltf_validate(s->data));
        ASSERT_EQ(1, s->data->skins_count);
        ASSERT_EQ((cgltf_size)s->model->bone_count, s->data->skins[0].joints_count);
        ASSERT(s->data->animations_count > 0);
        for (cgltf_size n = 0; n < s->data->nodes_count; ++n) {
            ASSERT(s->data->nodes[n].name != NULL);
            for (cgltf_size k = n + 1; k < s->data->nodes_count; ++k) {
                // Bones and meshes may share a name with each other, two bones may not.
                bool bones = s->data->nodes[n].mesh == NULL && s->data->nodes[k].mesh == NULL;
                ASSERTm(s->data->nodes[n].name, !bones || strcmp(s->data->nodes[n].name, s->data->nodes[k].name) != 0);
            }
        }
    }
    PASS();
}

// -- Vertices

TEST weights_sum_to_one_and_unused_joints_are_zero(void) {
    for (int32_t i = 0; i < kit_sample_count; ++i) {
        sample* s = sample_get(kit_samples[i].name);
        for (cgltf_size m = 0; m < s->data->meshes_count; ++m) {
            for (cgltf_size p = 0; p < s->data->meshes[m].primitives_count; ++p) {
                const cgltf_primitive* primitive = &s->data->meshes[m].primitives[p];
                const cgltf_accessor* weights = primitive_attribute(primitive, "WEIGHTS_0");
                const cgltf_accessor* joints = primitive_attribute(primitive, "JOINTS_0");
                for (cgltf_size v = 0; v < weights->count; ++v) {
                    float w[4];
                    cgltf_uint j[4];
                    cgltf_accessor_read_float(weights, v, w, 4);
                    cgltf_accessor_read_uint(joints, v, j, 4);
                    ASSERT_EQm(s->name, 1.0f, w[0] + w[1] + w[2] + w[3]);
                    for (int32_t k = 0; k < 4; ++k) {
                        ASSERTm(s->name,
                                w[k] >= 0.0f && j[k] < s->data->skins[0].joints_count && (w[k] > 0.0f || j[k] == 0));
                    }
                }
            }
        }
    }
    PASS();
}

TEST normals_are_unit_and_painted_attributes_lie_in_0_1(void) {
    static const char* const painted[] = {"_HEM_BLEND", "_HEM_PIN", "_HEM_STIFFNESS"};
    int32_t seen[3] = {0, 0, 0};
    for (int32_t i = 0; i < kit_sample_count; ++i) {
        sample* s = sample_get(kit_samples[i].name);
        for (cgltf_size m = 0; m < s->data->meshes_count; ++m) {
            for (cgltf_size p = 0; p < s->data->meshes[m].primitives_count; ++p) {
                const cgltf_primitive* primitive = &s->data->meshes[m].primitives[p];
                const cgltf_accessor* normals = primitive_attribute(primitive, "NORMAL");
                for (cgltf_size v = 0; v < normals->count; ++v) {
                    float n[3];
                    cgltf_accessor_read_float(normals, v, n, 3);
                    ASSERT_IN_RANGEm(s->name, 1.0f, n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1e-5f);
                }
                for (int32_t k = 0; k < 3; ++k) {
                    const cgltf_accessor* paint = primitive_attribute(primitive, painted[k]);
                    seen[k] += paint != NULL;
                    for (cgltf_size v = 0; paint != NULL && v < paint->count; ++v) {
                        float x;
                        cgltf_accessor_read_float(paint, v, &x, 1);
                        ASSERTm(s->name, x >= 0.0f && x <= 1.0f);
                    }
                }
            }
        }
    }
    ASSERTm("each painted attribute is used somewhere", seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
    PASS();
}

TEST bind_pose_skins_every_vertex_onto_itself(void) {
    for (int32_t i = 0; i < kit_sample_count; ++i) {
        sample* s = sample_get(kit_samples[i].name);
        sample_pose(s, NULL, 0);
        for (cgltf_size m = 0; m < s->data->meshes_count; ++m) {
            const cgltf_primitive* primitive = &s->data->meshes[m].primitives[0];
            const cgltf_accessor* positions = primitive_attribute(primitive, "POSITION");
            for (cgltf_size v = 0; v < positions->count; v += 17) {
                float p[3];
                cgltf_accessor_read_float(positions, v, p, 3);
                kit_vec q = skinned_vertex(&s->data->skins[0], primitive, v);
                ASSERT_IN_RANGEm(s->name, 0.0, kit_distance(q, kit_v((double)p[0], (double)p[1], (double)p[2])), 2e-6);
            }
        }
    }
    PASS();
}

// Bones are written in orientations of their own; a mistake there would show only when they move.
TEST a_reader_poses_bones_where_the_author_put_them(void) {
    for (int32_t i = 0; i < kit_sample_count; ++i) {
        sample* s = sample_get(kit_samples[i].name);
        kit_frame* frames = malloc((size_t)s->model->bone_count * sizeof(kit_frame));
        double worst = 0.0;
        for (int32_t c = 0; c < s->model->clip_count; ++c) {
            kit_clip* clip = s->model->clips[c];
            for (int32_t f = 0; f < clip->frame_count; f += 7) {
                sample_pose(s, &s->data->animations[c], f);
                kit_pose_world(s->model, kit_clip_pose(clip, f), frames);
                for (int32_t b = 0; b < s->model->bone_count; ++b) {
                    double d = kit_distance(frames[b].origin, node_place(&s->data->nodes[b]));
                    worst = d > worst ? d : worst;
                }
            }
        }
        free(frames);
        ASSERT_IN_RANGEm(s->name, 0.0, worst, 2e-5);
    }
    PASS();
}

// -- Surfaces

typedef struct edge {
    int32_t low, high, count;
} edge;

// Edges of the triangles of one material, after welding by place; returns how many are not shared by exactly two
// triangles.
static int32_t open_edges(kit_model* model, const kit_mesh* mesh, int32_t material, double* volume) {
    int32_t* same = malloc((size_t)mesh->vertex_count * sizeof(int32_t));
    kit_mesh_weld(model, mesh, same);
    uint32_t size = 1;
    while (size < (uint32_t)mesh->triangle_count * 4) {
        size *= 2;
    }
    edge* table = calloc(size, sizeof(edge));
    *volume = 0.0;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        const kit_triangle* tri = &mesh->triangles[t];
        if (tri->material != material) {
            continue;
        }
        kit_vec a = mesh->vertices[tri->v[0]].position, b = mesh->vertices[tri->v[1]].position,
                c = mesh->vertices[tri->v[2]].position;
        *volume += kit_dot(a, kit_cross(b, c)) / 6.0;
        for (int32_t k = 0; k < 3; ++k) {
            int32_t i = same[tri->v[k]], j = same[tri->v[(k + 1) % 3]];
            int32_t low = i < j ? i : j, high = i < j ? j : i;
            uint32_t slot = ((uint32_t)low * 2654435761u ^ (uint32_t)high * 40503u) & (size - 1);
            while (table[slot].count != 0 && (table[slot].low != low || table[slot].high != high)) {
                slot = (slot + 1) & (size - 1);
            }
            table[slot] = (edge){low, high, table[slot].count + 1};
        }
    }
    int32_t open = 0;
    for (uint32_t i = 0; i < size; ++i) {
        open += table[i].count != 0 && table[i].count != 2;
    }
    free(table);
    free(same);
    return open;
}

TEST creatures_are_closed_after_welding_their_seams(void) {
    static const char* const names[] = {"monster", "octopus"};
    for (int32_t i = 0; i < 2; ++i) {
        sample* s = sample_get(names[i]);
        double volume;
        ASSERT_EQm(names[i], 0, open_edges(s->model, s->model->meshes[0], 0, &volume));
        ASSERTm("the outside is outside", volume > 0.01);
        // There are seams to weld: more written vertices than places.
        const kit_mesh* mesh = s->model->meshes[0];
        int32_t* same = malloc((size_t)mesh->vertex_count * sizeof(int32_t));
        kit_mesh_weld(s->model, mesh, same);
        int32_t doubled = 0;
        for (int32_t v = 0; v < mesh->vertex_count; ++v) {
            doubled += same[v] != v;
        }
        free(same);
        ASSERTm(names[i], doubled > 100);
    }
    PASS();
}

TEST normals_agree_with_the_winding(void) {
    for (int32_t i = 0; i < kit_sample_count; ++i) {
        sample* s = sample_get(kit_samples[i].name);
        int32_t against = 0, total = 0;
        for (int32_t m = 0; m < s->model->mesh_count; ++m) {
            const kit_mesh* mesh = s->model->meshes[m];
            for (int32_t t = 0; t < mesh->triangle_count; ++t) {
                const kit_vertex* v[3];
                for (int32_t k = 0; k < 3; ++k) {
                    v[k] = &mesh->vertices[mesh->triangles[t].v[k]];
                }
                kit_vec face =
                    kit_cross(kit_sub(v[1]->position, v[0]->position), kit_sub(v[2]->position, v[0]->position));
                kit_vec mean = kit_add(kit_add(v[0]->normal, v[1]->normal), v[2]->normal);
                against += kit_dot(face, mean) < 0.0;
                ++total;
            }
        }
        ASSERT_IN_RANGEm(s->name, 0.0, (double)against / total, 0.02);
    }
    PASS();
}

SUITE(files_suite) {
    RUN_TEST(triangle_counts_are_within_a_tenth_of_the_table);
    RUN_TEST(every_file_has_skeleton_clips_and_names);
    RUN_TEST(weights_sum_to_one_and_unused_joints_are_zero);
    RUN_TEST(normals_are_unit_and_painted_attributes_lie_in_0_1);
    RUN_TEST(bind_pose_skins_every_vertex_onto_itself);
    RUN_TEST(a_reader_poses_bones_where_the_author_put_them);
    RUN_TEST(creatures_are_closed_after_welding_their_seams);
    RUN_TEST(normals_agree_with_the_winding);
}
