// SPDX-License-Identifier: MIT
#include "compiler/recipe/auto.h"
#include "compiler/recipe/recipe.h"

#include <math.h>
#include <string.h>

// Automatic mode: what on this character is loose?
//
// Three kinds of evidence, strongest first.
//   Bones: a chain of two or more bones with a telling name (Tail1, Tail2, ...), or one that a VRM swings already. The
//          part is what mostly follows the chain; the chain's first bone and its parent hold it.
//   Names: a node, mesh or material called Cape, Skirt_Front, HairBack (auto_names.c). Pieces of these are looked at
//          again (auto_pieces.c).
//   Shape: a skirt's hem (auto_hems.c), where no garment was found; and, where nothing was, a thin open sheet that
//          hangs free of the body for at least a fifth of its height.
// The same kind found twice (the ears' mesh and the ears' bones) is one part. Without any of these a model without a
// skeleton becomes one soft body that stands on its lower end; a rigged one is refused, since making its body wobble
// is never what was meant. Nor is a chain that most of the character follows something loose on it.
//
// The spacing follows size and density: about one particle for two triangles, between 120 and 400 in all, and not finer
// than 2 cm on a person. That of cloth is only a first guess (auto_tune.c).

#define SMALL 0.004 // of the square of the model's height: a bow, a bootlace; cloth this small has too few particles
#define WHOLE_SHARE 0.7   // of the triangles, found by bones: more is the character itself
#define WHOLE_SKELETON 12 // bones; of fewer one cannot tell
#define WHOLE_REACH 0.8   // of its height and width
#define FLESH_SAG 0.05    // of its length, of what is driven to the pose
#define HAIR_SAG 0.12
#define LOCK_LATERAL 8.0f    // Hz: locks keep together, no gap opens between them
#define LOCK_SAG 0.2         // of hair in locks
#define LOCK_DAMPING 4.0f    // 1/s
#define LOCK_PIECES 8        // between the particles of a straight lock; a ringlet has more, as its way is longer
#define LOCK_RADIUS 0.0085   // of the model's height
#define FINEST_SPACING 0.012 // of the model's height: 2 cm on a person

typedef struct finding {
    const char* part;
    hemc_loose_kind kind;
    uint8_t* primitives;     // by name or shape
    uint8_t* bones;          // of chains, NULL = none
    uint8_t* anchors;        // bones that hold the chains
    hemc_spring_bone spring; // what the VRM says of the first
    double down;             // sum of how far its chains' first bones point down
    uint32_t chain_count;
    double reach;                  // sum of the lengths of its bones, in units of the file
    uint32_t reach_count, longest; // bones of all chains, and of the longest
    hemc_text why;
} finding;

static finding* finding_of(hemc_arena* arena, const hemc_model* model, finding* list, uint32_t* count, const char* part,
                           hemc_loose_kind kind) {
    for (uint32_t i = 0; i < *count; ++i) {
        if (strcmp(list[i].part, part) == 0) {
            return &list[i];
        }
    }
    finding* f = &list[(*count)++];
    f->part = part;
    f->kind = kind;
    f->primitives = hemc_alloc(arena, model->primitive_count, 1);
    f->why.arena = arena;
    return f;
}

// -- Bones

// How far the tail of a bone is: its first child, or 7 cm, which VRM takes for the last one.
static double tail_of(const hemc_model* model, uint32_t bone, double scale) {
    const float* m = model->bone_defs[bone].bind;
    for (uint32_t k = bone + 1; k < model->bone_count; ++k) {
        if (model->bone_defs[k].parent == (int32_t)bone) {
            const float* n = model->bone_defs[k].bind;
            const double d[3] = {(double)n[3] - m[3], (double)n[7] - m[7], (double)n[11] - m[11]};
            return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
    }
    return 0.07 / scale;
}

// Of the way of a bone: 1 = it points down, 0 = level.
static double down_of(const hemc_model* model, uint32_t bone) {
    uint32_t from = bone, to = UINT32_MAX;
    for (uint32_t k = bone + 1; k < model->bone_count && to == UINT32_MAX; ++k) {
        to = model->bone_defs[k].parent == (int32_t)bone ? k : to;
    }
    if (to == UINT32_MAX) { // on along its parent's
        from = model->bone_defs[bone].parent != HEM_NONE ? (uint32_t)model->bone_defs[bone].parent : bone;
        to = bone;
    }
    const float *m = model->bone_defs[from].bind, *n = model->bone_defs[to].bind;
    const double d[3] = {(double)n[3] - m[3], (double)n[7] - m[7], (double)n[11] - m[11]};
    return -d[1] / fmax(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), 1e-9);
}

