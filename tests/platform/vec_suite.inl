// SPDX-License-Identifier: MIT
// Every promise of platform/vec.h, for one backend. The file that includes this has defined the backend, VEC_SUITE (the
// suite's name) and VEC_BACKEND (a string). Results are compared with vec_reference.c bit by bit, and all of them are
// hashed into one number that every backend, compiler and machine must reproduce.

#include "platform/vec_double.h"
#include "platform/vec_math.h"
#include "platform/hash.h"
#include "tests/platform/vec_reference.h"

#include <stdio.h>
#include <string.h>

#include "greatest.h"

#define BLOCK 2048
#define RANDOM_BLOCKS 512 // a million lanes

typedef struct lanes {
    HEM_ALIGN(32) uint32_t a[BLOCK];
    HEM_ALIGN(32) uint32_t b[BLOCK];
    HEM_ALIGN(32) uint32_t c[BLOCK];
    HEM_ALIGN(32) uint32_t out[BLOCK];
} lanes;

static lanes data;
static char message[256];

static float as_float(uint32_t bits) {
    return hem_float_of_bits(bits);
}

static v8 load_v8(const uint32_t* p) {
    return w8_as_v8(w8_load((const int32_t*)p));
}

static void store_v8(uint32_t* p, v8 a) {
    w8_store((int32_t*)p, v8_as_w8(a));
}

static void store_m8(uint32_t* p, m8 m) {
    w8_store((int32_t*)p, w8_select(m, w8_set1(-1), w8_set1(0)));
}

static void store_w8(uint32_t* p, w8 a) {
    w8_store((int32_t*)p, a);
}

static m8 negative(v8 a) {
    return v8_lt(a, v8_zero());
}

static void run_lanes(int op, const uint32_t* pa, const uint32_t* pb, const uint32_t* pc, uint32_t* out) {
    v8 a = load_v8(pa), b = load_v8(pb), c = load_v8(pc);
    w8 i = w8_load((const int32_t*)pa), j = w8_load((const int32_t*)pb);
    // clang-format off
    switch (op) {
    case VEC_ADD: store_v8(out, v8_add(a, b)); break;
    case VEC_SUB: store_v8(out, v8_sub(a, b)); break;
    case VEC_MUL: store_v8(out, v8_mul(a, b)); break;
    case VEC_DIV: store_v8(out, v8_div(a, b)); break;
    case VEC_SQRT: store_v8(out, v8_sqrt(a)); break;
    case VEC_NEG: store_v8(out, v8_neg(a)); break;
    case VEC_ABS: store_v8(out, v8_abs(a)); break;
    case VEC_MIN: store_v8(out, v8_min(a, b)); break;
    case VEC_MAX: store_v8(out, v8_max(a, b)); break;
    case VEC_MADD: store_v8(out, v8_madd(a, b, c)); break;
    case VEC_NMADD: store_v8(out, v8_nmadd(a, b, c)); break;
    case VEC_FLOOR: store_v8(out, v8_floor(a)); break;
    case VEC_LT: store_m8(out, v8_lt(a, b)); break;
    case VEC_LE: store_m8(out, v8_le(a, b)); break;
    case VEC_GT: store_m8(out, v8_gt(a, b)); break;
    case VEC_GE: store_m8(out, v8_ge(a, b)); break;
    case VEC_EQ: store_m8(out, v8_eq(a, b)); break;
    case VEC_SELECT: store_v8(out, v8_select(negative(c), a, b)); break;
    case VEC_KEEP: store_v8(out, v8_keep(negative(c), a)); break;
    case VEC_FLUSH: store_v8(out, v8_flush(a)); break;
    case VEC_SIGN: store_v8(out, v8_sign(a)); break;
    case VEC_COPYSIGN: store_v8(out, v8_copysign(a, b)); break;
    case VEC_M_AND: store_m8(out, m8_and(negative(a), negative(b))); break;
    case VEC_M_OR: store_m8(out, m8_or(negative(a), negative(b))); break;
    case VEC_M_NOT: store_m8(out, m8_not(negative(a))); break;
    case VEC_M_ANDNOT: store_m8(out, m8_andnot(negative(a), negative(b))); break;
    case VEC_W_ADD: store_w8(out, w8_add(i, j)); break;
    case VEC_W_SUB: store_w8(out, w8_sub(i, j)); break;
    case VEC_W_MUL: store_w8(out, w8_mul(i, j)); break;
    case VEC_W_AND: store_w8(out, w8_and(i, j)); break;
    case VEC_W_OR: store_w8(out, w8_or(i, j)); break;
    case VEC_W_XOR: store_w8(out, w8_xor(i, j)); break;
    case VEC_W_SHL: store_w8(out, w8_shl(i, VEC_SHL_BITS)); break;
    case VEC_W_SHR: store_w8(out, w8_shr(i, VEC_SHR_BITS)); break;
    case VEC_W_EQ: store_m8(out, w8_eq(i, j)); break;
    case VEC_W_GT: store_m8(out, w8_gt(i, j)); break;
    case VEC_W_SELECT: store_w8(out, w8_select(negative(c), i, j)); break;
    case VEC_TO_W8: store_w8(out, v8_to_w8(a)); break;
    case VEC_TO_V8: store_v8(out, w8_to_v8(i)); break;
    case VEC_SIN: store_v8(out, v8_sin(a)); break;
    case VEC_COS: store_v8(out, v8_cos(a)); break;
    case VEC_ACOS: store_v8(out, v8_acos(a)); break;
    case VEC_ATAN2: store_v8(out, v8_atan2(a, b)); break;
    case VEC_EXP: store_v8(out, v8_exp(a)); break;
    default: break;
    }
    // clang-format on
}

