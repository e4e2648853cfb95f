#include "sim/core/engine/wheel.h"

#include <string.h>

#include "sim/core/err.h"
#include "sim/core/model_mem.h"

void wheel_init(wheel_t *w)
{
    memset(w, 0, sizeof(*w));
    w->first = CYCLE_NEVER;
}

void wheel_free(wheel_t *w)
{
    rb_model_free(w->node);
    rb_model_free(w->far);
}

/* Puts more nodes on the empty free list. */
static void pool_grow(wheel_t *w)
{
    size_t first = w->n_nodes;
    rb_model_grow(&w->node, &w->cap_nodes, first + 1, sizeof(*w->node));
    w->n_nodes = w->cap_nodes;
    for (size_t i = first; i < w->n_nodes; i++)
        w->node[i].next = i + 1 < w->n_nodes ? (uint32_t)i + 2 : 0;
    w->free_list = (uint32_t)first + 1;
}

static bool far_less(const wheel_far_t *a, const wheel_far_t *b)
{
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->seq < b->seq;
}

static void far_push(wheel_t *w, cycle_t cycle, uint32_t payload)
{
    rb_model_grow(&w->far, &w->cap_far, w->n_far + 1, sizeof(*w->far));
    wheel_far_t x = {cycle, w->far_seq++, payload};
    size_t i = w->n_far++;
    while (i > 0 && far_less(&x, &w->far[(i - 1) / 2])) {
        w->far[i] = w->far[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    w->far[i] = x;
}

static wheel_far_t far_pop(wheel_t *w)
{
    wheel_far_t top = w->far[0], x = w->far[--w->n_far];
    size_t i = 0;
    for (;;) {
        size_t c = 2 * i + 1;
        if (c >= w->n_far)
            break;
        if (c + 1 < w->n_far && far_less(&w->far[c + 1], &w->far[c]))
            c++;
        if (!far_less(&w->far[c], &x))
            break;
        w->far[i] = w->far[c];
        i = c;
    }
    w->far[i] = x;
    return top;
}

/* Moves far events into slots as soon as they fit, ahead of later additions to the same cycle. */
static void far_refill(wheel_t *w)
{
    while (w->n_far > 0 && w->far[0].cycle < w->base + WHEEL_SLOTS) {
        wheel_far_t f = far_pop(w);
        w->count--;
        wheel_add(w, f.cycle, f.payload);
    }
}

void wheel_add_slow(wheel_t *w, cycle_t cycle, uint32_t payload)
{
    RB_INVARIANT(cycle >= w->base, "event at cycle %llu, but time is at %llu",
                 (unsigned long long)cycle, (unsigned long long)w->base);
    if (cycle - w->base < WHEEL_SLOTS) {
        pool_grow(w);
        wheel_add(w, cycle, payload);
        return;
    }
    far_push(w, cycle, payload);
    w->count++;
    w->first = cycle_min(w->first, cycle);
}

/* Cycle of the first event after base; the slot of base is empty. */
static cycle_t find_first(const wheel_t *w)
{
    if (w->words == 0)
        return w->n_far > 0 ? w->far[0].cycle : CYCLE_NEVER;
    unsigned start = (unsigned)(w->base % WHEEL_SLOTS), word = start / 64;
    uint64_t bits = w->occupied[word] & (~UINT64_C(0) << start % 64);
    if (bits == 0) {
        uint32_t after = word == WHEEL_WORDS - 1 ? 0 : w->words & (~UINT32_C(1) << word);
        word = (unsigned)__builtin_ctz(after != 0 ? after : w->words);
        bits = w->occupied[word];
    }
    unsigned s = word * 64 + (unsigned)__builtin_ctzll(bits);
    return w->base + (s + WHEEL_SLOTS - start) % WHEEL_SLOTS;
}

uint32_t wheel_take(wheel_t *w)
{
    if (w->first != w->base) {
        w->base = w->first;
        far_refill(w);
    }
    unsigned s = (unsigned)(w->base % WHEEL_SLOTS);
    uint32_t n = w->slot[s].head;
    wheel_node_t *node = &w->node[n - 1];
    uint32_t payload = node->payload;
    w->slot[s].head = node->next;
    w->count--;
    if (node->next == 0) {
        uint64_t word = w->occupied[s / 64] & ~(UINT64_C(1) << s % 64);
        w->occupied[s / 64] = word;
        if (word == 0)
            w->words &= ~(UINT32_C(1) << s / 64);
        w->first = find_first(w);
    }
    node->next = w->free_list;
    w->free_list = n;
    return payload;
}

void wheel_advance(wheel_t *w, cycle_t cycle)
{
    if (cycle <= w->base)
        return;
    RB_INVARIANT(w->first >= cycle, "time moves to %llu past a pending event at %llu",
                 (unsigned long long)cycle, (unsigned long long)w->first);
    w->base = cycle;
    far_refill(w);
}
