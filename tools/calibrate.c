// SPDX-License-Identifier: MIT
#include "tools/calibrate.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/sample.h"
#include "platform/cycles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// `hem calibrate`: least squares over samples and levels. Each row is a frame of one instance: counts of work on one side,
// what it took on the other, part by part, since their works are apart. Errors count relative to what was measured, and no
// cost may be below zero. Frames are played several times from the same save, and of each the least is kept, with all levels
// of a sample in turn: what disturbs a frame on a busy machine seldom does so each time.
//
// What the parts of a step take is looked at in turns of their own, with hooks around its phases: those turns are slower, so
// they say the shares, and the others how much there is to share.

enum { INSTANCES = 8, WARM = 16, FRAMES = 24, TURNS = 5, WATCHED = 3, SWEEPS = 4000, PLAYS = 10 };

// -- Parts of a step

typedef struct watch {
    uint64_t last, ticks[CALIBRATE_PARTS];
    const char* names[32];
    calibrate_part parts[32];
    uint32_t count;
} watch;

static calibrate_part part_of_phase(const char* name) {
    static const struct {
        const char* name;
        calibrate_part part;
    } table[] = {
        {"search", CALIBRATE_SEARCH},       {"wrap", CALIBRATE_MOVE},       {"predict", CALIBRATE_MOVE},
        {"animate", CALIBRATE_MOVE},        {"drive", CALIBRATE_MOVE},      {"stretch", CALIBRATE_MOVE},
        {"velocity", CALIBRATE_MOVE},       {"limit", CALIBRATE_MOVE},      {"continuous", CALIBRATE_CONTACT},
        {"constrain", CALIBRATE_CONSTRAIN}, {"contact", CALIBRATE_CONTACT}, {"raise", CALIBRATE_SHOW},
        {"show", CALIBRATE_SHOW},           {"frames", CALIBRATE_SHOW},     {"skin", CALIBRATE_SHOW},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strcmp(name, table[i].name) == 0) {
            return table[i].part;
        }
    }
    return CALIBRATE_STEP;
}

static void watch_open(watch* w) {
    memset(w, 0, sizeof(*w));
    for (uint32_t i = 0; i < hem_phase_count() && i < 32; i++) {
        w->names[i] = hem_phase_name(i);
        w->parts[i] = part_of_phase(w->names[i]);
        w->count = i + 1;
    }
}

// Between two phases, too, it is the step's time, but not what the hooks take.
static void phase_begins(void* user, const char* phase, hem_instance_id id) {
    watch* w = user;
    const uint64_t now = hem_cycles();
    (void)phase;
    (void)id;
    w->ticks[CALIBRATE_STEP] += w->last != 0 ? now - w->last : 0; // before the first is what the game says
    w->last = hem_cycles();
}

static void phase_ends(void* user, const char* phase, hem_instance_id id) {
    watch* w = user;
    const uint64_t now = hem_cycles();
    uint32_t i = 0;
    (void)id;
    while (i + 1 < w->count && w->names[i] != phase) {
        i++;
    }
    w->ticks[w->parts[i]] += now - w->last;
    w->last = hem_cycles();
}

// -- Measuring

