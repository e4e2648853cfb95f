#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_cases.h"
#include "bench/bench_text.h"
#include "bench/micro/micro.h"

/* Decodes all blocks of all launches of a source. */
static micro_result_t decode_all(trace_source_t *source)
{
    micro_result_t r = {0};
    rb_err_t err = {0};

    for (uint64_t id = 1; id <= source->ops->n_launches(source); id++) {
        trace_launch_t *launch = NULL;
        trace_block_t *block = NULL;

        if (source->ops->open(source, id, &launch, &err) != RB_OK)
            rb_panic("%s", err.text);
        for (uint64_t i = 0;; i++) {
            if (source->ops->get_block(launch, i, &block, &err) != RB_OK)
                rb_panic("%s", err.text);
            if (!block)
                break;
            r.operations += block->n_insts;
            r.check += block->n_insts ^ block->warps[0].n_addr_words;
            source->ops->free_block(launch, block);
        }
        source->ops->close(launch);
    }
    return r;
}

static synth_t *build_case(const char *name)
{
    const bench_case_t *c = bench_cases;

    while (c->name && strcmp(c->name, name) != 0)
        c++;
    RB_INVARIANT(c->name, "no case %s", name);
    return c->build();
}

micro_result_t micro_generate(void)
{
    synth_t *s = build_case("streaming");
    micro_result_t r = decode_all(synth_source(s));

    synth_destroy(s);
    return r;
}

/* The text of one case; written by the first call with this name, removed at the end. */
typedef struct {
    const char *name;
    char path[BENCH_PATH_BYTES];
    uint64_t bytes;
} stored_t;

static stored_t stored[] = {{.name = "streaming"}, {.name = "gather"}};

static void remove_stored(void)
{
    for (size_t i = 0; i < sizeof(stored) / sizeof(stored[0]); i++)
        if (stored[i].bytes)
            bench_text_remove(stored[i].path);
}

static micro_result_t read_text(stored_t *t)
{
    static bool registered;
    rb_err_t err = {0};

    if (!t->bytes) {
        synth_t *s = build_case(t->name);

        if (!registered)
            atexit(remove_stored);
        registered = true;
        if (bench_text_store(s, t->path, &t->bytes, &err) != RB_OK)
            rb_panic("%s", err.text);
        synth_destroy(s);
    }
    trace_source_t *source = bench_text_open(t->path, &err);
    if (!source)
        rb_panic("%s", err.text);
    micro_result_t r = decode_all(source);
    source->ops->destroy(source);
    r.bytes = t->bytes;
    return r;
}

micro_result_t micro_text_affine(void)
{
    return read_text(&stored[0]);
}

micro_result_t micro_text_lists(void)
{
    return read_text(&stored[1]);
}
