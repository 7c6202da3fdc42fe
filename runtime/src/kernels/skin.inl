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

HEM_INLINE skin_sum blend_first(const float m[16], float weight) {
    v8 w = v8_set1(weight);
    skin_sum sum = {v8_mul(v8_load(m), w), v8_mul(v8_load(m + 8), w)};
    return sum;
}

HEM_INLINE skin_sum blend_next(skin_sum sum, const float m[16], float weight) {
    v8 w = v8_set1(weight);
    sum.low = v8_madd(v8_load(m), w, sum.low);
    sum.high = v8_madd(v8_load(m + 8), w, sum.high);
    return sum;
}

// One half of a hem_vertex_bind: four indices, and behind them their weights.
HEM_INLINE skin_sum blend_four(const float (*table)[16], const uint16_t* index, v8 scale) {
    HEM_ALIGN(32) float weights[8];
    float* weight = weights;
    v8_store(weight, v8_mul(w8_to_v8(w8_load_u16(index)), scale));
    HEM_FORGET(weight); // broadcast from memory is one load; gcc would make two shuffles of it
    skin_sum sum = blend_first(table[index[0]], weight[4]);
    sum = blend_next(sum, table[index[1]], weight[5]);
    sum = blend_next(sum, table[index[2]], weight[6]);
    return blend_next(sum, table[index[3]], weight[7]);
}

typedef struct skin_tables {
    const float (*palette)[16];
    const float (*bones)[16];
    float pose_blend;
} skin_tables;

#define SKIN_UNIT (1.0f / 65535.0f)

// How much a vertex follows the particles.
HEM_INLINE float blend_of(const skin_tables* t, uint32_t painted) {
    return (float)painted * SKIN_UNIT * t->pose_blend;
}

// The blended matrices of eight vertices, of which `count` are there. What is the same for the block as constants.
HEM_INLINE void blend_block(const skin_tables* t, const hem_vertex_bind* bind, uint32_t count, uint32_t sides,
                            float out[8][16]) {
    v8 all_bones = v8_set1(SKIN_UNIT), all_particles = v8_set1(blend_of(t, 65535) * SKIN_UNIT);
    for (uint32_t i = 0; i < 8; ++i) {
        const hem_vertex_bind* b = &bind[i < count ? i : 0];
        const uint16_t* words = b->particle;
        skin_sum sum;
        if (sides == HEM_BLOCK_BONES) {
            sum = blend_four(t->bones, words + 8, all_bones);
        } else if (sides == HEM_BLOCK_PARTICLES) {
            sum = blend_four(t->palette, words, all_particles);
        } else {
            float blend = blend_of(t, b->blend);
            skin_sum other = blend_four(t->palette, words, v8_set1(blend * SKIN_UNIT));
            sum = blend_four(t->bones, words + 8, v8_set1((1.0f - blend) * SKIN_UNIT));
            sum.low = v8_add(sum.low, other.low);
            sum.high = v8_add(sum.high, other.high);
        }
        v8_store(out[i], sum.low);
        v8_store(out[i] + 8, sum.high);
    }
}

// Components of eight vertices at rest: position, normal, half a tangent.
HEM_INLINE void load_rest(const hem_vertex_rest* at_rest, uint32_t count, v8 rest[8]) {
    HEM_UNROLL8
    for (uint32_t i = 0; i < 8; ++i) {
        rest[i] = v8_loadu(at_rest[i < count ? i : 0].position);
    }
    v8_transpose8(rest);
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
    static const int32_t each[8] = {0, 4, 8, 12, 16, 20, 24, 28}; // in fours
    HEM_ASSERT(args->vertex_begin + args->vertex_count <= view->info->vertex_count);
    const skin_tables tables = {palette, (const float(*)[16])bones, pose_blend};
    size_t ps = args->position_stride ? args->position_stride : 12;
    size_t ns = args->normal_stride ? args->normal_stride : 12;
    size_t ts = args->tangent_stride ? args->tangent_stride : 16;
    uint32_t end = args->vertex_begin + args->vertex_count;
    for (uint32_t first = args->vertex_begin; first < end; first += 8) {
        uint32_t count = end - first < 8 ? end - first : 8, sides = sides_of(view, first, pose_blend);
        const hem_vertex_bind* bind = &view->vertex_bind[first];
        const hem_vertex_rest* at_rest = &view->vertex_rest[first];
        HEM_ALIGN(32) float blended[8][16];
        v8 rest[8]; // position, normal, half a tangent
        if (count < 8) {
            blend_block(&tables, bind, count, sides, blended);
        } else if (sides == HEM_BLOCK_BONES) {
            blend_block(&tables, bind, 8, HEM_BLOCK_BONES, blended);
        } else if (sides == HEM_BLOCK_PARTICLES) {
            blend_block(&tables, bind, 8, HEM_BLOCK_PARTICLES, blended);
        } else {
            blend_block(&tables, bind, 8, HEM_BLOCK_MIXED, blended);
        }
        if (count < 8) {
            load_rest(at_rest, count, rest);
        } else {
            load_rest(at_rest, 8, rest);
        }
        v8_mat3 m;
        v8x3 t;
        v8_load_rows4(blended[0], each, &m.row0.x, &m.row0.y, &m.row0.z, &t.x);
        v8_load_rows4(blended[0] + 4, each, &m.row1.x, &m.row1.y, &m.row1.z, &t.y);
        v8_load_rows4(blended[0] + 8, each, &m.row2.x, &m.row2.y, &m.row2.z, &t.z);
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
                tz[i] = at_rest[i < count ? i : 0].tangent[2];
            }
            v8x3 g = v8_mat3_vector(&m, v8x3_make(rest[6], rest[7], v8_load(tz)));
            float* out = (float*)((char*)args->tangents + at * ts);
            store_lanes3(out, ts, count, v8x3_normalise(g));
            for (uint32_t i = 0; i < count; ++i) {
                *(float*)((char*)out + i * ts + 12) = at_rest[i].tangent[3];
            }
        }
    }
}
