// SPDX-License-Identifier: MIT
#include "compiler/import/import.h"

#include "platform/math_double.h"

#include <math.h>
#include <string.h>

// Nodes, bones, and the space everything is brought into.
//
// glTF skins a vertex v of a mesh as  sum_j w_j W_j(t) I_j v,  W_j(t) the joint's world transform, I_j its inverse bind
// matrix, whatever the mesh node's own transform. Mesh space may be anything: centimetres under an armature scaled by
// 100, Z up, one frame per mesh. The compiler wants one rest shape in metres, and per bone a matrix that takes the rest
// shape to the posed one and is close to rigid. So per skin a transform C from mesh space to character space is chosen,
// and
//
//     rest vertex   C v
//     bind          B_j = C I_j^-1                       (bone -> character space, bind pose)
//     skin matrix   M_j(t) = W_j(t) B_j^-1 = W_j(t) I_j C^-1
//
// which gives exactly glTF's result for every t and every invertible C: sum_j w_j M_j (C v).
//
// Which C? When the nodes' default pose is the bind pose, W_j I_j is the same for all joints, and that is C. Often it
// is not: exporters store the pose of the current frame (most of the public characters tried do). Taking the default
// pose as the rest shape would then bake a bent, already skinned mesh and no longer give glTF's result where joints
// blend. So: the mesh node's world transform if some joint agrees with it (exporters define I_j by it), else the W_j
// I_j that most joints agree with, else that of the first joint. Scales of 100 or 0.01 anywhere are in both W_j and B_j
// and cancel out.
//
// Several skins over one skeleton share bones, so B_j must agree: the skin with the most joints chooses, the others get
// C = B_j I_j of a joint they share. A skin that contradicts on some joint (bound in another pose) gets bones of its
// own for that joint, named after it.
//
// A mesh without a skin hangs on a bone: the nearest node at or above it that is a joint or is animated itself; the
// rest shape follows that bone from the default to the bind pose. What hangs on nothing gets the added bone "root".

#define SAME_TOLERANCE 1e-3 // of matrices, relative to their scale

hemc_affine hemc_affine_identity(void) {
    return (hemc_affine){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
}

hemc_affine hemc_affine_multiply(const hemc_affine* a, const hemc_affine* b) {
    hemc_affine out;
    for (int r = 0; r < 3; ++r) {
        const double* row = &a->m[4 * r];
        for (int c = 0; c < 4; ++c) {
            out.m[4 * r + c] = row[0] * b->m[c] + row[1] * b->m[4 + c] + row[2] * b->m[8 + c] + (c == 3 ? row[3] : 0.0);
        }
    }
    return out;
}

double hemc_affine_determinant(const hemc_affine* a) {
    const double* m = a->m;
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

static double column_length(const hemc_affine* a, int c) {
    return sqrt(a->m[c] * a->m[c] + a->m[4 + c] * a->m[4 + c] + a->m[8 + c] * a->m[8 + c]);
}

bool hemc_affine_invert(const hemc_affine* a, hemc_affine* out) {
    const double* m = a->m;
    double det = hemc_affine_determinant(a);
    double size = column_length(a, 0) * column_length(a, 1) * column_length(a, 2);
    if (!(fabs(det) > 1e-9 * size) || !(fabs(det) > 1e-60) || !(size < 1e60)) {
        return false;
    }
    double s = 1.0 / det;
    double* o = out->m;
    o[0] = (m[5] * m[10] - m[6] * m[9]) * s;
    o[1] = (m[2] * m[9] - m[1] * m[10]) * s;
    o[2] = (m[1] * m[6] - m[2] * m[5]) * s;
    o[4] = (m[6] * m[8] - m[4] * m[10]) * s;
    o[5] = (m[0] * m[10] - m[2] * m[8]) * s;
    o[6] = (m[2] * m[4] - m[0] * m[6]) * s;
    o[8] = (m[4] * m[9] - m[5] * m[8]) * s;
    o[9] = (m[1] * m[8] - m[0] * m[9]) * s;
    o[10] = (m[0] * m[5] - m[1] * m[4]) * s;
    for (int r = 0; r < 3; ++r) {
        o[4 * r + 3] = -(o[4 * r] * m[3] + o[4 * r + 1] * m[7] + o[4 * r + 2] * m[11]);
    }
    return true;
}

hemc_affine hemc_affine_of_trs(const double t[3], const double q[4], const double s[3]) {
    double x = q[0], y = q[1], z = q[2], w = q[3];
    double n = x * x + y * y + z * z + w * w;
    double k = n > 0 ? 2.0 / n : 0.0; // any length of quaternion
    hemc_affine out = {{(1 - k * (y * y + z * z)) * s[0], k * (x * y - z * w) * s[1], k * (x * z + y * w) * s[2], t[0],
                        k * (x * y + z * w) * s[0], (1 - k * (x * x + z * z)) * s[1], k * (y * z - x * w) * s[2], t[1],
                        k * (x * z - y * w) * s[0], k * (y * z + x * w) * s[1], (1 - k * (x * x + y * y)) * s[2],
                        t[2]}};
    return out;
}

void hemc_affine_store(const hemc_affine* a, float out[12]) {
    for (int i = 0; i < 12; ++i) {
        out[i] = (float)a->m[i];
    }
}

// Largest difference of two transforms: linear parts relative to their scale, translations to `reach`, the size of
// things in the space they lead to.
static double difference(const hemc_affine* a, const hemc_affine* b, double reach) {
    double scale = 1e-30, linear = 0, moved = 0;
    for (int c = 0; c < 3; ++c) {
        scale = fmax(scale, fmax(column_length(a, c), column_length(b, c)));
    }
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            linear = fmax(linear, fabs(a->m[4 * r + c] - b->m[4 * r + c]));
        }
        moved = fmax(moved, fabs(a->m[4 * r + 3] - b->m[4 * r + 3]));
    }
    return fmax(linear / scale, moved / fmax(reach, 1e-30));
}

