// SPDX-License-Identifier: MIT
// Who may touch whom during this step.
//
// Once per step, not per substep: every particle stands for the segment it is about to travel, as a ball around its
// middle (`reach` = contact radius + half the way + slack). Bodies (animated collision particles) are searched patch by
// patch. Simulated particles that collide with simulated ones go into a uniform grid, filled by counting sort: cells that
// follow each other along x follow each other in the sorted arrays, so a query reads a few runs, eight points at once.
//
// The result is one list per row, entry by entry for all eight lanes, so that the contact kernels load whole rows on
// one side. With it goes the distance that the pair has to keep: the sum of radii, but never more than it had at rest,
// so that what overlaps in the modelled character (a hem on a hip, a tangent sphere next to its neighbours) is at peace
// there and still may not sink deeper. Simulated pairs that the compiler listed as touching at rest are left out.

#define NEAR_SLACK 0.004f      // metres
#define NEAR_TRAVEL_LIMIT 0.5f // metres; more than that in one step is a teleport
#define NEAR_BEND 0.5f         // constraints and contacts bend the way: this much of it is added
#define NEAR_COARSE 256        // per particle, before the exact test
#define NEAR_LIMIT 96          // per particle and list

HEM_INLINE uint32_t bit_count(uint32_t bits) {
    uint32_t n = 0;
    for (; bits; bits &= bits - 1) {
        ++n;
    }
    return n;
}

typedef struct near_grid {
    float origin[3];
    float inverse_cell;
    uint32_t size[3];
    uint32_t count;
} near_grid;

HEM_INLINE uint32_t clamp_cell(float v, uint32_t size) {
    // Comparisons first: a conversion of something large would be undefined.
    if (!(v > 0.0f)) {
        return 0;
    }
    float last = (float)(size - 1);
    return v >= last ? size - 1 : (uint32_t)v;
}

// Sorts `count` points (in scratch->sorted_* at [0, count)) into cells. Uses the upper half of the arrays as the source.
static void grid_build(hemi_scratch* s, near_grid* grid, const float* px, const float* py, const float* pz,
                       const float* reach, const uint16_t* id, uint32_t count) {
    float low[3] = {1e30f, 1e30f, 1e30f}, high[3] = {-1e30f, -1e30f, -1e30f}, widest = 0.0f;
    for (uint32_t i = 0; i < count; ++i) {
        low[0] = px[i] < low[0] ? px[i] : low[0];
        low[1] = py[i] < low[1] ? py[i] : low[1];
        low[2] = pz[i] < low[2] ? pz[i] : low[2];
        high[0] = px[i] > high[0] ? px[i] : high[0];
        high[1] = py[i] > high[1] ? py[i] : high[1];
        high[2] = pz[i] > high[2] ? pz[i] : high[2];
        widest = reach[i] > widest ? reach[i] : widest;
    }
    grid->count = count;
    // Two reaches wide, so that a query never looks further than the next cell; wider when the table would not hold it.
    float cell = 2.0f * widest;
    float extent[3];
    for (int k = 0; k < 3; ++k) {
        grid->origin[k] = low[k];
        extent[k] = high[k] - low[k];
        extent[k] = extent[k] > 0.0f ? extent[k] : 0.0f;
    }
    cell = cell > 1e-4f ? cell : 1e-4f;
    for (;;) {
        float cells = 1.0f;
        for (int k = 0; k < 3; ++k) {
            cells *= extent[k] / cell + 1.0f;
        }
        if (cells <= (float)s->cell_capacity * 0.9f && extent[0] / cell < 1000.0f) {
            break;
        }
        cell *= 1.25f;
    }
    grid->inverse_cell = 1.0f / cell;
    uint32_t cells = 1;
    for (int k = 0; k < 3; ++k) {
        grid->size[k] = (uint32_t)(extent[k] * grid->inverse_cell) + 1;
        cells *= grid->size[k];
    }
    uint32_t* start = s->cell_start;
    memset(start, 0, (cells + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t cx = clamp_cell((px[i] - low[0]) * grid->inverse_cell, grid->size[0]);
        uint32_t cy = clamp_cell((py[i] - low[1]) * grid->inverse_cell, grid->size[1]);
        uint32_t cz = clamp_cell((pz[i] - low[2]) * grid->inverse_cell, grid->size[2]);
        uint32_t c = (cz * grid->size[1] + cy) * grid->size[0] + cx;
        s->cell_of[i] = c;
        ++start[c];
    }
    uint32_t sum = 0;
    for (uint32_t c = 0; c < cells; ++c) {
        uint32_t n = start[c];
        start[c] = sum;
        sum += n;
    }
    start[cells] = sum;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = start[s->cell_of[i]]++;
        s->sorted_x[at] = px[i];
        s->sorted_y[at] = py[i];
        s->sorted_z[at] = pz[i];
        s->sorted_reach[at] = reach[i];
        s->sorted_id[at] = id[i];
    }
    for (uint32_t c = cells; c > 0; --c) {
        start[c] = start[c - 1];
    }
    start[0] = 0;
    for (uint32_t i = 0; i < 8; ++i) { // a run is read eight at a time, past its end
        s->sorted_x[count + i] = 1e30f;
        s->sorted_y[count + i] = 1e30f;
        s->sorted_z[count + i] = 1e30f;
        s->sorted_reach[count + i] = 0.0f;
        s->sorted_id[count + i] = 0;
    }
}

