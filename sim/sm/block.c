/*
 * Blocks on an SM: start, barriers, memory barriers, end of warps, completion.
 *
 * A warp ends at the end of its instruction list (not at an EXIT). Its slot stays occupied until
 * its last load has completed and its last store has left the load/store unit. When all warps of a
 * block have left, the block is done and the block scheduler is told.
 *
 * A launch also waits until its stores are acknowledged; the scheduler gets one message about that
 * for all blocks of the launch reported before. A block does not wait for its stores: on a V100 with one warp per
 * SM, blocks of one store follow each other every 362 cycles, blocks of one load every 744 (RRZE
 * gpu-benches). The difference is a whole load from DRAM.
 */
#include "sim/core/log.h"
#include "sim/sm/by_launch.h"
#include "sim/sm/landing.h"
#include "sim/sm/memory/memory.h"
#include "sim/sm/subcore/subcore.h"
#include "sim/sm/supply/supply.h"

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
    const uint32_t launch = slot->launch->index;
    msg_t m = {.arrival = now + sm->wiring.completion_latency,
               .kind = MSG_BLOCK_DONE,
               .input = (uint16_t)sm->wiring.index,
               .block = {.block = slot->block,
                         .launch = slot->launch,
                         .stores = sm->stores[launch] > 0 && !sm->stores_owed[launch]}};
    sm->stores_owed[launch] |= m.block.stores;
    if (recorded(sm, RETIRED_BLOCK))
        record_block(sm, b, now);
    if (sm->watched)
        watch_stay(sm, b, now);
    slot->block = NULL;
    engine_send(sm->outbox, sm->wiring.scheduler_shard, &m);
}

static uint32_t slot_take(sm_t *sm, uint32_t sub_core)
{
    uint32_t w = warp_slot_take(sm, sub_core);
    RB_INVARIANT(w != NO_INDEX, "SM %u: the block scheduler sent more warps than fit",
                 sm->wiring.index);
    return w;
}

