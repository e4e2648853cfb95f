/* The caches of an SM, for tests that compare chips or look into one. */
#ifndef RUBATO_TESTS_SM_CACHES_H
#define RUBATO_TESTS_SM_CACHES_H

#include "sim/parts/cache/cache.h"
#include "sim/sm/sm.h"

const cache_t *sm_caches_l1(const sm_t *sm);

/* What outlives a launch: the instruction caches of the SM and of a sub-core, and the second level of the TLB. */
const cache_t *sm_caches_l1i(const sm_t *sm);
const cache_t *sm_caches_l0(const sm_t *sm, uint32_t sub_core);
const cache_t *sm_caches_tlb(const sm_t *sm);

#endif
