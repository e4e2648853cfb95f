/*
 * L1 data cache: sectored, write-through, lines allocated on fill; misses wait in MSHRs, which are
 * independent of the lines (streaming L1). Loads may have any number of lines outstanding.
 *
 * Local stores allocate the sectors they write in full, so that spilled registers are read back
 * from L1; global stores never allocate.
 */
#include "sim/sm/sm_internal.h"

#include <string.h>

#include "sim/core/model_mem.h"

/* Ways of the L1 that a carve-out leaves. */
static uint32_t l1_ways(const l1_spec_t *spec, uint64_t carveout)
{
    uint64_t left = spec->unified > carveout ? spec->unified - carveout : 0;
    return (uint32_t)((double)left * spec->scale / (LINE_BYTES * spec->sets));
}

void l1_init(sm_t *sm)
{
    const l1_spec_t *spec = &sm->config->l1;
    sm->l1_ways_max = l1_ways(spec, 0);
    sm->sector_flits = (SECTOR_BYTES + sm->wiring.flit_bytes - 1) / sm->wiring.flit_bytes;
    sm->l1 = cache_create(spec->sets, sm->l1_ways_max, LINE_BYTES, spec->replacement, false, false);
    sm->load = rb_model_calloc(spec->pending_loads, sizeof(*sm->load));
    sm->load_free = NO_INDEX;
    for (uint32_t i = spec->pending_loads; i-- > 0;) {
        sm->load[i].next_free = sm->load_free;
        sm->load_free = (uint16_t)i;
    }
    sm->mshr = rb_model_calloc(spec->mshrs, sizeof(*sm->mshr));
    for (uint32_t i = spec->mshrs; i-- > 0;) {
        sm->mshr[i].next_free = sm->mshr_free;
        sm->mshr_free = i + 1;
    }
    sm->prefetcher_word =
        rb_model_calloc(prefetcher_words[spec->prefetcher], sizeof(*sm->prefetcher_word));
    sm->mshr_bits = tag_table_bits(spec->mshrs);
    sm->mshr_table = rb_model_calloc((size_t)1 << sm->mshr_bits, sizeof(*sm->mshr_table));
}

void l1_free(sm_t *sm)
{
    cache_destroy(sm->l1);
    rb_model_free(sm->load);
    rb_model_free(sm->waiter);
    rb_model_free(sm->mshr);
    rb_model_free(sm->mshr_table);
    rb_model_free(sm->prefetcher_word);
}

void l1_reset(sm_t *sm, uint32_t carveout)
{
    const l1_spec_t *spec = &sm->config->l1;
    cache_reset(sm->l1, spec->sets, l1_ways(spec, carveout));
    sm->carveout = carveout;
}

/* L1_DONE: a packet can be sent; otherwise what it must wait for. */
static l1_result_t way_out(const sm_t *sm)
{
    if (l1_queue_full(sm))
        return L1_NO_QUEUE;
    return tlb_room(sm) ? L1_DONE : L1_NO_TLB;
}

static uint32_t data_flits(const sm_t *sm, uint8_t sectors)
{
    return (uint32_t)__builtin_popcount(sectors) * sm->sector_flits;
}

static void send(sm_t *sm, const line_access_t *a, mem_op_t op, uint8_t sectors, txn_kind_t kind,
                 uint32_t index, cycle_t now)
{
    mem_msg_t m = {.line = a->line,
                   .txn = txn_make(kind, index),
                   .op = (uint8_t)op,
                   .src = sm->lsu.space == MEM_LOCAL ? MEM_SRC_LOCAL : MEM_SRC_GLOBAL,
                   .sectors = sectors,
                   .full = a->full,
                   .lanes = a->lanes,
                   .conflict = a->conflict};
    memcpy(m.bytes, a->bytes, sizeof(m.bytes));
    uint32_t flits = op == MEM_READ ? 1 : data_flits(sm, sectors);
    tlb_send(sm, &m, flits, now + sm->config->l1.miss_latency);
}

/* The sectors of a line are there from now on; absent: it is known to have none so far. Returns its
 * tag. */
