// SPDX-License-Identifier: MIT
#include "tests/formats/fixture.h"
#include "tests/formats/short_names.h"
#include "tests/formats/walk.h"

#include "greatest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Each rule of the format, broken once. A row spoils one field of a valid file and names the answer.

typedef struct spoiled {
    const char* rule;
    uint32_t section; // 0 = header
    uint32_t element;
    size_t offset;
    value_type type;
    double value; // as in fixture_edit
    hem_format_result result;
    uint32_t fault_section;
    uint32_t fault_element;
    const char* field;
} spoiled;

// clang-format off
static const spoiled table[] = {
    // rule, section, element, offset, type, value -> result, section, element, field
    {"magic", 0, 0, H(magic) + 1, U8, 'h', HEM_FORMAT_BAD_MAGIC, 0, 0, "magic"},
    {"version to come", 0, 0, H(version), U32, 4, HEM_FORMAT_BAD_VERSION, 0, 4, "version"},
    {"levels announced", 0, 0, H(version), U32, 3, HEM_FORMAT_BAD_COUNT, HEM_SECTION_LEVELS, 0, "element_count"},
    {"no version", 0, 0, H(version), U32, 0, HEM_FORMAT_BAD_VERSION, 0, 0, "version"},
    {"version of before", 0, 0, H(version), U32, 1, HEM_FORMAT_OLD_VERSION, 0, 1, "version"},
    {"header size", 0, 0, H(header_size), U32, 128, HEADER, 0, 0, "header_size"},
    {"file size too large", 0, 0, H(file_size), U64, 1e9, HEM_FORMAT_TOO_SHORT, 0, 0, "file_size"},
    {"file size too small", 0, 0, H(file_size), U64, 1024, HEADER, 0, 0, "file_size"},
    {"no sections", 0, 0, H(section_count), U32, 0, HEADER, 0, 0, "section_count"},
    {"too many sections", 0, 0, H(section_count), U32, 1000, HEADER, 0, 0, "section_count"},
    {"unknown flag", 0, 0, H(flags), U32, 3, HEADER, 0, 0, "flags"},
    {"preview without the flag", 0, 0, H(flags), U32, 0, HEADER, 0, 0, "flags"},
    {"tool without end", 0, 0, H(tool) + 31, U8, 'x', HEADER, 0, 0, "tool"},
    {"header reserved", 0, 0, H(reserved) + 63, U8, 1, HEADER, 0, 0, "reserved"},
    {"no rows", S_INFO, 0, INFO(row_count), U32, 0, COUNT, S_INFO, 0, "row_count"},
    {"too many rows", S_INFO, 0, INFO(row_count), U32, 8192, COUNT, S_INFO, 0, "row_count"},
    {"rows and particles", S_INFO, 0, INFO(particle_count), U32, 47, COUNT, S_INFO, 0, "particle_count"},
    {"oriented rows", S_INFO, 0, INFO(oriented_row_count), U32, 7, COUNT, S_INFO, 0, "oriented_row_count"},
    {"one oriented row too few", S_INFO, 0, INFO(oriented_row_count), U32, 2, COUNT, S_FRAMES, 0, "element_count"},
    {"no parts", S_INFO, 0, INFO(part_count), U32, 0, COUNT, S_INFO, 0, "part_count"},
    {"too many parts", S_INFO, 0, INFO(part_count), U32, 65, COUNT, S_INFO, 0, "part_count"},
    {"parts and section", S_INFO, 0, INFO(part_count), U32, 2, COUNT, S_PARTS, 0, "element_count"},
    {"no bones", S_INFO, 0, INFO(bone_count), U32, 0, COUNT, S_INFO, 0, "bone_count"},
    {"too many bones", S_INFO, 0, INFO(bone_count), U32, 5000, COUNT, S_INFO, 0, "bone_count"},
    {"bones and section", S_INFO, 0, INFO(bone_count), U32, 3, COUNT, S_BONES, 0, "element_count"},
    {"too many vertices", S_INFO, 0, INFO(vertex_count), U32, 5e6, COUNT, S_INFO, 0, "vertex_count"},
    {"vertices and section", S_INFO, 0, INFO(vertex_count), U32, 12, COUNT, S_VREST, 0, "element_count"},
    {"meshes and section", S_INFO, 0, INFO(mesh_count), U32, 1, COUNT, S_MESHES, 0, "element_count"},
    {"simulated count", S_INFO, 0, INFO(simulated_count), U32, 28, COUNT, S_INFO, 0, "simulated_count"},
    {"attached count", S_INFO, 0, INFO(attached_count), U32, 9, COUNT, S_INFO, 0, "attached_count"},
    {"body count", S_INFO, 0, INFO(body_count), U32, 2, COUNT, S_INFO, 0, "body_count"},
    {"real count", S_INFO, 0, INFO(real_particle_count), U32, 41, COUNT, S_INFO, 0, "real_particle_count"},
    {"link count", S_INFO, 0, INFO(link_count), U32, 34, COUNT, S_INFO, 0, "link_count"},
    {"group count", S_INFO, 0, INFO(group_count), U32, 10, COUNT, S_INFO, 0, "group_count"},
    {"lane fill", S_INFO, 0, INFO(lane_fill), F32, 0.9, VALUE, S_INFO, 0, "lane_fill"},
    {"lane fill is a number", S_INFO, 0, INFO(lane_fill), F32, NAN_VALUE, VALUE, S_INFO, 0, "lane_fill"},
    {"indexed share", S_INFO, 0, INFO(indexed_share), F32, 0, VALUE, S_INFO, 0, "indexed_share"},
    {"largest radius", S_INFO, 0, INFO(particle_radius), F32, 0.25, VALUE, S_INFO, 0, "particle_radius"},
    {"lower bound", S_INFO, 0, INFO(bounds_min) + 4, F32, -2, VALUE, S_INFO, 0, "bounds_min"},
    {"upper bound", S_INFO, 0, INFO(bounds_max) + 8, F32, 1, VALUE, S_INFO, 0, "bounds_max"},
    {"smallest spacing", S_INFO, 0, INFO(spacing), F32, 0.5, VALUE, S_INFO, 0, "spacing"},
    {"unit is no length", S_INFO, 0, INFO(unit), F32, -1, VALUE, S_INFO, 0, "unit"},
    {"unit is a number", S_INFO, 0, INFO(unit), F32, NAN_VALUE, VALUE, S_INFO, 0, "unit"},
    {"info reserved", S_INFO, 0, INFO(reserved), U32, 1, VALUE, S_INFO, 0, "reserved"},
    {"empty string first", S_STRINGS, 0, 0, U8, 'x', VALUE, S_STRINGS, 0, "first byte"},
    {"part name", S_PARTS, 1, PART(name_offset), U32, 1000, INDEXES, S_PARTS, 1, "name_offset"},
    {"part kind", S_PARTS, 1, PART(kind), U32, 3, VALUE, S_PARTS, 1, "kind"},
    {"cloth among oriented rows", S_PARTS, 0, PART(kind), U32, HEM_PART_CLOTH, COUNT, S_PARTS, 0, "kind"},
    {"soft behind cloth rows", S_PARTS, 2, PART(kind), U32, HEM_PART_SOFT, COUNT, S_PARTS, 2, "kind"},
    {"part animation", S_PARTS, 0, PART(animation), U32, 2, VALUE, S_PARTS, 0, "animation"},
    {"body with momentum", S_PARTS, 1, PART(animation), U32, 1, VALUE, S_PARTS, 1, "animation"},
    {"part flags", S_PARTS, 0, PART(flags), U32, 1, VALUE, S_PARTS, 0, "flags"},
    {"part without rows", S_PARTS, 1, PART(row_count), U32, 0, COUNT, S_PARTS, 1, "row_begin"},
    {"rows out of order", S_PARTS, 1, PART(row_begin), U32, 1, COUNT, S_PARTS, 1, "row_begin"},
    {"rows past the end", S_PARTS, 2, PART(row_count), U32, 4, COUNT, S_PARTS, 2, "row_begin"},
    {"rows left over", S_PARTS, 2, PART(row_count), U32, 2, COUNT, S_PARTS, 2, "row_count"},
    {"ranges out of order", S_PARTS, 2, PART(range_begin), U32, 0, COUNT, S_PARTS, 2, "range_begin"},
    {"ranges past the end", S_PARTS, 2, PART(range_count), U32, 7, COUNT, S_PARTS, 2, "range_begin"},
    {"ranges left over", S_PARTS, 2, PART(range_count), U32, 1, COUNT, S_PARTS, 2, "range_count"},
    {"outside of itself", S_PARTS, 0, PART(outside_of), U32, 1, VALUE, S_PARTS, 0, "outside_of"},
    {"outside of no part", S_PARTS, 0, PART(outside_of), U32, 8, VALUE, S_PARTS, 0, "outside_of"},
    {"outside of a part past the end", S_PARTS, 2, PART(outside_of) + 4, U32, 1, VALUE, S_PARTS, 2, "outside_of"},
    {"part reserved", S_PARTS, 2, PART(reserved) + 60, U32, 1, VALUE, S_PARTS, 2, "reserved"},
    {"fuller than hair can be", S_PARTS, 0, PART(fullness), F32, 31, VALUE, S_PARTS, 0, "fullness"},
    {"fullness without a reach", S_PARTS, 0, PART(fullness_reach), F32, 0, VALUE, S_PARTS, 0, "fullness_reach"},
    {"reach of what is not full", S_PARTS, 1, PART(fullness_reach), F32, -1, VALUE, S_PARTS, 1, "fullness_reach"},
    {"range of another part", S_RANGES, 6, RANGE(part), U32, 0, INDEXES, S_RANGES, 6, "part"},
    {"range of no kind", S_RANGES, 6, RANGE(kind), U32, 99, VALUE, S_RANGES, 6, "kind"},
    {"range kind twice", S_RANGES, 7, RANGE(kind), U32, HEM_BATCH_LINKS, VALUE, S_RANGES, 7, "kind"},
    {"range kinds out of order", S_RANGES, 0, RANGE(kind), U32, HEM_BATCH_GROUPS, VALUE, S_RANGES, 1, "kind"},
    {"groups of cloth", S_RANGES, 7, RANGE(kind), U32, HEM_BATCH_GROUPS, COUNT, S_RANGES, 7, "begin"},
    {"links out of order", S_RANGES, 6, RANGE(begin), U32, 0, COUNT, S_RANGES, 6, "begin"},
    {"links left over", S_RANGES, 6, RANGE(count), U32, 3, COUNT, S_RANGES, 8, "count"},
    {"links past the end", S_RANGES, 6, RANGE(count), U32, 5, COUNT, S_RANGES, 6, "begin"},
    {"empty range", S_RANGES, 6, RANGE(count), U32, 0, COUNT, S_RANGES, 6, "begin"},
    {"index range", S_RANGES, 7, RANGE(begin), U32, 1, COUNT, S_RANGES, 7, "begin"},
    {"groups left over", S_RANGES, 1, RANGE(count), U32, 1, COUNT, S_RANGES, 8, "count"},
    {"collision group has one bit", S_PARTS, 0, PART(collision_group), U32, 3, VALUE, S_PARTS, 0, "collision_group"},
    {"collision group has a bit", S_PARTS, 0, PART(collision_group), U32, 0, VALUE, S_PARTS, 0, "collision_group"},
    {"levels", S_PARTS, 2, PART(level_count), U32, 1e6, COUNT, S_PARTS, 2, "level_count"},
    {"spacing", S_PARTS, 0, PART(spacing), F32, 0, VALUE, S_PARTS, 0, "spacing"},
    {"compliance", S_TUNING, 1, TUNE(compliance) + 28, F32, -1, VALUE, S_TUNING, 1, "compliance"},
    {"link damping", S_TUNING, 2, TUNE(link_damping), F32, NAN_VALUE, VALUE, S_TUNING, 2, "link_damping"},
    {"stiffness", S_TUNING, 0, TUNE(stiffness), F32, 1.5, VALUE, S_TUNING, 0, "stiffness"},
    {"shape compliance", S_TUNING, 0, TUNE(shape_compliance), F32, -1, VALUE, S_TUNING, 0, "shape_compliance"},
    {"shape stiffness", S_TUNING, 0, TUNE(shape_stiffness), F32, 2, VALUE, S_TUNING, 0, "shape_stiffness"},
    {"tether allowance", S_TUNING, 0, TUNE(tether_allowance), F32, -0.1, VALUE, S_TUNING, 0, "tether_allowance"},
    {"gravity", S_TUNING, 0, TUNE(gravity_scale), F32, NAN_VALUE, VALUE, S_TUNING, 0, "gravity_scale"},
    {"damping", S_TUNING, 0, TUNE(damping), F32, -1, VALUE, S_TUNING, 0, "damping"},
    {"solid stiffness", S_TUNING, 0, TUNE(solid_young), F32, -1, VALUE, S_TUNING, 0, "solid_young"},
    {"solid volume", S_TUNING, 0, TUNE(solid_poisson), F32, 0.5, VALUE, S_TUNING, 0, "solid_poisson"},
    {"stretch limit", S_TUNING, 0, TUNE(stretch_limit), F32, -1, VALUE, S_TUNING, 0, "stretch_limit"},
    {"inner damping", S_TUNING, 0, TUNE(inner_damping), F32, 1e9, VALUE, S_TUNING, 0, "inner_damping"},
    {"angular damping", S_TUNING, 0, TUNE(angular_damping), F32, 1e9, VALUE, S_TUNING, 0, "angular_damping"},
    {"drag", S_TUNING, 0, TUNE(drag), F32, -1, VALUE, S_TUNING, 0, "drag"},
    {"lift", S_TUNING, 0, TUNE(lift), F32, -1, VALUE, S_TUNING, 0, "lift"},
    {"friction", S_TUNING, 0, TUNE(friction), F32, 1.1, VALUE, S_TUNING, 0, "friction"},
    {"restitution", S_TUNING, 0, TUNE(restitution), F32, -0.1, VALUE, S_TUNING, 0, "restitution"},
    {"thickness", S_TUNING, 0, TUNE(collision_thickness), F32, -1, VALUE, S_TUNING, 0, "collision_thickness"},
    {"self thickness", S_TUNING, 0, TUNE(self_thickness), F32, -1, VALUE, S_TUNING, 0, "self_thickness"},
    {"max speed", S_TUNING, 0, TUNE(max_speed), F32, 0, VALUE, S_TUNING, 0, "max_speed"},
    {"linear inertia", S_TUNING, 0, TUNE(linear_inertia), F32, 2, VALUE, S_TUNING, 0, "linear_inertia"},
    {"angular inertia", S_TUNING, 0, TUNE(angular_inertia), F32, 2, VALUE, S_TUNING, 0, "angular_inertia"},
    {"sleep speed", S_TUNING, 0, TUNE(sleep_speed), F32, -1, VALUE, S_TUNING, 0, "sleep_speed"},
    {"solver", S_TUNING, 0, TUNE(solver), U32, 4, VALUE, S_TUNING, 0, "solver"},
    {"no iterations", S_TUNING, 0, TUNE(iterations), U32, 0, VALUE, S_TUNING, 0, "iterations"},
    {"iterations", S_TUNING, 0, TUNE(iterations), U32, 33, VALUE, S_TUNING, 0, "iterations"},
    {"bone name", S_BONES, 1, offsetof(hem_bone, name_offset), U32, 1e6, INDEXES, S_BONES, 1, "name_offset"},
    {"bone before its parent", S_BONES, 1, offsetof(hem_bone, parent), U32, 1, INDEXES, S_BONES, 1, "parent"},
    {"bone parent", S_BONES, 0, offsetof(hem_bone, parent), U32, 4294967294.0, INDEXES, S_BONES, 0, "parent"},
    {"inverse bind", S_BONES, 0, offsetof(hem_bone, inverse_bind) + 44, F32, NAN_VALUE, VALUE, S_BONES, 0, "inverse_bind"},
    {"bone space", S_SPACES, 1, 44, F32, NAN_VALUE, VALUE, S_SPACES, 1, "matrix"},
    {"bone hang", S_BONES, 0, offsetof(hem_bone, hang), F32, NAN_VALUE, VALUE, S_BONES, 0, "hang"},
    {"bone tail without hang", S_BONES, 0, offsetof(hem_bone, tail), U32, 1, INDEXES, S_BONES, 0, "tail"},
    {"bone that hangs towards itself", S_BONES, 0, offsetof(hem_bone, hang), F32, 1, INDEXES, S_BONES, 0, "tail"},
    {"part of a particle", S_FLAGS, 9, 3, U8, 1, INDEXES, S_FLAGS, 9, "part"},
    {"unknown particle flag", S_FLAGS, 9, 0, U8, 64 + 16, VALUE, S_FLAGS, 9, "flags"},
    {"pad with other flags", S_FLAGS, 15, 0, U8, 17, VALUE, S_FLAGS, 15, "flags"},
    {"body flag outside the body", S_FLAGS, 32, 0, U8, 6, VALUE, S_FLAGS, 32, "body"},
    {"body not animated", S_FLAGS, 16, 0, U8, 4, VALUE, S_FLAGS, 16, "body"},
    {"body part without body flag", S_FLAGS, 16, 0, U8, 2, VALUE, S_FLAGS, 16, "body"},
    {"position", S_REST, 4, offsetof(hem_rest_row, y), F32, NAN_VALUE, VALUE, S_REST, 4, "position"},
    {"mass", S_REST, 4, offsetof(hem_rest_row, mass), F32, 0, VALUE, S_REST, 4, "mass"},
    {"negative mass", S_REST, 4, offsetof(hem_rest_row, mass) + 4, F32, -1, VALUE, S_REST, 4, "mass"},
    {"pad with mass", S_REST, 5, offsetof(hem_rest_row, mass) + 28, F32, 1, VALUE, S_REST, 5, "mass"},
    {"pad elsewhere", S_REST, 5, offsetof(hem_rest_row, z) + 28, F32, 0.12, VALUE, S_REST, 5, "pad"},
    {"radius", S_SHAPE, 1, offsetof(hem_shape_row, a) + 4, F32, 0, VALUE, S_SHAPE, 1, "radius"},
    {"radius is a number", S_SHAPE, 1, offsetof(hem_shape_row, c), F32, NAN_VALUE, VALUE, S_SHAPE, 1, "radius"},
    {"rotation", S_SHAPE, 1, offsetof(hem_shape_row, qw), F32, 0.9, VALUE, S_SHAPE, 1, "rotation"},
    {"inverse mass", S_SHAPE, 4, offsetof(hem_shape_row, inverse_mass), F32, 1, VALUE, S_SHAPE, 4, "inverse_mass"},
    {"animated but movable", S_SHAPE, 3, offsetof(hem_shape_row, inverse_mass), F32, 2, VALUE, S_SHAPE, 3, "inverse_mass"},
    {"pad but movable", S_SHAPE, 5, offsetof(hem_shape_row, inverse_mass) + 28, F32, 2, VALUE, S_SHAPE, 5, "inverse_mass"},
    {"bone of a particle", S_BIND, 3, offsetof(hem_bind_row, bone) + 2, U16, 2, INDEXES, S_BIND, 3, "bone"},
    {"negative weight", S_BIND, 3, offsetof(hem_bind_row, weight), F32, -0.5, VALUE, S_BIND, 3, "weight"},
    {"weights sum to one", S_BIND, 3, offsetof(hem_bind_row, weight), F32, 0.5, VALUE, S_BIND, 3, "weight sum"},
    {"pad on another bone", S_BIND, 5, offsetof(hem_bind_row, bone) + 14, U16, 1, VALUE, S_BIND, 5, "pad"},
    {"anim row", S_ANIM, 1, 0, U32, 4, INDEXES, S_ANIM, 1, "row"},
    {"animated mask", S_ANIM, 1, 4, U32, 0x7f, VALUE, S_ANIM, 1, "animated_mask"},
    {"target mask", S_ANIM, 2, 8, U32, 0x3f, VALUE, S_ANIM, 2, "target_mask"},
    {"anim reserved", S_ANIM, 0, 12, U32, 1, VALUE, S_ANIM, 0, "reserved"},
    {"limit row", S_LIMIT, 0, 0, U32, 6, INDEXES, S_LIMIT, 0, "row"},
    {"limit anim row", S_LIMIT, 0, 4, U32, 1, INDEXES, S_LIMIT, 0, "anim_row"},
    {"limit anim row range", S_LIMIT, 0, 4, U32, -1, INDEXES, S_LIMIT, 0, "anim_row"},
    {"limit reserved", S_LIMIT, 0, 8, U32, 1, VALUE, S_LIMIT, 0, "reserved"},
    {"limit distance", S_LIMIT, 0, offsetof(hem_limit_row, max_distance), F32, NAN_VALUE, VALUE, S_LIMIT, 0, "max_distance"},
    {"backstop distance", S_LIMIT, 0, offsetof(hem_limit_row, backstop_distance), F32, 1e9, VALUE, S_LIMIT, 0, "backstop_distance"},
    {"backstop radius", S_LIMIT, 0, offsetof(hem_limit_row, backstop_radius), F32, NAN_VALUE, VALUE, S_LIMIT, 0, "backstop_radius"},
    {"limit outside the targets", S_LIMIT, 0, offsetof(hem_limit_row, max_distance) + 28, F32, 1, VALUE, S_ANIM, 2, "target_mask"},
    {"frame neighbour", S_FRAMES, 1, offsetof(hem_frame_row, u1), U16, 48, INDEXES, S_FRAMES, 1, "u"},
    {"frame on a pad", S_FRAMES, 1, offsetof(hem_frame_row, v0), U16, 47, INDEXES, S_FRAMES, 1, "v"},
    {"frame rotation", S_FRAMES, 1, offsetof(hem_frame_row, qx), F32, 1, VALUE, S_FRAMES, 1, "rotation"},
    {"ignore lists start at zero", S_STARTS, 0, 0, U32, 1, INDEXES, S_STARTS, 0, "start"},
    {"ignore starts ascend", S_STARTS, 1, 0, U32, 7, INDEXES, S_STARTS, 1, "start"},
    {"ignore lists end at the end", S_STARTS, 48, 0, U32, 5, INDEXES, S_STARTS, 48, "start"},
    {"ignored particle", S_IGNORE, 1, 0, U16, 48, INDEXES, S_IGNORE, 1, "particle"},
    {"ignored itself", S_IGNORE, 0, 0, U16, 0, INDEXES, S_IGNORE, 0, "particle"},
    {"ignored pad", S_IGNORE, 1, 0, U16, 47, INDEXES, S_IGNORE, 1, "particle"},
    {"ignore list sorted", S_IGNORE, 0, 0, U16, 34, INDEXES, S_IGNORE, 1, "order"},
    {"ignore list symmetric", S_IGNORE, 1, 0, U16, 34, INDEXES, S_IGNORE, 1, "symmetry"},
    {"link row a", S_LINKS, 1, LINK(row_a), U32, 6, INDEXES, S_LINKS, 1, "row_a"},
    {"link row b", S_LINKS, 1, LINK(row_b), U32, -1, INDEXES, S_LINKS, 1, "row_b"},
    {"link inside a row", S_LINKS, 2, LINK(row_b), U32, 4, BATCH, S_LINKS, 2, "row_b"},
    {"link rotation", S_LINKS, 1, LINK(rotate), U8, 8, VALUE, S_LINKS, 1, "rotate"},
    {"link kind", S_LINKS, 1, LINK(kind), U8, 6, VALUE, S_LINKS, 1, "kind"},
    {"link part", S_LINKS, 1, LINK(part), U8, 0, INDEXES, S_LINKS, 1, "part"},
    {"link of another part", S_LINKS, 1, LINK(row_a), U32, 0, VALUE, S_LINKS, 1, "part"},
    {"link across parts but no stitch", S_LINKS, 0, LINK(kind), U8, HEM_LINK_WARP, VALUE, S_LINKS, 0, "part"},
    {"empty link batch", S_LINKS, 1, LINK(lane_mask), U8, 0, VALUE, S_LINKS, 1, "lane_mask"},
    {"link to a pad", S_LINKS, 3, LINK(rotate), U8, 3, VALUE, S_LINKS, 3, "lane_mask"},
    {"link to the body", S_LINKS, 0, LINK(row_b), U32, 2, VALUE, S_LINKS, 0, "lane_mask"},
    {"rest length of a link", S_LINKS, 1, LINK(rest), F32, -0.5, VALUE, S_LINKS, 1, "rest"},
    {"rest length is a number", S_LINKS, 1, LINK(rest), F32, NAN_VALUE, VALUE, S_LINKS, 1, "rest"},
    {"rest length of an idle lane", S_LINKS, 2, LINK(rest) + 28, F32, 0.5, VALUE, S_LINKS, 2, "rest"},
    {"scale of zero", S_LINKS, 1, LINK(scale), U8, 0, VALUE, S_LINKS, 1, "scale"},
    {"scale of an idle lane", S_LINKS, 2, LINK(scale) + 7, U8, 254, VALUE, S_LINKS, 2, "scale"},
    {"link reserved", S_LINKS, 1, LINK(reserved2), U32, 1, VALUE, S_LINKS, 1, "reserved"},
    {"link run of two that share a row", S_LINKS, 1, LINK(run), U32, 2, BATCH, S_LINKS, 1, "run"},
    {"link run of a tether", S_LINKS, 4, LINK(run), U32, 1, BATCH, S_LINKS, 4, "run"},
    {"link reserved tail", S_LINKS, 1, LINK(reserved2) + 7, U8, 1, VALUE, S_LINKS, 1, "reserved"},
    {"tether from an attached particle", S_LINKS, 1, LINK(kind), U8, HEM_LINK_TETHER, VALUE, S_LINKS, 1, "tether"},
    {"tether to a free particle", S_LINKS, 4, LINK(row_b), U32, 4, VALUE, S_LINKS, 4, "tether"},
    {"index kind", S_INDEXED, 0, INDEX(kind), U8, 6, VALUE, S_INDEXED, 0, "kind"},
    {"index part", S_INDEXED, 0, INDEX(part), U8, 1, INDEXES, S_INDEXED, 0, "part"},
    {"empty index batch", S_INDEXED, 0, INDEX(lane_mask), U8, 0, VALUE, S_INDEXED, 0, "lane_mask"},
    {"index reserved", S_INDEXED, 0, INDEX(reserved), U8, 1, VALUE, S_INDEXED, 0, "reserved"},
    {"index reserved words", S_INDEXED, 0, INDEX(reserved2), U32, 1, VALUE, S_INDEXED, 0, "reserved"},
    {"index reserved tail", S_INDEXED, 0, INDEX(reserved3) + 28, U32, 1, VALUE, S_INDEXED, 0, "reserved"},
    {"index a", S_INDEXED, 0, INDEX(a), U16, 48, INDEXES, S_INDEXED, 0, "a"},
    {"index b of an idle lane", S_INDEXED, 0, INDEX(b) + 14, U16, 65535, INDEXES, S_INDEXED, 0, "b"},
    {"indexed pair twice", S_INDEXED, 0, INDEX(a) + 2, U16, 32, BATCH, S_INDEXED, 0, "lanes"},
    {"indexed pair of one", S_INDEXED, 0, INDEX(b), U16, 32, BATCH, S_INDEXED, 0, "lanes"},
    {"idle lane on a busy particle", S_INDEXED, 0, INDEX(a) + 14, U16, 33, BATCH, S_INDEXED, 0, "lanes"},
    {"indexed link to a pad", S_INDEXED, 0, INDEX(b), U16, 47, VALUE, S_INDEXED, 0, "lane_mask"},
    {"indexed link across parts", S_INDEXED, 0, INDEX(b), U16, 8, VALUE, S_INDEXED, 0, "part"},
    {"indexed rest length", S_INDEXED, 0, INDEX(rest), F32, -1, VALUE, S_INDEXED, 0, "rest"},
    {"indexed scale", S_INDEXED, 0, INDEX(scale) + 1, U8, 0, VALUE, S_INDEXED, 0, "scale"},
    {"group part", S_GROUPS, 0, GROUP(part), U8, 2, INDEXES, S_GROUPS, 0, "part"},
    {"empty group batch", S_GROUPS, 0, GROUP(lane_mask), U8, 0, VALUE, S_GROUPS, 0, "lane_mask"},
    {"group without members", S_GROUPS, 0, GROUP(member_count), U16, 0, COUNT, S_GROUPS, 0, "member_count"},
    {"group with many members", S_GROUPS, 0, GROUP(member_count), U16, 32, COUNT, S_GROUPS, 0, "member_count"},
    {"group reserved", S_GROUPS, 0, GROUP(reserved), U32, 1, VALUE, S_GROUPS, 0, "reserved"},
    {"group reserved tail", S_GROUPS, 1, GROUP(reserved2) + 28, U32, 1, VALUE, S_GROUPS, 1, "reserved"},
    {"group members in order", S_GROUPS, 0, GROUP(member_begin), U32, 1, INDEXES, S_GROUPS, 0, "member_begin"},
    {"group members past the end", S_GROUPS, 0, GROUP(member_count), U16, 2, INDEXES, S_GROUPS, 0, "member_begin"},
    {"group indices left over", S_GROUPS, 1, GROUP(member_count), U16, 1, VALUE, S_GROUPS, 1, "total_mass"},
    {"group row", S_GROUPS, 0, GROUP(own_row), U32, 6, INDEXES, S_GROUPS, 0, "own_row"},
    {"group own of a row batch", S_GROUPS, 0, GROUP(own) + 2, U16, 2, INDEXES, S_GROUPS, 0, "own"},
    {"group own pad", S_GROUPS, 1, GROUP(own), U16, 15, INDEXES, S_GROUPS, 1, "own"},
    {"idle group lane without orientation", S_GROUPS, 1, GROUP(own) + 14, U16, 32, INDEXES, S_GROUPS, 1, "own"},
    {"idle group lane on a member", S_GROUPS, 1, GROUP(own) + 14, U16, 3, INDEXES, S_GROUP_INDEX, 0, "index"},
    {"group center", S_GROUPS, 0, GROUP(center), F32, NAN_VALUE, VALUE, S_GROUPS, 0, "center"},
    {"group mass", S_GROUPS, 0, GROUP(total_mass), F32, 2, VALUE, S_GROUPS, 0, "total_mass"},
    {"group mass of an idle lane", S_GROUPS, 0, GROUP(total_mass) + 28, F32, 0, VALUE, S_GROUPS, 0, "total_mass"},
    {"member row", S_MEMBERS, 0, 0, U32, 6, INDEXES, S_MEMBERS, 0, "row"},
    {"member is the group itself", S_MEMBERS, 0, 0, U32, 0, BATCH, S_GROUPS, 0, "members"},
    {"member of another part", S_MEMBERS, 0, 0, U32, 4, INDEXES, S_MEMBERS, 0, "particle"},
    {"member rotation", S_MEMBERS, 0, 4, U8, 8, VALUE, S_MEMBERS, 0, "rotate"},
    {"member is a pad", S_MEMBERS, 0, 4, U8, 1, INDEXES, S_MEMBERS, 0, "particle"},
    {"member mask", S_MEMBERS, 0, 5, U8, 0xff, VALUE, S_MEMBERS, 0, "lane_mask"},
    {"member reserved", S_MEMBERS, 0, 6, U16, 1, VALUE, S_MEMBERS, 0, "reserved"},
    {"indexed member", S_GROUP_INDEX, 0, 0, U16, 48, INDEXES, S_GROUP_INDEX, 0, "index"},
    {"indexed member twice", S_GROUP_INDEX, 0, 2, U16, 1, BATCH, S_GROUPS, 1, "members"},
    {"indexed member mask", S_GROUP_INDEX, 1, 16, U8, 0, INDEXES, S_GROUP_INDEX, 1, "index"},
    {"indexed member idle lane", S_GROUP_INDEX, 1, 14, U16, 20, INDEXES, S_GROUP_INDEX, 1, "index"},
    {"indexed member reserved", S_GROUP_INDEX, 0, 17, U8, 1, VALUE, S_GROUP_INDEX, 0, "reserved"},
    {"spring kind", S_ROWS, 0, ROW(kind), U8, HEM_KIND_WARP, VALUE, S_ROWS, 0, "kind"},
    {"spring part", S_ROWS, 0, ROW(part), U8, 0, INDEXES, S_ROWS, 0, "part"},
    {"empty row batch", S_ROWS, 0, ROW(lane_mask), U8, 0, VALUE, S_ROWS, 0, "lane_mask"},
    {"row form", S_ROWS, 0, ROW(form), U8, HEM_FORM_STRANDS, VALUE, S_ROWS, 0, "form"},
    {"row arity", S_ROWS, 0, ROW(member_count), U16, 3, COUNT, S_ROWS, 0, "member_count"},
    {"row batch reserved", S_ROWS, 1, ROW(reserved), U16, 1, VALUE, S_ROWS, 1, "reserved"},
    {"row batch reserved tail", S_ROWS, 1, ROW(reserved2), U32, 1, VALUE, S_ROWS, 1, "reserved"},
    {"row past the end", S_ROWS, 0, ROW(rows) + 2, U16, 6, INDEXES, S_ROWS, 0, "rows"},
    {"row past the arity", S_ROWS, 0, ROW(rows) + 4, U16, 1, INDEXES, S_ROWS, 0, "rows"},
    {"one row twice", S_ROWS, 0, ROW(rows) + 2, U16, 3, BATCH, S_ROWS, 0, "rows"},
    {"first row rotated", S_ROWS, 0, ROW(rotates), U8, 1, VALUE, S_ROWS, 0, "rotates"},
    {"row rotation", S_ROWS, 0, ROW(rotates) + 1, U8, 8, VALUE, S_ROWS, 0, "rotates"},
    {"row batch onto a pad", S_ROWS, 0, ROW(rotates) + 1, U8, 3, VALUE, S_ROWS, 0, "lane_mask"},
    {"spring onto the body", S_ROWS, 0, ROW(rows) + 2, U16, 2, VALUE, S_ROWS, 0, "lane_mask"},
    {"spring of another part", S_ROWS, 0, ROW(rows), U16, 0, VALUE, S_ROWS, 0, "part"},
    {"members of a batch in rows", S_ROWS, 0, ROW(member_begin), U32, 1, VALUE, S_ROWS, 0, "member_begin"},
    {"rows of an indexed batch", S_ROWS, 1, ROW(rows), U16, 1, VALUE, S_ROWS, 1, "rows"},
    {"indices in order", S_ROWS, 1, ROW(member_begin), U32, 1, INDEXES, S_ROWS, 1, "member_begin"},
    {"payload in order", S_ROWS, 1, ROW(payload), U32, 0, INDEXES, S_ROWS, 1, "payload"},
    {"row index", S_ROW_INDEX, 1, 14, U16, 48, INDEXES, S_ROW_INDEX, 1, "index"},
    {"row index mask", S_ROW_INDEX, 1, 16, U8, 7, VALUE, S_ROW_INDEX, 1, "lane_mask"},
    {"row index reserved", S_ROW_INDEX, 1, 17, U8, 1, VALUE, S_ROW_INDEX, 1, "reserved"},
    {"spring twice at a particle", S_ROW_INDEX, 0, 2, U16, 32, BATCH, S_ROWS, 1, "lanes"},
    {"spring rest length", S_SPRINGS, 0, SPRING(rest), F32, -0.5, VALUE, S_SPRINGS, 0, "rest"},
    {"spring rest length of an idle lane", S_SPRINGS, 0, SPRING(rest) + 28, F32, 0.5, VALUE, S_SPRINGS, 0, "rest"},
    {"rigid spring", S_SPRINGS, 0, SPRING(compliance), F32, 0, VALUE, S_SPRINGS, 0, "compliance"},
    {"spring compliance of an idle lane", S_SPRINGS, 1, SPRING(compliance) + 8, F32, 2, VALUE, S_SPRINGS, 1, "compliance"},
    {"spring damping", S_SPRINGS, 0, SPRING(damping), F32, NAN_VALUE, VALUE, S_SPRINGS, 0, "damping"},
    {"bend that pulls", S_BENDS, 0, 0, F32, -1, VALUE, S_BENDS, 0, "c"},
    {"bend is a number", S_BENDS, 0, 64, F32, NAN_VALUE, VALUE, S_BENDS, 0, "c"},
    {"bend of an idle lane", S_BENDS, 0, 4, F32, 1, VALUE, S_BENDS, 0, "c"},
    {"rigid bend", S_BENDS, 0, offsetof(hem_bend, compliance), F32, 0, VALUE, S_BENDS, 0, "compliance"},
    {"bend compliance of an idle lane", S_BENDS, 0, offsetof(hem_bend, compliance) + 4, F32, 2, VALUE, S_BENDS, 0, "compliance"},
    {"dihedral rest angle", S_DIHEDRALS, 0, 0, F32, 1, VALUE, S_DIHEDRALS, 0, "cosine"},
    {"dihedral rest angle of an idle lane", S_DIHEDRALS, 0, 4, F32, -1, VALUE, S_DIHEDRALS, 0, "cosine"},
    {"rigid dihedral", S_DIHEDRALS, 0, offsetof(hem_dihedral, compliance), F32, 0, VALUE, S_DIHEDRALS, 0, "compliance"},
    {"painted friction", S_MAPS, 1, 0, F32, 1.5, VALUE, S_MAPS, 1, "friction"},
    {"painted drag", S_MAPS, 0, offsetof(hem_map_row, drag) + 8, F32, -0.5, VALUE, S_MAPS, 0, "drag"},
    {"painted damping", S_MAPS, 2, offsetof(hem_map_row, damping), F32, NAN_VALUE, VALUE, S_MAPS, 2, "damping"},
    {"painted contact", S_MAPS, 0, offsetof(hem_map_row, contact) + 28, F32, 2, VALUE, S_MAPS, 0, "contact"},
    {"half a guide", S_HAIR, 0, 0, F32, 0.5, VALUE, S_HAIR, 0, "guide"},
    {"guide below none", S_HAIR, 0, 4, F32, -2, VALUE, S_HAIR, 0, "guide"},
    {"crowd of no guide", S_HAIR, 2, offsetof(hem_hair_row, uncrowd), F32, 1, VALUE, S_HAIR, 2, "uncrowd"},
    {"crowd beyond all", S_HAIR, 0, offsetof(hem_hair_row, uncrowd), F32, 17, VALUE, S_HAIR, 0, "uncrowd"},
    {"group rest x", S_GROUP_REST, 0, 0, F32, NAN_VALUE, VALUE, S_GROUP_REST, 0, "x"},
    {"group rest y", S_GROUP_REST, 0, 36, F32, 2e6, VALUE, S_GROUP_REST, 0, "y"},
    {"group rest z", S_GROUP_REST, 0, 92, F32, -2e6, VALUE, S_GROUP_REST, 0, "z"},
    {"group rest mass", S_GROUP_REST, 0, 96, F32, 77, VALUE, S_GROUP_REST, 0, "mass"},
    {"triangle sides", S_TRIANGLES, 0, 0, F32, 1e7, VALUE, S_TRIANGLES, 0, "q"},
    {"triangle of an idle lane", S_TRIANGLES, 0, 28, F32, 1, VALUE, S_TRIANGLES, 0, "q"},
    {"triangle area", S_TRIANGLES, 0, offsetof(hem_triangle, inverse_area), F32, 0, VALUE, S_TRIANGLES, 0, "inverse_area"},
    {"triangle payload", S_ROWS, 4, ROW(payload), U32, 1, INDEXES, S_ROWS, 4, "payload"},
    {"bend payload", S_ROWS, 2, ROW(payload), U32, 1, INDEXES, S_ROWS, 2, "payload"},
    {"dihedral payload", S_ROWS, 3, ROW(payload), U32, 1, INDEXES, S_ROWS, 3, "payload"},
    {"triangle of another part", S_ROWS, 4, ROW(rows) + 4, U16, 0, VALUE, S_ROWS, 4, "part"},
    {"triangle kind", S_ROWS, 4, ROW(kind), U8, HEM_KIND_SPRING, VALUE, S_ROWS, 4, "kind"},
    {"bend kind", S_ROWS, 2, ROW(kind), U8, HEM_KIND_DIHEDRAL, VALUE, S_ROWS, 2, "kind"},
    {"dihedral arity", S_ROWS, 3, ROW(member_count), U16, 3, COUNT, S_ROWS, 3, "member_count"},
    {"row constraints", S_INFO, 0, INFO(row_constraint_count), U32, 15, COUNT, S_INFO, 0, "row_constraint_count"},
    {"collider name", S_COLLIDERS, 0, COLLIDER(name_offset), U32, 1e6, INDEXES, S_COLLIDERS, 0, "name_offset"},
    {"collider kind", S_COLLIDERS, 0, COLLIDER(kind), U32, 6, VALUE, S_COLLIDERS, 0, "kind"},
    {"collider bone", S_COLLIDERS, 0, COLLIDER(bone), U32, 2, INDEXES, S_COLLIDERS, 0, "bone"},
    {"collider group", S_COLLIDERS, 0, COLLIDER(collision_group), U32, 0, VALUE, S_COLLIDERS, 0, "collision_group"},
    {"collider rotation", S_COLLIDERS, 0, COLLIDER(rotation), F32, 1, VALUE, S_COLLIDERS, 0, "rotation"},
    {"collider position", S_COLLIDERS, 0, COLLIDER(position), F32, NAN_VALUE, VALUE, S_COLLIDERS, 0, "position"},
    {"collider friction", S_COLLIDERS, 0, COLLIDER(friction), F32, 2, VALUE, S_COLLIDERS, 0, "friction"},
    {"collider size", S_COLLIDERS, 1, COLLIDER(size), F32, -1, VALUE, S_COLLIDERS, 1, "size"},
    {"collider size without use", S_COLLIDERS, 1, COLLIDER(size) + 4, F32, 1, VALUE, S_COLLIDERS, 1, "size"},
    {"planes of a sphere", S_COLLIDERS, 1, COLLIDER(plane_count), U32, 4, INDEXES, S_COLLIDERS, 1, "plane_begin"},
    {"hull planes past the end", S_COLLIDERS, 4, COLLIDER(plane_count), U32, 5, INDEXES, S_COLLIDERS, 4, "plane_begin"},
    {"hull with few planes", S_COLLIDERS, 4, COLLIDER(plane_count), U32, 3, COUNT, S_COLLIDERS, 4, "plane_count"},
    {"collider reserved", S_COLLIDERS, 0, COLLIDER(reserved), U32, 1, VALUE, S_COLLIDERS, 0, "reserved"},
    {"plane normal", S_PLANES, 2, 0, F32, 1, VALUE, S_PLANES, 2, "normal"},
    {"plane offset", S_PLANES, 2, 12, F32, NAN_VALUE, VALUE, S_PLANES, 2, "offset"},
    {"mesh name", S_MESHES, 0, MESH(name_offset), U32, 1e6, INDEXES, S_MESHES, 0, "name_offset"},
    {"mesh vertices", S_MESHES, 1, MESH(vertex_begin), U32, 7, COUNT, S_MESHES, 1, "vertex_begin"},
    {"mesh vertices left over", S_MESHES, 1, MESH(vertex_count), U32, 2, INDEXES, S_INDICES, 8, "vertex"},
    {"mesh triangles", S_MESHES, 1, MESH(index_count), U32, 2, COUNT, S_MESHES, 1, "index_begin"},
    {"mesh triangles left over", S_MESHES, 1, MESH(index_count), U32, 0, COUNT, S_MESHES, 2, "index_count"},
    {"mesh flags", S_MESHES, 1, MESH(flags), U32, 1, VALUE, S_MESHES, 1, "flags"},
    {"mesh reserved", S_MESHES, 0, MESH(reserved) + 24, U32, 1, VALUE, S_MESHES, 0, "reserved"},
    {"vertex position", S_VREST, 4, 0, F32, NAN_VALUE, VALUE, S_VREST, 4, "position"},
    {"vertex normal", S_VREST, 4, 12, F32, 1, VALUE, S_VREST, 4, "normal"},
    {"vertex tangent", S_VREST, 4, 24, F32, 0.5, VALUE, S_VREST, 4, "tangent"},
    {"tangent handedness", S_VREST, 4, 36, F32, 0.5, VALUE, S_VREST, 4, "tangent"},
    {"handedness without tangent", S_VREST, 5, 36, F32, 1, VALUE, S_VREST, 5, "tangent"},
    {"vertex particle", S_VBIND, 2, BIND(particle) + 6, U16, 48, INDEXES, S_VBIND, 2, "particle"},
    {"vertex on a pad", S_VBIND, 2, BIND(particle), U16, 47, INDEXES, S_VBIND, 2, "particle"},
    {"vertex on the body", S_VBIND, 2, BIND(particle), U16, 16, INDEXES, S_VBIND, 2, "particle"},
    {"vertex bone", S_VBIND, 2, BIND(bone) + 6, U16, 2, INDEXES, S_VBIND, 2, "bone"},
    {"particle weights", S_VBIND, 2, BIND(particle_weight), U16, 60001, VALUE, S_VBIND, 2, "particle_weight"},
    {"bone weights", S_VBIND, 2, BIND(bone_weight), U16, 39999, VALUE, S_VBIND, 2, "bone_weight"},
    {"vertex without blend", S_VBIND, 9, BIND(particle), U16, 1, VALUE, S_VBIND, 9, "blend"},
    {"vertex reserved", S_VBIND, 9, BIND(reserved), U16, 1, VALUE, S_VBIND, 9, "reserved"},
    {"vertex block", S_BLOCKS, 0, 0, U8, HEM_BLOCK_PARTICLES, VALUE, S_BLOCKS, 0, "block"},
    {"last vertex block", S_BLOCKS, 1, 0, U8, HEM_BLOCK_MIXED, VALUE, S_BLOCKS, 1, "block"},
    {"triangle outside its mesh", S_INDICES, 7, 0, U32, 7, INDEXES, S_INDICES, 7, "vertex"},
    {"clip name", S_CLIPS, 1, 0, U32, 1e6, INDEXES, S_CLIPS, 1, "name_offset"},
    {"clip frames in order", S_CLIPS, 1, 4, U32, 1, COUNT, S_CLIPS, 1, "frame_begin"},
    {"clip without frames", S_CLIPS, 1, 8, U32, 0, COUNT, S_CLIPS, 1, "frame_begin"},
    {"clip past the end", S_CLIPS, 1, 8, U32, 2, COUNT, S_CLIPS, 1, "frame_begin"},
    {"clip rate", S_CLIPS, 0, 12, F32, 0, VALUE, S_CLIPS, 0, "hz"},
    {"clip flags", S_CLIPS, 0, 16, U32, 2, VALUE, S_CLIPS, 0, "flags"},
    {"clip reserved", S_CLIPS, 0, 20, U32, 1, VALUE, S_CLIPS, 0, "reserved"},
    {"clip matrix", S_CLIP_FRAMES, 3, 44, F32, NAN_VALUE, VALUE, S_CLIP_FRAMES, 3, "matrix"},
};
// clang-format on

