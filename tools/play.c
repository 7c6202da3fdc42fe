// SPDX-License-Identifier: MIT
#include "tools/play.h"
#include "tools/command.h"
#include "tools/options.h"
#include "hem/budget.h"
#include "platform/terminal.h"
#include "platform/file.h"
#include "platform/math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// `hem play`: simulates a clip, says what it cost and how well it held, and draws it as a strip, a film or curves.
//
// A run is played twice: first to measure it and to find the box that holds all its frames, so that the camera stands still,
// then to draw it. Both must end in the same state; if they do not, that is a fault of the runtime and is said.

enum { FRAMES_MAX = 36000 };

static const play_variant VARIANTS[] = {
    {"on", "with physics", 1.0f, -1, 0, HEM_KERNEL_AUTO, 0},
    {"off", "skeleton only", 0.0f, -1, 0, HEM_KERNEL_AUTO, 0},
    {"direct", "direct", 1.0f, 0, 0, HEM_KERNEL_AUTO, 0},
    {"momentum", "momentum conserving", 1.0f, 1, 0, HEM_KERNEL_AUTO, 0},
    {"continuous", "with continuous handling", 1.0f, -1, 0, HEM_KERNEL_AUTO, 0},
    {"no-continuous", "without continuous handling", 1.0f, -1, HEM_FEATURE_CONTINUOUS, HEM_KERNEL_AUTO, 0},
    {"surface", "with surface particles", 1.0f, -1, 0, HEM_KERNEL_AUTO, 0},
    {"no-surface", "without surface particles", 1.0f, -1, HEM_FEATURE_SURFACE, HEM_KERNEL_AUTO, 0},
    {"no-contacts", "without particle contacts", 1.0f, -1, HEM_FEATURE_PARTICLE_CONTACTS | HEM_FEATURE_CONTINUOUS,
     HEM_KERNEL_AUTO, 0},
    {"no-colliders", "without colliders", 1.0f, -1, HEM_FEATURE_COLLIDERS, HEM_KERNEL_AUTO, 0},
    {"no-tethers", "without tethers", 1.0f, -1, HEM_FEATURE_TETHERS, HEM_KERNEL_AUTO, 0},
    {"no-limits", "without motion limits", 1.0f, -1, HEM_FEATURE_LIMITS, HEM_KERNEL_AUTO, 0},
    {"scalar", "scalar kernel", 1.0f, -1, 0, HEM_KERNEL_SCALAR, 0},
    {"sse2", "SSE2 kernel", 1.0f, -1, 0, HEM_KERNEL_SSE2, 0},
    {"avx2", "AVX2 kernel", 1.0f, -1, 0, HEM_KERNEL_AVX2, 0},
    {"neon", "NEON kernel", 1.0f, -1, 0, HEM_KERNEL_NEON, 0},
    {"full", "level full", 1.0f, -1, 0, HEM_KERNEL_AUTO, HEM_LEVEL_FULL + 1},
    {"light", "level light", 1.0f, -1, 0, HEM_KERNEL_AUTO, HEM_LEVEL_LIGHT + 1},
    {"coarse", "level coarse", 1.0f, -1, 0, HEM_KERNEL_AUTO, HEM_LEVEL_COARSE + 1},
    {"half", "level half", 1.0f, -1, 0, HEM_KERNEL_AUTO, HEM_LEVEL_HALF + 1},
    {"quarter", "level quarter", 1.0f, -1, 0, HEM_KERNEL_AUTO, HEM_LEVEL_QUARTER + 1},
};
enum { VARIANT_COUNT = sizeof(VARIANTS) / sizeof(VARIANTS[0]) };

static const char* const OVERLAYS[] = {"none",     "ellipsoids", "links",     "stretch",
                                       "contacts", "blend",      "crossings", "body"};
static const puppet_overlay OVERLAY_KINDS[] = {PUPPET_PLAIN,    PUPPET_ELLIPSOIDS, PUPPET_LINKS,     PUPPET_STRETCH,
                                               PUPPET_CONTACTS, PUPPET_BLEND,      PUPPET_CROSSINGS, PUPPET_BODY_SHAPE};