static cache_tag_t *line_fill(sm_t *sm, cache_key_t key, bool absent, uint8_t sectors)
{
    cache_tag_t *l = absent ? NULL : cache_lookup_key(sm->l1, key, true);
    if (l == NULL) {
        cache_line_t victim; /* never dirty: the L1 writes through */
        bool evicted;
        l = cache_insert_key(sm->l1, key, &victim, &evicted);
        cache_prefetch_victim_chunk(sm->l1, key); /* of the line to go next */
    }
    cache_tag_fill(l, sectors);
    return l;
}

/* Adds the sectors of an access to a counter that is of global accesses only. */
static void count_global(const sm_t *sm, uint64_t *counter, uint8_t sectors)
{
    if (sm->lsu.space != MEM_LOCAL)
        *counter += (uint64_t)__builtin_popcount(sectors);
}

/* What a store to global memory does to its sectors in the L1. The look leaves the order of
 * replacement as it is. */
static void store_global(sm_t *sm, const line_access_t *a)
{
    const cache_key_t key = cache_key_of(sm->l1, a->line);
    cache_tag_t *line = cache_lookup_key(sm->l1, key, false);
    const uint8_t held = line == NULL ? 0 : (uint8_t)(a->sectors & cache_tag_valid(line));
    sm->stats.global_store_hits += (uint64_t)__builtin_popcount(held);
    if (sm->config->l1.write == WRITE_POLICY_EVICT && held != 0)
        cache_tag_drop(line, held);
    if (sm->config->l1.write == WRITE_POLICY_ALLOCATE && a->full != 0)
        line_fill(sm, key, false, a->full);
}

static l1_result_t store(sm_t *sm, const line_access_t *a, mem_op_t op, cycle_t now)
{
    l1_result_t way = way_out(sm);
    if (way != L1_DONE)
        return way;
    if (op == MEM_WRITE && sm->lsu.space != MEM_LOCAL)
        store_global(sm, a);
    else if (op == MEM_WRITE && a->full != 0)
        line_fill(sm, cache_key_of(sm->l1, a->line), false, a->full);
    sm->warp[sm->lsu.cur.warp].stores++;
    sm->stores++;
    send(sm, a, op, a->sectors, TXN_STORE, sm->lsu.cur.warp, now);
    return L1_DONE;
}

uint16_t l1_load_new(sm_t *sm, uint32_t w, const inst_t *inst)
{
    uint16_t i = sm->load_free;
    if (i == NO_INDEX)
        return NO_INDEX;
    load_t *load = &sm->load[i];
    sm->load_free = load->next_free;
    memset(load, 0, sizeof(*load));
    load->inst = inst;
    load->warp = (uint16_t)w;
    load->issued = lsu_issued(sm, &sm->lsu.cur);
    return i;
}

/* The load entry of the instruction in the load/store unit, made at its first miss. */
static load_t *current_load(sm_t *sm)
{
    lsu_t *u = &sm->lsu;
    if (u->load == NO_INDEX)
        u->load = l1_load_new(sm, u->cur.warp, u->cur.inst);
    return u->load == NO_INDEX ? NULL : &sm->load[u->load];
}

/* Atomics and loads that do not look at L1: straight to L2. */
static l1_result_t bypass(sm_t *sm, const line_access_t *a, mem_op_t op, cycle_t now)
{
    l1_result_t way = way_out(sm);
    if (way != L1_DONE)
        return way;
    load_t *load = current_load(sm);
    if (load == NULL)
        return L1_NO_MSHR;
    load->remaining += (uint32_t)__builtin_popcount(a->sectors);
    send(sm, a, op, a->sectors, TXN_LOAD, sm->lsu.load, now);
    return L1_DONE;
}

static bool mshr_is(const void *mshrs, uint32_t i, uint64_t line)
{
    return ((const mshr_t *)mshrs)[i].key.line == line;
}

/* The entry of a line, NULL if it has none. */
static mshr_t *mshr_find(const sm_t *sm, cache_key_t key)
{
    uint32_t i = tag_table_find(sm->mshr_table, sm->mshr_bits, key.tag, key.line, mshr_is, sm->mshr,
                                UINT32_MAX);
    return i == UINT32_MAX ? NULL : &sm->mshr[i];
}

