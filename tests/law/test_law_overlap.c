/*
 * Laws of launches that overlap: what is independent runs at the same time, what is not does not,
 * blocks are dispatched in the order of the queue, copies take their bandwidth, and nothing depends on
 * threads or windows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/sim/overlap_lab.h"

#define QUIET   "icache.perfect=true", "const.perfect=true", "warmup.mode=keep"
#define OVERLAP QUIET, "gpu.concurrent_launches=128"

enum { SMS = 8 };

static uint64_t cycles(const stream_op_time_t *t)
{
    return t->end - t->start;
}

static told_t told, other;

/* The time of one launch that runs alone. */
static uint64_t alone(const gpu_spec_t *spec, uint32_t blocks, uint32_t threads, unsigned n)
{
    program_t p;
    program_begin(&p);
    program_chain(&p, 1, blocks, threads, n, 0);
    program_run(spec, &p, &told);
    program_end(&p);
    return cycles(&told.time[0]);
}

/* A launch alone takes exactly as long as in the other loop, with the same counters. */
static void a_launch_alone_is_as_without_overlap(void **state)
{
    (void)state;
    gpu_spec_t on = LAB_SPEC("v100", OVERLAP, "sm.count=8"),
               off = LAB_SPEC("v100", QUIET, "sm.count=8");
    program_t p;
    program_begin(&p);
    program_chain(&p, 1, 100, 256, 50, 0);
    program_run(&on, &p, &told);
    lab_run(&off, synth_source(p.s), 1, 0, &other.results);
    const launch_result_t *a = &told.results.launch[0], *b = &other.results.launch[0];
    assert_int_equal(told.results.n, 1);
    assert_int_equal(launch_result_cycles(a), launch_result_cycles(b));
    assert_int_equal(a->warp_slot_cycles, b->warp_slot_cycles);
    assert_int_equal(a->thread_insts, b->thread_insts);
    assert_memory_equal(&a->sm, &b->sm, sizeof(a->sm));
    assert_memory_equal(&a->l2, &b->l2, sizeof(a->l2));
    assert_memory_equal(&a->dram, &b->dram, sizeof(a->dram));
    assert_int_equal(told.time[0].alone, launch_result_cycles(a));
    program_end(&p);
}

/* Two independent launches, each of which fills half of the SMs, take the time of one. */
static void halves_run_at_the_same_time(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=8");
    const uint32_t all_shared = 96 << 10; /* a block has an SM for itself */
    program_t p;
    program_begin(&p);
    program_chain(&p, 1, SMS / 2, 1024, 2000, all_shared);
    program_run(&spec, &p, &told);
    const uint64_t one = cycles(&told.time[0]);
    program_chain(&p, 2, SMS / 2, 1024, 2000, all_shared);
    program_run(&spec, &p, &told);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(told.time[i].start, 0);
    assert_int_equal(cycles(&told.time[0]), one);
    /* its blocks are dispatched behind those of the first, one a cycle */
    assert_int_equal(cycles(&told.time[1]), one + SMS / 2);
    assert_int_equal(told.time[0].alone, 0);
    assert_int_equal(told.time[1].alone, SMS / 2);
    program_end(&p);
    program_begin(&p); /* in one stream: one after the other */
    program_chain(&p, 1, SMS / 2, 1024, 2000, all_shared);
    program_chain(&p, 1, SMS / 2, 1024, 2000, all_shared);
    program_run(&spec, &p, &told);
    assert_int_equal(told.time[1].start, told.time[0].end);
    program_end(&p);
}

