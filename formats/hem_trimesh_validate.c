// SPDX-License-Identifier: MIT
#include "formats/hem_trimesh_validate.h"

#include <string.h>

// The border between .hemmesh files and the runtime: see hem_validate.c. Whatever can be worked out from the vertices and
// the triangles (where the arrays lie, corners, boxes, which edge has which triangle) has one right value and is compared
// with it; the rest (normals, weights) has a range in which all later arithmetic stays finite.
//
// Comparisons are written so that a NaN fails them.

typedef struct checker {
    hem_trimesh_view* view;
    hem_trimesh_fault_place* fault;
} checker;

static hem_trimesh_result fail(checker* c, hem_trimesh_result result, const char* array, uint64_t element,
                               const char* field) {
    c->fault->array = array;
    c->fault->element = (uint32_t)element;
    c->fault->field = field;
    return result;
}

static int is_zero(const void* bytes, uint64_t size) {
    const uint8_t* p = (const uint8_t*)bytes;
    for (uint64_t i = 0; i < size; ++i) {
        if (p[i] != 0) {
            return 0;
        }
    }
    return 1;
}

static int in_range(float x, float limit) {
    return x >= -limit && x <= limit;
}

static uint64_t align_up(uint64_t x) {
    return (x + (HEM_ALIGNMENT - 1)) & ~(uint64_t)(HEM_ALIGNMENT - 1);
}

void hem_trimesh_lay_out(uint32_t vertex_count, uint32_t triangle_count, uint32_t edge_count, int skinned,
                         hem_trimesh_layout* layout) {
    uint32_t block_count = triangle_count / 8 + (triangle_count % 8 != 0);
    layout->block_count = block_count;
    layout->level_count = 0;
    layout->node_count = 0;
    uint32_t below = block_count;
    do {
        layout->level_begin[layout->level_count++] = layout->node_count;
        below = below / 8 + (below % 8 != 0);
        layout->node_count += below;
    } while (below > 1);
    for (uint32_t level = layout->level_count; level <= HEM_TRIMESH_MAX_LEVELS; ++level) {
        layout->level_begin[level] = layout->node_count;
    }
    layout->vertices = align_up(sizeof(hem_trimesh_header));
    layout->binds = align_up(layout->vertices + (uint64_t)vertex_count * sizeof(hem_trimesh_vertex));
    layout->corners = align_up(layout->binds + (skinned ? (uint64_t)vertex_count * sizeof(hem_trimesh_bind) : 0));
    layout->names = align_up(layout->corners + (uint64_t)block_count * sizeof(hem_trimesh_corners));
    layout->edges = align_up(layout->names + (uint64_t)block_count * sizeof(hem_trimesh_names));
    layout->nodes = align_up(layout->edges + (uint64_t)edge_count * sizeof(hem_trimesh_edge));
    layout->slabs = align_up(layout->nodes + (uint64_t)layout->node_count * sizeof(hem_trimesh_node));
    const uint64_t slab_count = skinned ? 0 : layout->node_count;
    layout->size = align_up(layout->slabs + slab_count * sizeof(hem_trimesh_slab));
}

void hem_trimesh_reach(const hem_trimesh_corners* corners, uint32_t count, const float normal[3], const float origin[3],
                       float* least, float* most) {
    *least = HEM_TRIMESH_NOWHERE;
    *most = -HEM_TRIMESH_NOWHERE;
    for (uint32_t i = 0; i < 3 * count; ++i) {
        const float(*at)[8] = corners[i / 3].at[i % 3];
        for (int lane = 0; lane < 8; ++lane) {
            const float along = normal[0] * (at[0][lane] - origin[0]) + normal[1] * (at[1][lane] - origin[1]) +
                                normal[2] * (at[2][lane] - origin[2]);
            *least = along < *least ? along : *least;
            *most = along > *most ? along : *most;
        }
    }
}

uint64_t hem_trimesh_field_size(uint32_t columns, uint32_t rows) {
    return align_up(sizeof(hem_trimesh_header)) + align_up((uint64_t)columns * rows * sizeof(float));
}

// All three heights are ground: of the triangle at (0, 0) of each cell, and of that at (1, 1).
uint32_t hem_trimesh_field_triangles(uint32_t columns, uint32_t rows, const float* heights) {
    uint32_t count = 0;
    for (uint32_t r = 0; r + 1 < rows; ++r) {
        const float *y = heights + (size_t)r * columns, *next = y + columns;
        for (uint32_t c = 0; c + 1 < columns; ++c) {
            const int both = y[c + 1] < HEM_TRIMESH_NOWHERE && next[c] < HEM_TRIMESH_NOWHERE;
            count +=
                (uint32_t)(both && y[c] < HEM_TRIMESH_NOWHERE) + (uint32_t)(both && next[c + 1] < HEM_TRIMESH_NOWHERE);
        }
    }
    return count;
}

