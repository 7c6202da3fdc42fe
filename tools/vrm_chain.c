// SPDX-License-Identifier: MIT
#include "tools/vrm_chain.h"
#include "tools/stage.h"
#include "compiler/hemc.h"
#include "platform/base.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE 60.0
#define ASIDE 0.1      // radians
#define THICK 0.012    // half of a lock
#define HEAD_HIGH 1.55 // where the chain begins
#define HEAD_SIDE 0.1  // half of the head's side
#define LOCK_AT 0.5    // where the chain begins beside it: nothing is there to meet

enum {
    FRAMES = 240,      // that a swing is looked at
    REST_FRAMES = 900, // until it hangs
    RINGS = 8,         // of a bone's length
    GRID = 16,         // of a side of the body
    MOST_RINGS = RINGS * VRM_CHAIN_MOST + 1,
    LOCK_VERTICES = 4 * MOST_RINGS,
    BODY_VERTICES = 6 * (GRID + 1) * (GRID + 1),
    MOST_VERTICES = 2 * BODY_VERTICES + LOCK_VERTICES,
    MOST_INDICES = 2 * 36 * GRID * GRID + 24 * MOST_RINGS + 12,
    TEXT_SIZE = 16384,
    SWINGS_MOST = 64
};

// -- The swing of either

// Of its half swings from its first way through rest on, each counted as its area; decay is the slope of the logarithms of these.
static void measure(const double y[FRAMES], vrm_swing* out) {
    double at[SWINGS_MOST + 1], area[SWINGS_MOST + 1], largest = 0, sum = 0;
    int crossings = 0;
    out->hz = out->decay = 0;
    for (int i = 1; i < FRAMES && crossings <= SWINGS_MOST; i++) {
        if ((y[i - 1] > 0) == (y[i] > 0)) {
            sum += 0.5 * fabs(y[i - 1] + y[i]);
            continue;
        }
        const double part = y[i - 1] / (y[i - 1] - y[i]);
        if (crossings > 0) {
            area[crossings - 1] = sum + 0.5 * part * fabs(y[i - 1]);
        }
        at[crossings++] = (i - 1 + part) / RATE;
        sum = 0.5 * (1 - part) * fabs(y[i]);
    }
    for (int i = 0; i + 1 < crossings; i++) {
        largest = fmax(largest, area[i]);
    }
    double weights = 0, t = 0, a = 0, tt = 0, ta = 0, turns = 0;
    int used = 0;
    for (; used + 1 < crossings && area[used] >= 0.02 * largest; used++) {
        const double w = area[used], time = 0.5 * (at[used] + at[used + 1]), size = log(w);
        weights += w, t += w * time, a += w * size, tt += w * time * time, ta += w * time * size;
        turns += w * 0.5 / (at[used + 1] - at[used]);
    }
    if (used >= 2) {
        out->hz = turns / weights;
        out->decay = -(weights * ta - t * a) / (weights * tt - t * t);
    }
}

// -- The formula

// At rest where its root is turned by ASIDE, then let go. tips: of the last tail from there on.
static void swing_reference(const vrm_chain* c, int frames, double (*tips)[2]) {
    const double dt = 1 / RATE;
    double tail[VRM_CHAIN_MOST][2], before[VRM_CHAIN_MOST][2];
    for (int k = 0; k < c->count; k++) {
        tail[k][0] = before[k][0] = (k + 1) * c->length * cos(c->slope + ASIDE);
        tail[k][1] = before[k][1] = (k + 1) * c->length * sin(c->slope + ASIDE);
    }
    for (int f = -REST_FRAMES; f < frames; f++) {
        const double slope = c->slope + (f < 0 ? ASIDE : 0);
        double lead[2] = {cos(slope), sin(slope)}, from[2] = {0, 0};
        if (f >= 0) {
            memcpy(tips[f], tail[c->count - 1], sizeof(tips[f]));
        }
        for (int k = 0; k < c->count; k++) {
            double next[2], size = 0;
            for (int i = 0; i < 2; i++) {
                next[i] = tail[k][i] + (tail[k][i] - before[k][i]) * (1 - c->drag) + dt * c->stiffness * lead[i] -
                          (i == 1 ? dt * c->gravity : 0) - from[i];
                size += next[i] * next[i];
            }
            for (int i = 0; i < 2; i++) {
                before[k][i] = tail[k][i];
                lead[i] = next[i] / sqrt(size);
                tail[k][i] = from[i] + c->length * lead[i];
                from[i] = tail[k][i];
            }
        }
    }
}

