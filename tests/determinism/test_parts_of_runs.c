/*
 * Intervals of launches sum to the launches, in every counter; they, and runs that end in the midst of a
 * launch, do not depend on threads and windows.
 */
#include <string.h>

#include "sim/gpu/gpu_counters.h"
#include "tests/support/mix.h"
#include "tests/support/sim/lab.h"

typedef struct {
    sha256_t h;
    gpu_counters_t sum; /* of the intervals of the launch that runs */
    cycle_t end;        /* of the last of them */
    uint64_t launches, intervals, cycles, insts, copied;
    bool part;
} seen_t;

static void add(gpu_counters_t *to, const sm_stats_t *sm, const l2_stats_t *l2,
                const dram_stats_t *dram)
{
    const gpu_counters_t part = {*sm, *l2, *dram};
    stats_add((uint64_t *)to, (const uint64_t *)&part, GPU_COUNTERS);
}

static rb_code_t on_interval(void *ctx, const interval_result_t *r, rb_err_t *err)
{
    seen_t *seen = ctx;
    (void)err;
    assert_int_equal(r->start, seen->end);
    assert_true(r->end > r->start);
    seen->end = r->end;
    seen->intervals++;
    add(&seen->sum, &r->sm, &r->l2, &r->dram);
    sha256_update(&seen->h, r, sizeof(*r));
    return RB_OK;
}

static rb_code_t on_launch(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    seen_t *seen = ctx;
    gpu_counters_t whole = {0};
    (void)err;
    add(&whole, &r->sm, &r->l2, &r->dram);
    if (seen->intervals > 0) {
        assert_int_equal(seen->end, r->end - r->start);
        assert_memory_equal(&seen->sum, &whole, sizeof(whole));
    }
    sha256_update(&seen->h, &whole, sizeof(whole));
    seen->sum = (gpu_counters_t){0};
    seen->end = 0;
    seen->launches++;
    seen->cycles += r->end - r->start;
    seen->insts += r->warp_insts;
    seen->copied += r->l2.memcpy_sectors;
    seen->part = r->part;
    return RB_OK;
}

static seen_t run(const run_plan_t *plan, int threads, cycle_t window, char hash[SHA256_TEXT])
{
    const gpu_spec_t spec = LAB_SPEC("v100", "sm.count=6", "mem.partitions=4", "l2.slices=8",
                                     "l2.size=768KiB", "gpu.launch_latency=700");
    seen_t seen = {0};
    const gpu_callbacks_t callbacks = {.ctx = &seen,
                                       .launch_done = on_launch,
                                       .interval = plan->stats_interval > 0 ? on_interval : NULL};
    rb_err_t err = {0};
    synth_t *s = mix_create(1);
    gpu_t *gpu = gpu_create(&spec, threads, window);
    sha256_init(&seen.h);
    if (gpu_run(gpu, synth_source(s), plan, &callbacks, &err) != RB_OK)
        fail_msg("%s", err.text);
    gpu_destroy(gpu);
    synth_destroy(s);
    sha256_final_text(&seen.h, hash);
    return seen;
}

/* The same results for any threads and windows. */
static seen_t check(const run_plan_t *plan)
{
    char want[SHA256_TEXT], got[SHA256_TEXT];
    const seen_t first = run(plan, 1, 0, want);
    for (int threads = 1; threads <= 3; threads++) {
        for (cycle_t window = 1; window <= 3; window += 2) {
            run(plan, threads, window, got);
            assert_string_equal(got, want);
        }
    }
    return first;
}

static void intervals_sum_to_the_launches(void **state)
{
    const uint64_t steps[] = {77, 777, 1000000};
    (void)state;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        const seen_t seen = check(&(run_plan_t){.first = 1, .stats_interval = steps[i]});
        assert_true(seen.intervals >= seen.launches && seen.copied > 0);
    }
}

static void a_run_ends_after_so_many_cycles(void **state)
{
    char hash[SHA256_TEXT];
    (void)state;
    const seen_t whole = run(&(run_plan_t){.first = 1}, 1, 0, hash);
    const run_plan_t plan = {
        .first = 1, .max_cycles = whole.cycles / 2 + 11, .stats_interval = 300};
    const seen_t seen = check(&plan);
    assert_int_equal(seen.cycles, plan.max_cycles);
    assert_true(seen.part && seen.insts < whole.insts);
    const run_plan_t more = {.first = 1, .max_cycles = whole.cycles + 1};
    assert_int_equal(run(&more, 1, 0, hash).cycles, whole.cycles);
}

static void a_run_ends_after_so_many_instructions(void **state)
{
    char hash[SHA256_TEXT];
    (void)state;
    const seen_t whole = run(&(run_plan_t){.first = 1}, 1, 0, hash);
    const run_plan_t plan = {.first = 1, .max_insts = whole.insts / 2};
    const seen_t seen = check(&plan);
    assert_true(seen.insts >= plan.max_insts && seen.insts < whole.insts);
    assert_true(seen.cycles < whole.cycles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_sum_to_the_launches),
        cmocka_unit_test(a_run_ends_after_so_many_cycles),
        cmocka_unit_test(a_run_ends_after_so_many_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
