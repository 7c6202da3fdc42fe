// SPDX-License-Identifier: MIT
#include "tools/puppet.h"
#include "tools/command.h"
#include "tools/compose.h"
#include "tools/options.h"
#include "tools/vec3.h"

#include <stdlib.h>
#include <string.h>

#define GHOST 0xe8e6e3a0u
#define LINK_RADIUS 0.0012f
#define CROSSED_COLOUR 0xd3202bffu
#define TURNED_COLOUR 0x8a3fc0ffu
#define STRETCHED_COLOUR 0xf08a1effu
#define CAP_COLOUR 0xe0506affu // what is inside

const char* const PUPPET_VIEW_NAMES[PUPPET_VIEW_COUNT] = {"front", "side", "back", "quarter", "rear", "top"};
const float PUPPET_VIEWS[PUPPET_VIEW_COUNT][3] = {{0.0f, -0.16f, -1.0f}, {-1.0f, -0.16f, 0.0f},
                                                  {0.0f, -0.16f, 1.0f},  {-0.55f, -0.22f, -1.0f},
                                                  {-0.65f, -0.2f, 0.8f}, {0.0f, -1.0f, -0.02f}};

static const image_colour LINK_COLOURS[HEM_LINK_KIND_COUNT] = {0x2f6fb0ff, 0xd9662bff, 0x7fae62ff,
                                                               0xa98bc4ff, 0xcbb26aff, 0xc23b6bff};

// -- State

static void read_rest(puppet* p) {
    const hem_view* v = &p->source->view;
    for (uint32_t i = 0; i < v->info->vertex_count; i++) {
        memcpy(p->positions + 3 * (size_t)i, v->vertex_rest[i].position, sizeof(float) * 3);
        memcpy(p->normals + 3 * (size_t)i, v->vertex_rest[i].normal, sizeof(float) * 3);
    }
    for (uint32_t i = 0; i < v->info->particle_count; i++) {
        const hem_rest_row* rest = &v->rest_rows[i / HEM_LANES];
        const hem_shape_row* shape = &v->shape_rows[i / HEM_LANES];
        uint32_t lane = i % HEM_LANES;
        hem_particle* q = &p->particles[i];
        memset(q, 0, sizeof(*q));
        v3_store(q->position, v3(rest->x[lane], rest->y[lane], rest->z[lane]));
        q->rotation[0] = shape->qx[lane], q->rotation[1] = shape->qy[lane];
        q->rotation[2] = shape->qz[lane], q->rotation[3] = shape->qw[lane];
        v3_store(q->radii, v3(shape->a[lane], shape->b[lane], shape->c[lane]));
        q->inverse_mass = shape->inverse_mass[lane];
        q->flags = v->particle_flags[i];
        q->part = v->particle_flags[i] >> HEM_PARTICLE_PART_SHIFT;
    }
}

static bool make_torn(puppet* p, const hem_asset_info* info) {
    const hem_view* v = &p->source->view;
    const size_t vertices = (size_t)info->vertex_count + info->torn_vertex_capacity + 1;
    p->indices = malloc(sizeof(uint32_t) * ((size_t)v->preview_index_count + 1));
    p->cap_indices = malloc(sizeof(uint32_t) * ((size_t)info->torn_index_capacity + 1));
    p->torn_source = malloc(sizeof(uint32_t) * ((size_t)info->torn_vertex_capacity + 1));
    p->torn_colours = malloc(4 * vertices);
    if (p->indices == NULL || p->cap_indices == NULL || p->torn_source == NULL || p->torn_colours == NULL) {
        return false;
    }
    memcpy(p->indices, v->preview_indices, sizeof(uint32_t) * v->preview_index_count);
    return true;
}

bool puppet_create(puppet* p, const asset* a) {
    memset(p, 0, sizeof(*p));
    p->source = a;
    p->part = -1;
    p->link_count = asset_link_count(a);
    hem_asset_info info;
    hem_asset_get_info(&a->handle, &info);
    size_t vertex_count = (size_t)a->view.info->vertex_count + info.torn_vertex_capacity + 1,
           particle_count = (size_t)a->view.info->particle_count + 1;
    p->links = malloc(sizeof(asset_link) * ((size_t)p->link_count + 1));
    p->positions = malloc(sizeof(float) * 3 * vertex_count);
    p->normals = malloc(sizeof(float) * 3 * vertex_count);
    p->colours = malloc(4 * vertex_count);
    p->particles = malloc(sizeof(hem_particle) * particle_count);
    p->values = malloc(sizeof(float) * particle_count);
    p->colliders = malloc(sizeof(hem_collider) * PUPPET_COLLIDERS_MAX);
    if (p->links == NULL || p->positions == NULL || p->normals == NULL || p->colours == NULL || p->particles == NULL ||
        p->values == NULL || p->colliders == NULL) {
        puppet_destroy(p);
        return false;
    }
    if ((info.spare_count != 0 && a->view.preview_indices != NULL && !make_torn(p, &info)) ||
        !puppet_refined_create(&p->refined, a)) {
        puppet_destroy(p);
        return false;
    }
    asset_links(a, p->links);
    read_rest(p);
    return true;
}