static const char* const KERNELS[] = {"auto", "scalar", "sse2", "avx2", "neon"};
static const char* const LEVELS[HEM_LEVEL_COUNT] = {"full", "light", "coarse", "half", "quarter", "frozen", "pose"};
static const hem_kernel KERNEL_KINDS[] = {HEM_KERNEL_AUTO, HEM_KERNEL_SCALAR, HEM_KERNEL_SSE2, HEM_KERNEL_AVX2,
                                          HEM_KERNEL_NEON};

const char* play_clip_name(const play* p) {
    return asset_clip_name(&p->source, p->clip);
}

void play_describe(const play* p, char* text, size_t size) {
    char raw[512];
    snprintf(raw, sizeof(raw), "%s, %s, %g Hz", hem_path_name(p->source.path), play_clip_name(p), (double)p->hz);
    hem_printable(text, size, raw);
}

int play_compare_floats(const void* a, const void* b) {
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y); // only the order of values is used, equal ones cannot be told apart
}

// -- Measuring

void play_shift_box(float box_min[3], float box_max[3], const float centre[2], float sign) {
    for (int32_t k = 0; k < 2; k++) {
        box_min[2 * k] += sign * centre[k];
        box_max[2 * k] += sign * centre[k];
    }
}

int32_t play_first_frame(const play* p, const play_run* r) {
    int32_t last = r->frame_count - 1, first = (int32_t)(p->from * p->hz + 0.5f);
    return first < last ? first : last;
}

static int measure_run(play* p, play_run* r, int32_t index) {
    int32_t count = (int32_t)(p->seconds * p->hz + 0.5f) + 1;
    float(*boxes)[12] = malloc(sizeof(*boxes) * (size_t)count); // along the world's axes, then the picture's
    float axes[3][3];
    render_view_axes(p->direction, axes);
    r->frames = malloc(sizeof(player_frame) * (size_t)count);
    r->centres = calloc((size_t)count, sizeof(*r->centres));
    if (r->frames == NULL || r->centres == NULL || boxes == NULL) {
        free(boxes);
        return command_fail(COMMAND_INTERNAL, "no memory for %d frames", count);
    }
    player live;
    int code = p->unseen ? COMMAND_OK : watch_begin(&r->seen, &p->source);
    if (code == COMMAND_OK) {
        code = player_begin(&live, &r->setup);
    }
    if (code != COMMAND_OK) {
        free(boxes);
        return code;
    }
    r->scene_size = live.scene_size;
    r->kernel = hem_scene_kernel(live.scene);
    for (int32_t i = 0; code == COMMAND_OK && i < count; i++) {
        code = player_step(&live, true, &r->frames[i]);
        r->frame_count = i + 1;
        if (!p->unseen) {
            player_frame* f = &r->frames[i];
            watch_frame(&r->seen, &live.puppet, live.pose, f->seconds, i > 0 ? 1.0f / p->hz : 0.0f, &f->seen,
                        &f->alone);
        }
        render_box_empty(boxes[i], boxes[i] + 3);
        puppet_box(&live.puppet, boxes[i], boxes[i] + 3);
        render_box_empty(boxes[i] + 6, boxes[i] + 9);
        puppet_extent(&live.puppet, p->overlay, axes, boxes[i] + 6, boxes[i] + 9);
        puppet_centre(&live.puppet, r->centres[i]);
        hem_progress_show(&p->progress, "simulating%s%s: %.1f of %.1f s", p->run_count > 1 ? " " : "",
                          p->run_count > 1 ? p->runs[index].kind->name : "", (double)r->frames[i].seconds,
                          (double)p->seconds);
    }
    r->hash = hem_scene_hash(live.scene);
    player_end(&live);
    if (!p->follow && (p->still || !puppet_travels(&p->source, r->centres, r->frame_count))) {
        memset(r->centres, 0, sizeof(*r->centres) * (size_t)count);
    }
    render_box_empty(r->box_min, r->box_max);
    render_box_empty(r->view_min, r->view_max);
    for (int32_t i = 0; i < r->frame_count; i++) {
        const float* c = r->centres[i];
        play_shift_box(boxes[i], boxes[i] + 3, c, -1.0f);
        render_box_add(r->box_min, r->box_max, boxes[i], 2, 3 * sizeof(float));
        for (int32_t k = 0; k < 3 && i >= play_first_frame(p, r); k++) {
            float along = axes[k][0] * c[0] + axes[k][2] * c[1];
            r->view_min[k] = hem_minf(r->view_min[k], boxes[i][6 + k] - along);
            r->view_max[k] = hem_maxf(r->view_max[k], boxes[i][9 + k] - along);
        }
    }
    free(boxes);
    return code;
}