static int is_nan(uint32_t bits) {
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

// Runs one operation over data and compares; the first difference goes into message. Returns the chained hash.
static uint64_t check_block(int op, int count, uint64_t hash, int* failed) {
    const vec_reference* reference = &vec_references[op];
    for (int l = 0; l < count; l += HEM_LANES) {
        run_lanes(op, data.a + l, data.b + l, data.c + l, data.out + l);
    }
    for (int l = 0; l < count; ++l) {
        uint32_t want = reference->lane(data.a[l], data.b[l], data.c[l]);
        uint32_t got = data.out[l];
        if (reference->kind == VEC_ARITHMETIC && is_nan(got)) {
            data.out[l] = 0x7fc00000u;
            if (is_nan(want)) {
                continue;
            }
        }
        if (got != want && !*failed) {
            *failed = 1;
            snprintf(message, sizeof message, "%s %s(%08x, %08x, %08x) is %08x, not %08x  (%g %g %g: %g, not %g)",
                     VEC_BACKEND, reference->name, (unsigned)data.a[l], (unsigned)data.b[l], (unsigned)data.c[l],
                     (unsigned)got, (unsigned)want, as_float(data.a[l]), as_float(data.b[l]), as_float(data.c[l]),
                     as_float(got), as_float(want));
        }
    }
    return hem_hash(data.out, (size_t)count * sizeof data.out[0], hash);
}

TEST every_lane_equals_the_reference(void) {
    uint64_t hash = 0;
    int failed = 0;

    // All pairs of special values, with a third that wanders through them.
    int count = 0;
    int pairs = vec_special_count * vec_special_count;
    for (int p = 0; p < pairs || count % HEM_LANES != 0; ++p) {
        data.a[count] = vec_specials[p / vec_special_count % vec_special_count];
        data.b[count] = vec_specials[p % vec_special_count];
        data.c[count] = vec_specials[p * 7 % vec_special_count];
        ++count;
        if (count == BLOCK || (p + 1 >= pairs && count % HEM_LANES == 0)) {
            for (int op = 0; op < VEC_OP_COUNT; ++op) {
                hash = check_block(op, count, hash, &failed);
            }
            count = 0;
        }
    }
    ASSERTm(message, !failed);

    uint64_t state = 0x853c49e6748fea9bull;
    for (int block = 0; block < RANDOM_BLOCKS; ++block) {
        for (int l = 0; l < BLOCK; ++l) {
            data.a[l] = vec_random_lane(&state);
            data.b[l] = vec_random_lane(&state);
            data.c[l] = vec_random_lane(&state);
        }
        for (int op = 0; op < VEC_OP_COUNT; ++op) {
            hash = check_block(op, BLOCK, hash, &failed);
        }
        ASSERTm(message, !failed);
    }

    snprintf(message, sizeof message, "%s results hash to 0x%016llx", VEC_BACKEND, (unsigned long long)hash);
    ASSERTm(message, hash == VEC_GOLDEN);
    PASS();
}

static v8 lanes_of(float a, float b, float c, float d, float e, float f, float g, float h) {
    float p[8] = {a, b, c, d, e, f, g, h};
    return v8_loadu(p);
}

TEST memory_keeps_order_and_neighbours(void) {
    // Offsets 0..7 cover every misalignment; the words around the eight must stay.
    HEM_ALIGN(32) float source[24], target[24];
    for (int i = 0; i < 24; ++i) {
        source[i] = (float)i;
    }
    for (int offset = 0; offset < 8; ++offset) {
        for (int i = 0; i < 24; ++i) {
            target[i] = -1.0f;
        }
        v8_storeu(target + 8 + offset, v8_loadu(source + offset));
        for (int i = 0; i < 24; ++i) {
            int inside = i >= 8 + offset && i < 16 + offset;
            ASSERT_EQ_FMT(inside ? (float)(i - 8) : -1.0f, target[i], "%g");
        }
        int32_t words[24] = {0}, back[24] = {0};
        for (int i = 0; i < 24; ++i) {
            words[i] = i * 1000003;
        }
        w8_storeu(back + offset, w8_loadu(words + offset));
        ASSERT_MEM_EQ((words + offset), (back + offset), 32);
        ASSERT_EQ(0, back[offset + 8]);
    }
    v8_store(target, v8_load(source + 8));
    ASSERT_MEM_EQ((source + 8), target, 32);
    for (int k = 0; k < 8; ++k) {
        ASSERT_EQ_FMT((float)k, v8_lane(v8_load(source), k), "%g");
    }
    PASS();
}

// What was read before a store stays what it was.
TEST a_number_in_all_lanes_is_that_of_before_a_store(void) {
    static HEM_ALIGN(32) float f[8] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f};
    static HEM_ALIGN(32) int32_t i[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    static HEM_ALIGN(32) double d[4] = {1.0, 2.0, 3.0, 4.0};
    v8 x = v8_set1(f[1]);
    v8_store(f, v8_set1(9.0f));
    x = v8_add(x, v8_load(f));
    w8 y = w8_set1(i[2]);
    m8 bits = m8_from_bits((uint32_t)i[6]);
    w8_store(i, w8_set1(9));
    y = w8_add(y, w8_load(i));
    d4 z = d4_set1(d[3]);
    d4_store(d, d4_set1(9.0));
    z = d4_add(z, d4_load(d));
    v8_store(f, x);
    w8_store(i, y);
    d4_store(d, z);
    ASSERT_EQ_FMT(11.0, (double)f[7], "%g");
    ASSERT_EQ_FMT(12, (int)i[7], "%d");
    ASSERT_EQ_FMT(13.0, d[3], "%g");
    ASSERT_EQ_FMT(7u, (unsigned)m8_bits(bits), "%u");
    // Lanes one after the other, whose places on the stack are free again each time.
    v8 lanes8 = v8_load(f);
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k) {
        lanes8 = v8_add(v8_set1(v8_lane(lanes8, k)), v8_set1(v8_lane(v8_load(f), 7 - k)));
        sum += v8_lane(lanes8, k);
    }
    ASSERT_EQ_FMT(484.0, (double)sum, "%g"); // 11 (2 + 3 + .. + 9)
    PASS();
}

