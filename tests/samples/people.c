// SPDX-License-Identifier: MIT
#include "greatest.h"
#include "samples/glb.h"
#include "samples/human.h"
#include "samples/kit_samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the three dressed people promise: their size, clean weights and paint, closed loops, feet that stand still,
// clothes that clear the body, the same bytes every time. Distances are measured triangle by triangle, feet by posing
// the skeleton forward.

typedef struct person {
    const char* name;
    void (*build)(kit_model* model);
    int32_t triangles;
} person;

static const person people[] = {
    {"cape_girl", cape_girl_build, 12000},
    {"robe", robe_build, 7100},
    {"somersault", somersault_build, 7000},
};
enum { PEOPLE = 3, MANY_BONES = 64 };

// Built once; no test changes a model. They live until the program ends.
static kit_model* built(int32_t i) {
    static kit_model* models[PEOPLE];
    if (models[i] == NULL) {
        models[i] = kit_model_new(people[i].name);
        people[i].build(models[i]);
    }
    return models[i];
}

static const kit_mesh* mesh_named(const kit_model* model, const char* name) {
    for (int32_t i = 0; i < model->mesh_count; i++) {
        if (strcmp(model->meshes[i]->name, name) == 0) {
            return model->meshes[i];
        }
    }
    return NULL;
}

static kit_clip* clip_named(const kit_model* model, const char* name) {
    for (int32_t i = 0; i < model->clip_count; i++) {
        if (strcmp(model->clips[i]->name, name) == 0) {
            return model->clips[i];
        }
    }
    return NULL;
}

// -- Size and data

TEST triangle_counts_are_within_a_tenth(void) {
    for (int32_t i = 0; i < PEOPLE; i++) {
        kit_model* model = built(i);
        const glb_file file = glb_pack(model);
        ASSERT_EQm(people[i].name, 10 * abs(file.triangle_count - people[i].triangles) <= people[i].triangles, true);
    }
    PASS();
}

TEST weights_sum_to_one_and_name_real_bones(void) {
    for (int32_t i = 0; i < PEOPLE; i++) {
        kit_model* model = built(i);
        for (int32_t m = 0; m < model->mesh_count; m++) {
            const kit_mesh* mesh = model->meshes[m];
            for (int32_t v = 0; v < mesh->vertex_count; v++) {
                const kit_vertex* vertex = &mesh->vertices[v];
                double sum = 0;
                for (int32_t k = 0; k < 4; k++) {
                    ASSERT(vertex->joints[k] >= 0 && vertex->joints[k] < model->bone_count);
                    ASSERT(vertex->weights[k] >= 0);
                    sum += vertex->weights[k];
                }
                ASSERT_IN_RANGEm(mesh->name, 1.0, sum, 1e-9);
                ASSERT(vertex->blend >= 0 && vertex->blend <= 1);
                ASSERT(vertex->pin >= 0 && vertex->pin <= 1);
                ASSERT(vertex->stiffness >= 0 && vertex->stiffness <= 1);
                ASSERT_IN_RANGEm(mesh->name, 1.0, kit_length(vertex->normal), 1e-6);
            }
        }
    }
    PASS();
}

// Paint melts: over no edge does the blend jump by more than two thirds, and what is pinned is not handed to the
// particles.
TEST painted_blend_is_smooth_and_agrees_with_the_pins(void) {
    for (int32_t i = 0; i < PEOPLE; i++) {
        kit_model* model = built(i);
        double most = 0, least = 1;
        for (int32_t m = 0; m < model->mesh_count; m++) {
            const kit_mesh* mesh = model->meshes[m];
            if ((mesh->attributes & KIT_BLEND) == 0) {
                continue;
            }
            for (int32_t t = 0; t < mesh->triangle_count; t++) {
                for (int32_t k = 0; k < 3; k++) {
                    const kit_vertex* a = &mesh->vertices[mesh->triangles[t].v[k]];
                    const kit_vertex* b = &mesh->vertices[mesh->triangles[t].v[(k + 1) % 3]];
                    ASSERTm(mesh->name, fabs(a->blend - b->blend) < 0.67);
                    ASSERTm(mesh->name, a->pin < 0.999 || a->blend < 0.25);
                    most = a->blend > most ? a->blend : most;
                    least = a->blend < least ? a->blend : least;
                }
            }
        }
        ASSERT_EQm(people[i].name, 1.0, most);
        ASSERT_EQm(people[i].name, 0.0, least);
    }
    PASS();
}

