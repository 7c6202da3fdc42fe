// SPDX-License-Identifier: MIT
#include "tools/section.h"
#include "tools/colour.h"
#include "tools/vec3.h"
#include "platform/math.h"

#include <string.h>

enum { ELLIPSE_POINTS = 40 };

section section_make(int32_t axis, float at) {
    static const int32_t across[3] = {2, 0, 0}, up[3] = {1, 2, 1};
    section s;
    memset(&s, 0, sizeof(s));
    s.axis = axis;
    s.at = at;
    s.across = across[axis];
    s.up = up[axis];
    s.across_sign = axis == 0 ? -1.0f : 1.0f;
    s.low[0] = s.low[1] = 1e30f;
    s.high[0] = s.high[1] = -1e30f;
    s.part = -1;
    return s;
}

static void to_plane(const section* s, const float p[3], float q[2]) {
    q[0] = s->across_sign * p[s->across];
    q[1] = s->axis == 1 ? -p[s->up] : p[s->up]; // from above, the front (+z) is at the bottom
}

static bool wanted(const section* s, const hem_particle* q) {
    return (q->flags & HEM_PARTICLE_PAD) == 0 && (s->part < 0 || q->part == (uint32_t)s->part);
}

// The ellipse where the plane meets a particle. In the unit sphere of the ellipsoid the plane cuts a circle around the
// normal w at height h: points h w + sqrt(1 - h^2) (cos a e1 + sin a e2), carried back by the arms.
static bool particle_ellipse(const section* s, const hem_particle* q, float points[2 * ELLIPSE_POINTS]) {
    vec3 arm[3] = {v3_scale(v3_rotate(q->rotation, v3(1.0f, 0.0f, 0.0f)), q->radii[0]),
                   v3_scale(v3_rotate(q->rotation, v3(0.0f, 1.0f, 0.0f)), q->radii[1]),
                   v3_scale(v3_rotate(q->rotation, v3(0.0f, 0.0f, 1.0f)), q->radii[2])};
    float w[3];
    for (int32_t i = 0; i < 3; i++) {
        float parts[3];
        v3_store(parts, arm[i]);
        w[i] = parts[s->axis];
    }
    float reach = v3_length(v3_load(w));
    float h = reach > 0.0f ? (s->at - q->position[s->axis]) / reach : 2.0f;
    if (!(h > -1.0f && h < 1.0f)) {
        return false;
    }
    vec3 normal = v3_scale(v3_load(w), 1.0f / reach);
    vec3 e1 = v3_perpendicular(normal), e2 = v3_cross(normal, e1);
    float ring = hem_sqrtf(1.0f - h * h);
    for (int32_t i = 0; i < ELLIPSE_POINTS; i++) {
        float angle = 2.0f * HEM_PI * (float)i / ELLIPSE_POINTS;
        vec3 u = v3_mad(v3_mad(v3_scale(normal, h), e1, ring * hem_cosf(angle)), e2, ring * hem_sinf(angle));
        vec3 p = v3_mad(v3_mad(v3_mad(v3_load(q->position), arm[0], u.x), arm[1], u.y), arm[2], u.z);
        float position[3];
        v3_store(position, p);
        to_plane(s, position, points + 2 * i);
    }
    return true;
}

typedef struct cut {
    float a[2], b[2];
    float blend_a, blend_b;
    bool other; // belongs to none of the wanted particles
} cut;

static bool triangle_cut(const section* s, const puppet* p, uint32_t triangle, cut* c) {
    const hem_view* v = &p->source->view;
    const uint32_t* index = v->preview_indices + 3 * (size_t)triangle;
    int32_t ends = 0;
    for (int32_t i = 0; i < 3 && ends < 2; i++) {
        const float* from = p->positions + 3 * (size_t)index[i];
        const float* to = p->positions + 3 * (size_t)index[(i + 1) % 3];
        float da = from[s->axis] - s->at, db = to[s->axis] - s->at;
        if ((da < 0.0f) == (db < 0.0f)) {
            continue;
        }
        float t = da / (da - db), place[3];
        v3_store(place, v3_lerp(v3_load(from), v3_load(to), t));
        float blend =
            mixf((float)v->vertex_bind[index[i]].blend, (float)v->vertex_bind[index[(i + 1) % 3]].blend, t) / 65535.0f;
        to_plane(s, place, ends == 0 ? c->a : c->b);
        *(ends == 0 ? &c->blend_a : &c->blend_b) = blend;
        ends++;
    }
    // A vertex belongs to the part of the particle that moves it most, which is its first.
    c->other = s->part >= 0;
    for (int32_t i = 0; i < 3; i++) {
        const hem_vertex_bind* bind = &v->vertex_bind[index[i]];
        c->other = c->other && (bind->particle_weight[0] == 0 || !wanted(s, &p->particles[bind->particle[0]]));
    }
    return ends == 2;
}

