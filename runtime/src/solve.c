// SPDX-License-Identifier: MIT
// The phases of a substep that work on the particles: prediction, constraints, contacts, velocities.

#include "runtime/src/step.h"

// Accelerations of the game's own function and of the forces by name. NULL = none.
static hemi_row3* forces(const hemi_step* s) {
    const hem_scene* scene = s->scene;
    const hemi_instance* instance = s->instance;
    hemi_row3* force = s->scratch->solve.force;
    const uint32_t row_count = instance->view->info->row_count;
    if (!scene->input->has_force_field && !s->scratch->forces.count && !instance->view->hair_row_count) {
        return NULL;
    }
    memset(force, 0, row_count * sizeof(hemi_row3));
    if (scene->input->has_force_field) {
        HEM_ASSERT(scene->force_field); // a load asks for it when the save has one
        scene->force_field(scene->force_user, s->id, instance->x[0].x, instance->v[0].x, force[0].x, row_count);
    }
    if (s->scratch->forces.count) {
        hemi_add_forces(s, force);
    }
    if (instance->view->hair_row_count) {
        hemi_keep_full(s, force);
    }
    return force;
}

typedef struct prediction {
    hemi_step* s;
    hem_quat world;
    hem_vec3 g, wind;
    const hemi_row3 *force, *air;
} prediction;

static void predict_part(void* user, uint32_t item, hemi_scratch* mine) {
    const prediction* all = user;
    hemi_step* s = all->s;
    const hemi_kernels* k = s->scene->kernels;
    hemi_instance* instance = s->instance;
    const hemi_input* input = instance->input;
    const hem_view* view = instance->view;
    hemi_solve* solve = &s->scratch->solve;
    const uint32_t p = s->derived->part_order[item];
    const hem_part* part = &view->parts[p];
    const hem_tuning* t = &instance->tuning[p];
    hemi_part_step* tune = &solve->parts[p];
    const float scale = t->gravity_scale * input->gravity_scale;
    const int body = part->kind == HEM_PART_BODY;
    const uint32_t row = part->row_begin;
    uint32_t clamped = 0;
    (void)mine;
    tune->frame = hemi_frame_motion(&s->path, all->world, s->s0, s->s1, body ? 0.0f : t->linear_inertia,
                                    body ? 0.0f : t->angular_inertia);
    tune->gravity[0] = all->g.x * scale;
    tune->gravity[1] = all->g.y * scale;
    tune->gravity[2] = all->g.z * scale;
    tune->lying = 2.0f * s->h * s->h * hem_vec3_length(hem_vec3_scale(all->g, scale));
    memcpy(tune->wind, &all->wind, sizeof(tune->wind));
    hemi_predict predict = {instance->x + row,
                            instance->v + row,
                            solve->normal + row,
                            view->shape_rows + row,
                            view->area_row_count ? view->area_rows + row : NULL,
                            view->map_rows ? view->map_rows + row : NULL,
                            all->force ? all->force + row : NULL,
                            all->air ? all->air + row : NULL,
                            tune,
                            &clamped,
                            part->row_count,
                            s->h,
                            body,
                            s->chained};
    k->predict(&predict);
    if (part->kind == HEM_PART_SOFT) {
        k->predict_rotation(instance->q + row, instance->w + row, solve->prev_q + row, view->shape_rows + row,
                            view->map_rows ? view->map_rows + row : NULL, part->row_count, tune, s->h);
    }
    if (clamped) {
        HEM_ATOMIC_ADD(&s->scratch->counters.clamped_count, clamped);
    }
}

void hemi_phase_predict(hemi_step* s) {
    const hemi_kernels* k = s->scene->kernels;
    hemi_instance* instance = s->instance;
    const hemi_input* input = instance->input;
    const hem_view* view = instance->view;
    hemi_solve* solve = &s->scratch->solve;
    if (s->substep == 0 && (s->air || s->derived->ordered)) {
        if (s->reframe) {
            k->frames(view, instance->x, 0, view->frame_row_count, instance->frame_q);
        }
        k->normals(view, instance->q, instance->frame_q, solve->normal);
    }
    prediction all = {.s = s, .world = hem_quat_slerp(s->path.from, s->path.to, s->s1)};
    all.g =
        hem_quat_rotate_back(all.world, hemi_vec3_of(input->own_gravity ? input->gravity : s->scene->input->gravity));
    all.wind = hem_quat_rotate_back(all.world, hemi_vec3_of(input->wind));
    all.force = forces(s);
    all.air = hemi_find_air(s, all.wind);
    hemi_share(s, view->info->part_count, predict_part, &all);
}

