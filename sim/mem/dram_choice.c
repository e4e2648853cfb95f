#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/mem/dram_internal.h"

enum {
    LANES = 16, /* arrays are padded to this many banks: whole vectors */
    /*
     * A command's key: the ticks until it can go, then its age, in one number. No timing is longer
     * than 2^18 ticks; ages beyond 2^14 requests count as equal, and the lower bank wins.
     */
    AGE_BITS = 14,
    MAX_AGE = (1 << AGE_BITS) - 1,
    MAX_WAIT = (1 << (32 - AGE_BITS)) - 2,
};

#define NO_KEY UINT32_MAX

static uint32_t padded(uint32_t banks)
{
    return (banks + LANES - 1) / LANES * LANES;
}

void dram_choice_init(dram_t *d)
{
    dram_choice_t *c = &d->choice;
    uint32_t **const array[] = {&c->col_ready,  &c->group_ready, &c->row_ready,   &c->closed,
                                &c->hit[0],     &c->hit[1],      &c->miss[0],     &c->miss[1],
                                &c->hit_seq[0], &c->hit_seq[1],  &c->miss_seq[0], &c->miss_seq[1]};
    const uint32_t n_arrays = sizeof(array) / sizeof(array[0]), n = padded(d->spec.banks);
    c->memory = rb_calloc_aligned((size_t)n_arrays * n, sizeof(*c->memory));
    for (uint32_t i = 0; i < n_arrays; i++)
        *array[i] = c->memory + (size_t)i * n;
    for (uint32_t b = 0; b < d->spec.banks; b++)
        dram_bank_timed(d, b);
}

void dram_choice_free(dram_t *d)
{
    free(d->choice.memory);
}

void dram_epoch_move(dram_t *d, uint64_t t)
{
    dram_choice_t *c = &d->choice;
    uint32_t passed = (uint32_t)(t - d->epoch);
    d->epoch = t;
    for (uint32_t b = 0; b < d->spec.banks; b++) {
        c->col_ready[b] = c->col_ready[b] > passed ? c->col_ready[b] - passed : 0;
        c->group_ready[b] = c->group_ready[b] > passed ? c->group_ready[b] - passed : 0;
        dram_bank_timed(d, b);
    }
}

void dram_bank_timed(dram_t *d, uint32_t b)
{
    const dram_bank_t *bank = &d->bank[b];
    d->choice.row_ready[b] = dram_since_epoch(d, bank->open ? bank->pre_ready : bank->act_ready);
    d->choice.closed[b] = bank->open ? 0 : ~UINT32_C(0);
}

void dram_hits_changed(dram_t *d, uint32_t b, uint32_t kind)
{
    uint32_t oldest = d->bank[b].hit[kind].head;
    d->choice.hit[kind][b] = oldest != 0 ? ~UINT32_C(0) : 0;
    if (oldest != 0)
        d->choice.hit_seq[kind][b] = d->request[oldest - 1].seq;
}

void dram_misses_changed(dram_t *d, uint32_t b, uint32_t kind)
{
    uint32_t oldest = d->bank[b].miss[kind].head;
    d->choice.miss[kind][b] = oldest != 0 ? ~UINT32_C(0) : 0;
    if (oldest != 0)
        d->choice.miss_seq[kind][b] = d->request[oldest - 1].seq;
}

void dram_group_timed(dram_t *d, uint32_t g, uint64_t tick)
{
    uint32_t at = dram_since_epoch(d, tick);
    for (uint32_t b = g; b < d->spec.banks; b += d->spec.bank_groups)
        d->choice.group_ready[b] = at;
}

