/* Interface of the supply for the landing. sm_calls.h has the calls of the sub-cores. */
#ifndef RUBATO_SM_SUPPLY_H
#define RUBATO_SM_SUPPLY_H

#include "sim/sm/sm_calls.h"

/* supply.c */

void supply_init(sm_t *sm);
void supply_free(sm_t *sm);

/* Requests to the L2 that can be in flight at the same time. */
uint32_t supply_requests_max(const sm_t *sm);

/* Host-side hint that a window of the SM begins soon. */
void supply_prefetch(const sm_t *sm);

/* Checkpoint of an idle SM. 0, or -1 with errno. latest: see checkpoint_read.h. */
int supply_save(const sm_t *sm, FILE *out);
int supply_load(sm_t *sm, FILE *in, cycle_t latest);

/* fetch.c */

/* A warp of a launch starts in slot w with an empty instruction buffer. */
void supply_warp_start(sm_t *sm, uint32_t w, const launch_ctx_t *launch);

/* Handles sectors that arrived from the L2 for request `entry`. Returns the set of sub-cores that
 * now get the line: their warps may know when it comes. */
uint32_t fetch_reply(sm_t *sm, uint32_t entry, uint8_t sectors, cycle_t now);

/* Empties the instruction caches of an idle SM. */
void fetch_forget(sm_t *sm);

/* constant.c: empties the constant caches at a launch. */
void const_forget(sm_t *sm);

#endif
