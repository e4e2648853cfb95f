/*
 * Contexts: what the driver API calls the state of a program on a device. There is one device;
 * memory, modules, streams and errors are shared by all contexts.
 */
#ifndef RUBATO_CUDART_CONTEXT_H
#define RUBATO_CUDART_CONTEXT_H

#include "frontend/emulator/cudart/cudart_state.h"

typedef struct {
    uint64_t number; /* never used twice */
    int device;
    unsigned flags;
    bool destroyed;
    unsigned users; /* how often it was attached or, the primary one, retained */
} cudart_context_t;

/* The primary context of the device, which the runtime uses. */
cudart_context_t *cudart_primary_context(void);

/* A new context. Free with free(). */
cudart_context_t *cudart_new_context(unsigned flags);

/* The top of the calling thread's stack of contexts; NULL: the stack is empty. */
cudart_context_t *cudart_top_context(void);

/* The current context of the calling thread, which is the primary one unless it has chosen
 * another. */
cudart_context_t *cudart_context(void);

/* Puts a context on the thread's stack; false: no room. Takes the top from it; NULL: it is empty.
 */
bool cudart_push_context(cudart_context_t *context);
cudart_context_t *cudart_pop_context(void);

/* --- what libraries keep with a context (cudart_storage.c) ----------------------------------- */

typedef void (*cudart_drop_t)(cudart_context_t *context, void *key, void *value);

/* Keeps a value under a key; false: the key is in use. drop may be NULL. */
bool cudart_storage_put(cudart_context_t *context, void *key, void *value, cudart_drop_t drop);

/* Both: false if the context has nothing with that key. */
bool cudart_storage_get(const cudart_context_t *context, const void *key, void **value);
bool cudart_storage_remove(const cudart_context_t *context, const void *key);

/* Calls drop for each value of a context that ends. */
void cudart_storage_drop_all(cudart_context_t *context);

#endif
