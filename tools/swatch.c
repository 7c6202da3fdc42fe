// SPDX-License-Identifier: MIT
#include "tools/swatch.h"
#include "formats/hem_kinds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Making it

typedef struct swatch_parts {
    float* mass;
    uint8_t* animated;
    int32_t *level, *column;
    hemc_bare_link* links;
    size_t link_count;
} swatch_parts;

#define RIM 0.9f // spacings

static double from_middle(const swatch_def* d, int32_t row, int32_t column) {
    const double x = column - 0.5 * (d->columns - 1), y = row - 0.5 * (d->rows - 1);
    return (double)d->spacing * sqrt(x * x + y * y);
}

int32_t swatch_at(const swatch* s, int32_t row, int32_t column) {
    if (row < 0 || column < 0 || row >= s->def.rows || column >= s->def.columns) {
        return -1;
    }
    for (int32_t i = 0; i < s->count; i++) {
        if (s->place[i] == row * s->def.columns + column) {
            return i;
        }
    }
    return -1;
}

int32_t swatch_cell(const swatch* s, int32_t row, int32_t column, int32_t corners[6]) {
    int32_t at[4], count = 0;
    for (int32_t k = 0; k < 4; k++) { // around it
        const int32_t p = swatch_at(s, row + (k > 1), column + (k == 1 || k == 2));
        if (p >= 0) {
            at[count++] = p;
        }
    }
    for (int32_t k = 0; k + 2 < count; k++) {
        corners[3 * k] = at[0];
        corners[3 * k + 1] = at[k + 1];
        corners[3 * k + 2] = at[k + 2];
    }
    return count > 2 ? count - 2 : 0;
}

static int32_t cells_around(const swatch* s, int32_t row, int32_t column) {
    int32_t cells = 0, corners[6];
    for (int32_t k = 0; k < 4; k++) {
        cells += swatch_cell(s, row - k / 2, column - k % 2, corners) == 2;
    }
    return cells;
}

// What lies at the rim of a disc is moved out onto it: cut round, and not in stairs.
static void round_off(swatch* s) {
    const swatch_def* d = &s->def;
    const float middle[2] = {0.5f * (float)(d->columns - 1) * d->spacing, 0.5f * (float)(d->rows - 1) * d->spacing};
    for (int32_t i = 0; i < s->count; i++) {
        const int32_t row = s->place[i] / d->columns, column = s->place[i] % d->columns;
        const double far = from_middle(d, row, column);
        if (cells_around(s, row, column) < 3 && far > (double)(d->disc - RIM * d->spacing)) {
            const float out = (float)((double)d->disc / far);
            s->start[i][0] = middle[0] + out * (s->start[i][0] - middle[0]);
            s->start[i][2] = middle[1] + out * (s->start[i][2] - middle[1]);
        }
    }
}

// A particle weighs a quarter of each of the cells around it.
static float mass_of(const swatch* s, int32_t row, int32_t column) {
    const int32_t cells = cells_around(s, row, column);
    const float cell = s->def.material->density * s->def.spacing * s->def.spacing;
    return cell * (cells > 0 ? 0.25f * (float)cells : 0.1f);
}

static bool make_parts(swatch* s, swatch_parts* p) {
    const swatch_def* d = &s->def;
    const size_t most = (size_t)d->rows * (size_t)d->columns;
    s->place = malloc(most * sizeof(*s->place));
    s->slot = malloc(most * sizeof(*s->slot));
    s->start = malloc(most * sizeof(*s->start));
    s->now = malloc(most * sizeof(*s->now));
    p->mass = malloc(most * sizeof(*p->mass));
    p->animated = malloc(most);
    p->level = malloc(most * sizeof(*p->level));
    p->column = malloc(most * sizeof(*p->column));
    p->links = malloc(3 * most * sizeof(*p->links));
    if (!s->place || !s->slot || !s->start || !s->now || !p->mass || !p->animated || !p->level || !p->column ||
        !p->links) {
        return false;
    }
    for (int32_t i = 0; i < d->rows * d->columns; i++) {
        const int32_t row = i / d->columns, column = i % d->columns;
        if (d->disc > 0.0f && from_middle(d, row, column) > (double)d->disc) {
            continue;
        }
        const float down = (float)row * d->spacing;
        s->place[s->count] = i;
        s->start[s->count][0] = (float)column * d->spacing;
        s->start[s->count][1] = d->lying ? 0.0f : -down;
        s->start[s->count][2] = d->lying ? down : 0.0f;
        p->animated[s->count] =
            row < d->clamped || (d->support > 0.0f && from_middle(d, row, column) <= (double)d->support);
        p->level[s->count] = d->rows - 1 - row;
        p->column[s->count] = column;
        s->count++;
    }
    if (d->disc > 0.0f) {
        round_off(s);
    }
    for (int32_t i = 0; i < s->count; i++) {
        const int32_t row = s->place[i] / d->columns, column = s->place[i] % d->columns;
        const int32_t below = swatch_at(s, row + 1, column), beside = swatch_at(s, row, column + 1);
        const int32_t top = d->tethers ? swatch_at(s, d->clamped - 1, column) : -1;
        p->mass[i] = mass_of(s, row, column);
        if (below >= 0) {
            p->links[p->link_count++] =
                (hemc_bare_link){(uint32_t)i, (uint32_t)below, d->along_weft ? HEM_LINK_WEFT : HEM_LINK_WARP};
        }
        if (beside >= 0) {
            p->links[p->link_count++] =
                (hemc_bare_link){(uint32_t)i, (uint32_t)beside, d->along_weft ? HEM_LINK_WARP : HEM_LINK_WEFT};
        }
        if (top >= 0 && row > d->clamped) {
            p->links[p->link_count++] = (hemc_bare_link){(uint32_t)i, (uint32_t)top, HEM_LINK_TETHER};
        }
    }
    return true;
}

