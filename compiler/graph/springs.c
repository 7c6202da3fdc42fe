// SPDX-License-Identifier: MIT
#include "compiler/graph/graph.h"

#include <math.h>
#include <string.h>

// Damped springs between two particles that an artist names by places: points of the bind pose, or bones.

static bool find_place(const hemc_model* model, const hemc_spring_place* place, double x[3]) {
    for (int k = 0; k < 3; ++k) {
        x[k] = place->position[k];
    }
    for (uint32_t b = 0; place->bone != NULL && b < model->bone_count; ++b) {
        if (strcmp(model->bone_defs[b].name, place->bone) == 0) {
            for (int k = 0; k < 3; ++k) {
                x[k] = model->bone_defs[b].bind[4 * k + 3];
            }
            return true;
        }
    }
    return place->bone == NULL;
}

// The nearest particle of a part, the first of several; HEM_NONE when there is none. movable: simulated ones only.
static int32_t nearest(const hemc_mesh* mesh, uint32_t part, const double x[3], bool movable, int32_t but) {
    int32_t best = HEM_NONE;
    double best_square = HUGE_VAL;
    for (uint32_t i = mesh->part_begin[part]; i < mesh->part_begin[part + 1]; ++i) {
        const hemc_vec3 p = mesh->all.positions[i];
        const double d[3] = {p.x - x[0], p.y - x[1], p.z - x[2]};
        const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (square < best_square && (int32_t)i != but && !(movable && hemc_is_fixed(mesh, i))) {
            best = (int32_t)i;
            best_square = square;
        }
    }
    return best;
}

static int32_t part_named(const hemc_recipe* recipe, const char* name) {
    for (uint32_t i = 0; i < recipe->part_count; ++i) {
        if (strcmp(recipe->parts[i].name, name) == 0) {
            return (int32_t)i;
        }
    }
    return HEM_NONE;
}

static bool make_spring(hemc_log* log, const hemc_model* model, const hemc_recipe* recipe, uint32_t part,
                        const hemc_spring_recipe* s, hemc_mesh* mesh) {
    const char* file = hemc_part_file(&recipe->parts[part], model);
    const int32_t other = s->part != NULL ? part_named(recipe, s->part) : (int32_t)part;
    if (other == HEM_NONE) {
        return hemc_error(log, HEMC_INPUT, file, s->json_path, "there is no part \"%s\"", s->part);
    }
    double from[3], to[3];
    if (!find_place(model, &s->from, from) || !find_place(model, &s->to, to)) {
        return hemc_error(log, HEMC_INPUT, file, s->json_path, "a bone that it names is not in the model");
    }
    const int32_t a = nearest(mesh, part, from, true, HEM_NONE);
    const int32_t b = nearest(mesh, (uint32_t)other, to, false, a);
    if (a == HEM_NONE || b == HEM_NONE) {
        return hemc_error(log, HEMC_INPUT, file, s->json_path,
                          "no two particles for this spring: \"from\" needs a simulated one of part \"%s\"",
                          recipe->parts[part].name);
    }
    mesh->springs[mesh->spring_count++] = (hemc_spring){
        .a = (uint32_t)a,
        .b = (uint32_t)b,
        .rest = s->length >= 0 ? s->length : hemc_rest_distance(mesh, (uint32_t)a, (uint32_t)b),
        .stiffness = s->stiffness,
        .damping = s->damping,
    };
    return true;
}

bool hemc_springs(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
                  hemc_mesh* mesh) {
    size_t total = 0;
    for (uint32_t part = 0; part < recipe->part_count; ++part) {
        total += recipe->parts[part].spring_count;
    }
    mesh->springs = hemc_alloc(arena, total, sizeof(hemc_spring));
    mesh->spring_count = 0;
    bool good = true;
    for (uint32_t part = 0; part < recipe->part_count; ++part) {
        for (uint32_t i = 0; i < recipe->parts[part].spring_count; ++i) {
            good = make_spring(log, model, recipe, part, &recipe->parts[part].springs[i], mesh) && good;
        }
    }
    return good;
}
