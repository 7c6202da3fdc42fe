// SPDX-License-Identifier: MIT
#include "tests/runtime/trimesh_kit.h"

#include "platform/math.h"

#include <stdlib.h>

uint32_t dice_below(dice* d, uint32_t limit) {
    d->state = d->state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((d->state >> 33) % limit);
}

double dice_real(dice* d) {
    return dice_below(d, 1u << 24) * (1.0 / (1u << 24));
}

// A grid of nu x nv quads on a surface; closed in u or v means that the last column is the first.
static soup grid(uint32_t nu, uint32_t nv, int closed_u, int closed_v) {
    soup s = {0};
    uint32_t columns = closed_u ? nu : nu + 1, rows = closed_v ? nv : nv + 1;
    s.vertex_count = columns * rows;
    s.triangle_count = 2 * nu * nv;
    s.positions = malloc(s.vertex_count * sizeof(*s.positions));
    s.indices = malloc(3 * s.triangle_count * sizeof(uint32_t));
    uint32_t at = 0;
    for (uint32_t v = 0; v < nv; ++v) {
        for (uint32_t u = 0; u < nu; ++u) {
            uint32_t a = v * columns + u, b = v * columns + (u + 1) % columns;
            uint32_t c = (v + 1) % rows * columns + u, d = (v + 1) % rows * columns + (u + 1) % columns;
            uint32_t six[6] = {a, c, b, b, c, d};
            for (int k = 0; k < 6; ++k) {
                s.indices[at++] = six[k];
            }
        }
    }
    return s;
}

static void place(soup* s, uint32_t i, float x, float y, float z) {
    s->positions[i][0] = x;
    s->positions[i][1] = y;
    s->positions[i][2] = z;
}

// Poles are many vertices in one place: the builder welds them and drops what has no area.
static soup ball(uint32_t detail) {
    uint32_t nu = 2 * detail + 2, nv = detail + 1;
    soup s = grid(nu, nv, 1, 0);
    for (uint32_t v = 0; v <= nv; ++v) {
        for (uint32_t u = 0; u < nu; ++u) {
            float a = 6.2831853f * (float)u / (float)nu, b = 3.1415927f * (float)v / (float)nv;
            float r = v == 0 || v == nv ? 0.0f : hem_sinf(b);
            place(&s, v * nu + u, r * hem_sinf(a), v == 0 ? 1.0f : v == nv ? -1.0f : hem_cosf(b), r * hem_cosf(a));
        }
    }
    s.closed = 1;
    return s;
}

static soup torus(uint32_t detail) {
    uint32_t nu = 2 * detail + 2, nv = detail + 2;
    soup s = grid(nu, nv, 1, 1);
    for (uint32_t v = 0; v < nv; ++v) {
        for (uint32_t u = 0; u < nu; ++u) {
            float a = 6.2831853f * (float)u / (float)nu, b = 6.2831853f * (float)v / (float)nv;
            float r = 1.0f + 0.4f * hem_sinf(b);
            place(&s, v * nu + u, r * hem_sinf(a), 0.4f * hem_cosf(b), r * hem_cosf(a));
        }
    }
    s.closed = 1;
    return s;
}

static soup sheet(uint32_t detail) {
    soup s = grid(detail, detail, 0, 0);
    for (uint32_t i = 0; i < s.vertex_count; ++i) {
        float x = 2.0f * (float)(i % (detail + 1)) / (float)detail - 1.0f;
        float z = 2.0f * (float)(i / (detail + 1)) / (float)detail - 1.0f;
        place(&s, i, x, 0.1f * hem_sinf(5.0f * x) * hem_cosf(4.0f * z), z);
    }
    return s;
}

static soup box(void) {
    static const uint32_t faces[36] = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                       2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    soup s = {0};
    s.vertex_count = 8;
    s.triangle_count = 12;
    s.positions = malloc(8 * sizeof(*s.positions));
    s.indices = malloc(36 * sizeof(uint32_t));
    for (uint32_t i = 0; i < 8; ++i) {
        place(&s, i, i & 4 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 1 ? 1.0f : -1.0f);
    }
    for (uint32_t i = 0; i < 36; ++i) {
        s.indices[i] = faces[i];
    }
    s.closed = 1;
    return s;
}

static soup mess(uint32_t detail) {
    soup s = {0};
    dice d = {detail};
    s.triangle_count = detail * detail;
    s.vertex_count = 3 * s.triangle_count;
    s.positions = malloc(s.vertex_count * sizeof(*s.positions));
    s.indices = malloc(s.vertex_count * sizeof(uint32_t));
    float at[3] = {0, 0, 0};
    for (uint32_t i = 0; i < s.vertex_count; ++i) {
        float size = i % 3 ? 0.3f : 2.0f;
        for (int k = 0; k < 3; ++k) {
            float x = size * (float)(dice_real(&d) - 0.5);
            at[k] = i % 3 ? s.positions[i / 3 * 3][k] + x : x;
        }
        place(&s, i, at[0], at[1], at[2]);
        s.indices[i] = i;
    }
    return s;
}

soup soup_make(mesh_kind kind, uint32_t detail) {
    switch (kind) {
    case MESH_BALL:
        return ball(detail);
    case MESH_BOX:
        return box();
    case MESH_TORUS:
        return torus(detail);
    case MESH_SHEET:
        return sheet(detail);
    default:
        return mess(detail);
    }
}

void soup_free(soup* s) {
    free(s->positions);
    free(s->indices);
}

built_mesh mesh_build(const soup* s, const hem_trimesh_def* def) {
    built_mesh m = {0};
    hem_trimesh_def d = def ? *def : hem_trimesh_def_default();
    d.positions = s->positions[0];
    d.vertex_count = s->vertex_count;
    d.indices = s->indices;
    d.triangle_count = s->triangle_count;
    hem_memory need, aside;
    m.result = hem_trimesh_measure(&d, &need, &aside);
    if (m.result == HEM_OK) {
        m.bytes = aligned_alloc(64, need.size);
        void* scratch = aligned_alloc(64, aside.size);
        m.result = hem_trimesh_build(&d, m.bytes, need.size, scratch, aside.size, &m.report);
        free(scratch);
    }
    return m;
}

void mesh_free(built_mesh* m) {
    free(m->bytes);
}
