// SPDX-License-Identifier: MIT
#include "compiler/generate/generate.h"

#include "compiler/shape/cells.h"

#include <string.h>

// Which particles follow the skeleton, and what the artist painted, brought from vertices to particles.
//
// A particle reads the surface at the nearest point of its own part: paints and bone weights are interpolated there.
// Both that point and the nearest one of the rest of the character are looked for only where a rule asks, and no farther than
// it asks: from afar, all of a slanting surface seems about equally near, and a search meets the more boxes the finer
// the mesh is.
//
// Automatic attachment, first rule that finds something:
//   1. the paint _HEM_PIN above one half;
//   2. strands: the root particle of each;
//   3. the border that the part shares with triangles of no part: where the artist's mesh goes on, so must the cloth;
//   4. cloth: the upper border. Candidates are particles in the upper quarter whose column nothing continues upwards. The
//      topmost of them are attached, those near the top that are as close to the rest of the character as
//      the closest, and from these on every candidate next to one: a slanted waist, the curve of the shoulders. A part that lies along a horizontal axis is held at the end nearer to the rest;
//   5. soft: what touches the rest of the character.
// After 3, 4 and 5, each connected piece that was left without is held where it touches the rest. A part that nothing
// holds after all that is held where it is nearest to the rest of the character or, alone in its file, to the bone that
// it follows most, and a warning says so: it is better than a wig on the floor, but somebody should look.
// With momentum animation all particles are matched to the pose unless a rule says which.

#define UPPER_SHARE 0.25
#define SEAM_SHARE 0.15   // of the border's length
#define CLOSE_SHARE 0.012 // of the model's height: 2 cm on a person
#define WIG_SHARE 0.45    // of the particles: what is alone in its file and touches nothing

typedef struct foot {   // nearest point of the part's surface
    uint32_t vertex[3]; // of the model
    double weight[3];
} foot;

typedef struct roles {
    hemc_arena* arena;
    const hemc_model* model;
    const hemc_part_recipe* part;
    const hemc_surface* surface;
    const int32_t* owner;
    hemc_particles* p;
    foot* feet;         // find_feet makes them
    hemc_bvh rest_tree; // find_rest makes it
    bool has_rest_tree;
} roles;

// -- What a particle reads from the surface

static void find_feet(roles* r) {
    if (r->feet != NULL) {
        return;
    }
    hemc_bvh bvh;
    hemc_bvh_build(r->arena, &bvh, r->surface->positions, r->surface->triangles, NULL, r->surface->triangle_count);
    r->feet = hemc_alloc(r->arena, (size_t)r->p->count + 1, sizeof *r->feet);
    for (uint32_t i = 0; i < r->p->count; ++i) {
        foot* f = &r->feet[i];
        int32_t t = hemc_bvh_nearest(&bvh, d3_from(r->p->positions[i]), 1e30, NULL, NULL, f->weight);
        for (int c = 0; c < 3 && t != HEM_NONE; ++c) {
            f->vertex[c] = r->model->triangles[3 * (size_t)r->surface->source_triangle[t] + (size_t)c];
        }
    }
}

static double foot_value(const foot* f, const float* values) {
    return values[f->vertex[0]] * f->weight[0] + values[f->vertex[1]] * f->weight[1] +
           values[f->vertex[2]] * f->weight[2];
}

// The triangles of no part and of no accessory: a hair tie holds nothing.
static hemc_bvh* find_rest(roles* r) {
    if (r->has_rest_tree) {
        return &r->rest_tree;
    }
    const hemc_model* model = r->model;
    uint32_t* list = hemc_alloc(r->arena, (size_t)model->triangle_count + 1, sizeof *list);
    uint32_t count = 0;
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        const uint8_t* accessories = r->part->accessories;
        if (r->owner[t] == HEM_NONE && (accessories == NULL || !accessories[t])) {
            list[count++] = t;
        }
    }
    hemc_bvh_build(r->arena, &r->rest_tree, model->positions, model->triangles, list, count);
    r->has_rest_tree = true;
    return &r->rest_tree;
}

