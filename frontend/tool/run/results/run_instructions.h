/*
 * The counts per instruction of a run (--per-instruction): instructions.csv and
 * instruction_waits.csv in its folder.
 */
#ifndef RUBATO_RUN_RUN_INSTRUCTIONS_H
#define RUBATO_RUN_RUN_INSTRUCTIONS_H

#include "frontend/tool/run/sampled/run_sampling.h"
#include "sim/gpu/gpu.h"

#define RUN_INSTRUCTIONS_FILE "instructions.csv"
#define RUN_WAITS_FILE        "instruction_waits.csv"

typedef struct run_instructions run_instructions_t;

/* sampling: of the run, borrowed. tmpdir: for launches whose weight is known only at the end. RB_IO. */
RB_CHECKED rb_code_t run_instructions_open(run_instructions_t **out, const char *folder,
                                           const run_sampling_t *sampling, const char *tmpdir,
                                           rb_err_t *err);

/* Adds a launch. RB_IO. */
RB_CHECKED rb_code_t run_instructions_add(run_instructions_t *x, const launch_result_t *r,
                                          const launch_insts_t *insts, rb_err_t *err);

/* Writes the files. RB_IO. Does nothing for NULL. */
RB_CHECKED rb_code_t run_instructions_finish(run_instructions_t *x, rb_err_t *err);

/* Releases x and discards unfinished files; NULL is allowed. */
void run_instructions_free(run_instructions_t *x);

#endif
