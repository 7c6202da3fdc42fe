// SPDX-License-Identifier: MIT
#include "tools/bench_private.h"
#include "formats/hem_format.h"
#include "platform/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The cloth that all engines are given, the capsules it meets, and the judge of what they make of it.
//
// The sheet lies level, 2 m x 2 m, its edge at z = 0 pinned at both corners, with links to the next neighbours, over the
// diagonals and over two rings: just under six per particle. It falls, swings through and comes to hang.

static void free_sheet(bench_sheet* s) {
    free(s->positions);
    free(s->mass);
    free(s->pinned);
    free(s->links);
    free(s->level);
    free(s->column);
    memset(s, 0, sizeof(*s));
}

bool bench_sheet_create(bench_sheet* s, int32_t width, int32_t height) {
    static const struct {
        int32_t across, along;
        uint8_t kind;
    } STENCIL[] = {{1, 0, HEM_LINK_WEFT},   {0, 1, HEM_LINK_WARP}, {1, 1, HEM_LINK_SHEAR},
                   {-1, 1, HEM_LINK_SHEAR}, {2, 0, HEM_LINK_BEND}, {0, 2, HEM_LINK_BEND}};
    memset(s, 0, sizeof(*s));
    s->width = width;
    s->height = height;
    s->count = width * height;
    size_t count = (size_t)s->count;
    float dx = 2.0f / (float)(width - 1), dz = 2.0f / (float)(height - 1);
    s->spacing = dx < dz ? dx : dz;
    s->positions = malloc(count * sizeof(*s->positions));
    s->mass = malloc(count * sizeof(*s->mass));
    s->pinned = calloc(count, 1);
    s->links = malloc(count * 6 * sizeof(*s->links));
    s->level = malloc(count * sizeof(*s->level));
    s->column = malloc(count * sizeof(*s->column));
    if (!s->positions || !s->mass || !s->pinned || !s->links || !s->level || !s->column) {
        free_sheet(s);
        return false;
    }
    for (int32_t z = 0; z < height; z++) {
        for (int32_t x = 0; x < width; x++) {
            int32_t i = z * width + x;
            s->positions[i][0] = (float)x * dx - 1.0f;
            s->positions[i][1] = 0.0f;
            s->positions[i][2] = (float)z * dz;
            s->mass[i] = 0.8f / (float)count; // 200 g/m^2
            s->level[i] = z;
            s->column[i] = x;
            for (size_t k = 0; k < HEM_COUNT_OF(STENCIL); k++) {
                int32_t u = x + STENCIL[k].across, v = z + STENCIL[k].along;
                if (u >= 0 && u < width && v < height) {
                    hemc_bare_link link = {(uint32_t)i, (uint32_t)(v * width + u), STENCIL[k].kind};
                    s->links[s->link_count++] = link;
                }
            }
        }
    }
    s->pinned[0] = s->pinned[width - 1] = 1;
    return true;
}

void bench_sheet_hang(bench_sheet* s) {
    memset(s->pinned, 0, (size_t)s->count);
    s->pinned[s->height / 2 * s->width + s->width / 2] = 1;
}

void bench_sheet_destroy(bench_sheet* s) {
    free_sheet(s);
}

float bench_self_thickness(const bench_sheet* s) {
    return 0.6f * s->spacing;
}

int bench_sheet_compile(const bench_sheet* s, bool self_collision, uint8_t** bytes, size_t* size) {
    hemc_bare_mesh mesh;
    memset(&mesh, 0, sizeof(mesh));
    mesh.particle_count = (uint32_t)s->count;
    mesh.positions = (const float(*)[3])s->positions;
    mesh.animated = s->pinned;
    mesh.mass = s->mass;
    mesh.radius = 0.5f * s->spacing;
    mesh.links = s->links;
    mesh.link_count = s->link_count;
    mesh.level = s->level;
    mesh.column = s->column;
    mesh.self_collision = self_collision;
    mesh.self_thickness = bench_self_thickness(s);
    mesh.thickness = BENCH_THICKNESS;
    mesh.damping = BENCH_DAMPING;
    mesh.friction = BENCH_FRICTION;
    return hemc_compile_bare(&mesh, bytes, size);
}

void bench_capsules_at(float seconds, bench_capsule capsules[BENCH_CAPSULES]) {
    for (int32_t i = 0; i < BENCH_CAPSULES; i++) {
        bench_capsule* c = &capsules[i];
        float beat = 3.1415927f * seconds + 1.7f * (float)i; // half a hertz
        c->position[0] = -0.8f + 0.4f * (float)(i % 5);
        c->position[1] = -0.3f - 0.4f * (float)(i / 5);
        c->position[2] = 0.25f * hem_sinf(beat);
        // Lying along x, tipping to and fro.
        float angle = 0.5f * (1.5707963f + 0.4f * hem_cosf(beat));
        c->rotation[0] = 0.0f;
        c->rotation[1] = 0.0f;
        c->rotation[2] = hem_sinf(angle);
        c->rotation[3] = hem_cosf(angle);
        c->radius = 0.08f;
        c->half = 0.12f;
    }
}

