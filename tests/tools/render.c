// SPDX-License-Identifier: MIT
#include "tools/render.h"
#include "tools/drawing.h"
#include "tools/primitive.h"
#include "tools/raster.h"
#include "tools/shade.h"
#include "tools/vec3.h"
#include "greatest.h"

#include <stdlib.h>
#include <string.h>

// The renderer against closed formulas: areas of outlines, normals, depth order, framing, and the same bytes from any
// number of threads.

enum { SIDE = 200 };

#define PI 3.14159265358979

// Unlit things on a ground-less black stage: a pixel's brightness is the share of it that is covered.
static render_scene flat_scene(void) {
    render_scene scene = render_scene_default();
    scene.stage.ground = false;
    scene.stage.dome_count = 0;
    scene.stage.sky = scene.stage.floor = 0x000000ff;
    scene.stage.shadow_size = 64;
    return scene;
}

static render_camera camera_at(float distance, float focal) {
    render_camera camera = {{0.0f, 0.0f, distance}, {0.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, focal};
    return camera;
}

// Pixels that any sample of a raster covers, by counting samples directly.
static double covered_pixels(const render_scene* scene, const render_camera* camera, int32_t side) {
    raster r;
    if (!raster_create(&r, scene, camera, side, side)) {
        return -1.0;
    }
    raster_tile* tile = malloc(sizeof(raster_tile));
    int64_t hits = 0;
    for (int32_t t = 0; t < r.tiles_x * r.tiles_y; t++) {
        memset(tile->inverse_depth, 0, sizeof(tile->inverse_depth));
        memset(tile->item, 0xff, sizeof(tile->item));
        tile->rect.x0 = t % r.tiles_x * RASTER_TILE;
        tile->rect.y0 = t / r.tiles_x * RASTER_TILE;
        tile->rect.x1 = tile->rect.x0 + RASTER_TILE < side ? tile->rect.x0 + RASTER_TILE : side;
        tile->rect.y1 = tile->rect.y0 + RASTER_TILE < side ? tile->rect.y0 + RASTER_TILE : side;
        for (int32_t i = r.bin_first[t]; i < r.bin_first[t + 1]; i++) {
            raster_draw(&r, r.bin_items[i], tile);
        }
        for (int32_t i = 0; i < RASTER_TILE_SAMPLES; i++) {
            hits += tile->item[i] != RASTER_NOTHING;
        }
    }
    free(tile);
    raster_destroy(&r);
    return (double)hits / RASTER_SAMPLES;
}

// A ball of radius r at distance d covers a cone with sine r / d; on the axis its outline is a circle of slope
// r / sqrt(d^2 - r^2).
TEST ball_outline_has_the_area_of_its_tangent_cone(void) {
    drawing d = {0};
    const float centre[3] = {0.0f, 0.0f, 0.0f};
    drawing_ball(&d, centre, 0.7f, 0xffffffff);
    render_scene scene = flat_scene();
    drawing_fill(&d, &scene);
    render_camera camera = camera_at(3.0f, 2.0f);
    double slope = 0.7 / sqrt(9.0 - 0.49) * 2.0 * SIDE / 2.0; // focal 2, half the height
    double expected = PI * slope * slope;
    double area = covered_pixels(&scene, &camera, SIDE);
    ASSERT_IN_RANGE(expected, area, expected * 0.002);
    drawing_destroy(&d);
    PASS();
}

// Off the axis the outline is an ellipse. With the ball's centre at angle t from the axis and half angle g, the slopes in
// its plane run from tan(t - g) to tan(t + g); across, the half axis is sin g / sqrt(cos^2 t - sin^2 g).
TEST ball_off_the_axis_has_the_area_of_an_ellipse(void) {
    drawing d = {0};
    const float centre[3] = {0.9f, 0.0f, 0.0f};
    drawing_ball(&d, centre, 0.5f, 0xffffffff);
    render_scene scene = flat_scene();
    drawing_fill(&d, &scene);
    render_camera camera = camera_at(3.0f, 1.5f);
    double distance = sqrt(9.0 + 0.81), t = atan2(0.9, 3.0), g = asin(0.5 / distance);
    double half_along = 0.5 * (tan(t + g) - tan(t - g));
    double half_across = sin(g) / sqrt(cos(t) * cos(t) - sin(g) * sin(g));
    double scale = 1.5 * SIDE / 2.0;
    double expected = PI * half_along * half_across * scale * scale;
    ASSERT_IN_RANGE(expected, covered_pixels(&scene, &camera, SIDE), expected * 0.003);
    drawing_destroy(&d);
    PASS();
}

// A ball seen as a squashed ellipsoid: stretching the world and the picture alike.
TEST ellipsoid_hits_lie_on_its_surface_with_the_gradient_as_normal(void) {
    const float s = 0.70710678f;
    render_ellipsoid source = {
        .position = {0.2f, -0.1f, 0.3f}, .rotation = {0.0f, 0.0f, s, s}, .radii = {0.5f, 0.2f, 0.3f}};
    ellipsoid e = ellipsoid_prepare(&source);
    int32_t hits = 0;
    for (int32_t i = 0; i < 400; i++) {
        vec3 origin = v3(0.2f + 0.03f * (float)(i % 20 - 10), -0.1f + 0.06f * (float)(i / 20 - 10), 4.0f);
        vec3 ray = v3(0.002f * (float)(i % 7), -0.001f * (float)(i % 5), -1.5f);
        float t;
        if (!ellipsoid_hit(&e, origin, ray, &t)) {
            continue;
        }
        hits++;
        vec3 p = v3_sub(v3_mad(origin, ray, t), v3_load(source.position));
        // A quarter turn about z takes the ellipsoid's x axis to +y and its y axis to -x.
        double x = p.y, y = -p.x, z = p.z;
        double value = x * x / 0.25 + y * y / 0.04 + z * z / 0.09;
        ASSERT_IN_RANGE(1.0, value, 1e-4);
        double gx = -y / 0.04, gy = x / 0.25, gz = z / 0.09;
        double length = sqrt(gx * gx + gy * gy + gz * gz);
        vec3 n = ellipsoid_normal(&e, v3_mad(origin, ray, t));
        ASSERT_IN_RANGE(gx / length, n.x, 1e-4);
        ASSERT_IN_RANGE(gy / length, n.y, 1e-4);
        ASSERT_IN_RANGE(gz / length, n.z, 1e-4);
    }
    ASSERT(hits > 50);
    PASS();
}

// The distance from a point to a round cone by brute force: the nearest of many balls along the axis.
static double cone_distance(const double a[3], const double b[3], double ra, double rb, vec3 p) {
    double best = 1e30;
    for (int32_t i = 0; i <= 4000; i++) {
        double k = i / 4000.0, d = 0.0;
        const double q[3] = {p.x, p.y, p.z};
        for (int32_t c = 0; c < 3; c++) {
            double e = q[c] - (a[c] + (b[c] - a[c]) * k);
            d += e * e;
        }
        d = sqrt(d) - (ra + (rb - ra) * k);
        best = d < best ? d : best;
    }
    return best;
}

TEST cone_hits_lie_on_the_hull_of_its_balls(void) {
    const double a[3] = {-0.4, -0.2, 0.1}, b[3] = {0.5, 0.3, -0.2};
    cone c = cone_prepare(v3(-0.4f, -0.2f, 0.1f), v3(0.5f, 0.3f, -0.2f), 0.3f, 0.12f);
    int32_t hits = 0;
    for (int32_t i = 0; i < 400; i++) {
        vec3 origin = v3(0.08f * (float)(i % 20 - 10), 0.07f * (float)(i / 20 - 10), 5.0f);
        vec3 ray = v3(0.01f, 0.02f, -1.0f);
        float t;
        bool hit = cone_hit(&c, origin, ray, &t);
        if (hit) {
            hits++;
            vec3 p = v3_mad(origin, ray, t);
            ASSERT_IN_RANGE(0.0, cone_distance(a, b, 0.3, 0.12, p), 2e-4);
            float along;
            vec3 n = cone_normal(&c, p, &along);
            ASSERT_IN_RANGE(0.01, cone_distance(a, b, 0.3, 0.12, v3_mad(p, n, 0.01f)), 2e-4);
        } else {
            // A miss: no point of the ray comes inside.
            for (int32_t k = 0; k < 100; k++) {
                ASSERT(cone_distance(a, b, 0.3, 0.12, v3_mad(origin, ray, 4.0f + 0.02f * (float)k)) > -1e-3);
                k += 9;
            }
        }
    }
    ASSERT(hits > 60);
    PASS();
}

static const float QUAD[12] = {-1.0f, -1.0f, 0.0f, 1.0f, -1.0f, 0.0f, 1.0f, 1.0f, 0.0f, -1.0f, 1.0f, 0.0f};
static const uint32_t QUAD_INDICES[6] = {0, 1, 2, 0, 2, 3};

// A square of side 2 at distance 4 with focal 2 is half the picture wide, and its two triangles leave neither gap nor
// double cover along the diagonal.
TEST square_covers_exactly_its_pixels(void) {
    render_mesh mesh = {
        .positions = QUAD, .indices = QUAD_INDICES, .vertex_count = 4, .triangle_count = 2, .colour = 0xffffffff};
    render_scene scene = flat_scene();
    scene.meshes = &mesh;
    scene.mesh_count = 1;
    render_camera camera = camera_at(4.0f, 2.0f);
    ASSERT_IN_RANGE(SIDE * SIDE / 4.0, covered_pixels(&scene, &camera, SIDE), 0.5);
    PASS();
}

// No two samples share a row or a column of the sixteenths, so that an edge near to upright or level takes every shade.
TEST samples_are_spread_like_rooks(void) {
    uint32_t columns = 0, rows = 0;
    for (int32_t i = 0; i < RASTER_SAMPLES; i++) {
        float x, y;
        raster_sample_offset(i, &x, &y);
        ASSERT(x > 0.0f && x < 1.0f && y > 0.0f && y < 1.0f);
        columns |= 1u << (int32_t)(x * RASTER_SAMPLES);
        rows |= 1u << (int32_t)(y * RASTER_SAMPLES);
    }
    ASSERT_EQ((1u << RASTER_SAMPLES) - 1, columns);
    ASSERT_EQ((1u << RASTER_SAMPLES) - 1, rows);
    PASS();
}

// The near plane cuts a triangle that reaches behind the eye; what is left is still found.
TEST triangle_reaching_behind_the_eye_is_cut(void) {
    const float floor_positions[9] = {-50.0f, -1.0f, 50.0f, 50.0f, -1.0f, 50.0f, 0.0f, -1.0f, -5000.0f};
    const uint32_t indices[3] = {0, 1, 2};
    render_mesh mesh = {
        .positions = floor_positions, .indices = indices, .vertex_count = 3, .triangle_count = 1, .colour = 0xffffffff};
    render_scene scene = flat_scene();
    scene.meshes = &mesh;
    scene.mesh_count = 1;
    render_camera camera = camera_at(5.0f, 1.0f);
    double area = covered_pixels(&scene, &camera, SIDE);
    ASSERT(area > 0.3 * SIDE * SIDE);
    ASSERT(area < 0.501 * SIDE * SIDE);
    PASS();
}

static bool pixel_is(const image* im, int32_t x, int32_t y, int32_t r, int32_t g, int32_t b) {
    const uint8_t* p = im->pixels + 4 * ((size_t)y * (size_t)im->width + (size_t)x);
    return abs(p[0] - r) <= 1 && abs(p[1] - g) <= 1 && abs(p[2] - b) <= 1;
}

TEST nearer_things_hide_farther_ones_in_any_order(void) {
    for (int32_t order = 0; order < 2; order++) {
        drawing d = {0};
        const float near_ball[3] = {0.0f, 0.0f, 0.5f}, far_ball[3] = {0.0f, 0.0f, -0.5f};
        const image_colour red = 0xb01010ff, green = 0x10a010ff;
        drawing_ball(&d, order == 0 ? near_ball : far_ball, order == 0 ? 0.2f : 0.6f, order == 0 ? red : green);
        drawing_ball(&d, order == 0 ? far_ball : near_ball, order == 0 ? 0.6f : 0.2f, order == 0 ? green : red);
        d.ellipsoids[0].flags = d.ellipsoids[1].flags = RENDER_UNLIT;
        render_mesh mesh = {.positions = QUAD,
                            .indices = QUAD_INDICES,
                            .vertex_count = 4,
                            .triangle_count = 2,
                            .colour = 0x1010a0ff,
                            .flags = RENDER_UNLIT};
        drawing_mesh(&d, &mesh); // a sheet at z = 0, between the two balls
        render_scene scene = flat_scene();
        drawing_fill(&d, &scene);
        render_camera camera = camera_at(4.0f, 2.0f);
        image im = render_image(&scene, &camera, 100, 100);
        ASSERT(pixel_is(&im, 50, 50, 0xb0, 0x10, 0x10)); // the near ball before the sheet
        ASSERT(pixel_is(&im, 50, 68, 0x10, 0x10, 0xa0)); // the sheet hides the far ball
        ASSERT(pixel_is(&im, 2, 2, 0, 0, 0));            // nothing
        image_destroy(&im);
        drawing_destroy(&d);
    }
    PASS();
}

// Two sheets that cross along the vertical axis: each is in front on one side, whichever is drawn first.
TEST crossing_sheets_hide_each_other(void) {
    for (int32_t order = 0; order < 2; order++) {
        float leaning[2][12];
        for (int32_t k = 0; k < 2; k++) {
            memcpy(leaning[k], QUAD, sizeof(QUAD));
            for (int32_t i = 0; i < 4; i++) {
                leaning[k][3 * i + 2] = (k == 0 ? 0.5f : -0.5f) * QUAD[3 * i];
            }
        }
        render_mesh meshes[2];
        for (int32_t k = 0; k < 2; k++) {
            int32_t which = k ^ order;
            meshes[k] = (render_mesh){.positions = leaning[which],
                                      .indices = QUAD_INDICES,
                                      .vertex_count = 4,
                                      .triangle_count = 2,
                                      .colour = which == 0 ? 0xa01010ff : 0x1010a0ff,
                                      .flags = RENDER_UNLIT};
        }
        render_scene scene = flat_scene();
        scene.meshes = meshes;
        scene.mesh_count = 2;
        render_camera camera = camera_at(4.0f, 2.0f);
        image im = render_image(&scene, &camera, 100, 100);
        ASSERT(pixel_is(&im, 60, 50, 0xa0, 0x10, 0x10));
        ASSERT(pixel_is(&im, 40, 50, 0x10, 0x10, 0xa0));
        image_destroy(&im);
    }
    PASS();
}

// A sheet over half the map, seen from straight above: across its edge the light rises evenly over the window's width.
TEST filtered_shadow_rises_evenly_across_an_edge(void) {
    const float half_sheet[12] = {-5.0f, 1.0f, -5.0f, 0.0f, 1.0f, -5.0f, 0.0f, 1.0f, 5.0f, -5.0f, 1.0f, 5.0f};
    render_mesh mesh = {
        .positions = half_sheet, .indices = QUAD_INDICES, .vertex_count = 4, .triangle_count = 2, .colour = 0xffffffff};
    render_scene scene = flat_scene();
    scene.meshes = &mesh;
    scene.mesh_count = 1;
    const primitive_set none = {NULL, NULL};
    shadow_map map;
    ASSERT(shadow_map_create(&map, &scene, &none, v3(0.0f, 1.0f, 0.0f), v3(0.0f, 0.5f, 0.0f), 2.0f, 64));
    float texel = 1.0f / map.texels_per_metre;
    for (int32_t reach = 1; reach <= 4; reach++) {
        float width = 2.0f * (float)reach + 1.0f;
        for (int32_t i = -80; i <= 80; i++) {
            float place = (float)i * 0.1f; // texels from the edge
            float light = shadow_map_light(&map, v3(place * texel, 0.0f, 0.03f), 0.01f, reach);
            ASSERT_IN_RANGE(clampf(0.5f + place / width, 0.0f, 1.0f), light, 1e-3f);
        }
        // Above the sheet nothing is in the way.
        ASSERT_IN_RANGE(1.0f, shadow_map_light(&map, v3(-1.0f, 1.5f, 0.0f), 0.01f, reach), 1e-6f);
    }
    shadow_map_destroy(&map);
    PASS();
}

// Half-clear red over green, both unlit: the mean, in linear light.
TEST translucent_layers_blend_over_what_is_behind(void) {
    drawing d = {0};
    const float near_ball[3] = {0.0f, 0.0f, 0.5f}, far_ball[3] = {0.0f, 0.0f, -0.5f};
    drawing_ball(&d, near_ball, 0.3f, 0xff000080);
    drawing_ball(&d, far_ball, 0.6f, 0x00ff00ff);
    d.ellipsoids[0].flags = d.ellipsoids[1].flags = RENDER_UNLIT;
    render_scene scene = flat_scene();
    drawing_fill(&d, &scene);
    render_camera camera = camera_at(4.0f, 2.0f);
    image im = render_image(&scene, &camera, 100, 100);
    double half = 128.0 / 255.0;
    // sRGB of that much linear light.
    double red = 255.0 * (1.055 * pow(half, 1.0 / 2.4) - 0.055),
           green = 255.0 * (1.055 * pow(1.0 - half, 1.0 / 2.4) - 0.055);
    ASSERT(pixel_is(&im, 50, 50, (int32_t)(red + 0.5), (int32_t)(green + 0.5), 0));
    image_destroy(&im);
    drawing_destroy(&d);
    PASS();
}

// Every corner of the box inside the picture, and the tightest one `margin` from its side.
TEST framing_fits_the_box_tightly(void) {
    const float low[3] = {-0.7f, 0.0f, -0.3f}, high[3] = {0.4f, 1.9f, 0.6f};
    const float directions[4][3] = {
        {0.0f, 0.0f, -1.0f}, {-0.6f, -0.3f, -0.5f}, {1.0f, -0.2f, 0.1f}, {0.0f, -1.0f, 0.0f}};
    const int32_t sizes[2][2] = {{480, 360}, {200, 400}};
    for (int32_t k = 0; k < 8; k++) {
        int32_t width = sizes[k & 1][0], height = sizes[k & 1][1];
        render_camera camera = render_camera_frame(low, high, directions[k / 2], 2.5f, 0.1f, width, height);
        float slack = 1e9f;
        for (int32_t i = 0; i < 8; i++) {
            float corner[3] = {i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]};
            float x, y;
            ASSERT(render_camera_project(&camera, width, height, corner, &x, &y));
            x = 2.0f * x / (float)width - 1.0f;
            y = 2.0f * y / (float)height - 1.0f;
            slack = fminf(slack, fminf(1.0f - fabsf(x), 1.0f - fabsf(y)));
        }
        ASSERT_IN_RANGE(0.1f, slack, 1e-3f);
    }
    PASS();
}

