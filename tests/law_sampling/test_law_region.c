/*
 * tbpoint_region: the table of regions, where a region is entered and left, and the results. Traces
 * are stored as .rbt, because the table is made from their index.
 */
#include <string.h>

#include "sampling/inside/inside_sampler.h"
#include "sampling/inside/region/region_table.h"
#include "tests/support/sim/inside_lab.h"
#include "tests/support/sim/witness.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/rbt_lab.h"

/* A unit that is short compared with the time between two refreshes of a bank contains one of
 * them or none. */
#define STEADY "sampling.interval=64", "dram.tREFI=0"

/* Two blocks of phases_open() fit an SM of EVEN: 8 slots. */
enum { CHAIN = 200, SLOTS = 8, SHARED = 48 * 1024 };

/* --- programs --------------------------------------------------------------------------------- */

/* Launches whose middle part goes to memory. */
typedef struct {
    uint32_t blocks;
    uint32_t from, to;  /* blocks with loads */
    uint32_t irregular; /* lower blocks execute the chain 1 to 20 times */
} phases_t;

static void phases_body(synth_warp_t *w, const void *ctx)
{
    const phases_t *p = ctx;
    unsigned passes = w->block < p->irregular ? 1 + (unsigned)(synth_mix(w->block) % 20) : 1;
    for (; passes > 0; passes--)
        synth_emit_span(w, 0, CHAIN + 1);
    for (unsigned i = 0; i < 20 && w->block >= p->from && w->block < p->to; i++)
        synth_emit_affine(w, CHAIN + 1, (uint32_t)LAB_FULL, 0x10000000 + w->block * 4096 + i * 128,
                          4);
    synth_emit(w, CHAIN + 2, (uint32_t)LAB_FULL);
}

/* Stores the program and opens it; destroy the source and remove the folder. */
static trace_source_t *phases_open(const phases_t *p)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "phases",
        &(synth_shape_t){.grid = {p->blocks}, .block = {32}, .regs = 32, .shared = SHARED});
    for (unsigned i = 0; i < CHAIN; i++)
        synth_code(k, "FFMA", "R1", "R1 R2 R3");
    synth_code(k, "BRA", "", "");
    synth_code(k, "LDG.E", "R4", "R2");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, phases_body, p);
    temp_folder_create();
    rbt_lab_store(synth_source(s), temp_path("phases.rbt"), 1);
    synth_destroy(s);
    return rbt_lab_open(temp_path("phases.rbt"));
}

static void phases_close(trace_source_t *source)
{
    source->ops->destroy(source);
    temp_folder_remove();
}

/* --- the table -------------------------------------------------------------------------------- */

static const region_rule_t published = {.threshold = 0.2, .variation = 0.3, .normalise = true};

static void make(region_table_t *t, trace_source_t *source, uint64_t slots,
                 const region_rule_t *rule)
{
    rb_err_t err = {0};
    if (region_table_make(t, source, 1, slots, rule, &err) != RB_OK)
        fail_msg("%s", err.text);
}

static void expect_region(const region_t *r, uint64_t first, uint64_t end, uint32_t cluster,
                          bool even)
{
    assert_int_equal(r->first, first);
    assert_int_equal(r->end, end);
    assert_int_equal(r->cluster, cluster);
    assert_int_equal(r->even, even);
}

static void regions_are_runs_of_epochs_of_one_cluster(void **state)
{
    static const phases_t p = {.blocks = 1003, .from = 400, .to = 800};
    trace_source_t *source = phases_open(&p);
    region_table_t t;

    (void)state;
    make(&t, source, SLOTS, &published);
    assert_int_equal(t.insts.blocks, 1003);
    assert_int_equal(t.n, 3);
    expect_region(&t.list[0], 0, 400, 0, true);
    expect_region(&t.list[1], 400, 800, 1, true);
    expect_region(&t.list[2], 800, 1003, 0, true); /* its last epoch has three blocks */
    assert_true(t.list[0].stall == 0 && t.list[0].variation == 0);
    lab_assert_near(t.list[1].stall, 20.0 / (CHAIN + 2 + 20), 1e-12, "requests per instruction");
    for (size_t i = 0; i < t.n; i++) {
        assert_ptr_equal(region_table_find(&t, t.list[i].first), &t.list[i]);
        assert_ptr_equal(region_table_find(&t, t.list[i].end - 1), &t.list[i]);
    }
    region_table_free(&t);
    phases_close(source);
}