void puppet_destroy(puppet* p) {
    free(p->links);
    free(p->positions);
    free(p->normals);
    free(p->colours);
    free(p->particles);
    free(p->values);
    free(p->colliders);
    free(p->sorted);
    free(p->indices);
    free(p->cap_indices);
    free(p->torn_source);
    free(p->torn_colours);
    puppet_refined_destroy(&p->refined);
    memset(p, 0, sizeof(*p));
}

void puppet_set_pose(puppet* p, const float* matrices) {
    const hem_view* v = &p->source->view;
    read_rest(p);
    asset_skin(p->source, matrices, p->positions, p->normals);
    for (uint32_t i = 0; i < v->info->particle_count; i++) {
        const hem_bind_row* bind = &v->bind_rows[i / HEM_LANES];
        vec3 rest = v3_load(p->particles[i].position), moved = v3(0.0f, 0.0f, 0.0f);
        for (int32_t k = 0; k < 4; k++) {
            float weight = bind->weight[k][i % HEM_LANES];
            const float* m = matrices + 12 * (size_t)bind->bone[k][i % HEM_LANES];
            vec3 q = v3(v3_dot(v3_load(m), rest) + m[3], v3_dot(v3_load(m + 4), rest) + m[7],
                        v3_dot(v3_load(m + 8), rest) + m[11]);
            moved = v3_mad(moved, q, weight);
        }
        v3_store(p->particles[i].position, moved);
    }
}

// As a game would: indices are read again only when they have changed.
static hem_result read_torn(puppet* p, const hem_scene* scene, hem_instance_id id) {
    const hem_view* v = &p->source->view;
    hem_torn torn;
    hem_result result = hem_instance_get_torn(scene, id, &torn);
    if (result != HEM_OK || torn.change_count == p->change_count) {
        return result;
    }
    p->change_count = torn.change_count;
    p->torn_count = torn.vertex_count;
    p->cap_index_count = torn.cap_index_count;
    memcpy(p->cap_indices, torn.cap_indices, sizeof(uint32_t) * torn.cap_index_count);
    for (uint32_t i = 0; i < torn.vertex_count; i++) {
        p->torn_source[i] = torn.vertices[i].source;
    }
    for (uint32_t i = 0; i < v->mesh_count && result == HEM_OK; i++) {
        result = hem_instance_get_torn_indices(scene, id, i, p->indices + v->meshes[i].index_begin,
                                               v->meshes[i].index_count);
    }
    return result;
}

hem_result puppet_read(puppet* p, const hem_scene* scene, hem_instance_id id) {
    hem_skin_args args;
    memset(&args, 0, sizeof(args));
    if (p->indices != NULL && read_torn(p, scene, id) != HEM_OK) {
        return HEM_ERROR_STATE;
    }
    args.vertex_count = p->source->view.info->vertex_count + p->torn_count;
    args.positions = p->positions;
    args.normals = p->normals;
    hem_result result = args.vertex_count > 0 ? hem_instance_skin(scene, id, &args) : HEM_OK;
    if (result == HEM_OK) {
        result = hem_instance_get_particles(scene, id, 0, p->source->view.info->particle_count, p->particles);
    }
    if (result == HEM_OK) {
        result = hem_instance_get_colliders(scene, id, p->colliders, PUPPET_COLLIDERS_MAX, &p->collider_count);
    }
    if (result == HEM_OK && p->show_refined) {
        result = puppet_refined_read(&p->refined, p, scene, id);
    }
    return result;
}