TEST masks_turn_to_bits_and_back(void) {
    for (uint32_t bits = 0; bits < 256; ++bits) {
        m8 m = m8_from_bits(bits);
        ASSERT_EQ_FMT((unsigned)bits, (unsigned)m8_bits(m), "%x");
        ASSERT_EQ(bits != 0, m8_any(m) != 0);
        ASSERT_EQ(bits == 255, m8_all(m) != 0);
        ASSERT_EQ(bits == 0, m8_none(m) != 0);
        HEM_ALIGN(32) float picked[8];
        v8_store(picked, v8_select(m, v8_set1(1.0f), v8_set1(2.0f)));
        for (int l = 0; l < 8; ++l) {
            ASSERT_EQ_FMT(bits >> l & 1 ? 1.0f : 2.0f, picked[l], "%g");
        }
        ASSERT_EQ_FMT((unsigned)(~bits & 255u), (unsigned)m8_bits(m8_not(m)), "%x");
    }
    // Bits past the eighth are nobody's.
    ASSERT_EQ_FMT(0x5au, (unsigned)m8_bits(m8_from_bits(0xffffff5au)), "%x");
    PASS();
}

TEST shifts_take_every_count(void) {
    HEM_ALIGN(32) int32_t words[8] = {1, -1, 0x12345678, INT32_MIN, 0x7fffffff, 0, -2, 0x0f0f0f0f};
    HEM_ALIGN(32) int32_t out[8];
    for (int n = 0; n < 32; ++n) {
        w8_store(out, w8_shl(w8_load(words), n));
        for (int l = 0; l < 8; ++l) {
            ASSERT_EQ_FMT((uint32_t)((uint64_t)(uint32_t)words[l] << n), (uint32_t)out[l], "%x");
        }
        w8_store(out, w8_shr(w8_load(words), n));
        for (int l = 0; l < 8; ++l) {
            ASSERT_EQ_FMT((uint32_t)((uint64_t)(uint32_t)words[l] >> n), (uint32_t)out[l], "%x");
        }
    }
    PASS();
}

