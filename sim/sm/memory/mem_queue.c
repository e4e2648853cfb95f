/*
 * The memory queues of the sub-cores, and the MIO, which takes one instruction at a time from them
 * in round-robin order.
 */
#include "sim/sm/memory/memory_parts.h"

#include "sim/core/model_mem.h"

void mem_queue_init(sm_t *sm)
{
    for (uint32_t s = 0; s < sm->n_sub_cores; s++)
        sm->memory.queue[s].entry = rb_model_calloc(sm->config->sm.mem_queue, sizeof(mem_entry_t));
}

void mem_queue_free(sm_t *sm)
{
    for (uint32_t s = 0; s < sm->n_sub_cores; s++)
        rb_model_free(sm->memory.queue[s].entry);
}

/* Host-side: prefetches an address record that is longer than one line of the host's cache. */
static void prefetch_addresses(const uint64_t *addr)
{
    enum { CACHE_LINE_WORDS = 8 };
    if (addr == NULL || addr_form(addr) == ADDR_AFFINE)
        return;
    for (size_t i = CACHE_LINE_WORDS; i < addr_words(addr); i += CACHE_LINE_WORDS)
        __builtin_prefetch(addr + i);
}

/* Whether a store is the first one after a fence. */
static uint32_t take_fence(warp_slot_t *slot, const inst_t *inst)
{
    const bool fenced = slot->fenced;
    if (inst->space == MEM_GLOBAL || inst->space == MEM_GENERIC)
        slot->fenced = false;
    return fenced;
}

cycle_t memory_take(sm_t *sm, uint32_t s, uint32_t w, const inst_t *inst, uint32_t mask,
                    const uint64_t *addr, cycle_t now)
{
    const sm_spec_t *spec = &sm->config->sm;
    mem_queue_t *q = &sm->memory.queue[s];
    lsu_t *u = &sm->memory.lsu;
    uint32_t behind = q->head + q->count;
    mem_entry_t *e = &q->entry[behind < spec->mem_queue ? behind : behind - spec->mem_queue];
    RB_INVARIANT(q->count < spec->mem_queue, "SM %u: memory queue overflows", sm->wiring.index);
    e->inst = inst;
    e->addr = addr;
    e->mask = mask;
    e->wait = inst->access == ACC_STORE ? take_fence(&sm->slot[w], inst) : sm->slot[w].wait;
    e->warp = (uint16_t)w;
    e->group = sm->slot[w].copy_group;
    e->sub_core = (uint8_t)s;
    e->accept_from = now + spec->mem_issue_latency;
    sm->slot[w].loads++;
    prefetch_addresses(addr);
    if (!u->busy) {
        cycle_t unit_free = cycle_max(u->next_accept, u->data_free);
        u->retry = cycle_min(u->retry, cycle_max(e->accept_from, unit_free));
    }
    if (++q->count == spec->mem_queue)
        return CYCLE_NEVER;
    return q->count + 1 == spec->mem_queue && q->leaves > now ? q->leaves : 0;
}

uint32_t mem_queue_address_extra(const sm_t *sm, const inst_t *inst)
{
    bool global = sm->cls[inst->cls].pipe == PIPE_LG;
    return global ? sm->config->sm.global_read_extra : 0;
}

/* The first cycle at which the oldest instruction of a queue can be taken. */
static cycle_t head_from(const sm_t *sm, const mem_queue_t *q)
{
    const mem_entry_t *head = &q->entry[q->head];
    cycle_t from = cycle_max(head->accept_from, q->free);
    return head->inst->cls == OP_TEX ? cycle_max(from, sm->memory.lsu.tex_free) : from;
}

bool mem_queue_accept(sm_t *sm, cycle_t now)
{
    lsu_t *u = &sm->memory.lsu;
    uint32_t depth = sm->config->sm.mem_queue, next = u->turn;
    for (uint32_t i = 0; i < sm->n_sub_cores; i++) {
        uint32_t s = next;
        next = s + 1 == sm->n_sub_cores ? 0 : s + 1;
        mem_queue_t *q = &sm->memory.queue[s];
        if (q->count == 0 || head_from(sm, q) > now)
            continue;
        u->cur = q->entry[q->head];
        q->head = q->head + 1 == depth ? 0 : q->head + 1;
        /* The queue entry is free when the address has been read. */
        q->leaves = now + mem_queue_address_extra(sm, u->cur.inst);
        if (q->count-- == depth)
            subcore_queue_opens(sm, s, q->leaves, now);
        /* The addresses of the next instruction are computed while this one waits; those of later
         * ones are not. */
        cycle_t ready = cycle_max(u->cur.accept_from, q->free);
        q->free = cycle_max(ready, q->taken) + sm->config->sm.mem_interval;
        q->taken = now;
        u->turn = next;
        u->next_accept = now + sm->config->sm.mio_interval;
        return true;
    }
    return false;
}

cycle_t mem_queue_next(const sm_t *sm)
{
    cycle_t next = CYCLE_NEVER;
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        const mem_queue_t *q = &sm->memory.queue[s];
        if (q->count > 0)
            next = cycle_min(next, head_from(sm, q));
    }
    return next;
}
