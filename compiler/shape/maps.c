// SPDX-License-Identifier: MIT
#include "compiler/graph/graph.h"
#include "compiler/shape/cards.h"
#include "compiler/shape/cells.h"
#include "compiler/shape/ornaments.h"
#include "compiler/surface/spatial.h"

#include <math.h>
#include <string.h>

// The three maps of the paper and the blend weights.
//
//   vertex to particle  (eq. 1)  up to four particles of the vertex's part
//   vertex to bone      (eq. 2)  the glTF's own, in the model
//   particle to bone    (eq. 3)  over the vertices that refer to a particle
//
// Vertex to particle. The nearest particle that faces the same way is the base; the others come from its neighbourhood in the
// particle graph, so that a sleeve's front never holds its back however close they lie. Weights are
// (1 - (d/R)^2)^2 with R the distance to the fifth: whoever enters or leaves the four does so with weight zero,
// and the map is smooth over the surface. Distances are stretched where vertex and particle follow different bones: an
// arm that hangs at the side in the model does not take the belly along when it is lifted. Hair has its own way (cards.c).
//
// Particle to bone. Particles that no vertex refers to (fine particles on a coarse mesh, and the body's, which carry no
// skin) take the weights of the nearest point of the surface.
//
// Blend. 0 where the skeleton rules, 1 where particles do. Painted, or made from the distance along the particle graph to
// the nearest attached particle, carried to vertices by their own weights. Vertices that also belong to a triangle no
// part selected stay with the skeleton, so that the surface does not tear there.

#define CANDIDATE_LIMIT 96
#define NEAR_LIMIT 8
#define LOOSE_LIMIT 24
#define WRONG_SIDE 2.0   // a particle that faces away counts as this much farther
#define STRANGER 3.0     // a particle that shares no bone with the vertex counts as this much farther
#define FAR_SPACINGS 3.0 // a vertex farther than this from its nearest particle is reported
#define NO_PART (-1)
#define BONE_LIMIT 64

typedef struct bone_weight {
    uint32_t bone;
    double weight;
} bone_weight;

// -- Which vertex belongs to whom

// part[v]: the first part that selects one of its triangles; fixed[v]: it, or a vertex in the same place, also belongs to
// a triangle that no part selects.
static void own_vertices(hemc_arena* arena, const hemc_model* model, const int32_t* owner, int32_t* part,
                         uint8_t* fixed) {
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        part[v] = NO_PART;
    }
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            const uint32_t v = model->triangles[3 * (size_t)t + (size_t)k];
            if (owner[t] == HEM_NONE) {
                fixed[v] = 1;
            } else if (part[v] == NO_PART || owner[t] < part[v]) {
                part[v] = owner[t];
            }
        }
    }
    // Vertices split by texture seams lie in one place and must move as one.
    uint64_t* keys = hemc_alloc(arena, model->vertex_count, sizeof(uint64_t));
    uint32_t* order = hemc_alloc(arena, model->vertex_count, sizeof(uint32_t));
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        uint32_t bits[3];
        const hemc_vec3 p = model->positions[v];
        const float x[3] = {p.x + 0.0f, p.y + 0.0f, p.z + 0.0f}; // -0 becomes 0
        memcpy(bits, x, sizeof bits);
        uint64_t h = bits[0] * 0x9e3779b97f4a7c15u;
        h = (h ^ h >> 29 ^ bits[1]) * 0xbf58476d1ce4e5b9u;
        h = (h ^ h >> 32 ^ bits[2]) * 0x94d049bb133111ebu;
        keys[v] = h ^ h >> 31;
        order[v] = v;
    }
    hemc_sort(arena, keys, order, model->vertex_count);
    for (uint32_t begin = 0; begin < model->vertex_count;) {
        uint32_t end = begin + 1;
        while (end < model->vertex_count && keys[end] == keys[begin]) {
            ++end;
        }
        for (uint32_t i = begin; i < end; ++i) {
            for (uint32_t j = begin; j < end && !fixed[order[i]] && end - begin < 64; ++j) {
                const hemc_vec3 p = model->positions[order[i]], q = model->positions[order[j]];
                fixed[order[i]] = (uint8_t)(fixed[order[j]] && p.x == q.x && p.y == q.y && p.z == q.z);
            }
        }
        begin = end;
    }
}

