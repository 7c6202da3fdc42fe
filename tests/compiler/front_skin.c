// SPDX-License-Identifier: MIT
#include "greatest.h"

#include "front_kit.h"

#include <cgltf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Skinning, against glTF's own definition: sum_j w_j W_j(t) I_j v, computed here from the file by other means (cgltf's
// readers and node transforms, libm's slerp) for every vertex of some frames of every clip.

typedef struct truth {
    cgltf_data* data;
    cgltf_node* rest; // as loaded
} truth;

static bool load_truth(truth* t, const char* path, const void* bytes, size_t size) {
    cgltf_options options = {0};
    memset(t, 0, sizeof(*t));
    cgltf_result result =
        bytes != NULL ? cgltf_parse(&options, bytes, size, &t->data) : cgltf_parse_file(&options, path, &t->data);
    if (result != cgltf_result_success || cgltf_load_buffers(&options, t->data, path) != cgltf_result_success) {
        return false;
    }
    t->rest = malloc((t->data->nodes_count + 1) * sizeof(cgltf_node));
    memcpy(t->rest, t->data->nodes, t->data->nodes_count * sizeof(cgltf_node));
    return true;
}

static void free_truth(truth* t) {
    if (t->data != NULL) {
        cgltf_free(t->data);
    }
    free(t->rest);
}

static void world_of(const cgltf_node* node, double out[16]) { // column-major
    double local[16];
    if (node->has_matrix) {
        for (int i = 0; i < 16; ++i) {
            local[i] = node->matrix[i];
        }
    } else {
        double x = node->rotation[0], y = node->rotation[1], z = node->rotation[2], w = node->rotation[3];
        double n = sqrt(x * x + y * y + z * z + w * w);
        x /= n, y /= n, z /= n, w /= n;
        double r[9] = {1 - 2 * y * y - 2 * z * z, 2 * x * y + 2 * z * w,     2 * x * z - 2 * y * w,
                       2 * x * y - 2 * z * w,     1 - 2 * x * x - 2 * z * z, 2 * y * z + 2 * x * w,
                       2 * x * z + 2 * y * w,     2 * y * z - 2 * x * w,     1 - 2 * x * x - 2 * y * y};
        for (int c = 0; c < 3; ++c) {
            for (int k = 0; k < 3; ++k) {
                local[4 * c + k] = r[3 * c + k] * node->scale[c];
            }
            local[4 * c + 3] = 0;
            local[12 + c] = node->translation[c];
        }
        local[15] = 1;
    }
    if (node->parent == NULL) {
        memcpy(out, local, sizeof(local));
        return;
    }
    double above[16];
    world_of(node->parent, above);
    for (int c = 0; c < 4; ++c) {
        for (int r = 0; r < 4; ++r) {
            out[4 * c + r] = 0;
            for (int k = 0; k < 4; ++k) {
                out[4 * c + r] += above[4 * k + r] * local[4 * c + k];
            }
        }
    }
}

static void apply(const double m[16], const double p[3], double out[3]) {
    for (int r = 0; r < 3; ++r) {
        out[r] = m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r];
    }
}

