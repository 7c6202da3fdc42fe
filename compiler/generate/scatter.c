// SPDX-License-Identifier: MIT
#include "compiler/generate/generate.h"

#include <string.h>

// Blue noise on a surface or through a volume.
//
// Five times as many random candidates as wanted are thinned by sample elimination (Yuksel 2015): each candidate carries
// the sum over its neighbours of (1 - d / reach)^8, and the most crowded one goes until the count is right. Any count
// can be met exactly and the result is as even as dart throwing's. The density is that of a square (cubic) grid of
// the given spacing: one point per h^2 of area or h^3 of volume.
//
// Candidates come triangle by triangle in barycentric coordinates, for a volume in the tetrahedra between the triangles
// and the centre, filtered by an inside test: nothing depends on how the part lies in space. (Where the shape is not
// star-like from its centre the tetrahedra overlap and candidates are denser; the elimination evens that out.)
//
// Links: nearest first to what is within LINK h, at most LINK_LIMIT each; on a surface only where both sides face the same
// way and the middle of the link stays by the surface, in a volume where it stays inside.

#define JOIN 3.0    // x spacing: how far to look for what a piece belongs to
#define TINY 4      // particles
#define BORDER 0.75 // x spacing
#define CANDIDATES 5
#define LINK 1.6
#define LINK_LIMIT 10
// Not a half: triangles of equal area end at simple fractions, and rounding would say to which of two a candidate belongs.
#define OFFSET 0.71
#define SEED 0x48454d2d73636174u

void hemc_random_on_surface(hemc_arena* arena, const hemc_surface* surface, uint32_t count, hemc_vec3* positions,
                            uint32_t* triangles) {
    (void)arena;
    double total = hemc_surface_area(surface), passed = 0.0;
    hemc_random random = {SEED};
    uint32_t made = 0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        passed += d3_length(hemc_triangle_area_normal(surface, t));
        // Candidate k belongs to the triangle under (k + OFFSET) / count of the area.
        while (made < count && ((made + OFFSET) * total <= passed * count || t + 1 == surface->triangle_count)) {
            double u = hemc_random_unit(&random), v = hemc_random_unit(&random);
            if (u + v > 1.0) {
                u = 1.0 - u;
                v = 1.0 - v;
            }
            hemc_d3 corners[3];
            hemc_sorted_corners(surface, t, corners);
            hemc_d3 a = corners[0], ab = d3_sub(corners[1], a), ac = d3_sub(corners[2], a);
            positions[made] = d3_to(d3_madd(d3_madd(a, ab, u), ac, v));
            triangles[made++] = t;
        }
    }
}

// -- Elimination: a binary heap of candidates, most crowded on top, ties by the higher index

typedef struct crowd {
    double* weight;
    uint32_t* heap;
    uint32_t* place; // of each candidate in the heap
    uint32_t count;
} crowd;

static bool more_crowded(const crowd* c, uint32_t a, uint32_t b) {
    return c->weight[a] > c->weight[b] || (c->weight[a] == c->weight[b] && a > b);
}

static void heap_put(crowd* c, uint32_t at, uint32_t item) {
    c->heap[at] = item;
    c->place[item] = at;
}

static void heap_sink(crowd* c, uint32_t at) {
    uint32_t item = c->heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= c->count) {
            break;
        }
        if (child + 1 < c->count && more_crowded(c, c->heap[child + 1], c->heap[child])) {
            ++child;
        }
        if (!more_crowded(c, c->heap[child], item)) {
            break;
        }
        heap_put(c, at, c->heap[child]);
        at = child;
    }
    heap_put(c, at, item);
}

// The tree of those that are left; numbers[i] is point i of it.
static void plant_again(hemc_arena* arena, hemc_kd* kd, const hemc_vec3* candidates, const crowd* c, uint32_t* numbers,
                        hemc_vec3* points) {
    for (uint32_t i = 0; i < c->count; ++i) {
        numbers[i] = c->heap[i];
        points[i] = candidates[numbers[i]];
    }
    uint64_t visits = kd->visit_count;
    hemc_kd_build(arena, kd, points, c->count);
    kd->visit_count = visits;
}

static double crowding(double distance, double reach) {
    double x = distance < reach ? 1.0 - distance / reach : 0.0;
    double x2 = x * x, x4 = x2 * x2;
    return x4 * x4;
}