// Points of the grid nearer than their reach plus this one: their numbers in the sorted arrays. Returns how many.
static uint32_t grid_query(const hemi_scratch* s, const near_grid* grid, float x, float y, float z, float reach,
                           uint16_t* found, uint32_t limit, uint32_t* dropped) {
    float fx = (x - grid->origin[0]) * grid->inverse_cell;
    float fy = (y - grid->origin[1]) * grid->inverse_cell;
    float fz = (z - grid->origin[2]) * grid->inverse_cell;
    float wide = reach * grid->inverse_cell + 0.5f; // half a cell is the widest reach in the grid
    uint32_t x0 = clamp_cell(fx - wide, grid->size[0]), x1 = clamp_cell(fx + wide, grid->size[0]);
    uint32_t y0 = clamp_cell(fy - wide, grid->size[1]), y1 = clamp_cell(fy + wide, grid->size[1]);
    uint32_t z0 = clamp_cell(fz - wide, grid->size[2]), z1 = clamp_cell(fz + wide, grid->size[2]);
    v8 vx = v8_set1(x), vy = v8_set1(y), vz = v8_set1(z), vr = v8_set1(reach);
    uint32_t count = 0;
    for (uint32_t cz = z0; cz <= z1; ++cz) {
        for (uint32_t cy = y0; cy <= y1; ++cy) {
            uint32_t line = (cz * grid->size[1] + cy) * grid->size[0];
            uint32_t from = s->cell_start[line + x0], to = s->cell_start[line + x1 + 1];
            for (uint32_t i = from; i < to; i += 8) {
                v8 dx = v8_sub(v8_loadu(s->sorted_x + i), vx);
                v8 dy = v8_sub(v8_loadu(s->sorted_y + i), vy);
                v8 dz = v8_sub(v8_loadu(s->sorted_z + i), vz);
                v8 r = v8_add(v8_loadu(s->sorted_reach + i), vr);
                v8 d2 = v8_madd(dz, dz, v8_madd(dy, dy, v8_mul(dx, dx)));
                uint32_t bits = m8_bits(v8_lt(d2, v8_mul(r, r)));
                bits &= to - i >= 8 ? 0xffu : (1u << (to - i)) - 1u;
                for (; bits; bits &= bits - 1) {
                    uint32_t lane = hem_lowest_bit(bits);
                    if (count < limit) {
                        found[count++] = s->sorted_id[i + lane];
                    } else {
                        ++*dropped;
                    }
                }
            }
        }
    }
    return count;
}

HEM_INLINE int is_ignored(const hem_view* view, uint32_t a, uint32_t b) {
    for (uint32_t i = view->ignore_starts[a]; i < view->ignore_starts[a + 1]; ++i) {
        if (view->ignore_list[i] == b) {
            return 1;
        }
    }
    return 0;
}

// Transposes the lists of eight particles into one row list; lanes that have fewer are filled with `filler`.
static void near_append(hemi_scratch* s, hemi_near* near, uint16_t found[8][NEAR_LIMIT], float distance[8][NEAR_LIMIT],
                        const uint32_t count[8], const uint16_t filler[8]) {
    uint32_t depth = 0;
    for (int i = 0; i < 8; ++i) {
        depth = count[i] > depth ? count[i] : depth;
    }
    near->first = s->near_count;
    near->depth = 0;
    while (near->depth < depth && s->near_count + 8 <= s->near_capacity) {
        uint32_t k = near->depth++;
        for (int i = 0; i < 8; ++i) {
            int has = k < count[i];
            s->near_list[s->near_count + (uint32_t)i] = has ? found[i][k] : filler[i];
            s->near_distance[s->near_count + (uint32_t)i] = has ? distance[i][k] : -1.0f;
        }
        s->near_count += 8;
    }
    for (int i = 0; i < 8; ++i) {
        s->dropped_count += count[i] > near->depth ? count[i] - near->depth : 0;
    }
}

