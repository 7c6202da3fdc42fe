// SPDX-License-Identifier: MIT
// What each op does to INPUT and STATE. What it does to STATE follows from the op and from STATE, never from what INPUT held
// before: who goes back to an older state finds a later input there, says again what was said then, and wants the same bits.

#include "runtime/src/kernels/kernels.h"
#include "runtime/src/ops.h"
#include "runtime/src/tear.h"

const char* hemi_op_name(uint32_t id) {
    switch (id) {
#define NAME(NAME, number, name, payload, element)                                                                     \
    case number:                                                                                                       \
        return #name;
        HEMI_OPS(NAME)
#undef NAME
    default:
        return NULL;
    }
}

size_t hemi_op_payload_size(uint32_t id) {
    switch (id) {
#define SIZE(NAME, number, name, payload, element)                                                                     \
    case number:                                                                                                       \
        return sizeof(payload);
        HEMI_OPS(SIZE)
#undef SIZE
    default:
        return 0;
    }
}

size_t hemi_op_element_size(uint32_t id) {
    switch (id) {
#define SIZE(NAME, number, name, payload, element)                                                                     \
    case number:                                                                                                       \
        return element;
        HEMI_OPS(SIZE)
#undef SIZE
    default:
        return 0;
    }
}

static void rest_felt(hemi_state* s) {
    memset(s->felt_velocity, 0, sizeof(s->felt_velocity));
    memset(s->felt_spin, 0, sizeof(s->felt_spin));
}

// What lies beyond a count is zero: the same said in another order gives the same bytes.
static void clear(void* array, uint32_t count, uint32_t capacity, size_t size) {
    if (count < capacity) {
        memset((uint8_t*)array + count * size, 0, (capacity - count) * size);
    }
}

static void keep_previous(const hem_scene* scene, hemi_instance* instance) {
    const hem_info* info = instance->view->info;
    if (scene->keep_previous) {
        memcpy(instance->bones_prev, instance->bones, info->bone_count * sizeof(hemi_bone_pose));
        memcpy(instance->palette_prev, instance->palette, info->vertex_count ? info->particle_count * 64u : 0u);
    }
}

static int differ(const void* a, const void* b, size_t size) {
    int bits = 0;
    for (size_t i = 0; i < size; ++i) {
        bits |= ((const uint8_t*)a)[i] ^ ((const uint8_t*)b)[i];
    }
    return bits != 0;
}

static void mend(const hem_scene* scene, hemi_instance* instance) {
    if (instance->torn) {
        hemi_mend(scene->classes[instance->class_index].view, instance);
    }
}

// -- Coming and going

void hemi_default_input(const hem_scene* scene, hemi_instance* instance) {
    const hem_view* view = instance->view;
    hemi_input* input = instance->input;
    memset(input, 0, sizeof(*input));
    input->root.rotation[3] = 1.0f;
    input->pose_blend = input->time_scale = input->gravity_scale = 1.0f;
    input->felt_acceleration = HEMI_FELT_ACCELERATION;
    input->felt_turning = HEMI_FELT_TURNING;
    input->features = HEM_FEATURE_ALL;
    input->animation = -1;
    input->generation = instance->state->generation;
    if (instance->wish) {
        *instance->wish = (hemi_wish){1.0f, HEM_LEVEL_FULL, HEM_LEVEL_POSE, 0};
    }
    clear(instance->tracks, 0, view->lattice_clip_count ? view->lattice_count : 0, sizeof(hemi_track));
    memcpy(instance->tuning, view->tuning, view->info->part_count * sizeof(hem_tuning));
    hemi_set_bones(scene, instance, NULL, 0);
    scene->kernels->targets(view, instance->bones, instance->target_next);
}