// From particle i to the rest of the character, 1e30 when that is farther than `reach`. point may be NULL.
static double rest_distance(roles* r, uint32_t i, double reach, hemc_d3* point) {
    double distance = 1e30;
    // A hair more, so that rounding does not decide what lies just at the reach.
    hemc_bvh_nearest(find_rest(r), d3_from(r->p->positions[i]), 1.001 * reach, &distance, point, NULL);
    return distance;
}

// -- Rules of the recipe

static void attach_height(roles* r, bool top, double depth, uint8_t* attached) {
    hemc_d3 axis = hemc_cut_axis(r->part, r->surface);
    double end = -1e300;
    for (uint32_t v = 0; v < r->surface->vertex_count; ++v) {
        double z = d3_dot(d3_from(r->surface->positions[v]), axis) * (top ? 1.0 : -1.0);
        end = z > end ? z : end;
    }
    for (uint32_t i = 0; i < r->p->count; ++i) {
        double z = d3_dot(d3_from(r->p->positions[i]), axis) * (top ? 1.0 : -1.0);
        // The outermost row sits a hair inside the end; a depth of 0 means that row.
        attached[i] |= end - z <= depth + 0.02 * r->p->spacing;
    }
}

static void attach_paint(roles* r, const char* expression, uint8_t* attached) {
    find_feet(r);
    for (uint32_t i = 0; i < r->p->count; ++i) {
        double sum = 0.0;
        for (int c = 0; c < 3; ++c) {
            bool holds = false;
            if (hemc_paint_test(expression, r->model, r->feet[i].vertex[c], &holds) && holds) {
                sum += r->feet[i].weight[c];
            }
        }
        attached[i] |= sum > 0.5;
    }
}

static void attach_bones(roles* r, uint8_t* attached) {
    const hemc_model* model = r->model;
    find_feet(r);
    uint8_t* named = hemc_alloc(r->arena, (size_t)model->bone_count + 1, sizeof *named);
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        for (uint32_t k = 0; k < r->part->attach.bone_count; ++k) {
            named[b] |= hemc_bone_matches(model, b, r->part->attach.bones[k]);
        }
    }
    for (uint32_t i = 0; i < r->p->count; ++i) {
        double sum = 0.0;
        for (int c = 0; c < 3; ++c) {
            uint32_t v = r->feet[i].vertex[c];
            for (int k = 0; k < 4; ++k) {
                sum += named[model->bones[v][k]] ? r->feet[i].weight[c] * model->bone_weights[v][k] : 0.0;
            }
        }
        attached[i] |= sum > 0.5;
    }
}

static void attach_root(roles* r, double depth, uint8_t* attached) {
    // Particles of a strand follow each other, root first.
    double walked = 0.0;
    for (uint32_t i = 0; i < r->p->count; ++i) {
        bool starts = i == 0 || r->p->column[i] != r->p->column[i - 1] || r->p->level[i] <= r->p->level[i - 1];
        walked = starts ? 0.0 : walked + d3_distance(d3_from(r->p->positions[i - 1]), d3_from(r->p->positions[i]));
        attached[i] |= walked <= depth * (1.0 + 1e-6);
    }
}

// Where chains that a VRM swings begin: of what follows the first bone, all that lies before its head, or no more than half a
// spacing beyond whatever comes first.
static void attach_heads(roles* r, uint8_t* attached) {
    const hemc_model* model = r->model;
    const hemc_particles* p = r->p;
    hemc_spring_bone* springs = hemc_alloc(r->arena, (size_t)model->bone_count + 1, sizeof *springs);
    double* along = hemc_alloc(r->arena, (size_t)p->count + 1, sizeof *along);
    hemc_import_springs(model, springs);
    find_feet(r);
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        const int32_t parent = model->bone_defs[b].parent;
        if (!springs[b].swings || (parent != HEM_NONE && springs[parent].swings)) {
            continue;
        }
        const float* m = model->bone_defs[b].bind;
        const hemc_d3 head = d3(m[3], m[7], m[11]);
        hemc_d3 tail = head;
        for (uint32_t k = model->bone_count; k-- > b + 1;) {
            const float* n = model->bone_defs[k].bind;
            tail = model->bone_defs[k].parent == (int32_t)b ? d3(n[3], n[7], n[11]) : tail;
        }
        const double length = d3_distance(head, tail);
        double first = 1e30;
        for (uint32_t i = 0; i < p->count; ++i) {
            double follows = 0, above = 0;
            for (int c = 0; c < 3; ++c) {
                const uint32_t v = r->feet[i].vertex[c];
                for (int k = 0; k < 4; ++k) {
                    const double weight = r->feet[i].weight[c] * model->bone_weights[v][k];
                    follows += model->bones[v][k] == b ? weight : 0;
                    above += (int32_t)model->bones[v][k] == parent ? weight : 0;
                }
            }
            const hemc_d3 way = d3_sub(d3_from(p->positions[i]), head);
            along[i] = follows + above <= 0.5 || follows <= 0 ? 1e30
                       : length > 0                           ? d3_dot(way, d3_sub(tail, head)) / length
                                                              : d3_distance(d3_from(p->positions[i]), head);
            first = along[i] < first ? along[i] : first;
        }
        const double reach = (first > 0 ? first : 0) + 0.5 * p->spacing;
        for (uint32_t i = 0; i < p->count; ++i) {
            attached[i] |= along[i] <= reach && along[i] < 1e29;
        }
    }
}

