// SPDX-License-Identifier: MIT
#include "samples/kit.h"

#include <math.h>
#include <string.h>

// Bodies as one smooth skin. Blobs (ellipsoids, round cones) are joined by a smooth minimum of their distances; the
// surface where the sum is zero is meshed with surface nets: one vertex per grid cell and sheet of surface that
// crosses it, one quad per grid edge it crosses. The vertices are then slid along the surface toward the mean of
// their neighbours and pushed back onto it by Newton steps, which turns the stair-stepped net into even quads.
// Normals come from the gradient and so are smoother than the mesh.
//
// The grid is walked in blocks of 4 cells; blocks farther from the surface than their own diagonal are not looked into.

enum { BLOCK = 4 };

static kit_blob* push(kit_model* model, kit_shape* shape, kit_blob blob) {
    if (shape->blob_count == shape->blob_capacity) {
        int32_t capacity = shape->blob_capacity == 0 ? 32 : shape->blob_capacity * 2;
        kit_blob* blobs = kit_alloc(model, (size_t)capacity, sizeof(kit_blob));
        if (shape->blob_count > 0) {
            memcpy(blobs, shape->blobs, (size_t)shape->blob_count * sizeof(kit_blob));
        }
        shape->blobs = blobs;
        shape->blob_capacity = capacity;
    }
    shape->blobs[shape->blob_count] = blob;
    return &shape->blobs[shape->blob_count++];
}

kit_blob* kit_ball(kit_model* model, kit_shape* shape, int32_t label, kit_vec centre, kit_vec radii, double melt) {
    return push(
        model, shape,
        (kit_blob){centre, centre, 1.0, 1.0, radii, {0.0, 0.0, 0.0, 1.0}, melt, false, label, {0.0, 0.0, 0.0}, 0.0});
}

kit_blob* kit_cone(kit_model* model, kit_shape* shape, int32_t label, kit_vec a, kit_vec b, double ra, double rb,
                   double melt) {
    kit_quat along = kit_between(kit_v(0.0, 1.0, 0.0), kit_sub(b, a));
    return push(model, shape,
                (kit_blob){a, b, ra, rb, {1.0, 1.0, 1.0}, along, melt, false, label, {0.0, 0.0, 0.0}, 0.0});
}

void kit_shape_mirror(kit_model* model, kit_shape* shape, int32_t first, int32_t label_shift) {
    int32_t end = shape->blob_count;
    for (int32_t i = first; i < end; ++i) {
        kit_blob blob = shape->blobs[i];
        blob.a = kit_mirror(blob.a);
        blob.b = kit_mirror(blob.b);
        blob.rotation = kit_qmirror(blob.rotation);
        blob.label += label_shift;
        push(model, shape, blob);
    }
}

// -- Distance

static double maximum(double a, double b, double c) {
    double m = a > b ? a : b;
    return m > c ? m : c;
}

// A ball around the blob, for skipping it.
static void blob_bounds(const kit_blob* blob, kit_vec* centre, double* radius) {
    double r = blob->ra > blob->rb ? blob->ra : blob->rb;
    *centre = kit_lerp(blob->a, blob->b, 0.5);
    *radius = 0.5 * kit_distance(blob->a, blob->b) + r * maximum(blob->scale.x, blob->scale.y, blob->scale.z);
}

// First-order distance: the value in the stretched frame over the length of its gradient. Exact on the surface.
static double blob_distance(const kit_blob* blob, kit_vec p) {
    kit_vec s = blob->scale;
    kit_vec q = kit_rotate(kit_qinv(blob->rotation), kit_sub(p, blob->a));
    double length = kit_distance(blob->a, blob->b);
    double height = length > 0.0 ? kit_clamp(q.y / length, 0.0, 1.0) : 0.0;
    double slope = length > 0.0 ? (blob->rb - blob->ra) / length : 0.0;
    double radius = kit_mix(blob->ra, blob->rb, height);
    kit_vec d = {q.x / s.x, (q.y - height * length) / s.y, q.z / s.z};
    double away = kit_length(d);
    kit_vec gradient = {d.x / s.x, d.y / s.y, d.z / s.z};
    double steepness = kit_length(gradient);
    if (steepness < 1e-12) {
        return -radius * (s.x < s.z ? s.x : s.z);
    }
    return (away - radius) * away / steepness / sqrt(1.0 + slope * slope);
}

