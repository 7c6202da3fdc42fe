// SPDX-License-Identifier: MIT
#include "samples/kit.h"

#include <math.h>
#include <string.h>

// Poses and clips. A clip is a dense table [frame][bone] of joints at 30 Hz. Authors write it in world-parallel bone
// frames; glb.c turns the joints into the bones' own frames when it writes them.

kit_clip* kit_clip_add(kit_model* model, const char* name, double seconds, bool loops) {
    if (model->clip_count == 32) {
        kit_die("too many clips", name);
    }
    kit_clip* clip = kit_alloc(model, 1, sizeof(kit_clip));
    clip->name = name;
    clip->loops = loops;
    clip->frame_count = (int32_t)floor(seconds * KIT_FRAMES_PER_SECOND + 0.5) + 1;
    clip->bone_count = model->bone_count;
    clip->joints = kit_alloc(model, (size_t)clip->frame_count * (size_t)clip->bone_count, sizeof(kit_joint));
    clip->weights_mesh = KIT_NONE;
    for (int32_t i = 0; i < clip->frame_count; ++i) {
        kit_pose_rest(model, kit_clip_pose(clip, i));
    }
    model->clips[model->clip_count++] = clip;
    return clip;
}

kit_joint* kit_clip_pose(kit_clip* clip, int32_t frame) {
    return clip->joints + (size_t)frame * (size_t)clip->bone_count;
}

double kit_clip_phase(const kit_clip* clip, int32_t frame) {
    return clip->frame_count > 1 ? (double)frame / (clip->frame_count - 1) : 0.0;
}

double kit_clip_seconds(const kit_clip* clip, int32_t frame) {
    (void)clip;
    return (double)frame / KIT_FRAMES_PER_SECOND;
}

void kit_clip_finish(kit_clip* clip) {
    // Neighbouring frames must blend the shorter way: q and -q are the same turn but not the same path.
    for (int32_t i = 1; i < clip->frame_count; ++i) {
        for (int32_t b = 0; b < clip->bone_count; ++b) {
            kit_quat p = kit_clip_pose(clip, i - 1)[b].rotation;
            kit_quat* q = &kit_clip_pose(clip, i)[b].rotation;
            if (p.x * q->x + p.y * q->y + p.z * q->z + p.w * q->w < 0.0) {
                *q = (kit_quat){-q->x, -q->y, -q->z, -q->w};
            }
        }
    }
    if (clip->loops) {
        memcpy(kit_clip_pose(clip, clip->frame_count - 1), kit_clip_pose(clip, 0),
               (size_t)clip->bone_count * sizeof(kit_joint));
    }
}

double* kit_clip_weights(kit_model* model, kit_clip* clip, int32_t mesh, int32_t frame) {
    int32_t count = model->meshes[mesh]->morph_count;
    if (clip->weights == NULL) {
        clip->weights_mesh = mesh;
        clip->weights = kit_alloc(model, (size_t)clip->frame_count * (size_t)count, sizeof(double));
    }
    return clip->weights + (size_t)frame * (size_t)count;
}

kit_morph* kit_morph_add(kit_model* model, kit_mesh* mesh, const char* name) {
    kit_morph* morphs = kit_alloc(model, (size_t)mesh->morph_count + 1, sizeof(kit_morph));
    if (mesh->morph_count > 0) {
        memcpy(morphs, mesh->morphs, (size_t)mesh->morph_count * sizeof(kit_morph));
    }
    mesh->morphs = morphs;
    kit_morph* morph = &morphs[mesh->morph_count++];
    morph->name = name;
    morph->position_deltas = kit_alloc(model, (size_t)mesh->vertex_count, sizeof(kit_vec));
    morph->normal_deltas = kit_alloc(model, (size_t)mesh->vertex_count, sizeof(kit_vec));
    return morph;
}

// -- Poses

void kit_pose_rest(const kit_model* model, kit_joint* pose) {
    for (int32_t b = 0; b < model->bone_count; ++b) {
        const kit_bone_info* bone = &model->bones[b];
        kit_vec origin = bone->parent == KIT_NONE ? kit_v(0.0, 0.0, 0.0) : model->bones[bone->parent].head;
        pose[b] = (kit_joint){kit_sub(bone->head, origin), kit_identity(), {1.0, 1.0, 1.0}};
    }
}

void kit_pose_world(const kit_model* model, const kit_joint* pose, kit_frame* frames) {
    for (int32_t b = 0; b < model->bone_count; ++b) {
        kit_frame local = kit_frame_of(pose[b].rotation, pose[b].position);
        local.x = kit_mul(local.x, pose[b].scale.x);
        local.y = kit_mul(local.y, pose[b].scale.y);
        local.z = kit_mul(local.z, pose[b].scale.z);
        int32_t parent = model->bones[b].parent;
        frames[b] = parent == KIT_NONE ? local : kit_frame_mul(frames[parent], local);
    }
}

static kit_frame pose_world_of(const kit_model* model, const kit_joint* pose, int32_t bone, kit_quat* rotation) {
    kit_frame frame = kit_frame_of(kit_identity(), kit_v(0.0, 0.0, 0.0));
    *rotation = kit_identity();
    for (int32_t b = bone; b != KIT_NONE; b = model->bones[b].parent) {
        frame = kit_frame_mul(kit_frame_of(pose[b].rotation, pose[b].position), frame);
        *rotation = kit_qmul(pose[b].rotation, *rotation);
    }
    return frame;
}

