// SPDX-License-Identifier: MIT
#include "tools/prove_seen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What lies and hangs still: sheets over a ball and a table, curls.

// -- Sheets

void prove_seen_sheets(proof* p) {
    static const char* const names[2] = {"sheet_over_ball", "sheet_over_table"};
    for (int32_t i = 0; i < 2; i++) {
        char group[64];
        asset source;
        act a;
        seen_frame frame;
        snprintf(group, sizeof(group), "sheets/%s", names[i]);
        if (!proof_wants(p, group) || !proof_sample(p, names[i], &source)) {
            continue;
        }
        if (act_begin(&a, p, &source, 0)) {
            if (act_play(&a, 0, 8.0f) && act_look(&a, 0.0f, &frame, NULL)) {
                // A corner of the table that sticks out, or a corner of the sheet that lies below the ball's surface.
                proof_at_most(p, 1.0, 1000.0 * (double)frame.body_depth, "mm", "%s: outside at rest", names[i]);
            } else {
                proof_unmeasured(p, "at most 1 mm", "it could not be played", "%s", names[i]);
            }
            act_end(&a);
        }
        asset_unload(&source);
    }
}

// -- Curls: how far the tip is from the root, against the bind pose

typedef struct curl {
    uint32_t tip;   // vertex
    double root[3]; // mean of what is pinned
    uint32_t count; // pinned vertices
    float rest;
} curl;

typedef struct curl_set {
    const seen_mesh* m;
    uint32_t* piece; // per vertex: its curl, or UINT32_MAX
    curl* curls;
    uint32_t count;
} curl_set;

static void place_roots(curl_set* s, const float* positions) {
    for (uint32_t i = 0; i < s->count; i++) {
        memset(s->curls[i].root, 0, sizeof(s->curls[i].root));
        s->curls[i].count = 0;
    }
    for (uint32_t i = 0; i < s->m->vertex_count; i++) {
        if (s->piece[i] != UINT32_MAX && !(s->m->moved[i] > 0.0f)) {
            curl* c = &s->curls[s->piece[i]];
            c->count++;
            for (int32_t k = 0; k < 3; k++) {
                c->root[k] += (double)positions[3 * (size_t)i + (size_t)k];
            }
        }
    }
}

static float from_root(const curl* c, const float* p) {
    double sum = 0.0;
    for (int32_t k = 0; k < 3; k++) {
        double d = (double)p[k] - c->root[k] / c->count;
        sum += d * d;
    }
    return (float)sqrt(sum);
}

// Connected pieces of moved vertices: each triangle joins its corners until nothing changes.
static bool find_pieces(curl_set* s) {
    const seen_mesh* m = s->m;
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        s->piece[i] = m->weld[i];
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t t = 0; t < m->triangle_count; t++) {
            uint32_t corners[3], least = UINT32_MAX;
            for (int32_t k = 0; k < 3; k++) {
                corners[k] = m->weld[m->triangles[3 * (size_t)t + (size_t)k]];
                least = s->piece[corners[k]] < least ? s->piece[corners[k]] : least;
            }
            for (int32_t k = 0; k < 3; k++) {
                changed |= s->piece[corners[k]] != least;
                s->piece[corners[k]] = least;
            }
        }
    }
    uint32_t* number = malloc(sizeof(uint32_t) * ((size_t)m->vertex_count + 1));
    s->curls = calloc((size_t)m->vertex_count + 1, sizeof(curl));
    if (number == NULL || s->curls == NULL) {
        free(number);
        return false;
    }
    memset(number, 0xff, sizeof(uint32_t) * m->vertex_count);
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        uint32_t piece = s->piece[m->weld[i]];
        if (m->moved[i] > 0.0f && number[piece] == UINT32_MAX) {
            number[piece] = s->count++;
        }
    }
    for (uint32_t i = m->vertex_count; i-- > 0;) { // a weld lies before its copies
        s->piece[i] = number[s->piece[m->weld[i]]];
    }
    free(number);
    return true;
}

