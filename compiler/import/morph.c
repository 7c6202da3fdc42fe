// SPDX-License-Identifier: MIT
#include "compiler/import/import.h"

#include <math.h>
#include <string.h>

// Morph targets: a mesh at rest is base + sum of weight x target, the weights being the node's own, else the mesh's,
// else 0. Clips move bones, and the preview stays at this shape; but the inverse of a lattice takes clips with the weights
// that they animate, and for those that it asks for the targets are read as moves of the rest shape (`hemc_import_morphs`).
//
// A target that is not read because its weight is 0 may hold anything finite or not; that is the accessor's warning.

#define MORPH_LIMIT 1e15 // squares of it still are floats

static const char* attribute_name(cgltf_attribute_type type) {
    return type == cgltf_attribute_type_position ? "POSITION"
           : type == cgltf_attribute_type_normal ? "NORMAL"
                                                 : "TANGENT";
}

static const cgltf_accessor* find(const cgltf_attribute* list, size_t count, cgltf_attribute_type type) {
    for (size_t i = 0; i < count; ++i) {
        if (list[i].type == type && list[i].index == 0) {
            return list[i].data;
        }
    }
    return NULL;
}

static size_t target_count(const cgltf_mesh* mesh) {
    size_t count = 0;
    for (size_t p = 0; p < mesh->primitives_count; ++p) {
        count = mesh->primitives[p].targets_count > count ? mesh->primitives[p].targets_count : count;
    }
    return count;
}

// -- Checks

bool hemc_check_targets(hemc_source* source, const cgltf_primitive* primitive, size_t vertex_count,
                        const char* primitive_where) {
    bool good = true;
    for (size_t t = 0; t < primitive->targets_count; ++t) {
        const cgltf_morph_target* target = &primitive->targets[t];
        for (size_t i = 0; i < target->attributes_count; ++i) {
            const cgltf_attribute* a = &target->attributes[i];
            char* where = hemc_format(source->arena, "%s/targets/%zu/%s", primitive_where, t, a->name);
            bool moves = a->type == cgltf_attribute_type_position || a->type == cgltf_attribute_type_normal ||
                         a->type == cgltf_attribute_type_tangent;
            if (a->data->count != vertex_count) {
                good = hemc_error(source->log, HEMC_INPUT, source->path, where,
                                  "has %zu elements, but the base POSITION has %zu", a->data->count, vertex_count);
            } else if (moves && a->data->type != cgltf_type_vec3) {
                good = hemc_error(source->log, HEMC_INPUT, source->path, where, "must be VEC3");
            } else if (find(primitive->attributes, primitive->attributes_count, a->type) == NULL && moves) {
                hemc_warn(source->log, source->path, where, "the primitive has no %s that it could change; ignored",
                          attribute_name(a->type));
            }
            if (source->log->error_count > 20) {
                return false;
            }
        }
    }
    return good;
}

static bool check_weights(hemc_source* source, const char* where, size_t weights, size_t targets) {
    if (weights == targets || weights == 0) {
        return true;
    }
    if (targets == 0) {
        hemc_warn(source->log, source->path, where, "%zu weights, but there are no morph targets; ignored", weights);
        return true;
    }
    return hemc_error(source->log, HEMC_INPUT, source->path, where, "%zu weights, but the mesh has %zu morph targets",
                      weights, targets);
}

bool hemc_check_weights(hemc_source* source) {
    const cgltf_data* data = source->data;
    bool good = true;
    for (size_t m = 0; m < data->meshes_count; ++m) {
        char* where = hemc_format(source->arena, "/meshes/%zu/weights", m);
        good = check_weights(source, where, data->meshes[m].weights_count, target_count(&data->meshes[m])) && good;
    }
    for (size_t n = 0; n < data->nodes_count; ++n) {
        const cgltf_node* node = &data->nodes[n];
        char* where = hemc_format(source->arena, "/nodes/%zu/weights", n);
        good = check_weights(source, where, node->weights_count, node->mesh != NULL ? target_count(node->mesh) : 0) &&
               good;
    }
    return good;
}

bool hemc_check_weight_channel(hemc_source* source, const cgltf_animation_channel* channel, const char* where) {
    const cgltf_mesh* mesh = channel->target_node != NULL ? channel->target_node->mesh : NULL;
    size_t targets = mesh != NULL ? target_count(mesh) : 0;
    const cgltf_animation_sampler* sampler = channel->sampler;
    size_t per_key = targets * (sampler->interpolation == cgltf_interpolation_type_cubic_spline ? 3 : 1);
    if (targets == 0) {
        hemc_warn(source->log, source->path, where, "animates weights, but its node shows no mesh with morph targets");
        return true;
    }
    // Divided, not multiplied: a product of counts could wrap.
    if (sampler->output->type != cgltf_type_scalar || sampler->output->count % per_key != 0 ||
        sampler->output->count / per_key != sampler->input->count) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where,
                          "%zu keys need %zu weights each (the mesh has %zu morph targets), not %zu in all",
                          sampler->input->count, per_key, targets, sampler->output->count);
    }
    return true;
}

