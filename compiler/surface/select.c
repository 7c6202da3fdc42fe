// SPDX-License-Identifier: MIT
#include "compiler/recipe/recipe.h"

#include <string.h>

// Which triangles belong to which part.
//
// A selector is a small tree over triangles: an object's keys are conditions that must all hold, "any" and "not"
// combine. Evaluating it fills one byte per triangle. "component" comes last: it numbers the connected pieces of what
// the other keys of its object leave, so that "the second largest piece of the hair material" can be said.

typedef enum selector_kind {
    SELECT_ALL, // of its children
    SELECT_ANY,
    SELECT_NOT,
    SELECT_NODE,
    SELECT_MESH,
    SELECT_MATERIAL,
    SELECT_BONES,
    SELECT_PAINT,
    SELECT_BOX,
    SELECT_COMPONENT,
    SELECT_PRIMITIVES, // from extras: by index
    SELECT_TRIANGLES,  // by index
} selector_kind;

struct hemc_selector {
    selector_kind kind;
    hemc_selector** children;
    uint32_t child_count;
    const char** globs;
    uint32_t glob_count;
    const char* json_path;
    const uint8_t* flags; // per primitive, bone or triangle
    float weight;
    bool below;
    const char* paint;
    float box_min[3], box_max[3];
    uint32_t* components;
    uint32_t component_count;
};

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool hemc_glob(const char* pattern, const char* name) {
    // Greedy with one way back: where the last '*' stood.
    const char* star = NULL;
    const char* mark = NULL;
    while (*name != 0) {
        if (*pattern == '*') {
            star = pattern++;
            mark = name;
        } else if (*pattern == '?' || (*pattern != 0 && lower(*pattern) == lower(*name))) {
            ++pattern;
            ++name;
        } else if (star != NULL) {
            pattern = star + 1;
            name = ++mark;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        ++pattern;
    }
    return *pattern == 0;
}

bool hemc_bone_matches(const hemc_model* model, uint32_t bone, const char* pattern) {
    if (pattern[0] == '#') {
        uint64_t number = 0;
        const char* c = pattern + 1;
        for (; *c >= '0' && *c <= '9' && number < UINT32_MAX; ++c) {
            number = 10 * number + (uint64_t)(*c - '0');
        }
        if (*c == 0 && c > pattern + 1 && number == bone) {
            return true;
        }
    }
    return hemc_glob(pattern, model->bone_defs[bone].name);
}

// -- Paint

static bool same_name(const char* a, const char* b, size_t length) {
    for (size_t i = 0; i < length; ++i) {
        if (lower(a[i]) != lower(b[i]) || a[i] == 0) {
            return false;
        }
    }
    return b[length] == 0;
}

// Underscores at the beginning do not count (recipe/paint.c).
static float* find_paint(const hemc_model* model, const char* name, size_t length) {
    const size_t scores = strspn(name, "_") < length ? strspn(name, "_") : 0;
    for (uint32_t i = 0; i < model->paint_count; ++i) {
        const char* own = model->paints[i].name;
        if (same_name(name + scores, own + strspn(own, "_"), length - scores)) {
            return model->paints[i].values;
        }
    }
    return NULL;
}

float* hemc_paint_values(const hemc_model* model, const char* name) {
    return find_paint(model, name, strlen(name));
}

typedef struct paint_test {
    const float* values;
    char relation; // '<' '>' 'l' (<=) 'g' (>=)
    double limit;
} paint_test;

// "NAME" means "NAME > 0.5".
static bool parse_paint(const hemc_model* model, const char* expression, paint_test* test, bool* well_formed) {
    size_t length = strcspn(expression, " <>=");
    const char* at = expression + length;
    *well_formed = length != 0;
    test->relation = '>';
    test->limit = 0.5;
    at += strspn(at, " ");
    if (*at != 0) {
        bool equal = at[0] != 0 && at[1] == '=';
        if (*at != '<' && *at != '>') {
            *well_formed = false;
            return false;
        }
        test->relation = equal ? (*at == '<' ? 'l' : 'g') : *at;
        at += equal ? 2 : 1;
        at += strspn(at, " ");
        size_t used = hemc_parse_number(at, strlen(at), &test->limit);
        at += used;
        at += strspn(at, " ");
        if (used == 0 || *at != 0) {
            *well_formed = false;
            return false;
        }
    }
    test->values = find_paint(model, expression, length);
    return test->values != NULL;
}

static bool paint_holds(const paint_test* test, double value) {
    return test->relation == '<'   ? value < test->limit
           : test->relation == '>' ? value > test->limit
           : test->relation == 'l' ? value <= test->limit
                                   : value >= test->limit;
}

bool hemc_paint_test(const char* expression, const hemc_model* model, uint32_t vertex, bool* holds) {
    paint_test test;
    bool well_formed;
    *holds = false;
    if (!parse_paint(model, expression, &test, &well_formed)) {
        return false;
    }
    *holds = paint_holds(&test, test.values[vertex]);
    return true;
}

bool hemc_selector_uses_paint(const hemc_selector* s, const char* paint) {
    const size_t scores = strspn(paint, "_");
    bool any = false;
    for (uint32_t i = 0; i < s->child_count && !any; ++i) {
        any = hemc_selector_uses_paint(s->children[i], paint);
    }
    if (s->kind == SELECT_PAINT) {
        const char* name = s->paint + strspn(s->paint, "_");
        any = any || same_name(name, paint + scores, strcspn(name, " <>="));
    }
    return any;
}

// -- Parsing

static hemc_selector* new_selector(hemc_arena* arena, selector_kind kind) {
    hemc_selector* s = hemc_alloc(arena, 1, sizeof(hemc_selector));
    s->kind = kind;
    s->json_path = "";
    return s;
}

static void add_child(hemc_arena* arena, hemc_selector* s, hemc_selector* child) {
    size_t capacity = s->child_count;
    s->children = hemc_grow(arena, s->children, &capacity, (size_t)s->child_count + 1, sizeof(hemc_selector*));
    s->children[s->child_count++] = child;
}

// Names that a glob could have meant, for "there are: ...".
static void warn_unmatched(const hemc_recipe_reader* r, const hemc_json* value, const hemc_selector* s) {
    const hemc_model* model = r->model;
    uint32_t count = s->kind == SELECT_BONES ? model->bone_count : model->primitive_count;
    const char** names = hemc_alloc(r->arena, count, sizeof(char*));
    for (uint32_t i = 0; i < count; ++i) {
        names[i] = s->kind == SELECT_BONES  ? model->bone_defs[i].name
                   : s->kind == SELECT_NODE ? model->primitives[i].node_name
                   : s->kind == SELECT_MESH ? model->primitives[i].mesh_name
                                            : model->primitives[i].material_name;
    }
    for (uint32_t g = 0; g < s->glob_count; ++g) {
        bool any = false;
        for (uint32_t i = 0; i < count && !any; ++i) {
            any = hemc_glob(s->globs[g], names[i]);
        }
        if (any) {
            continue;
        }
        hemc_text list = {.arena = r->arena};
        uint32_t listed = 0;
        for (uint32_t i = 0; i < count && listed < 12; ++i) {
            bool seen = names[i][0] == 0;
            for (uint32_t k = 0; k < i && !seen; ++k) {
                seen = strcmp(names[k], names[i]) == 0;
            }
            if (!seen) {
                hemc_text_add(&list, "%s%s", listed++ == 0 ? "" : ", ", names[i]);
            }
        }
        const char* near = hemc_recipe_nearest(s->globs[g], names, count);
        hemc_warn(r->log, r->file, hemc_json_pointer(r->arena, r->prefix, value),
                  "nothing is named \"%s\"%s%s%s; there are: %s", s->globs[g], near != NULL ? "; did you mean \"" : "",
                  near != NULL ? near : "", near != NULL ? "\"?" : "", list.size != 0 ? list.data : "none");
    }
}

static hemc_selector* parse_globs(const hemc_recipe_reader* r, const hemc_json* value, selector_kind kind) {
    hemc_selector* s = new_selector(r->arena, kind);
    if (!hemc_recipe_strings(r, value->parent, value->key, &s->globs, &s->glob_count)) {
        return NULL;
    }
    if (r->model != NULL) {
        warn_unmatched(r, value, s);
    }
    return s;
}

static hemc_selector* parse_components(const hemc_recipe_reader* r, const hemc_json* value) {
    hemc_selector* s = new_selector(r->arena, SELECT_COMPONENT);
    uint32_t count = value->kind == HEMC_JSON_ARRAY ? value->count : 1;
    s->components = hemc_alloc(r->arena, count, sizeof(uint32_t));
    const hemc_json* item = value->kind == HEMC_JSON_ARRAY ? value->first : value;
    for (uint32_t i = 0; i < count; ++i, item = item->next) {
        if (item->kind != HEMC_JSON_NUMBER || item->number < 0 || item->number > 1e6 ||
            item->number != (double)(uint32_t)item->number) {
            hemc_recipe_fault(r, item, "must be a whole number, 0 (the largest piece) or more");
            return NULL;
        }
        s->components[s->component_count++] = (uint32_t)item->number;
    }
    return s;
}

// "0-11, 15, 20-63": by number, as the compiler counts them.
static hemc_selector* parse_triangles(const hemc_recipe_reader* r, const hemc_json* value) {
    const uint32_t count = r->model != NULL ? r->model->triangle_count : 0;
    uint8_t* flags = hemc_alloc(r->arena, count, 1);
    const char* at = value->kind == HEMC_JSON_STRING ? value->string : "";
    bool good = *at != 0;
    while (good && *at != 0) {
        uint64_t ends[2] = {0, 0};
        for (int e = 0; e < 2 && good; ++e) {
            good = *at >= '0' && *at <= '9';
            for (; *at >= '0' && *at <= '9'; ++at) {
                ends[e] = ends[e] < UINT32_MAX ? 10 * ends[e] + (uint64_t)(*at - '0') : ends[e];
            }
            if (e == 0 && *at != '-') {
                ends[1] = ends[0];
                break;
            }
            at += e == 0;
        }
        good = good && ends[0] <= ends[1] && ends[1] < count && (*at == 0 || *at == ',');
        for (uint64_t t = ends[0]; good && t <= ends[1]; ++t) {
            flags[t] = 1;
        }
        if (*at == ',') {
            ++at;
            at += strspn(at, " ");
            good = good && *at != 0;
        }
    }
    if (!good) {
        hemc_recipe_fault(r, value, "must be numbers of triangles such as \"0-11, 15\", of which the model has %u",
                          count);
        return NULL;
    }
    return hemc_selector_of_triangles(r->arena, flags, count);
}

static hemc_selector* parse_index(const hemc_recipe_reader* r, const hemc_json* value) {
    const hemc_model* model = r->model;
    uint32_t index = (uint32_t)value->number;
    if (strcmp(value->key, "$bone") == 0) {
        uint8_t* bones = hemc_alloc(r->arena, model->bone_count, 1);
        for (uint32_t b = 0; b < model->bone_count; ++b) {
            int32_t parent = model->bone_defs[b].parent;
            bones[b] = hemc_import_bone_of_node(model, index) == (int32_t)b || (parent != HEM_NONE && bones[parent]);
        }
        return hemc_selector_of_bones(r->arena, bones, model->bone_count, 0.5f);
    }
    uint32_t* list = hemc_alloc(r->arena, model->primitive_count, sizeof(uint32_t));
    uint32_t count = 0;
    for (uint32_t p = 0; p < model->primitive_count; ++p) {
        const hemc_primitive* primitive = &model->primitives[p];
        bool taken = strcmp(value->key, "$mesh") == 0       ? primitive->mesh == index
                     : strcmp(value->key, "$material") == 0 ? primitive->material == index
                                                            : hemc_import_node_is_below(model, primitive->node, index);
        if (taken) {
            list[count++] = p;
        }
    }
    return hemc_selector_of_primitives(r->arena, list, count);
}

hemc_selector* hemc_selector_parse(const hemc_recipe_reader* r, const hemc_json* object) {
    static const char* const keys[] = {"node",  "mesh", "material",  "bones", "bones_below", "bone_weight",
                                       "paint", "box",  "component", "any",   "not",         "triangles"};
    if (object->kind != HEMC_JSON_OBJECT) {
        hemc_recipe_fault(r, object, "must be an object such as {\"material\": \"Cape*\"}, not %s",
                          hemc_json_kind_name(object->kind));
        return NULL;
    }
    if (!hemc_recipe_keys(r, object, keys, sizeof(keys) / sizeof(keys[0]))) {
        return NULL;
    }
    hemc_selector* all = new_selector(r->arena, SELECT_ALL);
    all->json_path = hemc_json_pointer(r->arena, r->prefix, object);
    for (const hemc_json* m = object->first; m != NULL; m = m->next) {
        hemc_selector* child = NULL;
        if (m->key[0] == '$') {
            child = parse_index(r, m);
        } else if (strcmp(m->key, "node") == 0) {
            child = parse_globs(r, m, SELECT_NODE);
        } else if (strcmp(m->key, "mesh") == 0) {
            child = parse_globs(r, m, SELECT_MESH);
        } else if (strcmp(m->key, "material") == 0) {
            child = parse_globs(r, m, SELECT_MATERIAL);
        } else if (strcmp(m->key, "bones") == 0) {
            child = parse_globs(r, m, SELECT_BONES);
            if (child != NULL) {
                child->weight = 0.5f;
                if (!hemc_recipe_number(r, object, "bone_weight", 0, false, 1, &child->weight) ||
                    !hemc_recipe_bool(r, object, "bones_below", &child->below)) {
                    return NULL;
                }
            }
        } else if (strcmp(m->key, "bones_below") == 0 || strcmp(m->key, "bone_weight") == 0) {
            if (hemc_json_member(object, "bones") == NULL) {
                hemc_recipe_fault(r, m, "needs \"bones\" beside it");
                return NULL;
            }
            continue;
        } else if (strcmp(m->key, "paint") == 0) {
            child = new_selector(r->arena, SELECT_PAINT);
            paint_test test;
            bool well_formed = true;
            if (!hemc_recipe_string(r, object, "paint", &child->paint)) {
                return NULL;
            }
            bool found = r->model == NULL || parse_paint(r->model, child->paint, &test, &well_formed);
            if (!well_formed) {
                hemc_recipe_fault(r, m, "\"%s\" is not NAME, NAME > 0.5, NAME < 0.5, NAME >= 0.5 or NAME <= 0.5",
                                  child->paint);
                return NULL;
            }
            if (!found) {
                hemc_recipe_fault(r, m, "the model has no vertex attribute for \"%s\"; there are: %s", child->paint,
                                  hemc_recipe_paints_told(r));
                return NULL;
            }
        } else if (strcmp(m->key, "box") == 0) {
            child = new_selector(r->arena, SELECT_BOX);
            if (!hemc_recipe_box(r, m, child->box_min, child->box_max)) {
                return NULL;
            }
        } else if (strcmp(m->key, "component") == 0) {
            child = parse_components(r, m);
        } else if (strcmp(m->key, "triangles") == 0) {
            child = parse_triangles(r, m);
        } else if (strcmp(m->key, "not") == 0) {
            hemc_selector* inner = hemc_selector_parse(r, m);
            child = inner != NULL ? new_selector(r->arena, SELECT_NOT) : NULL;
            if (child != NULL) {
                add_child(r->arena, child, inner);
            }
        } else {
            if (m->kind != HEMC_JSON_ARRAY || m->count == 0) {
                hemc_recipe_fault(r, m, "must be an array of selectors");
                return NULL;
            }
            child = new_selector(r->arena, SELECT_ANY);
            for (const hemc_json* item = m->first; item != NULL; item = item->next) {
                hemc_selector* inner = hemc_selector_parse(r, item);
                if (inner == NULL) {
                    return NULL;
                }
                add_child(r->arena, child, inner);
            }
        }
        if (child == NULL) {
            return NULL;
        }
        add_child(r->arena, all, child);
    }
    if (all->child_count == 0) {
        hemc_recipe_fault(r, object, "is empty; to take everything write {\"node\": \"*\"}");
        return NULL;
    }
    return all;
}

hemc_selector* hemc_selector_of_primitives(hemc_arena* arena, const uint32_t* primitives, uint32_t count) {
    uint32_t limit = 0;
    for (uint32_t i = 0; i < count; ++i) {
        limit = primitives[i] >= limit ? primitives[i] + 1 : limit;
    }
    hemc_selector* s = new_selector(arena, SELECT_PRIMITIVES);
    uint8_t* flags = hemc_alloc(arena, limit, 1);
    for (uint32_t i = 0; i < count; ++i) {
        flags[primitives[i]] = 1;
    }
    s->flags = flags;
    s->component_count = limit;
    return s;
}

hemc_selector* hemc_selector_of_triangles(hemc_arena* arena, const uint8_t* flags, uint32_t count) {
    hemc_selector* s = new_selector(arena, SELECT_TRIANGLES);
    uint8_t* copy = hemc_alloc(arena, count, 1);
    memcpy(copy, flags, count);
    s->flags = copy;
    return s;
}

hemc_selector* hemc_selector_of_bones(hemc_arena* arena, const uint8_t* bones, uint32_t count, float weight) {
    hemc_selector* s = new_selector(arena, SELECT_BONES);
    uint8_t* flags = hemc_alloc(arena, count, 1);
    if (count != 0) {
        memcpy(flags, bones, count);
    }
    s->flags = flags;
    s->weight = weight;
    return s;
}

// -- Evaluation

static bool any_glob(const hemc_selector* s, const char* name) {
    for (uint32_t i = 0; i < s->glob_count; ++i) {
        if (hemc_glob(s->globs[i], name)) {
            return true;
        }
    }
    return false;
}

static void select_names(const hemc_model* model, const hemc_selector* s, uint8_t* mask) {
    for (uint32_t p = 0; p < model->primitive_count; ++p) {
        const hemc_primitive* primitive = &model->primitives[p];
        bool taken = s->kind == SELECT_PRIMITIVES ? p < s->component_count && s->flags[p] != 0
                                                  : any_glob(s, s->kind == SELECT_NODE   ? primitive->node_name
                                                                : s->kind == SELECT_MESH ? primitive->mesh_name
                                                                                         : primitive->material_name);
        memset(mask + primitive->triangle_begin, taken, primitive->triangle_count);
    }
}

static void select_bones(hemc_arena* arena, const hemc_model* model, const hemc_selector* s, uint8_t* mask) {
    uint8_t* chosen = hemc_alloc(arena, model->bone_count, 1);
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        int32_t parent = model->bone_defs[b].parent;
        chosen[b] = s->flags != NULL ? s->flags[b] : any_glob(s, model->bone_defs[b].name);
        chosen[b] |= s->below && parent != HEM_NONE ? chosen[parent] : 0;
    }
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        double sum = 0;
        for (int i = 0; i < 3; ++i) {
            uint32_t v = model->triangles[(size_t)3 * t + i];
            for (int k = 0; k < 4; ++k) {
                sum += chosen[model->bones[v][k]] ? (double)model->bone_weights[v][k] : 0.0;
            }
        }
        mask[t] = sum / 3.0 > (double)s->weight;
    }
}

