#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "sim/conf/param_value.h"
#include "sim/core/clock.h"
#include "sim/mem/dram.h"

enum { MAX_TOKENS = 1 << 17 };

typedef struct {
    dram_spec_t spec;
    double core_mhz;
    clock_ratio_t clock;
    dram_t *d;
    cycle_t now;
    cycle_t *done; /* cycle at which each token came back; 0: not yet */
    uint32_t n_done;
} channel_t;

/* HBM2 as in the tables' defaults. */
static dram_spec_t hbm(void)
{
    dram_spec_t s;
    memset(&s, 0, sizeof(s));
    param_group_defaults(&dram_param_group, &s);
    return s;
}

/* A GDDR6-like channel: narrow bus, long bursts, clock faster than the core's. */
static dram_spec_t gddr(void)
{
    dram_spec_t s = hbm();
    s.clock_mhz = 3500.5;
    s.bus_bytes = 2;
    s.data_rate = 4;
    s.tCCD = 4;
    s.tCCDL = 6;
    s.tRRD = 12;
    s.tRCD = s.tRP = s.tCL = 24;
    s.tRAS = 55;
    s.tRC = 78;
    s.tWL = 8;
    s.tCDLR = 10;
    s.tWR = 24;
    s.tRTP = 4;
    s.tREFI = 13650;
    s.tRFC = 900;
    return s;
}

static channel_t *channel(const dram_spec_t *spec)
{
    channel_t *c = calloc(1, sizeof(*c));
    c->spec = *spec;
    c->core_mhz = 1380;
    c->clock = clock_ratio(c->core_mhz, spec->clock_mhz);
    c->d = dram_create(spec, c->core_mhz);
    c->done = calloc(MAX_TOKENS, sizeof(*c->done));
    return c;
}

static void channel_free(channel_t *c)
{
    dram_destroy(c->d);
    free(c->done);
    free(c);
}

/* Everything up to and including cycle to. */
static void advance(channel_t *c, cycle_t to)
{
    for (;;) {
        cycle_t next = cycle_min(dram_read_due(c->d), dram_next(c->d));
        if (next == CYCLE_NEVER || next > to)
            break;
        c->now = next;
        for (; dram_read_due(c->d) <= next; dram_read_drop(c->d)) {
            uint32_t token = dram_read_token(c->d, 0);
            assert_int_equal(c->done[token], 0);
            c->done[token] = dram_read_due(c->d);
            c->n_done++;
        }
        dram_run(c->d, next);
    }
    c->now = to == CYCLE_NEVER ? c->now : to;
    dram_see_room(c->d, c->now);
}

static cycle_t finish(channel_t *c)
{
    advance(c, CYCLE_NEVER);
    assert_true(dram_idle(c->d));
    return c->now;
}

/* An address in the n-th block of a row of a bank. */
static uint64_t place(const channel_t *c, uint32_t bank, uint64_t row, uint32_t n)
{
    uint64_t span = c->spec.row_bytes * c->spec.banks;
    for (uint64_t a = row * span; a < (row + 1) * span; a += 256) {
        dram_place_t p = dram_place(c->d, a);
        if (p.bank == bank && p.row == row && n-- == 0)
            return a;
    }
    fail_msg("no such place");
    return 0;
}

static uint32_t burst_ticks(const dram_spec_t *s)
{
    return (s->burst_bytes + s->bus_bytes * s->data_rate - 1) / (s->bus_bytes * s->data_rate);
}

static uint64_t max64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Column commands of one row: tick of the last of n, the first at t. */
static uint64_t last_column(const dram_spec_t *s, uint64_t t, uint32_t n)
{
    uint64_t gap = max64(max64(s->tCCD, s->tCCDL), burst_ticks(s));
    return t + (n - 1) * gap;
}

static uint64_t arrival_tick(const channel_t *c, cycle_t sent)
{
    return clock_tick_from(&c->clock, sent + c->spec.latency / 2);
}

