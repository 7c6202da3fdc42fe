// SPDX-License-Identifier: MIT
#include "tools/inspect.h"
#include "tools/command.h"
#include "tools/compose.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/png.h"
#include "tools/puppet.h"
#include "formats/hem_trimesh.h"
#include "hem/budget.h"
#include "platform/terminal.h"

#include <stdio.h>
#include <string.h>

// `hem inspect`: what is inside a .hem file, for people, for scripts (--json) and as a picture.

enum { PANEL_WIDTH = 330, PANEL_HEIGHT = 420, PANEL_COUNT = 8 };

static size_t scene_size_of(const asset* a, uint32_t count, hem_budget_mode budget) {
    hem_slot_def slot = {.asset = &a->handle, .count = count};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    def.budget = (uint32_t)budget;
    hem_memory need = {0};
    return hem_scene_measure(&def, &need) == HEM_OK ? need.size : 0;
}

static size_t scene_size(const asset* a) {
    return scene_size_of(a, 1, HEM_BUDGET_NONE);
}

static size_t budget_size(const asset* a) { // of one more instance
    return scene_size_of(a, 2, HEM_BUDGET_SKINNED) - scene_size_of(a, 1, HEM_BUDGET_SKINNED);
}

// Of the asset, which is valid: a coarser one, finest first.
static hem_view level_of(const asset* a, uint32_t i) {
    const hem_asset_level* level = &a->view.levels[i];
    hem_view view;
    hem_validate(a->view.level_bytes + level->byte_begin, level->byte_count, &view, NULL);
    return view;
}

static void hex_text(const uint8_t hash[16], char text[33]) {
    for (int32_t i = 0; i < 16; i++) {
        snprintf(text + 2 * i, 3, "%02x", hash[i]);
    }
}

static bool all_zero(const uint8_t hash[16]) {
    uint8_t sum = 0;
    for (int32_t i = 0; i < 16; i++) {
        sum |= hash[i];
    }
    return sum == 0;
}

static const hem_section* sections_of(const asset* a) {
    return (const hem_section*)(a->data + sizeof(hem_header));
}

// The tool's name in the header is padded with zeros and may fill its field.
static void tool_text(const hem_header* h, char text[33]) {
    memcpy(text, h->tool, 32);
    text[32] = 0;
}

// -- For people

static void print_sections(const asset* a) {
    printf("\nsections\n");
    const hem_section* s = sections_of(a);
    for (uint32_t i = 0; i < a->view.header->section_count; i++) {
        printf("  %-18s %8u x %4u bytes  %10llu\n", hem_section_name(s[i].kind), s[i].element_count, s[i].element_size,
               (unsigned long long)s[i].size);
    }
}

static void print_parts(const asset* a) {
    printf("\nparts\n  %-16s %-6s %9s %9s %6s %7s %7s %9s\n", "name", "kind", "simulated", "attached", "body", "links",
           "groups", "spacing");
    for (uint32_t i = 0; i < a->view.info->part_count; i++) {
        const hem_part* part = &a->view.parts[i];
        asset_part_counts c = asset_count_part(a, i);
        uint32_t links = 0;
        for (int32_t k = 0; k < HEM_LINK_KIND_COUNT; k++) {
            links += c.links[k];
        }
        printf("  %-16s %-6s %9u %9u %6u %7u %7u %7.1f mm\n", asset_label_of(a, part->name_offset).text,
               asset_part_kind_name(part->kind), c.simulated, c.attached, c.body, links, c.groups,
               (double)part->spacing * 1000.0);
        if (links > 0) {
            printf("    links:");
            for (uint32_t k = 0; k < HEM_LINK_KIND_COUNT; k++) {
                if (c.links[k] > 0) {
                    printf(" %u %s", c.links[k], asset_link_kind_name(k));
                }
            }
            printf("; %.0f%% of lanes filled\n", 100.0 * links / (c.link_lanes > 0 ? c.link_lanes : 1));
        }
    }
}

static void print_levels(const asset* a) {
    printf("\nlevels of detail, with a budget: all of them take %zu bytes an instance, %u in the file\n",
           budget_size(a), a->view.level_byte_count + a->view.level_row_count * (uint32_t)sizeof(hem_level_row));
    for (uint32_t i = 0; i < a->view.level_count; i++) {
        const hem_view view = level_of(a, i);
        printf("  %u  %u simulated, %u attached, %u body (%u rows of 8), %u links, %u shape groups; spacing", i + 1,
               view.info->simulated_count, view.info->attached_count, view.info->body_count, view.info->row_count,
               view.info->link_count, view.info->group_count);
        for (uint32_t p = 0; p < view.info->part_count; p++) {
            printf("%s %s %.1f", p > 0 ? "," : "", asset_label_of(a, a->view.parts[p].name_offset).text,
                   (double)view.parts[p].spacing * 1000.0);
        }
        printf(" mm\n");
    }
}

