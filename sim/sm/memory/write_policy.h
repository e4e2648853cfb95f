/*
 * Write policies: what a store to global memory does to the tags of the L1 data cache. All but
 * write_back write through to the L2. Stores to local memory always allocate.
 */
#ifndef RUBATO_SM_WRITE_POLICY_H
#define RUBATO_SM_WRITE_POLICY_H

#include "sim/parts/cache/cache.h"

/* X(enumerator, name in the configuration, help) */
#define WRITE_POLICIES(X)                                                                          \
    X(UPDATE, update, "sectors that hit are updated; none is allocated")                           \
    X(EVICT, evict, "sectors that hit are invalidated, as on Fermi")                               \
    X(ALLOCATE, allocate,                                                                          \
      "stores take a line, as on Volta; sectors that are written completely can be read")          \
    X(WRITE_BACK, write_back,                                                                      \
      "sectors stay modified until they are evicted, a fence, or the end of the launch")

#define WRITE_POLICY_ENUM_(NAME, name, help) WRITE_POLICY_##NAME,
typedef enum { WRITE_POLICIES(WRITE_POLICY_ENUM_) } write_policy_t;

/* A store to a line. Masks have bit s for sector s. */
typedef struct {
    uint8_t sectors, full; /* that it writes; of these, completely */
    const uint32_t *bytes; /* write_back: byte masks of the others */
} policy_store_t;

/* Applies a store to the tags of an L1. line: its line as found by a lookup that is no use; NULL: it is
 * absent. Returns whether a modified line was evicted for it: *victim. */
bool write_policy_store(write_policy_t policy, cache_t *l1, cache_key_t key, cache_tag_t *line,
                        const policy_store_t *store, cache_line_t *victim);

#endif