static void apply_add(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    const hemi_op_add* given = op->payload;
    HEM_ASSERT(op->count == 0 || op->count == instance->view->info->bone_count);
    hemi_input* input = instance->input;
    hemi_state* s = instance->state;
    hemi_clear_raw(scene, instance);
    uint32_t generation = s->generation + 1;
    memset(s, 0, sizeof(*s));
    s->generation = generation ? generation : 1;
    s->alive = 1;
    scene->slots[instance - scene->instances] = HEMI_SLOT_OPEN;
    memset(&instance->output, 0, sizeof(instance->output));
    s->match_rotation[3] = 1.0f;
    memset(instance->past, 0, (scene->collider_capacity + instance->view->collider_count) * sizeof(hemi_collider_past));
    clear(instance->tie_past, 0, scene->tie_capacity, sizeof(hemi_tie_past));
    clear(instance->track_past, 0, instance->view->lattice_clip_count ? instance->view->lattice_count : 0,
          sizeof(hemi_track_past));
    hemi_default_input(scene, instance);
    s->root = input->root = given->root;
    input->pose_blend = given->pose_blend;
    input->time_scale = given->time_scale;
    input->gravity_scale = given->gravity_scale;
    input->felt_acceleration = given->felt_acceleration;
    input->felt_turning = given->felt_turning;
    input->user = given->user;
    hemi_set_bones(scene, instance, op->count ? op->elements : NULL, op->stride); // as they hang in this place
    if (instance->given) {
        *instance->given = (hemi_given){.blend = HEMI_BLEND, .age = 255};
    }
    mend(scene, instance);
    hemi_place_on_pose(scene, instance);
    keep_previous(scene, instance);
}

static void apply_remove(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)op;
    instance->state->alive = 0;
    scene->slots[instance - scene->instances] = HEMI_SLOT_FREE;
}

// -- Pose and place

static void apply_pose(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    HEM_ASSERT(op->count == instance->view->info->bone_count);
    if (scene->keep_previous && !instance->state->pose_changed) {
        memcpy(instance->bones_prev, instance->bones, instance->view->info->bone_count * sizeof(hemi_bone_pose));
    }
    hemi_set_bones(scene, instance, op->elements, op->stride);
    scene->kernels->targets(instance->view, instance->bones, instance->target_next);
    instance->state->pose_changed = 1;
}

static void apply_root(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)scene;
    instance->input->root = ((const hemi_op_root*)op->payload)->root;
}

static void apply_teleport(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)scene;
    const hemi_op_teleport* given = op->payload;
    const hem_info* info = instance->view->info;
    hemi_state* s = instance->state;
    s->root = instance->input->root = given->root;
    instance->input->carry_step = 0;
    s->jumped = 1;
    hemi_wake(s);
    // Nothing in the character's frame moves. What the pose does between before and after is not motion either.
    hemi_keep_targets(instance);
    hemi_forget_level(instance);
    for (uint32_t i = 0; i < scene->collider_capacity; ++i) {
        instance->past[i].whose = 0;
    }
    if (!given->keep_velocity) {
        memset(instance->v, 0, info->row_count * sizeof(hemi_row3));
        memset(instance->w, 0, info->oriented_row_count * sizeof(hemi_row3));
        rest_felt(s);
    }
}

static void apply_felt_limits(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)scene;
    const hemi_op_felt_limits* given = op->payload;
    instance->input->felt_acceleration = given->acceleration;
    instance->input->felt_turning = given->turning;
}

static hem_quat quat_of(const float q[4]) {
    return hem_quat_make(q[0], q[1], q[2], q[3]);
}

static void apply_carry(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)scene;
    const hemi_op_carry* given = op->payload;
    hemi_input* input = instance->input;
    hem_quat turn = hem_quat_mul(quat_of(given->to.rotation), hem_quat_conj(quat_of(given->from.rotation)));
    turn = hem_quat_normalise(turn);
    memcpy(input->carry_rotation, &turn, sizeof(input->carry_rotation));
    memcpy(input->carry_from, given->from.position, sizeof(input->carry_from));
    memcpy(input->carry_to, given->to.position, sizeof(input->carry_to));
    input->carry_step = instance->state->step_count + 1;
    if (differ(&given->from, &given->to, sizeof(given->to))) {
        hemi_wake(instance->state);
    }
}

static void apply_reset(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)op;
    instance->state->root = instance->input->root;
    instance->input->carry_step = 0;
    rest_felt(instance->state);
    mend(scene, instance);
    hemi_place_on_pose(scene, instance);
}

// -- Surroundings

