// SPDX-License-Identifier: MIT
#include "formats/hem_validate_internal.h"

// What the asset is made of: parts and their tuning, bones, rows of particles, whom each particle does not meet.

static int is_one_bit(uint32_t x) {
    return x != 0 && (x & (x - 1)) == 0;
}

// What a part lies outside of is another part, which does not lie outside of it.
static int is_an_order(const hem_part* parts, uint32_t count, uint32_t i) {
    for (uint32_t o = 0; o < HEM_MAX_PARTS; ++o) {
        if ((parts[i].outside_of[o / 32] >> o % 32 & 1u) &&
            (o == i || o >= count || (parts[o].outside_of[i / 32] >> i % 32 & 1u))) {
            return 0;
        }
    }
    return 1;
}

hem_format_result hemi_check_parts(hemi_checker* c) {
    const hem_view* v = c->view;
    const hem_info* info = v->info;
    uint32_t next_row = 0, next_range = 0;
    uint32_t body_parts = 0;
    float spacing = HEM_MAX_METRES;
    for (uint32_t i = 0; i < info->part_count; ++i) {
        const hem_part* p = &v->parts[i];
        REFUSE_IF(p->name_offset >= v->string_size, BAD_INDEX, PARTS, i, "name_offset");
        REFUSE_IF(p->kind > HEM_PART_BODY, BAD_VALUE, PARTS, i, "kind");
        REFUSE_IF(p->animation > HEM_ANIMATE_MOMENTUM ||
                      (p->kind == HEM_PART_BODY && p->animation != HEM_ANIMATE_DIRECT),
                  BAD_VALUE, PARTS, i, "animation");
        REFUSE_IF((p->flags & ~HEM_PART_SUNK) != 0, BAD_VALUE, PARTS, i, "flags");
        REFUSE_IF(p->row_count == 0 || !hemi_take_range(p->row_begin, p->row_count, info->row_count, &next_row),
                  BAD_COUNT, PARTS, i, "row_begin");
        // Oriented rows come first, so a part lies wholly before or wholly after the border.
        REFUSE_IF(p->kind == HEM_PART_CLOTH ? p->row_begin < info->oriented_row_count
                                            : next_row > info->oriented_row_count,
                  BAD_COUNT, PARTS, i, "kind");
        REFUSE_IF(!hemi_take_range(p->range_begin, p->range_count, v->range_count, &next_range), BAD_COUNT, PARTS, i,
                  "range_begin");
        REFUSE_IF(!is_one_bit(p->collision_group), BAD_VALUE, PARTS, i, "collision_group");
        REFUSE_IF(p->level_count > HEM_MAX_PARTICLES, BAD_COUNT, PARTS, i, "level_count");
        REFUSE_IF(!hemi_in_range(p->spacing, HEM_MIN_RADIUS, HEM_MAX_METRES), BAD_VALUE, PARTS, i, "spacing");
        REFUSE_IF(!is_an_order(v->parts, info->part_count, i), BAD_VALUE, PARTS, i, "outside_of");
        REFUSE_IF(!hemi_in_range(p->fullness, 0, HEM_MAX_FULLNESS), BAD_VALUE, PARTS, i, "fullness");
        REFUSE_IF(p->fullness > 0 && v->hair_row_count == 0, BAD_COUNT, PARTS, i, "fullness");
        REFUSE_IF(!hemi_in_range(p->fullness_reach, p->fullness > 0 ? HEM_MIN_RADIUS : 0, HEM_MAX_METRES), BAD_VALUE,
                  PARTS, i, "fullness_reach");
        REFUSE_IF(!hemi_is_zero(p->reserved, sizeof p->reserved), BAD_VALUE, PARTS, i, "reserved");
        spacing = p->spacing < spacing ? p->spacing : spacing;
        body_parts += p->kind == HEM_PART_BODY;
    }
    const uint32_t last = info->part_count - 1;
    REFUSE_IF(next_row != info->row_count, BAD_COUNT, PARTS, last, "row_count");
    REFUSE_IF(next_range != v->range_count, BAD_COUNT, PARTS, last, "range_count");
    REFUSE_IF(body_parts > 1, BAD_COUNT, PARTS, last, "kind");
    REFUSE_IF(info->spacing != spacing, BAD_VALUE, INFO, 0, "spacing");
    return HEM_FORMAT_OK;
}

