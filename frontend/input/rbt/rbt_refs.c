#include "frontend/input/rbt/rbt_refs.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

void rbt_refs_free(rbt_refs_t *r)
{
    free(r->slots);
    free(r->lanes);
    free(r->refs);
    free(r->slot_of);
    free(r->stamp_of);
    *r = (rbt_refs_t){0};
}

void rbt_refs_reset(rbt_refs_t *r, size_t n_code)
{
    r->n_slots = r->n_lanes = r->n_refs = 0;
    r->stamp++;
    if (n_code > r->n_code || r->stamp == 0) {
        free(r->slot_of);
        free(r->stamp_of);
        r->n_code = n_code > r->n_code ? n_code : r->n_code;
        r->slot_of = rb_calloc(r->n_code, sizeof(*r->slot_of));
        r->stamp_of = rb_calloc(r->n_code, sizeof(*r->stamp_of));
        r->stamp = 1;
    }
}

uint32_t rbt_refs_slot(rbt_refs_t *r, uint32_t inst)
{
    if (r->stamp_of[inst] != r->stamp) {
        rb_grow(&r->slots, &r->cap_slots, r->n_slots + 1, sizeof(r->slots[0]));
        r->slots[r->n_slots] = (rbt_slot_t){.last = {.lanes = RBT_NO_LANES, .affine = true}};
        r->stamp_of[inst] = r->stamp;
        r->slot_of[inst] = (uint32_t)r->n_slots++;
    }
    return r->slot_of[inst];
}

size_t rbt_refs_add(rbt_refs_t *r, size_t n)
{
    size_t at = r->n_refs;

    rb_grow(&r->refs, &r->cap_refs, at + n, sizeof(r->refs[0]));
    for (size_t i = 0; i < n; i++)
        r->refs[at + i] = (rbt_ref_t){.lanes = RBT_NO_LANES, .affine = true};
    r->n_refs += n;
    return at;
}

int32_t rbt_refs_add_lanes(rbt_refs_t *r)
{
    rb_grow(&r->lanes, &r->cap_lanes, r->n_lanes + 1, sizeof(r->lanes[0]));
    r->lanes[r->n_lanes].n_words = 0;
    return (int32_t)r->n_lanes++;
}