static void launches_of_one_stream_never_overlap(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=8", "gpu.launch_gap=700");
    program_t p;
    program_begin(&p);
    for (unsigned i = 0; i < 6; i++)
        program_chain(&p, 1 + i % 2, 4, 128, 100 + 10 * i, 0);
    program_run(&spec, &p, &told);
    for (unsigned i = 2; i < 6; i++) {
        assert_int_equal(told.time[i].start, told.time[i - 2].end);
        assert_int_equal(told.time[i].ready, told.time[i - 2].end);
    }
    program_end(&p);
    program_begin(&p); /* from the end of a launch to the first block of the next one */
    program_chain(&p, 1, 4, 128, 100, 0);
    program_chain(&p, 1, 4, 128, 100, 0);
    stream_builder_host_all(&p.b);
    program_chain(&p, 1, 4, 128, 100, 0);
    program_run(&spec, &p, &told);
    assert_int_equal(told.results.launch[0].launch_cycles, spec.gpu.launch_latency);
    assert_int_equal(told.results.launch[1].launch_cycles, spec.gpu.launch_gap);
    assert_int_equal(told.results.launch[2].launch_cycles, spec.gpu.launch_latency);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(launch_result_cycles(&told.results.launch[i]) -
                             told.results.launch[i].launch_cycles,
                         launch_result_cycles(&told.results.launch[0]) - spec.gpu.launch_latency);
    program_end(&p);
}

/* The first launch takes all that fits; the second gets what is left over when the first has no more
 * blocks to dispatch, although its small blocks would fit before. */
static void later_launches_get_what_is_left_over(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=1");
    program_t p;
    program_begin(&p);
    /* 48 of 64 warps: one block at a time; three blocks */
    program_chain(&p, 1, 3, 768, 1000, 40 << 10);
    program_chain(&p, 2, 1, 64, 10, 0);
    program_run(&spec, &p, &told);
    const uint64_t block = 1000 * spec.sm.lat.fp32;
    assert_true(told.time[1].end > spec.gpu.launch_latency + block);
    assert_true(told.time[1].end < told.time[0].end);
    program_end(&p);
}

static void priorities_come_first(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=1");
    program_t p;
    program_begin(&p);
    stream_builder_stream(&p.b, 3)->priority = -1;
    program_chain(&p, 1, 6, 1024, 500, 0);
    program_chain(&p, 2, 2, 1024, 500, 0);
    program_chain(&p, 3, 2, 1024, 500, 0);
    program_run(&spec, &p, &told);
    assert_true(told.time[2].end < told.time[0].end);
    assert_true(told.time[0].end <= told.time[1].end);
    program_end(&p);
}

static void as_many_launches_as_configured_are_resident(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", QUIET, "sm.count=8", "gpu.concurrent_launches=2");
    program_t p;
    program_begin(&p);
    for (unsigned i = 0; i < 6; i++)
        program_chain(&p, 1 + i, 1, 32, 300, 0);
    program_run(&spec, &p, &told);
    for (unsigned i = 0; i < 6; i++) {
        unsigned running = 0;
        for (unsigned k = 0; k < 6; k++)
            running +=
                told.time[k].start <= told.time[i].start && told.time[k].end > told.time[i].start;
        assert_in_range(running, 1, 2);
        assert_int_equal(told.time[i].ready, 0);
        /* Those that wait are admitted in the order of the program. */
        assert_true(i == 0 || told.time[i].start >= told.time[i - 1].start);
    }
    program_end(&p);
}

static void copies_take_their_bandwidth_and_overlap(void **state)
{
    (void)state;
    gpu_spec_t two = LAB_SPEC("v100", OVERLAP, "sm.count=8", "gpu.copy_latency=123",
                              "gpu.copy_bandwidth=10", "gpu.clock_mhz=1000");
    gpu_spec_t one = two;
    one.gpu.copy_engines = 1;
    const uint64_t bytes = 1000003, takes = 123 + (bytes + 9) / 10; /* 10 bytes per cycle */
    program_t p;
    program_begin(&p);
    program_copy(&p, 1, STREAM_OP_TO_DEVICE, bytes);
    program_copy(&p, 2, STREAM_OP_TO_DEVICE, bytes);
    program_copy(&p, 3, STREAM_OP_FROM_DEVICE, bytes);
    program_chain(&p, 4, 4, 64, 100, 0);
    program_run(&two, &p, &told);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(cycles(&told.time[i]), takes);
    assert_int_equal(told.time[0].start, 0);
    assert_int_equal(told.time[1].start, takes); /* one engine for each direction */
    assert_int_equal(told.time[2].start, 0);
    assert_int_equal(told.time[3].start, 0);
    program_run(&one, &p, &told);
    assert_int_equal(told.time[2].start, 2 * takes);
    program_end(&p);
}

