#include "frontend/emulator/cudart/stream/cudart_order.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "sim/core/alloc.h"

/* cudaStreamPerThread as a handle. */
enum { HANDLE_PER_THREAD = 2 };

/* The numbers of the threads' default streams, beyond those of the created ones. */
static const uint64_t first_of_threads = UINT64_C(1) << 32;

static struct {
    bool kept;
    stream_builder_t builder;
    uint64_t copy_call; /* the call that made the last copy */
    uint32_t copy;      /* that operation */
} order;

/* What the calling thread's copies and sets are in. */
static __thread struct {
    cuda_stream_t stream;
    bool async;
    uint64_t number; /* of the thread; 0: not yet numbered */
} now;

void cudart_order_start(void)
{
    stream_builder_init(&order.builder);
    order.kept = true;
}

const stream_graph_t *cudart_order_graph(void)
{
    return order.kept && order.builder.several ? &order.builder.graph : NULL;
}

static uint64_t thread_number(void)
{
    static atomic_uint_fast64_t threads;

    if (now.number == 0)
        now.number = atomic_fetch_add(&threads, 1) + 1;
    return now.number;
}

uint64_t cudart_order_stream(cuda_stream_t stream)
{
    const uintptr_t handle = (uintptr_t)stream;

    return handle == HANDLE_PER_THREAD ? first_of_threads + thread_number()
                                       : (uint64_t)handle >> CUDART_HANDLE_SHIFT;
}

void cudart_on(cuda_stream_t stream)
{
    now.stream = stream;
    now.async = true;
}

void cudart_per_thread(void)
{
    now.stream = (cuda_stream_t)(uintptr_t)HANDLE_PER_THREAD;
}

cuda_error_t cudart_off(cuda_error_t e)
{
    now.stream = NULL;
    now.async = false;
    return e;
}

void cudart_order_new_stream(cuda_stream_t stream, bool blocking, int priority)
{
    if (!order.kept)
        return;
    built_stream_t *b = stream_builder_stream(&order.builder, cudart_order_stream(stream));
    b->priority = priority;
    b->blocking = blocking;
}

/* --- work ------------------------------------------------------------------------------------ */

void cudart_order_launch(cudart_state_t *s, cuda_stream_t stream)
{
    if (order.kept)
        stream_builder_add(&order.builder, cudart_order_stream(stream),
                           (stream_op_t){.kind = STREAM_OP_LAUNCH, .launch = s->n_launches});
}

/* Pinned memory is in the device's range of addresses, but it is the host's. */
static bool on_device(const cudart_state_t *s, const void *p)
{
    const emu_range_t *r = emu_mem_range(&s->mem, (uint64_t)(uintptr_t)p);

    return (uint64_t)(uintptr_t)p - s->mem.base < s->mem.bytes && !(r != NULL && r->of_host);
}

static stream_op_kind_t direction(const cudart_state_t *s, const void *to, const void *from,
                                  int kind)
{
    switch (kind) {
    case CUDA_H2H:
        return STREAM_OP_KINDS;
    case CUDA_H2D:
        return STREAM_OP_TO_DEVICE;
    case CUDA_D2H:
        return STREAM_OP_FROM_DEVICE;
    case CUDA_D2D:
        return STREAM_OP_WITHIN;
    default:
        break;
    }
    if (on_device(s, to))
        return on_device(s, from) ? STREAM_OP_WITHIN : STREAM_OP_TO_DEVICE;
    return on_device(s, from) ? STREAM_OP_FROM_DEVICE : STREAM_OP_KINDS;
}