// A thin rod across the picture's diagonal: the box along the picture's axes reaches its ends, with the margin to spare
// left and right, where it is tight, and brings the camera nearer than the box along the world's.
TEST framing_by_the_axes_of_the_picture_is_tighter(void) {
    const float direction[3] = {-0.6f, -0.2f, -0.7f}, ends[2][3] = {{-1.0f, 0.2f, 0.9f}, {1.1f, 1.4f, -1.2f}};
    float axes[3][3], low[3], high[3], view_low[3], view_high[3];
    render_view_axes(direction, axes);
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t k = 0; k < 3; k++) {
            float dot = axes[i][0] * axes[k][0] + axes[i][1] * axes[k][1] + axes[i][2] * axes[k][2];
            ASSERT_IN_RANGE(i == k ? 1.0f : 0.0f, dot, 1e-6f);
        }
        float a = 0.0f, b = 0.0f;
        for (int32_t k = 0; k < 3; k++) {
            a += axes[i][k] * ends[0][k];
            b += axes[i][k] * ends[1][k];
        }
        view_low[i] = fminf(a, b), view_high[i] = fmaxf(a, b);
        low[i] = fminf(ends[0][i], ends[1][i]), high[i] = fmaxf(ends[0][i], ends[1][i]);
    }
    render_camera by_view = render_camera_frame_view(view_low, view_high, direction, 2.5f, 0.1f, 300, 200);
    render_camera by_world = render_camera_frame(low, high, direction, 2.5f, 0.1f, 300, 200);
    float left = 1e9f, right = 1e9f, above = 1e9f, distance[2] = {0.0f, 0.0f};
    for (int32_t i = 0; i < 8; i++) {
        float corner[3], x, y;
        for (int32_t k = 0; k < 3; k++) {
            corner[k] = 0.0f;
            for (int32_t c = 0; c < 3; c++) {
                corner[k] += axes[c][k] * ((i >> c & 1) != 0 ? view_high[c] : view_low[c]);
            }
        }
        ASSERT(render_camera_project(&by_view, 300, 200, corner, &x, &y));
        left = fminf(left, x / 150.0f);
        right = fminf(right, 2.0f - x / 150.0f);
        above = fminf(above, 1.0f - fabsf(y / 100.0f - 1.0f));
    }
    ASSERT_IN_RANGE(0.1f, left, 1e-3f);
    ASSERT_IN_RANGE(0.1f, right, 1e-3f);
    ASSERT(above > 0.1f);
    for (int32_t k = 0; k < 3; k++) {
        distance[0] += powf(by_view.eye[k] - by_view.target[k], 2.0f);
        distance[1] += powf(by_world.eye[k] - by_world.target[k], 2.0f);
    }
    ASSERT(distance[0] < 0.9f * distance[1]);
    PASS();
}

