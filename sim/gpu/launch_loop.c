/*
 * The launch loop: runs one launch after another, each from its start to the completion message of
 * its last block, with the chip at rest in between.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/host_time.h"
#include "sim/core/log.h"
#include "sim/gpu/gpu_internal.h"
#include "sim/gpu/streams/overlap_loop.h"
#include "sim/gpu/view/launch_series.h"
#include "sim/gpu/warming/footprint.h"
#include "sim/sm/sm_limits.h"

enum {
    BOUNDARIES_PER_PROGRESS = 256,
    STUCK_CYCLES = 50000000, /* no instruction issued for so long while a launch runs */
    CYCLES_PER_WATCH = STUCK_CYCLES / 64,
    RUN_CUT_CYCLES = 256, /* a run ends at max_insts only at a multiple of it */
};

/* Detects a livelock of the model: events, but no instructions and no completed blocks. */
static void watch(gpu_t *g, cycle_t now)
{
    run_state_t *r = &g->run;
    if (now < r->watch_from)
        return;
    uint64_t insts = gpu_warp_insts(g) + g->scheduler.done;
    r->watch_from = now + CYCLES_PER_WATCH;
    if (insts != r->last_insts) {
        r->last_insts = insts;
        r->last_issue = now;
    }
    RB_INVARIANT(now < r->last_issue + STUCK_CYCLES,
                 "deadlock: launch %llu has issued no instruction since cycle %llu; now is %llu",
                 (unsigned long long)r->progress.launch_id, (unsigned long long)r->last_issue,
                 (unsigned long long)now);
}

static void report_progress(gpu_t *g, cycle_t now)
{
    run_state_t *r = &g->run;
    gpu_progress_t *p = &r->progress;
    p->now = now;
    const uint64_t insts = gpu_warp_insts(g);
    p->warp_insts = insts - r->insts_before;
    p->launch_share = r->loop != NULL ? 0 : run_progress_of_launch(&r->work, &g->scheduler, insts);
    p->share = run_progress_of_run(&r->work, p->launch_share);
    if (!r->callbacks->progress(r->callbacks->ctx, p))
        r->stop = true;
}

bool gpu_boundary_hook(void *gpu, cycle_t now)
{
    gpu_t *g = gpu;
    run_state_t *r = &g->run;
    if (!r->launch_open)
        return true;
    if (r->loop != NULL) {
        if (!overlap_boundary(g, now))
            return false;
        if (++r->boundaries % BOUNDARIES_PER_PROGRESS == 0 && r->callbacks->progress != NULL)
            report_progress(g, now);
        return !r->stop;
    }
    if (g->scheduler.finished || !feed_ensure(&g->feed, g->demand))
        return false;
    if (++r->boundaries % BOUNDARIES_PER_PROGRESS == 0) {
        watch(g, now);
        if (r->callbacks->progress != NULL)
            report_progress(g, now);
    }
    return !r->stop;
}

bool gpu_idle_hook(void *gpu, int thread)
{
    gpu_t *g = gpu;
    (void)thread;
    return feed_ahead(&g->feed); /* not open while launches overlap: those have their own */
}

/* Shows samplers the interval that ends at *look, and sets *look to the end of the next one. */
static rb_code_t ask_samplers(gpu_t *g, cycle_t *look, rb_err_t *err)
{
    inside_t *n = g->run.inside;
    feed_change_begin(&g->feed);
    rb_code_t rc = inside_interval(n, g, *look, err);
    feed_change_end(&g->feed);
    engine_wake(g->engine, g->scheduler_shard, *look);
    *look = inside_done(n) ? CYCLE_NEVER : *look + g->spec.sampling.interval;
    return rc;
}

/* The cycle up to which the launch that starts at `start` may run. */
static cycle_t last_cycle(const run_state_t *r, cycle_t start)
{
    const uint64_t most = r->plan->max_cycles;
    return most == 0 ? CYCLE_NEVER : start + (most - r->cycles);
}

/* Whether the run ends in the midst of the launch, which is at cycle now. */
static bool is_cut(const gpu_t *g, const gpu_counters_t *before, cycle_t last, cycle_t now)
{
    const run_state_t *r = &g->run;
    const uint64_t insts = gpu_warp_insts(g) - before->sm.warp_insts;
    return now == last || (r->plan->max_insts > 0 && r->insts + insts >= r->plan->max_insts);
}

