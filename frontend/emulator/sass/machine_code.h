/*
 * Machine code beside a trace: cubins (or fat binaries, programs) whose instructions complete those
 * of a trace of the same program, joined by kernel name, architecture and pc.
 */
#ifndef RUBATO_SASS_MACHINE_CODE_H
#define RUBATO_SASS_MACHINE_CODE_H

#include "sim/core/err.h"
#include "sim/isa/inst.h"

typedef struct machine_code machine_code_t;

/*
 * Reads every file *.cubin of a folder, in the order of their names. *out is NULL if there is none.
 * Errors: RB_IO, or RB_TRACE for a file that is no machine code. Free with machine_code_close().
 */
RB_CHECKED rb_code_t machine_code_open(const char *folder, machine_code_t **out, rb_err_t *err);
void machine_code_close(machine_code_t *m);

/* Calls visit for each file read. */
void machine_code_files(const machine_code_t *m, void (*visit)(void *ctx, const char *path),
                        void *ctx);

/* The code of a kernel for an architecture (70, 75), decoded; NULL if there is none. Any thread may
 * ask; valid until m is closed. */
typedef struct machine_kernel machine_kernel_t;
const machine_kernel_t *machine_code_kernel(machine_code_t *m, const char *name, unsigned arch);

/*
 * Replaces *in, what a trace tells of the instruction at in->pc, by what the code says; the width
 * of its access stays. false: the code has no such instruction there, or another one.
 */
bool machine_kernel_complete(const machine_kernel_t *k, inst_t *in);

#endif
