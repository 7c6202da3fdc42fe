// SPDX-License-Identifier: MIT
#include "compiler/generate/generate.h"

#include <string.h>

// Animated collision particles on the rest of the character, only where something simulated can come.
//
// Reach. A simulated particle can swing as far as its distance to the nearest attached particle along the links, capped
// by REACH_SHARE of its part's size (cloth does not fold back on itself without end). A spot of the body is kept
// if it lies within that distance (plus both radii) of the particle in the bind pose or in one of the test poses of limbs.c,
// both moved by ordinary skinning. All particles are asked at once: a kd-tree that knows the largest
// reach below each node.
//
// Placing. Blue noise over the kept area only. The surface is fitted as for parts, then each centre moves inwards by its
// first radius: the tip of the outward axis lies on the skin, so that cloth rests on the skin and does not float.

#define AUTO_LIMIT 600 // particles, unless the recipe says how many or how close
#define REACH_SHARE 0.3
#define CANDIDATES 6

typedef struct mover { // a point bound to the skeleton
    uint16_t bone[12];
    float weight[12];
} mover;

static mover mover_of(const hemc_model* model, const uint32_t vertex[3], const double weight[3]) {
    mover m;
    memset(&m, 0, sizeof m);
    for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < 4; ++k) {
            m.bone[4 * c + k] = model->bones[vertex[c]][k];
            m.weight[4 * c + k] = (float)(model->bone_weights[vertex[c]][k] * weight[c]);
        }
    }
    return m;
}

static hemc_d3 move_point(const mover* m, const float (*frame)[12], hemc_d3 p) {
    if (frame == NULL) {
        return p;
    }
    hemc_d3 sum = d3(0, 0, 0);
    for (int k = 0; k < 12; ++k) {
        if (m->weight[k] > 0.0f) {
            const float* b = frame[m->bone[k]];
            hemc_d3 q = d3(b[0] * p.x + b[1] * p.y + b[2] * p.z + b[3], b[4] * p.x + b[5] * p.y + b[6] * p.z + b[7],
                           b[8] * p.x + b[9] * p.y + b[10] * p.z + b[11]);
            sum = d3_madd(sum, q, m->weight[k]);
        }
    }
    return sum;
}

// -- Reach

typedef struct reach_set {
    uint32_t count;
    hemc_vec3* positions; // bind pose
    hemc_vec3* posed;
    double* reach;
    mover* movers;
    hemc_kd kd;
    double* subtree; // largest reach in the range whose middle this place is
} reach_set;

static double subtree_reach(reach_set* set, uint32_t begin, uint32_t end) {
    if (begin >= end) {
        return 0.0;
    }
    uint32_t middle = begin + (end - begin) / 2;
    double best = set->reach[set->kd.order[middle]];
    double a = subtree_reach(set, begin, middle), b = subtree_reach(set, middle + 1, end);
    best = a > best ? a : best;
    best = b > best ? b : best;
    set->subtree[middle] = best;
    return best;
}

// The range must not be empty.
static bool within_reach(reach_set* set, hemc_d3 p, uint32_t begin, uint32_t end) {
    const uint32_t middle = begin + (end - begin) / 2, index = set->kd.order[middle];
    const double maximum = set->subtree[middle];
    ++set->kd.visit_count;
    if (hemc_box_square(&set->kd.boxes[middle], p) > maximum * maximum) {
        return false;
    }
    const hemc_d3 d = d3_sub(p, d3_from(set->kd.points[middle]));
    if (d3_dot(d, d) <= set->reach[index] * set->reach[index]) {
        return true;
    }
    const int axis = set->kd.split[middle];
    const bool upper = (axis == 0 ? d.x : axis == 1 ? d.y : d.z) > 0.0;
    for (int side = 0; side < 2; ++side) { // the one that p is on first
        const bool above = upper == (side == 0);
        const uint32_t from = above ? middle + 1 : begin, to = above ? end : middle;
        if (from < to && within_reach(set, p, from, to)) {
            return true;
        }
    }
    return false;
}

