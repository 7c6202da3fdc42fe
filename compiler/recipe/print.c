// SPDX-License-Identifier: MIT
#include "compiler/recipe/recipe.h"

#include <string.h>

// What automatic mode decided, as a recipe that one can edit.
//
// The text is what the asset is said to be made from: its hash stands in the header, so that the recipe compiled again gives
// the same bytes. It holds nothing that does not change the asset but comments, and no path.
//
// Automatic mode picks triangles one by one; a person picks by names. So names are tried first (material, node, mesh),
// then chains of bones, both together, then connected pieces of what names take; each is read and evaluated as the
// compiler will, and the first that takes just the same triangles is printed. What nothing describes is listed by number.

#define PIECES_LISTED 48 // more are not something to edit

typedef struct printer {
    hemc_arena* arena;
    const hemc_model* model;
    hemc_text out;
} printer;

// -- Selectors

typedef struct wanted {
    const uint8_t* mask;
    const uint8_t* taken; // by earlier parts: whether they are selected too does not matter
} wanted;

// The mask of a selector's text. False = it is none.
static bool evaluate_text(const printer* p, const char* text, uint8_t* mask) {
    hemc_log log = {.arena = p->arena};
    const hemc_json* json = hemc_json_parse(p->arena, &log, "", "", text, strlen(text), false);
    const hemc_recipe_reader r = {
        .arena = p->arena, .log = &log, .file = "", .text = text, .prefix = "", .model = p->model};
    const hemc_selector* s = json != NULL ? hemc_selector_parse(&r, json) : NULL;
    if (s != NULL) {
        hemc_selector_mask(p->arena, p->model, s, mask);
    }
    return s != NULL;
}

static bool same(const printer* p, const wanted* w, const uint8_t* mask) {
    for (uint32_t t = 0; t < p->model->triangle_count; ++t) {
        if (!w->taken[t] && w->mask[t] != mask[t]) {
            return false;
        }
    }
    return true;
}

static bool fits(const printer* p, const wanted* w, const char* text) {
    uint8_t* mask = hemc_alloc(p->arena, p->model->triangle_count, 1);
    return text != NULL && evaluate_text(p, text, mask) && same(p, w, mask);
}

static void add_name(hemc_text* list, uint32_t* count, const char* name) {
    hemc_text_add(list, *count != 0 ? ", " : "");
    hemc_text_quoted(list, name);
    ++*count;
}

// One name by itself, more of them as an array.
static char* keyed(hemc_arena* arena, const char* key, const hemc_text* list, uint32_t count, const char* more) {
    return hemc_format(arena, count == 1 ? "{\"%s\": %s%s}" : "{\"%s\": [%s]%s}", key, list->data, more);
}

static const char* name_of(const hemc_primitive* primitive, int kind) {
    return kind == 0 ? primitive->material_name : kind == 1 ? primitive->node_name : primitive->mesh_name;
}

static const char* const name_keys[] = {"material", "node", "mesh"};

// All names of one kind under which something wanted is; NULL = something of it has no name.
static char* by_names(const printer* p, const wanted* w, int kind, const char* more) {
    hemc_text list = {.arena = p->arena};
    uint32_t count = 0;
    const hemc_model* model = p->model;
    for (uint32_t i = 0; i < model->primitive_count; ++i) {
        const hemc_primitive* primitive = &model->primitives[i];
        const char* name = name_of(primitive, kind);
        bool any = false, known = false;
        for (uint32_t t = 0; t < primitive->triangle_count && !any; ++t) {
            any = w->mask[primitive->triangle_begin + t] != 0;
        }
        for (uint32_t k = 0; k < i && any && !known; ++k) {
            const hemc_primitive* before = &model->primitives[k];
            bool listed = false;
            for (uint32_t t = 0; t < before->triangle_count && !listed; ++t) {
                listed = w->mask[before->triangle_begin + t] != 0;
            }
            known = listed && strcmp(name_of(before, kind), name) == 0;
        }
        if (any && name[0] == 0) {
            return NULL;
        }
        if (any && !known) {
            add_name(&list, &count, name);
        }
    }
    return count != 0 ? keyed(p->arena, name_keys[kind], &list, count, more) : NULL;
}

