// SPDX-License-Identifier: MIT
#include "compiler/shape/tears.h"

#include "compiler/shape/cells.h"

#include <stdlib.h>
#include <string.h>

// Closing surfaces of a lattice that tears, made beforehand for every face between two cells, so that whatever faces open,
// in whatever order, what is drawn stays closed (the idea of uncut triangles: Mueller et al., after Sullivan 3.6).
//
// A triangle stays whole and goes with the cell of its middle. Read as chains, with d for the boundary, that asks for a
// closing surface K_f per face, drawn once for each of its cells with opposite senses, so that S_c + sum of +-K_f is closed
// for each cell c. From the outside inwards:
//
//   E_f   edges of the mesh from a triangle of one cell to a triangle of another, each crossing the faces of a path of cells
//         from the first to the second
//   k_e   around a vertex u the cells of its triangles are a closed walk. As a chain it is a sum of small circles around
//         edges e of the lattice, k_e(u) times each: so E_f ends in u as often as circles of u cross f
//   a     inside or outside, per corner of cells: a(v1) - a(v0) = -sum over u of k_e(u) along the edge e from v0 to v1
//   L_e   the part of the lattice's edge that is inside: from corner to vertex to vertex to corner, in their order along it
//   K_f   anything with dK_f = E_f - sum of X(e, f) L_e, where X says in which sense the circle of e crosses f: here a fan
//
// All of it is whole numbers. A mesh without borders, whose triangles have one sense, gives closing surfaces without
// borders, whatever its shape; tests/runtime/tear.c looks at every edge. (Ear cutting in the plane would fold less than a fan
// where a section is far from round; at the size of a cell few are.)

typedef struct segment {
    uint64_t key; // face, or edge of the lattice
    uint32_t from, to;
} segment;

typedef struct crossing { // k_e(u)
    uint64_t edge;
    uint32_t point;
    int32_t count;
    double along;
} crossing;

typedef struct tearer {
    hemc_arena* arena;
    const hemc_surface* surface;
    hemc_lattice* l;
    hemc_tears_made* out;
    hemc_cell_table table;
    int32_t (*face_of)[3];   // per cell: the face to the next cell along each axis
    uint32_t* triangle_cell; // per triangle of the surface
    int32_t* point_of;       // per vertex of the surface, while it is made: its cells
    segment* segments;
    size_t segment_count, segment_capacity;
    crossing* crossings;
    size_t crossing_count, crossing_capacity;
    uint32_t* walk; // cells around a vertex
    size_t walk_count, walk_capacity;
    int32_t* corner_point; // per corner of cells: its point
    int32_t* inside;       // a, per corner of cells
    uint32_t lost;         // walks and paths that are not closed
    size_t point_capacity, cell_capacity, cap_capacity;
} tearer;

static int32_t cell_at(const tearer* t, const int32_t at[3]) {
    for (int a = 0; a < 3; ++a) {
        if (at[a] < 0 || at[a] >= (int32_t)t->table.size[a]) {
            return HEM_NONE;
        }
    }
    return t->table.cell[((size_t)at[2] * t->table.size[1] + (size_t)at[1]) * t->table.size[0] + (size_t)at[0]];
}

static int32_t cell_beside(const tearer* t, uint32_t cell, int axis, int step) {
    int32_t at[3];
    memcpy(at, t->l->cells[cell], sizeof(at));
    at[axis] += step;
    return cell_at(t, at);
}

void hemc_tear_faces(hemc_arena* arena, hemc_lattice* l) {
    tearer t = {.arena = arena, .l = l};
    hemc_tears_made* out = l->tears = hemc_alloc(arena, 1, sizeof(*out));
    hemc_cell_table_make(arena, l, &t.table);
    out->faces = hemc_alloc(arena, 3 * (size_t)l->cell_count, sizeof(*out->faces));
    for (uint32_t c = 0; c < l->cell_count; ++c) {
        for (int axis = 0; axis < 3; ++axis) {
            const int32_t next = cell_beside(&t, c, axis, 1);
            if (next != HEM_NONE) {
                out->faces[out->face_count++] =
                    (hem_tear_face){.cell = {c, (uint32_t)next}, .axis = (uint16_t)axis, .strength = 65535};
            }
        }
    }
}

// -- Paths and walks

static void walk_add(tearer* t, uint32_t cell) {
    t->walk = hemc_grow(t->arena, t->walk, &t->walk_capacity, t->walk_count + 1, sizeof(uint32_t));
    t->walk[t->walk_count++] = cell;
}

