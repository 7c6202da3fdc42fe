// SPDX-License-Identifier: MIT
#include "compiler/graph/graph.h"

#include "compiler/graph/fabric.h"

#include <math.h>
#include <string.h>

// From the generator's links to every constraint the runtime solves.
//
// The generator gives a net: warp links between levels, weft links along them. Everything else follows from it:
//   shear   the diagonals of each quad of two warp and two weft links
//   bend    the two neighbours of a particle that lie most nearly opposite, along warp and along weft
//   tether  the way along the net to the nearest attached particle (Dijkstra), a second one for particles between two
//           separate attached regions
//   groups  a particle and its neighbours (soft parts)
//   frames  which neighbours tell how a particle of cloth is turned
//   ignore  who touches whom at rest (ignore.c)
// Decisions compare lengths in double with the lower index on ties, so they do not depend on the machine, and lengths of
// the net only, so they do not change when the character is turned or mirrored.

#define GROUP_NEIGHBORS 12
#define TETHER_DETOUR 1.05 // a step across columns counts this much more, so that tethers keep to their column
#define SECOND_TETHER_RANGE 2.0
#define BETWEEN 0.7 // distance of the two anchors over the way through the particle

// -- Small things

uint32_t hemc_part_of(const hemc_mesh* mesh, uint32_t particle) {
    uint32_t part = 0;
    while (part + 1 < mesh->part_count && particle >= mesh->part_begin[part + 1]) {
        ++part;
    }
    return part;
}

bool hemc_is_fixed(const hemc_mesh* mesh, uint32_t particle) {
    return (mesh->all.flags[particle] & HEM_PARTICLE_ANIMATED) != 0 &&
           mesh->part_animations[hemc_part_of(mesh, particle)] == HEM_ANIMATE_DIRECT;
}

bool hemc_is_driven(const hemc_mesh* mesh, uint32_t part) {
    return mesh->all.drive != NULL && mesh->part_kinds[part] != HEM_PART_BODY &&
           mesh->part_begin[part] < mesh->part_begin[part + 1] && mesh->all.drive[mesh->part_begin[part]] >= 0;
}

static double distance_between(const hemc_mesh* mesh, uint32_t a, uint32_t b) {
    const hemc_vec3 p = mesh->all.positions[a], q = mesh->all.positions[b];
    const double x = (double)q.x - p.x, y = (double)q.y - p.y, z = (double)q.z - p.z;
    return sqrt(x * x + y * y + z * z);
}

float hemc_rest_distance(const hemc_mesh* mesh, uint32_t a, uint32_t b) {
    return (float)distance_between(mesh, a, b);
}

