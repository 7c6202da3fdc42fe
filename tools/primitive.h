// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PRIMITIVE_H
#define HEM_TOOLS_PRIMITIVE_H

// Ellipsoids and round cones, prepared for many rays. The shadow maps and the picture ask the same two questions.

#include "tools/render.h"
#include "tools/vec3.h"

typedef struct ellipsoid {
    vec3 centre;
    vec3 axis[3]; // unit axes, each divided by its radius: |(axis . p)| = 1 is the surface
    vec3 arm[3];  // unit axes times radius
} ellipsoid;

typedef struct cone {
    vec3 a, axis; // axis: unit vector from a to b
    float length; // 0: a ball
    float radius_a, radius_b;
    float slope; // (radius_a - radius_b) / length, the sine of the half angle
} cone;

typedef struct primitive_set {
    ellipsoid* ellipsoids;
    cone* cones;
} primitive_set;

ellipsoid ellipsoid_prepare(const render_ellipsoid* e);
cone cone_prepare(vec3 a, vec3 b, float radius_a, float radius_b);

// The nearest hit in front of a ray, as a multiple of `direction` (any length). Return false if it misses.
bool ellipsoid_hit(const ellipsoid* e, vec3 origin, vec3 direction, float* t);
bool cone_hit(const cone* c, vec3 origin, vec3 direction, float* t);

vec3 ellipsoid_normal(const ellipsoid* e, vec3 p);
// `along`: 0 at a, 1 at b.
vec3 cone_normal(const cone* c, vec3 p, float* along);

#endif
