/* State of a channel that survives a launch, and a description of a channel that is stuck. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "sim/core/err.h"
#include "sim/core/files/checkpoint_read.h"
#include "sim/mem/dram_internal.h"

/* A checkpoint's fixed part; the banks follow. */
typedef struct {
    uint64_t banks, groups;
    uint64_t col_next[DRAM_KINDS], row_next, rrd_next, faw_next[FAW], refresh_due, epoch, mode,
        last_direction, drain_due;
} checkpoint_t;

enum { BANK_FIELDS = 7 };

int dram_save(const dram_t *d, FILE *out)
{
    RB_INVARIANT(dram_idle(d), "dram: checkpoint of a busy channel");
    checkpoint_t head = {.banks = d->spec.banks,
                         .groups = d->spec.bank_groups,
                         .col_next = {d->col_next[0], d->col_next[1]},
                         .row_next = d->row_next,
                         .rrd_next = d->rrd_next,
                         .refresh_due = d->refresh_due,
                         .epoch = d->epoch,
                         .mode = d->mode,
                         .last_direction = d->last_direction,
                         .drain_due = d->drain_due};
    memcpy(head.faw_next, d->faw_next, sizeof(head.faw_next));
    if (fwrite(&head, sizeof(head), 1, out) != 1)
        return -1;
    if (d->spec.check_bursts > 0 && fwrite(d->checked, sizeof(d->checked), 1, out) != 1)
        return -1;
    for (uint32_t b = 0; b < d->spec.banks; b++) {
        const dram_bank_t *k = &d->bank[b];
        const uint64_t field[BANK_FIELDS] = {k->row,
                                             k->open,
                                             k->conflict,
                                             k->act_ready,
                                             k->pre_ready,
                                             d->epoch + d->choice.col_ready[b],
                                             d->group_next[k->group]};
        if (fwrite(field, sizeof(field), 1, out) != 1)
            return -1;
    }
    return 0;
}

static bool all_until(const uint64_t *tick, size_t n, uint64_t latest)
{
    for (size_t i = 0; i < n; i++)
        if (tick[i] > latest)
            return false;
    return true;
}

/* Whether a channel at rest can have these values. */
static bool head_is_possible(const dram_t *d, const checkpoint_t *h, uint64_t latest)
{
    const uint64_t refresh = h->refresh_due == DRAM_TICK_NEVER ? 0 : h->refresh_due;
    return all_until(h->col_next, DRAM_KINDS, latest) && all_until(h->faw_next, FAW, latest) &&
           h->row_next <= latest && h->rrd_next <= latest && h->epoch <= latest &&
           refresh <= latest + d->spec.tREFI &&
           (h->drain_due == DRAM_TICK_NEVER || h->drain_due <= latest + d->spec.write_wait);
}

static bool bank_is_possible(const dram_t *d, const uint64_t field[BANK_FIELDS], uint64_t latest)
{
    const uint64_t col_ready = dram_later(field[5], d->epoch);
    return field[1] <= 1 && field[2] <= 1 && all_until(field + 3, BANK_FIELDS - 3, latest) &&
           col_ready - d->epoch <= UINT32_MAX;
}

int dram_load(dram_t *d, FILE *in, cycle_t latest)
{
    const uint64_t last_tick = clock_tick_from(&d->clock, latest);
    checkpoint_t head;
    if (fread(&head, sizeof(head), 1, in) != 1)
        return checkpoint_read_failed(in);
    if (!head_is_possible(d, &head, last_tick) || head.banks != d->spec.banks ||
        head.groups != d->spec.bank_groups || !dram_idle(d) || head.mode >= DRAM_KINDS ||
        head.last_direction >= DRAM_KINDS ||
        (head.refresh_due == DRAM_TICK_NEVER) != (d->spec.tREFI == 0))
        return checkpoint_out_of_range();
    memcpy(d->col_next, head.col_next, sizeof(d->col_next));
    d->row_next = head.row_next;
    d->rrd_next = head.rrd_next;
    memcpy(d->faw_next, head.faw_next, sizeof(d->faw_next));
    d->refresh_due = head.refresh_due;
    d->epoch = head.epoch;
    d->mode = (uint32_t)head.mode;
    d->last_direction = (uint32_t)head.last_direction;
    d->drain_due = head.drain_due;
    if (d->spec.check_bursts > 0 && fread(d->checked, sizeof(d->checked), 1, in) != 1)
        return checkpoint_read_failed(in);
    for (uint32_t b = 0; b < d->spec.banks; b++) {
        dram_bank_t *k = &d->bank[b];
        uint64_t field[BANK_FIELDS];
        if (fread(field, sizeof(field), 1, in) != 1)
            return checkpoint_read_failed(in);
        if (!bank_is_possible(d, field, last_tick))
            return checkpoint_out_of_range();
        k->row = field[0];
        k->open = field[1] != 0;
        k->conflict = field[2] != 0;
        k->act_ready = field[3];
        k->pre_ready = field[4];
        d->choice.col_ready[b] = dram_since_epoch(d, dram_later(field[5], d->epoch));
        d->group_next[k->group] = field[6];
    }
    dram_epoch_set(d, head.epoch);
    return 0;
}

void dram_dump(const dram_t *d, FILE *out)
{
    if (dram_idle(d))
        return;
    fprintf(out,
            "  dram: reads %u on the path, %u in the window; writes %u, %u; %s mode; next tick "
            "%" PRIu64 " (core cycle %" PRIu64 ")\n",
            d->n_path[DRAM_READ], d->n_waiting[DRAM_READ], d->n_path[DRAM_WRITE],
            d->n_waiting[DRAM_WRITE], d->mode == DRAM_READ ? "read" : "write", d->next_tick,
            d->next_cycle);
    for (uint32_t b = 0; b < d->spec.banks; b++) {
        const dram_bank_t *k = &d->bank[b];
        for (uint32_t kind = 0; kind < DRAM_KINDS; kind++) {
            uint32_t n = k->miss[kind].head;
            if (n == 0)
                continue;
            const dram_request_t *r = &d->request[n - 1];
            fprintf(out,
                    "  dram bank %u (%s): oldest %s wants row %" PRIu64 ", arrived at tick "
                    "%" PRIu64 "\n",
                    b, k->open ? "open" : "closed", kind == DRAM_READ ? "read" : "write", r->row,
                    r->arrival);
        }
    }
}
