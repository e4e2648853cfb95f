/*
 * L1 data cache: sectored, lines allocated on fill. Misses wait in MSHRs, which are
 * independent of the lines (streaming L1), so any number of lines may be outstanding.
 *
 * Local stores allocate the sectors that they write completely, so that spilled registers are read
 * back from L1. write_policy.h says what global stores do; write_back.c what modified lines do.
 */
#include "sim/sm/memory/memory_parts.h"

#include "sim/core/model_mem.h"
#include "sim/sm/memory/prefetcher.h"

void l1_init(sm_t *sm)
{
    const l1_spec_t *spec = &sm->config->l1;
    sm->memory.l1 = cache_create(spec->sets, l1_spec_ways(spec, 0), LINE_BYTES, spec->replacement,
                                 spec->hash_sets, spec->write == WRITE_POLICY_WRITE_BACK);
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

void l1_reset(sm_t *sm, uint32_t carveout, cycle_t now)
{
    const l1_spec_t *spec = &sm->config->l1;
    (void)memory_write_back(sm, now);
    cache_reset(sm->memory.l1, spec->sets, l1_spec_ways(spec, carveout));
}

/* Adds the sectors of an access to a counter, if it is a global access. */
static void count_global(const sm_t *sm, uint64_t *counter, uint8_t sectors)
{
    if (sm->memory.lsu.space == MEM_GLOBAL)
        *counter += (uint64_t)__builtin_popcount(sectors);
}

void sm_learn_l1(sm_t *sm, uint64_t line, uint8_t sectors, uint8_t full, bool store)
{
    if (!sm->begun)
        return;
    const cache_key_t key = cache_key_of(sm->memory.l1, line);
    cache_tag_t *held = cache_lookup_key(sm->memory.l1, key, !store);
    sm->memory.l1_request = (cache_request_t){0};
    if (store) {
        const policy_store_t what = {sectors, full, NULL};
        cache_line_t victim; /* samplers that leave out blocks refuse L1s with modified lines */
        (void)write_policy_store((write_policy_t)sm->config->l1.write, sm->memory.l1, key, held,
                                 &what, &victim);
    } else {
        l1_line_fill(sm, key, held == NULL, sectors, CYCLE_NEVER);
    }
    /* Misses in flight take a line that was absent for absent still. */
    mshr_t *miss = l1_mshr_find(sm, key);
    if (miss != NULL)
        miss->absent = false;
    sm->memory.lsu.absent = false;
}

/* The store in the unit writes its sectors of a line. Returns what blocks it. */
static l1_result_t store_line(sm_t *sm, const line_access_t *a, write_policy_t policy, cycle_t now)
{
    const policy_store_t what = {a->sectors, a->full, a->bytes};
    const cache_key_t key = cache_key_of(sm->memory.l1, a->line);
    /* The lookup is not a use of the line. */
    cache_tag_t *line = cache_lookup_key(sm->memory.l1, key, false);
    cache_line_t victim;
    if (policy == WRITE_POLICY_WRITE_BACK && line == NULL && l1_way_out(sm) != L1_DONE)
        return l1_way_out(sm); /* the victim may wait for it */
    count_global(sm, &sm->stats.global_store_hits, line == NULL ? 0 : a->sectors);
    if (policy != WRITE_POLICY_UPDATE &&
        write_policy_store(policy, sm->memory.l1, key, line, &what, &victim))
        write_back_put(sm, &victim, now);
    return L1_DONE;
}

/* Whether a write-back L1 keeps what the store in the unit writes. Not if others may wait for it: the
 * first store after a fence may be their flag. */
static bool keeps_store(const sm_t *sm)
{
    const mem_entry_t *e = &sm->memory.lsu.cur;
    if (sm->memory.write_back == NULL || cache_capacity(sm->memory.l1) == 0)
        return false;
    return sm->memory.lsu.space == MEM_LOCAL ||
           (sm->config->l1.enabled && !(e->inst->flags & INST_BYPASS_L1) && e->wait == 0);
}

/* Called before the access in the unit goes to the L2: writes back what it is to find there, so that the
 * access waits. drop: the L2 changes the data, and these sectors leave the L1. */
static bool settle(sm_t *sm, const line_access_t *a, bool drop, cycle_t now)
{
    if (sm->memory.write_back == NULL)
        return true;
    cache_tag_t *line = cache_lookup(sm->memory.l1, a->line, false);
    cache_line_t modified;
    const cache_written_t *w = line == NULL ? NULL : cache_written(sm->memory.l1, line);
    if (w != NULL && (w->dirty & a->sectors) != 0 && cache_clean(sm->memory.l1, line, &modified)) {
        write_back_put(sm, &modified, now);
        return false;
    }
    if (line != NULL && drop)
        cache_tag_drop(line, a->sectors);
    return true;
}

static l1_result_t store(sm_t *sm, const line_access_t *a, mem_op_t op, cycle_t now)
{
    const bool local = sm->memory.lsu.space == MEM_LOCAL;
    write_policy_t policy = local ? WRITE_POLICY_ALLOCATE : (write_policy_t)sm->config->l1.write;
    if (op == MEM_WRITE && keeps_store(sm))
        return store_line(sm, a, WRITE_POLICY_WRITE_BACK, now);
    l1_result_t way = l1_way_out(sm);
    if (way != L1_DONE)
        return way;
    if (!settle(sm, a, op != MEM_WRITE, now))
        return L1_NO_QUEUE;
    if (policy == WRITE_POLICY_WRITE_BACK)
        policy = WRITE_POLICY_UPDATE;
    if (op == MEM_WRITE)
        (void)store_line(sm, a, policy, now);
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
    if (!settle(sm, a, op == MEM_ATOMIC, now))
        return L1_NO_QUEUE;
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
