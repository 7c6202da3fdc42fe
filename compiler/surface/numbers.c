// SPDX-License-Identifier: MIT
#include "compiler/surface/spatial.h"

#include <string.h>

uint64_t hemc_random_next(hemc_random* random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double hemc_random_unit(hemc_random* random) {
    return (double)(hemc_random_next(random) >> 11) * (1.0 / 9007199254740992.0);
}

double hemc_cube_root(double x) {
    if (!(x > 0.0)) {
        return 0.0;
    }
    // Bring x into [1, 8) by exact factors of 8, then Newton from 1.5 converges in a handful of steps.
    double scale = 1.0;
    while (x >= 8.0) {
        x *= 0.125;
        scale *= 2.0;
    }
    while (x < 1.0) {
        x *= 8.0;
        scale *= 0.5;
    }
    double r = 1.5;
    for (int i = 0; i < 8; ++i) {
        r = (2.0 * r + x / (r * r)) / 3.0;
    }
    return r * scale;
}

static bool item_less(hemc_sort_item a, hemc_sort_item b) {
    return a.key < b.key || (a.key == b.key && a.index < b.index);
}

void hemc_sort_items(hemc_arena* arena, hemc_sort_item* items, size_t count) {
    if (count < 2) {
        return;
    }
    hemc_sort_item* other = hemc_alloc(arena, count, sizeof *other);
    hemc_sort_item* from = items;
    hemc_sort_item* to = other;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            size_t middle = begin + width < count ? begin + width : count;
            size_t end = middle + width < count ? middle + width : count;
            size_t a = begin, b = middle;
            for (size_t k = begin; k < end; ++k) {
                to[k] = (b >= end || (a < middle && !item_less(from[b], from[a]))) ? from[a++] : from[b++];
            }
        }
        hemc_sort_item* swap = from;
        from = to;
        to = swap;
    }
    if (from != items) {
        memcpy(items, from, count * sizeof *items);
    }
}

void hemc_eigen3(const double m[6], double values[3], hemc_d3 vectors[3]) {
    double a[3][3] = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (int sweep = 0; sweep < 12; ++sweep) {
        for (int k = 0; k < 3; ++k) {
            int p = pairs[k][0], q = pairs[k][1];
            double off = a[p][q];
            if (fabs(off) <= 1e-300) {
                continue;
            }
            double theta = (a[q][q] - a[p][p]) / (2.0 * off);
            double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
            double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
            for (int i = 0; i < 3; ++i) {
                double x = a[i][p], y = a[i][q];
                a[i][p] = c * x - s * y;
                a[i][q] = s * x + c * y;
            }
            for (int i = 0; i < 3; ++i) {
                double x = a[p][i], y = a[q][i];
                a[p][i] = c * x - s * y;
                a[q][i] = s * x + c * y;
            }
            for (int i = 0; i < 3; ++i) {
                double x = v[i][p], y = v[i][q];
                v[i][p] = c * x - s * y;
                v[i][q] = s * x + c * y;
            }
        }
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; ++i) {
        for (int j = i + 1; j < 3; ++j) {
            if (a[order[j]][order[j]] > a[order[i]][order[i]]) {
                int swap = order[i];
                order[i] = order[j];
                order[j] = swap;
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        values[i] = a[order[i]][order[i]];
        vectors[i] = d3(v[0][order[i]], v[1][order[i]], v[2][order[i]]);
    }
    vectors[0] = d3_unit(vectors[0], d3(1, 0, 0));
    vectors[1] = d3_unit(vectors[1], d3(0, 1, 0));
    vectors[2] = d3_cross(vectors[0], vectors[1]);
}

void hemc_quat_from_axes(hemc_d3 x, hemc_d3 y, hemc_d3 z, float q[4]) {
    // The largest of the four candidate components keeps the divisor away from zero.
    double trace = x.x + y.y + z.z;
    double r[4];
    if (trace >= 0.0) {
        double s = 2.0 * sqrt(1.0 + trace);
        r[0] = (y.z - z.y) / s, r[1] = (z.x - x.z) / s, r[2] = (x.y - y.x) / s, r[3] = 0.25 * s;
    } else if (x.x >= y.y && x.x >= z.z) {
        double s = 2.0 * sqrt(1.0 + x.x - y.y - z.z);
        r[0] = 0.25 * s, r[1] = (x.y + y.x) / s, r[2] = (z.x + x.z) / s, r[3] = (y.z - z.y) / s;
    } else if (y.y >= z.z) {
        double s = 2.0 * sqrt(1.0 + y.y - x.x - z.z);
        r[0] = (x.y + y.x) / s, r[1] = 0.25 * s, r[2] = (y.z + z.y) / s, r[3] = (z.x - x.z) / s;
    } else {
        double s = 2.0 * sqrt(1.0 + z.z - x.x - y.y);
        r[0] = (z.x + x.z) / s, r[1] = (y.z + z.y) / s, r[2] = 0.25 * s, r[3] = (x.y - y.x) / s;
    }
    double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    double scale = (r[3] < 0.0 ? -1.0 : 1.0) / (length > 1e-30 ? length : 1.0);
    for (int i = 0; i < 4; ++i) {
        q[i] = (float)(r[i] * scale);
    }
}

hemc_d3 hemc_quat_axis(const float q[4], int axis) {
    double x = q[0], y = q[1], z = q[2], w = q[3];
    switch (axis) {
    case 0:
        return d3(1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w));
    case 1:
        return d3(2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w));
    default:
        return d3(2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y));
    }
}
