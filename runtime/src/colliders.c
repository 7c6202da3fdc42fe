// SPDX-License-Identifier: MIT
// Colliders: where they go during the step, and where they are in a substep.

#include "runtime/src/meshes.h"
#include "runtime/src/step.h"

uint32_t hemi_collider_total(const hem_scene* scene, const hemi_instance* instance) {
    return instance->input->collider_count + scene->input->collider_count + instance->view->collider_count;
}

hemi_collider_ref hemi_collider_at(const hem_scene* scene, const hemi_instance* instance, uint32_t index) {
    const uint32_t given = instance->input->collider_count, shared = scene->input->collider_count;
    HEM_ASSERT(index < hemi_collider_total(scene, instance));
    hemi_collider_ref ref = {NULL, NULL, NULL, NULL, NULL};
    const int own = index >= given + shared; // the asset's
    const void* planes;                      // all that there are
    if (index < given) {
        ref.collider = &instance->colliders[index];
        ref.past = &instance->past[index];
        planes = instance->planes;
    } else if (index < given + shared) {
        ref.collider = &scene->colliders[index - given];
        ref.world_past = &scene->past[index - given];
        planes = scene->planes;
    } else {
        index -= given + shared;
        ref.collider = &scene->classes[instance->class_index].derived->colliders[index];
        ref.past = &instance->past[scene->collider_capacity + index];
        planes = instance->view->hull_planes;
    }
    if (ref.collider->kind == HEM_SHAPE_HULL) {
        ref.planes = (const float(*)[4])planes + ref.collider->first_plane;
    }
    if (ref.collider->kind == HEM_COLLIDER_MESH) {
        HEM_ASSERT(own ? instance->body != NULL : ref.collider->first_plane < scene->mesh_count);
        ref.mesh = own ? &instance->body->mesh : &scene->meshes[ref.collider->first_plane];
    }
    return ref;
}

static void store_pose(hem_vec3 p, hem_quat q, float pose[7]) {
    q = hem_quat_normalise(q);
    memcpy(pose, &p, 3 * sizeof(float));
    memcpy(pose + 3, &q, 4 * sizeof(float));
}

// From the world into the character's space.
static void pose_from_world(const hem_root* root, const double position[3], const float rotation[4], float pose[7]) {
    hem_quat world = hemi_quat_of(root->rotation);
    hem_vec3 p = hem_vec3_make((float)(position[0] - root->position[0]), (float)(position[1] - root->position[1]),
                               (float)(position[2] - root->position[2]));
    store_pose(hem_quat_rotate_back(world, p), hem_quat_mul(hem_quat_conj(world), hemi_quat_of(rotation)), pose);
}

// Where the input has a collider at the end of the step, character space.
static void collider_pose(const hemi_instance* instance, const hemi_collider* c, float pose[7]) {
    if (c->bone == -1) {
        pose_from_world(&instance->input->root, c->position, c->rotation, pose);
        return;
    }
    hem_quat q = hemi_quat_of(c->rotation);
    hem_vec3 p = hem_vec3_make((float)c->position[0], (float)c->position[1], (float)c->position[2]);
    if (c->bone >= 0) {
        HEM_ASSERT((uint32_t)c->bone < instance->view->info->bone_count);
        const hemi_bone_pose* bone = &instance->bones[c->bone];
        hem_mat34 m;
        memcpy(m.m, bone->m, sizeof(m.m));
        p = hem_mat34_point(&m, p);
        q = hem_quat_mul(hemi_quat_of(bone->q), q);
    }
    store_pose(p, q, pose);
}

int hemi_collider_now(const hemi_instance* instance, const hemi_collider_ref* ref, float pose[7]) {
    if (ref->past) {
        memcpy(pose, ref->past->pose, sizeof(ref->past->pose));
        return ref->past->whose == hemi_collider_identity(ref->collider);
    }
    // What an instance keeps of its own colliders follows here from where the scene's were and where it stood itself.
    pose_from_world(&instance->state->root, ref->world_past->position, ref->world_past->rotation, pose);
    return ref->world_past->whose == hemi_collider_identity(ref->collider);
}

