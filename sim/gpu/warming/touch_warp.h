/*
 * The warps of a walk without time (touch_walk.h): what their instructions access, in the order in
 * which the walk lets them go on, handed over to its consumer in batches and without repeats.
 */
#ifndef RUBATO_GPU_TOUCH_WARP_H
#define RUBATO_GPU_TOUCH_WARP_H

#include "sim/gpu/warming/touch_code.h"
#include "sim/gpu/warming/touch_walk.h"

typedef struct touch_warps touch_warps_t;

/* How far a warp is. */
typedef struct {
    const uint64_t *rec;              /* next address record */
    const trace_run_t *run, *end_run; /* next; end */
    touch_shape_t *shape;             /* its instructions, if they are remembered; else NULL */
    uint32_t op, n_ops;               /* next memory instruction, end: of the shape or run */
    bool done;
} touch_warp_t;

/* Both are borrowed until the end, except the launch's description. */
touch_warps_t *touch_warps_create(const launch_info_t *info, uint64_t code_base,
                                  const touch_consumer_t *consumer);
void touch_warps_destroy(touch_warps_t *w);

/* The calls below are for this block, which is in this slot. */
void touch_warps_turn(touch_warps_t *w, uint64_t slot, uint64_t block);

/* Counts instructions of the block. */
void touch_warps_count(touch_warps_t *w, uint64_t insts);

/* A warp of the block begins. The stream must stay until it is done. */
void touch_warp_begin(touch_warps_t *w, touch_warp_t *x, const warp_stream_t *warp);

/* The warp executes its next n memory instructions. False: it has no more. */
bool touch_warp_go(touch_warps_t *w, touch_warp_t *x, uint32_t n);

/* Hands over what is left. */
void touch_warps_hand_over(touch_warps_t *w);

/* From now on no access is a repeat of one before. */
void touch_warps_forget(touch_warps_t *w);

#endif