/* Cycle at which a read is back whose last column command is issued at tick t. */
static cycle_t back(const channel_t *c, uint64_t t)
{
    cycle_t half = c->spec.latency - c->spec.latency / 2;
    return clock_cycle_from(&c->clock, t + c->spec.tCL + burst_ticks(&c->spec)) + half;
}

static void each_kind(void (*check)(const dram_spec_t *spec))
{
    dram_spec_t s = hbm();
    check(&s);
    s.latency = 101;
    check(&s);
    s = gddr();
    check(&s);
}

static void check_unloaded(const dram_spec_t *s)
{
    for (uint32_t sectors = 1; sectors <= 15; sectors = 2 * sectors + 1) {
        uint32_t n = (uint32_t)__builtin_popcount(sectors);
        channel_t *c = channel(s);
        /* Closed bank. */
        cycle_t sent = 3;
        advance(c, sent);
        dram_read(c->d, sent, place(c, 5, 0, 0), sectors, 0);
        finish(c);
        uint64_t act = arrival_tick(c, sent);
        uint64_t column = last_column(s, act + s->tRCD, n);
        assert_int_equal(c->done[0], back(c, column));
        /* Open row. */
        sent = c->now + 100;
        advance(c, sent);
        dram_read(c->d, sent, place(c, 5, 0, 1), sectors, 1);
        finish(c);
        assert_int_equal(c->done[1], back(c, last_column(s, arrival_tick(c, sent), n)));
        /* Another row of the bank, with nothing left to wait for. */
        sent = c->now + 100;
        advance(c, sent);
        dram_read(c->d, sent, place(c, 5, 1, 0), sectors, 2);
        finish(c);
        column = last_column(s, arrival_tick(c, sent) + s->tRP + s->tRCD, n);
        assert_int_equal(c->done[2], back(c, column));
        const dram_stats_t *st = dram_stats(c->d);
        assert_int_equal(st->row_misses, 1);
        assert_int_equal(st->row_hits, 1);
        assert_int_equal(st->row_conflicts, 1);
        assert_int_equal(st->read_sectors, 3 * n);
        assert_int_equal(st->busy, 3 * n * burst_ticks(s));
        channel_free(c);
    }
}

static void hit_miss_and_conflict_take_what_the_spec_says(void **state)
{
    (void)state;
    each_kind(check_unloaded);
}

static void check_conflict_at_once(const dram_spec_t *s)
{
    channel_t *c = channel(s);
    dram_read(c->d, 0, place(c, 3, 0, 0), 3, 0);
    dram_read(c->d, 0, place(c, 3, 1, 0), 1, 1);
    finish(c);
    uint64_t act = arrival_tick(c, 0);
    uint64_t column = last_column(s, act + s->tRCD, 2);
    assert_int_equal(c->done[0], back(c, column));
    uint64_t pre = max64(act + s->tRAS, column + s->tRTP);
    uint64_t act2 = max64(pre + s->tRP, act + s->tRC);
    assert_int_equal(c->done[1], back(c, act2 + s->tRCD));
    channel_free(c);
}

static void a_conflict_at_once_waits_for_tras_trp_and_trc(void **state)
{
    (void)state;
    each_kind(check_conflict_at_once);
    dram_spec_t s = hbm();
    s.tRC = 90; /* now the activate-to-activate time decides */
    check_conflict_at_once(&s);
    s.tRC = 40;
    s.tRTP = 60; /* or the read-to-precharge time */
    check_conflict_at_once(&s);
}

static void check_two_banks(const dram_spec_t *s)
{
    channel_t *c = channel(s);
    dram_read(c->d, 0, place(c, 0, 0, 0), 1, 0);
    dram_read(c->d, 0, place(c, 1, 0, 0), 1, 1);              /* another group */
    dram_read(c->d, 0, place(c, s->bank_groups, 0, 0), 1, 2); /* the group of the first */
    finish(c);
    uint64_t ccd = max64(s->tCCD, burst_ticks(s)), rrd = max64(s->tRRD, 1);
    uint64_t a = arrival_tick(c, 0), first = a + s->tRCD;
    uint64_t second = max64(first + rrd, first + ccd);
    uint64_t third = max64(first + 2 * rrd, second + ccd);
    third = max64(third, last_column(s, first, 2));
    assert_int_equal(c->done[0], back(c, first));
    assert_int_equal(c->done[1], back(c, second));
    assert_int_equal(c->done[2], back(c, third));
    channel_free(c);
}

