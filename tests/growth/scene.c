// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The scene of tools/growth, in any size: what hemc has a generator and a placement for, once each.
//
//   scene OUT.glb OUT.json FACTOR
//
// A wavy curtain and a flared skirt (cut planes; bands of columns, and columns that begin midway), a ball (scatter through
// the volume; no columns at all), hair (strands) and a body that leans, so that no box fits it well. FACTOR is 1, 4, 16:
// so many times as many triangles of the same shapes, and recipes that ask for so many times as many particles.

#define PI 3.14159265358979323846

typedef struct mesh {
    const char* name;
    float* positions; // 3 each
    uint32_t* indices;
    uint32_t vertex_count, index_count;
} mesh;

typedef struct point {
    double x, y, z;
} point;

typedef point (*shape)(double u, double v);

// u * v quads over the unit square; `piece` lets one mesh hold several sheets.
static void add_sheet(mesh* m, shape at, double piece, uint32_t u_count, uint32_t v_count) {
    const uint32_t row = u_count + 1, base = m->vertex_count;
    m->vertex_count += row * (v_count + 1);
    m->positions = realloc(m->positions, m->vertex_count * 3 * sizeof(float));
    m->indices = realloc(m->indices, (m->index_count + 6 * (size_t)u_count * v_count) * sizeof(uint32_t));
    for (uint32_t i = 0; i < row * (v_count + 1); ++i) {
        const point p = at(piece + (double)(i % row) / u_count, (double)(i / row) / v_count);
        float* to = m->positions + 3 * (size_t)(base + i);
        to[0] = (float)p.x, to[1] = (float)p.y, to[2] = (float)p.z;
    }
    for (uint32_t k = 0; k < u_count * v_count; ++k) {
        const uint32_t a = base + k / u_count * row + k % u_count;
        const uint32_t quad[6] = {a, a + row, a + 1, a + 1, a + row, a + row + 1};
        memcpy(m->indices + m->index_count, quad, sizeof quad);
        m->index_count += 6;
    }
}

static point curtain(double u, double v) {
    return (point){u - 0.5, 1.9 - 1.5 * v, 0.45 + 0.03 * sin(16.0 * PI * u)};
}

static point skirt(double u, double v) {
    const double radius = 0.17 + 0.28 * v;
    return (point){radius * sin(2.0 * PI * u), 1.0 - 0.6 * v, radius * cos(2.0 * PI * u)};
}

static point ball(double u, double v) {
    const double ring = 0.15 * sin(PI * v);
    return (point){ring * sin(2.0 * PI * u), 1.2 + 0.15 * cos(PI * v), 0.35 + ring * cos(2.0 * PI * u)};
}

static point body(double u, double v) { // an egg, leaning
    const double ring = 0.15 * sin(PI * v), up = 0.7 * cos(PI * v);
    return (point){ring * sin(2.0 * PI * u) + 0.2 * up, 1.0 + up, ring * cos(2.0 * PI * u) - 0.1 * up};
}

static uint32_t lock_count;

static point hair(double u, double v) { // twice the lock's number + share of its width; seeds of a sunflower
    const double number = floor(0.5 * u), angle = 2.39996 * number, out = 0.14 * sqrt((number + 0.5) / lock_count);
    const double side = (u - 2.0 * number - 0.5) * 0.1 / sqrt(lock_count);
    return (point){0.16 + out * sin(angle) + side * cos(angle), 1.75 - 0.5 * v,
                   out * cos(angle) - side * sin(angle) - 0.1};
}

static void put(FILE* file, const void* bytes, size_t size) {
    if (fwrite(bytes, 1, size, file) != size) {
        fprintf(stderr, "scene: cannot write\n");
        exit(1);
    }
}

