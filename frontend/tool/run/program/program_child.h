/*
 * Runs a CUDA program under rubato: as a child process with our CUDA runtime in front of NVIDIA's.
 * It executes the kernels and records them, or sends them to the simulation.
 */
#ifndef RUBATO_RUN_PROGRAM_CHILD_H
#define RUBATO_RUN_PROGRAM_CHILD_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "frontend/tool/run/program/program_device.h"
#include "sampling/plan/plan.h"
#include "sim/core/err.h"

/* Otherwise the program's exit status is returned; this one means that rubato failed. */
enum { PROGRAM_FAILED = 125 };

/* All texts are borrowed and may be NULL. */
typedef struct {
    char **words;                 /* the program and its arguments; NULL-terminated */
    const char *arch;             /* "sm_70", "sm_75": machine code to execute; NULL: the GPU
                                   * decides */
    const setup_options_t *setup; /* the GPU; not NULL */
    const char *launches;         /* launches to record, as in launch_choice.h */
    const plan_t *plan;           /* or the launches of a plan with their weights */
    const char *trace;            /* destination of the trace; */
    bool replace;                 /* may replace an existing one */
    bool spool;                   /* record to a temporary file: program_spool() */
    bool piped;                   /* send launches to program_pipe() */
    const char *profile;          /* file with one line per launch */
    uint64_t max_insts;           /* limit per launch in warp instructions; 0: none */
    double timeout;               /* limit per launch in host seconds; 0: none */
    bool skip_unsupported;        /* leave launches out that cannot be emulated */
    uint64_t threads;             /* threads that execute blocks if nothing is recorded; 0: one */
    const char *libs;             /* folder of CUDA libraries; NULL: program_libs_folder() */
    const char *tmpdir;           /* folder for temporary files */
    bool output_aside;            /* redirect its standard output to standard error */
} program_options_t;

typedef struct {
    const program_options_t *options;
    program_device_t device;
    char folder[PATH_MAX]; /* temporary; "": none */
    pid_t pid;             /* 0: not running */
    int status;            /* exit status in a shell's format, once it ended */
} program_child_t;

/* Starts the program. options must outlive it. RB_IO, or the errors of program_device(). */
RB_CHECKED rb_code_t program_start(program_child_t *p, const program_options_t *options,
                                   rb_err_t *err);

/*
 * Waits until the program first uses the CUDA runtime; its launches can then be read from *fd,
 * which the caller closes. RB_TRACE if the program ends without using the runtime.
 */
RB_CHECKED rb_code_t program_pipe(program_child_t *p, int *fd, rb_err_t *err);

/*
 * Waits for the end of the program and sets p->status. RB_TRACE if it never used the CUDA runtime
 * although it succeeded.
 */
RB_CHECKED rb_code_t program_wait(program_child_t *p, rb_err_t *err);

/* Whether a launch has been recorded or sent; *arch: architecture of the executed machine code. */
bool program_launched(const program_child_t *p, unsigned *arch);

/* RB_TRACE with the reason why a program that has ended made no launch, or none for the output. */
rb_code_t program_fail_unlaunched(const program_child_t *p, rb_err_t *err);

/* From now on, signals that would end rubato are left to the program, which decides; rubato then
 * cleans up. */
void program_own_signals(const program_child_t *p);

/* Path of the temporary trace; program_end() removes it. */
void program_spool(const program_child_t *p, char path[PATH_MAX]);

/* Ends the program if it still runs, and removes temporary files. Does nothing for a zeroed p. */
void program_end(program_child_t *p);

#endif
