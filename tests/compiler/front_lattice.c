// SPDX-License-Identifier: MIT
#include "greatest.h"

#include "front_bench.h"
#include "front_kit.h"

#include "compiler/shape/inverse.h"
#include "formats/hem_lattice_text.h"
#include "formats/hem_validate.h"
#include "tests/compiler/gen_kit.h"

#include <stdio.h>
#include <string.h>

// Lattices on their way to a modelling tool and back: the inverse against motions whose answer is known, and the program.

#define PI 3.14159265358979323846

static hemc_d3 ball(double u, double v) {
    const double a = 2 * PI * u, b = PI * (v - 0.5);
    return d3(0.8 * cos(a) * cos(b), 1.2 * sin(b), -sin(a) * cos(b));
}

static bool make_ball(gen_kit* g, int finer) {
    gen_begin(g, 0.0);
    g->part.generator = HEMC_LATTICE;
    g->part.kind = HEM_PART_SOFT;
    g->part.lattice = (hemc_lattice_recipe){.spacing = {0.25f, 0.3f, 0.2f}, .inside = true};
    gen_grid(g, 30 * finer, 22 * finer, ball, false, 0);
    return gen_run(g);
}

// Stretched, sheared, turned and moved.
static hemc_d3 affine(hemc_d3 p) {
    return d3(1.2 * p.x - 0.5 * p.y + 0.1 * p.z + 3, 0.4 * p.x + 0.9 * p.y - 0.3 * p.z - 1,
              0.2 * p.y + 1.1 * p.z + 0.5);
}

// What is linear is had exactly, by every particle, also those of cells without a vertex.
TEST a_linear_motion_comes_back(void) {
    gen_kit g;
    ASSERT(make_ball(&g, 1));
    const hemc_particles* p = &g.particles;
    const uint32_t n = g.surface.vertex_count;
    hemc_inverse* inverse = hemc_inverse_make(g.arena, p->lattice, p->count, g.surface.positions, n);
    ASSERT(inverse != NULL);
    hemc_vec3* now = hemc_alloc(g.arena, n, sizeof *now);
    hemc_vec3* particles = hemc_alloc(g.arena, p->count, sizeof *particles);
    for (uint32_t v = 0; v < n; ++v) {
        now[v] = d3_to(affine(d3_from(g.surface.positions[v])));
    }
    hemc_inverse_frame(inverse, now, particles);
    for (uint32_t i = 0; i < p->count; ++i) {
        ASSERT_IN_RANGE(0.0, d3_distance(d3_from(particles[i]), affine(d3_from(p->positions[i]))), 2e-5);
    }
    const hemc_inverse_error e = hemc_inverse_measure(inverse, now, particles);
    ASSERT_IN_RANGE(0.0, e.worst, 1e-5);
    ASSERT(e.mean <= e.worst);
    gen_end(&g);
    PASS();
}

// A bend is not linear in a cell, but nearly: the lattice follows within a hundredth, and what is off is what is said.
TEST a_bend_is_followed_closely(void) {
    gen_kit g;
    ASSERT(make_ball(&g, 1));
    const hemc_particles* p = &g.particles;
    const uint32_t n = g.surface.vertex_count;
    hemc_inverse* inverse = hemc_inverse_make(g.arena, p->lattice, p->count, g.surface.positions, n);
    hemc_vec3* now = hemc_alloc(g.arena, n, sizeof *now);
    hemc_vec3* particles = hemc_alloc(g.arena, p->count, sizeof *particles);
    for (uint32_t v = 0; v < n; ++v) {
        const hemc_d3 x = d3_from(g.surface.positions[v]);
        const double a = 0.5 * x.y;
        now[v] = d3_to(d3(x.x * cos(a) - 2 * (1 - cos(a)), 2 * sin(a) + x.x * sin(a), x.z));
    }
    hemc_inverse_frame(inverse, now, particles);
    const hemc_inverse_error e = hemc_inverse_measure(inverse, now, particles);
    ASSERT(e.worst > 1e-4 && e.worst < 0.024);
    gen_end(&g);
    PASS();
}

