// SPDX-License-Identifier: MIT
#include "formats/hem_validate_internal.h"

// Batches: every particle exists and belongs there, lanes are independent, numbers are such that a kernel may divide by them.

static uint32_t count_bits8(uint32_t mask) {
    uint32_t count = 0;
    for (; mask != 0; mask &= mask - 1) {
        ++count;
    }
    return count;
}

// Lane i of the result is lane (i + rotate) & 7 of the mask's row.
static uint32_t rotate_mask(uint32_t mask, uint32_t rotate) {
    return ((mask << rotate) | (mask >> ((8 - rotate) & 7))) & 0xffu;
}

// Which section the batches of a kind are in, and what comes before what.
typedef struct batch_rule {
    uint32_t section, order;
} batch_rule;

static const batch_rule batch_rules[HEM_BATCH_KIND_COUNT] = {
#define BATCH_RULE(name, number, word, section, order) [number] = {HEM_SECTION_##section, order},
    HEM_BATCH_KINDS(BATCH_RULE)
#undef BATCH_RULE
};

// Each part's ranges in their order, and over all parts each batch in exactly one range.
hem_format_result hemi_check_ranges(hemi_checker* c) {
    const hem_view* v = c->view;
    uint32_t next[HEM_SECTION_LIMIT] = {0};
    const uint32_t counts[HEM_SECTION_LIMIT] = {
#define SECTION_COUNT(name, number, text, element, pointer, count, ...) [number] = v->count,
        HEM_SECTIONS(SECTION_COUNT)
#undef SECTION_COUNT
    };
    for (uint32_t part = 0; part < v->info->part_count; ++part) {
        const uint32_t begin = v->parts[part].range_begin;
        for (uint32_t i = begin; i < begin + v->parts[part].range_count; ++i) {
            const hem_range* r = &v->ranges[i];
            REFUSE_IF(r->part != part, BAD_INDEX, RANGES, i, "part");
            REFUSE_IF(r->kind >= HEM_BATCH_KIND_COUNT ||
                          (i > begin && batch_rules[r->kind].order <= batch_rules[r[-1].kind].order),
                      BAD_VALUE, RANGES, i, "kind");
            const uint32_t section = batch_rules[r->kind].section;
            REFUSE_IF(r->count == 0 || !hemi_take_range(r->begin, r->count, counts[section], &next[section]), BAD_COUNT,
                      RANGES, i, "begin");
            REFUSE_IF(r->kind == HEM_BATCH_GROUPS && v->parts[part].kind != HEM_PART_SOFT, BAD_VALUE, RANGES, i,
                      "groups");
        }
    }
    for (uint32_t k = 0; k < HEM_BATCH_KIND_COUNT; ++k) {
        const uint32_t section = batch_rules[k].section;
        REFUSE_IF(next[section] != counts[section], BAD_COUNT, RANGES, v->range_count, "count");
    }
    return HEM_FORMAT_OK;
}

// What one lane of a link batch may join. The result names the field, NULL = good.
static const char* link_fault(const hem_view* v, uint32_t a, uint32_t b, uint32_t kind, uint32_t part) {
    const uint32_t flags = v->particle_flags[a] | v->particle_flags[b];
    if ((flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_BODY)) != 0) {
        return "lane_mask";
    }
    if (hemi_part_of(v, a) != part || (!hem_kind_in(kind, HEM_KINDS_BETWEEN) && hemi_part_of(v, b) != part)) {
        return "part";
    }
    // Two immovable ends would divide by a zero sum of inverse masses.
    const float wa = v->shape_rows[a / HEM_LANES].inverse_mass[a % HEM_LANES];
    const float wb = v->shape_rows[b / HEM_LANES].inverse_mass[b % HEM_LANES];
    if (wa == 0 && wb == 0) {
        return "inverse_mass";
    }
    if (hem_kind_in(kind, HEM_KINDS_PULLS) &&
        ((v->particle_flags[a] & HEM_PARTICLE_ANIMATED) != 0 || (v->particle_flags[b] & HEM_PARTICLE_ANIMATED) == 0)) {
        return "tether";
    }
    return NULL;
}

static const char* lane_fault(const hem_view* v, float rest, uint8_t scale, int on) {
    if (on ? !hemi_in_range(rest, 0, HEM_MAX_LINK * hem_longest(v->info))
           : !hemi_in_range(rest, -HEM_MAX_METRES, -HEM_MIN_RADIUS)) {
        return "rest";
    }
    if (on ? scale == 0 : scale != 255) {
        return "scale";
    }
    return NULL;
}

int hem_is_painted(const hem_link_batch* b) {
    int painted = 0;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        painted |= b->scale[lane] != 255;
    }
    return painted;
}

int hem_may_run(const hem_link_batch* b) {
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        if (b->rest[lane] >= 0 && b->rest[lane] < HEM_RUN_MIN_REST) {
            return 0;
        }
    }
    return !hem_kind_in(b->kind, HEM_KINDS_PULLS);
}

int hem_may_follow(const hem_link_batch* a, const hem_link_batch* b) {
    return hem_may_run(a) && hem_may_run(b) && a->part == b->part && a->kind == b->kind && a->rotate == b->rotate &&
           hem_is_open_seam(a) == hem_is_open_seam(b) && hem_is_painted(a) == hem_is_painted(b) &&
           a->row_a != b->row_a && a->row_a != b->row_b && a->row_b != b->row_a && a->row_b != b->row_b;
}

// A run counts down to 1 at its last batch.
static int is_right_run(const hem_link_batch* b, const hem_link_batch* next) {
    if (b->run <= 1) {
        return b->run == 0 || hem_may_run(b);
    }
    return next != NULL && next->run == b->run - 1 && hem_may_follow(b, next);
}

// What has been counted so far.
typedef struct batch_totals {
    uint32_t links, indexed_links, groups, indexed_groups;
    uint32_t next_member, next_index; // of groups
    uint32_t row_constraints, indexed_row_constraints, next_row_index, next_spring;
    uint32_t next_row_member, next_rod, next_chain;
    uint32_t next_triangle, next_bend, next_dihedral, next_tetrahedron;
} batch_totals;

