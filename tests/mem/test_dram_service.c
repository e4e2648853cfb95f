#include "tests/support/sim/dram_channel.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static void reads_go_before_writes_until_the_buffer_is_full(void **state)
{
    (void)state;
    dram_spec_t s = dram_hbm();
    s.tREFI = 0;
    dram_channel_t *c = dram_channel_create(&s);
    /* Fewer writes than the high mark, and one read: the read is served as if alone. */
    for (uint32_t i = 0; i + 1 < s.write_high; i++)
        dram_write(c->d, 0, dram_channel_place(c, 4, 0, i % 8), 1);
    dram_read(c->d, 0, dram_channel_place(c, 5, 0, 0), 1, 0);
    dram_channel_finish(c);
    assert_int_equal(c->done[0], dram_back(c, dram_arrival_tick(c, 0) + s.tRCD));
    assert_int_equal(dram_stats(c->d)->turnarounds, 1); /* the bus is in reading direction first */
    dram_channel_free(c);
    /* At the high mark, writes are served first, down to the low mark. */
    c = dram_channel_create(&s);
    for (uint32_t i = 0; i < s.write_high; i++)
        dram_write(c->d, 0, dram_channel_place(c, 4, 0, i % 8), 1);
    dram_read(c->d, 0, dram_channel_place(c, 4, 0, 0), 1, 0);
    dram_channel_finish(c);
    uint64_t w = dram_last_column(&s, dram_arrival_tick(c, 0) + s.tRCD, s.write_high - s.write_low);
    assert_int_equal(c->done[0], dram_back(c, w + s.tWL + dram_burst_ticks(&s) + s.tCDLR));
    assert_int_equal(dram_stats(c->d)->write_sectors, s.write_high);
    assert_int_equal(dram_stats(c->d)->turnarounds, 3);
    dram_channel_free(c);
}

/* The first column command of a channel that has not moved any data is the one of tick t. */
static void assert_first_column(dram_channel_t *c, uint64_t t)
{
    cycle_t at = clock_cycle_from(&c->clock, t);
    dram_channel_advance(c, at - 1);
    assert_int_equal(dram_stats(c->d)->write_sectors, 3);
    assert_int_equal(dram_stats(c->d)->busy, c->n_done * dram_burst_ticks(&c->spec));
    dram_channel_advance(c, at);
    assert_int_equal(dram_stats(c->d)->busy, (c->n_done + 1) * dram_burst_ticks(&c->spec));
}

/* Three writes, and with `read` one read at the same time: they are drained write_wait after the
 * last tick at which the read waits, or after the first write. */
static void few_writes_wait_until_no_read_has_waited_for_long(void **state)
{
    (void)state;
    for (uint32_t wait = 100; wait <= 10000; wait *= 10) {
        for (uint32_t read = 0; read < 2; read++) {
            dram_spec_t s = dram_hbm();
            s.latency = s.tREFI = 0;
            s.write_wait = wait;
            dram_channel_t *c = dram_channel_create(&s);
            for (uint32_t i = 0; i < 3; i++)
                dram_write(c->d, 0, dram_channel_place(c, 4, 0, i), 1);
            if (read)
                dram_read(c->d, 0, dram_channel_place(c, 5, 0, 0), 1, 0);
            uint64_t since = dram_arrival_tick(c, 0) + (read ? s.tRCD : 0);
            dram_channel_advance(c, read ? dram_back(c, since) : 0);
            assert_int_equal(c->n_done, read);
            assert_first_column(c, since + wait + s.tRCD);
            dram_channel_finish(c);
            assert_int_equal(dram_stats(c->d)->busy, (3 + read) * dram_burst_ticks(&s));
            dram_channel_free(c);
        }
    }
}

/* A stream of reads that never lets the channel rest, and writes below the high mark: none is
 * served, until one more makes it. */
static void writes_below_the_high_mark_do_not_disturb_a_stream_of_reads(void **state)
{
    (void)state;
    dram_spec_t s = dram_hbm();
    s.tREFI = 0;
    dram_channel_t *c = dram_channel_create(&s);
    uint32_t n = 0;
    for (uint32_t more = 0; more < 2; more++) {
        const uint32_t writes = more ? 1 : s.write_high - 1;
        for (uint32_t i = 0; i < writes; i++)
            dram_write(c->d, c->now, dram_channel_place(c, 4, 0, i % 8), 1);
        for (uint32_t cycle = 0; cycle < 5000; cycle++) {
            for (; dram_has_room(c->d, false); n++)
                dram_read(c->d, c->now, dram_in_order(n), 1, n);
            dram_channel_advance(c, c->now + 1);
        }
        assert_int_equal(dram_waiting(c->d, true, c->now), 0); /* all are in the buffer */
        assert_int_equal(dram_stats(c->d)->turnarounds, more ? 2 : 0);
    }
    dram_channel_finish(c);
    assert_int_equal(dram_stats(c->d)->turnarounds, 3);
    dram_channel_free(c);
}