static bool find_curls(curl_set* s, const seen_mesh* m) {
    memset(s, 0, sizeof(*s));
    s->m = m;
    s->piece = malloc(sizeof(uint32_t) * ((size_t)m->vertex_count + 1));
    if (s->piece == NULL || !find_pieces(s)) {
        return false;
    }
    place_roots(s, m->rest);
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        if (s->piece[i] != UINT32_MAX && s->curls[s->piece[i]].count > 0) {
            curl* c = &s->curls[s->piece[i]];
            float away = from_root(c, m->rest + 3 * (size_t)i);
            if (away > c->rest) {
                c->rest = away;
                c->tip = i;
            }
        }
    }
    return true;
}

typedef struct lengths {
    double mean, shortest, longest; // of the bind pose's
} lengths;

static lengths measure_lengths(curl_set* s, const float* positions) {
    lengths l = {0.0, 1e30, 0.0};
    uint32_t count = 0;
    place_roots(s, positions);
    for (uint32_t i = 0; i < s->count; i++) {
        const curl* c = &s->curls[i];
        if (c->count > 0 && c->rest > 0.0f) {
            double ratio = (double)from_root(c, positions + 3 * (size_t)c->tip) / (double)c->rest;
            l.mean += ratio;
            l.shortest = fmin(l.shortest, ratio), l.longest = fmax(l.longest, ratio);
            count++;
        }
    }
    l.mean /= count > 0 ? count : 1;
    return l;
}

static bool look_at_curls(act* a, curl_set* s, lengths* l) {
    if (puppet_read(&a->live.puppet, a->live.scene, a->live.id) != HEM_OK) {
        return false;
    }
    *l = measure_lengths(s, a->live.puppet.positions);
    return true;
}

static bool run_curls(proof* p, act* a, curl_set* s) {
    lengths standing, now;
    double stretched = 0.0;
    bool going = true;
    for (int32_t i = 0; going && i < 300; i++) { // in the first pose
        going = player_drive(&a->live, &a->root, 1.0f / PROVE_HZ) == 0;
    }
    if (!going || !look_at_curls(a, s, &standing)) {
        return false;
    }
    char reached[128];
    snprintf(reached, sizeof(reached), "%.1f %% (from %.1f to %.1f)", 100.0 * standing.mean, 100.0 * standing.shortest,
             100.0 * standing.longest);
    proof_add(p, fabs(standing.mean - 1.0) <= 0.03, "100 % within 3", reached, "curls: length standing, mean");
    proof_add(p, standing.shortest >= 0.97 && standing.longest <= 1.03, "100 % within 3", reached,
              "curls: length standing, each");
    for (int32_t i = 0; going && i < 180; i++) {
        going = act_clip(a, 0, 1.0f / PROVE_HZ) && look_at_curls(a, s, &now);
        stretched = fmax(stretched, going ? now.mean : 0.0);
    }
    for (int32_t i = 0; going && i < 60; i++) { // and held
        going = player_drive(&a->live, &a->root, 1.0f / PROVE_HZ) == 0;
    }
    if (!going || !look_at_curls(a, s, &now)) {
        return false;
    }
    proof_at_least(p, 103.0, 100.0 * stretched, "%", "curls: length under a shake, largest mean");
    proof_add(p, fabs(now.mean - 1.0) <= 0.03, "100 % within 3",
              (snprintf(reached, sizeof(reached), "%.1f %%", 100.0 * now.mean), reached),
              "curls: length a second after the shake, mean");
    return true;
}

void prove_seen_curls(proof* p) {
    asset source;
    act a;
    curl_set s;
    if (!proof_wants(p, "curls") || !proof_sample(p, "curls", &source)) {
        return;
    }
    if (act_begin(&a, p, &source, 0)) {
        if (!find_curls(&s, &a.seen.mesh) || !run_curls(p, &a, &s)) {
            proof_unmeasured(p, "lengths", "it could not be played", "curls");
        }
        free(s.piece);
        free(s.curls);
        act_end(&a);
    }
    asset_unload(&source);
}
