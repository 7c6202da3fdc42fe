// SPDX-License-Identifier: MIT
#include "formats/hem_validate.h"

#include <string.h>

// The border between files and the runtime. Whatever passes here, the kernels use without looking again: they index with
// what the file says, divide by what it holds and store whole rows. So the rule is strict: a field either has one right
// value (a pad, a reserved word, a count that follows from others), or a range in which all later arithmetic stays finite.
//
// Order of work: header, section table, then each section once, from those that others point into (info, parts, flags)
// to those that point (batches, vertices). Nothing is read before the bytes under it are known to exist. Time is linear
// but for the symmetry of the ignore list (a binary search per entry); memory is one byte per row on the stack.
//
// Comparisons are written so that a NaN fails them: in_range is false for it.

#define MAX_ROWS (HEM_MAX_PARTICLES / HEM_LANES)
#define MAX_METRES 1e6f
#define MIN_RADIUS 1e-6f
#define MIN_MASS 1e-9f
#define MAX_MASS 1e6f
#define UNIT_TOLERANCE 1e-3f
#define WEIGHT_ONE 65535u

typedef struct checker {
    const uint8_t* bytes;
    hem_view* view;
    hem_format_fault* fault;
    uint8_t used[MAX_ROWS + 1]; // lanes of a row that the batch at hand has touched; all zero between batches
} checker;

static hem_format_result fail(checker* c, hem_format_result result, uint32_t section, uint32_t element,
                              const char* field) {
    c->fault->section = section;
    c->fault->element = element;
    c->fault->field = field;
    return result;
}

static int in_range(float x, float low, float high) {
    return x >= low && x <= high;
}

static int near_one(float x) {
    return in_range(x, 1.0f - UNIT_TOLERANCE, 1.0f + UNIT_TOLERANCE);
}

static int is_unit_quat(float x, float y, float z, float w) {
    return near_one(x * x + y * y + z * z + w * w);
}

static int is_zero(const void* bytes, size_t size) {
    const uint8_t* p = (const uint8_t*)bytes;
    for (size_t i = 0; i < size; ++i) {
        if (p[i] != 0) {
            return 0;
        }
    }
    return 1;
}

static int is_one_bit(uint32_t x) {
    return x != 0 && (x & (x - 1)) == 0;
}

static uint32_t count_bits8(uint32_t mask) {
    uint32_t count = 0;
    for (; mask != 0; mask &= mask - 1) {
        ++count;
    }
    return count;
}

// Lane i of the result is lane (i + rotate) & 7 of the mask's row.
static uint32_t rotate_mask(uint32_t mask, uint32_t rotate) {
    return ((mask << rotate) | (mask >> ((8 - rotate) & 7))) & 0xffu;
}

// -- Header and section table

typedef struct section_rule {
    uint32_t kind;
    uint32_t element_size;
    uint32_t required;
    const char* name;
} section_rule;

static const section_rule section_rules[] = {
    {HEM_SECTION_INFO, sizeof(hem_info), 1, "info"},
    {HEM_SECTION_STRINGS, 1, 1, "strings"},
    {HEM_SECTION_PARTS, sizeof(hem_part), 1, "parts"},
    {HEM_SECTION_TUNING, sizeof(hem_tuning), 1, "tuning"},
    {HEM_SECTION_BONES, sizeof(hem_bone), 1, "bones"},
    {HEM_SECTION_REST_ROWS, sizeof(hem_rest_row), 1, "rest_rows"},
    {HEM_SECTION_SHAPE_ROWS, sizeof(hem_shape_row), 1, "shape_rows"},
    {HEM_SECTION_BIND_ROWS, sizeof(hem_bind_row), 1, "bind_rows"},
    {HEM_SECTION_PARTICLE_FLAGS, sizeof(uint32_t), 1, "particle_flags"},
    {HEM_SECTION_ANIM_ROWS, sizeof(hem_anim_row), 0, "anim_rows"},
    {HEM_SECTION_LIMIT_ROWS, sizeof(hem_limit_row), 0, "limit_rows"},
    {HEM_SECTION_LINK_BATCHES, sizeof(hem_link_batch), 0, "link_batches"},
    {HEM_SECTION_INDEX_BATCHES, sizeof(hem_index_batch), 0, "index_batches"},
    {HEM_SECTION_GROUP_BATCHES, sizeof(hem_group_batch), 0, "group_batches"},
    {HEM_SECTION_GROUP_MEMBERS, sizeof(hem_group_member), 0, "group_members"},
    {HEM_SECTION_GROUP_INDICES, sizeof(hem_group_index), 0, "group_indices"},
    {HEM_SECTION_FRAME_ROWS, sizeof(hem_frame_row), 0, "frame_rows"},
    {HEM_SECTION_IGNORE_STARTS, sizeof(uint32_t), 1, "ignore_starts"},
    {HEM_SECTION_IGNORE_LIST, sizeof(uint16_t), 0, "ignore_list"},
    {HEM_SECTION_COLLIDERS, sizeof(hem_asset_collider), 0, "colliders"},
    {HEM_SECTION_HULL_PLANES, 4 * sizeof(float), 0, "hull_planes"},
    {HEM_SECTION_MESHES, sizeof(hem_mesh), 0, "meshes"},
    {HEM_SECTION_VERTEX_REST, sizeof(hem_vertex_rest), 0, "vertex_rest"},
    {HEM_SECTION_VERTEX_BIND, sizeof(hem_vertex_bind), 0, "vertex_bind"},
    {HEM_SECTION_VERTEX_BLOCKS, 1, 0, "vertex_blocks"},
    {HEM_SECTION_PREVIEW_INDICES, sizeof(uint32_t), 0, "preview_indices"},
    {HEM_SECTION_PREVIEW_COLORS, 4, 0, "preview_colors"},
    {HEM_SECTION_PREVIEW_CLIPS, sizeof(hem_clip), 0, "preview_clips"},
    {HEM_SECTION_PREVIEW_FRAMES, 12 * sizeof(float), 0, "preview_frames"},
};

#define SECTION_RULE_COUNT (sizeof(section_rules) / sizeof(section_rules[0]))

static const section_rule* rule_of(uint32_t kind) {
    for (size_t i = 0; i < SECTION_RULE_COUNT; ++i) {
        if (section_rules[i].kind == kind) {
            return &section_rules[i];
        }
    }
    return NULL;
}

static hem_format_result check_header(checker* c, size_t size) {
    if (size < sizeof(hem_header)) {
        return fail(c, HEM_FORMAT_TOO_SHORT, 0, 0, "header");
    }
    const hem_header* h = (const hem_header*)c->bytes;
    for (size_t i = 0; i < sizeof h->magic; ++i) {
        if (h->magic[i] != (uint8_t)HEM_MAGIC[i]) {
            return fail(c, HEM_FORMAT_BAD_MAGIC, 0, 0, "magic");
        }
    }
    if (h->version != HEM_FORMAT_VERSION) {
        return fail(c, HEM_FORMAT_BAD_VERSION, 0, 0, "version");
    }
    if (h->header_size != sizeof(hem_header)) {
        return fail(c, HEM_FORMAT_BAD_HEADER, 0, 0, "header_size");
    }
    if (h->file_size > size) {
        return fail(c, HEM_FORMAT_TOO_SHORT, 0, 0, "file_size");
    }
    if (h->file_size != size || size > UINT32_MAX) {
        return fail(c, HEM_FORMAT_BAD_HEADER, 0, 0, "file_size");
    }
    if (h->section_count == 0 || h->section_count > SECTION_RULE_COUNT ||
        sizeof(hem_header) + h->section_count * sizeof(hem_section) > size) {
        return fail(c, HEM_FORMAT_BAD_HEADER, 0, 0, "section_count");
    }
    if ((h->flags & ~(uint32_t)HEM_FILE_PREVIEW) != 0) {
        return fail(c, HEM_FORMAT_BAD_HEADER, 0, 0, "flags");
    }
    size_t length = 0;
    while (length < sizeof h->tool && h->tool[length] != 0) {
        ++length;
    }
    if (length == sizeof h->tool || !is_zero(h->tool + length, sizeof h->tool - length)) {
        return fail(c, HEM_FORMAT_BAD_HEADER, 0, 0, "tool");
    }
    if (!is_zero(h->reserved, sizeof h->reserved)) {
        return fail(c, HEM_FORMAT_BAD_HEADER, 0, 0, "reserved");
    }
    c->view->header = h;
    return HEM_FORMAT_OK;
}

