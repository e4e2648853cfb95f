/*
 * What a launch leaves behind when it is walked without time: lines in an L2 that was empty, and the
 * code and pages that it used (trail.h). Programs launch the same kernels on the same data again and
 * again, and a sampled run goes over its program several times, so a chip remembers the footprints of
 * launches and walks equal launches (trace_source_ops_t.digest) once.
 */
#ifndef RUBATO_GPU_FOOTPRINT_H
#define RUBATO_GPU_FOOTPRINT_H

#include "sim/gpu/warming/shared_walks.h"
#include "sim/gpu/warming/trail.h"
#include "sim/parts/cache/cache.h"

typedef struct {
    uint64_t key;
    cache_lines_t lines; /* of the slices of the L2, in order */
    trail_item_t *item;  /* owned */
    size_t n_items;
    uint64_t warp_insts; /* of the launch */
    uint64_t placed;     /* lines that it gave a place in the L2, several times if it overflows */
    /* Sectors that it had the empty L2 fetch, and that it left there; UINT64_MAX: it has fetched those that it left and
     * did not write. */
    uint64_t fetched, held;
    unsigned holders; /* who has taken it and not given it back */
} footprint_t;

typedef struct footprints footprints_t;

/* Host memory that footprints may take, in bytes. */
enum { FOOTPRINT_MEMORY = 64 << 20 };

footprints_t *footprints_create(void);
void footprints_destroy(footprints_t *f); /* f may be NULL */

/* Keys of launches are kept until another run, which may be of another source, begins. */
void footprints_begin_run(footprints_t *f);

/* Walks that chips share, which belong to f; NULL: none. With keep, all that may be shared is kept. */
shared_walks_t *footprints_shared(footprints_t *f);
void footprints_share(footprints_t *f, bool keep);
bool footprints_keeps(const footprints_t *f);

/* The key of launch `position`: never 0. Only for sources with digests. */
RB_CHECKED rb_code_t footprints_key(footprints_t *f, trace_source_t *source, uint64_t position,
                                    uint64_t *key, rb_err_t *err);

/* The footprint with this key, which the caller gives back; NULL: it is not known. */
footprint_t *footprints_take(footprints_t *f, uint64_t key);

/* Takes ownership of the contents, and remembers them if they have a key. Others are forgotten if memory requires
 * it. The caller gives the result back. */
footprint_t *footprints_add(footprints_t *f, const footprint_t *new);

void footprint_give(footprint_t *p);

#endif