// -- Vertex to particle

typedef struct candidate_list {
    uint32_t particles[CANDIDATE_LIMIT];
    uint32_t count;
} candidate_list;

static void add_candidate(candidate_list* list, uint32_t particle) {
    for (uint32_t i = 0; i < list->count; ++i) {
        if (list->particles[i] == particle) {
            return;
        }
    }
    if (list->count < CANDIDATE_LIMIT) {
        list->particles[list->count++] = particle;
    }
}

// The base and two rings around it, inside the part.
static void gather(const hemc_adjacency* net, uint32_t begin, uint32_t end, uint32_t base, candidate_list* list) {
    add_candidate(list, base);
    for (uint32_t ring = 0, at = 0; ring < 2; ++ring) {
        const uint32_t ring_end = list->count;
        for (; at < ring_end; ++at) {
            const uint32_t p = list->particles[at];
            for (uint32_t k = net->starts[p]; k < net->starts[p + 1]; ++k) {
                if (net->neighbors[k] >= begin && net->neighbors[k] < end) {
                    add_candidate(list, net->neighbors[k]);
                }
            }
        }
    }
}

typedef struct ranked {
    double distance;
    uint32_t particle;
} ranked;

// How much farther the particle counts for the vertex: 1 where they follow the same bones, STRANGER where they share none.
double hemc_strangeness(const hemc_model* model, const hemc_mesh* mesh, uint32_t vertex, uint32_t particle) {
    double shared = 0;
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 4; ++k) {
            if (model->bones[vertex][i] == mesh->skinning.particle_bone[particle][k]) {
                shared += fmin(model->bone_weights[vertex][i], mesh->skinning.particle_bone_weight[particle][k]);
            }
        }
    }
    const double strange =
        fmax(1 - 2 * shared, 0); // half of the weight in common is kin: a shoulder's folds stay smooth
    return 1 + (STRANGER - 1) * strange * strange;
}

// Up to four particles and their weights from the candidates, for a point that follows the bones of the vertex.
static void weigh(const hemc_model* model, const hemc_mesh* mesh, uint32_t vertex, hemc_d3 point,
                  const candidate_list* list, uint16_t particles[4], float weights[4]) {
    ranked best[5];
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; ++i) {
        const uint32_t p = list->particles[i];
        const double d = d3_distance(point, d3_from(mesh->all.positions[p]));
        const ranked r = {d * hemc_strangeness(model, mesh, vertex, p), p};
        uint32_t at = count < 5 ? count++ : 5;
        while (at > 0 && (best[at - 1].distance > r.distance ||
                          (best[at - 1].distance == r.distance && best[at - 1].particle > r.particle))) {
            if (at < 5) {
                best[at] = best[at - 1];
            }
            --at;
        }
        if (at < 5) {
            best[at] = r;
        }
    }
    // Few candidates: a radius that leaves the last of them some weight.
    const double radius = count == 5 ? best[4].distance : best[count - 1].distance * 1.25;
    double raw[4] = {0}, sum = 0;
    const uint32_t used = count < 4 ? count : 4;
    for (uint32_t i = 0; i < used; ++i) {
        const double x = radius > 0 ? best[i].distance / radius : 0;
        raw[i] = (1 - x * x) * (1 - x * x);
        sum += raw[i];
    }
    if (!(sum > 1e-9)) { // all as far as the fifth
        for (uint32_t i = 0; i < used; ++i) {
            raw[i] = 1;
        }
        sum = used;
    }
    for (uint32_t i = 0; i < 4; ++i) {
        particles[i] = (uint16_t)(i < used ? best[i].particle : best[0].particle);
        weights[i] = (float)(raw[i] / sum);
    }
}

void hemc_bind_point(const hemc_model* model, const hemc_adjacency* net, const hemc_mesh* mesh, uint32_t part,
                     uint32_t vertex, hemc_d3 point, uint16_t particles[4], float weights[4]) {
    candidate_list list = {.count = 0};
    gather(net, mesh->part_begin[part], mesh->part_begin[part + 1], mesh->skinning.vertex_particle[vertex][0], &list);
    weigh(model, mesh, vertex, point, &list, particles, weights);
}

