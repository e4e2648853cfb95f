/*
 * A walk over blocks without time: what their warps access in global memory, by line, and the code
 * that they execute. Used to bring caches to where blocks that are not simulated would have left
 * them (warmup.c), and to count what a launch does to the L2 (shadow.h).
 *
 * Blocks are walked in stored order, and within a block warp by warp: how warps interleave is not
 * known without time. Local memory is left out, because nobody reads its lines after the launch.
 */
#ifndef RUBATO_GPU_TOUCH_WALK_H
#define RUBATO_GPU_TOUCH_WALK_H

#include "sim/core/msg.h"
#include "sim/gpu/trace_source.h"
#include "sim/mem/l2_tags.h"

typedef enum {
    TOUCH_READ,
    TOUCH_WRITE,
    TOUCH_ATOMIC, /* also reductions */
    TOUCH_CODE,   /* a line of instructions; all sectors */
} touch_kind_t;

/* An access of a warp's instruction to a line of 128 bytes. */
typedef struct {
    uint64_t line;
    uint8_t kind;    /* touch_kind_t */
    uint8_t sectors; /* touched */
    uint8_t full;    /* writes: sectors of which all bytes are written */
    uint32_t bytes;  /* writes: number of its byte masks in the batch */
} touch_access_t;

/* What happened in a part of a block. */
typedef struct {
    uint64_t warp_insts;
    uint64_t requests; /* accesses to lines of global memory, with those left out as repeats */
    /* Sectors of repeats: the block had just read, or completely written, the same sectors, so that
     * the L2 has them and does not change. */
    uint64_t repeated_reads, repeated_writes;
} touch_counts_t;

/* A part of a block, in order. */
typedef struct {
    uint64_t block;
    const touch_access_t *access;
    size_t n;
    const uint32_t (*bytes)[SECTORS_PER_LINE]; /* byte masks of writes */
    touch_counts_t counts;
} touch_batch_t;

/* An access of the batch for the L2. */
static inline l2_touch_t touch_of_l2(const touch_batch_t *b, const touch_access_t *a)
{
    return (l2_touch_t){.sectors = a->sectors,
                        .full = a->full,
                        .read = a->kind != TOUCH_WRITE,
                        .write = a->kind == TOUCH_WRITE || a->kind == TOUCH_ATOMIC,
                        .bytes = b->bytes[a->bytes]};
}

typedef struct {
    void (*take)(void *ctx, const touch_batch_t *batch);
    void *ctx;
} touch_consumer_t;

/* Walks blocks [first, end) of launch `id` of the source, as far as they exist. code_base: address
 * of the launch's code. Returns errors of reading; what was read before has been handed out. */
RB_CHECKED rb_code_t touch_walk(trace_source_t *source, uint64_t id, uint64_t first, uint64_t end,
                                uint64_t code_base, const touch_consumer_t *consumer,
                                rb_err_t *err);

#endif
