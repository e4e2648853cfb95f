#include "tests/support/sim/dram_channel.h"
#include "tests/support/test.h"

static void check_unloaded(const dram_spec_t *s)
{
    for (uint32_t sectors = 1; sectors <= 15; sectors = 2 * sectors + 1) {
        uint32_t n = (uint32_t)__builtin_popcount(sectors);
        cycle_t latency = 0;
        dram_channel_t *c = dram_channel_create(s);
        /* Closed bank. */
        cycle_t sent = 3;
        dram_channel_advance(c, sent);
        dram_read(c->d, sent, dram_channel_place(c, 5, 0, 0), sectors, 0);
        dram_channel_finish(c);
        uint64_t act = dram_arrival_tick(c, sent);
        uint64_t column = dram_last_column(s, act + s->tRCD, n);
        assert_int_equal(c->done[0], dram_back(c, column));
        latency += c->done[0] - sent;
        /* Open row. */
        sent = c->now + 100;
        dram_channel_advance(c, sent);
        dram_read(c->d, sent, dram_channel_place(c, 5, 0, 1), sectors, 1);
        dram_channel_finish(c);
        assert_int_equal(c->done[1],
                         dram_back(c, dram_last_column(s, dram_arrival_tick(c, sent), n)));
        latency += c->done[1] - sent;
        /* Another row of the bank, when no constraint is pending. */
        sent = c->now + 100;
        dram_channel_advance(c, sent);
        dram_read(c->d, sent, dram_channel_place(c, 5, 1, 0), sectors, 2);
        dram_channel_finish(c);
        column = dram_last_column(s, dram_arrival_tick(c, sent) + s->tRP + s->tRCD, n);
        assert_int_equal(c->done[2], dram_back(c, column));
        latency += c->done[2] - sent;
        const dram_stats_t *st = dram_stats(c->d);
        assert_int_equal(st->row_misses, 1);
        assert_int_equal(st->row_hits, 1);
        assert_int_equal(st->row_conflicts, 1);
        assert_int_equal(st->read_sectors, 3 * n);
        assert_int_equal(st->read_latency, latency);
        assert_int_equal(st->busy, 3 * n * dram_burst_ticks(s));
        dram_channel_free(c);
    }
}

static void hit_miss_and_conflict_take_what_the_spec_says(void **state)
{
    (void)state;
    dram_each_kind(check_unloaded);
}

static void check_conflict_at_once(const dram_spec_t *s)
{
    dram_channel_t *c = dram_channel_create(s);
    dram_read(c->d, 0, dram_channel_place(c, 3, 0, 0), 3, 0);
    dram_read(c->d, 0, dram_channel_place(c, 3, 1, 0), 1, 1);
    dram_channel_finish(c);
    uint64_t act = dram_arrival_tick(c, 0);
    uint64_t column = dram_last_column(s, act + s->tRCD, 2);
    assert_int_equal(c->done[0], dram_back(c, column));
    uint64_t pre = cycle_max(act + s->tRAS, column + s->tRTP);
    uint64_t act2 = cycle_max(pre + s->tRP, act + s->tRC);
    assert_int_equal(c->done[1], dram_back(c, act2 + s->tRCD));
    dram_channel_free(c);
}

static void a_conflict_at_once_waits_for_tras_trp_and_trc(void **state)
{
    (void)state;
    dram_each_kind(check_conflict_at_once);
    dram_spec_t s = dram_hbm();
    s.tRC = 90; /* now the activate-to-activate time decides */
    check_conflict_at_once(&s);
    s.tRC = 40;
    s.tRTP = 60; /* or the read-to-precharge time */
    check_conflict_at_once(&s);
}

static void check_two_banks(const dram_spec_t *s)
{
    dram_channel_t *c = dram_channel_create(s);
    dram_read(c->d, 0, dram_channel_place(c, 0, 0, 0), 1, 0);
    dram_read(c->d, 0, dram_channel_place(c, 1, 0, 0), 1, 1); /* another group */
    dram_read(c->d, 0, dram_channel_place(c, s->bank_groups, 0, 0), 1,
              2); /* the group of the first */
    dram_channel_finish(c);
    uint64_t ccd = cycle_max(s->tCCD, dram_burst_ticks(s)), rrd = cycle_max(s->tRRD, 1);
    uint64_t a = dram_arrival_tick(c, 0), first = a + s->tRCD;
    uint64_t second = cycle_max(first + rrd, first + ccd);
    uint64_t third = cycle_max(first + 2 * rrd, second + ccd);
    third = cycle_max(third, dram_last_column(s, first, 2));
    assert_int_equal(c->done[0], dram_back(c, first));
    assert_int_equal(c->done[1], dram_back(c, second));
    assert_int_equal(c->done[2], dram_back(c, third));
    dram_channel_free(c);
}