// Where each sits, by its place at rest.
static bool find_slots(swatch* s) {
    const hem_view* v = &s->a.view;
    for (int32_t i = 0; i < s->count; i++) {
        s->slot[i] = -1;
        for (uint32_t k = 0; k < v->info->particle_count && s->slot[i] < 0; k++) {
            const hem_rest_row* row = &v->rest_rows[k / 8];
            const float dx = row->x[k % 8] - s->start[i][0], dy = row->y[k % 8] - s->start[i][1];
            const float dz = row->z[k % 8] - s->start[i][2];
            if ((v->particle_flags[k] & HEM_PARTICLE_PAD) == 0 && dx * dx + dy * dy + dz * dz < 1e-10f) {
                s->slot[i] = (int32_t)k;
            }
        }
        if (s->slot[i] < 0) {
            return false;
        }
    }
    return true;
}

static bool make(swatch* s) {
    const swatch_def* d = &s->def;
    swatch_parts p = {0};
    uint8_t* bytes = NULL;
    size_t size = 0;
    bool good = make_parts(s, &p);
    if (good) {
        const hemc_bare_mesh mesh = {.particle_count = (uint32_t)s->count,
                                     .positions = (const float(*)[3])s->start,
                                     .animated = p.animated,
                                     .mass = p.mass,
                                     .radius = 0.5f * d->spacing,
                                     .links = p.links,
                                     .link_count = p.link_count,
                                     .level = p.level,
                                     .column = p.column,
                                     .material = d->material,
                                     .isometric = d->isometric,
                                     .damping = d->damping};
        good = hemc_compile_bare(&mesh, &bytes, &size) == 0 && asset_from_bytes(&s->a, "swatch", bytes, size) == 0 &&
               find_slots(s);
    }
    hemc_free(bytes);
    free(p.mass);
    free(p.animated);
    free(p.level);
    free(p.column);
    free(p.links);
    return good;
}

// -- Letting it hang

static bool look(swatch* s, hem_scene* scene, hem_instance_id id, hem_particle* particles) {
    if (hem_instance_get_particles(scene, id, 0, s->a.info.particle_count, particles) != HEM_OK) {
        return false;
    }
    s->speed = 0;
    for (int32_t i = 0; i < s->count; i++) {
        const hem_particle* p = &particles[s->slot[i]];
        const double v = sqrt((double)(p->velocity[0] * p->velocity[0] + p->velocity[1] * p->velocity[1] +
                                       p->velocity[2] * p->velocity[2]));
        s->speed = v > s->speed || !(v == v) ? v : s->speed;
        memcpy(s->now[i], p->position, sizeof(s->now[i]));
    }
    return s->speed < 1e6;
}

static bool run(swatch* s, hem_scene* scene, double seconds, hem_particle* particles) {
    const swatch_def* d = &s->def;
    hem_instance_def def = hem_instance_def_default();
    def.asset = &s->a.handle;
    hem_instance_id id;
    hem_tuning tuning;
    if (hem_scene_add(scene, &def, &id) != HEM_OK || hem_instance_set_gravity(scene, id, d->gravity) != HEM_OK ||
        hem_instance_set_features(scene, id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP) != HEM_OK ||
        hem_instance_get_tuning(scene, id, &tuning, sizeof(tuning)) != HEM_OK) {
        return false;
    }
    tuning.iterations = d->iterations > 0 ? (uint32_t)d->iterations : tuning.iterations;
    if (hem_instance_set_tuning(scene, id, &tuning, 1) != HEM_OK) {
        return false;
    }
    int32_t still = 0;
    for (int32_t f = 0; s->seconds < seconds && still < (int32_t)(d->hz / 2); f++) {
        if (hem_scene_step(scene, &(hem_step_args){.dt_seconds = 1.0f / d->hz}) != HEM_OK) {
            return false;
        }
        s->seconds += 1.0 / (double)d->hz;
        if (f % 4 == 3 && !look(s, scene, id, particles)) {
            return false;
        }
        still = f > 10 && s->speed < 1e-4 ? still + 1 : 0;
    }
    return look(s, scene, id, particles);
}