static void attach_by_rule(roles* r, uint8_t* attached) {
    const hemc_attach* a = &r->part->attach;
    if (a->top >= 0.0f) {
        attach_height(r, true, a->top, attached);
    }
    if (a->bottom >= 0.0f) {
        attach_height(r, false, a->bottom, attached);
    }
    if (a->near >= 0.0f) {
        for (uint32_t i = 0; i < r->p->count; ++i) {
            attached[i] |= rest_distance(r, i, a->near, NULL) <= a->near;
        }
    }
    if (a->root >= 0.0f) {
        attach_root(r, a->root, attached);
    }
    if (a->paint) {
        attach_paint(r, a->paint, attached);
    }
    if (a->bone_count > 0) {
        attach_bones(r, attached);
    }
    if (r->part->spring_bones && r->model->bone_count > 0) {
        attach_heads(r, attached);
    }
    if (a->has_box) {
        for (uint32_t i = 0; i < r->p->count; ++i) {
            hemc_vec3 p = r->p->positions[i];
            attached[i] |= p.x >= a->box_min[0] && p.x <= a->box_max[0] && p.y >= a->box_min[1] &&
                           p.y <= a->box_max[1] && p.z >= a->box_min[2] && p.z <= a->box_max[2];
        }
    }
}

// -- Automatic

static uint32_t count_set(const uint8_t* set, uint32_t count) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; ++i) {
        n += set[i] != 0;
    }
    return n;
}

static bool attach_pins(roles* r, uint8_t* attached) {
    const float* pin = hemc_paint_values(r->model, "_HEM_PIN");
    if (pin == NULL) {
        return false;
    }
    find_feet(r);
    for (uint32_t i = 0; i < r->p->count; ++i) {
        attached[i] = foot_value(&r->feet[i], pin) > 0.5;
    }
    return count_set(attached, r->p->count) > 0;
}

