#include "frontend/input/gen/kernel/gen_uneven.h"

#include <math.h>

#include "frontend/input/gen/gen_hash.h"

/* Share of the items that are not longer than item i. */
static double rank_of(const gen_uneven_t *u, uint64_t i, uint64_t n)
{
    double at = ((double)i + 0.5) / (double)n;

    switch (u->order) {
    case GEN_ORDER_LONG_FIRST:
        return 1 - at;
    case GEN_ORDER_LONG_LAST:
        return at;
    case GEN_ORDER_LONG_MIDDLE:
        return 1 - fabs(2 * at - 1);
    default:
        return gen_unit(gen_hash(u->seed, 3, i));
    }
}

uint64_t gen_uneven_length(const gen_uneven_t *u, uint64_t i, uint64_t n)
{
    double rank = rank_of(u, i, n), few = u->share != 0 ? (double)u->share / 1000 : 1 / (double)n;
    double length = (double)u->usual * (1 + (double)u->spread / 100 * (2 * rank - 1));
    double root = sqrt(sqrt(1 / (1 - rank + 0.5 / (double)n)));

    for (uint64_t k = 0; k < u->tail; k++)
        length *= root;
    /* a little less than the share, so that rounding does not lose the last one */
    if (rank >= 1 - few * 1.000001)
        length *= (double)u->ratio;
    return length < 1 ? 1 : length > GEN_UNEVEN_MAX ? GEN_UNEVEN_MAX : (uint64_t)length;
}
