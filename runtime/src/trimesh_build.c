// SPDX-License-Identifier: MIT
// From any triangles to a .hemmesh, in two blocks of the caller's.
//
//   weld (equal positions) -> clean (no area, twice the same) -> order -> vertices -> edges -> normals -> boxes
//
// The order of triangles is the tree: see hem_trimesh.h. A node's triangles are cut across the longest side of the box
// around their centres, at a multiple of what a child holds, until each child has its own; so all nodes but the last of
// each level are full. A cut finds its place by counting (a radix select, three passes over the keys whatever they are),
// hence n log n for any input. Cuts by surface area heuristic need pointers and nodes of uneven depth.
//
// Everything is IEEE arithmetic in a fixed order, without libm: a mesh built on a console is the one built offline.

#include "runtime/src/trimesh.h"

#define DEF_COOKIE 0x484d4d44u
#define NO_INDEX UINT32_MAX
#define FLAT_SHARE 1e-6f // of the longest side squared: with a smaller cross product a triangle has no area
#define LEAST_SIDE 1e-7f // metres: of shorter ones the kernels' products of four lengths leave the range of floats
#define SORTED_BY_HAND 48u

typedef struct builder {
    const hem_trimesh_def* def;
    hem_trimesh_report* report;
    uint8_t* bytes; // the mesh
    hem_trimesh_layout layout;
    uint32_t vertex_count, triangle_count, edge_count; // so far
    // Scratch:
    uint32_t* table; // a hash table for vertices, triangles, edges in turn
    uint32_t table_mask;
    uint32_t* vertex_of; // per given vertex: the first one with its position, then its place in the mesh
    uint32_t* corner;    // three per kept triangle, as given
    uint32_t* key[3];    // of the triangles' centres, ordered like the floats
    uint32_t *order, *aside;
} builder;

hem_trimesh_def hem_trimesh_def_default(void) {
    hem_trimesh_def def;
    memset(&def, 0, sizeof(def));
    def.cookie = DEF_COOKIE;
    return def;
}

static size_t table_size(const hem_trimesh_def* def) {
    uint64_t items = 3ull * def->triangle_count > def->vertex_count ? 3ull * def->triangle_count : def->vertex_count;
    uint64_t size = 16;
    while (size < items * 3 / 2) {
        size *= 2;
    }
    return (size_t)size;
}

// Carves the scratch, or with a NULL base only measures it.
static size_t carve(builder* b, uint8_t* base) {
    size_t used = 0, n = b->def->triangle_count, slots = table_size(b->def);
    struct {
        uint32_t** array;
        size_t count;
    } arrays[] = {{&b->table, slots},  {&b->vertex_of, b->def->vertex_count},
                  {&b->corner, 3 * n}, {&b->key[0], n},
                  {&b->key[1], n},     {&b->key[2], n},
                  {&b->order, n},      {&b->aside, n}};
    for (size_t i = 0; i < HEM_COUNT_OF(arrays); ++i) {
        *arrays[i].array = base ? (uint32_t*)(base + used) : NULL;
        used += (arrays[i].count * sizeof(uint32_t) + 63) / 64 * 64;
    }
    b->table_mask = (uint32_t)(slots - 1);
    return used;
}

static hem_result check_def(const hem_trimesh_def* def) {
    if (!def) {
        return HEM_ERROR_NULL;
    }
    if (def->cookie != DEF_COOKIE) {
        return HEM_ERROR_COOKIE;
    }
    if (!def->positions || (def->bone_count > 0 && (!def->bones || !def->weights))) {
        return HEM_ERROR_NULL;
    }
    if (def->triangle_count == 0 || def->triangle_count > HEM_TRIMESH_MAX_TRIANGLES || def->vertex_count < 3 ||
        def->bone_count > HEM_MAX_BONES || (!def->indices && def->triangle_count > def->vertex_count / 3)) {
        return HEM_ERROR_COUNT;
    }
    if (def->vertex_count > 3 * HEM_TRIMESH_MAX_TRIANGLES || def->position_stride % sizeof(float) != 0) {
        return HEM_ERROR_RANGE;
    }
    return HEM_OK;
}

