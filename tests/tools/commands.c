// SPDX-License-Identifier: MIT
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L // dup2
#define HAS_DUP 1
#endif

#include "tools/asset.h"
#include "tools/bench.h"
#include "tools/command.h"
#include "tools/options.h"
#include "tools/play.h"
#include "tools/section.h"
#include "tests/tools/fixture.h"
#include "platform/file.h"
#include "greatest.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if HAS_DUP
#include <fcntl.h>
#include <unistd.h>
#endif

// The commands on a hand-written asset: exit codes for every kind of mistake, pictures that appear whole, poses and links
// against what the fixture was made from, and the same run twice.

typedef struct work {
    char hem[512], ship[512], out[512];
} work;

static bool begin(work* w) {
    uint8_t* data;
    size_t size = fixture_make(&data, true);
    bool ok = fixture_write(w->hem, sizeof(w->hem), data, size, ".hem");
    free(data);
    size = fixture_make(&data, false);
    ok = ok && fixture_write(w->ship, sizeof(w->ship), data, size, ".hem");
    free(data);
    return ok && hem_file_temp_name(w->out, sizeof(w->out), "hem_out");
}

static void end(work* w) {
    hem_file_remove(w->hem, NULL);
    hem_file_remove(w->ship, NULL);
    if (hem_file_exists(w->out)) {
        hem_file_remove(w->out, NULL);
    }
}

#if HAS_DUP
static const char* written_to = "/dev/null"; // what the next command prints
#endif