// -- Nodes

static hemc_affine local_of(const cgltf_node* node) {
    if (node->has_matrix) {
        hemc_affine out;
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 4; ++c) {
                out.m[4 * r + c] = node->matrix[4 * c + r];
            }
        }
        return out;
    }
    double t[3] = {node->translation[0], node->translation[1], node->translation[2]};
    double q[4] = {node->rotation[0], node->rotation[1], node->rotation[2], node->rotation[3]};
    double s[3] = {node->scale[0], node->scale[1], node->scale[2]};
    return hemc_affine_of_trs(t, q, s);
}

bool hemc_import_nodes(hemc_source* source) {
    cgltf_data* data = source->data;
    size_t count = data->nodes_count;
    source->node_order = hemc_alloc(source->arena, count, sizeof(uint32_t));
    source->node_parent = hemc_alloc(source->arena, count, sizeof(int32_t));
    source->node_visible = hemc_alloc(source->arena, count, 1);
    source->node_animated = hemc_alloc(source->arena, count, 1);
    source->node_world = hemc_alloc(source->arena, count, sizeof(hemc_affine));
    source->node_bone = hemc_alloc(source->arena, count, sizeof(int32_t));
    memset(source->node_bone, 0xff, count * sizeof(int32_t));

    // Roots in order, then breadth first: parents always come before children.
    size_t known = 0;
    for (size_t i = 0; i < count; ++i) {
        cgltf_node* parent = data->nodes[i].parent;
        source->node_parent[i] =
            parent != NULL ? (int32_t)hemc_index_of(data->nodes, parent, sizeof(cgltf_node)) : HEM_NONE;
        if (parent == NULL) {
            source->node_order[known++] = (uint32_t)i;
        }
    }
    for (size_t at = 0; at < known; ++at) {
        const cgltf_node* node = &data->nodes[source->node_order[at]];
        for (size_t c = 0; c < node->children_count && known < count; ++c) {
            source->node_order[known++] = hemc_index_of(data->nodes, node->children[c], sizeof(cgltf_node));
        }
    }
    if (known != count) {
        return hemc_error(source->log, HEMC_INPUT, source->path, "/nodes", "node loop: some nodes hang on no root");
    }

    const cgltf_scene* scene = data->scene != NULL ? data->scene : data->scenes_count != 0 ? &data->scenes[0] : NULL;
    for (size_t i = 0; scene == NULL && i < count; ++i) {
        source->node_visible[i] = data->nodes[i].parent == NULL;
    }
    for (size_t i = 0; scene != NULL && i < scene->nodes_count; ++i) {
        source->node_visible[hemc_index_of(data->nodes, scene->nodes[i], sizeof(cgltf_node))] = 1;
    }
    for (size_t at = 0; at < count; ++at) {
        uint32_t i = source->node_order[at];
        int32_t parent = source->node_parent[i];
        hemc_affine local = local_of(&data->nodes[i]);
        source->node_world[i] = local;
        if (parent != HEM_NONE) {
            source->node_world[i] = hemc_affine_multiply(&source->node_world[parent], &local);
            source->node_visible[i] |= source->node_visible[parent];
        }
        for (int k = 0; k < 12; ++k) {
            if (!(fabs(source->node_world[i].m[k]) < 1e15)) {
                return hemc_error(source->log, HEMC_INPUT, source->path, hemc_format(source->arena, "/nodes/%u", i),
                                  "its transform, multiplied with its parents', is not a sensible number");
            }
        }
    }
    for (size_t a = 0; a < data->animations_count; ++a) {
        for (size_t c = 0; c < data->animations[a].channels_count; ++c) {
            const cgltf_animation_channel* channel = &data->animations[a].channels[c];
            if (channel->target_node != NULL && (channel->target_path == cgltf_animation_path_type_translation ||
                                                 channel->target_path == cgltf_animation_path_type_rotation ||
                                                 channel->target_path == cgltf_animation_path_type_scale)) {
                source->node_animated[hemc_index_of(data->nodes, channel->target_node, sizeof(cgltf_node))] = 1;
            }
        }
    }
    return true;
}

