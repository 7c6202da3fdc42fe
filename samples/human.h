// SPDX-License-Identifier: MIT
#ifndef HEM_SAMPLES_HUMAN_H
#define HEM_SAMPLES_HUMAN_H

// The person inside the clothes: one skeleton, one body and one way of moving, shared by every human sample.
//
// The body is an implicit shape (kit_shape) that is never meshed blindly. A cage of quads with an artist's edge flow (rings round
// torso, arms and legs, a loop at each armhole, a crotch line) is dropped onto it, so that the skin has even quads where limbs
// bend and no seams at shoulders and hips. Clothes that lie close are made from the same cage, moved outward, and so inherit
// both its flow and its weights. Sizes are written for a woman of 1.68 m and scaled by the figure.

#include "samples/kit.h"

// -- Skeleton. The values are the model's bone indices.

enum {
    HUMAN_ROOT,
    HUMAN_HIPS,
    HUMAN_SPINE,
    HUMAN_CHEST,
    HUMAN_NECK,
    HUMAN_HEAD,
    HUMAN_LEFT, // first bone of the left side; the right side repeats the ten
    HUMAN_CLAVICLE = HUMAN_LEFT,
    HUMAN_UPPER_ARM,
    HUMAN_FOREARM,
    HUMAN_HAND,
    HUMAN_FINGERS,
    HUMAN_THUMB,
    HUMAN_THIGH,
    HUMAN_SHIN,
    HUMAN_FOOT,
    HUMAN_TOES,
    HUMAN_SIDE_BONES = 10,
    HUMAN_BONE_COUNT = HUMAN_LEFT + 2 * HUMAN_SIDE_BONES,
};

// Side 0 is the left (+x), side 1 the right.
static inline int32_t human_bone(int32_t left_bone, int32_t side) {
    return left_bone + side * HUMAN_SIDE_BONES;
}

typedef struct human_figure {
    double height;   // metres
    double shoulder; // 1: as drawn; multiplies the width between the shoulder joints
    double hip;      // width of the pelvis
    double waist;    // girth at the waist
    double chest;    // depth of the rib cage
    double bust;     // 0 for a flat chest
    double limb;     // thickness of arms and legs
    double neck;     // thickness of the neck
    double jaw;      // width of the jaw
} human_figure;

human_figure human_woman(void);
human_figure human_man(void);

// -- The cage

enum {
    HUMAN_COLUMNS = 24, // round the torso; column 0 is the front, 6 the left side
    HUMAN_TORSO_ROWS = 16,
    HUMAN_HEAD_ROWS = 18, // the last is the crown, one point
    HUMAN_ROWS = HUMAN_TORSO_ROWS + HUMAN_HEAD_ROWS,
    HUMAN_ARM_COLUMNS = 12,
    HUMAN_ARM_ROWS = 18, // row 0 is the armhole, 13 the wrist, the rest the palm
    HUMAN_LEG_COLUMNS = 16,
    HUMAN_LEG_ROWS = 24, // row 0 is the groin, 14 the ankle, the rest the foot
    HUMAN_CROTCH = 3,
    HUMAN_WRIST_ROW = 13,
    HUMAN_ANKLE_ROW = 15,
    HUMAN_WAIST_ROW = 5,
    HUMAN_NECK_ROW = 15,
};

// Regions of the cage, also the labels of its triangles.
enum {
    HUMAN_REGION_TORSO,
    HUMAN_REGION_HEAD,
    HUMAN_REGION_ARM, // + side
    HUMAN_REGION_LEG = HUMAN_REGION_ARM + 2,
    HUMAN_REGION_FINGERS = HUMAN_REGION_LEG + 2, // + side
    HUMAN_REGION_COUNT = HUMAN_REGION_FINGERS + 2,
};

static inline bool human_is_arm(int32_t region) {
    return region == HUMAN_REGION_ARM || region == HUMAN_REGION_ARM + 1;
}

static inline bool human_is_leg(int32_t region) {
    return region == HUMAN_REGION_LEG || region == HUMAN_REGION_LEG + 1;
}

typedef struct human_face {
    int32_t v[4];   // v[3] is KIT_NONE in triangles
    int32_t region; // HUMAN_REGION_*
    int32_t row;    // of the region
    int32_t column;
} human_face;

