// SPDX-License-Identifier: MIT
#include "tests/compiler/lanes_kit.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Pairs of one part that must not collide, against a second implementation that looks at every pair.

void graph_ignore_tests(void);

typedef struct ball {
    double x, y, z, radius;
} ball;

static double widest(const float r[3]) {
    return fmax(fmax(r[0], r[1]), r[2]);
}

// The volume a particle collides with; q is a rotation about z here, so that the axis is easy to name.
static ball volume(const hemc_mesh* mesh, uint32_t p) {
    const hemc_vec3 x = mesh->all.positions[p];
    const float *r = mesh->all.radii[p], *q = mesh->all.rotation[p];
    ball b = {x.x, x.y, x.z, widest(r)};
    if ((mesh->all.flags[p] & HEM_PARTICLE_SURFACE) != 0) {
        const double angle = 2 * atan2(q[2], q[3]);
        const double tangent = ((double)r[1] * r[1] / r[0] + (double)r[2] * r[2] / r[0]) / 2;
        b.x -= (tangent - r[0]) * cos(angle);
        b.y -= (tangent - r[0]) * sin(angle);
        b.radius = tangent;
    }
    return b;
}

static bool expected(const lanes_kit* kit, const uint32_t* part, uint32_t a, uint32_t b) {
    const hemc_mesh* mesh = &kit->mesh;
    const uint8_t fa = mesh->all.flags[a], fb = mesh->all.flags[b];
    if (a == b || part[a] != part[b] || (fa & fb & HEM_PARTICLE_ANIMATED) || !(fa & fb & HEM_PARTICLE_COLLIDES) ||
        !(kit->masks[part[a]] & kit->groups[part[a]])) {
        return false;
    }
    // Those of the generators too: in soft parts they make groups, not distance constraints.
    for (size_t i = 0; i < mesh->link_count + mesh->all.link_count; ++i) {
        const hemc_link* l = i < mesh->link_count ? &mesh->links[i] : &mesh->all.links[i - mesh->link_count];
        if (l->kind != HEM_LINK_TETHER && ((l->a == a && l->b == b) || (l->a == b && l->b == a))) {
            return true;
        }
    }
    const ball u = volume(mesh, a), v = volume(mesh, b);
    double reach = u.radius + v.radius + 2 * kit->tunings[part[a]].collision_thickness;
    if (kit->kinds[part[a]] == HEM_PART_CLOTH) {
        reach = kit->tunings[part[a]].self_thickness;
        const hemc_vec3 x = mesh->all.positions[a], y = mesh->all.positions[b];
        return sqrt(pow((double)x.x - y.x, 2) + pow((double)x.y - y.y, 2) + pow((double)x.z - y.z, 2)) < reach;
    }
    return sqrt(pow(u.x - v.x, 2) + pow(u.y - v.y, 2) + pow(u.z - v.z, 2)) < reach;
}

static bool listed(const hemc_mesh* mesh, uint32_t a, uint32_t b) {
    for (uint32_t i = mesh->ignore_starts[a]; i < mesh->ignore_starts[a + 1]; ++i) {
        if (mesh->ignore_list[i] == b) {
            return true;
        }
    }
    return false;
}

