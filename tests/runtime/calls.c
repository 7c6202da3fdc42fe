// SPDX-License-Identifier: MIT
// Every call of the interface, given what it must refuse: no scene, a block that is none, an id of nobody, nothing to read
// from or to write to. Each has its code, the words name the call and the field, and nothing changes.

#include "hem/budget.h"
#include "hem/inspect.h"
#include "hem/trimesh.h"
#include "formats/hem_trimesh.h"
#include "tests/runtime/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Arguments that are good, for all of them.
typedef struct arguments {
    float pose[64][12];
    uint32_t bones, parts;
    hem_root root;
    float vector[3];
    hem_collider collider;
    hem_virtual_particle point;
    hem_refined refined;
    hem_force force;
    hem_tie tie;
    hem_clip_play play;
    hem_clip_state clip_state;
    double place[3];
    int32_t nearest;
    hem_tuning tuning[64];
    hem_step_args step;
    hem_particle particle;
    float* matrices; // of all particles
    float position[3];
    hem_skin_args skin;
    hem_instance_stats stats;
    uint32_t count, lost;
    uint64_t number;
    hem_step_report report;
    const hem_event* events;
    hem_draw draw;
    hem_plan plan;
    hem_budget_report budget;
    char words[128];
    float work[HEM_COST_COUNT];
    void *save, *own; // of the scene, of the one instance
    size_t save_size, own_size;
    hem_torn torn;
    hem_reserve_report reserve;
    hem_instance_def def;
    hem_instance_id made;
} arguments;

// Name of the call, and the call itself with a scene s, an id and arguments a.
#define INSTANCE_CALLS(X)                                                                                              \
    X(hem_instance_set_pose, (s, id, a->pose[0], a->bones, 0))                                                         \
    X(hem_instance_set_root, (s, id, &a->root))                                                                        \
    X(hem_instance_teleport, (s, id, &a->root, 1))                                                                     \
    X(hem_instance_set_felt_limits, (s, id, 100.0f, 50.0f))                                                            \
    X(hem_instance_carry, (s, id, &a->root, &a->root))                                                                 \
    X(hem_instance_reset, (s, id))                                                                                     \
    X(hem_instance_set_wind, (s, id, a->vector))                                                                       \
    X(hem_instance_set_gravity, (s, id, a->vector))                                                                    \
    X(hem_instance_set_pose_blend, (s, id, 1.0f))                                                                      \
    X(hem_instance_set_time_scale, (s, id, 1.0f))                                                                      \
    X(hem_instance_set_animation, (s, id, -1))                                                                         \
    X(hem_instance_set_features, (s, id, HEM_FEATURE_ALL))                                                             \
    X(hem_instance_wake, (s, id))                                                                                      \
    X(hem_instance_set_sleep_distance, (s, id, 20.0f, 10.0f))                                                          \
    X(hem_instance_set_tuning, (s, id, a->tuning, a->parts))                                                           \
    X(hem_instance_get_tuning, (s, id, a->tuning, sizeof a->tuning))                                                   \
    X(hem_instance_set_colliders, (s, id, &a->collider, 1))                                                            \
    X(hem_instance_set_ties, (s, id, &a->tie, 1))                                                                      \
    X(hem_instance_find_particle, (s, id, a->place, 0.5f, &a->nearest))                                                \
    X(hem_instance_get_particles, (s, id, 0, 1, &a->particle))                                                         \
    X(hem_instance_get_matrices, (s, id, a->matrices, 0))                                                              \
    X(hem_instance_get_previous_matrices, (s, id, a->matrices, 0))                                                     \
    X(hem_instance_skin, (s, id, &a->skin))                                                                            \
    X(hem_instance_get_stats, (s, id, &a->stats))                                                                      \
    X(hem_instance_get_colliders, (s, id, &a->collider, 1, &a->count))                                                 \
    X(hem_instance_get_virtual, (s, id, &a->point, 1, &a->count))                                                      \
    X(hem_instance_get_refined, (s, id, &a->refined))                                                                  \
    X(hem_instance_hash, (s, id, &a->number))                                                                          \
    X(hem_instance_user, (s, id, &a->number))                                                                          \
    X(hem_instance_draw, (s, id, &a->draw))                                                                            \
    X(hem_instance_set_importance, (s, id, 2.0f))                                                                      \
    X(hem_instance_set_levels, (s, id, HEM_LEVEL_FULL, HEM_LEVEL_FROZEN))                                              \
    X(hem_instance_get_plan, (s, id, &a->plan))                                                                        \
    X(hem_instance_plan_text, (s, id, a->words, sizeof a->words))                                                      \
    X(hem_instance_get_work, (s, id, HEM_LEVEL_FULL, a->work))                                                         \
    X(hem_instance_get_torn, (s, id, &a->torn))                                                                        \
    X(hem_instance_get_torn_indices, (s, id, 0, &a->count, 1))                                                         \
    X(hem_instance_save, (s, id, HEM_SAVE_ALL, a->own, a->own_size))                                                   \
    X(hem_instance_load, (s, id, a->own, a->own_size))                                                                 \
    X(hem_scene_remove, (s, id))
#define CLIP_CALLS(X) /* of lattices: what they do when all is well is in clips.c and tear.c */                        \
    X(hem_instance_get_piece, (s, id, 0, &a->count))                                                                   \
    X(hem_instance_play_clip, (s, id, &a->play))                                                                       \
    X(hem_instance_pause_clip, (s, id, 0, 0))                                                                          \
    X(hem_instance_stop_clip, (s, id, 0, 0.1f))                                                                        \
    X(hem_instance_get_clip, (s, id, 0, &a->clip_state))
#define SCENE_CALLS(X)                                                                                                 \
    X(hem_scene_set_colliders, (s, &a->collider, 1))                                                                   \
    X(hem_scene_set_forces, (s, &a->force, 1))                                                                         \
    X(hem_scene_set_viewpoint, (s, a->place))                                                                          \
    X(hem_scene_set_force_field, (s, NULL, NULL))                                                                      \
    X(hem_scene_set_profile_hooks, (s, NULL))                                                                          \
    X(hem_scene_step, (s, &a->step))                                                                                   \
    X(hem_scene_get_report, (s, &a->report))                                                                           \
    X(hem_scene_set_budget, (s, 100.0f))                                                                               \
    X(hem_scene_set_measured, (s, 100.0f))                                                                             \
    X(hem_scene_get_budget, (s, &a->budget))                                                                           \
    X(hem_scene_get_reserve, (s, &a->reserve))                                                                         \
    X(hem_scene_get_events, (s, &a->events, &a->count, &a->lost))                                                      \
    X(hem_scene_save, (s, HEM_SAVE_ALL, a->save, a->save_size))                                                        \
    X(hem_scene_load, (s, a->save, a->save_size))                                                                      \
    X(hem_scene_add, (s, &a->def, &a->made))

