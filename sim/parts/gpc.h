/*
 * Which SMs form a TPC and a GPC: two a TPC; TPC t is in GPC t mod GPCs, and there are as many GPCs
 * as needed for all SMs (an H200 fills them so; its GPCs differ in size, which is not modelled).
 */
#ifndef RUBATO_PARTS_GPC_H
#define RUBATO_PARTS_GPC_H

#include <stdint.h>

enum { SMS_OF_A_TPC = 2 };

/* gpc_sms: SMs of a GPC, at least 1. */
static inline uint32_t gpc_count(uint32_t n_sms, uint32_t gpc_sms)
{
    return (n_sms + gpc_sms - 1) / gpc_sms;
}

static inline uint32_t gpc_of_sm(uint32_t sm, uint32_t n_gpcs)
{
    return sm / SMS_OF_A_TPC % n_gpcs;
}

/* SM k of a GPC, in ascending order; it is in TPC k / SMS_OF_A_TPC of the GPC. */
static inline uint32_t sm_of_gpc(uint32_t gpc, uint32_t k, uint32_t n_gpcs)
{
    return (k / SMS_OF_A_TPC * n_gpcs + gpc) * SMS_OF_A_TPC + k % SMS_OF_A_TPC;
}

/* TPCs of the largest GPC. */
static inline uint32_t gpc_tpcs(uint32_t n_sms, uint32_t n_gpcs)
{
    const uint32_t n_tpcs = (n_sms + SMS_OF_A_TPC - 1) / SMS_OF_A_TPC;
    return (n_tpcs + n_gpcs - 1) / n_gpcs;
}

#endif