// The thesis' example: points on a line along an axis stay on a line, wherever the corners go; one that is pulled away
// cannot be had, and the error says so.
TEST what_trilinear_cannot_express_is_said(void) {
    hemc_random random = {11};
    for (int n = 0; n < 50; ++n) {
        hemc_d3 corner[8], p[3];
        for (int k = 0; k < 8; ++k) {
            corner[k] = d3(hemc_random_unit(&random), hemc_random_unit(&random), hemc_random_unit(&random));
        }
        for (int i = 0; i < 3; ++i) {
            const double at[3] = {0.2 + 0.3 * i, 0.3, 0.6};
            double weights[8];
            hemc_cell_weights(at, weights);
            p[i] = d3(0, 0, 0);
            for (int k = 0; k < 8; ++k) {
                p[i] = d3_madd(p[i], corner[k], weights[k]);
            }
        }
        ASSERT_IN_RANGE(0.0, d3_length(d3_cross(d3_sub(p[1], p[0]), d3_sub(p[2], p[0]))), 1e-12);
    }
    gen_kit g;
    ASSERT(make_ball(&g, 3)); // many vertices to a cell
    const hemc_particles* p = &g.particles;
    const uint32_t n = g.surface.vertex_count, pulled = n / 3;
    hemc_inverse* inverse = hemc_inverse_make(g.arena, p->lattice, p->count, g.surface.positions, n);
    hemc_vec3* now = hemc_alloc(g.arena, n, sizeof *now);
    hemc_vec3* particles = hemc_alloc(g.arena, p->count, sizeof *particles);
    memcpy(now, g.surface.positions, n * sizeof *now);
    now[pulled].x += 0.3f;
    hemc_inverse_frame(inverse, now, particles);
    const hemc_inverse_error e = hemc_inverse_measure(inverse, now, particles);
    ASSERT_EQ(pulled, e.vertex);
    ASSERT(e.worst > 0.1 && e.worst < 0.3);
    gen_end(&g);
    PASS();
}

// What is trilinear in every cell comes back within a thousandth, though every particle goes its own way.
TEST a_trilinear_motion_comes_back(void) {
    hemc_random random = {5};
    gen_kit g;
    ASSERT(make_ball(&g, 3));
    const hemc_particles* p = &g.particles;
    const uint32_t n = g.surface.vertex_count;
    hemc_cell_table table;
    hemc_cell_table_make(g.arena, p->lattice, &table);
    hemc_inverse* inverse = hemc_inverse_make(g.arena, p->lattice, p->count, g.surface.positions, n);
    hemc_vec3* now = hemc_alloc(g.arena, n, sizeof *now);
    hemc_d3* moved = hemc_alloc(g.arena, p->count, sizeof *moved);
    hemc_vec3* particles = hemc_alloc(g.arena, p->count, sizeof *particles);
    for (int frame = 0; frame < 3; ++frame) { // the matrix is that of the rest shape in each
        for (uint32_t i = 0; i < p->count; ++i) {
            const hemc_d3 off = d3(hemc_random_unit(&random), hemc_random_unit(&random), hemc_random_unit(&random));
            moved[i] = d3_madd(affine(d3_from(p->positions[i])), off, 0.01 * (frame + 1));
        }
        for (uint32_t v = 0; v < n; ++v) {
            double at[3], weights[8];
            const uint32_t cell = hemc_find_cell(&table, d3_from(g.surface.positions[v]), at);
            hemc_d3 x = d3(0, 0, 0);
            hemc_cell_weights(at, weights);
            for (int k = 0; k < 8; ++k) {
                x = d3_madd(x, moved[p->lattice->corners[cell][k]], weights[k]);
            }
            now[v] = d3_to(x);
        }
        hemc_inverse_frame(inverse, now, particles);
        const hemc_inverse_error e = hemc_inverse_measure(inverse, now, particles);
        ASSERT_IN_RANGE(0.0, e.worst / 2.4, 1e-3); // of its height
    }
    gen_end(&g);
    PASS();
}

static hemc_d3 sheet(double u, double v) {
    return d3(u, v, 0.0);
}

TEST a_mesh_in_a_plane_is_refused(void) {
    gen_kit g;
    gen_begin(&g, 0.0);
    g.part.generator = HEMC_LATTICE;
    g.part.kind = HEM_PART_SOFT;
    g.part.lattice = (hemc_lattice_recipe){.spacing = {0.25f, 0.25f, 0.25f}};
    gen_grid(&g, 8, 8, sheet, false, 0);
    ASSERT(gen_run(&g));
    ASSERT(hemc_inverse_make(g.arena, g.particles.lattice, g.particles.count, g.surface.positions,
                             g.surface.vertex_count) == NULL);
    gen_end(&g);
    PASS();
}