// A part that follows the pose so that momentum is kept would be pushed about by a drive; it tracks its shape instead.
void hemi_phase_drive(hemi_step* s) {
    hemi_instance* instance = s->instance;
    const hem_view* view = instance->view;
    hemi_solve* solve = &s->scratch->solve;
    for (uint32_t p = 0; view->drive_row_count && p < view->info->part_count; ++p) {
        const hem_range range = hem_range_of(view->ranges, &view->parts[p], HEM_BATCH_DRIVES);
        const hem_drive_row* rows = view->drive_rows + range.begin;
        const hemi_part_step* tune = &solve->parts[p];
        if (tune->drive_pull > 0.0f && range.count && hemi_part_mode(view, instance->input, p) == HEM_ANIMATE_DIRECT) {
            const hemi_drive_args args = {
                instance->x,           instance->v, rows,          view->map_rows, range.count, instance->target_prev,
                instance->target_next, solve->now,  s->s1 - s->s0, s->h,           tune};
            s->scene->kernels->drives(&args);
        }
        if (tune->tracking && view->parts[p].kind == HEM_PART_SOFT) {
            s->scene->kernels->track(view, rows, range.count, solve->now, solve->rest, solve->rest_q);
        }
    }
}

// During a substep instance->v holds where it began, `prev` in the kernels.
static hemi_contact_args contact_args(hemi_step* s) {
    hemi_contact_args args = {s->instance->view,
                              s->instance->x,
                              s->instance->v,
                              &s->scratch->contacts,
                              &s->scratch->solve,
                              &s->scratch->counters,
                              0,
                              s->instance->view->info->part_count};
    return args;
}

static uint32_t pair_count(const hemi_contacts* found) {
    return found->pair_count + (found->side_end - found->side_begin);
}

void hemi_phase_continuous(hemi_step* s) {
    if (s->touch && (s->instance->input->features & HEM_FEATURE_CONTINUOUS)) {
        const hemi_contact_args args = contact_args(s);
        s->scene->kernels->continuous(&args);
        s->scratch->counters.work += pair_count(&s->scratch->contacts) / 4;
    }
}

// Springs have their own units and are solved alike whatever the part's solver.
static void solve_springs(hemi_step* step, uint32_t p, const hem_range* range) {
    hemi_instance* instance = step->instance;
    const hem_view* view = instance->view;
    hemi_solve* s = &step->scratch->solve;
    const size_t first = (size_t)view->link_batch_count + view->index_batch_count + range->begin;
    const hemi_spring_args args = {instance->x,
                                   instance->v,
                                   s->parts[p].iterations > 1 ? s->lambda + first * 8 : NULL,
                                   step->h,
                                   1.0f / (step->h * step->h),
                                   s->parts[p].alpha[HEM_KIND_SPRING],
                                   instance->tuning[p].link_damping[HEM_KIND_SPRING]};
    step->scene->kernels->springs(view, view->row_batches + range->begin, range->count, &args);
}

static void solve_groups(hemi_step* step, uint32_t p, const hem_range* range) {
    hemi_instance* instance = step->instance;
    const hem_view* view = instance->view;
    const hem_part* part = &view->parts[p];
    hemi_solve* s = &step->scratch->solve;
    const int tracks = s->parts[p].tracking && hem_range_of(view->ranges, part, HEM_BATCH_DRIVES).count;
    const hem_rest_row* rest = view->group_rest_row_count ? view->group_rest_rows : view->rest_rows;
    const hemi_group_args args = {
        tracks ? s->rest : rest, tracks ? s->rest_q : NULL, instance->x, instance->q, s->moment, s->parts[p].shape};
    HEM_ASSERT(range->begin + range->count <= view->group_batch_count);
    step->scene->kernels->moments(part, instance->q, args.rest_q, step->derived->rest_moment, s->moment);
    step->scene->kernels->groups(view, view->group_batches + range->begin, range->count, &args);
}

