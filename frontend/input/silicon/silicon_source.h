/*
 * A trace source without a trace: launches of assembled kernels, whose blocks are generated when
 * they are asked for. Bodies depend on nothing but the position of the warp.
 */
#ifndef RUBATO_SILICON_SOURCE_H
#define RUBATO_SILICON_SOURCE_H

#include "frontend/input/silicon/silicon_kernel.h"

typedef struct silicon_source silicon_source_t;

silicon_source_t *silicon_source_create(void);

/* Appends a launch; takes over what k owns. */
void silicon_source_add(silicon_source_t *s, const kernel_t *k);

/* The interface of the model; lives as long as s. Its destroy operation frees s and all kernels. */
trace_source_t *silicon_source_trace(silicon_source_t *s);

#endif
