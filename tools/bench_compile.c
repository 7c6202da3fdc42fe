// SPDX-License-Identifier: MIT
#include "tools/bench_private.h"
#include "tools/bytes.h"
#include "formats/hem_validate.h"
#include "platform/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The compiler: how many assets and triangles a second, beside gltfpack on the same files, and how it grows with the
// mesh. Seconds of processor time, all threads. gltfpack does other work (it optimises and quantises meshes); it stands
// here as the asset step that build farms know.

static const char* const SAMPLES[] = {"cape_girl", "robe", "somersault", "monster", "hair", "octopus", "curls", "flag"};

static void add(bench* b, const char* workload, const char* contestant, double seconds, double amount,
                const char* unit) {
    bench_result* r = bench_add(b, workload, contestant);
    if (r != NULL) {
        r->times.median_ms = r->times.best_ms = 1e3 * seconds;
        r->rate = amount / seconds;
        r->rate_unit = unit;
    }
}

// Of the preview section of what was compiled.
static double triangle_count(const uint8_t* data, size_t size) {
    hem_view view;
    return hem_validate(data, size, &view, NULL) == HEM_FORMAT_OK ? (double)view.preview_index_count / 3.0 : 0.0;
}

static bool have_gltfpack(void) {
    return system("command -v gltfpack >/dev/null 2>&1") == 0;
}

static void run_samples(bench* b) {
    double ours = 0, theirs = 0, triangles = 0;
    int32_t count = 0;
    bool peer = b->peers && have_gltfpack();
    if (b->peers && !peer) {
        bench_note(b, "gltfpack is not installed: no comparison for compile-samples");
    }
    for (size_t i = 0; i < sizeof(SAMPLES) / sizeof(SAMPLES[0]); i++) {
        char glb[BENCH_PATH_MAX], recipe[BENCH_PATH_MAX], command[3 * BENCH_PATH_MAX];
        if (!bench_sample_path(b, SAMPLES[i], glb, recipe)) {
            continue;
        }
        bench_progress(SAMPLES[i]);
        const hemc_job job = {.input = glb, .recipe = recipe, .verbosity = -1};
        uint8_t* compiled = NULL;
        size_t size = 0;
        double start = bench_process_seconds();
        int code = hemc_compile(&job, &compiled, &size);
        double end = bench_process_seconds();
        if (code != 0) {
            bench_note(b, "compile-samples: %s does not compile; left out", SAMPLES[i]);
            continue;
        }
        ours += end - start;
        triangles += triangle_count(compiled, size);
        count++;
        hemc_free(compiled);
        if (peer) {
            snprintf(command, sizeof(command), "gltfpack -i \"%s\" -o \"%s/packed.glb\" >/dev/null 2>&1", glb,
                     b->work_folder);
            start = bench_children_seconds();
            peer = system(command) == 0;
            theirs += bench_children_seconds() - start;
            if (!peer) {
                bench_note(b, "compile-samples: gltfpack fails on %s", glb);
            }
        }
    }
    if (count > 0) {
        add(b, "compile-samples", "hem", ours, (double)count, "assets/s");
        add(b, "compile-triangles", "hem", ours, triangles * 1e-3, "k triangles/s");
        if (peer) {
            add(b, "compile-samples", "gltfpack", theirs, (double)count, "assets/s");
            add(b, "compile-triangles", "gltfpack", theirs, triangles * 1e-3, "k triangles/s");
        }
    }
}

// -- Growth: one curtain, ever finer

