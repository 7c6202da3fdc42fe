// SPDX-License-Identifier: MIT
#include "tools/prove_fabrics.h"
#include "tools/drawing.h"
#include "tools/player.h"
#include "tools/png.h"
#include "compiler/hemc.h"
#include "platform/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The scenes of "Position Based Dynamics for Character Effects" (Nicolau 2016), what a frame of them costs here beside what it
// cost there. Hair is simulated through guides, as games have it, and every strand is made and drawn from those. With
// HEM_PICTURES=FOLDER in the environment each head is drawn there.

enum { FRAMES = 120, NEAREST = 3, LONGEST = 100 };

static const float HEAD = 0.1f; // metres, its radius
static const float SEAM = 0.006f;

typedef struct crop { // hair of one length
    uint32_t strands, guides, points;
    float length;         // metres
    uint32_t first_guide; // among all guides
    uint32_t first;       // particle of the first guide
} crop;

typedef struct wig {
    crop crops[2];
    uint32_t crop_count, particle_count, guide_count, point_count;
    float (*positions)[3]; // of guides, at rest
    uint32_t* slot;        // of each of those: its particle in the asset
    float (*now)[3];
    float (*strand)[3]; // all points of all strands
    uint32_t (*nearest)[NEAREST];
    float (*share)[NEAREST];
    float (*root)[3]; // of strands at rest
    uint8_t* bytes;
    void* block;
    hem_asset asset;
    hem_scene* scene;
    hem_instance_id id;
} wig;

// Point n of so many, evenly over the scalp: all of the head but the face and what lies below the ears.
static void scalp(uint32_t n, uint32_t count, float out[3]) {
    const float golden = 2.39996323f, low = -0.15f;
    const float y = 1.0f - (1.0f - low) * ((float)n + 0.5f) / (float)count, r = sqrtf(1.0f - y * y);
    float a = golden * (float)n;
    // The face is free below the hair line: those roots go to the sides.
    a = fmodf(a, 6.2831853f) - 3.1415927f;
    const float face = y < 0.55f ? 0.9f : 0.0f;
    a = (a < 0 ? -1.0f : 1.0f) * (face + fabsf(a) * (3.1415927f - face) / 3.1415927f);
    out[0] = HEAD * r * sinf(a);
    out[1] = HEAD * y;
    out[2] = HEAD * r * cosf(a);
}

// Out of the skin, then over to hanging, along the head where that is in the way.
static void grow(const float root[3], uint32_t points, float length, float (*out)[3]) {
    const float segment = length / (float)(points - 1);
    memcpy(out[0], root, sizeof(out[0]));
    for (uint32_t k = 1; k < points; k++) {
        const float down = fminf(1.0f, 3.0f * segment * (float)k / HEAD);
        // What grows in front is combed to the sides, until it is beside the face.
        const float front = out[k - 1][2] > 0.2f * HEAD ? 1.5f : 0.0f;
        float d[3], size = 0;
        for (int c = 0; c < 3; c++) {
            d[c] = (1.0f - down) * root[c] / HEAD - (c == 1 ? down : 0.0f);
            d[c] += c == 0 ? (root[0] < 0 ? -front : front) : c == 2 ? -0.5f * front : 0.0f;
            size += d[c] * d[c];
        }
        float far = 0;
        for (int c = 0; c < 3; c++) {
            out[k][c] = out[k - 1][c] + d[c] * segment / sqrtf(fmaxf(size, 1e-6f));
            far += out[k][c] * out[k][c];
        }
        const float least = HEAD + SEAM, outward = far < least * least ? least / sqrtf(fmaxf(far, 1e-9f)) : 1.0f;
        for (int c = 0; c < 3; c++) {
            out[k][c] *= outward;
        }
    }
}

