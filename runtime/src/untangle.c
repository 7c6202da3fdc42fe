// SPDX-License-Identifier: MIT
// Cloth that a limb went through is led back to the pose: see kernels/caught.inl. So is what came to rest on the wrong side
// of the body.

#include "runtime/src/step.h"

// Hair that a quick turn throws over the shoulder, or a cape round the arm, comes to rest there: nothing pulls at it, and
// gravity holds it. It is known by its way home, which leads through the body. A pass over all rows takes this many steps.
#define ASTRAY_STEPS 32
#define ASTRAY_SPACINGS 1.5f // away from the pose, or it is not worth a look
#define ASTRAY_SPEED 4.0f    // spacings a second against the pose; what is faster may still come back by itself
#define ASTRAY_SECONDS 0.5f  // until it is there
#define ASTRAY_KIN 0.5f      // spacings away from the pose: neighbours of one who is go with it
#define ASTRAY_REACH 3.0f    // spacings; nothing further off is a neighbour
#define UNDER_SPACINGS 0.5f  // away from the pose: a lock that hangs in a collar by its tip does not come far
#define UNDER_REACH 1.5f     // spacings of the cloth that something may lie under
#define UNDER_CLOTH 0.25f    // cosine: nearer to its plane it is neither above nor below
#define UNDER_CELL 0.6f      // spacings around each of its particles that cloth is closed

static uint32_t caught_time(float seconds) {
    uint32_t units = (uint32_t)(seconds * HEMI_CAUGHT_HZ + 0.5f);
    return units ? units : 1;
}

// Where the pose has a part's particles means something only if the part hangs on the pose. What can meet the body, or
// colliders.
static int can_be_led(const hemi_step* step, uint32_t p) {
    const hemi_derived* derived = step->derived;
    const hem_view* view = step->instance->view;
    const int meets = (derived->part_pairs[p] & derived->body_parts) != 0 ||
                      ((derived->hung_parts >> p & 1u) && step->scratch->colliders.count != 0);
    return view->parts[p].kind != HEM_PART_BODY && meets &&
           hemi_part_mode(view, step->instance->input, p) == HEM_ANIMATE_DIRECT;
}

// Whether a row is near something that it can be caught on. Stuff that is meant to stretch may hang long where nothing is.
static int is_near_collider(const hemi_step* step, uint32_t row) {
    const hemi_colliders* s = &step->scratch->colliders;
    for (uint32_t c = 0; c < s->count; ++c) {
        if (s->paths[c].collider->kind != HEM_SHAPE_PLANE &&
            (s->row_colliders[(size_t)row * s->words + c / 64] >> (c % 64) & 1u)) {
            return 1;
        }
    }
    return 0;
}

// Those that are led back are immovable during this step.
void hemi_take_caught(hemi_step* step) {
    hemi_instance* instance = step->instance;
    hemi_untangle* s = &step->scratch->untangle;
    const hem_view* view = instance->view;
    for (uint32_t row = 0; row < view->info->row_count; ++row) {
        const uint8_t* caught = instance->caught + row * 8;
        if (!(hemi_eight_bytes(caught) & HEMI_LED * 0x0101010101010101u)) {
            continue;
        }
        uint32_t mask = 0;
        for (uint32_t i = 0; i < 8; ++i) {
            mask |= (uint32_t)(caught[i] >= HEMI_LED) << i;
        }
        HEM_ASSERT(s->led_count < view->info->row_count);
        hemi_led* led = &s->led[s->led_count++];
        led->row = row;
        led->mask = mask;
        for (uint32_t i = 0; i < 8; ++i) {
            led->left[i] = (float)(caught[i] - HEMI_LED) / HEMI_CAUGHT_HZ;
            instance->x[row].w[i] = mask >> i & 1u ? 0.0f : instance->x[row].w[i];
        }
        step->scene->kernels->pose_led(view, instance->bones, led);
    }
}

void hemi_lead_caught(hemi_step* step) {
    const hemi_untangle* s = &step->scratch->untangle;
    hemi_instance* instance = step->instance;
    float h = step->h;
    for (uint32_t n = 0; n < s->led_count; ++n) {
        hemi_led* led = &s->led[n];
        hemi_row4* x = &instance->x[led->row];
        for (uint32_t i = 0; i < 8; ++i) {
            if (led->mask >> i & 1u) {
                float share = led->left[i] > h ? h / led->left[i] : 1.0f;
                x->x[i] += (led->goal.x[i] - x->x[i]) * share;
                x->y[i] += (led->goal.y[i] - x->y[i]) * share;
                x->z[i] += (led->goal.z[i] - x->z[i]) * share;
                led->left[i] -= h;
            }
        }
    }
}

