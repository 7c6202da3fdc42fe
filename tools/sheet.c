// SPDX-License-Identifier: MIT
#include "tools/command.h"
#include "tools/compose.h"
#include "tools/options.h"
#include "tools/player.h"
#include "tools/png.h"
#include "tools/watch.h"
#include "platform/math.h"
#include "platform/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// `hem sheet`: a contact sheet of characters. Five cells for each clip of each file: the bind pose, then four moments.
// Clips stand one below the other, named at the left, or several side by side, named under their first cell.

enum { FILES_MAX = 64, CLIPS_MAX = 512, CELLS = 5, CAPTION_SIZE = 96 };

typedef struct sheet {
    image* cells;
    char (*captions)[CAPTION_SIZE];
    char (*names)[CAPTION_SIZE];
    int32_t clip_count;
    int32_t width, height, across;
    bool physics, small;
    float direction[3];
    hem_progress progress;
} sheet;

// What the camera must see of a clip. Boxes are of each cell alone until stage_close joins them.
typedef struct stage {
    float box[CELLS][2][3];  // least and largest, along the axes of the world
    float view[CELLS][2][3]; // along those of the picture
    float centres[CELLS][2]; // where the figure stands, x and z; zero when the camera stands still
    float box_min[3], box_max[3], view_min[3], view_max[3]; // of all cells, around their centres
} stage;

static void stage_add(stage* st, const sheet* s, const puppet* p, int32_t cell) {
    float axes[3][3];
    render_view_axes(s->direction, axes);
    render_box_empty(st->box[cell][0], st->box[cell][1]);
    render_box_empty(st->view[cell][0], st->view[cell][1]);
    puppet_box(p, st->box[cell][0], st->box[cell][1]);
    puppet_extent(p, PUPPET_PLAIN, axes, st->view[cell][0], st->view[cell][1]);
    puppet_centre(p, st->centres[cell]);
}

static void stage_close(stage* st, const sheet* s, const asset* a, int32_t cell_count) {
    float axes[3][3];
    render_view_axes(s->direction, axes);
    if (!puppet_travels(a, st->centres, cell_count)) {
        memset(st->centres, 0, sizeof(st->centres));
    }
    render_box_empty(st->box_min, st->box_max);
    render_box_empty(st->view_min, st->view_max);
    for (int32_t i = 0; i < cell_count; i++) {
        const float centre[3] = {st->centres[i][0], 0.0f, st->centres[i][1]};
        for (int32_t k = 0; k < 3; k++) {
            float along = axes[k][0] * centre[0] + axes[k][2] * centre[2];
            st->box_min[k] = hem_minf(st->box_min[k], st->box[i][0][k] - centre[k]);
            st->box_max[k] = hem_maxf(st->box_max[k], st->box[i][1][k] - centre[k]);
            st->view_min[k] = hem_minf(st->view_min[k], st->view[i][0][k] - along);
            st->view_max[k] = hem_maxf(st->view_max[k], st->view[i][1][k] - along);
        }
    }
}

static image draw_cell(const sheet* s, const asset* a, puppet* p, const stage* st, int32_t cell) {
    drawing d = {0};
    puppet_draw(p, PUPPET_PLAIN, &d);
    render_scene scene = render_scene_default();
    drawing_fill(&d, &scene);
    render_camera camera =
        render_camera_frame_view(st->view_min, st->view_max, s->direction, 3.0f, 0.07f, s->width, s->height);
    for (int32_t k = 0; k < 3; k++) {
        float centre = k == 1 ? 0.0f : st->centres[cell][k / 2];
        scene.stage.min[k] = st->box_min[k] + centre;
        scene.stage.max[k] = st->box_max[k] + centre;
        camera.eye[k] += centre;
        camera.target[k] += centre;
    }
    scene.stage.ground_height = player_ground_height(a);
    scene.stage.dome_count = 16;
    image im = render_image(&scene, &camera, s->width, s->height);
    drawing_destroy(&d);
    return im;
}

// Moments are spread so that a looping clip does not show its start twice.
static float moment(const asset* a, int32_t clip, int32_t index) {
    bool loops = asset_clip_loops(a, clip);
    return asset_clip_seconds(a, clip) * (float)index / (loops ? 4.0f : 3.0f);
}

