/*
 * Executes a kernel of a loaded module functionally: every block, warp and instruction, in a fixed
 * order that depends on nothing but the launch; or, where only the result counts, blocks on several
 * threads at once.
 *
 * Blocks run one after the other; one that does not finish within a slice (because it waits for
 * another block) stays resident while the following ones run. Warps of a block run in turn, each
 * until it loads from global memory, waits at a barrier, ends, or has used its slice; so, as on the
 * hardware, all warps have loaded before the first one stores what it made of it. On a divergent
 * branch the side with fewer threads runs first, the fall-through side on a tie, as Volta and
 * Turing do it.
 */
#ifndef RUBATO_EMU_LAUNCH_H
#define RUBATO_EMU_LAUNCH_H

#include <stdio.h>

#include "frontend/emulator/exec/emu_module.h"
#include "sim/isa/stream.h"

/* Receives each finished block, in the order of their indices; the block is only lent. */
typedef rb_code_t (*emu_block_fn)(void *ctx, const trace_block_t *block, rb_err_t *err);

typedef struct {
    emu_module_t *module;
    emu_mem_t *mem;
    const cubin_kernel_t *kernel;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;
    const uint8_t *params; /* kernel->param_bytes bytes */
    uint64_t max_insts;    /* warp instructions before the launch is given up; 0: no limit */
    double timeout;        /* seconds of the host before it is given up; 0: no limit */
    emu_block_fn on_block; /* NULL: the launch is only executed */
    void *ctx;
    /*
     * Threads that execute blocks of a launch that is only executed, the caller's included (0: as
     * 1). With several, atomics are atomic, but their order, and so the rounding of sums of floats,
     * is that of the host's threads; of several faults any may be reported. Blocks whose code
     * prints or allocates run in their order all the same.
     */
    unsigned workers;
    /*
     * Device address of the barrier's memory of a cooperative launch, whose blocks wait for each
     * other; 0: an ordinary launch.
     */
    uint64_t workspace;
    FILE *out; /* where printf() of the device writes; NULL: standard output */
} emu_launch_t;

/* What the program was at fault with. */
typedef enum {
    EMU_FAULT_ADDRESS, /* an illegal address, or what CUDA has no error of its own for */
    EMU_FAULT_MISALIGNED,
    EMU_FAULT_ASSERT,
    EMU_FAULT_TRAP,
    EMU_FAULT_TIMEOUT, /* of what would never end, too */
    EMU_FAULT_PC       /* a jump out of the code */
} emu_fault_t;

typedef struct {
    uint64_t warp_insts, thread_insts;
    uint64_t divergences;
    emu_fault_t fault;
    bool unsupported; /* the launch ended at an instruction that the emulator does not know */
} emu_totals_t;

/* Address windows of shared and local memory in the generic address space. */
#define EMU_SHARED_BASE 0x7f4000000000ull
#define EMU_LOCAL_BASE  0x7f8000000000ull
#define EMU_WINDOW      (1ull << 24)

/*
 * Runs the launch. RB_TRACE: the program is at fault (illegal address, deadlock, instruction that
 * is not supported, ...); the message names kernel, block, warp, pc and instruction. totals may be
 * NULL.
 */
RB_CHECKED rb_code_t emu_run(const emu_launch_t *l, emu_totals_t *totals, rb_err_t *err);

/* Static and dynamic shared memory of a block in bytes. */
uint32_t emu_shared_bytes(const emu_launch_t *l);

#endif
