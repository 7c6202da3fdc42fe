// SPDX-License-Identifier: MIT
// Cloth as a stuff: triangles that stretch and shear, edges that bend, eight at a time.
//
// Triangles (strain based dynamics, Mueller et al. 2014, as compliant constraints). The deformation gradient has two columns,
// f1 along warp and f2 along weft, linear in the particles: f1 = sum a_k x_k, f2 = sum b_k x_k. Terms, each with
// alpha = 1 / (area stiffness h^2):
//
//     warp  |f1| - 1     weft  |f2| - 1     shear  f1 . f2     area  |f1 x f2| - 1
//
// They are solved one after the other without going back to particles: a correction along g of f1 moves f1 by saa g and f2
// by sab g, with saa = sum w a a, sab = sum w a b, sbb = sum w b b. What is left in the end is one move along a and b each.
//
// Edges between two triangles: the angle between them, as the vector sum c_k x_k where the rest shape is flat (linear; the
// isometric bending of Bergou et al. 2006), as an angle where it is not. Energy: rigidity times width over length times
// angle squared over two.
//
// One pass of Gauss-Seidel is not the end of it: what is solved later pulls at what was solved before. In a piece that is
// strained evenly the pulls of all neighbours on a constraint add up to what it does to itself, w, and half of them
// come later. So one pass makes everything softer by w / 2, whatever its stiffness; that much is taken from alpha as long
// as there is as much: w + alpha becomes max(w, w / 2 + alpha). (Less than w, so as to hold what is stiffer, swings up from
// 0.78 w on.) With more passes multipliers are kept instead.
//
// Damping is for bending alone, which is soft: alpha is far above w there. In the plane a damper would see the prediction as
// motion and make the same error larger by 1 + gamma; and what is as stiff as that is damped by the step itself.
//
// Warm starting multipliers was considered and dropped: prediction integrates twice, a kept multiplier a third time, which swings
// up unless alpha exceeds a third of w.

typedef struct fabric_corners {
    v8x3 x[4], before[4]; // before: where the substep began; read when there is damping
    v8 w[4];
} fabric_corners;

// One over what a violation is divided by. It hangs on masses, hardly ever on places, so it is there before the violation is.
typedef struct fabric_ease {
    v8 soft, hard; // with what the stuff gives, and without; 0 for who stands still
} fabric_ease;

HEM_INLINE fabric_ease fabric_ease_of(const hemi_fabric_args* args, v8 w, v8 least, v8 alpha, m8 on) {
    v8 one = v8_keep(m8_and(on, v8_gt(w, v8_set1(TINY))), v8_set1(1.0f)),
       held = v8_max(v8_max(w, least), v8_set1(TINY));
    fabric_ease e = {v8_div(one, v8_max(v8_madd(v8_set1(args->share), w, alpha), held)), v8_div(one, held)};
    return e;
}

// The change of a multiplier for a violation c.
HEM_INLINE v8 fabric_step(v8 c, v8 alpha, fabric_ease ease, float* lambda) {
    if (!lambda) {
        return v8_mul(c, ease.soft);
    }
    v8 kept = v8_load(lambda), change = v8_mul(v8_nmadd(alpha, kept, c), ease.soft);
    v8_store(lambda, v8_add(kept, change));
    return change;
}

// The same when the strain that is left has to stay within limits; c changes by w for each unit of the multiplier.
HEM_INLINE v8 fabric_limited(const hemi_fabric_args* args, v8 c, v8 w, v8 alpha, fabric_ease ease, float* lambda) {
    v8 change = fabric_step(c, alpha, ease, lambda);
    if (args->strain_limit < HEMI_NO_LIMIT || args->compress_limit < HEMI_NO_LIMIT) {
        v8 left = v8_nmadd(w, change, c), low = v8_set1(-args->compress_limit), high = v8_set1(args->strain_limit);
        v8 over = v8_mul(v8_sub(left, v8_min(v8_max(left, low), high)), ease.hard);
        change = v8_add(change, over);
        if (lambda) {
            v8_store(lambda, v8_add(v8_load(lambda), over));
        }
    }
    return change;
}

// -- Triangles

// By the sides, which are small numbers wherever the cloth is.
HEM_INLINE v8x3 fabric_column(v8 k1, v8 k2, v8x3 side1, v8x3 side2) {
    return v8x3_madd(side2, k2, v8x3_scale(side1, k1));
}

