// SPDX-License-Identifier: MIT
// Particles of one level of detail by those of another: each goes as if it were fixed to up to four of them. At rest that is
// where it was modelled, whatever the weights.

void HEMI_NAME(follow_level)(const hemi_level_args* a) {
    const hem_view *view = a->view, *from = a->from;
    const v8 unit = v8_set1(1.0f / 65535.0f), zero = v8_zero();
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        const uint32_t oriented = from->info->oriented_row_count, turned = from->parts[p].row_begin < oriented;
        const float* turns = turned ? a->from_q[0].x : a->from_frame_q[0].x;
        const w8 first_turn = w8_set1(turned ? 0 : (int32_t)oriented * 32);
        for (uint32_t row = part->row_begin; part->kind != HEM_PART_BODY && row < part->row_begin + part->row_count;
             ++row) {
            const hem_level_row* by = &a->rows[row];
            const hem_rest_row* at_rest = &view->rest_rows[row];
            const v8x3 rest = v8x3_make(v8_load(at_rest->x), v8_load(at_rest->y), v8_load(at_rest->z));
            v8x3 x = v8x3_set1(0.0f, 0.0f, 0.0f), v = x, w = x;
            v8x4 q = v8x4_make(zero, zero, zero, zero), first = q;
            for (int k = 0; k < 4; ++k) {
                const v8 weight = v8_mul(w8_to_v8(w8_load_u16(by->weight[k])), unit);
                if (k > 0 && m8_all(v8_eq(weight, zero))) {
                    continue;
                }
                HEM_ALIGN(32) int32_t slot[8], speed[8], turn[8];
                slots_of(by->particle[k], slot);
                places_of(by->particle[k], 24, speed);
                w8_store(turn, w8_sub(w8_load(slot), first_turn));
                const v8x3 arm = v8x3_sub(rest, gather3(from->rest_rows[0].x, slot));
                const v8x4 b = gather4(turns, turn);
                x = v8x3_madd(v8x3_add(gather3(a->from_x[0].x, slot), v8x4_rotate(b, arm)), weight, x);
                v = v8x3_madd(gather3(a->from_v[0].x, speed), weight, v);
                w = turned ? v8x3_madd(gather3(a->from_w[0].x, speed), weight, w) : w;
                first = k == 0 ? b : first;
                const v8 ws = v8_mul(weight, v8_sign(v8x4_dot(first, b)));
                q = v8x4_make(v8_madd(b.x, ws, q.x), v8_madd(b.y, ws, q.y), v8_madd(b.z, ws, q.z),
                              v8_madd(b.w, ws, q.w));
            }
            row4_store3(&a->x[row], x);
            row3_store(&a->v[row], v);
            if (row < view->info->oriented_row_count) {
                row4_store(&a->q[row], v8x4_normalise(q));
                row3_store(&a->w[row], w);
            }
        }
    }
}