/* Simulates to the end of the launch, or to where the run ends: *cut is that cycle, or CYCLE_NEVER. */
static rb_code_t run_to_end(gpu_t *g, const launch_info_t *info, cycle_t start,
                            const gpu_counters_t *before, launch_series_t *series, cycle_t *cut,
                            rb_err_t *err)
{
    const run_state_t *r = &g->run;
    const cycle_t last = last_cycle(r, start);
    const cycle_t every = r->plan->max_insts > 0 ? RUN_CUT_CYCLES : CYCLE_NEVER - start;
    cycle_t look = r->inside == NULL || inside_done(r->inside) ? CYCLE_NEVER
                                                               : start + g->spec.sampling.interval;
    cycle_t view = r->views == NULL ? CYCLE_NEVER : chip_views_begin(r->views, info, start);
    cycle_t check = cycle_min(last, start + every);
    *cut = CYCLE_NEVER;
    for (;;) {
        cycle_t until = cycle_min(cycle_min(series->point, look), cycle_min(view, check));
        bool idle = engine_run(g->engine, until);
        RB_TRY(feed_check(&g->feed, err));
        if (r->stop)
            return RB_STOPPED;
        bool finished = g->scheduler.finished;
        RB_INVARIANT(finished || !idle, "deadlock: launch %llu is not done, but no event is left",
                     (unsigned long long)info->id);
        if (!finished && until == check && is_cut(g, before, last, until)) {
            *cut = until;
            finished = true;
        }
        if (!finished && until == series->point)
            RB_TRY(launch_series_point(series, err));
        if (r->views != NULL && (finished || until == view))
            RB_TRY(chip_views_take(r->views, cycle_min(until, finished ? g->scheduler.end : until),
                                   finished, &view, err));
        if (finished)
            return RB_OK;
        if (until == look)
            RB_TRY(ask_samplers(g, &look, err));
        if (until == check)
            check = cycle_min(last, until + every);
    }
}

/* A launch whose end is estimated may end after the simulated part; the next one starts later
 * then. */
static void start_after(gpu_t *g, cycle_t end)
{
    const cycle_t step = GPU_REST_QUANTUM;
    if (end > g->next_start)
        g->next_start += (end - g->next_start + step - 1) / step * step;
}

/* end: of the launch, or where the run ended in it; now: the counters that its own ones end with. */
static void fill_result(const gpu_t *g, const launch_info_t *info, const occupancy_t *occupancy,
                        cycle_t start, cycle_t end, const gpu_counters_t *before,
                        const gpu_counters_t *now, launch_result_t *out)
{
    gpu_counters_t part;
    const uint64_t latency = g->spec.gpu.launch_latency;
    gpu_counters_between(&part, now, before);
    out->info = *info;
    out->occupancy = *occupancy;
    out->start = start;
    out->end = end;
    out->launch_cycles = latency < end - start ? latency : end - start;
    out->blocks = part.sm.blocks;
    out->warp_insts = part.sm.warp_insts;
    out->thread_insts = part.sm.thread_insts;
    out->warp_slot_cycles = (uint64_t)g->n_sms * g->spec.sm.sm.max_warps * (end - start);
    out->sm = part.sm;
    out->l2 = part.l2;
    out->dram = part.dram;
    out->doubts = g->feed.doubts;
}

/* The filter of the feed. */
static bool is_wanted(const void *inside, uint64_t block)
{
    return inside_wants(inside, block);
}

static rb_code_t open_feed(gpu_t *g, uint64_t position, const launch_info_t *info,
                           const occupancy_t *occupancy, rb_err_t *err)
{
    const uint64_t most = (uint64_t)g->n_sms * occupancy->blocks_per_sm;
    /* An SM reads the address records of instructions that wait in its memory queues. */
    const feed_plan_t plan = {.ahead = g->demand,
                              .threads = g->threads,
                              .resident = most < info->n_blocks ? most : info->n_blocks,
                              .keep = (g->spec.sm.sm.mem_queue + 2) * ADDR_RECORD_MAX,
                              .filter = g->run.inside == NULL ? NULL : &g->filter};
    return feed_open(&g->feed, g->run.source, position, &plan, err);
}

