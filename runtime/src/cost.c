// SPDX-License-Identifier: MIT
// What a frame of an instance costs at each level: counts of work times nanoseconds of the machine, added up. What depends
// on the asset alone is added up once, when the scene is made. No clock is read here: see hem/budget.h.

#include "runtime/src/step.h"

#define COSTS_COOKIE 0x48454d24u

hem_costs hem_costs_default(void) {
    static const float shipped[HEM_COST_COUNT] = {
#define SHIPPED(name, ns, what) ns,
        HEM_COSTS(SHIPPED)
#undef SHIPPED
    };
    hem_costs costs;
    memset(&costs, 0, sizeof(costs));
    costs.cookie = COSTS_COOKIE;
    memcpy(costs.ns, shipped, sizeof(shipped));
    return costs;
}

const char* hem_cost_name(hem_cost cost) {
    static const char* const names[HEM_COST_COUNT] = {
#define NAME(name, ns, what) #name,
        HEM_COSTS(NAME)
#undef NAME
    };
    return (uint32_t)cost < HEM_COST_COUNT ? names[cost] : NULL;
}

const char* hem_cost_text(hem_cost cost) {
    static const char* const texts[HEM_COST_COUNT] = {
#define TEXT(name, ns, what) what,
        HEM_COSTS(TEXT)
#undef TEXT
    };
    return (uint32_t)cost < HEM_COST_COUNT ? texts[cost] : NULL;
}

int hemi_costs_are_fine(const hem_costs* costs, uint32_t* worst) {
    *worst = HEM_COST_COUNT;
    for (uint32_t i = HEM_COST_COUNT; i-- > 0;) {
        *worst = costs->ns[i] >= 0.0f && costs->ns[i] <= 1e6f ? *worst : i;
    }
    return costs->cookie == COSTS_COOKIE && *worst == HEM_COST_COUNT;
}

const hemi_pace* hemi_pace_of(uint32_t level) {
    static const hemi_pace full = {1, 1.0f, 60.0f, 60.0f, 0}, light = {1, 0.5f, 60.0f, 60.0f, 1},
                           half = {2, 0.25f, 60.0f, 30.0f, 1}, quarter = {4, 0.125f, 30.0f, 30.0f, 1};
    HEM_ASSERT(level < HEM_LEVEL_FROZEN);
    return level == HEM_LEVEL_QUARTER ? &quarter
           : level == HEM_LEVEL_HALF  ? &half
           : level                    ? &light
                                      : &full; // coarse: as light
}

// -- Of an asset

// A pass over them; *once: those that are solved whole, a substep.
static float price_of_range(const hem_view* view, uint32_t p, const hem_range* range, const float* ns, float* once) {
    const hem_part* part = &view->parts[p];
    const hem_tuning* t = &view->tuning[p];
    const int tracked = t->tracking && hem_range_of(view->ranges, part, HEM_BATCH_DRIVES).count;
    float units = 0.0f;
    switch ((hem_batch_kind)range->kind) {
    case HEM_BATCH_LINKS:
        return (float)range->count * ns[HEM_COST_link];
    case HEM_BATCH_INDEXED_LINKS:
        return (float)range->count * ns[HEM_COST_indexed_link];
    case HEM_BATCH_GROUPS:
        for (uint32_t i = 0; i < range->count; ++i) {
            const hem_group_batch* batch = &view->group_batches[range->begin + i];
            const int indexed = batch->own_row >= view->info->row_count;
            uint32_t rotated = 0;
            for (uint32_t k = 0; !indexed && k < batch->member_count; ++k) {
                rotated += view->group_members[batch->member_begin + k].rotate != 0;
            }
            units +=
                (float)batch->member_count * (ns[HEM_COST_member] + (indexed ? ns[HEM_COST_indexed_member] : 0.0f) +
                                              (tracked ? ns[HEM_COST_tracked_member] : 0.0f)) +
                (float)rotated * ns[HEM_COST_rotated_member];
        }
        return (float)range->count * ns[HEM_COST_group] + units + (float)part->row_count * ns[HEM_COST_moment_row];
    case HEM_BATCH_RODS:
    case HEM_BATCH_CHAINS:
        for (uint32_t i = 0; i < range->count; ++i) {
            const hem_row_batch* batch = &view->row_batches[range->begin + i];
            const float one = range->kind == HEM_BATCH_CHAINS   ? ns[HEM_COST_chain]
                              : batch->form == HEM_FORM_STRANDS ? ns[HEM_COST_rod]
                                                                : ns[HEM_COST_indexed_rod];
            units += (float)batch->member_count * one;
        }
        *once += range->kind == HEM_BATCH_RODS ? units : 0.0f;
        return range->kind == HEM_BATCH_CHAINS ? units : 0.0f;
    case HEM_BATCH_TRIANGLES:
    case HEM_BATCH_BENDS:
    case HEM_BATCH_DIHEDRALS:
        return (float)range->count * ns[HEM_COST_fabric];
    case HEM_BATCH_TETRAHEDRA:
        *once += (float)range->count * ns[HEM_COST_solid];
        return 0.0f;
    case HEM_BATCH_SPRINGS:
        return (float)range->count * ns[HEM_COST_spring];
    case HEM_BATCH_REGIONS:
        if (t->solid_young > 0.0f && t->region_alpha == 0.0f && t->region_damping == 0.0f) {
            return 0.0f; // solid, and nothing else
        }
        return (float)part->row_count * ns[HEM_COST_region];
    default: // drives: with the rows
        return 0.0f;
    }
}

