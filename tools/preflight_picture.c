// SPDX-License-Identifier: MIT
#include "tools/preflight.h"
#include "tools/compose.h"
#include "tools/player.h"
#include "tools/png.h"

#include <stdio.h>
#include <string.h>

// The worst moment of a part, played again up to there and drawn from the front, the side and behind. What crosses is marked
// in the last picture.

enum { SHOT_WIDTH = 400, SHOT_HEIGHT = 560, SHOTS = 4, DOME = 12 };

static image draw_view(puppet* p, puppet_overlay overlay, const float direction[3]) {
    float axes[3][3], low[3] = {1e30f, 1e30f, 1e30f}, high[3] = {-1e30f, -1e30f, -1e30f};
    drawing d = {0};
    puppet_draw(p, overlay, &d);
    render_scene scene = render_scene_default();
    drawing_fill(&d, &scene);
    puppet_box(p, scene.stage.min, scene.stage.max);
    scene.stage.ground_height = player_ground_height(p->source);
    scene.stage.dome_count = DOME;
    render_view_axes(direction, axes);
    puppet_extent(p, overlay, axes, low, high);
    const render_camera camera = render_camera_frame_view(low, high, direction, 3.0f, 0.06f, SHOT_WIDTH, SHOT_HEIGHT);
    image im = render_image(&scene, &camera, SHOT_WIDTH, SHOT_HEIGHT);
    drawing_destroy(&d);
    return im;
}

static bool draw_shots(const asset* a, player* live, seen_mesh* seen, const hemc_preflight_part* part,
                       const char* path) {
    static const int32_t views[SHOTS] = {PUPPET_VIEW_QUARTER, PUPPET_VIEW_SIDE, PUPPET_VIEW_REAR, PUPPET_VIEW_REAR};
    static const char* const captions[SHOTS] = {"front", "side", "behind", "what crosses"};
    image shots[SHOTS];
    char title[256];
    live->puppet.seen = seen;
    for (int32_t i = 0; i < SHOTS; i++) {
        shots[i] = draw_view(&live->puppet, i == SHOTS - 1 ? PUPPET_CROSSINGS : PUPPET_PLAIN, PUPPET_VIEWS[views[i]]);
    }
    puppet_legend(a, PUPPET_CROSSINGS, &shots[SHOTS - 1]);
    snprintf(title, sizeof(title), "%s, grade %c: %s at %.2f s, %.0f Hz", part->name, part->grade, part->clip_name,
             (double)part->clip_seconds, (double)part->clip_hz);
    const compose_page page = {
        .title = title, .images = shots, .captions = captions, .image_count = SHOTS, .columns = SHOTS};
    image sheet = compose_grid(&page);
    hem_file_error error;
    const bool written = sheet.pixels != NULL && png_write_small(path, &sheet, &error);
    image_destroy(&sheet);
    for (int32_t i = 0; i < SHOTS; i++) {
        image_destroy(&shots[i]);
    }
    return written;
}

static bool draw_moment(const asset* a, seen_mesh* seen, const hemc_preflight_part* part, const char* path) {
    player settled, live;
    player_setup setup = player_setup_default(a);
    setup.clip = part->clip;
    setup.from = part->clip_from;
    setup.settle_seconds = PREFLIGHT_SETTLE_SECONDS;
    if (player_begin(&settled, &setup) != 0) {
        return false;
    }
    setup.hz = part->clip_hz;
    setup.settled = &settled;
    bool good = player_begin(&live, &setup) == 0;
    if (good) {
        const int32_t last = (int32_t)((part->clip_seconds - part->clip_from) * part->clip_hz + 0.5f);
        for (int32_t i = 0; good && i <= last; i++) {
            player_frame frame;
            good = player_step(&live, false, &frame) == 0;
        }
        good = good && draw_shots(a, &live, seen, part, path);
        player_end(&live);
    }
    player_end(&settled);
    return good;
}

bool preflight_picture(const uint8_t* data, size_t size, const hemc_preflight_part* part, const char* path) {
    asset a;
    seen_mesh seen;
    if (asset_from_bytes(&a, path, data, size) != 0) {
        return false;
    }
    bool good = part->clip >= 0 && part->clip < asset_clip_count(&a) && part->clip_hz > 0.0f &&
                seen_create_view(&seen, &a.view);
    if (good) {
        good = draw_moment(&a, &seen, part, path);
        seen_destroy(&seen);
    }
    asset_unload(&a);
    return good;
}
