/*
 * The hooks inside a launch: the data that samplers get, and the result of launches that they fast-
 * forward. The sampler here follows a script; the methods have their own tests.
 */
#include <math.h>
#include <string.h>

#include "tests/support/mix.h"
#include "tests/support/sim/script_sampler.h"
#include "tests/support/sim/witness.h"

#define SMALL                                                                                      \
    "sm.count=4", "mem.partitions=4", "l2.slices=4", "l2.size=768KiB", "gpu.launch_latency=700",   \
        "sampling.interval=1024"

/* Everything by which blocks of a compute kernel could differ is perfect. */
#define EVEN SMALL, "icache.perfect=true", "const.perfect=true"

/* --- programs --------------------------------------------------------------------------------- */

enum { CHAIN = 400 };

static void chain_body(synth_warp_t *w, const void *ctx)
{
    synth_emit_span(w, 0, *(const unsigned *)ctx);
}

/* Blocks of one warp that takes the same time everywhere; an SM holds one of them. */
static synth_t *even_program(uint32_t blocks)
{
    static unsigned length;
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "even", &(synth_shape_t){.grid = {blocks}, .block = {32}, .shared = 64 * 1024});
    for (unsigned i = 0; i < CHAIN; i++)
        synth_code(k, "FFMA", "R1", "R1 R2 R3");
    length = synth_code(k, "EXIT", "", "") + 1;
    synth_kernel_body(k, chain_body, &length);
    return s;
}

static uint64_t scattered(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    return 0x10000000 + synth_mix(warp * 64 + step * 32 + lane) % (8 << 20) / 4 * 4;
}

/* Blocks that meet in L2 and DRAM. */
static synth_t *uneven_program(const gpu_spec_t *spec, uint32_t blocks)
{
    synth_t *s = synth_create();
    const lab_access_t a = {.op = {"LDG.E", NULL, "R2"},
                            .blocks = blocks,
                            .threads = 128,
                            .regs = 64,
                            .mask = 0xffffffff,
                            .steps = 12,
                            .address = scattered};
    lab_access_add(s, spec, &a);
    return s;
}

/* --- laws ------------------------------------------------------------------------------------- */

static void looking_changes_nothing(void **state)
{
    static lab_results_t plain, watched;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "sampling.interval=257");
    script_t t = {0};
    const sampler_t sampler = {&script_ops, &t};
    synth_t *s = mix_create(1);
    char want[SHA256_TEXT], got[SHA256_TEXT];

    (void)state;
    lab_run(&spec, synth_source(s), 1, 0, &plain);
    sha256_init(&t.seen);
    lab_run_sampled(&spec, synth_source(s), 1, 0, &sampler, 1, &watched);
    lab_hash(&plain, want);
    lab_hash(&watched, got);
    assert_string_equal(got, want);
    assert_string_equal(watched.launch[0].sampling.sampler, "script");
    assert_false(watched.launch[0].sampling.estimated);
    assert_string_equal(plain.launch[0].sampling.sampler, "");
    synth_destroy(s);
}

static void records_are_of_everything_that_retires(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "sampling.interval=1");
    synth_t *s = uneven_program(&spec, 60);
    script_t t = {0};
    launch_result_t r = run_script(&spec, synth_source(s), 1, 0, &t);

    (void)state;
    /* The launch ends a completion latency after the last block, so all intervals before that
     * are seen. */
    assert_int_equal(t.blocks, 60);
    assert_int_equal(t.warps, 60 * 4);
    assert_int_equal(t.bb_insts, r.warp_insts);
    assert_int_equal(t.warp_insts, r.warp_insts);
    assert_int_equal(t.last_next, 60);
    assert_int_equal(t.l2_taken, r.l2.fills + r.l2.write_sectors - r.l2.write_hits);
    assert_true(t.l2_taken > 0);
    assert_int_equal(t.l2_moved, t.l2_taken);
    assert_int_equal(t.l2_touched, r.l2.read_sectors + r.l2.write_sectors);
    assert_true(t.l2_touched >= t.l2_taken);
    synth_destroy(s);
}

static uint64_t one_place(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    (void)step;
    return 0x10000000 + (warp * 32 + lane) * 4;
}

/* Writes that hit in the L2 are to be written back to the DRAM, but only once. */
static void what_is_written_is_to_be_moved_again(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "sampling.interval=1");
    synth_t *s = synth_create();
    const lab_access_t a = {.op = {"STG.E", "", "R2 R8"},
                            .blocks = 6,
                            .threads = 128,
                            .mask = 0xffffffff,
                            .steps = 5,
                            .address = one_place};
    lab_access_add(s, &spec, &a);
    script_t t = {0};
    launch_result_t r = run_script(&spec, synth_source(s), 1, 0, &t);

    (void)state;
    assert_int_equal(r.l2.write_sectors - r.l2.write_hits, 6 * 128 * 4 / 32);
    assert_int_equal(t.l2_moved, 2 * t.l2_taken);
    synth_destroy(s);
}

