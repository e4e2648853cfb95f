/* Collects the clock reads of a launch from all SMs. */
#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/gpu/gpu_internal.h"

void clock_reads_begin(gpu_t *g)
{
    for (uint32_t i = 0; i < g->n_sms; i++)
        sm_record(g->sm[i], retired_bit(RETIRED_CLOCK));
}

/* A total order, because a warp stays on its SM and reads at most once per cycle. */
static int by_warp_and_cycle(const void *a, const void *b)
{
    const clock_read_t *x = a, *y = b;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    if (x->warp != y->warp)
        return x->warp < y->warp ? -1 : 1;
    return x->cycle < y->cycle ? -1 : x->cycle > y->cycle;
}

rb_code_t clock_reads_end(gpu_t *g, const launch_info_t *info, cycle_t start, rb_err_t *err)
{
    const gpu_callbacks_t *callbacks = g->run.callbacks;
    clock_read_t *reads = NULL;
    size_t cap = 0, n = 0, count;
    for (uint32_t i = 0; i < g->n_sms; i++) {
        const retired_t *r = sm_retired(g->sm[i], RETIRED_CLOCK, &count);
        rb_grow(&reads, &cap, n + count, sizeof(*reads));
        for (size_t k = 0; k < count; k++)
            reads[n++] = (clock_read_t){.block = r[k].block,
                                        .warp = r[k].warp,
                                        .pc = r[k].pc,
                                        .cycle = r[k].retire - start};
        sm_record(g->sm[i], 0);
    }
    if (n > 0)
        qsort(reads, n, sizeof(*reads), by_warp_and_cycle);
    rb_code_t rc = callbacks->clock_reads(callbacks->ctx, info, reads, n, err);
    free(reads);
    return rc;
}