// Lit, shadowed, translucent, on the ground: everything at once, with one thread and with several.
TEST picture_does_not_depend_on_the_thread_count(void) {
    drawing d = {0};
    const float rotation[4] = {0.0f, 0.38268343f, 0.0f, 0.92387953f}, half[3] = {0.2f, 0.3f, 0.2f};
    for (int32_t i = 0; i < 5; i++) {
        float p[3] = {0.4f * (float)(i - 2), 0.35f, 0.2f * (float)(i % 2)}, top[3] = {p[0], 0.9f, p[2]};
        drawing_ball(&d, p, 0.2f, 0xc04030ff);
        drawing_link(&d, p, top, 0.0f, 1.0f, 0x3050c0ff);
        drawing_box(&d, top, rotation, half, 0x40a06080);
    }
    ASSERT_FALSE(d.failed);
    render_scene scene = render_scene_default();
    drawing_fill(&d, &scene);
    const float low[3] = {-1.0f, 0.0f, -0.5f}, high[3] = {1.0f, 1.3f, 0.5f}, direction[3] = {-0.4f, -0.4f, -1.0f};
    render_camera camera = render_camera_frame(low, high, direction, 3.0f, 0.05f, 150, 110);
    scene.thread_count = 1;
    image one = render_image(&scene, &camera, 150, 110);
    for (int32_t threads = 2; threads <= 7; threads += 5) {
        scene.thread_count = threads;
        image many = render_image(&scene, &camera, 150, 110);
        ASSERT_MEM_EQ(one.pixels, many.pixels, 4 * 150 * 110);
        image_destroy(&many);
    }
    image_destroy(&one);
    drawing_destroy(&d);
    PASS();
}