void hemi_keep_world_past(hem_scene* scene) {
    for (uint32_t i = 0; i < scene->input->collider_count; ++i) {
        hemi_world_past* past = &scene->past[i];
        memcpy(past->position, scene->colliders[i].position, sizeof(past->position));
        memcpy(past->rotation, scene->colliders[i].rotation, sizeof(past->rotation));
        past->whose = hemi_collider_identity(&scene->colliders[i]);
    }
    for (uint32_t i = scene->input->collider_count; i < scene->scene_collider_capacity; ++i) {
        scene->past[i].whose = 0;
    }
}

int hemi_colliders_moved(const hemi_step* s) {
    const hemi_instance* instance = s->instance;
    const uint32_t count =
        instance->input->features & HEM_FEATURE_COLLIDERS ? hemi_collider_total(s->scene, instance) : 0;
    int moved = 0;
    for (uint32_t i = 0; i < count && !moved; ++i) {
        const hemi_collider_ref ref = hemi_collider_at(s->scene, instance, i);
        float pose[7], last[7];
        collider_pose(instance, ref.collider, pose);
        const int was_there = hemi_collider_now(instance, &ref, last);
        for (int k = 0; k < 7 && was_there; ++k) {
            moved |= !(hem_absf(pose[k] - last[k]) < (k < 3 ? s->derived->still : 1e-5f));
        }
        const int own = ref.mesh && instance->body && ref.mesh == &instance->body->mesh;
        moved |= own ? hemi_mesh_moves(ref.mesh) : ref.mesh && ref.mesh->moved;
    }
    return moved;
}

void hemi_phase_colliders(hemi_step* s) {
    hemi_instance* instance = s->instance;
    hemi_colliders* all = &s->scratch->colliders;
    all->count = s->instance->input->features & HEM_FEATURE_COLLIDERS ? hemi_collider_total(s->scene, instance) : 0;
    s->scratch->meshes.mesh_count = s->scratch->meshes.row_count = 0;
    if (all->count) {
        hemi_begin_body(s->scene, instance);
    }
    memset(all->placed, 0, sizeof(all->placed));
    for (uint32_t i = 0; i < all->count; ++i) {
        const hemi_collider_ref ref = hemi_collider_at(s->scene, instance, i);
        hemi_collider_path* path = &all->paths[i];
        s->scratch->meshes.mesh_count += ref.mesh != NULL;
        path->mesh = ref.mesh;
        path->collider = ref.collider;
        path->planes = ref.planes;
        collider_pose(instance, path->collider, path->pose[1]);
        if (!hemi_collider_now(instance, &ref, path->pose[0])) {
            memcpy(path->pose[0], path->pose[1], sizeof(path->pose[0]));
        }
        if (ref.past) {
            memcpy(ref.past->pose, path->pose[1], sizeof(ref.past->pose));
            ref.past->whose = hemi_collider_identity(ref.collider);
        }
    }
    const uint32_t left = all->count ? instance->input->collider_count : 0;
    for (uint32_t i = left; i < s->scene->collider_capacity; ++i) {
        instance->past[i].whose = 0;
    }
}

// From the frame that q and p are given in into their own.
static void matrix_into(hem_quat q, hem_vec3 p, float m[12]) {
    hem_vec3 origin = hem_quat_rotate_back(q, p);
    hem_mat34 into = hem_mat34_from_quat(hem_quat_conj(q), hem_vec3_make(-origin.x, -origin.y, -origin.z));
    memcpy(m, into.m, sizeof(into.m));
}

// How far a point is from where it was, both seen from the collider: the way of its own centre, and what the turn adds
// farther out.
static void measure_motion(hemi_shape* shape) {
    float shift = 0.0f, twist = 0.0f;
    for (int k = 0; k < 3; ++k) {
        const float *now = shape->now + k * 4, *then = shape->then + k * 4, *p = shape->position;
        const float o = then[0] * p[0] + then[1] * p[1] + then[2] * p[2] + then[3];
        shift += o * o;
        for (int i = 0; i < 3; ++i) {
            twist += (now[i] - then[i]) * (now[i] - then[i]);
        }
    }
    shape->shift = hem_sqrtf(shift);
    shape->twist = hem_sqrtf(twist);
}

