// SPDX-License-Identifier: MIT
#include "samples/human.h"

#include <math.h>

// Garments that hang free: grids of points made into cloth with a front, a lining and rims, and the things sewn onto them.
//
// A grid's columns run to the right when it is looked at from outside, its rows run down. A closed grid has as many columns as points; its UV
// seam doubles the vertices of column 0 and nothing else.

human_grid human_grid_new(kit_model* model, int32_t columns, int32_t rows, bool closed) {
    const size_t count = (size_t)columns * (size_t)rows;
    return (human_grid){.points = kit_alloc(model, count, sizeof(kit_vec)),
                        .normals = kit_alloc(model, count, sizeof(kit_vec)),
                        .columns = columns,
                        .rows = rows,
                        .closed = closed};
}

kit_vec* human_grid_at(const human_grid* grid, int32_t column, int32_t row) {
    if (grid->closed) {
        column = ((column % grid->columns) + grid->columns) % grid->columns;
    }
    return &grid->points[(size_t)row * (size_t)grid->columns + (size_t)column];
}

void human_grid_normals(human_grid* grid) {
    for (int32_t r = 0; r < grid->rows; r++) {
        for (int32_t c = 0; c < grid->columns; c++) {
            const int32_t left = grid->closed || c > 0 ? c - 1 : c;
            const int32_t right = grid->closed || c + 1 < grid->columns ? c + 1 : c;
            const kit_vec across = kit_sub(*human_grid_at(grid, right, r), *human_grid_at(grid, left, r));
            const kit_vec down = kit_sub(*human_grid_at(grid, c, r + 1 < grid->rows ? r + 1 : r),
                                         *human_grid_at(grid, c, r > 0 ? r - 1 : r));
            grid->normals[r * grid->columns + c] = kit_unit(kit_cross(down, across));
        }
    }
}

void human_grid_clear(human_grid* grid, const kit_shape* shape, double clear) {
    const int32_t count = grid->columns * grid->rows;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t step = 0; step < 8; step++) {
            const double d = kit_shape_distance(shape, grid->points[i], NULL);
            if (d >= clear) {
                break;
            }
            grid->points[i] = kit_mad(grid->points[i], kit_shape_normal(shape, grid->points[i]), clear - d);
        }
    }
}

human_cloth human_cloth_add(human* h, kit_mesh* mesh, const human_grid* grid, double thickness, int32_t front,
                            int32_t lining) {
    const int32_t stride = grid->columns + (grid->closed ? 1 : 0);
    human_cloth cloth = {.first = mesh->vertex_count, .stride = stride};
    const int32_t face = stride * grid->rows;
    for (int32_t layer = 0; layer < 2; layer++) {
        for (int32_t r = 0; r < grid->rows; r++) {
            for (int32_t c = 0; c < stride; c++) {
                const int32_t i = r * grid->columns + c % grid->columns;
                const kit_vec p = kit_mad(grid->points[i], grid->normals[i], layer == 0 ? 0.0 : -thickness);
                // Front and lining are charts side by side.
                const double u = (double)c / (stride - 1) * 0.48 + (layer == 0 ? 0.0 : 0.52);
                const double v = (double)r / (grid->rows - 1);
                kit_vertex_add(h->model, mesh, p, kit_mul(grid->normals[i], layer == 0 ? 1.0 : -1.0), u, v);
            }
        }
        for (int32_t r = 0; r + 1 < grid->rows; r++) {
            for (int32_t c = 0; c + 1 < stride; c++) {
                const int32_t a = cloth.first + layer * face + r * stride + c;
                const int32_t q[4] = {a, a + stride, a + stride + 1, a + 1};
                const int32_t d = (r + c) & 1;
                const int32_t t[2][3] = {{q[0], q[1], q[2 + d]}, {q[d ? 3 : 0], q[d ? 1 : 2], q[d ? 2 : 3]}};
                for (int32_t k = 0; k < 2; k++) {
                    if (layer == 0) {
                        kit_triangle_add(h->model, mesh, t[k][0], t[k][1], t[k][2], front);
                    } else {
                        kit_triangle_add(h->model, mesh, t[k][0], t[k][2], t[k][1], lining);
                    }
                }
            }
        }
    }
    kit_mesh_normals(h->model, mesh, cloth.first, 2 * face, true);
    // Rims: the outline walked once, a strip from front to lining with its own vertices (a hard edge).
    const int32_t outline = grid->closed ? 2 * stride : 2 * (grid->columns + grid->rows - 2) + 1;
    int32_t previous = KIT_NONE;
    for (int32_t i = 0; i < outline; i++) {
        int32_t c, r;
        bool joined = i > 0;
        if (grid->closed) {
            r = i < stride ? grid->rows - 1 : 0;
            c = i < stride ? i : 2 * stride - 1 - i;
            joined = i % stride != 0;
        } else {
            const int32_t w = grid->columns - 1, t = grid->rows - 1, at = i % (outline - 1);
            c = at < w ? at : at < w + t ? w : at < 2 * w + t ? 2 * w + t - at : 0;
            r = at < w ? t : at < w + t ? t - (at - w) : at < 2 * w + t ? 0 : at - 2 * w - t;
        }
        const int32_t a = cloth.first + r * stride + c, b = a + face;
        const kit_vertex va = mesh->vertices[a], vb = mesh->vertices[b];
        const double along = 0.002 + 0.996 * i / (outline - 1);
        const int32_t na = kit_vertex_add(h->model, mesh, va.position, va.normal, 0.485, along);
        const int32_t nb = kit_vertex_add(h->model, mesh, vb.position, vb.normal, 0.515, along);
        if (joined) {
            kit_triangle_add(h->model, mesh, previous, previous + 1, nb, front);
            kit_triangle_add(h->model, mesh, previous, nb, na, front);
        }
        previous = na;
    }
    cloth.count = mesh->vertex_count - cloth.first;
    kit_mesh_normals(h->model, mesh, cloth.first + 2 * face, cloth.count - 2 * face, true);
    return cloth;
}