static double melt_min(double a, double b, double k) {
    double h = k > 0.0 ? k - fabs(a - b) : 0.0;
    double minimum = a < b ? a : b;
    return h > 0.0 ? minimum - h * h * 0.25 / k : minimum;
}

double kit_shape_distance(const kit_shape* shape, kit_vec p, int32_t* label) {
    double sum = 1e9, nearest = 1e9;
    int32_t owner = 0;
    for (int32_t i = 0; i < shape->blob_count; ++i) {
        const kit_blob* blob = &shape->blobs[i];
        kit_vec centre = blob->bound_centre;
        double radius = blob->bound_radius;
        if (radius == 0.0) {
            blob_bounds(blob, &centre, &radius);
        }
        // The blob is no nearer than away - radius. Too far to melt in, or to be the nearest: skip it.
        kit_vec away = kit_sub(p, centre);
        double bound = radius + (blob->carve ? blob->melt - sum : sum + blob->melt);
        bound = !blob->carve && bound < radius + nearest ? radius + nearest : bound;
        if (bound < 0.0 || kit_dot(away, away) > bound * bound) {
            continue;
        }
        if (blob->carve) {
            sum = -melt_min(-sum, blob_distance(blob, p), blob->melt);
            continue;
        }
        // First-order distances can fall short of the bound far away; hold them to it, so that skipping changes
        // nothing.
        double d = blob_distance(blob, p), reach = sqrt(kit_dot(away, away)) - radius;
        d = d < reach ? reach : d;
        if (d < nearest) {
            nearest = d;
            owner = blob->label;
        }
        sum = melt_min(sum, d, blob->melt);
    }
    if (label != NULL) {
        *label = owner;
    }
    return shape->displace != NULL ? sum + shape->displace(p, shape->context) : sum;
}

static kit_vec shape_gradient(const kit_shape* shape, kit_vec p) {
    // Four samples on the corners of a tetrahedron.
    double e = 1e-4;
    double a = kit_shape_distance(shape, kit_v(p.x + e, p.y - e, p.z - e), NULL);
    double b = kit_shape_distance(shape, kit_v(p.x - e, p.y - e, p.z + e), NULL);
    double c = kit_shape_distance(shape, kit_v(p.x - e, p.y + e, p.z - e), NULL);
    double d = kit_shape_distance(shape, kit_v(p.x + e, p.y + e, p.z + e), NULL);
    return kit_mul(kit_v(a - b - c + d, c + d - a - b, b - a - c + d), 0.25 / e);
}

kit_vec kit_shape_normal(const kit_shape* shape, kit_vec p) {
    return kit_unit(shape_gradient(shape, p));
}

static kit_vec newton(const kit_shape* shape, kit_vec p, int32_t steps, double limit) {
    for (int32_t i = 0; i < steps; ++i) {
        kit_vec g = shape_gradient(shape, p);
        double gg = kit_dot(g, g);
        if (gg < 1e-6) {
            break;
        }
        double move = kit_clamp(kit_shape_distance(shape, p, NULL) / sqrt(gg), -limit, limit);
        p = kit_mad(p, g, -move / sqrt(gg));
    }
    return p;
}

kit_vec kit_shape_project(const kit_shape* shape, kit_vec p) {
    return newton(shape, p, 8, 1e9);
}

// -- Meshing

typedef struct shape_grid {
    double* at[3];      // coordinates of the nodes along each axis
    int32_t nx, ny, nz; // nodes
    double* values;
    int32_t* vertex;  // first of the cell whose low corner is this node, plus 1
    uint32_t* pieces; // two bits per cell edge: which of the cell's vertices it belongs to
} shape_grid;

