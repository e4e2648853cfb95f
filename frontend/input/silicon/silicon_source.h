/*
 * A trace source without a trace: launches of assembled kernels, whose blocks are generated on
 * request. A block depends only on its position.
 */
#ifndef RUBATO_SILICON_SOURCE_H
#define RUBATO_SILICON_SOURCE_H

#include "frontend/input/silicon/silicon_suite.h"

typedef struct silicon_source silicon_source_t;

silicon_source_t *silicon_source_create(void);

/* Adds a copy before the first launch, which has not been added yet. */
void silicon_source_copy(silicon_source_t *s, memcpy_op_t op);

/* Appends a launch; takes ownership of what k owns. */
void silicon_source_add(silicon_source_t *s, const kernel_t *k);

/* Appends another launch of kernel number `kernel` (0: the first that was added). */
void silicon_source_again(silicon_source_t *s, size_t kernel);

/* Takes ownership of the suite whose texts the kernels borrow. */
void silicon_source_keep(silicon_source_t *s, const suite_t *suite);

/* The interface for the model; lives as long as s. Its destroy operation frees s and all
 * kernels. */
trace_source_t *silicon_source_trace(silicon_source_t *s);

#endif
