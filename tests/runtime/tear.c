// SPDX-License-Identifier: MIT
// Lattices that tear: what is kept (mass, momentum, every particle in one bar an axis), what is drawn (closed, whatever
// tears), what a full reserve does, events, pieces, and saves in the middle of it.

#include "tests/runtime/suites.h"
#include "runtime/src/step.h"
#include "runtime/src/tear.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP (1.0f / 60.0f)

static hemi_instance* inside(const world* w) {
    return &w->scene->instances[w->id.index1 - 1];
}

static uint32_t seed = 1;

static uint32_t random_below(uint32_t count) {
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)seed * count) >> 32);
}

// Parts one face as a step would.
static bool tear(const world* w, uint32_t face) {
    const bool torn = hemi_tear_face(&w->view, inside(w), face) != 0;
    hemi_torn_derive(&w->view, inside(w));
    hemi_weigh_torn(inside(w));
    hemi_copy_targets(inside(w));
    return torn;
}

typedef struct sums {
    double mass, momentum[3], center[3];
    uint32_t moving;
} sums;

// As a game sees it.
static sums add_up(const world* w) {
    sums s = {0};
    for (uint32_t i = 0; i < w->view.info->particle_count; ++i) {
        const hem_particle p = particle_at(w, i);
        if (!(p.flags & HEM_PARTICLE_PAD) && p.inverse_mass > 0) {
            const double m = 1.0 / (double)p.inverse_mass;
            s.mass += m;
            ++s.moving;
            for (int k = 0; k < 3; ++k) {
                s.momentum[k] += m * (double)p.velocity[k];
                s.center[k] += m * (double)p.position[k];
            }
        }
    }
    return s;
}

static bool is_sound(const world* w) {
    bool good = true;
    for (uint32_t i = 0; i < w->view.info->particle_count; ++i) {
        const hem_particle p = particle_at(w, i);
        for (int k = 0; k < 3; ++k) {
            good = good && isfinite(p.position[k]) && isfinite(p.velocity[k]);
        }
    }
    return good;
}

// Every particle that is a corner of some cell stands once in a bar of each axis, and in one with another particle at least.
static bool bars_are_whole(const world* w) {
    const hemi_torn* t = inside(w)->torn;
    const hem_view* v = inside(w)->view;
    uint32_t total = v->info->particle_count;
    uint8_t* seen = calloc(total, 1);
    uint8_t* joined = calloc(total, 1);
    bool good = true;
    for (uint32_t i = 0; i < v->lattice_count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            memset(seen, 0, total);
            for (uint32_t b = 0; b < v->lattices[i].bar_count[axis]; ++b) {
                const hem_lattice_bar* bar = &v->lattice_bars[v->lattices[i].bar_begin[axis] + b];
                for (uint32_t k = 0; k < bar->count; ++k) {
                    good = good && !seen[v->lattice_order[bar->first + k]];
                    seen[v->lattice_order[bar->first + k]] = 1;
                    joined[v->lattice_order[bar->first + k]] |= bar->count > 1;
                }
            }
            for (uint32_t p = 0; p < total; ++p) {
                good = good && seen[p] == (t->cell_counts[p] > 0);
            }
        }
    }
    for (uint32_t p = 0; p < total; ++p) {
        good = good && joined[p] == (t->cell_counts[p] > 0);
    }
    free(seen);
    free(joined);
    return good;
}

TEST what_is_whole_is_as_the_asset_has_it(void) {
    world w;
    OPEN(w, "lattice_tear");
    const hem_view* own = inside(&w)->view;
    ASSERT_EQ(w.view.lattice_bar_count, own->lattice_bar_count);
    ASSERT_MEM_EQ(w.view.lattice_bars, own->lattice_bars, own->lattice_bar_count * sizeof(hem_lattice_bar));
    ASSERT_MEM_EQ(w.view.lattice_order, own->lattice_order, own->lattice_order_count * sizeof(uint32_t));
    ASSERT_MEM_EQ(w.view.rest_rows, own->rest_rows, own->rest_row_count * sizeof(hem_rest_row));
    ASSERT_MEM_EQ(w.view.shape_rows, own->shape_rows, own->shape_row_count * sizeof(hem_shape_row));
    hem_torn torn;
    ASSERT_EQ(HEM_OK, hem_instance_get_torn(w.scene, w.id, &torn));
    ASSERT(torn.piece_count == 1 && torn.spare_used == 0 && torn.vertex_count == 0 && torn.change_count > 0);
    world_close(&w);
    PASS();
}

