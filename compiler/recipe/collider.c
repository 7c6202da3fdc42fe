// SPDX-License-Identifier: MIT
#include "compiler/recipe/recipe.h"

#include <math.h>
#include <string.h>

// Colliders of a recipe. All are given in bind pose and character space; pack/ brings them into bone space.
//
// A capsule without coordinates is fitted to the vertices that follow its bone: the axis is the bone's own direction
// (to its children) or, for a leaf, the longest axis of the vertices; the radius covers nine tenths of them by
// distance, so that fingers and collars do not blow it up.

bool hemc_part_ignores(const hemc_part_recipe* part, const hemc_collider_recipe* collider) {
    bool ignores = false;
    for (uint32_t i = 0; i < part->ignores_count; ++i) {
        ignores = ignores || hemc_glob(part->ignores[i], collider->name) ||
                  (collider->bone != NULL && hemc_glob(part->ignores[i], collider->bone));
    }
    return ignores;
}

static void quaternion_from_y(const double direction[3], float out[4]) {
    // Half-way: (y cross d, 1 + y . d), normalised.
    double q[4] = {direction[2], 0, -direction[0], 1.0 + direction[1]};
    double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (n < 1e-12) {
        q[0] = 1, q[1] = q[2] = q[3] = 0; // straight down: half a turn about x
        n = 1;
    }
    for (int i = 0; i < 4; ++i) {
        out[i] = (float)(q[i] / sqrt(n));
    }
}

static bool unit(double v[3]) {
    double n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(n > 1e-9)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        v[i] /= n;
    }
    return true;
}

void hemc_collider_capsule(hemc_collider_recipe* c, const double from[3], const double to[3], double r0, double r1) {
    double d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (!unit(d)) {
        d[0] = d[2] = 0;
        d[1] = 1;
    }
    quaternion_from_y(d, c->rotation);
    for (int i = 0; i < 3; ++i) {
        c->position[i] = (float)(0.5 * (from[i] + to[i]));
    }
    c->size[0] = (float)r0;
    c->size[1] = (float)r1;
    c->size[2] = (float)(0.5 * length);
    c->size[3] = 0;
}

// Planes through three points with all others behind. Points are few; every triple is tried.
static bool make_hull(const hemc_recipe_reader* r, const hemc_json* points, hemc_collider_recipe* c) {
    enum { POINT_LIMIT = 64, PLANE_LIMIT = 2 * POINT_LIMIT - 4 }; // Euler: no hull of so many points has more
    if (points->kind != HEMC_JSON_ARRAY || points->count < 4 || points->count > POINT_LIMIT) {
        return hemc_recipe_fault(r, points, "must be an array of 4 to 64 points [x,y,z]");
    }
    double p[POINT_LIMIT][3], center[3] = {0, 0, 0};
    int count = 0;
    for (const hemc_json* item = points->first; item != NULL; item = item->next, ++count) {
        if (item->kind != HEMC_JSON_ARRAY || item->count != 3) {
            return hemc_recipe_fault(r, item, "must be a point [x,y,z]");
        }
        int axis = 0;
        for (const hemc_json* v = item->first; v != NULL; v = v->next, ++axis) {
            if (v->kind != HEMC_JSON_NUMBER || !(fabs(v->number) < 1e6)) {
                return hemc_recipe_fault(r, v, "must be a number");
            }
            p[count][axis] = v->number;
            center[axis] += v->number / points->count;
        }
    }
    double size = 0;
    for (int i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            p[i][axis] -= center[axis];
            size = fmax(size, fabs(p[i][axis]));
        }
    }
    float(*planes)[4] = hemc_alloc(r->arena, PLANE_LIMIT, sizeof(*planes));
    uint32_t plane_count = 0;
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            for (int k = j + 1; k < count; ++k) {
                double u[3], v[3];
                for (int axis = 0; axis < 3; ++axis) {
                    u[axis] = p[j][axis] - p[i][axis];
                    v[axis] = p[k][axis] - p[i][axis];
                }
                double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
                if (!unit(n)) {
                    continue;
                }
                double offset = n[0] * p[i][0] + n[1] * p[i][1] + n[2] * p[i][2];
                int above = 0, below = 0;
                for (int m = 0; m < count; ++m) {
                    double d = n[0] * p[m][0] + n[1] * p[m][1] + n[2] * p[m][2] - offset;
                    above += d > 1e-6 * size ? 1 : 0;
                    below += d < -1e-6 * size ? 1 : 0;
                }
                if ((above != 0) == (below != 0)) {
                    continue;
                }
                double sign = above != 0 ? -1.0 : 1.0;
                bool known = false;
                for (uint32_t q = 0; q < plane_count && !known; ++q) {
                    known = sign * (n[0] * planes[q][0] + n[1] * planes[q][1] + n[2] * planes[q][2]) > 1.0 - 1e-6 &&
                            fabs(sign * offset - planes[q][3]) < 1e-5 * size;
                }
                if (known) {
                    continue;
                }
                if (plane_count == PLANE_LIMIT) { // points nearly in a plane count as several
                    return hemc_recipe_fault(
                        r, points, "its hull has more than %d faces; leave out points that lie close together",
                        PLANE_LIMIT);
                }
                for (int axis = 0; axis < 3; ++axis) {
                    planes[plane_count][axis] = (float)(sign * n[axis]);
                }
                planes[plane_count++][3] = (float)(sign * offset);
            }
        }
    }
    if (plane_count < 4) {
        return hemc_recipe_fault(r, points, "lie in a plane; a hull needs a volume");
    }
    for (int i = 0; i < 3; ++i) {
        c->position[i] = (float)center[i];
    }
    c->planes = planes;
    c->plane_count = plane_count;
    return true;
}

