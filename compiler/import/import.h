// SPDX-License-Identifier: MIT
#ifndef HEMC_IMPORT_H
#define HEMC_IMPORT_H

// What the files of the import share. Nothing outside import*.c includes this.

#include "compiler/hemc_internal.h"
#include "compiler/recipe/json.h"

#include <cgltf.h>

// 3x4, rows of 4. Import computes in double: products of node transforms with scales of 100 and 0.01 cancel out.
typedef struct hemc_affine {
    double m[12];
} hemc_affine;

struct hemc_png;

// The base colour texture of a material (texture.c).
typedef struct hemc_texture {
    bool asked;
    const struct hemc_png* png; // NULL = none, or not readable
    int set;                    // TEXCOORD_n
    double offset[2], scale[2];
} hemc_texture;

typedef struct hemc_source {
    hemc_arena* arena;
    hemc_log* log;
    const char* path;    // of the glTF, for messages and to find its buffers
    bool files_allowed;  // external buffers may be read
    uint64_t input_size; // bytes of every file read: bounds what a count may ask for
    cgltf_data* data;
    hemc_json* json;
    const char* json_text;
    const uint8_t* bin; // the GLB's second chunk, NULL = none
    size_t bin_size;
    hemc_model* model;

    uint8_t* buffer_ready;    // per buffer: its data is there
    uint8_t* accessor_usable; // per accessor: checked, in bounds
    uint8_t* accessor_finite; // per accessor: floats without NaN or infinity

    uint32_t* node_order;    // parents before children
    int32_t* node_parent;    // HEM_NONE = root
    uint8_t* node_visible;   // in the scene
    uint8_t* node_animated;  // translation, rotation or scale is the target of a channel
    hemc_affine* node_world; // default pose
    int32_t* node_bone;      // HEM_NONE = is none
    int32_t* bone_node;      // HEM_NONE = the added root
    hemc_affine* bone_bind;
    hemc_affine* bone_inverse_bind;
    hemc_affine* skin_space;      // per skin: mesh space -> character space in bind pose
    uint16_t** skin_bones;        // per skin and joint
    double unit;                  // metres per glTF unit applied so far
    hemc_affine* primitive_space; // per primitive of the model: mesh space -> character space, unscaled
    int32_t* node_weight;         // per node: its first of a clip's weights, HEM_NONE = none is asked for
    double* weight_reach;         // per weight: how far its targets move a vertex
    hemc_texture* textures;       // per material, NULL = nobody has asked yet
} hemc_source;

// -- texture.c
const hemc_texture* hemc_texture_of(hemc_source* source, uint32_t material);          // NULL = none that can be read
void hemc_texture_at(const hemc_texture* texture, const float uv[2], uint8_t rgb[3]); // sRGB

// -- import.c
uint32_t hemc_index_of(const void* array, const void* item, size_t size); // item's index in its array
const char* hemc_name_of(hemc_source* source, const char* name, const char* what, uint32_t index);

// -- check.c: the JSON before cgltf sees it, then what cgltf made of it
typedef enum hemc_rule_kind {
    RULE_ARRAY,
    RULE_OBJECT,
    RULE_STRING,
    RULE_NAME,          // a string, or else a warning
    RULE_FLAG,          // true or false
    RULE_SIZE,          // whole number >= 0, with a `limit` <= that
    RULE_COUNT,         // whole number >= 1
    RULE_INDEX,         // into the collection `target`
    RULE_COMPONENT,     // 5120..5126
    RULE_INTERPOLATION, // one of three words, or else a warning
    RULE_NUMBERS,       // array of `limit` finite numbers, 0 = any count
    RULE_LOOK,          // a number that only changes how things look: a warning
} hemc_rule_kind;

typedef struct hemc_rule {
    const char* pattern; // '*' stands for every item of an array or member of an object
    hemc_rule_kind kind;
    bool required;
    const char* target;
    uint32_t limit;
    bool unread; // checked, but not handed on: nothing of the compiler reads it
} hemc_rule;