/* copied: sectors that copies before the launch left in the L2. */
static rb_code_t run_launch(gpu_t *g, uint64_t position, const launch_info_t *info, uint64_t copied,
                            launch_result_t *result, rb_err_t *err)
{
    run_state_t *r = &g->run;
    occupancy_t occupancy;
    const cycle_t start = g->next_start;
    RB_TRY(occupancy_compute(&g->spec, info, &occupancy, err));
    if (r->inside != NULL)
        RB_TRY(inside_begin(r->inside, g, position, info, &occupancy, start, err));
    g->filter = (feed_filter_t){is_wanted, r->inside, info->n_blocks};
    RB_TRY(open_feed(g, position, info, &occupancy, err));
    launch_ctx_t ctx = {.slot = (uint32_t)info->id,
                        .epoch = ++g->epoch,
                        .carveout = (uint32_t)occupancy.carveout,
                        .code_base = gpu_code_base(g, info->code_id),
                        .shared_base = info->shared_base,
                        .local_base = info->local_base,
                        .waits = r->inside == NULL && !g->spec.sm.l1.perfect};
    for (uint32_t p = 0; p < g->n_partitions; p++)
        partition_forget_writes(g->partition[p]);
    gpu_counters_t before, now;
    launch_series_t series;
    cycle_t cut;
    gpu_count(g, start, &before);
    launch_series_begin(&series, g, info->id, start, &before, copied);
    if (g->insts != NULL)
        inst_collector_begin(g->insts, 0);
    if (r->callbacks->clock_reads != NULL)
        clock_reads_begin(g);
    block_scheduler_begin(&g->scheduler, &g->feed, &ctx, &occupancy, start, r->inside,
                          info->n_blocks);
    engine_wake(g->engine, g->scheduler_shard, start + g->spec.gpu.launch_latency);
    r->progress.launch_id = info->id;
    run_progress_launch(&r->work, r->source, position, before.sm.warp_insts);
    r->last_issue = start;
    r->watch_from = start + CYCLES_PER_WATCH;
    r->launch_open = true;
    rb_code_t rc = run_to_end(g, info, start, &before, &series, &cut, err);
    r->launch_open = false;
    if (g->insts != NULL && rc == RB_OK) {
        inst_collector_describe(g->insts, 0, r->source, feed_pause(&g->feed));
        feed_go_on(&g->feed);
    }
    feed_close(&g->feed);
    RB_TRY(rc);
    result->part = cut != CYCLE_NEVER;
    if (!result->part)
        gpu_come_to_rest(g);
    const cycle_t end = result->part ? cut : g->scheduler.end;
    gpu_count(g, result->part ? cut : g->scheduler.quiet, &now);
    fill_result(g, info, &occupancy, start, end, &before, &now, result);
    result->l2.memcpy_sectors = copied; /* just before the cycles that it counts */
    RB_TRY(launch_series_end(&series, end, &now, err));
    launch_insts_t insts = inst_collector_take(g->insts, 0);
    launch_insts_total(&result->sm, &result->l2, &insts.total);
    if (r->callbacks->clock_reads != NULL)
        rc = clock_reads_end(g, info, start, err);
    if (rc == RB_OK && r->inside != NULL) {
        rc = inside_finish(r->inside, g, result, err);
        start_after(g, result->end);
    }
    if (rc == RB_OK && g->insts != NULL)
        rc = r->callbacks->instructions(r->callbacks->ctx, result, &insts, err);
    inst_collector_release(&insts);
    return rc;
}

static bool is_planned(const run_plan_t *plan, uint64_t id)
{
    return id >= plan->first && gpu_plan_lists(plan, id);
}

static void check_arch(const gpu_t *g, const launch_info_t *info)
{
    if (info->arch == g->spec.gpu.arch)
        return;
    rb_warn_once("this trace was made for compute capability %u.%u, but GPU '%s' has %u.%u: cycles "
                 "are those of that machine code on this GPU",
                 info->arch / 10, info->arch % 10, g->spec.gpu.name, g->spec.gpu.arch / 10,
                 g->spec.gpu.arch % 10);
}

/* Simulates launch k only for what it leaves in the caches: nobody hears of it. */
static rb_code_t run_lead(gpu_t *g, uint64_t k, launch_touched_t *touched, rb_err_t *err)
{
    run_state_t *r = &g->run;
    const gpu_callbacks_t *const callbacks = r->callbacks;
    const gpu_callbacks_t quiet = {.ctx = callbacks->ctx, .progress = callbacks->progress};
    inside_t *const inside = r->inside;
    launch_info_t info;
    launch_result_t ignored = {0};
    const memcpy_op_t *copies;
    RB_TRY(r->source->ops->launch_info(r->source, k, &info, err));
    RB_TRY(gpu_warm_up(g, r->source, k, touched, NULL, err));
    const double begun = clock_cpu_seconds();
    const size_t n = r->source->ops->copies(r->source, k, &copies);
    const uint64_t copied = gpu_take_copies(g, copies, n, &ignored.copied_bytes);
    r->callbacks = &quiet;
    r->inside = NULL;
    const rb_code_t rc = run_launch(g, k, &info, copied, &ignored, err);
    r->callbacks = callbacks;
    r->inside = inside;
    g->reached = k;
    g->left_out = false;
    touched->cpu_seconds += clock_cpu_seconds() - begun;
    return rc;
}

