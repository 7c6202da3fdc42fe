// SPDX-License-Identifier: MIT
// Fracture of lattices (Sullivan, 3.5): neighbouring cells that are too far from each other, or turned too far against each
// other, part. The four particles of their face split; cells on either side of its plane keep their own copy.
//
// Masses go by cells: a particle has an eighth of each cell that it is a corner of, so copies share it without a rest, and
// since they begin with its velocity a tear changes no momentum. What is attached to the pose does not split.
//
// Regions are sums along bars (kernels/regions.inl), and any bars will do: the sums stay symmetric, so momentum is kept.
// After a tear a particle may have two neighbours along an axis, one on either side of a crack that ends beside it. It can
// have one of them in its bar. It is the one with fewer cells, which needs it more, and none is left without any.

#include "runtime/src/step.h"
#include "runtime/src/tear.h"

void hemi_layout_torn(hemi_carve* c, const hem_view* view, hemi_instance* instance) {
    const hem_info* info = view->info;
    hemi_torn spare = {0};
    hemi_torn* t = hemi_take(c, 1, sizeof(hemi_torn));
    instance->torn = t;
    t = t ? t : &spare;
    uint32_t particles = 0, vertices = 0;
    for (uint32_t i = 0; i < view->lattice_count; ++i) {
        const hem_lattice* l = &view->lattices[i];
        particles += l->particle_count + l->spare_count;
        vertices += l->torn_vertices;
    }
    t->vertex_capacity = vertices;
    t->rest = hemi_take(c, info->row_count, sizeof(hem_rest_row));
    t->shape = hemi_take(c, info->row_count, sizeof(hem_shape_row));
    t->bind = hemi_take(c, info->row_count, sizeof(hem_bind_row));
    t->flags = hemi_take(c, info->particle_count, sizeof(uint32_t));
    t->area = hemi_take(c, view->area_row_count, sizeof(hem_area_row));
    t->map = hemi_take(c, view->map_row_count, sizeof(hem_map_row));
    t->drives = hemi_take(c, view->drive_row_count, sizeof(hem_drive_row));
    t->lattices = hemi_take(c, view->lattice_count, sizeof(hem_lattice));
    t->cells = hemi_take(c, view->lattice_cell_count, sizeof(hem_lattice_cell));
    t->bars = hemi_take(c, 3 * (size_t)particles, sizeof(hem_lattice_bar));
    t->order = hemi_take(c, 3 * (size_t)particles, sizeof(uint32_t));
    t->cell_of = hemi_take(c, info->particle_count, sizeof(*t->cell_of));
    t->face_of = hemi_take(c, view->lattice_cell_count, sizeof(*t->face_of));
    t->cell_counts = hemi_take(c, info->particle_count, 1);
    for (int axis = 0; axis < 3; ++axis) {
        t->next[axis] = hemi_take(c, info->particle_count, sizeof(uint16_t));
        t->prev[axis] = hemi_take(c, info->particle_count, sizeof(uint16_t));
    }
    t->piece = hemi_take(c, info->particle_count, sizeof(uint16_t));
    t->open = hemi_take(c, view->tear_face_count, 1);
    t->vertex_rest = hemi_take(c, vertices, sizeof(hem_vertex_rest));
    t->vertex_bind = hemi_take(c, vertices, sizeof(hem_vertex_bind));
    t->vertex_cells = hemi_take(c, vertices, sizeof(hem_vertex_cell));
    t->torn_vertices = hemi_take(c, vertices, sizeof(hem_torn_vertex));
    t->same_point = hemi_take(c, vertices, sizeof(uint32_t));
    t->at_point = hemi_take(c, view->tear_point_count, sizeof(uint32_t));
    t->indices = hemi_take(c, view->tear_triangle_count, 3 * sizeof(uint32_t));
    t->cap_indices = hemi_take(c, view->tear_cap_count, 6 * sizeof(uint32_t));
}

// -- The instance's own view