static void apply_wind(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)scene;
    const hemi_op_wind* given = op->payload;
    memcpy(instance->input->wind, given->velocity, sizeof(given->velocity));
}

static void apply_gravity(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)scene;
    const hemi_op_gravity* given = op->payload;
    instance->input->own_gravity = given->own;
    memcpy(instance->input->gravity, given->gravity, sizeof(given->gravity));
}

static void apply_planes(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)scene;
    const hemi_op_planes* given = op->payload;
    HEM_ASSERT(given->first + op->count <= scene->hull_plane_capacity);
    HEM_ASSERT(op->stride == sizeof(hemi_op_plane));
    memcpy(instance->planes[given->first], op->elements, op->count * sizeof(hemi_op_plane));
}

static void apply_collider(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    const hemi_op_collider* given = op->payload;
    const hemi_collider* from = &given->collider;
    HEM_ASSERT(given->index < scene->collider_capacity);
    (void)scene;
    hemi_collider* to = &instance->colliders[given->index];
    if (given->jumped) {
        instance->past[given->index].whose = 0;
    }
    *to = *from;
}

// And the planes of hulls that are gone.
static void clear_colliders(hemi_collider* colliders, uint32_t count, uint32_t capacity, float (*planes)[4],
                            uint32_t plane_capacity) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t end = colliders[i].first_plane + colliders[i].plane_count;
        used = colliders[i].kind == HEM_SHAPE_HULL && end > used ? end : used;
    }
    clear(colliders, count, capacity, sizeof(*colliders));
    clear(planes, used, plane_capacity, sizeof(*planes));
}

static void apply_collider_count(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    const hemi_op_count* given = op->payload;
    HEM_ASSERT(given->count <= scene->collider_capacity);
    clear_colliders(instance->colliders, given->count, scene->collider_capacity, instance->planes,
                    scene->hull_plane_capacity);
    instance->input->collider_count = given->count;
}

// A place that moves is left to the step, as poses are.
static void apply_tie(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    const hemi_op_tie* given = op->payload;
    HEM_ASSERT(given->index < scene->tie_capacity);
    (void)scene;
    hemi_tie* to = &instance->ties[given->index];
    hemi_tie_past* past = &instance->tie_past[given->index];
    if (given->jumped || past->particle1 != given->tie.particle + 1 || past->other != given->tie.other) {
        memset(past, 0, sizeof(*past));
    }
    *to = given->tie;
    if (!past->particle1) {
        hemi_wake(instance->state);
    }
}

static void apply_tie_count(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    const hemi_op_count* given = op->payload;
    HEM_ASSERT(given->count <= scene->tie_capacity);
    clear(instance->ties, given->count, scene->tie_capacity, sizeof(hemi_tie));
    clear(instance->tie_past, given->count, scene->tie_capacity, sizeof(hemi_tie_past));
    instance->input->tie_count = given->count;
}

// -- Clips of lattices: the step sees for itself whether targets move

static void apply_clip_play(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    const hemi_op_clip_play* given = op->payload;
    HEM_ASSERT(instance->tracks && given->lattice < instance->view->lattice_count);
    (void)scene;
    hemi_track_past* past = &instance->track_past[given->lattice];
    instance->tracks[given->lattice] = given->track;
    past->clip1 = given->track.clip1;
    past->seconds = given->start;
    past->blend_left = given->blend;
    past->active = 1;
    past->settled = 0;
}

static void apply_clip_pause(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    const hemi_op_clip_pause* given = op->payload;
    HEM_ASSERT(instance->tracks && given->lattice < instance->view->lattice_count);
    (void)scene;
    instance->tracks[given->lattice].paused = given->paused;
}

// The cap on its speed holds on the way back too.
static void apply_clip_stop(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    const hemi_op_clip_stop* given = op->payload;
    HEM_ASSERT(instance->tracks && given->lattice < instance->view->lattice_count);
    (void)scene;
    hemi_track* track = &instance->tracks[given->lattice];
    hemi_track_past* past = &instance->track_past[given->lattice];
    const float cap = track->lerp_speed;
    memset(track, 0, sizeof(*track));
    track->lerp_speed = cap;
    past->clip1 = 0;
    past->blend_left = given->blend;
    past->settled = 0;
}

