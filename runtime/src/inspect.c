// SPDX-License-Identifier: MIT
// What lies in an asset, and what an instance looks like.

#include "hem/inspect.h"
#include "runtime/src/checks.h"
#include "runtime/src/read.h"

// The asset is open and there is somewhere to write to.
static hem_result view_of(const hem_asset* asset, const void* out, const hem_view** view) {
    *view = hemi_asset_view(asset);
    return !asset || !out ? HEM_ERROR_NULL : !*view ? HEM_ERROR_ASSET : HEM_OK;
}

// -- Bones and the pose

hem_result hem_asset_get_bone(const hem_asset* asset, uint32_t bone, hem_bone_info* info) {
    const hem_view* view;
    hem_result result = view_of(asset, info, &view);
    if (result != HEM_OK) {
        return result;
    }
    if (bone >= view->info->bone_count) {
        return HEM_ERROR_COUNT;
    }
    info->name = view->strings + view->bones[bone].name_offset;
    info->parent = view->bones[bone].parent;
    memcpy(info->inverse_bind, view->bones[bone].inverse_bind, sizeof(info->inverse_bind));
    return HEM_OK;
}

// unit * a * b, 3x4.
static void multiply(float unit, const float* a, const float* b, float* out) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) {
            const float moved =
                a[4 * r] * b[c] + a[4 * r + 1] * b[4 + c] + a[4 * r + 2] * b[8 + c] + (c == 3 ? a[4 * r + 3] : 0.0f);
            out[4 * r + c] = unit * moved;
        }
    }
}

static float unit_of(const hem_view* view) {
    return view->info->unit > 0.0f ? view->info->unit : 1.0f;
}

hem_result hem_asset_pose_from_joints(const hem_asset* asset, const float* joints, size_t stride, float unit,
                                      float* matrices) {
    const hem_view* view;
    hem_result result = view_of(asset, matrices, &view);
    if (result != HEM_OK || !joints) {
        return result != HEM_OK ? result : HEM_ERROR_NULL;
    }
    stride = stride ? stride : 48;
    unit = unit != 0.0f ? unit : unit_of(view);
    if (stride < 48 || stride % 4 != 0 || !hemi_in_range(unit, HEM_MIN_UNIT, HEM_MAX_UNIT)) {
        return HEM_ERROR_RANGE;
    }
    for (uint32_t b = 0; b < view->info->bone_count; ++b) {
        const float* joint = (const float*)((const char*)joints + b * stride);
        multiply(unit, joint, view->bones[b].inverse_bind, matrices + 12 * (size_t)b);
    }
    return HEM_OK;
}

