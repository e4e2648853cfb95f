/*
 * The configured replacement policy is that of the cache it is configured for: with repeated passes
 * over one line more than fits, LRU never hits and LIP keeps all lines but two.
 */
#include "tests/support/sim/lab.h"

enum { ROUNDS = 12 };

typedef struct {
    uint64_t pitch, n;
} places_t;

static uint64_t place_address(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const places_t *p = ctx;
    (void)warp;
    (void)lane;
    return 0x7f0000000000 + step % p->n * p->pitch;
}

/* One thread goes round n places, pitch bytes apart; each access waits for the previous one. */
static launch_result_t go_round(const gpu_spec_t *spec, const char *load, uint64_t pitch,
                                uint64_t n)
{
    const places_t places = {pitch, n};
    const lab_access_t a = {.op = {load, "R2", "R2"},
                            .blocks = 1,
                            .threads = 1,
                            .mask = 1,
                            .steps = ROUNDS * n,
                            .address = place_address,
                            .ctx = &places};
    return lab_access(spec, &a);
}

static void l1_replacement_is_that_of_the_l1(void **state)
{
    enum { WAYS = 16 };
    (void)state;
    for (int lip = 0; lip < 2; lip++) {
        gpu_spec_t spec = LAB_SPEC("v100", "l1.sets=1", "l1.unified=2KiB", "l1.carveouts=0",
                                   lip ? "l1.replacement=lip" : "l1.replacement=lru");
        launch_result_t r = go_round(&spec, "LDG.E.SYS", 128, WAYS + 1);
        assert_int_equal(r.sm.global_load_hits, lip ? (ROUNDS - 1) * (WAYS - 1) : 0);
    }
}

/* With LRU and one set, k victims are k more ways. */
/* Half as many lines as fit, 16 KiB apart: with the lowest bits they are all in one of four sets. */
static void lines_a_power_of_two_apart_spread_over_the_sets(void **state)
{
    enum { LINES = 512, PITCH = 16 * 1024 };
    (void)state;
    for (int hash = 0; hash < 2; hash++) {
        gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1", "l1.replacement=lru");
        spec.sm.l1.hash_sets = hash != 0;
        const launch_result_t r = go_round(&spec, "LDG.E.64.SYS", PITCH, LINES);
        assert_int_equal(r.sm.global_load_sectors - r.sm.global_load_hits,
                         hash ? LINES : ROUNDS * LINES);
    }
}

static void a_victim_cache_holds_what_does_not_fit(void **state)
{
    enum { WAYS = 16, VICTIMS = 3 };
    (void)state;
    for (unsigned more = 1; more <= VICTIMS + 1; more++) {
        gpu_spec_t spec = LAB_SPEC("v100", "l1.sets=1", "l1.unified=2KiB", "l1.carveouts=0",
                                   "l1.replacement=lru", "l1.victim_lines=3");
        launch_result_t r = go_round(&spec, "LDG.E.SYS", 128, WAYS + more);
        assert_int_equal(r.sm.global_load_hits, more <= VICTIMS ? (ROUNDS - 1) * (WAYS + more) : 0);
    }
}

/* Loads as many lines as fit, uses the first of them again, loads one more line, and the first one
 * once more. */
static void use_the_oldest_body(synth_warp_t *w, const void *ctx)
{
    enum { WAYS = 16 };
    const unsigned *use = ctx;
    const uint64_t line = 0x7f0000000000;
    for (unsigned i = 0; i < WAYS; i++)
        synth_emit_affine(w, 0, 1, line + i * UINT64_C(128), 0);
    synth_emit_affine(w, *use, 1, line, 0);
    synth_emit_affine(w, 0, 1, line + WAYS * UINT64_C(128), 0);
    synth_emit_affine(w, 0, 1, line, 0);
    synth_emit(w, 2, 1);
}

static uint64_t hits_after(unsigned use, const char *write)
{
    gpu_spec_t spec = LAB_SPEC("v100", "l1.sets=1", "l1.unified=2KiB", "l1.carveouts=0",
                               "l1.replacement=lru", write);
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(s, "oldest", &(synth_shape_t){.block = {1}});
    synth_code(k, "LDG.E.SYS", "R2", "R2");
    synth_code(k, "STG.E.SYS", "", "R2 R2");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, use_the_oldest_body, &use);
    return lab_run_one(&spec, s).sm.global_load_hits;
}

static void a_store_uses_a_line_only_if_stores_take_lines(void **state)
{
    (void)state;
    assert_int_equal(hits_after(0, "l1.write=update"), 2); /* a load uses it */
    assert_int_equal(hits_after(1, "l1.write=update"), 0);
    assert_int_equal(hits_after(1, "l1.write=allocate"), 1);
}

