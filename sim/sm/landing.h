/*
 * What the files of the landing (sim/sm itself) do for each other.
 */
#ifndef RUBATO_SM_LANDING_H
#define RUBATO_SM_LANDING_H

#include "sim/sm/sm_calls.h"

/* classes.c: what the configuration makes of each opcode class. */
void classes_init(sm_t *sm);

/* block.c */

/* A block message arrived. */
void block_start(sm_t *sm, const block_msg_t *m, cycle_t now);

/* An instruction of warp w is not in flight any more. */
void block_memory_done(sm_t *sm, uint32_t w, cycle_t now);

/* A packet of a store of warp w, or of the one before in its slot, is acknowledged. */
void block_store_done(sm_t *sm, uint32_t w, cycle_t now);

/* record.c: only if the kind is in sm->recorded, except record_free(). */

void record_free(sm_t *sm);

/* Warp w begins. */
void record_warp_start(sm_t *sm, uint32_t w, cycle_t now);

/* A result was on its way for so many cycles. */
void record_latency(sm_t *sm, const inst_t *inst, cycle_t cycles);

/* Warp w, whose slot is still its own, retires. */
void record_warp(sm_t *sm, uint32_t w, cycle_t now);

/* The block in slot b retires. */
void record_block(sm_t *sm, uint32_t b, cycle_t now);

/* watch.c: the stay of the block in slot b has ended; if sm->watched. */
void watch_stay(sm_t *sm, uint32_t b, cycle_t now);
void watch_free(sm_t *sm);

#endif