// -- The program

static const char recipe[] =
    "{ \"version\": 1, \"parts\": [ { \"name\": \"jelly\", \"select\": { \"node\": \"Sheet\" },\n"
    " \"generator\": \"lattice\", \"spacing\": [0.3, 0.25, 0.2], \"attach\": \"none\" } ], \"body\": false }";

static bool says(bench* b, const char* file, const char* text) {
    uint8_t* bytes;
    size_t size;
    return bench_read(b, bench_path(b, file), &bytes, &size) && strstr((const char*)bytes, text) != NULL;
}

TEST body_files_leave_and_come_back(void) {
    bench b;
    ASSERT(bench_begin(&b));
    char path[600];
    ASSERT(kit_write(b.folder, "l.json", recipe, strlen(recipe), path));
    const char* hem = bench_path(&b, "a.hem");
    const char* rmb = bench_path(&b, "a.rmb");
    hemc_job job = {.input = b.input, .recipe = path, .output = hem, .verbosity = -1};
    ASSERT_EQ(0, hemc_run(&job));
    const char* export[] = {"lattice", "export", hem, "-o", rmb};
    ASSERT_EQ(0, bench_run(&b, export, 5));
    uint8_t *bytes, *asset;
    size_t size, asset_size;
    hem_view view;
    ASSERT(bench_read(&b, rmb, &bytes, &size) && bench_read(&b, hem, &asset, &asset_size));
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(asset, asset_size, &view, NULL));
    hem_body_text body;
    hem_text_fault fault;
    ASSERT(hem_body_read((const char*)bytes, size, &body, NULL, &fault));
    ASSERT_EQ(view.info->real_particle_count, body.particle_count);
    ASSERT_IN_RANGE(0.25, body.spacing[1], 1e-6);
    // Each index stands where the .hem has the particle.
    int32_t(*indices)[3] = hemc_alloc(b.arena, body.particle_count, sizeof *indices);
    ASSERT(hem_body_read((const char*)bytes, size, &body, indices, &fault));
    for (uint32_t i = 0, n = 0; i < view.info->particle_count; ++i) {
        if ((view.particle_flags[i] & HEM_PARTICLE_PAD) == 0) {
            const double x = (double)view.lattices[0].origin[0] + indices[n][0] * (double)view.lattices[0].spacing[0];
            ASSERT_IN_RANGE(x, (double)view.rest_rows[i / 8].x[i % 8], 1e-5);
            ++n;
        }
    }
    const char* check[] = {"lattice", "check", rmb, "-o", bench_path(&b, "b.rmb")};
    ASSERT_EQ(0, bench_run(&b, check, 5));
    ASSERT(bench_same_file(&b, rmb, bench_path(&b, "b.rmb")));
    // The lattice as a mesh: as many points, and edges between them.
    const char* glb = bench_path(&b, "l.glb");
    const char* mesh[] = {"lattice", "mesh", hem, "-o", glb};
    ASSERT_EQ(0, bench_run(&b, mesh, 5));
    ASSERT(bench_read(&b, glb, &bytes, &size));
    ASSERT_EQ(0, memcmp(bytes, "glTF\2\0\0\0", 8));
    uint32_t total;
    memcpy(&total, bytes + 8, 4);
    ASSERT_EQ(size, total);
    char count[64];
    snprintf(count, sizeof(count), "\"count\":%u,\"type\":\"VEC3\"", body.particle_count);
    ASSERT(strstr((const char*)bytes + 20, count) != NULL);
    bench_end(&b);
    PASS();
}

