/*
 * The interface for sources of launches, the model's first interface. A text trace, a native file
 * and a program running on the SASS emulator look the same through it.
 *
 * Nothing here is called per instruction, and no shard calls it: the launch loop requests whole
 * blocks, which host tasks on the worker threads decode ahead of their dispatch.
 *
 * sim/isa/stream.h describes a decoded block.
 */
#ifndef RUBATO_GPU_TRACE_SOURCE_H
#define RUBATO_GPU_TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"
#include "sim/gpu/source/stream_graph.h"
#include "sim/isa/isa.h"
#include "sim/isa/stream.h"
#include "sim/isa/stream_store.h"

typedef struct {
    uint64_t id;       /* 1, 2, ... in list order; memory copies are not counted */
    uint64_t trace_id; /* the file's own number */
    const char *name;  /* mangled kernel name; valid while the source lives */
    const char *file;  /* file it comes from, for messages; valid while the source lives */
    uint64_t code_id;  /* equal for launches with the same static code (hash of name and arch) */
    uint32_t grid[3], block[3];
    uint32_t regs;         /* per thread */
    uint32_t shared_bytes; /* static + dynamic, per block */
    uint32_t arch;         /* 70, 75, 80 to 90: the trace's binary version */
    uint64_t stream;
    uint64_t shared_base, local_base; /* generic address windows; 0: unknown */
    uint64_t n_blocks;                /* grid[0] * grid[1] * grid[2] */
} launch_info_t;

/* A copy that precedes a launch; host-to-device copies fill the L2. */
typedef struct {
    uint64_t addr, bytes;
} memcpy_op_t;

/* The size of a launch before it is read. 0: unknown. */
typedef struct {
    uint64_t warp_insts; /* of the whole launch, if an index states it */
    uint64_t bytes;      /* of input; comparable between launches of the same source */
} launch_size_t;

/* What an index says about a block without reading it. */
typedef struct {
    uint64_t warp_insts, thread_insts;
    uint64_t requests; /* 128-byte lines of global and local memory and textures, summed over
                        * instructions */
} block_facts_t;

/* What an index says about a launch, exactly. 64-bit counts only. */
typedef struct {
    uint64_t blocks, warp_insts, thread_insts;
    uint64_t insts[OP_CLASS_COUNT];         /* warp instructions by op_class_t */
    uint64_t atomics;                       /* atomics and reductions with active lanes, in any
                                             * space */
    uint64_t requests;                      /* as in block_facts_t */
    uint64_t global_sectors, local_sectors; /* of 32 bytes, including atomics */
    uint64_t texture_sectors;               /* of textures and surfaces */
} launch_counts_t;

/* A basic block (sim/isa/basic_block.h). */
typedef struct {
    uint32_t pc, n_insts;
    const inst_t *first; /* array of its first known instructions, in order; borrowed */
    uint32_t known;      /* length of that array, 1 .. n_insts */
} basic_block_t;

/* How often a basic block of the launch's kernel is executed. */
typedef struct {
    uint32_t bb;
    uint64_t n;
} bb_count_t;

/* The line of the program's source that an instruction was compiled from. */
typedef struct {
    const char *file; /* path */
    uint32_t line;    /* from 1 */
} source_line_t;

/* A loop in which warps wait for what others write (stream_wait_t). */
typedef struct {
    const char *kernel; /* valid while the source lives, as is line.file */
    uint32_t pc;        /* of the instruction that reads */
    uint64_t n;         /* waits */
    uint64_t ended; /* those of them that end at once, because it is not known what they wait for */
    bool has_line;
    source_line_t line;
} wait_loop_t;

typedef struct trace_source trace_source_t;
typedef struct trace_launch trace_launch_t; /* an open launch; each source defines it */
typedef struct trace_claim trace_claim_t;   /* blocks to decode; each source defines it */

typedef enum {
    CLAIM_MADE, /* decode() must be called */
    CLAIM_WAIT, /* none until another claim of the launch is decoded */
    CLAIM_END,  /* no block is left */
} claim_status_t;

/* The operations of a source. Errors are RB_TRACE (message with file and line or offset) or RB_IO.
 * get_block() and free_block() of one launch may be called from different threads, but get_block()
 * only by one at a time. Different open launches are independent. */
