// SPDX-License-Identifier: MIT
#include "samples/kit.h"

#include <math.h>

// Surfaces with their own parameters, and so with natural UVs: tubes, sheets, balls, boxes.

kit_vec kit_curve_point(const kit_vec* points, int32_t count, double t) {
    double s = kit_clamp(t, 0.0, 1.0) * (count - 1);
    int32_t i = (int32_t)floor(s);
    i = i > count - 2 ? count - 2 : i;
    double f = s - i;
    kit_vec b = points[i], c = points[i + 1];
    kit_vec a = i > 0 ? points[i - 1] : kit_sub(kit_mul(b, 2.0), c);
    kit_vec d = i + 2 < count ? points[i + 2] : kit_sub(kit_mul(c, 2.0), b);
    kit_vec p = kit_mul(a, -0.5 * f * (1.0 - f) * (1.0 - f));
    p = kit_mad(p, b, 1.0 + f * f * (1.5 * f - 2.5));
    p = kit_mad(p, c, f * (0.5 + f * (2.0 - 1.5 * f)));
    return kit_mad(p, d, -0.5 * f * f * (1.0 - f));
}

// |cos|^(2/n) with its sign, without a power function: n is reached by interpolating between the circle (2) and the
// square.
static void superellipse(double angle, double exponent, double* x, double* y) {
    double c = kit_cos(angle), s = kit_sin(angle);
    double big = fabs(c) > fabs(s) ? fabs(c) : fabs(s);
    double sum = fabs(c) + fabs(s);
    double r = 1.0;
    if (exponent > 2.0) {
        r = kit_mix(1.0, 1.0 / big, 1.0 - 2.0 / exponent);
    } else if (exponent < 2.0) {
        r = kit_mix(1.0, 1.0 / sum, kit_clamp(2.0 - exponent, 0.0, 1.0));
    }
    *x = c * r;
    *y = s * r;
}

int32_t kit_tube(kit_model* model, kit_mesh* mesh, const kit_ring* rings, int32_t count, int32_t sides, kit_vec up,
                 uint32_t caps, int32_t material) {
    int32_t first = mesh->vertex_count;
    // Domes are extra rings that shrink along a quarter circle; discs are a single centre.
    int32_t dome = (caps & KIT_CAP_ROUND) != 0 ? 4 : 0;
    int32_t before = (caps & KIT_CAP_START) != 0 ? dome : 0, after = (caps & KIT_CAP_END) != 0 ? dome : 0;
    int32_t total = before + count + after;
    kit_ring* ring = kit_alloc(model, (size_t)total, sizeof(kit_ring));
    for (int32_t i = 0; i < total; ++i) {
        int32_t j = i - before;
        int32_t source = j < 0 ? 0 : j >= count ? count - 1 : j;
        ring[i] = rings[source];
        int32_t step = j < 0 ? -j : j >= count ? j - count + 1 : 0;
        if (step > 0) {
            int32_t inner = source == 0 ? 1 : count - 2;
            kit_vec out = kit_unit(kit_sub(rings[source].centre, rings[inner].centre));
            double a = 0.5 * KIT_PI * step / (dome + 1),
                   r = rings[source].rx < rings[source].ry ? rings[source].rx : rings[source].ry;
            ring[i].centre = kit_mad(rings[source].centre, out, r * kit_sin(a));
            ring[i].rx *= kit_cos(a);
            ring[i].ry *= kit_cos(a);
        }
    }
    kit_vec side = kit_v(0.0, 0.0, 0.0), previous = kit_v(0.0, 0.0, 0.0);
    double length = 0.0, total_length = 1e-9;
    for (int32_t i = 1; i < total; ++i) {
        total_length += kit_distance(ring[i].centre, ring[i - 1].centre);
    }
    for (int32_t i = 0; i < total; ++i) {
        kit_vec along = kit_unit(kit_sub(ring[i + 1 < total ? i + 1 : i].centre, ring[i > 0 ? i - 1 : 0].centre));
        // Turned shapes may step back along their axis; the frame does not turn round for that.
        along = i > 0 && kit_dot(along, previous) < 0.0 ? previous : along;
        side = i == 0 ? kit_unit(kit_cross(up, along)) : kit_rotate(kit_between(previous, along), side);
        side = kit_unit(kit_mad(side, along, -kit_dot(side, along)));
        previous = along;
        kit_vec other = kit_cross(along, side);
        length += i > 0 ? kit_distance(ring[i].centre, ring[i - 1].centre) : 0.0;
        for (int32_t k = 0; k <= sides; ++k) {
            double x, y, angle = 2.0 * KIT_PI * (k % sides) / sides;
            superellipse(angle, ring[i].exponent, &x, &y);
            double ct = kit_cos(ring[i].twist), st = kit_sin(ring[i].twist);
            double px = x * ring[i].rx, py = y * ring[i].ry;
            kit_vec d = kit_mad(kit_mul(side, px * ct - py * st), other, px * st + py * ct);
            kit_vertex_add(model, mesh, kit_add(ring[i].centre, d), kit_v(0.0, 1.0, 0.0), (double)k / sides,
                           length / total_length);
        }
    }
    for (int32_t i = 0; i + 1 < total; ++i) {
        for (int32_t k = 0; k < sides; ++k) {
            int32_t a = first + i * (sides + 1) + k, b = a + 1, c = a + sides + 1, d = c + 1;
            kit_triangle_add(model, mesh, a, b, d, material);
            kit_triangle_add(model, mesh, a, d, c, material);
        }
    }
    for (int32_t end = 0; end < 2; ++end) {
        if ((caps & (end == 0 ? (uint32_t)KIT_CAP_START : (uint32_t)KIT_CAP_END)) == 0) {
            continue;
        }
        int32_t i = end == 0 ? 0 : total - 1, row = first + i * (sides + 1);
        kit_vec tip = ring[i].centre;
        if (dome > 0) {
            int32_t source = end == 0 ? 0 : count - 1, inner = end == 0 ? 1 : count - 2;
            double r = rings[source].rx < rings[source].ry ? rings[source].rx : rings[source].ry;
            tip = kit_mad(rings[source].centre, kit_unit(kit_sub(rings[source].centre, rings[inner].centre)), r);
        }
        for (int32_t k = 0; k < sides; ++k) {
            // One tip vertex per side: each needs its own u.
            int32_t c = kit_vertex_add(model, mesh, tip, kit_v(0.0, 1.0, 0.0), (k + 0.5) / sides, end);
            if (end == 0) {
                kit_triangle_add(model, mesh, c, row + k + 1, row + k, material);
            } else {
                kit_triangle_add(model, mesh, c, row + k, row + k + 1, material);
            }
        }
    }
    kit_mesh_normals(model, mesh, first, -1, true);
    return first;
}

