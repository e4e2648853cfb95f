/*
 * Laws of the L1's prefetchers and of its write policies. A prefetcher without law_NAME() does not
 * compile.
 */
#include <string.h>

#include "sim/sm/memory/prefetcher.h"
#include "tests/support/mix.h"
#include "tests/support/sim/lab.h"

#define QUIET "icache.perfect=true", "const.perfect=true", "tlb.perfect=true", "sm.count=1"

static const uint64_t region = 0x7f0000000000;

/* One thread reads a word every pitch bytes; each load waits for the previous one. */
typedef struct {
    uint64_t pitch;
} walk_t;

static uint64_t walk_address(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const walk_t *w = ctx;
    (void)warp;
    (void)lane;
    return region + step * w->pitch;
}

static launch_result_t walk(const gpu_spec_t *spec, const char *load, uint64_t pitch,
                            uint64_t steps)
{
    const walk_t w = {pitch};
    const lab_access_t a = {.op = {load, "R2", "R2"},
                            .blocks = 1,
                            .threads = 1,
                            .mask = 1,
                            .steps = steps,
                            .address = walk_address,
                            .ctx = &w};
    const launch_result_t r = lab_access(spec, &a);
    /* Every sector that the L2 reads was requested by a load or by the prefetcher. */
    assert_int_equal(r.l2.read_sectors, r.sm.global_load_sectors - r.sm.global_load_hits -
                                            r.sm.global_load_pending + r.sm.l1_prefetch_sectors);
    return r;
}

enum { STEPS = 64 };

static void law_none(void)
{
    gpu_spec_t spec = LAB_SPEC("v100", QUIET, "l1.prefetcher=none");
    launch_result_t r = walk(&spec, "LDG.E.SYS", 128, STEPS);
    assert_int_equal(r.sm.l1_prefetches + r.sm.l1_prefetches_dropped, 0);
    assert_int_equal(r.sm.global_load_hits, 0);
}

/* Every line but the first is prefetched and used; lines after the last step are prefetched but
 * not used. */
static void law_next_line(void)
{
    for (uint32_t lines = 1; lines <= 4; lines++) {
        gpu_spec_t spec = LAB_SPEC("v100", QUIET, "l1.prefetcher=next_line");
        spec.sm.l1.prefetch_lines = lines;
        launch_result_t r = walk(&spec, "LDG.E.SYS", 128, STEPS);
        assert_int_equal(r.sm.l1_prefetches, STEPS - 1 + lines);
        assert_int_equal(r.sm.l1_prefetches_used, STEPS - 1);
        assert_int_equal(r.sm.global_load_hits + r.sm.global_load_pending, STEPS - 1);
    }
    /* If loads are two lines apart, prefetching one line ahead is useless. */
    gpu_spec_t spec = LAB_SPEC("v100", QUIET, "l1.prefetcher=next_line", "l1.prefetch_lines=1");
    launch_result_t r = walk(&spec, "LDG.E.SYS", 256, STEPS);
    assert_int_equal(r.sm.l1_prefetches, STEPS);
    assert_int_equal(r.sm.l1_prefetches_used, 0);
}

/* The stride is known from the third load on, whatever it is, also backwards. */
static void law_stride(void)
{
    static const uint64_t pitches[] = {128, 640, 4096, (uint64_t)-384};
    for (size_t i = 0; i < sizeof(pitches) / sizeof(pitches[0]); i++) {
        gpu_spec_t spec = LAB_SPEC("v100", QUIET, "l1.prefetcher=stride", "l1.prefetch_lines=1");
        launch_result_t r = walk(&spec, "LDG.E.SYS", pitches[i], STEPS);
        assert_int_equal(r.sm.l1_prefetches, STEPS - 2);
        assert_int_equal(r.sm.l1_prefetches_used, STEPS - 3);
    }
}

#define LAW_(NAME, name, words, help) law_##name,
static void (*const laws[])(void) = {PREFETCHERS(LAW_)};

static void each_prefetcher_keeps_its_own_law(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < PREFETCHER_COUNT; p++) {
        laws[p]();
        assert_in_range(strlen(prefetcher_choices[p].help), 10, 90);
    }
    assert_null(prefetcher_choices[PREFETCHER_COUNT].name);
}

/* Loads that follow a sequence wait less; loads that bypass the L1 are not prefetched. */
static void what_is_prefetched_in_time_costs_a_hit(void **state)
{
    gpu_spec_t none = LAB_SPEC("v100", QUIET);
    gpu_spec_t next = LAB_SPEC("v100", QUIET, "l1.prefetcher=next_line", "l1.prefetch_lines=32");
    (void)state;
    launch_result_t slow = walk(&none, "LDG.E.SYS", 32, 4 * STEPS);
    launch_result_t fast = walk(&next, "LDG.E.SYS", 32, 4 * STEPS);
    assert_true(launch_result_cycles(&fast) + STEPS * 100 < launch_result_cycles(&slow));
    launch_result_t past = walk(&next, "LDG.E.STRONG.GPU", 128, STEPS);
    assert_int_equal(past.sm.l1_prefetches + past.sm.l1_prefetches_dropped, 0);
}

