// SPDX-License-Identifier: MIT
// Tetrahedra of a solid, eight at a time: strains of the deformation gradient F = D q (hem_tetrahedron) as constraints.
//
// With the columns f(1) to f(3) of F the energy is V (mu (sum of e(i)^2 + sum of g(ij)^2 / 2) + lambda / 2 (J - 1)^2): stretches
// e(i) = |f(i)| - 1, shears g(ij) = f(i).f(j) and the volume J = det F, each a constraint with the compliance 1 / (V k), k being 2 mu, mu and
// lambda. All of them are zero at rest, and for small strains this is isotropic stuff with the constants of Lame. They are
// solved one after another, the volume last. (The two of neo-Hookean stuff, |F| and J, are cheaper, but hold each other at rest and
// know no stiffness against shear there: what was stiffer than an explicit step holds never came to rest.)
//
// All happens in F: with s(jk) = sum over corners of w q(j) q(k), a constraint with gradients G(j) by the columns moves them by
// -s(jk) G(j) lambda, and the corners only learn the sum of G(j) lambda in the end. Where J is negative its gradient still points
// the way out: what is turned inside out comes back.

typedef struct solid_corners {
    v8x3 x[4];
    v8 w[4];
} solid_corners;

typedef struct solid_state {
    v8x3 f[3], pull[3];
    v8 s[3][3];
} solid_state;

// stiffness: V k h^2. As in fabric.inl a single pass counts half of w, but never moves further than to zero.
HEM_INLINE v8 solid_step(v8 c, v8 w, v8 stiffness) {
    const v8 own = v8_mul(w, stiffness), one = v8_set1(1.0f);
    return v8_div(v8_mul(c, stiffness), v8_max(v8_madd(own, v8_set1(0.5f), one), own));
}

HEM_INLINE void solid_pull(solid_state* t, int j, v8x3 pull) {
    t->pull[j] = v8x3_add(t->pull[j], pull);
    for (int k = 0; k < 3; ++k) {
        t->f[k] = v8x3_sub(t->f[k], v8x3_scale(pull, t->s[j][k]));
    }
}

HEM_INLINE void solid_stretch(solid_state* t, int i, v8 stiffness) {
    const v8 one = v8_set1(1.0f);
    const v8 length = v8_max(v8_sqrt(v8x3_dot(t->f[i], t->f[i])), v8_set1(TINY));
    const v8 change = solid_step(v8_sub(length, one), t->s[i][i], stiffness);
    solid_pull(t, i, v8x3_scale(t->f[i], v8_div(change, length)));
}

HEM_INLINE void solid_shear(solid_state* t, int i, int j, v8 stiffness) {
    const v8x3 a = t->f[i], b = t->f[j];
    const v8 c = v8x3_dot(a, b);
    v8 w = v8_madd(t->s[i][i], v8x3_dot(b, b), v8_mul(t->s[j][j], v8x3_dot(a, a)));
    w = v8_madd(v8_add(t->s[i][j], t->s[i][j]), c, w);
    const v8 change = solid_step(c, w, stiffness);
    solid_pull(t, i, v8x3_scale(b, change));
    solid_pull(t, j, v8x3_scale(a, change));
}

HEM_INLINE void solid_volume(solid_state* t, v8 stiffness) {
    const v8x3 g[3] = {v8x3_cross(t->f[1], t->f[2]), v8x3_cross(t->f[2], t->f[0]), v8x3_cross(t->f[0], t->f[1])};
    const v8 c = v8_sub(v8x3_dot(t->f[0], g[0]), v8_set1(1.0f));
    v8 w = v8_zero();
    for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 3; ++k) {
            w = v8_madd(t->s[j][k], v8x3_dot(g[j], g[k]), w);
        }
    }
    const v8 change = solid_step(c, w, stiffness);
    for (int j = 0; j < 3; ++j) {
        solid_pull(t, j, v8x3_scale(g[j], change));
    }
}

