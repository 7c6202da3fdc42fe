// SPDX-License-Identifier: MIT
#include "compiler/shape/cards.h"

#include "compiler/surface/spatial.h"

#include <math.h>
#include <string.h>

// Vertex to particle for hair. By distance alone a card would take one guide at its root, another below and a third at its
// tip, and be torn when they part. So the guides of a card (a connected piece of the welded surface: card, lock, tube) are
// chosen once for all of it.
//
// 1. The nearest guide by mean distance, and a second where the card lies between the two: its share is how far the card has
//    come on the way from one to the other, in the mean over the card. Cards side by side take nearly the same shares, so no
//    gap opens between them, and a card on a guide takes that guide alone.
// 2. Where along a guide: the nearest point of it, followed from vertex to vertex, beginning with the one that lies nearest
//    to the guide, and never farther than the way between the vertices allows. A curl's vertex stays on its own winding.
// 3. The two particles before and behind that place, by arc length. Four particles at most.
//
// A piece much wider than the guides lie apart (a whole wig) takes the guides vertex by vertex: two, of weights
// 1/d - 1/R with R the distance to the third (Franke and Little's), so that whoever enters or leaves the two does so with
// weight zero. Shares depend on nothing but the ratios of the distances, which between guides that run side by side or
// spread like a fan are the same from root to tip.

#define SAMPLE_LIMIT 64 // vertices of a card that are asked for their distances
#define TIE 1e-4        // what differs by less is equal, and the order decides: see generate/strands.c
#define ALONE 0.1       // up to this share of the way to the second guide the card keeps to the first alone
#define WIDE_GAPS 3.0   // a piece is wide that measures more than this many gaps between guides across ...
#define BROAD 0.4       // ... and this much of its length: the generator gave it more than one line
#define WINDOW 2.0      // step along a guide for a step along the card

typedef struct guide_list {
    uint32_t count;
    uint32_t* starts; // first particle of each, [count + 1]
    double* arc;      // metres from the root, per particle of the part, counted from starts[0]
    double gap;       // mean distance of a guide to the nearest other one
} guide_list;

typedef struct foot { // nearest place on a guide
    double arc, distance;
    hemc_d3 point;
} foot;

typedef struct cards {
    hemc_arena* arena;
    const hemc_model* model;
    hemc_mesh* mesh;
    guide_list guides;
    uint32_t vertex_count; // welded, of the part
    hemc_d3* positions;
    uint32_t* source; // a model vertex for each
    uint32_t *edge_starts, *edges;
    uint32_t *members, *piece_starts, piece_count; // vertices by piece
    double* arc[2];                                // place on the first and second guide, per vertex
    uint32_t (*guide)[2];
    double* second; // share of the second guide
    uint32_t* queue;
    uint8_t* visited;
} cards;

// -- Guides

static hemc_d3 particle_at(const cards* c, uint32_t p) {
    return d3_from(c->mesh->all.positions[p]);
}

// Nearest point of a guide whose arc lies in [low, high].
static foot find_foot(const cards* c, uint32_t guide, hemc_d3 point, double low, double high) {
    const uint32_t begin = c->guides.starts[guide], end = c->guides.starts[guide + 1];
    const double* arc = c->guides.arc - c->guides.starts[0];
    foot best = {arc[begin], 1e300, particle_at(c, begin)};
    low = fmin(fmax(low, 0), arc[end - 1]);
    high = fmin(fmax(high, 0), arc[end - 1]);
    if (begin + 1 == end) {
        best.distance = d3_distance(point, best.point);
    }
    for (uint32_t p = begin; p + 1 < end; ++p) {
        const double length = arc[p + 1] - arc[p];
        if (arc[p + 1] < low || arc[p] > high || !(length > 0)) {
            continue;
        }
        const hemc_d3 a = particle_at(c, p), way = d3_sub(particle_at(c, p + 1), a);
        double t = d3_dot(d3_sub(point, a), way) / (length * length);
        t = fmin(fmax(t, fmax((low - arc[p]) / length, 0)), fmin((high - arc[p]) / length, 1));
        const hemc_d3 at = d3_madd(a, way, t);
        const double d = d3_distance(point, at);
        if (d < best.distance) {
            best = (foot){arc[p] + t * length, d, at};
        }
    }
    if (best.distance == 1e300) { // all particles in one place
        best.distance = d3_distance(point, best.point);
    }
    return best;
}

static uint32_t particle_before(const cards* c, uint32_t guide, double arc) {
    const double* arcs = c->guides.arc - c->guides.starts[0];
    uint32_t p = c->guides.starts[guide];
    while (p + 2 < c->guides.starts[guide + 1] && arcs[p + 1] <= arc) {
        ++p;
    }
    return p;
}