// Torn at random until the reserve is used up and long after, while it flies: mass and momentum stay what they were.
TEST random_tears_keep_mass_and_momentum(void) {
    const int rounds = getenv("HEM_BRIEF") ? 2 : 25;
    uint32_t tears = 0, refused = 0;
    for (int round = 0; round < rounds; ++round) {
        world w;
        OPEN(w, "lattice_tear");
        hem_tuning t = world_tuning(&w);
        t.gravity_scale = t.damping = t.angular_damping = 0;
        t.region_width = 1 + (uint32_t)round % 8;
        world_tune(&w, &t);
        hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
        world_throw(&w, STEP, 0.5f, 0.25f, -0.3f);
        const sums before = add_up(&w);
        for (int i = 0; i < 400; ++i) {
            const uint64_t hash = hem_scene_hash(w.scene);
            const sums at = add_up(&w);
            const bool done = tear(&w, random_below(w.view.tear_face_count));
            const sums now = add_up(&w);
            tears += done;
            refused += !done;
            if (!done) {
                ASSERT(hash == hem_scene_hash(w.scene));
            }
            ASSERT_IN_RANGE(at.mass, now.mass, 1e-5 * at.mass);
            for (int k = 0; k < 3; ++k) {
                ASSERT_IN_RANGE(at.momentum[k], now.momentum[k], 2e-6 * at.mass);
            }
            ASSERT(bars_are_whole(&w));
            if (i % 10 == 0) {
                world_step(&w, STEP, 0, 1);
                ASSERT(is_sound(&w));
            }
        }
        const sums after = add_up(&w);
        for (int k = 0; k < 3; ++k) {
            ASSERT_IN_RANGE(before.momentum[k], after.momentum[k], 1e-3 * before.mass);
        }
        world_close(&w);
    }
    if (getenv("HEM_LATTICE")) {
        printf("%u tears, %u refused\n", tears, refused);
    }
    ASSERT(tears > 0 && refused > 0);
    PASS();
}

// -- What is drawn

typedef struct edge {
    uint64_t low, high;
    int32_t sense;
} edge;

static uint64_t mix(uint64_t a, uint64_t b) {
    a = (a ^ b) * 0x9e3779b97f4a7c15ull;
    return a ^ a >> 29;
}

static int compare_edges(const void* a, const void* b) {
    const edge *x = a, *y = b;
    return x->low != y->low ? (x->low < y->low ? -1 : 1) : x->high < y->high ? -1 : x->high > y->high;
}

// Who a drawn vertex is: a point and the cell that moves it, or a place that never comes apart.
static uint64_t identity(const world* w, uint32_t index, uint32_t point) {
    const hemi_torn* t = inside(w)->torn;
    if (point == HEM_TEAR_NONE) {
        uint64_t id = 7;
        for (int k = 0; k < 3; ++k) {
            uint32_t bits;
            memcpy(&bits, &w->view.vertex_rest[index].position[k], sizeof(bits));
            id = mix(id, bits);
        }
        return id;
    }
    const uint32_t whole = w->view.info->vertex_count;
    const uint32_t cell = index < whole ? w->view.tear_cells[w->view.tear_points[point].cell_begin]
                                        : t->torn_vertices[index - whole].cell;
    return mix(mix(11, point), cell);
}

static void add_triangle(edge* edges, uint32_t* count, const uint64_t id[3]) {
    for (int k = 0; k < 3; ++k) {
        const uint64_t a = id[k], b = id[(k + 1) % 3];
        edges[(*count)++] = a < b ? (edge){a, b, 1} : (edge){b, a, -1};
    }
}