TEST a_valid_file_is_accepted(void) {
    fixture f = fixture_make();
    hem_view view;
    hem_format_fault fault;
    const hem_format_result r = hem_validate(f.bytes, f.size, &view, &fault);
    if (r != HEM_FORMAT_OK) {
        fprintf(stderr, "%s: %s[%u].%s\n", hem_format_result_text(r), hem_section_name(fault.section), fault.element,
                fault.field);
    }
    ASSERT_EQ(HEM_FORMAT_OK, r);
    ASSERT_EQ(6, view.info->row_count);
    ASSERT_EQ(3, view.frame_row_count);
    ASSERT_EQ(5, view.link_batch_count);
    ASSERT_EQ(3, view.clip_frame_count);
    ASSERT_STR_EQ("cloth", view.strings + view.parts[2].name_offset);
    ASSERT(walk_view(&view) == walk_view(&view));
    fixture_free(&f);
    PASS();
}

TEST every_rule_has_its_code_and_field(void) {
    int wrong = 0;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); ++i) {
        const spoiled* row = &table[i];
        fixture f = fixture_make();
        const fixture_edit edit = {row->section, row->element, row->offset, row->type, row->value};
        fixture_set(&f, &edit);
        hem_view view;
        hem_format_fault fault;
        const hem_format_result r = hem_validate(f.bytes, f.size, &view, &fault);
        if (r != row->result || fault.section != row->fault_section || fault.element != row->fault_element ||
            strcmp(fault.field, row->field) != 0) {
            fprintf(stderr, "%s: got %d %s[%u].%s, want %d %s[%u].%s\n", row->rule, r, hem_section_name(fault.section),
                    fault.element, fault.field, row->result, hem_section_name(row->fault_section), row->fault_element,
                    row->field);
            ++wrong;
        }
        wrong += view.info != NULL; // a refused file gives no view
        fixture_free(&f);
    }
    ASSERT_EQ(0, wrong);
    PASS();
}