void hemi_torn_begin(const hem_view* asset, hemi_instance* instance) {
    hemi_torn* t = instance->torn;
    t->view = *asset;
    t->view.rest_rows = t->rest;
    t->view.shape_rows = t->shape;
    t->view.bind_rows = t->bind;
    t->view.particle_flags = t->flags;
    t->view.area_rows = asset->area_rows ? t->area : NULL;
    t->view.map_rows = asset->map_rows ? t->map : NULL;
    t->view.drive_rows = asset->drive_rows ? t->drives : NULL;
    t->view.lattices = t->lattices;
    t->view.lattice_cells = t->cells;
    t->view.lattice_bars = t->bars;
    t->view.lattice_order = t->order;
    instance->view = &t->view;
    memset(t->cell_of, 0xff, asset->info->particle_count * sizeof(*t->cell_of));
    memset(t->face_of, 0xff, asset->lattice_cell_count * sizeof(*t->face_of));
    for (uint32_t c = 0; c < asset->lattice_cell_count; ++c) {
        for (uint32_t k = 0; k < 8; ++k) {
            t->cell_of[asset->lattice_cells[c].corner[k]][k] = (uint16_t)c;
        }
    }
    for (uint32_t f = 0; f < asset->tear_face_count; ++f) {
        t->face_of[asset->tear_faces[f].cell[0]][asset->tear_faces[f].axis] = (int32_t)f;
    }
    hemi_mend(asset, instance);
}

void hemi_mend(const hem_view* asset, hemi_instance* instance) {
    for (uint32_t c = 0; c < asset->lattice_cell_count; ++c) {
        memcpy(instance->corners[c], asset->lattice_cells[c].corner, sizeof(hemi_corners));
    }
    memset(instance->homes, 0xff, asset->info->particle_count * sizeof(uint16_t));
    hemi_torn_derive(asset, instance);
}

static uint32_t home_of(const hemi_instance* instance, uint32_t particle) {
    const uint16_t home = instance->homes[particle];
    return home == HEMI_NO_PARTICLE ? particle : home;
}

static int same_everywhere(const hemi_corners* corners, const hem_tear_face* f) {
    const uint32_t bit = 1u << f->axis;
    for (uint32_t k = 0; k < 8; ++k) {
        if ((k & bit) && corners[f->cell[0]][k] != corners[f->cell[1]][k & ~bit]) {
            return 0;
        }
    }
    return 1;
}

// What a copy has of its home, and what both have left of the mass.
static void share_particle(const hem_view* asset, hemi_instance* instance, uint32_t p, uint32_t home, float share) {
    hemi_torn* t = instance->torn;
    const uint32_t row = p >> 3, k = p & 7, from = home >> 3, h = home & 7;
    const hem_rest_row* rest = &asset->rest_rows[from];
    const hem_shape_row* shape = &asset->shape_rows[from];
    t->rest[row].x[k] = rest->x[h];
    t->rest[row].y[k] = rest->y[h];
    t->rest[row].z[k] = rest->z[h];
    t->rest[row].mass[k] = rest->mass[h] * share;
    t->shape[row].qx[k] = shape->qx[h];
    t->shape[row].qy[k] = shape->qy[h];
    t->shape[row].qz[k] = shape->qz[h];
    t->shape[row].qw[k] = shape->qw[h];
    t->shape[row].a[k] = shape->a[h];
    t->shape[row].b[k] = shape->b[h];
    t->shape[row].c[k] = shape->c[h];
    t->shape[row].inverse_mass[k] = shape->inverse_mass[h] / share;
    t->flags[p] = asset->particle_flags[home];
    for (int i = 0; i < 4; ++i) {
        t->bind[row].bone[i][k] = asset->bind_rows[from].bone[i][h];
        t->bind[row].weight[i][k] = asset->bind_rows[from].weight[i][h];
    }
    if (t->view.area_rows) {
        t->area[row].area[k] = asset->area_rows[from].area[h] * share;
    }
    if (t->view.map_rows) {
        const hem_map_row* map = &asset->map_rows[from];
        t->map[row].friction[k] = map->friction[h];
        t->map[row].drag[k] = map->drag[h];
        t->map[row].damping[k] = map->damping[h];
        t->map[row].contact[k] = map->contact[h];
    }
}

