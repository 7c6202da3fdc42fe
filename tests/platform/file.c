// SPDX-License-Identifier: MIT
// platform/file.h and map.h on a folder of their own in the temporary directory.
#if !defined(_WIN32)
#define _DEFAULT_SOURCE // mknod, symlink
#endif
#include "tests/platform/suites.h"
#include "platform/file.h"
#include "platform/map.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if !defined(_WIN32) && !defined(__wasi__)
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>
#endif

static char folder[512];
static char path[1024];

static const char* in_folder(const char* name) {
    hem_path_join(path, sizeof path, folder, name);
    return path;
}

static bool holds(const char* name, const void* data, size_t size) {
    hem_bytes bytes;
    bool same = hem_file_read(name, &bytes, NULL) && bytes.size == size && memcmp(bytes.data, data, size) == 0 &&
                bytes.data[size] == 0;
    hem_bytes_free(&bytes);
    return same;
}

static size_t entries_in(const char* name) {
    hem_directory_list list;
    size_t count = hem_directory_read(name, &list, NULL) ? list.count : SIZE_MAX;
    hem_directory_list_free(&list);
    return count;
}

TEST written_bytes_come_back(void) {
    hem_file_error error;
    size_t sizes[] = {0, 1, 65535, 65536, 65537, 131072, 1000003};
    unsigned char* data = (unsigned char*)malloc(1000003);
    ASSERT(data != NULL);
    for (size_t i = 0; i < 1000003; ++i) {
        data[i] = (unsigned char)(i * 31 + i / 251);
    }
    const char* name = in_folder("bytes.bin");
    for (size_t k = 0; k < HEM_COUNT_OF(sizes); ++k) {
        ASSERT(hem_file_write(name, data, sizes[k], k % 2 ? HEM_FILE_SYNC : 0, &error));
        ASSERT(hem_file_exists(name) && !hem_directory_exists(name));
        ASSERT(holds(name, data, sizes[k]));
        hem_map map;
        ASSERT(hem_map_open(name, &map, &error));
        ASSERT(map.data != NULL && map.size == sizes[k] && memcmp(map.data, data, sizes[k]) == 0);
        hem_map_close(&map);
        hem_map_close(&map);
        ASSERT(map.data == NULL);
    }
    free(data);
    // The temporary name beside the target is gone.
    ASSERT_EQ(1u, entries_in(folder));
    ASSERT(hem_file_remove(name, &error) && !hem_file_exists(name));
    PASS();
}

TEST a_failed_write_leaves_what_was_there(void) {
    hem_file_error error;
    // The target is a directory with something in it: nothing may be replaced, nothing left behind.
    ASSERT(hem_directory_make(in_folder("taken"), &error));
    ASSERT(hem_file_write(in_folder("taken/inside"), "old", 3, 0, &error));
    ASSERT(!hem_file_write(in_folder("taken"), "new", 3, 0, &error));
    ASSERT_EQ(EISDIR, error.code);
    ASSERT(strstr(error.text, path) != NULL && strstr(error.text, "cannot write") != NULL);
    ASSERT(holds(in_folder("taken/inside"), "old", 3));
    ASSERT_EQ(1u, entries_in(folder));
    ASSERT(hem_file_remove(in_folder("taken/inside"), &error));
    ASSERT(hem_directory_remove(in_folder("taken"), &error));
    PASS();
}