#define HEMC_RULE_LIMIT 160
const hemc_rule* hemc_check_rules(uint32_t* count);
bool hemc_check_json(hemc_source* source);
bool hemc_check_extensions(hemc_source* source);
bool hemc_check_accessors(hemc_source* source);
bool hemc_check_meshes(hemc_source* source);

// -- clean.c: the JSON for cgltf
void hemc_clean_json(hemc_source* source, hemc_text* out);

// -- buffer.c
bool hemc_load_buffers(hemc_source* source);
bool hemc_decode_views(hemc_source* source); // EXT_meshopt_compression, KHR_meshopt_compression

// -- accessor.c: any layout -> tight arrays; only for accessors found usable
uint32_t hemc_component_count(const cgltf_accessor* accessor);
size_t hemc_component_size(cgltf_component_type type);                         // 0 = unknown
const uint8_t* hemc_view_bytes(const cgltf_buffer_view* view, uint64_t* size); // NULL = no data
void hemc_read_floats(hemc_source* source, const cgltf_accessor* accessor, float* out);
void hemc_read_uints(hemc_source* source, const cgltf_accessor* accessor, uint32_t* out);
bool hemc_accessor_is_finite(hemc_source* source, const cgltf_accessor* accessor, uint64_t* element);

// -- skin.c: nodes, bones, bind pose
bool hemc_import_nodes(hemc_source* source);
bool hemc_import_bones(hemc_source* source);
hemc_affine hemc_affine_identity(void);
hemc_affine hemc_affine_multiply(const hemc_affine* a, const hemc_affine* b);
bool hemc_affine_invert(const hemc_affine* a, hemc_affine* out); // false = singular
double hemc_affine_determinant(const hemc_affine* a);
hemc_affine hemc_affine_of_trs(const double translation[3], const double rotation[4], const double scale[3]);
void hemc_affine_store(const hemc_affine* a, float out[12]);
// Bone that carries a node without a skin, HEM_NONE = the scene itself.
int32_t hemc_carrier_of(const hemc_source* source, uint32_t node);

// -- morph.c: base + sum of default weight x target
bool hemc_check_targets(hemc_source* source, const cgltf_primitive* primitive, size_t vertex_count,
                        const char* primitive_where);
bool hemc_check_weights(hemc_source* source); // of meshes and nodes: as many as there are targets
bool hemc_check_weight_channel(hemc_source* source, const cgltf_animation_channel* channel, const char* where);
// Adds the targets of POSITION, NORMAL or TANGENT to the base values, `stride` floats per vertex.
bool hemc_morph(hemc_source* source, uint32_t node, const cgltf_primitive* primitive, const char* primitive_where,
                cgltf_attribute_type type, size_t vertex_count, uint32_t stride, float* values);
float hemc_morph_weight(const hemc_source* source, uint32_t node, size_t target); // default
uint32_t hemc_morph_count(const hemc_source* source, uint32_t node);              // targets of the node's mesh
// For inverse clips of lattices: numbers the weights that those clips of the glTF animate, and reads their targets.
#define HEMC_MOVE_LIMIT ((uint64_t)8 * 1000 * 1000) // vertices of all targets together: 96 MB
bool hemc_lattice_asks(const hemc_recipe* recipe, const char* clip);
bool hemc_import_morphs(hemc_source* source, const hemc_recipe* recipe);
void hemc_note_morphs(hemc_source* source, uint32_t node); // a node with a mesh

// -- mesh.c
bool hemc_import_meshes(hemc_source* source);

// -- clip.c
#define HEMC_FRAME_LIMIT 36000                        // of one clip: twenty minutes at 30 Hz
#define HEMC_MATRIX_LIMIT ((uint64_t)6 * 1000 * 1000) // of all clips together: 288 MB
// Is there room for one more clip? Adds it to what those before it take; one that does not fit takes nothing.
#define HEMC_WEIGHT_LIMIT ((uint64_t)6 * 1000 * 1000) // of all clips together: 24 MB
bool hemc_clip_fits(uint64_t* matrices, double intervals, uint32_t bone_count);
bool hemc_check_animations(hemc_source* source);
bool hemc_import_animations(hemc_source* source, const hemc_recipe* recipe);

#endif
