// SPDX-License-Identifier: MIT
#include "compiler/recipe/auto.h"

#include <math.h>

// Spring bones of VRM 0 and 1 as a drive.
//
// A VRM moves the tail of each bone once a frame: it keeps the share 1 - drag of what it went in the frame before, goes
// dt * stiffness towards where the parent has it at rest and dt * gravity down, and is put back to the bone's length. The
// frame is in the formula, so it means what was meant at one rate only: 60 a second, as it was made for. A tail at distance
// L and d aside of its rest, pulled by F = |stiffness, gravity|, comes out L + dt F along and is put back to L, so that
//
//     d' (1 + G) = d + (1 - drag) (d - d''),   G = dt F / L
//
// whose two solutions are z^n with (1 + G) z^2 - (2 - drag) z + 1 - drag = 0. The drive's oscillator (runtime, drive.inl) goes
// through points e^(s t) exactly, so with s = 60 ln z it swings and dies away as the VRM does: the product of the two s is
// omega squared, their sum -2 zeta omega. It hangs where gravity / stiffness has it when g / omega^2 = L gravity / stiffness.
//
// Hangs are not the drive's: the bones themselves hang in the runtime (hem_bone.hang), each where the VRM has it, and what
// follows them is driven there without gravity of its own.
//
// In a chain each bone is led by the one above and leads none but the one below: what its root does arrives at the tip as
// t^k e^(s t), later and larger. A drive has one pair of roots, so it takes those with which its swing is nearest to that of
// the chain's tip.

#define RATE 60.0
#define STANDARD_GRAVITY 9.81

hemc_spring_fit hemc_fit_spring(const hemc_spring_bone* bone, double length) {
    hemc_spring_fit fit = {0};
    const double drag = fmin(fmax((double)bone->drag, 0.0), 0.999), keep = 1.0 - drag;
    length = fmax(length, 1e-4);
    if (!(bone->stiffness > 0.0f)) { // nothing leads it back: it falls with dt * gravity a frame
        fit.damping = -RATE * log(keep);
        fit.gravity = RATE * (double)bone->gravity / STANDARD_GRAVITY;
        return fit;
    }
    const double force = sqrt((double)bone->stiffness * bone->stiffness + (double)bone->gravity * bone->gravity);
    const double pull = 1.0 + force / (RATE * length);
    const double left = keep / pull; // of a swing's square after a frame
    const double half = 0.5 * (1.0 + keep) / pull, square = half * half - left;
    double product, sum; // of the two exponents
    if (square < 0.0) {
        const double decay = -0.5 * RATE * log(left), turn = RATE * atan2(sqrt(-square), half);
        product = decay * decay + turn * turn;
        sum = 2.0 * decay;
    } else {
        const double root = sqrt(square);
        const double slow = -RATE * log(fmin(fmax(half + root, 1e-9), 1.0 - 1e-9));
        const double fast = -RATE * log(fmin(fmax(half - root, 1e-9), 1.0 - 1e-9));
        product = slow * fast;
        sum = slow + fast;
    }
    const double omega = sqrt(product);
    fit.hz = omega / 6.283185307179586;
    fit.drive_damping = 0.5 * sum / omega;
    fit.gravity = product * length * (double)bone->gravity / (double)bone->stiffness / STANDARD_GRAVITY;
    return fit;
}

// -- Chains

enum { CHAIN_FRAMES = 240, CHAIN_MOST = 16, SWINGS_MOST = 32 };

// The tip of a chain of such bones, led aside as a whole until it hangs and let go, frame by frame; small angles. Each bone
// rests along s d + g, with d what the one above it rests along: it is pulled by the size of that, and led by what the one
// above turns in the share s cos / size.
static void swing_chain(const hemc_spring_bone* bone, double length, double down, uint32_t count,
                        double tip[CHAIN_FRAMES]) {
    const double keep = 1.0 - fmin(fmax((double)bone->drag, 0.0), 0.999);
    double now[CHAIN_MOST], before[CHAIN_MOST], pull[CHAIN_MOST], led[CHAIN_MOST];
    double y = fmin(fmax(down, -1.0), 1.0), x = sqrt(1.0 - y * y), turn = 1.0, aside = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const double nx = (double)bone->stiffness * x, ny = (double)bone->stiffness * y + (double)bone->gravity;
        const double force = fmax(sqrt(nx * nx + ny * ny), 1e-9);
        pull[k] = force / (RATE * length);
        led[k] = (double)bone->stiffness * (nx * x + ny * y) / (force * force);
        x = nx / force, y = ny / force;
        turn *= led[k];
        aside += turn;
        now[k] = before[k] = aside;
    }
    for (uint32_t f = 0; f < CHAIN_FRAMES; ++f) {
        double head = 0, lead = 0; // where the bone begins, and how far the one above is turned
        tip[f] = now[count - 1];
        for (uint32_t k = 0; k < count; ++k) {
            const double free = now[k] + keep * (now[k] - before[k]) - head;
            const double angle = (free + pull[k] * led[k] * lead) / (1.0 + pull[k]);
            before[k] = now[k];
            now[k] = head + angle;
            lead = angle;
            head = now[k];
        }
    }
}