void cudart_order_copy(cudart_state_t *s, const void *to, const void *from, uint64_t n, int kind)
{
    const stream_op_kind_t op = direction(s, to, from, kind);
    const uint64_t stream = cudart_order_stream(now.stream);
    stream_builder_t *b = &order.builder;

    if (!order.kept || op == STREAM_OP_KINDS)
        return;
    /* The rows of one copy are one operation. */
    if (order.copy_call == s->n_calls && order.copy < b->graph.n &&
        b->graph.ops[order.copy].kind == op && b->graph.ops[order.copy].stream == stream) {
        b->graph.ops[order.copy].bytes += n;
        return;
    }
    order.copy_call = s->n_calls;
    order.copy = stream_builder_add(
        b, stream,
        (stream_op_t){.kind = (uint8_t)op,
                      .addr = op == STREAM_OP_TO_DEVICE     ? (uint64_t)(uintptr_t)to
                              : op == STREAM_OP_FROM_DEVICE ? (uint64_t)(uintptr_t)from
                                                            : 0,
                      .bytes = n});
    if (!now.async && op != STREAM_OP_WITHIN)
        stream_builder_host_stream(b, stream);
}

void cudart_order_set(const void *p, uint64_t bytes)
{
    (void)p;
    if (order.kept && bytes > 0)
        stream_builder_add(&order.builder, cudart_order_stream(now.stream),
                           (stream_op_t){.kind = STREAM_OP_SET, .bytes = bytes});
}

/* --- events and the host --------------------------------------------------------------------- */

void cudart_order_record(cudart_event_t *event, cuda_stream_t stream)
{
    if (order.kept)
        stream_builder_mark(&order.builder, cudart_order_stream(stream), &event->work);
}

void cudart_order_wait(cuda_stream_t stream, const cudart_event_t *event)
{
    if (order.kept)
        stream_builder_wait(&order.builder, cudart_order_stream(stream), &event->work);
}

void cudart_order_host_event(const cudart_event_t *event)
{
    if (order.kept && event != NULL)
        stream_builder_host(&order.builder, &event->work);
}

void cudart_order_host_stream(cuda_stream_t stream)
{
    if (order.kept)
        stream_builder_host_stream(&order.builder, cudart_order_stream(stream));
}

void cudart_order_host_all(void)
{
    if (order.kept)
        stream_builder_host_all(&order.builder);
}

/* --- graphs ---------------------------------------------------------------------------------- */

static built_stream_t *stream_of(const cudart_order_nodes_t *o)
{
    return stream_builder_stream(&order.builder, cudart_order_stream(o->stream));
}

void cudart_order_graph_begin(cudart_order_nodes_t *o, size_t n_nodes, cuda_stream_t stream)
{
    *o = (cudart_order_nodes_t){.stream = stream, .n = order.kept ? n_nodes : 0};
    if (!order.kept)
        return;
    o->node = rb_calloc(n_nodes + 1, sizeof(*o->node));
    o->followed = rb_calloc(n_nodes + 1, sizeof(*o->followed));
    stream_builder_mark(&order.builder, cudart_order_stream(stream), &o->start);
}

void cudart_order_node(cudart_order_nodes_t *o)
{
    o->after = false;
    if (order.kept)
        stream_tails_set(&stream_of(o)->tails, &o->start);
}

void cudart_order_node_after(cudart_order_nodes_t *o, size_t before)
{
    if (!order.kept || before >= o->n)
        return;
    /* The predecessors have waited for the start. */
    if (!o->after)
        stream_of(o)->tails.n = 0;
    o->after = true;
    o->followed[before] = true;
    stream_tails_add(&stream_of(o)->tails, &o->node[before]);
}

void cudart_order_node_end(cudart_order_nodes_t *o, size_t i)
{
    if (order.kept)
        stream_tails_set(&o->node[i], &stream_of(o)->tails);
}

void cudart_order_graph_end(cudart_order_nodes_t *o)
{
    if (order.kept) {
        stream_tails_t *tails = &stream_of(o)->tails;
        stream_tails_set(tails, o->n == 0 ? &o->start : &(stream_tails_t){0});
        for (size_t i = 0; i < o->n; i++) {
            if (!o->followed[i])
                stream_tails_add(tails, &o->node[i]);
        }
    }
    for (size_t i = 0; i < o->n; i++)
        stream_tails_free(&o->node[i]);
    stream_tails_free(&o->start);
    free(o->node);
    free(o->followed);
}
