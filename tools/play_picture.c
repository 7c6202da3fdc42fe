// SPDX-License-Identifier: MIT
#include "tools/play.h"
#include "tools/command.h"
#include "tools/compose.h"
#include "tools/png.h"
#include "platform/math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Strips and films of a run, drawn while it is played again.

enum { SHOTS_MAX = 2000 };

typedef struct shot_size {
    int32_t width, height;
    int32_t dome_count; // quality of the soft shadows
} shot_size;

static image draw_shot(play* p, puppet* shown, const float centre[2], float turn, shot_size size) {
    float box_min[3], box_max[3], direction[3];
    memcpy(box_min, p->box_min, sizeof(box_min));
    memcpy(box_max, p->box_max, sizeof(box_max));
    play_shift_box(box_min, box_max, centre, 1.0f);
    drawing d = {0};
    shown->hidden = p->hidden;
    puppet_draw(shown, p->overlay, &d);
    render_scene scene = render_scene_default();
    drawing_fill(&d, &scene);
    memcpy(scene.stage.min, box_min, sizeof(box_min));
    memcpy(scene.stage.max, box_max, sizeof(box_max));
    scene.stage.ground_height = player_ground_height(&p->source);
    scene.stage.dome_count = size.dome_count;
    render_camera camera;
    if (p->orbit) {
        // A box that looks the same from all sides, so that the distance does not change on the way round.
        float half = 0.0f;
        for (int32_t k = 0; k < 3; k += 2) {
            half = hem_maxf(half, 0.5f * (box_max[k] - box_min[k]));
        }
        for (int32_t k = 0; k < 3; k += 2) {
            float middle = 0.5f * (box_min[k] + box_max[k]);
            box_min[k] = middle - 0.8f * half;
            box_max[k] = middle + 0.8f * half;
        }
        float angle = turn * 2.0f * HEM_PI;
        direction[0] = -hem_sinf(angle);
        direction[1] = -0.18f;
        direction[2] = -hem_cosf(angle);
        camera = render_camera_frame(box_min, box_max, direction, 3.0f, 0.06f, size.width, size.height);
    } else {
        camera = render_camera_frame_view(p->view_min, p->view_max, p->direction, 3.0f, 0.06f, size.width, size.height);
        for (int32_t k = 0; k < 2; k++) {
            camera.eye[2 * k] += centre[k];
            camera.target[2 * k] += centre[k];
        }
    }
    image im = render_image(&scene, &camera, size.width, size.height);
    drawing_destroy(&d);
    return im;
}

// The frames of a run that are drawn: `count` of them, evenly from the first wanted to the last.
static int32_t shot_frame(const play* p, const play_run* r, int32_t shot, int32_t count) {
    int32_t last = r->frame_count - 1, first = play_first_frame(p, r);
    return count > 1 ? first + (int32_t)((float)shot * (float)(last - first) / (float)(count - 1) + 0.5f) : last;
}

// Plays a run again and draws `count` of its frames.
static int draw_run(play* p, int32_t index, int32_t count, shot_size size, const char* what, image* shots) {
    play_run* r = &p->runs[index];
    player live;
    int code = player_begin(&live, &r->setup);
    if (code != COMMAND_OK) {
        return code;
    }
    live.puppet.seen = p->unseen ? NULL : &r->seen.mesh;
    int32_t shot = 0;
    for (int32_t i = 0; code == COMMAND_OK && i < r->frame_count; i++) {
        player_frame frame;
        code = player_step(&live, false, &frame);
        while (code == COMMAND_OK && shot < count && shot_frame(p, r, shot, count) == i) {
            hem_progress_show(&p->progress, "drawing the %s: %d of %d", what, index * count + shot + 1,
                              p->run_count * count);
            shots[shot] = draw_shot(p, &live.puppet, r->centres[i], (float)shot / (float)count, size);
            if (shots[shot].pixels == NULL) {
                code =
                    command_fail(COMMAND_INTERNAL, "no memory to draw a picture of %d x %d", size.width, size.height);
            }
            shot++;
        }
    }
    if (code == COMMAND_OK && hem_scene_hash(live.scene) != r->hash) {
        code = command_fail(COMMAND_INTERNAL,
                            "two runs with the same inputs ended in different states: %016llx and %016llx",
                            (unsigned long long)r->hash, (unsigned long long)hem_scene_hash(live.scene));
    }
    player_end(&live);
    return code;
}

