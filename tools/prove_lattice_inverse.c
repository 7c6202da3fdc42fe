// SPDX-License-Identifier: MIT
#include "tools/prove_lattice.h"
#include "tools/bytes.h"
#include "compiler/hemc.h"
#include "platform/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// From an animated mesh to its lattice: what a frame takes, and whether a motion that the lattice can have comes back.

enum { AROUND = 30, ACROSS = 23, FRAMES = 60, RUNS = 5 };

static void put_u32(bytes* b, uint32_t x) {
    const uint8_t little[4] = {(uint8_t)x, (uint8_t)(x >> 8), (uint8_t)(x >> 16), (uint8_t)(x >> 24)};
    bytes_append(b, little, 4);
}

// A ring of AROUND x ACROSS vertices, as the least glTF that has a mesh.
static bool make_ring(bytes* file) {
    const double pi = 3.14159265358979323846;
    const uint32_t vertices = AROUND * ACROSS, indices = 6 * vertices;
    bytes data = {0}, text = {0};
    for (uint32_t i = 0; i < vertices; i++) {
        const double a = 2 * pi * (i / ACROSS) / AROUND, b = 2 * pi * (i % ACROSS) / ACROSS;
        const float x[3] = {(float)((0.6 + 0.25 * cos(b)) * cos(a)), (float)(0.25 * sin(b)),
                            (float)(-(0.6 + 0.25 * cos(b)) * sin(a))};
        bytes_append(&data, x, sizeof(x));
    }
    for (uint32_t i = 0; i < vertices; i++) {
        const uint32_t next = (i / ACROSS + 1) % AROUND * ACROSS, up = (i % ACROSS + 1) % ACROSS,
                       own = i / ACROSS * ACROSS;
        const uint32_t quad[6] = {i, next + i % ACROSS, next + up, i, next + up, own + up};
        bytes_append(&data, quad, sizeof(quad));
    }
    char json[1024];
    snprintf(
        json, sizeof(json),
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"name\":\"ring\",\"mesh\":0}],\"meshes\":[{\"name\":\"ring\",\"primitives\":"
        "[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"accessors\":[{\"bufferView\":0,\"componentType\":"
        "5126,\"count\":%u,\"type\":\"VEC3\",\"min\":[-0.85,-0.25,-0.85],\"max\":[0.85,0.25,0.85]},{\"bufferView\":1,"
        "\"componentType\":5125,\"count\":%u,\"type\":\"SCALAR\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":"
        "%u},{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u}],\"buffers\":[{\"byteLength\":%u}]}",
        vertices, indices, vertices * 12, vertices * 12, indices * 4, vertices * 12 + indices * 4);
    bytes_append(&text, json, strlen(json));
    while (text.size % 4 != 0) {
        bytes_append_u8(&text, ' ');
    }
    bytes_append(file, "glTF", 4);
    put_u32(file, 2);
    put_u32(file, (uint32_t)(12 + 8 + text.size + 8 + data.size));
    put_u32(file, (uint32_t)text.size);
    bytes_append(file, "JSON", 4);
    bytes_append(file, text.data, text.size);
    put_u32(file, (uint32_t)data.size);
    bytes_append(file, "BIN", 4); // with the zero that ends the string
    bytes_append(file, data.data, data.size);
    const bool good = !data.failed && !text.failed && !file->failed;
    bytes_destroy(&data);
    bytes_destroy(&text);
    return good;
}

static bool load_ring(asset* a) {
    static const char recipe[] =
        "{ \"version\": 1, \"body\": false, \"parts\": [ { \"name\": \"ring\", \"select\": { \"mesh\": \"ring\" },"
        " \"generator\": \"lattice\", \"spacing\": 0.12, \"attach\": \"none\" } ] }";
    bytes file = {0};
    uint8_t* compiled = NULL;
    size_t size = 0;
    bool good = make_ring(&file);
    const hemc_job job = {.input = "ring.glb",
                          .recipe = "ring.json",
                          .input_bytes = file.data,
                          .input_size = file.size,
                          .recipe_bytes = recipe,
                          .recipe_size = sizeof(recipe) - 1,
                          .verbosity = -1};
    good = good && hemc_compile(&job, &compiled, &size) == 0 && asset_from_bytes(a, "ring", compiled, size) == 0;
    hemc_free(compiled);
    bytes_destroy(&file);
    return good;
}

// Bent and swollen by turns; nothing that is linear in a cell.
static void sway(const float* rest, double t, float* to) {
    const double a = 0.6 * sin(6.0 * t) * (double)rest[1] + 0.4 * sin(4.0 * t) * (double)rest[0];
    const double grown = 1 + 0.2 * sin(9 * t + 3 * (double)rest[2]);
    to[0] = (float)(grown * ((double)rest[0] * cos(a) - (double)rest[2] * sin(a)));
    to[1] = (float)(grown * (double)rest[1] + 0.2 * sin(5 * t + 2 * (double)rest[0]));
    to[2] = (float)(grown * ((double)rest[0] * sin(a) + (double)rest[2] * cos(a)));
}