kit_vec human_grid_sample(const human_grid* grid, double column, double row, kit_vec* normal) {
    const double maximum = grid->closed ? 1e9 : grid->columns - 1.0;
    column = kit_clamp(column, grid->closed ? -1e9 : 0.0, maximum);
    row = kit_clamp(row, 0.0, grid->rows - 1.0);
    const int32_t c = (int32_t)floor(column), r = (int32_t)floor(row);
    const double fc = column - c, fr = row - r;
    kit_vec p = kit_v(0, 0, 0), n = kit_v(0, 0, 0);
    for (int32_t k = 0; k < 4; k++) {
        const double w = ((k & 1) ? fc : 1 - fc) * ((k & 2) ? fr : 1 - fr);
        if (w > 0) {
            const kit_vec* at = human_grid_at(grid, c + (k & 1), r + (k >> 1));
            p = kit_mad(p, *at, w);
            n = kit_mad(n, grid->normals[at - grid->points], w);
        }
    }
    if (normal != NULL) {
        *normal = kit_unit(n);
    }
    return p;
}

void human_trim(human* h, kit_mesh* mesh, const human_grid* grid, double row_a, double row_b, double column_a,
                double column_b, int32_t steps, double lift, int32_t material) {
    // A band with a raised middle: four rows of vertices across, the outer two on the cloth. The longer way is the ribbon's length.
    const bool along_columns = fabs(column_b - column_a) > fabs(row_b - row_a);
    enum { ACROSS = 4 };
    static const double heights[ACROSS] = {0.15, 1.0, 1.0, 0.15};
    static const double places[ACROSS] = {0.0, 0.08, 0.92, 1.0};
    const int32_t first = mesh->vertex_count;
    for (int32_t i = 0; i <= steps; i++) {
        const double t = (double)i / steps;
        for (int32_t k = 0; k < ACROSS; k++) {
            const double s = places[k];
            kit_vec n;
            const kit_vec p =
                along_columns
                    ? human_grid_sample(grid, kit_mix(column_a, column_b, t), kit_mix(row_a, row_b, s), &n)
                    : human_grid_sample(grid, kit_mix(column_a, column_b, 1 - s), kit_mix(row_a, row_b, t), &n);
            kit_vertex_add(h->model, mesh, kit_mad(p, n, lift * heights[k]), n, t, s);
        }
        for (int32_t k = 0; k + 1 < ACROSS && i > 0; k++) {
            const int32_t a = first + (i - 1) * ACROSS + k, b = a + ACROSS;
            kit_triangle_add(h->model, mesh, a, a + 1, b + 1, material);
            kit_triangle_add(h->model, mesh, a, b + 1, b, material);
        }
    }
    kit_mesh_normals(h->model, mesh, first, -1, true);
}

