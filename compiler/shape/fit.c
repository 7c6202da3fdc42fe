// SPDX-License-Identifier: MIT
#include "compiler/generate/generate.h"
#include "compiler/shape/cells.h"

#include <string.h>

// Ellipsoids, outward axes and masses.
//
// Shape. The surface is turned into points of known area. For each particle the points within one spacing, weighted by
// area and fading to zero at the rim, give a covariance; its eigenvectors are the axes, the square roots of its
// eigenvalues the radii, scaled so that the largest is the particle's radius and none is below half of it (aspect <= 2:
// thinner ones would be missed by collision detection). The axis closest to the mean normal becomes the first and points
// outward. Where the two others are as long as each other their direction would be noise; they are then turned
// along the part's axis (a strand's own direction), so that neighbours agree.
//
// Mass. Every point of the surface belongs to the nearest particle. Cloth weighs area x density; two sheets back to back
// (two-sided cloth) count once. Soft parts weigh volume x density: of the closed surface, or of a layer one spacing thick.
// Strands weigh the volume of their ellipsoids.

#define RIM 1.0        // gathering radius / spacing
#define ROUND 0.9      // ratio of radii above which two axes count as equal
#define MASS_FLOOR 0.2 // of the mean: no particle so light that the solver throws it about
#define LAYER_POINTS 12.0
#define OPPOSITE (-0.5) // cosine between the normals of two sheets back to back, at most
#define PI 3.14159265358979323846

typedef struct shape {
    hemc_d3 axis[3];
    double radius[3];
} shape;

static shape fit_shape(const hemc_samples* samples, const hemc_index_list* list, hemc_d3 p, hemc_d3 hint, hemc_d3 along,
                       hemc_d3 away, double rim, double radius) {
    hemc_d3 mean = d3(0, 0, 0), normal = d3(0, 0, 0);
    double weight = 0.0;
    for (size_t k = 0; k < list->count; ++k) {
        hemc_d3 q = d3_from(samples->positions[list->items[k]]);
        const hemc_sample* s = &samples->info[list->items[k]];
        hemc_d3 d = d3_sub(q, p);
        double fade = 1.0 - d3_dot(d, d) / (rim * rim);
        double w = fade > 0.0 ? s->area * fade * fade : 0.0;
        mean = d3_madd(mean, d, w);
        normal = d3_madd(normal, s->normal, w);
        weight += w;
    }
    shape out;
    memset(&out, 0, sizeof out);
    if (!(weight > 0.0)) { // inside a volume: a ball
        out.axis[0] = d3_unit(hint, d3(0, 1, 0));
        hemc_d3 side = d3_sub(along, d3_scale(out.axis[0], d3_dot(along, out.axis[0])));
        hemc_d3 other = fabs(out.axis[0].x) < 0.7 ? d3(1, 0, 0) : d3(0, 0, 1);
        other = d3_sub(other, d3_scale(out.axis[0], d3_dot(other, out.axis[0])));
        out.axis[1] = d3_unit(d3_length(side) > 0.1 ? side : other, d3(1, 0, 0));
        out.axis[2] = d3_cross(out.axis[0], out.axis[1]);
        out.radius[0] = out.radius[1] = out.radius[2] = radius;
        return out;
    }
    mean = d3_scale(mean, 1.0 / weight);
    hemc_d3 outward = hemc_facing(normal, weight);
    outward = d3_length(outward) > 0.0 ? outward : hint;
    double m[6] = {0, 0, 0, 0, 0, 0};
    for (size_t k = 0; k < list->count; ++k) {
        hemc_d3 d = d3_sub(d3_from(samples->positions[list->items[k]]), p);
        double fade = 1.0 - d3_dot(d, d) / (rim * rim);
        double w = fade > 0.0 ? samples->info[list->items[k]].area * fade * fade / weight : 0.0;
        d = d3_sub(d, mean);
        m[0] += w * d.x * d.x, m[1] += w * d.x * d.y, m[2] += w * d.x * d.z;
        m[3] += w * d.y * d.y, m[4] += w * d.y * d.z, m[5] += w * d.z * d.z;
    }
    double values[3];
    hemc_d3 vectors[3];
    hemc_eigen3(m, values, vectors);
    int first = 2; // the thinnest wins a tie: that is what a normal is
    for (int k = 1; k >= 0; --k) {
        if (fabs(d3_dot(vectors[k], outward)) > fabs(d3_dot(vectors[first], outward)) + 1e-3) {
            first = k;
        }
    }
    double largest = values[0] > 0.0 ? sqrt(values[0]) : 1.0;
    double r[3];
    for (int k = 0; k < 3; ++k) {
        double share = values[k] > 0.0 ? sqrt(values[k]) / largest : 0.0;
        r[k] = radius * (share < 0.5 ? 0.5 : share);
    }
    int b = first == 0 ? 1 : 0, c = first == 2 ? 1 : 2;
    if (d3_length(outward) < 0.5) {
        // It faces nowhere, as a tube or a two-sided card does: thinnest first, away from the middle of the part. Round,
        // any direction across is the thinnest.
        outward = away;
        hemc_d3 across = d3_sub(away, d3_scale(vectors[0], d3_dot(away, vectors[0])));
        if (values[2] >= ROUND * ROUND * values[1] && d3_length(across) > 1e-3 * radius) {
            vectors[2] = d3_unit(across, vectors[2]);
            vectors[1] = d3_cross(vectors[2], vectors[0]);
        }
    }
    double flip = d3_dot(vectors[first], outward) < 0.0 ? -1.0 : 1.0;
    out.axis[0] = d3_scale(vectors[first], flip);
    out.axis[1] = vectors[b];
    out.radius[0] = r[first];
    out.radius[1] = r[b];
    out.radius[2] = r[c];
    hemc_d3 tangent = d3_sub(along, d3_scale(out.axis[0], d3_dot(along, out.axis[0])));
    if (r[c] >= ROUND * r[b]) {
        if (d3_length(tangent) > 0.1) {
            out.axis[1] = d3_unit(tangent, out.axis[1]);
        }
        out.radius[1] = out.radius[2] = first != 0 ? radius : 0.5 * (r[b] + r[c]);
    } else if (d3_dot(out.axis[1], tangent) < 0.0) {
        out.axis[1] = d3_scale(out.axis[1], -1.0);
    }
    out.axis[2] = d3_cross(out.axis[0], out.axis[1]);
    return out;
}

