// SPDX-License-Identifier: MIT
// Virtual particles (Etzmuss, Eberhardt, Hauth and Strasser, "Collision Adaptive Particle Systems", 2000, sections 5 and 6):
// where an edge of a mesh comes through an edge of cloth, the cloth goes around it. For one substep the link between the
// two particles is off; each of them hangs on the virtual particle next to it, with its share of the rest length. The virtual
// particles move with the mesh and are made anew in the next substep.
// kernels/wraps.inl finds them.

#include "runtime/src/refuse.h"
#include "runtime/src/step.h"

// The lane of a batch, in the copies, that an edge's link is.
static float* rest_of(const hemi_wraps* w, uint32_t link) {
    const uint32_t at = link & ~HEM_VIRTUAL_INDEXED;
    return link & HEM_VIRTUAL_INDEXED ? &w->indexed[at / 8].rest[at % 8] : &w->links[at / 8].rest[at % 8];
}

static uint32_t link_of(const hem_view* view, const hemi_split* split) {
    return view->virtual_edges[split->edge / 8].link[split->edge % 8];
}

typedef struct split_link { // what the link was
    float rest;
    uint32_t kind, scale;
} split_link;

static split_link original(const hem_view* view, uint32_t link) {
    const uint32_t at = link & ~HEM_VIRTUAL_INDEXED;
    if (link & HEM_VIRTUAL_INDEXED) {
        const hem_index_batch* b = &view->index_batches[at / 8];
        return (split_link){b->rest[at % 8], b->kind, b->scale[at % 8]};
    }
    const hem_link_batch* b = &view->link_batches[at / 8];
    return (split_link){b->rest[at % 8], b->kind, b->scale[at % 8]};
}

static void copy_batches(const hem_view* view, hemi_wraps* w) {
    if (view->link_batch_count) {
        memcpy(w->links, view->link_batches, view->link_batch_count * sizeof(hem_link_batch));
    }
    if (view->index_batch_count) {
        memcpy(w->indexed, view->index_batches, view->index_batch_count * sizeof(hem_index_batch));
    }
}

#define STRAIGHT_AGAIN 0.9f // times its rest length

static float length_of(const hemi_row4* x, uint32_t a, uint32_t b) {
    const hemi_row4 *p = &x[a / 8], *q = &x[b / 8];
    const uint32_t i = a % 8, k = b % 8;
    return hem_vec3_length(hem_vec3_make(p->x[i] - q->x[k], p->y[i] - q->y[k], p->z[i] - q->z[k]));
}

// Edges that nothing was found for in this substep: straight ones are links again, folded ones are loose.
static void let_go(const hemi_step* s) {
    const hem_view* view = s->instance->view;
    hemi_wraps* w = &s->scratch->wraps;
    w->loose_count = 0;
    for (uint32_t i = 0; i < 8 * view->virtual_edge_count; ++i) {
        hemi_wrapped* wrapped = &s->instance->wrapped[i];
        if (!wrapped->now) {
            continue;
        }
        if (wrapped->now & HEMI_WRAP_SEEN) {
            wrapped->now = 1;
            continue;
        }
        const hem_virtual_edges* e = &view->virtual_edges[i / 8];
        const uint32_t link = e->link[i % 8];
        memset(wrapped, 0, sizeof(*wrapped));
        if (link != HEM_VIRTUAL_NO_LINK && w->loose_count + w->split_count < w->split_capacity &&
            length_of(s->instance->x, e->a[i % 8], e->b[i % 8]) < STRAIGHT_AGAIN * original(view, link).rest) {
            wrapped->now = HEMI_WRAP_LOOSE;
            ++w->loose_count;
            hemi_split* loose = &w->splits[w->split_capacity - w->loose_count]; // from the far end
            memset(loose, 0, sizeof(*loose));
            loose->edge = i;
        }
    }
}

