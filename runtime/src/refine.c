// SPDX-License-Identifier: MIT
// The cloth as it is drawn where it lies on meshes (docs/meshes.md): its triangles with virtual particles on their sides, and
// with vertices of meshes that come through them between.
//
// A triangle has three planes, through its sides and along its threads. They meet in its centre of projection, but nobody has to
// know where: with d_i the distance of a point from plane i, and D_i that of the corner opposite,
//
//     w_i = (d_i / D_i) / s,   s = sum d_j / D_j,   z = height / s
//
// are the weights of the point's image on the triangle, and a height, such that planes stay planes (the paper's central
// projection, written as a change of coordinates; parallel planes are no special case). There the cloth is drawn taut over
// everything: the threads on the sides, then vertices of the mesh one by one, the one that is highest above what there is
// first, and sides are flipped whenever that raises the surface. What lies below all of this is covered: a triangle of the
// mesh, cut to the three planes, has its corners on threads or among those vertices.

#include "runtime/src/refuse.h"
#include "runtime/src/step.h"
#include "runtime/src/triangulate.h"

#define NONE UINT32_MAX
#define LEAST_SCALE 0.1f   // of s: beyond that a point is near the centre of projection
#define LEAST_PLANE 0.05f  // D_i over the triangle's height: planes more slanted are of no use
#define FLAT 0.02f         // thicknesses: by so much a vertex comes through
#define HIGHEST 2.0f       // of the threads' height: what is above that is something else
#define LEAST_MARGIN 2e-3f // of the spacing, as kernels/mesh_near.inl
#define LEAST_SLOPE 0.1f   // cosine between a vertex' normal and the way out

typedef struct face {
    uint32_t particle[3];
    hem_vec3 corner[3], normal;
    hem_vec3 plane[3]; // of the side from corner i to the next, towards the third
    float scale[3];    // 1 / D
    float up;          // which way the threads go: 1 or -1 of the normal, 0 = there are none
    float highest;
} face;

typedef struct thread { // on the side of a face
    uint32_t first, count;
    int back; // it runs from the side's end to its beginning
} thread;

typedef struct refinement {
    const hem_view* view;
    const hemi_row4* x;
    const hemi_colliders* colliders;
    const hemi_wraps* wraps;
    hem_refined* to;
    uint32_t thread_points; // vertices that are on threads
    float margin;
    hemi_cdt cdt;
    float z[HEMI_CDT_POINTS];
    uint32_t vertex[HEMI_CDT_POINTS];
} refinement;

static hem_vec3 place(const refinement* r, uint32_t particle) {
    const hemi_row4* row = &r->x[particle / 8];
    return hem_vec3_make(row->x[particle % 8], row->y[particle % 8], row->z[particle % 8]);
}

static hem_vec3 at_vertex(const refinement* r, uint32_t i) {
    const float* p = r->to->vertices[i].position;
    return hem_vec3_make(p[0], p[1], p[2]);
}

// -- Threads by their two particles: an open table of their first vertices

static uint32_t slot_of(const refinement* r, uint32_t a, uint32_t b) {
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return (low * 2654435761u + high * 40503u) >> 7 & (r->wraps->slot_count - 1);
}

static int is_between(const hem_refined_vertex* v, uint32_t a, uint32_t b) {
    return (v->particle[0] == a && v->particle[1] == b) || (v->particle[0] == b && v->particle[1] == a);
}

static void list_threads(refinement* r) {
    uint16_t* slots = r->wraps->slots;
    memset(slots, 0xff, r->wraps->slot_count * sizeof(*slots));
    for (uint32_t i = 0; i < r->thread_points; ++i) {
        const hem_refined_vertex* v = &r->to->vertices[i];
        if (i > 0 && is_between(&v[-1], v->particle[0], v->particle[1])) {
            continue;
        }
        uint32_t slot = slot_of(r, v->particle[0], v->particle[1]);
        while (slots[slot] != HEMI_WRAP_FREE) {
            slot = (slot + 1) & (r->wraps->slot_count - 1);
        }
        slots[slot] = (uint16_t)i;
    }
}