static bool take_room(wig* w) {
    for (uint32_t i = 0; i < w->crop_count; i++) {
        crop* c = &w->crops[i];
        c->first = w->particle_count;
        c->first_guide = w->guide_count;
        w->particle_count += c->guides * c->points;
        w->guide_count += c->guides;
        w->point_count += c->strands * c->points;
    }
    const size_t n = w->particle_count, strands = w->crops[0].strands + w->crops[1].strands;
    w->positions = malloc(n * sizeof(*w->positions));
    w->now = malloc(n * sizeof(*w->now));
    w->slot = calloc(n, sizeof(*w->slot));
    w->strand = malloc(w->point_count * sizeof(*w->strand));
    w->nearest = malloc(strands * sizeof(*w->nearest));
    w->share = malloc(strands * sizeof(*w->share));
    w->root = malloc(strands * sizeof(*w->root));
    return w->positions && w->now && w->slot && w->strand && w->nearest && w->share && w->root;
}

// Each strand goes with the three guides whose roots are nearest, in shares that are the same from root to tip.
static void bind_strands(wig* w) {
    for (uint32_t i = 0, strand = 0; i < w->crop_count; i++) {
        const crop* c = &w->crops[i];
        for (uint32_t s = 0; s < c->strands; s++, strand++) {
            float best[NEAREST] = {1e9f, 1e9f, 1e9f}, sum = 0;
            scalp(s, c->strands, w->root[strand]);
            for (uint32_t g = 0; g < c->guides; g++) {
                const float* root = w->positions[c->first + g * c->points];
                float d = 1e-9f;
                for (int k = 0; k < 3; k++) {
                    d += (root[k] - w->root[strand][k]) * (root[k] - w->root[strand][k]);
                }
                uint32_t guide = g;
                for (int k = 0; k < NEAREST; k++) {
                    if (d < best[k]) {
                        const float kept = best[k];
                        const uint32_t other = w->nearest[strand][k];
                        best[k] = d;
                        w->nearest[strand][k] = guide;
                        d = kept;
                        guide = other;
                    }
                }
            }
            for (int k = 0; k < NEAREST; k++) {
                sum += 1.0f / best[k];
            }
            for (int k = 0; k < NEAREST; k++) {
                w->share[strand][k] = 1.0f / (best[k] * sum);
            }
        }
    }
}

static float (*sorted_by)[3];

static int by_place(const void* a, const void* b) {
    return memcmp(sorted_by[*(const uint32_t*)a], sorted_by[*(const uint32_t*)b], sizeof(*sorted_by));
}

// Who sits where is seen from where it lies.
static bool find_slots(wig* w, const hem_view* view) {
    const uint32_t slots = view->info->row_count * 8;
    float(*rest)[3] = calloc(slots, sizeof(*rest));
    uint32_t* own = malloc(w->particle_count * sizeof(*own));
    uint32_t* other = malloc(slots * sizeof(*other));
    uint32_t count = 0;
    bool good = rest != NULL && own != NULL && other != NULL;
    for (uint32_t i = 0; good && i < slots; i++) {
        const hem_rest_row* r = &view->rest_rows[i / 8];
        const float at[3] = {r->x[i % 8], r->y[i % 8], r->z[i % 8]};
        memcpy(rest[i], at, sizeof(at));
        if (!(view->particle_flags[i] & HEM_PARTICLE_PAD)) {
            other[count++] = i;
        }
    }
    good = good && count == w->particle_count;
    if (good) {
        for (uint32_t i = 0; i < w->particle_count; i++) {
            own[i] = i;
        }
        sorted_by = w->positions;
        qsort(own, w->particle_count, sizeof(*own), by_place);
        sorted_by = rest;
        qsort(other, count, sizeof(*other), by_place);
        for (uint32_t i = 0; i < count; i++) {
            w->slot[own[i]] = other[i];
        }
    }
    free(rest);
    free(own);
    free(other);
    return good;
}

