// SPDX-License-Identifier: MIT
// The same .hem everywhere: every sample character, generated and compiled here, must have the bytes that the table
// says, whichever compiler built this program and whatever machine runs it. HEM_GOLDEN=print shows the table as this build
// computes it. And the same mesh in the mirror. Started in the root; files go to a folder of its own in TMPDIR, which is removed:
// two of these may run at once.

#include "compiler/driver/compile.h"
#include "formats/hem_validate.h"
#include "platform/file.h"
#include "samples/glb.h"
#include "samples/kit_samples.h"

#include "greatest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct golden {
    const char* recipe; // samples/NAME.json
    const char* sample;
    uint64_t glb, hem; // XXH3-128 of all bytes, the first half
} golden;

static const golden table[] = {
#include "tests/golden/table.inl"
};
enum { COUNT = sizeof table / sizeof table[0] };

static char folder[512];

static bool open_folder(void) {
    hem_file_error error;
    return hem_file_temp_name(folder, sizeof folder, "hem_golden") && hem_directory_make(folder, &error);
}

static void remove_folder(void) {
    hem_directory_list list;
    hem_file_error error;
    if (hem_directory_read(folder, &list, &error)) {
        for (size_t i = 0; i < list.count; ++i) {
            char path[1024];
            hem_path_join(path, sizeof path, folder, list.entries[i].name);
            hem_file_remove(path, &error);
        }
        hem_directory_list_free(&list);
    }
    hem_directory_remove(folder, &error);
}

static void name_file(char* path, size_t size, const char* name, const char* ending) {
    snprintf(path, size, "%s/%s%s", folder, name, ending);
}

static uint64_t hash_of(const void* bytes, size_t size) {
    uint8_t digest[16];
    uint64_t value = 0;
    hemc_hash128(bytes, size, digest);
    for (int i = 0; i < 8; ++i) {
        value = value << 8 | digest[i];
    }
    return value;
}

// Writes the sample as a file; 0 when that fails.
static uint64_t write_sample(const char* name) {
    uint64_t hash = 0;
    for (int32_t i = 0; i < kit_sample_count; ++i) {
        if (strcmp(kit_samples[i].name, name) == 0) {
            kit_model* model = kit_model_new(name);
            kit_samples[i].build(model);
            glb_file file = glb_pack(model);
            char path[1024];
            hem_file_error error;
            name_file(path, sizeof path, name, ".glb");
            hash = hem_file_write(path, file.bytes, file.size, 0, &error) ? hash_of(file.bytes, file.size) : 0;
            kit_model_free(model);
        }
    }
    return hash;
}

static int compile(const golden* g, uint8_t** bytes, size_t* size) {
    char input[1024], recipe[1024], report[1024];
    name_file(input, sizeof input, g->sample, ".glb");
    name_file(report, sizeof report, g->recipe, ".report.json");
    snprintf(recipe, sizeof recipe, "samples/%s.json", g->recipe);
    hemc_job job = {.input = input, .recipe = recipe, .report = report, .verbosity = -1};
    hemc_outcome outcome;
    memset(&outcome, 0, sizeof outcome);
    hemc_execute(&job, &outcome, bytes, size);
    const int code = outcome.exit_code;
    if (code != 0 && outcome.messages != NULL) {
        fprintf(stderr, "%s", outcome.messages);
    }
    hemc_outcome_free(&outcome);
    return code;
}

TEST samples_compile_to_the_bytes_of_the_table(void) {
    const char* mode = getenv("HEM_GOLDEN");
    const bool print = mode != NULL && strcmp(mode, "print") == 0;
    int wrong = 0;
    for (int i = 0; i < COUNT; ++i) {
        const golden* g = &table[i];
        uint8_t* bytes = NULL;
        size_t size = 0;
        const uint64_t glb = write_sample(g->sample);
        ASSERTm(g->sample, glb != 0);
        ASSERT_EQm(g->recipe, 0, compile(g, &bytes, &size));
        const uint64_t hem = hash_of(bytes, size);
        hemc_free(bytes);
        if (print) {
            printf("{\"%s\", \"%s\", 0x%016llxull, 0x%016llxull},\n", g->recipe, g->sample, (unsigned long long)glb,
                   (unsigned long long)hem);
            continue;
        }
        if (glb != g->glb || hem != g->hem) {
            fprintf(stderr, "%s: %s, not as in tests/golden/table.inl\n", g->recipe,
                    glb != g->glb ? "the sample itself is another" : "compiled to other bytes");
            ++wrong;
        }
    }
    ASSERT_EQ(0, wrong);
    PASS();
}

