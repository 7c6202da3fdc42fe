// SPDX-License-Identifier: MIT
#include "compiler/hemc_internal.h"

#include "compiler/graph.h"
#include "compiler/hemc.h"
#include "formats/hem_validate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The last stage: everything so far, renumbered by the layout, as bytes.
//
// Sections are collected in a list in the order of their kinds, then laid out and copied in one pass. Arrays are built as
// the format's own structs, so that what is written is what the runtime reads. Lanes without a particle repeat the first
// real lane of their row. At the end the validator reads the bytes; a refusal is a mistake of ours, never of the input.

#define SECTION_LIMIT 40

typedef struct section_list {
    hem_section table[SECTION_LIMIT];
    const void* bytes[SECTION_LIMIT];
    uint32_t count;
} section_list;

typedef struct string_table {
    hemc_arena* arena;
    char* text;
    size_t size, capacity;
    // Offsets of the strings so far, so that equal ones are stored once.
    uint32_t* offsets;
    size_t count, offset_capacity;
} string_table;

static uint32_t add_string(string_table* table, const char* text) {
    if (text == NULL || text[0] == 0) {
        return 0;
    }
    for (size_t i = 0; i < table->count; ++i) {
        if (strcmp(table->text + table->offsets[i], text) == 0) {
            return table->offsets[i];
        }
    }
    const size_t length = strlen(text) + 1;
    table->text = hemc_grow(table->arena, table->text, &table->capacity, table->size + length, 1);
    table->offsets =
        hemc_grow(table->arena, table->offsets, &table->offset_capacity, table->count + 1, sizeof(uint32_t));
    memcpy(table->text + table->size, text, length);
    const uint32_t offset = (uint32_t)table->size;
    table->offsets[table->count++] = offset;
    table->size += length;
    return offset;
}

// Kinds must arrive in ascending order; an empty section is left out.
static void add_section(section_list* list, hem_section_kind kind, const void* bytes, size_t element_size,
                        size_t element_count) {
    if (element_count == 0) {
        return;
    }
    hem_section* s = &list->table[list->count];
    s->kind = (uint32_t)kind;
    s->element_size = (uint32_t)element_size;
    s->element_count = (uint32_t)element_count;
    s->size = (uint64_t)element_size * element_count;
    list->bytes[list->count++] = bytes;
}

// -- Parts