TEST wrong_words_and_files_are_answered(void) {
    bench b;
    ASSERT(bench_begin(&b));
    static const char bad[] = "particle\nfps 24\ninterpolate 1\ndeclaration\n0,0,0 1,0,0\nframes\n0 0,0,0 1,0\n";
    static const char good[] = "particle\nfps 24\ninterpolate 0\ndeclaration\n0,0,0 1,0,0\nframes\n3 0,0,0 1,0,0.5\n";
    char text[600], fine[600];
    ASSERT(kit_write(b.folder, "bad.txt", bad, strlen(bad), text));
    ASSERT(kit_write(b.folder, "good.txt", good, strlen(good), fine));
    const char* check[] = {"lattice", "check", text};
    ASSERT_EQ(HEMC_INPUT, bench_run(&b, check, 3));
    ASSERT(says(&b, "stderr.txt", "bad.txt:7: error: "));
    const char* right[] = {"lattice", "check", fine, "-o", bench_path(&b, "again.txt")};
    ASSERT_EQ(0, bench_run(&b, right, 5));
    ASSERT(says(&b, "stdout.txt", "1 keyframes of 2 particles"));
    const char* nothing[] = {"lattice"};
    ASSERT_EQ(HEMC_USAGE, bench_run(&b, nothing, 1));
    const char* verb[] = {"lattice", "exprot", "a.hem"};
    ASSERT_EQ(HEMC_USAGE, bench_run(&b, verb, 3));
    ASSERT(says(&b, "stderr.txt", "export, mesh, inverse or check, not exprot"));
    const char* output[] = {"lattice", "export", "a.hem"};
    ASSERT_EQ(HEMC_USAGE, bench_run(&b, output, 3));
    const char* absent[] = {"lattice", "export", bench_path(&b, "none.hem"), "-o", bench_path(&b, "n.rmb")};
    ASSERT_EQ(HEMC_IO, bench_run(&b, absent, 5));
    const char* no_hem[] = {"lattice", "export", b.input, "-o", bench_path(&b, "n.rmb")};
    ASSERT_EQ(HEMC_INPUT, bench_run(&b, no_hem, 5));
    // A .hem without a lattice, and a mesh in a plane.
    const char* hem = bench_path(&b, "cloth.hem");
    hemc_job job = {.input = b.input, .recipe = b.recipe, .output = hem, .verbosity = -1};
    ASSERT_EQ(0, hemc_run(&job));
    const char* cloth[] = {"lattice", "export", hem, "-o", bench_path(&b, "n.rmb")};
    ASSERT_EQ(HEMC_INPUT, bench_run(&b, cloth, 5));
    ASSERT(says(&b, "stderr.txt", "has no lattice"));
    bench_end(&b);
    PASS();
}

// What programs call: vertices and particles as the asset numbers them.
TEST an_inverter_knows_the_particles_of_the_asset(void) {
    bench b;
    ASSERT(bench_begin(&b));
    char path[600];
    uint8_t* bytes;
    size_t size;
    hem_view view;
    ASSERT(kit_write(b.folder, "l.json", recipe, strlen(recipe), path));
    hemc_job job = {.input = b.input, .recipe = path, .verbosity = -1};
    ASSERT_EQ(0, hemc_compile(&job, &bytes, &size));
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(bytes, size, &view, NULL));
    ASSERT_EQ(NULL, hemc_inverter_open(bytes, size, 1));
    ASSERT_EQ(NULL, hemc_inverter_open(bytes, size / 2, 0));
    hemc_inverter* inverter = hemc_inverter_open(bytes, size, 0);
    ASSERT(inverter != NULL);
    float(*vertices)[3] = hemc_alloc(b.arena, view.info->vertex_count, sizeof *vertices);
    float(*particles)[3] = hemc_alloc(b.arena, view.info->particle_count, sizeof *particles);
    for (uint32_t v = 0; v < view.info->vertex_count; ++v) {
        const float* x = view.vertex_rest[v].position;
        const hemc_vec3 to = d3_to(affine(d3((double)x[0], (double)x[1], (double)x[2])));
        memcpy(vertices[v], &to, sizeof to);
    }
    hemc_inverter_frame(inverter, vertices[0], particles[0]);
    for (uint32_t i = 0; i < view.info->particle_count; ++i) {
        const hem_rest_row* r = &view.rest_rows[i / 8];
        const hemc_d3 to = affine(d3((double)r->x[i % 8], (double)r->y[i % 8], (double)r->z[i % 8]));
        const hemc_d3 is = d3((double)particles[i][0], (double)particles[i][1], (double)particles[i][2]);
        const bool pad = (view.particle_flags[i] & HEM_PARTICLE_PAD) != 0;
        ASSERT_IN_RANGE(0.0, pad ? d3_length(is) : d3_distance(is, to), pad ? 0.0 : 1e-4);
    }
    hemc_inverter_close(inverter);
    hemc_inverter_close(NULL);
    hemc_free(bytes);
    bench_end(&b);
    PASS();
}

