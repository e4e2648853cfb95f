#include "frontend/input/rbt/rbt_graph.h"

#include <stdlib.h>

enum { OP_BYTES_MIN = 5 };

void rbt_graph_put(const stream_graph_t *g, rbt_buf_t *out)
{
    uint64_t stream = 0, launch = 0, addr = 0, priority = 0;

    rbt_put_varint(out, g->n);
    for (size_t i = 0; i < g->n; i++) {
        const stream_op_t *op = &g->ops[i];

        rbt_put_varint(out, op->kind);
        rbt_put_signed(out, op->stream - stream);
        rbt_put_signed(out, (uint64_t)op->priority - priority);
        if (op->kind == STREAM_OP_LAUNCH) {
            rbt_put_varint(out, op->launch - launch - 1);
            launch = op->launch;
        } else {
            rbt_put_signed(out, op->addr - addr);
            rbt_put_varint(out, op->bytes);
            addr = op->addr;
        }
        rbt_put_varint(out, op->n_waits);
        for (uint32_t k = 0; k < op->n_waits; k++)
            rbt_put_signed(out, i - g->waits[op->first_wait + k]);
        stream = op->stream;
        priority = (uint64_t)op->priority;
    }
}

/* A wait for an operation that cannot be numbered is one for an operation that does not exist. */
static uint32_t get_wait(rbt_in_t *in, uint64_t number)
{
    const uint64_t on = number - rbt_get_signed(in);

    return on < UINT32_MAX ? (uint32_t)on : UINT32_MAX;
}

static void get_op(rbt_in_t *in, stream_graph_t *g, stream_op_t *last, uint64_t *launch,
                   stream_op_t *op)
{
    *op = (stream_op_t){.kind = (uint8_t)rbt_get_count(in, UINT8_MAX)};
    op->stream = last->stream + rbt_get_signed(in);
    op->priority = (int32_t)((uint64_t)last->priority + rbt_get_signed(in));
    op->addr = last->addr;
    if (op->kind == STREAM_OP_LAUNCH) {
        *launch += rbt_get_varint(in) + 1;
        op->launch = *launch;
    } else {
        op->addr += rbt_get_signed(in);
        op->bytes = rbt_get_varint(in);
    }
    *last = *op;
    if (op->kind == STREAM_OP_LAUNCH)
        op->addr = 0;
    op->n_waits = (uint32_t)rbt_get_count(in, rbt_in_left(in));
    op->first_wait = g->n_waits;
}

bool rbt_graph_get(rbt_in_t *in, stream_graph_t *g)
{
    const uint64_t n = rbt_get_count(in, rbt_in_left(in) / OP_BYTES_MIN);
    stream_op_t last = {0};
    uint64_t launch = 0;

    if (n > STREAM_OPS_MAX)
        return false;
    for (uint64_t i = 0; i < n && !in->bad; i++) {
        rb_grow(&g->ops, &g->cap, g->n + 1, sizeof(*g->ops));
        stream_op_t *op = &g->ops[g->n++];

        get_op(in, g, &last, &launch, op);
        rb_grow(&g->waits, &g->cap_waits, g->n_waits + op->n_waits + 1, sizeof(*g->waits));
        for (uint32_t k = 0; k < op->n_waits; k++)
            g->waits[g->n_waits++] = get_wait(in, i);
    }
    return !in->bad && in->at == in->end;
}