// Vertices of the part's border that triangles of no part share.
static bool attach_shared_border(roles* r, uint8_t* attached) {
    const hemc_surface* surface = r->surface;
    hemc_bvh* rest = find_rest(r);
    if (rest->triangle_count == 0) {
        return false;
    }
    double h = r->p->spacing;
    hemc_vec3* shared = hemc_alloc(r->arena, 2 * (size_t)surface->triangle_count * 3 + 1, sizeof *shared);
    uint32_t count = 0;
    double border = 0.0, joint = 0.0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        for (int e = 0; e < 3; ++e) {
            if (surface->neighbors[3 * (size_t)t + (size_t)e] != HEM_NONE) {
                continue;
            }
            hemc_d3 a = hemc_corner(surface, t, e), b = hemc_corner(surface, t, (e + 1) % 3);
            double near = 1e-3 * h;
            border += d3_distance(a, b);
            if (hemc_bvh_nearest(rest, a, near, NULL, NULL, NULL) != HEM_NONE &&
                hemc_bvh_nearest(rest, b, near, NULL, NULL, NULL) != HEM_NONE &&
                hemc_bvh_nearest(rest, d3_lerp(a, b, 0.5), near, NULL, NULL, NULL) != HEM_NONE) {
                shared[count++] = d3_to(a);
                shared[count++] = d3_to(b);
                joint += d3_distance(a, b);
            }
        }
    }
    // A stretch that merely touches something is no seam.
    if (count == 0 || joint < SEAM_SHARE * border || joint < 2.0 * h) {
        return false;
    }
    hemc_kd kd;
    hemc_kd_build(r->arena, &kd, shared, count);
    // Long border edges: measure to the segments, not only to their ends.
    for (uint32_t i = 0; i < r->p->count; ++i) {
        hemc_d3 p = d3_from(r->p->positions[i]);
        hemc_near near[8];
        uint32_t found = hemc_kd_near(&kd, p, 16.0 * h, 8, near);
        for (uint32_t k = 0; k < found; ++k) {
            uint32_t first = near[k].index & ~1u;
            hemc_d3 a = d3_from(shared[first]), d = d3_sub(d3_from(shared[first + 1]), a);
            double dd = d3_dot(d, d), f = dd > 0.0 ? d3_dot(d3_sub(p, a), d) / dd : 0.0;
            f = f < 0.0 ? 0.0 : f > 1.0 ? 1.0 : f;
            attached[i] |= d3_distance(p, d3_madd(a, d, f)) <= 0.5 * h;
        }
    }
    // A seam inside the garment (a lining sewn to the legs) has few particles of its own along it, and hanging cloth is
    // not held by its lower half.
    hemc_d3 axis = hemc_cut_axis(r->part, surface);
    double low = 1e300, high = -1e300, mean = 0.0;
    uint32_t held = count_set(attached, r->p->count);
    for (uint32_t i = 0; i < r->p->count; ++i) {
        double z = d3_dot(d3_from(r->p->positions[i]), axis);
        low = z < low ? z : low;
        high = z > high ? z : high;
        mean += attached[i] ? z / held : 0.0;
    }
    bool hangs = r->part->kind == HEM_PART_CLOTH && fabs(axis.y) > 0.5;
    if (held < 0.5 * joint / h || (hangs && mean < 0.5 * (low + high))) {
        memset(attached, 0, r->p->count);
        return false;
    }
    return true;
}

// Marks particles whose column goes on upwards; side -1 turns the part over. A corner (one neighbour in its row) hangs
// from the row above by a link to another column: that is no continuation.
static uint8_t* find_continued(roles* r, const double* height, double side) {
    const hemc_particles* p = r->p;
    uint8_t* continued = hemc_alloc(r->arena, (size_t)p->count + 1, sizeof *continued);
    uint8_t* neighbours = hemc_alloc(r->arena, (size_t)p->count + 1, sizeof *neighbours);
    for (size_t k = 0; k < p->link_count; ++k) {
        uint32_t a = p->links[k].a, b = p->links[k].b;
        if (p->links[k].kind == HEM_LINK_WEFT) {
            neighbours[a] = neighbours[a] < 2 ? neighbours[a] + 1 : 2;
            neighbours[b] = neighbours[b] < 2 ? neighbours[b] + 1 : 2;
        }
    }
    for (size_t k = 0; k < p->link_count; ++k) {
        uint32_t a = p->links[k].a, b = p->links[k].b;
        uint32_t lower = (height[a] - height[b]) * side < 0.0 ? a : b;
        if (p->links[k].kind == HEM_LINK_WARP && (p->column[a] == p->column[b] || neighbours[lower] > 1)) {
            continued[lower] = 1;
        }
    }
    return continued;
}

