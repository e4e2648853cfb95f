/*
 * Blocks on an SM: start, barriers, memory barriers, end of warps, completion.
 *
 * A warp ends at the end of its instruction list (not at an EXIT). Its slot counts as drained until
 * its last load has completed and its last store has left the load/store unit, then as free of a
 * warp; the block is done, and reported to the block scheduler, when that holds for all its warps.
 * A launch also waits until the stores are acknowledged, of which the scheduler is told once for
 * all blocks that were reported before. That a block does not wait follows from RRZE gpu-benches on
 * a V100: with one warp on each SM blocks of one store follow each other every 362 cycles, of one
 * load every 744; their difference is a load from DRAM, not that less the way to the L2 and back.
 */
#include "sim/core/log.h"
#include "sim/sm/sm_internal.h"

static uint32_t block_slot_free(const sm_t *sm)
{
    for (uint32_t b = 0; b < sm->config->sm.max_blocks; b++) {
        if (sm->block[b].block == NULL)
            return b;
    }
    rb_panic("SM %u: the block scheduler sent more blocks than fit", sm->wiring.index);
}

static void block_report(sm_t *sm, uint32_t b, cycle_t now)
{
    block_slot_t *slot = &sm->block[b];
    msg_t m = {.arrival = now + sm->wiring.completion_latency,
               .kind = MSG_BLOCK_DONE,
               .input = (uint16_t)sm->wiring.index,
               .block = {.block = slot->block,
                         .launch = slot->launch,
                         .stores = sm->stores > 0 && !sm->stores_owed}};
    sm->stores_owed |= m.block.stores;
    if (recorded(sm, RETIRED_BLOCK))
        record_block(sm, b, now);
    if (sm->watched)
        watch_stay(sm, b, now);
    slot->block = NULL;
    engine_send(sm->outbox, sm->wiring.scheduler_shard, &m);
}

/* First message of a launch: what the last one left in L1 and the constant caches is stale. */
static void take_epoch(sm_t *sm, const launch_ctx_t *launch)
{
    int32_t newer = (int32_t)(launch->epoch - sm->epoch);
    if (newer <= 0 && sm->carveout == launch->carveout)
        return;
    sm->epoch = newer > 0 ? launch->epoch : sm->epoch;
    sm->code_base = launch->code_base;
    l1_reset(sm, launch->carveout);
    const_forget(sm);
}

/*
 * Sub-core of a block's first warp: the one with most free slots; its other warps follow in turn,
 * so that warp w of a block that starts on an empty SM runs on sub-core w mod 4.
 */
static uint32_t first_sub_core(const sm_t *sm)
{
    uint32_t best = 0;
    int most = -1;
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        int free_slots = __builtin_popcount(sm->sub[s].free_slots);
        if (free_slots > most) {
            most = free_slots;
            best = s;
        }
    }
    return best;
}

static uint32_t warp_slot_take(sm_t *sm, uint32_t sub_core)
{
    for (uint32_t i = 0; i < sm->n_sub_cores; i++) {
        uint32_t s = (sub_core + i) % sm->n_sub_cores;
        uint32_t free_slots = sm->sub[s].free_slots;
        if (free_slots != 0) {
            uint32_t bit = (uint32_t)__builtin_ctz(free_slots);
            sm->sub[s].free_slots &= free_slots - 1;
            return bit * sm->n_sub_cores + s;
        }
    }
    rb_panic("SM %u: the block scheduler sent more warps than fit", sm->wiring.index);
}

/* Its next instruction is its last. */
static void cut_warp(warp_t *warp)
{
    warp->runs_left = 0;
    warp->left = 0;
}

void sm_cut_warps(sm_t *sm, bool cut)
{
    sm->cut_warps = cut;
    for (uint32_t w = 0; cut && w < sm->n_warps; w++)
        cut_warp(&sm->warp[w]);
}

