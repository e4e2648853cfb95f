/* Samplers inside launches, each on launches whose result can be known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/inside/inside_sampler.h"
#include "sampling/inside/read_ahead.h"
#include "tests/support/lab.h"

#define SMALL                                                                                      \
    "sm.count=4", "mem.partitions=2", "l2.slices=4", "l2.size=768KiB", "gpu.launch_latency=700"
#define EVEN SMALL, "icache.perfect=true", "const.perfect=true"

/* --- programs --------------------------------------------------------------------------------- */

typedef struct {
    unsigned length;    /* instructions of a short warp */
    uint64_t blocks;    /* of the launch */
    unsigned irregular; /* longest warp in lengths of the shortest */
    bool growing;       /* later blocks are longer */
} work_t;

enum { CHAIN = 200 };

/* Passes over a loop of CHAIN instructions. */
static unsigned passes(const work_t *w, uint64_t block)
{
    if (w->irregular == 0)
        return 1;
    if (w->growing)
        return 1 + (unsigned)(block * w->irregular / w->blocks);
    return 1 + (unsigned)(synth_mix(block) % w->irregular);
}

static void work_body(synth_warp_t *warp, const void *ctx)
{
    const work_t *w = ctx;
    for (unsigned i = passes(w, warp->block); i > 0; i--)
        synth_emit_span(warp, 0, CHAIN + 1);
    synth_emit_span(warp, CHAIN + 1, 1);
}

/* Blocks of threads that compute; slots: blocks that an SM holds. */
static synth_t *work_program(const work_t *w, uint32_t threads, uint32_t shared)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "work",
        &(synth_shape_t){
            .grid = {(uint32_t)w->blocks}, .block = {threads}, .regs = 32, .shared = shared});
    for (unsigned i = 0; i < CHAIN; i++)
        synth_code(k, "FFMA", "R1", "R1 R2 R3");
    synth_code(k, "BRA", "", "");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, work_body, w);
    return s;
}

static uint64_t streaming(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    return 0x10000000 + ((warp * 8 + step) * 32 + lane) * 4;
}

/* Blocks that stream through DRAM: no two take the same time. */
static synth_t *stream_program(const gpu_spec_t *spec, uint32_t blocks)
{
    synth_t *s = synth_create();
    const lab_access_t a = {.op = {"LDG.E", NULL, "R2"},
                            .blocks = blocks,
                            .threads = 128,
                            .regs = 64,
                            .mask = 0xffffffff,
                            .steps = 8,
                            .address = streaming};
    lab_access_add(s, spec, &a);
    return s;
}

/* Runs s, with one launch, under the samplers of a list ("": none). */
static launch_result_t run_sampled(const gpu_spec_t *spec, synth_t *s, int threads, cycle_t window,
                                   const char *sampler)
{
    static lab_results_t results;
    inside_list_t list = {0};
    rb_err_t err = {0};
    if (sampler[0] != '\0' && inside_list_add(&list, sampler, 1, &err) != RB_OK)
        fail_msg("%s", err.text);
    lab_run_sampled(spec, synth_source(s), threads, window, list.samplers, list.n, &results);
    inside_list_free(&list);
    assert_int_equal(results.n, 1);
    return results.launch[0];
}

static double relative_error(const launch_result_t *got, const launch_result_t *want)
{
    return fabs((double)launch_result_cycles(got) / (double)launch_result_cycles(want) - 1);
}

/* --- photon_warp ------------------------------------------------------------------------------ */

static void equal_blocks_are_predicted_exactly(void **state)
{
    static const char *const forms[] = {"photon_warp", "photon_warp:residents=drain",
                                        "photon_warp:hold=warp", "photon_warp:waves=3"};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    const work_t w = {.blocks = 1003};
    synth_t *s = work_program(&w, 32, 48 * 1024); /* two blocks on an SM: 126 waves */
    launch_result_t want = run_sampled(&spec, s, 1, 0, "");

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        launch_result_t got = run_sampled(&spec, s, 1, 0, forms[i]);
        assert_true(got.sampling.estimated);
        assert_int_equal(launch_result_cycles(&got), launch_result_cycles(&want));
        assert_int_equal(got.warp_insts, want.warp_insts);
        assert_true(got.sampling.simulated_blocks < 1003);
        assert_string_equal(got.sampling.sampler, "photon_warp");
        assert_true(strstr(got.sampling.evidence, "slope 1.0000") != NULL);
    }
    synth_destroy(s);
}

static void a_uniform_kernel_of_multi_warp_blocks_is_within_two_percent(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    synth_t *s = stream_program(&spec, 4000);
    launch_result_t want = run_sampled(&spec, s, 1, 0, "");
    launch_result_t got = run_sampled(&spec, s, 1, 0, "photon_warp");

    (void)state;
    assert_true(got.sampling.estimated);
    assert_true(got.sampling.simulated_blocks < 1500);
    assert_true(relative_error(&got, &want) < 0.02);
    assert_int_equal(got.blocks, 4000);
    lab_assert_near((double)got.dram.read_sectors, (double)want.dram.read_sectors, 0.02,
                    "sectors read from DRAM");
    synth_destroy(s);
}

