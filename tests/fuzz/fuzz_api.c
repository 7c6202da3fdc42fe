// SPDX-License-Identifier: MIT
// Any order of calls, good and bad, on one scene of several assets. Every byte read decides something: which call, which
// instance (alive, dead, never there), how wrong its numbers are. What is checked: no report of the sanitizers, no result
// outside the list, a failed call leaves the state as it was, whatever was set every particle and vertex stays finite, and
// going back to a snapshot and on again gives the same state.
//
// Besides two small meshes made here, one of a cast takes part: a whole character, with body, limits, vertices, several parts; or
// one for each other kind of constraint.

#include "tests/fuzz/kit.h"

#include "compiler/hemc.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { SIDE = 5, COUNT = SIDE * SIDE, SLOTS = 3, STEP_LIMIT = 24, ROOM = 65536 };

#define ONE_MORE(name, value, text) +1
enum { RESULT_COUNT = 0 HEM_RESULTS(ONE_MORE) };

// Mostly sensible; sometimes huge, tiny, infinite or not a number.
static float number(input* in) {
    static const float odd[8] = {0.0f, -0.0f, 1e-30f, -1e30f, 3e38f, INFINITY, -INFINITY, NAN};
    uint8_t b = take_byte(in);
    return b < 232 ? ((float)b - 116.0f) / 29.0f : odd[b & 7];
}

static const char* const CAST[] = {"somersault", "fabric",       "fabric_flat",   "sprung",       "rods_driven",
                                   "chains",     "chains_hung",  "hair_full",     "solid_held",   "lattice_held",
                                   "driven",     "lattice_tear", "lattice_clips", "drape_square", "cape_girl_levels"};
enum { CAST_COUNT = sizeof(CAST) / sizeof(CAST[0]) };

// For the whole run: a sheet held at two corners that collides with itself, a soft strip, and (of this input) one of the cast.
static hem_asset assets[3], cast[CAST_COUNT];
static uint32_t character_bones, cast_bones[CAST_COUNT];
static float room[ROOM * 4];
static hem_particle particles[ROOM];

static void read_cast(int member) {
    const asset_bytes a = read_test_asset(CAST[member]); // lives as long as the program
    hem_asset_info info = {0};
    require(hem_asset_open(&cast[member], a.bytes, a.size) == HEM_OK &&
            hem_asset_get_info(&cast[member], &info) == HEM_OK);
    require(info.vertex_count <= ROOM && info.particle_count <= ROOM && info.bone_count <= 256);
    cast_bones[member] = info.bone_count;
}

static int make_asset(int kind) {
    float positions[COUNT][3];
    uint8_t animated[COUNT] = {0};
    hemc_bare_link links[4 * COUNT];
    uint32_t starts[COUNT + 1];
    uint16_t members[4 * COUNT];
    uint32_t members_used = 0;
    size_t link_count = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        uint32_t x = i % SIDE, z = i / SIDE;
        positions[i][0] = 0.1f * (float)x;
        positions[i][1] = 0.0f;
        positions[i][2] = 0.1f * (float)z;
        starts[i] = members_used;
        if (x + 1 < SIDE) {
            links[link_count++] = (hemc_bare_link){i, i + 1, HEM_LINK_WEFT};
            members[members_used++] = (uint16_t)(i + 1);
        }
        if (z + 1 < SIDE) {
            links[link_count++] = (hemc_bare_link){i, i + SIDE, HEM_LINK_WARP};
            members[members_used++] = (uint16_t)(i + SIDE);
        }
        if (x > 0) {
            members[members_used++] = (uint16_t)(i - 1);
        }
    }
    starts[COUNT] = members_used;
    animated[0] = animated[SIDE - 1] = 1;
    hemc_bare_mesh mesh;
    memset(&mesh, 0, sizeof(mesh));
    mesh.particle_count = COUNT;
    mesh.positions = (const float(*)[3])positions;
    mesh.animated = animated;
    mesh.radius = 0.04f;
    mesh.self_collision = true;
    mesh.self_thickness = 0.05f;
    if (kind == 0) {
        mesh.links = links;
        mesh.link_count = link_count;
    } else {
        mesh.group_starts = starts;
        mesh.group_members = members;
    }
    uint8_t* bytes;
    size_t size;
    if (hemc_compile_bare(&mesh, &bytes, &size) != 0) {
        return 0;
    }
    void* aligned = aligned_alloc(64, (size + 63) & ~(size_t)63); // lives as long as the program
    if (!aligned) {
        return 0;
    }
    memcpy(aligned, bytes, size);
    hemc_free(bytes);
    return hem_asset_open(&assets[kind], aligned, size) == HEM_OK;
}

