// SPDX-License-Identifier: MIT
// Slots that come and go while a scene runs, out of a reserve that it was made with.
//
// Records of instances and of classes lie ready behind those of the def. What an asset needs besides is one piece of the
// reserve: the first gap that is large enough, between the pieces that others have. Ids keep their meaning for ever: the
// generation that a slot's last instance had stays in STATE when the slot goes, and the next one there begins behind it.
// Scratch is laid out anew for the assets that are there, so a scene that was loaded and one that went the long way agree.

#include "runtime/src/checks.h"
#include "runtime/src/layout.h"
#include "runtime/src/ops.h"
#include "runtime/src/refuse.h"
#include "runtime/src/tear.h"

static size_t round_up(size_t size) {
    return (size + 63) & ~(size_t)63;
}

static int is_given(const hemi_class* slots) {
    return slots->view != NULL && slots->reserve_end > slots->reserve_begin;
}

// -- Room

// Where the next piece of so many bytes would lie; the size of the reserve = nowhere. reached: the end of that gap.
static size_t find_gap(const hem_scene* scene, size_t from, size_t size, size_t* reached) {
    for (size_t at = from;;) {
        size_t end = scene->reserve_size, after = at;
        for (uint32_t i = scene->first_reserved_class; i < scene->class_count; ++i) {
            const hemi_class* other = &scene->classes[i];
            if (is_given(other) && other->reserve_begin <= at && other->reserve_end > at) {
                after = other->reserve_end;
            } else if (is_given(other) && other->reserve_begin > at && other->reserve_begin < end) {
                end = other->reserve_begin;
            }
        }
        if (after > at) {
            at = after;
        } else if (end - at >= size || end == scene->reserve_size) {
            *reached = end;
            return end - at >= size ? at : scene->reserve_size;
        } else {
            at = end;
        }
    }
}

static uint32_t find_records(const hem_scene* scene, uint32_t count) {
    uint32_t run = 0;
    for (uint32_t i = scene->first_reserved; i < scene->instance_count; ++i) {
        run = scene->instances[i].class_index == HEMI_NO_CLASS ? run + 1 : 0;
        if (run == count) {
            return i + 1 - count;
        }
    }
    return scene->instance_count;
}

static hem_scene_def def_of(const hem_scene_def* capacities, const hem_slot_def* slots, uint32_t count) {
    hem_scene_def def = *capacities;
    def.slots = slots;
    def.slot_count = count;
    return def;
}

static size_t size_of(const hem_scene_def* capacities, const hem_slot_def* slots) {
    const hem_scene_def def = def_of(capacities, slots, 1);
    hemi_carve c = {0};
    hemi_layout_slots(&c, &def, NULL, NULL);
    return c.overflow ? SIZE_MAX / 8 : round_up(c.used);
}

static hemi_extent extent_of(const hem_scene* scene, const hem_view* more) {
    hemi_extent extent = {0};
    for (uint32_t i = 0; i < scene->class_count; ++i) {
        if (scene->classes[i].view) {
            hemi_extent_add(&extent, scene->classes[i].view, &scene->capacity);
        }
    }
    if (more) {
        hemi_extent_add(&extent, more, &scene->capacity);
    }
    return extent;
}

// -- Memory that nobody has used yet

static void clear_array(void* user, void* array, size_t size) {
    (void)user;
    memset(array, 0, size);
}

// A block for a thousand characters is hundreds of megabytes. Whoever makes it does not wait for all of them to be cleared.
void hemi_clear_raw(const hem_scene* scene, const hemi_instance* instance) {
    const uint32_t i = (uint32_t)(instance - scene->instances);
    if (scene->slots[i] != HEMI_SLOT_RAW) {
        return;
    }
    const hem_view* view = scene->classes[instance->class_index].view;
    hemi_instance spare = {0};
    hemi_carve c = {.base = (uint8_t*)instance->target_next, .visit = clear_array};
    hemi_visit_input(scene, instance, clear_array, NULL);
    hemi_visit_state(scene, instance, clear_array, NULL);
    hemi_layout_instance(&c, view, scene->keep_previous, scene->budget, &spare);
    if (instance->torn) {
        hemi_torn_begin(view, &scene->instances[i]);
    }
    scene->slots[i] = HEMI_SLOT_FREE;
}

// -- Giving and taking

static void forget_slot(hem_scene* scene, uint32_t index) {
    hemi_instance* instance = &scene->instances[index];
    memset(instance, 0, sizeof(*instance));
    instance->class_index = HEMI_NO_CLASS;
    instance->state = &scene->nobody;
}

