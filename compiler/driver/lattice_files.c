// SPDX-License-Identifier: MIT
#include "compiler/driver/lattice_files.h"

#include "compiler/driver/compile.h"
#include "compiler/shape/clip_pose.h"
#include "compiler/shape/inverse.h"
#include "compiler/shape/vertex_cache.h"
#include "formats/hem_lattice_text.h"
#include "formats/hem_validate.h"
#include "platform/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// hemc lattice: the way of a lattice to a modelling tool and back (Sullivan, 5.2, 5.3 and the appendix).
//
//   export   the body file, .rmb, of a lattice in a .hem
//   mesh     the lattice as a glTF of points and edges, to be posed; point i is particle i of the body file
//   inverse  a clip of the character, or a point cache, to keyframes of its lattice, as a particle animation. A .hem has
//            poses and no morph targets: a clip that animates those is taken from the glTF that it was compiled from
//   check    reads a body file or a particle animation; with -o writes it anew
//
// Places are metres in character space. Particles are numbered as they stand in the .hem, pads left out.

typedef struct files_job {
    const char *verb, *input, *output, *clip, *part, *cache, *fps, *picture, *model;
    double rate; // frames a second of a cache or of a clip of the model
    int verbosity;
} files_job;

typedef struct opened {
    hemc_arena* arena;
    hemc_log log;
    const files_job* job;
    hem_view view;
    const hem_lattice* source;
    hemc_lattice lattice; // particles from 0
    uint32_t particle_count;
} opened;

static hemc_curve_function curve_function;

void hemc_set_curve_function(hemc_curve_function function) {
    curve_function = function;
}

static const char usage_text[] =
    "hemc lattice export IN.hem -o BODY.rmb                 the body file of a lattice\n"
    "hemc lattice mesh IN.hem -o LATTICE.glb                its points and edges, to be posed in a modelling tool\n"
    "hemc lattice inverse IN.hem --clip NAME -o ANIM.txt    keyframes of the lattice from a clip of the character\n"
    "hemc lattice inverse IN.hem --model IN.glb --clip NAME -o ANIM.txt     the same with morph targets, from its "
    "glTF\n"
    "hemc lattice inverse IN.hem --cache POINTS.pc2 -o ANIM.txt     the same from a point cache\n"
    "hemc lattice check FILE [-o COPY]                      reads a body file or a particle animation\n"
    "  --part NAME      which lattice, where there are several\n"
    "  --fps N          frames a second of a point cache, 24, or of a clip of --model, 30\n"
    "  --picture P.png  the error of each frame, drawn\n"
    "  -q, --quiet      -v, --verbose: the error of each frame\n";

static int usage(const char* what, const char* word) {
    fprintf(stderr, "hemc lattice: error: %s%s%s\n%s", what, word != NULL ? " " : "", word != NULL ? word : "",
            usage_text);
    return HEMC_USAGE;
}