static void print_asset(const asset* a) {
    const hem_header* h = a->view.header;
    const hem_info* info = a->view.info;
    char hash[33], text[33], path[1024], maker[130];
    hex_text(h->content_hash, hash);
    tool_text(h, text);
    printf("%s: %llu bytes, format %u, made by %s\n", hem_printable(path, sizeof(path), a->path),
           (unsigned long long)h->file_size, h->version, hem_printable(maker, sizeof(maker), text));
    printf("  hash     %s (%s)\n", hash, a->hash_matches ? "matches" : "DOES NOT MATCH: the file is damaged");
    hex_text(h->source_hash, hash);
    printf("  source   %s\n", hash);
    hex_text(h->recipe_hash, hash);
    printf("  recipe   %s\n", all_zero(h->recipe_hash) ? "none (automatic)" : hash);
    hex_text(h->cache_key, hash);
    printf("  cache    %s\n", hash);
    printf("  preview  %s\n", asset_has_preview(a) ? "yes: triangles, colours, clips" : "no (compiled with --ship)");
    printf("\nparticles  %u simulated, %u attached, %u body (%u rows of 8, %u of them oriented)\n",
           info->simulated_count, info->attached_count, info->body_count, info->row_count, info->oriented_row_count);
    printf("constraints  %u links, %u shape groups; %.1f%% of lanes filled, %.1f%% in indexed batches\n",
           info->link_count, info->group_count, (double)info->lane_fill * 100.0, (double)info->indexed_share * 100.0);
    if (a->view.body_mesh_size != 0) {
        const hem_trimesh_header* body = (const hem_trimesh_header*)(const void*)a->view.body_mesh;
        printf("body       %u triangles, %u bytes\n", body->triangle_count, a->view.body_mesh_size);
    }
    printf("mesh       %u vertices in %u primitives, %u bones, %u colliders\n", info->vertex_count, info->mesh_count,
           info->bone_count, a->view.collider_count);
    printf("memory     %u bytes an instance, %u of them state; a scene of one takes %zu\n", a->info.instance_size,
           a->info.state_size, scene_size(a));
    printf("bounds     %.3f %.3f %.3f .. %.3f %.3f %.3f m\n", (double)info->bounds_min[0], (double)info->bounds_min[1],
           (double)info->bounds_min[2], (double)info->bounds_max[0], (double)info->bounds_max[1],
           (double)info->bounds_max[2]);
    print_parts(a);
    if (a->view.level_count > 0) {
        print_levels(a);
    }
    if (a->view.clip_count > 0) {
        printf("\nclips\n");
    }
    for (uint32_t i = 0; i < a->view.clip_count; i++) {
        const hem_clip* c = &a->view.clips[i];
        printf("  %-16s %6.2f s, %u frames at %g Hz%s\n", asset_label_of(a, c->name_offset).text,
               (double)asset_clip_seconds(a, (int32_t)i), c->frame_count, (double)c->hz,
               (c->flags & HEM_CLIP_LOOPS) != 0 ? ", loops" : "");
    }
    print_sections(a);
}

// -- For scripts

