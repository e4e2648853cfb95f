/*
 * State of a DRAM channel, for dram.c (requests, time), dram_command.c (banks, commands),
 * dram_choice.c (choice of the next command) and dram_checkpoint.c.
 */
#ifndef RUBATO_MEM_DRAM_INTERNAL_H
#define RUBATO_MEM_DRAM_INTERNAL_H

#include "sim/core/engine/clock.h"
#include "sim/core/engine/msg.h"
#include "sim/core/ring.h"
#include "sim/mem/dram.h"

#define DRAM_TICK_NEVER UINT64_MAX

/* FAW: four activates; a fifth must wait tFAW after the first. */
enum { DRAM_READ, DRAM_WRITE, DRAM_KINDS, DRAM_MAX_BANKS = 256, FAW = 4, CHECKED_LINES = 16 };

typedef enum { ROW_HIT, ROW_MISS, ROW_CONFLICT } dram_row_outcome_t;

typedef struct {
    uint64_t row;
    uint64_t arrival; /* tick at the controller */
    uint32_t seq;     /* age, as the difference to dram.seq */
    uint32_t token;   /* of a write: bursts that are read first, or have a mask */
    uint32_t sent;    /* low bits of the core cycle at which the slice sent it */
    uint16_t next;    /* index + 1 */
    uint8_t bank;
    unsigned bursts : 5;  /* bursts left */
    unsigned outcome : 2; /* dram_row_outcome_t */
    unsigned started : 1;
} dram_request_t;

_Static_assert(sizeof(dram_request_t) == 32, "two requests fill one line of the host's cache");

/* A list of requests in order of age: index + 1 into the pool; 0: none. */
typedef struct {
    uint16_t head, tail;
} dram_list_t;

typedef struct {
    uint64_t row;
    uint64_t act_ready, pre_ready; /* first legal tick of an activate and of a precharge */
    dram_list_t hit[DRAM_KINDS], miss[DRAM_KINDS];
    uint16_t group;
    bool open;
    bool closing;  /* no more hits are served: an old request needs another row */
    bool conflict; /* was closed because another row was requested */
} dram_bank_t;

/* The inputs of the choice of the next command: arrays with one element per bank, so that the
 * choice is vectorised and has no branches (which bank wins is hard to predict). Ticks count from
 * dram.epoch, ages from dram.age_base: smaller is older. */
typedef struct {
    uint32_t *col_ready;           /* first tick of a column command: timing of bank and bank
                                    * group */
    uint32_t *group;               /* its bank group */
    uint32_t *row_ready;           /* first tick of a precharge if the bank is open, else of an
                                    * activate */
    uint32_t *closed;              /* all ones if the bank is closed, else zero */
    uint32_t *col_age[DRAM_KINDS]; /* age of the oldest hit; all ones if there is none */
    uint32_t *row_age[DRAM_KINDS]; /* age of the oldest miss; all ones if there is none, or if there
                                    * is a hit */
    uint32_t *memory;              /* owned; memory of all arrays */
    uint32_t n;                    /* elements: banks, padded to whole vectors */
} dram_choice_t;

/* Room on the path that becomes free: cycles in ascending order, with the kind in the lowest
 * bit. */
typedef struct {
    uint64_t *item; /* owned; ring of mask + 1 items, a power of two, at least the number of
                     * requests */
    uint32_t head, count, mask;
    cycle_t next; /* cycle of the first item; CYCLE_NEVER: none */
} dram_release_t;

/* A served read: the low bits of the cycle at which it is back at the slice. */
typedef struct {
    uint32_t cycle, token;
} dram_read_t;

struct dram {
    dram_spec_t spec;
    clock_ratio_t clock;
    cycle_t front, back;
    uint32_t burst_ticks, ccd, ccdl, ccdm, sectors_per_burst, bursts_per_sector;
    /* Ticks from a column command of each kind until its data has moved, until its bank may be
     * precharged, and until a column command of the other kind. */
    uint32_t data_after[DRAM_KINDS], pre_after[DRAM_KINDS], turn_after[DRAM_KINDS];
    uint32_t bank_interleave, high_banks, blocks_per_row;
    bool pow2; /* banks and blocks_per_row are powers of two: addresses are split by shifts */
    uint32_t column_shift, bank_shift;
    uint8_t bursts_of[1 << SECTORS_PER_LINE]; /* by set of sectors */

    dram_bank_t *bank; /* owned */
    dram_choice_t choice;
    uint64_t epoch; /* the tick and the age from which dram_choice_t counts */
    uint32_t age_base;
    uint64_t col_next[DRAM_KINDS]; /* first tick of a column command that the data bus allows, */
    uint64_t *group_next;          /* owned; that each bank group allows */
    uint32_t group_last;           /* bank group of the last column command */
    uint64_t row_next;             /* first tick of the next row command */
    uint64_t rrd_next;             /* first tick of the next activate */
    uint64_t faw_next[FAW];        /* the same because of earlier activates, oldest first */
    uint64_t refresh_due, refresh_every;

