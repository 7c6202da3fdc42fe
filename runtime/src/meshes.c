// SPDX-License-Identifier: MIT
// Triangle meshes in a scene: their place in the block, their poses, and soups that a game makes anew each frame.

#include "runtime/src/checks.h"
#include "runtime/src/kernels/kernels.h"
#include "runtime/src/meshes.h"
#include "runtime/src/ops.h"
#include "platform/hash.h"

// -- The def

hem_result hemi_check_mesh_def(const hem_mesh_def* def, hemi_fault* fault) {
    if (def->triangle_capacity > HEM_MAX_SOUP || (def->triangle_capacity > 0 && def->mesh)) {
        const char* rule = def->mesh ? "must be 0 where there is a mesh" : "must be at most 65536";
        *fault = hemi_fault_value("triangle_capacity", HEM_NONE, def->triangle_capacity, rule);
        return HEM_ERROR_RANGE;
    }
    if (def->triangle_capacity == 0 && !hemi_trimesh_view(def->mesh)) {
        *fault = hemi_fault_plain(NULL, HEM_NONE, "mesh",
                                  def->mesh ? "is not open: call hem_trimesh_open first"
                                            : "is NULL, and no room for triangles is asked for");
        return def->mesh ? HEM_ERROR_ASSET : HEM_ERROR_NULL;
    }
    return HEM_OK;
}

static hem_trimesh_def soup_def(const hemi_mesh* mesh, uint32_t triangle_count) {
    hem_trimesh_def def = hem_trimesh_def_default();
    def.vertex_count = 3 * triangle_count;
    def.triangle_count = triangle_count;
    def.positions = mesh->triangles ? mesh->triangles[0].at[0] : NULL;
    def.two_sided = (int)mesh->two_sided;
    return def;
}

hemi_mesh hemi_mesh_of(const hem_mesh_def* def) {
    hemi_mesh mesh;
    memset(&mesh, 0, sizeof(mesh));
    mesh.triangle_capacity = def->triangle_capacity;
    mesh.two_sided = def->two_sided != 0;
    mesh.view = def->triangle_capacity ? NULL : hemi_trimesh_view(def->mesh);
    mesh.bone_count = mesh.view ? mesh.view->header->bone_count : 0;
    if (def->triangle_capacity) {
        static const float nowhere[3] = {0, 0, 0};
        hem_trimesh_def soup = soup_def(&mesh, def->triangle_capacity);
        hem_memory room = {0, 0}, aside = {0, 0};
        soup.positions = nowhere; // only counted
        hem_trimesh_measure(&soup, &room, &aside);
        mesh.room_size = room.size;
        mesh.aside_size = aside.size;
    }
    return mesh;
}

// A mesh that hemc made has a hash in its head; of one made in a game everything is read.
uint64_t hemi_mesh_hash(const hem_mesh_def* def, uint64_t seed) {
    const uint32_t soup[2] = {def->triangle_capacity, def->two_sided != 0};
    seed = hem_hash(soup, sizeof(soup), seed);
    const hem_trimesh_view* view = def->triangle_capacity ? NULL : hemi_trimesh_view(def->mesh);
    if (!view) {
        return seed;
    }
    static const uint8_t none[16] = {0};
    const hem_trimesh_header* head = view->header;
    int hashed = 0;
    for (int i = 0; i < 16; ++i) {
        hashed |= head->content_hash[i] != none[i];
    }
    return hem_hash(head, hashed ? sizeof(*head) : (size_t)head->file_size, seed);
}

// -- The block

void hemi_layout_mesh_input(hemi_carve* c, hemi_mesh* mesh) {
    mesh->input = hemi_take(c, 1, sizeof(hemi_mesh_input));
    mesh->bones = hemi_take(c, mesh->bone_count, sizeof(hemi_bone_pose));
    mesh->triangles = hemi_take(c, mesh->triangle_capacity, sizeof(hemi_triangle));
}

void hemi_layout_mesh_state(hemi_carve* c, hemi_mesh* mesh) {
    mesh->state = hemi_take(c, 1, sizeof(hemi_mesh_state));
    mesh->bones_prev = hemi_take(c, mesh->bone_count, sizeof(hemi_bone_pose));
}

