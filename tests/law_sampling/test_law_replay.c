/*
 * Laws of the replay of a graph, and how near a sampled run of launches that overlap comes to the
 * simulation of all of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/order/stream_builder.h"
#include "sampling/estimate/change/graph_pairs.h"
#include "sampling/launch/launch_sampler.h"
#include "sampling/math/rng.h"
#include "sim/core/sanitizer.h"
#include "tests/support/sim/lab.h"

#define CHIP                                                                                       \
    "icache.perfect=true", "const.perfect=true", "warmup.mode=keep", "sm.count=8",                 \
        "mem.partitions=2", "l2.slices=4", "l2.size=384KiB", "gpu.concurrent_launches=128",        \
        "gpu.launch_gap=500", "sched.dispatch_latency=120", "sched.completion_latency=120"

enum { MOST = 200 };

/* A kernel: additions or loads of its own data. */
typedef struct {
    uint32_t blocks, threads, regs;
    unsigned adds, loads;
    uint64_t base;
    unsigned add, load, exit;
} body_t;

typedef struct {
    synth_t *s;
    stream_builder_t b;
    body_t body[MOST];
    uint32_t name[MOST];
    uint64_t n;
} program_t;

static program_t program;

static void begin(void)
{
    memset(&program, 0, sizeof(program));
    program.s = synth_create();
    stream_builder_init(&program.b);
}

static void end(void)
{
    synth_destroy(program.s);
    stream_builder_free(&program.b);
}

static void emit(synth_warp_t *w, const void *ctx)
{
    const body_t *c = ctx;
    for (unsigned i = 0; i < c->loads; i++) {
        uint64_t addr[32];
        for (unsigned lane = 0; lane < 32; lane++)
            addr[lane] = c->base + ((w->global * c->loads + i) * 32 + lane) * 16;
        synth_emit_list(w, c->load, UINT32_MAX, addr);
    }
    for (unsigned i = 0; i < c->adds; i++)
        synth_emit(w, c->add, UINT32_MAX);
    synth_emit(w, c->exit, UINT32_MAX);
}

static const char *const names[] = {"adds", "loads", "mixed"};
enum { ADDS, LOADS, MIXED, KERNELS };

static void launch(uint64_t stream, uint32_t name, uint32_t blocks, uint32_t threads, unsigned work)
{
    body_t *c = &program.body[program.n];
    synth_kernel_t *k = synth_kernel_create(
        program.s, names[name],
        &(synth_shape_t){
            .arch = 70, .grid = {blocks}, .block = {threads}, .regs = 32, .stream = stream});
    c->base = UINT64_C(0x7f0000000000) + (program.n << 32);
    c->adds = name == ADDS ? 8 * work : name == MIXED ? 4 * work : 0;
    c->loads = name == LOADS ? work / 2 : name == MIXED ? work / 8 : 0;
    c->load = synth_code(k, "LDG.E.128", "R4", "R2");
    c->add = synth_code(k, "FADD", "R1", "R1 R3");
    c->exit = synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, emit, c);
    program.name[program.n] = name;
    stream_builder_add(&program.b, stream,
                       (stream_op_t){.kind = STREAM_OP_LAUNCH, .launch = ++program.n});
}

/* --- runs ------------------------------------------------------------------------------------ */

typedef struct {
    launch_result_t result[MOST]; /* by launch */
    stream_op_time_t time[2 * MOST];
} told_t;

static told_t whole, single;

static rb_code_t keep_result(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    (void)err;
    ((told_t *)ctx)->result[r->info.id - 1] = *r;
    return RB_OK;
}

static rb_code_t keep_times(void *ctx, const stream_graph_t *g, const stream_op_time_t *times,
                            const copy_counters_t *copies, rb_err_t *err)
{
    (void)copies;
    (void)err;
    assert_true(g->n <= 2 * MOST);
    memcpy(((told_t *)ctx)->time, times, g->n * sizeof(*times));
    return RB_OK;
}

