/*
 * Decodes blocks of a launch on several threads. Blocks of one frame depend on each other, so a claim
 * is a frame, or a part of it; different frames are independent.
 */
#ifndef RUBATO_RBT_CLAIM_H
#define RUBATO_RBT_CLAIM_H

#include "frontend/input/rbt/read/rbt_launch_state.h"

/* These implement the functions of the same names in trace_source_ops_t. */
RB_CHECKED rb_code_t rbt_launch_claim(trace_launch_t *l, uint64_t index, uint64_t max,
                                      claim_status_t *status, trace_claim_t **out, uint64_t *n,
                                      rb_err_t *err);
RB_CHECKED rb_code_t rbt_launch_decode(trace_launch_t *l, trace_claim_t *claim, trace_block_t **out,
                                       uint64_t *n, rb_err_t *err);

#endif
