#include "frontend/input/order/stream_builder.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

/* --- lists ----------------------------------------------------------------------------------- */

void stream_tails_free(stream_tails_t *t)
{
    free(t->ops);
    *t = (stream_tails_t){0};
}

static void add_one(stream_tails_t *t, uint32_t op)
{
    for (size_t i = 0; i < t->n; i++) {
        if (t->ops[i] == op)
            return;
    }
    rb_grow(&t->ops, &t->cap, t->n + 1, sizeof(*t->ops));
    t->ops[t->n++] = op;
}

static void set_one(stream_tails_t *t, uint32_t op)
{
    t->n = 0;
    add_one(t, op);
}

void stream_tails_add(stream_tails_t *to, const stream_tails_t *from)
{
    for (size_t i = 0; i < from->n; i++)
        add_one(to, from->ops[i]);
}

void stream_tails_set(stream_tails_t *to, const stream_tails_t *from)
{
    to->n = 0;
    stream_tails_add(to, from);
}

/* --- streams --------------------------------------------------------------------------------- */

static built_stream_t *new_stream(stream_builder_t *b, uint64_t id)
{
    rb_grow(&b->streams, &b->cap, b->n + 1, sizeof(*b->streams));
    b->streams[b->n] = (built_stream_t){.id = id, .blocking = true};
    return &b->streams[b->n++];
}

void stream_builder_init(stream_builder_t *b)
{
    *b = (stream_builder_t){0};
    new_stream(b, STREAM_LEGACY);
}

void stream_builder_free(stream_builder_t *b)
{
    for (size_t i = 0; i < b->n; i++)
        stream_tails_free(&b->streams[i].tails);
    free(b->streams);
    stream_graph_free(&b->graph);
    *b = (stream_builder_t){0};
}

built_stream_t *stream_builder_stream(stream_builder_t *b, uint64_t id)
{
    for (size_t i = 0; i < b->n; i++) {
        if (b->streams[i].id == id)
            return &b->streams[i];
    }
    return new_stream(b, id);
}

static bool is_legacy(const built_stream_t *s)
{
    return s->id == STREAM_LEGACY;
}

/* The last operation of the legacy default stream, + 1; 0: none. */
static uint32_t legacy_last(const stream_builder_t *b)
{
    const stream_tails_t *t = &b->streams[0].tails;
    uint32_t last = 0;
    for (size_t i = 0; i < t->n; i++)
        last = t->ops[i] + 1 > last ? t->ops[i] + 1 : last;
    return last;
}

void stream_builder_mark(stream_builder_t *b, uint64_t stream, stream_tails_t *out)
{
    const built_stream_t *s = stream_builder_stream(b, stream);
    stream_tails_set(out, &s->tails);
    for (size_t i = 1; is_legacy(s) && i < b->n; i++) {
        if (b->streams[i].blocking)
            stream_tails_add(out, &b->streams[i].tails);
    }
    if (!is_legacy(s) && s->blocking && legacy_last(b) > s->legacy_seen)
        stream_tails_add(out, &b->streams[0].tails);
    if (b->host > s->host_seen)
        add_one(out, b->host - 1);
}

/* Whether the operations of the list are those that were issued last, one after the other. */
static bool follows_last(const stream_builder_t *b, const stream_tails_t *waits)
{
    for (size_t i = 0; i < waits->n; i++) {
        if (waits->ops[i] + 1u == b->graph.n)
            return true;
    }
    return b->graph.n == 0;
}

uint32_t stream_builder_add(stream_builder_t *b, uint64_t stream, stream_op_t op)
{
    stream_tails_t waits = {0};
    stream_builder_mark(b, stream, &waits);
    b->several |= !follows_last(b, &waits);
    built_stream_t *s = stream_builder_stream(b, stream);
    op.stream = stream;
    op.priority = s->priority;
    const uint32_t number = stream_graph_add(&b->graph, &op, waits.ops, waits.n);
    stream_tails_free(&waits);
    set_one(&s->tails, number);
    s->legacy_seen = legacy_last(b);
    s->host_seen = b->host;
    for (size_t i = 1; is_legacy(s) && i < b->n; i++) {
        if (b->streams[i].blocking)
            b->streams[i].tails.n = 0;
    }
    return number;
}

void stream_builder_wait(stream_builder_t *b, uint64_t stream, const stream_tails_t *tails)
{
    stream_tails_add(&stream_builder_stream(b, stream)->tails, tails);
}

/* --- the host -------------------------------------------------------------------------------- */

/* Whether the host has waited for an operation, as far as its last wait shows. */
static bool host_knows(const stream_builder_t *b, uint32_t op)
{
    if (b->host == 0 || op + 1 == b->host)
        return b->host != 0;
    const stream_op_t *host = &b->graph.ops[b->host - 1];
    for (uint32_t i = 0; i < host->n_waits; i++) {
        if (b->graph.waits[host->first_wait + i] == op)
            return true;
    }
    return false;
}

void stream_builder_host(stream_builder_t *b, const stream_tails_t *tails)
{
    const stream_op_t op = {.kind = STREAM_OP_HOST};
    stream_tails_t waits = {0};
    for (size_t i = 0; i < tails->n; i++) {
        if (!host_knows(b, tails->ops[i]))
            add_one(&waits, tails->ops[i]);
    }
    if (waits.n == 0)
        return;
    if (b->host > 0)
        add_one(&waits, b->host - 1);
    b->several |= !follows_last(b, &waits);
    b->host = stream_graph_add(&b->graph, &op, waits.ops, waits.n) + 1;
    stream_tails_free(&waits);
}

void stream_builder_host_stream(stream_builder_t *b, uint64_t stream)
{
    stream_tails_t tails = {0};
    stream_builder_mark(b, stream, &tails);
    stream_builder_host(b, &tails);
    stream_tails_free(&tails);
}

void stream_builder_host_all(stream_builder_t *b)
{
    stream_tails_t tails = {0};
    for (size_t i = 0; i < b->n; i++)
        stream_tails_add(&tails, &b->streams[i].tails);
    stream_builder_host(b, &tails);
    stream_tails_free(&tails);
    /* The host's operation now stands for all of them. */
    for (size_t i = 0; i < b->n && b->host > 0; i++) {
        set_one(&b->streams[i].tails, b->host - 1);
        b->streams[i].host_seen = b->host;
    }
}
