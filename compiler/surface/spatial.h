// SPDX-License-Identifier: MIT
#ifndef HEMC_SPATIAL_H
#define HEMC_SPATIAL_H

// Geometry that several stages need: vectors in double, sorting with a total order, a fixed random sequence, the
// eigenvectors of a symmetric 3x3 matrix, and three ways to find what is near.
//
//   hemc_kd    points that do not change: nearest, all within a radius, the k nearest
//   hemc_grid  points that arrive one by one: is anything nearer than r? (r fixed at creation)
//   hemc_bvh   triangles: nearest point on the surface, inside or outside
//
// Every answer is unique: equal distances are decided by the lower index, never by the shape of the tree. Each
// structure counts the nodes it looked at, so that tests can check how the work grows.

#include "compiler/hemc_internal.h"

#include <math.h> // sqrt, fabs, floor only: they round the same everywhere

// -- Vectors. Positions are stored in float; all arithmetic on them is in double.

typedef struct hemc_d3 {
    double x, y, z;
} hemc_d3;

static inline hemc_d3 d3(double x, double y, double z) {
    hemc_d3 r = {x, y, z};
    return r;
}
static inline hemc_d3 d3_from(hemc_vec3 a) {
    return d3(a.x, a.y, a.z);
}
static inline hemc_vec3 d3_to(hemc_d3 a) {
    hemc_vec3 r = {(float)a.x, (float)a.y, (float)a.z};
    return r;
}
static inline hemc_d3 d3_add(hemc_d3 a, hemc_d3 b) {
    return d3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline hemc_d3 d3_sub(hemc_d3 a, hemc_d3 b) {
    return d3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline hemc_d3 d3_scale(hemc_d3 a, double s) {
    return d3(a.x * s, a.y * s, a.z * s);
}
static inline hemc_d3 d3_madd(hemc_d3 a, hemc_d3 b, double s) { // a + b s
    return d3(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}
static inline hemc_d3 d3_lerp(hemc_d3 a, hemc_d3 b, double t) {
    return d3(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t);
}
static inline double d3_dot(hemc_d3 a, hemc_d3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline hemc_d3 d3_cross(hemc_d3 a, hemc_d3 b) {
    return d3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double d3_length(hemc_d3 a) {
    return sqrt(d3_dot(a, a));
}
static inline double d3_distance(hemc_d3 a, hemc_d3 b) {
    return d3_length(d3_sub(a, b));
}
// `otherwise` when a has no direction.
static inline hemc_d3 d3_unit(hemc_d3 a, hemc_d3 otherwise) {
    double length = d3_length(a);
    return length > 1e-30 ? d3_scale(a, 1.0 / length) : otherwise;
}

// -- Numbers (numbers.c)

typedef struct hemc_random {
    uint64_t state;
} hemc_random; // splitmix64: the same sequence everywhere

uint64_t hemc_random_next(hemc_random* random);
double hemc_random_unit(hemc_random* random); // [0, 1)

double hemc_cube_root(double x); // x >= 0; without libm, the same bits everywhere

// Union-find: the one that stands for i's set, itself at first.
static inline uint32_t hemc_root_of(uint32_t* parent, uint32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

typedef struct hemc_sort_item {
    double key;
    uint32_t index;
} hemc_sort_item;

// Ascending by key, then by index. Keys must not be NaN.
void hemc_sort_items(hemc_arena* arena, hemc_sort_item* items, size_t count);

// Symmetric 3x3 as xx xy xz yy yz zz. Values descending, vectors unit, right-handed. Cyclic Jacobi, fixed sweeps.
void hemc_eigen3(const double m[6], double values[3], hemc_d3 vectors[3]);

// Quaternion (x y z w, w >= 0) of the rotation whose columns are the three axes, which must be right-handed.
void hemc_quat_from_axes(hemc_d3 x, hemc_d3 y, hemc_d3 z, float q[4]);
hemc_d3 hemc_quat_axis(const float q[4], int axis); // column 0, 1, 2

// -- Triangles of a surface (triangles.c)

static inline hemc_d3 hemc_corner(const hemc_surface* surface, uint32_t triangle, int corner) {
    return d3_from(surface->positions[surface->triangles[3 * (size_t)triangle + (size_t)corner]]);
}
// Ranks 0, 1, 2 of three vertices by number, each its own also where two are one vertex.
void hemc_rank_corners(const uint32_t v[3], int rank[3]);
// The corners in the order of their vertices. A mirrored model comes with its triangles turned around: what is drawn or
// halved corner by corner takes them in this order, which no motion changes.
void hemc_sorted_corners(const hemc_surface* surface, uint32_t triangle, hemc_d3 corners[3]);
// Normal times area.
hemc_d3 hemc_triangle_area_normal(const hemc_surface* surface, uint32_t triangle);
// Which way a piece of surface faces, from the sum of normal times area over it; zero for a tube or two sides back to back,
// where the normals cancel and what is left is rounding and the ends.
hemc_d3 hemc_facing(hemc_d3 area_normal, double area);
double hemc_surface_area(const hemc_surface* surface);
bool hemc_surface_is_closed(const hemc_surface* surface); // but for a fiftieth of its edges
// Nearest point of a triangle to p; returns the squared distance. bary (may be NULL) are the corner weights.
double hemc_triangle_nearest(hemc_d3 a, hemc_d3 b, hemc_d3 c, hemc_d3 p, hemc_d3* nearest, double bary[3]);

// The surface as points of known area.
typedef struct hemc_sample {
    hemc_d3 normal;    // unit
    double area;       // m^2
    uint32_t triangle; // of the surface
} hemc_sample;

typedef struct hemc_samples {
    uint32_t count;
    hemc_vec3* positions;
    hemc_sample* info;
} hemc_samples;

// Halves triangles until no side is longer than `size`, and returns the centres. The total is capped.
void hemc_surface_samples(hemc_arena* arena, const hemc_surface* surface, double size, hemc_samples* samples);

// -- Points that do not change (trees.c)

typedef struct hemc_box {
    float min[3], max[3];
} hemc_box;

// Squared distance from p to the box, 0 inside; never more than what d3_dot gives for a point of the box.
static inline double hemc_box_square(const hemc_box* box, hemc_d3 p) {
    double x = p.x < box->min[0] ? box->min[0] - p.x : p.x > box->max[0] ? p.x - box->max[0] : 0.0;
    double y = p.y < box->min[1] ? box->min[1] - p.y : p.y > box->max[1] ? p.y - box->max[1] : 0.0;
    double z = p.z < box->min[2] ? box->min[2] - p.z : p.z > box->max[2] ? p.z - box->max[2] : 0.0;
    return x * x + y * y + z * z;
}

typedef struct hemc_kd {
    uint32_t count;
    uint32_t* order;   // the median of a range sits in its middle, the halves on either side
    hemc_vec3* points; // in that order
    uint8_t* split;    // axis, per place in the order
    hemc_box* boxes;   // of the range whose middle this place is
    uint64_t visit_count;
} hemc_kd;

typedef struct hemc_near {
    uint32_t index;
    float distance;
} hemc_near;

void hemc_kd_build(hemc_arena* arena, hemc_kd* kd, const hemc_vec3* points, uint32_t count);
// The nearest point with distance <= radius, or HEM_NONE. distance may be NULL.
int32_t hemc_kd_nearest(hemc_kd* kd, hemc_d3 p, double radius, double* distance);
// Up to `limit` nearest points within the radius, nearest first. Returns how many.
uint32_t hemc_kd_near(hemc_kd* kd, hemc_d3 p, double radius, uint32_t limit, hemc_near* near);

typedef struct hemc_index_list {
    uint32_t* items;
    size_t count, capacity;
} hemc_index_list;

// Every point with distance <= radius, replacing the list, in the tree's own (fixed) order.
void hemc_kd_radius(hemc_arena* arena, hemc_kd* kd, hemc_d3 p, double radius, hemc_index_list* list);

// -- Points that arrive one by one (grid.c)

typedef struct hemc_grid {
    hemc_arena* arena;
    double cell;
    hemc_d3* points;
    int32_t* next; // list of the bucket
    size_t count, point_capacity, next_capacity;
    int32_t* buckets;
    uint32_t bucket_mask;
    uint64_t visit_count;
} hemc_grid;

void hemc_grid_init(hemc_grid* grid, hemc_arena* arena, double cell, uint32_t expected_count);
uint32_t hemc_grid_add(hemc_grid* grid, hemc_d3 p); // returns its index
// Nearest point with distance < radius (radius <= cell), or HEM_NONE.
int32_t hemc_grid_nearest(hemc_grid* grid, hemc_d3 p, double radius);

// -- Triangles (trees.c)

typedef struct hemc_bvh_node {
    hemc_box box;
    uint32_t begin, count; // leaf: triangles order[begin .. begin + count); inner: count 0, children begin, begin + 1
} hemc_bvh_node;

typedef struct hemc_bvh {
    const hemc_vec3* positions;
    const uint32_t* triangles; // 3 per triangle
    uint32_t* order;
    uint32_t triangle_count, node_count;
    hemc_bvh_node* nodes;
    uint64_t visit_count;
} hemc_bvh;

// `subset` lists the triangles to hold, NULL = the first `count`.
void hemc_bvh_build(hemc_arena* arena, hemc_bvh* bvh, const hemc_vec3* positions, const uint32_t* triangles,
                    const uint32_t* subset, uint32_t count);
// Nearest point of the surface within the radius; returns the triangle or HEM_NONE. Outputs may be NULL.
int32_t hemc_bvh_nearest(hemc_bvh* bvh, hemc_d3 p, double radius, double* distance, hemc_d3* point, double bary[3]);
// How far along the unit direction the surface is met first; 1e30 = never.
double hemc_bvh_first_hit(hemc_bvh* bvh, hemc_d3 p, hemc_d3 direction);
// Majority of three ray parities. Right for closed surfaces, sensible for nearly closed ones.
bool hemc_bvh_inside(hemc_bvh* bvh, hemc_d3 p);

#endif
