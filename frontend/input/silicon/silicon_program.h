/*
 * A listing that is a program: kernels, and a section ".program" with the launches of them, as a trace
 * source. docs/listings.md describes the text.
 */
#ifndef RUBATO_SILICON_PROGRAM_H
#define RUBATO_SILICON_PROGRAM_H

#include "frontend/input/silicon/silicon_kernel.h"

/*
 * Reads the listing and assembles its launches. params override those of the program section; those
 * named "seed" are left out if the program has no such parameter. arch: 70, 75, ... Returns NULL with
 * *err set: RB_IO, RB_TRACE with file and line, RB_USAGE for an unknown parameter.
 */
trace_source_t *silicon_program_open(const char *path, unsigned arch, const kernel_param_t *params,
                                     size_t n_params, rb_err_t *err);

#endif
