#include "sampling/math/pick.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sim/core/alloc.h"

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* For many positions: takes each with probability needed / remaining. */
static void pick_in_order(rng_t *rng, uint64_t n, uint64_t m, uint64_t *out)
{
    for (uint64_t i = 0, taken = 0; taken < m; i++) {
        if (rng_below(rng, n - i) < m - taken)
            out[taken++] = i;
    }
}

/* Adds x to a hash set (stored + 1); false if it was there already. */
static bool set_add(uint64_t *set, uint64_t mask, uint64_t x)
{
    uint64_t at = (x * 0x9e3779b97f4a7c15ull) >> 20;
    for (;; at++) {
        uint64_t *slot = &set[at & mask];
        if (*slot == x + 1)
            return false;
        if (*slot == 0) {
            *slot = x + 1;
            return true;
        }
    }
}

void pick_distinct(rng_t *rng, uint64_t n, uint64_t m, uint64_t *out)
{
    if (m > n / 8) {
        pick_in_order(rng, n, m, out);
        return;
    }
    /* For few positions: Floyd's algorithm (Bentley and Floyd, CACM 1987). */
    uint64_t size = 16, got = 0;
    while (size < 2 * m)
        size *= 2;
    uint64_t *set = rb_calloc(size, sizeof(*set));
    for (uint64_t j = n - m; j < n; j++) {
        uint64_t x = rng_below(rng, j + 1);
        if (!set_add(set, size - 1, x)) {
            x = j;
            set_add(set, size - 1, x);
        }
        out[got++] = x;
    }
    free(set);
    qsort(out, m, sizeof(*out), by_value);
}

void pick_with_replacement(rng_t *rng, uint64_t n, uint64_t m, uint64_t *out)
{
    for (uint64_t i = 0; i < m; i++)
        out[i] = rng_below(rng, n);
    qsort(out, m, sizeof(*out), by_value);
}
