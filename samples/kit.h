// SPDX-License-Identifier: MIT
#ifndef HEM_SAMPLES_KIT_H
#define HEM_SAMPLES_KIT_H

// The kit from which every sample character is built. A sample is one function that fills a kit_model:
//
//   bones      kit_bone() in parent-before-child order, placed by their world position in the bind pose. While a
//              character is authored every bone's frame is parallel to the world's, so that "turn about x" means what
//              it says.
//   materials  kit_material()
//   meshes     kit_mesh_add(), then surfaces are appended: shapes (blended implicit surfaces), tubes, sheets, balls.
//              Every append returns the first vertex it made, so that a part can be bound, painted and unwrapped by
//              itself.
//   clips      kit_clip_add(), then one pose per frame at 30 Hz, written by code through curves and two-bone inverse
//              kinematics.
//
// All arithmetic is double with sqrt as the only library function; results are rounded once when glb.c writes them,
// so that every compiler and machine gives the same file. Memory is never handed back piecemeal: kit_model_free()
// drops a whole model. Running out of memory, and misuse, end the program with a message (this is a build tool, not a
// runtime).

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KIT_NONE (-1)
#define KIT_PI 3.14159265358979323846
#define KIT_FRAMES_PER_SECOND 30

// -- Mathematics (kit.c)

typedef struct kit_vec {
    double x, y, z;
} kit_vec;

typedef struct kit_quat {
    double x, y, z, w;
} kit_quat;

// Rotation, then translation, with a scale inside the columns.
typedef struct kit_frame {
    kit_vec x, y, z; // images of the axes
    kit_vec origin;
} kit_frame;

// The small ones are inline: a body is some hundred million distances.