typedef struct fabric_weights { // sums of w a a, w a b and w b b
    v8 aa, ab, bb;
} fabric_weights;

HEM_INLINE void fabric_area(const hemi_fabric_args* args, v8x3 f1, v8x3 f2, fabric_weights s, v8 least, v8 inverse_area,
                            float* lambda, m8 on, v8x3* pull1, v8x3* pull2) {
    f1 = v8x3_sub(f1, v8x3_madd(*pull2, s.ab, v8x3_scale(*pull1, s.aa)));
    f2 = v8x3_sub(f2, v8x3_madd(*pull2, s.bb, v8x3_scale(*pull1, s.ab)));
    v8x3 n = v8x3_cross(f1, f2);
    v8 size = v8_max(v8_sqrt(v8x3_dot(n, n)), v8_set1(TINY)), alpha = v8_mul(inverse_area, v8_set1(args->alpha[3]));
    n = v8x3_scale(n, v8_div(v8_set1(1.0f), size));
    v8x3 g1 = v8x3_cross(f2, n), g2 = v8x3_cross(n, f1);
    v8 w = v8_madd(s.aa, v8x3_dot(g1, g1), v8_mul(s.bb, v8x3_dot(g2, g2)));
    w = v8_madd(v8_add(s.ab, s.ab), v8x3_dot(g1, g2), w);
    fabric_ease ease = fabric_ease_of(args, w, least, alpha, on);
    v8 change = fabric_step(v8_sub(size, v8_set1(1.0f)), alpha, ease, lambda);
    *pull1 = v8x3_madd(g1, change, *pull1);
    *pull2 = v8x3_madd(g2, change, *pull2);
}