int32_t hemc_carrier_of(const hemc_source* source, uint32_t node) {
    for (int32_t n = (int32_t)node; n != HEM_NONE; n = source->node_parent[n]) {
        if (source->node_bone[n] != HEM_NONE) {
            return source->node_bone[n];
        }
    }
    return HEM_NONE;
}

// -- Skins

typedef struct skin_use {
    bool used;
    hemc_affine* inverse_bind; // per joint
    uint8_t* invertible;
    hemc_affine mesh_world; // of the first node that shows it
    double reach;           // how far from the mesh's origin its joints are, in mesh space
} skin_use;

static bool load_skin(hemc_source* source, uint32_t s, skin_use* use) {
    const cgltf_skin* skin = &source->data->skins[s];
    char* where = hemc_format(source->arena, "/skins/%u", s);
    use->inverse_bind = hemc_alloc(source->arena, skin->joints_count, sizeof(hemc_affine));
    use->invertible = hemc_alloc(source->arena, skin->joints_count, 1);
    const cgltf_accessor* accessor = skin->inverse_bind_matrices;
    float* values = NULL;
    if (accessor != NULL) {
        uint32_t index = hemc_index_of(source->data->accessors, accessor, sizeof(cgltf_accessor));
        if (!source->accessor_usable[index] || accessor->type != cgltf_type_mat4 ||
            accessor->component_type != cgltf_component_type_r_32f) {
            return hemc_error(source->log, HEMC_INPUT, source->path, where,
                              "inverseBindMatrices must be MAT4 of floats");
        }
        if (!source->accessor_finite[index]) {
            return hemc_error(source->log, HEMC_INPUT, source->path, where, "inverseBindMatrices hold NaN or infinity");
        }
        if (accessor->count < skin->joints_count) {
            return hemc_error(source->log, HEMC_INPUT, source->path, where, "%zu inverse bind matrices for %zu joints",
                              accessor->count, skin->joints_count);
        }
        if (accessor->count > skin->joints_count) {
            hemc_warn(source->log, source->path, where, "%zu inverse bind matrices for %zu joints; the rest is ignored",
                      accessor->count, skin->joints_count);
        }
        values = hemc_alloc(source->arena, accessor->count, 16 * sizeof(float));
        hemc_read_floats(source, accessor, values);
    }
    int32_t first_root = HEM_NONE;
    for (size_t j = 0; j < skin->joints_count; ++j) {
        int32_t n = (int32_t)hemc_index_of(source->data->nodes, skin->joints[j], sizeof(cgltf_node));
        while (source->node_parent[n] != HEM_NONE) {
            n = source->node_parent[n];
        }
        if (j != 0 && n != first_root) {
            hemc_warn(source->log, source->path, where, "its joints have no common root");
            break;
        }
        first_root = n;
    }
    double reach = 0;
    for (size_t j = 0; j < skin->joints_count; ++j) {
        use->inverse_bind[j] = hemc_affine_identity();
        for (int k = 0; values != NULL && k < 12; ++k) {
            use->inverse_bind[j].m[k] = values[16 * j + 4 * (k % 4) + k / 4];
        }
        hemc_affine bind;
        use->invertible[j] = hemc_affine_invert(&use->inverse_bind[j], &bind);
        if (use->invertible[j]) {
            reach = fmax(reach, sqrt(bind.m[3] * bind.m[3] + bind.m[7] * bind.m[7] + bind.m[11] * bind.m[11]));
        } else {
            hemc_warn(source->log, source->path, where,
                      "the inverse bind matrix of joint %zu is singular; its default pose is used", j);
        }
    }
    use->reach = reach > 0 ? reach : 1.0;
    return true;
}

