/*
 * Write policies: what a store to global memory does to its sectors in the L1 data cache. The L1
 * always writes through to the L2; stores to local memory always allocate.
 */
#ifndef RUBATO_SM_WRITE_POLICY_H
#define RUBATO_SM_WRITE_POLICY_H

/* X(enumerator, name in the configuration, help) */
#define WRITE_POLICIES(X)                                                                          \
    X(UPDATE, update, "sectors that hit are updated; none is allocated")                           \
    X(EVICT, evict, "sectors that hit are invalidated, as on Fermi")                               \
    X(ALLOCATE, allocate, "completely written sectors are allocated")

#define WRITE_POLICY_ENUM_(NAME, name, help) WRITE_POLICY_##NAME,
typedef enum { WRITE_POLICIES(WRITE_POLICY_ENUM_) } write_policy_t;

#endif
