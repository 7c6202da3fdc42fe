// SPDX-License-Identifier: MIT
// Where everything lies inside the game's block. See the drawing in internal.h.

#include "runtime/src/layout.h"

void hemi_layout_state(hemi_carve* c, const hem_view* view, uint32_t collider_capacity, hemi_instance* instance) {
    const hem_info* info = view->info;
    instance->state = hemi_take(c, 1, sizeof(hemi_state));
    instance->x = hemi_take(c, info->row_count, sizeof(hemi_row4));
    instance->v = hemi_take(c, info->row_count, sizeof(hemi_row3));
    instance->q = hemi_take(c, info->oriented_row_count, sizeof(hemi_row4));
    instance->w = hemi_take(c, info->oriented_row_count, sizeof(hemi_row3));
    instance->target_prev = hemi_take(c, view->anim_row_count, sizeof(hemi_target_row));
    instance->target_next = hemi_take(c, view->anim_row_count, sizeof(hemi_target_row));
    instance->past = hemi_take(c, collider_capacity + view->collider_count, sizeof(hemi_collider_past));
    instance->caught = hemi_take(c, info->particle_count, 1);
    instance->anchor = hemi_take(c, info->row_count, sizeof(hemi_anchor_row));
}

void hemi_layout_instance(hemi_carve* c, const hem_view* view, const hem_scene_def* def, hemi_instance* instance) {
    const hem_info* info = view->info;
    uint32_t colliders = def->collider_capacity + view->collider_count;
    instance->tuning = hemi_take(c, info->part_count, sizeof(hem_tuning));
    instance->colliders = hemi_take(c, colliders, sizeof(hemi_collider));
    instance->hulls = colliders ? hemi_take(c, HEMI_HULLS, sizeof(hemi_hull)) : NULL;
    instance->bones = hemi_take(c, info->bone_count, sizeof(hemi_bone_pose));
    instance->frame_q = hemi_take(c, view->frame_row_count, sizeof(hemi_row4));
    // A bare particle mesh has no vertices and is not skinned.
    uint32_t matrices = info->vertex_count ? info->particle_count : 0;
    instance->palette = hemi_take(c, matrices, 64);
    instance->bones_prev = instance->bones;
    instance->palette_prev = instance->palette;
    if (def->keep_previous) {
        instance->bones_prev = hemi_take(c, info->bone_count, sizeof(hemi_bone_pose));
        instance->palette_prev = hemi_take(c, matrices, 64);
    }
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

// Whether a part collides with any: parts that do not need no room for pairs.
static int meets_particles(const hem_view* view, uint32_t part) {
    const hem_part* a = &view->parts[part];
    int meets = 0;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* b = &view->parts[p];
        meets |= (a->collision_mask & b->collision_group) && (b->collision_mask & a->collision_group);
    }
    return meets;
}

void hemi_extent_add(hemi_extent* e, const hem_view* view, const hem_scene_def* def) {
    const hem_info* info = view->info;
    uint32_t bodies = 0, slabs = 0, meeting = 0;
    for (uint32_t p = 0; p < info->part_count; ++p) {
        if (view->parts[p].kind == HEM_PART_BODY) {
            bodies += view->parts[p].row_count * 8;
        } else if (meets_particles(view, p)) {
            slabs += (view->parts[p].row_count + 7) / 8;
            meeting = info->particle_count;
        }
    }
    e->rows = larger(e->rows, info->row_count);
    e->oriented_rows = larger(e->oriented_rows, info->oriented_row_count);
    e->particles = larger(e->particles, info->particle_count);
    e->anim_rows = larger(e->anim_rows, view->anim_row_count);
    e->parts = larger(e->parts, info->part_count);
    e->bodies = larger(e->bodies, bodies);
    e->meeting = larger(e->meeting, meeting);
    e->slabs = larger(e->slabs, (slabs + 7) & ~7u);
    e->batches = larger(e->batches, view->link_batch_count + view->index_batch_count);
    e->colliders = larger(e->colliders, def->collider_capacity + view->collider_count);
}

