// SPDX-License-Identifier: MIT
#include "compiler/graph/graph.h"

#include <math.h>
#include <string.h>

// Strands: particles in a row, root first, and what they are as rods or chains.
//
// Stiffness of a rod is B (N m^2) across and C along; a joint has B over the length that it stands for, so that the same B means the
// same at any spacing. Unless given, B is a share of the strand's weight times the square of its length: a number without unit that
// looks alike on a doll and on a giant.
//
// Free of sag: with the modelled shape as equilibrium, the segment above particle k + 1 carries the weight G of all below it, so its
// rest vector is shorter by G / K; and frame k is at rest when
//
//     edge(k) x G(k) + M(k) - M(k - 1) = 0,    M = stiffness * C of the joint below
//
// which gives the moments from the tip to the root (the last frame carries nothing), and from each its turn b (kernels/rods.inl).

#define GRAVITY 9.81
#define TURN_LIMIT 0.5     // of half the sine: the joint would be turned by a right angle at rest
#define STRETCH_PULL 20.0  // times its weight ...
#define STRETCH_SHARE 1e-3 // ... makes a strand so much longer
#define INERTIA_SHARE 0.1  // of m l^2

typedef struct strand_span {
    const hemc_mesh* mesh;
    const uint32_t* particles;
    uint32_t count;
    double mass, length; // of what is free, from its last held particle on
} strand_span;

static void edge_of(const hemc_mesh* mesh, uint32_t a, uint32_t b, double edge[3]) {
    const hemc_vec3 p = mesh->all.positions[a], q = mesh->all.positions[b];
    edge[0] = (double)q.x - p.x;
    edge[1] = (double)q.y - p.y;
    edge[2] = (double)q.z - p.z;
}