void puppet_box(const puppet* p, float box_min[3], float box_max[3]) {
    render_box_add(box_min, box_max, p->positions, (int32_t)p->source->view.info->vertex_count, 3 * sizeof(float));
    for (uint32_t i = 0; i < p->source->view.info->particle_count; i++) {
        const hem_particle* q = &p->particles[i];
        if ((q->flags & HEM_PARTICLE_PAD) == 0) {
            float radius = fmaxf(q->radii[0], fmaxf(q->radii[1], q->radii[2]));
            for (int32_t k = 0; k < 2; k++) {
                float corner[3];
                v3_store(corner,
                         v3_add(v3_load(q->position), v3_scale(v3(radius, radius, radius), k == 0 ? -1.0f : 1.0f)));
                render_box_add(box_min, box_max, corner, 1, 0);
            }
        }
    }
}

void puppet_extent(const puppet* p, puppet_overlay overlay, float axes[3][3], float low[3], float high[3]) {
    const hem_info* info = p->source->view.info;
    bool with_particles = overlay == PUPPET_ELLIPSOIDS || overlay == PUPPET_BODY_SHAPE || overlay == PUPPET_CONTACTS ||
                          info->vertex_count == 0;
    uint32_t particle_count = with_particles ? info->particle_count : 0;
    for (uint32_t i = 0; i < info->vertex_count + particle_count; i++) {
        const hem_particle* q = i < info->vertex_count ? NULL : &p->particles[i - info->vertex_count];
        if (q != NULL && (q->flags & HEM_PARTICLE_PAD) != 0) {
            continue;
        }
        vec3 place = v3_load(q != NULL ? q->position : p->positions + 3 * (size_t)i);
        float radius = q != NULL ? fmaxf(q->radii[0], fmaxf(q->radii[1], q->radii[2])) : 0.0f;
        for (int32_t k = 0; k < 3; k++) {
            float at = v3_dot(place, v3_load(axes[k]));
            if (fabsf(at) < 1e18f) { // else it has no place in a picture
                low[k] = fminf(low[k], at - radius);
                high[k] = fmaxf(high[k], at + radius);
            }
        }
    }
}

void puppet_centre(const puppet* p, float centre[2]) {
    const hem_view* v = &p->source->view;
    double sum[2][2] = {{0.0, 0.0}, {0.0, 0.0}};
    uint32_t count[2] = {0, 0};
    for (uint32_t i = 0; i < v->info->vertex_count; i++) {
        int32_t moves = v->vertex_bind[i].blend > 32767;
        sum[moves][0] += (double)p->positions[3 * (size_t)i];
        sum[moves][1] += (double)p->positions[3 * (size_t)i + 2];
        count[moves]++;
    }
    int32_t kind = count[0] > 0 ? 0 : 1;
    for (int32_t k = 0; k < 2; k++) {
        centre[k] = count[kind] > 0 ? (float)(sum[kind][k] / count[kind]) : 0.0f;
    }
}

bool puppet_travels(const asset* a, float (*centres)[2], int32_t count) {
    float low[2] = {1e30f, 1e30f}, high[2] = {-1e30f, -1e30f}, size = 0.0f;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = 0; k < 2; k++) {
            low[k] = fminf(low[k], centres[i][k]);
            high[k] = fmaxf(high[k], centres[i][k]);
        }
    }
    for (int32_t k = 0; k < 3; k++) {
        size = fmaxf(size, a->view.info->bounds_max[k] - a->view.info->bounds_min[k]);
    }
    return fmaxf(high[0] - low[0], high[1] - low[1]) > 0.5f * size;
}

int puppet_view_option(const char* text, float direction[3]) {
    if (text == NULL) {
        return COMMAND_OK;
    }
    if (strchr(text, ',') != NULL) {
        int code = option_vector("--view", text, direction);
        float length = code == COMMAND_OK ? v3_length(v3_load(direction)) : 1.0f;
        return length > 1e-6f ? code : command_fail(COMMAND_USAGE, "--view 0,0,0 looks nowhere");
    }
    int32_t index = 0;
    int code = option_choice("--view", text, PUPPET_VIEW_NAMES, PUPPET_VIEW_COUNT, &index);
    memcpy(direction, PUPPET_VIEWS[index], sizeof(PUPPET_VIEWS[index]));
    return code;
}

// -- Drawing

// Closing surfaces have a colour of their own; torn vertices that of what they were torn from.
static void draw_torn(const puppet* p, image_colour colour, const uint8_t* colours, drawing* d) {
    const uint32_t whole = p->source->view.info->vertex_count;
    if (colours != NULL) {
        memcpy(p->torn_colours, colours, 4 * (size_t)whole);
        for (uint32_t i = 0; i < p->torn_count; i++) {
            const uint32_t source = p->torn_source[i] != HEM_TORN_CAP ? p->torn_source[i] : 0;
            memcpy(p->torn_colours + 4 * (size_t)(whole + i), colours + 4 * (size_t)source, 4);
        }
    }
    const render_mesh caps = {.positions = p->positions,
                              .normals = p->normals,
                              .indices = p->cap_indices,
                              .vertex_count = (int32_t)(whole + p->torn_count),
                              .triangle_count = (int32_t)(p->cap_index_count / 3),
                              .colour = colours != NULL ? CAP_COLOUR : colour,
                              .gloss = 0.1f};
    drawing_mesh(d, &caps);
}

