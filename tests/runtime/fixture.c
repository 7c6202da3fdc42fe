// SPDX-License-Identifier: MIT
#include "tests/runtime/fixture.h"

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
    hem_slot_def slot = {&w->asset, count};
    def.slots = &slot;
    def.slot_count = 1;
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