static hem_format_result check_links(hemi_checker* c, const hem_range* range, batch_totals* totals) {
    const hem_view* v = c->view;
    const uint32_t part = range->part, end = range->begin + range->count;
    for (uint32_t i = range->begin; i < end; ++i) {
        const hem_link_batch* b = &v->link_batches[i];
        REFUSE_IF(b->row_a >= v->info->row_count, BAD_INDEX, LINK_BATCHES, i, "row_a");
        REFUSE_IF(b->row_b >= v->info->row_count, BAD_INDEX, LINK_BATCHES, i, "row_b");
        // Different rows hold different particles; the kernel stores both rows whole, so one row twice is never right.
        REFUSE_IF(b->row_a == b->row_b, BAD_BATCH, LINK_BATCHES, i, "row_b");
        REFUSE_IF(b->rotate >= HEM_LANES, BAD_VALUE, LINK_BATCHES, i, "rotate");
        REFUSE_IF(b->kind >= HEM_LINK_KIND_COUNT, BAD_VALUE, LINK_BATCHES, i, "kind");
        REFUSE_IF(b->part != part, BAD_INDEX, LINK_BATCHES, i, "part");
        REFUSE_IF(b->lane_mask == 0, BAD_VALUE, LINK_BATCHES, i, "lane_mask");
        REFUSE_IF(!is_right_run(b, i + 1 < end ? b + 1 : NULL), BAD_BATCH, LINK_BATCHES, i, "run");
        REFUSE_IF(!hemi_is_zero(b->reserved2, sizeof b->reserved2), BAD_VALUE, LINK_BATCHES, i, "reserved");
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const int on = b->lane_mask >> lane & 1;
            const char* field = lane_fault(v, b->rest[lane], b->scale[lane], on);
            if (field == NULL && on) {
                field = link_fault(v, b->row_a * HEM_LANES + lane, b->row_b * HEM_LANES + ((lane + b->rotate) & 7),
                                   b->kind, part);
            }
            REFUSE_IF(field != NULL, BAD_VALUE, LINK_BATCHES, i, field);
        }
        totals->links += count_bits8(b->lane_mask);
    }
    return HEM_FORMAT_OK;
}

// Marks a particle as touched by the batch; false when it already was.
static int touch(hemi_checker* c, uint32_t particle) {
    const uint8_t bit = (uint8_t)(1u << (particle % HEM_LANES));
    uint8_t* used = &c->used[particle / HEM_LANES];
    if ((*used & bit) != 0) {
        return 0;
    }
    *used |= bit;
    return 1;
}

static hem_format_result check_indexed_links(hemi_checker* c, const hem_range* range, batch_totals* totals) {
    const hem_view* v = c->view;
    const uint32_t part = range->part;
    for (uint32_t i = range->begin; i < range->begin + range->count; ++i) {
        const hem_index_batch* b = &v->index_batches[i];
        REFUSE_IF(b->kind >= HEM_LINK_KIND_COUNT, BAD_VALUE, INDEX_BATCHES, i, "kind");
        REFUSE_IF(b->part != part, BAD_INDEX, INDEX_BATCHES, i, "part");
        REFUSE_IF(b->lane_mask == 0, BAD_VALUE, INDEX_BATCHES, i, "lane_mask");
        REFUSE_IF(b->reserved != 0 || !hemi_is_zero(b->reserved2, sizeof b->reserved2) ||
                      !hemi_is_zero(b->reserved3, sizeof b->reserved3),
                  BAD_VALUE, INDEX_BATCHES, i, "reserved");
        int independent = 1;
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const int on = b->lane_mask >> lane & 1;
            REFUSE_IF(b->a[lane] >= v->info->particle_count, BAD_INDEX, INDEX_BATCHES, i, "a");
            REFUSE_IF(b->b[lane] >= v->info->particle_count, BAD_INDEX, INDEX_BATCHES, i, "b");
            const char* field = lane_fault(v, b->rest[lane], b->scale[lane], on);
            if (field == NULL && on) {
                field = link_fault(v, b->a[lane], b->b[lane], b->kind, part);
            }
            REFUSE_IF(field != NULL, BAD_VALUE, INDEX_BATCHES, i, field);
            independent &= touch(c, b->a[lane]);
            // An idle lane may name one particle twice.
            if (on || b->a[lane] != b->b[lane]) {
                independent &= touch(c, b->b[lane]);
            }
        }
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            c->used[b->a[lane] / HEM_LANES] = 0;
            c->used[b->b[lane] / HEM_LANES] = 0;
        }
        REFUSE_IF(!independent, BAD_BATCH, INDEX_BATCHES, i, "lanes");
        totals->indexed_links += count_bits8(b->lane_mask);
    }
    return HEM_FORMAT_OK;
}

// A group's member: real, not of the body, of the group's part.
static int is_member(const hem_view* v, uint32_t particle, uint32_t part) {
    return (v->particle_flags[particle] & (HEM_PARTICLE_PAD | HEM_PARTICLE_BODY)) == 0 &&
           hemi_part_of(v, particle) == part;
}

static float mass_of(const hem_view* v, uint32_t particle) {
    return v->rest_rows[particle / HEM_LANES].mass[particle % HEM_LANES];
}

