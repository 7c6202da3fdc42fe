// SPDX-License-Identifier: MIT
#include "compiler/pack/pack.h"

#include "compiler/graph/graph.h"

#include <math.h>
#include <string.h>

// Parts and particles, renumbered by the layout. Lanes without a particle repeat the first real lane of their row.

#define SLEEP_SPACINGS 0.2f // a second: what moves more slowly rests, as far as anybody sees at that size

// What a part's spacing came out as: the mean length of its structural links, or of its particles' widths.
static float part_spacing(const hemc_mesh* mesh, uint32_t part) {
    const uint32_t begin = mesh->part_begin[part], end = mesh->part_begin[part + 1];
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < mesh->link_count; ++i) {
        const hemc_link* l = &mesh->links[i];
        if (l->a >= begin && l->a < end && l->b >= begin && l->b < end && hem_kind_in(l->kind, HEM_KINDS_WEAVE)) {
            sum += l->rest;
            ++count;
        }
    }
    if (sum <= 0) {
        count = 0;
        for (uint32_t i = begin; i < end; ++i) {
            const float* r = mesh->all.radii[i];
            sum += 2.0 * fmaxf(fmaxf(r[0], r[1]), r[2]);
            ++count;
        }
    }
    return count != 0 ? fmaxf((float)(sum / (double)count), 1e-6f) : 1e-6f;
}

static uint32_t part_levels(const hemc_mesh* mesh, uint32_t part) {
    int32_t highest = -1;
    for (uint32_t i = mesh->part_begin[part]; i < mesh->part_begin[part + 1]; ++i) {
        highest = mesh->all.level[i] > highest ? mesh->all.level[i] : highest;
    }
    return (uint32_t)(highest + 1);
}

static bool has_sunk(const hemc_mesh* mesh, uint32_t part) {
    bool sunk = false;
    for (uint32_t i = mesh->part_begin[part]; i < mesh->part_begin[part + 1]; ++i) {
        sunk |= (mesh->all.flags[i] & HEM_PARTICLE_COLLIDES) == 0;
    }
    return sunk && mesh->part_lattices != NULL && mesh->part_lattices[part] != NULL;
}

void hemc_pack_parts(hemc_packer* p) {
    const hemc_mesh* mesh = p->mesh;
    hem_part* parts = hemc_alloc(p->arena, mesh->part_count, sizeof(hem_part));
    hem_tuning* tuning = hemc_alloc(p->arena, mesh->part_count, sizeof(hem_tuning));
    for (uint32_t i = 0; i < mesh->part_count; ++i) {
        const uint32_t part = p->layout->part_order[i];
        parts[i] = p->layout->parts[i];
        parts[i].name_offset = hemc_pack_string(&p->strings, mesh->part_names[part]);
        parts[i].kind = (uint32_t)mesh->part_kinds[part];
        parts[i].animation = (uint32_t)mesh->part_animations[part];
        parts[i].flags = has_sunk(mesh, part) ? HEM_PART_SUNK : 0;
        parts[i].collision_group = mesh->collision_groups[part];
        parts[i].collision_mask = mesh->collision_masks[part];
        parts[i].level_count = part_levels(mesh, part);
        parts[i].spacing = part_spacing(mesh, part);
        parts[i].fullness = mesh->part_fullness != NULL ? mesh->part_fullness[part] : 0;
        parts[i].fullness_reach = parts[i].fullness > 0 ? mesh->part_reach[part] : 0;
        for (uint32_t o = 0; mesh->outside_of != NULL && o < mesh->part_count; ++o) {
            const uint32_t bit = (uint32_t)(mesh->outside_of[part] >> p->layout->part_order[o] & 1u);
            parts[i].outside_of[o / 32] |= bit << o % 32;
        }
        tuning[i] = mesh->part_tunings[part];
        if (tuning[i].sleep_speed < 0.0f) {
            tuning[i].sleep_speed = SLEEP_SPACINGS * parts[i].spacing;
        }
    }
    p->info.part_count = p->view.part_count = p->view.tuning_count = mesh->part_count;
    p->view.parts = parts;
    p->view.tuning = tuning;
}

