/*
 * Laws of the block scheduler: when the first block starts, how long a slot stays empty between two
 * blocks, when a launch ends, and in what order blocks are dispatched.
 */
#include <stdio.h>

#include "tests/support/sim/lab.h"

#define QUIET "icache.perfect=true", "const.perfect=true", "sched.order=linear"

enum { WARP = 32 };

/* A warp that does nothing but end occupies its issue slot for one cycle. */
enum { EXIT_CYCLES = 1 };

static uint64_t overhead(const gpu_spec_t *s)
{
    return s->sched.dispatch_latency + s->sm.sm.block_start_latency + s->sched.completion_latency;
}

/* Blocks of 1024 threads, so that two fill an SM of 64 warps, executing n chained FADD and EXIT. */
typedef struct {
    unsigned n;
} chain_t;

static void chain_body(synth_warp_t *w, const void *ctx)
{
    synth_emit_span(w, 0, ((const chain_t *)ctx)->n + 1);
}

static launch_result_t run_chain(const gpu_spec_t *spec, uint32_t blocks, uint32_t threads,
                                 uint32_t regs, unsigned n)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "chain",
        &(synth_shape_t){
            .arch = spec->gpu.arch, .grid = {blocks}, .block = {threads}, .regs = regs});
    chain_t c = {n};

    for (unsigned i = 0; i < n; i++)
        synth_code(k, "FADD", "R1", "R1 R2");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, chain_body, &c);
    return lab_run_one(spec, s);
}

/* n dependent FADD end with the issue of the last one; EXIT takes the next cycle. */
static uint64_t chain_cycles(const gpu_spec_t *s, unsigned n)
{
    return n == 0 ? EXIT_CYCLES : (uint64_t)(n - 1) * s->sm.lat.fp32 + 1 + EXIT_CYCLES;
}

static void a_launch_takes_launch_dispatch_start_work_and_completion(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", QUIET);
    gpu_spec_t odd = LAB_SPEC("t4", QUIET, "gpu.launch_latency=1234", "sched.dispatch_latency=77",
                              "sched.completion_latency=91", "sm.block_start_latency=23");

    (void)state;
    for (unsigned n = 0; n < 20; n += 5) {
        launch_result_t r = run_chain(&spec, 1, WARP, 16, n);
        launch_result_t o = run_chain(&odd, 1, WARP, 16, n);

        assert_int_equal(r.launch_cycles, spec.gpu.launch_latency);
        assert_int_equal(launch_result_cycles(&r),
                         spec.gpu.launch_latency + overhead(&spec) + chain_cycles(&spec, n));
        assert_int_equal(launch_result_cycles(&o),
                         odd.gpu.launch_latency + overhead(&odd) + chain_cycles(&odd, n));
    }
}

/* One block fits at a time (by registers): each further block adds its work and the refill time. */
static void a_slot_is_refilled_after_completion_dispatch_and_start(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", QUIET, "sm.count=1");
    const uint32_t regs = 255, threads = 4 * WARP * 2; /* 8 warps of 8192 registers */
    const unsigned n = 10;

    (void)state;
    launch_result_t one = run_chain(&spec, 1, threads, regs, n);
    assert_int_equal(one.occupancy.blocks_per_sm, 1);
    /* Two warps share a sub-core; by symmetry every block takes as long as the first. */
    uint64_t work = launch_result_cycles(&one) - spec.gpu.launch_latency - overhead(&spec);
    for (uint32_t blocks = 2; blocks <= 9; blocks++) {
        launch_result_t r = run_chain(&spec, blocks, threads, regs, n);

        assert_int_equal(launch_result_cycles(&r),
                         spec.gpu.launch_latency + blocks * (work + overhead(&spec)));
    }
}

/* The scheduler sends one block every dispatch_interval cycles. */
static void blocks_are_dispatched_at_the_rate_of_the_scheduler(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", QUIET, "sched.dispatch_interval=7");
    gpu_spec_t fast = LAB_SPEC("v100", QUIET);
    uint32_t count = spec.sm.sm.count;
    launch_result_t slow = run_chain(&spec, count, WARP, 16, 0);
    launch_result_t quick = run_chain(&fast, count, WARP, 16, 0);

    (void)state;
    assert_int_equal(launch_result_cycles(&slow),
                     spec.gpu.launch_latency +
                         (uint64_t)(count - 1) * spec.sched.dispatch_interval + overhead(&spec) +
                         EXIT_CYCLES);
    assert_int_equal(launch_result_cycles(&quick),
                     fast.gpu.launch_latency +
                         (uint64_t)(count - 1) * fast.sched.dispatch_interval + overhead(&fast) +
                         EXIT_CYCLES);
}

