// SPDX-License-Identifier: MIT
#include "tools/seen_private.h"

#include <string.h>

// -- One frame

// A triangle counts once against a layer, however many triangles of it cut it. Pairs of two layers stand together in the
// list.
static void count_crossings(seen_mesh* m, seen_frame* frame) {
    memset(m->crossed, 0, sizeof(uint32_t) * m->layer_count * m->layer_count);
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const uint32_t pair[2] = {m->pairs[i].a, m->pairs[i].b};
        const uint32_t layers[2] = {m->triangle_layers[pair[0]], m->triangle_layers[pair[1]]};
        const bool body = layers[0] == SEEN_BODY || layers[1] == SEEN_BODY;
        const uint8_t mark = body ? SEEN_MARK_BODY : SEEN_MARK_LAYERS;
        if (layers[0] * m->layer_count + layers[1] != last) {
            last = layers[0] * m->layer_count + layers[1];
            m->stamp++;
        }
        for (int32_t k = 0; k < 2; k++) {
            uint32_t t = pair[k];
            if (m->triangle_stamps[t] != m->stamp) {
                m->triangle_stamps[t] = m->stamp;
                m->crossed[layers[k] * m->layer_count + layers[1 - k]]++;
            }
            if ((m->marks[t] & mark) == 0) {
                m->marks[t] |= mark;
                *(body ? &frame->body_crossed : &frame->layers_crossed) += 1;
            }
        }
    }
}

static void measure_stretch(seen_mesh* m, const float* positions, seen_frame* frame) {
    for (uint32_t i = 0; i < m->layer_count; i++) {
        m->layers[i].stretched_count = m->layers[i].torn_count = 0;
        m->layers[i].stretch_max = 0.0f;
    }
    for (uint32_t i = 0; i < m->edge_count; i++) {
        const seen_edge* e = &m->edges[i];
        seen_layer* layer = &m->layers[e->layer];
        vec3 a = v3_load(positions + 3 * (size_t)e->a), b = v3_load(positions + 3 * (size_t)e->b);
        float ratio = v3_length(v3_sub(a, b)) / e->rest;
        m->stretched[i] = ratio > SEEN_STRETCHED;
        layer->stretched_count += ratio > SEEN_STRETCHED;
        layer->torn_count += ratio > SEEN_TORN;
        layer->stretch_max = ratio > layer->stretch_max ? ratio : layer->stretch_max;
    }
    for (uint32_t i = 0; i < m->layer_count; i++) {
        const seen_layer* layer = &m->layers[i];
        frame->stretched_count += layer->stretched_count;
        frame->torn_count += layer->torn_count;
        frame->stretch_max = layer->stretch_max > frame->stretch_max ? layer->stretch_max : frame->stretch_max;
    }
    frame->stretched_share = m->edge_count > 0 ? (float)frame->stretched_count / (float)m->edge_count : 0.0f;
}

static void measure_turned(seen_mesh* m, const float* positions, const float* normals, seen_frame* frame) {
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        if (!m->triangle_moved[t]) {
            continue;
        }
        vec3 shown = v3(0.0f, 0.0f, 0.0f);
        for (int32_t k = 0; k < 3; k++) {
            shown = v3_add(shown, seeni_corner(m, normals, t, k));
        }
        if (v3_dot(seeni_face_normal(m, positions, t), shown) < 0.0f && !m->turned_at_rest[t]) {
            m->marks[t] |= SEEN_MARK_TURNED;
            frame->turned_count++;
        }
    }
    frame->turned_share =
        m->moved_triangle_count > 0 ? (float)frame->turned_count / (float)m->moved_triangle_count : 0.0f;
}

static double root_mean(double sum, uint32_t count) {
    return sqrt(sum / (count > 0 ? count : 1));
}

