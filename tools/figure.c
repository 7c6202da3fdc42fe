// SPDX-License-Identifier: MIT
#include "tools/command.h"
#include "tools/compose.h"
#include "tools/font.h"
#include "tools/options.h"
#include "tools/player.h"
#include "tools/png.h"
#include "tools/section.h"
#include "tools/vec3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// `hem figure`: pictures that explain the method on a real asset. docs/figures.md lists them.
//   mesh     the simulation mesh over the visual one
//   section  a cut through mesh and particles, by role, with black skeleton and green particle skinning
//   levels   the cut planes of one part: the whole, and one level with its particles and links
//   field    surface particles, their tangent spheres and the directions in which they push

enum { KEY_HEIGHT = 48 };
enum { FIGURE_MESH, FIGURE_SECTION, FIGURE_LEVELS, FIGURE_FIELD, FIGURE_KINDS };
static const char* const KINDS[FIGURE_KINDS] = {"mesh", "section", "levels", "field"};
static const char* const AXES[3] = {"x", "y", "z"};

typedef struct figure {
    int32_t kind;
    asset source;
    puppet puppet;
    int32_t axis, width, height, part;
    float direction[3]; // to look along
    bool small;
    float at, around[3], reach;
    bool at_given;
    char title[160];
} figure;

static int32_t find_part(const asset* a, const char* name) {
    for (uint32_t i = 0; i < a->view.info->part_count; i++) {
        if (strcmp(asset_text(a, a->view.parts[i].name_offset), name) == 0) {
            return (int32_t)i;
        }
    }
    return -1;
}

static void part_box(const figure* f, float low[3], float high[3]) {
    render_box_empty(low, high);
    for (uint32_t i = 0; i < f->source.view.info->particle_count; i++) {
        const hem_particle* q = &f->puppet.particles[i];
        if ((q->flags & HEM_PARTICLE_PAD) == 0 && (f->part < 0 || q->part == (uint32_t)f->part)) {
            render_box_add(low, high, q->position, 1, 0);
        }
    }
}

static image draw_mesh(figure* f) {
    float low[3], high[3], axes[3][3];
    render_box_empty(low, high);
    render_view_axes(f->direction, axes);
    puppet_extent(&f->puppet, PUPPET_LINKS, axes, low, high);
    f->puppet.part = f->part;
    drawing d = {0};
    puppet_draw(&f->puppet, PUPPET_LINKS, &d);
    render_scene scene = render_scene_default();
    drawing_fill(&d, &scene);
    scene.stage.ground_height = player_ground_height(&f->source);
    render_camera camera = render_camera_frame_view(low, high, f->direction, 3.2f, 0.06f, f->width, f->height);
    image im = render_image(&scene, &camera, f->width, f->height);
    drawing_destroy(&d);
    puppet_legend(&f->source, PUPPET_LINKS, &im);
    return im;
}

static image draw_section(figure* f) {
    section s = section_make(f->axis, f->at);
    s.part = f->kind == FIGURE_SECTION ? f->part : -1;
    image none = {0};
    if (!section_fit(&s, &f->puppet, 0.03f)) {
        return none;
    }
    if (f->reach > 0.0f) {
        section_look(&s, f->around, f->reach);
    }
    int32_t height = section_height(&s, f->width);
    image im = image_create(f->width, height + KEY_HEIGHT, IMAGE_PAPER);
    if (im.pixels == NULL) {
        return none;
    }
    if (f->kind == FIGURE_FIELD) {
        section_draw_particles(&s, &f->puppet, 0.25f, &im);
        section_draw_field(&s, &f->puppet, (s.high[0] - s.low[0]) / 36.0f, &im);
    } else {
        section_draw_particles(&s, &f->puppet, 0.45f, &im);
    }
    section_draw_mesh(&s, &f->puppet, &im);
    image_fill_rect(&im, 0, height, f->width, KEY_HEIGHT, IMAGE_PAPER);
    static const char* const section_names[] = {"simulated particle", "animated particle", "skinned to the skeleton",
                                                "skinned to particles"};
    static const image_colour section_colours[] = {PUPPET_SIMULATED, PUPPET_ATTACHED, 0x2b2a28ff, 0x2f9a4aff};
    static const char* const field_names[] = {"surface particle, cut", "the sphere that stands for it",
                                              "where a particle is pushed", "mesh"};
    static const image_colour field_colours[] = {PUPPET_ATTACHED, 0x9db3caff, 0x2f5f98ff, 0x2b2a28ff};
    const char* const* names = f->kind == FIGURE_FIELD ? field_names : section_names;
    const image_colour* colours = f->kind == FIGURE_FIELD ? field_colours : section_colours;
    compose_key(&im, 14, height + 8, names, colours, 2);
    compose_key(&im, 14 + f->width / 2, height + 8, names + 2, colours + 2, 2);
    return im;
}

