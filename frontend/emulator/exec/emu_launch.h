/*
 * Executes a kernel of a loaded module functionally: every block, warp and instruction, in a fixed
 * order that depends only on the launch. If only the result matters, several host threads may
 * execute blocks at the same time.
 *
 * Blocks run one after the other; a block that does not finish within a slice (because it waits for
 * another block) stays resident while the next ones run. Warps of a block run in turn, each until
 * it loads from global memory, waits at a barrier, ends, or has used its slice. So, as on hardware,
 * all warps have loaded before the first one stores a result. At a divergent branch the side with
 * fewer threads runs first, or the fall-through side if both are equal, as on Volta and Turing.
 */
#ifndef RUBATO_EMU_LAUNCH_H
#define RUBATO_EMU_LAUNCH_H

#include <stdio.h>

#include "frontend/emulator/exec/emu_module.h"
#include "sim/isa/stream.h"

/* Receives each finished block in the order of indices; the block is valid during the call. */
typedef rb_code_t (*emu_block_fn)(void *ctx, const trace_block_t *block, rb_err_t *err);

typedef struct {
    emu_module_t *module;
    emu_mem_t *mem;
    const cubin_kernel_t *kernel;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;
    uint64_t number;       /* of the launch, as %gridid */
    uint32_t sms;          /* of the GPU, as kernels see it: %nsmid, %smid; 0: one */
    uint32_t stack_bytes;  /* limit per thread, unless the code is known to need more; 0: none */
    uint64_t heap_bytes;   /* of malloc() in kernels; 0: no limit */
    const uint8_t *params; /* kernel->param_bytes bytes */
    uint64_t max_insts;    /* limit of warp instructions per launch; 0: no limit */
    double timeout;        /* limit of host seconds per launch; 0: no limit */
    const char *tmpdir;    /* for what exceeds the memory of a trace; NULL: $TMPDIR or /tmp */
    emu_block_fn on_block; /* NULL: the launch is executed without a trace */
    void *ctx;
    size_t
        record_bytes; /* most bytes that a warp records for on_block before they are packed; 0: its
                          * share of 8 MB, which the resident warps have in common */
    /*
     * Host threads that execute blocks of a launch without a trace, including the caller's (0: like
     * 1). With several threads, atomics are atomic, but their order, and with it the rounding of
     * floating-point sums, depends on the threads; of several faults, any may be reported. Blocks
     * whose code prints or allocates always run in order.
     */
    unsigned workers;
    /*
     * Device address of the barrier of a cooperative launch, whose blocks wait for each other; 0:
     * an ordinary launch.
     */
    uint64_t workspace;
    FILE *out; /* destination of the device's printf(); NULL: standard output */
} emu_launch_t;

/* Kinds of errors of the program. */
typedef enum {
    EMU_FAULT_ADDRESS, /* an illegal address, or an error without a CUDA code of its own */
    EMU_FAULT_MISALIGNED,
    EMU_FAULT_ASSERT,
    EMU_FAULT_TRAP,
    EMU_FAULT_TIMEOUT, /* also for a launch that would never end */
    EMU_FAULT_PC       /* a jump outside the code */
} emu_fault_t;

typedef struct {
    uint64_t warp_insts, thread_insts;
    uint64_t divergences;
    emu_fault_t fault;
    bool printed, allocated; /* it called printf(); malloc() or free() */
    bool unsupported; /* the launch ended at an instruction that the emulator does not support */
} emu_totals_t;

/* Address windows of shared and local memory in the generic address space. */
#define EMU_SHARED_BASE 0x7f4000000000ull
#define EMU_LOCAL_BASE  0x7f8000000000ull
#define EMU_WINDOW      (1ull << 24)

/*
 * Runs the launch. RB_TRACE: an error of the program (illegal address, deadlock, unsupported
 * instruction, ...); the message names kernel, block, warp, pc and instruction. totals may be
 * NULL.
 */
RB_CHECKED rb_code_t emu_run(const emu_launch_t *l, emu_totals_t *totals, rb_err_t *err);

/* Static and dynamic shared memory per block in bytes. */
uint32_t emu_shared_bytes(const emu_launch_t *l);

/* The same in whole units of allocation, as kernels see it (PTX ISA, %total_smem_size). */
uint32_t emu_shared_units(const emu_launch_t *l);

#endif
