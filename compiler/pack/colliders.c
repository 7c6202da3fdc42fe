// SPDX-License-Identifier: MIT
#include "compiler/pack/pack.h"

#include <math.h>
#include <string.h>

// Bones, and what hangs on them to be collided with.

static const float identity34[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

// Left out where skinning matrices are the glTF's own for every bone.
#define SAME_SPACE 1e-5f

static void pack_spaces(hemc_packer* p) {
    const hemc_model* model = p->model;
    const uint32_t count = model != NULL ? model->bone_count : 0;
    hem_matrix34* spaces = hemc_alloc(p->arena, count, sizeof(hem_matrix34));
    bool same = true;
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(spaces[i], model->bone_defs[i].space, sizeof(hem_matrix34));
        for (int k = 0; k < 12; ++k) {
            same = same && fabsf(spaces[i][k] - identity34[k]) <= SAME_SPACE;
        }
    }
    if (!same) {
        p->view.bone_spaces = (const hem_matrix34*)spaces;
        p->view.bone_space_count = count;
    }
}

static bool has_spring_bones(const hemc_recipe* recipe) {
    bool any = false;
    for (uint32_t i = 0; recipe != NULL && i < recipe->part_count; ++i) {
        any = any || recipe->parts[i].spring_bones;
    }
    return any;
}

void hemc_pack_bones(hemc_packer* p) {
    const hemc_model* model = p->model;
    const uint32_t count = model != NULL ? model->bone_count : 1;
    hem_bone* bones = hemc_alloc(p->arena, count, sizeof(hem_bone));
    for (uint32_t i = 0; i < count; ++i) {
        bones[i].name_offset = hemc_pack_string(&p->strings, model != NULL ? model->bone_defs[i].name : "root");
        bones[i].parent = model != NULL ? model->bone_defs[i].parent : HEM_NONE;
        memcpy(bones[i].inverse_bind, model != NULL ? model->bone_defs[i].inverse_bind : identity34,
               sizeof bones[i].inverse_bind);
    }
    if (model != NULL && has_spring_bones(p->recipe)) {
        hemc_spring_hangs(p->arena, model, bones);
    }
    p->view.bones = bones;
    p->info.bone_count = p->view.bone_count = count;
    if (p->recipe != NULL && p->recipe->scale != 1.0f) {
        p->info.unit = p->recipe->scale;
    }
    pack_spaces(p);
}

// The parts that meet it. Those past the 31st share a bit, and meet whatever one of them meets.
static uint32_t groups_of(const hemc_packer* p, const hemc_collider_recipe* c) {
    uint32_t ignored = 0, met = 0;
    for (uint32_t i = 0; i < p->recipe->part_count; ++i) {
        *(hemc_part_ignores(&p->recipe->parts[i], c) ? &ignored : &met) |= p->mesh->collision_groups[i];
    }
    return ~(ignored & ~met);
}

// Parts that collide with the body collide with its triangles.
static void pack_body_mesh(hemc_packer* p, hem_asset_collider* out) {
    out->name_offset = hemc_pack_string(&p->strings, "body");
    out->kind = HEM_SHAPE_MESH;
    out->bone = HEM_NONE;
    out->rotation[3] = 1.0f;
    out->friction = p->recipe->body.friction;
    out->collision_group = p->mesh->body_mesh_groups;
    p->view.body_mesh = p->mesh->body_mesh;
    p->view.body_mesh_size = (uint32_t)p->mesh->body_mesh_size;
}

void hemc_pack_colliders(hemc_packer* p) {
    const hemc_model* model = p->model;
    const hemc_recipe* recipe = p->recipe;
    uint32_t total = 0;
    for (uint32_t i = 0; i < recipe->collider_count; ++i) {
        total += recipe->colliders[i].kind == HEM_SHAPE_HULL ? recipe->colliders[i].plane_count : 0;
    }
    const uint32_t meshes = p->mesh->body_mesh != NULL;
    hem_asset_collider* out = hemc_alloc(p->arena, recipe->collider_count + meshes, sizeof(hem_asset_collider));
    hem_plane* planes = hemc_alloc(p->arena, total, sizeof(hem_plane));
    uint32_t plane_count = 0;
    for (uint32_t i = 0; i < recipe->collider_count; ++i) {
        const hemc_collider_recipe* c = &recipe->colliders[i];
        out[i].name_offset = hemc_pack_string(&p->strings, c->name);
        out[i].kind = (uint32_t)c->kind;
        out[i].bone = HEM_NONE;
        for (uint32_t b = 0; c->bone != NULL && b < model->bone_count && out[i].bone == HEM_NONE; ++b) {
            if (strcmp(model->bone_defs[b].name, c->bone) == 0) {
                out[i].bone = (int32_t)b;
            }
        }
        out[i].collision_group = groups_of(p, c);
        memcpy(out[i].rotation, c->rotation, sizeof out[i].rotation);
        memcpy(out[i].position, c->position, sizeof out[i].position);
        out[i].friction = recipe->body.friction;
        memcpy(out[i].size, c->size, sizeof out[i].size);
        if (c->kind == HEM_SHAPE_HULL) {
            out[i].plane_begin = plane_count;
            out[i].plane_count = c->plane_count;
            for (uint32_t k = 0; k < c->plane_count; ++k) {
                memcpy(planes[plane_count + k], c->planes[k], sizeof c->planes[k]);
            }
            plane_count += c->plane_count;
        }
    }
    if (meshes) {
        pack_body_mesh(p, &out[recipe->collider_count]);
    }
    p->view.colliders = out;
    p->view.collider_count = recipe->collider_count + meshes;
    p->view.hull_planes = (const hem_plane*)planes;
    p->view.hull_plane_count = plane_count;
}