// -- The section table

typedef struct spoiled_entry {
    const char* rule;
    uint32_t kind;
    size_t offset;
    int64_t change; // added to a 32-bit field
    const char* field;
} spoiled_entry;

TEST the_section_table_is_checked(void) {
    static const spoiled_entry entries[] = {
        {"unknown kind", HEM_SECTION_PREVIEW_FRAMES, offsetof(hem_section, kind), 1, "kind"},
        {"kind twice", HEM_SECTION_STRINGS, offsetof(hem_section, kind), -1, "kind"},
        {"element size", HEM_SECTION_BONES, offsetof(hem_section, element_size), 4, "element_size"},
        {"size", HEM_SECTION_BONES, offsetof(hem_section, size), 64, "size"},
        {"offset", HEM_SECTION_BONES, offsetof(hem_section, offset), 64, "offset"},
        {"misaligned offset", HEM_SECTION_BONES, offsetof(hem_section, offset), 4, "offset"},
        {"overlap", HEM_SECTION_BONES, offsetof(hem_section, offset), -64, "offset"},
        {"reserved", HEM_SECTION_BONES, offsetof(hem_section, reserved), 1, "reserved"},
        {"count", HEM_SECTION_BONES, offsetof(hem_section, element_count), 1, "size"},
        {"empty", HEM_SECTION_BONES, offsetof(hem_section, element_count), -2, "element_count"},
    };
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); ++i) {
        fixture f = fixture_make();
        uint32_t value;
        uint8_t* at = (uint8_t*)fixture_entry(&f, entries[i].kind) + entries[i].offset;
        memcpy(&value, at, sizeof value);
        value = (uint32_t)(value + entries[i].change);
        memcpy(at, &value, sizeof value);
        hem_view view;
        hem_format_fault fault;
        ASSERT_EQ_FMT(HEM_FORMAT_BAD_SECTION, hem_validate(f.bytes, f.size, &view, &fault), "%d");
        ASSERT_STR_EQ(entries[i].field, fault.field);
        fixture_free(&f);
    }
    PASS();
}

