// SPDX-License-Identifier: MIT
#include "compiler/pack/pack.h"

#include "compiler/hemc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The last stage: everything so far, renumbered by the layout, as bytes.
//
// Sections are collected in a hem_view, then laid out and copied in the order of HEM_SECTIONS. At the end the validator
// reads the bytes; a refusal is a mistake of ours, never of the input.

typedef struct section_list {
    hem_section table[HEM_SECTION_COUNT];
    const void* bytes[HEM_SECTION_COUNT];
    uint32_t count;
} section_list;

uint32_t hemc_pack_string(hemc_strings* table, const char* text) {
    if (text == NULL || text[0] == 0) {
        return 0;
    }
    for (size_t i = 0; i < table->count; ++i) {
        if (strcmp(table->text + table->offsets[i], text) == 0) {
            return table->offsets[i];
        }
    }
    const size_t length = strlen(text) + 1;
    table->text = hemc_grow(table->arena, table->text, &table->capacity, table->size + length, 1);
    table->offsets =
        hemc_grow(table->arena, table->offsets, &table->offset_capacity, table->count + 1, sizeof(uint32_t));
    memcpy(table->text + table->size, text, length);
    const uint32_t offset = (uint32_t)table->size;
    table->offsets[table->count++] = offset;
    table->size += length;
    return offset;
}

// An empty section is left out.
static void add_section(section_list* list, uint32_t kind, const void* bytes, size_t element_size,
                        size_t element_count) {
    if (element_count == 0) {
        return;
    }
    hem_section* s = &list->table[list->count];
    s->kind = kind;
    s->element_size = (uint32_t)element_size;
    s->element_count = (uint32_t)element_count;
    s->size = (uint64_t)element_size * element_count;
    list->bytes[list->count++] = bytes;
}

static uint64_t align_up(uint64_t x) {
    return (x + (HEM_ALIGNMENT - 1)) & ~(uint64_t)(HEM_ALIGNMENT - 1);
}

static uint8_t* write_bytes(hemc_arena* arena, section_list* list, hem_header* header, size_t* size) {
    uint64_t end = sizeof(hem_header) + (uint64_t)list->count * sizeof(hem_section);
    for (uint32_t i = 0; i < list->count; ++i) {
        list->table[i].offset = align_up(end);
        end = list->table[i].offset + list->table[i].size;
    }
    header->file_size = align_up(end);
    header->section_count = list->count;
    uint8_t* bytes = hemc_alloc(arena, (size_t)header->file_size, 1);
    memcpy(bytes + sizeof(hem_header), list->table, list->count * sizeof(hem_section));
    for (uint32_t i = 0; i < list->count; ++i) {
        memcpy(bytes + list->table[i].offset, list->bytes[i], (size_t)list->table[i].size);
    }
    hemc_hash128(bytes + sizeof(hem_header), (size_t)header->file_size - sizeof(hem_header), header->content_hash);
    memcpy(bytes, header, sizeof *header);
    *size = (size_t)header->file_size;
    return bytes;
}

// Beyond what the format takes, the model is in other units than it says.
static bool within(double value, double least, double most) {
    return value >= least && value <= most;
}

// The same as hem_longest of the file that this becomes.
static float longest_of(const hemc_mesh* mesh) {
    hem_info info = {0};
    for (uint32_t i = 0; i < mesh->all.count; ++i) {
        const hemc_vec3 x = mesh->all.positions[i];
        const float at[3] = {x.x, x.y, x.z};
        for (int k = 0; k < 3; ++k) {
            info.bounds_min[k] = i == 0 || at[k] < info.bounds_min[k] ? at[k] : info.bounds_min[k];
            info.bounds_max[k] = i == 0 || at[k] > info.bounds_max[k] ? at[k] : info.bounds_max[k];
        }
    }
    return hem_longest(&info);
}