// What the lanes and nets of clothes must reach, read from the reports as people would.
TEST clothes_are_nets_of_quads_in_full_lanes(void) {
    static const struct {
        const char *recipe, *part;
        double regular, fill;
    } rows[] = {
        {"cape_girl", "cape", 0.9, 0.85},   {"cape_girl", "skirt", 0.9, 0.85}, {"cape_girl", "hair", 0, 0.84},
        {"somersault", "skirt", 0.9, 0.85}, {"robe", "robe", 0.9, 0.85},       {"flag", "flag", 0.9, 0.85},
        {"curls", "curls", 0, 0.85},        {"hair", "hair", 0, 0.85},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        hemc_arena* arena = hemc_arena_create();
        hemc_log log = {.arena = arena};
        char path[1024];
        uint8_t* text;
        size_t size;
        name_file(path, sizeof path, rows[i].recipe, ".report.json");
        ASSERTm(path, hemc_read_file(arena, path, &text, &size));
        const hemc_json* report = hemc_json_parse(arena, &log, path, "", (const char*)text, size, false);
        ASSERTm(path, report != NULL);
        bool found = false;
        for (const hemc_json* part = hemc_json_member(report, "parts")->first; part != NULL; part = part->next) {
            if (strcmp(hemc_json_member(part, "name")->string, rows[i].part) != 0) {
                continue;
            }
            found = true;
            ASSERTm(rows[i].part, hemc_json_member(part, "lane_fill")->number >= rows[i].fill);
            if (rows[i].regular > 0.0) {
                ASSERTm(rows[i].part, hemc_json_member(part, "regular")->number >= rows[i].regular);
                ASSERTm(rows[i].part, hemc_json_member(part, "inner")->number > 100.0);
            }
        }
        ASSERTm(rows[i].part, found);
        hemc_arena_destroy(arena);
    }
    PASS();
}

TEST one_thread_and_eight_write_the_same_files(void) {
#if defined(__aarch64__)
    SKIPm("slow under emulation, and threads are not what differs there");
#endif
    static const char* const names[] = {"flag", "hair", "crossing_sheets", "monster"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) { // beside the samples: where a recipe lies is all one
        char from[1024], to[1024];
        hem_bytes bytes;
        hem_file_error error;
        snprintf(from, sizeof from, "samples/%s.json", names[i]);
        name_file(to, sizeof to, names[i], ".json");
        ASSERTm(from, hem_file_read(from, &bytes, &error));
        ASSERTm(to, hem_file_write(to, bytes.data, bytes.size, 0, &error));
        hem_bytes_free(&bytes);
    }
    for (int threads = 1; threads <= 8; threads += 7) {
        char list[1024], tag[32];
        snprintf(tag, sizeof tag, ".list%d.json", threads);
        name_file(list, sizeof list, "batch", tag);
        FILE* file = fopen(list, "wb");
        ASSERT(file != NULL);
        fprintf(file, "[");
        for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
            fprintf(file, "%s{\"input\": \"%s.glb\", \"recipe\": \"%s.json\", ", i != 0 ? ", " : "", names[i],
                    names[i]);
            fprintf(file, "\"output\": \"%s.%d.hem\"}", names[i], threads);
        }
        fprintf(file, "]");
        fclose(file);
        hemc_job defaults = {.verbosity = -1};
        ASSERT_EQ(0, hemc_batch_run(list, (uint32_t)threads, &defaults));
        for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
            hemc_arena* arena = hemc_arena_create();
            char path[1024], ending[32];
            uint8_t* bytes;
            size_t size;
            snprintf(ending, sizeof ending, ".%d.hem", threads);
            name_file(path, sizeof path, names[i], ending);
            ASSERTm(path, hemc_read_file(arena, path, &bytes, &size));
            for (int k = 0; k < COUNT; ++k) {
                if (strcmp(table[k].recipe, names[i]) == 0) {
                    ASSERTm(path, hash_of(bytes, size) == table[k].hem);
                }
            }
            hemc_arena_destroy(arena);
        }
    }
    PASS();
}

// -- In the mirror