static thread find_thread(const refinement* r, uint32_t a, uint32_t b) {
    thread t = {0, 0, 0};
    for (uint32_t slot = slot_of(r, a, b); r->wraps->slots[slot] != HEMI_WRAP_FREE;
         slot = (slot + 1) & (r->wraps->slot_count - 1)) {
        const uint32_t first = r->wraps->slots[slot];
        if (is_between(&r->to->vertices[first], a, b)) {
            t.first = first;
            t.back = r->to->vertices[first].particle[0] != a;
            while (first + t.count < r->thread_points && is_between(&r->to->vertices[first + t.count], a, b)) {
                ++t.count;
            }
            break;
        }
    }
    return t;
}

// -- A face and its projection

static float towards(const face* f, int i, hem_vec3 p) {
    return hem_vec3_dot(hem_vec3_sub(p, f->corner[i]), f->plane[i]);
}

static void set_plane(const refinement* r, face* f, int i, const thread* t) {
    const hem_vec3 a = f->corner[i], side = hem_vec3_sub(f->corner[(i + 1) % 3], a);
    const float length2 = hem_maxf(hem_vec3_dot(side, side), 1e-20f);
    hem_vec3 out = f->normal;
    float highest = 0.0f;
    for (uint32_t k = 0; k < t->count; ++k) {
        hem_vec3 d = hem_vec3_sub(at_vertex(r, t->first + k), a);
        d = hem_vec3_madd(side, -hem_vec3_dot(d, side) / length2, d);
        const float high = hem_vec3_length(d);
        if (high > highest) {
            highest = high;
            out = d;
        }
    }
    const hem_vec3 across = hem_vec3_sub(f->corner[(i + 2) % 3], a);
    hem_vec3 n = hem_vec3_cross(out, side);
    float size = hem_vec3_length(n), far = hem_vec3_dot(n, across) / hem_maxf(size, 1e-20f);
    if (hem_absf(far) < LEAST_PLANE * hem_vec3_length(across)) { // upright instead
        n = hem_vec3_cross(f->normal, side);
        size = hem_vec3_length(n);
        far = hem_vec3_dot(n, across) / hem_maxf(size, 1e-20f);
    }
    f->plane[i] = hem_vec3_scale(n, (far < 0.0f ? -1.0f : 1.0f) / hem_maxf(size, 1e-20f));
    f->scale[i] = 1.0f / hem_maxf(hem_absf(far), 1e-9f);
    f->up += highest * (hem_vec3_dot(out, f->normal) < 0.0f ? -1.0f : 1.0f) * (float)(t->count != 0);
    f->highest = hem_maxf(f->highest, highest);
}

// 0 = too near to the centre of projection, or beyond it.
static int project(const face* f, hem_vec3 p, float weight[3], float* z) {
    float sum = 0.0f;
    for (int i = 0; i < 3; ++i) {
        weight[(i + 2) % 3] = towards(f, i, p) * f->scale[i];
        sum += weight[(i + 2) % 3];
    }
    if (!(sum > LEAST_SCALE)) {
        return 0;
    }
    for (int i = 0; i < 3; ++i) {
        weight[i] /= sum;
    }
    *z = f->up * hem_vec3_dot(hem_vec3_sub(p, f->corner[0]), f->normal) / sum;
    return 1;
}

// -- Sides

static int32_t whole(float weight) {
    return (int32_t)(hem_minf(hem_maxf(weight, 0.0f), 1.0f) * (float)HEMI_CDT_ONE);
}

static void keep(refinement* r, uint32_t point, float z, uint32_t vertex) {
    r->z[point] = z;
    r->vertex[point] = vertex;
}

