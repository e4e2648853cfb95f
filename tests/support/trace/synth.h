/*
 * A trace source without a trace: kernels are built by the program that runs them, so that a law
 * test states exactly what the model executes and a benchmark measures nothing but the model.
 *
 *   synth_t *s = synth_create();
 *   synth_kernel_t *k = synth_kernel_create(s, "chain", &(synth_shape_t){.arch = 70, ...});
 *   unsigned fma = synth_code(k, "FFMA", "R1", "R1 R2 R3");
 *   unsigned end = synth_code(k, "EXIT", "", "");
 *   synth_kernel_body(k, chain_body, &ctx);      // called for each warp: synth_emit(w, fma, mask)
 *   gpu_run(g, synth_source(s), ...);
 *   synth_destroy(s);
 *
 * Blocks are generated when they are asked for and recycled when they are given back: a grid of any
 * size costs the memory of the blocks in flight. Bodies may be called on any thread and must depend
 * on nothing but their arguments.
 */
#ifndef RUBATO_TESTS_SYNTH_H
#define RUBATO_TESTS_SYNTH_H

#include "sim/gpu/source/made_block.h"

enum { SYNTH_FULL_MASK = -1 };

typedef struct synth synth_t;
typedef struct synth_kernel synth_kernel_t;

/* The warp being generated. */
typedef struct synth_warp {
    uint64_t block;  /* index of the block, x fastest */
    uint32_t id[3];  /* blockIdx */
    uint32_t warp;   /* warp within the block */
    uint64_t global; /* block * warps per block + warp */
    made_block_t *target;
    const synth_kernel_t *kernel;
} synth_warp_t;

typedef void (*synth_body_fn)(synth_warp_t *w, const void *ctx);

/* Shape of a launch; zero grid and block members count as 1, regs 0 as 16, arch 0 as 70. */
typedef struct {
    unsigned arch;
    uint32_t grid[3], block[3];
    uint32_t regs, shared;
    uint64_t stream;
} synth_shape_t;

synth_t *synth_create(void);

/* Frees the source and its kernels. Equivalent to the source's destroy operation. */
void synth_destroy(synth_t *s);

/* The source; lives as long as s. */
trace_source_t *synth_source(synth_t *s);

/* Appends a launch. The name is copied; k belongs to s. */
synth_kernel_t *synth_kernel_create(synth_t *s, const char *name, const synth_shape_t *shape);

/* The order of the launches, by their ids 1, 2, ...; borrowed while s lives. */
void synth_order(synth_t *s, const stream_graph_t *graph);

/* A host-to-device copy before the next launch that is created. */
void synth_memcpy(synth_t *s, uint64_t addr, uint64_t bytes);

/*
 * Appends a static instruction (16 bytes after the previous one) and returns its number. dst and
 * src are operands separated by blanks, as a trace lists them: R4, P0, UR2, UP1; first registers of
 * pairs and quads only. A memory instruction whose mnemonic states no width moves 4 bytes. All code
 * must be appended before the body runs. Ends the process on an operand it cannot read: the text is
 * part of the calling program.
 */
unsigned synth_code(synth_kernel_t *k, const char *mnemonic, const char *dst, const char *src);

/* As synth_code() for an operand in constant memory: c[bank][offset]. */
unsigned synth_code_const(synth_kernel_t *k, const char *mnemonic, const char *dst, unsigned bank,
                          unsigned offset);

/* As synth_code() without registers, with an immediate operand. */
unsigned synth_code_imm(synth_kernel_t *k, const char *mnemonic, int32_t imm);

/* A static instruction, to set what the functions above cannot (flags, control word). Change it
 * before the next one is appended and before the body runs. */
inst_t *synth_inst(synth_kernel_t *k, unsigned inst);

/* A control word: stall count, yield, write and read barrier (CTL_NONE: none), barriers waited for,
 * operands kept for reuse. */
enum { CTL_NONE = 7 };
uint32_t synth_control_word(unsigned stall, bool yield, unsigned write, unsigned read,
                            unsigned wait, unsigned reuse);

/* Gives an instruction a control word. */
void synth_control(synth_kernel_t *k, unsigned inst, uint32_t word);

/* Gives every instruction of all launches a random control word, which no compiler would write
 * but hardware would execute. */
void synth_control_scramble(synth_t *s, uint64_t seed);

/* Sets what each warp executes. ctx is borrowed. */
void synth_kernel_body(synth_kernel_t *k, synth_body_fn body, const void *ctx);

/* Executes one instruction that has no memory operand, or one with no active lane. */
void synth_emit(synth_warp_t *w, unsigned inst, uint32_t mask);

/* Executes count instructions from first with all 32 lanes; none may have a memory operand. */
void synth_emit_span(synth_warp_t *w, unsigned first, unsigned count);

/* A memory instruction: the k-th active lane accesses base + k * stride. */
void synth_emit_affine(synth_warp_t *w, unsigned inst, uint32_t mask, uint64_t base,
                       int32_t stride);

/* A memory instruction with one address for each active lane, in lane order. */
void synth_emit_list(synth_warp_t *w, unsigned inst, uint32_t mask, const uint64_t *addrs);

/* A well-mixed function of x, for reproducible irregularity (splitmix64's finaliser). */
uint64_t synth_mix(uint64_t x);

#endif