static uint64_t align_up(uint64_t x) {
    return (x + (HEM_ALIGNMENT - 1)) & ~(uint64_t)(HEM_ALIGNMENT - 1);
}

// Sections follow each other in table order with no room but what alignment needs, so overlap cannot be expressed.
static hem_format_result check_table(checker* c) {
    const hem_header* h = c->view->header;
    const hem_section* sections = (const hem_section*)(c->bytes + sizeof(hem_header));
    uint64_t end = sizeof(hem_header) + h->section_count * sizeof(hem_section);
    uint32_t last_kind = 0;
    int preview = 0;
    for (uint32_t i = 0; i < h->section_count; ++i) {
        const hem_section* s = &sections[i];
        const section_rule* rule = rule_of(s->kind);
        if (rule == NULL || s->kind <= last_kind) {
            return fail(c, HEM_FORMAT_BAD_SECTION, 0, i, "kind");
        }
        if (s->element_size != rule->element_size) {
            return fail(c, HEM_FORMAT_BAD_SECTION, 0, i, "element_size");
        }
        if (s->element_count == 0) {
            return fail(c, HEM_FORMAT_BAD_SECTION, 0, i, "element_count");
        }
        if (s->size != (uint64_t)s->element_size * s->element_count) {
            return fail(c, HEM_FORMAT_BAD_SECTION, 0, i, "size");
        }
        if (s->offset != align_up(end) || s->offset > h->file_size || s->size > h->file_size - s->offset) {
            return fail(c, HEM_FORMAT_BAD_SECTION, 0, i, "offset");
        }
        if (s->reserved != 0) {
            return fail(c, HEM_FORMAT_BAD_SECTION, 0, i, "reserved");
        }
        if (!is_zero(c->bytes + end, (size_t)(s->offset - end))) {
            return fail(c, HEM_FORMAT_BAD_SECTION, 0, i, "gap");
        }
        end = s->offset + s->size;
        last_kind = s->kind;
        preview |= s->kind >= HEM_SECTION_PREVIEW_INDICES;
    }
    if (h->file_size != align_up(end)) {
        return fail(c, HEM_FORMAT_BAD_HEADER, 0, 0, "file_size");
    }
    if (!is_zero(c->bytes + end, (size_t)(h->file_size - end))) {
        return fail(c, HEM_FORMAT_BAD_SECTION, 0, h->section_count, "gap");
    }
    if (preview != ((h->flags & HEM_FILE_PREVIEW) != 0)) {
        return fail(c, HEM_FORMAT_BAD_HEADER, 0, 0, "flags");
    }
    for (size_t r = 0; r < SECTION_RULE_COUNT; ++r) {
        int found = 0;
        for (uint32_t i = 0; i < h->section_count; ++i) {
            found |= sections[i].kind == section_rules[r].kind;
        }
        if (section_rules[r].required && !found) {
            return fail(c, HEM_FORMAT_MISSING_SECTION, section_rules[r].kind, 0, section_rules[r].name);
        }
    }
    return HEM_FORMAT_OK;
}

// The bytes and element count of a section, NULL and 0 when absent.
static const void* find(const checker* c, uint32_t kind, uint32_t* count) {
    const hem_section* sections = (const hem_section*)(c->bytes + sizeof(hem_header));
    for (uint32_t i = 0; i < c->view->header->section_count; ++i) {
        if (sections[i].kind == kind) {
            *count = sections[i].element_count;
            return c->bytes + sections[i].offset;
        }
    }
    *count = 0;
    return NULL;
}

// A section whose count is fixed by another one; absent counts as zero.
static const void* find_exact(checker* c, uint32_t kind, uint32_t expected, hem_format_result* result) {
    uint32_t count;
    const void* p = find(c, kind, &count);
    if (count != expected && *result == HEM_FORMAT_OK) {
        *result = fail(c, HEM_FORMAT_BAD_COUNT, kind, 0, "element_count");
    }
    return p;
}

static hem_format_result bind_view(checker* c) {
    hem_view* v = c->view;
    hem_format_result r = HEM_FORMAT_OK;
    v->info = (const hem_info*)find_exact(c, HEM_SECTION_INFO, 1, &r);
    if (r != HEM_FORMAT_OK) {
        return r;
    }
    const hem_info* info = v->info;
    if (info->row_count == 0 || info->row_count > MAX_ROWS) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_INFO, 0, "row_count");
    }
    if (info->particle_count != info->row_count * HEM_LANES) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_INFO, 0, "particle_count");
    }
    if (info->oriented_row_count > info->row_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_INFO, 0, "oriented_row_count");
    }
    if (info->part_count == 0 || info->part_count > HEM_MAX_PARTS) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_INFO, 0, "part_count");
    }
    if (info->bone_count == 0 || info->bone_count > HEM_MAX_BONES) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_INFO, 0, "bone_count");
    }
    if (info->vertex_count > HEM_MAX_VERTICES) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_INFO, 0, "vertex_count");
    }
    v->strings = (const char*)find(c, HEM_SECTION_STRINGS, &v->string_size);
    v->parts = (const hem_part*)find_exact(c, HEM_SECTION_PARTS, info->part_count, &r);
    v->tuning = (const hem_tuning*)find_exact(c, HEM_SECTION_TUNING, info->part_count, &r);
    v->bones = (const hem_bone*)find_exact(c, HEM_SECTION_BONES, info->bone_count, &r);
    v->rest_rows = (const hem_rest_row*)find_exact(c, HEM_SECTION_REST_ROWS, info->row_count, &r);
    v->shape_rows = (const hem_shape_row*)find_exact(c, HEM_SECTION_SHAPE_ROWS, info->row_count, &r);
    v->bind_rows = (const hem_bind_row*)find_exact(c, HEM_SECTION_BIND_ROWS, info->row_count, &r);
    v->particle_flags = (const uint32_t*)find_exact(c, HEM_SECTION_PARTICLE_FLAGS, info->particle_count, &r);
    v->anim_rows = (const hem_anim_row*)find(c, HEM_SECTION_ANIM_ROWS, &v->anim_row_count);
    v->limit_rows = (const hem_limit_row*)find(c, HEM_SECTION_LIMIT_ROWS, &v->limit_row_count);
    v->link_batches = (const hem_link_batch*)find(c, HEM_SECTION_LINK_BATCHES, &v->link_batch_count);
    v->index_batches = (const hem_index_batch*)find(c, HEM_SECTION_INDEX_BATCHES, &v->index_batch_count);
    v->group_batches = (const hem_group_batch*)find(c, HEM_SECTION_GROUP_BATCHES, &v->group_batch_count);
    v->group_members = (const hem_group_member*)find(c, HEM_SECTION_GROUP_MEMBERS, &v->group_member_count);
    v->group_indices = (const hem_group_index*)find(c, HEM_SECTION_GROUP_INDICES, &v->group_index_count);
    v->frame_row_count = info->row_count - info->oriented_row_count;
    v->frame_rows = (const hem_frame_row*)find_exact(c, HEM_SECTION_FRAME_ROWS, v->frame_row_count, &r);
    v->ignore_starts = (const uint32_t*)find_exact(c, HEM_SECTION_IGNORE_STARTS, info->particle_count + 1, &r);
    v->ignore_list = (const uint16_t*)find(c, HEM_SECTION_IGNORE_LIST, &v->ignore_count);
    v->colliders = (const hem_asset_collider*)find(c, HEM_SECTION_COLLIDERS, &v->collider_count);
    v->hull_planes = (const float(*)[4])find(c, HEM_SECTION_HULL_PLANES, &v->hull_plane_count);
    v->meshes = (const hem_mesh*)find_exact(c, HEM_SECTION_MESHES, info->mesh_count, &r);
    v->vertex_rest = (const hem_vertex_rest*)find_exact(c, HEM_SECTION_VERTEX_REST, info->vertex_count, &r);
    v->vertex_bind = (const hem_vertex_bind*)find_exact(c, HEM_SECTION_VERTEX_BIND, info->vertex_count, &r);
    v->vertex_blocks =
        (const uint8_t*)find_exact(c, HEM_SECTION_VERTEX_BLOCKS, (info->vertex_count + HEM_LANES - 1) / HEM_LANES, &r);
    v->preview_indices = (const uint32_t*)find(c, HEM_SECTION_PREVIEW_INDICES, &v->preview_index_count);
    uint32_t color_count, matrix_count;
    v->preview_colors = (const uint8_t(*)[4])find(c, HEM_SECTION_PREVIEW_COLORS, &color_count);
    v->clips = (const hem_clip*)find(c, HEM_SECTION_PREVIEW_CLIPS, &v->clip_count);
    v->clip_frames = (const float(*)[12])find(c, HEM_SECTION_PREVIEW_FRAMES, &matrix_count);
    v->clip_frame_count = matrix_count / info->bone_count;
    if (r != HEM_FORMAT_OK) {
        return r;
    }
    if (v->collider_count > HEM_MAX_COLLIDERS) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_COLLIDERS, 0, "element_count");
    }
    if (color_count != 0 && color_count != info->vertex_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PREVIEW_COLORS, 0, "element_count");
    }
    if (matrix_count != v->clip_frame_count * info->bone_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PREVIEW_FRAMES, 0, "element_count");
    }
    return HEM_FORMAT_OK;
}