// Distance to the nearest attached particle along the links; as many relaxations as it takes, in link order.
static void link_distances(hemc_arena* arena, const hemc_particles* p, double* distance) {
    uint32_t* starts = hemc_alloc(arena, (size_t)p->count + 2, sizeof *starts);
    for (size_t k = 0; k < p->link_count; ++k) {
        ++starts[p->links[k].a + 2];
        ++starts[p->links[k].b + 2];
    }
    for (uint32_t i = 1; i < p->count + 2; ++i) {
        starts[i] += starts[i - 1];
    }
    uint32_t* to = hemc_alloc(arena, 2 * p->link_count + 1, sizeof *to);
    for (size_t k = 0; k < p->link_count; ++k) {
        to[starts[p->links[k].a + 1]++] = p->links[k].b;
        to[starts[p->links[k].b + 1]++] = p->links[k].a;
    }
    // Breadth first with re-entry: link lengths differ little, so a particle is rarely visited twice.
    uint32_t* queue = hemc_alloc(arena, (size_t)p->count + 1, sizeof *queue);
    uint8_t* waiting = hemc_alloc(arena, (size_t)p->count + 1, sizeof *waiting);
    uint32_t head = 0, tail = 0, room = p->count + 1;
    for (uint32_t i = 0; i < p->count; ++i) {
        bool anchor = (p->flags[i] & HEM_PARTICLE_ANIMATED) != 0;
        distance[i] = anchor ? 0.0 : 1e30;
        if (anchor) {
            queue[tail++] = i;
            waiting[i] = 1;
        }
    }
    while (head != tail) {
        uint32_t i = queue[head];
        head = (head + 1) % room;
        waiting[i] = 0;
        for (uint32_t e = starts[i]; e < starts[i + 1]; ++e) {
            double d = distance[i] + d3_distance(d3_from(p->positions[i]), d3_from(p->positions[to[e]]));
            if (d < distance[to[e]] * (1.0 - 1e-9)) {
                distance[to[e]] = d;
                if (!waiting[to[e]]) {
                    waiting[to[e]] = 1;
                    queue[tail] = to[e];
                    tail = (tail + 1) % room;
                }
            }
        }
    }
}

// About the longest way across, however the part lies: a box along the axes would change with a turn.
static double part_size(const hemc_particles* p) {
    const hemc_d3 middle = hemc_particles_middle(p);
    double farthest = 0.0;
    for (uint32_t i = 0; i < p->count; ++i) {
        double d = d3_distance(d3_from(p->positions[i]), middle);
        farthest = d > farthest ? d : farthest;
    }
    return 2.0 * farthest;
}

static void gather_reach(hemc_arena* arena, const hemc_model* model, const hemc_recipe* recipe, const int32_t* owner,
                         const hemc_particles* parts, double margin, reach_set* set) {
    memset(set, 0, sizeof *set);
    size_t total = 1;
    for (uint32_t k = 0; k < recipe->part_count; ++k) {
        total += parts[k].count;
    }
    set->positions = hemc_alloc(arena, total, sizeof *set->positions);
    set->posed = hemc_alloc(arena, total, sizeof *set->posed);
    set->reach = hemc_alloc(arena, total, sizeof *set->reach);
    set->movers = hemc_alloc(arena, total, sizeof *set->movers);
    set->subtree = hemc_alloc(arena, total, sizeof *set->subtree);
    uint32_t* list = hemc_alloc(arena, (size_t)model->triangle_count + 1, sizeof *list);
    for (uint32_t k = 0; k < recipe->part_count; ++k) {
        const hemc_particles* p = &parts[k];
        uint32_t count = 0;
        for (uint32_t t = 0; t < model->triangle_count; ++t) {
            if (owner[t] == (int32_t)k) {
                list[count++] = t;
            }
        }
        hemc_bvh bvh;
        hemc_bvh_build(arena, &bvh, model->positions, model->triangles, list, count);
        double* distance = hemc_alloc(arena, (size_t)p->count + 1, sizeof *distance);
        link_distances(arena, p, distance);
        double cap = REACH_SHARE * part_size(p);
        bool momentum = recipe->parts[k].animation == HEM_ANIMATE_MOMENTUM;
        for (uint32_t i = 0; i < p->count; ++i) {
            if ((p->flags[i] & HEM_PARTICLE_ANIMATED) && !momentum) {
                continue;
            }
            uint32_t at = set->count++;
            double reach = momentum || distance[i] > cap ? cap : distance[i];
            if (p->max_distance[i] >= 0.0f && p->max_distance[i] < reach) {
                reach = p->max_distance[i];
            }
            reach = recipe->body.reach >= 0.0f ? recipe->body.reach : reach + p->radius + margin;
            set->positions[at] = set->posed[at] = p->positions[i];
            set->reach[at] = reach;
            double weight[3] = {1, 0, 0};
            uint32_t vertex[3] = {0, 0, 0};
            int32_t t = hemc_bvh_nearest(&bvh, d3_from(p->positions[i]), 1e30, NULL, NULL, weight);
            for (int c = 0; c < 3 && t != HEM_NONE; ++c) {
                vertex[c] = model->triangles[3 * (size_t)t + (size_t)c];
            }
            if (t != HEM_NONE) {
                set->movers[at] = mover_of(model, vertex, weight);
            }
        }
    }
}

