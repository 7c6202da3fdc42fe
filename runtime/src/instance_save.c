// SPDX-License-Identifier: MIT
// One instance, saved and loaded alone.
//
//   head | INPUT of the instance | STATE of the instance       without gaps, as layout.c lays them out
//
// The head says with which capacities: a scene that has others lays its own arrays beside those of the save and takes over
// what both have room for. What was said and does not fit is refused before anything is changed.

#include "runtime/src/checks.h"
#include "runtime/src/layout.h"
#include "runtime/src/ops.h"
#include "runtime/src/refuse.h"

#define SAVE_MAGIC 0x494d4548u // "HEMI"
#define SAVE_VERSION 1

typedef struct save_head {
    uint32_t magic;
    uint16_t version;
    uint16_t kind;     // hem_save_kind
    uint8_t asset[16]; // content_hash
    uint32_t collider_capacity, hull_plane_capacity, tie_capacity;
    uint32_t budget; // 0, 1
} save_head;

HEM_STATIC_ASSERT(sizeof(save_head) == 40, "the head of an instance's save has grown");

static const hem_view* view_of(const hem_scene* scene, const hemi_instance* instance) {
    return scene->classes[instance->class_index].view; // the instance's own is what a tear has made of it
}

static save_head head_of(const hem_scene* scene, const hemi_instance* instance, uint32_t kind) {
    save_head head = {.magic = SAVE_MAGIC,
                      .version = SAVE_VERSION,
                      .kind = (uint16_t)kind,
                      .collider_capacity = scene->collider_capacity,
                      .hull_plane_capacity = scene->hull_plane_capacity,
                      .tie_capacity = scene->tie_capacity,
                      .budget = scene->budget != 0};
    memcpy(head.asset, view_of(scene, instance)->header->content_hash, sizeof(head.asset));
    return head;
}

// Where everything is in a save with this head, and how large it is. bytes NULL = only the size. Whole words.
static size_t lay_out(const save_head* head, const hem_view* view, const void* bytes, hemi_instance* from) {
    hemi_carve c = {.base = (uint8_t*)(uintptr_t)bytes, .packed = 1};
    memset(from, 0, sizeof(*from));
    hemi_take(&c, 1, sizeof(*head));
    if (head->kind == HEM_SAVE_ALL) {
        hemi_layout_input(&c, view, head->collider_capacity, head->hull_plane_capacity, head->tie_capacity,
                          head->budget, from);
    }
    hemi_layout_state(&c, view, head->collider_capacity, head->tie_capacity, head->budget, from);
    return (c.used + 3) & ~(size_t)3;
}

size_t hem_instance_save_size(const hem_scene* scene, hem_instance_id id, hem_save_kind kind) {
    hemi_instance* instance;
    hemi_instance spare;
    if (hemi_find(scene, __func__, id, &instance) != HEM_OK || (kind != HEM_SAVE_STATE && kind != HEM_SAVE_ALL)) {
        return 0;
    }
    const save_head head = head_of(scene, instance, kind);
    return lay_out(&head, view_of(scene, instance), NULL, &spare);
}

static void save_bytes(void* to, void* array, size_t size) {
    uint8_t** at = to;
    memcpy(*at, array, size);
    *at += size;
}

hem_result hem_instance_save(const hem_scene* scene, hem_instance_id id, hem_save_kind kind, void* bytes, size_t size) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!bytes) {
        return hemi_refuse_null(scene, __func__, "bytes");
    }
    const size_t need = hem_instance_save_size(scene, id, kind);
    if (!need) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "kind", kind, "must be one of hem_save_kind");
    }
    if (size < need) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_MEMORY, "size", (double)size,
                                 "is less than hem_instance_save_size says");
    }
    hemi_catch_up(scene, instance);
    const save_head head = head_of(scene, instance, kind);
    memset((uint8_t*)bytes + need - 4, 0, 4);
    memcpy(bytes, &head, sizeof(head));
    uint8_t* at = (uint8_t*)bytes + sizeof(head);
    if (kind == HEM_SAVE_ALL) {
        hemi_visit_input(scene, instance, save_bytes, &at);
    }
    hemi_visit_state(scene, instance, save_bytes, &at);
    HEM_ASSERT((size_t)(at - (uint8_t*)bytes) <= need);
    return HEM_OK;
}