/* Brings the caches to where the launches before this one would have left them. */
static rb_code_t warm_up(gpu_t *g, uint64_t id, launch_touched_t *touched, rb_err_t *err)
{
    const run_state_t *r = &g->run;
    const bool may_lead = g->insts == NULL && r->callbacks->clock_reads == NULL &&
                          r->plan->stats_interval == 0 && r->plan->view.interval == 0;
    bool lead = false;
    RB_TRY(gpu_warm_up(g, r->source, id, touched, may_lead ? &lead : NULL, err));
    return lead ? run_lead(g, id - 1, touched, err) : RB_OK;
}

static rb_code_t run_one(gpu_t *g, uint64_t id, rb_err_t *err)
{
    run_state_t *r = &g->run;
    launch_info_t info;
    launch_result_t result = {0};
    const memcpy_op_t *copies;
    uint64_t copied = 0;
    RB_TRY(r->source->ops->launch_info(r->source, id, &info, err));
    const bool wanted = is_planned(r->plan, id), functional = r->warmup == WARMUP_FUNCTIONAL;
    r->progress.launch_id = id;
    if (wanted && functional)
        RB_TRY(warm_up(g, id, &result.touched, err));
    if (id >= r->plan->first && (wanted || !(functional || r->plan->skip_copies_of_others))) {
        size_t n = r->source->ops->copies(r->source, id, &copies);
        copied = gpu_take_copies(g, copies, n, &result.copied_bytes);
    }
    if (!wanted)
        return RB_OK;
    check_arch(g, &info);
    if (r->warmup == WARMUP_FLUSH && g->epoch > 0)
        gpu_flush_l2(g);
    RB_TRY(run_launch(g, id, &info, copied, &result, err));
    r->cycles += launch_result_cycles(&result);
    r->insts += result.warp_insts;
    g->reached = id;
    g->left_out = result.sampling.estimated && inside_is_cold(r->inside);
    run_progress_over(&r->work);
    r->progress.launches_done++;
    return r->callbacks->launch_done == NULL
               ? RB_OK
               : r->callbacks->launch_done(r->callbacks->ctx, &result, err);
}

/* Whether launch id exists; waits if the source does not know yet. */
static rb_code_t is_there(trace_source_t *source, uint64_t id, bool *there, rb_err_t *err)
{
    if (source->ops->has_launch != NULL)
        return source->ops->has_launch(source, id, there, err);
    *there = id <= source->ops->n_launches(source);
    return RB_OK;
}

/* Whether the run has come to where it is to end. */
static bool is_over(const run_state_t *r)
{
    const run_plan_t *plan = r->plan;
    return (plan->max_cycles > 0 && r->cycles >= plan->max_cycles) ||
           (plan->max_insts > 0 && r->insts >= plan->max_insts);
}

static rb_code_t run_launches(gpu_t *g, rb_err_t *err)
{
    const run_plan_t *plan = g->run.plan;
    /* If copies before other launches do not count either, those launches are skipped. */
    const bool listed = plan->skip_copies_of_others && plan->launch_ids != NULL;
    for (uint64_t id = listed || plan->last > 0 ? plan->first : 1;; id++) {
        bool there;
        if ((plan->last > 0 && id > plan->last) || is_over(&g->run))
            return RB_OK;
        if (listed && (plan->n_launch_ids == 0 || id > plan->launch_ids[plan->n_launch_ids - 1]))
            return RB_OK;
        RB_TRY(is_there(g->run.source, id, &there, err));
        if (!there)
            return RB_OK;
        RB_TRY(run_one(g, id, err));
    }
}

rb_code_t gpu_overlaps(const gpu_spec_t *spec, trace_source_t *source, bool *overlaps,
                       rb_err_t *err)
{
    const stream_graph_t *graph = NULL;
    if (spec->gpu.concurrent_launches > 1 && source->ops->graph != NULL)
        RB_TRY(source->ops->graph(source, &graph, err));
    *overlaps = graph != NULL;
    if (spec->gpu.concurrent_launches > 1 && source->ops->graph == NULL)
        rb_warn_once(
            "gpu.concurrent_launches = %u: this input does not say which launches are "
            "independent, so they run one after another ('rubato record' makes traces that "
            "do)",
            spec->gpu.concurrent_launches);
    return RB_OK;
}

