// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"

#include "formats/hem_validate.h"
#include "hem/hem.h"

#include <string.h>

// The report: one JSON document per compile, for build farms and for people who want to know where their particles
// went. Its shape is in docs/report.md. The only place where times stand; nothing of them enters the .hem.

static void number(hemc_text* t, const char* key, double value) {
    hemc_text_add(t, "\"%s\": ", key);
    hemc_text_number(t, value);
}

static void string_or_null(hemc_text* t, const char* key, const char* value) {
    hemc_text_add(t, "\"%s\": ", key);
    if (value != NULL) {
        hemc_text_quoted(t, value);
    } else {
        hemc_text_add(t, "null");
    }
}

static void digest(hemc_text* t, const char* key, const uint8_t bytes[16]) {
    hemc_text_add(t, "\"%s\": \"", key);
    for (int i = 0; i < 16; ++i) {
        hemc_text_add(t, "%02x", bytes[i]);
    }
    hemc_text_add(t, "\"");
}

void hemc_report_messages(hemc_text* t, const hemc_log* log) {
    static const char* const words[] = {"note", "warning", "error"};
    hemc_text_add(t, "[");
    for (size_t i = 0; i < log->message_count; ++i) {
        const hemc_message* m = &log->messages[i];
        hemc_text_add(t, "%s{\"severity\": \"%s\", ", i == 0 ? "" : ", ", words[m->severity]);
        string_or_null(t, "file", m->file);
        hemc_text_add(t, ", ");
        string_or_null(t, "path", m->path);
        hemc_text_add(t, ", ");
        string_or_null(t, "text", m->text);
        hemc_text_add(t, "}");
    }
    hemc_text_add(t, "]");
}

// What --ship left out, by name.
static void add_left_out(hemc_text* t, const hemc_compilation* c) {
    uint32_t vertices = 0, count = 0;
    hemc_text_add(t, "  \"left_out\": {\"meshes\": [");
    for (uint32_t i = 0; i < c->model.primitive_count; ++i) {
        const hemc_primitive* primitive = &c->model.primitives[i];
        if (!hemc_ships(&c->mesh, primitive, c->job->ship, c->job->ship_all)) {
            hemc_text_add(t, "%s", count++ == 0 ? "" : ", ");
            hemc_text_quoted(t, primitive->name);
            vertices += primitive->vertex_count;
        }
    }
    hemc_text_add(t, "], \"vertices\": %u},\n", vertices);
}

static void add_model(hemc_text* t, const hemc_model* model) {
    hemc_text_add(t, "  \"model\": {\"primitives\": %u, \"vertices\": %u, \"triangles\": %u, \"bones\": %u, ",
                  model->primitive_count, model->vertex_count, model->triangle_count, model->bone_count);
    digest(t, "source_hash", model->source_hash);
    hemc_text_add(t, ",\n    \"inputs\": [");
    for (uint32_t i = 0; i < model->input_count; ++i) {
        hemc_text_add(t, "%s", i == 0 ? "" : ", ");
        hemc_text_quoted(t, model->input_paths[i]);
    }
    hemc_text_add(t, "],\n    \"paints\": [");
    for (uint32_t i = 0; i < model->paint_count; ++i) {
        hemc_text_add(t, "%s", i == 0 ? "" : ", ");
        hemc_text_quoted(t, model->paints[i].name);
    }
    hemc_text_add(t, "],\n    \"clips\": [");
    for (uint32_t i = 0; i < model->clip_count; ++i) {
        const hemc_clip* clip = &model->clips[i];
        hemc_text_add(t, "%s\n      {", i == 0 ? "" : ",");
        string_or_null(t, "name", clip->name);
        hemc_text_add(t, ", \"frames\": %u, ", clip->frame_count);
        number(t, "hz", (double)clip->hz);
        hemc_text_add(t, ", \"loops\": %s}", clip->loops ? "true" : "false");
    }
    hemc_text_add(t, "]},\n");
}

