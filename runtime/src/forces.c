// SPDX-License-Identifier: MIT
// Forces by name: what the game says of them, which of them reach an instance, and what they are in a substep.
//
// They lie in INPUT as they were given, in the world; how long each has been there lies in STATE. A step finds those that
// can reach one of the instance's particles until its end, by balls; what they add is in kernels/forces.inl.

#include "runtime/src/checks.h"
#include "runtime/src/ops.h"
#include "runtime/src/step.h"

#define FORCE_COOKIE 0x48454d46u

// -- What the game says

hem_force hem_force_default(void) {
    hem_force force;
    memset(&force, 0, sizeof(force));
    force.cookie = FORCE_COOKIE;
    force.rotation[3] = 1.0f;
    force.length = 1.0f;
    force.speed = 10.0f;
    force.mask = ~0u;
    return force;
}

static hemi_force plain(const hem_force* from) {
    hemi_force to;
    memset(&to, 0, sizeof(to));
    memcpy(to.position, from->position, sizeof(to.position));
    memcpy(to.rotation, from->rotation, sizeof(to.rotation));
    memcpy(to.size, from->size, sizeof(to.size));
    memcpy(to.velocity, from->velocity, sizeof(to.velocity));
    to.strength = from->strength;
    to.radius = from->radius;
    to.length = from->length;
    to.speed = from->speed;
    to.shelter = from->shelter;
    to.kind = (uint32_t)from->kind;
    to.mask = from->mask;
    to.index1 = from->only.index1;
    to.generation = from->only.index1 ? from->only.generation : 0;
    to.key_count = from->key_count;
    to.period = from->period;
    const uint32_t count = from->key_count < HEM_FORCE_KEYS ? from->key_count : HEM_FORCE_KEYS;
    if (count && from->keys) {
        memcpy(to.keys, from->keys, count * sizeof(hem_force_key));
    }
    return to;
}

static hem_result check_force(const hem_scene* scene, const hem_force* f, hemi_fault* fault) {
    if (f->cookie != FORCE_COOKIE) {
        *fault = hemi_fault_value("cookie", HEM_NONE, f->cookie, "make it with hem_force_default, then fill it in");
        return HEM_ERROR_COOKIE;
    }
    if (f->key_count && !f->keys) {
        *fault = hemi_fault_null("keys");
        return HEM_ERROR_NULL;
    }
    if (f->only.index1 && !hem_instance_is_valid(scene, f->only)) {
        *fault = hemi_fault_value("only.index1", HEM_NONE, f->only.index1, "no such instance lives");
        return HEM_ERROR_ID;
    }
    const hemi_force as_kept = plain(f);
    return hemi_force_is_fine(&as_kept, fault) ? HEM_OK : HEM_ERROR_RANGE;
}

hem_result hem_scene_set_forces(hem_scene* scene, const hem_force* forces, uint32_t count) {
    hem_result result = hemi_check_idle(scene, __func__);
    if (result != HEM_OK) {
        return result;
    }
    if (count && !forces) {
        return hemi_refuse_null(scene, __func__, "forces");
    }
    for (uint32_t i = 0; i < count && i <= scene->force_capacity; ++i) {
        hemi_fault fault;
        result = check_force(scene, &forces[i], &fault);
        if (result != HEM_OK) {
            fault = hemi_fault_of("forces", (int32_t)i, fault);
            return hemi_refuse(scene, __func__, result, &fault);
        }
    }
    if (count > scene->force_capacity) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_COUNT, "count", count,
                                 "has no room: raise force_capacity in hem_scene_def");
    }
    for (uint32_t i = 0; i < count; ++i) {
        const hemi_op_force op = {i, forces[i].restart != 0, plain(&forces[i])};
        hemi_apply(scene, NULL, &(hemi_op){HEMI_OP_FORCE, 0, &op, NULL, 0});
    }
    const hemi_op_count total = {count};
    hemi_apply(scene, NULL, &(hemi_op){HEMI_OP_FORCE_COUNT, 0, &total, NULL, 0});
    return HEM_OK;
}

// -- Time

void hemi_age_forces(hem_scene* scene) {
    for (uint32_t i = 0; i < scene->input->force_count; ++i) {
        const double seconds = scene->force_past[i].seconds + (double)scene->args.dt_seconds;
        scene->force_past[i].seconds = seconds < HEMI_LONGEST_SECONDS ? seconds : HEMI_LONGEST_SECONDS;
    }
}

static double remainder_of(double value, double unit) { // both positive, their quotient below 2^63
    const double left = value - (double)(uint64_t)(value / unit) * unit;
    return left < 0.0 ? 0.0 : left;
}