// -- What the asset is: strings, parts, tuning, bones

// The first byte makes offset 0 the empty string, the last one ends whatever string reaches it.
static hem_format_result check_strings(checker* c) {
    const hem_view* v = c->view;
    if (v->strings[0] != 0) {
        return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_STRINGS, 0, "first byte");
    }
    if (v->strings[v->string_size - 1] != 0) {
        return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_STRINGS, v->string_size - 1, "last byte");
    }
    return HEM_FORMAT_OK;
}

// Ranges that parts own follow each other and cover the whole array.
static int take_range(uint32_t begin, uint32_t count, uint32_t total, uint32_t* next) {
    if (begin != *next || count > total - *next) {
        return 0;
    }
    *next += count;
    return 1;
}

static hem_format_result check_parts(checker* c) {
    const hem_view* v = c->view;
    const hem_info* info = v->info;
    uint32_t next_row = 0, next_link = 0, next_index = 0, next_group = 0;
    uint32_t body_parts = 0;
    float spacing = MAX_METRES;
    for (uint32_t i = 0; i < info->part_count; ++i) {
        const hem_part* p = &v->parts[i];
        if (p->name_offset >= v->string_size) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_PARTS, i, "name_offset");
        }
        if (p->kind > HEM_PART_BODY) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_PARTS, i, "kind");
        }
        if (p->animation > HEM_ANIMATE_MOMENTUM || (p->kind == HEM_PART_BODY && p->animation != HEM_ANIMATE_DIRECT)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_PARTS, i, "animation");
        }
        if (p->flags != 0) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_PARTS, i, "flags");
        }
        if (p->row_count == 0 || !take_range(p->row_begin, p->row_count, info->row_count, &next_row)) {
            return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PARTS, i, "row_begin");
        }
        // Oriented rows come first, so a part lies wholly before or wholly after the border.
        if (p->kind == HEM_PART_CLOTH ? p->row_begin < info->oriented_row_count : next_row > info->oriented_row_count) {
            return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PARTS, i, "kind");
        }
        if (!take_range(p->link_begin, p->link_count, v->link_batch_count, &next_link)) {
            return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PARTS, i, "link_begin");
        }
        if (!take_range(p->index_begin, p->index_count, v->index_batch_count, &next_index)) {
            return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PARTS, i, "index_begin");
        }
        if (!take_range(p->group_begin, p->group_count, v->group_batch_count, &next_group)) {
            return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PARTS, i, "group_begin");
        }
        if (p->group_count != 0 && p->kind != HEM_PART_SOFT) {
            return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PARTS, i, "group_count");
        }
        if (!is_one_bit(p->collision_group)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_PARTS, i, "collision_group");
        }
        if (p->level_count > HEM_MAX_PARTICLES) {
            return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PARTS, i, "level_count");
        }
        if (!in_range(p->spacing, MIN_RADIUS, MAX_METRES)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_PARTS, i, "spacing");
        }
        spacing = p->spacing < spacing ? p->spacing : spacing;
        body_parts += p->kind == HEM_PART_BODY;
    }
    const uint32_t last = info->part_count - 1;
    if (next_row != info->row_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PARTS, last, "row_count");
    }
    if (next_link != v->link_batch_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PARTS, last, "link_count");
    }
    if (next_index != v->index_batch_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PARTS, last, "index_count");
    }
    if (next_group != v->group_batch_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PARTS, last, "group_count");
    }
    if (body_parts > 1) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PARTS, last, "kind");
    }
    if (info->spacing != spacing) {
        return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_INFO, 0, "spacing");
    }
    return HEM_FORMAT_OK;
}

typedef struct tuning_rule {
    uint32_t offset, count;
    float low, high;
    const char* name;
} tuning_rule;

static const tuning_rule tuning_rules[] = {
    {offsetof(hem_tuning, compliance), 8, 0, 1e9f, "compliance"},
    {offsetof(hem_tuning, link_damping), 8, 0, 1e9f, "link_damping"},
    {offsetof(hem_tuning, stiffness), 8, 0, 1, "stiffness"},
    {offsetof(hem_tuning, shape_compliance), 1, 0, 1e9f, "shape_compliance"},
    {offsetof(hem_tuning, shape_stiffness), 1, 0, 1, "shape_stiffness"},
    {offsetof(hem_tuning, tether_allowance), 1, 0, 100, "tether_allowance"},
    {offsetof(hem_tuning, gravity_scale), 1, -1e4f, 1e4f, "gravity_scale"},
    {offsetof(hem_tuning, damping), 1, 0, 1e4f, "damping"},
    {offsetof(hem_tuning, angular_damping), 1, 0, 1e4f, "angular_damping"},
    {offsetof(hem_tuning, drag), 1, 0, 1e6f, "drag"},
    {offsetof(hem_tuning, lift), 1, 0, 1e6f, "lift"},
    {offsetof(hem_tuning, friction), 1, 0, 1, "friction"},
    {offsetof(hem_tuning, restitution), 1, 0, 1, "restitution"},
    {offsetof(hem_tuning, collision_thickness), 1, 0, 1e4f, "collision_thickness"},
    {offsetof(hem_tuning, self_thickness), 1, 0, 1e4f, "self_thickness"},
    {offsetof(hem_tuning, max_speed), 1, 1e-6f, 1e6f, "max_speed"},
    {offsetof(hem_tuning, linear_inertia), 1, 0, 1, "linear_inertia"},
    {offsetof(hem_tuning, angular_inertia), 1, 0, 1, "angular_inertia"},
    {offsetof(hem_tuning, sleep_speed), 1, 0, 1e6f, "sleep_speed"},
};

static hem_format_result check_tuning(const hem_tuning* tuning, uint32_t count, hem_format_fault* fault) {
    fault->section = HEM_SECTION_TUNING;
    for (uint32_t i = 0; i < count; ++i) {
        fault->element = i;
        for (size_t r = 0; r < sizeof(tuning_rules) / sizeof(tuning_rules[0]); ++r) {
            const tuning_rule* rule = &tuning_rules[r];
            for (uint32_t k = 0; k < rule->count; ++k) {
                float x;
                memcpy(&x, (const uint8_t*)&tuning[i] + rule->offset + k * sizeof x, sizeof x);
                if (!in_range(x, rule->low, rule->high)) {
                    fault->field = rule->name;
                    return HEM_FORMAT_BAD_VALUE;
                }
            }
        }
        if (tuning[i].solver > HEM_SOLVER_JACOBI) {
            fault->field = "solver";
            return HEM_FORMAT_BAD_VALUE;
        }
        if (tuning[i].iterations < 1 || tuning[i].iterations > 32) {
            fault->field = "iterations";
            return HEM_FORMAT_BAD_VALUE;
        }
        if (!is_zero(tuning[i].reserved, sizeof tuning[i].reserved)) {
            fault->field = "reserved";
            return HEM_FORMAT_BAD_VALUE;
        }
    }
    *fault = (hem_format_fault){0, 0, ""};
    return HEM_FORMAT_OK;
}

