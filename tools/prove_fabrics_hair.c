// SPDX-License-Identifier: MIT
#include "tools/prove_fabrics.h"
#include "tools/rod_reference.h"
#include "compiler/hemc.h"
#include "formats/hem_validate.h"
#include "hem/hem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Rods and chains alone: shapes that are known, deflections of a beam, a twisted ring, a helix beside the same in double precision, lengths
// under a shake.

enum { STRANDS = 3, MEMBERS = 49 };

static const double PI = 3.14159265358979323846;
#define JOINT_TURN 0.082673490883f // of 19 that make a right angle

typedef struct strand_box {
    uint32_t count[STRANDS]; // particles of each
    bool ends;               // the last of each is held, too
    float twist;             // stiffness over that of bending; 0: 0.7
    float positions[STRANDS * MEMBERS][3];
    float turns[STRANDS * MEMBERS][3];
    uint32_t slot[STRANDS][MEMBERS];
    uint8_t* bytes;
    void* block;
    hem_scene* scene;
    hem_instance_id id;
    hem_asset asset;
    hem_view view;
} strand_box;

static uint8_t* compile_strands(strand_box* s, bool chains, float bend, bool turned, size_t* size) {
    static float mass[STRANDS * MEMBERS];
    static uint8_t held[STRANDS * MEMBERS];
    static int32_t level[STRANDS * MEMBERS], column[STRANDS * MEMBERS];
    static uint32_t members[STRANDS * MEMBERS];
    static hemc_bare_link links[STRANDS * MEMBERS];
    uint32_t starts[STRANDS + 1] = {0}, total = 0;
    size_t link_count = 0;
    for (uint32_t i = 0; i < STRANDS; i++) {
        for (uint32_t k = 0; k < s->count[i]; k++, total++) {
            mass[total] = 0.02f / (float)(s->count[i] - 1);
            held[total] = k == 0 || (s->ends && k + 1 == s->count[i]);
            level[total] = (int32_t)k;
            column[total] = (int32_t)i;
            members[total] = total;
            if (k > 0) {
                links[link_count++] = (hemc_bare_link){.a = total - 1, .b = total, .kind = HEM_LINK_WARP};
            }
        }
        starts[i + 1] = total;
    }
    const hemc_bare_rods rods = {.strand_count = STRANDS,
                                 .starts = starts,
                                 .members = members,
                                 .chains = chains,
                                 .bend = bend,
                                 .twist = s->twist > 0 ? s->twist : 0.7f,
                                 .taper = 1.0f,
                                 .turns = turned ? (const float(*)[3])s->turns : NULL};
    const hemc_bare_part part = {.kind = HEM_PART_SOFT, .particle_count = total, .radius = 0.01f, .collision_group = 1};
    hemc_bare_mesh mesh;
    memset(&mesh, 0, sizeof(mesh));
    mesh.particle_count = total;
    mesh.positions = (const float(*)[3])s->positions;
    mesh.animated = held;
    mesh.mass = mass;
    mesh.level = level;
    mesh.column = column;
    mesh.links = links;
    mesh.link_count = link_count;
    mesh.radius = 0.01f;
    mesh.parts = &part;
    mesh.part_count = 1;
    mesh.rods = &rods;
    mesh.damping = 3.0f;
    uint8_t* bytes = NULL;
    return hemc_compile_bare(&mesh, &bytes, size) == 0 ? bytes : NULL;
}