// Chains that a VRM swings alike are one part; "hair_2" swings otherwise than "hair".
static finding* spring_finding(hemc_arena* arena, const hemc_model* model, finding* list, uint32_t* count,
                               const char* part, hemc_loose_kind kind, const hemc_spring_bone* s) {
    const char* name = part;
    for (uint32_t n = 2;; ++n) {
        finding* f = finding_of(arena, model, list, count, name, kind);
        if (f->bones == NULL || *count >= HEM_MAX_PARTS ||
            (f->spring.swings == s->swings && f->spring.stiffness == s->stiffness && f->spring.drag == s->drag &&
             f->spring.gravity == s->gravity && f->spring.hit_radius == s->hit_radius &&
             f->spring.centred == s->centred)) {
            f->spring.groups |= s->groups;
            f->spring = f->bones == NULL ? *s : f->spring;
            return f;
        }
        name = hemc_format(arena, "%s_%u", part, n);
    }
}

// A bone of head, arms or legs on the chain: then it is a torso, called trunk or bust, or the whole character.
static const char* limb_below(const hemc_model* model, const int32_t* root, uint32_t chain) {
    for (uint32_t b = chain + 1; b < model->bone_count; ++b) {
        if (root[b] == (int32_t)chain && hemc_name_is_limb(model->bone_defs[b].name)) {
            return model->bone_defs[b].name;
        }
    }
    return NULL;
}

static void find_chains(hemc_arena* arena, hemc_log* log, const hemc_model* model, double scale, finding* list,
                        uint32_t* count) {
    uint32_t bones = model->bone_count;
    hemc_spring_bone* springs = hemc_alloc(arena, bones, sizeof(hemc_spring_bone));
    hemc_import_springs(model, springs);
    const hemc_loose_word** word = hemc_alloc(arena, bones, sizeof(hemc_loose_word*));
    int32_t* root = hemc_alloc(arena, bones, sizeof(int32_t)); // first bone of the chain, HEM_NONE = in none
    uint32_t* length = hemc_alloc(arena, bones, sizeof(uint32_t));
    double* weight = hemc_alloc(arena, bones, sizeof(double));
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        for (int k = 0; k < 4; ++k) {
            weight[model->bones[v][k]] += (double)model->bone_weights[v][k];
        }
    }
    for (uint32_t b = 0; b < bones; ++b) {
        int32_t parent = model->bone_defs[b].parent;
        const char* name = model->bone_defs[b].name;
        word[b] = hemc_name_is_accessory(name) ? NULL : hemc_name_chain(name);
        root[b] = parent != HEM_NONE && root[parent] != HEM_NONE ? root[parent]
                  : word[b] != NULL || springs[b].swings         ? (int32_t)b
                                                                 : HEM_NONE;
        if (root[b] != HEM_NONE && weight[b] > 0) {
            ++length[root[b]];
        }
    }
    for (uint32_t b = 0; b < bones; ++b) {
        if (root[b] != (int32_t)b || length[b] < (springs[b].swings ? 1u : 2u)) {
            continue;
        }
        const char* limb = springs[b].swings ? NULL : limb_below(model, root, b);
        if (limb != NULL) {
            hemc_note(log, model->path, "", "left alone: bone \"%s\" holds the word \"%s\", but \"%s\" hangs on it",
                      model->bone_defs[b].name, word[b]->word, limb);
            continue;
        }
        // A garment that is all bones and no mesh of its own; but the mantle of an octopus is its body.
        bool mantle = word[b] != NULL && strcmp(word[b]->part, "mantle") == 0;
        finding* f = word[b] != NULL
                         ? spring_finding(arena, model, list, count, word[b]->part,
                                          mantle ? HEMC_LOOSE_FLESH : word[b]->kind, &springs[b])
                         : spring_finding(arena, model, list, count, "spring", HEMC_LOOSE_SPRING, &springs[b]);
        if (f->bones == NULL) {
            f->bones = hemc_alloc(arena, bones, 1);
            f->anchors = hemc_alloc(arena, bones, 1);
        }
        int32_t parent = model->bone_defs[b].parent;
        for (uint32_t k = 0; k < bones; ++k) {
            f->bones[k] |= root[k] == (int32_t)b;
            if (root[k] == (int32_t)b && weight[k] > 0) {
                f->reach += tail_of(model, k, scale);
                ++f->reach_count;
            }
        }
        f->down += down_of(model, b);
        ++f->chain_count;
        f->longest = length[b] > f->longest ? length[b] : f->longest;
        // One bone alone must move; of longer chains the first holds.
        f->anchors[b] |= length[b] >= 2 && !(springs[b].swings);
        if (parent != HEM_NONE) {
            f->anchors[parent] = 1;
        }
        hemc_text_add(&f->why, "%sbone \"%s\" begins a chain of %u%s", f->why.size != 0 ? "; " : "",
                      model->bone_defs[b].name, length[b], springs[b].swings ? ", which the VRM swings" : "");
    }
}

// -- Names

