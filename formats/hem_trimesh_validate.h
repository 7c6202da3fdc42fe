// SPDX-License-Identifier: MIT
#ifndef HEM_TRIMESH_VALIDATE_H
#define HEM_TRIMESH_VALIDATE_H

// One pure validator for .hemmesh files, as hem_validate.h is for .hem: any bytes, any length, never reads out of bounds,
// and what it accepts the runtime may use without looking again. Freestanding, linear time, no memory.

#include "formats/hem_trimesh.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEM_TRIMESH_RESULTS(X)                                                                                         \
    X(HEM_TRIMESH_OK, 0, "the mesh is valid")                                                                          \
    X(HEM_TRIMESH_TOO_SHORT, 1, "the file is shorter than its header says; copy it again")                             \
    X(HEM_TRIMESH_BAD_MAGIC, 2, "not a .hemmesh file")                                                                 \
    X(HEM_TRIMESH_BAD_VERSION, 3, "made by another version of hemc; compile the mesh again")                           \
    X(HEM_TRIMESH_BAD_HEADER, 4, "the header contradicts itself")                                                      \
    X(HEM_TRIMESH_BAD_INDEX, 5, "an index points outside its array")                                                   \
    X(HEM_TRIMESH_BAD_VALUE, 6, "a number is not finite, out of its range or contradicts another")                     \
    X(HEM_TRIMESH_MISALIGNED, 7, "the bytes do not start on a 64-byte boundary")

typedef enum hem_trimesh_result {
#define HEM_TRIMESH_ENUM(name, value, text) name = value,
    HEM_TRIMESH_RESULTS(HEM_TRIMESH_ENUM)
#undef HEM_TRIMESH_ENUM
} hem_trimesh_result;

typedef struct hem_trimesh_fault_place {
    const char* array; // "header", "vertices", ...
    const char* field; // "normal", "gap", ...
    uint32_t element;
} hem_trimesh_fault_place;

// Checks everything and fills the view. The bytes must stay where they are while the view is used. fault may be NULL.
// The hash is not looked at.
hem_trimesh_result hem_trimesh_validate(const void* bytes, size_t size, hem_trimesh_view* view,
                                        hem_trimesh_fault_place* fault);
// The view of bytes that the runtime has just built itself.
void hem_trimesh_see(const void* bytes, hem_trimesh_view* view);
const char* hem_trimesh_result_text(hem_trimesh_result result);

#ifdef __cplusplus
}
#endif
#endif