void swatch_hang(swatch* s, const swatch_def* def, double seconds) {
    memset(s, 0, sizeof(*s));
    s->def = *def;
    if (!make(s)) {
        return;
    }
    const hem_slot_def slot = {&s->a.handle, 1};
    hem_scene_def scene_def = hem_scene_def_default();
    scene_def.slots = &slot;
    scene_def.slot_count = 1;
    scene_def.substep_hz = def->substep_hz > 0.0f ? def->substep_hz : scene_def.substep_hz;
    hem_memory need;
    if (hem_scene_measure(&scene_def, &need) != HEM_OK) {
        return;
    }
    void* block = malloc(need.size + need.align);
    hem_particle* particles = malloc(sizeof(hem_particle) * s->a.info.particle_count);
    hem_scene* scene = NULL;
    if (block != NULL && particles != NULL) {
        const uintptr_t at = ((uintptr_t)block + need.align - 1) / need.align * need.align;
        s->good =
            hem_scene_init(&scene, &scene_def, (void*)at, need.size) == HEM_OK && run(s, scene, seconds, particles);
    }
    free(block);
    free(particles);
}

void swatch_free(swatch* s) {
    if (s->a.block != NULL) {
        asset_unload(&s->a);
    }
    free(s->place);
    free(s->slot);
    free(s->start);
    free(s->now);
    memset(s, 0, sizeof(*s));
}

// -- Reading it

double swatch_row_mean(const swatch* s, int32_t row, int32_t axis) {
    double sum = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < s->count; i++) {
        if (s->place[i] / s->def.columns == row) {
            sum += (double)s->now[i][axis];
            count++;
        }
    }
    return count > 0 ? sum / count : 0;
}

double swatch_bending_length(double overhang, double slope) {
    return slope > 0 && slope < 1.5707 ? overhang * cbrt(cos(slope / 2) / (8 * tan(slope))) : 0;
}

#define SHADOW_CELLS 256

static bool is_in(const float a[3], const float b[3], const float c[3], double x, double z) {
    const double e0 = (double)(b[0] - a[0]) * (z - (double)a[2]) - (double)(b[2] - a[2]) * (x - (double)a[0]);
    const double e1 = (double)(c[0] - b[0]) * (z - (double)b[2]) - (double)(c[2] - b[2]) * (x - (double)b[0]);
    const double e2 = (double)(a[0] - c[0]) * (z - (double)c[2]) - (double)(a[2] - c[2]) * (x - (double)c[0]);
    return (e0 >= 0 && e1 >= 0 && e2 >= 0) || (e0 <= 0 && e1 <= 0 && e2 <= 0);
}

double swatch_shadow(const swatch* s) {
    static uint8_t dark[SHADOW_CELLS][SHADOW_CELLS];
    const double size = (double)s->def.spacing * (double)(s->def.columns + 3), cell = size / SHADOW_CELLS;
    memset(dark, 0, sizeof(dark));
    for (int32_t i = 0; i < (s->def.rows - 1) * (s->def.columns - 1); i++) {
        int32_t corners[6];
        const int32_t count = swatch_cell(s, i / (s->def.columns - 1), i % (s->def.columns - 1), corners);
        for (int32_t half = 0; half < count; half++) {
            const float *a = s->now[corners[3 * half]], *b = s->now[corners[3 * half + 1]],
                        *c = s->now[corners[3 * half + 2]];
            const double low_x = fmin((double)a[0], fmin((double)b[0], (double)c[0])) + (double)s->def.spacing * 2;
            const double low_z = fmin((double)a[2], fmin((double)b[2], (double)c[2])) + (double)s->def.spacing * 2;
            const int32_t x0 = (int32_t)(low_x / cell) - 1, z0 = (int32_t)(low_z / cell) - 1;
            const int32_t reach = (int32_t)(3 * (double)s->def.spacing / cell) + 2;
            for (int32_t x = x0; x < x0 + reach; x++) {
                for (int32_t z = z0; z < z0 + reach; z++) {
                    if (x >= 0 && z >= 0 && x < SHADOW_CELLS && z < SHADOW_CELLS) {
                        dark[x][z] |= is_in(a, b, c, (x + 0.5) * cell - 2 * (double)s->def.spacing,
                                            (z + 0.5) * cell - 2 * (double)s->def.spacing);
                    }
                }
            }
        }
    }
    int32_t count = 0;
    for (int32_t i = 0; i < SHADOW_CELLS * SHADOW_CELLS; i++) {
        count += dark[i / SHADOW_CELLS][i % SHADOW_CELLS];
    }
    return count * cell * cell;
}
