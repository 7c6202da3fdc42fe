// SPDX-License-Identifier: MIT
#include "formats/hem_validate_internal.h"

// The file as a container: header, section table, the view of its sections; and the order in which all else is checked.

typedef enum presence { OPTIONAL, REQUIRED } presence;

typedef struct section_rule {
    uint32_t kind;
    uint32_t element_size;
    presence presence;
    const char* name;
} section_rule;

static const section_rule section_rules[] = {
#define SECTION_RULE(name, number, text, element, pointer, count, presence, ...)                                       \
    {number, sizeof(element), presence, text},
    HEM_SECTIONS(SECTION_RULE)
#undef SECTION_RULE
};

static const section_rule* rule_of(uint32_t kind) {
    for (size_t i = 0; i < HEM_SECTION_COUNT; ++i) {
        if (section_rules[i].kind == kind) {
            return &section_rules[i];
        }
    }
    return NULL;
}

static hem_format_result check_header(hemi_checker* c, size_t size) {
    REFUSE_IF(size < sizeof(hem_header), TOO_SHORT, HEADER, 0, "header");
    const hem_header* h = (const hem_header*)c->bytes;
    for (size_t i = 0; i < sizeof h->magic; ++i) {
        REFUSE_IF(h->magic[i] != (uint8_t)HEM_MAGIC[i], BAD_MAGIC, HEADER, 0, "magic");
    }
    REFUSE_IF(h->version == 1, OLD_VERSION, HEADER, 1, "version");
    REFUSE_IF(h->version != HEM_FORMAT_VERSION && h->version != HEM_FORMAT_VERSION_LEVELS, BAD_VERSION, HEADER,
              h->version, "version");
    REFUSE_IF(h->header_size != sizeof(hem_header), BAD_HEADER, HEADER, 0, "header_size");
    REFUSE_IF(h->file_size > size, TOO_SHORT, HEADER, 0, "file_size");
    REFUSE_IF(h->file_size != size || size > UINT32_MAX, BAD_HEADER, HEADER, 0, "file_size");
    REFUSE_IF(h->section_count == 0 || h->section_count > HEM_SECTION_COUNT ||
                  sizeof(hem_header) + h->section_count * sizeof(hem_section) > size,
              BAD_HEADER, HEADER, 0, "section_count");
    REFUSE_IF((h->flags & ~(uint32_t)HEM_FILE_PREVIEW) != 0, BAD_HEADER, HEADER, 0, "flags");
    size_t length = 0;
    while (length < sizeof h->tool && h->tool[length] != 0) {
        ++length;
    }
    REFUSE_IF(length == sizeof h->tool || !hemi_is_zero(h->tool + length, sizeof h->tool - length), BAD_HEADER, HEADER,
              0, "tool");
    REFUSE_IF(!hemi_is_zero(h->reserved, sizeof h->reserved), BAD_HEADER, HEADER, 0, "reserved");
    c->view->header = h;
    return HEM_FORMAT_OK;
}

static uint64_t align_up(uint64_t x) {
    return (x + (HEM_ALIGNMENT - 1)) & ~(uint64_t)(HEM_ALIGNMENT - 1);
}

