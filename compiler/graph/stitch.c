// SPDX-License-Identifier: MIT
#include "compiler/generate/generate.h"
#include "compiler/graph/fabric.h"
#include "compiler/graph/graph.h"

#include <string.h>

// Puts the parts and the body into one particle array, says who collides with whom, and stitches neighbours together.
//
// Collision. Each part has a bit and a mask. Two parts collide only if both allow it, so that { "collides_with": [] } on
// one side is enough to keep the other away. Past 31 simulated parts the last ones share a bit.
//
// Stitches. Two parts that touch (bodice and skirt, cape and hood) would come apart where they meet. Only borders are sewn:
// a cape that lies on a robe must not be glued to it. A border particle is one that its own part does not surround:
// fewer than two warp or two weft links on a cut, the root of a strand, a scattered particle near an open edge of the
// surface. (A closed beard that hangs over the belly is sewn to nothing.) Where both borders have a direction they must run alongside each other: the side of a cape that crosses a waistband is no seam.
// Pairs nearer than the smaller spacing are linked, nearest first, at most two per particle, never two attached ones
// (the skeleton holds those).

#define STITCH_LIMIT 2
#define CONTACT_RADIUS 0.7f // of the spacing: two nets keep each other off wherever one has a hole, corner to corner
#define BODY_BIT 31u

static uint32_t group_bit(uint32_t part) {
    return part < BODY_BIT - 1 ? part : BODY_BIT - 1;
}

static bool names_part(const char** names, uint32_t count, const char* name) {
    for (uint32_t i = 0; i < count; ++i) {
        if (hemc_glob(names[i], name)) {
            return true;
        }
    }
    return false;
}

static bool allows(const hemc_part_recipe* part, const char* other) {
    return part->collides_with == NULL || names_part(part->collides_with, part->collides_with_count, other);
}

bool hemc_meets_body(const hemc_part_recipe* part) {
    return allows(part, "body");
}

static void make_masks(const hemc_recipe* recipe, bool has_body, hemc_mesh* mesh) {
    for (uint32_t i = 0; i < recipe->part_count; ++i) {
        mesh->collision_groups[i] = 1u << group_bit(i);
        mesh->collision_masks[i] = recipe->parts[i].self_collision ? 1u << group_bit(i) : 0;
    }
    for (uint32_t i = 0; i < recipe->part_count; ++i) {
        for (uint32_t j = 0; j < recipe->part_count; ++j) {
            if (i != j && allows(&recipe->parts[i], recipe->parts[j].name) &&
                allows(&recipe->parts[j], recipe->parts[i].name)) {
                mesh->collision_masks[i] |= 1u << group_bit(j);
            }
        }
    }
    if (has_body) {
        uint32_t b = recipe->part_count;
        mesh->collision_groups[b] = 1u << BODY_BIT;
        mesh->collision_masks[b] = 0;
        for (uint32_t i = 0; i < recipe->part_count; ++i) {
            if (hemc_meets_body(&recipe->parts[i])) {
                mesh->collision_masks[i] |= 1u << BODY_BIT;
                mesh->collision_masks[b] |= 1u << group_bit(i);
            }
        }
    }
}

static void append(hemc_arena* arena, hemc_particles* all, const hemc_particles* p) {
    uint32_t base = all->count;
    hemc_particles_reserve(arena, all, base + p->count);
    all->count += p->count;
    if (p->count == 0) {
        return;
    }
    memcpy(all->positions + base, p->positions, p->count * sizeof *p->positions);
    memcpy(all->normals + base, p->normals, p->count * sizeof *p->normals);
    memcpy(all->level + base, p->level, p->count * sizeof *p->level);
    memcpy(all->column + base, p->column, p->count * sizeof *p->column);
    memcpy(all->flags + base, p->flags, p->count * sizeof *p->flags);
    memcpy(all->rotation + base, p->rotation, p->count * sizeof *p->rotation);
    memcpy(all->radii + base, p->radii, p->count * sizeof *p->radii);
    memcpy(all->mass + base, p->mass, p->count * sizeof *p->mass);
    memcpy(all->area + base, p->area, p->count * sizeof *p->area);
    memcpy(all->stiffness + base, p->stiffness, p->count * sizeof *p->stiffness);
    memcpy(all->max_distance + base, p->max_distance, p->count * sizeof *p->max_distance);
    memcpy(all->backstop + base, p->backstop, p->count * sizeof *p->backstop);
    memcpy(all->drive + base, p->drive, p->count * sizeof *p->drive);
    memcpy(all->maps + base, p->maps, p->count * sizeof *p->maps);
    all->links =
        hemc_grow(arena, all->links, &all->link_capacity, all->link_count + p->link_count + 1, sizeof *all->links);
    for (size_t k = 0; k < p->link_count; ++k) {
        hemc_link link = p->links[k];
        link.a += base;
        link.b += base;
        all->links[all->link_count++] = link;
    }
}

