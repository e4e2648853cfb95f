/*
 * Counters of an SM by launch, while launches overlap (stats_split.h). sm->by_launch is NULL otherwise.
 *
 * An SM with these runs the code that is compiled with counts per instruction (inst_profile.h), so that
 * other runs do not pay for them.
 */
#ifndef RUBATO_SM_BY_LAUNCH_H
#define RUBATO_SM_BY_LAUNCH_H

#include "sim/sm/sm_calls.h"
#include "sim/stats/stats_split.h"

/* A launch that has warps on the SM. */
typedef struct {
    uint16_t tag;
    uint32_t warps;
} resident_launch_t;

typedef struct by_launch {
    stats_split_t split;
    uint16_t tag_of[SM_MAX_LAUNCHES]; /* by index of the launch (launch_ctx_t) */
    uint16_t *line;                   /* owned; by L1 MSHR: who requested from it last */
    uint16_t *fetch; /* owned; by miss of the L1 instruction cache: who asked first */
    resident_launch_t resident[SM_MAX_WARPS]; /* in order of their arrival */
    uint32_t n_resident;
    cycle_t since;   /* active cycles before it are counted */
    uint64_t issued; /* warp instructions of all launches */
    uint64_t sink;   /* what is counted elsewhere */
} by_launch_t;

void by_launch_free(sm_t *sm);

/* The tag of the launch of a warp slot, also just after its warp has left. */
static inline uint16_t by_launch_tag(const sm_t *sm, uint32_t w)
{
    return sm->by_launch->tag_of[sm->slot[w].launch];
}

/* The counters of a launch. */
static inline sm_stats_t *by_launch_of(const sm_t *sm, uint16_t tag)
{
    return (sm_stats_t *)stats_split_set(&sm->by_launch->split, tag);
}

/* The counters of a warp's launch. */
static inline sm_stats_t *by_launch_stats(const sm_t *sm, uint32_t w)
{
    return by_launch_of(sm, by_launch_tag(sm, w));
}

/* Puts the counters of a launch in place. */
static inline void by_launch_to(sm_t *sm, uint16_t tag)
{
    stats_split_to(&sm->by_launch->split, tag);
    sm->counted = tag;
}

/* What is counted from now on belongs to warp w. */
static inline void by_launch_warp(sm_t *sm, uint32_t w)
{
    if (__builtin_expect(sm->by_launch != NULL, 0))
        by_launch_to(sm, by_launch_tag(sm, w));
}

/* What is counted from now on belongs to the launch that asked for the line of an MSHR. */
static inline void by_launch_line(sm_t *sm, uint32_t mshr)
{
    if (__builtin_expect(sm->by_launch != NULL, 0))
        by_launch_to(sm, sm->by_launch->line[mshr]);
}

/* Counts the active cycles of the SM before now: launches with warps on it have equal parts, those that
 * came first the cycles that are left over. */
void by_launch_active(sm_t *sm, cycle_t now);

/* A warp of a launch starts or leaves. */
void by_launch_start(sm_t *sm, uint16_t tag, cycle_t now);
void by_launch_leave(sm_t *sm, uint16_t tag, cycle_t now);

#endif