void hemc_eliminate(hemc_arena* arena, const hemc_vec3* candidates, uint32_t count, uint32_t target, double reach,
                    uint8_t* keep, uint64_t* work) {
    memset(keep, 1, count);
    if (count <= target) {
        return;
    }
    hemc_kd kd;
    hemc_kd_build(arena, &kd, candidates, count);
    crowd c;
    c.count = count;
    c.weight = hemc_alloc(arena, count, sizeof *c.weight);
    c.heap = hemc_alloc(arena, count, sizeof *c.heap);
    c.place = hemc_alloc(arena, count, sizeof *c.place);
    hemc_index_list list = {NULL, 0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        hemc_kd_radius(arena, &kd, d3_from(candidates[i]), reach, &list);
        for (size_t k = 0; k < list.count; ++k) {
            if (list.items[k] != i) {
                c.weight[i] += crowding(d3_distance(d3_from(candidates[i]), d3_from(candidates[list.items[k]])), reach);
            }
        }
        heap_put(&c, i, i);
    }
    for (uint32_t i = count / 2; i-- > 0;) {
        heap_sink(&c, i);
    }
    uint32_t* numbers = hemc_alloc(arena, count, sizeof *numbers);
    hemc_vec3* points = hemc_alloc(arena, count, sizeof *points);
    for (uint32_t i = 0; i < count; ++i) {
        numbers[i] = i;
    }
    while (c.count > target) {
        if (c.count < kd.count / 2) { // do not search among the dead
            plant_again(arena, &kd, candidates, &c, numbers, points);
        }
        uint32_t gone = c.heap[0];
        keep[gone] = 0;
        --c.count;
        if (c.count > 0) {
            heap_put(&c, 0, c.heap[c.count]);
            heap_sink(&c, 0);
        }
        hemc_kd_radius(arena, &kd, d3_from(candidates[gone]), reach, &list);
        for (size_t k = 0; k < list.count; ++k) {
            uint32_t other = numbers[list.items[k]];
            if (keep[other]) {
                // A weight only falls, so the item can only sink.
                c.weight[other] -= crowding(d3_distance(d3_from(candidates[gone]), d3_from(candidates[other])), reach);
                heap_sink(&c, c.place[other]);
            }
        }
    }
    *work += kd.visit_count;
}

// -- Volume

static hemc_d3 surface_center(const hemc_surface* surface) {
    hemc_d3 sum = d3(0, 0, 0);
    double area = 0.0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        double a = d3_length(hemc_triangle_area_normal(surface, t));
        hemc_d3 c = d3_add(d3_add(hemc_corner(surface, t, 0), hemc_corner(surface, t, 1)), hemc_corner(surface, t, 2));
        sum = d3_madd(sum, c, a / 3.0);
        area += a;
    }
    return d3_scale(sum, area > 0.0 ? 1.0 / area : 0.0);
}

static double tetra_volume(const hemc_surface* surface, uint32_t t, hemc_d3 center) {
    hemc_d3 a = d3_sub(hemc_corner(surface, t, 0), center), b = d3_sub(hemc_corner(surface, t, 1), center);
    return d3_dot(a, d3_cross(b, d3_sub(hemc_corner(surface, t, 2), center))) / 6.0;
}

// Fills positions with points inside the surface; returns how many of the `count` tries were inside.
static uint32_t random_in_volume(const hemc_surface* surface, hemc_bvh* bvh, hemc_d3 center, double sum, uint32_t count,
                                 hemc_vec3* positions) {
    hemc_random random = {SEED};
    double passed = 0.0;
    uint32_t tried = 0, made = 0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        passed += fabs(tetra_volume(surface, t, center));
        while (tried < count && ((tried + OFFSET) * sum <= passed * count || t + 1 == surface->triangle_count)) {
            // Uniform in a tetrahedron: sorted uniforms are barycentric weights.
            double w[3];
            for (int i = 0; i < 3; ++i) { // one by one: C leaves the order within a list open
                w[i] = hemc_random_unit(&random);
            }
            for (int i = 0; i < 2; ++i) {
                for (int j = 0; j < 2 - i; ++j) {
                    if (w[j] > w[j + 1]) {
                        double swap = w[j];
                        w[j] = w[j + 1];
                        w[j + 1] = swap;
                    }
                }
            }
            hemc_d3 corners[3], p = d3_scale(center, 1.0 - w[2]);
            hemc_sorted_corners(surface, t, corners);
            p = d3_madd(p, corners[0], w[0]);
            p = d3_madd(p, corners[1], w[1] - w[0]);
            p = d3_madd(p, corners[2], w[2] - w[1]);
            if (hemc_bvh_inside(bvh, p)) {
                positions[made++] = d3_to(p);
            }
            ++tried;
        }
    }
    return made;
}