typedef hem_result some_call(hem_scene* s, hem_instance_id id, arguments* a);
#define FUNCTION(name, args)                                                                                           \
    static hem_result call_##name(hem_scene* s, hem_instance_id id, arguments* a) {                                    \
        (void)id, (void)a;                                                                                             \
        return name args;                                                                                              \
    }
INSTANCE_CALLS(FUNCTION)
CLIP_CALLS(FUNCTION)
SCENE_CALLS(FUNCTION)

static const struct {
    const char* name;
    some_call* call;
    int of_instance; // 2: and of clips
} calls[] = {
#define OF_INSTANCE(name, args) {#name, call_##name, 1},
#define OF_CLIPS(name, args) {#name, call_##name, 2},
#define OF_SCENE(name, args) {#name, call_##name, 0},
    INSTANCE_CALLS(OF_INSTANCE) CLIP_CALLS(OF_CLIPS) SCENE_CALLS(OF_SCENE)};

static bool begins_with(const char* text, const char* begin) {
    return strncmp(text, begin, strlen(begin)) == 0;
}

static bool open_world(world* w, arguments* a) {
    hem_scene_def def = hem_scene_def_default();
    def.keep_previous = def.force_capacity = def.tie_capacity = def.budget = 1;
    memset(a, 0, sizeof *a);
    if (!world_open(w, "cape_girl", &def, NULL, 2) || w->view.info->bone_count > 64) {
        return false;
    }
    a->bones = w->view.info->bone_count;
    a->parts = w->view.info->part_count;
    for (uint32_t i = 0; i < a->bones; ++i) {
        a->pose[i][0] = a->pose[i][5] = a->pose[i][10] = 1;
    }
    a->root.rotation[3] = 1;
    a->collider = hem_collider_default();
    a->force = hem_force_default();
    a->tie = hem_tie_default();
    a->play = hem_clip_play_default();
    a->tie.particle = nth_particle(w, false, 0);
    hem_instance_get_tuning(w->scene, w->id, a->tuning, sizeof a->tuning);
    a->step = (hem_step_args){1.0f / 60.0f, 0};
    a->matrices = malloc(w->view.info->particle_count * 64u);
    a->skin = (hem_skin_args){.vertex_count = 1, .positions = a->position};
    a->save_size = hem_scene_save_size(w->scene, HEM_SAVE_ALL);
    a->save = malloc(a->save_size);
    hem_scene_save(w->scene, HEM_SAVE_ALL, a->save, a->save_size);
    a->own_size = hem_instance_save_size(w->scene, w->id, HEM_SAVE_ALL);
    a->own = malloc(a->own_size);
    hem_instance_save(w->scene, w->id, HEM_SAVE_ALL, a->own, a->own_size);
    a->def = hem_instance_def_default();
    a->def.asset = &w->asset;
    return true;
}

static void close_world(world* w, arguments* a) {
    free(a->matrices);
    free(a->save);
    free(a->own);
    world_close(w);
}

TEST no_call_takes_what_is_no_scene(void) {
    world w;
    static arguments a;
    ASSERT(open_world(&w, &a));
    static uint64_t zeros[8192]; // as large as the head of a scene, and none
    hem_scene* none = (hem_scene*)(void*)zeros;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
        ASSERT_EQ_FMTm(calls[i].name, (int)HEM_ERROR_NULL, (int)calls[i].call(NULL, w.id, &a), "%d");
        ASSERT_EQ_FMTm(calls[i].name, (int)HEM_ERROR_COOKIE, (int)calls[i].call(none, w.id, &a), "%d");
    }
    uint32_t jobs = 0;
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_step_begin(NULL, &a.step, &jobs));
    ASSERT_EQ(HEM_ERROR_COOKIE, hem_scene_step_job(none, 0, 0));
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_step_end(NULL));
    ASSERT_EQ(HEM_KERNEL_AUTO, hem_scene_kernel(NULL));
    ASSERT_EQ(HEM_KERNEL_AUTO, hem_scene_kernel(none));
    ASSERT(hem_scene_kernel(w.scene) != HEM_KERNEL_AUTO);
    ASSERT_EQ(0, hem_instance_is_valid(NULL, w.id));
    ASSERT_EQ(0, hem_instance_is_valid(none, w.id));
    ASSERT_EQ(0, hem_scene_hash(NULL));
    const hem_slot_def slots = {&w.asset, 1};
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_add_slots(NULL, &slots));
    ASSERT_EQ(HEM_ERROR_COOKIE, hem_scene_add_slots(none, &slots));
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_remove_slots(NULL, &w.asset));
    ASSERT_EQ(HEM_ERROR_COOKIE, hem_scene_remove_slots(none, &w.asset));
    ASSERT_EQ(0, hem_instance_save_size(none, w.id, HEM_SAVE_ALL));
    ASSERT_EQ(0, hem_instance_save_size(w.scene, w.id, (hem_save_kind)7));
    ASSERT_EQ(0, hem_scene_save_size(none, HEM_SAVE_ALL));
    ASSERT_EQ(0, hem_scene_save_size(w.scene, (hem_save_kind)7));
    ASSERT(strlen(hem_scene_refusal(none)) > 10);
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; ++i) {
        ASSERT_EQ(0, zeros[i]); // nobody wrote there
    }
    close_world(&w, &a);
    PASS();
}

TEST no_call_takes_an_id_of_nobody(void) {
    world w;
    static arguments a;
    ASSERT(open_world(&w, &a));
    const hem_instance_id second = {w.id.index1 + 1, w.id.generation};
    ASSERT_EQ(HEM_OK, hem_scene_remove(w.scene, second));
    const hem_instance_id nobody[] = {{0, 0}, {w.id.index1 + 2, 1}, {w.id.index1, w.id.generation + 1}, second};
    const uint64_t before = hem_scene_hash(w.scene);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
        for (int k = 0; k < 4 && calls[i].of_instance; ++k) {
            ASSERT_EQ_FMTm(calls[i].name, (int)HEM_ERROR_ID, (int)calls[i].call(w.scene, nobody[k], &a), "%d");
            ASSERTm(calls[i].name, begins_with(hem_scene_refusal(w.scene), calls[i].name));
            ASSERT(strstr(hem_scene_refusal(w.scene), k < 2 ? ": id.index1 is " : ": id.generation is "));
        }
    }
    for (int k = 0; k < 4; ++k) {
        ASSERT_EQ(0, hem_instance_is_valid(w.scene, nobody[k]));
    }
    ASSERT_EQ(before, hem_scene_hash(w.scene));
    close_world(&w, &a);
    PASS();
}

