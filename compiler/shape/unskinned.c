// SPDX-License-Identifier: MIT
#include "compiler/surface/spatial.h"

#include <string.h>

// A part that somebody forgot to skin. In a model with a skeleton it follows nothing, and stays where it was modelled when the
// character walks away. So it hangs on the bone nearest to where it is held, its upper end, and a warning says so: a cape
// on one bone is better than a cape left behind, but only its artist knows what should hold it.

#define UPPER 0.15 // of its height

// The bone that carries something and is nearest to the middle of the upper end.
static uint32_t nearest_bone(hemc_arena* arena, const hemc_model* model, const uint8_t* loose) {
    double low = 1e30, high = -1e30, count = 0;
    uint8_t* carries = hemc_alloc(arena, model->bone_count, 1);
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        const double y = model->positions[v].y;
        low = loose[v] && y < low ? y : low;
        high = loose[v] && y > high ? y : high;
        for (int k = 0; k < 4 && !loose[v]; ++k) {
            carries[model->bones[v][k]] |= model->bone_weights[v][k] > 0.25f;
        }
    }
    hemc_d3 middle = d3(0, 0, 0);
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        if (loose[v] && (double)model->positions[v].y >= high - UPPER * (high - low)) {
            middle = d3_add(middle, d3_from(model->positions[v]));
            count += 1;
        }
    }
    middle = d3_scale(middle, 1.0 / (count > 0 ? count : 1));
    uint32_t best = 0;
    double best_distance = 1e30;
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        const float* m = model->bone_defs[b].bind;
        const double distance = d3_distance(d3(m[3], m[7], m[11]), middle);
        if (carries[b] && distance < best_distance) {
            best = b;
            best_distance = distance;
        }
    }
    return best;
}

void hemc_hang_unskinned(hemc_arena* arena, hemc_log* log, hemc_model* model, const hemc_recipe* recipe,
                         const int32_t* owner) {
    bool skinned = false;
    for (uint32_t p = 0; p < model->primitive_count; ++p) {
        skinned = skinned || !model->primitives[p].follows_nothing;
    }
    for (uint32_t part = 0; part < recipe->part_count && skinned; ++part) {
        uint8_t* loose = hemc_alloc(arena, model->vertex_count, 1);
        bool any = false;
        for (uint32_t t = 0; t < model->triangle_count; ++t) {
            if (owner[t] == (int32_t)part && model->primitives[model->triangle_primitive[t]].follows_nothing) {
                any = true;
                for (size_t c = 0; c < 3; ++c) {
                    loose[model->triangles[3 * (size_t)t + c]] = 1;
                }
            }
        }
        if (!any) {
            continue;
        }
        const uint32_t bone = nearest_bone(arena, model, loose);
        for (uint32_t v = 0; v < model->vertex_count; ++v) {
            if (loose[v]) {
                memset(model->bones[v], 0, sizeof(model->bones[v]));
                memset(model->bone_weights[v], 0, sizeof(model->bone_weights[v]));
                model->bones[v][0] = (uint16_t)bone;
                model->bone_weights[v][0] = 1;
            }
        }
        hemc_warn(
            log, hemc_part_file(&recipe->parts[part], model), recipe->parts[part].json_path,
            "part \"%s\" is not skinned, so it would stay behind when the character moves: it hangs on bone \"%s\" "
            "now, the nearest to its upper end. Skin it, or make it a child of a bone",
            recipe->parts[part].name, model->bone_defs[bone].name);
    }
}