static hem_format_result check_group_row(hemi_checker* c, uint32_t i, float mass[8]) {
    const hem_view* v = c->view;
    const hem_group_batch* b = &v->group_batches[i];
    REFUSE_IF(b->own_row >= v->info->row_count, BAD_INDEX, GROUP_BATCHES, i, "own_row");
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        const uint32_t own = b->own_row * HEM_LANES + lane;
        REFUSE_IF(b->own[lane] != own, BAD_INDEX, GROUP_BATCHES, i, "own");
        if ((b->lane_mask >> lane & 1) != 0) {
            REFUSE_IF(!is_member(v, own, b->part), BAD_INDEX, GROUP_BATCHES, i, "own");
            mass[lane] = mass_of(v, own);
        }
    }
    const hem_group_member* members = v->group_members + b->member_begin;
    int independent = 1;
    c->used[b->own_row] = b->lane_mask;
    uint32_t k = 0;
    hem_format_result r = HEM_FORMAT_OK;
    for (; k < b->member_count && r == HEM_FORMAT_OK; ++k) {
        const hem_group_member* m = &members[k];
        const uint32_t element = b->member_begin + k;
        if (m->row >= v->info->row_count) {
            r = REFUSE(BAD_INDEX, GROUP_MEMBERS, element, "row");
            break;
        }
        if (m->rotate >= HEM_LANES) {
            r = REFUSE(BAD_VALUE, GROUP_MEMBERS, element, "rotate");
        } else if (m->lane_mask == 0 || (m->lane_mask & ~b->lane_mask) != 0) {
            r = REFUSE(BAD_VALUE, GROUP_MEMBERS, element, "lane_mask");
        } else if (m->reserved != 0) {
            r = REFUSE(BAD_VALUE, GROUP_MEMBERS, element, "reserved");
        } else {
            const uint32_t touched = rotate_mask(m->lane_mask, m->rotate);
            independent &= (c->used[m->row] & touched) == 0;
            c->used[m->row] |= (uint8_t)touched;
            for (uint32_t lane = 0; lane < HEM_LANES && r == HEM_FORMAT_OK; ++lane) {
                if ((m->lane_mask >> lane & 1) != 0) {
                    const uint32_t particle = m->row * HEM_LANES + ((lane + m->rotate) & 7);
                    if (!is_member(v, particle, b->part)) {
                        r = REFUSE(BAD_INDEX, GROUP_MEMBERS, element, "particle");
                    }
                    mass[lane] += mass_of(v, particle);
                }
            }
        }
    }
    c->used[b->own_row] = 0;
    for (uint32_t n = 0; n < k; ++n) {
        c->used[members[n].row] = 0;
    }
    if (r == HEM_FORMAT_OK && !independent) {
        r = REFUSE(BAD_BATCH, GROUP_BATCHES, i, "members");
    }
    return r;
}

static hem_format_result check_group_indexed(hemi_checker* c, uint32_t i, float mass[8]) {
    const hem_view* v = c->view;
    const hem_group_batch* b = &v->group_batches[i];
    const hem_group_index* members = v->group_indices + b->member_begin;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        const int on = b->lane_mask >> lane & 1;
        // Orientation and moments exist for oriented rows only, and idle lanes read them too.
        REFUSE_IF(b->own[lane] >= v->info->oriented_row_count * HEM_LANES ||
                      (on && !is_member(v, b->own[lane], b->part)),
                  BAD_INDEX, GROUP_BATCHES, i, "own");
        mass[lane] = on ? mass_of(v, b->own[lane]) : 0;
        for (uint32_t k = 0; k < b->member_count; ++k) {
            // A lane without this member repeats its own particle: a gather and a store that change nothing.
            const int has = members[k].lane_mask >> lane & 1;
            const uint32_t particle = members[k].index[lane];
            REFUSE_IF(particle >= v->info->particle_count ||
                          (has ? !is_member(v, particle, b->part) : particle != b->own[lane]),
                      BAD_INDEX, GROUP_INDICES, b->member_begin + k, "index");
            mass[lane] += has ? mass_of(v, particle) : 0;
        }
    }
    for (uint32_t k = 0; k < b->member_count; ++k) {
        const uint32_t element = b->member_begin + k;
        REFUSE_IF(members[k].lane_mask == 0 || (members[k].lane_mask & ~b->lane_mask) != 0, BAD_VALUE, GROUP_INDICES,
                  element, "lane_mask");
        REFUSE_IF(!hemi_is_zero(members[k].reserved, sizeof members[k].reserved), BAD_VALUE, GROUP_INDICES, element,
                  "reserved");
    }
    int independent = 1;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        independent &= touch(c, b->own[lane]);
        for (uint32_t k = 0; k < b->member_count; ++k) {
            if ((members[k].lane_mask >> lane & 1) != 0) {
                independent &= touch(c, members[k].index[lane]);
            }
        }
    }
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        c->used[b->own[lane] / HEM_LANES] = 0;
        for (uint32_t k = 0; k < b->member_count; ++k) {
            c->used[members[k].index[lane] / HEM_LANES] = 0;
        }
    }
    REFUSE_IF(!independent, BAD_BATCH, GROUP_BATCHES, i, "members");
    return HEM_FORMAT_OK;
}

static hem_format_result check_groups(hemi_checker* c, const hem_range* range, batch_totals* totals) {
    const hem_view* v = c->view;
    const uint32_t part = range->part;
    for (uint32_t i = range->begin; i < range->begin + range->count; ++i) {
        const hem_group_batch* b = &v->group_batches[i];
        const int indexed = b->own_row == (uint32_t)HEM_NONE;
        REFUSE_IF(b->part != part, BAD_INDEX, GROUP_BATCHES, i, "part");
        REFUSE_IF(b->lane_mask == 0, BAD_VALUE, GROUP_BATCHES, i, "lane_mask");
        REFUSE_IF(b->member_count == 0 || b->member_count >= HEM_MAX_GROUP_MEMBERS, BAD_COUNT, GROUP_BATCHES, i,
                  "member_count");
        REFUSE_IF(b->reserved != 0 || !hemi_is_zero(b->reserved2, sizeof b->reserved2), BAD_VALUE, GROUP_BATCHES, i,
                  "reserved");
        REFUSE_IF(!hemi_take_range(b->member_begin, b->member_count,
                                   indexed ? v->group_index_count : v->group_member_count,
                                   indexed ? &totals->next_index : &totals->next_member),
                  BAD_INDEX, GROUP_BATCHES, i, "member_begin");
        float mass[8] = {0};
        const hem_format_result r = indexed ? check_group_indexed(c, i, mass) : check_group_row(c, i, mass);
        if (r != HEM_FORMAT_OK) {
            return r;
        }
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            for (int k = 0; k < 3; ++k) {
                REFUSE_IF(!hemi_in_range(b->center[k][lane], -HEM_MAX_METRES, HEM_MAX_METRES), BAD_VALUE, GROUP_BATCHES,
                          i, "center");
            }
            const float total = b->total_mass[lane];
            const int on = b->lane_mask >> lane & 1;
            REFUSE_IF(!hemi_in_range(total, HEM_MIN_MASS, HEM_MAX_MASS * HEM_MAX_GROUP_MEMBERS) ||
                          (on && !hemi_near_one(total / mass[lane])),
                      BAD_VALUE, GROUP_BATCHES, i, "total_mass");
        }
        totals->groups += count_bits8(b->lane_mask);
        totals->indexed_groups += indexed ? count_bits8(b->lane_mask) : 0;
    }
    return HEM_FORMAT_OK;
}

