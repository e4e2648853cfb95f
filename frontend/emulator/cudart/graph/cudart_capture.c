/*
 * Capture of streams into graphs: the work given to a captured stream becomes nodes in sequence.
 * Events carry the order from one stream to another, which thereby joins the capture.
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/cudart/cudart_calls.h"
#include "frontend/emulator/cudart/graph/cudart_graph.h"
#include "frontend/emulator/cudart/stream/cudart_order.h"
#include "sim/core/alloc.h"

enum { NOT_CAPTURED, CAPTURED };

/* A captured stream, or an event recorded in one: the nodes that the next node depends on. */
typedef struct {
    void *handle; /* of the stream or event */
    bool is_event, began;
    cudart_graph_t *graph;
    unsigned long long id;
    cudart_node_t **last;
    size_t n_last, cap_last;
} place_t;

static struct {
    pthread_mutex_t lock;
    place_t *places;
    size_t n, cap;
    unsigned long long n_captures;
} captures = {.lock = PTHREAD_MUTEX_INITIALIZER};

CUDART_EXPORT cuda_error_t cudaStreamBeginCapture(cuda_stream_t stream, int mode);
CUDART_EXPORT cuda_error_t cudaStreamEndCapture(cuda_stream_t stream, cudart_graph_t **g);
CUDART_EXPORT cuda_error_t cudaStreamIsCapturing(cuda_stream_t stream, int *status);
CUDART_EXPORT cuda_error_t cudaThreadExchangeStreamCaptureMode(int *mode);

static place_t *find(const void *handle, bool is_event)
{
    for (size_t i = 0; i < captures.n; i++)
        if (captures.places[i].handle == handle && captures.places[i].is_event == is_event)
            return &captures.places[i];
    return NULL;
}

/* Adds a place for the handle in the graph of a capture, without predecessors. */
static place_t *new_place(void *handle, bool is_event, cudart_graph_t *g, unsigned long long id)
{
    place_t *p = find(handle, is_event);

    if (p == NULL) {
        rb_grow(&captures.places, &captures.cap, captures.n + 1, sizeof(*captures.places));
        p = &captures.places[captures.n++];
        memset(p, 0, sizeof(*p));
    }
    p->handle = handle;
    p->is_event = is_event;
    p->began = false;
    p->graph = g;
    p->id = id;
    p->n_last = 0;
    return p;
}

static void add_last(place_t *p, cudart_node_t *node)
{
    for (size_t i = 0; i < p->n_last; i++)
        if (p->last[i] == node)
            return;
    rb_grow(&p->last, &p->cap_last, p->n_last + 1, sizeof(*p->last));
    p->last[p->n_last++] = node;
}

bool cudart_capture(cuda_stream_t stream, const cudart_node_t *model, cuda_error_t *e)
{
    cudart_node_t *node = NULL;

    if (!cudart_is_stream(stream)) {
        *e = cudart_fail(CUDA_ERROR_INVALID_HANDLE);
        return true;
    }
    pthread_mutex_lock(&captures.lock);
    place_t *p = captures.n > 0 ? find(stream, false) : NULL;
    if (p != NULL) {
        node = cudart_graph_add(p->graph, p->last, p->n_last, model->type);
        p->n_last = 0;
        add_last(p, node);
    }
    pthread_mutex_unlock(&captures.lock);
    if (node != NULL)
        *e = cudart_node_assign(node, model);
    return node != NULL;
}

bool cudart_capture_record(cuda_stream_t stream, void *event)
{
    pthread_mutex_lock(&captures.lock);
    place_t *from = captures.n > 0 ? find(stream, false) : NULL;
    const bool captured = from != NULL;
    if (captured) {
        const size_t at = (size_t)(from - captures.places);
        place_t *to = new_place(event, true, from->graph, from->id);
        from = &captures.places[at]; /* the array may have moved */
        for (size_t i = 0; i < from->n_last; i++)
            add_last(to, from->last[i]);
    }
    pthread_mutex_unlock(&captures.lock);
    return captured;
}

/* Without a capture there is nothing to wait for, because work is done immediately; but the order is
 * recorded. */
