// SPDX-License-Identifier: MIT
#include "tools/vrm_chain.h"
#include "greatest.h"

#include <math.h>

// Chains of a VRM's spring bones, compiled and played, against the formula of the VRM at 60 Hz.

static double off(const vrm_swing* wanted, const vrm_swing* got) {
    return hypot(got->hang[0] - wanted->hang[0], got->hang[1] - wanted->hang[1]);
}

// Level, slanted and hanging down, of one to six bones, with gravity and without: within a hundredth of the chain's length.
TEST chains_hang_where_the_vrm_has_them(void) {
    static const double slopes[] = {0, -0.7853981633974483, -1.5707963267948966};
    for (int count = 1; count <= VRM_CHAIN_MOST; count++) {
        for (int i = 0; i < 3; i++) {
            for (int heavy = 0; heavy < 2; heavy++) {
                const vrm_chain c = {count % 2, count, 0.1, slopes[i], 2, 0.3, heavy ? 0.5 : 0};
                vrm_swing wanted, got;
                vrm_chain_reference(&c, &wanted);
                ASSERT(vrm_chain_play(&c, &got));
                ASSERT_IN_RANGE(0.0, off(&wanted, &got), 0.01 * c.count * c.length);
                ASSERT(heavy == 0 || i == 2 || wanted.hang[1] < -0.005);
            }
        }
    }
    PASS();
}

// Led aside as a whole and let go.
TEST chains_swing_as_the_vrm_does(void) {
    static const double numbers[][2] = {{4, 0.1}, {2.5, 0.2}};
    for (int count = 1; count <= 4; count++) {
        for (int i = 0; i < 2; i++) {
            for (int heavy = 0; heavy < 2; heavy++) {
                const double slope = heavy ? -1.5707963267948966 : 0;
                const vrm_chain c = {count % 2, count, 0.1, slope, numbers[i][0], numbers[i][1], heavy ? 0.5 : 0};
                vrm_swing wanted, got;
                vrm_chain_reference(&c, &wanted);
                ASSERT(vrm_chain_play(&c, &got));
                ASSERT(wanted.hz > 1);
                ASSERT_IN_RANGE(wanted.hz, got.hz, 0.05 * wanted.hz);
                ASSERT_IN_RANGE(wanted.decay, got.decay, 0.05 * wanted.decay);
            }
        }
    }
    PASS();
}

SUITE(vrm_suite) {
    RUN_TEST(chains_hang_where_the_vrm_has_them);
    RUN_TEST(chains_swing_as_the_vrm_does);
}