// -- Shape

float hemc_morph_weight(const hemc_source* source, uint32_t node, size_t target) {
    const cgltf_node* n = &source->data->nodes[node];
    return n->weights_count != 0 ? (target < n->weights_count ? n->weights[target] : 0.0f)
           : n->mesh != NULL     ? (target < n->mesh->weights_count ? n->mesh->weights[target] : 0.0f)
                                 : 0.0f;
}

bool hemc_morph(hemc_source* source, uint32_t node, const cgltf_primitive* primitive, const char* primitive_where,
                cgltf_attribute_type type, size_t vertex_count, uint32_t stride, float* values) {
    double* sums = NULL;
    float* deltas = NULL;
    for (size_t t = 0; t < primitive->targets_count; ++t) {
        const cgltf_morph_target* target = &primitive->targets[t];
        double weight = hemc_morph_weight(source, node, t);
        const cgltf_accessor* accessor = find(target->attributes, target->attributes_count, type);
        if (weight == 0 || accessor == NULL) {
            continue;
        }
        uint32_t index = hemc_index_of(source->data->accessors, accessor, sizeof(cgltf_accessor));
        if (!source->accessor_usable[index] || !source->accessor_finite[index]) {
            char* where = hemc_format(source->arena, "%s/targets/%zu/%s", primitive_where, t, attribute_name(type));
            return hemc_error(source->log, HEMC_INPUT, source->path, where,
                              "%s, and its default weight is not 0 (accessor %u)",
                              source->accessor_usable[index] ? "holds NaN or infinity" : "has no data", index);
        }
        if (sums == NULL) {
            sums = hemc_alloc(source->arena, vertex_count, 3 * sizeof(double));
            deltas = hemc_alloc(source->arena, vertex_count, 3 * sizeof(float));
        }
        hemc_read_floats(source, accessor, deltas);
        for (size_t i = 0; i < 3 * vertex_count; ++i) {
            sums[i] += weight * deltas[i];
        }
    }
    for (size_t v = 0; sums != NULL && v < vertex_count; ++v) {
        for (size_t c = 0; c < 3; ++c) {
            float* value = &values[v * stride + c];
            double moved = *value + sums[3 * v + c];
            if (!(fabs(moved) < MORPH_LIMIT)) {
                return hemc_error(source->log, HEMC_INPUT, source->path, primitive_where,
                                  "the default morph weights move %s of vertex %zu out of any sensible range",
                                  attribute_name(type), v);
            }
            *value = (float)moved;
        }
    }
    return true;
}

uint32_t hemc_morph_count(const hemc_source* source, uint32_t node) {
    const cgltf_mesh* mesh = source->data->nodes[node].mesh;
    return mesh != NULL ? (uint32_t)target_count(mesh) : 0;
}

// -- Animated

bool hemc_lattice_asks(const hemc_recipe* recipe, const char* clip) {
    for (uint32_t p = 0; recipe != NULL && p < recipe->part_count; ++p) {
        const hemc_lattice_recipe* l = &recipe->parts[p].lattice;
        for (uint32_t i = 0; i < l->clip_count; ++i) {
            if (l->clips[i].clip != NULL && strcmp(l->clips[i].clip, clip) == 0) {
                return true;
            }
        }
    }
    return false;
}

// The weights of each node that such a clip animates, one after the other.
static bool number_weights(hemc_source* source, const hemc_recipe* recipe) {
    const cgltf_data* data = source->data;
    source->node_weight = hemc_alloc(source->arena, data->nodes_count, sizeof(int32_t));
    for (size_t n = 0; n < data->nodes_count; ++n) {
        source->node_weight[n] = HEM_NONE;
    }
    for (size_t a = 0; a < data->animations_count; ++a) {
        const cgltf_animation* animation = &data->animations[a];
        if (!hemc_lattice_asks(recipe, hemc_name_of(source, animation->name, "clip", (uint32_t)a))) {
            continue;
        }
        for (size_t c = 0; c < animation->channels_count; ++c) {
            const cgltf_animation_channel* channel = &animation->channels[c];
            if (channel->target_path != cgltf_animation_path_type_weights || channel->target_node == NULL) {
                continue;
            }
            const uint32_t node = hemc_index_of(data->nodes, channel->target_node, sizeof(cgltf_node));
            if (source->node_visible[node] && source->node_weight[node] == HEM_NONE) {
                const uint64_t count = (uint64_t)source->model->weight_count + hemc_morph_count(source, node);
                if (count > HEMC_WEIGHT_LIMIT) {
                    return hemc_error(source->log, HEMC_INPUT, source->path,
                                      hemc_format(source->arena, "/animations/%zu/channels/%zu", a, c),
                                      "more than %d morph weights are animated", (int)HEMC_WEIGHT_LIMIT);
                }
                source->node_weight[node] = (int32_t)source->model->weight_count;
                source->model->weight_count = (uint32_t)count;
            }
        }
    }
    return true;
}