// -- Links

static void join(uint32_t* roots, uint32_t a, uint32_t b) {
    a = hemc_root_of(roots, a);
    b = hemc_root_of(roots, b);
    roots[a > b ? a : b] = a > b ? b : a;
}

// Which connected sheet of the surface each particle lies on.
static uint32_t* find_sheets(hemc_gen* gen, hemc_bvh* bvh, const hemc_particles* p) {
    const hemc_surface* surface = gen->surface;
    uint32_t* sheets = hemc_alloc(gen->arena, (size_t)surface->vertex_count + 1, sizeof *sheets);
    uint32_t* sheet = hemc_alloc(gen->arena, (size_t)p->count + 1, sizeof *sheet);
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        sheets[v] = v;
    }
    for (size_t k = 0; k < 3 * (size_t)surface->triangle_count; k += 3) {
        join(sheets, surface->triangles[k], surface->triangles[k + 1]);
        join(sheets, surface->triangles[k], surface->triangles[k + 2]);
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        int32_t t = hemc_bvh_nearest(bvh, d3_from(p->positions[i]), 1e30, NULL, NULL, NULL);
        sheet[i] = t != HEM_NONE ? hemc_root_of(sheets, surface->triangles[3 * (size_t)t]) : 0;
    }
    return sheet;
}

// What hangs together as a surface must do so as particles. On the thin tip of an arm a few particles may find none within
// reach that faces their way; those are joined to the nearest of their surface, and braced by what else is close. A shell
// too small to be anything by itself (a sucker on that arm) is joined to whatever it lies on. Each round joins every
// such piece to its nearest, so that few are needed. False = there was nothing to join.
static bool join_pieces(hemc_gen* gen, hemc_kd* kd, hemc_d3 axis, const uint32_t* sheet, hemc_particles* p) {
    hemc_arena* arena = gen->arena;
    const size_t sheet_limit = (size_t)gen->surface->vertex_count + 1;
    uint32_t* roots = hemc_alloc(arena, (size_t)p->count + 1, sizeof *roots);
    uint32_t* sizes = hemc_alloc(arena, (size_t)p->count + 1, sizeof *sizes);
    uint32_t* piece = hemc_alloc(arena, (size_t)p->count + 1, sizeof *piece); // before this round
    uint32_t* largest = hemc_alloc(arena, sheet_limit, sizeof *largest);      // per sheet: its piece
    for (uint32_t i = 0; i < p->count; ++i) {
        roots[i] = i;
    }
    for (size_t k = 0; k < p->link_count; ++k) {
        join(roots, p->links[k].a, p->links[k].b);
    }
    memset(largest, 0xff, sheet_limit * sizeof *largest);
    for (uint32_t i = 0; i < p->count; ++i) {
        piece[i] = hemc_root_of(roots, i);
        ++sizes[piece[i]];
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        uint32_t* best = &largest[sheet[i]];
        *best = *best == UINT32_MAX || sizes[piece[i]] > sizes[*best] ? piece[i] : *best;
    }
    uint32_t(*ends)[2] = hemc_alloc(arena, (size_t)p->count + 1, sizeof *ends);
    hemc_sort_item* order = hemc_alloc(arena, (size_t)p->count + 1, sizeof *order);
    size_t count = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        const bool tiny = sizes[largest[sheet[i]]] <= TINY;
        if (piece[i] == largest[sheet[i]] && !tiny) {
            continue;
        }
        hemc_near near[4 * LINK_LIMIT];
        uint32_t found = hemc_kd_near(kd, d3_from(p->positions[i]), JOIN * gen->spacing, 4 * LINK_LIMIT, near);
        for (uint32_t k = 0; k < found; ++k) {
            if (piece[near[k].index] != piece[i] && (tiny || sheet[near[k].index] == sheet[i])) {
                ends[count][0] = i;
                ends[count][1] = near[k].index;
                order[count].key = near[k].distance;
                order[count].index = (uint32_t)count;
                ++count;
                break;
            }
        }
    }
    hemc_sort_items(arena, order, count);
    for (size_t k = 0; k < count; ++k) {
        const uint32_t* e = ends[order[k].index];
        if (hemc_root_of(roots, e[0]) != hemc_root_of(roots, e[1]) || order[k].key <= LINK * gen->spacing) {
            join(roots, e[0], e[1]);
            hemc_particles_link(arena, p, e[0], e[1],
                                hemc_link_direction(d3_from(p->positions[e[0]]), d3_from(p->positions[e[1]]), axis));
        }
    }
    return count != 0;
}