// The lattice's regions, body by body. How many regions a particle is in follows from the width, which may be new in each step.
static void solve_regions(hemi_step* step, uint32_t p, const hem_range* range, hemi_scratch* mine) {
    hemi_instance* instance = step->instance;
    const hem_view* view = instance->view;
    const hem_part* part = &view->parts[p];
    hemi_solve* s = &step->scratch->solve;
    const hemi_part_step* tune = &s->parts[p];
    const int tracks = tune->tracking && hem_range_of(view->ranges, part, HEM_BATCH_DRIVES).count;
    HEM_ASSERT(range->begin < view->lattice_count && tune->region_width >= 1);
    if (tune->region_alpha == 0.0f && tune->region_damping == 0.0f && instance->tuning[p].solid_young > 0.0f) {
        return; // solid, and nothing else
    }
    const hem_lattice* lattice = &view->lattices[range->begin];
    const uint32_t begin = step->derived->tile_begin[range->begin], end = step->derived->tile_begin[range->begin + 1];
    hemi_region_tile torn = step->derived->tiles[begin]; // what can tear has one, and bars of its own
    memcpy(torn.bar_begin, lattice->bar_begin, sizeof(torn.bar_begin));
    memcpy(torn.bar_count, lattice->bar_count, sizeof(torn.bar_count));
    // What can tear has bars of its own in every instance. A pose's shape is not kept.
    uint32_t* known = &s->region_width[range->begin];
    const uint32_t wanted = tune->region_width | (tracks ? 0 : HEMI_REGION_KEPT);
    const int kept = *known == wanted || *known == (wanted | HEMI_REGION_KEPT);
    const int fresh = step->substep == 0 && step->pass == 0 && (!kept || lattice->spare_count);
    for (uint32_t t = begin; t < end; ++t) {
        const hemi_region_tile* tile = lattice->spare_count ? &torn : &step->derived->tiles[t];
        const uint32_t row = part->row_begin + tile->row_begin;
        const hemi_region_args args = {tile,
                                       view->lattice_bars,
                                       view->lattice_order,
                                       row * 8,
                                       tile->row_count,
                                       tune->region_width,
                                       view->rest_rows + row,
                                       (tracks ? s->rest : view->rest_rows) + row,
                                       tracks ? s->rest_q + row : NULL,
                                       instance->x + row,
                                       instance->q + row,
                                       instance->v + row,
                                       s->prev_q + row,
                                       s->region_share + (size_t)row * 8,
                                       s->region_fixed + (size_t)row * HEMI_REGION_FIXED,
                                       &s->region_shape[t],
                                       {mine->solve.region_sums[0], mine->solve.region_sums[1]},
                                       tune->region_alpha,
                                       step->pass == 0 ? tune->region_damping : 0.0f};
        if (fresh) {
            step->scene->kernels->region_weights(&args);
        }
        step->scene->kernels->regions(&args);
    }
    *known = fresh ? wanted : *known;
}

// A strand is solved whole, once a substep: what other passes have to add is the contacts'.
static void solve_strands(hemi_step* step, uint32_t p, const hem_range* range, hemi_scratch* mine) {
    hemi_instance* instance = step->instance;
    const hem_view* view = instance->view;
    hemi_solve* s = &step->scratch->solve;
    const hemi_part_step* tune = &s->parts[p];
    const int tracks = tune->tracking && hem_range_of(view->ranges, &view->parts[p], HEM_BATCH_DRIVES).count;
    const hemi_rod_args args = {.x = instance->x,
                                .q = instance->q,
                                .rest = tracks ? s->rest : NULL,
                                .rest_q = tracks ? s->rest_q : NULL,
                                .room = mine->solve.strand,
                                .h = step->h,
                                .stiffer = tune->rod_stiffness,
                                .softer = 1.0f / tune->rod_stiffness,
                                .alpha = tune->alpha[HEM_LINK_WARP],
                                .prev = instance->v};
    HEM_ASSERT(range->begin + range->count <= view->row_batch_count);
    if (range->kind == HEM_BATCH_CHAINS && tune->follows) {
        step->scene->kernels->follow(view, view->row_batches + range->begin, range->count, &args);
    } else if (range->kind == HEM_BATCH_CHAINS) {
        step->scene->kernels->chains(view, view->row_batches + range->begin, range->count, &args);
    } else if (step->pass == 0) {
        step->scene->kernels->rods(view, view->row_batches + range->begin, range->count, &args);
    }
}