static void switch_links(const hem_view* view, const hemi_wraps* w, int on) {
    for (uint32_t i = 0; i < w->split_capacity; ++i) {
        if (i == w->split_count) {
            i = w->split_capacity - w->loose_count; // those come last
            if (i == w->split_capacity) {
                break;
            }
        }
        const uint32_t link = link_of(view, &w->splits[i]);
        if (link != HEM_VIRTUAL_NO_LINK) {
            *rest_of(w, link) = on ? original(view, link).rest : -1.0f;
        }
    }
}

// From where the last substep ended: base particles are outside of meshes there.
void hemi_phase_wrap(hemi_step* s) {
    hemi_instance* instance = s->instance;
    hemi_scratch* scratch = s->scratch;
    hemi_wraps* w = &scratch->wraps;
    const hem_view* view = instance->view;
    if (!view->virtual_edge_count || !w->split_capacity) {
        return;
    }
    const uint32_t n = s->substep_count;
    hemi_wrap_args args = {.view = view,
                           .x = instance->x,
                           .v = instance->v,
                           .parts = scratch->solve.parts,
                           .colliders = &scratch->colliders,
                           .wraps = w,
                           .wrapped = instance->wrapped,
                           .counters = &scratch->counters,
                           .s0 = s->s0,
                           .s1 = s->s1};
    if (s->substep == 0) {
        w->copied = w->split_count = w->loose_count = 0;
    }
    switch_links(view, w, 1);
    w->loose_count = scratch->counters.virtual_count = 0;
    args.again = s->substep != s->search_begin;
    if (!args.again) {
        w->near_count = w->edge_count = w->eight_count = 0;
        if (scratch->colliders.count && scratch->meshes.mesh_count) {
            args.s1 = (float)s->search_end / (float)n;
            s->scene->kernels->find_wraps(&args, scratch->search.part_frames,
                                          (float)(s->search_end - s->search_begin) * s->h);
            args.s1 = s->s1;
        }
    }
    s->scene->kernels->wrap_edges(&args);
    let_go(s);
    if (w->split_count + w->loose_count && !w->copied) {
        copy_batches(view, w);
        w->copied = 1;
    }
    switch_links(view, w, 0);
    scratch->counters.work += w->eight_count + w->near_count / 8 + w->split_count;
}

// Each end on its virtual neighbour, which has no mass to move: links.inl with wb = 0, and each piece of a split link is as
// much stiffer as its rest length is shorter. A thread pulls and does not push: one that pushed threw its ends about
// wherever they came near to a virtual particle, and cloth on a table never came to rest. (Tried and lost: both ends
// together as over a pulley, which is what a thread without friction is: tablecloths slid off.)
typedef struct split_end {
    hemi_row4* x;
    uint32_t lane;
    hem_vec3 d; // from the virtual particle
    float length, w;
} split_end;

static split_end end_of(const hemi_instance* instance, const hemi_split* split, int end) {
    const uint32_t p = split->particle[end];
    split_end e = {&instance->x[p / 8], p % 8, {0, 0, 0}, 0.0f, 0.0f};
    const float* place = split->place[end];
    e.d = hem_vec3_make(e.x->x[e.lane] - place[0], e.x->y[e.lane] - place[1], e.x->z[e.lane] - place[2]);
    e.length = hem_vec3_length(e.d);
    e.w = e.length > 1e-6f ? e.x->w[e.lane] : 0.0f;
    return e;
}

// How fast an end moves away from its virtual neighbour, which moves with the mesh: metres in this substep.
static float end_rate(const hemi_instance* instance, const hemi_part_step* tune, const hemi_split* split, int end,
                      const split_end* e) {
    const hemi_row3* prev = &instance->v[split->particle[end] / 8];
    hem_mat34 frame;
    memcpy(frame.m, tune->frame.m, sizeof(frame.m));
    const float* b = split->began[end];
    const hem_vec3 began = hem_mat34_point(&frame, hem_vec3_make(b[0], b[1], b[2]));
    const hem_vec3 at = hem_vec3_make(prev->x[e->lane], prev->y[e->lane], prev->z[e->lane]);
    return hem_vec3_dot(hem_vec3_sub(e->d, hem_vec3_sub(at, began)), e->d) / hem_maxf(e->length, 1e-6f);
}

