// SPDX-License-Identifier: MIT
#include "compiler/import/import.h"

#include "platform/math.h"
#include "platform/math_double.h"

#include <math.h>
#include <string.h>

// Clips, baked: per frame and bone the matrix from bind pose to posed, W(t) B^-1 (see skin.c).
//
// A clip runs from its first key to its last; nothing moves outside. It is cut into a whole number of frames at about
// the recipe's rate, and its own rate is set so that the last frame is exactly the last key: a loop then closes without
// a stutter. A clip that ends nearly where it began loops, and its last frame is made its first. Channels that start late or end early hold their first or last value.
//
// Morph weights are kept per frame for those clips that the inverse of a lattice asks for, beside the matrices, as how far
// they are from the default ones.

#define LOOP_MOVE 0.01                 // of the model's size: what a loop may jump when it starts again
#define LOOP_TURN 0.017453292519943295 // radians: one degree
#define LOOP_FRAMES 8                  // fewer say nothing about a rhythm

typedef struct track {
    uint32_t node;
    cgltf_animation_path_type path;
    cgltf_interpolation_type interpolation;
    uint32_t count, components;
    const float* times;
    const float* values;
    uint32_t cursor;
} track;

typedef struct pose {
    double (*translation)[3];
    double (*rotation)[4];
    double (*scale)[3];
    double* weights; // of the model
    hemc_affine* world;
} pose;

static double dot4(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void normalize4(double* q) {
    double length = sqrt(dot4(q, q));
    if (!(length > 1e-20)) {
        q[0] = q[1] = q[2] = 0;
        q[3] = 1;
        return;
    }
    for (int i = 0; i < 4; ++i) {
        q[i] /= length;
    }
}

// The shorter way round. Half the angle comes from the chord, precise for small and large angles alike: a float
// arc tangent, refined once with sin(true - guess) = s cos(guess) - c sin(guess).
static void slerp(const double* from, const double* to, double t, double* out) {
    double a[4], b[4], chord[4], sum[4];
    memcpy(a, from, sizeof(a));
    memcpy(b, to, sizeof(b));
    normalize4(a);
    normalize4(b);
    double sign = dot4(a, b) < 0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; ++i) {
        b[i] *= sign;
        chord[i] = b[i] - a[i];
        sum[i] = b[i] + a[i];
    }
    double s = 0.5 * sqrt(dot4(chord, chord)), c = 0.5 * sqrt(dot4(sum, sum));
    double half = hem_atan2f((float)s, (float)c);
    half += s * hem_cos(half) - c * hem_sin(half);
    double whole = hem_sin(2.0 * half);
    double wa = 1.0 - t, wb = t;
    if (whole > 1e-7) {
        wa = hem_sin((1.0 - t) * 2.0 * half) / whole;
        wb = hem_sin(t * 2.0 * half) / whole;
    }
    for (int i = 0; i < 4; ++i) {
        out[i] = wa * a[i] + wb * b[i];
    }
    normalize4(out);
}

static void sample(track* k, double time, double* out) {
    uint32_t n = k->components;
    bool cubic = k->interpolation == cgltf_interpolation_type_cubic_spline;
    size_t stride = cubic ? 3 * (size_t)n : n, value = cubic ? n : 0;
    if (k->cursor > 0 && k->times[k->cursor] > time) {
        k->cursor = 0;
    }
    while (k->cursor + 1 < k->count && k->times[k->cursor + 1] <= time) {
        ++k->cursor;
    }
    uint32_t i = k->cursor;
    const float* v0 = k->values + i * stride + value;
    double span = i + 1 < k->count ? (double)k->times[i + 1] - k->times[i] : 0.0;
    if (time <= k->times[i] || !(span > 0) || k->interpolation == cgltf_interpolation_type_step) {
        for (uint32_t c = 0; c < n; ++c) {
            out[c] = v0[c];
        }
        return;
    }
    double t = (time - k->times[i]) / span;
    const float* v1 = v0 + stride;
    if (cubic) {
        const float* out0 = v0 + n;
        const float* in1 = v1 - n;
        double t2 = t * t, t3 = t2 * t;
        for (uint32_t c = 0; c < n; ++c) {
            out[c] = (2 * t3 - 3 * t2 + 1) * v0[c] + span * (t3 - 2 * t2 + t) * out0[c] + (3 * t2 - 2 * t3) * v1[c] +
                     span * (t3 - t2) * in1[c];
        }
    } else if (k->path == cgltf_animation_path_type_rotation) {
        double a[4] = {v0[0], v0[1], v0[2], v0[3]}, b[4] = {v1[0], v1[1], v1[2], v1[3]};
        slerp(a, b, t, out);
    } else {
        for (uint32_t c = 0; c < n; ++c) {
            out[c] = v0[c] + t * ((double)v1[c] - v0[c]);
        }
    }
}