static hem_format_result check_bones(checker* c) {
    const hem_view* v = c->view;
    for (uint32_t i = 0; i < v->info->bone_count; ++i) {
        const hem_bone* b = &v->bones[i];
        if (b->name_offset >= v->string_size) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_BONES, i, "name_offset");
        }
        if (b->parent < HEM_NONE || b->parent >= (int32_t)i) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_BONES, i, "parent");
        }
        for (int k = 0; k < 12; ++k) {
            if (!in_range(b->inverse_bind[k], -MAX_METRES, MAX_METRES)) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_BONES, i, "inverse_bind");
            }
        }
        if (!is_zero(b->reserved, sizeof b->reserved)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_BONES, i, "reserved");
        }
    }
    return HEM_FORMAT_OK;
}

// -- Particles

static uint32_t row_mask(const hem_view* v, uint32_t row, uint32_t flag) {
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        mask |= (uint32_t)((v->particle_flags[row * HEM_LANES + lane] & flag) != 0) << lane;
    }
    return mask;
}

static uint32_t part_of(const hem_view* v, uint32_t particle) {
    return v->particle_flags[particle] >> HEM_PARTICLE_PART_SHIFT;
}

static hem_format_result check_flags(checker* c) {
    const hem_view* v = c->view;
    const uint32_t low =
        HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED | HEM_PARTICLE_BODY | HEM_PARTICLE_SURFACE | HEM_PARTICLE_COLLIDES;
    uint32_t counts[3] = {0, 0, 0}; // simulated, attached, body
    for (uint32_t part = 0; part < v->info->part_count; ++part) {
        const uint32_t begin = v->parts[part].row_begin * HEM_LANES;
        const uint32_t end = begin + v->parts[part].row_count * HEM_LANES;
        const int body = v->parts[part].kind == HEM_PART_BODY;
        for (uint32_t i = begin; i < end; ++i) {
            const uint32_t flags = v->particle_flags[i] & 0x00ffffffu;
            if (part_of(v, i) != part) {
                return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_PARTICLE_FLAGS, i, "part");
            }
            if ((flags & ~low) != 0 || ((flags & HEM_PARTICLE_PAD) != 0 && flags != HEM_PARTICLE_PAD)) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_PARTICLE_FLAGS, i, "flags");
            }
            if (flags == HEM_PARTICLE_PAD) {
                continue;
            }
            const int animated = (flags & HEM_PARTICLE_ANIMATED) != 0;
            if (((flags & HEM_PARTICLE_BODY) != 0) != body || (body && !animated)) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_PARTICLE_FLAGS, i, "body");
            }
            ++counts[body ? 2 : animated];
        }
    }
    if (counts[0] != v->info->simulated_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_INFO, 0, "simulated_count");
    }
    if (counts[1] != v->info->attached_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_INFO, 0, "attached_count");
    }
    if (counts[2] != v->info->body_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_INFO, 0, "body_count");
    }
    if (counts[0] + counts[1] + counts[2] != v->info->real_particle_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_INFO, 0, "real_particle_count");
    }
    return HEM_FORMAT_OK;
}

// A pad repeats one real lane of its row, so that bounds and tests on whole rows need no mask.
static int pad_repeats(const hem_rest_row* rest, const hem_shape_row* shape, uint32_t pad, uint32_t real_mask) {
    for (uint32_t k = 0; k < HEM_LANES; ++k) {
        if ((real_mask >> k & 1) != 0 && rest->x[k] == rest->x[pad] && rest->y[k] == rest->y[pad] &&
            rest->z[k] == rest->z[pad] && shape->a[k] == shape->a[pad] && shape->b[k] == shape->b[pad] &&
            shape->c[k] == shape->c[pad]) {
            return 1;
        }
    }
    return 0;
}

static hem_format_result check_rest(checker* c) {
    const hem_view* v = c->view;
    const hem_info* info = v->info;
    float low[3] = {MAX_METRES, MAX_METRES, MAX_METRES};
    float high[3] = {-MAX_METRES, -MAX_METRES, -MAX_METRES};
    float radius = 0;
    for (uint32_t row = 0; row < info->row_count; ++row) {
        const hem_rest_row* rest = &v->rest_rows[row];
        const hem_shape_row* shape = &v->shape_rows[row];
        const uint32_t real = ~row_mask(v, row, HEM_PARTICLE_PAD) & 0xffu;
        if (real == 0) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_PARTICLE_FLAGS, row * HEM_LANES, "pad");
        }
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const uint32_t flags = v->particle_flags[row * HEM_LANES + lane];
            const float x[3] = {rest->x[lane], rest->y[lane], rest->z[lane]};
            const float r[3] = {shape->a[lane], shape->b[lane], shape->c[lane]};
            for (int k = 0; k < 3; ++k) {
                if (!in_range(x[k], -MAX_METRES, MAX_METRES)) {
                    return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_REST_ROWS, row, "position");
                }
                if (!in_range(r[k], MIN_RADIUS, MAX_METRES)) {
                    return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_SHAPE_ROWS, row, "radius");
                }
                low[k] = x[k] < low[k] ? x[k] : low[k];
                high[k] = x[k] > high[k] ? x[k] : high[k];
                radius = r[k] > radius ? r[k] : radius;
            }
            if (!is_unit_quat(shape->qx[lane], shape->qy[lane], shape->qz[lane], shape->qw[lane])) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_SHAPE_ROWS, row, "rotation");
            }
            const float mass = rest->mass[lane];
            const float inverse = shape->inverse_mass[lane];
            if ((flags & HEM_PARTICLE_PAD) != 0) {
                if (mass != 0) {
                    return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_REST_ROWS, row, "mass");
                }
                if (inverse != 0) {
                    return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_SHAPE_ROWS, row, "inverse_mass");
                }
                if (!pad_repeats(rest, shape, lane, real)) {
                    return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_REST_ROWS, row, "pad");
                }
                continue;
            }
            if (!in_range(mass, MIN_MASS, MAX_MASS)) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_REST_ROWS, row, "mass");
            }
            const int fixed = (flags & HEM_PARTICLE_ANIMATED) != 0 &&
                              v->parts[flags >> HEM_PARTICLE_PART_SHIFT].animation == HEM_ANIMATE_DIRECT;
            if (fixed ? inverse != 0 : !near_one(inverse * mass)) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_SHAPE_ROWS, row, "inverse_mass");
            }
        }
    }
    for (int k = 0; k < 3; ++k) {
        if (info->bounds_min[k] != low[k]) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_INFO, 0, "bounds_min");
        }
        if (info->bounds_max[k] != high[k]) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_INFO, 0, "bounds_max");
        }
    }
    if (info->particle_radius != radius) {
        return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_INFO, 0, "particle_radius");
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_bind(checker* c) {
    const hem_view* v = c->view;
    for (uint32_t row = 0; row < v->info->row_count; ++row) {
        const hem_bind_row* b = &v->bind_rows[row];
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            float sum = 0;
            for (int k = 0; k < 4; ++k) {
                if (b->bone[k][lane] >= v->info->bone_count) {
                    return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_BIND_ROWS, row, "bone");
                }
                if (!in_range(b->weight[k][lane], 0, 1)) {
                    return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_BIND_ROWS, row, "weight");
                }
                sum += b->weight[k][lane];
            }
            if (!near_one(sum)) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_BIND_ROWS, row, "weight sum");
            }
            if ((v->particle_flags[row * HEM_LANES + lane] & HEM_PARTICLE_PAD) != 0 &&
                (b->bone[0][lane] != 0 || b->weight[0][lane] != 1)) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_BIND_ROWS, row, "pad");
            }
        }
    }
    return HEM_FORMAT_OK;
}

static uint32_t limit_mask(const hem_limit_row* l) {
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        mask |= (uint32_t)(l->max_distance[lane] >= 0 || l->backstop_radius[lane] >= 0) << lane;
    }
    return mask;
}