// The mesh space of a skin none of whose bones is fixed yet.
static hemc_affine choose_space(hemc_source* source, uint32_t s, const skin_use* use) {
    const cgltf_skin* skin = &source->data->skins[s];
    enum { CANDIDATES = 256 };
    size_t count = skin->joints_count < CANDIDATES ? skin->joints_count : CANDIDATES;
    hemc_affine* spaces = hemc_alloc(source->arena, count, sizeof(hemc_affine));
    hemc_affine unused;
    bool mesh_good = hemc_affine_invert(&use->mesh_world, &unused);
    for (size_t j = 0; j < count; ++j) {
        uint32_t node = hemc_index_of(source->data->nodes, skin->joints[j], sizeof(cgltf_node));
        spaces[j] = hemc_affine_multiply(&source->node_world[node], &use->inverse_bind[j]);
        if (mesh_good && difference(&spaces[j], &use->mesh_world, use->reach * column_length(&use->mesh_world, 0)) <
                             SAME_TOLERANCE) {
            return use->mesh_world;
        }
    }
    size_t best = SIZE_MAX, best_votes = 0;
    for (size_t j = 0; j < count; ++j) {
        if (!hemc_affine_invert(&spaces[j], &unused)) {
            continue;
        }
        size_t votes = 0;
        for (size_t k = 0; k < count; ++k) {
            votes +=
                difference(&spaces[j], &spaces[k], use->reach * column_length(&spaces[j], 0)) < SAME_TOLERANCE ? 1 : 0;
        }
        if (best == SIZE_MAX || votes > best_votes) {
            best = j;
            best_votes = votes;
        }
    }
    if (best == SIZE_MAX) {
        return mesh_good ? use->mesh_world : hemc_affine_identity();
    }
    if (best_votes < count) {
        hemc_note(source->log, source->path, hemc_format(source->arena, "/skins/%u", s),
                  "its nodes are not in bind pose; the bind pose is the rest shape");
    }
    return spaces[best];
}

// `space`: where the glTF binds what follows the bone -> character space. NULL = in the node's own.
static int32_t add_bone(hemc_source* source, size_t* capacity, int32_t node, const char* name, int32_t parent,
                        const hemc_affine* bind, const hemc_affine* space) {
    hemc_model* model = source->model;
    size_t other = *capacity, third = *capacity, fourth = *capacity;
    size_t needed = (size_t)model->bone_count + 1;
    model->bone_defs = hemc_grow(source->arena, model->bone_defs, capacity, needed, sizeof(hemc_bone_def));
    source->bone_node = hemc_grow(source->arena, source->bone_node, &other, needed, sizeof(int32_t));
    source->bone_bind = hemc_grow(source->arena, source->bone_bind, &third, needed, sizeof(hemc_affine));
    source->bone_inverse_bind =
        hemc_grow(source->arena, source->bone_inverse_bind, &fourth, needed, sizeof(hemc_affine));
    int32_t index = (int32_t)model->bone_count++;
    source->bone_node[index] = node;
    source->bone_bind[index] = *bind;
    model->bone_defs[index].name = name;
    model->bone_defs[index].parent = parent;
    hemc_affine back;
    if (!hemc_affine_invert(space != NULL ? space : bind, &back)) {
        back = hemc_affine_identity();
    }
    hemc_affine_store(&back, model->bone_defs[index].space);
    return index;
}

