// SPDX-License-Identifier: MIT
#include "formats/hem_validate_internal.h"

// Edges that may bend around meshes: particles of one part of cloth, and links that join the same two.

// Whether a link of the file joins a and b, either way round.
static int link_joins(const hem_view* v, uint32_t link, uint32_t part, uint32_t a, uint32_t b) {
    const uint32_t batch = (link & ~HEM_VIRTUAL_INDEXED) / HEM_LANES, lane = link % HEM_LANES;
    uint32_t p, q, kind, owner, mask;
    if (link & HEM_VIRTUAL_INDEXED) {
        if (batch >= v->index_batch_count) {
            return 0;
        }
        const hem_index_batch* i = &v->index_batches[batch];
        p = i->a[lane], q = i->b[lane], kind = i->kind, owner = i->part, mask = i->lane_mask;
    } else {
        if (batch >= v->link_batch_count) {
            return 0;
        }
        const hem_link_batch* l = &v->link_batches[batch];
        p = l->row_a * HEM_LANES + lane, q = l->row_b * HEM_LANES + ((lane + l->rotate) & 7u);
        kind = l->kind, owner = l->part, mask = l->lane_mask;
    }
    return owner == part && (mask >> lane & 1u) && hem_kind_in(kind, HEM_KINDS_STRETCH) &&
           ((p == a && q == b) || (p == b && q == a));
}

static int is_of_part(const hem_view* v, uint32_t particle, uint32_t part) {
    return particle < v->info->particle_count && hemi_part_of(v, particle) == part &&
           !(v->particle_flags[particle] & HEM_PARTICLE_PAD);
}

static hem_format_result check_edge(hemi_checker* c, uint32_t i, uint32_t lane) {
    const hem_view* v = c->view;
    const hem_virtual_edges* e = &v->virtual_edges[i];
    const uint32_t a = e->a[lane], b = e->b[lane], w = e->wing[0][lane], z = e->wing[1][lane];
    const int border = z == HEM_VIRTUAL_NO_WING;
    REFUSE_IF(!is_of_part(v, a, e->part), BAD_INDEX, VIRTUAL_EDGES, i, "a");
    REFUSE_IF(!is_of_part(v, b, e->part) || b == a, BAD_INDEX, VIRTUAL_EDGES, i, "b");
    REFUSE_IF(!is_of_part(v, w, e->part) || w == a || w == b, BAD_INDEX, VIRTUAL_EDGES, i, "wing");
    REFUSE_IF(!border && (!is_of_part(v, z, e->part) || z == a || z == b || z == w), BAD_INDEX, VIRTUAL_EDGES, i,
              "wing");
    REFUSE_IF(e->link[lane] == HEM_VIRTUAL_NO_LINK ? !(e->face_mask >> lane & 1u)
                                                   : !link_joins(v, e->link[lane], e->part, a, b),
              BAD_INDEX, VIRTUAL_EDGES, i, "link");
    return HEM_FORMAT_OK;
}

hem_format_result hemi_check_virtual(hemi_checker* c) {
    const hem_view* v = c->view;
    REFUSE_IF(v->virtual_edge_count > HEM_MAX_VIRTUAL_EDGES, BAD_COUNT, VIRTUAL_EDGES, 0, "element_count");
    for (uint32_t i = 0; i < v->virtual_edge_count; ++i) {
        const hem_virtual_edges* e = &v->virtual_edges[i];
        REFUSE_IF(e->part >= v->info->part_count || v->parts[e->part].kind != HEM_PART_CLOTH ||
                      (i > 0 && e->part < e[-1].part),
                  BAD_INDEX, VIRTUAL_EDGES, i, "part");
        REFUSE_IF(e->lane_mask == 0, BAD_VALUE, VIRTUAL_EDGES, i, "lane_mask");
        REFUSE_IF((e->face_mask & ~e->lane_mask) != 0, BAD_VALUE, VIRTUAL_EDGES, i, "face_mask");
        REFUSE_IF((e->flags & ~HEM_VIRTUAL_FACES) != 0 || (i > 0 && e->part == e[-1].part && e->flags != e[-1].flags),
                  BAD_VALUE, VIRTUAL_EDGES, i, "flags");
        REFUSE_IF(!hemi_is_zero(e->reserved, sizeof e->reserved), BAD_VALUE, VIRTUAL_EDGES, i, "reserved");
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            if (e->lane_mask >> lane & 1u) {
                const hem_format_result r = check_edge(c, i, lane);
                if (r != HEM_FORMAT_OK) {
                    return r;
                }
                continue;
            }
            REFUSE_IF(e->a[lane] != 0 || e->b[lane] != 0 || e->wing[0][lane] != 0 || e->wing[1][lane] != 0, BAD_VALUE,
                      VIRTUAL_EDGES, i, "a");
            REFUSE_IF(e->link[lane] != HEM_VIRTUAL_NO_LINK, BAD_VALUE, VIRTUAL_EDGES, i, "link");
        }
    }
    return HEM_FORMAT_OK;
}