// -- Row batches: what all kinds that are stored in them have in common

// Lane i's particle k, whether the lane is in use or not.
static uint32_t row_particle(const hem_view* v, const hem_row_batch* b, uint32_t k, uint32_t lane) {
    if (b->form == HEM_FORM_INDICES) {
        return v->row_indices[b->member_begin + k].index[lane];
    }
    return b->rows[k] * HEM_LANES + ((lane + b->rotates[k]) & 7);
}

static hem_format_result check_rows_form(hemi_checker* c, uint32_t i, uint32_t arity) {
    const hem_view* v = c->view;
    const hem_row_batch* b = &v->row_batches[i];
    REFUSE_IF(b->member_begin != 0, BAD_VALUE, ROW_BATCHES, i, "member_begin");
    for (uint32_t k = 0; k < HEM_MAX_ARITY; ++k) {
        const int used = k < arity;
        REFUSE_IF(used ? b->rows[k] >= v->info->row_count : b->rows[k] != 0, BAD_INDEX, ROW_BATCHES, i, "rows");
        REFUSE_IF(used && k > 0 ? b->rotates[k] >= HEM_LANES : b->rotates[k] != 0, BAD_VALUE, ROW_BATCHES, i,
                  "rotates");
        // The kernel stores whole rows, so none may stand twice.
        for (uint32_t n = 0; used && n < k; ++n) {
            REFUSE_IF(b->rows[n] == b->rows[k], BAD_BATCH, ROW_BATCHES, i, "rows");
        }
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_index_form(hemi_checker* c, uint32_t i, uint32_t arity, batch_totals* totals) {
    const hem_view* v = c->view;
    const hem_row_batch* b = &v->row_batches[i];
    REFUSE_IF(!hemi_is_zero(b->rows, sizeof b->rows) || !hemi_is_zero(b->rotates, sizeof b->rotates), BAD_VALUE,
              ROW_BATCHES, i, "rows");
    REFUSE_IF(!hemi_take_range(b->member_begin, arity, v->row_index_count, &totals->next_row_index), BAD_INDEX,
              ROW_BATCHES, i, "member_begin");
    for (uint32_t k = b->member_begin; k < b->member_begin + arity; ++k) {
        const hem_group_index* r = &v->row_indices[k];
        REFUSE_IF(r->lane_mask != b->lane_mask, BAD_VALUE, ROW_INDICES, k, "lane_mask");
        REFUSE_IF(!hemi_is_zero(r->reserved, sizeof r->reserved), BAD_VALUE, ROW_INDICES, k, "reserved");
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            REFUSE_IF(r->index[lane] >= v->info->particle_count, BAD_INDEX, ROW_INDICES, k, "index");
        }
    }
    return HEM_FORMAT_OK;
}

// Lanes in use: real particles that may be there, one of which can move, none of them in two lanes.
static hem_format_result check_row_lanes(hemi_checker* c, uint32_t i, uint32_t arity) {
    const hem_view* v = c->view;
    const hem_row_batch* b = &v->row_batches[i];
    int independent = 1;
    const char* field = NULL;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        float movable = 0;
        for (uint32_t k = 0; k < arity && (b->lane_mask >> lane & 1) != 0; ++k) {
            const uint32_t p = row_particle(v, b, k, lane);
            independent &= touch(c, p);
            movable += v->shape_rows[p / HEM_LANES].inverse_mass[p % HEM_LANES];
            if ((v->particle_flags[p] & (HEM_PARTICLE_PAD | HEM_PARTICLE_BODY)) != 0) {
                field = "lane_mask";
            } else if (hemi_part_of(v, p) != b->part && (k == 0 || !hem_kind_in(b->kind, HEM_KINDS_BETWEEN))) {
                field = "part";
            }
        }
        field = field == NULL && (b->lane_mask >> lane & 1) != 0 && movable == 0 ? "inverse_mass" : field;
    }
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        for (uint32_t k = 0; k < arity; ++k) {
            c->used[row_particle(v, b, k, lane) / HEM_LANES] = 0;
        }
    }
    REFUSE_IF(field != NULL, BAD_VALUE, ROW_BATCHES, i, field);
    REFUSE_IF(!independent, BAD_BATCH, ROW_BATCHES, i, "lanes");
    return HEM_FORMAT_OK;
}

static hem_format_result check_row_batch(hemi_checker* c, uint32_t i, uint32_t part, hem_kind kind, uint32_t arity,
                                         batch_totals* totals) {
    const hem_row_batch* b = &c->view->row_batches[i];
    REFUSE_IF(b->kind != (uint32_t)kind, BAD_VALUE, ROW_BATCHES, i, "kind");
    REFUSE_IF(b->part != part, BAD_INDEX, ROW_BATCHES, i, "part");
    REFUSE_IF(b->lane_mask == 0, BAD_VALUE, ROW_BATCHES, i, "lane_mask");
    REFUSE_IF(b->form != HEM_FORM_ROWS && b->form != HEM_FORM_INDICES, BAD_VALUE, ROW_BATCHES, i, "form");
    REFUSE_IF(b->member_count != arity, BAD_COUNT, ROW_BATCHES, i, "member_count");
    REFUSE_IF(b->reserved != 0 || b->reserved2 != 0, BAD_VALUE, ROW_BATCHES, i, "reserved");
    hem_format_result r =
        b->form == HEM_FORM_ROWS ? check_rows_form(c, i, arity) : check_index_form(c, i, arity, totals);
    if (r == HEM_FORMAT_OK) {
        r = check_row_lanes(c, i, arity);
    }
    const uint32_t lanes = count_bits8(b->lane_mask);
    totals->row_constraints += lanes;
    totals->indexed_row_constraints += b->form == HEM_FORM_INDICES ? lanes : 0;
    return r;
}