static void activates_of_other_banks_are_trrd_apart(void **state)
{
    (void)state;
    each_kind(check_two_banks);
    dram_spec_t s = hbm();
    s.tRRD = 40;
    check_two_banks(&s);
    s.tRRD = 0;
    check_two_banks(&s);
    s.tCCDL = 30;
    check_two_banks(&s);
}

static void the_fifth_activate_waits_for_the_window_of_four(void **state)
{
    (void)state;
    enum { ROWS = 9 };
    dram_spec_t s = hbm();
    s.tRRD = 5;
    s.tFAW = 40;
    channel_t *c = channel(&s);
    for (uint32_t b = 0; b < ROWS; b++)
        dram_read(c->d, 0, place(c, b, 0, 0), 1, b);
    finish(c);
    uint64_t first = arrival_tick(c, 0) + s.tRCD;
    for (uint32_t b = 0; b < ROWS; b++)
        assert_int_equal(c->done[b], back(c, first + b / 4 * s.tFAW + b % 4 * s.tRRD));
    channel_free(c);
}

static void activates_hold_the_bus_of_row_commands(void **state)
{
    (void)state;
    enum { ROWS = 6 };
    dram_spec_t s = hbm();
    s.tRRD = 2;
    s.activate_slots = 7;
    channel_t *c = channel(&s);
    for (uint32_t b = 0; b < ROWS; b++)
        dram_read(c->d, 0, place(c, b, 0, 0), 1, b);
    finish(c);
    uint64_t first = arrival_tick(c, 0) + s.tRCD;
    for (uint32_t b = 0; b < ROWS; b++)
        assert_int_equal(c->done[b], back(c, first + (uint64_t)b * s.activate_slots));
    channel_free(c);
}

static void precharges_hold_the_bus_of_row_commands(void **state)
{
    (void)state;
    dram_spec_t s = hbm();
    s.precharge_slots = 5;
    s.activate_slots = 9;
    channel_t *c = channel(&s);
    dram_read(c->d, 0, place(c, 2, 0, 0), 1, 0);
    finish(c);
    cycle_t sent = c->now + 100;
    advance(c, sent);
    dram_read(c->d, sent, place(c, 2, 1, 0), 1, 1); /* its bank is closed first */
    dram_read(c->d, sent, place(c, 3, 0, 0), 1, 2);
    finish(c);
    uint64_t act = arrival_tick(c, sent) + s.precharge_slots;
    assert_int_equal(c->done[2], back(c, act + s.tRCD));
    assert_int_equal(c->done[1], back(c, act + s.activate_slots + s.tRCD));
    channel_free(c);
}

static void a_row_hit_overtakes_an_older_conflict(void **state)
{
    (void)state;
    dram_spec_t s = hbm();
    channel_t *c = channel(&s);
    dram_read(c->d, 0, place(c, 2, 0, 0), 1, 0);
    finish(c);
    cycle_t sent = c->now + 50;
    advance(c, sent);
    dram_read(c->d, sent, place(c, 2, 0, 1), 1, 1);
    dram_read(c->d, sent, place(c, 2, 1, 0), 1, 2);
    dram_read(c->d, sent, place(c, 2, 0, 2), 1, 3);
    finish(c);
    assert_true(c->done[3] < c->done[2]);
    assert_int_equal(dram_stats(c->d)->row_hits, 2);
    channel_free(c);
}

