#include "tests/support/sim/sm_caches.h"

#include "sim/sm/sm_state.h"

const cache_t *sm_caches_l1(const sm_t *sm)
{
    return sm->memory.l1;
}

const cache_t *sm_caches_l1i(const sm_t *sm)
{
    return sm->supply.l1i;
}

const cache_t *sm_caches_l0(const sm_t *sm, uint32_t sub_core)
{
    return sm->supply.core[sub_core].l0;
}

const cache_t *sm_caches_tlb(const sm_t *sm)
{
    return sm->memory.tlb.l2;
}
