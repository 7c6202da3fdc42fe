// SPDX-License-Identifier: MIT
#include "tools/prove_lattice.h"
#include "tools/player.h"

#include <math.h>
#include <stdlib.h>

// The octopus swims by its clip, and the clip carries it through a wall: it stays before it, and catches up when the wall is gone.
// Tips of arms, thinner than the lattice's cells, are pressed half a cell into it.

typedef struct swimmer {
    player player;
    float *skeleton, *now;
    uint32_t vertex_count;
    double size, off; // off: of the farthest vertex from its clip, share of the size
} swimmer;

static bool begin(swimmer* s, const asset* a) {
    player_setup setup = player_setup_default(a);
    setup.ground = false; // the colliders are ours
    s->vertex_count = a->view.info->vertex_count;
    s->skeleton = malloc((size_t)s->vertex_count * 3 * sizeof(float));
    s->now = malloc((size_t)s->vertex_count * 3 * sizeof(float));
    for (int32_t k = 0; k < 3; k++) {
        s->size = fmax(s->size, (double)(a->view.info->bounds_max[k] - a->view.info->bounds_min[k]));
    }
    return s->skeleton != NULL && s->now != NULL && player_begin(&s->player, &setup) == 0;
}

// A frame of the clip, all of it carried along x.
static void swim(swimmer* s, int32_t frame, float carried) {
    player* p = &s->player;
    const asset* a = p->setup.source;
    const hem_root root = {.rotation = {0, 0, 0, 1}};
    asset_pose(a, 0, (float)frame / 60.0f, p->pose);
    for (uint32_t b = 0; b < a->view.info->bone_count; b++) {
        p->pose[12 * b + 3] += carried;
    }
    player_drive(p, &root, 1.0f / 60.0f);
    const hem_skin_args args = {.positions = s->now, .vertex_count = s->vertex_count};
    hem_instance_skin(p->scene, p->id, &args);
    asset_skin(a, p->pose, s->skeleton, NULL);
    double worst = 0;
    for (uint32_t i = 0; i < 3 * s->vertex_count; i += 3) {
        const double x = (double)(s->now[i] - s->skeleton[i]), y = (double)(s->now[i + 1] - s->skeleton[i + 1]),
                     z = (double)(s->now[i + 2] - s->skeleton[i + 2]);
        worst = fmax(worst, x * x + y * y + z * z);
    }
    s->off = sqrt(worst) / s->size;
}

static float farthest(const float* positions, uint32_t count) {
    float x = positions[0];
    for (uint32_t i = 1; i < count; i++) {
        x = fmaxf(x, positions[3 * i]);
    }
    return x;
}

static void wall_at(swimmer* s, float x) {
    hem_collider wall = hem_collider_default();
    wall.kind = HEM_COLLIDER_BOX;
    wall.position[0] = (double)x + 1.0;
    wall.size[0] = 1.0f;
    wall.size[1] = wall.size[2] = 5.0f;
    hem_instance_set_colliders(s->player.scene, s->player.id, &wall, 1);
}

void prove_lattice_wall(proof* p) {
    asset a;
    swimmer s = {0};
    if (!proof_sample(p, "octopus_lattice", &a)) {
        return;
    }
    if (!begin(&s, &a)) {
        proof_unmeasured(p, "5 %", "it cannot be played", "the octopus at a wall");
    } else {
        float carried = 0, wall = -INFINITY;
        double through = 0, beyond = -INFINITY;
        int32_t frame = 0;
        for (; frame < 60; frame++) {
            swim(&s, frame, 0);
            wall = fmaxf(wall, farthest(s.skeleton, s.vertex_count));
        }
        wall += 0.05f * (float)s.size;
        wall_at(&s, wall);
        for (; frame < 240; frame++) { // up to two fifths of its size in two seconds, then there
            carried = fminf(carried + 0.4f / 120.0f * (float)s.size, 0.4f * (float)s.size);
            swim(&s, frame, carried);
            beyond = fmax(beyond, (double)(farthest(s.now, s.vertex_count) - wall) / s.size);
            through = fmax(through, (double)(farthest(s.skeleton, s.vertex_count) - wall) / s.size);
        }
        proof_at_most(p, 5.0, 100.0 * beyond, "% of its size",
                      "beyond a wall, while its clip is carried %.0f %% through", 100.0 * through);
        hem_instance_set_colliders(s.player.scene, s.player.id, NULL, 0);
        int32_t frames = 0;
        do {
            swim(&s, frame++, carried);
        } while (++frames < 300 && s.off > 0.05);
        proof_at_most(p, 2.0, s.off <= 0.05 ? frames / 60.0 : INFINITY, "s",
                      "until it is within 5 %% of its clip again");
    }
    player_end(&s.player);
    free(s.skeleton);
    free(s.now);
    asset_unload(&a);
}
