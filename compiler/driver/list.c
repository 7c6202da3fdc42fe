// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"
#include "compiler/recipe/auto.h"
#include "compiler/surface/spatial.h"

#include "platform/terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What a glTF holds, in the words that a recipe uses: what can be selected, attached to and painted with. For people, or as
// JSON. Lengths are in units of the file, since a scale is among the things that one comes here to find out.

typedef struct listing {
    hemc_arena* arena;
    hemc_model model;
    double scale;
    uint32_t* pieces;      // connected ones, per primitive
    hemc_vec3 (*boxes)[2]; // per primitive
    uint32_t* followers;   // per bone: vertices that follow it more than any other
    uint8_t* springs;      // per bone
    bool any_springs;
} listing;

static void count_pieces(listing* l, uint32_t p) {
    const hemc_model* model = &l->model;
    int32_t* owner = hemc_alloc(l->arena, model->triangle_count, sizeof(int32_t));
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        owner[t] = model->triangle_primitive[t] == p ? 0 : HEM_NONE;
    }
    hemc_surface surface;
    hemc_weld(l->arena, model, owner, 0, &surface);
    uint32_t* root = hemc_alloc(l->arena, (size_t)surface.vertex_count + 1, sizeof(uint32_t));
    for (uint32_t v = 0; v < surface.vertex_count; ++v) {
        root[v] = v;
    }
    l->pieces[p] = surface.vertex_count;
    for (uint32_t t = 0; t < surface.triangle_count; ++t) {
        for (int c = 0; c < 2; ++c) {
            const uint32_t a = hemc_root_of(root, surface.triangles[3 * (size_t)t + (size_t)c]);
            const uint32_t b = hemc_root_of(root, surface.triangles[3 * (size_t)t + 2]);
            l->pieces[p] -= a != b;
            root[a > b ? a : b] = a > b ? b : a;
        }
    }
}

static void measure(listing* l) {
    const hemc_model* model = &l->model;
    l->pieces = hemc_alloc(l->arena, model->primitive_count, sizeof(uint32_t));
    l->boxes = hemc_alloc(l->arena, model->primitive_count, sizeof(*l->boxes));
    l->followers = hemc_alloc(l->arena, model->bone_count, sizeof(uint32_t));
    l->springs = hemc_alloc(l->arena, model->bone_count, 1);
    l->any_springs = hemc_import_spring_bones(model, l->springs);
    for (uint32_t p = 0; p < model->primitive_count; ++p) {
        const hemc_primitive* primitive = &model->primitives[p];
        hemc_vec3 low = {1e30f, 1e30f, 1e30f}, high = {-1e30f, -1e30f, -1e30f};
        for (uint32_t v = 0; v < primitive->vertex_count; ++v) {
            hemc_vec3 at = model->positions[primitive->vertex_begin + v];
            low = (hemc_vec3){fminf(low.x, at.x), fminf(low.y, at.y), fminf(low.z, at.z)};
            high = (hemc_vec3){fmaxf(high.x, at.x), fmaxf(high.y, at.y), fmaxf(high.z, at.z)};
        }
        l->boxes[p][0] = low, l->boxes[p][1] = high;
        count_pieces(l, p);
    }
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        int best = 0;
        for (int k = 1; k < 4; ++k) {
            best = model->bone_weights[v][k] > model->bone_weights[v][best] ? k : best;
        }
        ++l->followers[model->bones[v][best]];
    }
}

// -- For machines

static void add_point(hemc_text* t, hemc_vec3 p) {
    hemc_text_add(t, "[");
    hemc_text_number(t, (double)p.x);
    hemc_text_add(t, ", ");
    hemc_text_number(t, (double)p.y);
    hemc_text_add(t, ", ");
    hemc_text_number(t, (double)p.z);
    hemc_text_add(t, "]");
}

static void add_field(hemc_text* t, const char* key, const char* value) {
    hemc_text_add(t, "\"%s\": ", key);
    hemc_text_quoted(t, value);
    hemc_text_add(t, ", ");
}

static hemc_vec3 joint_of(const hemc_bone_def* bone) {
    return (hemc_vec3){bone->bind[3], bone->bind[7], bone->bind[11]};
}