// From a to b through faces, b last and a left out; straight where the cells allow it. The breadth-first search knows the
// shortest ways; its order of axes makes them the same every time.
static bool path_between(tearer* t, uint32_t a, uint32_t b, uint32_t* path, uint32_t* count) {
    *count = 0;
    uint32_t at = a;
    while (at != b && *count < HEM_MAX_TEAR_CELLS) {
        int32_t best = HEM_NONE;
        for (int axis = 0; axis < 3 && best == HEM_NONE; ++axis) {
            const int32_t way = t->l->cells[b][axis] - t->l->cells[at][axis];
            best = way != 0 ? cell_beside(t, at, axis, way > 0 ? 1 : -1) : HEM_NONE;
        }
        if (best == HEM_NONE) {
            break;
        }
        at = (uint32_t)best;
        path[(*count)++] = at;
    }
    if (at == b) {
        return true;
    }
    const uint32_t n = t->l->cell_count; // around a gap
    uint32_t *queue = hemc_alloc(t->arena, n, sizeof(uint32_t)), *from = hemc_alloc(t->arena, n, sizeof(uint32_t));
    uint32_t head = 0, tail = 0;
    memset(from, 0xff, n * sizeof(uint32_t));
    queue[tail++] = b;
    from[b] = b;
    while (head < tail && from[a] == UINT32_MAX) {
        const uint32_t cell = queue[head++];
        for (int k = 0; k < 6; ++k) {
            const int32_t next = cell_beside(t, cell, k / 2, k % 2 != 0 ? 1 : -1);
            if (next != HEM_NONE && from[next] == UINT32_MAX) {
                from[next] = cell;
                queue[tail++] = (uint32_t)next;
            }
        }
    }
    *count = 0;
    for (at = a; from[a] != UINT32_MAX && at != b && *count < HEM_MAX_TEAR_CELLS;) {
        at = from[at];
        path[(*count)++] = at;
    }
    return at == b;
}

// The face between neighbours, and whether the step goes along its axis.
static int32_t face_between(const tearer* t, uint32_t a, uint32_t b, int* sign) {
    for (int axis = 0; axis < 3; ++axis) {
        if (t->l->cells[b][axis] == t->l->cells[a][axis] + 1) {
            *sign = 1;
            return t->face_of[a][axis];
        }
        if (t->l->cells[b][axis] == t->l->cells[a][axis] - 1) {
            *sign = -1;
            return t->face_of[b][axis];
        }
    }
    return HEM_NONE;
}

static void add_segment(tearer* t, uint64_t key, uint32_t from, uint32_t to) {
    t->segments = hemc_grow(t->arena, t->segments, &t->segment_capacity, t->segment_count + 1, sizeof(segment));
    t->segments[t->segment_count++] = (segment){key, from, to};
}

static int opposite_edge(const hemc_surface* s, uint32_t triangle, uint32_t from, uint32_t to) {
    for (int k = 0; k < 3; ++k) {
        if (s->triangles[3 * triangle + (uint32_t)k] == from &&
            s->triangles[3 * triangle + (uint32_t)(k + 1) % 3] == to) {
            return k;
        }
    }
    return -1;
}

// The triangle across edge k, whose sense agrees; HEM_NONE at borders.
static int32_t across(const hemc_surface* s, uint32_t triangle, uint32_t k, uint32_t* edge) {
    const int32_t other = s->neighbors[3 * triangle + k];
    if (other == HEM_NONE) {
        return HEM_NONE;
    }
    const int found =
        opposite_edge(s, (uint32_t)other, s->triangles[3 * triangle + (k + 1) % 3], s->triangles[3 * triangle + k]);
    *edge = (uint32_t)found;
    return found < 0 ? HEM_NONE : other;
}

// Between the two cells of an edge the path is the same, whichever end asks.
static bool edge_path(tearer* t, uint32_t triangle, uint32_t other, uint32_t* path, uint32_t* count) {
    const uint32_t a = t->triangle_cell[triangle], b = t->triangle_cell[other];
    if (triangle < other) {
        return path_between(t, a, b, path, count);
    }
    uint32_t back[HEM_MAX_TEAR_CELLS], n = 0;
    if (!path_between(t, b, a, back, &n)) {
        return false;
    }
    *count = n;
    for (uint32_t i = 0; i < n; ++i) { // b .. a, b left out: reversed it is a .. b, a left out
        path[i] = i + 1 < n ? back[n - 2 - i] : b;
    }
    return true;
}

static void find_edges(tearer* t) {
    const hemc_surface* s = t->surface;
    for (uint32_t i = 0; i < s->triangle_count; ++i) {
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t edge, path[HEM_MAX_TEAR_CELLS], count;
            const int32_t other = across(s, i, k, &edge);
            if (other == HEM_NONE || (uint32_t)other < i || t->triangle_cell[i] == t->triangle_cell[other] ||
                !edge_path(t, i, (uint32_t)other, path, &count)) {
                continue;
            }
            const uint32_t u = s->triangles[3 * i + k], w = s->triangles[3 * i + (k + 1) % 3];
            uint32_t at = t->triangle_cell[i];
            for (uint32_t n = 0; n < count; at = path[n++]) {
                int sign = 0;
                const int32_t face = face_between(t, at, path[n], &sign);
                add_segment(t, (uint64_t)face, sign > 0 ? w : u, sign > 0 ? u : w);
            }
        }
    }
}

