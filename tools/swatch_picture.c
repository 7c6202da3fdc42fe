// SPDX-License-Identifier: MIT
#include "tools/swatch.h"
#include "tools/font.h"
#include "tools/render.h"

#include <stdlib.h>

enum { CAPTION = 26 };

// What it is drawn with; six indices a cell at most.
static int32_t make_triangles(const swatch* s, uint32_t* out) {
    int32_t count = 0;
    for (int32_t r = 0; r + 1 < s->def.rows; r++) {
        for (int32_t c = 0; c + 1 < s->def.columns; c++) {
            int32_t corners[6];
            const int32_t found = swatch_cell(s, r, c, corners);
            for (int32_t k = 0; k < 3 * found; k++) {
                out[3 * count + k] = (uint32_t)corners[k];
            }
            count += found;
        }
    }
    return count;
}

image swatch_picture(const swatch* s, const char* caption, image_colour colour, int32_t width, int32_t height) {
    image whole = image_create(width, height, IMAGE_PAPER);
    uint32_t* indices = malloc((size_t)s->def.rows * (size_t)s->def.columns * 6 * sizeof(*indices));
    if (whole.pixels == NULL || indices == NULL || s->count == 0) {
        free(indices);
        return whole;
    }
    const render_mesh mesh = {.positions = s->now[0],
                              .indices = indices,
                              .vertex_count = s->count,
                              .triangle_count = make_triangles(s, indices),
                              .colour = colour};
    render_scene scene = render_scene_default();
    scene.meshes = &mesh;
    scene.mesh_count = 1;
    scene.stage.ground = false;
    const float low[3] = {-0.13f, -0.09f, -0.13f}, high[3] = {0.13f, 0.01f, 0.13f}, along[3] = {-0.5f, -0.6f, -1.0f};
    float middle[3] = {0}, box[2][3];
    for (int32_t i = 0; i < s->count; i++) {
        for (int32_t k = 0; k < 3; k++) {
            middle[k] += k == 1 ? 0.0f : s->now[i][k] / (float)s->count;
        }
    }
    for (int32_t k = 0; k < 3; k++) {
        box[0][k] = middle[k] + low[k];
        box[1][k] = middle[k] + high[k];
    }
    const render_camera camera = render_camera_frame(box[0], box[1], along, 3.2f, 0.02f, width, height - CAPTION);
    image drawn = render_image(&scene, &camera, width, height - CAPTION);
    if (drawn.pixels != NULL) {
        image_copy(&whole, &drawn, 0, 0);
    }
    image_destroy(&drawn);
    free(indices);
    font_draw(&whole, caption, 8, (float)(height - 8), 11, FONT_LEFT, IMAGE_INK);
    return whole;
}
