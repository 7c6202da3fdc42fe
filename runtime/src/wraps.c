// SPDX-License-Identifier: MIT
// Virtual particles (Etzmuss, Eberhardt, Hauth and Strasser, "Collision Adaptive Particle Systems", 2000, sections 5 and 6):
// where an edge of a mesh comes through an edge of cloth, the cloth goes around it. For one substep the link between the
// two particles is off; each of them hangs on the virtual particle next to it, with its share of the rest length and of the
// compliance (a spring cut in two). The virtual particles move with the mesh and are made anew in the next substep.
// kernels/wraps.inl finds them.

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
    memcpy(w->links, view->link_batches, view->link_batch_count * sizeof(hem_link_batch));
    memcpy(w->indexed, view->index_batches, view->index_batch_count * sizeof(hem_index_batch));
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
    hemi_wrap_args args = {view,
                           instance->x,
                           instance->v,
                           scratch->solve.parts,
                           &scratch->colliders,
                           w,
                           instance->wrapped,
                           &scratch->counters,
                           s->s0,
                           s->s1};
    if (s->substep == 0) {
        w->copied = w->split_count = w->loose_count = 0;
    }
    switch_links(view, w, 1);
    w->split_count = w->loose_count = w->point_count = scratch->counters.virtual_count = 0;
    if (s->substep == s->search_begin) {
        w->near_count = w->eight_count = 0;
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

// One particle on its virtual neighbour, which has no mass to move: links.inl with wb = 0. Alone each piece of a split link
// is stiffer, as its rest length is shorter.
static void solve_end(const hemi_step* s, const hemi_part_step* tune, const split_link* link, hemi_split* split,
                      int end) {
    hemi_instance* instance = s->instance;
    const uint32_t p = split->particle[end], lane = p % 8;
    hemi_row4* x = &instance->x[p / 8];
    const float w = x->w[lane], share = split->share[end], rest = link->rest * share;
    const float* place = split->place[end];
    const hem_vec3 d = hem_vec3_make(x->x[lane] - place[0], x->y[lane] - place[1], x->z[lane] - place[2]);
    const float length = hem_vec3_length(d);
    if (!(w > 0.0f) || !(length > 1e-9f)) {
        return;
    }
    float c = length - rest, moved = 0.0f;
    if (tune->solver != HEM_SOLVER_XPBD) {
        moved = c * tune->stiffness[link->kind];
    } else {
        const float painted = (float)(link->scale > 1 ? link->scale : 1) * (1.0f / 255.0f);
        float soft = tune->alpha[link->kind];
        soft = painted < 1.0f ? hem_maxf(soft, 1e-9f) : soft;
        const float alpha = soft * share / (painted * painted), gamma = tune->beta[link->kind];
        if (tune->damped) {
            const hemi_row3* prev = &instance->v[p / 8];
            hem_mat34 frame;
            memcpy(frame.m, tune->frame.m, sizeof(frame.m));
            const float* b = split->began[end];
            const hem_vec3 began = hem_mat34_point(&frame, hem_vec3_make(b[0], b[1], b[2]));
            const hem_vec3 before = hem_vec3_sub(hem_vec3_make(prev->x[lane], prev->y[lane], prev->z[lane]), began);
            c += gamma * hem_vec3_dot(hem_vec3_sub(d, before), d) / length;
        }
        const float lambda = split->lambda[end], sum = w + alpha + (tune->damped ? gamma * w : 0.0f);
        const float more = (c - alpha * lambda) / sum;
        split->lambda[end] = tune->iterations > 1 ? lambda + more : 0.0f;
        moved = w * more;
    }
    const hem_vec3 step = hem_vec3_scale(d, -moved / length);
    x->x[lane] += step.x;
    x->y[lane] += step.y;
    x->z[lane] += step.z;
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
