#include "sim/mem/dram_internal.h"

static inline void bank_set_put(dram_bank_set_t *s, uint32_t bank, bool in)
{
    uint64_t bit = UINT64_C(1) << bank % 64;
    s->word[bank / 64] = in ? s->word[bank / 64] | bit : s->word[bank / 64] & ~bit;
}

static inline bool bank_set_has(const dram_bank_set_t *s, uint32_t bank)
{
    return s->word[bank / 64] >> bank % 64 & 1;
}

void dram_list_append(dram_t *d, dram_list_t *l, uint32_t n)
{
    d->request[n - 1].next = 0;
    if (l->head == 0)
        l->head = n;
    else
        d->request[l->tail - 1].next = n;
    l->tail = n;
}

uint32_t dram_list_pop(dram_t *d, dram_list_t *l)
{
    uint32_t n = l->head;
    l->head = d->request[n - 1].next;
    return n;
}

/* Unites two lists by age into *into and empties *from. */
static void list_merge(dram_t *d, dram_list_t *into, dram_list_t *from)
{
    dram_list_t all = {0};
    while (into->head != 0 || from->head != 0) {
        bool first = from->head == 0 || (into->head != 0 && d->request[into->head - 1].seq <
                                                                d->request[from->head - 1].seq);
        dram_list_append(d, &all, dram_list_pop(d, first ? into : from));
    }
    *into = all;
}

/* Moves entry i of the order to where its bank's age belongs. */
static void order_settle(dram_t *d, uint32_t kind, uint32_t i)
{
    dram_order_t *o = &d->order[kind];
    uint8_t b = o->bank[i];
    uint64_t seq = d->bank[b].hit_seq[kind];
    for (; i > 0 && d->bank[o->bank[i - 1]].hit_seq[kind] > seq; i--)
        o->bank[i] = o->bank[i - 1];
    for (; i + 1 < o->n && d->bank[o->bank[i + 1]].hit_seq[kind] < seq; i++)
        o->bank[i] = o->bank[i + 1];
    o->bank[i] = b;
}

/* The hits of bank b changed. */
static void hits_update(dram_t *d, uint32_t b, uint32_t kind)
{
    dram_order_t *o = &d->order[kind];
    uint32_t oldest = d->bank[b].hit[kind].head, i = o->n;
    if (bank_set_has(&d->has_hit[kind], b)) {
        for (i = 0; o->bank[i] != b;)
            i++;
    } else if (oldest != 0) {
        bank_set_put(&d->has_hit[kind], b, true);
        o->bank[o->n++] = (uint8_t)b;
    }
    if (oldest != 0) {
        d->bank[b].hit_seq[kind] = d->request[oldest - 1].seq;
        order_settle(d, kind, i);
    } else if (i < o->n) {
        bank_set_put(&d->has_hit[kind], b, false);
        for (o->n--; i < o->n; i++)
            o->bank[i] = o->bank[i + 1];
    }
}

static void misses_update(dram_t *d, uint32_t b, uint32_t kind)
{
    uint32_t oldest = d->bank[b].miss[kind].head;
    bank_set_put(&d->has_miss[kind], b, oldest != 0);
    if (oldest != 0)
        d->bank[b].miss_seq[kind] = d->request[oldest - 1].seq;
}

/* The bank's open row will be closed: what wanted it waits for a row again. */
static void bank_give_up_row(dram_t *d, uint32_t b)
{
    dram_bank_t *bank = &d->bank[b];
    for (uint32_t k = 0; k < DRAM_KINDS; k++) {
        if (bank->hit[k].head != 0) {
            list_merge(d, &bank->miss[k], &bank->hit[k]);
            hits_update(d, b, k);
            misses_update(d, b, k);
        }
    }
}

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* First tick, not before floor, at which bank b can serve its oldest hit. */
static inline uint64_t column_tick(const dram_t *d, const dram_bank_t *bank, uint64_t floor)
{
    return later(later(bank->col_ready, d->group_ready[bank->group]), floor);
}

/* Makes bank b's oldest hit the next column command if it can go before the one chosen so far. */
static void column_consider(dram_t *d, uint32_t b, uint64_t floor)
{
    const dram_bank_t *bank = &d->bank[b];
    uint64_t tick = column_tick(d, bank, floor), seq = bank->hit_seq[d->mode];
    if (tick < d->col_tick || (tick == d->col_tick && seq < d->col_seq)) {
        d->col_tick = tick;
        d->col_seq = seq;
        d->col_bank = b;
    }
}

/* The column command that can go first, of several the one of the oldest request. */
static void column_choose(dram_t *d, uint64_t t)
{
    const dram_order_t *o = &d->order[d->mode];
    uint64_t floor = later(d->col_next[d->mode], t), best = DRAM_TICK_NEVER;
    for (uint32_t i = 0; i < o->n && best > floor; i++) {
        uint64_t tick = column_tick(d, &d->bank[o->bank[i]], floor);
        if (tick < best) {
            best = tick;
            d->col_bank = o->bank[i];
        }
    }
    d->col_tick = best;
    if (best != DRAM_TICK_NEVER)
        d->col_seq = d->bank[d->col_bank].hit_seq[d->mode];
}