static void add_part(hemc_text* t, const hemc_compilation* c, uint32_t p) {
    static const char* const generators[] = {"cut", "scatter", "strands", "vertices", "lattice"};
    static const char* const kinds[] = {"cloth", "soft", "body"};
    static const char* const links[] = {"warp", "weft", "shear", "bend", "tether", "stitch"};
    const hemc_mesh* mesh = &c->mesh;
    bool body = p >= c->recipe.part_count;
    uint32_t begin = mesh->part_begin[p], end = mesh->part_begin[p + 1], animated = 0;
    double mass = 0;
    for (uint32_t i = begin; i < end; ++i) {
        animated += mesh->all.flags[i] & HEM_PARTICLE_ANIMATED ? 1 : 0;
        mass += (double)mesh->all.mass[i];
    }
    uint32_t counts[HEM_LINK_KIND_COUNT] = {0}, groups = 0;
    for (size_t i = 0; i < mesh->link_count; ++i) {
        if (mesh->links[i].a >= begin && mesh->links[i].a < end && mesh->links[i].kind < HEM_LINK_KIND_COUNT) {
            ++counts[mesh->links[i].kind];
        }
    }
    for (uint32_t i = begin; i < end && mesh->group_starts != NULL; ++i) {
        groups += mesh->group_starts[i + 1] > mesh->group_starts[i] ? 1 : 0;
    }
    hemc_text_add(t, "%s\n    {", p == 0 ? "" : ",");
    string_or_null(t, "name", mesh->part_names[p]);
    hemc_text_add(t, ", \"kind\": \"%s\"", kinds[mesh->part_kinds[p]]);
    if (!body) {
        const hemc_part_recipe* part = &c->recipe.parts[p];
        hemc_text_add(t, ", \"generator\": \"%s\", ", generators[part->generator]);
        string_or_null(t, "why", part->why);
        hemc_text_add(t, ",\n     \"triangles\": %u, \"welded_vertices\": %u, ", c->surfaces[p].triangle_count,
                      c->surfaces[p].vertex_count);
        number(t, "spacing", (double)c->particles[p].spacing);
        hemc_text_add(t, ", ");
        number(t, "radius", (double)c->particles[p].radius);
        hemc_text_add(t, ", \"levels\": %u", c->particles[p].level_count);
        if (part->generator == HEMC_CUT) {
            const hemc_regularity r = hemc_measure_regularity(c->arena, &c->particles[p]);
            hemc_text_add(t, ", \"inner\": %u, ", r.inner);
            number(t, "regular", r.inner != 0 ? (double)r.regular / r.inner : 1.0);
        }
    }
    hemc_text_add(t, ",\n     \"particles\": %u, \"animated\": %u, ", end - begin, animated);
    number(t, "mass", mass);
    for (uint32_t k = 0; k < c->mesh.part_count && !body; ++k) {
        if (c->layout.part_order[k] == p) {
            hemc_text_add(t, ", ");
            number(t, "lane_fill", (double)c->layout.part_fill[k]);
        }
    }
    hemc_text_add(t, ", \"groups\": %u, \"links\": {", groups);
    for (int k = 0; k < HEM_LINK_KIND_COUNT; ++k) {
        hemc_text_add(t, "%s\"%s\": %u", k == 0 ? "" : ", ", links[k], counts[k]);
    }
    hemc_text_add(t, "}}");
}

static void add_asset(hemc_text* t, const hemc_compilation* c) {
    hem_view view;
    if (hem_validate(c->bytes, c->size, &view, NULL) != HEM_FORMAT_OK) {
        return;
    }
    const hem_info* info = view.info;
    hemc_text_add(
        t,
        "  \"asset\": {\"particles\": %u, \"simulated\": %u, \"attached\": %u, \"body\": %u, \"rows\": %u, "
        "\"oriented_rows\": %u,\n    \"links\": %u, \"groups\": %u, \"link_batches\": %u, \"index_batches\": %u, "
        "\"group_batches\": %u, ",
        info->real_particle_count, info->simulated_count, info->attached_count, info->body_count, info->row_count,
        info->oriented_row_count, info->link_count, info->group_count, view.link_batch_count, view.index_batch_count,
        view.group_batch_count);
    number(t, "lane_fill", (double)info->lane_fill);
    hemc_text_add(t, ", ");
    number(t, "indexed_share", (double)info->indexed_share);
    hemc_text_add(t, ", ");
    number(t, "pad_share",
           info->particle_count != 0 ? 1.0 - (double)info->real_particle_count / info->particle_count : 0.0);
    hemc_text_add(t, ",\n    ");
    digest(t, "content_hash", view.header->content_hash);
    hemc_text_add(t, ", ");
    digest(t, "cache_key", view.header->cache_key);
    uint8_t whole[16];
    hemc_hash128(c->bytes, c->size, whole);
    hemc_text_add(t, ", ");
    digest(t, "file_hash", whole);
    hemc_text_add(t, "},\n  \"sizes\": {\"file\": %zu, \"sections\": {", c->size);
    const hem_section* sections = (const hem_section*)(c->bytes + sizeof(hem_header));
    for (uint32_t i = 0; i < view.header->section_count; ++i) {
        hemc_text_add(t, "%s\"%s\": %llu", i == 0 ? "" : ", ", hem_section_name(sections[i].kind),
                      (unsigned long long)sections[i].size);
    }
    hemc_text_add(t, "}},\n");
}

