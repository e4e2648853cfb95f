#include "sim/gpu/dispatch/placement.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sim/core/alloc.h"

sm_room_t placement_empty_sm(const gpu_spec_t *spec)
{
    const sm_spec_t *sm = &spec->sm.sm;
    const param_sizes_t *carveouts = &spec->sm.l1.carveouts;
    return (sm_room_t){.blocks = sm->max_blocks,
                       .warps = sm->max_warps,
                       .registers = sm->registers,
                       .shared = carveouts->n > 0 ? carveouts->v[carveouts->n - 1] : 0};
}

void placement_init(placement_t *p, uint32_t n_sms, const sm_room_t *total, uint32_t order)
{
    p->n_sms = n_sms;
    p->total = *total;
    p->room = rb_calloc(n_sms, sizeof(*p->room));
    p->order = rb_calloc(n_sms, sizeof(*p->order));
    p->place = rb_calloc(n_sms, sizeof(*p->place));
    p->fits = rb_calloc(n_sms, sizeof(*p->fits));
    p->kind = (block_need_t){0};
    for (uint32_t i = 0; i < n_sms; i++)
        p->room[i] = *total;
    const uint32_t stride = order == ORDER_LINEAR ? 1 : 2;
    uint32_t at = 0;
    for (uint32_t first = 0; first < stride; first++) {
        for (uint32_t i = first; i < n_sms; i += stride) {
            p->place[i] = at;
            p->order[at++] = i;
        }
    }
}

void placement_free(placement_t *p)
{
    free(p->room);
    free(p->order);
    free(p->place);
    free(p->fits);
}

block_need_t placement_need(const occupancy_t *o)
{
    return (block_need_t){.warps = o->warps_per_block,
                          .registers = o->warps_per_block * o->regs_per_warp,
                          .shared = o->shared_per_block,
                          .max_per_sm = o->blocks_per_sm};
}

uint32_t placement_room(const placement_t *p, uint32_t sm, const block_need_t *need)
{
    const sm_room_t *r = &p->room[sm];
    uint64_t room = r->blocks;
    if (r->warps / need->warps < room)
        room = r->warps / need->warps;
    if (need->registers > 0 && r->registers / need->registers < room)
        room = r->registers / need->registers;
    if (need->shared > 0 && r->shared / need->shared < room)
        room = r->shared / need->shared;
    if (need->max_per_sm < room)
        room = need->max_per_sm;
    return (uint32_t)room;
}

/* Updates `fits` after the room of an SM has changed. */
static void refit(placement_t *p, uint32_t sm)
{
    if (p->kind.warps > 0)
        p->fits[p->place[sm]] = placement_room(p, sm, &p->kind);
}

static bool same_kind(const block_need_t *a, const block_need_t *b)
{
    return a->warps == b->warps && a->registers == b->registers && a->shared == b->shared &&
           a->max_per_sm == b->max_per_sm;
}

int placement_pick(placement_t *p, const block_need_t *need)
{
    uint32_t best = 0, most = 0;
    if (!same_kind(need, &p->kind)) {
        p->kind = *need;
        for (uint32_t i = 0; i < p->n_sms; i++)
            refit(p, i);
    }
    for (uint32_t i = 0; i < p->n_sms; i++) {
        if (p->fits[i] > most) {
            most = p->fits[i];
            best = i;
        }
    }
    return most == 0 ? -1 : (int)p->order[best];
}

void placement_debit(placement_t *p, uint32_t sm, const block_need_t *need)
{
    sm_room_t *r = &p->room[sm];
    RB_INVARIANT(placement_room(p, sm, need) > 0, "block placed on SM %u without room", sm);
    r->blocks--;
    r->warps -= need->warps;
    r->registers -= need->registers;
    r->shared -= need->shared;
    refit(p, sm);
}

void placement_credit(placement_t *p, uint32_t sm, const block_need_t *need)
{
    sm_room_t *r = &p->room[sm];
    r->blocks++;
    r->warps += need->warps;
    r->registers += need->registers;
    r->shared += need->shared;
    RB_INVARIANT(r->blocks <= p->total.blocks && r->warps <= p->total.warps &&
                     r->registers <= p->total.registers && r->shared <= p->total.shared,
                 "SM %u: more room was given back than it has", sm);
    refit(p, sm);
}
