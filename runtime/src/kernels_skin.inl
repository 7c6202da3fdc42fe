// SPDX-License-Identifier: MIT
// Vertices from particles and bones.
//
// Both kinds of transform are sixteen floats in memory (three rows of four and a spare), so a vertex is blended by
// adding up to eight weighted 16-float blocks, two registers each; eight vertices are then transposed and transformed
// together. Blocks of eight vertices that need only one side skip the other. Within a side all four weights are added,
// also those that are zero: how many are not is hard to guess, and a wrong guess costs more than two of them.

typedef struct skin_sum {
    v8 low, high;
} skin_sum;

HEM_INLINE void blend_one(skin_sum* sum, const float m[16], float weight) {
    v8 w = v8_set1(weight);
    sum->low = v8_madd(v8_load(m), w, sum->low);
    sum->high = v8_madd(v8_load(m + 8), w, sum->high);
}

// One half of a hem_vertex_bind: four indices, and behind them their weights.
HEM_INLINE void blend_four(skin_sum* sum, const float (*table)[16], const uint16_t* index, float scale) {
    HEM_ALIGN(32) float weight[8];
    v8_store(weight, v8_mul(w8_to_v8(w8_load_u16(index)), v8_set1(scale)));
    blend_one(sum, table[index[0]], weight[4]);
    blend_one(sum, table[index[1]], weight[5]);
    blend_one(sum, table[index[2]], weight[6]);
    blend_one(sum, table[index[3]], weight[7]);
}

HEM_INLINE void store_lanes3(float* out, size_t stride, uint32_t count, v8x3 a) {
    HEM_ALIGN(32) float x[8], y[8], z[8];
    if (stride == 12 && count == 8) {
        v8_store3(out, a.x, a.y, a.z);
        return;
    }
    v8_store(x, a.x);
    v8_store(y, a.y);
    v8_store(z, a.z);
    for (uint32_t i = 0; i < count; ++i) {
        float* to = (float*)((char*)out + i * stride);
        to[0] = x[i];
        to[1] = y[i];
        to[2] = z[i];
    }
}

// What a block of eight needs; blocks that begin elsewhere than at a multiple of eight need everything.
HEM_INLINE uint32_t sides_of(const hem_view* view, uint32_t first, float pose_blend) {
    uint32_t kind = (first & 7) == 0 ? view->vertex_blocks[first >> 3] : (uint32_t)HEM_BLOCK_MIXED;
    if (pose_blend == 0.0f) {
        return HEM_BLOCK_BONES;
    }
    return kind == HEM_BLOCK_PARTICLES && pose_blend < 1.0f ? (uint32_t)HEM_BLOCK_MIXED : kind;
}

static void skin(const hem_view* view, const float (*palette)[16], const hemi_bone_pose* bones, float pose_blend,
                 const hem_skin_args* args) {
    const float(*bone_table)[16] = (const float(*)[16])bones;
    const float unit = 1.0f / 65535.0f;
    size_t ps = args->position_stride ? args->position_stride : 12;
    size_t ns = args->normal_stride ? args->normal_stride : 12;
    size_t ts = args->tangent_stride ? args->tangent_stride : 16;
    uint32_t end = args->vertex_begin + args->vertex_count;
    for (uint32_t first = args->vertex_begin; first < end; first += 8) {
        uint32_t count = end - first < 8 ? end - first : 8, sides = sides_of(view, first, pose_blend);
        v8 low[8], high[8], rest[8]; // per vertex; after the transpose, per component
        for (uint32_t i = 0; i < 8; ++i) {
            uint32_t vertex = first + (i < count ? i : 0);
            const hem_vertex_bind* bind = &view->vertex_bind[vertex];
            const uint16_t* words = (const uint16_t*)bind;
            float blend = (float)bind->blend * unit * pose_blend;
            skin_sum sum = {v8_zero(), v8_zero()};
            if (sides != HEM_BLOCK_PARTICLES) {
                blend_four(&sum, bone_table, words + 8, (1.0f - blend) * unit);
            }
            if (sides != HEM_BLOCK_BONES) {
                blend_four(&sum, palette, words, blend * unit);
            }
            low[i] = sum.low;
            high[i] = sum.high;
            rest[i] = v8_loadu(view->vertex_rest[vertex].position); // and the normal, and half a tangent
        }
        v8_transpose8(low);
        v8_transpose8(high);
        v8_transpose8(rest);
        v8_mat3 m = {{low[0], low[1], low[2]}, {low[4], low[5], low[6]}, {high[0], high[1], high[2]}};
        v8x3 t = v8x3_make(low[3], low[7], high[3]);
        uint32_t at = first - args->vertex_begin;
        v8x3 p = v8x3_add(v8_mat3_vector(&m, v8x3_make(rest[0], rest[1], rest[2])), t);
        store_lanes3((float*)((char*)args->positions + at * ps), ps, count, p);
        if (args->normals) {
            v8x3 n = v8_mat3_vector(&m, v8x3_make(rest[3], rest[4], rest[5]));
            store_lanes3((float*)((char*)args->normals + at * ns), ns, count, v8x3_normalise(n));
        }
        if (args->tangents) {
            HEM_ALIGN(32) float tz[8];
            for (uint32_t i = 0; i < 8; ++i) {
                tz[i] = view->vertex_rest[first + (i < count ? i : 0)].tangent[2];
            }
            v8x3 g = v8_mat3_vector(&m, v8x3_make(rest[6], rest[7], v8_load(tz)));
            float* out = (float*)((char*)args->tangents + at * ts);
            store_lanes3(out, ts, count, v8x3_normalise(g));
            for (uint32_t i = 0; i < count; ++i) {
                *(float*)((char*)out + i * ts + 12) = view->vertex_rest[first + i].tangent[3];
            }
        }
    }
}