// -- Load

// An element of a save, which may lie anywhere.
#define READ(to, from, index) memcpy(&(to), (const uint8_t*)(from) + (index) * sizeof(to), sizeof(to))

static hem_result check_head(const save_head* head, const hem_view* view, hemi_fault* fault) {
    *fault = hemi_fault_plain("save", HEM_NONE, "head", "is of no instance's save that this version reads");
    if (head->magic != SAVE_MAGIC || head->version != SAVE_VERSION || head->budget > 1 ||
        (head->kind != HEM_SAVE_STATE && head->kind != HEM_SAVE_ALL) || head->collider_capacity > HEM_MAX_COLLIDERS ||
        head->collider_capacity + view->collider_count > HEM_MAX_COLLIDERS || head->tie_capacity > HEMI_TIES ||
        head->hull_plane_capacity > HEM_MAX_HULL_PLANES) {
        return HEM_ERROR_STATE;
    }
    for (uint32_t i = 0; i < 16; ++i) {
        if (head->asset[i] != view->header->content_hash[i]) {
            fault->rule = "is of an instance of another asset";
            return HEM_ERROR_STATE;
        }
    }
    return HEM_OK;
}

// What was said must find room here.
static hem_result check_room(const hem_scene* scene, const hemi_instance* from, hemi_fault* fault) {
    hemi_input in;
    READ(in, from->input, 0);
    uint32_t planes = 0;
    for (uint32_t i = 0; i < in.collider_count; ++i) {
        hemi_collider c;
        READ(c, from->colliders, i);
        planes = c.plane_count && c.first_plane + c.plane_count > planes ? c.first_plane + c.plane_count : planes;
    }
    const struct {
        const char* name;
        uint32_t count, capacity;
        const char* rule;
    } counts[] = {
        {"colliders of the save", in.collider_count, scene->collider_capacity, "are more than collider_capacity"},
        {"hull planes of the save", planes, scene->hull_plane_capacity, "are more than hull_plane_capacity"},
        {"ties of the save", in.tie_count, scene->tie_capacity, "are more than tie_capacity"}};
    for (uint32_t i = 0; i < HEM_COUNT_OF(counts); ++i) {
        if (counts[i].count > counts[i].capacity) {
            *fault = hemi_fault_value(counts[i].name, HEM_NONE, counts[i].count, counts[i].rule);
            return HEM_ERROR_COUNT;
        }
    }
    return HEM_OK;
}

static hem_result check_save(const hem_scene* scene, const hem_view* view, const void* bytes, size_t size,
                             hemi_fault* fault) {
    save_head head;
    *fault = hemi_fault_plain("save", HEM_NONE, "head", "is cut short");
    if (size < sizeof(head)) {
        return HEM_ERROR_STATE;
    }
    memcpy(&head, bytes, sizeof(head));
    hem_result result = check_head(&head, view, fault);
    hemi_instance from;
    if (result != HEM_OK) {
        return result;
    }
    if (size < lay_out(&head, view, bytes, &from)) {
        *fault = hemi_fault_value("size", HEM_NONE, (double)size, "the save is cut short");
        return HEM_ERROR_STATE;
    }
    hem_scene as = {.collider_capacity = head.collider_capacity,
                    .hull_plane_capacity = head.hull_plane_capacity,
                    .tie_capacity = head.tie_capacity,
                    .budget = head.budget,
                    .mesh_count = scene->mesh_count};
    hemi_state state;
    READ(state, from.state, 0);
    if (state.alive != 1 || !hemi_state_is_good(&as, &from, view)) {
        *fault = hemi_fault_plain("save", HEM_NONE, "state", "holds values that no step leaves");
        return HEM_ERROR_STATE;
    }
    if (head.kind != HEM_SAVE_ALL) {
        return HEM_OK;
    }
    if (!hemi_input_is_good(&as, &from, view)) {
        *fault = hemi_fault_plain("save", HEM_NONE, "input", "holds values that a call refuses");
        return HEM_ERROR_STATE;
    }
    return check_room(scene, &from, fault);
}

