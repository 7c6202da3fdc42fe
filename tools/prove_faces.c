// SPDX-License-Identifier: MIT
#include "tools/prove_meshes.h"
#include "runtime/src/triangulate.h"

#include <stdlib.h>
#include <string.h>

// Random faces with up to 32 points, every third of them joined to another one: looked at in whole numbers, one fault a face.
// HEM_FACES sets their number; a million take as long as all other rows.

#define FACES 20000

typedef struct dice {
    uint64_t state;
} dice;

static uint32_t roll(dice* d, uint32_t below) {
    d->state = d->state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((d->state >> 33) % below);
}

static int64_t twice_area(const hemi_cdt* t, uint32_t a, uint32_t b, uint32_t c) {
    const hemi_cdt_point *p = t->point + a, *q = t->point + b, *r = t->point + c;
    return (int64_t)(q->u - p->u) * (r->v - p->v) - (int64_t)(q->v - p->v) * (r->u - p->u);
}

static bool turns_over(const hemi_cdt* t) {
    for (uint32_t n = 0; n < t->triangle_count; n++) {
        if (twice_area(t, t->corner[n][0], t->corner[n][1], t->corner[n][2]) <= 0) {
            return true;
        }
    }
    return false;
}

static bool has_side(const hemi_cdt* t, uint32_t a, uint32_t b, bool fixed) {
    for (uint32_t n = 0; n < t->triangle_count; n++) {
        for (uint32_t k = 0; k < 3; k++) {
            if (t->corner[n][k] == a && t->corner[n][(k + 1) % 3] == b) {
                return !fixed || t->fixed[n] >> k & 1;
            }
        }
    }
    return false;
}

// Inner sides are those of two triangles, outer ones lie on the face's, and the areas sum to the face's: then nothing lies
// above anything else, if nothing is turned over.
static bool is_planar(const hemi_cdt* t) {
    int64_t area = 0;
    for (uint32_t n = 0; n < t->triangle_count; n++) {
        area += twice_area(t, t->corner[n][0], t->corner[n][1], t->corner[n][2]);
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t a = t->corner[n][k], b = t->corner[n][(k + 1) % 3];
            const bool outer = (twice_area(t, 0, 1, a) == 0 && twice_area(t, 0, 1, b) == 0) ||
                               (twice_area(t, 1, 2, a) == 0 && twice_area(t, 1, 2, b) == 0) ||
                               (twice_area(t, 2, 0, a) == 0 && twice_area(t, 2, 0, b) == 0);
            if (!has_side(t, b, a, false) && !outer) {
                return false;
            }
        }
    }
    return area == (int64_t)HEMI_CDT_ONE * HEMI_CDT_ONE;
}

// Whether all of the way from a to b is sides that were joined: from point to point along it.
static bool is_kept(const hemi_cdt* t, uint32_t a, uint32_t b) {
    while (a != b) {
        uint32_t next = b;
        for (uint32_t i = 0; i < t->point_count; i++) {
            const int64_t u = t->point[i].u - t->point[a].u, v = t->point[i].v - t->point[a].v;
            const int64_t nu = t->point[next].u - t->point[a].u, nv = t->point[next].v - t->point[a].v;
            const bool ahead = twice_area(t, a, b, i) == 0 && u * nu + v * nv > 0;
            if (ahead && u * u + v * v < nu * nu + nv * nv) {
                next = i;
            }
        }
        if (!has_side(t, a, next, true) && !has_side(t, next, a, true)) {
            return false;
        }
        a = next;
    }
    return true;
}

static void random_face(dice* d, hemi_cdt* t) {
    float corners[3][3];
    for (int i = 0; i < 9; i++) {
        corners[i / 3][i % 3] = (float)roll(d, 2000) * 0.001f;
    }
    if (roll(d, 8) == 0) { // a needle, or nothing at all
        for (int k = 0; k < 3; k++) {
            corners[2][k] = corners[1][k] + (float)roll(d, 3) * 1e-4f;
        }
    }
    memset(t, 0, sizeof(*t));
    hemi_cdt_begin(t, (const float(*)[3])corners);
}

// On a grid of eight, on a side, or anywhere.
static uint32_t random_point(dice* d, hemi_cdt* t) {
    const uint32_t grid = roll(d, 6) < 2 ? 8 : HEMI_CDT_ONE, side = roll(d, 5);
    uint32_t a = roll(d, grid + 1), b = roll(d, grid + 1);
    if (a + b > grid) {
        a = grid - a;
        b = grid - b;
    }
    a = side == 0 ? 0 : a;
    b = side == 1 ? 0 : side == 2 ? grid - a : b;
    return hemi_cdt_add(t, (int32_t)(a * (HEMI_CDT_ONE / grid)), (int32_t)(b * (HEMI_CDT_ONE / grid)));
}

void prove_faces(proof* p) {
    const char* wanted = getenv("HEM_FACES");
    const uint32_t count = wanted ? (uint32_t)strtoul(wanted, NULL, 10) : FACES;
    uint32_t turned = 0, folded = 0, lost = 0, joins = 0;
    dice d = {1999};
    for (uint32_t face = 0; face < count; face++) {
        hemi_cdt t;
        uint32_t joined[16][2], joined_count = 0;
        random_face(&d, &t);
        for (uint32_t i = 0, points = roll(&d, 33); i < points; i++) {
            const uint32_t a = random_point(&d, &t), b = roll(&d, t.point_count);
            if (i % 3 == 2 && a != HEMI_CDT_NONE && a != b && hemi_cdt_join(&t, a, b)) {
                joined[joined_count][0] = a;
                joined[joined_count++][1] = b;
            }
        }
        turned += turns_over(&t);
        folded += !is_planar(&t);
        for (uint32_t i = 0; i < joined_count; i++) {
            lost += !is_kept(&t, joined[i][0], joined[i][1]);
        }
        joins += joined_count;
    }
    proof_at_most(p, 0, turned, "", "%u random faces with up to 32 points: those with a triangle turned over", count);
    proof_at_most(p, 0, folded, "", "of those, not planar or not all of the face");
    proof_at_most(p, 0, lost, "", "of their %u joined segments, those not kept", joins);
}
