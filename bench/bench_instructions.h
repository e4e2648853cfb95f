/*
 * Counts the host instructions of a case with valgrind's callgrind. The number does not depend on
 * the load of the machine, so two versions can be compared exactly.
 */
#ifndef RUBATO_BENCH_INSTRUCTIONS_H
#define RUBATO_BENCH_INSTRUCTIONS_H

#include "bench/bench_run.h"

/* How far a counted process goes: it opens the source, also makes the chip, also runs it. */
typedef enum { BENCH_STAGE_SOURCE, BENCH_STAGE_OPEN, BENCH_STAGE_RUN } bench_stage_t;

/* false: no stage has this name. */
bool bench_stage_find(const char *name, bench_stage_t *stage);

/* Code of the counted process; prints counts. */
RB_CHECKED rb_code_t bench_stage(const gpu_spec_t *spec, bench_stage_t stage, bench_open_fn open,
                                 const void *ctx, rb_err_t *err);

/* Counts a case, given by name, by running this program twice under callgrind, which takes about
 * fifty times as long as the case: once to its end and once to the stage `without`, whose instructions
 * are subtracted (BENCH_STAGE_OPEN: gpu_run() alone is left). Prints a row. */
void bench_instructions_header(void);
RB_CHECKED rb_code_t bench_instructions(const char *gpu, const char *name, bench_stage_t without,
                                        rb_err_t *err);

#endif