// Edges with more faces of one sense than of the other.
static uint32_t open_edges(const world* w) {
    const hemi_torn* t = inside(w)->torn;
    const uint32_t whole = w->view.info->vertex_count;
    uint32_t count = 0, open = 0;
    edge* edges = malloc((3 * (size_t)w->view.tear_triangle_count + 6 * (size_t)w->view.tear_cap_count) * sizeof(edge));
    for (uint32_t i = 0; i < w->view.tear_triangle_count; ++i) {
        uint64_t id[3];
        for (int k = 0; k < 3; ++k) {
            id[k] = identity(w, t->indices[3 * i + (uint32_t)k], w->view.tear_triangles[i].point[k]);
        }
        add_triangle(edges, &count, id);
    }
    for (uint32_t i = 0; i < t->cap_index_count; i += 3) {
        uint64_t id[3];
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t index = t->cap_indices[i + k];
            id[k] = identity(w, index, t->torn_vertices[index - whole].point);
        }
        add_triangle(edges, &count, id);
    }
    qsort(edges, count, sizeof(edge), compare_edges);
    for (uint32_t i = 0; i < count;) {
        int32_t sum = 0;
        uint32_t k = i;
        for (; k < count && compare_edges(&edges[i], &edges[k]) == 0; ++k) {
            sum += edges[k].sense;
        }
        open += sum != 0 && edges[i].low != edges[i].high;
        i = k;
    }
    free(edges);
    return open;
}

static bool drawn_is_sound(const world* w) {
    const hemi_torn* t = inside(w)->torn;
    const uint32_t total = w->view.info->vertex_count + t->vertex_count;
    float(*positions)[3] = malloc(total * sizeof(*positions));
    float(*normals)[3] = malloc(total * sizeof(*normals));
    const hem_skin_args args = {.positions = positions[0], .normals = normals[0], .vertex_count = total};
    bool good = hem_instance_skin(w->scene, w->id, &args) == HEM_OK && t->vertex_count <= t->vertex_capacity;
    for (uint32_t i = 0; i < total; ++i) {
        double length = 0;
        for (int k = 0; k < 3; ++k) {
            good = good && isfinite(positions[i][k]);
            length += (double)normals[i][k] * (double)normals[i][k];
        }
        good = good && fabs(length - 1) < 1e-3;
    }
    for (uint32_t i = 0; i < 3 * w->view.tear_triangle_count; ++i) {
        good = good && t->indices[i] < total;
    }
    free(positions);
    free(normals);
    return good;
}

// Whatever tears in whatever order: each edge has as many faces of the one sense as of the other.
TEST a_torn_mesh_is_closed(void) {
    const int rounds = getenv("HEM_BRIEF") ? 1 : 6;
    for (int round = 0; round < rounds; ++round) {
        world w;
        OPEN(w, "jelly");
        ASSERT(w.view.tear_triangle_count > 0 && w.view.tear_cap_count > 0);
        ASSERT_EQ(0u, open_edges(&w));
        for (int i = 0; i < 60; ++i) {
            for (int k = 0; k < 1 << round; ++k) {
                hemi_tear_face(&w.view, inside(&w), random_below(w.view.tear_face_count));
            }
            tear(&w, random_below(w.view.tear_face_count));
            ASSERT_EQ(0u, open_edges(&w));
            ASSERT(bars_are_whole(&w));
            if (i % 10 == 9) {
                world_step(&w, STEP, 0, 1);
                ASSERT(is_sound(&w));
                ASSERT(drawn_is_sound(&w));
            }
        }
        ASSERT(inside(&w)->torn->cap_index_count > 0);
        world_close(&w);
    }
    PASS();
}

// Cut by a plane along an axis: two pieces, and what closes them has the area of the cut, on either side.
TEST a_cut_through_all_makes_two_pieces(void) {
    world w;
    OPEN(w, "lattice_tear");
    for (uint32_t f = 0; f < w.view.tear_face_count; ++f) {
        const hem_tear_face* face = &w.view.tear_faces[f];
        if (face->axis == 0 && w.view.lattice_cells[face->cell[0]].index[0] == 2) {
            ASSERT(hemi_tear_face(&w.view, inside(&w), f));
        }
    }
    hemi_torn_derive(&w.view, inside(&w));
    hemi_weigh_torn(inside(&w));
    hem_torn torn;
    ASSERT_EQ(HEM_OK, hem_instance_get_torn(w.scene, w.id, &torn));
    ASSERT_EQ(2u, torn.piece_count);
    // A push on one piece leaves the other alone.
    uint32_t first, other;
    ASSERT_EQ(HEM_OK, hem_instance_get_piece(w.scene, w.id, w.view.lattice_cells[0].corner[0], &first));
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        ASSERT_EQ(HEM_OK, hem_instance_get_piece(w.scene, w.id, i, &other));
        if (other == first) {
            inside(&w)->v[i >> 3].x[i & 7] = -1.0f;
        }
    }
    hem_tuning t = world_tuning(&w);
    t.gravity_scale = t.damping = t.angular_damping = 0;
    world_tune(&w, &t);
    world_step(&w, STEP, 0, 30);
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        const hem_particle p = particle_at(&w, i);
        hem_instance_get_piece(w.scene, w.id, i, &other);
        if (!(p.flags & HEM_PARTICLE_PAD)) {
            ASSERT_IN_RANGE(other == first ? -1.0 : 0.0, (double)p.velocity[0], 1e-3);
        }
    }
    ASSERT_EQ(HEM_OK, hem_instance_reset(w.scene, w.id));
    ASSERT_EQ(HEM_OK, hem_instance_get_torn(w.scene, w.id, &torn));
    ASSERT(torn.piece_count == 1 && torn.spare_used == 0);
    world_close(&w);
    PASS();
}