// No sliver that a rasteriser or a particle generator would trip over.
TEST triangles_have_area(void) {
    for (int32_t i = 0; i < PEOPLE; i++) {
        kit_model* model = built(i);
        for (int32_t m = 0; m < model->mesh_count; m++) {
            const kit_mesh* mesh = model->meshes[m];
            int32_t slivers = 0;
            for (int32_t t = 0; t < mesh->triangle_count; t++) {
                const int32_t* v = mesh->triangles[t].v;
                const kit_vec a = mesh->vertices[v[0]].position;
                const kit_vec n =
                    kit_cross(kit_sub(mesh->vertices[v[1]].position, a), kit_sub(mesh->vertices[v[2]].position, a));
                slivers += kit_length(n) < 1e-9;
            }
            ASSERT_EQm(mesh->name, 0, slivers);
        }
    }
    PASS();
}

// -- Movement

// Half the sine of the angle between two rotations, near enough to compare steps.
static double turn_between(kit_quat p, kit_quat q) {
    const kit_quat d = kit_qmul(p, kit_qinv(q));
    return sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
}

TEST loops_close(void) {
    for (int32_t i = 0; i < PEOPLE; i++) {
        kit_model* model = built(i);
        for (int32_t c = 0; c < model->clip_count; c++) {
            kit_clip* clip = model->clips[c];
            if (!clip->loops) {
                ASSERT_STR_EQ("somersault", clip->name);
                continue;
            }
            const kit_joint* first = kit_clip_pose(clip, 0);
            const kit_joint* last = kit_clip_pose(clip, clip->frame_count - 1);
            ASSERT_EQm(clip->name, 0, memcmp(first, last, sizeof(kit_joint) * (size_t)clip->bone_count));
            // And no bone turns faster over the seam than elsewhere in the clip.
            for (int32_t b = 0; b < clip->bone_count; b++) {
                double fastest = 1e-4;
                for (int32_t f = 0; f + 2 < clip->frame_count; f++) {
                    const double step =
                        turn_between(kit_clip_pose(clip, f)[b].rotation, kit_clip_pose(clip, f + 1)[b].rotation);
                    fastest = step > fastest ? step : fastest;
                }
                const double seam =
                    turn_between(kit_clip_pose(clip, clip->frame_count - 2)[b].rotation, last[b].rotation);
                ASSERTm(clip->name, seam <= 1.25 * fastest);
            }
        }
    }
    PASS();
}

// The points of a foot that can touch the ground, carried by the bones: the heel by the foot, the ball by the toes.
typedef struct sole {
    kit_vec heel, ball;
} sole;

static sole sole_at(const kit_model* model, const kit_joint* pose, int32_t side) {
    kit_frame frames[MANY_BONES];
    kit_pose_world(model, pose, frames);
    const int32_t foot = human_bone(HUMAN_FOOT, side), toes = human_bone(HUMAN_TOES, side);
    const kit_vec ankle = model->bones[foot].head, ball = model->bones[toes].head;
    const double s = ankle.y / 0.09;
    return (sole){kit_point(frames[foot], kit_sub(kit_v(ankle.x, 0, -0.062 * s), ankle)),
                  kit_point(frames[toes], kit_v(0, -ball.y, 0))};
}

// Wherever the heel or the ball is on the ground in two neighbouring frames it has moved back at the ground's speed.
static double worst_slide(const kit_model* model, kit_clip* clip, double speed, int32_t* contacts) {
    double worst = 0;
    *contacts = 0;
    for (int32_t i = 0; i + 1 < clip->frame_count; i++) {
        for (int32_t side = 0; side < 2; side++) {
            const sole a = sole_at(model, kit_clip_pose(clip, i), side),
                       b = sole_at(model, kit_clip_pose(clip, i + 1), side);
            const kit_vec pairs[2][2] = {{a.heel, b.heel}, {a.ball, b.ball}};
            for (int32_t k = 0; k < 2; k++) {
                if (fabs(pairs[k][0].y) < 1e-4 && fabs(pairs[k][1].y) < 1e-4) {
                    const kit_vec moved = kit_mul(kit_sub(pairs[k][1], pairs[k][0]), KIT_FRAMES_PER_SECOND);
                    const double off = kit_length(kit_sub(moved, kit_v(0, 0, -speed)));
                    worst = off > worst ? off : worst;
                    ++*contacts;
                }
            }
        }
    }
    return worst;
}

