// SPDX-License-Identifier: MIT
// Writes the small assets that the runtime's tests step, so that every target (also those without a compiler of their
// own, such as WebAssembly) reads the same bytes: test_assets OUTDIR

#include "compiler/hemc.h"
#include "formats/hem_format.h"
#include "platform/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 8192, LINK_LIMIT = 65536 };

typedef struct builder {
    uint32_t count;
    float positions[LIMIT][3];
    uint8_t animated[LIMIT];
    float mass[LIMIT];
    int32_t level[LIMIT], chain[LIMIT];
    hemc_bare_link links[LINK_LIMIT];
    size_t link_count;
    uint32_t group_starts[LIMIT + 1];
    uint16_t group_members[LINK_LIMIT];
    hemc_bare_mesh mesh;
} builder;

static void clear(builder* b) {
    memset(b, 0, sizeof(*b));
    b->mesh.radius = 0.02f;
}

static uint32_t add(builder* b, float x, float y, float z, float mass, int animated, int level, int chain) {
    uint32_t i = b->count++;
    float p[3] = {x, y, z};
    memcpy(b->positions[i], p, sizeof(p));
    b->mass[i] = mass;
    b->animated[i] = (uint8_t)animated;
    b->level[i] = level;
    b->chain[i] = chain;
    return i;
}

static void link(builder* b, uint32_t from, uint32_t to, int kind) {
    b->links[b->link_count++] = (hemc_bare_link){from, to, (uint8_t)kind};
}

// A sheet of w x h particles from (x0, y, z0), dx and dz apart, with structural, shear and two-ring bend links.
static void add_sheet(builder* b, int w, int h, float x0, float y, float z0, float dx, float dz, float mass, int bend) {
    uint32_t first = b->count;
    int base = first ? b->level[first - 1] + 2 : 0;
    for (int j = 0; j < h; ++j) {
        for (int i = 0; i < w; ++i) {
            add(b, x0 + dx * (float)i, y, z0 + dz * (float)j, mass, 0, base + j, i);
        }
    }
    for (int j = 0; j < h; ++j) {
        for (int i = 0; i < w; ++i) {
            uint32_t at = first + (uint32_t)(j * w + i);
            uint32_t below = at + (uint32_t)w;
            if (i + 1 < w) {
                link(b, at, at + 1, HEM_LINK_WEFT);
            }
            if (j + 1 < h) {
                link(b, at, below, HEM_LINK_WARP);
            }
            if (i + 1 < w && j + 1 < h) {
                link(b, at, below + 1, HEM_LINK_SHEAR);
                link(b, at + 1, below, HEM_LINK_SHEAR);
            }
            if (bend && i + 2 < w) {
                link(b, at, at + 2, HEM_LINK_BEND);
            }
            if (bend && j + 2 < h) {
                link(b, at, below + (uint32_t)w, HEM_LINK_BEND);
            }
        }
    }
}

static int write_asset(builder* b, const char* folder, const char* name, int groups) {
    b->mesh.particle_count = b->count;
    b->mesh.positions = (const float(*)[3])b->positions;
    b->mesh.animated = b->animated;
    b->mesh.mass = b->mass;
    b->mesh.links = b->links;
    b->mesh.link_count = b->link_count;
    b->mesh.level = b->level;
    b->mesh.chain = b->chain;
    b->mesh.group_starts = groups ? b->group_starts : NULL;
    b->mesh.group_members = groups ? b->group_members : NULL;
    uint8_t* bytes = NULL;
    size_t size = 0;
    if (hemc_compile_bare(&b->mesh, &bytes, &size) != 0) {
        fprintf(stderr, "test_assets: %s does not compile\n", name);
        return 1;
    }
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s.hem", folder, name);
    hem_file_error error;
    bool good = hem_file_write(path, bytes, size, 0, &error);
    if (!good) {
        fprintf(stderr, "test_assets: %s\n", error.text);
    }
    hemc_free(bytes);
    return !good;
}

// Groups of a particle and those linked to it.
static void group_by_links(builder* b) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->count; ++i) {
        b->group_starts[i] = n;
        for (size_t k = 0; k < b->link_count; ++k) {
            if (b->links[k].a == i || b->links[k].b == i) {
                b->group_members[n++] = (uint16_t)(b->links[k].a == i ? b->links[k].b : b->links[k].a);
            }
        }
    }
    b->group_starts[b->count] = n;
    b->link_count = 0;
}

static void add_block(builder* b, int nx, int ny, int nz, float y0, float spacing, float mass) {
    const uint32_t first = b->count;
    const int base = first ? b->level[first - 1] + 2 : 0;
    for (int z = 0; z < nz; ++z) {
        for (int y = 0; y < ny; ++y) {
            for (int x = 0; x < nx; ++x) {
                add(b, spacing * (float)x, y0 + spacing * (float)y, spacing * (float)z, mass, 0, base + y, z * nx + x);
            }
        }
    }
    for (int z = 0; z < nz; ++z) {
        for (int y = 0; y < ny; ++y) {
            for (int x = 0; x < nx; ++x) {
                uint32_t at = first + (uint32_t)((z * ny + y) * nx + x);
                if (x + 1 < nx) {
                    link(b, at, at + 1, HEM_LINK_WEFT);
                }
                if (y + 1 < ny) {
                    link(b, at, at + (uint32_t)nx, HEM_LINK_WARP);
                }
                if (z + 1 < nz) {
                    link(b, at, at + (uint32_t)(nx * ny), HEM_LINK_WEFT);
                }
            }
        }
    }
}