hem_result hem_trimesh_measure(const hem_trimesh_def* def, hem_memory* mesh, hem_memory* scratch) {
    hem_result result = check_def(def);
    if (result != HEM_OK || !mesh || !scratch) {
        return result != HEM_OK ? result : HEM_ERROR_NULL;
    }
    builder b;
    memset(&b, 0, sizeof(b));
    b.def = def;
    uint32_t n = def->triangle_count;
    hem_trimesh_lay_out(def->vertex_count < 3 * n ? def->vertex_count : 3 * n, n, 3 * n, def->bone_count > 0,
                        &b.layout);
    if (b.layout.size > SIZE_MAX / 2) {
        return HEM_ERROR_COUNT;
    }
    mesh->size = (size_t)b.layout.size;
    scratch->size = carve(&b, NULL);
    mesh->align = scratch->align = HEM_ALIGNMENT;
    return HEM_OK;
}

static const float* given(const builder* b, uint32_t vertex) {
    size_t stride = b->def->position_stride ? b->def->position_stride : 3 * sizeof(float);
    return (const float*)(const void*)((const uint8_t*)b->def->positions + vertex * stride);
}

static uint32_t mix(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t h = (a * 0x9e3779b97f4a7c15ull) ^ (b * 0xc2b2ae3d27d4eb4full) ^ (c * 0x165667b19e3779f9ull);
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9ull;
    return (uint32_t)(h >> 32);
}

static void clear_table(builder* b) {
    memset(b->table, 0xff, ((size_t)b->table_mask + 1) * sizeof(uint32_t));
}

// -- Weld, clean

static int same_bind(const hem_trimesh_def* def, uint32_t a, uint32_t b) {
    for (uint32_t k = 0; k < 4 && def->bone_count > 0; ++k) {
        if (def->bones[4 * a + k] != def->bones[4 * b + k] || def->weights[4 * a + k] != def->weights[4 * b + k]) {
            return 0;
        }
    }
    return 1;
}

static hem_result weld(builder* b) {
    clear_table(b);
    for (uint32_t i = 0; i < b->def->vertex_count; ++i) {
        const float* p = given(b, i);
        uint32_t bits[3];
        for (int k = 0; k < 3; ++k) {
            if (!(p[k] >= -HEM_TRIMESH_MAX_METRES && p[k] <= HEM_TRIMESH_MAX_METRES)) {
                b->report->bad_vertex = i;
                return HEM_ERROR_RANGE;
            }
            bits[k] = hem_bits_of_float(p[k] + 0.0f); // -0 is 0
        }
        uint32_t slot = mix(bits[0], bits[1], bits[2]) & b->table_mask;
        for (;; slot = (slot + 1) & b->table_mask) {
            uint32_t other = b->table[slot];
            if (other == NO_INDEX) {
                b->table[slot] = b->vertex_of[i] = i;
                break;
            }
            const float* q = given(b, other);
            // Of two vertices in one place that move apart, each stays.
            if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2] && same_bind(b->def, i, other)) {
                b->vertex_of[i] = other;
                break;
            }
        }
    }
    return HEM_OK;
}

static hem_vec3 vertex_at(const builder* b, uint32_t vertex) {
    const float* p = given(b, vertex);
    return hem_vec3_make(p[0] + 0.0f, p[1] + 0.0f, p[2] + 0.0f);
}

// A power of two that makes the longest component of both lie between 1 and 2: exact, and what is squared twice does not
// vanish. Zero when all of them are shorter than LEAST_SIDE.
static float magnifier(hem_vec3 u, hem_vec3 v) {
    float a = hem_maxf(hem_absf(u.x), hem_maxf(hem_absf(u.y), hem_absf(u.z)));
    float b = hem_maxf(hem_absf(v.x), hem_maxf(hem_absf(v.y), hem_absf(v.z)));
    uint32_t exponent = hem_bits_of_float(hem_maxf(a, b)) >> 23;
    return a > LEAST_SIDE || b > LEAST_SIDE ? hem_float_of_bits((254u - exponent) << 23) : 0.0f;
}