HEM_INLINE void solid_solve(const hem_tetrahedron* tetrahedron, const hemi_solid_args* args, solid_corners* at) {
    v8 q[4][3]; // of the corners; that of the first is what balances the others
    solid_state t;
    for (int j = 0; j < 3; ++j) {
        for (int k = 1; k < 4; ++k) {
            q[k][j] = v8_load(tetrahedron->q[3 * (k - 1) + j]);
        }
        q[0][j] = v8_neg(v8_add(q[1][j], v8_add(q[2][j], q[3][j])));
        t.pull[j] = v8x3_make(v8_zero(), v8_zero(), v8_zero());
        t.f[j] = v8x3_scale(v8x3_sub(at->x[1], at->x[0]), q[1][j]);
        t.f[j] = v8x3_madd(v8x3_sub(at->x[2], at->x[0]), q[2][j], t.f[j]);
        t.f[j] = v8x3_madd(v8x3_sub(at->x[3], at->x[0]), q[3][j], t.f[j]);
    }
    for (int j = 0; j < 3; ++j) {
        for (int k = 0; k <= j; ++k) {
            v8 sum = v8_zero();
            for (int i = 0; i < 4; ++i) {
                sum = v8_madd(at->w[i], v8_mul(q[i][j], q[i][k]), sum);
            }
            t.s[j][k] = t.s[k][j] = sum;
        }
    }
    const v8 volume = v8_load(tetrahedron->volume), shear = v8_mul(v8_set1(args->shear), volume);
    solid_shear(&t, 0, 1, shear);
    solid_shear(&t, 1, 2, shear);
    solid_shear(&t, 2, 0, shear);
    for (int i = 0; i < 3; ++i) {
        solid_stretch(&t, i, v8_add(shear, shear));
    }
    solid_volume(&t, v8_mul(v8_set1(args->bulk), volume));
    for (int i = 0; i < 4; ++i) {
        v8x3 pull = v8x3_scale(t.pull[0], q[i][0]);
        pull = v8x3_madd(t.pull[1], q[i][1], pull);
        pull = v8x3_madd(t.pull[2], q[i][2], pull);
        at->x[i] = v8x3_sub(at->x[i], v8x3_scale(pull, at->w[i]));
    }
}

// Lanes that are off have no volume and move by nothing, so whole rows go back.
HEM_INLINE void solid_rows(const hem_view* view, const hem_row_batch* batch, const hemi_solid_args* args) {
    solid_corners at;
    for (int k = 0; k < 4; ++k) {
        const hemi_row4* row = &args->x[batch->rows[k]];
        const int rotate = batch->rotates[k];
        at.x[k] = row4_load3(row);
        at.w[k] = v8_load(row->w);
        if (rotate) {
            at.x[k] = v8x3_rotate_lanes(at.x[k], rotate);
            at.w[k] = v8_rotate(at.w[k], rotate);
        }
    }
    solid_solve(&view->tetrahedra[batch->payload], args, &at);
    for (int k = 0; k < 4; ++k) {
        const int back = (8 - batch->rotates[k]) & 7;
        row4_store3(&args->x[batch->rows[k]], back ? v8x3_rotate_lanes(at.x[k], back) : at.x[k]);
    }
}

HEM_INLINE void solid_indices(const hem_view* view, const hem_row_batch* batch, const hemi_solid_args* args) {
    const hem_group_index* index = &view->row_indices[batch->member_begin];
    HEM_ALIGN(32) int32_t slots[4][8];
    float* base = args->x[0].x;
    const m8 on = m8_from_bits(batch->lane_mask);
    solid_corners at;
    for (int k = 0; k < 4; ++k) {
        slots_of(index[k].index, slots[k]);
        at.x[k] = gather3(base, slots[k]);
        at.w[k] = v8_gather(base + 24, slots[k]);
    }
    solid_solve(&view->tetrahedra[batch->payload], args, &at);
    for (int k = 0; k < 4; ++k) {
        scatter3(base, slots[k], at.x[k], on);
    }
}

void HEMI_NAME(tetrahedra)(const hem_view* view, const hem_row_batch* batches, uint32_t count,
                           const hemi_solid_args* args) {
    for (uint32_t n = 0; n < count; ++n) {
        if (batches[n].form == HEM_FORM_ROWS) {
            solid_rows(view, &batches[n], args);
        } else {
            solid_indices(view, &batches[n], args);
        }
    }
}