TEST rotation_moves_lane_i_plus_k_to_i(void) {
    v8 a = lanes_of(10, 11, 12, 13, 14, 15, 16, 17);
    for (int k = 0; k < 8; ++k) {
        HEM_ALIGN(32) float out[8];
        v8_store(out, v8_rotate(a, k));
        for (int l = 0; l < 8; ++l) {
            ASSERT_EQ_FMT((float)(10 + (l + k) % 8), out[l], "%g");
        }
    }
    PASS();
}

TEST gather_and_scatter_follow_their_indices(void) {
    float table[64];
    uint64_t state = 77;
    for (int round = 0; round < 2000; ++round) {
        float expected[64];
        int32_t index[8];
        for (int i = 0; i < 64; ++i) {
            table[i] = expected[i] = (float)i;
        }
        for (int l = 0; l < 8; ++l) {
            index[l] = (int32_t)(vec_random(&state) >> 40) % 64 - 20; // negative ones and repeats too
        }
        float* base = table + 20;
        HEM_ALIGN(32) float out[8];
        v8_store(out, v8_gather(base, index));
        for (int l = 0; l < 8; ++l) {
            ASSERT_EQ_FMT((float)(20 + index[l]), out[l], "%g");
        }
        uint32_t bits = (uint32_t)(vec_random(&state) >> 56);
        v8_scatter(base, index, lanes_of(100, 101, 102, 103, 104, 105, 106, 107), m8_from_bits(bits));
        for (int l = 0; l < 8; ++l) {
            if (bits >> l & 1) {
                expected[20 + index[l]] = (float)(100 + l);
            }
        }
        ASSERT_MEM_EQ(expected, table, sizeof table);
    }
    PASS();
}

TEST rows_of_four_turn_into_columns_and_back(void) {
    HEM_ALIGN(32) float table[32 * 4];
    uint64_t state = 99;
    for (int round = 0; round < 2000; ++round) {
        float expected[32 * 4];
        int32_t index[8];
        for (int i = 0; i < 128; ++i) {
            table[i] = expected[i] = (float)i;
        }
        for (int l = 0; l < 8; ++l) {
            index[l] = (int32_t)(vec_random(&state) >> 40) % 32 - 10;
        }
        float* base = table + 40;
        v8 column[4];
        v8_load_rows4(base, index, &column[0], &column[1], &column[2], &column[3]);
        for (int l = 0; l < 8; ++l) {
            for (int k = 0; k < 4; ++k) {
                ASSERT_EQ_FMT((float)(40 + 4 * index[l] + k), v8_lane(column[k], l), "%g");
            }
        }
        v8 step = v8_set1(1000.0f);
        v8 mark = lanes_of(0, 1, 2, 3, 4, 5, 6, 7);
        v8_store_rows4(base, index, mark, v8_add(mark, step), v8_sub(mark, step), v8_neg(mark));
        for (int l = 0; l < 8; ++l) {
            float* e = expected + 40 + 4 * index[l];
            e[0] = (float)l;
            e[1] = (float)l + 1000.0f;
            e[2] = (float)l - 1000.0f;
            e[3] = -(float)l;
        }
        ASSERT_MEM_EQ(expected, table, sizeof table);
    }
    PASS();
}