typedef struct tuning_rule {
    uint32_t offset, count;
    float low, high;
    const char* name;
} tuning_rule;

#define LONGEST -1.0f // hem_longest of the asset

static const tuning_rule tuning_rules[] = {
    {offsetof(hem_tuning, compliance), 8, 0, HEM_MAX_COMPLIANCE, "compliance"},
    {offsetof(hem_tuning, link_damping), 8, 0, HEM_MAX_LINK_DAMPING, "link_damping"},
    {offsetof(hem_tuning, stiffness), 8, 0, 1, "stiffness"},
    {offsetof(hem_tuning, shape_compliance), 1, 0, 1e9f, "shape_compliance"},
    {offsetof(hem_tuning, shape_stiffness), 1, 0, 1, "shape_stiffness"},
    {offsetof(hem_tuning, tether_allowance), 1, 0, 100, "tether_allowance"},
    {offsetof(hem_tuning, gravity_scale), 1, -1e4f, 1e4f, "gravity_scale"},
    {offsetof(hem_tuning, damping), 1, 0, 1e4f, "damping"},
    {offsetof(hem_tuning, angular_damping), 1, 0, 1e4f, "angular_damping"},
    {offsetof(hem_tuning, drag), 1, 0, 1e6f, "drag"},
    {offsetof(hem_tuning, lift), 1, 0, 1e6f, "lift"},
    {offsetof(hem_tuning, friction), 1, 0, 1, "friction"},
    {offsetof(hem_tuning, restitution), 1, 0, 1, "restitution"},
    {offsetof(hem_tuning, collision_thickness), 1, 0, LONGEST, "collision_thickness"},
    {offsetof(hem_tuning, self_thickness), 1, 0, LONGEST, "self_thickness"},
    {offsetof(hem_tuning, contact_radius), 1, 0, LONGEST, "contact_radius"},
    {offsetof(hem_tuning, drive), 1, 0, 1000, "drive"},
    {offsetof(hem_tuning, drive_damping), 1, 0, 100, "drive_damping"},
    {offsetof(hem_tuning, rod_stiffness), 1, 0, 1e3f, "rod_stiffness"},
    {offsetof(hem_tuning, max_speed), 1, 1e-6f, 1e6f, "max_speed"},
    {offsetof(hem_tuning, linear_inertia), 1, 0, 1, "linear_inertia"},
    {offsetof(hem_tuning, angular_inertia), 1, 0, 1, "angular_inertia"},
    {offsetof(hem_tuning, sleep_speed), 1, 0, 1e6f, "sleep_speed"},
    {offsetof(hem_tuning, fabric_warp), 1, 0, HEM_MAX_COMPLIANCE, "fabric_warp"},
    {offsetof(hem_tuning, fabric_weft), 1, 0, HEM_MAX_COMPLIANCE, "fabric_weft"},
    {offsetof(hem_tuning, fabric_shear), 1, 0, HEM_MAX_COMPLIANCE, "fabric_shear"},
    {offsetof(hem_tuning, fabric_area), 1, 0, 1e9f, "fabric_area"},
    {offsetof(hem_tuning, fabric_bend), 1, 0, 1e12f, "fabric_bend"},
    {offsetof(hem_tuning, fabric_damping), 1, 0, 1e3f, "fabric_damping"},
    {offsetof(hem_tuning, strain_limit), 1, 0, 1e3f, "strain_limit"},
    {offsetof(hem_tuning, compress_limit), 1, 0, 1, "compress_limit"},
    {offsetof(hem_tuning, buckle_angle), 1, 0, 10, "buckle_angle"},
    {offsetof(hem_tuning, buckle_share), 1, 0, 1, "buckle_share"},
    {offsetof(hem_tuning, region_alpha), 1, 0, 1, "region_alpha"},
    {offsetof(hem_tuning, region_damping), 1, 0, 1e4f, "region_damping"},
    {offsetof(hem_tuning, inner_damping), 1, 0, 1e4f, "inner_damping"},
    {offsetof(hem_tuning, solid_young), 1, 0, 1e9f, "solid_young"},
    {offsetof(hem_tuning, solid_poisson), 1, 0, 0.49f, "solid_poisson"},
    {offsetof(hem_tuning, stretch_limit), 1, 0, 1e3f, "stretch_limit"},
};

