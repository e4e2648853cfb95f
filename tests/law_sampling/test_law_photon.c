/* Photon's levels inside launches, on launches with known results. */
#include <string.h>
#include <zstd.h>

#include "tests/support/sim/inside_lab.h"
#include "tests/support/sim/witness.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/rbt_lab.h"

/* --- photon_warp ------------------------------------------------------------------------------ */

static void equal_blocks_are_predicted_exactly(void **state)
{
    static const char *const forms[] = {"photon_warp", "photon_warp:residents=drain",
                                        "photon_warp:hold=warp",
                                        "photon_warp:variant=paper,window=128"};
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
        assert_non_null(
            strstr(got.sampling.evidence, i == 3 ? "slope 1.0000" : "in the first half"));
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

/* 98 % of the warps are of one type, but the others execute half of the instructions. */
static void a_type_dominates_by_its_instructions(void **state)
{
    static const work_t w = {.blocks = 2000, .rare = 50, .rare_loops = 49};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    synth_t *s = work_program(&w, 32, 48 * 1024);
    launch_result_t got = run_sampled(&spec, s, 1, 0, "photon_warp:sample=1");

    (void)state;
    assert_false(got.sampling.estimated);
    assert_non_null(strstr(got.sampling.evidence, "the most frequent of 2 has 50.1 % of 2000 "
                                                  "warps' instructions"));
    got = run_sampled(&spec, s, 1, 0, "photon_warp:sample=1,variant=paper");
    assert_null(strstr(got.sampling.evidence, "no dominant type"));
    synth_destroy(s);
}

static void a_short_launch_is_simulated_whole(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    const work_t w = {.blocks = 20};
    synth_t *s = work_program(&w, 32, 48 * 1024);
    launch_result_t got = run_sampled(&spec, s, 1, 0, "photon_warp");

    (void)state;
    assert_false(got.sampling.estimated);
    assert_true(strstr(got.sampling.evidence, "too few warps") != NULL);
    synth_destroy(s);
}

/* --- photon_bb -------------------------------------------------------------------------------- */

/* Two and a half waves of warps that loop a thousand times: the first iterations are
 * representative. */
static void long_loops_are_predicted_in_the_first_wave(void **state)
{
    static const struct {
        const char *form;
        double share; /* of the instructions that may be simulated */
    } cases[] = {{"photon_bb", 0.11},
                 {"photon_bb:part=0", 0.03},
                 {"photon_bb:variant=paper,window=128", 0.5},
                 {"photon_bb:variant=code,window=128,tail=off", 0.2},
                 {"photon_bb:residents=predict", 0.5},
                 {"photon_bb:residents=drain", 0.5},
                 {"photon_bb:hold=warp,rare=interval", 0.11}};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    const work_t w = {.blocks = 20, .loops = 1000};
    synth_t *s = work_program(&w, 32, 48 * 1024); /* eight at once */
    launch_result_t want = run_sampled(&spec, s, 1, 0, "");

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        launch_result_t got = run_sampled(&spec, s, 1, 0, cases[i].form);
        assert_true(got.sampling.estimated);
        assert_string_equal(got.sampling.sampler, "photon_bb");
        assert_int_equal(got.blocks, 20);
        assert_true((double)got.sampling.simulated_warp_insts <=
                    cases[i].share * (double)want.warp_insts);
        if (relative_error(&got, &want) > 0.001)
            fail_msg("%s: %llu cycles, not %llu", cases[i].form,
                     (unsigned long long)launch_result_cycles(&got),
                     (unsigned long long)launch_result_cycles(&want));
        lab_assert_near((double)got.warp_insts, (double)want.warp_insts, 1e-6, "instructions");
        assert_int_equal(lab_state_sum(&got.sm), got.warp_slot_cycles);
    }
    synth_destroy(s);
}

/* If some warps issue all the time and others rarely, the times of the first represent only a
 * few warps. The rate at which all warps issue tells how long blocks take. */
static void warps_that_are_preferred_do_not_speak_for_all(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, "sm.count=1", "sm.scheduler=cggty");
    const work_t w = {.blocks = 90, .loops = 200};
    synth_t *s = work_program(&w, 32, 0); /* eight warps per scheduler, which two would keep busy */
    launch_result_t want = run_sampled(&spec, s, 1, 0, "");
    launch_result_t got = run_sampled(&spec, s, 1, 0, "photon_bb:loops=100");
    launch_result_t alone = run_sampled(&spec, s, 1, 0, "photon_bb:loops=100,hold=warp");

    (void)state;
    assert_true(got.sampling.estimated && alone.sampling.estimated);
    assert_true(relative_error(&got, &want) < 0.15);
    assert_true(relative_error(&alone, &want) > 0.7);
    synth_destroy(s);
}