static void activates_of_other_banks_are_trrd_apart(void **state)
{
    (void)state;
    dram_each_kind(check_two_banks);
    dram_spec_t s = dram_hbm();
    s.tRRD = 40;
    check_two_banks(&s);
    s.tRRD = 0;
    check_two_banks(&s);
    s.tCCDL = 30;
    check_two_banks(&s);
}

/* One read from each of this many banks, all at once. Returns when the first data arrive. */
static uint64_t read_banks(dram_channel_t *c, uint32_t banks)
{
    for (uint32_t b = 0; b < banks; b++)
        dram_read(c->d, 0, dram_channel_place(c, b, 0, 0), 1, b);
    dram_channel_finish(c);
    return dram_arrival_tick(c, 0) + c->spec.tRCD;
}

static void the_fifth_activate_waits_for_the_window_of_four(void **state)
{
    (void)state;
    enum { ROWS = 9 };
    dram_spec_t s = dram_hbm();
    s.tRRD = 5;
    s.tFAW = 40;
    dram_channel_t *c = dram_channel_create(&s);
    uint64_t first = read_banks(c, ROWS);
    for (uint32_t b = 0; b < ROWS; b++)
        assert_int_equal(c->done[b], dram_back(c, first + b / 4 * s.tFAW + b % 4 * s.tRRD));
    dram_channel_free(c);
}

static void activates_hold_the_bus_of_row_commands(void **state)
{
    (void)state;
    enum { ROWS = 6 };
    dram_spec_t s = dram_hbm();
    s.tRRD = 2;
    s.activate_slots = 7;
    dram_channel_t *c = dram_channel_create(&s);
    uint64_t first = read_banks(c, ROWS);
    for (uint32_t b = 0; b < ROWS; b++)
        assert_int_equal(c->done[b], dram_back(c, first + (uint64_t)b * s.activate_slots));
    dram_channel_free(c);
}

static void precharges_hold_the_bus_of_row_commands(void **state)
{
    (void)state;
    dram_spec_t s = dram_hbm();
    s.precharge_slots = 5;
    s.activate_slots = 9;
    dram_channel_t *c = dram_channel_create(&s);
    dram_read(c->d, 0, dram_channel_place(c, 2, 0, 0), 1, 0);
    dram_channel_finish(c);
    cycle_t sent = c->now + 100;
    dram_channel_advance(c, sent);
    dram_read(c->d, sent, dram_channel_place(c, 2, 1, 0), 1, 1); /* its bank is closed first */
    dram_read(c->d, sent, dram_channel_place(c, 3, 0, 0), 1, 2);
    dram_channel_finish(c);
    uint64_t act = dram_arrival_tick(c, sent) + s.precharge_slots;
    assert_int_equal(c->done[2], dram_back(c, act + s.tRCD));
    assert_int_equal(c->done[1], dram_back(c, act + s.activate_slots + s.tRCD));
    dram_channel_free(c);
}

static void a_row_hit_overtakes_an_older_conflict(void **state)
{
    (void)state;
    dram_spec_t s = dram_hbm();
    dram_channel_t *c = dram_channel_create(&s);
    dram_read(c->d, 0, dram_channel_place(c, 2, 0, 0), 1, 0);
    dram_channel_finish(c);
    cycle_t sent = c->now + 50;
    dram_channel_advance(c, sent);
    dram_read(c->d, sent, dram_channel_place(c, 2, 0, 1), 1, 1);
    dram_read(c->d, sent, dram_channel_place(c, 2, 1, 0), 1, 2);
    dram_read(c->d, sent, dram_channel_place(c, 2, 0, 2), 1, 3);
    dram_channel_finish(c);
    assert_true(c->done[3] < c->done[2]);
    assert_int_equal(dram_stats(c->d)->row_hits, 2);
    dram_channel_free(c);
}