hem_format_result hemi_check_tuning(const hem_tuning* tuning, uint32_t count, float longest, hem_format_fault* fault) {
    for (uint32_t i = 0; i < count; ++i) {
        *fault = (hem_format_fault){HEM_SECTION_TUNING, i, "", 0, 0, 0};
        for (size_t r = 0; r < sizeof(tuning_rules) / sizeof(tuning_rules[0]); ++r) {
            const tuning_rule* rule = &tuning_rules[r];
            const float high = rule->high == LONGEST ? longest : rule->high;
            for (uint32_t k = 0; k < rule->count; ++k) {
                float x;
                memcpy(&x, (const uint8_t*)&tuning[i] + rule->offset + k * sizeof x, sizeof x);
                if (!hemi_in_range(x, rule->low, high)) {
                    *fault = (hem_format_fault){HEM_SECTION_TUNING, i, rule->name, x, rule->low, high};
                    return HEM_FORMAT_BAD_VALUE;
                }
            }
        }
        if (tuning[i].solver > HEM_SOLVER_FOLLOW) {
            *fault = (hem_format_fault){HEM_SECTION_TUNING, i, "solver", (float)tuning[i].solver, 0, HEM_SOLVER_FOLLOW};
            return HEM_FORMAT_BAD_VALUE;
        }
        if (tuning[i].iterations < 1 || tuning[i].iterations > HEM_MAX_ITERATIONS) {
            *fault = (hem_format_fault){HEM_SECTION_TUNING,          i, "iterations",
                                        (float)tuning[i].iterations, 1, HEM_MAX_ITERATIONS};
            return HEM_FORMAT_BAD_VALUE;
        }
        if (tuning[i].tracking > 1) {
            fault->field = "tracking";
            return HEM_FORMAT_BAD_VALUE;
        }
        if (tuning[i].region_width > HEM_MAX_REGION_WIDTH) {
            *fault = (hem_format_fault){HEM_SECTION_TUNING,  i, "region_width", (float)tuning[i].region_width, 0,
                                        HEM_MAX_REGION_WIDTH};
            return HEM_FORMAT_BAD_VALUE;
        }
    }
    *fault = (hem_format_fault){0, 0, "", 0, 0, 0};
    return HEM_FORMAT_OK;
}

hem_format_result hemi_check_bones(hemi_checker* c) {
    const hem_view* v = c->view;
    for (uint32_t i = 0; i < v->info->bone_count; ++i) {
        const hem_bone* b = &v->bones[i];
        REFUSE_IF(b->name_offset >= v->string_size, BAD_INDEX, BONES, i, "name_offset");
        REFUSE_IF(b->parent < HEM_NONE || b->parent >= (int32_t)i, BAD_INDEX, BONES, i, "parent");
        for (int k = 0; k < 12; ++k) {
            REFUSE_IF(!hemi_in_range(b->inverse_bind[k], -HEM_MAX_METRES, HEM_MAX_METRES), BAD_VALUE, BONES, i,
                      "inverse_bind");
        }
        REFUSE_IF(!hemi_in_range(b->hang, -HEM_MAX_HANG, HEM_MAX_HANG), BAD_VALUE, BONES, i, "hang");
        REFUSE_IF(b->hang != 0 ? b->tail >= v->info->bone_count || b->tail == i : b->tail != 0, BAD_INDEX, BONES, i,
                  "tail");
    }
    for (uint32_t i = 0; i < v->bone_space_count; ++i) {
        for (int k = 0; k < 12; ++k) {
            REFUSE_IF(!hemi_in_range(v->bone_spaces[i][k], -HEM_MAX_METRES, HEM_MAX_METRES), BAD_VALUE, BONE_SPACES, i,
                      "matrix");
        }
    }
    return HEM_FORMAT_OK;
}