// Plays a clip, with physics or without, and stops at its four moments: to see where things are (cells == NULL), or to
// draw them.
static int show_clip(sheet* s, const asset* a, int32_t clip, stage* st, image* cells, char (*captions)[CAPTION_SIZE]) {
    player_setup setup = player_setup_default(a);
    setup.clip = clip;
    setup.settle_seconds = 0.5f;
    setup.pose_blend = s->physics ? 1.0f : 0.0f;
    player live;
    watch seen;
    int code = watch_begin(&seen, a);
    if (code == COMMAND_OK) {
        code = player_begin(&live, &setup);
    }
    if (code != COMMAND_OK) {
        watch_end(&seen);
        return code;
    }
    int32_t shown = 0;
    for (int32_t i = 0; code == COMMAND_OK && shown < 4; i++) {
        player_frame frame;
        code = player_step(&live, false, &frame);
        while (code == COMMAND_OK && shown < 4 && frame.seconds >= moment(a, clip, shown) - 0.5f / setup.hz) {
            shown++;
            if (cells == NULL) {
                stage_add(st, s, &live.puppet, shown);
                continue;
            }
            cells[shown] = draw_cell(s, a, &live.puppet, st, shown);
            watch_frame(&seen, &live.puppet, live.pose, frame.seconds, 0.0f, &frame.seen, NULL);
            snprintf(captions[shown], CAPTION_SIZE, "%.2f s, %u crossed", (double)moment(a, clip, shown - 1),
                     frame.seen.layers_crossed + frame.seen.body_crossed);
            if (cells[shown].pixels == NULL) {
                code = command_fail(COMMAND_INTERNAL, "no memory for a picture");
            }
        }
    }
    player_end(&live);
    watch_end(&seen);
    return code;
}

// Draws the five cells of a clip; of a file without clips, the first alone.
static int add_clip(sheet* s, const asset* a, puppet* bind, int32_t clip) {
    bool moves = a->view.clip_count > 0;
    const char* clip_name = moves ? asset_text(a, a->view.clips[clip].name_offset) : "no clips";
    hem_progress_show(&s->progress, "drawing %s, %s", hem_path_name(a->path), clip_name);
    stage st;
    memset(&st, 0, sizeof(st));
    stage_add(&st, s, bind, 0);
    int code = moves ? show_clip(s, a, clip, &st, NULL, NULL) : COMMAND_OK;
    if (code != COMMAND_OK) {
        return code;
    }
    stage_close(&st, s, a, moves ? CELLS : 1);
    image* cells = s->cells + (size_t)s->clip_count * CELLS;
    char(*captions)[CAPTION_SIZE] = s->captions + (size_t)s->clip_count * CELLS;
    cells[0] = draw_cell(s, a, bind, &st, 0);
    if (moves) {
        code = show_clip(s, a, clip, &st, cells, captions);
    }
    const char* file = hem_path_name(a->path);
    const char* ending = strrchr(file, '.');
    int length = ending != NULL ? (int)(ending - file) : (int)strlen(file);
    snprintf(s->names[s->clip_count], CAPTION_SIZE, "%.*s, %.40s", length < 40 ? length : 40, file, clip_name);
    snprintf(captions[0], CAPTION_SIZE, "%s", s->across > 1 ? s->names[s->clip_count] : "bind pose");
    s->clip_count++;
    return code;
}

static int add_asset(sheet* s, const asset* a) {
    puppet bind;
    if (!puppet_create(&bind, a)) {
        return command_fail(COMMAND_INTERNAL, "no memory for '%s'", a->path);
    }
    int code = COMMAND_OK;
    int32_t clip_count = a->view.clip_count > 0 ? (int32_t)a->view.clip_count : 1;
    for (int32_t clip = 0; code == COMMAND_OK && clip < clip_count; clip++) {
        code = s->clip_count < CLIPS_MAX
                   ? add_clip(s, a, &bind, clip)
                   : command_fail(COMMAND_USAGE, "more than %d clips do not fit on one sheet", CLIPS_MAX);
    }
    puppet_destroy(&bind);
    return code;
}

