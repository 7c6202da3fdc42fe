// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_CALIBRATE_H
#define HEM_TOOLS_CALIBRATE_H

// The costs of the machine at hand: samples at every level, and the nanoseconds that explain best what they took.

#include "tools/crowd.h"
#include "tools/sample.h"

enum { CALIBRATE_ROWS = 320 };

// What costs are told apart by: each belongs to one part of a frame, whose time is measured by itself.
typedef enum calibrate_part {
    CALIBRATE_POSE, // what comes before the step
    CALIBRATE_STEP, // once a step: its begin, colliders, its end
    CALIBRATE_SEARCH,
    CALIBRATE_MOVE, // predictions and velocities
    CALIBRATE_CONSTRAIN,
    CALIBRATE_CONTACT,
    CALIBRATE_SHOW, // what drawing reads
    CALIBRATE_SKIN, // what comes after the step
    CALIBRATE_PARTS
} calibrate_part;

typedef struct calibrate_row { // a sample at a level
    char sample[32];
    hem_level level;
    bool probe;                 // something was switched off or added to tell costs apart; it is no sample
    float work[HEM_COST_COUNT]; // of a frame of one instance, on average
    double ns[CALIBRATE_PARTS];
} calibrate_row;

typedef struct calibration {
    calibrate_row rows[CALIBRATE_ROWS];
    uint32_t row_count;
    hem_costs costs;
} calibration;

// Plays `a` at all levels and adds rows.
bool calibrate_measure(calibration* c, const asset* a, const char* sample);
// Plays every sample that there is; one that cannot be played is left out with a warning.
void calibrate_samples(calibration* c, const sample_folders* folders);
// From the rows. What no row tells stays near what ships.
void calibrate_fit(calibration* c);
double calibrate_measured_us(const calibrate_row* row);
double calibrate_predicted_us(const calibrate_row* row, const hem_costs* costs);

#endif