// Bones that eight particles follow: the first always, another where one of them has a weight for it.
static uint32_t bones_of(const hem_view* view, uint32_t row) {
    const hem_bind_row* bind = &view->bind_rows[row];
    uint32_t count = 1;
    for (int k = 1; k < 4; ++k) {
        int any = 0;
        for (int i = 0; i < 8; ++i) {
            any |= bind->weight[k][i] != 0.0f;
        }
        count += (uint32_t)any;
    }
    return count;
}

static void price_vertices(const hem_view* view, const float* ns, hemi_prices* out) {
    const uint32_t blocks = (view->info->vertex_count + 7) / 8;
    uint32_t kinds[3] = {0}; // bones, particles, both
    for (uint32_t i = 0; i < blocks; ++i) {
        const uint32_t kind = view->vertex_blocks[i];
        kinds[0] += kind == HEM_BLOCK_BONES;
        kinds[1] += kind == HEM_BLOCK_PARTICLES;
        kinds[2] += kind == HEM_BLOCK_MIXED;
    }
    out->skin = (float)kinds[0] * ns[HEM_COST_bone_vertex] + (float)kinds[1] * ns[HEM_COST_particle_vertex] +
                (float)kinds[2] * ns[HEM_COST_mixed_vertex] +
                (float)((view->vertex_cell_count + 7) / 8) * ns[HEM_COST_cell_vertex];
    out->skin_dynamic = out->skin - (float)kinds[0] * ns[HEM_COST_bone_vertex];
    out->skin_pose = (float)blocks * ns[HEM_COST_bone_vertex];
}

typedef struct row_counts {
    uint32_t cloth, soft, body, air, inner, torn, tracking, momentum, bones, animated_bones;
} row_counts;

static row_counts count_rows(const hem_view* view) {
    row_counts out = {0};
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        const hem_tuning* t = &view->tuning[p];
        out.cloth += part->kind == HEM_PART_CLOTH ? part->row_count : 0;
        out.soft += part->kind == HEM_PART_SOFT ? part->row_count : 0;
        out.body += part->kind == HEM_PART_BODY ? part->row_count : 0;
        out.air += t->drag > 0.0f || t->lift > 0.0f ? part->row_count : 0;
        out.inner += t->inner_damping > 0.0f ? part->row_count : 0;
        out.tracking += t->tracking ? hem_range_of(view->ranges, part, HEM_BATCH_DRIVES).count : 0;
    }
    for (uint32_t i = 0; i < view->lattice_count; ++i) {
        out.torn += view->lattices[i].spare_count ? view->parts[view->lattices[i].part].row_count : 0;
    }
    for (uint32_t row = 0; row < view->info->row_count; ++row) {
        out.bones += bones_of(view, row);
    }
    for (uint32_t i = 0; i < view->anim_row_count; ++i) {
        const uint32_t row = view->anim_rows[i].row;
        const uint32_t part = view->particle_flags[row * 8] >> HEM_PARTICLE_PART_SHIFT;
        out.animated_bones += bones_of(view, row);
        out.momentum += view->parts[part].animation == HEM_ANIMATE_MOMENTUM;
    }
    return out;
}

