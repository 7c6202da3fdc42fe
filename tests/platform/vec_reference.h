// SPDX-License-Identifier: MIT
#ifndef HEM_TESTS_VEC_REFERENCE_H
#define HEM_TESTS_VEC_REFERENCE_H

// What the lanes of platform/vec.h must hold, written lane by lane from the meaning stated there and not from any
// backend; and the numbers to try it on. Lanes travel as their bits, so that nothing on the way can touch a NaN.

#include <stdint.h>

typedef uint32_t vec_reference_fn(uint32_t a, uint32_t b, uint32_t c);

typedef enum vec_kind {
    VEC_BITS,       // the result is fixed to the bit
    VEC_ARITHMETIC, // the same, but any NaN is as good as any other
} vec_kind;

typedef struct vec_reference {
    const char* name;
    vec_kind kind;
    vec_reference_fn* lane;
} vec_reference;

// One row per operation; vec_suite.inl has the matching table of vector code, by the same numbers.
enum {
    VEC_ADD,
    VEC_SUB,
    VEC_MUL,
    VEC_DIV,
    VEC_SQRT,
    VEC_NEG,
    VEC_ABS,
    VEC_MIN,
    VEC_MAX,
    VEC_MADD,
    VEC_NMADD,
    VEC_FLOOR,
    VEC_LT,
    VEC_LE,
    VEC_GT,
    VEC_GE,
    VEC_EQ,
    VEC_SELECT,
    VEC_KEEP,
    VEC_FLUSH,
    VEC_SIGN,
    VEC_COPYSIGN,
    VEC_M_AND,
    VEC_M_OR,
    VEC_M_NOT,
    VEC_M_ANDNOT,
    VEC_W_ADD,
    VEC_W_SUB,
    VEC_W_MUL,
    VEC_W_AND,
    VEC_W_OR,
    VEC_W_XOR,
    VEC_W_SHL,
    VEC_W_SHR,
    VEC_W_EQ,
    VEC_W_GT,
    VEC_W_SELECT,
    VEC_TO_W8,
    VEC_TO_V8,
    VEC_SIN,
    VEC_COS,
    VEC_ACOS,
    VEC_ATAN2,
    VEC_EXP,
    VEC_OP_COUNT,
};

extern const vec_reference vec_references[VEC_OP_COUNT];

// All operations over all inputs, from every backend, compiler and machine.
#define VEC_GOLDEN 0xada7221136674022ull

#define VEC_SHL_BITS 7
#define VEC_SHR_BITS 5

extern const uint32_t vec_specials[];
extern const int vec_special_count;

// A plain xorshift*; same numbers everywhere.
uint64_t vec_random(uint64_t* state);

// Half of them any bits at all, half floats of the sizes that simulations meet.
uint32_t vec_random_lane(uint64_t* state);

#endif