// The nearest particle, those that face away and strangers counted as farther.
static uint32_t find_base(const hemc_model* model, const hemc_mesh* mesh, hemc_kd* kd, uint32_t begin, uint32_t vertex,
                          double* distance) {
    const hemc_d3 point = d3_from(model->positions[vertex]), normal = d3_from(model->normals[vertex]);
    hemc_near near[NEAR_LIMIT];
    const uint32_t found = hemc_kd_near(kd, point, 1e30, NEAR_LIMIT, near);
    uint32_t base = begin;
    double best = 1e300;
    *distance = found > 0 ? near[0].distance : 0;
    for (uint32_t i = 0; i < found; ++i) {
        const uint32_t p = begin + near[i].index;
        const double side = d3_dot(normal, d3_from(mesh->all.normals[p]));
        const double d = near[i].distance * (side < 0 ? WRONG_SIDE : 1) * hemc_strangeness(model, mesh, vertex, p);
        if (d < best) {
            best = d;
            base = p;
        }
    }
    return base;
}

static const hemc_primitive* primitive_of(const hemc_model* model, uint32_t vertex) {
    for (uint32_t i = 0; i < model->primitive_count; ++i) {
        const hemc_primitive* p = &model->primitives[i];
        if (vertex - p->vertex_begin < p->vertex_count) {
            return p;
        }
    }
    return NULL;
}

typedef struct far_report {
    uint32_t count, vertex;
    double distance;
} far_report;

static void map_part(hemc_arena* arena, const hemc_model* model, const hemc_recipe* recipe, const hemc_adjacency* net,
                     const int32_t* vertex_part, uint32_t part, hemc_mesh* mesh, far_report* far) {
    const uint32_t begin = mesh->part_begin[part], end = mesh->part_begin[part + 1];
    if (begin == end) {
        return;
    }
    if (mesh->part_lattices != NULL && mesh->part_lattices[part] != NULL) {
        hemc_bind_cells(arena, model, vertex_part, part, mesh);
        return;
    }
    hemc_kd kd;
    hemc_kd_build(arena, &kd, mesh->all.positions + begin, end - begin);
    const bool strands = part < recipe->part_count && recipe->parts[part].generator == HEMC_STRANDS;
    const bool soft = mesh->part_kinds[part] == HEM_PART_SOFT;
    if (strands) {
        hemc_bind_cards(arena, model, vertex_part, part, mesh);
    }
    // The nearest-neighbour distance is the part's own measure of far.
    double spacing = 0;
    uint32_t link_count = 0;
    for (uint32_t p = begin; p < end; ++p) {
        for (uint32_t k = net->starts[p]; k < net->starts[p + 1]; ++k) {
            spacing += d3_distance(d3_from(mesh->all.positions[p]), d3_from(mesh->all.positions[net->neighbors[k]]));
            ++link_count;
        }
    }
    spacing = link_count > 0 ? spacing / link_count : 1e30;
    hemc_skinning* skin = &mesh->skinning;
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        if (vertex_part[v] != (int32_t)part) {
            continue;
        }
        const hemc_d3 point = d3_from(model->positions[v]);
        double distance;
        const uint32_t base = find_base(model, mesh, &kd, begin, v, &distance);
        candidate_list list = {.count = 0};
        if (soft) {
            // Soft bodies have no thin places that lie on each other but for those that bones tell apart, and folds where a
            // choice by neighbours would crack.
            hemc_near near[LOOSE_LIMIT];
            const uint32_t found = hemc_kd_near(&kd, point, 1e30, LOOSE_LIMIT, near);
            for (uint32_t i = 0; i < found; ++i) {
                add_candidate(&list, begin + near[i].index);
            }
        } else {
            gather(net, begin, end, base, &list);
        }
        if (!strands) {
            weigh(model, mesh, v, point, &list, skin->vertex_particle[v], skin->vertex_weight[v]);
        }
        if (distance > FAR_SPACINGS * spacing) {
            ++far->count;
            if (distance > far->distance) {
                far->distance = distance;
                far->vertex = v;
            }
        }
    }
}

// -- Particle to bone