// Of the force's own strength.
static float key_strength(const hemi_force* f, double seconds) {
    if (f->key_count == 0) {
        return 1.0f;
    }
    const float t = (float)(f->period > 0.0f ? remainder_of(seconds, (double)f->period) : seconds);
    uint32_t next = 0;
    while (next < f->key_count && f->keys[next].seconds <= t) {
        ++next;
    }
    if (next == 0 || next == f->key_count) {
        return f->keys[next ? next - 1 : 0].strength;
    }
    const hem_force_key *a = &f->keys[next - 1], *b = &f->keys[next];
    const float share = (t - a->seconds) / (b->seconds - a->seconds);
    return a->strength + share * (b->strength - a->strength);
}

// Whether it is not what it was a moment before: nobody who feels it comes to rest.
static int changes(const hemi_force* f, double seconds) {
    return f->kind == HEM_FORCE_TURBULENCE || f->kind == HEM_FORCE_EXPLOSION ||
           (f->kind == HEM_FORCE_WIND && f->strength != 0.0f) ||
           (f->key_count > 1 && (f->period > 0.0f || seconds <= (double)f->keys[f->key_count - 1].seconds));
}

// -- Reach

typedef struct ball {
    hem_vec3 center;
    float radius;
} ball;

// Around all that is simulated, and as far as it can come in this step.
static ball ball_around(const hemi_step* s) {
    const hemi_instance* instance = s->instance;
    const hem_view* view = instance->view;
    float low[3] = {1e30f, 1e30f, 1e30f}, high[3] = {-1e30f, -1e30f, -1e30f}, speed = 0.0f;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        if (part->kind == HEM_PART_BODY) {
            continue;
        }
        speed = hem_maxf(speed, instance->tuning[p].max_speed);
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
            const float* at[3] = {instance->x[row].x, instance->x[row].y, instance->x[row].z};
            for (int k = 0; k < 3; ++k) {
                for (uint32_t i = 0; i < 8; ++i) { // pads lie where others are
                    low[k] = hem_minf(low[k], at[k][i]);
                    high[k] = hem_maxf(high[k], at[k][i]);
                }
            }
        }
    }
    const hem_vec3 l = hemi_vec3_of(low), h = hemi_vec3_of(high);
    const double *from = instance->state->root.position, *to = instance->input->root.position;
    const hem_vec3 way = hem_vec3_make((float)(to[0] - from[0]), (float)(to[1] - from[1]), (float)(to[2] - from[2]));
    const ball around = {hem_vec3_scale(hem_vec3_add(l, h), 0.5f),
                         0.5f * hem_vec3_length(hem_vec3_sub(h, l)) + hem_vec3_length(way) + speed * s->seconds};
    return around;
}

static hem_vec3 from_world(const double root[3], hem_quat turn, const double position[3]) {
    const hem_vec3 p =
        hem_vec3_make((float)(position[0] - root[0]), (float)(position[1] - root[1]), (float)(position[2] - root[2]));
    return hem_quat_rotate_back(turn, p);
}

static int reaches(const hemi_step* s, const hemi_force* f, double seconds, const ball* all) {
    if ((f->index1 && (f->index1 != s->id.index1 || f->generation != s->id.generation)) ||
        (f->strength == 0.0f && f->kind != HEM_FORCE_WIND)) {
        return 0;
    }
    if (f->kind == HEM_FORCE_EXPLOSION && seconds * (double)f->speed >= (double)(f->radius + f->length)) {
        return 0; // it is over
    }
    const hem_root* root = &s->instance->state->root;
    const hem_quat turn = hemi_quat_of(root->rotation);
    hem_vec3 d = hem_vec3_sub(all->center, from_world(root->position, turn, f->position));
    if (f->kind == HEM_FORCE_DRAG) {
        const hem_quat own = hem_quat_mul(hem_quat_conj(turn), hemi_quat_of(f->rotation));
        d = hem_quat_rotate_back(own, d);
        return hem_absf(d.x) <= f->size[0] + all->radius && hem_absf(d.y) <= f->size[1] + all->radius &&
               hem_absf(d.z) <= f->size[2] + all->radius;
    }
    if (f->radius == 0.0f) {
        return 1;
    }
    if (f->kind == HEM_FORCE_VORTEX) {
        const hem_vec3 up = hem_quat_rotate(hemi_quat_of(f->rotation), hem_vec3_make(0.0f, 1.0f, 0.0f));
        d = hem_vec3_cross(hem_quat_rotate_back(turn, up), d);
    }
    return hem_vec3_length(d) <= f->radius + all->radius;
}