static uint8_t* compile_guides(wig* w, size_t* size) {
    const uint32_t n = w->particle_count;
    float* mass = malloc(n * sizeof(*mass));
    uint8_t* held = calloc(n, 1);
    int32_t* level = malloc(2 * (size_t)n * sizeof(*level));
    uint32_t* members = malloc((size_t)n * sizeof(*members));
    uint32_t* starts = calloc((size_t)w->guide_count + 1, sizeof(*starts));
    hemc_bare_link* links = calloc(n, sizeof(*links));
    uint8_t* packed = NULL;
    size_t link_count = 0;
    if (mass && held && level && members && starts && links) {
        for (uint32_t i = 0, at = 0, guide = 0; i < w->crop_count; i++) {
            const crop* c = &w->crops[i];
            for (uint32_t g = 0; g < c->guides; g++) {
                for (uint32_t k = 0; k < c->points; k++, at++) {
                    mass[at] = 2e-5f;
                    held[at] = k < 2;
                    level[at] = (int32_t)k;
                    level[n + at] = (int32_t)guide;
                    members[at] = at;
                    if (k > 0) {
                        links[link_count++] = (hemc_bare_link){.a = at - 1, .b = at, .kind = HEM_LINK_WARP};
                    }
                }
                starts[++guide] = at;
            }
        }
        const hemc_bare_rods rods = {.strand_count = w->guide_count,
                                     .starts = starts,
                                     .members = members,
                                     .bend = 2e-8f,
                                     .twist = 0.7f,
                                     .taper = 0.5f,
                                     .sag_free = false};
        const hemc_bare_part part = {
            .kind = HEM_PART_SOFT, .particle_count = n, .radius = 0.002f, .collision_group = 1};
        hemc_bare_mesh mesh;
        memset(&mesh, 0, sizeof(mesh));
        mesh.particle_count = n;
        mesh.positions = (const float(*)[3])w->positions;
        mesh.animated = held;
        mesh.mass = mass;
        mesh.level = level;
        mesh.column = level + n;
        mesh.links = links;
        mesh.link_count = link_count;
        mesh.radius = 0.002f;
        mesh.parts = &part;
        mesh.part_count = 1;
        mesh.rods = &rods;
        mesh.damping = 2.0f;
        mesh.friction = 0.2f;
        packed = hemc_compile_bare(&mesh, &packed, size) == 0 ? packed : NULL;
    }
    free(mass);
    free(held);
    free(level);
    free(members);
    free(starts);
    free(links);
    return packed;
}

static bool open_wig(wig* w) {
    if (!take_room(w)) {
        return false;
    }
    for (uint32_t i = 0; i < w->crop_count; i++) {
        const crop* c = &w->crops[i];
        for (uint32_t g = 0; g < c->guides; g++) {
            float root[3];
            scalp(g, c->guides, root);
            grow(root, c->points, c->length, w->positions + c->first + g * c->points);
        }
    }
    bind_strands(w);
    size_t size = 0;
    hem_view view;
    w->bytes = compile_guides(w, &size);
    if (w->bytes == NULL || hem_validate(w->bytes, size, &view, NULL) != HEM_FORMAT_OK ||
        hem_asset_open(&w->asset, w->bytes, size) != HEM_OK || !find_slots(w, &view)) {
        return false;
    }
    hem_slot_def slot = {&w->asset, 1};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    hem_memory need = {0, 64};
    if (hem_scene_measure(&def, &need) != HEM_OK || (w->block = malloc(need.size + need.align)) == NULL) {
        return false;
    }
    void* aligned = (void*)(((uintptr_t)w->block + need.align - 1) & ~(uintptr_t)(need.align - 1));
    hem_instance_def instance = hem_instance_def_default();
    instance.asset = &w->asset;
    if (hem_scene_init(&w->scene, &def, aligned, need.size) != HEM_OK ||
        hem_scene_add(w->scene, &instance, &w->id) != HEM_OK) {
        return false;
    }
    hem_collider head = hem_collider_default();
    head.bone = 0;
    head.size[0] = HEAD;
    return hem_instance_set_colliders(w->scene, w->id, &head, 1) == HEM_OK;
}

static void close_wig(wig* w) {
    free(w->positions);
    free(w->now);
    free(w->slot);
    free(w->strand);
    free(w->nearest);
    free(w->share);
    free(w->root);
    free(w->block);
    hemc_free(w->bytes);
    memset(w, 0, sizeof(*w));
}