// The box of all frames of all runs. A run that flew apart must not shrink the character to a dot.
static void join_boxes(play* p) {
    render_box_empty(p->box_min, p->box_max);
    render_box_empty(p->view_min, p->view_max);
    float axes[3][3];
    render_view_axes(p->direction, axes);
    const hem_info* info = p->source.view.info;
    float size = 0.0f;
    for (int32_t k = 0; k < 3; k++) {
        size = hem_maxf(size, info->bounds_max[k] - info->bounds_min[k]);
    }
    for (int32_t i = 0; i < p->run_count; i++) {
        for (int32_t k = 0; k < 3; k++) {
            float low = hem_maxf(p->runs[i].box_min[k], info->bounds_min[k] - 4.0f * size);
            float high = hem_minf(p->runs[i].box_max[k], info->bounds_max[k] + 4.0f * size);
            p->box_min[k] = hem_minf(p->box_min[k], low);
            p->box_max[k] = hem_maxf(p->box_max[k], high);
        }
    }
    for (int32_t k = 0; k < 3; k++) {
        // What the box reaches along this axis, by its corners.
        float low = 0.0f, high = 0.0f;
        for (int32_t c = 0; c < 3; c++) {
            float a = axes[k][c] * p->box_min[c], b = axes[k][c] * p->box_max[c];
            low += hem_minf(a, b);
            high += hem_maxf(a, b);
        }
        for (int32_t i = 0; i < p->run_count; i++) {
            p->view_min[k] = hem_minf(p->view_min[k], hem_maxf(p->runs[i].view_min[k], low));
            p->view_max[k] = hem_maxf(p->view_max[k], hem_minf(p->runs[i].view_max[k], high));
        }
    }
}

// -- Command line

static int find_variants(play* p, const char* text) {
    const char* comma = strchr(text, ',');
    if (comma == NULL || strchr(comma + 1, ',') != NULL) {
        return command_fail(COMMAND_USAGE,
                            "--compare wants two names with a comma between, such as direct,momentum; not '%s'", text);
    }
    const char* parts[2] = {text, comma + 1};
    size_t lengths[2] = {(size_t)(comma - text), strlen(comma + 1)};
    const char* names[VARIANT_COUNT];
    for (int32_t i = 0; i < VARIANT_COUNT; i++) {
        names[i] = VARIANTS[i].name;
    }
    for (int32_t k = 0; k < 2; k++) {
        char name[32];
        snprintf(name, sizeof(name), "%.*s", (int)(lengths[k] < 31 ? lengths[k] : 31), parts[k]);
        int32_t index = 0;
        int code = option_choice("--compare", name, names, VARIANT_COUNT, &index);
        if (code != COMMAND_OK) {
            return code;
        }
        p->runs[k].kind = &VARIANTS[index];
    }
    p->run_count = 2;
    return COMMAND_OK;
}

// "A=0,0,3;B=0,0,-3": a velocity for each part that is named.
static int read_throws(const asset* a, const char* text, float velocity[HEM_MAX_PARTS][3]) {
    while (text != NULL && *text != 0) {
        const char* equals = strchr(text, '=');
        const char* stop = equals != NULL ? strchr(equals, ';') : NULL;
        size_t name_length = equals != NULL ? (size_t)(equals - text) : 0;
        char vector[96];
        size_t length = equals == NULL ? 0 : stop != NULL ? (size_t)(stop - equals - 1) : strlen(equals + 1);
        if (equals == NULL || length >= sizeof(vector)) {
            return command_fail(COMMAND_USAGE, "--throw wants PART=X,Y,Z, several with ';' between, not '%s'", text);
        }
        memcpy(vector, equals + 1, length);
        vector[length] = 0;
        bool found = false;
        for (uint32_t i = 0; i < a->view.info->part_count; i++) {
            const char* name = asset_text(a, a->view.parts[i].name_offset);
            if (strlen(name) == name_length && memcmp(name, text, name_length) == 0) {
                found = true;
                int code = option_vector("--throw", vector, velocity[i]);
                if (code != COMMAND_OK) {
                    return code;
                }
            }
        }
        if (!found) {
            return command_fail(COMMAND_USAGE, "'%s' has no part '%.*s'; 'hem inspect' lists them", a->path,
                                (int)name_length, text);
        }
        text = stop != NULL ? stop + 1 : NULL;
    }
    return COMMAND_OK;
}