void hemi_begin_slots(hem_scene* scene) {
    for (uint32_t i = 0; i < scene->first_reserved; ++i) {
        memset(scene->instances[i].state, 0, sizeof(hemi_state));
        scene->slots[i] = HEMI_SLOT_RAW;
    }
    for (uint32_t i = scene->first_reserved; i < scene->instance_count; ++i) {
        forget_slot(scene, i);
    }
    HEMI_POISON(scene->reserve, scene->reserve_size);
}

static void settle_slots(hem_scene* scene) {
    const hemi_extent extent = extent_of(scene, NULL);
    hemi_lay_scratch(scene, &extent);
    hemi_measure_saves(scene);
    hemi_disturb_all(scene);
}

void hemi_give_slots(hem_scene* scene, const hem_asset* asset, uint32_t count) {
    const hem_view* view = hemi_asset_view(asset);
    const hem_slot_def slot = {asset, count};
    const hem_scene_def def = def_of(&scene->capacity, &slot, 1);
    const size_t size = size_of(&scene->capacity, &slot);
    size_t reached;
    const size_t at = find_gap(scene, 0, size, &reached);
    const uint32_t first = find_records(scene, count);
    uint32_t index = scene->first_reserved_class;
    while (index < scene->class_count && scene->classes[index].view) {
        ++index;
    }
    HEM_ASSERT(at + size <= scene->reserve_size && first + count <= scene->instance_count);
    HEM_ASSERT(index < scene->class_count);
    HEMI_UNPOISON(scene->reserve + at, size);
    memset(scene->reserve + at, 0, size);
    hemi_class* slots = &scene->classes[index];
    hemi_carve c = {.base = scene->reserve + at};
    hemi_layout_slots(&c, &def, &scene->instances[first], slots);
    slots->first_instance = first;
    slots->reserve_begin = at;
    slots->reserve_end = at + size;
    hemi_derive_class(scene, slots);
    for (uint32_t i = first; i < first + count; ++i) {
        hemi_instance* instance = &scene->instances[i];
        instance->class_index = index;
        instance->state->generation = scene->generations[i - scene->first_reserved];
        if (instance->torn) {
            hemi_torn_begin(view, instance);
        }
    }
    settle_slots(scene);
}

void hemi_take_slots(hem_scene* scene, uint32_t class_index) {
    hemi_class* slots = &scene->classes[class_index];
    HEM_ASSERT(is_given(slots));
    for (uint32_t i = slots->first_instance; i < slots->first_instance + slots->count; ++i) {
        HEM_ASSERT(!scene->instances[i].state->alive);
        scene->generations[i - scene->first_reserved] = scene->instances[i].state->generation;
        forget_slot(scene, i);
    }
    HEMI_POISON(scene->reserve + slots->reserve_begin, slots->reserve_end - slots->reserve_begin);
    memset(slots, 0, sizeof(*slots));
    settle_slots(scene);
}

// -- Calls

hem_result hem_slots_measure(const hem_scene_def* def, const hem_slot_def* slots, uint32_t slot_count,
                             hem_slots_need* need) {
    hem_scene_def with = def ? *def : hem_scene_def_default();
    with.reserve_slots = with.reserve_slots ? with.reserve_slots : 1; // that there is one is what is asked for
    hem_result result = def ? hem_scene_def_check(&with, NULL, 0) : HEM_ERROR_NULL;
    if (result != HEM_OK) {
        return result;
    }
    if (!slots || !need) {
        return HEM_ERROR_NULL;
    }
    hemi_extent extent = {0};
    need->size = need->scratch = 0;
    for (uint32_t i = 0; i < def->slot_count; ++i) {
        hemi_extent_add(&extent, hemi_asset_view(def->slots[i].asset), def);
    }
    for (uint32_t i = 0; i < slot_count; ++i) {
        const hem_view* view = hemi_asset_view(slots[i].asset);
        if (!view) {
            return slots[i].asset ? HEM_ERROR_ASSET : HEM_ERROR_NULL;
        }
        if (slots[i].count < 1 || slots[i].count > 65536 ||
            def->collider_capacity + view->collider_count > HEM_MAX_COLLIDERS) {
            return HEM_ERROR_RANGE;
        }
        hemi_extent_add(&extent, view, def);
        need->size += size_of(def, &slots[i]);
    }
    need->scratch = hemi_scratch_size(&extent);
    return HEM_OK;
}

