/*
 * Level 1: one walk over the addresses of a launch in the order in which blocks run
 * (sim/gpu/warming/touch_walk.h) measures the distances of reuse of the L1s and the L2. They say what a
 * cache of any size hits, so that one walk serves all points of a study.
 */
#ifndef RUBATO_PREDICT_WALK_H
#define RUBATO_PREDICT_WALK_H

#include "sampling/predict/predict.h"

typedef struct predict_walk predict_walk_t;

/* spec: the chip in whose order blocks run, and whose address map and L2 sectors count. n: points whose
 * L2 are followed, with their specifications. All borrowed. */
predict_walk_t *predict_walk_create(const gpu_spec_t *const *spec, size_t n);
void predict_walk_destroy(predict_walk_t *w); /* NULL is allowed */

/* Walks launch `id`, which follows the ones walked before, adds what its blocks are like to the profile, ends it,
 * and sets the traffic at each point. The profile borrows from the walk until the next one. Errors of the source, and
 * launches that do not fit. */
RB_CHECKED rb_code_t predict_walk_launch(predict_walk_t *w, trace_source_t *source, uint64_t id,
                                         predict_profile_t *p, predict_traffic_t *out,
                                         rb_err_t *err);

#endif
