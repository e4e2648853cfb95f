/* Interface for prefetchers (prefetcher.h). */
#ifndef RUBATO_SM_PREFETCHER_STATE_H
#define RUBATO_SM_PREFETCHER_STATE_H

#include "sim/sm/memory/memory_parts.h"
#include "sim/sm/memory/prefetcher.h"

#define PREFETCHER_LOAD_(NAME, name, words, help)                                                  \
    void prefetcher_##name##_load(sm_t *sm, const prefetch_event_t *e, cycle_t now);
PREFETCHERS(PREFETCHER_LOAD_)
#undef PREFETCHER_LOAD_

/* How many lines a prefetcher fetches ahead: l1.prefetch_lines. */
static inline uint32_t prefetch_depth(const sm_t *sm)
{
    return sm->config->l1.prefetch_lines;
}

#endif
