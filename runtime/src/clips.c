// SPDX-License-Identifier: MIT
// Clips of lattices: keyframes that stand in for what the pose makes of a lattice's rows.
//
// Where the pose has a row is `target_next`; what follows from it (attached particles, the drive, the shape that regions
// keep) does not ask who wrote it. While a clip plays, or its targets are still on their way back, its rows are written here,
// from the asset's keys and from where the last step ended. Nothing else is kept: a change of clips in the middle of
// another change begins where the targets are.

#include "runtime/src/checks.h"
#include "runtime/src/meshes.h"
#include "runtime/src/ops.h"
#include "runtime/src/step.h"
#include "runtime/src/tear.h"

#define CLIP_COOKIE 0x48454d43u

hem_clip_play hem_clip_play_default(void) {
    hem_clip_play play;
    memset(&play, 0, sizeof(play));
    play.cookie = CLIP_COOKIE;
    play.loop = -1;
    play.speed = 1.0f;
    return play;
}

// -- What an asset has

uint32_t hem_asset_clip_count(const hem_asset* asset) {
    const hem_view* view = hemi_asset_view(asset);
    return view ? view->lattice_clip_count : 0;
}

static float length_of(const hem_view* view, const hem_lattice_clip* clip) {
    return view->lattice_keys[clip->key_begin + clip->key_count - 1].seconds;
}

hem_result hem_asset_get_clip(const hem_asset* asset, uint32_t index, hem_asset_clip* clip) {
    const hem_view* view = hemi_asset_view(asset);
    if (!view || !clip) {
        return HEM_ERROR_NULL;
    }
    if (index >= view->lattice_clip_count) {
        return HEM_ERROR_RANGE;
    }
    const hem_lattice_clip* from = &view->lattice_clips[index];
    memset(clip, 0, sizeof(*clip));
    clip->name = view->strings + from->name_offset;
    clip->part = view->lattices[from->lattice].part;
    clip->key_count = from->key_count;
    clip->seconds = length_of(view, from);
    clip->interpolates = (from->flags & HEM_LATTICE_CLIP_INTERPOLATES) != 0;
    clip->loops = (from->flags & HEM_LATTICE_CLIP_LOOPS) != 0;
    return HEM_OK;
}

int32_t hem_asset_find_clip(const hem_asset* asset, const char* name) {
    const hem_view* view = hemi_asset_view(asset);
    for (uint32_t i = 0; view && name && i < view->lattice_clip_count; ++i) {
        const char *a = view->strings + view->lattice_clips[i].name_offset, *b = name;
        for (; *a && *a == *b; ++a, ++b) {}
        if (*a == *b) {
            return (int32_t)i;
        }
    }
    return -1;
}

// -- What the game says

int hemi_track_is_fine(const hemi_track* t, const hem_view* view, uint32_t lattice, hemi_fault* fault) {
    if (t->clip1 > view->lattice_clip_count || (t->clip1 && view->lattice_clips[t->clip1 - 1].lattice != lattice)) {
        *fault = hemi_fault_value("clip", HEM_NONE, (double)t->clip1 - 1, "must be a clip of the asset");
        return 0;
    }
    return t->loops <= 1 && t->keys_only <= 1 && t->paused <= 1 &&
           hemi_is_fine(t->speed, 0.0f, 100.0f, "speed", "must be 0 to 100", fault) &&
           hemi_is_fine(t->lerp_speed, 0.0f, 1e6f, "lerp_speed", "must be 0 to 1e6 m/s", fault);
}

int hemi_track_past_is_fine(const hemi_track_past* t, const hem_view* view) {
    return t->clip1 <= view->lattice_clip_count && hemi_in_range(t->seconds, 0.0f, 1e6f) &&
           hemi_in_range(t->blend_left, 0.0f, 1e6f) && t->active <= 1 && t->settled <= 1 &&
           hemi_in_range(t->share, 0.0f, 1.0f);
}