// -- Particles

static uint32_t row_mask(const hem_view* v, uint32_t row, uint32_t flag) {
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        mask |= (uint32_t)((v->particle_flags[row * HEM_LANES + lane] & flag) != 0) << lane;
    }
    return mask;
}

hem_format_result hemi_check_flags(hemi_checker* c) {
    const hem_view* v = c->view;
    const uint32_t low = HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED | HEM_PARTICLE_BODY | HEM_PARTICLE_SURFACE |
                         HEM_PARTICLE_COLLIDES | HEM_PARTICLE_SPARE;
    uint32_t counts[3] = {0, 0, 0}; // simulated, attached, body
    for (uint32_t part = 0; part < v->info->part_count; ++part) {
        const uint32_t begin = v->parts[part].row_begin * HEM_LANES;
        const uint32_t end = begin + v->parts[part].row_count * HEM_LANES;
        const int body = v->parts[part].kind == HEM_PART_BODY;
        for (uint32_t i = begin; i < end; ++i) {
            const uint32_t flags = v->particle_flags[i] & 0x00ffffffu;
            REFUSE_IF(hemi_part_of(v, i) != part, BAD_INDEX, PARTICLE_FLAGS, i, "part");
            const int pad = (flags & HEM_PARTICLE_PAD) != 0;
            REFUSE_IF((flags & ~low) != 0 || (pad && (flags & ~HEM_PARTICLE_SPARE) != HEM_PARTICLE_PAD) ||
                          (!pad && (flags & HEM_PARTICLE_SPARE) != 0),
                      BAD_VALUE, PARTICLE_FLAGS, i, "flags");
            if (pad) {
                continue;
            }
            const int animated = (flags & HEM_PARTICLE_ANIMATED) != 0;
            REFUSE_IF(((flags & HEM_PARTICLE_BODY) != 0) != body || (body && !animated), BAD_VALUE, PARTICLE_FLAGS, i,
                      "body");
            ++counts[body ? 2 : animated];
        }
    }
    REFUSE_IF(counts[0] != v->info->simulated_count, BAD_COUNT, INFO, 0, "simulated_count");
    REFUSE_IF(counts[1] != v->info->attached_count, BAD_COUNT, INFO, 0, "attached_count");
    REFUSE_IF(counts[2] != v->info->body_count, BAD_COUNT, INFO, 0, "body_count");
    REFUSE_IF(counts[0] + counts[1] + counts[2] != v->info->real_particle_count, BAD_COUNT, INFO, 0,
              "real_particle_count");
    return HEM_FORMAT_OK;
}

// A pad repeats one real lane of its row, so that bounds and tests on whole rows need no mask.
static int pad_repeats(const hem_rest_row* rest, const hem_shape_row* shape, uint32_t pad, uint32_t real_mask) {
    for (uint32_t k = 0; k < HEM_LANES; ++k) {
        if ((real_mask >> k & 1) != 0 && rest->x[k] == rest->x[pad] && rest->y[k] == rest->y[pad] &&
            rest->z[k] == rest->z[pad] && shape->a[k] == shape->a[pad] && shape->b[k] == shape->b[pad] &&
            shape->c[k] == shape->c[pad]) {
            return 1;
        }
    }
    return 0;
}

