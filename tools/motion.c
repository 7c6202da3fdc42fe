// SPDX-License-Identifier: MIT
#include "tools/motion.h"
#include "tools/vec3.h"
#include "platform/math.h"

#include <string.h>

// Each motion turns some bones about their joints and moves the whole figure. Lengths are shares of its height. Which bones
// are arms and legs is read from their names; a figure without them is led about as a whole.

#define DEGREES 0.0174532925f

typedef struct figure {
    const hem_view* view;
    const asset* source;
    float ground, height;
    float middle[2]; // x and z
} figure;

typedef struct gesture {
    float yaw, pitch, roll; // of the figure, about the middle of its feet, radians
    float up;               // of its height
    float squat;            // of the thighs, radians
    float arms;             // upwards, radians
    float nod;              // of the head, to the sides, radians
    float wind;             // m/s, from the front and the left
} gesture;

// From 0 at a to 1 at b, smooth at both ends.
static float ramp(float t, float a, float b) {
    float x = (t - a) / (b - a);
    x = x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x;
    return x * x * (3.0f - 2.0f * x);
}

static float sine(float turns) {
    return hem_sinf((turns - floorf(turns)) * 6.28318531f);
}

static gesture turn(float t) {
    float quarter = ramp(t, 0.2f, 0.7f) - 2.0f * ramp(t, 1.2f, 1.8f) + ramp(t, 2.3f, 2.8f);
    return (gesture){.yaw = 90.0f * DEGREES * quarter};
}

static gesture hop(float t) {
    float x = (t < 1.2f ? t - 0.4f : t - 1.6f) / 0.5f; // two flights of half a second
    return (gesture){.up = x > 0.0f && x < 1.0f ? 0.7f * x * (1.0f - x) : 0.0f};
}

static gesture sway(float t) {
    float fade = ramp(t, 0.0f, 0.4f) * (1.0f - ramp(t, 2.6f, 3.0f));
    return (gesture){.roll = 12.0f * DEGREES * fade * sine(0.8f * t), .pitch = 6.0f * DEGREES * fade * sine(0.5f * t)};
}

static gesture squat(float t) {
    return (gesture){.squat = 65.0f * DEGREES * (ramp(t, 0.2f, 0.8f) - ramp(t, 1.4f, 2.0f))};
}

static gesture arms(float t) {
    return (gesture){.arms = 60.0f * DEGREES * (ramp(t, 0.2f, 0.7f) - ramp(t, 1.3f, 1.9f))};
}

static gesture shake(float t) {
    float fade = ramp(t, 0.0f, 0.3f) * (1.0f - ramp(t, 1.7f, 2.0f));
    return (gesture){.nod = 30.0f * DEGREES * fade * sine(2.0f * t)};
}

// A gust of half a second within a breeze.
static gesture wind(float t) {
    return (gesture){.wind = 3.0f * (ramp(t, 0.2f, 0.8f) - ramp(t, 2.2f, 2.6f)) +
                             3.0f * (ramp(t, 1.2f, 1.4f) - ramp(t, 1.6f, 1.9f))};
}

typedef struct motion {
    const char* name;
    float seconds; // with a rest at its end
    gesture (*at)(float t);
} motion;

static const motion MOTIONS[] = {{"test-turn", 3.6f, turn},   {"test-hop", 3.0f, hop},   {"test-sway", 3.6f, sway},
                                 {"test-squat", 2.8f, squat}, {"test-arms", 2.6f, arms}, {"test-shake", 2.8f, shake},
                                 {"test-wind", 3.4f, wind}};
enum { MOTION_COUNT = sizeof(MOTIONS) / sizeof(MOTIONS[0]) };

// Number 0 is all of them in a row.
int32_t motion_count(void) {
    return MOTION_COUNT + 1;
}

const char* motion_name(int32_t number) {
    return number == 0 ? "test" : MOTIONS[number - 1].name;
}

float motion_seconds(int32_t number) {
    float sum = 0.0f;
    for (int32_t i = 0; i < MOTION_COUNT; i++) {
        sum += number == 0 || number == i + 1 ? MOTIONS[i].seconds : 0.0f;
    }
    return sum;
}

static gesture gesture_at(int32_t number, float seconds) {
    float total = motion_seconds(number);
    float t = seconds - total * floorf(seconds / total);
    if (number > 0) {
        return MOTIONS[number - 1].at(t);
    }
    int32_t i = 0;
    while (i + 1 < MOTION_COUNT && t >= MOTIONS[i].seconds) {
        t -= MOTIONS[i++].seconds;
    }
    return MOTIONS[i].at(t);
}

void motion_wind(int32_t number, float seconds, float wind_out[3]) {
    const float speed = gesture_at(number, seconds).wind;
    wind_out[0] = -0.6f * speed;
    wind_out[1] = 0.0f;
    wind_out[2] = -0.8f * speed;
}

// -- Bones

static bool holds(const char* name, const char* word) {
    size_t n = strlen(word);
    for (const char* at = name; *at != 0; ++at) {
        size_t k = 0;
        while (k < n && (at[k] | 32) == word[k]) {
            ++k;
        }
        if (k == n && !(word[0] == 'a' && (at[n] | 32) == 'a')) { // "Armature" is no arm
            return true;
        }
    }
    return false;
}