// The sample under one more node that turns x around, as glTF allows; 0 when it cannot be written.
static bool write_mirrored(hemc_arena* arena, const char* from, const char* to) {
    uint8_t* bytes;
    size_t size;
    uint32_t old;
    if (!hemc_read_file(arena, from, &bytes, &size)) {
        return false;
    }
    memcpy(&old, bytes + 12, sizeof old);
    const char* json = hemc_copy_string(arena, (const char*)bytes + 20, old);
    const char* list = strstr(json, "\"nodes\":["); // of the scene, which our writer puts first
    const char* list_end = list != NULL ? strchr(list, ']') : NULL;
    const char* nodes = list_end != NULL ? strstr(list_end, "\"nodes\":[") : NULL;
    if (nodes == NULL) {
        return false;
    }
    list += strlen("\"nodes\":[");
    const char* end = nodes + strlen("\"nodes\":[");
    int count = 0;
    for (int depth = 1;; ++end) { // no name of ours has a bracket in it
        count += *end == '{' && depth == 1;
        depth += (*end == '{' || *end == '[') - (*end == '}' || *end == ']');
        if (depth == 0) {
            break;
        }
    }
    const char* text = hemc_format(
        arena, "%.*s%d%.*s,{\"name\":\"mirror\",\"scale\":[-1,1,1],\"children\":[%.*s]}%s   ", (int)(list - json), json,
        count, (int)(end - list_end), list_end, (int)(list_end - list), list, end);
    const uint32_t length = (uint32_t)strlen(text) / 4 * 4; // the spaces fill it up
    const uint32_t total = (uint32_t)(size - old + length);
    uint8_t* out = hemc_alloc(arena, total, 1);
    memcpy(out, bytes, 20);
    memcpy(out + 8, &total, sizeof total);
    memcpy(out + 12, &length, sizeof length);
    memcpy(out + 20, text, length);
    memcpy(out + 20 + length, bytes + 20 + old, size - 20 - old);
    hem_file_error error;
    return hem_file_write(to, out, total, 0, &error);
}

static int compare_keys(const void* a, const void* b) {
    const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return x < y ? -1 : x > y;
}

static uint64_t link_key(const uint32_t* name, uint32_t a, uint32_t b, uint32_t kind) {
    const uint64_t x = name != NULL ? name[a] : a, y = name != NULL ? name[b] : b;
    return (uint64_t)kind << 60 | (x < y ? x << 30 | y : y << 30 | x);
}