static void see_field(const hem_trimesh_header* h, hem_trimesh_view* view) {
    memset(view, 0, sizeof *view);
    view->header = h;
    view->heights = (const float*)(const void*)((const uint8_t*)h + align_up(sizeof(hem_trimesh_header)));
    do {
        ++view->level_count;
    } while (h->columns - 1 > 1u << hem_trimesh_columns_bits(view->level_count) ||
             h->rows - 1 > 1u << hem_trimesh_rows_bits(view->level_count));
    view->block_count = 1u << (3 * view->level_count);
}

void hem_trimesh_see(const void* bytes, hem_trimesh_view* view) {
    const uint8_t* base = (const uint8_t*)bytes;
    const hem_trimesh_header* h = (const hem_trimesh_header*)bytes;
    if (h->flags & HEM_TRIMESH_FIELD) {
        see_field(h, view);
        return;
    }
    hem_trimesh_layout layout;
    int skinned = (h->flags & HEM_TRIMESH_SKINNED) != 0;
    hem_trimesh_lay_out(h->vertex_count, h->triangle_count, h->edge_count, skinned, &layout);
    view->header = h;
    view->vertices = (const hem_trimesh_vertex*)(base + layout.vertices);
    view->binds = skinned ? (const hem_trimesh_bind*)(base + layout.binds) : NULL;
    view->corners = (const hem_trimesh_corners*)(base + layout.corners);
    view->names = (const hem_trimesh_names*)(base + layout.names);
    view->edges = (const hem_trimesh_edge*)(base + layout.edges);
    view->nodes = (const hem_trimesh_node*)(base + layout.nodes);
    view->slabs = skinned ? NULL : (const hem_trimesh_slab*)(base + layout.slabs);
    view->heights = NULL;
    view->block_count = layout.block_count;
    view->node_count = layout.node_count;
    view->level_count = layout.level_count;
    memcpy(view->level_begin, layout.level_begin, sizeof view->level_begin);
}

static int is_good_side(uint32_t count, float cell) {
    return count >= 2 && count <= HEM_TRIMESH_MAX_SIDE && cell >= HEM_TRIMESH_LEAST_CELL &&
           (float)(count - 1) * cell <= HEM_TRIMESH_MAX_METRES;
}

// What a header says of a height field, before the size of the file is known to fit.
static hem_trimesh_result check_field(checker* c, const hem_trimesh_header* h) {
    if ((h->flags & ~(uint32_t)HEM_TRIMESH_TWO_SIDED) != HEM_TRIMESH_FIELD) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "flags");
    }
    if (h->bone_count != 0) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "bone_count");
    }
    if (!is_good_side(h->columns, h->cell[0])) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "columns");
    }
    if (!is_good_side(h->rows, h->cell[1])) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "rows");
    }
    if (h->vertex_count != h->columns * h->rows) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "vertex_count");
    }
    if (h->edge_count != 0 || h->border_count != 0) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "edge_count");
    }
    return HEM_TRIMESH_OK;
}

static hem_trimesh_result check_heights(checker* c) {
    const hem_trimesh_header* h = c->view->header;
    const uint32_t count = h->vertex_count;
    float low = HEM_TRIMESH_NOWHERE, high = -HEM_TRIMESH_NOWHERE;
    const float* y = c->view->heights;
    for (uint32_t i = 0; i < count; ++i) {
        const int ground = in_range(y[i], HEM_TRIMESH_MAX_METRES);
        if (!ground && y[i] != HEM_TRIMESH_NOWHERE) {
            return fail(c, HEM_TRIMESH_BAD_VALUE, "heights", i, "height");
        }
        low = ground && y[i] < low ? y[i] : low;
        high = ground && y[i] > high ? y[i] : high;
    }
    const uint32_t triangles = hem_trimesh_field_triangles(h->columns, h->rows, y);
    if (triangles == 0 || triangles != h->triangle_count) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "triangle_count");
    }
    const float least[3] = {0.0f, low, 0.0f};
    const float most[3] = {(float)(h->columns - 1) * h->cell[0], high, (float)(h->rows - 1) * h->cell[1]};
    for (int k = 0; k < 3; ++k) {
        if (h->low[k] != least[k] || h->high[k] != most[k]) {
            return fail(c, HEM_TRIMESH_BAD_VALUE, "header", 0, "low");
        }
    }
    return is_zero(y + count, align_up((uint64_t)count * 4) - (uint64_t)count * 4)
               ? HEM_TRIMESH_OK
               : fail(c, HEM_TRIMESH_BAD_VALUE, "heights", 0, "gap");
}

