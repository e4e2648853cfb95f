/*
 * A listing that is a program: kernels, and a section ".program" with the launches of them, as a trace
 * source. docs/listings.md describes the text.
 */
#ifndef RUBATO_SILICON_PROGRAM_H
#define RUBATO_SILICON_PROGRAM_H

#include "frontend/input/silicon/silicon_suite.h"

/* A described parameter: .param NAME VALUE MIN MAX "what it is". */
typedef struct {
    char *name, *help; /* owned */
    uint64_t min, max, def;
} program_param_t;

typedef struct {
    program_param_t *param; /* owned */
    size_t n, cap;
} program_params_t;

/* The described parameters of a suite's program. RB_TRACE with file and line. Free in any case. */
RB_CHECKED rb_code_t program_params_read(program_params_t *p, const suite_t *suite, rb_err_t *err);
void program_params_free(program_params_t *p);

/* Whether the size can be given as a number of blocks: there is a line .size. */
bool program_has_blocks(const suite_t *suite);

/* Reads digits and an optional k, M, G, Ki, Mi or Gi. False for anything else and above 2^53. */
bool program_number(const char *text, size_t len, uint64_t *out);

/* The same for the value of a parameter; RB_USAGE with both names. */
RB_CHECKED rb_code_t program_number_of(const char *program, const char *name, const char *text,
                                       uint64_t *out, rb_err_t *err);

typedef struct {
    const char *path;
    const char *name; /* for messages about parameters */
    unsigned arch;    /* 70, 75, ... */
    /* Override those of the program section; "seed" is left out if the program has none. */
    const kernel_param_t *params;
    size_t n_params;
    uint64_t blocks; /* 0, or the number of blocks that gives the parameter "size" */
} program_spec_t;

/* Reads the listing and assembles its launches. Returns NULL with *err set: RB_IO, RB_TRACE with file
 * and line, RB_USAGE for a wrong parameter. */
trace_source_t *silicon_program_open(const program_spec_t *spec, rb_err_t *err);

#endif
