// SPDX-License-Identifier: MIT
#include "tools/bench_private.h"
#include "tools/asset.h"
#include "tools/stage.h"
#include "tools/command.h"
#include "formats/hem_kinds.h"
#include "platform/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What a constraint of each kind takes in a step, and how many bytes it has in the file.
//
// Each kind stands in a mesh that is otherwise the same without it. A frame of each mesh with many substeps and one with few, turn
// about: what happens once a frame is in both, and what a substep does without the kind in both meshes.

enum { SIDE = 32, STRANDS = 64, MEMBERS = 16, CELLS = 10, FEW = 2, MANY = 18 };
typedef enum woven { LOOSE, LINKED, SPRUNG } woven;

#define PITCH 0.04f // metres between neighbours

typedef struct kind_mesh {
    float (*positions)[3];
    uint8_t* animated;
    float* mass;
    int32_t *level, *column;
    uint32_t count;
    hemc_bare_link* links;
    size_t link_count;
} kind_mesh;

static bool take(kind_mesh* m, uint32_t count) {
    *m = (kind_mesh){.count = count,
                     .positions = calloc(count, sizeof(*m->positions)),
                     .animated = calloc(count, 1),
                     .mass = calloc(count, sizeof(*m->mass)),
                     .level = calloc(count, sizeof(*m->level)),
                     .column = calloc(count, sizeof(*m->column)),
                     .links = calloc((size_t)2 * count, sizeof(*m->links))};
    return m->positions && m->animated && m->mass && m->level && m->column && m->links;
}

static void give_back(kind_mesh* m) {
    free(m->positions);
    free(m->animated);
    free(m->mass);
    free(m->level);
    free(m->column);
    free(m->links);
}

static hemc_bare_mesh bare_of(const kind_mesh* m) {
    return (hemc_bare_mesh){.particle_count = m->count,
                            .positions = (const float(*)[3])m->positions,
                            .animated = m->animated,
                            .mass = m->mass,
                            .level = m->level,
                            .column = m->column,
                            .radius = 0.5f * PITCH,
                            .damping = BENCH_DAMPING};
}

// A sheet that hangs from its first row, or strands that hang side by side: level along the way down, and what holds it.
static bool make_grid(kind_mesh* m, int32_t columns, int32_t levels, bool across) {
    if (!take(m, (uint32_t)(columns * levels))) {
        return false;
    }
    for (uint32_t i = 0; i < m->count; i++) {
        const int32_t column = (int32_t)i / levels, level = (int32_t)i % levels;
        m->positions[i][0] = PITCH * (float)column;
        m->positions[i][1] = -PITCH * (float)level;
        m->animated[i] = level == 0;
        m->mass[i] = 0.2f * PITCH * PITCH;
        m->level[i] = levels - 1 - level;
        m->column[i] = column;
        if (level > 0) {
            m->links[m->link_count++] = (hemc_bare_link){i - 1, i, HEM_LINK_WARP};
        }
        if (across && column > 0) {
            m->links[m->link_count++] = (hemc_bare_link){i - (uint32_t)levels, i, HEM_LINK_WEFT};
        }
    }
    return true;
}

static bool compile(const hemc_bare_mesh* bare, asset* a) {
    uint8_t* bytes = NULL;
    size_t size = 0;
    const bool good =
        hemc_compile_bare(bare, &bytes, &size) == 0 && asset_from_bytes(a, "bench", bytes, size) == COMMAND_OK;
    hemc_free(bytes);
    return good;
}

static bool make_sheet(asset* a, woven by, const hemc_material* material, bool isometric) {
    kind_mesh m;
    hemc_bare_spring* springs = NULL;
    bool good = make_grid(&m, SIDE, SIDE, true);
    hemc_bare_mesh bare = bare_of(&m);
    if (good && by == SPRUNG) {
        springs = calloc(m.link_count, sizeof(*springs));
        good = springs != NULL;
        for (size_t i = 0; good && i < m.link_count; i++) {
            if (!m.animated[m.links[i].b]) {
                springs[bare.spring_count++] = (hemc_bare_spring){m.links[i].a, m.links[i].b, -1.0f, 200.0f, 0.1f};
            }
        }
        bare.springs = springs;
    } else if (by == LINKED) {
        bare.links = m.links;
        bare.link_count = m.link_count;
    }
    bare.material = material;
    bare.isometric = isometric;
    good = good && compile(&bare, a);
    free(springs);
    give_back(&m);
    return good;
}