static void find_names(hemc_arena* arena, const hemc_model* model, finding* list, uint32_t* count) {
    const bool upright = hemc_auto_upright(arena, model);
    for (uint32_t p = 0; p < model->primitive_count; ++p) {
        const hemc_primitive* primitive = &model->primitives[p];
        const char* names[3] = {primitive->material_name, primitive->node_name, primitive->mesh_name};
        static const char* const what[3] = {"material", "node", "mesh"};
        if (hemc_primitive_is_accessory(primitive)) {
            continue;
        }
        // A material with a telling name speaks for its mesh: what else the mesh is made of is skin and buttons.
        bool told = false;
        for (uint32_t q = 0; q < model->primitive_count; ++q) {
            told = told || (model->primitives[q].node == primitive->node &&
                            hemc_name_loose(model->primitives[q].material_name) != NULL);
        }
        for (int i = 0; i < (told ? 1 : 3); ++i) {
            const hemc_loose_word* word = hemc_name_loose(names[i]);
            if (word == NULL || (strcmp(word->word, "coat") == 0 && !upright)) { // the coat of a horse is its fur
                continue;
            }
            finding* f = finding_of(arena, model, list, count, word->part, word->kind);
            f->primitives[p] = 1;
            const char* reason = hemc_format(arena, "%s \"%s\" holds the word \"%s\"", what[i], names[i], word->word);
            if (f->why.size == 0 || strstr(f->why.data, reason) == NULL) {
                hemc_text_add(&f->why, "%s%s", f->why.size != 0 ? "; " : "", reason);
            }
            break;
        }
    }
}

// Whether what names call loose is a whole character, "Bearded_Man" or a rig of "Cape_Girl": most of the triangles, from one
// end of the skeleton to the other. A garment alone in its file has neither hands nor feet.
static bool is_whole(hemc_arena* arena, const hemc_model* model, const finding* f) {
    uint8_t* mask = hemc_alloc(arena, model->triangle_count, 1);
    uint8_t* used = hemc_alloc(arena, model->bone_count, 1);
    if (f->bones != NULL) {
        hemc_selector_mask(arena, model, hemc_selector_of_bones(arena, f->bones, model->bone_count, 0.5f), mask);
    }
    uint32_t corners = 0;
    for (uint32_t i = 0; i < 3 * model->triangle_count; ++i) {
        if (f->primitives[model->triangle_primitive[i / 3]] || mask[i / 3]) {
            ++corners;
            const uint32_t v = model->triangles[i];
            for (int k = 0; k < 4; ++k) {
                used[model->bones[v][k]] |= model->bone_weights[v][k] > 0;
            }
        }
    }
    double low[2][3] = {{1e30, 1e30, 1e30}, {1e30, 1e30, 1e30}};
    double high[2][3] = {{-1e30, -1e30, -1e30}, {-1e30, -1e30, -1e30}};
    for (uint32_t b = 0; b < 2 * model->bone_count; ++b) { // all, then those in use
        const size_t which = b / model->bone_count, bone = b % model->bone_count;
        for (size_t k = 0; k < 3 && (which == 0 || used[bone]); ++k) {
            const double x = (double)model->bone_defs[bone].bind[4 * k + 3];
            low[which][k] = fmin(low[which][k], x);
            high[which][k] = fmax(high[which][k], x);
        }
    }
    const size_t side = high[0][0] - low[0][0] > high[0][2] - low[0][2] ? 0 : 2;
    bool reaches = model->bone_count >= WHOLE_SKELETON;
    const size_t axes[2] = {1, side};
    for (size_t i = 0; i < 2; ++i) {
        const size_t k = axes[i];
        reaches = reaches && high[1][k] - low[1][k] > WHOLE_REACH * (high[0][k] - low[0][k]);
    }
    return reaches && corners > WHOLE_SHARE * 3.0 * model->triangle_count;
}

// Takes out what names have found and is the character itself.
static void drop_whole(hemc_arena* arena, hemc_log* log, const hemc_model* model, finding* list, uint32_t* count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; ++i) {
        if (!list[i].spring.swings && is_whole(arena, model, &list[i])) {
            hemc_note(log, model->path, "",
                      "left alone: \"%s\" (%s) would be the character, from one end of its skeleton to the other",
                      list[i].part, list[i].why.data);
        } else {
            list[kept++] = list[i];
        }
    }
    memset(list + kept, 0, (*count - kept) * sizeof(finding));
    *count = kept;
}

// -- Shape

