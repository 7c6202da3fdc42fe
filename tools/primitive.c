// SPDX-License-Identifier: MIT
#include "tools/primitive.h"

// The round cone. With y the height of a point above ball a along the axis and x its distance from the axis, the flank
// touches every ball of radius r(k) = ra - k s centred at height k (s the slope, c^2 = 1 - s^2). The foot of a flank point
// is at k = (y - ra s) / c^2, which runs from 0 to the length, so the flank lies between y = ra s and y = length + rb s.
// On it c x = ra - y s; squared, with x^2 = p.p - y^2:
//     c^2 p.p - y^2 + 2 ra s y - ra^2 = 0
// which is quadratic along a ray. Outside that range the balls at the ends take over.

ellipsoid ellipsoid_prepare(const render_ellipsoid* e) {
    static const float UNIT[3][3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    ellipsoid result;
    result.centre = v3_load(e->position);
    for (int32_t i = 0; i < 3; i++) {
        vec3 axis = v3_rotate(e->rotation, v3_load(UNIT[i]));
        float radius = e->radii[i] > 1e-9f ? e->radii[i] : 1e-9f;
        result.axis[i] = v3_scale(axis, 1.0f / radius);
        result.arm[i] = v3_scale(axis, radius);
    }
    return result;
}

cone cone_prepare(vec3 a, vec3 b, float radius_a, float radius_b) {
    cone c;
    vec3 arm = v3_sub(b, a);
    c.length = v3_length(arm);
    c.a = a;
    c.radius_a = radius_a;
    c.radius_b = radius_b;
    float difference = fabsf(radius_a - radius_b);
    if (c.length <= difference * 1.0001f || c.length < 1e-9f) { // one ball holds the other
        c.a = radius_b > radius_a ? b : a;
        c.radius_a = c.radius_b = radius_b > radius_a ? radius_b : radius_a;
        c.length = 0.0f;
        c.axis = v3(0.0f, 1.0f, 0.0f);
        c.slope = 0.0f;
        return c;
    }
    c.axis = v3_scale(arm, 1.0f / c.length);
    c.slope = (radius_a - radius_b) / c.length;
    return c;
}

bool ellipsoid_hit(const ellipsoid* e, vec3 origin, vec3 direction, float* t) {
    vec3 p = v3_sub(origin, e->centre);
    vec3 o = v3(v3_dot(e->axis[0], p), v3_dot(e->axis[1], p), v3_dot(e->axis[2], p));
    vec3 d = v3(v3_dot(e->axis[0], direction), v3_dot(e->axis[1], direction), v3_dot(e->axis[2], direction));
    // The closest approach first: subtracting it loses no digits when the ellipsoid is small and far away.
    float dd = v3_dot(d, d);
    float middle = -v3_dot(o, d) / dd;
    vec3 closest = v3_mad(o, d, middle);
    float rest = 1.0f - v3_dot(closest, closest);
    if (!(rest >= 0.0f)) {
        return false;
    }
    *t = middle - sqrtf(rest / dd);
    return *t > 0.0f;
}

static bool ball_hit(vec3 centre, float radius, vec3 origin, vec3 direction, float* t) {
    vec3 o = v3_sub(origin, centre);
    float dd = v3_dot(direction, direction);
    float middle = -v3_dot(o, direction) / dd;
    vec3 closest = v3_mad(o, direction, middle);
    float rest = radius * radius - v3_dot(closest, closest);
    if (!(rest >= 0.0f)) {
        return false;
    }
    *t = middle - sqrtf(rest / dd);
    return true;
}

bool cone_hit(const cone* c, vec3 origin, vec3 direction, float* t) {
    float best = 1e30f;
    float hit;
    if (ball_hit(c->a, c->radius_a, origin, direction, &hit)) {
        best = hit;
    }
    if (c->length > 0.0f) {
        vec3 b = v3_mad(c->a, c->axis, c->length);
        if (ball_hit(b, c->radius_b, origin, direction, &hit) && hit < best) {
            best = hit;
        }
        // Start from the point of the ray nearest to the middle, for the digits.
        float dd = v3_dot(direction, direction);
        vec3 centre = v3_mad(c->a, c->axis, 0.5f * c->length);
        float shift = v3_dot(v3_sub(centre, origin), direction) / dd;
        vec3 o = v3_sub(v3_mad(origin, direction, shift), c->a);
        float s = c->slope, c2 = 1.0f - s * s;
        float y0 = v3_dot(o, c->axis), yd = v3_dot(direction, c->axis);
        float qa = c2 * dd - yd * yd;
        float qb = c2 * v3_dot(o, direction) - y0 * yd + c->radius_a * s * yd;
        float qc = c2 * v3_dot(o, o) - y0 * y0 + 2.0f * c->radius_a * s * y0 - c->radius_a * c->radius_a;
        float discriminant = qb * qb - qa * qc;
        if (discriminant >= 0.0f && qa > 1e-12f * dd) {
            hit = (-qb - sqrtf(discriminant)) / qa;
            float y = y0 + hit * yd;
            if (y > c->radius_a * s && y < c->length + c->radius_b * s && hit + shift < best) {
                best = hit + shift;
            }
        }
    }
    *t = best;
    return best < 1e29f && best > 0.0f;
}

vec3 ellipsoid_normal(const ellipsoid* e, vec3 p) {
    vec3 q = v3_sub(p, e->centre);
    vec3 n = v3_scale(e->axis[0], v3_dot(e->axis[0], q));
    n = v3_mad(n, e->axis[1], v3_dot(e->axis[1], q));
    n = v3_mad(n, e->axis[2], v3_dot(e->axis[2], q));
    return v3_normalize(n, v3(0.0f, 1.0f, 0.0f));
}

vec3 cone_normal(const cone* c, vec3 p, float* along) {
    vec3 q = v3_sub(p, c->a);
    float foot = (v3_dot(q, c->axis) - c->radius_a * c->slope) / (1.0f - c->slope * c->slope);
    foot = clampf(foot, 0.0f, c->length);
    *along = c->length > 0.0f ? foot / c->length : 0.0f;
    return v3_normalize(v3_mad(q, c->axis, -foot), v3(0.0f, 1.0f, 0.0f));
}