/* By the first instruction: all of a launch have control words or none does. */
static bool uses_control_words(const sm_t *sm, const inst_t *first)
{
    const sm_spec_t *spec = &sm->config->sm;
    if (spec->dependences == DEPS_SCOREBOARD || spec->ideal)
        return false;
    bool known = first->flags & INST_CONTROL_WORD;
    if (!known && spec->dependences == DEPS_CONTROL)
        rb_warn_once("sm.dependences=control, but the trace has no control words: dependences are "
                     "tracked by scoreboard");
    return known;
}

static void control_start(sm_t *sm, uint32_t w)
{
    control_reset(sm, w);
    operands_forget(&sm->sub[sm->warp[w].sub_core], w);
    if (sm->check != NULL)
        control_check_reset(sm, w);
}

static void warp_start(sm_t *sm, uint32_t w, uint32_t b, uint32_t index,
                       const warp_stream_t *stream, cycle_t now)
{
    warp_t *warp = &sm->warp[w];
    warp_charge(sm, warp, now);
    warp->run = stream->runs;
    warp->runs_left = stream->n_runs - 1;
    warp->inst = warp->run->first;
    warp->mask = warp->run->mask;
    warp->left = warp->run->count - 1u;
    warp->addr = stream->addrs;
    if (sm->cut_warps)
        cut_warp(warp);
    sm->sub[warp->sub_core].age[warp->place] = sm->next_age++;
    fetch_forget(warp);
    warp->base = now + sm->config->sm.block_start_latency;
    warp->base_state = STATE_NO_INSTRUCTION;
    warp->pred_ready = 0;
    warp->block = (uint16_t)b;
    warp->index = (uint16_t)index;
    warp->loads = 0;
    warp->control = uses_control_words(sm, warp->inst);
    if (warp->control)
        control_start(sm, w);
    else
        depend_reset(sm, w, now);
    warp_read_constant(sm, warp);
    if (sm->n_resident++ == 0)
        sm->active_since = now;
    sm->stats.warps++;
    if (sm->recorded != 0)
        record_warp_start(sm, w, now);
    warp_schedule(sm, w, now);
}

void block_start(sm_t *sm, const block_msg_t *m, cycle_t now)
{
    uint32_t b = block_slot_free(sm);
    block_slot_t *slot = &sm->block[b];
    const struct trace_block *block = m->block;
    take_epoch(sm, m->launch);
    *slot = (block_slot_t){.block = m->block, .launch = m->launch};
    for (uint32_t i = 0; i < block->n_warps; i++)
        slot->live += block->warps[i].n_runs > 0;
    slot->resident = slot->live;
    sm->block_since[b] = now;
    sm->stats.blocks++;
    uint32_t sub_core = first_sub_core(sm);
    for (uint32_t i = 0; i < block->n_warps; i++) {
        if (block->warps[i].n_runs > 0) {
            uint32_t w = warp_slot_take(sm, (sub_core + i) % sm->n_sub_cores);
            warp_start(sm, w, b, i, &block->warps[i], now);
        }
    }
    if (slot->resident == 0)
        block_report(sm, b, now); /* the trace has no instruction of this block */
}

static void barrier_release(sm_t *sm, uint32_t b, unsigned id, cycle_t now)
{
    block_slot_t *slot = &sm->block[b];
    slot->waiting -= slot->at_barrier[id];
    slot->at_barrier[id] = 0;
    sm->stats.barriers++;
    cycle_t released = now + 1;
    if (!sm->config->sm.ideal)
        released = cycle_max(now, slot->arrived) + sm->config->sm.barrier_latency;
    for (uint32_t w = 0; w < sm->n_warps; w++) {
        warp_t *warp = &sm->warp[w];
        if (warp->block == b && warp->park == PARK_BARRIER && warp->barrier == id) {
            warp->base = released;
            warp->base_state = STATE_BARRIER;
            warp_schedule(sm, w, now);
        }
    }
}

/*
 * A barrier is complete when every live warp has arrived. A trace does not tell for how many warps
 * a named barrier is meant: when all live warps wait at some barrier, the lowest one is released.
 */
static void barrier_check(sm_t *sm, uint32_t b, cycle_t now)
{
    block_slot_t *slot = &sm->block[b];
    if (slot->waiting == 0 || slot->waiting < slot->live)
        return;
    for (unsigned id = 0; id < SM_BARRIERS; id++) {
        if (slot->at_barrier[id] > 0) {
            barrier_release(sm, b, id, now);
            return;
        }
    }
}

