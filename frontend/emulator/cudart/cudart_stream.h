/* Streams and events by the handles that the program has. */
#ifndef RUBATO_CUDART_STREAM_H
#define RUBATO_CUDART_STREAM_H

#include <time.h>

#include "frontend/emulator/cudart/cudart_state.h"
#include "frontend/input/order/stream_builder.h"

/* Handles of streams are numbers, shifted; so cudaStreamLegacy (1) and cudaStreamPerThread (2)
 * differ from them. */
enum { CUDART_HANDLE_SHIFT = 4 };

/* Whether a handle is of a stream: a default one, or one that was created and not destroyed. */
bool cudart_is_stream(cuda_stream_t stream);

typedef struct {
    bool recorded;       /* at least once, outside of captures */
    bool untimed;        /* cudaEventDisableTiming */
    struct timespec at;  /* of the host */
    stream_tails_t work; /* what was in its stream */
} cudart_event_t;

/* The event of a handle, until it is destroyed; NULL: there is none. */
cudart_event_t *cudart_event(const void *handle);

#endif
