/* What libraries keep with a context: values by key. */
#include <pthread.h>

#include "frontend/emulator/cudart/cudart_context.h"
#include "sim/core/alloc.h"

typedef struct {
    cudart_context_t *context; /* NULL: removed */
    void *key, *value;
    cudart_drop_t drop;
} item_t;

static struct {
    pthread_mutex_t lock;
    item_t *items; /* owned */
    size_t n, cap;
} storage = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The item of a context with a key (any: NULL); NULL: none. The caller holds the lock. */
static item_t *find(const cudart_context_t *context, const void *key)
{
    for (size_t i = 0; i < storage.n; i++)
        if (storage.items[i].context == context && (key == NULL || storage.items[i].key == key))
            return &storage.items[i];
    return NULL;
}

bool cudart_storage_put(cudart_context_t *context, void *key, void *value, cudart_drop_t drop)
{
    pthread_mutex_lock(&storage.lock);
    const bool fresh = find(context, key) == NULL;
    if (fresh) {
        item_t *item = find(NULL, NULL);
        if (item == NULL) {
            rb_grow(&storage.items, &storage.cap, storage.n + 1, sizeof(*storage.items));
            item = &storage.items[storage.n++];
        }
        *item = (item_t){context, key, value, drop};
    }
    pthread_mutex_unlock(&storage.lock);
    return fresh;
}

bool cudart_storage_get(const cudart_context_t *context, const void *key, void **value)
{
    pthread_mutex_lock(&storage.lock);
    const item_t *item = find(context, key);
    if (item != NULL)
        *value = item->value;
    pthread_mutex_unlock(&storage.lock);
    return item != NULL;
}

bool cudart_storage_remove(const cudart_context_t *context, const void *key)
{
    pthread_mutex_lock(&storage.lock);
    item_t *item = find(context, key);
    if (item != NULL)
        item->context = NULL;
    pthread_mutex_unlock(&storage.lock);
    return item != NULL;
}

void cudart_storage_drop_all(cudart_context_t *context)
{
    for (;;) {
        item_t gone = {0};
        pthread_mutex_lock(&storage.lock);
        item_t *item = find(context, NULL);
        if (item != NULL) {
            gone = *item;
            item->context = NULL;
        }
        pthread_mutex_unlock(&storage.lock);
        if (gone.context == NULL)
            return;
        if (gone.drop != NULL) /* a function of the library, which may use the storage */
            gone.drop(context, gone.key, gone.value);
    }
}