static bool attach_upper_border(roles* r, uint8_t* attached) {
    hemc_particles* p = r->p;
    hemc_d3 axis = hemc_cut_axis(r->part, r->surface);
    double* height = hemc_alloc(r->arena, (size_t)p->count + 1, sizeof *height);
    double low = 1e300, high = -1e300;
    for (uint32_t i = 0; i < p->count; ++i) {
        height[i] = d3_dot(d3_from(p->positions[i]), axis);
        low = height[i] < low ? height[i] : low;
        high = height[i] > high ? height[i] : high;
    }
    double side = 1.0;
    if (fabs(axis.y) < 0.5 && find_rest(r)->triangle_count > 0) {
        // Lying: held at the end that is nearer to the rest of the character.
        double sum[2] = {0, 0};
        uint32_t n[2] = {0, 0};
        for (uint32_t i = 0; i < p->count; ++i) {
            double f = (height[i] - low) / (high - low + 1e-300);
            int end = f > 0.9 ? 1 : f < 0.1 ? 0 : 2;
            if (end < 2) {
                sum[end] += rest_distance(r, i, 1e30, NULL);
                ++n[end];
            }
        }
        side = n[0] && n[1] && sum[0] / n[0] < sum[1] / n[1] ? -1.0 : 1.0;
    }
    const uint8_t* continued = find_continued(r, height, side);
    double nearest = 1e30, depth = UPPER_SHARE * (high - low);
    uint32_t count = 0;
    hemc_sort_item* order = hemc_alloc(r->arena, (size_t)p->count + 1, sizeof *order);
    for (uint32_t i = 0; i < p->count; ++i) {
        double below = side > 0.0 ? high - height[i] : height[i] - low;
        if (!continued[i] && below <= depth) {
            order[count].key = rest_distance(r, i, 1e30, NULL);
            order[count++].index = i;
        }
    }
    hemc_sort_items(r->arena, order, count);
    if (count > 0) {
        nearest = order[count / 4].key; // the closer quarter says what close means
    }
    hemc_vec3* points = hemc_alloc(r->arena, (size_t)count + 1, sizeof *points);
    uint32_t* queue = hemc_alloc(r->arena, (size_t)count + 1, sizeof *queue);
    uint32_t head = 0, tail = 0;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t i = order[k].index;
        double below = side > 0.0 ? high - height[i] : height[i] - low;
        bool close = find_rest(r)->triangle_count > 0 && order[k].key <= nearest + 0.5 * p->spacing;
        points[k] = p->positions[i];
        if (below <= 0.75 * p->spacing || (close && below <= 0.5 * depth)) {
            attached[i] = 1;
            queue[tail++] = k;
        }
    }
    hemc_kd kd;
    hemc_kd_build(r->arena, &kd, points, count);
    for (; head < tail; ++head) {
        hemc_near near[16];
        uint32_t found = hemc_kd_near(&kd, d3_from(points[queue[head]]), 1.6 * p->spacing, 16, near);
        for (uint32_t k = 0; k < found; ++k) {
            uint32_t i = order[near[k].index].index;
            if (!attached[i]) {
                attached[i] = 1;
                queue[tail++] = near[k].index;
            }
        }
    }
    return count > 0;
}

// The bone that the part's vertices follow most.
static uint32_t main_bone(const roles* r) {
    double* weight = hemc_alloc(r->arena, r->model->bone_count, sizeof *weight);
    for (uint32_t v = 0; v < r->surface->vertex_count; ++v) {
        for (int k = 0; k < 4; ++k) {
            uint32_t source = r->surface->source_vertex[v];
            weight[r->model->bones[source][k]] += (double)r->model->bone_weights[source][k];
        }
    }
    uint32_t best = 0;
    for (uint32_t b = 1; b < r->model->bone_count; ++b) {
        best = weight[b] > weight[best] ? b : best;
    }
    return best;
}

// Whether what is within reach of a particle follows this bone: long hair touches the back, which does not hold it.
static bool follows_there(roles* r, uint32_t i, double reach, uint32_t bone) {
    const int32_t t = hemc_bvh_nearest(find_rest(r), d3_from(r->p->positions[i]), reach, NULL, NULL, NULL);
    const uint32_t vertex = t != HEM_NONE ? r->model->triangles[3 * (size_t)t] : 0;
    double weight = 0.0;
    for (int k = 0; k < 4; ++k) {
        weight += r->model->bones[vertex][k] == bone ? (double)r->model->bone_weights[vertex][k] : 0.0;
    }
    return t != HEM_NONE && weight > 0.5;
}

static bool attach_touching(roles* r, uint8_t* attached) {
    const bool hair = r->part->lies == HEMC_LIES_ON_HEAD;
    const uint32_t bone = hair ? main_bone(r) : 0;
    for (uint32_t i = 0; i < r->p->count; ++i) {
        attached[i] = rest_distance(r, i, 0.5 * r->p->spacing, NULL) <= 0.5 * r->p->spacing &&
                      (!hair || follows_there(r, i, 0.5 * r->p->spacing, bone));
    }
    return count_set(attached, r->p->count) > 0;
}

