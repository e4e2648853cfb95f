/*
 * Launches are reported in groups: from the first that starts on an idle chip to the end of the last
 * one that runs. overlap_count.h says which launch counts what; the sums over a group are exact.
 *
 * A group's counters are read overlap_least() cycles after its end, before anything else can be
 * dispatched, at a cycle that does not depend on windows.
 */
#include "sim/gpu/streams/overlap_loop.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/log.h"
#include "sim/gpu/streams/overlap.h"
#include "sim/gpu/streams/overlap_count.h"

/* A launch of the current group that has ended. */
typedef struct {
    launch_result_t r;
    uint32_t op;
    uint16_t tag;
    cycle_t release;      /* from then on, blocks could be dispatched */
    launch_insts_t insts; /* owned; if counts per instruction are wanted */
} ended_t;

struct overlap_loop {
    overlap_t o;
    uint64_t *position; /* owned; of each operation's launch in the source */
    ended_t *ended;     /* owned */
    size_t n_ended, cap_ended;
    bool group_open, cutting;
    overlap_count_t count;
    rb_code_t code; /* what went wrong between windows */
    rb_err_t err;
};

/* --- what cannot be combined ----------------------------------------------------------------- */

static rb_code_t refuse(const char *what, rb_err_t *err)
{
    return rb_fail(err, RB_USAGE,
                   "%s cannot be combined with launches that overlap: set "
                   "gpu.concurrent_launches = 1, or leave it out",
                   what);
}

static bool has_stream(const stream_graph_t *graph, uint64_t stream)
{
    for (size_t i = 0; i < graph->n; i++) {
        if (graph->ops[i].kind == STREAM_OP_LAUNCH && graph->ops[i].stream == stream)
            return true;
    }
    return false;
}

static rb_code_t check_shares(const gpu_t *g, const stream_graph_t *graph, rb_err_t *err)
{
    const run_plan_t *plan = g->run.plan;
    for (size_t i = 0; i < plan->n_shares; i++) {
        const sm_share_t *s = &plan->shares[i];
        if (s->first > s->last || s->last >= g->n_sms)
            return rb_fail(
                err, RB_USAGE,
                "stream %llu is confined to SMs %u to %u, but the GPU has the SMs 0 to %u",
                (unsigned long long)s->stream, s->first, s->last, g->n_sms - 1);
        if (!has_stream(graph, s->stream))
            return rb_fail(
                err, RB_USAGE,
                "stream %llu is confined to SMs %u to %u, but the trace has no launch in "
                "it: rubato info lists the streams",
                (unsigned long long)s->stream, s->first, s->last);
    }
    return RB_OK;
}

static rb_code_t check_plan(const gpu_t *g, const stream_graph_t *graph, rb_err_t *err)
{
    const run_state_t *r = &g->run;
    const run_plan_t *plan = r->plan;
    if (plan->n_inside > 0)
        return refuse("a sampler inside launches", err);
    if (plan->sampled)
        return refuse("a launch sampler", err);
    if (plan->first > 1 || plan->last > 0)
        return refuse("a run from one launch to another", err);
    if (plan->stats_interval > 0 && r->callbacks->interval != NULL)
        return refuse("a time series (--stats-interval)", err);
    if (r->callbacks->view != NULL)
        return refuse("the time line of blocks and queues (--timeline)", err);
    if (r->callbacks->clock_reads != NULL)
        return refuse("the report of clock reads", err);
    if (r->warmup != WARMUP_KEEP)
        return refuse("warmup.mode other than keep", err);
    return check_shares(g, graph, err);
}

/* --- between windows ------------------------------------------------------------------------- */

