// SPDX-License-Identifier: MIT
#include "tools/prove_fabrics.h"
#include "tools/swatch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Fabrics in the testing machines that they are measured with: every material, at three spacings and three rates.
//
//   strip       a metre hangs by its end: it becomes longer by weight length^2 / (2 stiffness), along warp and along weft
//   shear       a frame of 24 cm, clamped above, leans under its own weight laid sideways by weight length^2 / (2 shear)
//   cantilever  a strip held out droops; the slope tells the bending length
//   drape       a disc of 30 cm over a support of 18 cm: the stiffer, the larger its shadow
//
// Each within 5 % of what the material says, or of lengths within 0.5 % of the length where one pass cannot hold it so stiff.

static const float SPACINGS[] = {0.02f, 0.04f, 0.06f};
static const float RATES[] = {30.0f, 60.0f, 120.0f};

static const float DOWN[3] = {0.0f, -9.81f, 0.0f};
static const float SIDEWAYS[3] = {9.81f, 0.0f, 0.0f};

typedef struct machine {
    const hemc_material* m;
    float spacing, hz;
} machine;

static void judge(proof* p, const machine* at, bool good, double aimed, double reached, const char* what) {
    char aim[64], got[128];
    const bool near = fabs(reached - aimed) <= 0.05 * aimed, held = fabs(reached - aimed) <= 0.005;
    snprintf(aim, sizeof(aim), "%.3f %% of length", 100 * aimed);
    snprintf(got, sizeof(got), "%.3f %%, %s", 100 * reached,
             near   ? "within 5 %"
             : held ? "within 0.5 % of length: stiffer than one pass holds"
                    : "neither");
    proof_add(p, good && (near || held), aim, good ? got : "not simulated", "%s %s, %.0f cm, %.0f Hz", at->m->name,
              what, (double)at->spacing * 100, (double)at->hz);
}

static void prove_strip(proof* p, const machine* at, bool weft) {
    const int32_t rows = (int32_t)(1.0f / at->spacing + 0.5f) + 1;
    const swatch_def def = {.material = at->m,
                            .columns = 4,
                            .rows = rows,
                            .spacing = at->spacing,
                            .along_weft = weft,
                            .clamped = 1,
                            .tethers = true,
                            .damping = 2.0f,
                            .hz = at->hz,
                            .gravity = {DOWN[0], DOWN[1], DOWN[2]}};
    swatch s;
    swatch_hang(&s, &def, 12);
    const double length = (double)(rows - 1) * (double)at->spacing;
    const double stiffness = (double)(weft ? at->m->weft : at->m->warp);
    const double aimed = (double)at->m->density * 9.81 * length / (2 * stiffness);
    judge(p, at, s.good, aimed, -swatch_row_mean(&s, rows - 1, 1) / length - 1, weft ? "strip weft" : "strip warp");
    swatch_free(&s);
}

static void prove_shear(proof* p, const machine* at) {
    const int32_t rows = (int32_t)(0.24f / at->spacing + 0.5f) + 1;
    const swatch_def def = {.material = at->m,
                            .columns = 4 * (rows - 1) + 1,
                            .rows = rows,
                            .spacing = at->spacing,
                            .clamped = 1,
                            .damping = 3.0f,
                            .hz = at->hz,
                            .gravity = {SIDEWAYS[0], SIDEWAYS[1], SIDEWAYS[2]}};
    swatch s;
    swatch_hang(&s, &def, 8);
    const double length = (double)(rows - 1) * (double)at->spacing;
    const double aimed = (double)at->m->density * 9.81 * length / (2 * (double)at->m->shear);
    // The middle: near the free sides it is weft that leans too.
    const int32_t middle = swatch_at(&s, rows - 1, def.columns / 2);
    const double lean = s.good ? (double)(s.now[middle][0] - s.start[middle][0]) / length : 0;
    judge(p, at, s.good, aimed, lean, "shear");
    swatch_free(&s);
}

