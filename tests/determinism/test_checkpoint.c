/*
 * A chip that was loaded from a checkpoint between two launches continues exactly like the one that
 * was saved, for every replacement policy, warp scheduler and prefetcher of the lists.
 */
#include <stdio.h>
#include <string.h>

#include "sim/gpu/gpu_internal.h"
#include "sim/parts/cache/replacement.h"
#include "sim/sm/memory/prefetcher.h"
#include "sim/sm/subcore/scheduler/scheduler.h"
#include "tests/support/mix.h"
#include "tests/support/sim/lab.h"

typedef struct {
    gpu_t *gpu;
    uint64_t save_after; /* launch; 0: never */
    FILE *image;
    lab_results_t results;
} keeper_t;

static rb_code_t keep(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    keeper_t *k = ctx;
    k->results.launch[k->results.n++] = *r;
    return k->results.n == k->save_after ? gpu_save(k->gpu, k->image, err) : RB_OK;
}

static void run_from(keeper_t *k, trace_source_t *source, uint64_t first)
{
    const run_plan_t plan = {.first = first};
    const gpu_callbacks_t callbacks = {.ctx = k, .launch_done = keep};
    rb_err_t err = {0};
    if (gpu_run(k->gpu, source, &plan, &callbacks, &err) != RB_OK)
        fail_msg("%s", err.text);
}

/* Runs all launches, and those after the second again from a checkpoint. */
static void goes_on_the_same(const gpu_spec_t *spec, const char *what)
{
    static keeper_t whole, rest;
    rb_err_t err = {0};
    synth_t *s = mix_create(4);
    memset(&whole, 0, sizeof(whole));
    memset(&rest, 0, sizeof(rest));
    whole.gpu = gpu_create(spec, 1, 0);
    whole.save_after = 2;
    whole.image = tmpfile();
    run_from(&whole, synth_source(s), 1);
    rewind(whole.image);
    rest.gpu = gpu_create(spec, 1, 0);
    assert_int_equal(gpu_load(rest.gpu, whole.image, whole.results.launch[1].end, &err), RB_OK);
    run_from(&rest, synth_source(s), 3);
    assert_true(rest.results.n > 0);
    assert_int_equal(rest.results.n + 2, whole.results.n);
    for (size_t i = 0; i < rest.results.n; i++) {
        const launch_result_t *a = &whole.results.launch[i + 2], *b = &rest.results.launch[i];
        lab_assert_equal((double)launch_result_cycles(a), (double)launch_result_cycles(b), what);
        assert_memory_equal(&a->sm, &b->sm, sizeof(a->sm));
        assert_memory_equal(&a->l2, &b->l2, sizeof(a->l2));
        assert_memory_equal(&a->dram, &b->dram, sizeof(a->dram));
    }
    fclose(whole.image);
    gpu_destroy(whole.gpu);
    gpu_destroy(rest.gpu);
    synth_destroy(s);
}

static void with_each_replacement_policy(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < REPLACEMENT_COUNT; p++) {
        gpu_spec_t spec = LAB_SPEC(
            "v100", "sm.count=4", "mem.partitions=2", "l2.slices=2", "l2.size=16KiB", "l2.ways=8",
            "tlb.l2_entries=4", "tlb.entries=1", "icache.l0_size=512", "icache.l0_ways=4",
            "icache.l1_size=1KiB", "icache.l1_ways=8", "const.l1_size=256", "const.l15_size=1KiB");
        spec.mem.l2.replacement = spec.sm.l1.replacement = spec.sm.tlb.replacement = p;
        spec.sm.icache.replacement = spec.sm.constant.replacement = p;
        goes_on_the_same(&spec, replacement_choices[p].name);
    }
}

static void with_each_scheduler(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < SCHEDULER_COUNT; p++) {
        gpu_spec_t spec = LAB_SPEC("v100", "sm.count=4", "sm.scheduler_group=2");
        spec.sm.sm.scheduler = p;
        goes_on_the_same(&spec, scheduler_choices[p].name);
    }
}

static void with_each_prefetcher(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < PREFETCHER_COUNT; p++) {
        gpu_spec_t spec = LAB_SPEC("v100", "sm.count=4");
        spec.sm.l1.prefetcher = p;
        goes_on_the_same(&spec, prefetcher_choices[p].name);
    }
}

/* The pause after a launch's last dispatch may last into the next launch. */
static void with_a_pause_between_dispatches(void **state)
{
    (void)state;
    gpu_spec_t spec =
        LAB_SPEC("v100", "sm.count=4", "gpu.launch_latency=100", "sched.dispatch_interval=9000");
    goes_on_the_same(&spec, "a pause between dispatches");
}

/* A sender without credits would never send again. */
static void a_lost_credit_is_refused(void **state)
{
    (void)state;
    static keeper_t k;
    rb_err_t err = {0};
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=2", "mem.partitions=2", "l2.slices=4");
    synth_t *s = mix_create(1);
    memset(&k, 0, sizeof(k));
    k.gpu = gpu_create(&spec, 1, 0);
    run_from(&k, synth_source(s), 1);
    for (uint32_t slice = 0; slice < 4; slice++) {
        const partition_t *p = k.gpu->partition[slice / 2];
        xbar_dest_t *there = &sm_sends(k.gpu->sm[1])->dest[slice];
        xbar_dest_t *back = &partition_sends(p, slice % 2)->dest[1];
        for (unsigned i = 0; i < 3; i++) {
            there->credits -= i == 0;
            back->credits -= i == 1;
            FILE *image = tmpfile();
            gpu_t *again = gpu_create(&spec, 1, 0);
            assert_int_equal(gpu_save(k.gpu, image, &err), RB_OK);
            rewind(image);
            assert_int_equal(gpu_load(again, image, 0, &err), i == 2 ? RB_OK : RB_TRACE);
            there->credits += i == 0;
            back->credits += i == 1;
            gpu_destroy(again);
            fclose(image);
        }
    }
    gpu_destroy(k.gpu);
    synth_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lost_credit_is_refused),
        cmocka_unit_test(with_each_replacement_policy),
        cmocka_unit_test(with_each_scheduler),
        cmocka_unit_test(with_each_prefetcher),
        cmocka_unit_test(with_a_pause_between_dispatches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
