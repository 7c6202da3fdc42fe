// SPDX-License-Identifier: MIT
#include "compiler/pack/pack.h"

#include <math.h>
#include <string.h>

// What is drawn: vertices with their two bindings, meshes, and the clips of the preview.

// Rounds down, then gives what is missing to the largest remainders, lower index first.
void hemc_quantize_weights(const float weights[4], uint16_t out[4]) {
    double total = 0;
    for (int k = 0; k < 4; ++k) {
        total += weights[k] > 0 ? weights[k] : 0;
    }
    if (!(total > 0)) {
        out[0] = 65535;
        out[1] = out[2] = out[3] = 0;
        return;
    }
    double rest[4];
    uint32_t sum = 0;
    for (int k = 0; k < 4; ++k) {
        const double exact = (weights[k] > 0 ? weights[k] : 0) / total * 65535.0;
        const double whole = floor(exact);
        out[k] = (uint16_t)whole;
        rest[k] = weights[k] > 0 ? exact - whole : -1;
        sum += out[k];
    }
    while (sum < 65535) {
        int best = 0;
        for (int k = 1; k < 4; ++k) {
            best = rest[k] > rest[best] ? k : best;
        }
        ++out[best];
        rest[best] -= 1;
        ++sum;
    }
}

static void unit_or_zero(float v[3]) {
    const double length = sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
    for (int k = 0; k < 3; ++k) {
        v[k] = length > 1e-12 ? (float)(v[k] / length) : 0;
    }
}

static void make_rest(const hemc_model* model, uint32_t i, hem_vertex_rest* r) {
    r->position[0] = model->positions[i].x;
    r->position[1] = model->positions[i].y;
    r->position[2] = model->positions[i].z;
    r->normal[0] = model->normals[i].x;
    r->normal[1] = model->normals[i].y;
    r->normal[2] = model->normals[i].z;
    unit_or_zero(r->normal);
    if (model->tangents != NULL) {
        memcpy(r->tangent, model->tangents[i], sizeof r->tangent);
        unit_or_zero(r->tangent);
        const int none = r->tangent[0] == 0 && r->tangent[1] == 0 && r->tangent[2] == 0;
        r->tangent[3] = none ? 0 : model->tangents[i][3] < 0 ? -1.0f : 1.0f;
    }
}

static uint16_t quantized_blend(float blend) {
    return (uint16_t)(blend <= 0 ? 0 : blend >= 1 ? 65535 : (uint32_t)(blend * 65535.0f + 0.5f));
}

bool hemc_ships(const hemc_mesh* mesh, const hemc_primitive* primitive, bool ship, bool ship_all) {
    bool moves = !ship || ship_all;
    for (uint32_t i = 0; i < primitive->vertex_count && !moves; ++i) {
        moves = quantized_blend(mesh->skinning.vertex_blend[primitive->vertex_begin + i]) != 0;
    }
    return moves;
}

static void make_bind(const hemc_packer* p, uint32_t i, hem_vertex_bind* b) {
    const hemc_skinning* skinning = &p->mesh->skinning;
    const hemc_model* model = p->model;
    b->blend = quantized_blend(skinning->vertex_blend[i]);
    if (b->blend == 0) {
        b->particle_weight[0] = 65535;
    } else {
        hemc_quantize_weights(skinning->vertex_weight[i], b->particle_weight);
        for (int k = 0; k < 4; ++k) {
            const int used = b->particle_weight[k] != 0;
            b->particle[k] = (uint16_t)p->layout->slot_of[skinning->vertex_particle[i][used ? k : 0]];
        }
    }
    hemc_quantize_weights(model->bone_weights[i], b->bone_weight);
    for (int k = 0; k < 4; ++k) {
        b->bone[k] = b->bone_weight[k] != 0 ? model->bones[i][k] : 0;
    }
}

// Cells are numbered over all lattices, in the order of the file.
static uint32_t first_cell(const hemc_packer* p, uint32_t particle) {
    const uint32_t part = p->layout->slot_of[particle] / HEM_LANES;
    for (uint32_t i = 0; i < p->layout->lattice_count; ++i) {
        const hem_part* rows = &p->layout->parts[p->layout->lattices[i].part];
        if (part - rows->row_begin < rows->row_count) {
            return p->layout->lattices[i].cell_begin;
        }
    }
    return 0;
}

// Vertex i of the model, number n in the file.
static void add_cell(const hemc_packer* p, uint32_t i, uint32_t n, hem_vertex_cell* cells, uint32_t* count) {
    const hemc_skinning* s = &p->mesh->skinning;
    if (s->vertex_cell == NULL || s->vertex_cell[i] == HEM_NONE || quantized_blend(s->vertex_blend[i]) == 0) {
        return;
    }
    hem_vertex_cell* c = &cells[(*count)++];
    c->vertex = n;
    c->cell = first_cell(p, s->vertex_particle[i][0]) + (uint32_t)s->vertex_cell[i];
    memcpy(c->at, s->vertex_at[i], sizeof c->at);
}