static void another_occupancy_gives_another_table_of_the_same_index(void **state)
{
    static const phases_t p = {.blocks = 1003, .from = 400, .to = 800};
    trace_source_t *source = phases_open(&p);
    region_table_t t;

    (void)state;
    /* Epochs 16 (384 .. 407) and 33 (792 .. 815) contain both kinds: the requests of their
     * blocks vary by more than the limit. */
    make(&t, source, 24, &published);
    assert_int_equal(t.n, 5);
    expect_region(&t.list[0], 0, 384, 0, true);
    expect_region(&t.list[1], 384, 408, 2, false);
    expect_region(&t.list[2], 408, 792, 1, true);
    expect_region(&t.list[3], 792, 816, 3, false);
    expect_region(&t.list[4], 816, 1003, 0, true);
    region_table_free(&t);
    /* If all epochs are within the threshold, there is one region. */
    const region_rule_t all = {.threshold = 100, .variation = 100, .normalise = true};
    make(&t, source, 24, &all);
    assert_int_equal(t.n, 1);
    region_table_free(&t);
    /* Raw probabilities differ by 0.09 only. */
    const region_rule_t raw = {.threshold = 0.2, .variation = 100};
    make(&t, source, SLOTS, &raw);
    assert_int_equal(t.n, 1);
    region_table_free(&t);
    /* More slots than blocks: one epoch. */
    make(&t, source, 5000, &all);
    assert_int_equal(t.n, 1);
    expect_region(&t.list[0], 0, 1003, 0, true);
    region_table_free(&t);
    phases_close(source);
}

static void instructions_before_a_block_are_exact(void **state)
{
    static const phases_t p = {.blocks = 300, .from = 100, .to = 200, .irregular = 150};
    trace_source_t *source = phases_open(&p);
    region_table_t t;
    uint64_t sum = 0;

    (void)state;
    make(&t, source, SLOTS, &published);
    for (uint64_t b = 0; b < p.blocks; b++) {
        uint64_t passes = b < p.irregular ? 1 + synth_mix(b) % 20 : 1;
        assert_int_equal(block_insts_before(&t.insts, b), sum);
        sum += passes * (CHAIN + 1) + 1 + (b >= p.from && b < p.to ? 20 : 0);
    }
    assert_int_equal(block_insts_before(&t.insts, p.blocks), sum);
    region_table_free(&t);
    phases_close(source);
}

static void a_trace_without_an_index_is_refused_with_advice(void **state)
{
    synth_t *s = synth_create();
    region_table_t t;
    rb_err_t err = {0};

    (void)state;
    assert_int_equal(region_table_make(&t, synth_source(s), 1, 8, &published, &err), RB_USAGE);
    assert_non_null(strstr(err.text, "rubato convert"));
    region_table_free(&t);
    synth_destroy(s);
}

/* --- the sampler ------------------------------------------------------------------------------ */

static void equal_blocks_take_the_exact_time(void **state)
{
    static const phases_t p = {.blocks = 1203};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    /* 1203 = 150 x 8 + 3: the number of blocks in the last wave has no effect. */
    static const char *const forms[] = {"tbpoint_region", "tbpoint_region:hold=off"};
    trace_source_t *source = phases_open(&p);
    launch_result_t want = run_sampled_source(&spec, source, 1, 0, "");

    (void)state;
    for (size_t f = 0; f < 2; f++) {
        launch_result_t got = run_sampled_source(&spec, source, 1, 0, forms[f]);
        assert_true(got.sampling.estimated);
        assert_string_equal(got.sampling.sampler, "tbpoint_region");
        assert_int_equal(launch_result_cycles(&got), launch_result_cycles(&want));
        assert_int_equal(got.warp_insts, want.warp_insts);
        assert_int_equal(got.blocks, 1203);
        assert_true(got.sampling.simulated_blocks <= 9 * SLOTS);
        /* Whole waves are skipped, except for the blocks that hold their slots. */
        if (f > 0)
            assert_int_equal((1203 - got.sampling.simulated_blocks) % SLOTS, 0);
    }
    phases_close(source);
}

/* Blocks read, in order; none twice. */
static void expect_read(const witness_t *w, uint64_t first, uint64_t end, bool all)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < w->n_asked; i++)
        n += w->asked[i] >= first && w->asked[i] < end;
    if (n != (all ? end - first : 0))
        fail_msg("%u of the blocks %u to %u were read", (unsigned)n, (unsigned)first,
                 (unsigned)end - 1);
}