static float distance2(const hemi_row4* a, float x, float y, float z, uint32_t i) {
    const float dx = x - a->x[i], dy = y - a->y[i], dz = z - a->z[i];
    return dx * dx + dy * dy + dz * dz;
}

// Lanes of a row that rest so many spacings away from the pose. Poses move slowly against a particle that does.
static uint32_t rests_away(const hemi_step* step, const hem_part* part, const hemi_led* led, float spacings) {
    const hemi_instance* instance = step->instance;
    const hemi_row3* v = &instance->v[led->row];
    const float far = spacings * part->spacing, fast = ASTRAY_SPEED * part->spacing;
    uint32_t away = 0;
    for (uint32_t i = 0; i < 8; ++i) {
        const float way2 = distance2(&instance->x[led->row], led->goal.x[i], led->goal.y[i], led->goal.z[i], i);
        const float speed2 = v->x[i] * v->x[i] + v->y[i] * v->y[i] + v->z[i] * v->z[i];
        const int moves = instance->view->shape_rows[led->row].inverse_mass[i] > 0.0f;
        away |= (uint32_t)(moves && way2 > far * far && speed2 < fast * fast) << i;
    }
    return away;
}

// One who is astray takes its neighbours along, or the lock would hang between them through the shoulder. The compiler lays
// neighbours into one lane of successive rows, so they are found up and down the lane: as far as it is one piece, and away
// from the pose.
static void lead_with_kin(hemi_step* step, const hem_part* part, uint32_t row, uint32_t i) {
    hemi_instance* instance = step->instance;
    const hem_view* view = instance->view;
    const uint8_t led_for = (uint8_t)(HEMI_LED + caught_time(ASTRAY_SECONDS));
    const float reach = ASTRAY_REACH * part->spacing, away = ASTRAY_KIN * part->spacing;
    instance->caught[row * 8 + i] = led_for;
    for (uint32_t down = 0; down < 2; ++down) {
        const uint32_t last = down ? part->row_begin : part->row_begin + part->row_count - 1;
        for (uint32_t n = row; n != last;) {
            const hemi_row4* from = &instance->x[n];
            n = down ? n - 1 : n + 1;
            const hemi_row4* x = &instance->x[n];
            hemi_led led = {.row = n, .mask = 1u << i};
            step->scene->kernels->pose_led(view, instance->bones, &led);
            if (!(view->shape_rows[n].inverse_mass[i] > 0.0f) ||
                distance2(x, from->x[i], from->y[i], from->z[i], i) > reach * reach ||
                distance2(x, led.goal.x[i], led.goal.y[i], led.goal.z[i], i) < away * away) {
                break;
            }
            instance->caught[n * 8 + i] = led_for;
        }
    }
}

// Where something hangs against cloth that it belongs outside of.
typedef struct under {
    float nearest2, height; // the particle of the cloth that it is nearest to, and how far above that
    uint32_t nearest;       // UINT32_MAX = none within reach
    uint32_t through;       // on the way home, which leads out from below there; UINT32_MAX = it does not
    int above;              // of any particle near: it is out
} under;

static under look_up(const hemi_step* step, hem_vec3 from, hem_vec3 way, const hem_part* cloth) {
    const hemi_instance* instance = step->instance;
    const float reach = UNDER_REACH * cloth->spacing, cell = UNDER_CELL * cloth->spacing;
    under u = {reach * reach, 0.0f, UINT32_MAX, UINT32_MAX, 0};
    for (uint32_t n = cloth->row_begin * 8; n < (cloth->row_begin + cloth->row_count) * 8; ++n) {
        const hemi_row4* c = &instance->x[n >> 3];
        const hemi_row3* out = &step->scratch->solve.normal[n >> 3];
        const uint32_t k = n & 7u;
        const hem_vec3 off = hem_vec3_sub(from, hem_vec3_make(c->x[k], c->y[k], c->z[k]));
        const hem_vec3 up = hem_vec3_make(out->x[k], out->y[k], out->z[k]);
        const float height = hem_vec3_dot(off, up), rise = hem_vec3_dot(way, up), square = hem_vec3_dot(off, off);
        if (instance->view->particle_flags[n] & HEM_PARTICLE_PAD) {
            continue;
        }
        if (square < reach * reach) {
            u.above |= height > 0.0f && height * height > UNDER_CLOTH * UNDER_CLOTH * square;
            u.height = square < u.nearest2 ? height : u.height;
            u.nearest = square < u.nearest2 ? n : u.nearest;
            u.nearest2 = square < u.nearest2 ? square : u.nearest2;
        }
        if (height < 0.0f && height + rise > 0.0f) {
            const hem_vec3 beside = hem_vec3_sub(off, hem_vec3_scale(way, height / rise));
            u.through = hem_vec3_dot(beside, beside) < cell * cell ? n : u.through;
        }
    }
    return u;
}