// What a part's spacing came out as: the mean length of its structural links, or of its particles' widths.
static float part_spacing(const hemc_mesh* mesh, uint32_t part) {
    const uint32_t begin = mesh->part_begin[part], end = mesh->part_begin[part + 1];
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < mesh->link_count; ++i) {
        const hemc_link* l = &mesh->links[i];
        if (l->a >= begin && l->a < end && l->b >= begin && l->b < end && l->kind <= HEM_LINK_WEFT) {
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

static hem_part* make_parts(hemc_arena* arena, string_table* strings, const hemc_mesh* mesh,
                            const hemc_layout* layout) {
    hem_part* parts = hemc_alloc(arena, mesh->part_count, sizeof(hem_part));
    for (uint32_t i = 0; i < mesh->part_count; ++i) {
        const uint32_t part = layout->part_order[i];
        parts[i] = layout->parts[i];
        parts[i].name_offset = add_string(strings, mesh->part_names[part]);
        parts[i].kind = (uint32_t)mesh->part_kinds[part];
        parts[i].animation = (uint32_t)mesh->part_animations[part];
        parts[i].collision_group = mesh->collision_groups[part];
        parts[i].collision_mask = mesh->collision_masks[part];
        parts[i].level_count = part_levels(mesh, part);
        parts[i].spacing = part_spacing(mesh, part);
    }
    return parts;
}

// -- Particles

typedef struct particle_rows {
    hem_rest_row* rest;
    hem_shape_row* shape;
    hem_bind_row* bind;
    uint32_t* flags;
    hem_anim_row* anim;
    hem_limit_row* limits;
    hem_frame_row* frames;
    uint32_t anim_count, limit_count;
} particle_rows;

// The asset particle whose numbers a slot holds: its own, or for a pad those of the row's first real lane.
static uint32_t source_of(const hemc_layout* layout, uint32_t slot) {
    if (layout->particle_at[slot] != HEM_NONE) {
        return (uint32_t)layout->particle_at[slot];
    }
    const uint32_t row = slot / HEM_LANES * HEM_LANES;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        if (layout->particle_at[row + lane] != HEM_NONE) {
            return (uint32_t)layout->particle_at[row + lane];
        }
    }
    return 0;
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

static void make_rows(hemc_arena* arena, const hemc_recipe* recipe, const hemc_mesh* mesh, const hemc_layout* layout,
                      const hem_part* parts, particle_rows* rows) {
    const hemc_particles* all = &mesh->all;
    const uint32_t row_count = layout->row_count;
    rows->rest = hemc_alloc(arena, row_count, sizeof(hem_rest_row));
    rows->shape = hemc_alloc(arena, row_count, sizeof(hem_shape_row));
    rows->bind = hemc_alloc(arena, row_count, sizeof(hem_bind_row));
    rows->flags = hemc_alloc(arena, (size_t)row_count * HEM_LANES, sizeof(uint32_t));
    rows->anim = hemc_alloc(arena, row_count, sizeof(hem_anim_row));
    rows->limits = hemc_alloc(arena, row_count, sizeof(hem_limit_row));
    rows->frames = hemc_alloc(arena, row_count - layout->oriented_row_count, sizeof(hem_frame_row));
    for (uint32_t part = 0; part < mesh->part_count; ++part) {
        const uint32_t source_part = layout->part_order[part];
        const float spacing = parts[part].spacing;
        float backstop_radius = 10 * spacing;
        if (recipe != NULL && source_part < recipe->part_count && recipe->parts[source_part].backstop_radius > 0) {
            backstop_radius = recipe->parts[source_part].backstop_radius;
        }
        for (uint32_t row = parts[part].row_begin; row < parts[part].row_begin + parts[part].row_count; ++row) {
            uint32_t animated_mask = 0, limit_mask = 0;
            hem_limit_row limit = {.row = row};
            for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
                const uint32_t slot = row * HEM_LANES + lane;
                const uint32_t p = source_of(layout, slot);
                const int real = layout->particle_at[slot] != HEM_NONE;
                const int copy = real && layout->slot_of[p] != slot;
                hem_rest_row* rest = &rows->rest[row];
                hem_shape_row* shape = &rows->shape[row];
                hem_bind_row* bind = &rows->bind[row];
                rest->x[lane] = all->positions[p].x;
                rest->y[lane] = all->positions[p].y;
                rest->z[lane] = all->positions[p].z;
                shape->qx[lane] = all->rotation[p][0];
                shape->qy[lane] = all->rotation[p][1];
                shape->qz[lane] = all->rotation[p][2];
                shape->qw[lane] = all->rotation[p][3];
                shape->a[lane] = all->radii[p][0];
                shape->b[lane] = all->radii[p][1];
                shape->c[lane] = all->radii[p][2];
                if (row >= layout->oriented_row_count) {
                    fill_frame(&rows->frames[row - layout->oriented_row_count], lane, mesh, layout, p);
                }
                limit.max_distance[lane] = -1;
                limit.backstop_radius[lane] = -1;
                uint32_t flags = HEM_PARTICLE_PAD;
                bind->weight[0][lane] = 1;
                if (real) {
                    flags = all->flags[p] &
                            (HEM_PARTICLE_ANIMATED | HEM_PARTICLE_BODY | HEM_PARTICLE_SURFACE | HEM_PARTICLE_COLLIDES);
                    if (copy) {
                        flags &= ~(HEM_PARTICLE_SURFACE | HEM_PARTICLE_COLLIDES);
                    }
                    const int animated = (flags & HEM_PARTICLE_ANIMATED) != 0;
                    rest->mass[lane] = all->mass[p];
                    if (!animated || parts[part].animation == HEM_ANIMATE_MOMENTUM) {
                        shape->inverse_mass[lane] = 1.0f / all->mass[p];
                    }
                    for (int k = 0; k < 4; ++k) {
                        bind->bone[k][lane] = mesh->skinning.particle_bone[p][k];
                        bind->weight[k][lane] = mesh->skinning.particle_bone_weight[p][k];
                    }
                    animated_mask |= (uint32_t)animated << lane;
                    if (!animated && all->max_distance[p] >= 0) {
                        limit.max_distance[lane] = all->max_distance[p];
                        limit_mask |= 1u << lane;
                    }
                    if (!animated && all->backstop[p] >= 0) {
                        limit.backstop_distance[lane] = all->backstop[p];
                        limit.backstop_radius[lane] = backstop_radius;
                        limit_mask |= 1u << lane;
                    }
                }
                rows->flags[slot] = flags | part << HEM_PARTICLE_PART_SHIFT;
            }
            if ((animated_mask | limit_mask) != 0) {
                if (limit_mask != 0) {
                    limit.anim_row = rows->anim_count;
                    rows->limits[rows->limit_count++] = limit;
                }
                rows->anim[rows->anim_count++] = (hem_anim_row){
                    .row = row, .animated_mask = animated_mask, .target_mask = animated_mask | limit_mask};
            }
        }
    }
}

// -- Rest overlaps, in slots

typedef struct ignore_table {
    uint32_t* starts;
    uint16_t* list;
} ignore_table;

static ignore_table make_ignore(hemc_arena* arena, const hemc_mesh* mesh, const hemc_layout* layout) {
    const uint32_t slot_count = layout->row_count * HEM_LANES;
    const uint32_t total = mesh->ignore_starts[mesh->all.count];
    ignore_table table;
    table.starts = hemc_alloc(arena, (size_t)slot_count + 1, sizeof(uint32_t));
    table.list = hemc_alloc(arena, total, sizeof(uint16_t));
    // Walking the others in ascending slot order and appending to their partners' lists sorts every list at once.
    for (uint32_t p = 0; p < mesh->all.count; ++p) {
        table.starts[layout->slot_of[p] + 1] = mesh->ignore_starts[p + 1] - mesh->ignore_starts[p];
    }
    for (uint32_t s = 0; s < slot_count; ++s) {
        table.starts[s + 1] += table.starts[s];
    }
    uint32_t* next = hemc_alloc(arena, slot_count, sizeof(uint32_t));
    memcpy(next, table.starts, (size_t)slot_count * sizeof(uint32_t));
    for (uint32_t s = 0; s < slot_count; ++s) {
        const int32_t p = layout->particle_at[s];
        if (p == HEM_NONE || layout->slot_of[p] != s) {
            continue;
        }
        for (uint32_t k = mesh->ignore_starts[p]; k < mesh->ignore_starts[p + 1]; ++k) {
            table.list[next[layout->slot_of[mesh->ignore_list[k]]]++] = (uint16_t)s;
        }
    }
    return table;
}

// -- Vertices

// n / 65535 with an exact sum: round down, then give what is missing to the largest remainders, lower index first.
static void quantize(const float weights[4], uint16_t out[4]) {
    double total = 0;
    for (int k = 0; k < 4; ++k) {
        total += weights[k] > 0 ? weights[k] : 0;
    }
    if (!(total > 0)) {
        out[0] = 65535;
        out[1] = out[2] = out[3] = 0;
        return;
    }
    double rest[4];
    uint32_t sum = 0;
    for (int k = 0; k < 4; ++k) {
        const double exact = (weights[k] > 0 ? weights[k] : 0) / total * 65535.0;
        const double whole = floor(exact);
        out[k] = (uint16_t)whole;
        rest[k] = weights[k] > 0 ? exact - whole : -1;
        sum += out[k];
    }
    while (sum < 65535) {
        int best = 0;
        for (int k = 1; k < 4; ++k) {
            best = rest[k] > rest[best] ? k : best;
        }
        ++out[best];
        rest[best] -= 1;
        ++sum;
    }
}

static void unit_or_zero(float v[3]) {
    const double length = sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
    for (int k = 0; k < 3; ++k) {
        v[k] = length > 1e-12 ? (float)(v[k] / length) : 0;
    }
}

typedef struct vertex_arrays {
    hem_vertex_rest* rest;
    hem_vertex_bind* bind;
    uint8_t* blocks;
    hem_mesh* meshes;
    uint32_t* indices;
    uint32_t index_count;
} vertex_arrays;

static void make_vertices(hemc_arena* arena, string_table* strings, const hemc_model* model, const hemc_mesh* mesh,
                          const hemc_layout* layout, bool ship, vertex_arrays* v) {
    v->rest = hemc_alloc(arena, model->vertex_count, sizeof(hem_vertex_rest));
    v->bind = hemc_alloc(arena, model->vertex_count, sizeof(hem_vertex_bind));
    v->blocks = hemc_alloc(arena, (model->vertex_count + HEM_LANES - 1) / HEM_LANES, 1);
    v->meshes = hemc_alloc(arena, model->primitive_count, sizeof(hem_mesh));
    v->indices = hemc_alloc(arena, ship ? 0 : (size_t)model->triangle_count * 3, sizeof(uint32_t));
    const hemc_skinning* skinning = &mesh->skinning;
    for (uint32_t i = 0; i < model->vertex_count; ++i) {
        hem_vertex_rest* r = &v->rest[i];
        r->position[0] = model->positions[i].x;
        r->position[1] = model->positions[i].y;
        r->position[2] = model->positions[i].z;
        r->normal[0] = model->normals[i].x;
        r->normal[1] = model->normals[i].y;
        r->normal[2] = model->normals[i].z;
        unit_or_zero(r->normal);
        if (model->tangents != NULL) {
            memcpy(r->tangent, model->tangents[i], sizeof r->tangent);
            unit_or_zero(r->tangent);
            const int none = r->tangent[0] == 0 && r->tangent[1] == 0 && r->tangent[2] == 0;
            r->tangent[3] = none ? 0 : model->tangents[i][3] < 0 ? -1.0f : 1.0f;
        }
        hem_vertex_bind* b = &v->bind[i];
        const float blend = skinning->vertex_blend[i];
        b->blend = (uint16_t)(blend <= 0 ? 0 : blend >= 1 ? 65535 : (uint32_t)(blend * 65535.0f + 0.5f));
        if (b->blend == 0) {
            b->particle_weight[0] = 65535;
        } else {
            quantize(skinning->vertex_weight[i], b->particle_weight);
            for (int k = 0; k < 4; ++k) {
                const int used = b->particle_weight[k] != 0;
                b->particle[k] = (uint16_t)layout->slot_of[skinning->vertex_particle[i][used ? k : 0]];
            }
        }
        quantize(model->bone_weights[i], b->bone_weight);
        for (int k = 0; k < 4; ++k) {
            b->bone[k] = b->bone_weight[k] != 0 ? model->bones[i][k] : 0;
        }
    }
    for (uint32_t begin = 0; begin < model->vertex_count; begin += HEM_LANES) {
        int bones = 1, particles = 1;
        for (uint32_t i = begin; i < begin + HEM_LANES && i < model->vertex_count; ++i) {
            bones &= v->bind[i].blend == 0;
            particles &= v->bind[i].blend == 65535;
        }
        v->blocks[begin / HEM_LANES] = bones ? HEM_BLOCK_BONES : particles ? HEM_BLOCK_PARTICLES : HEM_BLOCK_MIXED;
    }
    for (uint32_t i = 0; i < model->primitive_count; ++i) {
        const hemc_primitive* primitive = &model->primitives[i];
        hem_mesh* m = &v->meshes[i];
        m->name_offset = add_string(strings, primitive->name);
        m->vertex_begin = primitive->vertex_begin;
        m->vertex_count = primitive->vertex_count;
        m->source_node = primitive->node;
        m->source_mesh = primitive->mesh;
        m->source_primitive = primitive->primitive;
        for (uint32_t k = 0; k < m->vertex_count; ++k) {
            m->flags |= v->bind[m->vertex_begin + k].blend != 0 ? (uint32_t)HEM_MESH_DYNAMIC : 0;
        }
        if (!ship) {
            m->index_begin = v->index_count;
            m->index_count = primitive->triangle_count * 3;
            memcpy(v->indices + v->index_count, model->triangles + (size_t)primitive->triangle_begin * 3,
                   (size_t)m->index_count * sizeof(uint32_t));
            v->index_count += m->index_count;
        }
    }
}

// -- Colliders, bones, clips

static hem_asset_collider* make_colliders(hemc_arena* arena, string_table* strings, const hemc_model* model,
                                          const hemc_recipe* recipe, float (**planes)[4], uint32_t* plane_count) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < recipe->collider_count; ++i) {
        total += recipe->colliders[i].kind == HEM_SHAPE_HULL ? recipe->colliders[i].plane_count : 0;
    }
    hem_asset_collider* out = hemc_alloc(arena, recipe->collider_count, sizeof(hem_asset_collider));
    *planes = hemc_alloc(arena, total, sizeof(**planes));
    for (uint32_t i = 0; i < recipe->collider_count; ++i) {
        const hemc_collider_recipe* c = &recipe->colliders[i];
        out[i].name_offset = add_string(strings, c->name);
        out[i].kind = (uint32_t)c->kind;
        out[i].bone = HEM_NONE;
        for (uint32_t b = 0; c->bone != NULL && b < model->bone_count && out[i].bone == HEM_NONE; ++b) {
            if (strcmp(model->bone_defs[b].name, c->bone) == 0) {
                out[i].bone = (int32_t)b;
            }
        }
        out[i].collision_group = UINT32_MAX; // every part
        memcpy(out[i].rotation, c->rotation, sizeof out[i].rotation);
        memcpy(out[i].position, c->position, sizeof out[i].position);
        out[i].friction = recipe->body.friction;
        memcpy(out[i].size, c->size, sizeof out[i].size);
        if (c->kind == HEM_SHAPE_HULL) {
            out[i].plane_begin = *plane_count;
            out[i].plane_count = c->plane_count;
            for (uint32_t k = 0; k < c->plane_count; ++k) {
                memcpy((*planes)[*plane_count + k], c->planes[k], sizeof c->planes[k]);
            }
            *plane_count += c->plane_count;
        }
    }
    return out;
}