static void write_json(const listing* l, hemc_text* t) {
    const hemc_model* model = &l->model;
    hemc_text_add(t, "{\n  ");
    add_field(t, "file", model->path);
    hemc_text_add(t, "\"vertices\": %u, \"triangles\": %u, \"automatic_scale\": ", model->vertex_count,
                  model->triangle_count);
    hemc_text_number(t, l->scale);
    hemc_text_add(t, ",\n  \"meshes\": [");
    for (uint32_t p = 0; p < model->primitive_count; ++p) {
        const hemc_primitive* primitive = &model->primitives[p];
        hemc_text_add(t, "%s\n    {", p > 0 ? "," : "");
        add_field(t, "node", primitive->node_name);
        add_field(t, "mesh", primitive->mesh_name);
        add_field(t, "material", primitive->material_name);
        hemc_text_add(t, "\"vertices\": %u, \"triangles\": %u, \"pieces\": %u, \"low\": ", primitive->vertex_count,
                      primitive->triangle_count, l->pieces[p]);
        add_point(t, l->boxes[p][0]);
        hemc_text_add(t, ", \"high\": ");
        add_point(t, l->boxes[p][1]);
        hemc_text_add(t, "}");
    }
    hemc_text_add(t, "\n  ],\n  \"bones\": [");
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        const hemc_bone_def* bone = &model->bone_defs[b];
        hemc_text_add(t, "%s\n    {", b > 0 ? "," : "");
        add_field(t, "name", bone->name);
        hemc_text_add(t, "\"parent\": %d, \"at\": ", bone->parent);
        add_point(t, joint_of(bone));
        hemc_text_add(t, ", \"vertices\": %u, \"spring\": %s}", l->followers[b], l->springs[b] ? "true" : "false");
    }
    hemc_text_add(t, "\n  ],\n  \"paints\": [");
    for (uint32_t i = 0; i < model->paint_count; ++i) {
        hemc_text_add(t, "%s", i > 0 ? ", " : "");
        hemc_text_quoted(t, model->paints[i].name);
    }
    hemc_text_add(t, "],\n  \"clips\": [");
    for (uint32_t i = 0; i < model->clip_count; ++i) {
        const hemc_clip* clip = &model->clips[i];
        hemc_text_add(t, "%s\n    {", i > 0 ? "," : "");
        add_field(t, "name", clip->name);
        hemc_text_add(t, "\"seconds\": ");
        hemc_text_number(t, (clip->frame_count - 1) / (double)clip->hz);
        hemc_text_add(t, ", \"loops\": %s}", clip->loops ? "true" : "false");
    }
    hemc_text_add(t, "%s],\n  \"extras\": %s\n}\n", model->clip_count > 0 ? "\n  " : "",
                  model->extras_recipe != NULL ? model->extras_recipe : "null");
}

// -- For people

static void add_name(listing* l, hemc_text* t, const char* name, int width) {
    size_t size = 4 * strlen(name) + 1;
    hemc_text_add(t, "  %-*s", width, hem_printable(hemc_alloc(l->arena, size, 1), size, name));
}

static void write_meshes(listing* l, hemc_text* t) {
    const hemc_model* model = &l->model;
    hemc_text_add(
        t,
        "\nmeshes: what \"select\" chooses by node, mesh or material\n  %-24s  %-20s  %-24s  triangles  pieces"
        "  from                  to\n",
        "node", "mesh", "material");
    for (uint32_t p = 0; p < model->primitive_count; ++p) {
        const hemc_primitive* primitive = &model->primitives[p];
        const hemc_vec3 *a = &l->boxes[p][0], *b = &l->boxes[p][1];
        add_name(l, t, primitive->node_name, 24);
        add_name(l, t, primitive->mesh_name, 20);
        add_name(l, t, primitive->material_name, 24);
        char from[64], to[64];
        snprintf(from, sizeof(from), "%.2f %.2f %.2f", (double)a->x, (double)a->y, (double)a->z);
        snprintf(to, sizeof(to), "%.2f %.2f %.2f", (double)b->x, (double)b->y, (double)b->z);
        hemc_text_add(t, "  %9u  %6u  %-20s  %s\n", primitive->triangle_count, l->pieces[p], from, to);
    }
}

