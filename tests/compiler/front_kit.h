// SPDX-License-Identifier: MIT
#ifndef FRONT_KIT_H
#define FRONT_KIT_H

// A small valid glTF, made in memory, to spoil and to compile: a sheet of 3 x 5 vertices skinned to two bones, under an
// armature scaled by 100 with its mesh in centimetres, and a rigid flag that hangs under the second bone. One clip.

#include "compiler/hemc_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KIT_COLUMNS = 3, KIT_LEVELS = 5, KIT_VERTICES = 15, KIT_TRIANGLES = 16, KIT_FLAG_VERTICES = 4, KIT_KEYS = 3 };

typedef struct kit_data { // the buffer, as it lies in the file
    float positions[KIT_VERTICES][3];
    float normals[KIT_VERTICES][3];
    float weights[KIT_VERTICES][4];
    float inverse_bind[2][16]; // column-major
    float turned_bind[2][16];  // as if Lower had been bound turned by 90 degrees; accessor 10, in no skin
    float times[KIT_KEYS];
    float rotations[KIT_KEYS][4];
    float pin[KIT_VERTICES];
    float flag[KIT_FLAG_VERTICES][3];
    uint16_t indices[KIT_TRIANGLES * 3];
    uint8_t joints[KIT_VERTICES][4];
} kit_data;

// `from` in the JSON is replaced by `to` (first occurrence; NULL = nothing). The result is a whole .gltf with its
// buffer embedded; *size without the closing zero. NULL when `from` does not occur.
char* kit_gltf(hemc_arena* arena, const kit_data* data, const char* from, const char* to, size_t* size);
char* kit_base64(hemc_arena* arena, const void* data, size_t size);
// The same as .glb.
uint8_t* kit_glb(hemc_arena* arena, const kit_data* data, const char* from, const char* to, size_t* size);
kit_data kit_good(void);

typedef struct kit {
    hemc_arena* arena;
    hemc_log log;
    hemc_model model;
} kit;

void kit_begin(kit* k);
void kit_end(kit* k);
bool kit_import_text(kit* k, const char* text);                                          // .gltf text
bool kit_import(kit* k, const kit_data* data, const char* from, const char* to);         // the small glTF
bool kit_log_has(const hemc_log* log, hemc_severity severity, const char* part_of_text); // in "path: text"
void kit_log_print(const hemc_log* log);

// A fresh folder below the system's temporary one, and files in it. Removed by kit_folder_end.
bool kit_folder(char path[512]);
void kit_folder_end(const char* path);
bool kit_write(const char* folder, const char* name, const void* bytes, size_t size, char path[600]);

#endif