static bool read_target(hemc_source* source, const hemc_primitive* primitive, const hemc_affine* space,
                        const cgltf_accessor* accessor, const char* where, hemc_morph_target* out) {
    const uint32_t index = hemc_index_of(source->data->accessors, accessor, sizeof(cgltf_accessor));
    if (!source->accessor_usable[index] || !source->accessor_finite[index]) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where,
                          "%s, and a clip animates its weight (accessor %u)",
                          source->accessor_usable[index] ? "holds NaN or infinity" : "has no data", index);
    }
    float(*deltas)[3] = hemc_alloc(source->arena, primitive->vertex_count, sizeof(*deltas));
    hemc_read_floats(source, accessor, deltas[0]);
    out->vertex_begin = primitive->vertex_begin;
    out->vertex_count = primitive->vertex_count;
    out->moves = (hemc_vec3*)(void*)deltas;
    for (uint32_t v = 0; v < primitive->vertex_count; ++v) {
        const double x = deltas[v][0], y = deltas[v][1], z = deltas[v][2];
        double square = 0, move[3];
        for (int r = 0; r < 3; ++r) {
            const double* m = &space->m[4 * r];
            move[r] = source->unit * (m[0] * x + m[1] * y + m[2] * z);
            square += move[r] * move[r];
        }
        if (!(square < MORPH_LIMIT * MORPH_LIMIT)) {
            return hemc_error(source->log, HEMC_INPUT, source->path, where, "moves vertex %u out of any sensible range",
                              v);
        }
        out->moves[v] = (hemc_vec3){(float)move[0], (float)move[1], (float)move[2]};
        source->weight_reach[out->weight] = fmax(source->weight_reach[out->weight], sqrt(square));
    }
    return true;
}

bool hemc_import_morphs(hemc_source* source, const hemc_recipe* recipe) {
    hemc_model* model = source->model;
    if (!number_weights(source, recipe)) {
        return false;
    }
    source->weight_reach = hemc_alloc(source->arena, model->weight_count, sizeof(double));
    size_t capacity = 0;
    uint64_t moves = 0;
    for (uint32_t i = 0; i < model->primitive_count; ++i) {
        const hemc_primitive* p = &model->primitives[i];
        const cgltf_primitive* from = &source->data->meshes[p->mesh].primitives[p->primitive];
        for (size_t t = 0; source->node_weight[p->node] != HEM_NONE && t < from->targets_count; ++t) {
            const cgltf_morph_target* target = &from->targets[t];
            const cgltf_accessor* accessor =
                find(target->attributes, target->attributes_count, cgltf_attribute_type_position);
            char* where =
                hemc_format(source->arena, "/meshes/%u/primitives/%u/targets/%zu/POSITION", p->mesh, p->primitive, t);
            if (accessor == NULL) {
                continue;
            }
            moves += p->vertex_count;
            if (moves > HEMC_MOVE_LIMIT) {
                return hemc_error(source->log, HEMC_INPUT, source->path, where,
                                  "all animated morph targets together move more than %d vertices",
                                  (int)HEMC_MOVE_LIMIT);
            }
            model->morph_targets = hemc_grow(source->arena, model->morph_targets, &capacity,
                                             (size_t)model->morph_target_count + 1, sizeof(hemc_morph_target));
            hemc_morph_target* out = &model->morph_targets[model->morph_target_count++];
            out->weight = (uint32_t)source->node_weight[p->node] + (uint32_t)t;
            if (!read_target(source, p, &source->primitive_space[i], accessor, where, out)) {
                return false;
            }
        }
    }
    return true;
}

void hemc_note_morphs(hemc_source* source, uint32_t node) {
    const cgltf_mesh* mesh = source->data->nodes[node].mesh;
    size_t targets = target_count(mesh), used = 0;
    for (size_t t = 0; t < targets; ++t) {
        used += hemc_morph_weight(source, node, t) != 0 ? 1 : 0;
    }
    if (targets != 0) {
        hemc_note(source->log, source->path, hemc_format(source->arena, "/nodes/%u", node),
                  used != 0 ? "%zu morph targets: the rest shape has their default weights, %zu of them not 0"
                            : "%zu morph targets: their default weights are 0, so the base shape is the rest shape",
                  targets, used);
    }
}
