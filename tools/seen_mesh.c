// SPDX-License-Identifier: MIT
#include "tools/seen_private.h"

#include <stdlib.h>
#include <string.h>

// What is known of a mesh before it moves: who belongs to which layer, which corners are one, which edges and walls there are,
// and what crosses in the bind pose.

#define GARMENT_SHARE 0.25f // of a connected piece that a part must move to own the rest of it
#define WALL_SHARE 0.15f    // of a layer's area: what is smaller is a rim
#define SMOOTH_COSINE 0.26f // faces that meet at less than 75 degrees are one wall

static uint32_t find_root(uint32_t* parents, uint32_t i) {
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

static void join(uint32_t* parents, uint32_t a, uint32_t b) {
    a = find_root(parents, a), b = find_root(parents, b);
    parents[a > b ? a : b] = a < b ? a : b;
}

// -- Corners

static bool weld_vertices(seen_mesh* m) {
    uint32_t capacity = 64;
    while (capacity < 2 * m->vertex_count) {
        capacity *= 2;
    }
    uint32_t* table = malloc(sizeof(uint32_t) * capacity);
    if (table == NULL) {
        return false;
    }
    memset(table, 0xff, sizeof(uint32_t) * capacity);
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        uint32_t bits[3];
        float p[3];
        for (int32_t k = 0; k < 3; k++) {
            p[k] = m->rest[3 * (size_t)i + (size_t)k] + 0.0f; // -0 is 0
        }
        memcpy(bits, p, sizeof(bits));
        uint32_t slot = (bits[0] * 0x9e3779b1u ^ bits[1] * 0x85ebca77u ^ bits[2] * 0xc2b2ae3du);
        slot = (slot ^ slot >> 15) & (capacity - 1);
        m->weld[i] = i;
        for (; table[slot] != UINT32_MAX; slot = (slot + 1) & (capacity - 1)) {
            const float* q = m->rest + 3 * (size_t)table[slot];
            if (q[0] == p[0] && q[1] == p[1] && q[2] == p[2]) {
                m->weld[i] = table[slot];
                break;
            }
        }
        if (m->weld[i] == i) {
            table[slot] = i;
        }
    }
    free(table);
    return true;
}

static bool make_fans(seen_mesh* m) {
    m->fan_starts = calloc((size_t)m->vertex_count + 2, sizeof(uint32_t));
    m->fan = malloc(sizeof(uint32_t) * (3 * (size_t)m->triangle_count + 1));
    if (m->fan_starts == NULL || m->fan == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < 3 * m->triangle_count; i++) {
        m->fan_starts[m->weld[m->triangles[i]] + 2]++;
    }
    for (uint32_t i = 2; i < m->vertex_count + 2; i++) {
        m->fan_starts[i] += m->fan_starts[i - 1];
    }
    for (uint32_t i = 0; i < 3 * m->triangle_count; i++) {
        m->fan[m->fan_starts[m->weld[m->triangles[i]] + 1]++] = i / 3;
    }
    return true;
}

// -- Layers

// Vertices that nothing moves go with the part that moves the piece they are in.
static bool dress_vertices(seen_mesh* m) {
    uint32_t* parents = malloc(sizeof(uint32_t) * ((size_t)m->vertex_count + 1));
    uint32_t* counts = calloc((size_t)m->vertex_count * m->layer_count + 1, sizeof(uint32_t));
    bool made = parents != NULL && counts != NULL;
    for (uint32_t i = 0; made && i < m->vertex_count; i++) {
        parents[i] = m->weld[i];
    }
    for (uint32_t t = 0; made && t < m->triangle_count; t++) {
        const uint32_t* c = m->triangles + 3 * (size_t)t;
        join(parents, c[0], c[1]);
        join(parents, c[0], c[2]);
    }
    for (uint32_t i = 0; made && i < m->vertex_count; i++) {
        counts[(size_t)find_root(parents, i) * m->layer_count + m->vertex_layers[i]]++;
    }
    for (uint32_t i = 0; made && i < m->vertex_count; i++) {
        if (m->vertex_layers[i] != SEEN_BODY || m->moved[i] > 0.0f) {
            continue;
        }
        const uint32_t* count = counts + (size_t)find_root(parents, i) * m->layer_count;
        uint32_t total = count[SEEN_BODY], most = SEEN_BODY;
        for (uint32_t layer = 1; layer < m->layer_count; layer++) {
            total += count[layer];
            most = most == SEEN_BODY || count[layer] > count[most] ? layer : most;
        }
        if (most != SEEN_BODY && (float)count[most] >= GARMENT_SHARE * (float)total) {
            m->vertex_layers[i] = (uint8_t)most;
        }
    }
    free(parents);
    free(counts);
    return made;
}