// -- Surroundings of all

static void wake_all(hem_scene* scene) {
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        if (scene->instances[i].class_index != HEMI_NO_CLASS) {
            hemi_wake(scene->instances[i].state);
        }
    }
}

static void apply_force_field(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)instance;
    const hemi_op_force_field* given = op->payload;
    scene->input->has_force_field = given->set;
    if (given->another) {
        wake_all(scene);
    }
}

// The step sees for itself whether a pose moves.
static void apply_mesh_pose(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)instance;
    const hemi_op_mesh_pose* given = op->payload;
    HEM_ASSERT(given->mesh < scene->mesh_count && op->count == scene->meshes[given->mesh].bone_count);
    hemi_mesh* mesh = &scene->meshes[given->mesh];
    for (uint32_t i = 0; i < op->count; ++i) {
        memcpy(mesh->bones[i].m, (const uint8_t*)op->elements + i * op->stride, sizeof(mesh->bones[i].m));
    }
    mesh->state->jumped |= given->jumped;
}

static void apply_mesh_triangles(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)instance;
    const hemi_op_mesh_triangles* given = op->payload;
    HEM_ASSERT(given->mesh < scene->mesh_count && op->count <= scene->meshes[given->mesh].triangle_capacity);
    hemi_mesh* mesh = &scene->meshes[given->mesh];
    const size_t size = op->count * sizeof(hemi_triangle);
    if (mesh->input->triangle_count == op->count && (size == 0 || !differ(mesh->triangles, op->elements, size))) {
        return;
    }
    mesh->input->triangle_count = op->count;
    memset(mesh->triangles, 0, mesh->triangle_capacity * sizeof(hemi_triangle)); // equal soups have equal hashes
    memcpy(mesh->triangles, size ? op->elements : mesh->triangles, size);
    hemi_derive_mesh(scene, mesh);
}

static void apply_scene_planes(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)instance;
    const hemi_op_planes* given = op->payload;
    HEM_ASSERT(given->first + op->count <= scene->hull_plane_capacity && op->stride == sizeof(hemi_op_plane));
    memcpy(scene->planes[given->first], op->elements, op->count * sizeof(hemi_op_plane));
}

static void apply_scene_collider(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)instance;
    const hemi_op_collider* given = op->payload;
    HEM_ASSERT(given->index < scene->scene_collider_capacity);
    hemi_collider* to = &scene->colliders[given->index];
    if (given->jumped) {
        scene->past[given->index].whose = 0;
    }
    *to = given->collider;
}

static void apply_scene_collider_count(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)instance;
    const hemi_op_count* given = op->payload;
    HEM_ASSERT(given->count <= scene->scene_collider_capacity);
    clear_colliders(scene->colliders, given->count, scene->scene_collider_capacity, scene->planes,
                    scene->hull_plane_capacity);
    scene->input->collider_count = given->count;
}

// Who it is about wakes: it may have held them in rest as well as it may move them.
static void wake_those_of(hem_scene* scene, const hemi_force* force) {
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        const int used = scene->instances[i].class_index != HEMI_NO_CLASS;
        if (used && (!force->index1 || force->index1 == i + 1)) {
            hemi_wake(scene->instances[i].state);
        }
    }
}

static void apply_force(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)instance;
    const hemi_op_force* given = op->payload;
    HEM_ASSERT(given->index < scene->force_capacity);
    hemi_force* to = &scene->forces[given->index];
    hemi_force_past* past = &scene->force_past[given->index];
    if (given->restart || past->kind1 != given->force.kind + 1) {
        *past = (hemi_force_past){0.0, given->force.kind + 1, 0};
    }
    *to = given->force;
    if (given->restart) {
        wake_those_of(scene, to);
    }
}

static void apply_force_count(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)instance;
    const hemi_op_count* given = op->payload;
    HEM_ASSERT(given->count <= scene->force_capacity);
    clear(scene->forces, given->count, scene->force_capacity, sizeof(hemi_force));
    clear(scene->force_past, given->count, scene->force_capacity, sizeof(hemi_force_past));
    scene->input->force_count = given->count;
}

// -- How it moves