void hemi_price(const hem_view* view, const hem_costs* costs, hemi_prices* out) {
    const float* ns = costs->ns;
    const hem_info* info = view->info;
    const row_counts of = count_rows(view);
    memset(out, 0, sizeof(*out));
    for (uint32_t p = 0; p < info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        for (uint32_t n = 0; n < part->range_count; ++n) {
            out->pass[p] += price_of_range(view, p, &view->ranges[part->range_begin + n], ns, &out->once[p]);
        }
    }
    const float rows = (float)info->row_count, animated = (float)view->anim_row_count;
    out->pose = (float)info->bone_count * ns[HEM_COST_bone] + animated * ns[HEM_COST_target_row] +
                (float)of.animated_bones * ns[HEM_COST_target_bone] + ns[HEM_COST_frame] +
                animated * ns[HEM_COST_frame_row];
    out->offsets = rows * ns[HEM_COST_offset_row] + (float)of.bones * ns[HEM_COST_show_bone];
    out->shown = rows * ns[HEM_COST_show_row] + (float)of.bones * ns[HEM_COST_show_bone];
    const float pace = view->level_count ? rows * ns[HEM_COST_pace_row] : 0.0f;
    out->shown += pace;
    out->offsets += pace;
    out->drawn = (info->vertex_count ? rows * ns[HEM_COST_matrix_row] : 0.0f) +
                 (float)view->frame_row_count * ns[HEM_COST_turn_row];
    out->raise = rows * ns[HEM_COST_raise_row];
    out->step = ns[HEM_COST_step] + rows * ns[HEM_COST_step_row] + (float)of.inner * ns[HEM_COST_inner_row] +
                (float)of.torn * ns[HEM_COST_tear_row];
    out->substep = ns[HEM_COST_substep] + (float)of.cloth * ns[HEM_COST_row] + (float)of.soft * ns[HEM_COST_soft_row] +
                   (float)of.body * ns[HEM_COST_still_row] + animated * ns[HEM_COST_animated_row] +
                   (float)view->drive_row_count * ns[HEM_COST_drive_row] + (float)of.air * ns[HEM_COST_air_row] +
                   (float)of.tracking * ns[HEM_COST_track_row] + (float)of.momentum * ns[HEM_COST_momentum_row];
    out->search =
        (float)(info->row_count - of.body) * ns[HEM_COST_search_row] + (float)of.body * ns[HEM_COST_search_body];
    out->body = (float)of.body * ns[HEM_COST_body_row];
    out->supports = (float)of.soft * ns[HEM_COST_support_row];
    out->candidate = ns[HEM_COST_candidate];
    out->look_one = ns[HEM_COST_look];
    out->pair_look_one = ns[HEM_COST_pair_look];
    out->near_one = ns[HEM_COST_near];
    out->pair_one = ns[HEM_COST_pair];
    out->contact_one = ns[HEM_COST_contact];
    out->touch_one = ns[HEM_COST_touch];
    out->mesh_one = ns[HEM_COST_mesh_near];
    out->collider = ns[HEM_COST_collider];
    out->placed_one = ns[HEM_COST_placed];
    out->collider_row = rows * ns[HEM_COST_collider_row];
    out->sweep_row = ns[HEM_COST_sweep_row];
    out->sweep_link = ns[HEM_COST_sweep_link];
    out->sweep_pull = ns[HEM_COST_sweep_pull];
    out->force = rows * ns[HEM_COST_force_row];
    price_vertices(view, ns, out);
}

// -- Of an instance

// What is the same at all levels.
typedef struct step_price {
    float step, substep, search;     // ns
    float pair_substep, pair_search; // more, where cloth is kept off cloth
} step_price;

// What an instance is made of at a level of detail.
typedef struct made_of {
    const hem_view* view;
    const hemi_prices* prices;
    const hemi_derived* derived;
    float share; // of what was found near, counted at the level that took the last step
} made_of;

static const hemi_derived* derived_at(const hem_scene* scene, const hemi_instance* instance, uint32_t level) {
    const hemi_class* slots = &scene->classes[instance->class_index];
    return level ? slots->levels[level - 1].derived : slots->derived;
}

static float moving_rows(const hem_scene* scene, const hemi_instance* instance, uint32_t level) {
    const hem_view* view = level ? hemi_level_view(instance->view, level) : instance->view;
    return (float)(view->info->row_count - derived_at(scene, instance, level)->body_row_count);
}

static made_of made_at(const hem_scene* scene, const hemi_instance* instance, const hemi_prices* of, uint32_t level) {
    const uint32_t counted = instance->coarse ? instance->coarse->level : 0;
    made_of out = {level ? hemi_level_view(instance->view, level) : instance->view, of,
                   derived_at(scene, instance, level), 1.0f};
    if (level != counted) {
        out.share = moving_rows(scene, instance, level) / hem_maxf(moving_rows(scene, instance, counted), 1.0f);
    }
    return out;
}

