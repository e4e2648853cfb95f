/*
 * A run whose launches come from an executed program: as they are made or, if launches are read
 * more than once, from a temporary trace of all of them.
 */
#ifndef RUBATO_RUN_RUN_PROGRAM_H
#define RUBATO_RUN_RUN_PROGRAM_H

#include "frontend/tool/run/program/program_child.h"
#include "frontend/tool/run/sampled/run_sampling.h"
#include "sim/gpu/source/trace_source.h"

typedef struct {
    program_options_t options;
    program_child_t child;
    plan_t plan;         /* only its launches are kept; zeroed: no plan */
    char file[PATH_MAX]; /* path of the program */
} run_program_t;

/*
 * Starts the program; *source delivers its launches and belongs to the caller. revisits: launches
 * must be readable more than once, so the program runs to its end first. RB_IO, RB_TRACE.
 */
RB_CHECKED rb_code_t run_program_begin(run_program_t *p, const program_options_t *options,
                                       const sampling_options_t *sampling, bool revisits,
                                       trace_source_t **source, rb_err_t *err);

/*
 * Waits for the first launch; *arch: architecture of the executed machine code. RB_TRACE, with the
 * reason if it is known: there is no launch.
 */
RB_CHECKED rb_code_t run_program_first(run_program_t *p, trace_source_t *source, unsigned *arch,
                                       rb_err_t *err);

/* Waits for the program's end, after its last launch. */
RB_CHECKED rb_code_t run_program_wait(run_program_t *p, rb_err_t *err);

/*
 * Ends the program if it still runs, and removes temporary files; the source must be closed.
 * Returns the exit status of a run that ended with rc: the program's own status if it explains the
 * result.
 */
int run_program_end(run_program_t *p, rb_code_t rc);

#endif