static void derive_particles(const hem_view* asset, hemi_instance* instance) {
    hemi_torn* t = instance->torn;
    const hem_info* info = asset->info;
    memcpy(t->rest, asset->rest_rows, info->row_count * sizeof(hem_rest_row));
    memcpy(t->shape, asset->shape_rows, info->row_count * sizeof(hem_shape_row));
    memcpy(t->bind, asset->bind_rows, info->row_count * sizeof(hem_bind_row));
    memcpy(t->flags, asset->particle_flags, info->particle_count * sizeof(uint32_t));
    memcpy(t->lattices, asset->lattices, asset->lattice_count * sizeof(hem_lattice));
    memcpy(t->cells, asset->lattice_cells, asset->lattice_cell_count * sizeof(hem_lattice_cell));
    if (asset->area_rows) {
        memcpy(t->area, asset->area_rows, asset->area_row_count * sizeof(hem_area_row));
    }
    if (asset->map_rows) {
        memcpy(t->map, asset->map_rows, asset->map_row_count * sizeof(hem_map_row));
    }
    if (asset->drive_rows) {
        memcpy(t->drives, asset->drive_rows, asset->drive_row_count * sizeof(hem_drive_row));
    }
    memset(t->cell_counts, 0, info->particle_count);
    for (uint32_t c = 0; c < asset->lattice_cell_count; ++c) {
        memcpy(t->cells[c].corner, instance->corners[c], sizeof(hemi_corners));
        for (uint32_t k = 0; k < 8; ++k) {
            ++t->cell_counts[instance->corners[c][k]];
        }
    }
    t->spare_used = 0;
    for (uint32_t p = 0; p < info->particle_count; ++p) {
        const uint32_t home = home_of(instance, p);
        t->spare_used += home != p;
        uint32_t all = 0;
        for (uint32_t k = 0; t->cell_counts[p] && k < 8; ++k) {
            all += t->cell_of[home][k] != HEMI_NO_PARTICLE;
        }
        if (home != p || t->cell_counts[p] != all) {
            share_particle(asset, instance, p, home, (float)t->cell_counts[p] / (float)all);
        }
    }
}

// -- Bars

static uint32_t ways(const hemi_instance* instance, uint32_t p, uint32_t axis, int forward) {
    const hemi_torn* t = instance->torn;
    const uint32_t home = home_of(instance, p), bit = 1u << axis;
    uint32_t found = 0, first = HEMI_NO_PARTICLE;
    for (uint32_t k = 0; k < 8; ++k) {
        const uint32_t cell = t->cell_of[home][k];
        if (cell == HEMI_NO_PARTICLE || instance->corners[cell][k] != p || ((k & bit) == 0) != forward) {
            continue;
        }
        const uint32_t other = instance->corners[cell][k ^ bit];
        found = found == 0 ? 1 : other != first ? 2 : found;
        first = found == 1 ? other : first;
    }
    return found;
}

static void join(hemi_torn* t, uint32_t axis, uint32_t p, uint32_t q) {
    t->next[axis][p] = (uint16_t)q;
    t->prev[axis][q] = (uint16_t)p;
}

static uint32_t link_count(const hemi_torn* t, uint32_t p) {
    uint32_t count = 0;
    for (int axis = 0; axis < 3; ++axis) {
        count += (t->next[axis][p] != HEMI_NO_PARTICLE) + (t->prev[axis][p] != HEMI_NO_PARTICLE);
    }
    return count;
}

// Who has no choice first; then by the number of cells, the fewest first.
static void join_cells(hemi_instance* instance, const hem_lattice* l, uint32_t axis, int contested) {
    hemi_torn* t = instance->torn;
    const uint32_t bit = 1u << axis;
    for (uint32_t least = contested ? 2 : 0; least <= (contested ? 16u : 0u); ++least) {
        for (uint32_t c = l->cell_begin; c < l->cell_begin + l->cell_count; ++c) {
            for (uint32_t k = 0; k < 8; ++k) {
                const uint32_t p = instance->corners[c][k], q = instance->corners[c][k | bit];
                if ((k & bit) || t->next[axis][p] != HEMI_NO_PARTICLE || t->prev[axis][q] != HEMI_NO_PARTICLE) {
                    continue;
                }
                const int only = ways(instance, p, axis, 1) == 1 && ways(instance, q, axis, 0) == 1;
                if (contested ? (uint32_t)t->cell_counts[p] + t->cell_counts[q] <= least : only) {
                    join(t, axis, p, q);
                }
            }
        }
    }
}

