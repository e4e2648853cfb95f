/*
 * Builds the graph of a program's work (stream_graph.h) from what the program does with streams and
 * events, by the rules of CUDA ("CUDA C++ Programming Guide", asynchronous concurrent execution;
 * "CUDA Runtime API", stream synchronization behavior):
 *
 * - Work in a stream is done in the order in which it was issued.
 * - Work in the legacy default stream waits for the work before it in all blocking streams, and
 *   they wait for it.
 * - A stream that waits for an event waits for the work that was in the event's stream when the event
 *   was last recorded. Waiting for an event that was never recorded does nothing.
 * - What the host issues after it has waited for something waits for it too.
 */
#ifndef RUBATO_ORDER_STREAM_BUILDER_H
#define RUBATO_ORDER_STREAM_BUILDER_H

#include "sim/gpu/source/stream_graph.h"

/* Operations that something waits for; a list without repetitions. */
typedef struct {
    uint32_t *ops; /* owned */
    size_t n, cap;
} stream_tails_t;

void stream_tails_free(stream_tails_t *t);
void stream_tails_set(stream_tails_t *to, const stream_tails_t *from);
void stream_tails_add(stream_tails_t *to, const stream_tails_t *from);

typedef struct {
    uint64_t id;
    int32_t priority;
    bool blocking;        /* it waits for the legacy default stream and the other way round */
    stream_tails_t tails; /* the next operation waits for these */
    uint32_t legacy_seen, host_seen; /* number of the legacy and host operation among those that it
                                      * has waited for, + 1; 0: none */
} built_stream_t;

typedef struct {
    stream_graph_t graph;
    built_stream_t *streams; /* owned; the first one is the legacy default stream */
    size_t n, cap;
    uint32_t host; /* the last wait of the host, + 1; 0: none */
    bool several;  /* something may run at the same time as something else */
} stream_builder_t;

/* The number of the legacy default stream. */
enum { STREAM_LEGACY = 0 };

void stream_builder_init(stream_builder_t *b);
void stream_builder_free(stream_builder_t *b);

/* The stream of this number; a new one is blocking and of priority 0. Valid until the next call. */
built_stream_t *stream_builder_stream(stream_builder_t *b, uint64_t id);

/* Appends an operation to a stream; op->stream and op->priority are set here. Returns its number. */
uint32_t stream_builder_add(stream_builder_t *b, uint64_t stream, stream_op_t op);

/* What an operation appended to the stream now would wait for: an event recorded now. */
void stream_builder_mark(stream_builder_t *b, uint64_t stream, stream_tails_t *out);

/* The next operation of the stream also waits for these. */
void stream_builder_wait(stream_builder_t *b, uint64_t stream, const stream_tails_t *tails);

/* The host waits for these, for a stream or for everything. */
void stream_builder_host(stream_builder_t *b, const stream_tails_t *tails);
void stream_builder_host_stream(stream_builder_t *b, uint64_t stream);
void stream_builder_host_all(stream_builder_t *b);

#endif
