/* Replies to the L1: sectors fill lines, and loads complete. */
#include "sim/sm/by_launch.h"
#include "sim/sm/memory/memory_parts.h"

cache_tag_t *l1_line_fill(sm_t *sm, cache_key_t key, bool absent, uint8_t sectors, cycle_t now)
{
    cache_tag_t *l = absent ? NULL : cache_lookup_key(sm->memory.l1, key, true);
    if (l == NULL) {
        cache_line_t victim;
        bool evicted;
        l = cache_insert_key(sm->memory.l1, key, &victim, &evicted);
        if (evicted)
            write_back_put(sm, &victim, now);
        cache_prefetch_victim_chunk(sm->memory.l1, key); /* of the next victim */
    }
    cache_fill_sectors(sm->memory.l1, l, sectors);
    return l;
}

void l1_load_finish(sm_t *sm, uint16_t load, cycle_t done, cycle_t now)
{
    load_t *l = &sm->memory.load[load];
    uint32_t w = l->warp;
    const inst_t *inst = l->inst;
    cycle_t issued = l->issued;
    const uint16_t passes = l->copy_passes;
    l->next_free = sm->memory.load_free;
    sm->memory.load_free = load;
    if (inst->flags & INST_TO_SHARED)
        sm_copied(sm, w, inst, l->group, issued, done + copy_write(sm, w, passes, now), now);
    else
        sm_result(sm, w, inst, issued, done, DEP_LONG, now);
    lsu_kick(sm, now);
}

/* Some sectors of a load have arrived. */
static void load_arrived(sm_t *sm, uint16_t load, uint8_t sectors, cycle_t now)
{
    load_t *l = &sm->memory.load[load];
    l->done = cycle_max(l->done, now + sm->config->l1.fill_latency + copy_longer(sm, l->inst) +
                                     texture_longer(sm, l->inst));
    l->remaining -= (uint16_t)__builtin_popcount(sectors);
    if (l->remaining == 0 && l->complete)
        l1_load_finish(sm, load, l->done, now);
}

/* Tells the L1 that data of a miss arrive. A line that only a prefetcher asked for has no instruction. */
static void note_fill(sm_t *sm, const mshr_t *m)
{
    cache_request_t r = {.kind = CACHE_BY_READ, .prefetched = m->prefetched, .fill = true};
    if (m->sectors != 0) {
        const load_t *oldest = &sm->memory.load[m->load];
        r.pc = (uint32_t)(sm->code_base + oldest->inst->pc);
        r.warp = oldest->warp;
    }
    sm->memory.l1_request = r;
}

void l1_fill(sm_t *sm, const mem_msg_t *reply, cycle_t now)
{
    const uint32_t index = txn_index(reply->txn);
    mshr_t *m = &sm->memory.mshr[index];
    uint8_t got = reply->sectors & m->pending;
    note_fill(sm, m);
    by_launch_line(sm, index);
    cache_tag_t *tag = l1_line_fill(sm, m->key, m->absent, got, now);
    if (m->prefetched)
        cache_tag_mark(tag, true);
    l1_occupy(sm, now);
    m->absent = false;
    m->pending &= (uint8_t)~got;
    uint32_t *link = &m->waiters;
    while (*link != 0) {
        uint32_t i = *link;
        waiter_t *wait = &sm->memory.waiter[i - 1];
        uint8_t mine = wait->sectors & got;
        wait->sectors &= (uint8_t)~mine;
        uint16_t load = wait->load;
        if (wait->sectors == 0) {
            *link = wait->next;
            wait->next = sm->memory.waiter_free;
            sm->memory.waiter_free = i;
            m->n_waiters--;
        } else {
            link = &wait->next;
        }
        if (mine != 0)
            load_arrived(sm, load, mine, now);
    }
    uint8_t mine = m->sectors & got;
    m->sectors &= (uint8_t)~mine;
    if (mine != 0 && m->sectors == 0)
        m->n_waiters--;
    if (mine != 0)
        load_arrived(sm, m->load, mine, now);
    if (m->pending == 0)
        l1_mshr_release(sm, m);
    lsu_kick(sm, now);
}

/* Prefetches what a lookup of this line reads first in the cache (k: its key) and in the MSHR
 * table. */
static inline void line_prefetch(const sm_t *sm, cache_key_t k)
{
    cache_prefetch(sm->memory.l1, k);
    __builtin_prefetch(&sm->memory.mshr_table[tag_table_home(k.tag, sm->memory.mshr_chunks)]);
}

void l1_prefetch_line(const sm_t *sm, uint64_t line)
{
    line_prefetch(sm, cache_key_of(sm->memory.l1, line));
}

void l1_prefetch_reply(const sm_t *sm, const mem_msg_t *m)
{
    const cache_key_t key = cache_key_of(sm->memory.l1, m->line);
    __builtin_prefetch(&sm->memory.mshr[txn_index(m->txn)]);
    line_prefetch(sm, key);
    cache_prefetch_victim(sm->memory.l1, key);
}

void l1_prefetch_arrived(const sm_t *sm, const mem_msg_t *m)
{
    __builtin_prefetch(&sm->memory.load[sm->memory.mshr[txn_index(m->txn)].load]);
}

void l1_answer(sm_t *sm, const mem_msg_t *m, cycle_t now)
{
    const uint16_t load = (uint16_t)txn_index(m->txn);
    if (m->txn & MEM_TXN_NOT_YET)
        sm_poll_failed(sm, sm->memory.load[load].warp);
    load_arrived(sm, load, m->sectors, now);
}
