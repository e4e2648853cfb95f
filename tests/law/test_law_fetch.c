/*
 * Laws of instruction supply: one warp runs straight-line code in which every instruction takes one
 * cycle, so all additional cycles are due to fetch.
 */
#include <stdio.h>

#include "tests/support/sim/lab.h"

enum { LINE_BYTES_OF_CODE = 128, INST_BYTES = 16, PER_LINE = LINE_BYTES_OF_CODE / INST_BYTES };

typedef struct {
    unsigned length, passes;
} code_t;

static void code_body(synth_warp_t *w, const void *ctx)
{
    const code_t *c = ctx;

    for (unsigned i = 0; i < c->passes; i++)
        synth_emit_span(w, 0, c->length);
    synth_emit(w, c->length, (uint32_t)LAB_FULL);
}

static launch_result_t run_code(const gpu_spec_t *spec, unsigned length, unsigned passes)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(s, "code", &(synth_shape_t){.grid = {1}});
    code_t c = {length, passes};

    for (unsigned i = 0; i < length; i++)
        synth_code(k, "NOP", "", "");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, code_body, &c);
    return lab_run_one(spec, s);
}

/* Cycles per line of one more pass over code of this size. */
static double cycles_per_line(const gpu_spec_t *spec, uint64_t bytes)
{
    unsigned length = (unsigned)(bytes / INST_BYTES);
    launch_result_t few = run_code(spec, length, 2), many = run_code(spec, length, 3);

    return (double)(launch_result_cycles(&many) - launch_result_cycles(&few)) /
           ((double)length / PER_LINE);
}

/* Cycles per line of the first pass, from the difference of two lengths. */
static double cycles_per_cold_line(const gpu_spec_t *spec)
{
    const unsigned lines = 64;
    launch_result_t few = run_code(spec, lines * PER_LINE, 1);
    launch_result_t many = run_code(spec, 2 * lines * PER_LINE, 1);

    return (double)(launch_result_cycles(&many) - launch_result_cycles(&few)) / lines;
}

static void code_in_l0_runs_without_a_gap(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1");

    (void)state;
    lab_assert_equal(cycles_per_line(&spec, spec.sm.icache.l0_size / 2), PER_LINE, "from L0");
}

static void a_perfect_instruction_cache_has_no_gaps(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1", "icache.perfect=true");

    (void)state;
    lab_assert_equal(cycles_per_cold_line(&spec), PER_LINE, "cold, perfect");
}

/* Without a stream buffer, the warp waits for every line: the last instruction of a line
 * requests the next one in the cycle in which it issues. */
static void without_prefetch_each_line_costs_its_latency(void **state)
{
    /* The line of the EXIT comes from the next level, at a time that must not depend on the DRAM
     * clock. */
    gpu_spec_t spec =
        LAB_SPEC("v100", "sm.count=1", "icache.prefetch=0", "icache.buffer=0", "dram.perfect=true");
    const icache_spec_t *i = &spec.sm.icache;
    unsigned length = (unsigned)(2 * i->l0_size / INST_BYTES);
    launch_result_t few = run_code(&spec, length, 2), many = run_code(&spec, length, 3);
    uint64_t misses = many.sm.icache_l0_misses - few.sm.icache_l0_misses;

    (void)state;
    assert_true(2 * i->l0_size < i->l1_size);
    assert_true(misses > length / PER_LINE / 2);
    assert_int_equal(many.sm.icache_l1_misses, few.sm.icache_l1_misses);
    assert_int_equal(launch_result_cycles(&many) - launch_result_cycles(&few),
                     length + misses * (i->l1_latency - 1));
}

/* A buffer of n instructions hides n cycles of a miss: the n-th instruction before a line, when
 * it issues, frees the entry into which the first instruction of the line is fetched. Without a
 * buffer, the last instruction before the line requests it. */
static void a_buffer_hides_a_cycle_with_each_of_its_places(void **state)
{
    gpu_spec_t spec =
        LAB_SPEC("v100", "sm.count=1", "l2.perfect=true", "icache.prefetch=0", "icache.buffer=0");
    double none = cycles_per_cold_line(&spec);

    (void)state;
    for (uint32_t n = 3; n <= PER_LINE; n++) {
        spec.sm.icache.buffer = n;
        lab_assert_equal(none - cycles_per_cold_line(&spec), n - 1, "cycles hidden of a line");
    }
}