static char* by_bones(const printer* p, const uint8_t* bones) {
    hemc_text list = {.arena = p->arena};
    uint32_t count = 0;
    for (uint32_t b = 0; b < p->model->bone_count && bones != NULL; ++b) {
        const int32_t parent = p->model->bone_defs[b].parent;
        if (bones[b] && (parent == HEM_NONE || !bones[parent])) {
            add_name(&list, &count, p->model->bone_defs[b].name);
        }
    }
    return count != 0 ? keyed(p->arena, "bones", &list, count, ", \"bones_below\": true") : NULL;
}

// Pieces of what a selector takes. NULL = a piece is only partly wanted, or there are too many.
static char* by_pieces(const printer* p, const wanted* w, int kind) {
    const uint32_t triangles = p->model->triangle_count;
    uint8_t* mask = hemc_alloc(p->arena, triangles, 1);
    const char* all = by_names(p, w, kind, "");
    if (all == NULL || !evaluate_text(p, all, mask)) {
        return NULL;
    }
    uint32_t* numbers = hemc_alloc(p->arena, triangles, sizeof(uint32_t));
    const uint32_t count = hemc_number_components(p->arena, p->model, mask, numbers);
    uint8_t* kept = hemc_alloc(p->arena, count, 1);
    for (uint32_t t = 0; t < triangles; ++t) {
        if (w->mask[t] && mask[t]) {
            kept[numbers[t]] = 1;
        }
    }
    hemc_text list = {.arena = p->arena};
    uint32_t listed = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (kept[i] && ++listed <= PIECES_LISTED) {
            hemc_text_add(&list, "%s%u", listed > 1 ? ", " : "", i);
        }
    }
    return listed != 0 && listed <= PIECES_LISTED
               ? by_names(p, w, kind, hemc_format(p->arena, ", \"component\": [%s]", list.data))
               : NULL;
}

static char* by_numbers(const printer* p, const wanted* w) {
    hemc_text list = {.arena = p->arena};
    const uint32_t count = p->model->triangle_count;
    for (uint32_t t = 0; t < count; ++t) {
        if (!w->mask[t]) {
            continue;
        }
        uint32_t last = t;
        while (last + 1 < count && w->mask[last + 1]) {
            ++last;
        }
        hemc_text_add(&list, last > t ? "%s%u-%u" : "%s%u", list.size != 0 ? ", " : "", t, last);
        t = last;
    }
    return hemc_format(p->arena, "{\"triangles\": \"%s\"}", list.data);
}

// NULL = nothing describes it but numbers.
static const char* describe(const printer* p, const wanted* w, const uint8_t* bones) {
    const char* chain = by_bones(p, bones);
    const char* names[3];
    for (int kind = 0; kind < 3; ++kind) {
        names[kind] = by_names(p, w, kind, "");
        if (fits(p, w, names[kind])) {
            return names[kind];
        }
    }
    if (fits(p, w, chain)) {
        return chain;
    }
    for (int kind = 0; kind < 3; ++kind) {
        const char* both = names[kind] != NULL && chain != NULL
                               ? hemc_format(p->arena, "{\"any\": [%s, %s]}", names[kind], chain)
                               : NULL;
        const char* pieces = by_pieces(p, w, kind);
        if (fits(p, w, both) || fits(p, w, pieces)) {
            return fits(p, w, both) ? both : pieces;
        }
    }
    return NULL;
}

// Better without the help of earlier parts, so that parts may change places.
static const char* selector_text(const printer* p, const wanted* w, const uint8_t* bones) {
    const wanted alone = {w->mask, hemc_alloc(p->arena, p->model->triangle_count, 1)};
    const char* text = describe(p, &alone, bones);
    text = text != NULL ? text : describe(p, w, bones);
    return text != NULL ? text : by_numbers(p, w);
}

// -- Parts

static void add_number(printer* p, const char* key, double value) {
    hemc_text_add(&p->out, ",\n      \"%s\": ", key);
    hemc_text_number(&p->out, value);
}

static void add_vector(hemc_text* out, const char* key, const float v[3]) {
    hemc_text_add(out, "\"%s\": [", key);
    for (int i = 0; i < 3; ++i) {
        hemc_text_add(out, i == 0 ? "" : ", ");
        hemc_text_number(out, (double)v[i]);
    }
    hemc_text_add(out, "]");
}