typedef struct {
    const char *name; /* "accelsim", "rbt", ... */

    /* Number of launches; UINT64_MAX while a source with has_launch() has not reached its end. */
    uint64_t (*n_launches)(const trace_source_t *s);

    /* Optional (NULL: n_launches() is exact): whether launch id exists, for sources that learn the
     * number of launches only at their end. Such a source is read once, in ascending order:
     * requesting a launch discards those before it. */
    rb_code_t (*has_launch)(trace_source_t *s, uint64_t id, bool *there, rb_err_t *err);

    /* Properties of launch id (1 ..). Reads no more than the launch's header. */
    rb_code_t (*launch_info)(trace_source_t *s, uint64_t id, launch_info_t *info, rb_err_t *err);

    /* Optional (may be NULL): the size of launch id, for progress. Reads no more than an index;
     * read errors are reported by launch_info(). A source states the same kind of size for all its
     * launches. */
    void (*launch_size)(trace_source_t *s, uint64_t id, launch_size_t *out);

    /* Optional (NULL: no index): what the index says about launch id. */
    rb_code_t (*launch_counts)(trace_source_t *s, uint64_t id, launch_counts_t *out, rb_err_t *err);

    /* Optional (NULL: unknown): a number that is the same for launches of equal code, grid, resources and
     * blocks (instructions, masks, addresses), and differs for others but for a chance of 2^-64. Reads
     * the launch's input, but decodes no block. */
    rb_code_t (*digest)(trace_source_t *s, uint64_t id, uint64_t *out, rb_err_t *err);

    /* Memory copies between launch id - 1 and launch id (n_launches + 1: those after the last). */
    size_t (*copies)(const trace_source_t *s, uint64_t id, const memcpy_op_t **ops);

    /* Optional (NULL: the launches are one stream): the order of the work, for launches of several
     * streams. *out is borrowed, legal (stream_graph_check()) and valid while the source lives; NULL:
     * the trace has one stream. */
    rb_code_t (*graph)(trace_source_t *s, const stream_graph_t **out, rb_err_t *err);

    rb_code_t (*open)(trace_source_t *s, uint64_t id, trace_launch_t **out, rb_err_t *err);

    /* Decodes block `index` of an open launch. Indices must ascend; blocks left out are skipped.
     * *out is NULL past the last stored block. The caller gives the block back with
     * free_block(). */
    rb_code_t (*get_block)(trace_launch_t *l, uint64_t index, trace_block_t **out, rb_err_t *err);
    void (*free_block)(trace_launch_t *l, trace_block_t *b);

    /*
     * Optional, both or none (NULL: get_block() is used): decodes blocks of an open launch on several
     * threads. claim() does what must be done in order, by one thread at a time: it takes the next
     * *n blocks from `index` on, as many of at most `max` as are best decoded together. decode() does the
     * rest, for any number of claims at the same time, and frees the claim, also after an error. It
     * writes the *n blocks to out; after an error, to be reported as that of block index + *n, only
     * the *n before it. Neither may be mixed with get_block() for the same open launch.
     */
    rb_code_t (*claim)(trace_launch_t *l, uint64_t index, uint64_t max, claim_status_t *status,
                       trace_claim_t **out, uint64_t *n, rb_err_t *err);
    rb_code_t (*decode)(trace_launch_t *l, trace_claim_t *claim, trace_block_t **out, uint64_t *n,
                        rb_err_t *err);

    /* Optional (NULL: all blocks are delivered whole): from now on, blocks that are long
     * (stream_limits_t) are delivered in pieces in this store, which must outlive the launch. */
    void (*use_store)(trace_launch_t *l, stream_store_t *store);

    /* Frees the launch, and blocks that were not given back (after a run that ended early). */
    void (*close)(trace_launch_t *l);

    /*
     * Optional (may be NULL): the static text of an instruction in a block of the launch, for
     * display and for writing the trace back; *len bytes, not terminated, valid while the launch is
     * open. Either the fields of a line of an Accel-Sim trace without the dynamic ones,
     *     [Ln] dest_num [dests] opcode src_num [srcs] mem_width [@] [immediates]
     * (n: the line of the source file; "@" stands for the addresses), or any text that begins with
     * the full mnemonic. NULL: unknown. Must not be called while blocks of the launch are
     * decoded.
     */
    const char *(*inst_text)(trace_launch_t *l, const inst_t *inst, uint32_t *len);

    /* Optional (may be NULL): the source line of an instruction, under the same conditions; of
     * inlined functions that of the innermost. out->file is valid while the launch is open. false:
     * unknown, or inst_text() states the line without its file. */
    bool (*inst_line)(trace_launch_t *l, const inst_t *inst, source_line_t *out);

    /* Optional (NULL: always 1): how many launches of the traced program launch id stands for, in a
     * trace of sampled launches. */
    double (*weight)(const trace_source_t *s, uint64_t id);

    /* Optional (NULL: no index): facts about block `index` of an open launch, in any order, without
     * reading the block. *stored is false past the last stored block. Must not be called while
     * blocks of the launch are decoded. */
    rb_code_t (*block_facts)(trace_launch_t *l, uint64_t index, block_facts_t *out, bool *stored,
                             rb_err_t *err);

    /*
     * Optional, both or none (NULL: no index): the basic blocks that a warp of block `index` of an
     * open launch executes, in any order, without reading the block. *n is 0 for a warp that the
     * trace does not have. *counts is borrowed until the next call for the launch. basic_block()
     * describes a basic block by its number, while the launch is open. Must not be called while
     * blocks of the launch are decoded.
     */
    rb_code_t (*warp_profile)(trace_launch_t *l, uint64_t index, uint32_t warp,
                              const bb_count_t **counts, size_t *n, rb_err_t *err);
    void (*basic_block)(const trace_launch_t *l, uint32_t bb, basic_block_t *out);

    /* Optional (NULL: there are none): the loops of all launches in which warps wait for each other,
     * by kernel and pc; returns their number. A source with has_launch() tells those of the blocks
     * that it has delivered. The list is borrowed until the next call. */
    size_t (*waits)(trace_source_t *s, const wait_loop_t **list);

    /* Bytes of input consumed so far and in total, for the progress of a complete read; total 0:
     * unknown. */
    void (*progress)(const trace_source_t *s, uint64_t *done, uint64_t *total);

    void (*destroy)(trace_source_t *s);
} trace_source_ops_t;

struct trace_source {
    const trace_source_ops_t *ops; /* first member of every source */
    const char *tmpdir;            /* borrowed; for its readers' files; NULL: $TMPDIR or /tmp */
};

#endif