/* simpleMultiCopy: copy in, compute, copy out in a pipeline of streams. */
static void a_pipeline_takes_the_time_of_its_slowest_stage(void **state)
{
    (void)state;
    enum { ROUNDS = 8, STREAMS = 3 };
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=8", "gpu.copy_latency=100",
                               "gpu.copy_bandwidth=10", "gpu.clock_mhz=1000");
    const uint64_t bytes = 1000000, takes = 100 + bytes / 10;
    program_t p;
    program_begin(&p);
    for (unsigned i = 0; i < ROUNDS; i++) {
        program_copy(&p, 1 + i % STREAMS, STREAM_OP_TO_DEVICE, bytes);
        program_chain(&p, 1 + i % STREAMS, 8, 64, 200, 0);
        program_copy(&p, 1 + i % STREAMS, STREAM_OP_FROM_DEVICE, bytes);
    }
    program_run(&spec, &p, &told);
    const uint64_t whole = told.time[told.n - 1].end, kernel = cycles(&told.time[1]);
    assert_in_range(whole, (ROUNDS + 1) * takes, (ROUNDS + 1) * takes + ROUNDS * kernel);
    assert_true(told.time[told.n - 1].critical);
    program_end(&p);
}

static void partitions_keep_streams_apart(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=8");
    const sm_share_t shares[] = {{1, 0, 3}, {2, 4, 7}};
    const run_plan_t plan = {.first = 1, .shares = shares, .n_shares = 2};
    gpu_spec_t half = LAB_SPEC("v100", OVERLAP, "sm.count=4");
    const uint64_t one = alone(&half, 64, 1024, 300);
    program_t p;
    rb_err_t err = {0};
    program_begin(&p);
    program_chain(&p, 1, 64, 1024, 300, 0);
    program_chain(&p, 2, 64, 1024, 300, 0);
    program_run_with(&spec, &p, &plan, 1, 0, &told);
    for (unsigned i = 0; i < 2; i++) /* one dispatch a cycle is shared, too */
        assert_in_range(cycles(&told.time[i]), one, one + 64);
    /* with an SM in common, the second waits for the first, although it has others free */
    const sm_share_t common[] = {{1, 0, 5}, {2, 5, 7}};
    program_run_with(&spec, &p, &(run_plan_t){.first = 1, .shares = common, .n_shares = 2}, 1, 0,
                     &told);
    assert_true(told.time[1].end > one + one * 3 / 4);
    const sm_share_t wrong[] = {{1, 4, 8}};
    assert_int_equal(program_try(&spec, &p,
                                 &(run_plan_t){.first = 1, .shares = wrong, .n_shares = 1}, 1, 0,
                                 &told, &err),
                     RB_USAGE);
    assert_non_null(strstr(err.text, "stream 1 is confined to SMs 4 to 8"));
    program_end(&p);
}

/* Blocks that need another carve-out wait until an SM is empty. */
static void a_carveout_changes_on_an_empty_sm(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=1");
    program_t p;
    program_begin(&p);
    program_chain(&p, 1, 1, 64, 2000, 0);
    program_chain(&p, 2, 1, 64, 100, 32 << 10);
    program_run(&spec, &p, &told);
    assert_true(told.time[1].end > told.time[0].end);
    program_end(&p);
    program_begin(&p);
    program_chain(&p, 1, 1, 64, 2000, 32 << 10);
    program_chain(&p, 2, 1, 64, 100, 0);
    program_run(&spec, &p, &told);
    assert_true(told.time[1].end < told.time[0].end);
    program_end(&p);
}

/* --- memory ---------------------------------------------------------------------------------- */

static void equal_launches_share_the_bandwidth_equally(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=8", "mem.partitions=2", "l2.slices=4",
                               "l2.size=384KiB");
    program_t p;
    program_begin(&p);
    program_streaming(&p, 1, 16, 64);
    program_streaming(&p, 2, 16, 64);
    program_run(&spec, &p, &told);
    const double a = (double)cycles(&told.time[0]), b = (double)cycles(&told.time[1]);
    lab_assert_near(a, b, 0.02, "cycles of two equal launches that are bound by the memory");
    program_end(&p);
    program_begin(&p);
    program_streaming(&p, 1, 16, 64);
    program_run(&spec, &p, &told);
    const double one = (double)(cycles(&told.time[0]) - spec.gpu.launch_latency);
    assert_true(a - spec.gpu.launch_latency > 1.5 * one); /* they do hinder each other */
    program_end(&p);
}

