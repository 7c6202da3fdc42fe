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

// -- Between neighbouring guides
//
// A head of hair keeps together: locks that lie beside each other hold each other loosely, so that a shake opens no gaps and
// no lock goes its own way. Each particle is tied to the nearest ones of the two nearest other guides, at about the same
// place along them, by a spring of a given frequency, whatever they weigh, that is damped to its half.

#define LATERAL_REACH 1.8 // times how far neighbours usually are; what is further off is none
#define LATERAL_GUIDES 2  // per particle; others may choose it, too
#define LATERAL_MOST 6    // springs of one particle: more than eight could swing each other up (kernels/springs.inl)
#define LATERAL_DAMPING 0.5

typedef struct lateral_find {
    const hemc_mesh* mesh;
    uint32_t begin, end;
    double reach;
    uint8_t* taken; // springs per particle of the part
} lateral_find;

static int32_t nearest_guide(const lateral_find* f, uint32_t a, int32_t except) {
    const hemc_particles* all = &f->mesh->all;
    double best = f->reach;
    int32_t found = HEM_NONE;
    for (uint32_t b = f->begin; b < f->end; ++b) {
        const int32_t apart = all->level[b] - all->level[a];
        if (all->column[b] == all->column[a] || all->column[b] == except || apart < -1 || apart > 1) {
            continue;
        }
        const double distance = (double)hemc_rest_distance(f->mesh, a, b);
        if (distance < best) {
            best = distance;
            found = (int32_t)b;
        }
    }
    return found;
}

// Of all particles to the nearest of another guide, the middle one.
static double usual_distance(hemc_arena* arena, const lateral_find* f) {
    lateral_find any = *f;
    uint64_t* keys = hemc_alloc(arena, f->end - f->begin, sizeof(uint64_t));
    uint32_t count = 0, bits = 0;
    float middle = 0;
    any.reach = 1e30;
    for (uint32_t a = f->begin; a < f->end; ++a) {
        const int32_t b = nearest_guide(&any, a, -1);
        if (b != HEM_NONE) { // numbers that are not negative go in order of their bits
            const float distance = hemc_rest_distance(f->mesh, a, (uint32_t)b);
            memcpy(&bits, &distance, sizeof(bits));
            keys[count++] = bits;
        }
    }
    if (count > 0) {
        hemc_sort(arena, keys, NULL, count);
        bits = (uint32_t)keys[count / 2];
        memcpy(&middle, &bits, sizeof(middle));
    }
    return (double)middle;
}

static bool is_tied(const hemc_mesh* mesh, size_t first, uint32_t a, uint32_t b) {
    for (size_t i = first; i < mesh->spring_count; ++i) {
        if ((mesh->springs[i].a == a && mesh->springs[i].b == b) ||
            (mesh->springs[i].a == b && mesh->springs[i].b == a)) {
            return true;
        }
    }
    return false;
}

static void tie_guides(hemc_arena* arena, const hemc_part_recipe* recipe, uint32_t part, hemc_mesh* mesh) {
    const size_t first = mesh->spring_count;
    lateral_find f = {mesh, mesh->part_begin[part], mesh->part_begin[part + 1], 0, NULL};
    f.reach = LATERAL_REACH * usual_distance(arena, &f);
    f.taken = hemc_alloc(arena, f.end - f.begin, 1);
    for (uint32_t a = f.begin; a < f.end; ++a) {
        int32_t except = -1;
        for (int n = 0; n < LATERAL_GUIDES; ++n) {
            const int32_t b = nearest_guide(&f, a, except);
            if (b == HEM_NONE) {
                break;
            }
            except = mesh->all.column[b];
            uint8_t *own = &f.taken[a - f.begin], *theirs = &f.taken[(uint32_t)b - f.begin];
            if ((hemc_is_fixed(mesh, a) && hemc_is_fixed(mesh, (uint32_t)b)) || *own >= LATERAL_MOST ||
                *theirs >= LATERAL_MOST || is_tied(mesh, first, a, (uint32_t)b)) {
                continue;
            }
            const double omega = 6.283185307179586 * (double)recipe->lateral;
            const double mass = 0.5 * ((double)mesh->all.mass[a] + (double)mesh->all.mass[b]);
            mesh->springs[mesh->spring_count++] = (hemc_spring){
                .a = hemc_is_fixed(mesh, a) ? (uint32_t)b : a,
                .b = hemc_is_fixed(mesh, a) ? a : (uint32_t)b,
                .rest = hemc_rest_distance(mesh, a, (uint32_t)b),
                .stiffness = (float)fmin(mass * omega * omega, 1.0 / (double)HEM_MIN_SPRING_COMPLIANCE),
                .damping = (float)(2.0 * LATERAL_DAMPING * mass * omega),
            };
            ++*own, ++*theirs;
        }
    }
}

bool hemc_springs(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
                  hemc_mesh* mesh) {
    size_t total = 0;
    for (uint32_t part = 0; part < recipe->part_count; ++part) {
        total += recipe->parts[part].spring_count;
        total += recipe->parts[part].lateral > 0
                     ? (size_t)LATERAL_GUIDES * (mesh->part_begin[part + 1] - mesh->part_begin[part])
                     : 0;
    }
    mesh->springs = hemc_alloc(arena, total, sizeof(hemc_spring));
    mesh->spring_count = 0;
    bool good = true;
    for (uint32_t part = 0; part < recipe->part_count; ++part) {
        for (uint32_t i = 0; i < recipe->parts[part].spring_count; ++i) {
            good = make_spring(log, model, recipe, part, &recipe->parts[part].springs[i], mesh) && good;
        }
        if (recipe->parts[part].lateral > 0) {
            tie_guides(arena, &recipe->parts[part], part, mesh);
        }
    }
    return good;
}