/* Sends n requests as fast as there is room; address(i) gives the place. Returns ticks taken. */
static uint64_t saturate(channel_t *c, uint32_t n, uint32_t sectors, bool write,
                         uint64_t (*address)(uint64_t i))
{
    cycle_t start = c->now;
    for (uint32_t i = 0; i < n;) {
        while (i < n && dram_has_room(c->d, write)) {
            if (write)
                dram_write(c->d, c->now, address(i), sectors);
            else
                dram_read(c->d, c->now, address(i), sectors, i);
            i++;
        }
        advance(c, c->now + 1);
    }
    cycle_t end = finish(c);
    return clock_tick_until(&c->clock, end) - clock_tick_from(&c->clock, start);
}

static uint64_t in_order(uint64_t i)
{
    return i * 64;
}

static uint64_t one_block_in_two(uint64_t i)
{
    return i / 4 * 512 + i % 4 * 64;
}

static uint64_t scattered(uint64_t i)
{
    return (i * 0x9E3779B97F4A7C15u >> 20) % (UINT64_C(1) << 34) & ~UINT64_C(63);
}

static void check_peak(const dram_spec_t *s)
{
    for (int write = 0; write < 2; write++) {
        channel_t *c = channel(s);
        uint64_t ticks = saturate(c, 100000, 3, write, in_order);
        const dram_stats_t *st = dram_stats(c->d);
        double use = (double)st->busy / (double)ticks;
        double most = s->tREFI > 0 ? 1 - (double)s->tRFC / (s->tREFI + s->tRP) : 1;
        assert_true(use <= most);
        assert_true(use >= 0.85);
        assert_true(st->activates - st->precharges <= s->banks);
        channel_free(c);
    }
}

static void streams_come_near_the_peak_of_the_pins(void **state)
{
    (void)state;
    each_kind(check_peak);
    dram_spec_t s = hbm();
    s.tREFI = 0;
    check_peak(&s);
}

static void scattered_rows_are_bound_by_activates(void **state)
{
    (void)state;
    dram_spec_t s = hbm();
    channel_t *c = channel(&s);
    uint32_t n = 20000;
    uint64_t ticks = saturate(c, n, 1, false, scattered);
    const dram_stats_t *st = dram_stats(c->d);
    double use = (double)st->busy / (double)ticks;
    assert_true(ticks >= (uint64_t)(st->activates - 1) * s.tRRD);
    assert_true(ticks >= st->activates * s.tRC / s.banks);
    assert_true(st->activates > n * 9 / 10);
    assert_true(use < 0.4);
    assert_true(use > 0.5 / s.tRRD); /* and not far below: banks work at the same time */
    channel_free(c);
}

static void one_bank_group_gives_one_burst_per_tccdl(void **state)
{
    (void)state;
    dram_spec_t s = hbm();
    s.tREFI = 0;
    s.tCCDL = 4;
    s.bank_groups = 1;
    channel_t *c = channel(&s);
    uint64_t n = 20000, ticks = saturate(c, (uint32_t)n, 1, false, in_order);
    assert_true(ticks >= (n - 1) * s.tCCDL);
    assert_true(ticks <= n * s.tCCDL * 11 / 10);
    channel_free(c);
    s.bank_groups = 4;
    c = channel(&s);
    ticks = saturate(c, (uint32_t)n, 1, false, one_block_in_two);
    assert_true(ticks >= (n - 1) * s.tCCD);
    channel_free(c);
}

