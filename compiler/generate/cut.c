// SPDX-License-Identifier: MIT
#include "compiler/generate/cut.h"

#include <string.h>

// Cut planes: the particle mesh of clothing (Mueller and Chentanez 2011, section 6), with columns.
//
// Axis and levels: levels.c. Contours: section.c, contour.c. Columns: columns.c. What is left is here.
//
// The paper's test stays: no two particles of a level nearer than NEAR h, whatever contour they are on. It allows
// less than h because even spacing divides a contour into gaps between 0.7 h and 1.4 h, and a last course may be a tenth
// denser: a waist that lost every second column to the test would be a course of triangles.
//
// Links. Weft: along the contour; rings close. Where an accepted particle has lost its predecessor to the test or to a
// dropped layer, the nearest on the level within h. Warp: the same column of the level above; a particle with none
// takes the nearest within LINK h, from above and from below (the paper's two passes; its limit h would leave
// particles hanging, as neighbours half a column off are already sqrt(1.25) h away). Only contours that overlap are linked.
//
// `level` is the plane's number from the bottom. A column has the same `column` number on every level
// that it crosses, and the numbers run in order around the part.

#define NEAR 0.62
#define LINK 1.5
#define GAP 0.3
#define SURE 1.2         // within a column: too short to cross a gap
#define COLUMN_LINK 1.75 // within a column: a level on a slant may be this far away

#define REJECTED UINT32_MAX

// Where the surface itself ends: at the ends of an open contour, and where no cross section of the level above or below
// comes within LINK h. Links have no say, so that a hole in the net is not taken for a border.
static bool on_border(hemc_cut* c, uint32_t level, const hemc_course* r, uint32_t place, hemc_d3 p) {
    if (!r->contour->closed && (place == 0 || place + 1 == r->count)) {
        return true;
    }
    for (int side = -1; side <= 1; side += 2) {
        int64_t other = (int64_t)level + side;
        if (other < 0 || other >= c->level_count) {
            return true;
        }
        if (hemc_kd_nearest(&c->level_kd[other], p, LINK * c->gen->spacing, NULL) == HEM_NONE) {
            return true;
        }
    }
    return false;
}

static void accept_level(hemc_cut* c, uint32_t level, hemc_particles* out) {
    hemc_grid grid;
    double near = NEAR * c->gen->spacing;
    uint32_t expected = 0;
    for (uint32_t k = c->level_starts[level]; k < c->level_starts[level + 1]; ++k) {
        expected += c->courses[k].count;
    }
    hemc_grid_init(&grid, c->gen->arena, near, expected);
    for (uint32_t k = c->level_starts[level]; k < c->level_starts[level + 1]; ++k) {
        hemc_course* r = &c->courses[k];
        for (uint32_t i = 0; i < r->count; ++i) {
            hemc_d3 p, n;
            hemc_course_point(r, r->at[i], &p, &n);
            r->accepted[i] = REJECTED;
            if (hemc_grid_nearest(&grid, p, near) == HEM_NONE) {
                hemc_grid_add(&grid, p);
                r->accepted[i] = hemc_particles_add(c->gen->arena, out, p, d3_unit(n, d3(0, 0, 0)), (int32_t)level,
                                                    c->columns[r->columns[i]].number);
                out->border[r->accepted[i]] = on_border(c, level, r, i, p);
            }
        }
    }
    c->gen->work += grid.visit_count;
}

typedef struct level_points {
    hemc_kd kd;
    uint32_t* particle;
    uint32_t* course;
    uint32_t* place; // within the course
    uint32_t count;
} level_points;

static level_points gather_level(hemc_cut* c, uint32_t level, const hemc_particles* out) {
    hemc_arena* arena = c->gen->arena;
    level_points l;
    memset(&l, 0, sizeof l);
    uint32_t capacity = 1;
    for (uint32_t k = c->level_starts[level]; k < c->level_starts[level + 1]; ++k) {
        capacity += c->courses[k].count;
    }
    l.particle = hemc_alloc(arena, capacity, sizeof *l.particle);
    l.course = hemc_alloc(arena, capacity, sizeof *l.course);
    l.place = hemc_alloc(arena, capacity, sizeof *l.place);
    hemc_vec3* points = hemc_alloc(arena, capacity, sizeof *points);
    for (uint32_t k = c->level_starts[level]; k < c->level_starts[level + 1]; ++k) {
        for (uint32_t i = 0; i < c->courses[k].count; ++i) {
            if (c->courses[k].accepted[i] != REJECTED) {
                points[l.count] = out->positions[c->courses[k].accepted[i]];
                l.particle[l.count] = c->courses[k].accepted[i];
                l.course[l.count] = k;
                l.place[l.count++] = i;
            }
        }
    }
    hemc_kd_build(arena, &l.kd, points, l.count);
    return l;
}