// Sections follow each other in table order with no room but what alignment needs, so overlap cannot be expressed.
static hem_format_result check_table(hemi_checker* c) {
    const hem_header* h = c->view->header;
    const hem_section* sections = (const hem_section*)(c->bytes + sizeof(hem_header));
    uint64_t end = sizeof(hem_header) + h->section_count * sizeof(hem_section);
    uint32_t last_kind = 0;
    int preview = 0;
    for (uint32_t i = 0; i < h->section_count; ++i) {
        const hem_section* s = &sections[i];
        const section_rule* rule = rule_of(s->kind);
        REFUSE_IF(rule == NULL || s->kind <= last_kind, BAD_SECTION, HEADER, i, "kind");
        REFUSE_IF(s->element_size != rule->element_size, BAD_SECTION, HEADER, i, "element_size");
        REFUSE_IF(s->element_count == 0, BAD_SECTION, HEADER, i, "element_count");
        REFUSE_IF(s->size != (uint64_t)s->element_size * s->element_count, BAD_SECTION, HEADER, i, "size");
        REFUSE_IF(s->offset != align_up(end) || s->offset > h->file_size || s->size > h->file_size - s->offset,
                  BAD_SECTION, HEADER, i, "offset");
        REFUSE_IF(s->reserved != 0, BAD_SECTION, HEADER, i, "reserved");
        REFUSE_IF(!hemi_is_zero(c->bytes + end, (size_t)(s->offset - end)), BAD_SECTION, HEADER, i, "gap");
        end = s->offset + s->size;
        last_kind = s->kind;
        preview |= s->kind >= HEM_SECTION_PREVIEW_INDICES;
    }
    REFUSE_IF(h->file_size != align_up(end), BAD_HEADER, HEADER, 0, "file_size");
    REFUSE_IF(!hemi_is_zero(c->bytes + end, (size_t)(h->file_size - end)), BAD_SECTION, HEADER, h->section_count,
              "gap");
    REFUSE_IF(preview != ((h->flags & HEM_FILE_PREVIEW) != 0), BAD_HEADER, HEADER, 0, "flags");
    for (size_t r = 0; r < HEM_SECTION_COUNT; ++r) {
        int found = 0;
        for (uint32_t i = 0; i < h->section_count; ++i) {
            found |= sections[i].kind == section_rules[r].kind;
        }
        if (section_rules[r].presence == REQUIRED && !found) {
            return hemi_refuse(c->fault, HEM_FORMAT_MISSING_SECTION, section_rules[r].kind, 0, section_rules[r].name);
        }
    }
    return HEM_FORMAT_OK;
}