hem_result hem_scene_add_slots(hem_scene* scene, const hem_slot_def* slots) {
    hem_result result = hemi_check_idle(scene, __func__);
    if (result != HEM_OK) {
        return result;
    }
    if (!slots) {
        return hemi_refuse_null(scene, __func__, "slots");
    }
    const hem_view* view = hemi_asset_view(slots->asset);
    if (!view) {
        const hemi_fault fault = hemi_fault_plain("slots", HEM_NONE, "asset",
                                                  slots->asset ? "is not open: call hem_asset_open first" : "is NULL");
        return hemi_refuse(scene, __func__, slots->asset ? HEM_ERROR_ASSET : HEM_ERROR_NULL, &fault);
    }
    if (slots->count < 1 || slots->count > 65536) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "slots.count", slots->count, "must be 1 to 65536");
    }
    if (scene->collider_capacity + view->collider_count > HEM_MAX_COLLIDERS) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "collider_capacity", scene->collider_capacity,
                                 "with the colliders of each asset it must be at most 256");
    }
    if (find_records(scene, slots->count) == scene->instance_count) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RESERVE, "slots.count", slots->count,
                                 "is more than hem_scene_def.reserve_slots has in one piece");
    }
    const hemi_extent extent = extent_of(scene, view);
    if (hemi_scratch_size(&extent) > scene->scratch_size) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RESERVE, "scratch of this asset",
                                 (double)hemi_scratch_size(&extent), "is more than hem_scene_def.reserve_scratch");
    }
    const size_t size = size_of(&scene->capacity, slots);
    size_t reached;
    if (find_gap(scene, 0, size, &reached) + size > scene->reserve_size) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RESERVE, "size of these slots", (double)size,
                                 "is more than hem_scene_def.reserve_size has in one piece");
    }
    hemi_op_slots payload = {.count = slots->count};
    memcpy(payload.asset, view->header->content_hash, sizeof(payload.asset));
    scene->coming = slots->asset;
    hemi_apply(scene, NULL, &(hemi_op){HEMI_OP_SLOTS_ADD, 0, &payload, NULL, 0});
    return HEM_OK;
}

hem_result hem_scene_remove_slots(hem_scene* scene, const hem_asset* asset) {
    hem_result result = hemi_check_idle(scene, __func__);
    if (result != HEM_OK) {
        return result;
    }
    const hem_view* view = hemi_asset_view(asset);
    if (!view) {
        return asset ? hemi_refuse(scene, __func__, HEM_ERROR_ASSET, NULL) : hemi_refuse_null(scene, __func__, "asset");
    }
    uint32_t found = 0;
    for (uint32_t i = scene->first_reserved_class; i < scene->class_count; ++i) {
        const hemi_class* slots = &scene->classes[i];
        for (uint32_t k = 0; slots->view == view && k < slots->count; ++k) {
            ++found;
            if (scene->instances[slots->first_instance + k].state->alive) {
                return hemi_refuse_value(scene, __func__, HEM_ERROR_IN_USE, "id.index1", slots->first_instance + k + 1,
                                         "still lives there: remove it first");
            }
        }
    }
    if (!found) {
        const hemi_fault fault = hemi_fault_plain(NULL, HEM_NONE, "asset", "has no slots out of the reserve");
        return hemi_refuse(scene, __func__, HEM_ERROR_SLOT, &fault);
    }
    for (uint32_t i = scene->first_reserved_class; i < scene->class_count; ++i) {
        if (scene->classes[i].view == view) {
            const hemi_op_slots_remove payload = {i};
            hemi_apply(scene, NULL, &(hemi_op){HEMI_OP_SLOTS_REMOVE, 0, &payload, NULL, 0});
        }
    }
    return HEM_OK;
}

hem_result hem_scene_get_reserve(const hem_scene* scene, hem_reserve_report* report) {
    hem_result result = hemi_check_idle(scene, __func__);
    if (result != HEM_OK) {
        return result;
    }
    if (!report) {
        return hemi_refuse_null(scene, __func__, "report");
    }
    memset(report, 0, sizeof(*report));
    for (uint32_t i = scene->first_reserved; i < scene->instance_count; ++i) {
        report->slots_left += scene->instances[i].class_index == HEMI_NO_CLASS;
    }
    for (size_t at = 0, reached = 0; at < scene->reserve_size; at = reached) {
        const size_t begin = find_gap(scene, at, 1, &reached);
        const size_t gap = begin < scene->reserve_size ? reached - begin : 0;
        report->bytes_left += gap;
        report->largest_bytes = gap > report->largest_bytes ? gap : report->largest_bytes;
    }
    return HEM_OK;
}
