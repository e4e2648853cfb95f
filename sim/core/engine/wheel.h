/*
 * Event wheel: 32-bit payloads ordered by cycle, first in first out within a cycle.
 *
 * Near events (within WHEEL_SLOTS cycles) sit in slots found through an occupancy bitmap; far ones
 * wait in a binary heap ordered by (cycle, insertion) and move into slots as time comes near.
 * Nothing is allocated after the node pool has reached its high-water mark.
 */
#ifndef RUBATO_CORE_WHEEL_H
#define RUBATO_CORE_WHEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/cycle.h"

enum { WHEEL_SLOTS = 1024, WHEEL_WORDS = WHEEL_SLOTS / 64 };

typedef struct {
    uint32_t next; /* index + 1 of the following node in the slot or free list */
    uint32_t payload;
} wheel_node_t;

typedef struct {
    uint32_t head, tail; /* index + 1, 0: empty */
} wheel_slot_t;

typedef struct {
    cycle_t cycle;
    uint64_t seq;
    uint32_t payload;
} wheel_far_t;

typedef struct {
    cycle_t base;       /* every pending event is at or after base */
    cycle_t first;      /* cycle of the earliest pending event, CYCLE_NEVER if there is none */
    wheel_node_t *node; /* owned */
    uint32_t free_list; /* index + 1 */
    uint32_t words;     /* bit i: occupied[i] != 0 */
    uint64_t occupied[WHEEL_WORDS];
    wheel_slot_t slot[WHEEL_SLOTS];
    size_t n_nodes, cap_nodes;
    wheel_far_t *far; /* owned; heap */
    size_t n_far, cap_far;
    uint64_t far_seq;
    size_t count;
} wheel_t;

void wheel_init(wheel_t *w);

/* The wheel may not be used afterwards, except by wheel_init(). */
void wheel_free(wheel_t *w);

/* wheel_add() when the event is far away or the node pool must grow. */
void wheel_add_slow(wheel_t *w, cycle_t cycle, uint32_t payload);

/* Adds an event at cycle >= w->base. */
static inline void wheel_add(wheel_t *w, cycle_t cycle, uint32_t payload)
{
    uint32_t n = w->free_list;
    if (cycle - w->base >= WHEEL_SLOTS || n == 0) {
        wheel_add_slow(w, cycle, payload);
        return;
    }
    wheel_node_t *node = &w->node[n - 1];
    unsigned s = (unsigned)(cycle % WHEEL_SLOTS);
    wheel_slot_t *slot = &w->slot[s];
    w->free_list = node->next;
    node->next = 0;
    node->payload = payload;
    if (slot->head == 0) {
        slot->head = n;
        w->occupied[s / 64] |= UINT64_C(1) << s % 64;
        w->words |= UINT32_C(1) << s / 64;
    } else {
        w->node[slot->tail - 1].next = n;
    }
    slot->tail = n;
    w->count++;
    w->first = cycle_min(w->first, cycle);
}

/* Cycle of the earliest pending event, CYCLE_NEVER if there is none. */
static inline cycle_t wheel_next(const wheel_t *w)
{
    return w->first;
}

/* Removes the earliest event; there must be one. Callers use wheel_pop(). */
uint32_t wheel_take(wheel_t *w);

/*
 * Removes the earliest event that lies before end: stores its cycle and payload and returns true.
 * base moves to that cycle. Events added meanwhile are seen.
 */
static inline bool wheel_pop(wheel_t *w, cycle_t end, cycle_t *cycle, uint32_t *payload)
{
    if (w->first >= end)
        return false;
    *cycle = w->first;
    *payload = wheel_take(w);
    return true;
}

/* States that no more events will be added before cycle. All earlier ones must have been taken. */
void wheel_advance(wheel_t *w, cycle_t cycle);

#endif