// Sets the nodes to a clip's pose, straight from the accessors.
static void set_pose(truth* t, const cgltf_animation* animation, double time) {
    memcpy(t->data->nodes, t->rest, t->data->nodes_count * sizeof(cgltf_node));
    for (size_t c = 0; c < animation->channels_count; ++c) {
        const cgltf_animation_channel* channel = &animation->channels[c];
        const cgltf_animation_sampler* s = channel->sampler;
        if (channel->target_node == NULL || channel->target_path == cgltf_animation_path_type_weights ||
            channel->target_node->has_matrix) {
            continue;
        }
        size_t last = s->input->count - 1, key = 0;
        float at = 0, next = 0;
        for (size_t k = 0; k <= last; ++k) {
            cgltf_accessor_read_float(s->input, k, &at, 1);
            if (at <= time) {
                key = k;
            }
        }
        cgltf_accessor_read_float(s->input, key, &at, 1);
        cgltf_accessor_read_float(s->input, key < last ? key + 1 : last, &next, 1);
        double f = next > at && time > at ? (time - at) / ((double)next - at) : 0;
        f = f > 1 ? 1 : f;
        int n = channel->target_path == cgltf_animation_path_type_rotation ? 4 : 3;
        size_t step = s->interpolation == cgltf_interpolation_type_cubic_spline ? 3 : 1, middle = step == 3 ? 1 : 0;
        float a[4], b[4];
        double v[4];
        cgltf_accessor_read_float(s->output, key * step + middle, a, 4);
        cgltf_accessor_read_float(s->output, (key < last ? key + 1 : last) * step + middle, b, 4);
        if (s->interpolation == cgltf_interpolation_type_step || f == 0) {
            for (int i = 0; i < n; ++i) {
                v[i] = a[i];
            }
        } else if (step == 3) {
            float out[4], in[4];
            double span = (double)next - at, t2 = f * f, t3 = f * f * f;
            cgltf_accessor_read_float(s->output, key * 3 + 2, out, 4);
            cgltf_accessor_read_float(s->output, (key + 1) * 3, in, 4);
            for (int i = 0; i < n; ++i) {
                v[i] = (2 * t3 - 3 * t2 + 1) * a[i] + span * (t3 - 2 * t2 + f) * out[i] + (-2 * t3 + 3 * t2) * b[i] +
                       span * (t3 - t2) * in[i];
            }
        } else if (n == 4) {
            double dot = 0, na = 0, nb = 0;
            for (int i = 0; i < 4; ++i) {
                dot += (double)a[i] * b[i];
                na += (double)a[i] * a[i];
                nb += (double)b[i] * b[i];
            }
            dot /= sqrt(na * nb);
            double sign = dot < 0 ? -1 : 1, angle = acos(fmin(fabs(dot), 1.0));
            double wa = angle > 1e-5 ? sin((1 - f) * angle) / sin(angle) : 1 - f;
            double wb = angle > 1e-5 ? sin(f * angle) / sin(angle) : f;
            for (int i = 0; i < 4; ++i) {
                v[i] = wa * a[i] / sqrt(na) + sign * wb * b[i] / sqrt(nb);
            }
        } else {
            for (int i = 0; i < n; ++i) {
                v[i] = a[i] + f * ((double)b[i] - a[i]);
            }
        }
        float* to = channel->target_path == cgltf_animation_path_type_translation ? channel->target_node->translation
                    : channel->target_path == cgltf_animation_path_type_rotation  ? channel->target_node->rotation
                                                                                  : channel->target_node->scale;
        for (int i = 0; i < n; ++i) {
            to[i] = (float)v[i];
        }
    }
}

static const cgltf_accessor* find(const cgltf_primitive* p, cgltf_attribute_type type) {
    for (size_t i = 0; i < p->attributes_count; ++i) {
        if (p->attributes[i].type == type && p->attributes[i].index == 0) {
            return p->attributes[i].data;
        }
    }
    return NULL;
}

// Largest distance between glTF's answer and the model's, at this pose; the model's own matrices for `frame`.
static double worst_distance(truth* t, const hemc_model* m, const float (*frame)[12], double* node_check) {
    double worst = 0;
    for (uint32_t pi = 0; pi < m->primitive_count; ++pi) {
        const hemc_primitive* mp = &m->primitives[pi];
        const cgltf_node* node = &t->data->nodes[mp->node];
        const cgltf_primitive* p = &t->data->meshes[mp->mesh].primitives[mp->primitive];
        const cgltf_accessor* position = find(p, cgltf_attribute_type_position);
        const cgltf_accessor* joints = node->skin != NULL ? find(p, cgltf_attribute_type_joints) : NULL;
        const cgltf_accessor* weights = find(p, cgltf_attribute_type_weights);
        static double palette[512][16];
        if (joints != NULL) {
            for (size_t j = 0; j < node->skin->joints_count && j < 512; ++j) {
                double w[16];
                float ib[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, other[16];
                world_of(node->skin->joints[j], w);
                cgltf_node_transform_world(node->skin->joints[j], other);
                for (int i = 0; i < 16; ++i) {
                    *node_check = fmax(*node_check, fabs(w[i] - other[i]) / (1 + fabs(w[i])));
                }
                if (node->skin->inverse_bind_matrices != NULL) {
                    cgltf_accessor_read_float(node->skin->inverse_bind_matrices, j, ib, 16);
                }
                for (int c = 0; c < 4; ++c) {
                    for (int r = 0; r < 4; ++r) {
                        palette[j][4 * c + r] = 0;
                        for (int k = 0; k < 4; ++k) {
                            palette[j][4 * c + r] += w[4 * k + r] * ib[4 * c + k];
                        }
                    }
                }
            }
        }
        double rigid[16];
        world_of(node, rigid);
        for (uint32_t v = 0; v < mp->vertex_count; ++v) {
            float pos[3], wt[4];
            cgltf_uint jt[4];
            cgltf_accessor_read_float(position, v, pos, 3);
            double p3[3] = {pos[0], pos[1], pos[2]}, want[3] = {0, 0, 0};
            if (joints == NULL) {
                apply(rigid, p3, want);
            } else {
                cgltf_accessor_read_uint(joints, v, jt, 4);
                cgltf_accessor_read_float(weights, v, wt, 4);
                double sum = 0;
                for (int i = 0; i < 4; ++i) {
                    sum += jt[i] < node->skin->joints_count ? wt[i] : 0;
                }
                for (int i = 0; i < 4; ++i) {
                    if (jt[i] < node->skin->joints_count && wt[i] > 0) {
                        double q[3];
                        apply(palette[jt[i]], p3, q);
                        for (int r = 0; r < 3; ++r) {
                            want[r] += wt[i] / sum * q[r];
                        }
                    }
                }
            }
            hemc_vec3 rest = m->positions[mp->vertex_begin + v];
            double got[3] = {0, 0, 0};
            for (int i = 0; i < 4; ++i) {
                const float* b = frame[m->bones[mp->vertex_begin + v][i]];
                double w = m->bone_weights[mp->vertex_begin + v][i];
                for (int r = 0; r < 3; ++r) {
                    got[r] += w * ((double)b[4 * r] * rest.x + (double)b[4 * r + 1] * rest.y +
                                   (double)b[4 * r + 2] * rest.z + b[4 * r + 3]);
                }
            }
            for (int r = 0; r < 3; ++r) {
                worst = fmax(worst, fabs(got[r] - want[r]));
            }
        }
    }
    return worst;
}

static double model_height(const hemc_model* m) {
    double low = 1e30, high = -1e30;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        low = fmin(low, m->positions[v].y);
        high = fmax(high, m->positions[v].y);
    }
    return high - low;
}