/* A program, or the part of it that remains without some of its launches; a copy separates two of them. */
static void three_streams(program_t *p, bool whole)
{
    program_begin(p);
    if (whole)
        program_chain(p, 3, 3, 64, 70, 0);
    program_chain(p, 1, 3, 64, 200, 0);
    program_chain(p, 2, 9, 64, 150, 0);
    if (whole)
        program_chain(p, 1, 40, 64, 900, 0);
    stream_builder_add(&p->b, 1, (stream_op_t){.kind = STREAM_OP_TO_DEVICE, .bytes = 5000});
    if (whole)
        program_chain(p, 2, 1, 64, 333, 0);
    program_chain(p, 2, 2, 64, 100, 0);
    program_chain(p, 1, 5, 64, 250, 0);
}

/* Launches that are left out take no time, and what waits for them does not wait. */
static void a_choice_of_launches_is_the_program_without_the_others(void **state)
{
    (void)state;
    static const uint64_t chosen[] = {2, 3, 6, 7};
    const run_plan_t plan = {.first = 1, .launch_ids = chosen, .n_launch_ids = 4};
    static told_t part;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=2");
    program_t p;
    three_streams(&p, false);
    program_run_with(&spec, &p, &(run_plan_t){.first = 1}, 1, 0, &part);
    program_end(&p);
    three_streams(&p, true);
    program_run_with(&spec, &p, &plan, 2, 9, &told);
    assert_int_equal(told.n, 8);
    assert_int_equal(told.results.n, 4);
    assert_int_equal(part.results.n, 4);
    for (size_t i = 0; i < 4; i++) {
        const launch_result_t *a = &told.results.launch[i], *b = &part.results.launch[i];
        assert_int_equal(a->info.id, chosen[b->info.id - 1]);
        assert_int_equal(a->start, b->start);
        assert_int_equal(a->end, b->end);
        assert_memory_equal(&a->sm, &b->sm, sizeof(a->sm));
        assert_memory_equal(&a->l2, &b->l2, sizeof(a->l2));
    }
    size_t ran = 0;
    for (size_t i = 0; i < told.n; i++)
        ran += told.time[i].ran;
    assert_int_equal(ran, 5); /* and the copy */
    program_end(&p);
}

/* One stream runs in the usual loop, whatever the setting. */
static void what_cannot_be_combined_is_named(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=2");
    program_t p;
    rb_err_t err = {0};
    program_begin(&p);
    program_chain(&p, 1, 1, 32, 10, 0);
    program_chain(&p, 2, 1, 32, 10, 0);
    assert_int_equal(
        program_try(&spec, &p, &(run_plan_t){.first = 1, .sampled = true}, 1, 0, &told, &err),
        RB_USAGE);
    assert_non_null(strstr(err.text, "gpu.concurrent_launches = 1"));
    assert_int_equal(program_try(&spec, &p, &(run_plan_t){.first = 2}, 1, 0, &told, &err),
                     RB_USAGE);
    program_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_alone_is_as_without_overlap),
        cmocka_unit_test(halves_run_at_the_same_time),
        cmocka_unit_test(launches_of_one_stream_never_overlap),
        cmocka_unit_test(later_launches_get_what_is_left_over),
        cmocka_unit_test(priorities_come_first),
        cmocka_unit_test(as_many_launches_as_configured_are_resident),
        cmocka_unit_test(copies_take_their_bandwidth_and_overlap),
        cmocka_unit_test(a_pipeline_takes_the_time_of_its_slowest_stage),
        cmocka_unit_test(partitions_keep_streams_apart),
        cmocka_unit_test(a_carveout_changes_on_an_empty_sm),
        cmocka_unit_test(equal_launches_share_the_bandwidth_equally),
        cmocka_unit_test(a_choice_of_launches_is_the_program_without_the_others),
        cmocka_unit_test(what_cannot_be_combined_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