// -- Particles

typedef struct particle_rows {
    hem_rest_row* rest;
    hem_shape_row* shape;
    hem_area_row* area;
    hem_map_row* maps;
    hem_hair_row* hair;   // NULL = no part is kept full
    hem_rest_row* shapes; // of oriented rows; NULL = no part is freed of sag
    bool painted;         // any of them is not 1
    hem_bind_row* bind;
    uint32_t* flags;
    hem_anim_row* anim;
    hem_limit_row* limits;
    hem_drive_row* drives;
    hem_frame_row* frames;
    uint32_t anim_count, limit_count, drive_count;
} particle_rows;

// The asset particle whose numbers a slot holds: its own, or for a pad those of the row's first real lane. Rows in reserve
// have none; what they hold is that of some particle of their part.
static uint32_t source_of(const hemc_layout* layout, uint32_t slot, uint32_t first) {
    if (layout->particle_at[slot] != HEM_NONE) {
        return (uint32_t)layout->particle_at[slot];
    }
    const uint32_t row = slot / HEM_LANES * HEM_LANES;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        if (layout->particle_at[row + lane] != HEM_NONE) {
            return (uint32_t)layout->particle_at[row + lane];
        }
    }
    return first;
}

static bool is_spare(const hemc_layout* layout, uint32_t slot) {
    for (uint32_t i = 0; i < layout->lattice_count; ++i) {
        const hem_lattice* l = &layout->lattices[i];
        if (slot >= l->spare_begin && slot - l->spare_begin < l->spare_count) {
            return true;
        }
    }
    return false;
}

static void fill_frame(hem_frame_row* row, uint32_t lane, const hemc_mesh* mesh, const hemc_layout* layout,
                       uint32_t particle) {
    const uint16_t* ends = mesh->frame[particle];
    row->u0[lane] = (uint16_t)layout->slot_of[ends[0]];
    row->u1[lane] = (uint16_t)layout->slot_of[ends[1]];
    row->v0[lane] = (uint16_t)layout->slot_of[ends[2]];
    row->v1[lane] = (uint16_t)layout->slot_of[ends[3]];
    float q[4];
    hemc_frame_rotation(mesh, particle, q);
    row->qx[lane] = q[0];
    row->qy[lane] = q[1];
    row->qz[lane] = q[2];
    row->qw[lane] = q[3];
}

static float map_of(const hemc_particles* all, uint32_t i, hemc_map map) {
    return all->maps != NULL ? all->maps[i][map] : 1.0f;
}

// What pads have too, so that whole rows can be read: the numbers of particle i.
static void fill_shape(const hemc_packer* p, particle_rows* rows, uint32_t row, uint32_t lane, uint32_t i) {
    const hemc_particles* all = &p->mesh->all;
    hem_rest_row* rest = &rows->rest[row];
    hem_shape_row* shape = &rows->shape[row];
    rest->x[lane] = all->positions[i].x;
    rest->y[lane] = all->positions[i].y;
    rest->z[lane] = all->positions[i].z;
    shape->qx[lane] = all->rotation[i][0];
    shape->qy[lane] = all->rotation[i][1];
    shape->qz[lane] = all->rotation[i][2];
    shape->qw[lane] = all->rotation[i][3];
    shape->a[lane] = all->radii[i][0];
    shape->b[lane] = all->radii[i][1];
    shape->c[lane] = all->radii[i][2];
    rows->bind[row].weight[0][lane] = 1;
    hem_map_row* map = &rows->maps[row];
    map->friction[lane] = map_of(all, i, HEMC_FRICTION);
    map->drag[lane] = map_of(all, i, HEMC_DRAG);
    map->damping[lane] = map_of(all, i, HEMC_DAMPING);
    map->contact[lane] = map_of(all, i, HEMC_CONTACT);
    rows->painted |= map->friction[lane] < 1 || map->drag[lane] < 1 || map->damping[lane] < 1 || map->contact[lane] < 1;
    if (rows->hair != NULL) {
        rows->hair[row].guide[lane] = -1;
    }
    if (rows->shapes != NULL && row < p->layout->oriented_row_count) {
        const hemc_vec3 place = hemc_shape_place(p->mesh, i);
        rows->shapes[row].x[lane] = place.x;
        rows->shapes[row].y[lane] = place.y;
        rows->shapes[row].z[lane] = place.z;
    }
    if (row >= p->layout->oriented_row_count) {
        fill_frame(&rows->frames[row - p->layout->oriented_row_count], lane, p->mesh, p->layout, i);
    }
}