static bool too_many_bones(hemc_source* source) {
    return hemc_error(source->log, HEMC_INPUT, source->path, "/skins", "more than %d bones", HEM_MAX_BONES);
}

// Some of what the node shows is not skinned.
static bool follows_node(const cgltf_node* node) {
    for (size_t p = 0; node->skin != NULL && p < node->mesh->primitives_count; ++p) {
        const cgltf_primitive* primitive = &node->mesh->primitives[p];
        bool joints = false;
        for (size_t a = 0; a < primitive->attributes_count; ++a) {
            joints = joints || (primitive->attributes[a].type == cgltf_attribute_type_joints &&
                                primitive->attributes[a].index == 0);
        }
        if (!joints) {
            return true;
        }
    }
    return node->skin == NULL;
}

// What the steps below hand on: who is a bone, where it is bound, and which joints a skin binds elsewhere.
typedef struct binding {
    skin_use* uses;   // per skin
    uint8_t* is_bone; // per node
    bool needs_root;
    hemc_affine* bind;          // per node, once fixed
    const hemc_affine** spaces; // per node, of the skin that fixed it
    uint8_t* fixed;             // per node
    uint8_t* done;              // per skin
    uint8_t** apart;            // per skin and joint: bound in another pose than in a skin that came before
    size_t bone_capacity;
} binding;

static uint32_t joint_node(const cgltf_data* data, const cgltf_skin* skin, size_t joint) {
    return hemc_index_of(data->nodes, skin->joints[joint], sizeof(cgltf_node));
}

// Bones are joints of the skins in use, and what carries meshes without one.
static bool find_bones(hemc_source* source, binding* b) {
    cgltf_data* data = source->data;
    for (size_t i = 0; i < data->nodes_count; ++i) {
        const cgltf_node* node = &data->nodes[i];
        if (!source->node_visible[i] || node->mesh == NULL || node->skin == NULL) {
            continue;
        }
        uint32_t s = hemc_index_of(data->skins, node->skin, sizeof(cgltf_skin));
        if (!b->uses[s].used) {
            b->uses[s].used = true;
            b->uses[s].mesh_world = source->node_world[i];
            if (!load_skin(source, s, &b->uses[s])) {
                return false;
            }
            for (size_t j = 0; j < node->skin->joints_count; ++j) {
                b->is_bone[joint_node(data, node->skin, j)] = 1;
            }
        }
    }
    for (size_t s = 0; s < data->skins_count; ++s) {
        skin_use unused_skin;
        if (!b->uses[s].used && !load_skin(source, (uint32_t)s, &unused_skin)) {
            return false; // a broken skin is named even when nothing shows it
        }
    }
    for (size_t i = 0; i < data->nodes_count; ++i) {
        if (!source->node_visible[i] || data->nodes[i].mesh == NULL || !follows_node(&data->nodes[i])) {
            continue;
        }
        int32_t n = (int32_t)i;
        while (n != HEM_NONE && !b->is_bone[n] && !source->node_animated[n]) {
            n = source->node_parent[n];
        }
        if (n == HEM_NONE) {
            b->needs_root = true;
        } else {
            b->is_bone[n] = 1;
        }
    }
    return true;
}

// The next skin to bind, UINT32_MAX = all are: one that shares a fixed joint (*anchor, else SIZE_MAX), so that whole
// skeletons are settled before new ones begin; then the one with the most joints, lowest index among equals.
static uint32_t choose_skin(const hemc_source* source, const binding* b, size_t* anchor) {
    const cgltf_data* data = source->data;
    uint32_t chosen = UINT32_MAX;
    *anchor = SIZE_MAX;
    for (uint32_t s = 0; s < data->skins_count; ++s) {
        if (!b->uses[s].used || b->done[s]) {
            continue;
        }
        size_t shared = SIZE_MAX;
        for (size_t j = 0; j < data->skins[s].joints_count && shared == SIZE_MAX; ++j) {
            shared = b->fixed[joint_node(data, &data->skins[s], j)] && b->uses[s].invertible[j] ? j : SIZE_MAX;
        }
        bool better = chosen == UINT32_MAX || (shared != SIZE_MAX && *anchor == SIZE_MAX) ||
                      ((shared != SIZE_MAX) == (*anchor != SIZE_MAX) &&
                       data->skins[s].joints_count > data->skins[chosen].joints_count);
        if (better) {
            chosen = s;
            *anchor = shared;
        }
    }
    return chosen;
}

