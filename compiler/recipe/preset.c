// SPDX-License-Identifier: MIT
#include "compiler/recipe/recipe.h"

#include "compiler/hemc.h"

#include <string.h>

// Materials. The numbers are starting points that look right at 3 to 6 cm spacing; docs/recipe.md lists them.
//
// Compliance is metres per newton of one link. A cloth particle at 4 cm spacing and 0.2 kg/m^2 weighs 0.3 g. In XPBD's
// denominator, w + compliance / dt^2, the two terms balance at a compliance of 2 dt^2 / m = 0.1 m/N for substeps of
// 1/240 s. So below 1e-3 a link is as good as rigid, at 0.1 it takes back half of an error in one pass, and at 10 it
// only hints. Membranes of woven cloth (500 to 5000 N/m) lie at the rigid end, its shear (20 to 100 N/m) just above,
// its bending, carried by links over two rings, at the soft end. Soft parts weigh more (a 5 cm ball of flesh 65 g), so
// their balance point is about 5e-4.

typedef struct preset {
    const char* name;
    float area_density;                           // kg/m^2: cloth
    float volume_density;                         // kg/m^3: soft
    float stretch, shear, bend, shape;            // compliance, m/N
    float stretch_share, bend_share, shape_share; // 0..1 per iteration, for the pbd and jacobi solvers
    float damping, drag, lift, friction, restitution;
} preset;

// clang-format off
static const preset presets[] = {
    //            kg/m2   kg/m3   stretch  shear  bend   shape   PBD shares        1/s   drag  lift  friction bounce
    {"silk",      0.08f,  300.f,  1e-5f,   5e-2f, 20.f,  2e-2f,  1.0f, 0.01f, 0.1f, 0.5f, 1.2f, 0.4f, 0.15f, 0.0f},
    {"cotton",    0.20f,  400.f,  1e-5f,   2e-2f, 4.0f,  1e-2f,  1.0f, 0.05f, 0.2f, 1.0f, 1.0f, 0.3f, 0.30f, 0.0f},
    {"wool",      0.35f,  300.f,  2e-4f,   3e-2f, 2.0f,  1e-2f,  1.0f, 0.08f, 0.2f, 1.5f, 1.0f, 0.3f, 0.40f, 0.0f},
    {"denim",     0.45f,  500.f,  1e-6f,   5e-3f, 0.5f,  5e-3f,  1.0f, 0.20f, 0.4f, 1.5f, 0.8f, 0.2f, 0.45f, 0.0f},
    {"leather",   0.90f,  900.f,  1e-6f,   1e-3f, 0.1f,  1e-3f,  1.0f, 0.40f, 0.6f, 2.0f, 0.7f, 0.2f, 0.50f, 0.0f},
    {"rubber",    1.20f, 1100.f,  2e-2f,   2e-2f, 0.3f,  3e-4f,  0.6f, 0.20f, 0.9f, 1.0f, 0.5f, 0.1f, 0.80f, 0.2f},
    {"flesh",     5.00f, 1000.f,  1e-3f,   1e-3f, 1e-2f, 1e-3f,  0.9f, 0.50f, 0.5f, 4.0f, 0.3f, 0.1f, 0.40f, 0.0f},
    {"jelly",     5.00f, 1000.f,  1e-2f,   1e-2f, 0.1f,  1e-2f,  0.5f, 0.10f, 0.1f, 0.8f, 0.2f, 0.0f, 0.20f, 0.1f},
    {"hair",      0.30f,  150.f,  0.0f,    1e-2f, 0.5f,  5e-2f,  1.0f, 0.15f, 0.3f, 2.0f, 1.0f, 0.1f, 0.20f, 0.0f},
    {"paper",     0.08f,  700.f,  0.0f,    1e-5f, 1e-2f, 1e-4f,  1.0f, 0.80f, 0.9f, 2.0f, 1.2f, 0.5f, 0.20f, 0.0f},
    {"knit",      0.22f,  250.f,  8e-2f,   6e-2f, 8.0f,  2e-2f,  0.7f, 0.03f, 0.2f, 1.5f, 1.1f, 0.3f, 0.40f, 0.0f},
    {"spandex",   0.20f,  450.f,  2e-2f,   2e-2f, 6.0f,  1e-2f,  0.8f, 0.04f, 0.2f, 1.0f, 0.9f, 0.3f, 0.35f, 0.0f},
    {"canvas",    0.40f,  500.f,  1e-6f,   5e-3f, 0.8f,  5e-3f,  1.0f, 0.25f, 0.4f, 1.5f, 0.9f, 0.2f, 0.45f, 0.0f},
    {"felt",      0.35f,  250.f,  3e-3f,   1e-2f, 1.0f,  8e-3f,  1.0f, 0.15f, 0.3f, 2.0f, 1.0f, 0.3f, 0.50f, 0.0f},
};
// clang-format on

