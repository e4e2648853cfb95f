/*
 * The requests that left an SM in a window, for the ports that SMs share (cluster_port.h): the SM notes
 * them while it sends, in the order in which they pass.
 */
#ifndef RUBATO_PARTS_DEPARTURES_H
#define RUBATO_PARTS_DEPARTURES_H

#include "sim/core/engine/engine.h"

typedef struct {
    uint32_t index; /* engine_last_sent() */
    uint16_t dest;
    uint8_t count; /* cycles from its first flit to its last */
    uint8_t flits;
    uint32_t starts;          /* lower bits of the cycle in which its first flit leaves the SM */
    uint8_t op, src, sectors; /* as in mem_msg_t */
    uint8_t partial;          /* sectors that are written in part */
} departure_t;

typedef struct {
    departure_t *list;       /* owned; the departures begin at list[1], and end before ... */
    departure_t *end, *room; /* end < room */
    cycle_t from;            /* when the window began */
    struct mail *mail;
    bool data; /* one of them carries data */
} departures_t;

/* Of one SM. */
typedef struct {
    _Alignas(64) departures_t half[2]; /* engine_half() */
    departures_t *open;
} departure_log_t;

void departures_init(departure_log_t *log);
void departures_free(departure_log_t *log);

/* When a window begins for the SM. */
static inline void departures_open(departure_log_t *log, const outbox_t *out, cycle_t from)
{
    departures_t *d = log->open = &log->half[engine_half(out)];
    d->end = &d->list[1];
    d->list->starts = (uint32_t)from - 1; /* so that the first departure has one before it */
    d->from = from;
    d->mail = engine_mail(out);
    d->data = false;
}

/* Notes m, which was sent last through out, to shard dest. If it carries data, the window is marked. */
void departures_add(departure_log_t *log, outbox_t *out, uint16_t dest, const msg_t *m,
                    cycle_t starts);

static inline size_t departures_count(const departures_t *d)
{
    return (size_t)(d->end - d->list) - 1;
}

#endif
