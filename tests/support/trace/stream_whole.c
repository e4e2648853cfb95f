#include "tests/support/trace/stream_whole.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

static void append(void *list, size_t *cap, size_t *n, const void *items, size_t count, size_t size)
{
    rb_grow(list, cap, *n + count + 1, size);
    if (count > 0)
        memcpy(*(char **)list + *n * size, items, count * size);
    *n += count;
}

static warp_stream_t whole_warp(warp_stream_t *w)
{
    warp_stream_t out = {.n_insts = w->n_insts, .shape = w->shape};
    trace_run_t *runs = NULL;
    uint64_t *addrs = NULL;
    size_t n_runs = 0, cap_runs = 0, n_words = 0, cap_words = 0;

    for (bool some = stream_first(w); some; some = stream_next(w)) {
        append(&runs, &cap_runs, &n_runs, w->runs, w->n_runs, sizeof(*runs));
        append(&addrs, &cap_words, &n_words, w->addrs, w->n_addr_words, sizeof(*addrs));
    }
    out.runs = runs;
    out.addrs = addrs;
    out.n_runs = (uint32_t)n_runs;
    out.n_addr_words = (uint32_t)n_words;
    return out;
}

trace_block_t *stream_whole(const trace_block_t *b)
{
    trace_block_t *out = rb_calloc(1, sizeof(*out));

    *out = *b;
    out->warps = rb_calloc(b->n_warps, sizeof(*out->warps));
    for (uint32_t i = 0; i < b->n_warps; i++)
        out->warps[i] = whole_warp(&b->warps[i]);
    return out;
}

void stream_whole_free(trace_block_t *b)
{
    for (uint32_t i = 0; i < b->n_warps; i++) {
        free((void *)(uintptr_t)b->warps[i].runs);
        free((void *)(uintptr_t)b->warps[i].addrs);
    }
    free(b->warps);
    free(b);
}

size_t stream_run_words(const trace_run_t *runs, size_t n, const uint64_t *addrs)
{
    size_t words = 0;

    for (size_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < runs[k].count && runs[k].mask != 0; i++)
            if (runs[k].first[i].space != MEM_NONE && runs[k].first[i].width != 0)
                words += addr_words(addrs + words);
    return words;
}