static int run_play(play* p) {
    int code = COMMAND_OK;
    hem_progress_begin(&p->progress, stderr);
    for (int32_t i = 0; code == COMMAND_OK && i < p->run_count; i++) {
        code = measure_run(p, &p->runs[i], i);
    }
    if (code == COMMAND_OK) {
        join_boxes(p);
    }
    if (code == COMMAND_OK && p->strip_path != NULL) {
        code = play_write_strip(p);
    }
    if (code == COMMAND_OK && p->film_path != NULL) {
        code = play_write_film(p);
    }
    if (code == COMMAND_OK && p->plot_path != NULL) {
        code = play_write_plot(p);
    }
    hem_progress_end(&p->progress);
    if (code == COMMAND_OK) {
        if (p->as_json) {
            play_print_json(p);
        } else {
            play_print_summary(p);
        }
    }
    for (int32_t i = 0; i < p->run_count; i++) {
        free(p->runs[i].frames);
        free(p->runs[i].centres);
        watch_end(&p->runs[i].seen);
    }
    return code;
}

// The command line: words as they stand there, and what some of them say.
typedef struct play_words {
    const char *file, *recipe, *clip, *seconds, *hz, *wind, *gusts, *move, *throw, *settle, *substeps, *kernel,
        *compare, *view, *overlay, *frames, *from, *level, *film_hz, *size, *then, *hide, *only, *lattice_clip, *mesh;
    int32_t file_count;
    bool no_ground, loop, once;
    float wind_velocity[3], gust_share, velocity[3], settle_seconds;
    int32_t kernel_index, level_index, substep_count;
} play_words;