int32_t kit_sheet(kit_model* model, kit_mesh* mesh, int32_t columns, int32_t rows, bool closed_u,
                  kit_surface_point* point, const void* context, int32_t material) {
    int32_t first = mesh->vertex_count;
    for (int32_t j = 0; j <= rows; ++j) {
        for (int32_t i = 0; i <= columns; ++i) {
            double u = (double)i / columns, v = (double)j / rows;
            kit_vec p = point(closed_u && i == columns ? 0.0 : u, v, context);
            kit_vertex_add(model, mesh, p, kit_v(0.0, 1.0, 0.0), u, 1.0 - v);
        }
    }
    for (int32_t j = 0; j < rows; ++j) {
        for (int32_t i = 0; i < columns; ++i) {
            int32_t a = first + j * (columns + 1) + i, b = a + 1, c = a + columns + 1, d = c + 1;
            // Alternate diagonals: a sheet must bend alike in both.
            if (((i + j) & 1) == 0) {
                kit_triangle_add(model, mesh, a, b, d, material);
                kit_triangle_add(model, mesh, a, d, c, material);
            } else {
                kit_triangle_add(model, mesh, a, b, c, material);
                kit_triangle_add(model, mesh, b, d, c, material);
            }
        }
    }
    kit_mesh_normals(model, mesh, first, -1, true);
    return first;
}

int32_t kit_sphere(kit_model* model, kit_mesh* mesh, kit_vec centre, kit_vec radii, kit_quat rotation, int32_t sides,
                   int32_t rings, int32_t material) {
    int32_t first = mesh->vertex_count;
    for (int32_t j = 0; j <= rings; ++j) {
        double latitude = KIT_PI * j / rings, y = kit_cos(latitude), r = j == 0 || j == rings ? 0.0 : kit_sin(latitude);
        for (int32_t i = 0; i <= sides; ++i) {
            double longitude = 2.0 * KIT_PI * (i % sides) / sides;
            // Longitude 0, the seam, lies at the back.
            kit_vec d = {-r * kit_sin(longitude), y, -r * kit_cos(longitude)};
            kit_vec p = kit_rotate(rotation, kit_v(d.x * radii.x, d.y * radii.y, d.z * radii.z));
            kit_vec n = kit_rotate(rotation, kit_unit(kit_v(d.x / radii.x, d.y / radii.y, d.z / radii.z)));
            kit_vertex_add(model, mesh, kit_add(centre, p), n, (double)i / sides, (double)j / rings);
        }
    }
    for (int32_t j = 0; j < rings; ++j) {
        for (int32_t i = 0; i < sides; ++i) {
            int32_t a = first + j * (sides + 1) + i, b = a + 1, c = a + sides + 1, d = c + 1;
            if (j > 0) {
                kit_triangle_add(model, mesh, a, d, b, material);
            }
            if (j < rings - 1) {
                kit_triangle_add(model, mesh, a, c, d, material);
            }
        }
    }
    return first;
}