// -- Stitching

// `along` becomes the direction of the border, zero where it has none (corners, roots, scattered points).
static void find_borders(hemc_arena* arena, const hemc_part_recipe* part, const hemc_particles* p, uint8_t* border,
                         hemc_d3* along) {
    if (part->generator == HEMC_SCATTER) {
        memcpy(border, p->border, p->count);
        return;
    }
    uint8_t(*degree)[2] = hemc_alloc(arena, (size_t)p->count + 1, sizeof *degree);
    for (size_t k = 0; k < p->link_count; ++k) {
        int kind = p->links[k].kind == HEM_LINK_WARP ? 0 : p->links[k].kind == HEM_LINK_WEFT ? 1 : -1;
        for (int side = 0; side < 2 && kind >= 0; ++side) {
            uint8_t* d = &degree[side ? p->links[k].b : p->links[k].a][kind];
            *d = *d < 2 ? (uint8_t)(*d + 1) : *d;
        }
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        border[i] = part->generator == HEMC_STRANDS ? p->level[i] == 0 : degree[i][0] < 2 || degree[i][1] < 2;
    }
    for (size_t k = 0; k < p->link_count && part->generator != HEMC_STRANDS; ++k) {
        int kind = p->links[k].kind == HEM_LINK_WARP ? 0 : p->links[k].kind == HEM_LINK_WEFT ? 1 : -1;
        for (int side = 0; side < 2 && kind >= 0; ++side) {
            uint32_t i = side ? p->links[k].b : p->links[k].a, j = side ? p->links[k].a : p->links[k].b;
            // Warp is missing: the border runs along the weft, and the other way round.
            if (degree[i][1 - kind] < 2 && degree[i][kind] == 2) {
                hemc_d3 d = d3_sub(d3_from(p->positions[j]), d3_from(p->positions[i]));
                along[i] = d3_dot(along[i], d) < 0.0 ? d3_sub(along[i], d) : d3_add(along[i], d);
            }
        }
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        along[i] = d3_unit(along[i], d3(0, 0, 0));
    }
}

static bool alongside(hemc_d3 a, hemc_d3 b) {
    double dot = d3_dot(a, b);
    return d3_dot(a, a) == 0.0 || d3_dot(b, b) == 0.0 || dot > 0.5 || dot < -0.5;
}

static bool may_stitch(const hemc_part_recipe* a, const hemc_part_recipe* b) {
    return a->stitch && b->stitch &&
           (a->stitch_with == NULL || names_part(a->stitch_with, a->stitch_with_count, b->name)) &&
           (b->stitch_with == NULL || names_part(b->stitch_with, b->stitch_with_count, a->name));
}

typedef struct stitch {
    uint32_t a, b;
} stitch;