static void run(const gpu_spec_t *spec, bool one_by_one, told_t *out)
{
    const gpu_callbacks_t callbacks = {
        .ctx = out, .launch_done = keep_result, .work_done = keep_times};
    rb_err_t err = {0};
    gpu_t *g = gpu_create(spec, 1, 0);
    memset(out, 0, sizeof(*out));
    synth_order(program.s, &program.b.graph);
    const run_plan_t plan = {.first = 1, .one_by_one = one_by_one};
    if (gpu_run(g, synth_source(program.s), &plan, &callbacks, &err) != RB_OK)
        fail_msg("%s", err.text);
    gpu_destroy(g);
}

static replay_time_t times[2 * MOST];

/* What a replay needs of the program. */
typedef struct {
    uint64_t position[2 * MOST];
    replay_launch_t launch[2 * MOST];
    double cycles[2 * MOST];
    graph_replay_t replay;
} input_t;

static input_t input;

/* From the launches alone, all of which were simulated. */
static void prepare(const gpu_spec_t *spec)
{
    const stream_graph_t *g = &program.b.graph;
    memset(&input, 0, sizeof(input));
    for (size_t i = 0; i < g->n; i++) {
        if (g->ops[i].kind != STREAM_OP_LAUNCH)
            continue;
        const launch_result_t *r = &single.result[g->ops[i].launch - 1];
        const graph_sample_t s = graph_pairs_alone(spec, r);
        input.position[i] = g->ops[i].launch;
        input.cycles[i] = s.cycles;
        input.launch[i] = (replay_launch_t){.n_blocks = r->blocks,
                                            .occupancy = r->occupancy,
                                            .kind = program.name[g->ops[i].launch - 1],
                                            .share = s.share};
    }
    input.replay = (graph_replay_t){.spec = spec,
                                    .graph = g,
                                    .position = input.position,
                                    .launch = input.launch,
                                    .n_kinds = KERNELS};
}

static uint64_t busy_of(const stream_op_time_t *t)
{
    static replay_time_t as[2 * MOST];
    for (size_t i = 0; i < program.b.graph.n; i++)
        as[i] = (replay_time_t){.at = t[i]};
    return graph_replay_busy(&program.b.graph, as);
}

/* --- laws ------------------------------------------------------------------------------------ */

/* In one stream the replay takes exactly as long as the simulation, copies included. */
static void launches_that_do_not_overlap_take_their_time(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", CHIP);
    static const uint32_t blocks[] = {1, 7, 8, 40, 64, 65, 200, 333};
    begin();
    for (unsigned i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
        launch(1 + i % 2, ADDS, blocks[i], 64 + 64 * (i % 5), 10 + i);
        if (i % 3 == 0)
            stream_builder_add(&program.b, 1 + i % 2,
                               (stream_op_t){.kind = STREAM_OP_TO_DEVICE, .bytes = 10000 * i});
        stream_builder_host_all(&program.b);
    }
    run(&spec, false, &whole);
    run(&spec, true, &single);
    prepare(&spec);
    graph_replay(&input.replay, input.cycles, times);
    for (size_t i = 0; i < program.b.graph.n; i++) {
        /* blocks end at whole cycles, each rounded up in every round */
        const double rounds = 2 + (double)input.launch[i].n_blocks / 8;
        assert_int_equal(times[i].at.ran, whole.time[i].ran);
        if (i > 0 && times[i].at.ran)
            assert_true(fabs((double)(times[i].at.end - times[i].at.start) -
                             (double)(whole.time[i].end - whole.time[i].start)) <= rounds);
    }
    end();
}