// Those that follow other bones count as farther.
static foot distance_to(const cards* c, uint32_t guide, uint32_t vertex) {
    foot f = find_foot(c, guide, c->positions[vertex], 0, 1e30);
    f.distance *= hemc_strangeness(c->model, c->mesh, c->source[vertex], particle_before(c, guide, f.arc));
    return f;
}

static void list_guides(cards* c, uint32_t begin, uint32_t end) {
    guide_list* g = &c->guides;
    const hemc_particles* all = &c->mesh->all;
    g->starts = hemc_alloc(c->arena, (size_t)(end - begin) + 1, sizeof(uint32_t));
    g->arc = hemc_alloc(c->arena, end - begin, sizeof(double));
    for (uint32_t p = begin; p < end; ++p) {
        if (p == begin || all->column[p] != all->column[p - 1] || all->level[p] <= all->level[p - 1]) {
            g->starts[g->count++] = p;
        } else {
            g->arc[p - begin] = g->arc[p - 1 - begin] + d3_distance(particle_at(c, p - 1), particle_at(c, p));
        }
    }
    g->starts[g->count] = end;
    for (uint32_t a = 0; a < g->count && g->count > 1; ++a) {
        double nearest = 1e300;
        for (uint32_t b = 0; b < g->count; ++b) {
            double sum = 0;
            for (uint32_t p = g->starts[a]; a != b && p < g->starts[a + 1]; ++p) {
                sum += find_foot(c, b, particle_at(c, p), 0, 1e30).distance;
            }
            nearest = a != b ? fmin(nearest, sum / (g->starts[a + 1] - g->starts[a])) : nearest;
        }
        g->gap += nearest / g->count;
    }
}

// -- Pieces

static void weld_vertices(cards* c, const int32_t* vertex_part, uint32_t part, uint32_t* welded) {
    const hemc_model* model = c->model;
    uint8_t* used = hemc_alloc(c->arena, model->vertex_count, 1);
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        used[v] = vertex_part[v] == (int32_t)part;
    }
    c->vertex_count = hemc_weld_positions(c->arena, model, used, 0, welded);
    c->positions = hemc_alloc(c->arena, c->vertex_count, sizeof(hemc_d3));
    c->source = hemc_alloc(c->arena, c->vertex_count, sizeof(uint32_t));
    for (uint32_t v = model->vertex_count; v-- > 0;) { // downwards: the first of each stays
        if (used[v]) {
            c->positions[welded[v]] = d3_from(model->positions[v]);
            c->source[welded[v]] = v;
        }
    }
    // Edges from both ends; those of two triangles stand twice, which does no harm.
    c->edge_starts = hemc_alloc(c->arena, (size_t)c->vertex_count + 2, sizeof(uint32_t));
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < 3 * model->triangle_count; ++i) {
            const uint32_t a = model->triangles[i], b = model->triangles[i % 3 == 2 ? i - 2 : i + 1];
            if (!used[a] || !used[b] || welded[a] == welded[b]) {
                continue;
            }
            const uint32_t ends[2] = {welded[a], welded[b]};
            for (int k = 0; k < 2; ++k) {
                if (pass == 0) {
                    ++c->edge_starts[ends[k] + 2];
                } else {
                    c->edges[c->edge_starts[ends[k] + 1]++] = ends[1 - k];
                }
            }
        }
        for (uint32_t v = 0; v < c->vertex_count && pass == 0; ++v) {
            c->edge_starts[v + 2] += c->edge_starts[v + 1];
        }
        c->edges = pass == 0 ? hemc_alloc(c->arena, (size_t)c->edge_starts[c->vertex_count + 1] + 1, sizeof(uint32_t))
                             : c->edges;
    }
}

static void find_pieces(cards* c) {
    c->members = hemc_alloc(c->arena, c->vertex_count, sizeof(uint32_t));
    c->piece_starts = hemc_alloc(c->arena, (size_t)c->vertex_count + 1, sizeof(uint32_t));
    uint8_t* taken = hemc_alloc(c->arena, c->vertex_count, 1);
    uint32_t count = 0;
    for (uint32_t seed = 0; seed < c->vertex_count; ++seed) {
        if (taken[seed]) {
            continue;
        }
        taken[seed] = 1;
        c->piece_starts[c->piece_count++] = count;
        c->members[count++] = seed;
        for (uint32_t at = count - 1; at < count; ++at) {
            for (uint32_t k = c->edge_starts[c->members[at]]; k < c->edge_starts[c->members[at] + 1]; ++k) {
                if (!taken[c->edges[k]]) {
                    taken[c->edges[k]] = 1;
                    c->members[count++] = c->edges[k];
                }
            }
        }
    }
    c->piece_starts[c->piece_count] = count;
}

// -- Which guides

typedef struct sample_list {
    uint32_t count, vertices[SAMPLE_LIMIT];
    foot feet[SAMPLE_LIMIT]; // on the nearest guide
} sample_list;

