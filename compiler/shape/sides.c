// SPDX-License-Identifier: MIT
#include "compiler/generate/generate.h"
#include "compiler/graph/graph.h"

// One outer side for a whole piece of cloth. Each particle's own surface tells which way it faces, but where cloth has two
// walls, or a waistband is turned in, it may tell either. Neighbours in the weave face the same way: every particle takes
// its side from the one through which it is reached, and the side that most had before is the outer one.

// Half a turn about its second axis: the first one points to the other side.
static void turn_over(hemc_particles* p, uint32_t i) {
    const float x = p->rotation[i][0], y = p->rotation[i][1], z = p->rotation[i][2], w = p->rotation[i][3];
    const float turned[4] = {-z, w, x, -y}; // q times the quaternion (0, 1, 0, 0)
    for (int k = 0; k < 4; ++k) {
        p->rotation[i][k] = turned[k];
    }
    p->normals[i] = d3_to(d3_scale(d3_from(p->normals[i]), -1.0));
}

void hemc_agree_on_sides(hemc_arena* arena, hemc_particles* p) {
    hemc_adjacency net;
    hemc_adjacency_build(arena, p->links, p->link_count, p->count, &net);
    uint8_t* reached = hemc_alloc(arena, p->count, 1);
    uint8_t* turned = hemc_alloc(arena, p->count, 1);
    uint32_t* queue = hemc_alloc(arena, p->count, sizeof *queue);
    for (uint32_t first = 0; first < p->count; ++first) {
        if (reached[first]) {
            continue;
        }
        uint32_t begin = 0, end = 0, turned_count = 0;
        queue[end++] = first;
        reached[first] = 1;
        for (; begin < end; ++begin) {
            const uint32_t i = queue[begin];
            const hemc_d3 facing = d3_scale(d3_from(p->normals[i]), turned[i] ? -1.0 : 1.0);
            for (uint32_t k = net.starts[i]; k < net.starts[i + 1]; ++k) {
                const uint32_t j = net.neighbors[k];
                if (!reached[j]) {
                    reached[j] = 1;
                    turned[j] = d3_dot(facing, d3_from(p->normals[j])) < 0.0;
                    turned_count += turned[j];
                    queue[end++] = j;
                }
            }
        }
        const uint8_t wrong = turned_count * 2 > end ? 0 : 1;
        for (uint32_t k = 0; k < end; ++k) {
            if (turned[queue[k]] == wrong) {
                turn_over(p, queue[k]);
            }
        }
    }
}