static void move_end(const split_end* e, float way) {
    const float share = hem_minf(way, e->length) / hem_maxf(e->length, 1e-6f); // not beyond it
    e->x->x[e->lane] -= e->d.x * share;
    e->x->y[e->lane] -= e->d.y * share;
    e->x->z[e->lane] -= e->d.z * share;
}

static void solve_end(const hemi_step* s, const hemi_part_step* tune, const split_link* link, hemi_split* split,
                      int end) {
    const hemi_instance* instance = s->instance;
    const split_end e = end_of(instance, split, end);
    const float share = split->share[end];
    float c = e.length - link->rest * share, more = 0.0f;
    if (!(e.w > 0.0f)) {
        return;
    }
    if (tune->solver != HEM_SOLVER_XPBD) {
        more = hem_maxf(c, 0.0f) * tune->stiffness[link->kind] / e.w;
    } else {
        const float painted = (float)(link->scale > 1 ? link->scale : 1) * (1.0f / 255.0f);
        float soft = tune->alpha[link->kind], sum = e.w;
        soft = painted < 1.0f ? hem_maxf(soft, 1e-9f) : soft;
        const float alpha = soft * share / (painted * painted), gamma = tune->beta[link->kind];
        if (tune->damped && c > 0.0f) {
            c += gamma * end_rate(instance, tune, split, end, &e);
            sum += gamma * sum;
        }
        const float lambda = split->lambda[end];
        more = hem_maxf((c - alpha * lambda) / (sum + alpha), -lambda);
        split->lambda[end] = tune->iterations > 1 ? lambda + more : 0.0f;
    }
    move_end(&e, e.w * more);
}

// Pulls when it is too long, and then it is a link again with the next substep.
static void solve_loose(const hemi_step* s, const hem_virtual_edges* e, uint32_t lane, float rest) {
    hemi_row4* x = s->instance->x;
    const uint32_t a = e->a[lane], b = e->b[lane];
    hemi_row4 *p = &x[a / 8], *q = &x[b / 8];
    const uint32_t i = a % 8, k = b % 8;
    const hem_vec3 d = hem_vec3_make(p->x[i] - q->x[k], p->y[i] - q->y[k], p->z[i] - q->z[k]);
    const float length = hem_vec3_length(d), w = p->w[i] + q->w[k];
    if (length > rest && w > 0.0f) {
        const hem_vec3 step = hem_vec3_scale(d, (length - rest) / (length * w));
        p->x[i] -= p->w[i] * step.x, p->y[i] -= p->w[i] * step.y, p->z[i] -= p->w[i] * step.z;
        q->x[k] += q->w[k] * step.x, q->y[k] += q->w[k] * step.y, q->z[k] += q->w[k] * step.z;
    }
}

void hemi_solve_wraps(const hemi_step* s, uint32_t part) {
    hemi_wraps* w = &s->scratch->wraps;
    const hem_view* view = s->instance->view;
    const hemi_part_step* tune = &s->scratch->solve.parts[part];
    for (uint32_t i = 0; i < w->split_count; ++i) {
        hemi_split* split = &w->splits[i];
        const uint32_t link = link_of(view, split);
        if (view->virtual_edges[split->edge / 8].part == part && link != HEM_VIRTUAL_NO_LINK) {
            const split_link was = original(view, link);
            solve_end(s, tune, &was, split, 0);
            solve_end(s, tune, &was, split, 1);
        }
    }
    for (uint32_t i = w->split_capacity - w->loose_count; i < w->split_capacity; ++i) {
        const uint32_t edge = w->splits[i].edge;
        const hem_virtual_edges* e = &view->virtual_edges[edge / 8];
        if (e->part == part) {
            solve_loose(s, e, edge % 8, original(view, e->link[edge % 8]).rest);
        }
    }
}

// -- Reading