static void records_do_not_depend_on_threads_or_windows(void **state)
{
    static const cycle_t windows[] = {0, 1, 3};
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "sampling.interval=300");
    synth_t *s = uneven_program(&spec, 200);
    char want[SHA256_TEXT] = "", got[SHA256_TEXT];

    (void)state;
    for (size_t w = 0; w < 3; w++) {
        for (int threads = 1; threads <= 3; threads++) {
            script_t t = {.decide_at = 9,
                          .hold = 2000,
                          .forward = {.until = 150, .model = FORWARD_HOLD_SLOT}};
            launch_result_t r = run_script(&spec, synth_source(s), threads, windows[w], &t);
            sha256_update(&t.seen, &r.end, sizeof(r.end));
            sha256_update(&t.seen, &r.sm, sizeof(r.sm));
            sha256_update(&t.seen, &r.dram, sizeof(r.dram));
            sha256_final_text(&t.seen, got);
            assert_true(r.sampling.estimated && r.sampling.simulated_blocks < 200);
            if (want[0] == '\0')
                memcpy(want, got, sizeof(want));
            assert_string_equal(got, want);
        }
    }
    synth_destroy(s);
}

/* Time that a block of the even program spends on its SM, from a launch of one block. */
static cycle_t even_time(const gpu_spec_t *spec)
{
    synth_t *s = even_program(1);
    script_t t = {0};
    launch_result_t r = run_script(spec, synth_source(s), 1, 0, &t);
    synth_destroy(s);
    return launch_result_cycles(&r) - spec->gpu.launch_latency - spec->sched.dispatch_latency -
           spec->sched.completion_latency;
}

static void held_slots_of_equal_blocks_give_the_exact_time(void **state)
{
    static const forward_residents_t residents[] = {RESIDENTS_DRAIN, RESIDENTS_PREDICT};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    synth_t *s = even_program(203);
    script_t whole = {0};
    launch_result_t want = run_script(&spec, synth_source(s), 1, 0, &whole);

    (void)state;
    for (int i = 0; i < 2; i++) {
        script_t t = {.decide_at = 7,
                      .hold = even_time(&spec),
                      .forward = {.until = UINT64_MAX, .residents = residents[i]}};
        launch_result_t got = run_script(&spec, synth_source(s), 1, 0, &t);
        assert_int_equal(launch_result_cycles(&got), launch_result_cycles(&want));
        assert_true(got.sampling.simulated_blocks < 40);
        assert_int_equal(got.blocks, 203);
        assert_int_equal(got.sampling.cycle, 7 * 1024);
        assert_int_equal(got.sampling.block, got.sampling.simulated_blocks);
        assert_int_equal(got.warp_insts, want.warp_insts);
        assert_int_equal(got.thread_insts, want.thread_insts);
        assert_int_equal(lab_state_sum(&got.sm), got.warp_slot_cycles);
        lab_assert_near((double)lab_state(&got, STATE_WAIT), (double)lab_state(&want, STATE_WAIT),
                        1e-6, "warp cycles of waiting");
    }
    synth_destroy(s);
}

static void detail_comes_back_at_the_block_named(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    synth_t *s = even_program(203);
    witness_t w;
    witness_init(&w, synth_source(s));
    script_t whole = {0};
    launch_result_t want = run_script(&spec, synth_source(s), 1, 0, &whole);
    script_t t = {.decide_at = 3, .hold = even_time(&spec), .forward = {.until = 180}};
    launch_result_t got = run_script(&spec, &w.pub, 1, 0, &t);

    (void)state;
    assert_int_equal(launch_result_cycles(&got), launch_result_cycles(&want));
    assert_int_equal(got.sampling.simulated_blocks, got.sampling.block + 203 - 180);
    /* Only blocks decoded ahead of the decision were decoded for nothing. */
    for (uint64_t i = 0; i < w.n_asked; i++)
        assert_true(w.asked[i] >= 180 || w.asked[i] < got.sampling.block + 256);
    assert_true(w.n_asked < got.sampling.simulated_blocks + 256);
    synth_destroy(s);
}

