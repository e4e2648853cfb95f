/* When the operations of a graph ran, which launches were alone, and the critical path. */
#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/gpu/streams/overlap.h"

typedef struct {
    cycle_t at;
    size_t op;
    bool start;
} edge_t;

static int by_time(const void *a, const void *b)
{
    const edge_t *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

/* For each launch, the cycles in which it was the only one. */
static void count_alone(const overlap_t *o, stream_op_time_t *times)
{
    edge_t *edge = rb_calloc(2 * o->graph->n + 1, sizeof(*edge));
    size_t n = 0, running = 0, sum = 0;
    for (size_t i = 0; i < o->graph->n; i++) {
        if (!times[i].ran || o->graph->ops[i].kind != STREAM_OP_LAUNCH)
            continue;
        edge[n++] = (edge_t){times[i].start, i, true};
        edge[n++] = (edge_t){times[i].end, i, false};
    }
    qsort(edge, n, sizeof(*edge), by_time);
    for (size_t i = 0; i < n; i++) {
        if (running == 1) /* the sum of the numbers is that of the one */
            times[sum].alone += edge[i].at - edge[i - 1].at;
        running += edge[i].start ? (size_t)1 : (size_t)-1;
        sum += edge[i].start ? edge[i].op : (size_t)0 - edge[i].op;
    }
    free(edge);
}

/* Marks a chain of operations, each of which waited for the one before it, from the last to end. */
static void mark_critical(const overlap_t *o, stream_op_time_t *times)
{
    size_t at = 0;
    for (size_t i = 0; i < o->graph->n; i++) {
        if (times[i].ran && (!times[at].ran || times[i].end >= times[at].end))
            at = i;
    }
    for (bool more = o->graph->n > 0; more;) {
        const stream_op_t *op = &o->graph->ops[at];
        times[at].critical = true;
        more = op->n_waits > 0;
        size_t last = at;
        for (uint32_t k = 0; k < op->n_waits; k++) {
            const size_t before = o->graph->waits[op->first_wait + k];
            if (last == at || times[before].end > times[last].end)
                last = before;
        }
        at = last;
    }
}

void overlap_times(const overlap_t *o, stream_op_time_t *times)
{
    for (size_t i = 0; i < o->graph->n; i++)
        times[i] = (stream_op_time_t){.ran = o->ops[i].runs,
                                      .ready = o->ops[i].ready - o->begin,
                                      .start = o->ops[i].start - o->begin,
                                      .end = o->ops[i].end - o->begin};
    count_alone(o, times);
    mark_critical(o, times);
}