static calibrate_part part_of_cost(int k) {
    static const calibrate_part parts[HEM_COST_COUNT] = {
        [HEM_COST_bone] = CALIBRATE_POSE,
        [HEM_COST_target_row] = CALIBRATE_POSE,
        [HEM_COST_target_bone] = CALIBRATE_POSE,
        [HEM_COST_frame] = CALIBRATE_STEP,
        [HEM_COST_frame_row] = CALIBRATE_STEP,
        [HEM_COST_step] = CALIBRATE_STEP,
        [HEM_COST_step_row] = CALIBRATE_STEP,
        [HEM_COST_inner_row] = CALIBRATE_STEP,
        [HEM_COST_tear_row] = CALIBRATE_STEP,
        [HEM_COST_collider] = CALIBRATE_STEP,
        [HEM_COST_substep] = CALIBRATE_MOVE,
        [HEM_COST_row] = CALIBRATE_MOVE,
        [HEM_COST_soft_row] = CALIBRATE_MOVE,
        [HEM_COST_still_row] = CALIBRATE_MOVE,
        [HEM_COST_animated_row] = CALIBRATE_MOVE,
        [HEM_COST_track_row] = CALIBRATE_MOVE,
        [HEM_COST_momentum_row] = CALIBRATE_MOVE,
        [HEM_COST_drive_row] = CALIBRATE_MOVE,
        [HEM_COST_air_row] = CALIBRATE_MOVE,
        [HEM_COST_force_row] = CALIBRATE_MOVE,
        [HEM_COST_sweep_row] = CALIBRATE_MOVE,
        [HEM_COST_sweep_link] = CALIBRATE_MOVE,
        [HEM_COST_sweep_pull] = CALIBRATE_MOVE,
        [HEM_COST_link] = CALIBRATE_CONSTRAIN,
        [HEM_COST_indexed_link] = CALIBRATE_CONSTRAIN,
        [HEM_COST_member] = CALIBRATE_CONSTRAIN,
        [HEM_COST_group] = CALIBRATE_CONSTRAIN,
        [HEM_COST_indexed_member] = CALIBRATE_CONSTRAIN,
        [HEM_COST_tracked_member] = CALIBRATE_CONSTRAIN,
        [HEM_COST_rotated_member] = CALIBRATE_CONSTRAIN,
        [HEM_COST_moment_row] = CALIBRATE_CONSTRAIN,
        [HEM_COST_indexed_rod] = CALIBRATE_CONSTRAIN,
        [HEM_COST_rod] = CALIBRATE_CONSTRAIN,
        [HEM_COST_chain] = CALIBRATE_CONSTRAIN,
        [HEM_COST_fabric] = CALIBRATE_CONSTRAIN,
        [HEM_COST_solid] = CALIBRATE_CONSTRAIN,
        [HEM_COST_spring] = CALIBRATE_CONSTRAIN,
        [HEM_COST_region] = CALIBRATE_CONSTRAIN,
        [HEM_COST_search_row] = CALIBRATE_SEARCH,
        [HEM_COST_search_body] = CALIBRATE_SEARCH,
        [HEM_COST_look] = CALIBRATE_SEARCH,
        [HEM_COST_pair_look] = CALIBRATE_SEARCH,
        [HEM_COST_candidate] = CALIBRATE_SEARCH,
        [HEM_COST_collider_row] = CALIBRATE_SEARCH,
        [HEM_COST_body_row] = CALIBRATE_CONTACT,
        [HEM_COST_near] = CALIBRATE_CONTACT,
        [HEM_COST_pair] = CALIBRATE_CONTACT,
        [HEM_COST_contact] = CALIBRATE_CONTACT,
        [HEM_COST_support_row] = CALIBRATE_CONTACT,
        [HEM_COST_placed] = CALIBRATE_CONTACT,
        [HEM_COST_touch] = CALIBRATE_CONTACT,
        [HEM_COST_mesh_near] = CALIBRATE_CONTACT,
        [HEM_COST_offset_row] = CALIBRATE_SHOW,
        [HEM_COST_show_row] = CALIBRATE_SHOW,
        [HEM_COST_show_bone] = CALIBRATE_SHOW,
        [HEM_COST_pace_row] = CALIBRATE_SHOW,
        [HEM_COST_turn_row] = CALIBRATE_SHOW,
        [HEM_COST_matrix_row] = CALIBRATE_SHOW,
        [HEM_COST_raise_row] = CALIBRATE_SHOW,
        [HEM_COST_bone_vertex] = CALIBRATE_SKIN,
        [HEM_COST_particle_vertex] = CALIBRATE_SKIN,
        [HEM_COST_mixed_vertex] = CALIBRATE_SKIN,
        [HEM_COST_cell_vertex] = CALIBRATE_SKIN,
    };
    return parts[k];
}

typedef enum probe { PROBE_NONE, PROBE_FREE, PROBE_CAPSULES } probe;

static void add_capsules(crowd* c, uint32_t frame) {
    hem_collider colliders[16];
    for (int i = 0; i < 16; i++) {
        colliders[i] = hem_collider_default();
        colliders[i].kind = HEM_COLLIDER_CAPSULE;
        colliders[i].size[0] = colliders[i].size[1] = 0.05f;
        colliders[i].size[2] = 0.15f;
        colliders[i].position[0] = 0.3 * (double)(i % 4) - 0.45;
        colliders[i].position[1] = 0.3 * (double)(i / 4) + 0.3;
        colliders[i].position[2] = -0.3 + 0.02 * (double)(frame % 10) + (double)c->speed * (double)frame / 60.0;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        hem_instance_set_colliders(c->scene, c->ids[i], colliders, 16);
    }
}