// Across the way from the root to the tip at rest.
static void swing_of(const vrm_chain* c, const double (*tips)[2], vrm_swing* out) {
    double y[FRAMES];
    const double *rest = tips[REST_FRAMES + FRAMES - 1], size = hypot(rest[0], rest[1]);
    for (int f = 0; f < FRAMES; f++) {
        y[f] = (rest[0] * (tips[f][1] - rest[1]) - rest[1] * (tips[f][0] - rest[0])) / size;
    }
    measure(y, out);
    out->hang[0] = rest[0] - c->count * c->length * cos(c->slope);
    out->hang[1] = rest[1] - c->count * c->length * sin(c->slope);
}

void vrm_chain_reference(const vrm_chain* c, vrm_swing* out) {
    static double tips[FRAMES + REST_FRAMES][2];
    swing_reference(c, FRAMES + REST_FRAMES, tips);
    memset(out, 0, sizeof(*out));
    swing_of(c, (const double(*)[2])tips, out);
}

// -- The file

typedef struct model {
    float position[MOST_VERTICES][3];
    uint8_t joint[MOST_VERTICES][4];
    float weight[MOST_VERTICES][4];
    uint16_t index[2][MOST_INDICES];
    uint32_t vertices, indices[2];
    uint32_t tip; // the first of its last four
    char text[TEXT_SIZE];
} model;

static uint16_t add_vertex(model* m, double x, double y, double z, int joint, int other, double share) {
    const uint32_t v = m->vertices++;
    const float place[3] = {(float)x, (float)y, (float)z};
    memcpy(m->position[v], place, sizeof(place));
    m->joint[v][0] = (uint8_t)joint;
    m->joint[v][1] = share > 0 ? (uint8_t)other : 0;
    m->weight[v][0] = (float)(1 - share);
    m->weight[v][1] = (float)share;
    return (uint16_t)v;
}

static void add_quad(model* m, int mesh, uint16_t a, uint16_t b, uint16_t c, uint16_t d) {
    const uint16_t list[6] = {a, b, c, a, c, d};
    memcpy(m->index[mesh] + m->indices[mesh], list, sizeof(list));
    m->indices[mesh] += 6;
}

static void add_box(model* m, const double low[3], const double high[3], int joint) {
    for (int side = 0; side < 6; side++) {
        const int axis = side / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        const uint32_t begin = m->vertices;
        for (int i = 0; i <= GRID; i++) {
            for (int k = 0; k <= GRID; k++) {
                double p[3];
                p[axis] = side % 2 ? high[axis] : low[axis];
                p[u] = low[u] + (high[u] - low[u]) * i / GRID;
                p[v] = low[v] + (high[v] - low[v]) * k / GRID;
                add_vertex(m, p[0], p[1], p[2], joint, 0, 0);
            }
        }
        for (int i = 0; i < GRID; i++) {
            for (int k = 0; k < GRID; k++) {
                const uint32_t a = begin + (uint32_t)(i * (GRID + 1) + k), b = a + GRID + 1;
                add_quad(m, 0, (uint16_t)a, (uint16_t)(side % 2 ? b : a + 1), (uint16_t)(b + 1),
                         (uint16_t)(side % 2 ? a + 1 : b));
            }
        }
    }
}

// Joints: 0 hips, 1 head, 2 and on the chain, and where it ends.
static void add_lock(model* m, const vrm_chain* c) {
    const int rings = RINGS * c->count;
    for (int r = 0; r <= rings; r++) {
        const double along = c->length * r / RINGS;
        const int bone = r / RINGS < c->count ? r / RINGS : c->count - 1;
        const bool joint = r % RINGS == 0 && r < rings;
        m->tip = m->vertices;
        for (int k = 0; k < 4; k++) {
            const double side = THICK * (k == 0 || k == 3 ? -1 : 1), deep = THICK * (k < 2 ? -1 : 1);
            const double x = LOCK_AT + along * cos(c->slope) - side * sin(c->slope);
            const double y = HEAD_HIGH + along * sin(c->slope) + side * cos(c->slope);
            add_vertex(m, x, y, deep, 2 + bone, r == 0 ? 1 : 1 + bone, joint ? 0.5 : 0);
        }
        for (int k = 0; k < 4 && r > 0; k++) {
            const uint32_t a = m->tip + (uint32_t)k, b = m->tip + (uint32_t)(k + 1) % 4;
            add_quad(m, 1, (uint16_t)(a - 4), (uint16_t)(b - 4), (uint16_t)b, (uint16_t)a);
        }
    }
    const uint16_t t = (uint16_t)m->tip;
    add_quad(m, 1, t, (uint16_t)(t + 1), (uint16_t)(t + 2), (uint16_t)(t + 3));
}

HEM_PRINTF(3, 4)
static void say(model* m, size_t* used, const char* format, ...) {
    va_list list;
    va_start(list, format);
    const int more = vsnprintf(m->text + *used, TEXT_SIZE - *used, format, list);
    va_end(list);
    *used += more > 0 ? (size_t)more : 0;
}

