/*
 * State of a DRAM channel, shared by dram.c (requests, time), dram_command.c (banks, commands),
 * dram_choice.c (which command is next) and dram_checkpoint.c.
 */
#ifndef RUBATO_MEM_DRAM_INTERNAL_H
#define RUBATO_MEM_DRAM_INTERNAL_H

#include "sim/core/clock.h"
#include "sim/core/msg.h"
#include "sim/core/ring.h"
#include "sim/mem/dram.h"

#define DRAM_TICK_NEVER UINT64_MAX

/* FAW: activates of which the next one is tFAW after the oldest. */
enum { DRAM_READ, DRAM_WRITE, DRAM_KINDS, DRAM_MAX_BANKS = 256, FAW = 4 };

typedef enum { ROW_HIT, ROW_MISS, ROW_CONFLICT } dram_row_outcome_t;

typedef struct {
    uint64_t row;
    uint64_t arrival; /* tick at the controller */
    uint32_t seq;     /* age: the difference to dram.seq counts */
    uint32_t token;
    uint32_t sent; /* low bits of the core cycle at which the slice let go of it */
    uint16_t next; /* index + 1 */
    uint8_t bank;
    unsigned bursts : 5;  /* left */
    unsigned outcome : 2; /* dram_row_outcome_t */
    unsigned started : 1;
} dram_request_t;

_Static_assert(sizeof(dram_request_t) == 32, "two requests in a line of the host's cache");

/* Requests by age: index + 1 into the pool, 0: none. */
typedef struct {
    uint16_t head, tail;
} dram_list_t;

typedef struct {
    uint64_t row;
    uint64_t act_ready, pre_ready; /* first legal tick of an activate, of a precharge */
    dram_list_t hit[DRAM_KINDS], miss[DRAM_KINDS];
    uint16_t group;
    bool open;
    bool closing;  /* serves its row no more: an old request wants another */
    bool conflict; /* closed because another row was wanted */
} dram_bank_t;

/*
 * What the choice of the next command looks at: arrays with an element per bank, so that it is made
 * for several banks at once and without branches (which bank wins is hard to predict). Ticks count
 * from dram.epoch, ages from dram.age_base: smaller is older.
 */
typedef struct {
    uint32_t *col_ready;           /* first tick of a column command, for bank and bank group */
    uint32_t *group;               /* its bank group */
    uint32_t *row_ready;           /* of a precharge if the bank is open, an activate if not */
    uint32_t *closed;              /* all ones if not open, else zero */
    uint32_t *col_age[DRAM_KINDS]; /* of the oldest hit; all ones if there is none */
    uint32_t *row_age[DRAM_KINDS]; /* of the oldest miss; all ones if there is none, or a hit */
    uint32_t *memory;              /* owned; all of them */
    uint32_t n;                    /* elements: banks, padded to whole vectors */
} dram_choice_t;

/* Room on the path that comes free: cycles in order, with the kind in the lowest bit. */
typedef struct {
    uint64_t *item; /* owned; ring of mask + 1, a power of two above the number of requests */
    uint32_t head, count, mask;
    cycle_t next; /* of the first; CYCLE_NEVER: there is none */
} dram_release_t;

/* A read that was served: the lowest bits of the cycle at which it is back at the slice. */
typedef struct {
    uint32_t cycle, token;
} dram_read_t;

struct dram {
    dram_spec_t spec;
    clock_ratio_t clock;
    cycle_t front, back;
    uint32_t burst_ticks, ccd, ccdl, sectors_per_burst, bursts_per_sector;
    uint32_t bank_interleave, high_banks, blocks_per_row;
    bool pow2; /* banks and blocks_per_row: the address is cut by shifts */
    uint32_t column_shift, bank_shift;
    uint8_t bursts_of[1 << SECTORS_PER_LINE]; /* by set of sectors */

    dram_bank_t *bank; /* owned */
    dram_choice_t choice;
    uint64_t epoch; /* tick and age from which dram_choice_t counts */
    uint32_t age_base;
    uint64_t col_next[DRAM_KINDS]; /* first tick of a column command, as far as the bus goes, */
    uint64_t *group_next;          /* owned; and as far as the bank groups go */
    uint32_t group_last;           /* bank group of the last column command */
    uint64_t row_next;             /* next row command */
    uint64_t rrd_next;             /* next activate */
    uint64_t faw_next[FAW];        /* the same, by the activates before it, the oldest first */
    uint64_t refresh_due, refresh_every;

