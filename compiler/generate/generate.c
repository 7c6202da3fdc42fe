// SPDX-License-Identifier: MIT
#include "compiler/generate/generate.h"

#include <setjmp.h>
#include <string.h>

// Picks a spacing, runs the generator the recipe names, and meets a particle count when one is asked for.
//
// Automatic spacing aims at a few hundred particles over the part's area, but not finer than half of the mean triangle
// side: a coarse cape gains nothing from particles between its vertices.
//
// Counts. The count of a cut falls in steps as the spacing grows (whole levels, whole columns), so bisection on the
// spacing finds the step nearest to the target; where that misses by more than 4 % the constraints that make
// the steps coarse are let go one by one: equal spacing of levels and columns first, then columns in eights.

#define AUTO_PARTICLES_CLOTH 300.0
#define AUTO_PARTICLES_SOFT 200.0
#define FEWEST 3.5 // particles along a part
#define HANDFUL 6

// -- Particles

static void* grow_to(hemc_arena* arena, void* items, uint32_t old_count, uint32_t capacity, size_t size) {
    void* bigger = hemc_alloc(arena, capacity, size);
    if (old_count > 0) {
        memcpy(bigger, items, old_count * size);
    }
    return bigger;
}

void hemc_particles_reserve(hemc_arena* arena, hemc_particles* p, uint32_t count) {
    if (count <= p->capacity) {
        return;
    }
    uint32_t capacity = p->capacity < 32 ? 64 : p->capacity > UINT32_MAX / 4 ? count : 2 * p->capacity;
    capacity = capacity < count ? count : capacity;
    p->positions = grow_to(arena, p->positions, p->count, capacity, sizeof *p->positions);
    p->normals = grow_to(arena, p->normals, p->count, capacity, sizeof *p->normals);
    p->level = grow_to(arena, p->level, p->count, capacity, sizeof *p->level);
    p->column = grow_to(arena, p->column, p->count, capacity, sizeof *p->column);
    p->flags = grow_to(arena, p->flags, p->count, capacity, sizeof *p->flags);
    p->border = grow_to(arena, p->border, p->count, capacity, sizeof *p->border);
    p->rotation = grow_to(arena, p->rotation, p->count, capacity, sizeof *p->rotation);
    p->radii = grow_to(arena, p->radii, p->count, capacity, sizeof *p->radii);
    p->mass = grow_to(arena, p->mass, p->count, capacity, sizeof *p->mass);
    p->area = grow_to(arena, p->area, p->count, capacity, sizeof *p->area);
    p->stiffness = grow_to(arena, p->stiffness, p->count, capacity, sizeof *p->stiffness);
    p->max_distance = grow_to(arena, p->max_distance, p->count, capacity, sizeof *p->max_distance);
    p->backstop = grow_to(arena, p->backstop, p->count, capacity, sizeof *p->backstop);
    p->drive = grow_to(arena, p->drive, p->count, capacity, sizeof *p->drive);
    p->maps = grow_to(arena, p->maps, p->count, capacity, sizeof *p->maps);
    p->capacity = capacity;
}

uint32_t hemc_particles_add(hemc_arena* arena, hemc_particles* p, hemc_d3 position, hemc_d3 normal, int32_t level,
                            int32_t column) {
    hemc_particles_reserve(arena, p, p->count + 1);
    uint32_t i = p->count++;
    p->positions[i] = d3_to(position);
    p->normals[i] = d3_to(normal);
    p->level[i] = level;
    p->column[i] = column;
    p->flags[i] = 0;
    p->border[i] = 0;
    p->area[i] = 0;
    p->rotation[i][3] = 1.0f;
    p->stiffness[i] = 1.0f;
    p->max_distance[i] = -1.0f;
    p->backstop[i] = -1.0f;
    p->drive[i] = -1.0f;
    for (int k = 0; k < HEMC_MAP_COUNT; ++k) {
        p->maps[i][k] = 1.0f;
    }
    return i;
}

void hemc_particles_link(hemc_arena* arena, hemc_particles* p, uint32_t a, uint32_t b, hem_link_kind kind) {
    if (a == b) {
        return;
    }
    p->links = hemc_grow(arena, p->links, &p->link_capacity, p->link_count + 1, sizeof *p->links);
    hemc_link link = {a < b ? a : b, a < b ? b : a, (uint8_t)kind, 0.0f, 1.0f};
    p->links[p->link_count++] = link;
}

