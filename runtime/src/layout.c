// SPDX-License-Identifier: MIT
// Where everything lies inside the game's block. See the drawing in internal.h.

#include "runtime/src/layout.h"
#include "runtime/src/meshes.h"
#include "runtime/src/scratch.h"
#include "runtime/src/tear.h"

void hemi_layout_scene_input(hemi_carve* c, uint32_t collider_capacity, uint32_t hull_plane_capacity,
                             uint32_t force_capacity, hem_scene* scene) {
    scene->input = hemi_take(c, 1, sizeof(hemi_scene_input));
    scene->colliders = hemi_take(c, collider_capacity, sizeof(hemi_collider));
    scene->planes = hemi_take(c, collider_capacity ? hull_plane_capacity : 0, sizeof(*scene->planes));
    if (force_capacity) { // who has none has the same bytes, and hashes, as before there were any
        scene->forces = hemi_take(c, force_capacity, sizeof(hemi_force));
    }
}

void hemi_layout_scene_state(hemi_carve* c, uint32_t collider_capacity, uint32_t force_capacity, uint32_t budget,
                             uint32_t reserve_slots, hem_scene* scene) {
    scene->past = hemi_take(c, collider_capacity, sizeof(hemi_world_past));
    if (force_capacity) {
        scene->force_past = hemi_take(c, force_capacity, sizeof(hemi_force_past));
    }
    if (budget) {
        scene->spent = hemi_take(c, 1, sizeof(hemi_spent));
    }
    if (reserve_slots) {
        scene->generations = hemi_take(c, reserve_slots, sizeof(uint32_t));
    }
}

void hemi_layout_input(hemi_carve* c, const hem_view* view, uint32_t collider_capacity, uint32_t hull_plane_capacity,
                       uint32_t tie_capacity, uint32_t budget, hemi_instance* instance) {
    const hem_info* info = view->info;
    instance->input = hemi_take(c, 1, sizeof(hemi_input));
    instance->bones = hemi_take(c, info->bone_count, sizeof(hemi_bone_pose));
    instance->tuning = hemi_take(c, info->part_count, sizeof(hem_tuning));
    instance->colliders = hemi_take(c, collider_capacity, sizeof(hemi_collider));
    instance->planes = hemi_take(c, hull_plane_capacity, sizeof(*instance->planes));
    if (tie_capacity) {
        instance->ties = hemi_take(c, tie_capacity, sizeof(hemi_tie));
    }
    if (budget) {
        instance->wish = hemi_take(c, 1, sizeof(hemi_wish));
    }
    if (view->lattice_clip_count) {
        instance->tracks = hemi_take(c, view->lattice_count, sizeof(hemi_track));
    }
}

static uint8_t* here(const hemi_carve* c) {
    return c->base ? c->base + c->used : NULL;
}

void hemi_layout_level_state(hemi_carve* c, const hem_view* view, hemi_instance* level) {
    const hem_info* info = view->info;
    level->x = hemi_take(c, info->row_count, sizeof(hemi_row4));
    level->v = hemi_take(c, info->row_count, sizeof(hemi_row3));
    level->q = hemi_take(c, info->oriented_row_count, sizeof(hemi_row4));
    level->w = hemi_take(c, info->oriented_row_count, sizeof(hemi_row3));
    level->target_prev = hemi_take(c, view->anim_row_count, sizeof(hemi_target_row));
    level->caught = hemi_take(c, info->particle_count, 1);
    level->anchor = hemi_take(c, info->row_count, sizeof(hemi_anchor_row));
}

void hemi_layout_level_derived(hemi_carve* c, const hem_view* view, hemi_instance* level) {
    level->target_next = hemi_take(c, view->anim_row_count, sizeof(hemi_target_row));
    level->frame_q = hemi_take(c, view->frame_row_count, sizeof(hemi_row4));
    level->tuning = hemi_take(c, view->info->part_count, sizeof(hem_tuning));
}

