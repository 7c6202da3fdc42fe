// SPDX-License-Identifier: MIT
#ifndef HEM_KINDS_H
#define HEM_KINDS_H

// Kinds of constraint: what compiler, validator, runtime and tools know about each, once. docs/adding_a_constraint.md
// walks through a new one.

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What eight constraints are stored in. RANGES speaks of these, and the runtime has one kernel for each.
//
//   name, number, word   HEM_BATCH_<name> = number; the word is its name in messages and its kernel's
//   section              where the batches are
//   order                a part's ranges are sorted and solved by it: what is soft first, so that what is stiff has the last
//                        word
//
// clang-format off
#define HEM_BATCH_KINDS(X)                                                                                             \
    X(LINKS, 0, links, LINK_BATCHES, 20)                                                                               \
    X(INDEXED_LINKS, 1, indexed_links, INDEX_BATCHES, 30)                                                              \
    X(GROUPS, 2, groups, GROUP_BATCHES, 40)                                                                            \
    X(SPRINGS, 3, springs, ROW_BATCHES, 10)                                                                            \
    X(DRIVES, 4, drives, DRIVE_ROWS, 5)                                                                                \
    X(RODS, 5, rods, ROW_BATCHES, 50)                                                                                  \
    X(CHAINS, 6, chains, ROW_BATCHES, 60)                                                                              \
    X(BENDS, 7, bends, ROW_BATCHES, 12)                                                                                \
    X(DIHEDRALS, 8, dihedrals, ROW_BATCHES, 14)                                                                        \
    X(TRIANGLES, 9, triangles, ROW_BATCHES, 16)                                                                        \
    X(REGIONS, 10, regions, LATTICES, 45)                                                                              \
    X(TETRAHEDRA, 11, tetrahedra, ROW_BATCHES, 18)

typedef enum hem_batch_kind {
#define HEM_BATCH_ENUM(name, number, ...) HEM_BATCH_##name = number,
    HEM_BATCH_KINDS(HEM_BATCH_ENUM)
#undef HEM_BATCH_ENUM
#define HEM_BATCH_ONE(...) +1
    HEM_BATCH_KIND_COUNT = 0 HEM_BATCH_KINDS(HEM_BATCH_ONE)
#undef HEM_BATCH_ONE
} hem_batch_kind;

// What holds for a kind. A question about kinds is a question about a trait.
#define HEM_TRAIT_WEAVE 1u    // joins neighbours of the weave: gives the spacing, is watched for cloth caught on a limb
#define HEM_TRAIT_STRETCH 2u  // its length counts in the numbers of stretch
#define HEM_TRAIT_PULLS 4u    // one-sided: acts beyond its rest length only, from a simulated a to an animated b
#define HEM_TRAIT_BETWEEN 8u  // may join two parts
#define HEM_TRAIT_SPANS 16u   // reaches over others: not a thread of the cloth to be drawn or to be walked along
#define HEM_TRAIT_PLACES 32u  // counts when the compiler decides who sits where

// Where the numbers come from that a kind is tuned by.
typedef enum hem_tuned {
    HEM_TUNED_BY_KIND,  // hem_tuning.compliance, link_damping, stiffness [number]
    HEM_TUNED_AS_SHAPE, // hem_tuning.shape_*
    HEM_TUNED_AS_DRIVE, // hem_tuning.drive*
    HEM_TUNED_EACH,     // numbers of its own; hem_tuning.compliance and link_damping [number] are added to them
    HEM_TUNED_AS_FABRIC, // hem_tuning.fabric_*
    HEM_TUNED_AS_REGION, // hem_tuning.region_*
    HEM_TUNED_AS_SOLID   // hem_tuning.solid_*
} hem_tuned;