hemc_d3 hemc_particles_middle(const hemc_particles* p) {
    hemc_d3 middle = d3(0, 0, 0);
    for (uint32_t i = 0; i < p->count; ++i) {
        middle = d3_madd(middle, d3_from(p->positions[i]), 1.0 / p->count);
    }
    return middle;
}

void hemc_particles_finish(hemc_arena* arena, hemc_particles* p) {
    if (p->link_count == 0) {
        return;
    }
    uint64_t* keys = hemc_alloc(arena, p->link_count, sizeof *keys);
    uint32_t* values = hemc_alloc(arena, p->link_count, sizeof *values);
    hemc_link* sorted = hemc_alloc(arena, p->link_count, sizeof *sorted);
    for (size_t i = 0; i < p->link_count; ++i) {
        keys[i] = (uint64_t)p->links[i].a << 32 | p->links[i].b;
        values[i] = (uint32_t)i;
    }
    hemc_sort(arena, keys, values, p->link_count);
    size_t count = 0;
    for (size_t i = 0; i < p->link_count; ++i) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            sorted[count++] = p->links[values[i]];
        }
    }
    // Number the particles that hold on to something.
    uint32_t* number = hemc_alloc(arena, p->count, sizeof *number);
    for (size_t i = 0; i < count; ++i) {
        number[sorted[i].a] = number[sorted[i].b] = 1;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        if (number[i]) {
            p->positions[kept] = p->positions[i];
            p->normals[kept] = p->normals[i];
            p->level[kept] = p->level[i];
            p->column[kept] = p->column[i];
            p->border[kept] = p->border[i];
            number[i] = kept++;
        }
    }
    p->count = kept;
    for (size_t i = 0; i < count; ++i) {
        sorted[i].a = number[sorted[i].a];
        sorted[i].b = number[sorted[i].b];
    }
    p->links = sorted;
    p->link_count = p->link_capacity = count;
}

hemc_regularity hemc_measure_regularity(hemc_arena* arena, const hemc_particles* p) {
    hemc_regularity r = {0, 0};
    uint32_t* neighbours = hemc_alloc(arena, (size_t)p->count + 1, sizeof *neighbours);
    for (size_t k = 0; k < p->link_count; ++k) { // pairs are distinct after hemc_particles_finish
        ++neighbours[p->links[k].a];
        ++neighbours[p->links[k].b];
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        if (!p->border[i] && p->level[i] > 0 && p->level[i] + 1 < (int32_t)p->level_count) {
            ++r.inner;
            r.regular += neighbours[i] == 4;
        }
    }
    return r;
}

hem_link_kind hemc_link_direction(hemc_d3 a, hemc_d3 b, hemc_d3 axis) {
    hemc_d3 d = d3_sub(b, a);
    double along = d3_dot(d, axis);
    return along * along >= 0.5 * d3_dot(d, d) ? HEM_LINK_WARP : HEM_LINK_WEFT;
}

// -- Running a generator

static void run(hemc_gen* gen, hemc_particles* particles) {
    memset(particles, 0, sizeof *particles);
    switch (gen->part->generator) {
    case HEMC_CUT:
        hemc_gen_cut(gen, particles);
        break;
    case HEMC_SCATTER:
        hemc_gen_scatter(gen, particles);
        break;
    case HEMC_STRANDS:
        hemc_gen_strands(gen, particles);
        break;
    case HEMC_VERTICES:
        hemc_gen_vertices(gen, particles);
        break;
    case HEMC_LATTICE:
        hemc_gen_lattice(gen, particles);
        break;
    }
    particles->spacing = (float)gen->spacing;
}

// Counts only, in memory that is given back. When that memory ends, the failure is passed on to the compile's arena.
static uint32_t run_count(hemc_gen* gen) {
    hemc_arena* home = gen->arena;
    hemc_arena* scratch = hemc_arena_create();
    if (scratch == NULL || setjmp(*hemc_arena_guard(scratch)) != 0) {
        hemc_arena_destroy(scratch);
        gen->arena = home;
        hemc_alloc(home, SIZE_MAX, 2);
        return 0;
    }
    hemc_particles particles;
    gen->arena = scratch;
    run(gen, &particles);
    gen->arena = home;
    hemc_arena_destroy(scratch);
    return particles.count;
}

typedef struct trial {
    double spacing, level_scale, error;
    uint32_t multiple;
} trial;

