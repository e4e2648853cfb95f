/*
 * The output file. Helper threads compress frames; they are appended in the order in which they
 * were submitted, so that the bytes do not depend on the threads.
 */
#ifndef RUBATO_RBT_PACK_H
#define RUBATO_RBT_PACK_H

#include "frontend/input/rbt/rbt_bytes.h"
#include "frontend/input/rbt/rbt_format.h"
#include "frontend/input/rbt/write/rbt_writer.h"
#include "sim/core/err.h"

typedef struct rbt_pack rbt_pack_t;

/* Called for each frame after it is written, in order. */
typedef rb_code_t (*rbt_placed_fn)(void *ctx, const rbt_place_t *place, rb_err_t *err);

/* Ascending offsets in a frame where the kind of data changes: the parts get separate
 * statistics. */
enum { RBT_CUTS_MAX = 9 };
typedef struct {
    size_t at[RBT_CUTS_MAX];
    unsigned n;
} rbt_cuts_t;

/*
 * Creates a temporary file beside path. Returns NULL with RB_USAGE if path exists and may not be
 * replaced, or RB_IO. placed is called on the caller's thread.
 */
rbt_pack_t *rbt_pack_create(const char *path, const rbt_writer_options_t *o, rbt_placed_fn placed,
                            void *ctx, rb_err_t *err);

/* The name of the temporary file, which exists until p is freed. */
const char *rbt_pack_temporary(const rbt_pack_t *p);

/* Submits a frame; *bytes becomes an empty buffer. May wait and call placed. */
RB_CHECKED rb_code_t rbt_pack_add(rbt_pack_t *p, rbt_buf_t *bytes, const rbt_cuts_t *cuts,
                                  rb_err_t *err);

/* Waits until all frames are written and reported through placed. */
RB_CHECKED rb_code_t rbt_pack_drain(rbt_pack_t *p, rb_err_t *err);

/* Compresses and appends at once; only from placed, or when no job is pending. */
RB_CHECKED rb_code_t rbt_pack_now(rbt_pack_t *p, const rbt_buf_t *bytes, rbt_place_t *place,
                                  rb_err_t *err);

/* Appends raw bytes; only when no job is pending. */
RB_CHECKED rb_code_t rbt_pack_raw(rbt_pack_t *p, const void *data, size_t n, rb_err_t *err);

/* Syncs, renames the file to its final name, and frees p, also on failure. */
RB_CHECKED rb_code_t rbt_pack_commit(rbt_pack_t *p, rb_err_t *err);

/* Removes the file and frees p. NULL is allowed. */
void rbt_pack_discard(rbt_pack_t *p);

#endif