// Cosine of the angle at `center` between two others; 1 when it has none.
static double cosine_at(const hemc_mesh* mesh, uint32_t center, uint32_t a, uint32_t b) {
    const hemc_vec3 c = mesh->all.positions[center], p = mesh->all.positions[a], q = mesh->all.positions[b];
    const double u[3] = {(double)p.x - c.x, (double)p.y - c.y, (double)p.z - c.z};
    const double v[3] = {(double)q.x - c.x, (double)q.y - c.y, (double)q.z - c.z};
    const double lengths = sqrt((u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    return lengths > 0 ? (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) / lengths : 1;
}

void hemc_adjacency_build(hemc_arena* arena, const hemc_link* links, size_t link_count, uint32_t particle_count,
                          hemc_adjacency* adjacency) {
    adjacency->starts = hemc_alloc(arena, (size_t)particle_count + 1, sizeof(uint32_t));
    adjacency->neighbors = hemc_alloc(arena, link_count * 2, sizeof(uint32_t));
    adjacency->links = hemc_alloc(arena, link_count * 2, sizeof(uint32_t));
    for (size_t i = 0; i < link_count; ++i) {
        ++adjacency->starts[links[i].a + 1];
        ++adjacency->starts[links[i].b + 1];
    }
    for (uint32_t i = 0; i < particle_count; ++i) {
        adjacency->starts[i + 1] += adjacency->starts[i];
    }
    uint32_t* next = hemc_alloc(arena, particle_count, sizeof(uint32_t));
    memcpy(next, adjacency->starts, (size_t)particle_count * sizeof(uint32_t));
    for (size_t i = 0; i < link_count; ++i) {
        for (int end = 0; end < 2; ++end) {
            const uint32_t from = end == 0 ? links[i].a : links[i].b;
            adjacency->neighbors[next[from]] = end == 0 ? links[i].b : links[i].a;
            adjacency->links[next[from]++] = (uint32_t)i;
        }
    }
}

static bool are_linked(const hemc_adjacency* adjacency, uint32_t a, uint32_t b) {
    for (uint32_t k = adjacency->starts[a]; k < adjacency->starts[a + 1]; ++k) {
        if (adjacency->neighbors[k] == b) {
            return true;
        }
    }
    return false;
}

// -- Lists of links

typedef struct link_list {
    hemc_arena* arena;
    hemc_link* items;
    size_t count, capacity;
} link_list;

static void add_link(link_list* list, uint32_t a, uint32_t b, hem_link_kind kind, float rest) {
    list->items = hemc_grow(list->arena, list->items, &list->capacity, list->count + 1, sizeof(hemc_link));
    list->items[list->count++] = (hemc_link){.a = a, .b = b, .kind = (uint8_t)kind, .rest = rest, .scale = 1};
}

void hemc_links_clean(hemc_arena* arena, hemc_mesh* mesh) {
    uint64_t* keys = hemc_alloc(arena, mesh->link_count, sizeof(uint64_t));
    uint32_t* order = hemc_alloc(arena, mesh->link_count, sizeof(uint32_t));
    size_t count = 0;
    for (size_t i = 0; i < mesh->link_count; ++i) {
        const hemc_link* l = &mesh->links[i];
        if (l->a == l->b || (hemc_is_fixed(mesh, l->a) && hemc_is_fixed(mesh, l->b))) {
            continue;
        }
        const uint64_t low = l->a < l->b ? l->a : l->b, high = l->a < l->b ? l->b : l->a;
        keys[count] = (uint64_t)l->kind << 40 | low << 20 | high;
        order[count++] = (uint32_t)i;
    }
    hemc_sort(arena, keys, order, count);
    hemc_link* clean = hemc_alloc(arena, count, sizeof(hemc_link));
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            clean[kept++] = mesh->links[order[i]];
        }
    }
    mesh->links = clean;
    mesh->link_count = kept;
}

void hemc_links_measure(hemc_mesh* mesh) {
    for (size_t i = 0; i < mesh->link_count; ++i) {
        hemc_link* l = &mesh->links[i];
        if (l->kind != HEM_LINK_TETHER) {
            l->rest = hemc_rest_distance(mesh, l->a, l->b);
        }
        l->scale = 0.5f * (mesh->all.stiffness[l->a] + mesh->all.stiffness[l->b]);
    }
}

// -- Shear and bend

static void add_shear(const hemc_mesh* mesh, const hemc_adjacency* net, link_list* out) {
    const hemc_link* links = mesh->all.links;
    for (uint32_t p = 0; p < mesh->all.count; ++p) {
        for (uint32_t i = net->starts[p]; i < net->starts[p + 1]; ++i) {
            const uint32_t up = net->neighbors[i];
            if (links[net->links[i]].kind != HEM_LINK_WARP || up < p) {
                continue;
            }
            for (uint32_t j = net->starts[p]; j < net->starts[p + 1]; ++j) {
                const uint32_t side = net->neighbors[j];
                if (links[net->links[j]].kind != HEM_LINK_WEFT) {
                    continue;
                }
                for (uint32_t k = net->starts[up]; k < net->starts[up + 1]; ++k) {
                    const uint32_t corner = net->neighbors[k];
                    if (links[net->links[k]].kind != HEM_LINK_WEFT || corner == side || side == up) {
                        continue;
                    }
                    // side and corner joined by warp: a quad. Those joined to one another otherwise are not.
                    for (uint32_t n = net->starts[corner]; n < net->starts[corner + 1]; ++n) {
                        if (net->neighbors[n] == side && links[net->links[n]].kind == HEM_LINK_WARP) {
                            if (!are_linked(net, p, corner)) {
                                add_link(out, p, corner, HEM_LINK_SHEAR, 0);
                            }
                            if (!are_linked(net, side, up)) {
                                add_link(out, side, up, HEM_LINK_SHEAR, 0);
                            }
                        }
                    }
                }
            }
        }
    }
}

