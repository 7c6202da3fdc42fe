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

// The change of a multiplier for a violation c that changes by w for each unit of it. The strain that is left stays within
// [low, high].
HEM_INLINE v8 fabric_step(const hemi_fabric_args* args, v8 c, v8 w, v8 least, v8 alpha, float* lambda, m8 on, v8 low,
                          v8 high) {
    v8 kept = lambda ? v8_load(lambda) : v8_zero();
    v8 scale = v8_max(v8_madd(v8_set1(args->share), w, alpha), v8_max(w, least));
    v8 change = v8_div(lambda ? v8_nmadd(alpha, kept, c) : c, v8_max(scale, v8_set1(TINY)));
    v8 left = v8_nmadd(w, change, c);
    v8 over = v8_sub(left, v8_min(v8_max(left, low), high));
    m8 moves = m8_and(on, v8_gt(w, v8_set1(TINY)));
    change = v8_keep(moves, v8_add(change, v8_div(over, v8_max(v8_max(w, least), v8_set1(TINY)))));
    if (lambda) {
        v8_store(lambda, v8_add(kept, change));
    }
    return change;
}

// -- Triangles

typedef struct fabric_gradient {
    v8x3 f1, f2;
    v8x3 pull1, pull2; // along a and b, to be subtracted
    v8 saa, sab, sbb;
} fabric_gradient;

// By the sides, which are small numbers wherever the cloth is.
HEM_INLINE v8x3 fabric_column(v8 a1, v8 a2, const v8x3* x) {
    return v8x3_add(v8x3_scale(v8x3_sub(x[1], x[0]), a1), v8x3_scale(v8x3_sub(x[2], x[0]), a2));
}

HEM_INLINE void fabric_pull(fabric_gradient* g, v8x3 along1, v8x3 along2) {
    g->pull1 = v8x3_add(g->pull1, along1);
    g->pull2 = v8x3_add(g->pull2, along2);
    g->f1 = v8x3_sub(g->f1, v8x3_add(v8x3_scale(along1, g->saa), v8x3_scale(along2, g->sab)));
    g->f2 = v8x3_sub(g->f2, v8x3_add(v8x3_scale(along1, g->sab), v8x3_scale(along2, g->sbb)));
}

HEM_INLINE void fabric_shear(const hemi_fabric_args* args, fabric_gradient* g, v8 least, v8 inverse_area, float* lambda,
                             m8 on) {
    v8 c = v8x3_dot(g->f1, g->f2), large = v8_set1(1e30f);
    v8 w = v8_madd(g->saa, v8x3_dot(g->f2, g->f2), v8_mul(g->sbb, v8x3_dot(g->f1, g->f1)));
    w = v8_madd(v8_add(g->sab, g->sab), c, w);
    v8 change =
        fabric_step(args, c, w, least, v8_mul(inverse_area, v8_set1(args->alpha[2])), lambda, on, v8_neg(large), large);
    fabric_pull(g, v8x3_scale(g->f2, change), v8x3_scale(g->f1, change));
}

HEM_INLINE void fabric_area(const hemi_fabric_args* args, fabric_gradient* g, v8 least, v8 inverse_area, float* lambda,
                            m8 on) {
    v8x3 n = v8x3_cross(g->f1, g->f2);
    v8 size = v8_max(v8_sqrt(v8x3_dot(n, n)), v8_set1(TINY)), large = v8_set1(1e30f);
    n = v8x3_scale(n, v8_div(v8_set1(1.0f), size));
    v8x3 g1 = v8x3_cross(g->f2, n), g2 = v8x3_cross(n, g->f1);
    v8 w = v8_madd(g->saa, v8x3_dot(g1, g1), v8_mul(g->sbb, v8x3_dot(g2, g2)));
    w = v8_madd(v8_add(g->sab, g->sab), v8x3_dot(g1, g2), w);
    v8 change = fabric_step(args, v8_sub(size, v8_set1(1.0f)), w, least, v8_mul(inverse_area, v8_set1(args->alpha[3])),
                            lambda, on, v8_neg(large), large);
    fabric_pull(g, v8x3_scale(g1, change), v8x3_scale(g2, change));
}

