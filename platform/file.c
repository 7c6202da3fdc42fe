// SPDX-License-Identifier: MIT
// Whole files over stdio, so that only the few calls stdio lacks differ by system: they are the functions with the
// prefix os_, once for POSIX and once for Windows. Everything else is plain C.
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "platform/file.h"
#include "platform/clock.h"
#include "platform/hash.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_STEP 65536u
#define PATH_CAPACITY 4096u
#define STREAM_LIMIT ((size_t)1 << 30) // bytes: a device may have no end

static bool fail(hem_file_error* error, int code, const char* action, const char* path) {
    if (error != NULL) {
        // A zero code would read as success; stdio does not always set errno.
        error->code = code != 0 ? code : EIO;
        snprintf(error->text, sizeof error->text, "cannot %s '%.400s': %s", action, path, strerror(error->code));
    }
    return false;
}

static bool is_separator(char c) {
#if defined(_WIN32)
    return c == '/' || c == '\\';
#else
    return c == '/';
#endif
}

// -- What differs by system

typedef enum path_kind {
    PATH_NOTHING,
    PATH_FILE,
    PATH_DIRECTORY,
    PATH_STREAM,  // a pipe, a terminal, /dev/null: takes bytes, but must keep its name
    PATH_REFUSED, // a socket or a disk
} path_kind;

typedef bool visit_fn(void* user, const char* name, bool is_directory); // false stops: out of memory

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <direct.h>
#include <io.h>
#include <process.h>

static wchar_t* widen(const char* text, wchar_t* out) {
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, out, PATH_CAPACITY) == 0) {
        errno = EINVAL;
        return NULL;
    }
    return out;
}

static int os_error(void) {
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
        return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
        return EACCES;
    case ERROR_DISK_FULL:
        return ENOSPC;
    case ERROR_DIR_NOT_EMPTY:
        return ENOTEMPTY;
    default:
        return EIO;
    }
}

static FILE* os_open(const char* path, const char* mode) {
    wchar_t wide[PATH_CAPACITY], wide_mode[8];
    return widen(path, wide) && widen(mode, wide_mode) ? _wfopen(wide, wide_mode) : NULL;
}

static path_kind os_kind(const char* path) {
    wchar_t wide[PATH_CAPACITY];
    if (!widen(path, wide)) {
        return PATH_NOTHING;
    }
    DWORD attributes = GetFileAttributesW(wide);
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
        return PATH_DIRECTORY;
    }
    DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    HANDLE handle = CreateFileW(wide, 0, share, NULL, OPEN_EXISTING, 0, NULL); // NUL and CON have no attributes
    if (handle == INVALID_HANDLE_VALUE) {
        return attributes == INVALID_FILE_ATTRIBUTES ? PATH_NOTHING : PATH_FILE;
    }
    DWORD type = GetFileType(handle);
    CloseHandle(handle);
    return type == FILE_TYPE_CHAR || type == FILE_TYPE_PIPE ? PATH_STREAM : PATH_FILE;
}

static bool os_follow(const char* path, char* out) {
    return hem_path_join(out, PATH_CAPACITY, "", path);
}