// warn: all is only looked at. weights: those of morph targets are wanted too.
static bool load_track(hemc_source* source, const cgltf_animation* animation, size_t channel_index,
                       const char* clip_where, bool warn, bool weights, track* out, bool* wanted) {
    const cgltf_animation_channel* channel = &animation->channels[channel_index];
    const cgltf_animation_sampler* sampler = channel->sampler;
    char* where = hemc_format(source->arena, "%s/channels/%zu", clip_where, channel_index);
    *wanted = false;
    const cgltf_accessor* input = sampler->input;
    const cgltf_accessor* output = sampler->output;
    uint32_t in = hemc_index_of(source->data->accessors, input, sizeof(cgltf_accessor));
    uint32_t value = hemc_index_of(source->data->accessors, output, sizeof(cgltf_accessor));
    if (!source->accessor_usable[in] || !source->accessor_usable[value] || input->type != cgltf_type_scalar) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "its sampler's accessors have no data");
    }
    if (!source->accessor_finite[in] || !source->accessor_finite[value]) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "its keys hold NaN or infinity");
    }
    bool cubic = sampler->interpolation == cgltf_interpolation_type_cubic_spline;
    if (cubic && input->count < 2) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "a cubic spline needs at least 2 keys, not %zu",
                          input->count);
    }
    float* times = hemc_alloc(source->arena, input->count, sizeof(float));
    hemc_read_floats(source, input, times);
    uint32_t equal = 0;
    for (size_t i = 1; i < input->count; ++i) {
        if (times[i] < times[i - 1]) {
            return hemc_error(source->log, HEMC_INPUT, source->path, where,
                              "times must increase, but key %zu comes before key %zu", i, i - 1);
        }
        equal += times[i] == times[i - 1] ? 1 : 0;
    }
    if (equal != 0 && warn) {
        hemc_warn(source->log, source->path, where, "%u keys have the time of the key before; the last of them counts",
                  equal);
    }
    if (times[0] < 0 && warn) {
        hemc_warn(source->log, source->path, where, "its first key lies before time 0");
    }
    if (channel->target_node == NULL || channel->target_path == cgltf_animation_path_type_invalid) {
        return true;
    }
    const uint32_t node = hemc_index_of(source->data->nodes, channel->target_node, sizeof(cgltf_node));
    const bool morphs = channel->target_path == cgltf_animation_path_type_weights;
    if (morphs && warn) {
        return hemc_check_weight_channel(source, channel, where);
    }
    if (morphs && (!weights || source->node_weight[node] == HEM_NONE || hemc_morph_count(source, node) == 0)) {
        return true;
    }
    uint32_t components = morphs                                                       ? hemc_morph_count(source, node)
                          : channel->target_path == cgltf_animation_path_type_rotation ? 4
                                                                                       : 3;
    size_t needed = input->count * (cubic ? 3 : 1);
    if (!morphs && (hemc_component_count(output) != components || output->count != needed)) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where,
                          "%zu keys need %zu values of %u numbers, not %zu of %u", input->count, needed, components,
                          output->count, hemc_component_count(output));
    }
    if (channel->target_node->has_matrix && !morphs) {
        if (warn) {
            hemc_warn(source->log, source->path, where, "its node has a matrix and cannot be animated; ignored");
        }
        return true;
    }
    float* values = hemc_alloc(source->arena, output->count, hemc_component_count(output) * sizeof(float));
    hemc_read_floats(source, output, values);
    *out = (track){.node = node,
                   .path = channel->target_path,
                   .interpolation = sampler->interpolation,
                   .count = (uint32_t)input->count,
                   .components = components,
                   .times = times,
                   .values = values};
    *wanted = true;
    return true;
}

