// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"

#include "compiler/graph/graph.h"

#include <string.h>

// Edges that may bend around meshes, in eights: neighbours in space, so that eight of them ask a mesh as one.

// Where the links of the file are, by the particles that they join.
typedef struct link_places {
    uint64_t* keys; // sorted
    uint32_t* places;
    size_t count;
} link_places;

static uint64_t key_of(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static link_places places_of(hemc_arena* arena, const hemc_layout* layout) {
    const size_t most = ((size_t)layout->link_batch_count + layout->index_batch_count) * HEM_LANES;
    link_places p = {hemc_alloc(arena, most, sizeof(uint64_t)), hemc_alloc(arena, most, sizeof(uint32_t)), 0};
    for (uint32_t i = 0; i < layout->link_batch_count * HEM_LANES; ++i) {
        const hem_link_batch* b = &layout->links[i / HEM_LANES];
        const uint32_t lane = i % HEM_LANES;
        if ((b->lane_mask >> lane & 1u) && hem_kind_in(b->kind, HEM_KINDS_STRETCH)) {
            p.keys[p.count] = key_of(b->row_a * HEM_LANES + lane, b->row_b * HEM_LANES + ((lane + b->rotate) & 7u));
            p.places[p.count++] = i;
        }
    }
    for (uint32_t i = 0; i < layout->index_batch_count * HEM_LANES; ++i) {
        const hem_index_batch* b = &layout->indexed[i / HEM_LANES];
        if ((b->lane_mask >> i % HEM_LANES & 1u) && hem_kind_in(b->kind, HEM_KINDS_STRETCH)) {
            p.keys[p.count] = key_of(b->a[i % HEM_LANES], b->b[i % HEM_LANES]);
            p.places[p.count++] = i | HEM_VIRTUAL_INDEXED;
        }
    }
    hemc_sort(arena, p.keys, p.places, p.count);
    return p;
}

static uint32_t place_of(const link_places* p, uint32_t a, uint32_t b) {
    const uint64_t key = key_of(a, b);
    size_t low = 0, high = p->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (p->keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < p->count && p->keys[low] == key ? p->places[low] : HEM_VIRTUAL_NO_LINK;
}

static void put_edge(const hemc_layout* layout, const hemc_virtual_edge* e, const link_places* places, uint32_t lane,
                     hem_virtual_edges* out) {
    const uint32_t* slot = layout->slot_of;
    const uint32_t link = place_of(places, slot[e->a], slot[e->b]);
    if (link == HEM_VIRTUAL_NO_LINK && !e->face) {
        return; // one of two links between the same particles was left out
    }
    out->a[lane] = (uint16_t)slot[e->a];
    out->b[lane] = (uint16_t)slot[e->b];
    out->wing[0][lane] = (uint16_t)slot[e->wing[0]];
    out->wing[1][lane] = e->wing[1] == UINT32_MAX ? (uint16_t)HEM_VIRTUAL_NO_WING : (uint16_t)slot[e->wing[1]];
    out->link[lane] = link;
    out->lane_mask |= (uint8_t)(1u << lane);
    out->face_mask |= (uint8_t)(e->face << lane);
}

static void batch_part(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, const link_places* places,
                       hemc_layout* layout) {
    const uint32_t source = layout->part_order[part];
    uint32_t* own = hemc_alloc(arena, mesh->virtual_edge_count, sizeof(uint32_t));
    hemc_vec3* middle = hemc_alloc(arena, mesh->virtual_edge_count, sizeof(hemc_vec3));
    uint32_t* slots = hemc_alloc(arena, mesh->virtual_edge_count, sizeof(uint32_t));
    uint32_t count = 0;
    for (size_t i = 0; i < mesh->virtual_edge_count; ++i) {
        const hemc_virtual_edge* e = &mesh->virtual_edges[i];
        if (hemc_part_of(mesh, e->a) == source) {
            const hemc_vec3 a = mesh->all.positions[e->a], b = mesh->all.positions[e->b];
            middle[count] = (hemc_vec3){0.5f * (a.x + b.x), 0.5f * (a.y + b.y), 0.5f * (a.z + b.z)};
            own[count++] = (uint32_t)i;
        }
    }
    const uint32_t eights = hemc_place_compact(arena, middle, count, slots);
    hem_virtual_edges* out = hemc_alloc(arena, eights, sizeof(hem_virtual_edges));
    for (uint32_t i = 0; i < eights * HEM_LANES; ++i) {
        out[i / HEM_LANES].link[i % HEM_LANES] = HEM_VIRTUAL_NO_LINK;
        out[i / HEM_LANES].part = (uint8_t)part;
        out[i / HEM_LANES].flags = mesh->part_virtual[source] == HEMC_VIRTUAL_FACES ? HEM_VIRTUAL_FACES : 0;
    }
    for (uint32_t i = 0; i < count; ++i) {
        put_edge(layout, &mesh->virtual_edges[own[i]], places, slots[i] % HEM_LANES, &out[slots[i] / HEM_LANES]);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < eights; ++i) {
        if (out[i].lane_mask != 0) {
            out[kept++] = out[i];
        }
    }
    layout->virtual_edges =
        hemc_append(arena, layout->virtual_edges, layout->virtual_edge_count, out, kept, sizeof *out);
    layout->virtual_edge_count += kept;
}

void hemc_batch_virtual(hemc_arena* arena, const hemc_mesh* mesh, hemc_layout* layout) {
    if (mesh->virtual_edge_count == 0) {
        return;
    }
    const link_places places = places_of(arena, layout);
    for (uint32_t part = 0; part < mesh->part_count; ++part) {
        if (mesh->part_virtual[layout->part_order[part]] != HEMC_VIRTUAL_NONE) {
            batch_part(arena, mesh, part, &places, layout);
        }
    }
}
