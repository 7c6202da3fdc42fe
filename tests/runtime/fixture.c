// SPDX-License-Identifier: MIT
#include "tests/runtime/fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void* read_asset(const char* name, size_t* size) {
    const char* folder = getenv("HEM_TEST_ASSETS");
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s.hem", folder ? folder : "build/test_assets", name);
    FILE* file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    fseek(file, 0, SEEK_SET);
    void* bytes = length > 0 ? aligned_alloc(64, ((size_t)length + 63) & ~(size_t)63) : NULL;
    if (bytes && fread(bytes, 1, (size_t)length, file) != (size_t)length) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    *size = (size_t)length;
    return bytes;
}

hem_kernel wanted_kernel(void) {
    const char* name = getenv("HEM_KERNEL");
    for (int k = HEM_KERNEL_SCALAR; name && k <= HEM_KERNEL_WASM; ++k) {
        if (strcmp(name, hem_kernel_name((hem_kernel)k)) == 0) {
            return (hem_kernel)k;
        }
    }
    return HEM_KERNEL_AUTO;
}

bool world_open(world* w, const char* name, const hem_scene_def* given, const hem_instance_def* instance,
                uint32_t count) {
    memset(w, 0, sizeof(*w));
    w->bytes = read_asset(name, &w->byte_count);
    if (!w->bytes || hem_asset_open(&w->asset, w->bytes, w->byte_count) != HEM_OK ||
        hem_validate(w->bytes, w->byte_count, &w->view, NULL) != HEM_FORMAT_OK) {
        fprintf(stderr, "%s: %s\n", name, w->bytes ? hem_asset_fault(&w->asset, NULL, NULL) : "no such test asset");
        return false;
    }
    hem_scene_def def = given ? *given : hem_scene_def_default();
    if (!given) { // room for whatever a test may say
        def.force_capacity = 16;
        def.tie_capacity = 4;
    }
    hem_slot_def slot = {&w->asset, count};
    def.slots = &slot;
    def.slot_count = 1;
    w->mesh_count = def.mesh_count;
    if (def.kernel == HEM_KERNEL_AUTO) {
        def.kernel = wanted_kernel();
    }
    hem_memory need;
    if (hem_scene_measure(&def, &need) != HEM_OK) {
        return false;
    }
    // Exactly as large as measured, so that the address sanitizer sees an overrun.
    w->block = aligned_alloc(need.align, need.size);
    w->block_size = need.size;
    if (!w->block || hem_scene_init(&w->scene, &def, w->block, need.size) != HEM_OK) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        hem_instance_def one = instance ? *instance : hem_instance_def_default();
        hem_instance_id id;
        one.asset = &w->asset;
        if (hem_scene_add(w->scene, &one, &id) != HEM_OK) {
            return false;
        }
        w->id = i == 0 ? id : w->id;
    }
    return true;
}

bool world_open_spoiled(world* w, const char* name, void (*spoil)(world* w)) {
    memset(w, 0, sizeof(*w));
    w->bytes = read_asset(name, &w->byte_count);
    if (!w->bytes || hem_validate(w->bytes, w->byte_count, &w->view, NULL) != HEM_FORMAT_OK) {
        return false;
    }
    spoil(w);
    hem_format_fault fault = {0};
    if (hem_validate(w->bytes, w->byte_count, &w->view, &fault) != HEM_FORMAT_OK ||
        hem_asset_open(&w->asset, w->bytes, w->byte_count) != HEM_OK) {
        fprintf(stderr, "%s of %s, element %u\n", fault.field, hem_section_name(fault.section), fault.element);
        return false;
    }
    hem_scene_def def = hem_scene_def_default();
    const hem_slot_def slot = {&w->asset, 1};
    def.slots = &slot;
    def.slot_count = 1;
    def.kernel = wanted_kernel();
    hem_memory need;
    if (hem_scene_measure(&def, &need) != HEM_OK) {
        return false;
    }
    w->block = aligned_alloc(need.align, need.size);
    w->block_size = need.size;
    hem_instance_def one = hem_instance_def_default();
    one.asset = &w->asset;
    return w->block && hem_scene_init(&w->scene, &def, w->block, need.size) == HEM_OK &&
           hem_scene_add(w->scene, &one, &w->id) == HEM_OK;
}