// Its points in their order, each strictly behind the one before. 0 = there is no room.
static int add_side(refinement* r, const face* f, int i, const thread* t) {
    int32_t last = 0;
    for (uint32_t k = 0; k < t->count; ++k) {
        const uint32_t v = t->first + (t->back ? t->count - 1 - k : k);
        const hem_refined_vertex* vertex = &r->to->vertices[v];
        float weight[3], z, share = t->back ? vertex->weight[0] : vertex->weight[1];
        if (!project(f, at_vertex(r, v), weight, &z)) {
            z = 0.0f;
        } else if (weight[(i + 1) % 3] > 0.0f && weight[(i + 1) % 3] < 1.0f) {
            share = weight[(i + 1) % 3];
        }
        const int32_t most = HEMI_CDT_ONE - (int32_t)(t->count - k), at = whole(share);
        last = at <= last ? last + 1 : at > most ? most : at;
        const int32_t rest = HEMI_CDT_ONE - last;
        const uint32_t point = i == 0   ? hemi_cdt_add(&r->cdt, last, 0)
                               : i == 1 ? hemi_cdt_add(&r->cdt, rest, last)
                                        : hemi_cdt_add(&r->cdt, 0, rest);
        if (point == HEMI_CDT_NONE) {
            return 0;
        }
        keep(r, point, z, v);
    }
    return 1;
}

// -- Inside

typedef struct inner {
    hem_vec3 at;
    float weight[3], z;
    uint32_t name; // vertex of the mesh
} inner;

#define INNER_LIMIT 192

typedef struct inner_list {
    inner point[INNER_LIMIT];
    uint32_t count, lost;
} inner_list;

static void offer(const refinement* r, const face* f, hem_vec3 at, uint32_t name, inner_list* list) {
    inner p = {at, {0, 0, 0}, 0.0f, name};
    if (!project(f, at, p.weight, &p.z) || !(p.z > 0.0f) || p.z > HIGHEST * f->highest + r->margin) {
        return;
    }
    const float least = 4.0f / (float)HEMI_CDT_ONE;
    if (!(p.weight[0] > least && p.weight[1] > least && p.weight[2] > least)) {
        return;
    }
    for (uint32_t i = 0; i < list->count; ++i) {
        if (list->point[i].name == name) {
            return;
        }
    }
    if (list->count == INNER_LIMIT) {
        ++list->lost;
        return;
    }
    list->point[list->count++] = p;
}

// Vertices of a block of triangles, a thickness above the mesh.
static void offer_block(const refinement* r, const face* f, const hemi_mesh_shape* shape, const hem_mat34* out,
                        uint32_t block, inner_list* list) {
    const hem_trimesh_view* view = shape->view;
    const uint32_t left = view->header->triangle_count - block * 8, count = view->heights || left >= 8 ? 8 : left;
    for (uint32_t i = 0; i < 3 * count; ++i) {
        const uint32_t k = i / count, lane = i % count;
        if (view->heights) {
            hem_vec3 corner[3];
            if (!hemi_field_triangle(view, block * 8 + lane, corner)) {
                continue;
            }
            const hem_vec3 at = hem_mat34_point(out, corner[k]);
            offer(r, f, hem_vec3_madd(f->normal, f->up * r->margin, at), hemi_field_vertex(view, block * 8 + lane, k),
                  list);
            continue;
        }
        const uint32_t name = view->names[block].vertex[k][lane];
        const float(*at)[8] = shape->corners[block].at[k];
        const float* n = view->vertices[name].normal;
        const hem_vec3 normal = hem_mat34_vector(out, hem_vec3_make(n[0], n[1], n[2]));
        // The bones of a skinned one have turned its normals.
        if (!shape->normals && f->up * hem_vec3_dot(normal, f->normal) < LEAST_SLOPE) {
            continue;
        }
        const hem_vec3 p = hem_mat34_point(out, hem_vec3_make(at[0][lane], at[1][lane], at[2][lane]));
        offer(r, f, hem_vec3_madd(f->normal, f->up * r->margin, p), name, list);
    }
}

static int boxes_meet(const hem_trimesh_node* node, uint32_t child, const float low[3], const float high[3]) {
    for (int k = 0; k < 3; ++k) {
        if (!(node->low[k][child] <= high[k] && node->high[k][child] >= low[k])) {
            return 0;
        }
    }
    return 1;
}

