#include "sim/gpu/source/wait_loops.h"

#include <string.h>

#include "sim/core/alloc.h"

/* The entry of an instruction, added if it is new. */
static wait_loop_t *entry_of(wait_loops_t *w, const char *kernel, uint32_t pc)
{
    size_t i = 0;

    while (i < w->n && w->list[i].kernel != kernel)
        i++;
    while (i < w->n && w->list[i].kernel == kernel && w->list[i].pc < pc)
        i++;
    if (i < w->n && w->list[i].kernel == kernel && w->list[i].pc == pc)
        return &w->list[i];
    rb_grow(&w->list, &w->cap, w->n + 1, sizeof(*w->list));
    memmove(&w->list[i + 1], &w->list[i], (w->n++ - i) * sizeof(*w->list));
    w->list[i] = (wait_loop_t){.kernel = kernel, .pc = pc};
    return &w->list[i];
}

void wait_loops_add(wait_loops_t *w, const char *kernel, const stream_wait_t *waits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (waits[i].n_words == 0 && waits[i].polls == 0)
            continue;
        wait_loop_t *e = entry_of(w, kernel, waits[i].pc);
        e->n++;
        e->ended += waits[i].n_words == 0;
    }
}
