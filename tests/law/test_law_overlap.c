/*
 * Laws of launches that overlap: what is independent runs at the same time, what is not does not,
 * blocks are dispatched in the order of the queue, copies take their bandwidth, and nothing depends on
 * threads or windows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/order/stream_builder.h"
#include "tests/support/lab.h"

#define QUIET   "icache.perfect=true", "const.perfect=true", "warmup.mode=keep"
#define OVERLAP QUIET, "gpu.concurrent_launches=128"

enum { MAX_OPS = 256, SMS = 8 };

/* A program of launches of two kinds of kernels, in any order. */
typedef struct {
    synth_t *s;
    stream_builder_t b;
    uint64_t n;
} program_t;

/* What a run tells. */
typedef struct {
    lab_results_t results; /* in the order of their end */
    stream_op_time_t time[MAX_OPS];
    size_t n;
} told_t;

static void begin(program_t *p)
{
    p->s = synth_create();
    p->n = 0;
    stream_builder_init(&p->b);
}

typedef struct {
    unsigned n;
} chain_t;

static chain_t chains[MAX_OPS];

static void chain_body(synth_warp_t *w, const void *ctx)
{
    synth_emit_span(w, 0, ((const chain_t *)ctx)->n + 1);
}

/* A launch of blocks with n dependent additions. Returns its operation. */
static uint32_t chain(program_t *p, uint64_t stream, uint32_t blocks, uint32_t threads, unsigned n,
                      uint32_t shared)
{
    char name[32];
    snprintf(name, sizeof(name), "chain%u_%u_%u", threads, n, shared);
    synth_kernel_t *k = synth_kernel_create(p->s, name,
                                            &(synth_shape_t){.arch = 70,
                                                             .grid = {blocks},
                                                             .block = {threads},
                                                             .regs = 16,
                                                             .shared = shared,
                                                             .stream = stream});
    chains[p->n] = (chain_t){n};
    for (unsigned i = 0; i < n; i++)
        synth_code(k, "FADD", "R1", "R1 R2");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, chain_body, &chains[p->n]);
    return stream_builder_add(&p->b, stream,
                              (stream_op_t){.kind = STREAM_OP_LAUNCH, .launch = ++p->n});
}

static rb_code_t keep_result(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    told_t *t = ctx;
    (void)err;
    assert_true(t->results.n < LAB_MAX_LAUNCHES);
    t->results.launch[t->results.n++] = *r;
    return RB_OK;
}

static rb_code_t keep_times(void *ctx, const stream_graph_t *g, const stream_op_time_t *times,
                            const copy_counters_t *copies, rb_err_t *err)
{
    (void)copies;
    told_t *t = ctx;
    (void)err;
    assert_true(g->n <= MAX_OPS);
    t->n = g->n;
    memcpy(t->time, times, g->n * sizeof(*times));
    return RB_OK;
}

static rb_code_t try_run(const gpu_spec_t *spec, program_t *p, const run_plan_t *plan, int threads,
                         cycle_t window, told_t *out, rb_err_t *err)
{
    const gpu_callbacks_t callbacks = {
        .ctx = out, .launch_done = keep_result, .work_done = keep_times};
    gpu_t *g = gpu_create(spec, threads, window);
    memset(out, 0, sizeof(*out));
    synth_order(p->s, &p->b.graph);
    rb_code_t rc = gpu_run(g, synth_source(p->s), plan, &callbacks, err);
    gpu_destroy(g);
    return rc;
}

static void run_with(const gpu_spec_t *spec, program_t *p, const run_plan_t *plan, int threads,
                     cycle_t window, told_t *out)
{
    rb_err_t err = {0};
    if (try_run(spec, p, plan, threads, window, out, &err) != RB_OK)
        fail_msg("%s", err.text);
}

static void run(const gpu_spec_t *spec, program_t *p, told_t *out)
{
    run_with(spec, p, &(run_plan_t){.first = 1}, 1, 0, out);
}

static void end(program_t *p)
{
    synth_destroy(p->s);
    stream_builder_free(&p->b);
}

static uint64_t cycles(const stream_op_time_t *t)
{
    return t->end - t->start;
}