int hemi_find_forces(hemi_step* s) {
    const hem_scene* scene = s->scene;
    hemi_forces* found = &s->scratch->forces;
    int stirs = 0;
    found->count = 0;
    if (scene->input->force_count == 0) {
        return 0;
    }
    const ball all = ball_around(s);
    for (uint32_t i = 0; i < scene->input->force_count; ++i) {
        const hemi_force* f = &scene->forces[i];
        if (reaches(s, f, scene->force_past[i].seconds, &all)) {
            found->now[found->count++].index = i;
            stirs |= changes(f, scene->force_past[i].seconds);
        }
    }
    HEM_ASSERT(found->count <= scene->force_capacity);
    return stirs;
}

// -- In a substep

// Rows of three rotation matrices with whole numbers, so that a wave and its amplitude stand square to each other; three
// waves for each, with each row once an amplitude: as strong in every direction. Lengths and phases are any that share no
// common measure worth seeing.
static const struct {
    float vector[3], amplitude[3];
    float unit; // that both are divided by
    float length, pace, phase;
} WAVES[HEMI_WAVES] = {
    {{2, 2, 1}, {-2, 1, 2}, 3, 1.00f, 1.00f, 0.3f},  {{-2, 1, 2}, {1, -2, 2}, 3, 0.77f, -0.83f, 1.9f},
    {{1, -2, 2}, {2, 2, 1}, 3, 1.31f, 1.21f, 4.4f},  {{6, 2, 3}, {-3, 6, 2}, 7, 0.59f, -1.07f, 5.7f},
    {{-3, 6, 2}, {2, 3, -6}, 7, 0.87f, 0.71f, 2.6f}, {{2, 3, -6}, {6, 2, 3}, 7, 1.47f, -1.33f, 0.9f},
    {{4, 4, 7}, {-8, 1, 4}, 9, 0.69f, 0.91f, 3.5f},  {{-8, 1, 4}, {1, -8, 4}, 9, 1.13f, -0.63f, 5.1f},
    {{1, -8, 4}, {4, 4, 7}, 9, 0.47f, 1.15f, 1.2f},
};
#define WAVE_AMPLITUDE 0.47140452f // nine of them have a mean square of one: sqrt(2 / 9)

// Of turns that go on for ever only the last counts.
static float last_turn(double turns) {
    const float angle = 2.0f * HEM_PI * (float)remainder_of(turns < 0.0 ? -turns : turns, 1.0);
    return turns < 0.0 ? -angle : angle;
}

// Waves are counted from the force's position, in doubles as far as the character's root, so that they are as fine there as
// anywhere.
static void place_waves(const hemi_force* f, hem_quat turn, const double root[3], double seconds, hemi_force_now* now) {
    for (int i = 0; i < HEMI_WAVES; ++i) {
        hemi_wave* wave = &now->waves[i];
        const float number = 2.0f * HEM_PI / (f->length * WAVES[i].length);
        const float to_vector = number / WAVES[i].unit, to_amplitude = WAVE_AMPLITUDE * now->strength / WAVES[i].unit;
        const hem_vec3 k = hem_quat_rotate_back(turn, hem_vec3_scale(hemi_vec3_of(WAVES[i].vector), to_vector));
        const hem_vec3 a = hem_quat_rotate_back(turn, hem_vec3_scale(hemi_vec3_of(WAVES[i].amplitude), to_amplitude));
        const int carried = f->kind == HEM_FORCE_WIND; // by the wind, whatever its keys say of its strength
        const double pace = carried ? 0.0 : (double)(f->speed * WAVES[i].pace);
        double turns = seconds * pace / (double)(f->length * WAVES[i].length);
        for (int n = 0; n < 3; ++n) {
            const double way = (double)(WAVES[i].vector[n] / (WAVES[i].unit * f->length * WAVES[i].length));
            turns += way * (root[n] - f->position[n] - (carried ? seconds * (double)f->velocity[n] : 0.0));
        }
        memcpy(wave->vector, &k, sizeof(wave->vector));
        memcpy(wave->amplitude, &a, sizeof(wave->amplitude));
        wave->phase = WAVES[i].phase + last_turn(turns);
    }
}