static hem_format_result check_limits(checker* c) {
    const hem_view* v = c->view;
    for (uint32_t i = 0; i < v->limit_row_count; ++i) {
        const hem_limit_row* l = &v->limit_rows[i];
        if (l->row >= v->info->row_count || (i > 0 && l->row <= v->limit_rows[i - 1].row)) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_LIMIT_ROWS, i, "row");
        }
        if (l->anim_row >= v->anim_row_count || v->anim_rows[l->anim_row].row != l->row) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_LIMIT_ROWS, i, "anim_row");
        }
        if (!is_zero(l->reserved, sizeof l->reserved) || !is_zero(l->reserved2, sizeof l->reserved2)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_LIMIT_ROWS, i, "reserved");
        }
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            if (!in_range(l->max_distance[lane], -MAX_METRES, MAX_METRES)) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_LIMIT_ROWS, i, "max_distance");
            }
            if (!in_range(l->backstop_distance[lane], -MAX_METRES, MAX_METRES)) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_LIMIT_ROWS, i, "backstop_distance");
            }
            if (!in_range(l->backstop_radius[lane], -MAX_METRES, MAX_METRES)) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_LIMIT_ROWS, i, "backstop_radius");
            }
        }
        // Only simulated particles can be held back.
        const uint32_t movable = ~row_mask(v, l->row, HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED) & 0xffu;
        if (limit_mask(l) == 0 || (limit_mask(l) & ~movable) != 0) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_LIMIT_ROWS, i, "lanes");
        }
    }
    return HEM_FORMAT_OK;
}

// Every row with an animated or limited lane appears exactly once, with exactly those lanes.
static hem_format_result check_anim(checker* c) {
    const hem_view* v = c->view;
    uint32_t next = 0, next_limit = 0;
    for (uint32_t row = 0; row < v->info->row_count; ++row) {
        const uint32_t animated = row_mask(v, row, HEM_PARTICLE_ANIMATED);
        uint32_t target = animated;
        if (next_limit < v->limit_row_count && v->limit_rows[next_limit].row == row) {
            target |= limit_mask(&v->limit_rows[next_limit]);
            ++next_limit;
        }
        if (target == 0) {
            continue;
        }
        if (next >= v->anim_row_count || v->anim_rows[next].row != row) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_ANIM_ROWS, next, "row");
        }
        if (v->anim_rows[next].animated_mask != animated) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_ANIM_ROWS, next, "animated_mask");
        }
        if (v->anim_rows[next].target_mask != target) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_ANIM_ROWS, next, "target_mask");
        }
        if (v->anim_rows[next].reserved != 0) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_ANIM_ROWS, next, "reserved");
        }
        ++next;
    }
    if (next != v->anim_row_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_ANIM_ROWS, next, "row");
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_frames(checker* c) {
    const hem_view* v = c->view;
    for (uint32_t i = 0; i < v->frame_row_count; ++i) {
        const hem_frame_row* f = &v->frame_rows[i];
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const uint16_t ends[4] = {f->u0[lane], f->u1[lane], f->v0[lane], f->v1[lane]};
            for (int k = 0; k < 4; ++k) {
                if (ends[k] >= v->info->particle_count || (v->particle_flags[ends[k]] & HEM_PARTICLE_PAD) != 0) {
                    return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_FRAME_ROWS, i, k < 2 ? "u" : "v");
                }
            }
            if (!is_unit_quat(f->qx[lane], f->qy[lane], f->qz[lane], f->qw[lane])) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_FRAME_ROWS, i, "rotation");
            }
        }
    }
    return HEM_FORMAT_OK;
}

static int list_holds(const hem_view* v, uint32_t particle, uint32_t wanted) {
    uint32_t low = v->ignore_starts[particle], high = v->ignore_starts[particle + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (v->ignore_list[middle] == wanted) {
            return 1;
        }
        if (v->ignore_list[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return 0;
}

static hem_format_result check_ignore(checker* c) {
    const hem_view* v = c->view;
    const uint32_t count = v->info->particle_count;
    if (v->ignore_starts[0] != 0) {
        return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_IGNORE_STARTS, 0, "start");
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (v->ignore_starts[i + 1] < v->ignore_starts[i] || v->ignore_starts[i + 1] > v->ignore_count) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_IGNORE_STARTS, i + 1, "start");
        }
    }
    if (v->ignore_starts[count] != v->ignore_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_IGNORE_STARTS, count, "start");
    }
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = v->ignore_starts[i]; k < v->ignore_starts[i + 1]; ++k) {
            const uint32_t other = v->ignore_list[k];
            if (other >= count || other == i ||
                ((v->particle_flags[i] | v->particle_flags[other]) & HEM_PARTICLE_PAD)) {
                return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_IGNORE_LIST, k, "particle");
            }
            if (k > v->ignore_starts[i] && other <= v->ignore_list[k - 1]) {
                return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_IGNORE_LIST, k, "order");
            }
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = v->ignore_starts[i]; k < v->ignore_starts[i + 1]; ++k) {
            if (!list_holds(v, v->ignore_list[k], i)) {
                return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_IGNORE_LIST, k, "symmetry");
            }
        }
    }
    return HEM_FORMAT_OK;
}

// -- Constraints

// The part in whose range a batch lies; batches are visited in order, so the search only moves on.
static uint32_t advance_part(const hem_view* v, uint32_t part, uint32_t batch, size_t begin_offset) {
    for (;;) {
        const uint8_t* p = (const uint8_t*)&v->parts[part] + begin_offset;
        uint32_t range[2];
        memcpy(range, p, sizeof range);
        if (batch - range[0] < range[1]) {
            return part;
        }
        ++part;
    }
}

// What one lane of a link batch may join. The result names the field, NULL = good.
static const char* link_fault(const hem_view* v, uint32_t a, uint32_t b, uint32_t kind, uint32_t part) {
    const uint32_t flags = v->particle_flags[a] | v->particle_flags[b];
    if ((flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_BODY)) != 0) {
        return "lane_mask";
    }
    if (part_of(v, a) != part || (kind != HEM_LINK_STITCH && part_of(v, b) != part)) {
        return "part";
    }
    // Two immovable ends would divide by a zero sum of inverse masses.
    const float wa = v->shape_rows[a / HEM_LANES].inverse_mass[a % HEM_LANES];
    const float wb = v->shape_rows[b / HEM_LANES].inverse_mass[b % HEM_LANES];
    if (wa == 0 && wb == 0) {
        return "inverse_mass";
    }
    if (kind == HEM_LINK_TETHER &&
        ((v->particle_flags[a] & HEM_PARTICLE_ANIMATED) != 0 || (v->particle_flags[b] & HEM_PARTICLE_ANIMATED) == 0)) {
        return "tether";
    }
    return NULL;
}

static const char* lane_fault(float rest, uint8_t scale, int on) {
    if (on ? !in_range(rest, 0, MAX_METRES) : !in_range(rest, -MAX_METRES, -MIN_RADIUS)) {
        return "rest";
    }
    if (on ? scale == 0 : scale != 255) {
        return "scale";
    }
    return NULL;
}

int hem_is_painted(const hem_link_batch* b) {
    int painted = 0;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        painted |= b->scale[lane] != 255;
    }
    return painted;
}

int hem_may_run(const hem_link_batch* b) {
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        if (b->rest[lane] >= 0 && b->rest[lane] < HEM_RUN_MIN_REST) {
            return 0;
        }
    }
    return b->kind != HEM_LINK_TETHER;
}

int hem_may_follow(const hem_link_batch* a, const hem_link_batch* b) {
    return hem_may_run(a) && hem_may_run(b) && a->part == b->part && a->kind == b->kind && a->rotate == b->rotate &&
           hem_is_open_seam(a) == hem_is_open_seam(b) && hem_is_painted(a) == hem_is_painted(b) &&
           a->row_a != b->row_a && a->row_a != b->row_b && a->row_b != b->row_a && a->row_b != b->row_b;
}

// A run counts down to 1 at its last batch.
static int is_right_run(const hem_link_batch* b, const hem_link_batch* next) {
    if (b->run <= 1) {
        return b->run == 0 || hem_may_run(b);
    }
    return next != NULL && next->run == b->run - 1 && hem_may_follow(b, next);
}

