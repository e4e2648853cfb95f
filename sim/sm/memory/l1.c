/*
 * L1 data cache: sectored, write-through, lines allocated on fill. Misses wait in MSHRs, which are
 * independent of the lines (streaming L1), so any number of lines may be outstanding.
 *
 * Local stores allocate the sectors that they write completely, so that spilled registers are read
 * back from L1. write_policy.h says what global stores do.
 */
#include "sim/sm/memory/memory_parts.h"

#include "sim/core/model_mem.h"
#include "sim/sm/memory/prefetcher.h"

void l1_init(sm_t *sm)
{
    const l1_spec_t *spec = &sm->config->l1;
    sm->memory.l1 = cache_create(spec->sets, l1_spec_ways(spec, 0), LINE_BYTES, spec->replacement,
                                 false, false);
    cache_keep_victims(sm->memory.l1, spec->victim_lines);
    cache_watch(sm->memory.l1, &sm->memory.l1_request);
    sm->memory.prefetcher_word =
        rb_model_calloc(prefetcher_words[spec->prefetcher], sizeof(*sm->memory.prefetcher_word));
}

void l1_free(sm_t *sm)
{
    cache_destroy(sm->memory.l1);
    rb_model_free(sm->memory.prefetcher_word);
}

void l1_reset(sm_t *sm, uint32_t carveout)
{
    const l1_spec_t *spec = &sm->config->l1;
    cache_reset(sm->memory.l1, spec->sets, l1_spec_ways(spec, carveout));
}

/* Adds the sectors of an access to a counter, if it is a global access. */
static void count_global(const sm_t *sm, uint64_t *counter, uint8_t sectors)
{
    if (sm->memory.lsu.space == MEM_GLOBAL)
        *counter += (uint64_t)__builtin_popcount(sectors);
}

/* Applies a store to global memory or a surface to the L1. The lookup does not count as a use of the line. */
static void store_global(sm_t *sm, const line_access_t *a)
{
    const cache_key_t key = cache_key_of(sm->memory.l1, a->line);
    cache_tag_t *line = cache_lookup_key(sm->memory.l1, key, false);
    const uint8_t held = line == NULL ? 0 : (uint8_t)(a->sectors & cache_tag_valid(line));
    count_global(sm, &sm->stats.global_store_hits, held);
    if (sm->config->l1.write == WRITE_POLICY_EVICT && held != 0)
        cache_tag_drop(line, held);
    if (sm->config->l1.write == WRITE_POLICY_ALLOCATE && a->full != 0)
        l1_line_fill(sm, key, false, a->full);
}

void sm_learn_l1(sm_t *sm, uint64_t line, uint8_t sectors, uint8_t full, bool store)
{
    if (!sm->begun)
        return;
    const cache_key_t key = cache_key_of(sm->memory.l1, line);
    cache_tag_t *held = cache_lookup_key(sm->memory.l1, key, !store);
    sm->memory.l1_request = (cache_request_t){0};
    if (store && sm->config->l1.write == WRITE_POLICY_EVICT && held != NULL)
        cache_tag_drop(held, sectors);
    if (store && (sm->config->l1.write != WRITE_POLICY_ALLOCATE || full == 0))
        return;
    l1_line_fill(sm, key, held == NULL, store ? full : sectors);
    /* Misses in flight take a line that was absent for absent still. */
    mshr_t *miss = l1_mshr_find(sm, key);
    if (miss != NULL)
        miss->absent = false;
    sm->memory.lsu.absent = false;
}

static l1_result_t store(sm_t *sm, const line_access_t *a, mem_op_t op, cycle_t now)
{
    l1_result_t way = l1_way_out(sm);
    if (way != L1_DONE)
        return way;
    if (op == MEM_WRITE && sm->memory.lsu.space != MEM_LOCAL)
        store_global(sm, a);
    else if (op == MEM_WRITE && a->full != 0)
        l1_line_fill(sm, cache_key_of(sm->memory.l1, a->line), false, a->full);
    sm_store_sent(sm, sm->memory.lsu.cur.warp);
    l1_send(sm, a, op, a->sectors, TXN_STORE,
            sm_store_index(sm, sm->memory.lsu.cur.warp) | sm->store_handle, now);
    return L1_DONE;
}

/* Atomics, and loads that bypass the L1: straight to L2. */
static l1_result_t bypass(sm_t *sm, const line_access_t *a, mem_op_t op, cycle_t now)
{
    l1_result_t way = l1_way_out(sm);
    if (way != L1_DONE)
        return way;
    load_t *load = l1_current_load(sm);
    if (load == NULL)
        return L1_NO_MSHR;
    load->remaining += (uint16_t)__builtin_popcount(a->sectors);
    l1_send(sm, a, op, a->sectors, TXN_LOAD, sm->memory.lsu.load, now);
    return L1_DONE;
}

static void count_hits(sm_t *sm, uint8_t sectors)
{
    sm_stats_t *st = &sm->stats;
    *counter_of((mem_space_t)sm->memory.lsu.space, &st->global_load_hits, &st->local_load_hits,
                &st->texture_hits) += (uint64_t)__builtin_popcount(sectors);
}

