// SPDX-License-Identifier: MIT
#include "tools/prove_meshes.h"
#include "compiler/hemc.h"
#include "platform/clock.h"
#include "platform/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Triangle meshes as colliders: what a body of skinned triangles costs, how the time grows with the triangles, and that
// nothing passes. Times are the least that each frame took over several runs, of the phases that deal with meshes: the
// scene's begin (skinning and boxes), search and contact.

// -- Meshes

void forget_mesh(made_mesh* m) {
    free(m->bytes);
    memset(m, 0, sizeof(*m));
}

bool build_mesh(const hem_trimesh_def* def, made_mesh* m) {
    hem_memory room, aside;
    hem_trimesh_report report;
    memset(m, 0, sizeof(*m));
    if (hem_trimesh_measure(def, &room, &aside) != HEM_OK) {
        return false;
    }
    void* scratch = aligned_alloc(64, (aside.size + 63) / 64 * 64);
    m->bytes = aligned_alloc(64, (room.size + 63) / 64 * 64);
    bool good = scratch && m->bytes &&
                hem_trimesh_build(def, m->bytes, room.size, scratch, aside.size, &report) == HEM_OK &&
                hem_trimesh_open(&m->mesh, m->bytes, report.size) == HEM_OK &&
                hem_trimesh_get_info(&m->mesh, &m->info) == HEM_OK;
    free(scratch);
    if (!good) {
        forget_mesh(m);
    }
    return good;
}

#define BODY_BONES 4
#define BODY_HEIGHT 1.8f

// A surface around the y axis, from y = 0 to height, closed above and below: 2 x around x along triangles, less the poles'.
// radius(v) for v from 0 to 1. With bones, bone k pulls most at height k / 3.
static bool make_round(uint32_t around, uint32_t along, float height, float (*radius)(float v), bool skinned,
                       made_mesh* m) {
    const uint32_t count = around * (along + 1);
    float* at = malloc(count * 12);
    uint32_t* indices = malloc((size_t)around * along * 24);
    uint16_t *bones = calloc(count, 8), *weights = calloc(count, 8);
    bool good = at && indices && bones && weights;
    for (uint32_t i = 0; good && i < count; i++) {
        float v = (float)(i / around) / (float)along, a = 6.2831853f * (float)(i % around) / (float)around;
        float r = i < around || i >= around * along ? 0.0f : radius(v);
        at[3 * i] = r * hem_sinf(a);
        at[3 * i + 1] = v * height;
        at[3 * i + 2] = r * hem_cosf(a);
        float place = v * (float)(BODY_BONES - 1), share = place - floorf(place);
        uint32_t bone = (uint32_t)place < BODY_BONES - 1 ? (uint32_t)place : BODY_BONES - 2;
        share = place - (float)bone;
        bones[4 * i] = (uint16_t)bone;
        bones[4 * i + 1] = (uint16_t)(bone + 1);
        weights[4 * i + 1] = (uint16_t)(65535.0f * share);
        weights[4 * i] = (uint16_t)(65535 - weights[4 * i + 1]);
    }
    for (uint32_t i = 0; good && i < around * along; i++) {
        uint32_t u = i % around, v = i / around, n = (u + 1) % around;
        uint32_t a = v * around + u, b = v * around + n, c = a + around, d = b + around;
        const uint32_t six[6] = {a, b, c, b, d, c};
        memcpy(indices + (size_t)i * 6, six, sizeof(six));
    }
    hem_trimesh_def def = hem_trimesh_def_default();
    def.vertex_count = count;
    def.positions = at;
    def.indices = indices;
    def.triangle_count = 2 * around * along;
    if (skinned) {
        def.bone_count = BODY_BONES;
        def.bones = bones;
        def.weights = weights;
    }
    good = good && build_mesh(&def, m);
    free(at);
    free(indices);
    free(bones);
    free(weights);
    return good;
}