static void detail_resumes_at_the_first_block_of_the_next_region(void **state)
{
    static witness_t w;
    static const phases_t p = {.blocks = 1200, .from = 400, .to = 800};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, STEADY);
    trace_source_t *source = phases_open(&p);
    launch_result_t want = run_sampled_source(&spec, source, 1, 0, "");
    witness_init(&w, source);
    launch_result_t got = run_sampled_source(
        &spec, &w.pub, 1, 0, "tbpoint_region:variant=paper,normalise=on,tolerance=0.2");

    (void)state;
    assert_true(got.sampling.estimated);
    assert_true(got.sampling.simulated_blocks < 200);
    assert_int_equal(w.n_asked - got.sampling.simulated_blocks < 3 * 256, true);
    /* The first blocks of each region are simulated; its last blocks are neither read nor
     * decoded. */
    expect_read(&w, 0, 2 * SLOTS, true);
    expect_read(&w, 400 - 10 * SLOTS, 400, false);
    expect_read(&w, 400, 400 + 2 * SLOTS, true);
    expect_read(&w, 800 - 10 * SLOTS, 800, false);
    expect_read(&w, 800, 800 + 2 * SLOTS, true);
    expect_read(&w, 1200 - 10 * SLOTS, 1200, false);
    assert_int_equal(got.blocks, 1200);
    assert_int_equal(got.warp_insts, want.warp_insts);
    lab_assert_near((double)launch_result_cycles(&got), (double)launch_result_cycles(&want), 0.03,
                    "cycles");
    phases_close(source);
}

static void a_region_is_entered_when_the_last_block_of_another_has_retired(void **state)
{
    /* The first epochs vary too much, so none of their blocks are skipped. The even region after
     * them is entered only when none of their blocks remains. */
    static const phases_t p = {.blocks = 1200, .irregular = 80};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, "sampling.interval=16");
    trace_source_t *source = phases_open(&p);
    launch_result_t want = run_sampled_source(&spec, source, 1, 0, "");
    launch_result_t got = run_sampled_source(&spec, source, 1, 0, "tbpoint_region:variant=paper");

    (void)state;
    assert_true(got.sampling.estimated);
    /* The region is entered when at most 20 chains of an irregular block remain, and is measured
     * for two units. No block is skipped before that, and skipping starts within one more unit. */
    assert_true(got.sampling.block >= 80 + 2 * SLOTS);
    assert_true(got.sampling.block <= 80 + (20 + 4) * SLOTS);
    lab_assert_near((double)launch_result_cycles(&got), (double)launch_result_cycles(&want), 0.02,
                    "cycles");
    phases_close(source);
}

static void what_is_uneven_is_simulated_whole_and_says_so(void **state)
{
    static const phases_t p = {.blocks = 400, .irregular = 400};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    trace_source_t *source = phases_open(&p);
    launch_result_t want = run_sampled_source(&spec, source, 1, 0, "");
    launch_result_t got = run_sampled_source(&spec, source, 1, 0, "tbpoint_region");

    (void)state;
    assert_false(got.sampling.estimated);
    assert_int_equal(got.end, want.end);
    assert_memory_equal(&got.sm, &want.sm, sizeof(got.sm));
    assert_non_null(strstr(got.sampling.evidence, "no rate settled"));
    phases_close(source);
}

static void a_launch_of_less_than_a_wave_is_simulated_whole(void **state)
{
    static const phases_t p = {.blocks = 5};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    trace_source_t *source = phases_open(&p);
    launch_result_t got = run_sampled_source(&spec, source, 1, 0, "tbpoint_region");

    (void)state;
    assert_false(got.sampling.estimated);
    assert_int_equal(got.sampling.simulated_blocks, 5);
    phases_close(source);
}

/* In a launch that will fill the L2, the rate is measured before and after. */
static void a_full_l2_is_brought_about_by_reading(void **state)
{
    static witness_t w;
    static const phases_t p = {.blocks = 3000, .from = 0, .to = 3000};
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, STEADY);
    trace_source_t *source = phases_open(&p);
    launch_result_t want = run_sampled_source(&spec, source, 1, 0, "");
    witness_init(&w, source);
    launch_result_t got =
        run_sampled_source(&spec, &w.pub, 1, 0, "tbpoint_region:light=0,check=off");

    (void)state;
    /* 24576 sectors, 80 per block: 308 blocks fill it. */
    const uint64_t fill = 768 * 1024 / 32 / 80;
    assert_true(got.sampling.simulated_blocks < 150);
    assert_true(w.n_asked >= fill + 30 && w.n_asked < fill + 150 + 3 * 256);
    lab_assert_near((double)launch_result_cycles(&got), (double)launch_result_cycles(&want), 0.02,
                    "cycles");
    witness_init(&w, source);
    got = run_sampled_source(&spec, &w.pub, 1, 0, "tbpoint_region:fill=off,check=off");
    assert_true(w.n_asked < 150 + 2 * 256);
    phases_close(source);
}