static hem_format_result check_springs(hemi_checker* c, const hem_range* range, batch_totals* totals) {
    const hem_view* v = c->view;
    for (uint32_t i = range->begin; i < range->begin + range->count; ++i) {
        const hem_row_batch* b = &v->row_batches[i];
        const hem_format_result r = check_row_batch(c, i, range->part, HEM_KIND_SPRING, 2, totals);
        if (r != HEM_FORMAT_OK) {
            return r;
        }
        REFUSE_IF(!hemi_take_range(b->payload, 1, v->spring_count, &totals->next_spring), BAD_INDEX, ROW_BATCHES, i,
                  "payload");
        const hem_spring* s = &v->springs[b->payload];
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const int on = b->lane_mask >> lane & 1;
            REFUSE_IF(on ? !hemi_in_range(s->rest[lane], 0, HEM_MAX_LINK * hem_longest(v->info)) : s->rest[lane] != -1,
                      BAD_VALUE, SPRINGS, b->payload, "rest");
            REFUSE_IF(on ? !hemi_in_range(s->compliance[lane], HEM_MIN_SPRING_COMPLIANCE, HEM_MAX_COMPLIANCE)
                         : s->compliance[lane] != 1,
                      BAD_VALUE, SPRINGS, b->payload, "compliance");
            REFUSE_IF(!hemi_in_range(s->damping[lane], 0, on ? HEM_MAX_LINK_DAMPING : 0), BAD_VALUE, SPRINGS,
                      b->payload, "damping");
        }
    }
    return HEM_FORMAT_OK;
}

// One for each row of the part, in order.
static hem_format_result check_drives(hemi_checker* c, const hem_range* range, batch_totals* totals) {
    const hem_view* v = c->view;
    const hem_part* part = &v->parts[range->part];
    (void)totals;
    REFUSE_IF(range->count != part->row_count || part->kind == HEM_PART_BODY, BAD_COUNT, DRIVE_ROWS, range->begin,
              "rows");
    for (uint32_t i = range->begin; i < range->begin + range->count; ++i) {
        const hem_drive_row* d = &v->drive_rows[i];
        REFUSE_IF(d->row != part->row_begin + i - range->begin, BAD_INDEX, DRIVE_ROWS, i, "row");
        REFUSE_IF(d->anim_row >= v->anim_row_count || v->anim_rows[d->anim_row].row != d->row, BAD_INDEX, DRIVE_ROWS, i,
                  "anim_row");
        REFUSE_IF(!hemi_is_zero(d->reserved, sizeof d->reserved), BAD_VALUE, DRIVE_ROWS, i, "reserved");
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const uint32_t held =
                v->particle_flags[d->row * HEM_LANES + lane] & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED);
            REFUSE_IF(!hemi_in_range(d->share[lane], 0, held ? 0 : 1), BAD_VALUE, DRIVE_ROWS, i, "share");
        }
    }
    return HEM_FORMAT_OK;
}

// -- Strands

static const uint8_t* strand_mask(const hem_view* v, const hem_row_batch* b, uint32_t k) {
    return b->form == HEM_FORM_STRANDS ? &v->row_members[b->member_begin + k].lane_mask
                                       : &v->row_indices[b->member_begin + k].lane_mask;
}

static uint32_t strand_particle(const hem_view* v, const hem_row_batch* b, uint32_t k, uint32_t lane) {
    if (b->form == HEM_FORM_INDICES) {
        return v->row_indices[b->member_begin + k].index[lane];
    }
    const hem_group_member* m = &v->row_members[b->member_begin + k];
    return m->row * HEM_LANES + ((lane + m->rotate) & 7);
}

// Its members' rows, indices and masks: each lane goes on from the first and ends once, none with one particle alone.
static hem_format_result check_strand_members(hemi_checker* c, uint32_t i, batch_totals* totals) {
    const hem_view* v = c->view;
    const hem_row_batch* b = &v->row_batches[i];
    const int rows = b->form == HEM_FORM_STRANDS;
    REFUSE_IF(!hemi_is_zero(b->rows, sizeof b->rows) || !hemi_is_zero(b->rotates, sizeof b->rotates), BAD_VALUE,
              ROW_BATCHES, i, "rows");
    REFUSE_IF(!hemi_take_range(b->member_begin, b->member_count, rows ? v->row_member_count : v->row_index_count,
                               rows ? &totals->next_row_member : &totals->next_row_index),
              BAD_INDEX, ROW_BATCHES, i, "member_begin");
    for (uint32_t k = 0; k < b->member_count; ++k) {
        const uint32_t at = b->member_begin + k;
        if (rows) {
            const hem_group_member* m = &v->row_members[at];
            REFUSE_IF(m->row >= v->info->oriented_row_count, BAD_INDEX, ROW_MEMBERS, at, "row");
            REFUSE_IF(m->rotate >= HEM_LANES || (k == 0 && m->rotate != 0), BAD_VALUE, ROW_MEMBERS, at, "rotate");
            REFUSE_IF(m->reserved != 0, BAD_VALUE, ROW_MEMBERS, at, "reserved");
            // Whole rows are stored, so none may stand twice.
            REFUSE_IF(c->used[m->row] != 0, BAD_BATCH, ROW_MEMBERS, at, "row");
            c->used[m->row] = 1;
        } else {
            REFUSE_IF(!hemi_is_zero(v->row_indices[at].reserved, sizeof v->row_indices[at].reserved), BAD_VALUE,
                      ROW_INDICES, at, "reserved");
            for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
                REFUSE_IF(v->row_indices[at].index[lane] >= v->info->oriented_row_count * HEM_LANES, BAD_INDEX,
                          ROW_INDICES, at, "index");
            }
        }
        const uint32_t mask = *strand_mask(v, b, k), before = k < 2 ? b->lane_mask : *strand_mask(v, b, k - 1);
        const int wrong = k < 2 ? mask != before : mask == 0 || (mask & ~before) != 0;
        REFUSE_IF(wrong && rows, BAD_VALUE, ROW_MEMBERS, at, "lane_mask");
        REFUSE_IF(wrong, BAD_VALUE, ROW_INDICES, at, "lane_mask");
    }
    for (uint32_t k = 0; rows && k < b->member_count; ++k) {
        c->used[v->row_members[b->member_begin + k].row] = 0;
    }
    return HEM_FORMAT_OK;
}