void hemi_layout_scratch(hemi_carve* c, const hemi_extent* e, const hem_scene_def* def, hemi_scratch* s) {
    s->prev_q = hemi_take(c, e->oriented_rows, sizeof(hemi_row4));
    s->now = hemi_take(c, e->anim_rows, sizeof(hemi_target_row));
    s->ahead = hemi_take(c, e->anim_rows, sizeof(hemi_target_row));
    s->normal = hemi_take(c, e->rows, sizeof(hemi_row3));
    s->force = hemi_take(c, e->rows, sizeof(hemi_row3));
    s->delta = hemi_take(c, e->rows, sizeof(hemi_row4));
    s->delta_prev = hemi_take(c, e->rows, sizeof(hemi_row3));
    s->moved_rows = hemi_take(c, e->rows, 1);
    s->moment = hemi_take(c, e->oriented_rows, 72 * sizeof(float));
    s->rest_moment = hemi_take(c, e->oriented_rows, 48 * sizeof(float));
    s->support = hemi_take(c, e->oriented_rows, 56 * sizeof(float));
    s->led = hemi_take(c, e->rows, sizeof(hemi_led));
    s->lambda = hemi_take(c, e->batches, 8 * sizeof(float));
    s->parts = hemi_take(c, e->parts, sizeof(hemi_part_step));
    s->part_pairs = hemi_take(c, e->parts, sizeof(uint64_t));
    s->part_frames = hemi_take(c, e->parts, sizeof(hemi_mat34));
    s->bodies = hemi_take(c, (size_t)e->bodies + 1, sizeof(hemi_body));
    s->body_row = hemi_take(c, e->bodies / 8, sizeof(uint16_t));
    s->body_target = hemi_take(c, e->bodies / 8, sizeof(uint16_t));
    s->body_data = hemi_take(c, e->bodies / 8, 80 * sizeof(float));
    s->body_box = hemi_take(c, (e->bodies / 8 + 7) / 8, sizeof(hemi_box8));
    s->body_block_box = hemi_take(c, (e->bodies / 8 + 63) / 64, sizeof(hemi_box8));
    s->body_members = hemi_take(c, e->bodies / 8, 1);
    s->body_tangents = hemi_take(c, e->bodies / 8, 1);
    s->near_body = hemi_take(c, e->rows, sizeof(hemi_near));
    s->near_capacity = (uint32_t)(def->candidate_capacity * e->meeting);
    s->near_list = hemi_take(c, s->near_capacity, sizeof(uint16_t));
    s->near_distance = hemi_take(c, s->near_capacity, sizeof(float));
    s->near_counts = hemi_take(c, e->particles, 1);
    s->hit_capacity = s->near_capacity;
    size_t pairs = (s->hit_capacity + 7) & ~(size_t)7;
    s->hits = hemi_take(c, pairs, sizeof(hemi_hit));
    s->pair_distance = (float*)(void*)s->hits;
    s->pair_a = s->hits ? (uint16_t*)(void*)(s->pair_distance + pairs) : NULL;
    s->pair_b = s->hits ? s->pair_a + pairs : NULL;
    s->collider_stride = (e->colliders + 7) & ~7u;
    s->collider_bounds = hemi_take(c, s->collider_stride, 6 * sizeof(float));
    s->row_colliders = hemi_take(c, (size_t)e->rows * ((e->colliders + 63) / 64), sizeof(uint64_t));
    s->colliders = hemi_take(c, (size_t)e->colliders * e->parts, sizeof(hemi_shape));
    s->clusters = hemi_take(c, e->slabs * 8, sizeof(hemi_cluster));
    s->cluster_data = hemi_take(c, e->slabs * 8, 64 * sizeof(float));
    s->cluster_box = hemi_take(c, e->slabs, sizeof(hemi_box8));
    s->block_box = hemi_take(c, e->slabs / 8, sizeof(hemi_box8));
    s->quarter_box = hemi_take(c, (e->slabs + 63) / 64, sizeof(hemi_box8));
    s->block_parts = hemi_take(c, e->slabs, sizeof(uint64_t));
    s->block_partners = hemi_take(c, e->slabs, sizeof(uint64_t));
}

// The whole scene. With a NULL base, scratch records live on the stack of this call and only sizes matter.
void hemi_layout_scene(hemi_carve* c, const hem_scene_def* def, hem_scene** out) {
    hem_scene* scene = hemi_take(c, 1, sizeof(hem_scene));
    uint32_t instance_count = 0;
    hemi_extent extent = {0};
    for (uint32_t i = 0; i < def->slot_count; ++i) {
        instance_count += def->slots[i].count;
        hemi_extent_add(&extent, hemi_asset_view(def->slots[i].asset), def);
    }
    hemi_class* classes = hemi_take(c, def->slot_count, sizeof(hemi_class));
    hemi_instance* instances = hemi_take(c, instance_count, sizeof(hemi_instance));
    hemi_scratch* scratch = hemi_take(c, def->worker_capacity, sizeof(hemi_scratch));
    hem_event* events = hemi_take(c, def->event_capacity, sizeof(hem_event));
    for (uint32_t i = 0; i < def->slot_count; ++i) {
        const hem_view* view = hemi_asset_view(def->slots[i].asset);
        int lists = view->ignore_starts[view->info->particle_count] != 0;
        uint32_t clusters = hemi_ignored_at(view->info->part_count, view->info->row_count, 0);
        hemi_ignored* ignored = hemi_take(c, lists ? clusters : 0, sizeof(hemi_ignored));
        if (classes) {
            classes[i].ignored = lists ? ignored : NULL;
        }
    }

    size_t state_begin = c->used;
    uint32_t n = 0;
    for (uint32_t i = 0; i < def->slot_count; ++i) {
        const hem_view* view = hemi_asset_view(def->slots[i].asset);
        for (uint32_t k = 0; k < def->slots[i].count; ++k, ++n) {
            hemi_instance spare = {0};
            hemi_layout_state(c, view, def->collider_capacity, instances ? &instances[n] : &spare);
        }
    }
    size_t state_size = c->used - state_begin;
    n = 0;
    for (uint32_t i = 0; i < def->slot_count; ++i) {
        const hem_view* view = hemi_asset_view(def->slots[i].asset);
        if (classes) {
            classes[i].view = view;
            classes[i].first_instance = n;
            classes[i].count = def->slots[i].count;
        }
        for (uint32_t k = 0; k < def->slots[i].count; ++k, ++n) {
            hemi_instance spare = {0};
            hemi_instance* instance = instances ? &instances[n] : &spare;
            hemi_layout_instance(c, view, def, instance);
            instance->view = view;
            instance->class_index = i;
        }
    }
    for (uint32_t i = 0; i < def->worker_capacity; ++i) {
        hemi_scratch spare = {0};
        hemi_layout_scratch(c, &extent, def, scratch ? &scratch[i] : &spare);
    }
    if (scene) {
        scene->class_count = def->slot_count;
        scene->instance_count = instance_count;
        scene->worker_count = def->worker_capacity;
        scene->event_capacity = def->event_capacity;
        scene->classes = classes;
        scene->instances = instances;
        scene->scratch = scratch;
        scene->events = events;
        scene->state = c->base + state_begin;
        scene->state_size = state_size;
    }
    *out = scene;
}