// A lock or a hem that has come to rest under cloth that it lies outside of lifts that cloth and is held by it; contacts
// keep the two apart, each on the wrong side. It is known by what lies near, where all of that says so (around a shoulder
// what is out lies below the planes of particles further round), or by its way home, where that leads out through the
// cloth (a lock hangs over a rim by its tip). Both are led: in the pose they lie in their order.
//
// Tried and lost: the solid angle of the cloth, which at a rim tells nothing; heights weighed by nearness instead of a veto of
// those above, which leads cloth in mid-air in a jump and tears it.
static void lead_from_under(hemi_step* step, const hem_part* part, const hemi_led* led, uint32_t i,
                            const hem_part* cloth) {
    const hemi_row4* x = &step->instance->x[led->row];
    const hem_vec3 from = hem_vec3_make(x->x[i], x->y[i], x->z[i]);
    const hem_vec3 goal = hem_vec3_make(led->goal.x[i], led->goal.y[i], led->goal.z[i]);
    const under u = look_up(step, from, hem_vec3_sub(goal, from), cloth);
    const int below = u.nearest != UINT32_MAX && !u.above && u.height < 0.0f &&
                      u.height * u.height > UNDER_CLOTH * UNDER_CLOTH * u.nearest2;
    const uint32_t over = below ? u.nearest : u.through;
    step->scratch->counters.work += cloth->row_count;
    if (over == UINT32_MAX) {
        return;
    }
    lead_with_kin(step, part, led->row, i);
    if (step->instance->view->shape_rows[over >> 3].inverse_mass[over & 7u] >
        0.0f) { // a collar is where the pose has it
        lead_with_kin(step, cloth, over >> 3, over & 7u);
    }
}

static void watch_under(hemi_step* step, const hem_part* part, const hemi_led* led, uint32_t away) {
    const hem_view* view = step->instance->view;
    for (uint32_t c = 0; c < view->info->part_count; ++c) {
        const hem_part* cloth = &view->parts[c];
        if ((part->outside_of[c >> 5] >> (c & 31u) & 1u) && cloth->kind == HEM_PART_CLOTH && can_be_led(step, c)) {
            for (uint32_t bits = away; bits; bits &= bits - 1) {
                lead_from_under(step, part, led, hem_lowest_bit(bits), cloth);
            }
        }
    }
}

// After the step: a share of the rows is looked at. Bodies are where the last substep had them.
void hemi_watch_astray(hemi_step* step) {
    hemi_instance* instance = step->instance;
    const hem_view* view = instance->view;
    const uint32_t turn = (uint32_t)(instance->state->step_count % ASTRAY_STEPS);
    const uint32_t count = step->derived->body_row_count * 8;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        if (!can_be_led(step, p) || count == 0) {
            continue;
        }
        for (uint32_t n = turn; n < part->row_count; n += ASTRAY_STEPS) {
            hemi_led led = {.row = part->row_begin + n, .mask = 0xff};
            step->scene->kernels->pose_led(view, instance->bones, &led);
            uint32_t free = 0xff;
            for (uint32_t i = 0; i < 8; ++i) {
                free &= ~((uint32_t)(instance->caught[led.row * 8 + i] >= HEMI_LED) << i); // is on its way
            }
            const uint32_t off = step->derived->ordered ? free & rests_away(step, part, &led, UNDER_SPACINGS) : 0;
            led.mask = free & rests_away(step, part, &led, ASTRAY_SPACINGS);
            if (!(led.mask | off)) {
                continue;
            }
            uint32_t astray = 0;
            if (led.mask) {
                step->scratch->counters.work += count / 8;
                astray = step->scene->kernels->find_astray(step->scratch->contacts.bodies, count, &instance->x[led.row],
                                                           &led);
            }
            watch_under(step, part, &led, off & ~astray);
            for (; astray; astray &= astray - 1) {
                lead_with_kin(step, part, led.row, hem_lowest_bit(astray));
            }
        }
    }
}

