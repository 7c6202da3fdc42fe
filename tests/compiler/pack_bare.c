// SPDX-License-Identifier: MIT
#include "tests/compiler/pack_bare.h"

#include "formats/hem_format.h"

#include <stdlib.h>

int pack_bare_sheet(int columns, int levels, uint8_t** bytes, size_t* size) {
    const int count = columns * levels;
    float(*positions)[3] = calloc((size_t)count, sizeof(*positions));
    uint8_t* animated = calloc((size_t)count, 1);
    int32_t* level = calloc((size_t)count, sizeof(int32_t));
    int32_t* column = calloc((size_t)count, sizeof(int32_t));
    hemc_bare_link* links = calloc((size_t)count * 6, sizeof(hemc_bare_link));
    size_t link_count = 0;
    static const struct {
        int right, up, kind;
    } steps[] = {{0, 1, HEM_LINK_WARP},   {1, 0, HEM_LINK_WEFT}, {1, 1, HEM_LINK_SHEAR},
                 {1, -1, HEM_LINK_SHEAR}, {0, 2, HEM_LINK_BEND}, {2, 0, HEM_LINK_BEND}};
    for (int i = 0; i < count; ++i) {
        const int c = i % columns, l = i / columns;
        positions[i][0] = 0.25f * (float)c;
        positions[i][1] = -0.25f * (float)l;
        animated[i] = l == 0;
        level[i] = l;
        column[i] = c;
        for (int k = 0; k < 6; ++k) {
            const int to_c = c + steps[k].right, to_l = l + steps[k].up;
            if (to_c < columns && to_l >= 0 && to_l < levels) {
                links[link_count++] =
                    (hemc_bare_link){(uint32_t)i, (uint32_t)(to_l * columns + to_c), (uint8_t)steps[k].kind};
            }
        }
    }
    const hemc_bare_mesh mesh = {.particle_count = (uint32_t)count,
                                 .positions = (const float(*)[3])positions,
                                 .animated = animated,
                                 .radius = 0.125f,
                                 .links = links,
                                 .link_count = link_count,
                                 .level = level,
                                 .column = column,
                                 .self_collision = true,
                                 .self_thickness = 0.125f};
    const int result = hemc_compile_bare(&mesh, bytes, size);
    free(positions);
    free(animated);
    free(level);
    free(column);
    free(links);
    return result;
}

int pack_bare_block(int nx, int ny, int nz, uint8_t** bytes, size_t* size) {
    const int count = nx * ny * nz;
    float(*positions)[3] = calloc((size_t)count, sizeof(*positions));
    int32_t* level = calloc((size_t)count, sizeof(int32_t));
    int32_t* column = calloc((size_t)count, sizeof(int32_t));
    uint32_t* starts = calloc((size_t)count + 1, sizeof(uint32_t));
    uint16_t* members = calloc((size_t)count * 26, sizeof(uint16_t));
    uint32_t next = 0;
    for (int i = 0; i < count; ++i) {
        const int x = i % nx, y = i / nx % ny, z = i / nx / ny;
        positions[i][0] = 0.25f * (float)x;
        positions[i][1] = 0.25f * (float)y;
        positions[i][2] = 0.25f * (float)z;
        level[i] = y * nx + x;
        column[i] = z;
        starts[i] = next;
        for (int k = 0; k < 27; ++k) {
            const int to_x = x + k % 3 - 1, to_y = y + k / 3 % 3 - 1, to_z = z + k / 9 - 1;
            if (k != 13 && to_x >= 0 && to_y >= 0 && to_z >= 0 && to_x < nx && to_y < ny && to_z < nz) {
                members[next++] = (uint16_t)((to_z * ny + to_y) * nx + to_x);
            }
        }
    }
    starts[count] = next;
    const hemc_bare_mesh mesh = {.particle_count = (uint32_t)count,
                                 .positions = (const float(*)[3])positions,
                                 .radius = 0.125f,
                                 .group_starts = starts,
                                 .group_members = members,
                                 .level = level,
                                 .column = column};
    const int result = hemc_compile_bare(&mesh, bytes, size);
    free(positions);
    free(level);
    free(column);
    free(starts);
    free(members);
    return result;
}
