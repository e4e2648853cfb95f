/*
 * Host memory for the tables that the run loop accesses at random. Together they are tens of
 * megabytes, more than the host's TLBs cover with pages of 4 KiB, so they are packed into chunks of
 * 2 MiB for which huge pages are requested.
 *
 * Free this memory only with rb_model_free(). All functions are thread-safe. Running out of memory
 * ends the process, as in alloc.h.
 */
#ifndef RUBATO_CORE_MODEL_MEM_H
#define RUBATO_CORE_MODEL_MEM_H

#include <stddef.h>

/* Zeroed memory aligned to a cache line (64 bytes), never NULL. */
void *rb_model_calloc(size_t count, size_t size);

/* NULL is allowed. */
void rb_model_free(void *p);

/* rb_grow() for such memory: grows *ptr, which has room for *cap elements of size bytes, to at
 * least need elements (doubling). New elements are zeroed. */
void rb_model_grow(void *ptr_to_ptr, size_t *cap, size_t need, size_t size);

#endif