static void check_turnaround(const dram_spec_t *s)
{
    channel_t *c = channel(s);
    uint64_t bl = burst_ticks(s);
    /* Write, then a read of the same row that is there before the bus has turned. */
    dram_write(c->d, 0, place(c, 1, 0, 0), 1);
    uint64_t w = arrival_tick(c, 0) + s->tRCD;
    cycle_t sent = clock_cycle_from(&c->clock, w + 1) - s->latency / 2;
    advance(c, sent);
    uint64_t r = max64(w + s->tWL + bl + s->tCDLR, last_column(s, w, 2));
    assert_true(arrival_tick(c, sent) <= r);
    dram_read(c->d, sent, place(c, 1, 0, 1), 1, 0);
    /* Read, then a write of the row: seen through a second read that follows the write. */
    uint64_t w2 = max64(r + s->tCL + bl + s->tRTW - s->tWL, last_column(s, r, 2));
    sent = cycle_max(sent, clock_cycle_from(&c->clock, r + 1) - s->latency / 2);
    advance(c, sent);
    assert_true(arrival_tick(c, sent) <= w2);
    dram_write(c->d, sent, place(c, 1, 0, 2), 1);
    sent = clock_cycle_from(&c->clock, w2 + 1) - s->latency / 2;
    advance(c, sent);
    uint64_t r2 = max64(w2 + s->tWL + bl + s->tCDLR, last_column(s, w2, 2));
    assert_true(arrival_tick(c, sent) <= r2);
    dram_read(c->d, sent, place(c, 1, 0, 3), 1, 1);
    finish(c);
    assert_int_equal(c->done[0], back(c, r));
    assert_int_equal(c->done[1], back(c, r2));
    assert_int_equal(dram_stats(c->d)->turnarounds, 4); /* a channel begins as if it had read */
    channel_free(c);
}

static void the_bus_turns_as_slowly_as_the_spec_says(void **state)
{
    (void)state;
    each_kind(check_turnaround);
}

static void write_recovery_delays_the_precharge(void **state)
{
    (void)state;
    for (uint32_t recovery = 10; recovery <= 70; recovery += 60) {
        dram_spec_t s = hbm();
        s.tWR = recovery;
        channel_t *c = channel(&s);
        dram_write(c->d, 0, place(c, 1, 0, 0), 1);
        cycle_t sent = 30;
        advance(c, sent);
        dram_read(c->d, sent, place(c, 1, 1, 0), 1, 0);
        finish(c);
        uint64_t act = arrival_tick(c, 0), w = act + s.tRCD;
        uint64_t pre = max64(act + s.tRAS, w + s.tWL + burst_ticks(&s) + s.tWR);
        uint64_t act2 = max64(pre + s.tRP, act + s.tRC);
        assert_true(arrival_tick(c, sent) < pre);
        assert_int_equal(c->done[0], back(c, act2 + s.tRCD));
        channel_free(c);
    }
}

static void reads_go_before_writes_until_the_buffer_is_full(void **state)
{
    (void)state;
    dram_spec_t s = hbm();
    s.tREFI = 0;
    channel_t *c = channel(&s);
    /* Fewer writes than the high mark, and a read with them: it is served as if alone. */
    for (uint32_t i = 0; i + 1 < s.write_high; i++)
        dram_write(c->d, 0, place(c, 4, 0, i % 8), 1);
    dram_read(c->d, 0, place(c, 5, 0, 0), 1, 0);
    finish(c);
    assert_int_equal(c->done[0], back(c, arrival_tick(c, 0) + s.tRCD));
    channel_free(c);
    /* At the high mark writes go first, down to the low mark. */
    c = channel(&s);
    for (uint32_t i = 0; i < s.write_high; i++)
        dram_write(c->d, 0, place(c, 4, 0, i % 8), 1);
    dram_read(c->d, 0, place(c, 4, 0, 0), 1, 0);
    finish(c);
    uint64_t w = last_column(&s, arrival_tick(c, 0) + s.tRCD, s.write_high - s.write_low);
    assert_int_equal(c->done[0], back(c, w + s.tWL + burst_ticks(&s) + s.tCDLR));
    assert_int_equal(dram_stats(c->d)->write_sectors, s.write_high);
    channel_free(c);
}

