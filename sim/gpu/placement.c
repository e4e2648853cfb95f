#include "sim/gpu/placement.h"

#include <stdlib.h>

#include "sim/core/alloc.h"

void placement_init(placement_t *p, uint32_t n_sms, const sm_room_t *total, uint32_t order)
{
    p->n_sms = n_sms;
    p->total = *total;
    p->room = rb_calloc(n_sms, sizeof(*p->room));
    p->order = rb_calloc(n_sms, sizeof(*p->order));
    for (uint32_t i = 0; i < n_sms; i++)
        p->room[i] = *total;
    if (order == ORDER_LINEAR) {
        for (uint32_t i = 0; i < n_sms; i++)
            p->order[i] = i;
        return;
    }
    uint32_t at = 0;
    for (uint32_t parity = 0; parity < 2; parity++) {
        for (uint32_t i = parity; i < n_sms; i += 2)
            p->order[at++] = i;
    }
}

void placement_free(placement_t *p)
{
    free(p->room);
    free(p->order);
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

int placement_pick(const placement_t *p, const block_need_t *need)
{
    int best = -1;
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->n_sms; i++) {
        uint32_t room = placement_room(p, p->order[i], need);
        if (room > most) {
            most = room;
            best = (int)p->order[i];
        }
    }
    return best;
}

void placement_debit(placement_t *p, uint32_t sm, const block_need_t *need)
{
    sm_room_t *r = &p->room[sm];
    RB_INVARIANT(placement_room(p, sm, need) > 0, "block placed on SM %u without room", sm);
    r->blocks--;
    r->warps -= need->warps;
    r->registers -= need->registers;
    r->shared -= need->shared;
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
                 "SM %u has more room than it has", sm);
}
