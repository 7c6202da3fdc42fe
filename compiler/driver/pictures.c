// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"

#include "platform/file.h"

#include <string.h>

// Pictures of the worst moments of a pre-flight, beside its report: knight.json gets knight.cape.png. They are drawn from
// what the report says, so that a report out of the cache has them too, under its own name.

// Only letters and digits of a part's name; with its number when that is not all of it.
static const char* picture_path(hemc_compilation* c, const hemc_json* part, uint32_t index) {
    const char* report = c->job->report;
    size_t stem = strlen(report);
    stem -= stem > 5 && strcmp(report + stem - 5, ".json") == 0 ? 5 : 0;
    const char* name = hemc_json_member(part, "name")->string;
    char safe[32];
    size_t n = 0;
    for (const char* at = name; *at != 0 && n + 1 < sizeof(safe); ++at) {
        const bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9');
        safe[n++] = plain ? *at : '_';
    }
    safe[n] = 0;
    hemc_text t = {.arena = c->arena};
    hemc_text_bytes(&t, report, stem);
    if (strcmp(safe, name) == 0) {
        hemc_text_add(&t, ".%s.png", safe);
    } else {
        hemc_text_add(&t, ".%s-%u.png", safe, index); // no other part's: a dash is not plain
    }
    return t.data;
}

static float number_of(const hemc_json* object, const char* key) {
    const hemc_json* value = hemc_json_member(object, key);
    return value != NULL && value->kind == HEMC_JSON_NUMBER ? (float)value->number : 0.0f;
}

bool hemc_report_pictures(hemc_compilation* c, hemc_moment_function draw) {
    static const char gap[] = "\"picture\": null";
    hemc_log log = {.arena = c->arena};
    if (!c->job->preflight || draw == NULL || c->bytes == NULL || c->job->ship || // what ships has nothing to draw
        (hem_file_exists(c->job->report) && !hem_file_is_regular(c->job->report))) {
        return true;
    }
    const hemc_json* report = hemc_json_parse(c->arena, &log, "", "", c->report, c->report_size, false);
    const hemc_json* parts = hemc_json_member(hemc_json_member(report, "preflight"), "parts");
    if (parts == NULL) {
        return true;
    }
    hemc_text text = {.arena = c->arena};
    const char* rest = c->report;
    uint32_t index = 0;
    for (const hemc_json* part = parts->first; part != NULL; part = part->next, ++index) {
        hemc_preflight_part moment = {.grade = hemc_json_member(part, "grade")->string[0],
                                      .clip = (int32_t)number_of(part, "worst_clip_index"),
                                      .clip_from = number_of(part, "worst_from"),
                                      .clip_seconds = number_of(part, "worst_seconds"),
                                      .clip_hz = number_of(part, "worst_hz")};
        const char* name = hemc_json_member(part, "name")->string;
        const char* clip = hemc_json_member(part, "worst_clip")->string;
        memcpy(moment.name, name, strlen(name) < 63 ? strlen(name) : 63);
        memcpy(moment.clip_name, clip, strlen(clip) < 63 ? strlen(clip) : 63);
        const char* place = strstr(rest, gap);
        if (place == NULL) {
            break;
        }
        const char* path = picture_path(c, part, index);
        hemc_text_bytes(&text, rest, (size_t)(place - rest));
        rest = place + sizeof(gap) - 1;
        if (moment.clip < 0) {
            hemc_text_add(&text, "%s", gap);
            continue;
        }
        const char* role = hemc_claimed(c->claims, path); // of this asset or of another of its batch
        if (role != NULL) {
            return hemc_error(
                &c->log, HEMC_USAGE, path, "",
                "the picture of part \"%s\" would be the same file as the %s; choose another name for the report", name,
                role);
        }
        if (!draw(c->bytes, c->size, &moment, path)) {
            return hemc_error(&c->log, HEMC_IO, path, "", "the picture could not be drawn or written");
        }
        const char* slash = strrchr(path, '/');
        hemc_text_add(&text, "\"picture\": ");
        hemc_text_quoted(&text, slash != NULL ? slash + 1 : path);
    }
    hemc_text_bytes(&text, rest, c->report_size - (size_t)(rest - c->report));
    c->report = text.data;
    c->report_size = text.size;
    return true;
}
