/*
 * Host memory. Everything that the model needs is allocated while it is built; the run loop
 * allocates only when a pool grows. Running out of memory ends the process with exit status 1 and a
 * message: no caller can do better.
 */
#ifndef RUBATO_CORE_ALLOC_H
#define RUBATO_CORE_ALLOC_H

#include <stdarg.h>
#include <stddef.h>

/* Ends the process because count elements of size bytes cannot be allocated. Removes temporary files
 * (temporary.h). */
_Noreturn void rb_out_of_memory(size_t count, size_t size);

/* Zeroed memory, never NULL. count * size may not overflow. Free with free(). */
void *rb_calloc(size_t count, size_t size);

/* As realloc(); new bytes are not zeroed; never NULL unless count is 0. */
void *rb_realloc(void *ptr, size_t count, size_t size);

/* Zeroed memory aligned to a cache line (64 bytes). Free with free(). */
void *rb_calloc_aligned(size_t count, size_t size);

/* As aligned_alloc(), never NULL. */
void *rb_aligned_alloc(size_t alignment, size_t bytes);

/* Zeroed pages, never NULL. They are not touched here, so the host assigns them on first use.
 * alignment is a power of two; bytes is a multiple of it and at least a page. Free with rb_unmap()
 * and the same number of bytes. */
void *rb_map_zeroed(size_t alignment, size_t bytes);
void rb_unmap(void *p, size_t bytes);

/* A copy of a string, or NULL if text is NULL. Free with free(). */
char *rb_strdup(const char *text);

/* Like asprintf() and vasprintf(), but return the text, never NULL. Free with free(). */
char *rb_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *rb_vformat(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/* Grows *ptr, which has room for *cap elements of size bytes, to at least need elements
 * (doubling). */
void rb_grow(void *ptr_to_ptr, size_t *cap, size_t need, size_t size);

#endif