// Milliseconds: the first frame with all that is made once, and the dearest of the others; of each the least of several runs, which
// leaves out what others do.
static bool measure(const asset* a, float* vertices, float* particles, double* first, double* later) {
    const uint32_t count = a->view.info->vertex_count;
    double least[FRAMES];
    for (int32_t run = 0; run < RUNS; run++) {
        double begin = hem_clock_seconds();
        hemc_inverter* inverter = hemc_inverter_open(a->data, a->size, 0);
        const double opened = hem_clock_seconds() - begin;
        for (int32_t f = 0; inverter != NULL && f < FRAMES; f++) {
            for (uint32_t i = 0; i < count; i++) {
                sway(a->view.vertex_rest[i].position, f / 60.0, vertices + 3 * (size_t)i);
            }
            begin = hem_clock_seconds();
            hemc_inverter_frame(inverter, vertices, particles);
            const double took = 1e3 * (hem_clock_seconds() - begin + (f == 0 ? opened : 0));
            least[f] = fmin(run > 0 ? least[f] : INFINITY, took);
        }
        hemc_inverter_close(inverter);
        if (inverter == NULL) {
            return false;
        }
    }
    *first = least[0];
    *later = 0;
    for (int32_t f = 1; f < FRAMES; f++) {
        *later = fmax(*later, least[f]);
    }
    return true;
}

// Where the lattice has its vertices.
static void carry(const hem_view* v, const float* particles, float* vertices) {
    for (uint32_t i = 0; i < v->vertex_cell_count; i++) {
        const hem_vertex_cell* c = &v->vertex_cells[i];
        double x[3] = {0};
        for (uint32_t k = 0; k < 8; k++) {
            double weight = 1;
            for (uint32_t n = 0; n < 3; n++) {
                weight *= k >> n & 1 ? (double)c->at[n] : 1 - (double)c->at[n];
            }
            for (uint32_t n = 0; n < 3; n++) {
                x[n] += weight * (double)particles[3 * (size_t)v->lattice_cells[c->cell].corner[k] + n];
            }
        }
        for (uint32_t n = 0; n < 3; n++) {
            vertices[3 * (size_t)c->vertex + n] = (float)x[n];
        }
    }
}

// The lattice sways and every particle by itself by a tenth of a cell, which only what is trilinear can have: the mesh that follows is
// given back. Percent of its size.
static double round_trip(const asset* a, float* vertices, float* particles) {
    const hem_view* v = &a->view;
    const size_t floats = 3 * (size_t)v->info->vertex_count;
    float* back = calloc(floats, sizeof(float));
    hemc_inverter* inverter = hemc_inverter_open(a->data, a->size, 0);
    double worst = 0, size = 0;
    uint32_t random = 1;
    for (uint32_t k = 0; k < 3; k++) {
        size = fmax(size, (double)(v->info->bounds_max[k] - v->info->bounds_min[k]));
    }
    for (int32_t f = 0; back != NULL && inverter != NULL && f < FRAMES; f++) {
        for (uint32_t i = 0; i < v->info->particle_count; i++) {
            const hem_rest_row* row = &v->rest_rows[i >> 3];
            const float rest[3] = {row->x[i & 7], row->y[i & 7], row->z[i & 7]};
            sway(rest, f / 60.0, particles + 3 * (size_t)i);
            for (uint32_t k = 0; k < 3; k++) {
                random = random * 1664525u + 1013904223u;
                particles[3 * (size_t)i + k] +=
                    0.2f * v->lattices[0].spacing[k] * ((float)(random >> 8) / 16777216.0f - 0.5f);
            }
        }
        carry(v, particles, vertices);
        hemc_inverter_frame(inverter, vertices, particles);
        carry(v, particles, back);
        for (size_t i = 0; i < floats; i += 3) {
            const double d[3] = {(double)(back[i] - vertices[i]), (double)(back[i + 1] - vertices[i + 1]),
                                 (double)(back[i + 2] - vertices[i + 2])};
            worst = fmax(worst, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
        }
    }
    worst = back != NULL && inverter != NULL ? 100.0 * worst / size : INFINITY;
    hemc_inverter_close(inverter);
    free(back);
    return worst;
}

static void prove_mesh(proof* p, const asset* a, const char* name) {
    const hem_info* info = a->view.info;
    float* vertices = calloc(3 * (size_t)info->vertex_count, sizeof(float));
    float* particles = calloc(3 * (size_t)info->particle_count, sizeof(float));
    double first, later;
    if (vertices != NULL && particles != NULL && measure(a, vertices, particles, &first, &later)) {
        proof_at_most(p, 50.0, first, "ms", "inverse of %s, %u vertices on %u particles, first frame", name,
                      info->vertex_count, info->real_particle_count);
        proof_at_most(p, 5.0, later, "ms", "the dearest of the %d others", FRAMES - 1);
        proof_at_most(p, 0.1, round_trip(a, vertices, particles), "% of its size",
                      "its inverse, then forward, of %d frames that trilinear can express", FRAMES);
    } else {
        proof_unmeasured(p, "50 ms", "there is no inverse", "inverse of %s", name);
    }
    free(vertices);
    free(particles);
}

void prove_lattice_inverse(proof* p) {
    asset a;
    if (load_ring(&a)) {
        prove_mesh(p, &a, "a ring");
        asset_unload(&a);
    } else {
        proof_unmeasured(p, "50 ms", "it does not compile", "inverse of a ring of 690 vertices");
    }
    if (proof_sample(p, "octopus_lattice", &a)) {
        prove_mesh(p, &a, "the octopus");
        asset_unload(&a);
    }
}
