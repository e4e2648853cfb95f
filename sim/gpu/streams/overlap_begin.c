/* Before a graph runs: which operations wait for which, and where its launches are in the source. */
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/gpu/streams/overlap.h"
#include "sim/gpu/streams/overlap_loop.h"

static void queue_init(overlap_queue_t *q, size_t n)
{
    *q = (overlap_queue_t){.list = rb_calloc(n + 1, sizeof(*q->list))};
}

static void list_successors(overlap_t *o)
{
    const stream_graph_t *g = o->graph;
    o->after = rb_calloc(g->n_waits + 1, sizeof(*o->after));
    o->first_after = rb_calloc(g->n + 2, sizeof(*o->first_after));
    for (size_t i = 0; i < g->n_waits; i++)
        o->first_after[g->waits[i] + 2]++;
    for (size_t i = 2; i < g->n + 2; i++)
        o->first_after[i] += o->first_after[i - 1];
    for (uint32_t i = 0; i < g->n; i++) {
        for (uint32_t k = 0; k < g->ops[i].n_waits; k++)
            o->after[o->first_after[g->waits[g->ops[i].first_wait + k] + 1]++] = i;
    }
}

/* In a part of a trace, what comes before its first launch and after its last one is left out. */
static void choose_operations(overlap_t *o, const uint64_t *position)
{
    const stream_graph_t *g = o->graph;
    size_t first = g->n, last = 0;
    bool part = false;
    for (size_t i = 0; i < g->n; i++) {
        const bool launch = g->ops[i].kind == STREAM_OP_LAUNCH;
        part |= launch && position[i] == 0;
        if (launch && position[i] != 0) {
            first = first == g->n ? i : first;
            last = i;
        }
    }
    for (size_t i = 0; i < g->n; i++) {
        const uint8_t kind = g->ops[i].kind;
        const bool copy = kind == STREAM_OP_TO_DEVICE || kind == STREAM_OP_FROM_DEVICE;
        o->ops[i].pending = g->ops[i].n_waits;
        o->ops[i].position = position[i];
        o->ops[i].ready = o->begin;
        o->ops[i].release = o->begin + o->spec->gpu.launch_latency;
        o->ops[i].runs = kind == STREAM_OP_LAUNCH ? position[i] != 0
                                                  : copy && (!part || (i >= first && i <= last));
    }
}

void overlap_init(overlap_t *o, const gpu_spec_t *spec, const uint16_t *sm_shard,
                  placement_t *placement, inbox_t *inbox, const stream_graph_t *graph,
                  const uint64_t *position, const run_plan_t *plan, cycle_t begin)
{
    memset(o, 0, sizeof(*o));
    o->spec = spec;
    o->sm_shard = sm_shard;
    o->placement = placement;
    o->inbox = inbox;
    o->graph = graph;
    o->shares = plan->shares;
    o->n_shares = plan->n_shares;
    o->begin = begin;
    o->ops = rb_calloc(graph->n + 1, sizeof(*o->ops));
    o->launch = rb_calloc(OVERLAP_LAUNCHES, sizeof(*o->launch));
    o->carveout = rb_calloc(placement->n_sms, sizeof(*o->carveout));
    queue_init(&o->waiting, graph->n);
    queue_init(&o->completed, graph->n);
    queue_init(&o->begun, graph->n);
    for (unsigned e = 0; e < 2; e++) {
        queue_init(&o->copies[e], graph->n);
        o->copy_end[e] = CYCLE_NEVER;
    }
    o->attempt = CYCLE_NEVER;
    list_successors(o);
    choose_operations(o, position);
}

void overlap_free(overlap_t *o)
{
    for (uint32_t i = 0; i < o->n_used; i++) {
        if (o->launch[i].feed.source != NULL)
            feed_close(&o->launch[i].feed);
        feed_destroy(&o->launch[i].feed);
    }
    free(o->launch);
    free(o->carveout);
    free(o->ops);
    free(o->after);
    free(o->first_after);
    free(o->waiting.list);
    free(o->completed.list);
    free(o->begun.list);
    free(o->copies[0].list);
    free(o->copies[1].list);
}

/* --- the source ------------------------------------------------------------------------------- */

/* The graph of a plan has only some of the launches, in any order. */
static rb_code_t find_some_launches(gpu_t *g, const stream_graph_t *graph, uint64_t *position,
                                    rb_err_t *err)
{
    trace_source_t *s = g->run.source;
    const uint64_t n = s->ops->n_launches(s);
    for (uint64_t id = 1; id <= n; id++) {
        launch_info_t info;
        bool found = false;
        RB_TRY(s->ops->launch_info(s, id, &info, err));
        for (size_t op = 0; op < graph->n; op++) {
            if (graph->ops[op].kind != STREAM_OP_LAUNCH || graph->ops[op].launch != info.id)
                continue;
            position[op] = id;
            found = true;
        }
        if (found)
            (void)gpu_code_base(g, info.code_id);
    }
    return RB_OK;
}

rb_code_t overlap_find_launches(gpu_t *g, const stream_graph_t *graph, uint64_t *position,
                                rb_err_t *err)
{
    trace_source_t *s = g->run.source;
    const uint64_t n = s->ops->n_launches(s);
    size_t op = 0;
    if (graph == g->run.plan->graph)
        return find_some_launches(g, graph, position, err);
    for (uint64_t id = 1; id <= n; id++) {
        launch_info_t info;
        RB_TRY(s->ops->launch_info(s, id, &info, err));
        while (op < graph->n &&
               (graph->ops[op].kind != STREAM_OP_LAUNCH || graph->ops[op].launch < info.id))
            op++;
        if (op == graph->n || graph->ops[op].launch != info.id)
            return rb_fail(err, RB_TRACE,
                           "%s: launch %llu is not among the operations of its graph", info.file,
                           (unsigned long long)info.id);
        position[op] = gpu_plan_lists(g->run.plan, id) ? id : 0;
        (void)gpu_code_base(g, info.code_id);
    }
    return RB_OK;
}
