// SPDX-License-Identifier: MIT
#include "compiler/graph/graph.h"

#include <math.h>
#include <string.h>

// Hair keeps its volume: how crowded each particle of a guide is by other guides in the modelled shape (runtime/src/fullness.c has the
// formula and what becomes of it). All pairs of a part are looked at: a bake has the time.

#define REACH 2.0    // times how far guides usually are from each other
#define LEAST 0.5625 // (1 - 1/4)^2: one that is usually far away is nobody's crowd

static double between2(const hemc_particles* all, uint32_t a, uint32_t b) {
    const hemc_vec3 p = all->positions[a], q = all->positions[b];
    const double d[3] = {(double)p.x - q.x, (double)p.y - q.y, (double)p.z - q.z};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

// Of all particles to the nearest of another guide, the middle one. 0 = there are no two guides.
static double usual_distance(hemc_arena* arena, const hemc_mesh* mesh, uint32_t begin, uint32_t end) {
    uint64_t* keys = hemc_alloc(arena, end - begin, sizeof(uint64_t));
    uint32_t count = 0;
    for (uint32_t a = begin; a < end; ++a) {
        double best = HUGE_VAL;
        for (uint32_t b = begin; b < end; ++b) {
            if (mesh->all.column[a] != mesh->all.column[b]) {
                best = fmin(best, between2(&mesh->all, a, b));
            }
        }
        if (best < HUGE_VAL) {
            memcpy(&keys[count++], &best, sizeof(best)); // numbers that are not negative go in order of their bits
        }
    }
    double middle = 0;
    if (count != 0) {
        hemc_sort(arena, keys, NULL, count);
        memcpy(&middle, &keys[count / 2], sizeof(middle));
    }
    return sqrt(middle);
}

static void crowd_part(hemc_arena* arena, hemc_mesh* mesh, uint32_t part) {
    const uint32_t begin = mesh->part_begin[part], end = mesh->part_begin[part + 1];
    const double reach = REACH * usual_distance(arena, mesh, begin, end);
    if (!(reach > 1e-5)) {
        mesh->part_fullness[part] = 0;
        return;
    }
    mesh->part_reach[part] = (float)reach;
    for (uint32_t a = begin; a < end; ++a) {
        double crowd = 0;
        for (uint32_t b = begin; b < end; ++b) {
            const double u = 1 - between2(&mesh->all, a, b) / (reach * reach);
            crowd += u > 0 && mesh->all.column[a] != mesh->all.column[b] ? u * u : 0;
        }
        mesh->hair[a][0] = (float)mesh->all.column[a];
        mesh->hair[a][1] = (float)(1 / fmax(crowd, LEAST));
    }
}

void hemc_fullness_make(hemc_arena* arena, hemc_mesh* mesh) {
    mesh->part_reach = hemc_alloc(arena, mesh->part_count, sizeof(float));
    mesh->hair = hemc_alloc(arena, mesh->all.count, sizeof(*mesh->hair));
    for (uint32_t i = 0; i < mesh->all.count; ++i) {
        mesh->hair[i][0] = -1;
    }
    for (uint32_t part = 0; part < mesh->part_count; ++part) {
        if (mesh->part_fullness[part] > 0) {
            crowd_part(arena, mesh, part);
        }
    }
}

void hemc_fullness_of(hemc_arena* arena, const hemc_recipe* recipe, hemc_mesh* mesh) {
    bool any = false;
    for (uint32_t part = 0; part < recipe->part_count; ++part) {
        any |= recipe->parts[part].fullness > 0;
    }
    if (!any) {
        return;
    }
    mesh->part_fullness = hemc_alloc(arena, mesh->part_count, sizeof(float));
    for (uint32_t part = 0; part < recipe->part_count; ++part) {
        mesh->part_fullness[part] = recipe->parts[part].fullness;
    }
    hemc_fullness_make(arena, mesh);
}