static void an_unstable_launch_is_simulated_whole_and_says_so(void **state)
{
    static const work_t irregular = {.blocks = 400, .irregular = 20},
                        growing = {.blocks = 400, .irregular = 20, .growing = true};
    static const work_t *const works[] = {&irregular, &growing};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        synth_t *s = work_program(works[i], 32, 48 * 1024);
        launch_result_t want = run_sampled(&spec, s, 1, 0, "");
        launch_result_t got = run_sampled(&spec, s, 1, 0, "photon_warp:sample=1");
        assert_false(got.sampling.estimated);
        assert_int_equal(got.end, want.end);
        assert_memory_equal(&got.sm, &want.sm, sizeof(got.sm));
        assert_true(strstr(got.sampling.evidence, "no dominant type of warp") != NULL);
        /* With any type accepted, durations that differ this much do not pass either. */
        got = run_sampled(&spec, s, 1, 0, "photon_warp:dominant=0,variant=code");
        assert_false(got.sampling.estimated);
        assert_true(got.sampling.evidence[0] != '\0');
        synth_destroy(s);
    }
}

static void a_short_launch_is_simulated_whole(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    const work_t w = {.blocks = 100};
    synth_t *s = work_program(&w, 32, 48 * 1024);
    launch_result_t got = run_sampled(&spec, s, 1, 0, "photon_warp");

    (void)state;
    assert_false(got.sampling.estimated);
    assert_true(strstr(got.sampling.evidence, "too few warps") != NULL);
    synth_destroy(s);
}

/* --- pka_stop --------------------------------------------------------------------------------- */

static void pka_projects_a_steady_launch(void **state)
{
    static const char *const forms[] = {"pka_stop", "pka_stop:variant=photon",
                                        "pka_stop:variant=artifact,limit=3"};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    const work_t w = {.blocks = 3000};
    synth_t *s = work_program(&w, 64, 24 * 1024);
    launch_result_t want = run_sampled(&spec, s, 1, 0, "");

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        launch_result_t got = run_sampled(&spec, s, 1, 0, forms[i]);
        assert_true(got.sampling.estimated);
        assert_string_equal(got.sampling.sampler, "pka_stop");
        assert_true(got.sampling.simulated_blocks < 300);
        /* Blocks done is less than work done: after one wave, by up to what is on the SMs. */
        if (relative_error(&got, &want) > 0.25)
            fail_msg("%s: %llu cycles, not %llu", forms[i],
                     (unsigned long long)launch_result_cycles(&got),
                     (unsigned long long)launch_result_cycles(&want));
    }
    synth_destroy(s);
}

/* The projection of the paper is a line through the decision: it can be recomputed. */
static void pka_projects_in_a_line(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    const work_t w = {.blocks = 3000};
    synth_t *s = work_program(&w, 64, 24 * 1024);
    launch_result_t got = run_sampled(&spec, s, 1, 0, "pka_stop");
    unsigned long done = 0;

    (void)state;
    const char *at = strstr(got.sampling.evidence, "points, ");
    assert_non_null(at);
    done = strtoul(at + strlen("points, "), NULL, 10);
    assert_true(done >= 4 * 4);
    double elapsed = (double)(got.sampling.cycle - spec.gpu.launch_latency);
    lab_assert_near((double)launch_result_cycles(&got),
                    (double)spec.gpu.launch_latency + elapsed * 3000 / (double)done, 1e-4,
                    "cycles of the line");
    synth_destroy(s);
}

static void pka_that_is_never_stable_simulates_all(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    const work_t w = {.blocks = 300};
    synth_t *s = work_program(&w, 64, 24 * 1024);
    launch_result_t want = run_sampled(&spec, s, 1, 0, "");
    launch_result_t got = run_sampled(&spec, s, 1, 0, "pka_stop:limit=0");

    (void)state;
    assert_false(got.sampling.estimated);
    assert_int_equal(got.end, want.end);
    assert_true(strstr(got.sampling.evidence, "never stable") != NULL);
    synth_destroy(s);
}

/* --- blocks ----------------------------------------------------------------------------------- */

static void some_blocks_stand_for_all(void **state)
{
    static const char *const forms[] = {"blocks:count=400", "blocks:count=400,which=last",
                                        "blocks:count=400,which=random"};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    const work_t w = {.blocks = 4000};
    synth_t *s = work_program(&w, 32, 48 * 1024);
    launch_result_t want = run_sampled(&spec, s, 1, 0, "");

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        launch_result_t got = run_sampled(&spec, s, 1, 0, forms[i]);
        assert_int_equal(got.sampling.simulated_blocks, 400);
        assert_int_equal(got.warp_insts, want.warp_insts);
        assert_true(relative_error(&got, &want) < 0.02);
        if (i == 1)
            assert_int_equal(got.sampling.block, 0);
    }
    launch_result_t all = run_sampled(&spec, s, 1, 0, "blocks:count=5000,which=random");
    assert_false(all.sampling.estimated);
    assert_int_equal(all.end, want.end);
    synth_destroy(s);
}

