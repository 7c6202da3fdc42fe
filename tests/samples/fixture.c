// SPDX-License-Identifier: MIT
#define CGLTF_IMPLEMENTATION
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLE_CAPACITY = 32 };

static sample cache[SAMPLE_CAPACITY];
static int32_t cache_count;

sample* sample_get(const char* name) {
    for (int32_t i = 0; i < cache_count; ++i) {
        if (strcmp(cache[i].name, name) == 0) {
            return &cache[i];
        }
    }
    for (int32_t i = 0; i < kit_sample_count && cache_count < SAMPLE_CAPACITY; ++i) {
        if (strcmp(kit_samples[i].name, name) != 0) {
            continue;
        }
        sample* s = &cache[cache_count];
        s->name = kit_samples[i].name;
        s->model = kit_model_new(s->name);
        kit_samples[i].build(s->model);
        s->file = glb_pack(s->model);
        cgltf_options options = {0};
        if (cgltf_parse(&options, s->file.bytes, s->file.size, &s->data) != cgltf_result_success ||
            cgltf_load_buffers(&options, s->data, NULL) != cgltf_result_success) {
            return NULL;
        }
        size_t size = s->data->nodes_count * sizeof(cgltf_node);
        s->rest = malloc(size);
        if (s->rest == NULL) {
            return NULL;
        }
        memcpy(s->rest, s->data->nodes, size);
        ++cache_count;
        return s;
    }
    return NULL;
}

void sample_free_all(void) {
    for (int32_t i = 0; i < cache_count; ++i) {
        free(cache[i].rest);
        cgltf_free(cache[i].data);
        kit_model_free(cache[i].model);
    }
    cache_count = 0;
}

cgltf_animation* sample_clip(const sample* s, const char* name) {
    for (cgltf_size i = 0; i < s->data->animations_count; ++i) {
        if (strcmp(s->data->animations[i].name, name) == 0) {
            return &s->data->animations[i];
        }
    }
    return NULL;
}

int32_t clip_frame_count(const cgltf_animation* clip) {
    return (int32_t)clip->samplers[0].input->count;
}

void sample_pose(sample* s, const cgltf_animation* clip, int32_t frame) {
    for (cgltf_size n = 0; n < s->data->nodes_count; ++n) {
        cgltf_node* node = &s->data->nodes[n];
        memcpy(node->translation, s->rest[n].translation, sizeof node->translation);
        memcpy(node->rotation, s->rest[n].rotation, sizeof node->rotation);
        memcpy(node->scale, s->rest[n].scale, sizeof node->scale);
        node->has_translation = node->has_rotation = node->has_scale = 1;
    }
    for (cgltf_size c = 0; clip != NULL && c < clip->channels_count; ++c) {
        const cgltf_animation_channel* channel = &clip->channels[c];
        cgltf_node* node = channel->target_node;
        if (channel->target_path == cgltf_animation_path_type_translation) {
            cgltf_accessor_read_float(channel->sampler->output, (cgltf_size)frame, node->translation, 3);
        } else if (channel->target_path == cgltf_animation_path_type_rotation) {
            cgltf_accessor_read_float(channel->sampler->output, (cgltf_size)frame, node->rotation, 4);
        } else if (channel->target_path == cgltf_animation_path_type_scale) {
            cgltf_accessor_read_float(channel->sampler->output, (cgltf_size)frame, node->scale, 3);
        }
    }
}

kit_vec node_place(const cgltf_node* node) {
    float m[16];
    cgltf_node_transform_world(node, m);
    return kit_v((double)m[12], (double)m[13], (double)m[14]);
}

const cgltf_node* sample_node(const sample* s, const char* name) {
    for (cgltf_size i = 0; i < s->data->nodes_count; ++i) {
        if (strcmp(s->data->nodes[i].name, name) == 0) {
            return &s->data->nodes[i];
        }
    }
    return NULL;
}

const cgltf_accessor* primitive_attribute(const cgltf_primitive* primitive, const char* name) {
    for (cgltf_size i = 0; i < primitive->attributes_count; ++i) {
        if (strcmp(primitive->attributes[i].name, name) == 0) {
            return primitive->attributes[i].data;
        }
    }
    return NULL;
}

static void transform(const float* m, const float* in, float* out) {
    for (int32_t r = 0; r < 3; ++r) {
        out[r] = m[r] * in[0] + m[4 + r] * in[1] + m[8 + r] * in[2] + m[12 + r];
    }
}

kit_vec skinned_vertex(const cgltf_skin* skin, const cgltf_primitive* primitive, cgltf_size index) {
    float p[3], weights[4];
    cgltf_uint joints[4];
    cgltf_accessor_read_float(primitive_attribute(primitive, "POSITION"), index, p, 3);
    cgltf_accessor_read_float(primitive_attribute(primitive, "WEIGHTS_0"), index, weights, 4);
    cgltf_accessor_read_uint(primitive_attribute(primitive, "JOINTS_0"), index, joints, 4);
    kit_vec sum = {0.0, 0.0, 0.0};
    for (int32_t k = 0; k < 4; ++k) {
        float bind[16], world[16], local[3], placed[3];
        cgltf_accessor_read_float(skin->inverse_bind_matrices, joints[k], bind, 16);
        cgltf_node_transform_world(skin->joints[joints[k]], world);
        transform(bind, p, local);
        transform(world, local, placed);
        sum = kit_mad(sum, kit_v((double)placed[0], (double)placed[1], (double)placed[2]), (double)weights[k]);
    }
    return sum;
}
