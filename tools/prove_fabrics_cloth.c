// SPDX-License-Identifier: MIT
#include "tools/prove_fabrics.h"
#include "tools/png.h"
#include "tools/swatch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Fabrics in the testing machines that they are measured with: every material, at three spacings and three rates.
//
//   strip       a metre hangs by its end: it becomes longer by weight length^2 / (2 stiffness), along warp and along weft
//   shear       a frame of 24 cm, four times as wide, clamped above, leans under its own weight laid sideways: by
//               weight length^2 / (2 shear) if it were endless; what its free sides add is solved for as a sheet
//   cantilever  a strip held out droops; the slope tells the bending length
//   drape       a disc of 30 cm over a support of 18 cm: the stiffer, the larger its shadow
//
// Each within 5 % of what the material says, or of lengths within 0.5 % of the length where one pass cannot hold it so stiff:
// then it gives way more than it should, and less in thirty-two passes.

static const float SPACINGS[] = {0.02f, 0.04f, 0.06f};
static const float RATES[] = {30.0f, 60.0f, 120.0f};

// -- What a sheet does, by itself

// The frame as a sheet of linear stuff, without any particle mesh: the minimum of
//
//     1/2 weft (du/dx)^2 + 1/2 warp (dv/dy)^2 + 1/2 shear (du/dy + dv/dx)^2 - weight u
//
// over bilinear squares, by conjugate gradients, in doubles. Rows of nodes go down from the clamp.
enum { FRAME_ASPECT = 4, SHEET_CELLS = 24, SHEET_WIDE = FRAME_ASPECT * SHEET_CELLS };
enum { SHEET_NODES = (SHEET_WIDE + 1) * (SHEET_CELLS + 1) };

typedef struct sheet {
    double x[2 * SHEET_NODES], r[2 * SHEET_NODES], d[2 * SHEET_NODES], q[2 * SHEET_NODES]; // u and v of each node
} sheet;

// q = K x of squares with sides h, each with four points of Gauss. Stiffness does not depend on h in two dimensions.
static void apply_sheet(const hemc_material* m, const double* x, double* q) {
    static const double G = 0.21132486540518712; // (1 - 1 / sqrt 3) / 2
    memset(q, 0, sizeof(double) * 2 * SHEET_NODES);
    for (int32_t row = 0; row < SHEET_CELLS; row++) {
        for (int32_t column = 0; column < SHEET_WIDE; column++) {
            const int32_t first = row * (SHEET_WIDE + 1) + column;
            const int32_t n[4] = {first, first + 1, first + SHEET_WIDE + 1, first + SHEET_WIDE + 2};
            for (int32_t k = 0; k < 4; k++) {
                const double s = k & 1 ? 1 - G : G, t = k & 2 ? 1 - G : G;
                const double along[4] = {t - 1, 1 - t, -t, t}, down[4] = {s - 1, -s, 1 - s, s};
                double ux = 0, vy = 0, sh = 0;
                for (int32_t i = 0; i < 4; i++) {
                    ux += along[i] * x[2 * n[i]];
                    vy += down[i] * x[2 * n[i] + 1];
                    sh += down[i] * x[2 * n[i]] + along[i] * x[2 * n[i] + 1];
                }
                for (int32_t i = 0; i < 4; i++) {
                    q[2 * n[i]] += 0.25 * ((double)m->weft * ux * along[i] + (double)m->shear * sh * down[i]);
                    q[2 * n[i] + 1] += 0.25 * ((double)m->warp * vy * down[i] + (double)m->shear * sh * along[i]);
                }
            }
        }
    }
    memset(q, 0, sizeof(double) * 2 * (SHEET_WIDE + 1)); // clamped
}

