/*
 * What the supply offers to the landing. What sub-cores ask of it: sm_calls.h.
 */
#ifndef RUBATO_SM_SUPPLY_H
#define RUBATO_SM_SUPPLY_H

#include "sim/sm/sm_calls.h"

/* supply.c */

void supply_init(sm_t *sm);
void supply_free(sm_t *sm);

/* Requests to L2 that can be under way at a time. */
uint32_t supply_requests_max(const sm_t *sm);

/* Host-side hint that a window of the SM begins soon. */
void supply_prefetch(const sm_t *sm);

/* Checkpoint of an idle SM. 0, or -1 with errno. latest: see checkpoint_read.h. */
int supply_save(const sm_t *sm, FILE *out);
int supply_load(sm_t *sm, FILE *in, cycle_t latest);

/* fetch.c */

/* A warp of a launch starts in slot w: its instruction buffer is empty. */
void supply_warp_start(sm_t *sm, uint32_t w, const launch_ctx_t *launch);

/* Sectors of line have arrived from L2 for a request with that handle. Returns the set of
 * sub-cores for which the line is now on its way: their warps may know when it comes. */
uint32_t fetch_reply(sm_t *sm, uint32_t entry, uint8_t sectors, cycle_t now);

/* constant.c: a launch begins, constants are no longer there. */
void const_forget(sm_t *sm);

#endif
