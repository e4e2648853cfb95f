/*
 * A CUDA program under rubato: started as a child with a CUDA runtime of ours in front of NVIDIA's,
 * which executes its kernels and records them, or sends them to the simulation.
 */
#ifndef RUBATO_RUN_PROGRAM_CHILD_H
#define RUBATO_RUN_PROGRAM_CHILD_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "frontend/tool/run/program_device.h"
#include "sampling/launch/plan.h"
#include "sim/core/err.h"

/* The program's exit status is returned; this one is our own failure. */
enum { PROGRAM_FAILED = 125 };

/* All texts are borrowed, and may be NULL. */
typedef struct {
    char **words;                 /* the program and its arguments; NULL-terminated */
    const char *arch;             /* "sm_70", "sm_75": its machine code; NULL: that of the GPU */
    const setup_options_t *setup; /* the GPU; not NULL */
    const char *launches;         /* those to record, as in launch_choice.h */
    const plan_t *plan;           /* or the launches of a plan, with their weights */
    const char *trace;            /* where the trace goes; */
    bool replace;                 /*   an existing one may be replaced */
    bool spool;                   /* it goes to a temporary file: program_spool() */
    bool piped;                   /* launches go to program_pipe() */
    const char *profile;          /* file for a line per launch */
    uint64_t max_insts;           /* limits of a launch: warp instructions; 0: none */
    double timeout;               /*   seconds of the host; 0: none */
    uint64_t threads;             /* that execute blocks where nothing is recorded; 0: one */
    const char *tmpdir;           /* for what is temporary */
    bool output_aside;            /* its standard output goes to standard error */
} program_options_t;

typedef struct {
    const program_options_t *options;
    program_device_t device;
    char folder[PATH_MAX]; /* temporary; "": there is none */
    pid_t pid;             /* 0: not running */
    int status;            /* as a shell has it, once it ended */
} program_child_t;

/* Starts the program. options outlive it. RB_IO, or the errors of program_device(). */
RB_CHECKED rb_code_t program_start(program_child_t *p, const program_options_t *options,
                                   rb_err_t *err);

/*
 * Waits until the program first uses the CUDA runtime; *fd gives its launches then and is the
 * caller's to close. RB_TRACE if the program ends without.
 */
RB_CHECKED rb_code_t program_pipe(program_child_t *p, int *fd, rb_err_t *err);

/*
 * Waits for the end of the program; p->status is set then. RB_TRACE if it never used the CUDA
 * runtime, though all went well otherwise.
 */
RB_CHECKED rb_code_t program_wait(program_child_t *p, rb_err_t *err);

/* Whether a launch has been recorded or sent; *arch: whose machine code is executed. */
bool program_launched(const program_child_t *p, unsigned *arch);

/* RB_TRACE: why a program that has ended made no launch. */
rb_code_t program_fail_unlaunched(const program_child_t *p, rb_err_t *err);

/* From now on signals that would end us are the program's: it decides, we clean up. */
void program_own_signals(const program_child_t *p);

/* Path of the temporary trace; it goes with program_end(). */
void program_spool(const program_child_t *p, char path[PATH_MAX]);

/* Ends a program that still runs, and removes what is temporary. Harmless on a zeroed p. */
void program_end(program_child_t *p);

#endif
