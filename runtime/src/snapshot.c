// SPDX-License-Identifier: MIT
// Save, load and hash: three walks over the arrays of INPUT and STATE, in the order in which layout.c lays them out, so
// that none of them can forget what another knows.
//
//   a save:  head | INPUT: scene, meshes, instance 0, 1, ... | STATE: scene, meshes, instance 0, 1, ...     without gaps
//
// A save of the state alone leaves INPUT out. What skinning and the next step read besides is derived from both.

#include "runtime/src/checks.h"
#include "runtime/src/kernels/kernels.h"
#include "runtime/src/layout.h"
#include "runtime/src/meshes.h"
#include "runtime/src/tear.h"
#include "platform/hash.h"

#define SAVE_MAGIC 0x534d4548u // "HEMS"
#define SAVE_VERSION 1

typedef struct save_head {
    uint32_t magic;
    uint16_t version;
    uint16_t kind; // hem_save_kind
    uint64_t layout;
} save_head;

HEM_STATIC_ASSERT(sizeof(save_head) == 16, "the head of a save has grown");

static int is_kind(uint32_t kind) {
    return kind == HEM_SAVE_STATE || kind == HEM_SAVE_ALL;
}

static size_t save_size(const hem_scene* scene, uint32_t kind) {
    return sizeof(save_head) + (kind == HEM_SAVE_ALL ? scene->input_size : 0) + scene->state_size;
}

// -- Walks

static void count_bytes(void* sum, void* array, size_t size) {
    (void)array;
    *(size_t*)sum += size;
}

static void hash_bytes(void* hash, void* array, size_t size) {
    *(uint64_t*)hash = hem_hash(array, size, *(uint64_t*)hash);
}

static void save_bytes(void* to, void* array, size_t size) {
    uint8_t** at = to;
    memcpy(*at, array, size);
    *at += size;
}

static void load_bytes(void* from, void* array, size_t size) {
    const uint8_t** at = from;
    memcpy(array, *at, size);
    *at += size;
}

static void clear_all_raw(const hem_scene* scene) {
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        hemi_clear_raw(scene, &scene->instances[i]);
    }
}

static void walk_shared_input(const hem_scene* scene, hemi_visit visit, void* user) {
    hemi_visit_scene_input(scene, visit, user);
    for (uint32_t i = 0; i < scene->mesh_count; ++i) {
        hemi_mesh spare = scene->meshes[i];
        hemi_carve c = {.base = (uint8_t*)spare.input, .visit = visit, .user = user};
        hemi_layout_mesh_input(&c, &spare);
    }
}

static void walk_input(const hem_scene* scene, hemi_visit visit, void* user) {
    walk_shared_input(scene, visit, user);
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        if (scene->instances[i].class_index != HEMI_NO_CLASS) {
            hemi_visit_input(scene, &scene->instances[i], visit, user);
        }
    }
}

static void walk_shared_state(const hem_scene* scene, hemi_visit visit, void* user) {
    hemi_visit_scene_state(scene, visit, user);
    for (uint32_t i = 0; i < scene->mesh_count; ++i) {
        hemi_mesh spare = scene->meshes[i];
        hemi_carve c = {.base = (uint8_t*)spare.state, .visit = visit, .user = user};
        hemi_layout_mesh_state(&c, &spare);
    }
}

static void walk_state(const hem_scene* scene, hemi_visit visit, void* user) {
    walk_shared_state(scene, visit, user);
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        if (scene->instances[i].class_index != HEMI_NO_CLASS) {
            hemi_visit_state(scene, &scene->instances[i], visit, user);
        }
    }
}

