// SPDX-License-Identifier: MIT
#include "tests/compiler/gen_kit.h"
#include "tests/compiler/gen_suites.h"

#include "greatest.h"

#include <stdio.h>

// Whatever the generator: a mirrored, turned or scaled input gives the same particles, moved likewise, with the same links,
// roles, ellipsoids and shares of the mass. Mirrored means as importers do it: triangles turned around, from whichever corner.

#define TAU 6.283185307179586

static hemc_d3 skirt(double u, double v) { // no symmetry at all
    double r = 0.16 + 0.25 * (1.0 - v) + 0.03 * sin(TAU * u + 0.3) + 0.02 * sin(3.0 * TAU * u) * (1.0 - v);
    return d3(r * cos(TAU * u), 0.7 * v, 0.8 * r * sin(TAU * u));
}
static hemc_d3 robe(double u, double v) { // two sides 2 cm apart, open in front
    double out = u < 0.5 ? 2.0 * u : 2.0 - 2.0 * u, a = 0.3 + 5.5 * out, r = 0.25 + 0.2 * (1.0 - v);
    r += u < 0.5 ? 0.02 : 0.0;
    return d3(r * sin(a), 1.1 * v + 0.02 * sin(a), r * cos(a) + 0.03 * sin(3.0 * a));
}
static hemc_d3 egg(double u, double v) {
    double a = TAU * u, b = 0.5 * TAU * v, y = -0.5 * cos(b);
    return d3(0.5 * sin(b) * cos(a) * (1.0 + 0.4 * y), 1.5 * y, 0.5 * sin(b) * sin(a) + 0.1 * y * y);
}
static double card_angle;
static hemc_d3 card(double u, double v) {
    double r = 0.1 + 0.08 * v + 0.01 * sin(card_angle * 3.0), side = 0.02 * (u - 0.5);
    return d3(r * cos(card_angle) - side * sin(card_angle), 1.6 - 0.35 * v,
              r * sin(card_angle) + side * cos(card_angle));
}
static hemc_d3 tube(double u, double v) { // closed: its normals cancel
    double r = 0.02 * sqrt(v * (1.0 - v)), a = card_angle + 0.6 * v;
    return d3(0.2 * cos(a) + r * cos(TAU * u), 1.6 - 0.35 * v, 0.17 * sin(a) + r * sin(TAU * u));
}
static hemc_d3 fringe(double u, double v) {
    return d3(0.6 * (u - 0.4) + 0.05 * v * u, 1.0 - 0.3 * v - 0.1 * u * v, 0.05 * sin(4.0 * u));
}

typedef enum subject { CUT_SKIRT, CUT_ROBE, SCATTER, VOLUME, CARDS, TUBES, FRINGE, VERTICES, SUBJECT_COUNT } subject;
static const char* const subject_names[] = {"skirt", "robe",  "scatter", "volume",
                                            "cards", "tubes", "fringe",  "vertices"};

static bool run(gen_kit* kit, subject which, hemc_d3 (*move)(hemc_d3), double scale, int winding) {
    static const double spacings[] = {0.05, 0.06, 0.12, 0.15, 0.04, 0.04, 0.04, 0.04};
    gen_begin(kit, spacings[which] * scale);
    kit->part.kind = which == SCATTER || which == VOLUME ? HEM_PART_SOFT : HEM_PART_CLOTH;
    kit->part.volume = which == VOLUME;
    kit->part.attach.top = (float)(0.06 * scale);
    switch (which) {
    case CUT_SKIRT:
        gen_grid(kit, 70, 24, skirt, false, 0);
        break;
    case CUT_ROBE:
        gen_grid(kit, 90, 24, robe, false, 0);
        break;
    case SCATTER:
    case VOLUME:
        kit->part.generator = HEMC_SCATTER;
        gen_grid(kit, 40, 20, egg, true, 0);
        break;
    case CARDS:
        kit->part.generator = HEMC_STRANDS;
        for (int k = 0; k < 23; ++k) {
            card_angle = TAU * (k + 0.03 * (k % 5)) / 23.0;
            gen_grid(kit, 3, 12, card, false, 0);
        }
        kit->part.guide_count = 9;
        break;
    case TUBES:
        kit->part.generator = HEMC_STRANDS;
        for (int k = 0; k < 7; ++k) {
            card_angle = TAU * (k + 0.03 * (k % 3)) / 7.0;
            gen_grid(kit, 8, 16, tube, false, 0);
        }
        break;
    case FRINGE:
        kit->part.generator = HEMC_STRANDS;
        gen_grid(kit, 30, 15, fringe, false, 0);
        break;
    default:
        kit->part.generator = HEMC_VERTICES;
        gen_grid(kit, 24, 12, skirt, false, 0);
        break;
    }
    hemc_model* m = &kit->model;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        m->positions[v] = d3_to(move(d3_from(m->positions[v])));
    }
    for (uint32_t t = 0; t < m->triangle_count && winding > 0; ++t) { // 1, 2, 3: turned around, which corner stays
        uint32_t* c = &m->triangles[3 * (size_t)t];
        const int i = winding % 3, j = (winding + 1) % 3;
        const uint32_t swap = c[i];
        c[i] = c[j];
        c[j] = swap;
    }
    if (!gen_run(kit)) {
        return false;
    }
    hemc_fit(kit->arena, &kit->surface, &kit->part, &kit->particles);
    return hemc_roles(kit->arena, &kit->log, m, &kit->part, &kit->surface, kit->owner, &kit->particles);
}

