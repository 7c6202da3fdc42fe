// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"

#include "compiler/shape/level_maps.h"

#include <math.h>
#include <string.h>

// Coarser levels of detail: the same stages once more, with a recipe that asks for less. A level is a file of its own without
// vertices, and lies in the one that ships.

#define COARSER 1.5f // times the spacing, from level to level

static bool check_part(hemc_compilation* c, const hemc_part_recipe* part) {
    const char* what = part->lattice.reserve != 0                     ? "tears"
                       : part->lattice.clip_count != 0                ? "clips of a lattice"
                       : part->virtual_particles != HEMC_VIRTUAL_NONE ? "virtual particles"
                                                                      : NULL;
    return what == NULL ||
           hemc_error(&c->log, HEMC_INPUT, hemc_part_file(part, &c->model), part->json_path,
                      "part \"%s\" has %s, which only one level of detail can have: leave out \"levels\" or these",
                      part->name, what);
}

// What a recipe gives in metres or counts, and what was found where it gives nothing.
static void coarsen_part(hemc_part_recipe* part, const hemc_particles* made, float times, uint32_t level) {
    part->spacing = made->spacing * times;
    part->particle_target = 0;
    part->radius *= times;
    part->segment_count = (uint32_t)ceilf((float)part->segment_count / times);
    if (part->generator == HEMC_STRANDS) {
        part->guide_share = (part->guide_share > 0 ? part->guide_share : 1.0f) / times;
    }
    if (part->generator == HEMC_VERTICES) { // which has no spacing
        part->generator = HEMC_SCATTER;
    }
    for (int a = 0; a < 3 && made->lattice != NULL; ++a) {
        part->lattice.spacing[a] = made->lattice->spacing[a] * times;
    }
    if (level > 1) { // links are what a cloth of few particles can show
        part->fabric.triangles = false;
        part->fullness = 0;
    }
}

static bool make_level(hemc_compilation* c, uint32_t level, hemc_options options, double* clock,
                       hemc_compilation* out) {
    float times = 1.0f;
    for (uint32_t i = 0; i < level; ++i) {
        times *= COARSER;
    }
    hemc_part_recipe* parts = hemc_alloc(c->arena, c->recipe.part_count, sizeof(hemc_part_recipe));
    memcpy(parts, c->recipe.parts, c->recipe.part_count * sizeof(hemc_part_recipe));
    for (uint32_t p = 0; p < c->recipe.part_count; ++p) {
        coarsen_part(&parts[p], &c->particles[p], times, level);
    }
    *out = *c;
    out->recipe.parts = parts;
    out->recipe.level_count = 1;
    out->recipe.automatic = false; // it has been printed
    out->recipe.body.spacing = c->body.spacing * sqrtf(times);
    out->recipe.body.radius = c->recipe.body.radius * sqrtf(times);
    out->recipe.body.particle_target = 0;
    out->log = (hemc_log){.arena = c->arena}; // what there is to say was said of the finest
    options.particles_alone = true;
    if (!hemc_make_asset(out, options, clock)) {
        return hemc_error(&c->log, HEMC_INPUT, c->job->input, "/levels", "level %u cannot be made: %s", level + 1,
                          out->log.message_count != 0 ? out->log.messages[out->log.message_count - 1].text : "");
    }
    if (out->mesh.part_count != c->mesh.part_count ||
        memcmp(out->layout.part_order, c->layout.part_order, c->mesh.part_count * sizeof(uint32_t)) != 0) {
        return hemc_error(&c->log, HEMC_INPUT, c->job->input, "/levels",
                          "level %u comes out with other parts than the finest: give fewer \"levels\"", level + 1);
    }
    return true;
}

bool hemc_make_levels(hemc_compilation* c, hemc_options options, double* clock) {
    const uint32_t count = c->recipe.level_count > 1 ? c->recipe.level_count - 1 : 0;
    c->levels = (hemc_coarser){0};
    for (uint32_t p = 0; p < c->recipe.part_count && count != 0; ++p) {
        if (!check_part(c, &c->recipe.parts[p])) {
            return false;
        }
    }
    if (count != 0 && c->recipe.body.mesh) {
        return hemc_error(
            &c->log, HEMC_INPUT, c->job->input, "/levels",
            "a body of its own triangles has one level of detail: leave out \"levels\" or the \"mesh\" of the body");
    }
    hemc_coarser made = {.count = count, .levels = hemc_alloc(c->arena, count, sizeof(hem_asset_level))};
    for (uint32_t i = 0; i < count; ++i) {
        hemc_compilation level;
        if (!make_level(c, i + 1, options, clock, &level)) {
            return false;
        }
        const uint32_t rows = level.layout.row_count, finest_rows = c->layout.row_count;
        made.levels[i] = (hem_asset_level){.byte_begin = made.byte_count,
                                           .byte_count = (uint32_t)level.size,
                                           .down_begin = made.row_count,
                                           .up_begin = made.row_count + rows};
        uint8_t* bytes = hemc_alloc(c->arena, made.byte_count + level.size, 1);
        hem_level_row* maps = hemc_alloc(c->arena, made.row_count + rows + finest_rows, sizeof(hem_level_row));
        memcpy(bytes, made.bytes, made.byte_count);
        memcpy(bytes + made.byte_count, level.bytes, level.size);
        memcpy(maps, made.rows, made.row_count * sizeof(hem_level_row));
        memcpy(maps + made.row_count,
               hemc_level_map(c->arena, &c->model, &level.mesh, &level.layout, &c->mesh, &c->layout),
               rows * sizeof(hem_level_row));
        memcpy(maps + made.row_count + rows,
               hemc_level_map(c->arena, &c->model, &c->mesh, &c->layout, &level.mesh, &level.layout),
               finest_rows * sizeof(hem_level_row));
        made.bytes = bytes;
        made.rows = maps;
        made.byte_count += (uint32_t)level.size;
        made.row_count += rows + finest_rows;
    }
    c->levels = made;
    return true;
}
