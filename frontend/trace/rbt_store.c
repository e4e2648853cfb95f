#include "frontend/trace/rbt_store.h"

/* The open launch, for the writer's questions. */
typedef struct {
    trace_source_t *source;
    trace_launch_t *launch;
} asking_t;

static const char *ask_text(void *ctx, const inst_t *inst, uint32_t *len)
{
    const asking_t *a = ctx;

    return a->source->ops->inst_text(a->launch, inst, len);
}

static rb_code_t store_copies(trace_source_t *source, rbt_writer_t *w, uint64_t id, rb_err_t *err)
{
    const memcpy_op_t *ops = NULL;
    size_t n = source->ops->copies(source, id, &ops);

    for (size_t i = 0; i < n; i++)
        RB_TRY(rbt_writer_copy(w, &ops[i], err));
    return RB_OK;
}

static rb_code_t store_blocks(const asking_t *a, rbt_writer_t *w, const rbt_store_options_t *o,
                              rbt_stored_t *stored, rb_err_t *err)
{
    const trace_source_ops_t *ops = a->source->ops;

    for (uint64_t index = 0;; index++) {
        trace_block_t *b = NULL;

        RB_TRY(ops->get_block(a->launch, index, &b, err));
        if (b == NULL)
            return RB_OK;
        rb_code_t code = rbt_writer_block(w, b, err);

        stored->blocks++;
        stored->warp_insts += b->n_insts;
        ops->free_block(a->launch, b);
        RB_TRY(code);
        if (o->progress != NULL)
            o->progress(o->ctx, stored->launches + 1, stored->warp_insts);
        if (o->stop != NULL && o->stop(o->ctx))
            return rb_fail(err, RB_STOPPED, "stopped");
    }
}

static rb_code_t store_launch(trace_source_t *source, uint64_t id, rbt_writer_t *w,
                              const rbt_store_options_t *o, rbt_stored_t *stored, rb_err_t *err)
{
    asking_t a = {.source = source};
    launch_info_t info;

    RB_TRY(store_copies(source, w, id, err));
    RB_TRY(source->ops->launch_info(source, id, &info, err));
    RB_TRY(source->ops->open(source, id, &a.launch, err));
    rb_code_t code =
        rbt_writer_launch(w, &info, 1, source->ops->inst_text != NULL ? ask_text : NULL, &a, err);

    if (code == RB_OK)
        code = store_blocks(&a, w, o, stored, err);
    if (code == RB_OK)
        code = rbt_writer_launch_end(w, err);
    source->ops->close(a.launch);
    stored->launches += code == RB_OK;
    return code;
}

rb_code_t rbt_store(trace_source_t *source, const rbt_store_options_t *o, rbt_stored_t *stored,
                    rb_err_t *err)
{
    rbt_writer_t *w = rbt_writer_create(o->path, &o->writer, err);
    uint64_t n = source->ops->n_launches(source);
    rb_code_t code = RB_OK;

    *stored = (rbt_stored_t){0};
    if (w == NULL)
        return err->code;
    for (uint64_t id = 1; id <= n && code == RB_OK; id++)
        code = store_launch(source, id, w, o, stored, err);
    if (code == RB_OK)
        code = store_copies(source, w, n + 1, err);
    if (code == RB_OK)
        return rbt_writer_finish(w, err);
    rbt_writer_discard(w);
    return code;
}
