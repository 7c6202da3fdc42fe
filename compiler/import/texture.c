// SPDX-License-Identifier: MIT
#include "compiler/import/import.h"
#include "compiler/import/png.h"

#include <math.h>
#include <string.h>

// Base colour textures, for previews: each vertex takes the colour that the texture has there. That is all of a palette, and
// the rough colour of anything else; nothing but the preview's colours depends on it. Only what lies in the file as PNG or
// JPEG is read. Whatever is amiss with a texture is a note: the colour is then the material's alone.

static const hemc_json* item_at(const hemc_json* list, const hemc_json* index) {
    if (list == NULL || list->kind != HEMC_JSON_ARRAY || index == NULL || index->kind != HEMC_JSON_NUMBER ||
        !(index->number >= 0) || !(index->number < list->count)) {
        return NULL;
    }
    const hemc_json* item = list->first;
    for (uint32_t i = (uint32_t)index->number; i > 0 && item != NULL; --i) {
        item = item->next;
    }
    return item != NULL && item->kind == HEMC_JSON_OBJECT ? item : NULL;
}

static const hemc_json* member(const hemc_json* object, const char* key, hemc_json_kind kind) {
    const hemc_json* value = object != NULL && object->kind == HEMC_JSON_OBJECT ? hemc_json_member(object, key) : NULL;
    return value != NULL && value->kind == kind ? value : NULL;
}

static void read_pair(const hemc_json* object, const char* key, double pair[2]) {
    const hemc_json* list = member(object, key, HEMC_JSON_ARRAY);
    const hemc_json* item = list != NULL ? list->first : NULL;
    for (int i = 0; i < 2 && item != NULL; ++i, item = item->next) {
        if (item->kind == HEMC_JSON_NUMBER && fabs(item->number) < 1e6) {
            pair[i] = item->number;
        }
    }
}

// NULL, or why there is none. A texture that is not there at all is no fault: *image stays NULL.
static const char* find_image(hemc_source* source, const hemc_json* info, const uint8_t** image, uint64_t* size) {
    const hemc_json* texture =
        item_at(member(source->json, "textures", HEMC_JSON_ARRAY), member(info, "index", HEMC_JSON_NUMBER));
    const hemc_json* found =
        item_at(member(source->json, "images", HEMC_JSON_ARRAY), member(texture, "source", HEMC_JSON_NUMBER));
    const hemc_json* view = member(found, "bufferView", HEMC_JSON_NUMBER);
    if (found == NULL) {
        return "it names no image";
    }
    if (view == NULL) {
        return "only images that lie in the file's own buffers are read";
    }
    if (!(view->number >= 0) || !(view->number < (double)source->data->buffer_views_count)) {
        return "its bufferView does not exist";
    }
    const cgltf_buffer_view* v = &source->data->buffer_views[(size_t)view->number];
    if (v->data != NULL || v->buffer == NULL || v->buffer->data == NULL || v->offset > v->buffer->size ||
        v->size > v->buffer->size - v->offset) {
        return "its bufferView holds no bytes";
    }
    *image = (const uint8_t*)v->buffer->data + v->offset;
    *size = v->size;
    return NULL;
}

const hemc_texture* hemc_texture_of(hemc_source* source, uint32_t material) {
    if (material == UINT32_MAX) {
        return NULL;
    }
    if (source->textures == NULL) {
        source->textures = hemc_alloc(source->arena, source->data->materials_count, sizeof(hemc_texture));
    }
    hemc_texture* t = &source->textures[material];
    if (t->asked) {
        return t->png != NULL ? t : NULL;
    }
    t->asked = true;
    const hemc_json index = {.kind = HEMC_JSON_NUMBER, .number = material};
    const hemc_json* pbr = member(item_at(member(source->json, "materials", HEMC_JSON_ARRAY), &index),
                                  "pbrMetallicRoughness", HEMC_JSON_OBJECT);
    const hemc_json* info = member(pbr, "baseColorTexture", HEMC_JSON_OBJECT);
    if (info == NULL) {
        return NULL;
    }
    const hemc_json* moved =
        member(member(info, "extensions", HEMC_JSON_OBJECT), "KHR_texture_transform", HEMC_JSON_OBJECT);
    const hemc_json* set = member(moved, "texCoord", HEMC_JSON_NUMBER);
    set = set != NULL ? set : member(info, "texCoord", HEMC_JSON_NUMBER);
    t->set = set != NULL && set->number >= 0 && set->number < 16 ? (int)set->number : 0;
    t->scale[0] = t->scale[1] = 1;
    read_pair(moved, "offset", t->offset);
    read_pair(moved, "scale", t->scale);
    const uint8_t* bytes = NULL;
    uint64_t size = 0;
    const char* fault = find_image(source, info, &bytes, &size);
    hemc_png* png = hemc_alloc(source->arena, 1, sizeof(hemc_png));
    if (fault == NULL) {
        const bool jpeg = size > 2 && bytes[0] == 0xff && bytes[1] == 0xd8;
        fault = jpeg ? hemc_jpeg_read(source->arena, bytes, (size_t)size, png)
                     : hemc_png_read(source->arena, bytes, (size_t)size, png);
    }
    if (fault != NULL) {
        hemc_note(source->log, source->path, hemc_format(source->arena, "/materials/%u", material),
                  "its texture is not in the preview: %s", fault);
        return NULL;
    }
    t->png = png;
    return t;
}

void hemc_texture_at(const hemc_texture* t, const float uv[2], uint8_t rgb[3]) {
    const hemc_png* png = t->png;
    uint32_t at[2];
    const uint32_t sides[2] = {png->width, png->height};
    for (int i = 0; i < 2; ++i) {
        double x = t->offset[i] + t->scale[i] * (double)uv[i];
        x = fabs(x) < 1e9 ? x - floor(x) : 0;
        const uint32_t texel = (uint32_t)(x * sides[i]);
        at[i] = texel < sides[i] ? texel : sides[i] - 1;
    }
    memcpy(rgb, png->texels[(size_t)at[1] * png->width + at[0]], 3);
}
