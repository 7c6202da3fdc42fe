// SPDX-License-Identifier: MIT
// What stands in the wind keeps it off what is behind.
//
// The body is seen along the wind, as a map of square cells: where it begins and where it ends in each. A particle behind
// the end of its cells has `share` less wind, and the further behind the more of it comes back, until as far as the body is
// wide there is all of it again. Cells blend, so that nothing jumps when cloth moves from one to the next. Only the body's
// own particles count: cloth does not shelter cloth.

#include "runtime/src/step.h"

#define CELLS 24

typedef struct shelter_map {
    hem_vec3 along, across, up; // of the wind; a right-handed frame, character space
    float low[2], inverse_cell, wake;
    float begin[CELLS][CELLS], end[CELLS][CELLS]; // metres along the wind; begin > end = nothing
} shelter_map;

typedef struct shelter_seen { // a particle as the wind sees it
    float at[2], depth, radius;
} shelter_seen;

static shelter_seen see(const shelter_map* m, const hemi_step* s, uint32_t row, uint32_t i) {
    const hemi_row4* x = &s->instance->x[row];
    const hem_shape_row* shape = &s->instance->view->shape_rows[row];
    const hem_vec3 p = hem_vec3_make(x->x[i], x->y[i], x->z[i]);
    const shelter_seen seen = {{hem_vec3_dot(p, m->across), hem_vec3_dot(p, m->up)},
                               hem_vec3_dot(p, m->along),
                               hem_maxf(shape->b[i], shape->c[i])};
    return seen;
}

// Calls for each particle of the body; `draw` 0 measures the map, 1 fills it.
static uint32_t each_body(const hemi_step* s, shelter_map* m, int draw, float high[2]) {
    const hem_view* view = s->instance->view;
    uint32_t count = 0;
    for (uint32_t n = 0; n < s->derived->body_row_count * 8; ++n) {
        const uint32_t row = s->derived->body_row[n >> 3], i = n & 7u;
        if (view->particle_flags[row * 8 + i] & HEM_PARTICLE_PAD) {
            continue;
        }
        const shelter_seen b = see(m, s, row, i);
        ++count;
        if (!draw) {
            for (int k = 0; k < 2; ++k) {
                m->low[k] = hem_minf(m->low[k], b.at[k] - b.radius);
                high[k] = hem_maxf(high[k], b.at[k] + b.radius);
            }
            continue;
        }
        int first[2], last[2];
        for (int k = 0; k < 2; ++k) {
            first[k] = (int)((b.at[k] - b.radius - m->low[k]) * m->inverse_cell);
            last[k] = (int)((b.at[k] + b.radius - m->low[k]) * m->inverse_cell);
            first[k] = first[k] < 0 ? 0 : first[k];
            last[k] = last[k] < CELLS ? last[k] : CELLS - 1;
        }
        for (int v = first[1]; v <= last[1]; ++v) {
            for (int u = first[0]; u <= last[0]; ++u) {
                m->begin[v][u] = hem_minf(m->begin[v][u], b.depth);
                m->end[v][u] = hem_maxf(m->end[v][u], b.depth);
            }
        }
    }
    return count;
}

static int make_map(const hemi_step* s, const float wind[3], shelter_map* m) {
    float high[2] = {-1e30f, -1e30f};
    const hem_vec3 w = hemi_vec3_of(wind);
    const float speed = hem_vec3_length(w);
    if (!(speed > 1e-6f)) {
        return 0;
    }
    m->along = hem_vec3_scale(w, 1.0f / speed);
    const hem_vec3 other =
        hem_absf(m->along.y) < 0.7f ? hem_vec3_make(0.0f, 1.0f, 0.0f) : hem_vec3_make(1.0f, 0.0f, 0.0f);
    const hem_vec3 side = hem_vec3_cross(other, m->along);
    m->across = hem_vec3_scale(side, 1.0f / hem_vec3_length(side));
    m->up = hem_vec3_cross(m->along, m->across);
    m->low[0] = m->low[1] = 1e30f;
    if (!each_body(s, m, 0, high)) {
        return 0;
    }
    const float wide = high[0] - m->low[0], tall = high[1] - m->low[1], size = hem_maxf(wide, tall);
    if (!(size > 1e-6f) || !(size < 1e6f)) {
        return 0;
    }
    m->inverse_cell = (float)CELLS / size;
    m->wake = hem_maxf(hem_minf(wide, tall), 1.0f / m->inverse_cell);
    for (int v = 0; v < CELLS; ++v) {
        for (int u = 0; u < CELLS; ++u) {
            m->begin[v][u] = 1e30f;
            m->end[v][u] = -1e30f;
        }
    }
    each_body(s, m, 1, high);
    return 1;
}

// 0 = all of the wind, 1 = none.
static float shelter_of_cell(const shelter_map* m, int u, int v, float depth) {
    if (u < 0 || v < 0 || u >= CELLS || v >= CELLS || m->begin[v][u] > m->end[v][u]) {
        return 0.0f;
    }
    const float behind_front = hem_clampf((depth - m->begin[v][u]) * m->inverse_cell, 0.0f, 1.0f);
    const float left = hem_clampf(1.0f - (depth - m->end[v][u]) / m->wake, 0.0f, 1.0f);
    return behind_front * left * left;
}

static float shelter_at(const shelter_map* m, const shelter_seen* p) {
    const float x = (p->at[0] - m->low[0]) * m->inverse_cell - 0.5f,
                y = (p->at[1] - m->low[1]) * m->inverse_cell - 0.5f;
    if (!(x > -2.0f && y > -2.0f && x < CELLS + 1.0f && y < CELLS + 1.0f)) {
        return 0.0f;
    }
    const int u = (int)(x + 2.0f) - 2, v = (int)(y + 2.0f) - 2;
    const float fx = x - (float)u, fy = y - (float)v;
    const float low = shelter_of_cell(m, u, v, p->depth) * (1.0f - fx) + shelter_of_cell(m, u + 1, v, p->depth) * fx;
    const float up =
        shelter_of_cell(m, u, v + 1, p->depth) * (1.0f - fx) + shelter_of_cell(m, u + 1, v + 1, p->depth) * fx;
    return low * (1.0f - fy) + up * fy;
}

const float* hemi_find_shelter(const hemi_step* s, const float wind[3], float share) {
    const hem_view* view = s->instance->view;
    float* left = s->scratch->solve.left;
    shelter_map map;
    if (!(share > 0.0f) || s->derived->body_row_count == 0 || !make_map(s, wind, &map)) {
        return NULL;
    }
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        for (uint32_t row = part->row_begin; part->kind != HEM_PART_BODY && row < part->row_begin + part->row_count;
             ++row) {
            for (uint32_t i = 0; i < 8; ++i) {
                const shelter_seen seen = see(&map, s, row, i);
                left[row * 8 + i] = 1.0f - share * shelter_at(&map, &seen);
            }
        }
    }
    return left;
}