static void select_box(const hemc_model* model, const hemc_selector* s, uint8_t* mask) {
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        double center[3] = {0, 0, 0};
        for (int i = 0; i < 3; ++i) {
            hemc_vec3 p = model->positions[model->triangles[(size_t)3 * t + i]];
            center[0] += p.x / 3.0, center[1] += p.y / 3.0, center[2] += p.z / 3.0;
        }
        mask[t] = 1;
        for (int axis = 0; axis < 3; ++axis) {
            mask[t] &= center[axis] >= (double)s->box_min[axis] && center[axis] <= (double)s->box_max[axis];
        }
    }
}

static void select_paint(const hemc_model* model, const hemc_selector* s, uint8_t* mask) {
    paint_test test;
    bool well_formed;
    bool found = parse_paint(model, s->paint, &test, &well_formed);
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        const uint32_t* corner = &model->triangles[(size_t)3 * t];
        mask[t] = found &&
                  paint_holds(&test,
                              ((double)test.values[corner[0]] + test.values[corner[1]] + test.values[corner[2]]) / 3.0);
    }
}

static uint32_t find_root(uint32_t* parent, uint32_t v) {
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

// Pieces share welded vertices, largest (by triangles) first.
uint32_t hemc_number_components(hemc_arena* arena, const hemc_model* model, const uint8_t* mask, uint32_t* numbers) {
    uint8_t* used = hemc_alloc(arena, model->vertex_count, 1);
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        for (int i = 0; mask[t] && i < 3; ++i) {
            used[model->triangles[(size_t)3 * t + i]] = 1;
        }
    }
    uint32_t* welded = hemc_alloc(arena, model->vertex_count, sizeof(uint32_t));
    uint32_t count = hemc_weld_positions(arena, model, used, 0, welded);
    uint32_t* parent = hemc_alloc(arena, count, sizeof(uint32_t));
    for (uint32_t v = 0; v < count; ++v) {
        parent[v] = v;
    }
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        for (int i = 1; mask[t] && i < 3; ++i) {
            uint32_t a = find_root(parent, welded[model->triangles[(size_t)3 * t]]);
            uint32_t b = find_root(parent, welded[model->triangles[(size_t)3 * t + i]]);
            parent[a < b ? b : a] = a < b ? a : b;
        }
    }
    uint32_t* sizes = hemc_alloc(arena, count, sizeof(uint32_t));
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        if (mask[t]) {
            sizes[find_root(parent, welded[model->triangles[(size_t)3 * t]])]++;
        }
    }
    uint64_t* keys = hemc_alloc(arena, count, sizeof(uint64_t));
    uint32_t* order = hemc_alloc(arena, count, sizeof(uint32_t));
    for (uint32_t v = 0; v < count; ++v) {
        keys[v] = UINT32_MAX - sizes[v];
        order[v] = v;
    }
    hemc_sort(arena, keys, order, count);
    uint32_t* rank = hemc_alloc(arena, count, sizeof(uint32_t));
    uint32_t pieces = 0;
    for (uint32_t i = 0; i < count; ++i) {
        rank[order[i]] = i;
        pieces += sizes[order[i]] != 0;
    }
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        numbers[t] = mask[t] ? rank[find_root(parent, welded[model->triangles[(size_t)3 * t]])] : UINT32_MAX;
    }
    return pieces;
}