/* A slow-down of 1 by a launch that fills its places doubles the time of a block beside it. */
static void a_slow_down_stretches_what_overlaps(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", CHIP);
    const double slow[KERNELS * KERNELS] = {[ADDS * KERNELS + MIXED] = 1};
    begin();
    launch(1, ADDS, 4, 64, 20);
    launch(2, MIXED, 4, 64, 400);
    run(&spec, true, &single);
    prepare(&spec);
    input.cycles[0] = 1000;
    input.cycles[1] = 50000;
    input.launch[0].share = input.launch[1].share = 1;
    graph_replay(&input.replay, input.cycles, times);
    const uint64_t free = times[0].at.end - times[0].first_block;
    input.replay.slow = slow;
    graph_replay(&input.replay, input.cycles, times);
    const uint64_t slowed = times[0].at.end - times[0].first_block;
    lab_assert_near((double)free, 1000, 0.01, "cycles without a slow-down");
    lab_assert_near((double)slowed, 2000, 0.02, "cycles with a slow-down of 1");
    lab_assert_near((double)(times[1].at.end - times[1].first_block), 50000, 0.01,
                    "cycles of the other");
    end();
}

/* The slow-downs of a pair are those with which its replay ends as its simulation. */
static void a_fitted_pair_ends_as_simulated(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", CHIP);
    begin();
    launch(1, LOADS, 16, 128, 128);
    launch(2, LOADS, 16, 128, 128);
    run(&spec, false, &whole);
    run(&spec, true, &single);
    prepare(&spec);
    double fitted[2];
    const cycle_t ends[2] = {whole.time[0].end, whole.time[1].end};
    graph_pair_fit(&input.replay, input.cycles, ends, fitted);
    for (unsigned i = 0; i < 2; i++) /* the bandwidth is shared */
        lab_assert_near(fitted[i], 1, 0.5, "slow-down of two launches bound by the memory");
    const double slow[KERNELS * KERNELS] = {[LOADS * KERNELS + LOADS] =
                                                (fitted[0] + fitted[1]) / 2};
    input.replay.slow = slow;
    graph_replay(&input.replay, input.cycles, times);
    for (unsigned i = 0; i < 2; i++)
        lab_assert_near((double)times[i].at.end, (double)whole.time[i].end, 0.03, "end");
    end();
}

/* --- sampled runs ---------------------------------------------------------------------------- */

static unsigned some(rng_t *rng, unsigned least, unsigned most)
{
    return least + (unsigned)rng_below(rng, most - least + 1);
}

typedef struct {
    unsigned blocks[2], work[2]; /* least, most */
} size_range_t;

/* A launch of random size. Two draws in one call would come in an order that compilers choose. */
static void some_launch(rng_t *rng, uint64_t stream, uint32_t name, const size_range_t *of)
{
    const unsigned blocks = some(rng, of->blocks[0], of->blocks[1]);
    const unsigned work = some(rng, of->work[0], of->work[1]);
    launch(stream, name, blocks, 128, work);
}

/* Three independent streams, each with a kernel of its own. */
static void independent(rng_t *rng)
{
    for (unsigned i = 0; i < 90; i++)
        some_launch(rng, 1 + i % 3, i % 3, &(size_range_t){{8, 24}, {40, 80}});
}

/* Branches of a fork with a join. */
static void fork_join(rng_t *rng)
{
    for (unsigned i = 0; i < 18; i++) {
        for (unsigned k = 0; k < 4; k++)
            some_launch(rng, 1 + k, (i + k) % KERNELS, &(size_range_t){{4, 16}, {30, 90}});
        stream_builder_host_all(&program.b);
    }
}

/* Copies beside kernels, in a pipeline. */
static void pipeline(rng_t *rng)
{
    for (unsigned i = 0; i < 60; i++) {
        const uint64_t stream = 1 + i % 3;
        stream_builder_add(&program.b, stream,
                           (stream_op_t){.kind = STREAM_OP_TO_DEVICE, .bytes = 20000});
        some_launch(rng, stream, i % 2 == 0 ? LOADS : MIXED, &(size_range_t){{8, 40}, {40, 80}});
        stream_builder_add(&program.b, stream,
                           (stream_op_t){.kind = STREAM_OP_FROM_DEVICE, .bytes = 10000});
    }
}

