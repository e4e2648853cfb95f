/* Stays of blocks on an SM, for timelines. If nobody watches, the cost is one test per block. */
#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/sm/landing.h"

_Static_assert((int)SM_MAX_STAYS == (int)SM_MAX_BLOCKS, "one stay per block slot");

void sm_watch(sm_t *sm, bool on)
{
    sm->watched = on;
    sm_stays_clear(sm);
}

void watch_stay(sm_t *sm, uint32_t b, cycle_t now)
{
    rb_grow(&sm->stays.list, &sm->stays.cap, sm->stays.n + 1, sizeof(*sm->stays.list));
    sm->stays.list[sm->stays.n++] = (sm_stay_t){
        .start = sm->block_since[b], .end = now, .block = sm->block[b].block->index, .slot = b};
}

const sm_stay_t *sm_stays(const sm_t *sm, size_t *n)
{
    *n = sm->stays.n;
    return sm->stays.list;
}

void sm_stays_clear(sm_t *sm)
{
    sm->stays.n = 0;
}

size_t sm_residents(const sm_t *sm, sm_stay_t list[SM_MAX_STAYS])
{
    size_t n = 0;
    for (uint32_t b = 0; b < SM_MAX_BLOCKS; b++) {
        if (sm->block[b].block != NULL)
            list[n++] = (sm_stay_t){
                .start = sm->block_since[b], .block = sm->block[b].block->index, .slot = b};
    }
    return n;
}

void watch_free(sm_t *sm)
{
    free(sm->stays.list);
}
