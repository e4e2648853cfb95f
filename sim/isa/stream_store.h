/*
 * Long blocks of an open launch, in bounded memory: while a source decodes such a block, its warps
 * are packed (stream_pack.h), about a byte per instruction, and each warp that executes has one piece
 * unpacked. What exceeds the store's memory goes to a temporary file.
 *
 * A source uses a store as follows, on one thread per block:
 *   long_block_t *b = stream_store_take(store, n_warps);
 *   long_block_put(b, warp, runs, n_runs, addrs);         any number of times, warps in any order
 *   long_block_end(b, warps);                             sets the warps' pieces
 *   ... readers loop over the pieces (stream_first()), on one thread at a time ...
 *   stream_store_give(store, b);
 * Only the pieces of a temporary file that cannot be read or written fail; then the store has
 * failed, and warps end at that point.
 */
#ifndef RUBATO_ISA_STREAM_STORE_H
#define RUBATO_ISA_STREAM_STORE_H

#include <pthread.h>
#include <stdatomic.h>

#include "sim/core/err.h"
#include "sim/isa/stream_pack.h"

typedef struct long_block long_block_t;

typedef struct {
    size_t whole_bytes;  /* a block of more decoded bytes is long: sources put it into the store */
    size_t memory_bytes; /* packed bytes kept in memory */
    uint32_t keep;       /* words of records that stay valid behind a warp's current piece */
    const char *dir;     /* borrowed; folder of the temporary file; NULL: the default */
} stream_limits_t;

typedef struct stream_store {
    stream_limits_t limits;
    pthread_mutex_t lock; /* guards what follows, but for the atomics */
    long_block_t *free, *made;
    struct long_packer *packers; /* unused ones; owned */
    int fd;                      /* of the temporary file; -1: none yet */
    uint32_t *slots;             /* owned; free chunks of the file */
    size_t n_slots, cap_slots;
    uint32_t end_slot; /* chunks of the file, in use or not */
    rb_err_t err;      /* valid once failed */
    atomic_size_t held;
    atomic_bool failed;
} stream_store_t;

void stream_store_init(stream_store_t *s, const stream_limits_t *limits);

/* Frees all blocks, given back or not. */
void stream_store_free(stream_store_t *s);

/* Any thread. A block has the same number of warps in each call. */
long_block_t *stream_store_take(stream_store_t *s, uint32_t n_warps);
void stream_store_give(stream_store_t *s, long_block_t *b);

/* Appends runs, with the address records of their instructions, to a warp. Does nothing once the
 * store has failed. */
void long_block_put(long_block_t *b, uint32_t warp, const trace_run_t *runs, uint32_t n_runs,
                    const uint64_t *addrs);

/* After the last call of long_block_put(): sets pieces, and n_runs of warps that have some. Returns
 * the error of a store that has failed. */
RB_CHECKED rb_code_t long_block_end(long_block_t *b, warp_stream_t *warps, rb_err_t *err);

/* Whether the waits of a block, which has n_words words of them, are in order and within bounds. */
bool stream_waits_hold(const trace_block_t *b, uint32_t n_words);

/* Bytes of memory that runs and words of addresses take. */
static inline size_t stream_bytes(size_t n_runs, size_t n_words)
{
    return n_runs * sizeof(trace_run_t) + n_words * sizeof(uint64_t);
}

#endif