int32_t kit_eye(kit_model* model, kit_mesh* mesh, kit_vec centre, double radius, kit_vec look, double pupil_radians,
                double iris_radians, int32_t sides, int32_t white, int32_t iris, int32_t pupil) {
    enum { RINGS = 12, PUPIL_RING = 2, IRIS_RING = 4 };
    int32_t first = mesh->vertex_count;
    kit_quat turn = kit_between(kit_v(0.0, 0.0, 1.0), look);
    for (int32_t j = 0; j <= RINGS; ++j) {
        double a = pupil_radians * j / PUPIL_RING;
        if (j > PUPIL_RING) {
            a = kit_mix(pupil_radians, iris_radians, (double)(j - PUPIL_RING) / (IRIS_RING - PUPIL_RING));
        }
        if (j > IRIS_RING) {
            a = kit_mix(iris_radians, KIT_PI, (double)(j - IRIS_RING) / (RINGS - IRIS_RING));
        }
        double r = j == RINGS ? 0.0 : kit_sin(a);
        for (int32_t i = 0; i <= sides; ++i) {
            double b = 2.0 * KIT_PI * (i % sides) / sides;
            kit_vec n = kit_rotate(turn, kit_v(r * kit_cos(b), r * kit_sin(b), kit_cos(a)));
            double flat = a / (2.0 * KIT_PI);
            kit_vertex_add(model, mesh, kit_mad(centre, n, radius), n, 0.5 + flat * kit_cos(b),
                           0.5 - flat * kit_sin(b));
        }
    }
    for (int32_t j = 0; j < RINGS; ++j) {
        int32_t material = j < PUPIL_RING ? pupil : j < IRIS_RING ? iris : white;
        for (int32_t i = 0; i < sides; ++i) {
            int32_t a = first + j * (sides + 1) + i, b = a + 1, c = a + sides + 1, d = c + 1;
            if (j > 0) {
                kit_triangle_add(model, mesh, a, d, b, material);
            }
            if (j < RINGS - 1) {
                kit_triangle_add(model, mesh, a, c, d, material);
            }
        }
    }
    return first;
}

int32_t kit_box(kit_model* model, kit_mesh* mesh, kit_vec centre, kit_vec half, double bevel, int32_t material) {
    // Six faces with their own vertices, then bevel strips and corner triangles between the insets.
    int32_t first = mesh->vertex_count;
    double h[3] = {half.x, half.y, half.z};
    int32_t corner[3][8]; // the vertex of face axis `a` at corner bits (x=1, y=2, z=4)
    for (int32_t a = 0; a < 3; ++a) {
        for (int32_t c = 0; c < 8; ++c) {
            double p[3], n[3] = {0.0, 0.0, 0.0};
            for (int32_t k = 0; k < 3; ++k) {
                double sign = (c >> k) & 1 ? 1.0 : -1.0;
                p[k] = sign * (k == a ? h[k] : h[k] - bevel);
                n[k] = k == a ? sign : 0.0;
            }
            int32_t u = (a + 1) % 3, v = (a + 2) % 3;
            corner[a][c] = kit_vertex_add(model, mesh, kit_add(centre, kit_v(p[0], p[1], p[2])),
                                          kit_v(n[0], n[1], n[2]), 0.5 + 0.5 * p[u] / h[u], 0.5 + 0.5 * p[v] / h[v]);
        }
    }
    for (int32_t a = 0; a < 3; ++a) {
        int32_t u = 1 << ((a + 1) % 3), v = 1 << ((a + 2) % 3), s = 1 << a;
        for (int32_t side = 0; side < 2; ++side) {
            int32_t b = side * s, q[4] = {b, b | u, b | u | v, b | v};
            for (int32_t k = 1; k < 3; ++k) {
                int32_t i = corner[a][q[0]], j = corner[a][q[k]], l = corner[a][q[k + 1]];
                kit_triangle_add(model, mesh, i, side ? j : l, side ? l : j, material);
            }
        }
        // The strip along axis v between the faces of axes a and u, at each of four edges.
        for (int32_t e = 0; e < 4 && bevel > 0.0; ++e) {
            int32_t b = ((e & 1) != 0 ? s : 0) | ((e & 2) != 0 ? u : 0);
            int32_t p = corner[a][b], q = corner[a][b | v], r = corner[(a + 1) % 3][b], t = corner[(a + 1) % 3][b | v];
            bool flip = ((e & 1) != 0) == ((e & 2) != 0);
            kit_triangle_add(model, mesh, p, flip ? r : q, flip ? q : r, material);
            kit_triangle_add(model, mesh, r, flip ? t : q, flip ? q : t, material);
        }
    }
    for (int32_t c = 0; c < 8 && bevel > 0.0; ++c) {
        int32_t odd = ((c & 1) + ((c >> 1) & 1) + (c >> 2)) & 1;
        kit_triangle_add(model, mesh, corner[0][c], corner[odd ? 1 : 2][c], corner[odd ? 2 : 1][c], material);
    }
    return first;
}