static void layout_levels(hemi_carve* c, const hem_view* view, hemi_instance* instance) {
    hemi_instance spare;
    instance->coarse = hemi_take(c, 1, sizeof(hemi_coarse));
    instance->bones_past = hemi_take(c, view->info->bone_count, sizeof(hemi_bone_pose));
    instance->fade = hemi_take(c, view->info->row_count, sizeof(hemi_row3));
    instance->fade_q = hemi_take(c, view->info->oriented_row_count, sizeof(hemi_row4));
    instance->pace = hemi_take(c, view->info->row_count, 8 * sizeof(float));
    instance->pace_q = hemi_take(c, view->info->oriented_row_count, 8 * sizeof(float));
    instance->level_state = here(c);
    for (uint32_t i = 1; i <= view->level_count; ++i) {
        hemi_layout_level_state(c, hemi_level_view(view, i), &spare);
    }
}

void hemi_layout_state(hemi_carve* c, const hem_view* view, uint32_t collider_capacity, uint32_t tie_capacity,
                       uint32_t budget, hemi_instance* instance) {
    const hem_info* info = view->info;
    instance->state = hemi_take(c, 1, sizeof(hemi_state));
    instance->x = hemi_take(c, info->row_count, sizeof(hemi_row4));
    instance->v = hemi_take(c, info->row_count, sizeof(hemi_row3));
    instance->q = hemi_take(c, info->oriented_row_count, sizeof(hemi_row4));
    instance->w = hemi_take(c, info->oriented_row_count, sizeof(hemi_row3));
    instance->target_prev = hemi_take(c, view->anim_row_count, sizeof(hemi_target_row));
    instance->past = hemi_take(c, collider_capacity + view->collider_count, sizeof(hemi_collider_past));
    instance->caught = hemi_take(c, info->particle_count, 1);
    instance->anchor = hemi_take(c, info->row_count, sizeof(hemi_anchor_row));
    if (tie_capacity) {
        instance->tie_past = hemi_take(c, tie_capacity, sizeof(hemi_tie_past));
    }
    if (view->virtual_edge_count) {
        instance->wrapped = hemi_take(c, view->virtual_edge_count, 8 * sizeof(hemi_wrapped));
    }
    if (budget) {
        instance->given = hemi_take(c, 1, sizeof(hemi_given));
        instance->goal = hemi_take(c, info->row_count, sizeof(hemi_row3));
        instance->goal_q = hemi_take(c, info->oriented_row_count, sizeof(hemi_row4));
        instance->offset = hemi_take(c, info->row_count, sizeof(hemi_row3));
        instance->offset_q = hemi_take(c, info->oriented_row_count, sizeof(hemi_row4));
        instance->room_x = hemi_take(c, info->row_count, sizeof(hemi_row4));
        instance->room_q = hemi_take(c, info->oriented_row_count, sizeof(hemi_row4));
    }
    if (budget && view->level_count) {
        layout_levels(c, view, instance);
    }
    if (view->lattice_clip_count) {
        instance->track_past = hemi_take(c, view->lattice_count, sizeof(hemi_track_past));
    }
    if (view->tear_face_count) {
        instance->corners = hemi_take(c, view->lattice_cell_count, sizeof(*instance->corners));
        instance->homes = hemi_take(c, info->particle_count, sizeof(uint16_t));
    }
    if (view->body_mesh_size) {
        instance->body_bones = hemi_take(c, info->bone_count, sizeof(hemi_bone_pose));
    }
}

