// SPDX-License-Identifier: MIT
#include "tools/asset.h"
#include "tools/motion.h"
#include "tools/command.h"
#include "tools/options.h"
#include "tools/vec3.h"
#include "compiler/hemc.h"
#include "formats/hem_hash.h"
#include "platform/file.h"
#include "platform/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const PART_KINDS[] = {"cloth", "soft", "body"};

static bool same_extension(const char* path, const char* wanted) {
    const char* extension = hem_path_extension(path);
    size_t i = 0;
    for (; wanted[i] != 0; i++) {
        char c = extension[i];
        c = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
        if (c != wanted[i]) {
            return false;
        }
    }
    return extension[i] == 0;
}

static int take_bytes(asset* a, const uint8_t* source, size_t size) {
    a->block = malloc(size + HEM_ALIGNMENT);
    if (a->block == NULL) {
        return command_fail(COMMAND_INTERNAL, "no memory for the %zu bytes of '%s'", size, a->path);
    }
    a->data = (uint8_t*)(((uintptr_t)a->block + HEM_ALIGNMENT - 1) & ~(uintptr_t)(HEM_ALIGNMENT - 1));
    a->size = size;
    memcpy(a->data, source, size);
    return COMMAND_OK;
}

static int read_bytes(asset* a, const char* recipe) {
    if (same_extension(a->path, ".glb") || same_extension(a->path, ".gltf") || same_extension(a->path, ".vrm")) {
        const char* missing = !hem_file_exists(a->path)                    ? a->path
                              : recipe != NULL && !hem_file_exists(recipe) ? recipe
                                                                           : NULL;
        if (missing != NULL) {
            return command_fail(COMMAND_INPUT, "there is no file '%s'", missing);
        }
        const hemc_job job = {.input = a->path, .recipe = recipe};
        uint8_t* compiled = NULL;
        size_t size = 0;
        int code = hemc_compile(&job, &compiled, &size);
        if (code == COMMAND_OK) {
            code = take_bytes(a, compiled, size);
        }
        hemc_free(compiled);
        return code;
    }
    if (recipe != NULL) {
        return command_fail(COMMAND_USAGE, "--recipe is for glTF files; '%s' is compiled already", a->path);
    }
    hem_file_error error;
    hem_bytes file;
    if (!hem_file_read(a->path, &file, &error)) {
        return command_fail(COMMAND_INPUT, "%s", error.text);
    }
    int code = take_bytes(a, file.data, file.size);
    hem_bytes_free(&file);
    return code;
}

static int open_bytes(asset* a) {
    const char* path = a->path;
    hem_format_fault fault = {0};
    hem_format_result result = hem_validate(a->data, a->size, &a->view, &fault);
    if (result != HEM_FORMAT_OK) {
        asset_unload(a);
        int code =
            result == HEM_FORMAT_BAD_MAGIC || result == HEM_FORMAT_BAD_VERSION ? COMMAND_INPUT : COMMAND_VALIDATION;
        if (fault.field == NULL) {
            return command_fail(code, "'%s': %s", path, hem_format_result_text(result));
        }
        return command_fail(code, "'%s': section %s, element %u, %s: %s", path,
                            fault.section != 0 ? hem_section_name(fault.section) : "table", fault.element, fault.field,
                            hem_format_result_text(result));
    }
    a->hash_matches = hem_content_hash_matches(a->data, a->size);
    hem_result opened = hem_asset_open(&a->handle, a->data, a->size);
    if (opened == HEM_OK) {
        opened = hem_asset_get_info(&a->handle, &a->info);
    }
    if (opened != HEM_OK) {
        asset_unload(a);
        return command_fail(COMMAND_VALIDATION, "'%s': %s", path, hem_result_text(opened));
    }
    return COMMAND_OK;
}

int asset_load(asset* a, const char* path, const char* recipe) {
    memset(a, 0, sizeof(*a));
    a->path = path;
    int code = read_bytes(a, recipe);
    if (code != COMMAND_OK) {
        asset_unload(a);
        return code;
    }
    return open_bytes(a);
}

int asset_load_whole(asset* a, const char* path, const char* recipe) {
    int code = asset_load(a, path, recipe);
    if (code == COMMAND_OK && !a->hash_matches) {
        asset_unload(a);
        code = command_fail(COMMAND_VALIDATION, "'%s': %s", path, hem_format_result_text(HEM_FORMAT_BAD_HASH));
    }
    return code;
}