static inline uint32_t greater(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Key of a command that can go at tick ready >= floor for a request of that age. */
static inline uint32_t command_key(uint32_t ready, uint32_t floor, uint32_t age)
{
    return smaller(ready - floor, MAX_WAIT) << AGE_BITS | (MAX_AGE - smaller(age, MAX_AGE));
}

/* The first of n keys that equals best. */
static inline uint32_t key_find(const uint32_t *key, uint32_t n, uint32_t best)
{
    uint32_t at = n;
    for (uint32_t b = 0; b < n; b++)
        at = smaller(at, key[b] == best ? b : n);
    return at;
}

/* When bank b can serve its oldest hit, not before floor. */
static inline uint32_t column_ready(const dram_choice_t *c, uint32_t b, uint32_t floor)
{
    return greater(greater(c->col_ready[b], c->group_ready[b]), floor);
}

/* When the row command can go that bank b's oldest miss needs, not before floor. */
static inline uint32_t row_ready(const dram_choice_t *c, uint32_t b, uint32_t rrd, uint32_t floor)
{
    return greater(greater(c->row_ready[b], rrd & c->closed[b]), floor);
}

/* The column command that can go first, of several the one of the oldest request. */
void dram_column_choose(dram_t *d, uint64_t t)
{
    const dram_choice_t *c = &d->choice;
    const uint32_t n = padded(d->spec.banks), seq = d->seq;
    const uint32_t floor = dram_since_epoch(d, dram_later(d->col_next[d->mode], t));
    const uint32_t *restrict hit = c->hit[d->mode], *restrict age = c->hit_seq[d->mode];
    uint32_t key[DRAM_MAX_BANKS], best = NO_KEY;
    for (uint32_t b = 0; b < n; b++) {
        key[b] = command_key(column_ready(c, b, floor), floor, seq - age[b]) | ~hit[b];
        best = smaller(best, key[b]);
    }
    if (best == NO_KEY) {
        d->col_tick = DRAM_TICK_NEVER;
        return;
    }
    d->col_bank = key_find(key, n, best);
    d->col_tick = d->epoch + column_ready(c, d->col_bank, floor);
    d->col_seq = age[d->col_bank];
}

/* Row commands are for banks with requests, none of them for the open row. */
void dram_row_choose(dram_t *d, uint64_t t)
{
    const dram_choice_t *c = &d->choice;
    const uint32_t n = padded(d->spec.banks), seq = d->seq;
    const uint32_t floor = dram_since_epoch(d, dram_later(d->row_next, t));
    const uint32_t rrd = dram_since_epoch(d, d->rrd_next);
    const uint32_t *restrict hit = c->hit[d->mode], *restrict miss = c->miss[d->mode];
    const uint32_t *restrict age = c->miss_seq[d->mode];
    uint32_t key[DRAM_MAX_BANKS], best = NO_KEY;
    for (uint32_t b = 0; b < n; b++) {
        uint32_t wanted = miss[b] & ~hit[b];
        key[b] = command_key(row_ready(c, b, rrd, floor), floor, seq - age[b]) | ~wanted;
        best = smaller(best, key[b]);
    }
    if (best == NO_KEY) {
        d->row_tick = DRAM_TICK_NEVER;
        return;
    }
    d->row_bank = key_find(key, n, best);
    d->row_tick = d->epoch + row_ready(c, d->row_bank, rrd, floor);
    d->row_seq = age[d->row_bank];
}

/* Ages are compared as differences: they may wrap around. */
static inline bool older(const dram_t *d, uint32_t a, uint32_t b)
{
    return d->seq - a > d->seq - b;
}

void dram_column_consider(dram_t *d, uint32_t b, uint64_t floor)
{
    uint64_t tick = d->epoch + column_ready(&d->choice, b, dram_since_epoch(d, floor));
    uint32_t seq = d->choice.hit_seq[d->mode][b];
    if (tick < d->col_tick || (tick == d->col_tick && older(d, seq, d->col_seq))) {
        d->col_tick = tick;
        d->col_seq = seq;
        d->col_bank = b;
    }
}

void dram_row_consider(dram_t *d, uint32_t b, uint64_t floor)
{
    uint32_t rrd = dram_since_epoch(d, d->rrd_next);
    uint64_t tick = d->epoch + row_ready(&d->choice, b, rrd, dram_since_epoch(d, floor));
    uint32_t seq = d->choice.miss_seq[d->mode][b];
    if (tick < d->row_tick || (tick == d->row_tick && older(d, seq, d->row_seq))) {
        d->row_tick = tick;
        d->row_seq = seq;
        d->row_bank = b;
    }
}
