/*
 * Laws of peak bandwidth: no level moves more than its width allows; a program that offers enough
 * requests comes close to this limit, and one that does not gets the throughput of Little's law.
 */
#include <stdio.h>

#include "sim/core/engine/msg.h"
#include "tests/support/sim/lab.h"

#define QUIET "icache.perfect=true", "sm.scheduler=lrr", "gpu.launch_latency=0", "dram.tREFI=0"

static const uint64_t region = 0x7f0000000000;

enum { WARP = 32, MANY_THREADS = 1024 };

/* --- shared memory and L1 data ------------------------------------------------------------------
 */

typedef struct {
    uint64_t lane_stride, base;
} strided_t;

static uint64_t strided(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const strided_t *s = ctx;

    (void)warp;
    (void)step;
    return s->base + lane * s->lane_stride;
}

/* Independent accesses by all warps of one full block on one SM. */
static lab_access_t crowd_access(const char *mnemonic, const strided_t *s)
{
    return (lab_access_t){.op = {mnemonic, NULL, "R2"},
                          .blocks = 1,
                          .threads = MANY_THREADS,
                          .shared = 32 * 1024,
                          .regs = 32,
                          .mask = (uint32_t)LAB_FULL,
                          .steps = 64,
                          .address = strided,
                          .ctx = s};
}

