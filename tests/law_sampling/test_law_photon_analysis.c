/* What Photon knows before a launch: its blocks, read ahead or from the index, forecasts of
 * their times, the interval model, and the file that stores this analysis. */
#include <string.h>

#include "sampling/inside/photon/analysis_file.h"
#include "sampling/inside/photon/bb_forecast.h"
#include "sampling/predict/interval_model.h"
#include "tests/support/sim/inside_lab.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/rbt_lab.h"

/* --- looking ahead ---------------------------------------------------------------------------- */

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
            assert_int_equal(ahead.dominant_insts, WORK_CHAIN + 2);
        } else {
            lab_assert_near(ahead.dominant_share, 0.25, 0.2, "share of one of four types");
        }
        read_ahead_free(&ahead);
        synth_destroy(s);
    }
}

static launch_info_t info_of(trace_source_t *source)
{
    launch_info_t info;
    rb_err_t err = {0};
    assert_int_equal(source->ops->launch_info(source, 1, &info, &err), RB_OK);
    return info;
}

/* The index gives the same result as the blocks themselves. */
static void index_and_blocks_tell_the_same(void **state)
{
    const rbt_lab_launch_t launch = {.blocks = 300, .threads = 96, .loops = 6, .random = true};
    synth_t *s = rbt_lab_program(&launch, 1);
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    rb_err_t err = {0};
    read_ahead_t ahead[2];

    (void)state;
    const char *path = rbt_lab_store_temp(synth_source(s));
    trace_source_t *stored = rbt_lab_open(path), *sources[] = {synth_source(s), stored};
    launch_info_t info = info_of(stored);
    for (size_t i = 0; i < 2; i++) {
        const sampler_launch_t l = {
            .info = &info, .spec = &spec, .source = sources[i], .position = 1};
        assert_int_equal(read_ahead(&l, 1, 16, &ahead[i], &err), RB_OK);
        assert_true(ahead[i].whole);
    }
    assert_int_equal(ahead[0].blocks, 300);
    assert_int_equal(ahead[0].warps, 900);
    assert_true(ahead[0].types > 2);
    assert_int_equal(ahead[0].blocks, ahead[1].blocks);
    assert_int_equal(ahead[0].warps, ahead[1].warps);
    assert_int_equal(ahead[0].types, ahead[1].types);
    assert_int_equal(ahead[0].dominant_insts, ahead[1].dominant_insts);
    lab_assert_equal(ahead[0].insts_per_block, ahead[1].insts_per_block, "instructions");
    lab_assert_equal(ahead[0].dominant_share, ahead[1].dominant_share, "dominant share");
    assert_int_equal(ahead[0].table.n, ahead[1].table.n);
    for (size_t i = 0; i < ahead[0].table.n; i++) {
        const bb_entry_t *b = &ahead[0].table.bbs[i];
        int64_t k = bb_table_find(&ahead[1].table, b->pc, b->n_insts);
        assert_true(k != BB_NONE);
        lab_assert_near(ahead[0].share[i], ahead[1].share[k], 1e-12, "share of a basic block");
    }
    read_ahead_free(&ahead[0]);
    read_ahead_free(&ahead[1]);
    stored->ops->destroy(stored);
    synth_destroy(s);
}

static void index_and_sample_decide_alike(void **state)
{
    static const work_t works[] = {{.blocks = 700, .loops = 40},
                                   {.blocks = 700, .irregular = 30},
                                   {.blocks = 12, .loops = 1500}};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);

    (void)state;
    for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
        synth_t *s = work_program(&works[i], 64, 48 * 1024);
        const char *path = rbt_lab_store_temp(synth_source(s));
        trace_source_t *stored = rbt_lab_open(path);
        launch_result_t sampled = run_sampled(&spec, s, 1, 0, "photon_bb photon_warp");
        launch_result_t indexed = run_sampled_source(&spec, stored, 1, 0, "photon_bb photon_warp");
        assert_true(sampled.sampling.estimated);
        assert_string_equal(sampled.sampling.sampler, indexed.sampling.sampler);
        assert_int_equal(sampled.sampling.cycle, indexed.sampling.cycle);
        assert_int_equal(sampled.sampling.block, indexed.sampling.block);
        assert_true(relative_error(&sampled, &indexed) < 0.005);
        stored->ops->destroy(stored);
        synth_destroy(s);
    }
}

