// SPDX-License-Identifier: MIT
#include "formats/hem_trimesh_validate.h"
#include "formats/hem_validate_internal.h"

// What is collided with and what is seen: colliders, vertices, meshes, and the clips of the preview.

// -- Colliders

// Which of the four sizes a shape uses; the rest are zero. Bit i: size[i].
static const uint32_t shape_size_mask[] = {0, 1, 7, 15, 0, 0};

static int is_nowhere(const hem_asset_collider* a) { // where the character itself is
    return a->rotation[0] == 0 && a->rotation[1] == 0 && a->rotation[2] == 0 && a->rotation[3] == 1 &&
           a->position[0] == 0 && a->position[1] == 0 && a->position[2] == 0;
}

// It follows the bones of the asset, in the asset's space.
static hem_format_result check_body_mesh(hemi_checker* c, uint32_t colliders) {
    const hem_view* v = c->view;
    REFUSE_IF(colliders > 1 || (colliders == 1) != (v->body_mesh_size != 0), BAD_COUNT, BODY_MESH, 0, "element_count");
    if (v->body_mesh_size == 0) {
        return HEM_FORMAT_OK;
    }
    hem_trimesh_view mesh;
    REFUSE_IF(hem_trimesh_validate(v->body_mesh, v->body_mesh_size, &mesh, NULL) != HEM_TRIMESH_OK, BAD_VALUE,
              BODY_MESH, 0, "bytes");
    REFUSE_IF(mesh.header->bone_count != v->info->bone_count, BAD_COUNT, BODY_MESH, 0, "bone_count");
    REFUSE_IF(mesh.header->triangle_count > HEM_MAX_BODY_TRIANGLES, BAD_COUNT, BODY_MESH, 0, "triangle_count");
    return HEM_FORMAT_OK;
}

hem_format_result hemi_check_colliders(hemi_checker* c) {
    const hem_view* v = c->view;
    uint32_t next_plane = 0, meshes = 0;
    for (uint32_t i = 0; i < v->collider_count; ++i) {
        const hem_asset_collider* a = &v->colliders[i];
        REFUSE_IF(a->name_offset >= v->string_size, BAD_INDEX, COLLIDERS, i, "name_offset");
        REFUSE_IF(a->kind > HEM_SHAPE_MESH, BAD_VALUE, COLLIDERS, i, "kind");
        if (a->kind == HEM_SHAPE_MESH) {
            ++meshes;
            REFUSE_IF(a->bone != HEM_NONE || !is_nowhere(a), BAD_VALUE, COLLIDERS, i, "position");
        }
        REFUSE_IF(a->bone < HEM_NONE || a->bone >= (int32_t)v->info->bone_count, BAD_INDEX, COLLIDERS, i, "bone");
        REFUSE_IF(a->collision_group == 0, BAD_VALUE, COLLIDERS, i, "collision_group");
        REFUSE_IF(!hemi_is_unit_quat(a->rotation[0], a->rotation[1], a->rotation[2], a->rotation[3]), BAD_VALUE,
                  COLLIDERS, i, "rotation");
        for (int k = 0; k < 3; ++k) {
            REFUSE_IF(!hemi_in_range(a->position[k], -HEM_MAX_METRES, HEM_MAX_METRES), BAD_VALUE, COLLIDERS, i,
                      "position");
        }
        REFUSE_IF(!hemi_in_range(a->friction, 0, 1), BAD_VALUE, COLLIDERS, i, "friction");
        for (int k = 0; k < 4; ++k) {
            const float high = (shape_size_mask[a->kind] >> k & 1) != 0 ? HEM_MAX_METRES : 0;
            REFUSE_IF(!hemi_in_range(a->size[k], 0, high), BAD_VALUE, COLLIDERS, i, "size");
        }
        if (a->kind == HEM_SHAPE_HULL) {
            REFUSE_IF(!hemi_take_range(a->plane_begin, a->plane_count, v->hull_plane_count, &next_plane), BAD_INDEX,
                      COLLIDERS, i, "plane_begin");
            REFUSE_IF(a->plane_count < HEM_MIN_HULL_PLANES || next_plane > HEM_MAX_HULL_PLANES, BAD_COUNT, COLLIDERS, i,
                      "plane_count");
        } else if (a->plane_begin != 0 || a->plane_count != 0) {
            return REFUSE(BAD_INDEX, COLLIDERS, i, "plane_begin");
        }
        REFUSE_IF(!hemi_is_zero(a->reserved, sizeof a->reserved), BAD_VALUE, COLLIDERS, i, "reserved");
    }
    REFUSE_IF(next_plane != v->hull_plane_count, BAD_COUNT, HULL_PLANES, next_plane, "element_count");
    for (uint32_t i = 0; i < v->hull_plane_count; ++i) {
        const float* p = v->hull_planes[i];
        REFUSE_IF(!hemi_near_one(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), BAD_VALUE, HULL_PLANES, i, "normal");
        REFUSE_IF(!hemi_in_range(p[3], -HEM_MAX_METRES, HEM_MAX_METRES), BAD_VALUE, HULL_PLANES, i, "offset");
    }
    return check_body_mesh(c, meshes);
}