static void link_scatter(hemc_gen* gen, hemc_bvh* bvh, hemc_particles* p) {
    hemc_arena* arena = gen->arena;
    hemc_d3 axis = hemc_cut_axis(gen->part, gen->surface);
    double h = gen->spacing;
    hemc_kd kd;
    hemc_kd_build(arena, &kd, p->positions, p->count);
    typedef struct pair {
        uint32_t a, b;
    } pair;
    pair* pairs = NULL;
    hemc_sort_item* order = NULL;
    size_t count = 0, pair_capacity = 0, order_capacity = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        hemc_near near[2 * LINK_LIMIT];
        hemc_d3 a = d3_from(p->positions[i]);
        uint32_t found = hemc_kd_near(&kd, a, LINK * h, 2 * LINK_LIMIT, near);
        for (uint32_t k = 0; k < found; ++k) {
            uint32_t j = near[k].index;
            if (j <= i) {
                continue;
            }
            hemc_d3 middle = d3_lerp(a, d3_from(p->positions[j]), 0.5);
            double slack = 0.4 * h;
            bool by_surface = hemc_bvh_nearest(bvh, middle, slack, NULL, NULL, NULL) != HEM_NONE;
            bool joined = gen->part->volume
                              ? by_surface || hemc_bvh_inside(bvh, middle)
                              : by_surface && d3_dot(d3_from(p->normals[i]), d3_from(p->normals[j])) > 0.0;
            if (!joined) {
                continue;
            }
            pairs = hemc_grow(arena, pairs, &pair_capacity, count + 1, sizeof *pairs);
            order = hemc_grow(arena, order, &order_capacity, count + 1, sizeof *order);
            pairs[count].a = i;
            pairs[count].b = j;
            order[count].key = near[k].distance;
            order[count].index = (uint32_t)count;
            ++count;
        }
    }
    hemc_sort_items(arena, order, count);
    uint32_t* degree = hemc_alloc(arena, (size_t)p->count + 1, sizeof *degree);
    for (size_t k = 0; k < count; ++k) {
        pair at = pairs[order[k].index];
        if (degree[at.a] < LINK_LIMIT && degree[at.b] < LINK_LIMIT) {
            ++degree[at.a];
            ++degree[at.b];
            hemc_particles_link(arena, p, at.a, at.b,
                                hemc_link_direction(d3_from(p->positions[at.a]), d3_from(p->positions[at.b]), axis));
        }
    }
    const uint32_t* sheet = find_sheets(gen, bvh, p);
    while (join_pieces(gen, &kd, axis, sheet, p)) {}
    gen->work += kd.visit_count;
}

static void scatter_surface(hemc_gen* gen, hemc_particles* particles) {
    hemc_arena* arena = gen->arena;
    const hemc_surface* surface = gen->surface;
    double area = hemc_surface_area(surface);
    double wanted = gen->point_target ? gen->point_target : floor(area / (gen->spacing * gen->spacing) + 0.5);
    uint32_t target = wanted < 4.0 ? 4u : wanted > 4.0 * HEM_MAX_PARTICLES ? 4u * HEM_MAX_PARTICLES : (uint32_t)wanted;
    if (gen->point_target) {
        gen->spacing = sqrt(area / target);
    }
    uint32_t count = CANDIDATES * target;
    hemc_vec3* candidates = hemc_alloc(arena, count, sizeof *candidates);
    uint32_t* triangles = hemc_alloc(arena, count, sizeof *triangles);
    uint8_t* keep = hemc_alloc(arena, count, sizeof *keep);
    hemc_random_on_surface(arena, surface, count, candidates, triangles);
    // Twice the radius of the densest packing: area = 2 sqrt(3) r^2 per point.
    hemc_eliminate(arena, candidates, count, target, 2.0 * sqrt(area / (3.4641016151377544 * target)), keep,
                   &gen->work);
    hemc_grid grid;
    hemc_grid_init(&grid, arena, 0.6 * gen->spacing, target);
    for (uint32_t i = 0; i < count; ++i) {
        hemc_d3 p = d3_from(candidates[i]);
        // Two sides of thin cloth count twice in the area; what comes too near in space is one too many.
        if (!keep[i] || (!gen->point_target && hemc_grid_nearest(&grid, p, 0.6 * gen->spacing) != HEM_NONE)) {
            continue;
        }
        hemc_grid_add(&grid, p);
        hemc_d3 normal = d3_unit(hemc_triangle_area_normal(surface, triangles[i]), d3(0, 0, 0));
        hemc_particles_add(arena, particles, p, normal, 0, 0);
    }
}