int asset_from_bytes(asset* a, const char* path, const uint8_t* bytes, size_t size) {
    memset(a, 0, sizeof(*a));
    a->path = path;
    int code = take_bytes(a, bytes, size);
    return code == COMMAND_OK ? open_bytes(a) : code;
}

void asset_unload(asset* a) {
    free(a->block);
    memset(a, 0, sizeof(*a));
}

const char* asset_text(const asset* a, uint32_t offset) {
    return offset < a->view.string_size ? a->view.strings + offset : "";
}

asset_label asset_label_of(const asset* a, uint32_t offset) {
    asset_label label;
    hem_printable(label.text, sizeof(label.text), asset_text(a, offset));
    return label;
}

bool asset_has_preview(const asset* a) {
    return (a->view.header->flags & HEM_FILE_PREVIEW) != 0 && a->view.preview_indices != NULL;
}

// -- Clips

// "Gallop" of "AnimalArmature|Gallop", as exporters write it.
static const char* own_name(const char* clip) {
    const char* bar = strrchr(clip, '|');
    return bar != NULL && bar[1] != 0 ? bar + 1 : clip;
}

int asset_find_clip(const asset* a, const char* name, int32_t* clip) {
    if (!asset_has_preview(a)) {
        return command_fail(
            COMMAND_INPUT,
            "'%s' was compiled with --ship and has no preview section (no clips, no triangles); compile "
            "it without --ship to look at it",
            a->path);
    }
    *clip = 0;
    if (name == NULL) {
        return COMMAND_OK;
    }
    char list[1024] = "";
    int32_t alike = 0;
    for (int32_t i = 0; i < asset_clip_count(a); i++) {
        const char* text = asset_clip_name(a, i);
        if (strcmp(text, name) == 0) {
            *clip = i;
            return COMMAND_OK;
        }
        if (strcmp(own_name(text), name) == 0) {
            *clip = i;
            alike++;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof(list) - used, "%s%s", i > 0 ? ", " : "", text);
    }
    if (alike == 1) {
        return COMMAND_OK;
    }
    *clip = 0;
    return command_fail(COMMAND_USAGE, "'%s' has %s clip%s '%s'; it has %s", a->path, alike > 1 ? "several" : "no",
                        alike > 1 ? "s" : "", name, list);
}

// Behind its own clips stand the test motions.
static int32_t motion_of(const asset* a, int32_t clip) {
    return clip - (int32_t)a->view.clip_count;
}

int32_t asset_clip_count(const asset* a) {
    return (int32_t)a->view.clip_count + motion_count();
}

const char* asset_clip_name(const asset* a, int32_t clip) {
    return motion_of(a, clip) >= 0 ? motion_name(motion_of(a, clip)) : asset_text(a, a->view.clips[clip].name_offset);
}

bool asset_clip_loops(const asset* a, int32_t clip) {
    return motion_of(a, clip) >= 0 || (a->view.clips[clip].flags & HEM_CLIP_LOOPS) != 0;
}

void asset_make_loop(asset* a, int32_t clip, bool loops) {
    if (motion_of(a, clip) < 0) {
        hem_clip* c = (hem_clip*)(uintptr_t)&a->view.clips[clip]; // the bytes are ours
        c->flags = loops ? c->flags | HEM_CLIP_LOOPS : c->flags & ~(uint32_t)HEM_CLIP_LOOPS;
    }
}

float asset_clip_seconds(const asset* a, int32_t clip) {
    if (motion_of(a, clip) >= 0) {
        return motion_seconds(motion_of(a, clip));
    }
    const hem_clip* c = &a->view.clips[clip];
    return (float)(c->frame_count - 1) / c->hz;
}

void asset_bind_pose(const asset* a, float* matrices) {
    static const float IDENTITY[12] = {1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f};
    for (uint32_t i = 0; i < a->view.info->bone_count; i++) {
        memcpy(matrices + 12 * (size_t)i, IDENTITY, sizeof(IDENTITY));
    }
}