void world_close(world* w) {
    free(w->block);
    free(w->bytes);
    memset(w, 0, sizeof(*w));
}

void world_step(world* w, float dt, uint32_t substeps, int count) {
    hem_step_args args = {dt, substeps};
    for (int i = 0; i < count; ++i) {
        hem_scene_step(w->scene, &args);
    }
}

enum { MOST_PARTS = 64 };

hem_tuning world_tuning(const world* w) {
    hem_tuning tuning[MOST_PARTS];
    memset(tuning, 0, sizeof(tuning));
    hem_instance_get_tuning(w->scene, w->id, tuning, sizeof(tuning));
    return tuning[0];
}

bool world_tune(world* w, const hem_tuning* tuning) {
    hem_tuning all[MOST_PARTS];
    for (int p = 0; p < MOST_PARTS; ++p) {
        all[p] = *tuning;
    }
    return hem_instance_set_tuning(w->scene, w->id, all, w->view.info->part_count) == HEM_OK;
}

static void push_all(void* user, hem_instance_id id, const float* position, const float* velocity, float* acceleration,
                     uint32_t row_count) {
    const float* a = user;
    (void)id, (void)position, (void)velocity;
    for (uint32_t i = 0; i < row_count * 24; ++i) {
        acceleration[i] = a[i / 8 % 3];
    }
}

void world_throw(world* w, float h, float x, float y, float z) {
    float a[3] = {x / h, y / h, z / h};
    hem_scene_set_force_field(w->scene, push_all, a);
    world_step(w, h, 1, 1);
    hem_scene_set_force_field(w->scene, NULL, NULL);
}

typedef struct two {
    uint32_t a, b;
    float acceleration;
} two;

static void push_apart(void* user, hem_instance_id id, const float* position, const float* velocity,
                       float* acceleration, uint32_t row_count) {
    const two* t = user;
    (void)id, (void)position, (void)velocity, (void)row_count;
    acceleration[(t->a >> 3) * 24 + 8 + (t->a & 7)] = -t->acceleration;
    acceleration[(t->b >> 3) * 24 + 8 + (t->b & 7)] = t->acceleration;
}

void world_throw_apart(world* w, uint32_t a, uint32_t b, float h, float speed) {
    two t = {a, b, speed / h};
    hem_scene_set_force_field(w->scene, push_apart, &t);
    world_step(w, h, 1, 1);
    hem_scene_set_force_field(w->scene, NULL, NULL);
}

hem_particle particle_at(const world* w, uint32_t index) {
    hem_particle p;
    memset(&p, 0, sizeof(p));
    hem_instance_get_particles(w->scene, w->id, index, 1, &p);
    return p;
}

double mass_of(const world* w, uint32_t index) {
    return (double)w->view.rest_rows[index >> 3].mass[index & 7];
}

static bool is_simulated(const world* w, uint32_t index) {
    return !(w->view.particle_flags[index] & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED));
}

