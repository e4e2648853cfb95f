/* Stores the contents of a trace source as an .rbt. */
#ifndef RUBATO_RBT_STORE_H
#define RUBATO_RBT_STORE_H

#include "frontend/input/rbt/write/rbt_writer.h"

/* Blocks first .. last, by their position in the launch, from 0. */
typedef struct {
    uint64_t first, last;
} rbt_block_range_t;

/* What to store of a source; all pointers are borrowed. All zero: everything. */
typedef struct {
    const uint64_t *positions; /* positions of launches in the source, from 1, ascending; NULL:
                                * all */
    const double *weights;     /* of these launches; NULL: 1 */
    size_t n_positions;
    const rbt_block_range_t *blocks; /* for each launch, ascending; NULL: all */
    size_t n_blocks;
    const char *plan; /* stored in the file; NULL: none */
} rbt_selection_t;

typedef struct {
    const char *path;
    rbt_selection_t select;
    rbt_writer_options_t writer;
    /* Called occasionally with the progress; may be NULL. */
    void (*progress)(void *ctx, uint64_t launch, uint64_t insts);
    /* Called occasionally; returns whether to give up (RB_STOPPED). May be NULL. */
    bool (*stop)(void *ctx);
    void *ctx;
} rbt_store_options_t;

/* What was stored. */
typedef struct {
    uint64_t launches, blocks, warp_insts;
} rbt_stored_t;

/*
 * Stores the selected launches and all memory copies; copies before launches that are not selected
 * go before the next stored one. After an error, nothing is left on disk.
 */
RB_CHECKED rb_code_t rbt_store(trace_source_t *source, const rbt_store_options_t *o,
                               rbt_stored_t *stored, rb_err_t *err);

#endif
