/*
 * Laws of unloaded memory: one thread follows pointers, so one more step takes the load-to-use
 * latency of the level that serves it. Each latency is the sum of the parameters on its path.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim/core/engine/msg.h"
#include "sim/mem/dram.h"
#include "sim/parts/addr_map.h"
#include "tests/support/sim/lab.h"

/* One SM, one slice and channel with the core's clock and no refresh: latencies are whole cycles
 * and do not depend on when they begin. */
#define ONE_PATH                                                                                   \
    "sm.count=1", "icache.perfect=true", "mem.partitions=1", "l2.slices=1", "l2.size=1536KiB",     \
        "mem.hash=none", "gpu.clock_mhz=1000", "dram.clock_mhz=1000", "dram.tREFI=0",              \
        "l2.fill_sectors=1"

static const uint64_t region = 0x7f0000000000;

static uint64_t same_address(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    (void)warp;
    (void)lane;
    (void)step;
    return region;
}

/* A chase by one lane. */
static lab_access_t chase(const char *mnemonic, uint64_t steps, lab_address_fn address,
                          const void *ctx)
{
    return (lab_access_t){.op = {mnemonic, "R2", "R2"},
                          .blocks = 1,
                          .threads = 1,
                          .mask = 1,
                          .steps = steps,
                          .address = address,
                          .ctx = ctx};
}

static double chase_slope(const gpu_spec_t *spec, const char *mnemonic)
{
    return lab_access_slope(spec, chase(mnemonic, 50, same_address, NULL));
}

static uint32_t l2_hit_latency(const gpu_spec_t *s)
{
    return s->sm.sm.mem_issue_latency + s->sm.l1.miss_latency + s->mem.icnt.request_latency +
           s->mem.l2.latency + s->mem.icnt.reply_latency + s->sm.l1.fill_latency;
}

static void an_l1_hit_takes_the_latency_of_the_l1(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH), turing = LAB_SPEC("t4", ONE_PATH);

    (void)state;
    lab_assert_equal(chase_slope(&spec, "LDG.E.SYS"), spec.sm.l1.latency, "v100 L1 hit");
    lab_assert_equal(chase_slope(&turing, "LDG.E.SYS"), turing.sm.l1.latency, "t4 L1 hit");
}

/* Lanes in turn on this many lines, on words of one bank or each on its own. */
typedef struct {
    unsigned lines;
    bool one_bank;
} scatter_t;

static uint64_t scattered(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const scatter_t *s = ctx;

    (void)warp;
    (void)step;
    return region + lane % s->lines * 128 + (s->one_bank ? 0 : lane * 4);
}

/* The first line and the first pass through the banks are part of the latency. */
static void an_l1_hit_takes_longer_by_its_further_passes_or_tags(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH);

    (void)state;
    for (unsigned lines = 1; lines <= 32; lines *= 2) {
        for (unsigned one_bank = 0; one_bank < 2; one_bank++) {
            scatter_t s = {lines, one_bank != 0};
            lab_access_t a = chase("LDG.E.SYS", 50, scattered, &s);
            uint32_t tags = (lines + spec.sm.l1.tags_per_cycle - 1) / spec.sm.l1.tags_per_cycle;

            a.threads = 32;
            a.mask = (uint32_t)LAB_FULL;
            lab_assert_equal(lab_access_slope(&spec, a),
                             spec.sm.l1.latency + (one_bank ? lines : tags) - 1,
                             "an L1 hit of several lines");
        }
    }
}

/* A result of a whole warp leaves the L1 in return_bytes per cycle, whatever lanes are active. */
static void wide_loads_take_longer_by_their_way_back(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH);
    uint32_t path = spec.sm.sm.return_bytes;

    (void)state;
    lab_assert_equal(chase_slope(&spec, "LDG.E.64.SYS"),
                     spec.sm.l1.latency + 32.0 * 8 / path - 32.0 * 4 / path, "64-bit L1 hit");
    lab_assert_equal(chase_slope(&spec, "LDG.E.128.SYS"),
                     spec.sm.l1.latency + 32.0 * 16 / path - 32.0 * 4 / path, "128-bit L1 hit");
}

