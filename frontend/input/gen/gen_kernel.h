/*
 * A generated launch: a kernel, a grid and arguments. A kernel is its code and a function that
 * walks one warp through it. The stream of a warp follows from the launch and the warp's position,
 * so any block can be generated without the others.
 */
#ifndef RUBATO_GEN_KERNEL_H
#define RUBATO_GEN_KERNEL_H

#include <stdint.h>

enum { GEN_MAX_ARGS = 16, GEN_WARP = 32 };

/* Windows of shared and local memory in the generic address space, as in the traces that ship with
 * rubato. Shared-memory instructions use addresses relative to the start of the shared window. */
#define GEN_SHARED_WINDOW UINT64_C(0x7f4000000000)
#define GEN_LOCAL_WINDOW  UINT64_C(0x7f8000000000)

/* How nvcc begins a kernel: GEN_ENTER. After it, GEN_INDEX_1D(i): the thread's index is in register i;
 * GEN_INDEX_2D: its column is in R0, its row in R2. */
#define GEN_ENTER "MOV R1, c[0x0][0x28];70: @!PT SHFL.IDX PT, RZ, RZ, RZ, RZ;"
#define GEN_INDEX_1D(i)                                                                            \
    GEN_ENTER "S2R " i ", SR_CTAID.X;S2R R3, SR_TID.X;IMAD " i ", " i ", c[0x0][0x0], R3;"
#define GEN_INDEX_2D                                                                               \
    GEN_ENTER "S2R R0, SR_CTAID.X;S2R R3, SR_TID.X;S2R R2, SR_CTAID.Y;S2R R5, SR_TID.Y;"           \
              "IMAD R0, R0, c[0x0][0x0], R3;IMAD R2, R2, c[0x0][0x4], R5;"

/* A kernel with one thread per element: the index in register i, the number of elements in the
 * argument at constant n. Threads without an element exit: gen_enter(). */
#define GEN_ENTER_1D(i, n) GEN_INDEX_1D(i) "ISETP.GE.AND P0, PT, " i ", c[0x0][" n "], PT;@P0 EXIT;"

typedef struct gen_warp gen_warp_t;     /* gen_emit.h */
typedef struct gen_launch gen_launch_t; /* below */

typedef struct {
    const char *name;           /* as in the binary */
    const char *const *listing; /* one text per segment: gen_code.h */
    unsigned n_segments;
    uint32_t regs;               /* per thread */
    void (*walk)(gen_warp_t *w); /* emits what one warp executes */
} gen_kernel_t;

struct gen_launch {
    const gen_kernel_t *kernel;
    uint64_t id;                /* 1 .. */
    uint32_t grid[3], block[3]; /* 0 counts as 1 */
    uint32_t shared;            /* bytes per block */
    uint64_t stream;
    uint64_t seed;              /* of the workload: the same for all launches */
    uint64_t arg[GEN_MAX_ARGS]; /* their meaning depends on the kernel */
    const void *data;           /* borrowed; data that the workload prepared, or NULL */
};

#endif