hem_result hem_instance_play_clip(hem_scene* scene, hem_instance_id id, const hem_clip_play* play) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!play) {
        return hemi_refuse_null(scene, __func__, "play");
    }
    const hem_view* view = instance->view;
    hemi_fault fault;
    if (play->cookie != CLIP_COOKIE) {
        fault =
            hemi_fault_value("cookie", HEM_NONE, play->cookie, "make it with hem_clip_play_default, then fill it in");
        return hemi_refuse(scene, __func__, HEM_ERROR_COOKIE, &fault);
    }
    if (play->clip >= view->lattice_clip_count) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "play.clip", play->clip,
                                 "must be below hem_asset_clip_count");
    }
    const hem_lattice_clip* clip = &view->lattice_clips[play->clip];
    hemi_op_clip_play op;
    memset(&op, 0, sizeof(op));
    op.lattice = clip->lattice;
    op.blend = play->blend_seconds;
    op.track.clip1 = play->clip + 1;
    op.track.loops = play->loop < 0 ? (clip->flags & HEM_LATTICE_CLIP_LOOPS) != 0 : play->loop != 0;
    op.track.keys_only = play->keys_only != 0 || !(clip->flags & HEM_LATTICE_CLIP_INTERPOLATES);
    op.track.speed = play->speed;
    op.track.lerp_speed = play->lerp_speed;
    if (!hemi_track_is_fine(&op.track, view, op.lattice, &fault) ||
        !hemi_is_fine(play->start_seconds, 0.0f, 1e6f, "start_seconds", "must be 0 to 1e6 seconds", &fault) ||
        !hemi_is_fine(play->blend_seconds, 0.0f, 1e3f, "blend_seconds", "must be 0 to 1000 seconds", &fault)) {
        fault = hemi_fault_of("play", HEM_NONE, fault);
        return hemi_refuse(scene, __func__, HEM_ERROR_RANGE, &fault);
    }
    op.start = hem_minf(play->start_seconds, length_of(view, clip));
    hemi_apply(scene, instance, &(hemi_op){HEMI_OP_CLIP_PLAY, 0, &op, NULL, 0});
    return HEM_OK;
}

// The lattice of a part, HEM_NONE if it has none or no clips.
static int32_t lattice_of(const hem_view* view, uint32_t part) {
    for (uint32_t i = 0; view->lattice_clip_count && i < view->lattice_count; ++i) {
        if (view->lattices[i].part == part) {
            return (int32_t)i;
        }
    }
    return HEM_NONE;
}

static hem_result find_track(const hem_scene* scene, const char* call, hem_instance_id id, uint32_t part,
                             hemi_instance** instance, uint32_t* lattice) {
    hem_result result = hemi_find_idle(scene, call, id, instance);
    if (result != HEM_OK) {
        return result;
    }
    const int32_t found = lattice_of((*instance)->view, part);
    if (found == HEM_NONE) {
        return hemi_refuse_value(scene, call, HEM_ERROR_RANGE, "part", part, "must be a lattice with clips");
    }
    *lattice = (uint32_t)found;
    return HEM_OK;
}

hem_result hem_instance_pause_clip(hem_scene* scene, hem_instance_id id, uint32_t part, int paused) {
    hemi_instance* instance;
    hemi_op_clip_pause op = {0, paused != 0};
    hem_result result = find_track(scene, __func__, id, part, &instance, &op.lattice);
    if (result == HEM_OK) {
        hemi_apply(scene, instance, &(hemi_op){HEMI_OP_CLIP_PAUSE, 0, &op, NULL, 0});
    }
    return result;
}

hem_result hem_instance_stop_clip(hem_scene* scene, hem_instance_id id, uint32_t part, float blend_seconds) {
    hemi_instance* instance;
    hemi_fault fault;
    hemi_op_clip_stop op = {0, blend_seconds};
    hem_result result = find_track(scene, __func__, id, part, &instance, &op.lattice);
    if (result != HEM_OK) {
        return result;
    }
    if (!hemi_is_fine(blend_seconds, 0.0f, 1e3f, "blend_seconds", "must be 0 to 1000 seconds", &fault)) {
        return hemi_refuse(scene, __func__, HEM_ERROR_RANGE, &fault);
    }
    hemi_apply(scene, instance, &(hemi_op){HEMI_OP_CLIP_STOP, 0, &op, NULL, 0});
    return HEM_OK;
}

hem_result hem_instance_get_clip(const hem_scene* scene, hem_instance_id id, uint32_t part, hem_clip_state* state) {
    hemi_instance* instance;
    uint32_t lattice = 0;
    hem_result result = find_track(scene, __func__, id, part, &instance, &lattice);
    if (result != HEM_OK) {
        return result;
    }
    if (!state) {
        return hemi_refuse_null(scene, __func__, "state");
    }
    const hem_view* view = instance->view;
    const hemi_track* track = &instance->tracks[lattice];
    const hemi_track_past* past = &instance->track_past[lattice];
    memset(state, 0, sizeof(*state));
    state->clip = (int32_t)track->clip1 - 1;
    state->seconds = past->clip1 == track->clip1 ? past->seconds : 0.0f;
    state->blend_left = past->blend_left;
    state->paused = track->paused;
    state->ended =
        track->clip1 && !track->loops && state->seconds >= length_of(view, &view->lattice_clips[track->clip1 - 1]);
    return HEM_OK;
}

// -- In a step