static const char with_clip[] =
    "{ \"version\": 1, \"parts\": [ { \"name\": \"jelly\", \"select\": { \"node\": \"Sheet\" },\n"
    " \"generator\": \"lattice\", \"spacing\": [0.3, 0.25, 0.2], \"attach\": \"none\",\n"
    " \"clips\": [ { \"name\": \"wave\", \"file\": \"wave.txt\", \"loop\": true } ] } ], \"body\": false }";

// A particle animation with its particles in another order becomes keys of the asset; each particle is where the file says,
// turned as the file turns it.
TEST a_particle_animation_becomes_a_clip(void) {
    bench b;
    ASSERT(bench_begin(&b));
    char path[600], recipe_path[600];
    ASSERT(kit_write(b.folder, "l.json", recipe, strlen(recipe), path));
    hemc_job job = {.input = b.input, .recipe = path, .output = bench_path(&b, "a.hem"), .verbosity = -1};
    ASSERT_EQ(0, hemc_run(&job));
    const char* export[] = {"lattice", "export", job.output, "-o", bench_path(&b, "a.rmb")};
    ASSERT_EQ(0, bench_run(&b, export, 5));
    uint8_t *bytes, *asset;
    size_t size;
    hem_view view;
    hem_body_text body;
    hem_text_fault fault;
    ASSERT(bench_read(&b, bench_path(&b, "a.rmb"), &bytes, &size));
    ASSERT(hem_body_read((const char*)bytes, size, &body, NULL, &fault));
    const uint32_t n = body.particle_count;
    int32_t(*indices)[3] = hemc_alloc(b.arena, n, sizeof *indices);
    int32_t(*reversed)[3] = hemc_alloc(b.arena, n, sizeof *reversed);
    float(*places)[3] = hemc_alloc(b.arena, 2 * (size_t)n, sizeof *places);
    ASSERT(hem_body_read((const char*)bytes, size, &body, indices, &fault));
    for (uint32_t i = 0; i < n; ++i) { // the second key is turned by 0.5 rad about z
        memcpy(reversed[i], indices[n - 1 - i], sizeof *indices);
        const double x = reversed[i][0] * 0.3, y = reversed[i][1] * 0.25, z = reversed[i][2] * 0.2;
        const double turned[2][3] = {{x, y, z}, {x * cos(0.5) - y * sin(0.5), x * sin(0.5) + y * cos(0.5), z}};
        for (int k = 0; k < 6; ++k) {
            places[(size_t)(k / 3) * n + i][k % 3] = (float)turned[k / 3][k % 3];
        }
    }
    const int32_t frames[2] = {5, 17};
    const hem_animation_text text = {24, 1, n, 2};
    size = hem_animation_write(&text, (const int32_t(*)[3])reversed, frames, (const float(*)[3])places, NULL);
    char* out = hemc_alloc(b.arena, size + 1, 1);
    hem_animation_write(&text, (const int32_t(*)[3])reversed, frames, (const float(*)[3])places, out);
    ASSERT(kit_write(b.folder, "wave.txt", out, size, path));
    ASSERT(kit_write(b.folder, "c.json", with_clip, strlen(with_clip), recipe_path));
    job.recipe = recipe_path;
    job.depfile = bench_path(&b, "a.d");
    ASSERT_EQ(0, hemc_run(&job));
    ASSERT(says(&b, "a.d", "wave.txt"));
    ASSERT(bench_read(&b, job.output, &asset, &size));
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(asset, size, &view, NULL));
    ASSERT_EQ(1, view.lattice_clip_count);
    ASSERT_EQ(HEM_LATTICE_CLIP_INTERPOLATES | HEM_LATTICE_CLIP_LOOPS, view.lattice_clips[0].flags);
    ASSERT_IN_RANGE(0.5, (double)view.lattice_keys[1].seconds, 1e-6);
    ASSERT_EQ(1, view.tuning[0].tracking); // clips alone ask for it
    for (uint32_t i = 0, k = 0; i < view.info->particle_count; ++i) {
        const hem_key_row* row = &view.lattice_key_rows[view.lattice_keys[1].row_begin + i / 8];
        if ((view.particle_flags[i] & HEM_PARTICLE_PAD) == 0) {
            const float* at = places[2 * n - 1 - k++];
            ASSERT(row->x[i % 8] == at[0] && row->y[i % 8] == at[1] && row->z[i % 8] == at[2]);
            ASSERT_IN_RANGE(sin(0.25), (double)row->qz[i % 8], 1e-5);
            ASSERT_IN_RANGE(cos(0.25), (double)row->qw[i % 8], 1e-5);
        }
    }
    // A line that is wrong is named; one particle short is said.
    const size_t cut = (size_t)(strstr(out, "frames") - out);
    ASSERT(kit_write(b.folder, "wave.txt", out, cut + 9, path));
    job.report = bench_path(&b, "r.json");
    ASSERT_EQ(HEMC_INPUT, hemc_run(&job));
    ASSERT(says(&b, "r.json", "line 7: "));
    ASSERT(kit_write(b.folder, "wave.txt", "particle\nfps 1\ninterpolate 0\ndeclaration\n0,0,0\nframes\n1 0,0,0\n", 61,
                     path));
    ASSERT_EQ(HEMC_INPUT, hemc_run(&job));
    ASSERT(says(&b, "r.json", "each must be there"));
    bench_end(&b);
    PASS();
}