static void l2_replacement_is_that_of_the_l2(void **state)
{
    enum { WAYS = 8 };
    (void)state;
    for (int lip = 0; lip < 2; lip++) {
        gpu_spec_t spec = LAB_SPEC("v100", "mem.partitions=1", "l2.slices=1", "l2.size=1KiB",
                                   "l2.ways=8", "icache.perfect=true", "const.perfect=true",
                                   lip ? "l2.replacement=lip" : "l2.replacement=lru");
        launch_result_t r = go_round(&spec, "LDG.E.STRONG.GPU", 128, WAYS + 1);
        assert_int_equal(r.l2.read_sectors, ROUNDS * (WAYS + 1));
        assert_int_equal(r.l2.read_hits, lip ? (ROUNDS - 1) * (WAYS - 1) : 0);
    }
}

static void tlb_replacement_is_that_of_the_second_level(void **state)
{
    enum { ENTRIES = 32 };
    (void)state;
    for (int lip = 0; lip < 2; lip++) {
        gpu_spec_t spec = LAB_SPEC("v100", "tlb.entries=1", "tlb.l2_entries=32",
                                   lip ? "tlb.replacement=lip" : "tlb.replacement=lru");
        launch_result_t r = go_round(&spec, "LDG.E.STRONG.GPU", spec.sm.tlb.l2_page, ENTRIES + 1);
        assert_int_equal(r.sm.tlb_misses, ROUNDS * (ENTRIES + 1));
        assert_int_equal(r.sm.tlb_l2_misses,
                         lip ? ENTRIES + 1 + 2 * (ROUNDS - 1) : ROUNDS * (ENTRIES + 1));
    }
}

static void code_body(synth_warp_t *w, const void *ctx)
{
    const unsigned *length = ctx;
    for (unsigned i = 0; i < ROUNDS; i++)
        synth_emit_span(w, 0, *length);
    synth_emit(w, *length, (uint32_t)LAB_FULL);
}

/* A warp runs the same straight-line code ROUNDS times: NOPs, or additions of constants that are
 * each in another line. */
static launch_result_t run_code(const gpu_spec_t *spec, unsigned length, bool constants)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(s, "code", &(synth_shape_t){.grid = {1}});
    for (unsigned i = 0; i < length; i++) {
        if (constants)
            synth_code_const(k, "FADD", "R1", 3, i * 64);
        else
            synth_code(k, "NOP", "", "");
    }
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, code_body, &length);
    return lab_run_one(spec, s);
}

static void icache_replacement_is_that_of_the_instruction_caches(void **state)
{
    enum { LINES = 8, PER_LINE = 8 };
    uint64_t misses[2];
    (void)state;
    for (int lip = 0; lip < 2; lip++) {
        gpu_spec_t spec =
            LAB_SPEC("v100", "icache.l0_size=1KiB", "icache.l0_ways=8", "icache.prefetch=0",
                     "icache.buffer=0", lip ? "icache.replacement=lip" : "icache.replacement=lru");
        misses[lip] = run_code(&spec, (LINES + 1) * PER_LINE, false).sm.icache_l0_misses;
    }
    /* The line of the EXIT is one more. */
    assert_in_range(misses[0], ROUNDS * (LINES + 1), ROUNDS * (LINES + 1) + 1);
    assert_in_range(misses[1], LINES + 1 + 2 * (ROUNDS - 1), LINES + 2 + 2 * (ROUNDS - 1));
}

static void const_replacement_is_that_of_the_constant_caches(void **state)
{
    enum { LINES = 8 };
    (void)state;
    for (int lip = 0; lip < 2; lip++) {
        gpu_spec_t spec = LAB_SPEC("v100", "const.l1_size=512", "const.l1_ways=8",
                                   "const.l0_size=0", "icache.perfect=true",
                                   lip ? "const.replacement=lip" : "const.replacement=lru");
        launch_result_t r = run_code(&spec, LINES + 1, true);
        assert_int_equal(r.sm.const_lookups, ROUNDS * (LINES + 1));
        assert_int_equal(r.sm.const_misses,
                         lip ? LINES + 1 + 2 * (ROUNDS - 1) : ROUNDS * (LINES + 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(l1_replacement_is_that_of_the_l1),
        cmocka_unit_test(lines_a_power_of_two_apart_spread_over_the_sets),
        cmocka_unit_test(a_victim_cache_holds_what_does_not_fit),
        cmocka_unit_test(a_store_uses_a_line_only_if_stores_take_lines),
        cmocka_unit_test(l2_replacement_is_that_of_the_l2),
        cmocka_unit_test(tlb_replacement_is_that_of_the_second_level),
        cmocka_unit_test(icache_replacement_is_that_of_the_instruction_caches),
        cmocka_unit_test(const_replacement_is_that_of_the_constant_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
