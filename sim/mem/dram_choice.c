#include "sim/core/clones.h"
#include "sim/core/model_mem.h"
#include "sim/core/prefetch.h"
#include "sim/mem/dram_internal.h"

enum {
    ARRAYS = 8, /* arrays of dram_choice_t */
    LANES = 16, /* arrays are padded to this many banks: whole vectors */
    /* The key of a command combines the ticks until it can go with the age of its request. No
     * timing is longer than 2^18 ticks. Ages are exact for the last AGE_KEPT requests at least;
     * older ones count as equally old, and then the lower bank goes first. */
    AGE_BITS = 14,
    AGE_LIMIT = 1 << AGE_BITS,
    AGE_KEPT = AGE_LIMIT / 2,
    /* Ticks: older times do not matter. A refresh looks back the farthest, at most two tREFI. */
    LOOK_BACK = 1 << 22,
};

#define NO_AGE UINT32_MAX
#define NO_KEY UINT32_MAX

void dram_choice_init(dram_t *d)
{
    dram_choice_t *c = &d->choice;
    uint32_t **const array[ARRAYS] = {&c->col_ready,  &c->group,      &c->row_ready,
                                      &c->closed,     &c->col_age[0], &c->col_age[1],
                                      &c->row_age[0], &c->row_age[1]};
    const uint32_t n = c->n = (d->spec.banks + LANES - 1) / LANES * LANES;
    c->memory = rb_model_calloc((size_t)ARRAYS * n, sizeof(*c->memory));
    for (uint32_t i = 0; i < ARRAYS; i++)
        *array[i] = c->memory + (size_t)i * n;
    for (uint32_t k = 0; k < DRAM_KINDS; k++) {
        for (uint32_t b = 0; b < n; b++)
            c->col_age[k][b] = c->row_age[k][b] = NO_AGE;
    }
    for (uint32_t b = 0; b < d->spec.banks; b++) {
        c->group[b] = d->bank[b].group;
        dram_bank_timed(d, b);
    }
    d->group_next = rb_model_calloc(d->spec.bank_groups, sizeof(*d->group_next));
}

void dram_choice_free(dram_t *d)
{
    rb_model_free(d->choice.memory);
    rb_model_free(d->group_next);
}

void dram_choice_prefetch(const dram_t *d)
{
    prefetch_range(d->choice.memory, ARRAYS * d->choice.n * sizeof(*d->choice.memory));
    prefetch_range(d->group_next, d->spec.bank_groups * sizeof(*d->group_next));
}

void dram_epoch_set(dram_t *d, uint64_t epoch)
{
    dram_choice_t *c = &d->choice;
    const uint64_t passed = epoch - d->epoch;
    d->epoch = epoch;
    d->rrd_next = dram_later(d->rrd_next, epoch);
    for (uint32_t g = 0; g < d->spec.bank_groups; g++)
        d->group_next[g] = dram_later(d->group_next[g], epoch);
    for (uint32_t b = 0; b < d->spec.banks; b++) {
        dram_bank_t *bank = &d->bank[b];
        bank->act_ready = dram_later(bank->act_ready, epoch);
        bank->pre_ready = dram_later(bank->pre_ready, epoch);
        c->col_ready[b] = c->col_ready[b] > passed ? c->col_ready[b] - (uint32_t)passed : 0;
        dram_bank_timed(d, b);
    }
}

void dram_epoch_move(dram_t *d, uint64_t t)
{
    dram_epoch_set(d, t - LOOK_BACK);
}

void dram_bank_timed(dram_t *d, uint32_t b)
{
    const dram_bank_t *bank = &d->bank[b];
    d->choice.row_ready[b] = dram_since_epoch(d, bank->open ? bank->pre_ready : bank->act_ready);
    d->choice.closed[b] = bank->open ? 0 : ~UINT32_C(0);
}

static uint32_t age_of(const dram_t *d, uint32_t request)
{
    int32_t age = (int32_t)(d->request[request - 1].seq - d->age_base);
    return age > 0 ? (uint32_t)age : 0;
}

void dram_waiting_changed(dram_t *d, uint32_t b, uint32_t kind)
{
    uint32_t hit = d->bank[b].hit[kind].head, miss = d->bank[b].miss[kind].head;
    d->choice.col_age[kind][b] = hit != 0 ? age_of(d, hit) : NO_AGE;
    d->choice.row_age[kind][b] = hit == 0 && miss != 0 ? age_of(d, miss) : NO_AGE;
}

void dram_age_next(dram_t *d)
{
    if (++d->seq - d->age_base < AGE_LIMIT)
        return;
    d->age_base = d->seq - AGE_KEPT;
    for (uint32_t k = 0; k < DRAM_KINDS; k++) {
        for (uint32_t b = 0; b < d->spec.banks; b++)
            dram_waiting_changed(d, b, k);
    }
}

void dram_group_timed(dram_t *d, uint32_t g, uint64_t tick)
{
    d->group_next[g] = tick;
    d->group_last = g;
}

void dram_bank_opened(dram_t *d, uint32_t b, uint64_t tick)
{
    uint64_t group = d->group_next[d->bank[b].group];
    d->choice.col_ready[b] = dram_since_epoch(d, dram_later(tick, group));
    dram_bank_timed(d, b);
}

