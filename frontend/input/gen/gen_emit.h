/*
 * Emits the instruction stream of one warp. A kernel's walk function provides what the emitter
 * cannot know: the lanes that run each segment, the predicates of guards, and address registers.
 *
 *   w->pred[0] = gen_below(w, n - first);    // @P0 and @!P0 in the segment below
 *   gen_affine(w, 4, a + 4 * first, 4);      // [R4] of lane k: a + 4 * (first + k)
 *   gen_run(w, BODY, w->lanes);
 *
 * Values of registers and predicates are kept until they are set again.
 */
#ifndef RUBATO_GEN_EMIT_H
#define RUBATO_GEN_EMIT_H

#include <stdbool.h>

#include "frontend/input/gen/gen_code.h"
#include "frontend/input/gen/gen_hash.h"
#include "frontend/input/gen/gen_kernel.h"
#include "sim/gpu/source/made_block.h"

/* Value of an address register: base + lane * stride, or one value per lane. */
typedef struct {
    bool affine;
    uint64_t base;
    int64_t stride;
    uint64_t lane[GEN_WARP];
} gen_reg_t;

struct gen_warp {
    const gen_launch_t *launch;
    const gen_code_t *code;
    uint64_t block;   /* index of the block, x fastest */
    uint32_t id[3];   /* blockIdx */
    uint32_t warp;    /* within the block */
    uint32_t threads; /* of the block */
    uint32_t lanes;   /* threads of this warp that exist */
    uint32_t pred[8]; /* lanes where P0 .. P6 hold; P7 is PT */
    made_block_t *target;
    gen_reg_t reg[256];
};

/* Executes a segment with these lanes; does nothing if there are none. */
void gen_run(gen_warp_t *w, unsigned segment, uint32_t lanes);

/* Calls gen_run() for segments first .. last in order. */
void gen_run_to(gen_warp_t *w, unsigned first, unsigned last, uint32_t lanes);

/* Lane k of the register becomes base + k * stride. */
void gen_affine(gen_warp_t *w, unsigned reg, uint64_t base, int64_t stride);

/* Sets one value per lane; values of lanes that do not use the register are ignored. */
void gen_lanes(gen_warp_t *w, unsigned reg, const uint64_t lane[GEN_WARP]);

/* Lane k, at column k % width of row k / width, becomes base + column * dx + row * dy. */
void gen_tile(gen_warp_t *w, unsigned reg, uint64_t base, unsigned width, int64_t dx, int64_t dy);

/* Adds bytes to every lane. */
void gen_advance(gen_warp_t *w, unsigned reg, int64_t bytes);

/* Index of lane 0's thread in its block (x fastest). */
static inline uint32_t gen_first_thread(const gen_warp_t *w)
{
    return w->warp * GEN_WARP;
}

/* Index of lane 0's thread in a one-dimensional grid. */
static inline uint64_t gen_first_global(const gen_warp_t *w)
{
    return w->block * w->threads + gen_first_thread(w);
}

/* A mask of the first n lanes; all for 32 or more. */
static inline uint32_t gen_first_lanes(uint64_t n)
{
    return n >= GEN_WARP ? UINT32_MAX : (1u << n) - 1;
}

/* Lanes k with first + k < n. */
static inline uint32_t gen_below(uint64_t first, uint64_t n)
{
    return first >= n ? 0 : gen_first_lanes(n - first);
}

/*
 * Runs a segment that begins with GEN_ENTER_1D in a one-dimensional grid over n elements, and
 * returns the lanes that have an element.
 */
uint32_t gen_enter(gen_warp_t *w, unsigned segment, uint64_t n);

/*
 * Fills b->block with block index of the launch; b->block.warps has room for all its warps. w is
 * scratch space: only its launch and code are read.
 */
RB_CHECKED rb_code_t gen_block_generate(made_block_t *b, gen_warp_t *w, uint64_t index,
                                        rb_err_t *err);

#endif