static void draw_mesh(puppet* p, image_colour colour, const uint8_t* colours, drawing* d) {
    const hem_view* v = &p->source->view;
    if (v->preview_indices == NULL) {
        return;
    }
    const uint32_t* indices = p->indices != NULL ? p->indices : v->preview_indices;
    if (p->torn_count != 0) {
        draw_torn(p, colour, colours, d);
        colours = colours != NULL ? p->torn_colours : NULL;
    }
    // Values of overlays are known at the skin's vertices alone.
    const bool own = v->preview_colors != NULL && colours == v->preview_colors[0];
    if (p->refined.faces.vertex_count != 0 && (own || colours == NULL)) {
        puppet_refined_draw(&p->refined, p, colour, own, d);
        indices = p->refined.others;
    }
    render_mesh mesh = {.positions = p->positions,
                        .normals = p->normals,
                        .colours = colours,
                        .indices = indices,
                        .vertex_count = (int32_t)(v->info->vertex_count + p->torn_count),
                        .triangle_count = (int32_t)(v->preview_index_count / 3),
                        .colour = colour,
                        .gloss = 0.05f};
    if (p->hidden == NULL) {
        drawing_mesh(d, &mesh);
        return;
    }
    for (uint32_t i = 0; i < v->mesh_count; i++) {
        if (!p->hidden[i]) {
            mesh.indices = indices + v->meshes[i].index_begin;
            mesh.triangle_count = (int32_t)(v->meshes[i].index_count / 3);
            drawing_mesh(d, &mesh);
        }
    }
}

static bool is_hidden(const puppet* p, uint32_t triangle) {
    const hem_view* v = &p->source->view;
    for (uint32_t i = 0; p->hidden != NULL && i < v->mesh_count; i++) {
        if (p->hidden[i] && 3 * triangle - v->meshes[i].index_begin < v->meshes[i].index_count) {
            return true;
        }
    }
    return false;
}

static bool shown(const hem_particle* q) {
    return (q->flags & HEM_PARTICLE_PAD) == 0;
}

static bool of_part(const puppet* p, const hem_particle* q) {
    return p->part < 0 || q->part == (uint32_t)p->part;
}

static image_colour role_colour(const hem_particle* q) {
    if ((q->flags & HEM_PARTICLE_BODY) != 0) {
        return PUPPET_BODY;
    }
    return (q->flags & HEM_PARTICLE_ANIMATED) != 0 ? PUPPET_ATTACHED : PUPPET_SIMULATED;
}

static void draw_particles(const puppet* p, uint32_t flags, drawing* d) { // those that have all of the flags
    for (uint32_t i = 0; i < p->source->view.info->particle_count; i++) {
        const hem_particle* q = &p->particles[i];
        if (shown(q) && (q->flags & flags) == flags) {
            drawing_ellipsoid(d, q->position, q->rotation, q->radii, role_colour(q));
        }
    }
}

// Edges of the cells of lattices: neighbours in a bar.
static void draw_cells(const puppet* p, drawing* d) {
    const hem_view* v = &p->source->view;
    for (uint32_t i = 0; i < v->lattice_bar_count; i++) {
        const uint32_t* order = v->lattice_order + v->lattice_bars[i].first;
        for (uint32_t k = 1; k < v->lattice_bars[i].count; k++) {
            const hem_particle *from = &p->particles[order[k - 1]], *to = &p->particles[order[k]];
            if (of_part(p, to)) {
                drawing_link(d, from->position, to->position, LINK_RADIUS, 0.7f, LINK_COLOURS[HEM_LINK_WARP]);
            }
        }
    }
}