    dram_request_t *request; /* owned pool */
    uint16_t free_list;
    dram_list_t path[DRAM_KINDS]; /* on the way to the controller or waiting for room in it */
    uint32_t n_path[DRAM_KINDS];
    uint32_t n_waiting[DRAM_KINDS]; /* in the window or write buffer */
    uint32_t limit[DRAM_KINDS];
    uint64_t admit_tick; /* when the next request comes in from the path */
    uint32_t seq;
    uint32_t mode; /* DRAM_READ or DRAM_WRITE */
    uint32_t last_direction;

    /* Next column and row command as things stand. */
    uint64_t col_tick, row_tick;
    uint32_t col_bank, row_bank;
    uint64_t next_tick;
    cycle_t next_cycle; /* its core cycle */

    /* What the slices see: the channel is ahead of them. */
    uint32_t n_seen[DRAM_KINDS]; /* on the path */
    dram_release_t release;
    struct {
        dram_read_t *item; /* owned */
        size_t head, count, cap;
    } reads;          /* that are served, in order of their cycles */
    cycle_t read_due; /* of the first; CYCLE_NEVER: there is none */
    dram_stats_t stats;
};

static inline uint64_t dram_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A tick, not before the epoch, as dram_choice_t has it. */
static inline uint32_t dram_since_epoch(const dram_t *d, uint64_t tick)
{
    return (uint32_t)(tick - d->epoch);
}

/* A read is served: it is back at the slice at that cycle, no earlier than those before it. */
static inline void dram_read_served(dram_t *d, cycle_t cycle, uint32_t token)
{
    d->read_due = cycle_min(d->read_due, cycle);
    RB_RING_PUSH(&d->reads) = (dram_read_t){.cycle = (uint32_t)cycle, .token = token};
}

/* Lists of requests. */
void dram_list_append(dram_t *d, dram_list_t *l, uint32_t n);
uint32_t dram_list_pop(dram_t *d, dram_list_t *l);

/* dram_choice.c. Arrays for the banks of the specification, all closed and without requests. */
void dram_choice_init(dram_t *d);
void dram_choice_free(dram_t *d);

/* Host-side hint that commands will be chosen. */
void dram_choice_prefetch(const dram_t *d);

/* Ticks of banks, bank groups and activates that lie before the new epoch, and so bind no more,
 * become the epoch. */
void dram_epoch_set(dram_t *d, uint64_t epoch);

/* To be called at least every 2^30 ticks while the channel works. */
void dram_epoch_move(dram_t *d, uint64_t t);

/* To be called for each new request. */
void dram_age_next(dram_t *d);

/* Bank b was opened or closed, or the times of its row commands changed. */
void dram_bank_timed(dram_t *d, uint32_t b);

/* The hits or misses of bank b changed. */
void dram_waiting_changed(dram_t *d, uint32_t b, uint32_t kind);

/* The next column command to bank group g is legal from that tick on, later than the last. To be
 * followed by a choice of columns. */
void dram_group_timed(dram_t *d, uint32_t g, uint64_t tick);

/* Bank b was opened: column commands are legal from that tick on, as far as the bank goes. */
void dram_bank_opened(dram_t *d, uint32_t b, uint64_t tick);

/* Find the next column (row) command of the current mode, not before tick t. */
void dram_column_choose(dram_t *d, uint64_t t);
void dram_row_choose(dram_t *d, uint64_t t);

/* Make bank b's oldest hit (miss) the next command if it can go before the one chosen so far; not
 * before tick floor. */
void dram_column_consider(dram_t *d, uint32_t b, uint64_t floor);
void dram_row_consider(dram_t *d, uint32_t b, uint64_t floor);

/* dram_command.c. Puts a request that is in since tick t into its bank's lists. */
void dram_bank_add(dram_t *d, uint32_t n, uint32_t kind, uint64_t t);

/* Refreshes that came due up to tick t, of which all but the first found the channel idle (those of
 * one bank each: may have). */
void dram_refresh(dram_t *d, uint64_t t);

/* Issue the chosen command at tick t, and choose the next one. The former returns true if it was
 * the last of a request. */
bool dram_column_issue(dram_t *d, uint64_t t);
void dram_row_issue(dram_t *d, uint64_t t);

#endif