static void offer_mesh(const refinement* r, const face* f, const hemi_collider_path* path, inner_list* list) {
    const hemi_mesh_shape shape = hemi_mesh_shape_of(path->mesh, 1.0f, 1.0f);
    const float* p = path->pose[1];
    const hem_quat turn = hem_quat_make(p[3], p[4], p[5], p[6]);
    const hem_mat34 out = hem_mat34_from_quat(turn, hem_vec3_make(p[0], p[1], p[2]));
    // A ball around all that counts, in the mesh's space.
    hem_vec3 middle = hem_vec3_scale(hem_vec3_add(f->corner[0], hem_vec3_add(f->corner[1], f->corner[2])), 1.0f / 3.0f);
    float reach = 0.0f;
    for (int i = 0; i < 3; ++i) {
        reach = hem_maxf(reach, hem_vec3_length(hem_vec3_sub(f->corner[i], middle)));
    }
    reach += HIGHEST * f->highest + 2.0f * r->margin;
    const hem_vec3 at = hem_quat_rotate_back(turn, hem_vec3_sub(middle, hem_vec3_make(p[0], p[1], p[2])));
    const float low[3] = {at.x - reach, at.y - reach, at.z - reach},
                high[3] = {at.x + reach, at.y + reach, at.z + reach};
    struct {
        uint32_t node, level;
    } stack[HEM_TRIMESH_MAX_LEVELS * 8];
    uint32_t depth = 1;
    stack[0].node = 0;
    stack[0].level = shape.view->level_count - 1;
    while (depth > 0) {
        --depth;
        const uint32_t index = stack[depth].node, level = stack[depth].level;
        hem_trimesh_node made;
        const hem_trimesh_node* node = &made;
        if (shape.view->heights) {
            hemi_field_node(shape.view, level, index, &made);
        } else {
            node = &shape.nodes[shape.view->level_begin[level] + index];
        }
        for (uint32_t child = 0; child < 8; ++child) {
            if (!boxes_meet(node, child, low, high)) {
                continue;
            }
            if (level > 0) {
                stack[depth].node = index * 8 + child;
                stack[depth].level = level - 1;
                ++depth;
            } else {
                offer_block(r, f, &shape, &out, index * 8 + child, list);
            }
        }
    }
}

// The surface as it is, below or above a point of the face.
static float height_at(const refinement* r, int32_t u, int32_t v) {
    const hemi_cdt* t = &r->cdt;
    for (uint32_t n = 0; n < t->triangle_count; ++n) {
        const uint8_t* c = t->corner[n];
        float area[3], sum = 0.0f;
        int inside = 1;
        for (int k = 0; k < 3 && inside; ++k) {
            const hemi_cdt_point a = t->point[c[(k + 1) % 3]], b = t->point[c[(k + 2) % 3]];
            const int64_t twice = (int64_t)(a.u - u) * (b.v - v) - (int64_t)(a.v - v) * (b.u - u);
            inside = twice >= 0;
            area[k] = (float)twice;
            sum += area[k];
        }
        if (inside && sum > 0.0f) {
            return (area[0] * r->z[c[0]] + area[1] * r->z[c[1]] + area[2] * r->z[c[2]]) / sum;
        }
    }
    return 0.0f;
}

// The highest first, until none is above the surface. Returns how many found no room.
static uint32_t add_inner(refinement* r, const face* f, inner_list* list) {
    hem_refined* to = r->to;
    for (;;) {
        float most = FLAT * r->margin;
        uint32_t next = NONE;
        for (uint32_t i = 0; i < list->count; ++i) {
            const inner* p = &list->point[i];
            const float over = p->z - height_at(r, whole(p->weight[1]), whole(p->weight[2]));
            if (over > most) {
                most = over;
                next = i;
            }
        }
        if (next == NONE) {
            return list->lost;
        }
        const inner* p = &list->point[next];
        if (to->vertex_count >= to->vertex_capacity || r->cdt.point_count == HEMI_CDT_POINTS) {
            return list->lost + 1;
        }
        const uint32_t before = r->cdt.point_count;
        const uint32_t point = hemi_cdt_add(&r->cdt, whole(p->weight[1]), whole(p->weight[2]));
        if (point == before) {
            hem_refined_vertex* v = &to->vertices[to->vertex_count];
            for (int k = 0; k < 3; ++k) {
                v->particle[k] = f->particle[k];
                v->weight[k] = p->weight[k];
            }
            v->position[0] = p->at.x, v->position[1] = p->at.y, v->position[2] = p->at.z;
            keep(r, point, p->z, to->vertex_count++);
            hemi_cdt_raise(&r->cdt, r->z);
        }
        list->point[next] = list->point[--list->count];
    }
}

