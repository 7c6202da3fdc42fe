// SPDX-License-Identifier: MIT
#include "tools/player.h"
#include "hem/budget.h"
#include "tools/command.h"
#include "tools/motion.h"
#include "platform/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

player_setup player_setup_default(const asset* a) {
    player_setup s;
    memset(&s, 0, sizeof(s));
    s.source = a;
    s.hz = 60.0f;
    s.then_clip = s.lattice_clip = -1;
    s.ground = true;
    s.kernel = HEM_KERNEL_AUTO;
    s.animation = s.level = -1;
    s.features = HEM_FEATURE_ALL;
    s.pose_blend = 1.0f;
    return s;
}

float player_ground_height(const asset* a) {
    float lowest = 0.0f;
    for (uint32_t i = 0; i < a->view.info->vertex_count; i++) {
        float y = a->view.vertex_rest[i].position[1];
        lowest = y < lowest ? y : lowest;
    }
    return lowest;
}

static int failed(const player* p, const char* what, hem_result result) {
    return command_fail(COMMAND_INTERNAL, "'%s': %s: %s", p->setup.source->path, what, hem_result_text(result));
}

static void* align_block(void* block, size_t align) {
    return (void*)(((uintptr_t)block + align - 1) & ~(uintptr_t)(align - 1));
}

// The push that throws parts, as accelerations for whole rows.
static void throw_parts(void* user, hem_instance_id id, const float* position, const float* velocity,
                        float* acceleration, uint32_t row_count) {
    (void)id, (void)position, (void)velocity;
    const player* p = user;
    const hem_view* v = &p->setup.source->view;
    float frames = floorf(PLAYER_THROW_SECONDS * p->setup.hz + 0.5f);
    frames = frames < 1.0f ? 1.0f : frames;
    if (p->frame_index < 1 || (float)p->frame_index > frames) {
        return;
    }
    for (uint32_t i = 0; i < v->info->part_count; i++) {
        for (uint32_t row = v->parts[i].row_begin;
             row < v->parts[i].row_begin + v->parts[i].row_count && row < row_count; row++) {
            for (uint32_t k = 0; k < 3 * HEM_LANES; k++) {
                acceleration[3 * HEM_LANES * (size_t)row + k] +=
                    p->setup.throw_velocity[i][k / HEM_LANES] * p->setup.hz / frames;
            }
        }
    }
}

static bool throws(const player_setup* s) {
    for (int32_t i = 0; i < HEM_MAX_PARTS; i++) {
        if (s->throw_velocity[i][0] != 0.0f || s->throw_velocity[i][1] != 0.0f || s->throw_velocity[i][2] != 0.0f) {
            return true;
        }
    }
    return false;
}

// Where the character stands at a time, which is negative while it settles: then it speeds up evenly, so that cloth and
// hair come to the clip with the wind of the run in them instead of a blow.
static hem_root root_at(const player_setup* s, float seconds) {
    hem_root root = {{0.0, 0.0, 0.0}, {0.0f, 0.0f, 0.0f, 1.0f}};
    double along = (double)seconds;
    if (seconds < 0.0f) {
        double share = 1.0 + along / (double)s->settle_seconds;
        along = 0.5 * (double)s->settle_seconds * (share * share - 1.0);
    } else if (s->then_clip >= 0 && seconds > s->then_seconds) {
        double since = fmin((double)seconds - (double)s->then_seconds, (double)PLAYER_STOP_SECONDS);
        along = (double)s->then_seconds + since - 0.5 * since * since / (double)PLAYER_STOP_SECONDS;
    }
    for (int32_t i = 0; i < 3; i++) {
        root.position[i] = (double)s->velocity[i] * along;
    }
    return root;
}

static hem_result set_wind(player* p) {
    const player_setup* s = &p->setup;
    if (!(s->gusts > 0.0f)) {
        return hem_instance_set_wind(p->scene, p->id, s->wind);
    }
    hem_force wind = hem_force_default();
    wind.kind = HEM_FORCE_WIND;
    wind.strength = s->gusts;
    wind.length = PLAYER_GUST_LENGTH;
    wind.shelter = PLAYER_SHELTER;
    memcpy(wind.velocity, s->wind, sizeof(wind.velocity));
    return hem_scene_set_forces(p->scene, &wind, 1);
}

