/* Stores what a trace source delivers as an .rbt. */
#ifndef RUBATO_RBT_STORE_H
#define RUBATO_RBT_STORE_H

#include "frontend/trace/rbt_writer.h"

typedef struct {
    const char *path;
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

/* Stores all launches and memory copies. Nothing is left on disk unless all of it succeeds. */
RB_CHECKED rb_code_t rbt_store(trace_source_t *source, const rbt_store_options_t *o,
                               rbt_stored_t *stored, rb_err_t *err);

#endif
