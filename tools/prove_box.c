// SPDX-License-Identifier: MIT
#include "tools/prove_meshes.h"
#include "compiler/hemc.h"
#include "platform/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Figure 10 of "Collision Adaptive Particle Systems": four particles, two triangles, on the edge of a box that stands on its
// edge. No particle ever touches it. And the same cloth beside meshes that nobody should make.

#define HALF 0.1f  // of the box's sides across
#define LONG 0.6f  // half of its length
#define SIDE 0.4f  // of the cloth
#define BELOW 0.16 // its middle; its edge is 1.9 cm below the cloth
#define THICKNESS 0.004f

typedef struct hung {
    made_cloth cloth;
    made_mesh mesh;
    void* block;
    hem_scene* scene;
    hem_instance_id id;
    hem_collider collider;
} hung;

static void close_hung(hung* h) {
    forget_cloth(&h->cloth);
    forget_mesh(&h->mesh);
    free(h->block);
    memset(h, 0, sizeof(*h));
}

static bool make_two_triangles(made_cloth* c) {
    const float at[4][3] = {{-0.5f * SIDE, 0, -0.5f * SIDE},
                            {0.5f * SIDE, 0, -0.5f * SIDE},
                            {-0.5f * SIDE, 0, 0.5f * SIDE},
                            {0.5f * SIDE, 0, 0.5f * SIDE}};
    const float mass[4] = {0.01f, 0.01f, 0.01f, 0.01f};
    const hemc_bare_link links[5] = {{0, 1, HEM_LINK_WEFT},
                                     {2, 3, HEM_LINK_WEFT},
                                     {0, 2, HEM_LINK_WARP},
                                     {1, 3, HEM_LINK_WARP},
                                     {0, 3, HEM_LINK_SHEAR}};
    hemc_bare_mesh mesh = {.particle_count = 4, .positions = at, .mass = mass, .links = links, .link_count = 5};
    size_t size = 0;
    mesh.radius = 0.5f * SIDE;
    mesh.damping = 1.0f;
    mesh.friction = 0.5f;
    mesh.virtual_particles = 2;
    memset(c, 0, sizeof(*c));
    if (hemc_compile_bare(&mesh, &c->bytes, &size) != 0 || !(c->aligned = aligned_alloc(64, (size + 63) / 64 * 64))) {
        return false;
    }
    memcpy(c->aligned, c->bytes, size);
    free(c->bytes);
    c->bytes = NULL;
    c->count = 4;
    return hem_asset_open(&c->asset, c->aligned, size) == HEM_OK;
}

// odd: two triangles a second time and two without area, as files have them.
static bool make_box(bool odd, made_mesh* m) {
    static const uint32_t sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    float at[8][3];
    uint32_t triangles[16][3] = {{0}};
    for (uint32_t i = 0; i < 8; i++) {
        at[i][0] = i & 1 ? HALF : -HALF;
        at[i][1] = i & 2 ? HALF : -HALF;
        at[i][2] = i & 4 ? LONG : -LONG;
    }
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t* s = sides[i / 2];
        triangles[i][0] = s[0];
        triangles[i][1] = s[i % 2 + 1];
        triangles[i][2] = s[i % 2 + 2];
    }
    memcpy(triangles[12], triangles[3], sizeof(triangles[0]));
    memcpy(triangles[13], triangles[6], sizeof(triangles[0]));
    triangles[14][0] = 1, triangles[14][1] = 2, triangles[14][2] = 1;
    triangles[15][0] = triangles[15][1] = triangles[15][2] = 5;
    hem_trimesh_def def = hem_trimesh_def_default();
    def.vertex_count = 8;
    def.positions = at[0];
    def.indices = triangles[0];
    def.triangle_count = odd ? 16 : 12;
    return build_mesh(&def, m);
}