// Elements that the save and the scene have room for; behind them zeros.
static void take_over(void* to, uint32_t capacity, const void* from, uint32_t from_capacity, size_t size) {
    const uint32_t count = capacity < from_capacity ? capacity : from_capacity;
    if (capacity) {
        memset(to, 0, capacity * size);
    }
    if (count) {
        memcpy(to, from, count * size);
    }
}

static void restore_input(const hem_scene* scene, hemi_instance* to, const hemi_instance* from, const save_head* head) {
    const hem_view* view = to->view;
    const uint64_t user = to->input->user;
    const uint32_t lattices = view->lattice_clip_count ? view->lattice_count : 0;
    take_over(to->input, 1, from->input, 1, sizeof(hemi_input));
    to->input->user = user;
    to->input->generation = to->state->generation;
    take_over(to->bones, view->info->bone_count, from->bones, view->info->bone_count, sizeof(hemi_bone_pose));
    take_over(to->tuning, view->info->part_count, from->tuning, view->info->part_count, sizeof(hem_tuning));
    take_over(to->colliders, scene->collider_capacity, from->colliders, head->collider_capacity, sizeof(hemi_collider));
    take_over(to->planes, scene->hull_plane_capacity, from->planes, head->hull_plane_capacity, sizeof(*to->planes));
    take_over(to->ties, scene->tie_capacity, from->ties, head->tie_capacity, sizeof(hemi_tie));
    take_over(to->tracks, lattices, from->tracks, lattices, sizeof(hemi_track));
    if (scene->budget && head->budget) {
        take_over(to->wish, 1, from->wish, 1, sizeof(hemi_wish));
    }
}

static void restore_levels(hemi_instance* to, const hemi_instance* from, const save_head* head) {
    const hem_view* view = to->view;
    if (!to->coarse) {
        return;
    }
    if (!head->budget) { // it has always been the finest
        memset(to->coarse, 0, sizeof(*to->coarse));
        hemi_keep_bones(to);
        return;
    }
    take_over(to->coarse, 1, from->coarse, 1, sizeof(hemi_coarse));
    take_over(to->bones_past, view->info->bone_count, from->bones_past, view->info->bone_count, sizeof(hemi_bone_pose));
    take_over(to->fade, view->info->row_count, from->fade, view->info->row_count, sizeof(hemi_row3));
    take_over(to->fade_q, view->info->oriented_row_count, from->fade_q, view->info->oriented_row_count,
              sizeof(hemi_row4));
    take_over(to->pace, view->info->row_count, from->pace, view->info->row_count, 8 * sizeof(float));
    take_over(to->pace_q, view->info->oriented_row_count, from->pace_q, view->info->oriented_row_count,
              8 * sizeof(float));
    hemi_carve here = {.base = to->level_state}, there = {.base = from->level_state, .packed = 1};
    for (uint32_t i = 1; i <= view->level_count; ++i) {
        const hem_view* level = hemi_level_view(view, i);
        const uint32_t rows = level->info->row_count, oriented = level->info->oriented_row_count;
        hemi_instance a, b;
        hemi_layout_level_state(&here, level, &a);
        hemi_layout_level_state(&there, level, &b);
        take_over(a.x, rows, b.x, rows, sizeof(hemi_row4));
        take_over(a.v, rows, b.v, rows, sizeof(hemi_row3));
        take_over(a.q, oriented, b.q, oriented, sizeof(hemi_row4));
        take_over(a.w, oriented, b.w, oriented, sizeof(hemi_row3));
        take_over(a.target_prev, level->anim_row_count, b.target_prev, level->anim_row_count, sizeof(hemi_target_row));
        take_over(a.caught, level->info->particle_count, b.caught, level->info->particle_count, 1);
        take_over(a.anchor, rows, b.anchor, rows, sizeof(hemi_anchor_row));
    }
}

static void restore_shown(const hem_scene* scene, hemi_instance* to, const hemi_instance* from, const save_head* head) {
    const uint32_t rows = to->view->info->row_count, oriented = to->view->info->oriented_row_count;
    if (scene->budget && !head->budget) { // it was in view all the time
        *to->given = (hemi_given){.blend = HEMI_BLEND, .age = 255};
        hemi_show_pose(to);
    } else if (scene->budget) {
        take_over(to->given, 1, from->given, 1, sizeof(hemi_given));
        take_over(to->goal, rows, from->goal, rows, sizeof(hemi_row3));
        take_over(to->goal_q, oriented, from->goal_q, oriented, sizeof(hemi_row4));
        take_over(to->offset, rows, from->offset, rows, sizeof(hemi_row3));
        take_over(to->offset_q, oriented, from->offset_q, oriented, sizeof(hemi_row4));
        take_over(to->room_x, rows, from->room_x, rows, sizeof(hemi_row4));
        take_over(to->room_q, oriented, from->room_q, oriented, sizeof(hemi_row4));
    }
}