static void begin_shape(const hemi_collider_path* path, float s0, hemi_shape* shape) {
    const hemi_collider* c = path->collider;
    const float *a = path->pose[0], *b = path->pose[1];
    hem_vec3 p = hem_vec3_make(a[0], a[1], a[2]);
    hem_quat q = hemi_quat_of(a + 3);
    if (s0 > 0.0f) {
        p = hem_vec3_lerp(p, hem_vec3_make(b[0], b[1], b[2]), s0);
        q = hem_quat_nlerp(q, hemi_quat_of(b + 3), s0);
    }
    shape->kind = c->kind;
    shape->mask = c->mask;
    shape->plane_count = c->plane_count;
    shape->planes = path->planes;
    shape->friction = c->friction;
    shape->restitution = c->restitution;
    shape->slide = c->slide;
    memcpy(shape->size, c->size, sizeof(shape->size));
    shape->slope = hemi_cone_slope(c->size);
    shape->tangent = shape->slope / hem_sqrtf(1.0f - shape->slope * shape->slope);
    shape->widest = c->kind == HEM_SHAPE_CAPSULE ? hem_maxf(c->size[0], c->size[1]) : c->size[0];
    matrix_into(q, p, shape->now);
    memcpy(shape->position, &p, sizeof(shape->position));
}

// Where the colliders that someone may meet are at the end of this substep, and where they were at its start: for a part
// that stands still that is where the last substep left them.
void hemi_place_colliders(hemi_step* step) {
    hemi_colliders* s = &step->scratch->colliders;
    const hemi_part_step* parts = step->scratch->solve.parts;
    uint32_t count = s->count, part_count = step->instance->view->info->part_count;
    float s0 = step->s0, s1 = step->s1;
    for (uint32_t i = 0; i < count; ++i) {
        const hemi_collider_path* path = &s->paths[i];
        const float *a = path->pose[0], *b = path->pose[1];
        const int begins = !(s->placed[i / 32] >> (i % 32) & 1u);
        if (!(s->met[i / 32] >> (i % 32) & 1u)) {
            s->placed[i / 32] &= ~(1u << (i % 32));
            continue;
        }
        s->placed[i / 32] |= 1u << (i % 32);
        hem_vec3 pa = hem_vec3_make(a[0], a[1], a[2]), pb = hem_vec3_make(b[0], b[1], b[2]);
        hem_quat qa = hemi_quat_of(a + 3), qb = hemi_quat_of(b + 3);
        hem_vec3 p1 = hem_vec3_lerp(pa, pb, s1);
        float now[12];
        matrix_into(hem_quat_nlerp(qa, qb, s1), p1, now);
        for (uint32_t p = 0; p < part_count; ++p) {
            if (!(path->collider->mask & step->instance->view->parts[p].collision_group)) {
                continue; // nobody of it
            }
            hemi_shape* shape = &s->shapes[p * count + i];
            if (begins) {
                begin_shape(path, s0, shape);
            }
            const hemi_mat34* frame = &parts[p].frame;
            if (hemi_frame_is_still(frame)) {
                memcpy(shape->then, shape->now, sizeof(shape->then));
                memcpy(shape->began, shape->position, sizeof(shape->began));
            } else {
                hem_mat34 moves;
                memcpy(moves.m, frame->m, sizeof(moves.m));
                hem_vec3 began = hem_mat34_point(&moves, hem_vec3_lerp(pa, pb, s0));
                hem_quat q0 = hem_quat_nlerp(qa, qb, s0);
                matrix_into(hem_quat_normalise(hem_quat_mul(hem_quat_from_mat34(&moves), q0)), began, shape->then);
                memcpy(shape->began, &began, sizeof(shape->began));
            }
            memcpy(shape->now, now, sizeof(now));
            memcpy(shape->position, &p1, sizeof(shape->position));
            measure_motion(shape);
            if (path->mesh) {
                shape->mesh = hemi_mesh_shape_of(path->mesh, s0, s1);
            }
        }
    }
}
