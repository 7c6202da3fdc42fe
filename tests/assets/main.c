// SPDX-License-Identifier: MIT
// Writes the small assets that the runtime's tests step, so that every target (also those without a compiler of their
// own, such as WebAssembly) reads the same bytes: test_assets OUTDIR

#include "compiler/hemc.h"
#include "formats/hem_format.h"
#include "platform/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 8192, LINK_LIMIT = 65536 };

typedef struct builder {
    uint32_t count;
    float positions[LIMIT][3];
    uint8_t animated[LIMIT];
    float mass[LIMIT], area[LIMIT];
    int32_t level[LIMIT], column[LIMIT];
    hemc_bare_link links[LINK_LIMIT];
    size_t link_count;
    hemc_bare_spring springs[LIMIT];
    size_t spring_count;
    uint32_t group_starts[LIMIT + 1];
    uint16_t group_members[LINK_LIMIT];
    float max_distance[LIMIT], backstop[LIMIT], drive[LIMIT];
    float maps[LIMIT][HEMC_MAP_COUNT];
    int painted;
    uint32_t strand_starts[LIMIT], strand_members[LIMIT];
    float turns[LIMIT][3];
    hemc_bare_rods rods;
    hemc_bare_part parts[4];
    int32_t cells[LIMIT][3];
    uint32_t corners[LIMIT][8];
    hemc_bare_lattice lattice;
    hemc_bare_mesh mesh;
} builder;

static void clear(builder* b) {
    memset(b, 0, sizeof(*b));
    b->mesh.radius = 0.02f;
    for (int i = 0; i < LIMIT; ++i) {
        b->max_distance[i] = b->backstop[i] = b->drive[i] = -1.0f;
    }
}

// Those added since the last part become one.
static void add_part(builder* b, int kind, float radius, uint32_t group, uint32_t mask) {
    uint32_t before = 0;
    for (uint32_t i = 0; i < b->mesh.part_count; ++i) {
        before += b->parts[i].particle_count;
    }
    b->parts[b->mesh.part_count++] = (hemc_bare_part){.kind = (uint8_t)kind,
                                                      .particle_count = b->count - before,
                                                      .radius = radius,
                                                      .collision_group = group,
                                                      .collision_mask = mask};
}

static uint32_t add(builder* b, float x, float y, float z, float mass, int animated, int level, int column) {
    uint32_t i = b->count++;
    float p[3] = {x, y, z};
    memcpy(b->positions[i], p, sizeof(p));
    b->mass[i] = mass;
    b->animated[i] = (uint8_t)animated;
    b->level[i] = level;
    b->column[i] = column;
    return i;
}

static void link(builder* b, uint32_t from, uint32_t to, int kind) {
    b->links[b->link_count++] = (hemc_bare_link){from, to, (uint8_t)kind};
}