static void grow(section* s, const float q[2]) {
    for (int32_t k = 0; k < 2; k++) {
        s->low[k] = q[k] < s->low[k] ? q[k] : s->low[k];
        s->high[k] = q[k] > s->high[k] ? q[k] : s->high[k];
    }
}

bool section_fit(section* s, const puppet* p, float margin) {
    const hem_view* v = &p->source->view;
    for (uint32_t i = 0; v->preview_indices != NULL && i < v->preview_index_count / 3; i++) {
        cut c;
        if (triangle_cut(s, p, i, &c)) {
            grow(s, c.a);
            grow(s, c.b);
        }
    }
    for (uint32_t i = 0; i < v->info->particle_count; i++) {
        float points[2 * ELLIPSE_POINTS];
        if (wanted(s, &p->particles[i]) && particle_ellipse(s, &p->particles[i], points)) {
            for (int32_t k = 0; k < ELLIPSE_POINTS; k++) {
                grow(s, points + 2 * k);
            }
        }
    }
    if (!(s->low[0] < s->high[0])) {
        return false;
    }
    for (int32_t k = 0; k < 2; k++) {
        s->low[k] -= margin;
        s->high[k] += margin;
    }
    return true;
}

void section_look(section* s, const float position[3], float reach) {
    float q[2];
    to_plane(s, position, q);
    for (int32_t k = 0; k < 2; k++) {
        s->low[k] = q[k] - reach;
        s->high[k] = q[k] + reach;
    }
}

int32_t section_height(const section* s, int32_t width) {
    float height = (float)width * (s->high[1] - s->low[1]) / (s->high[0] - s->low[0]);
    return (int32_t)clampf(height, 64.0f, 4096.0f);
}

float section_scale(const section* s, const image* im) {
    return (float)im->width / (s->high[0] - s->low[0]);
}

static void to_image(const section* s, const image* im, const float q[2], float* x, float* y) {
    float scale = section_scale(s, im);
    *x = (q[0] - s->low[0]) * scale;
    *y = (s->high[1] - q[1]) * scale;
}

void section_point(const section* s, const image* im, const float position[3], float* x, float* y) {
    float q[2];
    to_plane(s, position, q);
    to_image(s, im, q, x, y);
}

void section_draw_mesh(const section* s, const puppet* p, image* im) {
    const hem_view* v = &p->source->view;
    for (uint32_t i = 0; v->preview_indices != NULL && i < v->preview_index_count / 3; i++) {
        cut c;
        if (triangle_cut(s, p, i, &c)) {
            float x0, y0, x1, y1;
            to_image(s, im, c.a, &x0, &y0);
            to_image(s, im, c.b, &x1, &y1);
            image_colour colour = colour_mix(0x2b2a28ff, 0x2f9a4aff, 0.5f * (c.blend_a + c.blend_b));
            image_line(im, x0, y0, x1, y1, 2.0f, c.other ? colour_mix(colour, IMAGE_PAPER, 0.7f) : colour);
        }
    }
}

void section_draw_particles(const section* s, const puppet* p, float alpha, image* im) {
    for (uint32_t i = 0; i < p->source->view.info->particle_count; i++) {
        const hem_particle* q = &p->particles[i];
        float points[2 * ELLIPSE_POINTS + 2];
        if (!wanted(s, q) || !particle_ellipse(s, q, points)) {
            continue;
        }
        for (int32_t k = 0; k < ELLIPSE_POINTS; k++) {
            float x, y;
            to_image(s, im, points + 2 * k, &x, &y);
            points[2 * k] = x;
            points[2 * k + 1] = y;
        }
        memcpy(points + 2 * ELLIPSE_POINTS, points, 2 * sizeof(float));
        image_colour colour = (q->flags & HEM_PARTICLE_ANIMATED) != 0 ? PUPPET_ATTACHED : PUPPET_SIMULATED;
        image_polygon(im, points, ELLIPSE_POINTS, colour_with_alpha(colour, alpha));
        image_stroke(im, points, NULL, ELLIPSE_POINTS + 1, 1.2f, colour);
    }
}

