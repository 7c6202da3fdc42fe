// SPDX-License-Identifier: MIT
#include "compiler/pack/pack.h"

#include "compiler/shape/lattice_motion.h"

#include <string.h>

// Animations of lattices as rows. Pads stand where the first particle does.

static void pack_key(hemc_packer* p, uint32_t source, uint32_t part, const hemc_vec3* places, const double (*turns)[4],
                     hem_key_row* rows) {
    const uint32_t begin = p->mesh->part_begin[source], count = p->mesh->part_begin[source + 1] - begin;
    const uint32_t row_begin = p->layout->parts[part].row_begin, row_count = p->layout->parts[part].row_count;
    for (uint32_t i = 0; i < row_count * HEM_LANES; ++i) {
        hem_key_row* row = &rows[i / HEM_LANES];
        row->x[i % HEM_LANES] = places[0].x;
        row->y[i % HEM_LANES] = places[0].y;
        row->z[i % HEM_LANES] = places[0].z;
        row->qw[i % HEM_LANES] = 1;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t slot = p->layout->slot_of[begin + i] - row_begin * HEM_LANES, lane = slot % HEM_LANES;
        hem_key_row* row = &rows[slot / HEM_LANES];
        row->x[lane] = places[i].x;
        row->y[lane] = places[i].y;
        row->z[lane] = places[i].z;
        row->qx[lane] = (float)turns[i][0];
        row->qy[lane] = (float)turns[i][1];
        row->qz[lane] = (float)turns[i][2];
        row->qw[lane] = (float)turns[i][3];
    }
}

static void count_all(const hemc_packer* p, uint32_t* clips, uint32_t* keys, size_t* rows) {
    for (uint32_t i = 0; i < p->layout->lattice_count; ++i) {
        const uint32_t part = p->layout->lattices[i].part;
        const hemc_lattice* l = p->mesh->part_lattices[p->layout->part_order[part]];
        *clips += l->clip_count;
        for (uint32_t k = 0; k < l->clip_count; ++k) {
            *keys += l->clips[k].key_count;
            *rows += (size_t)l->clips[k].key_count * p->layout->parts[part].row_count;
        }
    }
}

void hemc_pack_lattice_clips(hemc_packer* p) {
    uint32_t clip_count = 0, key_count = 0;
    size_t row_count = 0;
    count_all(p, &clip_count, &key_count, &row_count);
    if (clip_count == 0) {
        return;
    }
    hem_lattice_clip* clips = hemc_alloc(p->arena, clip_count, sizeof(hem_lattice_clip));
    hem_lattice_key* keys = hemc_alloc(p->arena, key_count, sizeof(hem_lattice_key));
    hem_key_row* rows = hemc_alloc(p->arena, row_count, sizeof(hem_key_row));
    uint32_t clip = 0, key = 0, row = 0;
    for (uint32_t i = 0; i < p->layout->lattice_count; ++i) {
        const uint32_t part = p->layout->lattices[i].part, source = p->layout->part_order[part];
        const uint32_t count = p->mesh->part_begin[source + 1] - p->mesh->part_begin[source];
        const hemc_lattice* l = p->mesh->part_lattices[source];
        double(*turns)[4] = hemc_alloc(p->arena, count, sizeof *turns);
        double(*moments)[3][3] = hemc_alloc(p->arena, count, sizeof *moments);
        for (uint32_t k = 0; k < l->clip_count; ++k) {
            const hemc_lattice_clip* from = &l->clips[k];
            hem_lattice_clip* to = &clips[clip++];
            to->name_offset = hemc_pack_string(&p->strings, from->name);
            to->lattice = i;
            to->key_begin = key;
            to->key_count = from->key_count;
            to->flags =
                (from->interpolates ? HEM_LATTICE_CLIP_INTERPOLATES : 0u) | (from->loops ? HEM_LATTICE_CLIP_LOOPS : 0u);
            for (uint32_t n = 0; n < count; ++n) {
                turns[n][0] = turns[n][1] = turns[n][2] = 0;
                turns[n][3] = 1;
            }
            for (uint32_t n = 0; n < from->key_count; ++n) {
                const hemc_vec3* places = from->places + (size_t)n * count;
                hemc_lattice_turns(l, count, places, moments, turns); // each begins with those of the key before
                keys[key++] = (hem_lattice_key){from->seconds[n], row};
                pack_key(p, source, part, places, (const double(*)[4])turns, rows + row);
                row += p->layout->parts[part].row_count;
            }
        }
    }
    p->view.lattice_clips = clips;
    p->view.lattice_clip_count = clip_count;
    p->view.lattice_keys = keys;
    p->view.lattice_key_count = key_count;
    p->view.lattice_key_rows = rows;
    p->view.lattice_key_row_count = row;
}