static int begin_scene(player* p) {
    const player_setup* s = &p->setup;
    hem_slot_def slot = {.asset = &s->source->handle, .count = 1};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    def.kernel = s->kernel;
    def.force_capacity = s->gusts > 0.0f;
    def.budget = s->level >= 0 ? HEM_BUDGET_SKINNED : HEM_BUDGET_NONE;
    const hem_mesh_def mesh = {.mesh = s->mesh};
    if (s->mesh != NULL) {
        def.meshes = &mesh;
        def.mesh_count = 1;
        def.virtual_capacity = PLAYER_VIRTUAL_MAX;
        p->puppet.show_refined = true;
    }
    hem_memory need;
    hem_result result = hem_scene_measure(&def, &need);
    if (result == HEM_ERROR_KERNEL) {
        return command_fail(COMMAND_USAGE, "kernel %s: %s", hem_kernel_name(s->kernel), hem_result_text(result));
    }
    if (result != HEM_OK) {
        return failed(p, "measuring the scene", result);
    }
    p->scene_size = need.size;
    p->block = malloc(need.size + need.align);
    if (p->block == NULL) {
        return command_fail(COMMAND_INTERNAL, "no memory for a scene of %zu bytes", need.size);
    }
    result = hem_scene_init(&p->scene, &def, align_block(p->block, need.align), need.size);
    if (result != HEM_OK) {
        return failed(p, "making the scene", result);
    }
    hem_instance_def instance = hem_instance_def_default();
    instance.asset = &s->source->handle;
    instance.root = root_at(s, -s->settle_seconds);
    instance.pose = p->pose;
    instance.pose_blend = s->pose_blend;
    result = hem_scene_add(p->scene, &instance, &p->id);
    if (result == HEM_OK) {
        result = set_wind(p);
    }
    if (result == HEM_OK) {
        result = hem_instance_set_animation(p->scene, p->id, s->animation);
    }
    if (result == HEM_OK) {
        result = hem_instance_set_features(p->scene, p->id, s->features);
    }
    if (result == HEM_OK && s->level >= 0) {
        result = hem_instance_set_levels(p->scene, p->id, (hem_level)s->level, (hem_level)s->level);
        if (result != HEM_OK) {
            return command_fail(COMMAND_USAGE, "--level %s: '%s' has no coarser levels; a recipe asks for \"levels\"",
                                hem_level_name((hem_level)s->level), s->source->path);
        }
    }
    if (result == HEM_OK && s->lattice_clip >= 0) {
        hem_clip_play play = hem_clip_play_default();
        play.clip = (uint32_t)s->lattice_clip;
        play.blend_seconds = PLAYER_BLEND_SECONDS;
        result = hem_instance_play_clip(p->scene, p->id, &play);
    }
    if (result == HEM_OK && throws(s)) {
        result = hem_scene_set_force_field(p->scene, throw_parts, p);
    }
    return result == HEM_OK ? COMMAND_OK : failed(p, "adding the instance", result);
}

// p->pose, at a root.
static hem_result put_figure(player* p, const hem_root* root) {
    const player_setup* s = &p->setup;
    hem_result result = hem_instance_set_pose(p->scene, p->id, p->pose, s->source->view.info->bone_count, 0);
    if (result == HEM_OK) {
        result = hem_instance_set_root(p->scene, p->id, root);
    }
    hem_collider there[2] = {hem_collider_default(), hem_collider_default()};
    uint32_t count = 0;
    for (int32_t i = 0; i < 2; i++) {
        hem_collider* c = &there[count];
        c->kind = i == 0 ? HEM_COLLIDER_PLANE : HEM_COLLIDER_MESH;
        c->bone = -1;
        c->position[1] = i == 0 ? (double)p->ground_height : 0.0;
        c->rotation[3] = 1.0f;
        c->friction = 0.5f;
        c->mask = ~0u;
        count += i == 0 ? s->ground : s->mesh != NULL;
    }
    if (result == HEM_OK && count > 0) {
        result = hem_instance_set_colliders(p->scene, p->id, there, count);
    }
    return result;
}

static void sample_pose(player* p, float seconds) {
    const player_setup* s = &p->setup;
    float since = s->then_clip >= 0 ? seconds - s->then_seconds : -1.0f;
    float* own = since > 0.0f ? p->other_pose : p->pose;
    if (s->clip < 0) {
        asset_bind_pose(s->source, own);
    } else if (since < PLAYER_BLEND_SECONDS) {
        asset_pose(s->source, s->clip, s->from + (seconds > 0.0f ? seconds : 0.0f), own);
    }
    if (since > 0.0f) {
        asset_pose(s->source, s->then_clip, since, p->pose);
        if (since < PLAYER_BLEND_SECONDS) {
            asset_mix_poses(s->source, own, p->pose, since / PLAYER_BLEND_SECONDS, p->pose);
        }
    }
}

static hem_result set_frame(player* p, float seconds) {
    const player_setup* s = &p->setup;
    hem_root root = root_at(s, seconds);
    sample_pose(p, seconds);
    const int32_t own = (int32_t)s->source->view.clip_count;
    if (s->clip >= own && s->then_clip < 0) {
        float wind[3];
        motion_wind(s->clip - own, s->from + (seconds > 0.0f ? seconds : 0.0f), wind);
        for (int32_t i = 0; i < 3; i++) {
            wind[i] += s->gusts > 0.0f ? 0.0f : s->wind[i];
        }
        hem_result result = hem_instance_set_wind(p->scene, p->id, wind);
        if (result != HEM_OK) {
            return result;
        }
    }
    return put_figure(p, &root);
}