/* k full waves take k times the time of one, plus refills. */
static void waves_follow_each_other_with_one_refill_in_between(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", QUIET, "sm.count=4");
    const uint32_t regs = 255, threads = 8 * WARP;
    const unsigned n = 100;
    uint64_t first = 0;

    (void)state;
    for (uint32_t waves = 1; waves <= 3; waves++) {
        launch_result_t r = run_chain(&spec, waves * spec.sm.sm.count, threads, regs, n);
        uint64_t cycles = launch_result_cycles(&r) - spec.gpu.launch_latency;
        /* The last SM begins later by this time, in the first wave; then the SMs are
         * independent. */
        uint64_t ramp = (spec.sm.sm.count - 1) * spec.sched.dispatch_interval;

        if (waves == 1)
            first = cycles - ramp;
        assert_int_equal(cycles, waves * first + ramp);
    }
}

static void store_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    synth_emit_affine(w, 0, 1, 0x7f0000000000, 0);
    synth_emit(w, 1, 1);
}

/* A launch with a store ends when the store is acknowledged. */
static void a_launch_ends_when_its_stores_are_acknowledged(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", QUIET, "mem.partitions=1", "l2.slices=1", "l2.size=1536KiB",
                               "sm.count=1", "tlb.perfect=true");
    const uint64_t round_trip = spec.sm.sm.mem_issue_latency + spec.sm.l1.miss_latency +
                                spec.mem.icnt.request_latency + spec.mem.l2.latency +
                                spec.mem.icnt.reply_latency;
    synth_t *s = synth_create();
    synth_kernel_t *k =
        synth_kernel_create(s, "store", &(synth_shape_t){.grid = {1}, .block = {1}});

    (void)state;
    synth_code(k, "STG.E.SYS", "", "R2 R4");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, store_body, NULL);
    launch_result_t r = lab_run_one(&spec, s);
    assert_int_equal(launch_result_cycles(&r),
                     spec.gpu.launch_latency + overhead(&spec) + round_trip);
}

static uint64_t blocks_of_a_store(uint32_t blocks, uint32_t latency)
{
    char reply[40];
    snprintf(reply, sizeof(reply), "icnt.reply_latency=%u", latency);
    gpu_spec_t spec = LAB_SPEC("v100", QUIET, "sm.count=1", "sm.max_blocks=1", "tlb.perfect=true",
                               "dram.perfect=true", "icnt.buffer=4096", reply);
    synth_t *s = synth_create();
    synth_kernel_t *k =
        synth_kernel_create(s, "store", &(synth_shape_t){.grid = {blocks}, .block = {1}});

    synth_code(k, "STG.E.SYS", "", "R2 R4");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, store_body, NULL);
    launch_result_t r = lab_run_one(&spec, s);
    return launch_result_cycles(&r);
}

/* A slower acknowledgement delays the end of the launch by its own time only, whatever the
 * number of blocks before. */
static void the_next_block_does_not_wait_for_the_stores_of_the_last(void **state)
{
    (void)state;
    enum { LATER = 500 };
    for (uint32_t blocks = 1; blocks <= 8; blocks *= 2)
        assert_int_equal(blocks_of_a_store(blocks, 60 + LATER),
                         blocks_of_a_store(blocks, 60) + LATER);
}

/* Launches do not overlap, and a launch is not affected by the previous one. */
static void the_next_launch_begins_after_the_last_one_has_ended(void **state)
{
    static lab_results_t r;
    gpu_spec_t spec = LAB_SPEC("v100", QUIET);
    synth_t *s = synth_create();
    chain_t c = {3};

    (void)state;
    for (int i = 0; i < 4; i++) {
        synth_kernel_t *k =
            synth_kernel_create(s, "again", &(synth_shape_t){.grid = {10}, .block = {64}});

        for (unsigned n = 0; n < c.n; n++)
            synth_code(k, "FADD", "R1", "R1 R2");
        synth_code(k, "EXIT", "", "");
        synth_kernel_body(k, chain_body, &c);
    }
    lab_run(&spec, synth_source(s), 1, 0, &r);
    synth_destroy(s);
    assert_int_equal(r.n, 4);
    for (size_t i = 1; i < r.n; i++) {
        assert_true(r.launch[i].start >= r.launch[i - 1].end);
        assert_int_equal(launch_result_cycles(&r.launch[i]), launch_result_cycles(&r.launch[0]));
    }
}

