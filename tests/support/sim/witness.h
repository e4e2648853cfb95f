/* A source that passes everything on to another source, and records which blocks were read. */
#ifndef RUBATO_TESTS_WITNESS_H
#define RUBATO_TESTS_WITNESS_H

#include "sim/gpu/source/trace_source.h"

enum { WITNESS_BLOCKS = 1 << 16 };

typedef struct {
    trace_source_t pub;     /* first member: the source */
    trace_source_ops_t ops; /* optional operations as the inner source has them */
    trace_source_t *inner;  /* borrowed */
    uint64_t n_asked;       /* blocks read */
    uint64_t asked[WITNESS_BLOCKS];
} witness_t;

/* Only one witness may be in use at a time, because operations on blocks get only the launch. */
void witness_init(witness_t *w, trace_source_t *inner);

#endif