static bool os_identify(const char* path, uint64_t* volume, uint64_t* file) {
    wchar_t wide[PATH_CAPACITY];
    BY_HANDLE_FILE_INFORMATION info;
    DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    HANDLE handle = widen(path, wide)
                        ? CreateFileW(wide, 0, share, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL)
                        : INVALID_HANDLE_VALUE;
    if (handle == INVALID_HANDLE_VALUE) {
        return false;
    }
    bool good = GetFileInformationByHandle(handle, &info) != 0;
    CloseHandle(handle);
    *volume = good ? info.dwVolumeSerialNumber : 0;
    *file = good ? (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow : 0;
    return good;
}

static int os_sync(FILE* file) {
    return _commit(_fileno(file)) == 0 ? 0 : errno;
}

static int os_replace(const char* from, const char* to, bool sync) {
    wchar_t a[PATH_CAPACITY], b[PATH_CAPACITY];
    DWORD flags = MOVEFILE_REPLACE_EXISTING | (sync ? MOVEFILE_WRITE_THROUGH : 0);
    if (!widen(from, a) || !widen(to, b)) {
        return EINVAL;
    }
    return MoveFileExW(a, b, flags) ? 0 : os_error();
}

static int os_remove(const char* path) {
    wchar_t wide[PATH_CAPACITY];
    return !widen(path, wide) ? EINVAL : _wremove(wide) == 0 ? 0 : errno;
}

static int os_make_directory(const char* path) {
    wchar_t wide[PATH_CAPACITY];
    return !widen(path, wide) ? EINVAL : _wmkdir(wide) == 0 ? 0 : errno;
}

static int os_remove_directory(const char* path) {
    wchar_t wide[PATH_CAPACITY];
    return !widen(path, wide) ? EINVAL : _wrmdir(wide) == 0 ? 0 : errno;
}

static int os_visit(const char* path, visit_fn* visit, void* user) {
    char pattern[PATH_CAPACITY];
    wchar_t wide[PATH_CAPACITY];
    if (!hem_path_join(pattern, sizeof pattern, path, "*") || !widen(pattern, wide)) {
        return EINVAL;
    }
    WIN32_FIND_DATAW found;
    HANDLE handle = FindFirstFileW(wide, &found);
    if (handle == INVALID_HANDLE_VALUE) {
        return os_error();
    }
    int code = 0;
    do {
        char name[1024];
        if (WideCharToMultiByte(CP_UTF8, 0, found.cFileName, -1, name, sizeof name, NULL, NULL) != 0 &&
            !visit(user, name, (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0)) {
            code = ENOMEM;
        }
    } while (code == 0 && FindNextFileW(handle, &found));
    FindClose(handle);
    return code;
}

static unsigned os_process_id(void) {
    return (unsigned)_getpid();
}

static const char* os_temp_directory(void) {
    const char* t = getenv("TEMP");
    return t != NULL && t[0] != 0 ? t : ".";
}

#else

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE* os_open(const char* path, const char* mode) {
    return fopen(path, mode);
}

static path_kind os_kind(const char* path) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return PATH_NOTHING;
    }
    return S_ISREG(info.st_mode) ? PATH_FILE
           : S_ISDIR(info.st_mode) ? PATH_DIRECTORY
           : S_ISCHR(info.st_mode) || S_ISFIFO(info.st_mode) ? PATH_STREAM
                                                             : PATH_REFUSED;
}

// The name at the end of a sequence of links, whether there is such a file or not.
static bool os_follow(const char* path, char* out) {
    if (!hem_path_join(out, PATH_CAPACITY, "", path)) {
        return false;
    }
    for (int depth = 0; depth < 40; ++depth) {
        char target[PATH_CAPACITY], folder[PATH_CAPACITY];
        ssize_t length = readlink(out, target, sizeof target - 1);
        if (length < 0) {
            return true; // not a link
        }
        target[length] = 0;
        if (!hem_path_directory(folder, sizeof folder, out) || !hem_path_join(out, PATH_CAPACITY, folder, target)) {
            return false;
        }
    }
    return false;
}

static bool os_identify(const char* path, uint64_t* volume, uint64_t* file) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return false;
    }
    *volume = (uint64_t)info.st_dev;
    *file = (uint64_t)info.st_ino;
    return true;
}

static int os_sync(FILE* file) {
    return fsync(fileno(file)) == 0 ? 0 : errno;
}

// The rename itself lives in the directory, which must be synced too. Some file systems refuse that; the data are safe
// all the same.
static void sync_directory_of(const char* path) {
    char directory[PATH_CAPACITY];
    if (hem_path_directory(directory, sizeof directory, path)) {
        int handle = open(directory, O_RDONLY);
        if (handle >= 0) {
            (void)fsync(handle);
            close(handle);
        }
    }
}