static bool open_strands(strand_box* s, bool chains, float bend, bool turned) {
    size_t size = 0;
    s->bytes = compile_strands(s, chains, bend, turned, &size);
    if (s->bytes == NULL || hem_validate(s->bytes, size, &s->view, NULL) != HEM_FORMAT_OK ||
        hem_asset_open(&s->asset, s->bytes, size) != HEM_OK) {
        return false;
    }
    hem_slot_def slot = {&s->asset, 1};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    hem_memory need = {0, 64};
    if (hem_scene_measure(&def, &need) != HEM_OK || (s->block = malloc(need.size + need.align)) == NULL) {
        return false;
    }
    void* aligned = (void*)(((uintptr_t)s->block + need.align - 1) & ~(uintptr_t)(need.align - 1));
    hem_instance_def instance = hem_instance_def_default();
    instance.asset = &s->asset;
    if (hem_scene_init(&s->scene, &def, aligned, need.size) != HEM_OK ||
        hem_scene_add(s->scene, &instance, &s->id) != HEM_OK) {
        return false;
    }
    hem_instance_set_features(s->scene, s->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
    for (uint32_t i = 0, n = 0; i < STRANDS; i++) {
        for (uint32_t k = 0; k < s->count[i]; k++, n++) { // who sits where is seen from where it lies
            for (uint32_t p = 0; p < s->view.info->particle_count; p++) {
                const hem_rest_row* r = &s->view.rest_rows[p / 8];
                if ((s->view.particle_flags[p] & HEM_PARTICLE_PAD) == 0 && r->x[p % 8] == s->positions[n][0] &&
                    r->y[p % 8] == s->positions[n][1] && r->z[p % 8] == s->positions[n][2]) {
                    s->slot[i][k] = p;
                }
            }
        }
    }
    return true;
}

static void close_strands(strand_box* s) {
    free(s->block);
    hemc_free(s->bytes);
    memset(s, 0, sizeof(*s));
}

static void tune(strand_box* s, float gravity, float stiffness) {
    hem_tuning t;
    hem_instance_get_tuning(s->scene, s->id, &t, sizeof(t));
    t.gravity_scale = gravity;
    t.rod_stiffness = stiffness;
    hem_instance_set_tuning(s->scene, s->id, &t, 1);
}

static void step(strand_box* s, int32_t count) {
    const hem_step_args args = {.dt_seconds = 1.0f / 60.0f};
    for (int32_t i = 0; i < count; i++) {
        hem_scene_step(s->scene, &args);
    }
}

static hem_particle member(const strand_box* s, uint32_t strand, uint32_t k) {
    hem_particle p;
    memset(&p, 0, sizeof(p));
    hem_instance_get_particles(s->scene, s->id, s->slot[strand][k], 1, &p);
    return p;
}

static void lay_straight(strand_box* s, uint32_t strand, uint32_t count, const float way[3]) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < strand; i++) {
        first += s->count[i];
    }
    s->count[strand] = count;
    for (uint32_t k = 0; k < count; k++) {
        for (int32_t c = 0; c < 3; c++) {
            s->positions[first + k][c] =
                (c == 0 ? 2.0f * (float)strand : 0.0f) + way[c] * (float)k / (float)(count - 1);
        }
    }
}

// Joint by joint, the strand that these turns make; its tip's angle about the axis is 90 degrees.
static void prove_bend_and_twist(proof* p) {
    static strand_box s;
    const float down[3] = {0.0f, -1.0f, 0.0f};
    memset(&s, 0, sizeof(s));
    for (uint32_t i = 0; i < STRANDS; i++) {
        lay_straight(&s, i, 20, down);
        for (uint32_t k = 0; k + 1 < 20; k++) {
            float* turn = s.turns[20 * i + k];
            turn[i == 0 ? 2 : 1] = i < 2 ? sinf(0.5f * JOINT_TURN) : 0.0f;
        }
    }
    if (!open_strands(&s, false, 0.1f, true)) {
        proof_unmeasured(p, "bend and twist", "the rods do not compile", "rods");
        close_strands(&s);
        return;
    }
    tune(&s, 0.0f, 1.0f);
    step(&s, 900);
    double degrees[2], side = 0.0;
    for (uint32_t i = 0; i < 2; i++) {
        const hem_particle tip = member(&s, i, 19);
        const double about = (double)tip.rotation[i == 0 ? 2 : 1], along = (double)tip.rotation[3];
        degrees[i] = fabs(2.0 * atan2(fabs(about), fabs(along)) * 180.0 / PI - 90.0);
    }
    for (uint32_t k = 0; k < 20; k++) {
        const hem_particle at = member(&s, 1, k);
        side = fmax(side, hypot((double)at.position[0] - 2.0, (double)at.position[2]));
    }
    proof_at_most(p, 0.05, degrees[0], "degrees", "rod, pure bend: tip");
    proof_at_most(p, 0.2, degrees[1], "degrees", "rod, pure twist: tip");
    proof_at_most(p, 0.1, 1000.0 * side, "mm/m", "rod, pure twist: sideways");
    close_strands(&s);
}