static void draw_links(const puppet* p, drawing* d) {
    for (uint32_t i = 0; i < p->link_count; i++) {
        const asset_link* l = &p->links[i];
        if (hem_kind_in(l->kind, HEM_KINDS_SPANS) || !of_part(p, &p->particles[l->a])) {
            continue; // bends and tethers would cover the rest
        }
        drawing_link(d, p->particles[l->a].position, p->particles[l->b].position, LINK_RADIUS, 0.7f,
                     LINK_COLOURS[l->kind]);
    }
    for (uint32_t i = 0; i < p->source->view.info->particle_count; i++) {
        const hem_particle* q = &p->particles[i];
        if (shown(q) && of_part(p, q) && (q->flags & HEM_PARTICLE_BODY) == 0) {
            drawing_ball(d, q->position, 0.16f * fmaxf(q->radii[1], q->radii[2]), role_colour(q));
        }
    }
}

// Mixes a particle quantity onto the vertices, as the skin does with positions.
static void paint_vertices(puppet* p, colour_map map, float low, float high) {
    const hem_view* v = &p->source->view;
    for (uint32_t i = 0; i < v->info->vertex_count; i++) {
        const hem_vertex_bind* bind = &v->vertex_bind[i];
        float value = 0.0f;
        for (int32_t k = 0; k < 4; k++) {
            if (bind->particle_weight[k] > 0) {
                value += (float)bind->particle_weight[k] / 65535.0f * p->values[bind->particle[k]];
            }
        }
        image_colour colour = colour_from_map(map, (value - low) / (high - low));
        colour = colour_mix(0xcfcac4ff, colour, (float)bind->blend / 65535.0f);
        for (int32_t c = 0; c < 4; c++) {
            p->colours[4 * (size_t)i + (size_t)c] = (uint8_t)(colour >> (24 - 8 * c));
        }
    }
}

// Per particle: the mean of its warp, weft and shear links, |length| / rest - 1.
static void measure_stretch(puppet* p) {
    uint32_t count = p->source->view.info->particle_count;
    float* weight = calloc((size_t)count + 1, sizeof(float));
    memset(p->values, 0, sizeof(float) * count);
    if (weight == NULL) {
        return;
    }
    for (uint32_t i = 0; i < p->link_count; i++) {
        const asset_link* l = &p->links[i];
        if (!hem_kind_in(l->kind, HEM_KINDS_STRETCH) || !(l->rest > 1e-6f)) {
            continue;
        }
        vec3 apart = v3_sub(v3_load(p->particles[l->a].position), v3_load(p->particles[l->b].position));
        float stretch = v3_length(apart) / l->rest - 1.0f;
        p->values[l->a] += stretch, weight[l->a] += 1.0f;
        p->values[l->b] += stretch, weight[l->b] += 1.0f;
    }
    for (uint32_t i = 0; i < count; i++) {
        p->values[i] = weight[i] > 0.0f ? p->values[i] / weight[i] : 0.0f;
    }
    free(weight);
}

static void paint_blend(puppet* p) {
    const hem_view* v = &p->source->view;
    for (uint32_t i = 0; i < v->info->vertex_count; i++) {
        image_colour colour = colour_mix(0x4a4a4cff, 0x58b368ff, (float)v->vertex_bind[i].blend / 65535.0f);
        for (int32_t c = 0; c < 4; c++) {
            p->colours[4 * (size_t)i + (size_t)c] = (uint8_t)(colour >> (24 - 8 * c));
        }
    }
}

// Distance from a point to a collider's surface, negative inside.
static float collider_distance(const hem_collider* c, vec3 point) {
    const float inverse[4] = {-c->rotation[0], -c->rotation[1], -c->rotation[2], c->rotation[3]};
    vec3 origin = v3((float)c->position[0], (float)c->position[1], (float)c->position[2]);
    vec3 q = v3_rotate(inverse, v3_sub(point, origin));
    switch (c->kind) {
    case HEM_COLLIDER_PLANE:
        return q.y;
    case HEM_COLLIDER_SPHERE:
        return v3_length(q) - c->size[0];
    case HEM_COLLIDER_CAPSULE: {
        float y = clampf(q.y, -c->size[2], c->size[2]);
        float t = c->size[2] > 0.0f ? 0.5f + 0.5f * y / c->size[2] : 0.0f;
        return v3_length(v3(q.x, q.y - y, q.z)) - mixf(c->size[0], c->size[1], t);
    }
    case HEM_COLLIDER_BOX: {
        vec3 out = v3(fabsf(q.x) - c->size[0], fabsf(q.y) - c->size[1], fabsf(q.z) - c->size[2]);
        float inside = fminf(fmaxf(out.x, fmaxf(out.y, out.z)), 0.0f);
        return inside + v3_length(v3_max(out, v3(0.0f, 0.0f, 0.0f))) - c->size[3];
    }
    default: {
        float far = -1e30f;
        for (uint32_t i = 0; i < c->plane_count && c->planes != NULL; i++) {
            far = fmaxf(far, v3_dot(v3_load(c->planes + 4 * i), q) - c->planes[4 * i + 3]);
        }
        return far;
    }
    }
}