// Returns an exit code, or -1 to go on.
static int parse_words(int argc, char** argv, play* p, play_words* w) {
    const option options[] = {
        {"--recipe", "R.json", "when FILE is a glTF: compile it with this first", &w->recipe, NULL},
        {"--clip", "NAME",
         "which animation, or test, test-turn, -hop, -sway, -squat, -arms, -shake, -wind (default: the first)",
         &w->clip, NULL},
        {"--loop", NULL, "the clip begins again when it ends, whatever the file says of it", NULL, &w->loop},
        {"--once", NULL, "it does not, and holds its last pose", NULL, &w->once},
        {"--seconds", "S", "how long (default 5)", &w->seconds, NULL},
        {"--hz", "HZ", "frames a second (default 60)", &w->hz, NULL},
        {"--wind", "X,Y,Z", "m/s in the world", &w->wind, NULL},
        {"--gusts", "S", "gusts of this share of the wind, 0 to 10; behind the body there is less", &w->gusts, NULL},
        {"--move", "X,Y,Z", "m/s the character moves through the world", &w->move, NULL},
        {"--then", "CLIP@S", "goes over to another clip at S seconds, and stops", &w->then, NULL},
        {"--lattice-clip", "NAME", "a clip of a lattice itself; its bones stay where the pose has them",
         &w->lattice_clip, NULL},
        {"--throw", "P=X,Y,Z;...", "m/s given to parts at the start", &w->throw, NULL},
        {"--settle", "S", "hold the first pose this long before, speeding up to --move (default 0)", &w->settle, NULL},
        {"--substeps", "N", "per frame (default: the runtime's choice)", &w->substeps, NULL},
        {"--mesh", "NAME,...", "cloth lies on the triangles of these meshes, as they stand at rest", &w->mesh, NULL},
        {"--no-ground", NULL, "nothing to stand on", NULL, &w->no_ground},
        {"--kernel", "NAME", "auto, scalar, sse2, avx2 or neon", &w->kernel, NULL},
        {"--level", "NAME", "of a budget: full, light, coarse, half, quarter, frozen or pose (default: no budget)",
         &w->level, NULL},
        {"--compare", "A,B", "two runs: direct,momentum  off,on  no-surface,on  full,coarse ...", &w->compare, NULL},
        {"--view", "NAME", "front, side, back, quarter, rear, top, orbit, or a direction X,Y,Z", &w->view, NULL},
        {"--follow", NULL, "the camera goes with the figure (default: when it walks away)", NULL, &p->follow},
        {"--still", NULL, "the camera stands still", NULL, &p->still},
        {"--overlay", "NAME", "none, ellipsoids, links, stretch, contacts, blend, crossings or body", &w->overlay,
         NULL},
        {"--hide", "NAME,...", "do not draw these meshes: a part of node/mesh/primitive (hem inspect lists them)",
         &w->hide, NULL},
        {"--only", "NAME,...", "draw these and no others", &w->only, NULL},
        {"--strip", "S.png", "write frames side by side", &p->strip_path, NULL},
        {"--frames", "N", "in the strip (default 6)", &w->frames, NULL},
        {"--from", "S", "the first moment in strip and film (default 0)", &w->from, NULL},
        {"--title", "TEXT", "above the strip (default: file, clip and rate)", &p->title, NULL},
        {"--small", NULL, "write the strip with 255 colours, less than half the size", NULL, &p->small},
        {"--film", "F.png", "write an animated PNG", &p->film_path, NULL},
        {"--film-hz", "HZ", "pictures a second in the film (default 15)", &w->film_hz, NULL},
        {"--size", "WxH", "of a picture (default 240x320 in strips, 480x360 in films)", &w->size, NULL},
        {"--plot", "P.png", "write curves of crossings, stretch, penetration, energy and cost", &p->plot_path, NULL},
        {"--json", NULL, "print the numbers as JSON", NULL, &p->as_json},
        {"--unseen", NULL, "do not measure triangles, which takes most of the time", NULL, &p->unseen},
    };
    const option_table table = {
        "hem play FILE [options]",
        "Simulates a clip of a .hem file (or of a glTF, compiled on the way), says how it went and draws it.",
        options,
        (int32_t)(sizeof(options) / sizeof(options[0])),
        &w->file,
        1,
        &w->file_count};
    int code = options_parse(&table, argc, argv);
    if (code < 0 && w->file_count == 0) {
        return command_fail(COMMAND_USAGE, "which file? usage: %s", table.usage);
    }
    return code;
}

static int read_words(play* p, play_words* w) {
    int code = COMMAND_OK;
    int32_t overlay = 0;
    p->orbit = w->view != NULL && strcmp(w->view, "orbit") == 0;
    if ((code = option_number("--seconds", w->seconds, 0.02f, 600.0f, &p->seconds)) != COMMAND_OK ||
        (code = option_number("--hz", w->hz, 5.0f, 1000.0f, &p->hz)) != COMMAND_OK ||
        (code = option_number("--film-hz", w->film_hz, 1.0f, 60.0f, &p->film_hz)) != COMMAND_OK ||
        (code = option_number("--settle", w->settle, 0.0f, 60.0f, &w->settle_seconds)) != COMMAND_OK ||
        (code = option_count("--substeps", w->substeps, 1, 64, &w->substep_count)) != COMMAND_OK ||
        (code = option_count("--frames", w->frames, 1, 24, &p->strip_count)) != COMMAND_OK ||
        (code = option_vector("--wind", w->wind, w->wind_velocity)) != COMMAND_OK ||
        (code = option_number("--gusts", w->gusts, 0.0f, 10.0f, &w->gust_share)) != COMMAND_OK ||
        (code = option_vector("--move", w->move, w->velocity)) != COMMAND_OK ||
        (code = option_size("--size", w->size, &p->strip_width, &p->strip_height)) != COMMAND_OK ||
        (code = option_size("--size", w->size, &p->film_width, &p->film_height)) != COMMAND_OK ||
        (!p->orbit && (code = puppet_view_option(w->view, p->direction)) != COMMAND_OK) ||
        (code = option_number("--from", w->from, 0.0f, 600.0f, &p->from)) != COMMAND_OK ||
        (code = option_choice("--overlay", w->overlay, OVERLAYS, sizeof(OVERLAYS) / sizeof(OVERLAYS[0]), &overlay)) !=
            COMMAND_OK ||
        (code = option_choice("--kernel", w->kernel, KERNELS, sizeof(KERNELS) / sizeof(KERNELS[0]),
                              &w->kernel_index)) != COMMAND_OK ||
        (code = option_choice("--level", w->level, LEVELS, HEM_LEVEL_COUNT, &w->level_index)) != COMMAND_OK ||
        (w->compare != NULL && (code = find_variants(p, w->compare)) != COMMAND_OK)) {
        return code;
    }
    if (w->loop && w->once) {
        return command_fail(COMMAND_USAGE, "--loop and --once contradict each other");
    }
    p->overlay = OVERLAY_KINDS[overlay];
    p->unseen = p->unseen && p->overlay != PUPPET_CROSSINGS;
    if (p->seconds * p->hz > (float)FRAMES_MAX) {
        return command_fail(COMMAND_USAGE, "%g s at %g Hz are more than %d frames", (double)p->seconds, (double)p->hz,
                            FRAMES_MAX);
    }
    if (p->from >= p->seconds) {
        return command_fail(COMMAND_USAGE, "--from %g lies behind the end, --seconds %g", (double)p->from,
                            (double)p->seconds);
    }
    const char *outputs[] = {p->strip_path, p->film_path, p->plot_path}, *inputs[] = {w->file, w->recipe};
    return command_check_outputs(outputs, 3, inputs, 2);
}

