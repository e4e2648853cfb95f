/* Sums of the waits of blocks (stream_wait_t) by kernel and instruction, for sources that tell
 * them. */
#ifndef RUBATO_GPU_WAIT_LOOPS_H
#define RUBATO_GPU_WAIT_LOOPS_H

#include "sim/gpu/source/trace_source.h"

typedef struct {
    wait_loop_t *list; /* owned; by kernel, in order of first appearance, and pc */
    size_t n, cap;
} wait_loops_t;

/* kernel: borrowed; kernels are told apart by the address of the name. */
void wait_loops_add(wait_loops_t *w, const char *kernel, const stream_wait_t *waits, size_t n);

#endif