// -- Point caches

// Of points with z up, moved aside, in another order, every second of them twice: as a modelling tool has them.
static size_t make_cache(hemc_arena* arena, const hemc_vec3* rest, uint32_t count, uint32_t samples, uint8_t** out) {
    const uint32_t points = count + count / 2;
    const size_t size = 32 + (size_t)samples * points * 12;
    uint8_t* bytes = hemc_alloc(arena, size, 1);
    const int32_t head[] = {1, (int32_t)points};
    const float rates[] = {1, 2}; // from frame 1 on, every second one
    memcpy(bytes, "POINTCACHE2", 12);
    memcpy(bytes + 12, head, 8);
    memcpy(bytes + 20, rates, 8);
    memcpy(bytes + 28, &samples, 4);
    for (uint32_t s = 0; s < samples; ++s) {
        for (uint32_t i = 0; i < points; ++i) {
            const hemc_d3 x = d3_from(rest[i < count ? count - 1 - i : 2 * (i - count)]);
            const double a =
                0.2 * s; // turned about y and stretched along it: linear, so that the lattice has it exactly
            const double y = (1 + 0.1 * s) * x.y, u = cos(a) * x.x + sin(a) * x.z, w = cos(a) * x.z - sin(a) * x.x;
            const float place[3] = {(float)(u + 5), (float)(-w + 1), (float)(y - 2)};
            memcpy(bytes + 32 + 12 * ((size_t)s * points + i), place, 12);
        }
    }
    *out = bytes;
    return size;
}

static bool compile(bench* b, const char* text, hemc_job* job, hem_view* view) {
    char* path = hemc_alloc(b->arena, 600, 1);
    uint8_t* bytes;
    size_t size;
    *job = (hemc_job){.input = b->input, .recipe = path, .output = bench_path(b, "a.hem"), .verbosity = -1};
    return kit_write(b->folder, "l.json", text, strlen(text), path) && hemc_run(job) == 0 &&
           bench_read(b, job->output, &bytes, &size) && hem_validate(bytes, size, view, NULL) == HEM_FORMAT_OK;
}

// Where a particle that stands there at rest is in a sample of make_cache, in the lattice's space.
static hemc_d3 moved_by_cache(hemc_d3 x, uint32_t sample) {
    const double a = 0.2 * sample;
    return d3(cos(a) * x.x + sin(a) * x.z, (1 + 0.1 * sample) * x.y, cos(a) * x.z - sin(a) * x.x);
}

static const char with_cache[] =
    "{ \"version\": 1, \"parts\": [ { \"name\": \"jelly\", \"select\": { \"node\": \"Sheet\" },\n"
    " \"generator\": \"lattice\", \"spacing\": [0.3, 0.25, 0.2], \"attach\": \"none\",\n"
    " \"clips\": [ { \"name\": \"wave\", \"cache\": \"w.pc2\", \"fps\": 30, \"every\": 3 } ] } ], \"body\": false }";