// A particle that is in nobody's bar takes the place of one that has others.
static void hold_loose(hemi_instance* instance, const hem_lattice* l) {
    hemi_torn* t = instance->torn;
    for (uint32_t c = l->cell_begin; c < l->cell_begin + l->cell_count; ++c) {
        for (uint32_t k = 0; k < 8; ++k) {
            const uint32_t p = instance->corners[c][k];
            for (uint32_t axis = 0; axis < 3 && link_count(t, p) == 0; ++axis) {
                const uint32_t q = instance->corners[c][k ^ (1u << axis)];
                const int forward = !(k >> axis & 1u);
                uint16_t* slot = forward ? &t->prev[axis][q] : &t->next[axis][q];
                const uint32_t had = *slot;
                if (had != HEMI_NO_PARTICLE && link_count(t, had) > 1) {
                    *(forward ? &t->next[axis][had] : &t->prev[axis][had]) = HEMI_NO_PARTICLE;
                    *slot = HEMI_NO_PARTICLE;
                }
                if (*slot == HEMI_NO_PARTICLE) {
                    join(t, axis, forward ? p : q, forward ? q : p);
                }
            }
        }
    }
}

static void derive_bars(hemi_instance* instance) {
    hemi_torn* t = instance->torn;
    uint32_t bar = 0, placed = 0;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        memset(t->next[axis], 0xff, t->view.info->particle_count * sizeof(uint16_t));
        memset(t->prev[axis], 0xff, t->view.info->particle_count * sizeof(uint16_t));
    }
    for (uint32_t i = 0; i < t->view.lattice_count; ++i) {
        hem_lattice* l = &t->lattices[i];
        const hem_part* part = &t->view.parts[l->part];
        for (uint32_t axis = 0; axis < 3; ++axis) {
            join_cells(instance, l, axis, 0);
            if (t->spare_used) {
                join_cells(instance, l, axis, 1);
            }
        }
        if (t->spare_used) {
            hold_loose(instance, l);
        }
        for (uint32_t axis = 0; axis < 3; ++axis) {
            l->bar_begin[axis] = bar;
            for (uint32_t p = part->row_begin * 8; p < (part->row_begin + part->row_count) * 8; ++p) {
                if (!t->cell_counts[p] || t->prev[axis][p] != HEMI_NO_PARTICLE) {
                    continue;
                }
                t->bars[bar] = (hem_lattice_bar){placed, 0};
                for (uint32_t at = p; at != HEMI_NO_PARTICLE; at = t->next[axis][at]) {
                    t->order[placed++] = at;
                    ++t->bars[bar].count;
                }
                ++bar;
            }
            l->bar_count[axis] = bar - l->bar_begin[axis];
        }
    }
    t->view.lattice_bar_count = bar;
    t->view.lattice_order_count = placed;
}

// -- Pieces

static uint32_t piece_of(uint16_t* piece, uint32_t p) {
    while (piece[p] != p) {
        piece[p] = piece[piece[p]];
        p = piece[p];
    }
    return p;
}

// Cells that share a particle are of one piece. The heaviest of a lattice stays where the pose wants it; others are let go.
static void derive_pieces(hemi_instance* instance) {
    hemi_torn* t = instance->torn;
    for (uint32_t p = 0; p < t->view.info->particle_count; ++p) {
        t->piece[p] = (uint16_t)p;
    }
    for (uint32_t c = 0; c < t->view.lattice_cell_count; ++c) {
        for (uint32_t k = 1; k < 8; ++k) {
            const uint32_t a = piece_of(t->piece, instance->corners[c][0]);
            const uint32_t b = piece_of(t->piece, instance->corners[c][k]);
            t->piece[a > b ? a : b] = (uint16_t)(a > b ? b : a);
        }
    }
    for (uint32_t p = 0; p < t->view.info->particle_count; ++p) {
        t->piece[p] = (uint16_t)piece_of(t->piece, p);
    }
    t->piece_count = 0;
    for (uint32_t i = 0; i < t->view.lattice_count; ++i) {
        const hem_part* part = &t->view.parts[t->view.lattices[i].part];
        const uint32_t begin = part->row_begin * 8, end = begin + part->row_count * 8;
        uint32_t heaviest = begin;
        float most = -1.0f;
        for (uint32_t p = begin; p < end; ++p) {
            if (!t->cell_counts[p] || t->piece[p] != p) {
                continue;
            }
            float mass = 0.0f;
            for (uint32_t other = p; other < end; ++other) {
                mass += t->cell_counts[other] && t->piece[other] == p ? t->rest[other >> 3].mass[other & 7] : 0.0f;
            }
            ++t->piece_count;
            heaviest = mass > most ? p : heaviest;
            most = hem_maxf(mass, most);
        }
        const hem_range range = hem_range_of(t->view.ranges, part, HEM_BATCH_DRIVES);
        for (uint32_t p = begin; range.count && p < end; ++p) {
            const uint32_t home = home_of(instance, p);
            const hem_drive_row* from = &t->view.drive_rows[range.begin + (home >> 3) - part->row_begin];
            const int stays = t->cell_counts[p] && t->piece[p] == heaviest;
            if (t->cell_counts[p]) {
                t->drives[range.begin + (p >> 3) - part->row_begin].share[p & 7] = stays ? from->share[home & 7] : 0.0f;
            }
        }
    }
}