// -- What a step does

static void brittle(world* w, float stretch, float angle) {
    hem_tuning t = world_tuning(w);
    t.strain_limit = stretch;
    t.buckle_angle = angle;
    t.damping = 0.5f;
    world_tune(w, &t);
    hem_instance_set_features(w->scene, w->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
}

static const hem_event* event_of(const world* w, hem_event_kind kind) {
    const hem_event* events;
    uint32_t count = 0;
    hem_scene_get_events(w->scene, &events, &count, NULL);
    for (uint32_t i = 0; i < count; ++i) {
        if (events[i].kind == kind) {
            return &events[i];
        }
    }
    return NULL;
}

// A bar that is held at one end falls, by more weight than it bears: it tears near where it is held, and says where.
TEST a_bar_tears_where_it_bends_and_says_so(void) {
    for (int by_angle = 0; by_angle < 2; ++by_angle) {
        world w;
        OPEN(w, "lattice_pull");
        brittle(&w, by_angle ? 0.0f : 0.02f, by_angle ? 0.05f : 0.0f);
        const hem_event* torn = NULL;
        for (int f = 0; f < 240 && !torn; ++f) {
            world_step(&w, STEP, 0, 1);
            torn = event_of(&w, HEM_EVENT_TORN);
        }
        ASSERT(torn);
        ASSERT(torn->value > 0 && torn->size > 0.0f);
        ASSERT_IN_RANGE(0.3, (double)torn->place[0], 0.3); // of a metre
        ASSERT(bars_are_whole(&w));
        world_step(&w, STEP, 0, 120);
        ASSERT(is_sound(&w));
        world_close(&w);
    }
    PASS();
}

TEST strong_stuff_does_not_tear(void) {
    world w;
    OPEN(w, "lattice_pull");
    brittle(&w, 3.0f, 3.0f);
    const uint32_t changes = inside(&w)->torn->change_count;
    world_step(&w, STEP, 0, 120);
    ASSERT_EQ(changes, inside(&w)->torn->change_count);
    ASSERT_EQ(NULL, event_of(&w, HEM_EVENT_TEAR_REFUSED));
    world_close(&w);
    PASS();
}

// With its few spares gone nothing more happens but the event.
TEST a_used_up_reserve_is_said(void) {
    world w;
    OPEN(w, "lattice_pull");
    brittle(&w, 0.002f, 0.005f);
    const hem_event* refused = NULL;
    for (int f = 0; f < 240 && !refused; ++f) {
        world_step(&w, STEP, 0, 1);
        refused = event_of(&w, HEM_EVENT_TEAR_REFUSED);
    }
    ASSERT(refused && refused->value > 0);
    hem_asset_info info;
    hem_torn torn;
    hem_asset_get_info(&w.asset, &info);
    hem_instance_get_torn(w.scene, w.id, &torn);
    ASSERT(torn.spare_used <= info.spare_count && torn.spare_used + 4 > info.spare_count);
    world_step(&w, STEP, 0, 120);
    ASSERT(is_sound(&w));
    world_close(&w);
    PASS();
}

// In the middle of tearing, into a scene that was never touched, and back in time within one scene.
TEST a_save_holds_what_is_torn(void) {
    world a, b;
    OPEN(a, "lattice_pull");
    OPEN(b, "lattice_pull");
    brittle(&a, 0.02f, 0.05f);
    int f = 0;
    while (f < 240 && inside(&a)->torn->spare_used < 8) {
        world_step(&a, STEP, 0, 1);
        ++f;
    }
    ASSERT(inside(&a)->torn->spare_used >= 8);
    const size_t size = hem_scene_save_size(a.scene, HEM_SAVE_ALL);
    uint8_t* bytes = malloc(size);
    ASSERT_EQ(HEM_OK, hem_scene_save(a.scene, HEM_SAVE_ALL, bytes, size));
    ASSERT_EQ(HEM_OK, hem_scene_load(b.scene, bytes, size));
    const uint32_t used = inside(&a)->torn->spare_used;
    ASSERT_EQ(used, inside(&b)->torn->spare_used);
    for (int i = 0; i < 60; ++i) {
        world_step(&a, STEP, 0, 1);
        world_step(&b, STEP, 0, 1);
        ASSERT(hem_scene_hash(a.scene) == hem_scene_hash(b.scene));
    }
    const uint32_t changes = inside(&a)->torn->change_count;
    ASSERT_EQ(HEM_OK, hem_scene_load(a.scene, bytes, size));
    ASSERT(inside(&a)->torn->change_count != changes && inside(&a)->torn->spare_used == used);
    // A corner that is of another particle is refused, and a spare that nobody has.
    uint8_t *corner = NULL, *home = NULL;
    for (uint8_t* at = bytes; at + 16 <= bytes + size && !corner; ++at) {
        corner = memcmp(at, inside(&a)->corners[0], 16) == 0 ? at : NULL;
    }
    ASSERT(corner);
    home = corner + a.view.lattice_cell_count * sizeof(hemi_corners);
    const uint16_t wrong = a.view.lattice_cells[a.view.lattice_cell_count - 1].corner[7];
    uint16_t kept;
    memcpy(&kept, corner, 2);
    memcpy(corner, &wrong, 2);
    ASSERT_EQ(HEM_ERROR_STATE, hem_scene_load(a.scene, bytes, size));
    memcpy(corner, &kept, 2);
    ASSERT_EQ(HEM_OK, hem_scene_load(a.scene, bytes, size));
    const uint32_t last = a.view.lattices[0].spare_begin + a.view.lattices[0].spare_count - 1;
    memcpy(home + 2 * (size_t)last, &wrong, 2);
    ASSERT_EQ(HEM_ERROR_STATE, hem_scene_load(a.scene, bytes, size));
    free(bytes);
    world_close(&a);
    world_close(&b);
    PASS();
}

// -- What a validator refuses

typedef struct spoiled {
    hem_section_kind section;
    uint32_t element;
    size_t offset;
    uint32_t size; // 2, 4, or 0: a float
    double value;
    hem_format_result result;
    const char* field;
} spoiled;

#define VALUE HEM_FORMAT_BAD_VALUE
#define INDEXES HEM_FORMAT_BAD_INDEX
#define COUNT HEM_FORMAT_BAD_COUNT
#define L(field) offsetof(hem_lattice, field)
#define F(field) offsetof(hem_tear_face, field)
#define T(field) offsetof(hem_tear_point, field)
#define R(field) offsetof(hem_tear_triangle, field)

TEST spoiled_tears_are_refused_by_name(void) {
    static const spoiled faults[] = {
        {HEM_SECTION_LATTICES, 0, L(spare_begin), 4, 8, COUNT, "spare_begin"},
        {HEM_SECTION_LATTICES, 0, L(spare_count), 4, 0, COUNT, "spare_count"},
        {HEM_SECTION_LATTICES, 0, L(spare_count), 4, 16, COUNT, "spare_begin"},
        {HEM_SECTION_LATTICES, 0, L(face_begin), 4, 1, COUNT, "face_begin"},
        {HEM_SECTION_LATTICES, 0, L(torn_vertices), 4, 1e9, COUNT, "torn_vertices"},
        {HEM_SECTION_TEAR_FACES, 3, F(cell), 4, 60000, INDEXES, "cell"},
        {HEM_SECTION_TEAR_FACES, 3, F(cell) + 4, 4, 0, INDEXES, "cell"},
        {HEM_SECTION_TEAR_FACES, 3, F(axis), 2, 3, VALUE, "axis"},
        {HEM_SECTION_TEAR_FACES, 3, F(cap_begin), 4, 1e9, COUNT, "cap_begin"},
        {HEM_SECTION_TEAR_FACES, 3, F(vertex_count), 4, 1e9, COUNT, "vertex_count"},
        {HEM_SECTION_TEAR_FACES, 3, F(reserved), 4, 1, VALUE, "reserved"},
        {HEM_SECTION_TEAR_POINTS, 5, T(at), 0, 1e9, VALUE, "at"},
        {HEM_SECTION_TEAR_POINTS, 5, T(vertex), 4, 1e9, INDEXES, "vertex"},
        {HEM_SECTION_TEAR_POINTS, 5, T(cell_count), 4, 0, COUNT, "cell_begin"},
        {HEM_SECTION_TEAR_POINTS, 5, T(cell_count), 4, 1000, COUNT, "cell_begin"},
        {HEM_SECTION_TEAR_POINTS, 5, T(reserved), 4, 1, VALUE, "reserved"},
        {HEM_SECTION_TEAR_CELLS, 9, 0, 4, 1e9, INDEXES, "cell"},
        {HEM_SECTION_TEAR_CAPS, 2, 0, 4, 1e9, INDEXES, "point"},
        {HEM_SECTION_TEAR_CAPS, 2, 12, 4, 1, VALUE, "reserved"},
        {HEM_SECTION_TEAR_TRIANGLES, 4, R(vertex), 4, 1e9, INDEXES, "vertex"},
        {HEM_SECTION_TEAR_TRIANGLES, 4, R(point), 4, 1e9, INDEXES, "point"},
        {HEM_SECTION_TEAR_TRIANGLES, 4, R(cell), 4, 60000, INDEXES, "cell"},
        {HEM_SECTION_TEAR_TRIANGLES, 4, R(mesh), 4, 7, INDEXES, "mesh"},
        {HEM_SECTION_TEAR_TRIANGLES, 4, R(triangle), 4, 0, INDEXES, "triangle"},
        {HEM_SECTION_TEAR_TRIANGLES, 4, R(reserved), 4, 1, VALUE, "reserved"},
        {HEM_SECTION_TUNING, 0, offsetof(hem_tuning, strain_limit), 0, -1, VALUE, "strain_limit"},
        {HEM_SECTION_TUNING, 0, offsetof(hem_tuning, buckle_angle), 0, 11, VALUE, "buckle_angle"},
    };
    size_t size;
    uint8_t* bytes = read_asset("jelly", &size);
    ASSERT(bytes);
    hem_view view;
    hem_format_fault fault;
    const hem_header* header = (const hem_header*)(void*)bytes;
    const hem_section* table = (const hem_section*)(const void*)(bytes + header->header_size);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); ++i) {
        const spoiled* f = &faults[i];
        uint8_t* to = NULL;
        for (uint32_t s = 0; s < header->section_count; ++s) {
            if (table[s].kind == (uint32_t)f->section) {
                to = bytes + table[s].offset + (size_t)f->element * table[s].element_size + f->offset;
            }
        }
        ASSERT(to);
        uint8_t kept[4];
        const uint32_t whole = f->size ? (uint32_t)f->value : 0;
        const float real = (float)f->value;
        memcpy(kept, to, 4);
        memcpy(to, f->size ? (const void*)&whole : (const void*)&real, f->size ? f->size : 4);
        const hem_format_result result = hem_validate(bytes, size, &view, &fault);
        memcpy(to, kept, 4);
        if (result != f->result || strcmp(fault.field, f->field) != 0) {
            printf("row %zu: %s, %s[%u].%s\n", i, hem_format_result_text(result), hem_section_name(fault.section),
                   fault.element, fault.field);
        }
        ASSERT_EQ(f->result, result);
        ASSERT_STR_EQ(f->field, fault.field);
    }
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(bytes, size, &view, &fault));
    free(bytes);
    PASS();
}