static hem_trimesh_result check_counts(checker* c, const hem_trimesh_header* h, int skinned) {
    if (skinned != (h->bone_count != 0) || h->bone_count > HEM_MAX_BONES) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "bone_count");
    }
    if (h->triangle_count == 0 || h->triangle_count > HEM_TRIMESH_MAX_TRIANGLES) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "triangle_count");
    }
    if (h->vertex_count < 3 || h->vertex_count > 3 * h->triangle_count) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "vertex_count");
    }
    if (h->edge_count < 3 || h->edge_count > 3 * h->triangle_count) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "edge_count");
    }
    if (!is_zero(&h->columns, sizeof h->columns + sizeof h->rows + sizeof h->cell)) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "columns");
    }
    return HEM_TRIMESH_OK;
}

static hem_trimesh_result check_header(checker* c, const uint8_t* bytes, size_t size) {
    if (size < sizeof(hem_trimesh_header)) {
        return fail(c, HEM_TRIMESH_TOO_SHORT, "header", 0, "size");
    }
    const hem_trimesh_header* h = (const hem_trimesh_header*)bytes;
    for (size_t i = 0; i < sizeof h->magic; ++i) {
        if (h->magic[i] != (uint8_t)HEM_TRIMESH_MAGIC[i]) {
            return fail(c, HEM_TRIMESH_BAD_MAGIC, "header", 0, "magic");
        }
    }
    if (h->version != HEM_TRIMESH_VERSION) {
        return fail(c, HEM_TRIMESH_BAD_VERSION, "header", 0, "version");
    }
    if (h->header_size != sizeof(hem_trimesh_header)) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "header_size");
    }
    if (h->file_size > size) {
        return fail(c, HEM_TRIMESH_TOO_SHORT, "header", 0, "file_size");
    }
    const uint32_t known = HEM_TRIMESH_CLOSED | HEM_TRIMESH_TWO_SIDED | HEM_TRIMESH_SKINNED | HEM_TRIMESH_FIELD;
    int skinned = (h->flags & HEM_TRIMESH_SKINNED) != 0, field = (h->flags & HEM_TRIMESH_FIELD) != 0;
    if ((h->flags & ~known) != 0) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "flags");
    }
    hem_trimesh_result result = field ? check_field(c, h) : check_counts(c, h, skinned);
    if (result != HEM_TRIMESH_OK) {
        return result;
    }
    size_t length = 0;
    while (length < sizeof h->tool && h->tool[length] != 0) {
        ++length;
    }
    if (length == sizeof h->tool || !is_zero(h->tool + length, sizeof h->tool - length)) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "tool");
    }
    if (!is_zero(h->reserved, sizeof h->reserved)) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "reserved");
    }
    hem_trimesh_layout layout;
    if (field) {
        layout.size = hem_trimesh_field_size(h->columns, h->rows);
    } else {
        hem_trimesh_lay_out(h->vertex_count, h->triangle_count, h->edge_count, skinned, &layout);
    }
    if (h->file_size != layout.size || layout.size != size) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "file_size");
    }
    hem_trimesh_see(bytes, c->view);
    return HEM_TRIMESH_OK;
}

static hem_trimesh_result check_gaps(checker* c, const uint8_t* bytes) {
    const hem_trimesh_view* v = c->view;
    const hem_trimesh_header* h = v->header;
    const struct {
        const char* name;
        const void* begin;
        uint64_t size;
    } arrays[] = {{"vertices", v->vertices, (uint64_t)h->vertex_count * sizeof(hem_trimesh_vertex)},
                  {"binds", v->binds, (uint64_t)h->vertex_count * sizeof(hem_trimesh_bind)},
                  {"corners", v->corners, (uint64_t)v->block_count * sizeof(hem_trimesh_corners)},
                  {"names", v->names, (uint64_t)v->block_count * sizeof(hem_trimesh_names)},
                  {"edges", v->edges, (uint64_t)h->edge_count * sizeof(hem_trimesh_edge)},
                  {"nodes", v->nodes, (uint64_t)v->node_count * sizeof(hem_trimesh_node)},
                  {"slabs", v->slabs, (uint64_t)v->node_count * sizeof(hem_trimesh_slab)}};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        if (arrays[i].begin == NULL) {
            continue;
        }
        uint64_t end = (uint64_t)((const uint8_t*)arrays[i].begin - bytes) + arrays[i].size;
        if (!is_zero(bytes + end, align_up(end) - end)) {
            return fail(c, HEM_TRIMESH_BAD_VALUE, arrays[i].name, 0, "gap");
        }
    }
    return HEM_TRIMESH_OK;
}