/* Two stages from fetch to issue: a warp with three entries issues every cycle, with two it
 * misses every third cycle, with one it issues only every third. */
static void a_short_buffer_runs_dry(void **state)
{
    static const unsigned cycles_of_six[] = {6, 18, 9, 6, 6};

    (void)state;
    for (uint32_t places = 0; places < 5; places++) {
        gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1");
        const lab_op_t op = {"NOP", "", ""};

        spec.sm.icache.buffer = places;
        lab_assert_equal(cycles_per_line(&spec, spec.sm.icache.l0_size / 2) / PER_LINE,
                         cycles_of_six[places] / 6.0, "cycles per instruction of one warp");
        spec.sm.icache.perfect = true;
        lab_assert_equal(lab_straight_slope(&spec, 1, 32, &op, 1), 1, "with perfect caches");
    }
}

enum { BEHIND_BARRIER = PER_LINE, LONG_WAY = 2 * PER_LINE, LONG_WAY_LINES = 16 };

/* The second warp executes much other code before it reaches the barrier. */
static void barrier_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    if (w->warp == 1)
        synth_emit_span(w, LONG_WAY, LONG_WAY_LINES * PER_LINE);
    synth_emit_span(w, 0, BEHIND_BARRIER);
    synth_emit(w, BEHIND_BARRIER, (uint32_t)LAB_FULL);
}

/* While a warp waits at a barrier, its buffer is filled: the line after the barrier is there
 * when the warp is released. */
static void a_barrier_hides_the_line_behind_it(void **state)
{
    uint64_t cycles[2];

    (void)state;
    for (unsigned buffered = 0; buffered < 2; buffered++) {
        gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1", "icache.prefetch=0", "l2.perfect=true");
        synth_t *s = synth_create();
        synth_kernel_t *k =
            synth_kernel_create(s, "code", &(synth_shape_t){.grid = {1}, .block = {64}});

        spec.sm.icache.buffer = buffered ? 3 : 0;
        for (unsigned i = 1; i < BEHIND_BARRIER; i++)
            synth_code(k, "NOP", "", "");
        synth_code(k, "BAR.SYNC", "", "");
        synth_code(k, "EXIT", "", "");
        for (unsigned i = BEHIND_BARRIER + 1; i < LONG_WAY + LONG_WAY_LINES * PER_LINE; i++)
            synth_code(k, "NOP", "", "");
        synth_kernel_body(k, barrier_body, NULL);
        launch_result_t r = lab_run_one(&spec, s);
        cycles[buffered] = launch_result_cycles(&r);
    }
    /* Everything else that buffers hide is less: two cycles per line. */
    assert_true(cycles[0] > cycles[1] + 2 * LONG_WAY_LINES + 100);
}

/* The stream buffer hides latency up to its depth and the rate at which L1 sends lines. */
static void prefetch_keeps_lines_coming_from_l1(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1", "icache.l1_interval=2");
    const icache_spec_t *i = &spec.sm.icache;

    (void)state;
    assert_true(i->prefetch * PER_LINE > i->l1_latency && i->l1_interval < PER_LINE);
    lab_assert_near(cycles_per_line(&spec, 2 * i->l0_size), PER_LINE, 0.05, "from L1, prefetched");
}

/* From L2: depth lines are always outstanding, so a line takes latency / depth. */
static void prefetch_divides_the_latency_of_l2_by_its_depth(void **state)
{
    gpu_spec_t none = LAB_SPEC("v100", "sm.count=1", "l2.perfect=true", "icache.prefetch=0",
                               "icache.l1_interval=2", "icache.l1_misses=16");
    double alone = cycles_per_cold_line(&none);
    const sm_config_t *sm = &none.sm;
    double path = sm->l1.miss_latency + none.mem.icnt.request_latency + none.mem.l2.latency +
                  none.mem.icnt.reply_latency + sm->icache.l1_latency;

    (void)state;
    /* The reply has four flits, which occupy the port of the slice for a few more cycles. */
    assert_true(alone >= path + PER_LINE - 1 && alone <= path + PER_LINE - 1 + 4);
    for (uint32_t depth = 2; depth <= 8; depth *= 2) {
        gpu_spec_t spec = none;
        char what[64];

        spec.sm.icache.prefetch = depth;
        snprintf(what, sizeof(what), "cycles per line with %u lines ahead", depth);
        /* The demanded line and the next depth lines are outstanding together. */
        double got = cycles_per_cold_line(&spec);
        if (got < alone / (depth + 1) * 0.95 || got > alone / depth * 1.1)
            fail_msg("%s: %g, alone a line takes %g", what, got, alone);
    }
}