static hem_root root_of(input* in) {
    hem_root root = {{number(in), number(in), number(in)}, {0, 0, 0, 1}};
    uint8_t turn = take_byte(in);
    if (turn & 1) {
        root.rotation[1] = 0.6f;
        root.rotation[3] = 0.8f;
    } else if (turn > 240) {
        root.rotation[turn & 3] = number(in);
    }
    return root;
}

static hem_collider collider_of(input* in, const float (*planes)[4]) {
    hem_collider c = hem_collider_default();
    uint8_t kind = take_byte(in);
    c.kind = (hem_collider_kind)(kind < 250 ? kind % 6 : kind);
    c.bone = kind & 32 ? 0 : kind & 64 ? (int32_t)(int8_t)take_byte(in) : -1;
    hem_root root = root_of(in);
    memcpy(c.position, root.position, sizeof(c.position));
    memcpy(c.rotation, root.rotation, sizeof(c.rotation));
    for (int k = 0; k < 4; ++k) {
        float s = number(in);
        c.size[k] = kind & 16 ? s : fabsf(s) * 0.2f;
    }
    c.friction = kind & 16 ? number(in) : 0.5f;
    c.restitution = kind & 32 ? number(in) : 0.5f;
    c.slide = kind & 64 ? number(in) : 0.5f;
    c.mask = take_byte(in) & 1 ? ~0u : take_byte(in);
    c.planes = planes[0];
    c.plane_count = kind & 16 ? take_byte(in) % 40u : 4; // there are 32; more must be refused before any is read
    uint8_t last = take_byte(in);
    c.jumped = last & 1;
    c.cookie += last > 250;
    return c;
}

static hem_force force_of(input* in, hem_force_key* keys, hem_instance_id id) {
    hem_force f = hem_force_default();
    uint8_t kind = take_byte(in);
    f.kind = (hem_force_kind)(kind < 250 ? kind % 7 : kind);
    f.shelter = kind & 128 ? 0.5f : 0.0f;
    hem_root root = root_of(in);
    memcpy(f.position, root.position, sizeof(f.position));
    memcpy(f.rotation, root.rotation, sizeof(f.rotation));
    f.strength = number(in) * (kind & 64 ? 1e4f : 10.0f);
    f.radius = fabsf(number(in));
    f.length = kind & 32 ? number(in) : 0.5f;
    f.speed = kind & 32 ? number(in) : 5.0f;
    for (int k = 0; k < 3; ++k) {
        f.size[k] = fabsf(number(in));
        f.velocity[k] = number(in);
    }
    f.key_count = kind & 128 ? take_byte(in) % 10u : 0;
    for (uint32_t i = 0; i < 9; ++i) {
        keys[i] = (hem_force_key){0.1f * (float)i, f.key_count ? number(in) : 0};
    }
    f.keys = keys;
    uint8_t last = take_byte(in);
    f.period = last & 2 ? fabsf(number(in)) : 0;
    f.restart = last & 1;
    f.mask = last & 4 ? last : ~0u;
    if (last & 8) {
        f.only = id;
    }
    f.cookie += last > 250;
    return f;
}

static hem_tie tie_of(input* in) {
    hem_tie t = hem_tie_default();
    uint8_t kind = take_byte(in);
    t.particle = take_byte(in) % 40u;
    t.other = kind & 1 ? -1 : (int32_t)(take_byte(in) % 40u);
    for (int k = 0; k < 3; ++k) {
        t.position[k] = (double)number(in);
    }
    t.rest = fabsf(number(in));
    t.stiffness = kind & 2 ? 1e6f : fabsf(number(in)) * 100.0f;
    t.damping = kind & 4 ? 1e6f : number(in);
    t.force_limit = kind & 8 ? number(in) : 0.0f;
    t.jumped = kind >> 4 & 1u;
    t.joint = kind >> 5 & 3u;
    t.bone = kind & 32 ? (int32_t)(kind >> 6) : -1;
    t.cookie += kind > 250;
    return t;
}