/* A new entry for a line that has none. absent: the L1 has nothing of it either. */
static mshr_t *mshr_new(sm_t *sm, cache_key_t key, bool absent)
{
    uint32_t i = sm->mshr_free;
    mshr_t *m = &sm->mshr[i - 1];
    sm->mshr_free = m->next_free;
    if (m->next_free != 0)
        __builtin_prefetch(&sm->mshr[m->next_free - 1], 1);
    /* Stores may fill lines, too. */
    bool fills = sm->lsu.space == MEM_LOCAL || sm->config->l1.write == WRITE_POLICY_ALLOCATE;
    *m = (mshr_t){.key = key, .absent = absent && !fills};
    tag_table_put(sm->mshr_table, sm->mshr_bits, key.tag, (uint16_t)(i - 1));
    return m;
}

static void mshr_release(sm_t *sm, mshr_t *m)
{
    uint32_t i = (uint32_t)(m - sm->mshr);
    tag_table_take(sm->mshr_table, sm->mshr_bits, m->key.tag, (uint16_t)i);
    m->next_free = sm->mshr_free;
    sm->mshr_free = i + 1;
}

static void waiter_add(sm_t *sm, mshr_t *m, uint16_t load, uint8_t sectors)
{
    if (m->n_waiters++ == 0) {
        m->load = load;
        m->sectors = sectors;
        return;
    }
    uint32_t i = sm->waiter_free;
    if (i == 0) {
        rb_model_grow(&sm->waiter, &sm->cap_waiter, sm->n_waiter + 1, sizeof(*sm->waiter));
        i = (uint32_t)++sm->n_waiter;
    } else {
        sm->waiter_free = sm->waiter[i - 1].next;
    }
    sm->waiter[i - 1] = (waiter_t){.next = m->waiters, .load = load, .sectors = sectors};
    m->waiters = i;
}

static void count_hits(sm_t *sm, uint8_t sectors)
{
    uint64_t hits = (uint64_t)__builtin_popcount(sectors);
    if (sm->lsu.space == MEM_LOCAL)
        sm->stats.local_load_hits += hits;
    else
        sm->stats.global_load_hits += hits;
}

/* What a load of a line that is neither here nor under way must wait for. */
static l1_result_t miss_blocked(const sm_t *sm)
{
    if (sm->mshr_free == 0)
        return L1_NO_MSHR;
    l1_result_t way = way_out(sm);
    if (way != L1_DONE)
        return way;
    return sm->lsu.load == NO_INDEX && sm->load_free == NO_INDEX ? L1_NO_MSHR : L1_DONE;
}

/* The sectors of a line that the current load waits for, of which those fresh are requested. */
static void load_waits(sm_t *sm, const line_access_t *a, mshr_t *m, uint8_t need, uint8_t fresh,
                       cycle_t now)
{
    current_load(sm)->remaining += (uint32_t)__builtin_popcount(need);
    waiter_add(sm, m, sm->lsu.load, need);
    if (fresh != 0) {
        m->pending |= fresh;
        send(sm, a, MEM_READ, fresh, TXN_MSHR, (uint32_t)(m - sm->mshr), now);
    }
}

/* A load has looked up a line, and goes on. */
static void tell_prefetcher(sm_t *sm, const line_access_t *a, bool missed, bool first_use,
                            cycle_t now)
{
    const mem_entry_t *e = &sm->lsu.cur;
    if (sm->config->l1.prefetcher == PREFETCHER_NONE || sm->lsu.space == MEM_LOCAL)
        return;
    sm->stats.l1_prefetches_used += first_use;
    const prefetch_event_t event = {.pc = sm->code_base + e->inst->pc,
                                    .line = a->line,
                                    .warp = e->warp,
                                    .missed = missed,
                                    .first_use = first_use};
    prefetcher_load(sm, &event, now);
}

void prefetch_line(sm_t *sm, uint64_t line, cycle_t now)
{
    const cache_key_t key = cache_key_of(sm->l1, line);
    const cache_tag_t *tag = cache_lookup_key(sm->l1, key, false);
    const uint8_t need = (uint8_t)(CACHE_TAG_VALID & ~(tag == NULL ? 0 : cache_tag_valid(tag)));
    if (need == 0 || mshr_find(sm, key) != NULL)
        return;
    if (sm->mshr_free == 0 || way_out(sm) != L1_DONE) {
        sm->stats.l1_prefetches_dropped++;
        return;
    }
    mshr_t *m = mshr_new(sm, key, tag == NULL);
    const line_access_t a = {.line = line, .sectors = need};
    m->prefetched = true;
    m->pending = need;
    sm->stats.l1_prefetches++;
    sm->stats.l1_prefetch_sectors += (uint64_t)__builtin_popcount(need);
    send(sm, &a, MEM_READ, need, TXN_MSHR, (uint32_t)(m - sm->mshr), now);
}

