// SPDX-License-Identifier: MIT
#include "tools/prove_fabrics.h"
#include "compiler/hemc.h"
#include "formats/hem_validate.h"
#include "hem/hem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Rods and chains alone: shapes that are known, deflections of a beam, lengths under a shake. A helix against a reference in double
// precision is in tests/runtime/rods.c.

enum { STRANDS = 3, MEMBERS = 41 };

static const double PI = 3.14159265358979323846;
#define JOINT_TURN 0.082673490883f // of 19 that make a right angle

typedef struct strand_box {
    uint32_t count[STRANDS]; // particles of each
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
            held[total] = k == 0;
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
                                 .twist = 0.7f,
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

static double longest_under_shake(proof* p, bool chains) {
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
        proof_at_most(p, 0.5, 100.0 * longest_under_shake(p, false), "%", "rods: stretch under a shake, 60 Hz");
    }
    if (proof_wants(p, "chains")) {
        proof_at_most(p, 0.2, 100.0 * longest_under_shake(p, true), "%", "chains: stretch under a shake, 60 Hz");
    }
}