void hemi_torn_derive(const hem_view* asset, hemi_instance* instance) {
    hemi_torn* t = instance->torn;
    derive_particles(asset, instance);
    derive_bars(instance);
    derive_pieces(instance);
    t->vertex_need = 0;
    for (uint32_t f = 0; f < asset->tear_face_count; ++f) {
        t->open[f] = !same_everywhere((const hemi_corners*)instance->corners, &asset->tear_faces[f]);
        t->vertex_need += t->open[f] ? asset->tear_faces[f].vertex_count : 0;
    }
    ++t->change_count;
    hemi_draw_torn(instance);
}

// A save: copies are of the particles that the asset has there, each has a cell, and none is lent twice.
int hemi_torn_is_good(const hem_view* asset, const hemi_corners* corners, const uint16_t* homes) {
    uint8_t seen[(HEM_MAX_PARTICLES + 8) / 8] = {0};
    for (uint32_t c = 0; c < asset->lattice_cell_count; ++c) {
        for (uint32_t k = 0; k < 8; ++k) {
            uint16_t p, home;
            memcpy(&p, (const uint8_t*)corners + (c * 8 + k) * sizeof(p), sizeof(p));
            if (p >= asset->info->particle_count) {
                return 0;
            }
            memcpy(&home, (const uint8_t*)homes + p * sizeof(home), sizeof(home));
            const uint16_t whole = asset->lattice_cells[c].corner[k];
            if ((home == HEMI_NO_PARTICLE ? p : home) != whole) {
                return 0;
            }
            seen[p >> 3] |= (uint8_t)(1u << (p & 7));
        }
    }
    for (uint32_t p = 0; p < asset->info->particle_count; ++p) {
        uint16_t home;
        memcpy(&home, (const uint8_t*)homes + p * sizeof(home), sizeof(home));
        const uint32_t part = asset->particle_flags[p] >> HEM_PARTICLE_PART_SHIFT;
        const int spare = (asset->particle_flags[p] & HEM_PARTICLE_SPARE) != 0, used = seen[p >> 3] >> (p & 7) & 1;
        if (home != HEMI_NO_PARTICLE &&
            (!spare || !used || asset->particle_flags[home] >> HEM_PARTICLE_PART_SHIFT != part)) {
            return 0;
        }
        int of_lattice = 0;
        for (uint32_t i = 0; i < asset->lattice_count; ++i) {
            of_lattice |= asset->lattices[i].part == part;
        }
        if (of_lattice && !used && !(asset->particle_flags[p] & HEM_PARTICLE_PAD)) {
            return 0;
        }
    }
    return 1;
}

// -- A tear

static void copy_particle(hemi_instance* instance, uint32_t from, uint32_t to) {
    const uint32_t r0 = from >> 3, k0 = from & 7, r1 = to >> 3, k1 = to & 7;
    hemi_row4 *x = instance->x, *q = instance->q;
    hemi_row3 *v = instance->v, *w = instance->w;
    x[r1].x[k1] = x[r0].x[k0];
    x[r1].y[k1] = x[r0].y[k0];
    x[r1].z[k1] = x[r0].z[k0];
    x[r1].w[k1] = x[r0].w[k0];
    q[r1].x[k1] = q[r0].x[k0];
    q[r1].y[k1] = q[r0].y[k0];
    q[r1].z[k1] = q[r0].z[k0];
    q[r1].w[k1] = q[r0].w[k0];
    v[r1].x[k1] = v[r0].x[k0];
    v[r1].y[k1] = v[r0].y[k0];
    v[r1].z[k1] = v[r0].z[k0];
    w[r1].x[k1] = w[r0].x[k0];
    w[r1].y[k1] = w[r0].y[k0];
    w[r1].z[k1] = w[r0].z[k0];
    instance->caught[to] = instance->caught[from];
    for (int i = 0; i < 3; ++i) {
        instance->anchor[r1].place[i][k1] = instance->anchor[r0].place[i][k0];
    }
}

