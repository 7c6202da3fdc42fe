// SPDX-License-Identifier: MIT
#include "compiler/graph/fabric.h"

#include "compiler/graph/graph.h"

#include <math.h>
#include <string.h>

// From the weave (warp and weft links) to pieces of cloth.
//
//   faces      cycles of four links without a link across, halved by a diagonal, and cycles of three; never rings of one kind
//              of link, which go round a sleeve and bound nothing
//   triangles  each in its own plane: warp runs along its warp links, or as a paint says (graph/warp.c), weft at a right angle to it
//   edges      that two triangles share. Rigidity times length of the edge over half the heights on both sides, so that a
//              cylinder along warp or weft has exactly its energy. A triangle that cannot move does not bend: at a clamp only
//              the free half counts.
//
// Diagonals turn from face to face, through every second particle. Were they all alike, an edge could not tell a bend
// across it from a twist, (k - t), and cloth would bend along the other diagonal for nothing. As they are, the edges of a
// cell have kx^2 + ky^2 and a diagonal of its full rigidity has 2 t^2, which is all that is wanted: half of what the lengths
// give there. (Turned from course to course only, more lanes fill where strips are odd, but the corners of a clamped strip
// fold: bending lengths 8 % short.)
//
// Measured on chains of hinges (n cells of overhang, bending length c): the length that the droop tells is 0.93 c for two
// cells, 0.98 to 1.01 c from three on.

typedef struct d3 {
    double x, y, z;
} d3;

static d3 sub(hemc_vec3 a, hemc_vec3 b) {
    return (d3){(double)a.x - b.x, (double)a.y - b.y, (double)a.z - b.z};
}