// -- Spots

static double default_spacing(const hemc_recipe* recipe, const hemc_particles* parts) {
    double minimum = 1e30;
    for (uint32_t k = 0; k < recipe->part_count; ++k) {
        if (parts[k].count > 0) {
            minimum = parts[k].spacing < minimum ? parts[k].spacing : minimum;
        }
    }
    return minimum < 1e30 ? 1.3 * minimum : 0.0;
}

// Radius of the largest ball inside the body that touches its surface at p, as far as opposite walls tell. Layers that
// face the same way (a tunic over the skin) do not count. `radius` comes in as the largest of interest. A vertex that lowers it
// lies in the ball of that radius, and smaller balls lie within larger ones, so what is outside need not be looked at.
typedef struct inner_ball {
    const hemc_surface* surface;
    const hemc_kd* kd;
    hemc_d3 p, normal;
    double radius;
} inner_ball;

static void shrink_ball(inner_ball* b, uint32_t begin, uint32_t end) {
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2, v = b->kd->order[middle];
        hemc_d3 q = d3_from(b->surface->positions[v]), d = d3_sub(b->p, q);
        double along = d3_dot(d, b->normal);
        if (along > 0.0 && d3_dot(d3_from(b->surface->normals[v]), b->normal) <= -0.2) {
            double r = d3_dot(d, d) / (2.0 * along);
            b->radius = r < b->radius ? r : b->radius;
        }
        if (end - begin == 1) {
            return;
        }
        int axis = b->kd->split[middle];
        hemc_d3 gap = d3_sub(d3_madd(b->p, b->normal, -b->radius), q);
        double away = axis == 0 ? gap.x : axis == 1 ? gap.y : gap.z;
        bool upper = away > 0.0;
        if (fabs(away) <= b->radius) {
            shrink_ball(b, upper ? begin : middle + 1, upper ? middle : end);
        }
        if (upper) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
}

// A surface particle collides as its tangent sphere, R = (b^2 + c^2) / 2a. On a thin limb that sphere would come out on
// the other side and drag cloth through: b and c shrink until it stays inside, then all three.
static void keep_inside(hemc_arena* arena, const hemc_surface* surface, hemc_particles* body) {
    hemc_kd kd;
    hemc_kd_build(arena, &kd, surface->positions, surface->vertex_count);
    for (uint32_t i = 0; i < body->count; ++i) {
        float* r = body->radii[i];
        double tangent = ((double)r[1] * r[1] + (double)r[2] * r[2]) / (2.0 * (double)r[0]);
        inner_ball ball = {surface, &kd, d3_from(body->positions[i]), hemc_quat_axis(body->rotation[i], 0),
                           1.1 * tangent};
        shrink_ball(&ball, 0, surface->vertex_count);
        double inner = 0.95 * ball.radius;
        if (tangent <= inner) {
            continue;
        }
        double shrink = sqrt(inner / tangent);
        for (int k = 1; k < 3; ++k) {
            double smaller = (double)r[k] * shrink;
            r[k] = (float)(smaller > (double)r[0] ? smaller : (double)r[0]);
        }
        if ((double)r[0] > inner) {
            r[0] = r[1] = r[2] = (float)(inner > 1e-4 ? inner : 1e-4);
        }
    }
}

bool hemc_body_surface(hemc_arena* arena, const hemc_model* model, const hemc_recipe* recipe, const int32_t* owner,
                       hemc_surface* surface) {
    int32_t* side = hemc_alloc(arena, model->triangle_count, sizeof *side); // HEM_NONE = body, else 0
    uint8_t* mask = hemc_alloc(arena, model->triangle_count, sizeof *mask);
    if (recipe->body.selector) {
        hemc_selector_mask(arena, model, recipe->body.selector, mask);
    }
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        const bool prop = recipe->accessories != NULL && recipe->accessories[t];
        bool chosen = recipe->body.selector ? mask[t] != 0 : !prop;
        side[t] = owner[t] == HEM_NONE && chosen ? HEM_NONE : 0;
    }
    memset(surface, 0, sizeof *surface);
    return hemc_weld(arena, model, side, HEM_NONE, surface) && surface->triangle_count != 0;
}

// Places on the body's surface that may get a particle.
typedef struct spot_list {
    uint32_t count;
    hemc_vec3* positions;
    uint32_t* triangles;
    uint32_t* numbers; // among all that were drawn
} spot_list;

