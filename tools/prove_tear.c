// SPDX-License-Identifier: MIT
#include "tools/prove_tear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The bear of jelly, pulled by its crown until it is in two: what it weighs, whether what is drawn is closed, and whether
// kernels and saves agree on it.

enum { FRAMES = 240 };

typedef struct edge {
    uint64_t low, high;
    int32_t sense;
} edge;

static uint64_t mix(uint64_t a, uint64_t b) {
    a = (a ^ b) * 0x9e3779b97f4a7c15ull;
    return a ^ a >> 29;
}

static int compare(const void* a, const void* b) {
    const edge *x = a, *y = b;
    return x->low != y->low ? (x->low < y->low ? -1 : 1) : x->high < y->high ? -1 : x->high > y->high;
}

// Of a vertex that is drawn: a place and the cell that moves it there.
static uint64_t identity(const hem_view* v, const hem_torn* torn, uint32_t index, uint32_t point) {
    const uint32_t whole = v->info->vertex_count;
    if (index >= whole) {
        const hem_torn_vertex* t = &torn->vertices[index - whole];
        return mix(mix(11, t->point), t->cell);
    }
    if (point != HEM_TEAR_NONE) {
        return mix(mix(11, point), v->tear_cells[v->tear_points[point].cell_begin]);
    }
    uint64_t id = 7;
    for (int32_t k = 0; k < 3; k++) {
        uint32_t bits;
        memcpy(&bits, &v->vertex_rest[index].position[k], sizeof(bits));
        id = mix(id, bits);
    }
    return id;
}

static void add_triangle(edge* edges, uint32_t* count, const uint64_t id[3]) {
    for (int32_t k = 0; k < 3; k++) {
        const uint64_t a = id[k], b = id[(k + 1) % 3];
        edges[(*count)++] = a < b ? (edge){a, b, 1} : (edge){b, a, -1};
    }
}

// Edges of everything drawn whose faces do not cancel.
double proof_open_edges(const player* p) {
    const hem_view* v = &p->setup.source->view;
    hem_torn torn;
    if (hem_instance_get_torn(p->scene, p->id, &torn) != HEM_OK) {
        return INFINITY;
    }
    uint32_t count = 0, open = 0;
    uint32_t* indices = malloc(sizeof(uint32_t) * (v->preview_index_count + 1));
    edge* edges = malloc(sizeof(edge) * (3 * (size_t)v->tear_triangle_count + torn.cap_index_count + 1));
    if (indices == NULL || edges == NULL) {
        free(indices);
        free(edges);
        return INFINITY;
    }
    memcpy(indices, v->preview_indices, sizeof(uint32_t) * v->preview_index_count);
    for (uint32_t m = 0; m < v->mesh_count; m++) {
        hem_instance_get_torn_indices(p->scene, p->id, m, indices + v->meshes[m].index_begin, v->meshes[m].index_count);
    }
    for (uint32_t i = 0; i < v->tear_triangle_count; i++) {
        const hem_tear_triangle* t = &v->tear_triangles[i];
        uint64_t id[3];
        for (uint32_t k = 0; k < 3; k++) {
            id[k] = identity(v, &torn, indices[v->meshes[t->mesh].index_begin + 3 * t->triangle + k], t->point[k]);
        }
        add_triangle(edges, &count, id);
    }
    for (uint32_t i = 0; i < torn.cap_index_count; i += 3) {
        uint64_t id[3];
        for (uint32_t k = 0; k < 3; k++) {
            id[k] = identity(v, &torn, torn.cap_indices[i + k], HEM_TEAR_NONE);
        }
        add_triangle(edges, &count, id);
    }
    qsort(edges, count, sizeof(edge), compare);
    for (uint32_t i = 0, k = 0; i < count; i = k) {
        int32_t sum = 0;
        for (k = i; k < count && compare(&edges[i], &edges[k]) == 0; k++) {
            sum += edges[k].sense;
        }
        open += sum != 0 && edges[i].low != edges[i].high;
    }
    free(indices);
    free(edges);
    return open;
}

