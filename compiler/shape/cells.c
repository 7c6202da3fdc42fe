// SPDX-License-Identifier: MIT
#include "compiler/shape/cells.h"

#include <string.h>

// Particles and vertices of a lattice: what it weighs, where it begins, which cell a vertex lies in.

// Each cell gives an eighth of its volume to each corner, so that the sum is what the surface encloses if it is closed.
void hemc_lattice_masses(const hemc_lattice* l, double volume, uint32_t count, double* share) {
    memset(share, 0, count * sizeof(*share));
    for (uint32_t c = 0; c < l->cell_count; ++c) {
        for (int k = 0; k < 8; ++k) {
            share[l->corners[c][k]] += volume / (8.0 * l->cell_count);
        }
    }
}

static double least_side(const hemc_lattice* l) {
    const double s = l->spacing[0] < l->spacing[1] ? l->spacing[0] : l->spacing[1];
    return s < l->spacing[2] ? s : l->spacing[2];
}

static void set_radius(hemc_particles* p, uint32_t i, double radius) {
    p->radii[i][0] = p->radii[i][1] = p->radii[i][2] = (float)radius;
}

// Against other particles: as thick as the body is there, and wide enough to leave no holes between neighbours. Balls that
// end at the surface would let the limbs of others in between them. (Colliders ask for the thickness alone.)
static const double PLATE = 0.9; // of a side

static void face_surface(hemc_particles* p, uint32_t i, hemc_d3 out, double wide) {
    const hemc_d3 axis = d3_unit(out, d3(0, 1, 0));
    const hemc_d3 aside = d3_unit(d3_cross(axis, fabs(axis.x) < 0.6 ? d3(1, 0, 0) : d3(0, 0, 1)), d3(0, 0, 1));
    hemc_quat_from_axes(axis, aside, d3_cross(axis, aside), p->rotation[i]);
    p->radii[i][1] = p->radii[i][2] = (float)wide;
}

// How particles meet things: see hemc_lattice_meets. `painted`: per particle, of HEMC_MEETS_PAINTED.
void hemc_lattice_roles(hemc_arena* arena, hemc_log* log, const char* file, const hemc_part_recipe* part,
                        const hemc_surface* surface, const double* painted, hemc_particles* p) {
    const hemc_lattice* l = p->lattice;
    const double side = least_side(l);
    const double away = 4 * fmax((double)l->spacing[0], fmax((double)l->spacing[1], (double)l->spacing[2]));
    uint8_t* cells = hemc_alloc(arena, p->count, 1); // that a particle is a corner of
    for (uint32_t c = 0; c < l->cell_count; ++c) {
        for (int k = 0; k < 8; ++k) {
            ++cells[l->corners[c][k]];
        }
    }
    hemc_lattice_meets meets = part->lattice.meets;
    uint32_t whole = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        whole += cells[i] == 8;
    }
    if (meets == HEMC_MEETS_TRIMMED && whole == 0) {
        hemc_warn(
            log, file, part->json_path,
            "no particle of part \"%s\" has all its neighbours, so that \"trimmed\" would leave none to collide: all "
            "do. Give a smaller \"spacing\", or \"collision\": \"fitted\"",
            part->name);
        meets = HEMC_MEETS_ALL;
    }
    const bool closed = hemc_surface_is_closed(surface);
    hemc_bvh bvh;
    hemc_bvh_build(arena, &bvh, surface->positions, surface->triangles, NULL, surface->triangle_count);
    for (uint32_t i = 0; i < p->count; ++i) {
        const hemc_d3 at = d3_from(p->positions[i]);
        bool collides = true;
        hemc_d3 nearest = at;
        double radius = part->radius > 0 ? part->radius : 0.5 * side;
        if (meets == HEMC_MEETS_FITTED) {
            double distance = 0;
            hemc_bvh_nearest(&bvh, at, 1e30, &distance, &nearest, NULL);
            collides = closed && hemc_bvh_inside(&bvh, at);
            radius = fmin(fmax(distance, 0.02 * side), side);
        } else if (meets != HEMC_MEETS_ALL) {
            collides = meets == HEMC_MEETS_TRIMMED ? cells[i] == 8 : painted[i] > 0.5;
            radius = collides ? radius : away;
        }
        set_radius(p, i, radius);
        if (collides && meets == HEMC_MEETS_FITTED && part->self_collision) {
            face_surface(p, i, d3_sub(nearest, at), fmax(radius, PLATE * side));
        }
        p->flags[i] = (uint8_t)((p->flags[i] & ~HEM_PARTICLE_COLLIDES) | (collides ? HEM_PARTICLE_COLLIDES : 0));
    }
}

// -- Vertices