static uint64_t one_block_in_two(uint64_t i)
{
    return i / 4 * 512 + i % 4 * 64;
}

static void check_peak(const dram_spec_t *s)
{
    for (int write = 0; write < 2; write++) {
        dram_channel_t *c = dram_channel_create(s);
        uint64_t ticks = dram_saturate(c, 100000, 3, write, dram_in_order);
        const dram_stats_t *st = dram_stats(c->d);
        double use = (double)st->busy / (double)ticks;
        double most = s->tREFI > 0 ? 1 - (double)s->tRFC / (s->tREFI + s->tRP) : 1;
        assert_true(use <= most);
        assert_true(use >= 0.85);
        assert_true(st->activates - st->precharges <= s->banks);
        dram_channel_free(c);
    }
}

static void streams_come_near_the_peak_of_the_pins(void **state)
{
    (void)state;
    dram_each_kind(check_peak);
    dram_spec_t s = dram_hbm();
    s.tREFI = 0;
    check_peak(&s);
}

static void scattered_rows_are_bound_by_activates(void **state)
{
    (void)state;
    dram_spec_t s = dram_hbm();
    dram_channel_t *c = dram_channel_create(&s);
    uint32_t n = 20000;
    uint64_t ticks = dram_saturate(c, n, 1, false, dram_scattered);
    const dram_stats_t *st = dram_stats(c->d);
    double use = (double)st->busy / (double)ticks;
    assert_true(ticks >= (uint64_t)(st->activates - 1) * s.tRRD);
    assert_true(ticks >= st->activates * s.tRC / s.banks);
    assert_true(st->activates > n * 9 / 10);
    assert_true(use < 0.4);
    assert_true(use > 0.5 / s.tRRD); /* and not far below, because banks work in parallel */
    dram_channel_free(c);
}

static void one_bank_group_gives_one_burst_per_tccdl(void **state)
{
    (void)state;
    dram_spec_t s = dram_hbm();
    s.tREFI = 0;
    s.tCCDL = 4;
    s.bank_groups = 1;
    dram_channel_t *c = dram_channel_create(&s);
    uint64_t n = 20000, ticks = dram_saturate(c, (uint32_t)n, 1, false, dram_in_order);
    assert_true(ticks >= (n - 1) * s.tCCDL);
    assert_true(ticks <= n * s.tCCDL * 11 / 10);
    dram_channel_free(c);
    s.bank_groups = 4;
    c = dram_channel_create(&s);
    ticks = dram_saturate(c, (uint32_t)n, 1, false, one_block_in_two);
    assert_true(ticks >= (n - 1) * s.tCCD);
    dram_channel_free(c);
}

static void check_turnaround(const dram_spec_t *spec)
{
    dram_spec_t at_once = *spec, *s = &at_once;
    at_once.write_wait = 0;
    dram_channel_t *c = dram_channel_create(s);
    uint64_t bl = dram_burst_ticks(s);
    /* A write, then a read of the same row that arrives before the bus has turned. */
    dram_write(c->d, 0, dram_channel_place(c, 1, 0, 0), 1);
    uint64_t w = dram_arrival_tick(c, 0) + s->tRCD;
    cycle_t sent = clock_cycle_from(&c->clock, w + 1) - s->latency / 2;
    dram_channel_advance(c, sent);
    uint64_t r = cycle_max(w + s->tWL + bl + s->tCDLR, dram_last_column(s, w, 2));
    assert_true(dram_arrival_tick(c, sent) <= r);
    dram_read(c->d, sent, dram_channel_place(c, 1, 0, 1), 1, 0);
    /* A read, then a write of the row, observed through a second read after the write. */
    uint64_t w2 = cycle_max(r + s->tCL + bl + s->tRTW - s->tWL, dram_last_column(s, r, 2));
    sent = cycle_max(sent, clock_cycle_from(&c->clock, r + 1) - s->latency / 2);
    dram_channel_advance(c, sent);
    assert_true(dram_arrival_tick(c, sent) <= w2);
    dram_write(c->d, sent, dram_channel_place(c, 1, 0, 2), 1);
    sent = clock_cycle_from(&c->clock, w2 + 1) - s->latency / 2;
    dram_channel_advance(c, sent);
    uint64_t r2 = cycle_max(w2 + s->tWL + bl + s->tCDLR, dram_last_column(s, w2, 2));
    assert_true(dram_arrival_tick(c, sent) <= r2);
    dram_read(c->d, sent, dram_channel_place(c, 1, 0, 3), 1, 1);
    dram_channel_finish(c);
    assert_int_equal(c->done[0], dram_back(c, r));
    assert_int_equal(c->done[1], dram_back(c, r2));
    assert_int_equal(dram_stats(c->d)->turnarounds, 4); /* the initial bus direction is reading */
    dram_channel_free(c);
}