// A triangle goes with the corner that moves most.
static void dress_triangles(seen_mesh* m) {
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        const uint32_t* c = m->triangles + 3 * (size_t)t;
        uint32_t most = c[0];
        for (int32_t k = 1; k < 3; k++) {
            most = m->moved[c[k]] > m->moved[most] ? c[k] : most;
        }
        m->triangle_layers[t] = m->vertex_layers[most];
        m->triangle_moved[t] = m->moved[most] > 0.0f;
        m->moved_triangle_count += m->triangle_moved[t];
    }
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        m->moved_count += m->moved[i] > 0.0f;
        m->layers[m->vertex_layers[i]].moved_count += m->moved[i] > 0.0f;
    }
}

// -- Walls of cloth: faces joined over smooth edges

static void join_smooth(const seen_mesh* m, uint32_t* parents, uint32_t t) {
    vec3 own = v3_normalize(seeni_face_normal(m, m->rest, t), v3(0.0f, 0.0f, 0.0f));
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t a = m->weld[m->triangles[3 * (size_t)t + k]], b = m->weld[m->triangles[3 * (size_t)t + (k + 1) % 3]];
        for (uint32_t i = m->fan_starts[a]; i < m->fan_starts[a + 1]; i++) {
            uint32_t other = m->fan[i];
            const uint32_t* c = m->triangles + 3 * (size_t)other;
            if (other >= t || m->triangle_layers[other] != m->triangle_layers[t] ||
                (m->weld[c[0]] != b && m->weld[c[1]] != b && m->weld[c[2]] != b)) {
                continue;
            }
            vec3 normal = v3_normalize(seeni_face_normal(m, m->rest, other), v3(0.0f, 0.0f, 0.0f));
            if (v3_dot(own, normal) > SMOOTH_COSINE) {
                join(parents, t, other);
            }
        }
    }
}

static bool find_walls(seen_mesh* m, const bool* thin) {
    uint32_t* parents = malloc(sizeof(uint32_t) * ((size_t)m->triangle_count + 1));
    float* areas = calloc((size_t)m->triangle_count + 1, sizeof(float));
    if (parents == NULL || areas == NULL) {
        free(parents);
        free(areas);
        return false;
    }
    for (uint32_t i = 0; i < m->layer_count; i++) {
        m->has_sides[i] = i == SEEN_BODY || thin[i];
    }
    float layer_area[SEEN_LAYERS_MAX] = {0.0f};
    bool has_wall[SEEN_LAYERS_MAX] = {false};
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        parents[t] = t;
        if (thin[m->triangle_layers[t]]) {
            join_smooth(m, parents, t);
        }
    }
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        float area = v3_length(seeni_face_normal(m, m->rest, t));
        areas[find_root(parents, t)] += area;
        layer_area[m->triangle_layers[t]] += area;
    }
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        uint32_t layer = m->triangle_layers[t], root = find_root(parents, t);
        bool large = areas[root] >= WALL_SHARE * layer_area[layer];
        m->walls[t] = !thin[layer] ? 0 : large ? (int32_t)root : -1;
        has_wall[layer] |= m->walls[t] >= 0;
    }
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        m->walls[t] = has_wall[m->triangle_layers[t]] ? m->walls[t] : 0;
    }
    free(parents);
    free(areas);
    return true;
}

// -- Edges

