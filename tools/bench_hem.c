// SPDX-License-Identifier: MIT
#include "tools/bench_private.h"
#include "formats/hem_validate.h"
#include "hem/hem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Hem as a contestant: one scene, one block, every sheet an instance. A frame is what a game would do in it: colliders
// in, one step.

typedef struct hem_side {
    bench_world world;
    uint8_t* bytes;
    size_t bytes_size;
    hem_asset asset;
    hem_asset_info info;
    float lane_fill;
    void* block;
    size_t block_size;
    hem_scene* scene;
    hem_instance_id* ids;
    int32_t* places; // particle -> index in the sheet, -1 for pads
    hem_particle* particles;
    hem_collider colliders[BENCH_CAPSULES];
} hem_side;

static void hem_destroy(void* self) {
    hem_side* h = self;
    if (h != NULL) {
        hemc_free(h->bytes);
        free(h->block);
        free(h->ids);
        free(h->places);
        free(h->particles);
        free(h);
    }
}

static void* align_block(void* block, size_t align) {
    return (void*)(((uintptr_t)block + align - 1) & ~(uintptr_t)(align - 1));
}

static hem_result make_scene(hem_side* h) {
    hem_slot_def slot = {&h->asset, (uint32_t)h->world.instance_count};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    def.collider_capacity = (uint32_t)bench_capsule_count(h->world.variant);
    hem_memory need;
    hem_result result = hem_scene_measure(&def, &need);
    if (result != HEM_OK) {
        return result;
    }
    h->block_size = need.size;
    h->block = malloc(need.size + need.align);
    h->ids = malloc((size_t)h->world.instance_count * sizeof(*h->ids));
    if (h->block == NULL || h->ids == NULL) {
        return HEM_ERROR_MEMORY;
    }
    result = hem_scene_init(&h->scene, &def, align_block(h->block, need.align), need.size);
    for (int32_t i = 0; result == HEM_OK && i < h->world.instance_count; i++) {
        float origin[3];
        bench_origin(i, origin);
        hem_instance_def instance = hem_instance_def_default();
        instance.asset = &h->asset;
        for (int32_t k = 0; k < 3; k++) {
            instance.root.position[k] = (double)origin[k];
        }
        result = hem_scene_add(h->scene, &instance, &h->ids[i]);
        if (result == HEM_OK) {
            // A sheet that sleeps costs nothing; here every frame is to be paid for.
            result = hem_instance_set_features(h->scene, h->ids[i], HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
        }
    }
    return result;
}

// The compiler has put the particles where it likes; at rest their positions tell who they are.
static bool find_places(hem_side* h) {
    const bench_sheet* s = h->world.sheet;
    h->places = malloc(h->info.particle_count * sizeof(*h->places));
    h->particles = malloc(h->info.particle_count * sizeof(*h->particles));
    if (h->places == NULL || h->particles == NULL ||
        hem_instance_get_particles(h->scene, h->ids[0], 0, h->info.particle_count, h->particles) != HEM_OK) {
        return false;
    }
    int32_t found = 0;
    for (uint32_t i = 0; i < h->info.particle_count; i++) {
        const hem_particle* p = &h->particles[i];
        int32_t x = (int32_t)floorf((p->position[0] + 1.0f) * 0.5f * (float)(s->width - 1) + 0.5f);
        int32_t z = (int32_t)floorf(p->position[2] * 0.5f * (float)(s->height - 1) + 0.5f);
        bool real = (p->flags & HEM_PARTICLE_PAD) == 0;
        h->places[i] = real && x >= 0 && x < s->width && z >= 0 && z < s->height ? z * s->width + x : HEM_NONE;
        found += h->places[i] != HEM_NONE;
    }
    return found == s->count;
}

static void* hem_create(bench* b, const bench_world* world) {
    hem_side* h = calloc(1, sizeof(*h));
    if (h == NULL) {
        return NULL;
    }
    h->world = *world;
    const char* why = NULL;
    hem_view view;
    if (bench_sheet_compile(world->sheet, bench_is_self(world->variant), &h->bytes, &h->bytes_size) != 0) {
        why = "the sheet does not compile";
    } else if (hem_validate(h->bytes, h->bytes_size, &view, NULL) != HEM_FORMAT_OK ||
               hem_asset_open(&h->asset, h->bytes, h->bytes_size) != HEM_OK ||
               hem_asset_get_info(&h->asset, &h->info) != HEM_OK) {
        why = "the sheet does not open";
    } else {
        h->lane_fill = view.info->lane_fill;
        hem_result result = make_scene(h);
        why = result != HEM_OK ? hem_result_text(result) : !find_places(h) ? "particles got lost" : NULL;
    }
    if (why != NULL) {
        bench_note(b, "hem, %d particles: %s", (int)world->sheet->count, why);
        hem_destroy(h);
        return NULL;
    }
    for (int32_t i = 0; i < BENCH_CAPSULES; i++) {
        hem_collider* c = &h->colliders[i];
        *c = hem_collider_default();
        c->kind = HEM_COLLIDER_CAPSULE;
        c->bone = -1;
        c->friction = BENCH_FRICTION;
        c->mask = ~0u;
    }
    return h;
}

static void hem_step(void* self, const bench_capsule* capsules) {
    hem_side* h = self;
    const int32_t count = bench_capsule_count(h->world.variant);
    if (capsules != NULL) {
        for (int32_t i = 0; i < h->world.instance_count; i++) {
            float origin[3];
            bench_origin(i, origin);
            for (int32_t k = 0; k < count; k++) {
                hem_collider* c = &h->colliders[k];
                for (int32_t axis = 0; axis < 3; axis++) {
                    c->position[axis] = (double)origin[axis] + (double)capsules[k].position[axis];
                }
                memcpy(c->rotation, capsules[k].rotation, sizeof(c->rotation));
                c->size[0] = c->size[1] = capsules[k].radius;
                c->size[2] = capsules[k].half;
            }
            hem_instance_set_colliders(h->scene, h->ids[i], h->colliders, (uint32_t)count);
        }
    }
    const hem_step_args args = {BENCH_DT, BENCH_SUBSTEPS};
    hem_scene_step(h->scene, &args);
}

static void hem_read(void* self, int32_t instance, float (*positions)[3]) {
    hem_side* h = self;
    hem_instance_get_particles(h->scene, h->ids[instance], 0, h->info.particle_count, h->particles);
    for (uint32_t i = 0; i < h->info.particle_count; i++) {
        if (h->places[i] != HEM_NONE) {
            memcpy(positions[h->places[i]], h->particles[i].position, sizeof(positions[0]));
        }
    }
}

static void hem_describe(void* self, bench_result* result) {
    const hem_side* h = self;
    double instances = (double)h->world.instance_count;
    double particles = (double)h->world.sheet->count * instances;
    result->bytes_per_particle = (double)(h->block_size + h->bytes_size) / particles;
    result->state_bytes_per_particle = (double)h->info.state_size * instances / particles;
    result->lane_fill = (double)h->lane_fill;
}

const bench_engine bench_engine_hem = {"hem", hem_create, hem_destroy, hem_step, hem_read, hem_describe};
