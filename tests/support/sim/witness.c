#include "tests/support/sim/witness.h"

static witness_t *the_witness;

static uint64_t n_launches(const trace_source_t *s)
{
    const witness_t *w = (const witness_t *)s;
    return w->inner->ops->n_launches(w->inner);
}

static rb_code_t launch_info(trace_source_t *s, uint64_t id, launch_info_t *info, rb_err_t *err)
{
    witness_t *w = (witness_t *)s;
    return w->inner->ops->launch_info(w->inner, id, info, err);
}

static size_t copies(const trace_source_t *s, uint64_t id, const memcpy_op_t **ops)
{
    const witness_t *w = (const witness_t *)s;
    return w->inner->ops->copies(w->inner, id, ops);
}

static rb_code_t open_launch(trace_source_t *s, uint64_t id, trace_launch_t **out, rb_err_t *err)
{
    witness_t *w = (witness_t *)s;
    return w->inner->ops->open(w->inner, id, out, err);
}

static rb_code_t get_block(trace_launch_t *l, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    witness_t *w = the_witness;
    rb_code_t rc = w->inner->ops->get_block(l, index, out, err);
    if (rc == RB_OK && *out != NULL && w->n_asked < WITNESS_BLOCKS)
        w->asked[w->n_asked++] = index;
    return rc;
}

static void progress(const trace_source_t *s, uint64_t *done, uint64_t *total)
{
    const witness_t *w = (const witness_t *)s;
    w->inner->ops->progress(w->inner, done, total);
}

void witness_init(witness_t *w, trace_source_t *inner)
{
    w->inner = inner;
    w->n_asked = 0;
    /* Operations on an open launch are those of the inner source. */
    w->ops = (trace_source_ops_t){.name = "witness",
                                  .n_launches = n_launches,
                                  .launch_info = launch_info,
                                  .copies = copies,
                                  .open = open_launch,
                                  .get_block = get_block,
                                  .free_block = inner->ops->free_block,
                                  .close = inner->ops->close,
                                  .block_facts = inner->ops->block_facts,
                                  .warp_profile = inner->ops->warp_profile,
                                  .basic_block = inner->ops->basic_block,
                                  .progress = progress};
    w->pub.ops = &w->ops;
    the_witness = w;
}