static told_t told, other;

/* The time of one launch that runs alone. */
static uint64_t alone(const gpu_spec_t *spec, uint32_t blocks, uint32_t threads, unsigned n)
{
    program_t p;
    begin(&p);
    chain(&p, 1, blocks, threads, n, 0);
    run(spec, &p, &told);
    end(&p);
    return cycles(&told.time[0]);
}

/* A launch alone takes exactly as long as in the other loop, with the same counters. */
static void a_launch_alone_is_as_without_overlap(void **state)
{
    (void)state;
    gpu_spec_t on = LAB_SPEC("v100", OVERLAP, "sm.count=8"),
               off = LAB_SPEC("v100", QUIET, "sm.count=8");
    program_t p;
    begin(&p);
    chain(&p, 1, 100, 256, 50, 0);
    run(&on, &p, &told);
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
    end(&p);
}

/* Two independent launches, each of which fills half of the SMs, take the time of one. */
static void halves_run_at_the_same_time(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=8");
    const uint32_t all_shared = 96 << 10; /* a block has an SM for itself */
    program_t p;
    begin(&p);
    chain(&p, 1, SMS / 2, 1024, 2000, all_shared);
    run(&spec, &p, &told);
    const uint64_t one = cycles(&told.time[0]);
    chain(&p, 2, SMS / 2, 1024, 2000, all_shared);
    run(&spec, &p, &told);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(told.time[i].start, 0);
    assert_int_equal(cycles(&told.time[0]), one);
    /* its blocks are dispatched behind those of the first, one a cycle */
    assert_int_equal(cycles(&told.time[1]), one + SMS / 2);
    assert_int_equal(told.time[0].alone, 0);
    assert_int_equal(told.time[1].alone, SMS / 2);
    end(&p);
    begin(&p); /* in one stream: one after the other */
    chain(&p, 1, SMS / 2, 1024, 2000, all_shared);
    chain(&p, 1, SMS / 2, 1024, 2000, all_shared);
    run(&spec, &p, &told);
    assert_int_equal(told.time[1].start, told.time[0].end);
    end(&p);
}

static void launches_of_one_stream_never_overlap(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=8", "gpu.launch_gap=700");
    program_t p;
    begin(&p);
    for (unsigned i = 0; i < 6; i++)
        chain(&p, 1 + i % 2, 4, 128, 100 + 10 * i, 0);
    run(&spec, &p, &told);
    for (unsigned i = 2; i < 6; i++) {
        assert_int_equal(told.time[i].start, told.time[i - 2].end);
        assert_int_equal(told.time[i].ready, told.time[i - 2].end);
    }
    end(&p);
    begin(&p); /* from the end of a launch to the first block of the next one */
    chain(&p, 1, 4, 128, 100, 0);
    chain(&p, 1, 4, 128, 100, 0);
    stream_builder_host_all(&p.b);
    chain(&p, 1, 4, 128, 100, 0);
    run(&spec, &p, &told);
    assert_int_equal(told.results.launch[0].launch_cycles, spec.gpu.launch_latency);
    assert_int_equal(told.results.launch[1].launch_cycles, spec.gpu.launch_gap);
    assert_int_equal(told.results.launch[2].launch_cycles, spec.gpu.launch_latency);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(launch_result_cycles(&told.results.launch[i]) -
                             told.results.launch[i].launch_cycles,
                         launch_result_cycles(&told.results.launch[0]) - spec.gpu.launch_latency);
    end(&p);
}

/* The first launch takes all that fits; the second gets what is left over when the first has no more
 * blocks to dispatch, although its small blocks would fit before. */
static void later_launches_get_what_is_left_over(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=1");
    program_t p;
    begin(&p);
    /* 48 of 64 warps: one block at a time; three blocks */
    chain(&p, 1, 3, 768, 1000, 40 << 10);
    chain(&p, 2, 1, 64, 10, 0);
    run(&spec, &p, &told);
    const uint64_t block = 1000 * spec.sm.lat.fp32;
    assert_true(told.time[1].end > spec.gpu.launch_latency + block);
    assert_true(told.time[1].end < told.time[0].end);
    end(&p);
}

