// SPDX-License-Identifier: MIT
#ifndef HEMC_GENERATE_H
#define HEMC_GENERATE_H

// Shared by the generators and their dispatcher (generate.c).

#include "compiler/surface/spatial.h"

// A surface along an axis, whatever the spacing (levels.c): made once for all trials of one.
typedef struct hemc_survey {
    hemc_d3 axis;
    double* height;      // per welded vertex, along the axis
    hemc_d3* normal;     // per triangle, unit
    double (*range)[2];  // per triangle: lowest and highest corner
    double low, extent;  // of all
    uint32_t bin_count;  // slices of equal height
    uint32_t* bin_start; // [bin_count + 1]: triangles that reach into each, ascending
    uint32_t* bin_triangles;
} hemc_survey;

void hemc_survey_make(hemc_arena* arena, const hemc_surface* surface, hemc_d3 axis, hemc_survey* survey);

// What a generator is asked for. Lengths in metres.
typedef struct hemc_gen {
    hemc_arena* arena;
    const hemc_model* model; // the whole character, for strands to find their roots; may be NULL
    const hemc_part_recipe* part;
    const hemc_surface* surface;
    const hemc_bvh* bvh;       // of the surface, for cut; NULL = it makes its own
    const hemc_survey* survey; // likewise
    double spacing;
    double level_scale;       // cut: distance between levels / spacing along a level
    uint32_t column_multiple; // cut: ring counts are rounded to this where the spacing allows; 1 = not at all
    uint32_t point_target;    // scatter: exact count, 0 = by spacing
    uint64_t work;            // out: elementary steps, to see how the work grows
} hemc_gen;

// -- Particles

uint32_t hemc_particles_add(hemc_arena* arena, hemc_particles* particles, hemc_d3 position, hemc_d3 normal,
                            int32_t level, int32_t column);
hemc_d3 hemc_particles_middle(const hemc_particles* particles); // mean position
// Nothing happens when a == b. Doubles are dropped by hemc_particles_finish.
void hemc_particles_link(hemc_arena* arena, hemc_particles* particles, uint32_t a, uint32_t b, hem_link_kind kind);
// Room for `count` particles in every array.
void hemc_particles_reserve(hemc_arena* arena, hemc_particles* particles, uint32_t count);
// Sorts links by (a, b), a < b, and keeps the first of equal pairs; drops particles without any link unless all are so.
void hemc_particles_finish(hemc_arena* arena, hemc_particles* particles);

// -- Cross sections (section.c, contour.c)

// Where the cutting plane meets the surface: a polyline with no gap longer than spacing / 8, open or closed, one layer.
// `station` measures along it after ripples shorter than the spacing are smoothed away, so that pleats do not crowd
// particles; it is what "evenly along the contour" means.
typedef struct hemc_contour {
    uint32_t level;
    bool closed;
    bool cut_begin, cut_end; // open: this end was made by dropping a second layer, not by the surface's border
    uint32_t count;
    hemc_d3* points;
    hemc_d3* normals;
    double* station; // [count + 1]; the last is the length of a closed contour
    double length;
    uint32_t seed; // order among equals: lowest triangle
} hemc_contour;

typedef struct hemc_contours {
    hemc_contour* items;
    size_t count, capacity;
} hemc_contours;

typedef struct hemc_slicer {
    hemc_gen* gen;
    hemc_survey survey;
    uint32_t* stamp; // per triangle: last level that walked it, plus one
} hemc_slicer;

void hemc_slicer_init(hemc_slicer* slicer, hemc_gen* gen);
// Appends the contours of the plane `height` to the list, longest first; `triangles` are those that meet it.
void hemc_slice(hemc_slicer* slicer, uint32_t level, double height, const uint32_t* triangles, size_t triangle_count,
                hemc_contours* contours);

// -- Points evenly spread by chance (scatter.c)

// Keeps `target` of the candidates, eliminating one by one the one with the most crowded neighbourhood. `reach` is the
// distance at which two points cease to crowd each other. keep[i] becomes 1 or 0.
void hemc_eliminate(hemc_arena* arena, const hemc_vec3* candidates, uint32_t count, uint32_t target, double reach,
                    uint8_t* keep, uint64_t* work);
// Random points on the surface, evenly over its area: position and triangle of each. Triangle by triangle, so that a
// moved or mirrored surface gives the same points, moved.
void hemc_random_on_surface(hemc_arena* arena, const hemc_surface* surface, uint32_t count, hemc_vec3* positions,
                            uint32_t* triangles);

// -- Chains of bones (bones.c)

// From the head of the first bone to the tip of what follows the last.
typedef struct hemc_bone_line {
    hemc_d3* points;
    uint32_t count; // 2 to 91
    hemc_d3 normal; // mean of the surface that follows it
    double weight;
} hemc_bone_line;

// One for each chain that the part's recipe names and that moves some of its surface.
size_t hemc_find_bone_lines(hemc_gen* gen, hemc_bone_line** lines);

// -- Limbs (limbs.c)

typedef struct hemc_limb {
    uint32_t bone; // its first
    hemc_d3 joint, direction;
} hemc_limb;

typedef struct hemc_limbs {
    hemc_limb* items;
    uint32_t count;
    int32_t* of_bone; // HEM_NONE = trunk
} hemc_limbs;

void hemc_find_limbs(hemc_arena* arena, const hemc_model* model, const int32_t* owner, hemc_limbs* limbs);
// Skinning matrices of all bones with the limbs pointing to one of the sides, rows of 3 x 4.
enum { HEMC_TEST_POSES = 10 };
void hemc_test_pose(const hemc_model* model, const hemc_limbs* limbs, uint32_t number, float (*frame)[12]);

// -- Generators: each appends to empty particles

// Warp when the link runs more along the axis than across it.
hem_link_kind hemc_link_direction(hemc_d3 a, hemc_d3 b, hemc_d3 axis);

hemc_d3 hemc_cut_axis(const hemc_part_recipe* part, const hemc_surface* surface);
void hemc_gen_cut(hemc_gen* gen, hemc_particles* particles);
void hemc_gen_scatter(hemc_gen* gen, hemc_particles* particles);
void hemc_gen_strands(hemc_gen* gen, hemc_particles* particles);
void hemc_gen_vertices(hemc_gen* gen, hemc_particles* particles);
void hemc_gen_lattice(hemc_gen* gen, hemc_particles* particles);
// Whether they have a point in common.
bool hemc_triangle_meets_box(const hemc_d3 corners[3], hemc_d3 middle, const double half[3]);

#endif