typedef struct {
    const char *name;
    void (*make)(rng_t *rng);
    double most; /* relative error */
} program_case_t;

/* Launches with what a sampler knows about them: durations on another GPU, 10 % off. */
static void population(population_t *pop, double *time, double *insts, rng_t *rng)
{
    for (uint64_t i = 0; i < program.n; i++)
        insts[i] = (double)single.result[i].warp_insts;
    for (uint64_t i = 0; i < program.n; i++)
        time[i] = (double)launch_result_cycles(&single.result[i]) * (1 + 0.1 * rng_normal(rng));
    *pop = (population_t){.n = program.n,
                          .name = program.name,
                          .names = names,
                          .n_names = KERNELS,
                          .time = time,
                          .counter = {[POP_WARP_INSTS] = insts}};
}

static rb_code_t run_plan(void *ctx, const gpu_spec_t *spec, const run_plan_t *plan,
                          const gpu_callbacks_t *callbacks, rb_err_t *err)
{
    (void)ctx;
    gpu_t *g = gpu_create(spec, 1, 0);
    rb_code_t rc = gpu_run(g, synth_source(program.s), plan, callbacks, err);
    gpu_destroy(g);
    return rc;
}

static graph_estimate_t sampled(const gpu_spec_t *spec, const char *sampler, uint64_t seed,
                                uint64_t *n_samples)
{
    static double time[MOST], insts[MOST];
    graph_sample_t sample[MOST];
    launch_choice_t choice;
    population_t pop;
    plan_t plan = {0};
    graph_times_t of;
    graph_pair_t *pairs;
    graph_pairs_cost_t cost;
    size_t n_pairs;
    rb_err_t err = {0};
    rng_t rng = rng_make(seed, 1);
    population(&pop, time, insts, &rng);
    assert_int_equal(launch_choice_parse(&choice, sampler, &err), RB_OK);
    assert_int_equal(launch_plan(&choice, &pop, seed, &plan, &err), RB_OK);
    double value[MOST];
    for (uint64_t i = 0; i < plan.n_samples; i++) {
        sample[i] = graph_pairs_alone(spec, &single.result[plan.samples[i].launch - 1]);
        value[i] = sample[i].cycles;
    }
    *n_samples = plan.n_samples;
    prepare(spec);
    if (graph_times_set(&of, &plan, sample, &program.b.graph, input.launch, &err) != RB_OK)
        fail_msg("%s", err.text);
    graph_replay(&input.replay, of.cycles, times);
    const graph_pairs_input_t in = {
        .chip = {.run = run_plan}, .replay = &input.replay, .times = times, .seed = seed};
    assert_int_equal(graph_pairs_measure(&in, &pairs, &n_pairs, &cost, &err), RB_OK);
    const estimate_t sum = estimate_total(&plan, value, 0.95);
    const graph_estimate_t e =
        graph_estimate(&input.replay, &of, pairs, n_pairs, seed, &sum, times);
    free(pairs);
    graph_times_free(&of);
    plan_free(&plan);
    launch_choice_free(&choice);
    return e;
}