static bool check_ranges(hemc_log* log, const char* file, const hemc_model* model, const hemc_recipe* recipe,
                         const hemc_mesh* mesh) {
    static const char advice[] = "is the model in metres? Give \"scale\" in a recipe";
    const float longest = longest_of(mesh);
    for (uint32_t v = 0; model != NULL && v < model->vertex_count; ++v) {
        const hemc_vec3 x = model->positions[v];
        if (!within(fmax(fmax(fabs(x.x), fabs(x.y)), fabs(x.z)), 0, HEM_MAX_METRES)) {
            return hemc_error(log, HEMC_INPUT, file, "", "vertex %u is more than %g km away; %s", v,
                              (double)HEM_MAX_METRES / 1000, advice);
        }
    }
    for (uint32_t part = 0; part < mesh->part_count; ++part) {
        const bool own = recipe != NULL && part < recipe->part_count;
        const char* where = own ? recipe->parts[part].json_path : "";
        const char* part_file = own ? hemc_part_file(&recipe->parts[part], model) : file;
        const float radius = mesh->part_tunings[part].contact_radius;
        if (radius > longest) {
            return hemc_error(
                log, HEMC_INPUT, part_file, where,
                "the contact radius of part \"%s\" is %g m, more than the particles' extent of %g m; %s, or "
                "a smaller \"contact_radius\" or \"radius\"",
                mesh->part_names[part], (double)radius, (double)longest, advice);
        }
        for (uint32_t i = mesh->part_begin[part]; i < mesh->part_begin[part + 1]; ++i) {
            const hemc_vec3 x = mesh->all.positions[i];
            const float* r = mesh->all.radii[i];
            const double least = fmin(fmin(r[0], r[1]), r[2]), most = fmax(fmax(r[0], r[1]), r[2]);
            const double away = fmax(fmax(fabs(x.x), fabs(x.y)), fabs(x.z)), mass = mesh->all.mass[i];
            const char* what = !within(away, 0, HEM_MAX_METRES)         ? "is more than 1000 km away"
                               : !(least >= HEM_MIN_RADIUS)             ? "is smaller than a thousandth of a millimetre"
                               : !within(most, HEM_MIN_RADIUS, longest) ? "is larger than the character"
                               : mass > HEM_MAX_MASS                    ? "weighs more than 1000 tons"
                               : !within(mass, HEM_MIN_MASS, HEM_MAX_MASS)
                                   ? "weighs less than a thousandth of a milligram"
                                   : NULL;
            if (what != NULL) {
                return hemc_error(log, HEMC_INPUT, part_file, where,
                                  "a particle of part \"%s\" %s; %s, or another spacing, "
                                  "radius or mass",
                                  mesh->part_names[part], what, advice);
            }
        }
    }
    return true;
}

static bool check_counts(hemc_log* log, const char* file, const hemc_model* model, const hemc_recipe* recipe,
                         const hemc_mesh* mesh) {
    if (mesh->part_count == 0 || mesh->part_count > HEM_MAX_PARTS) {
        return hemc_error(log, HEMC_INPUT, file, "/parts", "%u parts; an asset has 1 to %d", mesh->part_count,
                          HEM_MAX_PARTS);
    }
    if (model != NULL && model->bone_count > HEM_MAX_BONES) {
        return hemc_error(log, HEMC_INPUT, file, "/skins", "%u bones; at most %d are possible", model->bone_count,
                          HEM_MAX_BONES);
    }
    if (model != NULL && model->vertex_count > HEM_MAX_VERTICES) {
        return hemc_error(log, HEMC_INPUT, file, "/meshes", "%u vertices; at most %d are possible", model->vertex_count,
                          HEM_MAX_VERTICES);
    }
    if (recipe != NULL && recipe->collider_count + (mesh->body_mesh != NULL) > HEM_MAX_COLLIDERS) {
        return hemc_error(log, HEMC_INPUT, file, "/colliders", "%u colliders; at most %d are possible",
                          recipe->collider_count, HEM_MAX_COLLIDERS);
    }
    return true;
}

// The layout's batches are the file's.
static void pack_batches(hemc_packer* p) {
    const hemc_layout* layout = p->layout;
    hem_view* v = &p->view;
    v->ranges = layout->ranges;
    v->range_count = layout->range_count;
    v->link_batches = layout->links;
    v->link_batch_count = layout->link_batch_count;
    v->index_batches = layout->indexed;
    v->index_batch_count = layout->index_batch_count;
    v->group_batches = layout->groups;
    v->group_batch_count = layout->group_batch_count;
    v->group_members = layout->members;
    v->group_member_count = layout->member_count;
    v->group_indices = layout->group_indices;
    v->group_index_count = layout->group_index_count;
    for (uint32_t i = 0; i < layout->link_batch_count; ++i) {
        p->info.link_count += hemc_count_bits(layout->links[i].lane_mask);
    }
    for (uint32_t i = 0; i < layout->index_batch_count; ++i) {
        p->info.link_count += hemc_count_bits(layout->indexed[i].lane_mask);
    }
    for (uint32_t i = 0; i < layout->group_batch_count; ++i) {
        p->info.group_count += hemc_count_bits(layout->groups[i].lane_mask);
    }
    v->row_batches = layout->row_batches;
    v->row_batch_count = layout->row_batch_count;
    v->row_members = layout->row_members;
    v->row_member_count = layout->row_member_count;
    v->row_indices = layout->row_indices;
    v->row_index_count = layout->row_index_count;
    v->springs = layout->springs;
    v->spring_count = layout->spring_count;
    v->rods = layout->rods;
    v->rod_count = layout->rod_count;
    v->chains = layout->chains;
    v->chain_count = layout->chain_count;
    v->triangles = layout->triangles;
    v->triangle_count = layout->triangle_count;
    v->bends = layout->bends;
    v->bend_count = layout->bend_count;
    v->dihedrals = layout->dihedrals;
    v->dihedral_count = layout->dihedral_count;
    v->tetrahedra = layout->tetrahedra;
    v->tetrahedron_count = layout->tetrahedron_count;
    v->virtual_edges = layout->virtual_edges;
    v->virtual_edge_count = layout->virtual_edge_count;
    v->lattices = layout->lattices;
    v->lattice_count = layout->lattice_count;
    v->lattice_cells = layout->cells;
    v->lattice_cell_count = layout->cell_count;
    v->lattice_bars = layout->bars;
    v->lattice_bar_count = layout->bar_count;
    v->lattice_order = layout->order;
    v->lattice_order_count = layout->order_count;
    for (uint32_t i = 0; i < layout->row_batch_count; ++i) {
        p->info.row_constraint_count += hemc_count_bits(layout->row_batches[i].lane_mask);
    }
    p->info.lane_fill = layout->lane_fill;
    p->info.indexed_share = layout->indexed_share;
    p->info.spacing = v->parts[0].spacing;
    for (uint32_t i = 1; i < v->part_count; ++i) {
        p->info.spacing = v->parts[i].spacing < p->info.spacing ? v->parts[i].spacing : p->info.spacing;
    }
}

