#include "sim/core/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/core/files/temporary.h"

enum { CACHE_LINE = 64, EXIT_NO_MEMORY = 1 };

void rb_out_of_memory(size_t count, size_t size)
{
    temporary_remove_all();
    fprintf(stderr, "rubato: out of memory (%zu x %zu bytes)\n", count, size);
    fflush(stderr);
    _exit(EXIT_NO_MEMORY);
}

static size_t checked_bytes(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        rb_out_of_memory(count, size);
    return bytes;
}

void *rb_calloc(size_t count, size_t size)
{
    void *p = calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);
    if (p == NULL)
        rb_out_of_memory(count, size);
    return p;
}

void *rb_realloc(void *ptr, size_t count, size_t size)
{
    size_t bytes = checked_bytes(count, size);
    if (bytes == 0) {
        free(ptr);
        return NULL;
    }
    void *p = realloc(ptr, bytes);
    if (p == NULL)
        rb_out_of_memory(count, size);
    return p;
}

void *rb_aligned_alloc(size_t alignment, size_t bytes)
{
    void *p = aligned_alloc(alignment, bytes);
    if (p == NULL)
        rb_out_of_memory(bytes, 1);
    return p;
}

void *rb_calloc_aligned(size_t count, size_t size)
{
    size_t bytes = checked_bytes(count, size);
    bytes = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    void *p = rb_aligned_alloc(CACHE_LINE, bytes == 0 ? CACHE_LINE : bytes);
    memset(p, 0, bytes);
    return p;
}

void *rb_map_zeroed(size_t alignment, size_t bytes)
{
    size_t reserved;
    void *p =
        __builtin_add_overflow(bytes, alignment, &reserved)
            ? MAP_FAILED
            : mmap(NULL, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        rb_out_of_memory(bytes, 1);
    const size_t before = -(uintptr_t)p & (alignment - 1), after = alignment - before;
    char *start = (char *)p + before;
    if (before > 0)
        munmap(p, before);
    if (after > 0)
        munmap(start + bytes, after);
    return start;
}

void rb_unmap(void *p, size_t bytes)
{
    munmap(p, bytes);
}

char *rb_strdup(const char *text)
{
    if (text == NULL)
        return NULL;
    size_t n = strlen(text) + 1;
    char *copy = rb_calloc(n, 1);
    memcpy(copy, text, n);
    return copy;
}

char *rb_vformat(const char *fmt, va_list ap)
{
    char *text;
    va_list again;
    va_copy(again, ap);
    const int n = vasprintf(&text, fmt, ap);
    if (n < 0)
        rb_out_of_memory((size_t)vsnprintf(NULL, 0, fmt, again) + 1, 1);
    va_end(again);
    return text;
}

char *rb_format(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = rb_vformat(fmt, ap);
    va_end(ap);
    return text;
}

void rb_grow(void *ptr_to_ptr, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap)
        return;
    size_t n = *cap == 0 ? 16 : *cap;
    while (n < need)
        n *= 2;
    void *p;
    memcpy(&p, ptr_to_ptr, sizeof(p));
    p = rb_realloc(p, n, size);
    memcpy(ptr_to_ptr, &p, sizeof(p));
    *cap = n;
}