/* Cycles of the SM per warp access. */
static double cycles_per_access(const gpu_spec_t *spec, const char *mnemonic, uint64_t lane_stride,
                                uint64_t base)
{
    strided_t s = {lane_stride, base};

    return lab_access_slope(spec, crowd_access(mnemonic, &s)) / (MANY_THREADS / WARP);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Cycles of passes of all lanes: each takes pass_cycles, but one if it serves one lane. */
static double conflict_cycles(unsigned ways, uint32_t pass_cycles)
{
    return ways < WARP ? ways * pass_cycles : WARP;
}

/* Cycles in which the load/store unit takes the lanes of a warp. */
static double address_cycles(const gpu_spec_t *spec)
{
    return larger((double)WARP / spec->sm.sm.lsu_lanes, spec->sm.sm.mio_interval);
}

static void check_shared_rates(const gpu_spec_t *spec)
{
    const shared_spec_t *sh = &spec->sm.shared;
    double words = (double)sh->banks; /* of 4 bytes per pass */

    lab_assert_equal(cycles_per_access(spec, "LDS.U", 4, 0),
                     larger(address_cycles(spec), WARP / words * sh->pass_cycles), "LDS");
    lab_assert_equal(cycles_per_access(spec, "LDS.U.64", 8, 0),
                     larger(address_cycles(spec), 2 * WARP / words * sh->pass_cycles), "LDS.64");
    lab_assert_equal(cycles_per_access(spec, "LDS.U.128", 16, 0),
                     larger(address_cycles(spec), 4 * WARP / words * sh->pass_cycles), "LDS.128");
    /* If lanes access words k apart, k of them meet in the same bank. */
    for (unsigned ways = 2; ways <= sh->banks; ways *= 2) {
        char what[64];

        snprintf(what, sizeof(what), "LDS with %u ways", ways);
        lab_assert_equal(cycles_per_access(spec, "LDS.U", 4ull * ways, 0),
                         larger(address_cycles(spec), conflict_cycles(ways, sh->pass_cycles)),
                         what);
    }
    lab_assert_equal(cycles_per_access(spec, "LDS.U", 0, 0),
                     larger(address_cycles(spec), sh->pass_cycles), "LDS of one word for all");
}

static void shared_memory_gives_one_pass_of_its_banks_per_cycle(void **state)
{
    gpu_spec_t volta = LAB_SPEC("v100", "sm.count=1", QUIET);
    gpu_spec_t turing = LAB_SPEC("t4", "sm.count=1", QUIET);

    (void)state;
    check_shared_rates(&volta);
    check_shared_rates(&turing);
}

static void check_l1_rates(const gpu_spec_t *spec)
{
    double lines_per_cycle = spec->sm.l1.tags_per_cycle;
    double bytes_per_cycle = (double)spec->sm.l1.bank_bytes / spec->sm.l1.pass_cycles;

    double word = larger(address_cycles(spec), WARP * 4 / bytes_per_cycle);

    lab_assert_near(cycles_per_access(spec, "LDG.E.SYS", 4, region),
                    larger(word, spec->sm.l1.load_interval), 0.002, "L1 hits, 32 bits");
    const double least = larger(address_cycles(spec), spec->sm.l1.load_interval);
    lab_assert_near(cycles_per_access(spec, "LDG.E.64.SYS", 8, region),
                    larger(least, WARP * 8 / bytes_per_cycle), 0.002, "L1 hits, 64 bits");
    lab_assert_equal(cycles_per_access(spec, "LDG.E.128.SYS", 16, region),
                     larger(address_cycles(spec), WARP * 16 / bytes_per_cycle),
                     "L1 hits, 128 bits");
    /* 33 words apart: a line and a bank for every lane. */
    lab_assert_equal(cycles_per_access(spec, "LDG.E.SYS", LINE_BYTES + 4, region),
                     larger(larger(least, spec->sm.l1.pass_cycles), WARP / lines_per_cycle),
                     "L1 hits in 32 lines");
    /* Lanes that share a bank: that many passes. */
    const unsigned rows = 128 / spec->sm.l1.bank_bytes; /* passes of 32 words without conflicts */
    for (unsigned ways = 2; ways <= WARP; ways *= 2)
        lab_assert_near(
            cycles_per_access(spec, "LDG.E.SYS", 4 * ways, region),
            larger(least, larger(conflict_cycles(rows * ways > WARP ? WARP : rows * ways,
                                                 spec->sm.l1.pass_cycles),
                                 ways / lines_per_cycle)),
            0.002, "L1 hits with bank conflicts");
}

static void l1_gives_its_banks_or_its_tags(void **state)
{
    gpu_spec_t volta = LAB_SPEC("v100", "sm.count=1", QUIET);
    gpu_spec_t turing = LAB_SPEC("t4", "sm.count=1", QUIET);

    (void)state;
    gpu_spec_t narrow = LAB_SPEC("v100", "sm.count=1", "l1.bank_bytes=64", QUIET);
    check_l1_rates(&volta);
    check_l1_rates(&turing);
    check_l1_rates(&narrow);
}

static uint64_t new_data(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const uint64_t *stride = ctx;

    return region + ((step * (MANY_THREADS / WARP) + warp) * WARP + lane) * *stride;
}

/* Loads of data that nobody has loaded, one full block on one SM. */
static lab_access_t new_loads(const char *mnemonic, const uint64_t *stride)
{
    return (lab_access_t){.op = {mnemonic, NULL, "R2"},
                          .blocks = 1,
                          .threads = MANY_THREADS,
                          .regs = 32,
                          .mask = (uint32_t)LAB_FULL,
                          .steps = 32,
                          .address = new_data,
                          .ctx = stride};
}

/* 32 lines of a sector each: the data stage is the limit, with 32 passes to read one bank and one
 * for each reply. */
static void a_reply_takes_a_pass_of_the_data_stage(void **state)
{
    static const uint64_t line = LINE_BYTES;
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1", "tlb.perfect=true", QUIET);

    (void)state;
    for (uint32_t each = 0; each <= 3; each++) {
        lab_access_t a = new_loads("LDG.E.SYS", &line);
        uint64_t load = WARP * (1 + (uint64_t)each);

        spec.sm.l1.fill_cycles = each;
        assert_int_equal(lab_access(&spec, &a).sm.l1_data_busy,
                         a.steps * (MANY_THREADS / WARP) * load);
        if (each > 0) /* without, the misses are the limit */
            lab_assert_near(lab_access_slope(&spec, a) / (MANY_THREADS / WARP), (double)load, 0.03,
                            "cycles of a load that misses in 32 lines");
    }
}

/* Four lines of four sectors for each load; DRAM brings two sectors at a time. */
static void sectors_that_arrive_together_take_one_pass(void **state)
{
    static const uint64_t words = 16;
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1", QUIET);
    lab_access_t a = new_loads("LDG.E.128.SYS", &words);
    uint64_t lines = a.steps * (MANY_THREADS / WARP) * WARP * words / LINE_BYTES;

    (void)state;
    spec.sm.l1.fill_cycles = 0;
    uint64_t reads = lab_access(&spec, &a).sm.l1_data_busy;
    assert_int_equal(reads, lines); /* a pass reads a line */
    spec.sm.l1.fill_cycles = 1;
    uint64_t fills = lab_access(&spec, &a).sm.l1_data_busy - reads;
    assert_true(lines <= fills && fills <= 2 * lines);
}

/* --- L2, crossbar, DRAM --------------------------------------------------------------------------
 */

/* Warps walk through a region; each access is to a separate line. */
typedef struct {
    uint64_t warps, bytes; /* of the grid; of the region, after which the walk starts again */
} walk_t;

static uint64_t walk(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const walk_t *w = ctx;

    return region + (step * w->warps + warp) * LINE_BYTES % w->bytes + lane * 4;
}

typedef struct {
    uint32_t blocks, threads;
    uint64_t steps, bytes;
    const char *mnemonic;
    bool copied; /* a host copy leaves the region in the L2 */
    double peak; /* bytes per cycle */
} stream_t;

/*
 * Bytes per core cycle that the program moved. The slope between two lengths excludes what happens
 * before and after the stream, but the two ends may differ. Therefore it is checked on the whole
 * launch that the peak is never exceeded.
 */
static double stream_bandwidth(const gpu_spec_t *spec, const stream_t *s, launch_result_t *last)
{
    static lab_results_t r;
    walk_t w = {(uint64_t)s->blocks * (s->threads / WARP), s->bytes};
    bool store = s->mnemonic[0] == 'S' || s->mnemonic[0] == 'R'; /* no result */
    uint64_t cycles[2];

    for (unsigned i = 0; i < 2; i++) {
        synth_t *y = synth_create();
        lab_access_t a = {.op = {s->mnemonic, store ? "" : NULL, store ? "R2 R4" : "R2"},
                          .blocks = s->blocks,
                          .threads = s->threads,
                          .regs = 32,
                          .mask = (uint32_t)LAB_FULL,
                          .steps = s->steps * (i + 1),
                          .address = walk,
                          .ctx = &w};

        if (s->copied)
            synth_memcpy(y, region, s->bytes);
        lab_access_add(y, spec, &a);
        lab_run(spec, synth_source(y), 1, 0, &r);
        synth_destroy(y);
        cycles[i] = launch_result_cycles(&r.launch[0]);
    }
    *last = r.launch[0];
    assert_true((double)(2 * s->steps * w.warps * LINE_BYTES) <= s->peak * (double)cycles[1]);
    return (double)(s->steps * w.warps * LINE_BYTES) / (double)(cycles[1] - cycles[0]);
}

static void check_bandwidth(const gpu_spec_t *spec, const stream_t *s, double efficiency,
                            launch_result_t *r, const char *what)
{
    double got = stream_bandwidth(spec, s, r);

    if (got > s->peak * 1.02 || got < s->peak * efficiency)
        fail_msg("%s: %.1f bytes per cycle, the peak is %.1f and at least %.0f %% are due", what,
                 got, s->peak, efficiency * 100);
}

/* One SM receives from L2 as much as its port allows, with all credits of the loop in use. */
static void one_sm_is_limited_by_its_crossbar_port(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1", "icnt.data_interval=2", QUIET);
    gpu_spec_t alone = LAB_SPEC("v100", "sm.count=1", "icnt.data_interval=0", QUIET);
    gpu_spec_t narrow = LAB_SPEC("v100", "sm.count=1", "icnt.sm_flits=1", QUIET);
    stream_t s = {.blocks = 2,
                  .threads = 1024,
                  .steps = 64,
                  .bytes = 2 << 20,
                  .mnemonic = "LDG.E.STRONG.GPU",
                  .copied = true};
    const icnt_spec_t *icnt = &spec.mem.icnt;
    launch_result_t r;

    (void)state;
    s.peak = icnt->sm_flits * icnt->flit_bytes;
    check_bandwidth(&spec, &s, 0.97, &r, "one SM reads L2");
    assert_int_equal(r.dram.read_sectors, 0);
    s.mnemonic = "STG.E.SYS";
    s.peak = (double)icnt->flit_bytes / icnt->data_interval;
    check_bandwidth(&spec, &s, 0.97, &r, "one SM writes L2, in turn with the other of its TPC");
    s.mnemonic = "RED.E.ADD.STRONG.GPU";
    check_bandwidth(&spec, &s, 0.97, &r, "one SM adds in L2, in turn with the other of its TPC");
    s.mnemonic = "STG.E.SYS";
    s.peak = icnt->sm_flits * icnt->flit_bytes;
    check_bandwidth(&alone, &s, 0.97, &r, "one SM writes L2 through a port of its own");
    s.mnemonic = "LDG.E.STRONG.GPU";
    s.peak = narrow.mem.icnt.sm_flits * narrow.mem.icnt.flit_bytes;
    check_bandwidth(&narrow, &s, 0.97, &r, "one SM reads L2 through a narrow port");
}

/*
 * One SM and one slice: all packets use the same pair of buffers. The smallest buffer that the
 * configuration check accepts is just large enough for the credit loop; it grows with the time of
 * flight.
 */
static void check_smallest_buffer(const char *request, const char *reply)
{
    gpu_spec_t spec =
        LAB_SPEC("v100", "sm.count=1", "mem.partitions=1", "l2.slices=1", "l2.size=1536KiB",
                 "icnt.sm_flits=1", "icnt.slice_flits=1", "icnt.data_interval=0",
                 "l2.modified_share=1", "l2.clock_mhz=0", request, reply, QUIET);
    const icnt_spec_t *icnt = &spec.mem.icnt;
    stream_t s = {.blocks = 2,
                  .threads = 1024,
                  .steps = 64,
                  .bytes = 1 << 20,
                  .mnemonic = "LDG.E.STRONG.GPU",
                  .copied = true,
                  .peak = icnt->slice_flits * icnt->flit_bytes};
    launch_result_t r;
    rb_err_t err = {0};

    while (spec.mem.icnt.buffer > 1) {
        spec.mem.icnt.buffer--;
        if (gpu_spec_check(&spec, &err) != RB_OK)
            break;
    }
    assert_int_equal(err.code, RB_CONFIG);
    /* Refused, because it cannot cover one round trip at one flit per cycle. */
    assert_true(spec.mem.icnt.buffer >= icnt->request_latency + icnt->reply_latency - 1);
    spec.mem.icnt.buffer++;
    check_bandwidth(&spec, &s, 0.97, &r, "reads through the smallest buffer");
    s.mnemonic = "STG.E.SYS";
    check_bandwidth(&spec, &s, 0.97, &r, "writes through the smallest buffer");
}

static void the_smallest_legal_buffer_holds_full_port_bandwidth(void **state)
{
    (void)state;
    check_smallest_buffer("icnt.request_latency=60", "icnt.reply_latency=60");
    check_smallest_buffer("icnt.request_latency=10", "icnt.reply_latency=35");
}

/* Half of it is not enough, so the law above depends on credits. */
static void a_buffer_of_half_a_round_trip_halves_the_bandwidth(void **state)
{
    gpu_spec_t spec =
        LAB_SPEC("v100", "sm.count=1", "mem.partitions=1", "l2.slices=1", "l2.size=1536KiB",
                 "l2.clock_mhz=0", "icnt.sm_flits=1", "icnt.slice_flits=1", QUIET);
    const icnt_spec_t *icnt = &spec.mem.icnt;
    stream_t s = {.blocks = 2,
                  .threads = 1024,
                  .steps = 64,
                  .bytes = 1 << 20,
                  .mnemonic = "LDG.E.STRONG.GPU",
                  .copied = true,
                  .peak = icnt->slice_flits * icnt->flit_bytes};
    launch_result_t r;

    (void)state;
    spec.mem.icnt.buffer = (icnt->request_latency + icnt->reply_latency) / 2;
    lab_assert_near(stream_bandwidth(&spec, &s, &r), s.peak / 2, 0.1, "half the buffer");
}

/* Many SMs at few slices: the slices' ports are the limit. */
static void many_sms_are_limited_by_the_slices(void **state)
{
    gpu_spec_t spec =
        LAB_SPEC("v100", "sm.count=16", "mem.partitions=4", "l2.slices=8", "l2.size=768KiB", QUIET);
    stream_t s = {.blocks = 32,
                  .threads = 1024,
                  .steps = 8,
                  .bytes = 512 << 10,
                  .mnemonic = "LDG.E.STRONG.GPU",
                  .copied = true};
    const icnt_spec_t *icnt = &spec.mem.icnt;
    launch_result_t r;

    (void)state;
    assert_true(spec.sm.sm.count * icnt->sm_flits > spec.mem.l2.slices * icnt->slice_flits);
    s.peak = spec.mem.l2.slices * l2_port_rate(&spec.mem) * SECTOR_BYTES;
    check_bandwidth(&spec, &s, 0.90, &r, "16 SMs read 8 slices");
    assert_int_equal(r.dram.read_sectors, 0);
}

static double dram_peak(const gpu_spec_t *spec)
{
    const dram_spec_t *d = &spec->mem.dram;
    const double bursts = (double)LINE_BYTES / d->burst_bytes;

    return (double)spec->mem.mem.partitions * d->bus_bytes * d->data_rate * d->clock_mhz /
           spec->gpu.clock_mhz * bursts / (bursts + d->check_bursts);
}

static void check_dram(const gpu_spec_t *spec, double efficiency)
{
    stream_t s = {.blocks = 64,
                  .threads = 1024,
                  .steps = 2,
                  .bytes = UINT64_C(1) << 40,
                  .mnemonic = "LDG.E.SYS",
                  .peak = dram_peak(spec)};
    launch_result_t r;

    check_bandwidth(spec, &s, efficiency, &r, "DRAM stream");
    assert_int_equal(r.dram.read_sectors * SECTOR_BYTES, 64 * 32 * s.steps * 2 * LINE_BYTES);
}

/* A stream of reads keeps the data bus busy: 90 % of the pins, as streaming kernels measure. */
static void a_stream_reaches_the_bandwidth_of_dram(void **state)
{
    gpu_spec_t hbm =
        LAB_SPEC("v100", "sm.count=16", "mem.partitions=4", "l2.slices=8", "l2.size=768KiB", QUIET);
    gpu_spec_t gddr =
        LAB_SPEC("t4", "sm.count=16", "mem.partitions=4", "l2.slices=8", "l2.size=1MiB", QUIET);

    (void)state;
    check_dram(&hbm, 0.88);
    check_dram(&gddr, 0.88);
}

/* Refresh of all banks takes tRFC of every tREFI, plus the time to close the rows before it and
 * to open them again. Refresh of one bank at a time lets the other banks continue. */
static void refresh_takes_its_share_of_the_bandwidth(void **state)
{
    gpu_spec_t without =
        LAB_SPEC("v100", "sm.count=16", "mem.partitions=4", "l2.slices=8", "l2.size=768KiB", QUIET);
    gpu_spec_t all = without, one = without;
    stream_t s = {.blocks = 64,
                  .threads = 1024,
                  .steps = 16,
                  .bytes = UINT64_C(1) << 40,
                  .mnemonic = "LDG.E.SYS",
                  .peak = dram_peak(&without)};
    launch_result_t r;

    (void)state;
    dram_spec_t *d = &all.mem.dram;
    d->tRFCSB = 0;
    d->tREFI = 4 * d->tRFC;
    double bandwidth = stream_bandwidth(&without, &s, &r);
    assert_true(r.dram.refreshes == 0);
    double lost = (double)(d->tRFC + d->tRP + d->tRCD) / d->tREFI;
    lab_assert_near(stream_bandwidth(&all, &s, &r) / bandwidth, 1 - lost, 0.04,
                    "bandwidth with a quarter of the time in refresh");

    d = &one.mem.dram;
    d->tREFI = 4 * d->tRFCSB;
    d->queue = 64; /* in addition to requests that wait for the bank in refresh */
    lab_assert_near(stream_bandwidth(&one, &s, &r) / bandwidth, 1, 0.06,
                    "bandwidth with each bank a quarter of the time in refresh");
    assert_true(r.dram.refreshes > 0);
}

/* --- Little's law --------------------------------------------------------------------------------
 */

static uint64_t chase_own_line(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    (void)lane;
    return region + (step * 64 + warp) * LINE_BYTES % (1 << 20);
}

/* Each warp has one outstanding request: throughput is warps / latency while nothing is full. */
static void bandwidth_is_requests_in_flight_over_latency(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=4", QUIET);
    double one = 0;

    (void)state;
    for (uint32_t warps = 1; warps <= 32; warps *= 2) {
        static lab_results_t r;
        uint64_t cycles[2];
        char what[64];

        for (unsigned i = 0; i < 2; i++) {
            synth_t *s = synth_create();
            lab_access_t a = {.op = {"LDG.E.STRONG.GPU", "R2", "R2"},
                              .blocks = 1,
                              .threads = warps * WARP,
                              .mask = 1,
                              .steps = 100 * (i + 1),
                              .address = chase_own_line};

            synth_memcpy(s, region, 1 << 20);
            lab_access_add(s, &spec, &a);
            lab_run(&spec, synth_source(s), 1, 0, &r);
            synth_destroy(s);
            cycles[i] = launch_result_cycles(&r.launch[0]);
        }
        double latency = (double)(cycles[1] - cycles[0]) / 100;
        if (warps == 1)
            one = latency;
        snprintf(what, sizeof(what), "cycles per request of each of %u warps", warps);
        lab_assert_near(latency, one, 0.05, what);
    }
    assert_true(one > 0);
}

/* More warps never lower the bandwidth by more than contention noise, and never pass the peak. */
static void bandwidth_rises_with_warps_to_the_peak(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1", QUIET);
    double peak = spec.mem.icnt.sm_flits * spec.mem.icnt.flit_bytes;
    double last = 0;

    (void)state;
    for (uint32_t warps = 1; warps <= 32; warps *= 2) {
        stream_t s = {.blocks = 1,
                      .threads = warps * WARP,
                      .steps = 256,
                      .bytes = 1 << 20,
                      .mnemonic = "LDG.E.STRONG.GPU",
                      .copied = true,
                      .peak = peak};
        launch_result_t r;
        double got = stream_bandwidth(&spec, &s, &r);

        assert_true(got >= last * 0.97);
        last = got;
    }
    lab_assert_near(last, peak, 0.03, "32 warps reach the port's bandwidth");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_memory_gives_one_pass_of_its_banks_per_cycle),
        cmocka_unit_test(l1_gives_its_banks_or_its_tags),
        cmocka_unit_test(a_reply_takes_a_pass_of_the_data_stage),
        cmocka_unit_test(sectors_that_arrive_together_take_one_pass),
        cmocka_unit_test(one_sm_is_limited_by_its_crossbar_port),
        cmocka_unit_test(the_smallest_legal_buffer_holds_full_port_bandwidth),
        cmocka_unit_test(a_buffer_of_half_a_round_trip_halves_the_bandwidth),
        cmocka_unit_test(many_sms_are_limited_by_the_slices),
        cmocka_unit_test(a_stream_reaches_the_bandwidth_of_dram),
        cmocka_unit_test(refresh_takes_its_share_of_the_bandwidth),
        cmocka_unit_test(bandwidth_is_requests_in_flight_over_latency),
        cmocka_unit_test(bandwidth_rises_with_warps_to_the_peak),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