static uint32_t nearest_guide(const cards* c, const sample_list* s) {
    uint32_t best = 0;
    double least = 1e300;
    for (uint32_t g = 0; g < c->guides.count; ++g) {
        double sum = 0;
        for (uint32_t i = 0; i < s->count && sum < least * (1 - TIE); ++i) { // most are too far at the first look
            sum += distance_to(c, g, s->vertices[i]).distance;
        }
        if (sum < least * (1 - TIE)) {
            least = sum;
            best = g;
        }
    }
    return best;
}

// The width is that of an even strip whose points lie as far from their mean, seen from the guide.
static bool is_wide(const cards* c, const sample_list* s) {
    hemc_d3 mean = d3(0, 0, 0);
    double low = 1e300, high = 0, square = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        const hemc_d3 offset = d3_sub(c->positions[s->vertices[i]], s->feet[i].point);
        mean = d3_madd(mean, offset, 1.0 / s->count);
        square += d3_dot(offset, offset) / s->count;
        low = fmin(low, s->feet[i].arc);
        high = fmax(high, s->feet[i].arc);
    }
    const double width = sqrt(12 * fmax(square - d3_dot(mean, mean), 0));
    return width > WIDE_GAPS * c->guides.gap && width > BROAD * (high - low);
}

// The nearest of the guides with the card between it and `first`, or `first` itself; its share in *share.
static uint32_t second_guide(const cards* c, const sample_list* s, uint32_t first, double* share) {
    uint32_t best = first;
    double least = 1e300;
    *share = 0;
    for (uint32_t g = 0; g < c->guides.count; ++g) {
        double come = 0, way = 0, sum = 0;
        for (uint32_t i = 0; i < s->count && g != first && sum < least * (1 - TIE); ++i) {
            const foot f = distance_to(c, g, s->vertices[i]);
            const hemc_d3 across = d3_sub(f.point, s->feet[i].point);
            come += d3_dot(d3_sub(c->positions[s->vertices[i]], s->feet[i].point), across);
            way += d3_dot(across, across);
            sum += f.distance;
        }
        if (way > 0 && come > ALONE * way && sum < least * (1 - TIE)) {
            least = sum;
            best = g;
            *share = fmin((come / way - ALONE) / (1 - 2 * ALONE), 0.5);
        }
    }
    return best;
}

// -- Where along them

// Arcs of a piece's vertices on a guide, from the vertex nearest to it outwards.
static void follow(cards* c, uint32_t piece, uint32_t guide, double* arc) {
    const uint32_t begin = c->piece_starts[piece], end = c->piece_starts[piece + 1];
    foot nearest = {0, 1e300, {0, 0, 0}};
    uint32_t seed = c->members[begin], count = 0;
    for (uint32_t i = begin; i < end; ++i) {
        const foot f = find_foot(c, guide, c->positions[c->members[i]], 0, 1e30);
        c->visited[c->members[i]] = 0;
        if (f.distance < nearest.distance * (1 - TIE)) {
            nearest = f;
            seed = c->members[i];
        }
    }
    arc[seed] = nearest.arc;
    c->visited[seed] = 2; // 1: waits in the queue
    c->queue[count++] = seed;
    for (uint32_t at = 0; at < count; ++at) {
        const uint32_t v = c->queue[at];
        double low = -1e30, high = 1e30, mean = 0;
        uint32_t known = 0;
        for (uint32_t k = c->edge_starts[v]; k < c->edge_starts[v + 1]; ++k) {
            const uint32_t u = c->edges[k];
            if (c->visited[u] == 2) {
                const double step = WINDOW * d3_distance(c->positions[u], c->positions[v]);
                low = fmax(low, arc[u] - step);
                high = fmin(high, arc[u] + step);
                mean += arc[u];
                ++known;
            } else if (c->visited[u] == 0) {
                c->visited[u] = 1;
                c->queue[count++] = u;
            }
        }
        if (known > 0) {
            mean /= known;
            arc[v] = low <= high ? find_foot(c, guide, c->positions[v], low, high).arc : mean;
            c->visited[v] = 2;
        }
    }
}

// -- Pieces to guides

static void bind_card(cards* c, uint32_t piece, const sample_list* s, uint32_t first) {
    double share;
    const uint32_t second = second_guide(c, s, first, &share);
    follow(c, piece, first, c->arc[0]);
    if (second != first) {
        follow(c, piece, second, c->arc[1]);
    }
    for (uint32_t i = c->piece_starts[piece]; i < c->piece_starts[piece + 1]; ++i) {
        const uint32_t v = c->members[i];
        c->guide[v][0] = first;
        c->guide[v][1] = second;
        c->second[v] = share;
    }
}