TEST gaps_are_zero(void) {
    fixture f = fixture_make();
    const hem_section* strings = fixture_entry(&f, HEM_SECTION_STRINGS);
    f.bytes[strings->offset + strings->size] = 1;
    hem_view view;
    hem_format_fault fault;
    ASSERT_EQ(HEM_FORMAT_BAD_SECTION, hem_validate(f.bytes, f.size, &view, &fault));
    ASSERT_STR_EQ("gap", fault.field);
    f.bytes[strings->offset + strings->size] = 0;
    f.bytes[f.size - 1] = 1;
    ASSERT_EQ(HEM_FORMAT_BAD_SECTION, hem_validate(f.bytes, f.size, &view, &fault));
    fixture_free(&f);
    PASS();
}

static fixture resized(uint32_t kind, uint32_t element_count) {
    return fixture_with(fixture_make(), kind, 0, element_count, NULL);
}

TEST sections_have_the_length_that_others_say(void) {
    static const struct {
        uint32_t kind, element_count;
        hem_format_result result;
        uint32_t fault_section;
    } rows[] = {
        {HEM_SECTION_INFO, 2, HEM_FORMAT_BAD_COUNT, HEM_SECTION_INFO},
        {HEM_SECTION_PARTS, 4, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PARTS},
        {HEM_SECTION_TUNING, 2, HEM_FORMAT_BAD_COUNT, HEM_SECTION_TUNING},
        {HEM_SECTION_BONES, 3, HEM_FORMAT_BAD_COUNT, HEM_SECTION_BONES},
        {HEM_SECTION_REST_ROWS, 5, HEM_FORMAT_BAD_COUNT, HEM_SECTION_REST_ROWS},
        {HEM_SECTION_SHAPE_ROWS, 7, HEM_FORMAT_BAD_COUNT, HEM_SECTION_SHAPE_ROWS},
        {HEM_SECTION_BIND_ROWS, 5, HEM_FORMAT_BAD_COUNT, HEM_SECTION_BIND_ROWS},
        {HEM_SECTION_PARTICLE_FLAGS, 47, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PARTICLE_FLAGS},
        {HEM_SECTION_ANIM_ROWS, 4, HEM_FORMAT_BAD_COUNT, HEM_SECTION_ANIM_ROWS},
        {HEM_SECTION_LIMIT_ROWS, 2, HEM_FORMAT_BAD_INDEX, HEM_SECTION_LIMIT_ROWS},
        {HEM_SECTION_GROUP_MEMBERS, 2, HEM_FORMAT_BAD_COUNT, HEM_SECTION_GROUP_MEMBERS},
        {HEM_SECTION_GROUP_INDICES, 3, HEM_FORMAT_BAD_COUNT, HEM_SECTION_GROUP_INDICES},
        {HEM_SECTION_FRAME_ROWS, 4, HEM_FORMAT_BAD_COUNT, HEM_SECTION_FRAME_ROWS},
        {HEM_SECTION_IGNORE_STARTS, 48, HEM_FORMAT_BAD_COUNT, HEM_SECTION_IGNORE_STARTS},
        {HEM_SECTION_IGNORE_LIST, 7, HEM_FORMAT_BAD_COUNT, HEM_SECTION_IGNORE_STARTS},
        {HEM_SECTION_COLLIDERS, 257, HEM_FORMAT_BAD_COUNT, HEM_SECTION_COLLIDERS},
        {HEM_SECTION_HULL_PLANES, 5, HEM_FORMAT_BAD_COUNT, HEM_SECTION_HULL_PLANES},
        {HEM_SECTION_PREVIEW_COLORS, 10, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PREVIEW_COLORS},
        {HEM_SECTION_PREVIEW_FRAMES, 5, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PREVIEW_FRAMES},
        {HEM_SECTION_PREVIEW_FRAMES, 8, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PREVIEW_FRAMES},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        fixture f = resized(rows[i].kind, rows[i].element_count);
        hem_view view;
        hem_format_fault fault;
        const hem_format_result r = hem_validate(f.bytes, f.size, &view, &fault);
        if (r != rows[i].result || fault.section != rows[i].fault_section) {
            fprintf(stderr, "%s of %u: %s\n", hem_section_name(rows[i].kind), rows[i].element_count, fault.field);
        }
        ASSERT_EQ_FMT((int)rows[i].result, (int)r, "%d");
        ASSERT_EQ_FMT(rows[i].fault_section, fault.section, "%u");
        fixture_free(&f);
    }
    PASS();
}

