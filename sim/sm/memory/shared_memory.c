/* Shared memory: bank conflicts and atomics. */
#include "sim/sm/memory/memory_parts.h"

enum { SHARED_WINDOW = 1 << 24 };

/* Passes through the banks. */
static unsigned passes_of(sm_t *sm, const mem_entry_t *e, const lane_addrs_t *lanes,
                          pass_mode_t mode, unsigned *ideal)
{
    const unsigned banks = sm->config->shared.banks;
    return coalesce_bank_passes(lanes, e->mask, e->inst->width, banks, mode, ideal);
}

/* passes_of() for loads and stores, whose addresses are not needed otherwise. */
static unsigned find_passes(sm_t *sm, const mem_entry_t *e, unsigned *ideal)
{
    const bool load = e->inst->access == ACC_LOAD;
    pattern_key_t key;
    lane_addrs_t lanes;
    bool kept = sm->memory.pattern != NULL &&
                pattern_key(e->addr, e->mask, e->inst->width,
                            load ? PATTERN_SHARED_LOAD : PATTERN_SHARED_STORE, &key);
    const pattern_t *p = kept ? pattern_find(sm->memory.pattern, &key) : NULL;
    if (p != NULL) {
        *ideal = p->ideal;
        return p->passes;
    }
    coalesce_decode(e->addr, e->inst->width, &lanes);
    unsigned passes = passes_of(sm, e, &lanes, load ? PASS_PAIRS : PASS_GROUPS, ideal);
    if (kept)
        pattern_note(sm->memory.pattern, &key, passes, *ideal, NULL);
    return passes;
}

/* How many threads an atomic serves one after another on one word, beyond the first. Lanes that only count
 * are added up before (bench/card on an H200: rate_shared_increment). */
static unsigned further_on_a_word(const mem_entry_t *e, lane_addrs_t *lanes)
{
    const bool counts = e->inst->flags & INST_INCREMENT && e->inst->n_dst == 0;

    return e->addr == NULL || counts ? 0 : coalesce_word_conflict(lanes, e->inst->width) - 1;
}

/* In a launch in which warps wait for what others write: counts writes, and looks whether what is
 * polled has been written. */
static void watch(sm_t *sm, const mem_entry_t *e)
{
    const uint32_t b = sm->slot[e->warp].block, wait = e->inst->access == ACC_STORE ? 0 : e->wait;
    const trace_block_t *block = sm->block[b].block;
    word_counts_t *counts = &sm->written[b];
    const uint64_t base = sm->block[b].launch->shared_base;
    lane_addrs_t lanes;
    if (wait != 0 && !word_counts_fulfil(counts, block, wait, base, base + SHARED_WINDOW)) {
        sm_poll_failed(sm, e->warp);
        return;
    }
    if (e->inst->access == ACC_LOAD || e->addr == NULL)
        return;
    coalesce_decode(e->addr, e->inst->width, &lanes);
    coalesce_lanes(&lanes, e->inst->width);
    for (unsigned k = 0; k < e->inst->width; k += 4)
        for (unsigned i = 0; i < lanes.n; i++) {
            bool before = false;
            for (unsigned j = 0; j < i && !before; j++)
                before = (lanes.addr[j] ^ lanes.addr[i]) >> 2 == 0;
            if (!before)
                word_counts_write(counts, block, wait, lanes.addr[i] + k);
        }
}

void shared_step(sm_t *sm, const mem_entry_t *e, cycle_t now)
{
    const shared_spec_t *spec = &sm->config->shared;
    const inst_t *inst = e->inst;
    unsigned ideal = 1, passes = 1;
    const bool atomic = inst->access == ACC_ATOMIC || inst->access == ACC_REDUCTION;
    lane_addrs_t lanes;
    if (sm->slot[e->warp].watch & WATCH_SHARED)
        watch(sm, e);
    if (e->addr != NULL && atomic) {
        coalesce_decode(e->addr, inst->width, &lanes);
        passes = passes_of(sm, e, &lanes, PASS_GROUPS, &ideal);
    } else if (e->addr != NULL) {
        passes = find_passes(sm, e, &ideal);
    }
    sm->stats.shared_wavefronts += passes;
    sm->stats.shared_conflicts += passes - ideal;
    cycle_t latency =
        spec->latency + (passes - ideal) * spec->conflict_latency + (ideal > 2 ? ideal - 2 : 0);
    cycle_t busy =
        cycle_max(pass_time(passes, e->mask, spec->pass_cycles), sm->memory.lsu.address_cycles);
    if (atomic) {
        const unsigned further = further_on_a_word(e, &lanes);
        latency = spec->atomic_latency + further * spec->atomic_conflict;
        busy += further * (cycle_t)spec->atomic_pass;
        sm->stats.shared_atomic_requests++;
    } else if (inst->access == ACC_STORE) {
        sm->stats.shared_store_requests++;
    } else {
        sm->stats.shared_load_requests++;
    }
    lsu_occupy(sm, now, busy);
    sm_result(sm, e->warp, inst, lsu_issued(sm, e),
              now + latency - sm->config->sm.mem_issue_latency, DEP_SHORT, now);
}
