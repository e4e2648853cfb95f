/* The launch loop for launches that overlap (overlap.h). */
#ifndef RUBATO_GPU_OVERLAP_LOOP_H
#define RUBATO_GPU_OVERLAP_LOOP_H

#include "sim/gpu/gpu_internal.h"

/* Runs the whole graph of the source. RB_USAGE, naming what cannot be combined with it. */
RB_CHECKED rb_code_t overlap_run_graph(gpu_t *g, const stream_graph_t *graph, rb_err_t *err);

/* Finds the launches of a graph in the source, sets the positions of its operations, and places their
 * code in the order of the source. (overlap_begin.c) */
RB_CHECKED rb_code_t overlap_find_launches(gpu_t *g, const stream_graph_t *graph,
                                           uint64_t *position, rb_err_t *err);

/* Between windows: opens what was admitted, closes what has ended. false: the engine is to stop. */
bool overlap_boundary(gpu_t *g, cycle_t now);

/* Saves how far the graph is, inside the callback at_rest. 0, or -1: a write error. */
int overlap_loop_save(const struct overlap_loop *p, FILE *out);

#endif
