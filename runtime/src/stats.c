// SPDX-License-Identifier: MIT
// Numbers about an instance, by brute force: stretch, energy, penetration.

#include "runtime/src/kernels/kernels.h"
#include "runtime/src/refuse.h"

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
    if (!hem_kind_in(kind, HEM_KINDS_STRETCH) || rest < HEM_RUN_MIN_REST) { // no length to compare with
        return;
    }
    float length = hem_vec3_length(hem_vec3_sub(place_of(instance, a), place_of(instance, b)));
    float stretch = hem_absf(length / rest - 1.0f);
    sum->total += (double)stretch;
    sum->worst = hem_maxf(sum->worst, stretch);
    ++sum->count;
}

// Up to NEAR_MESH; farther is as far as that.
#define NEAR_MESH 0.05f
static float mesh_distance(const hem_scene* scene, const hemi_mesh* mesh, hem_vec3 p) {
    const hemi_mesh_shape shape = hemi_mesh_shape_of(mesh, 1.0f, 1.0f);
    hemi_mesh_touch touch;
    memset(&touch, 0, sizeof(touch));
    touch.from.x[0] = touch.to.x[0] = p.x;
    touch.from.y[0] = touch.to.y[0] = p.y;
    touch.from.z[0] = touch.to.z[0] = p.z;
    touch.margin[0] = NEAR_MESH;
    const uint32_t touches = shape.view ? scene->kernels->touch_mesh(&shape, &touch, 1) : 0;
    return touches ? NEAR_MESH - touch.depth[0] : NEAR_MESH;
}

// Signed distance to a collider as it stands at the end of the step, character space.
static float collider_distance(const hem_scene* scene, hemi_collider_ref ref, const float pose[7], hem_vec3 p) {
    const hemi_collider* c = ref.collider;
    hem_quat q = hem_quat_make(pose[3], pose[4], pose[5], pose[6]);
    hem_vec3 l = hem_quat_rotate_back(q, hem_vec3_sub(p, hem_vec3_make(pose[0], pose[1], pose[2])));
    if (c->kind == HEM_SHAPE_PLANE) {
        return l.y;
    }
    if (ref.mesh) {
        return mesh_distance(scene, ref.mesh, l);
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
            const float* n = ref.planes[i];
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
    hem_vec3 out = hem_quat_rotate(hem_quat_mul(hemi_turn_of(scene, instance, b), rest), x);
    hem_vec3 now = hem_vec3_madd(out, back, place_of(instance, b));
    const hem_rest_row* rb = &view->rest_rows[b >> 3];
    const hem_rest_row* rp = &view->rest_rows[p >> 3];
    hem_vec3 was = hem_vec3_madd(hem_quat_rotate(rest, x), back, hem_vec3_make(rb->x[lane], rb->y[lane], rb->z[lane]));
    if (back != 0.0f && hem_vec3_dot(hem_vec3_sub(place_of(instance, p), now), out) < -0.35f * radius) {
        return 0.0f; // the far side, see kernels/contacts.inl
    }
    float rest_distance = hem_vec3_length(hem_vec3_sub(hem_vec3_make(rp->x[p & 7], rp->y[p & 7], rp->z[p & 7]), was));
    return hem_minf(radius, rest_distance) - hem_vec3_length(hem_vec3_sub(place_of(instance, p), now));
}

static void measure_stretch(const hemi_instance* instance, hem_instance_stats* stats) {
    const hem_view* view = instance->view;
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
}

// Of a simulated particle, into body particles and colliders.
static float depth_of(const hem_scene* scene, const hemi_instance* instance, uint32_t p) {
    const hem_view* view = instance->view;
    const uint32_t flags = view->particle_flags[p], part = flags >> HEM_PARTICLE_PART_SHIFT;
    const uint32_t colliders = hemi_collider_total(scene, instance);
    const hem_vec3 at = place_of(instance, p);
    float deepest = 0.0f;
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
    for (uint32_t i = 0; i < colliders; ++i) {
        const hemi_collider_ref ref = hemi_collider_at(scene, instance, i);
        float pose[7];
        if ((ref.collider->mask & view->parts[part].collision_group) && hemi_collider_now(instance, &ref, pose)) {
            deepest = hem_maxf(deepest, -collider_distance(scene, ref, pose, at));
        }
    }
    return deepest;
}

hem_result hem_instance_get_stats(const hem_scene* scene, hem_instance_id id, hem_instance_stats* stats) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!stats) {
        return hemi_refuse_null(scene, __func__, "stats");
    }
    const hem_view* view = instance->view;
    memset(stats, 0, sizeof(*stats));
    measure_stretch(instance, stats);
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
        float deepest = depth_of(scene, instance, p);
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