static void write_bones(listing* l, hemc_text* t) {
    const hemc_model* model = &l->model;
    hemc_text_add(t, "\nbones: where they are, and how many vertices follow each most\n");
    uint32_t* depth = hemc_alloc(l->arena, model->bone_count, sizeof(uint32_t));
    uint8_t* done = hemc_alloc(l->arena, model->bone_count, 1);
    // Parents come before their children, but not next to them: each tree is written as it is walked.
    for (uint32_t written = 0, last = UINT32_MAX; written < model->bone_count;) {
        uint32_t next = UINT32_MAX;
        for (uint32_t walk = last; next == UINT32_MAX; walk = (uint32_t)model->bone_defs[walk].parent) {
            for (uint32_t b = 0; b < model->bone_count && next == UINT32_MAX; ++b) {
                next = !done[b] && model->bone_defs[b].parent == (int32_t)walk ? b : next;
            }
            if (walk == UINT32_MAX) { // HEM_NONE, as an index: the roots
                break;
            }
        }
        if (next == UINT32_MAX) {
            break;
        }
        const hemc_bone_def* bone = &model->bone_defs[next];
        depth[next] = bone->parent != HEM_NONE ? depth[bone->parent] + 1 : 0;
        const hemc_vec3 at = joint_of(bone);
        hemc_text_add(t, "%*s", (int)(2 * depth[next]), "");
        add_name(l, t, bone->name, 28);
        hemc_text_add(t, "  at %.2f %.2f %.2f, %u%s\n", (double)at.x, (double)at.y, (double)at.z, l->followers[next],
                      l->springs[next] ? ", a VRM spring begins here" : "");
        done[next] = 1;
        last = next;
        ++written;
    }
}

static void write_text(listing* l, hemc_text* t) {
    const hemc_model* model = &l->model;
    hemc_text_add(t, "%s: %u vertices, %u triangles, %u bones, %u clips\n", model->path, model->vertex_count,
                  model->triangle_count, model->bone_count, model->clip_count);
    hemc_text_add(t, "automatic mode takes one unit as ");
    hemc_text_number(t, l->scale);
    hemc_text_add(t, " m\n");
    write_meshes(l, t);
    write_bones(l, t);
    hemc_text_add(t, "\npaint per vertex:%s", model->paint_count == 0 ? " none" : "");
    for (uint32_t i = 0; i < model->paint_count; ++i) {
        add_name(l, t, model->paints[i].name, 0);
    }
    hemc_text_add(t, "\n\nclips:%s\n", model->clip_count == 0 ? " none" : "");
    for (uint32_t i = 0; i < model->clip_count; ++i) {
        const hemc_clip* clip = &model->clips[i];
        add_name(l, t, clip->name, 32);
        hemc_text_add(t, "  %.2f s%s\n", (clip->frame_count - 1) / (double)clip->hz, clip->loops ? ", loops" : "");
    }
    hemc_text_add(t, "\nextras: %s\n", model->extras_recipe != NULL ? model->extras_recipe : "none");
}

char* hemc_list_text(hemc_arena* arena, hemc_log* log, const char* input, bool as_json) {
    listing* l = hemc_alloc(arena, 1, sizeof(listing));
    l->arena = arena;
    hemc_recipe recipe;
    hemc_recipe_defaults(&recipe);
    if (!hemc_import(arena, log, input, &l->model) || !hemc_import_finish(arena, log, &recipe, &l->model)) {
        return NULL;
    }
    hemc_log quiet = {.arena = arena};
    hemc_text text = {.arena = arena};
    l->scale = hemc_auto_scale(arena, &quiet, &l->model);
    measure(l);
    if (as_json) {
        write_json(l, &text);
    } else {
        write_text(l, &text);
    }
    return text.data;
}

int hemc_list_run(const char* input, bool as_json) {
    hemc_arena* arena = hemc_arena_create();
    if (arena == NULL || setjmp(*hemc_arena_guard(arena)) != 0) {
        fputs(hemc_no_memory, stderr);
        hemc_arena_destroy(arena);
        return HEMC_MEMORY;
    }
    hemc_log log = {.arena = arena};
    const char* text = hemc_list_text(arena, &log, input, as_json);
    if (text != NULL) {
        fputs(text, stdout);
    }
    hemc_print_messages(&log, 0);
    const int code = log.error_count != 0 ? (int)log.exit_code : HEMC_OK;
    hemc_arena_destroy(arena);
    return code;
}