// The commands speak to people; the tests listen to codes. What they say goes nowhere meanwhile.
static int call(int (*function)(int, char**), const char* a, const char* b, const char* c, const char* d,
                const char* e) {
    const char* list[6] = {"command", a, b, c, d, e};
    char* argv[6];
    int argc = 0;
    for (int i = 0; i < 6; i++) {
        if (list[i] != NULL) {
            argv[argc++] = (char*)list[i];
        }
    }
    fflush(stdout);
    fflush(stderr);
#if HAS_DUP
    int saved[2] = {dup(1), dup(2)}, nowhere = open("/dev/null", O_WRONLY);
    int out = open(written_to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(out, 1);
    close(out);
    dup2(nowhere, 2);
#endif
    int code = function(argc, argv);
    fflush(stdout);
    fflush(stderr);
#if HAS_DUP
    dup2(saved[0], 1);
    dup2(saved[1], 2);
    close(saved[0]);
    close(saved[1]);
    close(nowhere);
#endif
    return code;
}

static bool is_png(const char* path) {
    hem_bytes file;
    if (!hem_file_read(path, &file, NULL)) {
        return false;
    }
    bool ok =
        file.size > 100 && memcmp(file.data, "\x89PNG", 4) == 0 && memcmp(file.data + file.size - 8, "IEND", 4) == 0;
    hem_bytes_free(&file);
    return ok;
}

TEST wrong_calls_have_their_exit_codes(void) {
    work w;
    ASSERT(begin(&w));
    ASSERT_EQ(COMMAND_USAGE, call(command_inspect, NULL, NULL, NULL, NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_inspect, w.hem, "--jsn", NULL, NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_inspect, w.hem, w.hem, NULL, NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_inspect, w.hem, "--json=1", NULL, NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_inspect, w.hem, "--picture", NULL, NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_inspect, w.hem, "--recipe", "r.json", NULL, NULL));
    ASSERT_EQ(COMMAND_INPUT, call(command_inspect, "no_such_file.hem", NULL, NULL, NULL, NULL));
    ASSERT_EQ(COMMAND_INPUT, call(command_play, "no_such_file.glb", NULL, NULL, NULL, NULL));
    ASSERT_EQ(COMMAND_IO, call(command_inspect, w.hem, "--validate", "--picture", "/dev/null/p.png", NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--clip", "dance", NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--seconds", "long", NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--seconds", "nan", NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--hz", "2000", NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--wind", "1,2", NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--gusts", "11", NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--mesh", "table", NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--throw", "curtain:1,2,3", NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--throw", "rope=1,2,3", NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--size", "10x", NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--hz", "0", NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--view", "below", NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--view", "0,0,0", NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--view", "1,0", NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--seconds=1", "--from=1", NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--compare", "direct", NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--compare", "direct,sideways", NULL, NULL));
    ASSERT_EQ(COMMAND_INPUT, call(command_play, w.ship, NULL, NULL, NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_sheet, w.hem, NULL, NULL, NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_sheet, w.hem, "-o", w.out, "--across", "0"));
    ASSERT_EQ(COMMAND_USAGE, call(command_sheet, w.hem, "-o", w.out, "--view", "below"));
    ASSERT_EQ(COMMAND_INPUT, call(command_sheet, w.ship, "-o", w.out, NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_figure, "levels", w.hem, "-o", w.out, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_figure, "poem", w.hem, "-o", w.out, NULL));
    ASSERT_FALSE(hem_file_exists(w.out));
    end(&w);
    PASS();
}

// However it is spelt: nothing is written over what was read, and no two outputs are one.
TEST no_output_is_an_input(void) {
    work w;
    ASSERT(begin(&w));
    hem_bytes before, after;
    ASSERT(hem_file_read(w.hem, &before, NULL));
    char folder[512], twisted[1200];
    hem_path_directory(folder, sizeof(folder), w.hem);
    snprintf(twisted, sizeof(twisted), "%s/./%s", folder, hem_path_name(w.hem));
    const char* names[] = {w.hem, twisted};
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(COMMAND_USAGE, call(command_inspect, w.hem, "--picture", names[i], NULL, NULL));
        ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--seconds=0.1", "--strip", names[i], NULL));
        ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--seconds=0.1", "--film", names[i], NULL));
        ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--seconds=0.1", "--plot", names[i], NULL));
        ASSERT_EQ(COMMAND_USAGE, call(command_sheet, w.hem, "-o", names[i], NULL, NULL));
        ASSERT_EQ(COMMAND_USAGE, call(command_figure, "mesh", w.hem, "-o", names[i], NULL));
    }
    // What a glTF names is as good as read: its textures.
    char gltf[700], skin[700];
    snprintf(gltf, sizeof(gltf), "%s.gltf", w.out);
    snprintf(skin, sizeof(skin), "%s.skin.png", w.out);
    char text[1600];
    snprintf(text, sizeof(text), "{\"images\": [{\"uri\": \"%s\"}]}", hem_path_name(skin));
    ASSERT(hem_file_write(gltf, text, strlen(text), 0, NULL) && hem_file_write(skin, "art", 3, 0, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_inspect, gltf, "--picture", skin, NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, gltf, "--strip", skin, NULL, NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_sheet, w.hem, gltf, "-o", skin, NULL));
    hem_bytes art;
    ASSERT(hem_file_read(skin, &art, NULL) && art.size == 3);
    hem_bytes_free(&art);
    hem_file_remove(gltf, NULL);
    hem_file_remove(skin, NULL);
    snprintf(twisted, sizeof(twisted), "--plot=%s/./%s", folder, hem_path_name(w.out));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--seconds=0.1", "--strip", w.out, twisted));
    ASSERT(!hem_file_exists(w.out));
#ifndef _WIN32
    ASSERT_EQ(COMMAND_OK, call(command_play, w.hem, "--seconds=0.1", "--strip=/dev/null", "--plot=/dev/null", NULL));
#endif
    ASSERT(hem_file_read(w.hem, &after, NULL));
    ASSERT(before.size == after.size && memcmp(before.data, after.data, after.size) == 0);
    hem_bytes_free(&before);
    hem_bytes_free(&after);
    end(&w);
    PASS();
}

TEST folders_are_made(void) {
    work w;
    ASSERT(begin(&w));
    char path[700], folder[600];
    snprintf(folder, sizeof(folder), "%s/deep", w.out);
    snprintf(path, sizeof(path), "%s/p.png", folder);
    ASSERT_EQ(COMMAND_OK, call(command_inspect, w.hem, "--picture", path, NULL, NULL));
    ASSERT(is_png(path));
    hem_file_remove(path, NULL);
    ASSERT(hem_directory_remove(folder, NULL) && hem_directory_remove(w.out, NULL));
    end(&w);
    PASS();
}

#if HAS_DUP
// A name in a file may be anything; what is printed of it moves no cursor and paints nothing.
TEST names_cannot_speak_to_the_terminal(void) {
    uint8_t* data;
    size_t size = fixture_make(&data, true);
    static const char evil[2][8] = {"\x1b[2Jxxx", "\x1b[1x\xc2\x9b"}; // as long as the names they replace
    static const char* const names[2] = {"curtain", "swing"};
    int found = 0;
    for (int n = 0; n < 2; n++) {
        size_t length = strlen(names[n]);
        for (size_t i = 0; i + length < size; i++) {
            if (memcmp(data + i, names[n], length + 1) == 0) {
                memcpy(data + i, evil[n], length);
                found |= 1 << n;
            }
        }
    }
    ASSERT_EQ(3, found);
    char path[512], out[512];
    ASSERT(fixture_write(path, sizeof(path), data, size, ".hem"));
    ASSERT(hem_file_temp_name(out, sizeof(out), "hem_said"));
    free(data);
    const char* calls[][4] = {{path, NULL, NULL}, {path, "--json", NULL}, {"\x1b[3m.hem", NULL, NULL}};
    for (int i = 0; i < 3; i++) {
        fflush(stdout);
        fflush(stderr);
        int saved[2] = {dup(1), dup(2)}, file = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(file, 1);
        dup2(file, 2);
        char* argv[] = {"command", (char*)calls[i][0], (char*)calls[i][1], (char*)calls[i][2]};
        (void)(i == 2 ? command_play : command_inspect)(i == 1 ? 3 : 2, argv);
        fflush(stdout);
        fflush(stderr);
        dup2(saved[0], 1);
        dup2(saved[1], 2);
        close(saved[0]);
        close(saved[1]);
        close(file);
        hem_bytes said;
        ASSERT(hem_file_read(out, &said, NULL));
        ASSERTm("a raw escape", memchr(said.data, 0x1b, said.size) == NULL);
        ASSERTm("a raw C1 code", strstr((char*)said.data, "\xc2\x9b") == NULL);
        ASSERT(strstr((char*)said.data, i == 1 ? "\\u001b[2J" : i == 0 ? "\\x1b[2J" : "\\x1b[3m") != NULL);
        hem_bytes_free(&said);
    }
    hem_file_remove(path, NULL);
    hem_file_remove(out, NULL);
    PASS();
}
#endif

TEST damaged_files_are_found(void) {
    uint8_t* data;
    size_t size = fixture_make(&data, true);
    char path[512];
    data[size / 2] ^= 1; // in the middle of a section
    ASSERT(fixture_write(path, sizeof(path), data, size, ".hem"));
    ASSERT_EQ(COMMAND_VALIDATION, call(command_inspect, path, "--validate", NULL, NULL, NULL));
    ASSERT_EQ(COMMAND_VALIDATION, call(command_play, path, "--seconds=0.1", NULL, NULL, NULL));
    ASSERT_EQ(COMMAND_VALIDATION, call(command_sheet, path, "-o", "sheet.png", NULL, NULL));
    hem_file_remove(path, NULL);
    data[size / 2] ^= 1;
    ASSERT(fixture_write(path, sizeof(path), data, size - 64, ".hem")); // cut off
    ASSERT_EQ(COMMAND_VALIDATION, call(command_inspect, path, NULL, NULL, NULL, NULL));
    hem_file_remove(path, NULL);
    memcpy(data, "GIF89a--", 8);
    ASSERT(fixture_write(path, sizeof(path), data, size, ".hem")); // something else
    ASSERT_EQ(COMMAND_INPUT, call(command_inspect, path, NULL, NULL, NULL, NULL));
    hem_file_remove(path, NULL);
    ASSERT(fixture_write(path, sizeof(path), data, size, ".glb"));
    ASSERT_EQ(COMMAND_INPUT, call(command_play, path, "--recipe", "no_such_recipe.json", NULL, NULL));
    hem_file_remove(path, NULL);
    free(data);
    PASS();
}

TEST good_calls_write_what_was_asked(void) {
    work w;
    ASSERT(begin(&w));
    ASSERT_EQ(COMMAND_OK, call(command_inspect, w.hem, "--validate", NULL, NULL, NULL));
    ASSERT_EQ(COMMAND_OK, call(command_inspect, w.hem, "--picture", w.out, NULL, NULL));
    ASSERT(is_png(w.out));
    ASSERT_EQ(COMMAND_OK, call(command_inspect, w.ship, "--json", NULL, NULL, NULL));
    ASSERT_EQ(COMMAND_OK, call(command_play, w.hem, "--seconds=0.3", "--size=64x48", "--strip", w.out));
    ASSERT(is_png(w.out));
    ASSERT_EQ(COMMAND_OK, call(command_play, w.hem, "--seconds=0.3", "--overlay=crossings", "--strip", w.out));
    ASSERT_EQ(COMMAND_OK, call(command_play, w.hem, "--seconds=0.3", "--overlay=body", "--strip", w.out));
    ASSERT_EQ(COMMAND_OK, call(command_play, w.hem, "--seconds=0.3", "--unseen", "--json", NULL));
    ASSERT_EQ(COMMAND_OK, call(command_play, w.hem, "--seconds=0.3", "--compare=off,on", "--plot", w.out));
    ASSERT(is_png(w.out));
    ASSERT_EQ(COMMAND_OK, call(command_play, w.hem, "--seconds=0.3", "--size=64x48", "--film", w.out));
    ASSERT(is_png(w.out));
    ASSERT_EQ(COMMAND_OK, call(command_play, w.hem, "--seconds=0.3", "--from=0.2", "--view=1,-0.2,0.4", "--small"));
    ASSERT_EQ(COMMAND_OK, call(command_sheet, w.hem, "-o", w.out, "--across=2", "--small"));
    ASSERT(is_png(w.out));
    ASSERT_EQ(COMMAND_OK, call(command_sheet, w.hem, "-o", w.out, NULL, NULL));
    ASSERT(is_png(w.out));
    ASSERT_EQ(COMMAND_OK, call(command_figure, "field", w.hem, "-o", w.out, "--axis=x"));
    ASSERT(is_png(w.out));
    end(&w);
    PASS();
}

TEST poses_between_frames_keep_joints_on_their_way(void) {
    work w;
    ASSERT(begin(&w));
    asset a;
    ASSERT_EQ(COMMAND_OK, asset_load(&a, w.hem, NULL));
    ASSERT(a.hash_matches);
    float pose[24];
    // Straight motion: exact at frames, linear between them, repeating after one second.
    for (int32_t i = 0; i < 120; i++) {
        float seconds = (float)i / 60.0f;
        asset_pose(&a, 0, seconds, pose);
        double frame = fmod((double)i * 0.5, FIXTURE_SWING_FRAMES - 1), low = floor(frame);
        double step = 6.283185307179586 / (FIXTURE_SWING_FRAMES - 1);
        double expected = 0.2 * (sin(step * low) * (1.0 - (frame - low)) + sin(step * (low + 1.0)) * (frame - low));
        ASSERT_IN_RANGE(expected, pose[12 + 3], 1e-4);
    }
    // Turning by 45 degrees a frame: half way, the rotation is still a rotation, and the joint stays where it is.
    for (int32_t i = 0; i < 16; i++) {
        asset_pose(&a, 1, (float)i * 0.05f, pose);
        const float* m = pose + 12;
        double angle = 6.283185307179586 * i / 16.0;
        ASSERT_IN_RANGE(cos(angle), m[0], 1e-3);
        ASSERT_IN_RANGE(sin(angle), m[2], 1e-3);
        ASSERT_IN_RANGE(1.0, m[0] * m[0] + m[8] * m[8], 1e-5);
        ASSERT_IN_RANGE(0.0, m[7], 1e-5);
    }
    // A clip that does not loop holds its last frame.
    asset_pose(&a, 1, 50.0f, pose);
    ASSERT_IN_RANGE(1.0, pose[12], 1e-5);
    asset_unload(&a);
    end(&w);
    PASS();
}

TEST clips_loop_as_they_are_told(void) {
    work w;
    ASSERT(begin(&w));
    asset a;
    ASSERT_EQ(COMMAND_OK, asset_load(&a, w.hem, NULL));
    float last[24], pose[24];
    for (int32_t clip = 0; clip < 2; clip++) {
        const float seconds = asset_clip_seconds(&a, clip);
        asset_make_loop(&a, clip, false);
        asset_pose(&a, clip, seconds, last);
        asset_pose(&a, clip, 1.3f * seconds, pose);
        ASSERT_EQ(0, memcmp(last, pose, sizeof(pose)));
        asset_make_loop(&a, clip, true);
        ASSERT(asset_clip_loops(&a, clip));
        asset_pose(&a, clip, 0.3f * seconds, last);
        asset_pose(&a, clip, 1.3f * seconds, pose);
        for (int32_t k = 0; k < 24; k++) {
            ASSERT_IN_RANGE(last[k], pose[k], 1e-4);
        }
    }
    asset_unload(&a);
    end(&w);
    PASS();
}

// The fixture has a cloth of 98 triangles and a post of 12.
TEST meshes_are_hidden_by_name(void) {
    work w;
    ASSERT(begin(&w));
    asset a;
    puppet p;
    ASSERT_EQ(COMMAND_OK, asset_load(&a, w.hem, NULL));
    ASSERT(puppet_create(&p, &a));
    static const bool hidden[3][2] = {{false, true}, {true, false}, {true, true}};
    static const int32_t triangles[3] = {98, 12, 0};
    for (int32_t i = 0; i < 3; i++) {
        drawing d = {0};
        p.hidden = hidden[i];
        puppet_draw(&p, PUPPET_PLAIN, &d);
        int32_t drawn = 0;
        for (int32_t k = 0; k < d.mesh_count; k++) {
            drawn += d.meshes[k].triangle_count;
        }
        ASSERT_EQ(triangles[i], drawn);
        drawing_destroy(&d);
    }
    puppet_destroy(&p);
    asset_unload(&a);
    ASSERT_EQ(COMMAND_OK, call(command_play, w.hem, "--seconds=0.1", "--unseen", "--hide=curtain", "--only=post"));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--seconds=0.1", "--unseen", "--hide=clooth", NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--seconds=0.1", "--unseen", "--only=,", NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--seconds=0.1", "--loop", "--once", NULL));
    end(&w);
    PASS();
}

#if HAS_DUP
// What `hem play --json` prints of a run with those options.
static cJSON* play_json(work* w, const char* a, const char* b) {
    written_to = w->out;
    int code = call(command_play, w->hem, "--json", "--unseen", a, b);
    written_to = "/dev/null";
    hem_bytes text;
    if (code != COMMAND_OK || !hem_file_read(w->out, &text, NULL)) {
        return NULL;
    }
    cJSON* j = cJSON_ParseWithLength((const char*)text.data, text.size);
    hem_bytes_free(&text);
    return j;
}

static double value_of(const cJSON* run, const char* name) {
    const cJSON* item = cJSON_GetObjectItem(run, name);
    return cJSON_IsNumber(item) ? item->valuedouble : -1e30;
}

static const char* hash_of(const cJSON* j, int run) {
    return cJSON_GetStringValue(
        cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(j, "runs"), run), "state_hash"));
}
#endif

