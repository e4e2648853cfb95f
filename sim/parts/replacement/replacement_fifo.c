/* First in, first out: hits do not change the order of use, so it is the order of insertion. */
#include "sim/parts/cache/cache_internal.h"

void replacement_fifo_hit(cache_t *c, uint32_t set, uint32_t way)
{
    (void)c, (void)set, (void)way;
}

void replacement_fifo_added(cache_t *c, uint32_t set, uint32_t way)
{
    (void)c, (void)set, (void)way;
}

uint32_t replacement_fifo_replace(cache_t *c, uint32_t set)
{
    return cache_renew_oldest(c, set);
}