static void add_bend(const hemc_mesh* mesh, const hemc_adjacency* net, link_list* out) {
    const hemc_link* links = mesh->all.links;
    for (uint32_t p = 0; p < mesh->all.count; ++p) {
        for (int kind = HEM_LINK_WARP; kind <= HEM_LINK_WEFT; ++kind) {
            double best = 0; // only pairs on different sides
            uint32_t best_a = p, best_b = p;
            for (uint32_t i = net->starts[p]; i < net->starts[p + 1]; ++i) {
                for (uint32_t j = i + 1; j < net->starts[p + 1]; ++j) {
                    if (links[net->links[i]].kind != kind || links[net->links[j]].kind != kind) {
                        continue;
                    }
                    const double cosine = cosine_at(mesh, p, net->neighbors[i], net->neighbors[j]);
                    if (cosine < best) {
                        best = cosine;
                        best_a = net->neighbors[i];
                        best_b = net->neighbors[j];
                    }
                }
            }
            if (best_a != best_b && !are_linked(net, best_a, best_b)) {
                add_link(out, best_a, best_b, HEM_LINK_BEND, 0);
            }
        }
    }
}

// -- Tethers

typedef struct route { // one way to an anchor
    double cost;       // with detours punished: decides
    double length;     // along the net: the rest length
    uint32_t anchor;
    int32_t region; // connected set of attached particles the anchor is in; HEM_NONE = no route
} route;

typedef struct heap_item {
    route route;
    uint32_t particle;
} heap_item;

typedef struct heap {
    hemc_arena* arena;
    heap_item* items;
    size_t count, capacity;
} heap;

static bool route_before(const heap_item* a, const heap_item* b) {
    if (a->route.cost != b->route.cost) {
        return a->route.cost < b->route.cost;
    }
    if (a->particle != b->particle) {
        return a->particle < b->particle;
    }
    return a->route.anchor < b->route.anchor;
}

