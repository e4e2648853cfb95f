/* Samplers inside launches, each on launches with known results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/inside/inside_sampler.h"
#include "sampling/launch/sampler_options.h"
#include "sim/conf/param_value.h"
#include "tests/support/sim/inside_lab.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/rbt_lab.h"

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
        {"photon", "not a sampler"},
        {"", "not a sampler"},
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

/* --- options that do not act ------------------------------------------------------------------- */

/* Another legal value of an option, as text; false: none is known. */
static bool other_value(const param_t *p, const void *values, char text[PARAM_VALUE_TEXT])
{
    const void *at = (const char *)values + p->offset;
    const double now = p->type == PARAM_TYPE_F64   ? *(const double *)at
                       : p->type == PARAM_TYPE_U32 ? *(const uint32_t *)at
                                                   : 0;
    const double most = fmin(p->max, 1e6), other = 2 * now + 1 <= most ? 2 * now + 1 : most / 2;
    switch (p->type) {
    case PARAM_TYPE_BOOL:
        snprintf(text, PARAM_VALUE_TEXT, "%s", *(const bool *)at ? "false" : "true");
        return true;
    case PARAM_TYPE_ENUM:
        snprintf(text, PARAM_VALUE_TEXT, "%s", p->choices[*(const uint32_t *)at == 0 ? 1 : 0].name);
        return true;
    case PARAM_TYPE_F64:
        snprintf(text, PARAM_VALUE_TEXT, "%.6g", other);
        return true;
    case PARAM_TYPE_U32:
        snprintf(text, PARAM_VALUE_TEXT, "%u", (unsigned)other);
        return true;
    default:
        return false;
    }
}

static void check_same(const launch_result_t *got, const launch_result_t *want, const char *sampler)
{
    if (launch_result_cycles(got) != launch_result_cycles(want) ||
        got->sampling.simulated_blocks != want->sampling.simulated_blocks ||
        strcmp(got->sampling.evidence, want->sampling.evidence) != 0)
        fail_msg("%s: an option acts that is said to be idle", sampler);
}

/* Tries every option that is idle with these options of a method. Returns how many. */
static size_t try_idle(const gpu_spec_t *spec, trace_source_t *source, const inside_method_t *m,
                       const char *with)
{
    char base[256], text[PARAM_VALUE_TEXT], why[128];
    sampler_options_t o = {m->ops->name, m->options, calloc(1, m->options->spec_size), NULL};
    launch_result_t want = {0};
    rb_err_t err = {0};
    size_t n = 0;
    param_group_defaults(m->options, o.values);
    snprintf(base, sizeof(base), "%s", with);
    assert_int_equal(sampler_options_read(&o, base, &err), RB_OK);
    snprintf(base, sizeof(base), "%s:%s", m->ops->name, with);
    for (size_t i = 0; i < m->options->n_params; i++) {
        const param_t *p = &m->options->params[i];
        if (!sampler_option_idle(&o, p, why) || !other_value(p, o.values, text))
            continue;
        char changed[PARAM_VALUE_TEXT + 384];
        snprintf(changed, sizeof(changed), "%s,%s=%s", base, p->name, text);
        if (n++ == 0)
            want = run_sampled_source(spec, source, 1, 0, base);
        const launch_result_t got = run_sampled_source(spec, source, 1, 0, changed);
        check_same(&got, &want, changed);
    }
    free(o.values);
    return n;
}

/* What a warning calls idle has no effect, in any variant of any sampler. */
static void options_that_are_said_to_be_idle_are(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, "sampling.interval=1024");
    const work_t w = {.blocks = 600, .irregular = 4};
    synth_t *s = work_program(&w, 64, 24 * 1024);
    size_t n = 0;

    (void)state;
    temp_folder_create();
    rbt_lab_store(synth_source(s), temp_path("work.rbt"), 1); /* tbpoint_region needs an index */
    trace_source_t *source = rbt_lab_open(temp_path("work.rbt"));
    for (size_t i = 0; i < n_inside_methods; i++) {
        const inside_method_t *m = inside_methods[i];
        for (size_t k = 0; k < m->options->n_params; k++) {
            const param_t *p = &m->options->params[k];
            if (strcmp(p->name, "variant") != 0) /* no other choice says what acts */
                continue;
            for (size_t c = 0; p->choices != NULL && p->choices[c].name != NULL; c++) {
                char with[128];
                snprintf(with, sizeof(with), "%s=%s", p->name, p->choices[c].name);
                n += try_idle(&spec, source, m, with);
            }
        }
    }
    assert_true(n > 30);
    source->ops->destroy(source);
    synth_destroy(s);
    temp_folder_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pka_projects_a_steady_launch),
        cmocka_unit_test(pka_projects_in_a_line),
        cmocka_unit_test(pka_that_is_never_stable_simulates_all),
        cmocka_unit_test(some_blocks_stand_for_all),
        cmocka_unit_test(threads_and_windows_do_not_show),
        cmocka_unit_test(options_that_are_said_to_be_idle_are),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