// -- Mass

static double enclosed_volume(const hemc_surface* surface) {
    double six = 0.0;
    hemc_d3 origin = hemc_corner(surface, 0, 0);
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        hemc_d3 a = d3_sub(hemc_corner(surface, t, 0), origin), b = d3_sub(hemc_corner(surface, t, 1), origin);
        six += d3_dot(a, d3_cross(b, d3_sub(hemc_corner(surface, t, 2), origin)));
    }
    return fabs(six) / 6.0;
}

// A thinned copy of the samples, about LAYER_POINTS per square spacing however fine the mesh: every time the area passed
// so far crosses another multiple of the share. Each range of the tree knows the box of its normals, so that a search
// leaves out all that faces about the same way as the one who asks.
typedef struct layer_points {
    hemc_kd kd;
    hemc_d3* normals;                 // in the tree's order
    hemc_d3 *normal_min, *normal_max; // of the range whose middle this place is
} layer_points;

static void bound_normals(layer_points* l, uint32_t begin, uint32_t end) {
    const uint32_t middle = begin + (end - begin) / 2;
    hemc_d3 low = l->normals[middle], high = low;
    for (int side = 0; side < 2; ++side) {
        const uint32_t from = side == 0 ? begin : middle + 1, to = side == 0 ? middle : end;
        if (from < to) {
            bound_normals(l, from, to);
            const hemc_d3 a = l->normal_min[from + (to - from) / 2], b = l->normal_max[from + (to - from) / 2];
            low = d3(a.x < low.x ? a.x : low.x, a.y < low.y ? a.y : low.y, a.z < low.z ? a.z : low.z);
            high = d3(b.x > high.x ? b.x : high.x, b.y > high.y ? b.y : high.y, b.z > high.z ? b.z : high.z);
        }
    }
    l->normal_min[middle] = low;
    l->normal_max[middle] = high;
}

