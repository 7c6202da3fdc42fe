// SPDX-License-Identifier: MIT
#include "tools/puppet.h"
#include "tools/vec3.h"

#include <stdlib.h>
#include <string.h>

// Parts with `virtual: faces` as they lie over meshes: particles and the vertices that hem_instance_get_refined adds. They have no
// texture here, so each takes the colours of the vertices that are nearest to its particles.

#define VERTICES_MAX 16384
#define TRIANGLES_MAX 65536

static uint32_t refined_parts(const hem_view* v) {
    uint32_t parts = 0;
    for (uint32_t i = 0; i < v->virtual_edge_count; i++) {
        parts |= (v->virtual_edges[i].flags & HEM_VIRTUAL_FACES) != 0 ? 1u << v->virtual_edges[i].part : 0;
    }
    return parts;
}

static uint32_t strongest(const hem_vertex_bind* bind) { // 0..3
    uint32_t best = 0;
    for (uint32_t k = 1; k < 4; k++) {
        best = bind->particle_weight[k] > bind->particle_weight[best] ? k : best;
    }
    return best;
}

static uint32_t part_of(const hem_view* v, uint32_t particle) {
    return v->particle_flags[particle] >> HEM_PARTICLE_PART_SHIFT;
}

// UINT32_MAX: it follows no particle.
static uint32_t part_of_vertex(const hem_view* v, uint32_t vertex) {
    const hem_vertex_bind* bind = &v->vertex_bind[vertex];
    const uint32_t k = strongest(bind);
    return bind->particle_weight[k] > 0 ? part_of(v, bind->particle[k]) : UINT32_MAX;
}

// Triangles of such a part become points: the refined faces are drawn in their place.
static void leave_out(puppet_refined* r, const hem_view* v, uint32_t parts) {
    memcpy(r->others, v->preview_indices, sizeof(uint32_t) * v->preview_index_count);
    for (uint32_t i = 0; i < HEM_MAX_PARTS; i++) {
        r->mesh_of[i] = UINT32_MAX;
    }
    for (uint32_t m = 0; m < v->mesh_count; m++) {
        for (uint32_t i = v->meshes[m].index_begin; i < v->meshes[m].index_begin + v->meshes[m].index_count; i += 3) {
            const uint32_t* t = v->preview_indices + i;
            const uint32_t part = part_of_vertex(v, t[0]);
            if (part < HEM_MAX_PARTS && (parts >> part & 1u) != 0 && part_of_vertex(v, t[1]) == part &&
                part_of_vertex(v, t[2]) == part &&
                (v->vertex_bind[t[0]].blend | v->vertex_bind[t[1]].blend | v->vertex_bind[t[2]].blend) != 0) {
                r->others[i + 1] = r->others[i + 2] = r->others[i];
                r->mesh_of[part] = m;
            }
        }
    }
}

// Each has the colour of the part's vertex that is nearest to it at rest.
static void colour_particles(puppet_refined* r, const hem_view* v, uint32_t parts) {
    memset(r->colours, 0xc8, 4 * (size_t)v->info->particle_count);
    for (uint32_t i = 0; v->preview_colors != NULL && i < v->info->particle_count; i++) {
        const hem_rest_row* row = &v->rest_rows[i / HEM_LANES];
        const vec3 at = v3(row->x[i % HEM_LANES], row->y[i % HEM_LANES], row->z[i % HEM_LANES]);
        float nearest = 1e30f;
        for (uint32_t n = 0; (parts >> part_of(v, i) & 1u) != 0 && n < v->preview_index_count; n++) {
            const uint32_t vertex = v->preview_indices[n], *left = r->others + n - n % 3;
            const vec3 way = v3_sub(v3_load(v->vertex_rest[vertex].position), at);
            if (left[0] == left[1] && v3_dot(way, way) < nearest) {
                nearest = v3_dot(way, way);
                memcpy(r->colours + 4 * (size_t)i, v->preview_colors[vertex], 4);
            }
        }
    }
}

