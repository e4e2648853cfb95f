/*
 * State of a DRAM channel, shared by dram.c (requests, time) and dram_command.c (banks, commands).
 */
#ifndef RUBATO_MEM_DRAM_INTERNAL_H
#define RUBATO_MEM_DRAM_INTERNAL_H

#include "sim/core/clock.h"
#include "sim/core/msg.h"
#include "sim/mem/dram.h"

#define DRAM_TICK_NEVER UINT64_MAX

enum {
    DRAM_READ,
    DRAM_WRITE,
    DRAM_KINDS,
    DRAM_MAX_BANKS = 256,
    DRAM_BANK_WORDS = DRAM_MAX_BANKS / 64
};

typedef enum { ROW_HIT, ROW_MISS, ROW_CONFLICT } dram_row_outcome_t;

typedef struct {
    uint64_t arrival; /* tick at the controller */
    uint64_t seq;     /* age */
    uint64_t row;
    cycle_t sent; /* core cycle at which the slice let go of it */
    uint32_t token;
    uint32_t next; /* index + 1 */
    uint16_t bank;
    uint8_t bursts;  /* left */
    uint8_t outcome; /* dram_row_outcome_t */
    bool started;
} dram_request_t;

/* Requests by age: index + 1 into the pool, 0: none. */
typedef struct {
    uint32_t head, tail;
} dram_list_t;

/* What the choice of commands looks at comes first and fills a cache line. */
typedef struct {
    uint64_t col_ready;            /* first tick at which a column command is legal, */
    uint64_t row_ready;            /* a precharge if open, an activate if not */
    uint64_t closed;               /* all ones if not open, else 0 */
    uint64_t hit_seq[DRAM_KINDS];  /* age of the oldest hit, if there is one */
    uint64_t miss_seq[DRAM_KINDS]; /* and of the oldest request for another row */
    uint64_t act_ready, pre_ready;
    uint16_t group;
    bool open;
    bool closing;  /* serves its row no more: an old request wants another */
    bool conflict; /* closed because another row was wanted */
    uint64_t row;
    dram_list_t hit[DRAM_KINDS], miss[DRAM_KINDS];
} dram_bank_t;

/* Banks with hits, the one with the oldest first. */
typedef struct {
    uint32_t n;
    uint8_t bank[DRAM_MAX_BANKS];
} dram_order_t;

/* A bit per bank. */
typedef struct {
    uint64_t word[DRAM_BANK_WORDS];
} dram_bank_set_t;

struct dram {
    dram_spec_t spec;
    clock_ratio_t clock;
    wheel_t *events; /* borrowed */
    cycle_t front, back;
    uint32_t burst_ticks, ccd, ccdl, sectors_per_burst, bursts_per_sector;
    uint32_t bank_words, bank_interleave, blocks_per_row;
    bool pow2; /* banks and blocks_per_row: the address is cut by shifts */
    uint32_t column_shift, bank_shift;
    uint8_t bursts_of[1 << SECTORS_PER_LINE]; /* by set of sectors */

    dram_bank_t *bank;             /* owned */
    uint64_t *group_ready;         /* owned; first tick of a column command, per bank group */
    uint64_t col_next[DRAM_KINDS]; /* the same for the whole channel, per direction */
    uint64_t row_next;             /* next row command */
    uint64_t rrd_next;             /* next activate */
    uint64_t refresh_due;
    dram_bank_set_t has_hit[DRAM_KINDS], has_miss[DRAM_KINDS];
    dram_order_t order[DRAM_KINDS];

    dram_request_t *request; /* owned pool */
    uint32_t free_list;
    dram_list_t path[DRAM_KINDS]; /* on the way to the controller or waiting for room in it */
    uint32_t n_path[DRAM_KINDS];
    uint32_t n_waiting[DRAM_KINDS]; /* in the window or write buffer */
    uint32_t limit[DRAM_KINDS];
    uint64_t admit_tick; /* when the next request comes in from the path */
    uint64_t seq;
    uint32_t mode; /* DRAM_READ or DRAM_WRITE */
    uint32_t last_direction;

    /* Next column and row command as things stand, and the ages that won them. */
    uint64_t col_tick, row_tick;
    uint64_t col_seq, row_seq;
    uint32_t col_bank, row_bank;
    uint64_t next_tick;
    cycle_t next_cycle;   /* its core cycle */
    uint64_t next_excess; /* next_cycle * other - next_tick * core, below other */
    dram_stats_t stats;
};

/* To be called when the bank was opened or closed, or the times of its row commands changed. */
static inline void dram_bank_update(dram_bank_t *bank)
{
    bank->row_ready = bank->open ? bank->pre_ready : bank->act_ready;
    bank->closed = bank->open ? 0 : ~UINT64_C(0);
}

/* Lists of requests. */
void dram_list_append(dram_t *d, dram_list_t *l, uint32_t n);
uint32_t dram_list_pop(dram_t *d, dram_list_t *l);

/* Puts a request that is in since tick t into its bank's lists. */
void dram_bank_add(dram_t *d, uint32_t n, uint32_t kind, uint64_t t);

/* Refreshes that came due up to tick t, of which all but the first found the channel idle. */
void dram_refresh(dram_t *d, uint64_t t);

/*
 * Finds the next column and row command of the current mode, not before tick t. The functions
 * above and below keep the choice up to date otherwise; it is made anew when the mode changes.
 */
void dram_choose(dram_t *d, uint64_t t);

/* Issue the chosen command at tick t, and choose the next one. */
void dram_column_issue(dram_t *d, uint64_t t);
void dram_row_issue(dram_t *d, uint64_t t);

#endif