// Against the bounds of the particles, which have been checked. A tangent sphere has the radius (b^2 + c^2) / 2 a.
static hem_format_result check_radii(hemi_checker* c) {
    const hem_view* v = c->view;
    const float longest = hem_longest(v->info);
    for (uint32_t i = 0; i < v->info->particle_count; ++i) {
        const hem_shape_row* shape = &v->shape_rows[i / HEM_LANES];
        const float r[3] = {shape->a[i % HEM_LANES], shape->b[i % HEM_LANES], shape->c[i % HEM_LANES]};
        REFUSE_IF(r[0] > longest || r[1] > longest || r[2] > longest, BAD_VALUE, SHAPE_ROWS, i / HEM_LANES, "radius");
        REFUSE_IF((v->particle_flags[i] & HEM_PARTICLE_SURFACE) != 0 &&
                      !(0.5f * (r[1] * r[1] + r[2] * r[2]) <= longest * r[0]),
                  BAD_VALUE, SHAPE_ROWS, i / HEM_LANES, "tangent sphere");
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_areas(hemi_checker* c) {
    const hem_view* v = c->view;
    for (uint32_t i = 0; i < v->area_row_count * HEM_LANES; ++i) {
        const float area = v->area_rows[i / HEM_LANES].area[i % HEM_LANES];
        const float most = (v->particle_flags[i] & HEM_PARTICLE_PAD) != 0 ? 0 : HEM_MAX_METRES;
        REFUSE_IF(!hemi_in_range(area, 0, most), BAD_VALUE, AREA_ROWS, i / HEM_LANES, "area");
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_maps(hemi_checker* c) {
    const hem_view* v = c->view;
    for (uint32_t row = 0; row < v->map_row_count; ++row) {
        const hem_map_row* m = &v->map_rows[row];
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            REFUSE_IF(!hemi_in_range(m->friction[lane], 0, 1), BAD_VALUE, MAP_ROWS, row, "friction");
            REFUSE_IF(!hemi_in_range(m->drag[lane], 0, 1), BAD_VALUE, MAP_ROWS, row, "drag");
            REFUSE_IF(!hemi_in_range(m->damping[lane], 0, 1), BAD_VALUE, MAP_ROWS, row, "damping");
            REFUSE_IF(!hemi_in_range(m->contact[lane], 0, 1), BAD_VALUE, MAP_ROWS, row, "contact");
        }
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_hair(hemi_checker* c) {
    const hem_view* v = c->view;
    for (uint32_t i = 0; i < v->hair_row_count * HEM_LANES; ++i) {
        const hem_hair_row* h = &v->hair_rows[i / HEM_LANES];
        const float guide = h->guide[i % HEM_LANES], most = guide < 0 ? 0 : HEM_MAX_UNCROWD;
        REFUSE_IF(guide != -1 && !hemi_in_range(guide, 0, HEM_MAX_PARTICLES), BAD_VALUE, HAIR_ROWS, i / HEM_LANES,
                  "guide");
        REFUSE_IF(guide >= 0 && guide != (float)(int32_t)guide, BAD_VALUE, HAIR_ROWS, i / HEM_LANES, "guide");
        REFUSE_IF(guide >= 0 && (v->particle_flags[i] & HEM_PARTICLE_PAD) != 0, BAD_VALUE, HAIR_ROWS, i / HEM_LANES,
                  "guide of a pad");
        REFUSE_IF(!hemi_in_range(h->uncrowd[i % HEM_LANES], 0, most), BAD_VALUE, HAIR_ROWS, i / HEM_LANES, "uncrowd");
    }
    return HEM_FORMAT_OK;
}

static hem_format_result check_group_rest(hemi_checker* c) {
    const hem_view* v = c->view;
    for (uint32_t row = 0; row < v->group_rest_row_count; ++row) {
        const hem_rest_row* r = &v->group_rest_rows[row];
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const float most = HEM_MAX_METRES;
            REFUSE_IF(!hemi_in_range(r->x[lane], -most, most), BAD_VALUE, GROUP_REST_ROWS, row, "x");
            REFUSE_IF(!hemi_in_range(r->y[lane], -most, most), BAD_VALUE, GROUP_REST_ROWS, row, "y");
            REFUSE_IF(!hemi_in_range(r->z[lane], -most, most), BAD_VALUE, GROUP_REST_ROWS, row, "z");
            REFUSE_IF(r->mass[lane] != v->rest_rows[row].mass[lane], BAD_VALUE, GROUP_REST_ROWS, row, "mass");
        }
    }
    return HEM_FORMAT_OK;
}

hem_format_result hemi_check_rest(hemi_checker* c) {
    const hem_view* v = c->view;
    const hem_info* info = v->info;
    float low[3] = {HEM_MAX_METRES, HEM_MAX_METRES, HEM_MAX_METRES};
    float high[3] = {-HEM_MAX_METRES, -HEM_MAX_METRES, -HEM_MAX_METRES};
    float radius = 0;
    for (uint32_t row = 0; row < info->row_count; ++row) {
        const hem_rest_row* rest = &v->rest_rows[row];
        const hem_shape_row* shape = &v->shape_rows[row];
        const uint32_t real = ~row_mask(v, row, HEM_PARTICLE_PAD) & 0xffu;
        const int spare = row_mask(v, row, HEM_PARTICLE_SPARE) == 0xffu;
        REFUSE_IF(real == 0 && !spare, BAD_VALUE, PARTICLE_FLAGS, row * HEM_LANES, "pad");
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const uint32_t flags = v->particle_flags[row * HEM_LANES + lane];
            const float x[3] = {rest->x[lane], rest->y[lane], rest->z[lane]};
            const float r[3] = {shape->a[lane], shape->b[lane], shape->c[lane]};
            for (int k = 0; k < 3; ++k) {
                REFUSE_IF(!hemi_in_range(x[k], -HEM_MAX_METRES, HEM_MAX_METRES), BAD_VALUE, REST_ROWS, row, "position");
                REFUSE_IF(!hemi_in_range(r[k], HEM_MIN_RADIUS, HEM_MAX_METRES), BAD_VALUE, SHAPE_ROWS, row, "radius");
                low[k] = x[k] < low[k] ? x[k] : low[k];
                high[k] = x[k] > high[k] ? x[k] : high[k];
                radius = r[k] > radius ? r[k] : radius;
            }
            REFUSE_IF(!hemi_is_unit_quat(shape->qx[lane], shape->qy[lane], shape->qz[lane], shape->qw[lane]), BAD_VALUE,
                      SHAPE_ROWS, row, "rotation");
            const float mass = rest->mass[lane];
            const float inverse = shape->inverse_mass[lane];
            if ((flags & HEM_PARTICLE_PAD) != 0) {
                REFUSE_IF(mass != 0, BAD_VALUE, REST_ROWS, row, "mass");
                REFUSE_IF(inverse != 0, BAD_VALUE, SHAPE_ROWS, row, "inverse_mass");
                REFUSE_IF(!spare && !pad_repeats(rest, shape, lane, real), BAD_VALUE, REST_ROWS, row, "pad");
                continue;
            }
            REFUSE_IF(!hemi_in_range(mass, HEM_MIN_MASS, HEM_MAX_MASS), BAD_VALUE, REST_ROWS, row, "mass");
            const int fixed = (flags & HEM_PARTICLE_ANIMATED) != 0 &&
                              v->parts[flags >> HEM_PARTICLE_PART_SHIFT].animation == HEM_ANIMATE_DIRECT;
            REFUSE_IF(fixed ? inverse != 0 : !hemi_near_one(inverse * mass), BAD_VALUE, SHAPE_ROWS, row,
                      "inverse_mass");
        }
    }
    for (int k = 0; k < 3; ++k) {
        REFUSE_IF(info->bounds_min[k] != low[k], BAD_VALUE, INFO, 0, "bounds_min");
        REFUSE_IF(info->bounds_max[k] != high[k], BAD_VALUE, INFO, 0, "bounds_max");
    }
    REFUSE_IF(info->particle_radius != radius, BAD_VALUE, INFO, 0, "particle_radius");
    hem_format_result r = check_radii(c);
    r = r != HEM_FORMAT_OK ? r : check_areas(c);
    r = r != HEM_FORMAT_OK ? r : check_maps(c);
    r = r != HEM_FORMAT_OK ? r : check_hair(c);
    return r != HEM_FORMAT_OK ? r : check_group_rest(c);
}

hem_format_result hemi_check_bind(hemi_checker* c) {
    const hem_view* v = c->view;
    for (uint32_t row = 0; row < v->info->row_count; ++row) {
        const hem_bind_row* b = &v->bind_rows[row];
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            float sum = 0;
            for (int k = 0; k < 4; ++k) {
                REFUSE_IF(b->bone[k][lane] >= v->info->bone_count, BAD_INDEX, BIND_ROWS, row, "bone");
                REFUSE_IF(!hemi_in_range(b->weight[k][lane], 0, 1), BAD_VALUE, BIND_ROWS, row, "weight");
                sum += b->weight[k][lane];
            }
            REFUSE_IF(!hemi_near_one(sum), BAD_VALUE, BIND_ROWS, row, "weight sum");
            REFUSE_IF((v->particle_flags[row * HEM_LANES + lane] & HEM_PARTICLE_PAD) != 0 &&
                          (b->bone[0][lane] != 0 || b->weight[0][lane] != 1),
                      BAD_VALUE, BIND_ROWS, row, "pad");
        }
    }
    return HEM_FORMAT_OK;
}

static uint32_t limit_mask(const hem_limit_row* l) {
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        mask |= (uint32_t)(l->max_distance[lane] >= 0 || l->backstop_radius[lane] >= 0) << lane;
    }
    return mask;
}

hem_format_result hemi_check_limits(hemi_checker* c) {
    const hem_view* v = c->view;
    for (uint32_t i = 0; i < v->limit_row_count; ++i) {
        const hem_limit_row* l = &v->limit_rows[i];
        REFUSE_IF(l->row >= v->info->row_count || (i > 0 && l->row <= v->limit_rows[i - 1].row), BAD_INDEX, LIMIT_ROWS,
                  i, "row");
        REFUSE_IF(l->anim_row >= v->anim_row_count || v->anim_rows[l->anim_row].row != l->row, BAD_INDEX, LIMIT_ROWS, i,
                  "anim_row");
        REFUSE_IF(!hemi_is_zero(l->reserved, sizeof l->reserved) || !hemi_is_zero(l->reserved2, sizeof l->reserved2),
                  BAD_VALUE, LIMIT_ROWS, i, "reserved");
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            REFUSE_IF(!hemi_in_range(l->max_distance[lane], -HEM_MAX_METRES, HEM_MAX_METRES), BAD_VALUE, LIMIT_ROWS, i,
                      "max_distance");
            REFUSE_IF(!hemi_in_range(l->backstop_distance[lane], -HEM_MAX_METRES, HEM_MAX_METRES), BAD_VALUE,
                      LIMIT_ROWS, i, "backstop_distance");
            REFUSE_IF(!hemi_in_range(l->backstop_radius[lane], -HEM_MAX_METRES, HEM_MAX_METRES), BAD_VALUE, LIMIT_ROWS,
                      i, "backstop_radius");
        }
        // Only simulated particles can be held back.
        const uint32_t movable = ~row_mask(v, l->row, HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED) & 0xffu;
        REFUSE_IF(limit_mask(l) == 0 || (limit_mask(l) & ~movable) != 0, BAD_VALUE, LIMIT_ROWS, i, "lanes");
    }
    return HEM_FORMAT_OK;
}