// Of two sides of a triangle; zero where they have no area between them.
static hem_vec3 wide_cross(hem_vec3 u, hem_vec3 v) {
    float scale = magnifier(u, v);
    return hem_vec3_cross(hem_vec3_scale(u, scale), hem_vec3_scale(v, scale));
}

static int has_area(hem_vec3 p, hem_vec3 q, hem_vec3 r) {
    hem_vec3 u = hem_vec3_sub(q, p), v = hem_vec3_sub(r, p), w = hem_vec3_sub(r, q);
    float scale = magnifier(u, v);
    float longest = scale * scale * hem_maxf(hem_vec3_dot(u, u), hem_maxf(hem_vec3_dot(v, v), hem_vec3_dot(w, w)));
    return hem_vec3_length(wide_cross(u, v)) > FLAT_SHARE * longest;
}

static hem_result clean(builder* b) {
    const hem_trimesh_def* def = b->def;
    clear_table(b);
    for (uint32_t t = 0; t < def->triangle_count; ++t) {
        uint32_t v[3];
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t at = def->indices ? def->indices[3 * (size_t)t + k] : 3 * t + k;
            if (at >= def->vertex_count) {
                return HEM_ERROR_COUNT;
            }
            v[k] = b->vertex_of[at];
        }
        if (!has_area(vertex_at(b, v[0]), vertex_at(b, v[1]), vertex_at(b, v[2]))) {
            ++b->report->degenerate_count;
            continue;
        }
        uint32_t low = v[0] < v[1] ? v[0] : v[1], high = v[0] < v[1] ? v[1] : v[0];
        uint32_t s[3] = {v[2] < low ? v[2] : low,
                         v[2] < low    ? low
                         : v[2] < high ? v[2]
                                       : high,
                         v[2] < high ? high : v[2]};
        uint32_t slot = mix(s[0], s[1], s[2]) & b->table_mask, found = 0;
        for (; b->table[slot] != NO_INDEX && !found; slot = (slot + 1) & b->table_mask) {
            const uint32_t* o = &b->corner[3 * (size_t)b->table[slot]];
            uint32_t same = 0;
            for (uint32_t k = 0; k < 3; ++k) {
                same += o[k] == v[0] || o[k] == v[1] || o[k] == v[2];
            }
            found = same == 3;
        }
        if (found) {
            ++b->report->duplicate_count;
            continue;
        }
        b->table[slot] = b->triangle_count;
        memcpy(&b->corner[3 * (size_t)b->triangle_count++], v, sizeof(v));
    }
    return b->triangle_count > 0 ? HEM_OK : HEM_ERROR_COUNT;
}

// -- Order

// Unsigned numbers in the order of the floats.
static uint32_t ordered_bits(float x) {
    uint32_t bits = hem_bits_of_float(x + 0.0f);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static void sort_by_hand(uint32_t* order, uint32_t count, const uint32_t* key) {
    for (uint32_t i = 1; i < count; ++i) {
        uint32_t t = order[i], at = i;
        for (; at > 0 && (key[order[at - 1]] > key[t] || (key[order[at - 1]] == key[t] && order[at - 1] > t)); --at) {
            order[at] = order[at - 1];
        }
        order[at] = t;
    }
}

// The key of which fewer than `left` are smaller, and how many of its equals belong to the left side.
static uint32_t find_cut(const uint32_t* order, uint32_t count, const uint32_t* key, uint32_t left, uint32_t* equals) {
    uint32_t histogram[2048], prefix = 0, mask = 0, remaining = left;
    static const uint32_t shift[3] = {21, 10, 0}, bits[3] = {11, 11, 10};
    for (int pass = 0; pass < 3; ++pass) {
        uint32_t size = 1u << bits[pass];
        memset(histogram, 0, size * sizeof(uint32_t));
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t k = key[order[i]];
            histogram[(k >> shift[pass]) & (size - 1)] += (k & mask) == prefix;
        }
        uint32_t digit = 0;
        while (histogram[digit] < remaining) {
            remaining -= histogram[digit++];
        }
        prefix |= digit << shift[pass];
        mask |= (size - 1) << shift[pass];
    }
    *equals = remaining;
    return prefix;
}