hem_result hem_asset_pose_from_skin(const hem_asset* asset, const float* skin, size_t stride, float* matrices) {
    static const float same[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const hem_view* view;
    hem_result result = view_of(asset, matrices, &view);
    if (result != HEM_OK || !skin) {
        return result != HEM_OK ? result : HEM_ERROR_NULL;
    }
    stride = stride ? stride : 48;
    if (stride < 48 || stride % 4 != 0) {
        return HEM_ERROR_RANGE;
    }
    for (uint32_t b = 0; b < view->info->bone_count; ++b) {
        const float* usual = (const float*)((const char*)skin + b * stride);
        multiply(unit_of(view), usual, view->bone_spaces ? view->bone_spaces[b] : same, matrices + 12 * (size_t)b);
    }
    return HEM_OK;
}

// -- Meshes

hem_result hem_asset_get_mesh(const hem_asset* asset, uint32_t mesh, hem_mesh_info* info) {
    const hem_view* view;
    hem_result result = view_of(asset, info, &view);
    if (result != HEM_OK) {
        return result;
    }
    if (mesh >= view->info->mesh_count) {
        return HEM_ERROR_COUNT;
    }
    const hem_mesh* from = &view->meshes[mesh];
    info->name = view->strings + from->name_offset;
    info->vertex_begin = from->vertex_begin;
    info->vertex_count = from->vertex_count;
    info->source_node = from->source_node;
    info->source_mesh = from->source_mesh;
    info->source_primitive = from->source_primitive;
    info->dynamic = (from->flags & HEM_MESH_DYNAMIC) != 0;
    return HEM_OK;
}

hem_result hem_asset_get_vertices(const hem_asset* asset, uint32_t begin, uint32_t count, hem_vertex_info* vertices) {
    const hem_view* view;
    hem_result result = view_of(asset, vertices, &view);
    if (result != HEM_OK) {
        return result;
    }
    if (begin > view->info->vertex_count || count > view->info->vertex_count - begin) {
        return HEM_ERROR_COUNT;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const hem_vertex_rest* rest = &view->vertex_rest[begin + i];
        const hem_vertex_bind* bind = &view->vertex_bind[begin + i];
        hem_vertex_info* to = &vertices[i];
        memcpy(to->position, rest->position, sizeof(to->position));
        memcpy(to->normal, rest->normal, sizeof(to->normal));
        memcpy(to->tangent, rest->tangent, sizeof(to->tangent));
        memcpy(to->particle, bind->particle, sizeof(to->particle));
        memcpy(to->bone, bind->bone, sizeof(to->bone));
        for (int k = 0; k < 4; ++k) {
            to->particle_weight[k] = (float)bind->particle_weight[k] / 65535.0f;
            to->bone_weight[k] = (float)bind->bone_weight[k] / 65535.0f;
        }
        to->blend = (float)bind->blend / 65535.0f;
    }
    return HEM_OK;
}

// -- Parts and what holds them together

hem_result hem_asset_get_part(const hem_asset* asset, uint32_t part, hem_part_info* info) {
    const hem_view* view;
    hem_result result = view_of(asset, info, &view);
    if (result != HEM_OK) {
        return result;
    }
    if (part >= view->info->part_count) {
        return HEM_ERROR_COUNT;
    }
    const hem_part* from = &view->parts[part];
    info->name = view->strings + from->name_offset;
    info->kind = from->kind;
    info->animation = from->animation;
    info->particle_begin = from->row_begin * 8;
    info->particle_count = from->row_count * 8;
    info->collision_group = from->collision_group;
    info->collision_mask = from->collision_mask;
    info->spacing = from->spacing;
    info->real_count = 0;
    double mass = 0;
    for (uint32_t p = info->particle_begin; p < info->particle_begin + info->particle_count; ++p) {
        info->real_count += !(view->particle_flags[p] & HEM_PARTICLE_PAD);
        mass += (double)view->rest_rows[p >> 3].mass[p & 7];
    }
    info->mass = (float)mass;
    return HEM_OK;
}

// Each link in turn goes through here, so that reading and drawing see the same.
typedef void (*link_sink)(void* user, const hem_link_info* link);

static void walk_row_batch(const hem_view* view, const hem_row_batch* batch, link_sink sink, void* user) {
    if (batch->kind != HEM_KIND_SPRING || batch->form == HEM_FORM_STRANDS) {
        return;
    }
    const hem_spring* spring = &view->springs[batch->payload];
    for (uint32_t lane = 0; lane < 8; ++lane) {
        if (!(batch->lane_mask >> lane & 1u)) {
            continue;
        }
        uint32_t ends[2];
        for (uint32_t k = 0; k < 2; ++k) {
            ends[k] = batch->form == HEM_FORM_INDICES ? view->row_indices[batch->member_begin + k].index[lane]
                                                      : batch->rows[k] * 8u + ((lane + batch->rotates[k]) & 7u);
        }
        const hem_link_info link = {ends[0],
                                    ends[1],
                                    batch->part,
                                    HEM_KIND_SPRING,
                                    spring->rest[lane],
                                    1.0f,
                                    spring->compliance[lane],
                                    spring->damping[lane]};
        sink(user, &link);
    }
}

static void walk_links(const hem_view* view, link_sink sink, void* user) {
    for (uint32_t i = 0; i < view->link_batch_count; ++i) {
        const hem_link_batch* b = &view->link_batches[i];
        for (uint32_t lane = 0; lane < 8; ++lane) {
            const hem_link_info link = {b->row_a * 8 + lane, b->row_b * 8 + ((lane + b->rotate) & 7u), b->part, b->kind,
                                        b->rest[lane],       (float)b->scale[lane] / 255.0f,           0,       0};
            if (b->lane_mask >> lane & 1u) {
                sink(user, &link);
            }
        }
    }
    for (uint32_t i = 0; i < view->index_batch_count; ++i) {
        const hem_index_batch* b = &view->index_batches[i];
        for (uint32_t lane = 0; lane < 8; ++lane) {
            const hem_link_info link = {
                b->a[lane], b->b[lane], b->part, b->kind, b->rest[lane], (float)b->scale[lane] / 255.0f, 0, 0};
            if (b->lane_mask >> lane & 1u) {
                sink(user, &link);
            }
        }
    }
    for (uint32_t i = 0; i < view->row_batch_count; ++i) {
        walk_row_batch(view, &view->row_batches[i], sink, user);
    }
}

typedef struct link_list {
    hem_link_info* links;
    uint32_t capacity, count;
} link_list;

static void list_link(void* user, const hem_link_info* link) {
    link_list* list = user;
    if (list->count < list->capacity) {
        list->links[list->count] = *link;
    }
    ++list->count;
}

hem_result hem_asset_get_links(const hem_asset* asset, hem_link_info* links, uint32_t capacity, uint32_t* count) {
    const hem_view* view;
    hem_result result = view_of(asset, count, &view);
    if (result != HEM_OK || (capacity && !links)) {
        return result != HEM_OK ? result : HEM_ERROR_NULL;
    }
    link_list list = {links, capacity, 0};
    walk_links(view, list_link, &list);
    *count = list.count;
    return HEM_OK;
}

hem_result hem_asset_get_dynamic_ranges(const hem_asset* asset, hem_vertex_range* ranges, uint32_t capacity,
                                        uint32_t* count) {
    const hem_view* view;
    hem_result result = view_of(asset, count, &view);
    if (result != HEM_OK || (capacity && !ranges)) {
        return result != HEM_OK ? result : HEM_ERROR_NULL;
    }
    const uint32_t total = view->info->vertex_count, blocks = (total + 7) / 8;
    uint32_t n = 0;
    for (uint32_t i = 0; i < blocks; ++i) {
        const uint32_t begin = i;
        while (i < blocks && view->vertex_blocks[i] != HEM_BLOCK_BONES) {
            ++i;
        }
        if (i != begin) {
            if (n < capacity) {
                ranges[n].begin = begin * 8;
                ranges[n].count = (i * 8 < total ? i * 8 : total) - begin * 8;
            }
            ++n;
        }
    }
    *count = n;
    return HEM_OK;
}

static hem_group_info group_of(const hem_view* view, const hem_group_batch* b, uint32_t lane) {
    hem_group_info group;
    memset(&group, 0, sizeof(group));
    group.particle = b->own[lane];
    group.part = b->part;
    group.mass = b->total_mass[lane];
    group.members[group.member_count++] = b->own[lane];
    const int indexed = b->own_row == (uint32_t)HEM_NONE;
    for (uint32_t k = b->member_begin; k < b->member_begin + b->member_count; ++k) {
        const uint32_t mask = indexed ? view->group_indices[k].lane_mask : view->group_members[k].lane_mask;
        if (!(mask >> lane & 1u) || group.member_count == HEM_MAX_GROUP_MEMBERS) {
            continue;
        }
        const uint32_t particle = indexed
                                      ? view->group_indices[k].index[lane]
                                      : view->group_members[k].row * 8 + ((lane + view->group_members[k].rotate) & 7u);
        group.members[group.member_count++] = (uint16_t)particle;
    }
    return group;
}

hem_result hem_asset_get_groups(const hem_asset* asset, hem_group_info* groups, uint32_t capacity, uint32_t* count) {
    HEM_STATIC_ASSERT(HEM_MAX_GROUP_MEMBERS == 32, "the room in hem_group_info");
    const hem_view* view;
    hem_result result = view_of(asset, count, &view);
    if (result != HEM_OK || (capacity && !groups)) {
        return result != HEM_OK ? result : HEM_ERROR_NULL;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < view->group_batch_count; ++i) {
        for (uint32_t lane = 0; lane < 8; ++lane) {
            if (!(view->group_batches[i].lane_mask >> lane & 1u)) {
                continue;
            }
            if (n < capacity) {
                groups[n] = group_of(view, &view->group_batches[i], lane);
            }
            ++n;
        }
    }
    *count = n;
    return HEM_OK;
}

// -- An instance

hem_result hem_instance_get_previous_matrices(const hem_scene* scene, hem_instance_id id, float* matrices,
                                              size_t stride) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!matrices) {
        return hemi_refuse_null(scene, __func__, "matrices");
    }
    if (stride && (stride < 48 || stride % 4 != 0)) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "stride", (double)stride,
                                 "must be 0 or a multiple of 4 bytes, at least 48");
    }
    if (!scene->keep_previous || !instance->view->info->vertex_count) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "hem_scene_def.keep_previous", scene->keep_previous,
                                 "must be 1, and the asset must have vertices");
    }
    for (uint32_t p = 0; p < instance->view->info->particle_count; ++p) {
        memcpy((char*)matrices + p * (stride ? stride : 48), instance->palette_prev[p], 48);
    }
    return HEM_OK;
}

