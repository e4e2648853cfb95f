/*
 * Which launches are walked before one that is simulated, and which of them are simulated instead, because what
 * they leave depends on time.
 */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "sim/gpu/gpu_internal.h"
#include "tests/support/input/gen_trial.h"
#include "tests/support/sim/lab.h"
#include "tests/support/sim/script_sampler.h"
#include "tests/support/sim/walk_lab.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/rbt_lab.h"

static void assert_same_launch(const launch_result_t *a, const launch_result_t *b)
{
    assert_int_equal(a->end - a->start, b->end - b->start);
    assert_memory_equal(&a->sm, &b->sm, sizeof(a->sm));
    assert_memory_equal(&a->l2, &b->l2, sizeof(a->l2));
}

static void nothing_is_walked_if_nothing_is_skipped(void **state)
{
    (void)state;
    const gpu_spec_t functional = walk_lab_chip();
    gpu_spec_t keep = functional;
    keep.warmup.mode = WARMUP_KEEP;
    trace_source_t *source = walk_lab_kmeans();
    gpu_t *a = gpu_create(&functional, 1, 0), *b = gpu_create(&keep, 1, 0);
    const launch_result_t x = walk_lab_run_all(a, source, 1, 4),
                          y = walk_lab_run_all(b, source, 1, 4);
    assert_int_equal(x.touched.launches, 0);
    assert_same_launch(&x, &y);
    gpu_destroy(a);
    gpu_destroy(b);
    source->ops->destroy(source);
}

static void only_launches_since_the_last_simulated_one_are_walked(void **state)
{
    (void)state;
    const gpu_spec_t spec = walk_lab_chip();
    trace_source_t *source = walk_lab_kmeans();
    gpu_t *g = gpu_create(&spec, 1, 0);
    const uint64_t ids[] = {8, 11};
    const launch_result_t r = walk_lab_run(g, source, ids, 2);
    assert_int_equal(r.touched.launches, 2);
    assert_true(r.touched.warp_insts > 0);
    gpu_destroy(g);
    source->ops->destroy(source);
}

/* Sums over a program's launches, and how many were heard of. */
typedef struct {
    uint64_t cycles, read_hits, launches;
} sums_t;

static rb_code_t add_launch(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    sums_t *sum = ctx;
    (void)err;
    sum->cycles += r->end - r->start;
    sum->read_hits += r->l2.read_hits;
    sum->launches++;
    return RB_OK;
}

enum { EVERY = 6 };

/* Sums over launches 6, 12, ... of lbm, in a run of all launches or alone. A run with a time series only
 * walks. */
static sums_t sums_of(bool all, uint64_t stats_interval)
{
    enum { LAUNCHES = 30 };
    /* Without masks: with them hits differ by 2 % whatever was before. */
    const gpu_spec_t spec = LAB_SPEC("rtx2060", "sm.count=6", "l2.size=768KiB", "l2.slices=6",
                                     "mem.partitions=3", "dram.tCCDM=0", "warmup.mode=functional");
    trace_source_t *source = GEN_OPEN("lbm", 75, 20, "steps=30");
    gpu_t *g = gpu_create(&spec, 1, 0);
    sums_t sum = {0}, others = {0};
    rb_err_t err = {0};
    for (uint64_t id = 1; id <= LAUNCHES; id++) {
        const bool counts = id % EVERY == 0;
        const run_plan_t plan = {.first = 1,
                                 .launch_ids = &id,
                                 .n_launch_ids = 1,
                                 .last = id,
                                 .stats_interval = stats_interval};
        const gpu_callbacks_t callbacks = {.ctx = counts ? &sum : &others,
                                           .launch_done = add_launch};
        if ((all || counts) && gpu_run(g, source, &plan, &callbacks, &err) != RB_OK)
            fail_msg("%s", err.text);
    }
    gpu_destroy(g);
    source->ops->destroy(source);
    return sum;
}

static double hits_off(sums_t is, sums_t full)
{
    return fabs((double)is.read_hits / (double)full.read_hits - 1);
}

/* What launches leave of which a wave replaces most of the L2 depends on time, so the one before is simulated,
 * and nobody hears of it. */
static void a_launch_that_leaves_what_time_decides_is_simulated(void **state)
{
    (void)state;
    const sums_t full = sums_of(true, 0), led = sums_of(false, 0);
    const sums_t walked = sums_of(false, UINT64_C(1) << 40);
    assert_int_equal(led.launches, full.launches);
    assert_true(hits_off(led, full) < hits_off(walked, full) / 2);
    assert_true(fabs((double)led.cycles / (double)full.cycles - 1) < 0.01);
}

