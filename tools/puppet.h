// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PUPPET_H
#define HEM_TOOLS_PUPPET_H

// A character in one moment, and the ways to draw it: as it looks in the game, or with its particles, links, stretch,
// contacts, blend weights or rest overlaps shown.

#include "tools/asset.h"
#include "tools/drawing.h"
#include "tools/seen.h"

typedef enum puppet_overlay {
    PUPPET_PLAIN,
    PUPPET_ELLIPSOIDS, // particles by role
    PUPPET_LINKS,      // by kind
    PUPPET_STRETCH,    // colour on the mesh
    PUPPET_CONTACTS,   // particles by nearness to body and colliders, and the colliders
    PUPPET_BLEND,      // colour on the mesh: skeleton to particles
    PUPPET_CROSSINGS,  // what is wrong on the mesh: needs `seen`
    PUPPET_BODY_SHAPE, // what loose parts collide with: particles of the body, and colliders
    PUPPET_OVERLAPS,   // pairs of one part that touch at rest and so never collide
} puppet_overlay;

#define PUPPET_SIMULATED 0xe9b93cffu
#define PUPPET_ATTACHED 0xc8433affu
#define PUPPET_BODY 0x93a5b6ffu
#define PUPPET_STRETCH_RANGE 0.10f // of the colour scale, either way

// Parts with `virtual: faces`, drawn as they lie over meshes in place of their own triangles (puppet_refined.c).
typedef struct puppet_refined {
    hem_refined faces;               // of this moment
    uint32_t* others;                // preview indices, those triangles made points; NULL: the asset has no such part
    uint32_t* drawn;                 // of the faces, those that are not hidden
    float* positions;                // particles, then the faces' vertices
    float* normals;                  // the same
    uint8_t* colours;                // the same, 4 each
    uint32_t mesh_of[HEM_MAX_PARTS]; // whose triangles they stand for
} puppet_refined;

typedef struct puppet {
    const asset* source;
    asset_link* links;
    uint32_t link_count;
    float* positions; // of this moment, 3 per vertex
    float* normals;
    hem_particle* particles;
    hem_collider* colliders;
    uint32_t collider_count;
    int32_t part;       // whose links are drawn; -1: all
    const bool* hidden; // per mesh, borrowed; NULL: all are drawn
    uint8_t* colours;   // of an overlay, 4 per vertex
    seen_mesh* seen;    // borrowed; measured again when crossings are drawn
    uint32_t* sorted;   // triangles by what is wrong with them
    float* values;      // per particle
    // Of an asset that can tear; else NULL and 0
    uint32_t *indices, *cap_indices; // as they are drawn now
    uint32_t* torn_source;           // per torn vertex, whose colour it has
    uint8_t* torn_colours;           // 4 per vertex, torn ones behind the others
    uint32_t torn_count, cap_index_count, change_count;
    bool show_refined; // else parts are drawn as their skin has them
    puppet_refined refined;
} puppet;

enum { PUPPET_COLLIDERS_MAX = 512 };

// In the bind pose. Returns false if there is no memory.
bool puppet_create(puppet* p, const asset* a);
void puppet_destroy(puppet* p);

// Skeleton only: particles that follow it are moved, all others too as if they were animated.
void puppet_set_pose(puppet* p, const float* matrices);
// As it is in a scene now.
hem_result puppet_read(puppet* p, const hem_scene* scene, hem_instance_id id);

bool puppet_refined_create(puppet_refined* r, const asset* a);
void puppet_refined_destroy(puppet_refined* r);
// With p's particles of that moment.
hem_result puppet_refined_read(puppet_refined* r, const puppet* p, const hem_scene* scene, hem_instance_id id);
void puppet_refined_draw(puppet_refined* r, const puppet* p, image_colour colour, bool coloured, drawing* d);

// Adds what the overlay shows. The drawing refers to the puppet's arrays until it is cleared.
void puppet_draw(puppet* p, puppet_overlay overlay, drawing* d);
void puppet_box(const puppet* p, float box_min[3], float box_max[3]);
// Grows a box along three axes (render_view_axes) by what the overlay shows: low and high are dot products.
void puppet_extent(const puppet* p, puppet_overlay overlay, float axes[3][3], float low[3], float high[3]);

// Where the figure stands, x and z: the middle of the vertices that follow the skeleton, or of all if there are none.
void puppet_centre(const puppet* p, float centre[2]);
// Whether these centres lead out of a picture of the figure's own size, so that the camera should go along. One that runs on
// the spot would only make the camera shake.
bool puppet_travels(const asset* a, float (*centres)[2], int32_t count);

// Writes the overlay's legend into the lower left corner: of roles and kinds, those that the asset has.
void puppet_legend(const asset* a, puppet_overlay overlay, image* im);

// Directions to look along, by name: front, side, back, quarter, rear, top.
enum {
    PUPPET_VIEW_COUNT = 6,
    PUPPET_VIEW_FRONT = 0,
    PUPPET_VIEW_SIDE,
    PUPPET_VIEW_BACK,
    PUPPET_VIEW_QUARTER,
    PUPPET_VIEW_REAR,
    PUPPET_VIEW_TOP
};
extern const char* const PUPPET_VIEW_NAMES[PUPPET_VIEW_COUNT];
extern const float PUPPET_VIEWS[PUPPET_VIEW_COUNT][3];
// The value of --view: one of the names, or a direction X,Y,Z. Says what is wrong and returns an exit code, or 0.
int puppet_view_option(const char* text, float direction[3]);

#endif