// The `left` triangles with the smallest keys to the front, the rest behind.
static void cut(builder* b, uint32_t begin, uint32_t count, uint32_t left, const uint32_t* key) {
    uint32_t* order = b->order + begin;
    if (count <= SORTED_BY_HAND) {
        sort_by_hand(order, count, key);
        return;
    }
    uint32_t equals, pivot = find_cut(order, count, key, left, &equals);
    uint32_t front = 0, back = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t t = order[i], k = key[t], same = k == pivot && equals > 0;
        equals -= same;
        if (k < pivot || same) {
            order[front++] = t;
        } else {
            b->aside[back++] = t;
        }
    }
    memcpy(order + front, b->aside, back * sizeof(uint32_t));
}

// Deals the triangles of a range to children that hold `room` each, and those to theirs. Halves ranges, so it is as deep
// as the number of triangles has digits, twice over.
static void deal(builder* b, uint32_t begin, uint32_t count, uint32_t room) {
    while (count <= room && room > 8) {
        room /= 8;
    }
    if (count <= room) {
        return;
    }
    uint32_t low[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, high[3] = {0, 0, 0};
    for (uint32_t i = begin; i < begin + count; ++i) {
        for (int k = 0; k < 3; ++k) {
            uint32_t x = b->key[k][b->order[i]];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    }
    int longest = 0;
    float widest = -1.0f;
    for (int k = 0; k < 3; ++k) {
        uint32_t l = low[k] & 0x80000000u ? low[k] ^ 0x80000000u : ~low[k];
        uint32_t h = high[k] & 0x80000000u ? high[k] ^ 0x80000000u : ~high[k];
        float width = hem_float_of_bits(h) - hem_float_of_bits(l);
        longest = width > widest ? k : longest;
        widest = hem_maxf(width, widest);
    }
    uint32_t children = count / room + (count % room != 0);
    uint32_t left = (children + 1) / 2 * room;
    cut(b, begin, count, left, b->key[longest]);
    deal(b, begin, left, room);
    deal(b, begin + left, count - left, room);
}

static void order_triangles(builder* b) {
    for (uint32_t t = 0; t < b->triangle_count; ++t) {
        hem_vec3 c = hem_vec3_add(
            hem_vec3_add(vertex_at(b, b->corner[3 * (size_t)t]), vertex_at(b, b->corner[3 * (size_t)t + 1])),
            vertex_at(b, b->corner[3 * (size_t)t + 2]));
        b->key[0][t] = ordered_bits(c.x);
        b->key[1][t] = ordered_bits(c.y);
        b->key[2][t] = ordered_bits(c.z);
        b->order[t] = t;
    }
    uint32_t room = 8;
    while ((uint64_t)room * 8 < b->triangle_count) {
        room *= 8;
    }
    deal(b, 0, b->triangle_count, room);
}

// -- Writing

static hem_trimesh_names* names_of(builder* b, uint32_t triangle) {
    return (hem_trimesh_names*)(void*)(b->bytes + b->layout.names) + triangle / 8;
}

static hem_trimesh_vertex* vertices_of(builder* b) {
    return (hem_trimesh_vertex*)(void*)(b->bytes + b->layout.vertices);
}

// Numbers the vertices by first use and says where the arrays lie, but for those behind the edges.
static void number_vertices(builder* b) {
    memset(b->table, 0xff, b->def->vertex_count * sizeof(uint32_t)); // given vertex -> place
    for (uint32_t i = 0; i < b->triangle_count; ++i) {
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t v = b->corner[3 * (size_t)b->order[i] + k];
            if (b->table[v] == NO_INDEX) {
                b->vertex_of[b->vertex_count] = v; // no longer needed for welding: place -> given vertex
                b->table[v] = b->vertex_count++;
            }
        }
    }
    int skinned = b->def->bone_count > 0;
    hem_trimesh_lay_out(b->vertex_count, b->triangle_count, 3, skinned, &b->layout);
    memset(b->bytes, 0, (size_t)b->layout.edges);
    hem_trimesh_bind* binds = (hem_trimesh_bind*)(void*)(b->bytes + b->layout.binds);
    for (uint32_t i = 0; i < b->vertex_count; ++i) {
        hem_vec3 p = vertex_at(b, b->vertex_of[i]);
        hem_trimesh_vertex* v = &vertices_of(b)[i];
        v->position[0] = p.x;
        v->position[1] = p.y;
        v->position[2] = p.z;
        for (uint32_t k = 0; k < 4 && skinned; ++k) {
            binds[i].bone[k] = b->def->bones[4 * (size_t)b->vertex_of[i] + k];
            binds[i].weight[k] = b->def->weights[4 * (size_t)b->vertex_of[i] + k];
        }
    }
    for (uint32_t t = 0; t < b->layout.block_count * 8; ++t) {
        uint32_t from = t < b->triangle_count ? t : b->triangle_count - 1;
        hem_trimesh_corners* corners = (hem_trimesh_corners*)(void*)(b->bytes + b->layout.corners) + t / 8;
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t v = b->table[b->corner[3 * (size_t)b->order[from] + k]];
            names_of(b, t)->vertex[k][t % 8] = v;
            for (int axis = 0; axis < 3; ++axis) {
                corners->at[k][axis][t % 8] = vertices_of(b)[v].position[axis];
            }
        }
    }
}