/* --- all -------------------------------------------------------------------------------------- */

static void threads_and_windows_do_not_show(void **state)
{
    static const char *const samplers[] = {"photon_warp", "photon_warp:residents=drain",
                                           "pka_stop:limit=1", "blocks:count=300,which=random"};
    static const cycle_t windows[] = {0, 1, 3};
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "sampling.interval=500");
    synth_t *s = stream_program(&spec, 2500);

    (void)state;
    for (size_t k = 0; k < 4; k++) {
        launch_result_t want = run_sampled(&spec, s, 1, 0, samplers[k]);
        assert_true(want.sampling.estimated);
        for (int run = 1; run < 5; run++) {
            /* (threads, window): (2, W), (3, 1), (1, 3), (2, 3) */
            static const int threads[] = {1, 2, 3, 1, 2}, window[] = {0, 0, 1, 2, 2};
            launch_result_t got =
                run_sampled(&spec, s, threads[run], windows[window[run]], samplers[k]);
            assert_int_equal(got.end, want.end);
            assert_memory_equal(&got.sm, &want.sm, sizeof(got.sm));
            assert_memory_equal(&got.l2, &want.l2, sizeof(got.l2));
            assert_memory_equal(&got.dram, &want.dram, sizeof(got.dram));
            assert_memory_equal(&got.sampling, &want.sampling, sizeof(got.sampling));
        }
    }
    synth_destroy(s);
}

static void reading_ahead_finds_the_types_of_warps(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    const work_t even = {.blocks = 1000}, mixed = {.blocks = 1000, .irregular = 4};
    rb_err_t err = {0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        synth_t *s = work_program(i == 0 ? &even : &mixed, 64, 0);
        trace_source_t *source = synth_source(s);
        launch_info_t info;
        read_ahead_t ahead;
        assert_int_equal(source->ops->launch_info(source, 1, &info, &err), RB_OK);
        const sampler_launch_t l = {.info = &info, .spec = &spec, .source = source, .position = 1};
        assert_int_equal(read_ahead(&l, 0.01, 16, &ahead, &err), RB_OK);
        assert_int_equal(ahead.blocks, 16);
        read_ahead_free(&ahead);
        assert_int_equal(read_ahead(&l, i == 0 ? 0.05 : 1, 16, &ahead, &err), RB_OK);
        assert_int_equal(ahead.blocks, i == 0 ? 50 : 1000);
        assert_int_equal(ahead.warps, 2 * ahead.blocks);
        assert_int_equal(ahead.types, i == 0 ? 1 : 4);
        if (i == 0) {
            lab_assert_equal(ahead.dominant_share, 1, "share of the only type");
            assert_int_equal(ahead.dominant_insts, CHAIN + 2);
        } else {
            lab_assert_near(ahead.dominant_share, 0.25, 0.2, "share of one of four types");
        }
        read_ahead_free(&ahead);
        synth_destroy(s);
    }
}

static void wrong_options_are_refused(void **state)
{
    static const struct {
        const char *item, *says;
    } cases[] = {
        {"photon_warp:delta=2", "delta"},
        {"photon_warp:detla=0.1", "delta"},
        {"blocks:count=0", "count"},
        {"blocks:which=middle", "which"},
        {"pka_stop:variant=papers", "variant"},
        {"pka_stop:window", "option=value"},
        {"photon", "no sampler"},
        {"", "no sampler"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        inside_list_t list = {0};
        rb_err_t err = {0};
        assert_int_equal(inside_list_add(&list, cases[i].item, 1, &err), RB_USAGE);
        if (strstr(err.text, cases[i].says) == NULL)
            fail_msg("%s: '%s' does not say '%s'", cases[i].item, err.text, cases[i].says);
        assert_int_equal(list.n, 0);
        inside_list_free(&list);
    }
    inside_list_t list = {0};
    rb_err_t err = {0};
    assert_int_equal(inside_list_add(&list, "blocks", 1, &err), RB_OK);
    assert_int_equal(inside_list_add(&list, "blocks:count=3", 1, &err), RB_USAGE);
    assert_string_equal(list.texts[0], "blocks:count=1000,which=first");
    inside_list_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_blocks_are_predicted_exactly),
        cmocka_unit_test(a_uniform_kernel_of_multi_warp_blocks_is_within_two_percent),
        cmocka_unit_test(an_unstable_launch_is_simulated_whole_and_says_so),
        cmocka_unit_test(a_short_launch_is_simulated_whole),
        cmocka_unit_test(pka_projects_a_steady_launch),
        cmocka_unit_test(pka_projects_in_a_line),
        cmocka_unit_test(pka_that_is_never_stable_simulates_all),
        cmocka_unit_test(some_blocks_stand_for_all),
        cmocka_unit_test(threads_and_windows_do_not_show),
        cmocka_unit_test(reading_ahead_finds_the_types_of_warps),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