static void check_refresh(const dram_spec_t *s)
{
    for (int open = 0; open < 2; open++) {
        channel_t *c = channel(s);
        if (open) {
            dram_read(c->d, 0, place(c, 0, 0, 0), 1, 0);
            finish(c);
        }
        /* Arrives while the refresh is under way. */
        cycle_t sent = clock_cycle_from(&c->clock, s->tREFI + 1) - s->latency / 2;
        advance(c, sent);
        dram_read(c->d, sent, place(c, 0, 0, 0), 1, 1);
        finish(c);
        uint64_t act = s->tREFI + (open ? s->tRP : 0) + s->tRFC;
        assert_true(arrival_tick(c, sent) < act);
        assert_int_equal(c->done[1], back(c, act + s->tRCD));
        assert_int_equal(dram_stats(c->d)->refreshes, 1);
        assert_int_equal(dram_stats(c->d)->row_misses, open + 1);
        channel_free(c);
    }
}

static void a_refresh_closes_the_rows_and_blocks_the_channel(void **state)
{
    (void)state;
    each_kind(check_refresh);
}

static void an_idle_channel_catches_up_on_refreshes_without_events(void **state)
{
    (void)state;
    dram_spec_t s = hbm();
    channel_t *c = channel(&s);
    assert_true(dram_next(c->d) == CYCLE_NEVER);
    const uint64_t passed = 1000000;
    cycle_t sent = clock_cycle_from(&c->clock, passed * s.tREFI + s.tREFI / 2);
    advance(c, sent);
    dram_read(c->d, sent, 0, 1, 0);
    finish(c);
    assert_int_equal(dram_stats(c->d)->refreshes, passed);
    assert_int_equal(c->done[0], back(c, arrival_tick(c, sent) + s.tRCD));
    channel_free(c);
}

/* Random reads and writes in bursts; after: cycle to begin at. Returns a hash of what came back. */
static uint64_t mixed(channel_t *c, uint64_t seed, cycle_t after, bool every_cycle)
{
    memset(c->done, 0, MAX_TOKENS * sizeof(*c->done));
    uint64_t x = seed;
    uint32_t n = 0;
    for (uint32_t i = 0; i < 4000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        after += x % 32 == 0 ? x >> 8 & 1023 : x >> 8 & 3;
        if (every_cycle) {
            while (c->now < after)
                advance(c, c->now + 1);
        }
        advance(c, after);
        bool write = x >> 20 & 1;
        uint64_t local = (x >> 24 & 0xfffff) * 64;
        if (!dram_has_room(c->d, write))
            continue;
        if (write)
            dram_write(c->d, after, local, 1 + (x >> 50 & 14));
        else
            dram_read(c->d, after, local, 1 + (x >> 50 & 14), n++);
    }
    finish(c);
    uint64_t hash = n;
    for (uint32_t i = 0; i < n; i++) {
        assert_true(c->done[i] != 0);
        hash = (hash ^ c->done[i]) * 1099511628211u;
    }
    return hash;
}

static void the_smallest_legal_refresh_interval_still_lets_work_through(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        dram_spec_t s = kind == 0 ? hbm() : gddr();
        s.tREFI = (uint32_t)dram_min_refresh(&s);
        channel_t *c = channel(&s);
        uint64_t ticks = saturate(c, 2000, 15, false, scattered);
        assert_int_equal(c->n_done, 2000);
        assert_true(dram_stats(c->d)->refreshes + 1 >= ticks / s.tREFI);
        saturate(c, 2000, 15, true, scattered);
        channel_free(c);
    }
}

