/*
 * trace_source: where launches come from. The model's first interface; a text trace, a native file
 * and a program running on the SASS emulator look the same through it.
 *
 * Nothing here is called per instruction, and no shard calls it: the launch loop asks for whole
 * blocks, decoded ahead of their dispatch by host tasks on the worker threads.
 *
 * A warp is a sequence of runs; a run is a number of consecutive static instructions executed with
 * one active mask. Addresses of its memory instructions stand in a stream of their own, one record
 * for each dynamic memory instruction with at least one active lane, in order (addr_record_t).
 */
#ifndef RUBATO_GPU_TRACE_SOURCE_H
#define RUBATO_GPU_TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"
#include "sim/isa/inst.h"

typedef struct {
    uint64_t id;       /* 1, 2, ... in list order; memory copies not counted */
    uint64_t trace_id; /* the file's own number */
    const char *name;  /* mangled kernel name; valid while the source lives */
    const char *file;  /* where it comes from, for messages; valid while the source lives */
    uint64_t code_id;  /* equal for launches of the same static code (hash of name and arch) */
    uint32_t grid[3], block[3];
    uint32_t regs;         /* per thread */
    uint32_t shared_bytes; /* static + dynamic, per block */
    uint32_t arch;         /* 70, 75, 80, 86, 90: the trace's binary version */
    uint64_t stream;
    uint64_t shared_base, local_base; /* generic address windows; 0: unknown */
    uint64_t n_blocks;                /* grid[0] * grid[1] * grid[2] */
} launch_info_t;

/* A copy that precedes a launch; host-to-device copies fill the L2. */
typedef struct {
    uint64_t addr, bytes;
} memcpy_op_t;

/* count consecutive instructions from first, all executed with mask. */
typedef struct {
    const inst_t *first; /* borrowed from the launch's static code */
    uint32_t mask;       /* active lanes; 0: predicated off (still issued) */
    uint16_t count;      /* 1 .. 65535 */
    uint16_t reserved;
} trace_run_t;

/*
 * Addresses of one dynamic memory instruction, as a sequence of 64-bit words:
 *   word 0: bits 0-1 form (addr_form_t), bits 2-7 number of active lanes, bits 32-63 stride (i32)
 *   ADDR_AFFINE: word 1 = address of the first active lane; k-th active lane at base + k * stride
 *   ADDR_LIST:   words 1 .. n: one address per active lane, in lane order
 *   ADDR_DELTA:  word 1 = base; then ceil(n / 2) words of packed i32 offsets from base, lane order
 */
typedef enum { ADDR_AFFINE, ADDR_LIST, ADDR_DELTA } addr_form_t;

static inline addr_form_t addr_form(const uint64_t *rec)
{
    return (addr_form_t)(rec[0] & 3u);
}

static inline unsigned addr_lanes(const uint64_t *rec)
{
    return (unsigned)(rec[0] >> 2 & 63u);
}

static inline int32_t addr_stride(const uint64_t *rec)
{
    return (int32_t)(uint32_t)(rec[0] >> 32);
}

static inline uint64_t addr_header(addr_form_t form, unsigned lanes, int32_t stride)
{
    return (uint64_t)form | (uint64_t)lanes << 2 | (uint64_t)(uint32_t)stride << 32;
}

/* Words that a record occupies, header included. */
static inline size_t addr_words(const uint64_t *rec)
{
    switch (addr_form(rec)) {
    case ADDR_AFFINE:
        return 2;
    case ADDR_LIST:
        return 1 + addr_lanes(rec);
    default:
        return 2 + (addr_lanes(rec) + 1) / 2;
    }
}

typedef struct {
    const trace_run_t *runs;
    const uint64_t *addrs;
    uint32_t n_runs;
    uint32_t n_addr_words;
    uint64_t n_insts; /* warp instructions: sum of the runs' counts */
} warp_stream_t;

/* A decoded block. warps[w].n_runs may be 0: the trace has no such warp. */
typedef struct trace_block {
    uint64_t index; /* position in stored order, 0, 1, ... */
    uint32_t id[3]; /* blockIdx */
    uint32_t n_warps;
    warp_stream_t *warps;
    uint64_t n_insts; /* warp instructions of the block */
} trace_block_t;

typedef struct trace_source trace_source_t;
typedef struct trace_launch trace_launch_t; /* one open launch; the source defines it */

/*
 * The operations of a source. Errors are RB_TRACE (message with file and line or offset) or RB_IO.
 * get_block() and free_block() of one launch may be called from different threads, but get_block()
 * by one at a time; different open launches are independent of each other.
 */
typedef struct {
    const char *name; /* "accelsim", "rbt", ... */

    /* Number of launches of the source. */
    uint64_t (*n_launches)(const trace_source_t *s);

    /* Facts of launch id (1 ..). Reads no more than the launch's header. */
    rb_code_t (*launch_info)(trace_source_t *s, uint64_t id, launch_info_t *info, rb_err_t *err);

    /* Memory copies between launch id - 1 and launch id (n_launches + 1: those after the last). */
    size_t (*copies)(const trace_source_t *s, uint64_t id, const memcpy_op_t **ops);

    rb_code_t (*open)(trace_source_t *s, uint64_t id, trace_launch_t **out, rb_err_t *err);

    /*
     * Block index of an open launch, decoded. Indices must ascend; those left out are skipped.
     * *out is NULL past the last stored block. The caller gives the block back with free_block().
     */
    rb_code_t (*get_block)(trace_launch_t *l, uint64_t index, trace_block_t **out, rb_err_t *err);
    void (*free_block)(trace_launch_t *l, trace_block_t *b);
    void (*close)(trace_launch_t *l);

    /* Bytes of input consumed so far and in total (for progress); total 0: unknown. */
    void (*progress)(const trace_source_t *s, uint64_t *done, uint64_t *total);

    void (*destroy)(trace_source_t *s);
} trace_source_ops_t;

struct trace_source {
    const trace_source_ops_t *ops; /* first member of every source */
};

#endif
