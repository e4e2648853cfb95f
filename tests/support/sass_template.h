/* A kernel whose machine code is replaced, to execute any instructions. */
#ifndef RUBATO_TESTS_SASS_TEMPLATE_H
#define RUBATO_TESTS_SASS_TEMPLATE_H

#include "frontend/emulator/exec/emu_launch.h"

/* The emulator with the kernel loaded: it has shared memory, three arrays and a number as
 * parameters. */
typedef struct {
    emu_mem_t mem;
    emu_module_t module;
    const cubin_kernel_t *kernel;
    uint8_t params[64];
    uint8_t file[1 << 16]; /* the cubin */
} sass_template_t;

enum { SASS_TEMPLATE_ARRAY = 4096 }; /* bytes of an array */

/*
 * Loads it for arch 70 or 75, with the instructions of code [0, n) in place of its own, as far as
 * they fit, and EXIT behind them. t may be large: not for the stack.
 */
void sass_template_load(sass_template_t *t, unsigned arch, const uint8_t *code, size_t n);
void sass_template_free(sass_template_t *t);

/* Runs it; the caller fills what the template does not say: grid, block, limits. */
RB_CHECKED rb_code_t sass_template_run(sass_template_t *t, emu_launch_t *l, rb_err_t *err);

#endif
