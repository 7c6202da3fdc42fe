// SPDX-License-Identifier: MIT
#include "tools/prove_fabrics.h"
#include "tools/compose.h"
#include "tools/drawing.h"
#include "tools/player.h"
#include "tools/png.h"
#include "compiler/hemc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The same cape of every material, on the same woman who runs: where its vertices are in the mean of the last second, and how far that is
// from where they are of the material that is nearest to it. With HEM_PICTURES=FOLDER in the environment all are drawn there, side by side.

enum { WIDTH = 300, HEIGHT = 330, COLUMNS = 6, MOST = 32, FRAMES = 150, LAST = 60 };

static const float AHEAD[3] = {0.0f, 0.0f, 3.0f}; // m/s

static bool load_cape(const proof* p, const hemc_material* m, asset* a) {
    char glb[SAMPLE_PATH_MAX], recipe[SAMPLE_PATH_MAX], why[SAMPLE_PATH_MAX], text[640];
    if (!sample_find(&p->folders, "cape_girl", glb, recipe, why)) {
        return false;
    }
    snprintf(text, sizeof(text),
             "{\"version\": 1, \"parts\": [{\"name\": \"cape\", \"select\": {\"mesh\": \"cape\"}, \"axis\": \"y\", "
             "\"particles\": 360, "
             "\"material\": \"%s\", \"fabric\": true, \"self_collision\": true, \"attach\": {\"paint\": \"_HEM_PIN > "
             "0.5\"}, "
             "\"blend\": \"paint\"}], \"clips\": {\"include\": [\"run\"]}}",
             m->name);
    uint8_t* packed = NULL;
    size_t size = 0;
    hemc_job job = {
        .input = glb, .recipe = "cape.json", .recipe_bytes = text, .recipe_size = strlen(text), .verbosity = -1};
    const bool good = hemc_compile(&job, &packed, &size) == 0 && asset_from_bytes(a, m->name, packed, size) == 0;
    hemc_free(packed);
    return good;
}

static image draw_cape(const asset* a, puppet* of) {
    const float view[3] = {-0.75f, -0.2f, 0.65f};
    float axes[3][3], low[3], high[3];
    drawing d = {0};
    puppet_draw(of, PUPPET_PLAIN, &d);
    render_scene scene = render_scene_default();
    drawing_fill(&d, &scene);
    render_view_axes(view, axes);
    render_box_empty(low, high);
    puppet_extent(of, PUPPET_PLAIN, axes, low, high);
    const render_camera camera = render_camera_frame_view(low, high, view, 3.0f, 0.07f, WIDTH, HEIGHT);
    render_box_empty(scene.stage.min, scene.stage.max);
    puppet_box(of, scene.stage.min, scene.stage.max);
    scene.stage.ground_height = player_ground_height(a);
    image im = render_image(&scene, &camera, WIDTH, HEIGHT);
    drawing_destroy(&d);
    return im;
}

// Vertices of the cape, one after the other: mean places, character space; those that no particle moves are alike everywhere.
static float* run_cape(const asset* a, uint32_t* count, image* picture) {
    player_setup setup = player_setup_default(a);
    player run;
    player_frame frame;
    *count = a->view.info->vertex_count;
    float* mean = calloc((size_t)*count * 3, sizeof(*mean));
    setup.settle_seconds = 0.5f;
    memcpy(setup.velocity, AHEAD, sizeof(AHEAD));
    bool good = mean != NULL && asset_find_clip(a, "run", &setup.clip) == 0 && player_begin(&run, &setup) == 0;
    if (!good) {
        free(mean);
        return NULL;
    }
    for (int32_t f = 0; good && f < FRAMES; f++) {
        good = player_step(&run, false, &frame) == 0;
        float middle[3] = {0, 0, 0};
        puppet_centre(&run.puppet, middle);
        for (uint32_t i = 0; good && f >= FRAMES - LAST && i < 3 * *count; i++) {
            mean[i] += (run.puppet.positions[i] - (i % 3 == 0 ? middle[0] : i % 3 == 2 ? middle[1] : 0.0f)) / LAST;
        }
    }
    if (good) {
        *picture = draw_cape(a, &run.puppet);
    }
    player_end(&run);
    return mean;
}

// Root mean square over the vertices that are not where they are in the other by more than a tenth of a millimetre.
static double apart(const float* a, const float* b, uint32_t count) {
    double sum = 0.0;
    uint32_t moved = 0;
    for (uint32_t i = 0; i < count; i++) {
        double square = 0.0;
        for (uint32_t k = 0; k < 3; k++) {
            square += pow((double)a[3 * i + k] - (double)b[3 * i + k], 2);
        }
        sum += square;
        moved += square > 1e-8;
    }
    return moved != 0 ? sqrt(sum / moved) : 0.0;
}

static void write_capes(const image* pictures, const char* const* captions, uint32_t count) {
    const char* folder = getenv("HEM_PICTURES");
    const compose_page page = {
        .images = pictures, .captions = captions, .image_count = (int32_t)count, .columns = COLUMNS};
    image all = compose_grid(&page);
    if (folder != NULL && all.pixels != NULL) {
        char path[1024];
        hem_file_error error;
        snprintf(path, sizeof(path), "%s/capes.png", folder);
        png_write_small(path, &all, &error);
    }
    image_destroy(&all);
}

void prove_fabrics_capes(proof* p) {
    if (!proof_wants(p, "capes")) {
        return;
    }
    float* mean[MOST] = {NULL};
    image pictures[MOST];
    const char* captions[MOST];
    uint32_t count = hemc_material_count() < MOST ? hemc_material_count() : MOST, vertices = 0;
    memset(pictures, 0, sizeof(pictures));
    for (uint32_t i = 0; i < count; i++) {
        const hemc_material* m = hemc_material_at(i);
        asset a;
        captions[i] = m->name;
        if (!load_cape(p, m, &a)) {
            proof_unmeasured(p, "a cape", "it does not compile", "cape of %s", m->name);
            continue;
        }
        mean[i] = run_cape(&a, &vertices, &pictures[i]);
        asset_unload(&a);
    }
    for (uint32_t i = 0; i < count; i++) {
        double least = 1e9;
        const char* nearest = "none";
        for (uint32_t k = 0; k < count; k++) {
            const double d = i != k && mean[i] && mean[k] ? apart(mean[i], mean[k], vertices) : 1e9;
            nearest = d < least ? hemc_material_at(k)->name : nearest;
            least = fmin(d, least);
        }
        char reached[96];
        snprintf(reached, sizeof(reached), "%.1f mm rms, from %s", 1000.0 * least, nearest);
        if (mean[i] != NULL) {
            proof_add(p, least >= 0.003 && least < 1e8, "at least 3 mm", reached,
                      "the same cape of %s: from the nearest other", captions[i]);
        }
    }
    write_capes(pictures, captions, count);
    for (uint32_t i = 0; i < count; i++) {
        free(mean[i]);
        image_destroy(&pictures[i]);
    }
}
