#include "sim/gpu/source/read_blocks.h"

rb_code_t block_reading_open(block_reading_t *r, trace_source_t *source, uint64_t id, rb_err_t *err)
{
    r->ops = source->ops;
    RB_TRY(r->ops->open(source, id, &r->launch, err));
    stream_store_init(&r->store, &(stream_limits_t){.whole_bytes = 16 << 20,
                                                    .memory_bytes = 64 << 20,
                                                    .dir = source->tmpdir});
    if (r->ops->use_store != NULL)
        r->ops->use_store(r->launch, &r->store);
    return RB_OK;
}

void block_reading_close(block_reading_t *r)
{
    r->ops->close(r->launch);
    stream_store_free(&r->store);
}
