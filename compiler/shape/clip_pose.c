// SPDX-License-Identifier: MIT
#include "compiler/shape/clip_pose.h"

#include <string.h>

const hemc_clip* hemc_find_clip(const hemc_model* model, const char* name) {
    for (uint32_t i = 0; i < model->clip_count + model->shape_clip_count; ++i) {
        const hemc_clip* clip = i < model->clip_count ? &model->clips[i] : &model->shape_clips[i - model->clip_count];
        if (strcmp(clip->name, name) == 0) {
            return clip;
        }
    }
    return NULL;
}

static void shape_at(const hemc_model* model, const hemc_clip* clip, uint32_t frame, hemc_d3* shape) {
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        shape[v] = d3_from(model->positions[v]);
    }
    for (uint32_t t = 0; clip->weights != NULL && t < model->morph_target_count; ++t) {
        const hemc_morph_target* target = &model->morph_targets[t];
        const double weight = (double)clip->weights[(size_t)frame * model->weight_count + target->weight];
        for (uint32_t v = 0; weight != 0 && v < target->vertex_count; ++v) {
            hemc_d3* x = &shape[target->vertex_begin + v];
            *x = d3_madd(*x, d3_from(target->moves[v]), weight);
        }
    }
}

void hemc_clip_pose(const hemc_model* model, const hemc_clip* clip, uint32_t frame, const uint32_t* vertices,
                    uint32_t count, hemc_d3* shape, hemc_vec3* out) {
    const float(*bones)[12] = (const float(*)[12])(clip->frames + (size_t)frame * model->bone_count);
    shape_at(model, clip, frame, shape);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t v = vertices[i];
        const hemc_d3 x = shape[v];
        double p[3] = {0};
        for (int k = 0; k < 4; ++k) {
            const float* m = bones[model->bones[v][k]];
            for (int r = 0; r < 3; ++r) {
                p[r] += (double)model->bone_weights[v][k] * ((double)m[4 * r] * x.x + (double)m[4 * r + 1] * x.y +
                                                             (double)m[4 * r + 2] * x.z + (double)m[4 * r + 3]);
            }
        }
        out[i] = (hemc_vec3){(float)p[0], (float)p[1], (float)p[2]};
    }
}