static void a_load_that_bypasses_l1_takes_the_path_to_l2_and_back(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH);
    gpu_spec_t off = LAB_SPEC("v100", ONE_PATH, "l1.enabled=false");
    gpu_spec_t far = LAB_SPEC("v100", ONE_PATH, "icnt.request_latency=100", "l2.latency=131");

    (void)state;
    lab_assert_equal(chase_slope(&spec, "LDG.E.STRONG.GPU"), l2_hit_latency(&spec), "L2 hit");
    lab_assert_equal(chase_slope(&off, "LDG.E.SYS"), l2_hit_latency(&off), "L2 hit, no L1");
    lab_assert_equal(chase_slope(&far, "LDG.E.STRONG.GPU"), l2_hit_latency(&far), "far L2 hit");
}

static uint64_t given_address(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)warp;
    (void)lane;
    (void)step;
    return *(const uint64_t *)ctx;
}

/* The first SM follows pointers in one slice: the latency has the distance of the slice, for
 * every slice. */
static void a_far_slice_answers_later_than_a_near_one(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH, "sm.count=12", "mem.partitions=4", "l2.slices=8",
                               "sched.order=linear", "icnt.distance=60");
    addr_map_t map;
    distance_t distance;

    (void)state;
    addr_map_init(&map, 4, 8, spec.mem.mem.interleave, spec.mem.mem.hash);
    gpu_spec_distance(&spec, &distance);
    for (uint64_t block = 0; block < 8; block++) {
        uint64_t address = region + block * spec.mem.mem.interleave;
        uint32_t slice = addr_map_slice(&map, address);
        int32_t farther = distance_there(&distance, 0, slice) + distance_back(&distance, 0, slice);
        lab_access_t a = chase("LDG.E.STRONG.GPU", 50, given_address, &address);
        lab_assert_equal(lab_access_slope(&spec, a), (int32_t)l2_hit_latency(&spec) + farther,
                         "L2 hit at a distance");
    }
    assert_int_not_equal(distance_there(&distance, 0, 0), distance_there(&distance, 0, 7));
}

static void an_atomic_takes_an_l2_hit_and_its_operation(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH);

    (void)state;
    lab_assert_equal(chase_slope(&spec, "ATOMG.E.ADD.STRONG.GPU"),
                     l2_hit_latency(&spec) + spec.mem.l2.atomic_latency, "ATOMG");
}

/* A chase through sectors that a host copy left in the L2. */
static uint64_t next_sector(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    (void)warp;
    (void)lane;
    return region + step * 32;
}

static void what_a_host_copy_left_in_l2_is_read_at_l2_latency(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH);
    lab_access_t a = chase("LDG.E.SYS", 100, next_sector, NULL);
    uint64_t cycles[2];

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        lab_results_t *r = test_calloc(1, sizeof(*r));
        synth_t *s = synth_create();

        a.steps = 100 * (i + 1);
        synth_memcpy(s, region, 64 * 1024);
        lab_access_add(s, &spec, &a);
        lab_run(&spec, synth_source(s), 1, 0, r);
        cycles[i] = launch_result_cycles(&r->launch[0]);
        assert_int_equal(r->launch[0].dram.read_requests, 0);
        synth_destroy(s);
        test_free(r);
    }
    lab_assert_equal((double)(cycles[1] - cycles[0]) / 100, l2_hit_latency(&spec), "copied data");
}

/* --- DRAM --------------------------------------------------------------------------------------
 */

enum { MAX_PLACES = 64 };

typedef struct {
    uint64_t address[MAX_PLACES];
    unsigned n;
} places_t;

static uint64_t place_address(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const places_t *p = ctx;

    (void)warp;
    (void)lane;
    return p->address[step];
}

typedef enum { SAME_ROW, FRESH_BANK, OTHER_ROW } row_case_t;

/* Lines for which successive accesses find the row open, the bank closed, or another row open,
 * according to the channel's own address map. */