static void prove_root(proof* p) {
    static strand_box s;
    const float down[3] = {0.0f, -1.0f, 0.0f};
    memset(&s, 0, sizeof(s));
    for (uint32_t i = 0; i < STRANDS; i++) {
        lay_straight(&s, i, 20, down);
    }
    if (!open_strands(&s, false, 0.1f, false)) {
        proof_unmeasured(p, "a turned root", "the rods do not compile", "rods");
        close_strands(&s);
        return;
    }
    tune(&s, 0.0f, 1.0f);
    for (int32_t f = 1; f <= 900; f++) {
        const float a = fminf((float)f / 60.0f, 1.0f) * (float)(0.5 * PI), c = cosf(a), n = sinf(a);
        const float pose[12] = {c, -n, 0, 0, n, c, 0, 0, 0, 0, 1, 0};
        hem_instance_set_pose(s.scene, s.id, pose, 1, 0);
        step(&s, 1);
    }
    const hem_particle tip = member(&s, 0, 19);
    const double off =
        sqrt(pow((double)tip.position[0] - 1.0, 2) + pow((double)tip.position[1], 2) + pow((double)tip.position[2], 2));
    proof_at_most(p, 2.0, 100.0 * off, "% of length", "rod, root turned by 90 degrees: tip beside");
    close_strands(&s);
}

// m g L^3 / (8 B) of 1 m and 20 g: 5 cm, then a tenth and a hundredth of it.
static void prove_cantilever(proof* p) {
    static strand_box s;
    const float level[3] = {0.0f, 0.0f, 1.0f};
    double least = 1e9, most = 0.0, beam = 0.0;
    memset(&s, 0, sizeof(s));
    for (int32_t i = 0; i < 3; i++) {
        const float stiffness = i == 0 ? 1.0f : i == 1 ? 10.0f : 100.0f;
        for (uint32_t k = 0; k < STRANDS; k++) {
            lay_straight(&s, k, 41, level);
        }
        if (!open_strands(&s, false, 0.4905f, false)) {
            proof_unmeasured(p, "a cantilever", "the rods do not compile", "rods");
            close_strands(&s);
            return;
        }
        tune(&s, 1.0f, stiffness);
        step(&s, 900);
        const double product = -(double)member(&s, 0, 40).position[1] * (double)stiffness;
        least = fmin(least, product), most = fmax(most, product);
        beam = i == 1 ? product : beam;
        close_strands(&s);
    }
    char reached[64];
    snprintf(reached, sizeof(reached), "%.2f to %.2f mm", 1000.0 * least, 1000.0 * most);
    proof_add(p, most <= 1.1 * least, "constant within 10 %", reached, "rod: deflection x stiffness, over 100");
    proof_at_most(p, 5.0, 100.0 * fabs(beam / 0.05 - 1.0), "%", "rod: deflection beside the beam's formula");
}

// -- Both ends held

// A level rod clamped at both ends sags by m g L^3 / (384 B) in its middle: 1 mm of 1 m and 20 g.
static void prove_clamped(proof* p) {
    static strand_box s;
    const float level[3] = {0.0f, 0.0f, 1.0f};
    memset(&s, 0, sizeof(s));
    s.ends = true;
    for (uint32_t k = 0; k < STRANDS; k++) {
        lay_straight(&s, k, 49, level);
    }
    if (!open_strands(&s, false, (float)(0.02 * 9.81 / 0.384), false)) {
        proof_unmeasured(p, "a clamped rod", "the rods do not compile", "rods");
        close_strands(&s);
        return;
    }
    tune(&s, 1.0f, 1.0f);
    step(&s, 900);
    const double sag = -1000.0 * (double)member(&s, 0, 24).position[1];
    proof_at_most(p, 10.0, 100.0 * fabs(sag - 1.0), "%", "rod held at both ends: sag beside m g L^3 / (384 B)");
    close_strands(&s);
}