// -- Circles around edges of the lattice

static uint64_t corner_number(const tearer* t, const int32_t at[3]) {
    return ((uint64_t)at[2] * t->l->size[1] + (uint64_t)at[1]) * t->l->size[0] + (uint64_t)at[0];
}

static int32_t distance(const tearer* t, uint32_t a, uint32_t b) {
    int32_t sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        sum += abs(t->l->cells[a][axis] - t->l->cells[b][axis]);
    }
    return sum;
}

static void walk_remove(tearer* t, size_t at, size_t count) {
    memmove(t->walk + at, t->walk + at + count, (t->walk_count - at - count) * sizeof(uint32_t));
    t->walk_count -= count;
}

// What goes there and back at once is nothing.
static void drop_returns(tearer* t) {
    for (size_t i = 0; i < t->walk_count && t->walk_count > 1;) {
        const size_t n = t->walk_count;
        if (t->walk[i] == t->walk[(i + 1) % n]) {
            walk_remove(t, i, 1);
            i = i > 1 ? i - 2 : 0;
        } else if (t->walk[i] == t->walk[(i + 2) % n]) { // a b a -> a
            const size_t first = (i + 1) % n;
            walk_remove(t, first, 1);
            walk_remove(t, first % t->walk_count, 1);
            i = i > 2 ? i - 3 : 0;
        } else {
            ++i;
        }
    }
}

static void add_crossing(tearer* t, const int32_t low[3], int axis, uint32_t point, int32_t count) {
    t->crossings = hemc_grow(t->arena, t->crossings, &t->crossing_capacity, t->crossing_count + 1, sizeof(crossing));
    const hemc_vec3 p = t->surface->positions[point];
    const double x[3] = {p.x, p.y, p.z};
    t->crossings[t->crossing_count++] =
        (crossing){3 * corner_number(t, low) + (uint64_t)axis, point, count,
                   (x[axis] - (double)t->l->origin[axis]) / (double)t->l->spacing[axis]};
}

static void point_cell(tearer* t, uint32_t begin, uint32_t cell) {
    for (uint32_t i = begin; i < t->out->cell_count; ++i) {
        if (t->out->cells[i] == cell) {
            return;
        }
    }
    t->out->cells = hemc_grow(t->arena, t->out->cells, &t->cell_capacity, t->out->cell_count + 1, sizeof(uint32_t));
    t->out->cells[t->out->cell_count++] = cell;
}

// The cell farthest from a first one has both its neighbours nearer to that, in two directions: the fourth of the square is
// nearer still. So the walk shrinks square by square, each a circle around an edge of the lattice.
static bool shrink(tearer* t, size_t center, uint32_t point, uint32_t begin) {
    const uint32_t reference = t->walk[center];
    drop_returns(t);
    while (t->walk_count > 1) {
        size_t far = 0;
        for (size_t i = 1; i < t->walk_count; ++i) {
            far = distance(t, t->walk[i], reference) > distance(t, t->walk[far], reference) ? i : far;
        }
        const size_t n = t->walk_count;
        const uint32_t before = t->walk[(far + n - 1) % n], at = t->walk[far], after = t->walk[(far + 1) % n];
        int32_t low[3], step1[3], step2[3], square[3];
        for (int k = 0; k < 3; ++k) {
            const int32_t *b = t->l->cells[before], *c = t->l->cells[at], *a = t->l->cells[after];
            step1[k] = c[k] - b[k];
            step2[k] = a[k] - c[k];
            square[k] = b[k] + a[k] - c[k];
            low[k] = b[k] > c[k] ? b[k] : c[k];
            low[k] = a[k] > low[k] ? a[k] : low[k];
        }
        const int32_t fourth = cell_at(t, square);
        if (fourth == HEM_NONE) {
            return false;
        }
        int axis = 0, sign = 0;
        for (int k = 0; k < 3; ++k) {
            const int32_t c = step1[(k + 1) % 3] * step2[(k + 2) % 3] - step1[(k + 2) % 3] * step2[(k + 1) % 3];
            axis = c != 0 ? k : axis;
            sign = c != 0 ? c : sign;
        }
        // The edge of the four cells begins at the corner that is highest across and lowest along.
        low[axis] = t->l->cells[at][axis];
        for (int k = 0; k < 3; ++k) {
            low[k] = k != axis && square[k] > low[k] ? square[k] : low[k];
        }
        add_crossing(t, low, axis, point, sign);
        point_cell(t, begin, (uint32_t)fourth);
        t->walk[far] = (uint32_t)fourth;
        drop_returns(t);
    }
    return true;
}

