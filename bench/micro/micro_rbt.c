/* The native trace file: storing a program, decoding it, opening one of very many launches. */
#include "bench/micro/micro.h"
#include "bench/micro/micro_stored.h"

static void read_blocks(trace_source_t *source, uint64_t id, uint64_t first, micro_result_t *r)
{
    trace_launch_t *launch = NULL;
    trace_block_t *b = NULL;
    rb_err_t err = {0};

    if (source->ops->open(source, id, &launch, &err) != RB_OK)
        rb_panic("%s", err.text);
    for (uint64_t i = first;; i++) {
        if (source->ops->get_block(launch, i, &b, &err) != RB_OK)
            rb_panic("%s", err.text);
        if (b == NULL)
            break;
        r->operations += b->n_insts;
        r->check += b->n_insts ^ b->warps[0].n_addr_words;
        source->ops->free_block(launch, b);
    }
    source->ops->close(launch);
}

static micro_result_t decode(const char *name)
{
    micro_result_t r = {0};
    trace_source_t *source = micro_open(name, &r.bytes);

    for (uint64_t id = 1; id <= source->ops->n_launches(source); id++)
        read_blocks(source, id, 0, &r);
    source->ops->destroy(source);
    return r;
}

micro_result_t micro_rbt_store(void)
{
    micro_result_t r = {0};

    r.operations = micro_store("gather", &r.bytes);
    return r;
}

micro_result_t micro_rbt_affine(void)
{
    return decode("streaming");
}

micro_result_t micro_rbt_lists(void)
{
    return decode("gather");
}

/* Opens a file of 100,000 launches and reads the last block of a launch in the middle. */
micro_result_t micro_rbt_open(void)
{
    micro_result_t r = {0};
    trace_source_t *source = micro_open("many", &r.bytes);

    read_blocks(source, MICRO_MANY_LAUNCHES / 2, 1, &r);
    source->ops->destroy(source);
    r.operations = 1;
    r.bytes = 0;
    return r;
}
