/*
 * First-in-first-out rings that grow when full. A ring is any struct with these members, where cap
 * is a power of two (or 0) and item has cap elements, allocated in the model's memory:
 *
 *   struct { some_t *item; size_t head, count, cap; }
 */
#ifndef RUBATO_CORE_RING_H
#define RUBATO_CORE_RING_H

#include <stddef.h>

/* Doubles the capacity of a full ring with elements of that size and sets its head to 0. */
void rb_ring_grow(void *ptr_to_item, size_t *head, size_t count, size_t *cap, size_t size);

/* Appends an element and gives it as an lvalue. */
#define RB_RING_PUSH(r)                                                                            \
    (*((r)->count == (r)->cap                                                                      \
           ? rb_ring_grow(&(r)->item, &(r)->head, (r)->count, &(r)->cap, sizeof(*(r)->item))       \
           : (void)0,                                                                              \
       &(r)->item[((r)->head + (r)->count++) & ((r)->cap - 1)]))

/* Pointer to the i-th oldest; there must be one. Valid until the next push. */
#define RB_RING_AT(r, i) (&(r)->item[((r)->head + (i)) & ((r)->cap - 1)])

/* Removes the oldest; there must be one. An empty ring restarts at index 0, so that the same few
 * elements are used, which are in the host's cache. */
#define RB_RING_DROP(r)                                                                            \
    ((void)((r)->count--, (r)->head = (r)->count == 0 ? 0 : ((r)->head + 1) & ((r)->cap - 1)))

#endif
