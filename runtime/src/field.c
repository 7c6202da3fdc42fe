// SPDX-License-Identifier: MIT
// Height fields. Only heights are stored; a block of triangles is made of ten of them. The tree is that of a mesh, with the
// same numbers for children, but its boxes are worked out: how far they reach along x and z follows from the number, and
// what they hold is looked up for the lowest level alone, of 45 heights. Above that a box is as high as the field: ways of
// particles are short and go down, so that heights part nothing there.

#include "runtime/src/field.h"

#define FAR_AWAY 1e15f // metres: where triangles are that are missing

typedef struct cell {
    uint32_t x, z;
} cell;

// The first cell of a block (level 0) or of a node level - 1 levels above the blocks' own.
static cell cell_of(uint32_t level, uint32_t index) {
    cell at = {0, 0};
    for (; index; index >>= 3, ++level) {
        const uint32_t across = hem_trimesh_columns_bits(level + 1) - hem_trimesh_columns_bits(level);
        const uint32_t child = index & 7;
        at.x += (child & ((1u << across) - 1)) << hem_trimesh_columns_bits(level);
        at.z += (child >> across) << hem_trimesh_rows_bits(level);
    }
    return at;
}

static uint32_t block_of(cell at) {
    uint32_t index = 0;
    for (uint32_t level = 0; level < HEM_TRIMESH_MAX_LEVELS - 1; ++level) {
        const uint32_t across = hem_trimesh_columns_bits(level + 1) - hem_trimesh_columns_bits(level);
        const uint32_t x = at.x >> hem_trimesh_columns_bits(level) & ((1u << across) - 1);
        const uint32_t z = at.z >> hem_trimesh_rows_bits(level) & ((1u << (3 - across)) - 1);
        index |= (x | z << across) << (3 * level);
    }
    return index;
}

uint32_t hemi_field_block(uint32_t x, uint32_t z) {
    return block_of((cell){x, z});
}

static uint32_t triangle_of(cell at, uint32_t half) {
    return block_of(at) * 8 + half * 4 + at.x % 4;
}

static cell cell_of_triangle(uint32_t triangle, uint32_t* half) {
    cell at = cell_of(0, triangle / 8);
    at.x += triangle % 4;
    *half = triangle / 4 % 2;
    return at;
}

static hem_vec3 point(const hem_trimesh_view* v, uint32_t x, uint32_t z) {
    const hem_trimesh_header* h = v->header;
    return hem_vec3_make((float)x * h->cell[0], v->heights[(size_t)z * h->columns + x], (float)z * h->cell[1]);
}

// (x, z) of the corners of a cell's halves, counter-clockwise seen from above.
static const uint8_t CORNERS[2][3][2] = {{{0, 0}, {0, 1}, {1, 0}}, {{1, 0}, {0, 1}, {1, 1}}};

static int is_there(const hem_trimesh_view* v, cell at, uint32_t half) {
    if (at.x >= v->header->columns - 1 || at.z >= v->header->rows - 1) {
        return 0;
    }
    int ground = 1;
    for (int k = 0; k < 3; ++k) {
        const size_t row = (size_t)(at.z + CORNERS[half][k][1]) * v->header->columns;
        ground &= v->heights[row + at.x + CORNERS[half][k][0]] < HEM_TRIMESH_NOWHERE;
    }
    return ground;
}

int hemi_field_triangle(const hem_trimesh_view* v, uint32_t triangle, hem_vec3 corner[3]) {
    uint32_t half;
    const cell at = cell_of_triangle(triangle, &half);
    const int there = is_there(v, at, half);
    for (int k = 0; k < 3; ++k) {
        corner[k] = there ? point(v, at.x + CORNERS[half][k][0], at.z + CORNERS[half][k][1])
                          : hem_vec3_make(FAR_AWAY, FAR_AWAY, FAR_AWAY);
    }
    return there;
}