// A terrain of 2 n^2 triangles, `size` metres square.
static bool make_hills(uint32_t n, float size, made_mesh* m) {
    float* at = malloc((size_t)(n + 1) * (n + 1) * 12);
    uint32_t* indices = malloc((size_t)n * n * 24);
    bool good = at && indices;
    for (uint32_t i = 0; good && i < (n + 1) * (n + 1); i++) {
        float x = size * ((float)(i % (n + 1)) / (float)n - 0.5f), z = size * ((float)(i / (n + 1)) / (float)n - 0.5f);
        at[3 * i] = x;
        at[3 * i + 1] = 0.1f * hem_sinf(4.0f * x) * hem_cosf(5.0f * z);
        at[3 * i + 2] = z;
    }
    for (uint32_t i = 0; good && i < n * n; i++) {
        uint32_t a = i / n * (n + 1) + i % n, b = a + 1, c = a + n + 1, d = c + 1;
        const uint32_t six[6] = {a, c, b, b, c, d};
        memcpy(indices + (size_t)i * 6, six, sizeof(six));
    }
    hem_trimesh_def def = hem_trimesh_def_default();
    def.vertex_count = (n + 1) * (n + 1);
    def.positions = at;
    def.indices = indices;
    def.triangle_count = 2 * n * n;
    good = good && build_mesh(&def, m);
    free(at);
    free(indices);
    return good;
}

// The same terrain as a height field, or nearly: each cell is cut as there.
static bool make_field(uint32_t n, float size, made_mesh* m) {
    const uint32_t side = n + 1;
    float* y = malloc((size_t)side * side * 4);
    hem_trimesh_field_def def = hem_trimesh_field_def_default();
    hem_memory room;
    memset(m, 0, sizeof(*m));
    for (uint32_t i = 0; y != NULL && i < side * side; i++) {
        float x = size * ((float)(i % side) / (float)n - 0.5f), z = size * ((float)(i / side) / (float)n - 0.5f);
        y[i] = 0.1f * hem_sinf(4.0f * x) * hem_cosf(5.0f * z);
    }
    def.columns = def.rows = side;
    def.heights = y;
    def.cell[0] = def.cell[1] = size / (float)n;
    bool good = y != NULL && hem_trimesh_measure_field(&def, &room) == HEM_OK;
    m->bytes = good ? aligned_alloc(64, room.size) : NULL;
    good = m->bytes != NULL && hem_trimesh_build_field(&def, m->bytes, room.size, NULL) == HEM_OK &&
           hem_trimesh_open(&m->mesh, m->bytes, room.size) == HEM_OK &&
           hem_trimesh_get_info(&m->mesh, &m->info) == HEM_OK;
    free(y);
    if (!good) {
        forget_mesh(m);
    }
    return good;
}

static float body_radius(float v) {
    return 0.25f + 0.03f * hem_sinf(9.0f * v);
}

static float ball_radius(float v) {
    return hem_sqrtf(hem_maxf(0.25f - (v - 0.5f) * (v - 0.5f), 0.0f));
}

// -- Cloth

void forget_cloth(made_cloth* c) {
    free(c->aligned);
    memset(c, 0, sizeof(*c));
}

