// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_READ_H
#define HEM_RUNTIME_READ_H

// What reading and drawing share.

#include "runtime/src/internal.h"

// A collider as the last step left it, character space. 0 = it was not there yet.
int hemi_read_collider(const hem_scene* scene, const hemi_instance* instance, uint32_t index, hem_collider* out);

#endif