// The cells around the vertex at corner k of a triangle, clockwise; false at borders.
static bool walk_around(tearer* t, uint32_t triangle, uint32_t k, uint8_t* seen) {
    const hemc_surface* s = t->surface;
    uint32_t at = triangle, corner = k, path[HEM_MAX_TEAR_CELLS], count, edge = 0;
    t->walk_count = 0;
    walk_add(t, t->triangle_cell[triangle]);
    do {
        seen[3 * at + corner] = 1;
        const int32_t next = across(s, at, corner, &edge);
        if (next == HEM_NONE || !edge_path(t, at, (uint32_t)next, path, &count)) {
            return false;
        }
        for (uint32_t i = 0; i < count; ++i) {
            walk_add(t, path[i]);
        }
        at = (uint32_t)next;
        corner = (edge + 1) % 3;
    } while (at != triangle || corner != k);
    --t->walk_count; // it ends where it began
    t->walk_count += t->walk_count == 0;
    return true;
}

static uint32_t add_point(tearer* t, const double at[3], uint32_t vertex, uint32_t begin) {
    hemc_tears_made* out = t->out;
    out->points = hemc_grow(t->arena, out->points, &t->point_capacity, out->point_count + 1, sizeof(hem_tear_point));
    hem_tear_point* p = &out->points[out->point_count];
    *p = (hem_tear_point){.at = {(float)at[0], (float)at[1], (float)at[2]},
                          .vertex = vertex,
                          .cell_begin = begin,
                          .cell_count = out->cell_count - begin};
    return out->point_count++;
}

// Points of the mesh: a vertex with all cells of its triangles, of the ways between them, and its own.
static bool find_points(tearer* t) {
    const hemc_surface* s = t->surface;
    uint8_t* seen = hemc_alloc(t->arena, 3 * (size_t)s->triangle_count, 1);
    uint32_t* starts = hemc_alloc(t->arena, (size_t)s->vertex_count + 1, sizeof(uint32_t));
    uint32_t* corners = hemc_alloc(t->arena, 3 * (size_t)s->triangle_count, sizeof(uint32_t));
    for (uint32_t i = 0; i < 3 * s->triangle_count; ++i) {
        ++starts[s->triangles[i] + 1];
    }
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        starts[i + 1] += starts[i];
    }
    uint32_t* next = hemc_alloc(t->arena, s->vertex_count, sizeof(uint32_t));
    memcpy(next, starts, s->vertex_count * sizeof(uint32_t));
    for (uint32_t i = 0; i < 3 * s->triangle_count; ++i) {
        corners[next[s->triangles[i]]++] = i;
    }
    for (uint32_t u = 0; u < s->vertex_count; ++u) {
        double in[3], at[3];
        const uint32_t begin = t->out->cell_count, home = hemc_find_cell(&t->table, d3_from(s->positions[u]), in);
        uint32_t path[HEM_MAX_TEAR_CELLS], count = 0;
        point_cell(t, begin, home);
        for (uint32_t i = starts[u]; i < starts[u + 1]; ++i) {
            const uint32_t triangle = corners[i] / 3;
            if (i == starts[u] && path_between(t, home, t->triangle_cell[triangle], path, &count)) {
                for (uint32_t n = 0; n < count; ++n) {
                    point_cell(t, begin, path[n]);
                }
            }
            point_cell(t, begin, t->triangle_cell[triangle]);
            if (seen[corners[i]]) {
                continue;
            }
            const bool closed = walk_around(t, triangle, corners[i] % 3, seen);
            for (size_t n = 0; n < t->walk_count; ++n) {
                point_cell(t, begin, t->walk[n]);
            }
            const size_t crossings = t->crossing_count;
            bool done = false;
            const size_t length = t->walk_count;
            uint32_t* whole = hemc_alloc(t->arena, length, sizeof(uint32_t));
            memcpy(whole, t->walk, length * sizeof(uint32_t));
            for (size_t n = 0; closed && n < length && !done; ++n) {
                t->crossing_count = crossings;
                t->walk_count = length;
                memcpy(t->walk, whole, length * sizeof(uint32_t));
                done = shrink(t, n, u, begin);
            }
            t->lost += !done;
        }
        if (t->out->cell_count - begin > HEM_MAX_TEAR_CELLS) {
            return false;
        }
        if (t->out->cell_count - begin == 1) {
            t->out->cell_count = begin;
            t->point_of[u] = HEM_NONE;
            continue;
        }
        for (int a = 0; a < 3; ++a) {
            at[a] = in[a] + t->l->cells[home][a];
        }
        t->point_of[u] = (int32_t)add_point(t, at, s->source_vertex[u], begin);
    }
    return true;
}

