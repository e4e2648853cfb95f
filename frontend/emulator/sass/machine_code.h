/*
 * Machine code beside a trace: cubins (or fat binaries, programs) whose instructions complete those
 * of a trace of the same program, matched by kernel name, architecture and pc.
 */
#ifndef RUBATO_SASS_MACHINE_CODE_H
#define RUBATO_SASS_MACHINE_CODE_H

#include "sim/core/err.h"
#include "sim/isa/inst.h"

typedef struct machine_code machine_code_t;

/*
 * Reads every file *.cubin of a folder in order of name. *out is NULL if there is none. Leaves links
 * to nothing out, with a warning. Errors: RB_IO, or RB_TRACE for a file without machine code. Free with machine_code_close().
 */
RB_CHECKED rb_code_t machine_code_open(const char *folder, machine_code_t **out, rb_err_t *err);
void machine_code_close(machine_code_t *m);

/* Calls visit for each file read. */
void machine_code_files(const machine_code_t *m, void (*visit)(void *ctx, const char *path),
                        void *ctx);

/* The code of a kernel for an architecture (70, 75), decoded; NULL if there is none. Callable from
 * any thread; valid until m is closed. */
typedef struct machine_kernel machine_kernel_t;
const machine_kernel_t *machine_code_kernel(machine_code_t *m, const char *name, unsigned arch);

/*
 * Replaces *in, the trace's description of the instruction at in->pc, by that of the code; the
 * access width is kept. False: the code has no such instruction there.
 */
bool machine_kernel_complete(const machine_kernel_t *k, inst_t *in);

#endif