static int os_replace(const char* from, const char* to, bool sync) {
    if (rename(from, to) != 0) {
        return errno;
    }
    if (sync) {
        sync_directory_of(to);
    }
    return 0;
}

static int os_remove(const char* path) {
    return unlink(path) == 0 ? 0 : errno;
}

static int os_make_directory(const char* path) {
    return mkdir(path, 0777) == 0 ? 0 : errno;
}

static int os_remove_directory(const char* path) {
    return rmdir(path) == 0 ? 0 : errno;
}

static int os_visit(const char* path, visit_fn* visit, void* user) {
    DIR* directory = opendir(path);
    if (directory == NULL) {
        return errno;
    }
    int code = 0;
    while (code == 0) {
        errno = 0;
        const struct dirent* found = readdir(directory);
        if (found == NULL) {
            code = errno;
            break;
        }
        char full[PATH_CAPACITY];
        bool is_directory = hem_path_join(full, sizeof full, path, found->d_name) && os_kind(full) == PATH_DIRECTORY;
        if (!visit(user, found->d_name, is_directory)) {
            code = ENOMEM;
        }
    }
    closedir(directory);
    return code;
}

static unsigned os_process_id(void) {
#if defined(__wasi__)
    return 0; // one process, no number
#else
    return (unsigned)getpid();
#endif
}

static const char* os_temp_directory(void) {
    const char* t = getenv("TMPDIR");
    return t != NULL && t[0] != 0 ? t : "/tmp";
}

#endif

// -- Files

void hem_bytes_free(hem_bytes* bytes) {
    free(bytes->data);
    bytes->data = NULL;
    bytes->size = 0;
}

bool hem_file_read(const char* path, hem_bytes* bytes, hem_file_error* error) {
    bytes->data = NULL;
    bytes->size = 0;
    errno = 0;
    FILE* file = os_open(path, "rb");
    if (file == NULL) {
        return fail(error, errno, "read", path);
    }
    const size_t limit = os_kind(path) == PATH_STREAM ? STREAM_LIMIT : SIZE_MAX;
    size_t capacity = 0;
    size_t size = 0;
    unsigned char* data = NULL;
    for (;;) {
        if (capacity - size < READ_STEP + 1) {
            // Doubling, so that a pipe of any length costs linear time; a refused size is out of memory, not overflow.
            size_t wanted = capacity < READ_STEP ? 2 * READ_STEP : 2 * capacity;
            unsigned char* grown = wanted > capacity && wanted <= limit ? (unsigned char*)realloc(data, wanted) : NULL;
            if (grown == NULL) {
                free(data);
                fclose(file);
                return fail(error, wanted > limit ? EFBIG : ENOMEM, "read", path);
            }
            data = grown;
            capacity = wanted;
        }
        errno = 0;
        size_t got = fread(data + size, 1, capacity - size - 1, file);
        size += got;
        if (got == 0) {
            break;
        }
    }
    if (ferror(file)) {
        int code = errno;
        free(data);
        fclose(file);
        return fail(error, code, "read", path);
    }
    fclose(file);
    data[size] = 0;
    unsigned char* exact = (unsigned char*)realloc(data, size + 1);
    bytes->data = exact != NULL ? exact : data;
    bytes->size = size;
    return true;
}

// Unlikely to exist; "x" in the open mode makes sure. The clock tells apart processes whose ids coincide, as those of
// two machines sharing a folder may.
static bool name_beside(char* out, size_t out_size, const char* path, unsigned attempt) {
    int length = snprintf(out, out_size, "%s.%u-%llx-%u.tmp", path, os_process_id(),
                          (unsigned long long)hem_clock_nanoseconds(), attempt);
    return length > 0 && (size_t)length < out_size;
}

// Closes the file. Returns 0 or an errno.
static int write_and_close(FILE* file, const void* data, size_t size, bool sync) {
    errno = 0;
    int code = 0;
    if ((size > 0 && fwrite(data, 1, size, file) != size) || fflush(file) != 0) {
        code = errno != 0 ? errno : EIO;
    }
    if (code == 0 && sync) {
        code = os_sync(file);
    }
    if (fclose(file) != 0 && code == 0) {
        code = errno;
    }
    return code;
}