// Every row with an animated, limited or driven lane appears exactly once, with exactly those lanes.
hem_format_result hemi_check_anim(hemi_checker* c) {
    const hem_view* v = c->view;
    uint32_t next = 0, next_limit = 0, next_drive = 0;
    for (uint32_t row = 0; row < v->info->row_count; ++row) {
        const uint32_t animated = row_mask(v, row, HEM_PARTICLE_ANIMATED);
        uint32_t target = animated;
        if (next_limit < v->limit_row_count && v->limit_rows[next_limit].row == row) {
            target |= limit_mask(&v->limit_rows[next_limit]);
            ++next_limit;
        }
        if (next_drive < v->drive_row_count && v->drive_rows[next_drive].row == row) {
            target |= (~row_mask(v, row, HEM_PARTICLE_PAD) | row_mask(v, row, HEM_PARTICLE_SPARE)) & 0xffu;
            ++next_drive;
        }
        if (target == 0) {
            continue;
        }
        REFUSE_IF(next >= v->anim_row_count || v->anim_rows[next].row != row, BAD_INDEX, ANIM_ROWS, next, "row");
        REFUSE_IF(v->anim_rows[next].animated_mask != animated, BAD_VALUE, ANIM_ROWS, next, "animated_mask");
        REFUSE_IF(v->anim_rows[next].target_mask != target, BAD_VALUE, ANIM_ROWS, next, "target_mask");
        REFUSE_IF(v->anim_rows[next].reserved != 0, BAD_VALUE, ANIM_ROWS, next, "reserved");
        ++next;
    }
    REFUSE_IF(next != v->anim_row_count, BAD_COUNT, ANIM_ROWS, next, "row");
    REFUSE_IF(next_drive != v->drive_row_count, BAD_INDEX, DRIVE_ROWS, next_drive, "row");
    return HEM_FORMAT_OK;
}

