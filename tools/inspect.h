// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_INSPECT_H
#define HEM_TOOLS_INSPECT_H

#include "platform/file.h"
#include "tools/asset.h"

// A sheet of eight panels: particles, links, blend weights and rest overlaps, each from the front and from behind.
bool inspect_picture(const asset* a, const char* path, hem_file_error* error);

#endif
