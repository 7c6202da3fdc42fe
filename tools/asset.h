// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_ASSET_H
#define HEM_TOOLS_ASSET_H

// A .hem file for tools: loaded, validated, opened, with its preview clips and what can be counted in it.

#include "formats/hem_validate.h"
#include "hem/hem.h"

#include <stdbool.h>

typedef struct asset {
    const char* path;
    void* block;   // what was allocated
    uint8_t* data; // 64-byte aligned inside it
    size_t size;
    hem_view view;
    hem_asset handle; // opened for the runtime
    hem_asset_info info;
    bool hash_matches;
} asset;

// A .glb, .gltf or .vrm file is compiled on the way, with `recipe` (NULL: its extras, or automatic mode); .hem files take
// none. Says what is wrong on stderr and returns an exit code, or 0.
int asset_load(asset* a, const char* path, const char* recipe);
// The same, and refuses a file whose content does not match its hash.
int asset_load_whole(asset* a, const char* path, const char* recipe);
// The same as asset_load from a compiled asset in memory, which is copied. path is for messages.
int asset_from_bytes(asset* a, const char* path, const uint8_t* bytes, size_t size);
void asset_unload(asset* a);

const char* asset_text(const asset* a, uint32_t offset);
// The same for people: cut to 63 bytes, nothing in it that a terminal obeys.
typedef struct asset_label {
    char text[64];
} asset_label;
asset_label asset_label_of(const asset* a, uint32_t offset); // of STRINGS; "" when out of range
bool asset_has_preview(const asset* a);

// -- Clips. Poses are bone_count matrices of 3 x 4, bind pose -> posed.

// An asset's own clips, then the test motions (motion.h), which every character has.
int32_t asset_clip_count(const asset* a);
const char* asset_clip_name(const asset* a, int32_t clip);
bool asset_clip_loops(const asset* a, int32_t clip);
void asset_make_loop(asset* a, int32_t clip, bool loops); // whatever its file says; test motions loop always
// By name; on failure lists the clips there are and returns an exit code. NULL takes the first.
int asset_find_clip(const asset* a, const char* name, int32_t* clip);
float asset_clip_seconds(const asset* a, int32_t clip);
// Loops or holds the last frame, as the clip says. Between two frames joints move on straight lines and turn evenly.
void asset_pose(const asset* a, int32_t clip, float seconds, float* matrices);
// From one pose to another, t from 0 to 1; joints move on straight lines and turn evenly. r may be a or b.
void asset_mix_poses(const asset* a, const float* from, const float* to, float t, float* r);
void asset_bind_pose(const asset* a, float* matrices);
// Vertices by skeleton alone; normals may be NULL.
void asset_skin(const asset* a, const float* matrices, float* positions, float* normals);

// -- Links and counts

typedef struct asset_link {
    uint32_t a, b; // particles
    float rest;
    uint8_t kind; // hem_link_kind
    uint8_t part;
} asset_link;

uint32_t asset_link_count(const asset* a);
void asset_links(const asset* a, asset_link* links); // asset_link_count of them

typedef struct asset_part_counts {
    uint32_t simulated, attached, body;
    uint32_t links[HEM_LINK_KIND_COUNT];
    uint32_t groups;
    uint32_t link_lanes, group_lanes; // with pads
} asset_part_counts;

asset_part_counts asset_count_part(const asset* a, uint32_t part);

const char* asset_part_kind_name(uint32_t kind);
const char* asset_link_kind_name(uint32_t kind);

#endif