void hemi_layout_mesh_derived(hemi_carve* c, hemi_mesh* mesh) {
    if (mesh->bone_count) {
        const hem_trimesh_view* view = mesh->view;
        const size_t vertices = view->header->vertex_count;
        mesh->positions = hemi_take(c, vertices, 16);
        mesh->normals = hemi_take(c, vertices, 16);
        mesh->corners[0] = hemi_take(c, view->block_count, sizeof(hem_trimesh_corners));
        mesh->corners[1] = hemi_take(c, view->block_count, sizeof(hem_trimesh_corners));
        mesh->nodes = hemi_take(c, view->node_count, sizeof(hem_trimesh_node));
        mesh->stirred = hemi_take(c, vertices + view->block_count, 1);
    }
    mesh->room = hemi_take(c, mesh->room_size, 1);
    mesh->aside = hemi_take(c, mesh->aside_size, 1);
}

// -- What follows from INPUT and STATE

static void bind_pose(hemi_bone_pose* bones, uint32_t count) {
    static const hemi_bone_pose still = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, {0, 0, 0, 1}};
    for (uint32_t i = 0; i < count; ++i) {
        bones[i] = still;
    }
}

static void build_soup(hemi_mesh* mesh) {
    mesh->view = NULL;
    if (mesh->input->triangle_count == 0) {
        return;
    }
    const hem_trimesh_def def = soup_def(mesh, mesh->input->triangle_count);
    hem_trimesh_report report;
    if (hem_trimesh_build(&def, mesh->room, mesh->room_size, mesh->aside, mesh->aside_size, &report) == HEM_OK) {
        hem_trimesh_see(mesh->room, &mesh->soup);
        mesh->view = &mesh->soup;
    } // else none of them has an area: there is nothing to touch
}

static void shape_all(const hem_scene* scene, hemi_mesh* mesh, const hemi_bone_pose* bones) {
    const hemi_kernels* k = scene->kernels;
    k->skin_mesh(mesh->view, bones, NULL, mesh->positions, mesh->normals);
    k->refit_mesh(mesh->view, (const float(*)[4])mesh->positions, NULL, NULL, mesh->corners[mesh->end], mesh->nodes);
}

void hemi_derive_mesh(const hem_scene* scene, hemi_mesh* mesh) {
    if (mesh->bone_count) {
        mesh->changed = 0;
        mesh->unsettled = 1;
        memset(mesh->stirred, 1, mesh->view->header->vertex_count + (size_t)mesh->view->block_count);
        shape_all(scene, mesh, mesh->bones_prev);
    } else if (mesh->triangle_capacity) {
        build_soup(mesh);
    }
}

void hemi_init_mesh(const hem_scene* scene, hemi_mesh* mesh) {
    bind_pose(mesh->bones, mesh->bone_count);
    bind_pose(mesh->bones_prev, mesh->bone_count);
    hemi_derive_mesh(scene, mesh);
}

int hemi_mesh_moves(const hemi_mesh* mesh) {
    int bits = 0;
    const uint8_t *a = (const uint8_t*)mesh->bones, *b = (const uint8_t*)mesh->bones_prev;
    for (size_t i = 0; i < mesh->bone_count * sizeof(hemi_bone_pose); ++i) {
        bits |= a[i] ^ b[i];
    }
    return bits != 0;
}

// Which vertices follow a bone that moves.
static void stir(hemi_mesh* mesh) {
    const hem_trimesh_view* view = mesh->view;
    const uint32_t vertices = view->header->vertex_count;
    uint8_t moves[HEM_MAX_BONES];
    for (uint32_t i = 0; i < mesh->bone_count; ++i) {
        uint32_t a[12], b[12], bits = 0; // as bits: a zero of the other sign is another pose to a hash
        memcpy(a, mesh->bones[i].m, sizeof(a));
        memcpy(b, mesh->bones_prev[i].m, sizeof(b));
        for (int k = 0; k < 12; ++k) {
            bits |= a[k] ^ b[k];
        }
        moves[i] = bits != 0;
    }
    for (uint32_t i = 0; i < vertices; ++i) {
        const hem_trimesh_bind* bind = &view->binds[i];
        mesh->stirred[i] =
            (moves[bind->bone[0]] & (bind->weight[0] != 0)) | (moves[bind->bone[1]] & (bind->weight[1] != 0)) |
            (moves[bind->bone[2]] & (bind->weight[2] != 0)) | (moves[bind->bone[3]] & (bind->weight[3] != 0));
    }
}