// Keeps the named pieces of what mask holds.
static void keep_components(hemc_arena* arena, const hemc_model* model, const hemc_selector* s, uint8_t* mask) {
    uint32_t* numbers = hemc_alloc(arena, model->triangle_count, sizeof(uint32_t));
    uint32_t count = hemc_number_components(arena, model, mask, numbers);
    uint8_t* kept = hemc_alloc(arena, count, 1);
    for (uint32_t i = 0; i < s->component_count; ++i) {
        if (s->components[i] < count) {
            kept[s->components[i]] = 1;
        }
    }
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        mask[t] = mask[t] && kept[numbers[t]];
    }
}

static void evaluate(hemc_arena* arena, const hemc_model* model, const hemc_selector* s, uint8_t* mask) {
    uint32_t count = model->triangle_count;
    uint8_t* inner;
    switch (s->kind) {
    case SELECT_NODE:
    case SELECT_MESH:
    case SELECT_MATERIAL:
    case SELECT_PRIMITIVES:
        select_names(model, s, mask);
        break;
    case SELECT_TRIANGLES:
        memcpy(mask, s->flags, model->triangle_count);
        break;
    case SELECT_BONES:
        select_bones(arena, model, s, mask);
        break;
    case SELECT_PAINT:
        select_paint(model, s, mask);
        break;
    case SELECT_BOX:
        select_box(model, s, mask);
        break;
    case SELECT_NOT:
        evaluate(arena, model, s->children[0], mask);
        for (uint32_t t = 0; t < count; ++t) {
            mask[t] = !mask[t];
        }
        break;
    case SELECT_ALL:
    case SELECT_ANY:
    case SELECT_COMPONENT:
        memset(mask, s->kind != SELECT_ANY, count);
        inner = hemc_alloc(arena, count, 1);
        for (uint32_t i = 0; i < s->child_count; ++i) {
            if (s->children[i]->kind == SELECT_COMPONENT) {
                continue;
            }
            evaluate(arena, model, s->children[i], inner);
            for (uint32_t t = 0; t < count; ++t) {
                mask[t] = s->kind == SELECT_ANY ? mask[t] | inner[t] : mask[t] & inner[t];
            }
        }
        for (uint32_t i = 0; i < s->child_count; ++i) {
            if (s->children[i]->kind == SELECT_COMPONENT) {
                keep_components(arena, model, s->children[i], mask);
            }
        }
        break;
    }
}