// Both triangles of a cell.
static void set_cell(hem_trimesh_corners* to, uint32_t c, const float x[2], const float z[2], const float y[2],
                     const float next[2]) {
    const uint32_t d = c + 4;
    to->at[0][0][c] = x[0], to->at[0][1][c] = y[0], to->at[0][2][c] = z[0];
    to->at[1][0][c] = x[0], to->at[1][1][c] = next[0], to->at[1][2][c] = z[1];
    to->at[2][0][c] = x[1], to->at[2][1][c] = y[1], to->at[2][2][c] = z[0];
    to->at[0][0][d] = x[1], to->at[0][1][d] = y[1], to->at[0][2][d] = z[0];
    to->at[1][0][d] = x[0], to->at[1][1][d] = next[0], to->at[1][2][d] = z[1];
    to->at[2][0][d] = x[1], to->at[2][1][d] = next[1], to->at[2][2][d] = z[1];
}

void hemi_field_corners(const hem_trimesh_view* v, uint32_t block, hem_trimesh_corners* corners) {
    const hem_trimesh_header* h = v->header;
    const cell first = cell_of(0, block);
    if (first.x + 4 < h->columns && first.z + 1 < h->rows) { // ten heights
        const float *y = v->heights + (size_t)first.z * h->columns + first.x, *next = y + h->columns;
        const float z[2] = {(float)first.z * h->cell[1], (float)(first.z + 1) * h->cell[1]};
        int holes = next[4] >= HEM_TRIMESH_NOWHERE || y[4] >= HEM_TRIMESH_NOWHERE;
        for (uint32_t c = 0; c < 4; ++c) {
            const float x[2] = {(float)(first.x + c) * h->cell[0], (float)(first.x + c + 1) * h->cell[0]};
            holes |= y[c] >= HEM_TRIMESH_NOWHERE || next[c] >= HEM_TRIMESH_NOWHERE;
            set_cell(corners, c, x, z, y + c, next + c);
        }
        if (!holes) {
            return;
        }
    }
    for (uint32_t lane = 0; lane < 8; ++lane) {
        const uint32_t half = lane / 4;
        const cell at = {first.x + lane % 4, first.z};
        const int there = is_there(v, at, half);
        for (int k = 0; k < 3; ++k) {
            const hem_vec3 p = there ? point(v, at.x + CORNERS[half][k][0], at.z + CORNERS[half][k][1])
                                     : hem_vec3_make(FAR_AWAY, FAR_AWAY, FAR_AWAY);
            corners->at[k][0][lane] = p.x;
            corners->at[k][1][lane] = p.y;
            corners->at[k][2][lane] = p.z;
        }
    }
}

static void empty_box(hem_trimesh_node* node, uint32_t child) {
    for (int axis = 0; axis < 3; ++axis) {
        node->low[axis][child] = HEM_TRIMESH_NOWHERE;
        node->high[axis][child] = -HEM_TRIMESH_NOWHERE;
    }
}

// Of the heights of a row, from column `first` to `last`.
static void row_range(const hem_trimesh_view* v, uint32_t row, uint32_t first, uint32_t last, float* low, float* high) {
    const float* y = v->heights + (size_t)row * v->header->columns;
    *low = HEM_TRIMESH_NOWHERE;
    *high = -HEM_TRIMESH_NOWHERE;
    for (uint32_t x = first; x <= last; ++x) {
        *low = y[x] < *low ? y[x] : *low;
        *high = y[x] < HEM_TRIMESH_NOWHERE && y[x] > *high ? y[x] : *high;
    }
}

void hemi_field_node(const hem_trimesh_view* v, uint32_t level, uint32_t index, hem_trimesh_node* node) {
    const hem_trimesh_header* h = v->header;
    const cell first = cell_of(level + 1, index);
    const uint32_t across = hem_trimesh_columns_bits(level + 1) - hem_trimesh_columns_bits(level);
    const uint32_t wide = 1u << hem_trimesh_columns_bits(level), deep = 1u << hem_trimesh_rows_bits(level);
    float low = h->low[1], high = h->high[1], next_low = low, next_high = high;
    for (uint32_t child = 0; child < 8; ++child) {
        const uint32_t x = first.x + (child & ((1u << across) - 1)) * wide, z = first.z + (child >> across) * deep;
        if (x >= h->columns - 1 || z >= h->rows - 1) {
            empty_box(node, child);
            continue;
        }
        const uint32_t x_end = x + wide < h->columns - 1 ? x + wide : h->columns - 1;
        const uint32_t z_end = z + deep < h->rows - 1 ? z + deep : h->rows - 1;
        if (level == 0) { // children are rows, one after the other
            if (child == 0) {
                row_range(v, z, x, x_end, &low, &high);
            } else {
                low = next_low, high = next_high;
            }
            row_range(v, z_end, x, x_end, &next_low, &next_high);
            low = hem_minf(low, next_low), high = hem_maxf(high, next_high);
            if (low > high) {
                empty_box(node, child);
                continue;
            }
        }
        node->low[0][child] = (float)x * h->cell[0], node->high[0][child] = (float)x_end * h->cell[0];
        node->low[1][child] = low, node->high[1][child] = high;
        node->low[2][child] = (float)z * h->cell[1], node->high[2][child] = (float)z_end * h->cell[1];
    }
}

