/* Reading the blocks of a launch one after the other, on one thread: long ones come in pieces. */
#ifndef RUBATO_GPU_READ_BLOCKS_H
#define RUBATO_GPU_READ_BLOCKS_H

#include "sim/gpu/source/trace_source.h"

typedef struct {
    const trace_source_ops_t *ops; /* borrowed */
    trace_launch_t *launch;        /* owned */
    stream_store_t store;
} block_reading_t;

/* Opens launch id (position 1 ..) of a source. Errors are those of the source. After an error there
 * is nothing to close. */
RB_CHECKED rb_code_t block_reading_open(block_reading_t *r, trace_source_t *source, uint64_t id,
                                        rb_err_t *err);
void block_reading_close(block_reading_t *r);

#endif