static void put_u32(FILE* file, uint32_t value) {
    const uint8_t little[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    put(file, little, 4);
}

static void write_glb(FILE* file, const mesh* meshes, uint32_t count) {
    static char json[16384];
    char views[2048] = "", accessors[4096] = "", mesh_text[2048] = "", nodes[1024] = "", roots[64] = "";
    size_t offset = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const mesh* m = &meshes[i];
        const size_t sizes[2] = {m->vertex_count * 12, m->index_count * 4};
        const char* comma = i == 0 ? "" : ",";
        float low[3], high[3];
        for (uint32_t k = 0; k < m->vertex_count * 3; ++k) {
            const float v = m->positions[k];
            low[k % 3] = k < 3 || v < low[k % 3] ? v : low[k % 3];
            high[k % 3] = k < 3 || v > high[k % 3] ? v : high[k % 3];
        }
        sprintf(views + strlen(views), "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", comma, offset,
                sizes[0]);
        sprintf(views + strlen(views), ",{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", offset + sizes[0],
                sizes[1]);
        offset += sizes[0] + sizes[1];
        sprintf(accessors + strlen(accessors),
                "%s{\"bufferView\":%u,\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\",\"min\":[%.9g,%.9g,%.9g],"
                "\"max\":[%.9g,%.9g,%.9g]},{\"bufferView\":%u,\"componentType\":5125,\"count\":%u,\"type\":\"SCALAR\"}",
                comma, 2 * i, m->vertex_count, low[0], low[1], low[2], high[0], high[1], high[2], 2 * i + 1,
                m->index_count);
        sprintf(mesh_text + strlen(mesh_text),
                "%s{\"name\":\"%s\",\"primitives\":[{\"attributes\":{\"POSITION\":%u},\"indices\":%u}]}", comma,
                m->name, 2 * i, 2 * i + 1);
        sprintf(nodes + strlen(nodes), "%s{\"name\":\"%s\",\"mesh\":%u}", comma, m->name, i);
        sprintf(roots + strlen(roots), "%s%u", comma, i);
    }
    int length = snprintf(json, sizeof json,
                          "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[%s]}],\"nodes\":[%s],"
                          "\"meshes\":[%s],\"accessors\":[%s],\"bufferViews\":[%s],\"buffers\":[{\"byteLength\":%zu}]}",
                          roots, nodes, mesh_text, accessors, views, offset);
    while (length % 4 != 0) {
        json[length++] = ' ';
    }
    put(file, "glTF", 4);
    put_u32(file, 2);
    put_u32(file, (uint32_t)(12 + 8 + (size_t)length + 8 + offset));
    put_u32(file, (uint32_t)length);
    put(file, "JSON", 4);
    put(file, json, (size_t)length);
    put_u32(file, (uint32_t)offset);
    put(file, "BIN", 4); // with the zero that ends the string
    for (uint32_t i = 0; i < count; ++i) {
        put(file, meshes[i].positions, meshes[i].vertex_count * 12);
        put(file, meshes[i].indices, meshes[i].index_count * 4);
    }
}

static void write_recipe(FILE* file, uint32_t factor, uint32_t step) {
    fprintf(file,
            "{ \"version\": 1, \"parts\": [\n"
            "{ \"name\": \"curtain\", \"select\": { \"mesh\": \"curtain\" }, \"generator\": \"cut\", \"axis\": \"y\","
            " \"spacing\": %.9g, \"attach\": { \"top\": 0.05 } },\n"
            "{ \"name\": \"skirt\", \"select\": { \"mesh\": \"skirt\" }, \"generator\": \"cut\", \"axis\": \"y\","
            " \"spacing\": %.9g },\n"
            "{ \"name\": \"ball\", \"select\": { \"mesh\": \"ball\" }, \"generator\": \"scatter\", \"kind\": \"soft\","
            " \"volume\": true, \"particles\": %u },\n"
            "{ \"name\": \"hair\", \"select\": { \"mesh\": \"hair\" }, \"generator\": \"strands\", \"guides\": %u,"
            " \"segments\": 9 } ],\n"
            "\"body\": { \"particles\": %u } }\n",
            0.066 / step, 0.06 / step, 175 * factor, 16 * factor, 200 * factor);
}

int main(int argc, char** argv) {
    const uint32_t factor = argc == 4 ? (uint32_t)atoi(argv[3]) : 0, step = (uint32_t)(sqrt(factor) + 0.5);
    if (factor == 0 || step * step != factor) {
        fprintf(stderr, "usage: scene OUT.glb OUT.json FACTOR (a square: 1, 4, 16)\n");
        return 2;
    }
    mesh meshes[5] = {{.name = "curtain"}, {.name = "skirt"}, {.name = "ball"}, {.name = "hair"}, {.name = "body"}};
    add_sheet(&meshes[0], curtain, 0, 24 * step, 36 * step);
    add_sheet(&meshes[1], skirt, 0, 32 * step, 16 * step);
    add_sheet(&meshes[2], ball, 0, 16 * step, 12 * step);
    lock_count = 16 * factor;
    for (uint32_t i = 0; i < lock_count; ++i) {
        add_sheet(&meshes[3], hair, 2.0 * i, 1, 8);
    }
    add_sheet(&meshes[4], body, 0, 24 * step, 24 * step);
    FILE* glb = fopen(argv[1], "wb");
    FILE* recipe = fopen(argv[2], "w");
    if (glb == NULL || recipe == NULL) {
        fprintf(stderr, "scene: cannot open %s or %s\n", argv[1], argv[2]);
        return 1;
    }
    write_glb(glb, meshes, 5);
    write_recipe(recipe, factor, step);
    return fclose(glb) != 0 || fclose(recipe) != 0;
}