/* How many of the launches up to `last` are not walked up to, because the one before has to be simulated. */
static uint64_t led(trace_source_t *source, uint64_t last)
{
    const gpu_spec_t spec = LAB_SPEC("rtx2060", "sm.count=6", "l2.size=768KiB", "l2.slices=6",
                                     "mem.partitions=3", "warmup.mode=functional");
    rb_err_t err = {0};
    uint64_t n = 0;
    for (uint64_t k = 2; k <= last; k++) {
        gpu_t *g = gpu_create(&spec, 1, 0);
        launch_touched_t touched = {0};
        bool lead = false;
        assert_int_equal(gpu_warm_up(g, source, k, &touched, &lead, &err), RB_OK);
        n += lead;
        gpu_destroy(g);
    }
    source->ops->destroy(source);
    return n;
}

/* Two waves, and a few blocks more, that replace most of the L2 each; many waves that replace a part of it each;
 * launches shorter than the one before. */
static void only_launches_that_time_decides_and_are_not_too_long_are_simulated(void **state)
{
    (void)state;
    assert_int_equal(led(GEN_OPEN("lbm", 75, 20, "steps=3"), 3), 2);
    assert_int_equal(led(GEN_OPEN("lbm", 75, 21, "steps=3"), 3), 2);
    assert_int_equal(led(GEN_OPEN("stencil", 75, 402, "steps=3"), 3), 0);
    temp_folder_create();
    trace_source_t *made = GEN_OPEN("solver", 75, 15000, "iterations=3");
    trace_source_t *stored = rbt_lab_open(rbt_lab_store_temp(made));
    made->ops->destroy(made);
    assert_int_equal(led(stored, 16), 0);
    temp_folder_remove();
}

static launch_touched_t walked_before(const gpu_spec_t *spec, trace_source_t *source, uint64_t at)
{
    gpu_t *g = gpu_create(spec, 1, 0);
    const launch_touched_t t = walk_lab_to(g, source, at);
    gpu_destroy(g);
    return t;
}

/* The walk ends when the L2 is full, when launches bring nothing new, or at the limit. */
static void more_launches_are_walked_only_while_they_matter(void **state)
{
    (void)state;
    gpu_spec_t spec = walk_lab_chip();
    trace_source_t *source = GEN_OPEN("stencil", 75, 402, "steps=40");
    assert_int_equal(walked_before(&spec, source, 40).launches, 1);
    spec.mem.l2.size *= 8; /* now the last launch does not fill it, but others bring nothing new */
    assert_int_equal(walked_before(&spec, source, 40).launches, 7);
    spec.warmup.news = 0.6; /* that the one before wrote the other array does not matter */
    assert_int_equal(walked_before(&spec, source, 40).launches, 3);
    spec.warmup.news = 0; /* not even the border of the other array */
    assert_int_equal(walked_before(&spec, source, 40).launches, 7);
    spec.warmup.full = 0.1; /* the last launch is enough */
    assert_int_equal(walked_before(&spec, source, 40).launches, 1);
    spec.warmup.full = 1;
    spec.warmup.launches = 2;
    assert_int_equal(walked_before(&spec, source, 40).launches, 2);
    source->ops->destroy(source);
}

static rb_code_t keep_last(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    (void)err;
    *(launch_result_t *)ctx = *r;
    return RB_OK;
}

/* Launches walked before launch 2 of a program, after launch 1 was cut short by a script. */
static uint64_t walked_after(script_t script)
{
    const gpu_spec_t spec = walk_lab_chip();
    trace_source_t *source = GEN_OPEN("blackscholes", 75, 60000, "launches=2");
    const sampler_t sampler = {.ops = &script_ops, .state = &script};
    const run_plan_t plan = {.first = 1, .inside = &sampler, .n_inside = 1, .last = 2};
    rb_err_t err = {0};
    launch_result_t last = {0};
    const gpu_callbacks_t callbacks = {.ctx = &last, .launch_done = keep_last};
    gpu_t *g = gpu_create(&spec, 1, 0);
    if (gpu_run(g, source, &plan, &callbacks, &err) != RB_OK)
        fail_msg("%s", err.text);
    gpu_destroy(g);
    source->ops->destroy(source);
    assert_true(last.sampling.estimated);
    return last.touched.launches;
}

/* What a sampler left out of a launch is walked, unless the sampler has read it for the L2. */
static void a_launch_that_was_cut_short_is_walked(void **state)
{
    (void)state;
    const fast_forward_t rest = {
        .until = UINT64_MAX, .model = FORWARD_REGION_IPC, .residents = RESIDENTS_DRAIN};
    script_t script = {.decide_at = 24, .forward = rest};
    assert_int_equal(walked_after(script), 1);
    script.forward.warm = 1000;
    assert_int_equal(walked_after(script), 0);
    assert_int_equal(walked_after((script_t){.keep_every = 2}), 1);
}