static bool write_stream(const char* path, const void* data, size_t size, hem_file_error* error) {
    errno = 0;
    FILE* file = os_open(path, "wb");
    int code = file != NULL ? write_and_close(file, data, size, false) : errno;
    return (file != NULL && code == 0) || fail(error, code, "write", path);
}

bool hem_file_write(const char* path, const void* data, size_t size, unsigned flags, hem_file_error* error) {
    char name[PATH_CAPACITY], target[PATH_CAPACITY];
    path_kind kind = os_kind(path);
    if (kind == PATH_STREAM) {
        return write_stream(path, data, size, error);
    }
    if (kind == PATH_REFUSED) {
        return fail(error, EOPNOTSUPP, "write", path);
    }
    if (!os_follow(path, target)) {
        return fail(error, strlen(path) < PATH_CAPACITY ? ELOOP : ENAMETOOLONG, "write", path);
    }
    char folder[PATH_CAPACITY];
    if ((flags & HEM_FILE_FOLDERS) != 0 && hem_path_directory(folder, sizeof folder, target) &&
        !hem_directory_make(folder, error)) {
        return false;
    }
    FILE* file = NULL;
    for (unsigned attempt = 0; file == NULL && attempt < 16; ++attempt) {
        if (!name_beside(name, sizeof name, target, attempt)) {
            return fail(error, ENAMETOOLONG, "write", path);
        }
        errno = 0;
        file = os_open(name, "wbx");
        if (file == NULL && errno != EEXIST) {
            break;
        }
    }
    if (file == NULL) {
        return fail(error, errno, "write", path);
    }
    bool sync = (flags & HEM_FILE_SYNC) != 0;
    int code = write_and_close(file, data, size, sync);
    if (code == 0) {
        code = os_replace(name, target, sync);
    }
    if (code != 0) {
        (void)os_remove(name);
        return fail(error, code, "write", path);
    }
    return true;
}

bool hem_file_can_write(const char* path, hem_file_error* error) {
    char folder[PATH_CAPACITY], name[PATH_CAPACITY];
    path_kind kind = os_kind(path);
    if (kind == PATH_STREAM) {
        return true;
    }
    if (kind == PATH_REFUSED || kind == PATH_DIRECTORY) {
        return fail(error, kind == PATH_DIRECTORY ? EISDIR : EOPNOTSUPP, "write", path);
    }
    if (!os_follow(path, folder)) {
        return fail(error, strlen(path) < PATH_CAPACITY ? ELOOP : ENAMETOOLONG, "write", path);
    }
    do {
        hem_path_directory(folder, sizeof folder, folder);
        kind = os_kind(folder);
    } while (kind == PATH_NOTHING && hem_path_name(folder) != folder);
    if (kind != PATH_DIRECTORY && kind != PATH_NOTHING) {
        return fail(error, ENOTDIR, "write", path);
    }
    if (kind == PATH_NOTHING) { // the first folder of a relative path is to be made, beside this one
        folder[0] = 0;
    }
    if (!hem_path_join(name, sizeof name, folder, "hem_probe") || !name_beside(folder, sizeof folder, name, 0)) {
        return fail(error, ENAMETOOLONG, "write", path);
    }
    errno = 0;
    FILE* file = os_open(folder, "wbx");
    if (file == NULL) {
        return fail(error, errno, "write", path);
    }
    fclose(file);
    (void)os_remove(folder);
    return true;
}

// -- Places