/* Writes four sectors, the first n of them in part, and reads one of the same row meanwhile. Returns the tick of the
 * first column command. */
static uint64_t write_then_read(dram_channel_t *c, const dram_spec_t *s, uint32_t n)
{
    dram_write_part(c->d, 0, dram_channel_place(c, 1, 0, 0), 15, (1u << n) - 1);
    const uint64_t first = dram_arrival_tick(c, 0) + s->tRCD;
    const cycle_t sent = clock_cycle_from(&c->clock, first + 1) - s->latency / 2;
    dram_channel_advance(c, sent);
    dram_read(c->d, sent, dram_channel_place(c, 1, 0, 1), 1, 0);
    dram_channel_finish(c);
    return first;
}

/* Without error correction, the mask of a burst delays the next column command; seen by a read of the same row
 * that waits for the write. */
static void the_mask_of_a_burst_takes_the_command_bus(void **state)
{
    (void)state;
    for (uint32_t n = 0; n <= 4; n++) {
        dram_spec_t s = dram_hbm();
        s.tREFI = s.write_wait = s.write_low = 0;
        s.tCCDM = 20;
        dram_channel_t *c = dram_channel_create(&s);
        const uint32_t bl = dram_burst_ticks(&s);
        const uint64_t first = write_then_read(c, &s, n);
        const uint64_t to_read = s.tWL + bl + s.tCDLR;
        const uint64_t ready = n == 4 ? first + 4 * s.tCCDM
                                      : dram_last_column(&s, first + n * s.tCCDM, 4 - n) + to_read;
        assert_true(to_read < s.tCCDM);
        assert_int_equal(c->done[0], dram_back(c, ready));
        assert_int_equal(dram_stats(c->d)->read_sectors, 1);
        assert_int_equal(dram_stats(c->d)->busy, 5 * bl);
        dram_channel_free(c);
    }
}

/* Each burst of a write that must be read first turns the bus to reading and back; seen by a read
 * of the same row that waits for the write. */
static void bursts_that_are_read_first_turn_the_bus_twice(void **state)
{
    (void)state;
    for (uint32_t n = 0; n <= 4; n++) {
        dram_spec_t s = dram_hbm();
        s.ecc = true;
        s.tREFI = s.write_wait = s.write_low = 0;
        dram_channel_t *c = dram_channel_create(&s);
        const uint32_t bl = dram_burst_ticks(&s);
        const uint64_t first = write_then_read(c, &s, n);
        const uint64_t to_write = s.tCL + bl + s.tRTW - s.tWL, to_read = s.tWL + bl + s.tCDLR;
        const uint64_t last_partial = first + n * to_write + (n > 0 ? (n - 1) * to_read : 0);
        const uint64_t last =
            n == 0 ? dram_last_column(&s, first, 4) : dram_last_column(&s, last_partial, 5 - n);
        assert_int_equal(c->done[0], dram_back(c, last + to_read));
        const dram_stats_t *st = dram_stats(c->d);
        assert_int_equal(st->read_sectors, n + 1);
        assert_int_equal(st->write_sectors, 4);
        assert_int_equal(st->busy, (n + 5) * bl);
        assert_int_equal(st->turnarounds, 2 + (n > 0 ? 2 * (n - 1) : 0));
        dram_channel_free(c);
    }
}

static void check_refresh(const dram_spec_t *s)
{
    for (int open = 0; open < 2; open++) {
        dram_channel_t *c = dram_channel_create(s);
        if (open) {
            dram_read(c->d, 0, dram_channel_place(c, 0, 0, 0), 1, 0);
            dram_channel_finish(c);
        }
        /* Arrives while the refresh is under way. */
        cycle_t sent = clock_cycle_from(&c->clock, s->tREFI + 1) - s->latency / 2;
        dram_channel_advance(c, sent);
        dram_read(c->d, sent, dram_channel_place(c, 0, 0, 0), 1, 1);
        dram_channel_finish(c);
        uint64_t act = s->tREFI + (open ? s->tRP : 0) + s->tRFC;
        assert_true(dram_arrival_tick(c, sent) < act);
        assert_int_equal(c->done[1], dram_back(c, act + s->tRCD));
        assert_int_equal(dram_stats(c->d)->refreshes, 1);
        assert_int_equal(dram_stats(c->d)->row_misses, open + 1);
        dram_channel_free(c);
    }
}