// -- Visual meshes and the preview

hem_format_result hemi_check_vertices(hemi_checker* c) {
    const hem_view* v = c->view;
    for (uint32_t i = 0; i < v->info->vertex_count; ++i) {
        const hem_vertex_rest* r = &v->vertex_rest[i];
        for (int k = 0; k < 3; ++k) {
            REFUSE_IF(!hemi_in_range(r->position[k], -HEM_MAX_METRES, HEM_MAX_METRES), BAD_VALUE, VERTEX_REST, i,
                      "position");
        }
        const float* n = r->normal;
        const float* t = r->tangent;
        const float normal_length = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        const float tangent_length = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
        REFUSE_IF(normal_length != 0 && !hemi_near_one(normal_length), BAD_VALUE, VERTEX_REST, i, "normal");
        REFUSE_IF(tangent_length == 0 ? t[3] != 0 : !hemi_near_one(tangent_length) || (t[3] != 1 && t[3] != -1),
                  BAD_VALUE, VERTEX_REST, i, "tangent");
        const hem_vertex_bind* b = &v->vertex_bind[i];
        uint32_t particle_sum = 0, bone_sum = 0;
        for (int k = 0; k < 4; ++k) {
            REFUSE_IF(b->particle[k] >= v->info->particle_count, BAD_INDEX, VERTEX_BIND, i, "particle");
            // Body particles carry no skin, pads no motion.
            REFUSE_IF(b->blend != 0 && b->particle_weight[k] != 0 &&
                          (v->particle_flags[b->particle[k]] & (HEM_PARTICLE_PAD | HEM_PARTICLE_BODY)) != 0,
                      BAD_INDEX, VERTEX_BIND, i, "particle");
            REFUSE_IF(b->bone[k] >= v->info->bone_count, BAD_INDEX, VERTEX_BIND, i, "bone");
            particle_sum += b->particle_weight[k];
            bone_sum += b->bone_weight[k];
        }
        REFUSE_IF(particle_sum != WEIGHT_ONE, BAD_VALUE, VERTEX_BIND, i, "particle_weight");
        REFUSE_IF(bone_sum != WEIGHT_ONE, BAD_VALUE, VERTEX_BIND, i, "bone_weight");
        REFUSE_IF(b->blend == 0 && (b->particle[0] != 0 || b->particle_weight[0] != WEIGHT_ONE), BAD_VALUE, VERTEX_BIND,
                  i, "blend");
        REFUSE_IF(b->reserved != 0, BAD_VALUE, VERTEX_BIND, i, "reserved");
    }
    uint32_t next_cell = 0; // ascending by vertex, as hemi_check_vertex_cells wants it
    for (uint32_t begin = 0; begin < v->info->vertex_count; begin += HEM_LANES) {
        int bones = 1, particles = 1, cells = 1;
        for (uint32_t i = begin; i < begin + HEM_LANES && i < v->info->vertex_count; ++i) {
            bones &= v->vertex_bind[i].blend == 0;
            particles &= v->vertex_bind[i].blend == WEIGHT_ONE;
            const int in_cell = next_cell < v->vertex_cell_count && v->vertex_cells[next_cell].vertex == i;
            next_cell += (uint32_t)in_cell;
            cells &= in_cell;
        }
        const uint8_t block = cells       ? HEM_BLOCK_CELLS
                              : bones     ? HEM_BLOCK_BONES
                              : particles ? HEM_BLOCK_PARTICLES
                                          : HEM_BLOCK_MIXED;
        REFUSE_IF(v->vertex_blocks[begin / HEM_LANES] != block, BAD_VALUE, VERTEX_BLOCKS, begin / HEM_LANES, "block");
    }
    return HEM_FORMAT_OK;
}

