// SPDX-License-Identifier: MIT
#include "compiler/hemc.h"

#include "compiler/graph.h"

#include <stdlib.h>
#include <string.h>

// A particle mesh without a character: sheets and blocks for benchmarks and tests. The caller gives particles and links as
// they are; rest lengths, frames, rest overlaps, lanes and bytes are made by the stages that make real assets.

static hem_tuning bare_tuning(const hemc_bare_mesh* bare) {
    hem_tuning t = {0};
    for (int k = 0; k < 8; ++k) {
        t.stiffness[k] = 1;
    }
    t.shape_stiffness = 1;
    t.gravity_scale = 1;
    t.damping = bare->damping;
    t.angular_damping = bare->damping;
    t.friction = bare->friction;
    t.self_thickness = bare->self_thickness;
    t.max_speed = 1000;
    t.linear_inertia = 1;
    t.angular_inertia = 1;
    t.solver = HEM_SOLVER_XPBD;
    t.iterations = 1;
    return t;
}

static bool check_bare(hemc_log* log, const hemc_bare_mesh* bare) {
    if (bare->particle_count == 0 || bare->particle_count > HEM_MAX_PARTICLES) {
        return hemc_error(log, HEMC_INPUT, "", "particle_count", "%u particles; 1 to %d are possible",
                          bare->particle_count, HEM_MAX_PARTICLES);
    }
    if (!(bare->radius > 0) || !(bare->radius < 1e6f)) {
        return hemc_error(log, HEMC_INPUT, "", "radius", "the radius must be positive");
    }
    for (uint32_t i = 0; i < bare->particle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (!(bare->positions[i][k] > -1e6f && bare->positions[i][k] < 1e6f)) {
                return hemc_error(log, HEMC_INPUT, "", "positions", "particle %u is not anywhere near the origin", i);
            }
        }
        if (bare->mass != NULL && !(bare->mass[i] >= 1e-6f && bare->mass[i] <= 1e3f)) {
            return hemc_error(log, HEMC_INPUT, "", "mass", "the mass of particle %u must be from 1 mg to 1 t", i);
        }
    }
    for (size_t i = 0; i < bare->link_count; ++i) {
        const hemc_bare_link* l = &bare->links[i];
        if (l->a >= bare->particle_count || l->b >= bare->particle_count || l->kind >= HEM_LINK_STITCH) {
            return hemc_error(log, HEMC_INPUT, "", "links", "link %zu names a particle or a kind that does not exist",
                              i);
        }
    }
    if (bare->group_starts != NULL) {
        for (uint32_t i = 0; i < bare->particle_count; ++i) {
            if (bare->group_starts[i + 1] < bare->group_starts[i] || bare->group_starts[0] != 0 ||
                bare->group_starts[i + 1] - bare->group_starts[i] >= HEM_MAX_GROUP_MEMBERS) {
                return hemc_error(log, HEMC_INPUT, "", "group_starts", "group %u has a negative or too large size", i);
            }
        }
        for (uint32_t k = 0; k < bare->group_starts[bare->particle_count]; ++k) {
            if (bare->group_members[k] >= bare->particle_count) {
                return hemc_error(log, HEMC_INPUT, "", "group_members", "member %u is no particle", k);
            }
        }
    }
    return true;
}

static void fill_particles(hemc_arena* arena, const hemc_bare_mesh* bare, hemc_mesh* mesh) {
    const uint32_t count = bare->particle_count;
    hemc_particles* p = &mesh->all;
    p->count = p->capacity = count;
    p->spacing = 2 * bare->radius;
    p->radius = bare->radius;
    p->positions = hemc_alloc(arena, count, sizeof(hemc_vec3));
    p->normals = hemc_alloc(arena, count, sizeof(hemc_vec3));
    p->level = hemc_alloc(arena, count, sizeof(int32_t));
    p->chain = hemc_alloc(arena, count, sizeof(int32_t));
    p->flags = hemc_alloc(arena, count, 1);
    p->rotation = hemc_alloc(arena, count, sizeof(*p->rotation));
    p->radii = hemc_alloc(arena, count, sizeof(*p->radii));
    p->mass = hemc_alloc(arena, count, sizeof(float));
    p->stiffness = hemc_alloc(arena, count, sizeof(float));
    p->max_distance = hemc_alloc(arena, count, sizeof(float));
    p->backstop = hemc_alloc(arena, count, sizeof(float));
    mesh->skinning.particle_bone = hemc_alloc(arena, count, sizeof(*mesh->skinning.particle_bone));
    mesh->skinning.particle_bone_weight = hemc_alloc(arena, count, sizeof(*mesh->skinning.particle_bone_weight));
    for (uint32_t i = 0; i < count; ++i) {
        p->positions[i] = (hemc_vec3){bare->positions[i][0], bare->positions[i][1], bare->positions[i][2]};
        p->level[i] = bare->level != NULL ? bare->level[i] : 0;
        p->chain[i] = bare->chain != NULL ? bare->chain[i] : 0;
        p->flags[i] = HEM_PARTICLE_COLLIDES;
        if (bare->animated != NULL && bare->animated[i] != 0) {
            p->flags[i] |= HEM_PARTICLE_ANIMATED;
        }
        p->rotation[i][3] = 1;
        p->radii[i][0] = p->radii[i][1] = p->radii[i][2] = bare->radius;
        p->mass[i] = bare->mass != NULL ? bare->mass[i] : 0.01f;
        p->stiffness[i] = 1;
        p->max_distance[i] = -1;
        p->backstop[i] = -1;
        mesh->skinning.particle_bone_weight[i][0] = 1;
    }
    p->links = hemc_alloc(arena, bare->link_count, sizeof(hemc_link));
    for (size_t i = 0; i < bare->link_count; ++i) {
        p->links[i] =
            (hemc_link){.a = bare->links[i].a, .b = bare->links[i].b, .kind = bare->links[i].kind, .scale = 1};
    }
    p->link_count = p->link_capacity = bare->link_count;
}