// One primitive as a free sheet: open, thin across, tall.
static bool is_sheet(hemc_arena* arena, const hemc_model* model, uint32_t p, double model_height) {
    const hemc_primitive* primitive = &model->primitives[p];
    int32_t* owner = hemc_alloc(arena, model->triangle_count, sizeof(int32_t));
    memset(owner, 0xff, (size_t)model->triangle_count * sizeof(int32_t));
    for (uint32_t t = 0; t < primitive->triangle_count; ++t) {
        owner[primitive->triangle_begin + t] = 0;
    }
    hemc_surface surface;
    hemc_weld(arena, model, owner, 0, &surface);
    if (surface.triangle_count < 24) {
        return false;
    }
    uint32_t open = 0;
    for (uint32_t e = 0; e < 3 * surface.triangle_count; ++e) {
        open += surface.neighbors[e] == HEM_NONE ? 1 : 0;
    }
    double mean[3] = {0}, m[9] = {0}, low = 1e30, high = -1e30;
    for (uint32_t v = 0; v < surface.vertex_count; ++v) {
        mean[0] += surface.positions[v].x, mean[1] += surface.positions[v].y, mean[2] += surface.positions[v].z;
        low = fmin(low, surface.positions[v].y);
        high = fmax(high, surface.positions[v].y);
    }
    for (int i = 0; i < 3; ++i) {
        mean[i] /= surface.vertex_count;
    }
    for (uint32_t v = 0; v < surface.vertex_count; ++v) {
        double d[3] = {surface.positions[v].x - mean[0], surface.positions[v].y - mean[1],
                       surface.positions[v].z - mean[2]};
        for (int k = 0; k < 9; ++k) {
            m[k] += d[k / 3] * d[k % 3];
        }
    }
    // Thin: det / trace^3 of the covariance is 1/27 for a ball and 0 for a plane.
    double trace = m[0] + m[4] + m[8];
    double det =
        m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
    bool thin = trace > 0 && det / (trace * trace * trace) < 2e-4;
    return thin && open * 25 > 3 * surface.triangle_count && high - low > 0.2 * model_height;
}

static void find_sheets(hemc_arena* arena, const hemc_model* model, finding* list, uint32_t* count) {
    double low = 1e30, high = -1e30;
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        low = fmin(low, model->positions[v].y);
        high = fmax(high, model->positions[v].y);
    }
    // What does not stand upright on its bones wears nothing: its sheets are fins, wings and ears, and cloth of them rags.
    if (model->bone_count >= 3 && !hemc_auto_upright(arena, model)) {
        return;
    }
    for (uint32_t p = 0; p < model->primitive_count && p < 256; ++p) {
        bool taken = false;
        for (uint32_t i = 0; i < *count; ++i) {
            taken = taken || list[i].primitives[p];
        }
        if (!taken && !hemc_primitive_is_accessory(&model->primitives[p]) && is_sheet(arena, model, p, high - low)) {
            finding* f = finding_of(arena, model, list, count, "cloth", HEMC_LOOSE_CLOTH);
            f->primitives[p] = 1;
            hemc_text_add(&f->why, "%s\"%s\" is a thin open sheet", f->why.size != 0 ? "; " : "",
                          model->primitives[p].name);
        }
    }
}

// -- Parts

static double area_of(const hemc_model* model, const uint8_t* mask, uint32_t* triangles) {
    double sum = 0;
    *triangles = 0;
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        if (!mask[t]) {
            continue;
        }
        const uint32_t* corner = &model->triangles[(size_t)3 * t];
        hemc_vec3 a = model->positions[corner[0]], b = model->positions[corner[1]], c = model->positions[corner[2]];
        double ux = (double)b.x - a.x, uy = (double)b.y - a.y, uz = (double)b.z - a.z;
        double vx = (double)c.x - a.x, vy = (double)c.y - a.y, vz = (double)c.z - a.z;
        double nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
        sum += 0.5 * sqrt(nx * nx + ny * ny + nz * nz);
        ++*triangles;
    }
    return sum;
}

static bool is_small(const hemc_model* model, const uint8_t* mask) {
    const double height = hemc_auto_finest(model) / FINEST_SPACING;
    uint32_t triangles;
    return area_of(model, mask, &triangles) < SMALL * height * height;
}

double hemc_two_digits(double value) {
    double unit = 1.0;
    while (value / unit >= 100.0) {
        unit *= 10.0;
    }
    while (value > 0 && value / unit < 10.0 && unit > 1e-9) {
        unit /= 10.0;
    }
    return floor(value / unit + 0.5) * unit;
}

double hemc_auto_finest(const hemc_model* model) {
    double low = 1e30, high = -1e30;
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        low = fmin(low, (double)model->positions[v].y);
        high = fmax(high, (double)model->positions[v].y);
    }
    return FINEST_SPACING * (high - low);
}

void hemc_auto_drive(hemc_part_recipe* part, double length, double sag) {
    const double hz = sqrt(9.81 / (sag * fmax(length, 1e-4))) / 6.283185307;
    part->tuning.drive = (float)hemc_two_digits(fmin(fmax(hz, 0.5), 20.0));
    part->tuning.drive_damping = 0.6f;
    part->tuning.tracking = part->kind == HEM_PART_SOFT;
    part->driven = true;
}

