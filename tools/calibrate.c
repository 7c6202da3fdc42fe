// SPDX-License-Identifier: MIT
#include "tools/calibrate.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// `hem calibrate`: least squares over samples and levels. Each row is a frame of one instance: counts of work on one side,
// what it took on the other; poses, steps and skinning apart, since their works are. Errors count relative to what was
// measured, and no cost may be below zero. Frames are played several times from the same save, and of each the least is
// kept, with all levels of a sample in turn: what disturbs a frame on a busy machine seldom does so each time.

enum { INSTANCES = 8, WARM = 16, FRAMES = 24, TURNS = 6, SWEEPS = 4000, PLAYS = 10 };

// -- Measuring

static bool is_pose_cost(int k) {
    return k == HEM_COST_bone || k == HEM_COST_target_row;
}

static bool is_skin_cost(int k) {
    return k >= HEM_COST_bone_vertex && k <= HEM_COST_cell_vertex;
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
    uint64_t least[FRAMES][3]; // of all turns: pose, step, skin
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
        const uint64_t parts[3] = {t.pose, t.plan + t.step, t.skin};
        for (int k = 0; k < 3; k++) {
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
        }
    }
    for (int i = 0; i < count; i++) {
        for (int f = 0; good && f < FRAMES; f++) {
            rows[i].pose_ns += (double)plays[i].least[f][0] / (FRAMES * INSTANCES);
            rows[i].step_ns += (double)plays[i].least[f][1] / (FRAMES * INSTANCES);
            rows[i].skin_ns += (double)plays[i].least[f][2] / (FRAMES * INSTANCES);
        }
        close_play(&plays[i]);
    }
    c->row_count += good ? (uint32_t)count : 0;
    return good;
}

void calibrate_samples(calibration* c, const sample_folders* folders) {
    static const char* const samples[] = {"cape_girl", "monster",         "robe",  "hair", "somersault",
                                          "octopus",   "octopus_lattice", "curls", "flag"};
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
    return is_pose_cost(k) ? row->pose_ns : is_skin_cost(k) ? row->skin_ns : row->step_ns;
}

static bool same_part(int a, int b) {
    return is_pose_cost(a) == is_pose_cost(b) && is_skin_cost(a) == is_skin_cost(b);
}

// What the other costs of the same part leave of a row, as a share of what was measured.
static double left_of(const calibrate_row* row, const double* costs, int k) {
    double sum = 0;
    for (int j = 0; j < HEM_COST_COUNT; j++) {
        sum += j != k && same_part(j, k) ? (double)row->work[j] * costs[j] : 0;
    }
    return 1.0 - sum / part_ns(row, k);
}

void calibrate_fit(calibration* c) {
    const hem_costs shipped = hem_costs_default();
    const double pull = 2e-4; // towards what ships, where rows say nothing
    double costs[HEM_COST_COUNT];
    for (int k = 0; k < HEM_COST_COUNT; k++) {
        costs[k] = (double)shipped.ns[k];
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int k = 0; k < HEM_COST_COUNT; k++) {
            const double start = (double)shipped.ns[k];
            double top = start > 0 ? pull / start : 0, bottom = start > 0 ? pull / (start * start) : 0;
            for (uint32_t r = 0; r < c->row_count; r++) {
                const calibrate_row* row = &c->rows[r];
                if (!(row->work[k] > 0) || !(part_ns(row, k) > 0)) {
                    continue;
                }
                const double share = (double)row->work[k] / part_ns(row, k);
                top += share * left_of(row, costs, k);
                bottom += share * share;
            }
            costs[k] = bottom > 0 && top > 0 ? top / bottom : 0;
        }
    }
    c->costs = shipped;
    for (int k = 0; k < HEM_COST_COUNT; k++) {
        c->costs.ns[k] = (float)costs[k];
    }
}

double calibrate_measured_us(const calibrate_row* row) {
    return 1e-3 * (row->pose_ns + row->step_ns + row->skin_ns);
}

double calibrate_predicted_us(const calibrate_row* row, const hem_costs* costs) {
    double sum = 0;
    for (int k = 0; k < HEM_COST_COUNT; k++) {
        sum += 1e-3 * (double)row->work[k] * (double)costs->ns[k];
    }
    return sum;
}

// -- The command

static int write_results(const calibration* c, const char* path) {
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

static void print_results(const calibration* c) {
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
               measured, predicted, 100.0 * (predicted / measured - 1.0), c->rows[i].probe ? "  (probe)" : "");
    }
}

int command_calibrate(int argc, char** argv) {
    const char* output = NULL;
    int32_t file_count = 0;
    const option options[] = {
        {"-o", "FILE.json", "costs and rows; FILE.json.bin gets the struct itself", &output, NULL}};
    const option_table table = {
        "hem calibrate [-o FILE.json]",
        "Measures what work costs on this machine, for hem_scene_def.costs. Takes half a minute.",
        options,
        1,
        NULL,
        0,
        &file_count};
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
    print_results(c);
    result = c->row_count == 0 ? command_fail(COMMAND_INPUT, "there is no sample to measure on")
             : output != NULL  ? write_results(c, output)
                               : COMMAND_OK;
    free(c);
    return result;
}