// Later calls add what has come out of the reserve since.
void hemi_measure_saves(hem_scene* scene) {
    scene->input_size = scene->state_size = 0;
    walk_shared_input(scene, count_bytes, &scene->input_size);
    walk_shared_state(scene, count_bytes, &scene->state_size);
    for (uint32_t i = 0; i < scene->class_count; ++i) {
        const hemi_class* slots = &scene->classes[i];
        size_t input = 0, state = 0;
        if (slots->view) { // its slots are all as large
            hemi_visit_input(scene, &scene->instances[slots->first_instance], count_bytes, &input);
            hemi_visit_state(scene, &scene->instances[slots->first_instance], count_bytes, &state);
        }
        scene->input_size += input * slots->count;
        scene->state_size += state * slots->count;
    }
    if (scene->fixed_hash) {
        scene->layout_hash = scene->fixed_hash;
        for (uint32_t i = scene->first_reserved_class; i < scene->class_count; ++i) {
            const hemi_class* slots = &scene->classes[i];
            const uint32_t place[2] = {slots->first_instance, slots->count};
            if (slots->view) {
                scene->layout_hash = hem_hash(slots->view->header->content_hash, 16, scene->layout_hash);
                scene->layout_hash = hem_hash(place, sizeof(place), scene->layout_hash);
            }
        }
        return;
    }
    uint64_t sizes[2] = {scene->input_size, scene->state_size};
    scene->layout_hash = hem_hash(sizes, sizeof(sizes), HEM_FORMAT_VERSION);
    for (uint32_t i = 0; i < scene->first_reserved_class; ++i) {
        const hemi_class* slots = &scene->classes[i];
        scene->layout_hash = hem_hash(slots->view->header->content_hash, 16, scene->layout_hash);
        scene->layout_hash = hem_hash(&slots->count, sizeof(slots->count), scene->layout_hash);
        if (slots->view->virtual_edge_count) { // who finds room changes what the next step does
            const uint32_t capacity = scene->virtual_capacity;
            scene->layout_hash = hem_hash(&capacity, sizeof(capacity), scene->layout_hash);
        }
    }
}

// -- Save

size_t hem_scene_save_size(const hem_scene* scene, hem_save_kind kind) {
    return hemi_check(scene) == HEM_OK && is_kind(kind) ? save_size(scene, kind) : 0;
}

hem_result hem_scene_save(const hem_scene* scene, hem_save_kind kind, void* bytes, size_t size) {
    hem_result result = hemi_check_idle(scene, __func__);
    if (result != HEM_OK) {
        return result;
    }
    if (!bytes) {
        return hemi_refuse_null(scene, __func__, "bytes");
    }
    if (!is_kind(kind)) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "kind", kind, "must be one of hem_save_kind");
    }
    if (size < save_size(scene, kind)) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_MEMORY, "size", (double)size,
                                 "is less than hem_scene_save_size says");
    }
    save_head head = {SAVE_MAGIC, SAVE_VERSION, (uint16_t)kind, scene->layout_hash};
    memcpy(bytes, &head, sizeof(head));
    uint8_t* at = (uint8_t*)bytes + sizeof(head);
    clear_all_raw(scene);
    hemi_catch_up_all(scene);
    if (kind == HEM_SAVE_ALL) {
        walk_input(scene, save_bytes, &at);
    }
    walk_state(scene, save_bytes, &at);
    HEM_ASSERT(at == (uint8_t*)bytes + save_size(scene, kind));
    return HEM_OK;
}

// -- Load

static int head_is_good(const void* bytes, size_t size, save_head* head) {
    if (size < sizeof(*head)) {
        return 0;
    }
    memcpy(head, bytes, sizeof(*head));
    return head->magic == SAVE_MAGIC && head->version == SAVE_VERSION && is_kind(head->kind);
}

hem_result hem_save_get_kind(const void* bytes, size_t size, hem_save_kind* kind) {
    save_head head;
    if (!bytes || !kind) {
        return HEM_ERROR_NULL;
    }
    if (!head_is_good(bytes, size, &head)) {
        return HEM_ERROR_STATE;
    }
    *kind = (hem_save_kind)head.kind;
    return HEM_OK;
}

// An element of a save, which may lie anywhere.
#define READ(to, from, index) memcpy(&(to), (const uint8_t*)(from) + (index) * sizeof(to), sizeof(to))

static int head_of_state_is_good(const hemi_state* s) {
    return s->generation && s->asleep <= HEMI_AWAY && hemi_all_in_range(s->middle, 3, HEMI_FAR) &&
           s->substep_count <= HEMI_MAX_SUBSTEPS && hemi_in_range(s->still_seconds, 0.0f, 1e6f) &&
           hemi_in_range(s->pose_still_seconds, 0.0f, 1e6f) && hemi_is_root(&s->root) &&
           hemi_is_unit(s->match_rotation) && hemi_all_in_range(s->felt_velocity, 3, HEMI_FINITE) &&
           hemi_all_in_range(s->felt_spin, 3, HEMI_FINITE);
}