static void priorities_come_first(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=1");
    program_t p;
    begin(&p);
    stream_builder_stream(&p.b, 3)->priority = -1;
    chain(&p, 1, 6, 1024, 500, 0);
    chain(&p, 2, 2, 1024, 500, 0);
    chain(&p, 3, 2, 1024, 500, 0);
    run(&spec, &p, &told);
    assert_true(told.time[2].end < told.time[0].end);
    assert_true(told.time[0].end <= told.time[1].end);
    end(&p);
}

static void as_many_launches_as_configured_are_resident(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", QUIET, "sm.count=8", "gpu.concurrent_launches=2");
    program_t p;
    begin(&p);
    for (unsigned i = 0; i < 6; i++)
        chain(&p, 1 + i, 1, 32, 300, 0);
    run(&spec, &p, &told);
    for (unsigned i = 0; i < 6; i++) {
        unsigned running = 0;
        for (unsigned k = 0; k < 6; k++)
            running +=
                told.time[k].start <= told.time[i].start && told.time[k].end > told.time[i].start;
        assert_in_range(running, 1, 2);
        assert_int_equal(told.time[i].ready, 0);
    }
    end(&p);
}

static uint32_t copy(program_t *p, uint64_t stream, stream_op_kind_t kind, uint64_t bytes)
{
    return stream_builder_add(&p->b, stream, (stream_op_t){.kind = (uint8_t)kind, .bytes = bytes});
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
    begin(&p);
    copy(&p, 1, STREAM_OP_TO_DEVICE, bytes);
    copy(&p, 2, STREAM_OP_TO_DEVICE, bytes);
    copy(&p, 3, STREAM_OP_FROM_DEVICE, bytes);
    chain(&p, 4, 4, 64, 100, 0);
    run(&two, &p, &told);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(cycles(&told.time[i]), takes);
    assert_int_equal(told.time[0].start, 0);
    assert_int_equal(told.time[1].start, takes); /* one engine for each direction */
    assert_int_equal(told.time[2].start, 0);
    assert_int_equal(told.time[3].start, 0);
    run(&one, &p, &told);
    assert_int_equal(told.time[2].start, 2 * takes);
    end(&p);
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
    begin(&p);
    for (unsigned i = 0; i < ROUNDS; i++) {
        copy(&p, 1 + i % STREAMS, STREAM_OP_TO_DEVICE, bytes);
        chain(&p, 1 + i % STREAMS, 8, 64, 200, 0);
        copy(&p, 1 + i % STREAMS, STREAM_OP_FROM_DEVICE, bytes);
    }
    run(&spec, &p, &told);
    const uint64_t whole = told.time[told.n - 1].end, kernel = cycles(&told.time[1]);
    assert_in_range(whole, (ROUNDS + 1) * takes, (ROUNDS + 1) * takes + ROUNDS * kernel);
    assert_true(told.time[told.n - 1].critical);
    end(&p);
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
    begin(&p);
    chain(&p, 1, 64, 1024, 300, 0);
    chain(&p, 2, 64, 1024, 300, 0);
    run_with(&spec, &p, &plan, 1, 0, &told);
    for (unsigned i = 0; i < 2; i++) /* one dispatch a cycle is shared, too */
        assert_in_range(cycles(&told.time[i]), one, one + 64);
    /* with an SM in common, the second waits for the first, although it has others free */
    const sm_share_t common[] = {{1, 0, 5}, {2, 5, 7}};
    run_with(&spec, &p, &(run_plan_t){.first = 1, .shares = common, .n_shares = 2}, 1, 0, &told);
    assert_true(told.time[1].end > one + one * 3 / 4);
    const sm_share_t wrong[] = {{1, 4, 8}};
    assert_int_equal(try_run(&spec, &p, &(run_plan_t){.first = 1, .shares = wrong, .n_shares = 1},
                             1, 0, &told, &err),
                     RB_USAGE);
    assert_non_null(strstr(err.text, "stream 1 is confined to SMs 4 to 8"));
    end(&p);
}