// All of them are good with good arguments, so what is refused elsewhere is refused for its reason.
TEST all_calls_are_good_with_good_arguments(void) {
    world w;
    static arguments a;
    ASSERT(open_world(&w, &a));
    ASSERT_EQ(HEM_OK, hem_scene_step(w.scene, &a.step));
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
        if (calls[i].of_instance < 2) {
            ASSERT_EQ_FMTm(calls[i].name, (int)HEM_OK, (int)calls[i].call(w.scene, w.id, &a), "%d");
        }
    }
    ASSERT_STR_EQ("", hem_scene_refusal(w.scene));
    close_world(&w, &a);
    PASS();
}

TEST what_is_missing_is_named(void) {
    world w;
    static arguments a;
    ASSERT(open_world(&w, &a));
    const uint64_t before = hem_scene_hash(w.scene);
    hem_scene* s = w.scene;
    hem_skin_args skin = a.skin;
    skin.positions = NULL;
    hem_instance_def of_nothing = hem_instance_def_default();
#define MISSING(name, args, field)                                                                                     \
    do {                                                                                                               \
        ASSERT_EQ_FMTm(#name, (int)HEM_ERROR_NULL, (int)name args, "%d");                                              \
        ASSERT_STR_EQ(#name ": " field " is NULL", hem_scene_refusal(s));                                              \
    } while (0)
    MISSING(hem_instance_set_pose, (s, w.id, NULL, a.bones, 0), "matrices");
    MISSING(hem_instance_set_root, (s, w.id, NULL), "root");
    MISSING(hem_instance_teleport, (s, w.id, NULL, 0), "root");
    MISSING(hem_instance_carry, (s, w.id, NULL, &a.root), "from");
    MISSING(hem_instance_carry, (s, w.id, &a.root, NULL), "to");
    MISSING(hem_instance_set_wind, (s, w.id, NULL), "velocity");
    MISSING(hem_instance_set_tuning, (s, w.id, NULL, a.parts), "tuning");
    MISSING(hem_instance_get_tuning, (s, w.id, NULL, 0), "tuning");
    MISSING(hem_instance_set_colliders, (s, w.id, NULL, 1), "colliders");
    MISSING(hem_scene_set_forces, (s, NULL, 1), "forces");
    MISSING(hem_instance_set_ties, (s, w.id, NULL, 1), "ties");
    MISSING(hem_instance_play_clip, (s, w.id, NULL), "play");
    MISSING(hem_instance_find_particle, (s, w.id, NULL, 1, &a.nearest), "position");
    MISSING(hem_scene_set_colliders, (s, NULL, 1), "colliders");
    MISSING(hem_instance_get_particles, (s, w.id, 0, 1, NULL), "particles");
    MISSING(hem_instance_get_matrices, (s, w.id, NULL, 0), "matrices");
    MISSING(hem_instance_get_previous_matrices, (s, w.id, NULL, 0), "matrices");
    MISSING(hem_instance_skin, (s, w.id, NULL), "args");
    MISSING(hem_instance_skin, (s, w.id, &skin), "args.positions");
    MISSING(hem_instance_get_stats, (s, w.id, NULL), "stats");
    MISSING(hem_instance_get_colliders, (s, w.id, &a.collider, 1, NULL), "count");
    MISSING(hem_instance_get_colliders, (s, w.id, NULL, 1, &a.count), "colliders");
    MISSING(hem_instance_get_virtual, (s, w.id, &a.point, 1, NULL), "count");
    MISSING(hem_instance_get_virtual, (s, w.id, NULL, 1, &a.count), "particles");
    MISSING(hem_instance_get_refined, (s, w.id, NULL), "refined");
    const hem_refined no_vertices = {.vertex_capacity = 1}, no_indices = {.triangle_capacity = 1};
    hem_refined refined = no_vertices;
    MISSING(hem_instance_get_refined, (s, w.id, &refined), "vertices");
    refined = no_indices;
    refined.vertices = &(hem_refined_vertex){0};
    MISSING(hem_instance_get_refined, (s, w.id, &refined), "indices");
    MISSING(hem_instance_get_torn, (s, w.id, NULL), "torn");
    MISSING(hem_instance_get_torn_indices, (s, w.id, 0, NULL, 0), "indices");
    MISSING(hem_instance_get_piece, (s, w.id, 0, NULL), "piece");
    MISSING(hem_instance_save, (s, w.id, HEM_SAVE_ALL, NULL, 0), "bytes");
    MISSING(hem_instance_load, (s, w.id, NULL, 0), "bytes");
    MISSING(hem_scene_get_reserve, (s, NULL), "report");
    MISSING(hem_scene_add_slots, (s, NULL), "slots");
    MISSING(hem_scene_add_slots, (s, &(hem_slot_def){NULL, 1}), "slots.asset");
    MISSING(hem_scene_remove_slots, (s, NULL), "asset");
    MISSING(hem_instance_hash, (s, w.id, NULL), "hash");
    MISSING(hem_instance_user, (s, w.id, NULL), "user");
    MISSING(hem_instance_draw, (s, w.id, NULL), "draw");
    MISSING(hem_instance_get_plan, (s, w.id, NULL), "plan");
    MISSING(hem_instance_plan_text, (s, w.id, NULL, 9), "text");
    MISSING(hem_instance_get_work, (s, w.id, HEM_LEVEL_FULL, NULL), "work");
    MISSING(hem_scene_get_budget, (s, NULL), "report");
    MISSING(hem_scene_step_begin, (s, NULL, &a.count), "args");
    MISSING(hem_scene_step_begin, (s, &a.step, NULL), "job_count");
    MISSING(hem_scene_get_report, (s, NULL), "report");
    MISSING(hem_scene_get_events, (s, NULL, &a.count, NULL), "events");
    MISSING(hem_scene_get_events, (s, &a.events, NULL, NULL), "count");
    MISSING(hem_scene_save, (s, HEM_SAVE_ALL, NULL, 0), "bytes");
    MISSING(hem_scene_load, (s, NULL, 0), "bytes");
    MISSING(hem_scene_add, (s, NULL, &a.made), "def");
    MISSING(hem_scene_add, (s, &a.def, NULL), "id");
    MISSING(hem_scene_add, (s, &of_nothing, &a.made), "def.asset");
#undef MISSING
    ASSERT_EQ(before, hem_scene_hash(s));
    close_world(&w, &a);
    PASS();
}

TEST what_is_out_of_range_is_named(void) {
    world w;
    static arguments a;
    ASSERT(open_world(&w, &a));
    const uint64_t before = hem_scene_hash(w.scene);
    hem_scene* s = w.scene;
    const hem_skin_args skins[] = {
        {.vertex_begin = w.view.info->vertex_count + 1, .positions = a.position},
        {.vertex_begin = 1, .vertex_count = w.view.info->vertex_count, .positions = a.position},
        {.positions = a.position, .position_stride = 8},
        {.positions = a.position, .normals = a.position, .normal_stride = 13},
        {.positions = a.position, .tangents = a.position, .tangent_stride = 12},
    };
    const char* words[] = {"args.vertex_begin + vertex_count is ", "args.vertex_begin + vertex_count is ",
                           "args.position_stride is 8: ", "args.normal_stride is 13: ", "args.tangent_stride is 12: "};
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(i < 2 ? HEM_ERROR_COUNT : HEM_ERROR_RANGE, hem_instance_skin(s, w.id, &skins[i]));
        ASSERT(strstr(hem_scene_refusal(s), words[i]));
    }
#define REFUSED(code, call, text)                                                                                      \
    do {                                                                                                               \
        ASSERT_EQ_FMT((int)(code), (int)(call), "%d");                                                                 \
        ASSERTm(hem_scene_refusal(s), strstr(hem_scene_refusal(s), text));                                             \
    } while (0)
    REFUSED(HEM_ERROR_RANGE, hem_instance_get_matrices(s, w.id, a.matrices, 44), "stride is 44: ");
    REFUSED(HEM_ERROR_RANGE, hem_instance_get_matrices(s, w.id, a.matrices, 50), "stride is 50: ");
    REFUSED(HEM_ERROR_RANGE, hem_instance_get_previous_matrices(s, w.id, a.matrices, 44), "stride is 44: ");
    REFUSED(HEM_ERROR_RANGE, hem_instance_get_previous_matrices(s, w.id, a.matrices, 50), "stride is 50: ");
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_animation(s, w.id, 2), "mode is 2: must be -1, 0 or 1");
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_animation(s, w.id, -2), "mode is -2: ");
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_sleep_distance(s, w.id, -1, 0), "sleep is -1: ");
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_sleep_distance(s, w.id, NAN, 0), "sleep is not a number: ");
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_sleep_distance(s, w.id, 10, 11), "wake is 11: must be 0 to sleep");
    const double nowhere[3] = {0, (double)INFINITY, 0};
    REFUSED(HEM_ERROR_RANGE, hem_scene_set_viewpoint(s, nowhere), "position must be within 1e9 metres");
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_felt_limits(s, w.id, -1, 1), "acceleration is -1: ");
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_felt_limits(s, w.id, 1, NAN), "turning is not a number: ");
    REFUSED(HEM_ERROR_COUNT, hem_instance_get_tuning(s, w.id, a.tuning, 8), "size is 8: ");
    REFUSED(HEM_ERROR_COUNT, hem_instance_set_tuning(s, w.id, a.tuning, a.parts + 1), "part_count is ");
    REFUSED(HEM_ERROR_RANGE,
            hem_instance_set_tuning(s, w.id, (const hem_tuning*)(const void*)((const char*)a.tuning + 2), a.parts),
            "tuning is 2: ");
    REFUSED(HEM_ERROR_COUNT, hem_instance_get_particles(s, w.id, 0, 100000, &a.particle), "begin + count is 100000: ");
    REFUSED(HEM_ERROR_RANGE, hem_scene_save(s, (hem_save_kind)9, a.save, a.save_size), "kind is 9: ");
    REFUSED(HEM_ERROR_MEMORY, hem_scene_save(s, HEM_SAVE_ALL, a.save, a.save_size - 1), "size is ");
    REFUSED(HEM_ERROR_STATE, hem_scene_load(s, a.save, a.save_size - 1), "the save is cut short");
    hem_collider c = hem_collider_default();
    static const float planes[4][4] = {{1, 0, 0, 1}, {-1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0.5f, 0, 1}};
    c.kind = HEM_COLLIDER_HULL;
    c.plane_count = 4;
    REFUSED(HEM_ERROR_NULL, hem_instance_set_colliders(s, w.id, &c, 1), "colliders[0].planes is NULL");
    c.planes = planes[0];
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_colliders(s, w.id, &c, 1), "planes[3]");
    c.plane_count = 3;
    REFUSED(HEM_ERROR_COUNT, hem_instance_set_colliders(s, w.id, &c, 1), "plane_count is 3: must be at least 4");
    c.plane_count = 1000000;
    REFUSED(HEM_ERROR_COUNT, hem_scene_set_colliders(s, &c, 1), "plane_count is 1000000: has no room");
    c.cookie = 0;
    REFUSED(HEM_ERROR_COOKIE, hem_instance_set_colliders(s, w.id, &c, 1), "colliders[0].cookie is 0: make it with");
    static hem_collider many[257];
    for (int i = 0; i < 257; ++i) {
        many[i] = hem_collider_default();
    }
    REFUSED(HEM_ERROR_COUNT, hem_instance_set_colliders(s, w.id, many, 257), "count is 257: ");
    a.skin.previous = 1;
    a.step.substeps = 65;
    REFUSED(HEM_ERROR_RANGE, hem_scene_step(s, &a.step), "args.substeps is 65: ");
    a.step = (hem_step_args){1.5f, 0};
    REFUSED(HEM_ERROR_RANGE, hem_scene_step(s, &a.step), "args.dt_seconds is 1.5: ");
    ASSERT_EQ(before, hem_scene_hash(s));
    close_world(&w, &a);
    PASS();
}