static void copy_target(hemi_target_row* rows, uint32_t r0, uint32_t k0, uint32_t r1, uint32_t k1) {
    rows[r1].x.x[k1] = rows[r0].x.x[k0];
    rows[r1].x.y[k1] = rows[r0].x.y[k0];
    rows[r1].x.z[k1] = rows[r0].x.z[k0];
    rows[r1].q.x[k1] = rows[r0].q.x[k0];
    rows[r1].q.y[k1] = rows[r0].q.y[k0];
    rows[r1].q.z[k1] = rows[r0].q.z[k0];
    rows[r1].q.w[k1] = rows[r0].q.w[k0];
}

void hemi_copy_targets(hemi_instance* instance) {
    const hem_view* view = instance->view;
    for (uint32_t i = 0; i < view->lattice_count; ++i) {
        const hem_lattice* l = &view->lattices[i];
        const hem_part* part = &view->parts[l->part];
        const hem_range range = hem_range_of(view->ranges, part, HEM_BATCH_DRIVES);
        if (range.count == 0) {
            continue;
        }
        const hem_drive_row* rows = view->drive_rows + range.begin;
        for (uint32_t p = l->spare_begin; p < l->spare_begin + l->spare_count; ++p) {
            const uint32_t home = home_of(instance, p);
            if (home != p) {
                const uint32_t from = rows[(home >> 3) - part->row_begin].anim_row;
                const uint32_t to = rows[(p >> 3) - part->row_begin].anim_row;
                copy_target(instance->target_next, from, home & 7, to, p & 7);
                copy_target(instance->target_prev, from, home & 7, to, p & 7);
            }
        }
    }
}

static int32_t take_spare(const hemi_instance* instance, const hem_lattice* l) {
    for (uint32_t p = l->spare_begin; p < l->spare_begin + l->spare_count; ++p) {
        if (instance->homes[p] == HEMI_NO_PARTICLE) {
            return (int32_t)p;
        }
    }
    return HEM_NONE;
}

// Torn vertices that faces around a corner take which were closed so far, for those of the cells that go to a copy.
static uint32_t newly_open(const hem_view* asset, hemi_instance* instance, uint32_t home) {
    hemi_torn* t = instance->torn;
    uint32_t need = 0;
    for (uint32_t k = 0; k < 8; ++k) {
        const uint32_t cell = t->cell_of[home][k];
        for (int axis = 0; cell != HEMI_NO_PARTICLE && axis < 3; ++axis) {
            const int32_t f = (k >> axis & 1u) ? t->face_of[cell][axis] : HEM_NONE; // to the cell that lies behind home
            if (f != HEM_NONE && !t->open[f] &&
                !same_everywhere((const hemi_corners*)instance->corners, &asset->tear_faces[f])) {
                t->open[f] = 2;
                need += asset->tear_faces[f].vertex_count;
            }
        }
    }
    return need;
}

// Those that were marked for a moment: kept, or closed again.
static void settle_open(hemi_instance* instance, uint32_t home, int kept) {
    hemi_torn* t = instance->torn;
    for (uint32_t k = 0; k < 8; ++k) {
        const uint32_t cell = t->cell_of[home][k];
        for (int axis = 0; cell != HEMI_NO_PARTICLE && axis < 3; ++axis) {
            const int32_t f = (k >> axis & 1u) ? t->face_of[cell][axis] : HEM_NONE;
            if (f != HEM_NONE && t->open[f] == 2) {
                t->open[f] = (uint8_t)kept;
            }
        }
    }
}