// Half circles that hang between two held ends, beside the catenary: 2 a sinh(span / 2a) = length.
static void prove_hung(proof* p) {
    static strand_box s;
    memset(&s, 0, sizeof(s));
    s.ends = true;
    for (uint32_t i = 0, n = 0; i < STRANDS; i++) {
        s.count[i] = 29 + 10 * i;
        for (uint32_t k = 0; k < s.count[i]; k++, n++) {
            const double a = PI * (double)k / (double)(s.count[i] - 1);
            s.positions[n][0] = (float)(2.0 * (double)i + 0.2 * cos(a));
            s.positions[n][2] = (float)(0.2 * sin(a));
        }
    }
    if (!open_strands(&s, true, 0.01f, false)) {
        proof_unmeasured(p, "a hanging chain", "the chains do not compile", "chains");
        close_strands(&s);
        return;
    }
    step(&s, 900);
    double worst = 0.0;
    for (uint32_t i = 0; i < STRANDS; i++) {
        const double length = 0.4 * (double)(s.count[i] - 1) * sin(0.5 * PI / (double)(s.count[i] - 1));
        double low = 0.02, high = 10.0, lowest = 0.0;
        for (int32_t n = 0; n < 100; n++) {
            const double a = 0.5 * (low + high);
            *(2 * a * sinh(0.2 / a) > length ? &low : &high) = a;
        }
        for (uint32_t k = 0; k < s.count[i]; k++) {
            lowest = fmin(lowest, (double)member(&s, i, k).position[1]);
        }
        const double sag = low * (cosh(0.2 / low) - 1.0);
        worst = fmax(worst, fabs(-lowest / sag - 1.0));
    }
    proof_at_most(p, 0.5, 100.0 * worst, "%", "chains held at both ends: sag beside the catenary");
    close_strands(&s);
}

// -- A twisted ring

#define MICHELL 10.8827961854053 // 2 pi sqrt(3)
#define RING 0.1                 // metres

// Straight stuff, closed: each joint rests unbent, about y, and turned about its edge by its share of the twist. Frames at both ends are
// held alike, so all of the twist is in it.
static void lay_ring(strand_box* s, uint32_t strand, double twist) {
    const uint32_t edges = MEMBERS - 1, first = strand * MEMBERS;
    const double turn = 2.0 * PI / (double)edges, u = 0.5 * turn, t = 0.5 * twist / (double)edges;
    s->count[strand] = MEMBERS;
    for (uint32_t k = 0; k <= edges; k++) {
        const double a = turn * (double)(k % edges), middle = a + 0.5 * turn; // x to z is about -y
        const double ax = -sin(middle) * sin(t), az = cos(middle) * sin(t);
        s->positions[first + k][0] = (float)(2.0 * (double)strand + RING * cos(a));
        s->positions[first + k][1] = (float)(0.01 * RING * sin(2.0 * a)); // not quite flat: it knows where to go
        s->positions[first + k][2] = (float)(RING * sin(a));
        if (k < edges) { // the product of the twist and (0, sin u, 0; cos u)
            s->turns[first + k][0] = (float)(ax * cos(u) - az * sin(u));
            s->turns[first + k][1] = (float)(cos(t) * sin(u));
            s->turns[first + k][2] = (float)(az * cos(u) + ax * sin(u));
        }
    }
}

// How much nearer than two radii opposite points come, as a share. (The plane of the ring may lean about the held end: that costs nothing.)
static double fold_of(const strand_box* s, uint32_t strand) {
    double fold = 0.0;
    for (uint32_t k = 0; k < MEMBERS / 2; k++) {
        const hem_particle a = member(s, strand, k), b = member(s, strand, k + MEMBERS / 2);
        double far = 0.0;
        for (int32_t c = 0; c < 3; c++) {
            far += pow((double)b.position[c] - (double)a.position[c], 2);
        }
        fold = fmax(fold, 1.0 - sqrt(far) / (2.0 * RING));
    }
    return fold;
}