// What an animator moves keeps moving, and flesh keeps its shape: a spring to the pose that gives way under the part's own
// weight by a share of its length. Frequencies come out higher the smaller it is, as with real tails and ears.
static void drive_part(const hemc_model* model, double scale, const finding* f, const uint8_t* mask,
                       hemc_part_recipe* part) {
    if (f->kind == HEMC_LOOSE_CLOTH || (f->kind == HEMC_LOOSE_HAIR && f->bones == NULL)) {
        return;
    }
    double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30};
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        for (int c = 0; c < 3 && mask[t]; ++c) {
            const hemc_vec3 p = model->positions[model->triangles[3 * (size_t)t + (size_t)c]];
            const double x[3] = {p.x, p.y, p.z};
            for (int k = 0; k < 3; ++k) {
                low[k] = fmin(low[k], x[k]);
                high[k] = fmax(high[k], x[k]);
            }
        }
    }
    const double length = scale * fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    const double sag = f->kind == HEMC_LOOSE_FLESH || f->kind == HEMC_LOOSE_FIN ? FLESH_SAG : HAIR_SAG;
    hemc_auto_drive(part, length, sag);
}

// As a recipe that says nothing about them takes them.
static void take_paints(const hemc_model* model, hemc_part_recipe* part) {
    part->stiffness_paint = hemc_paint_values(model, "_HEM_STIFFNESS") != NULL ? "_HEM_STIFFNESS" : NULL;
    part->blend_paint = hemc_paint_values(model, "_HEM_BLEND") != NULL;
    part->max_distance_paint = hemc_paint_values(model, "_HEM_MAX_DISTANCE") != NULL ? "_HEM_MAX_DISTANCE" : NULL;
    part->backstop_paint = hemc_paint_values(model, "_HEM_BACKSTOP") != NULL ? "_HEM_BACKSTOP" : NULL;
    part->drive_paint = hemc_paint_values(model, "_HEM_DRIVE") != NULL ? "_HEM_DRIVE" : NULL;
    if (part->drive_paint != NULL && !part->driven) {
        part->driven = part->painted_drive = true;
        part->tuning.drive = HEMC_PAINTED_DRIVE;
        part->tuning.drive_damping = 1;
        part->tuning.tracking = part->kind == HEM_PART_SOFT;
    }
}

// Rods down the locks, loosely driven to the pose.
static void make_locks(const hemc_model* model, double scale, uint32_t guides, double length, hemc_part_recipe* part) {
    const double height = scale * hemc_auto_finest(model) / FINEST_SPACING;
    part->guide_count = guides;
    part->strands = HEMC_STRANDS_RODS;
    part->tuning.rod_stiffness = 1.0f;
    part->rods.stiffness = 0.1f;
    part->rods.taper = 0.5f;
    part->lateral = LOCK_LATERAL;
    part->radius = (float)hemc_two_digits(fmin(LOCK_RADIUS * height, 0.25 * length));
    part->tuning.damping = part->tuning.angular_damping = LOCK_DAMPING;
    hemc_auto_drive(part, length, LOCK_SAG);
}

// Its number where another bone has the same name: that one would hold, too.
static const char* name_of_bone(hemc_arena* arena, const hemc_model* model, uint32_t bone) {
    const char* name = model->bone_defs[bone].name;
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        if (b != bone && strcmp(model->bone_defs[b].name, name) == 0) {
            return hemc_format(arena, "#%u", bone);
        }
    }
    return name;
}