// From corners to corners. lambda: four vectors, or NULL.
HEM_INLINE void triangle_solve(const hem_triangle* t, const hemi_fabric_args* args, fabric_corners* at, m8 on,
                               float* lambda) {
    const v8* w = at->w;
    v8 zero = v8_zero(), one = v8_set1(1.0f), tiny = v8_set1(TINY);
    v8 a1 = v8_load(t->q[0]), a2 = v8_load(t->q[1]), b1 = v8_load(t->q[2]), b2 = v8_load(t->q[3]);
    v8 a0 = v8_sub(zero, v8_add(a1, a2)), b0 = v8_sub(zero, v8_add(b1, b2));
    v8 wa0 = v8_mul(w[0], a0), wa1 = v8_mul(w[1], a1), wa2 = v8_mul(w[2], a2);
    v8 wb0 = v8_mul(w[0], b0), wb1 = v8_mul(w[1], b1), wb2 = v8_mul(w[2], b2);
    v8 inverse_area = v8_load(t->inverse_area);
    // A constraint that hardly reaches whoever can move asks for far too much of him.
    v8 small = v8_mul(v8_set1(0.05f), v8_add(w[0], v8_add(w[1], w[2])));
    v8 least1 = v8_mul(small, v8_madd(a1, a1, v8_mul(a2, a2))), least2 = v8_mul(small, v8_madd(b1, b1, v8_mul(b2, b2)));
    fabric_gradient g;
    g.saa = v8_madd(wa0, a0, v8_madd(wa1, a1, v8_mul(wa2, a2)));
    g.sab = v8_madd(wa0, b0, v8_madd(wa1, b1, v8_mul(wa2, b2)));
    g.sbb = v8_madd(wb0, b0, v8_madd(wb1, b1, v8_mul(wb2, b2)));
    g.f1 = fabric_column(a1, a2, at->x);
    g.f2 = fabric_column(b1, b2, at->x);
    g.pull1 = g.pull2 = v8x3_make(zero, zero, zero);
    v8 low = v8_set1(-args->compress_limit), high = v8_set1(args->strain_limit);

    v8 length = v8_max(v8_sqrt(v8x3_dot(g.f1, g.f1)), tiny);
    v8x3 along = v8x3_scale(g.f1, v8_div(one, length));
    v8 change = fabric_step(args, v8_sub(length, one), g.saa, least1, v8_mul(inverse_area, v8_set1(args->alpha[0])),
                            lambda, on, low, high);
    v8x3 pull = v8x3_scale(along, change);
    g.pull1 = pull;
    g.f1 = v8x3_sub(g.f1, v8x3_scale(pull, g.saa));
    g.f2 = v8x3_sub(g.f2, v8x3_scale(pull, g.sab));

    length = v8_max(v8_sqrt(v8x3_dot(g.f2, g.f2)), tiny);
    along = v8x3_scale(g.f2, v8_div(one, length));
    change = fabric_step(args, v8_sub(length, one), g.sbb, least2, v8_mul(inverse_area, v8_set1(args->alpha[1])),
                         lambda ? lambda + 8 : NULL, on, low, high);
    pull = v8x3_scale(along, change);
    g.pull2 = pull;
    g.f1 = v8x3_sub(g.f1, v8x3_scale(pull, g.sab));
    g.f2 = v8x3_sub(g.f2, v8x3_scale(pull, g.sbb));

    fabric_shear(args, &g, v8_add(least1, least2), inverse_area, lambda ? lambda + 16 : NULL, on);
    if (args->alpha[3] >= 0.0f) {
        fabric_area(args, &g, v8_add(least1, least2), inverse_area, lambda ? lambda + 24 : NULL, on);
    }
    at->x[0] = v8x3_sub(at->x[0], v8x3_add(v8x3_scale(g.pull1, wa0), v8x3_scale(g.pull2, wb0)));
    at->x[1] = v8x3_sub(at->x[1], v8x3_add(v8x3_scale(g.pull1, wa1), v8x3_scale(g.pull2, wb1)));
    at->x[2] = v8x3_sub(at->x[2], v8x3_add(v8x3_scale(g.pull1, wa2), v8x3_scale(g.pull2, wb2)));
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

// The angle and how it changes with the corners: grad of 2 and 3 are the normals over the heights, those of the edge balance
// them by where the feet of the heights are.
HEM_INLINE v8 dihedral_angle(const v8x3* x, v8 rest_cosine, v8 rest_sine, v8x3* grad) {
    v8 tiny = v8_set1(TINY), one = v8_set1(1.0f);
    v8x3 e = v8x3_sub(x[1], x[0]), p = v8x3_sub(x[2], x[0]), r = v8x3_sub(x[3], x[0]);
    v8x3 n1 = v8x3_cross(e, p), n2 = v8x3_cross(r, e);
    v8 e2 = v8_max(v8x3_dot(e, e), tiny), length = v8_sqrt(e2);
    v8 m1 = v8_max(v8x3_dot(n1, n1), tiny), m2 = v8_max(v8x3_dot(n2, n2), tiny);
    v8 cosine = v8x3_dot(n1, n2), sine = v8_div(v8x3_dot(v8x3_cross(n2, n1), e), length);
    // Turned back by the rest angle; atan2 does not mind the common factor |n1| |n2|.
    v8 turned_sine = v8_sub(v8_mul(sine, rest_cosine), v8_mul(cosine, rest_sine));
    v8 turned_cosine = v8_madd(cosine, rest_cosine, v8_mul(sine, rest_sine));
    grad[2] = v8x3_scale(n1, v8_div(length, m1));
    grad[3] = v8x3_scale(n2, v8_div(length, m2));
    v8 along2 = v8_div(v8x3_dot(p, e), e2), along3 = v8_div(v8x3_dot(r, e), e2);
    grad[0] = v8x3_add(v8x3_scale(grad[2], v8_sub(along2, one)), v8x3_scale(grad[3], v8_sub(along3, one)));
    grad[1] = v8x3_neg(v8x3_add(v8x3_scale(grad[2], along2), v8x3_scale(grad[3], along3)));
    return v8_atan2(turned_sine, turned_cosine);
}

// lambda: one vector, or NULL. Past the buckling angle the moment grows with a share of the slope only.
HEM_INLINE void dihedral_solve(const hem_dihedral* dihedral, const hemi_fabric_args* args, fabric_corners* at, m8 on,
                               float* lambda, int damped) {
    v8x3 grad[4];
    v8 angle = dihedral_angle(at->x, v8_load(dihedral->cosine), v8_load(dihedral->sine), grad);
    v8 w = v8_zero(), rate = v8_zero(), one = v8_set1(1.0f);
    for (int k = 0; k < 4; ++k) {
        w = v8_madd(at->w[k], v8x3_dot(grad[k], grad[k]), w);
        if (damped) {
            rate = v8_add(rate, v8x3_dot(grad[k], v8x3_sub(at->x[k], at->before[k])));
        }
    }
    v8 limit = v8_set1(args->buckle_angle), part = v8_set1(args->buckle_share), size = v8_abs(angle);
    m8 folded = v8_gt(size, limit);
    v8 c = v8_copysign(v8_select(folded, v8_madd(part, v8_sub(size, limit), limit), size), angle);
    v8 slope = v8_mul(v8_select(folded, part, one), w);
    v8 gamma = v8_set1(args->gamma), alpha = v8_mul(v8_load(dihedral->compliance), v8_set1(args->bend));
    v8 kept = lambda ? v8_load(lambda) : v8_zero();
    v8 scale = v8_max(v8_madd(v8_set1(args->share), slope, alpha), w);
    v8 change = v8_div(v8_nmadd(alpha, kept, v8_madd(gamma, rate, c)), v8_max(v8_madd(gamma, w, scale), v8_set1(TINY)));
    change = v8_keep(on, change);
    if (lambda) {
        v8_store(lambda, v8_add(kept, change));
    }
    for (int k = 0; k < 4; ++k) {
        at->x[k] = v8x3_sub(at->x[k], v8x3_scale(grad[k], v8_mul(at->w[k], change)));
    }
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

// Lanes that are off move by nothing, so whole rows go back.
HEM_INLINE void fabric_rows(const hem_view* view, const hem_row_batch* batch, int kind, const hemi_fabric_args* args,
                            int damped) {
    const int arity = kind == FABRIC_TRIANGLE ? 3 : 4;
    fabric_corners at;
    for (int k = 0; k < arity; ++k) {
        const hemi_row4* row = &args->x[batch->rows[k]];
        const int rotate = batch->rotates[k];
        at.x[k] = row4_load3(row);
        at.w[k] = v8_load(row->w);
        if (damped) {
            at.before[k] = row3_load(&args->prev[batch->rows[k]]);
        }
        if (rotate) {
            at.x[k] = v8x3_rotate_lanes(at.x[k], rotate);
            at.w[k] = v8_rotate(at.w[k], rotate);
            if (damped) {
                at.before[k] = v8x3_rotate_lanes(at.before[k], rotate);
            }
        }
    }
    fabric_solve(view, kind, batch->payload, args, &at, m8_from_bits(batch->lane_mask), damped);
    for (int k = 0; k < arity; ++k) {
        const int back = (8 - batch->rotates[k]) & 7;
        row4_store3(&args->x[batch->rows[k]], back ? v8x3_rotate_lanes(at.x[k], back) : at.x[k]);
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
    fabric_batches(view, batches, count, FABRIC_TRIANGLE, args, 0);
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