static void prepare(crowd* c, hem_level level, probe what) {
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t features = HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP;
        features &= what == PROBE_FREE ? ~(uint32_t)HEM_FEATURE_PARTICLE_CONTACTS : ~0u;
        hem_instance_set_features(c->scene, c->ids[i], features);
        hem_instance_set_levels(c->scene, c->ids[i], level, level);
    }
}

typedef struct play { // a sample at one level
    hem_level level;
    probe what;
    crowd all;
    uint32_t warm; // frames
    void* save;
    size_t save_size;
    uint64_t least[FRAMES][4];                 // of all turns: pose, plan, step, skin
    uint64_t watched[FRAMES][CALIBRATE_PARTS]; // of those with hooks
} play;

static void play_frame(play* p, uint32_t frame, crowd_time* t) {
    if (p->what == PROBE_CAPSULES) {
        add_capsules(&p->all, frame);
    }
    *t = crowd_frame(&p->all, frame, HEM_BUDGET_SKINNED, NULL);
}

static bool open_play(play* p, const asset* a) {
    crowd_time t;
    p->all.speed = 1.0f;
    p->warm = p->level == HEM_LEVEL_POSE ? 48 : WARM; // until it has faded
    memset(p->least, 0xff, sizeof(p->least));
    memset(p->watched, 0xff, sizeof(p->watched));
    if (!crowd_open(&p->all, a, INSTANCES, HEM_BUDGET_SKINNED, NULL, 1)) {
        return false;
    }
    for (uint32_t i = 0; i < INSTANCES; i++) {
        if (!crowd_add(&p->all, i, 0)) {
            return false;
        }
    }
    prepare(&p->all, p->level, p->what);
    for (uint32_t frame = 0; frame < p->warm; frame++) {
        play_frame(p, frame, &t);
    }
    p->save_size = hem_scene_save_size(p->all.scene, HEM_SAVE_ALL);
    p->save = malloc(p->save_size);
    return p->save != NULL && hem_scene_save(p->all.scene, HEM_SAVE_ALL, p->save, p->save_size) == HEM_OK;
}

static void close_play(play* p) {
    crowd_close(&p->all);
    free(p->save);
}

static void play_turn(play* p, calibrate_row* row, bool count) {
    hem_scene_load(p->all.scene, p->save, p->save_size);
    for (uint32_t i = 0; i < FRAMES; i++) {
        crowd_time t;
        play_frame(p, p->warm + i, &t);
        const uint64_t parts[4] = {t.pose, t.plan, t.step, t.skin};
        for (int k = 0; k < 4; k++) {
            p->least[i][k] = parts[k] < p->least[i][k] ? parts[k] : p->least[i][k];
        }
        for (uint32_t n = 0; count && n < INSTANCES; n += 4) {
            float work[HEM_COST_COUNT];
            hem_instance_get_work(p->all.scene, p->all.ids[n], p->level, work);
            for (int k = 0; k < HEM_COST_COUNT; k++) {
                row->work[k] += work[k] / (float)(FRAMES * INSTANCES / 4);
            }
        }
    }
}

static void play_watched(play* p) {
    watch w;
    const hem_profile_hooks hooks = {phase_begins, phase_ends, &w};
    watch_open(&w);
    hem_scene_load(p->all.scene, p->save, p->save_size);
    hem_scene_set_profile_hooks(p->all.scene, &hooks);
    for (uint32_t i = 0; i < FRAMES; i++) {
        crowd_time t;
        memset(w.ticks, 0, sizeof(w.ticks));
        w.last = 0;
        play_frame(p, p->warm + i, &t);
        for (int k = 0; k < CALIBRATE_PARTS; k++) {
            p->watched[i][k] = w.ticks[k] < p->watched[i][k] ? w.ticks[k] : p->watched[i][k];
        }
    }
    hem_scene_set_profile_hooks(p->all.scene, NULL);
}