// Particles that may be there, none of them twice.
static hem_format_result check_strand_lanes(hemi_checker* c, uint32_t i) {
    const hem_view* v = c->view;
    const hem_row_batch* b = &v->row_batches[i];
    const char* field = NULL;
    int independent = 1;
    for (uint32_t k = 0; k < b->member_count; ++k) {
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            if ((*strand_mask(v, b, k) >> lane & 1) == 0) {
                continue;
            }
            const uint32_t p = strand_particle(v, b, k, lane);
            independent &= touch(c, p);
            if ((v->particle_flags[p] & (HEM_PARTICLE_PAD | HEM_PARTICLE_BODY)) != 0) {
                field = "lane_mask";
            } else if (hemi_part_of(v, p) != b->part) {
                field = "part";
            }
        }
    }
    for (uint32_t k = 0; k < b->member_count; ++k) {
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            c->used[strand_particle(v, b, k, lane) / HEM_LANES] = 0;
        }
    }
    REFUSE_IF(field != NULL, BAD_VALUE, ROW_BATCHES, i, field);
    REFUSE_IF(!independent, BAD_BATCH, ROW_BATCHES, i, "lanes");
    return HEM_FORMAT_OK;
}

static hem_format_result check_strands(hemi_checker* c, uint32_t i, uint32_t part, hem_kind kind,
                                       batch_totals* totals) {
    const hem_view* v = c->view;
    const hem_row_batch* b = &v->row_batches[i];
    REFUSE_IF(b->kind != (uint32_t)kind, BAD_VALUE, ROW_BATCHES, i, "kind");
    REFUSE_IF(b->part != part || v->parts[part].kind != HEM_PART_SOFT, BAD_INDEX, ROW_BATCHES, i, "part");
    REFUSE_IF(b->lane_mask == 0, BAD_VALUE, ROW_BATCHES, i, "lane_mask");
    REFUSE_IF(b->form != HEM_FORM_STRANDS && b->form != HEM_FORM_INDICES, BAD_VALUE, ROW_BATCHES, i, "form");
    REFUSE_IF(b->member_count < 2 || b->member_count > HEM_MAX_STRAND, BAD_COUNT, ROW_BATCHES, i, "member_count");
    REFUSE_IF(b->reserved != 0 || b->reserved2 != 0, BAD_VALUE, ROW_BATCHES, i, "reserved");
    hem_format_result r = check_strand_members(c, i, totals);
    if (r != HEM_FORMAT_OK) {
        for (uint32_t row = 0; row < v->info->row_count; ++row) {
            c->used[row] = 0;
        }
        return r;
    }
    const uint32_t lanes = count_bits8(b->lane_mask);
    totals->row_constraints += lanes;
    totals->indexed_row_constraints += b->form == HEM_FORM_INDICES ? lanes : 0;
    return check_strand_lanes(c, i);
}

// Whether lane's member k has a next one.
static int goes_on(const hem_view* v, const hem_row_batch* b, uint32_t k, uint32_t lane) {
    return k + 1u < b->member_count && (*strand_mask(v, b, k + 1) >> lane & 1) != 0;
}

static const char* rod_fault(const hem_rod* r, uint32_t lane, int on, int joined) {
    float length = 0, turn = 0;
    for (int k = 0; k < 3; ++k) {
        if (!hemi_in_range(r->edge[k][lane], -HEM_MAX_METRES, HEM_MAX_METRES)) {
            return "edge";
        }
        if (!hemi_in_range(r->turn[k][lane], -1, 1)) {
            return "turn";
        }
        length += r->edge[k][lane] * r->edge[k][lane];
        turn += r->turn[k][lane] * r->turn[k][lane];
    }
    if (joined ? !(length >= HEM_MIN_RADIUS * HEM_MIN_RADIUS) : length != 0) {
        return "edge";
    }
    if (!hemi_in_range(turn, 0, joined ? 0.75f : 0)) {
        return "turn";
    }
    if (!hemi_in_range(r->stretch[lane], joined ? HEM_MIN_RADIUS : 0, joined ? 1e12f : 0)) {
        return "stretch";
    }
    if (!hemi_in_range(r->bend[lane], 0, joined ? 1e9f : 0)) {
        return "bend";
    }
    if (!hemi_in_range(r->twist[lane], 0, joined ? 1e9f : 0)) {
        return "twist";
    }
    return !hemi_in_range(r->inertia[lane], on ? 1e-20f : 1, on ? 1e12f : 1) ? "inertia" : NULL;
}