static void blocks_left_out_are_never_asked_for(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    synth_t *s = even_program(2000);
    witness_t w;
    witness_init(&w, synth_source(s));
    script_t t = {.keep_every = 10}, whole = {0};
    launch_result_t want = run_script(&spec, synth_source(s), 1, 0, &whole);
    launch_result_t got = run_script(&spec, &w.pub, 1, 0, &t);

    (void)state;
    assert_int_equal(w.n_asked, 200);
    for (uint64_t i = 0; i < w.n_asked; i++)
        assert_int_equal(w.asked[i], 10 * i);
    assert_int_equal(got.sampling.simulated_blocks, 200);
    assert_int_equal(got.sampling.block, 1);
    assert_true(got.sampling.estimated);
    assert_int_equal(got.blocks, 2000);
    assert_int_equal(got.warp_insts, want.warp_insts);
    lab_assert_near((double)launch_result_cycles(&got), (double)launch_result_cycles(&want), 0.01,
                    "cycles scaled by the blocks");
    synth_destroy(s);
}

static void a_region_adds_the_time_that_its_sampler_says(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    synth_t *s = even_program(203), *fewer = even_program(203 - 100);
    script_t nothing = {0};
    launch_result_t base = run_script(&spec, synth_source(fewer), 1, 0, &nothing);
    script_t probe = {.decide_at = 3,
                      .added = 12345,
                      .forward = {.until = UINT64_MAX, .model = FORWARD_REGION_IPC}};
    launch_result_t got = run_script(&spec, synth_source(s), 1, 0, &probe);

    (void)state;
    assert_int_equal(probe.skipped, 203 - got.sampling.block);
    assert_int_equal(launch_result_cycles(&got), got.sampling.simulated_cycles + 12345);
    /* Until a block: like a launch without the skipped blocks, plus their time. */
    script_t t = {.decide_at = 3, .added = 777, .forward = {.model = FORWARD_REGION_IPC}};
    t.forward.until = got.sampling.block + 100;
    got = run_script(&spec, synth_source(s), 1, 0, &t);
    assert_int_equal(t.skipped, 100);
    assert_int_equal(launch_result_cycles(&got), launch_result_cycles(&base) + 777);
    /* Cut: the time counts up to the decision. */
    script_t cut = {.decide_at = 3, .added = 5000};
    cut.forward = (fast_forward_t){
        .until = UINT64_MAX, .model = FORWARD_REGION_IPC, .residents = RESIDENTS_PREDICT};
    got = run_script(&spec, synth_source(s), 1, 0, &cut);
    assert_int_equal(launch_result_cycles(&got), 3 * 1024 + 5000);
    synth_destroy(fewer);
    synth_destroy(s);
}

static void residents_that_are_cut_end_at_once(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, "sampling.interval=200");
    const cycle_t hold = even_time(&spec);
    synth_t *s = even_program(203);
    script_t whole = {0};
    launch_result_t want = run_script(&spec, synth_source(s), 1, 0, &whole);
    script_t t = {.decide_at = 5, .hold = hold};
    t.forward = (fast_forward_t){
        .until = UINT64_MAX, .residents = RESIDENTS_CUT, .warp_insts = (double)want.warp_insts};
    launch_result_t got = run_script(&spec, synth_source(s), 1, 0, &t);

    (void)state;
    /* The first blocks are stopped in the middle; times and counters are estimates of the whole. */
    assert_int_equal(got.sampling.cycle, 1000);
    assert_int_equal(got.sampling.simulated_blocks, 4);
    assert_true(got.sampling.simulated_warp_insts < 4 * (CHAIN + 1) / 2);
    assert_int_equal(launch_result_cycles(&got), launch_result_cycles(&want));
    assert_int_equal(got.blocks, 203);
    assert_int_equal(got.sm.blocks, 203);
    assert_int_equal(got.sm.warps, want.sm.warps);
    assert_int_equal(got.warp_insts, want.warp_insts);
    assert_int_equal(lab_state_sum(&got.sm), got.warp_slot_cycles);
    synth_destroy(s);
}

/* 25 waves of four blocks that hold no slots: the result is the same if they take their true
 * time. */
static void waves_that_are_passed_change_nothing(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, "sampling.interval=200");
    const cycle_t hold = even_time(&spec);
    const cycle_t wave = hold + spec.sched.dispatch_latency + spec.sched.completion_latency;
    synth_t *s = even_program(203);
    script_t t = {.decide_at = 5, .hold = hold};
    t.forward = (fast_forward_t){.until = UINT64_MAX, .residents = RESIDENTS_CUT};
    launch_result_t want = run_script(&spec, synth_source(s), 1, 0, &t);
    script_t passes = {.decide_at = 5, .hold = hold, .forward = t.forward};
    passes.forward.pass = 100;
    passes.forward.pass_cycles = 25.0 * (double)wave;
    launch_result_t got = run_script(&spec, synth_source(s), 1, 0, &passes);

    (void)state;
    assert_int_equal(launch_result_cycles(&got), launch_result_cycles(&want));
    assert_int_equal(got.blocks, 203);
    assert_int_equal(got.sm.blocks, 203);
    assert_int_equal(got.sampling.simulated_cycles, want.sampling.simulated_cycles - 25 * wave);
    synth_destroy(s);
}