static void stitch_parts(hemc_arena* arena, const hemc_recipe* recipe, const hemc_particles* parts, hemc_mesh* mesh) {
    uint32_t n = recipe->part_count;
    hemc_particles* all = &mesh->all;
    uint8_t* border = hemc_alloc(arena, (size_t)all->count + 1, sizeof *border);
    hemc_d3* along = hemc_alloc(arena, (size_t)all->count + 1, sizeof *along);
    hemc_kd* trees = hemc_alloc(arena, (size_t)n + 1, sizeof *trees);
    for (uint32_t k = 0; k < n; ++k) {
        find_borders(arena, &recipe->parts[k], &parts[k], border + mesh->part_begin[k], along + mesh->part_begin[k]);
        hemc_kd_build(arena, &trees[k], parts[k].positions, parts[k].count);
    }
    stitch* pairs = NULL;
    hemc_sort_item* order = NULL;
    size_t count = 0, pair_capacity = 0, order_capacity = 0;
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t j = i + 1; j < n; ++j) {
            if (!may_stitch(&recipe->parts[i], &recipe->parts[j]) || parts[i].count == 0 || parts[j].count == 0) {
                continue;
            }
            double reach = parts[i].spacing < parts[j].spacing ? parts[i].spacing : parts[j].spacing;
            for (uint32_t k = 0; k < parts[i].count; ++k) {
                uint32_t a = mesh->part_begin[i] + k;
                hemc_near near[4];
                uint32_t found =
                    border[a] ? hemc_kd_near(&trees[j], d3_from(parts[i].positions[k]), reach, 4, near) : 0;
                for (uint32_t m = 0; m < found; ++m) {
                    uint32_t b = mesh->part_begin[j] + near[m].index;
                    if (!border[b] || !alongside(along[a], along[b]) ||
                        (all->flags[a] & all->flags[b] & HEM_PARTICLE_ANIMATED)) {
                        continue;
                    }
                    pairs = hemc_grow(arena, pairs, &pair_capacity, count + 1, sizeof *pairs);
                    order = hemc_grow(arena, order, &order_capacity, count + 1, sizeof *order);
                    pairs[count].a = a;
                    pairs[count].b = b;
                    order[count].key = near[m].distance;
                    order[count].index = (uint32_t)count;
                    ++count;
                }
            }
        }
    }
    hemc_sort_items(arena, order, count);
    uint8_t* used = hemc_alloc(arena, (size_t)all->count + 1, sizeof *used);
    for (size_t k = 0; k < count; ++k) {
        stitch s = pairs[order[k].index];
        if (used[s.a] < STITCH_LIMIT && used[s.b] < STITCH_LIMIT) {
            ++used[s.a];
            ++used[s.b];
            hemc_particles_link(arena, all, s.a, s.b, HEM_LINK_STITCH);
        }
    }
}

// Pieces that neither follow the skeleton nor hang on something that does would fall off the character.
static void warn_of_loose_pieces(hemc_arena* arena, hemc_log* log, const char* file, const hemc_recipe* recipe,
                                 const hemc_mesh* mesh) {
    const hemc_particles* all = &mesh->all;
    uint32_t* roots = hemc_alloc(arena, (size_t)all->count + 1, sizeof *roots);
    uint8_t* held = hemc_alloc(arena, (size_t)all->count + 1, sizeof *held);
    for (uint32_t i = 0; i < all->count; ++i) {
        roots[i] = i;
    }
    for (size_t k = 0; k < all->link_count; ++k) {
        uint32_t a = hemc_root_of(roots, all->links[k].a), b = hemc_root_of(roots, all->links[k].b);
        roots[a > b ? a : b] = a > b ? b : a;
    }
    for (uint32_t i = 0; i < all->count; ++i) {
        held[hemc_root_of(roots, i)] |= (all->flags[i] & HEM_PARTICLE_ANIMATED) != 0;
    }
    for (uint32_t k = 0; k < recipe->part_count; ++k) {
        const hemc_part_recipe* part = &recipe->parts[k];
        uint32_t pieces = 0, loose = 0, first = 0;
        for (uint32_t i = mesh->part_begin[k]; i < mesh->part_begin[k + 1]; ++i) {
            if (hemc_root_of(roots, i) == i) {
                ++pieces;
                first = held[i] || loose != 0 ? first : i;
                loose += !held[i];
            }
        }
        // A part with nothing attached at all was meant so, or has been warned of already.
        if (loose != 0 && loose < pieces && !part->attach.none) {
            hemc_vec3 p = all->positions[first];
            hemc_warn(log, part->file != NULL ? part->file : file, part->json_path,
                      "%u of %u pieces of part \"%s\" hold on to nothing and will fall, one at (%d, %d, %d) mm: attach "
                      "them, or leave them out of \"select\"",
                      loose, pieces, part->name, (int)(p.x * 1000.0f), (int)(p.y * 1000.0f), (int)(p.z * 1000.0f));
        }
    }
}