static hem_trimesh_result check_vertices(checker* c) {
    const hem_trimesh_view* v = c->view;
    const hem_trimesh_header* h = v->header;
    float low[3] = {HEM_TRIMESH_NOWHERE, HEM_TRIMESH_NOWHERE, HEM_TRIMESH_NOWHERE};
    float high[3] = {-HEM_TRIMESH_NOWHERE, -HEM_TRIMESH_NOWHERE, -HEM_TRIMESH_NOWHERE};
    for (uint32_t i = 0; i < h->vertex_count; ++i) {
        const hem_trimesh_vertex* x = &v->vertices[i];
        for (int k = 0; k < 3; ++k) {
            if (!in_range(x->position[k], HEM_TRIMESH_MAX_METRES)) {
                return fail(c, HEM_TRIMESH_BAD_VALUE, "vertices", i, "position");
            }
            if (!in_range(x->normal[k], 1.01f)) {
                return fail(c, HEM_TRIMESH_BAD_VALUE, "vertices", i, "normal");
            }
            low[k] = x->position[k] < low[k] ? x->position[k] : low[k];
            high[k] = x->position[k] > high[k] ? x->position[k] : high[k];
        }
        if ((x->flags & ~(uint32_t)HEM_TRIMESH_VERTEX_OPEN) != 0) {
            return fail(c, HEM_TRIMESH_BAD_VALUE, "vertices", i, "flags");
        }
        if (x->reserved != 0) {
            return fail(c, HEM_TRIMESH_BAD_VALUE, "vertices", i, "reserved");
        }
        uint32_t sum = 0;
        for (int k = 0; k < 4 && v->binds != NULL; ++k) {
            sum += v->binds[i].weight[k];
            if (v->binds[i].bone[k] >= h->bone_count) {
                return fail(c, HEM_TRIMESH_BAD_INDEX, "binds", i, "bone");
            }
        }
        if (v->binds != NULL && sum != 65535) {
            return fail(c, HEM_TRIMESH_BAD_VALUE, "binds", i, "weight");
        }
    }
    for (int k = 0; k < 3; ++k) {
        if (h->low[k] != low[k] || h->high[k] != high[k]) {
            return fail(c, HEM_TRIMESH_BAD_VALUE, "header", 0, "low");
        }
    }
    return HEM_TRIMESH_OK;
}

// Corners are the vertices they name, pads the last triangle, edges those between the corners.
static hem_trimesh_result check_triangles(checker* c) {
    const hem_trimesh_view* v = c->view;
    const hem_trimesh_header* h = v->header;
    for (uint32_t t = 0; t < v->block_count * 8; ++t) {
        const hem_trimesh_names* names = &v->names[t / 8];
        const hem_trimesh_corners* corners = &v->corners[t / 8];
        uint32_t lane = t % 8, pads = t >= h->triangle_count;
        uint32_t last_lane = (h->triangle_count - 1) % 8;
        for (int k = 0; k < 3; ++k) {
            uint32_t vertex = names->vertex[k][lane], edge = names->edge[k][lane];
            if (vertex >= h->vertex_count) {
                return fail(c, HEM_TRIMESH_BAD_INDEX, "names", t, "vertex");
            }
            if (edge >= h->edge_count) {
                return fail(c, HEM_TRIMESH_BAD_INDEX, "names", t, "edge");
            }
            if (pads && (vertex != names->vertex[k][last_lane] || edge != names->edge[k][last_lane])) {
                return fail(c, HEM_TRIMESH_BAD_VALUE, "names", t, "pad");
            }
            for (int axis = 0; axis < 3; ++axis) {
                if (corners->at[k][axis][lane] != v->vertices[vertex].position[axis]) {
                    return fail(c, HEM_TRIMESH_BAD_VALUE, "corners", t, "at");
                }
            }
        }
        for (int k = 0; k < 3; ++k) {
            uint32_t a = names->vertex[k][lane], b = names->vertex[(k + 1) % 3][lane];
            const hem_trimesh_edge* e = &v->edges[names->edge[k][lane]];
            if (a == b) {
                return fail(c, HEM_TRIMESH_BAD_VALUE, "names", t, "vertex");
            }
            if (e->vertex[0] != (a < b ? a : b) || e->vertex[1] != (a < b ? b : a)) {
                return fail(c, HEM_TRIMESH_BAD_VALUE, "names", t, "edge");
            }
        }
    }
    return HEM_TRIMESH_OK;
}