// Contact radius of a simulated particle against simulated ones.
HEM_INLINE float self_radius(const hem_view* view, const hem_tuning* tuning, uint32_t particle) {
    uint32_t part = view->particle_flags[particle] >> HEM_PARTICLE_PART_SHIFT;
    if (view->parts[part].kind == HEM_PART_SOFT) {
        const hem_shape_row* s = &view->shape_rows[particle >> 3];
        return (s->a[particle & 7] + s->b[particle & 7] + s->c[particle & 7]) * (1.0f / 3.0f);
    }
    return tuning[part].self_thickness * 0.5f;
}

HEM_INLINE float rest_distance(const hem_view* view, uint32_t a, uint32_t b) {
    const hem_rest_row* ra = &view->rest_rows[a >> 3];
    const hem_rest_row* rb = &view->rest_rows[b >> 3];
    float dx = ra->x[a & 7] - rb->x[b & 7], dy = ra->y[a & 7] - rb->y[b & 7], dz = ra->z[a & 7] - rb->z[b & 7];
    return hem_sqrtf(dx * dx + dy * dy + dz * dz);
}

// Tangent sphere of section 5.2: radius and how far its center lies behind the particle along the outward axis.
HEM_INLINE float tangent_radius(const hem_shape_row* s, uint32_t lane) {
    return 0.5f * (s->b[lane] * s->b[lane] + s->c[lane] * s->c[lane]) / s->a[lane];
}

// Least squared distance of d + t w from zero for t in -1..1: how near two points come that move on straight lines.
HEM_INLINE v8 nearest_squared(v8 dx, v8 dy, v8 dz, v8 wx, v8 wy, v8 wz, v8 d2, v8 way2) {
    v8 one = v8_set1(1.0f);
    v8 dot = v8_madd(dz, wz, v8_madd(dy, wy, v8_mul(dx, wx)));
    v8 t = v8_min(v8_max(v8_div(v8_neg(dot), v8_max(way2, v8_set1(1e-20f))), v8_set1(-1.0f)), one);
    return v8_madd(t, v8_madd(t, way2, v8_add(dot, dot)), d2);
}

// Center of a body's sphere at a target; `back` is where it lies from the particle, at rest.
HEM_INLINE hem_vec3 body_center(const hemi_target_row* t, uint32_t lane, const float back[3]) {
    hem_quat q = hem_quat_make(t->q.x[lane], t->q.y[lane], t->q.z[lane], t->q.w[lane]);
    hem_vec3 d = hem_quat_rotate(q, hem_vec3_make(back[0], back[1], back[2]));
    return hem_vec3_add(d, hem_vec3_make(t->x.x[lane], t->x.y[lane], t->x.z[lane]));
}