static int compare_edges(const void* x, const void* y) {
    const seen_edge *a = x, *b = y;
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

static bool make_edges(seen_mesh* m) {
    m->edges = malloc(sizeof(seen_edge) * (3 * (size_t)m->moved_triangle_count + 1));
    m->stretched = malloc(3 * (size_t)m->moved_triangle_count + 1);
    if (m->edges == NULL || m->stretched == NULL) {
        return false;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3 * m->triangle_count; i++) {
        uint32_t a = m->weld[m->triangles[i]], b = m->weld[m->triangles[i % 3 == 2 ? i - 2 : i + 1]];
        float rest = v3_length(v3_sub(v3_load(m->rest + 3 * (size_t)a), v3_load(m->rest + 3 * (size_t)b)));
        if (m->triangle_moved[i / 3] && rest >= m->edge_min) {
            m->edges[count++] = (seen_edge){a < b ? a : b, a < b ? b : a, rest, m->triangle_layers[i / 3], i / 3};
        }
    }
    qsort(m->edges, count, sizeof(seen_edge), compare_edges);
    if (!seeni_make_folds(m, m->edges, count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || compare_edges(&m->edges[i], &m->edges[i - 1]) != 0) {
            m->layers[m->edges[i].layer].edge_count++;
            m->edges[m->edge_count++] = m->edges[i];
        }
    }
    return true;
}

// -- All of it

static bool reserve(seen_mesh* m, const seen_source* s) {
    size_t vertices = (size_t)s->vertex_count + 1, triangles = (size_t)s->triangle_count + 1;
    size_t layers = (size_t)s->layer_count * s->layer_count;
    m->triangles = malloc(sizeof(uint32_t) * 3 * triangles);
    m->rest = malloc(sizeof(float) * 3 * vertices);
    m->rest_normals = malloc(sizeof(float) * 3 * vertices);
    m->moved = malloc(sizeof(float) * vertices);
    m->weld = malloc(sizeof(uint32_t) * vertices);
    m->vertex_layers = malloc(vertices);
    m->triangle_layers = malloc(triangles);
    m->triangle_moved = malloc(triangles);
    m->turned_at_rest = calloc(triangles, 1);
    m->walls = malloc(sizeof(int32_t) * triangles);
    m->trees = calloc(s->layer_count, sizeof(seen_tree));
    m->vertex_depths = calloc(vertices, sizeof(float));
    m->layers = calloc(s->layer_count, sizeof(seen_layer));
    m->sides = calloc(vertices * s->layer_count, sizeof(seen_rest_side));
    m->marks = calloc(triangles, 1);
    m->wrong = calloc(vertices, 1);
    m->crossed = calloc(layers, sizeof(uint32_t));
    m->depths = calloc(layers, sizeof(float));
    m->stamps = calloc(vertices, sizeof(uint32_t));
    m->boxes = malloc(sizeof(float) * 6 * triangles);
    m->triangle_stamps = calloc(triangles, sizeof(uint32_t));
    m->queue = malloc(sizeof(uint32_t) * vertices);
    m->last_drift = calloc(3 * vertices, sizeof(float));
    m->last_pose = calloc(3 * vertices, sizeof(float));
    return m->triangles != NULL && m->rest != NULL && m->rest_normals != NULL && m->moved != NULL && m->weld != NULL &&
           m->vertex_layers != NULL && m->triangle_layers != NULL && m->triangle_moved != NULL &&
           m->turned_at_rest != NULL && m->walls != NULL && m->trees != NULL && m->sides != NULL && m->marks != NULL &&
           m->wrong != NULL && m->crossed != NULL && m->depths != NULL && m->stamps != NULL && m->queue != NULL &&
           m->triangle_stamps != NULL && m->boxes != NULL && m->layers != NULL && m->vertex_depths != NULL &&
           m->last_drift != NULL && m->last_pose != NULL;
}

static void set_size(seen_mesh* m) {
    vec3 low = v3(1e30f, 1e30f, 1e30f), high = v3(-1e30f, -1e30f, -1e30f);
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        vec3 p = v3_load(m->rest + 3 * (size_t)i);
        low = v3_min(low, p), high = v3_max(high, p);
    }
    m->size = m->vertex_count > 0 ? v3_length(v3_sub(high, low)) : 0.0f;
    m->tolerance = 1e-5f * m->size;
    m->edge_min = 5e-4f * m->size;
}

static bool allow_rest(seen_mesh* m) {
    seeni_find_crossings(m, m->rest, true);
    m->rest_pair_count = m->pair_count;
    bool made = !m->failed;
    for (uint32_t i = 0; made && i < m->pair_count; i++) {
        made = seeni_allow(m, m->pairs[i].a, m->pairs[i].b);
    }
    // An empty set still has room, so that asking it needs no special case.
    if (made && m->allowed_capacity == 0) {
        m->allowed = malloc(sizeof(uint64_t));
        made = m->allowed != NULL;
        m->allowed_capacity = 1;
        if (made) {
            m->allowed[0] = UINT64_MAX;
        }
    }
    return made;
}

bool seen_create(seen_mesh* m, const seen_source* s) {
    memset(m, 0, sizeof(*m));
    if (s->layer_count < 1 || s->layer_count > SEEN_LAYERS_MAX || s->triangle_count > UINT32_MAX / 6) {
        return false;
    }
    for (uint32_t i = 0; i < 3 * s->triangle_count; i++) {
        if (s->indices[i] >= s->vertex_count) {
            return false;
        }
    }
    m->vertex_count = s->vertex_count, m->triangle_count = s->triangle_count, m->layer_count = s->layer_count;
    bool made = reserve(m, s);
    if (made) {
        memcpy(m->triangles, s->indices, sizeof(uint32_t) * 3 * s->triangle_count);
        memcpy(m->rest, s->positions, sizeof(float) * 3 * s->vertex_count);
        memcpy(m->rest_normals, s->normals, sizeof(float) * 3 * s->vertex_count);
        memcpy(m->moved, s->moved, sizeof(float) * s->vertex_count);
        memcpy(m->vertex_layers, s->layers, s->vertex_count);
        set_size(m);
        made = weld_vertices(m) && make_fans(m) && dress_vertices(m);
    }
    if (made) {
        dress_triangles(m);
        made = find_walls(m, s->thin) && make_edges(m);
    }
    for (uint32_t i = 0; made && i < m->layer_count; i++) {
        made = seeni_tree_build(&m->trees[i], m, i);
    }
    made = made && allow_rest(m);
    if (made) {
        seen_frame frame;
        seen_measure(m, m->rest, m->rest_normals, NULL, 0.0f, &frame);
        for (uint32_t t = 0; t < m->triangle_count; t++) {
            m->turned_at_rest[t] = (m->marks[t] & SEEN_MARK_TURNED) != 0;
        }
    } else {
        seen_destroy(m);
    }
    return made;
}