static hem_vec3 corner_at(builder* b, uint32_t triangle, uint32_t k) {
    const float* p = vertices_of(b)[names_of(b, triangle)->vertex[k % 3][triangle % 8]].position;
    return hem_vec3_make(p[0], p[1], p[2]);
}

static hem_vec3 unit(hem_vec3 v) {
    float length = hem_vec3_length(v);
    return length > 0.0f ? hem_vec3_scale(v, 1.0f / length) : hem_vec3_make(0.0f, 0.0f, 0.0f);
}

static hem_vec3 normal_of(builder* b, uint32_t t) {
    hem_vec3 a = corner_at(b, t, 0);
    return unit(wide_cross(hem_vec3_sub(corner_at(b, t, 1), a), hem_vec3_sub(corner_at(b, t, 2), a)));
}

static void find_edges(builder* b) {
    hem_trimesh_edge* edges = (hem_trimesh_edge*)(void*)(b->bytes + b->layout.edges);
    clear_table(b);
    for (uint32_t t = 0; t < b->layout.block_count * 8; ++t) {
        hem_trimesh_names* names = names_of(b, t);
        for (uint32_t k = 0; k < 3; ++k) {
            if (t >= b->triangle_count) {
                names->edge[k][t % 8] = names->edge[k][(b->triangle_count - 1) % 8];
                continue;
            }
            uint32_t v = names->vertex[k][t % 8], w = names->vertex[(k + 1) % 3][t % 8];
            uint32_t low = v < w ? v : w, high = v < w ? w : v, slot = mix(low, high, 0) & b->table_mask;
            while (b->table[slot] != NO_INDEX &&
                   (edges[b->table[slot]].vertex[0] != low || edges[b->table[slot]].vertex[1] != high)) {
                slot = (slot + 1) & b->table_mask;
            }
            if (b->table[slot] == NO_INDEX) {
                hem_trimesh_edge fresh = {{low, high}, {t, NO_INDEX}, {0, 0, 0}, HEM_TRIMESH_EDGE_BORDER};
                edges[b->edge_count] = fresh;
                b->table[slot] = b->edge_count++;
            } else {
                hem_trimesh_edge* e = &edges[b->table[slot]];
                int third = e->triangle[1] != NO_INDEX;
                e->triangle[1] = third ? e->triangle[1] : t;
                e->flags = third ? HEM_TRIMESH_EDGE_TORN : 0;
            }
            names->edge[k][t % 8] = b->table[slot];
        }
    }
}

