/* When an L2 writes modified lines to the DRAM: l2.modified_share. */
#include "tests/support/test.h"

#include "tests/support/sim/mem_harness.h"

enum { ALL = 15, LINES = 24 * 8 }; /* of the cache: one slice, 8 sets of 24 ways */

static mem_harness_t *cache_with_share(double share)
{
    mem_config_t c = mem_harness_config(1, 1);
    c.l2.modified_share = share;
    return mem_harness_create(&c, 1, 0);
}

static void access_lines(mem_harness_t *h, mem_op_t op, uint64_t first, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        mem_msg_t m = mem_harness_message(op, (first + i) * LINE_BYTES, ALL);
        mem_harness_add(h, 0, mem_harness_now(h), &m);
    }
    mem_harness_run(h);
}

typedef struct {
    l2_stats_t l2;
    dram_stats_t dram;
} totals_t;

static totals_t totals(const mem_harness_t *h)
{
    totals_t t;
    mem_harness_stats(h, &t.l2, &t.dram);
    return t;
}

/* Of the data that a launch writes once, everything goes to the DRAM except the share that may
 * stay modified, even if the cache has room for it. */
static void no_more_than_the_share_stays_modified(void **state)
{
    (void)state;
    static const struct {
        double share;
        uint64_t modified;
    } cases[] = {{0.5, LINES / 2}, {0.25, LINES / 4}, {0.49, 11 * 8}, {0, 0}};
    static const uint64_t written[] = {LINES / 4, LINES / 2, LINES * 3 / 4, LINES, 3 * LINES};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        for (size_t k = 0; k < sizeof(written) / sizeof(*written); k++) {
            mem_harness_t *h = cache_with_share(cases[i].share);
            access_lines(h, MEM_WRITE, 0, written[k]);
            const totals_t t = totals(h);
            const uint64_t kept = written[k] < cases[i].modified ? written[k] : cases[i].modified;
            assert_int_equal(t.dram.write_sectors, 4 * (written[k] - kept));
            assert_int_equal(t.l2.writebacks, t.dram.write_sectors);
            assert_int_equal(t.l2.early_writebacks, t.dram.write_sectors);
            mem_harness_destroy(h);
        }
    }
}

static void with_a_share_of_one_lines_are_written_when_they_are_replaced(void **state)
{
    (void)state;
    mem_harness_t *h = cache_with_share(1);
    access_lines(h, MEM_WRITE, 0, LINES);
    assert_int_equal(totals(h).dram.write_sectors, 0);
    access_lines(h, MEM_WRITE, LINES, 16);
    assert_int_equal(totals(h).dram.write_sectors, 4 * 16);
    assert_int_equal(totals(h).l2.early_writebacks, 0);
    mem_harness_destroy(h);
}

static void what_was_written_back_stays_and_may_be_modified_again(void **state)
{
    (void)state;
    mem_harness_t *h = cache_with_share(0.5);
    access_lines(h, MEM_WRITE, 0, LINES);
    access_lines(h, MEM_READ, 0, LINES);
    totals_t t = totals(h);
    assert_int_equal(t.l2.read_hits, 4 * LINES);
    assert_int_equal(t.dram.read_sectors, 0);
    assert_int_equal(t.dram.write_sectors, 4 * LINES / 2);
    access_lines(h, MEM_WRITE, 0, LINES / 2); /* the other half must be written back for them */
    t = totals(h);
    assert_int_equal(t.l2.write_hits, 4 * LINES / 2);
    assert_int_equal(t.dram.write_sectors, 4 * LINES);
    access_lines(h, MEM_READ, LINES, LINES); /* replaces all, of which half is modified */
    assert_int_equal(totals(h).dram.write_sectors, 4 * LINES * 3 / 2);
    mem_harness_destroy(h);
}

/* Nothing remains of a partly written sector after its write-back: a read fetches it. */
static void a_partly_written_sector_is_fetched_after_its_write_back(void **state)
{
    (void)state;
    mem_harness_t *h = cache_with_share(0);
    mem_msg_t m = mem_harness_message(MEM_WRITE, 0, 1);
    m.full = 0;
    m.bytes[0] = 0xff;
    mem_harness_add(h, 0, mem_harness_now(h), &m);
    mem_harness_run(h);
    assert_int_equal(totals(h).dram.write_sectors, 1);
    m = mem_harness_message(MEM_READ, 0, 1);
    const uint32_t n = mem_harness_add(h, 0, mem_harness_now(h), &m);
    mem_harness_run(h);
    assert_int_equal(mem_harness_request(h, n)->delivered, 1);
    assert_int_equal(totals(h).l2.read_hits, 0);
    mem_harness_destroy(h);
}

/* Of the sectors that a read fetches, only those that were partly written count. */
static void partly_written_sectors_are_counted_when_they_are_fetched(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 1);
    mem_harness_t *h = mem_harness_create(&c, 1, 0);
    mem_msg_t write = mem_harness_message(MEM_WRITE, 0, 2),
              read = mem_harness_message(MEM_READ, 0, 15);
    write.full = 0;
    write.bytes[1] = 1;
    mem_harness_add(h, 0, 0, &write);
    mem_harness_run(h);
    mem_harness_add(h, 0, mem_harness_now(h), &read);
    mem_harness_run(h);
    assert_int_equal(totals(h).l2.partial_fetches, 1);
    assert_int_equal(totals(h).l2.fills, 4);
    mem_harness_destroy(h);
}

static void atomics_count_as_writes(void **state)
{
    (void)state;
    mem_harness_t *h = cache_with_share(0.5);
    access_lines(h, MEM_RED, 0, LINES); /* absent: fetched first */
    assert_int_equal(totals(h).dram.write_sectors, 4 * LINES / 2);
    access_lines(h, MEM_ATOMIC, 0, LINES); /* present; all of them change position */
    assert_int_equal(totals(h).dram.write_sectors, 4 * LINES * 3 / 2);
    mem_harness_destroy(h);
}

/* The lines of a copy stay modified until a launch writes to their set; each write causes the
 * write-back of one. */
static void a_host_copy_may_modify_all(void **state)
{
    (void)state;
    mem_harness_t *h = cache_with_share(0.5);
    partition_memcpy(mem_harness_partition(h, 0), 0, LINES * LINE_BYTES);
    access_lines(h, MEM_READ, 0, LINES);
    assert_int_equal(totals(h).dram.write_sectors, 0);
    access_lines(h, MEM_WRITE, 0, 16);
    assert_int_equal(totals(h).dram.write_sectors, 4 * 16);
    mem_harness_destroy(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_than_the_share_stays_modified),
        cmocka_unit_test(with_a_share_of_one_lines_are_written_when_they_are_replaced),
        cmocka_unit_test(what_was_written_back_stays_and_may_be_modified_again),
        cmocka_unit_test(a_partly_written_sector_is_fetched_after_its_write_back),
        cmocka_unit_test(partly_written_sectors_are_counted_when_they_are_fetched),
        cmocka_unit_test(atomics_count_as_writes),
        cmocka_unit_test(a_host_copy_may_modify_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