static bool open_hung(bool odd, uint32_t capacity, hung* h) {
    hem_memory need;
    memset(h, 0, sizeof(*h));
    if (!make_two_triangles(&h->cloth) || !make_box(odd, &h->mesh)) {
        return false;
    }
    hem_scene_def def = hem_scene_def_default();
    hem_slot_def slot = {&h->cloth.asset, 1};
    hem_mesh_def one = {&h->mesh.mesh, 0, 0};
    def.slots = &slot;
    def.slot_count = 1;
    def.meshes = &one;
    def.mesh_count = 1;
    def.virtual_capacity = capacity;
    if (hem_scene_measure(&def, &need) != HEM_OK || !(h->block = aligned_alloc(64, need.size)) ||
        hem_scene_init(&h->scene, &def, h->block, need.size) != HEM_OK) {
        return false;
    }
    hem_instance_def instance = hem_instance_def_default();
    instance.asset = &h->cloth.asset;
    hem_scene_add(h->scene, &instance, &h->id);
    hem_instance_set_features(h->scene, h->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
    hem_tuning tuning;
    hem_instance_get_tuning(h->scene, h->id, &tuning, sizeof(tuning));
    tuning.collision_thickness = THICKNESS;
    tuning.damping = 1.0f;
    tuning.friction = 0.5f;
    tuning.compliance[HEM_LINK_SHEAR] = 1e-3f;
    hem_instance_set_tuning(h->scene, h->id, &tuning, 1);
    h->collider = hem_collider_default();
    h->collider.kind = HEM_COLLIDER_MESH;
    h->collider.friction = 0.5f;
    h->collider.position[1] = -BELOW;
    h->collider.rotation[2] = 0.38268343f; // 45 degrees about z
    h->collider.rotation[3] = 0.92387953f;
    hem_instance_set_colliders(h->scene, h->id, &h->collider, 1);
    return true;
}

static void step_hung(hung* h, int32_t frames) {
    hem_step_args args = {1.0f / 60.0f, 0};
    for (int32_t i = 0; i < frames; i++) {
        hem_scene_step(h->scene, &args);
    }
}

static void places(const hung* h, double at[4][3]) {
    hem_asset_info info;
    uint32_t n = 0;
    hem_asset_get_info(&h->cloth.asset, &info);
    for (uint32_t i = 0; i < info.particle_count && n < 4; i++) {
        hem_particle q;
        hem_instance_get_particles(h->scene, h->id, i, 1, &q);
        if (q.inverse_mass > 0) {
            for (int k = 0; k < 3; k++) {
                at[n][k] = (double)q.position[k];
            }
            n++;
        }
    }
}

static double depth_in_box(const double p[3]) {
    const double y = p[1] + BELOW, u = (p[0] + y) * sqrt(0.5), v = (y - p[0]) * sqrt(0.5);
    return fmin(fmin((double)HALF - fabs(u), (double)HALF - fabs(v)), (double)LONG - fabs(p[2]));
}

// Every side of every triangle of the surface that is drawn: a hundred points on each.
static double deepest_side(const hung* h) {
    hem_refined_vertex vertices[64];
    uint32_t indices[3 * 128];
    hem_refined r = {.vertices = vertices, .indices = indices, .vertex_capacity = 64, .triangle_capacity = 128};
    hem_asset_info info;
    double deepest = -1;
    hem_asset_get_info(&h->cloth.asset, &info);
    if (hem_instance_get_refined(h->scene, h->id, &r) != HEM_OK || r.dropped_count > 0) {
        return 1;
    }
    for (uint32_t i = 0; i < 3 * r.triangle_count; i++) {
        const uint32_t ends[2] = {indices[i], indices[i / 3 * 3 + (i + 1) % 3]};
        double p[2][3];
        for (int e = 0; e < 2; e++) {
            hem_particle q;
            if (ends[e] < info.particle_count) {
                hem_instance_get_particles(h->scene, h->id, ends[e], 1, &q);
            }
            const float* at =
                ends[e] < info.particle_count ? q.position : vertices[ends[e] - info.particle_count].position;
            for (int k = 0; k < 3; k++) {
                p[e][k] = (double)at[k];
            }
        }
        for (int n = 0; n <= 100; n++) {
            double x[3];
            for (int k = 0; k < 3; k++) {
                x[k] = p[0][k] + (p[1][k] - p[0][k]) * n / 100;
            }
            deepest = fmax(deepest, depth_in_box(x));
        }
    }
    return deepest;
}

static double farthest(double a[4][3], double b[4][3]) {
    double far = 0;
    for (int i = 0; i < 4; i++) {
        far = fmax(far, sqrt(pow(a[i][0] - b[i][0], 2) + pow(a[i][1] - b[i][1], 2) + pow(a[i][2] - b[i][2], 2)));
    }
    return far;
}

static void prove_hanging(proof* p, bool odd, const char* what) {
    hung h;
    hem_step_report report;
    double before[4][3], after[4][3], deepest = -1;
    uint32_t least = UINT32_MAX, most = 0;
    if (!open_hung(odd, 64, &h)) {
        proof_unmeasured(p, "3", "the scene could not be made", "%s", what);
        close_hung(&h);
        return;
    }
    step_hung(&h, 240);
    places(&h, before);
    for (int32_t frame = 0; frame < 600; frame++) {
        step_hung(&h, 1);
        hem_scene_get_report(h.scene, &report);
        least = report.virtual_count < least ? report.virtual_count : least;
        most = report.virtual_count > most ? report.virtual_count : most;
        deepest = fmax(deepest, deepest_side(&h));
    }
    places(&h, after);
    proof_at_least(p, 3, least, "", "%s: virtual particles, the fewest in ten seconds", what);
    proof_at_most(p, 3, most, "", "%s: the most", what);
    proof_at_most(p, 0.0, 1e3 * deepest, "mm", "%s: deepest point of its edges in the box", what);
    proof_at_most(p, 5.0, 1e3 * farthest(before, after), "mm", "%s: how far a particle goes in ten seconds", what);
    close_hung(&h);
}

static void prove_falling(proof* p) {
    hung h;
    double at[4][3];
    if (!open_hung(false, 0, &h)) {
        proof_unmeasured(p, "1 m", "the scene could not be made", "the same without virtual particles");
    } else {
        step_hung(&h, 120);
        places(&h, at);
        proof_at_least(p, 1.0, -at[0][1], "m",
                       "the same without virtual particles: how far it has fallen in two seconds");
    }
    close_hung(&h);
}

// At 300 m/s what it meets goes with it, and is outside. One that jumps meets nothing: the cloth falls where it was.
static void prove_moved(proof* p, int jumped) {
    hung h;
    double at[4][3], deepest = -1, aside = 0;
    if (!open_hung(false, 64, &h)) {
        proof_unmeasured(p, "outside", "the scene could not be made", "a box that moves by 5 m in a frame");
        close_hung(&h);
        return;
    }
    step_hung(&h, 240);
    h.collider.position[0] = 5.0;
    h.collider.jumped = jumped;
    hem_instance_set_colliders(h.scene, h.id, &h.collider, 1);
    step_hung(&h, 1);
    h.collider.jumped = 0;
    hem_instance_set_colliders(h.scene, h.id, &h.collider, 1);
    for (int32_t frame = 0; frame < 60; frame++) {
        step_hung(&h, 1);
        places(&h, at);
        for (int i = 0; i < 4; i++) {
            const double there[3] = {at[i][0] - 5.0, at[i][1], at[i][2]};
            const double depth = depth_in_box(there);
            deepest = isfinite(depth) ? fmax(deepest, depth) : 1;
            aside = fmax(aside, fabs(at[i][0]));
        }
    }
    if (jumped) {
        proof_at_most(p, 0.5, aside, "m", "a box that jumps by 5 m: how far aside its cloth has gone in a second");
        proof_at_least(p, 1.0, -at[0][1], "m", "how far it has fallen");
    } else {
        proof_at_most(p, 0.0, 1e3 * deepest, "mm", "a box that goes 5 m in a frame: deepest particle of its cloth");
    }
    close_hung(&h);
}

static void prove_refused(proof* p) {
    float at[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t indices[3] = {0, 1, 2};
    uint32_t taken = 0;
    for (int i = 0; i < 9; i++) {
        const float was = at[i / 3][i % 3];
        made_mesh m;
        hem_trimesh_def def = hem_trimesh_def_default();
        def.vertex_count = 3;
        def.positions = at[0];
        def.indices = indices;
        def.triangle_count = 1;
        at[i / 3][i % 3] = i % 2 ? NAN : INFINITY;
        taken += build_mesh(&def, &m);
        forget_mesh(&m);
        at[i / 3][i % 3] = was;
    }
    proof_at_most(p, 0, taken, "", "of nine meshes with a NaN or an infinity, those that were taken");
}

void prove_box(proof* p) {
    prove_hanging(p, false, "two triangles on a box");
    prove_falling(p);
    prove_hanging(p, true, "the same, triangles twice or without area");
    prove_moved(p, 0);
    prove_moved(p, 1);
    prove_refused(p);
}