void section_draw_links(const section* s, const puppet* p, float reach, image* im) {
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < p->link_count; i++) {
            const asset_link* l = &p->links[i];
            const hem_particle* ends[2] = {&p->particles[l->a], &p->particles[l->b]};
            bool near = hem_absf(ends[0]->position[s->axis] - s->at) <= reach &&
                        hem_absf(ends[1]->position[s->axis] - s->at) <= reach;
            if (!near || !hem_kind_in(l->kind, HEM_KINDS_WEAVE) || !wanted(s, ends[0])) {
                continue;
            }
            float x[2], y[2];
            section_point(s, im, ends[0]->position, &x[0], &y[0]);
            section_point(s, im, ends[1]->position, &x[1], &y[1]);
            if (pass == 0) {
                image_line(im, x[0], y[0], x[1], y[1], 3.0f, IMAGE_INK);
            } else {
                image_disc(im, x[0], y[0], 5.0f, IMAGE_INK);
                image_disc(im, x[1], y[1], 5.0f, IMAGE_INK);
            }
        }
    }
}

// -- The push-out field

typedef struct tangent_sphere {
    vec3 centre, outward;
    float radius;
} tangent_sphere;

static tangent_sphere tangent_of(const hem_particle* q) {
    tangent_sphere t;
    t.outward = v3_rotate(q->rotation, v3(1.0f, 0.0f, 0.0f));
    t.radius = 0.5f * (q->radii[1] * q->radii[1] + q->radii[2] * q->radii[2]) / q->radii[0];
    t.centre = v3_mad(v3_load(q->position), t.outward, q->radii[0] - t.radius);
    return t;
}

// Where the deepest of the spheres around a point pushes it: to the nearest point of the sphere, mirrored when that goes
// against the outward axis.
static bool push_at(const section* s, const puppet* p, vec3 at, vec3* push) {
    float deepest = 0.0f;
    for (uint32_t i = 0; i < p->source->view.info->particle_count; i++) {
        const hem_particle* q = &p->particles[i];
        if (!wanted(s, q) || (q->flags & HEM_PARTICLE_SURFACE) == 0) {
            continue;
        }
        tangent_sphere t = tangent_of(q);
        vec3 from = v3_sub(at, t.centre);
        float depth = t.radius - v3_length(from);
        if (depth > deepest) {
            deepest = depth;
            vec3 direction = v3_normalize(from, t.outward);
            float along = v3_dot(direction, t.outward);
            *push = along < 0.0f ? v3_mad(direction, t.outward, -2.0f * along) : direction;
        }
    }
    return deepest > 0.0f;
}

void section_draw_field(const section* s, const puppet* p, float step, image* im) {
    for (uint32_t i = 0; i < p->source->view.info->particle_count; i++) {
        const hem_particle* q = &p->particles[i];
        if (!wanted(s, q) || (q->flags & HEM_PARTICLE_SURFACE) == 0) {
            continue;
        }
        tangent_sphere t = tangent_of(q);
        float centre[3];
        v3_store(centre, t.centre);
        float away = centre[s->axis] - s->at;
        if (away * away < t.radius * t.radius) {
            float ring = hem_sqrtf(t.radius * t.radius - away * away), circle[2 * ELLIPSE_POINTS + 2], middle[2];
            to_plane(s, centre, middle);
            for (int32_t k = 0; k <= ELLIPSE_POINTS; k++) {
                float angle = 2.0f * HEM_PI * (float)k / ELLIPSE_POINTS;
                const float point[2] = {middle[0] + ring * hem_cosf(angle), middle[1] + ring * hem_sinf(angle)};
                to_image(s, im, point, &circle[2 * k], &circle[2 * k + 1]);
            }
            image_stroke(im, circle, NULL, ELLIPSE_POINTS + 1, 1.0f, 0x6f8fb080);
        }
    }
    float up_sign = s->axis == 1 ? -1.0f : 1.0f;
    for (float b = s->low[1] + 0.5f * step; b < s->high[1]; b += step) {
        for (float a = s->low[0] + 0.5f * step; a < s->high[0]; a += step) {
            float place[3];
            place[s->axis] = s->at;
            place[s->across] = s->across_sign * a;
            place[s->up] = up_sign * b;
            vec3 push = v3(0.0f, 0.0f, 0.0f);
            if (!push_at(s, p, v3_load(place), &push)) {
                continue;
            }
            float tip[3], x0, y0, x1, y1;
            v3_store(tip, v3_mad(v3_load(place), push, 0.75f * step));
            section_point(s, im, place, &x0, &y0);
            section_point(s, im, tip, &x1, &y1);
            float dx = x1 - x0, dy = y1 - y0;
            image_line(im, x0, y0, x1, y1, 1.1f, 0x2f5f98ff);
            const float head[6] = {x1,
                                   y1,
                                   x1 - 0.35f * dx + 0.18f * dy,
                                   y1 - 0.35f * dy - 0.18f * dx,
                                   x1 - 0.35f * dx - 0.18f * dy,
                                   y1 - 0.35f * dy + 0.18f * dx};
            image_polygon(im, head, 3, 0x2f5f98ff);
        }
    }
}
