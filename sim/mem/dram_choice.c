#include <string.h>

#include "sim/core/clones.h"
#include "sim/core/model_mem.h"
#include "sim/mem/dram_internal.h"

enum {
    LANES = 16, /* arrays are padded to this many banks: whole vectors */
    /*
     * A command's key: the ticks until it can go, then its age, in one number. No timing is longer
     * than 2^18 ticks. Ages reach back AGE_KEPT requests at least; what is older counts as equally
     * old, and of such requests the lower bank's goes first.
     */
    AGE_BITS = 14,
    AGE_LIMIT = 1 << AGE_BITS,
    AGE_KEPT = AGE_LIMIT / 2,
};

#define NO_AGE UINT32_MAX
#define NO_KEY UINT32_MAX

static uint32_t padded(uint32_t banks)
{
    return (banks + LANES - 1) / LANES * LANES;
}

void dram_choice_init(dram_t *d)
{
    dram_choice_t *c = &d->choice;
    uint32_t **const array[] = {&c->col_ready,  &c->group_ready, &c->row_ready,  &c->closed,
                                &c->col_age[0], &c->col_age[1],  &c->row_age[0], &c->row_age[1]};
    const uint32_t n_arrays = sizeof(array) / sizeof(array[0]), n = padded(d->spec.banks);
    c->memory = rb_model_calloc((size_t)n_arrays * n, sizeof(*c->memory));
    for (uint32_t i = 0; i < n_arrays; i++)
        *array[i] = c->memory + (size_t)i * n;
    for (uint32_t k = 0; k < DRAM_KINDS; k++) {
        for (uint32_t b = 0; b < n; b++)
            c->col_age[k][b] = c->row_age[k][b] = NO_AGE;
    }
    for (uint32_t b = 0; b < d->spec.banks; b++)
        dram_bank_timed(d, b);
}

void dram_choice_free(dram_t *d)
{
    rb_model_free(d->choice.memory);
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
    uint32_t at = dram_since_epoch(d, tick);
    for (uint32_t b = g; b < d->spec.banks; b += d->spec.bank_groups)
        d->choice.group_ready[b] = at;
}

RB_CLONE_PART uint32_t greater(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

RB_CLONE_PART uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The first of n keys that equals best. */
RB_CLONE_PART uint32_t key_find(const uint32_t *key, uint32_t n, uint32_t best)
{
    uint32_t at = n;
    for (uint32_t b = 0; b < n; b++)
        at = smaller(at, key[b] == best ? b : n);
    return at;
}

/* When bank b can serve its oldest hit, not before floor. */
RB_CLONE_PART uint32_t column_ready(const dram_choice_t *c, uint32_t b, uint32_t floor)
{
    return greater(greater(c->col_ready[b], c->group_ready[b]), floor);
}

/* When the row command can go that bank b's oldest miss needs, not before floor. */
RB_CLONE_PART uint32_t row_ready(const dram_choice_t *c, uint32_t b, uint32_t rrd, uint32_t floor)
{
    return greater(greater(c->row_ready[b], rrd & c->closed[b]), floor);
}

/* The column command that can go first, of several the one of the oldest request. */
RB_CLONES_V3 void dram_column_choose(dram_t *d, uint64_t t)
{
    const dram_choice_t *c = &d->choice;
    const uint32_t n = padded(d->spec.banks);
    const uint32_t floor = dram_since_epoch(d, dram_later(d->col_next[d->mode], t));
    const uint32_t *age = c->col_age[d->mode];
    uint32_t key[DRAM_MAX_BANKS], best = NO_KEY;
    for (uint32_t b = 0; b < n; b++) {
        key[b] = (column_ready(c, b, floor) - floor) << AGE_BITS | age[b];
        best = smaller(best, key[b]);
    }
    if (best == NO_KEY) {
        d->col_tick = DRAM_TICK_NEVER;
        return;
    }
    d->col_bank = key_find(key, n, best);
    d->col_tick = d->epoch + floor + (best >> AGE_BITS);
}

/* Row commands are for banks with requests, none of them for the open row. */
RB_CLONES_V3 void dram_row_choose(dram_t *d, uint64_t t)
{
    const dram_choice_t *c = &d->choice;
    const uint32_t n = padded(d->spec.banks);
    const uint32_t floor = dram_since_epoch(d, dram_later(d->row_next, t));
    const uint32_t rrd = dram_since_epoch(d, d->rrd_next);
    const uint32_t *age = c->row_age[d->mode];
    uint32_t key[DRAM_MAX_BANKS], best = NO_KEY;
    for (uint32_t b = 0; b < n; b++) {
        key[b] = (row_ready(c, b, rrd, floor) - floor) << AGE_BITS | age[b];
        best = smaller(best, key[b]);
    }
    if (best == NO_KEY) {
        d->row_tick = DRAM_TICK_NEVER;
        return;
    }
    d->row_bank = key_find(key, n, best);
    d->row_tick = d->epoch + floor + (best >> AGE_BITS);
}

void dram_column_consider(dram_t *d, uint32_t b, uint64_t floor)
{
    const uint32_t *age = d->choice.col_age[d->mode];
    uint64_t tick = d->epoch + column_ready(&d->choice, b, dram_since_epoch(d, floor));
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
