/* The caches of code that the SMs of a GPC share, between SMs and one slice of the L2. */
#include "tests/support/sim/mem_harness.h"
#include "tests/support/test.h"

enum { ALL = 15, SMS = 4, LATER = 2000 };

static mem_config_t config_with(uint32_t gpc_sms)
{
    mem_config_t c = mem_harness_config(1, 1);
    c.icnt.gpc_sms = gpc_sms;
    return c;
}

static uint32_t add_part(mem_harness_t *h, uint32_t sm, cycle_t at, uint64_t line, uint8_t sectors,
                         mem_src_t src)
{
    mem_msg_t m = mem_harness_message(MEM_READ, line * LINE_BYTES, sectors);
    m.src = (uint8_t)src;
    return mem_harness_add(h, sm, at, &m);
}

static uint32_t add(mem_harness_t *h, uint32_t sm, cycle_t at, uint64_t line, mem_src_t src)
{
    return add_part(h, sm, at, line, ALL, src);
}

/* All SMs request line 0 at once. Returns the sectors that the L2 reads and those that hit in
 * the caches of GPCs. */
static void check_shared(const mem_config_t *c, mem_src_t src, uint64_t read, uint64_t shared)
{
    mem_harness_t *h = mem_harness_create(c, SMS, 0);
    l2_stats_t l2;
    dram_stats_t dram;

    for (uint32_t sm = 0; sm < SMS; sm++)
        add(h, sm, 4, 0, src);
    mem_harness_run(h);
    mem_harness_stats(h, &l2, &dram);
    assert_int_equal(l2.read_sectors, read);
    assert_int_equal(l2.gpc_sectors, shared);
    for (uint32_t i = 0; i < SMS; i++)
        assert_int_equal(mem_harness_request(h, i)->delivered, ALL);
    mem_harness_destroy(h);
}

static void a_gpc_reads_a_line_of_code_once(void **state)
{
    mem_config_t off = config_with(0), whole = config_with(4), half = config_with(2);

    (void)state;
    off.l2.perfect = whole.l2.perfect = half.l2.perfect = true;
    check_shared(&off, MEM_SRC_INST, 16, 0);
    check_shared(&half, MEM_SRC_INST, 8, 8);
    check_shared(&whole, MEM_SRC_INST, 4, 12);
    check_shared(&whole, MEM_SRC_GLOBAL, 16, 0);
}

/* Its replies leave for all SMs of the GPC together, whether or not the L2 had the line. */
static void an_answer_for_a_gpc_takes_the_port_once(void **state)
{
    (void)state;
    for (int perfect = 0; perfect < 2; perfect++) {
        mem_config_t c = config_with(SMS);
        c.l2.perfect = perfect;
        mem_harness_t *h = mem_harness_create(&c, SMS, 0);

        for (uint32_t sm = 0; sm < SMS; sm++)
            add(h, sm, 4, 0, MEM_SRC_INST);
        mem_harness_run(h);
        for (uint32_t i = 1; i < SMS; i++)
            assert_in_range(mem_harness_request(h, i)->replied, mem_harness_request(h, 0)->replied,
                            mem_harness_request(h, 0)->replied + 1);
        mem_harness_destroy(h);
    }
}

/* A cache of two lines keeps the two used last. */
static void code_that_does_not_fit_is_read_again(void **state)
{
    mem_config_t c = config_with(SMS);
    l2_stats_t l2;
    dram_stats_t dram;

    (void)state;
    c.icnt.gpc_code = 2 * LINE_BYTES;
    mem_harness_t *h = mem_harness_create(&c, SMS, 0);
    for (uint32_t line = 0; line < 3; line++)
        add(h, 0, line * LATER, line, MEM_SRC_INST);
    add(h, 1, 3 * LATER, 2, MEM_SRC_INST);
    add(h, 1, 4 * LATER, 0, MEM_SRC_INST);
    mem_harness_run(h);
    mem_harness_stats(h, &l2, &dram);
    assert_int_equal(l2.read_sectors, 16);
    assert_int_equal(l2.gpc_sectors, 4);
    mem_harness_destroy(h);
}

/* A line of which the cache has only some sectors is read from the L2. */
static void a_part_of_a_line_is_not_the_line(void **state)
{
    mem_config_t c = config_with(SMS);
    l2_stats_t l2;
    dram_stats_t dram;

    (void)state;
    mem_harness_t *h = mem_harness_create(&c, SMS, 0);
    add_part(h, 0, 0, 0, 6, MEM_SRC_INST);
    add_part(h, 1, LATER, 0, 2, MEM_SRC_INST);
    add(h, 2, 2 * LATER, 0, MEM_SRC_INST);
    mem_harness_run(h);
    mem_harness_stats(h, &l2, &dram);
    assert_int_equal(l2.gpc_sectors, 1);
    assert_int_equal(l2.read_sectors, 2 + 4);
    mem_harness_destroy(h);
}

static void a_checkpoint_holds_the_code_of_a_gpc(void **state)
{
    mem_config_t c = config_with(SMS);
    mem_harness_t *first = mem_harness_create(&c, SMS, 0), *second;
    l2_stats_t l2;
    dram_stats_t dram;

    (void)state;
    add(first, 0, 4, 0, MEM_SRC_INST);
    mem_harness_run(first);
    second = mem_harness_create(&c, SMS, 0);
    mem_harness_transplant(first, second);
    add(second, 3, mem_harness_now(second), 0, MEM_SRC_INST);
    mem_harness_run(second);
    mem_harness_stats(second, &l2, &dram);
    assert_int_equal(l2.read_sectors, 0);
    assert_int_equal(l2.gpc_sectors, 4);
    mem_harness_destroy(first);
    mem_harness_destroy(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpc_reads_a_line_of_code_once),
        cmocka_unit_test(an_answer_for_a_gpc_takes_the_port_once),
        cmocka_unit_test(code_that_does_not_fit_is_read_again),
        cmocka_unit_test(a_part_of_a_line_is_not_the_line),
        cmocka_unit_test(a_checkpoint_holds_the_code_of_a_gpc),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
