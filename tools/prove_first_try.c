// SPDX-License-Identifier: MIT
#include "tools/prove.h"
#include "tools/asset.h"
#include "tools/command.h"
#include "tools/preflight.h"
#include "tools/vrm_chain.h"
#include "compiler/hemc.h"
#include "platform/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The first try: characters that nobody prepared, without a recipe, graded by their pre-flight. They lie beside the project
// and are measured where they are.

#define CHARACTERS "../shared/assets"

static const char* const FILES[] = {
    "kaykit_Knight.glb",
    "quaternius_Witch.gltf",
    "decentraland_LongSkirt.glb",
    "decentraland_PonyTail.glb",
    "quaternius_FormalDress.glb",
    "quaternius_Ranger.glb",
    "quaternius_Wolf.glb",
    "quaternius_Horse.glb",
    "khronos_Fox.glb",
    "quaternius_Goldfish.glb",
    "quaternius_PlatformerCharacter.glb",
    "quaternius_PlatformerEnemy.glb",
    "babylon_Yeti/Yeti.gltf",
    "khronos_RiggedFigure.glb",
    "godette_vrm0.vrm",
};
enum { KNIGHT = 0, FILE_COUNT = sizeof(FILES) / sizeof(FILES[0]), INPUT_IS_WRONG = 3, STRICT_REFUSED = 4 };

static void prove_character(proof* p, const char* file) {
    char path[512], reached[128];
    snprintf(path, sizeof(path), "%s/%s", CHARACTERS, file);
    hem_progress_show(&p->progress, "playing %s", file);
    hemc_preflight* f = calloc(1, sizeof(hemc_preflight));
    const hemc_job job = {.input = path, .preflight = true, .grades = f, .verbosity = -1};
    uint8_t* bytes = NULL;
    size_t size;
    const clock_t begun = clock();
    const int code = f != NULL ? hemc_compile(&job, &bytes, &size) : COMMAND_INTERNAL;
    const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    if (code == 0) {
        if (strcmp(file, FILES[KNIGHT]) == 0) {
            char took[32];
            snprintf(took, sizeof(took), "%.1f s", seconds);
            proof_add(p, seconds <= 10.0, "10 s on one core", took, "%s, automatic mode with pre-flight", file);
        }
        int32_t used = snprintf(reached, sizeof(reached), "%c (", f->grade);
        for (uint32_t i = 0; i < f->part_count && used < (int32_t)sizeof(reached) - 48; i++) {
            used += snprintf(reached + used, sizeof(reached) - (size_t)used, "%s%.24s %c", i > 0 ? ", " : "",
                             f->parts[i].name, f->parts[i].grade);
        }
        snprintf(reached + used, sizeof(reached) - (size_t)used, ") over %u clips", f->clip_count);
        proof_add(p, f->grade <= 'B', "A, B or left alone", reached, "%s", file);
        hemc_free(bytes);
    } else {
        snprintf(reached, sizeof(reached), code == INPUT_IS_WRONG ? "left alone: nothing loose on it" : "exit code %d",
                 code);
        proof_add(p, code == INPUT_IS_WRONG, "A, B or left alone", reached, "%s", file);
    }
    free(f);
}

// --strict --preflight refuses what is surely wrong, with a sentence.
static void prove_refusal(proof* p, const char* file, const char* recipe, const char* what) {
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", CHARACTERS, file);
    if (!hem_file_exists(path) || !proof_wants(p, "strict")) {
        return;
    }
    const hemc_job job = {.input = path,
                          .recipe = recipe != NULL ? "recipe" : NULL,
                          .recipe_bytes = recipe,
                          .recipe_size = recipe != NULL ? strlen(recipe) : 0,
                          .strict = true,
                          .preflight = true,
                          .verbosity = -1};
    uint8_t* bytes;
    size_t size;
    const int code = hemc_compile(&job, &bytes, &size);
    proof_add(p, code == STRICT_REFUSED, "exit code 4", code == STRICT_REFUSED ? "exit code 4" : "another",
              "%s, --strict --preflight", what);
    if (code == 0) {
        hemc_free(bytes);
    }
}

