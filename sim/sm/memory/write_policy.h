/*
 * What the L1 data cache does with the sectors that a store to global memory writes. It always
 * writes through to the L2; stores to local memory always allocate.
 */
#ifndef RUBATO_SM_WRITE_POLICY_H
#define RUBATO_SM_WRITE_POLICY_H

/* X(enumerator, name in the configuration, help) */
#define WRITE_POLICIES(X)                                                                          \
    X(UPDATE, update, "sectors that are there are updated; none is allocated")                     \
    X(EVICT, evict, "sectors that are there are given up, as on Fermi")                            \
    X(ALLOCATE, allocate, "sectors that are written whole are allocated")

#define WRITE_POLICY_ENUM_(NAME, name, help) WRITE_POLICY_##NAME,
typedef enum { WRITE_POLICIES(WRITE_POLICY_ENUM_) } write_policy_t;

#endif