static bool read_plane(const hemc_recipe_reader* r, const hemc_json* object, hemc_collider_recipe* c) {
    float w[3] = {0, 1, 0};
    if (!hemc_recipe_vector(r, object, "point", 3, c->position) || !hemc_recipe_vector(r, object, "normal", 3, w)) {
        return false;
    }
    double n[3] = {w[0], w[1], w[2]};
    if (!unit(n)) {
        return hemc_recipe_fault(r, object, "\"normal\" must not be zero");
    }
    quaternion_from_y(n, c->rotation);
    return true;
}

static bool read_sphere(const hemc_recipe_reader* r, const hemc_json* object, hemc_collider_recipe* c) {
    if (hemc_json_member(object, "center") == NULL || hemc_json_member(object, "radius") == NULL) {
        return hemc_recipe_fault(r, object, "a sphere needs \"center\" and \"radius\"");
    }
    return hemc_recipe_vector(r, object, "center", 3, c->position) &&
           hemc_recipe_number(r, object, "radius", 0, true, 1000, &c->size[0]);
}

static bool read_capsule(const hemc_recipe_reader* r, const hemc_json* object, hemc_collider_recipe* c) {
    float v[3] = {0, 0, 0}, w[3] = {0, 1, 0}, radius = 0;
    bool from = hemc_json_member(object, "from") != NULL, to = hemc_json_member(object, "to") != NULL;
    if (!hemc_recipe_number(r, object, "radius", 0, true, 1000, &radius) ||
        !hemc_recipe_vector(r, object, "from", 3, v) || !hemc_recipe_vector(r, object, "to", 3, w)) {
        return false;
    }
    float radius2 = radius;
    if (!hemc_recipe_number(r, object, "radius2", 0, true, 1000, &radius2)) {
        return false;
    }
    if (!from && !to) {
        if (c->bone == NULL) {
            return hemc_recipe_fault(r, object, "a capsule needs \"from\" and \"to\", or a \"bone\" to be fitted to");
        }
        c->fit = true;
        c->size[0] = radius;
        c->size[1] = radius2;
        return true;
    }
    if (!from || !to || !(radius > 0)) {
        return hemc_recipe_fault(r, object, "a capsule needs \"from\", \"to\" and \"radius\"");
    }
    double a[3] = {v[0], v[1], v[2]}, b[3] = {w[0], w[1], w[2]};
    hemc_collider_capsule(c, a, b, radius, radius2);
    return true;
}

static bool read_box(const hemc_recipe_reader* r, const hemc_json* object, hemc_collider_recipe* c) {
    if (hemc_json_member(object, "center") == NULL || hemc_json_member(object, "half") == NULL) {
        return hemc_recipe_fault(r, object, "a box needs \"center\" and \"half\"");
    }
    if (!hemc_recipe_vector(r, object, "center", 3, c->position) ||
        !hemc_recipe_vector(r, object, "half", 3, c->size) ||
        !hemc_recipe_vector(r, object, "rotation", 4, c->rotation) ||
        !hemc_recipe_number(r, object, "rounding", 0, false, 1000, &c->size[3])) {
        return false;
    }
    double n = 0;
    for (int i = 0; i < 4; ++i) {
        n += (double)c->rotation[i] * c->rotation[i];
    }
    if (!(n > 1e-6) || !(c->size[0] > 0) || !(c->size[1] > 0) || !(c->size[2] > 0)) {
        return hemc_recipe_fault(r, object,
                                 "\"half\" must be three lengths above 0, \"rotation\" a quaternion [x,y,z,w]");
    }
    for (int i = 0; i < 4; ++i) {
        c->rotation[i] = (float)(c->rotation[i] / sqrt(n));
    }
    return true;
}