/* First tick, not before floor, of the row command that bank b's oldest request needs. */
static inline uint64_t row_tick(const dram_t *d, const dram_bank_t *bank, uint64_t floor)
{
    return later(later(bank->row_ready, bank->closed & d->rrd_next), floor);
}

/* Makes that the next row command if it can go before the one chosen so far. */
static void row_consider(dram_t *d, uint32_t b, uint64_t floor)
{
    const dram_bank_t *bank = &d->bank[b];
    uint64_t tick = row_tick(d, bank, floor), seq = bank->miss_seq[d->mode];
    if (tick < d->row_tick || (tick == d->row_tick && seq < d->row_seq)) {
        d->row_tick = tick;
        d->row_seq = seq;
        d->row_bank = b;
    }
}

/* Row commands are for banks with requests, none of them for the open row. */
static void row_choose(dram_t *d, uint64_t t)
{
    uint64_t floor = later(d->row_next, t), best = UINT64_MAX;
    for (uint32_t w = 0; w < d->bank_words; w++) {
        uint64_t bits = d->has_miss[d->mode].word[w] & ~d->has_hit[d->mode].word[w];
        for (; bits != 0; bits &= bits - 1) {
            uint32_t b = w * 64 + (uint32_t)__builtin_ctzll(bits);
            const dram_bank_t *bank = &d->bank[b];
            /*
             * One number decides, without branches (which bank wins is hard to predict): the time
             * from now, the age, the bank. No timing is longer than 2^24 ticks, and the ages of
             * two waiting requests differ by less than 2^32.
             */
            uint32_t age = (uint32_t)(bank->miss_seq[d->mode] - d->seq);
            uint64_t key = (row_tick(d, bank, floor) - floor) << 40 | (uint64_t)age << 8 | b;
            best = key < best ? key : best;
        }
    }
    if (best == UINT64_MAX) {
        d->row_tick = DRAM_TICK_NEVER;
        return;
    }
    d->row_bank = best & (DRAM_MAX_BANKS - 1);
    d->row_tick = floor + (best >> 40);
    d->row_seq = d->bank[d->row_bank].miss_seq[d->mode];
}

void dram_choose(dram_t *d, uint64_t t)
{
    column_choose(d, t);
    row_choose(d, t);
}

void dram_bank_add(dram_t *d, uint32_t n, uint32_t kind, uint64_t t)
{
    dram_request_t *r = &d->request[n - 1];
    uint32_t b = r->bank;
    dram_bank_t *bank = &d->bank[b];
    bool no_hits = bank->hit[kind].head == 0, no_misses = bank->miss[kind].head == 0;
    if (bank->open && !bank->closing && bank->row == r->row) {
        dram_list_append(d, &bank->hit[kind], n);
        if (!no_hits)
            return;
        hits_update(d, b, kind);
        if (kind != d->mode)
            return;
        column_consider(d, b, later(d->col_next[kind], t));
        if (!no_misses && d->row_tick != DRAM_TICK_NEVER && d->row_bank == b)
            row_choose(d, t);
        return;
    }
    dram_list_append(d, &bank->miss[kind], n);
    if (!no_misses)
        return;
    bank->miss_seq[kind] = r->seq;
    bank_set_put(&d->has_miss[kind], b, true);
    if (kind == d->mode && no_hits)
        row_consider(d, b, later(d->row_next, t));
}

void dram_refresh(dram_t *d, uint64_t t)
{
    if (t < d->refresh_due)
        return;
    uint64_t start = d->refresh_due;
    bool any_open = false;
    for (uint32_t b = 0; b < d->spec.banks; b++) {
        dram_bank_t *bank = &d->bank[b];
        uint64_t ready = bank->open ? bank->pre_ready + d->spec.tRP : bank->act_ready;
        any_open |= bank->open;
        start = start > ready ? start : ready;
    }
    if (any_open && start < d->refresh_due + d->spec.tRP)
        start = d->refresh_due + d->spec.tRP;
    uint64_t later = (t - d->refresh_due) / d->spec.tREFI;
    uint64_t last_due = d->refresh_due + later * d->spec.tREFI;
    start = later > 0 && start < last_due ? last_due : start;
    for (uint32_t b = 0; b < d->spec.banks; b++) {
        dram_bank_t *bank = &d->bank[b];
        if (bank->open) {
            d->stats.precharges++;
            bank->open = bank->closing = false;
            bank_give_up_row(d, b);
        }
        bank->conflict = false;
        bank->act_ready = start + d->spec.tRFC;
        dram_bank_update(bank);
    }
    d->stats.refreshes += later + 1;
    d->refresh_due = last_due + d->spec.tREFI;
}

static inline void at_least(uint64_t *to, uint64_t tick)
{
    if (*to < tick)
        *to = tick;
}