static void rest_pose(const hemc_source* source, pose* p) {
    for (size_t i = 0; i < source->data->nodes_count; ++i) {
        const cgltf_node* node = &source->data->nodes[i];
        for (int c = 0; c < 3; ++c) {
            p->translation[i][c] = node->translation[c];
            p->scale[i][c] = node->scale[c];
        }
        for (int c = 0; c < 4; ++c) {
            p->rotation[i][c] = node->rotation[c];
        }
        const bool morphs = source->node_weight[i] != HEM_NONE;
        for (uint32_t t = 0; morphs && t < hemc_morph_count(source, (uint32_t)i); ++t) {
            p->weights[source->node_weight[i] + (int32_t)t] = hemc_morph_weight(source, (uint32_t)i, t);
        }
    }
}

static void pose_world(const hemc_source* source, pose* p) {
    for (size_t at = 0; at < source->data->nodes_count; ++at) {
        uint32_t i = source->node_order[at];
        const cgltf_node* node = &source->data->nodes[i];
        hemc_affine local;
        if (node->has_matrix) {
            for (int k = 0; k < 12; ++k) {
                local.m[k] = node->matrix[4 * (k % 4) + k / 4];
            }
        } else {
            local = hemc_affine_of_trs(p->translation[i], p->rotation[i], p->scale[i]);
        }
        int32_t parent = source->node_parent[i];
        p->world[i] = parent != HEM_NONE ? hemc_affine_multiply(&p->world[parent], &local) : local;
    }
}

static bool store_frame(hemc_source* source, const pose* p, float (*frame)[12]) {
    for (uint32_t b = 0; b < source->model->bone_count; ++b) {
        hemc_affine matrix = source->bone_inverse_bind[b];
        if (source->bone_node[b] != HEM_NONE) {
            matrix = hemc_affine_multiply(&p->world[source->bone_node[b]], &source->bone_inverse_bind[b]);
        }
        for (int k = 0; k < 12; ++k) {
            double value = k % 4 == 3 ? matrix.m[k] * source->unit : matrix.m[k];
            if (!(fabs(value) < 1e12)) {
                return false;
            }
            frame[b][k] = (float)value;
        }
    }
    return true;
}

// False when they throw vertices to infinity.
static bool store_weights(const hemc_source* source, const pose* now, const pose* rest, float* weights) {
    for (uint32_t i = 0; i < source->model->weight_count; ++i) {
        weights[i] = (float)(now->weights[i] - rest->weights[i]);
        if (!(fabs((double)weights[i]) * source->weight_reach[i] < 1e12)) {
            return false;
        }
    }
    return true;
}

typedef struct difference { // between two poses of a bone
    double way, turn;       // in units of LOOP_MOVE and LOOP_TURN
} difference;

// Rotations R, S with an angle t between them: |R - S| = sqrt(8) sin(t / 2), |R| = sqrt(3) (Frobenius), so for small
// angles t = sqrt(3/2) |R - S| / |R|, whatever the bone's scale.
static difference difference_of(const hemc_source* source, const hemc_clip* clip, uint32_t from, uint32_t to,
                                uint32_t bone, double size) {
    uint32_t bones = source->model->bone_count;
    const float* a = clip->frames[(size_t)from * bones + bone];
    const float* b = clip->frames[(size_t)to * bones + bone];
    // Where the matrices take the bone's own origin: about a far one, a small turn would be a long way.
    const float* bind = source->model->bone_defs[bone].bind;
    double way = 0, turn = 0, whole = 0;
    for (int r = 0; r < 3; ++r) {
        double moved = (double)b[4 * r + 3] - a[4 * r + 3];
        for (int c = 0; c < 3; ++c) {
            double d = (double)b[4 * r + c] - a[4 * r + c];
            moved += d * bind[4 * c + 3];
            turn += d * d;
            whole += (double)a[4 * r + c] * a[4 * r + c];
        }
        way += moved * moved;
    }
    double tiny = 1e-30; // a bone scaled to nothing
    return (difference){sqrt(way) / (LOOP_MOVE * (size + tiny)), sqrt(1.5 * turn / (whole + tiny)) / LOOP_TURN};
}

