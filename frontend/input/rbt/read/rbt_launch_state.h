/* An open launch of a native trace: its state, and what rbt_launch_get.c and rbt_claim.c share. */
#ifndef RUBATO_RBT_LAUNCH_STATE_H
#define RUBATO_RBT_LAUNCH_STATE_H

#include "frontend/input/rbt/read/rbt_block.h"
#include "frontend/input/rbt/read/rbt_launch_get.h"

/* Readers of a launch that decode on several threads: launches of their own, whose blocks belong to
 * this one. */
typedef struct {
    pthread_mutex_t lock;
    trace_launch_t *unused; /* owned list */
    trace_claim_t *claims;  /* owned list of those that are being decoded */
} rbt_claims_t;

struct trace_launch {
    rbt_file_t *file;             /* borrowed */
    _Atomic uint64_t *bytes_done; /* borrowed: of the source */
    uint64_t position;            /* in the file, from 0 */
    launch_info_t info;
    uint64_t first_block, n_blocks; /* numbered within the file; only stored blocks count */
    const rbt_code_t *code;         /* borrowed from the file */
    rbt_unpacker_t *unpacker;
    rbt_pages_t *pages;      /* borrowed from the source */
    rbt_shared_page_t *page; /* of the index; NULL: none yet */
    bool has_frame;
    size_t frame_number; /* in the page */
    rbt_frame_get_t frame;
    uint64_t next; /* index of the block that the frame returns next */
    rbt_pool_t pool;
    rbt_launch_t launch;
    rbt_claims_t claims;
    trace_launch_t *next_reader; /* list of unused readers */
    stream_store_t *store;       /* borrowed; for long blocks; NULL: none */
    bool told_missing;
    rb_err_t failed; /* the first error; all later calls return it */
};

/* Loads a page of the index. */
RB_CHECKED rb_code_t rbt_launch_load_page(trace_launch_t *l, size_t number, rb_err_t *err);

/* The frame in which block k of the page begins: the last one that begins at or before k. */
size_t rbt_launch_frame_of(const rbt_page_t *p, uint64_t k);

/* Reads a block; faster if the blocks of its frame before it were the last ones read. */
RB_CHECKED rb_code_t rbt_launch_read(trace_launch_t *l, uint64_t index, rbt_block_t *b,
                                     rb_err_t *err);

/* Warns once, at the end: a trace may hold only part of a launch, but the user should know. */
void rbt_launch_warn_missing(trace_launch_t *l);

#endif