static void counts_of_any_program_are_possible(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < PREFETCHER_COUNT; p++) {
        static lab_results_t results;
        gpu_spec_t spec = LAB_SPEC("v100", "sm.count=4", "l1.mshrs=16", "l1.prefetch_lines=4");
        spec.sm.l1.prefetcher = p;
        synth_t *s = mix_create(2);
        lab_run(&spec, synth_source(s), 1, 0, &results);
        synth_destroy(s);
        for (size_t i = 0; i < results.n; i++) {
            const sm_stats_t *sm = &results.launch[i].sm;
            assert_true(sm->l1_prefetches_used <= sm->l1_prefetches);
            assert_true(sm->l1_prefetch_sectors <= SECTORS_PER_LINE * sm->l1_prefetches);
            assert_true(sm->l1_prefetch_sectors >= sm->l1_prefetches);
        }
    }
}

static void prefetching_without_mshrs_is_dropped(void **state)
{
    gpu_spec_t spec =
        LAB_SPEC("v100", QUIET, "l1.prefetcher=next_line", "l1.prefetch_lines=8", "l1.mshrs=1");
    (void)state;
    launch_result_t r = walk(&spec, "LDG.E.SYS", 128, STEPS);
    assert_int_equal(r.sm.l1_prefetches, 0);
    assert_int_equal(r.sm.l1_prefetches_dropped, 8 * STEPS);
}

/* A thread loads a word, stores to its sector, and loads the word again; the words are several
 * lines apart. */
static void load_store_load(synth_warp_t *w, const void *ctx)
{
    const bool *load_first = ctx;
    for (unsigned i = 0; i < STEPS; i++) {
        const uint64_t line = region + i * UINT64_C(128);
        if (*load_first)
            synth_emit_affine(w, 0, 1, line, 0);
        synth_emit_affine(w, 1, 0xff, line, 4); /* eight words: a sector */
        synth_emit_affine(w, 2, 1, line, 0);
    }
    synth_emit(w, 3, (uint32_t)LAB_FULL);
}

static launch_result_t run_stores(const char *policy, bool load_first)
{
    char setting[64];
    snprintf(setting, sizeof(setting), "l1.write=%s", policy);
    gpu_spec_t spec = LAB_SPEC("v100", QUIET, setting);
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(s, "stores", &(synth_shape_t){.grid = {1}});
    synth_code(k, "LDG.E.SYS", "R2", "R4");
    synth_code(k, "STG.E.SYS", "", "R4 R2");
    synth_code(k, "LDG.E.SYS", "R2", "R4");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, load_store_load, &load_first);
    return lab_run_one(&spec, s);
}

/* A thread stores a word to each of two sectors of a line that was never loaded, and loads the first. */
static void store_store_load(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    for (unsigned i = 0; i < STEPS; i++) {
        const uint64_t line = region + i * UINT64_C(128);
        synth_emit_affine(w, 0, 1, line, 0);
        synth_emit_affine(w, 0, 1, line + 32, 0);
        synth_emit_affine(w, 1, 1, line, 0);
    }
    synth_emit(w, 2, (uint32_t)LAB_FULL);
}

/* AccelWattch's counters of a V100: of the stores of a product that never loads its result, 8 bytes of a
 * sector each, the first to a line misses, the others hit. */
static void a_store_of_a_part_takes_a_line(void **state)
{
    (void)state;
    for (int allocate = 0; allocate < 2; allocate++) {
        gpu_spec_t spec =
            LAB_SPEC("v100", QUIET, allocate ? "l1.write=allocate" : "l1.write=update");
        synth_t *s = synth_create();
        synth_kernel_t *k = synth_kernel_create(s, "stores", &(synth_shape_t){.grid = {1}});
        synth_code(k, "STG.E.SYS", "", "R4 R2");
        synth_code(k, "LDG.E.SYS", "R2", "R4");
        synth_code(k, "EXIT", "", "");
        synth_kernel_body(k, store_store_load, NULL);
        const launch_result_t r = lab_run_one(&spec, s);
        assert_int_equal(r.sm.global_store_hits, allocate ? STEPS : 0);
        assert_int_equal(r.sm.global_load_hits, 0); /* the other bytes are not there */
    }
}

static void a_store_updates_gives_up_or_allocates(void **state)
{
    (void)state;
    /* For sectors that were loaded, the second load hits unless the store evicted them. */
    assert_int_equal(run_stores("update", true).sm.global_load_hits, STEPS);
    assert_int_equal(run_stores("evict", true).sm.global_load_hits, 0);
    assert_int_equal(run_stores("allocate", true).sm.global_load_hits, STEPS);
    assert_int_equal(run_stores("evict", true).sm.global_store_hits, STEPS);
    /* For sectors that were not loaded, the load hits only if the store allocated them. */
    assert_int_equal(run_stores("update", false).sm.global_load_hits, 0);
    assert_int_equal(run_stores("evict", false).sm.global_load_hits, 0);
    assert_int_equal(run_stores("allocate", false).sm.global_load_hits, STEPS);
    /* All policies write through. */
    assert_int_equal(run_stores("update", true).l2.write_sectors, STEPS);
    assert_int_equal(run_stores("evict", true).l2.write_sectors, STEPS);
    assert_int_equal(run_stores("allocate", true).l2.write_sectors, STEPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_prefetcher_keeps_its_own_law),
        cmocka_unit_test(what_is_prefetched_in_time_costs_a_hit),
        cmocka_unit_test(counts_of_any_program_are_possible),
        cmocka_unit_test(prefetching_without_mshrs_is_dropped),
        cmocka_unit_test(a_store_updates_gives_up_or_allocates),
        cmocka_unit_test(a_store_of_a_part_takes_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
