// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"
#include "compiler/import/png.h"
#include "compiler/surface/spatial.h"

#include "formats/hem_trimesh_validate.h"
#include "hem/trimesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// hemc mesh: a glTF to a .hemmesh. The importer and the weld are those of characters; the runtime's own builder makes the
// bytes, so that a mesh from here and one that a game builds are the same thing. What is here is what an artist wants to
// hear: which triangles were left out, where the mesh is open, where a crack is.

#define CRACK_SHARE 0.2 // of a border edge's length: another border nearer than that was meant to meet it

typedef struct mesh_compilation {
    const hemc_mesh_job* job;
    hemc_arena* arena;
    hemc_log log;
    hemc_model model;
    hemc_surface surface;
    hem_trimesh_view view;
    hem_trimesh_report built;
    uint8_t* bytes;
    size_t size;
} mesh_compilation;

static const char* path_of_triangle(mesh_compilation* c, uint32_t triangle) {
    const hemc_primitive* p = &c->model.primitives[c->model.triangle_primitive[triangle]];
    return hemc_format(c->arena, "/meshes/%u/primitives/%u", p->mesh, p->primitive);
}

static void tell_left_out(mesh_compilation* c) {
    uint32_t left_out = c->model.triangle_count - c->surface.triangle_count;
    if (left_out == 0) {
        return;
    }
    uint8_t* kept = hemc_alloc(c->arena, c->model.triangle_count, 1);
    for (uint32_t t = 0; t < c->surface.triangle_count; ++t) {
        kept[c->surface.source_triangle[t]] = 1;
    }
    uint32_t first = 0;
    while (kept[first]) {
        ++first;
    }
    hemc_warn(&c->log, c->job->input, path_of_triangle(c, first),
              "%u triangles have no area or lie on another one and are left out, the first is number %u of this "
              "primitive; merge by distance and remove doubles in the modelling tool",
              left_out, first - c->model.primitives[c->model.triangle_primitive[first]].triangle_begin);
}

static bool make_surface(mesh_compilation* c) {
    const hemc_model* model = &c->model;
    if (model->triangle_count == 0) {
        return hemc_error(&c->log, HEMC_INPUT, c->job->input, "", "the glTF has no triangles");
    }
    int32_t* owner = hemc_alloc(c->arena, model->triangle_count, sizeof(int32_t)); // all of part 0
    hemc_weld(c->arena, model, owner, 0, &c->surface);
    if (c->surface.triangle_count == 0) {
        return hemc_error(&c->log, HEMC_INPUT, c->job->input, path_of_triangle(c, 0),
                          "every triangle is degenerate: there is nothing to collide with");
    }
    tell_left_out(c);
    return true;
}

static bool finish(mesh_compilation* c) {
    c->size = c->built.size;
    hem_trimesh_header* header = (hem_trimesh_header*)(void*)c->bytes;
    snprintf(header->tool, sizeof(header->tool), "hemc %s", HEMC_VERSION);
    memcpy(header->source_hash, c->model.source_hash, sizeof(header->source_hash));
    hemc_hash128(c->bytes + sizeof(*header), c->size - sizeof(*header), header->content_hash);
    hem_trimesh_fault_place fault;
    hem_trimesh_result valid = hem_trimesh_validate(c->bytes, c->size, &c->view, &fault);
    return valid == HEM_TRIMESH_OK || hemc_error(&c->log, HEMC_VALIDATION, c->job->input, "",
                                                 "the mesh that was made is not valid (%s, %s %u): a fault of hemc",
                                                 fault.array, fault.field, fault.element);
}