static void write_json_parts(const asset* a, json* j) {
    json_begin(j, "parts", '[');
    for (uint32_t i = 0; i < a->view.info->part_count; i++) {
        const hem_part* part = &a->view.parts[i];
        asset_part_counts c = asset_count_part(a, i);
        json_begin(j, NULL, '{');
        json_text(j, "name", asset_text(a, part->name_offset));
        json_text(j, "kind", asset_part_kind_name(part->kind));
        json_text(j, "animation", part->animation == HEM_ANIMATE_MOMENTUM ? "momentum" : "direct");
        json_integer(j, "simulated", c.simulated);
        json_integer(j, "attached", c.attached);
        json_integer(j, "body", c.body);
        json_begin(j, "links", '{');
        for (uint32_t k = 0; k < HEM_LINK_KIND_COUNT; k++) {
            json_integer(j, asset_link_kind_name(k), c.links[k]);
        }
        json_end(j, '}');
        json_integer(j, "link_lanes", c.link_lanes);
        json_integer(j, "groups", c.groups);
        json_integer(j, "group_lanes", c.group_lanes);
        json_number(j, "spacing", (double)part->spacing);
        json_integer(j, "levels", part->level_count);
        json_integer(j, "collision_group", part->collision_group);
        json_integer(j, "collision_mask", part->collision_mask);
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void write_json_levels(const asset* a, json* j) {
    json_begin(j, "levels", '[');
    for (uint32_t i = 0; i < a->view.level_count; i++) {
        const hem_view view = level_of(a, i);
        json_begin(j, NULL, '{');
        json_integer(j, "bytes", a->view.levels[i].byte_count);
        json_integer(j, "simulated", view.info->simulated_count);
        json_integer(j, "attached", view.info->attached_count);
        json_integer(j, "body", view.info->body_count);
        json_integer(j, "rows", view.info->row_count);
        json_integer(j, "links", view.info->link_count);
        json_integer(j, "groups", view.info->group_count);
        json_number(j, "spacing", (double)view.info->spacing);
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void write_json(const asset* a) {
    const hem_header* h = a->view.header;
    const hem_info* info = a->view.info;
    char text[33];
    tool_text(h, text);
    json writer = {.out = stdout};
    json* j = &writer;
    json_begin(j, NULL, '{');
    json_text(j, "file", a->path);
    json_integer(j, "bytes", (int64_t)h->file_size);
    json_integer(j, "format", h->version);
    json_text(j, "tool", text);
    json_hex(j, "content_hash", h->content_hash, 16);
    json_flag(j, "hash_matches", a->hash_matches);
    json_hex(j, "source_hash", h->source_hash, 16);
    json_hex(j, "recipe_hash", h->recipe_hash, 16);
    json_hex(j, "cache_key", h->cache_key, 16);
    json_flag(j, "preview", asset_has_preview(a));
    json_begin(j, "particles", '{');
    json_integer(j, "simulated", info->simulated_count);
    json_integer(j, "attached", info->attached_count);
    json_integer(j, "body", info->body_count);
    json_integer(j, "rows", info->row_count);
    json_integer(j, "oriented_rows", info->oriented_row_count);
    json_end(j, '}');
    json_integer(j, "links", info->link_count);
    json_integer(j, "groups", info->group_count);
    json_number(j, "lane_fill", (double)info->lane_fill);
    json_number(j, "indexed_share", (double)info->indexed_share);
    json_integer(j, "vertices", info->vertex_count);
    json_integer(j, "meshes", info->mesh_count);
    json_integer(j, "bones", info->bone_count);
    json_integer(j, "colliders", a->view.collider_count);
    json_integer(j, "body_mesh_bytes", a->view.body_mesh_size);
    json_begin(j, "memory", '{');
    json_integer(j, "instance", a->info.instance_size);
    json_integer(j, "state", a->info.state_size);
    json_integer(j, "scene_of_one", (int64_t)scene_size(a));
    json_integer(j, "instance_with_budget", (int64_t)budget_size(a));
    json_end(j, '}');
    write_json_parts(a, j);
    write_json_levels(a, j);
    json_begin(j, "clips", '[');
    for (uint32_t i = 0; i < a->view.clip_count; i++) {
        const hem_clip* c = &a->view.clips[i];
        json_begin(j, NULL, '{');
        json_text(j, "name", asset_text(a, c->name_offset));
        json_number(j, "seconds", (double)asset_clip_seconds(a, (int32_t)i));
        json_integer(j, "frames", c->frame_count);
        json_number(j, "hz", (double)c->hz);
        json_flag(j, "loops", (c->flags & HEM_CLIP_LOOPS) != 0);
        json_end(j, '}');
    }
    json_end(j, ']');
    json_begin(j, "sections", '[');
    const hem_section* s = sections_of(a);
    for (uint32_t i = 0; i < h->section_count; i++) {
        json_begin(j, NULL, '{');
        json_text(j, "name", hem_section_name(s[i].kind));
        json_integer(j, "count", s[i].element_count);
        json_integer(j, "element_size", s[i].element_size);
        json_integer(j, "size", (int64_t)s[i].size);
        json_integer(j, "offset", (int64_t)s[i].offset);
        json_end(j, '}');
    }
    json_end(j, ']');
    json_end(j, '}');
}

// -- As a picture

bool inspect_picture(const asset* a, const char* path, hem_file_error* error) {
    static const puppet_overlay overlays[PANEL_COUNT / 2] = {PUPPET_ELLIPSOIDS, PUPPET_LINKS, PUPPET_BLEND,
                                                             PUPPET_OVERLAPS};
    static const char* const captions[PANEL_COUNT] = {
        "particles by role", "links", "blend weights", "touching at rest", "", "", "", ""};
    puppet p;
    image panels[PANEL_COUNT] = {{0}};
    drawing d = {0};
    bool ok = puppet_create(&p, a);
    float box_min[3], box_max[3];
    render_box_empty(box_min, box_max);
    if (ok) {
        puppet_box(&p, box_min, box_max);
    }
    for (int32_t i = 0; ok && i < PANEL_COUNT; i++) {
        drawing_clear(&d);
        puppet_draw(&p, overlays[i % 4], &d);
        render_scene scene = render_scene_default();
        drawing_fill(&d, &scene);
        memcpy(scene.stage.min, box_min, sizeof(box_min));
        memcpy(scene.stage.max, box_max, sizeof(box_max));
        scene.stage.ground_height = box_min[1];
        const float* view = PUPPET_VIEWS[i < 4 ? PUPPET_VIEW_QUARTER : PUPPET_VIEW_REAR];
        render_camera camera = render_camera_frame(box_min, box_max, view, 3.2f, 0.06f, PANEL_WIDTH, PANEL_HEIGHT);
        panels[i] = render_image(&scene, &camera, PANEL_WIDTH, PANEL_HEIGHT);
        if (i >= 4) {
            puppet_legend(a, overlays[i % 4], &panels[i]);
        }
        ok = panels[i].pixels != NULL && !d.failed;
    }
    char title[128], note[256];
    snprintf(title, sizeof(title), "%.100s", hem_path_name(a->path));
    snprintf(note, sizeof(note),
             "%u simulated, %u attached, %u body particles; %u links, %u shape groups; %u vertices%s",
             a->view.info->simulated_count, a->view.info->attached_count, a->view.info->body_count,
             a->view.info->link_count, a->view.info->group_count, a->view.info->vertex_count,
             asset_has_preview(a) ? "" : "; compiled with --ship, so no triangles");
    const compose_page page = {
        .title = title, .note = note, .images = panels, .captions = captions, .image_count = PANEL_COUNT, .columns = 4};
    image sheet = {0};
    if (ok) {
        sheet = compose_grid(&page);
    }
    ok = png_write(path, &sheet, error);
    image_destroy(&sheet);
    for (int32_t i = 0; i < PANEL_COUNT; i++) {
        image_destroy(&panels[i]);
    }
    drawing_destroy(&d);
    puppet_destroy(&p);
    return ok;
}

int command_inspect(int argc, char** argv) {
    const char* file = NULL;
    const char* picture = NULL;
    const char* recipe = NULL;
    bool as_json = false, validate = false;
    int32_t file_count = 0;
    const option options[] = {
        {"--recipe", "R.json", "when FILE is a glTF: compile it with this first", &recipe, NULL},
        {"--json", NULL, "print everything as JSON", NULL, &as_json},
        {"--picture", "P.png", "draw particles, links, blend weights and rest overlaps", &picture, NULL},
        {"--validate", NULL, "check structure and hash only; exit code 4 if damaged", NULL, &validate},
    };
    const option_table table = {"hem inspect FILE.hem [options]",
                                "Shows what is inside a compiled asset.",
                                options,
                                (int32_t)(sizeof(options) / sizeof(options[0])),
                                &file,
                                1,
                                &file_count};
    int code = options_parse(&table, argc, argv);
    if (code >= 0) {
        return code;
    }
    if (file_count == 0) {
        return command_fail(COMMAND_USAGE, "which file? usage: %s", table.usage);
    }
    code = command_check_outputs(&picture, 1, (const char*[]){file, recipe}, 2);
    if (code != COMMAND_OK) {
        return code;
    }
    asset a;
    code = asset_load(&a, file, recipe);
    if (code != COMMAND_OK) {
        return code;
    }
    if (!a.hash_matches) {
        code = command_fail(COMMAND_VALIDATION, "'%s': %s", file, hem_format_result_text(HEM_FORMAT_BAD_HASH));
    }
    if (as_json) {
        write_json(&a);
    } else if (validate) {
        printf("%s: %s\n", file,
               code == COMMAND_OK ? "valid, hash matches" : "structure is valid, hash does not match");
    } else {
        print_asset(&a);
    }
    hem_file_error error;
    if (picture != NULL && !inspect_picture(&a, picture, &error)) {
        code = command_fail(COMMAND_IO, "%s", error.text);
    }
    asset_unload(&a);
    return code;
}
