#include "sim/gpu/source/stream_graph.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

void stream_graph_free(stream_graph_t *g)
{
    free(g->ops);
    free(g->waits);
    *g = (stream_graph_t){0};
}

uint32_t stream_graph_add(stream_graph_t *g, const stream_op_t *op, const uint32_t *waits, size_t n)
{
    rb_grow(&g->ops, &g->cap, g->n + 1, sizeof(*g->ops));
    rb_grow(&g->waits, &g->cap_waits, g->n_waits + n + 1, sizeof(*g->waits));
    stream_op_t *to = &g->ops[g->n];
    *to = *op;
    to->first_wait = g->n_waits;
    to->n_waits = (uint32_t)n;
    if (n > 0)
        memcpy(g->waits + g->n_waits, waits, n * sizeof(*waits));
    g->n_waits += n;
    return (uint32_t)g->n++;
}

const char *stream_op_name(stream_op_kind_t kind)
{
    static const char *const names[STREAM_OP_KINDS] = {"launch",           "copy to the device",
                                                       "copy to the host", "copy within the device",
                                                       "memory set",       "wait of the host"};
    return names[kind];
}

static rb_code_t check_waits(const stream_graph_t *g, size_t i, const char *origin, rb_err_t *err)
{
    const stream_op_t *op = &g->ops[i];
    for (uint32_t k = 0; k < op->n_waits; k++) {
        const uint64_t on = g->waits[op->first_wait + k];
        if (on >= g->n)
            return rb_fail(
                err, RB_TRACE,
                "%s: operation %zu of stream %llu waits for operation %llu, but there are "
                "only %zu: nothing ever completes it",
                origin, i + 1, (unsigned long long)op->stream, (unsigned long long)on + 1, g->n);
        if (on >= i)
            return rb_fail(err, RB_TRACE,
                           "%s: operation %zu of stream %llu waits for operation %llu of stream "
                           "%llu, which does not come before it: a cycle",
                           origin, i + 1, (unsigned long long)op->stream,
                           (unsigned long long)on + 1, (unsigned long long)g->ops[on].stream);
    }
    return RB_OK;
}

rb_code_t stream_graph_check(const stream_graph_t *g, const char *origin, rb_err_t *err)
{
    uint64_t last = 0;
    for (size_t i = 0; i < g->n; i++) {
        const stream_op_t *op = &g->ops[i];
        if (op->kind >= STREAM_OP_KINDS)
            return rb_fail(err, RB_TRACE, "%s: operation %zu is of an unknown kind (%u)", origin,
                           i + 1, op->kind);
        if (op->kind == STREAM_OP_LAUNCH && op->launch <= last)
            return rb_fail(
                err, RB_TRACE,
                "%s: operation %zu is launch %llu, which does not come after launch %llu", origin,
                i + 1, (unsigned long long)op->launch, (unsigned long long)last);
        if (op->kind == STREAM_OP_LAUNCH)
            last = op->launch;
        if (op->bytes > UINT64_MAX - op->addr)
            return rb_fail(err, RB_TRACE,
                           "%s: the copy of operation %zu goes beyond the end of the address space",
                           origin, i + 1);
        RB_TRY(check_waits(g, i, origin, err));
    }
    return RB_OK;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The length of the longest run of equal numbers, and how many runs there are. */
static void count_runs(uint64_t *list, size_t n, uint64_t *longest, uint64_t *runs)
{
    size_t from = 0;
    *longest = 0;
    *runs = 0;
    if (n > 0)
        qsort(list, n, sizeof(*list), by_value);
    for (size_t i = 1; i <= n; i++) {
        if (i < n && list[i] == list[from])
            continue;
        if (i - from > *longest)
            *longest = i - from;
        ++*runs;
        from = i;
    }
}

void stream_graph_summary(const stream_graph_t *g, stream_summary_t *out)
{
    uint64_t *depth = rb_calloc(g->n + 1, sizeof(*depth));
    uint64_t *list = rb_calloc(g->n + 1, sizeof(*list)), ignored;
    size_t n = 0;
    *out = (stream_summary_t){.waits = g->n_waits};
    for (size_t i = 0; i < g->n; i++) {
        const stream_op_t *op = &g->ops[i];
        for (uint32_t k = 0; k < op->n_waits; k++) {
            const uint64_t before = depth[g->waits[op->first_wait + k]];
            depth[i] = before > depth[i] ? before : depth[i];
        }
        depth[i] += op->kind != STREAM_OP_HOST;
        out->longest = depth[i] > out->longest ? depth[i] : out->longest;
        out->ops[op->kind]++;
        out->bytes[op->kind] += op->bytes;
        if (op->kind != STREAM_OP_HOST)
            list[n++] = op->stream;
    }
    count_runs(list, n, &ignored, &out->streams);
    n = 0;
    for (size_t i = 0; i < g->n; i++) {
        if (g->ops[i].kind == STREAM_OP_LAUNCH)
            list[n++] = depth[i];
    }
    count_runs(list, n, &out->widest, &ignored);
    free(depth);
    free(list);
}
