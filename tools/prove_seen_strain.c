// SPDX-License-Identifier: MIT
#include "tools/prove_seen.h"
#include "tools/command.h"
#include "tools/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Threads of cloth (warp and weft) that stay longer than cloth is: over 1.1 times their rest length, or their length in the
// animated pose where that pulls them apart, for more than a few frames.

#define STRAIN_LIMIT 1.1f
#define STRAIN_FRAMES 6 // a tenth of a second
#define STRAIN_SECONDS 6.0f

typedef struct strains {
    asset_link* links;
    uint16_t *run, *longest; // frames over the limit: at present, and at most
    uint32_t count;
    hem_particle *now, *posed;
    uint64_t over, looked;
    float worst; // times its length
} strains;

static bool begin_strains(strains* s, const asset* a) {
    const uint32_t count = asset_link_count(a), particles = a->info.particle_count;
    memset(s, 0, sizeof(*s));
    s->links = malloc(sizeof(asset_link) * ((size_t)count + 1));
    s->run = calloc((size_t)count + 1, sizeof(uint16_t));
    s->longest = calloc((size_t)count + 1, sizeof(uint16_t));
    s->now = calloc(particles, sizeof(hem_particle));
    s->posed = calloc(particles, sizeof(hem_particle));
    if (s->links == NULL || s->run == NULL || s->longest == NULL || s->now == NULL || s->posed == NULL) {
        return false;
    }
    asset_links(a, s->links);
    for (uint32_t i = 0; i < count; i++) { // only threads of cloth
        const asset_link* l = &s->links[i];
        if ((l->kind == HEM_LINK_WARP || l->kind == HEM_LINK_WEFT) && a->view.parts[l->part].kind == HEM_PART_CLOTH) {
            s->links[s->count++] = *l;
        }
    }
    return true;
}

static void end_strains(strains* s) {
    free(s->links);
    free(s->run);
    free(s->longest);
    free(s->now);
    free(s->posed);
}

static float length2(const hem_particle* all, const asset_link* l) {
    float sum = 0.0f;
    for (int k = 0; k < 3; k++) {
        const float d = all[l->a].position[k] - all[l->b].position[k];
        sum += d * d;
    }
    return sum;
}

static void look_at_strains(strains* s) {
    for (uint32_t i = 0; i < s->count; i++) {
        const asset_link* l = &s->links[i];
        if (s->now[l->a].flags & s->now[l->b].flags & HEM_PARTICLE_ANIMATED) {
            continue;
        }
        const float rest2 = fmaxf(l->rest * l->rest, length2(s->posed, l)), now2 = length2(s->now, l);
        const bool over = now2 > STRAIN_LIMIT * STRAIN_LIMIT * rest2;
        s->looked++;
        s->over += over;
        s->worst = fmaxf(s->worst, sqrtf(now2 / rest2));
        s->run[i] = (uint16_t)(over ? s->run[i] + 1 : 0);
        s->longest[i] = s->run[i] > s->longest[i] ? s->run[i] : s->longest[i];
    }
}

static bool play_strains(strains* s, player* live, stage* posed, int32_t clip, float speed) {
    const asset* a = live->setup.source;
    hem_root root = {{0.0, 0.0, 0.0}, {0.0f, 0.0f, 0.0f, 1.0f}};
    const int32_t settle = (int32_t)(0.5f * PROVE_HZ);
    const float clip_seconds = asset_clip_seconds(a, clip);
    const float seconds = asset_clip_loops(a, clip) ? STRAIN_SECONDS : fminf(clip_seconds, STRAIN_SECONDS);
    bool going = true;
    for (int32_t i = 0; going && i < settle + (int32_t)(seconds * PROVE_HZ); i++) {
        const bool before = i < settle; // in the first pose, coming up to speed
        asset_pose(a, clip, before ? 0.0f : (float)(i - settle + 1) / PROVE_HZ, live->pose);
        root.position[2] += (double)(speed / PROVE_HZ * (before ? (float)(i + 1) / (float)settle : 1.0f));
        going = player_drive(live, &root, 1.0f / PROVE_HZ) == COMMAND_OK &&
                hem_instance_set_pose(posed->scene, posed->id, live->pose, a->info.bone_count, 0) == HEM_OK &&
                hem_instance_reset(posed->scene, posed->id) == HEM_OK;
        if (going && !before) {
            hem_instance_get_particles(live->scene, live->id, 0, a->info.particle_count, s->now);
            hem_instance_get_particles(posed->scene, posed->id, 0, a->info.particle_count, s->posed);
            look_at_strains(s);
        }
    }
    return going;
}

static void add_strains(proof* p, const char* who, const asset* a, int32_t clip) {
    strains s;
    player live;
    stage posed;
    player_setup setup = player_setup_default(a);
    const char* name = asset_clip_name(a, clip);
    setup.clip = clip;
    const bool room = begin_strains(&s, a);
    const bool opened = room && s.count > 0 && player_begin(&live, &setup) == COMMAND_OK;
    const bool shown = opened && stage_open(&posed, a);
    if (shown && stage_add(&posed) && play_strains(&s, &live, &posed, clip, prove_clip_speed(a, name))) {
        uint32_t lasting = 0, longest = 0;
        for (uint32_t i = 0; i < s.count; i++) {
            lasting += s.longest[i] > STRAIN_FRAMES;
            longest = s.longest[i] > longest ? s.longest[i] : longest;
        }
        char reached[128];
        snprintf(reached, sizeof(reached), "%u of %u, for %u frames at most (%.2f %% of all frames, worst %.2f times)",
                 lasting, s.count, longest, 100.0 * (double)s.over / (double)(s.looked > 0 ? s.looked : 1),
                 (double)s.worst);
        proof_add(p, lasting == 0, "0", reached, "%s %s: threads over 1.1 for more than %d frames", who, name,
                  STRAIN_FRAMES);
    } else if (!room || s.count > 0) {
        proof_unmeasured(p, "0", "it could not be played", "%s %s: threads over 1.1", who, name);
    }
    if (shown) {
        stage_close(&posed);
    }
    if (opened) {
        player_end(&live);
    }
    end_strains(&s);
}

void prove_seen_strain(proof* p) {
    static const char* const names[] = {"cape_girl", "robe", "somersault", "flag"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char group[64];
        asset a;
        snprintf(group, sizeof(group), "strain/%s", names[i]);
        if (proof_wants(p, group) && proof_sample(p, names[i], &a)) {
            for (uint32_t clip = 0; clip < a.view.clip_count; clip++) {
                add_strains(p, names[i], &a, (int32_t)clip);
            }
            asset_unload(&a);
        }
    }
}
