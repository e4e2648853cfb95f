/* What the program has handles of: streams and events, whose handles are numbers, and objects. */
#ifndef RUBATO_CUDART_HANDLE_H
#define RUBATO_CUDART_HANDLE_H

#include <time.h>

#include "frontend/emulator/cudart/cudart_state.h"
#include "frontend/input/order/stream_builder.h"

/* Handles are numbers, shifted; no number is used twice. The handles of default streams, 0 to 2, are
 * none of these. */
enum { CUDART_HANDLE_SHIFT = 4 };

typedef struct {
    bool live; /* until it is destroyed */
    unsigned flags;
    int priority;
} cudart_stream_t;

typedef struct {
    bool recorded;       /* at least once, outside of captures */
    bool untimed;        /* cudaEventDisableTiming */
    struct timespec at;  /* of the host */
    stream_tails_t work; /* what was in its stream */
} cudart_event_t;

cuda_stream_t cudart_stream_add(unsigned flags, int priority);

/* Sets *stream to what is known of a handle; false: it is of no stream. destroy: it is of none from
 * now on; false also for default streams, which stay. */
bool cudart_stream_find(cuda_stream_t handle, cudart_stream_t *stream, bool destroy);

static inline bool cudart_is_stream(cuda_stream_t handle)
{
    cudart_stream_t stream;

    return cudart_stream_find(handle, &stream, false);
}

void *cudart_event_add(bool untimed);

/* The event of a handle; NULL: there is none. */
cudart_event_t *cudart_event(const void *handle);

/* The same; the handle is of none from now on. Free with free(). */
cudart_event_t *cudart_event_take(const void *handle);

/* Objects whose handles are their addresses, graphs and arrays, from here until their end. */
void cudart_object_add(const void *object);
bool cudart_is_object(const void *handle);
void cudart_object_end(const void *object);

#endif
