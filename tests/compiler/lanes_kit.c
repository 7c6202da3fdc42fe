// SPDX-License-Identifier: MIT
#include "tests/compiler/lanes_kit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPACING 0.04

void lanes_kit_start(lanes_kit* kit, uint32_t capacity) {
    memset(kit, 0, sizeof *kit);
    kit->arena = hemc_arena_create();
    kit->log.arena = kit->arena;
    kit->capacity = capacity;
    kit->random = 1;
    hemc_particles* p = &kit->mesh.all;
    p->positions = hemc_alloc(kit->arena, capacity, sizeof(*p->positions));
    p->normals = hemc_alloc(kit->arena, capacity, sizeof(*p->normals));
    p->level = hemc_alloc(kit->arena, capacity, sizeof(*p->level));
    p->column = hemc_alloc(kit->arena, capacity, sizeof(*p->column));
    p->flags = hemc_alloc(kit->arena, capacity, sizeof(*p->flags));
    p->rotation = hemc_alloc(kit->arena, capacity, sizeof(*p->rotation));
    p->radii = hemc_alloc(kit->arena, capacity, sizeof(*p->radii));
    p->mass = hemc_alloc(kit->arena, capacity, sizeof(*p->mass));
    p->area = hemc_alloc(kit->arena, capacity, sizeof(*p->area));
    p->stiffness = hemc_alloc(kit->arena, capacity, sizeof(*p->stiffness));
    p->max_distance = hemc_alloc(kit->arena, capacity, sizeof(*p->max_distance));
    p->backstop = hemc_alloc(kit->arena, capacity, sizeof(*p->backstop));
    kit->mesh.skinning.particle_bone = hemc_alloc(kit->arena, capacity, sizeof(*kit->mesh.skinning.particle_bone));
    kit->mesh.skinning.particle_bone_weight =
        hemc_alloc(kit->arena, capacity, sizeof(*kit->mesh.skinning.particle_bone_weight));
    kit->mesh.part_names = kit->names;
    kit->mesh.part_kinds = kit->kinds;
    kit->mesh.part_animations = kit->animations;
    kit->mesh.part_tunings = kit->tunings;
    kit->mesh.collision_groups = kit->groups;
    kit->mesh.collision_masks = kit->masks;
    kit->mesh.part_begin = kit->begin;
    kit->recipe.parts = kit->parts;
    kit->recipe.path = "kit";
}

void lanes_kit_end(lanes_kit* kit) {
    hemc_arena_destroy(kit->arena);
    memset(kit, 0, sizeof *kit);
}

uint32_t lanes_kit_add(lanes_kit* kit, double x, double y, double z, int32_t level, int32_t column, bool animated) {
    hemc_particles* p = &kit->mesh.all;
    if (p->count == kit->capacity) {
        abort();
    }
    const uint32_t i = p->count++;
    p->positions[i] = (hemc_vec3){(float)x, (float)y, (float)z};
    p->normals[i] = (hemc_vec3){0, 0, 1};
    p->level[i] = level;
    p->column[i] = column;
    p->flags[i] = (uint8_t)(HEM_PARTICLE_COLLIDES | (animated ? HEM_PARTICLE_ANIMATED : 0));
    p->rotation[i][3] = 1;
    for (int k = 0; k < 3; ++k) {
        p->radii[i][k] = (float)(SPACING / 2);
    }
    p->mass[i] = 0.01f + 0.001f * (float)(i % 7);
    p->stiffness[i] = 1;
    p->max_distance[i] = -1;
    p->backstop[i] = -1;
    kit->mesh.skinning.particle_bone_weight[i][0] = 1;
    return i;
}

void lanes_kit_link(lanes_kit* kit, uint32_t a, uint32_t b, hem_link_kind kind) {
    hemc_particles* p = &kit->mesh.all;
    p->links = hemc_grow(kit->arena, p->links, &p->link_capacity, p->link_count + 1, sizeof(hemc_link));
    p->links[p->link_count++] = (hemc_link){.a = a, .b = b, .kind = (uint8_t)kind, .scale = 1};
}