static void a_refresh_closes_the_rows_and_blocks_the_channel(void **state)
{
    (void)state;
    dram_each_kind(check_refresh);
}

/* With refreshes of single banks: the first one is for bank 0, and delays no other bank. */
static void a_refresh_of_one_bank_blocks_that_bank(void **state)
{
    (void)state;
    dram_spec_t s = dram_hbm();
    s.tRFCSB = s.tRFC / 2;
    for (uint32_t bank = 0; bank < 2; bank++) {
        for (int open = 0; open < 2; open++) {
            dram_channel_t *c = dram_channel_create(&s);
            uint64_t due = s.tREFI / s.banks;
            if (open) {
                dram_read(c->d, 0, dram_channel_place(c, bank, 0, 0), 1, 0);
                dram_channel_finish(c);
            }
            cycle_t sent = clock_cycle_from(&c->clock, due + 1) - s.latency / 2;
            dram_channel_advance(c, sent);
            dram_read(c->d, sent, dram_channel_place(c, bank, 0, 0), 1, 1);
            dram_channel_finish(c);
            uint64_t refreshed = due + (open ? s.tRP : 0) + s.tRFCSB;
            uint64_t row =
                bank == 0 ? refreshed + s.tRCD : dram_arrival_tick(c, sent) + (open ? 0 : s.tRCD);
            assert_true(dram_arrival_tick(c, sent) < refreshed);
            assert_int_equal(c->done[1], dram_back(c, row));
            assert_int_equal(dram_stats(c->d)->refreshes, 1);
            dram_channel_free(c);
        }
    }
}

static void an_idle_channel_catches_up_on_refreshes_without_events(void **state)
{
    (void)state;
    dram_spec_t s = dram_hbm();
    dram_channel_t *c = dram_channel_create(&s);
    assert_true(dram_next(c->d) == CYCLE_NEVER);
    const uint64_t passed = 1000000;
    cycle_t sent = clock_cycle_from(&c->clock, passed * s.tREFI + s.tREFI / 2);
    dram_channel_advance(c, sent);
    dram_read(c->d, sent, 0, 1, 0);
    dram_channel_finish(c);
    assert_int_equal(dram_stats(c->d)->refreshes, passed);
    assert_int_equal(c->done[0], dram_back(c, dram_arrival_tick(c, sent) + s.tRCD));
    dram_channel_free(c);
}

/* Random reads and writes in bursts. after: first cycle. Returns a hash of the replies. */
static uint64_t mixed(dram_channel_t *c, uint64_t seed, cycle_t after, bool every_cycle)
{
    memset(c->done, 0, DRAM_CHANNEL_TOKENS * sizeof(*c->done));
    uint64_t x = seed;
    uint32_t n = 0;
    for (uint32_t i = 0; i < 4000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        after += x % 32 == 0 ? x >> 8 & 1023 : x >> 8 & 3;
        if (every_cycle) {
            while (c->now < after)
                dram_channel_advance(c, c->now + 1);
        }
        dram_channel_advance(c, after);
        bool write = x >> 20 & 1;
        uint64_t local = (x >> 24 & 0xfffff) * 64;
        if (!dram_has_room(c->d, write))
            continue;
        if (write)
            dram_write_part(c->d, after, local, 15, x >> 50 & x >> 55 & 15);
        else
            dram_read(c->d, after, local, 1 + (x >> 50 & 14), n++);
    }
    dram_channel_finish(c);
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
        dram_spec_t s = kind == 0 ? dram_hbm() : dram_gddr();
        s.tREFI = (uint32_t)dram_min_refresh(&s);
        dram_channel_t *c = dram_channel_create(&s);
        uint64_t ticks = dram_saturate(c, 2000, 15, false, dram_scattered);
        assert_int_equal(c->n_done, 2000);
        assert_true(dram_stats(c->d)->refreshes + 1 >= ticks / s.tREFI);
        dram_saturate(c, 2000, 15, true, dram_scattered);
        dram_channel_free(c);
    }
}