/* Blocks that need another carve-out wait until an SM is empty. */
static void a_carveout_changes_on_an_empty_sm(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=1");
    program_t p;
    begin(&p);
    chain(&p, 1, 1, 64, 2000, 0);
    chain(&p, 2, 1, 64, 100, 32 << 10);
    run(&spec, &p, &told);
    assert_true(told.time[1].end > told.time[0].end);
    end(&p);
    begin(&p);
    chain(&p, 1, 1, 64, 2000, 32 << 10);
    chain(&p, 2, 1, 64, 100, 0);
    run(&spec, &p, &told);
    assert_true(told.time[1].end < told.time[0].end);
    end(&p);
}

/* --- memory ---------------------------------------------------------------------------------- */

typedef struct {
    uint64_t base;
    unsigned steps;
    unsigned load, exit;
} stream_t;

static stream_t streams[8];

static void stream_body(synth_warp_t *w, const void *ctx)
{
    const stream_t *c = ctx;
    for (unsigned i = 0; i < c->steps; i++) {
        uint64_t addr[32];
        for (unsigned lane = 0; lane < 32; lane++)
            addr[lane] = c->base + ((w->global * c->steps + i) * 32 + lane) * 16;
        synth_emit_list(w, c->load, UINT32_MAX, addr);
    }
    synth_emit(w, c->exit, UINT32_MAX);
}

/* A launch that streams through its own data. */
static void streaming(program_t *p, uint64_t stream, uint32_t blocks, unsigned steps)
{
    stream_t *c = &streams[p->n];
    synth_kernel_t *k = synth_kernel_create(
        p->s, "stream",
        &(synth_shape_t){
            .arch = 70, .grid = {blocks}, .block = {256}, .regs = 32, .stream = stream});
    *c = (stream_t){.base = UINT64_C(0x7f0000000000) + (p->n << 32), .steps = steps};
    c->load = synth_code(k, "LDG.E.128", "R4", "R2");
    c->exit = synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, stream_body, c);
    stream_builder_add(&p->b, stream, (stream_op_t){.kind = STREAM_OP_LAUNCH, .launch = ++p->n});
}

static void equal_launches_share_the_bandwidth_equally(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=8", "mem.partitions=2", "l2.slices=4",
                               "l2.size=384KiB");
    program_t p;
    begin(&p);
    streaming(&p, 1, 16, 64);
    streaming(&p, 2, 16, 64);
    run(&spec, &p, &told);
    const double a = (double)cycles(&told.time[0]), b = (double)cycles(&told.time[1]);
    lab_assert_near(a, b, 0.02, "cycles of two equal launches that are bound by the memory");
    end(&p);
    begin(&p);
    streaming(&p, 1, 16, 64);
    run(&spec, &p, &told);
    const double one = (double)(cycles(&told.time[0]) - spec.gpu.launch_latency);
    assert_true(a - spec.gpu.launch_latency > 1.5 * one); /* they do hinder each other */
    end(&p);
}

/* --- determinism and sums -------------------------------------------------------------------- */

static void mixed(program_t *p)
{
    begin(p);
    copy(p, 1, STREAM_OP_TO_DEVICE, 100000);
    streaming(p, 1, 24, 8);
    streaming(p, 2, 24, 8);
    chain(p, 2, 9, 192, 70, 4096);
    chain(p, 3, 40, 96, 30, 0);
    stream_builder_host_stream(&p->b, 2);
    chain(p, 3, 5, 64, 90, 20000);
    chain(p, 4, 3, 1024, 40, 0);
    copy(p, 4, STREAM_OP_FROM_DEVICE, 5000);
    chain(p, STREAM_LEGACY, 10, 128, 20, 0);
    stream_builder_host_all(&p->b);
    chain(p, 2, 30, 512, 25, 0);
    chain(p, 3, 30, 512, 25, 0);
}