static void make_part(hemc_arena* arena, const hemc_model* model, double scale, finding* f, const uint8_t* mask,
                      hemc_selector* selector, hemc_part_recipe* part) {
    static const char* const materials[] = {"cotton", "hair", "flesh", "flesh", "hair"};
    hemc_part_defaults(part);
    part->name = f->part;
    part->json_path = hemc_format(arena, "automatic part \"%s\"", f->part);
    part->selector = selector;
    double lock = 0; // length of one
    const uint32_t guides =
        f->kind == HEMC_LOOSE_HAIR && f->bones == NULL ? hemc_auto_locks(arena, model, mask, &lock) : 0;
    part->generator = f->kind == HEMC_LOOSE_CLOTH ? HEMC_CUT : guides != 0 ? HEMC_STRANDS : HEMC_SCATTER;
    part->kind = f->kind == HEMC_LOOSE_CLOTH ? HEM_PART_CLOTH : HEM_PART_SOFT;
    part->tethers = f->kind == HEMC_LOOSE_CLOTH;
    part->lies = f->kind == HEMC_LOOSE_HAIR && f->bones == NULL ? HEMC_LIES_ON_HEAD
                 : strcmp(f->part, "skirt") == 0 || strcmp(f->part, "robe") == 0 || strcmp(f->part, "coat") == 0
                     ? HEMC_LIES_ON_BODY
                     : HEMC_LIES_FREE;
    hemc_recipe_preset(materials[f->kind], part);
    part->chain_bones = f->bones;
    drive_part(model, scale, f, mask, part);
    if (guides != 0) {
        make_locks(model, scale, guides, scale * lock, part);
    }
    if (f->spring.swings && f->reach_count != 0) {
        hemc_auto_swing(part, &f->spring, scale * f->reach / f->reach_count, f->down / f->chain_count, f->longest,
                        scale, &f->why);
    }
    take_paints(model, part);
    uint32_t triangles;
    double area = area_of(model, mask, &triangles) * scale * scale;
    double particles = fmin(fmax(0.5 * triangles, 120.0), 400.0);
    // Particles on a square grid; soft parts cover both sides of something thick, cloth is one layer of two-sided area.
    // Small things (a bow, brows) get few: a particle finer than cloth folds only costs.
    double spacing = fmax(sqrt(area / particles), scale * hemc_auto_finest(model));
    part->spacing = (float)hemc_two_digits(guides != 0 ? scale * lock / LOCK_PIECES : spacing);

    if (part->spring_bones) {
        const double reach = scale * f->reach / f->reach_count * f->longest;
        part->tuning.shape_compliance *= (float)hemc_spring_softness((double)part->spacing, reach);
    }

    if (f->anchors != NULL && !hemc_paint_reaches(model, "_HEM_PIN", mask)) {
        uint32_t count = 0;
        for (uint32_t b = 0; b < model->bone_count; ++b) {
            count += f->anchors[b];
        }
        part->attach.automatic = false;
        part->attach.every_piece = true;
        part->attach.bones = hemc_alloc(arena, count, sizeof(char*));
        for (uint32_t b = 0; b < model->bone_count; ++b) {
            if (f->anchors[b]) {
                part->attach.bones[part->attach.bone_count++] = name_of_bone(arena, model, b);
            }
        }
    }
    hemc_text_add(&f->why, "; %u triangles, ", triangles);
    hemc_text_number(&f->why, floor(area * 1e4 + 0.5) / 1e4);
    hemc_text_add(&f->why, " m2");
    if (part->driven) {
        hemc_text_add(&f->why, ", driven to the pose at %.3g Hz", (double)part->tuning.drive);
    }
    if (guides != 0) {
        hemc_text_add(&f->why, ", in locks of %.2g m: %u strands", scale * lock, guides);
    }
    if (part->generator != HEMC_CUT) { // that of cloth is found by trial
        hemc_text_add(&f->why, ", hence a spacing of ");
        hemc_text_number(&f->why, (double)part->spacing);
        hemc_text_add(&f->why, " m");
    }
    part->why = f->why.data;
}

static bool whole_body(hemc_arena* arena, const hemc_model* model, double scale, finding* f, hemc_part_recipe* part) {
    uint8_t* mask = hemc_alloc(arena, model->triangle_count, 1);
    memset(mask, 1, model->triangle_count);
    uint32_t* all = hemc_alloc(arena, model->primitive_count, sizeof(uint32_t));
    double low = 1e30, high = -1e30;
    for (uint32_t p = 0; p < model->primitive_count; ++p) {
        all[p] = p;
    }
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        low = fmin(low, model->positions[v].y);
        high = fmax(high, model->positions[v].y);
    }
    f->part = "all";
    f->kind = HEMC_LOOSE_FLESH;
    f->why.arena = arena;
    hemc_text_add(&f->why, "the model has no skeleton and nothing named: all of it is one soft body on its lower end");
    make_part(arena, model, scale, f, mask, hemc_selector_of_primitives(arena, all, model->primitive_count), part);
    hemc_recipe_preset("jelly", part);
    hemc_auto_drive(part, scale * (high - low), FLESH_SAG); // however wide it is, it leans as far as it is high
    part->attach = (hemc_attach){.top = -1,
                                 .bottom = -1,
                                 .near = -1,
                                 .root = -1,
                                 .every_piece = true,
                                 .has_box = true,
                                 .box_min = {-1e9f, -1e9f, -1e9f},
                                 .box_max = {1e9f, 0, 1e9f}};
    part->attach.box_max[1] = (float)(scale * (low + 0.12 * (high - low)));
    return true;
}

// Triangles that nobody has yet.
static void claim(hemc_arena* arena, const hemc_model* model, const finding* f, uint8_t* mask, int32_t self,
                  int32_t* owner) {
    for (uint32_t p = 0; p < model->primitive_count; ++p) {
        const hemc_primitive* primitive = &model->primitives[p];
        memset(mask + primitive->triangle_begin, f->primitives[p], primitive->triangle_count);
    }
    uint8_t* chain = hemc_alloc(arena, model->triangle_count, 1);
    if (f->bones != NULL) {
        hemc_selector_mask(arena, model, hemc_selector_of_bones(arena, f->bones, model->bone_count, 0.5f), chain);
    }
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        owner[t] = owner[t] == HEM_NONE && (mask[t] || chain[t]) ? self : owner[t];
    }
}