// Pieces that the rules above forgot, three balls of hair of which the first was found: each is held where it is
// nearest to the rest of the character, if that is near at all.
static void attach_forgotten(roles* r, uint8_t* attached) {
    const hemc_particles* p = r->p;
    const bool hair = r->part->lies == HEMC_LIES_ON_HEAD;
    const uint32_t bone = hair ? main_bone(r) : 0;
    uint32_t* roots = hemc_alloc(r->arena, (size_t)p->count + 1, sizeof *roots);
    uint8_t* held = hemc_alloc(r->arena, (size_t)p->count + 1, sizeof *held);
    double* nearest = hemc_alloc(r->arena, (size_t)p->count + 1, sizeof *nearest);
    for (uint32_t i = 0; i < p->count; ++i) {
        roots[i] = i;
        nearest[i] = 1e30;
    }
    for (size_t k = 0; k < p->link_count; ++k) {
        uint32_t a = hemc_root_of(roots, p->links[k].a), b = hemc_root_of(roots, p->links[k].b);
        roots[a > b ? a : b] = a > b ? b : a;
    }
    double* distance = hemc_alloc(r->arena, (size_t)p->count + 1, sizeof *distance);
    for (uint32_t i = 0; i < p->count; ++i) {
        held[hemc_root_of(roots, i)] |= attached[i];
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        uint32_t root = hemc_root_of(roots, i);
        distance[i] = held[root] ? 0.0
                      : hair && !follows_there(r, i, 1.5 * p->spacing, bone)
                          ? 1e30
                          : rest_distance(r, i, 1.5 * p->spacing, NULL);
        nearest[root] = distance[i] < nearest[root] ? distance[i] : nearest[root];
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        uint32_t root = hemc_root_of(roots, i);
        if (!held[root] && nearest[root] <= p->spacing) {
            attached[i] = distance[i] <= nearest[root] + 0.5 * p->spacing;
        }
    }
}

// A share of the particles, those nearest to what could hold them. Returns what that is.
static const char* attach_somewhere(roles* r, uint8_t* attached) {
    const hemc_particles* p = r->p;
    const bool has_rest = find_rest(r)->triangle_count > 0 && r->part->lies != HEMC_LIES_ON_HEAD;
    const hemc_bone_def* bone = &r->model->bone_defs[main_bone(r)];
    const hemc_d3 joint = d3(bone->bind[3], bone->bind[7], bone->bind[11]);
    hemc_sort_item* order = hemc_alloc(r->arena, (size_t)p->count + 1, sizeof *order);
    for (uint32_t i = 0; i < p->count; ++i) {
        order[i].key = has_rest ? rest_distance(r, i, 1e30, NULL) : d3_distance(d3_from(p->positions[i]), joint);
        order[i].index = i;
    }
    hemc_sort_items(r->arena, order, p->count);
    // By the body a seam is enough. Around a joint it is the part of a wig that sits on the head.
    const double share = has_rest ? 0.05 : WIG_SHARE;
    const double reach = order[(uint32_t)(share * (p->count - 1))].key + (has_rest ? 0.5 * p->spacing : 0.0);
    for (uint32_t k = 0; k < p->count; ++k) {
        attached[order[k].index] = order[k].key <= reach;
    }
    return has_rest ? "the rest of the character" : hemc_format(r->arena, "bone \"%s\"", bone->name);
}