// What only a real particle has. Returns its flags.
static uint32_t fill_real(const hemc_packer* p, const particle_rows* rows, uint32_t row, uint32_t lane, uint32_t i,
                          uint32_t animation) {
    const hemc_particles* all = &p->mesh->all;
    uint32_t flags =
        all->flags[i] & (HEM_PARTICLE_ANIMATED | HEM_PARTICLE_BODY | HEM_PARTICLE_SURFACE | HEM_PARTICLE_COLLIDES);
    if (p->layout->slot_of[i] != row * HEM_LANES + lane) { // a copy
        flags &= ~(HEM_PARTICLE_SURFACE | HEM_PARTICLE_COLLIDES);
    } else if (rows->hair != NULL) {
        rows->hair[row].guide[lane] = p->mesh->hair[i][0];
        rows->hair[row].uncrowd[lane] = p->mesh->hair[i][1];
    }
    rows->rest[row].mass[lane] = all->mass[i];
    rows->area[row].area[lane] = all->area[i];
    if ((flags & HEM_PARTICLE_ANIMATED) == 0 || animation == HEM_ANIMATE_MOMENTUM) {
        rows->shape[row].inverse_mass[lane] = 1.0f / all->mass[i];
    }
    for (int k = 0; k < 4; ++k) {
        rows->bind[row].bone[k][lane] = p->mesh->skinning.particle_bone[i][k];
        rows->bind[row].weight[k][lane] = p->mesh->skinning.particle_bone_weight[i][k];
    }
    return flags;
}

// Whether the particle is held back.
static bool fill_limit(const hemc_particles* all, uint32_t i, float backstop_radius, uint32_t lane,
                       hem_limit_row* limit) {
    if (all->max_distance[i] >= 0) {
        limit->max_distance[lane] = all->max_distance[i];
    }
    if (all->backstop[i] >= 0) {
        limit->backstop_distance[lane] = all->backstop[i];
        limit->backstop_radius[lane] = backstop_radius;
    }
    return all->max_distance[i] >= 0 || all->backstop[i] >= 0;
}