// From corners to corners. lambda: four vectors, or NULL. Warp, weft and shear stay in the plane of f1 and f2, so all that
// they do to each other is in the three products of these: nothing is moved until all three are known.
HEM_INLINE void triangle_solve(const hem_triangle* t, const hemi_fabric_args* args, fabric_corners* at, m8 on,
                               float* lambda) {
    const v8* w = at->w;
    v8 zero = v8_zero(), one = v8_set1(1.0f), tiny = v8_set1(TINY);
    v8 a1 = v8_load(t->q[0]), a2 = v8_load(t->q[1]), b1 = v8_load(t->q[2]), b2 = v8_load(t->q[3]);
    v8 a0 = v8_sub(zero, v8_add(a1, a2)), b0 = v8_sub(zero, v8_add(b1, b2));
    v8 wa0 = v8_mul(w[0], a0), wa1 = v8_mul(w[1], a1), wa2 = v8_mul(w[2], a2);
    v8 wb0 = v8_mul(w[0], b0), wb1 = v8_mul(w[1], b1), wb2 = v8_mul(w[2], b2);
    const fabric_weights s = {v8_madd(wa0, a0, v8_madd(wa1, a1, v8_mul(wa2, a2))),
                              v8_madd(wa0, b0, v8_madd(wa1, b1, v8_mul(wa2, b2))),
                              v8_madd(wb0, b0, v8_madd(wb1, b1, v8_mul(wb2, b2)))};
    // A constraint that hardly reaches whoever can move asks for far too much of him.
    v8 small = v8_mul(v8_set1(0.05f), v8_add(w[0], v8_add(w[1], w[2])));
    v8 least1 = v8_mul(small, v8_madd(a1, a1, v8_mul(a2, a2))), least2 = v8_mul(small, v8_madd(b1, b1, v8_mul(b2, b2)));
    v8 least = v8_add(least1, least2), inverse_area = v8_load(t->inverse_area);
    v8 alpha1 = v8_mul(inverse_area, v8_set1(args->alpha[0])), alpha2 = v8_mul(inverse_area, v8_set1(args->alpha[1]));
    const fabric_ease ease1 = fabric_ease_of(args, s.aa, least1, alpha1, on);
    const fabric_ease ease2 = fabric_ease_of(args, s.bb, least2, alpha2, on);

    v8x3 side1 = v8x3_sub(at->x[1], at->x[0]), side2 = v8x3_sub(at->x[2], at->x[0]);
    v8x3 f1 = fabric_column(a1, a2, side1, side2), f2 = fabric_column(b1, b2, side1, side2);
    v8 f11 = v8x3_dot(f1, f1), f12 = v8x3_dot(f1, f2), f22 = v8x3_dot(f2, f2);
    v8 length1 = v8_max(v8_sqrt(f11), tiny), length2 = v8_max(v8_sqrt(f22), tiny);
    v8 inverse1 = v8_div(one, length1), inverse2 = v8_div(one, length2);

    // Warp moves f1 by -saa u f1 and f2 by -sab u f1; what that changes of |f2| is taken as it is for small u.
    v8 u = v8_mul(fabric_limited(args, v8_sub(length1, one), s.aa, alpha1, ease1, lambda), inverse1);
    v8 c2 = v8_nmadd(v8_mul(s.ab, u), v8_mul(f12, inverse2), v8_sub(length2, one));
    v8 v = v8_mul(fabric_limited(args, c2, s.bb, alpha2, ease2, lambda ? lambda + 8 : NULL), inverse2);

    // f1' = m11 f1 + m12 f2, f2' = m21 f1 + m22 f2, and the products of these.
    v8 m11 = v8_nmadd(s.aa, u, one), m12 = v8_sub(zero, v8_mul(s.ab, v));
    v8 m21 = v8_sub(zero, v8_mul(s.ab, u)), m22 = v8_nmadd(s.bb, v, one);
    v8 p = v8_madd(m21, f11, v8_mul(m22, f12)), q = v8_madd(m21, f12, v8_mul(m22, f22)); // f2' . f1, f2' . f2
    v8 shear = v8_madd(m11, p, v8_mul(m12, q)), size2 = v8_madd(m21, p, v8_mul(m22, q));
    p = v8_madd(m11, f11, v8_mul(m12, f12));
    q = v8_madd(m11, f12, v8_mul(m12, f22));
    v8 size1 = v8_madd(m11, p, v8_mul(m12, q));
    v8 weight = v8_madd(v8_add(s.ab, s.ab), shear, v8_madd(s.aa, size2, v8_mul(s.bb, size1)));
    v8 alpha = v8_mul(inverse_area, v8_set1(args->alpha[2]));
    v8 k = fabric_step(shear, alpha, fabric_ease_of(args, weight, least, alpha, on), lambda ? lambda + 16 : NULL);

    // Along a by u f1 + k f2', along b by v f2 + k f1'.
    v8x3 pull1 = v8x3_madd(f2, v8_mul(k, m22), v8x3_scale(f1, v8_madd(k, m21, u)));
    v8x3 pull2 = v8x3_madd(f2, v8_madd(k, m12, v), v8x3_scale(f1, v8_mul(k, m11)));
    if (args->alpha[3] >= 0.0f) {
        fabric_area(args, f1, f2, s, least, inverse_area, lambda ? lambda + 24 : NULL, on, &pull1, &pull2);
    }
    at->x[0] = v8x3_sub(at->x[0], v8x3_madd(pull2, wb0, v8x3_scale(pull1, wa0)));
    at->x[1] = v8x3_sub(at->x[1], v8x3_madd(pull2, wb1, v8x3_scale(pull1, wa1)));
    at->x[2] = v8x3_sub(at->x[2], v8x3_madd(pull2, wb2, v8x3_scale(pull1, wa2)));
}

// -- Edges that bend

// lambda: three vectors, or NULL.
HEM_INLINE void bend_solve(const hem_bend* bend, const hemi_fabric_args* args, fabric_corners* at, m8 on, float* lambda,
                           int damped) {
    v8 c[4], w = v8_zero();
    v8x3 d = v8x3_make(w, w, w), then = d;
    for (int k = 0; k < 4; ++k) {
        c[k] = v8_load(bend->c[k]);
        w = v8_madd(at->w[k], v8_mul(c[k], c[k]), w);
        if (k != 0) { // the coefficients sum to zero: by the sides, as above
            d = v8x3_add(d, v8x3_scale(v8x3_sub(at->x[k], at->x[0]), c[k]));
        }
        if (k != 0 && damped) {
            then = v8x3_add(then, v8x3_scale(v8x3_sub(at->before[k], at->before[0]), c[k]));
        }
    }
    v8 gamma = v8_set1(args->gamma), alpha = v8_mul(v8_load(bend->compliance), v8_set1(args->bend));
    v8 scale = v8_max(v8_madd(v8_set1(args->share), w, alpha), w);
    scale = v8_max(v8_madd(gamma, w, scale), v8_set1(TINY));
    if (damped) {
        d = v8x3_add(d, v8x3_scale(v8x3_sub(d, then), gamma));
    }
    if (lambda) {
        v8x3 kept = v8x3_make(v8_load(lambda), v8_load(lambda + 8), v8_load(lambda + 16));
        d = v8x3_sub(d, v8x3_scale(kept, alpha));
    }
    v8x3 pull = v8x3_scale(d, v8_keep(on, v8_div(v8_set1(1.0f), scale)));
    if (lambda) {
        v8_store(lambda, v8_add(v8_load(lambda), pull.x));
        v8_store(lambda + 8, v8_add(v8_load(lambda + 8), pull.y));
        v8_store(lambda + 16, v8_add(v8_load(lambda + 16), pull.z));
    }
    for (int k = 0; k < 4; ++k) {
        at->x[k] = v8x3_sub(at->x[k], v8x3_scale(pull, v8_mul(at->w[k], c[k])));
    }
}