static void spring(builder* b, uint32_t from, uint32_t to, float rest, float stiffness, float damping) {
    b->springs[b->spring_count++] = (hemc_bare_spring){from, to, rest, stiffness, damping};
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

// Cells of 10 cm with particles on their corners; `leave_out` may make holes.
static void add_lattice(builder* b, int nx, int ny, int nz, int (*leave_out)(int x, int y, int z)) {
    static int32_t number[33][33][33];
    hemc_bare_lattice* l = &b->lattice;
    memset(number, 0xff, sizeof(number));
    *l = (hemc_bare_lattice){.cells = (const int32_t(*)[3])b->cells,
                             .corners = (const uint32_t(*)[8])b->corners,
                             .size = {(uint32_t)nx + 1, (uint32_t)ny + 1, (uint32_t)nz + 1},
                             .spacing = {0.1f, 0.1f, 0.1f},
                             .alpha = 0.75f,
                             .damping = 1.0f,
                             .width = 2};
    for (int pass = 0; pass < 3; ++pass) { // who is there, numbers along x, cells
        for (int z = 0; z <= nz; ++z) {
            for (int y = 0; y <= ny; ++y) {
                for (int x = 0; x <= nx; ++x) {
                    if (pass == 1 && number[z][y][x] == 0) {
                        number[z][y][x] = (int32_t)add(b, 0.1f * (float)x, 0.1f * (float)y, 0.1f * (float)z,
                                                       0.01f * (float)(1 + (x + y + z) % 3), 0, y, x);
                    }
                    if (pass == 1 || x == nx || y == ny || z == nz || (leave_out && leave_out(x, y, z))) {
                        continue;
                    }
                    for (int k = 0; k < 8; ++k) {
                        int32_t* at = &number[z + (k >> 2)][y + (k >> 1 & 1)][x + (k & 1)];
                        *at = pass == 0 ? 0 : *at;
                        b->corners[l->cell_count][k] = (uint32_t)*at;
                    }
                    const int32_t index[3] = {x, y, z};
                    memcpy(b->cells[l->cell_count], index, sizeof(index));
                    l->cell_count += pass == 2;
                }
            }
        }
    }
    b->mesh.radius = 0.05f;
}

// A thing with an arm, a notch and a hole, so that bars break.
static int notched(int x, int y, int z) {
    return (x > 3 && y > 1) || (x == 1 && z == 1 && y < 3) || (x == 2 && y == 2 && z == 2);
}

// Three bodies side by side, two cells apart.
static int three_bodies(int x, int y, int z) {
    (void)y;
    (void)z;
    return (x >= 2 && x <= 3) || (x >= 5 && x <= 6);
}

static int write_lattices(builder* b, const char* folder);

static int write_asset(builder* b, const char* folder, const char* name, int groups) {
    b->mesh.particle_count = b->count;
    b->mesh.positions = (const float(*)[3])b->positions;
    b->mesh.animated = b->animated;
    b->mesh.mass = b->mass;
    b->mesh.area = b->area[0] > 0 ? b->area : NULL;
    b->mesh.links = b->links;
    b->mesh.link_count = b->link_count;
    b->mesh.springs = b->springs;
    b->mesh.spring_count = b->spring_count;
    b->mesh.level = b->level;
    b->mesh.column = b->column;
    b->mesh.max_distance = b->max_distance;
    b->mesh.backstop = b->backstop;
    b->mesh.rods = b->rods.strand_count ? &b->rods : NULL;
    b->mesh.lattice = b->lattice.cell_count ? &b->lattice : NULL;
    b->mesh.drive = b->drive[0] >= 0 ? b->drive : NULL;
    b->mesh.maps = b->painted ? (const float(*)[HEMC_MAP_COUNT])b->maps : NULL;
    b->mesh.parts = b->mesh.part_count ? b->parts : NULL;
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

// Eight loose particles a part, one metre apart, the upper ones above the lower: all painted, each in its own way, (i + 1) / 8
// of the one kind, 1 - i / 16 of the next. The lower ones are held.
static int write_painted(builder* b, const char* folder) {
    clear(b);
    for (int i = 0; i < 16; ++i) {
        add(b, (float)(i % 8), i < 8 ? 0.5f : 0.0f, 0.0f, 0.01f * (float)(1 + i % 8), i >= 8, i / 8, i % 8);
        b->area[i] = 0.01f;
        const float up = (float)(i % 8 + 1) / 8.0f, down = 1.0f - (float)(i % 8) / 16.0f;
        b->maps[i][HEMC_FRICTION] = up;
        b->maps[i][HEMC_DRAG] = down;
        b->maps[i][HEMC_DAMPING] = up;
        b->maps[i][HEMC_CONTACT] = i < 8 ? down : up;
        b->maps[i][HEMC_TETHER] = 1.0f;
        if (i == 7) {
            add_part(b, HEM_PART_CLOTH, 0.02f, 1, 2);
        }
    }
    add_part(b, HEM_PART_CLOTH, 0.02f, 2, 1);
    b->painted = 1;
    int bad = write_asset(b, folder, "painted", 0);

    clear(b); // a sheet that meets itself, paint in waves
    add_sheet(b, 16, 16, -0.8f, 0.0f, 0.0f, 0.1f, 0.1f, 0.01f, 1);
    for (uint32_t i = 0; i < b->count; ++i) {
        b->animated[i] = i < 16;
        for (uint32_t k = 0; k < HEMC_MAP_COUNT; ++k) {
            b->maps[i][k] = (float)((i * (k + 3)) % 17) / 16.0f;
        }
    }
    b->painted = 1;
    b->mesh.damping = 2.0f;
    b->mesh.friction = 0.5f;
    b->mesh.self_collision = true;
    b->mesh.self_thickness = 0.08f;
    b->mesh.radius = 0.05f;
    return bad | write_asset(b, folder, "painted_sheet", 0);
}

// A sheet of a material: warp and weft only, upright or lying, `clamped` rows of it held. A particle weighs its share of
// the cells around it.
static void add_weave(builder* b, int w, int h, float spacing, float density, int upright, int clamped) {
    for (int j = 0; j < h; ++j) {
        for (int i = 0; i < w; ++i) {
            const float across = i == 0 || i == w - 1 ? 0.5f : 1.0f, down = j == 0 || j == h - 1 ? 0.5f : 1.0f;
            const float along = spacing * (float)j;
            add(b, spacing * (float)i, upright ? -along : 0.0f, upright ? 0.0f : along,
                density * spacing * spacing * across * down, j < clamped, h - 1 - j, i);
        }
    }
    for (int j = 0; j < h; ++j) {
        for (int i = 0; i < w; ++i) {
            const uint32_t at = (uint32_t)(j * w + i);
            if (i + 1 < w) {
                link(b, at, at + 1, HEM_LINK_WEFT);
            }
            if (j + 1 < h) {
                link(b, at, at + (uint32_t)w, HEM_LINK_WARP);
            }
        }
    }
}

// Cloth of triangles. The sheets have 13 columns, so that much of it goes by indices.
static int write_fabrics(builder* b, const char* folder) {
    static const hemc_material soft = {"soft", 0.5f, 50.0f, 80.0f, 40.0f, 0.04f, 0.0f, "tests"};
    static const hemc_material stiff = {"stiff", 0.03f, 2000.0f, 3000.0f, 500.0f, 0.08f, 0.05f, "tests"};
    static const struct {
        const char* name;
        const hemc_material* material;
        int w, h;
        float spacing;
        int upright, clamped, isometric;
    } rows[] = {
        {"strip", &soft, 4, 11, 0.1f, 1, 1, 0},          {"flap", &soft, 5, 3, 0.1f, 0, 2, 0},
        {"fabric", &stiff, 13, 16, 0.05f, 0, 1, 0},      {"fabric_flat", &stiff, 13, 16, 0.05f, 0, 1, 1},
        {"fabric_free", &soft, 13, 16, 0.05f, 0, 0, 0},  {"fabric_free_flat", &soft, 13, 16, 0.05f, 0, 0, 1},
        {"bench_fabric", &soft, 32, 32, 0.05f, 0, 1, 0}, {"bench_flat", &soft, 32, 32, 0.05f, 0, 1, 1},
    };
    int bad = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        clear(b);
        add_weave(b, rows[i].w, rows[i].h, rows[i].spacing, rows[i].material->density, rows[i].upright,
                  rows[i].clamped);
        b->mesh.material = rows[i].material;
        b->mesh.isometric = rows[i].isometric != 0;
        b->mesh.radius = 0.5f * rows[i].spacing;
        bad |= write_asset(b, folder, rows[i].name, 0);
    }
    return bad;
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

// A strand of n particles from a root that is held; turn is that of each joint, see hem_rod.
typedef struct strand_shape {
    float root[3], step[3]; // straight
    float radius, pitch;    // or, when the radius is not 0, a helix about -y: metres, metres a radian
    float angle;            // a particle of the helix
    float turn[3];
} strand_shape;

static void add_strand(builder* b, int n, float mass, const strand_shape* s) {
    hemc_bare_rods* r = &b->rods;
    const int column = (int)r->strand_count;
    r->starts = b->strand_starts;
    r->members = b->strand_members;
    r->turns = (const float(*)[3])b->turns;
    uint32_t at = b->strand_starts[r->strand_count];
    for (int i = 0; i < n; ++i, ++at) {
        const float t = (float)i, a = s->angle * t;
        float p[3] = {s->root[0] + t * s->step[0], s->root[1] + t * s->step[1], s->root[2] + t * s->step[2]};
        if (s->radius > 0) {
            p[0] = s->root[0] + s->radius * cosf(a);
            p[1] = s->root[1] - s->pitch * a;
            p[2] = s->root[2] + s->radius * sinf(a);
        }
        const uint32_t k = add(b, p[0], p[1], p[2], mass, i == 0, i, column);
        b->strand_members[at] = k;
        for (int c = 0; i + 1 < n && c < 3; ++c) {
            b->turns[at][c] = s->turn[c];
        }
        if (i > 0) {
            link(b, k - 1, k, HEM_LINK_WARP);
        }
    }
    b->strand_starts[++r->strand_count] = at;
}

static int write_rods(builder* b, const char* folder, const char* name, float bend, int sag_free, int chains) {
    b->rods.bend = bend;
    b->rods.twist = 0.7f;
    b->rods.taper = 1.0f;
    b->rods.sag_free = sag_free;
    b->rods.chains = chains;
    if (sag_free) {
        b->rods.turns = NULL;
    }
    b->mesh.radius = 0.01f;
    b->mesh.part_count = 0;
    add_part(b, HEM_PART_SOFT, 0.01f, 1, 0);
    return write_asset(b, folder, name, 0);
}

// Straight, horizontal and hanging, wound, of different lengths: lanes that end early and strands that find no batch.
static void add_strands(builder* b, int helices) {
    for (int i = 0; i < 11; ++i) {
        const float x = 0.5f * (float)i;
        const strand_shape hanging = {{x, 0, 0}, {0, -0.05f, 0}, 0, 0, 0, {0, 0, 0}};
        const strand_shape lying = {{x, 0, 0}, {0, 0, 0.05f}, 0, 0, 0, {0, 0, 0}};
        const strand_shape wound = {{x, 0, 0}, {0, 0, 0}, 0.05f, 0.02f, 0.6f, {0, 0, 0}};
        add_strand(b, 20 - i, 0.001f, helices && i % 2 == 0 ? &wound : i % 3 == 0 ? &lying : &hanging);
    }
}

// Guides of different lengths, one of them wound, that keep their distance.
static int write_full(builder* b, const char* folder) {
    clear(b);
    for (int i = 0; i < 12; ++i) {
        const float x = 0.06f * (float)(i % 4), z = 0.06f * (float)(i / 4) + (i % 2 ? 0.02f : 0.0f);
        const strand_shape hanging = {{x, 0, z}, {0, -0.05f, 0}, 0, 0, 0, {0, 0, 0}};
        const strand_shape wound = {{x, 0, z}, {0, 0, 0}, 0.02f, 0.02f, 0.6f, {0, 0, 0}};
        add_strand(b, 14 - i % 5, 0.001f, i == 5 ? &wound : &hanging);
    }
    b->mesh.fullness = 6;
    return write_rods(b, folder, "hair_full", 2e-3f, 0, 1);
}

// Half circles that lie level, held at both ends: a metre or less of them, to hang.
static int write_hung(builder* b, const char* folder) {
    clear(b);
    for (int i = 0; i < 10; ++i) {
        const int n = 25 + 2 * i;
        const strand_shape half = {
            {(float)i, 0, 0}, {0, 0, 0}, 0.2f + 0.01f * (float)i, 0, 3.14159265f / (float)(n - 1), {0, 0, 0}};
        add_strand(b, n, 0.001f, &half);
        b->animated[b->count - 1] = 1;
    }
    return write_rods(b, folder, "chains_hung", 2e-3f, 0, 1);
}

// A ring of 10 cm of a strand that is straight by itself, with both ends in one place, twisted as a whole by so much: each joint rests
// unbent and turned by its share about its edge, so that with frames alike all of the twist is in it. The rest turn as a vector is half
// its sine times its axis: that of unbending about y, then of the twist.
static int write_ring(builder* b, const char* folder, const char* name, double twist) {
    enum { EDGES = 48 };
    const double step = 2 * 3.14159265358979 / EDGES;
    clear(b);
    const strand_shape ring = {{0, 0, 0}, {0, 0, 0}, 0.1f, 0, (float)step, {0, 0, 0}};
    add_strand(b, EDGES + 1, 0.001f, &ring);
    b->animated[b->count - 1] = 1;
    memcpy(b->positions[b->count - 1], b->positions[0], sizeof(b->positions[0]));
    for (int k = 1; k < EDGES; ++k) {
        b->positions[k][1] = (float)(1e-3 * sin(2 * step * k)); // not quite flat: it knows where to go
    }
    for (int k = 0; k < EDGES; ++k) {
        const float *from = b->positions[k], *to = b->positions[k + 1];
        const double e[3] = {(double)to[0] - (double)from[0], 0, (double)to[2] - (double)from[2]},
                     l = hypot(e[0], e[2]);
        // Which way the ring goes on: from this edge to the next one.
        const float* next = b->positions[k + 2 <= EDGES ? k + 2 : 1];
        const double f[3] = {(double)next[0] - (double)to[0], 0, (double)next[2] - (double)to[2]};
        const double side = e[2] * f[0] - e[0] * f[2] > 0 ? 1 : -1; // of y
        const double u = -0.5 * side * step, t = 0.5 * twist / EDGES;
        const double ax = e[0] / l * sin(t), az = e[2] / l * sin(t), by = sin(u), aw = cos(t), bw = cos(u);
        // (a, aw) (0 by 0, bw)
        b->turns[k][0] = (float)(ax * bw - az * by);
        b->turns[k][1] = (float)(aw * by);
        b->turns[k][2] = (float)(az * bw + ax * by);
    }
    b->rods.bend = 1e-3f;
    b->rods.twist = 1.0f;
    b->rods.taper = 1.0f;
    b->rods.sag_free = b->rods.chains = 0;
    b->mesh.radius = 0.01f;
    b->mesh.part_count = 0;
    add_part(b, HEM_PART_SOFT, 0.01f, 1, 0);
    return write_asset(b, folder, name, 0);
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
    for (int i = 0; i < w * h; ++i) {
        b->area[i] = 0.6f * 1.2f / (float)(w * h);
    }
    b->mesh.damping = 2.0f;
    return write_asset(b, folder, name, 0);
}

// A cape with limits and tethers, a soft block sewn to its hem, and a body of five balls behind: every sort of part and
// of constraint.
static int dressed(builder* b, const char* folder) {
    const int w = 12, h = 14;
    clear(b);
    add_sheet(b, w, h, 0.0f, 0.0f, 0.0f, 0.05f, 0.05f, 0.002f, 1);
    for (int j = 0; j < h; ++j) {
        for (int i = 0; i < w; ++i) {
            const int at = j * w + i;
            if (j == 0) {
                b->animated[at] = 1;
                continue;
            }
            b->max_distance[at] = i % 3 ? 0.08f * (float)j : -1.0f;
            b->backstop[at] = i % 4 ? 0.05f * (float)j : -1.0f;
            if (j % 4 == 1) {
                link(b, (uint32_t)at, (uint32_t)i, HEM_LINK_TETHER);
            }
        }
    }
    add_part(b, HEM_PART_CLOTH, 0.02f, 1, 1 | 2 | 4);
    const size_t links = b->link_count;
    const uint32_t soft = b->count;
    add_block(b, 4, 2, 3, -0.1f, 0.06f, 0.005f);
    // Its own links become groups; stitches join it to the hem.
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->count; ++i) {
        b->group_starts[i] = n;
        for (size_t k = links; k < b->link_count; ++k) {
            if (b->links[k].a == i || b->links[k].b == i) {
                b->group_members[n++] = (uint16_t)(b->links[k].a == i ? b->links[k].b : b->links[k].a);
            }
        }
    }
    b->link_count = links;
    for (uint32_t i = 0; i < 4; ++i) {
        link(b, (uint32_t)(w * (h - 1)) + 3 * i, soft + i, HEM_LINK_STITCH);
    }
    add_part(b, HEM_PART_SOFT, 0.03f, 2, 1 | 2 | 4);
    for (int i = 0; i < 5; ++i) {
        add(b, 0.1f * (float)i + 0.05f, -0.25f - 0.02f * (float)i, 0.15f + 0.1f * (float)i, 1.0f, 1, 0, i);
    }
    add_part(b, HEM_PART_BODY, 0.09f, 4, 1 | 2);
    for (uint32_t i = b->count - 5; i <= b->count; ++i) {
        b->group_starts[i] = n;
    }
    b->mesh.self_thickness = 0.03f;
    b->mesh.damping = 1.0f;
    b->mesh.friction = 0.3f;
    return write_asset(b, folder, "dressed", 1);
}

// Who meets whom, by construction.
static int write_meetings(builder* b, const char* folder) {
    clear(b); // one falls between two that are held, with 2 mm to spare on neither side
    add(b, 0.0f, 0.5f, 0.0f, 0.1f, 0, 0, 0);
    add(b, -0.098f, 0.0f, 0.0f, 0.1f, 1, 1, 0);
    add(b, 0.098f, 0.0f, 0.0f, 0.1f, 1, 1, 1);
    b->mesh.self_collision = true;
    b->mesh.self_thickness = 0.1f;
    int bad = write_asset(b, folder, "gate", 0);

    clear(b); // thin cloth that meets itself and, far away, a second part; a third one, below it, would meet both
    add(b, 0.0f, 0.1f, 0.0f, 0.1f, 0, 0, 0);
    add(b, 0.0f, 0.0f, 0.0f, 0.1f, 0, 1, 0);
    add_part(b, HEM_PART_CLOTH, 0.02f, 1, 1 | 2);
    add(b, 3.0f, 0.0f, 0.0f, 0.1f, 0, 0, 0);
    add_part(b, HEM_PART_CLOTH, 0.02f, 2, 1 | 4);
    add(b, 0.0f, -0.1f, 0.0f, 0.1f, 0, 0, 0);
    add_part(b, HEM_PART_CLOTH, 0.02f, 4, 1 | 2);
    bad |= write_asset(b, folder, "three_parts", 0);

    clear(b); // 64 loose particles in the middle of eight balls that reach them all
    for (int i = 0; i < 64; ++i) {
        add(b, 0.05f * (float)(i & 3), 0.05f * (float)(i >> 2 & 3), 0.05f * (float)(i >> 4), 0.01f, 0, i / 8, i % 8);
    }
    add_part(b, HEM_PART_CLOTH, 0.02f, 1, 2);
    for (int i = 0; i < 8; ++i) {
        add(b, (i & 1) != 0 ? 0.4f : -0.25f, (i & 2) != 0 ? 0.4f : -0.25f, (i & 4) != 0 ? 0.4f : -0.25f, 1.0f, 1, 0, i);
    }
    add_part(b, HEM_PART_BODY, 0.8f, 2, 1);
    return bad | write_asset(b, folder, "crowded", 0);
}

// What hangs on what, by constraints that do not line up in rows.
static int write_odd_ones(builder* b, const char* folder) {
    clear(b); // a bob on three tethers of one metre: more than are lined up
    for (int i = 0; i < 3; ++i) {
        add(b, 0.0005f * (float)(i - 1), 0.0f, 0.0f, 0.1f, 1, 1, i);
    }
    add(b, 0.0f, -1.0f, 0.0f, 0.1f, 0, 0, 0);
    for (uint32_t i = 0; i < 3; ++i) {
        link(b, 3, i, HEM_LINK_TETHER);
    }
    int bad = write_asset(b, folder, "three_tethers", 0);

    clear(b); // free particles of different mass, springs to and fro between them that are too long or too short
    for (int i = 0; i < 12; ++i) {
        add(b, 0.2f * (float)(i % 4), 0.15f * (float)(i * 5 % 7), 0.1f * (float)(i * i % 5), 0.01f * (float)(1 + i % 5),
            0, i / 4, i % 4);
    }
    for (uint32_t i = 0; i < 12; ++i) {
        spring(b, i, (i * 5 + 2) % 12, 0.2f + 0.05f * (float)(i % 3), 5.0f, 0.02f);
    }
    bad |= write_asset(b, folder, "sprung_free", 0);

    clear(b); // a soft particle that hangs from one that is held
    add(b, 0.0f, 0.0f, 0.0f, 0.1f, 1, 1, 0);
    add(b, 0.0f, -0.1f, 0.0f, 0.1f, 0, 0, 0);
    link(b, 0, 1, HEM_LINK_WARP);
    b->mesh.radius = 0.05f;
    group_by_links(b);
    return bad | write_asset(b, folder, "hung_pair", 1);
}

// A bar with clips of its own: "bend" into an arc of one radian and back, "lift" in steps, "still".
static int write_lattice_clips(builder* b, const char* folder) {
    static float bend[3][LIMIT][3], lift[3][LIMIT][3], rest[1][LIMIT][3];
    static float packed[3][3 * LIMIT][3];
    static const float seconds[3] = {0.0f, 0.5f, 1.0f};
    clear(b);
    add_lattice(b, 10, 2, 2, NULL);
    for (uint32_t i = 0; i < b->count; ++i) {
        const float *p = b->positions[i], angle = p[0], radius = 1.0f - (p[1] - 0.1f);
        const float arc[3] = {radius * sinf(angle), 1.1f - radius * cosf(angle), p[2]};
        b->drive[i] = 1.0f;
        for (int k = 0; k < 3; ++k) {
            memcpy(bend[k][i], k == 1 ? arc : p, sizeof(arc));
            memcpy(lift[k][i], p, sizeof(arc));
            lift[k][i][1] += 0.2f * (float)k;
        }
        memcpy(rest[0][i], p, sizeof(arc));
    }
    for (int k = 0; k < 3; ++k) {
        memcpy(packed[0][(size_t)k * b->count], bend[k], b->count * sizeof(bend[0][0]));
        memcpy(packed[1][(size_t)k * b->count], lift[k], b->count * sizeof(lift[0][0]));
    }
    memcpy(packed[2], rest[0], b->count * sizeof(rest[0][0]));
    const hemc_bare_lattice_clip clips[3] = {{"bend", true, true, 3, seconds, (const float(*)[3])packed[0]},
                                             {"lift", false, false, 3, seconds, (const float(*)[3])packed[1]},
                                             {"still", true, true, 1, seconds, (const float(*)[3])packed[2]}};
    b->lattice.clips = clips;
    b->lattice.clip_count = 3;
    return write_asset(b, folder, "lattice_clips", 0);
}

static int outside_ball(int x, int y, int z) {
    const int dx = 2 * x - 7, dy = 2 * y - 7, dz = 2 * z - 7;
    return dx * dx + dy * dy + dz * dz > 70;
}

static int write_lattices(builder* b, const char* folder) {
    int bad = 0;
    clear(b);
    add_lattice(b, 7, 4, 4, notched);
    bad |= write_asset(b, folder, "lattice", 0);

    clear(b);
    add_lattice(b, 9, 3, 3, three_bodies);
    b->mesh.self_collision = true;
    bad |= write_asset(b, folder, "lattice_heap", 0);

    clear(b); // a bar that knows its pose, held at one end
    add_lattice(b, 10, 2, 2, NULL);
    for (uint32_t i = 0; i < b->count; ++i) {
        b->animated[i] = b->positions[i][0] < 0.05f;
        b->drive[i] = 1.0f;
    }
    bad |= write_asset(b, folder, "lattice_held", 0);

    bad |= write_lattice_clips(b, folder);

    clear(b); // solid, with an arm, a notch and a hole
    add_lattice(b, 7, 4, 4, notched);
    b->lattice.alpha = b->lattice.damping = 0;
    b->lattice.young = 2e4f;
    b->lattice.poisson = 0.45f;
    bad |= write_asset(b, folder, "solid", 0);

    clear(b); // a ball, near enough
    add_lattice(b, 8, 8, 8, outside_ball);
    b->lattice.alpha = b->lattice.damping = 0;
    b->lattice.young = 2e4f;
    b->lattice.poisson = 0.45f;
    for (uint32_t i = 0; i < b->count; ++i) { // a heavy side, or it would roll away
        b->mass[i] = b->positions[i][1] < 0.25f ? 0.06f : 0.02f;
    }
    bad |= write_asset(b, folder, "solid_round", 0);

    clear(b); // a column of a metre that hangs, 10 kg in each of its layers
    add_lattice(b, 2, 10, 2, NULL);
    b->lattice.alpha = b->lattice.damping = 0;
    b->lattice.young = 1e6f;
    for (uint32_t i = 0; i < b->count; ++i) {
        b->animated[i] = b->positions[i][1] > 0.95f;
        b->mass[i] = 10.0f / 9.0f;
    }
    bad |= write_asset(b, folder, "solid_held", 0);
    clear(b); // may tear, with more and with less in reserve than it can use
    add_lattice(b, 7, 4, 4, notched);
    b->lattice.reserve = 300;
    bad |= write_asset(b, folder, "lattice_tear", 0);

    clear(b);
    add_lattice(b, 10, 3, 3, NULL);
    for (uint32_t i = 0; i < b->count; ++i) {
        b->animated[i] = b->positions[i][0] < 0.05f;
        b->drive[i] = 1.0f;
    }
    b->lattice.reserve = 40;
    bad |= write_asset(b, folder, "lattice_pull", 0);

    clear(b); // for the clock
    add_lattice(b, 14, 14, 14, NULL);
    return bad | write_asset(b, folder, "lattice_cube", 0);
}

// Cloth that goes around edges of meshes: two triangles of 40 cm, and sheets of a metre.
static int write_virtual(builder* b, const char* folder) {
    int bad = 0;
    clear(b);
    for (int i = 0; i < 4; ++i) {
        add(b, 0.4f * (float)(i % 2) - 0.2f, 0.0f, 0.4f * (float)(i / 2) - 0.2f, 0.01f, 0, i / 2, i % 2);
    }
    link(b, 0, 1, HEM_LINK_WEFT);
    link(b, 2, 3, HEM_LINK_WEFT);
    link(b, 0, 2, HEM_LINK_WARP);
    link(b, 1, 3, HEM_LINK_WARP);
    link(b, 0, 3, HEM_LINK_SHEAR);
    b->mesh.virtual_particles = 1;
    bad |= write_asset(b, folder, "two_triangles", 0);
    clear(b);
    add_sheet(b, 10, 10, -0.5f, 0.0f, -0.5f, 1.0f / 9.0f, 1.0f / 9.0f, 0.002f, 1);
    b->mesh.damping = 1.0f;
    b->mesh.friction = 0.4f;
    b->mesh.virtual_particles = 2;
    bad |= write_asset(b, folder, "virtual_sheet", 0);
    return bad;
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

    clear(&b); // dust: 4 x 4 x 4 loose grains, half a metre apart, none of them on an axis
    for (int i = 0; i < 64; ++i) {
        add(&b, 0.5f * (float)(i & 3) - 0.7f, 0.5f * (float)(i >> 2 & 3) - 0.65f, 0.5f * (float)(i >> 4) - 0.8f, 0.01f,
            0, 0, i);
    }
    bad |= write_asset(&b, folder, "dust", 0);

    clear(&b); // a bob on a string of one metre, held out sideways by five degrees (the test tilts it)
    uint32_t top = add(&b, 0.0f, 0.0f, 0.0f, 0.1f, 1, 1, 0);
    link(&b, top, add(&b, 0.0f, -1.0f, 0.0f, 0.1f, 0, 0, 0), HEM_LINK_WARP);
    bad |= write_asset(&b, folder, "pendulum", 0);

    clear(
        &b); // weights of half a kilogram on springs of 1, 2 and 3 Hz, damped by 0, 5, 20 and 100 % of what is critical
    for (int i = 0; i < 12; ++i) {
        static const float ratios[4] = {0.0f, 0.05f, 0.2f, 1.0f};
        float x = 0.5f * (float)i, w = 6.2831853f * (float)(1 + i / 4), stiffness = 0.5f * w * w;
        uint32_t hook = add(&b, x, 0.0f, 0.0f, 0.1f, 1, 1, i);
        spring(&b, add(&b, x, -0.5f, 0.0f, 0.5f, 0, 0, i), hook, -1.0f, stiffness, ratios[i % 4] * w);
    }
    b.mesh.radius = 0.02f;
    bad |= write_asset(&b, folder, "springs", 0);

    clear(&b); // a sheet with springs across it, in rows and at random, stiff and soft
    add_sheet(&b, 16, 16, -0.8f, 0.0f, 0.0f, 0.1f, 0.1f, 0.01f, 1);
    for (uint32_t i = 0; i < 16; ++i) {
        b.animated[i] = 1;
        spring(&b, 16 * 8 + i, 16 * 3 + i, -1.0f, 20.0f, 0.1f);
        spring(&b, 16 * 15 + i, 16 * (4 + i * 5 % 7) + (i * i * 3 + 1) % 16, 0.4f, i % 2 != 0 ? 2000.0f : 0.5f,
               i % 3 != 0 ? 0.0f : 2.0f);
    }
    b.mesh.damping = 0.5f;
    b.mesh.radius = 0.05f;
    bad |= write_asset(&b, folder, "sprung", 0);

    clear(&b); // twelve loose particles of different mass that know their pose, painted 1, 0.5 and 0.25
    for (int i = 0; i < 12; ++i) {
        add(&b, 0.5f * (float)i, 0.0f, 0.0f, 0.01f * (float)(1 + i * i), 0, 0, i);
        b.drive[i] = i % 3 == 0 ? 1.0f : i % 3 == 1 ? 0.5f : 0.25f;
    }
    bad |= write_asset(&b, folder, "driven", 0);

    clear(&b); // a soft bar that knows its pose, held at one end
    add_block(&b, 9, 2, 2, 0.0f, 0.1f, 0.01f);
    b.mesh.radius = 0.05f;
    for (uint32_t i = 0; i < b.count; ++i) {
        b.animated[i] = b.positions[i][0] < 0.05f;
        b.drive[i] = 1.0f;
    }
    group_by_links(&b);
    bad |= write_asset(&b, folder, "tracked", 1);
    bad |= write_fabrics(&b, folder);
    bad |= write_painted(&b, folder);
    bad |= write_lattices(&b, folder);

    clear(&b); // rods that bend, that twist and that do both, each joint alike
    for (int i = 0; i < 4; ++i) {
        const float a = 0.5f * 1.5707963f / 19.0f, s = sinf(a);
        const strand_shape shape = {{(float)i, 0, 0},
                                    {0, -0.05f, 0},
                                    0,
                                    0,
                                    0,
                                    {i == 2 ? s : 0, i == 1 || i == 2 ? s : 0, i == 0 || i == 2 ? s : 0}};
        add_strand(&b, 20, 0.001f, &shape);
    }
    bad |= write_rods(&b, folder, "rods_bent", 0.1f, 0, 0);

    clear(&b); // cantilevers of 1 m and 20 g: m g L^3 / (8 B) is 5 cm
    for (int i = 0; i < 3; ++i) {
        const float step = 1.0f / (float)(10 << i);
        const strand_shape shape = {{(float)i, 0, 0}, {0, 0, step}, 0, 0, 0, {0, 0, 0}};
        add_strand(&b, (10 << i) + 1, 0.02f / (float)(10 << i), &shape);
    }
    bad |= write_rods(&b, folder, "rods_level", 0.4905f, 0, 0);

    clear(&b);
    add_strands(&b, 1);
    bad |= write_rods(&b, folder, "rods", 0.1f, 1, 0);
    clear(&b);
    add_strands(&b, 1);
    for (uint32_t i = 0; i < b.count; ++i) {
        b.drive[i] = 0.5f;
    }
    bad |= write_rods(&b, folder, "rods_driven", 0.1f, 1, 0);
    clear(&b);
    add_strands(&b, 0);
    bad |= write_rods(&b, folder, "chains", 2e-3f, 0, 1);
    for (int i = 0; i < 2; ++i) { // for the clock: eight strands side by side, eight times
        clear(&b);
        for (int n = 0; n < 64; ++n) {
            const strand_shape shape = {{0.1f * (float)n, 0, 0}, {0, -0.05f, 0}, 0, 0, 0, {0, 0, 0}};
            add_strand(&b, 20, 0.001f, &shape);
        }
        bad |= write_rods(&b, folder, i ? "bench_chains" : "bench_rods", 0.1f, 0, i);
    }
    bad |= write_full(&b, folder);
    bad |= write_hung(&b, folder);
    bad |= write_ring(&b, folder, "rods_ring_less", 0.9 * 10.8827961854053); // of 2 pi sqrt(3)
    bad |= write_ring(&b, folder, "rods_ring_more", 1.1 * 10.8827961854053);

    clear(&b); // one helix that sags
    {
        const strand_shape shape = {{0, 0, 0}, {0, 0, 0}, 0.05f, 0.02f, 0.6f, {0, 0, 0}};
        add_strand(&b, 24, 0.001f, &shape);
    }
    bad |= write_rods(&b, folder, "rods_helix", 1.5e-3f, 0, 0);

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

    bad |= write_virtual(&b, folder);

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

    clear(&b); // a free sheet that faces x, as its particles do; 0.4 kg, about a square metre
    add_sheet(&b, 20, 20, 0.0f, 0.0f, 0.0f, 0.05f, 0.05f, 0.001f, 1);
    for (uint32_t i = 0; i < b.count; ++i) {
        float* p = b.positions[i];
        p[1] = p[0];
        p[0] = 0.0f;
    }
    b.mesh.radius = 0.025f;
    bad |= write_asset(&b, folder, "kite", 0);

    clear(&b); // a bob on two strings of one metre that hang beside each other
    for (int i = 0; i < 2; ++i) {
        add(&b, 0.0005f * (float)(2 * i - 1), 0.0f, 0.0f, 0.1f, 1, 1, i);
    }
    add(&b, 0.0f, -1.0f, 0.0f, 0.1f, 0, 0, 0);
    link(&b, 0, 2, HEM_LINK_WARP);
    link(&b, 1, 2, HEM_LINK_WARP);
    bad |= write_asset(&b, folder, "two_strings", 0);

    clear(&b); // a soft arm, held at one end
    add_block(&b, 8, 2, 2, 0.0f, 0.05f, 0.01f);
    for (uint32_t i = 0; i < b.count; ++i) {
        b.animated[i] = b.positions[i][0] < 0.07f;
    }
    b.mesh.radius = 0.025f;
    group_by_links(&b);
    bad |= write_asset(&b, folder, "soft_arm", 1);

    clear(&b); // free particles in a row, each with its own limits; the backstop's sphere has a radius of 20 x 0.02 m
    for (int i = 0; i < 8; ++i) {
        uint32_t at = add(&b, (float)i, 0.0f, 0.0f, 0.1f, 0, 0, i);
        b.max_distance[at] = i < 6 ? 0.05f * (float)i : -1.0f;
        b.backstop[at] = i % 2 ? 0.03f * (float)i : -1.0f;
    }
    bad |= write_asset(&b, folder, "limited", 0);

    clear(&b); // a particle on top of a large body, touching it
    add(&b, 0.0f, 2.0f, 0.0f, 0.1f, 0, 0, 0);
    add_part(&b, HEM_PART_CLOTH, 0.02f, 1, 2);
    add(&b, 0.0f, 0.0f, 0.0f, 1.0f, 1, 0, 0);
    add_part(&b, HEM_PART_BODY, 2.0f, 2, 1);
    bad |= write_asset(&b, folder, "on_body", 0);

    clear(&b); // a particle half-way inside a body
    add(&b, 0.0f, 0.25f, 0.0f, 0.1f, 0, 0, 0);
    add_part(&b, HEM_PART_CLOTH, 0.02f, 1, 2);
    add(&b, 0.0f, 0.0f, 0.0f, 1.0f, 1, 0, 0);
    add_part(&b, HEM_PART_BODY, 0.5f, 2, 1);
    bad |= write_asset(&b, folder, "in_body", 0);

    clear(&b); // two bobs on strings of a metre, each a part of its own
    for (int i = 0; i < 2; ++i) {
        const uint32_t hook = add(&b, (float)i, 0.0f, 0.0f, 0.1f, 1, 1, i);
        link(&b, hook, add(&b, (float)i, -1.0f, 0.0f, 0.1f, 0, 0, i), HEM_LINK_WARP);
        add_part(&b, HEM_PART_CLOTH, 0.02f, 1u << i, 0);
    }
    bad |= write_asset(&b, folder, "two_pendulums", 0);

    clear(&b); // two parts of a particle each, one above the other
    add(&b, 0.0f, 0.1f, 0.0f, 0.1f, 0, 0, 0);
    add_part(&b, HEM_PART_CLOTH, 0.02f, 1, 2);
    add(&b, 0.0f, 0.0f, 0.0f, 0.3f, 0, 0, 0);
    add_part(&b, HEM_PART_CLOTH, 0.02f, 2, 1);
    b.mesh.self_thickness = 0.1f;
    bad |= write_asset(&b, folder, "on_particle", 0);

    bad |= write_meetings(&b, folder);
    bad |= write_odd_ones(&b, folder);
    bad |= dressed(&b, folder);
    bad |= hanging_cape(&b, folder, "cape_half", 8, 13);
    bad |= hanging_cape(&b, folder, "cape", 16, 25);
    bad |= hanging_cape(&b, folder, "cape_double", 32, 49);
    return bad ? 1 : 0;
}
