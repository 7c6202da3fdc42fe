// SPDX-License-Identifier: MIT
#include "compiler/shape/lattice_motion.h"

#include "compiler/recipe/json.h"
#include "compiler/shape/clip_pose.h"
#include "compiler/shape/inverse.h"
#include "compiler/shape/vertex_cache.h"
#include "formats/hem_lattice_text.h"

#include <string.h>

// Animations of a lattice. Forward: a particle animation says where each particle is, by index. Inverse: a clip of the
// character or a point cache says where each vertex is, and shape/inverse.c which lattice has them there.

static double lattice_index(const hemc_lattice* l, uint32_t particle, int axis) {
    return (double)l->origin[axis] + l->indices[particle][axis] * (double)l->spacing[axis];
}

// -- Rotations

// The rotation of a, from a guess: Newton's steps on the quaternion (Mueller et al., "A robust method to extract the
// rotational part of deformations", 2016).
static void turn_of(const double a[3][3], double q[4]) {
    for (int n = 0; n < 40; ++n) {
        const double x = q[0], y = q[1], z = q[2], w = q[3];
        const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                                {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                                {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
        double g[3] = {0, 0, 0}, trace = 0;
        for (int j = 0; j < 3; ++j) {
            g[0] += m[1][j] * a[2][j] - m[2][j] * a[1][j];
            g[1] += m[2][j] * a[0][j] - m[0][j] * a[2][j];
            g[2] += m[0][j] * a[1][j] - m[1][j] * a[0][j];
            trace += m[0][j] * a[0][j] + m[1][j] * a[1][j] + m[2][j] * a[2][j];
        }
        const double size = fabs(trace);
        if (!(size > 1e-30)) {
            return; // a moment of nothing tells nothing
        }
        double e[3], length2 = 1;
        for (int k = 0; k < 3; ++k) {
            e[k] = fmin(fmax(0.5 * g[k] / size, -0.5), 0.5);
        }
        const double p[4] = {x + e[0] * w + e[1] * z - e[2] * y, y + e[1] * w + e[2] * x - e[0] * z,
                             z + e[2] * w + e[0] * y - e[1] * x, w - e[0] * x - e[1] * y - e[2] * z};
        length2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
        for (int k = 0; k < 4; ++k) {
            q[k] = p[k] / sqrt(length2);
        }
    }
}

// Adds what a cell's corners tell of its turn: the sum of (x - middle) (rest - middle)^T.
static void add_turn(const hemc_lattice* l, uint32_t cell, const hemc_vec3* places, double a[3][3]) {
    const uint32_t* corner = l->corners[cell];
    double middle[3] = {0}, rest[3] = {0};
    for (int k = 0; k < 8; ++k) {
        const hemc_vec3 x = places[corner[k]];
        const double at[3] = {x.x, x.y, x.z};
        for (int r = 0; r < 3; ++r) {
            middle[r] += 0.125 * at[r];
            rest[r] += 0.125 * lattice_index(l, corner[k], r);
        }
    }
    for (int k = 0; k < 8; ++k) {
        const hemc_vec3 x = places[corner[k]];
        const double at[3] = {x.x, x.y, x.z};
        for (int r = 0; r < 3; ++r) {
            for (int s = 0; s < 3; ++s) {
                a[r][s] += (at[r] - middle[r]) * (lattice_index(l, corner[k], s) - rest[s]);
            }
        }
    }
}

void hemc_lattice_turns(const hemc_lattice* l, uint32_t count, const hemc_vec3* places, double (*moments)[3][3],
                        double (*turns)[4]) {
    memset(moments, 0, count * sizeof(*moments));
    for (uint32_t c = 0; c < l->cell_count; ++c) {
        double a[3][3] = {{0}};
        add_turn(l, c, places, a);
        for (int k = 0; k < 8; ++k) {
            for (int n = 0; n < 9; ++n) {
                moments[l->corners[c][k]][n / 3][n % 3] += a[n / 3][n % 3];
            }
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        turn_of((const double(*)[3])moments[i], turns[i]);
    }
}

// -- Forward

static int compare_index(const int32_t a[3], const int32_t b[3]) {
    for (int k = 2; k >= 0; --k) { // particles are numbered along x, then y, then z
        if (a[k] != b[k]) {
            return a[k] < b[k] ? -1 : 1;
        }
    }
    return 0;
}

static int32_t particle_at(const hemc_lattice* l, uint32_t count, const int32_t index[3]) {
    for (uint32_t i = 0; i < count; ++i) { // a bare lattice may be numbered in any way
        if (compare_index(l->indices[i], index) == 0) {
            return (int32_t)i;
        }
    }
    return HEM_NONE;
}

static bool read_forward(hemc_arena* arena, hemc_log* log, const hemc_lattice_clip_recipe* from, const hemc_lattice* l,
                         uint32_t count, hemc_lattice_clip* clip) {
    hem_animation_text text;
    hem_text_fault fault;
    hem_animation_read(from->text, from->text_size, &text, NULL, NULL, NULL, &fault); // read before: it is good
    int32_t(*indices)[3] = hemc_alloc(arena, text.particle_count, sizeof *indices);
    int32_t* frames = hemc_alloc(arena, text.frame_count, sizeof(int32_t));
    float(*places)[3] = hemc_alloc(arena, (size_t)text.frame_count * text.particle_count, sizeof *places);
    uint32_t* particle = hemc_alloc(arena, text.particle_count, sizeof(uint32_t));
    uint8_t* seen = hemc_alloc(arena, count, 1);
    hem_animation_read(from->text, from->text_size, &text, indices, frames, places, &fault);
    for (uint32_t i = 0; i < text.particle_count; ++i) {
        const int32_t found = particle_at(l, count, indices[i]);
        if (found == HEM_NONE || seen[found]) {
            return hemc_error(
                log, HEMC_INPUT, from->file, "declaration", "%d,%d,%d %s", indices[i][0], indices[i][1], indices[i][2],
                found == HEM_NONE ? "is no particle of the lattice: export its body file again" : "is declared twice");
        }
        seen[found] = 1;
        particle[i] = (uint32_t)found;
    }
    if (text.particle_count != count || text.frame_count == 0) {
        return hemc_error(log, HEMC_INPUT, from->file, "declaration",
                          text.frame_count == 0 ? "there is no keyframe"
                                                : "%u particles, and the lattice has %u: each must be there",
                          text.particle_count, count);
    }
    clip->key_count = text.frame_count;
    clip->interpolates = text.interpolate != 0;
    clip->seconds = hemc_alloc(arena, text.frame_count, sizeof(float));
    clip->places = hemc_alloc(arena, (size_t)text.frame_count * count, sizeof(hemc_vec3));
    for (uint32_t f = 0; f < text.frame_count; ++f) {
        clip->seconds[f] = (float)((frames[f] - frames[0]) / text.fps);
        if (f > 0 && !(clip->seconds[f] > clip->seconds[f - 1])) {
            return hemc_error(log, HEMC_INPUT, from->file, "frames", "keyframe %d does not come after keyframe %d",
                              frames[f], frames[f - 1]);
        }
        for (uint32_t i = 0; i < count; ++i) {
            const float* x = places[(size_t)f * count + i];
            clip->places[(size_t)f * count + particle[i]] = (hemc_vec3){x[0], x[1], x[2]};
        }
    }
    return true;
}

// -- Inverse

static const hemc_clip* find_clip(hemc_arena* arena, hemc_log* log, const hemc_model* model,
                                  const hemc_part_recipe* part, const hemc_lattice_clip_recipe* from) {
    const hemc_clip* found = hemc_find_clip(model, from->clip);
    hemc_text names = {.arena = arena};
    hemc_text_add(&names, "there are:");
    for (uint32_t i = 0; found == NULL && i < model->clip_count; ++i) {
        hemc_text_add(&names, "%s %s", i > 0 ? "," : "", model->clips[i].name);
    }
    if (found == NULL) {
        hemc_error(log, HEMC_INPUT, hemc_part_file(part, model), from->json_path,
                   "the model has no clip \"%.200s\" that \"clips\" of the recipe includes; %s", from->clip,
                   model->clip_count > 0 ? names.data : "there are none");
    }
    return found;
}

static bool make_inverse(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_part_recipe* part,
                         const hemc_lattice_clip_recipe* from, double scale, const hemc_mesh* mesh, uint32_t p,
                         hemc_lattice_clip* clip) {
    const hemc_lattice* l = mesh->part_lattices[p];
    const uint32_t begin = mesh->part_begin[p], end = mesh->part_begin[p + 1];
    const hemc_clip* source = from->is_cache ? NULL : find_clip(arena, log, model, part, from);
    if (!from->is_cache && source == NULL) {
        return false;
    }
    uint32_t* vertices = hemc_alloc(arena, model->vertex_count, sizeof(uint32_t));
    hemc_vec3* rest = hemc_alloc(arena, model->vertex_count, sizeof(hemc_vec3));
    hemc_vec3* now = hemc_alloc(arena, model->vertex_count, sizeof(hemc_vec3));
    hemc_d3* shape = hemc_alloc(arena, model->vertex_count, sizeof(hemc_d3));
    uint32_t count = 0;
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        const uint32_t first = mesh->skinning.vertex_particle[v][0];
        if (mesh->skinning.vertex_cell[v] != HEM_NONE && first >= begin && first < end) {
            rest[count] = model->positions[v];
            vertices[count++] = v;
        }
    }
    hemc_inverse* inverse = hemc_inverse_make(arena, l, end - begin, rest, count);
    if (inverse == NULL) {
        return hemc_error(log, HEMC_INPUT, hemc_part_file(part, model), from->json_path,
                          "the vertices of part \"%s\" lie in a plane: nothing tells what is across it", part->name);
    }
    hemc_vertex_cache cache;
    if (from->is_cache &&
        !hemc_vertex_cache_open(arena, log, from->file, from->text, from->text_size, scale, rest, count, &cache)) {
        return false;
    }
    const uint32_t frames = from->is_cache ? cache.points.sample_count : source->frame_count;
    const double hz = from->is_cache ? hemc_vertex_cache_hz(&cache, (double)from->fps) : (double)source->hz;
    const uint32_t keys = (frames - 1) / from->every + 1;
    const bool last = (keys - 1) * from->every != frames - 1; // the end is always a key
    clip->key_count = keys + last;
    clip->interpolates = true;
    clip->loops = !from->is_cache && source->loops;
    clip->seconds = hemc_alloc(arena, clip->key_count, sizeof(float));
    clip->places = hemc_alloc(arena, (size_t)clip->key_count * (end - begin), sizeof(hemc_vec3));
    double worst = 0;
    for (uint32_t k = 0; k < clip->key_count; ++k) {
        const uint32_t frame = k < keys ? k * from->every : frames - 1;
        hemc_vec3* places = clip->places + (size_t)k * (end - begin);
        if (from->is_cache) {
            hemc_vertex_cache_sample(&cache, frame, now);
        } else {
            hemc_clip_pose(model, source, frame, vertices, count, shape, now);
        }
        hemc_inverse_frame(inverse, now, places);
        clip->seconds[k] = (float)(frame / hz);
        worst = fmax(worst, hemc_inverse_measure(inverse, now, places).worst);
    }
    hemc_note(log, hemc_part_file(part, model), from->json_path,
              "lattice clip \"%s\": %u keyframes, vertices at most %.1f mm from where the %s has them", clip->name,
              clip->key_count, 1000 * worst, from->is_cache ? "cache" : "clip");
    return true;
}

bool hemc_lattice_motion(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
                         hemc_mesh* mesh) {
    bool good = true;
    for (uint32_t p = 0; p < recipe->part_count; ++p) {
        const hemc_lattice_recipe* from = &recipe->parts[p].lattice;
        hemc_lattice* l = mesh->part_lattices != NULL ? mesh->part_lattices[p] : NULL;
        if (l == NULL || from->clip_count == 0) {
            continue;
        }
        l->clips = hemc_alloc(arena, from->clip_count, sizeof(hemc_lattice_clip));
        l->clip_count = from->clip_count;
        for (uint32_t i = 0; i < from->clip_count; ++i) {
            const hemc_lattice_clip_recipe* r = &from->clips[i];
            hemc_lattice_clip* clip = &l->clips[i];
            clip->name = r->name;
            good =
                (r->file != NULL && !r->is_cache
                     ? read_forward(arena, log, r, l, mesh->part_begin[p + 1] - mesh->part_begin[p], clip)
                     : make_inverse(arena, log, model, &recipe->parts[p], r, (double)recipe->scale, mesh, p, clip)) &&
                good;
            clip->interpolates = r->interpolate >= 0 ? r->interpolate != 0 : clip->interpolates;
            clip->loops = r->loop >= 0 ? r->loop != 0 : clip->loops;
        }
    }
    return good;
}