static places_t find_places(const gpu_spec_t *spec, row_case_t what, unsigned n)
{
    places_t p = {.n = 0};
    bool *used = test_calloc(spec->mem.dram.banks, sizeof(*used));
    addr_map_t map;

    dram_t *dram = dram_create(&spec->mem.dram, spec->gpu.clock_mhz);
    addr_map_init(&map, spec->mem.mem.partitions, spec->mem.l2.slices, spec->mem.mem.interleave,
                  spec->mem.mem.hash);
    dram_place_t first = dram_place(dram, addr_map_local(&map, region));
    uint64_t last_row = first.row + 1;
    for (uint64_t a = region; p.n < n && a < region + (UINT64_C(1) << 28); a += LINE_BYTES) {
        dram_place_t at = dram_place(dram, addr_map_local(&map, a));
        bool good = what == SAME_ROW     ? at.bank == first.bank && at.row == first.row
                    : what == FRESH_BANK ? !used[at.bank]
                                         : at.bank == first.bank && at.row != last_row;
        if (!good)
            continue;
        used[at.bank] = true;
        last_row = at.row;
        p.address[p.n++] = a;
    }
    dram_destroy(dram);
    test_free(used);
    assert_int_equal(p.n, n);
    return p;
}

static double dram_slope(const gpu_spec_t *spec, row_case_t what, unsigned n)
{
    places_t p = find_places(spec, what, n);

    assert_true(n <= MAX_PLACES);
    return lab_access_slope(spec, chase("LDG.E.SYS", n / 2, place_address, &p));
}

static unsigned row_lines(const dram_spec_t *d)
{
    return (unsigned)(d->row_bytes / LINE_BYTES);
}

static uint32_t burst_ticks(const dram_spec_t *d)
{
    return d->burst_bytes / (d->bus_bytes * d->data_rate);
}

static void a_dram_access_takes_l2_the_channel_and_the_commands_of_its_row(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH);
    const dram_spec_t *d = &spec.mem.dram;
    uint32_t open = l2_hit_latency(&spec) + d->latency + d->tCL + burst_ticks(d);

    (void)state;
    lab_assert_equal(dram_slope(&spec, SAME_ROW, row_lines(d)), open, "row open");
    lab_assert_equal(dram_slope(&spec, FRESH_BANK, d->banks), open + d->tRCD, "bank closed");
    lab_assert_equal(dram_slope(&spec, OTHER_ROW, 32), open + d->tRP + d->tRCD, "other row open");
}

/* GDDR6 has other numbers but follows the same law. Check bits in the memory are a further column of the row. */
static void the_law_of_a_dram_access_holds_for_turing(void **state)
{
    gpu_spec_t spec = LAB_SPEC("t4", ONE_PATH);
    const dram_spec_t *d = &spec.mem.dram;
    uint32_t open =
        l2_hit_latency(&spec) + d->latency + d->tCL + burst_ticks(d) + d->check_bursts * d->tCCDL;

    (void)state;
    lab_assert_equal(dram_slope(&spec, SAME_ROW, row_lines(d)), open, "row open");
    lab_assert_equal(dram_slope(&spec, OTHER_ROW, 32), open + d->tRP + d->tRCD, "other row open");
}

/* With half the DRAM clock, commands take twice as long, and the fixed path does not. */
static void dram_commands_are_in_dram_cycles(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH, "dram.clock_mhz=500");
    const dram_spec_t *d = &spec.mem.dram;
    double want = l2_hit_latency(&spec) + d->latency + 2.0 * (d->tCL + burst_ticks(d));
    double got = dram_slope(&spec, SAME_ROW, row_lines(d));

    (void)state;
    /* A request may reach the controller between two ticks. */
    assert_true(got >= want && got <= want + 2);
}

/* Both sectors of a 64-byte fetch come with one row access; the load waits only for its own. */
static void a_fetch_of_two_sectors_is_no_slower_than_the_second_column(void **state)
{
    gpu_spec_t one = LAB_SPEC("v100", ONE_PATH);
    gpu_spec_t two = LAB_SPEC("v100", ONE_PATH, "l2.fill_sectors=2");
    const dram_spec_t *d = &one.mem.dram;
    double more =
        dram_slope(&two, SAME_ROW, row_lines(d)) - dram_slope(&one, SAME_ROW, row_lines(d));

    (void)state;
    assert_true(more >= 0 && more <= d->tCCDL + burst_ticks(d));
}

/* --- shared memory and constants ---------------------------------------------------------------
 */

typedef struct {
    unsigned ways, banks;
} conflict_t;

