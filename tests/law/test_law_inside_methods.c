/* Samplers inside launches, each on launches with known results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/inside/inside_sampler.h"
#include "tests/support/inside_lab.h"

/* --- pka_stop --------------------------------------------------------------------------------- */

static void pka_projects_a_steady_launch(void **state)
{
    static const char *const forms[] = {"pka_stop", "pka_stop:variant=photon",
                                        "pka_stop:variant=artifact,limit=3"};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, "sampling.interval=1024");
    const work_t w = {.blocks = 3000};
    synth_t *s = work_program(&w, 64, 24 * 1024);
    launch_result_t want = run_sampled(&spec, s, 1, 0, "");

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        launch_result_t got = run_sampled(&spec, s, 1, 0, forms[i]);
        assert_true(got.sampling.estimated);
        assert_string_equal(got.sampling.sampler, "pka_stop");
        assert_true(got.sampling.simulated_blocks < 300);
        /* After one wave, the share of blocks done is smaller than the share of work done, by up
         * to the work of the blocks on the SMs. */
        if (relative_error(&got, &want) > 0.25)
            fail_msg("%s: %llu cycles, not %llu", forms[i],
                     (unsigned long long)launch_result_cycles(&got),
                     (unsigned long long)launch_result_cycles(&want));
    }
    synth_destroy(s);
}

/* The projection of the paper is a line through the point of decision, so it can be recomputed. */
static void pka_projects_in_a_line(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, "sampling.interval=1024");
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
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, "sampling.interval=1024");
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
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, "sampling.interval=1024");
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
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "sampling.interval=500");
    synth_t *s = stream_program(&spec, 1000);

    (void)state;
    for (size_t k = 0; k < 4; k++) {
        launch_result_t want = run_sampled(&spec, s, 1, 0, samplers[k]);
        assert_true(want.sampling.estimated);
        for (int run = 0; run < 4; run++) {
            /* More threads than cores, which wait for each other every cycle, took most of the
             * suite's time: the shortest window has one thread. */
            static const int threads[] = {2, 1, 3, 2};
            static const cycle_t windows[] = {0, 1, 0, 3}; /* 0: the longest */
            launch_result_t got = run_sampled(&spec, s, threads[run], windows[run], samplers[k]);
            assert_int_equal(got.end, want.end);
            assert_memory_equal(&got.sm, &want.sm, sizeof(got.sm));
            assert_memory_equal(&got.l2, &want.l2, sizeof(got.l2));
            assert_memory_equal(&got.dram, &want.dram, sizeof(got.dram));
            assert_memory_equal(&got.sampling, &want.sampling, sizeof(got.sampling));
        }
    }
    synth_destroy(s);
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
        cmocka_unit_test(pka_projects_a_steady_launch),
        cmocka_unit_test(pka_projects_in_a_line),
        cmocka_unit_test(pka_that_is_never_stable_simulates_all),
        cmocka_unit_test(some_blocks_stand_for_all),
        cmocka_unit_test(threads_and_windows_do_not_show),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