static void push(void* user, hem_instance_id id, const float* position, const float* velocity, float* acceleration,
                 uint32_t row_count) {
    (void)user;
    (void)id;
    (void)velocity;
    for (uint32_t i = 0; i < row_count * 24; ++i) {
        acceleration[i] = position[i / 24 * 32 + i % 24] > 0 ? -30.0f : 30.0f;
    }
}

static void finite(const float* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        require(values[i] - values[i] == 0.0f);
    }
}

// After a step, whatever has been set before it.
static void all_is_well(const hem_scene* scene, const hem_instance_id* ids) {
    hem_step_report report;
    const hem_event* events;
    uint32_t count, lost;
    require(hem_scene_get_report(scene, &report) == HEM_OK && report.stepped_count <= report.instance_count);
    require(hem_scene_get_events(scene, &events, &count, &lost) == HEM_OK && count <= 2);
    for (uint32_t i = 0; i < 6; ++i) {
        for (uint32_t a = 0; a < 3 && hem_instance_is_valid(scene, ids[i]); ++a) {
            hem_asset_info info;
            require(hem_asset_get_info(&assets[a], &info) == HEM_OK);
            // Which of the assets it is: only its own count of particles can be read to the end and no further.
            hem_particle spare;
            if (hem_instance_get_particles(scene, ids[i], 0, info.particle_count, particles) != HEM_OK ||
                hem_instance_get_particles(scene, ids[i], info.particle_count, 1, &spare) == HEM_OK) {
                continue;
            }
            for (uint32_t p = 0; p < info.particle_count; ++p) {
                finite(particles[p].position, 3);
                finite(particles[p].rotation, 4);
                finite(particles[p].velocity, 3);
            }
            hem_skin_args args = {.vertex_count = info.vertex_count, .positions = room};
            if (info.vertex_count && hem_instance_skin(scene, ids[i], &args) == HEM_OK) {
                finite(room, (size_t)info.vertex_count * 3);
            }
        }
    }
}

// Slots of the reserve, and an instance that is loaded from a save, whole or spoilt, of itself or of another.
static hem_result call_crowds(input* in, hem_scene* scene, const hem_instance_id* ids, uint32_t what, uint32_t* added) {
    static uint8_t one[1 << 20];
    const hem_slot_def slot = {what & 1 ? &assets[0] : NULL, 1};
    const hem_instance_id id = ids[take_byte(in) % 8];
    hem_result result = HEM_OK;
    size_t size;
    switch (what) {
    case 1:
    case 2:
        result = hem_scene_add_slots(scene, &slot);
        *added += result == HEM_OK;
        break;
    case 3:
    case 4:
        result = hem_scene_remove_slots(scene, slot.asset);
        *added = result == HEM_OK ? 0 : *added;
        break;
    default:
        size = hem_instance_save_size(scene, id, what & 1 ? HEM_SAVE_ALL : HEM_SAVE_STATE);
        if (size && size <= sizeof(one)) {
            require(hem_instance_save(scene, id, what & 1 ? HEM_SAVE_ALL : HEM_SAVE_STATE, one, size) == HEM_OK);
            for (uint32_t edits = what & 2 ? take_byte(in) % 4u : 0; edits > 0; --edits) {
                one[(take_byte(in) | (size_t)take_byte(in) << 8) % size] = take_byte(in);
            }
        }
        result = hem_instance_load(scene, ids[take_byte(in) % 8], one, size < sizeof(one) ? size : 0);
        break;
    }
    return result;
}

static void* run_at_once(void* user, void (*run)(void* context, uint32_t worker), void* context, uint32_t worker) {
    (void)user;
    run(context, worker);
    return NULL;
}

static void wait_for_nothing(void* user, void* task) {
    (void)user;
    require(task == NULL);
}

