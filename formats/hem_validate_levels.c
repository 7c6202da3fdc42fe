// SPDX-License-Identifier: MIT
#include "formats/hem_validate_internal.h"

// Coarser levels of detail. Each is a whole file inside this one, so the validator calls itself; not any deeper, since only a
// version that a level may not have has levels.

static int all_levels_apart(const hem_view* v) {
    return v->tear_face_count == 0 && v->lattice_clip_count == 0 && v->virtual_edge_count == 0;
}

static hem_format_result check_rows(hemi_checker* c, const hem_view* to, const hem_view* from, uint32_t begin) {
    for (uint32_t row = 0; row < to->info->row_count; ++row) {
        const hem_level_row* r = &c->view->level_rows[begin + row];
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            uint32_t sum = 0;
            for (int k = 0; k < 4; ++k) {
                const uint32_t particle = r->particle[k][lane];
                REFUSE_IF(particle >= from->info->particle_count ||
                              (from->particle_flags[particle] & HEM_PARTICLE_PAD) ||
                              hemi_part_of(from, particle) != hemi_part_of(to, row * HEM_LANES + lane),
                          BAD_INDEX, LEVEL_ROWS, begin + row, "particle");
                sum += r->weight[k][lane];
            }
            REFUSE_IF(sum != WEIGHT_ONE, BAD_VALUE, LEVEL_ROWS, begin + row, "weight");
        }
    }
    return HEM_FORMAT_OK;
}

// What a game says about one of them it says about all.
static hem_format_result check_kin(hemi_checker* c, const hem_view* level, uint32_t i) {
    const hem_view* v = c->view;
    REFUSE_IF(level->info->part_count != v->info->part_count, BAD_COUNT, LEVELS, i, "part_count");
    REFUSE_IF(level->info->bone_count != v->info->bone_count, BAD_COUNT, LEVELS, i, "bone_count");
    REFUSE_IF(level->collider_count != v->collider_count, BAD_COUNT, LEVELS, i, "collider_count");
    REFUSE_IF(level->info->vertex_count != 0 || level->clip_count != 0, BAD_COUNT, LEVELS, i, "vertex_count");
    REFUSE_IF(!all_levels_apart(level), BAD_VALUE, LEVELS, i, "tears, clips or virtual particles");
    for (uint32_t p = 0; p < v->info->part_count; ++p) {
        REFUSE_IF((level->parts[p].kind == HEM_PART_BODY) != (v->parts[p].kind == HEM_PART_BODY), BAD_VALUE, LEVELS, i,
                  "part kinds");
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_level(hemi_checker* c, uint32_t i, uint32_t* next_byte, uint32_t* next_row) {
    const hem_view* v = c->view;
    const hem_asset_level* level = &v->levels[i];
    REFUSE_IF(!hemi_is_zero(level->reserved, sizeof level->reserved), BAD_VALUE, LEVELS, i, "reserved");
    REFUSE_IF(!hemi_take_range(level->byte_begin, level->byte_count, v->level_byte_count, next_byte) ||
                  level->byte_count < sizeof(hem_header) || level->byte_begin % HEM_ALIGNMENT != 0,
              BAD_INDEX, LEVELS, i, "byte_begin");
    const uint8_t* bytes = v->level_bytes + level->byte_begin;
    REFUSE_IF(((const hem_header*)(const void*)bytes)->version != HEM_FORMAT_VERSION, BAD_VALUE, LEVELS, i, "version");
    hem_view inner;
    hem_format_fault fault;
    const hem_format_result result = hem_validate(bytes, level->byte_count, &inner, &fault);
    if (result != HEM_FORMAT_OK) {
        return hemi_refuse(c->fault, result, HEM_SECTION_LEVEL_BYTES, i, fault.field);
    }
    hem_format_result r = check_kin(c, &inner, i);
    if (r != HEM_FORMAT_OK) {
        return r;
    }
    REFUSE_IF(!hemi_take_range(level->down_begin, inner.info->row_count, v->level_row_count, next_row), BAD_INDEX,
              LEVELS, i, "down_begin");
    REFUSE_IF(!hemi_take_range(level->up_begin, v->info->row_count, v->level_row_count, next_row), BAD_INDEX, LEVELS, i,
              "up_begin");
    r = check_rows(c, &inner, v, level->down_begin);
    return r == HEM_FORMAT_OK ? check_rows(c, v, &inner, level->up_begin) : r;
}

hem_format_result hemi_check_levels(hemi_checker* c) {
    const hem_view* v = c->view;
    const int wanted = v->header->version == HEM_FORMAT_VERSION_LEVELS;
    REFUSE_IF((v->level_count != 0) != wanted, BAD_COUNT, LEVELS, 0, "element_count");
    REFUSE_IF(wanted && !all_levels_apart(v), BAD_VALUE, LEVELS, 0, "tears, clips or virtual particles");
    uint32_t next_byte = 0, next_row = 0;
    for (uint32_t i = 0; i < v->level_count; ++i) {
        const hem_format_result r = check_level(c, i, &next_byte, &next_row);
        if (r != HEM_FORMAT_OK) {
            return r;
        }
    }
    REFUSE_IF(next_byte != v->level_byte_count, BAD_COUNT, LEVEL_BYTES, 0, "element_count");
    REFUSE_IF(next_row != v->level_row_count, BAD_COUNT, LEVEL_ROWS, 0, "element_count");
    return HEM_FORMAT_OK;
}