// Every point of every strand: its own root, and the way that its guides go from theirs.
static void make_strands(wig* w, float cosine, float sine) {
    static float way[LONGEST][3];
    float(*at)[3] = w->now;
    for (uint32_t i = 0; i < w->particle_count; i++) {
        hem_particle particle;
        hem_instance_get_particles(w->scene, w->id, w->slot[i], 1, &particle);
        memcpy(at[i], particle.position, sizeof(at[i]));
    }
    float(*out)[3] = w->strand;
    for (uint32_t i = 0, strand = 0; i < w->crop_count; i++) {
        const crop* c = &w->crops[i];
        for (uint32_t s = 0; s < c->strands; s++, strand++, out += c->points) {
            const float* r = w->root[strand];
            const float root[3] = {cosine * r[0] + sine * r[2], r[1], cosine * r[2] - sine * r[0]};
            memset(way, 0, sizeof(way));
            for (int n = 0; n < NEAREST; n++) {
                const float(*guide)[3] = (const float(*)[3])at + c->first + w->nearest[strand][n] * c->points;
                for (uint32_t k = 0; k < c->points; k++) {
                    for (int axis = 0; axis < 3; axis++) {
                        way[k][axis] += w->share[strand][n] * (guide[k][axis] - guide[0][axis]);
                    }
                }
            }
            for (uint32_t k = 0; k < c->points; k++) {
                for (int axis = 0; axis < 3; axis++) {
                    out[k][axis] = root[axis] + way[k][axis];
                }
            }
        }
    }
}

static void draw_wig(const wig* w, const char* name) {
    const char* folder = getenv("HEM_PICTURES");
    if (folder == NULL) {
        return;
    }
    drawing d = {0};
    const float middle[3] = {0, 0, 0};
    drawing_ball(&d, middle, HEAD, 0xd9b49cff);
    const float(*at)[3] = (const float(*)[3])w->strand;
    for (uint32_t i = 0, strand = 0; i < w->crop_count; i++) {
        const crop* c = &w->crops[i];
        for (uint32_t s = 0; s < c->strands; s++, strand++, at += c->points) {
            const uint32_t shade = strand * 2654435761u >> 27;
            const image_colour colour = (0x5a + shade) << 24 | (0x38 + shade) << 16 | (0x20 + shade / 2) << 8 | 0xff;
            drawing_strand(&d, at, (int32_t)c->points, 0.00025f, 0.0001f, 0.35f, colour, colour);
        }
    }
    render_scene scene = render_scene_default();
    drawing_fill(&d, &scene);
    scene.stage.ground = false;
    float low[3], high[3];
    render_box_empty(low, high);
    render_box_add(low, high, w->strand[0], (int32_t)w->point_count, 12);
    const float along[3] = {-0.45f, -0.15f, -1.0f};
    const render_camera camera = render_camera_frame(low, high, along, 3.2f, 0.05f, 560, 640);
    image im = render_image(&scene, &camera, 560, 640);
    char path[1024];
    hem_file_error error;
    snprintf(path, sizeof(path), "%s/%s.png", folder, name);
    if (im.pixels != NULL) {
        png_write(path, &im, &error);
    }
    image_destroy(&im);
    drawing_destroy(&d);
}

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static void report(proof* p, const char* what, double then, double* frames, int32_t count, const char* how) {
    char aimed[64], reached[128];
    qsort(frames, (size_t)count, sizeof(*frames), compare);
    snprintf(aimed, sizeof(aimed), "%.0f s a frame in 2016", then);
    snprintf(reached, sizeof(reached), "%.2f ms (%s)", 1e3 * frames[count / 2], how);
    proof_add(p, count > 0 && frames[count / 2] < then, aimed, reached, "%s", what);
}

static void prove_wig(proof* p, const char* name, const char* file, double then, const crop* crops, uint32_t count,
                      bool turning) {
    static double frames[FRAMES];
    wig w;
    memset(&w, 0, sizeof(w));
    memcpy(w.crops, crops, count * sizeof(*crops));
    w.crop_count = count;
    if (!open_wig(&w)) {
        proof_unmeasured(p, "hair", "the guides do not compile", "%s", name);
        close_wig(&w);
        return;
    }
    const hem_step_args args = {.dt_seconds = 1.0f / 60.0f};
    double simulated = 0;
    for (int32_t i = 0; i < FRAMES; i++) {
        const float a = turning ? 1.2f * sinf(0.05f * (float)i) : 0.0f, c = cosf(a), s = sinf(a);
        const float pose[12] = {c, 0, s, 0, 0, 1, 0, 0, -s, 0, c, 0};
        const double begin = hem_clock_seconds();
        hem_instance_set_pose(w.scene, w.id, pose, 1, 0);
        hem_scene_step(w.scene, &args);
        const double middle = hem_clock_seconds();
        make_strands(&w, c, s);
        frames[i] = hem_clock_seconds() - begin;
        simulated += (middle - begin) / FRAMES;
    }
    draw_wig(&w, file);
    char how[96];
    snprintf(how, sizeof(how), "%u points drawn from %u particles, those %.2f ms", w.point_count, w.particle_count,
             1e3 * simulated);
    report(p, name, then, frames, FRAMES, how);
    close_wig(&w);
}