TEST saves_slots_and_budgets_out_of_range_are_named(void) {
    world w;
    static arguments a;
    ASSERT(open_world(&w, &a));
    const uint64_t before = hem_scene_hash(w.scene);
    hem_scene* s = w.scene;
    hem_asset closed;
    memset(&closed, 0, sizeof closed);
    const uint32_t meshes = w.view.mesh_count;
    REFUSED(HEM_ERROR_RANGE, hem_instance_get_torn_indices(s, w.id, meshes, &a.count, 3), "must be below mesh_count");
    REFUSED(HEM_ERROR_RANGE, hem_instance_get_piece(s, w.id, 0, &a.count),
            "particle is 0: must be one of an asset with");
    REFUSED(HEM_ERROR_RANGE, hem_instance_save(s, w.id, (hem_save_kind)9, a.own, a.own_size), "kind is 9: ");
    REFUSED(HEM_ERROR_MEMORY, hem_instance_save(s, w.id, HEM_SAVE_ALL, a.own, a.own_size - 1), "size is ");
    REFUSED(HEM_ERROR_STATE, hem_instance_load(s, w.id, a.own, a.own_size - 4), "hem_instance_load: ");
    REFUSED(HEM_ERROR_RANGE, hem_scene_add_slots(s, &(hem_slot_def){&w.asset, 0}), "slots.count is 0: ");
    REFUSED(HEM_ERROR_RANGE, hem_scene_add_slots(s, &(hem_slot_def){&w.asset, 65537}), "slots.count is 65537: ");
    REFUSED(HEM_ERROR_ASSET, hem_scene_add_slots(s, &(hem_slot_def){&closed, 1}), "slots.asset is not open");
    REFUSED(HEM_ERROR_RESERVE, hem_scene_add_slots(s, &(hem_slot_def){&w.asset, 1}), "slots.count is 1: is more than");
    REFUSED(HEM_ERROR_ASSET, hem_scene_remove_slots(s, &closed), "hem_scene_remove_slots: ");
    REFUSED(HEM_ERROR_SLOT, hem_scene_remove_slots(s, &w.asset), "asset has no slots out of the reserve");
    REFUSED(HEM_ERROR_RANGE, hem_scene_set_budget(s, -1), "microseconds is -1: must be 0 to 1000000");
    REFUSED(HEM_ERROR_RANGE, hem_scene_set_measured(s, 2e6f), "microseconds is 2000000: ");
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_importance(s, w.id, NAN), "importance is not a number: ");
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_levels(s, w.id, (hem_level)9, HEM_LEVEL_POSE), "best is 9: ");
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_levels(s, w.id, HEM_LEVEL_FULL, (hem_level)9), "worst is 9: ");
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_levels(s, w.id, HEM_LEVEL_COARSE, HEM_LEVEL_POSE),
            "HEM_LEVEL_COARSE takes");
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_levels(s, w.id, HEM_LEVEL_POSE, HEM_LEVEL_FULL), "must not be worse");
    ASSERT_EQ(before, hem_scene_hash(s));
    close_world(&w, &a);
    PASS();
}