static void make_row(const hemc_packer* p, uint32_t part, uint32_t row, float backstop_radius, particle_rows* rows) {
    const hemc_layout* layout = p->layout;
    const bool driven = hemc_is_driven(p->mesh, layout->part_order[part]);
    uint32_t animated_mask = 0, limit_mask = 0, drive_mask = 0;
    hem_limit_row limit = {.row = row};
    hem_drive_row drive = {.row = row, .anim_row = rows->anim_count};
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        const uint32_t slot = row * HEM_LANES + lane;
        const uint32_t i = source_of(layout, slot, p->mesh->part_begin[layout->part_order[part]]);
        const bool spare = is_spare(layout, slot);
        uint32_t flags = HEM_PARTICLE_PAD | (spare ? HEM_PARTICLE_SPARE : 0);
        drive_mask |= (uint32_t)(driven && spare) << lane; // its copies will have targets
        limit.max_distance[lane] = -1;
        limit.backstop_radius[lane] = -1;
        fill_shape(p, rows, row, lane, i);
        if (layout->particle_at[slot] != HEM_NONE) {
            flags = fill_real(p, rows, row, lane, i, p->view.parts[part].animation);
            drive_mask |= (uint32_t)driven << lane;
            if ((flags & HEM_PARTICLE_ANIMATED) != 0) {
                animated_mask |= 1u << lane;
            } else if (fill_limit(&p->mesh->all, i, backstop_radius, lane, &limit)) {
                limit_mask |= 1u << lane;
            }
            drive.share[lane] = driven && (flags & HEM_PARTICLE_ANIMATED) == 0 ? p->mesh->all.drive[i] : 0.0f;
        }
        rows->flags[slot] = flags | part << HEM_PARTICLE_PART_SHIFT;
    }
    if (limit_mask != 0) {
        limit.anim_row = rows->anim_count;
        rows->limits[rows->limit_count++] = limit;
    }
    if (driven) {
        rows->drives[rows->drive_count++] = drive;
    }
    const uint32_t target_mask = animated_mask | limit_mask | drive_mask;
    if (target_mask != 0) {
        rows->anim[rows->anim_count++] =
            (hem_anim_row){.row = row, .animated_mask = animated_mask, .target_mask = target_mask};
    }
}

// Counts and bounds.
static void describe_rows(hemc_packer* p, const particle_rows* rows) {
    hem_info* info = &p->info;
    for (uint32_t i = 0; i < info->particle_count; ++i) {
        const uint32_t flags = rows->flags[i];
        if ((flags & HEM_PARTICLE_PAD) == 0) {
            ++info->real_particle_count;
            ++*((flags & HEM_PARTICLE_BODY) != 0       ? &info->body_count
                : (flags & HEM_PARTICLE_ANIMATED) != 0 ? &info->attached_count
                                                       : &info->simulated_count);
        }
        const hem_rest_row* rest = &rows->rest[i / HEM_LANES];
        const hem_shape_row* shape = &rows->shape[i / HEM_LANES];
        const uint32_t lane = i % HEM_LANES;
        const float x[3] = {rest->x[lane], rest->y[lane], rest->z[lane]};
        const float r[3] = {shape->a[lane], shape->b[lane], shape->c[lane]};
        for (int k = 0; k < 3; ++k) {
            info->bounds_min[k] = i == 0 || x[k] < info->bounds_min[k] ? x[k] : info->bounds_min[k];
            info->bounds_max[k] = i == 0 || x[k] > info->bounds_max[k] ? x[k] : info->bounds_max[k];
            info->particle_radius = r[k] > info->particle_radius ? r[k] : info->particle_radius;
        }
    }
}