static void sum_parts(const play* p, calibrate_row* row) {
    double plan = 0, step = 0, ticks = 0;
    for (int f = 0; f < FRAMES; f++) {
        row->ns[CALIBRATE_POSE] += (double)p->least[f][0] / (FRAMES * INSTANCES);
        row->ns[CALIBRATE_SKIN] += (double)p->least[f][3] / (FRAMES * INSTANCES);
        plan += (double)p->least[f][1] / (FRAMES * INSTANCES);
        step += (double)p->least[f][2] / (FRAMES * INSTANCES);
        for (int k = CALIBRATE_STEP; k < CALIBRATE_SKIN; k++) {
            ticks += (double)p->watched[f][k];
            row->ns[k] += (double)p->watched[f][k];
        }
    }
    for (int k = CALIBRATE_STEP; k < CALIBRATE_SKIN; k++) {
        row->ns[k] *= ticks > 0 ? step / ticks : 0;
    }
    row->ns[CALIBRATE_STEP] += plan;
}

bool calibrate_measure(calibration* c, const asset* a, const char* sample) {
    play plays[PLAYS] = {
        {.level = HEM_LEVEL_FULL},
        {.level = HEM_LEVEL_LIGHT},
        {.level = HEM_LEVEL_HALF},
        {.level = HEM_LEVEL_QUARTER},
        {.level = HEM_LEVEL_FROZEN},
        {.level = HEM_LEVEL_POSE},
        {.level = HEM_LEVEL_FULL, .what = PROBE_FREE},
        {.level = HEM_LEVEL_LIGHT, .what = PROBE_FREE},
        {.level = HEM_LEVEL_FULL, .what = PROBE_CAPSULES},
        {.level = HEM_LEVEL_COARSE}, // of an asset that has it
    };
    const int count = a->view.level_count > 0 ? PLAYS : PLAYS - 1;
    bool good = c->row_count + PLAYS <= CALIBRATE_ROWS;
    calibrate_row* rows = c->rows + c->row_count;
    for (int i = 0; good && i < count; i++) {
        memset(&rows[i], 0, sizeof(rows[i]));
        snprintf(rows[i].sample, sizeof(rows[i].sample), "%s", sample);
        rows[i].level = plays[i].level;
        rows[i].probe = plays[i].what != PROBE_NONE;
        good = open_play(&plays[i], a);
    }
    for (int turn = 0; good && turn < TURNS; turn++) {
        for (int i = 0; i < count; i++) {
            play_turn(&plays[i], &rows[i], turn == 0);
            if (turn < WATCHED) {
                play_watched(&plays[i]);
            }
        }
    }
    for (int i = 0; i < count; i++) {
        if (good) {
            sum_parts(&plays[i], &rows[i]);
        }
        close_play(&plays[i]);
    }
    c->row_count += good ? (uint32_t)count : 0;
    return good;
}

void calibrate_samples(calibration* c, const sample_folders* folders) {
    static const char* const samples[] = {"cape_girl", "monster",         "robe",  "hair", "somersault",
                                          "octopus",   "octopus_lattice", "curls", "flag", "duck"};
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        char glb[SAMPLE_PATH_MAX], recipe[SAMPLE_PATH_MAX], why[SAMPLE_PATH_MAX];
        asset a;
        if (!sample_find(folders, samples[i], glb, recipe, why)) {
            command_warn("%s: %s; left out", samples[i], why);
        } else if (asset_load(&a, glb, recipe) == COMMAND_OK) {
            if (!calibrate_measure(c, &a, samples[i])) {
                command_warn("%s cannot be played; left out", samples[i]);
            }
            asset_unload(&a);
        }
    }
}

// -- Fitting

static double part_ns(const calibrate_row* row, int k) {
    return row->ns[part_of_cost(k)];
}

static bool same_part(int a, int b) {
    return part_of_cost(a) == part_of_cost(b);
}

// What the other costs of the same part leave of a row, as a share of what was measured.
static double left_of(const calibrate_row* row, const double* costs, int k) {
    double sum = 0;
    for (int j = 0; j < HEM_COST_COUNT; j++) {
        sum += j != k && same_part(j, k) ? (double)row->work[j] * costs[j] : 0;
    }
    return 1.0 - sum / part_ns(row, k);
}

