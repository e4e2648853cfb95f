#include "sampling/math/pick.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sim/core/hash_map.h"

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

/* Adds x as the n-th number, unless it is among them. */
static bool take(hash_map_t *taken, uint64_t *out, uint64_t n, uint64_t x)
{
    for (hash_walk_t w = hash_map_walk(taken, x); hash_walk_next(&w);)
        if (out[w.number] == x)
            return false;
    hash_map_add(taken, x, (uint32_t)n);
    out[n] = x;
    return true;
}

void pick_distinct(rng_t *rng, uint64_t n, uint64_t m, uint64_t *out)
{
    if (m > n / 8) {
        pick_in_order(rng, n, m, out);
        return;
    }
    /* For few positions: Floyd's algorithm (Bentley and Floyd, CACM 1987). */
    hash_map_t taken = {0};
    uint64_t got = 0;
    for (uint64_t j = n - m; j < n; j++, got++)
        if (!take(&taken, out, got, rng_below(rng, j + 1)))
            (void)take(&taken, out, got, j);
    hash_map_free(&taken);
    qsort(out, m, sizeof(*out), by_value);
}

void pick_with_replacement(rng_t *rng, uint64_t n, uint64_t m, uint64_t *out)
{
    for (uint64_t i = 0; i < m; i++)
        out[i] = rng_below(rng, n);
    qsort(out, m, sizeof(*out), by_value);
}