// Whether the straight way from a to b leaves the surface: from a sleeve to the hip that it hangs beside. Folded cloth keeps
// its particles between its two sides, so what counts is how much farther out the middle is than the ends.
static bool crosses_gap(hemc_cut* c, hemc_d3 a, hemc_d3 b) {
    double ends[2] = {0, 0}, middle = 0.0, length = d3_distance(a, b);
    hemc_bvh_nearest(&c->bvh, a, 1e30, &ends[0], NULL, NULL);
    hemc_bvh_nearest(&c->bvh, b, 1e30, &ends[1], NULL, NULL);
    hemc_bvh_nearest(&c->bvh, d3_lerp(a, b, 0.5), 1e30, &middle, NULL, NULL);
    return middle > (ends[0] > ends[1] ? ends[0] : ends[1]) + GAP * length;
}

// A particle that lost its predecessor: to the nearest on the level within h, not its own neighbours in the contour.
static void link_across(hemc_cut* c, level_points* l, uint32_t course_index, uint32_t place_index,
                        hemc_particles* out) {
    const hemc_course* r = &c->courses[course_index];
    uint32_t self = r->accepted[place_index];
    hemc_near near[12];
    uint32_t found = hemc_kd_near(&l->kd, d3_from(out->positions[self]), c->gen->spacing, 12, near);
    for (uint32_t k = 0; k < found; ++k) {
        uint32_t other = near[k].index;
        uint32_t apart = l->place[other] > place_index ? l->place[other] - place_index : place_index - l->place[other];
        if (l->particle[other] == self || (l->course[other] == course_index && apart < 3) ||
            crosses_gap(c, d3_from(out->positions[self]), d3_from(out->positions[l->particle[other]]))) {
            continue;
        }
        hemc_particles_link(c->gen->arena, out, self, l->particle[other], HEM_LINK_WEFT);
        return;
    }
}

static void link_level(hemc_cut* c, uint32_t level, level_points* l, hemc_particles* out) {
    for (uint32_t k = c->level_starts[level]; k < c->level_starts[level + 1]; ++k) {
        const hemc_course* r = &c->courses[k];
        uint32_t pairs = r->contour->closed && r->count > 2 ? r->count : r->count ? r->count - 1 : 0;
        for (uint32_t i = 0; i < pairs; ++i) {
            uint32_t a = r->accepted[i], b = r->accepted[(i + 1) % r->count];
            if (a != REJECTED && b != REJECTED) {
                hemc_particles_link(c->gen->arena, out, a, b, HEM_LINK_WEFT);
            }
        }
        bool alone = c->level_starts[level + 1] - c->level_starts[level] == 1;
        for (uint32_t i = 0; i < r->count; ++i) {
            if (r->accepted[i] == REJECTED) {
                continue;
            }
            bool first = i == 0, last = i + 1 == r->count;
            bool lost = r->contour->closed
                            ? r->accepted[(i + r->count - 1) % r->count] == REJECTED ||
                                  r->accepted[(i + 1) % r->count] == REJECTED
                            : (!first && r->accepted[i - 1] == REJECTED) || (!last && r->accepted[i + 1] == REJECTED);
            // The two lips of a slit belong to one contour and stay apart; ends facing another contour do not.
            bool end = !r->contour->closed && (first || last);
            bool made = end && ((first && r->contour->cut_begin) || (last && r->contour->cut_end));
            if (lost || made || (end && !alone)) {
                link_across(c, l, k, i, out);
            }
        }
    }
}