void human_stud(human* h, kit_mesh* mesh, const human_grid* grid, double column, double row, double radius,
                double height, int32_t sides, int32_t material) {
    kit_vec n;
    const kit_vec p = human_grid_sample(grid, column, row, &n);
    const kit_vec x = kit_unit(kit_cross(kit_v(0, 1, 0), n)), y = kit_cross(n, x);
    const int32_t first = mesh->vertex_count;
    static const double rings[2][2] = {{1.0, 0.1}, {0.62, 0.85}};
    for (int32_t r = 0; r < 2; r++) {
        for (int32_t k = 0; k <= sides; k++) {
            const double angle = 2.0 * KIT_PI * (k % sides) / sides;
            const kit_vec d = kit_mad(kit_mul(x, kit_cos(angle)), y, kit_sin(angle));
            kit_vertex_add(h->model, mesh, kit_mad(kit_mad(p, d, radius * rings[r][0]), n, height * rings[r][1]), n,
                           (double)k / sides, r * 0.5);
        }
    }
    const int32_t top = kit_vertex_add(h->model, mesh, kit_mad(p, n, height), n, 0.5, 1.0);
    for (int32_t k = 0; k < sides; k++) {
        const int32_t a = first + k, b = a + sides + 1;
        kit_triangle_add(h->model, mesh, a, a + 1, b + 1, material);
        kit_triangle_add(h->model, mesh, a, b + 1, b, material);
        kit_triangle_add(h->model, mesh, b, b + 1, top, material);
    }
    kit_mesh_normals(h->model, mesh, first, -1, true);
}

int32_t human_grid_nearest(const human_grid* grid, kit_vec place) {
    const int32_t count = grid->columns * grid->rows;
    int32_t nearest = 0;
    double minimum = 1e30;
    for (int32_t i = 0; i < count; i++) {
        const double d = kit_distance(grid->points[i], place);
        if (d < minimum) {
            minimum = d;
            nearest = i;
        }
    }
    return nearest;
}

kit_vec human_grid_push(const human_grid* grid, kit_vec point, double clear, double range) {
    const int32_t i = human_grid_nearest(grid, point);
    const double above = kit_dot(kit_sub(point, grid->points[i]), grid->normals[i]);
    const bool near = kit_distance(point, grid->points[i]) < range;
    return near && above < clear ? kit_mad(point, grid->normals[i], clear - above) : point;
}

void human_rim(human* h, kit_mesh* mesh, int32_t first_triangle, double depth) {
    // A border edge is one whose reverse is nobody's.
    const int32_t end = mesh->triangle_count;
    int32_t* outer = kit_alloc(h->model, (size_t)mesh->vertex_count, sizeof(int32_t));
    const int32_t original = mesh->vertex_count;
    for (int32_t i = 0; i < original; i++) {
        outer[i] = KIT_NONE;
    }
    const int32_t first_new = mesh->vertex_count;
    for (int32_t t = first_triangle; t < end; t++) {
        for (int32_t k = 0; k < 3; k++) {
            const int32_t a = mesh->triangles[t].v[k], b = mesh->triangles[t].v[(k + 1) % 3];
            bool border = true;
            for (int32_t o = first_triangle; o < end && border; o++) {
                const int32_t* v = mesh->triangles[o].v;
                for (int32_t i = 0; i < 3; i++) {
                    border = border && !(v[i] == b && v[(i + 1) % 3] == a);
                }
            }
            if (!border) {
                continue;
            }
            const int32_t ends[2] = {a, b};
            for (int32_t i = 0; i < 2; i++) {
                if (outer[ends[i]] == KIT_NONE) {
                    const kit_vertex v = mesh->vertices[ends[i]];
                    outer[ends[i]] = kit_vertex_add(h->model, mesh, v.position, v.normal, v.u, v.v);
                    const int32_t inner =
                        kit_vertex_add(h->model, mesh, kit_mad(v.position, v.normal, -depth), v.normal, v.u, v.v);
                    mesh->vertices[outer[ends[i]]] = v;
                    const kit_vec sunk = mesh->vertices[inner].position;
                    mesh->vertices[inner] = v;
                    mesh->vertices[inner].position = sunk;
                }
            }
            const int32_t material = mesh->triangles[t].material, label = mesh->triangles[t].label;
            kit_triangle_add(h->model, mesh, outer[b], outer[a], outer[a] + 1, material);
            mesh->triangles[mesh->triangle_count - 1].label = label;
            kit_triangle_add(h->model, mesh, outer[b], outer[a] + 1, outer[b] + 1, material);
            mesh->triangles[mesh->triangle_count - 1].label = label;
        }
    }
    kit_mesh_normals(h->model, mesh, first_new, -1, true);
}