typedef struct human {
    kit_model* model;
    human_figure figure;
    double scale;    // height / 1.68
    double arms_out; // degrees that relaxed arms hang out: clothes need room
    kit_vec joints[HUMAN_BONE_COUNT];
    kit_shape body;   // everything
    kit_shape left;   // without the right limbs, so that rays in the left leg never meet the other
    kit_shape trunk;  // torso, neck and head alone
    kit_vec* points;  // the cage
    kit_vec* normals; // of the shape there
    double* weights;  // [point][bone]
    int32_t point_count;
    human_face* faces;
    int32_t face_count;
} human;

// Makes the skeleton (the model must have no bones yet), the shape, the cage and its weights.
human* human_new(kit_model* model, human_figure figure);

// Where a ray from inside leaves the shape, no farther than `reach`.
kit_vec human_cast(const kit_shape* shape, kit_vec origin, kit_vec direction, double reach);
// A point given for the 1.68 m woman, in this figure's size.
kit_vec human_place(const human* h, double x, double y, double z);
int32_t human_torso_point(int32_t row, int32_t column);
int32_t human_arm_point(int32_t side, int32_t row, int32_t column);
int32_t human_leg_point(int32_t side, int32_t row, int32_t column);

// Which faces become a surface, and how far out it lies (metres along the shape's normal).
typedef bool human_choose(const human* h, const human_face* face, const void* context);
typedef kit_vec human_move(const human* h, int32_t point, const void* context);
// Appends the chosen faces, moved (null: as they are), bound to the skeleton. Returns the first vertex.
int32_t human_emit(human* h, kit_mesh* mesh, int32_t material, human_choose* choose, human_move* move,
                   const void* context);

// Appends the part of the head where `field` (degrees, by direction from the middle of the head: azimuth 0 in front to 180 behind, the
// same on both sides, and latitude) is positive, cut cleanly at zero, and rising from just under the skin there to `lift` above it.
typedef double human_field(double azimuth, double latitude);
double human_field_at(const human* h, human_field* field, int32_t point);
int32_t human_emit_hair(human* h, kit_mesh* mesh, int32_t material, human_field* field, double lift);

// Fingers, eyes, ears, brows and lips, which are meshes of their own.
void human_emit_hands(human* h, kit_mesh* mesh, int32_t material);
typedef struct human_face_colors {
    int32_t skin, eye_white, iris, brow, lips;
} human_face_colors;
void human_emit_face(human* h, kit_mesh* mesh, human_face_colors colors, bool ears);

// Weights for clothes: a smooth average over the nearest points of the cage, then rounds of diffusion over the range.
void human_bind(human* h, kit_mesh* mesh, int32_t first, int32_t count, int32_t rounds);
// Sets a vertex's weights from a dense row of HUMAN_BONE_COUNT: the four largest, normalised.
void human_weights_set(kit_vertex* vertex, const double* dense);

// -- Cloth with two faces (human_cloth.c)

// A grid of points, columns x rows. closed: the last column joins the first. Front is the side from which columns run to the
// right while rows run down.
typedef struct human_grid {
    kit_vec* points;  // [row][column]
    kit_vec* normals; // out of the front
    int32_t columns, rows;
    bool closed;
} human_grid;

human_grid human_grid_new(kit_model* model, int32_t columns, int32_t rows, bool closed);
kit_vec* human_grid_at(const human_grid* grid, int32_t column, int32_t row);
void human_grid_normals(human_grid* grid);
// Moves points that lie nearer to the shape than `clear` (or inside it) out to that distance.
void human_grid_clear(human_grid* grid, const kit_shape* shape, double clear);
// A front, a lining `thickness` behind it (toward the body), and a rounded rim where the grid has borders.
// Vertex v of row r and column c of the front is first + r * (columns + closed) + c; the lining follows in the same order.
typedef struct human_cloth {
    int32_t first, count;
    int32_t stride; // vertices in a row
} human_cloth;
human_cloth human_cloth_add(human* h, kit_mesh* mesh, const human_grid* grid, double thickness, int32_t front,
                            int32_t lining);
// Cloth of any topology: quads over points. The shell gets a front, a lining and rims like cloth from a grid.
typedef struct human_net {
    kit_vec* points;
    kit_vec* normals; // made by human_net_normals()
    double* weights;  // [point][HUMAN_BONE_COUNT]
    double* free;     // how far the point belongs to the particles, [0,1]
    int32_t point_count, point_capacity;
    int32_t (*faces)[4]; // counter-clockwise from outside; the fourth is KIT_NONE in triangles
    int32_t* labels;     // chart of each face, 0..15
    int32_t face_count, face_capacity;
} human_net;