static void keep_largest(const bone_weight* weights, uint32_t count, uint16_t bones[4], float out[4]) {
    bool taken[BONE_LIMIT] = {false};
    double kept[4] = {0}, sum = 0;
    for (int k = 0; k < 4; ++k) {
        uint32_t best = count;
        for (uint32_t i = 0; i < count; ++i) {
            if (!taken[i] && weights[i].weight > 0 && (best == count || weights[i].weight > weights[best].weight)) {
                best = i;
            }
        }
        bones[k] = 0;
        if (best < count) {
            taken[best] = true;
            bones[k] = (uint16_t)weights[best].bone;
            kept[k] = weights[best].weight;
            sum += kept[k];
        }
    }
    if (!(sum > 0)) {
        kept[0] = sum = 1;
    }
    for (int k = 0; k < 4; ++k) {
        out[k] = (float)(kept[k] / sum);
    }
}

// Adds to the bone's weight; past the room (a particle under more bones than that) the smallest share is lost.
static void merge(bone_weight* list, uint32_t* count, uint32_t bone, double weight) {
    for (uint32_t i = 0; i < *count; ++i) {
        if (list[i].bone == bone) {
            list[i].weight += weight;
            return;
        }
    }
    if (*count < BONE_LIMIT) {
        list[(*count)++] = (bone_weight){bone, weight};
    }
}

static void merge_vertex(const hemc_model* model, uint32_t vertex, double weight, bone_weight* list, uint32_t* count) {
    for (int k = 0; k < 4; ++k) {
        if (model->bone_weights[vertex][k] > 0) {
            merge(list, count, model->bones[vertex][k], weight * model->bone_weights[vertex][k]);
        }
    }
}

typedef struct reference { // a vertex that refers to a particle
    uint32_t vertex;
    float weight;
} reference;

static void particles_to_bones(hemc_arena* arena, const hemc_model* model, const int32_t* vertex_part, hemc_mesh* mesh,
                               uint8_t* bound) {
    const uint32_t count = mesh->all.count;
    hemc_skinning* skin = &mesh->skinning;
    // Who refers to whom, turned round: vertices by particle.
    uint32_t* starts = hemc_alloc(arena, (size_t)count + 1, sizeof(uint32_t));
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        for (int k = 0; k < 4 && vertex_part[v] != NO_PART; ++k) {
            starts[skin->vertex_particle[v][k] + 1] += skin->vertex_weight[v][k] > 0;
        }
    }
    for (uint32_t p = 0; p < count; ++p) {
        starts[p + 1] += starts[p];
    }
    reference* references = hemc_alloc(arena, starts[count], sizeof(reference));
    uint32_t* next = hemc_alloc(arena, count, sizeof(uint32_t));
    memcpy(next, starts, count * sizeof(uint32_t));
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        for (int k = 0; k < 4 && vertex_part[v] != NO_PART; ++k) {
            if (skin->vertex_weight[v][k] > 0) {
                references[next[skin->vertex_particle[v][k]]++] = (reference){v, skin->vertex_weight[v][k]};
            }
        }
    }
    for (uint32_t p = 0; p < count; ++p) {
        bone_weight list[BONE_LIMIT];
        uint32_t bone_count = 0;
        for (uint32_t i = starts[p]; i < starts[p + 1]; ++i) {
            merge_vertex(model, references[i].vertex, references[i].weight, list, &bone_count);
        }
        if (bone_count > 0) {
            keep_largest(list, bone_count, skin->particle_bone[p], skin->particle_bone_weight[p]);
            bound[p] = 1;
        }
    }
}

// Particles without vertices: the weights of the nearest point of the part's surface, for the body of the unselected one.
static void bind_to_surface(hemc_arena* arena, const hemc_model* model, const int32_t* owner, uint32_t part,
                            const uint8_t* bound, hemc_mesh* mesh) {
    const uint32_t begin = mesh->part_begin[part], end = mesh->part_begin[part + 1];
    uint32_t missing = 0;
    for (uint32_t p = begin; p < end; ++p) {
        missing += !bound[p];
    }
    if (missing == 0 || model->triangle_count == 0) {
        return;
    }
    const int32_t wanted = mesh->part_kinds[part] == HEM_PART_BODY ? HEM_NONE : (int32_t)part;
    uint32_t* subset = hemc_alloc(arena, model->triangle_count, sizeof(uint32_t));
    uint32_t subset_count = 0;
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        if (owner[t] == wanted) {
            subset[subset_count++] = t;
        }
    }
    if (subset_count == 0) {
        for (uint32_t t = 0; t < model->triangle_count; ++t) {
            subset[subset_count++] = t;
        }
    }
    hemc_bvh bvh;
    hemc_bvh_build(arena, &bvh, model->positions, model->triangles, subset, subset_count);
    for (uint32_t p = begin; p < end; ++p) {
        if (bound[p]) {
            continue;
        }
        double bary[3];
        const int32_t t = hemc_bvh_nearest(&bvh, d3_from(mesh->all.positions[p]), 1e30, NULL, NULL, bary);
        bone_weight list[BONE_LIMIT];
        uint32_t bone_count = 0;
        for (int k = 0; k < 3 && t != HEM_NONE; ++k) {
            merge_vertex(model, model->triangles[3 * (size_t)t + (size_t)k], bary[k], list, &bone_count);
        }
        keep_largest(list, bone_count, mesh->skinning.particle_bone[p], mesh->skinning.particle_bone_weight[p]);
    }
}