static double droop(const machine* at, bool isometric, bool* good) {
    const double c = (double)at->m->bending_length, spacing = (double)at->spacing;
    const int32_t cells = (int32_t)fmax(3, floor(2 * c / spacing + 0.5));
    const swatch_def def = {.material = at->m,
                            .columns = 4,
                            .rows = cells + 2,
                            .spacing = at->spacing,
                            .lying = true,
                            .isometric = isometric,
                            .clamped = 2,
                            .tethers = true,
                            .damping = 3.0f,
                            .hz = at->hz,
                            .gravity = {DOWN[0], DOWN[1], DOWN[2]}};
    swatch s;
    swatch_hang(&s, &def, 20);
    const double out = swatch_row_mean(&s, cells + 1, 2) - spacing, down = -swatch_row_mean(&s, cells + 1, 1);
    const double reached = s.good ? swatch_bending_length(cells * spacing, atan2(down, out)) : 0;
    *good = s.good;
    swatch_free(&s);
    return reached;
}

static void prove_cantilever(proof* p, const machine* at, bool isometric) {
    bool good;
    const double reached = droop(at, isometric, &good), aimed = (double)at->m->bending_length;
    char aim[64], got[64];
    snprintf(aim, sizeof(aim), "%.2f cm within 5 %%", 100 * aimed);
    snprintf(got, sizeof(got), "%.2f cm, %+.1f %%", 100 * reached, 100 * (reached / aimed - 1));
    proof_add(p, good && fabs(reached / aimed - 1) <= 0.05, aim, good ? got : "not simulated",
              "%s bending length%s, %.0f cm, %.0f Hz", at->m->name, isometric ? " (isometric)" : "",
              (double)at->spacing * 100, (double)at->hz);
}

// -- Drape

static double drape(const hemc_material* m) {
    const swatch_def def = {.material = m,
                            .columns = 17,
                            .rows = 17,
                            .spacing = 0.02f,
                            .lying = true,
                            .disc = 0.151f,
                            .support = 0.09f,
                            .damping = 3.0f,
                            .hz = 60.0f,
                            .gravity = {DOWN[0] + 0.02f, DOWN[1], DOWN[2] + 0.01f}};
    swatch s, flat;
    swatch_hang(&s, &def, 10);
    swatch_def still = def;
    memset(still.gravity, 0, sizeof(still.gravity));
    swatch_hang(&flat, &still, 0.1);
    // A disc of squares is less than its circle.
    const double whole = swatch_shadow(&flat), held = 3.14159265 * 0.09 * 0.09;
    const double coefficient = s.good && flat.good ? (swatch_shadow(&s) - held) / (whole - held) : -1;
    swatch_free(&s);
    swatch_free(&flat);
    return coefficient;
}

static void prove_drape(proof* p) {
    double coefficient[32];
    const uint32_t count = hemc_material_count() < 32 ? hemc_material_count() : 32;
    for (uint32_t i = 0; i < count; i++) {
        coefficient[i] = drape(hemc_material_at(i));
    }
    // Bending lengths that an eye can tell apart come in the order of their drapes.
    for (uint32_t i = 0; i < count; i++) {
        const hemc_material* m = hemc_material_at(i);
        char aimed[64] = "more than those a fifth limper", reached[128];
        int32_t wrong = 0;
        for (uint32_t k = 0; k < count; k++) {
            wrong += hemc_material_at(k)->bending_length * 1.2f < m->bending_length && coefficient[k] >= coefficient[i];
        }
        snprintf(reached, sizeof(reached), "%.2f (bending length %.1f cm), %d out of order", coefficient[i],
                 (double)m->bending_length * 100, wrong);
        proof_add(p, wrong == 0 && coefficient[i] >= 0, aimed, reached, "%s drape", m->name);
    }
}

void prove_fabrics_cloth(proof* p) {
    for (uint32_t i = 0; i < hemc_material_count(); i++) {
        const hemc_material* m = hemc_material_at(i);
        char group[64];
        snprintf(group, sizeof(group), "machines %s", m->name);
        if (!proof_wants(p, group)) {
            continue;
        }
        for (int32_t k = 0; k < 9; k++) {
            const machine at = {m, SPACINGS[k / 3], RATES[k % 3]};
            prove_strip(p, &at, false);
            prove_strip(p, &at, true);
            prove_shear(p, &at);
            prove_cantilever(p, &at, false);
            // Linear in the corners: for stuff that holds itself out farther than the particles are apart.
            if (RATES[k % 3] == 60.0f && SPACINGS[k / 3] <= 0.8f * m->bending_length) {
                prove_cantilever(p, &at, true);
            }
        }
    }
    if (proof_wants(p, "drape")) {
        prove_drape(p);
    }
}