static void begin_mesh(const hem_scene* scene, hemi_mesh* mesh) {
    if (mesh->bone_count == 0) {
        return;
    }
    const hemi_kernels* k = scene->kernels;
    const int moves = hemi_mesh_moves(mesh);
    mesh->moved = (uint32_t)moves;
    mesh->changed = 0;
    if (!moves && !mesh->unsettled) {
        return; // as it was, boxes and all
    }
    stir(mesh);
    k->skin_mesh(mesh->view, mesh->bones, mesh->stirred, mesh->positions, mesh->normals);
    mesh->end ^= 1;
    const hem_trimesh_corners* began = mesh->corners[mesh->end ^ 1];
    k->refit_mesh(mesh->view, (const float(*)[4])mesh->positions, mesh->stirred,
                  mesh->state->jumped || !moves ? NULL : began, mesh->corners[mesh->end], mesh->nodes);
    mesh->changed = moves && !mesh->state->jumped;
    mesh->unsettled = (uint32_t)moves;
}

void hemi_begin_meshes(hem_scene* scene) {
    for (uint32_t i = 0; i < scene->mesh_count; ++i) {
        begin_mesh(scene, &scene->meshes[i]);
    }
}

void hemi_end_meshes(hem_scene* scene) {
    for (uint32_t i = 0; i < scene->mesh_count; ++i) {
        hemi_mesh* mesh = &scene->meshes[i];
        memcpy(mesh->bones_prev, mesh->bones, mesh->bone_count * sizeof(hemi_bone_pose));
        mesh->state->jumped = 0;
    }
}

static hemi_mesh body_mesh_of(const hem_view* view) {
    hemi_mesh mesh;
    memset(&mesh, 0, sizeof(mesh));
    mesh.bone_count = view->info->bone_count;
    return mesh;
}

// The head, then its arrays.
static size_t lay_body(uint8_t* base, hemi_mesh* mesh) {
    hemi_carve c = {.base = base};
    hemi_take(&c, 1, sizeof(hemi_own_mesh));
    hemi_layout_mesh_derived(&c, mesh);
    return c.used;
}

size_t hemi_body_size(const hem_view* view) {
    hem_trimesh_view mesh_view;
    hemi_mesh mesh = body_mesh_of(view);
    hem_trimesh_see(view->body_mesh, &mesh_view);
    mesh.view = &mesh_view;
    return lay_body(NULL, &mesh);
}

void hemi_derive_body(const hem_scene* scene, hemi_instance* instance) {
    hemi_own_mesh* body = instance->body;
    if (!body) {
        return;
    }
    memset(body, 0, sizeof(*body));
    hem_trimesh_see(instance->view->body_mesh, &body->view);
    body->mesh = body_mesh_of(instance->view);
    body->mesh.view = &body->view;
    lay_body((uint8_t*)body, &body->mesh);
    body->mesh.bones = instance->bones;
    body->mesh.bones_prev = instance->body_bones;
    body->mesh.state = &body->state;
    hemi_derive_mesh(scene, &body->mesh);
    body->fresh = 1;
}

void hemi_begin_body(const hem_scene* scene, hemi_instance* instance) {
    hemi_own_mesh* body = instance->body;
    if (!body) {
        return;
    }
    if (!body->fresh) {
        hemi_derive_mesh(scene, &body->mesh);
    }
    begin_mesh(scene, &body->mesh);
    body->begun = 1;
}

void hemi_end_body(hemi_instance* instance) {
    hemi_own_mesh* body = instance->body;
    if (body) {
        memcpy(instance->body_bones, instance->bones, body->mesh.bone_count * sizeof(hemi_bone_pose));
        body->fresh = body->begun;
        body->begun = 0;
    }
}