l1_result_t l1_absent_load(sm_t *sm, const line_access_t *a, cycle_t now)
{
    l1_result_t blocked = miss_blocked(sm);
    if (blocked != L1_DONE)
        return blocked;
    load_waits(sm, a, mshr_new(sm, sm->lsu.key, true), a->sectors, a->sectors, now);
    tell_prefetcher(sm, a, true, false, now);
    return L1_DONE;
}

/* Whether this is the first use of a line that was prefetched; from now on it is not. */
static bool take_mark(cache_tag_t *line)
{
    const bool marked = line != NULL && cache_tag_marked(line);
    if (marked)
        cache_tag_mark(line, false);
    return marked;
}

/* The same for one that is on its way. */
static bool take_prefetched(mshr_t *m)
{
    const bool prefetched = m->prefetched;
    m->prefetched = false;
    return prefetched;
}

static l1_result_t cached_load(sm_t *sm, const line_access_t *a, cycle_t now)
{
    const cache_key_t key = cache_key_of(sm->l1, a->line);
    cache_tag_t *line = cache_lookup_key(sm->l1, key, true);
    uint8_t have = line == NULL ? 0 : cache_tag_valid(line);
    uint8_t need = (uint8_t)(a->sectors & ~have);
    if (need == 0) {
        count_hits(sm, a->sectors);
        tell_prefetcher(sm, a, false, take_mark(line), now);
        return L1_DONE;
    }
    mshr_t *m = mshr_find(sm, key);
    if (m == NULL && line == NULL) {
        sm->lsu.absent = true;
        sm->lsu.key = key;
        return l1_absent_load(sm, a, now);
    }
    uint8_t fresh = (uint8_t)(m == NULL ? need : need & ~m->pending);
    if (m == NULL ? sm->mshr_free == 0 : m->n_waiters >= sm->config->l1.mshr_merge)
        return L1_NO_MSHR;
    l1_result_t way = fresh == 0 ? L1_DONE : way_out(sm);
    if (way != L1_DONE)
        return way;
    if (current_load(sm) == NULL)
        return L1_NO_MSHR;
    count_hits(sm, a->sectors & have);
    if (m == NULL)
        m = mshr_new(sm, key, false);
    else
        sm->stats.l1_mshr_merges++;
    count_global(sm, &sm->stats.global_load_pending, need & (uint8_t)~fresh);
    load_waits(sm, a, m, need, fresh, now);
    bool first_use = take_mark(line);
    first_use |= take_prefetched(m);
    tell_prefetcher(sm, a, fresh != 0, first_use, now);
    return L1_DONE;
}

l1_result_t l1_access(sm_t *sm, const line_access_t *a, cycle_t now)
{
    const l1_spec_t *spec = &sm->config->l1;
    const inst_t *inst = sm->lsu.cur.inst;
    bool local = sm->lsu.space == MEM_LOCAL;
    switch (inst->access) {
    case ACC_STORE:
        if (!spec->perfect)
            return store(sm, a, MEM_WRITE, now);
        count_global(sm, &sm->stats.global_store_hits, a->sectors);
        return L1_DONE;
    case ACC_REDUCTION:
        return store(sm, a, MEM_RED, now);
    case ACC_ATOMIC:
        return bypass(sm, a, MEM_ATOMIC, now);
    default:
        break;
    }
    if (spec->perfect) {
        count_hits(sm, a->sectors);
        return L1_DONE;
    }
    if (!local && (!spec->enabled || inst->flags & INST_BYPASS_L1))
        return bypass(sm, a, MEM_READ, now);
    return cached_load(sm, a, now);
}