// The part whose particles move a vertex most; SEEN_BODY when none does.
static uint8_t layer_of(const hem_view* v, const hem_vertex_bind* bind) {
    uint32_t best = SEEN_BODY, best_weight = 0;
    for (int32_t k = 0; bind->blend > 0 && k < 4; k++) {
        uint32_t part = v->particle_flags[bind->particle[k]] >> HEM_PARTICLE_PART_SHIFT, weight = 0;
        for (int32_t i = 0; i < 4; i++) {
            bool same = v->particle_flags[bind->particle[i]] >> HEM_PARTICLE_PART_SHIFT == part;
            weight += same ? bind->particle_weight[i] : 0u;
        }
        if (weight > best_weight) {
            best_weight = weight;
            best = v->parts[part].kind == HEM_PART_BODY ? SEEN_BODY : part + 1;
        }
    }
    return (uint8_t)best;
}

bool seen_create_some(seen_mesh* m, const hem_view* v, const uint8_t* left_out) {
    uint32_t count = v->info->vertex_count;
    memset(m, 0, sizeof(*m));
    if (v->preview_indices == NULL) {
        return false;
    }
    float* positions = malloc(sizeof(float) * 3 * ((size_t)count + 1));
    float* normals = malloc(sizeof(float) * 3 * ((size_t)count + 1));
    float* moved = malloc(sizeof(float) * ((size_t)count + 1));
    uint8_t* layers = malloc((size_t)count + 1);
    uint32_t* indices = malloc(sizeof(uint32_t) * ((size_t)v->preview_index_count + 1));
    uint32_t triangles = 0;
    bool thin[SEEN_LAYERS_MAX] = {false};
    bool made = positions != NULL && normals != NULL && moved != NULL && layers != NULL && indices != NULL;
    for (uint32_t t = 0; made && t < v->preview_index_count / 3; t++) {
        if (left_out == NULL || !left_out[t]) {
            memcpy(indices + 3 * (size_t)triangles++, v->preview_indices + 3 * (size_t)t, sizeof(uint32_t) * 3);
        }
    }
    for (uint32_t i = 0; made && i < count; i++) {
        memcpy(positions + 3 * (size_t)i, v->vertex_rest[i].position, sizeof(float) * 3);
        memcpy(normals + 3 * (size_t)i, v->vertex_rest[i].normal, sizeof(float) * 3);
        layers[i] = layer_of(v, &v->vertex_bind[i]);
        moved[i] = layers[i] == SEEN_BODY ? 0.0f : (float)v->vertex_bind[i].blend / 65535.0f;
    }
    for (uint32_t i = 0; i < v->info->part_count; i++) {
        thin[i + 1] = v->parts[i].kind == HEM_PART_CLOTH;
    }
    const seen_source source = {.vertex_count = count,
                                .triangle_count = triangles,
                                .layer_count = v->info->part_count + 1,
                                .positions = positions,
                                .normals = normals,
                                .indices = indices,
                                .layers = layers,
                                .moved = moved,
                                .thin = thin};
    made = made && seen_create(m, &source);
    free(positions);
    free(normals);
    free(moved);
    free(layers);
    free(indices);
    return made;
}

bool seen_create_view(seen_mesh* m, const hem_view* view) {
    return seen_create_some(m, view, NULL);
}

void seen_destroy(seen_mesh* m) {
    for (uint32_t i = 0; m->trees != NULL && i < m->layer_count; i++) {
        seeni_tree_destroy(&m->trees[i]);
    }
    void* arrays[] = {m->triangles, m->rest,       m->rest_normals,    m->moved,      m->weld,   m->vertex_layers,
                      m->edges,     m->stretched,  m->triangle_moved,  m->fan_starts, m->fan,    m->turned_at_rest,
                      m->walls,     m->trees,      m->allowed,         m->sides,      m->marks,  m->triangle_layers,
                      m->wrong,     m->crossed,    m->depths,          m->pairs,      m->queue,  m->stamps,
                      m->last_pose, m->last_drift, m->triangle_stamps, m->boxes,      m->layers, m->vertex_depths,
                      m->folds};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        free(arrays[i]);
    }
    memset(m, 0, sizeof(*m));
}