static int bones_are_good(const hemi_bone_pose* from, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        hemi_bone_pose bone;
        READ(bone, from, i);
        if (!hemi_bone_is_sane(bone.m) || !hemi_all_in_range(bone.q, 4, 1.1f)) {
            return 0;
        }
    }
    return 1;
}

// Whole rows, or targets, which consist of them.
static int rows_are_within(const void* from, size_t size, float limit) {
    for (size_t i = 0; i < size / 32; ++i) {
        float eight[8];
        READ(eight, from, i);
        if (!hemi_all_in_range(eight, 8, limit)) {
            return 0;
        }
    }
    return 1;
}

static int places_are_good(const hemi_row4* from, uint32_t row_count) {
    int good = 1;
    for (uint32_t row = 0; row < row_count; ++row) {
        hemi_row4 x;
        READ(x, from, row);
        good &= hemi_all_in_range(x.x, 8, HEMI_FAR) && hemi_all_in_range(x.y, 8, HEMI_FAR) &&
                hemi_all_in_range(x.z, 8, HEMI_FAR);
        for (uint32_t i = 0; i < 8; ++i) {
            good &= hemi_in_range(x.w[i], 0.0f, HEMI_FINITE);
        }
    }
    return good;
}

static int rotations_are_unit(const hemi_row4* from, const hem_part* part) {
    int good = 1;
    for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
        hemi_row4 q;
        READ(q, from, row);
        for (uint32_t i = 0; i < 8; ++i) {
            const float one[4] = {q.x[i], q.y[i], q.z[i], q.w[i]};
            good &= hemi_is_unit(one);
        }
    }
    return good;
}

static int given_is_good(const hemi_instance* from, const hem_view* view) {
    const hem_info* info = view->info;
    hemi_given given;
    READ(given, from->given, 0);
    return hemi_is_level(view, given.level) && given.age <= 255 && given.waited <= 255 && given.turn <= 1 &&
           given.direct <= 1 && given.show_left <= 255 && given.blend <= HEMI_BLEND &&
           given.reason <= HEM_PLAN_ASLEEP && hemi_in_range(given.waited_seconds, 0.0f, 1e3f) &&
           rows_are_within(from->goal, info->row_count * sizeof(hemi_row3), HEMI_FINITE) &&
           rows_are_within(from->goal_q, info->oriented_row_count * sizeof(hemi_row4), 1.1f) &&
           rows_are_within(from->offset, info->row_count * sizeof(hemi_row3), HEMI_FINITE) &&
           rows_are_within(from->offset_q, info->oriented_row_count * sizeof(hemi_row4), 1.1f) &&
           rows_are_within(from->room_x, info->row_count * sizeof(hemi_row4), HEMI_FAR) &&
           rows_are_within(from->room_q, info->oriented_row_count * sizeof(hemi_row4), 1.1f);
}

static int soft_parts_are_unit(const hemi_row4* q, const hem_view* view) {
    int good = 1;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        good &= view->parts[p].kind != HEM_PART_SOFT || rotations_are_unit(q, &view->parts[p]);
    }
    return good;
}

static int motion_is_good(const hemi_instance* from, const hem_view* view) {
    const hem_info* info = view->info;
    return places_are_good(from->x, info->row_count) &&
           rows_are_within(from->v, info->row_count * sizeof(hemi_row3), HEMI_FINITE) &&
           rows_are_within(from->q, info->oriented_row_count * sizeof(hemi_row4), HEMI_FINITE) &&
           rows_are_within(from->w, info->oriented_row_count * sizeof(hemi_row3), HEMI_FINITE) &&
           rows_are_within(from->target_prev, view->anim_row_count * sizeof(hemi_target_row), HEMI_FAR);
}

