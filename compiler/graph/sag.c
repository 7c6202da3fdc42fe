// SPDX-License-Identifier: MIT
#include "compiler/graph/graph.h"

#include <math.h>
#include <string.h>

// Rest shapes of soft parts that do not sag: shape matching is given a shape that, pulled down by gravity, is the one that was
// modelled. No formula gives it, for groups turn; so the part is let hang here, in doubles, group after group as
// kernels/groups.inl does it, and whatever lies off its modelled place moves its rest place the other way, turned as its
// group is, until nothing is off. Only what hangs on the skeleton can be held so. The drive, limits and tracking pull to the
// modelled shape themselves and have nothing to do there: they are left out.

#define GRAVITY 9.81
#define SUBSTEP (1.0 / 240.0)
#define DAMPING 12.0     // 1/s: more than the part has, it is to come to rest
#define CORRECTION 3.0   // 1/s: how fast rest places give way; slower than DAMPING, or the two swing
#define ROUND 12         // substeps between corrections
#define ROUNDS 360       // at most
#define NEAR_ENOUGH 2e-3 // of the spacing
#define TOO_FAR 0.1      // of the spacing: too soft to be held
#define TOO_TURNED                                                                                                     \
    0.389 // sine of half of 0.8 rad: so is what comes to its place turned, for it takes its vertices along
#define AUTO_TURNED 0.247 // of half of 0.5 rad, where it can be made stiffer instead
#define GROUP_LIMIT 16    // members of a group, itself among them
#define STIFFENINGS 4     // of half the compliance each, in automatic mode

typedef struct body {
    const hemc_mesh* mesh;
    const hemc_particles* all;
    uint32_t begin, end;
    double share; // of the way to their goals that members go
    uint8_t* hangs;
    double (*x)[3];
    double (*before)[3];
    double (*rest)[3];
    double (*turn)[4];
    double (*shape)[9]; // m / 5 Rrest diag(a^2, b^2, c^2) Rrest^T
} body;

static void turn_matrix(const double q[4], double m[9]) {
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    m[0] = 1 - 2 * (y * y + z * z), m[1] = 2 * (x * y - w * z), m[2] = 2 * (x * z + w * y);
    m[3] = 2 * (x * y + w * z), m[4] = 1 - 2 * (x * x + z * z), m[5] = 2 * (y * z - w * x);
    m[6] = 2 * (x * z - w * y), m[7] = 2 * (y * z + w * x), m[8] = 1 - 2 * (x * x + y * y);
}

static void find_shape(body* b, uint32_t p) {
    const double r[4] = {b->all->rotation[p][0], b->all->rotation[p][1], b->all->rotation[p][2],
                         b->all->rotation[p][3]};
    double m[9];
    turn_matrix(r, m);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) {
                const double radius = (double)b->all->radii[p][k];
                sum += m[3 * i + k] * radius * radius * m[3 * j + k];
            }
            b->shape[p - b->begin][3 * i + j] = 0.2 * (double)b->all->mass[p] * sum;
        }
    }
}

// One step of Newton's method towards the rotation of a moment: rotation_sweep of kernels/groups.inl.
static void sweep(const double a[9], double q[4]) {
    double r[9], b[9];
    turn_matrix(q, r);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            b[3 * i + j] = r[i] * a[j] + r[3 + i] * a[3 + j] + r[6 + i] * a[6 + j];
        }
    }
    const double g[3] = {b[7] - b[5], b[2] - b[6], b[3] - b[1]};
    const double k00 = b[4] + b[8], k11 = b[0] + b[8], k22 = b[0] + b[4];
    const double k01 = -0.5 * (b[1] + b[3]), k02 = -0.5 * (b[2] + b[6]), k12 = -0.5 * (b[5] + b[7]);
    const double c00 = k11 * k22 - k12 * k12, c01 = k02 * k12 - k01 * k22, c02 = k01 * k12 - k02 * k11;
    const double c11 = k00 * k22 - k02 * k02, c12 = k01 * k02 - k00 * k12, c22 = k00 * k11 - k01 * k01;
    const double det = k00 * c00 + k01 * c01 + k02 * c02, scale = fabs(b[0] + b[4] + b[8]);
    const bool convex = k22 > 0 && c00 > 0 && det > 1e-5 * scale * scale * scale;
    const double over = 1 / (convex ? det : scale + 1e-30);
    double step[3] = {g[0], g[1], g[2]};
    if (convex) {
        step[0] = c00 * g[0] + c01 * g[1] + c02 * g[2];
        step[1] = c01 * g[0] + c11 * g[1] + c12 * g[2];
        step[2] = c02 * g[0] + c12 * g[1] + c22 * g[2];
    }
    double size = 0;
    for (int i = 0; i < 3; ++i) {
        step[i] *= over;
        size += step[i] * step[i];
    }
    const double real = sqrt(fmax(1, size)), unit = 1 / sqrt(fmax(1, size) + 0.25 * size);
    const double x = 0.5 * unit * step[0], y = 0.5 * unit * step[1], z = 0.5 * unit * step[2], w = real * unit;
    const double old[4] = {q[0], q[1], q[2], q[3]};
    q[0] = old[3] * x + old[0] * w + old[1] * z - old[2] * y;
    q[1] = old[3] * y - old[0] * z + old[1] * w + old[2] * x;
    q[2] = old[3] * z + old[0] * y - old[1] * x + old[2] * w;
    q[3] = old[3] * w - old[0] * x - old[1] * y - old[2] * z;
}