// atan2 of finite numbers with one division: large / small turned by an eighth is (small - large) / (small + large).
HEM_INLINE v8 dihedral_angle(v8 sine, v8 cosine) {
    v8 ax = v8_abs(cosine), ay = v8_abs(sine), large = v8_max(ax, ay), small = v8_min(ax, ay);
    m8 turn = v8_gt(small, v8_mul(large, v8_set1(HEM_TAN_PI_8)));
    v8 from = v8_select(turn, v8_sub(small, large), small), to = v8_select(turn, v8_add(small, large), large);
    v8 u = v8_div(from, v8_max(to, v8_set1(1e-37f))), z = v8_mul(u, u);
    v8 p = v8_madd(v8_set1(HEM_ATAN_T4), z, v8_set1(HEM_ATAN_T3));
    p = v8_madd(p, z, v8_set1(HEM_ATAN_T2));
    p = v8_madd(p, z, v8_set1(HEM_ATAN_T1));
    p = v8_madd(p, z, v8_set1(HEM_ATAN_T0));
    v8 a = v8_madd(v8_mul(u, z), p, v8_add(u, v8_keep(turn, v8_set1(0.25f * HEM_PI))));
    a = v8_select(v8_gt(ay, ax), v8_sub(v8_set1(0.5f * HEM_PI), a), a);
    a = v8_select(v8_lt(cosine, v8_zero()), v8_sub(v8_set1(HEM_PI), a), a);
    return v8_copysign(a, sine);
}