static void try_spacing(hemc_gen* gen, uint32_t target, double spacing, trial* best, uint32_t* count) {
    gen->spacing = spacing;
    *count = run_count(gen);
    double error = fabs((double)*count - target) / target;
    if (best->error < 0.0 || error < best->error - 1e-9) {
        trial t = {spacing, gen->level_scale, error, gen->column_multiple};
        *best = t;
    }
}

static void bisect(hemc_gen* gen, uint32_t target, double guess, trial* best) {
    double low = guess, high = guess; // spacing: low makes too many, high too few
    uint32_t count;
    try_spacing(gen, target, guess, best, &count);
    for (int i = 0; i < 12 && count < target; ++i) {
        high = low;
        low *= 0.75;
        try_spacing(gen, target, low, best, &count);
    }
    if (low == guess) {
        for (int i = 0; i < 12 && count >= target; ++i) {
            low = high;
            high /= 0.75;
            try_spacing(gen, target, high, best, &count);
        }
    }
    for (int i = 0; i < 12 && best->error > 0.01; ++i) {
        double middle = 0.5 * (low + high);
        try_spacing(gen, target, middle, best, &count);
        if (count >= target) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

static void meet_target(hemc_gen* gen, uint32_t target, double guess) {
    static const double scales[] = {1.0, 0.9, 1.1, 0.8, 1.2};
    trial best = {guess, 1.0, -1.0, gen->column_multiple};
    bisect(gen, target, guess, &best);
    if (gen->part->generator == HEMC_CUT) {
        // Levels a little closer or farther apart cost less than columns that do not fill the lanes.
        for (int i = 1; i < 10 && best.error > 0.04; ++i) {
            gen->column_multiple = i < 5 ? HEM_LANES : 1;
            gen->level_scale = scales[i % 5];
            bisect(gen, target, best.spacing, &best);
        }
    }
    gen->spacing = best.spacing;
    gen->level_scale = best.level_scale;
    gen->column_multiple = best.multiple;
}

static double surface_volume(const hemc_surface* surface) {
    double six = 0.0;
    hemc_d3 origin = hemc_corner(surface, 0, 0);
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        hemc_d3 a = d3_sub(hemc_corner(surface, t, 0), origin);
        six +=
            d3_dot(a, d3_cross(d3_sub(hemc_corner(surface, t, 1), origin), d3_sub(hemc_corner(surface, t, 2), origin)));
    }
    return fabs(six) / 6.0;
}

static double mean_side(const hemc_surface* surface) {
    double sum = 0.0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        for (int e = 0; e < 3; ++e) {
            sum += d3_distance(hemc_corner(surface, t, e), hemc_corner(surface, t, (e + 1) % 3));
        }
    }
    return sum / (3.0 * surface->triangle_count);
}

static double automatic_spacing(const hemc_part_recipe* part, const hemc_surface* surface, double area) {
    if (part->generator == HEMC_SCATTER && part->volume) {
        double h = hemc_cube_root(surface_volume(surface) / AUTO_PARTICLES_SOFT);
        if (h > 0.1 * sqrt(area / AUTO_PARTICLES_SOFT)) { // flat things have no volume to fill
            return h;
        }
    }
    double wanted = part->generator == HEMC_CUT ? AUTO_PARTICLES_CLOTH : AUTO_PARTICLES_SOFT;
    double h = sqrt(area / wanted), minimum = 0.5 * mean_side(surface);
    return h > minimum ? h : minimum;
}

// With fewer than FEWEST along its length it is a board, not cloth; nobody means that.
static void doubt_spacing(hemc_log* log, const char* file, const hemc_part_recipe* part, const hemc_surface* surface) {
    double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30};
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        const double x[3] = {surface->positions[v].x, surface->positions[v].y, surface->positions[v].z};
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], x[k]);
            high[k] = fmax(high[k], x[k]);
        }
    }
    const double length = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    const bool spaced = part->generator == HEMC_CUT || part->generator == HEMC_SCATTER;
    if (spaced && part->particle_target != 0 &&
        sqrt(hemc_surface_area(surface) / part->particle_target) * FEWEST > length) {
        hemc_warn(log, file, part->json_path,
                  "part \"%s\" is %d mm long, and %u \"particles\" are too few to bend: try 200", part->name,
                  (int)(length * 1000), part->particle_target);
    }
    if (spaced && (double)part->spacing * FEWEST > length) {
        hemc_warn(
            log, file, part->json_path,
            "part \"%s\" is %d mm long, and a \"spacing\" of %d mm leaves it too few particles to bend: try %d mm",
            part->name, (int)(length * 1000), (int)((double)part->spacing * 1000), (int)(length * 1000 / 15) + 1);
    }
}

