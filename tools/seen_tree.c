// SPDX-License-Identifier: MIT
#include "tools/seen_private.h"

#include <stdlib.h>
#include <string.h>

// A tree of boxes over the triangles of a layer. It is split once, in the bind pose, in equal halves across the longest side;
// every frame only its boxes are fitted again: neighbours in the bind pose stay neighbours however cloth moves.

enum { LEAF_SIZE = 4, DEPTH_MAX = 64 };

static vec3 centroid(const seen_mesh* m, uint32_t t) {
    return v3_scale(
        v3_add(v3_add(seeni_corner(m, m->rest, t, 0), seeni_corner(m, m->rest, t, 1)), seeni_corner(m, m->rest, t, 2)),
        1.0f / 3.0f);
}

static float along(vec3 v, int32_t axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Orders a range so that its first half lies before the second along the longest side of the centroids' box.
static uint32_t split(seen_tree* tree, const seen_mesh* m, uint32_t begin, uint32_t count) {
    vec3 low = v3(1e30f, 1e30f, 1e30f), high = v3(-1e30f, -1e30f, -1e30f);
    for (uint32_t i = begin; i < begin + count; i++) {
        vec3 c = centroid(m, tree->triangles[i]);
        low = v3_min(low, c), high = v3_max(high, c);
    }
    vec3 side = v3_sub(high, low);
    int32_t axis = side.x > side.y ? (side.x > side.z ? 0 : 2) : (side.y > side.z ? 1 : 2);
    uint32_t* t = tree->triangles;
    int64_t left = begin, right = (int64_t)begin + count - 1, wanted = (int64_t)begin + count / 2;
    while (left < right) { // Hoare's selection
        float pivot = along(centroid(m, t[wanted]), axis);
        int64_t i = left, j = right;
        while (i <= j) {
            while (along(centroid(m, t[i]), axis) < pivot) {
                i++;
            }
            while (pivot < along(centroid(m, t[j]), axis)) {
                j--;
            }
            if (i <= j) {
                uint32_t swap = t[i];
                t[i++] = t[j];
                t[j--] = swap;
            }
        }
        left = j < wanted ? i : left;
        right = wanted < i ? j : right;
    }
    return count / 2;
}

bool seeni_tree_build(seen_tree* tree, const seen_mesh* m, uint32_t layer) {
    memset(tree, 0, sizeof(*tree));
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        tree->triangle_count += m->triangle_layers[t] == layer;
    }
    tree->triangles = malloc(sizeof(uint32_t) * ((size_t)tree->triangle_count + 1));
    tree->nodes = malloc(sizeof(seen_node) * (2 * (size_t)tree->triangle_count + 1));
    if (tree->triangles == NULL || tree->nodes == NULL) {
        return false;
    }
    uint32_t used = 0;
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        if (m->triangle_layers[t] == layer) {
            tree->triangles[used++] = t;
        }
    }
    if (tree->triangle_count == 0) {
        return true;
    }
    tree->nodes[0] = (seen_node){.first = 0, .count = tree->triangle_count};
    tree->node_count = 1;
    // Nodes are split in the order they were made, so children always stand behind their parent.
    for (uint32_t i = 0; i < tree->node_count; i++) {
        seen_node* n = &tree->nodes[i];
        if (n->count <= LEAF_SIZE) {
            continue;
        }
        uint32_t begin = n->first, count = n->count, left = split(tree, m, begin, count);
        n->first = tree->node_count, n->count = 0;
        tree->nodes[tree->node_count++] = (seen_node){.first = begin, .count = left};
        tree->nodes[tree->node_count++] = (seen_node){.first = begin + left, .count = count - left};
    }
    return true;
}

void seeni_tree_destroy(seen_tree* tree) {
    free(tree->nodes);
    free(tree->triangles);
    memset(tree, 0, sizeof(*tree));
}

void seeni_tree_refit(seen_tree* tree, const seen_mesh* m) {
    for (uint32_t i = tree->node_count; i-- > 0;) {
        seen_node* n = &tree->nodes[i];
        vec3 low = v3(1e30f, 1e30f, 1e30f), high = v3(-1e30f, -1e30f, -1e30f);
        n->moved = false;
        for (uint32_t k = n->first; n->count > 0 && k < n->first + n->count; k++) {
            const float* box = m->boxes + 6 * (size_t)tree->triangles[k];
            low = v3_min(low, v3_load(box)), high = v3_max(high, v3_load(box + 3));
            n->moved |= m->triangle_moved[tree->triangles[k]] != 0;
        }
        for (uint32_t k = n->first; n->count == 0 && k < n->first + 2; k++) {
            const seen_node* child = &tree->nodes[k];
            low = v3_min(low, v3_load(child->low)), high = v3_max(high, v3_load(child->high));
            n->moved |= child->moved;
        }
        v3_store(n->low, low);
        v3_store(n->high, high);
    }
}

// Without branches: which side is apart cannot be foretold.
static bool overlap(const float* low_a, const float* high_a, const float* low_b, const float* high_b) {
    return ((low_a[0] <= high_b[0]) & (low_b[0] <= high_a[0]) & (low_a[1] <= high_b[1]) & (low_b[1] <= high_a[1]) &
            (low_a[2] <= high_b[2]) & (low_b[2] <= high_a[2])) != 0;
}

static float girth(const seen_node* n) {
    return (n->high[0] - n->low[0]) + (n->high[1] - n->low[1]) + (n->high[2] - n->low[2]);
}