// A ball over the ground: the ground below is darker than the ground far away, which is as bright as without the ball.
TEST shadow_falls_under_the_ball_and_nowhere_else(void) {
    image pictures[2];
    float under_x = 0.0f, under_y = 0.0f;
    for (int32_t i = 0; i < 2; i++) {
        drawing d = {0};
        const float centre[3] = {0.0f, 0.5f, 0.0f};
        drawing_ball(&d, centre, 0.3f, 0x808080ff);
        d.ellipsoids[0].flags = i == 0 ? RENDER_NO_SHADOW : 0;
        render_scene scene = render_scene_default();
        drawing_fill(&d, &scene);
        scene.stage.grid_spacing = 0.0f;
        scene.stage.key_direction[0] = scene.stage.key_direction[2] = 0.0f;
        render_camera camera = {{0.0f, 2.0f, 4.0f}, {0.0f, 0.3f, 0.0f}, {0.0f, 1.0f, 0.0f}, 2.0f};
        pictures[i] = render_image(&scene, &camera, 160, 120);
        const float under[3] = {0.0f, 0.0f, 0.1f};
        ASSERT(render_camera_project(&camera, 160, 120, under, &under_x, &under_y));
        drawing_destroy(&d);
    }
    const uint8_t* lit = pictures[0].pixels + 4 * (160 * (int32_t)under_y + (int32_t)under_x);
    const uint8_t* dark = pictures[1].pixels + 4 * (160 * (int32_t)under_y + (int32_t)under_x);
    ASSERT(lit[0] > dark[0] + 40);
    const uint8_t* corner[2] = {pictures[0].pixels + 4 * (160 * 118 + 2), pictures[1].pixels + 4 * (160 * 118 + 2)};
    ASSERT(abs(corner[0][0] - corner[1][0]) <= 2);
    image_destroy(&pictures[0]);
    image_destroy(&pictures[1]);
    PASS();
}