static void restore_state(const hem_scene* scene, hemi_instance* to, const hemi_instance* from, const save_head* head) {
    const hem_view* view = view_of(scene, to);
    const hem_info* info = view->info;
    const uint32_t generation = to->state->generation;
    const uint32_t lattices = view->lattice_clip_count ? view->lattice_count : 0;
    take_over(to->state, 1, from->state, 1, sizeof(hemi_state));
    to->state->generation = generation;
    take_over(to->x, info->row_count, from->x, info->row_count, sizeof(hemi_row4));
    take_over(to->v, info->row_count, from->v, info->row_count, sizeof(hemi_row3));
    take_over(to->q, info->oriented_row_count, from->q, info->oriented_row_count, sizeof(hemi_row4));
    take_over(to->w, info->oriented_row_count, from->w, info->oriented_row_count, sizeof(hemi_row3));
    take_over(to->target_prev, view->anim_row_count, from->target_prev, view->anim_row_count, sizeof(hemi_target_row));
    take_over(to->past, scene->collider_capacity, from->past, head->collider_capacity, sizeof(hemi_collider_past));
    take_over(to->past + scene->collider_capacity, view->collider_count,
              (const uint8_t*)from->past + head->collider_capacity * sizeof(hemi_collider_past), view->collider_count,
              sizeof(hemi_collider_past));
    take_over(to->caught, info->particle_count, from->caught, info->particle_count, 1);
    take_over(to->anchor, info->row_count, from->anchor, info->row_count, sizeof(hemi_anchor_row));
    take_over(to->tie_past, scene->tie_capacity, from->tie_past, head->tie_capacity, sizeof(hemi_tie_past));
    take_over(to->wrapped, view->virtual_edge_count, from->wrapped, view->virtual_edge_count, 8 * sizeof(hemi_wrapped));
    take_over(to->track_past, lattices, from->track_past, lattices, sizeof(hemi_track_past));
    if (view->tear_face_count) {
        take_over(to->corners, view->lattice_cell_count, from->corners, view->lattice_cell_count, sizeof(*to->corners));
        take_over(to->homes, info->particle_count, from->homes, info->particle_count, sizeof(uint16_t));
    }
    if (view->body_mesh_size) {
        take_over(to->body_bones, info->bone_count, from->body_bones, info->bone_count, sizeof(hemi_bone_pose));
    }
    restore_shown(scene, to, from, head);
    restore_levels(to, from, head);
}

void hemi_restore(hem_scene* scene, hemi_instance* instance, const void* save) {
    save_head head;
    hemi_instance from;
    memcpy(&head, save, sizeof(head));
    lay_out(&head, view_of(scene, instance), save, &from);
    if (head.kind == HEM_SAVE_ALL) {
        restore_input(scene, instance, &from, &head);
    }
    restore_state(scene, instance, &from, &head);
    memset(&instance->report, 0, sizeof(instance->report));
    hemi_derive_loaded(scene, instance, head.kind);
}

hem_result hem_instance_load(hem_scene* scene, hem_instance_id id, const void* bytes, size_t size) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!bytes) {
        return hemi_refuse_null(scene, __func__, "bytes");
    }
    const hem_view* view = view_of(scene, instance);
    hemi_fault fault;
    result = check_save(scene, view, bytes, size, &fault);
    if (result != HEM_OK) {
        return hemi_refuse(scene, __func__, result, &fault);
    }
    save_head head;
    hemi_instance spare;
    memcpy(&head, bytes, sizeof(head));
    const size_t used = lay_out(&head, view, NULL, &spare);
    hemi_apply(scene, instance, &(hemi_op){HEMI_OP_RESTORE, (uint32_t)(used / 4), &(hemi_op_nothing){0}, bytes, 4});
    return HEM_OK;
}