/* Warps that wait at barriers, for memory or for their code are cut like any other. */
static void cuts_do_not_depend_on_threads_or_windows(void **state)
{
    static const cycle_t windows[] = {0, 1, 3};
    static lab_results_t results;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "sampling.interval=700");
    char want[SHA256_TEXT] = "", got[SHA256_TEXT];

    (void)state;
    for (size_t w = 0; w < 3; w++) {
        synth_t *s = mix_create(3);
        script_t t = {.decide_at = 2 + w, .hold = 3000};
        const sampler_t sampler = {&script_ops, &t};
        t.forward = (fast_forward_t){
            .until = UINT64_MAX, .residents = RESIDENTS_CUT, .tail = {.full = 7, .floor = 0.3}};
        for (size_t k = 0; k < 3; k++) {
            sha256_init(&t.seen);
            lab_run_sampled(&spec, synth_source(s), 1 + (int)k, windows[k], &sampler, 1, &results);
            lab_hash(&results, got);
            if (k == 0)
                memcpy(want, got, sizeof(want));
            assert_string_equal(got, want);
        }
        synth_destroy(s);
    }
}

/* Five blocks, of which four fit at a time: the last one has the shared resource for itself. */
static void a_last_wave_speeds_up_as_it_shrinks(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, "sampling.interval=100");
    enum { HOLD = 10000 };
    const struct {
        forward_tail_t tail;
        double last; /* share of its predicted time that the fifth block takes */
    } cases[] = {{{0, 0}, 1}, {{4, 0}, 0.25}, {{4, 0.6}, 0.6}, {{2, 0}, 0.5}, {{1, 0}, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        synth_t *s = even_program(5);
        script_t t = {.decide_at = 9, .hold = HOLD};
        t.forward = (fast_forward_t){
            .until = UINT64_MAX, .residents = RESIDENTS_CUT, .tail = cases[i].tail};
        launch_result_t got = run_script(&spec, synth_source(s), 1, 0, &t);
        const double travel = spec.sched.dispatch_latency + spec.sched.completion_latency;
        const double want = spec.gpu.launch_latency + (travel + HOLD) * (1 + cases[i].last);
        /* The first four leave one after another. */
        assert_true(fabs((double)launch_result_cycles(&got) - want) < 8);
        synth_destroy(s);
    }
}

/* A launch whose end is estimated leaves the chip as any other does. */
static void launches_after_an_estimated_one_run_as_ever(void **state)
{
    static lab_results_t results;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "warmup.mode=flush");
    script_t t = {.decide_at = 1,
                  .hold = 100000,
                  .added = 1e6,
                  .forward = {.until = UINT64_MAX, .residents = RESIDENTS_PREDICT}};
    const sampler_t sampler = {&script_ops, &t};
    synth_t *s = mix_create(2);

    (void)state;
    sha256_init(&t.seen);
    for (int model = FORWARD_HOLD_SLOT; model <= FORWARD_REGION_IPC; model++) {
        t.forward.model = (forward_model_t)model;
        lab_run_sampled(&spec, synth_source(s), 2, 0, &sampler, 1, &results);
        for (size_t i = 1; i < results.n; i++) {
            const launch_result_t *r = &results.launch[i];
            assert_true(r->start >= r[-1].end);
            assert_int_equal(lab_state_sum(&r->sm), r->warp_slot_cycles);
        }
    }
    synth_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(records_are_of_everything_that_retires),
        cmocka_unit_test(what_is_written_is_to_be_moved_again),
        cmocka_unit_test(records_do_not_depend_on_threads_or_windows),
        cmocka_unit_test(held_slots_of_equal_blocks_give_the_exact_time),
        cmocka_unit_test(detail_comes_back_at_the_block_named),
        cmocka_unit_test(blocks_left_out_are_never_asked_for),
        cmocka_unit_test(a_region_adds_the_time_that_its_sampler_says),
        cmocka_unit_test(residents_that_are_cut_end_at_once),
        cmocka_unit_test(waves_that_are_passed_change_nothing),
        cmocka_unit_test(cuts_do_not_depend_on_threads_or_windows),
        cmocka_unit_test(a_last_wave_speeds_up_as_it_shrinks),
        cmocka_unit_test(launches_after_an_estimated_one_run_as_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