static void add_to_moment(const body* b, uint32_t i, const double from[3], const double arm[3], double a[9]) {
    double turn[9];
    const double* shape = b->shape[i];
    const double mass = (double)b->all->mass[b->begin + i];
    turn_matrix(b->turn[i], turn);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            const double own = turn[3 * r] * shape[c] + turn[3 * r + 1] * shape[3 + c] + turn[3 * r + 2] * shape[6 + c];
            a[3 * r + c] += own + mass * (b->x[i][r] - from[r]) * arm[c];
        }
    }
}

static bool is_free(const body* b, uint32_t i) {
    return !hemc_is_fixed(b->mesh, b->begin + i);
}

static uint32_t members_of(const body* b, uint32_t i, uint32_t list[GROUP_LIMIT]) {
    uint32_t count = 0;
    list[count++] = i;
    for (uint32_t k = b->mesh->group_starts[b->begin + i]; k < b->mesh->group_starts[b->begin + i + 1]; ++k) {
        if (count < GROUP_LIMIT) {
            list[count++] = b->mesh->group_members[k] - b->begin;
        }
    }
    return count;
}

static void match(body* b, uint32_t own) {
    uint32_t list[GROUP_LIMIT];
    const uint32_t count = members_of(b, own, list);
    double from[3], center[3] = {0}, rest[3] = {0}, a[9] = {0}, mass = 0, arms[GROUP_LIMIT][3], turn[4], m[9];
    memcpy(from, b->x[own], sizeof from);
    for (uint32_t k = 0; k < count; ++k) {
        const double part = (double)b->all->mass[b->begin + list[k]];
        mass += part;
        for (int i = 0; i < 3; ++i) {
            center[i] += part * (b->x[list[k]][i] - from[i]);
            rest[i] += part * (b->rest[list[k]][i] - b->rest[own][i]);
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        for (int i = 0; i < 3; ++i) {
            arms[k][i] = b->rest[list[k]][i] - b->rest[own][i] - rest[i] / mass;
        }
        add_to_moment(b, list[k], from, arms[k], a);
    }
    memcpy(turn, b->turn[own], sizeof turn);
    sweep(a, turn);
    if (is_free(b, own)) {
        memcpy(b->turn[own], turn, sizeof turn);
    }
    turn_matrix(turn, m);
    for (uint32_t k = 0; k < count; ++k) {
        double* x = b->x[list[k]];
        for (int i = 0; i < 3 && is_free(b, list[k]); ++i) {
            const double goal = from[i] + center[i] / mass + m[3 * i] * arms[k][0] + m[3 * i + 1] * arms[k][1] +
                                m[3 * i + 2] * arms[k][2];
            x[i] += b->share * (goal - x[i]);
        }
    }
}

static void hang(body* b, double gravity) {
    const double keep = exp(-DAMPING * SUBSTEP);
    for (uint32_t i = 0; i < b->end - b->begin; ++i) {
        for (int k = 0; k < 3 && is_free(b, i); ++k) {
            const double was = b->x[i][k];
            b->x[i][k] += keep * (was - b->before[i][k]);
            b->x[i][k] -= k == 1 && b->hangs[i] ? gravity * SUBSTEP * SUBSTEP : 0;
            b->before[i][k] = was;
        }
    }
    for (uint32_t i = 0; i < b->end - b->begin; ++i) {
        if (b->mesh->group_starts[b->begin + i] != b->mesh->group_starts[b->begin + i + 1]) {
            match(b, i);
        }
    }
}

static void place(const body* b, uint32_t i, double x[3]) {
    x[0] = (double)b->all->positions[b->begin + i].x;
    x[1] = (double)b->all->positions[b->begin + i].y;
    x[2] = (double)b->all->positions[b->begin + i].z;
}

// Moves rest places against what is off. Returns how far the farthest is.
static double correct(body* b) {
    double most = 0;
    for (uint32_t i = 0; i < b->end - b->begin; ++i) {
        double at[3], off[3], m[9], square = 0;
        if (!b->hangs[i] || !is_free(b, i)) {
            continue;
        }
        place(b, i, at);
        turn_matrix(b->turn[i], m);
        for (int k = 0; k < 3; ++k) {
            off[k] = b->x[i][k] - at[k];
            square += off[k] * off[k];
        }
        for (int k = 0; k < 3; ++k) {
            b->rest[i][k] -= CORRECTION * ROUND * SUBSTEP * (m[k] * off[0] + m[3 + k] * off[1] + m[6 + k] * off[2]);
        }
        most = fmax(most, sqrt(square));
    }
    return most;
}

// What hangs on something, group by group.
static void find_hanging(body* b) {
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < b->end - b->begin; ++i) {
            uint32_t list[GROUP_LIMIT], count = members_of(b, i, list);
            bool any = false, all = true;
            for (uint32_t k = 0; k < count; ++k) {
                const bool hangs = b->hangs[list[k]] || !is_free(b, list[k]);
                any |= hangs;
                all &= hangs;
            }
            for (uint32_t k = 0; any && !all && k < count; ++k) {
                b->hangs[list[k]] = 1;
                more = true;
            }
        }
    }
}