void hemi_layout_instance(hemi_carve* c, const hem_view* view, uint32_t keep_previous, uint32_t budget,
                          hemi_instance* instance) {
    const hem_info* info = view->info;
    // A bare particle mesh has no vertices and is not skinned.
    uint32_t matrices = info->vertex_count ? info->particle_count : 0;
    instance->target_next = hemi_take(c, view->anim_row_count, sizeof(hemi_target_row));
    instance->frame_q = hemi_take(c, view->frame_row_count, sizeof(hemi_row4));
    instance->palette = hemi_take(c, matrices, 64);
    instance->bones_prev = instance->bones;
    instance->palette_prev = instance->palette;
    if (keep_previous) {
        instance->bones_prev = hemi_take(c, info->bone_count, sizeof(hemi_bone_pose));
        instance->palette_prev = hemi_take(c, matrices, 64);
    }
    if (view->body_mesh_size) {
        instance->body = hemi_take(c, hemi_body_size(view), 1);
    }
    instance->show_x = instance->x;
    instance->show_q = instance->q;
    instance->level_derived = here(c);
    for (uint32_t i = 1; budget && i <= view->level_count; ++i) {
        hemi_instance spare;
        hemi_layout_level_derived(c, hemi_level_view(view, i), &spare);
    }
    if (view->tear_face_count) {
        hemi_layout_torn(c, view, instance);
    }
}

void hemi_visit_scene_input(const hem_scene* scene, hemi_visit visit, void* user) {
    hem_scene spare;
    hemi_carve c = {.base = (uint8_t*)scene->input, .visit = visit, .user = user};
    hemi_layout_scene_input(&c, scene->scene_collider_capacity, scene->hull_plane_capacity, scene->force_capacity,
                            &spare);
}

void hemi_visit_scene_state(const hem_scene* scene, hemi_visit visit, void* user) {
    hem_scene spare;
    hemi_carve c = {.base = (uint8_t*)scene->past, .visit = visit, .user = user};
    hemi_layout_scene_state(&c, scene->scene_collider_capacity, scene->force_capacity, scene->budget,
                            scene->capacity.reserve_slots, &spare);
}

void hemi_visit_input(const hem_scene* scene, const hemi_instance* instance, hemi_visit visit, void* user) {
    HEM_ASSERT(instance->input && hemi_is_aligned(instance->input, 64));
    hemi_instance spare = {0};
    hemi_carve c = {.base = (uint8_t*)instance->input, .visit = visit, .user = user};
    hemi_layout_input(&c, instance->view, scene->collider_capacity, scene->hull_plane_capacity, scene->tie_capacity,
                      scene->budget, &spare);
}