static void sampled_graphs_come_near_the_simulation(void **state)
{
    (void)state;
    enum { SEEDS = RB_ADDRESS_SANITIZER ? 4 : 10 };
    static const program_case_t cases[] = {{"independent streams", independent, 0.10},
                                           {"fork and join", fork_join, 0.10},
                                           {"pipeline with copies", pipeline, 0.15}};
    gpu_spec_t spec = LAB_SPEC("v100", CHIP);
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        rng_t rng = rng_make(7, c);
        begin();
        cases[c].make(&rng);
        run(&spec, false, &whole);
        run(&spec, true, &single);
        const double truth = (double)busy_of(whole.time);
        double sum = 0, error = 0, bias = 0, plain = 0;
        unsigned covered = 0;
        uint64_t n = 0;
        for (uint64_t i = 0; i < program.n; i++)
            sum += (double)launch_result_cycles(&single.result[i]);
        prepare(&spec);
        graph_replay(&input.replay, input.cycles, times);
        plain = (double)graph_replay_busy(&program.b.graph, times);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            const graph_estimate_t e = sampled(&spec, "stem:epsilon=0.1", seed, &n);
            const double off = e.busy.value / truth - 1;
            error += fabs(off) / SEEDS;
            bias += off / SEEDS;
            assert_true(e.busy.low < e.busy.value && e.busy.value < e.busy.high);
            covered += e.busy.low <= truth && truth <= e.busy.high;
        }
        printf("%s: %.0f cycles, one by one %+.1f %%; replay without slow-downs %+.1f %%; sampled "
               "(%llu of %llu launches): error %.1f %%, bias %+.1f %%, %u of %d intervals cover\n",
               cases[c].name, truth, 100 * (sum / truth - 1), 100 * (plain / truth - 1),
               (unsigned long long)n, (unsigned long long)program.n, 100 * error, 100 * bias,
               covered, SEEDS);
        assert_true(error < cases[c].most * (RB_ADDRESS_SANITIZER ? 2 : 1)); /* of fewer seeds */
        assert_true(covered + 2 >= SEEDS);
        assert_true(fabs(sum / truth - 1) > error); /* the sum of the launches is further off */
        end();
    }
}

/* Without random choice there is no interval; with the same seed the same estimate. */
static void intervals_need_random_samples(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", CHIP);
    rng_t rng = rng_make(7, 0);
    uint64_t n;
    begin();
    for (unsigned i = 0; i < 12; i++)
        launch(1 + i % 2, i % 2, some(&rng, 8, 24), 128, some(&rng, 40, 80));
    run(&spec, true, &single);
    const graph_estimate_t a = sampled(&spec, "allegro", 5, &n);
    const graph_estimate_t b = sampled(&spec, "allegro", 5, &n);
    assert_memory_equal(&a.busy.value, &b.busy.value, sizeof(double));
    const graph_estimate_t p = sampled(&spec, "sieve", 5, &n);
    assert_true(isnan(p.busy.low) && isnan(p.end.low) && p.busy.value > 0);
    end();
}

/* The means of replicates vary as that of the samples does, and launches as they do around it: in a chain
 * of n launches, from m samples, by their spread times sqrt(1 / m + 1 / n). */
static void replicates_spread_as_samples_do(void **state)
{
    enum { N = 64 };
    static double cycles[N], spread[N], draws[] = {16};
    static uint32_t cluster[N];
    gpu_spec_t spec = LAB_SPEC("v100", CHIP);
    (void)state;
    begin();
    for (unsigned i = 0; i < N; i++) {
        launch(1, ADDS, 1, 32, 1);
        cycles[i] = 1e5;
        spread[i] = 0.2;
    }
    run(&spec, true, &single);
    prepare(&spec);
    const graph_times_t of = {.cycles = cycles,
                              .spread = spread,
                              .cluster = cluster,
                              .draws = draws,
                              .n_clusters = 1,
                              .random = true};
    const estimate_t sum = {.confidence = 0.95, .df = INFINITY, .low = 1, .high = 2};
    const graph_estimate_t e = graph_estimate(&input.replay, &of, NULL, 0, 1, &sum, times);
    const double sd = (e.busy.high - e.busy.value) / 1.96 / e.busy.value;
    const double want = 0.2 * sqrt(1.0 / 16 + 1.0 / N);
    if (fabs(sd / want - 1) > 0.25) /* three standard errors of 100 replicates */
        fail_msg("a spread of %.4f, not %.4f", sd, want);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_that_do_not_overlap_take_their_time),
        cmocka_unit_test(a_slow_down_stretches_what_overlaps),
        cmocka_unit_test(a_fitted_pair_ends_as_simulated),
        cmocka_unit_test(replicates_spread_as_samples_do),
        cmocka_unit_test(sampled_graphs_come_near_the_simulation),
        cmocka_unit_test(intervals_need_random_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