static void add_attach(printer* p, const hemc_attach* a) {
    if (a->automatic) {
        return;
    }
    hemc_text_add(&p->out, ",\n      \"attach\": ");
    if (a->none) {
        hemc_text_add(&p->out, "\"none\"");
        return;
    }
    hemc_text_add(&p->out, "{\"every_piece\": %s", a->every_piece ? "true" : "false");
    const struct {
        const char* key;
        float metres;
    } numbers[] = {{"top", a->top}, {"bottom", a->bottom}, {"near", a->near}, {"root", a->root}};
    for (int i = 0; i < 4; ++i) {
        if (numbers[i].metres >= 0) {
            hemc_text_add(&p->out, ", \"%s\": ", numbers[i].key);
            hemc_text_number(&p->out, (double)numbers[i].metres);
        }
    }
    if (a->paint != NULL) {
        hemc_text_add(&p->out, ", \"paint\": ");
        hemc_text_quoted(&p->out, a->paint);
    }
    for (uint32_t i = 0; i < a->bone_count; ++i) {
        hemc_text_add(&p->out, i == 0 ? ", \"bones\": [" : ", ");
        hemc_text_quoted(&p->out, a->bones[i]);
    }
    hemc_text_add(&p->out, a->bone_count != 0 ? "]" : "");
    if (a->has_box) {
        hemc_text_add(&p->out, ", \"box\": {");
        add_vector(&p->out, "min", a->box_min);
        hemc_text_add(&p->out, ", ");
        add_vector(&p->out, "max", a->box_max);
        hemc_text_add(&p->out, "}");
    }
    hemc_text_add(&p->out, "}");
}

static void add_strands(printer* p, const hemc_part_recipe* part) {
    if (part->guide_count != 0) {
        add_number(p, "guides", part->guide_count);
    }
    if (part->segment_count != 0) {
        add_number(p, "segments", part->segment_count);
    }
    for (uint32_t i = 0; i < part->chain_count; ++i) {
        hemc_text_add(&p->out, i == 0 ? ",\n      \"chains\": [" : ", ");
        hemc_text_quoted(&p->out, part->chains[i]);
    }
    hemc_text_add(&p->out, part->chain_count != 0 ? "]" : "");
    if (part->strands == HEMC_STRANDS_CHAINS) {
        hemc_text_add(&p->out, ",\n      \"inextensible\": true");
    } else if (part->strands == HEMC_STRANDS_RODS) {
        hemc_text_add(&p->out, ",\n      \"rods\": {\"stiffness\": ");
        hemc_text_number(&p->out, (double)part->rods.stiffness);
        hemc_text_add(&p->out, ", \"twist\": ");
        hemc_text_number(&p->out, (double)part->rods.twist);
        hemc_text_add(&p->out, ", \"taper\": ");
        hemc_text_number(&p->out, (double)part->rods.taper);
        hemc_text_add(&p->out, "}");
    }
}

// Everything in which the part differs from what its kind, generator and material say.
static void add_values(printer* p, const hemc_part_recipe* part) {
    hemc_part_recipe plain;
    hemc_part_defaults(&plain);
    plain.kind = part->kind;
    plain.generator = part->generator;
    hemc_recipe_preset(part->material, &plain);
    uint32_t count;
    const hemc_number_key* keys = hemc_part_number_keys(&count);
    for (uint32_t i = 0; i < count; ++i) {
        float value, usual;
        memcpy(&value, (const char*)part + keys[i].offset, sizeof(value));
        memcpy(&usual, (const char*)&plain + keys[i].offset, sizeof(usual));
        if (value != usual) {
            add_number(p, keys[i].key, (double)value);
        }
    }
    if (part->driven && part->tuning.drive == 0) {
        add_number(p, "drive", 0);
    }
    if (part->driven && part->kind == HEM_PART_SOFT) {
        hemc_text_add(&p->out, ",\n      \"tracking\": %s", part->tuning.tracking ? "true" : "false");
    }
    if (!part->rods.sag_free) {
        hemc_text_add(&p->out, ",\n      \"sag_free\": false");
    }
    if (part->spring_bones) {
        hemc_text_add(&p->out, ",\n      \"spring_bones\": true");
    }
    if (part->self_collision) {
        hemc_text_add(&p->out, ",\n      \"self_collision\": true");
    }
    if (!part->axis_auto) {
        hemc_text_add(&p->out, ",\n      ");
        add_vector(&p->out, "axis", part->axis);
    }
    if (part->lies != HEMC_LIES_FREE) {
        hemc_text_add(&p->out, ",\n      \"lies_on\": \"%s\"", part->lies == HEMC_LIES_ON_HEAD ? "head" : "body");
    }
}

