// SPDX-License-Identifier: MIT
#include <meshoptimizer.h>

// meshoptimizer is a library of the machine that builds, and there is none for machines that are only emulated. Its
// decoders serve glTF files with EXT_meshopt_compression; the samples have none. Here every such file is damaged.

int meshopt_decodeVertexBuffer(void* destination, size_t vertex_count, size_t vertex_size, const unsigned char* buffer,
                               size_t buffer_size) {
    (void)destination, (void)vertex_count, (void)vertex_size, (void)buffer, (void)buffer_size;
    return -1;
}

int meshopt_decodeIndexBuffer(void* destination, size_t index_count, size_t index_size, const unsigned char* buffer,
                              size_t buffer_size) {
    (void)destination, (void)index_count, (void)index_size, (void)buffer, (void)buffer_size;
    return -1;
}

int meshopt_decodeIndexSequence(void* destination, size_t index_count, size_t index_size, const unsigned char* buffer,
                                size_t buffer_size) {
    (void)destination, (void)index_count, (void)index_size, (void)buffer, (void)buffer_size;
    return -1;
}

void meshopt_decodeFilterOct(void* buffer, size_t count, size_t stride) {
    (void)buffer, (void)count, (void)stride;
}

void meshopt_decodeFilterQuat(void* buffer, size_t count, size_t stride) {
    (void)buffer, (void)count, (void)stride;
}

void meshopt_decodeFilterExp(void* buffer, size_t count, size_t stride) {
    (void)buffer, (void)count, (void)stride;
}