static bool build(mesh_compilation* c) {
    hem_trimesh_def def = hem_trimesh_def_default();
    uint32_t n = c->surface.vertex_count;
    def.positions = &c->surface.positions[0].x;
    def.position_stride = sizeof(hemc_vec3);
    def.vertex_count = n;
    def.indices = c->surface.triangles;
    def.triangle_count = c->surface.triangle_count;
    def.two_sided = c->job->two_sided;
    if (c->job->skinned) {
        uint16_t(*bones)[4] = hemc_alloc(c->arena, n, sizeof(*bones));
        uint16_t(*weights)[4] = hemc_alloc(c->arena, n, sizeof(*weights));
        for (uint32_t i = 0; i < n; ++i) {
            uint32_t v = c->surface.source_vertex[i];
            memcpy(bones[i], c->model.bones[v], sizeof(bones[i]));
            hemc_quantize_weights(c->model.bone_weights[v], weights[i]);
        }
        def.bone_count = c->model.bone_count;
        def.bones = bones[0];
        def.weights = weights[0];
    }
    hem_memory need, aside;
    hem_result result = hem_trimesh_measure(&def, &need, &aside);
    if (result == HEM_OK) {
        c->bytes = hemc_alloc(c->arena, need.size, 1);
        result =
            hem_trimesh_build(&def, c->bytes, need.size, hemc_alloc(c->arena, aside.size, 1), aside.size, &c->built);
    }
    if (result == HEM_ERROR_RANGE) {
        hemc_vec3 p = c->surface.positions[c->built.bad_vertex];
        return hemc_error(&c->log, HEMC_INPUT, c->job->input, "",
                          "a vertex at (%.9g %.9g %.9g) is farther than 100 km from the origin; is the glTF in metres?",
                          (double)p.x, (double)p.y, (double)p.z);
    }
    if (result != HEM_OK) {
        return hemc_error(&c->log, HEMC_INPUT, c->job->input, "", "the mesh cannot be built: %s",
                          hem_result_text(result));
    }
    return finish(c);
}

static bool read_heights(mesh_compilation* c, hemc_png_heights* png) {
    const char* file = c->job->input;
    uint8_t* bytes = NULL;
    size_t size = 0;
    if (!hemc_read_file(c->arena, file, &bytes, &size)) {
        return hemc_error(&c->log, HEMC_IO, file, "", "the file cannot be read");
    }
    hemc_hash128(bytes, size, c->model.source_hash);
    const char** paths = hemc_alloc(c->arena, 1, sizeof(char*));
    paths[0] = file;
    c->model.input_paths = paths;
    c->model.input_count = 1;
    const char* fault = hemc_png_read_heights(c->arena, bytes, size, png);
    return fault == NULL || hemc_error(&c->log, HEMC_INPUT, file, "", "the heights cannot be read from it: %s", fault);
}

