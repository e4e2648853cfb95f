/* A kernel whose machine code is replaced, for tests that execute arbitrary instructions. */
#ifndef RUBATO_TESTS_SASS_TEMPLATE_H
#define RUBATO_TESTS_SASS_TEMPLATE_H

#include "frontend/emulator/exec/emu_launch.h"

/* The emulator with the loaded kernel, which uses shared memory. Its parameters are three arrays
 * and a number. */
typedef struct {
    emu_mem_t mem;
    emu_module_t module;
    const cubin_kernel_t *kernel;
    uint8_t params[64];
    uint8_t file[1 << 16]; /* the cubin */
} sass_template_t;

enum { SASS_TEMPLATE_ARRAY = 4096 }; /* bytes per array */

/*
 * Loads the kernel for arch 70 or 75. Replaces its code by the instructions in code [0, n), as many
 * as fit, followed by EXIT. t is too large for the stack.
 */
void sass_template_load(sass_template_t *t, unsigned arch, const uint8_t *code, size_t n);
void sass_template_free(sass_template_t *t);

/* Runs the kernel. The caller sets grid, block and limits in *l; the template sets the rest. */
RB_CHECKED rb_code_t sass_template_run(sass_template_t *t, emu_launch_t *l, rb_err_t *err);

#endif