static float advance(const hemi_track* track, float seconds, float dt, float length) {
    if (!track->paused) {
        seconds += dt * track->speed;
    }
    if (seconds >= length) {
        if (!track->loops || !(length > 0.0f)) {
            return length;
        }
        const float rounds = seconds / length;
        seconds -= length * (float)(uint32_t)hem_minf(rounds, 1e6f);
        seconds = seconds < length && seconds >= 0.0f ? seconds : 0.0f;
    }
    return seconds;
}

typedef struct sample {
    uint32_t key;
    float share;
} sample;

static sample sample_at(const hem_view* view, const hem_lattice_clip* clip, float seconds, int keys_only) {
    const hem_lattice_key* keys = view->lattice_keys + clip->key_begin;
    sample s = {0, 0.0f};
    while (s.key + 1 < clip->key_count && keys[s.key + 1].seconds <= seconds) {
        ++s.key;
    }
    if (!keys_only && s.key + 1 < clip->key_count && seconds > keys[s.key].seconds) {
        s.share = (seconds - keys[s.key].seconds) / (keys[s.key + 1].seconds - keys[s.key].seconds);
    }
    return s;
}

static void follow(hemi_step* s, uint32_t index) {
    hemi_instance* instance = s->instance;
    const hem_view* view = instance->view;
    const hemi_track* track = &instance->tracks[index];
    hemi_track_past* past = &instance->track_past[index];
    const hem_part* part = &view->parts[view->lattices[index].part];
    const hem_range range = hem_range_of(view->ranges, part, HEM_BATCH_DRIVES);
    const hem_lattice_clip* clip = track->clip1 ? &view->lattice_clips[track->clip1 - 1] : NULL;
    if (past->clip1 != track->clip1) { // an older state was loaded
        *past = (hemi_track_past){.clip1 = track->clip1, .active = past->active || clip};
    }
    if (!past->active) {
        return;
    }
    hemi_key_args args = {.rows = view->drive_rows + range.begin,
                          .count = range.count,
                          .prev = instance->target_prev,
                          .next = instance->target_next,
                          .blend = past->blend_left > s->seconds ? s->seconds / past->blend_left : 1.0f,
                          .limit = track->lerp_speed > 0.0f ? track->lerp_speed * s->seconds : -1.0f};
    past->blend_left = hem_maxf(past->blend_left - s->seconds, 0.0f);
    if (clip) {
        past->seconds = advance(track, past->seconds, s->seconds, length_of(view, clip));
        const sample at = sample_at(view, clip, past->seconds, (int)track->keys_only);
        const int same = past->settled && past->key == at.key && past->share == at.share;
        past->key = at.key;
        past->share = at.share;
        if (same) { // nothing to work out: the targets stay
            for (uint32_t i = 0; i < range.count; ++i) {
                const uint32_t anim = args.rows[i].anim_row;
                instance->target_next[anim] = instance->target_prev[anim];
            }
            return;
        }
        const uint32_t b = at.share > 0.0f ? at.key + 1 : at.key;
        args.a = view->lattice_key_rows + view->lattice_keys[clip->key_begin + at.key].row_begin;
        args.b = view->lattice_key_rows + view->lattice_keys[clip->key_begin + b].row_begin;
        args.share = at.share;
    } else {
        s->scene->kernels->targets(view, instance->bones, instance->target_next);
    }
    past->settled = s->scene->kernels->follow_keys(&args);
    past->active = clip || !past->settled;
}

// A lattice on its way back asks for all targets of the pose, so those that play come after it.
void hemi_follow_clips(hemi_step* s) {
    const hem_view* view = s->instance->view;
    for (int playing = 0; playing < 2 && view->lattice_clip_count; ++playing) {
        for (uint32_t i = 0; i < view->lattice_count; ++i) {
            if ((s->instance->tracks[i].clip1 != 0) == playing) {
                follow(s, i);
            }
        }
    }
    if (s->instance->torn && view->lattice_clip_count) {
        hemi_copy_targets(s->instance);
    }
}

// What a clip wrote stays where it is: before the next plan `target_next` may be the pose's there, or not.
void hemi_keep_targets(hemi_instance* instance) {
    const hem_view* view = instance->view;
    for (uint32_t i = 0; view->lattice_clip_count && i < view->lattice_count; ++i) {
        const hem_range rows = hem_range_of(view->ranges, &view->parts[view->lattices[i].part], HEM_BATCH_DRIVES);
        for (uint32_t k = rows.begin; k < rows.begin + rows.count && instance->track_past[i].active; ++k) {
            const uint32_t anim = view->drive_rows[k].anim_row;
            instance->target_next[anim] = instance->target_prev[anim];
        }
    }
    memcpy(instance->target_prev, instance->target_next, view->anim_row_count * sizeof(hemi_target_row));
    hemi_keep_body(instance);
    hemi_keep_bones(instance);
}
