#include "sim/mem/dram_internal.h"

void dram_list_append(dram_t *d, dram_list_t *l, uint32_t n)
{
    d->request[n - 1].next = 0;
    uint16_t *link = l->head == 0 ? &l->head : &d->request[l->tail - 1].next;
    *link = (uint16_t)n;
    l->tail = (uint16_t)n;
}

uint32_t dram_list_pop(dram_t *d, dram_list_t *l)
{
    uint32_t n = l->head;
    l->head = d->request[n - 1].next;
    return n;
}

static inline bool request_older(const dram_t *d, uint32_t a, uint32_t b)
{
    return d->seq - d->request[a - 1].seq > d->seq - d->request[b - 1].seq;
}

/* Merges *from into *into by age and empties *from. */
static void list_merge(dram_t *d, dram_list_t *into, dram_list_t *from)
{
    dram_list_t all = {0};
    while (into->head != 0 || from->head != 0) {
        bool first =
            from->head == 0 || (into->head != 0 && request_older(d, into->head, from->head));
        dram_list_append(d, &all, dram_list_pop(d, first ? into : from));
    }
    *into = all;
}

/* The bank's open row will be closed: its hits become misses. */
static void bank_give_up_row(dram_t *d, uint32_t b)
{
    dram_bank_t *bank = &d->bank[b];
    for (uint32_t k = 0; k < DRAM_KINDS; k++) {
        if (bank->hit[k].head != 0) {
            list_merge(d, &bank->miss[k], &bank->hit[k]);
            dram_waiting_changed(d, b, k);
        }
    }
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
        dram_waiting_changed(d, b, kind);
        if (kind != d->mode)
            return;
        dram_column_consider(d, b, dram_later(d->col_next[kind], t));
        if (!no_misses && d->row_tick != DRAM_TICK_NEVER && d->row_bank == b)
            dram_row_choose(d, t);
        return;
    }
    dram_list_append(d, &bank->miss[kind], n);
    if (!no_misses)
        return;
    dram_waiting_changed(d, b, kind);
    if (kind == d->mode && no_hits)
        dram_row_consider(d, b, dram_later(d->row_next, t));
}

static void bank_close_for_refresh(dram_t *d, uint32_t b)
{
    dram_bank_t *bank = &d->bank[b];
    if (bank->open) {
        d->stats.precharges++;
        bank->open = bank->closing = false;
        bank_give_up_row(d, b);
    }
    bank->conflict = false;
}

/* Refreshes all banks at once; the refresh waits for the slowest bank. */
static void refresh_all(dram_t *d, uint64_t t)
{
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
    uint64_t more = (t - d->refresh_due) / d->refresh_every;
    uint64_t last_due = d->refresh_due + more * d->refresh_every;
    start = more > 0 && start < last_due ? last_due : start;
    for (uint32_t b = 0; b < d->spec.banks; b++) {
        bank_close_for_refresh(d, b);
        d->bank[b].act_ready = start + d->spec.tRFC;
        dram_bank_timed(d, b);
    }
    d->stats.refreshes += more + 1;
    d->refresh_due = last_due + d->refresh_every;
}

/* Refreshes one bank at a time: the n-th refresh is for bank n mod banks. */
static void refresh_banks(dram_t *d, uint64_t t)
{
    uint64_t due = d->refresh_due, n = (t - due) / d->refresh_every + 1;
    d->stats.refreshes += n;
    d->refresh_due = due + n * d->refresh_every;
    /* Only the last refresh of each bank still matters. */
    if (n > d->spec.banks)
        due += (n - d->spec.banks) * d->refresh_every;
    for (; due < d->refresh_due; due += d->refresh_every) {
        uint32_t b = (uint32_t)((due / d->refresh_every - 1) % d->spec.banks);
        dram_bank_t *bank = &d->bank[b];
        uint64_t start = bank->open ? dram_later(due, bank->pre_ready) + d->spec.tRP
                                    : dram_later(due, bank->act_ready);
        bank_close_for_refresh(d, b);
        bank->act_ready = start + d->spec.tRFCSB;
        dram_bank_timed(d, b);
    }
}

void dram_refresh(dram_t *d, uint64_t t)
{
    if (t < d->refresh_due)
        return;
    if (d->by_launch != NULL)
        stats_split_to(&d->by_launch->split, 0);
    if (d->spec.tRFCSB > 0)
        refresh_banks(d, t);
    else
        refresh_all(d, t);
}

