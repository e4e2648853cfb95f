#include "sim/core/inbox.h"

#include <string.h>

#include "sim/core/err.h"
#include "sim/core/model_mem.h"

enum { PREFETCH_AHEAD = 6 };

void inbox_init(inbox_t *b)
{
    memset(b, 0, sizeof(*b));
    b->first = CYCLE_NEVER;
}

void inbox_free(inbox_t *b)
{
    msg_pool_destroy(&b->pool);
    rb_model_free(b->far);
    inbox_init(b);
}

static void slot_append(inbox_t *b, uint32_t n, cycle_t arrival)
{
    unsigned s = (unsigned)(arrival % INBOX_SLOTS);
    if (b->slot[s].head == 0) {
        b->slot[s].head = n;
        b->occupied[s / 64] |= UINT64_C(1) << s % 64;
    } else {
        msg_pool_at(&b->pool, b->slot[s].tail)->next = n;
    }
    b->slot[s].tail = n;
}

/* Behind all that arrive in the same cycle. */
static void far_put(inbox_t *b, uint32_t n, cycle_t arrival)
{
    rb_model_grow(&b->far, &b->cap_far, b->n_far + 1, sizeof(*b->far));
    size_t i = 0;
    while (i < b->n_far && msg_pool_at(&b->pool, b->far[i])->msg.arrival > arrival)
        i++;
    memmove(&b->far[i + 1], &b->far[i], (b->n_far - i) * sizeof(*b->far));
    b->far[i] = n;
    b->n_far++;
}

/* Moves messages into slots as soon as they fit, before later ones of the same cycle come in. */
static void far_refill(inbox_t *b)
{
    while (b->n_far > 0) {
        uint32_t n = b->far[b->n_far - 1];
        cycle_t arrival = msg_pool_at(&b->pool, n)->msg.arrival;
        if (arrival - b->base >= INBOX_SLOTS)
            return;
        b->n_far--;
        slot_append(b, n, arrival);
    }
}

void inbox_put(inbox_t *b, const msg_t *m, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cycle_t arrival = m[i].arrival;
        RB_INVARIANT(arrival >= b->base, "message arrives at %llu, but time is at %llu",
                     (unsigned long long)arrival, (unsigned long long)b->base);
        if (i + PREFETCH_AHEAD < n) /* a shard's slots are rarely in the host's cache */
            __builtin_prefetch(&b->slot[m[i + PREFETCH_AHEAD].arrival % INBOX_SLOTS], 1);
        uint32_t number = msg_pool_put(&b->pool, &m[i]);
        if (arrival - b->base < INBOX_SLOTS)
            slot_append(b, number, arrival);
        else
            far_put(b, number, arrival);
        b->first = cycle_min(b->first, arrival);
    }
}

static cycle_t find_first(const inbox_t *b)
{
    unsigned start = (unsigned)(b->base % INBOX_SLOTS), w = start / 64;
    uint64_t bits = b->occupied[w] & (~UINT64_C(0) << start % 64);
    for (unsigned i = 0; i <= INBOX_WORDS; i++) {
        if (bits != 0) {
            unsigned s = w * 64 + (unsigned)__builtin_ctzll(bits);
            return b->base + (s - start) % INBOX_SLOTS;
        }
        w = (w + 1) % INBOX_WORDS;
        bits = b->occupied[w];
    }
    return b->n_far > 0 ? msg_pool_at(&b->pool, b->far[b->n_far - 1])->msg.arrival : CYCLE_NEVER;
}

uint32_t inbox_take(inbox_t *b, cycle_t end)
{
    if (b->first >= end)
        return 0;
    if (b->first != b->base) {
        b->base = b->first;
        if (b->n_far > 0)
            far_refill(b);
    }
    unsigned s = (unsigned)(b->base % INBOX_SLOTS);
    uint32_t n = b->slot[s].head;
    b->slot[s].head = msg_pool_at(&b->pool, n)->next;
    if (b->slot[s].head == 0) {
        b->occupied[s / 64] &= ~(UINT64_C(1) << s % 64);
        b->first = find_first(b);
    }
    return n;
}

void inbox_advance(inbox_t *b, cycle_t cycle)
{
    if (cycle <= b->base)
        return;
    RB_INVARIANT(b->first >= cycle, "time moves to %llu past a message that arrives at %llu",
                 (unsigned long long)cycle, (unsigned long long)b->first);
    b->base = cycle;
    far_refill(b);
}
