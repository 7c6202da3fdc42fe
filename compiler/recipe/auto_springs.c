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
// In a chain each bone is led by the one above and leads none but the one below, so the roots are those of one bone, each as
// many times as there are bones: the chain swings as fast and in the end dies away as fast, but what its root does arrives at
// the tip as t^k e^(s t), later and larger, and hangs add up, 1 + 2 + ... times that of one. Here each particle follows its
// pose by itself: the tip is quicker to rest than the VRM's and hangs less, and the note says by how much.

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

void hemc_auto_swing(hemc_part_recipe* part, const hemc_spring_bone* bone, double length, uint32_t count, double scale,
                     hemc_text* why) {
    const hemc_spring_fit fit = hemc_fit_spring(bone, length);
    part->tuning.drive = (float)fmin(fit.hz, 60.0);
    part->tuning.drive_damping = (float)fmin(fit.drive_damping, 100.0);
    part->tuning.gravity_scale = (float)fmin(fmax(fit.gravity, -100.0), 100.0);
    part->tuning.tracking = part->kind == HEM_PART_SOFT;
    part->driven = part->spring_bones = true;
    part->rods.sag_free = false; // the hang is meant
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
    hemc_text_add(why, " at 60 Hz on bones of %.3g m: %.3g Hz, %.3g of critical damping, %.3g of earth's gravity",
                  length, fit.hz, fit.drive_damping, fit.gravity);
    if (count > 1 && bone->gravity != 0.0f && fit.hz > 0.0) {
        hemc_text_add(why, "; a chain of %u that stands level hangs %.2g m at its tip in the VRM, and %.2g here", count,
                      hemc_spring_hang(bone, length, count), hemc_spring_hang(bone, length, 1));
    }
    if (bone->hit_radius > 0.0f) {
        part->contact_radius = (float)fmin(scale * (double)bone->hit_radius, 1.0);
        hemc_text_add(why, ", %.3g m from what it meets", (double)part->contact_radius);
    }
    hemc_text_add(why, bone->centred ? ", not moved by the way of the character" : "");
}