static double per_instruction(const void *ctx, uint32_t bb)
{
    const read_ahead_t *ahead = ctx;
    return ahead->table.bbs[bb].n_insts;
}

/* At one cycle per instruction, a block takes as many cycles as its warps have instructions. */
static void forecasts_are_sums_of_basic_blocks(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    static const work_t w = {.blocks = 200, .irregular = 9};
    synth_t *s = work_program(&w, 64, 0);
    launch_info_t info = info_of(synth_source(s));
    const sampler_launch_t l = {
        .info = &info, .spec = &spec, .source = synth_source(s), .position = 1};
    rb_err_t err = {0};
    read_ahead_t ahead;
    bb_forecast_t f;
    double sum = 0;

    (void)state;
    assert_int_equal(read_ahead(&l, 0, 16, &ahead, &err), RB_OK);
    assert_int_equal(bb_forecast(&f, &l, &ahead, 50, true, 3, per_instruction, &ahead, &err),
                     RB_OK);
    assert_int_equal(f.n, 150);
    for (uint64_t b = 50; b < 200; b++) {
        const double want = 3 + 1 + work_passes(&w, b) * (WORK_CHAIN + 1.0);
        lab_assert_equal(bb_forecast_of(&f, b), want, "cycles of a block");
        sum += want;
    }
    lab_assert_near(bb_forecast_of(&f, 7), sum / 150, 1e-12, "cycles of a block not looked at");
    bb_forecast_free(&f);
    read_ahead_free(&ahead);
    synth_destroy(s);
}

/* --- the interval model ----------------------------------------------------------------------- */

static void load_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    synth_emit_span(w, 0, 1);
    synth_emit_affine(w, 1, UINT32_MAX, 0x10000000, 4);
    synth_emit_span(w, 2, 4);
}

/* Looks at all of a launch of one block. */
static void look(synth_t *s, const gpu_spec_t *spec, read_ahead_t *ahead)
{
    launch_info_t info = info_of(synth_source(s));
    const sampler_launch_t l = {
        .info = &info, .spec = spec, .source = synth_source(s), .position = 1};
    rb_err_t err = {0};
    assert_int_equal(read_ahead(&l, 1, 16, ahead, &err), RB_OK);
    synth_destroy(s);
}

static double time_of(const bb_entry_t *b, const interval_latencies_t *l, uint32_t known,
                      uint32_t n, bool drained)
{
    return interval_time(l, b->code, known, n, drained);
}

static void the_interval_model_follows_dependences(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    interval_latencies_t l = interval_unloaded(&spec);
    const work_t w = {.blocks = 1};
    const double fma = l.of[OP_FP32], load = l.of[OP_LOAD_LG];
    latency_sum_t observed[OP_CLASS_COUNT] = {0};
    read_ahead_t ahead;

    (void)state;
    look(work_program(&w, 32, 0), &spec, &ahead);
    const bb_entry_t *loop = &ahead.table.bbs[0];
    assert_int_equal(loop->n_insts, WORK_CHAIN + 1);
    /* A chain: each instruction waits for the previous one; the branch does not. */
    lab_assert_equal(time_of(loop, &l, WORK_CHAIN + 1, WORK_CHAIN + 1, false),
                     (WORK_CHAIN - 1) * fma + 1 + l.branch, "a chain and a branch");
    lab_assert_equal(time_of(loop, &l, 100, 200, false), 2 * (99 * fma + 1),
                     "a chain of which half is known");
    lab_assert_equal(time_of(loop, &l, 100, 100, true), 100 * fma, "a chain to its last result");
    read_ahead_free(&ahead);

    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(s, "k", &(synth_shape_t){.grid = {1}, .block = {32}});
    synth_code(k, "FFMA", "R1", "R1 R2 R3"); /* issues at 0 */
    synth_code(k, "LDG.E", "R4", "R10");     /* 1 */
    synth_code(k, "FADD", "R5", "R1 R1");    /* fma */
    synth_code(k, "FADD", "R6", "R2 R2");    /* fma + 1 */
    synth_code(k, "FADD", "R7", "R4 R4");    /* 1 + load */
    synth_code(k, "EXIT", "", "");           /* 2 + load; waits for the sum */
    synth_kernel_body(k, load_body, NULL);
    look(s, &spec, &ahead);
    assert_int_equal(ahead.table.n, 1);
    lab_assert_equal(time_of(&ahead.table.bbs[0], &l, 4, 4, false), fma + 2, "nobody waits");
    lab_assert_equal(time_of(&ahead.table.bbs[0], &l, 6, 6, false), 1 + load + fma, "an exit");
    /* Observed latencies replace those of the configuration. */
    observed[OP_FP32] = (latency_sum_t){10, 65};
    observed[OP_LOAD_LG] = (latency_sum_t){9, 9000};
    interval_observe(&l, observed, 10);
    lab_assert_equal(time_of(&ahead.table.bbs[0], &l, 6, 6, false), 1 + load + 6.5,
                     "observed; too few loads");
    interval_observe(&l, observed, 9);
    lab_assert_equal(time_of(&ahead.table.bbs[0], &l, 6, 6, false), 1 + 1000 + 6.5, "observed");
    read_ahead_free(&ahead);
}