/* Blocks that only stream, on a chip with an L2 of this size. */
static void expect_the_dram_to_tell(const char *l2_size, bool fills)
{
    static witness_t w;
    gpu_spec_t spec = LAB_SPEC("v100", EVEN, STEADY, l2_size);
    synth_t *s = stream_program(&spec, 3000);
    temp_folder_create();
    rbt_lab_store(synth_source(s), temp_path("stream.rbt"), 1);
    synth_destroy(s);
    trace_source_t *source = rbt_lab_open(temp_path("stream.rbt"));
    launch_result_t want = run_sampled_source(&spec, source, 1, 0, "");
    launch_result_t blocks =
        run_sampled_source(&spec, source, 1, 0, "tbpoint_region:dram_error=0,error=1");
    witness_init(&w, source);
    launch_result_t got = run_sampled_source(&spec, &w.pub, 1, 0, "tbpoint_region:error=1");

    assert_non_null(strstr(got.sampling.evidence, "the DRAM is even to"));
    assert_null(strstr(blocks.sampling.evidence, "the DRAM"));
    assert_true(got.sampling.simulated_blocks < blocks.sampling.simulated_blocks);
    assert_true(w.n_asked > got.sampling.simulated_blocks); /* some are only read */
    lab_assert_near((double)launch_result_cycles(&got), (double)launch_result_cycles(&want), 0.02,
                    "cycles");
    assert_true(fills == (got.sampling.block < 100));
    phases_close(source);
}

static void an_even_dram_ends_the_measuring(void **state)
{
    (void)state;
    expect_the_dram_to_tell("l2.size=768KiB", true);
}

/* No blocks are skipped to fill the L2; a few are read to find out how much a block moves. */
static void a_small_l2_does_not_hide_what_a_block_moves(void **state)
{
    (void)state;
    expect_the_dram_to_tell("l2.size=252KiB", false);
}

static void threads_and_windows_do_not_show(void **state)
{
    /* Many threads that synchronise in every cycle are slow, so the shortest window runs with
     * one thread. */
    static const struct {
        int threads;
        cycle_t window; /* 0: the longest */
    } runs[] = {{1, 0}, {1, 1}, {2, 0}, {2, 3}, {3, 3}, {8, 0}};
    static const char *const forms[] = {"tbpoint_region", "tbpoint_region:variant=paper"};
    static const phases_t p = {.blocks = 1100, .from = 300, .to = 1000};
    static lab_results_t results;
    gpu_spec_t spec = LAB_SPEC("v100", EVEN);
    trace_source_t *source = phases_open(&p);

    (void)state;
    for (size_t f = 0; f < 2; f++) {
        char want[SHA256_TEXT] = "", got[SHA256_TEXT];
        for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
            run_sampled_into(&spec, source, runs[i].threads, runs[i].window, forms[f], &results);
            assert_true(results.launch[0].sampling.estimated);
            lab_hash(&results, got);
            if (want[0] == '\0')
                memcpy(want, got, sizeof(want));
            assert_string_equal(got, want);
        }
    }
    phases_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_are_runs_of_epochs_of_one_cluster),
        cmocka_unit_test(another_occupancy_gives_another_table_of_the_same_index),
        cmocka_unit_test(instructions_before_a_block_are_exact),
        cmocka_unit_test(a_trace_without_an_index_is_refused_with_advice),
        cmocka_unit_test(equal_blocks_take_the_exact_time),
        cmocka_unit_test(detail_resumes_at_the_first_block_of_the_next_region),
        cmocka_unit_test(a_region_is_entered_when_the_last_block_of_another_has_retired),
        cmocka_unit_test(what_is_uneven_is_simulated_whole_and_says_so),
        cmocka_unit_test(a_launch_of_less_than_a_wave_is_simulated_whole),
        cmocka_unit_test(a_full_l2_is_brought_about_by_reading),
        cmocka_unit_test(an_even_dram_ends_the_measuring),
        cmocka_unit_test(a_small_l2_does_not_hide_what_a_block_moves),
        cmocka_unit_test(threads_and_windows_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
