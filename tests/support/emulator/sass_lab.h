/*
 * Runs the bundled kernels on the emulator: a device memory, arrays in it, a launch.
 */
#ifndef RUBATO_TESTS_SASS_LAB_H
#define RUBATO_TESTS_SASS_LAB_H

#include <stdbool.h>

#include "frontend/emulator/exec/emu_launch.h"

/* Of each launch, as kernels see them: the SMs of the GPU, the number of the launch. */
enum { SASS_LAB_MAX_PARAMS = 512, SASS_LAB_SMS = 5, SASS_LAB_NUMBER = 9 };

typedef struct {
    emu_mem_t mem;
    emu_module_t module;
    uint8_t *file; /* owned */
    uint8_t params[SASS_LAB_MAX_PARAMS];
    const cubin_kernel_t *kernel;
    unsigned n_params;
    unsigned workers; /* of launches without on_block; 0: one */
    emu_totals_t totals;
    size_t record_bytes; /* as in emu_launch_t */
    uint64_t workspace;  /* of a cooperative launch, or 0 */
    uint64_t heap_bytes; /* as in emu_launch_t, like the next one */
    uint32_t stack_bytes;
    FILE *out; /* where kernels print; NULL: standard output */
    rb_err_t err;
} sass_lab_t;

/* Loads traces/cubin/UNIT.smARCH.cubin; must succeed. */
void sass_lab_open(sass_lab_t *lab, const char *unit, unsigned arch);
/* The same; device memory begins at base, a multiple of 2 MiB. */
void sass_lab_open_at(sass_lab_t *lab, const char *unit, unsigned arch, uint64_t base);
void sass_lab_close(sass_lab_t *lab);

/* Begins a launch of kernel: forgets the parameters. */
void sass_lab_kernel(sass_lab_t *lab, const char *kernel);

/* Sets the next parameter, with the size that the kernel declares. */
void sass_lab_param(sass_lab_t *lab, const void *value);
void sass_lab_int(sass_lab_t *lab, int32_t value);
void sass_lab_pointer(sass_lab_t *lab, uint64_t addr);

/* Allocates device memory with a copy of bytes (NULL: zeros). */
uint64_t sass_lab_put(sass_lab_t *lab, const void *data, size_t bytes);

/* Host address of device memory. */
void *sass_lab_at(sass_lab_t *lab, uint64_t addr);

/* An instruction. */
typedef struct {
    uint64_t lo, hi;
} sass_code_t;

/* Replaces the kernel's code by n instructions and an EXIT; call it before its first launch. */
void sass_lab_code(sass_lab_t *lab, const sass_code_t *code, size_t n);

/* Runs the launch; on_block may be NULL. */
rb_code_t sass_lab_run(sass_lab_t *lab, const uint32_t grid[3], const uint32_t block[3],
                       uint32_t shared, emu_block_fn on_block, void *ctx);

/* The same for one-dimensional launches, which must succeed. */
void sass_lab_must_run(sass_lab_t *lab, uint32_t blocks, uint32_t threads, uint32_t shared);

/* Blocks that wait for a lock which nobody frees must end as an endless loop after max_insts. */
void sass_lab_never_ends(uint32_t blocks, unsigned workers, uint64_t max_insts);

/* Pseudo-random numbers: a full 64-bit word; a float in [0, 1); n of those, to be freed. */
uint64_t sass_lab_random(uint64_t *seed);
float sass_lab_float(uint64_t *seed);
float *sass_lab_floats(size_t n, uint64_t *seed);

/* Fails the test unless got is expected up to a relative tolerance. */
void sass_lab_assert_close(double got, double expected, double tolerance);

/* Runs the following block with a lab that has unit for sm_70, then for sm_75. */
#define SASS_LAB_FOR_EACH_ARCH(lab, unit)                                                          \
    for (unsigned arch_ = 70; arch_ <= 75; arch_ += 5, sass_lab_close(&(lab)))                     \
        for (bool once_ = (sass_lab_open(&(lab), unit, arch_), true); once_; once_ = false)

#endif