void hemc_cell_table_make(hemc_arena* arena, const hemc_lattice* l, hemc_cell_table* table) {
    table->lattice = l;
    table->size[0] = l->size[0] - 1;
    table->size[1] = l->size[1] - 1;
    table->size[2] = l->size[2] - 1;
    const size_t total = (size_t)table->size[0] * table->size[1] * table->size[2];
    table->cell = hemc_alloc(arena, total, sizeof(int32_t));
    memset(table->cell, 0xff, total * sizeof(int32_t));
    for (uint32_t c = 0; c < l->cell_count; ++c) {
        const int32_t* i = l->cells[c];
        table->cell[((size_t)i[2] * table->size[1] + (size_t)i[1]) * table->size[0] + (size_t)i[0]] = (int32_t)c;
    }
}

static int32_t cell_of(const hemc_cell_table* t, const int32_t at[3]) {
    for (int a = 0; a < 3; ++a) {
        if (at[a] < 0 || at[a] >= (int32_t)t->size[a]) {
            return HEM_NONE;
        }
    }
    return t->cell[((size_t)at[2] * t->size[1] + (size_t)at[1]) * t->size[0] + (size_t)at[0]];
}

// The cell that the point lies in, else the one whose middle is nearest; `at` is the place in it, beyond 0..1 outside of it.
uint32_t hemc_find_cell(const hemc_cell_table* table, hemc_d3 point, double at[3]) {
    const hemc_lattice* l = table->lattice;
    const double x[3] = {(point.x - (double)l->origin[0]) / (double)l->spacing[0],
                         (point.y - (double)l->origin[1]) / (double)l->spacing[1],
                         (point.z - (double)l->origin[2]) / (double)l->spacing[2]};
    int32_t base[3], best = HEM_NONE;
    for (int a = 0; a < 3; ++a) {
        base[a] = (int32_t)floor(x[a]);
        base[a] = base[a] < 0 ? 0 : base[a] >= (int32_t)table->size[a] ? (int32_t)table->size[a] - 1 : base[a];
    }
    best = cell_of(table, base);
    double least = 1e300;
    for (uint32_t c = 0; best == HEM_NONE && c < l->cell_count; ++c) {
        double square = 0;
        for (int a = 0; a < 3; ++a) {
            square += (x[a] - l->cells[c][a] - 0.5) * (x[a] - l->cells[c][a] - 0.5);
        }
        if (square < least) {
            least = square;
            base[0] = (int32_t)c; // the best so far
        }
    }
    best = best == HEM_NONE ? base[0] : best;
    for (int a = 0; a < 3; ++a) {
        at[a] = fmin(fmax(x[a] - l->cells[best][a], -3.5), 4.5);
    }
    return (uint32_t)best;
}

void hemc_cell_weights(const double at[3], double weights[8]) {
    for (int k = 0; k < 8; ++k) {
        weights[k] = (k & 1 ? at[0] : 1 - at[0]) * (k & 2 ? at[1] : 1 - at[1]) * (k & 4 ? at[2] : 1 - at[2]);
    }
}

void hemc_bind_cells(hemc_arena* arena, const hemc_model* model, const int32_t* vertex_part, uint32_t part,
                     hemc_mesh* mesh) {
    hemc_skinning* skin = &mesh->skinning;
    const hemc_lattice* l = mesh->part_lattices[part];
    if (skin->vertex_cell == NULL) {
        skin->vertex_cell = hemc_alloc(arena, model->vertex_count, sizeof(int32_t));
        skin->vertex_at = hemc_alloc(arena, model->vertex_count, sizeof(*skin->vertex_at));
        memset(skin->vertex_cell, 0xff, model->vertex_count * sizeof(int32_t));
    }
    hemc_cell_table table;
    hemc_cell_table_make(arena, l, &table);
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        if (vertex_part[v] != (int32_t)part) {
            continue;
        }
        double at[3], weights[8];
        const uint32_t cell = hemc_find_cell(&table, d3_from(model->positions[v]), at);
        hemc_cell_weights(at, weights);
        skin->vertex_cell[v] = (int32_t)cell;
        // The four largest, for whoever skins by matrices.
        bool taken[8] = {false};
        double sum = 0, kept[4];
        for (int k = 0; k < 4; ++k) {
            int best = -1;
            for (int c = 0; c < 8; ++c) {
                best = !taken[c] && (best < 0 || weights[c] > weights[best]) ? c : best;
            }
            taken[best] = true;
            kept[k] = fmax(weights[best], 0);
            sum += kept[k];
            skin->vertex_particle[v][k] = (uint16_t)(mesh->part_begin[part] + l->corners[cell][best]);
        }
        for (int k = 0; k < 4; ++k) {
            skin->vertex_weight[v][k] = (float)(kept[k] / sum);
        }
        for (int a = 0; a < 3; ++a) {
            skin->vertex_at[v][a] = (float)at[a];
        }
    }
}