static void warp_start(sm_t *sm, uint32_t w, uint32_t b, uint32_t index,
                       const warp_stream_t *stream, cycle_t now)
{
    sm->slot[w].block = (uint16_t)b;
    sm->slot[w].index = (uint16_t)index;
    sm->slot[w].loads = 0;
    sm->slot[w].launch = sm->block[b].launch->index;
    sm->slot[w].watch = sm->block[b].launch->waits ? (uint8_t)sm->block[b].block->watch : 0;
    sm->slot[w].wait = 0;
    sm->slot[w].fenced = false;
    supply_warp_start(sm, w, sm->block[b].launch);
    warp_slot_fill(sm, w, stream, now);
    by_launch_warp(sm, w);
    if (sm->by_launch != NULL)
        by_launch_start(sm, sm->counted, now);
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
    *slot = (block_slot_t){.block = m->block, .launch = m->launch};
    word_counts_free(&sm->written[b]);
    for (uint32_t i = 0; i < block->n_warps; i++)
        slot->live += stream_first(&block->warps[i]);
    slot->resident = slot->live;
    sm->block_since[b] = now;
    if (sm->by_launch != NULL) {
        sm->by_launch->tag_of[m->launch->index] = m->launch->tag;
        by_launch_to(sm, m->launch->tag);
    }
    sm->stats.blocks++;
    uint32_t sub_core = warp_slot_best(sm, b);
    for (uint32_t i = 0; i < block->n_warps; i++) {
        if (block->warps[i].n_runs > 0) {
            uint32_t w = slot_take(sm, (sub_core + i) % sm->n_sub_cores);
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
    if (sm->by_launch != NULL)
        by_launch_to(sm, slot->launch->tag);
    sm->stats.barriers++;
    cycle_t released = now + 1;
    if (!sm->config->sm.ideal)
        released = cycle_max(now, slot->arrived) + sm->config->sm.barrier_latency;
    for (uint32_t w = 0; w < sm->n_warps; w++) {
        const warp_slot_t *slot_w = &sm->slot[w];
        if (slot_w->block == b && slot_w->barrier == id && warp_parked(sm, w) == PARK_BARRIER)
            warp_resume(sm, w, released, STATE_BARRIER, now);
    }
}

/* A barrier is complete when every live warp has arrived. A trace does not say how many warps a
 * named barrier expects: when all live warps wait at some barrier, the one with the lowest id is
 * released. */
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
    warp_slot_t *warp = &sm->slot[w];
    block_slot_t *slot = &sm->block[warp->block];
    warp->barrier = (uint8_t)(id % SM_BARRIERS);
    slot->at_barrier[warp->barrier]++;
    slot->waiting++;
    /* The SM takes one arriving warp at a time, from all its blocks. */
    slot->arrived = cycle_max(now, sm->barrier_free) + sm->config->sm.barrier_interval;
    sm->barrier_free = slot->arrived;
    warp_wait(sm, w, PARK_BARRIER, STATE_BARRIER, now);
    barrier_check(sm, warp->block, now);
}

static void membar_release(sm_t *sm, uint32_t w, cycle_t now)
{
    cycle_t released = cycle_max(warp_base(sm, w), now + sm->slot[w].membar_latency);
    warp_resume(sm, w, released, STATE_MEMBAR, now);
}

/* Whether a memory barrier of warp w has nothing to wait for. One of GPU scope begins to write back when
 * the warp's own stores are in the L1. */
static __attribute__((noinline)) bool membar_done(sm_t *sm, uint32_t w, cycle_t now)
{
    warp_slot_t *warp = &sm->slot[w];
    if (warp->loads != 0)
        return false;
    if (warp->releases) {
        warp->releases = false;
        by_launch_warp(sm, w);
        warp->ticket = memory_write_back(sm, now);
    }
    return warp->stores == 0 && memory_written_back(sm, warp->ticket);
}

void block_membar(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now)
{
    const sm_spec_t *spec = &sm->config->sm;
    warp_slot_t *warp = &sm->slot[w];
    warp->fenced = warp->fenced || (inst->flags & INST_MEMBAR_GPU) != 0;
    if (spec->ideal)
        warp->membar_latency = 1;
    else if (inst->flags & INST_MEMBAR_SYS)
        warp->membar_latency = spec->membar_sys_latency;
    else if (inst->flags & INST_MEMBAR_GPU)
        warp->membar_latency = spec->membar_gpu_latency;
    else
        warp->membar_latency = spec->membar_cta_latency;
    warp->releases = (inst->flags & INST_MEMBAR_GPU) != 0;
    if (membar_done(sm, w, now)) {
        membar_release(sm, w, now);
        return;
    }
    warp_wait(sm, w, PARK_MEMBAR, STATE_MEMBAR, now);
}

/* Frees the slot of an ended warp with nothing outstanding. */
static void warp_release(sm_t *sm, uint32_t w, cycle_t now)
{
    uint32_t b = sm->slot[w].block;
    if (sm->recorded != 0)
        record_warp(sm, w, now);
    sm->slot[w].block = NO_INDEX;
    warp_slot_free(sm, w, now);
    if (sm->by_launch != NULL)
        by_launch_leave(sm, by_launch_tag(sm, w), now);
    if (--sm->n_resident == 0 && sm->by_launch == NULL)
        sm->stats.active_cycles += now - sm->active_since;
    if (--sm->block[b].resident == 0)
        block_report(sm, b, now);
}

void block_warp_end(sm_t *sm, uint32_t w, cycle_t now)
{
    const warp_slot_t *warp = &sm->slot[w];
    uint32_t b = warp->block;
    warp_park(sm, w, PARK_EXITED, STATE_DRAIN);
    sm->block[b].live--;
    if (warp->loads == 0) {
        /* The cycle of its last issue is already charged. */
        warp_release(sm, w, now + 1);
    }
    if (sm->block[b].block != NULL)
        barrier_check(sm, b, now);
}

void block_memory_done(sm_t *sm, uint32_t w, cycle_t now)
{
    if (sm->slot[w].loads != 0)
        return;
    if (warp_parked(sm, w) == PARK_EXITED) {
        warp_release(sm, w, now);
    } else if (warp_parked(sm, w) == PARK_MEMBAR && membar_done(sm, w, now)) {
        warp_charge(sm, w, now);
        membar_release(sm, w, now);
    }
}

/* Tells the block scheduler that the stores of a launch are done, if it expects that. */
static void stores_report(sm_t *sm, uint32_t launch, cycle_t now)
{
    if (sm->stores[launch] != 0 || !sm->stores_owed[launch] ||
        !memory_written_back(sm, sm->ticket[launch]))
        return;
    msg_t m = {.arrival = now + sm->wiring.completion_latency,
               .kind = MSG_STORES_DONE,
               .count = (uint8_t)launch,
               .input = (uint16_t)sm->wiring.index};
    sm->stores_owed[launch] = false;
    engine_send(sm->outbox, sm->wiring.scheduler_shard, &m);
}

void block_store_done(sm_t *sm, uint32_t w, uint32_t launch, cycle_t now)
{
    stores_report(sm, launch, now);
    if (warp_parked(sm, w) == PARK_MEMBAR)
        block_memory_done(sm, w, now);
}

void block_launch_over(sm_t *sm, const launch_ctx_t *launch, cycle_t now)
{
    if (sm->by_launch != NULL)
        by_launch_to(sm, launch->tag);
    sm->ticket[launch->index] = memory_write_back(sm, now);
    sm->stores_owed[launch->index] = true;
    stores_report(sm, launch->index, now);
}

void block_written_back(sm_t *sm, cycle_t now)
{
    for (uint32_t w = 0; w < sm->n_warps; w++)
        if (warp_parked(sm, w) == PARK_MEMBAR)
            block_memory_done(sm, w, now);
    for (uint32_t launch = 0; launch < SM_MAX_LAUNCHES; launch++)
        stores_report(sm, launch, now);
}