static void pack_levels(hemc_packer* p, const hemc_coarser* levels) {
    p->view.levels = levels->levels;
    p->view.level_count = levels->count;
    p->view.level_bytes = levels->bytes;
    p->view.level_byte_count = levels->byte_count;
    p->view.level_rows = levels->rows;
    p->view.level_row_count = levels->row_count;
}

static hem_header make_header(const hemc_packer* p, const uint8_t cache_key[16]) {
    hem_header header = {.version = HEM_FORMAT_VERSION, .header_size = sizeof(hem_header)};
    header.version = p->view.level_count != 0 ? HEM_FORMAT_VERSION_LEVELS : HEM_FORMAT_VERSION;
    memcpy(header.magic, HEM_MAGIC, sizeof header.magic);
    const bool preview = p->view.preview_index_count + p->view.preview_color_count + p->view.clip_count != 0;
    header.flags = preview ? (uint32_t)HEM_FILE_PREVIEW : 0;
    if (cache_key != NULL) {
        memcpy(header.cache_key, cache_key, sizeof header.cache_key);
    }
    if (p->model != NULL) {
        memcpy(header.source_hash, p->model->source_hash, sizeof header.source_hash);
    }
    if (p->recipe != NULL) {
        memcpy(header.recipe_hash, p->recipe->recipe_hash, sizeof header.recipe_hash);
    }
    snprintf(header.tool, sizeof header.tool, "hemc %s", HEMC_VERSION);
    return header;
}

bool hemc_pack(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
               const hemc_mesh* mesh, const hemc_layout* layout, const hemc_options* options,
               const uint8_t cache_key[16], uint8_t** bytes, size_t* size) {
    const char* file = model != NULL ? model->path : "";
    if (!check_counts(log, file, model, recipe, mesh) || !check_ranges(log, file, model, recipe, mesh)) {
        return false;
    }
    hemc_packer* p = hemc_alloc(arena, 1, sizeof(hemc_packer));
    p->arena = arena;
    p->model = model;
    p->recipe = recipe;
    p->mesh = mesh;
    p->layout = layout;
    p->ship = options != NULL && options->ship;
    p->ship_all = options != NULL && options->ship_all;
    p->strings = (hemc_strings){.arena = arena, .size = 1};
    p->strings.text = hemc_grow(arena, NULL, &p->strings.capacity, 1, 1);
    hemc_pack_parts(p);
    hemc_pack_bones(p);
    hemc_pack_rows(p);
    hemc_pack_ignore(p);
    if (model != NULL && recipe != NULL) {
        hemc_pack_colliders(p);
    }
    const bool drawn = model != NULL && !(options != NULL && options->particles_alone);
    if (drawn) {
        hemc_pack_vertices(p);
    }
    if (drawn && !p->ship) {
        hemc_pack_clips(p);
    }
    if (options != NULL && options->levels != NULL) {
        pack_levels(p, options->levels);
    }
    pack_batches(p);
    hemc_pack_lattice_clips(p);
    hemc_pack_tears(p);
    p->view.info = &p->info;
    p->view.info_count = 1;
    p->view.strings = p->strings.text;
    p->view.string_size = (uint32_t)p->strings.size;

    section_list list = {0};
#define ADD_SECTION(name, number, text, element, pointer, count, ...)                                                  \
    add_section(&list, HEM_SECTION_##name, p->view.pointer, sizeof(element), p->view.count);
    HEM_SECTIONS(ADD_SECTION)
#undef ADD_SECTION
    hem_header header = make_header(p, cache_key);
    *bytes = write_bytes(arena, &list, &header, size);

    hem_view view;
    hem_format_fault fault;
    const hem_format_result result = hem_validate(*bytes, *size, &view, &fault);
    if (result != HEM_FORMAT_OK) {
        return hemc_error(log, HEMC_INTERNAL, file, "", "the packed asset fails its own validation: %s (%s[%u].%s)",
                          hem_format_result_text(result), hem_section_name(fault.section), fault.element, fault.field);
    }
    return true;
}
