// SPDX-License-Identifier: MIT
#include "compiler/import/import.h"

#include <math.h>
#include <string.h>

// Accessors of any layout to tight arrays: strides, offsets, integers, normalised integers, sparse substitutions.
//
// cgltf has readers of its own; they trust counts and take a call per element. These run only after check.c has
// proved that every byte they touch is inside its buffer view, and copy with memcpy, so alignment never matters.

uint32_t hemc_component_count(const cgltf_accessor* accessor) {
    switch (accessor->type) {
    case cgltf_type_scalar:
        return 1;
    case cgltf_type_vec2:
        return 2;
    case cgltf_type_vec3:
        return 3;
    case cgltf_type_vec4:
    case cgltf_type_mat2:
        return 4;
    case cgltf_type_mat3:
        return 9;
    case cgltf_type_mat4:
        return 16;
    default:
        return 0;
    }
}

size_t hemc_component_size(cgltf_component_type type) {
    switch (type) {
    case cgltf_component_type_r_8:
    case cgltf_component_type_r_8u:
        return 1;
    case cgltf_component_type_r_16:
    case cgltf_component_type_r_16u:
        return 2;
    case cgltf_component_type_r_32u:
    case cgltf_component_type_r_32f:
        return 4;
    default:
        return 0;
    }
}

const uint8_t* hemc_view_bytes(const cgltf_buffer_view* view, uint64_t* size) {
    if (view->data != NULL) { // decoded
        *size = (uint64_t)view->meshopt_compression.count * view->meshopt_compression.stride;
        return view->data;
    }
    if (view->buffer == NULL || view->buffer->data == NULL) {
        *size = 0;
        return NULL;
    }
    *size = view->size;
    return (const uint8_t*)view->buffer->data + view->offset;
}

static float read_component(const uint8_t* p, cgltf_component_type type, bool normalized) {
    switch (type) {
    case cgltf_component_type_r_8: {
        int8_t v;
        memcpy(&v, p, 1);
        return normalized ? fmaxf((float)v / 127.0f, -1.0f) : (float)v;
    }
    case cgltf_component_type_r_8u:
        return normalized ? (float)*p / 255.0f : (float)*p;
    case cgltf_component_type_r_16: {
        int16_t v;
        memcpy(&v, p, 2);
        return normalized ? fmaxf((float)v / 32767.0f, -1.0f) : (float)v;
    }
    case cgltf_component_type_r_16u: {
        uint16_t v;
        memcpy(&v, p, 2);
        return normalized ? (float)v / 65535.0f : (float)v;
    }
    case cgltf_component_type_r_32u: {
        uint32_t v;
        memcpy(&v, p, 4);
        return normalized ? (float)((double)v / 4294967295.0) : (float)v;
    }
    default: {
        float v;
        memcpy(&v, p, 4);
        return v;
    }
    }
}

static uint32_t read_index(const uint8_t* p, cgltf_component_type type) {
    uint16_t v16;
    uint32_t v32;
    switch (type) {
    case cgltf_component_type_r_8:
    case cgltf_component_type_r_8u:
        return *p;
    case cgltf_component_type_r_16:
    case cgltf_component_type_r_16u:
        memcpy(&v16, p, 2);
        return v16;
    case cgltf_component_type_r_32u:
        memcpy(&v32, p, 4);
        return v32;
    default:
        return 0;
    }
}

// One element, of which `to` is floats or unsigned integers.
static void read_element(const uint8_t* from, const cgltf_accessor* accessor, uint32_t components, bool floats,
                         void* to) {
    const size_t size = hemc_component_size(accessor->component_type);
    for (uint32_t c = 0; c < components; ++c) {
        if (floats) {
            ((float*)to)[c] = read_component(from + c * size, accessor->component_type, accessor->normalized != 0);
        } else {
            ((uint32_t*)to)[c] = read_index(from + c * size, accessor->component_type);
        }
    }
}

// Matrices of small integers pad each column to four bytes; nobody stores such, and the checks refuse them.
static void read_elements(const cgltf_accessor* accessor, bool floats, void* out) {
    const uint32_t components = hemc_component_count(accessor);
    const size_t element_size = components * sizeof(uint32_t); // and of floats
    uint64_t available;
    memset(out, 0, accessor->count * element_size);
    if (accessor->buffer_view != NULL) {
        const uint8_t* base = hemc_view_bytes(accessor->buffer_view, &available) + accessor->offset;
        for (size_t i = 0; i < accessor->count; ++i) {
            read_element(base + i * accessor->stride, accessor, components, floats, (uint8_t*)out + i * element_size);
        }
    }
    if (accessor->is_sparse) {
        const cgltf_accessor_sparse* sparse = &accessor->sparse;
        const uint8_t* at = hemc_view_bytes(sparse->indices_buffer_view, &available) + sparse->indices_byte_offset;
        const uint8_t* value = hemc_view_bytes(sparse->values_buffer_view, &available) + sparse->values_byte_offset;
        const size_t index_size = hemc_component_size(sparse->indices_component_type);
        const size_t value_size = components * hemc_component_size(accessor->component_type);
        for (size_t i = 0; i < sparse->count; ++i) {
            const size_t element = read_index(at + i * index_size, sparse->indices_component_type);
            read_element(value + i * value_size, accessor, components, floats, (uint8_t*)out + element * element_size);
        }
    }
}

void hemc_read_floats(hemc_source* source, const cgltf_accessor* accessor, float* out) {
    (void)source;
    read_elements(accessor, true, out);
}

void hemc_read_uints(hemc_source* source, const cgltf_accessor* accessor, uint32_t* out) {
    (void)source;
    read_elements(accessor, false, out);
}

// Exponent bits all set: infinity or NaN, whatever the compiler thinks of comparisons.
static bool not_finite(const uint8_t* p) {
    uint32_t bits;
    memcpy(&bits, p, 4);
    return (bits & 0x7f800000u) == 0x7f800000u;
}

bool hemc_accessor_is_finite(hemc_source* source, const cgltf_accessor* accessor, uint64_t* element) {
    (void)source;
    uint32_t components = hemc_component_count(accessor);
    if (accessor->component_type != cgltf_component_type_r_32f) {
        return true;
    }
    uint64_t available;
    if (accessor->buffer_view != NULL) {
        const uint8_t* base = hemc_view_bytes(accessor->buffer_view, &available) + accessor->offset;
        for (size_t i = 0; i < accessor->count; ++i) {
            for (uint32_t c = 0; c < components; ++c) {
                if (not_finite(base + i * accessor->stride + (size_t)c * 4)) {
                    *element = i;
                    return false;
                }
            }
        }
    }
    if (accessor->is_sparse) {
        const cgltf_accessor_sparse* sparse = &accessor->sparse;
        const uint8_t* value = hemc_view_bytes(sparse->values_buffer_view, &available) + sparse->values_byte_offset;
        for (size_t i = 0; i < sparse->count * components; ++i) {
            if (not_finite(value + i * 4)) {
                *element = i / components;
                return false;
            }
        }
    }
    return true;
}
