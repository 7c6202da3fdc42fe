// SPDX-License-Identifier: MIT
// Hair keeps its volume: how crowded the particles of a guide are by those of other guides, and which way out.
//
//     crowd(i)    sum_j u(ij)^2,                  u(ij) = 1 - |x(i) - x(j)|^2 / reach^2 where that is positive
//     push(i)     sum_j u(ij) (x(i) - x(j)) (p(i) + p(j))
//
// over all j of other guides: half the slope of the energy sum_i e(i)^2 / 2 with p = e / e', so that what one is pushed another
// one is pushed back. No roots, and both go to zero at the reach. Cells are as wide as the reach: who is near lies in 27 of them, nine
// runs of three in a row. A run that is longer than MOST_NEAR is cut there, so that however hair is heaped the work has a bound.

#define MOST_NEAR 64u

typedef struct crowd_run {
    uint32_t begin, end;
} crowd_run;

HEM_INLINE uint32_t crowd_runs(const hemi_crowd_args* a, const uint32_t at[3], crowd_run* runs) {
    uint32_t low[3], high[3], count = 0;
    for (int k = 0; k < 3; ++k) {
        low[k] = at[k] > 0 ? at[k] - 1 : 0;
        high[k] = at[k] + 1 < a->size[k] ? at[k] + 1 : a->size[k] - 1;
    }
    for (uint32_t z = low[2]; z <= high[2]; ++z) {
        for (uint32_t y = low[1]; y <= high[1]; ++y) {
            const uint32_t row = (z * a->size[1] + y) * a->size[0];
            crowd_run run = {a->cell_begin[row + low[0]], a->cell_begin[row + high[0] + 1]};
            run.end = run.end - run.begin > MOST_NEAR ? run.begin + MOST_NEAR : run.end;
            runs[count] = run;
            count += run.end > run.begin;
        }
    }
    return count;
}

typedef struct crowd_near {
    v8x3 d; // from the others to it
    v8 u;   // 0 where there is nobody
} crowd_near;

HEM_INLINE crowd_near crowd_look(const hemi_crowd_args* a, uint32_t i, uint32_t j, uint32_t end) {
    HEM_ALIGN(32) static const float LANE[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    crowd_near near;
    near.d = v8x3_make(v8_sub(v8_set1(a->x[i]), v8_loadu(a->x + j)), v8_sub(v8_set1(a->y[i]), v8_loadu(a->y + j)),
                       v8_sub(v8_set1(a->z[i]), v8_loadu(a->z + j)));
    const v8 u = v8_nmadd(v8x3_dot(near.d, near.d), v8_set1(a->inverse_reach2), v8_set1(1.0f));
    const m8 there = v8_lt(v8_load(LANE), v8_set1((float)(end - j)));
    const m8 own = v8_eq(v8_loadu(a->guide + j), v8_set1(a->guide[i]));
    near.u = v8_keep(m8_andnot(m8_and(there, v8_gt(u, v8_zero())), own), u);
    return near;
}

HEM_INLINE void crowd_cell(const hemi_crowd_args* a, const uint32_t at[3], int push) {
    const uint32_t* cell = &a->cell_begin[(at[2] * a->size[1] + at[1]) * a->size[0] + at[0]];
    crowd_run runs[9];
    const uint32_t count = cell[1] > cell[0] ? crowd_runs(a, at, runs) : 0;
    for (uint32_t i = cell[0]; i < cell[1]; ++i) {
        v8x3 sum = v8x3_set1(0.0f, 0.0f, 0.0f);
        for (uint32_t r = 0; r < count; ++r) {
            for (uint32_t j = runs[r].begin; j < runs[r].end; j += 8) {
                const crowd_near near = crowd_look(a, i, j, runs[r].end);
                if (push) {
                    const v8 by = v8_mul(near.u, v8_add(v8_set1(a->push[i]), v8_loadu(a->push + j)));
                    const m8 on = v8_gt(near.u, v8_zero()); // nothing of what lies behind the last one
                    sum = v8x3_madd(v8x3_keep(on, near.d), v8_keep(on, by), sum);
                } else {
                    sum.x = v8_madd(near.u, near.u, sum.x);
                }
            }
        }
        a->out[0][i] = v8_sum(sum.x);
        if (push) {
            a->out[1][i] = v8_sum(sum.y);
            a->out[2][i] = v8_sum(sum.z);
        }
    }
}

HEM_INLINE void crowd_cells(const hemi_crowd_args* a, int push) {
    for (uint32_t z = 0; z < a->size[2]; ++z) {
        for (uint32_t y = 0; y < a->size[1]; ++y) {
            for (uint32_t x = 0; x < a->size[0]; ++x) {
                const uint32_t at[3] = {x, y, z};
                crowd_cell(a, at, push);
            }
        }
    }
}

void HEMI_NAME(crowd_sum)(const hemi_crowd_args* args) {
    crowd_cells(args, 0);
}

void HEMI_NAME(crowd_push)(const hemi_crowd_args* args) {
    crowd_cells(args, 1);
}