// Columns x levels particles; around: a tube that hangs from its upmost level, else a level sheet, nothing held.
bool make_cloth(int32_t columns, int32_t levels, float width, float height, bool around, int virtual_particles,
                made_cloth* c) {
    static const struct {
        int32_t across, along;
        uint8_t kind;
    } STENCIL[] = {{1, 0, HEM_LINK_WEFT},   {0, 1, HEM_LINK_WARP}, {1, 1, HEM_LINK_SHEAR},
                   {-1, 1, HEM_LINK_SHEAR}, {2, 0, HEM_LINK_BEND}, {0, 2, HEM_LINK_BEND}};
    const size_t count = (size_t)columns * (size_t)levels;
    memset(c, 0, sizeof(*c));
    float(*at)[3] = malloc(count * sizeof(*at));
    float* mass = malloc(count * sizeof(*mass));
    uint8_t* held = calloc(count, 1);
    int32_t *level = malloc(count * 4), *column = malloc(count * 4);
    hemc_bare_link* links = malloc(count * 6 * sizeof(*links));
    size_t link_count = 0, size = 0;
    bool good = at && mass && held && level && column && links;
    for (int32_t i = 0; good && i < (int32_t)count; i++) {
        int32_t x = i % columns, y = i / columns;
        float u = (float)x / (float)(around ? columns : columns - 1), v = (float)y / (float)(levels - 1);
        float turn = 6.2831853f * u, radius = width / 6.2831853f;
        at[i][0] = around ? radius * hem_sinf(turn) : (u - 0.5f) * width;
        at[i][1] = around ? v * height : 0.0f;
        at[i][2] = around ? radius * hem_cosf(turn) : (v - 0.5f) * height;
        mass[i] = 0.25f * width * height / (float)count;
        held[i] = around && y == levels - 1;
        level[i] = y;
        column[i] = x;
        for (size_t k = 0; k < HEM_COUNT_OF(STENCIL); k++) {
            int32_t a = x + STENCIL[k].across, b = y + STENCIL[k].along;
            a = around ? (a + columns) % columns : a;
            if (a >= 0 && a < columns && b < levels) {
                links[link_count++] = (hemc_bare_link){(uint32_t)i, (uint32_t)(b * columns + a), STENCIL[k].kind};
            }
        }
    }
    hemc_bare_mesh mesh = {.particle_count = (uint32_t)count,
                           .positions = (const float(*)[3])at,
                           .animated = held,
                           .mass = mass,
                           .links = links,
                           .link_count = link_count,
                           .level = level,
                           .column = column};
    mesh.radius = 0.5f * height / (float)(levels - 1);
    mesh.virtual_particles = (uint8_t)virtual_particles;
    mesh.damping = 0.2f;
    mesh.friction = 0.4f;
    good = good && hemc_compile_bare(&mesh, &c->bytes, &size) == 0;
    c->aligned = good ? aligned_alloc(64, (size + 63) / 64 * 64) : NULL;
    good = c->aligned != NULL;
    if (good) {
        memcpy(c->aligned, c->bytes, size);
        good = hem_asset_open(&c->asset, c->aligned, size) == HEM_OK;
    }
    free(c->bytes);
    c->bytes = NULL;
    c->count = (uint32_t)count;
    free(at);
    free(mass);
    free(held);
    free(level);
    free(column);
    free(links);
    return good;
}

// -- A scene and its watch

typedef struct stage {
    void* block;
    hem_scene* scene;
    hem_instance_id id;
    uint64_t mesh_time, since; // nanoseconds in the phases that deal with meshes
} stage;

static void phase_begins(void* user, const char* phase, hem_instance_id id) {
    (void)id;
    stage* s = user;
    s->since = strcmp(phase, "search") == 0 || strcmp(phase, "contact") == 0 ? hem_clock_nanoseconds() : 0;
}

static void phase_ends(void* user, const char* phase, hem_instance_id id) {
    (void)id, (void)phase;
    stage* s = user;
    s->mesh_time += s->since ? hem_clock_nanoseconds() - s->since : 0;
}