// The same run by hand: speeds and energy from the particles of every frame, masses from the file.
TEST play_prints_what_the_particles_did(void) {
#if HAS_DUP
    work w;
    ASSERT(begin(&w));
    cJSON* j = play_json(&w, "--seconds=0.5", "--wind=0,0,3");
    ASSERT(j != NULL);
    const cJSON* particles_of = cJSON_GetObjectItem(j, "particles");
    ASSERT_EQ(FIXTURE_SIDE * (FIXTURE_SIDE - 1), (int)value_of(particles_of, "simulated"));
    ASSERT_EQ(FIXTURE_SIDE, (int)value_of(particles_of, "attached"));
    ASSERT_EQ(8, (int)value_of(particles_of, "body"));
    asset a;
    ASSERT_EQ(COMMAND_OK, asset_load(&a, w.hem, NULL));
    player_setup setup = player_setup_default(&a);
    setup.wind[2] = 3.0f;
    player live;
    ASSERT_EQ(COMMAND_OK, player_begin(&live, &setup));
    double fastest = 0, energy_most = 0;
    for (int32_t frame = 0; frame <= 30; frame++) {
        player_frame f;
        ASSERT_EQ(COMMAND_OK, player_step(&live, false, &f));
        double energy = 0;
        for (uint32_t i = 0; frame > 0 && i < a.view.info->particle_count; i++) {
            if (a.view.particle_flags[i] & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED)) {
                continue;
            }
            const float* v = live.puppet.particles[i].velocity;
            const double square = (double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2];
            energy += 0.5 * (double)a.view.rest_rows[i / 8].mass[i % 8] * square;
            fastest = fmax(fastest, sqrt(square));
        }
        energy_most = fmax(energy_most, energy);
    }
    const cJSON* run = cJSON_GetArrayItem(cJSON_GetObjectItem(j, "runs"), 0);
    ASSERT_EQ(30, (int)value_of(run, "frames"));
    ASSERT(fastest > 0.05);
    ASSERT_IN_RANGE(fastest, value_of(run, "speed_max"), 1e-5 * fastest);
    ASSERT_IN_RANGE(energy_most, value_of(run, "kinetic_energy_max"), 1e-4 * energy_most);
    char hash[24];
    snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)hem_scene_hash(live.scene));
    ASSERT_STR_EQ(hash, hash_of(j, 0));
    player_end(&live);
    asset_unload(&a);
    cJSON_Delete(j);
    end(&w);
    PASS();
