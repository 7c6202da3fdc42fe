// SPDX-License-Identifier: MIT
#ifndef TEST_FORMATS_WALK_H
#define TEST_FORMATS_WALK_H

// Reads a view as the runtime does: every array to its end, and through every index into what it points at. Under
// AddressSanitizer this shows that what the validator accepts stays inside the file.

#include "formats/hem_validate.h"

static inline float walk_particle(const hem_view* v, uint32_t particle) {
    const uint32_t row = particle / HEM_LANES, lane = particle % HEM_LANES;
    float sum = v->rest_rows[row].x[lane] + v->shape_rows[row].inverse_mass[lane] + (float)v->particle_flags[particle];
    for (int k = 0; k < 4; ++k) {
        sum += v->bones[v->bind_rows[row].bone[k][lane]].inverse_bind[0] * v->bind_rows[row].weight[k][lane];
    }
    return sum + v->tuning[v->particle_flags[particle] >> HEM_PARTICLE_PART_SHIFT].damping;
}

static inline uint32_t walk_text(const hem_view* v, uint32_t offset) {
    uint32_t length = 0;
    while (v->strings[offset + length] != 0) {
        ++length;
    }
    return length;
}

static inline float walk_view(const hem_view* v) {
    const hem_info* info = v->info;
    float sum = 0;
    for (uint32_t p = 0; p < info->particle_count; ++p) {
        sum += walk_particle(v, p);
        for (uint32_t k = v->ignore_starts[p]; k < v->ignore_starts[p + 1]; ++k) {
            sum += walk_particle(v, v->ignore_list[k]);
        }
    }
    for (uint32_t i = 0; i < info->part_count; ++i) {
        const hem_part* part = &v->parts[i];
        sum += (float)walk_text(v, part->name_offset) + v->tuning[i].gravity_scale;
        for (uint32_t k = 0; k < part->row_count; ++k) {
            sum += v->rest_rows[part->row_begin + k].y[7];
        }
        const hem_range links = hem_range_of(v->ranges, part, HEM_BATCH_LINKS);
        const hem_range indexed = hem_range_of(v->ranges, part, HEM_BATCH_INDEXED_LINKS);
        const hem_range groups = hem_range_of(v->ranges, part, HEM_BATCH_GROUPS);
        for (uint32_t k = 0; k < links.count; ++k) {
            const hem_link_batch* b = &v->link_batches[links.begin + k];
            for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
                sum += walk_particle(v, b->row_a * HEM_LANES + lane) + b->rest[lane];
                sum += walk_particle(v, b->row_b * HEM_LANES + ((lane + b->rotate) & 7)) +
                       v->tuning[i].compliance[b->kind];
            }
        }
        for (uint32_t k = 0; k < indexed.count; ++k) {
            const hem_index_batch* b = &v->index_batches[indexed.begin + k];
            for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
                sum += walk_particle(v, b->a[lane]) + walk_particle(v, b->b[lane]) + v->tuning[i].compliance[b->kind];
            }
        }
        const hem_range springs = hem_range_of(v->ranges, part, HEM_BATCH_SPRINGS);
        for (uint32_t k = springs.begin; k < springs.begin + springs.count; ++k) {
            const hem_row_batch* b = &v->row_batches[k];
            for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
                for (uint32_t n = 0; n < b->member_count; ++n) {
                    sum += b->form == HEM_FORM_INDICES
                               ? walk_particle(v, v->row_indices[b->member_begin + n].index[lane])
                               : walk_particle(v, b->rows[n] * HEM_LANES + ((lane + b->rotates[n]) & 7u));
                }
                sum += v->springs[b->payload].rest[lane] + 1.0f / v->springs[b->payload].compliance[lane];
            }
        }
        for (int kind = HEM_BATCH_RODS; kind <= HEM_BATCH_CHAINS; ++kind) {
            const hem_range strands = hem_range_of(v->ranges, part, (hem_batch_kind)kind);
            for (uint32_t k = strands.begin; k < strands.begin + strands.count; ++k) {
                const hem_row_batch* b = &v->row_batches[k];
                for (uint32_t n = 0; n < b->member_count * (uint32_t)HEM_LANES; ++n) {
                    const uint32_t member = b->member_begin + n / HEM_LANES, lane = n % HEM_LANES;
                    sum += b->form == HEM_FORM_INDICES
                               ? walk_particle(v, v->row_indices[member].index[lane])
                               : walk_particle(v, v->row_members[member].row * HEM_LANES +
                                                      ((lane + v->row_members[member].rotate) & 7u));
                    sum += kind == HEM_BATCH_RODS ? 1.0f / v->rods[b->payload + n / HEM_LANES].inertia[lane]
                                                  : v->chains[b->payload + n / HEM_LANES].rest[lane];
                }
            }
        }
        static const hem_batch_kind fabrics[] = {HEM_BATCH_TRIANGLES, HEM_BATCH_BENDS, HEM_BATCH_DIHEDRALS,
                                                 HEM_BATCH_TETRAHEDRA};
        for (int n = 0; n < 4; ++n) {
            const hem_range range = hem_range_of(v->ranges, part, fabrics[n]);
            for (uint32_t k = range.begin; k < range.begin + range.count; ++k) {
                const hem_row_batch* b = &v->row_batches[k];
                for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
                    for (uint32_t m = 0; m < b->member_count; ++m) {
                        sum += b->form == HEM_FORM_INDICES
                                   ? walk_particle(v, v->row_indices[b->member_begin + m].index[lane])
                                   : walk_particle(v, b->rows[m] * HEM_LANES + ((lane + b->rotates[m]) & 7u));
                    }
                    sum += n == 0   ? v->triangles[b->payload].q[3][lane] + v->triangles[b->payload].inverse_area[lane]
                           : n == 1 ? v->bends[b->payload].c[3][lane] + v->bends[b->payload].compliance[lane]
                           : n == 3 ? v->tetrahedra[b->payload].q[8][lane] + v->tetrahedra[b->payload].volume[lane]
                                    : v->dihedrals[b->payload].sine[lane] + v->dihedrals[b->payload].compliance[lane];
                }
            }
        }
        for (uint32_t k = 0; k < groups.count; ++k) {
            const hem_group_batch* b = &v->group_batches[groups.begin + k];
            for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
                sum += walk_particle(v, b->own[lane]) + 1.0f / b->total_mass[lane];
                for (uint32_t m = 0; m < b->member_count; ++m) {
                    if (b->own_row == UINT32_MAX) {
                        sum += walk_particle(v, v->group_indices[b->member_begin + m].index[lane]);
                    } else {
                        const hem_group_member* g = &v->group_members[b->member_begin + m];
                        sum += walk_particle(v, g->row * HEM_LANES + ((lane + g->rotate) & 7));
                    }
                }
            }
        }
    }
    for (uint32_t i = 0; i < info->bone_count; ++i) {
        sum += (float)walk_text(v, v->bones[i].name_offset);
        sum += v->bones[i].parent >= 0 ? v->bones[v->bones[i].parent].inverse_bind[11] : 0;
    }
    for (uint32_t i = 0; i < v->anim_row_count; ++i) {
        sum += v->rest_rows[v->anim_rows[i].row].x[0];
    }
    for (uint32_t i = 0; i < v->limit_row_count; ++i) {
        sum += v->rest_rows[v->limit_rows[i].row].x[0] + (float)v->anim_rows[v->limit_rows[i].anim_row].target_mask;
    }
    for (uint32_t i = 0; i < v->frame_row_count; ++i) {
        for (int lane = 0; lane < HEM_LANES; ++lane) {
            const hem_frame_row* f = &v->frame_rows[i];
            sum += walk_particle(v, f->u0[lane]) + walk_particle(v, f->u1[lane]);
            sum += walk_particle(v, f->v0[lane]) + walk_particle(v, f->v1[lane]);
        }
    }
    for (uint32_t i = 0; i < v->collider_count; ++i) {
        const hem_asset_collider* c = &v->colliders[i];
        sum += (float)walk_text(v, c->name_offset) + (c->bone >= 0 ? v->bones[c->bone].inverse_bind[0] : 0);
        for (uint32_t k = 0; k < c->plane_count; ++k) {
            sum += v->hull_planes[c->plane_begin + k][3];
        }
    }
    for (uint32_t i = 0; i < info->vertex_count; ++i) {
        sum += v->vertex_rest[i].tangent[3] + (float)v->vertex_blocks[i / HEM_LANES];
        for (int k = 0; k < 4; ++k) {
            sum +=
                walk_particle(v, v->vertex_bind[i].particle[k]) + v->bones[v->vertex_bind[i].bone[k]].inverse_bind[5];
        }
        sum += v->preview_colors != NULL ? (float)v->preview_colors[i][3] : 0;
    }
    for (uint32_t i = 0; i < info->mesh_count; ++i) {
        sum += (float)walk_text(v, v->meshes[i].name_offset);
        for (uint32_t k = 0; k < v->meshes[i].index_count; ++k) {
            sum += v->vertex_rest[v->preview_indices[v->meshes[i].index_begin + k]].position[0];
        }
    }
    for (uint32_t i = 0; i < v->clip_count; ++i) {
        sum += (float)walk_text(v, v->clips[i].name_offset);
        const uint32_t first = v->clips[i].frame_begin * info->bone_count;
        for (uint32_t k = 0; k < v->clips[i].frame_count * info->bone_count; ++k) {
            sum += v->clip_frames[first + k][11];
        }
    }
    return sum;
}

#endif
