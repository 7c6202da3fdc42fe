// SPDX-License-Identifier: MIT
#include "compiler/hemc.h"

#include "compiler/graph/fabric.h"
#include "compiler/graph/graph.h"
#include "compiler/recipe/recipe.h"
#include "compiler/shape/tears.h"

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
    t.collision_thickness = bare->thickness;
    t.max_speed = 1000;
    t.drive_damping = bare->drive != NULL ? 1.0f : 0.0f;
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
    uint32_t in_parts = bare->parts == NULL ? bare->particle_count : 0;
    for (uint32_t i = 0; bare->parts != NULL && i < bare->part_count; ++i) {
        const hemc_bare_part* part = &bare->parts[i];
        if (part->particle_count == 0 || part->particle_count > bare->particle_count - in_parts ||
            part->kind > HEM_PART_BODY || !(part->radius > 0 && part->radius < 1e6f)) {
            return hemc_error(log, HEMC_INPUT, "", "parts", "part %u has no particles, kind or radius that it may have",
                              i);
        }
        in_parts += part->particle_count;
    }
    if (in_parts != bare->particle_count) {
        return hemc_error(log, HEMC_INPUT, "", "parts", "the parts have %u of %u particles", in_parts,
                          bare->particle_count);
    }
    for (size_t i = 0; i < bare->link_count; ++i) {
        const hemc_bare_link* l = &bare->links[i];
        if (l->a >= bare->particle_count || l->b >= bare->particle_count || l->kind >= HEM_LINK_KIND_COUNT) {
            return hemc_error(log, HEMC_INPUT, "", "links", "link %zu names a particle or a kind that does not exist",
                              i);
        }
    }
    for (size_t i = 0; i < bare->spring_count; ++i) {
        const hemc_bare_spring* s = &bare->springs[i];
        if (s->a >= bare->particle_count || s->b >= bare->particle_count || s->a == s->b || !(s->stiffness > 0)) {
            return hemc_error(log, HEMC_INPUT, "", "springs", "spring %zu has no two particles or no stiffness", i);
        }
        if (bare->animated != NULL && bare->animated[s->a] && bare->animated[s->b]) {
            return hemc_error(log, HEMC_INPUT, "", "springs", "spring %zu joins two particles that never give way", i);
        }
    }
    for (uint32_t i = 0; bare->lattice != NULL && i < 8 * bare->lattice->cell_count; ++i) {
        if (bare->lattice->corners[i / 8][i % 8] >= bare->particle_count) {
            return hemc_error(log, HEMC_INPUT, "", "lattice", "cell %u has a corner that is no particle", i / 8);
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

static void fill_part(const hemc_bare_part* part, uint32_t first, hemc_particles* p) {
    for (uint32_t i = first; i < first + part->particle_count; ++i) {
        p->radii[i][0] = p->radii[i][1] = p->radii[i][2] = part->radius;
        if (part->kind == HEM_PART_BODY) {
            p->flags[i] |= HEM_PARTICLE_ANIMATED | HEM_PARTICLE_BODY;
        }
    }
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
    p->column = hemc_alloc(arena, count, sizeof(int32_t));
    p->flags = hemc_alloc(arena, count, 1);
    p->rotation = hemc_alloc(arena, count, sizeof(*p->rotation));
    p->radii = hemc_alloc(arena, count, sizeof(*p->radii));
    p->mass = hemc_alloc(arena, count, sizeof(float));
    p->area = hemc_alloc(arena, count, sizeof(float));
    p->stiffness = hemc_alloc(arena, count, sizeof(float));
    p->max_distance = hemc_alloc(arena, count, sizeof(float));
    p->backstop = hemc_alloc(arena, count, sizeof(float));
    p->drive = hemc_alloc(arena, count, sizeof(float));
    p->maps = hemc_alloc(arena, count, sizeof *p->maps);
    mesh->skinning.particle_bone = hemc_alloc(arena, count, sizeof(*mesh->skinning.particle_bone));
    mesh->skinning.particle_bone_weight = hemc_alloc(arena, count, sizeof(*mesh->skinning.particle_bone_weight));
    for (uint32_t i = 0; i < count; ++i) {
        p->positions[i] = (hemc_vec3){bare->positions[i][0], bare->positions[i][1], bare->positions[i][2]};
        p->level[i] = bare->level != NULL ? bare->level[i] : 0;
        p->column[i] = bare->column != NULL ? bare->column[i] : 0;
        p->flags[i] = HEM_PARTICLE_COLLIDES;
        if (bare->animated != NULL && bare->animated[i] != 0) {
            p->flags[i] |= HEM_PARTICLE_ANIMATED;
        }
        p->rotation[i][3] = 1;
        p->mass[i] = bare->mass != NULL ? bare->mass[i] : 0.01f;
        p->area[i] = bare->area != NULL ? bare->area[i] : 4 * bare->radius * bare->radius;
        p->stiffness[i] = 1;
        p->max_distance[i] = bare->max_distance != NULL ? bare->max_distance[i] : -1;
        p->backstop[i] = bare->backstop != NULL ? bare->backstop[i] : -1;
        p->drive[i] = bare->drive != NULL ? bare->drive[i] : -1;
        for (int k = 0; k < HEMC_MAP_COUNT; ++k) {
            p->maps[i][k] = bare->maps != NULL ? bare->maps[i][k] : 1;
        }
        mesh->skinning.particle_bone_weight[i][0] = 1;
    }
    p->links = hemc_alloc(arena, bare->link_count, sizeof(hemc_link));
    for (size_t i = 0; i < bare->link_count; ++i) {
        p->links[i] =
            (hemc_link){.a = bare->links[i].a, .b = bare->links[i].b, .kind = bare->links[i].kind, .scale = 1};
    }
    p->link_count = p->link_capacity = bare->link_count;
}

static void make_parts(hemc_arena* arena, const hemc_bare_mesh* bare, hemc_mesh* mesh) {
    const hemc_bare_part only = {.kind = bare->group_starts != NULL || bare->lattice != NULL ? HEM_PART_SOFT
                                                                                             : HEM_PART_CLOTH,
                                 .particle_count = bare->particle_count,
                                 .radius = bare->radius,
                                 .collision_group = 1,
                                 .collision_mask = bare->self_collision ? 1 : 0};
    const hemc_bare_part* parts = bare->parts != NULL ? bare->parts : &only;
    const uint32_t count = bare->parts != NULL ? bare->part_count : 1;
    mesh->part_count = count;
    mesh->part_names = hemc_alloc(arena, count, sizeof(*mesh->part_names));
    mesh->part_kinds = hemc_alloc(arena, count, sizeof(*mesh->part_kinds));
    mesh->part_animations = hemc_alloc(arena, count, sizeof(*mesh->part_animations)); // all direct
    mesh->part_tunings = hemc_alloc(arena, count, sizeof(*mesh->part_tunings));
    mesh->collision_groups = hemc_alloc(arena, count, sizeof(uint32_t));
    mesh->collision_masks = hemc_alloc(arena, count, sizeof(uint32_t));
    mesh->part_begin = hemc_alloc(arena, (size_t)count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < count; ++i) {
        mesh->part_names[i] = count == 1 ? "bare" : hemc_format(arena, "bare%u", i);
        mesh->part_kinds[i] = (hem_part_kind)parts[i].kind;
        mesh->part_tunings[i] = bare_tuning(bare);
        mesh->collision_groups[i] = parts[i].collision_group;
        mesh->collision_masks[i] = parts[i].collision_mask;
        mesh->part_begin[i + 1] = mesh->part_begin[i] + parts[i].particle_count;
        fill_part(&parts[i], mesh->part_begin[i], &mesh->all);
    }
}

static void make_strands(hemc_arena* arena, const hemc_bare_rods* from, hemc_mesh* mesh) {
    const uint32_t total = from->starts[from->strand_count];
    const hemc_rod_recipe recipe = {
        .bend = from->bend, .twist = from->twist, .taper = from->taper, .sag_free = from->sag_free != 0};
    mesh->strand_count = from->strand_count;
    mesh->strand_starts = hemc_alloc(arena, (size_t)from->strand_count + 1, sizeof(uint32_t));
    mesh->strand_members = hemc_alloc(arena, total, sizeof(uint32_t));
    mesh->strand_kinds = hemc_alloc(arena, from->strand_count, 1);
    mesh->rods = hemc_alloc(arena, total, sizeof(hemc_rod));
    memcpy(mesh->strand_starts, from->starts, ((size_t)from->strand_count + 1) * sizeof(uint32_t));
    memcpy(mesh->strand_members, from->members, total * sizeof(uint32_t));
    for (uint32_t s = 0; s < from->strand_count; ++s) {
        uint32_t soft = 0;
        mesh->strand_kinds[s] = from->chains ? HEMC_STRANDS_CHAINS : HEMC_STRANDS_RODS;
        hemc_rods_fill(mesh, s, &recipe, 9.81, &soft);
    }
    for (uint32_t i = 0; from->turns != NULL && i < total; ++i) {
        memcpy(mesh->rods[i].turn, from->turns[i], sizeof mesh->rods[i].turn);
    }
    for (uint32_t i = 0; i < mesh->part_count; ++i) {
        mesh->part_tunings[i].rod_stiffness = 1;
    }
}

static void make_lattice(hemc_arena* arena, const hemc_bare_lattice* from, hemc_mesh* mesh) {
    hemc_lattice* l = hemc_alloc(arena, 1, sizeof(hemc_lattice));
    mesh->part_lattices = hemc_alloc(arena, mesh->part_count, sizeof(hemc_lattice*));
    mesh->part_lattices[0] = l;
    l->cell_count = from->cell_count;
    l->cells = hemc_alloc(arena, from->cell_count, sizeof(*l->cells));
    l->corners = hemc_alloc(arena, from->cell_count, sizeof(*l->corners));
    memcpy(l->cells, from->cells, from->cell_count * sizeof(*l->cells));
    memcpy(l->corners, from->corners, from->cell_count * sizeof(*l->corners));
    l->indices = hemc_alloc(arena, mesh->all.count, sizeof(*l->indices));
    for (uint32_t c = 0; c < from->cell_count; ++c) {
        for (int k = 0; k < 8; ++k) {
            for (int axis = 0; axis < 3; ++axis) {
                l->indices[from->corners[c][k]][axis] = from->cells[c][axis] + (k >> axis & 1);
            }
        }
    }
    l->clip_count = from->clip_count;
    l->clips = hemc_alloc(arena, from->clip_count, sizeof(hemc_lattice_clip));
    for (uint32_t i = 0; i < from->clip_count; ++i) {
        const hemc_bare_lattice_clip* clip = &from->clips[i];
        const size_t places = (size_t)clip->key_count * mesh->all.count;
        hemc_lattice_clip* to = &l->clips[i];
        to->name = clip->name;
        to->interpolates = clip->interpolates;
        to->loops = clip->loops;
        to->key_count = clip->key_count;
        to->seconds = hemc_alloc(arena, clip->key_count, sizeof(float));
        to->places = hemc_alloc(arena, places, sizeof(hemc_vec3));
        memcpy(to->seconds, clip->seconds, clip->key_count * sizeof(float));
        for (size_t k = 0; k < places; ++k) {
            to->places[k] = (hemc_vec3){clip->places[k][0], clip->places[k][1], clip->places[k][2]};
        }
    }
    memcpy(l->size, from->size, sizeof(l->size));
    memcpy(l->origin, from->origin, sizeof(l->origin));
    memcpy(l->spacing, from->spacing, sizeof(l->spacing));
    mesh->part_tunings[0].region_alpha = from->alpha;
    mesh->part_tunings[0].region_damping = from->damping;
    mesh->part_tunings[0].region_width = from->width;
    mesh->part_tunings[0].solid_young = from->young;
    mesh->part_tunings[0].solid_poisson = from->poisson;
    if (from->reserve != 0) {
        l->spare_count = from->reserve;
        hemc_tear_faces(arena, l);
    }
}

static bool compile(hemc_arena* arena, hemc_log* log, const hemc_bare_mesh* bare, uint8_t** bytes, size_t* size) {
    if (!check_bare(log, bare)) {
        return false;
    }
    hemc_mesh mesh = {0};
    fill_particles(arena, bare, &mesh);
    make_parts(arena, bare, &mesh);
    mesh.links = mesh.all.links;
    mesh.link_count = mesh.all.link_count;
    hemc_links_clean(arena, &mesh);
    hemc_links_measure(&mesh);
    // Tethers come without a length along the mesh: the straight one is the least they can have.
    for (size_t i = 0; i < mesh.link_count; ++i) {
        if (hem_kind_in(mesh.links[i].kind, HEM_KINDS_PULLS)) {
            mesh.links[i].rest = hemc_rest_distance(&mesh, mesh.links[i].a, mesh.links[i].b);
        }
    }
    if (bare->material != NULL) {
        mesh.part_fabrics = hemc_alloc(arena, mesh.part_count, sizeof(hemc_fabric));
        for (uint32_t i = 0; i < mesh.part_count; ++i) {
            hemc_fabric* f = &mesh.part_fabrics[i];
            *f = hemc_fabric_of(bare->material);
            f->triangles = mesh.part_kinds[i] == HEM_PART_CLOTH;
            f->bending = bare->isometric ? HEMC_BEND_ISOMETRIC : HEMC_BEND_DIHEDRAL;
            f->bending = bare->material->bending_length > 0.0f ? f->bending : HEMC_BEND_LINKS;
            if (f->triangles) {
                hemc_fabric_tuning(f, (double)f->density, 2.0 * (double)bare->radius, &mesh.part_tunings[i]);
            }
        }
        hemc_fabric_make(arena, &mesh);
    }
    mesh.springs = hemc_alloc(arena, bare->spring_count, sizeof(hemc_spring));
    mesh.spring_count = bare->spring_count;
    for (size_t i = 0; i < bare->spring_count; ++i) {
        const hemc_bare_spring* s = &bare->springs[i];
        const float rest = s->rest >= 0 ? s->rest : hemc_rest_distance(&mesh, s->a, s->b);
        mesh.springs[i] = (hemc_spring){s->a, s->b, rest, s->stiffness, s->damping};
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
    if (bare->rods != NULL) {
        make_strands(arena, bare->rods, &mesh);
    }
    if (bare->fullness > 0) {
        mesh.part_fullness = hemc_alloc(arena, mesh.part_count, sizeof(float));
        for (uint32_t i = 0; i < mesh.part_count; ++i) {
            mesh.part_fullness[i] = mesh.part_kinds[i] == HEM_PART_SOFT ? bare->fullness : 0;
        }
        hemc_fullness_make(arena, &mesh);
    }
    if (bare->lattice != NULL) {
        make_lattice(arena, bare->lattice, &mesh);
        hemc_solids(arena, &mesh);
    }
    if (bare->virtual_particles != 0) {
        mesh.part_virtual = hemc_alloc(arena, mesh.part_count, 1);
        memset(mesh.part_virtual, bare->virtual_particles, mesh.part_count);
        hemc_virtual_make(arena, &mesh);
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
        return HEMC_MEMORY;
    }
    hemc_log log = {.arena = arena};
    if (setjmp(*hemc_arena_guard(arena)) != 0) {
        hemc_arena_destroy(arena);
        return HEMC_MEMORY;
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
        result = *bytes != NULL ? HEMC_OK : HEMC_MEMORY;
    } else {
        result = log.exit_code;
    }
    hemc_arena_destroy(arena);
    return result;
}