static spot_list draw_spots(hemc_arena* arena, const hemc_surface* surface, double wanted, bool has_target) {
    // As dense as a body wholly in reach needs; a target may need more, as only part of it counts.
    double dense = CANDIDATES * (wanted + 16.0) * (has_target ? 4.0 : 1.0);
    uint32_t count = (uint32_t)(dense < 1000000.0 ? dense : 1000000.0);
    uint32_t step = 1; // rounded to six bits or so: one candidate more would move them all
    while (count / step >= 128) {
        step *= 2;
    }
    spot_list spots;
    spots.count = (count + step / 2) / step * step;
    spots.positions = hemc_alloc(arena, spots.count, sizeof *spots.positions);
    spots.triangles = hemc_alloc(arena, spots.count, sizeof *spots.triangles);
    spots.numbers = hemc_alloc(arena, spots.count, sizeof *spots.numbers);
    hemc_random_on_surface(arena, surface, spots.count, spots.positions, spots.triangles);
    for (uint32_t i = 0; i < spots.count; ++i) {
        spots.numbers[i] = i;
    }
    return spots;
}

static void keep_spots(spot_list* spots, const uint8_t* keep) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < spots->count; ++i) {
        if (keep[i]) {
            spots->positions[kept] = spots->positions[i];
            spots->triangles[kept] = spots->triangles[i];
            spots->numbers[kept++] = spots->numbers[i];
        }
    }
    spots->count = kept;
}

// Drops the spots that nothing simulated comes to, in the bind pose or in one of the test poses.
static void keep_reached(hemc_arena* arena, const hemc_model* model, const int32_t* owner, const hemc_surface* surface,
                         reach_set* set, spot_list* spots) {
    mover* movers = hemc_alloc(arena, spots->count, sizeof *movers);
    for (uint32_t i = 0; i < spots->count; ++i) {
        uint32_t triangle = spots->triangles[i], vertex[3];
        double weight[3];
        hemc_triangle_nearest(hemc_corner(surface, triangle, 0), hemc_corner(surface, triangle, 1),
                              hemc_corner(surface, triangle, 2), d3_from(spots->positions[i]), NULL, weight);
        for (int c = 0; c < 3; ++c) {
            vertex[c] = model->triangles[3 * (size_t)surface->source_triangle[triangle] + (size_t)c];
        }
        movers[i] = mover_of(model, vertex, weight);
    }
    uint8_t* reached = hemc_alloc(arena, spots->count, sizeof *reached);
    hemc_limbs limbs;
    hemc_find_limbs(arena, model, owner, &limbs);
    float(*matrices)[12] = hemc_alloc(arena, model->bone_count, sizeof *matrices);
    for (uint32_t f = 0; f < (limbs.count > 0 ? 1u + HEMC_TEST_POSES : 1u); ++f) {
        if (f > 0) {
            hemc_test_pose(model, &limbs, f - 1, matrices);
        }
        const float(*frame)[12] = f > 0 ? (const float(*)[12])matrices : NULL;
        for (uint32_t i = 0; i < set->count; ++i) {
            set->posed[i] = d3_to(move_point(&set->movers[i], frame, d3_from(set->positions[i])));
        }
        hemc_kd_build(arena, &set->kd, set->posed, set->count);
        subtree_reach(set, 0, set->count);
        for (uint32_t i = 0; i < spots->count; ++i) {
            if (!reached[i]) {
                hemc_d3 p = move_point(&movers[i], frame, d3_from(spots->positions[i]));
                reached[i] = within_reach(set, p, 0, set->count);
            }
        }
    }
    keep_spots(spots, reached);
}

// A part of a few millimetres' spacing brings many times the spots that AUTO_LIMIT needs, and elimination pays for every
// pair within its radius: an even share of them will do. Which ones, their own numbers say: one more or less in reach, as
// rounding decides, must not change all that follow.
static void keep_enough(hemc_arena* arena, spot_list* spots) {
    double enough = 2.0 * CANDIDATES * AUTO_LIMIT;
    if (!(spots->count > enough)) {
        return;
    }
    const uint64_t eighths =
        (uint64_t)(8.0 * spots->count / enough); // one of how many stays, in steps so that it holds
    uint8_t* keep = hemc_alloc(arena, spots->count, sizeof *keep);
    for (uint32_t i = 0; i < spots->count; ++i) {
        uint64_t number = spots->numbers[i];
        keep[i] = 8 * number / eighths != 8 * (number + 1) / eighths;
    }
    keep_spots(spots, keep);
}