// Bind matrices of the joints of one skin. A joint that another skin has fixed keeps that one's.
static void bind_skin(hemc_source* source, binding* b, uint32_t s, size_t anchor) {
    const cgltf_data* data = source->data;
    const cgltf_skin* skin = &data->skins[s];
    const skin_use* use = &b->uses[s];
    hemc_affine space;
    if (anchor != SIZE_MAX) {
        space = hemc_affine_multiply(&b->bind[joint_node(data, skin, anchor)], &use->inverse_bind[anchor]);
    } else {
        space = choose_space(source, s, use);
    }
    source->skin_space[s] = space;
    b->apart[s] = hemc_alloc(source->arena, skin->joints_count, 1);
    for (size_t j = 0; j < skin->joints_count; ++j) {
        uint32_t node = joint_node(data, skin, j);
        hemc_affine inverse, own;
        bool good = hemc_affine_invert(&use->inverse_bind[j], &inverse);
        own = good ? hemc_affine_multiply(&space, &inverse) : source->node_world[node];
        if (!b->fixed[node]) {
            b->bind[node] = own;
            b->spaces[node] = &source->skin_space[s];
            b->fixed[node] = 1;
        } else {
            b->apart[s][j] =
                good && difference(&own, &b->bind[node], use->reach * column_length(&space, 0)) > SAME_TOLERANCE;
        }
    }
}

// Bones in node order, parents first; nodes that no skin binds rest where their carrier's bind pose puts them.
static void add_node_bones(hemc_source* source, binding* b) {
    cgltf_data* data = source->data;
    for (size_t at = 0; at < data->nodes_count; ++at) {
        uint32_t i = source->node_order[at];
        if (!b->is_bone[i]) {
            continue;
        }
        hemc_affine* bind = &b->bind[i];
        int32_t parent =
            source->node_parent[i] != HEM_NONE ? hemc_carrier_of(source, (uint32_t)source->node_parent[i]) : HEM_NONE;
        if (!b->fixed[i]) {
            *bind = source->node_world[i];
            hemc_affine inverse;
            if (parent != HEM_NONE && hemc_affine_invert(&source->node_world[source->bone_node[parent]], &inverse)) {
                hemc_affine local = hemc_affine_multiply(&inverse, &source->node_world[i]);
                *bind = hemc_affine_multiply(&source->bone_bind[parent], &local);
            }
        }
        hemc_affine unused;
        if (!hemc_affine_invert(bind, &unused)) {
            hemc_warn(source->log, source->path, hemc_format(source->arena, "/nodes/%u", i),
                      "has a scale of zero in bind pose; what hangs on it collapses to a point");
            hemc_affine moved = hemc_affine_identity();
            moved.m[3] = bind->m[3], moved.m[7] = bind->m[7], moved.m[11] = bind->m[11];
            *bind = moved;
        }
        source->node_bone[i] =
            add_bone(source, &b->bone_capacity, (int32_t)i, hemc_name_of(source, data->nodes[i].name, "node", i),
                     parent, bind, b->spaces[i]);
    }
}