bool hemc_assemble(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
                   const hemc_particles* parts, const hemc_particles* body, hemc_mesh* mesh) {
    memset(mesh, 0, sizeof *mesh);
    const char* file = model ? model->path : "";
    bool has_body = body != NULL && body->count > 0;
    uint32_t n = recipe->part_count + (has_body ? 1 : 0);
    if (n > HEM_MAX_PARTS) {
        return hemc_error(log, HEMC_INPUT, file, "/parts", "%u parts with the body; an asset holds at most %d", n,
                          HEM_MAX_PARTS);
    }
    uint64_t total = has_body ? body->count : 0;
    for (uint32_t k = 0; k < recipe->part_count; ++k) {
        total += parts[k].count;
    }
    if (total > HEM_MAX_PARTICLES) {
        return hemc_error(log, HEMC_INPUT, file, "/parts",
                          "%llu particles in all; an asset holds at most %d: give larger spacings",
                          (unsigned long long)total, HEM_MAX_PARTICLES);
    }
    mesh->part_count = n;
    mesh->part_names = hemc_alloc(arena, (size_t)n + 1, sizeof *mesh->part_names);
    mesh->part_kinds = hemc_alloc(arena, (size_t)n + 1, sizeof *mesh->part_kinds);
    mesh->part_animations = hemc_alloc(arena, (size_t)n + 1, sizeof *mesh->part_animations);
    mesh->part_tunings = hemc_alloc(arena, (size_t)n + 1, sizeof *mesh->part_tunings);
    mesh->part_fabrics = hemc_alloc(arena, (size_t)n + 1, sizeof *mesh->part_fabrics);
    mesh->collision_groups = hemc_alloc(arena, (size_t)n + 1, sizeof *mesh->collision_groups);
    mesh->collision_masks = hemc_alloc(arena, (size_t)n + 1, sizeof *mesh->collision_masks);
    mesh->part_begin = hemc_alloc(arena, (size_t)n + 1, sizeof *mesh->part_begin);
    for (uint32_t k = 0; k < n; ++k) {
        bool is_body = k == recipe->part_count;
        const hemc_particles* p = is_body ? body : &parts[k];
        mesh->part_begin[k] = mesh->all.count;
        append(arena, &mesh->all, p);
        mesh->part_begin[k + 1] = mesh->all.count;
        mesh->part_animations[k] = HEM_ANIMATE_DIRECT;
        if (is_body) {
            mesh->part_names[k] = "body";
            mesh->part_kinds[k] = HEM_PART_BODY;
            // Nothing of a body is simulated; friction is what contacts read.
            mesh->part_tunings[k].friction = recipe->body.friction;
            mesh->part_tunings[k].iterations = 1;
            mesh->part_tunings[k].gravity_scale = 1.0f;
            mesh->part_tunings[k].max_speed = 30.0f;
            continue;
        }
        const hemc_part_recipe* part = &recipe->parts[k];
        mesh->part_names[k] = part->name;
        mesh->part_kinds[k] = part->kind;
        mesh->part_animations[k] = part->animation;
        mesh->part_tunings[k] = part->tuning;
        if (part->virtual_particles != HEMC_VIRTUAL_NONE) {
            mesh->part_virtual = mesh->part_virtual != NULL ? mesh->part_virtual : hemc_alloc(arena, n, 1);
            mesh->part_virtual[k] = (uint8_t)part->virtual_particles;
        }
        mesh->part_fabrics[k] = part->fabric;
        mesh->part_fabrics[k].density = part->density;
        if (p->lattice != NULL) {
            mesh->part_lattices =
                mesh->part_lattices != NULL ? mesh->part_lattices : hemc_alloc(arena, n, sizeof *mesh->part_lattices);
            mesh->part_lattices[k] = p->lattice;
        }
        if (part->fabric.triangles) {
            hemc_fabric_tuning(&part->fabric, (double)part->density, (double)p->spacing, &mesh->part_tunings[k]);
        }
        mesh->part_tunings[k].self_thickness = part->self_thickness > 0.0f ? part->self_thickness : 0.6f * p->spacing;
        const float touching = part->radius > 0.0f ? part->radius : CONTACT_RADIUS * p->spacing;
        mesh->part_tunings[k].contact_radius = part->contact_radius > 0.0f ? part->contact_radius : touching;
        mesh->all.spacing = k == 0 || p->spacing < mesh->all.spacing ? p->spacing : mesh->all.spacing;
        mesh->all.radius = p->radius > mesh->all.radius ? p->radius : mesh->all.radius;
        mesh->all.level_count = p->level_count > mesh->all.level_count ? p->level_count : mesh->all.level_count;
    }
    make_masks(recipe, has_body, mesh);
    hemc_layers_find(arena, recipe, mesh);
    stitch_parts(arena, recipe, parts, mesh);
    warn_of_loose_pieces(arena, log, file, recipe, mesh);
    return true;
}