static double length_of(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void measure(strand_span* s) {
    for (uint32_t k = 0; k < s->count; ++k) {
        s->mass += hemc_is_fixed(s->mesh, s->particles[k]) ? 0 : s->mesh->all.mass[s->particles[k]];
        if (k + 1 < s->count && !hemc_is_fixed(s->mesh, s->particles[k + 1])) {
            s->length += hemc_rest_distance(s->mesh, s->particles[k], s->particles[k + 1]);
        }
    }
}

static void fill_stiffness(const strand_span* s, const hemc_rod_recipe* r, hemc_rod* rods) {
    const hemc_particles* all = &s->mesh->all;
    const double bend = r->bend > 0 ? r->bend : r->stiffness * s->mass * GRAVITY * s->length * s->length;
    const double mean = s->length / fmax(s->count - 1.0, 1.0);
    double walked = 0;
    for (uint32_t k = 0; k < s->count; ++k) {
        hemc_rod* rod = &rods[k];
        const uint32_t p = s->particles[k];
        double edge[3] = {0, 0, 0}, next[3];
        if (k + 1 < s->count) {
            edge_of(s->mesh, p, s->particles[k + 1], edge);
        }
        const double length = length_of(edge);
        double stands_for = length;
        if (k + 2 < s->count) {
            edge_of(s->mesh, s->particles[k + 1], s->particles[k + 2], next);
            stands_for = 0.5 * (length + length_of(next));
        }
        rod->inertia = (float)(INERTIA_SHARE * all->mass[p] * fmax(length * length, 0.25 * mean * mean));
        if (k + 1 == s->count) {
            continue;
        }
        walked += hemc_is_fixed(s->mesh, s->particles[k + 1]) ? 0 : length;
        const double along = fmin(walked / fmax(s->length, 1e-9), 1);
        const double painted = 0.5 * ((double)all->stiffness[p] + all->stiffness[s->particles[k + 1]]);
        const double here = bend * painted * (1 + (r->taper - 1) * along) / fmax(stands_for, 1e-9);
        rod->bend = (float)here;
        rod->twist = (float)(here * r->twist);
        rod->stretch = (float)(STRETCH_PULL * GRAVITY * s->mass / (STRETCH_SHARE * fmax(mean, 1e-9)));
        for (int i = 0; i < 3; ++i) {
            rod->edge[i] = (float)edge[i];
        }
    }
}

// Returns how many joints are too soft to carry what hangs on them.
static uint32_t remove_sag(const strand_span* s, double gravity, hemc_rod* rods) {
    const hemc_particles* all = &s->mesh->all;
    double weight = 0, moment[3] = {0, 0, 0}; // of all below; M of the joint below
    uint32_t soft = 0;
    for (uint32_t k = s->count; k-- > 0;) {
        const uint32_t p = s->particles[k];
        hemc_rod* rod = &rods[k];
        if (k + 1 < s->count) {
            double edge[3];
            edge_of(s->mesh, p, s->particles[k + 1], edge);
            // The turn of this joint: M = bend C + (twist - bend) along (along . C).
            const double length = length_of(edge);
            double along = 0, c[3], size = 0;
            for (int i = 0; i < 3; ++i) {
                along += edge[i] / length * moment[i];
            }
            for (int i = 0; i < 3; ++i) {
                const double axial = along * edge[i] / length;
                c[i] = axial / fmax(rod->twist, 1e-30) + (moment[i] - axial) / fmax(rod->bend, 1e-30);
                size += 0.25 * c[i] * c[i];
            }
            size = sqrt(size);
            soft += size > TURN_LIMIT;
            for (int i = 0; i < 3; ++i) {
                rod->turn[i] = (float)(-0.5 * c[i] * (size > TURN_LIMIT ? TURN_LIMIT / size : 1));
            }
            rod->edge[1] = (float)(edge[1] + weight / rod->stretch);
            // M(k - 1) = M(k) + edge x G, G = (0, -weight, 0), with the edge as it is at rest.
            const double ex = rod->edge[0], ez = rod->edge[2];
            moment[0] += ez * weight;
            moment[2] += -ex * weight;
        }
        weight += hemc_is_fixed(s->mesh, p) ? 0 : all->mass[p] * gravity;
        if (hemc_is_fixed(s->mesh, p)) {
            memset(moment, 0, sizeof moment);
            weight = 0;
        }
    }
    return soft;
}

static bool are_joined(const hemc_adjacency* net, uint32_t a, uint32_t b) {
    for (uint32_t k = net->starts[a]; k < net->starts[a + 1]; ++k) {
        if (net->neighbors[k] == b) {
            return true;
        }
    }
    return false;
}

void hemc_rods_fill(hemc_mesh* mesh, uint32_t strand, const hemc_rod_recipe* recipe, double gravity, uint32_t* soft) {
    const uint32_t begin = mesh->strand_starts[strand];
    strand_span s = {
        .mesh = mesh, .particles = mesh->strand_members + begin, .count = mesh->strand_starts[strand + 1] - begin};
    measure(&s);
    fill_stiffness(&s, recipe, mesh->rods + begin);
    if (recipe->sag_free) {
        *soft += remove_sag(&s, gravity, mesh->rods + begin);
    }
}

bool hemc_strands_make(hemc_arena* arena, hemc_log* log, const hemc_recipe* recipe, const hemc_adjacency* net,
                       hemc_mesh* mesh) {
    const uint32_t count = mesh->all.count;
    mesh->strand_starts = hemc_alloc(arena, (size_t)count + 1, sizeof(uint32_t));
    mesh->strand_members = hemc_alloc(arena, count, sizeof(uint32_t));
    mesh->strand_kinds = hemc_alloc(arena, count, sizeof(uint8_t));
    mesh->rods = hemc_alloc(arena, count, sizeof(hemc_rod));
    uint32_t members = 0;
    for (uint32_t part = 0; part < recipe->part_count; ++part) {
        const hemc_part_recipe* r = &recipe->parts[part];
        if (r->generator != HEMC_STRANDS || r->strands == HEMC_STRANDS_LINKS || r->animation != HEM_ANIMATE_DIRECT) {
            continue;
        }
        const uint32_t begin = mesh->part_begin[part], end = mesh->part_begin[part + 1];
        uint32_t soft = 0;
        for (uint32_t i = begin; i < end;) {
            uint32_t next = i + 1;
            bool free = !hemc_is_fixed(mesh, i);
            while (next < end && are_joined(net, next - 1, next)) {
                free |= !hemc_is_fixed(mesh, next);
                ++next;
            }
            if (free && next - i > 1) {
                const uint32_t strand = mesh->strand_count++;
                for (uint32_t k = i; k < next; ++k) {
                    mesh->strand_members[members++] = k;
                }
                mesh->strand_starts[mesh->strand_count] = members;
                mesh->strand_kinds[strand] = (uint8_t)r->strands;
                hemc_rods_fill(mesh, strand, &r->rods, GRAVITY * (double)r->tuning.gravity_scale, &soft);
            }
            i = next;
        }
        if (soft != 0 && r->strands == HEMC_STRANDS_RODS) {
            hemc_warn(log, r->file, r->json_path,
                      "%u joints of part \"%s\" are too soft to hold the modelled shape against gravity: raise "
                      "\"stiffness\" of its \"rods\", or say \"sag_free\": false",
                      soft, r->name);
        }
    }
    return true;
}