void hemi_visit_state(const hem_scene* scene, const hemi_instance* instance, hemi_visit visit, void* user) {
    HEM_ASSERT(instance->state && hemi_is_aligned(instance->state, 64));
    hemi_instance spare = {0};
    hemi_carve c = {.base = (uint8_t*)instance->state, .visit = visit, .user = user};
    hemi_layout_state(&c, instance->view, scene->collider_capacity, scene->tie_capacity, scene->budget, &spare);
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

static void add_extent(hemi_extent* e, const hem_view* view, const hem_scene_def* def) {
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
    for (uint32_t i = 0; i < view->lattice_count; ++i) {
        e->lattice_rows = larger(e->lattice_rows, view->parts[view->lattices[i].part].row_count);
    }
    e->weighted_rows = larger(e->weighted_rows, view->lattice_count ? info->oriented_row_count : 0);
    e->tracked_rows = larger(e->tracked_rows, view->drive_row_count ? info->oriented_row_count : 0);
    e->particles = larger(e->particles, info->particle_count);
    e->anim_rows = larger(e->anim_rows, view->anim_row_count);
    e->parts = larger(e->parts, info->part_count);
    e->bodies = larger(e->bodies, bodies);
    e->slabs = larger(e->slabs, (slabs + 7) & ~7u);
    e->batches = larger(e->batches, hemi_multiplier_batches(view));
    for (uint32_t i = 0; view->rod_count + view->chain_count && i < view->row_batch_count; ++i) {
        e->strand = larger(e->strand, view->row_batches[i].member_count);
    }
    e->colliders = larger(e->colliders, def->collider_capacity + def->scene_collider_capacity + view->collider_count);
    uint32_t edges = 0;
    for (uint32_t i = 0; e->colliders && i < view->link_batch_count; ++i) {
        edges += hem_kind_in(view->link_batches[i].kind, HEM_KINDS_WEAVE) != 0;
    }
    e->edge_batches = larger(e->edge_batches, edges);
    e->candidates = larger(e->candidates, def->candidate_capacity * meeting);
    const int meshes = def->mesh_count || view->body_mesh_size;
    e->mesh_rows = def->mesh_count ? e->rows : larger(e->mesh_rows, view->body_mesh_size ? info->row_count : 0);
    e->forces = def->force_capacity;
    e->crowd = larger(e->crowd, view->hair_row_count ? info->particle_count : 0);
    if (view->virtual_edge_count && meshes && def->virtual_capacity) {
        e->virtual_eights = larger(e->virtual_eights, view->virtual_edge_count);
        e->link_batches = larger(e->link_batches, view->link_batch_count);
        e->index_batches = larger(e->index_batches, view->index_batch_count);
        e->virtual_particles = def->virtual_capacity;
    }
}

void hemi_extent_add(hemi_extent* e, const hem_view* view, const hem_scene_def* def) {
    add_extent(e, view, def);
    for (uint32_t i = 1; def->budget && i <= view->level_count; ++i) {
        add_extent(e, hemi_level_view(view, i), def);
    }
}

static void layout_solve(hemi_carve* c, const hemi_extent* e, hemi_solve* s) {
    s->parts = hemi_take(c, e->parts, sizeof(hemi_part_step));
    s->now = hemi_take(c, e->anim_rows, sizeof(hemi_target_row));
    s->prev_q = hemi_take(c, e->oriented_rows, sizeof(hemi_row4));
    s->rest = hemi_take(c, e->tracked_rows, sizeof(hem_rest_row));
    s->rest_q = hemi_take(c, e->tracked_rows, sizeof(hemi_row4));
    s->normal = hemi_take(c, e->rows, sizeof(hemi_row3));
    s->force = hemi_take(c, e->rows, sizeof(hemi_row3));
    s->air = hemi_take(c, e->forces ? e->rows : 0, sizeof(hemi_row3));
    s->left = hemi_take(c, e->forces ? e->rows : 0, 8 * sizeof(float));
    s->delta = hemi_take(c, e->rows, sizeof(hemi_row4));
    s->delta_prev = hemi_take(c, e->rows, sizeof(hemi_row3));
    s->moved_rows = hemi_take(c, e->rows, 1);
    s->above = hemi_take(c, (size_t)e->rows * 8, sizeof(float));
    s->strained = hemi_take(c, e->rows, 1);
    s->torn = hemi_take(c, e->rows, 1);
    s->stamps = hemi_take(c, e->rows, 1);
    s->planes = hemi_take(c, e->rows, sizeof(hemi_row4));
    s->moment = hemi_take(c, e->oriented_rows, 72 * sizeof(float));
    s->strand = hemi_take(c, e->strand, HEMI_STRAND_FLOATS * sizeof(float));
    s->lambda = hemi_take(c, e->batches, 8 * sizeof(float));
    for (int i = 0; i < 2; ++i) {
        s->region_sums[i] = hemi_take(c, e->lattice_rows, HEMI_REGION_DOUBLES * sizeof(double));
    }
    s->region_share = hemi_take(c, e->weighted_rows, 8 * sizeof(double));
    s->region_fixed = hemi_take(c, e->weighted_rows, HEMI_REGION_FIXED * sizeof(float));
    s->region_shape = hemi_take(c, e->weighted_rows, sizeof(hemi_region_shape));
    s->region_width = hemi_take(c, e->weighted_rows, sizeof(uint32_t));
}

static void layout_search(hemi_carve* c, const hemi_extent* e, hemi_search* s, hemi_contacts* found) {
    const uint32_t capacity = e->candidates;
    s->ahead = hemi_take(c, e->anim_rows, sizeof(hemi_target_row));
    s->part_frames = hemi_take(c, e->parts, sizeof(hemi_mat34));
    s->clusters = hemi_take(c, e->slabs * 8, sizeof(hemi_cluster));
    s->cluster_data = hemi_take(c, e->slabs * 8, 64 * sizeof(float));
    s->cluster_box = hemi_take(c, e->slabs, sizeof(hemi_box8));
    s->block_box = hemi_take(c, e->slabs / 8, sizeof(hemi_box8));
    s->quarter_box = hemi_take(c, (e->slabs + 63) / 64, sizeof(hemi_box8));
    s->block_parts = hemi_take(c, e->slabs, sizeof(uint64_t));
    s->block_partners = hemi_take(c, e->slabs, sizeof(uint64_t));
    s->body_box = hemi_take(c, (e->bodies / 8 + 7) / 8, sizeof(hemi_box8));
    s->body_block_box = hemi_take(c, (e->bodies / 8 + 63) / 64, sizeof(hemi_box8));
    s->body_members = hemi_take(c, e->bodies / 8, 1);
    s->near_counts = hemi_take(c, e->particles, 1);
    s->hit_capacity = capacity;
    const size_t pairs = (capacity + 7) & ~(size_t)7;
    s->hits = hemi_take(c, pairs, sizeof(hemi_hit));
    // Hits with bodies have become lists when pairs of particles are looked for.
    found->pair_distance = (float*)(void*)s->hits;
    found->pair_a = s->hits ? (uint16_t*)(void*)(found->pair_distance + pairs) : NULL;
    found->pair_b = s->hits ? found->pair_a + pairs : NULL;
}

static void layout_contacts(hemi_carve* c, const hemi_extent* e, hemi_contacts* s) {
    s->near_body = hemi_take(c, e->rows, sizeof(hemi_near));
    s->near_rank = hemi_take(c, (size_t)e->rows * 8, sizeof(uint16_t));
    s->near_capacity = e->candidates;
    s->near_list = hemi_take(c, e->candidates, sizeof(uint16_t));
    s->near_distance = hemi_take(c, e->candidates, sizeof(float));
    s->bodies = hemi_take(c, (size_t)e->bodies + 1, sizeof(hemi_body));
    s->body_data = hemi_take(c, e->bodies / 8, 80 * sizeof(float));
    s->body_tangents = hemi_take(c, e->bodies / 8, 1);
    s->support = hemi_take(c, e->oriented_rows, 56 * sizeof(float));
}

static void layout_colliders(hemi_carve* c, const hemi_extent* e, hemi_colliders* s) {
    s->stride = (e->colliders + 7) & ~7u;
    s->paths = hemi_take(c, e->colliders, sizeof(hemi_collider_path));
    s->bounds = hemi_take(c, s->stride, 6 * sizeof(float));
    s->row_colliders = hemi_take(c, (size_t)e->rows * ((e->colliders + 63) / 64), sizeof(uint64_t));
    s->shapes = hemi_take(c, (size_t)e->colliders * e->parts, sizeof(hemi_shape));
    s->ways = hemi_take(c, e->colliders ? e->rows : 0, sizeof(hemi_way_row));
    s->edge_capacity = e->edge_batches * 2;
    s->edges = hemi_take(c, s->edge_capacity, sizeof(hemi_edge_near));
}

static void layout_meshes(hemi_carve* c, const hemi_extent* e, hemi_meshes* s) {
    s->near_capacity = e->mesh_rows * HEMI_MESH_NEAR_ROW;
    s->row_capacity = e->mesh_rows * 4; // of four meshes at once
    s->near = hemi_take(c, s->near_capacity, sizeof(hemi_mesh_near));
    s->rows = hemi_take(c, s->row_capacity, sizeof(hemi_mesh_row));
}

static void layout_wraps(hemi_carve* c, const hemi_extent* e, hemi_wraps* s) {
    s->split_capacity = e->virtual_particles;
    s->near_capacity = e->virtual_eights * HEMI_WRAP_NEAR;
    s->edge_capacity = larger(e->virtual_eights * HEMI_WRAP_EDGES, 1024);
    s->edge_capacity = s->edge_capacity < HEMI_WRAP_FREE ? s->edge_capacity : HEMI_WRAP_FREE - 1;
    s->slot_count = 1024;
    while (s->slot_count < 2 * s->edge_capacity) {
        s->slot_count *= 2;
    }
    s->eight_capacity = e->virtual_eights * 2; // two meshes at once
    s->links = hemi_take(c, e->link_batches, sizeof(hem_link_batch));
    s->indexed = hemi_take(c, e->index_batches, sizeof(hem_index_batch));
    s->splits = hemi_take(c, e->virtual_particles, sizeof(hemi_split));
    s->near = hemi_take(c, s->near_capacity, sizeof(uint16_t));
    s->edges = hemi_take(c, s->edge_capacity, sizeof(hemi_wrap_edge));
    s->slots = hemi_take(c, s->slot_count, sizeof(uint16_t));
    s->eights = hemi_take(c, s->eight_capacity, sizeof(hemi_wrap_eight));
    s->aside = hemi_take(c, e->virtual_eights, 8 * sizeof(hemi_wrapped));
}

static void layout_crowd(hemi_carve* c, uint32_t particles, hemi_crowd* crowd) {
    float** const arrays[] = {&crowd->x,       &crowd->y,      &crowd->z,      &crowd->guide, &crowd->push,
                              &crowd->uncrowd, &crowd->out[0], &crowd->out[1], &crowd->out[2]};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        *arrays[i] = hemi_take(c, particles + 8, sizeof(float));
    }
    crowd->slot = hemi_take(c, particles, sizeof(uint32_t));
    crowd->cell = hemi_take(c, particles, sizeof(uint32_t));
    crowd->cell_begin = hemi_take(c, HEMI_CROWD_CELLS(particles) + 1, sizeof(uint32_t));
    crowd->capacity = particles;
}

