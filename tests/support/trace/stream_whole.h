/* Long blocks put together again, for tests that compare them with blocks that were kept whole. */
#ifndef RUBATO_TESTS_STREAM_WHOLE_H
#define RUBATO_TESTS_STREAM_WHOLE_H

#include "sim/isa/stream.h"

/* A copy of a block with whole warps; it and its parts are freed by stream_whole_free(). Reads the
 * pieces of the block. */
trace_block_t *stream_whole(const trace_block_t *b);
void stream_whole_free(trace_block_t *b);

/* Words of the address records of n runs. */
size_t stream_run_words(const trace_run_t *runs, size_t n, const uint64_t *addrs);

#endif
