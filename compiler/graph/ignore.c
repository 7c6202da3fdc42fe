// SPDX-License-Identifier: MIT
#include "compiler/graph/graph.h"

#include <math.h>
#include <string.h>

// Pairs of one part that touch at rest, which the runtime leaves out: those joined by a link, and those whose contact
// volumes overlap at rest (section 5.2 of the paper: "we filter out pairs that already intersect in the rest state").
//
// Pairs of different parts, and with the body, are not listed however deep they overlap: the runtime keeps them at the
// distance that they have at rest. Leaving them out let a skirt come through the cape that it lies under, and a sleeve
// fall through its arm.
//
// A contact volume is a sphere here: for surface particles the tangent sphere, for cloth half the self thickness, else
// the circumsphere of the ellipsoid. That is conservative: the runtime's own volumes lie inside.
//
// Parts that do not collide with themselves have no list. A uniform grid over the spheres finds the rest in linear time.

typedef struct contact_sphere {
    double x, y, z, radius;
    uint32_t part;
} contact_sphere;

static contact_sphere sphere_of(const hemc_mesh* mesh, uint32_t p, uint32_t part) {
    const hemc_particles* all = &mesh->all;
    const float* r = all->radii[p];
    const hem_tuning* tuning = &mesh->part_tunings[part];
    const bool cloth = mesh->part_kinds[part] == HEM_PART_CLOTH, surface = (all->flags[p] & HEM_PARTICLE_SURFACE) != 0;
    const double tangent = ((double)r[1] * r[1] + (double)r[2] * r[2]) / (2.0 * r[0]);
    contact_sphere s = {all->positions[p].x, all->positions[p].y, all->positions[p].z, 0, part};
    s.radius = surface ? tangent : cloth ? 0.5 * tuning->self_thickness : fmax(fmax(r[0], r[1]), r[2]);
    if (!cloth) {
        s.radius += fmax(tuning->collision_thickness, 0.0);
    }
    if (surface && !cloth) {
        const float* q = all->rotation[p];
        const double axis[3] = {1 - 2.0 * ((double)q[1] * q[1] + (double)q[2] * q[2]),
                                2.0 * ((double)q[0] * q[1] + (double)q[2] * q[3]),
                                2.0 * ((double)q[0] * q[2] - (double)q[1] * q[3])};
        s.x -= (tangent - r[0]) * axis[0];
        s.y -= (tangent - r[0]) * axis[1];
        s.z -= (tangent - r[0]) * axis[2];
    }
    return s;
}

static bool collides_with_itself(const hemc_mesh* mesh, uint32_t part) {
    return (mesh->collision_masks[part] & mesh->collision_groups[part]) != 0;
}

// Of two particles of such a part.
static bool may_collide(const hemc_mesh* mesh, uint32_t a, uint32_t b) {
    const uint8_t fa = mesh->all.flags[a], fb = mesh->all.flags[b];
    return (fa & fb & HEM_PARTICLE_ANIMATED) == 0 && (fa & fb & HEM_PARTICLE_COLLIDES) != 0;
}

static bool overlaps(const contact_sphere* s, const contact_sphere* t) {
    const double x = s->x - t->x, y = s->y - t->y, z = s->z - t->z, reach = s->radius + t->radius;
    return x * x + y * y + z * z < reach * reach;
}

static uint32_t cell_hash(int32_t x, int32_t y, int32_t z) {
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ (uint32_t)z * 0xcb1ab31fu;
    h ^= h >> 15;
    return h;
}

typedef struct pair_list {
    hemc_arena* arena;
    uint64_t* keys;
    size_t count, capacity;
} pair_list;

static void add_pair(pair_list* list, uint32_t a, uint32_t b) {
    list->keys = hemc_grow(list->arena, list->keys, &list->capacity, list->count + 2, sizeof(uint64_t));
    list->keys[list->count++] = (uint64_t)a << 32 | b;
    list->keys[list->count++] = (uint64_t)b << 32 | a;
}