/* The first line of a program brings the next ones: the demanded line has a place in the stream buffer
 * as long as it is under way. */
static void a_line_brings_the_next_ones_up_to_the_depth(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1");

    (void)state;
    for (uint32_t depth = 0; depth <= 8; depth++) {
        spec.sm.icache.prefetch = depth;
        assert_int_equal(run_code(&spec, 1, 1).sm.icache_l1_misses, depth == 0 ? 1 : depth);
    }
}

/* The L1 requests a line when one of those under way has come. */
static void no_more_lines_are_under_way_than_the_l1_can_have(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1", "l2.perfect=true", "icache.prefetch=8",
                               "icache.l1_interval=2");
    const icnt_spec_t *icnt = &spec.mem.icnt;
    uint32_t flits = LINE_BYTES_OF_CODE / icnt->flit_bytes;
    uint32_t round = spec.sm.l1.miss_latency + icnt->request_latency + spec.mem.l2.latency +
                     (flits - 1) / icnt->slice_flits + icnt->reply_latency;

    (void)state;
    for (uint32_t misses = 1; misses <= 4; misses *= 2) {
        spec.sm.icache.l1_misses = misses;
        lab_assert_equal(cycles_per_cold_line(&spec), (double)round / misses, "cycles per line");
    }
}

/* The launch has brought the beginning of the code to the L2, the rest comes from DRAM. */
static void code_that_the_launch_brings_does_not_come_from_dram(void **state)
{
    const unsigned length = 128 * PER_LINE - 3; /* EXIT's line is the last in a buffer */
    gpu_spec_t none = LAB_SPEC("v100", "sm.count=1", "icache.launch_bytes=0", "icache.prefetch=0");
    gpu_spec_t half =
        LAB_SPEC("v100", "sm.count=1", "icache.launch_bytes=8KiB", "icache.prefetch=0");
    gpu_spec_t all =
        LAB_SPEC("v100", "sm.count=1", "icache.launch_bytes=16KiB", "icache.prefetch=0");
    launch_result_t from_dram = run_code(&none, length, 1), first = run_code(&half, length, 1);
    launch_result_t here = run_code(&all, length, 1);

    (void)state;
    assert_int_equal(from_dram.dram.read_sectors, 128 * SECTORS_PER_LINE);
    assert_int_equal(first.dram.read_sectors, 64 * SECTORS_PER_LINE);
    assert_int_equal(here.dram.read_sectors, 0);
    assert_int_equal(here.l2.inst_sectors, 128 * SECTORS_PER_LINE);
    assert_int_equal(here.l2.read_hits, here.l2.read_sectors);
    assert_true(launch_result_cycles(&here) < launch_result_cycles(&first));
    assert_true(launch_result_cycles(&first) < launch_result_cycles(&from_dram));
}

/* Jia 2019, figure 3.6, read off the chart: one warp's cycles per instruction, from each cache. */
static void code_runs_as_fast_as_its_cache_delivers_it(void **state)
{
    static const struct {
        const char *gpu;
        unsigned kib;
        double cycles;
    } measured[] = {{"v100", 8, 1}, {"v100", 64, 3}, {"v100", 512, 6.5},
                    {"t4", 8, 1},   {"t4", 32, 2},   {"t4", 256, 4}};

    (void)state;
    for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
        gpu_spec_t spec = lab_spec(measured[i].gpu, (const char *const[]){"sm.count=1", NULL});
        char what[64];

        snprintf(what, sizeof(what), "%s: cycles per NOP of %u KiB", measured[i].gpu,
                 measured[i].kib);
        lab_assert_near(cycles_per_line(&spec, measured[i].kib * 1024ull) / PER_LINE,
                        measured[i].cycles, 0.25, what);
    }
}

/* Warps of one sub-core that run the same code share its lines. */
static void warps_of_a_sub_core_share_a_line(void **state)
{
    const unsigned length = 64 * PER_LINE - 3; /* EXIT's line is the last in a buffer */
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1");
    const lab_op_t op = {"NOP", "", ""};
    launch_result_t one = lab_straight(&spec, 1, 32, &op, 1, length);
    launch_result_t many = lab_straight(&spec, 1, 1024, &op, 1, length);

    (void)state;
    /* Lines of the code, and of what the stream buffer fetches beyond its end. */
    assert_in_range(one.sm.icache_l1_misses, 64, 64 + spec.sm.icache.prefetch);
    assert_in_range(many.sm.icache_l1_misses, 64, 64 + spec.sm.icache.prefetch);
    assert_true(launch_result_cycles(&many) <
                launch_result_cycles(&one) + length * (1024 / 32 / spec.sm.sm.sub_cores));
}