static rb_code_t open_launch(gpu_t *g, overlap_launch_t *l, rb_err_t *err)
{
    run_state_t *r = &g->run;
    const uint64_t position = r->loop->o.ops[l->op].position;
    RB_TRY(r->source->ops->launch_info(r->source, position, &l->info, err));
    RB_TRY(occupancy_compute(&g->spec, &l->info, &l->occupancy, err));
    const uint64_t most = (uint64_t)g->n_sms * l->occupancy.blocks_per_sm;
    const feed_plan_t plan = {.ahead = g->demand,
                              .threads = 1,
                              .resident = most < l->info.n_blocks ? most : l->info.n_blocks,
                              .keep = (g->spec.sm.sm.mem_queue + 2) * ADDR_RECORD_MAX};
    RB_TRY(feed_open(&l->feed, r->source, position, &plan, err));
    l->need = placement_need(&l->occupancy);
    l->ctx.slot = (uint32_t)l->info.id;
    l->ctx.carveout = (uint32_t)l->occupancy.carveout;
    l->ctx.code_base = gpu_code_base(g, l->info.code_id);
    l->ctx.shared_base = l->info.shared_base;
    l->ctx.local_base = l->info.local_base;
    l->state = LAUNCH_OPEN;
    if (g->insts != NULL)
        inst_collector_begin(g->insts, l->ctx.index);
    r->progress.launch_id = l->info.id;
    return RB_OK;
}

/* The counts per instruction of a launch that has ended. */
static launch_insts_t take_instructions(gpu_t *g, overlap_launch_t *l)
{
    const uint32_t index = l->ctx.index;
    if (g->insts == NULL)
        return (launch_insts_t){0};
    inst_collector_describe(g->insts, index, g->run.source, feed_pause(&l->feed));
    feed_go_on(&l->feed);
    for (uint32_t i = 0; i < g->n_sms; i++)
        sm_profile_forget(g->sm[i], index);
    return inst_collector_take(g->insts, index);
}

static void close_launch(gpu_t *g, struct overlap_loop *p, overlap_launch_t *l)
{
    const launch_insts_t insts = take_instructions(g, l);
    feed_close(&l->feed);
    rb_grow(&p->ended, &p->cap_ended, p->n_ended + 1, sizeof(*p->ended));
    ended_t *e = &p->ended[p->n_ended++];
    *e = (ended_t){.op = l->op, .tag = l->ctx.tag, .insts = insts};
    e->r.info = l->info;
    e->r.occupancy = l->occupancy;
    e->r.start = l->start;
    e->r.end = l->end;
    e->release = l->release;
    e->r.blocks = l->sent;
    e->r.warp_insts = l->sent_insts;
    e->r.doubts = l->feed.doubts;
    l->state = LAUNCH_FREE;
}

/* The first launch of a group has been admitted: until then, the SMs had nothing to do. */
static void open_group(gpu_t *g, struct overlap_loop *p, cycle_t start)
{
    overlap_count_open(g, &p->count, start);
    p->group_open = true;
}

/* Gives the partitions the copies that began in the last window. Their first bytes move later. At the
 * end of a group, those that move after the cut stay, so that a checkpoint needs no copy in flight. */
static void begin_copies(gpu_t *g, struct overlap_loop *p)
{
    const cycle_t before = p->o.quiet ? p->o.quiet_at + overlap_least(&g->spec) : CYCLE_NEVER;
    for (; p->o.begun.n > 0; p->o.begun.n--, p->o.begun.from++) {
        copy_traffic_t copy;
        const bool moves = overlap_traffic(&p->o, p->o.begun.list[p->o.begun.from], &copy);
        RB_INVARIANT(moves, "a copy without traffic was begun");
        if (copy.begin >= before)
            return;
        for (uint32_t i = 0; i < g->n_partitions; i++) {
            partition_copy(g->partition[i], &copy);
            engine_wake(g->engine, g->partition_shard[i], copy.begin);
        }
    }
}

bool overlap_boundary(gpu_t *g, cycle_t now)
{
    run_state_t *r = &g->run;
    struct overlap_loop *p = r->loop;
    (void)now;
    for (uint32_t i = 0; i < p->o.n_used; i++) {
        overlap_launch_t *l = &p->o.launch[i];
        if (l->state == LAUNCH_ENDED)
            close_launch(g, p, l);
    }
    begin_copies(g, p);
    if (p->o.quiet && !p->cutting)
        return false;
    for (uint32_t i = 0; i < p->o.n_used && p->code == RB_OK; i++) {
        overlap_launch_t *l = &p->o.launch[i];
        if (l->state == LAUNCH_ADMITTED && !p->group_open)
            open_group(g, p, p->o.group_start);
        if (l->state == LAUNCH_ADMITTED)
            p->code = open_launch(g, l, &p->err);
        if (l->state == LAUNCH_OPEN && !feed_ensure(&l->feed, g->demand))
            p->code = feed_check(&l->feed, &p->err);
    }
    overlap_count_tidy(g, &p->count);
    return p->code == RB_OK && !r->stop;
}

