// SPDX-License-Identifier: MIT
#include "compiler/shape/level_maps.h"

// Which particles of one level move those of another.
//
// Both levels skin the same vertices, and which particles a vertex goes with was found with care for layers, seams and strands.
// So a particle goes with the particles of the other level that move its own vertices: the third equation of the paper, with
// particles in the place of bones. A particle that moves no vertex goes with its nearest of the other level.

typedef struct shares {
    uint64_t* pairs; // of particles: whose << 32 | from
    uint32_t* order; // into weights; sorted with the pairs
    float* weights;
    size_t count;
} shares;

static uint32_t part_of(const hemc_mesh* mesh, uint32_t particle) {
    uint32_t part = 0;
    while (particle >= mesh->part_begin[part + 1]) {
        ++part;
    }
    return part;
}

static shares find_shares(hemc_arena* arena, const hemc_model* model, const hemc_mesh* to, const hemc_mesh* from) {
    const size_t most = (size_t)model->vertex_count * 16;
    shares s = {hemc_alloc(arena, most, sizeof(uint64_t)), hemc_alloc(arena, most, sizeof(uint32_t)),
                hemc_alloc(arena, most, sizeof(float)), 0};
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        if (!(to->skinning.vertex_blend[v] > 0) || !(from->skinning.vertex_blend[v] > 0)) {
            continue;
        }
        for (int i = 0; i < 4; ++i) {
            for (int k = 0; k < 4; ++k) {
                const float weight = to->skinning.vertex_weight[v][i] * from->skinning.vertex_weight[v][k];
                const uint32_t a = to->skinning.vertex_particle[v][i], b = from->skinning.vertex_particle[v][k];
                if (weight > 0 && part_of(to, a) == part_of(from, b)) {
                    s.pairs[s.count] = (uint64_t)a << 32 | b;
                    s.order[s.count] = (uint32_t)s.count;
                    s.weights[s.count++] = weight;
                }
            }
        }
    }
    hemc_sort(arena, s.pairs, s.order, s.count);
    return s;
}

static uint32_t nearest(const hemc_mesh* from, uint32_t part, hemc_vec3 at) {
    uint32_t best = from->part_begin[part];
    float least = 3e38f;
    for (uint32_t i = from->part_begin[part]; i < from->part_begin[part + 1]; ++i) {
        const hemc_vec3 x = from->all.positions[i];
        const float d[3] = {x.x - at.x, x.y - at.y, x.z - at.z};
        const float d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (d2 < least) {
            least = d2;
            best = i;
        }
    }
    return best;
}

typedef struct four {
    uint32_t particle[4];
    float weight[4];
} four;

// Keeps the four largest; of equals the first.
static void add_to_four(four* f, uint32_t particle, float weight) {
    int at = 4;
    while (at > 0 && weight > f->weight[at - 1]) {
        --at;
    }
    for (int k = 3; k > at; --k) {
        f->particle[k] = f->particle[k - 1];
        f->weight[k] = f->weight[k - 1];
    }
    if (at < 4) {
        f->particle[at] = particle;
        f->weight[at] = weight;
    }
}

static void make_row(const hemc_layout* to, const hemc_layout* from, const four* fours, uint32_t row,
                     hem_level_row* out) {
    uint32_t real = 0;
    while (to->particle_at[row * HEM_LANES + real] == HEM_NONE) {
        ++real;
    }
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        const int32_t own = to->particle_at[row * HEM_LANES + lane];
        const four* f = &fours[own != HEM_NONE ? own : to->particle_at[row * HEM_LANES + real]];
        uint16_t weights[4];
        hemc_quantize_weights(f->weight, weights);
        for (int k = 0; k < 4; ++k) {
            out->particle[k][lane] = (uint16_t)from->slot_of[f->particle[weights[k] != 0 ? k : 0]];
            out->weight[k][lane] = weights[k];
        }
    }
}

hem_level_row* hemc_level_map(hemc_arena* arena, const hemc_model* model, const hemc_mesh* to,
                              const hemc_layout* to_layout, const hemc_mesh* from, const hemc_layout* from_layout) {
    four* fours = hemc_alloc(arena, to->all.count, sizeof(four));
    const shares s = find_shares(arena, model, to, from);
    for (size_t i = 0, next; i < s.count; i = next) {
        float sum = 0;
        for (next = i; next < s.count && s.pairs[next] == s.pairs[i]; ++next) {
            sum += s.weights[s.order[next]];
        }
        add_to_four(&fours[s.pairs[i] >> 32], (uint32_t)s.pairs[i], sum);
    }
    for (uint32_t i = 0; i < to->all.count; ++i) {
        if (!(fours[i].weight[0] > 0)) {
            fours[i].particle[0] = nearest(from, part_of(to, i), to->all.positions[i]);
            fours[i].weight[0] = 1;
        }
    }
    hem_level_row* rows = hemc_alloc(arena, to_layout->row_count, sizeof(hem_level_row));
    for (uint32_t row = 0; row < to_layout->row_count; ++row) {
        make_row(to_layout, from_layout, fours, row, &rows[row]);
    }
    return rows;
}