// The level of the part that is nearest to the wanted height: where most of its particles are.
static float level_near(const figure* f, float at) {
    float best = at, best_score = -1.0f, tolerance = 0.25f * f->source.view.parts[f->part].spacing;
    for (uint32_t i = 0; i < f->source.view.info->particle_count; i++) {
        const hem_particle* q = &f->puppet.particles[i];
        if ((q->flags & HEM_PARTICLE_PAD) != 0 || q->part != (uint32_t)f->part) {
            continue;
        }
        float height = q->position[f->axis], score = 0.0f;
        if (fabsf(height - at) > 4.0f * tolerance) {
            continue;
        }
        for (uint32_t k = 0; k < f->source.view.info->particle_count; k++) {
            const hem_particle* other = &f->puppet.particles[k];
            score += (other->flags & HEM_PARTICLE_PAD) == 0 && other->part == (uint32_t)f->part &&
                     fabsf(other->position[f->axis] - height) < tolerance;
        }
        if (score > best_score) {
            best_score = score;
            best = height;
        }
    }
    return best;
}

static image draw_levels(figure* f) {
    image parts[2] = {{0}};
    float low[3], high[3];
    part_box(f, low, high);
    f->at = level_near(f, f->at);

    // The whole part with a thin sheet at the chosen level.
    f->puppet.part = f->part;
    drawing d = {0};
    puppet_draw(&f->puppet, PUPPET_LINKS, &d);
    const float rotation[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    float middle[3], half[3];
    for (int32_t k = 0; k < 3; k++) {
        middle[k] = k == f->axis ? f->at : 0.5f * (low[k] + high[k]);
        half[k] = k == f->axis ? 0.001f : 0.55f * (high[k] - low[k]) + 0.03f;
    }
    drawing_box(&d, middle, rotation, half, 0x6f8fb050);
    render_scene scene = render_scene_default();
    drawing_fill(&d, &scene);
    scene.stage.ground_height = player_ground_height(&f->source);
    render_camera camera = render_camera_frame(low, high, f->direction, 3.2f, 0.1f, f->width, f->height);
    parts[0] = render_image(&scene, &camera, f->width, f->height);
    drawing_destroy(&d);

    section s = section_make(f->axis, f->at);
    s.part = f->part;
    if (section_fit(&s, &f->puppet, 0.04f)) {
        parts[1] = image_create(f->width, f->height, IMAGE_PAPER);
        // Centre the rectangle in a picture of the given shape.
        float wanted = (float)f->height / (float)f->width, width = s.high[0] - s.low[0], height = s.high[1] - s.low[1];
        int32_t k = height / width < wanted ? 1 : 0;
        float size = k == 1 ? width * wanted : height / wanted, centre = 0.5f * (s.low[k] + s.high[k]);
        s.low[k] = centre - 0.5f * size;
        s.high[k] = centre + 0.5f * size;
        section_draw_mesh(&s, &f->puppet, &parts[1]);
        section_draw_links(&s, &f->puppet, 0.35f * f->source.view.parts[f->part].spacing, &parts[1]);
    }
    static const char* const captions[] = {"simulation mesh and one cut plane",
                                           "the cut: mesh, particles and links of this level"};
    const compose_page page = {
        .title = f->title, .images = parts, .captions = captions, .image_count = 2, .columns = 2};
    image im = compose_grid(&page);
    image_destroy(&parts[0]);
    image_destroy(&parts[1]);
    return im;
}

static int load_moment(figure* f, const char* clip_name, float seconds) {
    if (clip_name == NULL) {
        return puppet_create(&f->puppet, &f->source) ? COMMAND_OK : command_fail(COMMAND_INTERNAL, "no memory");
    }
    player_setup setup = player_setup_default(&f->source);
    int code = asset_find_clip(&f->source, clip_name, &setup.clip);
    player live;
    if (code != COMMAND_OK || (code = player_begin(&live, &setup)) != COMMAND_OK) {
        return code;
    }
    player_frame frame = {0};
    do {
        code = player_step(&live, false, &frame);
    } while (code == COMMAND_OK && frame.seconds < seconds);
    f->puppet = live.puppet; // the player's arrays outlive it
    memset(&live.puppet, 0, sizeof(live.puppet));
    player_end(&live);
    return code;
}

static int draw_figure(figure* f, const char* output) {
    float low[3], high[3];
    part_box(f, low, high);
    if (!f->at_given) {
        f->at = 0.5f * (low[f->axis] + high[f->axis]);
    }
    image im = f->kind == FIGURE_MESH ? draw_mesh(f) : f->kind == FIGURE_LEVELS ? draw_levels(f) : draw_section(f);
    if (im.pixels == NULL) {
        return command_fail(
            COMMAND_INPUT,
            "nothing to see: the plane %s = %g m does not cut '%s' (it spans %g to %g), or there is no memory",
            AXES[f->axis], (double)f->at, f->source.path, (double)low[f->axis], (double)high[f->axis]);
    }
    hem_file_error error;
    int code = (f->small ? png_write_small : png_write)(output, &im, &error)
                   ? COMMAND_OK
                   : command_fail(COMMAND_IO, "%s", error.text);
    image_destroy(&im);
    if (code == COMMAND_OK) {
        printf("wrote %s\n", output);
    }
    return code;
}

int command_figure(int argc, char** argv) {
    const char* files[2] = {0};
    int32_t file_count = 0;
    const char *output = NULL, *view = NULL, *axis = NULL, *at = NULL, *part = NULL, *clip = NULL, *time = NULL,
               *size = NULL, *title = NULL, *recipe = NULL, *around = NULL, *reach = NULL;
    figure f;
    memset(&f, 0, sizeof(f));
    memcpy(f.direction, PUPPET_VIEWS[PUPPET_VIEW_QUARTER], sizeof(f.direction));
    f.axis = 1;
    f.width = 520;
    f.height = 520;
    f.part = -1;
    float seconds = 0.0f;
    const option options[] = {
        {"-o", "F.png", "where to write it", &output, NULL},
        {"--part", "NAME", "only this part (levels needs one)", &part, NULL},
        {"--axis", "x|y|z", "of the cutting plane (default y)", &axis, NULL},
        {"--at", "METRES", "where it cuts (default: the middle)", &at, NULL},
        {"--around", "X,Y,Z", "show only what is near this point (section, field)", &around, NULL},
        {"--reach", "METRES", "how near (default 0.15)", &reach, NULL},
        {"--clip", "NAME", "show a moment of this clip, simulated; else the bind pose", &clip, NULL},
        {"--time", "S", "which moment (default 0)", &time, NULL},
        {"--view", "NAME", "front, side, back, quarter, rear, top, or a direction X,Y,Z", &view, NULL},
        {"--size", "WxH", "of one picture (default 520x520)", &size, NULL},
        {"--small", NULL, "write 255 colours, less than half the size", NULL, &f.small},
        {"--title", "TEXT", "above the picture (levels)", &title, NULL},
        {"--recipe", "R.json", "when FILE is a glTF: compile it with this first", &recipe, NULL},
    };
    const option_table table = {"hem figure mesh|section|levels|field FILE -o F.png [options]",
                                "Draws one of the explaining figures; docs/figures.md lists them.",
                                options,
                                (int32_t)(sizeof(options) / sizeof(options[0])),
                                files,
                                2,
                                &file_count};
    int code = options_parse(&table, argc, argv);
    if (code >= 0) {
        return code;
    }
    if (file_count < 2 || output == NULL) {
        return command_fail(COMMAND_USAGE, "usage: %s", table.usage);
    }
    if ((code = option_choice("the figure", files[0], KINDS, FIGURE_KINDS, &f.kind)) != COMMAND_OK ||
        (code = puppet_view_option(view, f.direction)) != COMMAND_OK ||
        (code = option_choice("--axis", axis, AXES, 3, &f.axis)) != COMMAND_OK ||
        (code = option_number("--at", at, -1000.0f, 1000.0f, &f.at)) != COMMAND_OK ||
        (code = option_vector("--around", around, f.around)) != COMMAND_OK ||
        (code = option_number("--reach", reach, 0.001f, 100.0f, &f.reach)) != COMMAND_OK ||
        (code = option_number("--time", time, 0.0f, 600.0f, &seconds)) != COMMAND_OK ||
        (code = option_size("--size", size, &f.width, &f.height)) != COMMAND_OK ||
        (code = command_check_outputs(&output, 1, (const char*[]){files[1], recipe}, 2)) != COMMAND_OK ||
        (code = asset_load_whole(&f.source, files[1], recipe)) != COMMAND_OK) {
        return code;
    }
    f.at_given = at != NULL;
    f.reach = around == NULL ? 0.0f : reach == NULL ? 0.15f : f.reach;
    snprintf(f.title, sizeof(f.title), "%s", title != NULL ? title : hem_path_name(files[1]));
    if (part != NULL && (f.part = find_part(&f.source, part)) < 0) {
        code = command_fail(COMMAND_USAGE, "'%s' has no part '%s'; 'hem inspect' lists them", files[1], part);
    } else if (f.kind == FIGURE_LEVELS && f.part < 0) {
        code = command_fail(COMMAND_USAGE, "the levels of which part? --part NAME");
    } else {
        code = load_moment(&f, clip, seconds);
    }
    if (code == COMMAND_OK) {
        code = draw_figure(&f, output);
    }
    puppet_destroy(&f.puppet);
    asset_unload(&f.source);
    return code;
}