TEST errors_name_the_path_and_the_reason(void) {
    hem_file_error error;
    hem_bytes bytes;
    hem_map map;
    hem_directory_list list;
    const char* name = in_folder("missing/cape.glb");
    ASSERT(!hem_file_read(name, &bytes, &error));
    ASSERT_EQ(ENOENT, error.code);
    ASSERT(strstr(error.text, name) != NULL && strstr(error.text, strerror(ENOENT)) != NULL);
    ASSERT(bytes.data == NULL && bytes.size == 0);
    ASSERT(!hem_file_write(name, "x", 1, 0, &error) && error.code == ENOENT && strstr(error.text, name) != NULL);
    ASSERT(!hem_map_open(name, &map, &error) && error.code == ENOENT && strstr(error.text, name) != NULL);
    ASSERT(!hem_directory_read(name, &list, &error) && error.code == ENOENT && list.entries == NULL);
    ASSERT(!hem_file_remove(name, &error) && error.code == ENOENT);
    ASSERT(!hem_file_read(folder, &bytes, &error) && error.code != 0);
    ASSERT(!hem_map_open(folder, &map, &error) && error.code != 0);
    ASSERT(!hem_directory_make("", &error));
    // Nobody has to want the text.
    ASSERT(!hem_file_read(name, &bytes, NULL));
    // A name too long for any buffer is an answer, not a crash, and its text is cut, not overrun.
    char* longest = (char*)malloc(10000);
    ASSERT(longest != NULL);
    memset(longest, 'n', 9999);
    longest[9999] = 0;
    bool refused = !hem_file_read(longest, &bytes, &error) && !hem_file_write(longest, "x", 1, 0, &error) &&
                   error.code == ENAMETOOLONG && strlen(error.text) < sizeof error.text &&
                   !hem_directory_make(longest, &error);
    free(longest);
    ASSERT(refused);
    PASS();
}

TEST directories_are_made_whole_and_listed_in_order(void) {
    hem_file_error error;
    char deep[1024];
    hem_path_join(deep, sizeof deep, folder, "a//b/c/");
    ASSERT(hem_directory_make(deep, &error));
    ASSERT(hem_directory_make(deep, &error)); // again is fine
    ASSERT(hem_directory_exists(deep) && !hem_file_exists(deep));
    ASSERT(hem_file_write(in_folder("a/file"), "x", 1, 0, &error));
    ASSERT(!hem_directory_make(in_folder("a/file/under"), &error));
    ASSERT(strstr(error.text, "a/file") != NULL);

    // Bytes, not letters: capitals first, UTF-8 last.
    const char* names[] = {"b.txt", "B.txt", "a.txt", "a10", "a9", "\xc3\xa4.txt", "_"};
    const char* sorted[] = {"B.txt", "_", "a.txt", "a10", "a9", "b", "b.txt", "file", "\xc3\xa4.txt"};
    for (size_t i = 0; i < HEM_COUNT_OF(names); ++i) {
        char name[1024];
        hem_path_join(name, sizeof name, in_folder("a"), names[i]);
        ASSERT(hem_file_write(name, names[i], strlen(names[i]), 0, &error));
        ASSERT(holds(name, names[i], strlen(names[i])));
    }
    hem_directory_list list;
    ASSERT(hem_directory_read(in_folder("a"), &list, &error));
    ASSERT_EQ(HEM_COUNT_OF(sorted), list.count);
    for (size_t i = 0; i < list.count; ++i) {
        ASSERT_STR_EQ(sorted[i], list.entries[i].name);
        ASSERT_EQ(strcmp(sorted[i], "b") == 0, list.entries[i].is_directory);
        char name[1024];
        hem_path_join(name, sizeof name, in_folder("a"), list.entries[i].name);
        if (!list.entries[i].is_directory) {
            ASSERT(hem_file_remove(name, &error));
        }
    }
    hem_directory_list_free(&list);
    ASSERT(!hem_directory_remove(in_folder("a"), &error)); // not empty
    ASSERT(hem_directory_remove(in_folder("a/b/c"), &error) && hem_directory_remove(in_folder("a/b"), &error));
    ASSERT(hem_directory_remove(in_folder("a"), &error));
    ASSERT_EQ(0u, entries_in(folder));
    PASS();
}