// r = a * b, 3x4 affine, rows of four.
static void multiply(float r[12], const float a[12], const float b[12]) {
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t j = 0; j < 4; j++) {
            float sum = j == 3 ? a[4 * i + 3] : 0.0f;
            for (int32_t k = 0; k < 3; k++) {
                sum += a[4 * i + k] * b[4 * k + j];
            }
            r[4 * i + j] = sum;
        }
    }
}

static bool invert(float r[12], const float m[12]) {
    vec3 x = v3(m[0], m[4], m[8]), y = v3(m[1], m[5], m[9]), z = v3(m[2], m[6], m[10]), t = v3(m[3], m[7], m[11]);
    vec3 yz = v3_cross(y, z), zx = v3_cross(z, x), xy = v3_cross(x, y);
    float determinant = v3_dot(x, yz);
    if (!(fabsf(determinant) > 1e-20f)) {
        return false;
    }
    vec3 rows[3] = {yz, zx, xy};
    for (int32_t i = 0; i < 3; i++) {
        vec3 row = v3_scale(rows[i], 1.0f / determinant);
        v3_store(r + 4 * i, row);
        r[4 * i + 3] = -v3_dot(row, t);
    }
    return true;
}

// A joint's own frame turns evenly only if it is taken apart: the axes are mixed and stretched back to their mixed
// lengths, the origin goes straight. Mixing skinning matrices instead would shrink a fast limb.
static void mix_pose(float r[12], const float a[12], const float b[12], const float inverse_bind[12], float t) {
    float bind[12], joint_a[12], joint_b[12], joint[12];
    if (!invert(bind, inverse_bind)) {
        for (int32_t i = 0; i < 12; i++) {
            r[i] = mixf(a[i], b[i], t);
        }
        return;
    }
    multiply(joint_a, a, bind);
    multiply(joint_b, b, bind);
    for (int32_t j = 0; j < 4; j++) {
        vec3 from = v3(joint_a[j], joint_a[4 + j], joint_a[8 + j]), to = v3(joint_b[j], joint_b[4 + j], joint_b[8 + j]);
        vec3 mixed = v3_lerp(from, to, t);
        if (j < 3) {
            mixed = v3_scale(v3_normalize(mixed, v3(0.0f, 0.0f, 0.0f)), mixf(v3_length(from), v3_length(to), t));
        }
        joint[j] = mixed.x, joint[4 + j] = mixed.y, joint[8 + j] = mixed.z;
    }
    multiply(r, joint, inverse_bind);
}

void asset_mix_poses(const asset* a, const float* from, const float* to, float t, float* r) {
    for (uint32_t i = 0; i < a->view.info->bone_count; i++) {
        float mixed[12];
        mix_pose(mixed, from + 12 * (size_t)i, to + 12 * (size_t)i, a->view.bones[i].inverse_bind, t);
        memcpy(r + 12 * (size_t)i, mixed, sizeof(mixed));
    }
}

void asset_pose(const asset* a, int32_t clip, float seconds, float* matrices) {
    if (motion_of(a, clip) >= 0) {
        motion_pose(a, motion_of(a, clip), seconds, matrices);
        return;
    }
    const hem_clip* c = &a->view.clips[clip];
    uint32_t bone_count = a->view.info->bone_count;
    float last = (float)(c->frame_count - 1);
    float frame = seconds * c->hz;
    if ((c->flags & HEM_CLIP_LOOPS) != 0 && last > 0.0f) {
        frame -= last * floorf(frame / last);
    }
    frame = clampf(frame, 0.0f, last);
    uint32_t first = (uint32_t)frame;
    uint32_t second = first + 1 < c->frame_count ? first + 1 : first;
    float t = frame - (float)first;
    const float(*from)[12] = a->view.clip_frames + (size_t)(c->frame_begin + first) * bone_count;
    const float(*to)[12] = a->view.clip_frames + (size_t)(c->frame_begin + second) * bone_count;
    asset_mix_poses(a, from[0], to[0], t, matrices);
}