/* Warps of many types with the same basic blocks: photon_warp must not stop here. */
static void blocks_of_different_lengths_are_predicted_each(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    static const work_t random = {.blocks = 600, .irregular = 50},
                        growing = {.blocks = 600, .irregular = 50, .growing = true};
    static const work_t *const works[] = {&random, &growing};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        synth_t *s = work_program(works[i], 64, 48 * 1024);
        launch_result_t want = run_sampled(&spec, s, 1, 0, "");
        launch_result_t got = run_sampled(&spec, s, 1, 0, "photon_bb photon_warp");
        assert_true(got.sampling.estimated);
        assert_string_equal(got.sampling.sampler, "photon_bb");
        assert_true(got.sampling.simulated_blocks < 200);
        if (relative_error(&got, &want) > 0.005)
            fail_msg("%llu cycles, not %llu: %s", (unsigned long long)launch_result_cycles(&got),
                     (unsigned long long)launch_result_cycles(&want), got.sampling.evidence);
        synth_destroy(s);
    }
}

static void a_launch_that_is_never_stable_is_simulated_whole(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    const work_t w = {.blocks = 12};
    synth_t *s = work_program(&w, 32, 48 * 1024);
    launch_result_t want = run_sampled(&spec, s, 1, 0, "");
    launch_result_t got = run_sampled(&spec, s, 1, 0, "photon_bb photon_warp");
    launch_result_t tried = run_sampled(&spec, s, 1, 0, "photon_bb:loops=0");

    (void)state;
    assert_false(tried.sampling.estimated);
    assert_int_equal(tried.end, want.end);
    assert_non_null(strstr(tried.sampling.evidence, "never stable"));
    assert_false(got.sampling.estimated);
    assert_int_equal(got.end, want.end);
    assert_memory_equal(&got.sm, &want.sm, sizeof(got.sm));
    assert_non_null(strstr(got.sampling.evidence, "photon_bb: few waves"));
    assert_non_null(strstr(got.sampling.evidence, "photon_warp: too few warps"));
    synth_destroy(s);
}

static rb_code_t (*get_whole)(trace_launch_t *, uint64_t, trace_block_t **, rb_err_t *);

static rb_code_t get_part(trace_launch_t *l, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    *out = NULL;
    return index < 400 ? get_whole(l, index, out, err) : RB_OK;
}

/* The grid has more blocks than the trace: blocks that are not in the trace are not predicted. */
static void a_launch_with_missing_blocks_is_simulated_whole(void **state)
{
    static witness_t w;
    static const work_t work = {.blocks = 1000, .loops = 10};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    synth_t *s = work_program(&work, 64, 48 * 1024);

    (void)state;
    witness_init(&w, synth_source(s));
    get_whole = w.ops.get_block;
    w.ops.get_block = get_part;
    launch_result_t got = run_sampled_source(&spec, &w.pub, 1, 0, "photon_bb photon_warp");
    assert_false(got.sampling.estimated);
    assert_int_equal(got.blocks, 400);
    assert_non_null(strstr(got.sampling.evidence, "the trace does not have"));
    synth_destroy(s);
}

/* --- all -------------------------------------------------------------------------------------- */

/* The last frame of blocks is damaged, which goes unnoticed if it is not read. */
static void skipped_blocks_are_not_read_from_a_native_trace(void **state)
{
    static const char *const forms[] = {"photon_bb:check=off", "photon_warp:check=off",
                                        "photon_bb:check=off photon_warp:check=off"};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    const work_t w = {.blocks = 1500, .loops = 10};
    synth_t *s = work_program(&w, 64, 48 * 1024);
    rb_err_t err = {0};
    rbt_page_t page;

    (void)state;
    const char *path = rbt_lab_store_temp(synth_source(s));
    trace_source_t *stored = rbt_lab_open(path);
    rbt_unpacker_t *unpacker = ZSTD_createDCtx();
    rbt_file_t *file = rbt_source_file(stored);
    assert_int_equal(rbt_page_read(&page, file, file->n_block_pages - 1, unpacker, &err), RB_OK);
    assert_true(page.n_frames > 1);
    const rbt_place_t last = page.frames[page.n_frames - 1].place;
    FILE *out = fopen(path, "r+b");
    assert_int_equal(fseek(out, (long)(last.offset + last.packed / 2), SEEK_SET), 0);
    assert_int_equal(fputs("damage", out) >= 0, 1);
    assert_int_equal(fclose(out), 0);
    for (size_t i = 0; i < 3; i++) {
        launch_result_t got = run_sampled_source(&spec, stored, 1, 0, forms[i]);
        assert_true(got.sampling.estimated);
        assert_int_equal(got.blocks, 1500);
    }
    trace_launch_t *l;
    trace_block_t *b;
    assert_int_equal(stored->ops->open(stored, 1, &l, &err), RB_OK);
    assert_int_equal(stored->ops->get_block(l, 1499, &b, &err), RB_TRACE);
    stored->ops->close(l);
    rbt_page_free(&page);
    ZSTD_freeDCtx(unpacker);
    stored->ops->destroy(stored);
    synth_destroy(s);
}