static int32_t cell_of(double x, double cell) {
    return (int32_t)fmin(fmax(floor(x / cell), -1e9), 1e9);
}

void hemc_ignore_make(hemc_arena* arena, hemc_mesh* mesh) {
    const uint32_t count = mesh->all.count;
    contact_sphere* spheres = hemc_alloc(arena, count, sizeof(contact_sphere));
    double reach = 0;
    for (uint32_t i = 0; i < count; ++i) {
        spheres[i] = sphere_of(mesh, i, hemc_part_of(mesh, i));
        reach = collides_with_itself(mesh, spheres[i].part) ? fmax(reach, spheres[i].radius) : reach;
    }
    const double cell = fmax(2 * reach, 1e-6);
    uint32_t bucket_count = 16;
    while (bucket_count < count * 2) {
        bucket_count *= 2;
    }
    int32_t* heads = hemc_alloc(arena, bucket_count, sizeof(int32_t));
    int32_t* next = hemc_alloc(arena, count, sizeof(int32_t));
    memset(heads, 0xff, bucket_count * sizeof(int32_t));
    pair_list pairs = {.arena = arena};
    for (uint32_t i = 0; i < count; ++i) {
        const contact_sphere* s = &spheres[i];
        if (!collides_with_itself(mesh, s->part)) {
            continue;
        }
        const int32_t cx = cell_of(s->x, cell), cy = cell_of(s->y, cell), cz = cell_of(s->z, cell);
        uint32_t visited[27];
        uint32_t visited_count = 0;
        for (int n = 0; n < 27; ++n) {
            const uint32_t bucket = cell_hash(cx + n % 3 - 1, cy + n / 3 % 3 - 1, cz + n / 9 - 1) & (bucket_count - 1);
            bool seen = false;
            for (uint32_t k = 0; k < visited_count; ++k) {
                seen |= visited[k] == bucket;
            }
            if (seen) {
                continue;
            }
            visited[visited_count++] = bucket;
            for (int32_t j = heads[bucket]; j != HEM_NONE; j = next[j]) {
                if (s->part == spheres[j].part && may_collide(mesh, i, (uint32_t)j) && overlaps(s, &spheres[j])) {
                    add_pair(&pairs, i, (uint32_t)j);
                }
            }
        }
        const uint32_t bucket = cell_hash(cx, cy, cz) & (bucket_count - 1);
        next[i] = heads[bucket];
        heads[bucket] = (int32_t)i;
    }
    for (int set = 0; set < 2; ++set) {
        const hemc_link* links = set == 0 ? mesh->links : mesh->all.links;
        const size_t link_count = set == 0 ? mesh->link_count : mesh->all.link_count;
        for (size_t i = 0; i < link_count; ++i) {
            const hemc_link* l = &links[i];
            if (l->a != l->b && !hem_kind_in(l->kind, HEM_KINDS_PULLS) && spheres[l->a].part == spheres[l->b].part &&
                collides_with_itself(mesh, spheres[l->a].part) && may_collide(mesh, l->a, l->b)) {
                add_pair(&pairs, l->a, l->b);
            }
        }
    }
    hemc_sort(arena, pairs.keys, NULL, pairs.count);
    mesh->ignore_starts = hemc_alloc(arena, (size_t)count + 1, sizeof(uint32_t));
    mesh->ignore_list = hemc_alloc(arena, pairs.count, sizeof(uint16_t));
    uint32_t kept = 0;
    for (size_t i = 0; i < pairs.count; ++i) {
        if (i == 0 || pairs.keys[i] != pairs.keys[i - 1]) {
            mesh->ignore_list[kept++] = (uint16_t)(pairs.keys[i] & 0xffffffffu);
            ++mesh->ignore_starts[(pairs.keys[i] >> 32) + 1];
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        mesh->ignore_starts[i + 1] += mesh->ignore_starts[i];
    }
}