static int parse(int argc, char** argv, files_job* job) {
    static const char* const verbs[] = {"export", "mesh", "inverse", "check"};
    for (int i = 0; i < 4 && argc > 0; ++i) {
        job->verb = strcmp(argv[0], verbs[i]) == 0 ? verbs[i] : job->verb;
    }
    if (job->verb == NULL) {
        return usage("what to do must follow: export, mesh, inverse or check, not", argc > 0 ? argv[0] : "nothing");
    }
    for (int i = 1; i < argc; ++i) {
        const struct {
            const char *small, *name;
            const char** value;
        } takers[] = {{"-o", "--output", &job->output}, {"", "--clip", &job->clip}, {"", "--part", &job->part},
                      {"", "--cache", &job->cache},     {"", "--fps", &job->fps},   {"", "--picture", &job->picture},
                      {"", "--model", &job->model}};
        bool known = false;
        for (int k = 0; k < 7 && !known; ++k) {
            if (strcmp(argv[i], takers[k].small) == 0 || strcmp(argv[i], takers[k].name) == 0) {
                if (i + 1 >= argc) {
                    return usage("a value must follow", argv[i]);
                }
                *takers[k].value = argv[++i];
                known = true;
            }
        }
        if (known) {
            continue;
        }
        if (strcmp(argv[i], "-q") == 0 || strcmp(argv[i], "--quiet") == 0) {
            job->verbosity = -1;
        } else if (strcmp(argv[i], "-v") == 0 || strcmp(argv[i], "--verbose") == 0) {
            job->verbosity = 1;
        } else if (argv[i][0] == '-' && argv[i][1] != 0) {
            return usage("unknown option", argv[i]);
        } else if (job->input != NULL) {
            return usage("more than one input:", argv[i]);
        } else {
            job->input = argv[i];
        }
    }
    if (job->input == NULL) {
        return usage("no input", NULL);
    }
    if (job->output == NULL && strcmp(job->verb, "check") != 0) {
        return usage("no output; add -o FILE", NULL);
    }
    const bool inverse = strcmp(job->verb, "inverse") == 0;
    if (!inverse && (job->clip != NULL || job->cache != NULL || job->picture != NULL)) {
        return usage(job->clip != NULL ? "--clip goes with inverse" : "--cache and --picture go with inverse", NULL);
    }
    if (job->clip != NULL && job->cache != NULL) {
        return usage("either --clip or --cache", NULL);
    }
    if (job->model != NULL && (!inverse || job->clip == NULL)) {
        return usage("--model goes with inverse and --clip", NULL);
    }
    char* end = NULL;
    job->rate = job->fps != NULL ? strtod(job->fps, &end) : job->model != NULL ? 30.0 : 24.0;
    const bool rate_used = job->cache != NULL || job->model != NULL;
    if (job->fps != NULL && (!rate_used || *end != 0 || !(job->rate >= 1.0 && job->rate <= 1000.0))) {
        return usage("--fps goes with --cache or --model and is 1 to 1000, not", job->fps);
    }
    return HEMC_OK;
}

// -- A lattice out of a .hem

static bool choose_lattice(opened* o) {
    const hem_view* v = &o->view;
    for (uint32_t i = 0; i < v->lattice_count; ++i) {
        const char* name = v->strings + v->parts[v->lattices[i].part].name_offset;
        if (o->job->part == NULL || strcmp(o->job->part, name) == 0) {
            if (o->source != NULL) {
                return hemc_error(&o->log, HEMC_USAGE, o->job->input, "",
                                  "there are %u lattices: say which with --part", v->lattice_count);
            }
            o->source = &v->lattices[i];
        }
    }
    return o->source != NULL ||
           hemc_error(&o->log, HEMC_INPUT, o->job->input, "",
                      v->lattice_count == 0 ? "has no lattice; a part with \"generator\": \"lattice\" makes one"
                                            : "no lattice has the name that --part gives");
}

static void read_lattice(opened* o) {
    const hem_view* v = &o->view;
    const hem_lattice* s = o->source;
    hemc_lattice* l = &o->lattice;
    const hem_part* part = &v->parts[s->part];
    uint32_t* number = hemc_alloc(o->arena, v->info->particle_count, sizeof(uint32_t));
    for (uint32_t i = part->row_begin * HEM_LANES; i < (part->row_begin + part->row_count) * HEM_LANES; ++i) {
        number[i] = o->particle_count;
        o->particle_count += (v->particle_flags[i] & HEM_PARTICLE_PAD) == 0;
    }
    memcpy(l->origin, s->origin, sizeof l->origin);
    memcpy(l->spacing, s->spacing, sizeof l->spacing);
    memcpy(l->size, s->size, sizeof l->size);
    l->cell_count = s->cell_count;
    l->cells = hemc_alloc(o->arena, s->cell_count, sizeof *l->cells);
    l->corners = hemc_alloc(o->arena, s->cell_count, sizeof *l->corners);
    l->indices = hemc_alloc(o->arena, o->particle_count, sizeof *l->indices);
    for (uint32_t c = 0; c < s->cell_count; ++c) {
        const hem_lattice_cell* cell = &v->lattice_cells[s->cell_begin + c];
        for (int a = 0; a < 3; ++a) {
            l->cells[c][a] = cell->index[a];
        }
        for (int k = 0; k < 8; ++k) {
            const uint32_t i = number[cell->corner[k]];
            l->corners[c][k] = i;
            for (int a = 0; a < 3; ++a) {
                l->indices[i][a] = cell->index[a] + (k >> a & 1);
            }
        }
    }
}

