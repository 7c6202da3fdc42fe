// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_VEC3_H
#define HEM_TOOLS_VEC3_H

// Three floats and a quaternion, for drawing. Values in, values out; the compiler keeps them in registers.
// Only sqrt is taken from libm, so a picture has the same bytes on every machine.

#include <math.h>
#include <stdbool.h>

typedef struct vec3 {
    float x, y, z;
} vec3;

static inline vec3 v3(float x, float y, float z) {
    vec3 r = {x, y, z};
    return r;
}

static inline vec3 v3_load(const float* p) {
    return v3(p[0], p[1], p[2]);
}

static inline void v3_store(float* p, vec3 a) {
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
}

static inline vec3 v3_add(vec3 a, vec3 b) {
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline vec3 v3_sub(vec3 a, vec3 b) {
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline vec3 v3_mul(vec3 a, vec3 b) {
    return v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline vec3 v3_scale(vec3 a, float s) {
    return v3(a.x * s, a.y * s, a.z * s);
}

// a + b * s
static inline vec3 v3_mad(vec3 a, vec3 b, float s) {
    return v3(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}

static inline vec3 v3_lerp(vec3 a, vec3 b, float t) {
    return v3(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t);
}

static inline float v3_dot(vec3 a, vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3 v3_cross(vec3 a, vec3 b) {
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline float v3_length(vec3 a) {
    return sqrtf(v3_dot(a, a));
}

// A vector too short to have a direction gives `fallback`.
static inline vec3 v3_normalize(vec3 a, vec3 fallback) {
    float length = v3_length(a);
    return length > 1e-20f ? v3_scale(a, 1.0f / length) : fallback;
}

static inline vec3 v3_min(vec3 a, vec3 b) {
    return v3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static inline vec3 v3_max(vec3 a, vec3 b) {
    return v3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

// Any unit vector at a right angle to the unit vector `n`.
static inline vec3 v3_perpendicular(vec3 n) {
    vec3 other = n.y * n.y < 0.81f ? v3(0.0f, 1.0f, 0.0f) : v3(1.0f, 0.0f, 0.0f);
    return v3_normalize(v3_cross(other, n), v3(0.0f, 0.0f, 1.0f));
}

// Rotates `a` by the unit quaternion q = (x, y, z, w).
static inline vec3 v3_rotate(const float q[4], vec3 a) {
    vec3 u = v3(q[0], q[1], q[2]);
    vec3 t = v3_scale(v3_cross(u, a), 2.0f);
    return v3_add(v3_mad(a, t, q[3]), v3_cross(u, t));
}

// NaN gives `low`: what is cast to a whole number afterwards must be one.
static inline float clampf(float x, float low, float high) {
    return !(x > low) ? low : x > high ? high : x;
}

static inline float mixf(float a, float b, float t) {
    return a + (b - a) * t;
}

static inline float smoothf(float low, float high, float x) {
    float t = clampf((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

#endif