// Numbers that are none, indices out of range and empty scenes give a picture, not a crash.
TEST broken_input_is_left_out(void) {
    const float positions[9] = {0.0f, 0.0f, 0.0f, NAN, 1.0f, 0.0f, INFINITY, 0.0f, 1.0f};
    const uint32_t indices[6] = {0, 1, 2, 0, 1, 77};
    render_mesh mesh = {
        .positions = positions, .indices = indices, .vertex_count = 3, .triangle_count = 2, .colour = 0xffffffff};
    drawing d = {0};
    const float bad[3] = {NAN, 0.0f, 0.0f}, rotation[4] = {0.0f, 0.0f, 0.0f, 1.0f}, none[3] = {0.0f, 0.0f, 0.0f};
    drawing_mesh(&d, &mesh);
    drawing_ball(&d, bad, 1.0f, 0xffffffff);
    drawing_ellipsoid(&d, none, rotation, none, 0xffffffff);
    drawing_link(&d, bad, none, 0.1f, 1.0f, 0xffffffff);
    render_scene scene = render_scene_default();
    drawing_fill(&d, &scene);
    float low[3], high[3];
    render_box_empty(low, high);
    const float direction[3] = {0.0f, 0.0f, 0.0f};
    render_camera camera = render_camera_frame(low, high, direction, 2.0f, 0.1f, 40, 40);
    image im = render_image(&scene, &camera, 40, 40);
    ASSERT(im.pixels != NULL);
    image_destroy(&im);
    im = render_image(&scene, &camera, 0, 40);
    ASSERT(im.pixels == NULL);
    drawing_destroy(&d);
    PASS();
}

SUITE(render_suite);
SUITE(render_suite) {
    RUN_TEST(ball_outline_has_the_area_of_its_tangent_cone);
    RUN_TEST(ball_off_the_axis_has_the_area_of_an_ellipse);
    RUN_TEST(ellipsoid_hits_lie_on_its_surface_with_the_gradient_as_normal);
    RUN_TEST(cone_hits_lie_on_the_hull_of_its_balls);
    RUN_TEST(square_covers_exactly_its_pixels);
    RUN_TEST(samples_are_spread_like_rooks);
    RUN_TEST(triangle_reaching_behind_the_eye_is_cut);
    RUN_TEST(nearer_things_hide_farther_ones_in_any_order);
    RUN_TEST(crossing_sheets_hide_each_other);
    RUN_TEST(filtered_shadow_rises_evenly_across_an_edge);
    RUN_TEST(translucent_layers_blend_over_what_is_behind);
    RUN_TEST(framing_fits_the_box_tightly);
    RUN_TEST(framing_by_the_axes_of_the_picture_is_tighter);
    RUN_TEST(picture_does_not_depend_on_the_thread_count);
    RUN_TEST(shadow_falls_under_the_ball_and_nowhere_else);
    RUN_TEST(broken_input_is_left_out);
}