static double moving_mass(const player* p) {
    double mass = 0;
    for (uint32_t i = 0; i < p->setup.source->view.info->particle_count; i++) {
        const hem_particle* q = &p->puppet.particles[i];
        mass += (q->flags & HEM_PARTICLE_PAD) == 0 && q->inverse_mass > 0 ? 1.0 / (double)q->inverse_mass : 0.0;
    }
    return mass;
}

double proof_unsound_vertices(const player* p) {
    uint32_t bad = 0;
    for (uint32_t i = 0; i < p->setup.source->view.info->vertex_count + p->puppet.torn_count; i++) {
        const float* x = p->puppet.positions + 3 * (size_t)i;
        bad += !isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]);
    }
    return bad;
}

// Plays it; in the frame after the first tear it is saved and loaded into a scene of its own, which goes on beside it.
typedef struct run {
    uint64_t hash, restored;
    double open, mass_before, mass_after, unsound;
    uint32_t pieces, spare_used;
} run;

static bool play(const asset* a, hem_kernel kernel, bool restore, run* out) {
    player p, copy;
    player_setup setup = player_setup_default(a);
    player_frame frame;
    setup.clip = 0;
    setup.kernel = kernel;
    memset(out, 0, sizeof(*out));
    memset(&copy, 0, sizeof(copy));
    bool good = player_begin(&p, &setup) == 0, copied = false;
    for (int32_t f = 0; f < FRAMES && good; f++) {
        hem_torn torn;
        good = player_step(&p, false, &frame) == 0;
        if (copied) {
            good = good && player_step(&copy, false, &frame) == 0;
        }
        hem_instance_get_torn(p.scene, p.id, &torn);
        if (f == 0) {
            out->mass_before = moving_mass(&p);
        }
        if (restore && !copied && torn.spare_used > 0) {
            const size_t size = hem_scene_save_size(p.scene, HEM_SAVE_ALL);
            uint8_t* bytes = malloc(size);
            good = bytes != NULL && player_begin(&copy, &setup) == 0 &&
                   hem_scene_save(p.scene, HEM_SAVE_ALL, bytes, size) == HEM_OK &&
                   hem_scene_load(copy.scene, bytes, size) == HEM_OK;
            copy.frame_index = p.frame_index;
            copied = good;
            free(bytes);
        }
        const double open = f % 10 == 0 || f + 1 == FRAMES ? proof_open_edges(&p) : 0.0,
                     unsound = proof_unsound_vertices(&p);
        out->open = open > out->open ? open : out->open;
        out->unsound = unsound > out->unsound ? unsound : out->unsound;
        out->pieces = torn.piece_count;
        out->spare_used = torn.spare_used;
    }
    out->mass_after = good ? moving_mass(&p) : 0.0;
    out->hash = good ? hem_scene_hash(p.scene) : 0;
    out->restored = copied ? hem_scene_hash(copy.scene) : 0;
    if (copied) {
        player_end(&copy);
    }
    player_end(&p);
    return good;
}

void prove_tear(proof* p) {
    asset a;
    run first, plain;
    if (!proof_sample(p, "jelly", &a)) {
        return;
    }
    if (!play(&a, HEM_KERNEL_AUTO, true, &first) || !play(&a, HEM_KERNEL_SCALAR, false, &plain)) {
        proof_unmeasured(p, "two pieces", "it cannot be played", "a bear of jelly torn in two");
    } else {
        proof_at_least(p, 2.0, first.pieces, "pieces", "a bear of jelly, pulled by its crown, %u particles split",
                       first.spare_used);
        proof_at_most(p, 1e-5, fabs(first.mass_after / first.mass_before - 1.0), "of its mass",
                      "change of mass by all its tears");
        proof_at_most(p, 0.0, first.open, "edges", "of what is drawn without as many faces of either sense");
        proof_at_most(p, 0.0, first.unsound, "vertices", "that are no numbers");
        proof_same(p, plain.hash, first.hash, "state after 4 s, scalar kernel and the widest");
        proof_same(p, first.hash, first.restored, "state after a save and a load in the middle of the tear");
    }
    asset_unload(&a);
}