static void apply_pose_blend(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)scene;
    const hemi_op_number* given = op->payload;
    instance->input->pose_blend = given->value;
}

static void apply_time_scale(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)scene;
    const hemi_op_number* given = op->payload;
    instance->input->time_scale = given->value;
}

static void apply_animation(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)scene;
    const hemi_op_animation* given = op->payload;
    instance->input->animation = given->mode;
}

static void apply_features(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)scene;
    const hemi_op_features* given = op->payload;
    instance->input->features = given->features;
}

static void apply_wake(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)scene, (void)op;
    hemi_wake(instance->state);
}

static void apply_tuning(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    HEM_ASSERT(op->count == instance->view->info->part_count && op->stride == sizeof(hem_tuning));
    const int kept = hemi_keeps_frames(instance);
    memcpy(instance->tuning, op->elements, op->count * sizeof(hem_tuning));
    if (!kept && hemi_keeps_frames(instance)) {
        hemi_update_palette(scene, instance); // the air of the next step reads frames that nobody kept so far
    }
}

// -- Budget

static void apply_budget(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)instance;
    scene->input->budget_us = ((const hemi_op_number*)op->payload)->value;
}

static void apply_measured(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)instance;
    hemi_learn_scale(scene->spent, ((const hemi_op_number*)op->payload)->value);
}

static void apply_importance(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)scene;
    instance->wish->importance = ((const hemi_op_number*)op->payload)->value;
}

static void apply_levels(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)scene;
    const hemi_op_levels* given = op->payload;
    instance->wish->best = given->best;
    instance->wish->worst = given->worst;
}

// -- Crowds

static void apply_slots_add(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)instance;
    const hemi_op_slots* given = op->payload;
    HEM_ASSERT(!differ(given->asset, hemi_asset_view(scene->coming)->header->content_hash, sizeof(given->asset)));
    hemi_give_slots(scene, scene->coming, given->count);
}

static void apply_slots_remove(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)instance;
    hemi_take_slots(scene, ((const hemi_op_slots_remove*)op->payload)->class_index);
}

// -- Sleep by distance

static void apply_viewpoint(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)instance;
    const hemi_op_viewpoint* given = op->payload;
    memcpy(scene->input->viewpoint, given->position, sizeof(given->position));
    scene->input->has_viewpoint = given->set;
    scene->looks_elsewhere = 1;
}

static void apply_sleep_distance(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    (void)scene;
    const hemi_op_sleep_distance* given = op->payload;
    instance->input->sleep_distance = given->sleep;
    instance->input->wake_distance = given->wake;
}

static void apply_restore(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    HEM_ASSERT(op->stride == sizeof(uint32_t));
    hemi_restore(scene, instance, op->elements);
}

void hemi_apply(hem_scene* scene, hemi_instance* instance, const hemi_op* op) {
    HEM_ASSERT(hemi_op_name(op->id) && op->payload && (op->count == 0 || op->elements));
    HEM_ASSERT(op->count == 0 || op->stride >= hemi_op_element_size(op->id));
    HEM_ASSERT(!scene->step_open && (instance == NULL) == hemi_op_is_of_scene(op->id));
    HEM_ASSERT(!instance || (instance->state->alive != 0) == (op->id != HEMI_OP_ADD));
    if (scene->op_watch) {
        scene->op_watch(scene->op_watch_user, scene, instance, op);
    }
    if (op->id != HEMI_OP_POSE && op->id != HEMI_OP_ROOT && op->id != HEMI_OP_CARRY && op->id != HEMI_OP_MESH_POSE &&
        (op->id < HEMI_OP_BUDGET || op->id == HEMI_OP_RESTORE)) {
        *(instance ? &instance->spoken : &scene->spoken) = 1;
    }
    if (instance) {
        hemi_disturb(scene, instance);
    } else if (op->id != HEMI_OP_VIEWPOINT) { // every frame, and who rests is asked by his distance
        hemi_disturb_all(scene);
    }
    switch (op->id) {
#define APPLY(NAME, number, name, payload, element)                                                                    \
    case HEMI_OP_##NAME:                                                                                               \
        apply_##name(scene, instance, op);                                                                             \
        break;
        HEMI_OPS(APPLY)
#undef APPLY
    }
}