// A material has its own units and is solved alike whatever the part's solver.
static hemi_fabric_args fabric_args(hemi_step* step, uint32_t p, uint32_t first_payload) {
    const hem_view* view = step->instance->view;
    const hem_tuning* t = &step->instance->tuning[p];
    hemi_solve* s = &step->scratch->solve;
    const float h2 = step->h * step->h, none = HEMI_NO_LIMIT;
    const size_t first = (size_t)hemi_fabric_multipliers(view) + 4 * (size_t)first_payload;
    const int several = s->parts[p].iterations > 1;
    const hemi_fabric_args args = {step->instance->x,
                                   step->instance->v,
                                   several ? s->lambda + first * 8 : NULL,
                                   {t->fabric_warp / h2, t->fabric_weft / h2, t->fabric_shear / h2,
                                    t->fabric_area > 0.0f ? 1.0f / (t->fabric_area * h2) : -1.0f},
                                   t->fabric_bend / h2,
                                   t->fabric_damping / step->h,
                                   several ? 1.0f : 0.5f,
                                   t->strain_limit > 0.0f ? t->strain_limit : none,
                                   t->compress_limit > 0.0f ? t->compress_limit : none,
                                   t->buckle_angle > 0.0f ? t->buckle_angle : none,
                                   t->buckle_share};
    return args;
}

static void solve_fabric(hemi_step* step, uint32_t p, const hem_range* range) {
    const hem_view* view = step->instance->view;
    const hemi_kernels* k = step->scene->kernels;
    const hem_row_batch* batches = view->row_batches + range->begin;
    HEM_ASSERT(range->begin + range->count <= view->row_batch_count);
    if (range->kind == HEM_BATCH_TRIANGLES) {
        const hemi_fabric_args args = fabric_args(step, p, 0);
        k->triangles(view, batches, range->count, &args);
    } else if (range->kind == HEM_BATCH_BENDS) {
        const hemi_fabric_args args = fabric_args(step, p, view->triangle_count);
        k->bends(view, batches, range->count, &args);
    } else {
        const hemi_fabric_args args = fabric_args(step, p, view->triangle_count + view->bend_count);
        k->dihedrals(view, batches, range->count, &args);
    }
}

// Once a substep, like strands: a piece is solved whole, and what is stiffer than that holds is softened by the substep.
static void solve_solids(hemi_step* step, uint32_t p, const hem_range* range) {
    const hem_view* view = step->instance->view;
    const hem_tuning* t = &step->instance->tuning[p];
    const float shear = 0.5f * t->solid_young / (1.0f + t->solid_poisson);
    const float bulk = 2.0f * shear * t->solid_poisson / (1.0f - 2.0f * t->solid_poisson);
    const float h2 = step->h * step->h;
    const hemi_solid_args args = {step->instance->x, shear * h2, bulk * h2};
    HEM_ASSERT(range->begin + range->count <= view->row_batch_count);
    if (step->pass == 0 && shear > 0.0f) {
        step->scene->kernels->tetrahedra(view, view->row_batches + range->begin, range->count, &args);
    }
}

// Some links go around edges of meshes: others stand in their place.
static int is_wrapped(const hemi_step* s) {
    const hemi_wraps* wraps = &s->scratch->wraps;
    return s->instance->view->virtual_edge_count && wraps->split_count + wraps->loose_count;
}