// The state of another scene of the same asset.
static int take_over(player* p, const player* from) {
    const size_t size = hem_scene_save_size(from->scene, HEM_SAVE_ALL);
    void* saved = malloc(size + 1);
    hem_result result = saved != NULL ? hem_scene_save(from->scene, HEM_SAVE_ALL, saved, size) : HEM_ERROR_MEMORY;
    if (result == HEM_OK) {
        result = hem_scene_load(p->scene, saved, size);
    }
    free(saved);
    return result == HEM_OK ? COMMAND_OK : failed(p, "settling", result);
}

int player_begin(player* p, const player_setup* setup) {
    memset(p, 0, sizeof(*p));
    p->setup = *setup;
    p->frame_index = -1;
    p->ground_height = player_ground_height(setup->source);
    p->pose = malloc(sizeof(float) * 12 * ((size_t)setup->source->view.info->bone_count + 1));
    p->other_pose = malloc(sizeof(float) * 12 * ((size_t)setup->source->view.info->bone_count + 1));
    if (p->pose == NULL || p->other_pose == NULL || !puppet_create(&p->puppet, setup->source)) {
        player_end(p);
        return command_fail(COMMAND_INTERNAL, "no memory to play '%s'", setup->source->path);
    }
    sample_pose(p, 0.0f);
    int32_t settle = (int32_t)(setup->settle_seconds * setup->hz + 0.5f);
    p->setup.settle_seconds = (float)settle / setup->hz;
    int code = begin_scene(p);
    if (code == COMMAND_OK && setup->settled != NULL) {
        code = take_over(p, setup->settled);
        settle = 0;
    }
    for (int32_t i = 0; code == COMMAND_OK && i < settle; i++) {
        const hem_step_args args = {.dt_seconds = 1.0f / setup->hz, .substeps = setup->substeps};
        hem_result result = set_frame(p, (float)(i + 1 - settle) / setup->hz);
        if (result == HEM_OK) {
            result = hem_scene_step(p->scene, &args);
        }
        code = result == HEM_OK ? COMMAND_OK : failed(p, "settling", result);
    }
    if (code != COMMAND_OK) {
        player_end(p);
    }
    return code;
}

// Frame 0 is where the clip starts: the instance stands there already, and no time passes.
static hem_result step_frame(player* p, uint64_t* start) {
    p->frame_index++;
    const hem_step_args args = {.dt_seconds = p->frame_index > 0 ? 1.0f / p->setup.hz : 0.0f,
                                .substeps = p->setup.substeps};
    hem_result result = set_frame(p, (float)p->frame_index / p->setup.hz);
    *start = hem_clock_nanoseconds();
    return result == HEM_OK ? hem_scene_step(p->scene, &args) : result;
}

int player_skip(player* p) {
    uint64_t start;
    hem_result result = step_frame(p, &start);
    return result == HEM_OK ? COMMAND_OK : failed(p, "stepping", result);
}

int player_step(player* p, bool measure, player_frame* frame) {
    uint64_t start;
    memset(frame, 0, sizeof(*frame));
    hem_result result = step_frame(p, &start);
    frame->seconds = p->setup.from + (float)p->frame_index / p->setup.hz;
    uint64_t stepped = hem_clock_nanoseconds();
    if (result == HEM_OK) {
        result = puppet_read(&p->puppet, p->scene, p->id);
    }
    uint64_t skinned = hem_clock_nanoseconds();
    frame->step_us = (float)(stepped - start) * 1e-3f;
    frame->skin_us = (float)(skinned - stepped) * 1e-3f;
    if (result == HEM_OK) {
        result = hem_scene_get_report(p->scene, &frame->report);
    }
    if (result == HEM_OK && measure) {
        result = hem_instance_get_stats(p->scene, p->id, &frame->stats);
    }
    return result == HEM_OK ? COMMAND_OK : failed(p, "stepping", result);
}

int player_drive(player* p, const hem_root* root, float dt_seconds) {
    const hem_step_args args = {.dt_seconds = dt_seconds, .substeps = p->setup.substeps};
    hem_result result = put_figure(p, root);
    if (result == HEM_OK) {
        result = hem_scene_step(p->scene, &args);
    }
    return result == HEM_OK ? COMMAND_OK : failed(p, "stepping", result);
}

void player_end(player* p) {
    puppet_destroy(&p->puppet);
    free(p->pose);
    free(p->other_pose);
    free(p->block);
    memset(p, 0, sizeof(*p));
}
