/*
 * The progress of a graph while no block is on the chip and no byte of a copy moves: which operations
 * are complete, which launches have been admitted, and which copies are in the queues of the
 * engines. The rest follows from the graph.
 */
#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/core/files/checkpoint_read.h"
#include "sim/gpu/streams/overlap.h"

typedef struct {
    uint64_t ops, n_waiting, n_admitted, epoch;
    uint64_t n_copies[2], copying[2]; /* of each engine; copying: the first one runs */
    uint64_t n_begun;                 /* running copies whose bytes do not move yet */
    cycle_t begin, group_start, dispatch_next;
} saved_head_t;

typedef struct {
    cycle_t ready, release, start, end;
    uint64_t complete;
} saved_op_t;

typedef struct {
    uint64_t index, op, epoch;
    cycle_t start, release;
} saved_launch_t;

bool overlap_at_rest(const overlap_t *o)
{
    for (size_t i = 0; i < o->n_queue; i++) {
        if (o->launch[o->queue[i]].sent > 0)
            return false;
    }
    return o->n_queue == o->running && o->completed.n == 0;
}

static int put(FILE *out, const void *data, size_t bytes)
{
    return bytes == 0 || fwrite(data, bytes, 1, out) == 1 ? 0 : -1;
}

static int put_queue(FILE *out, const overlap_queue_t *q)
{
    return put(out, q->list + q->from, q->n * sizeof(*q->list));
}

int overlap_save(const overlap_t *o, FILE *out)
{
    const saved_head_t head = {
        .ops = o->graph->n,
        .n_waiting = o->waiting.n,
        .n_admitted = o->n_queue,
        .epoch = o->epoch,
        .n_copies = {o->copies[0].n, o->copies[1].n},
        .copying = {o->copy_end[0] != CYCLE_NEVER, o->copy_end[1] != CYCLE_NEVER},
        .n_begun = o->begun.n,
        .begin = o->begin,
        .group_start = o->group_start,
        .dispatch_next = o->dispatch_next};
    RB_INVARIANT(overlap_at_rest(o), "checkpoint with blocks on the chip");
    int rc = put(out, &head, sizeof(head));
    for (size_t i = 0; i < o->graph->n; i++) {
        const overlap_op_t *op = &o->ops[i];
        const saved_op_t saved = {op->ready, op->release, op->start, op->end, op->complete};
        rc |= put(out, &saved, sizeof(saved));
    }
    rc |= put_queue(out, &o->waiting);
    rc |= put_queue(out, &o->copies[0]);
    rc |= put_queue(out, &o->copies[1]);
    rc |= put_queue(out, &o->begun);
    for (size_t i = 0; i < o->n_queue; i++) {
        const overlap_launch_t *l = &o->launch[o->queue[i]];
        const saved_launch_t saved = {o->queue[i], l->op, l->ctx.epoch, l->start, l->release};
        rc |= put(out, &saved, sizeof(saved));
    }
    return rc;
}

/* --- loading --------------------------------------------------------------------------------- */

static bool get(FILE *in, void *data, size_t bytes)
{
    return bytes == 0 || fread(data, bytes, 1, in) == 1;
}

static bool load_ops(overlap_t *o, FILE *in, cycle_t latest)
{
    for (size_t i = 0; i < o->graph->n; i++) {
        overlap_op_t *op = &o->ops[i];
        const stream_op_t *work = &o->graph->ops[i];
        saved_op_t saved;
        if (!get(in, &saved, sizeof(saved)) || saved.complete > 1 || saved.ready > latest ||
            saved.release > latest || saved.start > latest || saved.end > latest)
            return false;
        op->ready = saved.ready;
        op->release = saved.release;
        op->start = saved.start;
        op->end = saved.end;
        op->complete = saved.complete != 0;
        for (uint32_t k = 0; k < work->n_waits; k++)
            op->pending -= o->ops[o->graph->waits[work->first_wait + k]].complete;
        if (op->complete && op->pending > 0)
            return false;
        o->n_complete += op->complete;
    }
    return true;
}

/* Whether an operation is a launch, or a copy, that can run now and stands in no list yet; it is
 * marked. */
static bool claim(const overlap_t *o, uint64_t op, bool launch, bool *claimed)
{
    if (op >= o->graph->n || claimed[op] ||
        (o->graph->ops[op].kind == STREAM_OP_LAUNCH) != launch || !o->ops[op].runs ||
        o->ops[op].complete || o->ops[op].pending > 0)
        return false;
    return claimed[op] = true;
}

