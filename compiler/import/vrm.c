// SPDX-License-Identifier: MIT
#include "compiler/import/import.h"

#include <math.h>

// What a VRM swings, and what it must not go through: spring bones and their colliders, of VRM 0 and 1. Numbers are the file's
// own; recipe/auto_springs.c and recipe/auto_colliders.c say what becomes of them.

static float number_or(const hemc_json* object, const char* key, float otherwise) {
    const hemc_json* value = object->kind == HEMC_JSON_OBJECT ? hemc_json_member(object, key) : NULL;
    return value != NULL && value->kind == HEMC_JSON_NUMBER && value->number > -1e6 && value->number < 1e6
               ? (float)value->number
               : otherwise;
}

// How much of gravity goes down: an object with x, y, z in VRM 0, a list in VRM 1.
static float downwards(const hemc_json* object) {
    const hemc_json* way = object->kind == HEMC_JSON_OBJECT ? hemc_json_member(object, "gravityDir") : NULL;
    if (way != NULL && way->kind == HEMC_JSON_OBJECT) {
        return -number_or(way, "y", -1);
    }
    const hemc_json* y = way != NULL && way->kind == HEMC_JSON_ARRAY && way->count == 3 ? way->first->next : NULL;
    return y != NULL && y->kind == HEMC_JSON_NUMBER && y->number >= -1 && y->number <= 1 ? -(float)y->number : 1;
}

// "colliderGroups" of a spring, as bits.
static uint64_t groups_of(const hemc_json* spring) {
    const hemc_json* list = spring->kind == HEMC_JSON_OBJECT ? hemc_json_member(spring, "colliderGroups") : NULL;
    uint64_t bits = 0;
    for (const hemc_json* g = list != NULL ? list->first : NULL; g != NULL; g = g->next) {
        const bool known = g->kind == HEMC_JSON_NUMBER && g->number >= 0 && g->number < 64;
        bits |= known ? (uint64_t)1 << (uint32_t)g->number : 0;
    }
    return bits;
}

static bool take_spring(const hemc_model* model, const hemc_json* index, const hemc_json* numbers,
                        const char* stiffness, float drag, bool centred, uint64_t groups, hemc_spring_bone* springs) {
    if (index == NULL || index->kind != HEMC_JSON_NUMBER || !(index->number >= 0) || !(index->number < 1e9)) {
        return false;
    }
    int32_t bone = hemc_import_bone_of_node(model, (uint32_t)index->number);
    if (bone != HEM_NONE) {
        springs[bone] = (hemc_spring_bone){.swings = true,
                                           .centred = centred,
                                           .groups = groups,
                                           .stiffness = number_or(numbers, stiffness, 1),
                                           .drag = number_or(numbers, "dragForce", drag),
                                           .gravity = number_or(numbers, "gravityPower", 0) * downwards(numbers),
                                           .hit_radius = number_or(numbers, "hitRadius", 0)};
    }
    return bone != HEM_NONE;
}

// VRM 0: extensions.VRM.secondaryAnimation.boneGroups[].bones[], each with all below it ("stiffiness" is its spelling);
// VRM 1: extensions.VRMC_springBone.springs[].joints[].node, each with numbers of its own.
bool hemc_import_springs(const hemc_model* model, hemc_spring_bone* springs) {
    const hemc_json* extensions = hemc_json_member(model->source->json, "extensions");
    const hemc_json* groups =
        hemc_json_member(hemc_json_member(hemc_json_member(extensions, "VRM"), "secondaryAnimation"), "boneGroups");
    const hemc_json* list = hemc_json_member(hemc_json_member(extensions, "VRMC_springBone"), "springs");
    bool any = false;
    for (const hemc_json* g = groups != NULL ? groups->first : NULL; g != NULL; g = g->next) {
        const hemc_json* bones = hemc_json_member(g, "bones");
        const uint64_t met = groups_of(g);
        const bool centred = number_or(g, "center", -1) >= 0;
        for (const hemc_json* b = bones != NULL ? bones->first : NULL; b != NULL; b = b->next) {
            any = take_spring(model, b, g, "stiffiness", 0.4f, centred, met, springs) || any;
        }
    }
    for (const hemc_json* s = list != NULL ? list->first : NULL; s != NULL; s = s->next) {
        const hemc_json* joints = hemc_json_member(s, "joints");
        const uint64_t met = groups_of(s);
        const bool centred = number_or(s, "center", -1) >= 0;
        for (const hemc_json* j = joints != NULL ? joints->first : NULL; j != NULL; j = j->next) {
            if (j->next == NULL && j != joints->first) {
                break; // where the last one that swings ends
            }
            any = take_spring(model, hemc_json_member(j, "node"), j, "stiffness", 0.5f, centred, met, springs) || any;
        }
    }
    return any;
}

// Of VRM 0 each bone below one that it names swings as that one.
static void take_below(const hemc_model* model, hemc_spring_bone* springs) {
    const hemc_json* extensions = hemc_json_member(model->source->json, "extensions");
    const bool all = hemc_json_member(extensions, "VRM") != NULL;
    for (uint32_t b = 0; b < model->bone_count && all; ++b) {
        const int32_t parent = model->bone_defs[b].parent;
        if (parent != HEM_NONE && springs[parent].swings && !springs[b].swings) {
            springs[b] = springs[parent];
        }
    }
}