static bool read_hull(const hemc_recipe_reader* r, const hemc_json* object, hemc_collider_recipe* c) {
    if (hemc_json_member(object, "points") == NULL) {
        return hemc_recipe_fault(r, object, "a hull needs \"points\"");
    }
    return make_hull(r, hemc_json_member(object, "points"), c);
}

bool hemc_recipe_bone(const hemc_recipe_reader* r, const hemc_json* value, const char* bone) {
    for (uint32_t b = 0; b < r->model->bone_count; ++b) {
        if (strcmp(r->model->bone_defs[b].name, bone) == 0) {
            return true;
        }
    }
    return hemc_recipe_no_bone(r, value, bone);
}

bool hemc_recipe_collider(const hemc_recipe_reader* r, const hemc_json* object, hemc_collider_recipe* c) {
    static const char* const keys[] = {"name",   "shape", "bone",   "radius", "radius2",  "from",     "to",
                                       "center", "point", "normal", "half",   "rotation", "rounding", "points"};
    static const char* const shapes[] = {"plane", "sphere", "capsule", "box", "hull"};
    // Keys that each shape takes beside name, shape and bone.
    static const char* const taken[5][5] = {{"point", "normal"},
                                            {"center", "radius"},
                                            {"from", "to", "radius", "radius2"},
                                            {"center", "half", "rotation", "rounding"},
                                            {"points"}};
    if (object->kind != HEMC_JSON_OBJECT) {
        return hemc_recipe_fault(r, object, "must be an object, not %s", hemc_json_kind_name(object->kind));
    }
    memset(c, 0, sizeof(*c));
    c->rotation[3] = 1;
    uint32_t shape = HEM_SHAPE_CAPSULE;
    if (!hemc_recipe_keys(r, object, keys, sizeof(keys) / sizeof(keys[0])) ||
        !hemc_recipe_word(r, object, "shape", shapes, 5, &shape) || !hemc_recipe_string(r, object, "name", &c->name) ||
        !hemc_recipe_string(r, object, "bone", &c->bone)) {
        return false;
    }
    c->kind = (hem_shape_kind)shape;
    for (const hemc_json* m = object->first; m != NULL; m = m->next) {
        bool fine = strcmp(m->key, "name") == 0 || strcmp(m->key, "shape") == 0 || strcmp(m->key, "bone") == 0;
        for (int i = 0; i < 5 && taken[shape][i] != NULL; ++i) {
            fine = fine || strcmp(m->key, taken[shape][i]) == 0;
        }
        if (!fine) {
            return hemc_recipe_fault(r, m, "a %s has no such key", shapes[shape]);
        }
    }
    if (c->bone != NULL && !hemc_recipe_bone(r, hemc_json_member(object, "bone"), c->bone)) {
        return false;
    }
    c->name = c->name != NULL ? c->name : c->bone != NULL ? c->bone : shapes[shape];
    switch (c->kind) {
    case HEM_SHAPE_PLANE:
        return read_plane(r, object, c);
    case HEM_SHAPE_SPHERE:
        return read_sphere(r, object, c);
    case HEM_SHAPE_CAPSULE:
        return read_capsule(r, object, c);
    case HEM_SHAPE_BOX:
        return read_box(r, object, c);
    case HEM_SHAPE_HULL:
        return read_hull(r, object, c);
    case HEM_SHAPE_MESH:
        break; // has no name here: "body": { "mesh": true }
    }
    return true;
}

// -- Fitting

