// SPDX-License-Identifier: MIT
// What the game reads after a step: vertices, particles, matrices, colliders.

#include "runtime/src/read.h"
#include "runtime/src/kernels/kernels.h"
#include "runtime/src/refuse.h"
#include "runtime/src/tear.h"

hem_quat hemi_turn_of(const hem_scene* scene, const hemi_instance* instance, uint32_t particle) {
    uint32_t row = particle >> 3, lane = particle & 7, oriented = instance->view->info->oriented_row_count;
    HEM_ASSERT(row < instance->view->info->row_count);
    HEM_ALIGN(32) hemi_row4 derived;
    const hemi_row4* q = row < oriented ? &instance->show_q[row] : &instance->frame_q[row - oriented];
    if (row >= oriented && !hemi_keeps_frames(instance)) {
        scene->kernels->frames(instance->view, instance->show_x, row - oriented, 1, &derived);
        q = &derived;
    }
    return hem_quat_make(q->x[lane], q->y[lane], q->z[lane], q->w[lane]);
}

static int stride_is_fine(const hem_scene* scene, const char* call, const char* field, size_t stride, size_t least) {
    if (stride && (stride < least || stride % 4 != 0)) {
        hemi_refuse_value(scene, call, HEM_ERROR_RANGE, field, (double)stride,
                          "must be 0 or a multiple of 4 bytes that an element fits into");
        return 0;
    }
    return 1;
}

hem_result hem_instance_get_particles(const hem_scene* scene, hem_instance_id id, uint32_t begin, uint32_t count,
                                      hem_particle* particles) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    const hem_view* view = instance->view;
    if (!particles) {
        return hemi_refuse_null(scene, __func__, "particles");
    }
    if (begin > view->info->particle_count || count > view->info->particle_count - begin) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_COUNT, "begin + count", (double)begin + count,
                                 "must be at most particle_count of the asset");
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t p = begin + i, row = p >> 3, lane = p & 7;
        const hem_shape_row* shape = &view->shape_rows[row];
        const hemi_row4* x = &instance->show_x[row];
        const hemi_row3* v = &instance->v[row];
        hem_particle* out = &particles[i];
        hem_quat rest = hem_quat_make(shape->qx[lane], shape->qy[lane], shape->qz[lane], shape->qw[lane]);
        hem_quat q = hem_quat_mul(hemi_turn_of(scene, instance, p), rest);
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
        out->inverse_mass = instance->x[row].w[lane];
        out->flags = view->particle_flags[p];
        out->part = out->flags >> HEM_PARTICLE_PART_SHIFT;
    }
    return HEM_OK;
}

hem_result hem_instance_get_matrices(const hem_scene* scene, hem_instance_id id, float* matrices, size_t stride) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!matrices) {
        return hemi_refuse_null(scene, __func__, "matrices");
    }
    if (!stride_is_fine(scene, __func__, "stride", stride, 48)) {
        return HEM_ERROR_RANGE;
    }
    stride = stride ? stride : 48;
    const hem_view* view = instance->view;
    for (uint32_t p = 0; p < view->info->particle_count; ++p) {
        uint32_t row = p >> 3, lane = p & 7;
        const hem_rest_row* rest = &view->rest_rows[row];
        const hemi_row4* x = &instance->show_x[row];
        hem_quat q = hemi_turn_of(scene, instance, p);
        hem_vec3 r = hem_quat_rotate(q, hem_vec3_make(rest->x[lane], rest->y[lane], rest->z[lane]));
        hem_vec3 t = hem_vec3_sub(hem_vec3_make(x->x[lane], x->y[lane], x->z[lane]), r);
        hem_mat34 m = hem_mat34_from_quat(q, t);
        memcpy((char*)matrices + p * stride, m.m, 48);
    }
    return HEM_OK;
}

// The rest of a range, behind the first `done`, counted from vertex `whole`.
hem_skin_args hemi_skin_behind(const hem_skin_args* args, uint32_t done, uint32_t whole) {
    hem_skin_args rest = *args;
    const size_t position = args->position_stride ? args->position_stride : 12;
    const size_t normal = args->normal_stride ? args->normal_stride : 12;
    const size_t tangent = args->tangent_stride ? args->tangent_stride : 16;
    rest.vertex_begin = args->vertex_begin + done - whole;
    rest.vertex_count = args->vertex_count - done;
    rest.positions = (float*)((char*)args->positions + done * position);
    rest.normals = args->normals ? (float*)((char*)args->normals + done * normal) : NULL;
    rest.tangents = args->tangents ? (float*)((char*)args->tangents + done * tangent) : NULL;
    return rest;
}