// -- Inside, and the lattice's edges there

// The four cells around an edge that begins at a corner; false unless all are there. In the order of the circle.
static bool cells_around(const tearer* t, const int32_t corner[3], int axis, uint32_t cells[4]) {
    static const int32_t turn[4][2] = {{-1, -1}, {0, -1}, {0, 0}, {-1, 0}};
    for (int i = 0; i < 4; ++i) {
        int32_t at[3];
        memcpy(at, corner, sizeof(at));
        at[(axis + 1) % 3] += turn[i][0];
        at[(axis + 2) % 3] += turn[i][1];
        const int32_t cell = cell_at(t, at);
        if (cell == HEM_NONE) {
            return false;
        }
        cells[i] = (uint32_t)cell;
    }
    return true;
}

static void corner_index(const tearer* t, uint64_t number, int32_t at[3]) {
    at[0] = (int32_t)(number % t->l->size[0]);
    at[1] = (int32_t)(number / t->l->size[0] % t->l->size[1]);
    at[2] = (int32_t)(number / t->l->size[0] / t->l->size[1]);
}

static int compare_crossings(const void* a, const void* b) {
    const crossing *x = a, *y = b;
    if (x->edge != y->edge) {
        return x->edge < y->edge ? -1 : 1;
    }
    if (x->along != y->along) {
        return x->along < y->along ? -1 : 1;
    }
    return x->point < y->point ? -1 : x->point > y->point;
}

static size_t first_crossing(const tearer* t, uint64_t edge) {
    size_t low = 0, high = t->crossing_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->crossings[middle].edge < edge) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int32_t crossed(const tearer* t, uint64_t edge) {
    int32_t sum = 0;
    for (size_t i = first_crossing(t, edge); i < t->crossing_count && t->crossings[i].edge == edge; ++i) {
        sum += t->crossings[i].count;
    }
    return sum;
}

// a, from the first corner of each connected piece, which is outside: it is the lowest.
static void find_inside(tearer* t) {
    const size_t total = (size_t)t->l->size[0] * t->l->size[1] * t->l->size[2];
    uint8_t* known = hemc_alloc(t->arena, total, 1);
    uint8_t(*joined)[3] = hemc_alloc(t->arena, total, sizeof(*joined)); // edges of cells, to the next corner
    uint64_t* queue = hemc_alloc(t->arena, total, sizeof(uint64_t));
    t->inside = hemc_alloc(t->arena, total, sizeof(int32_t));
    for (uint32_t c = 0; c < t->l->cell_count; ++c) {
        for (int k = 0; k < 8; ++k) {
            int32_t at[3];
            for (int a = 0; a < 3; ++a) {
                at[a] = t->l->cells[c][a] + (k >> a & 1);
            }
            for (int a = 0; a < 3; ++a) {
                joined[corner_number(t, at)][a] |= (uint8_t)((k >> a & 1) == 0);
            }
        }
    }
    const uint64_t stride[3] = {1, t->l->size[0], (uint64_t)t->l->size[0] * t->l->size[1]};
    for (uint64_t start = 0; start < total; ++start) {
        if (known[start] || !(joined[start][0] | joined[start][1] | joined[start][2])) {
            continue;
        }
        size_t head = 0, tail = 0;
        queue[tail++] = start;
        known[start] = 1;
        while (head < tail) {
            const uint64_t at = queue[head++];
            for (int k = 0; k < 6; ++k) {
                const int axis = k / 2, forward = k % 2;
                if (!forward && at < stride[axis]) {
                    continue;
                }
                const uint64_t first = forward ? at : at - stride[axis], other = forward ? at + stride[axis] : first;
                if (!joined[first][axis] || other >= total || known[other]) {
                    continue;
                }
                const int32_t step = -crossed(t, 3 * first + (uint64_t)axis);
                t->inside[other] = t->inside[at] + (forward ? step : -step);
                known[other] = 1;
                queue[tail++] = other;
            }
        }
    }
}

static uint32_t corner_to_point(tearer* t, const int32_t corner[3]) {
    const uint64_t number = corner_number(t, corner);
    if (t->corner_point[number] == HEM_NONE) {
        const uint32_t begin = t->out->cell_count;
        const double at[3] = {corner[0], corner[1], corner[2]};
        for (int k = 0; k < 8; ++k) {
            const int32_t cell[3] = {corner[0] - (k & 1), corner[1] - (k >> 1 & 1), corner[2] - (k >> 2 & 1)};
            if (cell_at(t, cell) != HEM_NONE) {
                point_cell(t, begin, (uint32_t)cell_at(t, cell));
            }
        }
        t->corner_point[number] = (int32_t)add_point(t, at, HEM_TEAR_NONE, begin);
    }
    return (uint32_t)t->corner_point[number];
}

