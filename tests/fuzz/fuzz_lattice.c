// SPDX-License-Identifier: MIT
#include "formats/hem_lattice_text.h"
#include "formats/hem_point_cache.h"

#include <stdlib.h>
#include <string.h>

// Any bytes as a body file, as a particle animation and as a point cache. What is refused names a line that there is; what is taken comes back the
// same when it is written and read again. The arrays have room for exactly what the first reading counted.

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void demand(int condition) {
    if (!condition) {
        abort();
    }
}

static void check_fault(const char* text, size_t size, const hem_text_fault* fault) {
    uint32_t lines = 1;
    for (size_t i = 0; i < size; ++i) {
        lines += text[i] == '\n';
    }
    demand(fault->what != NULL && fault->line <= lines);
}

static void check_body(const char* text, size_t size) {
    hem_body_text body, again;
    hem_text_fault fault = {0, NULL};
    if (!hem_body_read(text, size, &body, NULL, &fault)) {
        check_fault(text, size, &fault);
        return;
    }
    const size_t bytes = body.particle_count * sizeof(int32_t[3]);
    int32_t(*a)[3] = malloc(bytes + 1), (*b)[3] = malloc(bytes + 1);
    demand(a != NULL && b != NULL && hem_body_read(text, size, &body, a, &fault));
    const size_t length = hem_body_write(&body, (const int32_t(*)[3])a, NULL);
    char* written = malloc(length + 1);
    demand(written != NULL && hem_body_write(&body, (const int32_t(*)[3])a, written) == length);
    demand(hem_body_read(written, length, &again, NULL, &fault) && again.particle_count == body.particle_count);
    demand(hem_body_read(written, length, &again, b, &fault) && memcmp(a, b, bytes) == 0);
    free(a);
    free(b);
    free(written);
}

typedef struct animation {
    hem_animation_text head;
    int32_t (*indices)[3];
    int32_t* frames;
    float (*places)[3];
} animation;

static void take(const char* text, size_t size, animation* a) {
    hem_text_fault fault = {0, NULL};
    a->indices = malloc(a->head.particle_count * sizeof(int32_t[3]) + 1);
    a->frames = malloc(a->head.frame_count * sizeof(int32_t) + 1);
    a->places = malloc((size_t)a->head.frame_count * a->head.particle_count * sizeof(float[3]) + 1);
    demand(a->indices != NULL && a->frames != NULL && a->places != NULL);
    demand(hem_animation_read(text, size, &a->head, a->indices, a->frames, a->places, &fault));
}

static void give_back(animation* a) {
    free(a->indices);
    free(a->frames);
    free(a->places);
}

static void check_animation(const char* text, size_t size) {
    animation a, b;
    hem_text_fault fault = {0, NULL};
    if (!hem_animation_read(text, size, &a.head, NULL, NULL, NULL, &fault)) {
        check_fault(text, size, &fault);
        return;
    }
    take(text, size, &a);
    const int32_t(*indices)[3] = (const int32_t(*)[3])a.indices;
    const float(*places)[3] = (const float(*)[3])a.places;
    const size_t length = hem_animation_write(&a.head, indices, a.frames, places, NULL);
    char* written = malloc(length + 1);
    demand(written != NULL && hem_animation_write(&a.head, indices, a.frames, places, written) == length);
    demand(hem_animation_read(written, length, &b.head, NULL, NULL, NULL, &fault));
    demand(a.head.particle_count == b.head.particle_count && a.head.frame_count == b.head.frame_count);
    take(written, length, &b);
    demand(memcmp(a.indices, b.indices, a.head.particle_count * sizeof(int32_t[3])) == 0);
    demand(memcmp(a.frames, b.frames, a.head.frame_count * sizeof(int32_t)) == 0);
    const size_t floats = (size_t)a.head.frame_count * a.head.particle_count * 3;
    for (size_t i = 0; i < floats; ++i) {
        demand(a.places[i / 3][i % 3] == b.places[i / 3][i % 3]);
    }
    give_back(&a);
    give_back(&b);
    free(written);
}

// Of a point cache every place can be read, and is a number.
static void check_cache(const uint8_t* data, size_t size) {
    hem_point_cache cache;
    hem_cache_fault fault = {0};
    if (!hem_point_cache_open(data, size, &cache, &fault)) {
        demand(fault.what != NULL);
        return;
    }
    for (uint32_t s = 0; s < cache.sample_count; ++s) {
        for (uint32_t i = 0; i < cache.point_count; ++i) {
            float x[3];
            hem_point_cache_place(&cache, s, i, x);
            demand(x[0] - x[0] == 0 && x[1] - x[1] == 0 && x[2] - x[2] == 0);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    check_cache(data, size);
    check_body((const char*)data, size);
    check_animation((const char*)data, size);
    return 0;
}