static void layout_scratch(hemi_carve* c, const hemi_extent* e, hemi_scratch* s) {
    layout_solve(c, e, &s->solve);
    layout_search(c, e, &s->search, &s->contacts);
    layout_contacts(c, e, &s->contacts);
    layout_colliders(c, e, &s->colliders);
    layout_meshes(c, e, &s->meshes);
    if (e->virtual_particles) {
        layout_wraps(c, e, &s->wraps);
    }
    s->untangle.led = hemi_take(c, e->rows, sizeof(hemi_led));
    s->forces.now = hemi_take(c, e->forces, sizeof(hemi_force_now));
    if (e->crowd) {
        layout_crowd(c, e->crowd, &s->crowd);
    }
}

typedef enum range { RANGE_INPUT, RANGE_STATE, RANGE_DERIVED } range;

// One range of all instances, slot after slot. With a NULL base there are no records, and only sizes matter.
static void layout_range(hemi_carve* c, const hem_scene_def* def, range which, hemi_instance* instances) {
    uint32_t n = 0;
    c->raw[which][0] = c->used;
    for (uint32_t i = 0; i < def->slot_count; ++i) {
        const hem_view* view = hemi_asset_view(def->slots[i].asset);
        const uint32_t count = def->slots[i].count, placed = instances ? count : 1;
        const size_t begin = c->used;
        for (uint32_t k = 0; k < placed; ++k, ++n) {
            hemi_instance spare = {0};
            hemi_instance* instance = instances ? &instances[n] : &spare;
            instance->view = view;
            instance->class_index = i;
            if (which == RANGE_INPUT) {
                hemi_layout_input(c, view, def->collider_capacity, def->hull_plane_capacity, def->tie_capacity,
                                  def->budget, instance);
            } else if (which == RANGE_STATE) {
                hemi_layout_state(c, view, def->collider_capacity, def->tie_capacity, def->budget, instance);
            } else {
                hemi_layout_instance(c, view, def->keep_previous, def->budget, instance);
            }
        }
        if (!instances) { // all slots of an asset are as large
            const size_t one = c->used - begin;
            c->overflow |= one > (SIZE_MAX / 4 - begin) / count;
            c->used = begin + one * count;
        }
    }
    c->raw[which][1] = c->used;
}

