// SPDX-License-Identifier: MIT
#include "tools/command.h"
#include "tools/compose.h"
#include "tools/options.h"
#include "tools/player.h"
#include "tools/png.h"
#include "platform/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// `hem sheet`: a contact sheet of characters. One row for each clip of each file: the bind pose, then four moments.

enum { FILES_MAX = 64, ROWS_MAX = 512, COLUMNS = 5, CELL_WIDTH = 190, CELL_HEIGHT = 230 };

typedef struct sheet {
    image* cells;
    char (*captions)[24];
    char (*names)[96];
    int32_t row_count;
    bool physics;
    int32_t view;
    hem_progress progress;
} sheet;

static image draw_cell(const asset* a, puppet* p, const float box_min[3], const float box_max[3], int32_t view) {
    drawing d = {0};
    puppet_draw(p, PUPPET_PLAIN, &d);
    render_scene scene = render_scene_default();
    drawing_fill(&d, &scene);
    memcpy(scene.stage.min, box_min, sizeof(scene.stage.min));
    memcpy(scene.stage.max, box_max, sizeof(scene.stage.max));
    scene.stage.ground_height = player_ground_height(a);
    scene.stage.dome_count = 16;
    render_camera camera =
        render_camera_frame(box_min, box_max, PUPPET_VIEWS[view], 3.0f, 0.07f, CELL_WIDTH, CELL_HEIGHT);
    image im = render_image(&scene, &camera, CELL_WIDTH, CELL_HEIGHT);
    drawing_destroy(&d);
    return im;
}

// Moments are spread so that a looping clip does not show its start twice.
static float moment(const asset* a, int32_t clip, int32_t index) {
    bool loops = (a->view.clips[clip].flags & HEM_CLIP_LOOPS) != 0;
    return asset_clip_seconds(a, clip) * (float)index / (loops ? 4.0f : 3.0f);
}

// Plays up to each moment with physics, or just takes the pose; `visit` sees the puppet there.
static int show_clip(sheet* s, const asset* a, int32_t clip, float box_min[3], float box_max[3], image* cells) {
    player_setup setup = player_setup_default(a);
    setup.clip = clip;
    setup.settle_seconds = 0.5f;
    setup.pose_blend = s->physics ? 1.0f : 0.0f;
    player live;
    int code = player_begin(&live, &setup);
    if (code != COMMAND_OK) {
        return code;
    }
    int32_t shown = 0;
    for (int32_t i = 0; code == COMMAND_OK && shown < 4; i++) {
        player_frame frame;
        code = player_step(&live, false, &frame);
        while (code == COMMAND_OK && shown < 4 && frame.seconds >= moment(a, clip, shown) - 0.5f / setup.hz) {
            if (cells == NULL) {
                puppet_box(&live.puppet, box_min, box_max);
            } else {
                cells[shown] = draw_cell(a, &live.puppet, box_min, box_max, s->view);
                code = cells[shown].pixels != NULL ? COMMAND_OK
                                                   : command_fail(COMMAND_INTERNAL, "no memory for a picture");
            }
            shown++;
        }
    }
    player_end(&live);
    return code;
}

