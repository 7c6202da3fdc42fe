// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PNG_H
#define HEM_TOOLS_PNG_H

// PNG files: still pictures, and films as animated PNG, which every browser and most viewers play.
//
// A film is made small in three steps: one palette of 255 colours for all its frames, unchanged pixels of a frame written
// as a transparent 256th, and each frame cut to the rectangle that changed. Viewers that know no animation show the
// first frame.

#include "platform/file.h"
#include "tools/bytes.h"
#include "tools/image.h"

// RGB if every pixel is opaque, else RGBA. Returns false if there is no memory.
bool png_encode(bytes* out, const image* im);

// In a palette of 255 colours: less than half the size, for pages that are loaded over a network. Transparency is lost.
bool png_encode_small(bytes* out, const image* im);

// All frames must have the same size. Each is shown for delay_ms; loops for ever. Returns false if there is no memory,
// no frame, or sizes differ.
bool apng_encode(bytes* out, const image* frames, int32_t frame_count, int32_t delay_ms);

// Encode and write in one go. The file appears whole or not at all. Returns false with a sentence in `error`, which may be
// NULL.
bool png_write(const char* path, const image* im, hem_file_error* error);
bool png_write_small(const char* path, const image* im, hem_file_error* error);
bool apng_write(const char* path, const image* frames, int32_t frame_count, int32_t delay_ms, hem_file_error* error);

#endif