// The most that each folds within half a minute: it then goes through itself and is flat again, with two turns less.
static bool twist_rings(const double twists[STRANDS], double fold[STRANDS]) {
    static strand_box s;
    memset(&s, 0, sizeof(s));
    s.ends = true;
    s.twist = 1.0f; // B = C
    for (uint32_t i = 0; i < STRANDS; i++) {
        lay_ring(&s, i, twists[i]);
        fold[i] = 0.0;
    }
    const bool good = open_strands(&s, false, 1e-3f, true);
    if (good) {
        tune(&s, 0.0f, 1.0f);
    }
    for (int32_t f = 0; good && f < 300; f++) {
        step(&s, 6);
        for (uint32_t i = 0; i < STRANDS; i++) {
            fold[i] = fmax(fold[i], fold_of(&s, i));
        }
    }
    close_strands(&s);
    return good;
}

// It stays flat until 2 pi sqrt(3) B / C (Michell 1889) and then folds. Where, is found between ever nearer twists.
static void prove_ring(proof* p) {
    double low = 0.6, high = 1.4;
    for (int32_t round = 0; round < 4; round++) {
        double twists[STRANDS], fold[STRANDS];
        for (int32_t i = 0; i < STRANDS; i++) {
            twists[i] = MICHELL * (low + (high - low) * (i + 1) / (STRANDS + 1));
        }
        if (!twist_rings(twists, fold)) {
            proof_unmeasured(p, "a twisted ring", "the rods do not compile", "rods");
            return;
        }
        double flat = low, bent = high;
        for (int32_t i = 0; i < STRANDS && fold[i] < 0.05; i++) {
            flat = twists[i] / MICHELL;
        }
        for (int32_t i = STRANDS - 1; i >= 0 && twists[i] / MICHELL > flat; i--) {
            bent = twists[i] / MICHELL;
        }
        low = flat, high = bent;
    }
    char reached[64];
    const double at = 0.5 * (low + high);
    snprintf(reached, sizeof(reached), "%.3f of it", at);
    proof_add(p, fabs(at - 1.0) <= 0.1, "2 pi sqrt(3 B / C) within 10 %", reached,
              "rod: twist at which a ring buckles");
}

// -- A helix

// The lane of a batch that strand 0 is in.
static bool find_lane(const strand_box* s, const hem_row_batch** batch, uint32_t* lane) {
    const hem_view* v = &s->view;
    for (uint32_t i = 0; i < v->row_batch_count; i++) {
        const hem_row_batch* b = &v->row_batches[i];
        for (uint32_t n = 0; b->kind == HEM_KIND_ROD && n < 8; n++) {
            const hem_group_member* m = b->form == HEM_FORM_STRANDS ? &v->row_members[b->member_begin] : NULL;
            const hem_group_index* g = b->form == HEM_FORM_INDICES ? &v->row_indices[b->member_begin] : NULL;
            const uint32_t on = m != NULL ? m->lane_mask : g != NULL ? g->lane_mask : 0;
            const uint32_t slot = m != NULL ? m->row * 8u + ((n + m->rotate) & 7u) : g != NULL ? g->index[n] : 0;
            if ((on >> n & 1) && slot == s->slot[0][0]) {
                *batch = b;
                *lane = n;
                return true;
            }
        }
    }
    return false;
}