// Words for menus and logs: each has its own, and there is none past the last.
TEST names_are_different_and_end(void) {
    for (uint32_t i = 0; i < HEM_COST_COUNT; ++i) {
        for (uint32_t k = 0; k < i; ++k) {
            ASSERT(strcmp(hem_cost_name((hem_cost)i), hem_cost_name((hem_cost)k)) != 0);
        }
        ASSERT(strlen(hem_cost_text((hem_cost)i)) > 3);
    }
    ASSERT_EQ(NULL, hem_cost_name(HEM_COST_COUNT));
    ASSERT_EQ(NULL, hem_cost_text(HEM_COST_COUNT));
    for (uint32_t i = 0; i < HEM_LEVEL_COUNT; ++i) {
        for (uint32_t k = 0; k < i; ++k) {
            ASSERT(strcmp(hem_level_name((hem_level)i), hem_level_name((hem_level)k)) != 0);
        }
    }
    ASSERT_EQ(NULL, hem_level_name(HEM_LEVEL_COUNT));
    static const char* const kernels[] = {"auto", "scalar", "sse2", "avx2", "neon", "wasm", "unknown"};
    static const hem_kernel ids[] = {HEM_KERNEL_AUTO, HEM_KERNEL_SCALAR, HEM_KERNEL_SSE2, HEM_KERNEL_AVX2,
                                     HEM_KERNEL_NEON, HEM_KERNEL_WASM,   (hem_kernel)1000};
    for (int i = 0; i < 7; ++i) {
        ASSERT_STR_EQ(kernels[i], hem_kernel_name(ids[i]));
    }
    // What is not in the picture or nowhere is worth less than what is, and nothing is worth more than the whole picture.
    ASSERT_EQ(0.0f, hem_importance(0, 1, 1));
    ASSERT_EQ(0.0f, hem_importance(1, -1, 1));
    ASSERT_EQ(0.0f, hem_importance(1, NAN, 1));
    ASSERT_EQ(1.0f, hem_importance(2, 1, 1));
    ASSERT_IN_RANGE(1.0f / (0.57735027f * 10), hem_importance(1, 10, 1), 1e-6f);
    ASSERT_IN_RANGE(0.1f / (0.57735027f * 10), hem_importance(1, 10, 0), 1e-7f);
    PASS();
}

TEST an_instance_def_is_checked_field_by_field(void) {
    world w;
    static arguments a;
    ASSERT(open_world(&w, &a));
    hem_scene* s = w.scene;
    ASSERT_EQ(HEM_OK, hem_scene_remove(s, w.id));
    hem_asset closed;
    memset(&closed, 0, sizeof closed);
    hem_instance_def def = a.def;
    def.cookie = 5;
    REFUSED(HEM_ERROR_COOKIE, hem_scene_add(s, &def, &a.made), "def.cookie is 5");
    def = a.def;
    def.asset = &closed;
    REFUSED(HEM_ERROR_ASSET, hem_scene_add(s, &def, &a.made), "def.asset is not open: call hem_asset_open first");
    def = a.def;
    def.root.position[2] = INFINITY;
    REFUSED(HEM_ERROR_RANGE, hem_scene_add(s, &def, &a.made), "def.root.position[2] is infinity: ");
    def = a.def;
    def.root.rotation[0] = -1;
    REFUSED(HEM_ERROR_RANGE, hem_scene_add(s, &def, &a.made), "def.root.rotation is ");
    def = a.def;
    def.pose_blend = 2;
    REFUSED(HEM_ERROR_RANGE, hem_scene_add(s, &def, &a.made), "def.pose_blend is 2: ");
    def = a.def;
    def.time_scale = 9;
    REFUSED(HEM_ERROR_RANGE, hem_scene_add(s, &def, &a.made), "def.time_scale is 9: ");
    def = a.def;
    def.gravity_scale = -1e20f;
    REFUSED(HEM_ERROR_RANGE, hem_scene_add(s, &def, &a.made), "def.gravity_scale is -1e20: ");
    def = a.def;
    def.felt_acceleration = 0;
    REFUSED(HEM_ERROR_RANGE, hem_scene_add(s, &def, &a.made), "def.felt_acceleration is 0: ");
    def = a.def;
    a.pose[1][3] = NAN;
    def.pose = a.pose[0];
    REFUSED(HEM_ERROR_RANGE, hem_scene_add(s, &def, &a.made), "def.pose[1]");
    a.pose[1][3] = 0;
    ASSERT_EQ(HEM_OK, hem_scene_add(s, &def, &a.made));
    // An asset that is open, but not one of this scene's.
    world other;
    ASSERT(world_open(&other, "cape", NULL, NULL, 1));
    def = a.def;
    def.asset = &other.asset;
    REFUSED(HEM_ERROR_SLOT, hem_scene_add(s, &def, &a.made), "hem_scene_add: ");
    world_close(&other);
    close_world(&w, &a);
    PASS();
}
#undef REFUSED