uint32_t nth_particle(const world* w, bool animated, uint32_t n) {
    for (uint32_t i = 0; i < w->view.info->particle_count; ++i) {
        uint32_t flags = w->view.particle_flags[i];
        if (!(flags & HEM_PARTICLE_PAD) && !!(flags & HEM_PARTICLE_ANIMATED) == animated && n-- == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

vec3d center_of_mass(const world* w) {
    vec3d c = {0, 0, 0};
    double total = 0;
    for (uint32_t i = 0; i < w->view.info->particle_count; ++i) {
        if (is_simulated(w, i)) {
            hem_particle p = particle_at(w, i);
            double m = mass_of(w, i);
            c.x += m * (double)p.position[0];
            c.y += m * (double)p.position[1];
            c.z += m * (double)p.position[2];
            total += m;
        }
    }
    c.x /= total;
    c.y /= total;
    c.z /= total;
    return c;
}

vec3d linear_momentum(const world* w) {
    vec3d l = {0, 0, 0};
    for (uint32_t i = 0; i < w->view.info->particle_count; ++i) {
        if (is_simulated(w, i)) {
            hem_particle p = particle_at(w, i);
            double m = mass_of(w, i);
            l.x += m * (double)p.velocity[0];
            l.y += m * (double)p.velocity[1];
            l.z += m * (double)p.velocity[2];
        }
    }
    return l;
}

vec3d angular_momentum(const world* w) {
    vec3d c = center_of_mass(w), l = {0, 0, 0};
    for (uint32_t i = 0; i < w->view.info->particle_count; ++i) {
        if (is_simulated(w, i)) {
            hem_particle p = particle_at(w, i);
            double m = mass_of(w, i);
            double x = (double)p.position[0] - c.x, y = (double)p.position[1] - c.y, z = (double)p.position[2] - c.z;
            double u = (double)p.velocity[0], v = (double)p.velocity[1], s = (double)p.velocity[2];
            l.x += m * (y * s - z * v);
            l.y += m * (z * u - x * s);
            l.z += m * (x * v - y * u);
        }
    }
    return l;
}

const hem_clip* find_clip(const world* w, const char* name) {
    for (uint32_t i = 0; i < w->view.clip_count; ++i) {
        if (strcmp(w->view.strings + w->view.clips[i].name_offset, name) == 0) {
            return &w->view.clips[i];
        }
    }
    return NULL;
}

void clip_pose(const world* w, const hem_clip* clip, double seconds, float* pose) {
    uint32_t bones = w->view.info->bone_count, last = clip->frame_count - 1;
    double at = seconds * (double)clip->hz;
    if (clip->flags & HEM_CLIP_LOOPS && last > 0) {
        at -= (double)last * (double)(int64_t)(at / last);
    }
    at = at < last ? at : last;
    uint32_t first = (uint32_t)at, second = first < last ? first + 1 : last;
    float share = (float)(at - first);
    const float* a = w->view.clip_frames[(clip->frame_begin + first) * bones];
    const float* b = w->view.clip_frames[(clip->frame_begin + second) * bones];
    for (uint32_t i = 0; i < bones * 12; ++i) {
        pose[i] = a[i] + share * (b[i] - a[i]);
    }
}

// -- Candidates

bool is_listed(const hem_view* view, uint32_t a, uint32_t b) {
    for (uint32_t i = view->ignore_starts[a]; i < view->ignore_starts[a + 1]; ++i) {
        if (view->ignore_list[i] == b) {
            return true;
        }
    }
    return false;
}

static bool parts_collide(const hem_view* v, uint32_t a, uint32_t b) {
    return (v->parts[a].collision_mask & v->parts[b].collision_group) != 0 &&
           (v->parts[b].collision_mask & v->parts[a].collision_group) != 0;
}

typedef struct ball {
    double center[3], way[3], radius; // way: half of it
} ball;

// The radius of cloth: half of its own thickness, or more where it meets other parts.
static double cloth_radius(const hem_view* v, uint32_t part) {
    const hem_tuning* t = &v->tuning[part];
    double radius = (double)t->self_thickness / 2;
    for (uint32_t other = 0; other < v->info->part_count; ++other) {
        if (other != part && v->parts[other].kind != HEM_PART_BODY && parts_collide(v, part, other)) {
            radius = fmax(radius, (double)t->contact_radius);
        }
    }
    return radius;
}

// What a particle is to a particle, or to a body, and what a body is to it.
static ball ball_of(const hem_view* v, const hem_particle* p, double dt, bool meets_body) {
    const hem_tuning* t = &v->tuning[p->part];
    const double a = (double)p->radii[0], b = (double)p->radii[1], c = (double)p->radii[2];
    const bool soft = v->parts[p->part].kind == HEM_PART_SOFT;
    ball out;
    double shift = 0;
    if (v->parts[p->part].kind != HEM_PART_BODY) {
        out.radius = meets_body ? (double)t->collision_thickness + (soft ? a : 0)
                                : (soft ? (a + b + c) / 3 : cloth_radius(v, p->part));
    } else if (p->flags & HEM_PARTICLE_SURFACE) {
        out.radius = (b * b + c * c) / (2 * a); // section 5.2
        shift = a - out.radius;
    } else {
        out.radius = fmax(a, fmax(b, c));
    }
    const double x = (double)p->rotation[0], y = (double)p->rotation[1], z = (double)p->rotation[2];
    const double w = (double)p->rotation[3];
    const double axis[3] = {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)};
    const bool moves = v->parts[p->part].kind != HEM_PART_BODY;
    for (int k = 0; k < 3; ++k) {
        out.way[k] = moves ? (double)p->velocity[k] * dt / 2 : 0;
        out.center[k] = (double)p->position[k] + axis[k] * shift + out.way[k];
    }
    return out;
}

// How far apart they stay, of how near they may come: less than 1 is a candidate.
static double nearness(const ball* i, const ball* j, double slack) {
    double d2 = 0, dot = 0, way2 = 0;
    for (int k = 0; k < 3; ++k) {
        const double d = j->center[k] - i->center[k], way = j->way[k] - i->way[k];
        d2 += d * d;
        dot += d * way;
        way2 += way * way;
    }
    const double t = way2 > 0 ? fmax(-1, fmin(1, -dot / way2)) : 0, keep = i->radius + j->radius;
    return sqrt(fmax(0, d2 + 2 * t * dot + t * t * way2)) / (keep + fmin(slack, 0.25 * keep) + 0.5 * sqrt(way2));
}

void count_candidates(const world* w, const hem_particle* p, double dt, uint32_t* surely, uint32_t* perhaps) {
    const hem_view* v = &w->view;
    const uint32_t n = v->info->particle_count;
    const double slack = 0.11 * (double)v->info->spacing;
    *surely = *perhaps = 0;
    for (uint32_t i = 0; i < n; ++i) {
        if ((p[i].flags & HEM_PARTICLE_PAD) || !(p[i].flags & HEM_PARTICLE_COLLIDES) ||
            v->parts[p[i].part].kind == HEM_PART_BODY) {
            continue;
        }
        const ball to_body = ball_of(v, &p[i], dt, true), to_particle = ball_of(v, &p[i], dt, false);
        for (uint32_t j = 0; j < n; ++j) {
            const bool body = v->parts[p[j].part].kind == HEM_PART_BODY;
            if ((p[j].flags & HEM_PARTICLE_PAD) || !parts_collide(v, p[i].part, p[j].part) ||
                (body ? !(p[i].inverse_mass > 0)
                      : j <= i || !(p[j].flags & HEM_PARTICLE_COLLIDES) ||
                            !(p[i].inverse_mass > 0 || p[j].inverse_mass > 0))) {
                continue;
            }
            const ball other = ball_of(v, &p[j], dt, false);
            const double near = nearness(body ? &to_body : &to_particle, &other, slack);
            if (near < 1.0001 && (body || p[i].part != p[j].part || !is_listed(v, i, j))) {
                *surely += near < 0.9999;
                ++*perhaps;
            }
        }
    }
}

int as_long_as(int whole, int brief) {
    return getenv("HEM_BRIEF") ? brief : whole;
}

bool is_sanitized(void) {
    return getenv("HEM_BRIEF") && !getenv("HEM_EMULATED");
}

hem_kernel reference_kernel(void) {
    return is_sanitized() ? wanted_kernel() : HEM_KERNEL_SCALAR;
}
