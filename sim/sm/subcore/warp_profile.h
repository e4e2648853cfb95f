/*
 * Counts per instruction in the sub-cores: what warps wait for, and what they issue. A warp waits for its
 * next instruction; after its end, for its last one.
 */
#ifndef RUBATO_SM_WARP_PROFILE_H
#define RUBATO_SM_WARP_PROFILE_H

#include "sim/sm/by_launch.h"
#include "sim/sm/inst_profile.h"
#include "sim/sm/subcore/subcore_parts.h"
#include "sim/sm/subcore/tally.h"

/* Whether to count. Files that run for every instruction define it as a constant (hot.h). */
#ifdef PROFILED
#define PROFILE_CALL static inline
#else
#define PROFILED(sm) ((sm)->profile != NULL)
#define PROFILE_CALL static __attribute__((noinline, cold, unused))
#endif

/* What a warp that waits for a pipe is charged to. (ready.c) */
extern const uint8_t ready_throttle_state[PIPE_COUNT];

/* warp_profile.c */

/* A warp waited for a scoreboard at instruction `site`: the same for the instruction waited for. */
void profile_await(const sm_t *sm, const warp_t *warp, uint32_t site, uint64_t cycles);

/* Notes who writes and reads the registers of an instruction that completes late. */
void profile_registers(sm_t *sm, const warp_t *warp, uint32_t site, const op_properties_t *cls);

/* The number of the instruction that a warp waits for to issue, or issued last. */
static inline uint32_t profile_site(const sm_t *sm, const warp_t *warp)
{
    profile_warp_t *w = &sm->profile->warp[warp->slot];
    if (warp->inst == NULL)
        return warp->state == STATE_NO_WARP ? 0 : w->last;
    if (w->site == 0)
        w->site = profile_find(sm, warp->slot, warp->inst);
    return w->site;
}

/* The counters of the SM that count for a warp; an empty slot belongs to no launch. */
static inline uint64_t *profile_stats(sm_t *sm, const warp_t *warp)
{
    if (sm->by_launch == NULL)
        return (uint64_t *)&sm->stats;
    if (warp->state == STATE_NO_WARP)
        return stats_split_set(&sm->by_launch->split, 0);
    return (uint64_t *)by_launch_stats(sm, warp->slot);
}

/* A warp, in its state and not in a ready set, waited for this many cycles. */
PROFILE_CALL void profile_charge(sm_t *sm, const warp_t *warp, uint64_t cycles)
{
    profile_stats(sm, warp)[warp->state] += cycles;
    if (sm->profile->table == NULL)
        return;
    const uint32_t site = profile_site(sm, warp);
    profile_counts(sm, site)->state[warp->state] += cycles;
    if (warp->state == STATE_LONG_SCOREBOARD || warp->state == STATE_SHORT_SCOREBOARD)
        profile_await(sm, warp, site, cycles);
}

/* A warp becomes ready at `at` for pipe `number`, which was busy for this many cycles before. */
PROFILE_CALL void profile_ready(sm_t *sm, const warp_t *warp, unsigned number, uint64_t busy,
                                cycle_t at)
{
    profile_warp_t *w = &sm->profile->warp[warp->slot];
    if (at > warp->since)
        profile_charge(sm, warp, at - warp->since);
    w->ready = at;
    w->busy = busy;
    w->picked = sm->profile->picks[warp->sub_core][number];
}

/* The sub-core picks a warp: those that are ready for a free pipe are picked or passed over. */
static inline void profile_pick(const sm_t *sm, const sub_core_t *sub, cycle_t now)
{
    uint64_t *picks = sm->profile->picks[sub - sm->subcore.sub];
    for (uint32_t pipes = sub->ready_pipes; pipes != 0; pipes &= pipes - 1) {
        const unsigned number = (unsigned)__builtin_ctz(pipes);
        picks[number] += sub->pipe[number].free_at <= now;
    }
}

/* A warp issues its next instruction; the pipe is not occupied yet. The rules are those of ready.c. */
static inline void profile_issue(sm_t *sm, const sub_core_t *sub, const warp_t *warp,
                                 const op_properties_t *cls, cycle_t now)
{
    profile_warp_t *w = &sm->profile->warp[warp->slot];
    const uint32_t site = profile_site(sm, warp);
    inst_counts_t *c = profile_counts(sm, site);
    const uint64_t waited = now - w->ready, throttled = sub->pipe[cls->pipe].busy - w->busy;
    const uint64_t passed_over = sm->profile->picks[warp->sub_core][cls->pipe] - w->picked - 1;
    c->issued++;
    c->lanes += warp->lanes;
    c->pred_off += warp->lanes == 0;
    c->state[STATE_SELECTED]++;
    c->state[ready_throttle_state[cls->pipe]] += throttled;
    c->state[STATE_NOT_SELECTED] += passed_over;
    c->state[STATE_DISPATCH_STALL] += waited - throttled - passed_over;
    if (sm->by_launch != NULL) {
        sm_stats_t *s = by_launch_stats(sm, warp->slot);
        sm->by_launch->issued++;
        tally_move(sm, warp->sub, warp->inst->cls, s);
        ((uint64_t *)s)[ready_throttle_state[cls->pipe]] += throttled;
        s->state_not_selected += passed_over;
        s->state_dispatch_stall += waited - throttled - passed_over;
    }
    w->last = site;
    w->site = 0;
    if (cls->dep_kind != DEP_FIXED && !warp->control)
        profile_registers(sm, warp, site, cls);
}

#endif