// "." and ".." are taken out of what does not exist; in what does, the system knows better where they lead.
bool hem_file_place_of(const char* path, hem_file_place* place) {
    char whole[PATH_CAPACITY], base[PATH_CAPACITY], next[PATH_CAPACITY], rest[PATH_CAPACITY];
    if (!os_follow(path, whole)) {
        return false;
    }
    size_t root = 0;
#if defined(_WIN32)
    root = whole[0] != 0 && whole[1] == ':' ? 2 : 0;
#endif
    root += is_separator(whole[root]) ? 1 : 0;
    memcpy(base, whole, root);
    base[root] = 0;
    if (root == 0) {
        memcpy(base, ".", 2);
    }
    size_t rest_length = 0;
    for (char* name = whole + root; *name != 0;) {
        char* end = name;
        while (*end != 0 && !is_separator(*end)) {
            ++end;
        }
        char* after = *end != 0 ? end + 1 : end;
        *end = 0;
        uint64_t volume, file;
        if (name[0] == 0 || strcmp(name, ".") == 0) {
            // nothing
        } else if (rest_length == 0 && hem_path_join(next, sizeof next, base, name) &&
                   os_identify(next, &volume, &file)) {
            memcpy(base, next, strlen(next) + 1);
        } else if (strcmp(name, "..") == 0) {
            while (rest_length > 0 && rest[--rest_length] != '/') {}
        } else {
            rest[rest_length++] = '/'; // never longer than the path itself
            memcpy(rest + rest_length, name, (size_t)(end - name));
            rest_length += (size_t)(end - name);
        }
        name = after;
    }
#if defined(_WIN32)
    for (size_t i = 0; i < rest_length; ++i) { // most of its file systems do not tell A from a
        rest[i] = (char)(rest[i] >= 'A' && rest[i] <= 'Z' ? rest[i] + 32 : rest[i]);
    }
#endif
    place->rest = rest_length != 0 ? hem_hash(rest, rest_length, 0) | 1 : 0;
    return os_identify(base, &place->volume, &place->file);
}

bool hem_file_place_equal(const hem_file_place* a, const hem_file_place* b) {
    return a->volume == b->volume && a->file == b->file && a->rest == b->rest;
}

bool hem_file_is_regular(const char* path) {
    return os_kind(path) == PATH_FILE;
}

bool hem_file_exists(const char* path) {
    path_kind kind = os_kind(path);
    return kind != PATH_NOTHING && kind != PATH_DIRECTORY;
}

bool hem_directory_exists(const char* path) {
    return os_kind(path) == PATH_DIRECTORY;
}

bool hem_file_remove(const char* path, hem_file_error* error) {
    int code = os_remove(path);
    return code == 0 || fail(error, code, "remove", path);
}

// -- Directories

bool hem_directory_make(const char* path, hem_file_error* error) {
    char part[PATH_CAPACITY];
    size_t length = strlen(path);
    if (length == 0) {
        return fail(error, ENOENT, "make the directory", path);
    }
    if (length >= sizeof part) {
        return fail(error, ENAMETOOLONG, "make the directory", path);
    }
    memcpy(part, path, length + 1);
    for (size_t i = 1; i <= length; ++i) {
        if (i < length && (!is_separator(path[i]) || is_separator(path[i - 1]))) {
            continue;
        }
        part[i] = 0;
        if (os_kind(part) != PATH_DIRECTORY) {
            int code = os_make_directory(part);
            // Somebody else may have made it between the question and the answer.
            if (code != 0 && os_kind(part) != PATH_DIRECTORY) {
                return fail(error, code, "make the directory", part);
            }
        }
        part[i] = path[i];
    }
    return true;
}

bool hem_directory_remove(const char* path, hem_file_error* error) {
    int code = os_remove_directory(path);
    return code == 0 || fail(error, code, "remove the directory", path);
}

typedef struct gathering {
    hem_directory_list* list;
    size_t capacity;
} gathering;

