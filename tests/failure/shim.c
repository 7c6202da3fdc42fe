// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // RTLD_NEXT
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// Makes the C library fail, for tests/failure/run: loaded before a program, it lets call number HEM_FAIL_AT of the
// function HEM_FAIL_NAME fail (with HEM_FAIL_ON=1 all after it, too) and then makes the file HEM_FAIL_MARK, so that the
// script knows whether there was such a call. "malloc" stands for all that take memory.

static long countdown = -1;
static int for_good, ready;
static char name[32];

static void set_up(void) {
    ready = 1;
    const char* at = getenv("HEM_FAIL_AT");
    const char* of = getenv("HEM_FAIL_NAME");
    if (at != NULL && of != NULL && strlen(of) < sizeof name) {
        strcpy(name, of);
        countdown = strtol(at, NULL, 10);
        for_good = getenv("HEM_FAIL_ON") != NULL;
    }
}

static int fails(const char* function, int error) {
    if (!ready) {
        set_up();
    }
    if (countdown < 0 || strcmp(function, name) != 0 || countdown-- > 0) {
        return 0;
    }
    countdown = for_good ? 0 : -1;
    const char* mark = getenv("HEM_FAIL_MARK");
    if (mark != NULL) {
        int handle = (int)syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT, 0600);
        if (handle >= 0) {
            close(handle);
        }
    }
    errno = error;
    return 1;
}

#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

// glibc's own names: dlsym itself may take memory, so that looking up malloc would never end.
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* old, size_t size);

void* malloc(size_t size) {
    return fails("malloc", ENOMEM) ? NULL : __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
    return fails("malloc", ENOMEM) ? NULL : __libc_calloc(count, size);
}

void* realloc(void* old, size_t size) {
    return fails("malloc", ENOMEM) ? NULL : __libc_realloc(old, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
    return fails("malloc", ENOMEM) ? NULL : NEXT(aligned_alloc)(alignment, size);
}

FILE* fopen(const char* path, const char* mode) {
    return fails("fopen", EMFILE) ? NULL : NEXT(fopen)(path, mode);
}

size_t fread(void* data, size_t size, size_t count, FILE* file) {
    return fails("fread", EIO) ? 0 : NEXT(fread)(data, size, count, file);
}

// Half of it reaches the file, as on a full disk.
size_t fwrite(const void* data, size_t size, size_t count, FILE* file) {
    if (file != stdout && file != stderr && fails("fwrite", ENOSPC)) {
        size_t written = NEXT(fwrite)(data, size, count / 2, file);
        errno = ENOSPC;
        return written;
    }
    return NEXT(fwrite)(data, size, count, file);
}

int fflush(FILE* file) {
    return file != stdout && file != stderr && file != NULL && fails("fflush", ENOSPC) ? EOF : NEXT(fflush)(file);
}

int fclose(FILE* file) {
    int bad = fails("fclose", EIO);
    int result = NEXT(fclose)(file);
    errno = bad ? EIO : errno;
    return bad ? EOF : result;
}

int rename(const char* from, const char* to) {
    return fails("rename", EACCES) ? -1 : NEXT(rename)(from, to);
}

int mkdir(const char* path, mode_t mode) {
    return fails("mkdir", EACCES) ? -1 : NEXT(mkdir)(path, mode);
}

int fsync(int handle) {
    return fails("fsync", EIO) ? -1 : NEXT(fsync)(handle);
}

int open(const char* path, int flags, ...) {
    return fails("open", EMFILE) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0666);
}

void* mmap(void* at, size_t size, int protection, int flags, int handle, off_t offset) {
    // Threads and the allocator map without a file; those are malloc's and pthread_create's to report.
    return handle >= 0 && fails("mmap", ENOMEM) ? MAP_FAILED
                                                : (void*)syscall(SYS_mmap, at, size, protection, flags, handle, offset);
}