/* --- the analysis in a file ------------------------------------------------------------------- */

static void same_analysis(const read_ahead_t *a, const read_ahead_t *b)
{
    assert_int_equal(a->blocks, b->blocks);
    assert_int_equal(a->warps, b->warps);
    assert_int_equal(a->whole, b->whole);
    assert_int_equal(a->types, b->types);
    assert_int_equal(a->dominant_insts, b->dominant_insts);
    lab_assert_equal(a->insts_per_block, b->insts_per_block, "instructions of a block");
    lab_assert_equal(a->dominant_share, b->dominant_share, "dominant share");
    assert_int_equal(a->table.n, b->table.n);
    assert_int_equal(a->n_dominant, b->n_dominant);
    const interval_latencies_t l = {.of = {[OP_FP32] = 3, [OP_LOAD_LG] = 300}, .branch = 7};
    for (size_t i = 0; i < a->table.n; i++) {
        const bb_entry_t *x = &a->table.bbs[i], *y = &b->table.bbs[i];
        assert_int_equal(x->pc, y->pc);
        assert_int_equal(x->n_insts, y->n_insts);
        lab_assert_equal(a->share[i], b->share[i], "share");
        lab_assert_equal(interval_time(&l, x->code, x->known, x->n_insts, true),
                         interval_time(&l, y->code, y->known, y->n_insts, true), "its time");
    }
}

static void an_analysis_comes_back_from_its_file(void **state)
{
    const rbt_lab_launch_t launches[] = {{.blocks = 40, .threads = 96, .loops = 6, .random = true},
                                         {.blocks = 9, .threads = 32, .loops = 2}};
    synth_t *s = rbt_lab_program(launches, 2);
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    trace_source_t *source = synth_source(s);
    const char *path = temp_path("analysis");
    rb_err_t err = {0};
    read_ahead_t made[2], got;
    launch_info_t info[2];
    bool found;

    (void)state;
    for (uint64_t i = 0; i < 2; i++) {
        const sampler_launch_t l = {
            .info = &info[i], .spec = &spec, .source = source, .position = i + 1};
        assert_int_equal(source->ops->launch_info(source, i + 1, &info[i], &err), RB_OK);
        assert_int_equal(read_ahead(&l, 0.5, 1, &made[i], &err), RB_OK);
        assert_int_equal(analysis_save(path, i == 0, &info[i], &made[i], &err), RB_OK);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(analysis_load(path, &info[i], &got, &found, &err), RB_OK);
        assert_true(found);
        same_analysis(&got, &made[i]);
        read_ahead_free(&got);
    }
    launch_info_t other = info[1];
    other.id = 77;
    assert_int_equal(analysis_load(path, &other, &got, &found, &err), RB_OK);
    assert_false(found);
    read_ahead_free(&got);
    other.id = 2;
    other.n_blocks++;
    assert_int_equal(analysis_load(path, &other, &got, &found, &err), RB_TRACE);
    assert_non_null(strstr(err.text, "another trace"));
    read_ahead_free(&got);
    for (size_t i = 0; i < 2; i++)
        read_ahead_free(&made[i]);
    synth_destroy(s);
}