int hemi_tear_face(const hem_view* asset, hemi_instance* instance, uint32_t face) {
    hemi_torn* t = instance->torn;
    const hem_tear_face* f = &asset->tear_faces[face];
    const hem_lattice* l = &asset->lattices[asset->lattice_cells[f->cell[0]].lattice];
    const uint32_t bit = 1u << f->axis;
    uint32_t from[4], to[4], homes[4], count = 0, need = 0;
    int room = 1;
    for (uint32_t k = 0; k < 8 && room; ++k) {
        const uint32_t p = instance->corners[f->cell[0]][k];
        if (!(k & bit) || instance->corners[f->cell[1]][k & ~bit] != p ||
            (asset->particle_flags[home_of(instance, p)] & HEM_PARTICLE_ANIMATED)) {
            continue;
        }
        const int32_t spare = take_spare(instance, l);
        room = spare != HEM_NONE;
        if (!room) {
            break;
        }
        const uint32_t home = home_of(instance, p);
        instance->homes[spare] = (uint16_t)home;
        for (uint32_t n = 0; n < 8; ++n) {
            const uint32_t cell = t->cell_of[home][n];
            if (!(n & bit) && cell != HEMI_NO_PARTICLE && instance->corners[cell][n] == p) {
                instance->corners[cell][n] = (uint16_t)spare;
            }
        }
        from[count] = p;
        homes[count] = home;
        to[count++] = (uint32_t)spare;
    }
    for (uint32_t i = 0; i < count; ++i) {
        need += newly_open(asset, instance, homes[i]);
    }
    room = room && t->vertex_need + need <= t->vertex_capacity;
    for (uint32_t i = 0; i < count; ++i) {
        settle_open(instance, homes[i], room);
    }
    for (uint32_t i = 0; i < count && !room; ++i) { // as it was
        instance->homes[to[i]] = HEMI_NO_PARTICLE;
        for (uint32_t n = 0; n < 8; ++n) {
            const uint32_t cell = t->cell_of[homes[i]][n];
            if (cell != HEMI_NO_PARTICLE && instance->corners[cell][n] == to[i]) {
                instance->corners[cell][n] = (uint16_t)from[i];
            }
        }
    }
    for (uint32_t i = 0; i < count && room; ++i) {
        copy_particle(instance, from[i], to[i]);
    }
    t->vertex_need += room ? need : 0;
    t->torn_count += room ? count : 0;
    return room;
}

// -- What tears

typedef struct cell_now {
    hem_vec3 middle, shape; // now, and as the regions want it
    hem_quat turn;          // of the regions around it, against that shape
} cell_now;

static hem_vec3 lane_of(const float* x, const float* y, const float* z, uint32_t k) {
    return hem_vec3_make(x[k], y[k], z[k]);
}

static cell_now measure(const hemi_step* s, const hemi_corners* corners, uint32_t cell, int tracks) {
    const hemi_instance* instance = s->instance;
    const hem_rest_row* shape = tracks ? s->scratch->solve.rest : instance->view->rest_rows;
    cell_now c = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0, 0}};
    hem_quat first = {0, 0, 0, 1};
    for (uint32_t i = 0; i < 8; ++i) {
        const uint32_t row = corners[cell][i] >> 3, k = corners[cell][i] & 7;
        const hemi_row4 *x = &instance->x[row], *q = &instance->q[row];
        hem_quat turn = hem_quat_make(q->x[k], q->y[k], q->z[k], q->w[k]);
        if (tracks) {
            const hemi_row4* r = &s->scratch->solve.rest_q[row];
            turn = hem_quat_mul(turn, hem_quat_make(-r->x[k], -r->y[k], -r->z[k], r->w[k]));
        }
        first = i == 0 ? turn : first;
        const float same = first.x * turn.x + first.y * turn.y + first.z * turn.z + first.w * turn.w;
        const float sign = same < 0.0f ? -1.0f : 1.0f;
        c.turn.x += sign * turn.x;
        c.turn.y += sign * turn.y;
        c.turn.z += sign * turn.z;
        c.turn.w += sign * turn.w;
        c.middle = hem_vec3_add(c.middle, lane_of(x->x, x->y, x->z, k));
        c.shape = hem_vec3_add(c.shape, lane_of(shape[row].x, shape[row].y, shape[row].z, k));
    }
    c.turn = hem_quat_normalise(c.turn);
    return c;
}

static int parts_now(const cell_now* a, const cell_now* b, float stretch, float cosine) {
    const hem_vec3 now = hem_vec3_sub(b->middle, a->middle), rest = hem_vec3_sub(b->shape, a->shape);
    const float far2 = hem_vec3_dot(now, now), rest2 = hem_vec3_dot(rest, rest);
    const float high = 1.0f + stretch, low = hem_maxf(1.0f - stretch, 0.0f);
    const float turn = a->turn.x * b->turn.x + a->turn.y * b->turn.y + a->turn.z * b->turn.z + a->turn.w * b->turn.w;
    return (stretch > 0.0f && (far2 > rest2 * high * high || far2 < rest2 * low * low)) ||
           (turn < 0.0f ? -turn : turn) < cosine;
}