static layer_points thin_samples(hemc_arena* arena, const hemc_samples* samples, double spacing) {
    layer_points l;
    memset(&l, 0, sizeof l);
    hemc_vec3* positions = hemc_alloc(arena, (size_t)samples->count + 1, sizeof *positions);
    uint32_t* chosen = hemc_alloc(arena, (size_t)samples->count + 1, sizeof *chosen);
    double share = spacing * spacing / LAYER_POINTS, passed = 0.0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < samples->count; ++i) {
        double before = floor(passed / share);
        passed += samples->info[i].area;
        if (floor(passed / share) > before) {
            positions[count] = samples->positions[i];
            chosen[count++] = i;
        }
    }
    hemc_kd_build(arena, &l.kd, positions, count);
    l.normals = hemc_alloc(arena, (size_t)count + 1, sizeof *l.normals);
    l.normal_min = hemc_alloc(arena, (size_t)count + 1, sizeof *l.normal_min);
    l.normal_max = hemc_alloc(arena, (size_t)count + 1, sizeof *l.normal_max);
    for (uint32_t i = 0; i < count; ++i) {
        l.normals[i] = samples->info[chosen[l.kd.order[i]]].normal;
    }
    if (count > 0) {
        bound_normals(&l, 0, count);
    }
    return l;
}

// Whether a point of the range within the thickness faces the other way.
static bool is_faced(const layer_points* l, hemc_d3 p, hemc_d3 normal, double square, uint32_t begin, uint32_t end) {
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        const hemc_d3 low = l->normal_min[middle], high = l->normal_max[middle];
        const double minimum = normal.x * (normal.x > 0.0 ? low.x : high.x) +
                               normal.y * (normal.y > 0.0 ? low.y : high.y) +
                               normal.z * (normal.z > 0.0 ? low.z : high.z);
        if (minimum >= OPPOSITE + 1e-9) {
            return false;
        }
        const hemc_d3 d = d3_sub(p, d3_from(l->kd.points[middle]));
        if (d3_dot(d, d) <= square && d3_dot(l->normals[middle], normal) < OPPOSITE) {
            return true;
        }
        const int axis = l->kd.split[middle];
        const double gap = axis == 0 ? d.x : axis == 1 ? d.y : d.z;
        if (gap * gap <= square && is_faced(l, p, normal, square, begin, middle)) {
            return true;
        }
        if (gap * gap <= square || gap > 0.0) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return false;
}

// 1/2 where another sheet lies behind this one, facing the other way.
static double layer_share(const layer_points* l, hemc_d3 p, hemc_d3 normal, double thickness) {
    return is_faced(l, p, normal, thickness * thickness, 0, l->kd.count) ? 0.5 : 1.0;
}

// Each sample's area goes to the particle nearest to it; of cloth modelled with two sides, half of it.
// Returns the shares, and their sum in *sum.
static double* fit_area(hemc_arena* arena, const hemc_part_recipe* part, const hemc_samples* samples, hemc_particles* p,
                        double* sum) {
    hemc_kd kd;
    hemc_kd_build(arena, &kd, p->positions, p->count);
    double* share = hemc_alloc(arena, (size_t)p->count + 1, sizeof *share);
    double total = 0.0;
    int32_t near = HEM_NONE;
    layer_points layers = thin_samples(arena, samples, p->spacing);
    for (uint32_t i = 0; i < samples->count; ++i) {
        hemc_d3 at = d3_from(samples->positions[i]);
        // One sample lies beside the last: the search need not go beyond what was nearest then.
        double reach = near != HEM_NONE ? d3_distance(at, d3_from(p->positions[near])) * (1.0 + 1e-9) : 1e30;
        near = hemc_kd_nearest(&kd, at, reach, NULL);
        double area = samples->info[i].area;
        if (part->kind != HEM_PART_SOFT) {
            area *= layer_share(&layers, at, samples->info[i].normal, 0.7 * p->spacing);
        }
        if (near != HEM_NONE) {
            share[near] += area;
            total += area;
        }
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        p->area[i] = (float)share[i];
    }
    *sum = total;
    return share;
}