static void heap_push(heap* h, heap_item item) {
    h->items = hemc_grow(h->arena, h->items, &h->capacity, h->count + 1, sizeof(heap_item));
    size_t at = h->count++;
    while (at > 0 && route_before(&item, &h->items[(at - 1) / 2])) {
        h->items[at] = h->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    h->items[at] = item;
}

static heap_item heap_pop(heap* h) {
    const heap_item top = h->items[0];
    const heap_item last = h->items[--h->count];
    size_t at = 0;
    for (;;) {
        size_t child = at * 2 + 1;
        if (child >= h->count) {
            break;
        }
        if (child + 1 < h->count && route_before(&h->items[child + 1], &h->items[child])) {
            ++child;
        }
        if (!route_before(&h->items[child], &last)) {
            break;
        }
        h->items[at] = h->items[child];
        at = child;
    }
    h->items[at] = last;
    return top;
}

// Regions: attached particles joined by links, numbered from 0; HEM_NONE for the others.
static int32_t* attached_regions(hemc_arena* arena, const hemc_mesh* mesh, const hemc_adjacency* net) {
    int32_t* region = hemc_alloc(arena, mesh->all.count, sizeof(int32_t));
    uint32_t* stack = hemc_alloc(arena, mesh->all.count, sizeof(uint32_t));
    memset(region, 0xff, mesh->all.count * sizeof(int32_t));
    int32_t next = 0;
    for (uint32_t seed = 0; seed < mesh->all.count; ++seed) {
        if (region[seed] != HEM_NONE || (mesh->all.flags[seed] & HEM_PARTICLE_ANIMATED) == 0) {
            continue;
        }
        size_t depth = 0;
        stack[depth++] = seed;
        region[seed] = next;
        while (depth > 0) {
            const uint32_t p = stack[--depth];
            for (uint32_t k = net->starts[p]; k < net->starts[p + 1]; ++k) {
                const uint32_t q = net->neighbors[k];
                if (region[q] == HEM_NONE && (mesh->all.flags[q] & HEM_PARTICLE_ANIMATED) != 0) {
                    region[q] = next;
                    stack[depth++] = q;
                }
            }
        }
        ++next;
    }
    return region;
}

// Painted, a tether acts where the way is so much longer; what would be longer than this many times holds nothing.
#define LOOSEST_TETHER 16.0f

static void add_tether(link_list* out, const hemc_mesh* mesh, uint32_t particle, const route* way) {
    const float share = mesh->all.maps != NULL ? mesh->all.maps[particle][HEMC_TETHER] : 1.0f;
    if (share * LOOSEST_TETHER >= 1.0f) {
        add_link(out, particle, way->anchor, HEM_LINK_TETHER, (float)way->length / share);
    }
}

static void add_tethers(hemc_arena* arena, const hemc_recipe* recipe, const hemc_mesh* mesh, const link_list* shear,
                        link_list* out) {
    // The net with its diagonals, each link inside one part.
    link_list net_links = {.arena = arena};
    for (size_t i = 0; i < mesh->all.link_count + shear->count; ++i) {
        const hemc_link l = i < mesh->all.link_count ? mesh->all.links[i] : shear->items[i - mesh->all.link_count];
        const uint32_t part = hemc_part_of(mesh, l.a);
        if (l.kind != HEM_LINK_STITCH && part == hemc_part_of(mesh, l.b) && mesh->part_kinds[part] != HEM_PART_BODY &&
            part < recipe->part_count && recipe->parts[part].tethers) {
            add_link(&net_links, l.a, l.b, (hem_link_kind)l.kind, (float)distance_between(mesh, l.a, l.b));
        }
    }
    hemc_adjacency net;
    hemc_adjacency_build(arena, net_links.items, net_links.count, mesh->all.count, &net);
    const int32_t* region = attached_regions(arena, mesh, &net);
    route(*routes)[2] = hemc_alloc(arena, mesh->all.count, sizeof(*routes));
    heap h = {.arena = arena};
    for (uint32_t p = 0; p < mesh->all.count; ++p) {
        routes[p][0].region = routes[p][1].region = HEM_NONE;
        if (region[p] != HEM_NONE) {
            heap_push(&h, (heap_item){{0, 0, p, region[p]}, p});
        }
    }
    while (h.count > 0) {
        const heap_item item = heap_pop(&h);
        route* known = routes[item.particle];
        // Attached particles hold their own route only; the others the best of two regions.
        const int slot = known[0].region == HEM_NONE ? 0 : 1;
        if (known[1].region != HEM_NONE || known[0].region == item.route.region ||
            (slot == 1 && region[item.particle] != HEM_NONE)) {
            continue;
        }
        known[slot] = item.route;
        for (uint32_t k = net.starts[item.particle]; k < net.starts[item.particle + 1]; ++k) {
            const hemc_link* l = &net_links.items[net.links[k]];
            route onward = item.route;
            onward.length += l->rest;
            onward.cost += l->kind == HEM_LINK_WARP ? l->rest : l->rest * TETHER_DETOUR;
            heap_push(&h, (heap_item){onward, net.neighbors[k]});
        }
    }
    for (uint32_t p = 0; p < mesh->all.count; ++p) {
        const route* r = routes[p];
        if (region[p] != HEM_NONE || r[0].region == HEM_NONE) {
            continue;
        }
        // A direct neighbour is held by its own link already.
        if (!are_linked(&net, p, r[0].anchor)) {
            add_tether(out, mesh, p, &r[0]);
        }
        // A second one only for those between two regions, not beside both.
        if (r[1].region != HEM_NONE && r[1].length <= SECOND_TETHER_RANGE * r[0].length &&
            distance_between(mesh, r[0].anchor, r[1].anchor) >= BETWEEN * (r[0].length + r[1].length) &&
            !are_linked(&net, p, r[1].anchor)) {
            add_tether(out, mesh, p, &r[1]);
        }
    }
}

// -- Shape-matching groups

typedef struct group_candidate {
    double distance;
    uint32_t particle;
} group_candidate;

// Keeps the nearest few, sorted by distance and then index.
static void offer(group_candidate* best, uint32_t* count, uint32_t limit, group_candidate candidate) {
    for (uint32_t i = 0; i < *count; ++i) {
        if (best[i].particle == candidate.particle) {
            return;
        }
    }
    uint32_t at = *count;
    if (at == limit) {
        const group_candidate* last = &best[limit - 1];
        if (candidate.distance > last->distance ||
            (candidate.distance == last->distance && candidate.particle > last->particle)) {
            return;
        }
        --at;
    } else {
        ++*count;
    }
    while (at > 0 && (best[at - 1].distance > candidate.distance ||
                      (best[at - 1].distance == candidate.distance && best[at - 1].particle > candidate.particle))) {
        best[at] = best[at - 1];
        --at;
    }
    best[at] = candidate;
}

static bool is_rod(const hemc_recipe* recipe, uint32_t part) {
    return part < recipe->part_count && recipe->parts[part].generator == HEMC_STRANDS &&
           recipe->parts[part].strands == HEMC_STRANDS_RODS && recipe->parts[part].animation == HEM_ANIMATE_DIRECT;
}

static void make_groups(hemc_arena* arena, const hemc_recipe* recipe, const hemc_adjacency* net, hemc_mesh* mesh) {
    const uint32_t count = mesh->all.count;
    mesh->group_starts = hemc_alloc(arena, (size_t)count + 1, sizeof(uint32_t));
    mesh->group_members = hemc_alloc(arena, (size_t)count * GROUP_NEIGHBORS, sizeof(uint16_t));
    uint32_t next = 0;
    for (uint32_t p = 0; p < count; ++p) {
        const uint32_t part = hemc_part_of(mesh, p);
        group_candidate best[GROUP_NEIGHBORS];
        uint32_t found = 0;
        mesh->group_starts[p] = next;
        // Rods know bending themselves, lattices have regions.
        const bool lattice = mesh->part_lattices != NULL && mesh->part_lattices[part] != NULL;
        if (mesh->part_kinds[part] != HEM_PART_SOFT || is_rod(recipe, part) || lattice) {
            continue;
        }
        for (uint32_t k = net->starts[p]; k < net->starts[p + 1]; ++k) {
            const uint32_t q = net->neighbors[k];
            if (q != p && hemc_part_of(mesh, q) == part) {
                offer(best, &found, GROUP_NEIGHBORS, (group_candidate){distance_between(mesh, p, q), q});
            }
        }
        // The end of a strand, a lone corner: borrow from the neighbour, so that the group can tell a bend from a turn.
        if (found == 1) {
            const uint32_t only = best[0].particle;
            for (uint32_t k = net->starts[only]; k < net->starts[only + 1]; ++k) {
                const uint32_t q = net->neighbors[k];
                if (q != p && hemc_part_of(mesh, q) == part) {
                    offer(best, &found, 2, (group_candidate){distance_between(mesh, p, q), q});
                }
            }
        }
        bool movable = !hemc_is_fixed(mesh, p);
        for (uint32_t k = 0; k < found; ++k) {
            movable |= !hemc_is_fixed(mesh, best[k].particle);
        }
        for (uint32_t k = 0; k < found && movable; ++k) {
            mesh->group_members[next++] = (uint16_t)best[k].particle;
        }
    }
    mesh->group_starts[count] = next;
}

// -- Frames

// The two neighbours through links of one kind that lie farthest apart, in index order; one neighbour and the particle
// itself at a border; the particle twice when there is none.
static void frame_ends(const hemc_mesh* mesh, const hemc_adjacency* net, const hemc_link* links, uint32_t p, int kind,
                       uint16_t ends[2]) {
    ends[0] = ends[1] = (uint16_t)p;
    double widest = -1;
    for (uint32_t i = net->starts[p]; i < net->starts[p + 1]; ++i) {
        if (links[net->links[i]].kind != kind) {
            continue;
        }
        const uint32_t a = net->neighbors[i];
        if (widest < 0) {
            ends[0] = (uint16_t)(a < p ? a : p);
            ends[1] = (uint16_t)(a < p ? p : a);
            widest = 0;
        }
        for (uint32_t j = i + 1; j < net->starts[p + 1]; ++j) {
            const uint32_t b = net->neighbors[j];
            if (links[net->links[j]].kind == kind && a != b && distance_between(mesh, a, b) > widest) {
                widest = distance_between(mesh, a, b);
                ends[0] = (uint16_t)(a < b ? a : b);
                ends[1] = (uint16_t)(a < b ? b : a);
            }
        }
    }
}

static double cross_length(const hemc_mesh* mesh, uint32_t u0, uint32_t u1, uint32_t v0, uint32_t v1) {
    const hemc_vec3* x = mesh->all.positions;
    const double u[3] = {(double)x[u1].x - x[u0].x, (double)x[u1].y - x[u0].y, (double)x[u1].z - x[u0].z};
    const double v[3] = {(double)x[v1].x - x[v0].x, (double)x[v1].y - x[v0].y, (double)x[v1].z - x[v0].z};
    const double c[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    return sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
}

void hemc_frames_make(hemc_arena* arena, hemc_mesh* mesh) {
    hemc_adjacency net;
    hemc_adjacency_build(arena, mesh->all.links, mesh->all.link_count, mesh->all.count, &net);
    mesh->frame = hemc_alloc(arena, mesh->all.count, sizeof(*mesh->frame));
    for (uint32_t p = 0; p < mesh->all.count; ++p) {
        uint16_t* f = mesh->frame[p];
        frame_ends(mesh, &net, mesh->all.links, p, HEM_LINK_WEFT, &f[0]);
        frame_ends(mesh, &net, mesh->all.links, p, HEM_LINK_WARP, &f[2]);
        // No direction of one kind: take the neighbour that stands out most from the other.
        for (int missing = 0; missing < 2; ++missing) {
            uint16_t* gap = &f[missing * 2];
            const uint16_t* other = &f[2 - missing * 2];
            if (gap[0] != gap[1] || other[0] == other[1]) {
                continue;
            }
            double widest = 0;
            for (uint32_t k = net.starts[p]; k < net.starts[p + 1]; ++k) {
                const uint32_t q = net.neighbors[k];
                const double width = cross_length(mesh, other[0], other[1], p, q);
                if (width > widest * (1 + 1e-9)) {
                    widest = width;
                    gap[0] = (uint16_t)p;
                    gap[1] = (uint16_t)q;
                }
            }
        }
    }
}

void hemc_frame_rotation(const hemc_mesh* mesh, uint32_t particle, float q[4]) {
    const uint16_t* f = mesh->frame[particle];
    const hemc_vec3* x = mesh->all.positions;
    double m[3][3]; // columns are the axes
    const double u[3] = {(double)x[f[1]].x - x[f[0]].x, (double)x[f[1]].y - x[f[0]].y, (double)x[f[1]].z - x[f[0]].z};
    const double v[3] = {(double)x[f[3]].x - x[f[2]].x, (double)x[f[3]].y - x[f[2]].y, (double)x[f[3]].z - x[f[2]].z};
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const double u_length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    const double n_length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    q[0] = q[1] = q[2] = 0;
    q[3] = 1;
    if (!(u_length > 0) || !(n_length > 0)) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        m[k][0] = u[k] / u_length;
        m[k][2] = n[k] / n_length;
    }
    for (int k = 0; k < 3; ++k) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        m[k][1] = m[k1][2] * m[k2][0] - m[k2][2] * m[k1][0];
    }
    // The largest of the four squares is the one to divide by.
    const double square[4] = {1 + m[0][0] - m[1][1] - m[2][2], 1 - m[0][0] + m[1][1] - m[2][2],
                              1 - m[0][0] - m[1][1] + m[2][2], 1 + m[0][0] + m[1][1] + m[2][2]};
    int largest = 3;
    for (int k = 0; k < 3; ++k) {
        largest = square[k] > square[largest] ? k : largest;
    }
    double r[4];
    if (largest == 3) {
        r[3] = square[3];
        r[0] = m[2][1] - m[1][2];
        r[1] = m[0][2] - m[2][0];
        r[2] = m[1][0] - m[0][1];
    } else {
        const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
        r[i] = square[i];
        r[j] = m[j][i] + m[i][j];
        r[k] = m[k][i] + m[i][k];
        r[3] = m[k][j] - m[j][k];
    }
    const double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    for (int k = 0; k < 4; ++k) {
        q[k] = (float)(r[k] / length * (r[3] < 0 ? -1.0 : 1.0));
    }
}