// Where a triangle's edge leads to, and which corner of that triangle is not on the edge.
typedef struct across {
    int8_t x, z;
    uint8_t half, opposite;
} across;

static const across ACROSS[2][3] = {{{-1, 0, 1, 1}, {0, 0, 1, 2}, {0, -1, 1, 0}},
                                    {{0, 0, 0, 0}, {0, 1, 0, 1}, {1, 0, 0, 2}}};

hemi_mesh_edge hemi_field_edge(const hem_trimesh_view* v, uint32_t triangle, uint32_t k) {
    uint32_t half;
    const cell at = cell_of_triangle(triangle, &half);
    const across* to = &ACROSS[half][k];
    const cell beside = {at.x + (uint32_t)(int32_t)to->x, at.z + (uint32_t)(int32_t)to->z};
    if (!is_there(v, beside, to->half)) { // also left of column 0, which wraps around
        return (hemi_mesh_edge){{triangle, (uint32_t)HEM_NONE}, HEM_TRIMESH_EDGE_BORDER};
    }
    const uint32_t other = triangle_of(beside, to->half);
    hemi_mesh_edge edge = {{triangle < other ? triangle : other, triangle < other ? other : triangle}, 0};
    hem_vec3 here[3], there[3];
    hemi_field_triangle(v, triangle, here);
    hemi_field_triangle(v, other, there);
    const hem_vec3 n =
        hem_vec3_normalise(hem_vec3_cross(hem_vec3_sub(here[1], here[0]), hem_vec3_sub(here[2], here[0])));
    const float lean = hem_vec3_dot(n, hem_vec3_sub(there[to->opposite], here[k]));
    const float least = HEMI_BEND_SHARE * hem_vec3_length(hem_vec3_sub(here[k == 2 ? 0 : k + 1], here[k]));
    if (hem_absf(lean) > least) {
        edge.flags = lean < 0.0f ? HEM_TRIMESH_EDGE_CONVEX : HEM_TRIMESH_EDGE_CONCAVE;
    }
    return edge;
}

uint32_t hemi_field_vertex(const hem_trimesh_view* v, uint32_t triangle, uint32_t k) {
    uint32_t half;
    const cell at = cell_of_triangle(triangle, &half);
    return (at.z + CORNERS[half][k][1]) * v->header->columns + at.x + CORNERS[half][k][0];
}

int hemi_field_is_open(const hem_trimesh_view* v, uint32_t triangle, uint32_t k) {
    const uint32_t vertex = hemi_field_vertex(v, triangle, k);
    const uint32_t x = vertex % v->header->columns, z = vertex / v->header->columns;
    const cell last = {x, z}, left = {x - 1, z}, before = {x, z - 1}, first = {x - 1, z - 1};
    return !(is_there(v, last, 0) && is_there(v, left, 0) && is_there(v, left, 1) && is_there(v, before, 0) &&
             is_there(v, before, 1) && is_there(v, first, 1));
}

// -- Made in a game

hem_trimesh_field_def hem_trimesh_field_def_default(void) {
    hem_trimesh_field_def def;
    memset(&def, 0, sizeof(def));
    def.cookie = HEMI_FIELD_COOKIE;
    def.cell[0] = def.cell[1] = 1.0f;
    return def;
}