bool hemc_generate(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_part_recipe* part,
                   const hemc_surface* surface, hemc_particles* particles) {
    const char* file = hemc_part_file(part, model);
    memset(particles, 0, sizeof *particles);
    if (surface->triangle_count == 0) {
        return hemc_error(log, HEMC_INPUT, file, part->json_path,
                          "part \"%s\" selects no triangles with area: change its \"select\"", part->name);
    }
    double area = hemc_surface_area(surface);
    if (!(area > 0.0)) {
        return hemc_error(log, HEMC_INPUT, file, part->json_path, "the triangles of part \"%s\" have no area",
                          part->name);
    }
    hemc_gen gen;
    memset(&gen, 0, sizeof gen);
    gen.arena = arena;
    gen.model = model;
    gen.part = part;
    gen.surface = surface;
    gen.level_scale = 1.0;
    gen.column_multiple = HEM_LANES;
    gen.spacing = part->spacing > 0.0f ? part->spacing : automatic_spacing(part, surface, area);
    uint32_t target = part->particle_target;
    if (target > HEM_MAX_PARTICLES) {
        return hemc_error(log, HEMC_INPUT, file, part->json_path,
                          "part \"%s\" asks for %u particles; an asset holds at most %d", part->name, target,
                          HEM_MAX_PARTICLES);
    }
    bool by_spacing = part->generator == HEMC_CUT || (part->generator == HEMC_SCATTER && !part->volume);
    if (target == 0 && by_spacing && area / (gen.spacing * gen.spacing) > 2.0 * HEM_MAX_PARTICLES) {
        double minimum = sqrt(area / HEM_MAX_PARTICLES) * 1000.0;
        return hemc_error(log, HEMC_INPUT, file, part->json_path,
                          "\"spacing\" of part \"%s\" is too small for its size: give %d mm or more", part->name,
                          (int)minimum + 1);
    }
    hemc_bvh bvh; // once for all trials of a spacing
    hemc_survey survey;
    if (part->generator == HEMC_CUT) {
        hemc_bvh_build(arena, &bvh, surface->positions, surface->triangles, NULL, surface->triangle_count);
        hemc_survey_make(arena, surface, hemc_cut_axis(part, surface), &survey);
        gen.bvh = &bvh;
        gen.survey = &survey;
    }
    if (target > 0 && (part->generator == HEMC_CUT || part->generator == HEMC_SCATTER)) {
        gen.point_target = target;
        if (part->generator == HEMC_CUT) {
            meet_target(&gen, target, sqrt(area / target));
        }
    }
    run(&gen, particles);
    // A part smaller than its spacing still gets a handful, so that it can bend at all.
    for (int i = 0; i < 8 && part->generator == HEMC_CUT && target == 0 && particles->count < HANDFUL; ++i) {
        gen.spacing *= 0.7;
        run(&gen, particles);
    }
    if (particles->count == 0 && part->chain_count > 0) {
        return hemc_error(log, HEMC_INPUT, file, part->json_path,
                          "\"chains\" of part \"%s\" names no bone that its triangles follow", part->name);
    }
    if (particles->count == 0 && part->generator == HEMC_LATTICE) {
        return hemc_error(
            log, HEMC_INPUT, file, part->json_path,
            "\"spacing\" of part \"%s\" is too small for its size: a lattice has at most %d cells along an "
            "axis, and its box 16 million",
            part->name, HEM_MAX_LATTICE_SIZE - 1);
    }
    if (particles->count == 0) {
        return hemc_error(log, HEMC_INPUT, file, part->json_path, "no particles could be placed on part \"%s\"",
                          part->name);
    }
    if (particles->count > HEM_MAX_PARTICLES) {
        return hemc_error(log, HEMC_INPUT, file, part->json_path,
                          "part \"%s\" makes %u particles; an asset holds at most %d: give a larger \"spacing\"",
                          part->name, particles->count, HEM_MAX_PARTICLES);
    }
    if (target > 0 && fabs((double)particles->count - target) > 0.05 * target) {
        hemc_warn(log, file, part->json_path, "part \"%s\": %u particles instead of the %u asked for", part->name,
                  particles->count, target);
    }
    doubt_spacing(log, file, part, surface);
    particles->radius = part->radius > 0.0f ? part->radius : 0.5f * particles->spacing;
    return true;
}