static int is_apart(const hemi_corners* corners, const hem_tear_face* f) {
    const uint32_t bit = 1u << f->axis;
    int apart = 1;
    for (uint32_t k = 0; k < 8; ++k) {
        apart &= !(k & bit) || corners[f->cell[0]][k] != corners[f->cell[1]][k & ~bit];
    }
    return apart;
}

static void note_tear(const hemi_step* s, const hem_lattice* l, const hem_tear_face* f, const cell_now* a,
                      const cell_now* b) {
    hemi_torn* t = s->instance->torn;
    const float area = l->spacing[(f->axis + 1) % 3] * l->spacing[(f->axis + 2) % 3];
    t->size += area;
    t->place[0] += area * (a->middle.x + b->middle.x) / 16.0f;
    t->place[1] += area * (a->middle.y + b->middle.y) / 16.0f;
    t->place[2] += area * (a->middle.z + b->middle.z) / 16.0f;
}

static void tear_lattice(hemi_step* s, const hem_view* asset, uint32_t lattice) {
    hemi_instance* instance = s->instance;
    const hem_lattice* l = &asset->lattices[lattice];
    const hem_part* part = &asset->parts[l->part];
    const hem_tuning* tune = &instance->tuning[l->part];
    const hemi_corners* corners = (const hemi_corners*)instance->corners;
    if (!(tune->strain_limit > 0.0f || tune->buckle_angle > 0.0f)) {
        return;
    }
    const int tracks =
        s->scratch->solve.parts[l->part].tracking && hem_range_of(asset->ranges, part, HEM_BATCH_DRIVES).count;
    cell_now* cells = (cell_now*)(void*)s->scratch->solve.region_sums[0]; // a cell has a particle of its own
    HEM_STATIC_ASSERT(sizeof(cell_now) * 8 <= HEMI_REGION_DOUBLES * sizeof(double), "cells do not fit");
    for (uint32_t c = 0; c < l->cell_count; ++c) {
        cells[c] = measure(s, corners, l->cell_begin + c, tracks);
    }
    for (uint32_t i = l->face_begin; i < l->face_begin + l->face_count; ++i) {
        const hem_tear_face* f = &asset->tear_faces[i];
        const float strength = hem_maxf((float)f->strength * (1.0f / 65535.0f), 0.01f);
        const cell_now *a = &cells[f->cell[0] - l->cell_begin], *b = &cells[f->cell[1] - l->cell_begin];
        const float angle = hem_minf(tune->buckle_angle * strength, 3.14f);
        if (!parts_now(a, b, tune->strain_limit * strength, angle > 0.0f ? hem_cosf(0.5f * angle) : -1.0f) ||
            is_apart(corners, f)) {
            continue;
        }
        const uint32_t before = instance->torn->torn_count;
        if (!hemi_tear_face(asset, instance, i)) {
            ++instance->torn->refused_count;
        } else if (instance->torn->torn_count != before) {
            note_tear(s, l, f, a, b);
        }
    }
}

void hemi_tear(hemi_step* s) {
    hemi_instance* instance = s->instance;
    hemi_torn* t = instance->torn;
    const hem_view* asset = s->scene->classes[instance->class_index].view;
    t->torn_count = t->refused_count = 0;
    t->place[0] = t->place[1] = t->place[2] = t->size = 0.0f;
    for (uint32_t i = 0; i < asset->lattice_count && s->finite; ++i) {
        if (asset->lattices[i].spare_count) {
            tear_lattice(s, asset, i);
        }
    }
    if (t->refused_count) {
        instance->event_mask |= 1u << HEM_EVENT_TEAR_REFUSED;
    }
    if (!t->torn_count) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        t->place[k] /= t->size;
    }
    hemi_torn_derive(asset, instance);
    hemi_weigh_torn(instance);
    hemi_copy_targets(instance);
    hemi_wake(instance->state);
    instance->event_mask |= 1u << HEM_EVENT_TORN;
}

// Inverse masses are of the state: what moves has that of its cells.
void hemi_weigh_torn(hemi_instance* instance) {
    const hemi_torn* t = instance->torn;
    for (uint32_t p = 0; p < t->view.info->particle_count; ++p) {
        float* w = &instance->x[p >> 3].w[p & 7];
        *w = *w > 0.0f ? t->shape[p >> 3].inverse_mass[p & 7] : *w;
    }
}