void lanes_kit_part(lanes_kit* kit, const char* name, hem_part_kind kind) {
    const uint32_t i = kit->mesh.part_count++;
    if (i == LANES_KIT_PARTS) {
        abort();
    }
    kit->names[i] = name;
    kit->kinds[i] = kind;
    kit->groups[i] = 1u << i;
    kit->begin[i + 1] = kit->mesh.all.count;
    kit->tunings[i].gravity_scale = 1;
    kit->tunings[i].max_speed = 30;
    kit->tunings[i].iterations = 1;
    kit->parts[i] = (hemc_part_recipe){.name = name,
                                       .json_path = "",
                                       .kind = kind,
                                       .blend_width = -1,
                                       .tethers = kind == HEM_PART_CLOTH,
                                       .generator = HEMC_CUT};
    if (kind != HEM_PART_BODY) {
        kit->recipe.part_count = kit->mesh.part_count;
    }
}

double lanes_kit_random(lanes_kit* kit) {
    kit->random = kit->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(kit->random >> 11) / 9007199254740992.0;
}

static double distance2(const lanes_kit* kit, uint32_t a, uint32_t b) {
    const hemc_vec3 p = kit->mesh.all.positions[a], q = kit->mesh.all.positions[b];
    const double x = (double)p.x - q.x, y = (double)p.y - q.y, z = (double)p.z - q.z;
    return x * x + y * y + z * z;
}

// -- Whole parts

void lanes_kit_columns(lanes_kit* kit, int columns, int levels, const int* low, const int* high, bool closed) {
    const size_t cells = (size_t)columns * (size_t)levels;
    int64_t* id = malloc(cells * sizeof(int64_t));
    for (int l = 0; l < levels; ++l) {
        for (int c = 0; c < columns; ++c) {
            int64_t* here = &id[(size_t)l * (size_t)columns + (size_t)c];
            *here = -1;
            if (l < low[c] || l > high[c]) {
                continue;
            }
            if (closed) {
                const double angle = 6.283185307179586 * c / columns;
                const double radius = columns * SPACING / 6.283185307179586 * (1 - 0.01 * l);
                *here =
                    lanes_kit_add(kit, radius * cos(angle), l * SPACING, radius * sin(angle), l, c, l == levels - 1);
            } else {
                *here = lanes_kit_add(kit, c * SPACING, l * SPACING, 0, l, c, l == levels - 1);
            }
        }
    }
    for (int l = 0; l < levels; ++l) {
        const int64_t* row = &id[(size_t)l * (size_t)columns];
        int first = -1, last = -1;
        for (int c = 0; c < columns; ++c) {
            if (row[c] < 0) {
                continue;
            }
            if (last >= 0 && (closed || c - last == 1)) {
                lanes_kit_link(kit, (uint32_t)row[last], (uint32_t)row[c], HEM_LINK_WEFT);
            }
            first = first < 0 ? c : first;
            last = c;
        }
        if (closed && last > first + 1) {
            lanes_kit_link(kit, (uint32_t)row[last], (uint32_t)row[first], HEM_LINK_WEFT);
        }
        for (int c = 0; c < columns && l + 1 < levels; ++c) {
            const int64_t* above = row + columns;
            if (row[c] < 0) {
                continue;
            }
            if (above[c] >= 0) {
                lanes_kit_link(kit, (uint32_t)row[c], (uint32_t)above[c], HEM_LINK_WARP);
            } else if (closed && above[(c + columns - 1) % columns] >= 0) {
                lanes_kit_link(kit, (uint32_t)row[c], (uint32_t)above[(c + columns - 1) % columns], HEM_LINK_WARP);
            }
        }
    }
    free(id);
}

static void full_columns(lanes_kit* kit, int columns, int levels, bool closed) {
    int* low = calloc((size_t)columns, sizeof(int));
    int* high = calloc((size_t)columns, sizeof(int));
    for (int c = 0; c < columns; ++c) {
        high[c] = levels - 1;
    }
    lanes_kit_columns(kit, columns, levels, low, high, closed);
    free(low);
    free(high);
}

