// SPDX-License-Identifier: MIT
#include "formats/hem_validate_internal.h"

// Lattices: every particle of the part stands in one bar per axis, cells have eight corners of it, vertices lie in cells.

// Each of the lattice's particles exactly once; marks them in c->used, which the caller clears.
static hem_format_result check_bars(hemi_checker* c, const hem_lattice* l, uint32_t axis, uint32_t* next_bar,
                                    uint32_t* next_order) {
    const hem_view* v = c->view;
    uint32_t seen = 0;
    const uint32_t lattice = (uint32_t)(l - v->lattices);
    REFUSE_IF(!hemi_take_range(l->bar_begin[axis], l->bar_count[axis], v->lattice_bar_count, next_bar), BAD_COUNT,
              LATTICES, lattice, "bar_begin");
    for (uint32_t i = l->bar_begin[axis]; i < l->bar_begin[axis] + l->bar_count[axis]; ++i) {
        const hem_lattice_bar* bar = &v->lattice_bars[i];
        REFUSE_IF(bar->count == 0 || !hemi_take_range(bar->first, bar->count, v->lattice_order_count, next_order),
                  BAD_COUNT, LATTICE_BARS, i, "first");
        for (uint32_t k = bar->first; k < bar->first + bar->count; ++k) {
            const uint32_t particle = v->lattice_order[k];
            REFUSE_IF(particle >= v->info->particle_count || hemi_part_of(v, particle) != l->part ||
                          (v->particle_flags[particle] & HEM_PARTICLE_PAD) != 0,
                      BAD_INDEX, LATTICE_ORDER, k, "particle");
            const uint8_t bit = (uint8_t)(1u << (particle % HEM_LANES));
            REFUSE_IF((c->used[particle / HEM_LANES] & bit) != 0, BAD_BATCH, LATTICE_ORDER, k, "particle");
            c->used[particle / HEM_LANES] |= bit;
            ++seen;
        }
    }
    REFUSE_IF(seen != l->particle_count, BAD_COUNT, LATTICES, lattice, "particle_count");
    return HEM_FORMAT_OK;
}