static rb_code_t run_graph(gpu_t *g, rb_err_t *err)
{
    const stream_graph_t *graph = g->run.plan->graph;
    if (graph == NULL)
        RB_TRY(g->run.source->ops->graph(g->run.source, &graph, err));
    return overlap_run_graph(g, graph, err);
}

/* Counts a planned launch. Those before plan->first were run by an earlier run that this one
 * continues. */
static void expect_launch(run_state_t *r, uint64_t id)
{
    if (!gpu_plan_lists(r->plan, id))
        return;
    const double size = run_progress_size(r->source, id);
    const bool before = id < r->plan->first;
    r->progress.launches_total++;
    r->progress.launches_done += before;
    r->work.total += size;
    r->work.done += before ? size : 0.0;
}

static void panic_dump(void *ctx, FILE *out)
{
    const gpu_t *g = ctx;
    engine_dump(g->engine, out);
}

/* Starts or stops counts per instruction, with room for this many launches at a time; the chip is idle. */
static void count_instructions(gpu_t *g, bool wanted, uint32_t launches)
{
    if (!wanted && g->insts == NULL)
        return;
    inst_collector_t *stopped = g->insts;
    g->insts = wanted ? inst_collector_create(g->threads, launches) : NULL;
    for (uint32_t i = 0; i < g->n_sms; i++)
        sm_profile(g->sm[i], wanted ? inst_collector_tables(g->insts) : NULL);
    inst_collector_destroy(stopped);
}

/* The first shard of the engine's second side: SMs send only to the other shards, and these only to
 * SMs. 0: one side. A side must not get past the end of a launch by more than gpu_come_to_rest() waits;
 * and with few shards on a side for each thread, threads would wait for each other. */
static uint16_t second_side(const gpu_t *g)
{
    enum { SHARDS_OF_THREAD = 4 };
    const uint32_t threads = (uint32_t)g->window_threads;
    const bool busy = threads == 1 || g->n_partitions >= threads * SHARDS_OF_THREAD;
    return busy && engine_longest_window(g->engine) < GPU_REST_QUANTUM ? (uint16_t)g->n_sms : 0;
}

rb_code_t gpu_run(gpu_t *g, trace_source_t *source, const run_plan_t *plan,
                  const gpu_callbacks_t *callbacks, rb_err_t *err)
{
    run_state_t *r = &g->run;
    const uint64_t n = source->ops->n_launches(source);
    RB_INVARIANT(callbacks->clock_reads == NULL || plan->n_inside == 0,
                 "clock reads requested together with samplers inside launches");
    RB_TRY(gpu_inside_check(&g->spec, plan->n_inside, err));
    memset(r, 0, sizeof(*r));
    r->source = source;
    r->plan = plan;
    r->callbacks = callbacks;
    r->insts_before = gpu_warp_insts(g);
    r->warmup = gpu_warmup_mode(&g->spec, plan->sampled, source);
    if (g->footprints != NULL)
        footprints_begin_run(g->footprints);
    rb_set_panic_dump(panic_dump, g);
    const uint64_t end = plan->last > 0 && plan->last < n ? plan->last : n;
    for (uint64_t id = plan->last > 0 ? plan->first : 1; n < UINT64_MAX && id <= end; id++)
        expect_launch(r, id);
    inside_t inside;
    if (plan->n_inside > 0) {
        inside_init(&inside, &g->spec, plan->inside, plan->n_inside);
        r->inside = &inside;
    }
    r->views = chip_views_create(g);
    bool overlaps = plan->graph != NULL;
    rb_code_t rc = RB_OK;
    if (!overlaps && !plan->one_by_one)
        rc = gpu_overlaps(&g->spec, source, &overlaps, err);
    engine_set_sides(g->engine, overlaps ? 0 : second_side(g));
    count_instructions(g, callbacks->instructions != NULL, overlaps ? SM_MAX_LAUNCHES : 1);
    if (rc == RB_OK && overlaps)
        rc = run_graph(g, err);
    else if (rc == RB_OK)
        rc = run_launches(g, err);
    chip_views_destroy(r->views);
    r->views = NULL;
    if (r->inside != NULL)
        inside_free(&inside);
    r->inside = NULL;
    r->callbacks = NULL;
    rb_set_panic_dump(NULL, NULL);
    return rc;
}