TEST ignored_pairs_are_those_of_brute_force(void) {
    lanes_kit kit;
    lanes_kit_start(&kit, 1000);
    lanes_kit_sheet(&kit, 14, 14);
    lanes_kit_part(&kit, "cloth", HEM_PART_CLOTH);
    lanes_kit_scatter(&kit, 120, 0.6, 0.1);
    lanes_kit_part(&kit, "soft", HEM_PART_SOFT);
    lanes_kit_scatter(&kit, 150, 0.6, 0);
    lanes_kit_part(&kit, "body", HEM_PART_BODY);
    const uint32_t count = kit.mesh.all.count;
    uint32_t* part = calloc(count, sizeof(uint32_t));
    for (uint32_t p = 0; p < count; ++p) {
        part[p] = p < kit.begin[1] ? 0 : p < kit.begin[2] ? 1 : 2;
        kit.mesh.all.positions[p].x += (float)(0.05 * lanes_kit_random(&kit));
        kit.mesh.all.positions[p].y += part[p] != 0 ? 0.6f : 0;
        const double angle = 6.283 * lanes_kit_random(&kit);
        kit.mesh.all.rotation[p][2] = (float)sin(angle / 2);
        kit.mesh.all.rotation[p][3] = (float)cos(angle / 2);
        kit.mesh.all.radii[p][0] = (float)(0.02 + 0.02 * lanes_kit_random(&kit));
        kit.mesh.all.radii[p][1] = 0.04f;
        kit.mesh.all.radii[p][2] = (float)(0.02 + 0.02 * lanes_kit_random(&kit));
        if (part[p] == 2) {
            kit.mesh.all.flags[p] = HEM_PARTICLE_ANIMATED | HEM_PARTICLE_BODY | HEM_PARTICLE_COLLIDES;
            kit.mesh.all.flags[p] |= p % 3 != 0 ? HEM_PARTICLE_SURFACE : 0;
        } else if (part[p] == 1 && p % 4 == 0) {
            kit.mesh.all.flags[p] |= HEM_PARTICLE_SURFACE;
        } else if (p % 17 == 0) {
            kit.mesh.all.flags[p] &= (uint8_t)~HEM_PARTICLE_COLLIDES;
        }
    }
    kit.masks[0] = 1 | 2 | 4;
    kit.masks[1] = 1 | 2 | 4;
    kit.masks[2] = 1 | 2;
    kit.tunings[0].self_thickness = 0.05f;
    kit.tunings[1].collision_thickness = 0.004f;
    ASSERT(lanes_kit_graph(&kit));
    uint32_t found = 0, wrong = 0, soft = 0;
    for (uint32_t a = 0; a < count; ++a) {
        for (uint32_t b = 0; b < count; ++b) {
            const bool want = expected(&kit, part, a, b), have = listed(&kit.mesh, a, b);
            wrong += want != have;
            found += have;
            soft += have && part[a] == 1;
        }
    }
    ASSERT_EQ_FMT(0u, wrong, "%u");
    ASSERT_EQ_FMT(kit.mesh.ignore_starts[count], found, "%u");
    ASSERT(found > 1000 && soft > 100);
    free(part);
    lanes_kit_end(&kit);
    PASS();
}

// However deep they overlap: the runtime keeps these at their distance at rest and never asks.
TEST other_parts_and_the_body_are_not_listed(void) {
    lanes_kit kit;
    lanes_kit_start(&kit, 16);
    const uint32_t skirt = lanes_kit_add(&kit, 0, 0, 0.001, 0, 0, false);
    const uint32_t next = lanes_kit_add(&kit, 0.001, 0, 0.001, 0, 1, false);
    lanes_kit_part(&kit, "skirt", HEM_PART_CLOTH);
    const uint32_t cape = lanes_kit_add(&kit, 0, 0, 0, 0, 0, false);
    lanes_kit_part(&kit, "cape", HEM_PART_CLOTH);
    const uint32_t hip = lanes_kit_add(&kit, 0, 0, -0.001, 0, 0, true);
    lanes_kit_part(&kit, "body", HEM_PART_BODY);
    kit.mesh.all.flags[hip] |= HEM_PARTICLE_BODY | HEM_PARTICLE_COLLIDES;
    kit.masks[0] = kit.masks[1] = 1 | 2 | 4;
    kit.masks[2] = 1 | 2;
    kit.tunings[0].self_thickness = kit.tunings[1].self_thickness = 0.05f;
    ASSERT(lanes_kit_graph(&kit));
    ASSERT(listed(&kit.mesh, skirt, next) && listed(&kit.mesh, next, skirt));
    ASSERT_FALSE(listed(&kit.mesh, skirt, cape) || listed(&kit.mesh, cape, skirt));
    ASSERT_FALSE(listed(&kit.mesh, skirt, hip) || listed(&kit.mesh, hip, skirt));
    ASSERT_EQ(2, kit.mesh.ignore_starts[kit.mesh.all.count]);
    lanes_kit_end(&kit);
    PASS();
}

TEST parts_that_do_not_collide_have_no_list(void) {
    lanes_kit kit;
    lanes_kit_start(&kit, 200);
    lanes_kit_sheet(&kit, 10, 10);
    lanes_kit_part(&kit, "cloth", HEM_PART_CLOTH);
    kit.tunings[0].self_thickness = 0.1f;
    ASSERT(lanes_kit_graph(&kit));
    ASSERT_EQ(0, kit.mesh.ignore_starts[kit.mesh.all.count]);
    lanes_kit_end(&kit);
    PASS();
}

void graph_ignore_tests(void) {
    RUN_TEST(ignored_pairs_are_those_of_brute_force);
    RUN_TEST(other_parts_and_the_body_are_not_listed);
    RUN_TEST(parts_that_do_not_collide_have_no_list);
}