static int is_side(uint32_t count, float cell_size) {
    return cell_size >= HEM_TRIMESH_LEAST_CELL && (float)(count - 1) * cell_size <= HEM_TRIMESH_MAX_METRES;
}

hem_result hem_trimesh_measure_field(const hem_trimesh_field_def* def, hem_memory* mesh) {
    if (!def || !mesh || !def->heights) {
        return HEM_ERROR_NULL;
    }
    if (def->cookie != HEMI_FIELD_COOKIE) {
        return HEM_ERROR_COOKIE;
    }
    if (def->columns < 2 || def->columns > HEM_TRIMESH_MAX_SIDE || def->rows < 2 || def->rows > HEM_TRIMESH_MAX_SIDE) {
        return HEM_ERROR_COUNT;
    }
    if (!is_side(def->columns, def->cell[0]) || !is_side(def->rows, def->cell[1]) || def->stride % 4 != 0 ||
        (def->stride != 0 && def->stride < 4 * (size_t)def->columns)) {
        return HEM_ERROR_RANGE;
    }
    mesh->size = (size_t)hem_trimesh_field_size(def->columns, def->rows);
    mesh->align = HEM_ALIGNMENT;
    return HEM_OK;
}

hem_result hem_trimesh_build_field(const hem_trimesh_field_def* def, void* block, size_t size,
                                   hem_trimesh_report* report) {
    hem_memory need;
    hem_trimesh_report unused;
    const hem_result result = hem_trimesh_measure_field(def, &need);
    if (result != HEM_OK || !block) {
        return result != HEM_OK ? result : HEM_ERROR_NULL;
    }
    if (size < need.size || ((uintptr_t)block & (HEM_ALIGNMENT - 1)) != 0) {
        return HEM_ERROR_MEMORY;
    }
    report = report ? report : &unused;
    memset(report, 0, sizeof(*report));
    memset(block, 0, sizeof(hem_trimesh_header)); // no mesh until it is whole
    hem_trimesh_header head;
    memset(&head, 0, sizeof(head));
    float low = HEM_TRIMESH_NOWHERE, high = -HEM_TRIMESH_NOWHERE;
    const size_t row_bytes = 4 * (size_t)def->columns, stride = def->stride ? def->stride : row_bytes;
    float* heights = (float*)(void*)((uint8_t*)block + sizeof(head));
    for (uint32_t r = 0; r < def->rows; ++r) {
        float* to = heights + (size_t)r * def->columns;
        const float* from = (const float*)(const void*)((const uint8_t*)def->heights + r * stride);
        for (uint32_t c = 0; c < def->columns; ++c) {
            const float y = from[c];
            const int ground = y >= -HEM_TRIMESH_MAX_METRES && y <= HEM_TRIMESH_MAX_METRES;
            if (!ground && y != HEM_TRIMESH_NOWHERE) {
                report->bad_vertex = r * def->columns + c;
                return HEM_ERROR_RANGE;
            }
            low = ground && y < low ? y : low;
            high = ground && y > high ? y : high;
            to[c] = y;
        }
    }
    memset(heights + (size_t)def->rows * def->columns, 0, need.size - sizeof(head) - row_bytes * def->rows);
    head.triangle_count = hem_trimesh_field_triangles(def->columns, def->rows, heights);
    if (head.triangle_count == 0) {
        return HEM_ERROR_COUNT;
    }
    memcpy(head.magic, HEM_TRIMESH_MAGIC, sizeof(head.magic));
    head.version = HEM_TRIMESH_VERSION;
    head.header_size = sizeof(head);
    head.file_size = need.size;
    head.flags = HEM_TRIMESH_FIELD | (def->two_sided ? HEM_TRIMESH_TWO_SIDED : 0u);
    head.vertex_count = def->columns * def->rows;
    head.columns = def->columns;
    head.rows = def->rows;
    head.cell[0] = def->cell[0];
    head.cell[1] = def->cell[1];
    head.low[1] = low;
    head.high[0] = (float)(def->columns - 1) * def->cell[0];
    head.high[1] = high;
    head.high[2] = (float)(def->rows - 1) * def->cell[1];
    memcpy(block, &head, sizeof(head));
    report->size = need.size;
    return HEM_OK;
}