// A surface particle collides as the sphere that touches its outer end (section 5.2); others as their circumsphere.
static float particle_distance(const hem_particle* q, vec3 point) {
    vec3 centre = v3_load(q->position);
    float radius = fmaxf(q->radii[0], fmaxf(q->radii[1], q->radii[2]));
    if ((q->flags & HEM_PARTICLE_SURFACE) != 0) {
        radius = 0.5f * (q->radii[1] * q->radii[1] + q->radii[2] * q->radii[2]) / q->radii[0];
        centre = v3_mad(centre, v3_rotate(q->rotation, v3(1.0f, 0.0f, 0.0f)), q->radii[0] - radius);
    }
    return v3_length(v3_sub(point, centre)) - radius;
}

static void draw_contacts(const puppet* p, drawing* d) {
    uint32_t count = p->source->view.info->particle_count;
    for (uint32_t i = 0; i < count; i++) {
        const hem_particle* q = &p->particles[i];
        if (!shown(q)) {
            continue;
        }
        if ((q->flags & HEM_PARTICLE_ANIMATED) != 0) {
            drawing_ellipsoid(d, q->position, q->rotation, q->radii, colour_with_alpha(PUPPET_BODY, 0.35f));
            continue;
        }
        vec3 point = v3_load(q->position);
        float radius = fminf(q->radii[0], fminf(q->radii[1], q->radii[2]));
        float nearest = 1e30f;
        for (uint32_t k = 0; k < count; k++) {
            if (shown(&p->particles[k]) && (p->particles[k].flags & HEM_PARTICLE_BODY) != 0) {
                nearest = fminf(nearest, particle_distance(&p->particles[k], point));
            }
        }
        for (uint32_t k = 0; k < p->collider_count; k++) {
            nearest = fminf(nearest, collider_distance(&p->colliders[k], point));
        }
        drawing_ellipsoid(d, q->position, q->rotation, q->radii,
                          colour_from_map(COLOUR_MAP_HEAT, 1.0f - nearest / (3.0f * radius)));
    }
}

static void draw_collider(const hem_collider* c, image_colour colour, drawing* d) {
    float position[3] = {(float)c->position[0], (float)c->position[1], (float)c->position[2]};
    if (c->kind == HEM_COLLIDER_SPHERE) {
        drawing_ball(d, position, c->size[0], colour);
    } else if (c->kind == HEM_COLLIDER_CAPSULE) {
        vec3 axis = v3_scale(v3_rotate(c->rotation, v3(0.0f, 1.0f, 0.0f)), c->size[2]);
        float a[3], b[3];
        v3_store(a, v3_sub(v3_load(position), axis));
        v3_store(b, v3_add(v3_load(position), axis));
        drawing_capsule(d, a, b, c->size[0], c->size[1], colour);
    } else if (c->kind == HEM_COLLIDER_BOX) {
        drawing_box(d, position, c->rotation, c->size, colour);
    } else if (c->kind == HEM_COLLIDER_HULL && c->planes != NULL) {
        drawing_hull(d, position, c->rotation, (const float(*)[4])c->planes, (int32_t)c->plane_count, 4.0f, colour);
    }
}

static void draw_colliders(const puppet* p, drawing* d) {
    for (uint32_t i = 0; i < p->collider_count; i++) {
        draw_collider(&p->colliders[i], 0x5f92cc70, d);
    }
}

// What an asset brings along to lie on and no bone moves: nothing else would show it.
static void draw_furniture(const puppet* p, drawing* d) {
    const hem_view* v = &p->source->view;
    for (uint32_t i = 0; i < v->collider_count; i++) {
        const hem_asset_collider* from = &v->colliders[i];
        hem_collider c = hem_collider_default();
        c.kind = (hem_collider_kind)from->kind;
        memcpy(c.rotation, from->rotation, sizeof(c.rotation));
        memcpy(c.size, from->size, sizeof(c.size));
        for (int32_t k = 0; k < 3; k++) {
            c.position[k] = (double)from->position[k];
        }
        if (from->bone == HEM_NONE) {
            draw_collider(&c, 0xb9b2a6ff, d);
        }
    }
}