// Automatic mode: what lies close stays with the skeleton, and only what is free of it moves. Of hair, what lies on the head
// (the back and the shoulders it may leave). Of a garment, what lies on the body, from where it is held downwards: the
// top of a dress, until it leaves the hips. A cape lies on the back by its weight alone and is not asked.
static void attach_close(roles* r, uint8_t* attached) {
    const hemc_particles* p = r->p;
    const hemc_model* model = r->model;
    const bool hair = r->part->lies == HEMC_LIES_ON_HEAD, locks = r->part->generator == HEMC_STRANDS;
    if (find_rest(r)->triangle_count == 0 || r->part->lies == HEMC_LIES_FREE) {
        return;
    }
    double low = 1e30, high = -1e30;
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        low = model->positions[v].y < low ? model->positions[v].y : low;
        high = model->positions[v].y > high ? model->positions[v].y : high;
    }
    const double close = CLOSE_SHARE * (high - low);
    const uint32_t bone = main_bone(r);
    uint8_t* lies = hemc_alloc(r->arena, (size_t)p->count + 1, sizeof *lies);
    for (uint32_t i = 0; i < p->count; ++i) {
        lies[i] = hair ? follows_there(r, i, close, bone) : rest_distance(r, i, close, NULL) <= close;
        attached[i] |= hair && !locks && lies[i];
    }
    for (bool grown = !hair || locks; grown;) { // along the weave or the lock, as far as it lies
        grown = false;
        for (size_t k = 0; k < p->link_count; ++k) {
            const uint32_t a = p->links[k].a, b = p->links[k].b;
            if (attached[a] != attached[b] && lies[attached[a] ? b : a]) {
                attached[a] = attached[b] = 1;
                grown = true;
            }
        }
    }
}

static void attach_automatic(roles* r, uint8_t* attached) {
    if (attach_pins(r, attached)) {
        return;
    }
    if (r->part->generator == HEMC_STRANDS) {
        attach_root(r, 0.0, attached);
        attach_close(r, attached);
        return;
    }
    if (r->part->animation == HEM_ANIMATE_MOMENTUM) {
        memset(attached, 1, r->p->count);
        return;
    }
    if (!attach_shared_border(r, attached)) {
        if (r->part->kind == HEM_PART_CLOTH) {
            attach_upper_border(r, attached);
        } else {
            attach_touching(r, attached);
        }
    }
    attach_forgotten(r, attached);
    attach_close(r, attached);
}

// -- Painted values

// A two-sided cloth has no outside of its own: turn its particles away from the body.
static void face_away(roles* r) {
    hemc_particles* p = r->p;
    double open = 0.0, all = 0.0;
    for (uint32_t t = 0; t < r->surface->triangle_count; ++t) {
        for (int e = 0; e < 3; ++e) {
            double side = d3_distance(hemc_corner(r->surface, t, e), hemc_corner(r->surface, t, (e + 1) % 3));
            all += side;
            open += r->surface->neighbors[3 * (size_t)t + (size_t)e] == HEM_NONE ? side : 0.0;
        }
    }
    if (r->part->kind != HEM_PART_CLOTH || open > 0.02 * all) {
        return;
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        hemc_d3 nearest = d3(0, 0, 0);
        const double distance = rest_distance(r, i, 8.0 * p->spacing, &nearest);
        hemc_d3 away = d3_sub(d3_from(p->positions[i]), nearest);
        hemc_d3 out = hemc_quat_axis(p->rotation[i], 0);
        if (distance > 8.0 * p->spacing || d3_dot(away, out) >= -0.2 * distance) {
            continue;
        }
        // Half a turn about the second axis.
        hemc_d3 b = hemc_quat_axis(p->rotation[i], 1), c = hemc_quat_axis(p->rotation[i], 2);
        hemc_quat_from_axes(d3_scale(out, -1.0), b, d3_scale(c, -1.0), p->rotation[i]);
        p->normals[i] = d3_to(d3_scale(out, -1.0));
    }
}

static float share_of(double value) {
    return (float)(value < 0.0 ? 0.0 : value > 1.0 ? 1.0 : value);
}

// NULL = not painted.
static const float* values_of(roles* r, const char* paint) {
    const float* values = paint != NULL ? hemc_paint_values(r->model, paint) : NULL;
    if (values != NULL) {
        find_feet(r);
    }
    return values;
}