/* Random timings: all requests are answered, and no visible constraint is violated. */
static void any_timings_serve_every_request(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252u;
    for (int round = 0; round < 60; round++) {
        dram_spec_t s = dram_hbm();
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
        s.write_wait = (uint32_t)(x >> 5) % 200;
        s.ecc = x >> 61 & 1;
        s.tCCDM = (uint32_t)(x >> 30) % 40;
        s.tREFI = x >> 60 & 1 ? (uint32_t)dram_min_refresh(&s) + 50 : 0;
        dram_channel_t *a = dram_channel_create(&s), *b = dram_channel_create(&s);
        assert_int_equal(mixed(a, 1000 + (uint64_t)round, 0, false),
                         mixed(b, 1000 + (uint64_t)round, 0, true));
        const dram_stats_t *st = dram_stats(a->d);
        assert_memory_equal(st, dram_stats(b->d), sizeof(*st));
        assert_true(st->activates >= st->row_misses + st->row_conflicts);
        assert_true(st->activates - st->precharges <= s.banks);
        dram_channel_free(a);
        dram_channel_free(b);
    }
}

static void a_busy_channel_refreshes_on_time(void **state)
{
    (void)state;
    dram_spec_t s = dram_hbm();
    dram_channel_t *c = dram_channel_create(&s);
    uint64_t ticks = dram_saturate(c, 50000, 3, false, dram_in_order);
    uint64_t due = ticks / s.tREFI;
    assert_true(due > 20);
    uint64_t refreshes = dram_stats(c->d)->refreshes;
    assert_true(refreshes == due || refreshes + 1 == due);
    dram_channel_free(c);
}

/* Times are stored relative to a moving base: after a long pause nothing must have changed. */
static void after_any_pause_a_channel_goes_on_alike(const dram_spec_t *spec)
{
    const uint64_t pauses[] = {1 << 16, UINT64_C(1) << 31,
                               UINT64_C(5) << 40 | 3u << 30}; /* ticks */
    uint64_t ticks[3];
    dram_stats_t stats[3];
    for (uint32_t i = 0; i < 3; i++) {
        dram_spec_t s = *spec;
        s.tREFI = 0;
        dram_channel_t *c = dram_channel_create(&s);
        dram_saturate(c, 2000, 3, true, dram_scattered);
        for (uint32_t again = 0; again < 2; again++) {
            c->now += (pauses[i] / c->clock.other + 1) * c->clock.core; /* whole ticks */
            ticks[i] = dram_saturate(c, 2000, 3, true, dram_in_order);
            ticks[i] += dram_saturate(c, 2000, 3, false, dram_scattered);
            memset(c->done, 0, DRAM_CHANNEL_TOKENS * sizeof(*c->done));
        }
        stats[i] = *dram_stats(c->d);
        dram_channel_free(c);
        assert_int_equal(ticks[i], ticks[0]);
        assert_memory_equal(&stats[i], &stats[0], sizeof(stats[0]));
    }
}

static void a_pause_of_any_length_changes_nothing(void **state)
{
    (void)state;
    dram_each_kind(after_any_pause_a_channel_goes_on_alike);
}

static void row_hits_cannot_starve_an_old_request(void **state)
{
    (void)state;
    for (uint32_t limit = 100; limit <= 1600; limit *= 4) {
        dram_spec_t s = dram_hbm();
        s.age_limit = limit;
        s.tREFI = 0;
        dram_channel_t *c = dram_channel_create(&s);
        dram_read(c->d, 0, dram_channel_place(c, 7, 0, 0), 1, 0);
        dram_channel_advance(c, s.latency);
        dram_read(c->d, c->now, dram_channel_place(c, 7, 1, 0), 1, 1); /* the victim */
        cycle_t sent = c->now;
        uint32_t i = 2;
        while (c->done[1] == 0 && i < DRAM_CHANNEL_TOKENS) {
            for (; dram_has_room(c->d, false) && i < DRAM_CHANNEL_TOKENS; i++)
                dram_read(c->d, c->now, dram_channel_place(c, 7, 0, i % 8), 1, i);
            dram_channel_advance(c, c->now + 1);
        }
        assert_true(i < DRAM_CHANNEL_TOKENS);
        /* Hits are served until the limit, then the row changes without delay. */
        uint64_t change = s.tRTP + s.tRP + s.tRCD;
        uint64_t least = dram_arrival_tick(c, sent) + limit + change;
        uint64_t most = least + 2 * dram_last_column(&s, 0, 2);
        assert_true(c->done[1] >= dram_back(c, least));
        assert_true(c->done[1] <= dram_back(c, most));
        dram_channel_finish(c);
        assert_int_equal(c->n_done, i);
        dram_channel_free(c);
    }
}