/* Cold code of this many lines on this many SMs, with a block of one warp on each. */
static launch_result_t run_everywhere(gpu_spec_t spec, uint32_t sms, unsigned lines)
{
    const lab_op_t nop = {"NOP", "", ""};

    spec.sm.sm.count = sms;
    launch_result_t r = lab_straight(&spec, sms, 32, &nop, 1, lines * PER_LINE);
    /* A line that misses in an SM comes from the L2 or from the cache of its GPC. */
    assert_int_equal(r.l2.inst_sectors + r.l2.gpc_sectors,
                     r.sm.icache_l1_misses * SECTORS_PER_LINE);
    return r;
}

/* Each GPC, not each SM, requests a line from the L2, so a chip with twice the GPCs starts as
 * fast. */
static void twice_the_sms_fetch_their_code_in_the_same_time(void **state)
{
    const unsigned lines = 64;
    static const char *const gpus[] = {"v100", "rtx2060"};

    (void)state;
    for (size_t i = 0; i < sizeof(gpus) / sizeof(gpus[0]); i++) {
        gpu_spec_t spec = lab_spec(gpus[i], (const char *const[]){NULL});
        const uint32_t sms = spec.sm.sm.count, gpc = spec.mem.icnt.gpc_sms;
        launch_result_t one = run_everywhere(spec, 1, lines);
        launch_result_t all = run_everywhere(spec, sms, lines);
        launch_result_t twice = run_everywhere(spec, 2 * sms, lines);
        const uint64_t cycles = launch_result_cycles(&one);

        assert_int_equal(all.l2.inst_sectors, one.l2.inst_sectors * ((sms + gpc - 1) / gpc));
        assert_int_equal(twice.l2.inst_sectors, one.l2.inst_sectors * ((2 * sms + gpc - 1) / gpc));
        /* The last block starts and ends later than the first by the turns of the SMs. */
        assert_in_range(launch_result_cycles(&all), cycles, cycles * 11 / 10 + sms);
        assert_in_range(launch_result_cycles(&twice), cycles, cycles * 11 / 10 + 2 * sms);
    }
}

/* Without this cache, all SMs queue at the slice of the line that all need next. */
static void sms_that_share_no_cache_queue_for_their_code(void **state)
{
    const unsigned lines = 64;
    gpu_spec_t spec = LAB_SPEC("v100", "icnt.gpc_sms=0", "mem.partitions=1", "l2.slices=1",
                               "l2.size=96KiB", "l2.clock_mhz=0");
    const uint32_t sms = spec.sm.sm.count;
    launch_result_t r = run_everywhere(spec, sms, lines);

    (void)state;
    assert_int_equal(r.l2.gpc_sectors, 0);
    assert_true(launch_result_cycles(&r) - r.launch_cycles >=
                (uint64_t)lines * SECTORS_PER_LINE * sms / spec.mem.icnt.slice_flits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_in_l0_runs_without_a_gap),
        cmocka_unit_test(a_perfect_instruction_cache_has_no_gaps),
        cmocka_unit_test(without_prefetch_each_line_costs_its_latency),
        cmocka_unit_test(a_buffer_hides_a_cycle_with_each_of_its_places),
        cmocka_unit_test(a_short_buffer_runs_dry),
        cmocka_unit_test(a_barrier_hides_the_line_behind_it),
        cmocka_unit_test(prefetch_keeps_lines_coming_from_l1),
        cmocka_unit_test(prefetch_divides_the_latency_of_l2_by_its_depth),
        cmocka_unit_test(a_line_brings_the_next_ones_up_to_the_depth),
        cmocka_unit_test(no_more_lines_are_under_way_than_the_l1_can_have),
        cmocka_unit_test(code_that_the_launch_brings_does_not_come_from_dram),
        cmocka_unit_test(code_runs_as_fast_as_its_cache_delivers_it),
        cmocka_unit_test(warps_of_a_sub_core_share_a_line),
        cmocka_unit_test(twice_the_sms_fetch_their_code_in_the_same_time),
        cmocka_unit_test(sms_that_share_no_cache_queue_for_their_code),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
