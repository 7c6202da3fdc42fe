// SPDX-License-Identifier: MIT
#include "tools/watch.h"
#include "tools/command.h"

#include <stdlib.h>
#include <string.h>

int watch_begin(watch* w, const asset* a) {
    memset(w, 0, sizeof(*w));
    w->source = a;
    if (!asset_has_preview(a)) {
        return command_fail(COMMAND_INPUT, "'%s' was compiled with --ship and has no triangles to measure", a->path);
    }
    size_t count = (size_t)a->view.info->vertex_count + 1;
    bool made = seen_create_view(&w->mesh, &a->view);
    size_t pairs = (size_t)w->mesh.layer_count * w->mesh.layer_count + 1;
    w->pose_positions = malloc(sizeof(float) * 3 * count);
    w->pose_normals = malloc(sizeof(float) * 3 * count);
    w->crossed = calloc(pairs, sizeof(double));
    w->depths = calloc(pairs, sizeof(float));
    if (!made || w->pose_positions == NULL || w->pose_normals == NULL || w->crossed == NULL || w->depths == NULL) {
        watch_end(w);
        return command_fail(COMMAND_INTERNAL, "no memory to measure '%s'", a->path);
    }
    return COMMAND_OK;
}

void watch_restart(watch* w) {
    size_t pairs = (size_t)w->mesh.layer_count * w->mesh.layer_count;
    w->frame_count = 0;
    memset(w->layers, 0, sizeof(w->layers));
    memset(w->crossed, 0, sizeof(double) * pairs);
    memset(w->depths, 0, sizeof(float) * pairs);
}

static void add_frame(watch* w) {
    const seen_mesh* m = &w->mesh;
    w->frame_count++;
    for (uint32_t i = 0; i < m->layer_count; i++) {
        const seen_layer* now = &m->layers[i];
        watch_layer* sum = &w->layers[i];
        float share = now->edge_count > 0 ? (float)now->stretched_count / (float)now->edge_count : 0.0f;
        sum->stretched_share += (double)share;
        sum->drift_rms += (double)now->drift_rms;
        sum->stretched_worst = share > sum->stretched_worst ? share : sum->stretched_worst;
        sum->stretch_max = now->stretch_max > sum->stretch_max ? now->stretch_max : sum->stretch_max;
        sum->drift_max = now->drift_max > sum->drift_max ? now->drift_max : sum->drift_max;
        sum->torn_worst = now->torn_count > sum->torn_worst ? now->torn_count : sum->torn_worst;
    }
    for (uint32_t i = 0; i < m->layer_count * m->layer_count; i++) {
        w->crossed[i] += (double)m->crossed[i];
        w->depths[i] = m->depths[i] > w->depths[i] ? m->depths[i] : w->depths[i];
    }
}

void watch_frame(watch* w, const puppet* p, const float* matrices, float seconds, float frame_seconds,
                 seen_frame* physics, seen_frame* alone) {
    asset_skin(w->source, matrices, w->pose_positions, w->pose_normals);
    if (alone != NULL) {
        seen_measure(&w->mesh, w->pose_positions, w->pose_normals, NULL, 0.0f, alone);
        alone->seconds = seconds;
    }
    seen_measure(&w->mesh, p->positions, p->normals, w->pose_positions, frame_seconds, physics);
    physics->seconds = seconds;
    add_frame(w);
}

void watch_end(watch* w) {
    seen_destroy(&w->mesh);
    free(w->pose_positions);
    free(w->pose_normals);
    free(w->crossed);
    free(w->depths);
    memset(w, 0, sizeof(*w));
}

const char* watch_layer_name(const watch* w, uint32_t layer) {
    return layer == SEEN_BODY ? "body" : asset_text(w->source, w->source->view.parts[layer - 1].name_offset);
}