static void bind_wide(cards* c, uint32_t piece) {
    for (uint32_t i = c->piece_starts[piece]; i < c->piece_starts[piece + 1]; ++i) {
        const uint32_t v = c->members[i];
        foot best[3] = {{0, 1e300, {0, 0, 0}}, {0, 1e300, {0, 0, 0}}, {0, 1e300, {0, 0, 0}}};
        for (uint32_t g = 0; g < c->guides.count; ++g) {
            const foot f = distance_to(c, g, v);
            uint32_t at = 3;
            while (at > 0 && f.distance < best[at - 1].distance) {
                --at;
            }
            for (uint32_t k = 2; k > at; --k) {
                best[k] = best[k - 1];
                if (k < 2) {
                    c->guide[v][k] = c->guide[v][k - 1];
                }
            }
            if (at < 3) {
                best[at] = f;
            }
            if (at < 2) {
                c->guide[v][at] = g;
            }
        }
        // Two guides in all: a radius that leaves the second some weight.
        const double radius = c->guides.count > 2 ? best[2].distance : 1.25 * best[1].distance;
        const double a = (radius - best[0].distance) * best[1].distance;
        const double b = (radius - best[1].distance) * best[0].distance;
        c->second[v] = a + b > 0 ? b / (a + b) : 0;
        c->arc[0][v] = best[0].arc;
        c->arc[1][v] = best[1].arc;
    }
}

static void store(const cards* c, uint32_t welded, uint16_t particles[4], float weights[4]) {
    for (int k = 0; k < 2; ++k) {
        const uint32_t guide = c->guide[welded][k];
        const uint32_t p = particle_before(c, guide, c->arc[k][welded]);
        const uint32_t q = p + 1 < c->guides.starts[guide + 1] ? p + 1 : p;
        const double* arc = c->guides.arc - c->guides.starts[0];
        const double length = arc[q] - arc[p];
        const double t = length > 0 ? fmin(fmax((c->arc[k][welded] - arc[p]) / length, 0), 1) : 0;
        const double share = k == 0 ? 1 - c->second[welded] : c->second[welded];
        particles[2 * k] = (uint16_t)p;
        particles[2 * k + 1] = (uint16_t)q;
        weights[2 * k] = (float)(share * (1 - t));
        weights[2 * k + 1] = (float)(share * t);
    }
    // Largest first.
    for (int i = 1; i < 4; ++i) {
        for (int k = i; k > 0 && weights[k] > weights[k - 1]; --k) {
            const float w = weights[k];
            const uint16_t p = particles[k];
            weights[k] = weights[k - 1];
            particles[k] = particles[k - 1];
            weights[k - 1] = w;
            particles[k - 1] = p;
        }
    }
    for (int k = 1; k < 4; ++k) {
        particles[k] = weights[k] > 0 ? particles[k] : particles[0];
    }
}

void hemc_bind_cards(hemc_arena* arena, const hemc_model* model, const int32_t* vertex_part, uint32_t part,
                     hemc_mesh* mesh) {
    cards c = {.arena = arena, .model = model, .mesh = mesh};
    uint32_t* welded = hemc_alloc(arena, model->vertex_count, sizeof(uint32_t));
    list_guides(&c, mesh->part_begin[part], mesh->part_begin[part + 1]);
    weld_vertices(&c, vertex_part, part, welded);
    find_pieces(&c);
    c.arc[0] = hemc_alloc(arena, c.vertex_count, sizeof(double));
    c.arc[1] = hemc_alloc(arena, c.vertex_count, sizeof(double));
    c.guide = hemc_alloc(arena, c.vertex_count, sizeof(*c.guide));
    c.second = hemc_alloc(arena, c.vertex_count, sizeof(double));
    c.queue = hemc_alloc(arena, c.vertex_count, sizeof(uint32_t));
    c.visited = hemc_alloc(arena, c.vertex_count, 1);
    for (uint32_t piece = 0; piece < c.piece_count; ++piece) {
        const uint32_t begin = c.piece_starts[piece], size = c.piece_starts[piece + 1] - begin;
        sample_list s = {.count = size < SAMPLE_LIMIT ? size : SAMPLE_LIMIT};
        for (uint32_t i = 0; i < s.count; ++i) {
            s.vertices[i] = c.members[begin + (uint32_t)((uint64_t)i * size / s.count)];
        }
        const uint32_t first = nearest_guide(&c, &s);
        for (uint32_t i = 0; i < s.count; ++i) {
            s.feet[i] = distance_to(&c, first, s.vertices[i]);
        }
        if (c.guides.count > 1 && is_wide(&c, &s)) {
            bind_wide(&c, piece);
        } else {
            bind_card(&c, piece, &s, first);
        }
    }
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        if (vertex_part[v] == (int32_t)part) {
            store(&c, welded[v], mesh->skinning.vertex_particle[v], mesh->skinning.vertex_weight[v]);
        }
    }
}