static void add_part(printer* p, const hemc_part_recipe* part, const wanted* w) {
    static const char* const generators[] = {"cut", "scatter", "strands", "vertices", "lattice"};
    char* why = hemc_format(p->arena, "%s", part->why != NULL ? part->why : "");
    for (char* c = why; *c != 0; ++c) {
        *c = (unsigned char)*c < ' ' ? ' ' : *c; // names may hold line ends
    }
    hemc_text_add(&p->out, "    {\n      // %s\n      \"name\": ", why);
    hemc_text_quoted(&p->out, part->name);
    hemc_text_add(&p->out,
                  ",\n      \"select\": %s,\n      \"generator\": \"%s\", \"kind\": \"%s\", \"material\": \"%s\"",
                  selector_text(p, w, part->chain_bones), generators[part->generator],
                  part->kind == HEM_PART_CLOTH ? "cloth" : "soft", part->material);
    add_values(p, part);
    add_strands(p, part);
    add_attach(p, &part->attach);
    hemc_text_add(&p->out, "\n    }");
}

// Those of a VRM; what a recipe gave is kept as it was written.
static void add_colliders(printer* p, const hemc_recipe* recipe) {
    for (uint32_t i = 0; i < recipe->spring_collider_count; ++i) {
        const hemc_collider_recipe* c = &recipe->colliders[i];
        const bool capsule = c->kind == HEM_SHAPE_CAPSULE;
        hemc_text_add(&p->out, "%s    {\"name\": ", i == 0 ? ",\n  \"colliders\": [\n" : ",\n");
        hemc_text_quoted(&p->out, c->name);
        hemc_text_add(&p->out, ", \"shape\": \"%s\", \"bone\": ", capsule ? "capsule" : "sphere");
        hemc_text_quoted(&p->out, c->bone);
        hemc_text_add(&p->out, ", ");
        add_vector(&p->out, capsule ? "from" : "center", c->ends[0]);
        if (capsule) {
            hemc_text_add(&p->out, ", ");
            add_vector(&p->out, "to", c->ends[1]);
        }
        hemc_text_add(&p->out, ", \"radius\": ");
        hemc_text_number(&p->out, (double)c->size[0]);
        hemc_text_add(&p->out, "}");
    }
    hemc_text_add(&p->out, recipe->spring_collider_count != 0 ? "\n  ]" : "");
}

char* hemc_recipe_print(hemc_arena* arena, const hemc_model* model, const hemc_recipe* recipe, const int32_t* owner) {
    printer p = {.arena = arena, .model = model, .out = {.arena = arena}};
    uint8_t* mask = hemc_alloc(arena, model->triangle_count, 1);
    uint8_t* taken = hemc_alloc(arena, model->triangle_count, 1);
    hemc_text_add(&p.out, "{\n  \"version\": 1,\n  \"scale\": ");
    hemc_text_number(&p.out, (double)recipe->scale);
    uint32_t accessories = 0;
    for (uint32_t t = 0; t < model->triangle_count && recipe->accessories != NULL; ++t) {
        accessories += recipe->accessories[t];
    }
    if (accessories != 0) {
        const wanted w = {recipe->accessories, taken};
        hemc_text_add(&p.out, ",\n  // neither loose nor body\n  \"accessories\": %s", selector_text(&p, &w, NULL));
    } else if (recipe->no_accessories || recipe->accessory_selector != NULL) {
        hemc_text_add(&p.out, ",\n  \"accessories\": false");
    }
    hemc_text_add(&p.out, ",\n  \"parts\": [\n");
    for (uint32_t i = 0; i < recipe->part_count; ++i) {
        for (uint32_t t = 0; t < model->triangle_count; ++t) {
            mask[t] = owner[t] == (int32_t)i;
            taken[t] = owner[t] != HEM_NONE && owner[t] < (int32_t)i;
        }
        const wanted w = {mask, taken};
        add_part(&p, &recipe->parts[i], &w);
        hemc_text_add(&p.out, i + 1 < recipe->part_count ? ",\n" : "\n");
    }
    hemc_text_add(&p.out, "  ]%s", recipe->kept != NULL ? recipe->kept : "");
    add_colliders(&p, recipe);
    hemc_text_add(&p.out, "\n}\n");
    return p.out.data;
}