void asset_skin(const asset* a, const float* matrices, float* positions, float* normals) {
    for (uint32_t i = 0; i < a->view.info->vertex_count; i++) {
        const hem_vertex_bind* bind = &a->view.vertex_bind[i];
        const hem_vertex_rest* rest = &a->view.vertex_rest[i];
        vec3 p = v3(0.0f, 0.0f, 0.0f), n = p;
        for (int32_t k = 0; k < 4; k++) {
            float weight = (float)bind->bone_weight[k] / 65535.0f;
            const float* m = matrices + 12 * (size_t)bind->bone[k];
            for (int32_t row = 0; row < 3 && weight > 0.0f; row++) {
                vec3 axis = v3_load(m + 4 * row);
                float* px = row == 0 ? &p.x : row == 1 ? &p.y : &p.z;
                float* nx = row == 0 ? &n.x : row == 1 ? &n.y : &n.z;
                *px += weight * (v3_dot(axis, v3_load(rest->position)) + m[4 * row + 3]);
                *nx += weight * v3_dot(axis, v3_load(rest->normal));
            }
        }
        v3_store(positions + 3 * (size_t)i, p);
        if (normals != NULL) {
            v3_store(normals + 3 * (size_t)i, n);
        }
    }
}

// -- Links and counts

static uint32_t bit_count(uint32_t mask) {
    uint32_t count = 0;
    for (; mask != 0; mask &= mask - 1) {
        count++;
    }
    return count;
}

uint32_t asset_link_count(const asset* a) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->view.link_batch_count; i++) {
        count += bit_count(a->view.link_batches[i].lane_mask);
    }
    for (uint32_t i = 0; i < a->view.index_batch_count; i++) {
        count += bit_count(a->view.index_batches[i].lane_mask);
    }
    return count;
}

void asset_links(const asset* a, asset_link* links) {
    for (uint32_t i = 0; i < a->view.link_batch_count; i++) {
        const hem_link_batch* b = &a->view.link_batches[i];
        for (uint32_t lane = 0; lane < HEM_LANES; lane++) {
            if ((b->lane_mask >> lane & 1u) != 0) {
                links->a = b->row_a * HEM_LANES + lane;
                links->b = b->row_b * HEM_LANES + ((lane + b->rotate) & (HEM_LANES - 1));
                links->rest = b->rest[lane];
                links->kind = b->kind;
                links++->part = b->part;
            }
        }
    }
    for (uint32_t i = 0; i < a->view.index_batch_count; i++) {
        const hem_index_batch* b = &a->view.index_batches[i];
        for (uint32_t lane = 0; lane < HEM_LANES; lane++) {
            if ((b->lane_mask >> lane & 1u) != 0) {
                links->a = b->a[lane];
                links->b = b->b[lane];
                links->rest = b->rest[lane];
                links->kind = b->kind;
                links++->part = b->part;
            }
        }
    }
}

asset_part_counts asset_count_part(const asset* a, uint32_t part) {
    asset_part_counts counts;
    memset(&counts, 0, sizeof(counts));
    for (uint32_t i = 0; i < a->view.info->particle_count; i++) {
        uint32_t flags = a->view.particle_flags[i];
        if (flags >> HEM_PARTICLE_PART_SHIFT == part && (flags & HEM_PARTICLE_PAD) == 0) {
            counts.body += (flags & HEM_PARTICLE_BODY) != 0;
            counts.attached += (flags & HEM_PARTICLE_ANIMATED) != 0 && (flags & HEM_PARTICLE_BODY) == 0;
            counts.simulated += (flags & HEM_PARTICLE_ANIMATED) == 0;
        }
    }
    for (uint32_t i = 0; i < a->view.link_batch_count; i++) {
        if (a->view.link_batches[i].part == part) {
            counts.links[a->view.link_batches[i].kind] += bit_count(a->view.link_batches[i].lane_mask);
            counts.link_lanes += HEM_LANES;
        }
    }
    for (uint32_t i = 0; i < a->view.index_batch_count; i++) {
        if (a->view.index_batches[i].part == part) {
            counts.links[a->view.index_batches[i].kind] += bit_count(a->view.index_batches[i].lane_mask);
            counts.link_lanes += HEM_LANES;
        }
    }
    for (uint32_t i = 0; i < a->view.group_batch_count; i++) {
        if (a->view.group_batches[i].part == part) {
            counts.groups += bit_count(a->view.group_batches[i].lane_mask);
            counts.group_lanes += HEM_LANES;
        }
    }
    return counts;
}

const char* asset_part_kind_name(uint32_t kind) {
    return kind < sizeof(PART_KINDS) / sizeof(PART_KINDS[0]) ? PART_KINDS[kind] : "unknown";
}

const char* asset_link_kind_name(uint32_t kind) {
    return hem_kind_name(kind);
}