typedef struct {
    uint64_t reports, stop_at; /* of walks; 0: never */
} watcher_t;

static bool watch(void *ctx, const gpu_progress_t *p)
{
    watcher_t *w = ctx;
    w->reports += p->touching && p->launch_id == 15;
    return w->reports != w->stop_at || w->stop_at == 0;
}

static void a_walk_reports_progress_and_can_be_stopped(void **state)
{
    (void)state;
    const gpu_spec_t spec = walk_lab_chip();
    static const uint64_t ids[] = {15};
    const run_plan_t plan = {.first = 1, .launch_ids = ids, .n_launch_ids = 1, .last = 15};
    trace_source_t *source = walk_lab_kmeans();
    for (uint64_t stop_at = 0; stop_at < 2; stop_at++) {
        watcher_t w = {.stop_at = stop_at};
        rb_err_t err = {0};
        const gpu_callbacks_t callbacks = {.ctx = &w, .progress = watch};
        gpu_t *g = gpu_create(&spec, 1, 0);
        assert_int_equal(gpu_run(g, source, &plan, &callbacks, &err),
                         stop_at > 0 ? RB_STOPPED : RB_OK);
        assert_true(stop_at > 0 ? w.reports == 1 : w.reports > 1);
        gpu_destroy(g);
    }
    source->ops->destroy(source);
}

static rb_code_t no_counts(trace_source_t *s, uint64_t id, launch_counts_t *out, rb_err_t *err)
{
    (void)s;
    (void)id;
    (void)out;
    return rb_fail(err, RB_TRACE, "not asked for");
}

static void only_sampled_launches_of_an_indexed_trace_are_warmed_by_default(void **state)
{
    (void)state;
    gpu_spec_t spec = walk_lab_chip();
    trace_source_t *source = walk_lab_kmeans();
    spec.warmup.mode = WARMUP_AUTO;
    trace_source_ops_t indexed = *source->ops;
    const trace_source_ops_t *plain = source->ops;
    indexed.launch_counts = no_counts;
    assert_int_equal(gpu_warmup_mode(&spec, true, source), WARMUP_KEEP);
    source->ops = &indexed;
    assert_int_equal(gpu_warmup_mode(&spec, true, source), WARMUP_FUNCTIONAL);
    assert_int_equal(gpu_warmup_mode(&spec, false, source), WARMUP_KEEP);
    spec.warmup.mode = WARMUP_FLUSH;
    assert_int_equal(gpu_warmup_mode(&spec, true, source), WARMUP_FLUSH);
    source->ops = plain;
    source->ops->destroy(source);
}

/* Launches that bring nothing new end the walk, but not before a kernel that none of them runs. */
static void a_kernel_that_ran_long_ago_is_walked(void **state)
{
    enum { BETWEEN = 60, LINES = 512 };
    const gpu_spec_t spec = walk_lab_chip();
    const walk_lab_line_t large = {UINT64_C(1) << 40, 0}, small = {UINT64_C(1) << 41, 0};
    (void)state;
    synth_t *s = synth_create();
    walk_lab_add_lines(s, "large", &large, LINES);
    for (unsigned i = 0; i < BETWEEN; i++)
        walk_lab_add_lines(s, "small", &small, 1);
    gpu_t *g = gpu_create(&spec, 1, 0);
    const launch_touched_t t = walk_lab_to(g, synth_source(s), BETWEEN + 1);
    uint64_t held = 0;
    for (uint32_t i = 0; i < g->map.slices; i++)
        held +=
            cache_count(partition_l2_tags(g->partition[i / g->map.slices_per_partition], i).cache);
    assert_true(t.launches < BETWEEN / 2);
    assert_true(held > LINES);
    gpu_destroy(g);
    synth_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_walked_if_nothing_is_skipped),
        cmocka_unit_test(only_launches_since_the_last_simulated_one_are_walked),
        cmocka_unit_test(a_launch_that_leaves_what_time_decides_is_simulated),
        cmocka_unit_test(only_launches_that_time_decides_and_are_not_too_long_are_simulated),
        cmocka_unit_test(more_launches_are_walked_only_while_they_matter),
        cmocka_unit_test(a_launch_that_was_cut_short_is_walked),
        cmocka_unit_test(a_walk_reports_progress_and_can_be_stopped),
        cmocka_unit_test(only_sampled_launches_of_an_indexed_trace_are_warmed_by_default),
        cmocka_unit_test(a_kernel_that_ran_long_ago_is_walked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