void hemc_selector_mask(hemc_arena* arena, const hemc_model* model, const hemc_selector* selector, uint8_t* mask) {
    evaluate(arena, model, selector, mask);
}

bool hemc_select(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe, int32_t* owner) {
    uint8_t* mask = hemc_alloc(arena, model->triangle_count, 1);
    memset(owner, 0xff, (size_t)model->triangle_count * sizeof(int32_t));
    bool good = true;
    for (uint32_t p = 0; p < recipe->part_count; ++p) {
        const hemc_part_recipe* part = &recipe->parts[p];
        evaluate(arena, model, part->selector, mask);
        uint32_t taken = 0, found = 0;
        for (uint32_t t = 0; t < model->triangle_count; ++t) {
            found += mask[t] ? 1 : 0;
            if (mask[t] && owner[t] == HEM_NONE) {
                owner[t] = (int32_t)p;
                ++taken;
            }
        }
        if (taken == 0) {
            good = hemc_error(log, HEMC_INPUT, hemc_part_file(part, model),
                              hemc_format(arena, "%s/select", part->json_path),
                              found == 0 ? "part \"%s\" selects no triangles"
                                         : "every triangle that part \"%s\" selects already belongs to an earlier part",
                              part->name);
        } else if (taken < found) {
            hemc_note(log, hemc_part_file(part, model), part->json_path,
                      "%u of the %u triangles that part \"%s\" selects already belong to earlier parts", found - taken,
                      found, part->name);
        }
    }
    return good;
}
