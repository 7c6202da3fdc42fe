// SPDX-License-Identifier: MIT
// mmap where there is one. An empty file cannot be mapped, so it gets a static byte; WASI has no maps and gets an
// aligned copy.
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "platform/map.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char empty_file[1] = {0};

static bool fail(hem_file_error* error, int code, const char* path) {
    if (error != NULL) {
        error->code = code != 0 ? code : EIO;
        snprintf(error->text, sizeof error->text, "cannot map '%.400s': %s", path, strerror(error->code));
    }
    return false;
}

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

bool hem_map_open(const char* path, hem_map* map, hem_file_error* error) {
    wchar_t wide[4096];
    LARGE_INTEGER size;
    map->data = NULL;
    map->size = 0;
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, 4096) == 0) {
        return fail(error, EINVAL, path);
    }
    HANDLE file = CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE) {
        return fail(error, GetLastError() == ERROR_ACCESS_DENIED ? EACCES : ENOENT, path);
    }
    if (!GetFileSizeEx(file, &size) || (uint64_t)size.QuadPart > SIZE_MAX) {
        CloseHandle(file);
        return fail(error, EIO, path);
    }
    map->data = empty_file;
    map->size = (size_t)size.QuadPart;
    if (map->size > 0) {
        HANDLE mapping = CreateFileMappingW(file, NULL, PAGE_READONLY, 0, 0, NULL);
        map->data = mapping != NULL ? MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0) : NULL;
        if (mapping != NULL) {
            CloseHandle(mapping); // the view keeps it alive
        }
    }
    CloseHandle(file);
    if (map->data == NULL) {
        map->size = 0;
        return fail(error, EIO, path);
    }
    return true;
}

void hem_map_close(hem_map* map) {
    if (map->size > 0) {
        UnmapViewOfFile(map->data);
    }
    map->data = NULL;
    map->size = 0;
}

#elif defined(__wasi__)

bool hem_map_open(const char* path, hem_map* map, hem_file_error* error) {
    hem_bytes bytes;
    map->data = NULL;
    map->size = 0;
    if (!hem_file_read(path, &bytes, error)) {
        return false;
    }
    map->data = empty_file;
    if (bytes.size > 0) {
        size_t rounded = (bytes.size + 4095u) & ~(size_t)4095u;
        void* copy = rounded >= bytes.size ? aligned_alloc(4096, rounded) : NULL;
        if (copy == NULL) {
            hem_bytes_free(&bytes);
            map->data = NULL;
            return fail(error, ENOMEM, path);
        }
        memcpy(copy, bytes.data, bytes.size);
        map->data = copy;
        map->size = bytes.size;
    }
    hem_bytes_free(&bytes);
    return true;
}

void hem_map_close(hem_map* map) {
    if (map->size > 0) {
        free((void*)(uintptr_t)map->data);
    }
    map->data = NULL;
    map->size = 0;
}

#else

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool hem_map_open(const char* path, hem_map* map, hem_file_error* error) {
    map->data = NULL;
    map->size = 0;
    int handle = open(path, O_RDONLY | O_CLOEXEC);
    if (handle < 0) {
        return fail(error, errno, path);
    }
    struct stat info;
    int code = fstat(handle, &info) != 0           ? errno
               : S_ISDIR(info.st_mode)             ? EISDIR
               : !S_ISREG(info.st_mode)            ? EINVAL
               : (uint64_t)info.st_size > SIZE_MAX ? EFBIG
                                                   : 0;
    if (code == 0) {
        map->data = empty_file;
        map->size = (size_t)info.st_size;
        if (map->size > 0) {
            void* pages = mmap(NULL, map->size, PROT_READ, MAP_PRIVATE, handle, 0);
            code = pages == MAP_FAILED ? errno : 0;
            map->data = pages;
        }
    }
    close(handle); // the pages keep the file alive
    if (code != 0) {
        map->data = NULL;
        map->size = 0;
        return fail(error, code, path);
    }
    return true;
}

void hem_map_close(hem_map* map) {
    if (map->size > 0) {
        munmap((void*)(uintptr_t)map->data, map->size);
    }
    map->data = NULL;
    map->size = 0;
}

#endif