/* Timings drawn at random: everything comes back, and no constraint that is visible is broken. */
static void any_timings_serve_every_request(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252u;
    for (int round = 0; round < 60; round++) {
        dram_spec_t s = hbm();
        s.activate_slots = 1 + (uint32_t)(x >> 12) % 8;
        s.precharge_slots = 1 + (uint32_t)(x >> 15) % 8;
        uint32_t *const field[] = {&s.tCCD,  &s.tCCDL, &s.tRRD, &s.tFAW, &s.tRCD,
                                   &s.tRAS,  &s.tRP,   &s.tRC,  &s.tCL,  &s.tWL,
                                   &s.tCDLR, &s.tWR,   &s.tRTP, &s.tRTW, &s.tRFC};
        for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            *field[i] = (uint32_t)(x >> 40) % (x >> 8 & 1 ? 4 : 60);
        }
        s.banks = (uint32_t[]){1, 3, 4, 16, 64, 256}[(x >> 16) % 6];
        s.bank_groups = s.banks % 4 == 0 && (x >> 20 & 1) ? 4 : 1;
        s.burst_bytes = (uint32_t[]){16, 32, 64, 128}[x >> 24 & 3];
        s.queue = 1 + (x >> 28 & 15);
        s.write_queue = 2 + (x >> 32 & 15);
        s.write_high = 1 + (uint32_t)(x >> 36) % s.write_queue;
        s.write_low = s.write_high - 1;
        s.latency = (uint32_t)(x >> 44) % 8;
        s.clock_mhz = (double[]){10, 850, 1380, 7000.001}[x >> 48 & 3];
        s.age_limit = 1 + (uint32_t)(x >> 52) % 300;
        s.tREFI = x >> 60 & 1 ? (uint32_t)dram_min_refresh(&s) + 50 : 0;
        channel_t *a = channel(&s), *b = channel(&s);
        assert_int_equal(mixed(a, 1000 + (uint64_t)round, 0, false),
                         mixed(b, 1000 + (uint64_t)round, 0, true));
        const dram_stats_t *st = dram_stats(a->d);
        assert_memory_equal(st, dram_stats(b->d), sizeof(*st));
        assert_true(st->activates >= st->row_misses + st->row_conflicts);
        assert_true(st->activates - st->precharges <= s.banks);
        channel_free(a);
        channel_free(b);
    }
}

static void a_busy_channel_refreshes_on_time(void **state)
{
    (void)state;
    dram_spec_t s = hbm();
    channel_t *c = channel(&s);
    uint64_t ticks = saturate(c, 50000, 3, false, in_order);
    uint64_t due = ticks / s.tREFI;
    assert_true(due > 20);
    uint64_t refreshes = dram_stats(c->d)->refreshes;
    assert_true(refreshes == due || refreshes + 1 == due);
    channel_free(c);
}

static void row_hits_cannot_starve_an_old_request(void **state)
{
    (void)state;
    for (uint32_t limit = 100; limit <= 1600; limit *= 4) {
        dram_spec_t s = hbm();
        s.age_limit = limit;
        s.tREFI = 0;
        channel_t *c = channel(&s);
        dram_read(c->d, 0, place(c, 7, 0, 0), 1, 0);
        advance(c, s.latency);
        dram_read(c->d, c->now, place(c, 7, 1, 0), 1, 1); /* the victim */
        cycle_t sent = c->now;
        uint32_t i = 2;
        while (c->done[1] == 0 && i < MAX_TOKENS) {
            for (; dram_has_room(c->d, false) && i < MAX_TOKENS; i++)
                dram_read(c->d, c->now, place(c, 7, 0, i % 8), 1, i);
            advance(c, c->now + 1);
        }
        assert_true(i < MAX_TOKENS);
        /* Hits are served until the limit, then the row changes without delay. */
        uint64_t change = s.tRTP + s.tRP + s.tRCD;
        uint64_t least = arrival_tick(c, sent) + limit + change;
        uint64_t most = least + 2 * last_column(&s, 0, 2);
        assert_true(c->done[1] >= back(c, least));
        assert_true(c->done[1] <= back(c, most));
        finish(c);
        assert_int_equal(c->n_done, i);
        channel_free(c);
    }
}

static void perfect_takes_exactly_the_fixed_path(void **state)
{
    (void)state;
    dram_spec_t s = hbm();
    s.perfect = true;
    channel_t *c = channel(&s);
    advance(c, 10);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(dram_has_room(c->d, false) && dram_has_room(c->d, true));
        dram_read(c->d, 10, i * UINT64_C(1000000) & ~UINT64_C(63), 3, i);
        dram_write(c->d, 10, i * UINT64_C(77777) & ~UINT64_C(63), 3);
    }
    finish(c);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(c->done[i], 10 + s.latency);
    assert_int_equal(dram_stats(c->d)->read_sectors, 2000);
    assert_int_equal(dram_stats(c->d)->write_sectors, 2000);
    channel_free(c);
}