enum { PRESET_COUNT = sizeof(presets) / sizeof(presets[0]) };

uint32_t hemc_recipe_preset_names(const char* const** names) {
    static const char* const list[PRESET_COUNT] = {"silk",  "cotton", "wool",  "denim", "leather", "rubber", "flesh",
                                                   "jelly", "hair",   "paper", "knit",  "spandex", "canvas", "felt"};
    *names = list;
    return PRESET_COUNT;
}

const char* const hemc_map_names[HEMC_MAP_COUNT] = {
    [HEMC_FRICTION] = "_HEM_FRICTION", [HEMC_DRAG] = "_HEM_DRAG",     [HEMC_DAMPING] = "_HEM_DAMPING",
    [HEMC_CONTACT] = "_HEM_CONTACT",   [HEMC_TETHER] = "_HEM_TETHER",
};

void hemc_part_defaults(hemc_part_recipe* part) {
    memset(part, 0, sizeof(*part));
    part->json_path = "";
    part->generator = HEMC_CUT;
    part->kind = HEM_PART_CLOTH;
    part->axis_auto = true;
    part->attach = (hemc_attach){.automatic = true, .top = -1, .bottom = -1, .near = -1, .root = -1};
    part->blend_width = -1;
    part->animation = HEM_ANIMATE_DIRECT;
    part->stiffness_paint = "_HEM_STIFFNESS";
    part->drive_paint = "_HEM_DRIVE";
    for (int i = 0; i < HEMC_MAP_COUNT; ++i) {
        part->map_paints[i] = hemc_map_names[i];
    }
    part->rods = (hemc_rod_recipe){.stiffness = 0.02f, .twist = 0.7f, .taper = 0.5f, .sag_free = true};
    part->tethers = true;
    part->max_distance = -1;
    part->backstop = -1;
    part->stitch = true;
    hem_tuning* t = &part->tuning;
    t->tether_allowance = 0.03f;
    t->gravity_scale = 1.0f;
    part->layer = -1.0f;
    t->collision_thickness = -1.0f; // worked out: shape/thickness.c
    t->max_speed = 30.0f;
    t->linear_inertia = 1.0f;
    t->angular_inertia = 1.0f;
    t->sleep_speed = -1.0f; // worked out: pack/rows.c
    t->solver = HEM_SOLVER_XPBD;
    t->iterations = 1;
}

bool hemc_recipe_preset(const char* material, hemc_part_recipe* part) {
    for (uint32_t i = 0; i < PRESET_COUNT; ++i) {
        const preset* p = &presets[i];
        if (strcmp(p->name, material) != 0) {
            continue;
        }
        hem_tuning* t = &part->tuning;
        part->material = p->name;
        part->density = part->kind == HEM_PART_CLOTH ? p->area_density : p->volume_density;
        t->compliance[HEM_LINK_WARP] = p->stretch;
        t->compliance[HEM_LINK_WEFT] = p->stretch;
        t->compliance[HEM_LINK_SHEAR] = p->shear;
        t->compliance[HEM_LINK_BEND] = p->bend;
        t->compliance[HEM_LINK_STITCH] = p->stretch;
        t->stiffness[HEM_LINK_WARP] = p->stretch_share;
        t->stiffness[HEM_LINK_WEFT] = p->stretch_share;
        t->stiffness[HEM_LINK_SHEAR] = 0.5f * p->stretch_share;
        t->stiffness[HEM_LINK_BEND] = p->bend_share;
        t->stiffness[HEM_LINK_TETHER] = 1.0f;
        t->stiffness[HEM_LINK_STITCH] = p->stretch_share;
        t->stretch_limit = part->kind == HEM_PART_CLOTH && p->stretch <= HEMC_WOVEN_STRETCH ? HEMC_WOVEN_LIMIT : 0.0f;
        t->shape_compliance = p->shape;
        t->shape_stiffness = p->shape_share;
        t->damping = p->damping;
        t->angular_damping = p->damping;
        t->drag = p->drag;
        t->lift = p->lift;
        t->friction = p->friction;
        t->restitution = p->restitution;
        const hemc_material* stuff = hemc_material_find(material);
        part->fabric = hemc_fabric_of(stuff != NULL ? stuff : hemc_material_find("cotton"));
        return true;
    }
    return false;
}