static const float identity34[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static hem_bone* make_bones(hemc_arena* arena, string_table* strings, const hemc_model* model, uint32_t* count) {
    if (model == NULL) {
        *count = 1;
        hem_bone* root = hemc_alloc(arena, 1, sizeof(hem_bone));
        root->name_offset = add_string(strings, "root");
        root->parent = HEM_NONE;
        memcpy(root->inverse_bind, identity34, sizeof identity34);
        return root;
    }
    *count = model->bone_count;
    hem_bone* bones = hemc_alloc(arena, model->bone_count, sizeof(hem_bone));
    for (uint32_t i = 0; i < model->bone_count; ++i) {
        bones[i].name_offset = add_string(strings, model->bone_defs[i].name);
        bones[i].parent = model->bone_defs[i].parent;
        memcpy(bones[i].inverse_bind, model->bone_defs[i].inverse_bind, sizeof bones[i].inverse_bind);
    }
    return bones;
}

static hem_clip* make_clips(hemc_arena* arena, string_table* strings, const hemc_model* model, float (**frames)[12],
                            size_t* matrix_count) {
    size_t total = 0;
    for (uint32_t i = 0; i < model->clip_count; ++i) {
        total += (size_t)model->clips[i].frame_count * model->bone_count;
    }
    hem_clip* clips = hemc_alloc(arena, model->clip_count, sizeof(hem_clip));
    *frames = hemc_alloc(arena, total, sizeof(**frames));
    uint32_t next = 0;
    for (uint32_t i = 0; i < model->clip_count; ++i) {
        const hemc_clip* c = &model->clips[i];
        clips[i].name_offset = add_string(strings, c->name);
        clips[i].frame_begin = next;
        clips[i].frame_count = c->frame_count;
        clips[i].hz = c->hz;
        clips[i].flags = c->loops ? (uint32_t)HEM_CLIP_LOOPS : 0;
        memcpy((*frames)[(size_t)next * model->bone_count], c->frames,
               (size_t)c->frame_count * model->bone_count * sizeof(**frames));
        next += c->frame_count;
    }
    *matrix_count = total;
    return clips;
}

// -- Info and assembly

static void make_info(const hemc_mesh* mesh, const hemc_layout* layout, const particle_rows* rows,
                      const hem_part* parts, hem_info* info) {
    info->row_count = layout->row_count;
    info->particle_count = layout->row_count * HEM_LANES;
    info->oriented_row_count = layout->oriented_row_count;
    info->part_count = mesh->part_count;
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
    for (uint32_t i = 0; i < layout->link_batch_count; ++i) {
        for (uint32_t mask = layout->links[i].lane_mask; mask != 0; mask &= mask - 1) {
            ++info->link_count;
        }
    }
    for (uint32_t i = 0; i < layout->index_batch_count; ++i) {
        for (uint32_t mask = layout->indexed[i].lane_mask; mask != 0; mask &= mask - 1) {
            ++info->link_count;
        }
    }
    for (uint32_t i = 0; i < layout->group_batch_count; ++i) {
        for (uint32_t mask = layout->groups[i].lane_mask; mask != 0; mask &= mask - 1) {
            ++info->group_count;
        }
    }
    info->lane_fill = layout->lane_fill;
    info->indexed_share = layout->indexed_share;
    info->spacing = parts[0].spacing;
    for (uint32_t i = 1; i < mesh->part_count; ++i) {
        info->spacing = parts[i].spacing < info->spacing ? parts[i].spacing : info->spacing;
    }
}

static uint64_t align_up(uint64_t x) {
    return (x + (HEM_ALIGNMENT - 1)) & ~(uint64_t)(HEM_ALIGNMENT - 1);
}

static uint8_t* write_bytes(hemc_arena* arena, section_list* list, hem_header* header, size_t* size) {
    uint64_t end = sizeof(hem_header) + (uint64_t)list->count * sizeof(hem_section);
    for (uint32_t i = 0; i < list->count; ++i) {
        list->table[i].offset = align_up(end);
        end = list->table[i].offset + list->table[i].size;
    }
    header->file_size = align_up(end);
    header->section_count = list->count;
    uint8_t* bytes = hemc_alloc(arena, (size_t)header->file_size, 1);
    memcpy(bytes + sizeof(hem_header), list->table, list->count * sizeof(hem_section));
    for (uint32_t i = 0; i < list->count; ++i) {
        memcpy(bytes + list->table[i].offset, list->bytes[i], (size_t)list->table[i].size);
    }
    hemc_hash128(bytes + sizeof(hem_header), (size_t)header->file_size - sizeof(hem_header), header->content_hash);
    memcpy(bytes, header, sizeof *header);
    *size = (size_t)header->file_size;
    return bytes;
}

// What the format takes (formats/hem_validate.c): beyond it, the model is in other units than it says.
#define MOST_METRES 1e6
#define LEAST_RADIUS 1e-6
#define LEAST_MASS 1e-9
#define MOST_MASS 1e6

static bool within(double value, double least, double most) {
    return value >= least && value <= most;
}

static bool check_ranges(hemc_log* log, const char* file, const hemc_model* model, const hemc_recipe* recipe,
                         const hemc_mesh* mesh) {
    static const char advice[] = "is the model in metres? Give \"scale\" in a recipe";
    for (uint32_t v = 0; model != NULL && v < model->vertex_count; ++v) {
        const hemc_vec3 x = model->positions[v];
        if (!within(fmax(fmax(fabs(x.x), fabs(x.y)), fabs(x.z)), 0, MOST_METRES)) {
            return hemc_error(log, HEMC_INPUT, file, "", "vertex %u is more than %g km away; %s", v, MOST_METRES / 1000,
                              advice);
        }
    }
    for (uint32_t part = 0; part < mesh->part_count; ++part) {
        const bool own = recipe != NULL && part < recipe->part_count;
        const char* where = own ? recipe->parts[part].json_path : "";
        const char* part_file = own ? hemc_part_file(&recipe->parts[part], model) : file;
        for (uint32_t i = mesh->part_begin[part]; i < mesh->part_begin[part + 1]; ++i) {
            const hemc_vec3 x = mesh->all.positions[i];
            const float* r = mesh->all.radii[i];
            const double least = fmin(fmin(r[0], r[1]), r[2]), most = fmax(fmax(r[0], r[1]), r[2]);
            const double away = fmax(fmax(fabs(x.x), fabs(x.y)), fabs(x.z)), mass = mesh->all.mass[i];
            const char* what = !within(away, 0, MOST_METRES) ? "is more than 1000 km away"
                               : !(least >= LEAST_RADIUS)    ? "is smaller than a thousandth of a millimetre"
                               : !within(most, LEAST_RADIUS, MOST_METRES) ? "is larger than 1000 km"
                               : mass > MOST_MASS                         ? "weighs more than 1000 tons"
                               : !within(mass, LEAST_MASS, MOST_MASS) ? "weighs less than a thousandth of a milligram"
                                                                      : NULL;
            if (what != NULL) {
                return hemc_error(log, HEMC_INPUT, part_file, where,
                                  "a particle of part \"%s\" %s; %s, or another spacing, "
                                  "radius or mass",
                                  mesh->part_names[part], what, advice);
            }
        }
    }
    return true;
}

bool hemc_pack(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
               const hemc_mesh* mesh, const hemc_layout* layout, const hemc_options* options,
               const uint8_t cache_key[16], uint8_t** bytes, size_t* size) {
    const char* file = model != NULL ? model->path : "";
    if (mesh->part_count == 0 || mesh->part_count > HEM_MAX_PARTS) {
        return hemc_error(log, HEMC_INPUT, file, "/parts", "%u parts; an asset has 1 to %d", mesh->part_count,
                          HEM_MAX_PARTS);
    }
    if (model != NULL && model->bone_count > HEM_MAX_BONES) {
        return hemc_error(log, HEMC_INPUT, file, "/skins", "%u bones; at most %d are possible", model->bone_count,
                          HEM_MAX_BONES);
    }
    if (model != NULL && model->vertex_count > HEM_MAX_VERTICES) {
        return hemc_error(log, HEMC_INPUT, file, "/meshes", "%u vertices; at most %d are possible", model->vertex_count,
                          HEM_MAX_VERTICES);
    }
    if (recipe != NULL && recipe->collider_count > HEM_MAX_COLLIDERS) {
        return hemc_error(log, HEMC_INPUT, file, "/colliders", "%u colliders; at most %d are possible",
                          recipe->collider_count, HEM_MAX_COLLIDERS);
    }
    if (!check_ranges(log, file, model, recipe, mesh)) {
        return false;
    }
    const bool ship = options != NULL && options->ship;
    string_table strings = {.arena = arena, .size = 1};
    strings.text = hemc_grow(arena, NULL, &strings.capacity, 1, 1);
    hem_info* info = hemc_alloc(arena, 1, sizeof(hem_info));
    hem_part* parts = make_parts(arena, &strings, mesh, layout);
    hem_tuning* tuning = hemc_alloc(arena, mesh->part_count, sizeof(hem_tuning));
    for (uint32_t i = 0; i < mesh->part_count; ++i) {
        tuning[i] = mesh->part_tunings[layout->part_order[i]];
    }
    hem_bone* bones = make_bones(arena, &strings, model, &info->bone_count);
    particle_rows rows = {0};
    make_rows(arena, recipe, mesh, layout, parts, &rows);
    const ignore_table ignore = make_ignore(arena, mesh, layout);
    float(*planes)[4] = NULL;
    uint32_t plane_count = 0, collider_count = 0;
    hem_asset_collider* colliders = NULL;
    vertex_arrays vertices = {0};
    hem_clip* clips = NULL;
    float(*frames)[12] = NULL;
    size_t matrix_count = 0, clip_count = 0;
    if (model != NULL) {
        if (recipe != NULL) {
            colliders = make_colliders(arena, &strings, model, recipe, &planes, &plane_count);
            collider_count = recipe->collider_count;
        }
        make_vertices(arena, &strings, model, mesh, layout, ship, &vertices);
        info->vertex_count = model->vertex_count;
        info->mesh_count = model->primitive_count;
        if (!ship) {
            clips = make_clips(arena, &strings, model, &frames, &matrix_count);
            clip_count = model->clip_count;
        }
    }
    make_info(mesh, layout, &rows, parts, info);
    const uint32_t block_count = (info->vertex_count + HEM_LANES - 1) / HEM_LANES;
    const uint32_t frame_count = layout->row_count - layout->oriented_row_count;
    const uint32_t color_count = model != NULL && !ship && model->colors != NULL ? info->vertex_count : 0;

    section_list list = {0};
    add_section(&list, HEM_SECTION_INFO, info, sizeof(hem_info), 1);
    add_section(&list, HEM_SECTION_STRINGS, strings.text, 1, strings.size);
    add_section(&list, HEM_SECTION_PARTS, parts, sizeof(hem_part), mesh->part_count);
    add_section(&list, HEM_SECTION_TUNING, tuning, sizeof(hem_tuning), mesh->part_count);
    add_section(&list, HEM_SECTION_BONES, bones, sizeof(hem_bone), info->bone_count);
    add_section(&list, HEM_SECTION_REST_ROWS, rows.rest, sizeof(hem_rest_row), layout->row_count);
    add_section(&list, HEM_SECTION_SHAPE_ROWS, rows.shape, sizeof(hem_shape_row), layout->row_count);
    add_section(&list, HEM_SECTION_BIND_ROWS, rows.bind, sizeof(hem_bind_row), layout->row_count);
    add_section(&list, HEM_SECTION_PARTICLE_FLAGS, rows.flags, sizeof(uint32_t), (size_t)layout->row_count * HEM_LANES);
    add_section(&list, HEM_SECTION_ANIM_ROWS, rows.anim, sizeof(hem_anim_row), rows.anim_count);
    add_section(&list, HEM_SECTION_LIMIT_ROWS, rows.limits, sizeof(hem_limit_row), rows.limit_count);
    add_section(&list, HEM_SECTION_LINK_BATCHES, layout->links, sizeof(hem_link_batch), layout->link_batch_count);
    add_section(&list, HEM_SECTION_INDEX_BATCHES, layout->indexed, sizeof(hem_index_batch), layout->index_batch_count);
    add_section(&list, HEM_SECTION_GROUP_BATCHES, layout->groups, sizeof(hem_group_batch), layout->group_batch_count);
    add_section(&list, HEM_SECTION_GROUP_MEMBERS, layout->members, sizeof(hem_group_member), layout->member_count);
    add_section(&list, HEM_SECTION_GROUP_INDICES, layout->group_indices, sizeof(hem_group_index),
                layout->group_index_count);
    add_section(&list, HEM_SECTION_FRAME_ROWS, rows.frames, sizeof(hem_frame_row), frame_count);
    add_section(&list, HEM_SECTION_IGNORE_STARTS, ignore.starts, sizeof(uint32_t),
                (size_t)layout->row_count * HEM_LANES + 1);
    add_section(&list, HEM_SECTION_IGNORE_LIST, ignore.list, sizeof(uint16_t), mesh->ignore_starts[mesh->all.count]);
    add_section(&list, HEM_SECTION_COLLIDERS, colliders, sizeof(hem_asset_collider), collider_count);
    add_section(&list, HEM_SECTION_HULL_PLANES, planes, 4 * sizeof(float), plane_count);
    add_section(&list, HEM_SECTION_MESHES, vertices.meshes, sizeof(hem_mesh), info->mesh_count);
    add_section(&list, HEM_SECTION_VERTEX_REST, vertices.rest, sizeof(hem_vertex_rest), info->vertex_count);
    add_section(&list, HEM_SECTION_VERTEX_BIND, vertices.bind, sizeof(hem_vertex_bind), info->vertex_count);
    add_section(&list, HEM_SECTION_VERTEX_BLOCKS, vertices.blocks, 1, block_count);
    add_section(&list, HEM_SECTION_PREVIEW_INDICES, vertices.indices, sizeof(uint32_t), vertices.index_count);
    add_section(&list, HEM_SECTION_PREVIEW_COLORS, color_count != 0 ? model->colors : NULL, 4, color_count);
    add_section(&list, HEM_SECTION_PREVIEW_CLIPS, clips, sizeof(hem_clip), clip_count);
    add_section(&list, HEM_SECTION_PREVIEW_FRAMES, frames, 12 * sizeof(float), matrix_count);

    hem_header header = {.version = HEM_FORMAT_VERSION, .header_size = sizeof(hem_header)};
    memcpy(header.magic, HEM_MAGIC, sizeof header.magic);
    const bool preview = vertices.index_count + color_count + clip_count != 0;
    header.flags = preview ? (uint32_t)HEM_FILE_PREVIEW : 0;
    if (cache_key != NULL) {
        memcpy(header.cache_key, cache_key, sizeof header.cache_key);
    }
    if (model != NULL) {
        memcpy(header.source_hash, model->source_hash, sizeof header.source_hash);
    }
    if (recipe != NULL && !recipe->automatic) {
        memcpy(header.recipe_hash, recipe->recipe_hash, sizeof header.recipe_hash);
    }
    snprintf(header.tool, sizeof header.tool, "hemc %s", HEMC_VERSION);
    *bytes = write_bytes(arena, &list, &header, size);

    hem_view view;
    hem_format_fault fault;
    const hem_format_result result = hem_validate(*bytes, *size, &view, &fault);
    if (result != HEM_FORMAT_OK) {
        return hemc_error(log, HEMC_INTERNAL, file, "", "the packed asset fails its own validation: %s (%s[%u].%s)",
                          hem_format_result_text(result), hem_section_name(fault.section), fault.element, fault.field);
    }
    return true;
}
