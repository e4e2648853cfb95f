#include "sim/parts/departures.h"

#include "sim/core/model_mem.h"

static void grow(departures_t *d)
{
    const size_t n = d->list == NULL ? 0 : (size_t)(d->end - d->list);
    size_t cap = n;
    rb_model_grow(&d->list, &cap, n + 1, sizeof(*d->list));
    d->end = d->list + n;
    d->room = d->list + cap;
}

void departures_init(departure_log_t *log)
{
    for (unsigned h = 0; h < 2; h++)
        grow(&log->half[h]);
}

void departures_free(departure_log_t *log)
{
    for (unsigned h = 0; h < 2; h++)
        rb_model_free(log->half[h].list);
}

/* Whether a passes after b, though it was sent before. */
static bool follows(const departure_t *a, const departure_t *b)
{
    return a->starts == b->starts &&
           (a->count > b->count || (a->count == b->count && a->dest > b->dest));
}

/* Moves the last departure before those of its cycle that follow it, and makes room for another one. */
static __attribute__((noinline)) void settle(departures_t *d)
{
    departure_t *at = d->end - 1;
    const departure_t last = *at;
    for (; follows(&at[-1], &last); at--)
        *at = at[-1];
    *at = last;
    if (d->end == d->room)
        grow(d);
}

/* Not inlined: its caller also serves the slices, which note nothing. */
__attribute__((noinline)) void departures_add(departure_log_t *log, outbox_t *out, uint16_t dest,
                                              const msg_t *m, cycle_t starts)
{
    departures_t *d = log->open;
    departure_t *last = d->end++;
    last->index = engine_last_sent(out, dest);
    last->dest = dest;
    last->count = m->count;
    last->flits = m->flits;
    last->starts = (uint32_t)starts;
    last->op = m->mem.op;
    last->src = m->mem.src;
    last->sectors = m->mem.sectors;
    last->partial = m->mem.op == MEM_WRITE ? m->mem.sectors & (uint8_t)~m->mem.full : 0;
    if (m->mem.op != MEM_READ) {
        d->data = true;
        engine_mark(out);
    }
    if (last[-1].starts == last->starts || d->end == d->room)
        settle(d);
}
