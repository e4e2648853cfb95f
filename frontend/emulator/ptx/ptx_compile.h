/*
 * Compiles PTX to machine code, with the ptxas of the user's CUDA toolkit, as NVIDIA's driver does
 * with its own compiler. Results are kept in the user's cache.
 */
#ifndef RUBATO_PTX_COMPILE_H
#define RUBATO_PTX_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

typedef struct {
    uint32_t arch;     /* 70, 75, ... */
    unsigned max_regs; /* per thread; 0: no limit */
    unsigned level;    /* of optimisation, plus one: 1 to 5; 0: the compiler's own */
    bool line_info, debug;
    bool relocatable; /* to be linked with others */
} ptx_options_t;

/* The architecture of a text's first .target directive, such as 70; 0: this is not PTX. The text ends
 * with a zero byte. */
uint32_t ptx_target(const char *text);

/*
 * Compiles a text of n bytes to a cubin of *size bytes. Free it with free(). Errors: RB_IO if there
 * is no compiler for the architecture, RB_TRACE if the compiler refuses the text, with what it
 * printed.
 */
RB_CHECKED rb_code_t ptx_compile(const char *text, size_t n, const ptx_options_t *options,
                                 uint8_t **cubin, size_t *size, rb_err_t *err);

/* A part of a program to be linked: a relocatable cubin, a fat binary, an object or a library. */
typedef struct {
    const uint8_t *data;
    size_t size;
    const char *suffix; /* by which the linker knows its kind: "cubin", "fatbin", "o", "a" */
} ptx_part_t;

/* Links parts to a cubin, with the user's nvlink. As ptx_compile(). */
RB_CHECKED rb_code_t ptx_link(const ptx_part_t *parts, size_t n, uint32_t arch, uint8_t **cubin,
                              size_t *size, rb_err_t *err);

#endif