static void nothing_depends_on_threads_or_windows(void **state)
{
    (void)state;
    static const struct {
        int threads;
        cycle_t window;
    } ways[] = {{1, 1}, {1, 3}, {2, 0}, {4, 7}, {3, 0}};
    gpu_spec_t spec =
        LAB_SPEC("v100", "gpu.concurrent_launches=3", "warmup.mode=keep", "sm.count=6",
                 "mem.partitions=2", "l2.slices=4", "l2.size=384KiB", "gpu.launch_gap=90");
    char want[SHA256_TEXT], got[SHA256_TEXT];
    program_t p;
    mixed(&p);
    run(&spec, &p, &told);
    lab_hash(&told.results, want);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        run_with(&spec, &p, &(run_plan_t){.first = 1}, ways[i].threads, ways[i].window, &other);
        lab_hash(&other.results, got);
        assert_string_equal(got, want);
        assert_memory_equal(other.time, told.time, told.n * sizeof(told.time[0]));
    }
    end(&p);
}

/* Counters of launches that overlap are shares; together they are all that was counted. */
static void the_sums_are_exact(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=6", "mem.partitions=2", "l2.slices=4",
                               "l2.size=384KiB");
    gpu_spec_t serial = spec;
    serial.gpu.concurrent_launches = 1;
    program_t p;
    uint64_t insts[2] = {0}, threads[2] = {0}, blocks[2] = {0}, states = 0, slots = 0;
    mixed(&p);
    run(&spec, &p, &told);
    lab_run(&serial, synth_source(p.s), 1, 0, &other.results);
    assert_int_equal(told.results.n, p.n);
    for (size_t i = 0; i < p.n; i++) {
        const lab_results_t *all[] = {&told.results, &other.results};
        for (unsigned k = 0; k < 2; k++) {
            insts[k] += all[k]->launch[i].sm.warp_insts;
            blocks[k] += all[k]->launch[i].sm.blocks;
        }
        states += lab_state_sum(&told.results.launch[i].sm);
        slots += told.results.launch[i].warp_slot_cycles;
    }
    assert_int_equal(insts[0], insts[1]);
    assert_int_equal(threads[0], threads[1]);
    assert_int_equal(blocks[0], blocks[1]);
    assert_int_equal(states, slots);
    /* launch latency is counted once, where several launches wait at the same time */
    uint64_t latency = 0, cycles_of_all = 0;
    for (size_t i = 0; i < p.n; i++) {
        latency += told.results.launch[i].launch_cycles;
        cycles_of_all = cycle_max(cycles_of_all, told.results.launch[i].end);
    }
    assert_true(latency < cycles_of_all);
    end(&p);
}

/* A program, or the part of it that remains without some of its launches; a copy separates two of them. */
static void three_streams(program_t *p, bool whole)
{
    begin(p);
    if (whole)
        chain(p, 3, 3, 64, 70, 0);
    chain(p, 1, 3, 64, 200, 0);
    chain(p, 2, 9, 64, 150, 0);
    if (whole)
        chain(p, 1, 40, 64, 900, 0);
    stream_builder_add(&p->b, 1, (stream_op_t){.kind = STREAM_OP_TO_DEVICE, .bytes = 5000});
    if (whole)
        chain(p, 2, 1, 64, 333, 0);
    chain(p, 2, 2, 64, 100, 0);
    chain(p, 1, 5, 64, 250, 0);
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
    run_with(&spec, &p, &(run_plan_t){.first = 1}, 1, 0, &part);
    end(&p);
    three_streams(&p, true);
    run_with(&spec, &p, &plan, 2, 9, &told);
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
    end(&p);
}

/* One stream runs in the usual loop, whatever the setting. */
static void what_cannot_be_combined_is_named(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=2");
    program_t p;
    rb_err_t err = {0};
    begin(&p);
    chain(&p, 1, 1, 32, 10, 0);
    chain(&p, 2, 1, 32, 10, 0);
    assert_int_equal(
        try_run(&spec, &p, &(run_plan_t){.first = 1, .sampled = true}, 1, 0, &told, &err),
        RB_USAGE);
    assert_non_null(strstr(err.text, "gpu.concurrent_launches = 1"));
    assert_int_equal(try_run(&spec, &p, &(run_plan_t){.first = 2}, 1, 0, &told, &err), RB_USAGE);
    end(&p);
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
        cmocka_unit_test(nothing_depends_on_threads_or_windows),
        cmocka_unit_test(the_sums_are_exact),
        cmocka_unit_test(a_choice_of_launches_is_the_program_without_the_others),
        cmocka_unit_test(what_cannot_be_combined_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
