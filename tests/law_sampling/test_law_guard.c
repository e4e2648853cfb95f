/*
 * The check of samplers inside launches: blocks are left out only if their L2 accesses are like
 * those of the blocks whose rate was measured.
 */
#include <stdio.h>
#include <string.h>

#include "tests/support/sim/inside_lab.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/rbt_lab.h"

enum { BLOCKS = 1600, WARPS = 4, STEPS = 8, RESIDENT_LINES = 512 };

/* Where the data of the launch's halves are. */
typedef struct {
    bool streams[2]; /* each line is read once; otherwise all warps read the same 64 KiB */
} halves_t;

static const halves_t both_stream = {{true, true}}, later_streams = {{false, true}},
                      earlier_streams = {{true, false}};

static uint64_t address(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const halves_t *h = ctx;
    const uint64_t line = warp * STEPS + step;
    const bool stream = h->streams[warp >= BLOCKS * WARPS / 2];
    return 0x10000000 + (stream ? line : line % RESIDENT_LINES) * 128 + lane * 4;
}

static trace_source_t *stored(const gpu_spec_t *spec, const halves_t *halves)
{
    synth_t *s = synth_create();
    const lab_access_t a = {.op = {"LDG.E.CG", NULL, "R2"},
                            .blocks = BLOCKS,
                            .threads = 32 * WARPS,
                            .regs = 64,
                            .mask = 0xffffffff,
                            .steps = STEPS,
                            .address = address,
                            .ctx = halves};
    lab_access_add(s, spec, &a);
    trace_source_t *source = rbt_lab_open(rbt_lab_store_temp(synth_source(s)));
    synth_destroy(s);
    return source;
}

static launch_result_t run_on(const halves_t *halves, const char *samplers)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    trace_source_t *source = stored(&spec, halves);
    launch_result_t r = run_sampled_source(&spec, source, 1, 0, samplers);
    source->ops->destroy(source);
    return r;
}

static void even_launches_are_sampled_and_the_difference_is_told(void **state)
{
    static const char *const samplers[] = {"tbpoint_region", "photon_warp", "photon_bb"};
    const launch_result_t want = run_on(&both_stream, "");

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const launch_result_t got = run_on(&both_stream, samplers[i]);
        assert_true(got.sampling.estimated);
        assert_true(got.sampling.simulated_blocks < BLOCKS * 3 / 4);
        assert_true(relative_error(&got, &want) < 0.03);
    }
    const launch_result_t told = run_on(&both_stream, "photon_warp:skip=false");
    assert_non_null(strstr(told.sampling.evidence, "L2 accesses alike to 0 %"));
}

/* The check is what makes the difference: without it the first half is believed. */
static void blocks_on_other_data_are_not_left_out(void **state)
{
    static const struct {
        const halves_t *halves;
        const char *sampler;
        bool needs; /* without the check, it does not notice either */
    } cases[] = {
        {&later_streams, "tbpoint_region", true},    {&later_streams, "photon_warp", true},
        {&later_streams, "photon_bb", true},         {&earlier_streams, "tbpoint_region", true},
        {&earlier_streams, "photon_warp", false},    {&earlier_streams, "photon_bb", false},
        {&later_streams, "pka_stop:check=on", true}, {&earlier_streams, "pka_stop:check=on", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const launch_result_t want = run_on(cases[i].halves, "");
        launch_result_t got = run_on(cases[i].halves, cases[i].sampler);
        assert_true(relative_error(&got, &want) < 0.05);
        char off[64];
        snprintf(off, sizeof(off), "%.*s:check=off", (int)strcspn(cases[i].sampler, ":"),
                 cases[i].sampler);
        got = run_on(cases[i].halves, off);
        assert_int_equal(relative_error(&got, &want) > 0.3, cases[i].needs);
    }
}

/* pka_stop projects from all blocks so far, so it never sees only later ones. */
static void a_refusal_is_told(void **state)
{
    const launch_result_t got = run_on(&later_streams, "pka_stop:check=on");

    (void)state;
    assert_false(got.sampling.estimated);
    assert_non_null(
        strstr(got.sampling.evidence, "not skipped: L2 accesses of later blocks differ"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_launches_are_sampled_and_the_difference_is_told),
        cmocka_unit_test(blocks_on_other_data_are_not_left_out),
        cmocka_unit_test(a_refusal_is_told),
    };
    temp_folder_create();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    temp_folder_remove();
    return failed;
}