double calibrate_measured_us(const calibrate_row* row) {
    double sum = 0;
    for (int k = 0; k < CALIBRATE_PARTS; k++) {
        sum += 1e-3 * row->ns[k];
    }
    return sum;
}

double calibrate_predicted_us(const calibrate_row* row, const hem_costs* costs) {
    double sum = 0;
    for (int k = 0; k < HEM_COST_COUNT; k++) {
        sum += 1e-3 * (double)row->work[k] * (double)costs->ns[k];
    }
    return sum;
}

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// How much slower this machine is than the one whose costs ship.
static double slower_by(const calibration* c, const hem_costs* shipped) {
    double ratios[CALIBRATE_ROWS];
    for (uint32_t r = 0; r < c->row_count; r++) {
        ratios[r] = calibrate_measured_us(&c->rows[r]) / calibrate_predicted_us(&c->rows[r], shipped);
    }
    qsort(ratios, c->row_count, sizeof(ratios[0]), compare);
    return c->row_count > 0 ? ratios[c->row_count / 2] : 1.0;
}

void calibrate_fit(calibration* c) {
    const hem_costs shipped = hem_costs_default();
    // Towards what ships, on a machine as fast as this one: what rows say a lot about they decide, and what always comes with
    // something else, or is next to nothing in all of them, is not made up from their noise.
    const double pull = 2e-3, slower = slower_by(c, &shipped);
    double costs[HEM_COST_COUNT];
    for (int k = 0; k < HEM_COST_COUNT; k++) {
        costs[k] = (double)shipped.ns[k] * slower;
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int k = 0; k < HEM_COST_COUNT; k++) {
            const double start = (double)shipped.ns[k] * slower;
            double top = start > 0 ? pull / start : 0, bottom = start > 0 ? pull / (start * start) : 0;
            for (uint32_t r = 0; r < c->row_count; r++) {
                const calibrate_row* row = &c->rows[r];
                // Of a part that is next to nothing of the frame the error is, too.
                const double ns = part_ns(row, k), whole = 1e3 * calibrate_measured_us(row);
                if (!(row->work[k] > 0) || !(ns > 0)) {
                    continue;
                }
                const double weight = fmin(ns / (0.25 * whole), 1.0), share = (double)row->work[k] / ns;
                top += weight * share * left_of(row, costs, k);
                bottom += weight * share * share;
            }
            costs[k] = bottom > 0 && top > 0 ? top / bottom : 0;
        }
    }
    c->costs = shipped;
    for (int k = 0; k < HEM_COST_COUNT; k++) {
        c->costs.ns[k] = (float)costs[k];
    }
}

// -- The command

static const char* const PART_NAMES[CALIBRATE_PARTS] = {"pose",      "step",    "search", "move",
                                                        "constrain", "contact", "show",   "skin"};

static int write_results(const calibration* c, uint32_t fitted, const char* path) {
    FILE* out = fopen(path, "w");
    if (out == NULL) {
        return command_fail(COMMAND_IO, "cannot write %s", path);
    }
    json j = {.out = out};
    json_begin(&j, NULL, '{');
    json_text(&j, "kind", "hem_costs");
    json_text(&j, "version", HEM_VERSION);
    json_begin(&j, "ns", '{');
    for (int k = 0; k < HEM_COST_COUNT; k++) {
        json_number(&j, hem_cost_name((hem_cost)k), (double)c->costs.ns[k]);
    }
    json_end(&j, '}');
    json_begin(&j, "rows", '[');
    for (uint32_t i = 0; i < c->row_count; i++) {
        json_begin(&j, NULL, '{');
        json_text(&j, "sample", c->rows[i].sample);
        json_text(&j, "level", hem_level_name(c->rows[i].level));
        json_flag(&j, "probe", c->rows[i].probe);
        json_number(&j, "measured_us", calibrate_measured_us(&c->rows[i]));
        json_number(&j, "predicted_us", calibrate_predicted_us(&c->rows[i], &c->costs));
        json_flag(&j, "fitted", i < fitted);
        json_begin(&j, "ns", '{');
        for (int k = 0; k < CALIBRATE_PARTS; k++) {
            json_number(&j, PART_NAMES[k], c->rows[i].ns[k]);
        }
        json_end(&j, '}');
        json_begin(&j, "work", '{');
        for (int k = 0; k < HEM_COST_COUNT; k++) {
            if (c->rows[i].work[k] > 0.0f) {
                json_number(&j, hem_cost_name((hem_cost)k), (double)c->rows[i].work[k]);
            }
        }
        json_end(&j, '}');
        json_end(&j, '}');
    }
    json_end(&j, ']');
    json_end(&j, '}');
    fputc('\n', out);
    if (fclose(out) != 0) {
        return command_fail(COMMAND_IO, "cannot write %s", path);
    }
    // The struct as it is, for a build without JSON: read it into a hem_costs.
    char binary[SAMPLE_PATH_MAX];
    snprintf(binary, sizeof(binary), "%s.bin", path);
    out = fopen(binary, "wb");
    const bool written = out != NULL && fwrite(&c->costs, sizeof(c->costs), 1, out) == 1;
    return out != NULL && fclose(out) == 0 && written ? COMMAND_OK
                                                      : command_fail(COMMAND_IO, "cannot write %s", binary);
}