static hem_format_result check_links(checker* c, uint32_t* link_count) {
    const hem_view* v = c->view;
    uint32_t part = 0;
    for (uint32_t i = 0; i < v->link_batch_count; ++i) {
        const hem_link_batch* b = &v->link_batches[i];
        part = advance_part(v, part, i, offsetof(hem_part, link_begin));
        if (b->row_a >= v->info->row_count) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_LINK_BATCHES, i, "row_a");
        }
        if (b->row_b >= v->info->row_count) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_LINK_BATCHES, i, "row_b");
        }
        // Different rows hold different particles; the kernel stores both rows whole, so one row twice is never right.
        if (b->row_a == b->row_b) {
            return fail(c, HEM_FORMAT_BAD_BATCH, HEM_SECTION_LINK_BATCHES, i, "row_b");
        }
        if (b->rotate >= HEM_LANES) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_LINK_BATCHES, i, "rotate");
        }
        if (b->kind >= HEM_LINK_KIND_COUNT) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_LINK_BATCHES, i, "kind");
        }
        if (b->part != part) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_LINK_BATCHES, i, "part");
        }
        if (b->lane_mask == 0) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_LINK_BATCHES, i, "lane_mask");
        }
        if (!is_right_run(b, i + 1 < v->link_batch_count ? b + 1 : NULL)) {
            return fail(c, HEM_FORMAT_BAD_BATCH, HEM_SECTION_LINK_BATCHES, i, "run");
        }
        if (!is_zero(b->reserved2, sizeof b->reserved2)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_LINK_BATCHES, i, "reserved");
        }
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const int on = b->lane_mask >> lane & 1;
            const char* field = lane_fault(b->rest[lane], b->scale[lane], on);
            if (field == NULL && on) {
                field = link_fault(v, b->row_a * HEM_LANES + lane, b->row_b * HEM_LANES + ((lane + b->rotate) & 7),
                                   b->kind, part);
            }
            if (field != NULL) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_LINK_BATCHES, i, field);
            }
        }
        *link_count += count_bits8(b->lane_mask);
    }
    return HEM_FORMAT_OK;
}

// Marks a particle as touched by the batch; false when it already was.
static int touch(checker* c, uint32_t particle) {
    const uint8_t bit = (uint8_t)(1u << (particle % HEM_LANES));
    uint8_t* used = &c->used[particle / HEM_LANES];
    if ((*used & bit) != 0) {
        return 0;
    }
    *used |= bit;
    return 1;
}

static hem_format_result check_indexed(checker* c, uint32_t* link_count) {
    const hem_view* v = c->view;
    uint32_t part = 0;
    for (uint32_t i = 0; i < v->index_batch_count; ++i) {
        const hem_index_batch* b = &v->index_batches[i];
        part = advance_part(v, part, i, offsetof(hem_part, index_begin));
        if (b->kind >= HEM_LINK_KIND_COUNT) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_INDEX_BATCHES, i, "kind");
        }
        if (b->part != part) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_INDEX_BATCHES, i, "part");
        }
        if (b->lane_mask == 0) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_INDEX_BATCHES, i, "lane_mask");
        }
        if (b->reserved != 0 || !is_zero(b->reserved2, sizeof b->reserved2) ||
            !is_zero(b->reserved3, sizeof b->reserved3)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_INDEX_BATCHES, i, "reserved");
        }
        int independent = 1;
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const int on = b->lane_mask >> lane & 1;
            if (b->a[lane] >= v->info->particle_count) {
                return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_INDEX_BATCHES, i, "a");
            }
            if (b->b[lane] >= v->info->particle_count) {
                return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_INDEX_BATCHES, i, "b");
            }
            const char* field = lane_fault(b->rest[lane], b->scale[lane], on);
            if (field == NULL && on) {
                field = link_fault(v, b->a[lane], b->b[lane], b->kind, part);
            }
            if (field != NULL) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_INDEX_BATCHES, i, field);
            }
            independent &= touch(c, b->a[lane]);
            // An idle lane may name one particle twice.
            if (on || b->a[lane] != b->b[lane]) {
                independent &= touch(c, b->b[lane]);
            }
        }
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            c->used[b->a[lane] / HEM_LANES] = 0;
            c->used[b->b[lane] / HEM_LANES] = 0;
        }
        if (!independent) {
            return fail(c, HEM_FORMAT_BAD_BATCH, HEM_SECTION_INDEX_BATCHES, i, "lanes");
        }
        *link_count += count_bits8(b->lane_mask);
    }
    return HEM_FORMAT_OK;
}

// A group's member: real, not of the body, of the group's part.
static int is_member(const hem_view* v, uint32_t particle, uint32_t part) {
    return (v->particle_flags[particle] & (HEM_PARTICLE_PAD | HEM_PARTICLE_BODY)) == 0 && part_of(v, particle) == part;
}

static float mass_of(const hem_view* v, uint32_t particle) {
    return v->rest_rows[particle / HEM_LANES].mass[particle % HEM_LANES];
}

static hem_format_result check_group_row(checker* c, uint32_t i, float mass[8]) {
    const hem_view* v = c->view;
    const hem_group_batch* b = &v->group_batches[i];
    if (b->own_row >= v->info->row_count) {
        return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_GROUP_BATCHES, i, "own_row");
    }
    if (b->member_begin > v->group_member_count || b->member_count > v->group_member_count - b->member_begin) {
        return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_GROUP_BATCHES, i, "member_begin");
    }
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        const uint32_t own = b->own_row * HEM_LANES + lane;
        if (b->own[lane] != own) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_GROUP_BATCHES, i, "own");
        }
        if ((b->lane_mask >> lane & 1) != 0) {
            if (!is_member(v, own, b->part)) {
                return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_GROUP_BATCHES, i, "own");
            }
            mass[lane] = mass_of(v, own);
        }
    }
    const hem_group_member* members = v->group_members + b->member_begin;
    int independent = 1;
    c->used[b->own_row] = b->lane_mask;
    uint32_t k = 0;
    hem_format_result r = HEM_FORMAT_OK;
    for (; k < b->member_count && r == HEM_FORMAT_OK; ++k) {
        const hem_group_member* m = &members[k];
        const uint32_t element = b->member_begin + k;
        if (m->row >= v->info->row_count) {
            r = fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_GROUP_MEMBERS, element, "row");
            break;
        }
        if (m->rotate >= HEM_LANES) {
            r = fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_GROUP_MEMBERS, element, "rotate");
        } else if (m->lane_mask == 0 || (m->lane_mask & ~b->lane_mask) != 0) {
            r = fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_GROUP_MEMBERS, element, "lane_mask");
        } else if (m->reserved != 0) {
            r = fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_GROUP_MEMBERS, element, "reserved");
        } else {
            const uint32_t touched = rotate_mask(m->lane_mask, m->rotate);
            independent &= (c->used[m->row] & touched) == 0;
            c->used[m->row] |= (uint8_t)touched;
            for (uint32_t lane = 0; lane < HEM_LANES && r == HEM_FORMAT_OK; ++lane) {
                if ((m->lane_mask >> lane & 1) != 0) {
                    const uint32_t particle = m->row * HEM_LANES + ((lane + m->rotate) & 7);
                    if (!is_member(v, particle, b->part)) {
                        r = fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_GROUP_MEMBERS, element, "particle");
                    }
                    mass[lane] += mass_of(v, particle);
                }
            }
        }
    }
    c->used[b->own_row] = 0;
    for (uint32_t n = 0; n < k; ++n) {
        c->used[members[n].row] = 0;
    }
    if (r == HEM_FORMAT_OK && !independent) {
        r = fail(c, HEM_FORMAT_BAD_BATCH, HEM_SECTION_GROUP_BATCHES, i, "members");
    }
    return r;
}