// The bone of each joint of a skin; a joint that the skin binds elsewhere gets one of its own.
static bool name_skin_bones(hemc_source* source, binding* b, uint32_t s) {
    const cgltf_skin* skin = &source->data->skins[s];
    hemc_model* model = source->model;
    uint32_t apart_count = 0;
    source->skin_bones[s] = hemc_alloc(source->arena, skin->joints_count, sizeof(uint16_t));
    for (size_t j = 0; j < skin->joints_count; ++j) {
        int32_t bone = source->node_bone[joint_node(source->data, skin, j)];
        if (b->apart[s][j]) {
            hemc_affine inverse;
            hemc_affine_invert(&b->uses[s].inverse_bind[j], &inverse);
            hemc_affine own = hemc_affine_multiply(&source->skin_space[s], &inverse);
            char* name = hemc_format(source->arena, "%s@%s", model->bone_defs[bone].name,
                                     hemc_name_of(source, skin->name, "skin", s));
            bone = add_bone(source, &b->bone_capacity, source->bone_node[bone], name, model->bone_defs[bone].parent,
                            &own, &source->skin_space[s]);
            ++apart_count;
        }
        source->skin_bones[s][j] = (uint16_t)bone;
        if (model->bone_count > HEM_MAX_BONES) {
            return too_many_bones(source);
        }
    }
    if (apart_count != 0) {
        hemc_warn(source->log, source->path, hemc_format(source->arena, "/skins/%u", s),
                  "%u of its joints are bound in another pose than in the other skins and become bones of their own",
                  apart_count);
    }
    return true;
}

// Recipes and games go by names: what is one name for two bones is a surprise to both.
static void doubt_names(const hemc_source* source, const binding* b) {
    const cgltf_data* data = source->data;
    const char* first = NULL;
    uint32_t count = 0;
    for (size_t i = 0; i < data->nodes_count; ++i) {
        const char* name = data->nodes[i].name;
        for (size_t k = 0; k < i && b->is_bone[i] && name != NULL && name[0] != 0; ++k) {
            if (b->is_bone[k] && data->nodes[k].name != NULL && strcmp(name, data->nodes[k].name) == 0) {
                first = first != NULL ? first : name;
                ++count;
                break;
            }
        }
    }
    if (count != 0) {
        hemc_warn(
            source->log, source->path, "",
            "%u bones have the name of another, as those of a second armature do, the first is \"%s\": whoever goes "
            "by names, a recipe or the game, cannot tell them apart. Join the armatures, or rename the bones",
            count, first);
    }
}

bool hemc_import_bones(hemc_source* source) {
    const cgltf_data* data = source->data;
    hemc_model* model = source->model;
    binding b = {0};
    b.uses = hemc_alloc(source->arena, data->skins_count, sizeof(skin_use));
    b.is_bone = hemc_alloc(source->arena, data->nodes_count, 1);
    b.bind = hemc_alloc(source->arena, data->nodes_count, sizeof(hemc_affine));
    b.spaces = hemc_alloc(source->arena, data->nodes_count, sizeof(hemc_affine*));
    b.fixed = hemc_alloc(source->arena, data->nodes_count, 1);
    b.done = hemc_alloc(source->arena, data->skins_count, 1);
    b.apart = hemc_alloc(source->arena, data->skins_count, sizeof(uint8_t*));
    source->skin_space = hemc_alloc(source->arena, data->skins_count, sizeof(hemc_affine));
    source->skin_bones = hemc_alloc(source->arena, data->skins_count, sizeof(uint16_t*));
    if (!find_bones(source, &b)) {
        return false;
    }
    size_t anchor;
    for (uint32_t s = choose_skin(source, &b, &anchor); s != UINT32_MAX; s = choose_skin(source, &b, &anchor)) {
        b.done[s] = 1;
        bind_skin(source, &b, s, anchor);
    }
    add_node_bones(source, &b);
    for (uint32_t s = 0; s < data->skins_count; ++s) {
        if (b.uses[s].used && !name_skin_bones(source, &b, s)) {
            return false;
        }
    }
    if (b.needs_root || model->bone_count == 0) {
        hemc_affine identity = hemc_affine_identity();
        add_bone(source, &b.bone_capacity, HEM_NONE, "root", HEM_NONE, &identity, &identity);
    }
    if (model->bone_count > HEM_MAX_BONES) {
        return too_many_bones(source);
    }
    doubt_names(source, &b);
    for (uint32_t i = 0; i < model->bone_count; ++i) {
        hemc_affine_invert(&source->bone_bind[i], &source->bone_inverse_bind[i]);
        hemc_affine_store(&source->bone_bind[i], model->bone_defs[i].bind);
        hemc_affine_store(&source->bone_inverse_bind[i], model->bone_defs[i].inverse_bind);
    }
    return true;
}
