/*
 * Walks of launches that several chips share: what a launch leaves behind (used_lines.h, trail.h) does not depend
 * on the number of SMs, nor on the size of the L2, as long as that has room for its lines. A chip keeps them, as bytes, for
 * chips that simulate the same trace later; these get the same state as from walks of their own.
 */
#ifndef RUBATO_GPU_SHARED_WALKS_H
#define RUBATO_GPU_SHARED_WALKS_H

#include "sim/gpu/warming/trail.h"
#include "sim/gpu/warming/used_lines.h"

typedef struct shared_walks shared_walks_t;

typedef struct {
    uint64_t warp_insts; /* of the launch */
    used_lines_t lines;  /* owned */
    trail_item_t *item;  /* owned */
    size_t n_items;
} shared_walk_t;

/* Bytes that they may take; others are not kept. */
enum { SHARED_WALKS_MEMORY = 64 << 20 };

shared_walks_t *shared_walks_create(void);
void shared_walks_destroy(shared_walks_t *s); /* s may be NULL */

void shared_walk_free(shared_walk_t *w);

/* Keeps a walk; finds one in *out, which the caller frees. */
void shared_walks_put(shared_walks_t *s, uint64_t key, const shared_walk_t *w);
bool shared_walks_find(const shared_walks_t *s, uint64_t key, shared_walk_t *out);
bool shared_walks_has(const shared_walks_t *s, uint64_t key);

/* The digest of a launch of the trace, by its position; 0: unknown. */
void shared_walks_put_digest(shared_walks_t *s, uint64_t position, uint64_t digest);
uint64_t shared_walks_digest(const shared_walks_t *s, uint64_t position);

/* Passes all that is kept as pieces of bytes; takes such a piece (false: damaged). */
void shared_walks_visit(const shared_walks_t *s,
                        void (*visit)(void *ctx, const void *bytes, size_t n), void *ctx);
bool shared_walks_take(shared_walks_t *s, const void *bytes, size_t n);

#endif