// -- All faces

static void emit(refinement* r, const uint32_t index[3]) {
    hem_refined* to = r->to;
    if (to->triangle_count < to->triangle_capacity) {
        memcpy(to->indices + 3 * (size_t)to->triangle_count, index, 3 * sizeof(uint32_t));
    } else {
        ++to->dropped_count;
    }
    ++to->triangle_count;
}

static void refine_face(refinement* r, uint32_t a, uint32_t b, uint32_t c, uint32_t group) {
    face f = {.particle = {a, b, c}};
    thread threads[3];
    for (int i = 0; i < 3; ++i) {
        f.corner[i] = place(r, f.particle[i]);
        threads[i] = find_thread(r, f.particle[i], f.particle[(i + 1) % 3]);
    }
    f.normal = hem_vec3_cross(hem_vec3_sub(f.corner[1], f.corner[0]), hem_vec3_sub(f.corner[2], f.corner[0]));
    const float size = hem_vec3_length(f.normal);
    if (threads[0].count + threads[1].count + threads[2].count == 0) {
        emit(r, f.particle);
        return;
    }
    f.normal = hem_vec3_scale(f.normal, 1.0f / hem_maxf(size, 1e-20f));
    for (int i = 0; i < 3; ++i) {
        set_plane(r, &f, i, &threads[i]);
    }
    f.up = f.up < 0.0f ? -1.0f : 1.0f;
    const float corners[3][3] = {{f.corner[0].x, f.corner[0].y, f.corner[0].z},
                                 {f.corner[1].x, f.corner[1].y, f.corner[1].z},
                                 {f.corner[2].x, f.corner[2].y, f.corner[2].z}};
    hemi_cdt_begin(&r->cdt, corners);
    for (uint32_t i = 0; i < 3; ++i) {
        keep(r, i, 0.0f, NONE);
    }
    for (int i = 0; i < 3; ++i) {
        r->to->dropped_count += (uint32_t)!add_side(r, &f, i, &threads[i]);
    }
    hemi_cdt_raise(&r->cdt, r->z);
    inner_list list;
    list.count = list.lost = 0;
    for (uint32_t i = 0; size > 1e-12f && i < r->colliders->count; ++i) {
        const hemi_collider_path* path = &r->colliders->paths[i];
        if (path->mesh && path->mesh->view && (path->collider->mask & group)) {
            offer_mesh(r, &f, path, &list);
        }
    }
    r->to->dropped_count += add_inner(r, &f, &list);
    for (uint32_t n = 0; n < r->cdt.triangle_count; ++n) {
        uint32_t index[3];
        for (int k = 0; k < 3; ++k) {
            const uint32_t p = r->cdt.corner[n][k];
            index[k] = p < 3 ? f.particle[p] : r->view->info->particle_count + r->vertex[p];
        }
        emit(r, index);
    }
}

// Each triangle lies beside three edges; it belongs to the one whose corner opposite is the last of the three.
void hemi_refine(const hemi_wrap_args* args, hem_refined* to, uint32_t thread_points) {
    refinement r = {.view = args->view,
                    .x = args->x,
                    .colliders = args->colliders,
                    .wraps = args->wraps,
                    .to = to,
                    .thread_points = thread_points};
    list_threads(&r);
    for (uint32_t i = 0; i < 8 * r.view->virtual_edge_count; ++i) {
        const hem_virtual_edges* e = &r.view->virtual_edges[i / 8];
        const uint32_t lane = i % 8, a = e->a[lane], b = e->b[lane], most = a > b ? a : b;
        if (!(e->face_mask >> lane & 1u) || !(e->flags & HEM_VIRTUAL_FACES)) {
            continue;
        }
        const uint32_t group = r.view->parts[e->part].collision_group;
        r.margin = hem_maxf(args->parts[e->part].thickness, LEAST_MARGIN * r.view->parts[e->part].spacing);
        if (e->wing[0][lane] > most) {
            refine_face(&r, a, b, e->wing[0][lane], group);
        }
        if (e->wing[1][lane] != HEM_VIRTUAL_NO_WING && e->wing[1][lane] > most) {
            refine_face(&r, b, a, e->wing[1][lane], group);
        }
    }
}