static bool open_stage(const made_cloth* cloth, const made_mesh* mesh, float thickness, stage* s) {
    hem_scene_def def = hem_scene_def_default();
    hem_slot_def slot = {&cloth->asset, 1};
    hem_mesh_def one = {&mesh->mesh, 0, 0};
    hem_memory need;
    memset(s, 0, sizeof(*s));
    def.slots = &slot;
    def.slot_count = 1;
    def.meshes = &one;
    def.mesh_count = 1;
    if (hem_scene_measure(&def, &need) != HEM_OK || (s->block = aligned_alloc(64, need.size)) == NULL ||
        hem_scene_init(&s->scene, &def, s->block, need.size) != HEM_OK) {
        free(s->block);
        return false;
    }
    hem_instance_def instance = hem_instance_def_default();
    instance.asset = &cloth->asset;
    hem_scene_add(s->scene, &instance, &s->id);
    hem_instance_set_features(s->scene, s->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
    hem_tuning tuning;
    hem_instance_get_tuning(s->scene, s->id, &tuning, sizeof(tuning));
    tuning.collision_thickness = thickness;
    hem_instance_set_tuning(s->scene, s->id, &tuning, 1);
    hem_profile_hooks hooks = {phase_begins, phase_ends, s};
    hem_scene_set_profile_hooks(s->scene, &hooks);
    return true;
}

static void place_mesh(stage* s, float x, float y, float z) {
    hem_collider c = hem_collider_default();
    c.kind = HEM_COLLIDER_MESH;
    c.friction = 0.4f;
    c.position[0] = (double)x;
    c.position[1] = (double)y;
    c.position[2] = (double)z;
    hem_instance_set_colliders(s->scene, s->id, &c, 1);
}

static double mesh_seconds(stage* s) {
    uint32_t jobs;
    hem_step_args args = {1.0f / 60.0f, 0};
    s->mesh_time = 0;
    uint64_t begin = hem_clock_nanoseconds();
    hem_scene_step_begin(s->scene, &args, &jobs);
    s->mesh_time += hem_clock_nanoseconds() - begin;
    for (uint32_t i = 0; i < jobs; i++) {
        hem_scene_step_job(s->scene, i, 0);
    }
    hem_scene_step_end(s->scene);
    return 1e-9 * (double)s->mesh_time;
}

static void sway(stage* s, int32_t frame, bool moves) {
    float m[BODY_BONES][12];
    for (int32_t k = 0; k < BODY_BONES; k++) {
        const float bone[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        memcpy(m[k], bone, sizeof(bone));
        m[k][3] = moves ? 0.05f * hem_sinf(0.10472f * (float)frame + 0.7f * (float)k) : 0.0f;
    }
    hem_scene_set_mesh_pose(s->scene, 0, m[0], BODY_BONES, 0, 0);
}

// -- The rows

#define RUNS 5
#define FRAMES 60

static int compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

// A robe of 1406 particles around a body of 5 k triangles, all of which move every frame.
static void prove_body(proof* p) {
    made_mesh body;
    made_cloth robe;
    double least[FRAMES];
    uint32_t contacts = 0;
    for (int32_t i = 0; i < FRAMES; i++) {
        least[i] = 1e9;
    }
    bool good = make_round(50, 51, BODY_HEIGHT, body_radius, true, &body);
    good = good && make_cloth(38, 37, 6.2831853f * 0.27f, 1.2f, true, 0, &robe);
    for (int32_t run = 0; good && run < RUNS; run++) {
        stage s;
        good = open_stage(&robe, &body, 0.005f, &s);
        if (!good) {
            break;
        }
        place_mesh(&s, 0.0f, -0.3f, 0.0f);
        for (int32_t frame = -30; frame < FRAMES; frame++) {
            sway(&s, frame, true);
            double seconds = mesh_seconds(&s);
            if (frame >= 0) {
                least[frame] = seconds < least[frame] ? seconds : least[frame];
            }
        }
        hem_step_report report;
        hem_scene_get_report(s.scene, &report);
        contacts = report.contact_count;
        free(s.block);
    }
    if (!good) {
        proof_unmeasured(p, "0.3 ms", "the scene could not be made", "a skinned body");
        return;
    }
    qsort(least, FRAMES, sizeof(least[0]), compare);
    proof_at_most(p, 0.3, 1e3 * least[FRAMES / 2], "ms", "%u skinned triangles, refit and queried by %u particles",
                  body.info.triangle_count, robe.count);
    proof_at_least(p, 200, contacts, "", "of those, particles that touch it in the last frame");
    forget_mesh(&body);
    forget_cloth(&robe);
}

// A sheet of 1406 particles lies on a terrain of more and more triangles, of the same size each or ever smaller (then more
// and more are within a thickness): the time per particle by the logarithm.
static void prove_growth(proof* p, bool wider, bool field) {
    static const uint32_t SIDE[] = {71, 224, 708}; // 10 k, 100 k and 1 M triangles
    double micros[3] = {0, 0, 0}, counts[3] = {0, 0, 0};
    made_cloth sheet;
    bool good = make_cloth(38, 37, 1.2f, 1.2f, false, 0, &sheet);
    for (int32_t n = 0; good && n < 3; n++) {
        made_mesh hills;
        double least[FRAMES];
        const float size = wider ? 2.0f * (float)SIDE[n] / (float)SIDE[0] : 2.0f;
        good = field ? make_field(SIDE[n], size, &hills) : make_hills(SIDE[n], size, &hills);
        for (int32_t i = 0; i < FRAMES; i++) {
            least[i] = 1e9;
        }
        for (int32_t run = 0; good && run < 3; run++) {
            stage s;
            good = open_stage(&sheet, &hills, 0.005f, &s);
            if (!good) {
                break;
            }
            place_mesh(&s, field ? -0.5f * size : 0.0f, -0.12f, field ? -0.5f * size : 0.0f);
            for (int32_t frame = -30; frame < FRAMES; frame++) {
                double seconds = mesh_seconds(&s);
                if (frame >= 0) {
                    least[frame] = seconds < least[frame] ? seconds : least[frame];
                }
            }
            free(s.block);
        }
        qsort(least, FRAMES, sizeof(least[0]), compare);
        micros[n] = good ? 1e6 * least[FRAMES / 2] / sheet.count : 0;
        counts[n] = good ? hills.info.triangle_count : 0;
        if (good) {
            forget_mesh(&hills);
        }
    }
    if (!good) {
        proof_unmeasured(p, "the logarithm", "the scene could not be made", "growth with the triangles");
        return;
    }
    for (int32_t n = 1; n < 3; n++) {
        double by_log = log(counts[n]) / log(counts[0]);
        proof_at_most(p, by_log, micros[n] / micros[0], "times",
                      "time per particle at %.0f k triangles over that at %.0f k (%.3f us), %s%s", counts[n] * 1e-3,
                      counts[0] * 1e-3, micros[0], field ? "a height field, " : "", wider ? "wider" : "finer");
    }
    forget_cloth(&sheet);
}

// A sheet thrown at the ball at 20 m/s: no particle inside, ever.
static void prove_speed(proof* p) {
    made_cloth sheet;
    made_mesh ball;
    stage s;
    double deepest = 0;
    bool good = make_cloth(20, 20, 0.8f, 0.8f, false, 0, &sheet) &&
                make_round(60, 60, 1.0f, ball_radius, false, &ball) && open_stage(&sheet, &ball, 0.005f, &s);
    if (!good) {
        proof_unmeasured(p, "0 mm", "the scene could not be made", "speed");
        return;
    }
    for (int32_t frame = 0; frame < 90; frame++) {
        // The ball comes up at 20 m/s, stops, and falls back.
        float y = frame < 10   ? -3.5f + 0.3333f * (float)frame
                  : frame < 60 ? -0.5f
                               : -0.5f - 0.3333f * (float)(frame - 60);
        place_mesh(&s, 0.0f, y, 0.0f);
        mesh_seconds(&s);
        for (uint32_t i = 0; i < 400; i++) {
            hem_particle q;
            hem_instance_get_particles(s.scene, s.id, i, 1, &q);
            double x = (double)q.position[0], h = (double)(q.position[1] - y) - 0.5, z = (double)q.position[2];
            double depth = 0.499 - sqrt(x * x + h * h + z * z); // facets are up to 0.7 mm inside the sphere
            deepest = depth > deepest ? depth : deepest;
        }
    }
    proof_at_most(p, 0.0, 1e3 * deepest, "mm", "deepest particle of a sheet that a ball meets at 20 m/s");
    free(s.block);
    forget_mesh(&ball);
    forget_cloth(&sheet);
}

void prove_meshes(proof* p) {
    if (proof_wants(p, "body")) {
        prove_body(p);
    }
    if (proof_wants(p, "growth")) {
        prove_growth(p, true, false);
        prove_growth(p, false, false);
    }
    if (proof_wants(p, "field")) {
        prove_growth(p, true, true);
        prove_growth(p, false, true);
    }
    if (proof_wants(p, "speed")) {
        prove_speed(p);
    }
    if (proof_wants(p, "faces")) {
        prove_faces(p);
    }
    if (proof_wants(p, "box")) {
        prove_box(p);
    }
    if (proof_wants(p, "virtual")) {
        prove_virtual(p);
    }
}