static int has_edge(const hem_trimesh_view* v, uint32_t triangle, uint32_t edge) {
    const hem_trimesh_names* names = &v->names[triangle / 8];
    uint32_t lane = triangle % 8;
    return names->edge[0][lane] == edge || names->edge[1][lane] == edge || names->edge[2][lane] == edge;
}

static hem_trimesh_result check_edges(checker* c) {
    const hem_trimesh_view* v = c->view;
    const hem_trimesh_header* h = v->header;
    uint32_t border = 0, torn = 0;
    for (uint32_t i = 0; i < h->edge_count; ++i) {
        const hem_trimesh_edge* e = &v->edges[i];
        if (e->vertex[0] >= e->vertex[1] || e->vertex[1] >= h->vertex_count) {
            return fail(c, HEM_TRIMESH_BAD_INDEX, "edges", i, "vertex");
        }
        int open = e->triangle[1] == (uint32_t)HEM_NONE;
        if (e->triangle[0] >= h->triangle_count || !has_edge(v, e->triangle[0], i) ||
            (!open && (e->triangle[1] >= h->triangle_count || e->triangle[1] <= e->triangle[0] ||
                       !has_edge(v, e->triangle[1], i)))) {
            return fail(c, HEM_TRIMESH_BAD_INDEX, "edges", i, "triangle");
        }
        if (!in_range(e->normal[0], 1.01f) || !in_range(e->normal[1], 1.01f) || !in_range(e->normal[2], 1.01f)) {
            return fail(c, HEM_TRIMESH_BAD_VALUE, "edges", i, "normal");
        }
        uint32_t bend = e->flags & (HEM_TRIMESH_EDGE_CONVEX | HEM_TRIMESH_EDGE_CONCAVE);
        uint32_t odd = e->flags & (HEM_TRIMESH_EDGE_BORDER | HEM_TRIMESH_EDGE_TORN);
        if (e->flags != (bend | odd) || bend == 3 || (odd != 0 && bend != 0) ||
            open != (odd == HEM_TRIMESH_EDGE_BORDER) || odd == (HEM_TRIMESH_EDGE_BORDER | HEM_TRIMESH_EDGE_TORN)) {
            return fail(c, HEM_TRIMESH_BAD_VALUE, "edges", i, "flags");
        }
        int loose = odd != 0;
        for (int k = 0; k < 2; ++k) {
            if (loose && !(v->vertices[e->vertex[k]].flags & HEM_TRIMESH_VERTEX_OPEN)) {
                return fail(c, HEM_TRIMESH_BAD_VALUE, "vertices", e->vertex[k], "flags");
            }
        }
        border += (uint32_t)open;
        torn += odd == HEM_TRIMESH_EDGE_TORN;
    }
    if (border != h->border_count) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "border_count");
    }
    if ((border + torn == 0) != ((h->flags & HEM_TRIMESH_CLOSED) != 0)) {
        return fail(c, HEM_TRIMESH_BAD_HEADER, "header", 0, "flags");
    }
    return HEM_TRIMESH_OK;
}

static void box_of_block(const hem_trimesh_corners* corners, int axis, float* low, float* high) {
    for (int k = 0; k < 3; ++k) {
        for (int lane = 0; lane < 8; ++lane) {
            float x = corners->at[k][axis][lane];
            *low = x < *low ? x : *low;
            *high = x > *high ? x : *high;
        }
    }
}

static void box_of_node(const hem_trimesh_node* node, int axis, float* low, float* high) {
    for (int lane = 0; lane < 8; ++lane) {
        *low = node->low[axis][lane] < *low ? node->low[axis][lane] : *low;
        *high = node->high[axis][lane] > *high ? node->high[axis][lane] : *high;
    }
}