// Every link and every membership of a group (as another kind), by name[particle], sorted. Lengths are not compared: they
// follow from the positions.
static size_t list_bonds(const hem_view* v, const uint32_t* name, uint64_t* keys) {
    enum { MEMBER = 7 };
    size_t count = 0;
    for (uint32_t i = 0; i < v->link_batch_count; ++i) {
        const hem_link_batch* b = &v->link_batches[i];
        for (uint32_t lane = 0; lane < 8; ++lane) {
            if (b->lane_mask >> lane & 1) {
                keys[count++] = link_key(name, b->row_a * 8 + lane, b->row_b * 8 + ((lane + b->rotate) & 7), b->kind);
            }
        }
    }
    for (uint32_t i = 0; i < v->index_batch_count; ++i) {
        const hem_index_batch* b = &v->index_batches[i];
        for (uint32_t lane = 0; lane < 8; ++lane) {
            if (b->lane_mask >> lane & 1) {
                keys[count++] = link_key(name, b->a[lane], b->b[lane], b->kind);
            }
        }
    }
    for (uint32_t i = 0; i < v->group_batch_count; ++i) {
        const hem_group_batch* b = &v->group_batches[i];
        for (uint32_t m = b->member_begin; m < b->member_begin + b->member_count; ++m) {
            const bool indexed = b->own_row == UINT32_MAX;
            const uint32_t mask = indexed ? v->group_indices[m].lane_mask : v->group_members[m].lane_mask;
            for (uint32_t lane = 0; lane < 8; ++lane) {
                if (b->lane_mask >> lane & mask >> lane & 1) {
                    const uint32_t other =
                        indexed ? v->group_indices[m].index[lane]
                                : v->group_members[m].row * 8 + ((lane + v->group_members[m].rotate) & 7);
                    keys[count++] = link_key(name, b->own[lane], other, MEMBER);
                }
            }
        }
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    return count;
}

static size_t most_bonds(const hem_view* v) {
    return 8 * ((size_t)v->link_batch_count + v->index_batch_count + v->group_member_count + v->group_index_count) + 1;
}

// The particle of b that is the mirror image of particle i of a and not taken yet, UINT32_MAX when there is none.
static uint32_t find_image(const hem_view* a, uint32_t i, const hem_view* b, const uint8_t* taken, float reach) {
    const hem_rest_row* r = &a->rest_rows[i / 8];
    for (uint32_t j = 0; j < b->info->particle_count; ++j) {
        const hem_rest_row* s = &b->rest_rows[j / 8];
        const float x = r->x[i % 8] + s->x[j % 8], y = r->y[i % 8] - s->y[j % 8], z = r->z[i % 8] - s->z[j % 8];
        if (!taken[j] && x * x + y * y + z * z <= reach * reach && a->particle_flags[i] == b->particle_flags[j]) {
            return j; // of the same part and role
        }
    }
    return UINT32_MAX;
}

TEST samples_in_a_mirror_are_their_mirror_images(void) {
#if defined(__aarch64__)
    SKIPm("slow under emulation, and the bytes of the unmirrored ones are compared there");
#endif
    // All generators, folded and open cloth, automatic collision particles, paint.
    static const char* const names[] = {"cape_girl", "robe", "curls", "octopus"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; ++n) {
        hemc_arena* arena = hemc_arena_create();
        char path[1024], mirror_name[64], mirror_path[1024];
        snprintf(mirror_name, sizeof mirror_name, "mirrored_%s", names[n]);
        name_file(path, sizeof path, names[n], ".glb");
        name_file(mirror_path, sizeof mirror_path, mirror_name, ".glb");
        ASSERT(write_sample(names[n]) != 0);
        ASSERT(write_mirrored(arena, path, mirror_path));
        const golden jobs[2] = {{names[n], names[n], 0, 0}, {names[n], mirror_name, 0, 0}};
        uint8_t* bytes[2];
        size_t size[2];
        hem_view v[2];
        for (int k = 0; k < 2; ++k) {
            ASSERT_EQm(names[n], 0, compile(&jobs[k], &bytes[k], &size[k]));
            ASSERT_EQ(HEM_FORMAT_OK, hem_validate(bytes[k], size[k], &v[k], NULL));
        }
        ASSERT_EQm(names[n], v[0].info->real_particle_count, v[1].info->real_particle_count);
        const float reach = 1e-6f * (v[0].info->bounds_max[1] - v[0].info->bounds_min[1]);
        uint8_t* taken = hemc_alloc(arena, v[1].info->particle_count, 1);
        uint32_t* image = hemc_alloc(arena, v[0].info->particle_count, sizeof *image);
        for (uint32_t i = 0; i < v[0].info->particle_count; ++i) {
            if (v[0].particle_flags[i] & HEM_PARTICLE_PAD) {
                continue;
            }
            image[i] = find_image(&v[0], i, &v[1], taken, reach);
            ASSERTm(names[n], image[i] != UINT32_MAX);
            const uint32_t j = image[i];
            taken[j] = 1;
            const float mass = v[0].rest_rows[i / 8].mass[i % 8];
            ASSERT_IN_RANGEm(names[n], mass, v[1].rest_rows[j / 8].mass[j % 8], 1e-5f * mass);
        }
        uint64_t* keys[2];
        size_t count[2];
        for (int k = 0; k < 2; ++k) {
            keys[k] = hemc_alloc(arena, most_bonds(&v[k]), sizeof **keys);
            count[k] = list_bonds(&v[k], k == 0 ? image : NULL, keys[k]);
        }
        ASSERTm(names[n], count[0] > v[0].info->real_particle_count / 2);
        ASSERT_EQm(names[n], count[0], count[1]);
        ASSERTm(names[n], memcmp(keys[0], keys[1], count[0] * sizeof **keys) == 0);
        hemc_free(bytes[0]);
        hemc_free(bytes[1]);
        hemc_arena_destroy(arena);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char** argv) {
    GREATEST_MAIN_BEGIN();
    if (!open_folder()) {
        fprintf(stderr, "test_golden: no folder can be made in TMPDIR\n");
        return 1;
    }
    RUN_TEST(samples_compile_to_the_bytes_of_the_table);
    RUN_TEST(clothes_are_nets_of_quads_in_full_lanes);
    RUN_TEST(one_thread_and_eight_write_the_same_files);
    RUN_TEST(samples_in_a_mirror_are_their_mirror_images);
    remove_folder();
    GREATEST_MAIN_END();
}