TEST paths_are_taken_apart_and_joined(void) {
    static const struct {
        const char *path, *directory, *name, *extension, *as_hem;
    } rows[] = {
        {"cape.glb", ".", "cape.glb", ".glb", "cape.hem"},
        {"a/cape.tar.gz", "a", "cape.tar.gz", ".gz", "a/cape.tar.hem"},
        {"/cape", "/", "cape", "", "/cape.hem"},
        {"a.b/cape", "a.b", "cape", "", "a.b/cape.hem"},
        {"a/b//c.x", "a/b", "c.x", ".x", "a/b//c.hem"},
        {".bashrc", ".", ".bashrc", "", ".bashrc.hem"},
        {"a/..", "a", "..", "", "a/...hem"},
        {"a/", "a", "", "", "a/.hem"},
        {"", ".", "", "", ".hem"},
    };
    char out[64];
    for (size_t i = 0; i < HEM_COUNT_OF(rows); ++i) {
        ASSERT(hem_path_directory(out, sizeof out, rows[i].path));
        ASSERT_STR_EQ(rows[i].directory, out);
        ASSERT_STR_EQ(rows[i].name, hem_path_name(rows[i].path));
        ASSERT_STR_EQ(rows[i].extension, hem_path_extension(rows[i].path));
        ASSERT(hem_path_with_extension(out, sizeof out, rows[i].path, ".hem"));
        ASSERT_STR_EQ(rows[i].as_hem, out);
    }
    static const char* joins[][3] = {
        {"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"", "b", "b"}, {"a", "/b", "/b"}, {"/", "b", "/b"},
    };
    for (size_t i = 0; i < HEM_COUNT_OF(joins); ++i) {
        ASSERT(hem_path_join(out, sizeof out, joins[i][0], joins[i][1]));
        ASSERT_STR_EQ(joins[i][2], out);
    }
    ASSERT(hem_path_is_absolute("/a") && !hem_path_is_absolute("a") && !hem_path_is_absolute(""));
    // Exactly full fits; one less does not, and leaves an empty string.
    ASSERT(hem_path_join(out, 4, "a", "b") && hem_path_directory(out, 3, "ab/c") &&
           hem_path_with_extension(out, 6, "a.b", ".hem"));
    ASSERT(!hem_path_join(out, 3, "a", "b") && out[0] == 0);
    ASSERT(!hem_path_directory(out, 2, "ab/c") && out[0] == 0);
    ASSERT(!hem_path_with_extension(out, 5, "a.b", ".hem") && out[0] == 0);
    PASS();
}

#if !defined(_WIN32) && !defined(__wasi__)

// One file by many names, two files by names that are nearly the same; whether they exist or not.
TEST a_place_is_the_same_however_it_is_spelt(void) {
    hem_file_error error;
    ASSERT(hem_directory_make(in_folder("real/deep"), &error));
    ASSERT(hem_file_write(in_folder("real/a"), "a", 1, 0, &error));
    ASSERT(hem_file_write(in_folder("real/b"), "a", 1, 0, &error));
    char target[1024];
    snprintf(target, sizeof target, "%s", in_folder("real"));
    ASSERT_EQ(0, symlink(target, in_folder("alias")));
    ASSERT_EQ(0, symlink("real/a", in_folder("soft")));
    ASSERT_EQ(0, symlink("real/none", in_folder("dangling")));
    snprintf(target, sizeof target, "%s", in_folder("real/a"));
    ASSERT_EQ(0, link(target, in_folder("hard")));
    static const struct {
        const char *one, *two;
        bool same;
    } rows[] = {
        {"real/a", "real/./a", true},
        {"real/a", "real/deep/../a", true},
        {"real/a", "alias/a", true},
        {"real/a", "soft", true},
        {"real/a", "hard", true},
        {"real/a", "real/b", false},
        {"real/a", "real/none", false},
        {"real/none", "real//none", true},
        {"real/none", "alias/none", true},
        {"real/none", "dangling", true},
        {"real/none", "alias/deep/../none", true},
        {"real/none", "real/never/../none", true},
        {"real/none", "real/never/more/../../none", true},
        {"real/none", "real/none2", false},
        {"real/none", "real/deep/none", false},
        {"real/none", "none", false},
        {"real/none/x", "alias/none/./x", true},
        {"real/none/x", "real/none/y", false},
        {"real", "alias", true},
    };
    for (size_t i = 0; i < HEM_COUNT_OF(rows); ++i) {
        hem_file_place one, two;
        ASSERT(hem_file_place_of(in_folder(rows[i].one), &one) && hem_file_place_of(in_folder(rows[i].two), &two));
        ASSERT_EQm(rows[i].two, rows[i].same, hem_file_place_equal(&one, &two));
    }
    // Relative and absolute.
    hem_file_place here, there;
    char back[1024];
    ASSERT(getcwd(back, sizeof back) != NULL && chdir(folder) == 0);
    bool known = hem_file_place_of("real/none/z", &here) && hem_file_place_of("x", &there);
    ASSERT_EQ(0, chdir(back));
    ASSERT(known && hem_file_place_of(in_folder("real/none/z"), &there) && hem_file_place_equal(&here, &there));
    const char* files[] = {"hard", "soft", "dangling", "alias", "real/a", "real/b"};
    for (size_t i = 0; i < HEM_COUNT_OF(files); ++i) {
        ASSERT(hem_file_remove(in_folder(files[i]), &error));
    }
    ASSERT(hem_directory_remove(in_folder("real/deep"), &error) && hem_directory_remove(in_folder("real"), &error));
    PASS();
}

TEST missing_folders_are_made_when_asked(void) {
    hem_file_error error;
    const char* name = in_folder("new/folders/file");
    ASSERT(hem_file_can_write(name, &error));
    ASSERT_EQ(0u, entries_in(folder)); // nothing left behind, nothing made
    ASSERT(!hem_file_write(name, "x", 1, 0, &error) && error.code == ENOENT);
    ASSERT(hem_file_write(name, "x", 1, HEM_FILE_FOLDERS, &error));
    ASSERT(holds(name, "x", 1));
    // A file where a folder should be, and a folder where a file should be.
    ASSERT(!hem_file_can_write(in_folder("new/folders/file/below/x"), &error) && error.code == ENOTDIR);
    ASSERT(strstr(error.text, path) != NULL);
    ASSERT(!hem_file_can_write(in_folder("new/folders"), &error) && error.code == EISDIR);
    if (geteuid() != 0) { // root may write anywhere
        ASSERT(chmod(in_folder("new/folders"), 0500) == 0);
        ASSERT(!hem_file_can_write(in_folder("new/folders/other"), &error) && error.code == EACCES);
        ASSERT(chmod(in_folder("new/folders"), 0700) == 0);
    }
    char back[1024];
    ASSERT(getcwd(back, sizeof back) != NULL && chdir(folder) == 0);
    bool can = hem_file_can_write("x", &error) && hem_file_can_write("sub/x", &error);
    ASSERT_EQ(0, chdir(back));
    ASSERT(can);
    ASSERT(hem_file_remove(in_folder("new/folders/file"), &error));
    ASSERT(hem_directory_remove(in_folder("new/folders"), &error) && hem_directory_remove(in_folder("new"), &error));
    ASSERT_EQ(0u, entries_in(folder));
    PASS();
}

// Bytes for a pipe go into it: it is still a pipe afterwards, and its reader has them.
TEST pipes_and_devices_are_written_through(void) {
    hem_file_error error;
    char pipe_name[1024], link_name[1024];
    snprintf(pipe_name, sizeof pipe_name, "%s", in_folder("pipe"));
    snprintf(link_name, sizeof link_name, "%s", in_folder("link"));
    ASSERT_EQ(0, mkfifo(pipe_name, 0600));
    ASSERT_EQ(0, symlink("pipe", link_name));
    const char* names[] = {pipe_name, link_name};
    for (size_t i = 0; i < HEM_COUNT_OF(names); ++i) {
        int reader = open(pipe_name, O_RDONLY | O_NONBLOCK);
        ASSERT(reader >= 0);
        ASSERTm(error.text, hem_file_write(names[i], "through", 7, 0, &error));
        char got[16];
        ASSERT_EQ(7, (int)read(reader, got, sizeof got));
        ASSERT_EQ(0, memcmp(got, "through", 7));
        close(reader);
        struct stat info;
        ASSERT(stat(pipe_name, &info) == 0 && S_ISFIFO(info.st_mode));
        ASSERT(!hem_file_is_regular(names[i]) && hem_file_exists(names[i]));
    }
    ASSERT(hem_file_remove(link_name, &error) && hem_file_remove(pipe_name, &error));
    // Only who may make devices can test one, and never on the system's own.
    const char* device = in_folder("null");
    if (mknod(device, S_IFCHR | 0600, makedev(1, 3)) == 0) {
        struct stat info;
        // A folder may forbid devices; then the write fails, and still replaces nothing.
        (void)hem_file_write(device, "gone", 4, 0, &error);
        ASSERT(stat(device, &info) == 0 && S_ISCHR(info.st_mode));
        ASSERT(hem_file_remove(device, &error));
    }
    ASSERT_EQ(0u, entries_in(folder));
    PASS();
}

TEST a_device_without_an_end_is_not_read_for_ever(void) {
    hem_file_error error;
    hem_bytes bytes;
    if (!hem_file_exists("/dev/zero")) {
        SKIP();
    }
    ASSERT(!hem_file_read("/dev/zero", &bytes, &error));
    ASSERT(bytes.data == NULL && error.code == EFBIG && strstr(error.text, "/dev/zero") != NULL);
    PASS();
}

TEST sockets_are_refused(void) {
    hem_file_error error;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char* name = in_folder("socket");
    if (strlen(name) >= sizeof address.sun_path) {
        SKIP();
    }
    strcpy(address.sun_path, name);
    int handle = socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT(handle >= 0 && bind(handle, (struct sockaddr*)&address, sizeof address) == 0);
    ASSERT(!hem_file_write(name, "x", 1, 0, &error));
    ASSERT(error.code == EOPNOTSUPP && strstr(error.text, name) != NULL);
    struct stat info;
    ASSERT(stat(name, &info) == 0 && S_ISSOCK(info.st_mode));
    close(handle);
    ASSERT(hem_file_remove(name, &error));
    ASSERT_EQ(0u, entries_in(folder));
    PASS();
}

// A link to an output folder elsewhere stays one; so does one that points to nothing yet.
TEST links_are_followed(void) {
    hem_file_error error;
    struct stat info;
    char link_name[1024], target[1024];
    snprintf(link_name, sizeof link_name, "%s", in_folder("link"));
    snprintf(target, sizeof target, "%s", in_folder("target"));
    ASSERT_EQ(0, symlink("target", link_name));
    for (int i = 0; i < 2; ++i) {
        ASSERT(hem_file_write(link_name, i == 0 ? "one" : "two", 3, 0, &error));
        ASSERT(lstat(link_name, &info) == 0 && S_ISLNK(info.st_mode));
        ASSERT(holds(target, i == 0 ? "one" : "two", 3));
    }
    ASSERT(hem_file_remove(link_name, &error) && hem_file_remove(target, &error));
    // Round and round is an answer.
    ASSERT_EQ(0, symlink("link", link_name));
    ASSERT(!hem_file_write(link_name, "x", 1, 0, &error) && error.code == ELOOP);
    ASSERT(hem_file_remove(link_name, &error));
    ASSERT_EQ(0u, entries_in(folder));
    PASS();
}

#endif

TEST temporary_names_are_free(void) {
    char a[512], b[512], tiny[4];
    ASSERT(hem_file_temp_name(a, sizeof a, "hem") && hem_file_temp_name(b, sizeof b, "hem"));
    ASSERT(!hem_file_exists(a) && strcmp(a, b) != 0);
    ASSERT(!hem_file_temp_name(tiny, sizeof tiny, "hem") && tiny[0] == 0);
    PASS();
}

SUITE(file_suite) {
    hem_file_error error;
    if (!hem_file_temp_name(folder, sizeof folder, "hem_test_file") || !hem_directory_make(folder, &error)) {
        printf("file_suite skipped: no temporary directory\n");
        return;
    }
    RUN_TEST(written_bytes_come_back);
    RUN_TEST(a_failed_write_leaves_what_was_there);
    RUN_TEST(errors_name_the_path_and_the_reason);
    RUN_TEST(directories_are_made_whole_and_listed_in_order);
    RUN_TEST(paths_are_taken_apart_and_joined);
#if !defined(_WIN32) && !defined(__wasi__)
    RUN_TEST(a_place_is_the_same_however_it_is_spelt);
    RUN_TEST(missing_folders_are_made_when_asked);
    RUN_TEST(pipes_and_devices_are_written_through);
    RUN_TEST(a_device_without_an_end_is_not_read_for_ever);
    RUN_TEST(sockets_are_refused);
    RUN_TEST(links_are_followed);
#endif
    RUN_TEST(temporary_names_are_free);
    hem_directory_remove(folder, NULL);
}