static void the_path_takes_no_more_than_the_controller_holds(void **state)
{
    (void)state;
    dram_spec_t s = hbm();
    s.queue = 5;
    s.write_queue = 3;
    channel_t *c = channel(&s);
    uint32_t reads = 0, writes = 0;
    for (; dram_has_room(c->d, false); reads++)
        dram_read(c->d, 0, reads * UINT64_C(8192), 1, reads);
    for (; dram_has_room(c->d, true); writes++)
        dram_write(c->d, 0, writes * UINT64_C(8192), 1);
    assert_int_equal(reads, s.queue);
    assert_int_equal(writes, s.write_queue);
    while (dram_next_room(c->d) == CYCLE_NEVER)
        dram_run(c->d, dram_next(c->d));
    cycle_t room = dram_next_room(c->d);
    assert_false(dram_see_room(c->d, room - 1));
    assert_false(dram_has_room(c->d, false) || dram_has_room(c->d, true));
    assert_true(dram_see_room(c->d, room));
    assert_true(dram_has_room(c->d, false));
    assert_true(dram_has_room(c->d, true));
    finish(c);
    channel_free(c);
}

static void results_do_not_depend_on_how_often_it_is_run(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        dram_spec_t s = kind == 0 ? hbm() : gddr();
        channel_t *a = channel(&s), *b = channel(&s);
        assert_int_equal(mixed(a, 99, 0, false), mixed(b, 99, 0, true));
        assert_memory_equal(dram_stats(a->d), dram_stats(b->d), sizeof(dram_stats_t));
        const dram_stats_t *st = dram_stats(a->d);
        assert_int_equal(st->busy, (st->read_sectors + st->write_sectors) * burst_ticks(&s));
        channel_free(a);
        channel_free(b);
    }
}

static void a_loaded_channel_goes_on_exactly_as_the_saved_one(void **state)
{
    (void)state;
    dram_spec_t s = hbm();
    channel_t *a = channel(&s), *b = channel(&s);
    mixed(a, 7, 0, false);
    mixed(b, 8, 0, false);
    FILE *f = tmpfile();
    assert_int_equal(dram_save(a->d, f), 0);
    rewind(f);
    assert_int_equal(dram_load(b->d, f), 0);
    /* At once, while the last commands still bind: with rows open and the bus in some direction. */
    cycle_t start = cycle_max(a->now, b->now) + 1;
    assert_int_equal(mixed(a, 5, start, false), mixed(b, 5, start, false));
    rewind(f);
    s.banks = 8;
    channel_t *other = channel(&s);
    assert_int_equal(dram_load(other->d, f), -1);
    fclose(f);
    channel_free(a);
    channel_free(b);
    channel_free(other);
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
        cmocka_unit_test(write_recovery_delays_the_precharge),
        cmocka_unit_test(reads_go_before_writes_until_the_buffer_is_full),
        cmocka_unit_test(a_refresh_closes_the_rows_and_blocks_the_channel),
        cmocka_unit_test(an_idle_channel_catches_up_on_refreshes_without_events),
        cmocka_unit_test(the_smallest_legal_refresh_interval_still_lets_work_through),
        cmocka_unit_test(any_timings_serve_every_request),
        cmocka_unit_test(a_busy_channel_refreshes_on_time),
        cmocka_unit_test(row_hits_cannot_starve_an_old_request),
        cmocka_unit_test(perfect_takes_exactly_the_fixed_path),
        cmocka_unit_test(the_path_takes_no_more_than_the_controller_holds),
        cmocka_unit_test(results_do_not_depend_on_how_often_it_is_run),
        cmocka_unit_test(a_loaded_channel_goes_on_exactly_as_the_saved_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