// The corner at which the triangle's way along the edge begins.
static uint32_t place_in(builder* b, uint32_t triangle, uint32_t edge) {
    const hem_trimesh_names* names = names_of(b, triangle);
    uint32_t lane = triangle % 8;
    return names->edge[0][lane] == edge ? 0 : names->edge[1][lane] == edge ? 1 : 2;
}

static void shape_edges(builder* b) {
    hem_trimesh_edge* edges = (hem_trimesh_edge*)(void*)(b->bytes + b->layout.edges);
    for (uint32_t i = 0; i < b->edge_count; ++i) {
        hem_trimesh_edge* e = &edges[i];
        uint32_t t0 = e->triangle[0], t1 = e->triangle[1], k0 = place_in(b, t0, i);
        hem_vec3 n = normal_of(b, t0);
        if (t1 != NO_INDEX) {
            uint32_t k1 = place_in(b, t1, i);
            if (names_of(b, t0)->vertex[k0][t0 % 8] == names_of(b, t1)->vertex[k1][t1 % 8]) {
                e->flags = HEM_TRIMESH_EDGE_TORN;
            }
            hem_vec3 along = hem_vec3_sub(corner_at(b, t0, k0 + 1), corner_at(b, t0, k0));
            hem_vec3 over = hem_vec3_sub(corner_at(b, t1, k1 + 2), corner_at(b, t0, k0));
            float lean = hem_vec3_dot(n, over), least = HEMI_BEND_SHARE * hem_vec3_length(along);
            if (e->flags == 0 && hem_absf(lean) > least) {
                e->flags = lean < 0.0f ? HEM_TRIMESH_EDGE_CONVEX : HEM_TRIMESH_EDGE_CONCAVE;
            }
            n = unit(hem_vec3_add(n, normal_of(b, t1)));
        }
        e->normal[0] = n.x;
        e->normal[1] = n.y;
        e->normal[2] = n.z;
        for (int k = 0; k < 2 && (e->flags & (HEM_TRIMESH_EDGE_BORDER | HEM_TRIMESH_EDGE_TORN)) != 0; ++k) {
            vertices_of(b)[e->vertex[k]].flags = HEM_TRIMESH_VERTEX_OPEN;
        }
        b->report->border_count += e->flags == HEM_TRIMESH_EDGE_BORDER;
        b->report->torn_count += e->flags == HEM_TRIMESH_EDGE_TORN;
    }
}

static void shape_vertices(builder* b) {
    for (uint32_t t = 0; t < b->triangle_count; ++t) {
        hem_vec3 n = normal_of(b, t);
        for (uint32_t k = 0; k < 3; ++k) {
            hem_vec3 p = corner_at(b, t, k);
            hem_vec3 u = unit(hem_vec3_sub(corner_at(b, t, k + 1), p)),
                     w = unit(hem_vec3_sub(corner_at(b, t, k + 2), p));
            float angle = hem_acosf(hem_clampf(hem_vec3_dot(u, w), -1.0f, 1.0f));
            float* sum = vertices_of(b)[names_of(b, t)->vertex[k][t % 8]].normal;
            sum[0] += angle * n.x;
            sum[1] += angle * n.y;
            sum[2] += angle * n.z;
        }
    }
    for (uint32_t i = 0; i < b->vertex_count; ++i) {
        float* sum = vertices_of(b)[i].normal;
        hem_vec3 n = unit(hem_vec3_make(sum[0], sum[1], sum[2]));
        sum[0] = n.x;
        sum[1] = n.y;
        sum[2] = n.z;
    }
}

