/*
 * Counts per instruction on an SM: what the rooms tell while sm_profile() is on. sm->profile is NULL
 * otherwise, and nothing here may be called.
 *
 * What happens for every instruction is counted in code that is compiled twice, with and without these
 * calls (subcore/profiled.c, sm.c, memory/lsu.c), so that a run without them does not pay for them.
 */
#ifndef RUBATO_SM_INST_PROFILE_H
#define RUBATO_SM_INST_PROFILE_H

#include "sim/sm/inst_table.h"
#include "sim/sm/sm_calls.h"

enum {
    PROFILE_COUNTERS = 6,    /* dependence counters of a warp */
    PROFILE_IN_FLIGHT = 63,  /* instructions that one of them counts */
    PROFILE_SITES = 0x10000, /* instructions with higher numbers are not named as waited for */
};

/* State of a warp slot. */
typedef struct {
    uint32_t site;   /* number of its next instruction; 0: not looked up yet */
    uint32_t last;   /* of the one that it issued last */
    cycle_t ready;   /* when its next instruction became ready, ... */
    uint64_t busy;   /* ... and the counts of its pipe then: busy cycles, ... */
    uint64_t picked; /* ... and picks of a warp while the pipe was free */
} profile_warp_t;

/* The instructions that a dependence counter counts. */
typedef struct {
    uint16_t n;
    uint16_t last; /* the one whose release became known last */
    uint16_t site[PROFILE_IN_FLIGHT];
} profile_counter_t;

typedef struct inst_profile {
    inst_table_t *table; /* borrowed; of the thread that simulates the SM now, by index of the
                                  * launch; NULL: counts by launch only (by_launch.h) */
    inst_table_t *const *tables; /* borrowed; of all threads; may be NULL */
    profile_warp_t warp[SM_MAX_WARPS];
    uint64_t picks[SM_MAX_SUB_CORES][PIPE_COUNT];
    uint16_t *writer; /* owned; REG_ID_COUNT per warp: the instruction that wrote a register late */
    uint16_t *reader; /* owned; REG_ID_PRED per warp: the last one that reads a register late */
    profile_counter_t *counted;         /* owned; PROFILE_COUNTERS per warp */
    uint32_t (*line)[SECTORS_PER_LINE]; /* owned; by L1 MSHR: who requested a sector */
    inst_counts_t memory;               /* of the load/store unit, so far */
    inst_counts_t unwanted;             /* instead of a table, if there is none */
} inst_profile_t;

/* inst_profile.c */

void inst_profile_free(sm_t *sm);

/* sm_profile() where none was. tables NULL: for counts by launch only. */
void inst_profile_begin(sm_t *sm, inst_table_t *const *tables);

/* The SM is simulated by this thread from now on. */
static inline void profile_thread(sm_t *sm, int thread)
{
    if (sm->profile->tables != NULL)
        sm->profile->table = sm->profile->tables[thread];
}

/* A site is the number of an instruction in its launch, and above it the index of the launch. */
enum { PROFILE_LAUNCH_SHIFT = 24 };
_Static_assert(INST_SITES_MAX <= 1 << PROFILE_LAUNCH_SHIFT, "a number does not fit");

static inline uint32_t profile_number(uint32_t site)
{
    return site & ((UINT32_C(1) << PROFILE_LAUNCH_SHIFT) - 1);
}

/* The site of an instruction of warp w. */
static inline uint32_t profile_find(const sm_t *sm, uint32_t w, const inst_t *inst)
{
    inst_table_t *table = sm->profile->table;
    const uint32_t launch = sm->slot[w].launch;
    if (table == NULL)
        return 0;
    return launch << PROFILE_LAUNCH_SHIFT | inst_table_site(&table[launch], inst);
}

static inline inst_counts_t *profile_counts(const sm_t *sm, uint32_t site)
{
    inst_profile_t *p = sm->profile;
    if (p->table == NULL)
        return &p->unwanted;
    return inst_table_counts(&p->table[site >> PROFILE_LAUNCH_SHIFT], profile_number(site));
}

/* Number for the 16-bit tables; 0: unknown. */
static inline uint16_t profile_short(uint32_t site)
{
    const uint32_t number = profile_number(site);
    return number < PROFILE_SITES ? (uint16_t)number : 0;
}

static inline profile_counter_t *profile_counter(const sm_t *sm, uint32_t w, unsigned n)
{
    return &sm->profile->counted[(size_t)w * PROFILE_COUNTERS + n];
}

/* Warp w issued inst, with control words; at: when its result is ready, CYCLE_NEVER if
 * profile_result() will say. */
void profile_counted(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t at);

/* The load/store unit takes an instruction of warp w: its sources are read. */
void profile_sources_read(sm_t *sm, uint32_t w, const inst_t *inst);

/* The result of inst of warp w is known to take this many cycles. */
void profile_result(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycles);

/* What the load/store unit has counted since the last call belongs to an instruction. */
void profile_memory(sm_t *sm, uint32_t site);

/* The counters of another launch may be in place since the last profile_memory(). */
void profile_memory_of_launch(sm_t *sm);

/* What the handles of an instruction's stores have above the warp slot and the launch. */
uint32_t profile_store_handle(const sm_t *sm, uint32_t site);

/* An instruction looked up a line with an MSHR: it requested those of the pending sectors that no
 * earlier one requested. */
void profile_line(sm_t *sm, uint32_t mshr, uint8_t pending, uint32_t site);

/* A reply arrived: counts its flits and sectors for their owners. Restores the handle of a request whose
 * handle was changed. */
void profile_reply(sm_t *sm, msg_t *m);

#endif
