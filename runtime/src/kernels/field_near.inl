// SPDX-License-Identifier: MIT
// Particles and height fields: what is near needs no tree, since a field's cells can be counted. The block below the
// particle's foot is looked into first; of the cells around it, eight of a row at a time, only those are looked into that may
// be nearer or matter beside (near_open says how, with the four corners of a cell instead of a box).

#define FIELD_CELLS 1024.0f // a particle that comes to more of them asks the tree

typedef struct field_window {
    uint32_t first[2], last[2]; // cells along x and z; none if the first is behind the last
} field_window;

// The cells that a box of this size around the particle meets.
static field_window field_around(const hem_trimesh_header* h, hem_vec3 p, float reach) {
    const float at[2] = {p.x, p.z};
    const uint32_t points[2] = {h->columns, h->rows};
    field_window w;
    for (int k = 0; k < 2; ++k) {
        const float most = (float)(points[k] - 2), low = (at[k] - reach) / h->cell[k],
                    high = (at[k] + reach) / h->cell[k];
        const int none = !(high >= 0.0f && low <= most + 1.0f);
        w.first[k] = none ? 1 : (uint32_t)hem_clampf(low, 0.0f, most);
        w.last[k] = none ? 0 : (uint32_t)hem_clampf(high, 0.0f, most);
    }
    return w;
}

// The block that the surface's point below the particle is in, as far as the cell straight below it tells.
static uint32_t field_below(const hem_trimesh_view* view, hem_vec3 p, float reach) {
    const hem_trimesh_header* h = view->header;
    const float most_x = (float)(h->columns - 2), most_z = (float)(h->rows - 2);
    uint32_t x = (uint32_t)hem_clampf(p.x / h->cell[0], 0.0f, most_x);
    uint32_t z = (uint32_t)hem_clampf(p.z / h->cell[1], 0.0f, most_z);
    const float* y = view->heights + (size_t)z * h->columns + x;
    const float lean_x = (y[1] - y[0]) / h->cell[0], lean_z = (y[h->columns] - y[0]) / h->cell[1];
    const float up = p.y - y[0] - lean_x * (p.x - (float)x * h->cell[0]) - lean_z * (p.z - (float)z * h->cell[1]);
    const float share = up / (1.0f + lean_x * lean_x + lean_z * lean_z);
    if (hem_absf(share) < reach) {
        x = (uint32_t)hem_clampf((p.x + lean_x * share) / h->cell[0], 0.0f, most_x);
        z = (uint32_t)hem_clampf((p.z + lean_z * share) / h->cell[1], 0.0f, most_z);
    }
    return hemi_field_block(x, z);
}

typedef struct field_row {
    const float* heights;
    uint32_t columns;
    float low, high; // along z
    float along[2];  // (p - q).w of its two rows of points, as far as z has it
} field_row;

// Of eight cells of a row from x on, those that may matter.
static uint32_t field_open(const near_one* one, const near_seen* seen, const field_row* row, uint32_t x, float cell) {
    static const float STEP[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const float *y = row->heights + x, *next = y + row->columns;
    v8 a = v8_loadu(y), b = v8_loadu(y + 1), c = v8_loadu(next), d = v8_loadu(next + 1);
    v8 at = v8_add(v8_set1((float)x), v8_loadu(STEP)), wide = v8_set1(cell);
    v8x3 low = v8x3_make(v8_mul(at, wide), v8_min(v8_min(a, b), v8_min(c, d)), v8_set1(row->low));
    v8x3 high =
        v8x3_make(v8_mul(v8_add(at, v8_set1(1.0f)), wide), v8_max(v8_max(a, b), v8_max(c, d)), v8_set1(row->high));
    m8 open =
        v8_lt(near_squares(low, high, v8x3_set1(one->start.x, one->start.y, one->start.z)), v8_set1(seen->square));
    if (seen->beside == 0.0f || !m8_any(open)) {
        return m8_bits(open);
    }
    const hem_vec3 q = seen->point, up = hem_vec3_sub(one->start, q);
    v8 r = near_squares(low, high, v8x3_set1(q.x, q.y, q.z)), ux = v8_set1(up.x), uy = v8_set1(up.y);
    v8 left = v8_mul(ux, v8_sub(low.x, v8_set1(q.x))), right = v8_mul(ux, v8_sub(high.x, v8_set1(q.x)));
    v8 here = v8_max(v8_madd(uy, v8_sub(a, v8_set1(q.y)), left), v8_madd(uy, v8_sub(b, v8_set1(q.y)), right));
    v8 there = v8_max(v8_madd(uy, v8_sub(c, v8_set1(q.y)), left), v8_madd(uy, v8_sub(d, v8_set1(q.y)), right));
    v8 most = v8_max(v8_add(here, v8_set1(row->along[0])), v8_add(there, v8_set1(row->along[1])));
    most = v8_max(most, v8_zero());
    m8 beside =
        v8_gt(v8_add(v8_nmadd(v8_set1(2.0f), most, r), v8_set1(seen->ease)), v8_mul(v8_set1(seen->beside), v8_sqrt(r)));
    return m8_bits(m8_andnot(open, beside));
}

// Looks into the first block that may matter and was not looked into yet. Returns whether there was one.
static int field_next(const hemi_mesh_shape* shape, near_one* one, near_seen* seen, uint32_t* from) {
    const hem_trimesh_header* h = shape->view->header;
    const field_window w = field_around(h, one->start, hem_sqrtf(seen->square));
    const hem_vec3 q = seen->point, up = hem_vec3_sub(one->start, q);
    for (uint32_t z = w.first[1] > *from ? w.first[1] : *from; z <= w.last[1]; ++z) {
        const float low = (float)z * h->cell[1], high = (float)(z + 1) * h->cell[1];
        const field_row row = {shape->view->heights + (size_t)z * h->columns,
                               h->columns,
                               low,
                               high,
                               {up.z * (low - q.z), up.z * (high - q.z)}};
        *from = z;
        for (uint32_t x = w.first[0]; x <= w.last[0]; x += 8) {
            const uint32_t first = x + 9 <= h->columns ? x : h->columns - 9;
            for (uint32_t bits = field_open(one, seen, &row, first, h->cell[0]); bits; bits &= bits - 1) {
                const uint32_t block = hemi_field_block(first + hem_lowest_bit(bits), z);
                uint32_t known = 0;
                for (uint32_t i = 0; i < seen->count; ++i) {
                    known |= seen->block[i] == block;
                }
                if (!known) {
                    near_look(shape, one, seen, block);
                    return 1;
                }
            }
        }
    }
    return 0;
}

static void field_see(const hemi_mesh_shape* shape, near_one* one, near_seen* seen) {
    const hem_trimesh_header* h = shape->view->header;
    const float above = one->start.y - h->high[1], below = h->low[1] - one->start.y;
    const field_window w = field_around(h, one->start, one->reach);
    if (!(above < one->reach && below < one->reach) || w.first[0] > w.last[0] || w.first[1] > w.last[1]) {
        return;
    }
    const float cells = (float)(w.last[0] - w.first[0] + 1) * (float)(w.last[1] - w.first[1] + 1);
    if (h->columns < 9 || cells > FIELD_CELLS) {
        near_descend(shape, one, seen, 0, shape->view->level_count);
        return;
    }
    seen->point = one->start;
    near_look(shape, one, seen, field_below(shape->view, one->start, one->reach));
    uint32_t from = 0, finds = seen->finds;
    while (!seen->full && field_next(shape, one, seen, &from)) {
        from = finds == seen->finds ? from : 0; // something nearer: what was left out for the old one may matter
        finds = seen->finds;
    }
}
