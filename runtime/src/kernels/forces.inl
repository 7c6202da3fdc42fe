// SPDX-License-Identifier: MIT
// Forces by name: what each adds to the accelerations of rows of eight particles. p is where a particle is, d = p - position;
// all in the character's space as it is when the substep begins.
//
//   fade(d)      (1 - d^2 / radius^2)^2 inside of the radius, 0 beyond it; 1 everywhere where there is none
//   constant     a = strength fade axis
//   point        a = -strength fade d / |d|
//   vortex       a = strength fade (axis x d) / |axis x d|, faded by the distance from the axis
//   turbulence   a = fade sum_i A_i cos(k_i . p + phase_i), A_i across k_i, so that each wave and their sum have no divergence
//   explosion    a = strength fade (S(to - |d| / length) - S(from - |d| / length)) / h d / |d|, S(q) = q^2 (3 - 2 q) in 0..1:
//                however many substeps the shell takes to pass, they add up to the strength
//   wind         air = velocity fade + that of turbulence, times what the body leaves of it
//   drag         a = (velocity - v) (1 - exp(-strength h)) / h inside of the box: exact, and never more than all of it

HEM_INLINE v8 fade(const hemi_force_now* f, v8 square) {
    v8 left = v8_max(v8_nmadd(square, v8_set1(f->inverse_radius2), v8_set1(1.0f)), v8_zero());
    return v8_mul(left, left);
}

HEM_INLINE v8x3 set3(const float v[3]) {
    return v8x3_set1(v[0], v[1], v[2]);
}

HEM_INLINE v8 shell(v8 q) {
    q = v8_min(v8_max(q, v8_zero()), v8_set1(1.0f));
    return v8_mul(v8_mul(q, q), v8_nmadd(q, v8_set1(2.0f), v8_set1(3.0f)));
}

HEM_INLINE v8x3 turbulence(const hemi_force_now* f, v8x3 p, v8x3 d) {
    v8x3 sum = v8x3_set1(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < HEMI_WAVES; ++i) {
        const hemi_wave* wave = &f->waves[i];
        v8 angle = v8_add(v8x3_dot(set3(wave->vector), p), v8_set1(wave->phase));
        sum = v8x3_madd(set3(wave->amplitude), v8_cos(angle), sum);
    }
    return v8x3_scale(sum, fade(f, v8x3_dot(d, d)));
}

HEM_INLINE v8x3 explosion(const hemi_force_now* f, v8x3 d, float h) {
    v8 square = v8x3_dot(d, d), way = v8_mul(v8_sqrt(square), v8_set1(f->inverse_length));
    v8 passed = v8_sub(shell(v8_sub(v8_set1(f->to), way)), shell(v8_sub(v8_set1(f->from), way)));
    return v8x3_scale(v8x3_normalise(d), v8_mul(v8_mul(passed, fade(f, square)), v8_set1(f->strength / h)));
}

HEM_INLINE v8x3 drag(const hemi_force_now* f, v8x3 p, v8x3 v, v8 rate) {
    v8x3 at = transform3(f->into, p, 1);
    m8 inside = m8_and(v8_le(v8_abs(at.x), v8_set1(f->size[0])),
                       m8_and(v8_le(v8_abs(at.y), v8_set1(f->size[1])), v8_le(v8_abs(at.z), v8_set1(f->size[2]))));
    return v8x3_keep(inside, v8x3_scale(v8x3_sub(set3(f->velocity), v), rate));
}

void HEMI_NAME(forces)(const hemi_force_args* a) {
    const hemi_force_now* f = a->force;
    v8x3 axis = set3(f->axis), origin = set3(f->position);
    v8 strength = v8_set1(f->strength), rate = v8_set1((1.0f - hem_expf(-f->strength * a->h)) / a->h);
    HEM_ASSERT(a->h > 0.0f && f->kind <= HEM_FORCE_WIND);
    for (uint32_t i = 0; i < a->count; ++i) {
        v8x3 p = row4_load3(&a->x[i]), d = v8x3_sub(p, origin), add;
        switch ((hem_force_kind)f->kind) {
        case HEM_FORCE_CONSTANT:
            add = v8x3_scale(axis, v8_mul(strength, fade(f, v8x3_dot(d, d))));
            break;
        case HEM_FORCE_POINT:
            add = v8x3_scale(v8x3_normalise(d), v8_neg(v8_mul(strength, fade(f, v8x3_dot(d, d)))));
            break;
        case HEM_FORCE_VORTEX: {
            v8x3 around = v8x3_cross(axis, d); // as long as d is away from the axis
            add = v8x3_scale(v8x3_normalise(around), v8_mul(strength, fade(f, v8x3_dot(around, around))));
            break;
        }
        case HEM_FORCE_TURBULENCE:
            add = turbulence(f, p, d);
            break;
        case HEM_FORCE_EXPLOSION:
            add = explosion(f, d, a->h);
            break;
        case HEM_FORCE_WIND:
            add = v8x3_madd(set3(f->velocity), fade(f, v8x3_dot(d, d)), turbulence(f, p, d));
            add = a->left ? v8x3_scale(add, v8_loadu(a->left + 8 * i)) : add;
            break;
        default:
            add = drag(f, p, row3_load(&a->v[i]), rate);
            break;
        }
        row3_store(&a->acceleration[i], v8x3_add(row3_load(&a->acceleration[i]), add));
    }
}