// Between the weights of two frames, in units of LOOP_MOVE: how far the vertices that they move most go.
static double weight_way(const hemc_source* source, const hemc_clip* clip, uint32_t from, uint32_t to, uint32_t weight,
                         double size) {
    const size_t count = source->model->weight_count;
    const double change = (double)clip->weights[to * count + weight] - clip->weights[from * count + weight];
    return fabs(change) * source->weight_reach[weight] / (LOOP_MOVE * (size + 1e-30));
}

// How a clip loops: not at all; with its last pose the first, as near as hand-made loops are (one joint off by a degree
// must not make a walk stop); or exported without its closing key, so that the way from the last pose back to the
// first is one more step, for every bone no longer than the longest it takes anyway. (Of 135 clips of six public
// characters nine are of this kind. Taking the largest over all bones, their gaps are 0.02 to 0.63 of the longest step;
// of the clips left open 2.5 to 16 of it, but for a kick and a meal, which single bones keep open.)
typedef enum loop_kind { LOOP_NONE, LOOP_CLOSED, LOOP_WITHOUT_LAST_KEY } loop_kind;

// What no vertex follows (a camera's bone, an aim, the far end of a chain) keeps no loop open.
static bool* find_carriers(const hemc_source* source) {
    const hemc_model* model = source->model;
    bool* carries = hemc_alloc(source->arena, (size_t)model->bone_count + 1, sizeof(*carries));
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        for (int k = 0; k < 4; ++k) {
            carries[model->bones[v][k]] |= model->bone_weights[v][k] > 0;
        }
    }
    return carries;
}

static loop_kind loop_of(const hemc_source* source, const hemc_clip* clip, const bool* carries, double size) {
    uint32_t bones = source->model->bone_count, last = clip->frame_count - 1;
    loop_kind kind = LOOP_CLOSED;
    for (uint32_t b = 0; b < bones; ++b) {
        if (!carries[b]) {
            continue;
        }
        difference gap = difference_of(source, clip, 0, last, b, size), longest = {1, 1};
        if (gap.way <= 1 && gap.turn <= 1) {
            continue;
        }
        kind = LOOP_WITHOUT_LAST_KEY;
        for (uint32_t f = 0; f < last; ++f) {
            difference step = difference_of(source, clip, f, f + 1, b, size);
            longest.way = fmax(longest.way, step.way);
            longest.turn = fmax(longest.turn, step.turn);
        }
        if (clip->frame_count < LOOP_FRAMES || gap.way > longest.way || gap.turn > longest.turn) {
            return LOOP_NONE;
        }
    }
    for (uint32_t i = 0; clip->weights != NULL && i < source->model->weight_count; ++i) {
        const double gap = weight_way(source, clip, 0, last, i, size);
        double longest = 1;
        for (uint32_t f = 0; gap > 1 && f < last; ++f) {
            longest = fmax(longest, weight_way(source, clip, f, f + 1, i, size));
        }
        if (gap > 1 && (clip->frame_count < LOOP_FRAMES || gap > longest)) {
            return LOOP_NONE;
        }
        kind = gap > 1 ? LOOP_WITHOUT_LAST_KEY : kind;
    }
    return kind;
}

// The last frame becomes the first: what was open is passed over during the last interval.
static void close_loop(hemc_source* source, hemc_clip* clip, loop_kind kind) {
    size_t bones = source->model->bone_count, weights = clip->weights != NULL ? source->model->weight_count : 0;
    clip->loops = kind != LOOP_NONE;
    if (kind == LOOP_WITHOUT_LAST_KEY) {
        size_t size = (size_t)clip->frame_count++ * bones;
        float(*longer)[12] = hemc_alloc(source->arena, size + bones, sizeof(*longer));
        memcpy(longer, clip->frames, size * sizeof(*longer));
        clip->frames = longer;
        if (weights > 0) {
            float* more = hemc_alloc(source->arena, clip->frame_count * weights, sizeof(float));
            memcpy(more, clip->weights, (clip->frame_count - 1) * weights * sizeof(float));
            clip->weights = more;
        }
    }
    if (clip->loops) {
        memcpy(clip->frames + (clip->frame_count - 1) * bones, clip->frames, bones * sizeof(*clip->frames));
    }
    if (clip->loops && weights > 0) {
        memcpy(clip->weights + (clip->frame_count - 1) * weights, clip->weights, weights * sizeof(float));
    }
}

static bool matches_one(const char* const* patterns, uint32_t count, const char* name) {
    for (uint32_t i = 0; i < count; ++i) {
        if (hemc_glob(patterns[i], name)) {
            return true;
        }
    }
    return false;
}