// Before threads are shortened: a limb that is between them is known by how long they are.
void hemi_watch_strained(hemi_step* step) {
    const hem_view* view = step->instance->view;
    hemi_solve* s = &step->scratch->solve;
    memset(s->strained, 0, view->info->row_count);
    memset(s->torn, 0, view->info->row_count);
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        if (can_be_led(step, p)) {
            step->scene->kernels->watch_links(view, &view->parts[p], step->instance->x, HEMI_TORN, s->torn);
            step->scene->kernels->watch_links(view, &view->parts[p], step->instance->x, HEMI_STRAINED, s->strained);
        }
    }
}

// Links that are longer still count three times: two of them here.
static void watch_torn(hemi_step* step, const hem_part* part, uint32_t passed) {
    hemi_instance* instance = step->instance;
    const uint8_t* torn = step->scratch->solve.torn;
    for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
        uint8_t* caught = instance->caught + row * 8;
        for (uint32_t bits = torn[row]; bits; bits &= bits - 1) {
            uint32_t i = hem_lowest_bit(bits), c = caught[i] + 2 * passed;
            if (caught[i] < HEMI_LED) {
                caught[i] = (uint8_t)(c < HEMI_LED ? c : HEMI_LED - 1);
            }
        }
    }
}

// Of the lanes whose time has come, those that are somewhere else than in the pose: what is strained there too, between
// two pins or where the pose itself crosses, would be led for ever and never sleep.
static uint32_t away_from_pose(hemi_step* step, const hem_part* part, uint32_t row, uint32_t due) {
    const hemi_row4* x = &step->instance->x[row];
    hemi_led led = {.row = row, .mask = due};
    const float near2 = 0.25f * part->spacing * part->spacing;
    uint32_t away = 0;
    step->scene->kernels->pose_led(step->instance->view, step->instance->bones, &led);
    for (uint32_t bits = due; bits; bits &= bits - 1) {
        uint32_t i = hem_lowest_bit(bits);
        float dx = led.goal.x[i] - x->x[i], dy = led.goal.y[i] - x->y[i], dz = led.goal.z[i] - x->z[i];
        away |= (uint32_t)(dx * dx + dy * dy + dz * dz > near2) << i;
    }
    return away;
}

// After the step: who has arrived, and who is strained for how long.
void hemi_watch_caught(hemi_step* step) {
    hemi_instance* instance = step->instance;
    const hemi_untangle* s = &step->scratch->untangle;
    uint8_t* strained_rows = step->scratch->solve.strained;
    const hem_view* view = instance->view;
    uint32_t passed = caught_time(step->dt), patience = caught_time(HEMI_CAUGHT_SECONDS),
             lead = caught_time(HEMI_LED_SECONDS);
    // By then whatever a limb had gone through has been led back twice. What is strained again is pinched, between a thigh
    // and the belly: it stays where the pose has it until that moves, instead of struggling for ever.
    const uint32_t arrived = !step->moved && instance->state->pose_still_seconds > HEMI_PINCHED_SECONDS ? HEMI_LED : 0;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        if (!can_be_led(step, p)) {
            continue;
        }
        const hem_part* part = &view->parts[p];
        const int meets_body = (step->derived->part_pairs[p] & step->derived->body_parts) != 0;
        watch_torn(step, part, passed);
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
            uint8_t* caught = instance->caught + row * 8;
            if (!strained_rows[row] && !hemi_eight_bytes(caught)) {
                continue;
            }
            if (strained_rows[row] && !meets_body && !is_near_collider(step, row)) {
                strained_rows[row] = 0;
            }
            uint32_t due = 0;
            for (uint32_t i = 0; i < 8; ++i) {
                due |= (uint32_t)(caught[i] < HEMI_LED && caught[i] + passed >= patience) << i;
            }
            due &= strained_rows[row];
            uint32_t away = due ? away_from_pose(step, part, row, due) : 0;
            for (uint32_t i = 0; i < 8; ++i) {
                uint32_t c = caught[i], strained = strained_rows[row] >> i & 1u;
                if (c >= HEMI_LED) {
                    c = c > HEMI_LED + passed ? c - passed : arrived;
                } else if (!strained || !(view->shape_rows[row].inverse_mass[i] > 0.0f)) {
                    c = 0;
                } else {
                    c = c + passed < patience ? c + passed : away >> i & 1u ? HEMI_LED + lead : 0;
                }
                HEM_ASSERT(c <= UINT8_MAX);
                caught[i] = (uint8_t)c;
            }
        }
    }
    for (uint32_t n = 0; n < s->led_count; ++n) {
        uint32_t row = s->led[n].row;
        memcpy(instance->x[row].w, view->shape_rows[row].inverse_mass, sizeof(instance->x[row].w));
    }
}