// -- The stage

bool hemc_graph(hemc_arena* arena, hemc_log* log, const hemc_recipe* recipe, hemc_mesh* mesh) {
    if (mesh->all.count == 0 || mesh->all.count > HEM_MAX_PARTICLES) {
        return hemc_error(log, HEMC_INPUT, recipe->path, "/parts",
                          "%u particles; an asset has 1 to %d: choose a larger spacing", mesh->all.count,
                          HEM_MAX_PARTICLES);
    }
    hemc_adjacency net;
    hemc_adjacency_build(arena, mesh->all.links, mesh->all.link_count, mesh->all.count, &net);
    link_list links = {.arena = arena}, shear = {.arena = arena};
    for (size_t i = 0; i < mesh->all.link_count; ++i) {
        const hemc_link* l = &mesh->all.links[i];
        const uint32_t part = hemc_part_of(mesh, l->a);
        // Soft parts hold together by their groups; links of the net only tell who is whose neighbour. But hair must not
        // stretch, and three particles in a row leave that to one group's stiffness.
        const bool strands = part < recipe->part_count && recipe->parts[part].generator == HEMC_STRANDS;
        if (l->kind == HEM_LINK_STITCH || mesh->part_kinds[part] == HEM_PART_CLOTH || strands) {
            add_link(&links, l->a, l->b, (hem_link_kind)l->kind, 0);
        }
    }
    add_shear(mesh, &net, &shear);
    link_list extra = {.arena = arena};
    for (size_t i = 0; i < shear.count; ++i) {
        add_link(&extra, shear.items[i].a, shear.items[i].b, HEM_LINK_SHEAR, 0);
    }
    add_bend(mesh, &net, &extra);
    for (size_t i = 0; i < extra.count; ++i) {
        const uint32_t part = hemc_part_of(mesh, extra.items[i].a);
        // Triangles shear and bend by themselves.
        const bool own =
            part < recipe->part_count && recipe->parts[part].fabric.triangles &&
            (extra.items[i].kind == HEM_LINK_SHEAR || recipe->parts[part].fabric.bending != HEMC_BEND_LINKS);
        if (mesh->part_kinds[part] == HEM_PART_CLOTH && !own) {
            add_link(&links, extra.items[i].a, extra.items[i].b, (hem_link_kind)extra.items[i].kind, 0);
        }
    }
    add_tethers(arena, recipe, mesh, &shear, &links);
    mesh->links = links.items;
    mesh->link_count = links.count;
    hemc_links_clean(arena, mesh);
    hemc_links_measure(mesh);
    hemc_fabric_make(arena, mesh);
    hemc_virtual_make(arena, mesh);
    make_groups(arena, recipe, &net, mesh);
    hemc_sag_remove(arena, log, recipe, mesh);
    hemc_frames_make(arena, mesh);
    hemc_ignore_make(arena, mesh);
    return hemc_strands_make(arena, log, recipe, &net, mesh);
}