// Of a level that has not been stepped yet nothing is asked but that it is numbers.
static int levels_are_good(const hemi_instance* from, const hem_view* view) {
    hemi_coarse coarse;
    if (!view->level_count) {
        return 1;
    }
    READ(coarse, from->coarse, 0);
    int good = coarse.level <= view->level_count && coarse.fades <= 255 && coarse.placed <= 1 &&
               rows_are_within(from->fade, view->info->row_count * sizeof(hemi_row3), HEMI_FINITE) &&
               rows_are_within(from->fade_q, view->info->oriented_row_count * sizeof(hemi_row4), 1.1f) &&
               rows_are_within(from->pace, view->info->row_count * 32u, HEMI_FINITE) &&
               rows_are_within(from->pace_q, view->info->oriented_row_count * 32u, 2.0f) &&
               bones_are_good(from->bones_past, view->info->bone_count);
    hemi_carve carve = {.base = from->level_state, .packed = 1};
    for (uint32_t i = 1; i <= view->level_count && good; ++i) {
        const hem_view* level = hemi_level_view(view, i);
        hemi_instance at;
        hemi_layout_level_state(&carve, level, &at);
        good = motion_is_good(&at, level) && (coarse.level != i || soft_parts_are_unit(at.q, level));
    }
    return good;
}

// A step leaves numbers and unit quaternions behind; `from` points into the save.
int hemi_state_is_good(const hem_scene* scene, const hemi_instance* from, const hem_view* view) {
    hemi_state s;
    READ(s, from->state, 0);
    if (!head_of_state_is_good(&s) || !motion_is_good(from, view)) {
        return 0;
    }
    int good = soft_parts_are_unit(from->q, view);
    for (uint32_t i = 0; i < scene->collider_capacity + view->collider_count; ++i) {
        hemi_collider_past past;
        READ(past, from->past, i);
        good &= !past.whose || (hemi_all_in_range(past.pose, 3, HEMI_FINITE) && hemi_is_unit(past.pose + 3));
    }
    for (uint32_t i = 0; i < scene->tie_capacity; ++i) {
        hemi_tie_past past;
        READ(past, from->tie_past, i);
        good &= hemi_is_place(past.position);
    }
    for (uint32_t i = 0; i < 8 * view->virtual_edge_count; ++i) {
        hemi_wrapped w;
        READ(w, from->wrapped, i);
        const int length2 = w.up[0] * w.up[0] + w.up[1] * w.up[1] + w.up[2] * w.up[2];
        good &= w.now == 1 ? length2 > 120 * 120 && length2 < 134 * 134
                           : length2 == 0 && (w.now == 0 || w.now == HEMI_WRAP_LOOSE);
    }
    for (uint32_t i = 0; view->lattice_clip_count && i < view->lattice_count; ++i) {
        hemi_track_past past;
        READ(past, from->track_past, i);
        good &= hemi_track_past_is_fine(&past, view);
    }
    if (from->body_bones) {
        good &= bones_are_good(from->body_bones, view->info->bone_count);
    }
    if (from->corners) { // against the asset: the instance's own view is what a tear has made of it
        good &= hemi_torn_is_good(view, (const hemi_corners*)from->corners, from->homes);
    }
    return good && (!scene->budget || (given_is_good(from, view) && levels_are_good(from, view)));
}

static int head_of_input_is_good(const hemi_input* in, const hem_scene* scene) {
    hemi_fault fault;
    return hemi_is_root(&in->root) && hemi_sleep_distance_is_fine(in->sleep_distance, in->wake_distance, &fault) &&
           hemi_in_range(in->pose_blend, 0.0f, 1.0f) && hemi_in_range(in->time_scale, 0.0f, 8.0f) &&
           hemi_in_range(in->gravity_scale, -100.0f, 100.0f) && hemi_all_in_range(in->gravity, 3, 1000.0f) &&
           hemi_all_in_range(in->wind, 3, 1000.0f) && !(in->features & ~(uint32_t)HEM_FEATURE_ALL) &&
           in->animation >= -1 && in->animation <= 1 && hemi_is_felt_limit(in->felt_acceleration) &&
           hemi_is_felt_limit(in->felt_turning) && in->collider_count <= scene->collider_capacity &&
           in->tie_count <= scene->tie_capacity && (!in->carry_step || hemi_is_unit(in->carry_rotation)) &&
           hemi_is_place(in->carry_from) && hemi_is_place(in->carry_to);
}

