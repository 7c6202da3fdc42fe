// SPDX-License-Identifier: MIT
#include "compiler/generate/generate.h"

#include <string.h>

// Guide lines along chains of bones, for strands whose rig says better than their shape where they run: a thick tail, a
// braid modelled in one piece, ears.
//
// A chain begins at a bone that the recipe names, if it names none above, and goes down to the last descendant. Where bones
// fork, the first child carries the chain on and every other one begins a chain of its own at the fork. Its points are
// the heads of its bones in bind pose. The last bone has a head but no tail in a glTF: the line goes on to the end of the
// surface that follows that bone. Chains that move nothing of the part are left out.

#define BONE_LIMIT 90 // points of one line

typedef struct skeleton {
    hemc_gen* gen;
    uint8_t* named;        // per bone: the recipe names it
    int32_t *child, *next; // first child, next sibling; in order of numbers
    double* weight;        // per bone: how much of the part's surface follows it, in vertices
    hemc_d3* normal;       // of those, times weight
} skeleton;

static hemc_d3 head_of(const hemc_model* model, uint32_t bone) {
    const float* m = model->bone_defs[bone].bind;
    return d3(m[3], m[7], m[11]);
}

static void read_skeleton(skeleton* s) {
    hemc_arena* arena = s->gen->arena;
    const hemc_model* model = s->gen->model;
    const hemc_surface* surface = s->gen->surface;
    const hemc_part_recipe* part = s->gen->part;
    const uint32_t n = model->bone_count;
    s->named = hemc_alloc(arena, (size_t)n + 1, sizeof *s->named);
    s->child = hemc_alloc(arena, (size_t)n + 1, sizeof *s->child);
    s->next = hemc_alloc(arena, (size_t)n + 1, sizeof *s->next);
    s->weight = hemc_alloc(arena, (size_t)n + 1, sizeof *s->weight);
    s->normal = hemc_alloc(arena, (size_t)n + 1, sizeof *s->normal);
    memset(s->child, 0xff, ((size_t)n + 1) * sizeof *s->child);
    memset(s->next, 0xff, ((size_t)n + 1) * sizeof *s->next);
    for (uint32_t b = n; b-- > 0;) {
        const int32_t parent = model->bone_defs[b].parent;
        for (uint32_t k = 0; k < part->chain_count; ++k) {
            s->named[b] |= hemc_glob(part->chains[k], model->bone_defs[b].name);
        }
        if (parent >= 0) {
            s->next[b] = s->child[parent];
            s->child[parent] = (int32_t)b;
        }
    }
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        const uint32_t source = surface->source_vertex[v];
        for (int k = 0; k < 4; ++k) {
            const double w = model->bone_weights[source][k];
            const uint16_t bone = model->bones[source][k];
            s->weight[bone] += w;
            s->normal[bone] = d3_madd(s->normal[bone], d3_from(surface->normals[v]), w);
        }
    }
}

static double share_of(const skeleton* s, uint32_t vertex, uint32_t bone) {
    const hemc_model* model = s->gen->model;
    const uint32_t source = s->gen->surface->source_vertex[vertex];
    double w = 0.0;
    for (int k = 0; k < 4; ++k) {
        w += model->bones[source][k] == bone ? (double)model->bone_weights[source][k] : 0.0;
    }
    return w;
}

// Where the surface that mostly follows the bone ends, seen from its head: towards the middle of what lies ahead, as far as
// that goes. `way` is the direction in which the chain arrives, zero when there is none.
static hemc_d3 find_tip(const skeleton* s, uint32_t bone, hemc_d3 head, hemc_d3 way) {
    const hemc_surface* surface = s->gen->surface;
    hemc_d3 sum = d3(0, 0, 0);
    double total = 0.0;
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        const hemc_d3 d = d3_sub(d3_from(surface->positions[v]), head);
        const double w = share_of(s, v, bone);
        if (w > 0.5 && d3_dot(d, way) >= 0.0) {
            sum = d3_madd(sum, d, w);
            total += w;
        }
    }
    if (!(total > 0.0)) {
        return head;
    }
    way = d3_unit(sum, way);
    double reach = 0.0;
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        const double along = d3_dot(d3_sub(d3_from(surface->positions[v]), head), way);
        reach = along > reach && share_of(s, v, bone) > 0.5 ? along : reach;
    }
    return d3_madd(head, way, reach);
}

static bool is_start(const skeleton* s, uint32_t bone) {
    const int32_t parent = s->gen->model->bone_defs[bone].parent;
    for (int32_t above = parent; above >= 0; above = s->gen->model->bone_defs[above].parent) {
        if (s->named[above]) {
            return false;
        }
    }
    return s->named[bone];
}

typedef struct line_list {
    hemc_bone_line* items;
    size_t count, capacity;
    int32_t* starts; // bones at which lines begin, or branch off from their parents
    size_t start_count;
} line_list;

// One line from `bone` down. Forks leave the other branches to be followed later.
static void follow(skeleton* s, int32_t bone, line_list* out) {
    const hemc_model* model = s->gen->model;
    const int32_t parent = model->bone_defs[bone].parent;
    hemc_d3* points = hemc_alloc(s->gen->arena, BONE_LIMIT + 2, sizeof *points);
    uint32_t count = 0, last = 0;
    if (!is_start(s, (uint32_t)bone)) {
        points[count++] = head_of(model, (uint32_t)parent);
    }
    double weight = 0.0;
    hemc_d3 normal = d3(0, 0, 0);
    for (; bone != HEM_NONE && count < BONE_LIMIT; bone = s->child[bone]) {
        last = (uint32_t)bone;
        const int32_t first = s->child[bone];
        for (int32_t other = first != HEM_NONE ? s->next[first] : HEM_NONE; other != HEM_NONE; other = s->next[other]) {
            out->starts[out->start_count++] = other;
        }
        hemc_d3 head = head_of(model, last);
        // Helpers on one spot make no length.
        if (count == 0 || d3_distance(points[count - 1], head) > 1e-6) {
            points[count++] = head;
        }
        weight += s->weight[last];
        normal = d3_add(normal, s->normal[last]);
    }
    if (!(weight > 0.0)) {
        return;
    }
    const hemc_d3 end = points[count - 1];
    const hemc_d3 way = count > 1 ? d3_unit(d3_sub(end, points[count - 2]), d3(0, 0, 0)) : d3(0, 0, 0);
    const hemc_d3 tip = find_tip(s, last, end, way);
    if (d3_distance(tip, end) > 1e-6) {
        points[count++] = tip;
    }
    if (count < 2) {
        return;
    }
    out->items = hemc_grow(s->gen->arena, out->items, &out->capacity, out->count + 1, sizeof *out->items);
    hemc_bone_line line = {points, count, hemc_facing(normal, weight), weight};
    out->items[out->count++] = line;
}

size_t hemc_find_bone_lines(hemc_gen* gen, hemc_bone_line** lines) {
    skeleton s;
    line_list out;
    memset(&s, 0, sizeof s);
    memset(&out, 0, sizeof out);
    s.gen = gen;
    if (gen->model != NULL && gen->part->chain_count > 0) {
        read_skeleton(&s);
        out.starts = hemc_alloc(gen->arena, (size_t)gen->model->bone_count + 1, sizeof *out.starts);
        for (uint32_t b = 0; b < gen->model->bone_count; ++b) {
            if (is_start(&s, b)) {
                out.starts[out.start_count++] = (int32_t)b;
            }
        }
        for (size_t i = 0; i < out.start_count; ++i) {
            follow(&s, out.starts[i], &out);
        }
    }
    *lines = out.items;
    return out.count;
}