// What the game will pay: through the runtime's public header, as a game would ask.
static void add_runtime(hemc_text* t, const hemc_compilation* c) {
    hem_asset* asset = hemc_alloc(c->arena, 1, sizeof(hem_asset));
    hem_asset_info info;
    if (hem_asset_open(asset, c->bytes, c->size) != HEM_OK || hem_asset_get_info(asset, &info) != HEM_OK) {
        hemc_text_add(t, "  \"runtime\": null,\n");
        return;
    }
    hem_slot_def slot = {.asset = asset, .count = 1};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    hem_memory need = {0};
    hemc_text_add(t, "  \"runtime\": {\"instance_bytes\": %u, \"state_bytes\": %u", info.instance_size,
                  info.state_size);
    if (hem_scene_measure(&def, &need) == HEM_OK) {
        hemc_text_add(t, ", \"scene_of_one_bytes\": %zu", need.size);
    }
    hemc_text_add(t, "},\n");
}

static void add_preflight_part(hemc_text* t, const hemc_preflight_part* part) {
    const struct {
        const char* name;
        float value;
    } numbers[] = {{"crossed_share", part->crossed_share},
                   {"stretched_share", part->stretched_share},
                   {"folded_share", part->folded_share},
                   {"crossed_peak", part->crossed_peak},
                   {"stretched_peak", part->stretched_peak},
                   {"folded_peak", part->folded_peak},
                   {"stretch_max", part->stretch_max},
                   {"drift_max", part->drift_max},
                   {"restless", part->restless},
                   {"settle_seconds", part->settle_seconds},
                   {"worst_from", part->clip_from},
                   {"worst_seconds", part->clip_seconds},
                   {"worst_hz", part->clip_hz}};
    hemc_text_add(t, "{\"name\": ");
    hemc_text_quoted(t, part->name);
    hemc_text_add(t, ", \"grade\": \"%c\"", part->grade);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        hemc_text_add(t, ", ");
        number(t, numbers[i].name, (double)numbers[i].value);
    }
    hemc_text_add(t, ", \"worst_clip_index\": %d, \"worst_clip\": ", (int)part->clip);
    hemc_text_quoted(t, part->clip_name);
    hemc_text_add(t, ", \"picture\": null}");
}

static void add_preflight(hemc_text* t, const hemc_preflight* f) {
    hemc_text_add(t, "  \"preflight\": {\"grade\": \"%c\", \"clip_count\": %u, \"frames\": %u, ", f->grade,
                  f->clip_count, f->frame_count);
    number(t, "crossed", (double)f->crossed);
    hemc_text_add(t, ", ");
    number(t, "crossed_by_pose", (double)f->crossed_alone);
    hemc_text_add(t, ", ");
    number(t, "frame_us", (double)f->step_us);
    hemc_text_add(t, ", \"advice\": ");
    hemc_text_quoted(t, f->advice);
    hemc_text_add(t, ",\n    \"parts\": [");
    for (uint32_t i = 0; i < f->part_count; ++i) {
        hemc_text_add(t, "%s", i > 0 ? ", " : "");
        add_preflight_part(t, &f->parts[i]);
    }
    hemc_text_add(t, "],\n    \"clips\": [");
    for (uint32_t i = 0; i < f->clip_count && i < HEMC_PREFLIGHT_CLIPS; ++i) {
        hemc_text_add(t, "%s{\"name\": ", i > 0 ? ", " : "");
        hemc_text_quoted(t, f->clips[i].name);
        hemc_text_add(t, ", \"grade\": \"%c\", \"part\": ", f->clips[i].grade);
        hemc_text_quoted(t, f->part_count != 0 ? f->parts[f->clips[i].part].name : "");
        hemc_text_add(t, "}");
    }
    hemc_text_add(t, "]},\n");
}

