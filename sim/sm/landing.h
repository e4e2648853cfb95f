/* Internal interface between the files of the landing (sim/sm itself). */
#ifndef RUBATO_SM_LANDING_H
#define RUBATO_SM_LANDING_H

#include "sim/sm/sm_calls.h"

/* classes.c: derives the properties of each opcode class from the configuration. */
void classes_init(sm_t *sm);
op_properties_t class_properties(const sm_config_t *config, op_class_t c);

/* block.c */

/* Starts the block of a message that arrived. */
void block_start(sm_t *sm, const block_msg_t *m, cycle_t now);

/* An instruction of warp w is no longer in flight. */
void block_memory_done(sm_t *sm, uint32_t w, cycle_t now);

/* A store packet of slot w and of a launch is acknowledged; it may belong to the previous warp of the
 * slot. */
void block_store_done(sm_t *sm, uint32_t w, uint32_t launch, cycle_t now);

/* A launch has no blocks any more; its end waits for what the L1 has modified. */
void block_launch_over(sm_t *sm, const launch_ctx_t *launch, cycle_t now);

/* What a fence or the end of a launch may wait for has been written back. */
void block_written_back(sm_t *sm, cycle_t now);

/* record.c: to be called only if the kind is in sm->recorded, except record_free(). */

void record_free(sm_t *sm);

/* Warp w starts. */
void record_warp_start(sm_t *sm, uint32_t w, cycle_t now);

/* Notes that a result took this many cycles. */
void record_latency(sm_t *sm, const inst_t *inst, cycle_t cycles);

/* Warp w retires; its slot still belongs to it. */
void record_warp(sm_t *sm, uint32_t w, cycle_t now);

/* The block in slot b retires. */
void record_block(sm_t *sm, uint32_t b, cycle_t now);

/* watch.c: the block in slot b has left. Only if sm->watched. */
void watch_stay(sm_t *sm, uint32_t b, cycle_t now);
void watch_free(sm_t *sm);

#endif