/* A file that is cut anywhere, or has any byte changed, is refused or read without harm. */
static void a_damaged_analysis_does_no_harm(void **state)
{
    const rbt_lab_launch_t launch = {.blocks = 4, .threads = 32, .loops = 1};
    synth_t *s = rbt_lab_program(&launch, 1);
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    const interval_latencies_t l = interval_unloaded(&spec);
    const char *path = temp_path("analysis");
    launch_info_t info = info_of(synth_source(s));
    const sampler_launch_t at = {
        .info = &info, .spec = &spec, .source = synth_source(s), .position = 1};
    rb_err_t err = {0};
    read_ahead_t got;
    char text[4096];
    bool found;

    (void)state;
    assert_int_equal(read_ahead(&at, 1, 1, &got, &err), RB_OK);
    assert_int_equal(analysis_save(path, true, &info, &got, &err), RB_OK);
    read_ahead_free(&got);
    FILE *in = fopen(path, "r");
    const size_t n = fread(text, 1, sizeof(text), in);
    fclose(in);
    assert_true(n > 200 && n < sizeof(text));
    for (size_t i = 0; i < n + 400; i++) {
        const size_t k = (i - n) * 7 % n;
        const char was = text[k];
        if (i >= n)
            text[k] = (char)((uint64_t)was ^ (1 + synth_mix(i) % 127));
        temp_write_bytes("analysis", text, i < n ? i : n);
        if (i >= n)
            text[k] = was;
        rb_code_t rc = analysis_load(path, &info, &got, &found, &err);
        assert_true(rc == RB_OK || rc == RB_TRACE);
        if (i < n - 1 && rc == RB_OK && found)
            assert_true(got.table.n > 0);
        for (size_t b = 0; rc == RB_OK && found && b < got.table.n; b++)
            interval_time(&l, got.table.bbs[b].code, got.table.bbs[b].known,
                          got.table.bbs[b].n_insts, true);
        read_ahead_free(&got);
    }
    char *version = strchr(text, ' ') + 1;
    assert_int_equal(*version, '2');
    *version = '1';
    err = (rb_err_t){0};
    temp_write_bytes("analysis", text, n);
    assert_int_equal(analysis_load(path, &info, &got, &found, &err), RB_TRACE);
    assert_non_null(strstr(err.text, "by an older version"));
    read_ahead_free(&got);
    assert_int_equal(analysis_load("no/such/file", &info, &got, &found, &err), RB_IO);
    read_ahead_free(&got);
    synth_destroy(s);
}

static void a_saved_analysis_decides_alike_under_any_configuration(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", EVEN), fewer = LAB_SPEC("v100", EVEN, "sm.count=3");
    const work_t w = {.blocks = 700, .irregular = 30};
    synth_t *s = work_program(&w, 64, 48 * 1024);
    char save[128], load[128];

    (void)state;
    snprintf(save, sizeof(save), "photon_bb:save=%s", temp_path("analysis"));
    snprintf(load, sizeof(load), "photon_bb:load=%s", temp_path("analysis"));
    launch_result_t want = run_sampled(&spec, s, 1, 0, save);
    launch_result_t got = run_sampled(&spec, s, 1, 0, load);
    assert_true(want.sampling.estimated);
    assert_memory_equal(&got.sampling, &want.sampling, sizeof(got.sampling));
    assert_int_equal(got.end, want.end);
    want = run_sampled(&fewer, s, 1, 0, "photon_bb");
    got = run_sampled(&fewer, s, 1, 0, load);
    assert_memory_equal(&got.sampling, &want.sampling, sizeof(got.sampling));
    assert_int_equal(got.end, want.end);
    synth_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_ahead_finds_the_types_of_warps),
        cmocka_unit_test(index_and_blocks_tell_the_same),
        cmocka_unit_test(index_and_sample_decide_alike),
        cmocka_unit_test(forecasts_are_sums_of_basic_blocks),
        cmocka_unit_test(the_interval_model_follows_dependences),
        cmocka_unit_test(an_analysis_comes_back_from_its_file),
        cmocka_unit_test(a_damaged_analysis_does_no_harm),
        cmocka_unit_test(a_saved_analysis_decides_alike_under_any_configuration),
    };
    temp_folder_create();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    temp_folder_remove();
    return failed;
}