// Cloth that something has pressed exactly flat stays in its plane, folded over and torn as it may be: nothing in a link
// points out of it. So what is snagged is shaken now and then, by less than anybody sees.
#define SHAKEN_STEPS 128u
#define SHAKEN_SHORT 0.5f  // times its rest length, or longer than HEMI_SNAGGED
#define SHAKEN_BY 2e-4f    // of the spacing
#define SHAKEN_FAR 2.5e-7f // or of how far it is from the origin, two steps of a float: less would be lost far out

static void mark_snagged(const hemi_row4* x, uint32_t kind, uint32_t a, uint32_t b, float rest, uint8_t* snagged) {
    const hemi_row4 *u = &x[a >> 3], *v = &x[b >> 3];
    const uint32_t i = a & 7u, k = b & 7u;
    const float dx = u->x[i] - v->x[k], dy = u->y[i] - v->y[k], dz = u->z[i] - v->z[k];
    const float square = dx * dx + dy * dy + dz * dz, rest2 = rest * rest;
    if (hem_kind_in(kind, HEM_KINDS_STRETCH) &&
        (square > HEMI_SNAGGED * HEMI_SNAGGED * rest2 || square < SHAKEN_SHORT * SHAKEN_SHORT * rest2)) {
        snagged[a >> 3] |= (uint8_t)(1u << i);
        snagged[b >> 3] |= (uint8_t)(1u << k);
    }
}

static void shake(float* at, float least, uint32_t up) {
    const float by = hem_maxf(least, SHAKEN_FAR * hem_absf(*at));
    *at += up ? by : -by;
}

void hemi_shake_snagged(hemi_step* step) {
    hemi_instance* instance = step->instance;
    const hem_view* view = instance->view;
    uint8_t* snagged = step->scratch->solve.moved_rows; // zero between the kernels that use it
    const uint32_t slot = step->id.index1 - 1;          // a crowd takes turns
    if ((instance->state->step_count + slot) % SHAKEN_STEPS != 0) {
        return;
    }
    for (uint32_t n = 0; n < view->link_batch_count; ++n) {
        const hem_link_batch* l = &view->link_batches[n];
        for (uint32_t bits = l->lane_mask; bits; bits &= bits - 1) {
            const uint32_t i = hem_lowest_bit(bits);
            mark_snagged(instance->x, l->kind, l->row_a * 8 + i, l->row_b * 8 + ((i + l->rotate) & 7u), l->rest[i],
                         snagged);
        }
    }
    for (uint32_t n = 0; n < view->index_batch_count; ++n) {
        const hem_index_batch* l = &view->index_batches[n];
        for (uint32_t bits = l->lane_mask; bits; bits &= bits - 1) {
            const uint32_t i = hem_lowest_bit(bits);
            mark_snagged(instance->x, l->kind, l->a[i], l->b[i], l->rest[i], snagged);
        }
    }
    for (uint32_t row = 0; row < view->info->row_count; ++row) {
        hemi_row4* x = &instance->x[row];
        for (uint32_t bits = snagged[row]; bits; bits &= bits - 1) {
            const uint32_t i = hem_lowest_bit(bits), p = row * 8 + i, way = p * 2654435761u >> 29;
            const float spacing = view->parts[view->particle_flags[p] >> HEM_PARTICLE_PART_SHIFT].spacing;
            if (x->w[i] > 0.0f) {
                shake(&x->x[i], SHAKEN_BY * spacing, way & 1u);
                shake(&x->y[i], SHAKEN_BY * spacing, way & 2u);
                shake(&x->z[i], SHAKEN_BY * spacing, way & 4u);
            }
        }
        snagged[row] = 0;
    }
}
