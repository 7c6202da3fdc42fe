// SPDX-License-Identifier: MIT
// The end of a step: what was caught, what was not finite, rest, the report; then what drawing reads.

#include "runtime/src/meshes.h"
#include "runtime/src/step.h"

void hemi_arrive(hemi_instance* instance) {
    hemi_state* s = instance->state;
    s->root = instance->input->root;
    ++s->step_count;
    s->jumped = 0;
    s->pose_changed = 0;
    s->woken = 0;
    hemi_keep_ties(instance);
    hemi_end_body(instance);
    memcpy(instance->target_prev, instance->target_next, instance->view->anim_row_count * sizeof(hemi_target_row));
    hemi_keep_bones(instance);
}

// What the plan of the next steps reckons with.
static void count_work(const hemi_step* s) {
    const hemi_contacts* contacts = &s->scratch->contacts;
    const hemi_colliders* colliders = &s->scratch->colliders;
    hemi_given* given = s->instance->given;
    const hem_view* view = s->instance->view;
    const uint32_t rows = view->info->row_count, words = (colliders->count + 63) / 64;
    given->near_count = s->touch ? contacts->near_count : 0;
    if (!s->light) { // else what it was when last looked for
        given->pair_count = s->touch ? contacts->pair_count + (contacts->side_end - contacts->side_begin) : 0;
    }
    given->touch_count = 0;
    for (uint32_t i = 0; i < rows * words; ++i) {
        const uint64_t bits = colliders->row_colliders[i];
        given->touch_count += hemi_bit_count((uint32_t)bits) + hemi_bit_count((uint32_t)(bits >> 32));
    }
    given->mesh_count = s->scratch->meshes.mesh_count ? s->scratch->meshes.near_count : 0;
    given->placed_count = 0;
    for (uint32_t i = 0; i < colliders->count; ++i) {
        for (uint32_t p = 0; (colliders->met[i / 32] >> (i % 32) & 1u) && p < view->info->part_count; ++p) {
            given->placed_count += view->parts[p].kind != HEM_PART_BODY &&
                                   (colliders->paths[i].collider->mask & view->parts[p].collision_group) != 0;
        }
    }
    const hemi_counters* counters = &s->scratch->counters;
    given->contact_count = counters->contact_count;
    given->look_count = counters->looks / s->search_count;
    if (!s->light) {
        given->pair_look_count = counters->pair_looks / s->search_count;
    }
    given->sweep_rows = counters->swept_rows;
    given->sweep_links = counters->swept_links;
    given->sweep_pulls = counters->swept_pulls;
}

static void report(hemi_step* s) {
    const hemi_counters* counters = &s->scratch->counters;
    const hemi_untangle* untangle = &s->scratch->untangle;
    hem_step_report* r = &s->drawn->report;
    if (counters->dropped_count) {
        s->drawn->event_mask |= 1u << HEM_EVENT_OVERFLOW;
    }
    r->substep_count = s->substep_count;
    r->candidate_count = counters->candidate_count;
    r->contact_count = counters->contact_count;
    r->dropped_count = counters->dropped_count;
    r->virtual_count = counters->virtual_count;
    r->virtual_dropped_count = counters->virtual_dropped_count;
    r->clamped_count = counters->clamped_count;
    r->mended_count = counters->mended_count;
    r->work_count = counters->work;
    if (s->instance->given) {
        count_work(s);
    }
    for (uint32_t i = 0; i < untangle->led_count; ++i) {
        r->led_count += hemi_bit_count(untangle->led[i].mask);
    }
}

void hemi_phase_settle(hemi_step* s) {
    hemi_instance* instance = s->instance;
    if (s->untangle) {
        hemi_watch_caught(s);
        hemi_watch_astray(s);
    }
    hemi_arrive(instance);
    if (!s->finite) {
        hemi_place_on_pose(s->scene, s->drawn);
        hemi_place_level(s);
        s->scratch->counters.mended_count = instance->view->info->simulated_count;
        s->drawn->event_mask |= 1u << HEM_EVENT_MENDED;
    }
    hemi_shake_snagged(s);
    hemi_resist_rolling(s);
    if (instance->torn) {
        hemi_tear(s);
    }
    hemi_rest(s);
    report(s);
}

// Derived rotations are worth computing every step only for who skins with them, blows against them or lies outside
// of them.
int hemi_keeps_frames(const hemi_instance* instance) {
    const hem_view* view = instance->view;
    int wanted = view->info->vertex_count > 0;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        wanted |= instance->tuning[p].drag > 0.0f || instance->tuning[p].lift > 0.0f;
        wanted |= (view->parts[p].outside_of[0] | view->parts[p].outside_of[1]) != 0;
    }
    return wanted && view->frame_row_count > 0;
}

#define FRAME_ROWS 16u // of an item

static void turn_rows(void* user, uint32_t item, hemi_scratch* mine) {
    const hemi_step* s = user;
    const hem_view* view = s->instance->view;
    const uint32_t begin = item * FRAME_ROWS, left = view->frame_row_count - begin;
    (void)mine;
    s->scene->kernels->frames(view, s->instance->show_x, begin, left < FRAME_ROWS ? left : FRAME_ROWS,
                              s->instance->frame_q + begin);
}

void hemi_phase_frames(hemi_step* s) {
    if (hemi_keeps_frames(s->instance)) {
        hemi_share(s, (s->instance->view->frame_row_count + FRAME_ROWS - 1) / FRAME_ROWS, turn_rows, s);
    }
}

static void make_matrices(void* user, uint32_t item, hemi_scratch* mine) {
    const hemi_step* s = user;
    const hemi_instance* instance = s->instance;
    const uint32_t begin = item * FRAME_ROWS, rows = instance->view->info->row_count;
    (void)mine;
    s->scene->kernels->palette(instance->view, instance->show_x, instance->show_q, instance->frame_q, begin,
                               begin + FRAME_ROWS < rows ? begin + FRAME_ROWS : rows, instance->palette);
}

void hemi_phase_skin(hemi_step* s) {
    const hem_info* info = s->instance->view->info;
    if (info->vertex_count) {
        hemi_share(s, (info->row_count + FRAME_ROWS - 1) / FRAME_ROWS, make_matrices, s);
    }
}

void hemi_update_palette(const hem_scene* scene, hemi_instance* instance) {
    hemi_step s = {.scene = scene, .instance = instance, .drawn = instance};
    hemi_phase_frames(&s);
    hemi_phase_skin(&s);
}
