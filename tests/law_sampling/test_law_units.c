/* The baselines that simulate units of instructions, on launches with known results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/inside/inside_sampler.h"
#include "sampling/inside/inst_units.h"
#include "tests/support/sim/inside_lab.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/rbt_lab.h"

enum { CHAIN = 200, LONG = 4, BLOCKS = 2000, INSTS = CHAIN + 2 };

/* Blocks of two kinds, in groups of a hundred: a chain, and another chain that depends on
 * itself. */
static bool is_slow(uint64_t block)
{
    return block / 100 % 2 == 1;
}

static void body(synth_warp_t *w, const void *ctx)
{
    const bool *two_kinds = ctx;
    const bool slow = *two_kinds && is_slow(w->block);
    for (unsigned i = 0; i < (slow ? LONG : 1); i++)
        synth_emit_span(w, slow ? CHAIN + 1 : 0, CHAIN + 1);
    synth_emit(w, 2 * CHAIN + 2, (uint32_t)LAB_FULL);
}

static trace_source_t *open_program(const bool *two_kinds)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "kinds",
        &(synth_shape_t){.grid = {BLOCKS}, .block = {32}, .regs = 32, .shared = 48 * 1024});
    for (unsigned i = 0; i < CHAIN; i++)
        synth_code(k, "FFMA", "R1", "R2 R2 R3");
    synth_code(k, "BRA", "", "");
    for (unsigned i = 0; i < CHAIN; i++)
        synth_code(k, "FFMA", "R1", "R1 R2 R3");
    synth_code(k, "BRA", "", "");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, body, two_kinds);
    temp_folder_create();
    rbt_lab_store(synth_source(s), temp_path("kinds.rbt"), 1);
    synth_destroy(s);
    return rbt_lab_open(temp_path("kinds.rbt"));
}

static void close_program(trace_source_t *source)
{
    source->ops->destroy(source);
    temp_folder_remove();
}

/* Divides the program into units by a rule. */
static void make(inst_units_t *u, trace_source_t *source, const units_rule_t *rule)
{
    launch_info_t info;
    rb_err_t err = {0};
    assert_int_equal(source->ops->launch_info(source, 1, &info, &err), RB_OK);
    const sampler_launch_t l = {.info = &info, .source = source, .position = 1};
    if (inst_units_make(u, &l, rule, &err) != RB_OK)
        fail_msg("%s", err.text);
}

static void units_have_the_instructions_asked_for(void **state)
{
    static const bool two_kinds = true;
    trace_source_t *source = open_program(&two_kinds);
    static const units_rule_t rule = {.size = 10000, .share = 0.1, .seed = 4};
    inst_units_t u;
    uint64_t at = 0, slow = 0;

    (void)state;
    make(&u, source, &rule);
    for (size_t i = 0; i < u.n; i++) {
        const inst_unit_t *unit = &u.list[i];
        const uint64_t insts =
            block_insts_before(&u.insts, unit->end) - block_insts_before(&u.insts, unit->first);
        assert_int_equal(unit->first, at);
        assert_int_equal(inst_units_find(&u, unit->first), i);
        assert_int_equal(inst_units_find(&u, unit->end - 1), i);
        if (i + 1 < u.n) /* not a block more than needed */
            assert_true(insts >= 10000 && insts < 10000 + LONG * INSTS);
        at = unit->end;
    }
    assert_int_equal(at, BLOCKS);
    for (uint64_t b = 0; b < BLOCKS; b++)
        slow += is_slow(b);
    assert_int_equal(block_insts_before(&u.insts, BLOCKS),
                     BLOCKS + (BLOCKS - slow + slow * LONG) * (CHAIN + 1));
    assert_int_equal(u.n_chosen, (uint64_t)llround(0.1 * (double)u.n));
    inst_units_free(&u);
    close_program(source);
}

static void the_choice_is_what_its_name_says(void **state)
{
    static const bool two_kinds = true;
    trace_source_t *source = open_program(&two_kinds);
    units_rule_t rule = {.size = 20000, .share = 0.25, .seed = 4};
    inst_units_t u;
    size_t last = SIZE_MAX;

    (void)state;
    make(&u, source, &rule);
    for (size_t i = 0; i < u.n; i++) {
        if (u.list[i].chosen && last != SIZE_MAX)
            assert_true(i - last >= 3 && i - last <= 5);
        last = u.list[i].chosen ? i : last;
    }
    inst_units_free(&u);
    rule.which = UNITS_RANDOM;
    make(&u, source, &rule);
    assert_int_equal(u.n_chosen, (uint64_t)llround(0.25 * (double)u.n));
    inst_units_free(&u);
    /* Units of a hundred short blocks or fewer contain one kind each, except for those at a
     * border. */
    rule = (units_rule_t){
        .which = UNITS_SIMPOINT, .size = 5000, .clusters = 6, .bic = 0.9, .dimensions = 8};
    make(&u, source, &rule);
    assert_true(u.n_clusters >= 2 && u.n_clusters <= 6);
    assert_int_equal(u.n_chosen, u.n_clusters);
    uint32_t of[2] = {UINT32_MAX, UINT32_MAX};
    for (size_t i = 0; i < u.n; i++) {
        const inst_unit_t *unit = &u.list[i];
        if (unit->first / 100 != (unit->end - 1) / 100)
            continue;
        uint32_t *cluster = &of[is_slow(unit->first)];
        if (*cluster == UINT32_MAX)
            *cluster = unit->cluster;
        assert_int_equal(unit->cluster, *cluster);
    }
    assert_int_not_equal(of[0], of[1]);
    inst_units_free(&u);
    close_program(source);
}