static void print_results(const calibration* c, uint32_t fitted) {
    const hem_costs shipped = hem_costs_default();
    printf("%-14s %10s %10s   %s\n", "", "ns", "shipped", "each");
    for (int k = 0; k < HEM_COST_COUNT; k++) {
        printf("%-14s %10.2f %10.2f   %s\n", hem_cost_name((hem_cost)k), (double)c->costs.ns[k], (double)shipped.ns[k],
               hem_cost_text((hem_cost)k));
    }
    printf("\n%-16s %-8s %10s %10s %7s\n", "sample", "level", "measured", "predicted", "off");
    for (uint32_t i = 0; i < c->row_count; i++) {
        const double measured = calibrate_measured_us(&c->rows[i]);
        const double predicted = calibrate_predicted_us(&c->rows[i], &c->costs);
        printf("%-16s %-8s %7.1f us %7.1f us %5.1f %%%s\n", c->rows[i].sample, hem_level_name(c->rows[i].level),
               measured, predicted, 100.0 * (predicted / measured - 1.0),
               i >= fitted        ? "  (not fitted)"
               : c->rows[i].probe ? "  (probe)"
                                  : "");
    }
}

int command_calibrate(int argc, char** argv) {
    enum { STRANGERS = 12 };
    const char *output = NULL, *strangers[STRANGERS];
    int32_t stranger_count = 0;
    const option options[] = {
        {"-o", "FILE.json", "costs and rows; FILE.json.bin gets the struct itself", &output, NULL}};
    const option_table table = {
        "hem calibrate [MODEL...] [-o FILE.json]",
        "Measures what work costs on this machine, for hem_scene_def.costs. Takes less than a minute. Models named "
        "here, .hem or "
        "glTF, are predicted with the costs that come out, and measured: how far to trust them.",
        options,
        1,
        strangers,
        STRANGERS,
        &stranger_count};
    int result = options_parse(&table, argc, argv);
    if (result >= 0) {
        return result;
    }
    if (output != NULL && (result = command_check_outputs(&output, 1, NULL, 0)) != 0) {
        return result;
    }
    calibration* c = calloc(1, sizeof(*c));
    if (c == NULL) {
        return command_fail(COMMAND_INTERNAL, "no memory");
    }
    const sample_folders folders = sample_folders_default();
    calibrate_samples(c, &folders);
    calibrate_fit(c);
    const uint32_t fitted = c->row_count;
    for (int32_t i = 0; i < stranger_count; i++) {
        const char* slash = strrchr(strangers[i], '/');
        asset a;
        if (asset_load(&a, strangers[i], NULL) == COMMAND_OK) {
            if (!calibrate_measure(c, &a, slash != NULL ? slash + 1 : strangers[i])) {
                command_warn("%s cannot be played; left out", strangers[i]);
            }
            asset_unload(&a);
        }
    }
    print_results(c, fitted);
    result = fitted == 0      ? command_fail(COMMAND_INPUT, "there is no sample to measure on")
             : output != NULL ? write_results(c, fitted, output)
                              : COMMAND_OK;
    free(c);
    return result;
}