// -- Blend

// Distance along the particle graph to the nearest attached particle: sweeps until nothing changes, which for lengths
// that only shrink ends with the same numbers in any order.
static void attached_distances(hemc_arena* arena, const hemc_mesh* mesh, const hemc_adjacency* net, double* distance) {
    const uint32_t count = mesh->all.count;
    uint32_t* queue = hemc_alloc(arena, (size_t)count + 1, sizeof(uint32_t));
    uint8_t* queued = hemc_alloc(arena, count, 1);
    uint32_t head = 0, waiting = 0;
    for (uint32_t p = 0; p < count; ++p) {
        distance[p] = 1e30;
        if ((mesh->all.flags[p] & (HEM_PARTICLE_ANIMATED | HEM_PARTICLE_BODY)) == HEM_PARTICLE_ANIMATED) {
            distance[p] = 0;
            queued[p] = 1;
            queue[(head + waiting++) % (count + 1)] = p;
        }
    }
    while (waiting > 0) {
        const uint32_t p = queue[head];
        head = (head + 1) % (count + 1);
        --waiting;
        queued[p] = 0;
        for (uint32_t k = net->starts[p]; k < net->starts[p + 1]; ++k) {
            const uint32_t q = net->neighbors[k];
            const double d =
                distance[p] + d3_distance(d3_from(mesh->all.positions[p]), d3_from(mesh->all.positions[q]));
            if (d < distance[q]) {
                distance[q] = d;
                if (!queued[q]) {
                    queued[q] = 1;
                    queue[(head + waiting++) % (count + 1)] = q;
                }
            }
        }
    }
}

static const hemc_paint* find_paint(const hemc_model* model, const char* name) {
    for (uint32_t i = 0; i < model->paint_count; ++i) {
        if (strcmp(model->paints[i].name, name) == 0) {
            return &model->paints[i];
        }
    }
    return NULL;
}

static void blend_vertices(hemc_arena* arena, const hemc_model* model, const hemc_recipe* recipe,
                           const hemc_adjacency* net, const int32_t* vertex_part, const uint8_t* fixed,
                           hemc_mesh* mesh) {
    double* distance = hemc_alloc(arena, mesh->all.count, sizeof(double));
    attached_distances(arena, mesh, net, distance);
    double* width = hemc_alloc(arena, mesh->part_count, sizeof(double));
    double* margin = hemc_alloc(arena, mesh->part_count, sizeof(double));
    for (uint32_t part = 0; part < mesh->part_count; ++part) {
        // Two spacings unless the recipe says otherwise; the spacing is what the links came out as.
        double sum = 0;
        uint32_t count = 0;
        for (uint32_t p = mesh->part_begin[part]; p < mesh->part_begin[part + 1]; ++p) {
            for (uint32_t k = net->starts[p]; k < net->starts[p + 1]; ++k) {
                sum += d3_distance(d3_from(mesh->all.positions[p]), d3_from(mesh->all.positions[net->neighbors[k]]));
                ++count;
            }
        }
        width[part] = count > 0 ? 2 * sum / count : 0;
        // A vertex on an attached particle also holds a little of its free neighbours.
        margin[part] = count > 0 ? 0.25 * sum / count : 0;
        if (part < recipe->part_count && recipe->parts[part].blend_width >= 0) {
            width[part] = recipe->parts[part].blend_width;
        }
    }
    const hemc_paint* paint = find_paint(model, "_HEM_BLEND");
    hemc_skinning* skin = &mesh->skinning;
    for (uint32_t i = 0; i < model->primitive_count; ++i) {
        const hemc_primitive* primitive = &model->primitives[i];
        for (uint32_t v = primitive->vertex_begin; v < primitive->vertex_begin + primitive->vertex_count; ++v) {
            const int32_t part = vertex_part[v];
            skin->vertex_blend[v] = 0;
            if (part == NO_PART || fixed[v] || mesh->part_begin[part] == mesh->part_begin[part + 1]) {
                continue;
            }
            if (recipe->parts[part].blend_paint && paint != NULL && paint->present[i]) {
                const float painted = paint->values[v];
                skin->vertex_blend[v] = painted >= 0 ? (painted > 1 ? 1 : painted) : 0;
                continue;
            }
            double d = 0;
            for (int k = 0; k < 4; ++k) {
                d += skin->vertex_weight[v][k] * fmin(distance[skin->vertex_particle[v][k]], 1e6);
            }
            const double rise = width[part] - margin[part];
            const double x = rise > 0 ? fmin(fmax(d - margin[part], 0) / rise, 1) : d > margin[part] ? 1 : 0;
            skin->vertex_blend[v] = (float)(x * x * (3 - 2 * x));
        }
    }
}