// Colliders and cloth where the last step left them, in the scratch of the first worker, which nobody uses between steps.
static void stand_still(const hem_scene* scene, hemi_instance* instance, hemi_scratch* scratch) {
    hemi_colliders* all = &scratch->colliders;
    all->count = instance->input->features & HEM_FEATURE_COLLIDERS ? hemi_collider_total(scene, instance) : 0;
    for (uint32_t i = 0; i < all->count; ++i) {
        const hemi_collider_ref ref = hemi_collider_at(scene, instance, i);
        hemi_collider_path* path = &all->paths[i];
        const int there = hemi_collider_now(instance, &ref, path->pose[0]);
        path->mesh = there ? ref.mesh : NULL;
        path->collider = ref.collider;
        path->planes = ref.planes;
        memcpy(path->pose[1], path->pose[0], sizeof(path->pose[1]));
    }
    static const hemi_mat34 still = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    for (uint32_t p = 0; p < instance->view->info->part_count; ++p) {
        scratch->solve.parts[p].thickness = instance->tuning[p].collision_thickness;
        scratch->search.part_frames[p] = still;
    }
}

// What an instance's threads go around, into the room that args has. 0 = nothing of it ever does.
static int read_threads(const hem_scene* scene, hemi_instance* instance, hemi_wrap_args* args) {
    hemi_scratch* scratch = &scene->scratch[0];
    hemi_wraps* w = &scratch->wraps;
    const hem_view* view = instance->view;
    if (!view->virtual_edge_count || !w->split_capacity) {
        return 0;
    }
    stand_still(scene, instance, scratch);
    memcpy(w->aside, instance->wrapped, view->virtual_edge_count * 8 * sizeof(hemi_wrapped));
    w->split_count = w->loose_count = w->point_count = w->near_count = w->edge_count = w->eight_count = 0;
    args->view = view;
    args->x = instance->x;
    args->v = instance->v;
    args->parts = scratch->solve.parts;
    args->colliders = &scratch->colliders;
    args->wraps = w;
    args->wrapped = w->aside;
    args->counters = &scratch->counters;
    args->s0 = args->s1 = 1.0f;
    scene->kernels->find_wraps(args, scratch->search.part_frames, 0.0f);
    scene->kernels->wrap_edges(args);
    w->split_count = 0;
    return 1;
}

hem_result hem_instance_get_virtual(const hem_scene* scene, hem_instance_id id, hem_virtual_particle* particles,
                                    uint32_t capacity, uint32_t* count) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!count || (!particles && capacity)) {
        return hemi_refuse_null(scene, __func__, count ? "particles" : "count");
    }
    hem_virtual_particle none;
    hemi_wrap_args args = {.out = particles ? particles : &none, .out_capacity = capacity};
    read_threads(scene, instance, &args);
    *count = args.out_count;
    return HEM_OK;
}

hem_result hem_instance_get_refined(const hem_scene* scene, hem_instance_id id, hem_refined* refined) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!refined || (!refined->vertices && refined->vertex_capacity) ||
        (!refined->indices && refined->triangle_capacity)) {
        return hemi_refuse_null(scene, __func__, !refined ? "refined" : !refined->vertices ? "vertices" : "indices");
    }
    refined->vertex_count = refined->triangle_count = refined->dropped_count = 0;
    hem_refined_vertex none;
    hemi_wrap_args args = {.refined = refined->vertices ? refined->vertices : &none,
                           .out_capacity = refined->vertex_capacity};
    if (read_threads(scene, instance, &args)) {
        // A thread that is cut off is no thread: all that did not fit stays a line.
        uint32_t whole = args.out_count < HEMI_WRAP_FREE ? args.out_count : HEMI_WRAP_FREE - 1;
        if (whole > args.out_capacity) {
            whole = args.out_capacity;
            const hem_refined_vertex *v = refined->vertices, *last = whole > 0 ? &v[whole - 1] : NULL;
            while (whole > 0 && v[whole - 1].particle[0] == last->particle[0] &&
                   v[whole - 1].particle[1] == last->particle[1]) {
                --whole;
            }
        }
        refined->dropped_count = args.out_count - whole;
        refined->vertex_count = whole;
        hemi_refine(&args, refined, whole);
    }
    return HEM_OK;
}