// A linear motion comes back to a tenth of a millimetre, at the frames that the cache says, as a particle animation and as
// a clip of the asset.
TEST a_point_cache_becomes_keyframes(void) {
    bench b;
    ASSERT(bench_begin(&b));
    char points[600];
    hemc_job job;
    hem_view view;
    ASSERT(compile(&b, recipe, &job, &view));
    const uint32_t count = view.vertex_cell_count;
    hemc_vec3* rest = hemc_alloc(b.arena, count, sizeof *rest);
    for (uint32_t v = 0; v < count; ++v) {
        const float* x = view.vertex_rest[view.vertex_cells[v].vertex].position;
        rest[v] = (hemc_vec3){x[0], x[1], x[2]};
    }
    uint8_t *cache, *bytes;
    size_t size = make_cache(b.arena, rest, count, 5, &cache);
    ASSERT(kit_write(b.folder, "w.pc2", cache, size, points));
    const char *to = bench_path(&b, "w.txt"), *picture = bench_path(&b, "w.png");
    const char* words[] = {"lattice", "inverse", job.output, "--cache",   points, "--fps",
                           "30",      "-o",      to,         "--picture", picture};
    ASSERT_EQ(0, bench_run(&b, words, 9));
    ASSERT(says(&b, "stdout.txt", "5 frames"));
    hem_animation_text animation;
    hem_text_fault fault;
    ASSERT(bench_read(&b, to, &bytes, &size));
    ASSERT(hem_animation_read((const char*)bytes, size, &animation, NULL, NULL, NULL, &fault));
    ASSERT_EQ(5, animation.frame_count);
    ASSERT_IN_RANGE(15.0, animation.fps, 1e-6);
    int32_t(*indices)[3] = hemc_alloc(b.arena, animation.particle_count, sizeof *indices);
    float(*places)[3] = hemc_alloc(b.arena, 5 * (size_t)animation.particle_count, sizeof *places);
    ASSERT(hem_animation_read((const char*)bytes, size, &animation, indices, NULL, places, &fault));
    const hem_lattice* l = &view.lattices[0];
    for (uint32_t s = 0; s < 5; ++s) {
        for (uint32_t i = 0; i < animation.particle_count; ++i) {
            const hemc_d3 x = d3((double)l->origin[0] + indices[i][0] * (double)l->spacing[0],
                                 (double)l->origin[1] + indices[i][1] * (double)l->spacing[1],
                                 (double)l->origin[2] + indices[i][2] * (double)l->spacing[2]);
            const float* at = places[(size_t)s * animation.particle_count + i];
            const hemc_d3 is = d3((double)at[0], (double)at[1], (double)at[2]);
            ASSERT_IN_RANGE(0.0, d3_distance(moved_by_cache(x, s), is), 1e-4);
        }
    }
    ASSERT_EQ(HEMC_IO, bench_run(&b, words, 11)); // without a renderer there is no picture, and that is said
    ASSERT(says(&b, "stderr.txt", "built without a renderer"));
    ASSERT(compile(&b, with_cache, &job, &view));
    ASSERT_EQ(3, view.lattice_clips[0].key_count); // samples 0, 3, and the last
    const float seconds[3] = {0, 3 / 15.0f, 4 / 15.0f};
    for (uint32_t k = 0; k < 3; ++k) {
        ASSERT_IN_RANGE((double)seconds[k], (double)view.lattice_keys[k].seconds, 1e-6);
    }
    for (uint32_t i = 0; i < view.info->particle_count; ++i) {
        const hem_rest_row* r = &view.rest_rows[i / 8];
        const hem_key_row* row = &view.lattice_key_rows[view.lattice_keys[2].row_begin + i / 8];
        if ((view.particle_flags[i] & HEM_PARTICLE_PAD) == 0) {
            const hemc_d3 x = d3((double)r->x[i % 8], (double)r->y[i % 8], (double)r->z[i % 8]);
            const hemc_d3 is = d3((double)row->x[i % 8], (double)row->y[i % 8], (double)row->z[i % 8]);
            ASSERT_IN_RANGE(0.0, d3_distance(moved_by_cache(x, 4), is), 1e-4);
        }
    }
    bench_end(&b);
    PASS();
}