static void draw_overlaps(const puppet* p, drawing* d) {
    const hem_view* v = &p->source->view;
    for (uint32_t i = 0; v->ignore_starts != NULL && i < v->info->particle_count; i++) {
        if (!shown(&p->particles[i])) {
            continue;
        }
        for (uint32_t k = v->ignore_starts[i]; k < v->ignore_starts[i + 1]; k++) {
            uint32_t other = v->ignore_list[k];
            if (other > i && shown(&p->particles[other])) {
                drawing_link(d, p->particles[i].position, p->particles[other].position, 0.0f, 0.45f, 0x4e9a9dff);
            }
        }
    }
    for (uint32_t i = 0; i < v->info->particle_count; i++) {
        const hem_particle* q = &p->particles[i];
        if (shown(q)) {
            drawing_ball(d, q->position, 0.12f * fmaxf(q->radii[1], q->radii[2]), role_colour(q));
        }
    }
}

// Pale where nothing is wrong, paler red behind the wrong side of something.
static void paint_wrong(puppet* p) {
    const hem_view* v = &p->source->view;
    for (uint32_t i = 0; i < v->info->vertex_count; i++) {
        image_colour colour = 0xd8d4ceff;
        if (v->preview_colors != NULL) {
            const uint8_t* own = v->preview_colors[i];
            colour = (image_colour)own[0] << 24 | (image_colour)own[1] << 16 | (image_colour)own[2] << 8 | 255u;
        }
        colour = colour_mix(colour, 0xe6e3deff, 0.7f);
        colour = p->seen->wrong[i] ? colour_mix(colour, CROSSED_COLOUR, 0.35f) : colour;
        for (int32_t c = 0; c < 4; c++) {
            p->colours[4 * (size_t)i + (size_t)c] = (uint8_t)(colour >> (24 - 8 * c));
        }
    }
}

static void draw_crossings(puppet* p, drawing* d) {
    const hem_view* v = &p->source->view;
    uint32_t count = v->preview_index_count / 3, used = 0;
    free(p->sorted);
    p->sorted = malloc(sizeof(uint32_t) * 3 * ((size_t)count + 1));
    if (p->seen == NULL || p->sorted == NULL) {
        d->failed = true;
        return;
    }
    seen_frame frame;
    seen_measure(p->seen, p->positions, p->normals, NULL, 0.0f, &frame);
    paint_wrong(p);
    // Each kind is a mesh of its own: the colour of a face must not run into its neighbours.
    for (int32_t kind = 0; kind < 3; kind++) {
        uint32_t begin = used;
        for (uint32_t t = 0; t < count; t++) {
            uint8_t marks = p->seen->marks[t];
            int32_t own = (marks & (SEEN_MARK_LAYERS | SEEN_MARK_BODY)) != 0 ? 1 : marks != 0 ? 2 : 0;
            if (own == kind && !is_hidden(p, t)) {
                memcpy(p->sorted + 3 * (size_t)used++, v->preview_indices + 3 * (size_t)t, 3 * sizeof(uint32_t));
            }
        }
        static const image_colour colours[3] = {0xffffffff, CROSSED_COLOUR, TURNED_COLOUR};
        const render_mesh mesh = {.positions = p->positions,
                                  .normals = p->normals,
                                  .colours = kind == 0 ? p->colours : NULL,
                                  .indices = p->sorted + 3 * (size_t)begin,
                                  .vertex_count = (int32_t)v->info->vertex_count,
                                  .triangle_count = (int32_t)(used - begin),
                                  .colour = colours[kind]};
        drawing_mesh(d, &mesh);
    }
    for (uint32_t i = 0; i < p->seen->edge_count; i++) {
        if (p->seen->stretched[i]) {
            drawing_link(d, p->positions + 3 * (size_t)p->seen->edges[i].a,
                         p->positions + 3 * (size_t)p->seen->edges[i].b, 0.0f, 0.8f, STRETCHED_COLOUR);
        }
    }
}