/* In each bank, lanes access this many different words. */
static uint64_t conflicting(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const conflict_t *c = ctx;

    (void)warp;
    (void)step;
    return lane % c->ways * c->banks * 4 + lane / c->ways * 4;
}

static double shared_slope(const gpu_spec_t *spec, unsigned ways)
{
    conflict_t c = {ways, spec->sm.shared.banks};
    lab_access_t a = chase("LDS.U", 50, conflicting, &c);

    a.threads = 32;
    a.mask = (uint32_t)LAB_FULL;
    a.shared = 16 * 1024;
    return lab_access_slope(spec, a);
}

static void a_shared_load_takes_its_latency_and_each_conflict_its_part(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH), turing = LAB_SPEC("t4", ONE_PATH);

    (void)state;
    for (unsigned ways = 1; ways <= 32; ways *= 2) {
        char what[64];

        snprintf(what, sizeof(what), "LDS with %u ways", ways);
        lab_assert_equal(shared_slope(&spec, ways),
                         spec.sm.shared.latency + (ways - 1) * spec.sm.shared.conflict_latency,
                         what);
        lab_assert_equal(shared_slope(&turing, ways),
                         turing.sm.shared.latency + (ways - 1) * turing.sm.shared.conflict_latency,
                         what);
    }
}

static void a_shared_atomic_takes_its_latency_and_each_contender_its_part(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH);
    lab_access_t a = chase("ATOMS.ADD", 50, same_address, NULL);

    (void)state;
    a.shared = 1024;
    a.threads = 32;
    lab_assert_equal(lab_access_slope(&spec, a), spec.sm.shared.atomic_latency, "one lane");
    a.mask = 0xff;
    lab_assert_equal(lab_access_slope(&spec, a),
                     spec.sm.shared.atomic_latency + 7 * spec.sm.shared.atomic_conflict,
                     "eight lanes on one word");
}

enum { CONSTANTS = 32 };

/* Each LDC overwrites the register of the previous one and therefore waits for it. */
static void constants_body(synth_warp_t *w, const void *ctx)
{
    const unsigned *n = ctx;

    for (unsigned i = 0; i < *n; i++)
        synth_emit_affine(w, i, 1, 0, 0);
    synth_emit(w, 2 * CONSTANTS, 1);
}

/* Cycles per LDC of the second half of a program whose n-th one reads offset(n). */
static double constant_slope(const gpu_spec_t *spec, unsigned (*offset)(unsigned n))
{
    uint64_t cycles[2];

    for (unsigned i = 0; i < 2; i++) {
        unsigned n = CONSTANTS * (i + 1);
        synth_t *s = synth_create();
        synth_kernel_t *k = synth_kernel_create(s, "ldc", &(synth_shape_t){.block = {1}});

        for (unsigned c = 0; c < 2 * CONSTANTS; c++)
            synth_code_const(k, "LDC", "R4", 3, offset(c));
        synth_code(k, "EXIT", "", "");
        synth_kernel_body(k, constants_body, &n);
        launch_result_t r = lab_run_one(spec, s);
        cycles[i] = launch_result_cycles(&r);
    }
    return (double)(cycles[1] - cycles[0]) / CONSTANTS;
}

static unsigned one_constant(unsigned n)
{
    (void)n;
    return 0;
}

/* The first cache has lines of 64 bytes. In the second half, the first of the four lines within
 * a 256-byte line of the next level misses in both caches, the other three only in the first. */
static unsigned next_line(unsigned n)
{
    return n * 64;
}

static unsigned next_far_line(unsigned n)
{
    return n * 256;
}

static void constants_come_at_the_latency_of_the_cache_that_has_them(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH);
    const const_spec_t *c = &spec.sm.constant;

    (void)state;
    lab_assert_equal(constant_slope(&spec, one_constant), c->l1_latency, "constant cache");
    lab_assert_equal(constant_slope(&spec, next_far_line), c->l2_latency, "constants from L2");
    lab_assert_equal(constant_slope(&spec, next_line), (c->l2_latency + 3.0 * c->l15_latency) / 4,
                     "constants from level 1.5");
}

enum { SPREAD_LOADS = 8, LANES = 32 };