TEST a_scene_def_is_checked_field_by_field(void) {
    world w;
    ASSERT(world_open(&w, "cape_girl", NULL, NULL, 1));
    hem_asset closed;
    memset(&closed, 0, sizeof closed);
    const hem_slot_def good = {&w.asset, 1};
    hem_slot_def slot = good;
    hem_scene_def def;
    hem_memory need;
    char text[200];
#define START() (slot = good, def = hem_scene_def_default(), def.slots = &slot, def.slot_count = 1)
#define REFUSED(code, words)                                                                                           \
    do {                                                                                                               \
        ASSERT_EQ_FMT((int)(code), (int)hem_scene_def_check(&def, text, sizeof text), "%d");                           \
        ASSERTm(text, strstr(text, words));                                                                            \
        ASSERT_EQ_FMT((int)(code), (int)hem_scene_measure(&def, &need), "%d");                                         \
        START();                                                                                                       \
    } while (0)
    START();
    def.cookie = 3;
    REFUSED(HEM_ERROR_COOKIE, "def.cookie is 3");
    def.slots = NULL;
    REFUSED(HEM_ERROR_NULL, "slots is NULL");
    slot.asset = NULL;
    REFUSED(HEM_ERROR_NULL, "slots[0].asset is NULL");
    slot.asset = &closed;
    REFUSED(HEM_ERROR_ASSET, "slots[0].asset is not open");
    slot.count = 0;
    REFUSED(HEM_ERROR_RANGE, "slots[0].count is 0: ");
    slot.count = 65537;
    REFUSED(HEM_ERROR_RANGE, "slots[0].count is 65537: ");
    def.substep_hz = 10;
    REFUSED(HEM_ERROR_RANGE, "substep_hz is 10: ");
    def.gravity[1] = NAN;
    REFUSED(HEM_ERROR_RANGE, "gravity[1] is not a number");
    def.mesh_count = 1;
    REFUSED(HEM_ERROR_NULL, "meshes is NULL");
    def.kernel = (hem_kernel)99;
    REFUSED(HEM_ERROR_KERNEL, "kernel is 99");
    hem_asset_info info;
    ASSERT_EQ(HEM_OK, hem_asset_get_info(&w.asset, &info));
    if (info.collider_count) {
        def.collider_capacity = 256;
        REFUSED(HEM_ERROR_RANGE, "collider_capacity is 256: with the colliders");
    }
#undef REFUSED
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_measure(&def, NULL));
    ASSERT_EQ(HEM_OK, hem_scene_measure(&def, &need));
    hem_scene* scene = NULL;
    char* block = aligned_alloc(need.align, need.size + 64);
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_init(NULL, &def, block, need.size));
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_init(&scene, &def, NULL, need.size));
    ASSERT_EQ(HEM_ERROR_MEMORY, hem_scene_init(&scene, &def, block, need.size - 1));
    ASSERT_EQ(HEM_ERROR_MEMORY, hem_scene_init(&scene, &def, block + 4, need.size));
    def.slot_count = 0;
    ASSERT_EQ(HEM_ERROR_RANGE, hem_scene_init(&scene, &def, block, need.size));
    ASSERT_EQ(NULL, scene);
    free(block);
    world_close(&w);
#undef START
    PASS();
}

// -- Assets and meshes, without a scene

TEST an_asset_that_is_none_is_refused(void) {
    world w;
    ASSERT(world_open(&w, "cape_girl", NULL, NULL, 1));
    hem_asset closed;
    memset(&closed, 0, sizeof closed);
    hem_asset_info info;
    hem_bone_info bone;
    hem_mesh_info mesh;
    hem_part_info part;
    hem_vertex_info vertex;
    hem_link_info link;
    hem_group_info group;
    static float joints[64][12], pose[64][12];
    uint32_t n;
    ASSERT_EQ(HEM_ERROR_NULL, hem_asset_open(NULL, w.bytes, w.byte_count));
    // No asset; one that is not open; nothing to write to.
#define REFUSED(call_of, out)                                                                                          \
    do {                                                                                                               \
        ASSERT_EQ(HEM_ERROR_NULL, call_of(NULL, out));                                                                 \
        ASSERT_EQ(HEM_ERROR_ASSET, call_of(&closed, out));                                                             \
        ASSERT_EQ(HEM_ERROR_NULL, call_of(&w.asset, NULL));                                                            \
        ASSERT_EQ(HEM_OK, call_of(&w.asset, out));                                                                     \
    } while (0)
#define BONE(asset, out) hem_asset_get_bone(asset, 0, out)
#define MESH(asset, out) hem_asset_get_mesh(asset, 0, out)
#define PART(asset, out) hem_asset_get_part(asset, 0, out)
#define VERTEX(asset, out) hem_asset_get_vertices(asset, 0, 1, out)
#define LINKS(asset, out) hem_asset_get_links(asset, &link, 1, out)
#define GROUPS(asset, out) hem_asset_get_groups(asset, &group, 1, out)
#define JOINTS(asset, out) hem_asset_pose_from_joints(asset, joints[0], 0, 1.0f, out)
    REFUSED(hem_asset_get_info, &info);
    REFUSED(BONE, &bone);
    REFUSED(MESH, &mesh);
    REFUSED(PART, &part);
    REFUSED(VERTEX, &vertex);
    REFUSED(LINKS, &n);
    REFUSED(GROUPS, &n);
    REFUSED(JOINTS, pose[0]);
#undef REFUSED
    hem_asset_clip clip;
    hem_save_kind kind;
    ASSERT_EQ(0u, hem_asset_clip_count(NULL));
    ASSERT_EQ(0u, hem_asset_clip_count(&closed));
    ASSERT_EQ(HEM_ERROR_NULL, hem_asset_get_clip(NULL, 0, &clip));
    ASSERT_EQ(HEM_ERROR_NULL, hem_asset_get_clip(&w.asset, 0, NULL));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_asset_get_clip(&w.asset, 0, &clip));
    ASSERT_EQ(-1, hem_asset_find_clip(NULL, "walk"));
    ASSERT_EQ(-1, hem_asset_find_clip(&w.asset, NULL));
    ASSERT_EQ(-1, hem_asset_find_clip(&w.asset, "walk"));
    ASSERT_EQ(HEM_ERROR_NULL, hem_save_get_kind(NULL, 0, &kind));
    ASSERT_EQ(HEM_ERROR_NULL, hem_save_get_kind(w.bytes, w.byte_count, NULL));
    ASSERT_EQ(HEM_ERROR_STATE, hem_save_get_kind(w.bytes, 8, &kind));
    ASSERT_EQ(HEM_ERROR_STATE, hem_save_get_kind(w.bytes, w.byte_count, &kind));
    ASSERT_EQ(HEM_ERROR_NULL, hem_asset_get_links(&w.asset, NULL, 1, &n));
    ASSERT_EQ(HEM_ERROR_NULL, hem_asset_get_groups(&w.asset, NULL, 1, &n));
    ASSERT_EQ(HEM_ERROR_COUNT, hem_asset_get_vertices(&w.asset, info.vertex_count + 1, 0, &vertex));
    ASSERT_EQ(NULL, hem_asset_bone_name(&closed, 0));
    ASSERT_EQ(NULL, hem_asset_bone_name(&w.asset, info.bone_count));
    ASSERT_EQ(NULL, hem_asset_part_name(NULL, 0));
    ASSERT_EQ(NULL, hem_asset_part_name(&w.asset, info.part_count));
    for (uint32_t i = 0; i < info.bone_count; ++i) {
        ASSERT_EQ((int32_t)i, hem_asset_find_bone(&w.asset, hem_asset_bone_name(&w.asset, i)));
    }
    for (uint32_t i = 0; i < info.part_count; ++i) {
        ASSERT_EQ((int32_t)i, hem_asset_find_part(&w.asset, hem_asset_part_name(&w.asset, i)));
    }
    ASSERT_EQ(-1, hem_asset_find_bone(&w.asset, "no bone has this name"));
    ASSERT_EQ(-1, hem_asset_find_bone(&w.asset, NULL));
    ASSERT_EQ(-1, hem_asset_find_bone(&closed, ""));
    ASSERT_EQ(-1, hem_asset_find_part(&w.asset, "no part has this name"));
    ASSERT_EQ(-1, hem_asset_find_part(&w.asset, NULL));
    ASSERT_EQ(-1, hem_asset_find_part(NULL, ""));
    // The place of a fault, for whoever wants only one of the two.
    const char* section = "?";
    uint32_t element = 7;
    hem_asset_fault(&w.asset, &section, NULL);
    hem_asset_fault(NULL, NULL, &element);
    ASSERT_STR_EQ("", section);
    ASSERT_EQ(0, element);
    ASSERT_EQ(HEM_ERROR_ASSET, hem_asset_open(&closed, w.bytes, 8));
    hem_asset_fault(&closed, NULL, &element);
    hem_asset_fault(&closed, &section, NULL);
    ASSERT_STR_EQ("header", section);
    world_close(&w);
    PASS();
}