static int colliders_are_good(const hem_scene* scene, const hemi_collider* colliders, const void* planes,
                              uint32_t count, uint32_t bone_count) {
    hemi_fault fault;
    for (uint32_t i = 0; i < count; ++i) {
        hemi_collider collider;
        READ(collider, colliders, i);
        const int hull = collider.kind == HEM_SHAPE_HULL;
        if (!hemi_collider_is_fine(&collider, bone_count, scene->mesh_count, &fault) ||
            (hull ? collider.plane_count < HEM_MIN_HULL_PLANES : collider.plane_count != 0) ||
            collider.plane_count > scene->hull_plane_capacity ||
            (hull && collider.first_plane > scene->hull_plane_capacity - collider.plane_count)) {
            return 0;
        }
        for (uint32_t k = 0; k < collider.plane_count; ++k) {
            float plane[4];
            READ(plane, planes, collider.first_plane + k);
            if (!hemi_plane_is_fine(plane, (int32_t)k, &fault)) {
                return 0;
            }
        }
    }
    return 1;
}

// The same as the calls ask for; `from` points into the save.
int hemi_input_is_good(const hem_scene* scene, const hemi_instance* from, const hem_view* view) {
    hemi_input in;
    READ(in, from->input, 0);
    if (!head_of_input_is_good(&in, scene)) {
        return 0;
    }
    if (!bones_are_good(from->bones, view->info->bone_count)) {
        return 0;
    }
    if (scene->budget) {
        hemi_wish wish;
        READ(wish, from->wish, 0);
        if (!hemi_is_level(view, wish.best) || !hemi_is_level(view, wish.worst) || wish.best > wish.worst ||
            !hemi_in_range(wish.importance, 0.0f, 1e6f)) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < view->info->part_count; ++i) {
        hem_tuning tuning;
        READ(tuning, from->tuning, i);
        if (hem_validate_tuning_of(view->info, &tuning, 1, NULL) != HEM_FORMAT_OK) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < in.tie_count; ++i) {
        hemi_fault fault;
        hemi_tie tie;
        READ(tie, from->ties, i);
        if (!hemi_tie_is_fine(&tie, view, &fault)) {
            return 0;
        }
    }
    for (uint32_t i = 0; view->lattice_clip_count && i < view->lattice_count; ++i) {
        hemi_fault fault;
        hemi_track track;
        READ(track, from->tracks, i);
        if (!hemi_track_is_fine(&track, view, i, &fault)) {
            return 0;
        }
    }
    return colliders_are_good(scene, from->colliders, from->planes, in.collider_count, view->info->bone_count);
}

static int forces_are_good(const hemi_force* forces, uint32_t count) {
    hemi_fault fault;
    int good = 1;
    for (uint32_t i = 0; i < count && good; ++i) {
        hemi_force force;
        READ(force, forces, i);
        good = hemi_force_is_fine(&force, &fault);
    }
    return good;
}

static int scene_input_is_good(const hem_scene* scene, const hem_scene* from) {
    hemi_scene_input in;
    READ(in, from->input, 0);
    return hemi_all_in_range(in.gravity, 3, HEMI_FINITE) && in.has_force_field <= 1 && in.has_viewpoint <= 1 &&
           hemi_is_place(in.viewpoint) && hemi_in_range(in.budget_us, 0.0f, scene->budget ? 1e6f : 0.0f) &&
           in.collider_count <= scene->scene_collider_capacity &&
           colliders_are_good(scene, from->colliders, from->planes, in.collider_count, 0) &&
           in.force_count <= scene->force_capacity && forces_are_good(from->forces, in.force_count);
}

static int scene_state_is_good(const hem_scene* scene, const hem_scene* from) {
    int good = 1;
    for (uint32_t i = 0; i < scene->scene_collider_capacity; ++i) {
        hemi_world_past past;
        READ(past, from->past, i);
        good &= !past.whose || (hemi_is_place(past.position) && hemi_is_unit(past.rotation));
    }
    for (uint32_t i = 0; i < scene->force_capacity; ++i) {
        hemi_force_past past;
        READ(past, from->force_past, i);
        good &= past.seconds >= 0.0 && past.seconds <= HEMI_LONGEST_SECONDS;
    }
    if (scene->budget) {
        hemi_spent spent;
        READ(spent, from->spent, 0);
        good &= hemi_in_range(spent.scale, 0.125f, 8.0f) && hemi_in_range(spent.price, 0.0f, HEMI_FINITE) &&
                hemi_in_range(spent.planned_us, 0.0f, HEMI_FINITE);
    }
    return good;
}