static int write_sheet(const sheet* s, const char* output) {
    int32_t cell_count = s->clip_count * CELLS;
    const char** captions = calloc((size_t)cell_count + 1, sizeof(char*));
    const char** names = calloc((size_t)s->clip_count + 1, sizeof(char*));
    if (captions == NULL || names == NULL) {
        free(captions);
        free(names);
        return command_fail(COMMAND_INTERNAL, "no memory for the sheet");
    }
    for (int32_t i = 0; i < cell_count; i++) {
        captions[i] = s->captions[i];
    }
    for (int32_t i = 0; i < s->clip_count; i++) {
        names[i] = s->names[i];
    }
    const compose_page page = {.images = s->cells,
                               .captions = captions,
                               .row_names = s->across > 1 ? NULL : names,
                               .image_count = cell_count,
                               .columns = CELLS * s->across};
    image im = compose_grid(&page);
    hem_file_error error;
    int code = (s->small ? png_write_small : png_write)(output, &im, &error)
                   ? COMMAND_OK
                   : command_fail(COMMAND_IO, "%s", error.text);
    image_destroy(&im);
    free(captions);
    free(names);
    return code;
}

int command_sheet(int argc, char** argv) {
    const char* files[FILES_MAX];
    const char* output = NULL;
    const char *view = NULL, *size = NULL, *across = NULL;
    int32_t file_count = 0;
    sheet s;
    memset(&s, 0, sizeof(s));
    memcpy(s.direction, PUPPET_VIEWS[PUPPET_VIEW_QUARTER], sizeof(s.direction));
    s.width = 190, s.height = 230, s.across = 1;
    const option options[] = {
        {"-o", "S.png", "where to write the sheet", &output, NULL},
        {"--physics", NULL, "with physics, not the skeleton alone", NULL, &s.physics},
        {"--view", "NAME", "front, side, back, quarter, rear, top, or a direction X,Y,Z", &view, NULL},
        {"--size", "WxH", "of one picture (default 190x230)", &size, NULL},
        {"--across", "N", "clips side by side (default 1)", &across, NULL},
        {"--small", NULL, "write 255 colours, less than half the size", NULL, &s.small},
    };
    const option_table table = {
        "hem sheet FILE... -o S.png [options]",
        "Draws each character: its bind pose and four moments of each clip. Files are .hem or glTF.",
        options,
        (int32_t)(sizeof(options) / sizeof(options[0])),
        files,
        FILES_MAX,
        &file_count};
    int code = options_parse(&table, argc, argv);
    if (code >= 0) {
        return code;
    }
    if (file_count == 0 || output == NULL) {
        return command_fail(COMMAND_USAGE, "%s? usage: %s", output == NULL ? "where to, -o" : "which files",
                            table.usage);
    }
    if ((code = puppet_view_option(view, s.direction)) != COMMAND_OK ||
        (code = option_size("--size", size, &s.width, &s.height)) != COMMAND_OK ||
        (code = option_count("--across", across, 1, 8, &s.across)) != COMMAND_OK ||
        (code = command_check_outputs(&output, 1, files, file_count)) != COMMAND_OK) {
        return code;
    }
    s.cells = calloc((size_t)CLIPS_MAX * CELLS, sizeof(image));
    s.captions = calloc((size_t)CLIPS_MAX * CELLS, sizeof(*s.captions));
    s.names = calloc(CLIPS_MAX, sizeof(*s.names));
    if (s.cells == NULL || s.captions == NULL || s.names == NULL) {
        code = command_fail(COMMAND_INTERNAL, "no memory for the sheet");
    }
    hem_progress_begin(&s.progress, stderr);
    for (int32_t i = 0; code == COMMAND_OK && i < file_count; i++) {
        asset a;
        code = asset_load_whole(&a, files[i], NULL);
        if (code == COMMAND_OK) {
            if (!asset_has_preview(&a)) {
                code =
                    command_fail(COMMAND_INPUT, "'%s' was compiled with --ship and has no triangles to draw", files[i]);
            } else {
                code = add_asset(&s, &a);
            }
            asset_unload(&a);
        }
    }
    hem_progress_end(&s.progress);
    if (code == COMMAND_OK) {
        code = write_sheet(&s, output);
    }
    if (code == COMMAND_OK) {
        printf("wrote %s\n", output);
    }
    for (int32_t i = 0; s.cells != NULL && i < CLIPS_MAX * CELLS; i++) {
        image_destroy(&s.cells[i]);
    }
    free(s.cells);
    free(s.captions);
    free(s.names);
    return code;
}