void hemi_keep_body(hemi_instance* instance) {
    if (instance->body) {
        memcpy(instance->body_bones, instance->bones, instance->view->info->bone_count * sizeof(hemi_bone_pose));
        instance->body->fresh = 0;
    }
}

hemi_mesh_shape hemi_mesh_shape_of(const hemi_mesh* mesh, float s0, float s1) {
    hemi_mesh_shape shape = {0};
    shape.view = mesh->view;
    if (mesh->view) {
        shape.nodes = mesh->bone_count ? mesh->nodes : mesh->view->nodes;
        shape.slabs = mesh->view->slabs;
        shape.corners = mesh->bone_count ? mesh->corners[mesh->end] : mesh->view->corners;
        shape.began = mesh->changed ? mesh->corners[mesh->end ^ 1] : NULL;
        shape.normals = mesh->bone_count ? (const float(*)[4])mesh->normals : NULL;
    }
    shape.then = s0;
    shape.now = s1;
    return shape;
}

// -- What the game says

static hem_result find_mesh(const hem_scene* scene, const char* call, uint32_t index, hemi_mesh** mesh) {
    hem_result result = hemi_check_idle(scene, call);
    if (result != HEM_OK) {
        return result;
    }
    if (index >= scene->mesh_count) {
        return hemi_refuse_value(scene, call, HEM_ERROR_COUNT, "mesh", index, "must be one of hem_scene_def.meshes");
    }
    *mesh = &scene->meshes[index];
    return HEM_OK;
}

hem_result hem_scene_set_mesh_pose(hem_scene* scene, uint32_t index, const float* matrices, uint32_t bone_count,
                                   size_t stride, int jumped) {
    hemi_mesh* mesh;
    hem_result result = find_mesh(scene, __func__, index, &mesh);
    if (result != HEM_OK) {
        return result;
    }
    if (!matrices) {
        return hemi_refuse_null(scene, __func__, "matrices");
    }
    if (mesh->bone_count == 0 || bone_count != mesh->bone_count) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_COUNT, "bone_count", bone_count,
                                 "must be that of the mesh, which must be skinned");
    }
    stride = stride ? stride : sizeof(hemi_op_bone);
    if (stride < sizeof(hemi_op_bone) || stride % 4 != 0) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "stride", (double)stride,
                                 "must be 0, or at least 48 and a multiple of 4");
    }
    hemi_fault fault;
    if (!hemi_pose_is_fine(matrices, bone_count, stride, "matrices", &fault)) {
        return hemi_refuse(scene, __func__, HEM_ERROR_RANGE, &fault);
    }
    const hemi_op_mesh_pose payload = {index, jumped != 0};
    hemi_apply(scene, NULL, &(hemi_op){HEMI_OP_MESH_POSE, bone_count, &payload, matrices, stride});
    return HEM_OK;
}

hem_result hem_scene_set_mesh_triangles(hem_scene* scene, uint32_t index, const float* corners,
                                        uint32_t triangle_count) {
    hemi_mesh* mesh;
    hem_result result = find_mesh(scene, __func__, index, &mesh);
    if (result != HEM_OK) {
        return result;
    }
    if (!corners && triangle_count) {
        return hemi_refuse_null(scene, __func__, "corners");
    }
    if (mesh->triangle_capacity == 0 || triangle_count > mesh->triangle_capacity) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_COUNT, "triangle_count", triangle_count,
                                 "is more than the triangle_capacity of the mesh in hem_scene_def");
    }
    hemi_fault fault;
    if (!hemi_all_are_fine(corners, 9 * triangle_count, HEM_TRIMESH_MAX_METRES, "corners", "must be within 100 km",
                           &fault)) {
        return hemi_refuse(scene, __func__, HEM_ERROR_RANGE, &fault);
    }
    const hemi_op_mesh_triangles payload = {index, 0};
    hemi_apply(scene, NULL,
               &(hemi_op){HEMI_OP_MESH_TRIANGLES, triangle_count, &payload, corners, sizeof(hemi_triangle)});
    return HEM_OK;
}