// What automatic mode prints as a recipe gives the same bytes.
static void prove_recipe(proof* p, const char* file) {
    char path[512], recipe[512];
    snprintf(path, sizeof(path), "%s/%s", CHARACTERS, file);
    if (!hem_file_exists(path) || !proof_wants(p, "recipe") ||
        !hem_file_temp_name(recipe, sizeof(recipe), "hem_prove")) {
        return;
    }
    hemc_job job = {.input = path, .print_recipe = recipe, .verbosity = -1};
    uint8_t* bytes[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    if (hemc_compile(&job, &bytes[0], &sizes[0]) == 0) {
        job = (hemc_job){.input = path, .recipe = recipe, .verbosity = -1};
        const bool same = hemc_compile(&job, &bytes[1], &sizes[1]) == 0 && sizes[0] == sizes[1] &&
                          memcmp(bytes[0], bytes[1], sizes[0]) == 0;
        proof_add(p, same, "the same bytes", same ? "the same bytes" : "others", "%s, by its printed recipe", file);
        hemc_free(bytes[0]);
        hemc_free(bytes[1]);
    }
    remove(recipe);
}

// -- Changed samples, in the JSON of a .glb and in place

typedef struct glb {
    hem_bytes file;
    char* json;
    uint32_t json_size;
} glb;

static bool open_glb(glb* g, const char* path) {
    memset(g, 0, sizeof(*g));
    if (!hem_file_read(path, &g->file, NULL) || g->file.size < 20) {
        return false;
    }
    memcpy(&g->json_size, g->file.data + 12, 4);
    g->json = (char*)g->file.data + 20;
    return g->json_size <= g->file.size - 20;
}

// Names become "xxx"; attributes of our own and extras get keys that nobody reads.
static void strip_names(glb* g) {
    for (uint32_t i = 0; i + 8 < g->json_size; i++) {
        char* at = g->json + i;
        if (memcmp(at, "\"extras\"", 8) == 0) {
            memcpy(at, "\"unread\"", 8);
        } else if (memcmp(at, "\"_HEM_", 6) == 0) {
            memcpy(at, "\"UNREAD", 7);
        } else if (memcmp(at, "\"name\"", 6) == 0) {
            char* end = g->json + g->json_size;
            at += 6 + strspn(at + 6, ": ");
            for (at += 1; at < end && *at != '"'; at++) {
                at += *at == '\\';
                *at = 'x';
            }
        }
    }
}

// The node of this name loses its skin.
static bool take_skin(glb* g, const char* name) {
    char wanted[64];
    const size_t length = (size_t)snprintf(wanted, sizeof(wanted), "\"%s\"", name);
    for (uint32_t i = 0; i + length < g->json_size; i++) {
        if (memcmp(g->json + i, wanted, length) != 0) {
            continue;
        }
        for (uint32_t k = i; k + 6 < g->json_size && g->json[k] != '}'; k++) {
            if (memcmp(g->json + k, "\"skin\"", 6) == 0) {
                memcpy(g->json + k, "\"nkis\"", 6);
                return true;
            }
        }
    }
    return false;
}

static void prove_stripped(proof* p, const char* sample, const char* const wanted[3]) {
    char path[256], reached[128] = "nothing", aimed[64] = "";
    snprintf(path, sizeof(path), "build/samples/%s.glb", sample);
    glb g;
    if (!proof_wants(p, "stripped") || !hem_file_exists(path) || !open_glb(&g, path)) {
        return;
    }
    strip_names(&g);
    const hemc_job job = {.input = path, .input_bytes = g.file.data, .input_size = g.file.size, .verbosity = -1};
    uint8_t* bytes = NULL;
    size_t size, used = 0;
    asset a;
    bool all = hemc_compile(&job, &bytes, &size) == 0 && asset_from_bytes(&a, path, bytes, size) == 0;
    if (all) {
        for (uint32_t i = 0; i < a.view.info->part_count && used < 96; i++) {
            used += (size_t)snprintf(reached + used, sizeof(reached) - used, "%s%.24s", i > 0 ? ", " : "",
                                     asset_text(&a, a.view.parts[i].name_offset));
        }
        asset_unload(&a);
    }
    used = 0;
    for (int32_t i = 0; i < 3 && wanted[i] != NULL; i++) {
        all = all && strstr(reached, wanted[i]) != NULL;
        used += (size_t)snprintf(aimed + used, sizeof(aimed) - used, "%s%s", i > 0 ? ", " : "", wanted[i]);
    }
    proof_add(p, all, aimed, reached, "%s, stripped of names, paints and extras", sample);
    hemc_free(bytes);
    hem_bytes_free(&g.file);
}

static void prove_unskinned(proof* p) {
    static const char path[] = "build/samples/cape_girl.glb";
    glb g;
    if (!proof_wants(p, "strict") || !hem_file_exists(path) || !open_glb(&g, path)) {
        return;
    }
    const bool taken = take_skin(&g, "cape");
    const hemc_job job = {.input = path,
                          .input_bytes = g.file.data,
                          .input_size = g.file.size,
                          .strict = true,
                          .preflight = true,
                          .verbosity = -1};
    uint8_t* bytes = NULL;
    size_t size;
    const int code = hemc_compile(&job, &bytes, &size);
    proof_add(p, taken && code == STRICT_REFUSED, "exit code 4", code == STRICT_REFUSED ? "exit code 4" : "another",
              "a cape without a skin, --strict --preflight");
    hemc_free(bytes);
    hem_bytes_free(&g.file);
}

// Chains of spring bones that a VRM would swing, each beside the formula of the VRM: the least true of all lengths of chains and of
// level, slanted and hanging ones, for a stiffness and drag.
static void prove_springs(proof* p) {
    static const double slopes[] = {0, -0.7853981633974483, -1.5707963267948966};
    static const double numbers[][2] = {{4, 0.1}, {2.5, 0.2}, {1, 0.1}, {0.5, 0.2}};
    for (int32_t i = 0; i < 4 && proof_wants(p, "vrm springs"); i++) {
        vrm_swing worst[3] = {0}, meant[3] = {0};
        double hang = 0, off[2] = {0};
        bool good = true;
        for (int32_t k = 0; k < 36; k++) {
            const double power = k / 18 ? 0.2 * numbers[i][0] : 0;
            const double bone = (k + k / 6) % 2 ? 0.05 : 0.1, slope = slopes[k / 6 % 3];
            const vrm_chain c = {k % 2, 1 + k % 6, bone, slope, numbers[i][0], numbers[i][1], power};
            vrm_swing wanted, got;
            vrm_chain_reference(&c, &wanted);
            good = vrm_chain_play(&c, &got) && good;
            const double length = c.count * c.length;
            hang = fmax(hang, hypot(got.hang[0] - wanted.hang[0], got.hang[1] - wanted.hang[1]) / length);
            if (c.count > 4) {
                continue;
            }
            const double errors[2] = {fabs(got.hz / wanted.hz - 1), fabs(got.decay / wanted.decay - 1)};
            for (int32_t n = 0; n < 2; n++) {
                if (!(errors[n] <= off[n])) {
                    off[n] = errors[n];
                    worst[n] = got;
                    meant[n] = wanted;
                }
            }
        }
        char reached[128];
        proof_at_most(p, 2.0, good ? 100 * hang : NAN, "% of the chain", "VRM chains of stiffness %g, drag %g: %s",
                      numbers[i][0], numbers[i][1], "hang");
        snprintf(reached, sizeof(reached), "%.1f %% (%.2f Hz for %.2f)", 100 * off[0], worst[0].hz, meant[0].hz);
        proof_add(p, good && off[0] <= 0.05, "at most 5 % off", reached, "VRM chains of stiffness %g, drag %g: %s",
                  numbers[i][0], numbers[i][1], "frequency");
        snprintf(reached, sizeof(reached), "%.1f %% (%.2f/s for %.2f)", 100 * off[1], worst[1].decay, meant[1].decay);
        proof_add(p, good && off[1] <= 0.05, "at most 5 % off", reached, "VRM chains of stiffness %g, drag %g: %s",
                  numbers[i][0], numbers[i][1], "damping");
    }
}

void prove_first_try(proof* p) {
    hemc_set_preflight_functions(preflight_fly, preflight_picture);
    for (int32_t i = 0; i < FILE_COUNT; i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", CHARACTERS, FILES[i]);
        if (!hem_file_exists(path)) {
            proof_unmeasured(p, "A, B or left alone", "no " CHARACTERS " beside the project", "%s", FILES[i]);
        } else if (proof_wants(p, FILES[i])) {
            prove_character(p, FILES[i]);
        }
    }
    prove_refusal(p, "decentraland_PonyTail.glb", NULL, "a wig that nothing holds");
    prove_refusal(p, "kaykit_Knight.glb",
                  "{\"parts\": [{\"name\": \"cape\", \"select\": {\"node\": \"Knight_Cape\"}, \"spacing\": 0.9}]}",
                  "an absurd spacing");
    prove_unskinned(p);
    prove_stripped(p, "cape_girl", (const char* const[3]){"skirt", "cape", "hair"});
    prove_stripped(p, "robe", (const char* const[3]){"robe"});
    prove_stripped(p, "hair", (const char* const[3]){"hair"});
    prove_stripped(p, "curls", (const char* const[3]){"hair"});
    prove_stripped(p, "somersault", (const char* const[3]){"skirt"});
    prove_springs(p);
    for (int32_t i = 0; i < FILE_COUNT; i++) {
        prove_recipe(p, FILES[i]);
    }
}