// Column by column as the picture's pixels, row by row from its top.
static bool build_field(mesh_compilation* c) {
    const hemc_mesh_job* job = c->job;
    hemc_png_heights png = {0};
    if (!read_heights(c, &png)) {
        return false;
    }
    const size_t count = (size_t)png.width * png.height;
    float* heights = hemc_alloc(c->arena, count, sizeof(float));
    for (size_t i = 0; i < count; ++i) {
        const double share = (double)png.samples[i] / 65535.0;
        heights[i] = png.samples[i] == HEMC_PNG_HOLE
                         ? HEM_NO_GROUND
                         : (float)(job->heights[0] + (job->heights[1] - job->heights[0]) * share);
    }
    hem_trimesh_field_def def = hem_trimesh_field_def_default();
    def.columns = png.width;
    def.rows = png.height;
    def.heights = heights;
    def.cell[0] = job->cell[0];
    def.cell[1] = job->cell[1];
    def.two_sided = job->two_sided;
    hem_memory need;
    hem_result result = hem_trimesh_measure_field(&def, &need);
    if (result == HEM_OK) {
        c->bytes = hemc_alloc(c->arena, need.size, 1);
        result = hem_trimesh_build_field(&def, c->bytes, need.size, &c->built);
    }
    if (result != HEM_OK) {
        return hemc_error(
            &c->log, HEMC_INPUT, job->input, "",
            "%u x %u pixels at %g x %g m make no field: it takes 2 to %u a side, less than 100 km, and three "
            "beside each other that are not transparent",
            png.width, png.height, (double)def.cell[0], (double)def.cell[1], HEM_TRIMESH_MAX_SIDE);
    }
    return finish(c);
}
static double length_of(const hem_trimesh_view* v, uint32_t edge) {
    const float *a = v->vertices[v->edges[edge].vertex[0]].position,
                *b = v->vertices[v->edges[edge].vertex[1]].position;
    double x = (double)a[0] - b[0], y = (double)a[1] - b[1], z = (double)a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

// Vertices on a border, near another one that no edge of theirs leads to.
static uint32_t count_cracks(mesh_compilation* c, const float** first) {
    const hem_trimesh_view* v = &c->view;
    uint32_t n = v->header->vertex_count, count = 0, cracks = 0;
    double* reach = hemc_alloc(c->arena, n, sizeof(double));
    for (uint32_t e = 0; e < v->header->edge_count; ++e) {
        for (int k = 0; k < 2 && v->edges[e].flags == HEM_TRIMESH_EDGE_BORDER; ++k) {
            double* r = &reach[v->edges[e].vertex[k]];
            double length = CRACK_SHARE * length_of(v, e);
            *r = *r == 0 || length < *r ? length : *r;
        }
    }
    hemc_vec3* points = hemc_alloc(c->arena, n, sizeof(hemc_vec3));
    uint32_t* names = hemc_alloc(c->arena, n, sizeof(uint32_t));
    for (uint32_t i = 0; i < n; ++i) {
        if (reach[i] > 0) {
            const float* p = v->vertices[i].position;
            points[count] = (hemc_vec3){p[0], p[1], p[2]};
            names[count++] = i;
        }
    }
    if (count == 0) {
        return 0;
    }
    hemc_kd kd;
    hemc_kd_build(c->arena, &kd, points, count);
    for (uint32_t i = 0; i < count;
         ++i) { // no border edge is shorter than five times the reach, so neighbours are not found
        hemc_near near[2];
        hemc_d3 p = {points[i].x, points[i].y, points[i].z};
        if (hemc_kd_near(&kd, p, reach[names[i]], 2, near) > 1) {
            *first = cracks++ == 0 ? v->vertices[names[i]].position : *first;
        }
    }
    return cracks;
}

static void tell_shape(mesh_compilation* c) {
    const char* file = c->job->input;
    const hem_trimesh_view* v = &c->view;
    const float* at = NULL;
    if (c->built.torn_count > 0) {
        uint32_t e = 0;
        while (v->edges[e].flags != HEM_TRIMESH_EDGE_TORN) {
            ++e;
        }
        at = v->vertices[v->edges[e].vertex[0]].position;
        hemc_warn(
            &c->log, file, "",
            "%u edges have more than two triangles, or two that face opposite ways, the first at (%.4f %.4f %.4f); "
            "recalculate normals and remove inner walls in the modelling tool%s",
            c->built.torn_count, (double)at[0], (double)at[1], (double)at[2],
            c->job->two_sided ? "" : ", or compile with --two-sided");
    }
    uint32_t cracks = count_cracks(c, &at);
    if (cracks > 0) {
        hemc_warn(&c->log, file, "",
                  "%u vertices on open borders lie beside another border without meeting it, the first at (%.4f %.4f "
                  "%.4f): cracks that cloth may be pressed into; merge these vertices in the modelling tool",
                  cracks, (double)at[0], (double)at[1], (double)at[2]);
    }
    if (c->built.border_count > 0) {
        hemc_note(&c->log, file, "", "the mesh is open: %u edges have one triangle%s", c->built.border_count,
                  c->job->two_sided ? ""
                                    : "; what is behind a triangle counts as inside. --two-sided makes it a sheet");
    }
}

static void make_report(mesh_compilation* c, bool ok, hemc_text* t) {
    hemc_text_add(t, "{\n  \"ok\": %s,\n  \"input\": ", ok ? "true" : "false");
    hemc_text_quoted(t, c->job->input);
    hemc_text_add(t, ",\n");
    if (c->view.header != NULL) {
        const hem_trimesh_header* h = c->view.header;
        hemc_text_add(
            t,
            "  \"mesh\": {\"vertices\": %u, \"triangles\": %u, \"edges\": %u, \"borders\": %u, \"torn\": %u, "
            "\"left_out\": %u, \"bones\": %u, \"levels\": %u, \"closed\": %s, \"two_sided\": %s,\n    \"low\": [",
            h->vertex_count, h->triangle_count, h->edge_count, h->border_count, c->built.torn_count,
            c->job->field ? 0 : c->model.triangle_count - h->triangle_count, h->bone_count, c->view.level_count,
            h->flags & HEM_TRIMESH_CLOSED ? "true" : "false", h->flags & HEM_TRIMESH_TWO_SIDED ? "true" : "false");
        for (int k = 0; k < 6; ++k) {
            hemc_text_add(t, k == 0 ? "" : k == 3 ? "], \"high\": [" : ", ");
            hemc_text_number(t, (double)(k < 3 ? h->low[k] : h->high[k - 3]));
        }
        hemc_text_add(t, "]},\n  \"sizes\": {\"file\": %zu},\n", c->size);
    }
    hemc_text_add(t, "  \"messages\": ");
    hemc_report_messages(t, &c->log);
    hemc_text_add(t, "\n}\n");
}

static bool write_outputs(mesh_compilation* c) {
    const hemc_mesh_job* job = c->job;
    if (job->output != NULL && !hemc_write_output(&c->log, job->output, c->bytes, c->size)) {
        return false;
    }
    if (job->depfile != NULL) {
        char* text = hemc_depfile_make(c->arena, job->output != NULL ? job->output : job->input, c->model.input_paths,
                                       c->model.input_count);
        return hemc_write_output(&c->log, job->depfile, text, strlen(text));
    }
    return true;
}

static void run(mesh_compilation* c) {
    const hemc_mesh_job* job = c->job;
    hemc_job files = {.input = job->input,
                      .output = job->output,
                      .report = job->report,
                      .depfile = job->depfile,
                      .responses = job->responses};
    bool writable =
        hemc_check_outputs(c->arena, &c->log, NULL, &files, 1, NULL) && hemc_check_writable(&c->log, &files);
    bool good =
        writable && (job->field ? build_field(c)
                                : hemc_import(c->arena, &c->log, job->input, &c->model) && make_surface(c) && build(c));
    if (good && !job->field) {
        tell_shape(c);
    }
    if (good && job->strict && c->log.warning_count != 0) {
        good = hemc_error(&c->log, HEMC_VALIDATION, job->input, "", "%d warnings, and --strict takes them as errors",
                          c->log.warning_count);
    }
    good = good && write_outputs(c);
    if (job->report != NULL && writable) {
        hemc_text text = {.arena = c->arena};
        make_report(c, good, &text);
        hemc_write_output(&c->log, job->report, text.data, text.size);
    }
    hemc_print_messages(&c->log, job->verbosity);
    if (good && job->verbosity >= 0 && job->output != NULL) {
        fprintf(stderr, "%s: %u triangles, %zu bytes\n", job->output, c->view.header->triangle_count, c->size);
    }
}

int hemc_mesh_run(const hemc_mesh_job* job, uint8_t** bytes, size_t* size) {
    hemc_arena* arena = hemc_arena_create();
    if (bytes != NULL) {
        *bytes = NULL;
        *size = 0;
    }
    if (arena == NULL || setjmp(*hemc_arena_guard(arena)) != 0) {
        fputs(hemc_no_memory, stderr);
        hemc_arena_destroy(arena);
        return HEMC_MEMORY;
    }
    mesh_compilation* c = hemc_alloc(arena, 1, sizeof(*c));
    c->job = job;
    c->arena = arena;
    c->log.arena = arena;
    run(c);
    int code = c->log.error_count != 0 ? (int)c->log.exit_code : HEMC_OK;
    if (code == HEMC_OK && bytes != NULL) {
        *bytes = aligned_alloc(HEM_ALIGNMENT, c->size);
        code = *bytes != NULL ? HEMC_OK : HEMC_MEMORY;
        if (code == HEMC_OK) {
            memcpy(*bytes, c->bytes, c->size);
            *size = c->size;
        }
    }
    hemc_arena_destroy(arena);
    return code;
}