static void the_bus_turns_as_slowly_as_the_spec_says(void **state)
{
    (void)state;
    dram_each_kind(check_turnaround);
}

/* Two reads that wait for the bus to turn. The row of the younger one is open first, but the older
 * one is served first. */
static void of_two_reads_that_can_go_at_once_the_older_goes(void **state)
{
    (void)state;
    dram_spec_t s = dram_hbm();
    s.tREFI = 0;
    s.write_low = s.write_wait = 0;
    s.tCDLR = 100;
    dram_channel_t *c = dram_channel_create(&s);
    dram_read(c->d, 0, dram_channel_place(c, 0, 0, 0), 1, 0); /* opens row 0 of bank 0 */
    cycle_t sent = dram_channel_finish(c) + 1;
    dram_channel_advance(c, sent);
    dram_write(c->d, sent, dram_channel_place(c, 1, 0, 0), 1);
    dram_channel_advance(c, sent + 4); /* the bus is about to turn when the reads arrive */
    dram_read(c->d, sent + 4, dram_channel_place(c, 0, 1, 0), 1, 1);
    dram_read(c->d, sent + 4, dram_channel_place(c, 2, 0, 0), 1, 2);
    dram_channel_finish(c);
    uint64_t w = dram_arrival_tick(c, sent) + s.tRCD;
    uint64_t turned = w + s.tWL + dram_burst_ticks(&s) + s.tCDLR;
    uint64_t apart = cycle_max(s.tCCD, dram_burst_ticks(&s)); /* the banks are of two groups */
    assert_true(w + s.tRP + s.tRCD < turned);
    assert_int_equal(c->done[1], dram_back(c, turned));
    assert_int_equal(c->done[2], dram_back(c, turned + apart));
    dram_channel_free(c);
}

static void write_recovery_delays_the_precharge(void **state)
{
    (void)state;
    for (uint32_t recovery = 10; recovery <= 70; recovery += 60) {
        dram_spec_t s = dram_hbm();
        s.tWR = recovery;
        s.write_wait = 0;
        dram_channel_t *c = dram_channel_create(&s);
        dram_write(c->d, 0, dram_channel_place(c, 1, 0, 0), 1);
        cycle_t sent = 30;
        dram_channel_advance(c, sent);
        dram_read(c->d, sent, dram_channel_place(c, 1, 1, 0), 1, 0);
        dram_channel_finish(c);
        uint64_t act = dram_arrival_tick(c, 0), w = act + s.tRCD;
        uint64_t pre = cycle_max(act + s.tRAS, w + s.tWL + dram_burst_ticks(&s) + s.tWR);
        uint64_t act2 = cycle_max(pre + s.tRP, act + s.tRC);
        assert_true(dram_arrival_tick(c, sent) < pre);
        assert_int_equal(c->done[0], dram_back(c, act2 + s.tRCD));
        dram_channel_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hit_miss_and_conflict_take_what_the_spec_says),
        cmocka_unit_test(a_conflict_at_once_waits_for_tras_trp_and_trc),
        cmocka_unit_test(activates_of_other_banks_are_trrd_apart),
        cmocka_unit_test(the_fifth_activate_waits_for_the_window_of_four),
        cmocka_unit_test(activates_hold_the_bus_of_row_commands),
        cmocka_unit_test(precharges_hold_the_bus_of_row_commands),
        cmocka_unit_test(a_row_hit_overtakes_an_older_conflict),
        cmocka_unit_test(streams_come_near_the_peak_of_the_pins),
        cmocka_unit_test(scattered_rows_are_bound_by_activates),
        cmocka_unit_test(one_bank_group_gives_one_burst_per_tccdl),
        cmocka_unit_test(the_bus_turns_as_slowly_as_the_spec_says),
        cmocka_unit_test(of_two_reads_that_can_go_at_once_the_older_goes),
        cmocka_unit_test(write_recovery_delays_the_precharge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
