#include "sim/core/model_mem.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/core/alloc.h"
#include "sim/core/err.h"
#include "sim/core/sanitizer.h"

enum { CACHE_LINE = 64, CHUNK_BYTES = 2 << 20 };

/* The header of a chunk. Chunks are aligned to CHUNK_BYTES, so the address of a piece gives its
 * chunk. Pieces are allocated one after the other; the chunk is freed with its last piece. A large
 * piece has a chunk of its own, as long as needed. */
typedef struct {
    size_t bytes; /* of the chunk */
    size_t used;
    size_t dirty;  /* nothing was allocated from here on: the host's zeros are still there */
    size_t pieces; /* not yet freed */
} chunk_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static chunk_t *current; /* the chunk that pieces are taken from */

static chunk_t *chunk_create(size_t bytes)
{
    bytes = (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES;
    chunk_t *c = rb_map_zeroed(CHUNK_BYTES, bytes);
    /* Without huge pages the run is slower but otherwise the same. */
    (void)madvise(c, bytes, MADV_HUGEPAGE);
    c->bytes = bytes;
    c->used = c->dirty = CACHE_LINE;
    return c;
}

static void chunk_destroy(chunk_t *c)
{
    rb_unmap(c, c->bytes);
}

/* Takes a piece from a chunk; *stale: how many of its bytes must be zeroed. */
static void *piece_take(chunk_t *c, size_t bytes, size_t *stale)
{
    void *p = (char *)c + c->used;
    *stale = c->dirty <= c->used ? 0 : c->dirty - c->used;
    if (*stale > bytes)
        *stale = bytes;
    c->used += bytes;
    c->pieces++;
    if (c->dirty < c->used)
        c->dirty = c->used;
    return p;
}

static void *piece_create(size_t bytes)
{
    size_t stale;
    if (bytes > CHUNK_BYTES / 4)
        return piece_take(chunk_create(bytes + CACHE_LINE), bytes, &stale);
    pthread_mutex_lock(&lock);
    if (current == NULL || current->bytes - current->used < bytes) {
        chunk_t *full = current;
        current = chunk_create(CHUNK_BYTES);
        if (full != NULL && full->pieces == 0)
            chunk_destroy(full);
    }
    void *p = piece_take(current, bytes, &stale);
    pthread_mutex_unlock(&lock);
    return memset(p, 0, stale);
}

static void piece_destroy(void *p)
{
    chunk_t *c = (chunk_t *)((uintptr_t)p & ~(uintptr_t)(CHUNK_BYTES - 1));
    pthread_mutex_lock(&lock);
    bool last = --c->pieces == 0;
    if (last && c == current) {
        c->used = CACHE_LINE;
        last = false;
    }
    pthread_mutex_unlock(&lock);
    if (last)
        chunk_destroy(c);
}

void *rb_model_calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        rb_panic("model memory: %zu x %zu bytes requested", count, size);
    bytes = bytes == 0 ? CACHE_LINE : (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    /* The address sanitizer sees the borders of pieces only if each is allocated separately. */
    return RB_ADDRESS_SANITIZER ? rb_calloc_aligned(bytes, 1) : piece_create(bytes);
}

void rb_model_free(void *p)
{
    if (p == NULL)
        return;
    if (RB_ADDRESS_SANITIZER)
        free(p);
    else
        piece_destroy(p);
}

void rb_model_grow(void *ptr_to_ptr, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap)
        return;
    size_t n = *cap == 0 ? 16 : *cap;
    while (n < need)
        n *= 2;
    void *old, *p = rb_model_calloc(n, size);
    memcpy(&old, ptr_to_ptr, sizeof(old));
    if (*cap > 0)
        memcpy(p, old, *cap * size);
    rb_model_free(old);
    memcpy(ptr_to_ptr, &p, sizeof(p));
    *cap = n;
}