// -- The stage

bool hemc_maps(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
               const int32_t* owner, hemc_mesh* mesh) {
    if (mesh->all.count == 0 || mesh->all.count > HEM_MAX_PARTICLES) {
        return hemc_error(log, HEMC_INPUT, recipe->path, "/parts",
                          "%u particles; an asset has 1 to %d: choose a larger spacing", mesh->all.count,
                          HEM_MAX_PARTICLES);
    }
    hemc_skinning* skin = &mesh->skinning;
    skin->vertex_particle = hemc_alloc(arena, model->vertex_count, sizeof(*skin->vertex_particle));
    skin->vertex_weight = hemc_alloc(arena, model->vertex_count, sizeof(*skin->vertex_weight));
    skin->vertex_blend = hemc_alloc(arena, model->vertex_count, sizeof(float));
    skin->particle_bone = hemc_alloc(arena, mesh->all.count, sizeof(*skin->particle_bone));
    skin->particle_bone_weight = hemc_alloc(arena, mesh->all.count, sizeof(*skin->particle_bone_weight));
    int32_t* vertex_part = hemc_alloc(arena, model->vertex_count, sizeof(int32_t));
    uint8_t* fixed = hemc_alloc(arena, model->vertex_count, 1);
    uint8_t* bound = hemc_alloc(arena, mesh->all.count, 1);
    own_vertices(arena, model, owner, vertex_part, fixed);
    hemc_adjacency net;
    hemc_adjacency_build(arena, mesh->all.links, mesh->all.link_count, mesh->all.count, &net);
    for (uint32_t part = 0; part < mesh->part_count; ++part) {
        if (mesh->part_kinds[part] == HEM_PART_BODY) {
            continue;
        }
        far_report far = {0};
        bind_to_surface(arena, model, owner, part, bound, mesh); // for now, all of them: who is a stranger to whom
        map_part(arena, model, recipe, &net, vertex_part, part, mesh, &far);
        if (far.count > 0) {
            const hemc_primitive* primitive = primitive_of(model, far.vertex);
            hemc_warn(log, hemc_part_file(&recipe->parts[part], model), recipe->parts[part].json_path,
                      "part \"%s\": %u vertices lie far from every particle; the worst is vertex %u of %s, %d mm away",
                      mesh->part_names[part], far.count,
                      primitive != NULL ? far.vertex - primitive->vertex_begin : far.vertex,
                      primitive != NULL ? primitive->name : "", (int)(far.distance * 1000 + 0.5));
        }
    }
    particles_to_bones(arena, model, vertex_part, mesh, bound);
    for (uint32_t part = 0; part < mesh->part_count; ++part) {
        bind_to_surface(arena, model, owner, part, bound, mesh);
    }
    blend_vertices(arena, model, recipe, &net, vertex_part, fixed, mesh);
    for (uint32_t part = 0; part < recipe->part_count; ++part) {
        if (mesh->part_kinds[part] == HEM_PART_CLOTH) {
            hemc_sew_ornaments(arena, model, owner, &net, vertex_part, fixed, part, mesh);
        }
    }
    return true;
}
