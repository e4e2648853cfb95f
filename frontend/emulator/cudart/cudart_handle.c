#include "frontend/emulator/cudart/cudart_handle.h"

#include "sim/core/alloc.h"

/* --- streams --------------------------------------------------------------------------------- */

/* By number; 0 is the default stream. */
static struct {
    pthread_mutex_t lock;
    cudart_stream_t *list; /* owned */
    size_t n, cap;
} streams = {.lock = PTHREAD_MUTEX_INITIALIZER};

cuda_stream_t cudart_stream_add(unsigned flags, int priority)
{
    pthread_mutex_lock(&streams.lock);
    const size_t number = streams.n > 0 ? streams.n : 1;
    rb_grow(&streams.list, &streams.cap, number + 1, sizeof(*streams.list));
    streams.list[0] = (cudart_stream_t){0};
    streams.list[number] = (cudart_stream_t){true, flags, priority};
    streams.n = number + 1;
    pthread_mutex_unlock(&streams.lock);
    return (cuda_stream_t)(number << CUDART_HANDLE_SHIFT);
}

bool cudart_stream_find(cuda_stream_t handle, cudart_stream_t *stream, bool destroy)
{
    enum { LEGACY = 1, PER_THREAD = 2 };
    const uintptr_t at = (uintptr_t)handle, number = at >> CUDART_HANDLE_SHIFT;

    *stream = (cudart_stream_t){0};
    if (at == 0 || at == LEGACY || at == PER_THREAD)
        return !destroy;
    if (at != number << CUDART_HANDLE_SHIFT)
        return false;
    pthread_mutex_lock(&streams.lock);
    if (number < streams.n) {
        *stream = streams.list[number];
        streams.list[number].live = stream->live && !destroy;
    }
    pthread_mutex_unlock(&streams.lock);
    return stream->live;
}

/* --- events ---------------------------------------------------------------------------------- */

enum { EVENT_BIT = 8 }; /* in their handles, which therefore are of no stream */

static struct {
    pthread_mutex_t lock;
    cudart_event_t **list; /* owned, both; NULL: destroyed */
    size_t n, cap;
} events = {.lock = PTHREAD_MUTEX_INITIALIZER};

void *cudart_event_add(bool untimed)
{
    cudart_event_t *e = rb_calloc(1, sizeof(*e));

    e->untimed = untimed;
    pthread_mutex_lock(&events.lock);
    const size_t number = events.n++;
    rb_grow(&events.list, &events.cap, events.n, sizeof(*events.list));
    events.list[number] = e;
    pthread_mutex_unlock(&events.lock);
    return (void *)(number << CUDART_HANDLE_SHIFT | EVENT_BIT);
}

static cudart_event_t *find_event(const void *handle, bool take)
{
    const uintptr_t at = (uintptr_t)handle, number = at >> CUDART_HANDLE_SHIFT;
    cudart_event_t *e = NULL;

    if (at != (number << CUDART_HANDLE_SHIFT | EVENT_BIT))
        return NULL;
    pthread_mutex_lock(&events.lock);
    if (number < events.n)
        e = events.list[number];
    if (e != NULL && take)
        events.list[number] = NULL;
    pthread_mutex_unlock(&events.lock);
    return e;
}

cudart_event_t *cudart_event(const void *handle)
{
    return find_event(handle, false);
}

cudart_event_t *cudart_event_take(const void *handle)
{
    return find_event(handle, true);
}

/* --- objects --------------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    const void **list; /* owned; in order of creation */
    size_t n, cap;
} objects = {.lock = PTHREAD_MUTEX_INITIALIZER};

void cudart_object_add(const void *object)
{
    pthread_mutex_lock(&objects.lock);
    rb_grow(&objects.list, &objects.cap, objects.n + 1, sizeof(*objects.list));
    objects.list[objects.n++] = object;
    pthread_mutex_unlock(&objects.lock);
}

/* 1 + the place of an object, of which the newest are looked at first; 0: it is none. */
static size_t find_object(const void *object)
{
    size_t i = objects.n;

    while (i > 0 && objects.list[i - 1] != object)
        i--;
    return i;
}

bool cudart_is_object(const void *handle)
{
    pthread_mutex_lock(&objects.lock);
    const bool found = handle != NULL && find_object(handle) > 0;
    pthread_mutex_unlock(&objects.lock);
    return found;
}

void cudart_object_end(const void *object)
{
    pthread_mutex_lock(&objects.lock);
    const size_t i = find_object(object);
    if (i > 0)
        objects.list[i - 1] = objects.list[--objects.n];
    pthread_mutex_unlock(&objects.lock);
}
