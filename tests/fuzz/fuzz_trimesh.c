// SPDX-License-Identifier: MIT

// Any bytes into the validator of .hemmesh; what it accepts is walked through and asked by particles. And any triangles into
// the builder; what it makes must be valid.
//
// The first byte modulo 3: 0 = the rest is the file; 1 = the rest is a list of patches, each an offset (3 bytes, modulo the
// size) and a 32-bit word, applied to a valid mesh; 2 = the rest is floats, three per vertex, nine per triangle. With bit 3
// it is a height field, of floats nine a row.

#include "runtime/src/kernels/kernels.h"
#include "tests/formats/trimesh_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static volatile float sink;

static void look(const uint8_t* bytes, size_t size) {
    hem_trimesh_view view;
    hem_trimesh_fault_place fault;
    if (hem_trimesh_validate(bytes, size, &view, &fault) != HEM_TRIMESH_OK) {
        if (fault.field == NULL || fault.array == NULL || view.header != NULL) {
            abort(); // a refusal names its field and gives no view
        }
        return;
    }
    sink = walk_mesh(&view);
    hemi_mesh_shape shape = {.view = &view, .nodes = view.nodes, .corners = view.corners, .now = 1};
    hemi_mesh_touch touch;
    memset(&touch, 0, sizeof(touch));
    for (int lane = 0; lane < 8; ++lane) {
        uint32_t v = (uint32_t)lane * 7 % view.header->vertex_count, columns = view.header->columns;
        const float at[3] = {view.heights ? (float)(v % columns) * view.header->cell[0] : view.vertices[v].position[0],
                             view.heights ? view.heights[v] : view.vertices[v].position[1],
                             view.heights ? (float)(v / columns) * view.header->cell[1] : view.vertices[v].position[2]};
        touch.from.x[lane] = at[0];
        touch.from.y[lane] = at[1] + 1;
        touch.to.y[lane] = at[1] - 1;
        touch.to.z[lane] = lane == 3 ? (float)strtod("nan", NULL) : at[2];
        touch.margin[lane] = 0.1f;
    }
    uint32_t hit = hemi_kernels_choose(HEM_KERNEL_AUTO)->touch_mesh(&shape, &touch, 0xff);
    if (hit & 8) {
        abort(); // NaN touches nothing
    }
}

static void build_field(const uint8_t* data, size_t size) {
    hem_trimesh_field_def def = hem_trimesh_field_def_default();
    float y[9 * 64];
    def.columns = 9;
    def.rows = (uint32_t)(size / 36 < 64 ? size / 36 : 64);
    memcpy(y, data, (size_t)def.rows * 36);
    def.heights = y;
    hem_memory need;
    if (hem_trimesh_measure_field(&def, &need) != HEM_OK) {
        return;
    }
    void* room = aligned_alloc(64, need.size);
    if (hem_trimesh_build_field(&def, room, need.size, NULL) == HEM_OK) {
        look(room, need.size);
        hem_trimesh mesh;
        if (hem_trimesh_open(&mesh, room, need.size) != HEM_OK) {
            abort();
        }
    }
    free(room);
}

static void build(const uint8_t* data, size_t size) {
    hem_trimesh_def def = hem_trimesh_def_default();
    float p[3 * 256];
    size_t count = size / 12 < 256 ? size / 12 : 256;
    memcpy(p, data, count * 12);
    def.positions = p;
    def.vertex_count = (uint32_t)count;
    def.triangle_count = (uint32_t)count / 3;
    hem_memory need, aside;
    if (hem_trimesh_measure(&def, &need, &aside) != HEM_OK) {
        return;
    }
    void *room = aligned_alloc(64, need.size), *scratch = aligned_alloc(64, aside.size);
    hem_trimesh_report report;
    if (hem_trimesh_build(&def, room, need.size, scratch, aside.size, &report) == HEM_OK) {
        hem_trimesh mesh;
        if (hem_trimesh_open(&mesh, room, report.size) != HEM_OK) {
            abort();
        }
        look(room, report.size);
    }
    free(room);
    free(scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) {
        return 0;
    }
    const int field = data[0] & 8;
    if (data[0] % 3 == 2) {
        (field ? build_field : build)(data + 1, size - 1);
        return 0;
    }
    mesh_file m = field ? field_file_make() : mesh_file_make(data[0] & 4);
    if (data[0] % 3 == 0) {
        free(m.bytes);
        m.size = size - 1;
        m.bytes = aligned_alloc(64, (m.size + 63) / 64 * 64 + 64);
        memcpy(m.bytes, data + 1, m.size);
    }
    for (size_t at = 1; data[0] % 3 == 1 && at + 7 <= size && at < 7 * 64; at += 7) {
        size_t offset = (data[at] | (size_t)data[at + 1] << 8 | (size_t)data[at + 2] << 16) % (m.size - 3);
        memcpy(m.bytes + offset, data + at + 3, 4);
    }
    look(m.bytes, m.size);
    free(m.bytes);
    return 0;
}