/* One LDC after the other; the lanes of each read *n different words of one line. */
static void spread_body(synth_warp_t *w, const void *ctx)
{
    const unsigned *n = ctx;
    uint64_t address[LANES];

    for (unsigned i = 0; i < LANES; i++)
        address[i] = UINT64_C(0x30000) + 4 * (uint64_t)(i % *n);
    for (unsigned i = 0; i < SPREAD_LOADS; i++)
        synth_emit_list(w, i, UINT32_MAX, address);
    synth_emit(w, SPREAD_LOADS, UINT32_MAX);
}

static uint64_t spread_cycles(const gpu_spec_t *spec, unsigned n, unsigned warps)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(s, "ldc", &(synth_shape_t){.block = {warps * LANES}});

    for (unsigned i = 0; i < SPREAD_LOADS; i++)
        synth_code(k, "LDC", "R4", "R4");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, spread_body, &n);
    launch_result_t r = lab_run_one(spec, s);
    return launch_result_cycles(&r);
}

static void constants_that_differ_between_lanes_are_read_one_after_the_other(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH);
    const unsigned interval = spec.sm.constant.address_interval;
    /* The warp does not wait for the last load. */
    const uint64_t one = spread_cycles(&spec, 1, 1);

    (void)state;
    for (unsigned n = 2; n <= 16; n *= 2)
        assert_int_equal(spread_cycles(&spec, n, 1) - one, (SPREAD_LOADS - 1) * n * interval);
    /* The unit is one for the SM, so four warps of four sub-cores wait for each other. */
    const uint64_t busy = (uint64_t)4 * (SPREAD_LOADS - 1) * 16 * interval;
    const uint64_t four = spread_cycles(&spec, 16, 4);
    assert_true(four >= busy && four < busy + one);
}

/* --- perfect parts: the travel latency remains ------------------------------------------------ */

static void perfect_parts_keep_their_latency(void **state)
{
    gpu_spec_t icnt = LAB_SPEC("v100", ONE_PATH, "icnt.perfect=true");
    gpu_spec_t l2 = LAB_SPEC("v100", ONE_PATH, "l2.perfect=true");
    gpu_spec_t dram = LAB_SPEC("v100", ONE_PATH, "dram.perfect=true");
    gpu_spec_t l1 = LAB_SPEC("v100", ONE_PATH, "l1.perfect=true");

    (void)state;
    lab_assert_equal(chase_slope(&icnt, "LDG.E.STRONG.GPU"), l2_hit_latency(&icnt), "icnt");
    lab_assert_equal(dram_slope(&l2, OTHER_ROW, 32), l2_hit_latency(&l2), "every L2 access hits");
    lab_assert_equal(dram_slope(&dram, OTHER_ROW, 32),
                     l2_hit_latency(&dram) + dram.mem.dram.latency, "DRAM without banks");
    lab_assert_equal(dram_slope(&l1, OTHER_ROW, 32), l1.sm.l1.latency, "every L1 access hits");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_l1_hit_takes_the_latency_of_the_l1),
        cmocka_unit_test(an_l1_hit_takes_longer_by_its_further_passes_or_tags),
        cmocka_unit_test(wide_loads_take_longer_by_their_way_back),
        cmocka_unit_test(a_load_that_bypasses_l1_takes_the_path_to_l2_and_back),
        cmocka_unit_test(a_far_slice_answers_later_than_a_near_one),
        cmocka_unit_test(an_atomic_takes_an_l2_hit_and_its_operation),
        cmocka_unit_test(what_a_host_copy_left_in_l2_is_read_at_l2_latency),
        cmocka_unit_test(a_dram_access_takes_l2_the_channel_and_the_commands_of_its_row),
        cmocka_unit_test(the_law_of_a_dram_access_holds_for_turing),
        cmocka_unit_test(dram_commands_are_in_dram_cycles),
        cmocka_unit_test(a_fetch_of_two_sectors_is_no_slower_than_the_second_column),
        cmocka_unit_test(a_shared_load_takes_its_latency_and_each_conflict_its_part),
        cmocka_unit_test(a_shared_atomic_takes_its_latency_and_each_contender_its_part),
        cmocka_unit_test(constants_come_at_the_latency_of_the_cache_that_has_them),
        cmocka_unit_test(constants_that_differ_between_lanes_are_read_one_after_the_other),
        cmocka_unit_test(perfect_parts_keep_their_latency),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