static void perfect_takes_exactly_the_fixed_path(void **state)
{
    (void)state;
    dram_spec_t s = dram_hbm();
    s.perfect = true;
    dram_channel_t *c = dram_channel_create(&s);
    dram_channel_advance(c, 10);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(dram_has_room(c->d, false) && dram_has_room(c->d, true));
        dram_read(c->d, 10, i * UINT64_C(1000000) & ~UINT64_C(63), 3, i);
        dram_write(c->d, 10, i * UINT64_C(77777) & ~UINT64_C(63), 3);
    }
    dram_channel_finish(c);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(c->done[i], 10 + s.latency);
    assert_int_equal(dram_stats(c->d)->read_sectors, 2000);
    assert_int_equal(dram_stats(c->d)->write_sectors, 2000);
    dram_channel_free(c);
}

static void the_path_takes_no_more_than_the_controller_holds(void **state)
{
    (void)state;
    dram_spec_t s = dram_hbm();
    s.queue = 5;
    s.write_queue = 3;
    dram_channel_t *c = dram_channel_create(&s);
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
    assert_int_equal(dram_waiting(c->d, false, room), s.queue);
    assert_int_equal(dram_waiting(c->d, true, room), s.write_queue);
    uint32_t waiting = dram_waiting(c->d, false, room + 1);
    assert_true(waiting < s.queue);
    assert_true(dram_see_room(c->d, room));
    assert_int_equal(dram_waiting(c->d, false, room + 1), waiting);
    assert_true(dram_has_room(c->d, false));
    assert_true(dram_has_room(c->d, true));
    dram_channel_finish(c);
    dram_channel_free(c);
}

static void results_do_not_depend_on_how_often_it_is_run(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        dram_spec_t s = kind == 0 ? dram_hbm() : dram_gddr();
        dram_channel_t *a = dram_channel_create(&s), *b = dram_channel_create(&s);
        assert_int_equal(mixed(a, 99, 0, false), mixed(b, 99, 0, true));
        assert_memory_equal(dram_stats(a->d), dram_stats(b->d), sizeof(dram_stats_t));
        const dram_stats_t *st = dram_stats(a->d);
        assert_int_equal(st->busy, (st->read_sectors + st->write_sectors) * dram_burst_ticks(&s));
        dram_channel_free(a);
        dram_channel_free(b);
    }
}

static void a_loaded_channel_goes_on_exactly_as_the_saved_one(void **state)
{
    (void)state;
    dram_spec_t s = dram_hbm();
    dram_channel_t *a = dram_channel_create(&s), *b = dram_channel_create(&s);
    mixed(a, 7, 0, false);
    mixed(b, 8, 0, false);
    FILE *f = tmpfile();
    assert_int_equal(dram_save(a->d, f), 0);
    rewind(f);
    assert_int_equal(dram_load(b->d, f, 1u << 30), 0);
    /* Immediately, while the constraints of the last commands still apply: with open rows and
     * any bus direction. */
    cycle_t start = cycle_max(a->now, b->now) + 1;
    assert_int_equal(mixed(a, 5, start, false), mixed(b, 5, start, false));
    rewind(f);
    s.banks = 8;
    dram_channel_t *other = dram_channel_create(&s);
    assert_int_equal(dram_load(other->d, f, 1u << 30), -1);
    fclose(f);
    dram_channel_free(a);
    dram_channel_free(b);
    dram_channel_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_go_before_writes_until_the_buffer_is_full),
        cmocka_unit_test(few_writes_wait_until_no_read_has_waited_for_long),
        cmocka_unit_test(writes_below_the_high_mark_do_not_disturb_a_stream_of_reads),
        cmocka_unit_test(the_mask_of_a_burst_takes_the_command_bus),
        cmocka_unit_test(bursts_that_are_read_first_turn_the_bus_twice),
        cmocka_unit_test(a_refresh_closes_the_rows_and_blocks_the_channel),
        cmocka_unit_test(a_refresh_of_one_bank_blocks_that_bank),
        cmocka_unit_test(an_idle_channel_catches_up_on_refreshes_without_events),
        cmocka_unit_test(the_smallest_legal_refresh_interval_still_lets_work_through),
        cmocka_unit_test(any_timings_serve_every_request),
        cmocka_unit_test(a_busy_channel_refreshes_on_time),
        cmocka_unit_test(a_pause_of_any_length_changes_nothing),
        cmocka_unit_test(row_hits_cannot_starve_an_old_request),
        cmocka_unit_test(perfect_takes_exactly_the_fixed_path),
        cmocka_unit_test(the_path_takes_no_more_than_the_controller_holds),
        cmocka_unit_test(results_do_not_depend_on_how_often_it_is_run),
        cmocka_unit_test(a_loaded_channel_goes_on_exactly_as_the_saved_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
