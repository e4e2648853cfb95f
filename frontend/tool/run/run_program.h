/*
 * A run whose launches come from a program that is executed: as it goes, or, for what looks at
 * launches more than once, from a temporary trace of all of them.
 */
#ifndef RUBATO_RUN_RUN_PROGRAM_H
#define RUBATO_RUN_RUN_PROGRAM_H

#include "frontend/tool/run/program_child.h"
#include "frontend/tool/run/run_sampling.h"
#include "sim/gpu/trace_source.h"

typedef struct {
    program_options_t options;
    program_child_t child;
    plan_t plan;         /* of which only the launches are kept; zeroed: there is none */
    char file[PATH_MAX]; /* the program's */
} run_program_t;

/*
 * Starts the program; *source has its launches and is the caller's. revisits: they must be there
 * more than once; the program has ended then. RB_IO, RB_TRACE.
 */
RB_CHECKED rb_code_t run_program_begin(run_program_t *p, const program_options_t *options,
                                       const sampling_options_t *sampling, bool revisits,
                                       trace_source_t **source, rb_err_t *err);

/*
 * Waits for the first launch; *arch: whose machine code is executed. RB_TRACE, with the reason as
 * far as it is known: there is none.
 */
RB_CHECKED rb_code_t run_program_first(run_program_t *p, trace_source_t *source, unsigned *arch,
                                       rb_err_t *err);

/* Waits for the program's end, after its last launch. */
RB_CHECKED rb_code_t run_program_wait(run_program_t *p, rb_err_t *err);

/*
 * Ends the program, if it still runs, and removes what is temporary; the source is closed already.
 * The exit status of a run that ended with rc: the program's own, if that is what there is to tell.
 */
int run_program_end(run_program_t *p, rb_code_t rc);

#endif