static void prove_helix(proof* p) {
    static strand_box s;
    static rod_reference r;
    const hem_row_batch* batch;
    uint32_t lane;
    memset(&s, 0, sizeof(s));
    memset(&r, 0, sizeof(r));
    for (uint32_t i = 0, n = 0; i < STRANDS; i++) {
        s.count[i] = 24;
        for (uint32_t k = 0; k < 24; k++, n++) {
            const double a = 0.6 * (double)k;
            s.positions[n][0] = (float)(2.0 * (double)i + 0.05 * cos(a));
            s.positions[n][1] = (float)(-0.02 * a);
            s.positions[n][2] = (float)(0.05 * sin(a));
        }
    }
    if (!open_strands(&s, false, 1.5e-3f, false) || !find_lane(&s, &batch, &lane)) {
        proof_unmeasured(p, "a helix", "the rods do not compile", "rods");
        close_strands(&s);
        return;
    }
    r.count = 24;
    r.gravity = 9.81;
    for (uint32_t k = 0; k < 24; k++) {
        const float* x = s.positions[k];
        rod_reference_set(&r, k, &s.view.rods[batch->payload + k], lane, 0.02 / 23.0,
                          (rod_vector){(double)x[0], (double)x[1], (double)x[2]});
    }
    for (int32_t i = 0; i < 40000; i++) {
        rod_reference_step(&r, 12.0, 7.5e-5);
    }
    step(&s, 1200);
    const double hangs = -(double)member(&s, 0, 23).position[1], wanted = -r.x[23].y, rest = 0.02 * 0.6 * 23.0;
    char aimed[64], reached[64];
    snprintf(aimed, sizeof(aimed), "%.1f mm within 3 %%", 1000.0 * wanted);
    snprintf(reached, sizeof(reached), "%.1f mm (%.1f as modelled)", 1000.0 * hangs, 1000.0 * rest);
    proof_add(p, fabs(hangs / wanted - 1.0) <= 0.03 && wanted > 1.1 * rest, aimed, reached,
              "rod: a helix under gravity beside RK4 in doubles");
    close_strands(&s);
}

static double longest_under_shake(proof* p, bool chains, bool follow) {
    static strand_box s;
    double worst = 0.0;
    const float down[3] = {0.0f, -1.0f, 0.0f}, level[3] = {0.0f, 0.0f, 1.0f};
    memset(&s, 0, sizeof(s));
    for (uint32_t i = 0; i < STRANDS; i++) {
        lay_straight(&s, i, 20 + 10 * i, i == 1 ? level : down);
    }
    if (!open_strands(&s, chains, 0.01f, false)) {
        proof_unmeasured(p, "lengths", "the strands do not compile", "%s", chains ? "chains" : "rods");
        close_strands(&s);
        return 1.0;
    }
    hem_tuning t;
    hem_instance_get_tuning(s.scene, s.id, &t, sizeof(t));
    t.solver = follow ? HEM_SOLVER_FOLLOW : t.solver;
    hem_instance_set_tuning(s.scene, s.id, &t, 1);
    for (int32_t f = 1; f <= 300; f++) {
        const float x = 0.1f * sinf((float)(4.0 * PI) * (float)f / 60.0f);
        const float pose[12] = {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0.5f * x};
        hem_instance_set_pose(s.scene, s.id, pose, 1, 0);
        step(&s, 1);
        for (uint32_t i = 0; i < STRANDS; i++) {
            double length = 0.0;
            for (uint32_t k = 0; k + 1 < s.count[i]; k++) {
                const hem_particle a = member(&s, i, k), b = member(&s, i, k + 1);
                length += sqrt(pow((double)b.position[0] - (double)a.position[0], 2) +
                               pow((double)b.position[1] - (double)a.position[1], 2) +
                               pow((double)b.position[2] - (double)a.position[2], 2));
            }
            worst = fmax(worst, fabs(length - 1.0));
        }
    }
    close_strands(&s);
    return worst;
}

void prove_fabrics_hair(proof* p) {
    if (proof_wants(p, "rods")) {
        prove_bend_and_twist(p);
        prove_root(p);
        prove_cantilever(p);
        prove_clamped(p);
        prove_ring(p);
        prove_helix(p);
        proof_at_most(p, 0.5, 100.0 * longest_under_shake(p, false, false), "%", "rods: stretch under a shake, 60 Hz");
    }
    if (proof_wants(p, "chains")) {
        proof_at_most(p, 0.2, 100.0 * longest_under_shake(p, true, false), "%", "chains: stretch under a shake, 60 Hz");
        proof_at_most(p, 0.2, 100.0 * longest_under_shake(p, true, true), "%", "chains that follow: the same");
        prove_hung(p);
    }
}
