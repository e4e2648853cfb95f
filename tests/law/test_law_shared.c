/* Laws of shared memory: wide accesses, and lanes that update the same word. */
#include "tests/support/sim/lab.h"

#define ONE_SM "sm.count=1", "icache.perfect=true"

enum { WARP = 32 };

typedef struct {
    unsigned bytes, ways;
} pattern_t;

/* Consecutive items. */
static uint64_t in_order(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)warp;
    (void)step;
    return (uint64_t)lane * ((const pattern_t *)ctx)->bytes;
}

/* A given number of lanes on each word. */
static uint64_t contended(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)warp;
    (void)step;
    return lane / ((const pattern_t *)ctx)->ways * 4ull;
}

static lab_access_t access_of(lab_op_t op, uint32_t warps, lab_address_fn address,
                              const pattern_t *pattern)
{
    return (lab_access_t){.op = op,
                          .blocks = 1,
                          .threads = warps * WARP,
                          .shared = 4096,
                          .regs = 64,
                          .mask = UINT32_MAX,
                          .steps = 50,
                          .address = address,
                          .ctx = pattern};
}

/* The halves of a warp pass one after another, as do its quarters; two passes are as soon ready as
 * one, each further pass takes a cycle. */
static void wide_loads_take_a_cycle_for_each_pass_after_the_second(void **state)
{
    static const struct {
        const char *mnemonic;
        unsigned bytes;
    } rows[] = {{"LDS.U", 4}, {"LDS.U.64", 8}, {"LDS.U.128", 16}};
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        pattern_t p = {.bytes = rows[i].bytes};
        unsigned passes = rows[i].bytes / 4;
        lab_access_t a = access_of((lab_op_t){rows[i].mnemonic, "R2", "R2"}, 1, in_order, &p);

        lab_assert_equal(lab_access_slope(&spec, a),
                         spec.sm.shared.latency + (passes > 2 ? passes - 2 : 0), rows[i].mnemonic);
    }
}

/* With fewer banks than lanes, consecutive words need several passes. */
static void a_pass_reads_a_word_of_each_bank(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    pattern_t p = {.bytes = 4};
    lab_access_t a = access_of((lab_op_t){"LDS.U", "R2", "R2"}, 1, in_order, &p);

    (void)state;
    for (uint32_t banks = 8; banks <= 2 * WARP; banks *= 2) {
        spec.sm.shared.banks = banks;
        launch_result_t r = lab_access(&spec, &a);
        uint64_t passes = banks < WARP ? WARP / banks : 1;

        assert_int_equal(r.sm.shared_wavefronts, a.steps * passes);
        assert_int_equal(r.sm.shared_conflicts, a.steps * (passes - 1));
    }
}

/* Two warps on each sub-core, so that the unit is never idle. */
static void an_atomic_occupies_the_unit_until_the_last_lane_of_a_word(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    const shared_spec_t *sh = &spec.sm.shared;
    uint32_t warps = 2 * spec.sm.sm.sub_cores;

    (void)state;
    for (unsigned ways = 1; ways <= WARP; ways *= 2) {
        pattern_t p = {.ways = ways};
        lab_access_t a = access_of((lab_op_t){"ATOMS.ADD", NULL, "R2"}, warps, contended, &p);

        uint32_t each = sh->pass_cycles + (ways - 1) * sh->atomic_pass;

        lab_assert_equal(lab_access_slope(&spec, a), warps * each,
                         "cycles of an ATOMS of each warp");
        assert_int_equal(lab_access(&spec, &a).sm.l1_data_busy, a.steps * warps * each);
    }
}

/* ATOMS.POPC.INC adds the number of lanes that address a word. */
static void an_atomic_that_counts_takes_one_pass(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    uint32_t warps = 2 * spec.sm.sm.sub_cores;

    (void)state;
    for (unsigned ways = 1; ways <= WARP; ways *= 2) {
        pattern_t p = {.ways = ways};
        lab_access_t a = access_of((lab_op_t){"ATOMS.POPC.INC.32", "", "R2"}, warps, contended, &p);

        assert_int_equal(lab_access(&spec, &a).sm.l1_data_busy,
                         a.steps * warps * spec.sm.shared.pass_cycles);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_loads_take_a_cycle_for_each_pass_after_the_second),
        cmocka_unit_test(a_pass_reads_a_word_of_each_bank),
        cmocka_unit_test(an_atomic_occupies_the_unit_until_the_last_lane_of_a_word),
        cmocka_unit_test(an_atomic_that_counts_takes_one_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