// -X(e, f) L_e for the faces around an edge. The circle crosses them in the order of its cells.
static void add_edge(tearer* t, const int32_t corner[3], int axis) {
    uint32_t cells[4];
    if (!cells_around(t, corner, axis, cells)) {
        return;
    }
    int32_t end[3];
    memcpy(end, corner, sizeof(end));
    ++end[axis];
    const uint64_t edge = 3 * corner_number(t, corner) + (uint64_t)axis;
    int32_t times = t->inside[corner_number(t, corner)];
    uint32_t from = times != 0 ? corner_to_point(t, corner) : 0;
    size_t i = first_crossing(t, edge);
    for (bool last = false; !last; ++i) {
        last = i >= t->crossing_count || t->crossings[i].edge != edge;
        if (last && times == 0) {
            break;
        }
        const uint32_t to = last ? corner_to_point(t, end) : (uint32_t)t->point_of[t->crossings[i].point];
        for (int side = 0; side < 4 && times != 0; ++side) {
            int sign = 0;
            const int32_t face = face_between(t, cells[side], cells[(side + 1) % 4], &sign);
            for (int32_t n = 0; n < abs(times); ++n) {
                const bool forward = (sign < 0) == (times > 0);
                add_segment(t, (uint64_t)face, forward ? from : to, forward ? to : from);
            }
        }
        times -= last ? 0 : t->crossings[i].count;
        from = to;
    }
}

// -- Fans

static int compare_segments(const void* a, const void* b) {
    const segment *x = a, *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    return x->to < y->to ? -1 : x->to > y->to;
}

static void add_cap(tearer* t, uint32_t a, uint32_t b, uint32_t c) {
    t->out->caps = hemc_grow(t->arena, t->out->caps, &t->cap_capacity, t->out->cap_count + 1, sizeof(hem_tear_cap));
    t->out->caps[t->out->cap_count++] = (hem_tear_cap){.point = {a, b, c}};
}

// One that comes in and one that goes out of each point, from the first: a loop. Segments that are used get from == to.
static void close_loop(tearer* t, const hem_tear_face* face, segment* s, size_t count, uint32_t* loop) {
    size_t n = 0;
    for (size_t at = 0; at < count; ++at) {
        if (s[at].from == s[at].to) {
            continue;
        }
        n = 0;
        const uint32_t first = s[at].from;
        uint32_t end = s[at].to;
        loop[n++] = first;
        s[at].from = s[at].to;
        for (bool found = true; end != first && found;) {
            found = false;
            for (size_t k = 0; k < count && !found; ++k) {
                if (s[k].from == end && s[k].from != s[k].to) {
                    loop[n++] = end;
                    end = s[k].to;
                    s[k].from = s[k].to;
                    found = true;
                }
            }
        }
        if (end != first) { // a border of the mesh
            loop[n++] = end;
        }
        if (n == 3 || n == 4) {
            add_cap(t, loop[0], loop[1], loop[2]);
            if (n == 4) {
                add_cap(t, loop[0], loop[2], loop[3]);
            }
        } else if (n > 4) {
            double middle[3] = {0, 0, 0};
            for (size_t k = 0; k < n; ++k) {
                for (int a = 0; a < 3; ++a) {
                    middle[a] += (double)t->out->points[loop[k]].at[a] / (double)n;
                }
            }
            const uint32_t begin = t->out->cell_count;
            point_cell(t, begin, face->cell[0]);
            point_cell(t, begin, face->cell[1]);
            const uint32_t apex = add_point(t, middle, HEM_TEAR_NONE, begin);
            for (size_t k = 0; k < n; ++k) {
                add_cap(t, apex, loop[k], loop[(k + 1) % n]);
            }
        }
    }
}

// Segments of a face, those that cancel left out, to triangles.
static void make_caps(tearer* t) {
    qsort(t->segments, t->segment_count, sizeof(segment), compare_segments);
    uint32_t* loop = hemc_alloc(t->arena, t->segment_count + 1, sizeof(uint32_t));
    size_t at = 0;
    for (uint32_t f = 0; f < t->out->face_count; ++f) {
        const size_t begin = at;
        while (at < t->segment_count && t->segments[at].key == f) {
            ++at;
        }
        segment* s = t->segments + begin;
        for (size_t i = 0; i < at - begin; ++i) {
            for (size_t k = i + 1; k < at - begin && s[i].from != s[i].to; ++k) {
                if (s[k].from == s[i].to && s[k].to == s[i].from) {
                    s[i].from = s[i].to;
                    s[k].from = s[k].to;
                }
            }
        }
        t->out->faces[f].cap_begin = t->out->cap_count;
        close_loop(t, &t->out->faces[f], s, at - begin, loop);
        t->out->faces[f].cap_count = t->out->cap_count - t->out->faces[f].cap_begin;
    }
}