// Frequency and decay of a swing, sampled RATE times a second: of its half swings from its first way through rest on, each
// counted as its area. Decay is the slope of the logarithms of these. False where it does not swing so often.
static bool measure_swing(const double* y, uint32_t count, double* hz, double* decay) {
    double at[SWINGS_MOST + 1], area[SWINGS_MOST + 1], largest = 0, sum = 0;
    uint32_t crossings = 0;
    for (uint32_t i = 1; i < count && crossings <= SWINGS_MOST; ++i) {
        if ((y[i - 1] > 0) == (y[i] > 0)) {
            sum += 0.5 * fabs(y[i - 1] + y[i]);
            continue;
        }
        const double part = y[i - 1] / (y[i - 1] - y[i]);
        if (crossings > 0) {
            area[crossings - 1] = sum + 0.5 * part * fabs(y[i - 1]);
        }
        at[crossings++] = (i - 1 + part) / RATE;
        sum = 0.5 * (1.0 - part) * fabs(y[i]);
    }
    for (uint32_t i = 0; i + 1 < crossings; ++i) {
        largest = fmax(largest, area[i]);
    }
    double weights = 0, t = 0, a = 0, tt = 0, ta = 0, turns = 0;
    uint32_t used = 0;
    for (; used + 1 < crossings && area[used] >= 0.02 * largest; ++used) {
        const double w = area[used], time = 0.5 * (at[used] + at[used + 1]), size = log(w);
        weights += w, t += w * time, a += w * size, tt += w * time * time, ta += w * time * size;
        turns += w * 0.5 / (at[used + 1] - at[used]);
    }
    if (used < 2) {
        return false;
    }
    *hz = turns / weights;
    *decay = -(weights * ta - t * a) / (weights * tt - t * t);
    return true;
}

hemc_spring_fit hemc_fit_chain(const hemc_spring_bone* bone, double length, double down, uint32_t count) {
    hemc_spring_fit fit = hemc_fit_spring(bone, length);
    double tip[CHAIN_FRAMES], hz, decay;
    count = count < CHAIN_MOST ? count : CHAIN_MOST;
    if (count > 0 && fit.hz > 0) {
        swing_chain(bone, fmax(length, 1e-4), down, count, tip);
        if (measure_swing(tip, CHAIN_FRAMES, &hz, &decay)) {
            const double turn = 6.283185307179586 * hz, omega = sqrt(turn * turn + decay * decay);
            fit.hz = omega / 6.283185307179586;
            fit.drive_damping = fmax(decay / omega, 0.02);
        }
    }
    return fit;
}

double hemc_spring_hang(const hemc_spring_bone* bone, double length, uint32_t count) {
    double x = 1, y = 0, hang = 0;
    for (uint32_t i = 0; i < count; ++i) { // each rests where stiffness along the one above and gravity lead together
        x *= (double)bone->stiffness;
        y = y * (double)bone->stiffness + (double)bone->gravity;
        const double size = sqrt(x * x + y * y);
        x /= fmax(size, 1e-30), y /= fmax(size, 1e-30);
        hang += length * y;
    }
    return hang;
}

// Times the compliance of a part's shape. The drive holds the shape of what follows a VRM's springs; groups as stiff as those of
// other hair would add to it where a chain is only a few particles long: one bone of 5 cm swung 74 % too fast.
double hemc_spring_softness(double spacing, double reach) {
    const double ratio = spacing / fmax(reach, 1e-4);
    return fmin(fmax(250.0 * ratio * ratio, 4.0), 40.0);
}

void hemc_auto_swing(hemc_part_recipe* part, const hemc_spring_bone* bone, double length, double down, uint32_t count,
                     double scale, hemc_text* why) {
    const hemc_spring_fit fit = hemc_fit_chain(bone, length, down, count);
    part->tuning.drive = (float)fmin(fit.hz, 60.0);
    part->tuning.drive_damping = (float)fmin(fit.drive_damping, 100.0);
    part->tuning.gravity_scale =
        bone->stiffness > 0.0f ? 0.0f : (float)fmin(fmax(fit.gravity, -100.0), 100.0); // its bones hang
    part->tuning.tracking = part->kind == HEM_PART_SOFT;
    part->driven = part->spring_bones = true;
    part->rods.sag_free = false; // the hang is meant
    if (fit.hz > 0.0) {          // the drive damps as much as is wanted
        part->tuning.damping = part->tuning.angular_damping = 0;
    }
    if (fit.damping > 0.0) {
        part->tuning.damping = part->tuning.angular_damping = (float)fmin(fit.damping, 1000.0);
    }
    if (bone->centred) {
        part->tuning.linear_inertia = part->tuning.angular_inertia = 0;
    }
    hemc_text_add(why, "; as a VRM spring of stiffness ");
    hemc_text_number(why, (double)bone->stiffness);
    hemc_text_add(why, ", drag ");
    hemc_text_number(why, (double)bone->drag);
    hemc_text_add(why, " and gravity ");
    hemc_text_number(why, (double)bone->gravity);
    hemc_text_add(why, " at 60 Hz on bones of %.3g m: %.3g Hz, %.3g of critical damping", length, fit.hz,
                  fit.drive_damping);
    if (fit.hz <= 0.0) {
        hemc_text_add(why, ", %.3g of earth's gravity", fit.gravity);
    }
    if (count > 1 && fit.hz > 0.0) {
        hemc_text_add(why, ", which is how the tip of %u swings", count);
    }
    if (bone->gravity != 0.0f && fit.hz > 0.0) {
        hemc_text_add(why, "; its bones hang as the VRM's: from level by %.2g m at the tip",
                      hemc_spring_hang(bone, length, count));
    }
    if (bone->hit_radius > 0.0f) {
        part->contact_radius = (float)fmin(scale * (double)bone->hit_radius, 1.0);
        hemc_text_add(why, ", %.3g m from what it meets", (double)part->contact_radius);
    }
    hemc_text_add(why, bone->centred ? ", not moved by the way of the character" : "");
}