static inline void at_least(uint64_t *to, uint64_t tick)
{
    *to = dram_later(*to, tick);
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

/* Handles the last burst of bank b's oldest hit. done: tick after its data. */
static void request_finish(dram_t *d, uint32_t b, uint64_t t, uint64_t done)
{
    uint32_t k = d->mode;
    dram_bank_t *bank = &d->bank[b];
    uint32_t n = dram_list_pop(d, &bank->hit[k]);
    dram_request_t *r = &d->request[n - 1];
    if (k == DRAM_READ) {
        /* With a very fast DRAM clock the data may arrive in the core cycle of the command. */
        cycle_t cycle = clock_cycle_from(&d->clock, done) + d->back;
        if (d->back == 0)
            cycle = cycle_max(cycle, clock_cycle_from(&d->clock, t) + 1);
        d->stats.read_latency += (uint32_t)((uint32_t)cycle - r->sent);
        dram_read_served(d, cycle, r->token);
    }
    r->next = d->free_list;
    d->free_list = (uint16_t)n;
    d->n_waiting[k]--;
    dram_waiting_changed(d, b, k);

    uint32_t oldest = bank->miss[k].head;
    if (oldest == 0)
        return;
    if (bank->hit[k].head != 0 && d->request[oldest - 1].arrival + d->spec.age_limit < t &&
        request_older(d, oldest, bank->hit[k].head)) {
        bank->closing = true;
        bank_give_up_row(d, b);
    }
    if (bank->hit[k].head == 0)
        dram_row_consider(d, b, dram_later(d->row_next, t + 1));
}

/* Counts a burst and the turn of the bus before it. */
static void burst_count(dram_t *d, uint32_t kind)
{
    d->stats.busy += d->burst_ticks;
    if (kind != d->last_direction) {
        d->stats.turnarounds++;
        d->last_direction = kind;
    }
}

/* The next burst of a write has to be read first. Returns the tick of the write, which stands for both:
 * the channel issues no other column command before it. */
static uint64_t burst_read_first(dram_t *d, uint64_t t)
{
    burst_count(d, DRAM_READ);
    return dram_later(t, d->col_next[DRAM_READ]) + d->turn_after[DRAM_READ];
}

bool dram_column_issue(dram_t *d, uint64_t t)
{
    const uint32_t b = d->col_bank, k = d->mode;
    dram_bank_t *bank = &d->bank[b];
    dram_request_t *r = &d->request[bank->hit[k].head - 1];
    dram_count_for_request(d, bank->hit[k].head);
    if (!r->started)
        request_start(d, r);
    const bool masked = k == DRAM_WRITE && r->token > 0;
    if (masked) {
        r->token--;
        t = d->spec.ecc ? burst_read_first(d, t) : t;
    }
    const uint32_t ccd = masked && !d->spec.ecc ? d->ccdm : d->ccd;
    burst_count(d, k);
    dram_group_timed(d, bank->group, t + d->ccdl);
    at_least(&bank->pre_ready, t + d->pre_after[k]);
    d->choice.row_ready[b] = dram_since_epoch(d, bank->pre_ready);
    d->col_next[k] = t + ccd; /* until now it was at most t */
    at_least(&d->col_next[k ^ 1], t + dram_later(d->turn_after[k], ccd));
    bool done = --r->bursts == 0;
    if (done)
        request_finish(d, b, t, t + d->data_after[k]);
    dram_column_choose(d, t + 1);
    return done;
}

/* Sets when the next activate may be issued after one at tick t. */
static void activate_space(dram_t *d, uint64_t t)
{
    for (uint32_t i = 0; i + 1 < FAW; i++)
        d->faw_next[i] = d->faw_next[i + 1];
    d->faw_next[FAW - 1] = t + d->spec.tFAW;
    d->rrd_next = dram_later(t + d->spec.tRRD, d->faw_next[0]);
}

/* Moves the waiting requests for the newly opened row to the hits. */
static void bank_take_hits(dram_t *d, uint32_t b)
{
    dram_bank_t *bank = &d->bank[b];
    for (uint32_t k = 0; k < DRAM_KINDS; k++) {
        uint16_t *link = &bank->miss[k].head, last = 0, n;
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
            dram_waiting_changed(d, b, k);
        }
    }
}

void dram_row_issue(dram_t *d, uint64_t t)
{
    const dram_spec_t *s = &d->spec;
    uint32_t b = d->row_bank;
    dram_bank_t *bank = &d->bank[b];
    dram_count_for_request(d, bank->miss[d->mode].head);
    d->row_next = t + (bank->open ? s->precharge_slots : s->activate_slots);
    if (bank->open) {
        d->stats.precharges++;
        bank->open = bank->closing = false;
        bank->conflict = true;
        at_least(&bank->act_ready, t + s->tRP);
        dram_bank_timed(d, b);
        if ((bank->hit[DRAM_READ].head | bank->hit[DRAM_WRITE].head) != 0)
            bank_give_up_row(d, b);
        dram_row_choose(d, t + 1);
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
    dram_bank_opened(d, b, t + s->tRCD);
    activate_space(d, t);
    bank_take_hits(d, b);
    dram_column_consider(d, b, dram_later(d->col_next[d->mode], t + 1));
    dram_row_choose(d, t + 1);
}
