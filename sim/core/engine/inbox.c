#include "sim/core/engine/inbox.h"

#include <stdbool.h>
#include <string.h>

#include "sim/core/err.h"
#include "sim/core/model_mem.h"

/* Messages are sorted in lots of at most LOT_MAX. The key of a message is its arrival relative to
 * that of the first message of the lot (less than LOT_CYCLES in either direction), then its place
 * in the lot: 16 bits, of which the host compares many at once. The sort has no branches on
 * arrivals, which the host could not predict. */
enum { PLACE_BITS = 6, LOT_MAX = 1 << PLACE_BITS, LOT_CYCLES = INT16_MAX >> PLACE_BITS, LANES = 8 };

/* A lot. The arrays are padded to a multiple of LANES with items that sort behind all messages. The
 * first LANES keys follow again, so that LANES neighbours can be read from any key on. */
typedef struct {
    uint32_t n, padded;
    int16_t key[LOT_MAX + LANES];
    inbox_item_t item[LOT_MAX]; /* in the order of insertion */
} lot_t;

void inbox_init(inbox_t *b)
{
    memset(b, 0, sizeof(*b));
    b->first = CYCLE_NEVER;
}

void inbox_free(inbox_t *b)
{
    msg_pool_destroy(&b->pool);
    rb_model_free(b->item);
    inbox_init(b);
}

static inline void check_arrival(const inbox_t *b, cycle_t arrival)
{
    RB_INVARIANT(arrival >= b->base, "message arrives at %llu, but time is at %llu",
                 (unsigned long long)arrival, (unsigned long long)b->base);
}

/* Forms the next lot from up to n messages and copies them into the pool. */
static void lot_begin(inbox_t *b, const msg_t *m, size_t n, lot_t *lot)
{
    uint32_t k = 0;
    for (; k < n && k < LOT_MAX; k++) {
        cycle_t arrival = m[k].arrival;
        int64_t later = (int64_t)(arrival - m[0].arrival);
        if (later >= LOT_CYCLES || later <= -LOT_CYCLES)
            break;
        check_arrival(b, arrival);
        lot->key[k] = (int16_t)((int)later * LOT_MAX + (int)k);
        lot->item[k] = (inbox_item_t){.arrival = arrival, .number = msg_pool_put(&b->pool, &m[k])};
    }
    lot->n = k;
    for (; k % LANES != 0; k++) {
        lot->key[k] = INT16_MAX;
        lot->item[k] = (inbox_item_t){0};
    }
    lot->padded = k;
    memcpy(lot->key + k, lot->key, LANES * sizeof(*lot->key));
}

typedef int16_t lanes_t __attribute__((vector_size(LANES * sizeof(int16_t))));

static inline lanes_t lanes_at(const int16_t *key)
{
    lanes_t l;
    memcpy(&l, key, sizeof(l));
    return l;
}

/* Puts items in the order of their keys. */
static void lot_sort(const lot_t *lot, inbox_item_t sorted[LOT_MAX + 1])
{
    for (uint32_t first = 0; first < lot->n; first += LANES) {
        const lanes_t mine = lanes_at(&lot->key[first]);
        lanes_t rank = {0}; /* how many keys are smaller; a comparison that holds is -1 */
        for (uint32_t k = 0; k < lot->padded; k += LANES) {
            for (uint32_t i = 0; i < LANES; i++)
                rank -= lanes_at(&lot->key[k + i]) < mine;
        }
        for (uint32_t i = 0; i < LANES; i++)
            sorted[rank[i]] = lot->item[first + i];
    }
}

/* Makes room for n more items behind those that wait. */
static void make_room(inbox_t *b, size_t n)
{
    size_t waiting = b->end - b->head;
    /* Moves fewer items than were taken since the last move. */
    if (b->head > 0 && b->head >= waiting) {
        memmove(b->item, b->item + b->head, waiting * sizeof(*b->item));
        b->head = 0;
        b->end = waiting;
    }
    rb_model_grow(&b->item, &b->cap, b->end + n, sizeof(*b->item));
}

/* Merges n sorted items into those that wait; on equal arrival the waiting items stay first. */
static void merge(inbox_t *b, const inbox_item_t *item, size_t n)
{
    make_room(b, n);
    inbox_item_t *to = &b->item[b->end + n], *old = &b->item[b->end];
    const inbox_item_t *const first = &b->item[b->head];
    b->end += n;
    while (n > 0 && old > first) {
        bool later = old[-1].arrival > item[n - 1].arrival;
        *--to = later ? old[-1] : item[n - 1];
        old -= later;
        n -= !later;
    }
    memcpy(to - n, item, n * sizeof(*item));
    b->first = b->item[b->head].arrival;
}

/* The same with one item. */
static void insert(inbox_t *b, inbox_item_t item)
{
    make_room(b, 1);
    inbox_item_t *to = &b->item[b->end++];
    for (; to > &b->item[b->head] && to[-1].arrival > item.arrival; to--)
        *to = to[-1];
    *to = item;
    b->first = b->item[b->head].arrival;
}

void inbox_put(inbox_t *b, const msg_t *m, size_t n)
{
    lot_t lot;
    inbox_item_t sorted[LOT_MAX + 1]; /* the last element takes the padding */

    if (n == 1) {
        check_arrival(b, m->arrival);
        insert(b, (inbox_item_t){.arrival = m->arrival, .number = msg_pool_put(&b->pool, m)});
        return;
    }
    while (n > 0) {
        lot_begin(b, m, n, &lot);
        lot_sort(&lot, sorted);
        merge(b, sorted, lot.n);
        m += lot.n;
        n -= lot.n;
    }
}

void inbox_advance(inbox_t *b, cycle_t cycle)
{
    if (cycle <= b->base)
        return;
    RB_INVARIANT(b->first >= cycle, "time moves to %llu past a message that arrives at %llu",
                 (unsigned long long)cycle, (unsigned long long)b->first);
    b->base = cycle;
}