// -- What it costs, how strong it is

static void count_vertices(tearer* t, const uint32_t* copies) {
    hemc_tears_made* out = t->out;
    for (uint32_t i = 0; i < out->point_count; ++i) { // a vertex once more for each face that may part its cells
        const hem_tear_point* p = &out->points[i];
        for (uint32_t a = p->cell_begin; a < p->cell_begin + p->cell_count && p->vertex != HEM_TEAR_NONE; ++a) {
            for (uint32_t b = p->cell_begin; b < p->cell_begin + p->cell_count; ++b) {
                int sign = 0;
                const bool near = distance(t, out->cells[a], out->cells[b]) == 1;
                const int32_t face = near ? face_between(t, out->cells[a], out->cells[b], &sign) : HEM_NONE;
                if (face != HEM_NONE && sign > 0) {
                    out->faces[face].vertex_count += copies[i];
                }
            }
        }
    }
    for (uint32_t f = 0; f < out->face_count; ++f) {
        out->faces[f].vertex_count += 6 * out->faces[f].cap_count; // more than its points, for both sides
        out->vertex_count += out->faces[f].vertex_count;
    }
}

// Cells have the mean of the paint of their vertices; those without, that of their neighbours, step by step.
static void paint_strength(tearer* t, const hemc_model* model, const hemc_skinning* skin, const float* paint,
                           const int32_t* vertex_part, int32_t part) {
    const uint32_t n = t->l->cell_count;
    double* sum = hemc_alloc(t->arena, n, sizeof(double));
    uint32_t* count = hemc_alloc(t->arena, n, sizeof(uint32_t));
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        if (vertex_part[v] == part && skin->vertex_cell[v] != HEM_NONE) {
            sum[skin->vertex_cell[v]] += (double)paint[v];
            ++count[skin->vertex_cell[v]];
        }
    }
    uint32_t* queue = hemc_alloc(t->arena, n, sizeof(uint32_t));
    uint32_t head = 0, tail = 0;
    for (uint32_t c = 0; c < n; ++c) {
        if (count[c] != 0) {
            sum[c] /= count[c];
            queue[tail++] = c;
        }
    }
    while (head < tail) {
        const uint32_t c = queue[head++];
        for (int k = 0; k < 6; ++k) {
            const int32_t next = cell_beside(t, c, k / 2, k % 2 != 0 ? 1 : -1);
            if (next != HEM_NONE && count[next] == 0) {
                count[next] = 1;
                sum[next] = sum[c];
                queue[tail++] = (uint32_t)next;
            }
        }
    }
    for (uint32_t f = 0; f < t->out->face_count; ++f) {
        hem_tear_face* face = &t->out->faces[f];
        const double weaker = fmin(sum[face->cell[0]], sum[face->cell[1]]);
        face->strength = (uint16_t)(fmin(fmax(weaker, 0.0), 1.0) * 65535.0 + 0.5);
    }
}

// The model's triangles of this part, in its order, and how many of its vertices lie at each point. What welding took away
// (no area, or there twice) stays as it is.
static uint32_t* take_triangles(tearer* t, const hemc_model* model) {
    const hemc_surface* s = t->surface;
    hemc_tears_made* out = t->out;
    out->triangles = hemc_alloc(t->arena, s->triangle_count, sizeof(*out->triangles));
    uint64_t* keys = hemc_alloc(t->arena, 3 * (size_t)s->triangle_count, sizeof(uint64_t));
    for (uint32_t i = 0; i < s->triangle_count; ++i) { // the surface keeps the model's order
        hem_tear_triangle* to = &out->triangles[out->triangle_count++];
        const uint32_t from = s->source_triangle[i];
        to->cell = t->triangle_cell[i];
        to->mesh = model->triangle_primitive[from];
        to->triangle = from - model->primitives[to->mesh].triangle_begin;
        for (uint32_t k = 0; k < 3; ++k) {
            const int32_t point = t->point_of[s->triangles[3 * i + k]];
            to->vertex[k] = model->triangles[3 * (size_t)from + k];
            to->point[k] = point == HEM_NONE ? HEM_TEAR_NONE : (uint32_t)point;
            keys[3 * i + k] = (uint64_t)to->point[k] << 32 | to->vertex[k];
        }
    }
    hemc_sort(t->arena, keys, NULL, 3 * (size_t)s->triangle_count);
    uint32_t* copies = hemc_alloc(t->arena, out->point_count, sizeof(uint32_t));
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; ++i) {
        const uint32_t point = (uint32_t)(keys[i] >> 32);
        if (point != HEM_TEAR_NONE && (i == 0 || keys[i] != keys[i - 1])) {
            ++copies[point];
        }
    }
    return copies;
}