static double dot(const double* a, const double* b) {
    double sum = 0;
    for (int32_t i = 0; i < 2 * SHEET_NODES; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// How far the middle of the lower edge leans, over the length.
static double sheet_lean(const hemc_material* m, double length) {
    sheet* s = calloc(1, sizeof(sheet));
    if (s == NULL) {
        return 0;
    }
    const double h = length / SHEET_CELLS, load = (double)m->density * 9.81 * h * h;
    for (int32_t row = 1; row <= SHEET_CELLS; row++) {
        for (int32_t column = 0; column <= SHEET_WIDE; column++) {
            const double share = (row == SHEET_CELLS ? 0.5 : 1.0) * (column % SHEET_WIDE == 0 ? 0.5 : 1.0);
            s->r[2 * (row * (SHEET_WIDE + 1) + column)] = load * share;
        }
    }
    memcpy(s->d, s->r, sizeof(s->d));
    double rr = dot(s->r, s->r);
    const double enough = 1e-20 * rr;
    for (int32_t i = 0; i < 20000 && rr > enough; i++) {
        apply_sheet(m, s->d, s->q);
        const double step = rr / dot(s->d, s->q);
        for (int32_t k = 0; k < 2 * SHEET_NODES; k++) {
            s->x[k] += step * s->d[k];
            s->r[k] -= step * s->q[k];
        }
        const double next = dot(s->r, s->r);
        for (int32_t k = 0; k < 2 * SHEET_NODES; k++) {
            s->d[k] = s->r[k] + next / rr * s->d[k];
        }
        rr = next;
    }
    const double lean = s->x[2 * (SHEET_CELLS * (SHEET_WIDE + 1) + SHEET_WIDE / 2)] / length;
    free(s);
    return lean;
}

// -- Machines

static const float DOWN[3] = {0.0f, -9.81f, 0.0f};
static const float SIDEWAYS[3] = {9.81f, 0.0f, 0.0f};

typedef struct machine {
    const hemc_material* m;
    float spacing, hz;
} machine;

// `patient` is what more passes reach: it shows whether it is the passes that are missing.
static void judge(proof* p, const machine* at, bool good, double aimed, double reached, double patient,
                  const char* what) {
    char aim[64], got[128];
    const bool near = fabs(reached - aimed) <= 0.05 * aimed;
    const bool held = fabs(reached - aimed) <= 0.005 && reached > aimed && patient < reached;
    snprintf(aim, sizeof(aim), "%.3f %% of length", 100 * aimed);
    if (near || !held) {
        snprintf(got, sizeof(got), "%.3f %%, %s", 100 * reached, near ? "within 5 %" : "neither");
    } else {
        snprintf(got, sizeof(got), "%.3f %%, within 0.5 %% of length: stiffer than one pass holds (32: %.3f %%)",
                 100 * reached, 100 * patient);
    }
    proof_add(p, good && (near || held), aim, good ? got : "not simulated", "%s %s, %.0f cm, %.0f Hz", at->m->name,
              what, (double)at->spacing * 100, (double)at->hz);
}

enum { PATIENT = 32 }; // passes

static bool is_near(double reached, double aimed) {
    return fabs(reached - aimed) <= 0.05 * aimed;
}

static double lengthen(const machine* at, bool weft, int32_t passes, double* length, bool* good) {
    const int32_t rows = (int32_t)(1.0f / at->spacing + 0.5f) + 1;
    const swatch_def def = {.material = at->m,
                            .columns = 4,
                            .rows = rows,
                            .spacing = at->spacing,
                            .along_weft = weft,
                            .clamped = 1,
                            .tethers = true,
                            .damping = 2.0f,
                            .iterations = passes,
                            .hz = at->hz,
                            .gravity = {DOWN[0], DOWN[1], DOWN[2]}};
    swatch s;
    swatch_hang(&s, &def, 12);
    *length = (double)(rows - 1) * (double)at->spacing;
    *good = s.good;
    const double reached = s.good ? -swatch_row_mean(&s, rows - 1, 1) / *length - 1 : 0;
    swatch_free(&s);
    return reached;
}

static void prove_strip(proof* p, const machine* at, bool weft) {
    double length, patient = 0;
    bool good;
    const double reached = lengthen(at, weft, 0, &length, &good);
    const double stiffness = (double)(weft ? at->m->weft : at->m->warp);
    const double aimed = (double)at->m->density * 9.81 * length / (2 * stiffness);
    if (good && !is_near(reached, aimed)) {
        patient = lengthen(at, weft, PATIENT, &length, &good);
    }
    judge(p, at, good, aimed, reached, patient, weft ? "strip weft" : "strip warp");
}

static double lean(const machine* at, int32_t passes, double* length, bool* good) {
    const int32_t rows = (int32_t)(0.24f / at->spacing + 0.5f) + 1;
    const swatch_def def = {.material = at->m,
                            .columns = FRAME_ASPECT * (rows - 1) + 1,
                            .rows = rows,
                            .spacing = at->spacing,
                            .clamped = 1,
                            .damping = 3.0f,
                            .iterations = passes,
                            .hz = at->hz,
                            .gravity = {SIDEWAYS[0], SIDEWAYS[1], SIDEWAYS[2]}};
    swatch s;
    swatch_hang(&s, &def, 8);
    *length = (double)(rows - 1) * (double)at->spacing;
    *good = s.good;
    const int32_t middle = swatch_at(&s, rows - 1, def.columns / 2);
    const double reached = s.good ? (double)(s.now[middle][0] - s.start[middle][0]) / *length : 0;
    swatch_free(&s);
    return reached;
}

static void prove_shear(proof* p, const machine* at) {
    double length, patient = 0;
    bool good;
    const double reached = lean(at, 0, &length, &good), aimed = sheet_lean(at->m, length);
    if (good && !is_near(reached, aimed)) {
        patient = lean(at, PATIENT, &length, &good);
    }
    judge(p, at, good && aimed > 0, aimed, reached, patient, "shear");
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

// A tile of the picture of all drapes.
enum { TILE = 300, ACROSS = 4 };

static double drape(const hemc_material* m, image* tile) {
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
    char caption[96];
    snprintf(caption, sizeof(caption), "%s %.2f", m->name, coefficient);
    *tile = swatch_picture(&s, caption, 0xb9766aff, TILE, TILE);
    swatch_free(&s);
    swatch_free(&flat);
    return coefficient;
}

static void prove_drape(proof* p) {
    double coefficient[32];
    const uint32_t count = hemc_material_count() < 32 ? hemc_material_count() : 32;
    const char* folder = getenv("HEM_PICTURES"); // all of them in one picture, there
    image all = image_create(ACROSS * TILE, (int32_t)((count + ACROSS - 1) / ACROSS) * TILE, IMAGE_PAPER);
    for (uint32_t i = 0; i < count; i++) {
        image tile;
        coefficient[i] = drape(hemc_material_at(i), &tile);
        if (tile.pixels != NULL && all.pixels != NULL) {
            image_copy(&all, &tile, (int32_t)(i % ACROSS) * TILE, (int32_t)(i / ACROSS) * TILE);
        }
        image_destroy(&tile);
    }
    if (folder != NULL && all.pixels != NULL) {
        char path[1024];
        hem_file_error error;
        snprintf(path, sizeof(path), "%s/drapes.png", folder);
        png_write_small(path, &all, &error);
    }
    image_destroy(&all);
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