static int hanging_cape(builder* b, const char* folder, const char* name, int w, int h) {
    // 0.6 m wide, 1.2 m long, 0.3 kg, held along its upper edge, whatever the resolution.
    clear(b);
    add_sheet(b, w, h, 0.0f, 0.0f, 0.0f, 0.6f / (float)(w - 1), 1.2f / (float)(h - 1), 0.3f / (float)(w * h), 1);
    for (int i = 0; i < w; ++i) {
        b->animated[i] = 1;
    }
    b->mesh.damping = 2.0f;
    return write_asset(b, folder, name, 0);
}

int main(int argc, char** argv) {
    static builder b;
    if (argc != 2) {
        fprintf(stderr, "usage: test_assets OUTDIR\n");
        return 2;
    }
    const char* folder = argv[1];
    hem_file_error error;
    if (!hem_directory_make(folder, &error)) {
        fprintf(stderr, "test_assets: %s\n", error.text);
        return 5;
    }
    int bad = 0;

    clear(&b); // one free particle
    add(&b, 0.0f, 0.0f, 0.0f, 0.5f, 0, 0, 0);
    bad |= write_asset(&b, folder, "free", 0);

    clear(&b); // a bob on a string of one metre, held out sideways by five degrees (the test tilts it)
    uint32_t top = add(&b, 0.0f, 0.0f, 0.0f, 0.1f, 1, 1, 0);
    link(&b, top, add(&b, 0.0f, -1.0f, 0.0f, 0.1f, 0, 0, 0), HEM_LINK_WARP);
    bad |= write_asset(&b, folder, "pendulum", 0);

    clear(&b); // two oriented particles
    add(&b, 0.0f, 0.0f, 0.0f, 0.1f, 0, 0, 0);
    add(&b, 0.1f, 0.0f, 0.0f, 0.1f, 0, 1, 0);
    link(&b, 0, 1, HEM_LINK_WARP);
    b.mesh.radius = 0.05f;
    group_by_links(&b);
    bad |= write_asset(&b, folder, "pair", 1);

    clear(&b); // a soft block
    add_block(&b, 4, 4, 4, 0.0f, 0.1f, 0.01f);
    b.mesh.radius = 0.05f;
    group_by_links(&b);
    bad |= write_asset(&b, folder, "block", 1);

    clear(&b); // two soft blocks, one above the other
    add_block(&b, 3, 3, 3, 0.2f, 0.1f, 0.01f);
    add_block(&b, 3, 3, 3, -0.4f, 0.1f, 0.01f);
    b.mesh.radius = 0.05f;
    b.mesh.self_collision = true;
    group_by_links(&b);
    bad |= write_asset(&b, folder, "blocks", 1);

    clear(&b); // the benchmark's sheet, two corners held
    add_sheet(&b, 20, 20, -1.0f, 0.0f, 0.0f, 2.0f / 19.0f, 2.0f / 19.0f, 0.001f, 1);
    b.animated[0] = b.animated[19] = 1;
    b.mesh.damping = 5.0f;
    b.mesh.radius = 1.0f / 19.0f;
    bad |= write_asset(&b, folder, "sheet", 0);
    b.mesh.self_collision = true;
    b.mesh.self_thickness = 0.06f;
    b.mesh.friction = 0.3f;
    bad |= write_asset(&b, folder, "sheet_self", 0);

    clear(&b); // a free sheet, nothing held
    add_sheet(&b, 12, 9, 0.0f, 0.0f, 0.0f, 0.05f, 0.05f, 0.002f, 1);
    bad |= write_asset(&b, folder, "loose", 0);

    clear(&b); // two sheets that face each other, one above the other
    add_sheet(&b, 16, 16, 0.0f, 0.3f, 0.0f, 0.05f, 0.05f, 0.002f, 1);
    add_sheet(&b, 16, 16, 0.012f, -0.3f, 0.017f, 0.05f, 0.05f, 0.002f, 1);
    b.mesh.radius = 0.025f;
    b.mesh.self_collision = true;
    b.mesh.self_thickness = 0.05f;
    bad |= write_asset(&b, folder, "crossing", 0);

    clear(&b); // the same, large enough for all levels of the pair search and for two bands of links
    add_sheet(&b, 48, 48, 0.0f, 0.1f, 0.0f, 0.05f, 0.05f, 0.002f, 1);
    add_sheet(&b, 48, 48, 0.012f, -0.1f, 0.017f, 0.05f, 0.05f, 0.002f, 1);
    b.mesh.radius = 0.025f;
    b.mesh.self_collision = true;
    b.mesh.self_thickness = 0.05f;
    bad |= write_asset(&b, folder, "crossing_large", 0);

    bad |= hanging_cape(&b, folder, "cape_half", 8, 13);
    bad |= hanging_cape(&b, folder, "cape", 16, 25);
    bad |= hanging_cape(&b, folder, "cape_double", 32, 49);
    return bad ? 1 : 0;
}