static bool fit_capsule(hemc_arena* arena, const hemc_model* model, hemc_collider_recipe* c) {
    int32_t bone = HEM_NONE;
    for (uint32_t b = 0; b < model->bone_count && bone == HEM_NONE; ++b) {
        bone = strcmp(model->bone_defs[b].name, c->bone) == 0 ? (int32_t)b : HEM_NONE;
    }
    const float* bind = model->bone_defs[bone].bind;
    double head[3] = {bind[3], bind[7], bind[11]}, axis[3] = {0, 0, 0};
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        for (int i = 0; model->bone_defs[b].parent == bone && i < 3; ++i) {
            axis[i] += model->bone_defs[b].bind[4 * i + 3] - head[i];
        }
    }
    uint32_t* list = hemc_alloc(arena, model->vertex_count, sizeof(uint32_t));
    uint32_t count = 0;
    double mean[3] = {0, 0, 0};
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        double weight = 0;
        for (int k = 0; k < 4; ++k) {
            weight += model->bones[v][k] == bone ? (double)model->bone_weights[v][k] : 0.0;
        }
        if (weight > 0.5) {
            list[count++] = v;
            mean[0] += model->positions[v].x, mean[1] += model->positions[v].y, mean[2] += model->positions[v].z;
        }
    }
    if (count < 4) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        mean[i] /= count;
    }
    if (!unit(axis)) {
        // The longest axis of the cloud: power iteration, from y.
        double m[9] = {0};
        for (uint32_t i = 0; i < count; ++i) {
            hemc_vec3 p = model->positions[list[i]];
            double d[3] = {p.x - mean[0], p.y - mean[1], p.z - mean[2]};
            for (int k = 0; k < 9; ++k) {
                m[k] += d[k / 3] * d[k % 3];
            }
        }
        axis[0] = 0.1, axis[1] = 1, axis[2] = 0.2;
        for (int step = 0; step < 64; ++step) {
            double next[3] = {m[0] * axis[0] + m[1] * axis[1] + m[2] * axis[2],
                              m[3] * axis[0] + m[4] * axis[1] + m[5] * axis[2],
                              m[6] * axis[0] + m[7] * axis[1] + m[8] * axis[2]};
            if (!unit(next)) {
                return false;
            }
            memcpy(axis, next, sizeof(axis));
        }
    }
    // Along the axis through the vertices' mean; radii at each end from its half of the vertices.
    double low = 1e30, high = -1e30;
    double* along = hemc_alloc(arena, count, sizeof(double));
    double* away = hemc_alloc(arena, count, sizeof(double));
    for (uint32_t i = 0; i < count; ++i) {
        hemc_vec3 p = model->positions[list[i]];
        double d[3] = {p.x - mean[0], p.y - mean[1], p.z - mean[2]};
        along[i] = d[0] * axis[0] + d[1] * axis[1] + d[2] * axis[2];
        double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - along[i] * along[i];
        away[i] = sqrt(square > 0 ? square : 0);
        low = fmin(low, along[i]);
        high = fmax(high, along[i]);
    }
    double radius[2] = {c->size[0], c->size[1]};
    for (int half = 0; half < 2 && !(c->size[0] > 0); ++half) {
        // Nine tenths of the half's vertices: their distances sorted as whole micrometres.
        uint64_t* keys = hemc_alloc(arena, count, sizeof(uint64_t));
        uint32_t n = 0;
        for (uint32_t i = 0; i < count; ++i) {
            if ((along[i] > 0.5 * (low + high)) == (half == 1)) {
                keys[n++] = (uint64_t)(away[i] * 1e6);
            }
        }
        hemc_sort(arena, keys, NULL, n);
        radius[half] = n != 0 ? (double)keys[(uint64_t)n * 9 / 10] * 1e-6 : 0;
    }
    double minimum = 0.02 * (high - low) + 1e-4;
    radius[0] = fmax(radius[0], minimum);
    radius[1] = fmax(radius[1] > 0 ? radius[1] : radius[0], minimum);
    double from = fmin(low + radius[0], 0.5 * (low + high)), to = fmax(high - radius[1], 0.5 * (low + high));
    double a[3], b[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = mean[i] + axis[i] * from;
        b[i] = mean[i] + axis[i] * to;
    }
    hemc_collider_capsule(c, a, b, radius[0], radius[1]);
    return true;
}

bool hemc_recipe_fit_colliders(hemc_arena* arena, hemc_log* log, const hemc_model* model, hemc_recipe* recipe) {
    for (uint32_t i = 0; i < recipe->collider_count; ++i) {
        hemc_collider_recipe* c = &recipe->colliders[i];
        if (c->fit && !fit_capsule(arena, model, c)) {
            return hemc_error(
                log, HEMC_INPUT, recipe->path, hemc_format(arena, "/colliders/%u", i),
                "no vertices follow bone \"%s\", so no capsule can be fitted; give \"from\", \"to\" and \"radius\"",
                c->bone);
        }
        c->fit = false;
    }
    return true;
}