TEST triples_and_transposes_are_permutations(void) {
    float packed[26], back[26];
    for (int i = 0; i < 26; ++i) {
        packed[i] = (float)i;
        back[i] = -1.0f;
    }
    v8 x, y, z;
    v8_load3(packed + 1, &x, &y, &z);
    for (int l = 0; l < 8; ++l) {
        ASSERT_EQ_FMT((float)(3 * l + 1), v8_lane(x, l), "%g");
        ASSERT_EQ_FMT((float)(3 * l + 2), v8_lane(y, l), "%g");
        ASSERT_EQ_FMT((float)(3 * l + 3), v8_lane(z, l), "%g");
    }
    v8_store3(back + 1, x, y, z);
    ASSERT_MEM_EQ((packed + 1), (back + 1), 24 * sizeof(float));
    ASSERT(back[0] == -1.0f && back[25] == -1.0f);

    v8 rows[8];
    for (int r = 0; r < 8; ++r) {
        v8 base = lanes_of(0, 1, 2, 3, 4, 5, 6, 7);
        rows[r] = v8_add(base, v8_set1(8.0f * (float)r));
    }
    v8_transpose8(rows);
    for (int r = 0; r < 8; ++r) {
        for (int l = 0; l < 8; ++l) {
            ASSERT_EQ_FMT((float)(8 * l + r), v8_lane(rows[r], l), "%g");
        }
    }
    PASS();
}

static float lesser(float a, float b) {
    return a < b ? a : b;
}

static float greater(float a, float b) {
    return a > b ? a : b;
}

TEST narrow_integers_are_widened_from_any_address(void) {
    uint8_t bytes[64];
    uint16_t words[64];
    for (int i = 0; i < 64; ++i) {
        bytes[i] = (uint8_t)(i * 37 + 200);
        words[i] = (uint16_t)(i * 9001 + 60000);
    }
    for (int at = 0; at < 56; ++at) {
        int32_t from_bytes[8], from_words[8];
        w8_storeu(from_bytes, w8_load_u8(bytes + at));
        w8_storeu(from_words, w8_load_u16(words + at));
        for (int l = 0; l < 8; ++l) {
            ASSERT_EQ_FMT((int)bytes[at + l], from_bytes[l], "%d");
            ASSERT_EQ_FMT((int)words[at + l], from_words[l], "%d");
        }
    }
    PASS();
}

TEST folds_go_down_the_one_tree(void) {
    uint64_t state = 5;
    for (int round = 0; round < 20000; ++round) {
        HEM_ALIGN(32) float f[8];
        for (int l = 0; l < 8; ++l) {
            f[l] = as_float(round < 10000 ? vec_random_lane(&state)
                                          : vec_specials[vec_random(&state) % (uint64_t)vec_special_count]);
        }
        float sum = ((f[0] + f[4]) + (f[2] + f[6])) + ((f[1] + f[5]) + (f[3] + f[7]));
        float low =
            lesser(lesser(lesser(f[0], f[4]), lesser(f[2], f[6])), lesser(lesser(f[1], f[5]), lesser(f[3], f[7])));
        float high = greater(greater(greater(f[0], f[4]), greater(f[2], f[6])),
                             greater(greater(f[1], f[5]), greater(f[3], f[7])));
        float got = v8_sum(v8_load(f));
        ASSERT((sum != sum && got != got) || hem_bits_of_float(sum) == hem_bits_of_float(got));
        ASSERT_EQ_FMT((unsigned)hem_bits_of_float(low), (unsigned)hem_bits_of_float(v8_hmin(v8_load(f))), "%x");
        ASSERT_EQ_FMT((unsigned)hem_bits_of_float(high), (unsigned)hem_bits_of_float(v8_hmax(v8_load(f))), "%x");
    }
    PASS();
}