static void units_stand_for_the_launch(void **state)
{
    static const char *const forms[] = {"units:size=20000,share=0.2",
                                        "units:size=20000,share=0.3,which=random",
                                        "units:size=15000,which=simpoint"};
    static const bool kinds[] = {false, true};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, "sampling.interval=64");

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        trace_source_t *source = open_program(&kinds[k]);
        launch_result_t want = run_sampled_source(&spec, source, 1, 0, "");
        for (size_t i = 0; i < 3; i++) {
            launch_result_t got = run_sampled_source(&spec, source, 1, 0, forms[i]);
            assert_true(got.sampling.estimated);
            assert_string_equal(got.sampling.sampler, "units");
            assert_true(got.sampling.simulated_blocks < BLOCKS / 2);
            assert_int_equal(got.blocks, BLOCKS);
            assert_int_equal(got.warp_insts, want.warp_insts);
            lab_assert_near((double)launch_result_cycles(&got), (double)launch_result_cycles(&want),
                            k == 0 ? 0.05 : 0.2, forms[i]);
        }
        close_program(source);
    }
}

static void all_units_are_the_whole_launch(void **state)
{
    static const bool two_kinds = true;
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, "sampling.interval=64");
    trace_source_t *source = open_program(&two_kinds);
    launch_result_t want = run_sampled_source(&spec, source, 1, 0, "");
    static const char *const forms[] = {"units:share=1,size=30000", "units:size=1000000000"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        launch_result_t got = run_sampled_source(&spec, source, 1, 0, forms[i]);
        assert_false(got.sampling.estimated);
        assert_int_equal(got.end, want.end);
        assert_memory_equal(&got.sm, &want.sm, sizeof(got.sm));
        assert_non_null(strstr(got.sampling.evidence, "all "));
    }
    close_program(source);
}

static void units_smaller_than_an_interval_are_estimated_too(void **state)
{
    static const bool two_kinds = false;
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, "sampling.interval=5000");
    trace_source_t *source = open_program(&two_kinds);
    launch_result_t want = run_sampled_source(&spec, source, 1, 0, "");
    launch_result_t got = run_sampled_source(&spec, source, 1, 0, "units:size=300,share=0.1");

    (void)state;
    assert_int_equal(got.warp_insts, want.warp_insts);
    lab_assert_near((double)launch_result_cycles(&got), (double)launch_result_cycles(&want), 0.1,
                    "cycles");
    close_program(source);
}

/* The time of a unit is that of executing its instructions, not of dispatching them, and no unit
 * includes the launch latency. */
static void units_of_less_than_a_wave_are_no_slower_than_others(void **state)
{
    static const char *const forms[] = {"units:size=1000,share=0.05,which=random",
                                        "units:size=1000,which=simpoint",
                                        "units:size=400,share=0.05"};
    static const bool two_kinds = false;
    trace_source_t *source = open_program(&two_kinds);

    (void)state;
    for (uint32_t interval = 64; interval <= 4096; interval *= 8) {
        char set[48];
        snprintf(set, sizeof(set), "sampling.interval=%u", interval);
        gpu_spec_t spec = LAB_SPEC("v100", EVEN, set, "gpu.launch_latency=20000");
        launch_result_t want = run_sampled_source(&spec, source, 1, 0, "");
        for (size_t i = 0; i < 3; i++) {
            launch_result_t got = run_sampled_source(&spec, source, 1, 0, forms[i]);
            assert_true(got.sampling.estimated);
            lab_assert_near((double)launch_result_cycles(&got), (double)launch_result_cycles(&want),
                            0.15, forms[i]);
        }
    }
    close_program(source);
}

static void threads_and_windows_do_not_show(void **state)
{
    static const cycle_t windows[] = {0, 1, 3};
    static const int threads[] = {1, 2, 3, 8};
    static const bool two_kinds = true;
    static lab_results_t results;
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, "sampling.interval=64");
    trace_source_t *source = open_program(&two_kinds);
    char want[SHA256_TEXT] = "", got[SHA256_TEXT];

    (void)state;
    for (size_t w = 0; w < 3; w++) {
        for (size_t t = 0; t < 4; t++) {
            run_sampled_into(&spec, source, threads[t], windows[w], "units:size=20000,which=random",
                             &results);
            lab_hash(&results, got);
            if (want[0] == '\0')
                memcpy(want, got, sizeof(want));
            assert_string_equal(got, want);
        }
    }
    close_program(source);
}

static void mistakes_are_named(void **state)
{
    static const char *const wrong[] = {"units:size=0",       "units:share=2",
                                        "units:which=first",  "units:clusters=0",
                                        "units:dimensions=0", "units:bic=-1"};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, "sampling.interval=64");
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        inside_list_t list = {0};
        rb_err_t err = {0};
        assert_int_equal(inside_list_add(&list, wrong[i], 1, &err), RB_USAGE);
        inside_list_free(&list);
    }
    /* Without an index. */
    synth_t *s = synth_create();
    launch_info_t info = {.n_blocks = 1};
    const sampler_launch_t l = {.info = &info, .spec = &spec, .source = synth_source(s)};
    static const units_rule_t rule = {.size = 1};
    inst_units_t u;
    rb_err_t err = {0};
    assert_int_equal(inst_units_make(&u, &l, &rule, &err), RB_USAGE);
    assert_non_null(strstr(err.text, "rubato convert"));
    inst_units_free(&u);
    synth_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_have_the_instructions_asked_for),
        cmocka_unit_test(the_choice_is_what_its_name_says),
        cmocka_unit_test(units_stand_for_the_launch),
        cmocka_unit_test(all_units_are_the_whole_launch),
        cmocka_unit_test(units_smaller_than_an_interval_are_estimated_too),
        cmocka_unit_test(units_of_less_than_a_wave_are_no_slower_than_others),
        cmocka_unit_test(threads_and_windows_do_not_show),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