static hem_format_result check_rods(hemi_checker* c, const hem_range* range, batch_totals* totals) {
    const hem_view* v = c->view;
    for (uint32_t i = range->begin; i < range->begin + range->count; ++i) {
        const hem_row_batch* b = &v->row_batches[i];
        const hem_format_result r = check_strands(c, i, range->part, HEM_KIND_ROD, totals);
        if (r != HEM_FORMAT_OK) {
            return r;
        }
        REFUSE_IF(!hemi_take_range(b->payload, b->member_count, v->rod_count, &totals->next_rod), BAD_INDEX,
                  ROW_BATCHES, i, "payload");
        for (uint32_t k = 0; k < b->member_count; ++k) {
            for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
                const char* field = rod_fault(&v->rods[b->payload + k], lane, *strand_mask(v, b, k) >> lane & 1,
                                              goes_on(v, b, k, lane));
                REFUSE_IF(field != NULL, BAD_VALUE, RODS, b->payload + k, field);
            }
        }
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_triangles(hemi_checker* c, const hem_range* range, batch_totals* totals) {
    const hem_view* v = c->view;
    const float limit = HEM_MAX_FABRIC_INVERSE;
    for (uint32_t i = range->begin; i < range->begin + range->count; ++i) {
        const hem_row_batch* b = &v->row_batches[i];
        const hem_format_result r = check_row_batch(c, i, range->part, HEM_KIND_TRIANGLE, 3, totals);
        if (r != HEM_FORMAT_OK) {
            return r;
        }
        REFUSE_IF(!hemi_take_range(b->payload, 1, v->triangle_count, &totals->next_triangle), BAD_INDEX, ROW_BATCHES, i,
                  "payload");
        const hem_triangle* t = &v->triangles[b->payload];
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const int on = b->lane_mask >> lane & 1;
            for (int k = 0; k < 4; ++k) {
                REFUSE_IF(!hemi_in_range(t->q[k][lane], on ? -limit : 0, on ? limit : 0), BAD_VALUE, TRIANGLES,
                          b->payload, "q");
            }
            REFUSE_IF(on ? !hemi_in_range(t->inverse_area[lane], 1 / limit, limit * limit) : t->inverse_area[lane] != 1,
                      BAD_VALUE, TRIANGLES, b->payload, "inverse_area");
        }
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_chains(hemi_checker* c, const hem_range* range, batch_totals* totals) {
    const hem_view* v = c->view;
    for (uint32_t i = range->begin; i < range->begin + range->count; ++i) {
        const hem_row_batch* b = &v->row_batches[i];
        const hem_format_result r = check_strands(c, i, range->part, HEM_KIND_CHAIN, totals);
        if (r != HEM_FORMAT_OK) {
            return r;
        }
        REFUSE_IF(!hemi_take_range(b->payload, b->member_count, v->chain_count, &totals->next_chain), BAD_INDEX,
                  ROW_BATCHES, i, "payload");
        for (uint32_t k = 0; k < b->member_count; ++k) {
            for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
                const float most = goes_on(v, b, k, lane) ? HEM_MAX_METRES : 0;
                REFUSE_IF(!hemi_in_range(v->chains[b->payload + k].rest[lane], 0, most), BAD_VALUE, CHAINS,
                          b->payload + k, "rest");
            }
        }
    }
    return HEM_FORMAT_OK;
}

static int is_bend_compliance(float compliance, int on) {
    return on ? hemi_in_range(compliance, 1e-6f, 1e9f) : compliance == 1;
}

static hem_format_result check_bends(hemi_checker* c, const hem_range* range, batch_totals* totals) {
    const hem_view* v = c->view;
    for (uint32_t i = range->begin; i < range->begin + range->count; ++i) {
        const hem_row_batch* b = &v->row_batches[i];
        const hem_format_result r = check_row_batch(c, i, range->part, HEM_KIND_FLAT, 4, totals);
        if (r != HEM_FORMAT_OK) {
            return r;
        }
        REFUSE_IF(!hemi_take_range(b->payload, 1, v->bend_count, &totals->next_bend), BAD_INDEX, ROW_BATCHES, i,
                  "payload");
        const hem_bend* bend = &v->bends[b->payload];
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const int on = b->lane_mask >> lane & 1;
            const float limit = on ? HEM_MAX_FABRIC_INVERSE : 0;
            for (int k = 0; k < 4; ++k) {
                REFUSE_IF(!hemi_in_range(bend->c[k][lane], -limit, limit), BAD_VALUE, BENDS, b->payload, "c");
            }
            // What pulls without a counterpull would push the cloth through the air.
            const float sum = bend->c[0][lane] + bend->c[1][lane] + bend->c[2][lane] + bend->c[3][lane];
            const float size = bend->c[2][lane] + bend->c[3][lane];
            REFUSE_IF(on && !(size > 0 && hemi_in_range(sum / size, -1e-4f, 1e-4f)), BAD_VALUE, BENDS, b->payload, "c");
            REFUSE_IF(!is_bend_compliance(bend->compliance[lane], on), BAD_VALUE, BENDS, b->payload, "compliance");
        }
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_dihedrals(hemi_checker* c, const hem_range* range, batch_totals* totals) {
    const hem_view* v = c->view;
    for (uint32_t i = range->begin; i < range->begin + range->count; ++i) {
        const hem_row_batch* b = &v->row_batches[i];
        const hem_format_result r = check_row_batch(c, i, range->part, HEM_KIND_DIHEDRAL, 4, totals);
        if (r != HEM_FORMAT_OK) {
            return r;
        }
        REFUSE_IF(!hemi_take_range(b->payload, 1, v->dihedral_count, &totals->next_dihedral), BAD_INDEX, ROW_BATCHES, i,
                  "payload");
        const hem_dihedral* d = &v->dihedrals[b->payload];
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const int on = b->lane_mask >> lane & 1;
            const float cosine = d->cosine[lane], sine = d->sine[lane];
            REFUSE_IF(on ? !hemi_near_one(cosine * cosine + sine * sine) : cosine != 1 || sine != 0, BAD_VALUE,
                      DIHEDRALS, b->payload, "cosine");
            REFUSE_IF(!is_bend_compliance(d->compliance[lane], on), BAD_VALUE, DIHEDRALS, b->payload, "compliance");
        }
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_tetrahedra(hemi_checker* c, const hem_range* range, batch_totals* totals) {
    const hem_view* v = c->view;
    for (uint32_t i = range->begin; i < range->begin + range->count; ++i) {
        const hem_row_batch* b = &v->row_batches[i];
        const hem_format_result r = check_row_batch(c, i, range->part, HEM_KIND_TETRAHEDRON, 4, totals);
        if (r != HEM_FORMAT_OK) {
            return r;
        }
        REFUSE_IF(!hemi_take_range(b->payload, 1, v->tetrahedron_count, &totals->next_tetrahedron), BAD_INDEX,
                  ROW_BATCHES, i, "payload");
        const hem_tetrahedron* t = &v->tetrahedra[b->payload];
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const int on = b->lane_mask >> lane & 1;
            for (uint32_t k = 0; k < 9; ++k) {
                const float limit = on ? HEM_MAX_FABRIC_INVERSE : 0;
                REFUSE_IF(!hemi_in_range(t->q[k][lane], -limit, limit), BAD_VALUE, TETRAHEDRA, b->payload, "q");
            }
            REFUSE_IF(!hemi_in_range(t->volume[lane], 0, on ? HEM_MAX_UNIT : 0), BAD_VALUE, TETRAHEDRA, b->payload,
                      "volume");
        }
    }
    return HEM_FORMAT_OK;
}

// One lattice a part, and that is the part's; the rest was checked before (hem_validate_lattices.c).
static hem_format_result check_regions(hemi_checker* c, const hem_range* range, batch_totals* totals) {
    (void)totals;
    REFUSE_IF(range->count != 1, BAD_COUNT, RANGES, (uint32_t)(range - c->view->ranges), "count");
    REFUSE_IF(c->view->lattices[range->begin].part != range->part, BAD_INDEX, LATTICES, range->begin, "part");
    return HEM_FORMAT_OK;
}

static hem_format_result check_row_totals(hemi_checker* c, const batch_totals* t) {
    const hem_view* v = c->view;
    REFUSE_IF(t->next_row_member != v->row_member_count, BAD_COUNT, ROW_MEMBERS, t->next_row_member, "element_count");
    REFUSE_IF(t->next_rod != v->rod_count, BAD_COUNT, RODS, t->next_rod, "element_count");
    REFUSE_IF(t->next_chain != v->chain_count, BAD_COUNT, CHAINS, t->next_chain, "element_count");
    REFUSE_IF(t->next_row_index != v->row_index_count, BAD_COUNT, ROW_INDICES, t->next_row_index, "element_count");
    REFUSE_IF(t->next_spring != v->spring_count, BAD_COUNT, SPRINGS, t->next_spring, "element_count");
    REFUSE_IF(t->next_triangle != v->triangle_count, BAD_COUNT, TRIANGLES, t->next_triangle, "element_count");
    REFUSE_IF(t->next_bend != v->bend_count, BAD_COUNT, BENDS, t->next_bend, "element_count");
    REFUSE_IF(t->next_dihedral != v->dihedral_count, BAD_COUNT, DIHEDRALS, t->next_dihedral, "element_count");
    REFUSE_IF(t->next_tetrahedron != v->tetrahedron_count, BAD_COUNT, TETRAHEDRA, t->next_tetrahedron, "element_count");
    REFUSE_IF(v->info->row_constraint_count != t->row_constraints, BAD_COUNT, INFO, 0, "row_constraint_count");
    return HEM_FORMAT_OK;
}

static hem_format_result check_totals(hemi_checker* c, const batch_totals* t) {
    const hem_view* v = c->view;
    REFUSE_IF(t->next_member != v->group_member_count, BAD_COUNT, GROUP_MEMBERS, t->next_member, "element_count");
    REFUSE_IF(t->next_index != v->group_index_count, BAD_COUNT, GROUP_INDICES, t->next_index, "element_count");
    REFUSE_IF(v->info->link_count != t->links + t->indexed_links, BAD_COUNT, INFO, 0, "link_count");
    REFUSE_IF(v->info->group_count != t->groups, BAD_COUNT, INFO, 0, "group_count");
    const uint32_t constraints = t->links + t->indexed_links + t->groups + t->row_constraints;
    const uint32_t batches = v->link_batch_count + v->index_batch_count + v->group_batch_count + v->row_batch_count;
    const float fill = batches != 0 ? (float)constraints / (float)(batches * 8.0f) : 1.0f;
    const uint32_t by_index = t->indexed_links + t->indexed_groups + t->indexed_row_constraints;
    const float indexed = constraints != 0 ? (float)by_index / (float)constraints : 0.0f;
    REFUSE_IF(!hemi_in_range(v->info->lane_fill - fill, -1e-4f, 1e-4f), BAD_VALUE, INFO, 0, "lane_fill");
    REFUSE_IF(!hemi_in_range(v->info->indexed_share - indexed, -1e-4f, 1e-4f), BAD_VALUE, INFO, 0, "indexed_share");
    REFUSE_IF(v->info->unit != 0.0f && !hemi_in_range(v->info->unit, HEM_MIN_UNIT, HEM_MAX_UNIT), BAD_VALUE, INFO, 0,
              "unit");
    REFUSE_IF(!hemi_is_zero(v->info->reserved, sizeof v->info->reserved), BAD_VALUE, INFO, 0, "reserved");
    return HEM_FORMAT_OK;
}

typedef hem_format_result range_check(hemi_checker* c, const hem_range* range, batch_totals* totals);

static range_check* const range_checks[HEM_BATCH_KIND_COUNT] = {
#define RANGE_CHECK(name, number, word, ...) [number] = check_##word,
    HEM_BATCH_KINDS(RANGE_CHECK)
#undef RANGE_CHECK
};

hem_format_result hemi_check_constraints(hemi_checker* c) {
    const hem_view* v = c->view;
    batch_totals totals = {0};
    for (uint32_t i = 0; i < v->range_count; ++i) {
        const hem_format_result r = range_checks[v->ranges[i].kind](c, &v->ranges[i], &totals);
        if (r != HEM_FORMAT_OK) {
            return r;
        }
    }
    const hem_format_result r = check_row_totals(c, &totals);
    return r != HEM_FORMAT_OK ? r : check_totals(c, &totals);
}