// The same for the scene's meshes.
static void layout_scene_meshes(hemi_carve* c, const hem_scene_def* def, range which, hemi_mesh* meshes) {
    for (uint32_t i = 0; i < def->mesh_count; ++i) {
        hemi_mesh spare = hemi_mesh_of(&def->meshes[i]);
        if (meshes && which == RANGE_INPUT) {
            meshes[i] = spare;
        }
        hemi_mesh* mesh = meshes ? &meshes[i] : &spare;
        if (which == RANGE_INPUT) {
            hemi_layout_mesh_input(c, mesh);
        } else if (which == RANGE_STATE) {
            hemi_layout_mesh_state(c, mesh);
        } else {
            hemi_layout_mesh_derived(c, mesh);
        }
    }
}

static void layout_classes(hemi_carve* c, const hem_scene_def* def, hemi_class* classes) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < def->slot_count; ++i) {
        const hem_view* view = hemi_asset_view(def->slots[i].asset);
        hemi_derived* derived = hemi_take(c, 1, sizeof(hemi_derived));
        hemi_derived spare = {0};
        hemi_layout_derived(c, view, derived ? derived : &spare);
        hemi_prices* prices = def->budget ? hemi_take(c, 1, sizeof(hemi_prices)) : NULL;
        hemi_class made = {
            .view = view, .first_instance = n, .count = def->slots[i].count, .derived = derived, .prices = prices};
        for (uint32_t k = 0; def->budget && k < view->level_count; ++k) {
            made.levels[k].derived = hemi_take(c, 1, sizeof(hemi_derived));
            hemi_layout_derived(c, hemi_level_view(view, k + 1),
                                made.levels[k].derived ? made.levels[k].derived : &spare);
            made.levels[k].prices = hemi_take(c, 1, sizeof(hemi_prices));
        }
        if (classes) {
            classes[i] = made;
        }
        n += def->slots[i].count;
    }
}

