#include "sim/core/inbox.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

void inbox_init(inbox_t *b)
{
    memset(b, 0, sizeof(*b));
    wheel_init(&b->wheel);
}

void inbox_free(inbox_t *b)
{
    wheel_free(&b->wheel);
    free(b->msg);
    free(b->spare);
}

void inbox_put(inbox_t *b, const msg_t *m)
{
    uint32_t i;
    if (b->n_spare > 0) {
        i = b->spare[--b->n_spare];
    } else {
        rb_grow(&b->msg, &b->cap_msg, b->n_msg + 1, sizeof(*b->msg));
        rb_grow(&b->spare, &b->cap_spare, b->cap_msg, sizeof(*b->spare));
        i = (uint32_t)b->n_msg++;
    }
    b->msg[i] = *m;
    wheel_add(&b->wheel, m->arrival, i);
}

const msg_t *inbox_take(inbox_t *b, cycle_t end)
{
    cycle_t at;
    uint32_t i;
    if (!wheel_pop(&b->wheel, end, &at, &i))
        return NULL;
    b->spare[b->n_spare++] = i;
    return &b->msg[i];
}