typedef enum strands { FREE, RODS, CHAINS } strands;

static bool make_strands(asset* a, strands as) {
    kind_mesh m;
    uint32_t starts[STRANDS + 1], members[STRANDS * MEMBERS];
    for (uint32_t i = 0; i <= STRANDS; i++) {
        starts[i] = i * MEMBERS;
    }
    for (uint32_t i = 0; i < STRANDS * MEMBERS; i++) {
        members[i] = i;
    }
    const hemc_bare_rods rods = {.strand_count = STRANDS,
                                 .starts = starts,
                                 .members = members,
                                 .chains = as == CHAINS,
                                 .bend = 1e-6f,
                                 .twist = 0.7f,
                                 .taper = 1.0f};
    const hemc_bare_part part = {
        .kind = HEM_PART_SOFT, .particle_count = STRANDS * MEMBERS, .radius = 0.25f * PITCH, .collision_group = 1};
    bool good = make_grid(&m, STRANDS, MEMBERS, false);
    hemc_bare_mesh bare = bare_of(&m);
    if (as != FREE) {
        bare.links = m.links;
        bare.link_count = m.link_count;
        bare.rods = &rods;
    }
    bare.parts = &part;
    bare.part_count = 1;
    good = good && compile(&bare, a);
    give_back(&m);
    return good;
}

