/* Internal interface between the files of the supply. */
#ifndef RUBATO_SM_SUPPLY_PARTS_H
#define RUBATO_SM_SUPPLY_PARTS_H

#include "sim/sm/supply/supply.h"

/* Creates a cache of `size` bytes: at least one line, and at most as many ways as lines. */
static inline cache_t *supply_cache(uint64_t size, uint32_t ways, uint32_t line_bytes,
                                    replacement_policy_t policy)
{
    uint32_t lines = (uint32_t)(size / line_bytes);
    if (lines == 0)
        lines = 1;
    if (ways > lines)
        ways = lines;
    return cache_create(lines / ways, ways, line_bytes, policy, false, false);
}

/* fetch.c */

void fetch_init(sm_t *sm);
void fetch_free(sm_t *sm);

/* Size of a sub-core's table of lines in flight, for checkpoints. */
size_t fetch_slot_bytes(const sm_t *sm);

/* Whether an SM at rest can have these lines in flight, read from a checkpoint. */
bool fetch_is_possible(const sm_t *sm, const supply_core_t *core, cycle_t latest);

/* cache_load() of a sub-core's L0. */
int fetch_load_l0(supply_core_t *core, FILE *in);

/* constant.c */

void const_init(sm_t *sm);
void const_free(sm_t *sm);

#endif