static void link_nearest(hemc_cut* c, const level_points* from, level_points* to, const uint8_t* served,
                         hemc_particles* out) {
    double reach = LINK * c->gen->spacing;
    for (uint32_t i = 0; i < from->count; ++i) {
        if (served[from->particle[i]]) {
            continue;
        }
        hemc_near near[8];
        uint32_t found = hemc_kd_near(&to->kd, d3_from(out->positions[from->particle[i]]), reach, 8, near);
        for (uint32_t k = 0; k < found; ++k) {
            hemc_d3 a = d3_from(out->positions[from->particle[i]]),
                    b = d3_from(out->positions[to->particle[near[k].index]]);
            if (hemc_courses_overlap(c, from->course[i], to->course[near[k].index]) && !crosses_gap(c, a, b)) {
                hemc_particles_link(c->gen->arena, out, from->particle[i], to->particle[near[k].index], HEM_LINK_WARP);
                break;
            }
        }
    }
}

static void link_levels(hemc_cut* c, level_points* low, level_points* high, uint8_t* up, uint8_t* down,
                        hemc_particles* out) {
    hemc_arena* arena = c->gen->arena;
    // Same column on both levels.
    hemc_sort_item* order = hemc_alloc(arena, (size_t)low->count + 1, sizeof *order);
    for (uint32_t i = 0; i < low->count; ++i) {
        order[i].key = out->column[low->particle[i]];
        order[i].index = i;
    }
    hemc_sort_items(arena, order, low->count);
    for (uint32_t i = 0; i < high->count; ++i) {
        uint32_t lo = 0, hi = low->count;
        double key = out->column[high->particle[i]];
        while (lo < hi) {
            uint32_t middle = (lo + hi) / 2;
            if (order[middle].key < key) {
                lo = middle + 1;
            } else {
                hi = middle;
            }
        }
        if (lo == low->count || order[lo].key != key) {
            continue;
        }
        uint32_t a = high->particle[i], b = low->particle[order[lo].index];
        hemc_d3 pa = d3_from(out->positions[a]), pb = d3_from(out->positions[b]);
        double length = d3_distance(pa, pb) / c->gen->spacing;
        if (length <= COLUMN_LINK && (length <= SURE || !crosses_gap(c, pa, pb))) {
            hemc_particles_link(arena, out, b, a, HEM_LINK_WARP);
            down[a] = up[b] = 1;
        }
    }
    link_nearest(c, high, low, down, out);
    link_nearest(c, low, high, up, out);
}

void hemc_gen_cut(hemc_gen* gen, hemc_particles* particles) {
    hemc_arena* arena = gen->arena;
    hemc_slicer slicer;
    hemc_slicer_init(&slicer, gen);
    hemc_levels l = hemc_find_levels(&slicer);
    hemc_cut c;
    memset(&c, 0, sizeof c);
    c.gen = gen;
    c.level_count = l.count;
    c.level_starts = hemc_alloc(arena, (size_t)l.count + 1, sizeof *c.level_starts);
    hemc_contours contours = {NULL, 0, 0};
    for (uint32_t i = 0; i < l.count; ++i) {
        hemc_slice(&slicer, i, l.height[i], l.triangles + l.starts[i], l.starts[i + 1] - l.starts[i], &contours);
        c.level_starts[i + 1] = (uint32_t)contours.count;
    }
    hemc_place_courses(&c, &contours);
    if (gen->bvh != NULL) {
        c.bvh = *gen->bvh;
    } else {
        hemc_bvh_build(arena, &c.bvh, gen->surface->positions, gen->surface->triangles, NULL,
                       gen->surface->triangle_count);
    }
    for (uint32_t i = 0; i < l.count; ++i) {
        accept_level(&c, i, particles);
    }
    uint8_t* up = hemc_alloc(arena, (size_t)particles->count + 1, sizeof *up);
    uint8_t* down = hemc_alloc(arena, (size_t)particles->count + 1, sizeof *down);
    level_points low;
    memset(&low, 0, sizeof low);
    for (uint32_t i = 0; i < l.count; ++i) {
        level_points high = gather_level(&c, i, particles);
        link_level(&c, i, &high, particles);
        if (i > 0) {
            link_levels(&c, &low, &high, up, down, particles);
        }
        low = high;
    }
    for (uint32_t i = 0; i < l.count; ++i) {
        gen->work += c.level_kd[i].visit_count;
    }
    gen->work += c.bvh.visit_count;
    particles->level_count = l.count;
    hemc_particles_finish(arena, particles);
}