/* The number of resident blocks is that of the occupancy calculation: the next block waits for a
 * slot. */
static void no_more_blocks_are_resident_than_occupancy_allows(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", QUIET, "sm.count=1", "sched.dispatch_interval=1");
    const unsigned n = 200;
    /* 8192 registers per warp: two blocks, which keep a pipe just busy. */
    const uint32_t regs = 255, threads = spec.sm.sm.sub_cores * WARP;
    launch_result_t probe = run_chain(&spec, 1, threads, regs, n);
    uint32_t fit = probe.occupancy.blocks_per_sm;
    launch_result_t full = run_chain(&spec, fit, threads, regs, n);
    launch_result_t more = run_chain(&spec, fit + 1, threads, regs, n);

    (void)state;
    assert_int_equal(fit, 2);
    /* The work of up to fit blocks overlaps; the next block starts after the first has ended. */
    assert_true(launch_result_cycles(&full) <
                launch_result_cycles(&probe) + chain_cycles(&spec, n));
    assert_true(launch_result_cycles(&more) >=
                launch_result_cycles(&probe) + overhead(&spec) + chain_cycles(&spec, n));
}

/* Warp 0 of each block executes the chain; the other three wait for it, so their slots stay taken. */
static void first_warp_body(synth_warp_t *w, const void *ctx)
{
    unsigned n = ((const chain_t *)ctx)->n;

    if (w->warp == 0)
        synth_emit_span(w, 0, n);
    synth_emit_span(w, n, 2);
}

static uint64_t first_warps(const gpu_spec_t *spec, uint32_t blocks, unsigned n)
{
    synth_t *s = synth_create();
    synth_shape_t shape = {.arch = spec->gpu.arch, .grid = {blocks}, .block = {4 * WARP}};
    synth_kernel_t *k = synth_kernel_create(s, "first warps", &shape);
    chain_t c = {n};

    for (unsigned i = 0; i < n; i++)
        synth_code(k, "FADD", "R1", "R1 R2");
    synth_code(k, "BAR.SYNC", "", "");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, first_warp_body, &c);
    launch_result_t r = lab_run_one(spec, s);
    return launch_result_cycles(&r);
}

/* Twelve busy warps share the FMA pipes of four sub-cores, or of one. */
static void blocks_begin_at_the_sub_cores_in_turn(void **state)
{
    enum { BLOCKS = 12, STEPS = 2000 };
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1", QUIET);

    (void)state;
    for (unsigned rotate = 0; rotate <= 1; rotate++) {
        spec.sm.sm.rotate_blocks = rotate;
        uint64_t cycles = first_warps(&spec, BLOCKS, 2 * STEPS) - first_warps(&spec, BLOCKS, STEPS);
        uint32_t warps = rotate ? BLOCKS / spec.sm.sm.sub_cores : BLOCKS;

        lab_assert_near((double)cycles,
                        (double)STEPS * warps * WARP / (double)spec.sm.sm.fp32_lanes, 0.01,
                        "cycles of the busiest FMA pipe");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_takes_launch_dispatch_start_work_and_completion),
        cmocka_unit_test(a_slot_is_refilled_after_completion_dispatch_and_start),
        cmocka_unit_test(blocks_are_dispatched_at_the_rate_of_the_scheduler),
        cmocka_unit_test(waves_follow_each_other_with_one_refill_in_between),
        cmocka_unit_test(a_launch_ends_when_its_stores_are_acknowledged),
        cmocka_unit_test(the_next_block_does_not_wait_for_the_stores_of_the_last),
        cmocka_unit_test(the_next_launch_begins_after_the_last_one_has_ended),
        cmocka_unit_test(no_more_blocks_are_resident_than_occupancy_allows),
        cmocka_unit_test(blocks_begin_at_the_sub_cores_in_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