TEST planted_feet_do_not_slide(void) {
    static const struct {
        int32_t person;
        const char* clip;
        double speed; // metres per second, as the scene's extras say
        int32_t contacts;
    } rows[] = {
        {0, "idle", 0.0, 600}, {0, "walk", 1.1, 40},  {0, "run", 2.7, 8},
        {0, "turn", 0.0, 150}, {0, "jump", 0.0, 80},  {1, "walk", 0.85, 40},
        {1, "sit", 0.0, 500},  {2, "idle", 0.0, 400}, {2, "somersault", 0.0, 120},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        kit_model* model = built(rows[r].person);
        int32_t contacts = 0;
        const double worst = worst_slide(model, clip_named(model, rows[r].clip), rows[r].speed, &contacts);
        // Two per cent of the speed; five millimetres a second for those who stand.
        const double allowed = rows[r].speed > 0 ? 0.02 * rows[r].speed : 0.005;
        ASSERTm(rows[r].clip, worst <= allowed);
        ASSERTm(rows[r].clip, contacts >= rows[r].contacts);
        char text[32];
        if (rows[r].speed > 0) {
            snprintf(text, sizeof text, "\"%s\":%g", rows[r].clip, rows[r].speed);
            ASSERTm("the extras state the ground's speed", strstr(model->extras, text) != NULL);
        }
    }
    PASS();
}

TEST nobody_sinks_into_the_ground(void) {
    for (int32_t i = 0; i < PEOPLE; i++) {
        kit_model* model = built(i);
        for (int32_t c = 0; c < model->clip_count; c++) {
            kit_clip* clip = model->clips[c];
            for (int32_t f = 0; f < clip->frame_count; f++) {
                for (int32_t side = 0; side < 2; side++) {
                    const sole s = sole_at(model, kit_clip_pose(clip, f), side);
                    ASSERTm(clip->name, s.heel.y > -0.012 && s.ball.y > -0.012);
                }
            }
        }
    }
    PASS();
}

TEST the_somersault_goes_once_round(void) {
    kit_model* model = built(2);
    kit_clip* clip = clip_named(model, "somersault");
    double turned = 0;
    kit_vec before = kit_v(0, 1, 0);
    for (int32_t f = 0; f < clip->frame_count; f++) {
        const kit_vec up = kit_rotate(kit_clip_pose(clip, f)[HUMAN_HIPS].rotation, kit_v(0, 1, 0));
        turned += kit_atan2(before.y * up.z - before.z * up.y, before.y * up.y + before.z * up.z);
        before = up;
    }
    ASSERT_IN_RANGE(2.0 * KIT_PI, turned, 0.05);
    PASS();
}

static double distance_to_segment(kit_vec p, kit_vec a, kit_vec b) {
    const kit_vec ab = kit_sub(b, a);
    const double t = kit_clamp(kit_dot(kit_sub(p, a), ab) / kit_dot(ab, ab), 0.0, 1.0);
    return kit_distance(p, kit_mad(a, ab, t));
}

// Distance of a place to a limb's chain of bones, each a segment from its joint to the next.
static double distance_to_limb(kit_vec p, const kit_vec* joints, int32_t first, int32_t count) {
    double least = 1e30;
    for (int32_t b = first; b + 1 < first + count; b++) {
        const double d = distance_to_segment(p, joints[b], joints[b + 1]);
        least = d < least ? d : least;
    }
    return least;
}

// Linear blend skinning pinches a limb like a wrapped sweet when a joint twists too far. A bend may fold the inner side of a knee, but the
// skin round a joint must on the whole keep its distance from the bones.
TEST limbs_keep_their_girth(void) {
    static const char* const skins[] = {"body", "tunic", "leotard"};
    static const int32_t limbs[2][2] = {{HUMAN_CLAVICLE, 4}, {HUMAN_THIGH, 3}};
    for (int32_t i = 0; i < PEOPLE; i++) {
        kit_model* model = built(i);
        kit_vec rest[MANY_BONES], now[MANY_BONES];
        for (int32_t b = 0; b < model->bone_count; b++) {
            rest[b] = model->bones[b].head;
        }
        for (int32_t n = 0; n < 3 * model->clip_count; n++) {
            const kit_mesh* skin = mesh_named(model, skins[n % 3]);
            kit_clip* clip = model->clips[n / 3];
            for (int32_t f = 0; skin != NULL && f < clip->frame_count; f += 4) {
                kit_frame frames[MANY_BONES];
                kit_pose_world(model, kit_clip_pose(clip, f), frames);
                for (int32_t b = 0; b < model->bone_count; b++) {
                    now[b] = frames[b].origin;
                }
                // Sums over the skin that two bones share, filed under the lower of the two.
                double was[MANY_BONES] = {0}, is[MANY_BONES] = {0};
                for (int32_t v = 0; v < skin->vertex_count; v++) {
                    const kit_vertex* vertex = &skin->vertices[v];
                    const int32_t a = vertex->joints[0], b = vertex->joints[1], lower = a > b ? a : b;
                    for (int32_t k = 0; k < 4 && vertex->weights[1] > 0.2; k++) {
                        const int32_t first = human_bone(limbs[k % 2][0], k / 2), count = limbs[k % 2][1];
                        if (lower > first && lower < first + count) {
                            was[lower] += distance_to_limb(vertex->position, rest, first, count);
                            is[lower] += distance_to_limb(kit_pose_vertex(model, frames, vertex), now, first, count);
                        }
                    }
                }
                for (int32_t b = 0; b < model->bone_count; b++) {
                    ASSERTm(clip->name, is[b] >= 0.65 * was[b]);
                }
            }
        }
    }
    PASS();
}