bool puppet_refined_create(puppet_refined* r, const asset* a) {
    const hem_view* v = &a->view;
    const uint32_t parts = refined_parts(v);
    memset(r, 0, sizeof(*r));
    if (parts == 0 || v->preview_indices == NULL) {
        return true;
    }
    const size_t vertices = (size_t)v->info->particle_count + VERTICES_MAX;
    r->faces.vertices = malloc(sizeof(*r->faces.vertices) * VERTICES_MAX);
    r->faces.indices = malloc(sizeof(uint32_t) * 3 * TRIANGLES_MAX);
    r->faces.vertex_capacity = VERTICES_MAX;
    r->faces.triangle_capacity = TRIANGLES_MAX;
    r->drawn = malloc(sizeof(uint32_t) * 3 * TRIANGLES_MAX);
    r->others = malloc(sizeof(uint32_t) * ((size_t)v->preview_index_count + 1));
    r->positions = malloc(sizeof(float) * 3 * vertices);
    r->normals = malloc(sizeof(float) * 3 * vertices);
    r->colours = malloc(4 * vertices);
    if (r->faces.vertices == NULL || r->faces.indices == NULL || r->drawn == NULL || r->others == NULL ||
        r->positions == NULL || r->normals == NULL || r->colours == NULL) {
        puppet_refined_destroy(r);
        return false;
    }
    leave_out(r, v, parts);
    colour_particles(r, v, parts);
    return true;
}

void puppet_refined_destroy(puppet_refined* r) {
    free(r->faces.vertices);
    free(r->faces.indices);
    free(r->drawn);
    free(r->others);
    free(r->positions);
    free(r->normals);
    free(r->colours);
    memset(r, 0, sizeof(*r));
}

// Weighted by angle, as hem_trimesh_vertex is, so that slivers do not count.
static void add_normals(puppet_refined* r) {
    for (uint32_t i = 0; i < r->faces.triangle_count; i++) {
        const uint32_t* t = r->faces.indices + 3 * (size_t)i;
        for (uint32_t k = 0; k < 3; k++) {
            float* at = r->normals + 3 * (size_t)t[k];
            vec3 a = v3_load(r->positions + 3 * (size_t)t[k]);
            vec3 b = v3_sub(v3_load(r->positions + 3 * (size_t)t[(k + 1) % 3]), a);
            vec3 c = v3_sub(v3_load(r->positions + 3 * (size_t)t[(k + 2) % 3]), a);
            vec3 n = v3_cross(b, c);
            const float size = v3_length(n);
            if (size > 1e-12f) {
                v3_store(at, v3_mad(v3_load(at), n, atan2f(size, v3_dot(b, c)) / size));
            }
        }
    }
}

hem_result puppet_refined_read(puppet_refined* r, const puppet* p, const hem_scene* scene, hem_instance_id id) {
    if (r->others == NULL) {
        return HEM_OK;
    }
    const uint32_t particles = p->source->view.info->particle_count;
    const hem_result result = hem_instance_get_refined(scene, id, &r->faces);
    if (result != HEM_OK || r->faces.vertex_count == 0) {
        r->faces.vertex_count = 0; // on nothing: the skin is drawn
        return result;
    }
    memset(r->normals, 0, sizeof(float) * 3 * ((size_t)particles + r->faces.vertex_count));
    for (uint32_t i = 0; i < particles; i++) {
        memcpy(r->positions + 3 * (size_t)i, p->particles[i].position, 3 * sizeof(float));
    }
    for (uint32_t i = 0; i < r->faces.vertex_count; i++) {
        const hem_refined_vertex* v = &r->faces.vertices[i];
        uint8_t* colour = r->colours + 4 * (size_t)(particles + i);
        memcpy(r->positions + 3 * (size_t)(particles + i), v->position, sizeof(v->position));
        for (uint32_t c = 0; c < 4; c++) {
            float sum = 0.5f;
            for (uint32_t k = 0; k < 3; k++) {
                sum += v->weight[k] * (float)r->colours[4 * (size_t)v->particle[k] + c];
            }
            colour[c] = (uint8_t)fminf(fmaxf(sum, 0.0f), 255.0f);
        }
    }
    add_normals(r);
    return result;
}

void puppet_refined_draw(puppet_refined* r, const puppet* p, image_colour colour, bool coloured, drawing* d) {
    const hem_view* v = &p->source->view;
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < r->faces.triangle_count; i++) {
        const uint32_t* t = r->faces.indices + 3 * (size_t)i;
        const uint32_t first =
            t[0] < v->info->particle_count ? t[0] : r->faces.vertices[t[0] - v->info->particle_count].particle[0];
        const uint32_t mesh = r->mesh_of[part_of(v, first)];
        if (mesh != UINT32_MAX && (p->hidden == NULL || !p->hidden[mesh])) {
            memcpy(r->drawn + 3 * (size_t)drawn++, t, 3 * sizeof(uint32_t));
        }
    }
    const render_mesh mesh = {.positions = r->positions,
                              .normals = r->normals,
                              .colours = coloured ? r->colours : NULL,
                              .indices = r->drawn,
                              .vertex_count = (int32_t)(v->info->particle_count + r->faces.vertex_count),
                              .triangle_count = (int32_t)drawn,
                              .colour = colour,
                              .gloss = 0.05f};
    drawing_mesh(d, &mesh);
}
