/*
 * Laws of a memory instruction from issue to the load/store unit: the queue of each sub-core, the
 * rate at which it is emptied, the rates that the sub-cores share, and when source registers are
 * released. The measurements are those of Huerta 2025 (tables 1 and 2, Ampere).
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/sim/clock_lab.h"

/* Like Ampere: a queue of four and a latch, 16 lanes of the load/store unit. */
#define AMPERE                                                                                     \
    "sm.count=1", "icache.perfect=true", "const.perfect=true", "sm.mem_queue=5",                   \
        "sm.lsu_lanes=16", "sm.int_lanes=32"

enum { WARP = 32, LOADS = 12 };

static const uint64_t global = 0x7f0000000000;

typedef struct {
    unsigned n; /* instructions after the clock read */
} body_t;

static void clock_loads_clock(synth_warp_t *w, const void *ctx)
{
    unsigned n = ((const body_t *)ctx)->n;

    synth_emit(w, 0, (uint32_t)SYNTH_FULL_MASK);
    for (unsigned i = 1; i <= n; i++)
        synth_emit_affine(w, i, (uint32_t)SYNTH_FULL_MASK, global, 0);
    synth_emit_span(w, n + 1, 2);
}

static void add(synth_kernel_t *k, const char *mnemonic, const char *dst, const char *src,
                uint32_t word)
{
    unsigned n = synth_code(k, mnemonic, dst, src);

    synth_control(k, n, word);
    if (strcmp(mnemonic, "CS2R") == 0)
        synth_inst(k, n)->flags |= INST_CLOCK;
}

/* Issue cycle of the n-th (1 ..) load of each of the first warps, one on each sub-core; the first
 * load issues in cycle 2, as in the table. */
static void issue_cycles(const gpu_spec_t *spec, unsigned n, uint32_t warps, uint64_t *cycle)
{
    const uint32_t next = synth_control_word(1, false, CTL_NONE, CTL_NONE, 0, 0);
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "loads", &(synth_shape_t){.arch = spec->gpu.arch, .block = {warps * WARP}});
    body_t body = {n};

    add(k, "CS2R", "R40", "", next);
    for (unsigned i = 0; i < n; i++)
        add(k, "LDG.E", "R1", "R2", next);
    add(k, "CS2R", "R42", "", next);
    add(k, "EXIT", "", "", next);
    synth_kernel_body(k, clock_loads_clock, &body);
    clock_lab_t t = clock_lab_run(spec, s, 1, 0, true);
    assert_int_equal(t.n, 2 * warps);
    /* The second clock read issues one cycle after the load, the first load one cycle after the
     * first read. */
    for (uint32_t w = 0; w < warps; w++)
        cycle[w] = t.read[2 * w + 1].cycle - t.read[2 * w].cycle;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void loads_issue_as_the_queues_let_them(void **state)
{
    /* Issue of the 6th, 7th and 8th load with 1 to 4 active sub-cores, and the distance between
     * later ones. */
    static const uint64_t want[3][4][4] = {
        {{13}, {13, 15}, {13, 15, 17}, {13, 15, 17, 19}},
        {{17}, {17, 19}, {19, 21, 23}, {21, 23, 25, 27}},
        {{21}, {21, 23}, {25, 27, 29}, {29, 31, 33, 35}},
    };
    static const uint64_t apart[4] = {4, 4, 6, 8};
    gpu_spec_t spec = LAB_SPEC("t4", AMPERE);

    (void)state;
    for (uint32_t warps = 1; warps <= 4; warps++) {
        uint64_t got[4], before[4] = {0};

        for (unsigned n = 1; n <= LOADS; n++) {
            issue_cycles(&spec, n, warps, got);
            qsort(got, warps, sizeof(got[0]), ascending);
            for (uint32_t w = 0; w < warps; w++) {
                uint64_t expected = n <= 5   ? n + 1
                                    : n <= 8 ? want[n - 6][warps - 1][w]
                                             : before[w] + apart[warps - 1];

                if (got[w] != expected)
                    fail_msg("load %u of sub-core %u of %u issues in cycle %llu, not %llu", n, w,
                             warps, (unsigned long long)got[w], (unsigned long long)expected);
                before[w] = expected;
            }
        }
    }
}

/* Cycles until a read barrier of an instruction lets the next one issue. */
static uint64_t sources_held(const gpu_spec_t *spec, const char *mnemonic, const char *dst,
                             const char *src)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "held", &(synth_shape_t){.arch = spec->gpu.arch, .block = {WARP}, .shared = 1024});
    body_t body = {1};

    add(k, "CS2R", "R40", "", synth_control_word(2, false, CTL_NONE, CTL_NONE, 0, 0));
    add(k, mnemonic, dst, src, synth_control_word(2, false, CTL_NONE, 0, 0, 0));
    add(k, "CS2R", "R42", "", synth_control_word(1, false, CTL_NONE, CTL_NONE, 1, 0));
    add(k, "EXIT", "", "", synth_control_word(5, false, CTL_NONE, CTL_NONE, 0, 0));
    synth_kernel_body(k, clock_loads_clock, &body);
    clock_lab_t t = clock_lab_run(spec, s, 1, 0, true);
    assert_int_equal(t.n, 2);
    return t.read[1].cycle - t.read[0].cycle - 2;
}