// -- Workers

static void add_extents(hemi_extent* extent, const hem_scene_def* def) {
    for (uint32_t i = 0; i < def->slot_count; ++i) {
        hemi_extent_add(extent, hemi_asset_view(def->slots[i].asset), def);
    }
}

size_t hemi_scratch_size(const hemi_extent* extent) {
    hemi_carve c = {0};
    hemi_scratch spare = {0};
    layout_scratch(&c, extent, &spare);
    return c.overflow ? SIZE_MAX / 8 : c.used;
}

// Scratch holds nothing from step to step but zeros, so it can be laid out anew between any two, for other assets.
void hemi_lay_scratch(hem_scene* scene, const hemi_extent* extent) {
    for (uint32_t i = 0; i < scene->worker_count; ++i) {
        hemi_scratch* scratch = &scene->scratch[i];
        uint8_t* room = scratch->room;
        HEMI_UNPOISON(room, scene->scratch_size);
        memset(room, 0, scene->scratch_size);
        memset(scratch, 0, sizeof(*scratch));
        scratch->room = room;
        hemi_carve c = {.base = room};
        layout_scratch(&c, extent, scratch);
        HEM_ASSERT(c.used <= scene->scratch_size);
        HEMI_POISON(room + c.used, scene->scratch_size - c.used);
    }
}

// -- The whole

void hemi_layout_slots(hemi_carve* c, const hem_scene_def* def, hemi_instance* instances, hemi_class* slots) {
    layout_classes(c, def, slots);
    layout_range(c, def, RANGE_INPUT, instances);
    layout_range(c, def, RANGE_STATE, instances);
    layout_range(c, def, RANGE_DERIVED, instances);
}