static bool load_waiting(overlap_t *o, FILE *in, uint64_t n, bool *claimed)
{
    for (uint64_t i = 0; i < n; i++) {
        uint32_t op;
        if (!get(in, &op, sizeof(op)) || !claim(o, op, true, claimed))
            return false;
        o->waiting.list[o->waiting.n++] = op;
    }
    return true;
}

static bool load_admitted(overlap_t *o, FILE *in, uint64_t n, bool *claimed, cycle_t latest)
{
    for (uint64_t i = 0; i < n; i++) {
        saved_launch_t l;
        if (!get(in, &l, sizeof(l)) || l.index >= OVERLAP_LAUNCHES ||
            o->launch[l.index].state != LAUNCH_FREE || !claim(o, l.op, true, claimed) ||
            l.epoch > o->epoch || l.start > latest || l.release > latest)
            return false;
        overlap_admit(o, (uint32_t)l.index, (uint32_t)l.op, (uint32_t)l.epoch);
        o->launch[l.index].start = l.start;
        o->launch[l.index].release = l.release;
        overlap_enqueue(o, (uint32_t)l.index);
    }
    return true;
}

/* The queue of an engine; running: its first copy runs. */
static bool load_copies(overlap_t *o, FILE *in, unsigned engine, uint64_t n, bool running,
                        cycle_t now, bool *claimed)
{
    overlap_queue_t *q = &o->copies[engine];
    for (uint64_t i = 0; i < n; i++) {
        uint32_t op;
        if (!get(in, &op, sizeof(op)) || !claim(o, op, false, claimed) ||
            overlap_engine(o, op) != engine)
            return false;
        q->list[q->n++] = op;
    }
    if (!running)
        return n == 0;
    if (n > 0)
        o->copy_end[engine] = o->ops[q->list[0]].start + overlap_copy_cycles(o, q->list[0]);
    return n > 0 && o->copy_end[engine] >= now;
}

/* Running copies whose bytes move from now on. */
static bool load_begun(overlap_t *o, FILE *in, uint64_t n, cycle_t now)
{
    for (uint64_t i = 0; i < n; i++) {
        uint32_t op;
        copy_traffic_t copy;
        if (!get(in, &op, sizeof(op)) || op >= o->graph->n)
            return false;
        const overlap_queue_t *q = &o->copies[overlap_engine(o, op)];
        if (q->n == 0 || q->list[0] != op || (i > 0 && o->begun.list[0] == op) ||
            !overlap_traffic(o, op, &copy) || copy.begin < now)
            return false;
        o->begun.list[o->begun.n++] = op;
    }
    return true;
}

/* Operations that wait for nothing and stand in no list would never run. */
static bool all_go_on(const overlap_t *o, const bool *claimed)
{
    for (size_t i = 0; i < o->graph->n; i++) {
        if (o->ops[i].pending == 0 && !o->ops[i].complete && !claimed[i])
            return false;
    }
    return true;
}

/* What follows the head. */
static bool load_lists(overlap_t *o, FILE *in, const saved_head_t *head, cycle_t now, bool *claimed)
{
    const cycle_t latest = now + o->spec->gpu.launch_latency + o->spec->gpu.launch_gap;
    return load_ops(o, in, latest) && load_waiting(o, in, head->n_waiting, claimed) &&
           load_copies(o, in, 0, head->n_copies[0], head->copying[0] != 0, now, claimed) &&
           load_copies(o, in, 1, head->n_copies[1], head->copying[1] != 0, now, claimed) &&
           load_begun(o, in, head->n_begun, now) &&
           load_admitted(o, in, head->n_admitted, claimed, latest) && all_go_on(o, claimed);
}

int overlap_load(overlap_t *o, FILE *in)
{
    saved_head_t head;
    const cycle_t now = o->begin;
    if (!get(in, &head, sizeof(head)))
        return checkpoint_read_failed(in);
    if (head.ops != o->graph->n || head.n_waiting > head.ops || head.n_copies[0] > head.ops ||
        head.n_copies[1] > head.ops || head.n_begun > 2 ||
        head.n_admitted > o->spec->gpu.concurrent_launches || head.epoch > UINT32_MAX ||
        head.begin > now || head.group_start > now ||
        head.dispatch_next > now + o->spec->sched.dispatch_interval)
        return checkpoint_out_of_range();
    o->begin = head.begin;
    o->group_start = head.group_start;
    o->dispatch_next = head.dispatch_next;
    o->epoch = (uint32_t)head.epoch;
    o->started = true;
    bool *claimed = rb_calloc(o->graph->n + 1, sizeof(*claimed));
    const bool good = load_lists(o, in, &head, now, claimed);
    free(claimed);
    return good ? 0 : checkpoint_out_of_range();
}