void block_barrier_arrive(sm_t *sm, uint32_t w, unsigned id, cycle_t now)
{
    warp_t *warp = &sm->warp[w];
    block_slot_t *slot = &sm->block[warp->block];
    warp->barrier = (uint8_t)(id % SM_BARRIERS);
    slot->at_barrier[warp->barrier]++;
    slot->waiting++;
    /* One warp after another, of all blocks. */
    slot->arrived = cycle_max(now, sm->barrier_free) + sm->config->sm.barrier_interval;
    sm->barrier_free = slot->arrived;
    fetch_while_waiting(sm, w, now);
    warp_park(sm, w, PARK_BARRIER, STATE_BARRIER);
    barrier_check(sm, warp->block, now);
}

static void membar_release(sm_t *sm, uint32_t w, cycle_t now)
{
    warp_t *warp = &sm->warp[w];
    warp->base = cycle_max(warp->base, now + warp->membar_latency);
    warp->base_state = STATE_MEMBAR;
    warp_schedule(sm, w, now);
}

void block_membar(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now)
{
    const sm_spec_t *spec = &sm->config->sm;
    warp_t *warp = &sm->warp[w];
    if (spec->ideal)
        warp->membar_latency = 1;
    else if (inst->flags & INST_MEMBAR_SYS)
        warp->membar_latency = spec->membar_sys_latency;
    else if (inst->flags & INST_MEMBAR_GPU)
        warp->membar_latency = spec->membar_gpu_latency;
    else
        warp->membar_latency = spec->membar_cta_latency;
    if (warp->loads == 0 && warp->stores == 0) {
        membar_release(sm, w, now);
        return;
    }
    fetch_while_waiting(sm, w, now);
    warp_park(sm, w, PARK_MEMBAR, STATE_MEMBAR);
}

/* The slot of an ended warp with nothing outstanding is free. */
static void warp_release(sm_t *sm, uint32_t w, cycle_t now)
{
    warp_t *warp = &sm->warp[w];
    uint32_t b = warp->block;
    if (sm->recorded != 0)
        record_warp(sm, w, now);
    warp_charge(sm, warp, now);
    warp->state = STATE_NO_WARP;
    warp->block = NO_INDEX;
    warp->park = PARK_NOT;
    sm->sub[warp->sub_core].free_slots |= UINT32_C(1) << warp->place;
    if (--sm->n_resident == 0)
        sm->stats.active_cycles += now - sm->active_since;
    if (--sm->block[b].resident == 0)
        block_report(sm, b, now);
}

void block_warp_end(sm_t *sm, uint32_t w, cycle_t now)
{
    warp_t *warp = &sm->warp[w];
    uint32_t b = warp->block;
    warp_park(sm, w, PARK_EXITED, STATE_DRAIN);
    sm->block[b].live--;
    if (warp->loads == 0) {
        /* The cycle of its last issue is charged already. */
        warp_release(sm, w, now + 1);
    }
    if (sm->block[b].block != NULL)
        barrier_check(sm, b, now);
}

void block_memory_done(sm_t *sm, uint32_t w, cycle_t now)
{
    warp_t *warp = &sm->warp[w];
    if (warp->loads != 0)
        return;
    if (warp->park == PARK_EXITED) {
        warp_release(sm, w, now);
    } else if (warp->park == PARK_MEMBAR && warp->stores == 0) {
        warp_charge(sm, warp, now);
        membar_release(sm, w, now);
    }
}

void block_store_done(sm_t *sm, uint32_t w, cycle_t now)
{
    if (sm->stores == 0 && sm->stores_owed) {
        msg_t m = {.arrival = now + sm->wiring.completion_latency,
                   .kind = MSG_STORES_DONE,
                   .input = (uint16_t)sm->wiring.index};
        sm->stores_owed = false;
        engine_send(sm->outbox, sm->wiring.scheduler_shard, &m);
    }
    if (sm->warp[w].park == PARK_MEMBAR)
        block_memory_done(sm, w, now);
}