static hem_trimesh_result check_nodes(checker* c) {
    const hem_trimesh_view* v = c->view;
    for (uint32_t level = 0; level < v->level_count; ++level) {
        uint32_t begin = v->level_begin[level], end = v->level_begin[level + 1];
        uint32_t below = level == 0 ? v->block_count : begin - v->level_begin[level - 1];
        for (uint32_t i = 0; i < (end - begin) * 8; ++i) {
            const hem_trimesh_node* node = &v->nodes[begin + i / 8];
            for (int axis = 0; axis < 3; ++axis) {
                float low = HEM_TRIMESH_NOWHERE, high = -HEM_TRIMESH_NOWHERE;
                if (i < below && level == 0) {
                    box_of_block(&v->corners[i], axis, &low, &high);
                } else if (i < below) {
                    box_of_node(&v->nodes[v->level_begin[level - 1] + i], axis, &low, &high);
                }
                if (node->low[axis][i % 8] != low || node->high[axis][i % 8] != high) {
                    return fail(c, HEM_TRIMESH_BAD_VALUE, "nodes", begin + i / 8, "box");
                }
            }
        }
    }
    return HEM_TRIMESH_OK;
}

// The direction may be any; what follows from it has one right value.
static hem_trimesh_result check_slabs(checker* c) {
    const hem_trimesh_view* v = c->view;
    for (uint32_t level = 0; v->slabs != NULL && level < v->level_count; ++level) {
        const uint32_t begin = v->level_begin[level], end = v->level_begin[level + 1], blocks = 1u << (3 * level);
        for (uint32_t i = 0; i < (end - begin) * 8; ++i) {
            const uint32_t at = begin + i / 8, lane = i % 8;
            const hem_trimesh_slab* slab = &v->slabs[at];
            const float n[3] = {slab->normal[0][lane], slab->normal[1][lane], slab->normal[2][lane]};
            const float(*low)[8] = v->nodes[at].low;
            const float origin[3] = {low[0][lane], low[1][lane], low[2][lane]};
            const uint64_t first = (uint64_t)i * blocks;
            float least = 0.0f, most = 0.0f;
            if (!(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] <= (first < v->block_count ? 1.0f + 1e-6f : 0.0f))) {
                return fail(c, HEM_TRIMESH_BAD_VALUE, "slabs", at, "normal");
            }
            if (first < v->block_count) {
                const uint64_t left = v->block_count - first;
                hem_trimesh_reach(&v->corners[first], left < blocks ? (uint32_t)left : blocks, n, origin, &least,
                                  &most);
            }
            if (slab->least[lane] != least || slab->most[lane] != most) {
                return fail(c, HEM_TRIMESH_BAD_VALUE, "slabs", at, "reach");
            }
        }
    }
    return HEM_TRIMESH_OK;
}

hem_trimesh_result hem_trimesh_validate(const void* bytes, size_t size, hem_trimesh_view* view,
                                        hem_trimesh_fault_place* fault) {
    hem_trimesh_fault_place unused;
    checker c = {view, fault != NULL ? fault : &unused};
    memset(view, 0, sizeof *view);
    c.fault->array = c.fault->field = NULL;
    c.fault->element = 0;
    if (((uintptr_t)bytes & (HEM_ALIGNMENT - 1)) != 0) {
        return fail(&c, HEM_TRIMESH_MISALIGNED, "header", 0, "bytes");
    }
    hem_trimesh_result result = check_header(&c, (const uint8_t*)bytes, size);
    if (result == HEM_TRIMESH_OK && view->heights != NULL) {
        result = check_heights(&c);
        if (result != HEM_TRIMESH_OK) {
            memset(view, 0, sizeof *view);
        }
        return result;
    }
    result = result == HEM_TRIMESH_OK ? check_gaps(&c, (const uint8_t*)bytes) : result;
    result = result == HEM_TRIMESH_OK ? check_vertices(&c) : result;
    result = result == HEM_TRIMESH_OK ? check_triangles(&c) : result;
    result = result == HEM_TRIMESH_OK ? check_edges(&c) : result;
    result = result == HEM_TRIMESH_OK ? check_nodes(&c) : result;
    result = result == HEM_TRIMESH_OK ? check_slabs(&c) : result;
    if (result != HEM_TRIMESH_OK) {
        memset(view, 0, sizeof *view);
    }
    return result;
}

const char* hem_trimesh_result_text(hem_trimesh_result result) {
    switch (result) {
#define TEXT(name, value, text)                                                                                        \
    case name:                                                                                                         \
        return text;
        HEM_TRIMESH_RESULTS(TEXT)
#undef TEXT
    }
    return "unknown result";
}