TEST missing_sections_are_named(void) {
    static const uint32_t required[] = {
        HEM_SECTION_INFO,          HEM_SECTION_STRINGS,        HEM_SECTION_PARTS,      HEM_SECTION_TUNING,
        HEM_SECTION_BONES,         HEM_SECTION_REST_ROWS,      HEM_SECTION_SHAPE_ROWS, HEM_SECTION_BIND_ROWS,
        HEM_SECTION_IGNORE_STARTS, HEM_SECTION_PARTICLE_FLAGS,
    };
    for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); ++i) {
        fixture f = resized(required[i], 0);
        hem_view view;
        hem_format_fault fault;
        ASSERT_EQ(HEM_FORMAT_MISSING_SECTION, hem_validate(f.bytes, f.size, &view, &fault));
        ASSERT_EQ(required[i], fault.section);
        fixture_free(&f);
    }
    // Those that follow from a count elsewhere are missed by that count.
    static const struct {
        uint32_t kind;
        hem_format_result result;
    } implied[] = {
        {HEM_SECTION_FRAME_ROWS, HEM_FORMAT_BAD_COUNT},     {HEM_SECTION_ANIM_ROWS, HEM_FORMAT_BAD_INDEX},
        {HEM_SECTION_LIMIT_ROWS, HEM_FORMAT_BAD_COUNT},     {HEM_SECTION_LINK_BATCHES, HEM_FORMAT_BAD_COUNT},
        {HEM_SECTION_INDEX_BATCHES, HEM_FORMAT_BAD_COUNT},  {HEM_SECTION_GROUP_BATCHES, HEM_FORMAT_BAD_COUNT},
        {HEM_SECTION_GROUP_MEMBERS, HEM_FORMAT_BAD_INDEX},  {HEM_SECTION_GROUP_INDICES, HEM_FORMAT_BAD_INDEX},
        {HEM_SECTION_IGNORE_LIST, HEM_FORMAT_BAD_INDEX},    {HEM_SECTION_COLLIDERS, HEM_FORMAT_BAD_COUNT},
        {HEM_SECTION_HULL_PLANES, HEM_FORMAT_BAD_INDEX},    {HEM_SECTION_MESHES, HEM_FORMAT_BAD_COUNT},
        {HEM_SECTION_VERTEX_REST, HEM_FORMAT_BAD_COUNT},    {HEM_SECTION_VERTEX_BIND, HEM_FORMAT_BAD_COUNT},
        {HEM_SECTION_VERTEX_BLOCKS, HEM_FORMAT_BAD_COUNT},  {HEM_SECTION_PREVIEW_INDICES, HEM_FORMAT_BAD_COUNT},
        {HEM_SECTION_PREVIEW_COLORS, HEM_FORMAT_OK},        {HEM_SECTION_PREVIEW_CLIPS, HEM_FORMAT_BAD_COUNT},
        {HEM_SECTION_PREVIEW_FRAMES, HEM_FORMAT_BAD_COUNT},
    };
    for (size_t i = 0; i < sizeof(implied) / sizeof(implied[0]); ++i) {
        fixture f = resized(implied[i].kind, 0);
        hem_view view;
        const hem_format_result r = hem_validate(f.bytes, f.size, &view, NULL);
        if (r != implied[i].result) {
            fprintf(stderr, "without %s\n", hem_section_name(implied[i].kind));
        }
        ASSERT_EQ_FMT((int)implied[i].result, (int)r, "%d");
        fixture_free(&f);
    }
    PASS();
}