// What several fields break, or one whose right value is another's: each on a fresh copy.
static void spoil(hem_view* v, int row) {
    hem_lattice* l = (hem_lattice*)&v->lattices[0];
    hem_tear_face* face = (hem_tear_face*)v->tear_faces;
    hem_tear_point* point = (hem_tear_point*)v->tear_points;
    hem_tear_cap* cap = (hem_tear_cap*)&v->tear_caps[face[0].cap_begin];
    uint32_t other = 0, half = 0; // points that neither cell of the first closing surface has, and the first alone
    for (uint32_t k = 0; k < v->tear_point_count; ++k) {
        uint32_t theirs = 0;
        for (uint32_t n = 0; n < point[k].cell_count; ++n) {
            const uint32_t cell = v->tear_cells[point[k].cell_begin + n];
            theirs |= cell == face[0].cell[0] ? 1u : cell == face[0].cell[1] ? 2u : 0;
        }
        other = theirs == 0 ? k : other;
        half = theirs == 1 ? k : half;
    }
    switch (row) {
    case 0:
        l->spare_begin = l->spare_count = l->torn_vertices = 0;
        break;
    case 1:
        l->spare_begin = l->spare_count = l->face_count = 0;
        break;
    case 2:
        ++l->spare_begin;
        break;
    case 3:
        ++l->spare_count;
        break;
    case 4:
        l->spare_begin = 1u << 20;
        break;
    case 5:
        ((hem_lattice_cell*)v->lattice_cells)[face[0].cell[0]].corner[7] =
            v->lattice_cells[v->lattice_cell_count - 1].corner[0];
        break;
    case 6:
        ++point[5].cell_begin;
        break;
    case 7:
        --point[v->tear_point_count - 1].cell_count;
        break;
    case 8:
        cap->point[1] = other;
        break;
    case 9: {
        hem_tear_triangle* t = (hem_tear_triangle*)v->tear_triangles;
        while (t->point[0] == HEM_TEAR_NONE || (t->cell != face[0].cell[0] && t->cell != face[0].cell[1])) {
            ++t;
        }
        t->point[0] = other;
        break;
    }
    case 10:
        --l->face_count;
        break;
    case 11:
        cap->point[2] = half;
        break;
    default:
        --face[v->tear_face_count - 1].cap_count;
        break;
    }
}

