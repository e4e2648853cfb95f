/* Native traces for tests: programs with every kind of address and mask, stored and compared. */
#ifndef RUBATO_TESTS_RBT_LAB_H
#define RUBATO_TESTS_RBT_LAB_H

#include "frontend/input/rbt/read/rbt_source.h"
#include "frontend/input/rbt/write/rbt_store.h"
#include "tests/support/trace/synth.h"

/* What the warps of rbt_lab_program() do, besides arithmetic, branches and barriers. */
typedef struct {
    uint32_t blocks, threads;
    uint32_t loops;  /* executions of the body */
    bool random;     /* addresses, masks and trip counts differ between warps */
    unsigned copies; /* memory copies before the launch */
} rbt_lab_launch_t;

/* A source of n launches. Destroy with synth_destroy(). */
synth_t *rbt_lab_program(const rbt_lab_launch_t *launches, size_t n);

/* Stores a source at path, which must succeed. */
void rbt_lab_store(trace_source_t *source, const char *path, unsigned threads);

/* The same in the test's temporary folder; returns the path, which the next call replaces. */
const char *rbt_lab_store_temp(trace_source_t *source);

/* Opens path, which must succeed. */
trace_source_t *rbt_lab_open(const char *path);

/*
 * Fails the test unless both sources have the same launches, with equal facts, copies, blocks and
 * instruction texts.
 */
void rbt_lab_same(trace_source_t *a, trace_source_t *b);

#endif