    dram_request_t *request; /* owned pool */
    uint16_t free_list;
    dram_list_t path[DRAM_KINDS]; /* in flight to the controller, or waiting for room there */
    uint32_t n_path[DRAM_KINDS];
    uint32_t n_waiting[DRAM_KINDS]; /* in the window or write buffer */
    uint32_t limit[DRAM_KINDS];
    uint64_t admit_tick; /* when the next request is admitted from the path */
    uint32_t seq;
    uint32_t mode;       /* DRAM_READ or DRAM_WRITE */
    uint64_t drain_due;  /* from this tick on all writes are drained; never: a read waits */
    uint64_t drain_tick; /* the same while writes wait for it; else DRAM_TICK_NEVER */
    uint32_t last_direction;
    /* Lines whose check bits are at hand, if these take bursts. */
    uint64_t checked[DRAM_KINDS][CHECKED_LINES];

    /* The next column and row command as things stand. */
    uint64_t col_tick, row_tick;
    uint32_t col_bank, row_bank;
    uint64_t next_tick;
    cycle_t next_cycle; /* its core cycle */

    /* The slices' view: the channel is simulated ahead of them. */
    uint32_t n_seen[DRAM_KINDS]; /* requests that occupy the path */
    dram_release_t release;
    struct {
        dram_read_t *item; /* owned */
        size_t head, count, cap;
    } reads;          /* served reads, by cycle */
    cycle_t read_due; /* of the first one; CYCLE_NEVER: none */
    dram_stats_t stats;
    struct dram_by_launch {
        stats_split_t split;
        uint16_t *request; /* owned; whose request it is, by index in the pool */
    } * by_launch;         /* owned; NULL: launches do not overlap */
};

/* What is counted from now on belongs to request n; 0: to none. */
static inline void dram_count_for_request(dram_t *d, uint32_t n)
{
    if (__builtin_expect(d->by_launch != NULL, 0))
        stats_split_to(&d->by_launch->split, n > 0 ? d->by_launch->request[n - 1] : 0);
}

static inline uint64_t dram_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A tick, not before the epoch, as dram_choice_t stores it. */
static inline uint32_t dram_since_epoch(const dram_t *d, uint64_t tick)
{
    return (uint32_t)(tick - d->epoch);
}

/* Records a served read: it is back at the slice at `cycle`, not before earlier ones. */
static inline void dram_read_served(dram_t *d, cycle_t cycle, uint32_t token)
{
    d->read_due = cycle_min(d->read_due, cycle);
    RB_RING_PUSH(&d->reads) = (dram_read_t){.cycle = (uint32_t)cycle, .token = token};
}

/* Lists of requests. */
void dram_list_append(dram_t *d, dram_list_t *l, uint32_t n);
uint32_t dram_list_pop(dram_t *d, dram_list_t *l);

/* dram_choice.c. Allocates the arrays for the banks of the specification, all closed and idle. */
void dram_choice_init(dram_t *d);
void dram_choice_free(dram_t *d);

/* Host-side hint that a command will be chosen soon. */
void dram_choice_prefetch(const dram_t *d);

/* Moves the epoch. Times of banks, bank groups and activates before it no longer matter and are set
 * to the new epoch. */
void dram_epoch_set(dram_t *d, uint64_t epoch);

/* Call at least every 2^30 ticks while the channel works. */
void dram_epoch_move(dram_t *d, uint64_t t);

/* Call for each new request. */
void dram_age_next(dram_t *d);

/* Call when bank b was opened or closed, or the times of its row commands changed. */
void dram_bank_timed(dram_t *d, uint32_t b);

/* Call when the hits or misses of bank b changed. */
void dram_waiting_changed(dram_t *d, uint32_t b, uint32_t kind);

/* Sets the first legal tick of the next column command to bank group g, later than the last. Must
 * be followed by a choice of columns. */
void dram_group_timed(dram_t *d, uint32_t g, uint64_t tick);

/* Bank b was opened: the bank allows column commands from that tick on. */
void dram_bank_opened(dram_t *d, uint32_t b, uint64_t tick);

/* Choose the next column (row) command of the current mode, not before tick t. */
void dram_column_choose(dram_t *d, uint64_t t);
void dram_row_choose(dram_t *d, uint64_t t);

/* Make the command for bank b's oldest hit (miss) the next one if it can go before the one chosen
 * so far; not before tick floor. */
void dram_column_consider(dram_t *d, uint32_t b, uint64_t floor);
void dram_row_consider(dram_t *d, uint32_t b, uint64_t floor);

/* dram_command.c. Adds a request that was admitted at tick t to its bank's lists. */
void dram_bank_add(dram_t *d, uint32_t n, uint32_t kind, uint64_t t);

/* Performs the refreshes that came due up to tick t. The channel was idle for all but the first
 * (with one bank at a time: may have been). */
void dram_refresh(dram_t *d, uint64_t t);

/* Issue the chosen command at tick t and choose the next one. dram_column_issue() returns true if
 * the command completed a request. */
bool dram_column_issue(dram_t *d, uint64_t t);
void dram_row_issue(dram_t *d, uint64_t t);

#endif