#else
    SKIPm("needs dup2");
#endif
}

// A comparison compares: kernels agree, and what changes the physics changes the state.
// The table's top is a disk of 30 cm, from 66 to 70 cm.
static bool is_in_the_table(const float p[3]) {
    return p[1] > 0.66f && p[1] < 0.6999f && sqrtf(p[0] * p[0] + p[2] * p[2]) < 0.3f * cosf(3.1415927f / 64.0f) - 1e-4f;
}

// A hundred particles: their skin cuts through the edge, what is drawn does not.
TEST cloth_is_drawn_as_it_lies_on_a_mesh(void) {
    play p;
    memset(&p, 0, sizeof(p));
    ASSERT_EQ(COMMAND_OK, asset_load_whole(&p.source, "build/test_assets/drape_round.hem", NULL));
    const hem_view* v = &p.source.view;
    bool taken[2] = {false, false};
    ASSERT_EQ(2, v->mesh_count);
    for (uint32_t i = 0; i < 2; i++) {
        taken[i] = strstr(asset_text(&p.source, v->meshes[i].name_offset), "thing") != NULL;
    }
    ASSERT_EQ(COMMAND_OK, play_build_mesh(&p, taken));
    uint32_t inside[2] = {0, 0};
    for (int32_t with = 0; with < 2; with++) {
        player_setup s = player_setup_default(&p.source);
        player live;
        player_frame frame;
        s.mesh = with ? &p.mesh : NULL;
        ASSERT_EQ(COMMAND_OK, player_begin(&live, &s));
        for (int32_t i = 0; i < 120; i++) {
            ASSERT_EQ(COMMAND_OK, player_step(&live, false, &frame));
        }
        const puppet_refined* r = &live.puppet.refined;
        ASSERT_EQ(with, r->faces.vertex_count > 30);
        ASSERT_EQ(0, r->faces.dropped_count);
        for (uint32_t i = 0; with && i < 3 * r->faces.triangle_count; i++) {
            const float* a = r->positions + 3 * (size_t)r->faces.indices[i];
            const float* b = r->positions + 3 * (size_t)r->faces.indices[i % 3 == 2 ? i - 2 : i + 1];
            for (int32_t k = 0; k < 20; k++) {
                const float t = (float)k / 20.0f,
                            at[3] = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])};
                inside[1] += is_in_the_table(at);
            }
        }
        const uint32_t* skin = v->preview_indices;
        for (uint32_t i = 0; with && i < v->preview_index_count; i++) {
            const float* a = live.puppet.positions + 3 * (size_t)skin[i];
            const float* b = live.puppet.positions + 3 * (size_t)skin[i % 3 == 2 ? i - 2 : i + 1];
            const float at[3] = {0.5f * (a[0] + b[0]), 0.5f * (a[1] + b[1]), 0.5f * (a[2] + b[2])};
            inside[0] += v->vertex_bind[skin[i]].blend > 0 && is_in_the_table(at);
            // In its place: what is left of the part's own triangles has no area.
            const uint32_t* left = r->others + i - i % 3;
            ASSERT(v->vertex_bind[skin[i]].blend == 0 || left[0] == left[1]);
        }
        player_end(&live);
    }
    ASSERT(inside[0] > 10);
    ASSERT_EQ(0, inside[1]);
    free(p.mesh_bytes);
    asset_unload(&p.source);
    PASS();
}