static enum greatest_test_res check_clips(kit* k, truth* t, const char* name, int frames_each, uint32_t clip_limit) {
    hemc_recipe recipe;
    hemc_recipe_defaults(&recipe);
    ASSERT(hemc_import_finish(k->arena, &k->log, &recipe, &k->model));
    double height = model_height(&k->model);
    uint32_t checked = 0, clip_index = 0;
    double worst = 0, node_check = 0;
    for (size_t a = 0; a < t->data->animations_count && clip_index < k->model.clip_count; ++a) {
        const cgltf_animation* animation = &t->data->animations[a];
        const hemc_clip* clip = &k->model.clips[clip_index];
        bool moves = false;
        double begin = 1e30, end = -1e30;
        for (size_t c = 0; c < animation->channels_count; ++c) {
            const cgltf_accessor* input = animation->channels[c].sampler->input;
            if (animation->channels[c].target_path != cgltf_animation_path_type_weights &&
                animation->channels[c].target_node != NULL) {
                float first, last;
                cgltf_accessor_read_float(input, 0, &first, 1);
                cgltf_accessor_read_float(input, input->count - 1, &last, 1);
                moves = true;
                begin = fmin(begin, first);
                end = fmax(end, last);
            }
        }
        if (!moves) {
            continue;
        }
        ++clip_index;
        ASSERT(clip->frame_count >= 1);
        // The last frame of a loop is the first again; it may have been added behind the last key.
        uint32_t last = clip->frame_count - 1;
        last -= clip->loops && last > 1 && fabs((end - begin) * (double)clip->hz - (last - 1)) < 0.01;
        if (end > begin) {
            ASSERT_IN_RANGE(end - begin, last / (double)clip->hz, 1e-4);
        }
        for (int i = 0; i < frames_each && clip_index <= clip_limit; ++i) {
            uint32_t f = frames_each > 1
                             ? (uint32_t)((uint64_t)(clip->frame_count - 1) * (uint32_t)i / (uint32_t)(frames_each - 1))
                             : 0;
            bool again = clip->loops && f == clip->frame_count - 1;
            set_pose(t, animation, begin + (again ? 0 : f / (double)clip->hz));
            double d = worst_distance(
                t, &k->model, (const float(*)[12])(clip->frames + (size_t)f * k->model.bone_count), &node_check);
            worst = fmax(worst, d);
            ++checked;
        }
    }
    if (worst > 1e-4 * height || node_check > 1e-4) {
        printf("    %s: worst %g of %g, nodes %g\n", name, worst, height, node_check);
    }
    ASSERTm(name, checked > 0);
    ASSERTm(name, worst <= 1e-4 * height);
    ASSERTm(name, node_check < 1e-4); // this file's transforms against cgltf's
    PASS();
}