static bool open_file(opened* o) {
    uint8_t* bytes;
    size_t size;
    hem_format_fault fault;
    if (!hemc_read_file(o->arena, o->job->input, &bytes, &size)) {
        return hemc_error(&o->log, HEMC_IO, o->job->input, "", "cannot be read");
    }
    const hem_format_result result = hem_validate(bytes, size, &o->view, &fault);
    if (result != HEM_FORMAT_OK) {
        return hemc_error(&o->log, HEMC_INPUT, o->job->input, "", "is no .hem that can be used: %s (%s[%u].%s)",
                          hem_format_result_text(result), hem_section_name(fault.section), fault.element, fault.field);
    }
    if (!choose_lattice(o)) {
        return false;
    }
    read_lattice(o);
    return true;
}

// Vertices of the lattice, at rest.
static uint32_t lattice_vertices(const opened* o, uint32_t* vertices, hemc_vec3* positions) {
    const hem_view* v = &o->view;
    uint32_t count = 0;
    for (uint32_t i = 0; i < v->vertex_cell_count; ++i) {
        if (&v->lattices[v->lattice_cells[v->vertex_cells[i].cell].lattice] == o->source) {
            const float* x = v->vertex_rest[v->vertex_cells[i].vertex].position;
            vertices[count] = v->vertex_cells[i].vertex;
            positions[count++] = (hemc_vec3){x[0], x[1], x[2]};
        }
    }
    return count;
}

// -- The verbs