static void leaf_pairs(const seen_tree* ta, const seen_node* na, const seen_tree* tb, const seen_node* nb,
                       const seen_mesh* m, seeni_pair_visit visit, void* user) {
    for (uint32_t i = na->first; i < na->first + na->count; i++) {
        uint32_t a = ta->triangles[i];
        const float* box = m->boxes + 6 * (size_t)a;
        if (!overlap(box, box + 3, nb->low, nb->high)) {
            continue;
        }
        for (uint32_t k = nb->first; k < nb->first + nb->count; k++) {
            uint32_t b = tb->triangles[k];
            const float* other = m->boxes + 6 * (size_t)b;
            if (overlap(box, box + 3, other, other + 3) && m->triangle_moved[a] + m->triangle_moved[b] > 0) {
                visit(user, a, b);
            }
        }
    }
}

void seeni_tree_pairs(const seen_tree* a, const seen_tree* b, const seen_mesh* m, seeni_pair_visit visit, void* user) {
    uint32_t stack[4 * DEPTH_MAX][2], depth = 0;
    if (a->node_count == 0 || b->node_count == 0) {
        return;
    }
    stack[depth][0] = 0, stack[depth++][1] = 0;
    while (depth > 0) {
        depth--;
        const uint32_t ia = stack[depth][0], ib = stack[depth][1];
        const seen_node *na = &a->nodes[ia], *nb = &b->nodes[ib];
        if (!(na->moved || nb->moved) || !overlap(na->low, na->high, nb->low, nb->high)) {
            continue;
        }
        if (na->count > 0 && nb->count > 0) {
            leaf_pairs(a, na, b, nb, m, visit, user);
            continue;
        }
        bool open_a = nb->count > 0 || (na->count == 0 && girth(na) > girth(nb));
        for (uint32_t k = 0; k < 2; k++) {
            stack[depth][0] = open_a ? na->first + k : ia;
            stack[depth++][1] = open_a ? ib : nb->first + k;
        }
    }
}

static float box_distance(const seen_node* n, vec3 p) {
    vec3 under = v3_sub(v3_load(n->low), p), over = v3_sub(p, v3_load(n->high));
    return v3_length(v3_max(v3_max(under, over), v3(0.0f, 0.0f, 0.0f)));
}

// Ericson, Real-Time Collision Detection, 5.1.5. Weights of corners that play no part are exactly 0.
static void closest_on_triangle(vec3 p, const vec3 c[3], float w[3]) {
    vec3 ab = v3_sub(c[1], c[0]), ac = v3_sub(c[2], c[0]), ap = v3_sub(p, c[0]);
    float d1 = v3_dot(ab, ap), d2 = v3_dot(ac, ap);
    w[0] = w[1] = w[2] = 0.0f;
    if (d1 <= 0.0f && d2 <= 0.0f) {
        w[0] = 1.0f;
        return;
    }
    vec3 bp = v3_sub(p, c[1]);
    float d3 = v3_dot(ab, bp), d4 = v3_dot(ac, bp);
    if (d3 >= 0.0f && d4 <= d3) {
        w[1] = 1.0f;
        return;
    }
    float vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f) {
        w[1] = d1 / (d1 - d3), w[0] = 1.0f - w[1];
        return;
    }
    vec3 cp = v3_sub(p, c[2]);
    float d5 = v3_dot(ab, cp), d6 = v3_dot(ac, cp);
    if (d6 >= 0.0f && d5 <= d6) {
        w[2] = 1.0f;
        return;
    }
    float vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f) {
        w[2] = d2 / (d2 - d6), w[0] = 1.0f - w[2];
        return;
    }
    float va = d3 * d6 - d5 * d4;
    if (va <= 0.0f && d4 - d3 >= 0.0f && d5 - d6 >= 0.0f) {
        w[2] = (d4 - d3) / ((d4 - d3) + (d5 - d6)), w[1] = 1.0f - w[2];
        return;
    }
    float scale = 1.0f / (va + vb + vc);
    w[1] = vb * scale, w[2] = vc * scale, w[0] = 1.0f - w[1] - w[2];
}

bool seeni_tree_nearest(const seen_tree* tree, const seen_mesh* m, const float* positions, vec3 point, int32_t wall,
                        float reach, seen_hit* hit) {
    uint32_t stack[2 * DEPTH_MAX], depth = 0;
    bool found = false;
    hit->distance = reach;
    if (tree->node_count > 0) {
        stack[depth++] = 0;
    }
    while (depth > 0) {
        const seen_node* n = &tree->nodes[stack[--depth]];
        if (box_distance(n, point) >= hit->distance) {
            continue;
        }
        for (uint32_t i = n->first; n->count > 0 && i < n->first + n->count; i++) {
            uint32_t t = tree->triangles[i];
            if (wall == SEEN_ANY_WALL ? m->walls[t] < 0 : m->walls[t] != wall) {
                continue;
            }
            vec3 c[3] = {seeni_corner(m, positions, t, 0), seeni_corner(m, positions, t, 1),
                         seeni_corner(m, positions, t, 2)};
            float w[3];
            closest_on_triangle(point, c, w);
            vec3 q = v3_mad(v3_mad(v3_scale(c[0], w[0]), c[1], w[1]), c[2], w[2]);
            float distance = v3_length(v3_sub(point, q));
            if (distance < hit->distance) {
                found = true;
                hit->distance = distance, hit->triangle = t, hit->point = q;
                memcpy(hit->weights, w, sizeof(w));
            }
        }
        if (n->count == 0) {
            // The nearer child on top of the stack.
            uint32_t near_child =
                box_distance(&tree->nodes[n->first], point) <= box_distance(&tree->nodes[n->first + 1], point) ? 0 : 1;
            stack[depth++] = n->first + 1 - near_child;
            stack[depth++] = n->first + near_child;
        }
    }
    return found;
}