static hem_format_result check_group_indexed(checker* c, uint32_t i, float mass[8]) {
    const hem_view* v = c->view;
    const hem_group_batch* b = &v->group_batches[i];
    if (b->member_begin > v->group_index_count || b->member_count > v->group_index_count - b->member_begin) {
        return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_GROUP_BATCHES, i, "member_begin");
    }
    const hem_group_index* members = v->group_indices + b->member_begin;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        const int on = b->lane_mask >> lane & 1;
        // Orientation and moments exist for oriented rows only, and idle lanes read them too.
        if (b->own[lane] >= v->info->oriented_row_count * HEM_LANES || (on && !is_member(v, b->own[lane], b->part))) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_GROUP_BATCHES, i, "own");
        }
        mass[lane] = on ? mass_of(v, b->own[lane]) : 0;
        for (uint32_t k = 0; k < b->member_count; ++k) {
            // A lane without this member repeats its own particle: a gather and a store that change nothing.
            const int has = members[k].lane_mask >> lane & 1;
            const uint32_t particle = members[k].index[lane];
            if (particle >= v->info->particle_count ||
                (has ? !is_member(v, particle, b->part) : particle != b->own[lane])) {
                return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_GROUP_INDICES, b->member_begin + k, "index");
            }
            mass[lane] += has ? mass_of(v, particle) : 0;
        }
    }
    for (uint32_t k = 0; k < b->member_count; ++k) {
        const uint32_t element = b->member_begin + k;
        if (members[k].lane_mask == 0 || (members[k].lane_mask & ~b->lane_mask) != 0) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_GROUP_INDICES, element, "lane_mask");
        }
        if (!is_zero(members[k].reserved, sizeof members[k].reserved)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_GROUP_INDICES, element, "reserved");
        }
    }
    int independent = 1;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        independent &= touch(c, b->own[lane]);
        for (uint32_t k = 0; k < b->member_count; ++k) {
            if ((members[k].lane_mask >> lane & 1) != 0) {
                independent &= touch(c, members[k].index[lane]);
            }
        }
    }
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        c->used[b->own[lane] / HEM_LANES] = 0;
        for (uint32_t k = 0; k < b->member_count; ++k) {
            c->used[members[k].index[lane] / HEM_LANES] = 0;
        }
    }
    if (!independent) {
        return fail(c, HEM_FORMAT_BAD_BATCH, HEM_SECTION_GROUP_BATCHES, i, "members");
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_groups(checker* c, uint32_t* group_count, uint32_t* indexed_count) {
    const hem_view* v = c->view;
    uint32_t part = 0, next_member = 0, next_index = 0;
    for (uint32_t i = 0; i < v->group_batch_count; ++i) {
        const hem_group_batch* b = &v->group_batches[i];
        part = advance_part(v, part, i, offsetof(hem_part, group_begin));
        const int indexed = b->own_row == (uint32_t)HEM_NONE;
        if (b->part != part) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_GROUP_BATCHES, i, "part");
        }
        if (b->lane_mask == 0) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_GROUP_BATCHES, i, "lane_mask");
        }
        if (b->member_count == 0 || b->member_count >= HEM_MAX_GROUP_MEMBERS) {
            return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_GROUP_BATCHES, i, "member_count");
        }
        if (b->reserved != 0 || !is_zero(b->reserved2, sizeof b->reserved2)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_GROUP_BATCHES, i, "reserved");
        }
        uint32_t* next = indexed ? &next_index : &next_member;
        if (b->member_begin != *next) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_GROUP_BATCHES, i, "member_begin");
        }
        float mass[8] = {0};
        const hem_format_result r = indexed ? check_group_indexed(c, i, mass) : check_group_row(c, i, mass);
        if (r != HEM_FORMAT_OK) {
            return r;
        }
        *next += b->member_count;
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            for (int k = 0; k < 3; ++k) {
                if (!in_range(b->center[k][lane], -MAX_METRES, MAX_METRES)) {
                    return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_GROUP_BATCHES, i, "center");
                }
            }
            const float total = b->total_mass[lane];
            const int on = b->lane_mask >> lane & 1;
            if (!in_range(total, MIN_MASS, MAX_MASS * HEM_MAX_GROUP_MEMBERS) || (on && !near_one(total / mass[lane]))) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_GROUP_BATCHES, i, "total_mass");
            }
        }
        *group_count += count_bits8(b->lane_mask);
        *indexed_count += indexed ? count_bits8(b->lane_mask) : 0;
    }
    if (next_member != v->group_member_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_GROUP_MEMBERS, next_member, "element_count");
    }
    if (next_index != v->group_index_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_GROUP_INDICES, next_index, "element_count");
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_constraints(checker* c) {
    const hem_view* v = c->view;
    uint32_t row_links = 0, index_links = 0, groups = 0, index_groups = 0;
    hem_format_result r = check_links(c, &row_links);
    if (r == HEM_FORMAT_OK) {
        r = check_indexed(c, &index_links);
    }
    if (r == HEM_FORMAT_OK) {
        r = check_groups(c, &groups, &index_groups);
    }
    if (r != HEM_FORMAT_OK) {
        return r;
    }
    if (v->info->link_count != row_links + index_links) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_INFO, 0, "link_count");
    }
    if (v->info->group_count != groups) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_INFO, 0, "group_count");
    }
    const uint32_t constraints = row_links + index_links + groups;
    const uint32_t batches = v->link_batch_count + v->index_batch_count + v->group_batch_count;
    const float fill = batches != 0 ? (float)constraints / (float)(batches * 8.0f) : 1.0f;
    const float indexed = constraints != 0 ? (float)(index_links + index_groups) / (float)constraints : 0.0f;
    if (!in_range(v->info->lane_fill - fill, -1e-4f, 1e-4f)) {
        return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_INFO, 0, "lane_fill");
    }
    if (!in_range(v->info->indexed_share - indexed, -1e-4f, 1e-4f)) {
        return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_INFO, 0, "indexed_share");
    }
    if (!is_zero(v->info->reserved, sizeof v->info->reserved)) {
        return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_INFO, 0, "reserved");
    }
    return HEM_FORMAT_OK;
}

// -- Colliders

// Which of the four sizes a shape uses; the rest are zero. Bit i: size[i].
static const uint32_t shape_size_mask[] = {0, 1, 7, 15, 0};

static hem_format_result check_colliders(checker* c) {
    const hem_view* v = c->view;
    uint32_t next_plane = 0;
    for (uint32_t i = 0; i < v->collider_count; ++i) {
        const hem_asset_collider* a = &v->colliders[i];
        if (a->name_offset >= v->string_size) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_COLLIDERS, i, "name_offset");
        }
        if (a->kind > HEM_SHAPE_HULL) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_COLLIDERS, i, "kind");
        }
        if (a->bone < HEM_NONE || a->bone >= (int32_t)v->info->bone_count) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_COLLIDERS, i, "bone");
        }
        if (a->collision_group == 0) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_COLLIDERS, i, "collision_group");
        }
        if (!is_unit_quat(a->rotation[0], a->rotation[1], a->rotation[2], a->rotation[3])) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_COLLIDERS, i, "rotation");
        }
        for (int k = 0; k < 3; ++k) {
            if (!in_range(a->position[k], -MAX_METRES, MAX_METRES)) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_COLLIDERS, i, "position");
            }
        }
        if (!in_range(a->friction, 0, 1)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_COLLIDERS, i, "friction");
        }
        for (int k = 0; k < 4; ++k) {
            const float high = (shape_size_mask[a->kind] >> k & 1) != 0 ? MAX_METRES : 0;
            if (!in_range(a->size[k], 0, high)) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_COLLIDERS, i, "size");
            }
        }
        if (a->kind == HEM_SHAPE_HULL) {
            if (!take_range(a->plane_begin, a->plane_count, v->hull_plane_count, &next_plane) || a->plane_count < 4) {
                return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_COLLIDERS, i, "plane_begin");
            }
        } else if (a->plane_begin != 0 || a->plane_count != 0) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_COLLIDERS, i, "plane_begin");
        }
        if (!is_zero(a->reserved, sizeof a->reserved)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_COLLIDERS, i, "reserved");
        }
    }
    if (next_plane != v->hull_plane_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_HULL_PLANES, next_plane, "element_count");
    }
    for (uint32_t i = 0; i < v->hull_plane_count; ++i) {
        const float* p = v->hull_planes[i];
        if (!near_one(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_HULL_PLANES, i, "normal");
        }
        if (!in_range(p[3], -MAX_METRES, MAX_METRES)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_HULL_PLANES, i, "offset");
        }
    }
    return HEM_FORMAT_OK;
}

// -- Visual meshes and the preview