// What chains of bones tell by where they lie, in the order in which they are looked for.
static const struct {
    uint32_t (*find)(hemc_arena* arena, const hemc_model* model, uint8_t* bones, uint8_t* anchors);
    const char* part;
    hemc_loose_kind kind;
    hemc_auto_kind sure;
    const char* why; // of how many
} CHAINS[] = {
    {hemc_auto_head_chains, "hair", HEMC_LOOSE_HAIR, HEMC_AUTO_SURE, "%u chains of bones go down from the head"},
    {hemc_auto_tail_chains, "tail", HEMC_LOOSE_FLESH, HEMC_AUTO_SURE,
     "a chain of bones in the middle leads away from the head"},
    {hemc_auto_ear_chains, "ears", HEMC_LOOSE_FLESH, HEMC_AUTO_EARS,
     "chains of bones stand up from the head, left and right"},
};

// Where no name told anything. Only on a skeleton: a statue's hair is stone.
static void find_shapes(hemc_arena* arena, const hemc_model* model, finding* list, uint32_t* count,
                        hemc_auto_kind* kinds, int32_t* owner) {
    if (model->bone_count < 3) {
        return;
    }
    for (size_t i = 0; i < sizeof(CHAINS) / sizeof(CHAINS[0]); ++i) {
        uint8_t* bones = hemc_alloc(arena, model->bone_count, 1);
        uint8_t* anchors = hemc_alloc(arena, model->bone_count, 1);
        const uint32_t chains = CHAINS[i].find(arena, model, bones, anchors);
        if (chains == 0) {
            continue;
        }
        uint8_t* mask = hemc_alloc(arena, model->triangle_count, 1);
        kinds[*count] = CHAINS[i].sure;
        finding* f = finding_of(arena, model, list, count, CHAINS[i].part, CHAINS[i].kind);
        f->bones = bones;
        f->anchors = anchors;
        hemc_text_add(&f->why, CHAINS[i].why, chains);
        claim(arena, model, f, mask, (int32_t)*count - 1, owner);
    }
    hemc_auto_shape shapes[HEMC_AUTO_SHAPES];
    const uint32_t shape_count = hemc_auto_shapes(arena, model, shapes);
    for (uint32_t i = 0; i < shape_count; ++i) {
        finding* f = finding_of(arena, model, list, count, shapes[i].part, shapes[i].kind);
        const int32_t self = (int32_t)(f - list);
        if (f->bones != NULL) {
            continue; // found by its bones
        }
        kinds[self] = f->kind == HEMC_LOOSE_HAIR ? HEMC_AUTO_HAIR : HEMC_AUTO_SURE;
        const char* name = "";
        for (uint32_t t = model->triangle_count; t-- > 0;) {
            if (shapes[i].mask[t] && owner[t] == HEM_NONE) {
                owner[t] = self;
                name = model->primitives[model->triangle_primitive[t]].name;
            }
        }
        hemc_text_add(&f->why, "%s\"%s\" %s", f->why.size != 0 ? "; " : "", name, shapes[i].why);
    }
}

// Where no garment was found by name or bones: artists who name one name them all.
static void find_skirts(hemc_arena* arena, const hemc_model* model, finding* list, uint32_t* count,
                        hemc_auto_kind* kinds, uint8_t* mask, int32_t* owner) {
    for (uint32_t i = 0; i < *count; ++i) {
        if (list[i].kind == HEMC_LOOSE_CLOTH) {
            return;
        }
    }
    uint32_t primitive = 0;
    memset(mask, 0, model->triangle_count);
    if (model->bone_count < 2 || !hemc_auto_hems(arena, model, owner, mask, &primitive)) {
        return;
    }
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        owner[t] = mask[t] ? (int32_t)*count : owner[t];
    }
    kinds[*count] = HEMC_AUTO_SURE;
    finding* f = finding_of(arena, model, list, count, "skirt", HEMC_LOOSE_CLOTH);
    hemc_text_add(&f->why, "a piece of \"%s\" has a wide open hem that legs go through and nothing touches",
                  model->primitives[primitive].node_name);
}

// What of `other` now belongs to f.
static void tell_pieces(const hemc_model* model, finding* f, const finding* other, const int32_t* first,
                        const int32_t* owner, int32_t self, int32_t from) {
    uint32_t count = 0;
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        count += from != self && first[t] == from && owner[t] == self;
    }
    if (count != 0) {
        hemc_text_add(&f->why, "; with %u triangles of \"%s\" that lie on it", count, other->part);
    }
}

static void meet_colliders(hemc_arena* arena, hemc_log* log, const hemc_model* model, const finding* list,
                           uint32_t count, const int32_t* owner, hemc_recipe* recipe) {
    uint64_t groups = 0;
    uint8_t* moves = hemc_alloc(arena, model->vertex_count, 1);
    double hit_radius = 0;
    for (uint32_t i = 0; i < count; ++i) {
        groups |= list[i].bones != NULL ? list[i].spring.groups : 0;
        hit_radius = fmax(hit_radius, (double)list[i].spring.hit_radius);
    }
    for (uint32_t i = 0; i < 3 * model->triangle_count; ++i) {
        moves[model->triangles[i]] |= owner[i / 3] != HEM_NONE;
    }
    if (groups != 0) {
        hemc_auto_colliders(arena, log, model, moves, groups, hit_radius, recipe);
    }
}

