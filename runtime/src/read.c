// SPDX-License-Identifier: MIT
// What the game reads after a step: vertices, particles, matrices, numbers.

#include "runtime/src/internal.h"

static hem_quat turn_of(const hem_scene* scene, const hemi_instance* instance, uint32_t particle) {
    uint32_t row = particle >> 3, lane = particle & 7, oriented = instance->view->info->oriented_row_count;
    HEM_ALIGN(32) hemi_row4 derived;
    const hemi_row4* q = row < oriented ? &instance->q[row] : &instance->frame_q[row - oriented];
    if (row >= oriented && !hemi_keeps_frames(instance)) {
        scene->kernels->frames(instance->view, instance->x, row - oriented, 1, &derived);
        q = &derived;
    }
    return hem_quat_make(q->x[lane], q->y[lane], q->z[lane], q->w[lane]);
}

hem_result hem_instance_get_particles(const hem_scene* scene, hem_instance_id id, uint32_t begin, uint32_t count,
                                      hem_particle* particles) {
    hemi_instance* instance;
    hem_result result = hemi_find(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    const hem_view* view = instance->view;
    if (!particles) {
        return HEM_ERROR_NULL;
    }
    if (begin > view->info->particle_count || count > view->info->particle_count - begin) {
        return HEM_ERROR_COUNT;
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t p = begin + i, row = p >> 3, lane = p & 7;
        const hem_shape_row* shape = &view->shape_rows[row];
        const hemi_row4* x = &instance->x[row];
        const hemi_row3* v = &instance->v[row];
        hem_particle* out = &particles[i];
        hem_quat rest = hem_quat_make(shape->qx[lane], shape->qy[lane], shape->qz[lane], shape->qw[lane]);
        hem_quat q = hem_quat_mul(turn_of(scene, instance, p), rest);
        out->position[0] = x->x[lane];
        out->position[1] = x->y[lane];
        out->position[2] = x->z[lane];
        out->rotation[0] = q.x;
        out->rotation[1] = q.y;
        out->rotation[2] = q.z;
        out->rotation[3] = q.w;
        out->velocity[0] = v->x[lane];
        out->velocity[1] = v->y[lane];
        out->velocity[2] = v->z[lane];
        out->radii[0] = shape->a[lane];
        out->radii[1] = shape->b[lane];
        out->radii[2] = shape->c[lane];
        out->inverse_mass = x->w[lane];
        out->flags = view->particle_flags[p];
        out->part = out->flags >> HEM_PARTICLE_PART_SHIFT;
    }
    return HEM_OK;
}

hem_result hem_instance_get_matrices(const hem_scene* scene, hem_instance_id id, float* matrices, size_t stride) {
    hemi_instance* instance;
    hem_result result = hemi_find(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!matrices) {
        return HEM_ERROR_NULL;
    }
    stride = stride ? stride : 48;
    if (stride < 48 || stride % 4 != 0) {
        return HEM_ERROR_RANGE;
    }
    const hem_view* view = instance->view;
    for (uint32_t p = 0; p < view->info->particle_count; ++p) {
        uint32_t row = p >> 3, lane = p & 7;
        const hem_rest_row* rest = &view->rest_rows[row];
        const hemi_row4* x = &instance->x[row];
        hem_quat q = turn_of(scene, instance, p);
        hem_vec3 r = hem_quat_rotate(q, hem_vec3_make(rest->x[lane], rest->y[lane], rest->z[lane]));
        hem_vec3 t = hem_vec3_sub(hem_vec3_make(x->x[lane], x->y[lane], x->z[lane]), r);
        hem_mat34 m = hem_mat34_from_quat(q, t);
        memcpy((char*)matrices + p * stride, m.m, 48);
    }
    return HEM_OK;
}

hem_result hem_instance_skin(const hem_scene* scene, hem_instance_id id, const hem_skin_args* args) {
    hemi_instance* instance;
    hem_result result = hemi_find(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!args || !args->positions) {
        return HEM_ERROR_NULL;
    }
    const hem_view* view = instance->view;
    uint32_t total = view->info->vertex_count;
    if (args->vertex_begin > total || args->vertex_count > total - args->vertex_begin) {
        return HEM_ERROR_COUNT;
    }
    if ((args->position_stride && (args->position_stride < 12 || args->position_stride % 4)) ||
        (args->normal_stride && (args->normal_stride < 12 || args->normal_stride % 4)) ||
        (args->tangent_stride && (args->tangent_stride < 16 || args->tangent_stride % 4)) ||
        (args->previous && !scene->keep_previous)) {
        return HEM_ERROR_RANGE;
    }
    if (args->vertex_count == 0) {
        return HEM_OK;
    }
    const float(*palette)[16] = (const float(*)[16])(args->previous ? instance->palette_prev : instance->palette);
    scene->kernels->skin(view, palette, args->previous ? instance->bones_prev : instance->bones,
                         instance->state->pose_blend, args);
    return HEM_OK;
}

// -- Numbers

static hem_vec3 place_of(const hemi_instance* instance, uint32_t p) {
    const hemi_row4* x = &instance->x[p >> 3];
    return hem_vec3_make(x->x[p & 7], x->y[p & 7], x->z[p & 7]);
}

typedef struct stretch_sum {
    double total;
    float worst;
    uint32_t count;
} stretch_sum;

static void add_stretch(const hemi_instance* instance, uint32_t kind, uint32_t a, uint32_t b, float rest,
                        stretch_sum* sum) {
    if (kind > HEM_LINK_SHEAR || !(rest > 0.0f)) {
        return;
    }
    float length = hem_vec3_length(hem_vec3_sub(place_of(instance, a), place_of(instance, b)));
    float stretch = hem_absf(length / rest - 1.0f);
    sum->total += (double)stretch;
    sum->worst = hem_maxf(sum->worst, stretch);
    ++sum->count;
}

// Signed distance to a collider as it stands at the end of the step, character space.
static float collider_distance(const hemi_instance* instance, const hemi_collider* c, const float pose[7], hem_vec3 p) {
    hem_quat q = hem_quat_make(pose[3], pose[4], pose[5], pose[6]);
    hem_vec3 l = hem_quat_rotate_back(q, hem_vec3_sub(p, hem_vec3_make(pose[0], pose[1], pose[2])));
    if (c->kind == HEM_SHAPE_PLANE) {
        return l.y;
    }
    if (c->kind == HEM_SHAPE_SPHERE) {
        return hem_vec3_length(l) - c->size[0];
    }
    if (c->kind == HEM_SHAPE_BOX) {
        float qx = hem_absf(l.x) - c->size[0], qy = hem_absf(l.y) - c->size[1], qz = hem_absf(l.z) - c->size[2];
        hem_vec3 o = hem_vec3_make(hem_maxf(qx, 0.0f), hem_maxf(qy, 0.0f), hem_maxf(qz, 0.0f));
        return hem_vec3_length(o) + hem_minf(hem_maxf(qx, hem_maxf(qy, qz)), 0.0f) - c->size[3];
    }
    if (c->kind == HEM_SHAPE_HULL) {
        float best = -1e30f;
        for (uint32_t i = 0; i < c->plane_count; ++i) {
            const float* n = instance->hulls[c->hull].planes[i];
            best = hem_maxf(best, n[0] * l.x + n[1] * l.y + n[2] * l.z - n[3]);
        }
        return best;
    }
    // Two radii: the least over spheres along the axis, by the slope of the cone.
    float half = c->size[2], r0 = c->size[0], r1 = c->size[1];
    float slope = hemi_cone_slope(c->size);
    float side = hem_sqrtf(l.x * l.x + l.z * l.z);
    float y = hem_clampf(l.y - side * slope / hem_sqrtf(1.0f - slope * slope), -half, half);
    float radius = 0.5f * (r0 + r1) - slope * y;
    return hem_sqrtf(side * side + (l.y - y) * (l.y - y)) - radius;
}

// Depth into the body particle b; surface particles are their tangent spheres. Pairs may be as deep as they were at rest.
static float body_depth(const hem_scene* scene, const hemi_instance* instance, uint32_t p, uint32_t b) {
    const hem_view* view = instance->view;
    const hem_shape_row* s = &view->shape_rows[b >> 3];
    uint32_t lane = b & 7;
    float a = s->a[lane], radius = hem_minf(a, hem_minf(s->b[lane], s->c[lane])), back = 0.0f;
    if (view->particle_flags[b] & HEM_PARTICLE_SURFACE) {
        radius = 0.5f * (s->b[lane] * s->b[lane] + s->c[lane] * s->c[lane]) / a;
        back = a - radius;
    }
    hem_vec3 apart = hem_vec3_sub(place_of(instance, p), place_of(instance, b));
    float reach = radius + hem_absf(back);
    if (hem_vec3_dot(apart, apart) >= reach * reach) {
        return 0.0f;
    }
    hem_quat rest = hem_quat_make(s->qx[lane], s->qy[lane], s->qz[lane], s->qw[lane]);
    hem_vec3 x = hem_vec3_make(1.0f, 0.0f, 0.0f);
    hem_vec3 out = hem_quat_rotate(hem_quat_mul(turn_of(scene, instance, b), rest), x);
    hem_vec3 now = hem_vec3_madd(out, back, place_of(instance, b));
    const hem_rest_row* rb = &view->rest_rows[b >> 3];
    const hem_rest_row* rp = &view->rest_rows[p >> 3];
    hem_vec3 was = hem_vec3_madd(hem_quat_rotate(rest, x), back, hem_vec3_make(rb->x[lane], rb->y[lane], rb->z[lane]));
    if (back != 0.0f && hem_vec3_dot(hem_vec3_sub(place_of(instance, p), now), out) < -0.35f * radius) {
        return 0.0f; // the far side, see kernels_contacts.inl
    }
    float rest_distance = hem_vec3_length(hem_vec3_sub(hem_vec3_make(rp->x[p & 7], rp->y[p & 7], rp->z[p & 7]), was));
    return hem_minf(radius, rest_distance) - hem_vec3_length(hem_vec3_sub(place_of(instance, p), now));
}

hem_result hem_instance_get_stats(const hem_scene* scene, hem_instance_id id, hem_instance_stats* stats) {
    hemi_instance* instance;
    hem_result result = hemi_find(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!stats) {
        return HEM_ERROR_NULL;
    }
    const hem_view* view = instance->view;
    memset(stats, 0, sizeof(*stats));
    stretch_sum stretch = {0, 0.0f, 0};
    for (uint32_t n = 0; n < view->link_batch_count; ++n) {
        const hem_link_batch* batch = &view->link_batches[n];
        for (uint32_t i = 0; i < 8; ++i) {
            if (batch->lane_mask >> i & 1u) {
                add_stretch(instance, batch->kind, batch->row_a * 8 + i, batch->row_b * 8 + ((i + batch->rotate) & 7),
                            batch->rest[i], &stretch);
            }
        }
    }
    for (uint32_t n = 0; n < view->index_batch_count; ++n) {
        const hem_index_batch* batch = &view->index_batches[n];
        for (uint32_t i = 0; i < 8; ++i) {
            if (batch->lane_mask >> i & 1u) {
                add_stretch(instance, batch->kind, batch->a[i], batch->b[i], batch->rest[i], &stretch);
            }
        }
    }
    stats->stretch_mean = stretch.count ? (float)(stretch.total / stretch.count) : 0.0f;
    stats->stretch_max = stretch.worst;

    uint32_t own = view->collider_count, given = instance->collider_count;
    double energy = 0, mass_sum = 0, center[3] = {0};
    for (uint32_t p = 0; p < view->info->particle_count; ++p) {
        uint32_t flags = view->particle_flags[p], row = p >> 3, lane = p & 7;
        if (flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_BODY)) {
            continue;
        }
        float mass = view->rest_rows[row].mass[lane];
        hem_vec3 at = place_of(instance, p);
        const hemi_row3* v = &instance->v[row];
        float speed2 = v->x[lane] * v->x[lane] + v->y[lane] * v->y[lane] + v->z[lane] * v->z[lane];
        mass_sum += (double)mass;
        center[0] += (double)mass * (double)at.x;
        center[1] += (double)mass * (double)at.y;
        center[2] += (double)mass * (double)at.z;
        if (!(instance->x[row].w[lane] > 0.0f)) {
            continue;
        }
        ++stats->simulated_count;
        energy += 0.5 * (double)mass * (double)speed2;
        stats->speed_max = hem_maxf(stats->speed_max, hem_sqrtf(speed2));
        const hem_shape_row* shape = &view->shape_rows[row];
        float deepest = 0.0f;
        uint32_t part = flags >> HEM_PARTICLE_PART_SHIFT;
        for (uint32_t o = 0; o < view->info->part_count && (flags & HEM_PARTICLE_COLLIDES); ++o) {
            const hem_part* other = &view->parts[o];
            if (other->kind != HEM_PART_BODY || !(other->collision_group & view->parts[part].collision_mask) ||
                !(other->collision_mask & view->parts[part].collision_group)) {
                continue;
            }
            for (uint32_t b = other->row_begin * 8; b < (other->row_begin + other->row_count) * 8; ++b) {
                if (!(view->particle_flags[b] & HEM_PARTICLE_PAD)) {
                    deepest = hem_maxf(deepest, body_depth(scene, instance, p, b));
                }
            }
        }
        for (uint32_t i = 0; i < given + own; ++i) {
            uint32_t slot = i < given ? i : scene->collider_capacity + i - given;
            const hemi_collider* c = &instance->colliders[slot];
            if (instance->past[slot].valid && (c->mask & view->parts[part].collision_group)) {
                deepest = hem_maxf(deepest, -collider_distance(instance, c, instance->past[slot].pose, at));
            }
        }
        float radius = hem_maxf(shape->a[lane], hem_maxf(shape->b[lane], shape->c[lane]));
        stats->penetration_max = hem_maxf(stats->penetration_max, deepest);
        stats->penetrating_count += deepest > 0.2f * radius;
    }
    stats->kinetic_energy = (float)energy;
    stats->contact_count = instance->report.contact_count;
    for (int k = 0; k < 3; ++k) {
        stats->center_of_mass[k] = mass_sum > 0 ? (float)(center[k] / mass_sum) : 0.0f;
    }
    stats->asleep = instance->state->asleep;
    return HEM_OK;
}

