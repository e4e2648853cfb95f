/*
 * The state of the supply: instruction buffers of warps, instruction and constant caches. Only the
 * files of this folder use it, and supply_instructions() of sm_calls.h.
 */
#ifndef RUBATO_SM_SUPPLY_STATE_H
#define RUBATO_SM_SUPPLY_STATE_H

#include "sim/core/cycle.h"
#include "sim/parts/cache.h"
#include "sim/sm/sm_limits.h"

enum { INST_BYTES = 16, INST_LINE_BYTES = 128 };

/* What is fetched for a warp. */
typedef struct {
    uint64_t code_base; /* of its launch */
    uint64_t constants; /* address of its launch's constant banks */
    uint64_t first;     /* lines of code that its buffer is filled from: one, or two */
    uint64_t last;      /* neighbours; none when it starts */
    bool fetching;      /* last was not in L0 when last looked for */
} inst_buffer_t;

/* An instruction line on its way into an L0. */
typedef struct {
    uint64_t line;
    cycle_t ready; /* CYCLE_NEVER: not known */
    bool used;
    bool demanded; /* a warp has asked for it; otherwise only prefetched */
} fetch_slot_t;

/* What each sub-core has of its own. */
typedef struct {
    cache_t *l0;
    cache_t *const_l0;   /* NULL: operand constants are looked up in the SM's */
    cycle_t l1i_free;    /* the L1 instruction cache sends it the next line */
    fetch_slot_t *fetch; /* owned */
} supply_core_t;

/* A line that the L1 instruction cache does not have. */
typedef struct {
    uint64_t line;
    uint32_t wanted; /* sub-cores */
    uint8_t pending; /* sectors */
    bool used;
} l1i_miss_t;

typedef struct {
    uint32_t fetch_ahead; /* bytes from a warp's next instruction to the last of its buffer */
    inst_buffer_t buffer[SM_MAX_WARPS];
    supply_core_t core[SM_MAX_SUB_CORES];
    cache_t *l1i;
    l1i_miss_t *l1i_miss; /* owned */
    uint32_t n_l1i_miss;
    uint16_t *l1i_queue; /* owned; ring: those not requested from L2 yet, the oldest first */
    uint32_t l1i_head, l1i_waiting;
    uint32_t l1i_requested; /* at most icache.l1_misses at a time */
    cache_t *const_l1, *const_l15;
} supply_t;

#endif