static size_t node_index(const shape_grid* g, int32_t x, int32_t y, int32_t z) {
    return ((size_t)z * (size_t)g->ny + (size_t)y) * (size_t)g->nx + (size_t)x;
}

static kit_vec node_point(const shape_grid* g, int32_t x, int32_t y, int32_t z) {
    return kit_v(g->at[0][x], g->at[1][y], g->at[2][z]);
}

static int32_t minimum(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static void grid_fill(const kit_shape* shape, shape_grid* g) {
    for (int32_t bz = 0; bz < g->nz; bz += BLOCK) {
        for (int32_t by = 0; by < g->ny; by += BLOCK) {
            for (int32_t bx = 0; bx < g->nx; bx += BLOCK) {
                // Up to the first nodes of the next blocks, since cells reach across.
                kit_vec low = node_point(g, bx, by, bz);
                kit_vec high = node_point(g, minimum(bx + BLOCK, g->nx - 1), minimum(by + BLOCK, g->ny - 1),
                                          minimum(bz + BLOCK, g->nz - 1));
                double middle = kit_shape_distance(shape, kit_lerp(low, high, 0.5), NULL);
                bool distant = fabs(middle) > kit_distance(low, high);
                for (int32_t z = bz; z < bz + BLOCK && z < g->nz; ++z) {
                    for (int32_t y = by; y < by + BLOCK && y < g->ny; ++y) {
                        for (int32_t x = bx; x < bx + BLOCK && x < g->nx; ++x) {
                            g->values[node_index(g, x, y, z)] =
                                distant ? middle : kit_shape_distance(shape, node_point(g, x, y, z), NULL);
                        }
                    }
                }
            }
        }
    }
}

// Cell edges are numbered axis * 4 + (bit along the next axis) + 2 * (bit along the one after).
static int32_t cell_edge(int32_t axis, int32_t corner) {
    return axis * 4 + ((corner >> ((axis + 1) % 3)) & 1) + 2 * ((corner >> ((axis + 2) % 3)) & 1);
}

// Which of a cell's crossed edges hang together. On a face with four crossings the two inside corners are kept apart;
// both cells at the face decide alike, so that the surface closes, and a cell that two sheets pass gets a vertex for
// each: no edge has four triangles.
static int32_t cell_pieces(const double* corner, int32_t* piece) {
    for (int32_t e = 0; e < 12; ++e) {
        piece[e] = e;
    }
    for (int32_t face = 0; face < 6; ++face) {
        int32_t axis = face >> 1, u = (axis + 1) % 3, v = (axis + 2) % 3, base = (face & 1) << axis;
        int32_t corners[4] = {base, base | 1 << u, base | 1 << u | 1 << v, base | 1 << v};
        int32_t crossed[4], count = 0;
        for (int32_t k = 0; k < 4; ++k) {
            int32_t c = corners[k], d = corners[(k + 1) & 3];
            int32_t e = cell_edge((k & 1) == 0 ? u : v, c & d);
            if ((corner[c] < 0.0) != (corner[d] < 0.0)) {
                crossed[count++] = e;
            }
        }
        int32_t shift = count == 4 && corner[corners[0]] < 0.0 ? 3 : 0; // edges k-1 and k meet at corner k
        for (int32_t k = 0; k + 1 < count; k += 2) {
            int32_t from = piece[crossed[(k + shift) & 3]], to = piece[crossed[(k + shift + 1) & 3]];
            for (int32_t e = 0; e < 12; ++e) {
                piece[e] = piece[e] == from ? to : piece[e];
            }
        }
    }
    // Renumber the pieces that hold crossings from zero.
    int32_t number[12], count = 0;
    for (int32_t e = 0; e < 12; ++e) {
        number[e] = KIT_NONE;
    }
    for (int32_t e = 0; e < 12; ++e) {
        int32_t axis = e >> 2, c = (e & 1) << ((axis + 1) % 3) | ((e >> 1) & 1) << ((axis + 2) % 3);
        if ((corner[c] < 0.0) == (corner[c | 1 << axis] < 0.0)) {
            piece[e] = KIT_NONE;
            continue;
        }
        if (number[piece[e]] == KIT_NONE) {
            number[piece[e]] = count++;
        }
        piece[e] = number[piece[e]];
    }
    return count;
}

// The mean of the crossings of each piece. Returns the number of pieces.
static int32_t cell_vertices(const shape_grid* g, int32_t x, int32_t y, int32_t z, kit_vec* points, uint32_t* pieces) {
    double corner[8];
    int32_t inside = 0, piece[12];
    for (int32_t i = 0; i < 8; ++i) {
        corner[i] = g->values[node_index(g, x + (i & 1), y + ((i >> 1) & 1), z + (i >> 2))];
        inside += corner[i] < 0.0 ? 1 : 0;
    }
    if (inside == 0 || inside == 8) {
        return 0;
    }
    int32_t count = cell_pieces(corner, piece);
    kit_vec low = node_point(g, x, y, z), high = node_point(g, x + 1, y + 1, z + 1);
    *pieces = 0;
    for (int32_t p = 0; p < count; ++p) {
        kit_vec sum = {0.0, 0.0, 0.0};
        double crossings = 0.0;
        for (int32_t e = 0; e < 12; ++e) {
            if (piece[e] != p) {
                continue;
            }
            int32_t axis = e >> 2, i = (e & 1) << ((axis + 1) % 3) | ((e >> 1) & 1) << ((axis + 2) % 3),
                    j = i | 1 << axis;
            double t = corner[i] / (corner[i] - corner[j]);
            kit_vec a = {i & 1, (i >> 1) & 1, i >> 2}, b = {j & 1, (j >> 1) & 1, j >> 2};
            sum = kit_add(sum, kit_lerp(a, b, t));
            crossings += 1.0;
            *pieces |= (uint32_t)p << (2 * e);
        }
        sum = kit_mul(sum, 1.0 / crossings);
        points[p] = kit_v(kit_mix(low.x, high.x, sum.x), kit_mix(low.y, high.y, sum.y), kit_mix(low.z, high.z, sum.z));
    }
    return count;
}

typedef struct quad_list {
    int32_t (*v)[4];
    int32_t count, capacity;
} quad_list;

static void quad_push(kit_model* model, quad_list* quads, int32_t a, int32_t b, int32_t c, int32_t d) {
    if (quads->count == quads->capacity) {
        int32_t capacity = quads->capacity == 0 ? 4096 : quads->capacity * 2;
        int32_t(*v)[4] = kit_alloc(model, (size_t)capacity, sizeof *v);
        if (quads->count > 0) {
            memcpy(v, quads->v, (size_t)quads->count * sizeof *v);
        }
        quads->v = v;
        quads->capacity = capacity;
    }
    int32_t* q = quads->v[quads->count++];
    q[0] = a;
    q[1] = b;
    q[2] = c;
    q[3] = d;
}

// One quad around each grid edge along `axis` that the surface crosses, from the four cells that share the edge.
static void grid_quads(kit_model* model, const shape_grid* g, quad_list* quads) {
    int32_t limit[3] = {g->nx, g->ny, g->nz};
    for (int32_t z = 0; z < g->nz; ++z) {
        for (int32_t y = 0; y < g->ny; ++y) {
            for (int32_t x = 0; x < g->nx; ++x) {
                int32_t at[3] = {x, y, z};
                for (int32_t axis = 0; axis < 3; ++axis) {
                    int32_t u = (axis + 1) % 3, v = (axis + 2) % 3;
                    if (at[axis] + 1 >= limit[axis] || at[u] == 0 || at[v] == 0) {
                        continue;
                    }
                    int32_t to[3] = {x, y, z};
                    to[axis] += 1;
                    bool here = g->values[node_index(g, x, y, z)] < 0.0;
                    bool there = g->values[node_index(g, to[0], to[1], to[2])] < 0.0;
                    if (here == there) {
                        continue;
                    }
                    int32_t corner[4];
                    for (int32_t k = 0; k < 4; ++k) {
                        int32_t c[3] = {x, y, z};
                        c[u] -= k == 1 || k == 2 ? 1 : 0;
                        c[v] -= k >= 2 ? 1 : 0;
                        // Seen from that cell the edge lies at the far side wherever the cell was stepped back.
                        int32_t e = axis * 4 + (at[u] - c[u]) + 2 * (at[v] - c[v]);
                        size_t cell = node_index(g, c[0], c[1], c[2]);
                        corner[k] = g->vertex[cell] - 1 + (int32_t)(g->pieces[cell] >> (2 * e) & 3);
                    }
                    if (here) {
                        quad_push(model, quads, corner[0], corner[1], corner[2], corner[3]);
                    } else {
                        quad_push(model, quads, corner[3], corner[2], corner[1], corner[0]);
                    }
                }
            }
        }
    }
}

static void relax(kit_model* model, const kit_shape* shape, kit_mesh* mesh, int32_t first, const quad_list* quads,
                  double cell) {
    int32_t count = mesh->vertex_count - first;
    kit_vec* sums = kit_alloc(model, (size_t)count, sizeof(kit_vec));
    double* degree = kit_alloc(model, (size_t)count, sizeof(double));
    for (int32_t round = 0; round < 5; ++round) {
        memset(sums, 0, (size_t)count * sizeof(kit_vec));
        memset(degree, 0, (size_t)count * sizeof(double));
        for (int32_t q = 0; q < quads->count; ++q) {
            for (int32_t k = 0; k < 4; ++k) {
                int32_t a = quads->v[q][k], b = quads->v[q][(k + 1) & 3];
                sums[a - first] = kit_add(sums[a - first], mesh->vertices[b].position);
                sums[b - first] = kit_add(sums[b - first], mesh->vertices[a].position);
                degree[a - first] += 1.0;
                degree[b - first] += 1.0;
            }
        }
        for (int32_t i = 0; i < count; ++i) {
            if (degree[i] == 0.0) {
                continue;
            }
            kit_vec p = mesh->vertices[first + i].position;
            kit_vec step = kit_mul(kit_sub(kit_mul(sums[i], 1.0 / degree[i]), p), 0.6);
            kit_vec n = kit_shape_normal(shape, p);
            p = kit_add(p, kit_mad(step, n, -kit_dot(step, n)));
            mesh->vertices[first + i].position = newton(shape, p, 1, 0.5 * cell);
        }
    }
}

static void grid_axis(kit_model* model, const kit_shape* shape, int32_t axis, double low, double high, double cell,
                      double** at, int32_t* count) {
    // From the middle outward, so that the grid of a symmetric shape is symmetric; two cells of room at each end.
    double middle = 0.5 * (low + high);
    int32_t steps[2] = {0, 0};
    for (int32_t pass = 0; pass < 2; ++pass) {
        int32_t first = steps[0];
        if (pass == 1) {
            *count = steps[0] + steps[1] + 1;
            *at = kit_alloc(model, (size_t)*count, sizeof(double));
            (*at)[first] = middle;
        }
        for (int32_t side = 0; side < 2; ++side) {
            double sign = side == 0 ? -1.0 : 1.0, x = middle, room = 0.0;
            for (int32_t i = 0; room < 1.5 * cell; ++i) {
                x += sign * cell * (shape->grade != NULL ? shape->grade(axis, x) : 1.0);
                room = side == 0 ? low - x : x - high;
                if (pass == 0) {
                    ++steps[side];
                } else {
                    (*at)[first + (side == 0 ? -i - 1 : i + 1)] = x;
                }
            }
        }
    }
}

static void grid_measure(kit_model* model, const kit_shape* shape, double cell, shape_grid* g) {
    kit_vec low = {1e9, 1e9, 1e9}, high = {-1e9, -1e9, -1e9};
    for (int32_t i = 0; i < shape->blob_count; ++i) {
        const kit_blob* blob = &shape->blobs[i];
        if (blob->carve) {
            continue;
        }
        double radius = blob->bound_radius + 0.3 * blob->melt;
        kit_vec c = blob->bound_centre;
        low = kit_v(fmin(low.x, c.x - radius), fmin(low.y, c.y - radius), fmin(low.z, c.z - radius));
        high = kit_v(fmax(high.x, c.x + radius), fmax(high.y, c.y + radius), fmax(high.z, c.z + radius));
    }
    grid_axis(model, shape, 0, low.x, high.x, cell, &g->at[0], &g->nx);
    grid_axis(model, shape, 1, low.y, high.y, cell, &g->at[1], &g->ny);
    grid_axis(model, shape, 2, low.z, high.z, cell, &g->at[2], &g->nz);
}

int32_t kit_shape_mesh(kit_model* model, kit_mesh* mesh, const kit_shape* source, double cell, int32_t material) {
    // Work on a copy whose blobs know their bounds.
    kit_shape prepared = *source;
    const kit_shape* shape = &prepared;
    prepared.blobs = kit_alloc(model, (size_t)source->blob_count, sizeof(kit_blob));
    for (int32_t i = 0; i < source->blob_count; ++i) {
        kit_blob* blob = &prepared.blobs[i];
        *blob = source->blobs[i];
        blob_bounds(blob, &blob->bound_centre, &blob->bound_radius);
    }
    shape_grid g;
    grid_measure(model, shape, cell, &g);
    size_t nodes = (size_t)g.nx * (size_t)g.ny * (size_t)g.nz;
    g.values = kit_alloc(model, nodes, sizeof(double));
    g.vertex = kit_alloc(model, nodes, sizeof(int32_t));
    g.pieces = kit_alloc(model, nodes, sizeof(uint32_t));
    grid_fill(shape, &g);

    int32_t first = mesh->vertex_count;
    for (int32_t z = 0; z + 1 < g.nz; ++z) {
        for (int32_t y = 0; y + 1 < g.ny; ++y) {
            for (int32_t x = 0; x + 1 < g.nx; ++x) {
                kit_vec points[4];
                size_t cell_index = node_index(&g, x, y, z);
                int32_t count = cell_vertices(&g, x, y, z, points, &g.pieces[cell_index]);
                for (int32_t p = 0; p < count; ++p) {
                    kit_vec place = newton(shape, points[p], 2, cell);
                    int32_t index = kit_vertex_add(model, mesh, place, kit_v(0.0, 1.0, 0.0), 0.0, 0.0);
                    g.vertex[cell_index] = p == 0 ? index + 1 : g.vertex[cell_index];
                }
            }
        }
    }
    quad_list quads = {0};
    grid_quads(model, &g, &quads);
    relax(model, shape, mesh, first, &quads, cell);

    for (int32_t i = first; i < mesh->vertex_count; ++i) {
        kit_vertex* v = &mesh->vertices[i];
        v->position = newton(shape, v->position, 2, cell);
        v->normal = kit_shape_normal(shape, v->position);
        kit_shape_distance(shape, v->position, &v->label);
    }
    for (int32_t q = 0; q < quads.count; ++q) {
        const int32_t* c = quads.v[q];
        double d02 = kit_distance(mesh->vertices[c[0]].position, mesh->vertices[c[2]].position);
        double d13 = kit_distance(mesh->vertices[c[1]].position, mesh->vertices[c[3]].position);
        int32_t s = d02 <= d13 ? 0 : 1;
        kit_triangle_add(model, mesh, c[s], c[s + 1], c[s + 2], material);
        kit_triangle_add(model, mesh, c[s], c[s + 2], c[(s + 3) & 3], material);
        kit_vec middle = {0.0, 0.0, 0.0};
        for (int32_t k = 0; k < 4; ++k) {
            middle = kit_mad(middle, mesh->vertices[c[k]].position, 0.25);
        }
        int32_t label;
        kit_shape_distance(shape, middle, &label);
        mesh->triangles[mesh->triangle_count - 2].label = label;
        mesh->triangles[mesh->triangle_count - 1].label = label;
    }
    return first;
}
