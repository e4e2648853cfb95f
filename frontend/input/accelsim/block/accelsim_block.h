/*
 * Decodes the text of a launch into blocks (sim/isa/stream.h). Straight-line code with one mask needs
 * one run for many instructions, regular addresses two words per instruction. Long blocks are packed
 * further while they are parsed (sim/isa/stream_store.h).
 */
#ifndef RUBATO_ACCELSIM_BLOCK_H
#define RUBATO_ACCELSIM_BLOCK_H

#include <pthread.h>

#include "frontend/input/accelsim/accelsim.h"
#include "frontend/input/accelsim/block/accelsim_code.h"
#include "frontend/input/accelsim/block/accelsim_seen.h"
#include "frontend/input/accelsim/block/accelsim_span.h"
#include "frontend/input/accelsim/text/accelsim_header.h"
#include "frontend/input/accelsim/text/accelsim_lines.h"
#include "sim/isa/stream.h"
#include "sim/isa/stream_store.h"

enum { BLOCK_THREADS_MAX = 1024, BLOCK_WARPS_MAX = BLOCK_THREADS_MAX / 32 };

typedef struct accelsim_block accelsim_block_t;

/* The blocks per launch. Any thread may return one. */
typedef struct {
    pthread_mutex_t lock;
    accelsim_block_t *first; /* free list of returned blocks */
    accelsim_block_t *made;  /* list of all blocks: a run that ends early does not return all */
} block_pool_t;

typedef struct {
    accelsim_lines_t *lines;         /* borrowed; positioned after the header */
    const accelsim_header_t *header; /* borrowed; if raw, lines come from accelsim_group.h */
    const launch_info_t *info;       /* from the header */
    accelsim_code_t code;
    accelsim_spans_t spans;
    block_pool_t pool;
    stream_store_t *store; /* borrowed; for long blocks; NULL: they are kept whole */
    unsigned prefix;       /* how many numbers precede the pc: ids in old versions, source lines */
    uint64_t source_line;  /* source line of the last instruction read; CODE_NO_LINE: not in the
                           * trace */
    uint64_t n_seen;       /* blocks begun so far, including skipped ones */
    accelsim_seen_t seen;  /* which blocks these were */
    rb_err_t failed;       /* the first error; reading stops there */
    bool told_missing;
} block_reader_t;

/* The header may be read later; call block_reader_start() when it is. machine: borrowed, NULL:
 * none. */
void block_reader_init(block_reader_t *r, accelsim_lines_t *lines, const accelsim_header_t *header);
void block_reader_start(block_reader_t *r, const accelsim_machine_t *machine);
void block_reader_free(block_reader_t *r);

/*
 * Returns the index-th block of the text (0, 1, ...). index must not be below that of a block
 * already read or skipped. *out is NULL after the last block. RB_TRACE naming file and line if the
 * text is malformed.
 */
RB_CHECKED rb_code_t block_reader_get(block_reader_t *r, uint64_t index, trace_block_t **out,
                                      rb_err_t *err);

/* Takes a block back. */
void block_reader_give_back(block_reader_t *r, trace_block_t *b);

/* --- parts of block_reader_get(), for accelsim_claim.c ---------------------------------------- */

/* A block whose id has been read. */
typedef struct {
    uint64_t index;
    uint32_t id[3];
} block_head_t;

/* Moves to the index-th block and reads its id; *found is false after the last block. */
RB_CHECKED rb_code_t block_reader_seek(block_reader_t *r, uint64_t index, block_head_t *head,
                                       bool *found, rb_err_t *err);

/* Reads the rest of a block from the lines of r, into a block from the pool of `pool`. */
RB_CHECKED rb_code_t block_reader_rest(block_reader_t *r, block_reader_t *pool,
                                       const block_head_t *head, trace_block_t **out,
                                       rb_err_t *err);

#endif
