/* How long an atomic holds up those behind it in a slice. */
#include "tests/support/sim/mem_harness.h"
#include "tests/support/test.h"

enum { ALL = 15, INTERVAL = 2 };

/* width: sectors that the slice reads in a cycle. */
static mem_harness_t *harness(mem_config_t *c, uint32_t width)
{
    *c = mem_harness_config(1, 1);
    c->l2.atomic_interval = INTERVAL;
    c->icnt.slice_flits = width;
    mem_harness_t *h = mem_harness_create(c, 3, 0);
    partition_memcpy(mem_harness_partition(h, 0), 0, 4096);
    return h;
}

static void add_reduction(mem_harness_t *h, uint32_t sm, cycle_t at, uint8_t sectors,
                          uint8_t conflict)
{
    mem_msg_t m = mem_harness_message(MEM_RED, 0, sectors);
    m.conflict = conflict;
    mem_harness_add(h, sm, at, &m);
}

static l2_stats_t stats_of(const mem_harness_t *h)
{
    l2_stats_t l2;
    dram_stats_t dram;
    mem_harness_stats(h, &l2, &dram);
    return l2;
}

static int64_t replied(const mem_harness_t *h, uint32_t number)
{
    return (int64_t)mem_harness_request(h, number)->replied;
}

/* The next one starts when the unit has performed the sectors, and the lanes of the word that has
 * most of them, one a cycle. */
static void an_atomic_occupies_the_unit_for_its_sectors_or_its_lanes(void **state)
{
    (void)state;
    for (uint8_t sectors = 1; sectors <= ALL; sectors = (uint8_t)(2 * sectors + 1)) {
        for (uint8_t conflict = 1; conflict <= 4; conflict++) {
            mem_config_t c;
            mem_harness_t *h = harness(&c, 4); /* its sectors do not hold the input */
            int64_t n = __builtin_popcount(sectors), lanes = conflict;
            add_reduction(h, 0, 0, sectors, conflict);
            add_reduction(h, 1, 0, sectors, conflict);
            mem_harness_run(h);
            assert_int_equal(replied(h, 1) - replied(h, 0), n > lanes ? n : lanes);
            mem_harness_destroy(h);
        }
    }
}

/* l2.atomic_word_interval per word, without rounding each request: 2.6 cycles for eight words of a sector. */
static void words_take_their_part_of_the_unit(void **state)
{
    enum { N = 51 };
    (void)state;
    for (uint32_t words = 1; words <= 8; words++) {
        mem_config_t c = mem_harness_config(1, 1);
        c.l2.atomic_word_interval = 0.325;
        mem_harness_t *h = mem_harness_create(&c, 3, 0);
        partition_memcpy(mem_harness_partition(h, 0), 0, 4096);
        for (uint32_t i = 0; i < N; i++) {
            mem_msg_t m = mem_harness_message(MEM_RED, 0, 1);
            m.conflict = 1;
            m.words = (uint8_t)words;
            mem_harness_add(h, i % 3, 0, &m);
        }
        mem_harness_run(h);
        int64_t first = INT64_MAX, last = 0;
        for (uint32_t i = 0; i < N; i++) {
            first = replied(h, i) < first ? replied(h, i) : first;
            last = replied(h, i) > last ? replied(h, i) : last;
        }
        const double expected = (N - 1) * (words * 0.325 > 1 ? words * 0.325 : 1);
        assert_in_range(last - first, (int64_t)expected - 1, (int64_t)expected + 1);
        mem_harness_destroy(h);
    }
}

/* The second atomic waits at the head of the input until the unit is free. The read behind it is
 * looked up in the next cycle. */
static void a_read_waits_behind_an_atomic_that_waits_for_the_unit(void **state)
{
    const uint8_t conflict = 5;
    const int64_t busy = conflict;

    (void)state;
    for (int64_t sent = 0; sent <= busy + 2; sent++) {
        mem_config_t c;
        mem_harness_t *h = harness(&c, 1);
        mem_msg_t read = mem_harness_message(MEM_READ, 128, 1);
        add_reduction(h, 0, 0, 1, conflict);
        add_reduction(h, 1, (cycle_t)sent, 1, conflict);
        mem_harness_add(h, 2, (cycle_t)sent, &read);
        mem_harness_run(h);
        int64_t first = (int64_t)c.l2.atomic_latency + (conflict - 1) * INTERVAL;
        int64_t second = sent > busy ? sent : busy;
        assert_int_equal(replied(h, 2) - replied(h, 0), second + 1 - first);
        /* The second one is at the head of the input from the cycle after the first on. */
        int64_t at_head = sent > 1 ? sent : 1;
        assert_int_equal(stats_of(h).stall_atomic, second - (at_head < second ? at_head : second));
        mem_harness_destroy(h);
    }
}

/* Their replies are ready in the same cycle, and leave one after the other. */
static void a_read_is_answered_before_an_atomic(void **state)
{
    mem_config_t c;
    mem_harness_t *h = harness(&c, 1);
    mem_msg_t read = mem_harness_message(MEM_READ, 128, 1);

    (void)state;
    add_reduction(h, 0, 0, 1, 1);
    mem_harness_add(h, 1, c.l2.atomic_latency, &read);
    mem_harness_run(h);
    assert_int_equal(replied(h, 1), c.l2.atomic_latency + c.icnt.request_latency + c.l2.latency +
                                        c.icnt.reply_latency);
    assert_int_equal(replied(h, 0), replied(h, 1) + 1);
    mem_harness_destroy(h);
}

static void a_reduction_hits_the_sectors_that_are_there(void **state)
{
    mem_config_t c = mem_harness_config(1, 1);
    mem_msg_t read = mem_harness_message(MEM_READ, 0, 1);
    mem_msg_t red = mem_harness_message(MEM_RED, 0, 3);

    (void)state;
    c.l2.fill_sectors = 1;
    mem_harness_t *h = mem_harness_create(&c, 1, 0);
    mem_harness_add(h, 0, 0, &read);
    mem_harness_run(h);
    mem_harness_add(h, 0, mem_harness_now(h), &red);
    mem_harness_run(h);
    assert_int_equal(stats_of(h).red_sectors, 2);
    assert_int_equal(stats_of(h).red_hits, 1);
    assert_int_equal(stats_of(h).atomic_sectors, 0);
    mem_harness_destroy(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_atomic_occupies_the_unit_for_its_sectors_or_its_lanes),
        cmocka_unit_test(words_take_their_part_of_the_unit),
        cmocka_unit_test(a_read_is_answered_before_an_atomic),
        cmocka_unit_test(a_reduction_hits_the_sectors_that_are_there),
        cmocka_unit_test(a_read_waits_behind_an_atomic_that_waits_for_the_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
