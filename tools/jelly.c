// SPDX-License-Identifier: MIT
#include "tools/jelly.h"
#include "compiler/hemc.h"

#include <stdlib.h>
#include <string.h>

void jelly_close(jelly* j) {
    free(j->block);
    free(j->particles);
    hemc_free(j->bytes);
    memset(j, 0, sizeof(*j));
}

static bool open_scene(jelly* j, size_t size) {
    if (hem_validate(j->bytes, size, &j->view, NULL) != HEM_FORMAT_OK ||
        hem_asset_open(&j->asset, j->bytes, size) != HEM_OK || hem_asset_get_info(&j->asset, &j->info) != HEM_OK) {
        return false;
    }
    hem_slot_def slot = {&j->asset, 1};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    hem_memory need = {0, 64};
    if (hem_scene_measure(&def, &need) != HEM_OK || (j->block = malloc(need.size + need.align)) == NULL) {
        return false;
    }
    void* aligned = (void*)(((uintptr_t)j->block + need.align - 1) & ~(uintptr_t)(need.align - 1));
    hem_instance_def instance = hem_instance_def_default();
    instance.asset = &j->asset;
    if (hem_scene_init(&j->scene, &def, aligned, need.size) != HEM_OK ||
        hem_scene_add(j->scene, &instance, &j->id) != HEM_OK) {
        return false;
    }
    hem_instance_set_features(j->scene, j->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
    return true;
}

typedef struct grid {
    float (*positions)[3], *drive;
    int32_t (*cells)[3];
    uint32_t (*corners)[8];
    uint32_t count, cell_count;
} grid;

static void fill(grid* g, const int n[3]) {
    for (int z = 0; z < n[2]; z++) {
        for (int y = 0; y < n[1]; y++) {
            for (int x = 0; x < n[0]; x++, g->count++) {
                const float p[3] = {JELLY_CELL * (float)x, JELLY_CELL * (float)y, JELLY_CELL * (float)z};
                const int32_t at[3] = {x, y, z};
                memcpy(g->positions[g->count], p, sizeof(p));
                g->drive[g->count] = 1.0f;
                if (x + 1 < n[0] && y + 1 < n[1] && z + 1 < n[2]) {
                    memcpy(g->cells[g->cell_count], at, sizeof(at));
                    for (int k = 0; k < 8; k++) {
                        g->corners[g->cell_count][k] =
                            (uint32_t)(((z + (k >> 2)) * n[1] + y + (k >> 1 & 1)) * n[0] + x + (k & 1));
                    }
                    g->cell_count++;
                }
            }
        }
    }
}

static bool compile(jelly* j, const grid* g, bool driven, uint32_t reserve, size_t* size) {
    hemc_bare_lattice lattice;
    hemc_bare_mesh mesh;
    memset(&lattice, 0, sizeof(lattice));
    memset(&mesh, 0, sizeof(mesh));
    for (int k = 0; k < 3; k++) {
        lattice.size[k] = (uint32_t)j->size[k];
        lattice.spacing[k] = JELLY_CELL;
    }
    lattice.cells = (const int32_t(*)[3])g->cells;
    lattice.corners = (const uint32_t(*)[8])g->corners;
    lattice.cell_count = g->cell_count;
    lattice.alpha = 0.75f;
    lattice.width = 1;
    lattice.reserve = reserve;
    mesh.particle_count = g->count;
    mesh.positions = (const float(*)[3])g->positions;
    mesh.drive = driven ? g->drive : NULL;
    mesh.radius = 0.5f * JELLY_CELL;
    mesh.lattice = &lattice;
    return hemc_compile_bare(&mesh, &j->bytes, size) == 0;
}

// The compiler puts particles into an order of its own; cells know both.
static void find_particles(jelly* j) {
    for (uint32_t c = 0; c < j->view.lattice_cell_count; c++) {
        const hem_lattice_cell* cell = &j->view.lattice_cells[c];
        for (int k = 0; k < 8; k++) {
            const int x = cell->index[0] + (k & 1), y = cell->index[1] + (k >> 1 & 1), z = cell->index[2] + (k >> 2);
            j->particles[(z * j->size[1] + y) * j->size[0] + x] = cell->corner[k];
        }
    }
}

bool jelly_open(jelly* j, int nx, int ny, int nz, bool driven, uint32_t reserve) {
    const size_t count = (size_t)nx * (size_t)ny * (size_t)nz;
    memset(j, 0, sizeof(*j));
    j->size[0] = nx;
    j->size[1] = ny;
    j->size[2] = nz;
    j->particles = calloc(count, sizeof(uint32_t));
    grid g = {malloc(count * sizeof(*g.positions)),
              malloc(count * sizeof(float)),
              malloc(count * sizeof(*g.cells)),
              malloc(count * sizeof(*g.corners)),
              0,
              0};
    size_t size = 0;
    bool good = j->particles != NULL && g.positions != NULL && g.drive != NULL && g.cells != NULL && g.corners != NULL;
    if (good) {
        fill(&g, j->size);
        good = compile(j, &g, driven, reserve, &size) && open_scene(j, size);
    }
    if (good) {
        find_particles(j);
    }
    free(g.positions);
    free(g.drive);
    free(g.cells);
    free(g.corners);
    return good;
}