TEST compared_runs_differ_where_they_should(void) {
#if HAS_DUP
    static const struct {
        const char* option;
        bool same;
    } cases[] = {{"--compare=scalar,on", true}, {"--compare=direct,momentum", false}, {"--compare=off,on", false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        work w;
        ASSERT(begin(&w));
        cJSON* j = play_json(&w, "--seconds=0.3", cases[i].option);
        ASSERT(j != NULL);
        ASSERT_EQ(2, cJSON_GetArraySize(cJSON_GetObjectItem(j, "runs")));
        ASSERT_EQ(cases[i].same, strcmp(hash_of(j, 0), hash_of(j, 1)) == 0);
        cJSON_Delete(j);
        end(&w);
    }
    PASS();
#else
    SKIPm("needs dup2");
#endif
}

TEST links_are_those_of_the_grid(void) {
    work w;
    ASSERT(begin(&w));
    asset a;
    ASSERT_EQ(COMMAND_OK, asset_load(&a, w.hem, NULL));
    uint32_t count = asset_link_count(&a);
    ASSERT_EQ(7u * 7u + 8u * 7u, count);
    asset_link* links = malloc(sizeof(asset_link) * count);
    asset_links(&a, links);
    uint32_t warp = 0;
    for (uint32_t i = 0; i < count; i++) {
        int32_t column[2] = {(int32_t)links[i].a / 8, (int32_t)links[i].b / 8},
                level[2] = {(int32_t)links[i].a % 8, (int32_t)links[i].b % 8};
        bool along = links[i].kind == HEM_LINK_WARP;
        warp += along;
        ASSERT_EQ(along ? 0 : 1, column[1] - column[0]);
        ASSERT_EQ(along ? 1 : 0, level[1] - level[0]);
        ASSERT_EQ(FIXTURE_SPACING, links[i].rest);
        for (uint32_t k = 0; k < i; k++) {
            ASSERT(links[k].a != links[i].a || links[k].b != links[i].b);
        }
    }
    asset_part_counts counts = asset_count_part(&a, 1);
    ASSERT_EQ(warp, counts.links[HEM_LINK_WARP]);
    ASSERT_EQ(56u, counts.simulated);
    ASSERT_EQ(8u, counts.attached);
    ASSERT_EQ(8u, asset_count_part(&a, 0).body);
    free(links);
    asset_unload(&a);
    end(&w);
    PASS();
}

TEST two_runs_end_in_the_same_state(void) {
    work w;
    ASSERT(begin(&w));
    asset a;
    ASSERT_EQ(COMMAND_OK, asset_load(&a, w.hem, NULL));
    uint64_t hashes[2] = {0};
    for (int32_t i = 0; i < 2; i++) {
        player_setup setup = player_setup_default(&a);
        setup.wind[2] = 2.0f;
        player live;
        ASSERT_EQ(COMMAND_OK, player_begin(&live, &setup));
        player_frame frame;
        for (int32_t k = 0; k < 60; k++) {
            ASSERT_EQ(COMMAND_OK, player_step(&live, i == 0, &frame)); // measuring must not disturb
        }
        ASSERT_IN_RANGE(59.0f / 60.0f, frame.seconds, 1e-6f);
        // The attached level is where the pose has it.
        asset_pose(&a, 0, frame.seconds, live.pose);
        float place = live.puppet.particles[8].position[0] - (-3.5f * FIXTURE_SPACING);
        ASSERT_IN_RANGE(live.pose[12 + 3], place, 1e-5f);
        hashes[i] = hem_scene_hash(live.scene);
        player_end(&live);
    }
    ASSERT_EQ(hashes[0], hashes[1]);
    asset_unload(&a);
    end(&w);
    PASS();
}

// A push of 2 m/s along x, in free fall: the loose end of the curtain, which nothing holds back yet, has that speed at the
// end of the push, but for what the cloth and the air take away.
TEST thrown_parts_get_their_speed(void) {
    work w;
    ASSERT(begin(&w));
    asset a;
    ASSERT_EQ(COMMAND_OK, asset_load(&a, w.hem, NULL));
    player_setup setup = player_setup_default(&a);
    setup.throw_velocity[1][2] = 2.0f;
    player live;
    ASSERT_EQ(COMMAND_OK, player_begin(&live, &setup));
    player_frame frame;
    for (int32_t k = 0; k <= 6; k++) { // 0.1 s at 60 Hz
        ASSERT_EQ(COMMAND_OK, player_step(&live, false, &frame));
    }
    ASSERT_IN_RANGE(1.9f, live.puppet.particles[4 * 8 + 7].velocity[2], 0.15f);
    ASSERT_IN_RANGE(0.0f, live.puppet.particles[4 * 8].velocity[2], 1e-4f); // attached
    player_end(&live);
    asset_unload(&a);
    end(&w);
    PASS();
}

// A run at 3 m/s that starts from rest at time 0 is a blow to the cloth. Settling brings the curtain up to that speed
// before: all of it then travels with the runner, give or take the swing that the start left in it.
TEST settling_brings_a_runner_up_to_speed(void) {
    work w;
    ASSERT(begin(&w));
    asset a;
    ASSERT_EQ(COMMAND_OK, asset_load(&a, w.hem, NULL));
    for (int32_t settles = 0; settles < 2; settles++) {
        player_setup setup = player_setup_default(&a);
        setup.velocity[2] = 3.0f;
        setup.settle_seconds = settles ? 0.5f : 0.0f;
        player live;
        ASSERT_EQ(COMMAND_OK, player_begin(&live, &setup));
        player_frame frame;
        ASSERT_EQ(COMMAND_OK, player_step(&live, false, &frame));
        float mean = 0.0f;
        for (int32_t i = 0; i < 56; i++) {
            mean += live.puppet.particles[16 + i].velocity[2] / 56.0f;
        }
        ASSERT_IN_RANGE(settles ? 3.0f : 0.0f, mean, 0.5f);
        player_end(&live);
    }
    asset_unload(&a);
    end(&w);
    PASS();
}

// From one clip to another in a quarter of a second, half way after an eighth, and from 3 m/s to standing.
TEST a_runner_stops_in_another_clip(void) {
    work w;
    ASSERT(begin(&w));
    asset a;
    ASSERT_EQ(COMMAND_OK, asset_load(&a, w.hem, NULL));
    player_setup setup = player_setup_default(&a);
    setup.hz = 40.0f;
    setup.velocity[2] = 3.0f;
    setup.settle_seconds = 0.5f;
    setup.then_clip = 1;
    setup.then_seconds = 0.5f;
    player live;
    ASSERT_EQ(COMMAND_OK, player_begin(&live, &setup));
    for (int32_t i = 0; i <= 200; i++) {
        float from[24], to[24], expected[24], seconds = (float)i / setup.hz, since = seconds - setup.then_seconds;
        player_frame frame;
        ASSERT_EQ(COMMAND_OK, player_step(&live, false, &frame));
        asset_pose(&a, 0, seconds, from);
        asset_pose(&a, 1, since > 0.0f ? since : 0.0f, to);
        float share = since <= 0.0f ? 0.0f : since >= 0.25f ? 1.0f : since / 0.25f;
        asset_mix_poses(&a, from, to, share, expected);
        for (int32_t k = 0; k < 24; k++) {
            ASSERT_IN_RANGE(expected[k], live.pose[k], 1e-5f);
        }
        float mean = 0.0f;
        for (int32_t k = 0; k < 56; k++) {
            mean += live.puppet.particles[16 + k].velocity[2] / 56.0f;
        }
        ASSERT(i != 20 || (mean > 2.0f && mean < 4.0f));
        ASSERT(i != 200 || (mean > -0.3f && mean < 0.3f));
    }
    player_end(&live);
    asset_unload(&a);
    ASSERT_EQ(COMMAND_OK, call(command_play, w.hem, "--seconds=0.3", "--then", "turn@0.1", NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--seconds=0.3", "--then", "turn", NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--seconds=0.3", "--then", "dance@0.1", NULL));
    ASSERT_EQ(COMMAND_USAGE, call(command_play, w.hem, "--seconds=0.3", "--then", "turn@soon", NULL));
    end(&w);
    PASS();
}

// The post's particles are ellipsoids of half axes 0.04 (outward, z) and 0.06; cut by x = 0 through their middles.
TEST sections_span_what_they_cut(void) {
    work w;
    ASSERT(begin(&w));
    asset a;
    ASSERT_EQ(COMMAND_OK, asset_load(&a, w.hem, NULL));
    puppet p;
    ASSERT(puppet_create(&p, &a));
    section s = section_make(0, 0.0f);
    ASSERT(section_fit(&s, &p, 0.0f));
    ASSERT_IN_RANGE(0.2f - 0.06f, s.low[1], 1e-3f);
    ASSERT_IN_RANGE(FIXTURE_TOP, s.high[1], 0.03f);
    ASSERT_IN_RANGE(0.15f + 0.04f, s.high[0], 1e-3f); // z runs to the left as seen from +x
    section above = section_make(1, 5.0f);
    ASSERT_FALSE(section_fit(&above, &p, 0.0f));
    puppet_destroy(&p);
    asset_unload(&a);
    end(&w);
    PASS();
}

static double number_of(const cJSON* record, const char* key) {
    const cJSON* value = cJSON_GetObjectItemCaseSensitive(record, key);
    return cJSON_IsNumber(value) ? value->valuedouble : NAN;
}

// A sheet of 20 x 20 has 2 * 20 * 19 links along its sides, 2 * 19 * 19 over diagonals and 2 * 20 * 18 over two rings, each
// projected four times a frame.
TEST the_benchmark_writes_what_it_measured(void) {
    static const char* const names[3] = {"sheet-400", "sheet-400-capsules", "sheet-400-self"};
    const double particles = 400, projections = 4 * (2 * 20 * 19 + 2 * 19 * 19 + 2 * 20 * 18);
    char path[512], json[600];
    ASSERT(hem_file_temp_name(path, sizeof(path), "hem_bench"));
    snprintf(json, sizeof(json), "--json=%s", path);
    ASSERT_EQ(COMMAND_OK, call(hem_bench_main, "--alone", "--only=sheet-400", "--frames=20", json, NULL));
    hem_bytes text;
    ASSERT(hem_file_read(path, &text, NULL));
    hem_file_remove(path, NULL);
    cJSON* results = cJSON_ParseWithLength((const char*)text.data, text.size);
    hem_bytes_free(&text);
    ASSERT(cJSON_IsArray(results));
    ASSERT_EQ(3, cJSON_GetArraySize(results));
    for (int i = 0; i < 3; i++) {
        const cJSON* r = cJSON_GetArrayItem(results, i);
        ASSERT_STR_EQ(names[i], cJSON_GetObjectItemCaseSensitive(r, "workload")->valuestring);
        ASSERT_STR_EQ("hem", cJSON_GetObjectItemCaseSensitive(r, "contestant")->valuestring);
        double median = number_of(r, "median_ms"), best = number_of(r, "best_ms");
        ASSERT(best > 0 && best <= median && median <= number_of(r, "p99_ms"));
        ASSERT_IN_RANGE(particles, median * 1e6 / number_of(r, "ns_per_particle"), 1e-3 * particles);
        ASSERT_IN_RANGE(projections, median * 1e6 / number_of(r, "ns_per_projection"), 1e-3 * projections);
        ASSERT(number_of(r, "bytes_per_particle") > number_of(r, "state_bytes_per_particle"));
        ASSERT(!(number_of(r, "allocations_per_frame") > 0)); // null where they cannot be counted
        ASSERT(number_of(r, "stretch_mean") < 0.05 && number_of(r, "stretch_max") >= number_of(r, "stretch_mean"));
        ASSERT(i == 0 ? isnan(number_of(r, "deep")) : number_of(r, "deep") == 0);
        ASSERT_IN_RANGE(0.95, number_of(r, "lane_fill"), 0.05);
    }
    cJSON_Delete(results);
    ASSERT_EQ(COMMAND_USAGE, call(hem_bench_main, "--only=no-such-workload", "--alone", NULL, NULL, NULL));
    PASS();
}

TEST misspelt_words_find_their_neighbour(void) {
    static const char* const words[] = {"--clip", "--seconds", "--overlay"};
    ASSERT_STR_EQ("--seconds", option_nearest("--secnds", words, 3));
    ASSERT_STR_EQ("--overlay", option_nearest("--overlays", words, 3));
    ASSERT(option_nearest("--something-else", words, 3) == NULL);
    PASS();
}

SUITE(command_suite);
SUITE(command_suite) {
    RUN_TEST(wrong_calls_have_their_exit_codes);
    RUN_TEST(no_output_is_an_input);
    RUN_TEST(folders_are_made);
#if HAS_DUP
    RUN_TEST(names_cannot_speak_to_the_terminal);
#endif
    RUN_TEST(damaged_files_are_found);
    RUN_TEST(good_calls_write_what_was_asked);
    RUN_TEST(poses_between_frames_keep_joints_on_their_way);
    RUN_TEST(clips_loop_as_they_are_told);
    RUN_TEST(meshes_are_hidden_by_name);
    RUN_TEST(play_prints_what_the_particles_did);
    RUN_TEST(cloth_is_drawn_as_it_lies_on_a_mesh);
    RUN_TEST(compared_runs_differ_where_they_should);
    RUN_TEST(links_are_those_of_the_grid);
    RUN_TEST(two_runs_end_in_the_same_state);
    RUN_TEST(thrown_parts_get_their_speed);
    RUN_TEST(settling_brings_a_runner_up_to_speed);
    RUN_TEST(a_runner_stops_in_another_clip);
    RUN_TEST(sections_span_what_they_cut);
    RUN_TEST(misspelt_words_find_their_neighbour);
    RUN_TEST(the_benchmark_writes_what_it_measured);
}
