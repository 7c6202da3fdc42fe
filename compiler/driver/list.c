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

enum {
    PIECES_WRITTEN = 4,
    PIECES_TOLD = 16
}; // of a primitive, the largest: the numbers are those of "component" in a selector

typedef struct piece {
    uint32_t triangles;
    hemc_vec3 box[2];
} piece;

typedef struct listing {
    hemc_arena* arena;
    hemc_model model;
    double scale;
    uint32_t* pieces;      // connected ones, per primitive
    piece** parts;         // per primitive, the largest of them
    hemc_vec3 (*boxes)[2]; // per primitive
    uint32_t* followers;   // per bone: vertices that follow it more than any other
    uint8_t* springs;      // per bone
    bool any_springs;
} listing;

static void extend(hemc_vec3 box[2], hemc_vec3 at) {
    box[0] = (hemc_vec3){fminf(box[0].x, at.x), fminf(box[0].y, at.y), fminf(box[0].z, at.z)};
    box[1] = (hemc_vec3){fmaxf(box[1].x, at.x), fmaxf(box[1].y, at.y), fmaxf(box[1].z, at.z)};
}

static void count_pieces(listing* l, uint32_t p) {
    const hemc_model* model = &l->model;
    const hemc_primitive* primitive = &model->primitives[p];
    uint8_t* mask = hemc_alloc(l->arena, model->triangle_count, 1);
    uint32_t* numbers = hemc_alloc(l->arena, model->triangle_count, sizeof(uint32_t));
    memset(mask + primitive->triangle_begin, 1, primitive->triangle_count);
    l->pieces[p] = hemc_number_components(l->arena, model, mask, numbers);
    const uint32_t told = l->pieces[p] < PIECES_TOLD ? l->pieces[p] : PIECES_TOLD;
    l->parts[p] = hemc_alloc(l->arena, (size_t)told + 1, sizeof(piece));
    for (uint32_t i = 0; i < told; ++i) {
        l->parts[p][i].box[0] = (hemc_vec3){1e30f, 1e30f, 1e30f};
        l->parts[p][i].box[1] = (hemc_vec3){-1e30f, -1e30f, -1e30f};
    }
    for (uint32_t k = 0; k < 3 * primitive->triangle_count; ++k) {
        const uint32_t t = primitive->triangle_begin + k / 3;
        if (numbers[t] < told) {
            piece* of = &l->parts[p][numbers[t]];
            extend(of->box, model->positions[model->triangles[3 * (size_t)t + k % 3]]);
            of->triangles += k % 3 == 0;
        }
    }
}

static void measure(listing* l) {
    const hemc_model* model = &l->model;
    l->pieces = hemc_alloc(l->arena, model->primitive_count, sizeof(uint32_t));
    l->parts = hemc_alloc(l->arena, model->primitive_count, sizeof(piece*));
    l->boxes = hemc_alloc(l->arena, model->primitive_count, sizeof(*l->boxes));
    l->followers = hemc_alloc(l->arena, model->bone_count, sizeof(uint32_t));
    l->springs = hemc_alloc(l->arena, model->bone_count, 1);
    l->any_springs = hemc_import_spring_bones(model, l->springs);
    for (uint32_t p = 0; p < model->primitive_count; ++p) {
        const hemc_primitive* primitive = &model->primitives[p];
        l->boxes[p][0] = (hemc_vec3){1e30f, 1e30f, 1e30f};
        l->boxes[p][1] = (hemc_vec3){-1e30f, -1e30f, -1e30f};
        for (uint32_t v = 0; v < primitive->vertex_count; ++v) {
            extend(l->boxes[p], model->positions[primitive->vertex_begin + v]);
        }
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
        hemc_text_add(t, ", \"components\": [");
        for (uint32_t i = 0; i < l->pieces[p] && i < PIECES_TOLD; ++i) {
            const piece* part = &l->parts[p][i];
            hemc_text_add(t, "%s{\"triangles\": %u, \"low\": ", i > 0 ? ", " : "", part->triangles);
            add_point(t, part->box[0]);
            hemc_text_add(t, ", \"high\": ");
            add_point(t, part->box[1]);
            hemc_text_add(t, "}");
        }
        hemc_text_add(t, "]}");
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

static void add_box(hemc_text* t, const hemc_vec3 box[2]) {
    char from[64];
    snprintf(from, sizeof(from), "%.2f %.2f %.2f", (double)box[0].x, (double)box[0].y, (double)box[0].z);
    hemc_text_add(t, "  %-20s  %.2f %.2f %.2f\n", from, (double)box[1].x, (double)box[1].y, (double)box[1].z);
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
        add_name(l, t, primitive->node_name, 24);
        add_name(l, t, primitive->mesh_name, 20);
        add_name(l, t, primitive->material_name, 24);
        hemc_text_add(t, "  %9u  %6u", primitive->triangle_count, l->pieces[p]);
        add_box(t, l->boxes[p]);
        for (uint32_t i = 0; i < l->pieces[p] && i < PIECES_WRITTEN && l->pieces[p] > 1; ++i) {
            hemc_text_add(t, "    component %-62u  %9u        ", i, l->parts[p][i].triangles);
            add_box(t, l->parts[p][i].box);
        }
        if (l->pieces[p] > PIECES_WRITTEN) {
            hemc_text_add(t, "    and %u smaller ones%s\n", l->pieces[p] - PIECES_WRITTEN,
                          l->pieces[p] <= PIECES_TOLD ? " (--json)" : "");
        }
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