int32_t human_lock(human* h, kit_mesh* mesh, const kit_vec* points, const kit_vec* outs, int32_t count, double width,
                   double thickness, int32_t material) {
    // A lens seen end on: two edges, a broad back with two ridges, one point underneath.
    enum { SIDES = 5 };
    static const double shape[SIDES][2] = {{-1.0, 0.0}, {-0.5, 0.85}, {0.5, 0.85}, {1.0, 0.0}, {0.0, -0.45}};
    const int32_t first = mesh->vertex_count;
    for (int32_t i = 0; i < count; i++) {
        const double t = (double)i / (count - 1);
        const kit_vec along = kit_unit(kit_sub(points[i + 1 < count ? i + 1 : i], points[i > 0 ? i - 1 : 0]));
        const kit_vec side = kit_unit(kit_cross(along, outs[i]));
        const kit_vec out = kit_cross(side, along);
        const double taper =
            kit_mix(0.5, 1.0, kit_smooth(0.0, 0.25, t)) * kit_mix(1.0, 0.10, kit_smooth(0.62, 1.02, t));
        const double thin = kit_mix(0.3, 1.0, kit_smooth(0.0, 0.35, t)) * kit_mix(1.0, 0.25, kit_smooth(0.55, 1.0, t));
        for (int32_t k = 0; k <= SIDES; k++) {
            const double* s = shape[k % SIDES];
            const kit_vec p = kit_mad(kit_mad(points[i], side, s[0] * width * taper), out, s[1] * thickness * thin);
            kit_vertex_add(h->model, mesh, p, out, (double)k / SIDES, t);
        }
        for (int32_t k = 0; k < SIDES && i > 0; k++) {
            const int32_t a = first + (i - 1) * (SIDES + 1) + k, b = a + SIDES + 1;
            kit_triangle_add(h->model, mesh, a, b, b + 1, material);
            kit_triangle_add(h->model, mesh, a, b + 1, a + 1, material);
        }
    }
    for (int32_t end = 0; end < 2; end++) {
        const int32_t row = first + end * (count - 1) * (SIDES + 1);
        for (int32_t k = 1; k + 1 < SIDES; k++) {
            kit_triangle_add(h->model, mesh, row, row + (end ? k : k + 1), row + (end ? k + 1 : k), material);
        }
    }
    kit_mesh_normals(h->model, mesh, first, -1, true);
    return first;
}

void human_unwrap(human* h, kit_mesh* mesh) {
    const kit_vec* j = h->joints;
    const kit_vec up = kit_v(0, 1, 0), front = kit_v(0, 0, 1);
    kit_chart charts[HUMAN_REGION_COUNT] = {
        {HUMAN_REGION_TORSO, {0, 0, 0}, up, front, 0.0, 0.0, 0.48, 0.48},
        {HUMAN_REGION_HEAD, {0, 0, 0}, up, front, 0.52, 0.0, 1.0, 0.48},
    };
    int32_t count = 2;
    for (int32_t side = 0; side < 2; side++) {
        const kit_vec arm = kit_sub(j[human_bone(HUMAN_UPPER_ARM, side)], j[human_bone(HUMAN_HAND, side)]);
        const double u = side * 0.5;
        charts[count++] = (kit_chart){
            HUMAN_REGION_ARM + side, j[human_bone(HUMAN_UPPER_ARM, side)], arm, front, u, 0.5, u + 0.22, 0.74};
        charts[count++] = (kit_chart){
            HUMAN_REGION_LEG + side, j[human_bone(HUMAN_THIGH, side)], up, front, u + 0.25, 0.5, u + 0.47, 1.0};
    }
    kit_mesh_unwrap(h->model, mesh, charts, count);
}