static void constrain_part(void* user, uint32_t item, hemi_scratch* mine) {
    hemi_step* step = user;
    hemi_instance* instance = step->instance;
    hemi_solve* s = &step->scratch->solve;
    const hem_view* view = instance->view;
    const hemi_kernels* k = step->scene->kernels;
    const int ordered = step->derived->separate && !is_wrapped(step);
    const uint32_t p = ordered ? step->derived->part_order[item] : item;
    const hem_part* part = &view->parts[p];
    const hemi_part_step* tune = &s->parts[p];
    if (step->pass >= tune->iterations) {
        return;
    }
    const hem_link_batch* links = is_wrapped(step) ? step->scratch->wraps.links : view->link_batches;
    const hem_index_batch* indexed = is_wrapped(step) ? step->scratch->wraps.indexed : view->index_batches;
    const int tethers = (instance->input->features & HEM_FEATURE_TETHERS) != 0;
    const int keep = tune->iterations > 1 && tune->solver == HEM_SOLVER_XPBD;
    hemi_link_args args = {instance->x, instance->v, s->delta, tune, NULL, (uint32_t)tethers};
    for (uint32_t n = 0; n < part->range_count; ++n) {
        const hem_range* range = &view->ranges[part->range_begin + n];
        switch ((hem_batch_kind)range->kind) {
        case HEM_BATCH_LINKS:
            HEM_ASSERT(range->begin + range->count <= view->link_batch_count);
            args.lambda = keep ? s->lambda + (size_t)range->begin * 8 : NULL;
            k->links(links + range->begin, range->count, &args);
            break;
        case HEM_BATCH_INDEXED_LINKS:
            HEM_ASSERT(range->begin + range->count <= view->index_batch_count);
            args.lambda = keep ? s->lambda + ((size_t)view->link_batch_count + range->begin) * 8 : NULL;
            k->links_indexed(indexed + range->begin, range->count, &args);
            break;
        case HEM_BATCH_GROUPS:
            solve_groups(step, p, range);
            break;
        case HEM_BATCH_SPRINGS:
            solve_springs(step, p, range);
            break;
        case HEM_BATCH_REGIONS:
            solve_regions(step, p, range, mine);
            break;
        case HEM_BATCH_RODS:
        case HEM_BATCH_CHAINS:
            solve_strands(step, p, range, mine);
            break;
        case HEM_BATCH_TRIANGLES:
        case HEM_BATCH_BENDS:
        case HEM_BATCH_DIHEDRALS:
            solve_fabric(step, p, range);
            break;
        case HEM_BATCH_TETRAHEDRA:
            solve_solids(step, p, range);
            break;
        case HEM_BATCH_DRIVES: // in a phase of their own
        case HEM_BATCH_KIND_COUNT:
            break;
        }
    }
    if (is_wrapped(step)) {
        hemi_solve_wraps(step, p);
    }
}

void hemi_phase_constrain(hemi_step* step) {
    hemi_instance* instance = step->instance;
    hemi_solve* s = &step->scratch->solve;
    const hem_view* view = instance->view;
    if (step->pass == 0 && instance->input->tie_count) {
        hemi_solve_ties(step, 0);
    }
    if (step->pass == 0 && step->pass_count > 1) {
        memset(s->lambda, 0, hemi_multiplier_batches(view) * 32);
    }
    const uint32_t count = view->info->part_count;
    if (step->derived->separate && !is_wrapped(step)) {
        hemi_share(step, count, constrain_part, step);
    } else {
        for (uint32_t item = 0; item < count; ++item) {
            constrain_part(step, item, step->scratch);
        }
    }
    int jacobi = 0;
    for (uint32_t p = 0; p < count; ++p) {
        jacobi |= step->pass < s->parts[p].iterations && s->parts[p].solver == HEM_SOLVER_JACOBI;
    }
    if (jacobi) {
        step->scene->kernels->apply_delta(instance->x, s->delta, view->info->row_count, 1);
    }
    if (instance->input->tie_count) {
        hemi_solve_ties(step, 1);
    }
    if (step->pass == 0) {
        hemi_stretch_prepare_strands(step);
    }
}

void hemi_phase_limit(hemi_step* s) {
    const hem_view* view = s->instance->view;
    if ((s->instance->input->features & HEM_FEATURE_LIMITS) && view->limit_row_count) {
        s->scene->kernels->limits(view, s->scratch->solve.now, s->instance->x);
    }
}

