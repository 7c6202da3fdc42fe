// SPDX-License-Identifier: MIT
// Vertices from particles and bones.
//
// Both kinds of transform are sixteen floats in memory (three rows of four and a spare), so a vertex is blended by
// adding up to eight weighted 16-float blocks, two registers each; eight vertices are then transposed and transformed
// together. Blocks of eight vertices that need only one side skip the other.

typedef struct skin_block {
    v8 low[8], high[8]; // per vertex; after the transpose, per component
} skin_block;

HEM_INLINE void blend_four(const float (*table)[16], const uint16_t index[4], const uint16_t weight[4], float scale,
                           v8* low, v8* high) {
    for (int k = 0; k < 4; ++k) {
        if (weight[k] == 0) {
            break; // weights are sorted, largest first, or at least zeros come last
        }
        v8 w = v8_set1((float)weight[k] * scale);
        const float* m = table[index[k]];
        *low = v8_madd(v8_load(m), w, *low);
        *high = v8_madd(v8_load(m + 8), w, *high);
    }
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

static void skin(const hem_view* view, const float (*palette)[16], const hemi_bone_pose* bones, float pose_blend,
                 const hem_skin_args* args) {
    const float(*bone_table)[16] = (const float(*)[16])bones;
    const float unit = 1.0f / 65535.0f;
    size_t ps = args->position_stride ? args->position_stride : 12;
    size_t ns = args->normal_stride ? args->normal_stride : 12;
    size_t ts = args->tangent_stride ? args->tangent_stride : 16;
    uint32_t end = args->vertex_begin + args->vertex_count;
    for (uint32_t first = args->vertex_begin; first < end; first += 8) {
        uint32_t count = end - first < 8 ? end - first : 8;
        skin_block block;
        HEM_ALIGN(32) float px[8], py[8], pz[8], nx[8], ny[8], nz[8];
        for (uint32_t i = 0; i < 8; ++i) {
            uint32_t vertex = first + (i < count ? i : 0);
            const hem_vertex_bind* bind = &view->vertex_bind[vertex];
            const hem_vertex_rest* rest = &view->vertex_rest[vertex];
            float blend = (float)bind->blend * unit * pose_blend;
            v8 low = v8_zero(), high = v8_zero();
            if (blend < 1.0f) {
                blend_four(bone_table, bind->bone, bind->bone_weight, (1.0f - blend) * unit, &low, &high);
            }
            if (blend > 0.0f) {
                blend_four(palette, bind->particle, bind->particle_weight, blend * unit, &low, &high);
            }
            block.low[i] = low;
            block.high[i] = high;
            px[i] = rest->position[0];
            py[i] = rest->position[1];
            pz[i] = rest->position[2];
            nx[i] = rest->normal[0];
            ny[i] = rest->normal[1];
            nz[i] = rest->normal[2];
        }
        v8_transpose8(block.low);
        v8_transpose8(block.high);
        v8_mat3 m = {{block.low[0], block.low[1], block.low[2]},
                     {block.low[4], block.low[5], block.low[6]},
                     {block.high[0], block.high[1], block.high[2]}};
        v8x3 t = v8x3_make(block.low[3], block.low[7], block.high[3]);
        uint32_t at = first - args->vertex_begin;
        v8x3 p = v8x3_make(v8_load(px), v8_load(py), v8_load(pz));
        p = v8x3_add(v8_mat3_vector(&m, p), t);
        store_lanes3((float*)((char*)args->positions + at * ps), ps, count, p);
        if (args->normals) {
            v8x3 n = v8x3_make(v8_load(nx), v8_load(ny), v8_load(nz));
            store_lanes3((float*)((char*)args->normals + at * ns), ns, count, v8x3_normalise(v8_mat3_vector(&m, n)));
        }
        if (args->tangents) {
            HEM_ALIGN(32) float tx[8], ty[8], tz[8];
            for (uint32_t i = 0; i < 8; ++i) {
                const hem_vertex_rest* rest = &view->vertex_rest[first + (i < count ? i : 0)];
                tx[i] = rest->tangent[0];
                ty[i] = rest->tangent[1];
                tz[i] = rest->tangent[2];
            }
            v8x3 g = v8x3_make(v8_load(tx), v8_load(ty), v8_load(tz));
            float* out = (float*)((char*)args->tangents + at * ts);
            store_lanes3(out, ts, count, v8x3_normalise(v8_mat3_vector(&m, g)));
            for (uint32_t i = 0; i < count; ++i) {
                *(float*)((char*)out + i * ts + 12) = view->vertex_rest[first + i].tangent[3];
            }
        }
    }
}