bool hemc_recipe_automatic(hemc_arena* arena, hemc_log* log, const hemc_model* model, hemc_recipe* recipe) {
    recipe->automatic = true;
    recipe->scale = recipe->scale > 0 ? recipe->scale : (float)hemc_auto_scale(arena, log, model);
    const double scale = (double)recipe->scale;
    finding* list = hemc_alloc(arena, HEMC_LOOSE_PARTS + 4, sizeof(finding));
    uint32_t count = 0;
    find_chains(arena, log, model, scale, list, &count);
    find_names(arena, model, list, &count);
    drop_whole(arena, log, model, list, &count);
    const bool named = count != 0;
    recipe->parts = hemc_alloc(arena, HEMC_LOOSE_PARTS + 4, sizeof(hemc_part_recipe));
    uint8_t* mask = hemc_alloc(arena, model->triangle_count, 1);
    int32_t* owner = hemc_alloc(arena, model->triangle_count, sizeof(int32_t));
    int32_t* first = hemc_alloc(arena, model->triangle_count, sizeof(int32_t));
    hemc_auto_kind* kinds = hemc_alloc(arena, HEMC_LOOSE_PARTS + 4, sizeof(hemc_auto_kind));
    memset(first, 0xff, model->triangle_count * sizeof(int32_t));
    if (!named) {
        find_shapes(arena, model, list, &count, kinds, first);
    }
    const bool sheets = !named && count == 0;
    if (sheets) {
        find_sheets(arena, model, list, &count);
    }
    for (uint32_t i = 0; i < count && (named || sheets); ++i) {
        kinds[i] = strcmp(list[i].part, "ears") == 0 ? HEMC_AUTO_EARS
                   : list[i].bones != NULL           ? HEMC_AUTO_SURE
                   : list[i].kind == HEMC_LOOSE_HAIR ? HEMC_AUTO_HAIR
                                                     : HEMC_AUTO_CLOTH;
        claim(arena, model, &list[i], mask, (int32_t)i, first);
    }
    find_skirts(arena, model, list, &count, kinds, mask, first);
    memcpy(owner, first, model->triangle_count * sizeof(int32_t));
    hemc_auto_pieces(arena, model, kinds, count, owner);
    for (uint32_t i = 0; i < count; ++i) {
        finding* f = &list[i];
        uint32_t left = 0, lost = 0;
        for (uint32_t t = 0; t < model->triangle_count; ++t) {
            mask[t] = owner[t] == (int32_t)i;
            left += mask[t];
            lost += first[t] == (int32_t)i && owner[t] == HEM_NONE;
        }
        if (kinds[i] != HEMC_AUTO_SURE && lost != 0) {
            hemc_note(log, model->path, "",
                      "%u triangles of \"%s\" (%s) lie close to the body everywhere and stay with the skeleton", lost,
                      f->part, f->why.data);
        }
        for (uint32_t k = 0; k < count; ++k) {
            tell_pieces(model, f, &list[k], first, owner, (int32_t)i, (int32_t)k);
        }
        if (left < 8) {
            continue; // a helper bone, an eyelash
        }
        if (kinds[i] == HEMC_AUTO_CLOTH && is_small(model, mask)) {
            hemc_note(log, model->path, "", "\"%s\" (%s) is too small to move as cloth and stays with the skeleton",
                      f->part, f->why.data);
            continue;
        }
        if (f->bones != NULL && f->kind != HEMC_LOOSE_HAIR && left > WHOLE_SHARE * model->triangle_count) {
            hemc_note(log, model->path, "",
                      "\"%s\" (%s) would be %u of %u triangles: that is the character, not something loose on it",
                      f->part, f->why.data, left, model->triangle_count);
            continue;
        }
        make_part(arena, model, scale, f, mask, hemc_selector_of_triangles(arena, mask, model->triangle_count),
                  &recipe->parts[recipe->part_count++]);
    }
    meet_colliders(arena, log, model, list, count, owner, recipe);
    hemc_auto_tell_left(log, model, first);
    if (recipe->part_count == 0 && model->bone_count == 1) {
        finding f = {0};
        whole_body(arena, model, scale, &f, &recipe->parts[recipe->part_count++]);
    }
    if (recipe->part_count == 0) {
        return hemc_error(log, HEMC_INPUT, model->path, "",
                          "nothing loose was found by bones, names or shape among %s; -v says why each was left, and a "
                          "recipe says what "
                          "moves (-r, see docs/recipe.md)",
                          hemc_auto_names_told(arena, model));
    }
    return true;
}