// Marks the meshes whose names hold one of the words, or all others. Each word must be found.
static int mark_meshes(const asset* a, const char* which, const char* words, bool hide, bool* hidden) {
    const hem_view* v = &a->view;
    for (const char* word = words; *word != 0;) {
        size_t length = strcspn(word, ",");
        char one[256];
        snprintf(one, sizeof(one), "%.*s", (int)length, word);
        uint32_t found = 0;
        for (uint32_t i = 0; i < v->mesh_count; i++) {
            if (length > 0 && strstr(asset_text(a, v->meshes[i].name_offset), one) != NULL) {
                hidden[i] = hide;
                found++;
            }
        }
        if (found == 0) {
            char list[1024] = "";
            for (uint32_t i = 0; i < v->mesh_count; i++) {
                size_t used = strlen(list);
                asset_label label = asset_label_of(a, v->meshes[i].name_offset);
                snprintf(list + used, sizeof(list) - used, "%s%s", i > 0 ? ", " : "", label.text);
            }
            return command_fail(COMMAND_USAGE, "%s: no mesh is called '%s'; there are %s", which, one, list);
        }
        word += length + (word[length] == ',');
    }
    return COMMAND_OK;
}

static int read_hidden(play* p, const play_words* w) {
    if (w->hide == NULL && w->only == NULL) {
        return COMMAND_OK;
    }
    p->hidden = calloc((size_t)p->source.view.mesh_count + 1, sizeof(bool));
    if (p->hidden == NULL) {
        return command_fail(COMMAND_INTERNAL, "no memory for the names of meshes");
    }
    memset(p->hidden, w->only != NULL, p->source.view.mesh_count * sizeof(bool));
    int code = w->only != NULL ? mark_meshes(&p->source, "--only", w->only, false, p->hidden) : COMMAND_OK;
    return code == COMMAND_OK && w->hide != NULL ? mark_meshes(&p->source, "--hide", w->hide, true, p->hidden) : code;
}

static int read_mesh(play* p, const play_words* w) {
    if (w->mesh == NULL) {
        return COMMAND_OK;
    }
    bool* taken = calloc((size_t)p->source.view.mesh_count + 1, sizeof(bool));
    if (taken == NULL) {
        return command_fail(COMMAND_INTERNAL, "no memory for the names of meshes");
    }
    int code = mark_meshes(&p->source, "--mesh", w->mesh, true, taken);
    if (code == COMMAND_OK) {
        code = play_build_mesh(p, taken);
    }
    free(taken);
    return code;
}

// "idle@2": the clip and the moment.
static int read_then(play* p, const char* text) {
    p->then_clip = -1;
    if (text == NULL) {
        return COMMAND_OK;
    }
    char name[256];
    const char* at = strrchr(text, '@');
    if (at == NULL || at == text || (size_t)(at - text) >= sizeof(name)) {
        return command_fail(COMMAND_USAGE, "--then wants CLIP@SECONDS, not '%s'", text);
    }
    memcpy(name, text, (size_t)(at - text));
    name[at - text] = 0;
    int code = option_number("--then", at + 1, 0.0f, 600.0f, &p->then_seconds);
    return code == COMMAND_OK ? asset_find_clip(&p->source, name, &p->then_clip) : code;
}