static void put_u32(bytes* b, uint32_t value) {
    uint8_t little[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    bytes_append(b, little, 4);
}

// A wavy curtain of side * side quads, 1 m x 1.5 m, upright, as the least glTF that has a mesh.
static bool write_curtain(const char* path, int32_t side) {
    uint32_t row = (uint32_t)side + 1, vertices = row * row, indices = 6u * (uint32_t)(side * side);
    bytes data = {0}, text = {0}, file = {0};
    for (uint32_t i = 0; i < vertices; i++) {
        float u = (float)(i % row) / (float)side, v = (float)(i / row) / (float)side;
        float fold = u * 8.0f - floorf(u * 8.0f); // parabolas: no libm beyond floor
        float p[3] = {u - 0.5f, 1.5f - 1.5f * v, 0.15f * fold * (1.0f - fold)};
        bytes_append(&data, p, sizeof(p));
    }
    for (int32_t z = 0; z < side; z++) {
        for (int32_t x = 0; x < side; x++) {
            uint32_t a = (uint32_t)z * row + (uint32_t)x;
            const uint32_t quad[6] = {a, a + row, a + 1, a + 1, a + row, a + row + 1};
            bytes_append(&data, quad, sizeof(quad));
        }
    }
    char json[1024];
    snprintf(json, sizeof(json),
             "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
             "\"nodes\":[{\"name\":\"curtain\",\"mesh\":0}],\"meshes\":[{\"name\":\"curtain\",\"primitives\":"
             "[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"accessors\":[{\"bufferView\":0,\"componentType\":"
             "5126,\"count\":%u,\"type\":\"VEC3\",\"min\":[-0.5,0,0],\"max\":[0.5,1.5,0.0375]},{\"bufferView\":1,"
             "\"componentType\":5125,\"count\":%u,\"type\":\"SCALAR\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":"
             "%u},{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u}],\"buffers\":[{\"byteLength\":%u}]}",
             vertices, indices, vertices * 12, vertices * 12, indices * 4, vertices * 12 + indices * 4);
    bytes_append(&text, json, strlen(json));
    while (text.size % 4 != 0) {
        bytes_append_u8(&text, ' ');
    }
    bytes_append(&file, "glTF", 4);
    put_u32(&file, 2);
    put_u32(&file, (uint32_t)(12 + 8 + text.size + 8 + data.size));
    put_u32(&file, (uint32_t)text.size);
    bytes_append(&file, "JSON", 4);
    bytes_append(&file, text.data, text.size);
    put_u32(&file, (uint32_t)data.size);
    bytes_append(&file, "BIN", 4); // with the zero that ends the string
    bytes_append(&file, data.data, data.size);
    bool good = !data.failed && !text.failed && !file.failed && hem_file_write(path, file.data, file.size, 0, NULL);
    bytes_destroy(&data);
    bytes_destroy(&text);
    bytes_destroy(&file);
    return good;
}

static void run_growth(bench* b) {
    static const int32_t SIDES[] = {64, 128, 256};
    static const char RECIPE[] =
        "{ \"version\": 1, \"body\": false, \"parts\": [ { \"name\": \"curtain\", \"select\": { \"mesh\": \"curtain\" "
        "},"
        " \"generator\": \"cut\", \"axis\": \"y\", \"particles\": 400, \"attach\": { \"top\": 0.05 } } ] }";
    char glb[BENCH_PATH_MAX], recipe[BENCH_PATH_MAX];
    snprintf(glb, sizeof(glb), "%s/curtain.glb", b->work_folder);
    snprintf(recipe, sizeof(recipe), "%s/curtain.json", b->work_folder);
    if (!hem_file_write(recipe, RECIPE, sizeof(RECIPE) - 1, 0, NULL)) {
        bench_note(b, "cannot write %s", recipe);
        return;
    }
    for (size_t i = 0; i < sizeof(SIDES) / sizeof(SIDES[0]); i++) {
        char workload[48];
        snprintf(workload, sizeof(workload), "compile-curtain-%d", (int)(2 * SIDES[i] * SIDES[i]));
        if (!bench_wants(b, workload)) {
            continue;
        }
        bench_progress(workload);
        const hemc_job job = {.input = glb, .recipe = recipe, .verbosity = -1};
        uint8_t* compiled = NULL;
        size_t size = 0;
        if (!write_curtain(glb, SIDES[i])) {
            bench_note(b, "cannot write %s", glb);
            return;
        }
        double start = bench_process_seconds();
        int code = hemc_compile(&job, &compiled, &size);
        double end = bench_process_seconds();
        hemc_free(compiled);
        if (code != 0) {
            bench_note(b, "%s: does not compile (exit code %d)", workload, code);
            continue;
        }
        add(b, workload, "hem", end - start, 2e-3 * (double)SIDES[i] * (double)SIDES[i], "k triangles/s");
    }
}

void bench_run_compile(bench* b) {
    if (bench_wants(b, "compile-samples") || bench_wants(b, "compile-triangles")) {
        run_samples(b);
    }
    run_growth(b);
}