// Joint times inverse bind, in doubles, for joints that turn, scale and shift; and a unit of centimetres.
TEST a_pose_from_joints_is_joint_times_inverse_bind(void) {
    world w;
    ASSERT(world_open(&w, "cape_girl", NULL, NULL, 1));
    const uint32_t bones = w.view.info->bone_count;
    static float joints[64][16], pose[64][12];
    ASSERT(bones <= 64);
    for (uint32_t i = 0; i < bones; ++i) {
        for (int k = 0; k < 12; ++k) {
            joints[i][k] = (float)sin(1.7 * i + 0.6 * k) + (k % 5 == 0);
        }
    }
    const double unit = 0.01;
    ASSERT_EQ(HEM_OK, hem_asset_pose_from_joints(&w.asset, joints[0], 64, (float)unit, pose[0]));
    for (uint32_t i = 0; i < bones; ++i) {
        const float* bind = w.view.bones[i].inverse_bind;
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 4; ++c) {
                double sum = c == 3 ? (double)joints[i][4 * r + 3] : 0;
                for (int k = 0; k < 3; ++k) {
                    sum += (double)joints[i][4 * r + k] * (double)bind[4 * k + c];
                }
                ASSERT_IN_RANGE(unit * sum, (double)pose[i][4 * r + c], 1e-6);
            }
        }
    }
    ASSERT_EQ(HEM_ERROR_NULL, hem_asset_pose_from_joints(&w.asset, NULL, 0, 1, pose[0]));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_asset_pose_from_joints(&w.asset, joints[0], 44, 1, pose[0]));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_asset_pose_from_joints(&w.asset, joints[0], 50, 1, pose[0]));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_asset_pose_from_joints(&w.asset, joints[0], 0, -1, pose[0]));
    ASSERT_EQ(HEM_OK, hem_asset_pose_from_joints(&w.asset, joints[0], 64, 0, pose[0])); // the asset's own unit, 1
    static float again[64][12];
    ASSERT_EQ(HEM_OK, hem_asset_pose_from_joints(&w.asset, joints[0], 64, 1, again[0]));
    ASSERT_EQ(0, memcmp(pose, again, bones * sizeof(pose[0])));
    // No space of its own: the usual matrices are the pose already.
    ASSERT_EQ(HEM_OK, hem_asset_pose_from_skin(&w.asset, joints[0], 64, again[0]));
    for (uint32_t i = 0; i < bones; ++i) {
        ASSERT_EQ(0, memcmp(joints[i], again[i], sizeof(again[i])));
    }
    ASSERT_EQ(HEM_ERROR_NULL, hem_asset_pose_from_skin(&w.asset, NULL, 0, again[0]));
    ASSERT_EQ(HEM_ERROR_NULL, hem_asset_pose_from_skin(&w.asset, joints[0], 0, NULL));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_asset_pose_from_skin(&w.asset, joints[0], 44, again[0]));
    world_close(&w);
    PASS();
}