static void fit_mass(hemc_arena* arena, const hemc_surface* surface, const hemc_part_recipe* part,
                     const hemc_samples* samples, hemc_particles* p) {
    double area;
    double* share = fit_area(arena, part, samples, p, &area);
    bool soft = part->kind == HEM_PART_SOFT;
    if (soft && part->generator == HEMC_STRANDS) {
        for (uint32_t i = 0; i < p->count; ++i) {
            share[i] = 4.0 / 3.0 * PI * p->radii[i][0] * p->radii[i][1] * p->radii[i][2];
        }
    } else if (p->lattice != NULL) {
        const double cell =
            (double)p->lattice->spacing[0] * (double)p->lattice->spacing[1] * (double)p->lattice->spacing[2];
        const bool closed = hemc_surface_is_closed(surface);
        hemc_lattice_masses(p->lattice, closed ? enclosed_volume(surface) : cell * p->lattice->cell_count, p->count,
                            share);
    } else if (soft && part->generator == HEMC_SCATTER && part->volume) {
        const double volume = enclosed_volume(surface);
        for (uint32_t i = 0; i < p->count; ++i) {
            share[i] = volume / p->count;
        }
    } else if (soft) {
        const double volume = hemc_surface_is_closed(surface) ? enclosed_volume(surface) : area * p->spacing;
        for (uint32_t i = 0; i < p->count && area > 0.0; ++i) {
            share[i] *= volume / area;
        }
    }
    double total = 0.0;
    for (uint32_t i = 0; i < p->count; ++i) {
        total += share[i];
    }
    double mean = p->count > 0 ? total / p->count : 0.0;
    double density = part->density > 0.0f ? part->density : 1.0;
    double mass = part->mass > 0.0f ? part->mass : total * density;
    mass = mass > 1e-9 ? mass : 1e-9 * (p->count + 1.0);
    double raised = 0.0;
    for (uint32_t i = 0; i < p->count; ++i) {
        share[i] = mean > 0.0 ? (share[i] > MASS_FLOOR * mean ? share[i] : MASS_FLOOR * mean) : 1.0;
        raised += share[i];
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        p->mass[i] = (float)(share[i] / raised * mass);
    }
}

void hemc_fit(hemc_arena* arena, const hemc_surface* surface, const hemc_part_recipe* part, hemc_particles* p) {
    if (p->count == 0) {
        return;
    }
    hemc_samples samples;
    hemc_surface_samples(arena, surface, 0.4 * p->spacing, &samples);
    hemc_kd kd;
    hemc_kd_build(arena, &kd, samples.positions, samples.count);
    hemc_index_list list = {NULL, 0, 0};
    hemc_d3 axis = hemc_cut_axis(part, surface);
    hemc_d3* along = hemc_alloc(arena, p->count, sizeof *along);
    for (uint32_t i = 0; i < p->count; ++i) {
        along[i] = part->generator == HEMC_STRANDS ? d3(0, 0, 0) : axis;
    }
    for (size_t k = 0; k < p->link_count && part->generator == HEMC_STRANDS; ++k) {
        hemc_d3 d = d3_sub(d3_from(p->positions[p->links[k].a]), d3_from(p->positions[p->links[k].b]));
        along[p->links[k].a] = d3_add(along[p->links[k].a], d);
        along[p->links[k].b] = d3_add(along[p->links[k].b], d);
    }
    const hemc_d3 middle = hemc_particles_middle(p);
    for (uint32_t i = 0; i < p->count && p->lattice != NULL; ++i) { // balls; their size: shape/cells.c
        p->radii[i][0] = p->radii[i][1] = p->radii[i][2] = p->radius;
    }
    for (uint32_t i = 0; i < p->count && p->lattice == NULL; ++i) {
        hemc_d3 at = d3_from(p->positions[i]), hint = d3_from(p->normals[i]);
        hemc_kd_radius(arena, &kd, at, RIM * p->spacing, &list);
        shape s = fit_shape(&samples, &list, at, hint, d3_unit(along[i], axis), d3_sub(at, middle), RIM * p->spacing,
                            p->radius);
        p->normals[i] = d3_to(s.axis[0]);
        hemc_quat_from_axes(s.axis[0], s.axis[1], s.axis[2], p->rotation[i]);
        for (int k = 0; k < 3; ++k) {
            p->radii[i][k] = (float)s.radius[k];
        }
    }
    if (part->kind == HEM_PART_CLOTH) {
        hemc_agree_on_sides(arena, p);
    }
    if (part->kind == HEM_PART_BODY) {
        for (uint32_t i = 0; i < p->count; ++i) {
            p->mass[i] = 1.0f; // it never moves by forces
        }
    } else {
        fit_mass(arena, surface, part, &samples, p);
    }
}