static hem_result check_skin_args(const hem_scene* scene, const char* call, const hem_skin_args* args, uint32_t total) {
    if (args->vertex_begin > total || args->vertex_count > total - args->vertex_begin) {
        return hemi_refuse_value(scene, call, HEM_ERROR_COUNT, "args.vertex_begin + vertex_count",
                                 (double)args->vertex_begin + args->vertex_count,
                                 "must be at most vertex_count of the asset, and of what is torn");
    }
    if (!stride_is_fine(scene, call, "args.position_stride", args->position_stride, 12) ||
        !stride_is_fine(scene, call, "args.normal_stride", args->normal_stride, 12) ||
        !stride_is_fine(scene, call, "args.tangent_stride", args->tangent_stride, 16)) {
        return HEM_ERROR_RANGE;
    }
    if (args->flags & ~(uint32_t)HEM_SKIN_DYNAMIC) {
        return hemi_refuse_value(scene, call, HEM_ERROR_RANGE, "args.flags", args->flags,
                                 "must be 0 or HEM_SKIN_DYNAMIC");
    }
    if (args->previous && !scene->keep_previous) {
        return hemi_refuse_value(scene, call, HEM_ERROR_RANGE, "args.previous", args->previous,
                                 "needs hem_scene_def.keep_previous");
    }
    return HEM_OK;
}

void hemi_skin(const hem_scene* scene, const hemi_instance* instance, const hem_skin_args* args) {
    const hem_view* view = instance->view;
    const uint32_t whole = view->info->vertex_count;
    const float blend = hemi_blend_of(instance);
    const float(*palette)[16] = (const float(*)[16])(args->previous ? instance->palette_prev : instance->palette);
    const hemi_bone_pose* bones = args->previous ? instance->bones_prev : instance->bones;
    const uint32_t end = args->vertex_begin + args->vertex_count;
    hem_skin_args own = *args;
    own.vertex_count = end < whole ? args->vertex_count : args->vertex_begin < whole ? whole - args->vertex_begin : 0;
    if (own.vertex_count) {
        const uint8_t* weights = scene->classes[instance->class_index].derived->weights;
        scene->kernels->skin(view, weights, palette, bones, blend, &own);
    }
    if (own.vertex_count && view->vertex_cell_count && blend > 0.0f) {
        const uint32_t cells_whole = scene->classes[instance->class_index].derived->cells_whole;
        scene->kernels->skin_cells(view, palette, bones, blend, cells_whole, &own);
    }
    if (end > whole) {
        const hem_skin_args torn = hemi_skin_behind(args, own.vertex_count, whole);
        scene->kernels->skin_cells(&instance->torn->vertices, palette, bones, blend, 0, &torn);
    }
}

hem_result hem_instance_skin(const hem_scene* scene, hem_instance_id id, const hem_skin_args* args) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!args || !args->positions) {
        return hemi_refuse_null(scene, __func__, args ? "args.positions" : "args");
    }
    const uint32_t torn = instance->torn && !args->previous ? instance->torn->vertex_count : 0;
    result = check_skin_args(scene, __func__, args, instance->view->info->vertex_count + torn);
    if (result == HEM_OK && args->vertex_count) {
        hemi_skin(scene, instance, args);
    }
    return result;
}

hem_result hem_instance_set_output(hem_scene* scene, hem_instance_id id, const hem_skin_args* args) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (args && !args->positions) {
        return hemi_refuse_null(scene, __func__, "args.positions");
    }
    result = args ? check_skin_args(scene, __func__, args, instance->view->info->vertex_count) : HEM_OK;
    if (result == HEM_OK) {
        const hem_skin_args none = {0};
        instance->output = args ? *args : none;
        hemi_disturb(scene, instance);
    }
    return result;
}

int hemi_read_collider(const hem_scene* scene, const hemi_instance* instance, uint32_t index, hem_collider* out) {
    const hemi_collider_ref ref = hemi_collider_at(scene, instance, index);
    const hemi_collider* c = ref.collider;
    float pose[7];
    if (!hemi_collider_now(instance, &ref, pose)) {
        return 0;
    }
    *out = hem_collider_default();
    out->kind = (hem_collider_kind)c->kind;
    out->bone = c->bone < 0 ? -1 : c->bone;
    for (int k = 0; k < 3; ++k) {
        out->position[k] = (double)pose[k];
    }
    memcpy(out->rotation, pose + 3, sizeof(out->rotation));
    memcpy(out->size, c->size, sizeof(out->size));
    out->friction = c->friction;
    out->restitution = c->restitution;
    out->slide = c->slide;
    out->mask = c->mask;
    out->planes = ref.planes ? ref.planes[0] : NULL;
    out->plane_count = c->plane_count;
    out->mesh = ref.mesh ? c->first_plane : 0;
    return 1;
}

hem_result hem_instance_get_colliders(const hem_scene* scene, hem_instance_id id, hem_collider* colliders,
                                      uint32_t capacity, uint32_t* count) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!count || (capacity && !colliders)) {
        return hemi_refuse_null(scene, __func__, count ? "colliders" : "count");
    }
    uint32_t total = hemi_collider_total(scene, instance), n = 0;
    for (uint32_t i = 0; i < total && n < capacity; ++i) {
        n += (uint32_t)hemi_read_collider(scene, instance, i, &colliders[n]);
    }
    *count = n;
    return HEM_OK;
}