static hem_format_result check_cells(hemi_checker* c, const hem_lattice* l, uint32_t* next_cell) {
    const hem_view* v = c->view;
    const uint32_t lattice = (uint32_t)(l - v->lattices);
    REFUSE_IF(l->cell_count == 0 || !hemi_take_range(l->cell_begin, l->cell_count, v->lattice_cell_count, next_cell),
              BAD_COUNT, LATTICES, lattice, "cell_begin");
    for (uint32_t i = l->cell_begin; i < l->cell_begin + l->cell_count; ++i) {
        const hem_lattice_cell* cell = &v->lattice_cells[i];
        REFUSE_IF(cell->lattice != lattice, BAD_INDEX, LATTICE_CELLS, i, "lattice");
        for (int axis = 0; axis < 3; ++axis) {
            REFUSE_IF(cell->index[axis] + 1u >= l->size[axis], BAD_INDEX, LATTICE_CELLS, i, "index");
        }
        for (int k = 0; k < 8; ++k) {
            REFUSE_IF(cell->corner[k] >= v->info->particle_count || hemi_part_of(v, cell->corner[k]) != l->part ||
                          (v->particle_flags[cell->corner[k]] & HEM_PARTICLE_PAD) != 0,
                      BAD_INDEX, LATTICE_CELLS, i, "corner");
            for (int other = 0; other < k; ++other) {
                REFUSE_IF(cell->corner[k] == cell->corner[other], BAD_INDEX, LATTICE_CELLS, i, "corner");
            }
        }
        REFUSE_IF(!hemi_is_zero(cell->reserved, sizeof cell->reserved), BAD_VALUE, LATTICE_CELLS, i, "reserved");
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_lattice(hemi_checker* c, uint32_t i, uint32_t* next_cell, uint32_t* next_bar,
                                       uint32_t* next_order) {
    const hem_view* v = c->view;
    const hem_lattice* l = &v->lattices[i];
    REFUSE_IF(l->part >= v->info->part_count || v->parts[l->part].kind != HEM_PART_SOFT, BAD_INDEX, LATTICES, i,
              "part");
    const hem_part* part = &v->parts[l->part];
    uint32_t real = 0;
    for (uint32_t k = part->row_begin * HEM_LANES; k < (part->row_begin + part->row_count) * HEM_LANES; ++k) {
        real += (v->particle_flags[k] & HEM_PARTICLE_PAD) == 0;
    }
    REFUSE_IF(l->particle_count != real, BAD_COUNT, LATTICES, i, "particle_count");
    for (int axis = 0; axis < 3; ++axis) {
        REFUSE_IF(l->size[axis] < 2 || l->size[axis] > HEM_MAX_LATTICE_SIZE, BAD_VALUE, LATTICES, i, "size");
        REFUSE_IF(!hemi_in_range(l->origin[axis], -HEM_MAX_METRES, HEM_MAX_METRES), BAD_VALUE, LATTICES, i, "origin");
        REFUSE_IF(!hemi_in_range(l->spacing[axis], HEM_MIN_RADIUS, HEM_MAX_METRES), BAD_VALUE, LATTICES, i, "spacing");
    }
    REFUSE_IF(!hemi_is_zero(l->reserved, sizeof l->reserved), BAD_VALUE, LATTICES, i, "reserved");
    hem_format_result r = check_cells(c, l, next_cell);
    for (uint32_t axis = 0; axis < 3 && r == HEM_FORMAT_OK; ++axis) {
        r = check_bars(c, l, axis, next_bar, next_order);
        memset(c->used, 0, sizeof c->used);
    }
    return r;
}

hem_format_result hemi_check_lattices(hemi_checker* c) {
    const hem_view* v = c->view;
    uint32_t next_cell = 0, next_bar = 0, next_order = 0;
    for (uint32_t i = 0; i < v->lattice_count; ++i) {
        const hem_format_result r = check_lattice(c, i, &next_cell, &next_bar, &next_order);
        if (r != HEM_FORMAT_OK) {
            return r;
        }
    }
    REFUSE_IF(next_cell != v->lattice_cell_count, BAD_COUNT, LATTICE_CELLS, next_cell, "element_count");
    REFUSE_IF(next_bar != v->lattice_bar_count, BAD_COUNT, LATTICE_BARS, next_bar, "element_count");
    REFUSE_IF(next_order != v->lattice_order_count, BAD_COUNT, LATTICE_ORDER, next_order, "element_count");
    // What hangs on a lattice is refused where there is none.
    for (uint32_t p = 0; p < v->info->part_count; ++p) {
        const int lattice = hem_range_of(v->ranges, &v->parts[p], HEM_BATCH_REGIONS).count != 0;
        REFUSE_IF(v->parts[p].flags != 0 && !lattice, BAD_VALUE, PARTS, p, "flags");
        REFUSE_IF((v->tuning[p].region_width != 0) != lattice, BAD_VALUE, TUNING, p, "region_width");
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_key_row(hemi_checker* c, uint32_t i) {
    const hem_key_row* row = &c->view->lattice_key_rows[i];
    for (int k = 0; k < HEM_LANES; ++k) {
        REFUSE_IF(!hemi_in_range(row->x[k], -HEM_MAX_METRES, HEM_MAX_METRES) ||
                      !hemi_in_range(row->y[k], -HEM_MAX_METRES, HEM_MAX_METRES) ||
                      !hemi_in_range(row->z[k], -HEM_MAX_METRES, HEM_MAX_METRES),
                  BAD_VALUE, LATTICE_KEY_ROWS, i, "x");
        REFUSE_IF(!hemi_is_unit_quat(row->qx[k], row->qy[k], row->qz[k], row->qw[k]), BAD_VALUE, LATTICE_KEY_ROWS, i,
                  "qx");
    }
    return HEM_FORMAT_OK;
}

hem_format_result hemi_check_lattice_clips(hemi_checker* c) {
    const hem_view* v = c->view;
    uint32_t next_key = 0, next_row = 0;
    for (uint32_t i = 0; i < v->lattice_clip_count; ++i) {
        const hem_lattice_clip* clip = &v->lattice_clips[i];
        REFUSE_IF(clip->name_offset >= v->string_size, BAD_INDEX, LATTICE_CLIPS, i, "name_offset");
        REFUSE_IF(clip->lattice >= v->lattice_count, BAD_INDEX, LATTICE_CLIPS, i, "lattice");
        REFUSE_IF(clip->key_count == 0 ||
                      !hemi_take_range(clip->key_begin, clip->key_count, v->lattice_key_count, &next_key),
                  BAD_COUNT, LATTICE_CLIPS, i, "key_begin");
        REFUSE_IF((clip->flags & ~(HEM_LATTICE_CLIP_INTERPOLATES | HEM_LATTICE_CLIP_LOOPS)) != 0, BAD_VALUE,
                  LATTICE_CLIPS, i, "flags");
        REFUSE_IF(!hemi_is_zero(clip->reserved, sizeof clip->reserved), BAD_VALUE, LATTICE_CLIPS, i, "reserved");
        const hem_part* part = &v->parts[v->lattices[clip->lattice].part];
        REFUSE_IF(hem_range_of(v->ranges, part, HEM_BATCH_DRIVES).count == 0, BAD_VALUE, LATTICE_CLIPS, i, "lattice");
        float last = -1;
        for (uint32_t k = clip->key_begin; k < next_key; ++k) {
            const hem_lattice_key* key = &v->lattice_keys[k];
            REFUSE_IF(!hemi_in_range(key->seconds, 0, 1e6f) || !(key->seconds > last), BAD_VALUE, LATTICE_KEYS, k,
                      "seconds");
            REFUSE_IF(!hemi_take_range(key->row_begin, part->row_count, v->lattice_key_row_count, &next_row), BAD_COUNT,
                      LATTICE_KEYS, k, "row_begin");
            last = key->seconds;
        }
    }
    REFUSE_IF(next_key != v->lattice_key_count, BAD_COUNT, LATTICE_KEYS, next_key, "element_count");
    REFUSE_IF(next_row != v->lattice_key_row_count, BAD_COUNT, LATTICE_KEY_ROWS, next_row, "element_count");
    for (uint32_t i = 0; i < v->lattice_key_row_count; ++i) {
        const hem_format_result r = check_key_row(c, i);
        if (r != HEM_FORMAT_OK) {
            return r;
        }
    }
    return HEM_FORMAT_OK;
}

hem_format_result hemi_check_vertex_cells(hemi_checker* c) {
    const hem_view* v = c->view;
    for (uint32_t i = 0; i < v->vertex_cell_count; ++i) {
        const hem_vertex_cell* at = &v->vertex_cells[i];
        REFUSE_IF(at->vertex >= v->info->vertex_count || (i > 0 && at->vertex <= at[-1].vertex), BAD_INDEX,
                  VERTEX_CELLS, i, "vertex");
        REFUSE_IF(v->vertex_bind[at->vertex].blend == 0, BAD_VALUE, VERTEX_CELLS, i, "vertex");
        REFUSE_IF(at->cell >= v->lattice_cell_count, BAD_INDEX, VERTEX_CELLS, i, "cell");
        for (int axis = 0; axis < 3; ++axis) {
            REFUSE_IF(!hemi_in_range(at->at[axis], -4, 5), BAD_VALUE, VERTEX_CELLS, i, "at");
        }
        REFUSE_IF(!hemi_is_zero(at->reserved, sizeof at->reserved), BAD_VALUE, VERTEX_CELLS, i, "reserved");
    }
    return HEM_FORMAT_OK;
}