static step_price price_of_substep(const hem_scene* scene, const hemi_instance* instance, const made_of* made) {
    const hem_view* view = made->view;
    const hemi_prices* of = made->prices;
    const hemi_given* given = instance->given;
    const uint32_t features = instance->input->features;
    step_price out = {of->step, of->substep + (float)scene->input->force_count * of->force, 0.0f, 0.0f, 0.0f};
    float passes = 1.0f;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const uint32_t said = instance->tuning[p].iterations;
        const float iterations =
            (float)(said == instance->view->tuning[p].iterations ? view->tuning[p].iterations : said);
        out.substep += iterations * of->pass[p] + of->once[p];
        passes = hem_maxf(passes, iterations);
    }
    passes = hem_minf(passes, 4.0f); // CONTACT_PASSES of plan.c
    out.step += made->share * ((float)given->sweep_rows * of->sweep_row + (float)given->sweep_links * of->sweep_link +
                               (float)given->sweep_pulls * of->sweep_pull);
    out.substep += passes * made->share * (float)given->contact_count * of->contact_one;
    if ((features & HEM_FEATURE_PARTICLE_CONTACTS) && made->derived->meets) {
        const float near = (float)given->near_count * made->share, pairs = (float)given->pair_count * made->share;
        out.substep += of->body + passes * (near * of->near_one + (near > 0.0f ? of->supports : 0.0f));
        out.search += of->search + near * of->candidate + (float)given->look_count * made->share * of->look_one;
        out.pair_substep = passes * pairs * of->pair_one;
        out.pair_search = pairs * of->candidate + (float)given->pair_look_count * made->share * of->pair_look_one;
    }
    const uint32_t colliders = features & HEM_FEATURE_COLLIDERS ? hemi_collider_total(scene, instance) : 0;
    if (colliders) {
        out.step += (float)colliders * of->collider;
        out.substep += (float)given->placed_count * of->placed_one;
        out.substep += passes * made->share *
                       ((float)given->touch_count * of->touch_one + (float)given->mesh_count * of->mesh_one);
        out.search += (float)((colliders + 7) / 8) * of->collider_row;
    }
    return out;
}

static float price_of_step(const hem_scene* scene, const hemi_instance* instance, const step_price* one,
                           const hemi_pace* pace) {
    const float seconds = scene->args.dt_seconds * instance->input->time_scale * (float)pace->period;
    float n = hem_minf(seconds * scene->substep_hz * pace->hz * 0.995f, (float)scene->substep_limit);
    n = n <= 1.0f ? 1.0f : hem_floorf(n) + (hem_floorf(n) < n ? 1.0f : 0.0f);
    n = scene->args.substeps ? (float)((scene->args.substeps + pace->light) >> pace->light) : n;
    const float dt = hem_minf(seconds, n / pace->slowest_hz);
    const float searches = hem_clampf(hem_floorf(dt * pace->searches_hz + 0.75f), 1.0f, n);
    const float pairs = pace->light ? 0.0f : 1.0f;
    return one->step + n * (one->substep + pairs * one->pair_substep) +
           searches * (one->search + pairs * one->pair_search);
}

void hemi_bid_of(const hem_scene* scene, const hemi_instance* instance, const hemi_prices* const* prices,
                 hemi_bid* bid) {
    const hemi_prices* of = prices[0];
    const float skin = scene->budget == HEM_BUDGET_STEP      ? 0.0f
                       : scene->budget == HEM_BUDGET_DYNAMIC ? of->skin_dynamic
                                                             : of->skin;
    const float always = of->pose + skin, shown = always + of->shown + of->drawn;
    uint32_t last = HEM_MAX_LEVELS; // whose price is at hand
    made_of made = {0};
    step_price one = {0};
    bid->rest = shown;
    bid->coarse = instance->view->level_count != 0;
    bid->turn[HEM_LEVEL_COARSE] = bid->mean[HEM_LEVEL_COARSE] = 0.0f; // of an asset without
    for (uint32_t level = 0; level < HEM_LEVEL_FROZEN; ++level) {
        if (level == HEM_LEVEL_COARSE && !bid->coarse) {
            continue;
        }
        const hemi_pace* pace = hemi_pace_of(level);
        const uint32_t detail = hemi_level_wanted(instance, level);
        if (detail != last) {
            made = made_at(scene, instance, prices[detail], detail);
            one = price_of_substep(scene, instance, &made);
            last = detail;
        }
        float step = price_of_step(scene, instance, &one, pace) + of->offsets;
        step += detail ? of->raise + made.prices->raise : 0.0f;
        const float now = always + of->drawn + step + (pace->period > 1 ? of->shown : 0.0f);
        bid->turn[level] = now;
        bid->mean[level] = pace->period > 1 ? shown + (now - shown) / (float)pace->period : now;
    }
    bid->turn[HEM_LEVEL_FROZEN] = bid->mean[HEM_LEVEL_FROZEN] = shown;
    const float pose = of->pose + (scene->budget == HEM_BUDGET_SKINNED ? of->skin_pose : 0.0f);
    bid->turn[HEM_LEVEL_POSE] = bid->mean[HEM_LEVEL_POSE] = pose;
}