/* --- groups ---------------------------------------------------------------------------------- */

/* Sets the counters of the launches of a group. */
static void set_counters(gpu_t *g, struct overlap_loop *p)
{
    const size_t n = p->n_ended;
    uint16_t *tag = rb_calloc(n, sizeof(*tag));
    uint64_t *cycles = rb_calloc(n, sizeof(*cycles));
    gpu_counters_t *counters = rb_calloc(n, sizeof(*counters));
    for (size_t i = 0; i < n; i++) {
        tag[i] = p->ended[i].tag;
        cycles[i] = launch_result_cycles(&p->ended[i].r);
    }
    overlap_count_close(g, &p->count, p->o.quiet_at, tag, cycles, counters, n);
    for (size_t i = 0; i < n; i++) {
        launch_result_t *r = &p->ended[i].r;
        r->sm = counters[i].sm;
        r->l2 = counters[i].l2;
        r->dram = counters[i].dram;
        r->thread_insts = r->sm.thread_insts;
        for (unsigned state = 0; state < STATE_COUNT; state++)
            r->warp_slot_cycles += ((const uint64_t *)&r->sm)[state];
        RB_INVARIANT(r->sm.blocks == r->blocks && r->sm.warp_insts == r->warp_insts,
                     "launch %llu: its counters have %llu blocks and %llu instructions",
                     (unsigned long long)r->info.id, (unsigned long long)r->sm.blocks,
                     (unsigned long long)r->sm.warp_insts);
    }
    free(tag);
    free(cycles);
    free(counters);
}

typedef enum { EDGE_END, EDGE_START, EDGE_RELEASE } edge_kind_t;

typedef struct {
    cycle_t at;
    edge_kind_t kind;
    size_t launch;
} edge_t;

static int by_time(const void *a, const void *b)
{
    const edge_t *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->launch == y->launch) /* without blocks, a launch ends when it is released */
        return (x->kind != EDGE_START) - (y->kind != EDGE_START);
    return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind)
                              : (x->launch > y->launch) - (x->launch < y->launch);
}

/* A launch that runs between at and to, when none can dispatch blocks yet. */
static ended_t *any_early(struct overlap_loop *p, cycle_t at, cycle_t to)
{
    size_t i = 0;
    while (p->ended[i].r.start > at || p->ended[i].release < to)
        i++;
    return &p->ended[i];
}

/* Launch latency: cycles in which no launch of the group could dispatch blocks yet count for one of
 * those that ran. */
static void count_latency(struct overlap_loop *p)
{
    edge_t *edge = rb_calloc(3 * p->n_ended + 1, sizeof(*edge));
    size_t n = 0, running = 0, released = 0;
    for (size_t i = 0; i < p->n_ended; i++) {
        edge[n++] = (edge_t){p->ended[i].r.start, EDGE_START, i};
        edge[n++] = (edge_t){p->ended[i].release, EDGE_RELEASE, i};
        edge[n++] = (edge_t){p->ended[i].r.end, EDGE_END, i};
    }
    qsort(edge, n, sizeof(*edge), by_time);
    for (size_t i = 0; i < n; i++) {
        const cycle_t passed = i == 0 ? 0 : edge[i].at - edge[i - 1].at;
        if (passed > 0 && running > 0 && released == 0)
            any_early(p, edge[i - 1].at, edge[i].at)->r.launch_cycles += passed;
        switch (edge[i].kind) {
        case EDGE_START:
            running++;
            break;
        case EDGE_RELEASE:
            released++;
            break;
        case EDGE_END:
            running--;
            released--;
            break;
        }
    }
    free(edge);
}