TEST the_small_one_moves_as_gltf_says(void) {
    static const struct {
        const char* from;
        const char* to;
    } variations[] = {
        {NULL, NULL},
        {"\"scale\": [0.01, 0.01, 0.01]",
         "\"scale\": [0.01, 0.01, 0.01], \"rotation\": [0.6, 0, 0, 0.8]"}, // not in bind pose
        {"\"scale\": [100, 100, 100]",
         "\"scale\": [100, 100, 100], \"rotation\": [-0.7071068, 0, 0, 0.7071068], \"translation\": [1, 2, 3]"},
        {"\"scale\": [100, 100, 100]", "\"scale\": [-100, 100, 100]"},
        {"\"node\": 2, \"path\"", "\"node\": 4, \"path\""},                           // the flag by itself
        {"\"node\": 2, \"path\"", "\"node\": 0, \"path\""},                           // everything, from above
        {"\"name\": \"Sheet\",", "\"name\": \"Sheet\", \"translation\": [5, 6, 7],"}, // which glTF ignores
        {"\"inverseBindMatrices\": 5, ", ""}, // identity: the sheet far from where it was modelled
    };
    for (size_t i = 0; i < sizeof(variations) / sizeof(variations[0]); ++i) {
        kit k;
        kit_begin(&k);
        kit_data d = kit_good();
        size_t size;
        char* text = kit_gltf(k.arena, &d, variations[i].from, variations[i].to, &size);
        ASSERT(text != NULL);
        truth t;
        ASSERT(load_truth(&t, "x.gltf", text, size));
        ASSERT(hemc_import_memory(k.arena, &k.log, "x.gltf", text, size, &k.model));
        static char name[16];
        snprintf(name, sizeof(name), "variation %zu", i);
        CHECK_CALL(check_clips(&k, &t, name, 7, 1));
        free_truth(&t);
        kit_end(&k);
    }
    PASS();
}

TEST skins_bound_in_different_poses_both_hold(void) {
    // A second skin over the same joints whose Lower was bound turned: it needs a bone of its own.
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    size_t size;
    char* text =
        kit_gltf(k.arena, &d, "\"skins\": [", "\"skins\": [{\"joints\": [1, 2], \"inverseBindMatrices\": 10},", &size);
    ASSERT(text != NULL);
    char* skin = strstr(text, "\"mesh\": 1,");
    ASSERT(skin != NULL);
    *skin = 0;
    text = hemc_format(k.arena, "%s\"mesh\": 0, \"skin\": 1,%s", text, skin + strlen("\"mesh\": 1,"));
    truth t;
    ASSERT(load_truth(&t, "x.gltf", text, strlen(text)));
    ASSERT(hemc_import_memory(k.arena, &k.log, "x.gltf", text, strlen(text), &k.model));
    ASSERT_EQ(3, k.model.bone_count);
    ASSERT(kit_log_has(&k.log, HEMC_WARNING, "become bones of their own"));
    CHECK_CALL(check_clips(&k, &t, "two skins", 7, 1));
    free_truth(&t);
    kit_end(&k);
    PASS();
}

TEST real_characters_move_as_gltf_says(void) {
    static const char* const files[] = {"kaykit_Knight.glb",
                                        "quaternius_Witch.gltf",
                                        "quaternius_Horse.glb",
                                        "quaternius_PlatformerCharacter.glb",
                                        "quaternius_PlatformerEnemy.glb",
                                        "khronos_Fox.glb",
                                        "khronos_RiggedFigure.glb",
                                        "khronos_SimpleSkin.gltf",
                                        "babylon_Yeti/Yeti.gltf"};
    bool any = false;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i) {
        char path[512];
        snprintf(path, sizeof(path), "../shared/assets/%s", files[i]);
        FILE* probe = fopen(path, "rb");
        if (probe == NULL) {
            continue;
        }
        fclose(probe);
        any = true;
        kit k;
        kit_begin(&k);
        truth t;
        ASSERT(load_truth(&t, path, NULL, 0));
        ASSERTm(files[i], hemc_import(k.arena, &k.log, path, &k.model));
        CHECK_CALL(check_clips(&k, &t, files[i], 3, 4));
        free_truth(&t);
        kit_end(&k);
    }
    if (!any) {
        SKIPm("no ../shared/assets");
    }
    PASS();
}

SUITE(front_skin_suite) {
    RUN_TEST(the_small_one_moves_as_gltf_says);
    RUN_TEST(skins_bound_in_different_poses_both_hold);
    RUN_TEST(real_characters_move_as_gltf_says);
}