// lambda: one vector, or NULL. Past the buckling angle the moment grows with a share of the slope only.
//
// How the angle changes with the corners: grad2 and grad3 are the normals over the heights, those of the edge balance them by
// where the feet of the heights are. Its sine times |n1| |n2| is |e| r . n1, since (r x e) x (e x p) = e (r . (e x p)).
HEM_INLINE void dihedral_solve(const hem_dihedral* dihedral, const hemi_fabric_args* args, fabric_corners* at, m8 on,
                               float* lambda, int damped) {
    v8 tiny = v8_set1(TINY), one = v8_set1(1.0f);
    v8x3 e = v8x3_sub(at->x[1], at->x[0]), p = v8x3_sub(at->x[2], at->x[0]), r = v8x3_sub(at->x[3], at->x[0]);
    v8x3 n1 = v8x3_cross(e, p), n2 = v8x3_cross(r, e);
    v8 e2 = v8_max(v8x3_dot(e, e), tiny), length = v8_sqrt(e2), inverse = v8_div(one, e2);
    v8 over1 = v8_div(length, v8_max(v8x3_dot(n1, n1), tiny)), over2 = v8_div(length, v8_max(v8x3_dot(n2, n2), tiny));
    v8 foot1 = v8_mul(v8x3_dot(p, e), inverse), foot2 = v8_mul(v8x3_dot(r, e), inverse);
    v8x3 grad2 = v8x3_scale(n1, over1), grad3 = v8x3_scale(n2, over2);
    v8x3 grad1 = v8x3_madd(grad3, foot2, v8x3_scale(grad2, foot1)); // against it
    v8x3 grad0 = v8x3_sub(grad1, v8x3_add(grad2, grad3));
    v8 w = v8_mul(length, v8_madd(at->w[2], over1, v8_mul(at->w[3], over2))), rate = v8_zero();
    w = v8_madd(at->w[0], v8x3_dot(grad0, grad0), v8_madd(at->w[1], v8x3_dot(grad1, grad1), w));
    if (damped) { // gradients sum to zero: by what the corners moved beside the first
        v8x3 moved = v8x3_sub(at->x[0], at->before[0]);
        rate = v8x3_dot(grad2, v8x3_sub(v8x3_sub(at->x[2], at->before[2]), moved));
        rate = v8_add(rate, v8x3_dot(grad3, v8x3_sub(v8x3_sub(at->x[3], at->before[3]), moved)));
        rate = v8_sub(rate, v8x3_dot(grad1, v8x3_sub(v8x3_sub(at->x[1], at->before[1]), moved)));
    }
    // Turned back by the rest angle; the common factor |n1| |n2| does not matter.
    v8 sine = v8_mul(length, v8x3_dot(r, n1)), cosine = v8x3_dot(n1, n2);
    v8 rest_sine = v8_load(dihedral->sine), rest_cosine = v8_load(dihedral->cosine);
    v8 angle = dihedral_angle(v8_sub(v8_mul(sine, rest_cosine), v8_mul(cosine, rest_sine)),
                              v8_madd(cosine, rest_cosine, v8_mul(sine, rest_sine)));
    v8 limit = v8_set1(args->buckle_angle), part = v8_set1(args->buckle_share), size = v8_abs(angle);
    m8 folded = v8_gt(size, limit);
    v8 c = v8_copysign(v8_select(folded, v8_madd(part, v8_sub(size, limit), limit), size), angle);
    v8 slope = v8_mul(v8_select(folded, part, one), w);
    v8 gamma = v8_set1(args->gamma), alpha = v8_mul(v8_load(dihedral->compliance), v8_set1(args->bend));
    v8 kept = lambda ? v8_load(lambda) : v8_zero();
    v8 scale = v8_max(v8_madd(v8_set1(args->share), slope, alpha), w);
    v8 change = v8_div(v8_nmadd(alpha, kept, v8_madd(gamma, rate, c)), v8_max(v8_madd(gamma, w, scale), tiny));
    change = v8_keep(on, change);
    if (lambda) {
        v8_store(lambda, v8_add(kept, change));
    }
    at->x[0] = v8x3_sub(at->x[0], v8x3_scale(grad0, v8_mul(at->w[0], change)));
    at->x[1] = v8x3_madd(grad1, v8_mul(at->w[1], change), at->x[1]);
    at->x[2] = v8x3_sub(at->x[2], v8x3_scale(grad2, v8_mul(at->w[2], change)));
    at->x[3] = v8x3_sub(at->x[3], v8x3_scale(grad3, v8_mul(at->w[3], change)));
}

// -- Rows and indices

enum { FABRIC_TRIANGLE, FABRIC_BEND, FABRIC_DIHEDRAL };

HEM_INLINE void fabric_solve(const hem_view* view, int kind, uint32_t payload, const hemi_fabric_args* args,
                             fabric_corners* at, m8 on, int damped) {
    float* lambda = args->lambda ? args->lambda + (size_t)payload * 32 : NULL;
    if (kind == FABRIC_TRIANGLE) {
        triangle_solve(&view->triangles[payload], args, at, on, lambda);
    } else if (kind == FABRIC_BEND) {
        bend_solve(&view->bends[payload], args, at, on, lambda, damped);
    } else {
        dihedral_solve(&view->dihedrals[payload], args, at, on, lambda, damped);
    }
}

HEM_INLINE void fabric_take(const hem_row_batch* batch, int k, const hemi_fabric_args* args, fabric_corners* at,
                            int damped) {
    const hemi_row4* row = &args->x[batch->rows[k]];
    const int rotate = batch->rotates[k];
    v8x3 x = row4_load3(row), before = damped ? row3_load(&args->prev[batch->rows[k]]) : x;
    v8 w = v8_load(row->w);
    if (rotate) {
        x = v8x3_rotate_lanes(x, rotate);
        w = v8_rotate(w, rotate);
        before = damped ? v8x3_rotate_lanes(before, rotate) : before;
    }
    at->x[k] = x;
    at->before[k] = before;
    at->w[k] = w;
}