static bool matches(const hemc_recipe* recipe, const char* name) {
    return recipe == NULL || recipe->clip_include == NULL ||
           matches_one(recipe->clip_include, recipe->clip_include_count, name);
}

// As the recipe says, and where it is silent as the clip looks. One that is made to loop gets its closing key.
static loop_kind wanted_loop(const hemc_source* source, const hemc_recipe* recipe, const hemc_clip* clip,
                             const bool* carries, double size) {
    loop_kind seen = loop_of(source, clip, carries, size);
    if (recipe != NULL && matches_one(recipe->clip_loop, recipe->clip_loop_count, clip->name)) {
        return seen == LOOP_NONE ? LOOP_WITHOUT_LAST_KEY : seen;
    }
    return recipe != NULL && matches_one(recipe->clip_once, recipe->clip_once_count, clip->name) ? LOOP_NONE : seen;
}

static double model_size(const hemc_model* model) {
    double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30};
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        double p[3] = {model->positions[v].x, model->positions[v].y, model->positions[v].z};
        for (int i = 0; i < 3; ++i) {
            low[i] = p[i] < low[i] ? p[i] : low[i];
            high[i] = p[i] > high[i] ? p[i] : high[i];
        }
    }
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        sum += (high[i] - low[i]) * (high[i] - low[i]);
    }
    return sqrt(sum);
}

bool hemc_clip_fits(uint64_t* matrices, double intervals, uint32_t bone_count) {
    if (!(intervals < HEMC_FRAME_LIMIT)) {
        return false;
    }
    uint64_t more = ((uint64_t)intervals + 1) * bone_count;
    if (more > HEMC_MATRIX_LIMIT - *matrices) {
        return false;
    }
    *matrices += more;
    return true;
}

bool hemc_check_animations(hemc_source* source) {
    bool good = true;
    for (size_t a = 0; a < source->data->animations_count; ++a) {
        const cgltf_animation* animation = &source->data->animations[a];
        char* where = hemc_format(source->arena, "/animations/%zu", a);
        for (size_t c = 0; c < animation->channels_count && source->log->error_count <= 20; ++c) {
            track unused;
            bool wanted;
            good = load_track(source, animation, c, where, true, false, &unused, &wanted) && good;
        }
    }
    return good;
}

// p begins as the rest pose.
static bool bake(hemc_source* source, track* tracks, uint32_t track_count, double begin, double end, const pose* rest,
                 pose* p, hemc_clip* clip) {
    const size_t bones = source->model->bone_count, weights = source->model->weight_count;
    clip->frames = hemc_alloc(source->arena, clip->frame_count * bones, sizeof(*clip->frames));
    for (uint32_t f = 0; f < clip->frame_count; ++f) {
        double time = f + 1 == clip->frame_count ? end : begin + (end - begin) * f / (clip->frame_count - 1);
        for (uint32_t t = 0; t < track_count; ++t) {
            track* k = &tracks[t];
            double* to = k->path == cgltf_animation_path_type_translation ? p->translation[k->node]
                         : k->path == cgltf_animation_path_type_rotation  ? p->rotation[k->node]
                         : k->path == cgltf_animation_path_type_weights   ? p->weights + source->node_weight[k->node]
                                                                          : p->scale[k->node];
            sample(k, time, to);
        }
        pose_world(source, p);
        if (!store_frame(source, p, clip->frames + f * bones) ||
            (clip->weights != NULL && !store_weights(source, p, rest, clip->weights + f * weights))) {
            return false;
        }
    }
    return true;
}

