#include "frontend/input/rbt/write/rbt_store.h"

#include "sim/gpu/source/read_blocks.h"

/* The open launch; answers the writer's questions for texts and lines. */
typedef struct {
    trace_source_t *source;
    trace_launch_t *launch;
} asking_t;

static const char *ask_text(void *ctx, const inst_t *inst, uint32_t *len)
{
    const asking_t *a = ctx;

    return a->source->ops->inst_text(a->launch, inst, len);
}

static bool ask_line(void *ctx, const inst_t *inst, source_line_t *out)
{
    const asking_t *a = ctx;

    return a->source->ops->inst_line(a->launch, inst, out);
}

static rb_code_t store_copies(trace_source_t *source, rbt_writer_t *w, uint64_t id, rb_err_t *err)
{
    const memcpy_op_t *ops = NULL;
    size_t n = source->ops->copies(source, id, &ops);

    for (size_t i = 0; i < n; i++)
        RB_TRY(rbt_writer_copy(w, &ops[i], err));
    return RB_OK;
}

/* The next selected block from index on; false if there is none. */
static bool next_wanted(const rbt_selection_t *sel, uint64_t *index)
{
    if (sel->blocks == NULL)
        return true;
    for (size_t i = 0; i < sel->n_blocks; i++) {
        if (*index > sel->blocks[i].last)
            continue;
        if (*index < sel->blocks[i].first)
            *index = sel->blocks[i].first;
        return true;
    }
    return false;
}

static rb_code_t store_blocks(const asking_t *a, rbt_writer_t *w, const rbt_store_options_t *o,
                              rbt_stored_t *stored, rb_err_t *err)
{
    const trace_source_ops_t *ops = a->source->ops;

    for (uint64_t index = 0; next_wanted(&o->select, &index); index++) {
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
    return RB_OK;
}

static rb_code_t store_launch(trace_source_t *source, uint64_t id, double weight, rbt_writer_t *w,
                              const rbt_store_options_t *o, rbt_stored_t *stored, rb_err_t *err)
{
    asking_t a = {.source = source};
    block_reading_t reading;
    launch_info_t info;

    RB_TRY(source->ops->launch_info(source, id, &info, err));
    RB_TRY(block_reading_open(&reading, source, id, err));
    a.launch = reading.launch;
    rb_code_t code = rbt_writer_launch(w, &info, weight,
                                       source->ops->inst_text != NULL ? ask_text : NULL, &a, err);

    if (code == RB_OK && source->ops->inst_line != NULL)
        rbt_writer_lines(w, ask_line);
    if (code == RB_OK)
        code = store_blocks(&a, w, o, stored, err);
    if (code == RB_OK)
        code = rbt_writer_launch_end(w, err);
    block_reading_close(&reading);
    stored->launches += code == RB_OK;
    return code;
}

static rb_code_t store_all(trace_source_t *source, rbt_writer_t *w, const rbt_store_options_t *o,
                           rbt_stored_t *stored, rb_err_t *err)
{
    const rbt_selection_t *sel = &o->select;
    uint64_t n = source->ops->n_launches(source);
    size_t next = 0;

    for (uint64_t id = 1; id <= n; id++) {
        double weight = source->ops->weight != NULL ? source->ops->weight(source, id) : 1;

        RB_TRY(store_copies(source, w, id, err));
        if (sel->positions != NULL) {
            if (next == sel->n_positions || sel->positions[next] != id)
                continue;
            if (sel->weights != NULL)
                weight = sel->weights[next];
            next++;
        }
        RB_TRY(store_launch(source, id, weight, w, o, stored, err));
    }
    RB_TRY(store_copies(source, w, n + 1, err));
    const stream_graph_t *graph = NULL;

    if (source->ops->graph != NULL)
        RB_TRY(source->ops->graph(source, &graph, err));
    if (graph != NULL)
        rbt_writer_graph(w, graph);
    return RB_OK;
}

rb_code_t rbt_store(trace_source_t *source, const rbt_store_options_t *o, rbt_stored_t *stored,
                    rb_err_t *err)
{
    rbt_writer_t *w = rbt_writer_create(o->path, &o->writer, err);

    *stored = (rbt_stored_t){0};
    if (w == NULL)
        return err->code;
    if (o->select.plan != NULL)
        rbt_writer_plan(w, o->select.plan);
    rb_code_t code = store_all(source, w, o, stored, err);

    if (code == RB_OK)
        return rbt_writer_finish(w, err);
    rbt_writer_discard(w);
    return code;
}
