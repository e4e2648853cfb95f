/* What the input of a slice waits for, in cycles. */
#include "sim/mem/dram.h"
#include "tests/support/sim/mem_harness.h"
#include "tests/support/test.h"

enum { ALL = 15 };

static l2_stats_t stats_of(const mem_harness_t *h)
{
    l2_stats_t l2;
    dram_stats_t dram;
    mem_harness_stats(h, &l2, &dram);
    return l2;
}

static uint32_t add_read(mem_harness_t *h, uint32_t sm, cycle_t at, uint64_t line, uint8_t sectors)
{
    mem_msg_t m = mem_harness_message(MEM_READ, line * LINE_BYTES, sectors);
    return mem_harness_add(h, sm, at, &m);
}

/* The second of two misses comes to the head of the input a cycle after the first, and waits until
 * the fill for that one. */
static void a_miss_waits_for_an_mshr_until_the_fill(void **state)
{
    mem_config_t c = mem_harness_config(1, 1);

    (void)state;
    c.l2.mshrs = 1;
    mem_harness_t *h = mem_harness_create(&c, 2, 0);
    uint32_t first = add_read(h, 0, 0, 0, 1);
    add_read(h, 1, 0, 1, 1);
    mem_harness_run(h);
    cycle_t fill = mem_harness_request(h, first)->replied - c.icnt.reply_latency - c.l2.latency;
    assert_int_equal(stats_of(h).stall_mshr, fill - (c.icnt.request_latency + 1));
    assert_int_equal(stats_of(h).stall_dram + stats_of(h).stall_reply, 0);
    mem_harness_destroy(h);
}

/* Misses, and a hit behind them. The DRAM takes the first miss; the second one waits outside the
 * input. From the third one on there is always a request that waits, until the hit is looked up. */
static void requests_wait_behind_misses_for_the_dram(void **state)
{
    enum { MISSES = 100 };
    mem_config_t c = mem_harness_config(1, 1);

    (void)state;
    c.dram.queue = 1;
    c.icnt.slice_flits = 1;
    c.l2.mshrs = 1024;
    mem_harness_t *h = mem_harness_create(&c, 1, 0);
    partition_memcpy(mem_harness_partition(h, 0), 0, 128);
    for (uint64_t i = 1; i <= MISSES; i++)
        add_read(h, 0, 0, i, 1);
    uint32_t hit = add_read(h, 0, 0, 0, 1);
    mem_harness_run(h);
    const mem_harness_request_t *r = mem_harness_request(h, hit);
    cycle_t looked_up = r->replied - c.icnt.reply_latency - c.l2.latency;
    cycle_t first = mem_harness_request(h, 0)->sent + c.icnt.request_latency;
    assert_int_equal(stats_of(h).read_hits, 1);
    assert_int_equal(stats_of(h).stall_mshr + stats_of(h).stall_reply, 0);
    assert_int_equal(stats_of(h).stall_dram, looked_up - (first + 2));
    mem_harness_destroy(h);
}

/* An SM that takes one flit per cycle: each of its replies has four. What does not fit into buffer
 * and queue is waited for. */
static void hits_wait_for_the_port_of_the_sm(void **state)
{
    enum { HITS = 400, FLITS = 4 };
    mem_config_t c = mem_harness_config(1, 1);

    (void)state;
    c.icnt.sm_flits = 1;
    c.icnt.slice_flits = FLITS;
    c.l2.reply_queue = 4;
    mem_harness_t *h = mem_harness_create(&c, 1, 0);
    partition_memcpy(mem_harness_partition(h, 0), 0, 128);
    for (uint64_t i = 0; i < HITS; i++)
        add_read(h, 0, 0, 0, ALL);
    mem_harness_run(h);
    uint64_t held = c.icnt.buffer / FLITS + c.l2.reply_queue; /* replies that nobody waits for */
    assert_true(held < HITS / 2);
    assert_in_range(stats_of(h).stall_reply, (HITS - held) * (FLITS - 1) - c.icnt.buffer,
                    HITS * (FLITS - 1));
    mem_harness_destroy(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_waits_for_an_mshr_until_the_fill),
        cmocka_unit_test(requests_wait_behind_misses_for_the_dram),
        cmocka_unit_test(hits_wait_for_the_port_of_the_sm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