static void pack_blocks(hemc_packer* p) {
    const uint32_t vertex_count = p->view.vertex_bind_count;
    const hem_vertex_bind* bind = p->view.vertex_bind;
    p->view.vertex_block_count = (vertex_count + HEM_LANES - 1) / HEM_LANES;
    uint8_t* blocks = hemc_alloc(p->arena, p->view.vertex_block_count, 1);
    uint32_t next_cell = 0;
    for (uint32_t begin = 0; begin < vertex_count; begin += HEM_LANES) {
        int bones = 1, particles = 1, cells = 1;
        for (uint32_t i = begin; i < begin + HEM_LANES && i < vertex_count; ++i) {
            bones &= bind[i].blend == 0;
            particles &= bind[i].blend == 65535;
            const int in_cell = next_cell < p->view.vertex_cell_count && p->view.vertex_cells[next_cell].vertex == i;
            next_cell += (uint32_t)in_cell;
            cells &= in_cell;
        }
        blocks[begin / HEM_LANES] = cells       ? HEM_BLOCK_CELLS
                                    : bones     ? HEM_BLOCK_BONES
                                    : particles ? HEM_BLOCK_PARTICLES
                                                : HEM_BLOCK_MIXED;
    }
    p->view.vertex_blocks = blocks;
}

static void pack_meshes(hemc_packer* p) {
    const hemc_model* model = p->model;
    hem_mesh* meshes = hemc_alloc(p->arena, model->primitive_count, sizeof(hem_mesh));
    uint32_t* indices = hemc_alloc(p->arena, p->ship ? 0 : (size_t)model->triangle_count * 3, sizeof(uint32_t));
    uint32_t index_count = 0, mesh_count = 0, vertex_count = 0;
    for (uint32_t i = 0; i < model->primitive_count; ++i) {
        const hemc_primitive* primitive = &model->primitives[i];
        if (!hemc_ships(p->mesh, primitive, p->ship, p->ship_all)) {
            continue;
        }
        hem_mesh* m = &meshes[mesh_count++];
        m->name_offset = hemc_pack_string(&p->strings, primitive->name);
        m->vertex_begin = vertex_count;
        m->vertex_count = primitive->vertex_count;
        vertex_count += primitive->vertex_count;
        m->source_node = primitive->node;
        m->source_mesh = primitive->mesh;
        m->source_primitive = primitive->primitive;
        for (uint32_t k = 0; k < m->vertex_count; ++k) {
            m->flags |= p->view.vertex_bind[m->vertex_begin + k].blend != 0 ? (uint32_t)HEM_MESH_DYNAMIC : 0;
        }
        if (!p->ship) {
            m->index_begin = index_count;
            m->index_count = primitive->triangle_count * 3;
            memcpy(indices + index_count, model->triangles + (size_t)primitive->triangle_begin * 3,
                   (size_t)m->index_count * sizeof(uint32_t));
            index_count += m->index_count;
        }
    }
    p->view.meshes = meshes;
    p->info.mesh_count = p->view.mesh_count = mesh_count;
    p->view.preview_indices = indices;
    p->view.preview_index_count = index_count;
}

// Primitives lie one behind the other in the model's arrays, and do so here, without those that are left out.
void hemc_pack_vertices(hemc_packer* p) {
    const hemc_model* model = p->model;
    hem_vertex_rest* rest = hemc_alloc(p->arena, model->vertex_count, sizeof(hem_vertex_rest));
    hem_vertex_bind* bind = hemc_alloc(p->arena, model->vertex_count, sizeof(hem_vertex_bind));
    hem_vertex_cell* cells =
        hemc_alloc(p->arena, p->mesh->skinning.vertex_cell != NULL ? model->vertex_count : 0, sizeof(hem_vertex_cell));
    uint32_t count = 0, cell_count = 0;
    for (uint32_t i = 0; i < model->primitive_count; ++i) {
        const hemc_primitive* primitive = &model->primitives[i];
        if (hemc_ships(p->mesh, primitive, p->ship, p->ship_all)) {
            for (uint32_t k = 0; k < primitive->vertex_count; ++k, ++count) {
                make_rest(model, primitive->vertex_begin + k, &rest[count]);
                make_bind(p, primitive->vertex_begin + k, &bind[count]);
                add_cell(p, primitive->vertex_begin + k, count, cells, &cell_count);
            }
        }
    }
    p->view.vertex_rest = rest;
    p->view.vertex_bind = bind;
    p->view.vertex_cells = cells;
    p->view.vertex_cell_count = cell_count;
    p->info.vertex_count = p->view.vertex_rest_count = p->view.vertex_bind_count = count;
    if (!p->ship && model->colors != NULL) {
        p->view.preview_colors = (const hem_color*)model->colors;
        p->view.preview_color_count = count;
    }
    pack_blocks(p);
    pack_meshes(p);
}

void hemc_pack_clips(hemc_packer* p) {
    const hemc_model* model = p->model;
    size_t total = 0;
    for (uint32_t i = 0; i < model->clip_count; ++i) {
        total += (size_t)model->clips[i].frame_count * model->bone_count;
    }
    hem_clip* clips = hemc_alloc(p->arena, model->clip_count, sizeof(hem_clip));
    hem_matrix34* frames = hemc_alloc(p->arena, total, sizeof(hem_matrix34));
    uint32_t next = 0;
    for (uint32_t i = 0; i < model->clip_count; ++i) {
        const hemc_clip* c = &model->clips[i];
        clips[i].name_offset = hemc_pack_string(&p->strings, c->name);
        clips[i].frame_begin = next;
        clips[i].frame_count = c->frame_count;
        clips[i].hz = c->hz;
        clips[i].flags = c->loops ? (uint32_t)HEM_CLIP_LOOPS : 0;
        memcpy(frames[(size_t)next * model->bone_count], c->frames,
               (size_t)c->frame_count * model->bone_count * sizeof(hem_matrix34));
        next += c->frame_count;
    }
    p->view.clips = clips;
    p->view.clip_count = model->clip_count;
    p->view.clip_frames = (const hem_matrix34*)frames;
    p->view.clip_matrix_count = (uint32_t)total;
}