// Moves both on, behind the meshes. input_at NULL = there is none.
static int meshes_are_good(const hem_scene* scene, uint8_t** input_at, uint8_t** state_at) {
    int good = 1;
    for (uint32_t i = 0; i < scene->mesh_count; ++i) {
        hemi_mesh from = scene->meshes[i];
        hemi_carve carve = {.base = *state_at, .packed = 1};
        hemi_layout_mesh_state(&carve, &from);
        *state_at += carve.used;
        hemi_mesh_state state;
        READ(state, from.state, 0);
        good &= state.jumped <= 1 && bones_are_good(from.bones_prev, from.bone_count);
        if (input_at) {
            carve = (hemi_carve){.base = *input_at, .packed = 1};
            hemi_layout_mesh_input(&carve, &from);
            *input_at += carve.used;
            hemi_mesh_input in;
            READ(in, from.input, 0);
            good &= in.triangle_count <= from.triangle_capacity && bones_are_good(from.bones, from.bone_count);
            for (uint32_t k = 0; k < from.triangle_capacity; ++k) {
                hemi_triangle t;
                READ(t, from.triangles, k);
                good &= hemi_all_in_range(t.at[0], 9, HEM_TRIMESH_MAX_METRES);
            }
        }
    }
    return good;
}

// The save is laid over by the same functions as the block, without gaps, to find what there is to check.
static hem_result check_save(const hem_scene* scene, uint32_t kind, const void* bytes, hemi_fault* fault) {
    uint8_t* input_at = (uint8_t*)(uintptr_t)bytes + sizeof(save_head);
    uint8_t* state_at = input_at;
    hem_scene shared;
    if (kind == HEM_SAVE_ALL) {
        hemi_carve carve = {.base = input_at, .packed = 1};
        hemi_layout_scene_input(&carve, scene->scene_collider_capacity, scene->hull_plane_capacity,
                                scene->force_capacity, &shared);
        hemi_scene_input in;
        READ(in, input_at, 0);
        if (!scene_input_is_good(scene, &shared)) {
            *fault = hemi_fault_plain("save", HEM_NONE, "scene", "holds values that no call sets");
            return HEM_ERROR_STATE;
        }
        if (in.has_force_field && !scene->force_field) {
            *fault = hemi_fault_plain(NULL, HEM_NONE, NULL, NULL);
            return HEM_ERROR_FIELD;
        }
        input_at += carve.used;
        state_at += scene->input_size;
    }
    hemi_carve of_scene = {.base = state_at, .packed = 1};
    hemi_layout_scene_state(&of_scene, scene->scene_collider_capacity, scene->force_capacity, scene->budget,
                            scene->capacity.reserve_slots, &shared);
    state_at += of_scene.used;
    if (!scene_state_is_good(scene, &shared)) {
        *fault = hemi_fault_plain("save", HEM_NONE, "scene", "holds values that no step leaves");
        return HEM_ERROR_STATE;
    }
    if (!meshes_are_good(scene, kind == HEM_SAVE_ALL ? &input_at : NULL, &state_at)) {
        return HEM_ERROR_STATE;
    }
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        if (scene->instances[i].class_index == HEMI_NO_CLASS) {
            continue;
        }
        const hem_view* view = scene->classes[scene->instances[i].class_index].view;
        hemi_instance from = {0};
        hemi_carve carve = {.base = state_at, .packed = 1};
        hemi_layout_state(&carve, view, scene->collider_capacity, scene->tie_capacity, scene->budget, &from);
        state_at += carve.used;
        hemi_state state;
        READ(state, from.state, 0);
        if (state.alive > 1 || (state.alive && !hemi_state_is_good(scene, &from, view))) {
            *fault = hemi_fault_plain("instances", (int32_t)i, "state", "holds values that no step leaves");
            return HEM_ERROR_STATE;
        }
        if (kind == HEM_SAVE_ALL) {
            carve = (hemi_carve){.base = input_at, .packed = 1};
            hemi_layout_input(&carve, view, scene->collider_capacity, scene->hull_plane_capacity, scene->tie_capacity,
                              scene->budget, &from);
            input_at += carve.used;
            if (state.alive && !hemi_input_is_good(scene, &from, view)) {
                *fault = hemi_fault_plain("instances", (int32_t)i, "input", "holds values that a call refuses");
                return HEM_ERROR_STATE;
            }
        }
    }
    return HEM_OK;
}