// -- Clothes

static double point_triangle(kit_vec p, kit_vec a, kit_vec b, kit_vec c) {
    // Nearest point by regions (Ericson, Real-Time Collision Detection, 5.1.5).
    const kit_vec ab = kit_sub(b, a), ac = kit_sub(c, a), ap = kit_sub(p, a);
    const double d1 = kit_dot(ab, ap), d2 = kit_dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) {
        return kit_distance(p, a);
    }
    const kit_vec bp = kit_sub(p, b);
    const double d3 = kit_dot(ab, bp), d4 = kit_dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) {
        return kit_distance(p, b);
    }
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        return kit_distance(p, kit_mad(a, ab, d1 / (d1 - d3)));
    }
    const kit_vec cp = kit_sub(p, c);
    const double d5 = kit_dot(ab, cp), d6 = kit_dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) {
        return kit_distance(p, c);
    }
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        return kit_distance(p, kit_mad(a, ac, d2 / (d2 - d6)));
    }
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        return kit_distance(p, kit_lerp(b, c, (d4 - d3) / ((d4 - d3) + (d5 - d6))));
    }
    const double w = 1.0 / (va + vb + vc);
    return kit_distance(p, kit_mad(kit_mad(a, ab, vb * w), ac, vc * w));
}

static double clearance(const kit_mesh* cloth, const kit_mesh* below) {
    double least = 1e30;
    for (int32_t v = 0; v < cloth->vertex_count; v++) {
        const kit_vec p = cloth->vertices[v].position;
        for (int32_t t = 0; t < below->triangle_count; t++) {
            const int32_t* i = below->triangles[t].v;
            const kit_vec a = below->vertices[i[0]].position;
            if (kit_distance(p, a) > 0.2) {
                continue;
            }
            const double d = point_triangle(p, a, below->vertices[i[1]].position, below->vertices[i[2]].position);
            least = d < least ? d : least;
        }
    }
    return least;
}

// Does the segment from p to q pass through the triangle (Moller and Trumbore)?
static bool pierces(kit_vec p, kit_vec q, kit_vec a, kit_vec b, kit_vec c) {
    const kit_vec d = kit_sub(q, p), e = kit_sub(b, a), f = kit_sub(c, a), h = kit_cross(d, f);
    const double det = kit_dot(e, h);
    if (fabs(det) < 1e-15) {
        return false;
    }
    const kit_vec s = kit_sub(p, a), g = kit_cross(s, e);
    const double u = kit_dot(s, h) / det, v = kit_dot(d, g) / det, t = kit_dot(f, g) / det;
    return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 && t <= 1;
}

// Edges of one mesh that pass through triangles of the other. A garment that is clear by its points may still be caught on a limb.
static int32_t crossings(const kit_mesh* one, const kit_mesh* other) {
    int32_t count = 0;
    for (int32_t t = 0; t < one->triangle_count; t++) {
        for (int32_t o = 0; o < other->triangle_count; o++) {
            const int32_t* i = other->triangles[o].v;
            const kit_vec a = other->vertices[i[0]].position;
            const int32_t* v = one->triangles[t].v;
            if (kit_distance(one->vertices[v[0]].position, a) > 0.2) {
                continue;
            }
            for (int32_t k = 0; k < 3; k++) {
                count += pierces(one->vertices[v[k]].position, one->vertices[v[(k + 1) % 3]].position, a,
                                 other->vertices[i[1]].position, other->vertices[i[2]].position);
            }
        }
    }
    return count;
}