cuda_error_t cudaStreamWaitEvent(cuda_stream_t stream, void *event, unsigned flags)
{
    const cudart_event_t *e = cudart_event(event);

    (void)flags;
    if (e == NULL || !cudart_is_stream(stream))
        return cudart_fail(CUDA_ERROR_INVALID_HANDLE);
    pthread_mutex_lock(&captures.lock);
    place_t *from = captures.n > 0 ? find(event, true) : NULL;
    if (from != NULL) {
        const size_t at = (size_t)(from - captures.places);
        place_t *to = find(stream, false);
        if (to == NULL || to->graph != from->graph)
            to = new_place(stream, false, from->graph, from->id);
        from = &captures.places[at];
        for (size_t i = 0; i < from->n_last; i++)
            add_last(to, from->last[i]);
    }
    pthread_mutex_unlock(&captures.lock);
    cudart_state_t *s = cudart_enter();
    if (from == NULL)
        cudart_order_wait(stream, e);
    return cudart_leave(s, CUDA_SUCCESS);
}

/* --- calls ----------------------------------------------------------------------------------- */

cuda_error_t cudaStreamBeginCapture(cuda_stream_t stream, int mode)
{
    cuda_error_t e = CUDA_SUCCESS;

    (void)mode; /* restricts other threads during the capture */
    if (!cudart_is_stream(stream))
        return cudart_fail(CUDA_ERROR_INVALID_HANDLE);
    if (stream == NULL)
        return cudart_fail(CUDA_ERROR_CAPTURE_UNSUPPORTED);
    pthread_mutex_lock(&captures.lock);
    if (find(stream, false) != NULL)
        e = CUDA_ERROR_INVALID_VALUE;
    else
        new_place(stream, false, cudart_graph_new(), ++captures.n_captures)->began = true;
    pthread_mutex_unlock(&captures.lock);
    return e == CUDA_SUCCESS ? e : cudart_fail(e);
}

/* Removes all places of a graph. */
static void end_capture(const cudart_graph_t *g)
{
    size_t kept = 0;

    for (size_t i = 0; i < captures.n; i++)
        if (captures.places[i].graph != g)
            captures.places[kept++] = captures.places[i];
        else
            free(captures.places[i].last);
    captures.n = kept;
}

cuda_error_t cudaStreamEndCapture(cuda_stream_t stream, cudart_graph_t **g)
{
    cuda_error_t e = CUDA_SUCCESS;

    if (!cudart_is_stream(stream))
        return cudart_fail(CUDA_ERROR_INVALID_HANDLE);
    pthread_mutex_lock(&captures.lock);
    const place_t *p = find(stream, false);
    if (g == NULL || p == NULL) {
        e = CUDA_ERROR_INVALID_VALUE;
    } else if (!p->began) {
        e = CUDA_ERROR_CAPTURE_UNMATCHED;
    } else {
        *g = p->graph;
        end_capture(*g);
    }
    pthread_mutex_unlock(&captures.lock);
    return e == CUDA_SUCCESS ? e : cudart_fail(e);
}

cuda_error_t cudaStreamGetCaptureInfo_v2(cuda_stream_t stream, int *status, unsigned long long *id,
                                         cudart_graph_t **g, cudart_node_t *const **before,
                                         size_t *n)
{
    if (status == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    if (!cudart_is_stream(stream))
        return cudart_fail(CUDA_ERROR_INVALID_HANDLE);
    pthread_mutex_lock(&captures.lock);
    const place_t *p = find(stream, false);
    *status = p != NULL ? CAPTURED : NOT_CAPTURED;
    if (p != NULL && id != NULL)
        *id = p->id;
    if (p != NULL && g != NULL)
        *g = p->graph;
    if (p != NULL && before != NULL)
        *before = p->last;
    if (p != NULL && n != NULL)
        *n = p->n_last;
    pthread_mutex_unlock(&captures.lock);
    return CUDA_SUCCESS;
}

cuda_error_t cudaStreamIsCapturing(cuda_stream_t stream, int *status)
{
    return cudaStreamGetCaptureInfo_v2(stream, status, NULL, NULL, NULL, NULL);
}

cuda_error_t cudaThreadExchangeStreamCaptureMode(int *mode)
{
    static __thread int now;

    if (mode == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    const int before = now;
    now = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}