// The quaternion and vector helpers against their scalar twins, whose meaning rigid.c checks.
static int same(float want, v8 got, int lane) {
    uint32_t a = hem_bits_of_float(want), b = hem_bits_of_float(v8_lane(got, lane));
    return a == b || (is_nan(a) && is_nan(b));
}

static int same3(hem_vec3 want, v8x3 got, int lane) {
    return same(want.x, got.x, lane) && same(want.y, got.y, lane) && same(want.z, got.z, lane);
}

static int same4(hem_quat want, v8x4 got, int lane) {
    return same(want.x, got.x, lane) && same(want.y, got.y, lane) && same(want.z, got.z, lane) &&
           same(want.w, got.w, lane);
}

TEST helpers_equal_their_scalar_twins(void) {
    uint64_t state = 31;
    for (int round = 0; round < 2000; ++round) {
        HEM_ALIGN(32) float f[16][8];
        for (int k = 0; k < 16; ++k) {
            for (int l = 0; l < 8; ++l) {
                // Every tenth round the shapes with no direction: zeros.
                f[k][l] = round % 10 == 0 && k < 4 ? 0.0f : (float)(int32_t)(vec_random(&state) >> 32) * 0x1p-31f;
            }
        }
        v8x4 p = v8x4_make(v8_load(f[0]), v8_load(f[1]), v8_load(f[2]), v8_load(f[3]));
        v8x4 q = v8x4_make(v8_load(f[4]), v8_load(f[5]), v8_load(f[6]), v8_load(f[7]));
        v8x3 a = v8x3_load(f[8], 8), b = v8x3_load(f[11], 8), zero = v8x3_load(f[0], 8);
        v8 t = v8_load(f[14]);
        v8_mat3 matrix = v8_mat3_from_quat(q);
        HEM_ALIGN(32) float stored[24];
        v8x3_store(stored, 8, v8x3_rotate_lanes(a, 3));
        for (int l = 0; l < 8; ++l) {
            hem_quat sp = {f[0][l], f[1][l], f[2][l], f[3][l]}, sq = {f[4][l], f[5][l], f[6][l], f[7][l]};
            hem_vec3 sa = {f[8][l], f[9][l], f[10][l]}, sb = {f[11][l], f[12][l], f[13][l]};
            hem_vec3 sz = {f[0][l], f[1][l], f[2][l]};
            float st = f[14][l];
            ASSERT(same3(hem_vec3_add(sa, sb), v8x3_add(a, b), l));
            ASSERT(same3(hem_vec3_sub(sa, sb), v8x3_sub(a, b), l));
            ASSERT(same3(hem_vec3_scale(sa, st), v8x3_scale(a, t), l));
            ASSERT(same3(hem_vec3_madd(sa, st, sb), v8x3_madd(a, t, b), l));
            ASSERT(same3(hem_vec3_sub(sb, hem_vec3_scale(sa, st)), v8x3_nmadd(a, t, b), l));
            ASSERT(same3(hem_vec3_lerp(sa, sb, st), v8x3_lerp(a, b, t), l));
            ASSERT(same(hem_vec3_dot(sa, sb), v8x3_dot(a, b), l));
            ASSERT(same3(hem_vec3_cross(sa, sb), v8x3_cross(a, b), l));
            ASSERT(same(hem_vec3_length(sa), v8x3_length(a), l));
            ASSERT(same3(hem_vec3_normalise(sz), v8x3_normalise(zero), l));
            ASSERT(same(hem_quat_dot(sp, sq), v8x4_dot(p, q), l));
            ASSERT(same4(hem_quat_mul(sp, sq), v8x4_mul(p, q), l));
            ASSERT(same4(hem_quat_conj(sq), v8x4_conj(q), l));
            ASSERT(same4(hem_quat_normalise(sp), v8x4_normalise(p), l));
            ASSERT(same3(hem_quat_rotate(sq, sa), v8x4_rotate(q, a), l));
            ASSERT(same3(hem_quat_rotate_back(sq, sa), v8x4_rotate_back(q, a), l));
            ASSERT(same4(hem_quat_from_rotation(sz), v8x4_from_rotation(zero), l));
            ASSERT(same4(hem_quat_from_small_rotation(sa), v8x4_from_small_rotation(a), l));
            ASSERT(same4(hem_quat_nlerp(sp, sq, st), v8x4_nlerp(p, q, t), l));
            hem_mat34 sm = hem_mat34_from_quat(sq, sb);
            ASSERT(same3(hem_vec3_make(sm.m[0][0], sm.m[0][1], sm.m[0][2]), matrix.row0, l));
            ASSERT(same3(hem_vec3_make(sm.m[1][0], sm.m[1][1], sm.m[1][2]), matrix.row1, l));
            ASSERT(same3(hem_vec3_make(sm.m[2][0], sm.m[2][1], sm.m[2][2]), matrix.row2, l));
            ASSERT(same3(hem_mat34_vector(&sm, sa), v8_mat3_vector(&matrix, a), l));
            ASSERT_EQ(f[9][(l + 3) % 8], stored[8 + l]);
        }
    }
    PASS();
}