static void read_paints(roles* r) {
    const hemc_part_recipe* part = r->part;
    hemc_particles* p = r->p;
    const float* stiffness = values_of(r, part->stiffness_paint);
    const float* max_distance = values_of(r, part->max_distance_paint);
    const float* backstop = values_of(r, part->backstop_paint);
    const float* drive = values_of(r, part->drive_paint);
    const float* maps[HEMC_MAP_COUNT];
    for (int k = 0; k < HEMC_MAP_COUNT; ++k) {
        maps[k] = values_of(r, part->map_paints[k]);
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        p->stiffness[i] = stiffness ? share_of(foot_value(&r->feet[i], stiffness)) : 1.0f;
        p->max_distance[i] = max_distance ? (float)foot_value(&r->feet[i], max_distance) : part->max_distance;
        p->backstop[i] = backstop ? (float)foot_value(&r->feet[i], backstop) : part->backstop;
        p->drive[i] = !part->driven ? -1.0f : drive ? share_of(foot_value(&r->feet[i], drive)) : 1.0f;
        for (int k = 0; k < HEMC_MAP_COUNT; ++k) {
            p->maps[i][k] = maps[k] ? share_of(foot_value(&r->feet[i], maps[k])) : 1.0f;
        }
        float* tether = &p->maps[i][HEMC_TETHER];
        *tether = (part->tether_stretch_painted ? 1.0f - *tether : *tether) * (1.0f - part->tether_stretch);
    }
    for (size_t k = 0; k < p->link_count; ++k) {
        p->links[k].scale = 0.5f * (p->stiffness[p->links[k].a] + p->stiffness[p->links[k].b]);
    }
}

bool hemc_roles(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_part_recipe* part,
                const hemc_surface* surface, const int32_t* owner, hemc_particles* particles) {
    roles r;
    memset(&r, 0, sizeof r);
    r.arena = arena;
    r.model = model;
    r.part = part;
    r.surface = surface;
    r.owner = owner;
    r.p = particles;
    face_away(&r);
    read_paints(&r);
    uint8_t* attached = hemc_alloc(arena, (size_t)particles->count + 1, sizeof *attached);
    if (part->attach.automatic) {
        attach_automatic(&r, attached);
    } else if (!part->attach.none) {
        attach_by_rule(&r, attached);
        if (part->attach.every_piece) {
            attach_forgotten(&r, attached);
        }
        if (!part->attach.every_piece && count_set(attached, particles->count) == 0) {
            hemc_warn(log, hemc_part_file(part, model), part->json_path,
                      "\"attach\" of part \"%s\" matches no particle: it will fall", part->name);
        }
    }
    uint32_t count = count_set(attached, particles->count);
    if (count == 0 && particles->count > 0 && (part->attach.automatic || part->attach.every_piece) &&
        model->bone_count > 1) {
        const char* holder = attach_somewhere(&r, attached);
        count = count_set(attached, particles->count);
        hemc_warn(log, hemc_part_file(part, model), part->json_path,
                  "part \"%s\" touches nothing that could hold it: %u of its %u particles, those nearest to %s, are "
                  "attached so that it does not fall. Say with \"attach\" what holds it",
                  part->name, count, particles->count, holder);
    } else if (part->attach.automatic && count == 0 && part->kind == HEM_PART_CLOTH) {
        hemc_warn(log, hemc_part_file(part, model), part->json_path,
                  "nothing to attach part \"%s\" to was found: give it an \"attach\" rule", part->name);
    }
    if (count == particles->count && part->animation != HEM_ANIMATE_MOMENTUM) {
        hemc_warn(log, hemc_part_file(part, model), part->json_path,
                  "every particle of part \"%s\" is attached: nothing will move", part->name);
    }
    for (uint32_t i = 0; i < particles->count; ++i) {
        uint32_t flags = HEM_PARTICLE_COLLIDES;
        flags |= attached[i] ? HEM_PARTICLE_ANIMATED : 0;
        particles->flags[i] = (uint8_t)flags;
    }
    if (particles->lattice != NULL) {
        const float* paint = part->lattice.paint != NULL ? hemc_paint_values(model, part->lattice.paint) : NULL;
        double* painted = paint != NULL ? hemc_alloc(arena, particles->count, sizeof(double)) : NULL;
        if (paint != NULL) {
            find_feet(&r);
        }
        for (uint32_t i = 0; paint != NULL && i < particles->count; ++i) {
            painted[i] = foot_value(&r.feet[i], paint);
        }
        hemc_lattice_roles(arena, log, hemc_part_file(part, model), part, surface, painted, particles);
    }
    return true;
}