static void measure_motion(seen_mesh* m, const float* positions, const float* pose, float frame_seconds,
                           seen_frame* frame) {
    double drift[SEEN_LAYERS_MAX] = {0.0}, all = 0.0, motion = 0.0, posed = 0.0;
    for (uint32_t i = 0; i < m->layer_count; i++) {
        m->layers[i].drift_max = 0.0f;
    }
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        if (!(m->moved[i] > 0.0f)) {
            continue;
        }
        size_t at = 3 * (size_t)i;
        seen_layer* layer = &m->layers[m->vertex_layers[i]];
        vec3 p = v3_load(pose + at), away = v3_sub(v3_load(positions + at), p);
        vec3 moved = v3_sub(away, v3_load(m->last_drift + at)), pose_moved = v3_sub(p, v3_load(m->last_pose + at));
        float distance = v3_length(away);
        drift[m->vertex_layers[i]] += (double)v3_dot(away, away);
        motion += (double)v3_dot(moved, moved);
        posed += (double)v3_dot(pose_moved, pose_moved);
        layer->drift_max = distance > layer->drift_max ? distance : layer->drift_max;
        v3_store(m->last_drift + at, away);
        v3_store(m->last_pose + at, p);
    }
    for (uint32_t i = 0; i < m->layer_count; i++) {
        seen_layer* layer = &m->layers[i];
        layer->drift_rms = (float)root_mean(drift[i], layer->moved_count);
        all += drift[i];
        frame->drift_max = layer->drift_max > frame->drift_max ? layer->drift_max : frame->drift_max;
    }
    frame->drift_rms = (float)root_mean(all, m->moved_count);
    if (frame_seconds > 0.0f) {
        frame->motion_rms = (float)root_mean(motion, m->moved_count) / frame_seconds;
        frame->pose_rms = (float)root_mean(posed, m->moved_count) / frame_seconds;
    }
}

void seen_measure(seen_mesh* m, const float* positions, const float* normals, const float* pose, float frame_seconds,
                  seen_frame* frame) {
    memset(frame, 0, sizeof(*frame));
    memset(m->marks, 0, m->triangle_count);
    seeni_find_crossings(m, positions, false);
    count_crossings(m, frame);
    seeni_measure_sides(m, positions, frame);
    measure_stretch(m, positions, frame);
    seeni_measure_folds(m, positions);
    if (normals != NULL) {
        measure_turned(m, positions, normals, frame);
    }
    if (pose != NULL) {
        measure_motion(m, positions, pose, frame_seconds, frame);
    }
}

void seen_count(seen_mesh* m, const float* positions, const float* pose, seen_frame* frame) {
    memset(frame, 0, sizeof(*frame));
    memset(m->marks, 0, m->triangle_count);
    seeni_find_crossings(m, positions, false);
    count_crossings(m, frame);
    measure_stretch(m, positions, frame);
    seeni_measure_folds(m, positions);
    if (pose != NULL) {
        measure_motion(m, positions, pose, 0.0f, frame);
    }
}

// -- A clip

static void add_value(seen_value* v, float value, int32_t frame, int32_t count) {
    v->mean += value / (float)count;
    if (frame == 0 || value > v->worst) {
        v->worst = value;
        v->worst_frame = frame;
    }
}

// Only a pose that is held through the last quarter can be judged.
static void judge_rest(seen_summary* s, const seen_frame* frames, int32_t count) {
    const float still = 1e-4f; // m/s: what sampling a held pose leaves
    int32_t last_pose = 0, last_motion = 0, first = count - count / 4;
    s->jitter = s->settle_seconds = -1.0f;
    for (int32_t i = 1; i < count; i++) {
        last_pose = frames[i].pose_rms > still ? i : last_pose;
        last_motion = frames[i].motion_rms > SEEN_SETTLED ? i : last_motion;
    }
    if (count < 8 || last_pose >= first) {
        return;
    }
    double sum = 0.0;
    for (int32_t i = first; i < count; i++) {
        double step = (double)frames[i].motion_rms * (double)(frames[i].seconds - frames[i - 1].seconds);
        sum += step * step;
    }
    s->jitter = (float)sqrt(sum / (count - first));
    if (last_motion < count - 1) {
        s->settle_seconds = last_motion > last_pose ? frames[last_motion].seconds - frames[last_pose].seconds : 0.0f;
    }
}

seen_summary seen_summarise(const seen_frame* frames, int32_t count) {
    seen_summary s;
    memset(&s, 0, sizeof(s));
    s.frame_count = count;
    for (int32_t i = 0; i < count; i++) {
        const seen_frame* f = &frames[i];
        add_value(&s.layers_crossed, (float)f->layers_crossed, i, count);
        add_value(&s.body_crossed, (float)f->body_crossed, i, count);
        add_value(&s.layers_area, f->layers_area, i, count);
        add_value(&s.body_area, f->body_area, i, count);
        add_value(&s.layers_depth, f->layers_depth, i, count);
        add_value(&s.body_depth, f->body_depth, i, count);
        add_value(&s.stretched_share, f->stretched_share, i, count);
        add_value(&s.stretch, f->stretch_max, i, count);
        add_value(&s.torn, (float)f->torn_count, i, count);
        add_value(&s.turned_share, f->turned_share, i, count);
        add_value(&s.drift_rms, f->drift_rms, i, count);
        add_value(&s.drift_max, f->drift_max, i, count);
    }
    judge_rest(&s, frames, count);
    return s;
}