void hemc_spring_hangs(hemc_arena* arena, const hemc_model* model, hem_bone* bones) {
    hemc_spring_bone* springs = hemc_alloc(arena, model->bone_count, sizeof(hemc_spring_bone));
    hemc_import_springs(model, springs);
    take_below(model, springs);
    for (uint32_t b = model->bone_count; b-- > 0;) {
        const int32_t parent = model->bone_defs[b].parent;
        if (parent != HEM_NONE) {
            bones[parent].tail = b; // its first child, in the end
        }
    }
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        const hemc_spring_bone* s = &springs[b];
        const int32_t parent = model->bone_defs[b].parent;
        const bool leaf = bones[b].tail == 0, hangs = s->swings && s->stiffness > 0 && (!leaf || parent != HEM_NONE);
        const float most = HEM_MAX_HANG * s->stiffness;
        const float pull = s->gravity > most ? most : s->gravity < -most ? -most : s->gravity;
        bones[b].hang = hangs ? pull / s->stiffness : 0;
        bones[b].tail = bones[b].hang == 0 ? 0 : leaf ? (uint32_t)parent : bones[b].tail;
    }
}

bool hemc_import_spring_bones(const hemc_model* model, uint8_t* flags) {
    hemc_spring_bone* springs = hemc_alloc(model->source->arena, model->bone_count, sizeof(hemc_spring_bone));
    const bool any = hemc_import_springs(model, springs);
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        flags[b] = springs[b].swings;
    }
    return any;
}

// -- Colliders

// x, y, z of an object in VRM 0, where z counts the other way, or a list in VRM 1.
static void vector_of(const hemc_json* value, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    if (value != NULL && value->kind == HEMC_JSON_OBJECT) {
        out[0] = (double)number_or(value, "x", 0);
        out[1] = (double)number_or(value, "y", 0);
        out[2] = -(double)number_or(value, "z", 0);
    } else if (value != NULL && value->kind == HEMC_JSON_ARRAY && value->count == 3) {
        int i = 0;
        for (const hemc_json* v = value->first; v != NULL; v = v->next, ++i) {
            out[i] = v->kind == HEMC_JSON_NUMBER && fabs(v->number) < 1e6 ? v->number : 0;
        }
    }
}

static void place(const float bind[12], const double local[3], double out[3]) {
    for (int i = 0; i < 3; ++i) {
        out[i] = bind[4 * i] * local[0] + bind[4 * i + 1] * local[1] + bind[4 * i + 2] * local[2] + bind[4 * i + 3];
    }
}

static void add_collider(const hemc_model* model, const hemc_json* node, const hemc_json* from, const hemc_json* to,
                         float radius, uint64_t groups, hemc_spring_collider* out, uint32_t* count) {
    const bool known = node != NULL && node->kind == HEMC_JSON_NUMBER && node->number >= 0 && node->number < 1e9;
    const int32_t bone = known ? hemc_import_bone_of_node(model, (uint32_t)node->number) : HEM_NONE;
    if (bone == HEM_NONE || !(radius > 0) || *count >= HEM_MAX_COLLIDERS) {
        return;
    }
    hemc_spring_collider* c = &out[(*count)++];
    double local[3];
    c->bone = (uint32_t)bone;
    c->groups = groups;
    c->radius = radius;
    c->capsule = to != NULL;
    vector_of(from, local);
    place(model->bone_defs[bone].bind, local, c->from);
    vector_of(to != NULL ? to : from, local);
    place(model->bone_defs[bone].bind, local, c->to);
}

// VRM 0: secondaryAnimation.colliderGroups[], each on a node, of spheres. VRM 1: colliders[], each on a node, a sphere or a
// capsule, and colliderGroups[] that number them.
uint32_t hemc_import_spring_colliders(const hemc_model* model, hemc_spring_collider out[HEM_MAX_COLLIDERS]) {
    const hemc_json* extensions = hemc_json_member(model->source->json, "extensions");
    const hemc_json* zero =
        hemc_json_member(hemc_json_member(hemc_json_member(extensions, "VRM"), "secondaryAnimation"), "colliderGroups");
    const hemc_json* one = hemc_json_member(extensions, "VRMC_springBone");
    const hemc_json *colliders = hemc_json_member(one, "colliders"), *groups = hemc_json_member(one, "colliderGroups");
    uint32_t count = 0, number = 0;
    for (const hemc_json* g = zero != NULL ? zero->first : NULL; g != NULL; g = g->next, ++number) {
        const hemc_json* list = hemc_json_member(g, "colliders");
        const uint64_t bit = number < 64 ? (uint64_t)1 << number : 0;
        for (const hemc_json* c = list != NULL ? list->first : NULL; c != NULL; c = c->next) {
            add_collider(model, hemc_json_member(g, "node"), hemc_json_member(c, "offset"), NULL,
                         number_or(c, "radius", 0), bit, out, &count);
        }
    }
    number = 0;
    for (const hemc_json* c = colliders != NULL ? colliders->first : NULL; c != NULL; c = c->next, ++number) {
        uint64_t bits = 0;
        uint32_t group = 0;
        for (const hemc_json* g = groups != NULL ? groups->first : NULL; g != NULL && group < 64;
             g = g->next, ++group) {
            const hemc_json* list = hemc_json_member(g, "colliders");
            for (const hemc_json* i = list != NULL ? list->first : NULL; i != NULL; i = i->next) {
                bits |= i->kind == HEMC_JSON_NUMBER && i->number == number ? (uint64_t)1 << group : 0;
            }
        }
        const hemc_json *shape = hemc_json_member(c, "shape"), *sphere = hemc_json_member(shape, "sphere"),
                        *capsule = hemc_json_member(shape, "capsule");
        const hemc_json* form = sphere != NULL ? sphere : capsule;
        if (form != NULL) {
            add_collider(model, hemc_json_member(c, "node"), hemc_json_member(form, "offset"),
                         sphere == NULL ? hemc_json_member(form, "tail") : NULL, number_or(form, "radius", 0), bits,
                         out, &count);
        }
    }
    return count;
}
