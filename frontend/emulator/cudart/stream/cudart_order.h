/*
 * The order of the program's work: which launches, copies and sets wait for which. It is recorded with
 * the trace of a program that uses several streams. Without a trace, all calls do nothing.
 *
 * Work is done immediately, so the program never sees this order. Calls that ask whether work is
 * complete always say that it is; the program then knows it, as after a call that waits.
 */
#ifndef RUBATO_CUDART_ORDER_H
#define RUBATO_CUDART_ORDER_H

#include "frontend/emulator/cudart/cudart_handle.h"

/* Begins to keep the order; called once, with the trace. */
void cudart_order_start(void);

/* The order so far, NULL: nothing can overlap, or nothing is kept. */
const stream_graph_t *cudart_order_graph(void);

/* The stream that a call without one means where each thread has its own default stream. */
static inline cuda_stream_t cudart_own_stream(cuda_stream_t stream)
{
    enum { PER_THREAD = 2 };

    return stream != NULL ? stream : (cuda_stream_t)(uintptr_t)PER_THREAD;
}

/* The number of a stream in traces. */
uint64_t cudart_order_stream(cuda_stream_t stream);

/* The calling thread's copies and sets until cudart_off() are those of an asynchronous call in a
 * stream. Otherwise they are in the default stream, and the host waits for copies to and from it. */
CUDART_EXPORT void cudart_on(cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudart_off(cuda_error_t e);

/* A call in a stream, if the handle is of one. */
#define CUDART_ON(stream, call)                                                                    \
    (cudart_is_stream(stream) ? (cudart_on(stream), cudart_off(call))                              \
                              : cudart_fail(CUDA_ERROR_INVALID_HANDLE))

/* The calling thread's default stream until cudart_off() is its own. */
CUDART_EXPORT void cudart_per_thread(void);

/* --- the state is locked ------------------------------------------------------------------------
 */

/* A new stream; blocking: it waits for the default stream. */
void cudart_order_new_stream(cuda_stream_t stream, bool blocking, int priority);

void cudart_order_launch(cudart_state_t *s, cuda_stream_t stream);
void cudart_order_copy(cudart_state_t *s, const void *to, const void *from, uint64_t n, int kind);
void cudart_order_set(const void *p, uint64_t bytes);

void cudart_order_record(cudart_event_t *event, cuda_stream_t stream);
void cudart_order_wait(cuda_stream_t stream, const cudart_event_t *event);

/* The host knows that an event, a stream or everything is complete. */
void cudart_order_host_event(const cudart_event_t *event);
void cudart_order_host_stream(cuda_stream_t stream);
void cudart_order_host_all(void);

/* --- graphs -------------------------------------------------------------------------------------
 */

/* The nodes of a graph that is being executed in a stream: what waits for each. */
typedef struct {
    cuda_stream_t stream;
    stream_tails_t start; /* the nodes without predecessors wait for this */
    stream_tails_t *node; /* owned; for each node, what its successors wait for */
    bool *followed;       /* owned; it has successors */
    size_t n;
    bool after; /* the node has predecessors */
} cudart_order_nodes_t;

void cudart_order_graph_begin(cudart_order_nodes_t *o, size_t n_nodes, cuda_stream_t stream);

/* What is issued now belongs to node i, whose predecessors are told before it. */
void cudart_order_node(cudart_order_nodes_t *o);
void cudart_order_node_after(cudart_order_nodes_t *o, size_t before);
void cudart_order_node_end(cudart_order_nodes_t *o, size_t i);

void cudart_order_graph_end(cudart_order_nodes_t *o);

#endif