// The mean distance from a particle to those of its group.
static double mean_spacing(const body* b) {
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < b->end - b->begin; ++i) {
        uint32_t list[GROUP_LIMIT];
        const uint32_t members = members_of(b, i, list);
        for (uint32_t k = 1; k < members; ++k) {
            double square = 0;
            for (int axis = 0; axis < 3; ++axis) {
                const double d = b->rest[i][axis] - b->rest[list[k]][axis];
                square += d * d;
            }
            sum += sqrt(square);
            count += 1;
        }
    }
    return sum / fmax(count, 1);
}

// How far the particles of a part that hangs where it was modelled are turned there: sine of half the angle, squared. A tube that leans on a rest
// shape which is bent far up stands in its place with each slice of it turned: its skin is wrinkled, its folds unstable.
static double turned(const body* b) {
    double most = 0;
    for (uint32_t i = 0; i < b->end - b->begin; ++i) {
        const double* q = b->turn[i];
        if (b->hangs[i] && is_free(b, i)) {
            most = fmax(most, q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
        }
    }
    return most;
}

static bool remove_sag(body* b, double gravity, double turned_most) {
    const double spacing = mean_spacing(b);
    double off = 0;
    uint32_t good = 0;
    for (uint32_t round = 0; round < ROUNDS && good < 2; ++round) {
        for (uint32_t n = 0; n < ROUND; ++n) {
            hang(b, gravity);
        }
        off = correct(b);
        good = round > 4 && off < NEAR_ENOUGH * spacing ? good + 1 : 0;
    }
    return off < TOO_FAR * spacing && turned(b) < turned_most * turned_most; // and are numbers
}

// As the runtime does it: tune_part of plan.c.
static double share_of(const hemc_mesh* mesh, uint32_t part) {
    const hem_tuning* t = &mesh->part_tunings[part];
    double sum = 0, count = 0;
    for (uint32_t p = mesh->part_begin[part]; p < mesh->part_begin[part + 1]; ++p) {
        sum += (double)mesh->all.mass[p];
        count += 1;
    }
    const double w = sum > 0 ? count / sum : 1;
    return t->solver == HEM_SOLVER_XPBD ? w / (w + (double)t->shape_compliance / (SUBSTEP * SUBSTEP))
                                        : (double)t->shape_stiffness;
}

static bool open_body(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, body* b) {
    const uint32_t begin = mesh->part_begin[part], end = mesh->part_begin[part + 1], count = end - begin;
    *b = (body){.mesh = mesh, .all = &mesh->all, .begin = begin, .end = end, .share = share_of(mesh, part)};
    b->hangs = hemc_alloc(arena, count, 1);
    b->x = hemc_alloc(arena, count, sizeof *b->x);
    b->before = hemc_alloc(arena, count, sizeof *b->before);
    b->rest = hemc_alloc(arena, count, sizeof *b->rest);
    b->turn = hemc_alloc(arena, count, sizeof *b->turn);
    b->shape = hemc_alloc(arena, count, sizeof *b->shape);
    uint32_t groups = 0, held = 0;
    for (uint32_t i = 0; i < count; ++i) {
        place(b, i, b->x[i]);
        memcpy(b->before[i], b->x[i], sizeof b->x[i]);
        memcpy(b->rest[i], b->x[i], sizeof b->x[i]);
        memcpy(b->turn[i], (double[4]){0, 0, 0, 1}, sizeof b->turn[i]);
        find_shape(b, begin + i);
        groups += mesh->group_starts[begin + i] != mesh->group_starts[begin + i + 1];
        held += hemc_is_fixed(mesh, begin + i);
    }
    find_hanging(b);
    return groups != 0 && held != 0 && held != count;
}

hemc_vec3 hemc_shape_place(const hemc_mesh* mesh, uint32_t particle) {
    return mesh->shape_places != NULL ? mesh->shape_places[particle] : mesh->all.positions[particle];
}

static void tell_sag(hemc_log* log, const hemc_recipe* recipe, const hemc_part_recipe* r) {
    if (r->driven && r->tuning.drive > 0) { // which pulls to the modelled shape, too
        const double turns = 6.283185307 * (double)r->tuning.drive;
        hemc_note(log, r->file, r->json_path,
                  "part \"%s\" is too soft to hold the modelled shape by itself; its drive lets it sag by up to %.2g m",
                  r->name, GRAVITY * fabs((double)r->tuning.gravity_scale) / (turns * turns));
        return;
    }
    if (recipe->automatic) { // nobody has asked for it
        hemc_note(log, r->file, r->json_path,
                  "part \"%s\" is too soft to hold the modelled shape against gravity and hangs lower", r->name);
        return;
    }
    hemc_warn(log, r->file, r->json_path,
              "part \"%s\" is too soft to hold the modelled shape against gravity and sags: lower \"shape\", or say "
              "\"sag_free\": false",
              r->name);
}

void hemc_sag_remove(hemc_arena* arena, hemc_log* log, const hemc_recipe* recipe, hemc_mesh* mesh) {
    for (uint32_t part = 0; part < recipe->part_count && part < mesh->part_count; ++part) {
        const hemc_part_recipe* r = &recipe->parts[part];
        body b;
        if (!r->rods.sag_free || r->animation != HEM_ANIMATE_DIRECT || r->generator == HEMC_STRANDS ||
            !open_body(arena, mesh, part, &b)) {
            continue;
        }
        const double gravity = GRAVITY * (double)r->tuning.gravity_scale;
        const double most = recipe->automatic ? AUTO_TURNED : TOO_TURNED;
        bool held = remove_sag(&b, gravity, most);
        // Nobody has chosen what automatic mode makes things of: it makes them stiffer until they hold.
        float* shape = &mesh->part_tunings[part].shape_compliance;
        const float chosen = *shape;
        for (int i = 0; recipe->automatic && !r->driven && !held && i < STIFFENINGS; ++i) {
            *shape *= 0.5f;
            held = open_body(arena, mesh, part, &b) && remove_sag(&b, gravity, most);
        }
        if (!held) {
            *shape = chosen;
            tell_sag(log, recipe, r);
            continue;
        }
        if (mesh->shape_places == NULL) {
            mesh->shape_places = hemc_alloc(arena, mesh->all.count, sizeof(hemc_vec3));
            memcpy(mesh->shape_places, mesh->all.positions, mesh->all.count * sizeof(hemc_vec3));
        }
        for (uint32_t i = 0; i < b.end - b.begin; ++i) {
            mesh->shape_places[b.begin + i] =
                (hemc_vec3){(float)b.rest[i][0], (float)b.rest[i][1], (float)b.rest[i][2]};
        }
    }
}