RB_CLONE_PART uint32_t greater(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

RB_CLONE_PART uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* When the row command for bank b's oldest miss can go, not before floor. */
RB_CLONE_PART uint32_t row_ready(const dram_choice_t *c, uint32_t b, uint32_t rrd, uint32_t floor)
{
    return greater(greater(c->row_ready[b], rrd & c->closed[b]), floor);
}

typedef struct {
    uint32_t key, bank;
} dram_best_t;

/* The lowest of n keys, and the first bank that has it. */
RB_CLONE_PART dram_best_t key_lowest(const uint32_t *key, uint32_t n)
{
    dram_best_t best = {.key = NO_KEY, .bank = n};
    for (uint32_t b = 0; b < n; b++)
        best.key = smaller(best.key, key[b]);
    for (uint32_t b = 0; b < n; b++)
        best.bank = smaller(best.bank, key[b] == best.key ? b : n);
    return best;
}

/* The best column command; banks of `group` are not ready before tick `at`. */
RB_CLONE_PART dram_best_t column_best(const dram_choice_t *c, const uint32_t *restrict age,
                                      uint32_t group, uint32_t at, uint32_t floor, uint32_t n)
{
    uint32_t key[DRAM_MAX_BANKS], *restrict ready = c->col_ready;
    const uint32_t *restrict group_of = c->group;
    for (uint32_t b = 0; b < n; b++) {
        ready[b] = greater(ready[b], group_of[b] == group ? at : 0);
        key[b] = (greater(ready[b], floor) - floor) << AGE_BITS | age[b];
    }
    return key_lowest(key, n);
}

RB_CLONE_PART dram_best_t row_best(const dram_choice_t *c, const uint32_t *age, uint32_t rrd,
                                   uint32_t floor, uint32_t n)
{
    uint32_t key[DRAM_MAX_BANKS];
    for (uint32_t b = 0; b < n; b++)
        key[b] = (row_ready(c, b, rrd, floor) - floor) << AGE_BITS | age[b];
    return key_lowest(key, n);
}

RB_CLONE_PART void column_choose(dram_t *d, uint64_t t, uint32_t n)
{
    const dram_choice_t *c = &d->choice;
    const uint32_t floor = dram_since_epoch(d, dram_later(d->col_next[d->mode], t));
    const uint32_t group = d->group_last, at = dram_since_epoch(d, d->group_next[group]);
    const dram_best_t best = column_best(c, c->col_age[d->mode], group, at, floor, n);
    d->col_bank = best.bank;
    d->col_tick = best.key != NO_KEY ? d->epoch + floor + (best.key >> AGE_BITS) : DRAM_TICK_NEVER;
}

RB_CLONE_PART void row_choose(dram_t *d, uint64_t t, uint32_t n)
{
    const dram_choice_t *c = &d->choice;
    const uint32_t floor = dram_since_epoch(d, dram_later(d->row_next, t));
    const uint32_t rrd = dram_since_epoch(d, d->rrd_next);
    const dram_best_t best = row_best(c, c->row_age[d->mode], rrd, floor, n);
    d->row_bank = best.bank;
    d->row_tick = best.key != NO_KEY ? d->epoch + floor + (best.key >> AGE_BITS) : DRAM_TICK_NEVER;
}

/* LANES banks are usual, and a loop of known length keeps its keys in registers. The versions for
 * other numbers are separate functions because their stack frame costs time. */
RB_CLONES_V3 static void column_choose_of_any(dram_t *d, uint64_t t)
{
    column_choose(d, t, d->choice.n);
}

RB_CLONES_V3 static void row_choose_of_any(dram_t *d, uint64_t t)
{
    row_choose(d, t, d->choice.n);
}

/* Chooses the column command that can go first; if several, the one with the oldest request. */
RB_CLONES_V3 void dram_column_choose(dram_t *d, uint64_t t)
{
    if (d->choice.n == LANES)
        column_choose(d, t, LANES);
    else
        column_choose_of_any(d, t);
}

/* The same for row commands: for banks with requests, but none for the open row. */
RB_CLONES_V3 void dram_row_choose(dram_t *d, uint64_t t)
{
    if (d->choice.n == LANES)
        row_choose(d, t, LANES);
    else
        row_choose_of_any(d, t);
}

void dram_column_consider(dram_t *d, uint32_t b, uint64_t floor)
{
    const uint32_t *age = d->choice.col_age[d->mode];
    uint64_t tick = d->epoch + greater(d->choice.col_ready[b], dram_since_epoch(d, floor));
    if (tick < d->col_tick || (tick == d->col_tick && age[b] < age[d->col_bank])) {
        d->col_tick = tick;
        d->col_bank = b;
    }
}

void dram_row_consider(dram_t *d, uint32_t b, uint64_t floor)
{
    const uint32_t *age = d->choice.row_age[d->mode];
    uint32_t rrd = dram_since_epoch(d, d->rrd_next);
    uint64_t tick = d->epoch + row_ready(&d->choice, b, rrd, dram_since_epoch(d, floor));
    if (tick < d->row_tick || (tick == d->row_tick && age[b] < age[d->row_bank])) {
        d->row_tick = tick;
        d->row_bank = b;
    }
}