static bool compile(hemc_arena* arena, hemc_log* log, const hemc_bare_mesh* bare, uint8_t** bytes, size_t* size) {
    if (!check_bare(log, bare)) {
        return false;
    }
    static const char* name = "bare";
    hem_part_kind kind = bare->group_starts != NULL ? HEM_PART_SOFT : HEM_PART_CLOTH;
    hem_animation_mode animation = HEM_ANIMATE_DIRECT;
    hem_tuning tuning = bare_tuning(bare);
    uint32_t group = 1, mask = bare->self_collision ? 1 : 0;
    uint32_t part_begin[2] = {0, bare->particle_count};
    hemc_mesh mesh = {
        .part_count = 1,
        .part_names = &name,
        .part_kinds = &kind,
        .part_animations = &animation,
        .part_tunings = &tuning,
        .collision_groups = &group,
        .collision_masks = &mask,
        .part_begin = part_begin,
    };
    fill_particles(arena, bare, &mesh);
    mesh.links = mesh.all.links;
    mesh.link_count = mesh.all.link_count;
    hemc_links_clean(arena, &mesh);
    hemc_links_measure(&mesh);
    // Tethers come without a length along the mesh: the straight one is the least they can have.
    for (size_t i = 0; i < mesh.link_count; ++i) {
        if (mesh.links[i].kind == HEM_LINK_TETHER) {
            mesh.links[i].rest = hemc_rest_distance(&mesh, mesh.links[i].a, mesh.links[i].b);
        }
    }
    mesh.group_starts = hemc_alloc(arena, (size_t)bare->particle_count + 1, sizeof(uint32_t));
    if (bare->group_starts != NULL) {
        const uint32_t member_count = bare->group_starts[bare->particle_count];
        memcpy(mesh.group_starts, bare->group_starts, ((size_t)bare->particle_count + 1) * sizeof(uint32_t));
        mesh.group_members = hemc_alloc(arena, member_count, sizeof(uint16_t));
        if (member_count != 0) {
            memcpy(mesh.group_members, bare->group_members, member_count * sizeof(uint16_t));
        }
    }
    hemc_frames_make(arena, &mesh);
    hemc_ignore_make(arena, &mesh);
    hemc_layout layout;
    return hemc_lanes(arena, log, &mesh, &layout) &&
           hemc_pack(arena, log, NULL, NULL, &mesh, &layout, NULL, NULL, bytes, size);
}

int hemc_compile_bare(const hemc_bare_mesh* bare, uint8_t** bytes, size_t* size) {
    *bytes = NULL;
    *size = 0;
    hemc_arena* arena = hemc_arena_create();
    if (arena == NULL) {
        return HEMC_INTERNAL;
    }
    hemc_log log = {.arena = arena};
    if (setjmp(*hemc_arena_guard(arena)) != 0) {
        hemc_arena_destroy(arena);
        return HEMC_INTERNAL;
    }
    uint8_t* packed;
    size_t packed_size;
    int result = HEMC_OK;
    if (compile(arena, &log, bare, &packed, &packed_size)) {
        // The arena goes; the size is a multiple of the alignment, as aligned_alloc wants it.
        *bytes = aligned_alloc(HEM_ALIGNMENT, packed_size);
        if (*bytes != NULL) {
            memcpy(*bytes, packed, packed_size);
            *size = packed_size;
        }
        result = *bytes != NULL ? HEMC_OK : HEMC_INTERNAL;
    } else {
        result = log.exit_code;
    }
    hemc_arena_destroy(arena);
    return result;
}