TEST a_trimesh_that_is_none_is_refused(void) {
    static const float corners[3][3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
    static const uint32_t index[3] = {0, 1, 2};
    hem_trimesh_def def = hem_trimesh_def_default();
    def.positions = corners[0];
    def.vertex_count = 3;
    def.indices = index;
    def.triangle_count = 1;
    hem_memory need, aside;
    ASSERT_EQ(HEM_OK, hem_trimesh_measure(&def, &need, &aside));
    char *room = aligned_alloc(64, need.size), *scratch = aligned_alloc(64, aside.size);
    hem_trimesh_report report;
    ASSERT_EQ(HEM_OK, hem_trimesh_build(&def, room, need.size, scratch, aside.size, &report));
    hem_trimesh mesh;
    hem_trimesh_info info;
    memset(&mesh, 0, sizeof mesh);
    ASSERT_EQ(HEM_ERROR_NULL, hem_trimesh_open(NULL, room, report.size));
    ASSERT_EQ(HEM_ERROR_NULL, hem_trimesh_open(&mesh, NULL, report.size));
    ASSERT_EQ(HEM_ERROR_NULL, hem_trimesh_get_info(&mesh, &info));
    ASSERT_EQ(HEM_ERROR_NULL, hem_trimesh_get_info(NULL, &info));
    ASSERT_EQ(HEM_OK, hem_trimesh_open(&mesh, room, report.size));
    ASSERT_EQ(HEM_ERROR_NULL, hem_trimesh_get_info(&mesh, NULL));
    ASSERT_EQ(HEM_OK, hem_trimesh_get_info(&mesh, &info));
    ASSERT(info.triangle_count == 1 && info.vertex_count == 3 && info.edge_count == 3 && info.border_count == 3);
    ASSERT(!info.closed && info.bounds_max[0] == 1 && info.bounds_min[1] == 0 && info.size == report.size);
    const char *array = "?", *field = "?";
    uint32_t element = 9;
    ASSERT_STR_EQ("no fault", hem_trimesh_fault(&mesh, &array, &field, &element));
    ASSERT_STR_EQ("", array);
    ASSERT_STR_EQ("", field);
    ASSERT_EQ(0, element);
    ASSERT_STR_EQ("no fault", hem_trimesh_fault(NULL, NULL, NULL, NULL));
    room[1] ^= 1;
    ASSERT_EQ(HEM_ERROR_ASSET, hem_trimesh_open(&mesh, room, report.size));
    ASSERT(strlen(hem_trimesh_fault(&mesh, &array, &field, &element)) > 10);
    ASSERT_STR_EQ("header", array);
    ASSERT_STR_EQ("magic", field);
    free(room);
    free(scratch);
    PASS();
}

// A mesh that cannot be built, by its def: one field at a time.
TEST a_trimesh_def_is_checked_field_by_field(void) {
    static const float corners[3][3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
    static const uint32_t index[3] = {0, 1, 2};
    static const uint16_t bones[3][4] = {{0, 1, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}};
    static const uint16_t past_the_end[3][4] = {{0, 1, 0, 0}, {1, 0, 2, 0}, {1, 1, 0, 0}};
    static const uint16_t weights[3][4] = {{65535}, {65535}, {60000, 5535}}, less[3][4] = {{65535}, {65534}, {65535}};
    hem_trimesh_def good = hem_trimesh_def_default(), def;
    good.positions = corners[0];
    good.vertex_count = 3;
    good.indices = index;
    good.triangle_count = 1;
    good.bones = bones[0];
    good.weights = weights[0];
    good.bone_count = 2;
    hem_memory need, aside, none;
    ASSERT_EQ(HEM_OK, hem_trimesh_measure(&good, &need, &aside));
    ASSERT_EQ(HEM_ERROR_NULL, hem_trimesh_measure(NULL, &need, &aside));
    ASSERT_EQ(HEM_ERROR_NULL, hem_trimesh_measure(&good, NULL, &aside));
    ASSERT_EQ(HEM_ERROR_NULL, hem_trimesh_measure(&good, &need, NULL));
#define REFUSED(code, change)                                                                                          \
    do {                                                                                                               \
        def = good;                                                                                                    \
        change;                                                                                                        \
        ASSERT_EQ_FMTm(#change, (int)(code), (int)hem_trimesh_measure(&def, &none, &none), "%d");                      \
    } while (0)
    REFUSED(HEM_ERROR_COOKIE, def.cookie = 4);
    REFUSED(HEM_ERROR_NULL, def.positions = NULL);
    REFUSED(HEM_ERROR_NULL, def.bones = NULL);
    REFUSED(HEM_ERROR_NULL, def.weights = NULL);
    REFUSED(HEM_ERROR_COUNT, def.triangle_count = 0);
    REFUSED(HEM_ERROR_COUNT, def.triangle_count = HEM_TRIMESH_MAX_TRIANGLES + 1);
    REFUSED(HEM_ERROR_COUNT, def.vertex_count = 2);
    REFUSED(HEM_ERROR_COUNT, def.bone_count = HEM_MAX_BONES + 1);
    REFUSED(HEM_ERROR_COUNT,
            (def.indices = NULL, def.triangle_count = 2)); // corners in a row: three vertices a triangle
    REFUSED(HEM_ERROR_RANGE, def.vertex_count = 3 * HEM_TRIMESH_MAX_TRIANGLES + 1);
    REFUSED(HEM_ERROR_RANGE, def.position_stride = 14);
#undef REFUSED
    char *room = aligned_alloc(64, need.size + 64), *scratch = aligned_alloc(64, aside.size + 64);
    hem_trimesh_report report;
#define BUILD(def, to, size, with, with_size) hem_trimesh_build(def, to, size, with, with_size, &report)
    ASSERT_EQ(HEM_OK, BUILD(&good, room, need.size, scratch, aside.size));
    ASSERT_EQ(HEM_OK, hem_trimesh_build(&good, room, need.size, scratch, aside.size, NULL));
    ASSERT_EQ(HEM_ERROR_NULL, BUILD(NULL, room, need.size, scratch, aside.size));
    ASSERT_EQ(HEM_ERROR_NULL, BUILD(&good, NULL, need.size, scratch, aside.size));
    ASSERT_EQ(HEM_ERROR_NULL, BUILD(&good, room, need.size, NULL, aside.size));
    ASSERT_EQ(HEM_ERROR_MEMORY, BUILD(&good, room, need.size - 1, scratch, aside.size));
    ASSERT_EQ(HEM_ERROR_MEMORY, BUILD(&good, room, need.size, scratch, aside.size - 1));
    ASSERT_EQ(HEM_ERROR_MEMORY, BUILD(&good, room + 4, need.size, scratch, aside.size));
    ASSERT_EQ(HEM_ERROR_MEMORY, BUILD(&good, room, need.size, scratch + 4, aside.size));
    def = good;
    def.bones = past_the_end[0];
    ASSERT_EQ(HEM_ERROR_COUNT, BUILD(&def, room, need.size, scratch, aside.size));
    def = good;
    def.weights = less[0];
    ASSERT_EQ(HEM_ERROR_RANGE, BUILD(&def, room, need.size, scratch, aside.size));
    ASSERT_EQ(1u, report.bad_vertex);
#undef BUILD
    free(room);
    free(scratch);
    PASS();
}

TEST every_result_has_a_text_of_its_own(void) {
    const int results[] = {
#define VALUE_OF(name, value, text) value,
        HEM_RESULTS(VALUE_OF)
#undef VALUE_OF
    };
    for (size_t i = 0; i < sizeof results / sizeof results[0]; ++i) {
        for (size_t k = 0; k < i; ++k) {
            ASSERT(strcmp(hem_result_text((hem_result)results[i]), hem_result_text((hem_result)results[k])) != 0);
        }
    }
    ASSERT_STR_EQ("unknown result", hem_result_text((hem_result)1000));
    PASS();
}

SUITE(calls_suite) {
    RUN_TEST(no_call_takes_what_is_no_scene);
    RUN_TEST(no_call_takes_an_id_of_nobody);
    RUN_TEST(all_calls_are_good_with_good_arguments);
    RUN_TEST(what_is_missing_is_named);
    RUN_TEST(what_is_out_of_range_is_named);
    RUN_TEST(saves_slots_and_budgets_out_of_range_are_named);
    RUN_TEST(names_are_different_and_end);
    RUN_TEST(an_instance_def_is_checked_field_by_field);
    RUN_TEST(a_scene_def_is_checked_field_by_field);
    RUN_TEST(an_asset_that_is_none_is_refused);
    RUN_TEST(a_pose_from_joints_is_joint_times_inverse_bind);
    RUN_TEST(a_trimesh_that_is_none_is_refused);
    RUN_TEST(a_trimesh_def_is_checked_field_by_field);
    RUN_TEST(every_result_has_a_text_of_its_own);
}