TEST tears_that_contradict_themselves_are_refused(void) {
    static const struct {
        hem_format_result result;
        hem_section_kind section;
        const char* field;
    } want[] = {
        {COUNT, HEM_SECTION_LATTICES, "spare_count"},     // faces without a reserve
        {COUNT, HEM_SECTION_LATTICES, "spare_count"},     // vertices without a reserve
        {COUNT, HEM_SECTION_LATTICES, "spare_begin"},     // not at the start of a row
        {COUNT, HEM_SECTION_LATTICES, "spare_begin"},     // not whole rows
        {COUNT, HEM_SECTION_LATTICES, "spare_begin"},     // behind the part
        {INDEXES, HEM_SECTION_TEAR_FACES, "corner"},      // cells that share no face
        {COUNT, HEM_SECTION_TEAR_POINTS, "cell_begin"},   // a gap
        {COUNT, HEM_SECTION_TEAR_CELLS, "element_count"}, // a cell of no point
        {INDEXES, HEM_SECTION_TEAR_CAPS, "point"},        // a point elsewhere
        {INDEXES, HEM_SECTION_TEAR_TRIANGLES, "point"},   // the same
        {COUNT, HEM_SECTION_TEAR_FACES, "element_count"}, // a face of no lattice
        {INDEXES, HEM_SECTION_TEAR_CAPS, "point"},        // a point of one side alone
        {COUNT, HEM_SECTION_TEAR_CAPS, "element_count"},  // a cap of no face
    };
    for (int i = 0; i < (int)(sizeof(want) / sizeof(want[0])); ++i) {
        size_t size;
        uint8_t* bytes = read_asset("jelly", &size);
        ASSERT(bytes);
        hem_view view;
        hem_format_fault fault;
        ASSERT_EQ(HEM_FORMAT_OK, hem_validate(bytes, size, &view, &fault));
        spoil(&view, i);
        const hem_format_result result = hem_validate(bytes, size, &view, &fault);
        free(bytes);
        if (result != want[i].result || strcmp(fault.field, want[i].field) != 0) {
            printf("row %d: %s, %s[%u].%s\n", i, hem_format_result_text(result), hem_section_name(fault.section),
                   fault.element, fault.field);
        }
        ASSERT_EQ(want[i].result, result);
        ASSERT_EQ(want[i].section, (hem_section_kind)fault.section);
        ASSERT_STR_EQ(want[i].field, fault.field);
    }
    PASS();
}

SUITE(tear_suite) {
    RUN_TEST(what_is_whole_is_as_the_asset_has_it);
    RUN_TEST(random_tears_keep_mass_and_momentum);
    RUN_TEST(a_torn_mesh_is_closed);
    RUN_TEST(a_cut_through_all_makes_two_pieces);
    RUN_TEST(a_bar_tears_where_it_bends_and_says_so);
    RUN_TEST(strong_stuff_does_not_tear);
    RUN_TEST(a_used_up_reserve_is_said);
    RUN_TEST(a_save_holds_what_is_torn);
    RUN_TEST(spoiled_tears_are_refused_by_name);
    RUN_TEST(tears_that_contradict_themselves_are_refused);
}