// With a NULL base, records live on the stack of this call and only sizes matter.
void hemi_layout_scene(hemi_carve* c, const hem_scene_def* def, hem_scene** out) {
    hem_scene* scene = hemi_take(c, 1, sizeof(hem_scene));
    uint32_t instance_count = def->reserve_slots;
    for (uint32_t i = 0; i < def->slot_count; ++i) {
        instance_count += def->slots[i].count;
    }
    hemi_extent extent = {0};
    add_extents(&extent, def);
    const uint32_t class_count = def->slot_count + def->reserve_slots;
    hemi_class* classes = hemi_take(c, class_count, sizeof(hemi_class));
    hemi_instance* instances = hemi_take(c, instance_count, sizeof(hemi_instance));
    hemi_mesh* meshes = hemi_take(c, def->mesh_count, sizeof(hemi_mesh));
    hemi_scratch* scratch = hemi_take(c, def->worker_capacity, sizeof(hemi_scratch));
    hem_event* events = hemi_take(c, def->event_capacity, sizeof(hem_event));
    layout_classes(c, def, classes);
    hem_scene spare_scene;
    hem_scene* to = scene ? scene : &spare_scene;
    hemi_layout_scene_input(c, def->scene_collider_capacity, def->hull_plane_capacity, def->force_capacity, to);
    layout_scene_meshes(c, def, RANGE_INPUT, meshes);
    layout_range(c, def, RANGE_INPUT, instances);
    hemi_layout_scene_state(c, def->scene_collider_capacity, def->force_capacity, def->budget, def->reserve_slots, to);
    layout_scene_meshes(c, def, RANGE_STATE, meshes);
    layout_range(c, def, RANGE_STATE, instances);
    layout_scene_meshes(c, def, RANGE_DERIVED, meshes);
    layout_range(c, def, RANGE_DERIVED, instances);
    to->slots = hemi_take(c, instance_count, 1);
    to->rested_from = hemi_take(c, instance_count, sizeof(uint32_t));
    to->rest_places = hemi_take(c, instance_count, sizeof(hemi_rest_place));
    to->jobs = hemi_take(c, instance_count, sizeof(hemi_job));
    to->share = hemi_take(c, 1, sizeof(hemi_sharing));
    to->sections = hemi_take(c, def->worker_capacity, sizeof(hemi_section));
    if (def->budget) {
        to->bids = hemi_take(c, instance_count, sizeof(hemi_bid));
        to->order = hemi_take(c, instance_count, sizeof(uint32_t));
        to->order_spare = hemi_take(c, instance_count, sizeof(uint32_t));
    }
    c->scratch_begin = c->used;
    const size_t wanted = hemi_scratch_size(&extent), reserved = def->reserve_scratch;
    to->scratch_size = ((wanted > reserved ? wanted : reserved) + 63) & ~(size_t)63;
    for (uint32_t i = 0; i < def->worker_capacity; ++i) {
        hemi_scratch spare;
        (scratch ? &scratch[i] : &spare)->room = hemi_take(c, to->scratch_size, 1);
    }
    to->reserve = hemi_take(c, def->reserve_size, 1);
    if (scene) {
        scene->class_count = class_count;
        scene->instance_count = instance_count;
        scene->first_reserved = instance_count - def->reserve_slots;
        scene->first_reserved_class = def->slot_count;
        scene->reserve_size = def->reserve_size;
        scene->worker_count = def->worker_capacity;
        scene->event_capacity = def->event_capacity;
        scene->classes = classes;
        scene->instances = instances;
        scene->meshes = meshes;
        scene->mesh_count = def->mesh_count;
        scene->scratch = scratch;
        scene->events = events;
        hemi_lay_scratch(scene, &extent);
    }
    *out = scene;
}
