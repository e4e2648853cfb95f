#include "sim/core/ring.h"

#include <string.h>

#include "sim/core/model_mem.h"

enum { FIRST_CAPACITY = 64 };

void rb_ring_grow(void *ptr_to_item, size_t *head, size_t count, size_t *cap, size_t size)
{
    size_t n = *cap == 0 ? FIRST_CAPACITY : 2 * *cap, front = *cap - *head;
    char *old, *item = rb_model_calloc(n, size);
    memcpy(&old, ptr_to_item, sizeof(old));
    if (count > 0) {
        memcpy(item, old + *head * size, front * size);
        memcpy(item + front * size, old, *head * size);
    }
    rb_model_free(old);
    memcpy(ptr_to_item, &item, sizeof(item));
    *head = 0;
    *cap = n;
}