static bool gather(void* user, const char* name, bool is_directory) {
    gathering* g = (gathering*)user;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        return true;
    }
    if (g->list->count == g->capacity) {
        size_t capacity = g->capacity == 0 ? 32 : 2 * g->capacity;
        hem_directory_entry* grown =
            (hem_directory_entry*)realloc(g->list->entries, capacity * sizeof(hem_directory_entry));
        if (grown == NULL) {
            return false;
        }
        g->list->entries = grown;
        g->capacity = capacity;
    }
    size_t size = strlen(name) + 1;
    char* copy = (char*)malloc(size);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, name, size);
    g->list->entries[g->list->count].name = copy;
    g->list->entries[g->list->count].is_directory = is_directory;
    g->list->count += 1;
    return true;
}

// Names in one directory differ, so the order is total and any correct sort gives the same result.
static int compare_entries(const void* a, const void* b) {
    return strcmp(((const hem_directory_entry*)a)->name, ((const hem_directory_entry*)b)->name);
}

bool hem_directory_read(const char* path, hem_directory_list* list, hem_file_error* error) {
    list->entries = NULL;
    list->count = 0;
    gathering g = {list, 0};
    int code = os_visit(path, gather, &g);
    if (code != 0) {
        hem_directory_list_free(list);
        return fail(error, code, "list the directory", path);
    }
    if (list->count > 1) {
        qsort(list->entries, list->count, sizeof list->entries[0], compare_entries);
    }
    return true;
}

void hem_directory_list_free(hem_directory_list* list) {
    for (size_t i = 0; i < list->count; ++i) {
        free((void*)(uintptr_t)list->entries[i].name);
    }
    free(list->entries);
    list->entries = NULL;
    list->count = 0;
}

bool hem_file_temp_name(char* out, size_t out_size, const char* prefix) {
    char path[PATH_CAPACITY];
    for (unsigned attempt = 0; attempt < 1000; ++attempt) {
        if (!hem_path_join(path, sizeof path, os_temp_directory(), prefix) ||
            !name_beside(out, out_size, path, attempt)) {
            break;
        }
        if (os_kind(out) == PATH_NOTHING) {
            return true;
        }
    }
    if (out_size > 0) {
        out[0] = 0;
    }
    return false;
}

// -- Paths

static bool put(char* out, size_t out_size, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(out, out_size, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < out_size) {
        return true;
    }
    if (out_size > 0) {
        out[0] = 0;
    }
    return false;
}

bool hem_path_is_absolute(const char* path) {
#if defined(_WIN32)
    if (path[0] != 0 && path[1] == ':') {
        return true;
    }
#endif
    return is_separator(path[0]);
}

const char* hem_path_name(const char* path) {
    const char* name = path;
    for (const char* p = path; *p != 0; ++p) {
        if (is_separator(*p)) {
            name = p + 1;
        }
    }
    return name;
}

const char* hem_path_extension(const char* path) {
    const char* name = hem_path_name(path);
    const char* dot = strrchr(name, '.');
    return dot != NULL && dot != name && strcmp(name, "..") != 0 ? dot : name + strlen(name);
}

bool hem_path_join(char* out, size_t out_size, const char* directory, const char* name) {
    size_t length = strlen(directory);
    if (length == 0 || hem_path_is_absolute(name)) {
        return put(out, out_size, "%s", name);
    }
    return put(out, out_size, is_separator(directory[length - 1]) ? "%s%s" : "%s/%s", directory, name);
}

bool hem_path_directory(char* out, size_t out_size, const char* path) {
    size_t length = (size_t)(hem_path_name(path) - path);
    if (length == 0) {
        return put(out, out_size, ".");
    }
    while (length > 1 && is_separator(path[length - 1])) {
        --length;
    }
    if (length >= out_size) {
        return put(out, out_size, "%s", path);
    }
    memmove(out, path, length);
    out[length] = 0;
    return true;
}

bool hem_path_with_extension(char* out, size_t out_size, const char* path, const char* extension) {
    size_t length = (size_t)(hem_path_extension(path) - path);
    size_t extension_length = strlen(extension);
    if (length + extension_length >= out_size) {
        if (out_size > 0) {
            out[0] = 0;
        }
        return false;
    }
    memmove(out, path, length);
    memcpy(out + length, extension, extension_length + 1);
    return true;
}