// Four doubles: each operation against plain C, over numbers that do not fit a float.
TEST doubles_equal_plain_ones(void) {
    uint64_t state = 0x9e3779b97f4a7c15ull;
    for (int n = 0; n < 4096; ++n) {
        HEM_ALIGN(32) double a[4], b[4], out[4];
        HEM_ALIGN(32) float f[4], narrow[4];
        for (int l = 0; l < 4; ++l) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            a[l] = ((double)(int64_t)state) * (l == 3 ? 1e-30 : 1e-12);
            b[l] = ((double)(int64_t)(state * 31)) * 1e-15;
            f[l] = (float)a[l];
        }
        d4_store(out, d4_add(d4_load(a), d4_load(b)));
        for (int l = 0; l < 4; ++l) {
            ASSERT_EQ(a[l] + b[l], out[l]);
        }
        d4_store(out, d4_sub(d4_load(a), d4_load(b)));
        for (int l = 0; l < 4; ++l) {
            ASSERT_EQ(a[l] - b[l], out[l]);
        }
        d4_store(out, d4_mul(d4_load(a), d4_set1(b[1])));
        for (int l = 0; l < 4; ++l) {
            ASSERT_EQ(a[l] * b[1], out[l]);
        }
        d4_narrow(narrow, d4_load(a));
        d4_store(out, d4_widen(f));
        for (int l = 0; l < 4; ++l) {
            ASSERT_EQ(f[l], narrow[l]);
            ASSERT_EQ((double)f[l], out[l]);
        }
    }
    HEM_ALIGN(32) const double eight[8] = {0.1, -3.0, 1e-30, 1.0 / 3.0, 1e30, -0.7, 5.0, 2.0 / 3.0};
    HEM_ALIGN(32) float narrowed[8];
    v8_store(narrowed, v8_narrow(eight));
    for (int l = 0; l < 8; ++l) {
        ASSERT_EQ((float)eight[l], narrowed[l]);
    }
    HEM_ALIGN(32) double none[4];
    d4_store(none, d4_zero());
    ASSERT(none[0] == 0 && none[3] == 0);
    PASS();
}

SUITE(VEC_SUITE) {
    RUN_TEST(every_lane_equals_the_reference);
    RUN_TEST(memory_keeps_order_and_neighbours);
    RUN_TEST(a_number_in_all_lanes_is_that_of_before_a_store);
    RUN_TEST(masks_turn_to_bits_and_back);
    RUN_TEST(shifts_take_every_count);
    RUN_TEST(rotation_moves_lane_i_plus_k_to_i);
    RUN_TEST(gather_and_scatter_follow_their_indices);
    RUN_TEST(rows_of_four_turn_into_columns_and_back);
    RUN_TEST(triples_and_transposes_are_permutations);
    RUN_TEST(narrow_integers_are_widened_from_any_address);
    RUN_TEST(folds_go_down_the_one_tree);
    RUN_TEST(helpers_equal_their_scalar_twins);
    RUN_TEST(doubles_equal_plain_ones);
}