static void box_blocks(builder* b) {
    hem_trimesh_node* nodes = (hem_trimesh_node*)(void*)(b->bytes + b->layout.nodes);
    const hem_trimesh_corners* corners = (const hem_trimesh_corners*)(const void*)(b->bytes + b->layout.corners);
    for (uint32_t i = 0; i < b->layout.node_count; ++i) {
        for (int k = 0; k < 24; ++k) {
            nodes[i].low[k / 8][k % 8] = HEM_TRIMESH_NOWHERE;
            nodes[i].high[k / 8][k % 8] = -HEM_TRIMESH_NOWHERE;
        }
    }
    for (uint32_t block = 0; block < b->layout.block_count; ++block) {
        for (int axis = 0; axis < 3; ++axis) {
            float low = HEM_TRIMESH_NOWHERE, high = -HEM_TRIMESH_NOWHERE;
            for (int k = 0; k < 24; ++k) {
                float x = corners[block].at[k / 8][axis][k % 8];
                low = x < low ? x : low;
                high = x > high ? x : high;
            }
            nodes[block / 8].low[axis][block % 8] = low;
            nodes[block / 8].high[axis][block % 8] = high;
        }
    }
    for (uint32_t level = 1; level < b->layout.level_count; ++level) {
        uint32_t below = b->layout.level_begin[level - 1], here = b->layout.level_begin[level];
        for (uint32_t i = 0; below + i < here; ++i) {
            hem_trimesh_node* parent = &nodes[here + i / 8];
            for (int k = 0; k < 24; ++k) {
                float *low = &parent->low[k / 8][i % 8], *high = &parent->high[k / 8][i % 8];
                *low = nodes[below + i].low[k / 8][k % 8] < *low ? nodes[below + i].low[k / 8][k % 8] : *low;
                *high = nodes[below + i].high[k / 8][k % 8] > *high ? nodes[below + i].high[k / 8][k % 8] : *high;
            }
        }
    }
}

// The mean normal of what is below, by the number of triangles: on each level the mean of the level before.
static void slab_nodes(builder* b) {
    hem_trimesh_slab* slabs = (hem_trimesh_slab*)(void*)(b->bytes + b->layout.slabs);
    const hem_trimesh_node* nodes = (const hem_trimesh_node*)(const void*)(b->bytes + b->layout.nodes);
    const hem_trimesh_corners* corners = (const hem_trimesh_corners*)(const void*)(b->bytes + b->layout.corners);
    for (uint32_t level = 0; level < b->layout.level_count; ++level) {
        const uint32_t begin = b->layout.level_begin[level], blocks = 1u << (3 * level);
        for (uint32_t i = 0; (uint64_t)i * blocks < b->layout.block_count; ++i) {
            const uint32_t first = i * blocks, left = b->layout.block_count - first, lane = i % 8;
            hem_vec3 sum = hem_vec3_make(0.0f, 0.0f, 0.0f);
            for (uint32_t k = 0; k < 8; ++k) {
                if (level > 0) {
                    const hem_trimesh_slab* below = &slabs[b->layout.level_begin[level - 1] + i];
                    sum =
                        hem_vec3_add(sum, hem_vec3_make(below->normal[0][k], below->normal[1][k], below->normal[2][k]));
                } else if (i * 8 + k < b->triangle_count) {
                    sum = hem_vec3_add(sum, normal_of(b, i * 8 + k));
                }
            }
            sum = unit(sum);
            hem_trimesh_slab* slab = &slabs[begin + i / 8];
            const float n[3] = {sum.x, sum.y, sum.z}, (*low)[8] = nodes[begin + i / 8].low;
            const float origin[3] = {low[0][lane], low[1][lane], low[2][lane]};
            for (int axis = 0; axis < 3; ++axis) {
                slab->normal[axis][lane] = n[axis];
            }
            hem_trimesh_reach(&corners[first], left < blocks ? left : blocks, n, origin, &slab->least[lane],
                              &slab->most[lane]);
        }
    }
}

