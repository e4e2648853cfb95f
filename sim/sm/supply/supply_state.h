/*
 * The state of the supply: instruction buffers of warps, instruction and constant caches. Used only
 * by the files of this folder and by supply_instructions() in sm_calls.h.
 */
#ifndef RUBATO_SM_SUPPLY_STATE_H
#define RUBATO_SM_SUPPLY_STATE_H

#include "sim/core/cycle.h"
#include "sim/parts/cache/cache.h"
#include "sim/sm/sm_limits.h"

enum { INST_BYTES = 16, INST_LINE_BYTES = 128 };

/* The instruction buffer of a warp: which lines it is filled from. */
typedef struct {
    uint32_t from, bytes; /* a next instruction at pc from ... from + bytes - 1 needs no lookup */
    uint64_t code_base;   /* of its launch */
    uint64_t constants;   /* base address of its launch's constant banks */
    uint64_t first;       /* the one or two neighbouring lines that fill */
    uint64_t last;        /* the buffer; none at the start of a warp */
    bool fetching;        /* `last` was not in L0 at the last lookup */
} inst_buffer_t;

/* An instruction line on its way into an L0. */
typedef struct {
    uint64_t line;
    cycle_t ready; /* when it arrives; CYCLE_NEVER: not known */
    bool used;
    bool demanded; /* a warp has requested it; otherwise it is only prefetched */
} fetch_slot_t;

/* A line that was found in an L0. */
typedef struct {
    uint64_t line; /* its number + 1; 0: none */
    cache_spot_t spot;
} known_line_t;
enum { KNOWN_LINES = 32, LINE_HINTS = 64, L0_HINT_WORDS = 4 };

/* State of the supply for each sub-core. */
typedef struct {
    cache_t *l0;
    known_line_t known[KNOWN_LINES];   /* by line number modulo KNOWN_LINES; none after an insert */
    uint64_t l0_hints[L0_HINT_WORDS];  /* bit n: l0 may have a line that is n modulo 256 */
    cache_t *const_l0;                 /* NULL: operands are looked up in the SM's constant cache */
    cycle_t l1i_free;                  /* when the L1 instruction cache can send it the next line */
    fetch_slot_t *fetch;               /* owned */
    uint32_t fetch_end;                /* slots from here on are not used */
    uint64_t fetch_hints;              /* bit n: a used slot may have a line that is n modulo 64; */
    uint16_t fetch_hinted[LINE_HINTS]; /* the slot of the newest of these lines */
} supply_core_t;

/* A line that misses in the L1 instruction cache. */
typedef struct {
    uint64_t line;
    uint32_t wanted; /* bit set of sub-cores that want it */
    uint8_t pending; /* sectors that have not arrived */
    bool used;
} l1i_miss_t;

typedef struct {
    uint32_t fetch_ahead; /* bytes from a warp's next instruction to the last of its buffer */
    inst_buffer_t buffer[SM_MAX_WARPS];
    supply_core_t core[SM_MAX_SUB_CORES];
    cache_t *l1i;
    l1i_miss_t *l1i_miss;              /* owned */
    uint32_t n_l1i_miss, l1i_miss_end; /* from l1i_miss_end on they are not used */
    uint16_t *l1i_queue; /* owned; ring: lines not requested from L2 yet, oldest first */
    uint32_t l1i_head, l1i_waiting;
    uint32_t l1i_requested; /* requests in flight, at most icache.l1_misses */
    cache_t *const_l1, *const_l15;
    cycle_t const_free; /* when the constant unit can take the next LDC of several addresses */
} supply_t;

#endif