static void free_images(image* images, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        image_destroy(&images[i]);
    }
    free(images);
}

int play_write_strip(play* p) {
    const shot_size size = {p->strip_width, p->strip_height, 24};
    int32_t count = p->strip_count, total = count * p->run_count;
    image* shots = calloc((size_t)total, sizeof(image));
    char(*captions)[24] = calloc((size_t)total, sizeof(*captions));
    const char** caption_list = calloc((size_t)total, sizeof(char*));
    int code = shots != NULL && captions != NULL && caption_list != NULL
                   ? COMMAND_OK
                   : command_fail(COMMAND_INTERNAL, "no memory for the strip");
    for (int32_t i = 0; code == COMMAND_OK && i < p->run_count; i++) {
        code = draw_run(p, i, count, size, "strip", shots + i * count);
    }
    if (code == COMMAND_OK) {
        const char* names[PLAY_RUNS_MAX] = {0};
        for (int32_t i = 0; i < total; i++) {
            const play_run* r = &p->runs[i / count];
            snprintf(captions[i], sizeof(captions[i]), "%.2f s",
                     (double)r->frames[shot_frame(p, r, i % count, count)].seconds);
            caption_list[i] = captions[i];
            names[i / count] = r->kind != NULL ? r->kind->title : "";
        }
        puppet_legend(&p->source, p->overlay, &shots[0]);
        char title[256];
        play_describe(p, title, sizeof(title));
        const compose_page page = {.title = p->title == NULL   ? title
                                            : p->title[0] != 0 ? p->title
                                                               : NULL,
                                   .images = shots,
                                   .captions = caption_list,
                                   .row_names = p->run_count > 1 ? names : NULL,
                                   .image_count = total,
                                   .columns = count};
        image strip = compose_grid(&page);
        hem_file_error error;
        if (!(p->small ? png_write_small : png_write)(p->strip_path, &strip, &error)) {
            code = command_fail(COMMAND_IO, "%s", error.text);
        }
        image_destroy(&strip);
    }
    if (shots != NULL) {
        free_images(shots, total);
    }
    free(captions);
    free(caption_list);
    return code;
}

int play_write_film(play* p) {
    const shot_size size = {p->film_width, p->film_height, 12};
    int32_t count = (int32_t)((p->seconds - p->from) * p->film_hz + 0.5f);
    count = count < 1 ? 1 : count > SHOTS_MAX ? SHOTS_MAX : count;
    int32_t total = count * p->run_count;
    image* shots = calloc((size_t)total, sizeof(image));
    image* frames = calloc((size_t)count, sizeof(image));
    int code = shots != NULL && frames != NULL ? COMMAND_OK : command_fail(COMMAND_INTERNAL, "no memory for the film");
    for (int32_t i = 0; code == COMMAND_OK && i < p->run_count; i++) {
        code = draw_run(p, i, count, size, "film", shots + i * count);
    }
    for (int32_t f = 0; code == COMMAND_OK && f < count; f++) {
        frames[f] = image_create(p->film_width * p->run_count, p->film_height, IMAGE_PAPER);
        if (frames[f].pixels == NULL) {
            code = command_fail(COMMAND_INTERNAL, "no memory for the film");
            break;
        }
        for (int32_t i = 0; i < p->run_count; i++) {
            image* shot = &shots[i * count + f];
            char text[128];
            snprintf(text, sizeof(text), "%s  %.1f s",
                     p->runs[i].kind != NULL ? p->runs[i].kind->title : play_clip_name(p),
                     (double)p->runs[i].frames[shot_frame(p, &p->runs[i], f, count)].seconds);
            compose_caption(shot, text);
            puppet_legend(&p->source, p->overlay, shot);
            image_copy(&frames[f], shot, i * p->film_width, 0);
        }
    }
    if (code == COMMAND_OK) {
        hem_progress_show(&p->progress, "packing the film");
        hem_file_error error;
        if (!apng_write(p->film_path, frames, count, (int32_t)(1000.0f / p->film_hz + 0.5f), &error)) {
            code = command_fail(COMMAND_IO, "%s", error.text);
        }
    }
    if (shots != NULL) {
        free_images(shots, total);
    }
    if (frames != NULL) {
        free_images(frames, count);
    }
    return code;
}
