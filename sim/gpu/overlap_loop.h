/* The launch loop for launches that overlap (overlap.h). */
#ifndef RUBATO_GPU_OVERLAP_LOOP_H
#define RUBATO_GPU_OVERLAP_LOOP_H

#include "sim/gpu/gpu_internal.h"

/* Runs the whole graph of the source. RB_USAGE, naming what cannot be combined with it. */
RB_CHECKED rb_code_t overlap_run_graph(gpu_t *g, const stream_graph_t *graph, rb_err_t *err);

/* Between windows: opens what was admitted, closes what has ended. false: the engine is to stop. */
bool overlap_boundary(gpu_t *g, cycle_t now);

#endif