/* Blocks that fill the L2 are read and skipped, and the blocks simulated after them find it
 * full. */
static void the_l2_is_filled_by_reading(void **state)
{
    static const char *const forms[] = {"photon_warp", "photon_bb", "photon_bb photon_warp"};
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "sampling.interval=256");
    synth_t *s = stream_program(&spec, 3000);
    launch_result_t want = run_sampled(&spec, s, 1, 0, "");

    (void)state;
    launch_result_t whole = run_sampled(&spec, s, 1, 0, "photon_warp:skip=off");
    assert_null(strstr(whole.sampling.evidence, "fill the L2"));
    for (size_t i = 0; i < 3; i++) {
        launch_result_t got = run_sampled(&spec, s, 1, 0, forms[i]);
        assert_true(got.sampling.estimated);
        assert_non_null(strstr(got.sampling.evidence, "blocks that fill the L2 take"));
        /* 24576 sectors, 128 per block: 192 blocks fill it; without skipping, they are
         * simulated. */
        assert_true(got.sampling.simulated_blocks + 100 < whole.sampling.simulated_blocks);
        assert_int_equal(got.blocks, 3000);
        if (relative_error(&got, &want) > 0.03)
            fail_msg("%s: %llu cycles, not %llu", forms[i],
                     (unsigned long long)launch_result_cycles(&got),
                     (unsigned long long)launch_result_cycles(&want));
    }
    /* If few blocks follow them, they are simulated. */
    synth_destroy(s);
    s = stream_program(&spec, 600);
    launch_result_t few = run_sampled(&spec, s, 1, 0, "photon_warp");
    assert_null(strstr(few.sampling.evidence, "fill the L2 take"));
    synth_destroy(s);
}

static void threads_and_windows_do_not_show(void **state)
{
    static const char *const forms[] = {
        "photon_bb",
        "photon_bb photon_warp",
        "photon_bb:variant=paper,residents=predict,window=300,delta=1",
        "photon_warp:variant=paper,residents=cut,window=300,delta=1",
        "photon_bb:variant=code,delta=0.5,delta_mean=0.5,cover=0.5 photon_warp:delta_mean=1",
        "photon_bb:rare=interval,residents=drain,few=1000,loops=0",
    };
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "sampling.interval=500");
    synth_t *s = stream_program(&spec, 1500);

    (void)state;
    const char *path = rbt_lab_store_temp(synth_source(s));
    trace_source_t *stored = rbt_lab_open(path);
    for (size_t k = 0; k < sizeof(forms) / sizeof(forms[0]); k++) {
        launch_result_t want = run_sampled_source(&spec, stored, 1, 0, forms[k]);
        if (!want.sampling.estimated)
            fail_msg("%s: %s", forms[k], want.sampling.evidence);
        for (int run = 0; run < 5; run++) {
            static const int threads[] = {2, 3, 8, 1, 2};
            static const cycle_t windows[] = {0, 0, 1, 3, 1};
            launch_result_t got =
                run_sampled_source(&spec, stored, threads[run], windows[run], forms[k]);
            assert_int_equal(got.end, want.end);
            assert_memory_equal(&got.sm, &want.sm, sizeof(got.sm));
            assert_memory_equal(&got.l2, &want.l2, sizeof(got.l2));
            assert_memory_equal(&got.dram, &want.dram, sizeof(got.dram));
            assert_memory_equal(&got.sampling, &want.sampling, sizeof(got.sampling));
        }
    }
    stored->ops->destroy(stored);
    synth_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_blocks_are_predicted_exactly),
        cmocka_unit_test(a_uniform_kernel_of_multi_warp_blocks_is_within_two_percent),
        cmocka_unit_test(an_unstable_launch_is_simulated_whole_and_says_so),
        cmocka_unit_test(a_type_dominates_by_its_instructions),
        cmocka_unit_test(a_short_launch_is_simulated_whole),
        cmocka_unit_test(long_loops_are_predicted_in_the_first_wave),
        cmocka_unit_test(warps_that_are_preferred_do_not_speak_for_all),
        cmocka_unit_test(blocks_of_different_lengths_are_predicted_each),
        cmocka_unit_test(a_launch_that_is_never_stable_is_simulated_whole),
        cmocka_unit_test(a_launch_with_missing_blocks_is_simulated_whole),
        cmocka_unit_test(skipped_blocks_are_not_read_from_a_native_trace),
        cmocka_unit_test(the_l2_is_filled_by_reading),
        cmocka_unit_test(threads_and_windows_do_not_show),
    };
    temp_folder_create();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    temp_folder_remove();
    return failed;
}
