// SPDX-License-Identifier: MIT
#include "compiler/graph/fabric.h"
#include "compiler/graph/graph.h"

#include <string.h>

// Which edges of a part's cloth may bend around edges of meshes: all of its triangulation, which is the weave with one
// diagonal a cell, and the other diagonals that are links. A link over a cell that a table's edge comes through would prop
// the cloth up otherwise.

typedef struct edge_side {
    uint32_t a, b, far; // as the triangle has it
} edge_side;

typedef struct edge_map { // sorted by key
    uint64_t* keys;
    uint32_t* items;
    size_t count;
} edge_map;

static uint64_t key_of(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static uint32_t find(const edge_map* map, uint64_t key) {
    size_t low = 0, high = map->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (map->keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < map->count && map->keys[low] == key ? map->items[low] : UINT32_MAX;
}

static void turn_over(uint32_t face[3]) {
    const uint32_t first = face[0];
    face[0] = face[1];
    face[1] = first;
}

// Side of a face with these two ends: whether it runs from a to b.
static bool runs_along(const uint32_t face[3], uint32_t a, uint32_t b) {
    return (face[0] == a && face[1] == b) || (face[1] == a && face[2] == b) || (face[2] == a && face[0] == b);
}

// For each side of each face the face beyond, UINT32_MAX = none.
static uint32_t* find_beyond(hemc_arena* arena, const uint32_t (*faces)[3], size_t face_count) {
    uint64_t* keys = hemc_alloc(arena, 3 * face_count, sizeof(uint64_t));
    uint32_t* order = hemc_alloc(arena, 3 * face_count, sizeof(uint32_t));
    uint32_t* beyond = hemc_alloc(arena, 3 * face_count, sizeof(uint32_t));
    for (size_t i = 0; i < 3 * face_count; ++i) {
        keys[i] = key_of(faces[i / 3][i % 3], faces[i / 3][(i + 1) % 3]);
        order[i] = (uint32_t)i;
        beyond[i] = UINT32_MAX;
    }
    hemc_sort(arena, keys, order, 3 * face_count);
    for (size_t i = 1; i < 3 * face_count; ++i) {
        const bool first = i == 1 || keys[i - 2] != keys[i - 1];
        if (keys[i] == keys[i - 1] && first) {
            beyond[order[i]] = order[i - 1] / 3;
            beyond[order[i - 1]] = order[i] / 3;
        }
    }
    return beyond;
}

// How far a face looks the way the surface does.
static double looks_out(const hemc_mesh* mesh, const uint32_t face[3]) {
    const hemc_vec3 *x = mesh->all.positions, *a = &x[face[0]], *b = &x[face[1]], *c = &x[face[2]];
    const double u[3] = {(double)b->x - (double)a->x, (double)b->y - (double)a->y, (double)b->z - (double)a->z};
    const double v[3] = {(double)c->x - (double)a->x, (double)c->y - (double)a->y, (double)c->z - (double)a->z};
    double sum = 0;
    for (int k = 0; mesh->all.normals != NULL && k < 3; ++k) {
        const hemc_vec3* n = &mesh->all.normals[face[k]];
        sum += (double)n->x * (u[1] * v[2] - u[2] * v[1]) + (double)n->y * (u[2] * v[0] - u[0] * v[2]) +
               (double)n->z * (u[0] * v[1] - u[1] * v[0]);
    }
    return sum;
}

// Turns faces so that neighbours agree, and all that hang together look the way the surface does.
static void agree(hemc_arena* arena, const hemc_mesh* mesh, uint32_t (*faces)[3], size_t face_count) {
    const uint32_t* beyond = find_beyond(arena, (const uint32_t(*)[3])faces, face_count);
    uint32_t* list = hemc_alloc(arena, face_count, sizeof(uint32_t));
    bool* known = hemc_alloc(arena, face_count, sizeof(bool));
    // Sides are named as the faces were.
    uint32_t(*before)[3] = hemc_alloc(arena, face_count, sizeof(*before));
    memcpy(before, faces, face_count * sizeof(*before));
    memset(known, 0, face_count * sizeof(bool));
    for (size_t i = 0; i < face_count; ++i) {
        size_t count = 0;
        double out = 0;
        if (!known[i]) {
            list[count++] = (uint32_t)i;
            known[i] = true;
        }
        for (size_t at = 0; at < count; ++at) {
            const uint32_t f = list[at];
            out += looks_out(mesh, faces[f]);
            for (uint32_t k = 0; k < 3; ++k) {
                const uint32_t next = beyond[3 * (size_t)f + k], a = before[f][k], b = before[f][(k + 1) % 3];
                if (next == UINT32_MAX || known[next]) {
                    continue;
                }
                if (runs_along(faces[f], a, b) == runs_along(faces[next], a, b)) {
                    turn_over(faces[next]);
                }
                known[next] = true;
                list[count++] = next;
            }
        }
        for (size_t at = 0; out < 0 && at < count; ++at) {
            turn_over(faces[list[at]]);
        }
    }
}

// Edges of the triangulation with the corners on both sides: the triangles are a, b, wing 0 and b, a, wing 1, as they face. Of a
// third triangle nobody asks.
static size_t face_edges(hemc_arena* arena, const uint32_t (*faces)[3], size_t face_count, hemc_virtual_edge* out) {
    edge_side* sides = hemc_alloc(arena, 3 * face_count, sizeof(edge_side));
    uint64_t* keys = hemc_alloc(arena, 3 * face_count, sizeof(uint64_t));
    uint32_t* order = hemc_alloc(arena, 3 * face_count, sizeof(uint32_t));
    for (size_t i = 0; i < 3 * face_count; ++i) {
        const uint32_t *f = faces[i / 3], a = f[i % 3], b = f[(i + 1) % 3];
        sides[i] = (edge_side){a, b, f[(i + 2) % 3]};
        keys[i] = key_of(a, b);
        order[i] = (uint32_t)i;
    }
    hemc_sort(arena, keys, order, 3 * face_count);
    size_t count = 0;
    for (size_t i = 0; i < 3 * face_count; ++i) {
        const edge_side* s = &sides[order[i]];
        if (i == 0 || keys[i] != keys[i - 1]) {
            out[count++] = (hemc_virtual_edge){s->a, s->b, {s->far, UINT32_MAX}, true};
        } else if (out[count - 1].wing[1] == UINT32_MAX &&
                   out[count - 1].wing[0] != s->far) { // turned over: still two sides
            out[count - 1].wing[1] = s->far;
        }
    }
    return count;
}

static void make_part(hemc_arena* arena, hemc_mesh* mesh, uint32_t part, size_t* capacity) {
    uint32_t(*faces)[3];
    const size_t face_count = hemc_weave_faces(arena, mesh, part, &faces);
    agree(arena, mesh, faces, face_count);
    hemc_virtual_edge* edges = hemc_alloc(arena, 3 * face_count, sizeof(hemc_virtual_edge));
    const size_t count = face_edges(arena, (const uint32_t(*)[3])faces, face_count, edges);
    // Edges by their ends, and by their wings: the other diagonal of the same cell.
    edge_map known = {hemc_alloc(arena, count, 8), hemc_alloc(arena, count, 4), count};
    edge_map across = {hemc_alloc(arena, count, 8), hemc_alloc(arena, count, 4), 0};
    for (size_t i = 0; i < count; ++i) {
        known.keys[i] = key_of(edges[i].a, edges[i].b);
        known.items[i] = (uint32_t)i;
        if (edges[i].wing[1] != UINT32_MAX) {
            across.keys[across.count] = key_of(edges[i].wing[0], edges[i].wing[1]);
            across.items[across.count++] = (uint32_t)i;
        }
    }
    hemc_sort(arena, known.keys, known.items, known.count);
    hemc_sort(arena, across.keys, across.items, across.count);
    mesh->virtual_edges = hemc_grow(arena, mesh->virtual_edges, capacity,
                                    mesh->virtual_edge_count + count + mesh->link_count, sizeof(hemc_virtual_edge));
    if (count != 0) {
        memcpy(mesh->virtual_edges + mesh->virtual_edge_count, edges, count * sizeof(*edges));
        mesh->virtual_edge_count += count;
    }
    for (size_t i = 0; i < mesh->link_count; ++i) {
        const hemc_link* l = &mesh->links[i];
        if (!hem_kind_in(l->kind, HEM_KINDS_STRETCH) || hemc_part_of(mesh, l->a) != part ||
            hemc_part_of(mesh, l->b) != part || find(&known, key_of(l->a, l->b)) != UINT32_MAX) {
            continue;
        }
        const uint32_t cell = find(&across, key_of(l->a, l->b));
        if (cell != UINT32_MAX) {
            mesh->virtual_edges[mesh->virtual_edge_count++] =
                (hemc_virtual_edge){l->a, l->b, {edges[cell].a, edges[cell].b}, false};
        }
    }
}

void hemc_virtual_make(hemc_arena* arena, hemc_mesh* mesh) {
    size_t capacity = 0;
    for (uint32_t part = 0; mesh->part_virtual != NULL && part < mesh->part_count; ++part) {
        if (mesh->part_virtual[part] != HEMC_VIRTUAL_NONE && mesh->part_kinds[part] == HEM_PART_CLOTH) {
            make_part(arena, mesh, part, &capacity);
        }
    }
}