// Every kind of constraint.
//
//   name, number, word   HEM_KIND_<name> = number; the word is what reports, keys and messages say
//   batches              what eight are stored in where they line up
//   arity                particles of one constraint; HEM_ARITY_MANY: a number of its own
//   order                in which kinds that share batches are laid out, and so solved: soft first
//   tuned                hem_tuned
//   traits
//
// Links come first: their number is also their place in the arrays of hem_tuning, and HEM_LINK_<name> is another word for it.
#define HEM_ARITY_MANY 0
#define HEM_LINK_KINDS(X)                                                                                              \
    /* along the part's axis (between levels) */                                                                       \
    X(WARP, 0, warp, LINKS, 2, 2, BY_KIND, HEM_TRAIT_WEAVE | HEM_TRAIT_STRETCH | HEM_TRAIT_PLACES)                     \
    /* across (along a level) */                                                                                       \
    X(WEFT, 1, weft, LINKS, 2, 3, BY_KIND, HEM_TRAIT_WEAVE | HEM_TRAIT_STRETCH | HEM_TRAIT_PLACES)                     \
    /* diagonals */                                                                                                    \
    X(SHEAR, 2, shear, LINKS, 2, 1, BY_KIND, HEM_TRAIT_STRETCH | HEM_TRAIT_PLACES)                                     \
    /* two rings */                                                                                                    \
    X(BEND, 3, bend, LINKS, 2, 0, BY_KIND, HEM_TRAIT_SPANS | HEM_TRAIT_PLACES)                                         \
    /* long range attachment: a is simulated, b is its animated anchor */                                              \
    X(TETHER, 4, tether, LINKS, 2, 5, BY_KIND, HEM_TRAIT_PULLS | HEM_TRAIT_SPANS)                                      \
    X(STITCH, 5, stitch, LINKS, 2, 4, BY_KIND, HEM_TRAIT_BETWEEN | HEM_TRAIT_PLACES)
#define HEM_KINDS(X)                                                                                                   \
    HEM_LINK_KINDS(X)                                                                                                  \
    /* a damped spring between any two particles */                                                                    \
    X(SPRING, 6, spring, SPRINGS, 2, 0, EACH, HEM_TRAIT_BETWEEN | HEM_TRAIT_SPANS)                                     \
    /* a spring to the animated pose */                                                                                \
    X(DRIVE, 9, drive, DRIVES, 1, 0, AS_DRIVE, 0)                                                                      \
    /* a strand that resists stretch, shear, bending and twist */                                                      \
    X(ROD, 10, rod, RODS, HEM_ARITY_MANY, 0, EACH, 0)                                                                  \
    /* a strand that keeps its length */                                                                               \
    X(CHAIN, 11, chain, CHAINS, HEM_ARITY_MANY, 0, BY_KIND, 0)                                                         \
    /* shape matching: a particle and its neighbours */                                                                \
    X(GROUP, 8, group, GROUPS, HEM_ARITY_MANY, 0, AS_SHAPE, HEM_TRAIT_PLACES)                                          \
    /* a piece of cloth: stretch along warp and weft, shear, area */                                                   \
    X(TRIANGLE, 12, triangle, TRIANGLES, 3, 0, AS_FABRIC, 0)                                                           \
    /* two pieces that share an edge: flat at rest, linear */                                                          \
    X(FLAT, 13, flat, BENDS, 4, 0, AS_FABRIC, HEM_TRAIT_SPANS)                                                         \
    /* the same with an angle of its own, softer where it is folded */                                                 \
    X(DIHEDRAL, 14, dihedral, DIHEDRALS, 4, 0, AS_FABRIC, HEM_TRAIT_SPANS)                                             \
    /* a particle of a lattice and all within some steps of it keep their shape */                                     \
    X(REGION, 15, region, REGIONS, HEM_ARITY_MANY, 0, AS_REGION, 0)                                                    \
    /* a piece of something solid: resists change of shape and of volume */                                            \
    X(TETRAHEDRON, 16, tetrahedron, TETRAHEDRA, 4, 0, AS_SOLID, HEM_TRAIT_SPANS)