bool hemc_import_animations(hemc_source* source, const hemc_recipe* recipe) {
    cgltf_data* data = source->data;
    hemc_model* model = source->model;
    double hz = recipe != NULL && recipe->clip_hz > 0 ? recipe->clip_hz : 30.0;
    double size = model_size(model);
    const bool* carries = find_carriers(source);
    uint64_t matrices = 0, weights = 0;
    if (!hemc_import_morphs(source, recipe)) {
        return false;
    }
    model->clips = hemc_alloc(source->arena, data->animations_count, sizeof(hemc_clip));
    model->shape_clips = hemc_alloc(source->arena, data->animations_count, sizeof(hemc_clip));
    model->clip_count = model->shape_clip_count = 0;
    size_t nodes = data->nodes_count;
    pose p = {.translation = hemc_alloc(source->arena, nodes, sizeof(*p.translation)),
              .rotation = hemc_alloc(source->arena, nodes, sizeof(*p.rotation)),
              .scale = hemc_alloc(source->arena, nodes, sizeof(*p.scale)),
              .weights = hemc_alloc(source->arena, model->weight_count, sizeof(double)),
              .world = hemc_alloc(source->arena, nodes, sizeof(hemc_affine))};
    pose rest = p;
    rest.weights = hemc_alloc(source->arena, model->weight_count, sizeof(double));
    rest_pose(source, &rest);
    for (size_t a = 0; a < data->animations_count; ++a) {
        const cgltf_animation* animation = &data->animations[a];
        char* where = hemc_format(source->arena, "/animations/%zu", a);
        const char* name = hemc_name_of(source, animation->name, "clip", (uint32_t)a);
        track* tracks = hemc_alloc(source->arena, animation->channels_count, sizeof(track));
        uint32_t track_count = 0, weight_tracks = 0;
        double begin = 1e30, end = -1e30;
        bool morphs = false;
        const bool asked = hemc_lattice_asks(recipe, name);
        for (size_t c = 0; c < animation->channels_count; ++c) {
            bool wanted;
            morphs = morphs || animation->channels[c].target_path == cgltf_animation_path_type_weights;
            if (!load_track(source, animation, c, where, false, asked, &tracks[track_count], &wanted)) {
                return false;
            }
            if (wanted) {
                const track* t = &tracks[track_count++];
                weight_tracks += t->path == cgltf_animation_path_type_weights;
                begin = t->times[0] < begin ? t->times[0] : begin;
                end = t->times[t->count - 1] > end ? t->times[t->count - 1] : end;
            }
        }
        if (!matches(recipe, name)) {
            continue;
        }
        if (track_count == 0) {
            hemc_note(
                source->log, source->path, where,
                morphs
                    ? "clip \"%s\" animates morph weights only and is left out: the preview stays at the default shape"
                    : "clip \"%s\" moves no node and is left out",
                name);
            continue;
        }
        const bool shapes = weight_tracks == track_count; // no pose changes: nothing for the preview
        if (morphs && !shapes) {
            hemc_note(source->log, source->path, where,
                      "clip \"%s\" animates morph weights too; the preview stays at the default shape", name);
        }
        double duration = end - begin;
        double intervals = floor(duration * hz + 0.5);
        intervals = duration > 0 && intervals < 1 ? 1 : intervals;
        const uint64_t more_weights = weight_tracks > 0 && intervals < HEMC_FRAME_LIMIT
                                          ? ((uint64_t)intervals + 2) * model->weight_count
                                          : 0; // a closing key with them
        if (more_weights > HEMC_WEIGHT_LIMIT - weights || !hemc_clip_fits(&matrices, intervals, model->bone_count)) {
            hemc_warn(source->log, source->path, where,
                      intervals < HEMC_FRAME_LIMIT
                          ? "clip \"%s\" (%d seconds) is left out: all clips together are too long to bake"
                          : "clip \"%s\" is too long to bake (%d seconds) and is left out",
                      name, (int)(duration < 1e9 ? duration : 1e9));
            continue;
        }
        weights += more_weights;
        hemc_clip* clip = shapes ? &model->shape_clips[model->shape_clip_count] : &model->clips[model->clip_count];
        *clip = (hemc_clip){.name = name,
                            .frame_count = (uint32_t)intervals + 1,
                            .hz = duration > 0 ? (float)(intervals / duration) : (float)hz};
        if (weight_tracks > 0) {
            clip->weights = hemc_alloc(source->arena, (size_t)clip->frame_count * model->weight_count, sizeof(float));
        }
        rest_pose(source, &p);
        if (!bake(source, tracks, track_count, begin, end, &rest, &p, clip)) {
            hemc_warn(source->log, source->path, where,
                      "clip \"%s\" throws bones or shapes to infinity and is left out", name);
            continue;
        }
        close_loop(source, clip, wanted_loop(source, recipe, clip, carries, size));
        *(shapes ? &model->shape_clip_count : &model->clip_count) += 1;
    }
    return true;
}