// The bytes and element count of a section, NULL and 0 when absent.
static const void* find(const hemi_checker* c, uint32_t kind, uint32_t* count) {
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

static hem_format_result check_info(hemi_checker* c) {
    const hem_info* info = c->view->info;
    REFUSE_IF(info->row_count == 0 || info->row_count > MAX_ROWS, BAD_COUNT, INFO, 0, "row_count");
    REFUSE_IF(info->particle_count != info->row_count * HEM_LANES, BAD_COUNT, INFO, 0, "particle_count");
    REFUSE_IF(info->oriented_row_count > info->row_count, BAD_COUNT, INFO, 0, "oriented_row_count");
    REFUSE_IF(info->part_count == 0 || info->part_count > HEM_MAX_PARTS, BAD_COUNT, INFO, 0, "part_count");
    REFUSE_IF(info->bone_count == 0 || info->bone_count > HEM_MAX_BONES, BAD_COUNT, INFO, 0, "bone_count");
    REFUSE_IF(info->vertex_count > HEM_MAX_VERTICES, BAD_COUNT, INFO, 0, "vertex_count");
    return HEM_FORMAT_OK;
}

typedef enum count_rule { ANY, EXACTLY, AT_MOST, ALL_OR_NONE, TIMES } count_rule;

static int is_right_count(uint32_t count, count_rule rule, uint32_t number) {
    switch (rule) {
    case EXACTLY:
        return count == number;
    case AT_MOST:
        return count <= number;
    case ALL_OR_NONE:
        return count == 0 || count == number;
    case TIMES:
        return count % number == 0;
    case ANY:
        break;
    }
    return 1;
}

static hem_format_result bind_view(hemi_checker* c) {
    hem_view* v = c->view;
    v->info = (const hem_info*)find(c, HEM_SECTION_INFO, &v->info_count);
    REFUSE_IF(v->info_count != 1, BAD_COUNT, INFO, 0, "element_count");
    const hem_info* info = v->info;
    const hem_format_result r = check_info(c);
    if (r != HEM_FORMAT_OK) {
        return r;
    }
#define BIND_SECTION(name, number, text, element, pointer, count, ...)                                                 \
    v->pointer = (const element*)find(c, HEM_SECTION_##name, &v->count);
    HEM_SECTIONS(BIND_SECTION)
#undef BIND_SECTION
    const struct {
        uint32_t kind, count;
        count_rule rule;
        uint32_t number;
    } counts[] = {
#define SECTION_COUNT(name, kind, text, element, pointer, count, presence, rule, elements)                             \
    {kind, v->count, rule, elements},
        HEM_SECTIONS(SECTION_COUNT)
#undef SECTION_COUNT
    };
    for (size_t i = 0; i < HEM_SECTION_COUNT; ++i) {
        if (!is_right_count(counts[i].count, counts[i].rule, counts[i].number)) {
            return hemi_refuse(c->fault, HEM_FORMAT_BAD_COUNT, counts[i].kind, 0, "element_count");
        }
    }
    v->clip_frame_count = v->clip_matrix_count / info->bone_count;
    return HEM_FORMAT_OK;
}

// The first byte makes offset 0 the empty string, the last one ends whatever string reaches it.
static hem_format_result check_strings(hemi_checker* c) {
    const hem_view* v = c->view;
    REFUSE_IF(v->strings[0] != 0, BAD_VALUE, STRINGS, 0, "first byte");
    REFUSE_IF(v->strings[v->string_size - 1] != 0, BAD_VALUE, STRINGS, v->string_size - 1, "last byte");
    return HEM_FORMAT_OK;
}
hem_format_result hem_validate(const void* bytes, size_t size, hem_view* view, hem_format_fault* fault) {
    hem_format_fault ignored;
    hemi_checker c;
    c.bytes = (const uint8_t*)bytes;
    c.view = view;
    c.fault = fault != NULL ? fault : &ignored;
    *c.fault = (hem_format_fault){0, 0, "", 0, 0, 0};
    memset(view, 0, sizeof *view);
    memset(c.used, 0, sizeof c.used);
    if (bytes == NULL) {
        return hemi_refuse(c.fault, HEM_FORMAT_TOO_SHORT, HEM_SECTION_HEADER, 0, "header");
    }
    if ((uintptr_t)bytes % HEM_ALIGNMENT != 0) {
        return hemi_refuse(c.fault, HEM_FORMAT_MISALIGNED, HEM_SECTION_HEADER, 0, "bytes");
    }
    hem_format_result r = check_header(&c, size);
    if (r == HEM_FORMAT_OK) {
        r = check_table(&c);
    }
    if (r == HEM_FORMAT_OK) {
        r = bind_view(&c);
    }
    // From what others point into to what points.
    static hem_format_result (*const checks[])(hemi_checker*) = {
        check_strings,          hemi_check_parts,     hemi_check_ranges,        hemi_check_bones,
        hemi_check_flags,       hemi_check_rest,      hemi_check_bind,          hemi_check_limits,
        hemi_check_anim,        hemi_check_frames,    hemi_check_ignore,        hemi_check_lattices,
        hemi_check_constraints, hemi_check_colliders, hemi_check_vertex_cells,  hemi_check_vertices,
        hemi_check_meshes,      hemi_check_clips,     hemi_check_lattice_clips, hemi_check_virtual,
        hemi_check_tears,       hemi_check_levels,
    };
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]) && r == HEM_FORMAT_OK; ++i) {
        r = checks[i](&c);
    }
    if (r == HEM_FORMAT_OK) { // last: its lengths are compared with the bounds
        r = hemi_check_tuning(view->tuning, view->info->part_count, hem_longest(view->info), c.fault);
    }
    if (r != HEM_FORMAT_OK) {
        memset(view, 0, sizeof *view);
    }
    return r;
}

hem_format_result hem_validate_tuning(const hem_tuning* tuning, uint32_t count, hem_format_fault* fault) {
    return hem_validate_tuning_of(NULL, tuning, count, fault);
}

hem_format_result hem_validate_tuning_of(const hem_info* info, const hem_tuning* tuning, uint32_t count,
                                         hem_format_fault* fault) {
    hem_format_fault ignored;
    return hemi_check_tuning(tuning, count, info != NULL ? hem_longest(info) : 1e4f, fault != NULL ? fault : &ignored);
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
    return rule != NULL ? rule->name : kind == HEM_SECTION_HEADER ? "header" : "unknown";
}