/* No prefetching. */
#include "sim/sm/memory/prefetcher_state.h"

void prefetcher_none_load(sm_t *sm, const prefetch_event_t *e, cycle_t now)
{
    (void)sm, (void)e, (void)now;
}