static void scatter_volume(hemc_gen* gen, hemc_bvh* bvh, hemc_particles* particles) {
    hemc_arena* arena = gen->arena;
    const hemc_surface* surface = gen->surface;
    hemc_d3 center = surface_center(surface);
    double net = 0.0, gross = 0.0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        double v = tetra_volume(surface, t, center);
        net += v;
        gross += fabs(v);
    }
    double volume = fabs(net);
    double h = gen->spacing;
    double wanted = gen->point_target ? gen->point_target : floor(volume / (h * h * h) + 0.5);
    uint32_t target = wanted < 4.0 ? 4u : wanted > 2.0 * HEM_MAX_PARTICLES ? 2u * HEM_MAX_PARTICLES : (uint32_t)wanted;
    // Tries that fall outside are lost; try in proportion.
    double share = gross > 0.0 ? volume / gross : 1.0;
    share = share < 0.05 ? 0.05 : share;
    uint32_t tries = (uint32_t)(CANDIDATES * target / share) + 64;
    hemc_vec3* candidates = hemc_alloc(arena, tries, sizeof *candidates);
    uint32_t count = random_in_volume(surface, bvh, center, gross, tries, candidates);
    if (count == 0) { // not closed: nothing is inside
        scatter_surface(gen, particles);
        return;
    }
    if (gen->point_target) {
        gen->spacing = h = hemc_cube_root(volume / target);
    }
    uint8_t* keep = hemc_alloc(arena, count, sizeof *keep);
    // Densest packing of balls: volume = 4 sqrt(2) r^3 per point.
    double reach = 2.0 * hemc_cube_root(volume / (5.656854249492381 * target));
    hemc_eliminate(arena, candidates, count, target, reach, keep, &gen->work);
    for (uint32_t i = 0; i < count; ++i) {
        if (keep[i]) {
            hemc_d3 p = d3_from(candidates[i]), normal = d3(0, 0, 0);
            int32_t t = hemc_bvh_nearest(bvh, p, 1e30, NULL, NULL, NULL);
            if (t != HEM_NONE) {
                normal = d3_unit(hemc_triangle_area_normal(surface, (uint32_t)t), d3(0, 0, 0));
            }
            hemc_particles_add(arena, particles, p, normal, 0, 0);
        }
    }
}

// Particles near the open edges of the surface: where the selection cut the artist's mesh, or the mesh ends.
static void mark_border(hemc_gen* gen, hemc_particles* particles) {
    const hemc_surface* surface = gen->surface;
    const double step = 0.25 * gen->spacing;
    hemc_vec3* points = NULL;
    size_t count = 0, capacity = 0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        for (int e = 0; e < 3; ++e) {
            if (surface->neighbors[3 * (size_t)t + (size_t)e] != HEM_NONE) {
                continue;
            }
            hemc_d3 a = hemc_corner(surface, t, e), b = hemc_corner(surface, t, (e + 1) % 3);
            double pieces = floor(d3_distance(a, b) / step) + 1.0;
            pieces = pieces < 4096.0 ? pieces : 4096.0;
            for (double k = 0.0; k < pieces; k += 1.0) {
                points = hemc_grow(gen->arena, points, &capacity, count + 1, sizeof *points);
                points[count++] = d3_to(d3_lerp(a, b, k / pieces));
            }
        }
    }
    hemc_kd kd;
    hemc_kd_build(gen->arena, &kd, points, (uint32_t)count);
    for (uint32_t i = 0; i < particles->count; ++i) {
        hemc_d3 p = d3_from(particles->positions[i]);
        particles->border[i] = hemc_kd_nearest(&kd, p, BORDER * gen->spacing, NULL) != HEM_NONE;
    }
    gen->work += kd.visit_count;
}

void hemc_gen_scatter(hemc_gen* gen, hemc_particles* particles) {
    hemc_bvh bvh;
    hemc_bvh_build(gen->arena, &bvh, gen->surface->positions, gen->surface->triangles, NULL,
                   gen->surface->triangle_count);
    if (gen->part->volume) {
        scatter_volume(gen, &bvh, particles);
    } else {
        scatter_surface(gen, particles);
    }
    link_scatter(gen, &bvh, particles);
    mark_border(gen, particles);
    particles->level_count = 1;
    gen->work += bvh.visit_count;
    hemc_particles_finish(gen->arena, particles);
}