/* Counts sectors that are already on their way. */
static void count_pending(sm_t *sm, uint8_t sectors)
{
    count_global(sm, &sm->stats.global_load_pending, sectors);
    if (sm->memory.lsu.space == MEM_TEX)
        sm->stats.texture_pending += (uint64_t)__builtin_popcount(sectors);
}

/* Makes the current load wait for sectors of a line; requests those that are fresh. */
static void load_waits(sm_t *sm, const line_access_t *a, mshr_t *m, uint8_t need, uint8_t fresh,
                       cycle_t now)
{
    l1_current_load(sm)->remaining += (uint16_t)__builtin_popcount(need);
    l1_waiter_add(sm, m, sm->memory.lsu.load, need);
    if (fresh != 0) {
        m->pending |= fresh;
        l1_send(sm, a, MEM_READ, fresh, TXN_MSHR, (uint32_t)(m - sm->memory.mshr), now);
    }
}

/* Tells the prefetcher that a load has looked up a line and was not blocked. */
static void tell_prefetcher(sm_t *sm, const line_access_t *a, bool missed, bool first_use,
                            cycle_t now)
{
    const mem_entry_t *e = &sm->memory.lsu.cur;
    if (sm->config->l1.prefetcher == PREFETCHER_NONE || sm->memory.lsu.space != MEM_GLOBAL)
        return;
    sm->stats.l1_prefetches_used += first_use;
    const prefetch_event_t event = {.pc = sm->code_base + e->inst->pc,
                                    .line = a->line,
                                    .warp = e->warp,
                                    .missed = missed,
                                    .first_use = first_use};
    prefetcher_load(sm, &event, now);
}

l1_result_t l1_absent_load(sm_t *sm, const line_access_t *a, cycle_t now)
{
    l1_result_t blocked = l1_miss_blocked(sm);
    if (blocked != L1_DONE)
        return blocked;
    load_waits(sm, a, l1_mshr_new(sm, sm->memory.lsu.key, true), a->sectors, a->sectors, now);
    tell_prefetcher(sm, a, true, false, now);
    return L1_DONE;
}

/* Whether this is the first use of a prefetched line; clears the mark. */
static bool take_mark(cache_tag_t *line)
{
    const bool marked = line != NULL && cache_tag_marked(line);
    if (marked)
        cache_tag_mark(line, false);
    return marked;
}

/* The same for a line that is still on its way. */
static bool take_prefetched(mshr_t *m)
{
    const bool prefetched = m->prefetched;
    m->prefetched = false;
    return prefetched;
}

static l1_result_t cached_load(sm_t *sm, const line_access_t *a, cycle_t now)
{
    const cache_key_t key = cache_key_of(sm->memory.l1, a->line);
    cache_tag_t *line = cache_lookup_key(sm->memory.l1, key, true);
    uint8_t have = line == NULL ? 0 : cache_tag_valid(line);
    uint8_t need = (uint8_t)(a->sectors & ~have);
    if (need == 0) {
        count_hits(sm, a->sectors);
        tell_prefetcher(sm, a, false, take_mark(line), now);
        return L1_DONE;
    }
    mshr_t *m = l1_mshr_find(sm, key);
    if (m == NULL && line == NULL) {
        sm->memory.lsu.absent = true;
        sm->memory.lsu.key = key;
        return l1_absent_load(sm, a, now);
    }
    uint8_t fresh = (uint8_t)(m == NULL ? need : need & ~m->pending);
    if (m == NULL ? sm->memory.mshr_free == 0 : m->n_waiters >= sm->config->l1.mshr_merge)
        return L1_NO_MSHR;
    l1_result_t way = fresh == 0 ? L1_DONE : l1_way_out(sm);
    if (way != L1_DONE)
        return way;
    if (l1_current_load(sm) == NULL)
        return L1_NO_MSHR;
    count_hits(sm, a->sectors & have);
    if (m == NULL)
        m = l1_mshr_new(sm, key, false);
    else
        sm->stats.l1_mshr_merges++;
    count_pending(sm, need & (uint8_t)~fresh);
    load_waits(sm, a, m, need, fresh, now);
    bool first_use = take_mark(line);
    first_use |= take_prefetched(m);
    tell_prefetcher(sm, a, fresh != 0, first_use, now);
    return L1_DONE;
}

l1_result_t l1_access(sm_t *sm, const line_access_t *a, cycle_t now)
{
    const l1_spec_t *spec = &sm->config->l1;
    const inst_t *inst = sm->memory.lsu.cur.inst;
    bool local = sm->memory.lsu.space == MEM_LOCAL;
    sm->memory.l1_request =
        (cache_request_t){.pc = (uint32_t)(sm->code_base + inst->pc),
                          .warp = sm->memory.lsu.cur.warp,
                          .kind = inst->access == ACC_LOAD ? CACHE_BY_READ : CACHE_BY_WRITE};
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
