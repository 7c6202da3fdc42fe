// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_SEEN_H
#define HEM_TOOLS_SEEN_H

// What the player sees, in numbers: measured on skinned triangles against the bind pose, not on particles.
//
//   layers    A triangle belongs to the part that moves it, or to the body. A vertex belongs to the part whose particles move
//             it most. Vertices that no particle moves are body, unless a quarter of the connected piece they are in is
//             moved by one part: pinned collars, waists and roots are part of their garment.
//   crossed   Two triangles of different layers cross when each reaches through the other's plane and their cuts overlap,
//             all by more than `tolerance`; touching, coplanar and sharing a corner is not crossing. At least one of them must
//             be moved by particles. Counted is what is added: a pair that crosses in the bind pose, or whose neighbours
//             (triangles with a common corner, on both sides) do, is the modeller's and left out. One part against itself is
//             not looked at.
//   wrong     A vertex near an added crossing, or connected to one through such vertices, that lies on another side of the
//   side      other layer than in the bind pose. Its depth is the distance to that layer's surface. Cloth with two walls is
//             asked at the wall that faced the vertex in the bind pose. Beyond a hem there is no side, and hair and flesh
//             have none: what they cut is asked, not they.
//   stretch   Length of an edge over its length in the bind pose. Edges shorter than `edge_min` are left out.
//   turned    Faces whose skinned normals point to their back, and did not in the bind pose.
//   drift     Distance of moved vertices from where the skeleton alone has them. Motion: how fast that changes.
//
// The pose alone, measured the same way, is the control. Knows formats and plain arrays only: no rendering, no globals.

#include "formats/hem_validate.h"

#include <stdbool.h>

enum { SEEN_BODY = 0, SEEN_LAYERS_MAX = HEM_MAX_PARTS + 1 };

#define SEEN_STRETCHED 1.5f // times its length: an edge that looks torn
#define SEEN_TORN 3.0f

// What a mesh is made from. Arrays are read during seen_create only.
typedef struct seen_source {
    uint32_t vertex_count, triangle_count;
    uint32_t layer_count;    // with the body, which is 0
    const float* positions;  // bind pose, three per vertex
    const float* normals;    // three per vertex
    const uint32_t* indices; // three per triangle
    const uint8_t* layers;   // per vertex: 0 body, 1 + part
    const float* moved;      // per vertex: share of particles in it, 0..1
    const bool* thin;        // per layer: cloth, whose walls are told apart
} seen_source;

typedef struct seen_edge {
    uint32_t a, b; // vertices
    float rest;
    uint8_t layer;
    uint32_t face; // one that has it
} seen_edge;

// Two faces that share an edge and were level there.
typedef struct seen_fold {
    uint32_t faces[2];
    float length;
    uint8_t layer;
} seen_fold;

// Of one layer in the frame measured last.
typedef struct seen_layer {
    uint32_t edge_count, moved_count; // of the mesh
    uint32_t stretched_count, torn_count;
    float stretch_max;
    float drift_rms, drift_max; // m
    float fold_length;          // m, of all folds of the mesh
    float folded_length;        // of those whose faces are bent by more than a right angle
} seen_layer;

// Marks of triangles in the frame measured last.
enum { SEEN_MARK_LAYERS = 1, SEEN_MARK_BODY = 2, SEEN_MARK_TURNED = 4 };

typedef struct seen_tree seen_tree;
typedef struct seen_rest_side seen_rest_side;