static void write_json(model* m, const vrm_chain* c) {
    const uint32_t n = m->vertices, joints = (uint32_t)c->count + 3;
    const uint32_t sizes[7] = {n * 12, n * 4, n * 16, m->indices[0] * 2, m->indices[1] * 2, joints * 64, 0};
    size_t used = 0;
    uint32_t offset = 0;
    say(m, &used, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,%u,%u]}],", joints,
        joints + 1);
    say(m, &used,
        "\"nodes\":[{\"name\":\"Hips\",\"translation\":[0,0.9,0],\"children\":[1]},"
        "{\"name\":\"Head\",\"translation\":[0,%.9g,0],\"children\":[2]},",
        HEAD_HIGH - 0.9);
    for (int k = 0; k <= c->count; k++) {
        const double x = k == 0 ? LOCK_AT : c->length * cos(c->slope), y = k == 0 ? 0 : c->length * sin(c->slope);
        say(m, &used, "{\"name\":\"Lock%d\",\"translation\":[%.9g,%.9g,0]", k, x, y);
        say(m, &used, k < c->count ? ",\"children\":[%d]}," : "},", 3 + k);
    }
    say(m, &used, "{\"name\":\"Body\",\"mesh\":0,\"skin\":0},{\"name\":\"Lock\",\"mesh\":1,\"skin\":0}],\"meshes\":[");
    for (int mesh = 0; mesh < 2; mesh++) {
        say(m, &used,
            "%s{\"name\":\"%s\",\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,"
            "\"WEIGHTS_0\":2},\"indices\":%d}]}",
            mesh ? "," : "", mesh ? "Lock" : "Body", 3 + mesh);
    }
    say(m, &used, "],\"skins\":[{\"joints\":[");
    for (uint32_t k = 0; k < joints; k++) {
        say(m, &used, "%s%u", k ? "," : "", k);
    }
    say(m, &used, "],\"inverseBindMatrices\":5}],\"accessors\":[");
    static const char* const types[6] = {"VEC3", "VEC4", "VEC4", "SCALAR", "SCALAR", "MAT4"};
    static const int kinds[6] = {5126, 5121, 5126, 5123, 5123, 5126};
    const uint32_t counts[6] = {n, n, n, m->indices[0], m->indices[1], joints};
    for (int k = 0; k < 6; k++) {
        say(m, &used, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%u,\"type\":\"%s\"%s}", k ? "," : "", k,
            kinds[k], counts[k], types[k], k == 0 ? ",\"min\":[-3,-3,-3],\"max\":[3,3,3]" : "");
    }
    say(m, &used, "],\"bufferViews\":[");
    for (int k = 0; k < 6; k++) {
        say(m, &used, "%s{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u}", k ? "," : "", offset, sizes[k]);
        offset += (sizes[k] + 3) / 4 * 4;
    }
    say(m, &used, "],\"buffers\":[{\"byteLength\":%u}],\"extensions\":{", offset);
#define NUMBERS "\"%s\":%.9g,\"dragForce\":%.9g,\"gravityPower\":%.9g,\"gravityDir\":%s"
    if (c->version == 0) {
        say(m, &used, "\"VRM\":{\"secondaryAnimation\":{\"boneGroups\":[{\"bones\":[2],");
        say(m, &used, NUMBERS, "stiffiness", c->stiffness, c->drag, c->gravity, "{\"x\":0,\"y\":-1,\"z\":0}");
        say(m, &used, "}]}}}}");
    } else {
        say(m, &used, "\"VRMC_springBone\":{\"specVersion\":\"1.0\",\"springs\":[{\"joints\":[");
        for (int k = 0; k <= c->count; k++) {
            say(m, &used, "%s{\"node\":%d,", k ? "," : "", 2 + k);
            say(m, &used, NUMBERS, "stiffness", c->stiffness, c->drag, c->gravity, "[0,-1,0]");
            say(m, &used, "}");
        }
        say(m, &used, "]}]}}}");
    }
    while (used % 4 != 0) {
        say(m, &used, " ");
    }
}

static void put(uint8_t** at, const void* from, size_t size) {
    memcpy(*at, from, size);
    memset(*at + size, 0, (4 - size % 4) % 4);
    *at += (size + 3) / 4 * 4;
}