// The first bone of an arm or a leg: one with such a name whose parent has none.
static bool begins(const figure* f, int32_t bone, const char* const* words, int32_t count) {
    bool own = false, parents = false;
    const int32_t parent = f->view->bones[bone].parent;
    for (int32_t i = 0; i < count; i++) {
        own = own || holds(asset_text(f->source, f->view->bones[bone].name_offset), words[i]);
        parents =
            parents || (parent >= 0 && holds(asset_text(f->source, f->view->bones[parent].name_offset), words[i]));
    }
    return own && !parents;
}

// Where a bone's joint is in the bind pose.
static vec3 joint_of(const figure* f, int32_t bone) {
    const float* m = f->view->bones[bone].inverse_bind;
    vec3 x = v3(m[0], m[4], m[8]), y = v3(m[1], m[5], m[9]), z = v3(m[2], m[6], m[10]);
    vec3 t = v3(-m[3], -m[7], -m[11]);
    float det = v3_dot(x, v3_cross(y, z));
    det = det != 0.0f ? 1.0f / det : 0.0f;
    return v3(v3_dot(t, v3_cross(y, z)) * det, v3_dot(x, v3_cross(t, z)) * det, v3_dot(x, v3_cross(y, t)) * det);
}

void motion_joint(const asset* a, int32_t bone, float joint[3]) {
    const figure f = {.view = &a->view, .source = a};
    v3_store(joint, joint_of(&f, bone));
}

// m = m * (turn about an axis of the figure through a point)
static void turn_about(float m[12], vec3 point, int32_t axis, float angle) {
    const float s = hem_sinf(angle), c = hem_cosf(angle);
    float r[12], local[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const int32_t i = (axis + 1) % 3, j = (axis + 2) % 3;
    local[4 * i + i] = c, local[4 * i + j] = -s, local[4 * j + i] = s, local[4 * j + j] = c;
    const float p[3] = {point.x, point.y, point.z};
    for (int32_t k = 0; k < 3; k++) {
        local[4 * k + 3] = p[k] - local[4 * k] * p[0] - local[4 * k + 1] * p[1] - local[4 * k + 2] * p[2];
    }
    for (int32_t row = 0; row < 3; row++) {
        for (int32_t column = 0; column < 4; column++) {
            r[4 * row + column] = m[4 * row] * local[column] + m[4 * row + 1] * local[4 + column] +
                                  m[4 * row + 2] * local[8 + column] + (column == 3 ? m[4 * row + 3] : 0.0f);
        }
    }
    memcpy(m, r, sizeof(r));
}

static figure measure(const asset* a) {
    figure f = {.view = &a->view, .source = a};
    float low[3] = {1e30f, 1e30f, 1e30f}, high[3] = {-1e30f, -1e30f, -1e30f};
    for (uint32_t i = 0; i < a->view.info->vertex_count; i++) {
        for (int32_t k = 0; k < 3; k++) {
            float x = a->view.vertex_rest[i].position[k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    }
    f.ground = low[1], f.height = high[1] - low[1];
    f.middle[0] = 0.5f * (low[0] + high[0]), f.middle[1] = 0.5f * (low[2] + high[2]);
    return f;
}

// How much lower the hips are with bent knees: the first leg found tells.
static float drop_of(const figure* f, float angle) {
    static const char* const legs[] = {"leg", "thigh"};
    for (int32_t b = 0; b < (int32_t)f->view->info->bone_count; b++) {
        if (!begins(f, b, legs, 2)) {
            continue;
        }
        return (joint_of(f, b).y - f->ground) * (1.0f - hem_cosf(angle)) * 0.9f;
    }
    return 0.0f;
}

void motion_pose(const asset* a, int32_t number, float seconds, float* matrices) {
    static const char* const legs[] = {"leg", "thigh"};
    static const char* const arm_words[] = {"arm"};
    static const char* const heads[] = {"head"};
    const figure f = measure(a);
    const gesture g = gesture_at(number, seconds);
    float whole[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const vec3 feet = v3(f.middle[0], f.ground, f.middle[1]);
    whole[7] = g.up * f.height - (g.squat > 0.0f ? drop_of(&f, g.squat) : 0.0f);
    turn_about(whole, feet, 1, g.yaw);
    turn_about(whole, feet, 0, g.pitch);
    turn_about(whole, feet, 2, g.roll);
    for (int32_t b = 0; b < (int32_t)f.view->info->bone_count; b++) {
        const int32_t parent = f.view->bones[b].parent;
        float* m = matrices + 12 * (size_t)b;
        memcpy(m, parent >= 0 ? matrices + 12 * (size_t)parent : whole, sizeof(whole));
        const vec3 joint = joint_of(&f, b);
        if (g.squat > 0.0f && begins(&f, b, legs, 2)) {
            turn_about(m, joint, 0, -g.squat);
        } else if (g.squat > 0.0f && parent >= 0 && begins(&f, parent, legs, 2)) {
            turn_about(m, joint, 0, 2.0f * g.squat);
        } else if (g.squat > 0.0f && parent >= 0 && f.view->bones[parent].parent >= 0 &&
                   begins(&f, f.view->bones[parent].parent, legs, 2)) {
            turn_about(m, joint, 0, -g.squat);
        }
        if (g.arms > 0.0f && begins(&f, b, arm_words, 1)) {
            turn_about(m, joint, 2, joint.x > f.middle[0] ? g.arms : -g.arms);
        }
        if (g.nod != 0.0f && (begins(&f, b, heads, 1) || (parent < 0 && f.view->info->bone_count == 1))) {
            turn_about(m, joint, 1, g.nod);
        }
    }
}