void lanes_kit_sheet(lanes_kit* kit, int columns, int levels) {
    full_columns(kit, columns, levels, false);
}

void lanes_kit_ring(lanes_kit* kit, int columns, int levels) {
    full_columns(kit, columns, levels, true);
}

static uint32_t nearest(const lanes_kit* kit, uint32_t to, uint32_t begin, uint32_t end) {
    uint32_t best = begin;
    for (uint32_t i = begin; i < end; ++i) {
        best = distance2(kit, to, i) < distance2(kit, to, best) - 1e-12 ? i : best;
    }
    return best;
}

void lanes_kit_skirt(lanes_kit* kit, int levels, const int* n) {
    uint32_t below = 0, begin = kit->mesh.all.count;
    for (int l = 0; l < levels; ++l) {
        const double radius = n[l] * SPACING / 6.283185307179586;
        for (int c = 0; c < n[l]; ++c) {
            const double angle = 6.283185307179586 * c / n[l];
            lanes_kit_add(kit, radius * cos(angle), l * SPACING, radius * sin(angle), l, c, l == levels - 1);
        }
        const uint32_t end = kit->mesh.all.count;
        for (uint32_t i = begin; i < end; ++i) {
            lanes_kit_link(kit, i, i + 1 < end ? i + 1 : begin, HEM_LINK_WEFT);
        }
        if (l > 0) {
            bool* hit = calloc(begin - below, sizeof(bool));
            for (uint32_t i = begin; i < end; ++i) {
                const uint32_t down = nearest(kit, i, below, begin);
                hit[down - below] = true;
                lanes_kit_link(kit, i, down, HEM_LINK_WARP);
            }
            for (uint32_t i = below; i < begin; ++i) {
                if (!hit[i - below]) {
                    lanes_kit_link(kit, i, nearest(kit, i, begin, end), HEM_LINK_WARP);
                }
            }
            free(hit);
        }
        below = begin;
        begin = end;
    }
}

void lanes_kit_strands(lanes_kit* kit, int strands, int shortest, int longest) {
    for (int s = 0; s < strands; ++s) {
        const int length = shortest + (int)(lanes_kit_random(kit) * (longest - shortest + 1));
        for (int i = 0; i < length; ++i) {
            const uint32_t p = lanes_kit_add(kit, s * SPACING, -i * SPACING, 0, i, s, i == 0);
            if (i > 0) {
                lanes_kit_link(kit, p - 1, p, HEM_LINK_WARP);
            }
        }
    }
}

void lanes_kit_scatter(lanes_kit* kit, int count, double size, double reach) {
    const uint32_t begin = kit->mesh.all.count;
    for (int i = 0; i < count; ++i) {
        const double x = lanes_kit_random(kit) * size, y = lanes_kit_random(kit) * size;
        lanes_kit_add(kit, x, -y, 0.2 * size * lanes_kit_random(kit), 0, 0, y < size / 10);
    }
    for (uint32_t i = begin; i < kit->mesh.all.count; ++i) {
        for (uint32_t j = i + 1; j < kit->mesh.all.count; ++j) {
            if (distance2(kit, i, j) < reach * reach) {
                lanes_kit_link(kit, i, j, HEM_LINK_WARP);
            }
        }
    }
}

// -- Stages

bool lanes_kit_graph(lanes_kit* kit) {
    return hemc_graph(kit->arena, &kit->log, &kit->recipe, &kit->mesh);
}

bool lanes_kit_run(lanes_kit* kit) {
    return lanes_kit_graph(kit) && hemc_lanes(kit->arena, &kit->log, &kit->mesh, &kit->layout);
}

uint32_t lanes_kit_count(const lanes_kit* kit, hem_link_kind kind) {
    uint32_t count = 0;
    for (size_t i = 0; i < kit->mesh.link_count; ++i) {
        count += kit->mesh.links[i].kind == kind;
    }
    return count;
}