void kit_pose_reach(const kit_model* model, kit_joint* pose, int32_t upper, int32_t lower, int32_t end, kit_vec target,
                    kit_vec pole, kit_quat end_rotation) {
    kit_vec upper_rest = kit_sub(model->bones[lower].head, model->bones[upper].head);
    kit_vec lower_rest = kit_sub(model->bones[end].head, model->bones[lower].head);
    double a = kit_length(upper_rest), b = kit_length(lower_rest);
    kit_quat carried;
    kit_vec hip = pose_world_of(model, pose, upper, &carried).origin;
    int32_t parent = model->bones[upper].parent;
    if (parent != KIT_NONE) {
        pose_world_of(model, pose, parent, &carried);
    }
    kit_vec line = kit_sub(target, hip);
    // Ease into full stretch: the last thirtieth of the reach is approached but never met, so that the knee does not
    // snap.
    double full = a + b, distance = kit_length(line), soft = (1.0 - 1.0 / 30.0) * full;
    if (distance > soft) {
        distance = soft + (full - soft) * (1.0 - kit_exp(-(distance - soft) / (full - soft)));
    }
    distance = kit_clamp(distance, fabs(a - b) * 1.001 + 1e-6, full * 0.9999);
    kit_vec along = kit_unit(line);
    kit_vec out = kit_unit(kit_mad(pole, along, -kit_dot(pole, along)));
    double forward = (a * a - b * b + distance * distance) / (2.0 * distance);
    double height = a * a - forward * forward;
    kit_vec knee = kit_mad(kit_mad(hip, along, forward), out, height > 0.0 ? sqrt(height) : 0.0);
    kit_vec foot = kit_mad(hip, along, distance);

    kit_quat upper_world = kit_qmul(kit_between(kit_rotate(carried, upper_rest), kit_sub(knee, hip)), carried);
    kit_quat lower_world = kit_qmul(kit_between(kit_rotate(upper_world, lower_rest), kit_sub(foot, knee)), upper_world);
    pose[upper].rotation = kit_qunit(kit_qmul(kit_qinv(carried), upper_world));
    pose[lower].rotation = kit_qunit(kit_qmul(kit_qinv(upper_world), lower_world));
    pose[end].rotation = kit_qunit(kit_qmul(kit_qinv(lower_world), end_rotation));
}

kit_vec kit_pose_vertex(const kit_model* model, const kit_frame* frames, const kit_vertex* vertex) {
    kit_vec sum = {0.0, 0.0, 0.0};
    double total = 0.0;
    for (int32_t k = 0; k < 4; ++k) {
        int32_t b = vertex->joints[k];
        kit_vec local = kit_sub(vertex->position, model->bones[b].head);
        sum = kit_mad(sum, kit_point(frames[b], local), vertex->weights[k]);
        total += vertex->weights[k];
    }
    return kit_mul(sum, 1.0 / total);
}

// -- Curves

// Tangent that keeps the curve between its keys: zero at extremes, harmonic mean of the slopes elsewhere (Fritsch and
// Carlson).
static double key_tangent(kit_key a, kit_key b, kit_key c) {
    double left = (b.value - a.value) / (b.time - a.time), right = (c.value - b.value) / (c.time - b.time);
    return left * right > 0.0 ? 2.0 * left * right / (left + right) : 0.0;
}

static kit_key key_at(const kit_key* keys, int32_t count, double period, int32_t i) {
    if (period > 0.0) {
        int32_t turn = i < 0 ? -1 : i >= count ? 1 : 0;
        kit_key key = keys[i - turn * count];
        key.time += turn * period;
        return key;
    }
    // Beyond the ends: a level continuation.
    kit_key key = keys[i < 0 ? 0 : i >= count ? count - 1 : i];
    key.time += i < 0 ? -1.0 : i >= count ? 1.0 : 0.0;
    return key;
}

double kit_keys(const kit_key* keys, int32_t count, double period, double time) {
    if (period > 0.0) {
        time -= period * floor((time - keys[0].time) / period);
    } else if (time <= keys[0].time) {
        return keys[0].value;
    } else if (time >= keys[count - 1].time) {
        return keys[count - 1].value;
    }
    if (count == 1) {
        return keys[0].value;
    }
    int32_t i = 0;
    while (i + 1 < count && keys[i + 1].time <= time) {
        ++i;
    }
    kit_key a = key_at(keys, count, period, i - 1), b = keys[i], c = key_at(keys, count, period, i + 1);
    kit_key d = key_at(keys, count, period, i + 2);
    double span = c.time - b.time, t = (time - b.time) / span;
    double tb = key_tangent(a, b, c) * span, tc = key_tangent(b, c, d) * span;
    double t2 = t * t, t3 = t2 * t;
    return b.value * (2.0 * t3 - 3.0 * t2 + 1.0) + tb * (t3 - 2.0 * t2 + t) + c.value * (3.0 * t2 - 2.0 * t3) +
           tc * (t3 - t2);
}