hem_result hem_instance_get_colliders(const hem_scene* scene, hem_instance_id id, hem_collider* colliders,
                                      uint32_t capacity, uint32_t* count) {
    hemi_instance* instance;
    hem_result result = hemi_find(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!count || (capacity && !colliders)) {
        return HEM_ERROR_NULL;
    }
    uint32_t own = instance->view->collider_count, given = instance->collider_count, n = 0;
    for (uint32_t i = 0; i < given + own && n < capacity; ++i) {
        uint32_t slot = i < given ? i : scene->collider_capacity + i - given;
        const hemi_collider* c = &instance->colliders[slot];
        const float* pose = instance->past[slot].pose;
        if (!instance->past[slot].valid) {
            continue;
        }
        hem_collider* out = &colliders[n++];
        memset(out, 0, sizeof(*out));
        out->kind = (hem_collider_kind)c->kind;
        out->bone = c->bone < 0 ? -1 : c->bone;
        for (int k = 0; k < 3; ++k) {
            out->position[k] = (double)pose[k];
        }
        memcpy(out->rotation, pose + 3, sizeof(out->rotation));
        memcpy(out->size, c->size, sizeof(out->size));
        out->friction = c->friction;
        out->mask = c->mask;
        out->planes = c->kind == HEM_SHAPE_HULL ? instance->hulls[c->hull].planes[0] : NULL;
        out->plane_count = c->plane_count;
    }
    *count = n;
    return HEM_OK;
}