// Bodies: the compiler put neighbours into one row, so a row is a small patch. Boxes around patches are tested eight at
// a time, then the eight bodies of those that are near.
static void near_bodies(const hem_view* view, const hemi_instance* instance, hemi_scratch* s, hem_vec3 together) {
    const float* px = s->query_x;
    const float* py = s->query_y;
    const float* pz = s->query_z;
    const float* half_way = s->query_half;
    uint32_t patches = s->body_count / 8, padded = (patches + 7) & ~7u;
    float* box[6];
    for (uint32_t k = 0; k < 6; ++k) {
        box[k] = s->patch_box + k * padded;
    }
    for (uint32_t b = 0; b < s->body_count; ++b) {
        uint32_t lane = s->body_slot[b] & 7;
        hem_vec3 from = body_center(&instance->target_prev[s->body_target[b]], lane, s->body_back[b]);
        hem_vec3 to = body_center(&instance->target_next[s->body_target[b]], lane, s->body_back[b]);
        hem_vec3 half = hem_vec3_sub(hem_vec3_scale(hem_vec3_sub(to, from), 0.5f), together);
        float way = hem_vec3_length(half);
        half = way > NEAR_TRAVEL_LIMIT ? hem_vec3_scale(half, NEAR_TRAVEL_LIMIT / way) : half;
        int pad = (view->particle_flags[s->body_slot[b]] & HEM_PARTICLE_PAD) != 0;
        s->point_x[b] = from.x + half.x;
        s->point_y[b] = from.y + half.y;
        s->point_z[b] = from.z + half.z;
        s->point_hx[b] = half.x;
        s->point_hy[b] = half.y;
        s->point_hz[b] = half.z;
        s->point_reach[b] = pad ? -1e9f : s->body_radius[b] + hem_minf(way, NEAR_TRAVEL_LIMIT) + NEAR_SLACK;
    }
    v8 huge = v8_set1(1e30f), zero = v8_zero();
    for (uint32_t i = 0; i < padded; ++i) {
        if (i >= patches) {
            for (uint32_t k = 0; k < 6; ++k) {
                box[k][i] = k < 3 ? 1e30f : -1e30f;
            }
            continue;
        }
        v8 r = v8_load(s->point_reach + i * 8);
        m8 real = v8_gt(r, zero);
        const float* planes[3] = {s->point_x, s->point_y, s->point_z};
        for (uint32_t k = 0; k < 3; ++k) {
            v8 x = v8_load(planes[k] + i * 8);
            box[k][i] = v8_hmin(v8_select(real, v8_sub(x, r), huge));
            box[k + 3][i] = v8_hmax(v8_select(real, v8_add(x, r), v8_neg(huge)));
        }
    }
    uint16_t kept[8][NEAR_LIMIT];
    float distance[8][NEAR_LIMIT];
    uint16_t filler[8];
    uint32_t count[8];
    for (uint32_t lane = 0; lane < 8; ++lane) {
        filler[lane] = (uint16_t)s->body_count; // the dummy
    }
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        if (part->kind == HEM_PART_BODY || !(s->part_pairs[p] & s->body_parts)) {
            continue;
        }
        float thickness = instance->tuning[p].collision_thickness;
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
            const hem_shape_row* shape = &view->shape_rows[row];
            const hem_rest_row* at_rest = &view->rest_rows[row];
            uint32_t any = 0;
            for (uint32_t lane = 0; lane < 8; ++lane) {
                uint32_t slot = row * 8 + lane, flags = view->particle_flags[slot];
                count[lane] = 0;
                if ((flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_COLLIDES)) != HEM_PARTICLE_COLLIDES ||
                    !(shape->inverse_mass[lane] > 0.0f)) {
                    continue;
                }
                float own = thickness + (part->kind == HEM_PART_SOFT ? shape->a[lane] : 0.0f);
                float reach = own + half_way[slot];
                v8 x = v8_set1(px[slot]), y = v8_set1(py[slot]), z = v8_set1(pz[slot]), r = v8_set1(reach);
                v8 hx = v8_set1(s->query_hx[slot]), hy = v8_set1(s->query_hy[slot]), hz = v8_set1(s->query_hz[slot]);
                v8 rx = v8_set1(at_rest->x[lane]), ry = v8_set1(at_rest->y[lane]), rz = v8_set1(at_rest->z[lane]);
                v8 low[3] = {v8_add(x, r), v8_add(y, r), v8_add(z, r)};
                v8 high[3] = {v8_sub(x, r), v8_sub(y, r), v8_sub(z, r)};
                for (uint32_t i = 0; i < padded; i += 8) {
                    m8 near = m8_and(v8_le(v8_load(box[0] + i), low[0]), v8_ge(v8_load(box[3] + i), high[0]));
                    near =
                        m8_and(near, m8_and(v8_le(v8_load(box[1] + i), low[1]), v8_ge(v8_load(box[4] + i), high[1])));
                    near =
                        m8_and(near, m8_and(v8_le(v8_load(box[2] + i), low[2]), v8_ge(v8_load(box[5] + i), high[2])));
                    for (uint32_t bits = m8_bits(near); bits; bits &= bits - 1) {
                        uint32_t b = (i + hem_lowest_bit(bits)) * 8;
                        v8 dx = v8_sub(v8_load(s->point_x + b), x), dy = v8_sub(v8_load(s->point_y + b), y);
                        v8 dz = v8_sub(v8_load(s->point_z + b), z);
                        v8 d2 = v8_madd(dz, dz, v8_madd(dy, dy, v8_mul(dx, dx)));
                        // Both move: what counts is the difference of their ways.
                        v8 wx = v8_sub(v8_load(s->point_hx + b), hx), wy = v8_sub(v8_load(s->point_hy + b), hy);
                        v8 wz = v8_sub(v8_load(s->point_hz + b), hz);
                        v8 way2 = v8_madd(wz, wz, v8_madd(wy, wy, v8_mul(wx, wx)));
                        v8 gap2 = nearest_squared(dx, dy, dz, wx, wy, wz, d2, way2);
                        v8 slack = v8_madd(v8_sqrt(way2), v8_set1(NEAR_BEND), v8_set1(own + NEAR_SLACK));
                        v8 sum = v8_add(v8_load(s->body_radius + b), slack);
                        m8 real = v8_gt(v8_load(s->point_reach + b), zero);
                        m8 meet = m8_and(v8_lt(gap2, v8_mul(sum, sum)), real);
                        uint32_t hits = m8_bits(meet);
                        if (!hits) {
                            continue;
                        }
                        uint32_t other = view->particle_flags[s->body_slot[b]] >> HEM_PARTICLE_PART_SHIFT;
                        if (!(s->part_pairs[p] >> other & 1u)) {
                            continue;
                        }
                        v8 ex = v8_sub(v8_load(s->body_rest_x + b), rx), ey = v8_sub(v8_load(s->body_rest_y + b), ry);
                        v8 ez = v8_sub(v8_load(s->body_rest_z + b), rz);
                        v8 rest = v8_sqrt(v8_madd(ez, ez, v8_madd(ey, ey, v8_mul(ex, ex))));
                        HEM_ALIGN(32) float keep[8];
                        v8_store(keep, v8_min(rest, v8_add(v8_load(s->body_radius + b), v8_set1(own))));
                        for (; hits; hits &= hits - 1) {
                            uint32_t hit = hem_lowest_bit(hits);
                            if (count[lane] == NEAR_LIMIT) {
                                ++s->dropped_count;
                                continue;
                            }
                            kept[lane][count[lane]] = (uint16_t)(b + hit);
                            distance[lane][count[lane]++] = keep[hit];
                        }
                    }
                }
                s->candidate_count += count[lane];
                any |= count[lane];
            }
            if (any) {
                near_append(s, &s->near_body[row], kept, distance, count, filler);
            }
        }
    }
}