// -- What needs more than one field

TEST limits_hold_simulated_particles_only(void) {
    fixture f = fixture_make();
    hem_limit_row* limit = fixture_section(&f, HEM_SECTION_LIMIT_ROWS);
    limit->row = 3;
    limit->anim_row = 1;
    hem_view view;
    hem_format_fault fault;
    ASSERT_EQ(HEM_FORMAT_BAD_VALUE, hem_validate(f.bytes, f.size, &view, &fault));
    ASSERT_EQ(HEM_SECTION_LIMIT_ROWS, fault.section);
    ASSERT_STR_EQ("lanes", fault.field);
    fixture_free(&f);
    PASS();
}

TEST a_row_of_pads_is_refused(void) {
    fixture f = fixture_make();
    uint32_t* flags = fixture_section(&f, HEM_SECTION_PARTICLE_FLAGS);
    hem_info* info = fixture_section(&f, HEM_SECTION_INFO);
    for (int i = 16; i < 19; ++i) {
        flags[i] = HEM_PARTICLE_PAD | 1u << HEM_PARTICLE_PART_SHIFT;
    }
    info->body_count = 0;
    info->real_particle_count -= 3;
    hem_view view;
    hem_format_fault fault;
    ASSERT_EQ(HEM_FORMAT_BAD_VALUE, hem_validate(f.bytes, f.size, &view, &fault));
    ASSERT_STR_EQ("pad", fault.field);
    fixture_free(&f);
    PASS();
}

