/*
 * Contexts: what the driver API calls the state of a program on a device. The runtime uses the
 * primary context of the only device; memory and modules are shared by all contexts.
 */
#ifndef RUBATO_CUDART_CONTEXT_H
#define RUBATO_CUDART_CONTEXT_H

#include "frontend/emulator/cudart/cudart_state.h"

typedef struct {
    uint64_t number; /* never used twice */
    int device;
} cudart_context_t;

/* The current context of the calling thread. */
cudart_context_t *cudart_context(void);

#endif