// clang-format on

typedef enum hem_kind {
#define HEM_KIND_ENUM(name, number, ...) HEM_KIND_##name = number,
    HEM_KINDS(HEM_KIND_ENUM)
#undef HEM_KIND_ENUM
} hem_kind;

typedef enum hem_link_kind {
#define HEM_LINK_ENUM(name, number, ...) HEM_LINK_##name = number,
    HEM_LINK_KINDS(HEM_LINK_ENUM)
#undef HEM_LINK_ENUM
#define HEM_LINK_ONE(...) +1
        HEM_LINK_KIND_COUNT = 0 HEM_LINK_KINDS(HEM_LINK_ONE)
#undef HEM_LINK_ONE
} hem_link_kind;

// Bit n: kind n has the trait. Constants, so that a kernel asks with a shift.
#define HEM_KINDS_BIT(trait, number, traits) (((traits) & (trait)) != 0 ? 1u << (number) : 0u)
enum {
#define HEM_KINDS_WEAVE_BIT(name, number, word, batches, arity, order, tuned, traits)                                  \
    | HEM_KINDS_BIT(HEM_TRAIT_WEAVE, number, traits)
#define HEM_KINDS_STRETCH_BIT(name, number, word, batches, arity, order, tuned, traits)                                \
    | HEM_KINDS_BIT(HEM_TRAIT_STRETCH, number, traits)
#define HEM_KINDS_PULLS_BIT(name, number, word, batches, arity, order, tuned, traits)                                  \
    | HEM_KINDS_BIT(HEM_TRAIT_PULLS, number, traits)
#define HEM_KINDS_BETWEEN_BIT(name, number, word, batches, arity, order, tuned, traits)                                \
    | HEM_KINDS_BIT(HEM_TRAIT_BETWEEN, number, traits)
#define HEM_KINDS_SPANS_BIT(name, number, word, batches, arity, order, tuned, traits)                                  \
    | HEM_KINDS_BIT(HEM_TRAIT_SPANS, number, traits)
#define HEM_KINDS_PLACES_BIT(name, number, word, batches, arity, order, tuned, traits)                                 \
    | HEM_KINDS_BIT(HEM_TRAIT_PLACES, number, traits)
    HEM_KINDS_WEAVE = 0 HEM_KINDS(HEM_KINDS_WEAVE_BIT),
    HEM_KINDS_STRETCH = 0 HEM_KINDS(HEM_KINDS_STRETCH_BIT),
    HEM_KINDS_PULLS = 0 HEM_KINDS(HEM_KINDS_PULLS_BIT),
    HEM_KINDS_BETWEEN = 0 HEM_KINDS(HEM_KINDS_BETWEEN_BIT),
    HEM_KINDS_SPANS = 0 HEM_KINDS(HEM_KINDS_SPANS_BIT),
    HEM_KINDS_PLACES = 0 HEM_KINDS(HEM_KINDS_PLACES_BIT),
#undef HEM_KINDS_WEAVE_BIT
#undef HEM_KINDS_STRETCH_BIT
#undef HEM_KINDS_PULLS_BIT
#undef HEM_KINDS_BETWEEN_BIT
#undef HEM_KINDS_SPANS_BIT
#undef HEM_KINDS_PLACES_BIT
};

// hem_kind_in(kind, HEM_KINDS_WEAVE)
static inline int hem_kind_in(uint32_t kind, uint32_t kinds) {
    return (int)(kinds >> kind & 1u);
}

// "unknown" for numbers without a kind.
static inline const char* hem_kind_name(uint32_t kind) {
    switch (kind) {
#define HEM_KIND_NAME(name, number, word, ...)                                                                         \
    case number:                                                                                                       \
        return #word;
        HEM_KINDS(HEM_KIND_NAME)
#undef HEM_KIND_NAME
    }
    return "unknown";
}

#ifdef __cplusplus
}
#endif
#endif