static int find_lattice_clip(const asset* a, const char* name, int32_t* clip) {
    *clip = name != NULL ? hem_asset_find_clip(&a->handle, name) : -1;
    if (name == NULL || *clip >= 0) {
        return COMMAND_OK;
    }
    char names[512] = "";
    for (uint32_t i = 0; i < a->view.lattice_clip_count; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof(names) - used, "%s %s", i > 0 ? "," : "",
                 a->view.strings + a->view.lattice_clips[i].name_offset);
    }
    return command_fail(COMMAND_USAGE, "no lattice has a clip '%s'; there are:%s", name, names[0] ? names : " none");
}

static void set_up_run(const play* p, const play_words* w, const play_variant* v, float (*throw_velocity)[3],
                       player_setup* s) {
    *s = player_setup_default(&p->source);
    s->clip = p->clip;
    s->hz = p->hz;
    s->settle_seconds = w->settle_seconds;
    s->then_clip = p->then_clip, s->then_seconds = p->then_seconds;
    s->lattice_clip = p->lattice_clip;
    s->substeps = (uint32_t)w->substep_count;
    s->ground = !w->no_ground;
    s->mesh = p->mesh_bytes != NULL ? &p->mesh : NULL;
    s->kernel = v != NULL && v->kernel != HEM_KERNEL_AUTO ? v->kernel : KERNEL_KINDS[w->kernel_index];
    s->level = v != NULL && v->level1 > 0 ? v->level1 - 1 : w->level != NULL ? w->level_index : -1;
    memcpy(s->wind, w->wind_velocity, sizeof(w->wind_velocity));
    s->gusts = w->gust_share;
    memcpy(s->velocity, w->velocity, sizeof(w->velocity));
    memcpy(s->throw_velocity, throw_velocity, sizeof(s->throw_velocity));
    if (v != NULL) {
        s->pose_blend = v->pose_blend;
        s->animation = v->animation;
        s->features &= ~v->features_off;
    }
}

int command_play(int argc, char** argv) {
    play p;
    play_words w;
    memset(&p, 0, sizeof(p));
    memset(&w, 0, sizeof(w));
    p.seconds = 5.0f, p.hz = 60.0f, p.film_hz = 15.0f;
    memcpy(p.direction, PUPPET_VIEWS[PUPPET_VIEW_QUARTER], sizeof(p.direction));
    p.strip_count = 6, p.strip_width = 240, p.strip_height = 320, p.film_width = 480, p.film_height = 360;
    p.run_count = 1;
    int code = parse_words(argc, argv, &p, &w);
    if (code >= 0) {
        return code;
    }
    if ((code = read_words(&p, &w)) != COMMAND_OK ||
        (code = asset_load_whole(&p.source, w.file, w.recipe)) != COMMAND_OK) {
        return code;
    }
    float throw_velocity[HEM_MAX_PARTS][3];
    memset(throw_velocity, 0, sizeof(throw_velocity));
    code = asset_find_clip(&p.source, w.clip, &p.clip);
    if (code == COMMAND_OK) {
        code = read_throws(&p.source, w.throw, throw_velocity);
    }
    if (code == COMMAND_OK) {
        code = read_then(&p, w.then);
    }
    if (code == COMMAND_OK) {
        code = read_hidden(&p, &w);
    }
    if (code == COMMAND_OK) {
        code = read_mesh(&p, &w);
    }
    if (code == COMMAND_OK && (w.loop || w.once)) {
        asset_make_loop(&p.source, p.clip, w.loop);
    }
    if (code == COMMAND_OK) {
        code = find_lattice_clip(&p.source, w.lattice_clip, &p.lattice_clip);
    }
    for (int32_t i = 0; i < p.run_count; i++) {
        set_up_run(&p, &w, p.runs[i].kind, throw_velocity, &p.runs[i].setup);
    }
    if (code == COMMAND_OK) {
        code = run_play(&p);
    }
    free(p.hidden);
    free(p.mesh_bytes);
    asset_unload(&p.source);
    return code;
}
