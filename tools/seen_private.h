// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_SEEN_PRIVATE_H
#define HEM_TOOLS_SEEN_PRIVATE_H

// What the files of the measure share: seen_mesh.c builds, seen_tree.c searches, seen_cross.c finds crossings, seen_side.c
// what they put on the wrong side, seen.c the rest.

#include "tools/seen.h"
#include "tools/vec3.h"

typedef struct seen_node {
    float low[3], high[3];
    uint32_t first; // of the two children, or into the triangles
    uint32_t count; // triangles of a leaf; 0: has children, which stand behind it
    bool moved;     // particles move some triangle in it
} seen_node;

// Boxes over the triangles of one layer. The shape of the tree is that of the bind pose, boxes are of the moment.
struct seen_tree {
    seen_node* nodes;
    uint32_t* triangles;
    uint32_t node_count, triangle_count;
};

enum { SEEN_NO_SIDE = 2 };
struct seen_rest_side {
    int32_t wall; // of the other layer, as it was nearest in the bind pose
    int8_t sign;  // 1, -1, SEEN_NO_SIDE; 0: not asked yet
};

typedef struct seen_hit {
    uint32_t triangle;
    float distance;
    vec3 point;
    float weights[3]; // of the triangle's corners
} seen_hit;

bool seeni_tree_build(seen_tree* tree, const seen_mesh* m, uint32_t layer);
void seeni_tree_destroy(seen_tree* tree);
// From m->boxes.
void seeni_tree_refit(seen_tree* tree, const seen_mesh* m);
// wall: of those triangles only; SEEN_ANY_WALL: of all but rims. False if there is none within `reach`.
enum { SEEN_ANY_WALL = -2 };
bool seeni_tree_nearest(const seen_tree* tree, const seen_mesh* m, const float* positions, vec3 point, int32_t wall,
                        float reach, seen_hit* hit);

// Calls back for every two triangles whose boxes overlap and of which particles move one.
typedef void (*seeni_pair_visit)(void* user, uint32_t a, uint32_t b);
void seeni_tree_pairs(const seen_tree* a, const seen_tree* b, const seen_mesh* m, seeni_pair_visit visit, void* user);

// Fills m->pairs. With `rest` all that cross, else those that the bind pose does not allow.
void seeni_find_crossings(seen_mesh* m, const float* positions, bool rest);
bool seeni_allow(seen_mesh* m, uint32_t triangle_a, uint32_t triangle_b);

bool seeni_make_folds(seen_mesh* m, const seen_edge* edges, uint32_t count);
void seeni_measure_folds(seen_mesh* m, const float* positions);

void seeni_measure_sides(seen_mesh* m, const float* positions, seen_frame* frame);

static inline vec3 seeni_corner(const seen_mesh* m, const float* positions, uint32_t triangle, int32_t k) {
    return v3_load(positions + 3 * (size_t)m->triangles[3 * (size_t)triangle + (size_t)k]);
}

// Twice the area long.
static inline vec3 seeni_face_normal(const seen_mesh* m, const float* positions, uint32_t triangle) {
    vec3 a = seeni_corner(m, positions, triangle, 0);
    return v3_cross(v3_sub(seeni_corner(m, positions, triangle, 1), a),
                    v3_sub(seeni_corner(m, positions, triangle, 2), a));
}

#endif