static hem_format_result check_vertices(checker* c) {
    const hem_view* v = c->view;
    for (uint32_t i = 0; i < v->info->vertex_count; ++i) {
        const hem_vertex_rest* r = &v->vertex_rest[i];
        for (int k = 0; k < 3; ++k) {
            if (!in_range(r->position[k], -MAX_METRES, MAX_METRES)) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_VERTEX_REST, i, "position");
            }
        }
        const float* n = r->normal;
        const float* t = r->tangent;
        const float normal_length = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        const float tangent_length = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
        if (normal_length != 0 && !near_one(normal_length)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_VERTEX_REST, i, "normal");
        }
        if (tangent_length == 0 ? t[3] != 0 : !near_one(tangent_length) || (t[3] != 1 && t[3] != -1)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_VERTEX_REST, i, "tangent");
        }
        const hem_vertex_bind* b = &v->vertex_bind[i];
        uint32_t particle_sum = 0, bone_sum = 0;
        for (int k = 0; k < 4; ++k) {
            if (b->particle[k] >= v->info->particle_count) {
                return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_VERTEX_BIND, i, "particle");
            }
            // Body particles carry no skin, pads no motion.
            if (b->blend != 0 && b->particle_weight[k] != 0 &&
                (v->particle_flags[b->particle[k]] & (HEM_PARTICLE_PAD | HEM_PARTICLE_BODY)) != 0) {
                return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_VERTEX_BIND, i, "particle");
            }
            if (b->bone[k] >= v->info->bone_count) {
                return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_VERTEX_BIND, i, "bone");
            }
            particle_sum += b->particle_weight[k];
            bone_sum += b->bone_weight[k];
        }
        if (particle_sum != WEIGHT_ONE) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_VERTEX_BIND, i, "particle_weight");
        }
        if (bone_sum != WEIGHT_ONE) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_VERTEX_BIND, i, "bone_weight");
        }
        if (b->blend == 0 && (b->particle[0] != 0 || b->particle_weight[0] != WEIGHT_ONE)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_VERTEX_BIND, i, "blend");
        }
        if (b->reserved != 0) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_VERTEX_BIND, i, "reserved");
        }
    }
    for (uint32_t begin = 0; begin < v->info->vertex_count; begin += HEM_LANES) {
        int bones = 1, particles = 1;
        for (uint32_t i = begin; i < begin + HEM_LANES && i < v->info->vertex_count; ++i) {
            bones &= v->vertex_bind[i].blend == 0;
            particles &= v->vertex_bind[i].blend == WEIGHT_ONE;
        }
        const uint8_t block = bones ? HEM_BLOCK_BONES : particles ? HEM_BLOCK_PARTICLES : HEM_BLOCK_MIXED;
        if (v->vertex_blocks[begin / HEM_LANES] != block) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_VERTEX_BLOCKS, begin / HEM_LANES, "block");
        }
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_meshes(checker* c) {
    const hem_view* v = c->view;
    uint32_t next_vertex = 0, next_index = 0;
    for (uint32_t i = 0; i < v->info->mesh_count; ++i) {
        const hem_mesh* m = &v->meshes[i];
        if (m->name_offset >= v->string_size) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_MESHES, i, "name_offset");
        }
        if (!take_range(m->vertex_begin, m->vertex_count, v->info->vertex_count, &next_vertex)) {
            return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_MESHES, i, "vertex_begin");
        }
        if (m->index_count % 3 != 0 ||
            !take_range(m->index_begin, m->index_count, v->preview_index_count, &next_index)) {
            return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_MESHES, i, "index_begin");
        }
        for (uint32_t k = m->index_begin; k < next_index; ++k) {
            if (v->preview_indices[k] - m->vertex_begin >= m->vertex_count) {
                return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_PREVIEW_INDICES, k, "vertex");
            }
        }
        uint32_t flags = 0;
        for (uint32_t k = m->vertex_begin; k < next_vertex; ++k) {
            flags |= v->vertex_bind[k].blend != 0 ? (uint32_t)HEM_MESH_DYNAMIC : 0;
        }
        if (m->flags != flags) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_MESHES, i, "flags");
        }
        if (!is_zero(m->reserved, sizeof m->reserved)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_MESHES, i, "reserved");
        }
    }
    if (next_vertex != v->info->vertex_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_MESHES, v->info->mesh_count, "vertex_count");
    }
    if (next_index != v->preview_index_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_MESHES, v->info->mesh_count, "index_count");
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_clips(checker* c) {
    const hem_view* v = c->view;
    uint32_t next = 0;
    for (uint32_t i = 0; i < v->clip_count; ++i) {
        const hem_clip* clip = &v->clips[i];
        if (clip->name_offset >= v->string_size) {
            return fail(c, HEM_FORMAT_BAD_INDEX, HEM_SECTION_PREVIEW_CLIPS, i, "name_offset");
        }
        if (clip->frame_count == 0 || !take_range(clip->frame_begin, clip->frame_count, v->clip_frame_count, &next)) {
            return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PREVIEW_CLIPS, i, "frame_begin");
        }
        if (!in_range(clip->hz, 1e-3f, 1e4f)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_PREVIEW_CLIPS, i, "hz");
        }
        if ((clip->flags & ~(uint32_t)HEM_CLIP_LOOPS) != 0) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_PREVIEW_CLIPS, i, "flags");
        }
        if (!is_zero(clip->reserved, sizeof clip->reserved)) {
            return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_PREVIEW_CLIPS, i, "reserved");
        }
    }
    if (next != v->clip_frame_count) {
        return fail(c, HEM_FORMAT_BAD_COUNT, HEM_SECTION_PREVIEW_FRAMES, next, "element_count");
    }
    const uint32_t matrix_count = v->clip_frame_count * v->info->bone_count;
    for (uint32_t i = 0; i < matrix_count; ++i) {
        for (int k = 0; k < 12; ++k) {
            if (!in_range(v->clip_frames[i][k], -MAX_METRES, MAX_METRES)) {
                return fail(c, HEM_FORMAT_BAD_VALUE, HEM_SECTION_PREVIEW_FRAMES, i, "matrix");
            }
        }
    }
    return HEM_FORMAT_OK;
}

// -- The public face

hem_format_result hem_validate(const void* bytes, size_t size, hem_view* view, hem_format_fault* fault) {
    hem_format_fault ignored;
    checker c;
    c.bytes = (const uint8_t*)bytes;
    c.view = view;
    c.fault = fault != NULL ? fault : &ignored;
    *c.fault = (hem_format_fault){0, 0, ""};
    memset(view, 0, sizeof *view);
    memset(c.used, 0, sizeof c.used);
    if (bytes == NULL) {
        return fail(&c, HEM_FORMAT_TOO_SHORT, 0, 0, "header");
    }
    if ((uintptr_t)bytes % HEM_ALIGNMENT != 0) {
        return fail(&c, HEM_FORMAT_MISALIGNED, 0, 0, "bytes");
    }
    hem_format_result r = check_header(&c, size);
    if (r == HEM_FORMAT_OK) {
        r = check_table(&c);
    }
    if (r == HEM_FORMAT_OK) {
        r = bind_view(&c);
    }
    // From what others point into to what points.
    static hem_format_result (*const checks[])(checker*) = {
        check_strings,     check_parts,     check_bones,    check_flags,  check_rest,
        check_bind,        check_limits,    check_anim,     check_frames, check_ignore,
        check_constraints, check_colliders, check_vertices, check_meshes, check_clips,
    };
    if (r == HEM_FORMAT_OK) {
        r = check_tuning(view->tuning, view->info->part_count, c.fault);
    }
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]) && r == HEM_FORMAT_OK; ++i) {
        r = checks[i](&c);
    }
    if (r != HEM_FORMAT_OK) {
        memset(view, 0, sizeof *view);
    }
    return r;
}

hem_format_result hem_validate_tuning(const hem_tuning* tuning, uint32_t count, hem_format_fault* fault) {
    hem_format_fault ignored;
    return check_tuning(tuning, count, fault != NULL ? fault : &ignored);
}

const char* hem_format_result_text(hem_format_result result) {
    switch (result) {
#define HEM_FORMAT_TEXT(name, value, text)                                                                             \
    case name:                                                                                                         \
        return text;
        HEM_FORMAT_RESULTS(HEM_FORMAT_TEXT)
#undef HEM_FORMAT_TEXT
    }
    return "unknown result";
}

const char* hem_section_name(uint32_t kind) {
    const section_rule* rule = rule_of(kind);
    return rule != NULL ? rule->name : kind == 0 ? "header" : "unknown";
}