TEST clothes_clear_the_body_in_the_bind_pose(void) {
    static const struct {
        int32_t person;
        const char *cloth, *below;
        double least;
    } rows[] = {
        {0, "skirt", "body", 0.008},     {0, "skirt", "tunic", 0.007}, {0, "skirt", "boots", 0.02},
        {0, "cape", "body", 0.008},      {0, "cape", "tunic", 0.008},  {0, "cape", "skirt", 0.008},
        {0, "hair", "cape", 0.004},      {0, "hair", "collar", 0.004}, {0, "hair", "tunic", 0.008},
        {0, "tunic", "body", 0.004},     {0, "boots", "body", 0.003},  {1, "robe", "body", 0.008},
        {1, "ornaments", "body", 0.003}, {2, "skirt", "body", 0.008},  {2, "skirt", "leotard", 0.007},
        {2, "leotard", "body", 0.0015},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        kit_model* model = built(rows[r].person);
        const kit_mesh* cloth = mesh_named(model, rows[r].cloth);
        const kit_mesh* below = mesh_named(model, rows[r].below);
        const double forth = clearance(cloth, below), back = clearance(below, cloth);
        const double least = forth < back ? forth : back;
        char text[96];
        snprintf(text, sizeof text, "%s over %s: %.2f mm", rows[r].cloth, rows[r].below, 1000.0 * least);
        ASSERTm(text, least >= rows[r].least);
        ASSERT_EQm(text, 0, crossings(cloth, below) + crossings(below, cloth));
    }
    PASS();
}

// Every vertex of the robe's lining lies the cloth's thickness behind the front.
TEST the_robe_has_a_lining(void) {
    kit_model* model = built(1);
    const kit_mesh* robe = mesh_named(model, "robe");
    int32_t front = KIT_NONE, lining = KIT_NONE;
    for (int32_t m = 0; m < model->material_count; m++) {
        front = strcmp(model->materials[m].name, "robe") == 0 ? m : front;
        lining = strcmp(model->materials[m].name, "robe_lining") == 0 ? m : lining;
    }
    double least = 1e30, most = 0;
    int32_t seen = 0;
    for (int32_t t = 0; t < robe->triangle_count; t++) {
        if (robe->triangles[t].material != lining) {
            continue;
        }
        const kit_vec p = robe->vertices[robe->triangles[t].v[0]].position;
        double nearest = 1e30;
        for (int32_t o = 0; o < robe->triangle_count; o++) {
            if (robe->triangles[o].material == front) {
                const int32_t* v = robe->triangles[o].v;
                const double d = point_triangle(p, robe->vertices[v[0]].position, robe->vertices[v[1]].position,
                                                robe->vertices[v[2]].position);
                nearest = d < nearest ? d : nearest;
            }
        }
        // At a hem the rim, which is front cloth, touches the lining.
        if (nearest > 1e-9) {
            least = nearest < least ? nearest : least;
            most = nearest > most ? nearest : most;
            seen++;
        }
    }
    ASSERT(seen > 1000);
    ASSERTm("lining too near", least > 0.006);
    ASSERTm("lining too far", most < 0.0151);
    PASS();
}

// -- Bytes

TEST building_twice_gives_the_same_bytes(void) {
    for (int32_t i = 0; i < PEOPLE; i++) {
        kit_model* again = kit_model_new(people[i].name);
        people[i].build(again);
        const glb_file fa = glb_pack(built(i)), fb = glb_pack(again);
        ASSERT_EQm(people[i].name, fa.size, fb.size);
        ASSERT_EQm(people[i].name, 0, memcmp(fa.bytes, fb.bytes, fa.size));
        kit_model_free(again);
    }
    PASS();
}

SUITE_EXTERN(people_suite);
SUITE(people_suite) {
    RUN_TEST(triangle_counts_are_within_a_tenth);
    RUN_TEST(weights_sum_to_one_and_name_real_bones);
    RUN_TEST(painted_blend_is_smooth_and_agrees_with_the_pins);
    RUN_TEST(triangles_have_area);
    RUN_TEST(loops_close);
    RUN_TEST(planted_feet_do_not_slide);
    RUN_TEST(nobody_sinks_into_the_ground);
    RUN_TEST(the_somersault_goes_once_round);
    RUN_TEST(limbs_keep_their_girth);
    RUN_TEST(clothes_clear_the_body_in_the_bind_pose);
    RUN_TEST(the_robe_has_a_lining);
    RUN_TEST(building_twice_gives_the_same_bytes);
}