typedef struct drawing {
    const hem_draw* draw;
    const hemi_instance* instance;
} drawing;

static void draw_link(void* user, const hem_link_info* link) {
    const drawing* d = user;
    float at[2][3];
    const uint32_t ends[2] = {link->a, link->b};
    for (int k = 0; k < 2; ++k) {
        const hemi_row4* x = &d->instance->show_x[ends[k] >> 3];
        at[k][0] = x->x[ends[k] & 7];
        at[k][1] = x->y[ends[k] & 7];
        at[k][2] = x->z[ends[k] & 7];
    }
    d->draw->line(d->draw->user, at[0], at[1], link);
}

hem_result hem_instance_draw(const hem_scene* scene, hem_instance_id id, const hem_draw* draw) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!draw) {
        return hemi_refuse_null(scene, __func__, "draw");
    }
    const hem_view* view = instance->view;
    for (uint32_t p = 0; draw->ellipsoid && p < view->info->particle_count; ++p) {
        hem_particle particle;
        if (!(view->particle_flags[p] & HEM_PARTICLE_PAD) &&
            hem_instance_get_particles(scene, id, p, 1, &particle) == HEM_OK) {
            draw->ellipsoid(draw->user, p, &particle);
        }
    }
    if (draw->line) {
        drawing d = {draw, instance};
        walk_links(view, draw_link, &d);
    }
    const uint32_t total = draw->collider ? hemi_collider_total(scene, instance) : 0;
    for (uint32_t i = 0; i < total; ++i) {
        hem_collider collider;
        if (hemi_read_collider(scene, instance, i, &collider)) {
            draw->collider(draw->user, &collider);
        }
    }
    return HEM_OK;
}