// What is not saved because it follows from what is.
void hemi_derive_loaded(hem_scene* scene, hemi_instance* instance, uint32_t kind) {
    if (!instance->state->alive) {
        return;
    }
    const hem_info* info = instance->view->info;
    if (instance->torn) {
        hemi_torn_derive(scene->classes[instance->class_index].view, instance);
    }
    if (instance->input->generation != instance->state->generation) {
        hemi_default_input(scene, instance); // what was said is about another life of this slot
        instance->input->root = instance->state->root;
    } else if (kind == HEM_SAVE_STATE && instance->input->carry_step > instance->state->step_count) {
        instance->input->carry_step = 0; // for a step that is to come again: the game says it again, or does not
    }
    if (kind == HEM_SAVE_ALL) {
        scene->kernels->targets(instance->view, instance->bones, instance->target_next);
    }
    hemi_derive_body(scene, instance);
    hemi_show_again(instance);
    hemi_update_palette(scene, instance);
    if (instance->coarse && instance->coarse->level) {
        hemi_instance level;
        hemi_open_level(instance, instance->coarse->level, &level);
        hemi_frame_level(scene, &level);
    }
    if (scene->keep_previous) {
        memcpy(instance->bones_prev, instance->bones, info->bone_count * sizeof(hemi_bone_pose));
        memcpy(instance->palette_prev, instance->palette, info->vertex_count ? info->particle_count * 64u : 0u);
    }
}

hem_result hem_scene_load(hem_scene* scene, const void* bytes, size_t size) {
    hem_result result = hemi_check_idle(scene, __func__);
    if (result != HEM_OK) {
        return result;
    }
    if (!bytes) {
        return hemi_refuse_null(scene, __func__, "bytes");
    }
    save_head head;
    hemi_fault fault = hemi_fault_plain("save", HEM_NONE, "head", "is of no save that this version reads");
    if (!head_is_good(bytes, size, &head)) {
        return hemi_refuse(scene, __func__, HEM_ERROR_STATE, &fault);
    }
    if (head.layout != scene->layout_hash) {
        fault.rule = "is of a scene with other slots, assets or capacities";
        return hemi_refuse(scene, __func__, HEM_ERROR_STATE, &fault);
    }
    if (size < save_size(scene, head.kind)) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_STATE, "size", (double)size, "the save is cut short");
    }
    result = check_save(scene, head.kind, bytes, &fault);
    if (result != HEM_OK) {
        return hemi_refuse(scene, __func__, result, &fault);
    }
    const uint8_t* at = (const uint8_t*)bytes + sizeof(head);
    clear_all_raw(scene);
    if (head.kind == HEM_SAVE_ALL) {
        walk_input(scene, load_bytes, &at);
    }
    walk_state(scene, load_bytes, &at);
    for (uint32_t i = 0; i < scene->mesh_count; ++i) {
        hemi_derive_mesh(scene, &scene->meshes[i]);
    }
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        hemi_instance* instance = &scene->instances[i];
        memset(&instance->report, 0, sizeof(instance->report));
        instance->spoken = 1;
        scene->slots[i] = instance->state->alive ? HEMI_SLOT_OPEN : HEMI_SLOT_FREE;
        hemi_derive_loaded(scene, instance, head.kind);
    }
    memset(&scene->report, 0, sizeof(scene->report));
    scene->spoken = 1;
    scene->event_count = scene->event_lost = 0;
    return HEM_OK;
}

// -- Hash

uint64_t hem_scene_hash(const hem_scene* scene) {
    uint64_t hash = 0;
    if (hemi_check_idle(scene, __func__) == HEM_OK) {
        clear_all_raw(scene);
        hemi_catch_up_all(scene);
        walk_input(scene, hash_bytes, &hash);
        walk_state(scene, hash_bytes, &hash);
    }
    return hash;
}

uint64_t hemi_input_hash(const hem_scene* scene, const hemi_instance* instance) {
    uint64_t hash = 0;
    hemi_visit_input(scene, instance, hash_bytes, &hash);
    return hash;
}

hem_result hem_instance_hash(const hem_scene* scene, hem_instance_id id, uint64_t* hash) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!hash) {
        return hemi_refuse_null(scene, __func__, "hash");
    }
    hemi_catch_up(scene, instance);
    *hash = hemi_input_hash(scene, instance);
    hemi_visit_state(scene, instance, hash_bytes, hash);
    return HEM_OK;
}