human_net human_net_new(kit_model* model, int32_t point_capacity, int32_t face_capacity);
int32_t human_net_point(human_net* net, kit_vec point, const double* weights, double free);
void human_net_face(human_net* net, int32_t a, int32_t b, int32_t c, int32_t d, int32_t label);
void human_net_normals(human_net* net);
enum { HUMAN_LINING = 16 }; // added to the labels of the lining's triangles
void human_shell(human* h, kit_mesh* mesh, const human_net* net, double thickness, int32_t front, int32_t lining);

// A flat ribbon on the front of the grid between two rows (or two columns) given as real numbers, `lift` above it.
void human_trim(human* h, kit_mesh* mesh, const human_grid* grid, double row_a, double row_b, double column_a,
                double column_b, int32_t steps, double lift, int32_t material);
// A round stud (low dome) on the grid.
void human_stud(human* h, kit_mesh* mesh, const human_grid* grid, double column, double row, double radius,
                double height, int32_t sides, int32_t material);
kit_vec human_grid_sample(const human_grid* grid, double column, double row, kit_vec* normal);

// Closes an open shell: a strip from its border inward by `depth` against the normals, so that an edge looks as thick as cloth.
// The shell is the triangles from `first_triangle` on.
void human_rim(human* h, kit_mesh* mesh, int32_t first_triangle, double depth);
// The grid point nearest to a place, as an index into points and normals.
int32_t human_grid_nearest(const human_grid* grid, kit_vec place);
// Pushes a point that is nearer to the grid than `range` to its front side, at least `clear` above it.
kit_vec human_grid_push(const human_grid* grid, kit_vec point, double clear, double range);

// One lock of hair: a flat, closed, tapering ribbon along `count` points; `outs` say which side faces the world. Widths are half
// widths. Returns the first vertex; v runs from 0 at the root to 1 at the tip.
int32_t human_lock(human* h, kit_mesh* mesh, const kit_vec* points, const kit_vec* outs, int32_t count, double width,
                   double thickness, int32_t material);

// Cylindrical UV charts for everything that came out of the cage.
void human_unwrap(human* h, kit_mesh* mesh);

// -- Movement (human_pose.c)

// Angles in degrees. Index 0 is the left.
typedef struct human_pose {
    kit_vec root; // world
    kit_quat root_rotation;
    kit_vec hips; // offset from their place in the bind pose, in the root's frame
    kit_quat hips_rotation;
    kit_quat spine, chest, neck, head;
    double clavicle_raise[2], clavicle_forward[2];
    double arm_swing[2];  // forward from hanging
    double arm_spread[2]; // outward from hanging
    double arm_twist[2];  // palm turns inward
    double elbow[2];      // flexion
    double wrist[2];      // palm bends in
    double fingers[2];    // curl
    kit_vec foot[2];      // the ball of the foot on the ground, in the root's frame; y is height above the ground
    double foot_yaw[2];   // toes outward
    double foot_heel[2];  // heel raised about the ball
    double foot_toe[2];   // foot raised about the heel
    double toes[2];       // toes bent up against the foot beyond what keeps them level
    double knee_out[2];   // knees apart
    double leg_free[2];   // 0: the foot goes where foot says; 1: thigh and shin below
    double thigh_flex[2], shin_flex[2], ankle_flex[2];
} human_pose;

human_pose human_stand(const human* h); // relaxed, on both feet
void human_pose_write(const human* h, const human_pose* pose, kit_joint* joints);

// A step cycle: planted feet move back at `speed` metres per second exactly, hips and shoulders turn against each other.
typedef struct human_gait {
    double seconds; // of a whole cycle (two steps)
    double speed;
    double stance;            // share of the cycle that a foot is on the ground
    double reach;             // how far ahead of the hips the ball of the foot lands
    double lift;              // of the swinging foot
    double kick;              // degrees by which its heel rises further
    double lean;              // degrees
    double bounce;            // metres, of the hips
    double sink;              // how much the hips are lowered
    double sway, roll, twist; // hips: metres sideways, degrees
    double width;             // between the feet
    double arms, elbows, spread;
    double heel_strike; // degrees
    double push_off;    // degrees
} human_gait;

human_gait human_walk(const human* h);
human_gait human_run(const human* h);
human_pose human_gait_pose(const human* h, const human_gait* gait, double phase);
// The whole cycle as a clip that loops.
void human_gait_clip(const human* h, const char* name, const human_gait* gait);

// -- Clips that anyone can play (human_clips.c); all loop

void human_idle_clip(const human* h, double seconds); // breathing, a slow shift of weight, a look to each side
void human_turn_clip(const human* h);                 // half a turn on the spot, fast, and back
void human_jump_clip(const human* h);                 // crouch, leap, landing

#endif