hem_format_result hemi_check_meshes(hemi_checker* c) {
    const hem_view* v = c->view;
    uint32_t next_vertex = 0, next_index = 0;
    for (uint32_t i = 0; i < v->info->mesh_count; ++i) {
        const hem_mesh* m = &v->meshes[i];
        REFUSE_IF(m->name_offset >= v->string_size, BAD_INDEX, MESHES, i, "name_offset");
        REFUSE_IF(!hemi_take_range(m->vertex_begin, m->vertex_count, v->info->vertex_count, &next_vertex), BAD_COUNT,
                  MESHES, i, "vertex_begin");
        REFUSE_IF(m->index_count % 3 != 0 ||
                      !hemi_take_range(m->index_begin, m->index_count, v->preview_index_count, &next_index),
                  BAD_COUNT, MESHES, i, "index_begin");
        for (uint32_t k = m->index_begin; k < next_index; ++k) {
            REFUSE_IF(v->preview_indices[k] - m->vertex_begin >= m->vertex_count, BAD_INDEX, PREVIEW_INDICES, k,
                      "vertex");
        }
        uint32_t flags = 0;
        for (uint32_t k = m->vertex_begin; k < next_vertex; ++k) {
            flags |= v->vertex_bind[k].blend != 0 ? (uint32_t)HEM_MESH_DYNAMIC : 0;
        }
        REFUSE_IF(m->flags != flags, BAD_VALUE, MESHES, i, "flags");
        REFUSE_IF(!hemi_is_zero(m->reserved, sizeof m->reserved), BAD_VALUE, MESHES, i, "reserved");
    }
    REFUSE_IF(next_vertex != v->info->vertex_count, BAD_COUNT, MESHES, v->info->mesh_count, "vertex_count");
    REFUSE_IF(next_index != v->preview_index_count, BAD_COUNT, MESHES, v->info->mesh_count, "index_count");
    return HEM_FORMAT_OK;
}

hem_format_result hemi_check_clips(hemi_checker* c) {
    const hem_view* v = c->view;
    uint32_t next = 0;
    for (uint32_t i = 0; i < v->clip_count; ++i) {
        const hem_clip* clip = &v->clips[i];
        REFUSE_IF(clip->name_offset >= v->string_size, BAD_INDEX, PREVIEW_CLIPS, i, "name_offset");
        REFUSE_IF(clip->frame_count == 0 ||
                      !hemi_take_range(clip->frame_begin, clip->frame_count, v->clip_frame_count, &next),
                  BAD_COUNT, PREVIEW_CLIPS, i, "frame_begin");
        REFUSE_IF(!hemi_in_range(clip->hz, 1e-3f, 1e4f), BAD_VALUE, PREVIEW_CLIPS, i, "hz");
        REFUSE_IF((clip->flags & ~(uint32_t)HEM_CLIP_LOOPS) != 0, BAD_VALUE, PREVIEW_CLIPS, i, "flags");
        REFUSE_IF(!hemi_is_zero(clip->reserved, sizeof clip->reserved), BAD_VALUE, PREVIEW_CLIPS, i, "reserved");
    }
    REFUSE_IF(next != v->clip_frame_count, BAD_COUNT, PREVIEW_FRAMES, next, "element_count");
    const uint32_t matrix_count = v->clip_frame_count * v->info->bone_count;
    for (uint32_t i = 0; i < matrix_count; ++i) {
        for (int k = 0; k < 12; ++k) {
            REFUSE_IF(!hemi_in_range(v->clip_frames[i][k], -HEM_MAX_METRES, HEM_MAX_METRES), BAD_VALUE, PREVIEW_FRAMES,
                      i, "matrix");
        }
    }
    return HEM_FORMAT_OK;
}
