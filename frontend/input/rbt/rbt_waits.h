/*
 * The section "waits" of the root: where warps wait for what others write (stream_wait_t). Unpacked:
 *
 *   v launches; for each: v place in the file - (that of the one before + 1; at first 0), v which
 *     writes count (1 in global, 2 in shared memory), v blocks; for each block that has waits:
 *     v place in the launch - (that of the one before + 1; at first 0), v waits; for each:
 *       v warp - that of the one before (at first 0), v begin - the end of the one before in the warp
 *       (at first 0), v test, v tail, v pc, v polls, v words; for each: s address - that of the
 *       one before in the launch (at first 0), v writes (0: until the lock that it holds is free)
 */
#ifndef RUBATO_RBT_WAITS_H
#define RUBATO_RBT_WAITS_H

#include "frontend/input/rbt/rbt_bytes.h"
#include "sim/isa/stream.h"

#define RBT_WAITS_SECTION "waits"

/* --- writing --------------------------------------------------------------------------------- */

typedef struct {
    rbt_buf_t done, open; /* launches that have ended; the blocks of the open one */
    uint64_t n_launches, next_launch, n_blocks, next_block, last_word;
    uint32_t watch; /* of the open launch */
} rbt_waits_put_t;

void rbt_waits_put_free(rbt_waits_put_t *w);

/* The next block of the open launch, which is stored at this place in it. */
void rbt_waits_put_block(rbt_waits_put_t *w, uint64_t place, const trace_block_t *block);

/* Ends the launch at this place in the file. */
void rbt_waits_put_launch(rbt_waits_put_t *w, uint64_t place);

void rbt_waits_encode(const rbt_waits_put_t *w, rbt_buf_t *out);

/* --- reading --------------------------------------------------------------------------------- */

typedef struct {
    uint64_t place;
    uint32_t watch;
    size_t first_block, n_blocks;
} rbt_waits_launch_t;

typedef struct {
    uint64_t place;
    size_t first_wait, first_word; /* words of its waits are numbered from there */
    uint32_t n_waits;
} rbt_waits_block_t;

typedef struct {
    rbt_waits_launch_t *launches; /* owned, as the others */
    rbt_waits_block_t *blocks;
    stream_wait_t *waits;
    wait_word_t *words;
    size_t n_launches, cap_launches, n_blocks, cap_blocks, n_waits, cap_waits, n_words, cap_words;
} rbt_waits_t;

/* Reads the whole of in; false: it is inconsistent. The caller frees *w in any case. */
bool rbt_waits_get(rbt_in_t *in, rbt_waits_t *w);
void rbt_waits_free(rbt_waits_t *w);

/* The waits of the launch at a place in the file; NULL: it has none. */
const rbt_waits_launch_t *rbt_waits_of(const rbt_waits_t *w, uint64_t launch);

/* Gives the block at `place` of the launch at `launch` its waits. */
void rbt_waits_give(const rbt_waits_t *w, uint64_t launch, uint64_t place, trace_block_t *block);

#endif