void bench_origin(int32_t instance, float origin[3]) {
    origin[0] = 6.0f * (float)(instance % 10);
    origin[1] = 0.0f;
    origin[2] = 6.0f * (float)(instance / 10);
}

// -- The judge

static float distance(const float a[3], const float b[3]) {
    float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrtf(x * x + y * y + z * z);
}

static float depth_in(const bench_capsule* c, const float p[3]) {
    // The capsule's axis: y turned by its rotation.
    const float* q = c->rotation;
    float axis[3] = {2.0f * (q[0] * q[1] - q[3] * q[2]), 1.0f - 2.0f * (q[0] * q[0] + q[2] * q[2]),
                     2.0f * (q[1] * q[2] + q[3] * q[0])};
    float along = 0.0f, nearest[3];
    for (int32_t k = 0; k < 3; k++) {
        along += axis[k] * (p[k] - c->position[k]);
    }
    along = along < -c->half ? -c->half : along > c->half ? c->half : along;
    for (int32_t k = 0; k < 3; k++) {
        nearest[k] = c->position[k] + along * axis[k];
    }
    return c->radius - distance(p, nearest);
}

static uint32_t cell_of(const float p[3], float cell, int32_t dx, int32_t dy, int32_t dz, uint32_t mask) {
    int32_t x = (int32_t)floorf(p[0] / cell) + dx, y = (int32_t)floorf(p[1] / cell) + dy;
    int32_t z = (int32_t)floorf(p[2] / cell) + dz;
    return ((uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u) & mask;
}

// Pairs nearer than `limit`, by a hash of cells as wide.
static bool count_near(const bench_sheet* s, const float (*positions)[3], float limit, double* near) {
    uint32_t size = 1;
    while (size < 2u * (uint32_t)s->count) {
        size *= 2;
    }
    int32_t* first = malloc(size * sizeof(*first));
    int32_t* next = malloc((size_t)s->count * sizeof(*next));
    if (first == NULL || next == NULL) {
        free(first);
        free(next);
        return false;
    }
    memset(first, 0xff, size * sizeof(*first));
    *near = 0;
    for (int32_t i = 0; i < s->count; i++) {
        for (int32_t cell = 0; cell < 27; cell++) {
            uint32_t slot = cell_of(positions[i], limit, cell % 3 - 1, cell / 3 % 3 - 1, cell / 9 - 1, size - 1);
            for (int32_t j = first[slot]; j >= 0; j = next[j]) {
                // Two cells may share a list: count a pair from its own cell only.
                bool here = true;
                for (int32_t k = 0; k < 3 && here; k++) {
                    int32_t step = k == 0 ? cell % 3 - 1 : k == 1 ? cell / 3 % 3 - 1 : cell / 9 - 1;
                    here = (int32_t)floorf(positions[j][k] / limit) == (int32_t)floorf(positions[i][k] / limit) + step;
                }
                int32_t across = abs(s->column[i] - s->column[j]), along = abs(s->level[i] - s->level[j]);
                if (here && (across > 2 || along > 2) && distance(positions[i], positions[j]) < limit) {
                    *near += 1;
                }
            }
        }
        uint32_t own = cell_of(positions[i], limit, 0, 0, 0, size - 1);
        next[i] = first[own];
        first[own] = i;
    }
    free(first);
    free(next);
    return true;
}

bool bench_judge(const bench_world* world, const float (*positions)[3], const bench_capsule* capsules,
                 bench_quality* quality) {
    const bench_sheet* s = world->sheet;
    double sum = 0, maximum = 0;
    size_t count = 0;
    memset(quality, 0, sizeof(*quality));
    for (size_t i = 0; i < s->link_count; i++) {
        const hemc_bare_link* l = &s->links[i];
        if (l->kind == HEM_LINK_BEND) {
            continue;
        }
        float rest = distance(s->positions[l->a], s->positions[l->b]);
        double stretch = fabs((double)distance(positions[l->a], positions[l->b]) / (double)rest - 1.0);
        sum += stretch;
        maximum = stretch > maximum || isnan(stretch) ? stretch : maximum;
        count++;
    }
    quality->stretch_mean = sum / (double)count;
    quality->stretch_max = maximum;
    for (int32_t i = 0; capsules != NULL && i < s->count; i++) {
        float deepest = 0.0f;
        for (int32_t k = 0; k < bench_capsule_count(world->variant); k++) {
            float depth = depth_in(&capsules[k], positions[i]);
            deepest = depth > deepest ? depth : deepest;
        }
        quality->deep += deepest > 0.1f * s->spacing;
    }
    return !bench_is_self(world->variant) || count_near(s, positions, 0.5f * bench_self_thickness(s), &quality->deep);
}