// Budgets, triangles that the game makes, clips of lattices, vertices written by the step itself, steps through tasks.
static hem_result call_late(input* in, hem_scene* scene, hem_instance_id id, uint32_t what, const hem_instance_id* ids,
                            uint32_t* steps) {
    static float written[ROOM * 3];
    switch (what % 6) {
    case 0:
        return what & 64    ? hem_scene_set_budget(scene, number(in) * 100.0f)
               : what & 128 ? hem_scene_set_measured(scene, number(in) * 100.0f)
                            : hem_instance_set_importance(scene, id, fabsf(number(in)));
    case 1: {
        const uint8_t levels = take_byte(in);
        return hem_instance_set_levels(scene, id, (hem_level)(levels & 7), (hem_level)(levels >> 3 & 7));
    }
    case 2: {
        float corners[54];
        const uint32_t count = take_byte(in) % 7;
        for (uint32_t i = 0; i < count * 9 && i < 54; ++i) {
            corners[i] = number(in);
        }
        return hem_scene_set_mesh_triangles(scene, what & 128 ? 1 : 0, what > 240 ? NULL : corners, count);
    }
    case 3: {
        hem_clip_play play = hem_clip_play_default();
        play.clip = take_byte(in) % 3;
        play.speed = fabsf(number(in));
        play.blend_seconds = number(in);
        play.loop = what >> 6 & 1;
        return what & 128 ? hem_instance_stop_clip(scene, id, take_byte(in) % 2, number(in))
                          : hem_instance_play_clip(scene, id, what > 120 ? NULL : &play);
    }
    case 4: {
        const hem_skin_args args = {.vertex_begin = take_byte(in), .vertex_count = take_byte(in), .positions = written};
        return hem_instance_set_output(scene, id, what & 128 ? NULL : &args);
    }
    default: {
        const hem_tasks tasks = {run_at_once, wait_for_nothing, NULL};
        const hem_step_args args = {1.0f / 60.0f, 0};
        const hem_result result = ++*steps <= STEP_LIMIT ? hem_scene_step_tasks(scene, &args, &tasks) : HEM_OK;
        if (result == HEM_OK) {
            hem_plan plan;
            char text[16];
            all_is_well(scene, ids);
            (void)hem_instance_get_plan(scene, id, &plan);
            (void)hem_instance_plan_text(scene, id, text, sizeof(text));
        }
        return result;
    }
    }
}

