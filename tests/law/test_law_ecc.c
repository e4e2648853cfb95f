/* Laws of error correction in the DRAM: it writes whole sectors only, so what a program wrote of a sector
 * in part is read first (dram.ecc); check bits in the memory itself take bursts (dram.check_bursts). Without
 * it such a sector has a mask, which takes the command bus (dram.tCCDM). */
#include "tests/support/sim/lab.h"

enum { WARP = 32, WARPS = 8, BLOCKS = 8, STEPS = 32 };

/* An L2 that holds a fraction of what the launch writes. */
#define SMALL                                                                                      \
    "sm.count=2", "mem.partitions=4", "l2.slices=4", "l2.size=96KiB", "icache.perfect=true"

static const uint64_t data = 0x7f0000000000;

/* Each lane writes 4 bytes, `stride` bytes apart. */
static uint64_t strided(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const uint64_t stride = *(const uint64_t *)ctx;
    return data + ((warp * STEPS + step) * WARP + lane) * stride;
}

/* The second half of the steps writes the other half of each sector that the step before wrote. */
static uint64_t halves(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    return data + ((warp * STEPS + step / 2) * WARP + lane) * SECTOR_BYTES +
           step % 2 * SECTOR_BYTES / 2;
}

static launch_result_t stores(const gpu_spec_t *spec, const char *op, lab_address_fn address,
                              const uint64_t *stride)
{
    const lab_access_t a = {.op = {op, "", "R2 R4"},
                            .blocks = BLOCKS,
                            .threads = WARPS * WARP,
                            .mask = UINT32_MAX,
                            .steps = STEPS,
                            .address = address,
                            .ctx = stride};
    return lab_access(spec, &a);
}

static void a_partly_written_sector_is_read_before_it_is_written(void **state)
{
    const gpu_spec_t without = LAB_SPEC("v100", SMALL, "dram.ecc=false"),
                     with = LAB_SPEC("v100", SMALL, "dram.ecc=true");
    const uint64_t stride = SECTOR_BYTES;

    (void)state;
    const launch_result_t plain = stores(&without, "STG.E", strided, &stride),
                          r = stores(&with, "STG.E", strided, &stride);
    assert_int_equal(plain.l2.ecc_reads, 0);
    assert_int_equal(plain.dram.read_sectors, plain.l2.fills);
    assert_true(r.l2.writebacks > (uint64_t)BLOCKS * WARPS * STEPS * WARP / 2);
    assert_int_equal(r.l2.ecc_reads, r.l2.writebacks);
    assert_int_equal(r.dram.read_sectors, r.l2.fills + r.l2.ecc_reads);
    assert_int_equal(r.dram.write_sectors, r.l2.writebacks);
    assert_true(launch_result_cycles(&r) > launch_result_cycles(&plain));
}

static void sectors_that_were_written_completely_are_not_read(void **state)
{
    const gpu_spec_t without = LAB_SPEC("v100", SMALL, "dram.ecc=false"),
                     with = LAB_SPEC("v100", SMALL, "dram.ecc=true");
    const uint64_t stride = 4;

    (void)state;
    const launch_result_t plain = stores(&without, "STG.E", strided, &stride),
                          r = stores(&with, "STG.E", strided, &stride);
    assert_true(r.l2.writebacks > 0);
    assert_int_equal(r.l2.ecc_reads, 0);
    assert_int_equal(launch_result_cycles(&r), launch_result_cycles(&plain));
    /* Also if they were written in two halves, one soon after the other. */
    const launch_result_t both = stores(&with, "STG.E.128", halves, NULL);
    assert_true(both.l2.writebacks > 0);
    assert_int_equal(both.l2.ecc_reads, 0);
}

/* Nearly all time is that of the masks, one after another in each channel. */
static void the_mask_of_a_partly_written_sector_takes_the_command_bus(void **state)
{
    const gpu_spec_t without = LAB_SPEC("rtx2080ti", SMALL, "dram.tCCDM=0"),
                     with = LAB_SPEC("rtx2080ti", SMALL, "dram.tCCDM=80");
    const uint64_t sector = SECTOR_BYTES, word = 4;

    (void)state;
    const launch_result_t plain = stores(&without, "STG.E", strided, &sector),
                          r = stores(&with, "STG.E", strided, &sector);
    const dram_spec_t *d = &with.mem.dram;
    const double masks = (double)r.dram.write_sectors / with.mem.mem.partitions * d->tCCDM *
                         with.gpu.clock_mhz / d->clock_mhz;
    assert_int_equal(r.dram.read_sectors, plain.dram.read_sectors);
    assert_int_equal(r.dram.busy, plain.dram.busy);
    lab_assert_near((double)(launch_result_cycles(&r) - with.gpu.launch_latency), masks, 0.1,
                    "masks");
    const launch_result_t whole = stores(&without, "STG.E", strided, &word),
                          same = stores(&with, "STG.E", strided, &word);
    assert_int_equal(launch_result_cycles(&same), launch_result_cycles(&whole));
}

static launch_result_t loads(const gpu_spec_t *spec, const uint64_t *stride)
{
    const lab_access_t a = {.op = {"LDG.E", NULL, "R2"},
                            .blocks = BLOCKS,
                            .threads = WARPS * WARP,
                            .mask = UINT32_MAX,
                            .steps = STEPS,
                            .address = strided,
                            .ctx = stride};
    return lab_access(spec, &a);
}

/* A line has four bursts. The first access to it moves one more, and nothing else is counted. */
static void check_bits_in_the_memory_take_a_burst_of_each_access(void **state)
{
    const gpu_spec_t without = LAB_SPEC("t4", SMALL, "dram.check_bursts=0"),
                     with = LAB_SPEC("t4", SMALL, "dram.check_bursts=1"),
                     both = LAB_SPEC("t4", SMALL, "dram.check_bursts=2");
    const uint64_t stride = 4;

    (void)state;
    const launch_result_t plain = loads(&without, &stride), r = loads(&with, &stride),
                          twice = loads(&both, &stride);
    assert_int_equal(r.dram.read_sectors, plain.dram.read_sectors);
    assert_int_equal(4 * (r.dram.busy - plain.dram.busy), plain.dram.busy);
    assert_int_equal(4 * (twice.dram.busy - plain.dram.busy), 2 * plain.dram.busy);
    const launch_result_t w0 = stores(&without, "STG.E", strided, &stride),
                          w1 = stores(&with, "STG.E", strided, &stride);
    assert_true(w0.dram.write_sectors > 0);
    assert_int_equal(4 * (w1.dram.busy - w0.dram.busy), w0.dram.busy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_partly_written_sector_is_read_before_it_is_written),
        cmocka_unit_test(sectors_that_were_written_completely_are_not_read),
        cmocka_unit_test(the_mask_of_a_partly_written_sector_takes_the_command_bus),
        cmocka_unit_test(check_bits_in_the_memory_take_a_burst_of_each_access),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