static inline double kit_clamp(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

static inline double kit_mix(double a, double b, double t) {
    return a + (b - a) * t;
}

static inline kit_vec kit_v(double x, double y, double z) {
    return (kit_vec){x, y, z};
}

static inline kit_vec kit_add(kit_vec a, kit_vec b) {
    return (kit_vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline kit_vec kit_sub(kit_vec a, kit_vec b) {
    return (kit_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline kit_vec kit_mul(kit_vec a, double s) {
    return (kit_vec){a.x * s, a.y * s, a.z * s};
}

// a + b * s
static inline kit_vec kit_mad(kit_vec a, kit_vec b, double s) {
    return (kit_vec){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

static inline kit_vec kit_lerp(kit_vec a, kit_vec b, double t) {
    return (kit_vec){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t};
}

static inline double kit_dot(kit_vec a, kit_vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline kit_vec kit_cross(kit_vec a, kit_vec b) {
    return (kit_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double kit_length(kit_vec a) {
    return sqrt(kit_dot(a, a));
}

static inline double kit_distance(kit_vec a, kit_vec b) {
    return kit_length(kit_sub(a, b));
}

// x negated
static inline kit_vec kit_mirror(kit_vec a) {
    return (kit_vec){-a.x, a.y, a.z};
}

static inline kit_vec kit_rotate(kit_quat q, kit_vec v) {
    kit_vec u = {q.x, q.y, q.z};
    kit_vec t = kit_mul(kit_cross(u, v), 2.0);
    return kit_add(kit_mad(v, t, q.w), kit_cross(u, t));
}

double kit_sin(double radians);
double kit_cos(double radians);
double kit_atan2(double y, double x);
double kit_acos(double x);
double kit_exp(double x);
// 0 below low, 1 above high, cubic in between; low > high runs the other way.
double kit_smooth(double low, double high, double x);
// 1 at the centre, 0 at +-width and beyond, smooth.
double kit_bump(double centre, double width, double x);
// [0,1), a hash: no state.
double kit_random(uint32_t seed, uint32_t index);
// [-1,1], smooth value noise with unit cells.
double kit_noise(kit_vec p, uint32_t seed);
// About [-1,1]: several noises turned against each other, so that no grid shows.
double kit_blotches(kit_vec p, uint32_t seed);

kit_vec kit_unit(kit_vec a); // of the zero vector: +x

kit_quat kit_identity(void);
kit_quat kit_turn(kit_vec axis, double radians); // axis need not be a unit vector
// Turns about z first, then x, then y (world axes).
kit_quat kit_euler(double x_degrees, double y_degrees, double z_degrees);
kit_quat kit_between(kit_vec from, kit_vec to); // shortest rotation
kit_quat kit_qmul(kit_quat a, kit_quat b);      // b first, then a
kit_quat kit_qinv(kit_quat q);
kit_quat kit_qunit(kit_quat q);
kit_quat kit_slerp(kit_quat a, kit_quat b, double t); // normalised linear blend, shorter way
kit_quat kit_qmirror(kit_quat q);                     // the same turn seen in the mirror x -> -x
kit_quat kit_quat_of_frame(kit_frame f);              // axes must be orthonormal
kit_frame kit_frame_of(kit_quat q, kit_vec origin);
kit_frame kit_frame_mul(kit_frame a, kit_frame b); // b first
kit_frame kit_frame_inverse(kit_frame f);          // general 3x3
kit_vec kit_point(kit_frame f, kit_vec p);
kit_vec kit_direction(kit_frame f, kit_vec d);

// -- Model (kit.c)

typedef struct kit_vertex {
    kit_vec position;
    kit_vec normal;
    double u, v;
    double color[4];              // linear; multiplies the material's colour
    double blend, pin, stiffness; // painted attributes, [0,1]
    int32_t joints[4];            // bone indices
    double weights[4];            // any scale; the writer normalises
    int32_t label;                // which blob or part made it; free for the author's use, not written
} kit_vertex;

typedef struct kit_triangle {
    int32_t v[3];
    int32_t material;
    int32_t label; // chart or part; not written
} kit_triangle;

typedef struct kit_morph {
    const char* name;
    kit_vec* position_deltas; // one per vertex of the mesh
    kit_vec* normal_deltas;
} kit_morph;

// Which optional attributes a mesh carries. Position, normal, joints and weights are always written.
enum {
    KIT_UV = 1,
    KIT_COLOR = 2,
    KIT_BLEND = 4,
    KIT_PIN = 8,
    KIT_STIFFNESS = 16,
    KIT_WIDE_JOINTS = 32, // 16-bit joint indices even when 8 would do
};

typedef struct kit_mesh {
    const char* name;
    const char* extras;      // JSON text for the mesh, or null
    const char* node_extras; // JSON text for the node that carries the mesh, or null
    uint32_t attributes;
    kit_vertex* vertices;
    int32_t vertex_count, vertex_capacity;
    kit_triangle* triangles;
    int32_t triangle_count, triangle_capacity;
    kit_morph* morphs;
    int32_t morph_count;
} kit_mesh;

typedef struct kit_bone_info {
    const char* name;
    const char* extras; // JSON text for the node, or null
    int32_t parent;
    kit_vec head;         // world position in the bind pose
    kit_vec tail;         // where the flesh it moves ends; only binding and bone orientation use it
    kit_quat orientation; // of the written bone, in the world; authored poses ignore it
} kit_bone_info;

typedef struct kit_material_info {
    const char* name;
    const char* extras; // JSON text, or null
    double color[4];
    double roughness, metallic;
    bool double_sided;
} kit_material_info;

// A bone's place relative to its parent, in world-parallel frames. Position is the offset from the parent's head.
// Scale acts along the axes of the written bone: leave bones that are scaled unevenly unoriented.
typedef struct kit_joint {
    kit_vec position;
    kit_quat rotation;
    kit_vec scale;
} kit_joint;

typedef struct kit_clip {
    const char* name;
    int32_t frame_count; // loops: the last frame repeats the first
    int32_t bone_count;
    bool loops;
    kit_joint* joints;    // [frame][bone]
    int32_t weights_mesh; // mesh whose morph weights are animated, or KIT_NONE
    double* weights;      // [frame][morph of that mesh]
} kit_clip;

typedef struct kit_model {
    const char* name;
    const char* extras; // JSON text for the scene, or null
    kit_bone_info* bones;
    int32_t bone_count;
    kit_material_info* materials;
    int32_t material_count;
    kit_mesh** meshes;
    int32_t mesh_count;
    kit_clip** clips;
    int32_t clip_count;
    void** blocks; // every allocation of the model
    int32_t block_count, block_capacity;
} kit_model;

kit_model* kit_model_new(const char* name);
void kit_model_free(kit_model* model);
void* kit_alloc(kit_model* model, size_t count, size_t size); // zeroed, lives as long as the model
void kit_die(const char* message, const char* detail);        // prints and ends the program

// Bones go parent first. The tail defaults to the head; set it with kit_bone_to() or by writing bones[i].tail.
int32_t kit_bone(kit_model* model, const char* name, int32_t parent, kit_vec head);
int32_t kit_bone_to(kit_model* model, const char* name, int32_t parent, kit_vec head, kit_vec tail);
int32_t kit_bone_find(const kit_model* model, const char* name); // dies when absent
// Gives written bones a y axis along head -> tail, as modelling tools export them. Poses stay world-parallel for the
// author.
void kit_bones_orient(kit_model* model);
int32_t kit_material(kit_model* model, const char* name, double r, double g, double b, double roughness);
kit_mesh* kit_mesh_add(kit_model* model, const char* name, uint32_t attributes);

int32_t kit_vertex_add(kit_model* model, kit_mesh* mesh, kit_vec position, kit_vec normal, double u, double v);
void kit_triangle_add(kit_model* model, kit_mesh* mesh, int32_t a, int32_t b, int32_t c, int32_t material);

// -- Whole-mesh helpers (kit_mesh.c). A range is [first, first + count) of vertices; count < 0 means to the end.

// representative[i] is the first vertex at the same place as i.
void kit_mesh_weld(kit_model* model, const kit_mesh* mesh, int32_t* representative);
// Area-weighted normals; vertices at the same place share theirs when weld is set (UV seams stay invisible).
void kit_mesh_normals(kit_model* model, kit_mesh* mesh, int32_t first, int32_t count, bool weld);
void kit_mesh_paint(kit_mesh* mesh, int32_t first, int32_t count, double r, double g, double b);
void kit_mesh_rigid(kit_mesh* mesh, int32_t first, int32_t count, int32_t bone);
void kit_mesh_transform(kit_mesh* mesh, int32_t first, int32_t count, kit_frame frame);
// Copies all triangles and vertices of the range mirrored at x = 0. Joints go through bone_map (indexed by bone, may
// be null).
int32_t kit_mesh_mirror(kit_model* model, kit_mesh* mesh, int32_t first, int32_t count, const int32_t* bone_map);

// Cylindrical unwrap of the triangles that have this label: u runs round the axis with the seam at -front (so it is
// out of sight), v along it; the chart fills the rectangle. Vertices on the seam and on borders between labels are
// duplicated.
typedef struct kit_chart {
    int32_t label;
    kit_vec origin, axis, front;
    double u0, v0, u1, v1;
} kit_chart;
void kit_mesh_unwrap(kit_model* model, kit_mesh* mesh, const kit_chart* charts, int32_t chart_count);

// -- Shapes: implicit bodies (kit_shape.c)

// A blob is an ellipsoid (a == b) or a round cone from a to b with radii ra, rb; `scale` stretches it across its own
// frame (x, z across, y along a -> b; for ellipsoids all three), `rotation` turns that frame. It melts into what came
// before over the distance `melt`; `carve` takes it away instead. `label` says whose skin the surface nearest to it
// is.
typedef struct kit_blob {
    kit_vec a, b;
    double ra, rb;
    kit_vec scale;
    kit_quat rotation;
    double melt;
    bool carve;
    int32_t label;
    kit_vec bound_centre; // a ball around the blob; filled by the kit while it meshes
    double bound_radius;
} kit_blob;

typedef struct kit_shape {
    kit_blob* blobs;
    int32_t blob_count, blob_capacity;
    // Added to the distance when set: wrinkles, muscles, scales. Keep it small and smooth.
    double (*displace)(kit_vec p, const void* context);
    const void* context;
    // Relative cell size at a coordinate of an axis (0 x, 1 y, 2 z) when set: 1 is `cell`, 2 twice as coarse. Smooth,
    // please.
    double (*grade)(int32_t axis, double at);
} kit_shape;

kit_blob* kit_ball(kit_model* model, kit_shape* shape, int32_t label, kit_vec centre, kit_vec radii, double melt);
kit_blob* kit_cone(kit_model* model, kit_shape* shape, int32_t label, kit_vec a, kit_vec b, double ra, double rb,
                   double melt);
// Adds mirrored copies (x -> -x) of the blobs from `first` on, labels shifted by label_shift.
void kit_shape_mirror(kit_model* model, kit_shape* shape, int32_t first, int32_t label_shift);
double kit_shape_distance(const kit_shape* shape, kit_vec p, int32_t* label);
kit_vec kit_shape_normal(const kit_shape* shape, kit_vec p);
// Moves p onto the surface along the gradient.
kit_vec kit_shape_project(const kit_shape* shape, kit_vec p);
// Meshes the surface with quads of about `cell` metres, relaxed and projected onto it. Returns the first vertex.
int32_t kit_shape_mesh(kit_model* model, kit_mesh* mesh, const kit_shape* shape, double cell, int32_t material);

// -- Parametric surfaces (kit_surface.c)

// A closed tube along `count` rings. Each ring has a centre, two radii and a superellipse exponent (2: round, 4:
// nearly square, 1: diamond). Frames are carried without twist from `up`; `twist` adds radians. UV: u round with a
// seam, v by arc length.
typedef struct kit_ring {
    kit_vec centre;
    double rx, ry;
    double exponent;
    double twist;
} kit_ring;

enum {
    KIT_CAP_START = 1,
    KIT_CAP_END = 2,
    KIT_CAP_ROUND = 4, // caps are domes rather than discs
};

int32_t kit_tube(kit_model* model, kit_mesh* mesh, const kit_ring* rings, int32_t count, int32_t sides, kit_vec up,
                 uint32_t caps, int32_t material);
// A sheet: (columns+1) x (rows+1) vertices at point(u,v), u and v in [0,1]; the front side is the one where u x v
// points at you. closed_u makes u = 0 and u = 1 the same place (the vertices are doubled: a UV seam).
typedef kit_vec kit_surface_point(double u, double v, const void* context);
int32_t kit_sheet(kit_model* model, kit_mesh* mesh, int32_t columns, int32_t rows, bool closed_u,
                  kit_surface_point* point, const void* context, int32_t material);
// Latitude-longitude ball.
int32_t kit_sphere(kit_model* model, kit_mesh* mesh, kit_vec centre, kit_vec radii, kit_quat rotation, int32_t sides,
                   int32_t rings, int32_t material);
// An eyeball with its pole toward `look`: pupil and iris are rings of the same ball, so that their edges are clean
// circles.
int32_t kit_eye(kit_model* model, kit_mesh* mesh, kit_vec centre, double radius, kit_vec look, double pupil_radians,
                double iris_radians, int32_t sides, int32_t white, int32_t iris, int32_t pupil);
int32_t kit_box(kit_model* model, kit_mesh* mesh, kit_vec centre, kit_vec half, double bevel, int32_t material);
// Cubic through the points (Catmull-Rom, centripetal enough for evenly spaced points); t in [0,1] over the whole.
kit_vec kit_curve_point(const kit_vec* points, int32_t count, double t);

// -- Binding (kit_skin.c)

// One bone's pull on the skin: weight (radius / distance to its segment)^6, only on vertices whose label is in
// the mask.
typedef struct kit_bind {
    int32_t bone;
    double radius;
    uint64_t label_mask; // bit per label; 0 means all
} kit_bind;
// Weights from distance, then `smooth` rounds of diffusion over the welded surface, then the four largest.
void kit_mesh_bind(kit_model* model, kit_mesh* mesh, int32_t first, int32_t count, const kit_bind* binds,
                   int32_t bind_count, int32_t smooth);
// Copies weights from the nearest point on the vertices of another (already bound) mesh: clothes follow the skin
// below them.
void kit_mesh_bind_like(kit_mesh* mesh, int32_t first, int32_t count, const kit_mesh* source);

// -- Clips (kit_clip.c)

kit_clip* kit_clip_add(kit_model* model, const char* name, double seconds, bool loops);
kit_joint* kit_clip_pose(kit_clip* clip, int32_t frame);    // bone_count joints, the bind pose to begin with
double kit_clip_phase(const kit_clip* clip, int32_t frame); // [0,1] over the clip
double kit_clip_seconds(const kit_clip* clip, int32_t frame);
void kit_clip_finish(kit_clip* clip); // makes the last frame of a loop the first, exactly
double* kit_clip_weights(kit_model* model, kit_clip* clip, int32_t mesh, int32_t frame);
kit_morph* kit_morph_add(kit_model* model, kit_mesh* mesh, const char* name); // after the mesh is complete

void kit_pose_rest(const kit_model* model, kit_joint* pose);
// Where the bones are: in the bind pose, unturned frames at their heads.
void kit_pose_world(const kit_model* model, const kit_joint* pose, kit_frame* frames);
// Bends upper and lower so that the head of `end` reaches the target (world); the middle joint moves toward `pole`
// (world direction). Keeps `end`'s world rotation as given. Out of reach: stretches toward it softly.
void kit_pose_reach(const kit_model* model, kit_joint* pose, int32_t upper, int32_t lower, int32_t end, kit_vec target,
                    kit_vec pole, kit_quat end_rotation);
// Skinned position of a vertex in a pose (world frames from kit_pose_world).
kit_vec kit_pose_vertex(const kit_model* model, const kit_frame* frames, const kit_vertex* vertex);

typedef struct kit_key {
    double time, value;
} kit_key;
// Smooth curve through keys (cubic Hermite, flat at extremes: no overshoot). Periodic: period > 0, first key's time
// >= 0, last < period.
double kit_keys(const kit_key* keys, int32_t count, double period, double time);

#endif