static void source_registers_are_free_when_they_have_been_read(void **state)
{
    gpu_spec_t spec = LAB_SPEC("t4", AMPERE);

    (void)state;
    assert_int_equal(sources_held(&spec, "LDG.E", "R8", "R2"), 11);
    assert_int_equal(sources_held(&spec, "LDG.E.128", "R8", "R2"), 11);
    assert_int_equal(sources_held(&spec, "LDGSTS.E", "", "R8 R2"), 13);
    assert_int_equal(sources_held(&spec, "LDGSTS.E.128", "", "R8 R2"), 13);
    assert_int_equal(sources_held(&spec, "STG.E", "", "R2 R8"), 14);
    assert_int_equal(sources_held(&spec, "STG.E.64", "", "R2 R8"), 16);
    assert_int_equal(sources_held(&spec, "STG.E.128", "", "R2 R8"), 20);
    assert_int_equal(sources_held(&spec, "STS", "", "R2 R8"), 12);
    assert_int_equal(sources_held(&spec, "STS.64", "", "R2 R8"), 14);
    assert_int_equal(sources_held(&spec, "STS.128", "", "R2 R8"), 18);
    assert_int_equal(sources_held(&spec, "LDS", "R8", "R2"), 9);
}

/* The entry of a load that was taken is free when its address has been read. If the queue had room for
 * one more, it is full until then. */
static void an_entry_of_the_queue_is_free_when_its_address_has_been_read(void **state)
{
    enum { BEFORE = 4, AFTER = 2 }; /* loads: one less than the queue holds; after a while */
    gpu_spec_t spec = LAB_SPEC("t4", AMPERE);
    uint64_t taken = 1 + spec.sm.sm.mem_issue_latency;
    uint64_t read = taken + spec.sm.sm.global_read_extra;

    (void)state;
    for (uint64_t at = BEFORE + 1; at <= read + 1; at++) {
        const uint32_t next = synth_control_word(1, false, CTL_NONE, CTL_NONE, 0, 0);
        uint32_t gap = (uint32_t)(at - BEFORE);
        synth_t *s = synth_create();
        synth_kernel_t *k = synth_kernel_create(
            s, "loads", &(synth_shape_t){.arch = spec.gpu.arch, .block = {WARP}});
        body_t body = {BEFORE + AFTER};

        assert_true(gap < 12); /* what a stall count can say */
        add(k, "CS2R", "R40", "", next);
        for (unsigned i = 1; i <= BEFORE; i++)
            add(k, "LDG.E", "R1", "R2",
                i < BEFORE ? next : synth_control_word(gap, false, CTL_NONE, CTL_NONE, 0, 0));
        for (unsigned i = 0; i < AFTER; i++)
            add(k, "LDG.E", "R1", "R2", next);
        add(k, "CS2R", "R42", "", next);
        add(k, "EXIT", "", "", next);
        synth_kernel_body(k, clock_loads_clock, &body);
        clock_lab_t t = clock_lab_run(&spec, s, 1, 0, true);
        assert_int_equal(t.n, 2);
        /* The second clock read issues a cycle after the last load. */
        assert_int_equal(t.read[1].cycle - t.read[0].cycle, (at + 1 > read ? at + 1 : read) + 1);
    }
}

/* --- the addresses of the next instruction ---------------------------------------------------- */

static void conflict_then_loads(synth_warp_t *w, const void *ctx)
{
    enum { ONE_BANK = 128 };
    unsigned n = ((const body_t *)ctx)->n;

    synth_emit(w, 0, (uint32_t)SYNTH_FULL_MASK);
    for (unsigned i = 1; i <= n; i++)
        synth_emit_affine(w, i, (uint32_t)SYNTH_FULL_MASK, 0, i == 1 ? ONE_BANK : 4);
    synth_emit_span(w, n + 1, 2);
}

/* While the first load occupies the unit, the addresses of the second one are computed and wait with
 * it. Those of the third follow at once, as they are computed when the second one has its place. From
 * then on each takes mem_interval. */
static void only_one_instruction_waits_with_its_addresses(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1", "icache.perfect=true", "const.perfect=true",
                               "sm.mem_queue=16", "sm.int_lanes=32", "sm.rf_write_conflicts=false");
    const uint32_t next = synth_control_word(1, false, CTL_NONE, CTL_NONE, 0, 0);
    const uint32_t counted = synth_control_word(2, false, 0, CTL_NONE, 0, 0);
    uint64_t busy = WARP * (uint64_t)spec.sm.shared.pass_cycles;

    (void)state;
    for (unsigned n = 2; n <= 8; n++) {
        synth_t *s = synth_create();
        synth_kernel_t *k = synth_kernel_create(
            s, "loads", &(synth_shape_t){.arch = spec.gpu.arch, .block = {WARP}, .shared = 8192});
        body_t body = {n};

        add(k, "CS2R", "R40", "", next);
        for (unsigned i = 1; i <= n; i++)
            add(k, "LDS", "R1", "R2", i == n ? counted : next);
        add(k, "CS2R", "R42", "", synth_control_word(1, false, CTL_NONE, CTL_NONE, 1, 0));
        add(k, "EXIT", "", "", next);
        synth_kernel_body(k, conflict_then_loads, &body);
        clock_lab_t t = clock_lab_run(&spec, s, 1, 0, true);
        /* The first load issues in cycle 1. The second one is taken when it has passed the banks. */
        uint64_t taken = 1 + spec.sm.sm.mem_issue_latency + busy;

        if (n > 2)
            taken += spec.sm.sm.mio_interval + (n - 3) * (uint64_t)spec.sm.sm.mem_interval;
        if (n > 3)
            taken -= spec.sm.sm.mio_interval;
        assert_int_equal(t.n, 2);
        assert_int_equal(t.read[1].cycle - t.read[0].cycle,
                         taken + spec.sm.shared.latency - spec.sm.sm.mem_issue_latency);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_issue_as_the_queues_let_them),
        cmocka_unit_test(source_registers_are_free_when_they_have_been_read),
        cmocka_unit_test(an_entry_of_the_queue_is_free_when_its_address_has_been_read),
        cmocka_unit_test(only_one_instruction_waits_with_its_addresses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