TEST links_between_immovable_ends_are_refused(void) {
    fixture f = fixture_make();
    uint32_t* flags = fixture_section(&f, HEM_SECTION_PARTICLE_FLAGS);
    hem_info* info = fixture_section(&f, HEM_SECTION_INFO);
    hem_shape_row* shape = fixture_section(&f, HEM_SECTION_SHAPE_ROWS);
    hem_anim_row* anim = fixture_section(&f, HEM_SECTION_ANIM_ROWS);
    // Lane 7 of row 4 becomes attached, like lane 7 of row 3 to which it is linked.
    flags[39] |= HEM_PARTICLE_ANIMATED;
    shape[4].inverse_mass[7] = 0;
    anim[2].animated_mask = 0x80;
    anim[2].target_mask = 0x9f;
    --info->simulated_count;
    ++info->attached_count;
    hem_view view;
    hem_format_fault fault;
    ASSERT_EQ(HEM_FORMAT_BAD_VALUE, hem_validate(f.bytes, f.size, &view, &fault));
    ASSERT_EQ(HEM_SECTION_LINK_BATCHES, fault.section);
    ASSERT_STR_EQ("inverse_mass", fault.field);
    fixture_free(&f);
    PASS();
}

TEST momentum_parts_have_movable_attached_particles(void) {
    fixture f = fixture_make();
    hem_part* parts = fixture_section(&f, HEM_SECTION_PARTS);
    hem_shape_row* shape = fixture_section(&f, HEM_SECTION_SHAPE_ROWS);
    parts[2].animation = HEM_ANIMATE_MOMENTUM;
    hem_view view;
    hem_format_fault fault;
    ASSERT_EQ(HEM_FORMAT_BAD_VALUE, hem_validate(f.bytes, f.size, &view, &fault));
    ASSERT_STR_EQ("inverse_mass", fault.field);
    for (int lane = 0; lane < HEM_LANES; ++lane) {
        shape[3].inverse_mass[lane] = 2;
    }
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(f.bytes, f.size, &view, &fault));
    fixture_free(&f);
    PASS();
}

static enum greatest_test_res refused(const fixture* f, hem_format_result result, uint32_t section, const char* field) {
    hem_view view;
    hem_format_fault fault;
    ASSERT_EQ_FMT((int)result, (int)hem_validate(f->bytes, f->size, &view, &fault), "%d");
    ASSERT_EQ_FMT(section, fault.section, "%u");
    ASSERT_STR_EQ(field, fault.field);
    PASS();
}

TEST an_asset_has_one_body_at_most(void) {
    fixture f = fixture_make();
    hem_part* parts = fixture_section(&f, HEM_SECTION_PARTS);
    parts[0].kind = HEM_PART_BODY;
    CHECK_CALL(refused(&f, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PARTS, "kind"));
    fixture_free(&f);
    PASS();
}

TEST group_batches_belong_to_a_soft_part(void) {
    fixture f = fixture_make();
    hem_part* parts = fixture_section(&f, HEM_SECTION_PARTS);
    parts[0].kind = HEM_PART_BODY;
    parts[1].kind = HEM_PART_SOFT;
    CHECK_CALL(refused(&f, HEM_FORMAT_BAD_VALUE, HEM_SECTION_RANGES, "groups"));
    fixture_free(&f);
    PASS();
}

TEST pads_have_no_groups(void) {
    fixture f = fixture_make();
    hem_group_batch* groups = fixture_section(&f, HEM_SECTION_GROUP_BATCHES);
    groups[0].own_row = 1;
    groups[0].lane_mask = 0xff; // lane 7 is a pad
    for (uint16_t lane = 0; lane < HEM_LANES; ++lane) {
        groups[0].own[lane] = (uint16_t)(8 + lane);
    }
    CHECK_CALL(refused(&f, HEM_FORMAT_BAD_INDEX, HEM_SECTION_GROUP_BATCHES, "own"));
    fixture_free(&f);
    PASS();
}