static bool export_body(opened* o) {
    const hem_view* v = &o->view;
    const hemc_lattice* l = &o->lattice;
    hem_body_text body = {.particle_count = o->particle_count};
    uint32_t* vertices = hemc_alloc(o->arena, v->vertex_cell_count, sizeof(uint32_t));
    hemc_vec3* positions = hemc_alloc(o->arena, v->vertex_cell_count, sizeof(hemc_vec3));
    const uint32_t count = lattice_vertices(o, vertices, positions);
    for (int a = 0; a < 3; ++a) {
        double low = 1e300, high = -1e300;
        for (uint32_t i = 0; i < count; ++i) {
            const double x = a == 0 ? positions[i].x : a == 1 ? positions[i].y : positions[i].z;
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        const double middle =
            count > 0 ? 0.5 * (low + high) : (double)l->origin[a] + 0.5 * (l->size[a] - 1) * (double)l->spacing[a];
        body.offset[a] = middle - (double)l->origin[a];
        body.spacing[a] = (double)l->spacing[a];
        body.scale[a] = 1;
    }
    const int32_t(*indices)[3] = (const int32_t(*)[3])l->indices;
    const size_t size = hem_body_write(&body, indices, NULL);
    char* text = hemc_alloc(o->arena, size + 1, 1);
    hem_body_write(&body, indices, text);
    return hemc_write_output(&o->log, o->job->output, text, size);
}

static void put32(uint8_t* p, uint32_t x) {
    for (int k = 0; k < 4; ++k) {
        p[k] = (uint8_t)(x >> 8 * k);
    }
}

// Edges of cells, each once: the one along axis `a` from particle i, found at its first cell.
static uint32_t list_edges(opened* o, uint32_t (*edges)[2]) {
    const hemc_lattice* l = &o->lattice;
    uint8_t* seen = hemc_alloc(o->arena, o->particle_count, 1);
    uint32_t count = 0;
    for (uint32_t c = 0; c < l->cell_count; ++c) {
        for (int k = 0; k < 8; ++k) {
            for (int a = 0; a < 3; ++a) {
                const uint32_t i = l->corners[c][k];
                if ((k >> a & 1) == 0 && (seen[i] >> a & 1) == 0) {
                    seen[i] |= (uint8_t)(1u << a);
                    edges[count][0] = i;
                    edges[count++][1] = l->corners[c][k | 1 << a];
                }
            }
        }
    }
    return count;
}

static bool write_mesh(opened* o) {
    const hemc_lattice* l = &o->lattice;
    const uint32_t n = o->particle_count;
    uint32_t(*edges)[2] = hemc_alloc(o->arena, 3 * (size_t)n, sizeof *edges);
    const uint32_t edge_count = list_edges(o, edges);
    hemc_text json = {.arena = o->arena};
    const uint32_t positions = n * 12, indices = edge_count * 8, data = positions + indices;
    float low[3], high[3];
    uint8_t* bin = hemc_alloc(o->arena, (size_t)data + 4, 1);
    for (uint32_t i = 0; i < n; ++i) {
        for (int a = 0; a < 3; ++a) {
            const float x = (float)((double)l->origin[a] + l->indices[i][a] * (double)l->spacing[a]);
            uint32_t bits;
            low[a] = i == 0 || x < low[a] ? x : low[a];
            high[a] = i == 0 || x > high[a] ? x : high[a];
            memcpy(&bits, &x, 4);
            put32(bin + 12 * (size_t)i + 4 * (size_t)a, bits);
        }
    }
    for (uint32_t e = 0; e < edge_count; ++e) {
        put32(bin + positions + 8 * (size_t)e, edges[e][0]);
        put32(bin + positions + 8 * (size_t)e + 4, edges[e][1]);
    }
    hemc_text_add(&json,
                  "{\"asset\":{\"version\":\"2.0\",\"generator\":\"hemc\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
                  "\"nodes\":[{\"name\":\"lattice\",\"mesh\":0}],\"meshes\":[{\"name\":\"lattice\",\"primitives\":"
                  "[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"mode\":1}]}],\"accessors\":[{\"bufferView\":0,"
                  "\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\",\"min\":[",
                  n);
    for (int k = 0; k < 6; ++k) {
        hemc_text_add(&json, k == 3 ? "],\"max\":[" : k == 0 ? "" : ",");
        hemc_text_number(&json, (double)(k < 3 ? low[k] : high[k - 3]));
    }
    hemc_text_add(
        &json,
        "]},{\"bufferView\":1,\"componentType\":5125,\"count\":%u,\"type\":\"SCALAR\"}],\"bufferViews\":"
        "[{\"buffer\":0,\"byteLength\":%u,\"target\":34962},{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u,"
        "\"target\":34963}],\"buffers\":[{\"byteLength\":%u}]}",
        2 * edge_count, positions, positions, indices, data);
    while (json.size % 4 != 0) {
        hemc_text_add(&json, " ");
    }
    const size_t total = 12 + 8 + json.size + 8 + data;
    uint8_t* out = hemc_alloc(o->arena, total, 1);
    memcpy(out, "glTF", 4);
    put32(out + 4, 2);
    put32(out + 8, (uint32_t)total);
    put32(out + 12, (uint32_t)json.size);
    memcpy(out + 16, "JSON", 4);
    memcpy(out + 20, json.data, json.size);
    put32(out + 20 + json.size, data);
    memcpy(out + 24 + json.size, "BIN\0", 4);
    memcpy(out + 28 + json.size, bin, data);
    return hemc_write_output(&o->log, o->job->output, out, total);
}

// Vertices by skeleton alone.
static void pose_vertices(const opened* o, const hem_matrix34* bones, const uint32_t* vertices, uint32_t count,
                          hemc_vec3* out) {
    for (uint32_t i = 0; i < count; ++i) {
        const hem_vertex_bind* b = &o->view.vertex_bind[vertices[i]];
        const float* x = o->view.vertex_rest[vertices[i]].position;
        double p[3] = {0};
        for (int k = 0; k < 4; ++k) {
            const float* m = bones[b->bone[k]];
            const double w = b->bone_weight[k] / 65535.0;
            for (int r = 0; r < 3; ++r) {
                p[r] += w * ((double)m[4 * r] * (double)x[0] + (double)m[4 * r + 1] * (double)x[1] +
                             (double)m[4 * r + 2] * (double)x[2] + (double)m[4 * r + 3]);
            }
        }
        out[i] = (hemc_vec3){(float)p[0], (float)p[1], (float)p[2]};
    }
}

static const hem_clip* choose_clip(opened* o) {
    const hem_view* v = &o->view;
    hemc_text names = {.arena = o->arena};
    for (uint32_t i = 0; i < v->clip_count; ++i) {
        const char* name = v->strings + v->clips[i].name_offset;
        if (o->job->clip == NULL || strcmp(name, o->job->clip) == 0) {
            return &v->clips[i];
        }
        hemc_text_add(&names, "%s%s", i == 0 ? "" : ", ", name);
    }
    hemc_error(&o->log, HEMC_INPUT, o->job->input, "", "%s%s",
               v->clip_count == 0 ? "holds no clips: compile it without --ship" : "no clip has that name; there are: ",
               v->clip_count == 0 ? "" : names.data);
    return NULL;
}

// Where the vertices are in each frame: by a clip of the file, by one of the glTF, or by a point cache.
typedef struct motion {
    const hem_clip* clip; // NULL = one of the others
    hemc_model model;
    const hemc_clip* model_clip; // NULL = the cache
    hemc_d3* shape;
    hemc_vertex_cache cache;
    uint32_t frame_count;
    double hz;
} motion;

// The glTF must be the one that the .hem was compiled from: vertices are taken by their numbers.
static bool open_model(opened* o, const uint32_t* vertices, const hemc_vec3* rest, uint32_t count, motion* m) {
    const char* path = o->job->model;
    const char* name = o->job->clip;
    hemc_lattice_clip_recipe clip = {.clip = name};
    hemc_part_recipe part = {.lattice = {.clips = &clip, .clip_count = 1}};
    hemc_recipe recipe;
    hemc_recipe_defaults(&recipe);
    recipe.scale = o->view.info->unit > 0 ? o->view.info->unit : 1.0f;
    recipe.clip_hz = (float)o->job->rate;
    recipe.clip_include = &name;
    recipe.clip_include_count = 1;
    recipe.parts = &part;
    recipe.part_count = 1;
    if (!hemc_import(o->arena, &o->log, path, &m->model) ||
        !hemc_import_finish(o->arena, &o->log, &recipe, &m->model)) {
        return false;
    }
    if (m->model.vertex_count != o->view.info->vertex_count) {
        return hemc_error(&o->log, HEMC_INPUT, path, "", "has %u vertices, and %s was compiled from %u",
                          m->model.vertex_count, o->job->input, o->view.info->vertex_count);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const hemc_d3 at = d3_from(m->model.positions[vertices[i]]);
        if (!(d3_distance(at, d3_from(rest[i])) <= 1e-4 * (1 + d3_length(at)))) {
            return hemc_error(&o->log, HEMC_INPUT, path, "", "vertex %u stands elsewhere than in %s: compile it again",
                              vertices[i], o->job->input);
        }
    }
    m->model_clip = hemc_find_clip(&m->model, name);
    if (m->model_clip == NULL) {
        return hemc_error(&o->log, HEMC_INPUT, path, "", "has no clip \"%.200s\" that can be taken", name);
    }
    m->shape = hemc_alloc(o->arena, m->model.vertex_count, sizeof(hemc_d3));
    m->frame_count = m->model_clip->frame_count;
    m->hz = (double)m->model_clip->hz;
    return true;
}

static bool open_motion(opened* o, const uint32_t* vertices, const hemc_vec3* rest, uint32_t count, motion* m) {
    uint8_t* bytes;
    size_t size;
    if (o->job->model != NULL) {
        return open_model(o, vertices, rest, count, m);
    }
    if (o->job->cache == NULL) {
        m->clip = choose_clip(o);
        m->frame_count = m->clip != NULL ? m->clip->frame_count : 0;
        m->hz = m->clip != NULL ? (double)m->clip->hz : 1;
        return m->clip != NULL;
    }
    if (!hemc_read_file(o->arena, o->job->cache, &bytes, &size)) {
        return hemc_error(&o->log, HEMC_IO, o->job->cache, "", "cannot be read");
    }
    const double unit = o->view.info->unit > 0 ? (double)o->view.info->unit : 1.0;
    if (!hemc_vertex_cache_open(o->arena, &o->log, o->job->cache, bytes, size, unit, rest, count, &m->cache)) {
        return false;
    }
    m->frame_count = m->cache.points.sample_count;
    m->hz = hemc_vertex_cache_hz(&m->cache, o->job->rate);
    return true;
}

static void vertices_at(const opened* o, const motion* m, uint32_t frame, const uint32_t* vertices, uint32_t count,
                        hemc_vec3* now) {
    if (m->model_clip != NULL) {
        hemc_clip_pose(&m->model, m->model_clip, frame, vertices, count, m->shape, now);
    } else if (m->clip == NULL) {
        hemc_vertex_cache_sample(&m->cache, frame, now);
    } else {
        const uint32_t at = m->clip->frame_begin + frame;
        pose_vertices(o, &o->view.clip_frames[(size_t)at * o->view.info->bone_count], vertices, count, now);
    }
}

static bool write_inverse(opened* o) {
    const hem_view* v = &o->view;
    uint32_t* vertices = hemc_alloc(o->arena, v->vertex_cell_count, sizeof(uint32_t));
    hemc_vec3* rest = hemc_alloc(o->arena, v->vertex_cell_count, sizeof(hemc_vec3));
    const uint32_t count = lattice_vertices(o, vertices, rest);
    motion m = {0};
    if (!open_motion(o, vertices, rest, count, &m)) {
        return false;
    }
    const uint32_t frames = m.frame_count;
    hemc_vec3* now = hemc_alloc(o->arena, count, sizeof(hemc_vec3));
    hemc_vec3* places = hemc_alloc(o->arena, (size_t)frames * o->particle_count, sizeof(hemc_vec3));
    int32_t* numbers = hemc_alloc(o->arena, frames, sizeof(int32_t));
    hemc_error_curve curve = {o->job->clip != NULL    ? o->job->clip
                              : o->job->cache != NULL ? o->job->cache
                                                      : v->strings + m.clip->name_offset,
                              frames, (float)(1 / m.hz), hemc_alloc(o->arena, frames, sizeof(float)),
                              hemc_alloc(o->arena, frames, sizeof(float))};
    double clock = hem_clock_seconds(), worst = 0, size = 0, first = 0, later = 0;
    hemc_inverse* inverse = hemc_inverse_make(o->arena, &o->lattice, o->particle_count, rest, count);
    if (inverse == NULL) {
        return hemc_error(&o->log, HEMC_INPUT, o->job->input, "",
                          "all of the mesh lies in a plane: nothing tells how the lattice moves across it");
    }
    for (int a = 0; a < 3; ++a) {
        size = fmax(size, (double)(o->lattice.size[a] - 1) * (double)o->lattice.spacing[a]);
    }
    for (uint32_t f = 0; f < frames; ++f) {
        vertices_at(o, &m, f, vertices, count, now);
        hemc_vec3* to = places + (size_t)f * o->particle_count;
        hemc_inverse_frame(inverse, now, to);
        const double took = hem_clock_seconds() - clock;
        *(f == 0 ? &first : &later) = f == 0 ? took : fmax(later, took);
        const hemc_inverse_error e = hemc_inverse_measure(inverse, now, to);
        numbers[f] = (int32_t)f;
        curve.worst_mm[f] = (float)(1e3 * e.worst);
        curve.mean_mm[f] = (float)(1e3 * e.mean);
        worst = fmax(worst, e.worst);
        if (o->job->verbosity > 0) {
            printf("frame %u: worst %.2f mm (%.2f %% of its size) at vertex %u, mean %.3f mm\n", f, 1e3 * e.worst,
                   100 * e.worst / size, vertices[e.vertex], 1e3 * e.mean);
        }
        clock = hem_clock_seconds();
    }
    hem_animation_text animation = {
        .fps = m.hz, .interpolate = 1, .particle_count = o->particle_count, .frame_count = frames};
    const int32_t(*indices)[3] = (const int32_t(*)[3])o->lattice.indices;
    const float(*all)[3] = (const float(*)[3])(const void*)places;
    const size_t bytes = hem_animation_write(&animation, indices, numbers, all, NULL);
    char* text = hemc_alloc(o->arena, bytes + 1, 1);
    hem_animation_write(&animation, indices, numbers, all, text);
    if (o->job->verbosity >= 0) {
        printf(
            "%u frames of %u vertices on %u particles: at most %.2f mm off, %.2f %% of its size; first frame %.2f ms, "
            "later at most %.2f ms\n",
            frames, count, o->particle_count, 1e3 * worst, 100 * worst / size, 1e3 * first, 1e3 * later);
    }
    if (o->job->picture != NULL && (curve_function == NULL || !curve_function(&curve, o->job->picture))) {
        return hemc_error(&o->log, HEMC_IO, o->job->picture, "",
                          curve_function == NULL ? "this hemc is built without a renderer" : "cannot be written");
    }
    return hemc_write_output(&o->log, o->job->output, text, bytes);
}

static bool check_text(opened* o) {
    uint8_t* bytes;
    size_t size;
    hem_text_fault fault = {0};
    if (!hemc_read_file(o->arena, o->job->input, &bytes, &size)) {
        return hemc_error(&o->log, HEMC_IO, o->job->input, "", "cannot be read");
    }
    const char* text = (const char*)bytes;
    const size_t length = strlen(o->job->input);
    char* out;
    size_t out_size;
    if (length > 4 && strcmp(o->job->input + length - 4, ".rmb") == 0) {
        hem_body_text body;
        if (!hem_body_read(text, size, &body, NULL, &fault)) {
            return hemc_error(&o->log, HEMC_INPUT, o->job->input, hemc_format(o->arena, "%u", fault.line), "%s",
                              fault.what);
        }
        int32_t(*indices)[3] = hemc_alloc(o->arena, body.particle_count, sizeof *indices);
        hem_body_read(text, size, &body, indices, &fault);
        out_size = hem_body_write(&body, (const int32_t(*)[3])indices, NULL);
        out = hemc_alloc(o->arena, out_size + 1, 1);
        hem_body_write(&body, (const int32_t(*)[3])indices, out);
        if (o->job->verbosity >= 0) {
            printf("%s: %u particles\n", o->job->input, body.particle_count);
        }
    } else {
        hem_animation_text a;
        if (!hem_animation_read(text, size, &a, NULL, NULL, NULL, &fault)) {
            return hemc_error(&o->log, HEMC_INPUT, o->job->input, hemc_format(o->arena, "%u", fault.line), "%s",
                              fault.what);
        }
        int32_t(*indices)[3] = hemc_alloc(o->arena, a.particle_count, sizeof *indices);
        int32_t* frames = hemc_alloc(o->arena, a.frame_count, sizeof *frames);
        float(*places)[3] = hemc_alloc(o->arena, (size_t)a.frame_count * a.particle_count, sizeof *places);
        hem_animation_read(text, size, &a, indices, frames, places, &fault);
        out_size = hem_animation_write(&a, (const int32_t(*)[3])indices, frames, (const float(*)[3])places, NULL);
        out = hemc_alloc(o->arena, out_size + 1, 1);
        hem_animation_write(&a, (const int32_t(*)[3])indices, frames, (const float(*)[3])places, out);
        if (o->job->verbosity >= 0) {
            printf("%s: %u keyframes of %u particles\n", o->job->input, a.frame_count, a.particle_count);
        }
    }
    return o->job->output == NULL || hemc_write_output(&o->log, o->job->output, out, out_size);
}

int hemc_lattice_run(hemc_arena* arena, int argc, char** argv, const char* const* responses) {
    files_job job = {0};
    const int code = parse(argc, argv, &job);
    if (code != HEMC_OK) {
        return code;
    }
    opened o = {.arena = arena, .log = {.arena = arena}, .job = &job};
    const hemc_job paths = {.input = job.input,
                            .recipe = job.model != NULL ? job.model : job.cache,
                            .output = job.output,
                            .picture = job.picture,
                            .responses = responses};
    const bool good = hemc_check_outputs(arena, &o.log, NULL, &paths, 1, NULL) && hemc_check_writable(&o.log, &paths);
    if (good && strcmp(job.verb, "check") == 0) {
        check_text(&o);
    } else if (good && open_file(&o)) {
        (void)(strcmp(job.verb, "export") == 0 ? export_body(&o)
               : strcmp(job.verb, "mesh") == 0 ? write_mesh(&o)
                                               : write_inverse(&o));
    }
    hemc_print_messages(&o.log, job.verbosity);
    return o.log.error_count != 0 ? (int)o.log.exit_code : HEMC_OK;
}
