/* Stores what a trace source delivers as an .rbt. */
#ifndef RUBATO_RBT_STORE_H
#define RUBATO_RBT_STORE_H

#include "frontend/input/rbt/rbt_writer.h"

/* Blocks first .. last, by their position in the launch, from 0. */
typedef struct {
    uint64_t first, last;
} rbt_block_range_t;

/* What is stored of a source; all of it borrowed. Zeroed: everything. */
typedef struct {
    const uint64_t *positions; /* of launches in the source, from 1, ascending; NULL: all */
    const double *weights;     /* of these launches; NULL: 1 */
    size_t n_positions;
    const rbt_block_range_t *blocks; /* of each launch, ascending; NULL: all */
    size_t n_blocks;
    const char *plan; /* kept in the file; NULL: none */
} rbt_selection_t;

typedef struct {
    const char *path;
    rbt_selection_t select;
    rbt_writer_options_t writer;
    /* Called now and then with the share of the work that is done; may be NULL. */
    void (*progress)(void *ctx, uint64_t launch, uint64_t insts);
    /* Asked now and then: whether to give up (RB_STOPPED); may be NULL. */
    bool (*stop)(void *ctx);
    void *ctx;
} rbt_store_options_t;

/* What was stored. */
typedef struct {
    uint64_t launches, blocks, warp_insts;
} rbt_stored_t;

/*
 * Stores the launches that are selected, and all memory copies, those before other launches before
 * the next one that is stored. Nothing is left on disk unless all of it succeeds.
 */
RB_CHECKED rb_code_t rbt_store(trace_source_t *source, const rbt_store_options_t *o,
                               rbt_stored_t *stored, rb_err_t *err);

#endif