TEST indexed_members_are_of_lanes_with_a_group(void) {
    fixture f = fixture_make();
    hem_group_index* members = fixture_section(&f, HEM_SECTION_GROUP_INDICES);
    members[1].lane_mask = 0x05;
    members[1].index[2] = 4;
    CHECK_CALL(refused(&f, HEM_FORMAT_BAD_VALUE, HEM_SECTION_GROUP_INDICES, "lane_mask"));
    fixture_free(&f);
    PASS();
}

TEST a_row_may_stand_twice_in_a_group_when_lanes_differ(void) {
    fixture f = resized(HEM_SECTION_GROUP_MEMBERS, 2);
    hem_group_batch* groups = fixture_section(&f, HEM_SECTION_GROUP_BATCHES);
    hem_group_member* members = fixture_section(&f, HEM_SECTION_GROUP_MEMBERS);
    hem_info* info = fixture_section(&f, HEM_SECTION_INFO);
    // Lane 0 takes lanes 0 and 1 of row 1, lane 4 takes lane 4.
    groups[0].member_count = 2;
    groups[0].lane_mask = 0x11;
    groups[0].total_mass[0] = 1.5f;
    members[0].lane_mask = 0x11;
    members[1] = (hem_group_member){.row = 1, .rotate = 1, .lane_mask = 0x01};
    info->group_count = 4;
    info->lane_fill = (float)(info->link_count + 4 + info->row_constraint_count) / 104.0f;
    info->indexed_share = 9.0f / (float)(info->link_count + 4 + info->row_constraint_count);
    hem_view view;
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(f.bytes, f.size, &view, NULL));
    // Lane 4 reaching back to lane 1 would meet lane 0's second member.
    members[0].lane_mask = 0x01;
    members[1].lane_mask = 0x01;
    members[0].rotate = 1;
    CHECK_CALL(refused(&f, HEM_FORMAT_BAD_BATCH, HEM_SECTION_GROUP_BATCHES, "members"));
    fixture_free(&f);
    PASS();
}

TEST group_members_leave_no_gap(void) {
    fixture f = resized(HEM_SECTION_GROUP_MEMBERS, 2);
    hem_group_batch* groups = fixture_section(&f, HEM_SECTION_GROUP_BATCHES);
    hem_group_member* members = fixture_section(&f, HEM_SECTION_GROUP_MEMBERS);
    groups[0].member_begin = 1;
    members[1] = members[0];
    CHECK_CALL(refused(&f, HEM_FORMAT_BAD_INDEX, HEM_SECTION_GROUP_BATCHES, "member_begin"));
    fixture_free(&f);
    PASS();
}

TEST meshes_cover_all_vertices(void) {
    fixture f = fixture_make();
    hem_mesh* meshes = fixture_section(&f, HEM_SECTION_MESHES);
    uint32_t* indices = fixture_section(&f, HEM_SECTION_PREVIEW_INDICES);
    meshes[1].vertex_count = 2;
    indices[8] = 9;
    CHECK_CALL(refused(&f, HEM_FORMAT_BAD_COUNT, HEM_SECTION_MESHES, "vertex_count"));
    fixture_free(&f);
    PASS();
}

TEST strings_end(void) {
    fixture f = fixture_make();
    const hem_section* strings = fixture_entry(&f, HEM_SECTION_STRINGS);
    f.bytes[strings->offset + strings->size - 1] = 'x';
    hem_view view;
    hem_format_fault fault;
    ASSERT_EQ(HEM_FORMAT_BAD_VALUE, hem_validate(f.bytes, f.size, &view, &fault));
    ASSERT_STR_EQ("last byte", fault.field);
    fixture_free(&f);
    PASS();
}

TEST misaligned_bytes_are_refused(void) {
    fixture f = fixture_make();
    uint8_t* block = aligned_alloc(HEM_ALIGNMENT, f.size + HEM_ALIGNMENT);
    hem_view view;
    hem_format_fault fault;
    for (size_t shift = 1; shift < HEM_ALIGNMENT; ++shift) {
        memcpy(block + shift, f.bytes, f.size);
        ASSERT_EQ(HEM_FORMAT_MISALIGNED, hem_validate(block + shift, f.size, &view, &fault));
    }
    ASSERT_EQ(HEM_FORMAT_TOO_SHORT, hem_validate(NULL, 0, &view, &fault));
    ASSERT_EQ(HEM_FORMAT_TOO_SHORT, hem_validate(NULL, f.size, &view, &fault));
    free(block);
    fixture_free(&f);
    PASS();
}

TEST tuning_alone_is_checked_the_same(void) {
    fixture f = fixture_make();
    hem_tuning* tuning = fixture_section(&f, HEM_SECTION_TUNING);
    hem_format_fault fault;
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate_tuning(tuning, 3, &fault));
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate_tuning(tuning, 3, NULL));
    tuning[2].friction = 1.5f;
    ASSERT_EQ(HEM_FORMAT_BAD_VALUE, hem_validate_tuning(tuning, 3, &fault));
    ASSERT_EQ(2, fault.element);
    ASSERT_STR_EQ("friction", fault.field);
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate_tuning(tuning, 2, &fault));
    fixture_free(&f);
    PASS();
}

TEST every_result_has_its_own_text(void) {
    const int results[] = {
#define VALUE_OF(name, value, text) value,
        HEM_FORMAT_RESULTS(VALUE_OF)
#undef VALUE_OF
    };
    const size_t count = sizeof(results) / sizeof(results[0]);
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < i; ++k) {
            ASSERT(strcmp(hem_format_result_text((hem_format_result)results[i]),
                          hem_format_result_text((hem_format_result)results[k])) != 0);
        }
    }
    ASSERT_STR_EQ("unknown result", hem_format_result_text((hem_format_result)1000));
    ASSERT_STR_EQ("link_batches", hem_section_name(HEM_SECTION_LINK_BATCHES));
    ASSERT_STR_EQ("header", hem_section_name(0));
    ASSERT_STR_EQ("unknown", hem_section_name(63));
    PASS();
}

static hem_link_batch run_batch(uint32_t row_a, uint32_t row_b) {
    hem_link_batch b = {.row_a = row_a, .row_b = row_b, .rotate = 1, .kind = HEM_LINK_WEFT, .lane_mask = 0x7f};
    for (int lane = 0; lane < HEM_LANES; ++lane) {
        b.rest[lane] = lane < 7 ? 0.1f : -1;
        b.scale[lane] = 255;
    }
    return b;
}

TEST a_run_is_of_one_kind_and_shares_no_row(void) {
    const hem_link_batch a = run_batch(0, 1);
    hem_link_batch b = run_batch(2, 3);
    ASSERT(hem_may_run(&a) && hem_may_follow(&a, &b));
    for (uint32_t shared = 0; shared < 4; ++shared) {
        b = run_batch(shared & 1 ? 2 : shared / 2, shared & 1 ? shared / 2 : 3);
        ASSERT(!hem_may_follow(&a, &b));
    }
    b = run_batch(2, 3);
    b.kind = HEM_LINK_WARP;
    ASSERT(!hem_may_follow(&a, &b));
    b = run_batch(2, 3);
    b.rotate = 2;
    ASSERT(!hem_may_follow(&a, &b));
    b = run_batch(2, 3);
    b.lane_mask = 0xff; // closes the ring
    b.rest[7] = 0.1f;
    ASSERT(hem_is_open_seam(&a) && !hem_is_open_seam(&b) && !hem_may_follow(&a, &b));
    b = run_batch(2, 3);
    b.part = 1;
    ASSERT(!hem_may_follow(&a, &b));
    b = run_batch(2, 3);
    b.scale[4] = 254;
    ASSERT(!hem_may_follow(&a, &b));
    b = run_batch(2, 3);
    b.rest[6] = 0; // the runtime divides by it
    ASSERT(!hem_may_run(&b) && !hem_may_follow(&a, &b) && !hem_may_follow(&b, &a));
    b = run_batch(2, 3);
    b.kind = HEM_LINK_TETHER;
    ASSERT(!hem_may_run(&b) && !hem_may_follow(&b, &b));
    PASS();
}

SUITE(validate_suite);
SUITE(validate_suite) {
    RUN_TEST(a_valid_file_is_accepted);
    RUN_TEST(every_rule_has_its_code_and_field);
    RUN_TEST(the_section_table_is_checked);
    RUN_TEST(gaps_are_zero);
    RUN_TEST(missing_sections_are_named);
    RUN_TEST(limits_hold_simulated_particles_only);
    RUN_TEST(a_row_of_pads_is_refused);
    RUN_TEST(links_between_immovable_ends_are_refused);
    RUN_TEST(a_run_is_of_one_kind_and_shares_no_row);
    RUN_TEST(momentum_parts_have_movable_attached_particles);
    RUN_TEST(sections_have_the_length_that_others_say);
    RUN_TEST(an_asset_has_one_body_at_most);
    RUN_TEST(group_batches_belong_to_a_soft_part);
    RUN_TEST(pads_have_no_groups);
    RUN_TEST(indexed_members_are_of_lanes_with_a_group);
    RUN_TEST(a_row_may_stand_twice_in_a_group_when_lanes_differ);
    RUN_TEST(group_members_leave_no_gap);
    RUN_TEST(meshes_cover_all_vertices);
    RUN_TEST(strings_end);
    RUN_TEST(misaligned_bytes_are_refused);
    RUN_TEST(tuning_alone_is_checked_the_same);
    RUN_TEST(every_result_has_its_own_text);
}
