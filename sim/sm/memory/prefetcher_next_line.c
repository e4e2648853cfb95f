/*
 * Tagged next-line prefetching (Smith, ACM Computing Surveys 1982): a miss, and the first use of a
 * prefetched line, fetch the lines that follow.
 */
#include "sim/sm/memory/prefetcher_state.h"

void prefetcher_next_line_load(sm_t *sm, const prefetch_event_t *e, cycle_t now)
{
    if (!e->missed && !e->first_use)
        return;
    for (uint32_t i = 1; i <= prefetch_depth(sm); i++)
        prefetch_line(sm, e->line + (uint64_t)i * LINE_BYTES, now);
}