static bool tear_part(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_part_recipe* part,
                      const hemc_surface* surface, hemc_lattice* l, tearer* t) {
    hemc_tear_faces(arena, l);
    *t = (tearer){.arena = arena, .surface = surface, .l = l, .out = l->tears};
    hemc_cell_table_make(arena, l, &t->table);
    t->face_of = hemc_alloc(arena, l->cell_count, sizeof(*t->face_of));
    memset(t->face_of, 0xff, l->cell_count * sizeof(*t->face_of));
    for (uint32_t f = 0; f < t->out->face_count; ++f) {
        t->face_of[t->out->faces[f].cell[0]][t->out->faces[f].axis] = (int32_t)f;
    }
    const size_t corners = (size_t)l->size[0] * l->size[1] * l->size[2];
    t->corner_point = hemc_alloc(arena, corners, sizeof(int32_t));
    memset(t->corner_point, 0xff, corners * sizeof(int32_t));
    t->point_of = hemc_alloc(arena, surface->vertex_count, sizeof(int32_t));
    t->triangle_cell = hemc_alloc(arena, surface->triangle_count, sizeof(uint32_t));
    for (uint32_t i = 0; i < surface->triangle_count; ++i) {
        double in[3];
        hemc_d3 middle = d3(0, 0, 0);
        for (uint32_t k = 0; k < 3; ++k) {
            middle = d3_add(middle, d3_scale(d3_from(surface->positions[surface->triangles[3 * i + k]]), 1.0 / 3.0));
        }
        t->triangle_cell[i] = hemc_find_cell(&t->table, middle, in);
    }
    if (!find_points(t)) {
        return hemc_error(log, HEMC_INPUT, hemc_part_file(part, model), part->json_path,
                          "\"fracture\" of part \"%s\": its triangles are too large for its cells, a vertex would come "
                          "apart into more than %d. Give a larger \"spacing\", or a finer mesh",
                          part->name, HEM_MAX_TEAR_CELLS);
    }
    find_edges(t);
    for (size_t i = 0; i < t->segment_count; ++i) { // so far they were of vertices
        t->segments[i].from = (uint32_t)t->point_of[t->segments[i].from];
        t->segments[i].to = (uint32_t)t->point_of[t->segments[i].to];
    }
    if (t->crossing_count != 0) {
        qsort(t->crossings, t->crossing_count, sizeof(crossing), compare_crossings);
    }
    find_inside(t);
    for (uint64_t n = 0; n < corners; ++n) {
        int32_t at[3];
        corner_index(t, n, at);
        for (int axis = 0; axis < 3; ++axis) {
            if (at[axis] + 1 < (int32_t)l->size[axis]) {
                add_edge(t, at, axis);
            }
        }
    }
    if (t->segment_count != 0) {
        make_caps(t);
    }
    count_vertices(t, take_triangles(t, model));
    if (t->lost != 0) {
        hemc_warn(log, hemc_part_file(part, model), part->json_path,
                  "the mesh of part \"%s\" is open at %u vertices: where it tears, closing surfaces have borders there",
                  part->name, t->lost);
    }
    return true;
}

bool hemc_tears(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
                const hemc_surface* surfaces, hemc_mesh* mesh) {
    for (uint32_t p = 0; mesh->part_lattices != NULL && p < recipe->part_count; ++p) {
        hemc_lattice* l = mesh->part_lattices[p];
        const hemc_part_recipe* part = &recipe->parts[p];
        if (l == NULL || part->lattice.reserve == 0) {
            continue;
        }
        tearer t;
        l->spare_count = part->lattice.reserve;
        if (!tear_part(arena, log, model, part, &surfaces[p], l, &t)) {
            return false;
        }
        l->tears->vertex_limit = part->lattice.torn_vertices != 0 ? part->lattice.torn_vertices : t.out->vertex_count;
        const float* paint = part->lattice.strength != NULL ? hemc_paint_values(model, part->lattice.strength) : NULL;
        if (paint != NULL) {
            int32_t* vertex_part = hemc_alloc(arena, model->vertex_count, sizeof(int32_t));
            memset(vertex_part, 0xff, model->vertex_count * sizeof(int32_t));
            for (uint32_t i = 0; i < 3 * t.out->triangle_count; ++i) {
                vertex_part[t.out->triangles[i / 3].vertex[i % 3]] = (int32_t)p;
            }
            paint_strength(&t, model, &mesh->skinning, paint, vertex_part, (int32_t)p);
        }
    }
    return true;
}
