/* Replaces the allocation functions by ones that fail when the plan says so. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/faults/fault_calls.h"

/* Memory for allocations before the real functions are known: dlsym() itself may allocate. */
static _Alignas(64) char first_bytes[1 << 14];
static size_t first_used;

static void *from_first(size_t n)
{
    n = (n + 63) / 64 * 64;
    if (first_used + n > sizeof(first_bytes))
        return NULL;
    first_used += n;
    return first_bytes + first_used - n;
}

static bool is_first(const void *p)
{
    return (const char *)p >= first_bytes && (const char *)p < first_bytes + sizeof(first_bytes);
}

/* The real functions. */
static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
} behind;
static bool resolving;

static bool resolved(void)
{
    if (behind.posix_memalign != NULL)
        return true;
    if (resolving)
        return false;
    resolving = true;
    behind.malloc = BEHIND(malloc);
    behind.calloc = BEHIND(calloc);
    behind.realloc = BEHIND(realloc);
    behind.free = BEHIND(free);
    behind.aligned_alloc = BEHIND(aligned_alloc);
    behind.posix_memalign = BEHIND(posix_memalign);
    resolving = false;
    return true;
}

#define REFUSED() (FAULT_HERE(FAULT_ALLOC, NULL, -1) != 0)

FAULT_EXPORT void *malloc(size_t n)
{
    if (!resolved())
        return from_first(n);
    return REFUSED() ? NULL : behind.malloc(n);
}

FAULT_EXPORT void *calloc(size_t count, size_t size)
{
    if (!resolved())
        return from_first(count * size); /* already zero */
    return REFUSED() ? NULL : behind.calloc(count, size);
}

FAULT_EXPORT void *realloc(void *p, size_t n)
{
    if (is_first(p)) {
        const size_t left = (size_t)(first_bytes + sizeof(first_bytes) - (char *)p);
        void *copy = malloc(n);
        return copy != NULL ? memcpy(copy, p, n < left ? n : left) : NULL;
    }
    if (!resolved())
        return from_first(n);
    return REFUSED() ? NULL : behind.realloc(p, n);
}

FAULT_EXPORT void *reallocarray(void *p, size_t count, size_t size)
{
    size_t n;

    if (!__builtin_mul_overflow(count, size, &n) && !REFUSED())
        return behind.realloc(p, n);
    errno = ENOMEM;
    return NULL;
}

FAULT_EXPORT void *aligned_alloc(size_t alignment, size_t n)
{
    return !resolved() || REFUSED() ? NULL : behind.aligned_alloc(alignment, n);
}

FAULT_EXPORT int posix_memalign(void **p, size_t alignment, size_t n)
{
    return !resolved() || REFUSED() ? ENOMEM : behind.posix_memalign(p, alignment, n);
}

/* For strdup(). The C library's strdup() would itself count as the caller of malloc(). */
static char *copied(const char *text, size_t n, const void *caller)
{
    char *copy = !resolved()                                       ? from_first(n + 1)
                 : fault_count(FAULT_ALLOC, NULL, -1, caller) != 0 ? NULL
                                                                   : behind.malloc(n + 1);

    if (copy == NULL)
        return NULL;
    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

char *__strdup(const char *text);

FAULT_EXPORT char *strdup(const char *text)
{
    return copied(text, strlen(text), __builtin_return_address(0));
}

FAULT_EXPORT char *__strdup(const char *text)
{
    return copied(text, strlen(text), __builtin_return_address(0));
}

FAULT_EXPORT void free(void *p)
{
    if (p != NULL && !is_first(p) && resolved())
        behind.free(p);
}