static void touch_bodies(void* user, uint32_t item, hemi_scratch* mine) {
    hemi_step* s = user;
    hemi_counters own = {0};
    hemi_contact_args args = contact_args(s);
    (void)mine;
    args.counters = &own;
    args.part_begin = s->derived->part_order[item];
    args.part_end = args.part_begin + 1;
    s->scene->kernels->touch_bodies(&args);
    if (own.contact_count) {
        HEM_ATOMIC_ADD(&s->scratch->counters.contact_count, own.contact_count);
    }
}

static void touch_particles(hemi_step* s, int first) {
    const hemi_kernels* k = s->scene->kernels;
    hemi_instance* instance = s->instance;
    const hem_view* view = instance->view;
    hemi_contacts* contacts = &s->scratch->contacts;
    if (first && s->derived->body_row_count) {
        k->place_bodies(view, instance->x, instance->v, instance->q, s->scratch->solve.parts, contacts);
    }
    const int meets = contacts->near_count != 0 || pair_count(contacts) != 0;
    for (uint32_t p = 0; meets && p < view->info->part_count; ++p) {
        if (view->parts[p].kind == HEM_PART_SOFT) {
            k->supports(view, &view->parts[p], instance->q, contacts->support);
        }
    }
    const hemi_contact_args args = contact_args(s);
    if (s->derived->body_row_count) {
        hemi_share(s, view->info->part_count, touch_bodies, s);
    }
    k->touch_particles(&args);
    s->scratch->counters.work += contacts->near_count / 8 + pair_count(contacts) / 8;
}

void hemi_phase_contact(hemi_step* s) {
    hemi_scratch* scratch = s->scratch;
    const uint32_t before = s->pass * s->contact_passes / s->pass_count;
    if ((s->pass + 1) * s->contact_passes / s->pass_count == before) {
        return;
    }
    scratch->counters.contact_count = 0;
    scratch->counters.touched = 0;
    hemi_stretch_prepare(s);
    if (s->touch) {
        touch_particles(s, before == 0);
    }
    if (scratch->colliders.count) {
        if (before == 0) {
            hemi_place_colliders(s);
        }
        s->scene->kernels->touch_colliders(s->instance->view, s->instance->x, s->instance->v, scratch->solve.parts,
                                           &scratch->colliders, &scratch->counters);
        s->scene->kernels->touch_edges(s->instance->view, s->instance->x, s->instance->v, scratch->solve.parts,
                                       &scratch->colliders, &scratch->counters);
        if (scratch->meshes.row_count) {
            const hemi_mesh_args args = {s->instance->view,
                                         s->instance->x,
                                         s->instance->v,
                                         scratch->solve.parts,
                                         &scratch->colliders,
                                         &scratch->meshes,
                                         &scratch->counters,
                                         s->s0,
                                         s->s1};
            s->scene->kernels->touch_meshes(&args);
        }
    }
}

// Velocities are needed by who reads them: the search, forces, and the end of the step. In between the next
// prediction takes them from where the last substep began.
void hemi_phase_velocity(hemi_step* s) {
    const hemi_kernels* k = s->scene->kernels;
    hemi_instance* instance = s->instance;
    const hem_view* view = instance->view;
    s->chained = s->substep + 1 != s->search_end && !s->scene->input->has_force_field && !s->scratch->forces.count;
    if (!s->chained) {
        s->finite = 1;
        for (uint32_t p = 0; p < view->info->part_count; ++p) {
            const hem_part* part = &view->parts[p];
            const uint32_t row = part->row_begin;
            uint32_t sound = k->velocities(instance->x + row, instance->v + row, part->row_count, 1.0f / s->h);
            s->finite &= part->kind == HEM_PART_BODY || sound; // bodies are where the pose has them
        }
    }
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const uint32_t row = view->parts[p].row_begin;
        if (view->parts[p].kind == HEM_PART_SOFT) { // bodies have a rotation, but nobody asks for its speed
            k->angular_velocities(instance->q + row, s->scratch->solve.prev_q + row, instance->w + row,
                                  view->parts[p].row_count, 1.0f / s->h);
        }
    }
}