// Particles with their shapes at the spots, sunk below the surface by their own height.
static void place_body(hemc_arena* arena, const hemc_recipe* recipe, const hemc_surface* surface,
                       const spot_list* spots, double spacing, hemc_particles* body) {
    for (uint32_t i = 0; i < spots->count; ++i) {
        hemc_d3 normal = d3_unit(hemc_triangle_area_normal(surface, spots->triangles[i]), d3(0, 0, 0));
        hemc_particles_add(arena, body, d3_from(spots->positions[i]), normal, 0, 0);
    }
    body->spacing = (float)spacing;
    body->radius = recipe->body.radius > 0.0f ? recipe->body.radius : (float)(0.75 * spacing);
    body->level_count = 1;
    hemc_part_recipe as_part;
    memset(&as_part, 0, sizeof as_part);
    as_part.name = "body";
    as_part.kind = HEM_PART_BODY;
    as_part.generator = HEMC_SCATTER;
    as_part.axis_auto = false;
    as_part.axis[1] = 1.0f;
    as_part.density = 1.0f;
    hemc_fit(arena, surface, &as_part, body);
    keep_inside(arena, surface, body);
    uint32_t flags = HEM_PARTICLE_ANIMATED | HEM_PARTICLE_BODY | HEM_PARTICLE_COLLIDES;
    flags |= recipe->body.surface ? HEM_PARTICLE_SURFACE : 0;
    for (uint32_t i = 0; i < body->count; ++i) {
        hemc_d3 out = hemc_quat_axis(body->rotation[i], 0);
        body->positions[i] = d3_to(d3_madd(d3_from(body->positions[i]), out, -(double)body->radii[i][0]));
        body->flags[i] = (uint8_t)flags;
    }
}

bool hemc_body(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
               const int32_t* owner, const hemc_particles* parts, hemc_particles* body) {
    memset(body, 0, sizeof *body);
    if (!recipe->body.enabled || model->triangle_count == 0) {
        return true;
    }
    const uint32_t asked = recipe->body.particle_target;
    const bool spaced = recipe->body.spacing > 0.0f;
    double h = spaced ? recipe->body.spacing : default_spacing(recipe, parts);
    hemc_surface surface;
    if (!(h > 0.0) || !hemc_body_surface(arena, model, recipe, owner, &surface)) {
        return true;
    }
    reach_set set;
    gather_reach(arena, model, recipe, owner, parts, 0.75 * h, &set);
    if (set.count == 0) {
        return true;
    }
    double area = hemc_surface_area(&surface);
    double wanted = asked ? asked : area / (h * h);
    if (wanted > 2.0 * HEM_MAX_PARTICLES) {
        return hemc_error(log, HEMC_INPUT, model->path, "/body",
                          "\"spacing\" of the body is too small for its size: about %d particles, at most %d fit",
                          (int)(wanted < 1e9 ? wanted : 1e9), HEM_MAX_PARTICLES);
    }
    spot_list spots = draw_spots(arena, &surface, wanted, asked != 0);
    const uint32_t drawn_count = spots.count;
    keep_reached(arena, model, owner, &surface, &set, &spots);
    if (spots.count == 0) {
        return true;
    }
    double kept_area = area * spots.count / drawn_count;
    uint32_t target = asked ? asked : (uint32_t)(kept_area / (h * h) + 0.5);
    // Eyebrows selected as hair have a spacing of a few millimetres; the body need not follow that.
    bool limited = asked == 0 && !spaced && target > AUTO_LIMIT;
    if (limited) {
        target = AUTO_LIMIT;
        keep_enough(arena, &spots);
    }
    target = target < 1 ? 1 : target < spots.count ? target : spots.count;
    if (limited || (asked && !spaced)) {
        h = sqrt(kept_area / target);
    }
    uint8_t* keep = hemc_alloc(arena, spots.count, sizeof *keep);
    uint64_t work = 0;
    double reach = 2.0 * sqrt(kept_area / (3.4641016151377544 * target)); // of the densest packing, 2 sqrt(3)
    hemc_eliminate(arena, spots.positions, spots.count, target, reach, keep, &work);
    keep_spots(&spots, keep);
    place_body(arena, recipe, &surface, &spots, h, body);
    body->sag = (float)hemc_body_sag(arena, &surface, body);
    if (body->count > HEM_MAX_PARTICLES) {
        return hemc_error(log, HEMC_INPUT, model->path, "/body",
                          "the body needs %u particles, at most %d fit: give a larger \"spacing\"", body->count,
                          HEM_MAX_PARTICLES);
    }
    return true;
}