static uint8_t* write_glb(const vrm_chain* c, size_t* size, uint32_t* tip) {
    model* m = calloc(1, sizeof(*m));
    if (m == NULL) {
        return NULL;
    }
    add_box(m, (const double[3]){-0.2, 0, -0.1}, (const double[3]){0.2, 1.4, 0.1}, 0);
    add_box(m, (const double[3]){-HEAD_SIDE, 1.4, -HEAD_SIDE}, (const double[3]){HEAD_SIDE, 1.7, HEAD_SIDE}, 1);
    add_lock(m, c);
    write_json(m, c);
    const uint32_t n = m->vertices, joints = (uint32_t)c->count + 3, text = (uint32_t)strlen(m->text);
    const size_t room = 64 + text + (size_t)n * 32 + 2 * (size_t)(m->indices[0] + m->indices[1]) + 64 * joints + 64;
    uint8_t *glb = calloc(1, room), *at = glb;
    if (glb != NULL) {
        at += 20;
        put(&at, m->text, text);
        uint8_t* chunk = at;
        at += 8;
        put(&at, m->position, 12 * (size_t)n);
        put(&at, m->joint, 4 * (size_t)n);
        put(&at, m->weight, 16 * (size_t)n);
        put(&at, m->index[0], 2 * (size_t)m->indices[0]);
        put(&at, m->index[1], 2 * (size_t)m->indices[1]);
        for (uint32_t k = 0; k < joints; k++) {
            const double along = k < 2 ? 0 : c->length * (k - 2);
            const float x = k < 2 ? 0 : (float)(LOCK_AT + along * cos(c->slope));
            const float y = k == 0 ? 0.9f : k == 1 ? (float)HEAD_HIGH : (float)(HEAD_HIGH + along * sin(c->slope));
            const float bind[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, 0, 1};
            put(&at, bind, sizeof(bind));
        }
        *size = (size_t)(at - glb);
        const uint32_t head[5] = {0x46546c67, 2, (uint32_t)*size, text, 0x4e4f534a};
        const uint32_t data[2] = {(uint32_t)(at - chunk) - 8, 0x004e4942};
        memcpy(glb, head, sizeof(head));
        memcpy(chunk, data, sizeof(data));
        *tip = n + m->tip; // both meshes have all vertices
    }
    free(m);
    return glb;
}

// -- The asset

static void tip_of(stage* s, float* places, uint32_t vertices, uint32_t tip, double out[2]) {
    const hem_skin_args args = {.vertex_count = vertices, .positions = places, .position_stride = 12};
    out[0] = out[1] = 0;
    if (hem_instance_skin(s->scene, s->id, &args) != HEM_OK) {
        return;
    }
    for (uint32_t k = 0; k < 4; k++) {
        out[0] += 0.25 * (double)places[3 * (tip + k)];
        out[1] += 0.25 * (double)places[3 * (tip + k) + 1];
    }
    out[0] -= LOCK_AT;
    out[1] -= HEAD_HIGH;
}

// The chain turned about its root by its uppermost bone.
static void set_pose(stage* s, uint32_t bones, double aside) {
    const float c = (float)cos(aside), n = (float)sin(aside), x = (float)LOCK_AT, y = (float)HEAD_HIGH;
    for (uint32_t b = 0; b < bones; b++) {
        const float still[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        const float turn[12] = {c, -n, 0, x - c * x + n * y, n, c, 0, y - n * x - c * y, 0, 0, 1, 0};
        const bool chain = strncmp(asset_text(s->source, s->source->view.bones[b].name_offset), "Lock", 4) == 0;
        memcpy(s->pose + 12 * b, chain ? turn : still, sizeof(turn));
    }
    hem_instance_set_pose(s->scene, s->id, s->pose, bones, 0);
}

bool vrm_chain_play(const vrm_chain* c, vrm_swing* out) {
    size_t size = 0, compiled_size = 0;
    uint32_t tip = 0;
    uint8_t *glb = write_glb(c, &size, &tip), *bytes = NULL;
    const hemc_job job = {.input = "chain.vrm", .input_bytes = glb, .input_size = size, .scale = 1, .verbosity = -1};
    asset a;
    stage s;
    memset(out, 0, sizeof(*out));
    bool good = glb != NULL && hemc_compile(&job, &bytes, &compiled_size) == 0;
    if (good && asset_from_bytes(&a, "chain", bytes, compiled_size) == 0) {
        float* places = calloc(a.view.info->vertex_count, 3 * sizeof(float));
        double(*tips)[2] = calloc(FRAMES + REST_FRAMES, sizeof(*tips));
        good = places != NULL && tips != NULL && stage_open(&s, &a);
        if (good) {
            good = stage_add(&s);
            set_pose(&s, a.view.info->bone_count, ASIDE);
            for (int f = 0; f < REST_FRAMES; f++) {
                stage_step(&s, 1 / RATE);
            }
            set_pose(&s, a.view.info->bone_count, 0);
            for (int f = 0; f < FRAMES + REST_FRAMES; f++) {
                tip_of(&s, places, a.view.info->vertex_count, tip, tips[f]);
                stage_step(&s, 1 / RATE);
            }
            swing_of(c, (const double(*)[2])tips, out);
            stage_close(&s);
        }
        free(places);
        free(tips);
        asset_unload(&a);
    } else {
        good = false;
    }
    hemc_free(bytes);
    free(glb);
    return good;
}
