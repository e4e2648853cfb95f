/* An L2 of two halves: near and far hits, copies, writes, and what fits. */
#include "tests/support/test.h"

#include "tests/support/sim/mem_harness.h"

enum { ALL = 15, FAR = 70 };

/* Two SMs, each a GPC of its own, and a partition in each half. */
static mem_config_t two_halves(void)
{
    mem_config_t c = mem_harness_config(2, 1);
    c.icnt.gpc_sms = 1;
    c.l2.halves = 2;
    c.l2.far_latency = FAR;
    return c;
}

/* Cycles of a request that has the chip for itself. */
static cycle_t alone(mem_harness_t *h, uint32_t sm, mem_op_t op, uint64_t line)
{
    mem_msg_t m = mem_harness_message(op, line, ALL);
    uint32_t n = mem_harness_add(h, sm, mem_harness_now(h) + 5, &m);
    mem_harness_run(h);
    const mem_harness_request_t *r = mem_harness_request(h, n);
    assert_int_equal(r->delivered, ALL);
    return r->replied - r->sent;
}

/* The half that owns a line is where its partition is. */
static uint32_t near_sm(const mem_harness_t *h, uint64_t line)
{
    uint32_t slice;
    uint64_t local;
    addr_map_slices(mem_harness_map(h), &line, &slice, &local, 1);
    return slice;
}

static void the_first_far_read_goes_to_the_owner_and_leaves_a_copy(void **state)
{
    (void)state;
    mem_config_t c = two_halves();
    mem_harness_t *h = mem_harness_create(&c, 2, 0);
    for (uint64_t line = 0; line < 16 * LINE_BYTES; line += LINE_BYTES) {
        const uint32_t near = near_sm(h, line), far = 1 - near;
        alone(h, near, MEM_READ, line);
        const cycle_t hit = alone(h, near, MEM_READ, line);
        assert_int_equal(alone(h, far, MEM_READ, line), hit + FAR);
        assert_int_equal(alone(h, far, MEM_READ, line), hit);
    }
    mem_harness_destroy(h);
}

static void a_far_read_that_misses_both_halves_fills_both(void **state)
{
    (void)state;
    mem_config_t c = two_halves();
    mem_harness_t *h = mem_harness_create(&c, 2, 0);
    const uint32_t near = near_sm(h, 0), far = 1 - near;
    alone(h, far, MEM_READ, 0);
    const cycle_t copied = alone(h, far, MEM_READ, 0);
    assert_int_equal(alone(h, near, MEM_READ, 0), copied);
    l2_stats_t l2;
    dram_stats_t dram;
    mem_harness_stats(h, &l2, &dram);
    assert_int_equal(l2.fills, SECTORS_PER_LINE);
    assert_int_equal(l2.read_hits, 2 * SECTORS_PER_LINE);
    mem_harness_destroy(h);
}

/* Point of coherence: nobody reads an older copy after a write or an atomic, whoever did it. */
static void a_write_takes_the_copy_away(void **state)
{
    (void)state;
    static const uint8_t ops[] = {MEM_WRITE, MEM_ATOMIC, MEM_RED};
    mem_config_t c = two_halves();
    for (uint32_t i = 0; i < 6; i++) {
        mem_harness_t *h = mem_harness_create(&c, 2, 0);
        const uint32_t near = near_sm(h, 0), far = 1 - near;
        alone(h, far, MEM_READ, 0);
        const cycle_t copied = alone(h, far, MEM_READ, 0);
        const cycle_t write = alone(h, i % 2 ? far : near, ops[i / 2], 0);
        assert_true(write >= (i % 2 ? FAR : 0));
        assert_int_equal(alone(h, far, MEM_READ, 0), copied + FAR);
        assert_int_equal(alone(h, far, MEM_READ, 0), copied);
        mem_harness_destroy(h);
    }
}

/* Sectors that pass data ports for a read or a write by the SM near the line or far from it. */
static uint64_t passes(mem_op_t op, bool far)
{
    mem_config_t c = two_halves();
    mem_harness_t *h = mem_harness_create(&c, 2, 0);
    l2_stats_t before, after;
    dram_stats_t dram;
    alone(h, near_sm(h, 0), MEM_WRITE, 0);
    mem_harness_stats(h, &before, &dram);
    alone(h, far ? 1 - near_sm(h, 0) : near_sm(h, 0), op, 0);
    mem_harness_stats(h, &after, &dram);
    mem_harness_destroy(h);
    return after.data_sectors - before.data_sectors;
}

static void what_crosses_to_the_other_half_passes_both_data_ports(void **state)
{
    (void)state;
    assert_int_equal(passes(MEM_READ, false), SECTORS_PER_LINE);
    assert_int_equal(passes(MEM_READ, true), 2 * SECTORS_PER_LINE);
    assert_int_equal(passes(MEM_WRITE, false), SECTORS_PER_LINE);
    assert_int_equal(passes(MEM_WRITE, true), 2 * SECTORS_PER_LINE);
}

/* DRAM reads of the second of two rounds of one SM over a part of the L2. */
static uint64_t second_round(uint32_t halves, uint32_t lines)
{
    mem_config_t c = two_halves();
    c.l2.halves = halves;
    c.l2.ways = 16;
    c.l2.size = (uint64_t)c.l2.slices * c.l2.ways * 16 * LINE_BYTES; /* 512 lines */
    mem_harness_t *h = mem_harness_create(&c, 2, 0);
    l2_stats_t l2[2];
    dram_stats_t dram;
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < lines; i++)
            alone(h, 0, MEM_READ, (uint64_t)i * LINE_BYTES);
        mem_harness_stats(h, &l2[round], &dram);
    }
    mem_harness_destroy(h);
    return (l2[1].fills - l2[0].fills) / SECTORS_PER_LINE;
}

static void what_is_in_both_halves_needs_room_twice(void **state)
{
    (void)state;
    assert_int_equal(second_round(1, 448), 0);
    assert_int_equal(second_round(2, 224), 0);
    /* The near half of the lines has one place each; the far half two, and does not fit. */
    assert_in_range(second_round(2, 448), 200, 248);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_far_read_goes_to_the_owner_and_leaves_a_copy),
        cmocka_unit_test(a_far_read_that_misses_both_halves_fills_both),
        cmocka_unit_test(a_write_takes_the_copy_away),
        cmocka_unit_test(what_crosses_to_the_other_half_passes_both_data_ports),
        cmocka_unit_test(what_is_in_both_halves_needs_room_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