void l1_write_back(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t issued, cycle_t cycle,
                   dep_kind_t kind, cycle_t now)
{
    if (recorded(sm, RETIRED_BASIC_BLOCK))
        record_latency(sm, inst, cycle - issued);
    if (!sm->warp[w].control)
        depend_set(sm, w, inst, cycle, kind);
    else if (results_wait(sm, w, inst, cycle, kind))
        return;
    else
        control_result(sm, w, ctl_write_barrier(inst->ctl), cycle, kind, now);
    l1_load_done(sm, w, now);
}

void l1_load_done(sm_t *sm, uint32_t w, cycle_t now)
{
    sm->warp[w].loads--;
    warp_unpark(sm, w, PARK_DEPEND, now);
    block_memory_done(sm, w, now);
}

void l1_load_finish(sm_t *sm, uint16_t load, cycle_t done, cycle_t now)
{
    load_t *l = &sm->load[load];
    uint32_t w = l->warp;
    const inst_t *inst = l->inst;
    cycle_t issued = l->issued;
    l->next_free = sm->load_free;
    sm->load_free = load;
    l1_write_back(sm, w, inst, issued, done, DEP_LONG, now);
    lsu_kick(sm, now);
}

/* Some sectors of a load are here. */
static void load_arrived(sm_t *sm, uint16_t load, uint8_t sectors, cycle_t now)
{
    load_t *l = &sm->load[load];
    l->done = cycle_max(l->done, now + sm->config->l1.fill_latency);
    l->remaining -= (uint32_t)__builtin_popcount(sectors);
    if (l->remaining == 0 && l->complete)
        l1_load_finish(sm, load, l->done, now);
}

static void fill(sm_t *sm, uint32_t index, const mem_msg_t *reply, cycle_t now)
{
    mshr_t *m = &sm->mshr[index];
    uint8_t got = reply->sectors & m->pending;
    cache_tag_t *tag = line_fill(sm, m->key, m->absent, got);
    if (m->prefetched)
        cache_tag_mark(tag, true);
    m->absent = false;
    m->pending &= (uint8_t)~got;
    uint32_t *link = &m->waiters;
    while (*link != 0) {
        uint32_t i = *link;
        waiter_t *wait = &sm->waiter[i - 1];
        uint8_t mine = wait->sectors & got;
        wait->sectors &= (uint8_t)~mine;
        uint16_t load = wait->load;
        if (wait->sectors == 0) {
            *link = wait->next;
            wait->next = sm->waiter_free;
            sm->waiter_free = i;
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
        mshr_release(sm, m);
    lsu_kick(sm, now);
}

/* What a lookup of this line in the cache (k: its key there) and among the misses reads first. */
static inline void line_prefetch(const sm_t *sm, cache_key_t k)
{
    cache_prefetch(sm->l1, k);
    __builtin_prefetch(&sm->mshr_table[tag_table_home(k.tag, sm->mshr_bits)]);
}

void l1_prefetch_line(const sm_t *sm, uint64_t line)
{
    line_prefetch(sm, cache_key_of(sm->l1, line));
}

void l1_prefetch_reply(const sm_t *sm, const msg_t *m)
{
    xbar_in_prefetch(&sm->in, m->input);
    if (txn_kind(m->mem.txn) != TXN_MSHR)
        return;
    const cache_key_t key = cache_key_of(sm->l1, m->mem.line);
    __builtin_prefetch(&sm->mshr[txn_index(m->mem.txn)]);
    line_prefetch(sm, key);
    cache_prefetch_victim(sm->l1, key);
}

void l1_prefetch_arrived(const sm_t *sm, const msg_t *m)
{
    if (txn_kind(m->mem.txn) == TXN_MSHR)
        __builtin_prefetch(&sm->load[sm->mshr[txn_index(m->mem.txn)].load]);
}

void l1_reply(sm_t *sm, const msg_t *msg, cycle_t now)
{
    const mem_msg_t *m = &msg->mem;
    uint32_t index = txn_index(m->txn);
    sm->stats.xbar_flits_in += msg->flits;
    switch (txn_kind(m->txn)) {
    case TXN_MSHR:
        fill(sm, index, m, now);
        break;
    case TXN_LOAD:
        load_arrived(sm, (uint16_t)index, m->sectors, now);
        break;
    case TXN_STORE:
        sm->warp[index].stores--;
        sm->stores--;
        block_store_done(sm, index, now);
        break;
    case TXN_FETCH:
        fetch_reply(sm, index, m->sectors, now);
        break;
    }
}