// Each spoiled cache is answered in words, by the program and by a recipe.
TEST wrong_point_caches_are_answered(void) {
    static const struct {
        uint32_t at, value; // a word of the file, UINT32_MAX = cut by one byte
        const char* says;
    } rows[] = {{0, 0, "does not begin with POINTCACHE2"},
                {12, 2, "is of another version than 1"},
                {16, 0, "must have 1 to 16777216 points"},
                {16, 0xffffffffu, "must have 1 to 16777216 points"},
                {16, 1, "has more bytes than its samples times points"},
                {20, 0x7fc00000u, "begins at no frame"},
                {24, 0, "frames from sample to sample"},
                {28, 0, "must have 1 to 20000 samples"},
                {28, 20000, "is cut short"},
                {UINT32_MAX, 0, "is cut short"},
                {36, 0x7f800000u, "has a number that is none"},
                {32 + 12 * 3 + 4, 0x7fc00000u, "sample 0, point 3"},
                {32, 0x43480000u, "its first sample is not the mesh at rest"}}; // 200 m away
    bench b;
    ASSERT(bench_begin(&b));
    char points[600];
    hemc_job job;
    hem_view view;
    ASSERT(compile(&b, recipe, &job, &view));
    hemc_vec3* rest = hemc_alloc(b.arena, view.vertex_cell_count, sizeof *rest);
    for (uint32_t v = 0; v < view.vertex_cell_count; ++v) {
        const float* x = view.vertex_rest[view.vertex_cells[v].vertex].position;
        rest[v] = (hemc_vec3){x[0], x[1], x[2]};
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        uint8_t* cache;
        const size_t size = make_cache(b.arena, rest, view.vertex_cell_count, 3, &cache);
        if (rows[i].at != UINT32_MAX) {
            memcpy(cache + rows[i].at, &rows[i].value, 4);
        }
        ASSERT(kit_write(b.folder, "w.pc2", cache, size - (rows[i].at == UINT32_MAX), points));
        const char* words[] = {"lattice", "inverse", job.output, "--cache", points, "-o", bench_path(&b, "w.txt")};
        ASSERT_EQm(rows[i].says, HEMC_INPUT, bench_run(&b, words, 7));
        ASSERTm(rows[i].says, says(&b, "stderr.txt", rows[i].says));
    }
    char path[600];
    ASSERT(kit_write(b.folder, "c.json", with_cache, strlen(with_cache), path));
    job.recipe = path;
    job.report = bench_path(&b, "r.json");
    ASSERT_EQ(HEMC_INPUT, hemc_run(&job));
    ASSERT(says(&b, "r.json", "its first sample is not the mesh at rest"));
    const char* both[] = {
        "lattice", "inverse", job.output, "--cache", points, "--clip", "a", "-o", bench_path(&b, "w.txt")};
    ASSERT_EQ(HEMC_USAGE, bench_run(&b, both, 9));
    const char* slow[] = {
        "lattice", "inverse", job.output, "--cache", points, "--fps", "0", "-o", bench_path(&b, "w.txt")};
    ASSERT_EQ(HEMC_USAGE, bench_run(&b, slow, 9));
    const char* export[] = {"lattice", "export", job.output, "--cache", points, "-o", bench_path(&b, "w.txt")};
    ASSERT_EQ(HEMC_USAGE, bench_run(&b, export, 7));
    bench_end(&b);
    PASS();
}

SUITE(front_lattice_suite);
SUITE(front_lattice_suite) {
    RUN_TEST(a_linear_motion_comes_back);
    RUN_TEST(a_bend_is_followed_closely);
    RUN_TEST(what_trilinear_cannot_express_is_said);
    RUN_TEST(a_trilinear_motion_comes_back);
    RUN_TEST(a_mesh_in_a_plane_is_refused);
    RUN_TEST(body_files_leave_and_come_back);
    RUN_TEST(an_inverter_knows_the_particles_of_the_asset);
    RUN_TEST(wrong_words_and_files_are_answered);
    RUN_TEST(a_particle_animation_becomes_a_clip);
    RUN_TEST(a_point_cache_becomes_keyframes);
    RUN_TEST(wrong_point_caches_are_answered);
}