static void find_near(const hem_view* view, const hemi_instance* instance, hemi_scratch* s, float dt,
                      const hemi_mat34* part_frames) {
    uint32_t rows = view->info->row_count, total = view->info->particle_count;
    float* px = s->query_x;
    float* py = s->query_y;
    float* pz = s->query_z;
    float* half_way = s->query_half;
    float* radius = s->query_radius;
    // Middles and halves of the way each particle is about to go, without what they all do together: a leap through the
    // air brings nobody nearer to anybody.
    v8x3 sum = v8x3_set1(0.0f, 0.0f, 0.0f);
    v8 vdt = v8_set1(dt), half = v8_set1(0.5f), limit = v8_set1(NEAR_TRAVEL_LIMIT), zero = v8_zero();
    uint32_t moving = 0;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        if (part->kind == HEM_PART_BODY) {
            continue;
        }
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
            v8x3 a = row4_load3(&instance->x[row]);
            v8x3 b = v8x3_madd(row3_load(&instance->v[row]), vdt, transform3(part_frames[p].m, a, 1));
            v8x3 d = v8x3_scale(v8x3_sub(b, a), half);
            m8 free = v8_gt(v8_load(instance->x[row].w), zero);
            sum = v8x3_add(sum, v8x3_keep(free, d));
            moving += bit_count(m8_bits(free));
            v8_store(s->query_hx + row * 8, d.x);
            v8_store(s->query_hy + row * 8, d.y);
            v8_store(s->query_hz + row * 8, d.z);
        }
    }
    float scale = moving ? 1.0f / (float)moving : 0.0f;
    hem_vec3 together = hem_vec3_make(v8_sum(sum.x) * scale, v8_sum(sum.y) * scale, v8_sum(sum.z) * scale);
    v8x3 common = v8x3_set1(together.x, together.y, together.z);
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        if (part->kind == HEM_PART_BODY) {
            continue;
        }
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
            v8x3 d = v8x3_make(v8_load(s->query_hx + row * 8), v8_load(s->query_hy + row * 8),
                               v8_load(s->query_hz + row * 8));
            d = v8x3_sub(d, common);
            v8 length = v8x3_length(d);
            d = v8x3_scale(d, v8_div(v8_min(length, limit), v8_max(length, v8_set1(1e-12f))));
            v8x3 m = v8x3_add(row4_load3(&instance->x[row]), d);
            v8_store(px + row * 8, m.x);
            v8_store(py + row * 8, m.y);
            v8_store(pz + row * 8, m.z);
            v8_store(s->query_hx + row * 8, d.x);
            v8_store(s->query_hy + row * 8, d.y);
            v8_store(s->query_hz + row * 8, d.z);
            v8_store(half_way + row * 8, v8_min(length, limit));
        }
    }
    for (uint32_t row = 0; row < rows; ++row) {
        s->near_body[row].depth = 0;
        s->near_self[row].depth = 0;
    }
    s->near_count = 0;

    near_grid grid;
    float* gx = s->point_x;
    float* gy = s->point_y;
    float* gz = s->point_z;
    float* gr = s->point_reach;
    uint16_t* gid = s->point_id;
    uint16_t found[NEAR_COARSE];
    uint16_t kept[8][NEAR_LIMIT];
    float distance[8][NEAR_LIMIT];
    uint16_t filler[8];
    uint32_t count[8];

    if (s->body_count > 0) {
        near_bodies(view, instance, s, together);
    }

    // Simulated against simulated.
    uint32_t points = 0;
    for (uint32_t slot = 0; slot < total; ++slot) {
        uint32_t flags = view->particle_flags[slot];
        uint32_t part = flags >> HEM_PARTICLE_PART_SHIFT;
        if ((flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_COLLIDES | HEM_PARTICLE_BODY)) != HEM_PARTICLE_COLLIDES ||
            !(s->part_pairs[part] & s->simulated_parts)) {
            continue;
        }
        gx[points] = px[slot];
        gy[points] = py[slot];
        gz[points] = pz[slot];
        radius[slot] = self_radius(view, instance->tuning, slot);
        gr[points] = radius[slot] + half_way[slot] + 0.5f * NEAR_SLACK;
        gid[points++] = (uint16_t)slot;
    }
    if (points == 0) {
        return;
    }
    grid_build(s, &grid, gx, gy, gz, gr, gid, points);
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        uint64_t pairs = s->part_pairs[p] & s->simulated_parts;
        if (part->kind == HEM_PART_BODY || !pairs) {
            continue;
        }
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
            for (uint32_t lane = 0; lane < 8; ++lane) {
                uint32_t slot = row * 8 + lane, flags = view->particle_flags[slot];
                count[lane] = 0;
                filler[lane] = (uint16_t)slot;
                if ((flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_COLLIDES)) != HEM_PARTICLE_COLLIDES ||
                    !(instance->x[row].w[lane] > 0.0f)) {
                    continue; // what follows the pose is found by the others
                }
                float own = radius[slot];
                uint32_t n =
                    grid_query(s, &grid, px[slot], py[slot], pz[slot], own + half_way[slot] + 0.5f * NEAR_SLACK, found,
                               NEAR_COARSE, &s->dropped_count);
                for (uint32_t k = 0; k < n; ++k) {
                    uint32_t other = found[k];
                    uint32_t other_part = view->particle_flags[other] >> HEM_PARTICLE_PART_SHIFT;
                    if (other == slot || !(pairs >> other_part & 1u) || is_ignored(view, slot, other)) {
                        continue;
                    }
                    float keep = own + radius[other];
                    float dx = px[other] - px[slot], dy = py[other] - py[slot], dz = pz[other] - pz[slot];
                    float wx = s->query_hx[other] - s->query_hx[slot], wy = s->query_hy[other] - s->query_hy[slot];
                    float wz = s->query_hz[other] - s->query_hz[slot];
                    float way2 = wx * wx + wy * wy + wz * wz, dot = dx * wx + dy * wy + dz * wz;
                    float t = hem_clampf(-dot / hem_maxf(way2, 1e-20f), -1.0f, 1.0f);
                    float gap2 = dx * dx + dy * dy + dz * dz + t * (2.0f * dot + t * way2);
                    float touch = keep + NEAR_SLACK + NEAR_BEND * hem_sqrtf(way2);
                    if (gap2 >= touch * touch) {
                        continue;
                    }
                    if (count[lane] == NEAR_LIMIT) {
                        ++s->dropped_count;
                        continue;
                    }
                    float rest = rest_distance(view, slot, other);
                    kept[lane][count[lane]] = (uint16_t)other;
                    distance[lane][count[lane]++] = rest < keep ? rest : keep;
                }
                s->candidate_count += count[lane];
            }
            near_append(s, &s->near_self[row], kept, distance, count, filler);
        }
    }
}