hem_format_result hemi_check_frames(hemi_checker* c) {
    const hem_view* v = c->view;
    for (uint32_t i = 0; i < v->frame_row_count; ++i) {
        const hem_frame_row* f = &v->frame_rows[i];
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const uint16_t ends[4] = {f->u0[lane], f->u1[lane], f->v0[lane], f->v1[lane]};
            for (int k = 0; k < 4; ++k) {
                REFUSE_IF(ends[k] >= v->info->particle_count || (v->particle_flags[ends[k]] & HEM_PARTICLE_PAD) != 0,
                          BAD_INDEX, FRAME_ROWS, i, k < 2 ? "u" : "v");
            }
            REFUSE_IF(!hemi_is_unit_quat(f->qx[lane], f->qy[lane], f->qz[lane], f->qw[lane]), BAD_VALUE, FRAME_ROWS, i,
                      "rotation");
        }
    }
    return HEM_FORMAT_OK;
}

static int list_holds(const hem_view* v, uint32_t particle, uint32_t wanted) {
    uint32_t low = v->ignore_starts[particle], high = v->ignore_starts[particle + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (v->ignore_list[middle] == wanted) {
            return 1;
        }
        if (v->ignore_list[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return 0;
}

hem_format_result hemi_check_ignore(hemi_checker* c) {
    const hem_view* v = c->view;
    const uint32_t count = v->info->particle_count;
    REFUSE_IF(v->ignore_starts[0] != 0, BAD_INDEX, IGNORE_STARTS, 0, "start");
    for (uint32_t i = 0; i < count; ++i) {
        REFUSE_IF(v->ignore_starts[i + 1] < v->ignore_starts[i] || v->ignore_starts[i + 1] > v->ignore_count, BAD_INDEX,
                  IGNORE_STARTS, i + 1, "start");
    }
    REFUSE_IF(v->ignore_starts[count] != v->ignore_count, BAD_COUNT, IGNORE_STARTS, count, "start");
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = v->ignore_starts[i]; k < v->ignore_starts[i + 1]; ++k) {
            const uint32_t other = v->ignore_list[k];
            REFUSE_IF(other >= count || other == i ||
                          ((v->particle_flags[i] | v->particle_flags[other]) & HEM_PARTICLE_PAD),
                      BAD_INDEX, IGNORE_LIST, k, "particle");
            REFUSE_IF(k > v->ignore_starts[i] && other <= v->ignore_list[k - 1], BAD_INDEX, IGNORE_LIST, k, "order");
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = v->ignore_starts[i]; k < v->ignore_starts[i + 1]; ++k) {
            REFUSE_IF(!list_holds(v, v->ignore_list[k], i), BAD_INDEX, IGNORE_LIST, k, "symmetry");
        }
    }
    return HEM_FORMAT_OK;
}