void puppet_draw(puppet* p, puppet_overlay overlay, drawing* d) {
    const uint8_t* own = p->source->view.preview_colors != NULL ? p->source->view.preview_colors[0] : NULL;
    switch (overlay) {
    case PUPPET_PLAIN:
        draw_mesh(p, 0xffffffff, own, d);
        draw_furniture(p, d);
        break;
    case PUPPET_ELLIPSOIDS:
        draw_mesh(p, GHOST, NULL, d);
        draw_particles(p, 0, d);
        draw_colliders(p, d);
        break;
    case PUPPET_LINKS:
        draw_mesh(p, (GHOST & ~255u) | 0x60u, NULL, d);
        draw_links(p, d);
        draw_cells(p, d);
        break;
    case PUPPET_STRETCH:
        measure_stretch(p);
        paint_vertices(p, COLOUR_MAP_STRETCH, -PUPPET_STRETCH_RANGE, PUPPET_STRETCH_RANGE);
        draw_mesh(p, 0xffffffff, p->colours, d);
        break;
    case PUPPET_CONTACTS:
        draw_contacts(p, d);
        draw_colliders(p, d);
        break;
    case PUPPET_BLEND:
        paint_blend(p);
        draw_mesh(p, 0xffffffff, p->colours, d);
        break;
    case PUPPET_CROSSINGS:
        draw_crossings(p, d);
        break;
    case PUPPET_BODY_SHAPE:
        draw_mesh(p, GHOST, NULL, d);
        draw_particles(p, HEM_PARTICLE_BODY, d);
        draw_colliders(p, d);
        break;
    case PUPPET_OVERLAPS:
        draw_mesh(p, (GHOST & ~255u) | 0x40u, NULL, d);
        draw_overlaps(p, d);
        break;
    }
}

// A key of those entries that occur.
static void key_of(image* im, const char* const* names, const image_colour* colours, const uint32_t* counts,
                   int32_t entry_count) {
    enum { ENTRIES_MAX = HEM_LINK_KIND_COUNT };
    const char* used_names[ENTRIES_MAX];
    image_colour used_colours[ENTRIES_MAX];
    int32_t used = 0;
    for (int32_t i = 0; i < entry_count; i++) {
        if (counts[i] > 0) {
            used_names[used] = names[i];
            used_colours[used++] = colours[i];
        }
    }
    compose_key(im, 10, im->height - 10 - 16 * used, used_names, used_colours, used);
}

void puppet_legend(const asset* a, puppet_overlay overlay, image* im) {
    static const char* const roles[] = {"simulated", "attached", "body"};
    static const image_colour role_colours[] = {PUPPET_SIMULATED, PUPPET_ATTACHED, PUPPET_BODY};
    const uint32_t role_counts[] = {a->view.info->simulated_count, a->view.info->attached_count,
                                    a->view.info->body_count};
    const char* kinds[HEM_LINK_KIND_COUNT];
    uint32_t kind_counts[HEM_LINK_KIND_COUNT] = {0};
    for (uint32_t k = 0; k < HEM_LINK_KIND_COUNT; k++) {
        kinds[k] = asset_link_kind_name(k);
        for (uint32_t i = 0; !hem_kind_in(k, HEM_KINDS_SPANS) && i < a->view.info->part_count; i++) {
            kind_counts[k] += asset_count_part(a, i).links[k];
        }
    }
    static const char* const blends[] = {"particles", "skeleton"};
    static const image_colour blend_colours[] = {0x58b368ff, 0x4a4a4cff};
    static const char* const wrongs[] = {"crossed", "edges over 1.5", "turned"};
    static const image_colour wrong_colours[] = {CROSSED_COLOUR, STRETCHED_COLOUR, TURNED_COLOUR};
    static const char* const overlaps[] = {"never collide"};
    static const image_colour overlap_colours[] = {0x4e9a9dff};
    int32_t y = im->height - 10;
    switch (overlay) {
    case PUPPET_ELLIPSOIDS:
        key_of(im, roles, role_colours, role_counts, 3);
        break;
    case PUPPET_LINKS:
        key_of(im, kinds, LINK_COLOURS, kind_counts, HEM_LINK_KIND_COUNT);
        break;
    case PUPPET_STRETCH:
        compose_legend(im, 12, y - 34, 130, "stretch", COLOUR_MAP_STRETCH, "-10%", "0", "+10%");
        break;
    case PUPPET_CONTACTS:
        compose_legend(im, 12, y - 34, 130, "distance to body", COLOUR_MAP_HEAT, "3 radii", "", "touching");
        break;
    case PUPPET_BLEND:
        compose_key(im, 10, y - 32, blends, blend_colours, 2);
        break;
    case PUPPET_CROSSINGS:
        compose_key(im, 10, y - 48, wrongs, wrong_colours, 3);
        break;
    case PUPPET_OVERLAPS:
        compose_key(im, 10, y - 16, overlaps, overlap_colours, 1);
        break;
    case PUPPET_BODY_SHAPE:
        key_of(im, roles + 2, role_colours + 2, role_counts + 2, 1);
        break;
    case PUPPET_PLAIN:
        break;
    }
}