static double total_mass(const hemc_particles* p) {
    double sum = 0.0;
    for (uint32_t i = 0; i < p->count; ++i) {
        sum += p->mass[i];
    }
    return sum;
}

static size_t count_same_links(const hemc_particles* a, const uint32_t* image, const hemc_particles* b) {
    size_t same = 0;
    for (size_t k = 0; k < a->link_count; ++k) {
        const uint32_t x = image[a->links[k].a], y = image[a->links[k].b];
        for (size_t l = 0; l < b->link_count; ++l) {
            const hemc_link* m = &b->links[l];
            same += m->kind == a->links[k].kind && ((m->a == x && m->b == y) || (m->a == y && m->b == x));
        }
    }
    return same;
}

// NULL, or what differs. Every particle of a must have its own image in b within `reach`. What lies deep in a volume has
// no side of its own (it takes that of one of the nearest triangles): faces = false.
static const char* compare(hemc_arena* arena, const hemc_particles* a, const hemc_particles* b,
                           hemc_d3 (*move)(hemc_d3), double reach, bool faces) {
    if (a->count != b->count || a->link_count != b->link_count) {
        return "counts";
    }
    uint32_t* image = hemc_alloc(arena, (size_t)a->count + 1, sizeof *image);
    uint8_t* taken = hemc_alloc(arena, (size_t)a->count + 1, sizeof *taken);
    const double mass_a = total_mass(a), mass_b = total_mass(b);
    for (uint32_t i = 0; i < a->count; ++i) {
        double nearest = 1e30;
        for (uint32_t j = 0; j < b->count; ++j) {
            const double d = d3_distance(move(d3_from(a->positions[i])), d3_from(b->positions[j]));
            if (!taken[j] && d < nearest) {
                nearest = d;
                image[i] = j;
            }
        }
        if (nearest > reach) {
            return "positions";
        }
        const uint32_t j = image[i];
        taken[j] = 1;
        if (a->flags[i] != b->flags[j] || a->border[i] != b->border[j]) {
            return "roles";
        }
        const hemc_d3 at = d3_from(a->positions[i]), tip = d3_add(at, d3_from(a->normals[i]));
        const hemc_d3 normal = d3_unit(d3_sub(move(tip), move(at)), d3(0, 0, 0));
        if (faces && d3_distance(normal, d3_from(b->normals[j])) > 0.01) {
            return "normals";
        }
        for (int k = 0; k < 3 && faces; ++k) {
            if (fabs(a->radii[i][k] / a->spacing - b->radii[j][k] / b->spacing) > 0.005) {
                return "radii";
            }
        }
        if (fabs(a->mass[i] / mass_a - b->mass[j] / mass_b) > 1e-3 * a->mass[i] / mass_a) {
            return "masses";
        }
    }
    return count_same_links(a, image, b) == a->link_count ? NULL : "links";
}

static hemc_d3 stay(hemc_d3 p) {
    return p;
}
static hemc_d3 mirror_x(hemc_d3 p) {
    return d3(-p.x, p.y, p.z);
}
static hemc_d3 mirror_z(hemc_d3 p) {
    return d3(p.x, p.y, -p.z);
}
static hemc_d3 quarter(hemc_d3 p) {
    return d3(p.z, p.y, -p.x);
}
static hemc_d3 odd_turn(hemc_d3 p) {
    return d3(0.6 * p.x + 0.8 * p.z, p.y, -0.8 * p.x + 0.6 * p.z);
}
static hemc_d3 enlarge(hemc_d3 p) {
    return d3_scale(p, 100.0);
}

TEST a_moved_surface_gives_the_moved_mesh(void) {
    static const struct {
        const char* name;
        hemc_d3 (*move)(hemc_d3);
        double scale;
        int winding;
        double reach; // of the spacing
    } moves[] = {
        {"mirrored in x", mirror_x, 1.0, 1, 1e-5},
        {"mirrored in z", mirror_z, 1.0, 1, 1e-5},
        {"from another corner", mirror_x, 1.0, 2, 1e-4},
        {"from the third", mirror_x, 1.0, 3, 1e-4},
        {"a quarter turn", quarter, 1.0, 0, 1e-5},
        {"turned", odd_turn, 1.0, 0, 1e-2},
        {"a hundred times as large", enlarge, 100.0, 0, 1e-2},
    };
    for (int s = 0; s < SUBJECT_COUNT; ++s) {
        gen_kit a;
        ASSERTm(subject_names[s], run(&a, (subject)s, stay, 1.0, 0));
        ASSERTm(subject_names[s], a.particles.count > 20);
        for (size_t k = 0; k < sizeof moves / sizeof moves[0]; ++k) {
            gen_kit b;
            ASSERTm(subject_names[s], run(&b, (subject)s, moves[k].move, moves[k].scale, moves[k].winding));
            const char* differs = compare(a.arena, &a.particles, &b.particles, moves[k].move,
                                          moves[k].reach * b.particles.spacing, s != VOLUME);
            if (differs != NULL) {
                printf("%s, %s: other %s\n", subject_names[s], moves[k].name, differs);
            }
            ASSERT_EQm(subject_names[s], NULL, differs);
            gen_end(&b);
        }
        gen_end(&a);
    }
    PASS();
}

void gen_moved_tests(void) {
    RUN_TEST(a_moved_surface_gives_the_moved_mesh);
}