void hemc_report_make(hemc_compilation* c) {
    static const char* const stages[HEMC_STAGE_COUNT] = {"import",   "recipe", "clips",    "select",
                                                         "generate", "body",   "assemble", "maps",
                                                         "graph",    "lanes",  "pack",     "preflight"};
    static const char* const states[] = {"off", "miss", "hit"};
    hemc_text text = {.arena = c->arena};
    hemc_text* t = &text;
    hemc_text_add(t, "{\n  \"cache\": \"%s\",\n  \"tool\": \"hemc %s\",\n  \"ok\": %s,\n  \"exit\": %d,\n  ",
                  states[c->cache], HEMC_VERSION, c->log.error_count == 0 ? "true" : "false",
                  c->log.error_count == 0 ? 0 : (int)c->log.exit_code);
    string_or_null(t, "input", c->job->input);
    hemc_text_add(t, ",\n  ");
    string_or_null(t, "recipe", c->job->recipe);
    hemc_text_add(t, ",\n  ");
    string_or_null(t, "output", c->job->output);
    hemc_text_add(t,
                  ",\n  \"ship\": %s,\n  \"automatic\": %s,\n  \"errors\": %d,\n  \"warnings\": %d,\n  \"messages\": ",
                  !c->job->ship      ? "false"
                  : c->job->ship_all ? "\"all\""
                                     : "true",
                  c->recipe.automatic ? "true" : "false", c->log.error_count, c->log.warning_count);
    hemc_report_messages(t, &c->log);
    if (c->has_recipe) {
        hemc_text_add(t, ",\n  \"scale\": ");
        hemc_text_number(t, (double)c->recipe.scale);
    }
    hemc_text_add(t, ",\n");
    if (c->has_model) {
        add_model(t, &c->model);
    }
    if (c->has_layout && c->has_model) {
        add_left_out(t, c);
    }
    if (c->has_layout) {
        hemc_text_add(t, "  \"parts\": [");
        for (uint32_t p = 0; p < c->mesh.part_count; ++p) {
            add_part(t, c, p);
        }
        hemc_text_add(t, "],\n");
    }
    if (c->bytes != NULL) {
        add_asset(t, c);
        add_runtime(t, c);
    }
    if (c->preflight != NULL) {
        add_preflight(t, c->preflight);
    }
    if (c->certificate != NULL) {
        hemc_report_certificate(t, c);
    }
    hemc_text_add(t, "  \"milliseconds\": {");
    for (int i = 0; i < HEMC_STAGE_COUNT; ++i) {
        number(t, stages[i], (double)(int64_t)(c->seconds[i] * 1e6) * 1e-3);
        hemc_text_add(t, ", ");
    }
    number(t, "total", (double)(int64_t)(c->total_seconds * 1e6) * 1e-3);
    hemc_text_add(t, "}\n}\n");
    c->report = text.data;
    c->report_size = text.size;
}

// -- Depfile

// As GCC writes them: blanks and # behind a backslash, $ doubled. Ninja and make read both.
static void add_path(hemc_text* t, const char* path) {
    for (const char* ch = path; *ch != 0; ++ch) {
        if (*ch == ' ' || *ch == '#' || *ch == '\t') {
            // Backslashes right before the blank would be taken for escapes of themselves.
            for (const char* back = ch; back > path && back[-1] == '\\'; --back) {
                hemc_text_bytes(t, "\\", 1);
            }
            hemc_text_bytes(t, "\\", 1);
        } else if (*ch == '$') {
            hemc_text_bytes(t, "$", 1);
        }
        hemc_text_bytes(t, ch, 1);
    }
}

char* hemc_depfile_make(hemc_arena* arena, const char* output, const char* const* inputs, uint32_t count) {
    hemc_text t = {.arena = arena};
    add_path(&t, output);
    hemc_text_add(&t, ":");
    for (uint32_t i = 0; i < count; ++i) {
        hemc_text_add(&t, " \\\n  ");
        add_path(&t, inputs[i]);
    }
    hemc_text_add(&t, "\n");
    return t.data;
}