static int add_asset(sheet* s, const asset* a) {
    puppet bind;
    if (!puppet_create(&bind, a)) {
        return command_fail(COMMAND_INTERNAL, "no memory for '%s'", a->path);
    }
    int code = COMMAND_OK;
    int32_t clip_count = (int32_t)a->view.clip_count;
    for (int32_t clip = 0; code == COMMAND_OK && clip < (clip_count > 0 ? clip_count : 1); clip++) {
        if (s->row_count == ROWS_MAX) {
            code = command_fail(COMMAND_USAGE, "more than %d clips do not fit on one sheet", ROWS_MAX);
            break;
        }
        float box_min[3], box_max[3];
        render_box_empty(box_min, box_max);
        puppet_box(&bind, box_min, box_max);
        image* cells = s->cells + (size_t)s->row_count * COLUMNS;
        const char* clip_name = clip_count > 0 ? asset_text(a, a->view.clips[clip].name_offset) : "no clips";
        hem_progress_show(&s->progress, "drawing %s, %s", hem_path_name(a->path), clip_name);
        if (clip_count > 0) {
            code = show_clip(s, a, clip, box_min, box_max, NULL);
        }
        if (code == COMMAND_OK) {
            cells[0] = draw_cell(a, &bind, box_min, box_max, s->view);
            snprintf(s->captions[s->row_count * COLUMNS], sizeof(s->captions[0]), "bind pose");
        }
        if (code == COMMAND_OK && clip_count > 0) {
            code = show_clip(s, a, clip, box_min, box_max, cells + 1);
            for (int32_t i = 0; i < 4; i++) {
                snprintf(s->captions[s->row_count * COLUMNS + 1 + i], sizeof(s->captions[0]), "%.2f s",
                         (double)moment(a, clip, i));
            }
        }
        snprintf(s->names[s->row_count], sizeof(s->names[0]), "%.40s, %.40s", hem_path_name(a->path), clip_name);
        s->row_count++;
    }
    puppet_destroy(&bind);
    return code;
}

static int write_sheet(const sheet* s, const char* output) {
    int32_t cell_count = s->row_count * COLUMNS;
    const char** captions = calloc((size_t)cell_count + 1, sizeof(char*));
    const char** names = calloc((size_t)s->row_count + 1, sizeof(char*));
    if (captions == NULL || names == NULL) {
        free(captions);
        free(names);
        return command_fail(COMMAND_INTERNAL, "no memory for the sheet");
    }
    for (int32_t i = 0; i < cell_count; i++) {
        captions[i] = s->captions[i];
    }
    for (int32_t i = 0; i < s->row_count; i++) {
        names[i] = s->names[i];
    }
    const compose_page page = {
        .images = s->cells, .captions = captions, .row_names = names, .image_count = cell_count, .columns = COLUMNS};
    image im = compose_grid(&page);
    hem_file_error error;
    int code = png_write(output, &im, &error) ? COMMAND_OK : command_fail(COMMAND_IO, "%s", error.text);
    image_destroy(&im);
    free(captions);
    free(names);
    return code;
}

int command_sheet(int argc, char** argv) {
    const char* files[FILES_MAX];
    const char* output = NULL;
    const char* view = NULL;
    int32_t file_count = 0;
    sheet s;
    memset(&s, 0, sizeof(s));
    s.view = PUPPET_VIEW_QUARTER;
    const option options[] = {
        {"-o", "S.png", "where to write the sheet", &output, NULL},
        {"--physics", NULL, "with physics, not the skeleton alone", NULL, &s.physics},
        {"--view", "NAME", "front, side, back, quarter, rear or top", &view, NULL},
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
    code = option_choice("--view", view, PUPPET_VIEW_NAMES, PUPPET_VIEW_COUNT, &s.view);
    if (code != COMMAND_OK) {
        return code;
    }
    code = command_check_output(output);
    if (code != COMMAND_OK) {
        return code;
    }
    s.cells = calloc((size_t)ROWS_MAX * COLUMNS, sizeof(image));
    s.captions = calloc((size_t)ROWS_MAX * COLUMNS, sizeof(*s.captions));
    s.names = calloc(ROWS_MAX, sizeof(*s.names));
    if (s.cells == NULL || s.captions == NULL || s.names == NULL) {
        code = command_fail(COMMAND_INTERNAL, "no memory for the sheet");
    }
    hem_progress_begin(&s.progress, stderr);
    for (int32_t i = 0; code == COMMAND_OK && i < file_count; i++) {
        asset a;
        code = asset_load(&a, files[i], NULL);
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
    for (int32_t i = 0; s.cells != NULL && i < ROWS_MAX * COLUMNS; i++) {
        image_destroy(&s.cells[i]);
    }
    free(s.cells);
    free(s.captions);
    free(s.names);
    return code;
}
