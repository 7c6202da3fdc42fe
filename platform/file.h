// SPDX-License-Identifier: MIT
#ifndef HEM_PLATFORM_FILE_H
#define HEM_PLATFORM_FILE_H

// Files and paths, for tools: whole files in and out, directories, names.
//
// Paths are UTF-8 everywhere; on Windows they are widened inside, and both slashes separate. Functions return false on
// failure and then fill error (which may be NULL) with a sentence that names the path and the reason. A write either
// replaces the file completely or leaves what was there.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hem_file_error {
    int code;       // errno
    char text[640]; // "cannot read 'cape.glb': No such file or directory"
} hem_file_error;

typedef struct hem_bytes {
    unsigned char* data; // from malloc; a zero byte follows the last one, so text can be used in place
    size_t size;
} hem_bytes;

void hem_bytes_free(hem_bytes* bytes);

// Also reads what has no size beforehand, such as a pipe, up to a gigabyte. An empty file gives a non-null pointer and size 0.
bool hem_file_read(const char* path, hem_bytes* bytes, hem_file_error* error);

enum {
    HEM_FILE_SYNC = 1,    // the bytes are on the disk, not only in its cache, before the name is
    HEM_FILE_FOLDERS = 2, // missing folders above it are made; without this they must exist
};

// Writes beside the target under a temporary name, then renames over it: a reader sees the old file or the new one,
// never a part, and a failure leaves the old. A symbolic link is followed (on Windows replaced). A pipe or a character
// device is never replaced: the bytes go into it. A socket or a block device is refused.
bool hem_file_write(const char* path, const void* data, size_t size, unsigned flags, hem_file_error* error);

// Before long work: would a write with HEM_FILE_FOLDERS succeed? Tries the nearest folder above it that exists with an
// empty file, and leaves nothing behind.
bool hem_file_can_write(const char* path, hem_file_error* error);

bool hem_file_is_regular(const char* path);  // follows links; no folder, pipe, device or socket
bool hem_file_exists(const char* path);      // anything of that name that is not a directory
bool hem_directory_exists(const char* path); // follows links
bool hem_file_remove(const char* path, hem_file_error* error);

// Which file a path means, however it is spelt: relative or absolute, through links, hard or symbolic. What is not there
// yet is known by the nearest folder above it that is, and the names below that. Equal members, the same file.
typedef struct hem_file_place {
    uint64_t volume, file; // device and inode
    uint64_t rest;         // hash of the names that do not exist yet; 0 = it exists
} hem_file_place;

bool hem_file_place_of(const char* path, hem_file_place* place); // false: too long, or links without an end
bool hem_file_place_equal(const hem_file_place* a, const hem_file_place* b);

// Makes the directory and every missing parent. One that exists already is fine.
bool hem_directory_make(const char* path, hem_file_error* error);
bool hem_directory_remove(const char* path, hem_file_error* error); // an empty one

typedef struct hem_directory_entry {
    const char* name; // without the directory
    bool is_directory;
} hem_directory_entry;

typedef struct hem_directory_list {
    hem_directory_entry* entries;
    size_t count;
} hem_directory_list;

// Without "." and "..", sorted by the bytes of the name: the same order on every file system.
bool hem_directory_read(const char* path, hem_directory_list* list, hem_file_error* error);
void hem_directory_list_free(hem_directory_list* list);

// A name in the system's temporary directory that no file has at this moment. False if it does not fit.
bool hem_file_temp_name(char* out, size_t out_size, const char* prefix);

// -- Paths, as text only. Those that write return false, and an empty string, when the result does not fit.

bool hem_path_is_absolute(const char* path);
bool hem_path_join(char* out, size_t out_size, const char* directory, const char* name); // an absolute name wins
bool hem_path_directory(char* out, size_t out_size, const char* path);                   // "." if there is none
bool hem_path_with_extension(char* out, size_t out_size, const char* path, const char* extension); // ".hem"
const char* hem_path_name(const char* path);      // the part after the last separator
const char* hem_path_extension(const char* path); // from the last dot of the name; "" for "cape" and ".bashrc"

#endif