static int by_end(const void *a, const void *b)
{
    const ended_t *x = a, *y = b;
    if (x->r.end != y->r.end)
        return x->r.end < y->r.end ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

static rb_code_t report_launch(gpu_t *g, ended_t *e, rb_err_t *err)
{
    const gpu_callbacks_t *c = g->run.callbacks;
    if (g->insts != NULL) {
        launch_insts_total(&e->r.sm, &e->r.l2, &e->insts.total);
        inst_collector_rest(&e->insts);
        RB_TRY(c->instructions(c->ctx, &e->r, &e->insts, err));
        inst_collector_release(&e->insts);
    }
    return c->launch_done == NULL ? RB_OK : c->launch_done(c->ctx, &e->r, err);
}

/* Reports the group whose last launch has ended. */
static rb_code_t close_group(gpu_t *g, struct overlap_loop *p, rb_err_t *err)
{
    run_state_t *r = &g->run;
    qsort(p->ended, p->n_ended, sizeof(*p->ended), by_end);
    set_counters(g, p);
    count_latency(p);
    for (size_t i = 0; i < p->n_ended; i++) {
        r->progress.launches_done++;
        RB_TRY(report_launch(g, &p->ended[i], err));
    }
    p->n_ended = 0;
    p->group_open = false;
    if (p->o.running > 0) /* the next group has begun */
        open_group(g, p, p->o.group_start);
    return RB_OK;
}

/* --- checkpoints ----------------------------------------------------------------------------- */

/* Between two groups: the chip can be saved if the last one has left nothing in the memory. */
static rb_code_t offer_checkpoint(gpu_t *g, struct overlap_loop *p, rb_err_t *err)
{
    const gpu_callbacks_t *c = g->run.callbacks;
    if (c->at_rest == NULL || overlap_over(&p->o) || !overlap_at_rest(&p->o) ||
        !engine_only(g->engine, g->scheduler_shard))
        return RB_OK;
    g->next_start = p->o.quiet_at + overlap_least(&g->spec);
    return c->at_rest(c->ctx, err);
}

int overlap_loop_save(const struct overlap_loop *p, FILE *out)
{
    const copy_counters_t copies = {p->count.copies.l2, p->count.copies.dram};
    return fwrite(&copies, sizeof(copies), 1, out) == 1 ? overlap_save(&p->o, out) : -1;
}

/* Continues the graph of a checkpoint. copies: the counters of its copies until then. */
static rb_code_t load_progress(gpu_t *g, struct overlap_loop *p, copy_counters_t *copies,
                               rb_err_t *err)
{
    FILE *in = fmemopen(g->graph_image, g->n_graph_image, "r");
    const bool good = in != NULL && fread(copies, sizeof(*copies), 1, in) == 1 &&
                      overlap_load(&p->o, in) == 0 && fgetc(in) == EOF;
    if (in != NULL)
        fclose(in);
    free(g->graph_image);
    g->graph_image = NULL;
    g->n_graph_image = 0;
    if (!good)
        return rb_fail(err, RB_TRACE,
                       "the checkpoint is incomplete, or its state of the streams is impossible");
    for (size_t i = 0; i < p->o.graph->n; i++)
        g->run.progress.launches_done += p->o.ops[i].complete && p->o.ops[i].position != 0;
    return RB_OK;
}

/* --- the end --------------------------------------------------------------------------------- */

static rb_code_t report_work(gpu_t *g, struct overlap_loop *p, rb_err_t *err)
{
    const gpu_callbacks_t *c = g->run.callbacks;
    const overlap_t *o = &p->o;
    if (c->work_done == NULL)
        return RB_OK;
    stream_op_time_t *times = rb_calloc(o->graph->n + 1, sizeof(*times));
    overlap_times(o, times);
    const copy_counters_t copies = {p->count.copies.l2, p->count.copies.dram};
    rb_code_t rc = c->work_done(c->ctx, o->graph, times, &copies, err);
    free(times);
    return rc;
}

/* Runs to the end of a group or of everything. */
static rb_code_t run_part(gpu_t *g, struct overlap_loop *p, rb_err_t *err)
{
    overlap_t *o = &p->o;
    engine_run(g->engine, CYCLE_NEVER);
    if (p->code == RB_OK && !g->run.stop && o->quiet) {
        p->cutting = true;
        engine_run(g->engine, o->quiet_at + overlap_least(&g->spec));
        p->cutting = false;
    }
    for (uint32_t i = 0; i < o->n_used && p->code == RB_OK; i++) {
        if (o->launch[i].feed.source != NULL)
            p->code = feed_check(&o->launch[i].feed, &p->err);
    }
    if (p->code != RB_OK)
        return rb_fail(err, p->code, "%s", p->err.text);
    if (g->run.stop)
        return RB_STOPPED;
    (void)overlap_boundary(g, o->quiet_at);
    if (!o->quiet) {
        RB_INVARIANT(overlap_over(o), "deadlock: %llu of %zu operations are complete",
                     (unsigned long long)o->n_complete, o->graph->n);
        return RB_OK;
    }
    o->quiet = false;
    RB_TRY(close_group(g, p, err));
    return offer_checkpoint(g, p, err);
}

static rb_code_t run_all(gpu_t *g, struct overlap_loop *p, rb_err_t *err)
{
    block_scheduler_t *s = &g->scheduler;
    s->overlap = &p->o;
    s->placement.kind = (block_need_t){0};
    engine_wake(g->engine, g->scheduler_shard, g->next_start);
    g->run.launch_open = true;
    rb_code_t rc = RB_OK;
    do
        rc = run_part(g, p, err);
    while (rc == RB_OK && (!overlap_over(&p->o) || p->o.quiet));
    g->run.launch_open = false;
    return rc;
}

/* Begins the graph, or goes on with that of a checkpoint. */
static rb_code_t begin_graph(gpu_t *g, struct overlap_loop *p, const stream_graph_t *graph,
                             rb_err_t *err)
{
    copy_counters_t copies = {0};
    rb_code_t rc = overlap_find_launches(g, graph, p->position, err);
    overlap_init(&p->o, &g->spec, g->sm_shard, &g->scheduler.placement, &g->scheduler.inbox, graph,
                 p->position, g->run.plan, g->next_start);
    p->o.epoch = g->epoch;
    if (rc == RB_OK && g->graph_image != NULL)
        rc = load_progress(g, p, &copies, err);
    const bool goes_on = p->o.running > 0;
    overlap_count_begin(g, &p->count, goes_on ? p->o.group_start : g->next_start);
    p->count.copies.l2 = copies.l2;
    p->count.copies.dram = copies.dram;
    if (goes_on)
        open_group(g, p, p->o.group_start);
    return rc;
}

static rb_code_t end_graph(gpu_t *g, struct overlap_loop *p, rb_err_t *err)
{
    cycle_t end = g->next_start;
    for (size_t i = 0; i < p->o.graph->n; i++)
        end = cycle_max(end, p->o.ops[i].end);
    g->scheduler.quiet = end;
    gpu_come_to_rest(g);
    overlap_count_end(g, &p->count);
    g->reached = g->run.source->ops->n_launches(g->run.source);
    return report_work(g, p, err);
}

rb_code_t overlap_run_graph(gpu_t *g, const stream_graph_t *graph, rb_err_t *err)
{
    RB_TRY(check_plan(g, graph, err));
    struct overlap_loop *p = rb_calloc(1, sizeof(*p));
    p->position = rb_calloc(graph->n + 1, sizeof(*p->position));
    rb_code_t rc = begin_graph(g, p, graph, err);
    g->run.loop = p;
    if (rc == RB_OK)
        rc = run_all(g, p, err);
    g->epoch = p->o.epoch;
    if (rc == RB_OK)
        rc = end_graph(g, p, err);
    g->scheduler.overlap = NULL;
    g->run.loop = NULL;
    overlap_free(&p->o);
    overlap_count_free(&p->count);
    free(p->position);
    for (size_t i = 0; i < p->n_ended; i++)
        inst_collector_release(&p->ended[i].insts);
    free(p->ended);
    free(p);
    return rc;
}