// Friction stops what was dropped: how far its middle creeps in a second, three seconds after its fall.
static void prove_rest(proof* p, const char* name, player* run) {
    player_frame frame, later;
    for (int32_t i = 0; i < 180; i++) {
        if (player_step(run, i == 179, &frame) != 0) {
            return;
        }
    }
    for (int32_t i = 0; i < 60; i++) {
        if (player_step(run, i == 59, &later) != 0) {
            return;
        }
    }
    const double x = (double)(later.stats.center_of_mass[0] - frame.stats.center_of_mass[0]);
    const double z = (double)(later.stats.center_of_mass[2] - frame.stats.center_of_mass[2]);
    proof_at_most(p, 1.0, 1000.0 * hypot(x, z), "mm/s", "%s: slides after it has come to lie", name);
}

static void prove_sample(proof* p, const char* name, const char* clip, double then, bool dropped) {
    static double frames[FRAMES];
    asset a;
    if (!proof_sample(p, name, &a)) {
        return;
    }
    player_setup setup = player_setup_default(&a);
    for (uint32_t i = 0; clip != NULL && i < a.view.clip_count; i++) {
        setup.clip = strcmp(asset_text(&a, a.view.clips[i].name_offset), clip) == 0 ? (int32_t)i : setup.clip;
    }
    setup.features &= ~(uint32_t)HEM_FEATURE_SLEEP;
    setup.settle_seconds = 0;
    player run;
    int32_t count = 0;
    if (player_begin(&run, &setup) == 0) {
        player_frame frame;
        while (count < FRAMES && player_step(&run, false, &frame) == 0) {
            frames[count++] = 1e-6 * (double)(frame.step_us + frame.skin_us);
        }
        if (dropped) {
            prove_rest(p, name, &run);
        }
        player_end(&run);
    }
    char how[96];
    snprintf(how, sizeof(how), "%u particles, %u vertices", a.view.info->particle_count, a.view.info->vertex_count);
    report(p, name, then, frames, count, how);
    asset_unload(&a);
}

void prove_fabrics_scenes(proof* p) {
    const crop cropped = {.strands = 7000, .guides = 256, .points = 40, .length = 0.10f};
    const crop longer[2] = {{.strands = 5000, .guides = 256, .points = 100, .length = 0.42f},
                            {.strands = 2000, .guides = 96, .points = 40, .length = 0.10f}};
    if (proof_wants(p, "scenes hair")) {
        prove_wig(p, "short hair, 7000 x 40", "hair_short", 42, &cropped, 1, false);
        prove_wig(p, "long hair, 5000 x 100 and 2000 x 40", "hair_long", 49, longer, 2, false);
        prove_wig(p, "the same on a turning head", "hair_turning", 47, longer, 2, true);
    }
    static const struct {
        const char *name, *clip;
        double then;
    } samples[] = {{"held_sheet_free", NULL, 9}, {"held_sheet", NULL, 7}, {"held_sheet_half", NULL, 9},
                   {"cape_girl", "walk", 30},    {"duck", NULL, 30},      {"octopus_dropped", NULL, 21},
                   {"octopus_on_ball", NULL, 24}};
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        char group[64];
        snprintf(group, sizeof(group), "scenes %s", samples[i].name);
        if (proof_wants(p, group)) {
            prove_sample(p, samples[i].name, samples[i].clip, samples[i].then, i >= 4);
        }
    }
}