static void call(input* in, hem_scene* scene, hem_instance_id* ids, void* saved, size_t saved_size, uint32_t* steps,
                 uint32_t* added) {
    static float planes[32][4];
    for (uint32_t i = 0; i < 32; ++i) { // a thin prism: four faces, then its corners cut off again and again
        static const float faces[8][4] = {{0, 1, 0, 0.1f},       {0, -1, 0, 0.1f},       {1, 0, 0, 0.2f},
                                          {-1, 0, 0, 0.2f},      {0, 0, 1, 0.01f},       {0, 0, -1, 0.01f},
                                          {0.6f, 0.8f, 0, 0.2f}, {-0.6f, -0.8f, 0, 0.2f}};
        memcpy(planes[i], faces[i & 7], sizeof(planes[i]));
    }
    uint8_t what = take_byte(in);
    hem_instance_id id = ids[take_byte(in) % 8];
    hem_result result = HEM_OK;
    uint64_t before = hem_scene_hash(scene);
    switch (what % 30) {
    case 0: {
        hem_instance_def def = hem_instance_def_default();
        def.asset = what > 250 ? NULL : &assets[(what >> 5) % 3];
        def.root = root_of(in);
        def.time_scale = fabsf(number(in));
        uint32_t slot = take_byte(in) % 8;
        result = hem_scene_add(scene, &def, what > 240 ? NULL : &ids[slot]);
        break;
    }
    case 1:
        result = hem_scene_remove(scene, id);
        break;
    case 2: {
        static float pose[256][16];
        for (int i = 0; i < 256; ++i) {
            static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
            memcpy(pose[i], identity, sizeof(identity));
        }
        for (uint32_t k = take_byte(in) % 5; k > 0; --k) {
            uint8_t entry = take_byte(in);
            pose[what & 32 ? entry / 12 : 0][entry % 12] = number(in);
        }
        uint8_t wrong = take_byte(in);
        uint32_t bones = wrong > 240 ? wrong : wrong & 2 ? character_bones : 1;
        result = hem_instance_set_pose(scene, id, wrong > 250 ? NULL : pose[0], bones, 64);
        break;
    }
    case 3: {
        hem_root root = root_of(in);
        result = hem_instance_set_root(scene, id, what > 240 ? NULL : &root);
        break;
    }
    case 4: {
        hem_root root = root_of(in);
        result = hem_instance_teleport(scene, id, &root, what >> 5 & 1);
        break;
    }
    case 5: {
        hem_root a = root_of(in), b = root_of(in);
        result = hem_instance_carry(scene, id, &a, what > 240 ? NULL : &b);
        break;
    }
    case 6:
        result = hem_instance_reset(scene, id);
        break;
    case 7: {
        float v[3] = {number(in), number(in), number(in)};
        result =
            what & 32 ? hem_instance_set_wind(scene, id, v) : hem_instance_set_gravity(scene, id, what & 64 ? NULL : v);
        break;
    }
    case 8:
        result = what & 32 ? hem_instance_set_pose_blend(scene, id, number(in))
                           : hem_instance_set_time_scale(scene, id, number(in));
        break;
    case 9:
        result = what & 32 ? hem_instance_set_animation(scene, id, (int)(int8_t)take_byte(in) % 3)
                           : hem_instance_set_features(scene, id, take_byte(in));
        break;
    case 10: {
        hem_tuning tuning[2];
        if (hem_instance_get_tuning(scene, id, tuning, sizeof(tuning)) == HEM_OK) {
            uint8_t field = take_byte(in) % 40;
            float value = number(in);
            memcpy((char*)&tuning[0] + field * 4, &value, 4);
            result = hem_instance_set_tuning(scene, id, tuning, what & 32 ? 1 : take_byte(in) % 3);
        }
        break;
    }
    case 11: {
        hem_collider colliders[6];
        uint32_t count = take_byte(in) % 7;
        for (uint32_t i = 0; i < count; ++i) {
            colliders[i] = collider_of(in, planes);
        }
        const hem_collider* given = what > 240 ? NULL : colliders;
        result = what & 32 ? hem_scene_set_colliders(scene, given, count)
                           : hem_instance_set_colliders(scene, id, given, count);
        break;
    }
    case 12:
    case 13:
    case 14: {
        static const float lengths[8] = {1.0f / 30.0f, 1.0f / 60.0f, 1.0f / 144.0f, 0.0f, 1.0f, 1e-6f, 1e-30f, 0.25f};
        uint8_t more = take_byte(in);
        hem_step_args args = {what & 32 ? lengths[more & 7] : number(in), more > 250 ? more : more >> 6};
        if (++*steps <= STEP_LIMIT) {
            result = hem_scene_step(scene, &args);
            if (result == HEM_OK) {
                all_is_well(scene, ids);
            }
        }
        break;
    }
    case 15: {
        hem_step_args args = {1.0f / 30.0f, 0};
        uint32_t jobs;
        if (++*steps <= STEP_LIMIT && hem_scene_step_begin(scene, &args, &jobs) == HEM_OK) {
            require(hem_instance_reset(scene, id) != HEM_OK); // a step is open
            require(hem_scene_step_job(scene, jobs, 0) != HEM_OK);
            require(hem_scene_step_job(scene, 0, 7) != HEM_OK); // no such worker
            require(hem_scene_save(scene, HEM_SAVE_ALL, saved, saved_size) == HEM_ERROR_BUSY);
            require(hem_scene_step_begin(scene, &args, &jobs) == HEM_ERROR_BUSY);
            require(jobs == 0 || hem_scene_step_end(scene) == HEM_ERROR_JOBS_LEFT);
            require(hem_instance_get_particles(scene, id, 0, 1, particles) == HEM_ERROR_BUSY);
            for (uint32_t i = jobs; i > 0; --i) {
                require(hem_scene_step_job(scene, i - 1, i & 1) == HEM_OK);
                require(hem_scene_step_job(scene, i - 1, i & 1) == HEM_ERROR_JOB_TWICE);
            }
            require(hem_scene_step_end(scene) == HEM_OK);
            all_is_well(scene, ids);
        }
        break;
    }
    case 16: {
        result = hem_instance_get_particles(scene, id, take_byte(in), take_byte(in) % 65u, particles);
        break;
    }
    case 17: {
        static float matrices[ROOM * 20];
        result = hem_instance_get_matrices(scene, id, matrices, what & 32 ? 64 : take_byte(in) % 80u);
        break;
    }
    case 18: {
        hem_skin_args args = {take_byte(in), take_byte(in), room, NULL, NULL, take_byte(in) % 20u, 0, 0,
                              what >> 5 & 1, what >> 6 & 3};
        result = hem_instance_skin(scene, id, &args);
        break;
    }
    case 19: {
        hem_instance_stats stats;
        result = hem_instance_get_stats(scene, id, &stats);
        break;
    }
    case 20: {
        hem_collider out[8];
        uint32_t count;
        hem_virtual_particle points[4];
        hem_refined_vertex vertices[16];
        uint32_t indices[3 * 16];
        hem_refined refined = {
            .vertices = vertices, .indices = indices, .vertex_capacity = 16, .triangle_capacity = 16};
        const uint8_t which = take_byte(in);
        result = which & 1   ? hem_instance_get_virtual(scene, id, points, take_byte(in) % 5, &count)
                 : which & 2 ? hem_instance_get_refined(scene, id, &refined)
                             : hem_instance_get_colliders(scene, id, out, take_byte(in) % 9, &count);
        break;
    }
    case 21:
        result = hem_scene_save(scene, what & 32 ? HEM_SAVE_ALL : HEM_SAVE_STATE, saved,
                                take_byte(in) & 1 ? saved_size : saved_size - 1);
        break;
    case 22:
        result = hem_scene_load(scene, saved, take_byte(in) & 1 ? saved_size : saved_size - 1);
        break;
    case 23:
        result = hem_instance_set_felt_limits(scene, id, fabsf(number(in)) * 30.0f, number(in) * 30.0f);
        break;
    case 24:
        result = hem_scene_set_force_field(what & 64 ? NULL : scene, what & 32 ? push : NULL, NULL);
        break;
    case 28: {
        const double point[3] = {number(in), number(in), number(in)};
        const float far = fabsf(number(in));
        result = what & 32 ? hem_scene_set_viewpoint(scene, what & 64 ? NULL : point)
                           : hem_instance_set_sleep_distance(scene, id, far, what & 64 ? number(in) : 0.5f * far);
        break;
    }
    case 27:
        result = call_late(in, scene, id, take_byte(in), ids, steps);
        break;
    case 25: {
        hem_force forces[4];
        hem_force_key keys[9];
        uint32_t count = take_byte(in) % 5;
        for (uint32_t i = 0; i < count; ++i) {
            forces[i] = force_of(in, keys, id);
        }
        result = hem_scene_set_forces(scene, what > 240 ? NULL : forces, count);
        break;
    }
    case 26: {
        hem_tie ties[4];
        uint32_t count = take_byte(in) % 5;
        for (uint32_t i = 0; i < count; ++i) {
            ties[i] = tie_of(in);
        }
        const double place[3] = {number(in), number(in), number(in)};
        int32_t nearest;
        result = what & 32 ? hem_instance_find_particle(scene, id, place, number(in), &nearest)
                           : hem_instance_set_ties(scene, id, what > 240 ? NULL : ties, count);
        break;
    }
    default: {
        const hem_event* events;
        uint32_t count, lost;
        uint64_t hash;
        hem_step_report report;
        hem_scene_get_events(scene, &events, &count, &lost);
        hem_scene_get_report(scene, &report);
        hem_instance_hash(scene, id, &hash);
        hem_reserve_report left;
        hem_scene_get_reserve(scene, &left);
        result = what / 29 ? call_crowds(in, scene, ids, what / 29, added) : hem_instance_wake(scene, id);
        break;
    }
    }
    require((int)result >= HEM_OK && (int)result < RESULT_COUNT);
    require(result == HEM_OK || strncmp(hem_scene_refusal(scene), "hem_", 4) == 0 || what % 30 == 24);
    require(result == HEM_OK || hem_scene_hash(scene) == before); // refused: nothing has changed
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static int made;
    if (!made) {
        require(make_asset(0) && make_asset(1));
        for (int i = 0; i < CAST_COUNT; ++i) {
            read_cast(i);
        }
        made = 1;
    }
    input in = {data, size};
    const uint32_t first = take_byte(&in);
    assets[2] = cast[(first >> 1) % CAST_COUNT];
    character_bones = cast_bones[(first >> 1) % CAST_COUNT];
    hem_slot_def slots[3] = {{&assets[0], SLOTS}, {&assets[1], 1}, {&assets[2], 1}};
    hem_scene_def def = hem_scene_def_default();
    def.slots = slots;
    def.slot_count = 3;
    def.worker_capacity = 2;
    def.collider_capacity = 4;
    def.scene_collider_capacity = 3;
    def.force_capacity = def.tie_capacity = 3;
    const hem_mesh_def soup = {.triangle_capacity = 5, .two_sided = (int)(first >> 5 & 1)};
    def.meshes = &soup;
    def.mesh_count = first >> 6 & 1;
    def.budget = first >> 7 ? HEM_BUDGET_DYNAMIC : HEM_BUDGET_NONE;
    def.keep_previous = first & 1;
    def.candidate_capacity = take_byte(&in) & 1 ? 4 : 24;
    def.event_capacity = 2;
    const hem_slot_def more[2] = {{&assets[0], 1}, {&assets[0], 1}};
    hem_slots_need reserve;
    require(hem_slots_measure(&def, more, 2, &reserve) == HEM_OK);
    def.reserve_slots = 2;
    def.reserve_size = reserve.size;
    hem_memory need;
    require(hem_scene_measure(&def, &need) == HEM_OK);
    void* block = aligned_alloc(need.align, (need.size + need.align - 1) / need.align * need.align);
    hem_scene* scene = NULL;
    require(block && hem_scene_init(&scene, &def, block, need.size) == HEM_OK);
    require(hem_scene_add_slots(scene, more) == HEM_OK && hem_scene_add_slots(scene, more) == HEM_OK);
    size_t saved_size = hem_scene_save_size(scene, HEM_SAVE_ALL); // it is never larger
    require(hem_scene_remove_slots(scene, more[0].asset) == HEM_OK);
    void* saved = malloc(saved_size);
    require(saved && hem_scene_save(scene, HEM_SAVE_ALL, saved, saved_size) == HEM_OK);
    hem_instance_id ids[8];
    memset(ids, 0, sizeof(ids));
    ids[6] = (hem_instance_id){77, 1};
    ids[7] = (hem_instance_id){1, 99};
    uint32_t steps = 0, added = 0;
    while (in.left > 0) {
        call(&in, scene, ids, saved, saved_size, &steps, &added);
    }
    // A scene that was never touched goes on from the save.
    void* other_block = aligned_alloc(need.align, (need.size + need.align - 1) / need.align * need.align);
    hem_scene* other = NULL;
    require(other_block && hem_scene_init(&other, &def, other_block, need.size) == HEM_OK);
    require(hem_scene_set_force_field(other, push, NULL) == HEM_OK);
    while (added-- > 0) {
        require(hem_scene_add_slots(other, more) == HEM_OK);
    }
    hem_step_args args = {1.0f / 60.0f, 0};
    require(hem_scene_save(scene, HEM_SAVE_ALL, saved, saved_size) == HEM_OK);
    require(hem_scene_load(other, saved, saved_size) == HEM_OK);
    require(hem_scene_hash(other) == hem_scene_hash(scene));
    hem_scene_step(scene, &args);
    hem_scene_step(other, &args);
    require(hem_scene_hash(other) == hem_scene_hash(scene));
    free(other_block);
    free(saved);
    free(block);
    return 0;
}