void hemc_pack_rows(hemc_packer* p) {
    const hemc_layout* layout = p->layout;
    const uint32_t row_count = layout->row_count, frame_count = row_count - layout->oriented_row_count;
    hem_view* v = &p->view;
    particle_rows rows = {
        .rest = hemc_alloc(p->arena, row_count, sizeof(hem_rest_row)),
        .shape = hemc_alloc(p->arena, row_count, sizeof(hem_shape_row)),
        .area = hemc_alloc(p->arena, row_count, sizeof(hem_area_row)),
        .maps = hemc_alloc(p->arena, row_count, sizeof(hem_map_row)),
        .hair = p->mesh->hair != NULL ? hemc_alloc(p->arena, row_count, sizeof(hem_hair_row)) : NULL,
        .shapes = p->mesh->shape_places != NULL ? hemc_alloc(p->arena, layout->oriented_row_count, sizeof(hem_rest_row))
                                                : NULL,
        .bind = hemc_alloc(p->arena, row_count, sizeof(hem_bind_row)),
        .flags = hemc_alloc(p->arena, (size_t)row_count * HEM_LANES, sizeof(uint32_t)),
        .anim = hemc_alloc(p->arena, row_count, sizeof(hem_anim_row)),
        .limits = hemc_alloc(p->arena, row_count, sizeof(hem_limit_row)),
        .drives = hemc_alloc(p->arena, row_count, sizeof(hem_drive_row)),
        .frames = hemc_alloc(p->arena, frame_count, sizeof(hem_frame_row)),
    };
    for (uint32_t part = 0; part < v->part_count; ++part) {
        const uint32_t source = layout->part_order[part];
        float backstop_radius = 10 * v->parts[part].spacing;
        if (p->recipe != NULL && source < p->recipe->part_count && p->recipe->parts[source].backstop_radius > 0) {
            backstop_radius = p->recipe->parts[source].backstop_radius;
        }
        const uint32_t begin = v->parts[part].row_begin;
        for (uint32_t row = begin; row < begin + v->parts[part].row_count; ++row) {
            make_row(p, part, row, backstop_radius, &rows);
        }
    }
    for (uint32_t row = 0; rows.shapes != NULL && row < layout->oriented_row_count; ++row) {
        memcpy(rows.shapes[row].mass, rows.rest[row].mass, sizeof rows.rest[row].mass);
    }
    p->info.row_count = v->rest_row_count = v->shape_row_count = v->bind_row_count = row_count;
    p->info.particle_count = v->particle_flag_count = row_count * HEM_LANES;
    p->info.oriented_row_count = layout->oriented_row_count;
    v->rest_rows = rows.rest;
    v->shape_rows = rows.shape;
    v->area_rows = rows.area;
    v->area_row_count = row_count;
    v->map_rows = rows.maps;
    v->map_row_count = rows.painted ? row_count : 0;
    v->hair_rows = rows.hair;
    v->hair_row_count = rows.hair != NULL ? row_count : 0;
    v->group_rest_rows = rows.shapes;
    v->group_rest_row_count = rows.shapes != NULL ? layout->oriented_row_count : 0;
    v->bind_rows = rows.bind;
    v->particle_flags = rows.flags;
    v->anim_rows = rows.anim;
    v->anim_row_count = rows.anim_count;
    v->limit_rows = rows.limits;
    v->limit_row_count = rows.limit_count;
    v->drive_rows = rows.drives;
    v->drive_row_count = rows.drive_count;
    v->frame_rows = rows.frames;
    v->frame_row_count = frame_count;
    describe_rows(p, &rows);
}

// -- Rest overlaps, in slots

void hemc_pack_ignore(hemc_packer* p) {
    const hemc_mesh* mesh = p->mesh;
    const hemc_layout* layout = p->layout;
    const uint32_t slot_count = layout->row_count * HEM_LANES;
    const uint32_t total = mesh->ignore_starts[mesh->all.count];
    uint32_t* starts = hemc_alloc(p->arena, (size_t)slot_count + 1, sizeof(uint32_t));
    uint16_t* list = hemc_alloc(p->arena, total, sizeof(uint16_t));
    // Walking the others in ascending slot order and appending to their partners' lists sorts every list at once.
    for (uint32_t i = 0; i < mesh->all.count; ++i) {
        starts[layout->slot_of[i] + 1] = mesh->ignore_starts[i + 1] - mesh->ignore_starts[i];
    }
    for (uint32_t s = 0; s < slot_count; ++s) {
        starts[s + 1] += starts[s];
    }
    uint32_t* next = hemc_alloc(p->arena, slot_count, sizeof(uint32_t));
    memcpy(next, starts, (size_t)slot_count * sizeof(uint32_t));
    for (uint32_t s = 0; s < slot_count; ++s) {
        const int32_t i = layout->particle_at[s];
        if (i == HEM_NONE || layout->slot_of[i] != s) {
            continue;
        }
        for (uint32_t k = mesh->ignore_starts[i]; k < mesh->ignore_starts[i + 1]; ++k) {
            list[next[layout->slot_of[mesh->ignore_list[k]]]++] = (uint16_t)s;
        }
    }
    p->view.ignore_starts = starts;
    p->view.ignore_start_count = slot_count + 1;
    p->view.ignore_list = list;
    p->view.ignore_count = total;
}