// Lanes that are off move by nothing, so whole rows go back.
HEM_INLINE void fabric_give(const hem_row_batch* batch, int k, const hemi_fabric_args* args, v8x3 x) {
    const int back = (8 - batch->rotates[k]) & 7;
    row4_store3(&args->x[batch->rows[k]], back ? v8x3_rotate_lanes(x, back) : x);
}

// One after the other and not in a loop: compilers keep corners in registers only when they see which is which.
HEM_INLINE void fabric_rows(const hem_view* view, const hem_row_batch* batch, int kind, const hemi_fabric_args* args,
                            int damped) {
    fabric_corners at;
    fabric_take(batch, 0, args, &at, damped);
    fabric_take(batch, 1, args, &at, damped);
    fabric_take(batch, 2, args, &at, damped);
    if (kind != FABRIC_TRIANGLE) {
        fabric_take(batch, 3, args, &at, damped);
    }
    fabric_solve(view, kind, batch->payload, args, &at, m8_from_bits(batch->lane_mask), damped);
    fabric_give(batch, 0, args, at.x[0]);
    fabric_give(batch, 1, args, at.x[1]);
    fabric_give(batch, 2, args, at.x[2]);
    if (kind != FABRIC_TRIANGLE) {
        fabric_give(batch, 3, args, at.x[3]);
    }
}

HEM_INLINE void fabric_indices(const hem_view* view, const hem_row_batch* batch, int kind, const hemi_fabric_args* args,
                               int damped) {
    const int arity = kind == FABRIC_TRIANGLE ? 3 : 4;
    const hem_group_index* index = &view->row_indices[batch->member_begin];
    HEM_ALIGN(32) int32_t slots[4][8], places[8];
    float* base = args->x[0].x;
    m8 on = m8_from_bits(batch->lane_mask);
    fabric_corners at;
    for (int k = 0; k < arity; ++k) {
        slots_of(index[k].index, slots[k]);
        at.x[k] = gather3(base, slots[k]);
        at.w[k] = v8_gather(base + 24, slots[k]);
        if (damped) {
            places_of(index[k].index, 24, places);
            at.before[k] = gather3(args->prev[0].x, places);
        }
    }
    fabric_solve(view, kind, batch->payload, args, &at, on, damped);
    for (int k = 0; k < arity; ++k) {
        scatter3(base, slots[k], at.x[k], on);
    }
}

HEM_INLINE void fabric_batches(const hem_view* view, const hem_row_batch* batches, uint32_t count, int kind,
                               const hemi_fabric_args* args, int damped) {
    for (uint32_t n = 0; n < count; ++n) {
        if (batches[n].form == HEM_FORM_ROWS) {
            fabric_rows(view, &batches[n], kind, args, damped);
        } else {
            fabric_indices(view, &batches[n], kind, args, damped);
        }
    }
}

void HEMI_NAME(triangles)(const hem_view* view, const hem_row_batch* batches, uint32_t count,
                          const hemi_fabric_args* args) {
    if (args->lambda || args->alpha[3] >= 0.0f || args->strain_limit < HEMI_NO_LIMIT ||
        args->compress_limit < HEMI_NO_LIMIT) {
        fabric_batches(view, batches, count, FABRIC_TRIANGLE, args, 0);
        return;
    }
    hemi_fabric_args plain = *args; // most cloth: what it does not have is left out by the compiler
    plain.lambda = NULL;
    plain.alpha[3] = -1.0f;
    plain.strain_limit = plain.compress_limit = HEMI_NO_LIMIT;
    fabric_batches(view, batches, count, FABRIC_TRIANGLE, &plain, 0);
}

void HEMI_NAME(bends)(const hem_view* view, const hem_row_batch* batches, uint32_t count,
                      const hemi_fabric_args* args) {
    if (args->gamma > 0.0f) {
        fabric_batches(view, batches, count, FABRIC_BEND, args, 1);
    } else {
        fabric_batches(view, batches, count, FABRIC_BEND, args, 0);
    }
}

void HEMI_NAME(dihedrals)(const hem_view* view, const hem_row_batch* batches, uint32_t count,
                          const hemi_fabric_args* args) {
    if (args->gamma > 0.0f) {
        fabric_batches(view, batches, count, FABRIC_DIHEDRAL, args, 1);
    } else {
        fabric_batches(view, batches, count, FABRIC_DIHEDRAL, args, 0);
    }
}