// As the substep begins: the particles are still in the frame that the character had then.
static void place_force(const hemi_step* s, hemi_force_now* now) {
    const hemi_force* f = &s->scene->forces[now->index];
    const double dt = (double)s->scene->args.dt_seconds, age = s->scene->force_past[now->index].seconds;
    const double from = age + dt * (double)s->s0, to = age + dt * (double)s->s1, middle = 0.5 * (from + to);
    const hem_root *was = &s->instance->state->root, *will = &s->instance->input->root;
    const hem_quat turn = hem_quat_slerp(s->path.from, s->path.to, s->s0);
    double root[3];
    for (int k = 0; k < 3; ++k) {
        root[k] = was->position[k] + (will->position[k] - was->position[k]) * (double)s->s0;
    }
    const hem_vec3 p = from_world(root, turn, f->position);
    const hem_quat own = hem_quat_normalise(hem_quat_mul(hem_quat_conj(turn), hemi_quat_of(f->rotation)));
    const hem_vec3 axis = hem_quat_rotate(own, hem_vec3_make(0.0f, 1.0f, 0.0f));
    const float key = key_strength(f, middle);
    hem_vec3 stream = hem_quat_rotate_back(turn, hemi_vec3_of(f->velocity));
    now->kind = f->kind;
    now->mask = f->mask;
    now->strength = f->strength * key;
    if (f->kind == HEM_FORCE_WIND) {
        stream = hem_vec3_scale(stream, key);
        now->strength = f->strength * hem_vec3_length(stream);
    }
    now->inverse_radius2 = f->radius > 0.0f ? 1.0f / (f->radius * f->radius) : 0.0f;
    now->inverse_length = 1.0f / f->length;
    memcpy(now->position, &p, sizeof(now->position));
    memcpy(now->axis, &axis, sizeof(now->axis));
    memcpy(now->velocity, &stream, sizeof(now->velocity));
    memcpy(now->size, f->size, sizeof(now->size));
    if (f->kind == HEM_FORCE_TURBULENCE || f->kind == HEM_FORCE_WIND) {
        place_waves(f, turn, root, middle, now);
    } else if (f->kind == HEM_FORCE_EXPLOSION) {
        now->from = (float)(from * (double)f->speed / (double)f->length);
        now->to = (float)(to * (double)f->speed / (double)f->length);
    } else if (f->kind == HEM_FORCE_DRAG) {
        now->strength = hem_maxf(now->strength, 0.0f); // a key below zero does not drive what it should brake
        const hem_vec3 origin = hem_quat_rotate_back(own, p);
        const hem_mat34 into = hem_mat34_from_quat(hem_quat_conj(own), hem_vec3_make(-origin.x, -origin.y, -origin.z));
        memcpy(now->into, into.m, sizeof(now->into));
    }
}

// What forces of wind, or all others, add to rows: to the air's velocity, or to accelerations.
static void add_forces(const hemi_step* s, int winds, hemi_row3* to) {
    const hemi_instance* instance = s->instance;
    const hem_view* view = instance->view;
    hemi_forces* found = &s->scratch->forces;
    for (uint32_t i = 0; i < found->count; ++i) {
        hemi_force_now* now = &found->now[i];
        const hemi_force* force = &s->scene->forces[now->index];
        if ((force->kind == HEM_FORCE_WIND) != winds) {
            continue;
        }
        place_force(s, now);
        const float* left = winds ? hemi_find_shelter(s, now->velocity, force->shelter) : NULL;
        for (uint32_t p = 0; p < view->info->part_count; ++p) {
            const hem_part* part = &view->parts[p];
            const uint32_t row = part->row_begin;
            if (part->kind == HEM_PART_BODY || !(part->collision_group & now->mask)) {
                continue;
            }
            const hemi_force_args args = {instance->x + row,
                                          instance->v + row,
                                          to + row,
                                          left ? left + row * 8 : NULL,
                                          part->row_count,
                                          s->h,
                                          now};
            s->scene->kernels->forces(&args);
            s->scratch->counters.work += part->row_count;
        }
    }
}

void hemi_add_forces(const hemi_step* s, hemi_row3* acceleration) {
    add_forces(s, 0, acceleration);
}

// Where no wind has a name the air moves as the instance was told, everywhere alike: NULL.
const hemi_row3* hemi_find_air(const hemi_step* s, hem_vec3 wind) {
    const hemi_forces* found = &s->scratch->forces;
    const uint32_t row_count = s->instance->view->info->row_count;
    hemi_row3* air = s->scratch->solve.air;
    uint32_t winds = 0;
    for (uint32_t i = 0; i < found->count; ++i) {
        winds += s->scene->forces[found->now[i].index].kind == HEM_FORCE_WIND;
    }
    if (!winds || !s->air) {
        return NULL;
    }
    for (uint32_t row = 0; row < row_count; ++row) {
        for (uint32_t i = 0; i < 8; ++i) {
            air[row].x[i] = wind.x;
            air[row].y[i] = wind.y;
            air[row].z[i] = wind.z;
        }
    }
    add_forces(s, 1, air);
    return air;
}