// A block that hangs from its upper side: shape matching with the neighbours along the axes.
static bool make_block(asset* a, bool grouped) {
    enum { COUNT = CELLS * CELLS * CELLS };
    static const int32_t NEAR[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    kind_mesh m;
    uint32_t starts[COUNT + 1], member_count = 0;
    uint16_t members[COUNT * 6];
    bool good = take(&m, COUNT);
    for (int32_t i = 0; good && i < COUNT; i++) {
        const int32_t cell[3] = {i % CELLS, i / CELLS % CELLS, i / (CELLS * CELLS)};
        for (int32_t k = 0; k < 3; k++) {
            m.positions[i][k] = PITCH * (float)cell[k];
        }
        m.mass[i] = 0.01f;
        m.animated[i] = cell[1] == CELLS - 1;
        starts[i] = member_count;
        for (int32_t n = 0; n < 6; n++) {
            const int32_t x = cell[0] + NEAR[n][0], y = cell[1] + NEAR[n][1], z = cell[2] + NEAR[n][2];
            if (x >= 0 && x < CELLS && y >= 0 && y < CELLS && z >= 0 && z < CELLS) {
                members[member_count++] = (uint16_t)((z * CELLS + y) * CELLS + x);
            }
        }
    }
    starts[COUNT] = member_count;
    hemc_bare_mesh bare = bare_of(&m);
    const hemc_bare_part part = {
        .kind = HEM_PART_SOFT, .particle_count = COUNT, .radius = 0.5f * PITCH, .collision_group = 1};
    bare.level = bare.column = NULL;
    if (grouped) {
        bare.group_starts = starts;
        bare.group_members = members;
    } else {
        bare.parts = &part;
        bare.part_count = 1;
    }
    good = good && compile(&bare, a);
    give_back(&m);
    return good;
}

// The same block as cells: regions, and with a modulus tetrahedra beside them.
static bool make_lattice(asset* a, float young) {
    enum { COUNT = CELLS * CELLS * CELLS, INNER = CELLS - 1, CUBES = INNER * INNER * INNER };
    kind_mesh m;
    int32_t(*cells)[3] = calloc(CUBES, sizeof(*cells));
    uint32_t(*corners)[8] = calloc(CUBES, sizeof(*corners));
    bool good = take(&m, COUNT) && cells != NULL && corners != NULL;
    for (int32_t i = 0; good && i < COUNT; i++) {
        const int32_t at[3] = {i % CELLS, i / CELLS % CELLS, i / (CELLS * CELLS)};
        for (int32_t k = 0; k < 3; k++) {
            m.positions[i][k] = PITCH * (float)at[k];
        }
        m.mass[i] = 0.01f;
        m.animated[i] = at[1] == CELLS - 1;
    }
    for (int32_t i = 0; good && i < CUBES; i++) {
        const int32_t at[3] = {i % INNER, i / INNER % INNER, i / (INNER * INNER)};
        memcpy(cells[i], at, sizeof(at));
        for (int32_t k = 0; k < 8; k++) {
            corners[i][k] = (uint32_t)(((at[2] + (k >> 2)) * CELLS + at[1] + (k >> 1 & 1)) * CELLS + at[0] + (k & 1));
        }
    }
    const hemc_bare_lattice lattice = {.cell_count = CUBES,
                                       .cells = (const int32_t(*)[3])cells,
                                       .corners = (const uint32_t(*)[8])corners,
                                       .size = {CELLS, CELLS, CELLS},
                                       .spacing = {PITCH, PITCH, PITCH},
                                       .alpha = 0.75f,
                                       .young = young,
                                       .poisson = 0.3f,
                                       .width = 2};
    hemc_bare_mesh bare = bare_of(&m);
    bare.level = bare.column = NULL;
    bare.lattice = &lattice;
    good = good && compile(&bare, a);
    give_back(&m);
    free(cells);
    free(corners);
    return good;
}

// -- Counting

static uint32_t lanes_of(uint32_t mask) {
    uint32_t count = 0;
    for (; mask != 0; mask &= mask - 1) {
        count++;
    }
    return count;
}

// What stands in batches of this kind, and the bytes of the batches and of what they point to. Of strands: joints between two members.
static uint32_t count_kind(const hem_view* v, uint32_t kind, size_t* bytes) {
    uint32_t count = 0;
    *bytes = 0;
    for (uint32_t i = 0; kind == HEM_KIND_WARP && i < v->link_batch_count; i++) {
        count += lanes_of(v->link_batches[i].lane_mask);
        *bytes += sizeof(hem_link_batch);
    }
    for (uint32_t i = 0; kind == HEM_KIND_REGION && i < v->lattice_count; i++) {
        count += v->lattices[i].particle_count; // one around each; it has no record of its own
    }
    for (uint32_t i = 0; kind == HEM_KIND_GROUP && i < v->group_batch_count; i++) {
        count += lanes_of(v->group_batches[i].lane_mask);
        *bytes += sizeof(hem_group_batch) + v->group_batches[i].member_count * sizeof(hem_group_member);
    }
    for (uint32_t i = 0; i < v->row_batch_count; i++) {
        const hem_row_batch* b = &v->row_batches[i];
        if (b->kind != kind) {
            continue;
        }
        *bytes += sizeof(*b);
        switch (kind) {
        case HEM_KIND_SPRING:
            *bytes += sizeof(hem_spring);
            break;
        case HEM_KIND_TRIANGLE:
            *bytes += sizeof(hem_triangle);
            break;
        case HEM_KIND_FLAT:
            *bytes += sizeof(hem_bend);
            break;
        case HEM_KIND_DIHEDRAL:
            *bytes += sizeof(hem_dihedral);
            break;
        case HEM_KIND_TETRAHEDRON:
            *bytes += sizeof(hem_tetrahedron);
            break;
        default:
            break;
        }
        if (b->form != HEM_FORM_STRANDS) {
            count += lanes_of(b->lane_mask);
            continue;
        }
        *bytes +=
            b->member_count * (sizeof(hem_group_member) + (kind == HEM_KIND_ROD ? sizeof(hem_rod) : sizeof(hem_chain)));
        for (uint32_t k = 1; k < b->member_count; k++) {
            count += lanes_of(v->row_members[b->member_begin + k].lane_mask);
        }
    }
    return count;
}

// -- Measuring

// One pass a substep, nothing but constraints.
static bool prepare(stage* s, const asset* a) {
    if (!stage_open(s, a) || !stage_add(s)) {
        return false;
    }
    for (uint32_t i = 0; i < a->info.part_count; i++) {
        s->tuning[i].iterations = 1;
    }
    return hem_instance_set_tuning(s->scene, s->id, s->tuning, a->info.part_count) == HEM_OK &&
           hem_instance_set_features(s->scene, s->id, 0) == HEM_OK;
}

// Nanoseconds that the kind takes in a substep: by the frames that were disturbed least.
static double kind_ns(const bench* b, const asset* with, const asset* without) {
    stage stages[2] = {{0}, {0}};
    uint64_t least[2][2] = {{UINT64_MAX, UINT64_MAX}, {UINT64_MAX, UINT64_MAX}};
    const bool good = prepare(&stages[0], with) && prepare(&stages[1], without);
    for (int32_t i = -b->warm_count; good && i < b->frame_count; i++) {
        for (int32_t k = 0; k < 4; k++) {
            const hem_step_args args = {BENCH_DT, k < 2 ? FEW : MANY};
            const uint64_t start = bench_clock();
            hem_scene_step(stages[k & 1].scene, &args);
            const uint64_t took = bench_clock() - start;
            if (i >= 0 && took < least[k & 1][k >> 1]) {
                least[k & 1][k >> 1] = took;
            }
        }
    }
    stage_close(&stages[0]);
    stage_close(&stages[1]);
    const double substep[2] = {(double)least[0][1] - (double)least[0][0], (double)least[1][1] - (double)least[1][0]};
    return good ? (substep[0] - substep[1]) / (MANY - FEW) : NAN;
}

static void run_kind(bench* b, const char* name, uint32_t kind, const asset* with, const asset* without) {
    if (!bench_wants(b, name)) {
        return;
    }
    bench_progress(name);
    size_t bytes;
    const uint32_t count = count_kind(&with->view, kind, &bytes);
    const double ns = count > 0 ? kind_ns(b, with, without) : NAN;
    bench_result* r = isnan(ns) ? NULL : bench_add(b, name, "hem");
    if (r == NULL) {
        bench_note(b, "%s: there is none to measure", name);
        return;
    }
    r->rate = ns / count;
    r->rate_unit = BENCH_KIND_UNIT;
    r->bytes_per_constraint = bytes > 0 ? (double)bytes / count : NAN;
}

static void run_cloth(bench* b) {
    const hemc_material* cotton = hemc_material_find("cotton");
    hemc_material limp = *cotton;
    limp.bending_length = 0.0f;
    asset loose, linked, sprung, triangles, flat, dihedral;
    if (make_sheet(&loose, LOOSE, NULL, false)) {
        if (make_sheet(&linked, LINKED, NULL, false)) {
            run_kind(b, "kind-link", HEM_KIND_WARP, &linked, &loose);
            asset_unload(&linked);
        }
        if (make_sheet(&sprung, SPRUNG, NULL, false)) {
            run_kind(b, "kind-spring", HEM_KIND_SPRING, &sprung, &loose);
            asset_unload(&sprung);
        }
        asset_unload(&loose);
    }
    if (make_sheet(&triangles, LINKED, &limp, false)) {
        if (make_sheet(&linked, LINKED, NULL, false)) {
            run_kind(b, "kind-triangle", HEM_KIND_TRIANGLE, &triangles, &linked);
            asset_unload(&linked);
        }
        if (make_sheet(&flat, LINKED, cotton, true)) {
            run_kind(b, "kind-flat", HEM_KIND_FLAT, &flat, &triangles);
            asset_unload(&flat);
        }
        if (make_sheet(&dihedral, LINKED, cotton, false)) {
            run_kind(b, "kind-dihedral", HEM_KIND_DIHEDRAL, &dihedral, &triangles);
            asset_unload(&dihedral);
        }
        asset_unload(&triangles);
    }
}

static void run_strands(bench* b) {
    asset loose, rods, chains;
    if (!make_strands(&loose, FREE)) {
        return;
    }
    if (make_strands(&rods, RODS)) {
        run_kind(b, "kind-rod", HEM_KIND_ROD, &rods, &loose);
        asset_unload(&rods);
    }
    if (make_strands(&chains, CHAINS)) {
        run_kind(b, "kind-chain", HEM_KIND_CHAIN, &chains, &loose);
        asset_unload(&chains);
    }
    asset_unload(&loose);
}

static void run_solids(bench* b) {
    asset loose, grouped, lattice, solid;
    if (!make_block(&loose, false)) {
        return;
    }
    if (make_block(&grouped, true)) {
        run_kind(b, "kind-group", HEM_KIND_GROUP, &grouped, &loose);
        asset_unload(&grouped);
    }
    if (make_lattice(&lattice, 0.0f)) {
        run_kind(b, "kind-region", HEM_KIND_REGION, &lattice, &loose);
        if (make_lattice(&solid, 1e5f)) {
            run_kind(b, "kind-tetrahedron", HEM_KIND_TETRAHEDRON, &solid, &lattice);
            asset_unload(&solid);
        }
        asset_unload(&lattice);
    }
    asset_unload(&loose);
}

void bench_run_kinds(bench* b) {
    run_cloth(b);
    run_strands(b);
    run_solids(b);
}
