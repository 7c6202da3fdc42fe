// SPDX-License-Identifier: MIT
// Vertices from particles and bones.
//
// Both kinds of transform are sixteen floats in memory (three rows of four and a spare), so a vertex is blended by
// adding up to eight weighted 16-float blocks, two registers each; eight vertices are then transposed and transformed
// together. Blocks of eight vertices that need only one side skip the other, and what none of the eight has a weight for is
// left out: weights fall, and hemi_derived.weights knows how many there are. Within a block all add as many, also those that
// are zero: how many are not is hard to guess vertex by vertex, and a wrong guess costs more than two of them.

#include "platform/vec_four.h"

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

// One half of a hem_vertex_bind: four indices, and behind them their weights, of which the first `n` count.
HEM_INLINE skin_sum blend_some(const float (*table)[16], const uint16_t* index, v8 scale, uint32_t n) {
    HEM_ALIGN(32) float weights[8];
    float* weight = weights;
    v8_store(weight, v8_mul(w8_to_v8(w8_load_u16(index)), scale));
    HEM_FORGET(weight); // broadcast from memory is one load; gcc would make two shuffles of it
    skin_sum sum = blend_first(table[index[0]], weight[4]);
    sum = n > 1 ? blend_next(sum, table[index[1]], weight[5]) : sum;
    sum = n > 2 ? blend_next(sum, table[index[2]], weight[6]) : sum;
    return n > 3 ? blend_next(sum, table[index[3]], weight[7]) : sum;
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

// The blended matrices of eight vertices, of which `count` are there, of n weights each. What is the same for the block as
// constants.
HEM_INLINE void blend_block(const skin_tables* t, const hem_vertex_bind* bind, uint32_t count, uint32_t sides,
                            uint32_t n, float out[8][16]) {
    v8 all_bones = v8_set1(SKIN_UNIT), all_particles = v8_set1(blend_of(t, 65535) * SKIN_UNIT);
    for (uint32_t i = 0; i < 8; ++i) {
        const hem_vertex_bind* b = &bind[i < count ? i : 0];
        const uint16_t* words = b->particle;
        skin_sum sum;
        if (sides == HEM_BLOCK_BONES) {
            sum = blend_some(t->bones, words + 8, all_bones, n);
        } else if (sides == HEM_BLOCK_PARTICLES) {
            sum = blend_some(t->palette, words, all_particles, n);
        } else {
            float blend = blend_of(t, b->blend);
            skin_sum other = blend_some(t->palette, words, v8_set1(blend * SKIN_UNIT), n);
            sum = blend_some(t->bones, words + 8, v8_set1((1.0f - blend) * SKIN_UNIT), n);
            sum.low = v8_add(sum.low, other.low);
            sum.high = v8_add(sum.high, other.high);
        }
        v8_store(out[i], sum.low);
        v8_store(out[i] + 8, sum.high);
    }
}

// All eight are there.
HEM_INLINE void blend_eight(const skin_tables* t, const hem_vertex_bind* bind, uint32_t sides, uint32_t n,
                            float out[8][16]) {
    if (n == 1) {
        blend_block(t, bind, 8, sides, 1, out);
    } else if (n == 2) {
        blend_block(t, bind, 8, sides, 2, out);
    } else if (n == 3) {
        blend_block(t, bind, 8, sides, 3, out);
    } else {
        blend_block(t, bind, 8, sides, 4, out);
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
    // (Of cells: nothing. skin_cells comes behind.)
    return kind == HEM_BLOCK_PARTICLES && pose_blend < 1.0f ? (uint32_t)HEM_BLOCK_MIXED : kind;
}

void HEMI_NAME(skin)(const hem_view* view, const uint8_t* weights, const float (*palette)[16],
                     const hemi_bone_pose* bones, float pose_blend, const hem_skin_args* args) {
    static const int32_t each[8] = {0, 4, 8, 12, 16, 20, 24, 28}; // in fours
    HEM_ASSERT(args->vertex_begin + args->vertex_count <= view->info->vertex_count);
    const skin_tables tables = {palette, (const float(*)[16])bones, pose_blend};
    size_t ps = args->position_stride ? args->position_stride : 12;
    size_t ns = args->normal_stride ? args->normal_stride : 12;
    size_t ts = args->tangent_stride ? args->tangent_stride : 16;
    uint32_t end = args->vertex_begin + args->vertex_count;
    const int dynamic = (args->flags & HEM_SKIN_DYNAMIC) != 0;
    uint32_t count;
    for (uint32_t first = args->vertex_begin; first < end; first += count) {
        const uint32_t room = dynamic ? 8 - (first & 7) : 8; // not across blocks: each is asked
        count = end - first < room ? end - first : room;
        uint32_t sides = sides_of(view, first, pose_blend);
        if (sides == HEM_BLOCK_CELLS || (dynamic && view->vertex_blocks[first >> 3] == HEM_BLOCK_BONES)) {
            continue;
        }
        const hem_vertex_bind* bind = &view->vertex_bind[first];
        const hem_vertex_rest* at_rest = &view->vertex_rest[first];
        HEM_ALIGN(32) float blended[8][16];
        v8 rest[8]; // position, normal, half a tangent
        const uint32_t some = (first & 7) == 0 ? weights[first >> 3] : (uint32_t)HEMI_ALL_WEIGHTS;
        const uint32_t of_bones = some & 7u, of_particles = some >> 4;
        if (count < 8) {
            blend_block(&tables, bind, count, sides, 4, blended);
        } else if (sides == HEM_BLOCK_BONES) {
            blend_eight(&tables, bind, HEM_BLOCK_BONES, of_bones, blended);
        } else if (sides == HEM_BLOCK_PARTICLES) {
            blend_eight(&tables, bind, HEM_BLOCK_PARTICLES, of_particles, blended);
        } else {
            const uint32_t more = of_bones > of_particles ? of_bones : of_particles;
            blend_eight(&tables, bind, HEM_BLOCK_MIXED, more, blended);
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

// -- Vertices in the cells of a lattice (Sullivan, 3.4)

HEM_INLINE v8x3 between(v8x3 a, v8x3 b, v8 t) {
    return v8x3_madd(v8x3_sub(b, a), t, a);
}

// Trilinear: the place, and how it changes from side to side of the cell. `corner` in the order of hem_lattice_cell.
HEM_INLINE v8x3 in_cell(const v8x3 corner[8], const v8 at[3], v8x3 across[3]) {
    v8x3 x[4], dx[4], y[2], dy[2], dxy[2];
    for (int k = 0; k < 4; ++k) {
        dx[k] = v8x3_sub(corner[2 * k + 1], corner[2 * k]);
        x[k] = v8x3_madd(dx[k], at[0], corner[2 * k]);
    }
    for (int k = 0; k < 2; ++k) {
        dy[k] = v8x3_sub(x[2 * k + 1], x[2 * k]);
        y[k] = v8x3_madd(dy[k], at[1], x[2 * k]);
        dxy[k] = between(dx[2 * k], dx[2 * k + 1], at[1]);
    }
    across[0] = between(dxy[0], dxy[1], at[2]);
    across[1] = between(dy[0], dy[1], at[2]);
    across[2] = v8x3_sub(y[1], y[0]);
    return v8x3_madd(across[2], at[2], y[0]);
}

typedef struct cell_block { // eight vertices
    uint32_t vertex[8], count;
    v8 at[3], inverse[3]; // in the cell; one over its sides
    v8x3 corner[8];
    v8 blend;
    uint32_t mixed; // some follow the bones too
} cell_block;

// Neighbours are nearly always of one lattice.
typedef struct cell_sides {
    uint32_t lattice;
    float inverse[3];
} cell_sides;

HEM_INLINE void ask_sides(const hem_view* view, uint32_t lattice, cell_sides* sides) {
    if (lattice != sides->lattice) {
        sides->lattice = lattice;
        for (int k = 0; k < 3; ++k) {
            sides->inverse[k] = 1.0f / view->lattices[lattice].spacing[k];
        }
    }
}

// Cells come in the order of the lattice, vertices in that of the mesh: which cell is next the processor cannot guess.
#define CELLS_AHEAD 24u

HEM_INLINE void ask_ahead(const hem_view* view, const hem_vertex_cell* list, uint32_t left) {
    HEM_PREFETCH(&view->lattice_cells[list[left > CELLS_AHEAD ? CELLS_AHEAD : 0].cell], 0);
}

HEM_INLINE void load_cells(const hem_view* view, const float (*palette)[16], float pose_blend,
                           const hem_vertex_cell* list, uint32_t left, cell_sides* sides, cell_block* b) {
    HEM_ALIGN(32) float at[3][8], inverse[3][8], blend[8];
    HEM_ALIGN(32) int32_t corner[8][8];
    b->count = left < 8 ? left : 8;
    b->mixed = 0;
    for (uint32_t i = 0; i < 8; ++i) {
        const uint32_t nth = i < left ? i : 0;
        const hem_vertex_cell* v = &list[nth];
        ask_ahead(view, v, left - nth);
        const hem_lattice_cell* cell = &view->lattice_cells[v->cell];
        b->vertex[i] = v->vertex;
        ask_sides(view, cell->lattice, sides);
        for (int k = 0; k < 3; ++k) {
            at[k][i] = v->at[k];
            inverse[k][i] = sides->inverse[k];
        }
        for (int k = 0; k < 8; ++k) {
            corner[k][i] = cell->corner[k] * 4 + 3; // in fours: where the palette has the place of a particle
        }
        blend[i] = (float)view->vertex_bind[v->vertex].blend * SKIN_UNIT * pose_blend;
        b->mixed |= blend[i] < 1.0f;
    }
    for (int k = 0; k < 3; ++k) {
        b->at[k] = v8_load(at[k]);
        b->inverse[k] = v8_load(inverse[k]);
    }
    for (int k = 0; k < 8; ++k) {
        v8 unused;
        v8_load_rows4(palette[0], corner[k], &b->corner[k].x, &b->corner[k].y, &b->corner[k].z, &unused);
    }
    b->blend = v8_load(blend);
}

HEM_INLINE void store_vertices(float* out, size_t stride, uint32_t begin, const cell_block* b, v8x3 a) {
    HEM_ALIGN(32) float x[8], y[8], z[8];
    v8_store(x, a.x);
    v8_store(y, a.y);
    v8_store(z, a.z);
    for (uint32_t i = 0; i < b->count; ++i) {
        float* to = (float*)((char*)out + (size_t)(b->vertex[i] - begin) * stride);
        to[0] = x[i];
        to[1] = y[i];
        to[2] = z[i];
    }
}

static void skin_block(const hem_view* view, const hemi_bone_pose* bones, const hem_skin_args* args,
                       const cell_block* b) {
    static const int32_t each[8] = {0, 4, 8, 12, 16, 20, 24, 28}; // in fours
    HEM_ALIGN(32) float blended[8][16], tz[8];
    v8 rest[8]; // position, normal, half a tangent
    for (uint32_t i = 0; i < 8; ++i) {
        rest[i] = v8_loadu(view->vertex_rest[b->vertex[i]].position);
        tz[i] = view->vertex_rest[b->vertex[i]].tangent[2];
    }
    v8_transpose8(rest);
    v8x3 normal = v8x3_make(rest[3], rest[4], rest[5]), tangent = v8x3_make(rest[6], rest[7], v8_load(tz));
    // F has the columns across / side; normals go by its cofactors, which need no inverse.
    v8x3 f[3], p = in_cell(b->corner, b->at, f);
    for (int k = 0; k < 3; ++k) {
        f[k] = v8x3_scale(f[k], b->inverse[k]);
    }
    v8x3 n = v8x3_scale(v8x3_cross(f[1], f[2]), normal.x);
    n = v8x3_madd(v8x3_cross(f[2], f[0]), normal.y, n);
    n = unit_or(v8x3_madd(v8x3_cross(f[0], f[1]), normal.z, n), normal);
    v8x3 t = v8x3_madd(f[0], tangent.x, v8x3_madd(f[1], tangent.y, v8x3_scale(f[2], tangent.z)));
    t = unit_or(t, tangent);
    if (b->mixed) {
        v8_mat3 m;
        v8x3 o;
        for (uint32_t i = 0; i < 8; ++i) {
            const hem_vertex_bind* bind = &view->vertex_bind[b->vertex[i]];
            skin_sum sum = blend_some((const float(*)[16])bones, bind->bone, v8_set1(SKIN_UNIT), 4);
            v8_store(blended[i], sum.low);
            v8_store(blended[i] + 8, sum.high);
        }
        v8_load_rows4(blended[0], each, &m.row0.x, &m.row0.y, &m.row0.z, &o.x);
        v8_load_rows4(blended[0] + 4, each, &m.row1.x, &m.row1.y, &m.row1.z, &o.y);
        v8_load_rows4(blended[0] + 8, each, &m.row2.x, &m.row2.y, &m.row2.z, &o.z);
        v8x3 posed = v8x3_add(v8_mat3_vector(&m, v8x3_make(rest[0], rest[1], rest[2])), o);
        p = between(posed, p, b->blend);
        n = unit_or(between(unit_or(v8_mat3_vector(&m, normal), normal), n, b->blend), n);
        t = unit_or(between(unit_or(v8_mat3_vector(&m, tangent), tangent), t, b->blend), t);
    }
    const uint32_t begin = args->vertex_begin;
    store_vertices(args->positions, args->position_stride ? args->position_stride : 12, begin, b, p);
    if (args->normals) {
        store_vertices(args->normals, args->normal_stride ? args->normal_stride : 12, begin, b, n);
    }
    if (args->tangents) {
        const size_t stride = args->tangent_stride ? args->tangent_stride : 16;
        store_vertices(args->tangents, stride, begin, b, t);
        for (uint32_t i = 0; i < b->count; ++i) {
            *(float*)((char*)args->tangents + (size_t)(b->vertex[i] - begin) * stride + 12) =
                view->vertex_rest[b->vertex[i]].tangent[3];
        }
    }
}

// The place alone: components of one vertex lie beside each other, so nothing has to be brought into a lane. Component by
// component it is what in_cell does.
HEM_INLINE f4 between_corners(const float (*palette)[16], const uint16_t corner[2], f4 t) {
    const f4 a = f4_load(palette[corner[0]] + 12), b = f4_load(palette[corner[1]] + 12);
    return f4_add(f4_mul(f4_sub(b, a), t), a);
}

HEM_INLINE f4 between_fours(f4 a, f4 b, f4 t) {
    return f4_add(f4_mul(f4_sub(b, a), t), a);
}

HEM_INLINE void place_in_cell(const hem_view* view, const float (*palette)[16], const hem_vertex_cell* v, float* out) {
    const uint16_t* corner = view->lattice_cells[v->cell].corner;
    const f4 x = f4_set1(v->at[0]), y = f4_set1(v->at[1]), z = f4_set1(v->at[2]);
    const f4 low = between_fours(between_corners(palette, corner, x), between_corners(palette, corner + 2, x), y);
    const f4 high = between_fours(between_corners(palette, corner + 4, x), between_corners(palette, corner + 6, x), y);
    HEM_ALIGN(16) float place[4];
    f4_store(place, between_fours(low, high, z));
    memcpy(out, place, 3 * sizeof(float));
}

// Places of those that follow nothing but their cells. Returns how many there are before one that does not.
HEM_INLINE uint32_t skin_places(const hem_view* view, const float (*palette)[16], const hem_skin_args* args,
                                const hem_vertex_cell* list, uint32_t count, uint32_t whole) {
    const size_t stride = args->position_stride ? args->position_stride : 12;
    uint32_t i = 0;
    for (; i < count && (whole || view->vertex_bind[list[i].vertex].blend == 65535); ++i) {
        const size_t at = list[i].vertex - args->vertex_begin;
        ask_ahead(view, list + i, count - i);
        place_in_cell(view, palette, &list[i], (float*)((char*)args->positions + at * stride));
    }
    return i;
}

// The first entry of a vertex that is not before this one.
static uint32_t find_cell(const hem_view* view, uint32_t vertex) {
    uint32_t low = 0, high = view->vertex_cell_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (view->vertex_cells[middle].vertex < vertex) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void HEMI_NAME(skin_cells)(const hem_view* view, const float (*palette)[16], const hemi_bone_pose* bones,
                           float pose_blend, uint32_t whole, const hem_skin_args* args) {
    const uint32_t begin = find_cell(view, args->vertex_begin);
    const uint32_t end = find_cell(view, args->vertex_begin + args->vertex_count);
    const int places = !args->normals && !args->tangents && pose_blend == 1.0f;
    cell_sides sides = {UINT32_MAX, {0.0f, 0.0f, 0.0f}};
    for (uint32_t i = begin; i < end;) {
        if (places) {
            i += skin_places(view, palette, args, view->vertex_cells + i, end - i, whole);
        }
        if (i < end) {
            cell_block block;
            load_cells(view, palette, pose_blend, view->vertex_cells + i, end - i, &sides, &block);
            skin_block(view, bones, args, &block);
            i += block.count;
        }
    }
}