static void write_header(builder* b) {
    hem_trimesh_header* h = (hem_trimesh_header*)(void*)b->bytes;
    memcpy(h->magic, HEM_TRIMESH_MAGIC, sizeof(h->magic));
    h->version = HEM_TRIMESH_VERSION;
    h->header_size = sizeof(*h);
    h->file_size = b->layout.size;
    h->flags = (b->report->border_count + b->report->torn_count == 0 ? HEM_TRIMESH_CLOSED : 0u) |
               (b->def->two_sided ? HEM_TRIMESH_TWO_SIDED : 0u) | (b->def->bone_count > 0 ? HEM_TRIMESH_SKINNED : 0u);
    h->bone_count = b->def->bone_count;
    h->vertex_count = b->vertex_count;
    h->triangle_count = b->triangle_count;
    h->edge_count = b->edge_count;
    h->border_count = b->report->border_count;
    const hem_trimesh_node* root =
        (const hem_trimesh_node*)(const void*)(b->bytes + b->layout.nodes) + (b->layout.node_count - 1);
    for (int axis = 0; axis < 3; ++axis) {
        h->low[axis] = HEM_TRIMESH_NOWHERE;
        h->high[axis] = -HEM_TRIMESH_NOWHERE;
        for (int k = 0; k < 8; ++k) {
            h->low[axis] = root->low[axis][k] < h->low[axis] ? root->low[axis][k] : h->low[axis];
            h->high[axis] = root->high[axis][k] > h->high[axis] ? root->high[axis][k] : h->high[axis];
        }
    }
}

static hem_result check_binds(const builder* b) {
    for (uint32_t i = 0; i < b->def->vertex_count && b->def->bone_count > 0; ++i) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < 4; ++k) {
            if (b->def->bones[4 * (size_t)i + k] >= b->def->bone_count) {
                return HEM_ERROR_COUNT;
            }
            sum += b->def->weights[4 * (size_t)i + k];
        }
        if (sum != 65535) {
            b->report->bad_vertex = i;
            return HEM_ERROR_RANGE;
        }
    }
    return HEM_OK;
}

hem_result hem_trimesh_build(const hem_trimesh_def* def, void* block, size_t size, void* scratch, size_t scratch_size,
                             hem_trimesh_report* report) {
    hem_memory need, aside;
    hem_result result = hem_trimesh_measure(def, &need, &aside);
    if (result != HEM_OK || !block || !scratch) {
        return result != HEM_OK ? result : HEM_ERROR_NULL;
    }
    if (size < need.size || scratch_size < aside.size ||
        (((uintptr_t)block | (uintptr_t)scratch) & (HEM_ALIGNMENT - 1)) != 0) {
        return HEM_ERROR_MEMORY;
    }
    hem_trimesh_report unused;
    builder b;
    memset(&b, 0, sizeof(b));
    b.def = def;
    b.report = report ? report : &unused;
    b.bytes = (uint8_t*)block;
    memset(b.report, 0, sizeof(*b.report));
    memset(block, 0, sizeof(hem_trimesh_header)); // no mesh until it is whole
    carve(&b, (uint8_t*)scratch);
    result = check_binds(&b);
    result = result == HEM_OK ? weld(&b) : result;
    result = result == HEM_OK ? clean(&b) : result;
    if (result != HEM_OK) {
        return result;
    }
    order_triangles(&b);
    number_vertices(&b);
    find_edges(&b);
    hem_trimesh_layout whole;
    hem_trimesh_lay_out(b.vertex_count, b.triangle_count, b.edge_count, def->bone_count > 0, &whole);
    b.layout = whole; // the edges begin where they did
    uint64_t edge_end = whole.edges + (uint64_t)b.edge_count * sizeof(hem_trimesh_edge);
    memset(b.bytes + edge_end, 0, (size_t)(whole.nodes - edge_end));
    shape_edges(&b);
    shape_vertices(&b);
    box_blocks(&b);
    if (def->bone_count == 0) {
        memset(b.bytes + whole.slabs, 0, (size_t)(whole.size - whole.slabs));
        slab_nodes(&b);
    }
    write_header(&b);
    b.report->size = (size_t)whole.size;
    return HEM_OK;
}