typedef struct seen_mesh {
    uint32_t vertex_count, triangle_count, layer_count, edge_count;
    float size;      // diagonal of the bind pose
    float tolerance; // 1e-5 of it
    float edge_min;  // 5e-4 of it
    uint32_t* triangles;
    float* rest;
    float* rest_normals;
    float* moved;
    uint32_t* weld; // per vertex: the first one at its place in the bind pose
    uint8_t* vertex_layers;
    uint8_t* triangle_layers;
    uint8_t* triangle_moved; // 1: a corner is moved by particles
    uint8_t* turned_at_rest;
    uint32_t moved_count, moved_triangle_count;
    seen_edge* edges; // each once, of moved triangles
    seen_fold* folds;
    uint32_t fold_count;
    uint32_t* fan_starts; // per welded vertex: triangles around it
    uint32_t* fan;
    bool has_sides[SEEN_LAYERS_MAX]; // the body and cloth
    int32_t* walls;                  // per triangle: -1 is a rim too small to have a side
    seen_tree* trees;                // per layer
    uint64_t* allowed; // pairs of welded vertices near a crossing of the bind pose: a set, open addressing
    uint32_t allowed_capacity, allowed_count;
    uint32_t rest_pair_count; // crossing in the bind pose
    seen_rest_side* sides;    // layer_count per vertex, found when first asked

    // Of the frame measured last.
    seen_layer* layers;
    uint8_t* marks;       // per triangle
    float* vertex_depths; // per welded vertex that is wrong
    uint8_t* wrong;       // per vertex
    uint8_t* stretched;   // per edge
    uint32_t* crossed;    // layer_count x layer_count: [a][b] triangles of a that b cuts
    float* depths;        // the same: how far vertices of a are on the wrong side of b
    struct seen_pair {
        uint32_t a, b;
    } * pairs; // triangles that cross, allowed ones left out
    uint32_t pair_count, pair_capacity;
    float* boxes;     // per triangle: least and largest corner
    uint32_t* stamps; // per vertex: scratch of floods
    uint32_t* triangle_stamps;
    uint32_t* queue;
    uint32_t stamp;
    float* last_drift; // three per vertex, of the frame before: from the pose, and the pose itself
    float* last_pose;
    bool failed; // no memory for the pairs of a frame: its counts are too low
} seen_mesh;

typedef struct seen_frame {
    float seconds;
    uint32_t layers_crossed;        // triangles of parts that another part cuts
    uint32_t body_crossed;          // triangles of parts that the body cuts, and of the body that parts cut
    float layers_area, body_area;   // m2 on the wrong side
    float layers_depth, body_depth; // m, deepest vertex on the wrong side
    uint32_t stretched_count;       // edges over SEEN_STRETCHED
    uint32_t torn_count;            // over SEEN_TORN
    float stretched_share;          // 0..1 of the edges
    float stretch_max;              // longest edge over its rest
    uint32_t turned_count;
    float turned_share;         // 0..1 of the moved faces
    float drift_rms, drift_max; // m
    float motion_rms;           // m/s, of moved vertices against the pose; 0 in the first frame
    float pose_rms;             // m/s, of the pose itself
} seen_frame;

// False if there is no memory, or an index is out of range.
bool seen_create(seen_mesh* m, const seen_source* source);
// From the preview triangles of an asset; also false if it has none.
bool seen_create_view(seen_mesh* m, const hem_view* view);
// left_out: per preview triangle, 1 = as if it were not there; NULL: none.
bool seen_create_some(seen_mesh* m, const hem_view* view, const uint8_t* left_out);
void seen_destroy(seen_mesh* m);

// positions, normals: this frame. pose: the skeleton alone, this frame; NULL leaves drift and motion at 0. For the control
// give the pose as positions. seconds since the frame before; 0 starts anew.
void seen_measure(seen_mesh* m, const float* positions, const float* normals, const float* pose, float frame_seconds,
                  seen_frame* frame);

// The same without sides and turned faces, which take most of the time: crossed, stretch, drift.
void seen_count(seen_mesh* m, const float* positions, const float* pose, seen_frame* frame);

// Mean and worst of a clip's frames.
typedef struct seen_value {
    float mean, worst;
    int32_t worst_frame;
} seen_value;

typedef struct seen_summary {
    int32_t frame_count;
    seen_value layers_crossed, body_crossed;
    seen_value layers_area, body_area, layers_depth, body_depth;
    seen_value stretched_share, stretch, torn, turned_share;
    seen_value drift_rms, drift_max;
    float jitter;         // m per frame, rms over the last quarter; -1 while the pose moves
    float settle_seconds; // from the last motion of the pose until all stays below SEEN_SETTLED; -1 if never
} seen_summary;

#define SEEN_SETTLED 0.01f // m/s rms against the pose

seen_summary seen_summarise(const seen_frame* frames, int32_t count);

// -- For tests and for other measures

// Whether triangles cross by more than the tolerance (metres).
bool seen_triangles_cross(const float a[3][3], const float b[3][3], float tolerance);

#endif