static double dot(d3 a, d3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static d3 cross(d3 a, d3 b) {
    return (d3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static d3 scaled(d3 a, double s) {
    return (d3){a.x * s, a.y * s, a.z * s};
}

static double length(d3 a) {
    return sqrt(dot(a, a));
}

double hemc_bending_rigidity(double bending_length, double density) {
    return density * HEMC_GRAVITY * bending_length * bending_length * bending_length;
}

// A strip of a few cells folds a little at its free corners and sides, which a chain of hinges does not: measured 4 to 7 %
// less length at all spacings. The one factor that calibrates the model against the strip.
#define STRIP 1.085
#define DAMPING_HZ 2.0 // at which the material's ratio is meant: about what a cape swings with

// A pass moves a strain on by one particle, so that what it holds grows with their mass, spacing squared times weight. Under
// its own weight a quarter of a metre then leans by this share of its length too much, whatever the stuff:
//
//     gravity length h^2 / (spacing^2 passes),   h = 1/240 s
//
// measured 1.8 % (one pass), 0.95 % (two), 0.32 % (four) at 4 cm. Half a percent is asked for.
#define PASSES_SPACING2 0.0072
#define MOST_PASSES 18

static uint32_t passes_for(double spacing) {
    const double passes = ceil(PASSES_SPACING2 / (spacing * spacing) - 0.01);
    return passes < 1 ? 1 : passes > MOST_PASSES ? MOST_PASSES : (uint32_t)passes;
}

void hemc_fabric_tuning(const hemc_fabric* fabric, double density, double spacing, hem_tuning* t) {
    t->iterations = fabric->own_passes ? t->iterations : passes_for(spacing);
    const double rigidity = STRIP * hemc_bending_rigidity((double)fabric->bending_length, density);
    t->fabric_warp = 1.0f / fabric->warp;
    t->fabric_weft = 1.0f / fabric->weft;
    t->fabric_shear = 1.0f / fabric->shear;
    t->fabric_area = fabric->area;
    t->fabric_bend = (float)fmin(1.0 / fmax(rigidity, 1e-12), 1e12);
    // A damper of stiffness times seconds has the ratio pi hz seconds.
    t->fabric_damping = (float)((double)fabric->damping_ratio / (3.14159265358979 * DAMPING_HZ));
    t->compliance[HEM_LINK_WARP] = t->compliance[HEM_LINK_WEFT] = HEM_MAX_COMPLIANCE;
}

// -- Faces

typedef struct weave {
    const hemc_link* links; // warp and weft
    hemc_adjacency net;
    const uint8_t* odd; // per particle: the weave coloured like a chessboard
} weave;

static const uint8_t* colour_weave(hemc_arena* arena, const hemc_adjacency* net, uint32_t count) {
    uint8_t* odd = hemc_alloc(arena, count, 1);
    uint8_t* seen = hemc_alloc(arena, count, 1);
    uint32_t* queue = hemc_alloc(arena, count, sizeof(uint32_t));
    for (uint32_t seed = 0; seed < count; ++seed) {
        uint32_t head = 0, tail = 0;
        if (!seen[seed]) {
            seen[seed] = 1;
            queue[tail++] = seed;
        }
        while (head < tail) {
            const uint32_t p = queue[head++];
            for (uint32_t k = net->starts[p]; k < net->starts[p + 1]; ++k) {
                const uint32_t q = net->neighbors[k];
                if (!seen[q]) {
                    odd[q] = !odd[p];
                    seen[q] = 1;
                    queue[tail++] = q;
                }
            }
        }
    }
    return odd;
}

static void make_weave(hemc_arena* arena, const hemc_mesh* mesh, weave* out) {
    hemc_link* links = hemc_alloc(arena, mesh->all.link_count, sizeof(hemc_link));
    size_t count = 0;
    for (size_t i = 0; i < mesh->all.link_count; ++i) {
        if (hem_kind_in(mesh->all.links[i].kind, HEM_KINDS_WEAVE)) {
            links[count++] = mesh->all.links[i];
        }
    }
    out->links = links;
    hemc_adjacency_build(arena, links, count, mesh->all.count, &out->net);
    out->odd = colour_weave(arena, &out->net, mesh->all.count);
}

typedef struct face {
    uint32_t p[3];
} face;

typedef struct face_list {
    hemc_arena* arena;
    face* items;
    size_t count, capacity;
    uint64_t* diagonals; // of faces of four, as edge keys
    size_t diagonal_count, diagonal_capacity;
} face_list;

static uint64_t edge_key(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

// The kind of the link between two particles, or -1.
static int linked(const weave* w, uint32_t a, uint32_t b) {
    for (uint32_t k = w->net.starts[a]; k < w->net.starts[a + 1]; ++k) {
        if (w->net.neighbors[k] == b) {
            return w->links[w->net.links[k]].kind;
        }
    }
    return -1;
}

static void add_face(face_list* list, uint32_t a, uint32_t b, uint32_t c) {
    list->items = hemc_grow(list->arena, list->items, &list->capacity, list->count + 1, sizeof(face));
    list->items[list->count++] = (face){{a, b, c}};
}

// Around it: p u c s.
static void add_quad(const hemc_mesh* mesh, const weave* w, face_list* list, uint32_t p, uint32_t u, uint32_t c,
                     uint32_t s) {
    const hemc_vec3* x = mesh->all.positions;
    const double through = length(sub(x[p], x[c])), across = length(sub(x[u], x[s]));
    const bool other = across < 0.7 * through || (through >= 0.7 * across && w->odd[p]);
    if (other) {
        add_face(list, p, u, s);
        add_face(list, c, s, u);
    } else {
        add_face(list, u, c, p);
        add_face(list, s, p, c);
    }
    list->diagonals =
        hemc_grow(list->arena, list->diagonals, &list->diagonal_capacity, list->diagonal_count + 1, sizeof(uint64_t));
    list->diagonals[list->diagonal_count++] = other ? edge_key(u, s) : edge_key(p, c);
}

// Every cycle once, from its lowest particle, in one sense. Degrees are small.
static void find_faces(const hemc_mesh* mesh, const weave* w, uint32_t p, face_list* list) {
    const hemc_adjacency* net = &w->net;
    for (uint32_t i = net->starts[p]; i < net->starts[p + 1]; ++i) {
        const uint32_t u = net->neighbors[i];
        const int first = w->links[net->links[i]].kind;
        for (uint32_t j = i + 1; u > p && j < net->starts[p + 1]; ++j) {
            const uint32_t s = net->neighbors[j];
            const int last = w->links[net->links[j]].kind;
            if (s < p || s == u) {
                continue;
            }
            const int across = linked(w, u, s);
            if (across >= 0) {
                if (first != last || first != across) {
                    add_face(list, p, u, s);
                }
                continue;
            }
            for (uint32_t k = net->starts[u]; k < net->starts[u + 1]; ++k) {
                const uint32_t c = net->neighbors[k];
                const int second = w->links[net->links[k]].kind;
                const int third = c > p ? linked(w, c, s) : -1;
                if (third >= 0 && linked(w, p, c) < 0 && !(first == second && second == third && third == last)) {
                    add_quad(mesh, w, list, p, u, c, s);
                }
            }
        }
    }
}

// -- Triangles

// As its corners say, in its plane; no length where they do not or it stands across.
static d3 said_warp(const hemc_mesh* mesh, const uint32_t p[3], d3 normal) {
    d3 sum = {0, 0, 0};
    for (int k = 0; mesh->warp != NULL && k < 3; ++k) {
        const hemc_vec3 v = mesh->warp[p[k]];
        const d3 d = {(double)v.x, (double)v.y, (double)v.z};
        const double sign = dot(d, sum) < 0 ? -1 : 1; // a thread has no beginning
        sum = (d3){sum.x + sign * d.x, sum.y + sign * d.y, sum.z + sign * d.z};
    }
    const double out = dot(sum, normal);
    const d3 flat = {sum.x - out * normal.x, sum.y - out * normal.y, sum.z - out * normal.z};
    return scaled(flat, length(flat) > 0.3 ? 1 / length(flat) : 0);
}

// As said, along the warp links of the triangle, or at a right angle to its weft.
static d3 warp_of(const hemc_mesh* mesh, const weave* w, const uint32_t p[3], d3 normal) {
    const d3 said = said_warp(mesh, p, normal);
    if (length(said) > 0) {
        return said;
    }
    const hemc_vec3* x = mesh->all.positions;
    d3 warp = {0, 0, 0}, weft = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        const uint32_t a = p[k], b = p[(k + 1) % 3];
        const int kind = linked(w, a, b);
        d3 e = sub(x[b], x[a]);
        d3* sum = kind == HEM_LINK_WARP ? &warp : kind == HEM_LINK_WEFT ? &weft : NULL;
        if (sum != NULL) {
            e = scaled(e, dot(e, *sum) < 0 ? -1 : 1);
            *sum = (d3){sum->x + e.x, sum->y + e.y, sum->z + e.z};
        }
    }
    if (!(length(warp) > 0)) {
        warp = cross(normal, length(weft) > 0 ? weft : sub(x[p[1]], x[p[0]]));
    }
    return scaled(warp, 1 / length(warp));
}

// A share of next to nothing is none: a particle that hardly counts would be asked for everything.
static void snap(float* a, float* b) {
    const double whole = fmax(fabs((double)*a), fabs((double)*b));
    *a = fabs((double)*a) < 1e-3 * whole ? 0 : *a;
    *b = fabs((double)*b) < 1e-3 * whole ? 0 : fabs((double)*a + *b) < 1e-3 * whole ? -*a : *b;
}

static bool make_triangle(const hemc_mesh* mesh, const weave* w, const face* f, hemc_triangle* out) {
    const hemc_vec3* x = mesh->all.positions;
    const d3 p1 = sub(x[f->p[1]], x[f->p[0]]), p2 = sub(x[f->p[2]], x[f->p[0]]);
    const d3 normal = cross(p1, p2);
    const double twice = length(normal), longest = fmax(length(p1), length(p2));
    // Slivers say nothing about strain, and ask for motions beyond all measure.
    if (!(twice > 1e-3 * longest * longest)) {
        return false;
    }
    const d3 n = scaled(normal, 1 / twice);
    const d3 u = warp_of(mesh, w, f->p, n), v = cross(n, u);
    // Sides in the plane are the columns of a matrix; q is its inverse.
    const double a = dot(p1, u), b = dot(p2, u), c = dot(p1, v), d = dot(p2, v), det = a * d - b * c;
    float paint = 0;
    for (int k = 0; k < 3; ++k) {
        out->p[k] = f->p[k];
        paint += mesh->all.stiffness[f->p[k]] / 3;
    }
    out->q[0] = (float)(d / det);
    out->q[1] = (float)(-c / det);
    out->q[2] = (float)(-b / det);
    out->q[3] = (float)(a / det);
    snap(&out->q[0], &out->q[1]);
    snap(&out->q[2], &out->q[3]);
    paint = paint < 0.01f ? 0.01f : paint;
    out->inverse_area = (float)(2 / (twice * (double)paint * (double)paint));
    return true;
}

// -- Edges

typedef struct edge_side {
    uint32_t a, b, far;
} edge_side;

static bool all_fixed(const hemc_mesh* mesh, uint32_t a, uint32_t b, uint32_t c) {
    return hemc_is_fixed(mesh, a) && hemc_is_fixed(mesh, b) && hemc_is_fixed(mesh, c);
}

static bool make_bend(const hemc_mesh* mesh, const hemc_fabric* fabric, const edge_side sides[2], double weight,
                      hemc_bend* out) {
    const hemc_vec3* x = mesh->all.positions;
    const uint32_t a = sides[0].a, b = sides[0].b;
    const d3 e = sub(x[b], x[a]);
    const double edge = length(e);
    double height[2], along[2], strip = 0, c[4] = {0};
    float paint = 0;
    d3 normal[2];
    out->p[0] = a;
    out->p[1] = b;
    bool fixed = true;
    for (int k = 0; k < 2; ++k) {
        const d3 r = sub(x[sides[k].far], x[a]);
        normal[k] = k == 0 ? cross(e, r) : cross(r, e);
        height[k] = length(normal[k]) / edge;
        along[k] = dot(r, e) / (edge * edge);
        const bool still = all_fixed(mesh, a, b, sides[k].far);
        strip += still ? 0 : height[k] / 2;
        fixed &= still;
        out->p[2 + k] = sides[k].far;
        if (!(edge > 0) || !(height[k] > 1e-3 * edge)) {
            return false;
        }
        c[2 + k] = 1 / height[k];
        c[0] -= (1 - along[k]) / height[k];
        c[1] -= along[k] / height[k];
    }
    for (int k = 0; k < 4; ++k) {
        out->c[k] = (float)c[k];
        paint += mesh->all.stiffness[out->p[k]] / 4;
    }
    paint = paint < 0.01f ? 0.01f : paint;
    out->compliance = (float)(strip / (edge * weight * (double)paint * (double)paint));
    const double size = length(normal[0]) * length(normal[1]);
    out->cosine = fabric->flat ? 1 : (float)(dot(normal[0], normal[1]) / size);
    out->sine = fabric->flat ? 0 : (float)(dot(cross(normal[1], normal[0]), e) / (size * edge));
    return !fixed && sides[0].far != sides[1].far;
}

static bool is_diagonal(const uint64_t* sorted, size_t count, uint64_t key) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (sorted[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && sorted[low] == key;
}

static void make_bends(hemc_arena* arena, const hemc_fabric* fabric, face_list* faces, hemc_mesh* mesh,
                       size_t* capacity) {
    const size_t count = faces->count * 3;
    uint64_t* keys = hemc_alloc(arena, count, sizeof(uint64_t));
    uint32_t* order = hemc_alloc(arena, count, sizeof(uint32_t));
    for (size_t i = 0; i < count; ++i) {
        const face* f = &faces->items[i / 3];
        keys[i] = edge_key(f->p[i % 3], f->p[(i + 1) % 3]);
        order[i] = (uint32_t)i;
    }
    hemc_sort(arena, keys, order, count);
    hemc_sort(arena, faces->diagonals, NULL, faces->diagonal_count);
    for (size_t i = 0; i + 1 < count; ++i) {
        const bool pair =
            keys[i] == keys[i + 1] && (i == 0 || keys[i - 1] != keys[i]) && (i + 2 == count || keys[i + 2] != keys[i]);
        if (!pair) {
            continue;
        }
        const double weight = is_diagonal(faces->diagonals, faces->diagonal_count, keys[i]) ? 0.5 : 1;
        edge_side sides[2];
        for (int k = 0; k < 2; ++k) {
            const uint32_t at = order[i + (size_t)k];
            sides[k] = (edge_side){(uint32_t)(keys[i] >> 32), (uint32_t)keys[i], faces->items[at / 3].p[(at + 2) % 3]};
        }
        hemc_bend bend;
        if (make_bend(mesh, fabric, sides, weight, &bend)) {
            mesh->bends = hemc_grow(arena, mesh->bends, capacity, mesh->bend_count + 1, sizeof(hemc_bend));
            mesh->bends[mesh->bend_count++] = bend;
        }
    }
}

// -- Tethers

// The stiffness along the way to b: that of the link of a that goes there most nearly.
static double stiffness_towards(const hemc_mesh* mesh, const weave* w, const hemc_fabric* fabric, uint32_t a,
                                uint32_t b) {
    const hemc_vec3* x = mesh->all.positions;
    const d3 way = sub(x[b], x[a]);
    double best = -2, stiffness = (double)fabric->warp;
    if (mesh->warp != NULL &&
        mesh->warp[a].x * mesh->warp[a].x + mesh->warp[a].y * mesh->warp[a].y + mesh->warp[a].z * mesh->warp[a].z > 0) {
        const d3 warp = {(double)mesh->warp[a].x, (double)mesh->warp[a].y, (double)mesh->warp[a].z};
        const double along = dot(warp, way) * dot(warp, way) / fmax(dot(way, way), 1e-30); // cosine^2
        return 1 / (along / (double)fabric->warp + (1 - along) / (double)fabric->weft);
    }
    for (uint32_t k = w->net.starts[a]; k < w->net.starts[a + 1]; ++k) {
        const d3 e = sub(x[w->net.neighbors[k]], x[a]);
        const double cosine = dot(e, way) / fmax(length(e) * length(way), 1e-30);
        if (cosine > best + 1e-6) {
            best = cosine;
            stiffness = (double)(w->links[w->net.links[k]].kind == HEM_LINK_WEFT ? fabric->weft : fabric->warp);
        }
    }
    return stiffness;
}

// A strip that hangs by its own weight is longer at s from where it hangs, of L in all, by weight (L s - s^2 / 2) / stiffness.
static void loosen_tethers(hemc_mesh* mesh, const weave* w, uint32_t part, const hemc_fabric* fabric) {
    double longest = 0;
    for (size_t i = 0; i < mesh->link_count; ++i) {
        const hemc_link* l = &mesh->links[i];
        if (l->kind == HEM_LINK_TETHER && hemc_part_of(mesh, l->a) == part) {
            longest = fmax(longest, (double)l->rest);
        }
    }
    for (size_t i = 0; i < mesh->link_count; ++i) {
        hemc_link* l = &mesh->links[i];
        if (l->kind == HEM_LINK_TETHER && hemc_part_of(mesh, l->a) == part) {
            const double s = (double)l->rest, weight = (double)fabric->density * HEMC_GRAVITY;
            l->rest = (float)(s * (1 + weight * (longest - s / 2) / stiffness_towards(mesh, w, fabric, l->a, l->b)));
        }
    }
}

// -- The stage

size_t hemc_weave_faces(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, uint32_t (**faces)[3]) {
    weave w;
    make_weave(arena, mesh, &w);
    face_list list = {.arena = arena};
    for (uint32_t p = mesh->part_begin[part]; p < mesh->part_begin[part + 1]; ++p) {
        find_faces(mesh, &w, p, &list);
    }
    *faces = hemc_alloc(arena, list.count, sizeof(**faces));
    for (size_t i = 0; i < list.count; ++i) {
        memcpy((*faces)[i], list.items[i].p, sizeof(**faces));
    }
    return list.count;
}

static bool has_fabric(const hemc_mesh* mesh, uint32_t part) {
    return mesh->part_fabrics != NULL && mesh->part_fabrics[part].triangles;
}

void hemc_fabric_make(hemc_arena* arena, hemc_mesh* mesh) {
    weave w;
    make_weave(arena, mesh, &w);
    size_t triangle_capacity = 0, bend_capacity = 0;
    for (uint32_t part = 0; part < mesh->part_count; ++part) {
        if (!has_fabric(mesh, part)) {
            continue;
        }
        const hemc_fabric* fabric = &mesh->part_fabrics[part];
        face_list faces = {.arena = arena};
        for (uint32_t p = mesh->part_begin[part]; p < mesh->part_begin[part + 1]; ++p) {
            find_faces(mesh, &w, p, &faces);
        }
        for (size_t i = 0; i < faces.count; ++i) {
            const face* f = &faces.items[i];
            hemc_triangle t;
            if (!all_fixed(mesh, f->p[0], f->p[1], f->p[2]) && make_triangle(mesh, &w, f, &t)) {
                mesh->triangles =
                    hemc_grow(arena, mesh->triangles, &triangle_capacity, mesh->triangle_count + 1, sizeof(t));
                mesh->triangles[mesh->triangle_count++] = t;
            }
        }
        if (fabric->bending != HEMC_BEND_LINKS) {
            make_bends(arena, fabric, &faces, mesh, &bend_capacity);
        }
        loosen_tethers(mesh, &w, part, fabric);
    }
}