/* Counts a request at its first column command. */
static void request_start(dram_t *d, dram_request_t *r)
{
    r->started = true;
    if (r->outcome == ROW_HIT)
        d->stats.row_hits++;
    else if (r->outcome == ROW_MISS)
        d->stats.row_misses++;
    else
        d->stats.row_conflicts++;
}

/* The last burst of bank b's oldest hit was issued; done: tick after its data. */
static void request_finish(dram_t *d, uint32_t b, uint64_t t, uint64_t done)
{
    uint32_t k = d->mode;
    dram_bank_t *bank = &d->bank[b];
    uint32_t n = dram_list_pop(d, &bank->hit[k]);
    dram_request_t *r = &d->request[n - 1];
    if (k == DRAM_READ) {
        /* At a very fast DRAM clock the data may come within the core cycle of the command. */
        cycle_t cycle = clock_cycle_from(&d->clock, done) + d->back;
        cycle = cycle_max(cycle, clock_cycle_from(&d->clock, t) + 1);
        d->stats.read_latency += cycle - r->sent;
        wheel_add(d->events, cycle, r->token);
    }
    r->next = d->free_list;
    d->free_list = n;
    d->n_waiting[k]--;
    hits_update(d, b, k);

    uint32_t oldest = bank->miss[k].head;
    if (oldest == 0)
        return;
    if (bank->hit[k].head != 0 && d->request[oldest - 1].arrival + d->spec.age_limit < t &&
        d->request[oldest - 1].seq < bank->hit_seq[k]) {
        bank->closing = true;
        bank_give_up_row(d, b);
    }
    if (bank->hit[k].head == 0)
        row_consider(d, b, later(d->row_next, t + 1));
}

void dram_column_issue(dram_t *d, uint64_t t)
{
    const dram_spec_t *s = &d->spec;
    uint32_t b = d->col_bank;
    dram_bank_t *bank = &d->bank[b];
    dram_request_t *r = &d->request[bank->hit[d->mode].head - 1];
    if (!r->started)
        request_start(d, r);
    d->stats.busy += d->burst_ticks;
    d->stats.turnarounds += d->mode != d->last_direction;
    d->last_direction = d->mode;
    d->group_ready[bank->group] = t + d->ccdl;
    uint64_t data_end;
    if (d->mode == DRAM_READ) {
        data_end = t + s->tCL + d->burst_ticks;
        at_least(&bank->pre_ready, t + s->tRTP);
        uint64_t write_data = data_end + s->tRTW;
        at_least(&d->col_next[DRAM_WRITE], write_data > s->tWL ? write_data - s->tWL : 0);
    } else {
        data_end = t + s->tWL + d->burst_ticks;
        at_least(&bank->pre_ready, data_end + s->tWR);
        at_least(&d->col_next[DRAM_READ], data_end + s->tCDLR);
    }
    dram_bank_update(bank);
    at_least(&d->col_next[DRAM_READ], t + d->ccd);
    at_least(&d->col_next[DRAM_WRITE], t + d->ccd);
    if (--r->bursts == 0)
        request_finish(d, b, t, data_end);
    column_choose(d, t + 1);
}

/* Moves the waiting requests for the row just opened to the hits. */
static void bank_take_hits(dram_t *d, uint32_t b)
{
    dram_bank_t *bank = &d->bank[b];
    for (uint32_t k = 0; k < DRAM_KINDS; k++) {
        uint32_t *link = &bank->miss[k].head, last = 0, n;
        while ((n = *link) != 0) {
            dram_request_t *r = &d->request[n - 1];
            if (r->row != bank->row) {
                last = n;
                link = &r->next;
                continue;
            }
            *link = r->next;
            dram_list_append(d, &bank->hit[k], n);
        }
        bank->miss[k].tail = last;
        if (bank->hit[k].head != 0) {
            hits_update(d, b, k);
            misses_update(d, b, k);
        }
    }
}

void dram_row_issue(dram_t *d, uint64_t t)
{
    const dram_spec_t *s = &d->spec;
    dram_bank_t *bank = &d->bank[d->row_bank];
    d->row_next = t + 1;
    if (bank->open) {
        d->stats.precharges++;
        bank->open = bank->closing = false;
        bank->conflict = true;
        at_least(&bank->act_ready, t + s->tRP);
        dram_bank_update(bank);
        bank_give_up_row(d, d->row_bank);
        row_choose(d, t + 1);
        return;
    }
    d->stats.activates++;
    dram_request_t *r = &d->request[bank->miss[d->mode].head - 1];
    r->outcome = bank->conflict ? ROW_CONFLICT : ROW_MISS;
    bank->conflict = false;
    bank->open = true;
    bank->row = r->row;
    bank->act_ready = t + s->tRC;
    bank->pre_ready = t + s->tRAS;
    bank->col_ready = t + s->tRCD;
    dram_bank_update(bank);
    d->rrd_next = t + s->tRRD;
    bank_take_hits(d, d->row_bank);
    column_consider(d, d->row_bank, later(d->col_next[d->mode], t + 1));
    row_choose(d, t + 1);
}
