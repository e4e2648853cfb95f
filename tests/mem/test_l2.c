#include "tests/support/test.h"

#include "sim/core/engine/clock.h"
#include "sim/mem/dram.h"
#include "sim/mem/l2_tags.h"
#include "sim/parts/cache/cache_internal.h"
#include "tests/support/sim/mem_harness.h"

enum { ALL = 15 };

static uint32_t count(uint32_t sectors)
{
    return (uint32_t)__builtin_popcount(sectors);
}

/* Arrival at the SM of a reply of n flits that is ready at the slice's port at cycle t. */
static cycle_t flown(const mem_config_t *c, cycle_t t, uint32_t flits)
{
    return t + (flits - 1) / c->icnt.slice_flits + c->icnt.reply_latency;
}

/* Arrival at the slice of a request of n flits that leaves an idle SM port at cycle t. */
static cycle_t at_slice(const mem_config_t *c, cycle_t t, uint32_t flits)
{
    return t + (flits - 1) / c->icnt.sm_flits + c->icnt.request_latency;
}

static uint32_t data_flits(const mem_config_t *c, uint32_t sectors)
{
    return (count(sectors) * SECTOR_BYTES + c->icnt.flit_bytes - 1) / c->icnt.flit_bytes;
}

/* Reply time of a single request that does not need the DRAM. */
static cycle_t hit_time(const mem_config_t *c, cycle_t sent, uint32_t sectors)
{
    return flown(c, at_slice(c, sent, 1) + c->l2.latency, data_flits(c, sectors));
}

static const mem_harness_request_t *one(mem_harness_t *h, mem_op_t op, uint64_t line,
                                        uint8_t sectors)
{
    mem_msg_t m = mem_harness_message(op, line, sectors);
    uint32_t n = mem_harness_add(h, 0, mem_harness_now(h) + 5, &m);
    mem_harness_run(h);
    const mem_harness_request_t *r = mem_harness_request(h, n);
    assert_int_equal(r->delivered, sectors);
    return r;
}

static l2_stats_t stats_of(const mem_harness_t *h)
{
    l2_stats_t l2;
    dram_stats_t dram;
    mem_harness_stats(h, &l2, &dram);
    return l2;
}

static dram_stats_t dram_of(const mem_harness_t *h)
{
    l2_stats_t l2;
    dram_stats_t dram;
    mem_harness_stats(h, &l2, &dram);
    return dram;
}

static void an_unloaded_hit_takes_exactly_its_latency(void **state)
{
    (void)state;
    for (uint32_t width = 1; width <= 2; width++) {
        for (uint32_t latency = 1; latency <= 201; latency += 100) {
            mem_config_t c = mem_harness_config(1, 2);
            c.icnt.slice_flits = width;
            c.l2.latency = latency;
            mem_harness_t *h = mem_harness_create(&c, 2, 0);
            partition_memcpy(mem_harness_partition(h, 0), 0, 4096);
            for (uint8_t sectors = 1; sectors <= ALL; sectors++) {
                const mem_harness_request_t *r = one(h, MEM_READ, 1024, sectors);
                assert_int_equal(r->replied, hit_time(&c, r->sent, sectors));
                assert_int_equal(r->replies, 1);
            }
            assert_int_equal(dram_of(h).read_requests, 0);
            assert_int_equal(stats_of(h).read_hits, stats_of(h).read_sectors);
            mem_harness_destroy(h);
        }
    }
}

static void an_unloaded_miss_adds_what_the_dram_takes(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 1);
    mem_harness_t *h = mem_harness_create(&c, 1, 0);
    const mem_harness_request_t *r = one(h, MEM_READ, 0, 1);
    const dram_spec_t *d = &c.dram;
    clock_ratio_t clock = clock_ratio(c.core_mhz, d->clock_mhz);
    uint64_t act = clock_tick_from(&clock, at_slice(&c, r->sent, 1) + d->latency / 2);
    uint32_t burst = d->burst_bytes / (d->bus_bytes * d->data_rate);
    uint32_t gap = d->tCCDL > burst ? d->tCCDL : burst;
    uint64_t data = act + d->tRCD + (c.l2.fill_sectors - 1) * gap + d->tCL + burst;
    cycle_t fill = clock_cycle_from(&clock, data) + d->latency - d->latency / 2;
    assert_int_equal(r->replied, flown(&c, fill + c.l2.latency, 1));
    assert_int_equal(dram_of(h).read_latency, fill - at_slice(&c, r->sent, 1));
    mem_harness_destroy(h);
}

static void a_cold_scan_misses_once_per_fill_group(void **state)
{
    (void)state;
    for (uint32_t group = 1; group <= 4; group++) {
        mem_config_t c = mem_harness_config(1, 1);
        c.l2.fill_sectors = group;
        mem_harness_t *h = mem_harness_create(&c, 1, 0);
        for (uint32_t s = 0; s < SECTORS_PER_LINE; s++) {
            uint64_t hits = stats_of(h).read_hits;
            one(h, MEM_READ, 0, (uint8_t)(1u << s));
            assert_int_equal(stats_of(h).read_hits - hits, s % group != 0);
        }
        assert_int_equal(stats_of(h).fills, SECTORS_PER_LINE);
        const uint32_t fetches = (SECTORS_PER_LINE + group - 1) / group;
        assert_int_equal(stats_of(h).unasked_fills, SECTORS_PER_LINE - fetches);
        assert_int_equal(dram_of(h).read_requests, fetches);
        mem_harness_destroy(h);
    }
}

static void a_read_that_is_partly_there_is_answered_in_parts(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 1);
    mem_harness_t *h = mem_harness_create(&c, 1, 0);
    one(h, MEM_READ, 256, 1);
    const mem_harness_request_t *r = one(h, MEM_READ, 256, ALL);
    assert_int_equal(r->replies, 2);
    l2_stats_t s = stats_of(h);
    assert_int_equal(s.read_sectors, 5);
    assert_int_equal(s.read_hits, 2);
    assert_int_equal(s.fills, 4);
    assert_int_equal(s.unasked_fills, 1);
    mem_harness_destroy(h);
}

/* Khairy 2018, test mb2: C[i] and C[i + 1] are words of one sector. */
static void a_partly_written_sector_is_fetched_when_it_is_read(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 1);
    mem_harness_t *h = mem_harness_create(&c, 1, 0);
    for (uint32_t word = 0; word < 2; word++) {
        mem_msg_t m = mem_harness_message(MEM_WRITE, 512, 2);
        m.full = 0;
        m.bytes[1] = 15u << 4 * word;
        mem_harness_add(h, 0, mem_harness_now(h), &m);
        mem_harness_run(h);
        assert_int_equal(stats_of(h).write_hits, word);
        assert_int_equal(dram_of(h).read_requests, 0);
    }
    const mem_harness_request_t *r = one(h, MEM_READ, 512, 2);
    assert_true(r->replied > hit_time(&c, r->sent, 2));
    assert_int_equal(stats_of(h).partial_fetches, 1);
    assert_int_equal(stats_of(h).read_hits, 0);
    for (int i = 0; i < 2; i++) {
        r = one(h, MEM_READ, 512, 2);
        assert_int_equal(r->replied, hit_time(&c, r->sent, 2));
    }
    assert_int_equal(dram_of(h).read_requests, 1);
    assert_int_equal(dram_of(h).write_sectors, 0);
    mem_harness_destroy(h);
}

static void a_sector_written_in_pieces_needs_no_fetch_once_complete(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 1);
    mem_harness_t *h = mem_harness_create(&c, 1, 0);
    for (uint32_t piece = 0; piece < 4; piece++) {
        mem_msg_t m = mem_harness_message(MEM_WRITE, 0, 1);
        m.full = 0;
        m.bytes[0] = 0xffu << 8 * piece;
        mem_harness_add(h, 0, mem_harness_now(h), &m);
        mem_harness_run(h);
    }
    const mem_harness_request_t *r = one(h, MEM_READ, 0, 1);
    assert_int_equal(r->replied, hit_time(&c, r->sent, 1));
    assert_int_equal(dram_of(h).read_requests, 0);
    mem_harness_destroy(h);
}

static void a_write_is_acknowledged_like_a_hit_with_one_flit(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 1);
    mem_harness_t *h = mem_harness_create(&c, 1, 0);
    for (uint8_t sectors = 1; sectors <= ALL; sectors = (uint8_t)(2 * sectors + 1)) {
        const mem_harness_request_t *r = one(h, MEM_WRITE, 1280, sectors);
        cycle_t at = at_slice(&c, r->sent, count(sectors));
        assert_int_equal(r->replied, flown(&c, at + c.l2.latency, 1));
    }
    assert_int_equal(dram_of(h).read_requests, 0);
    mem_harness_destroy(h);
}

static void requests_for_a_line_under_way_are_merged(void **state)
{
    (void)state;
    const uint32_t n_sms = 8;
    mem_config_t c = mem_harness_config(1, 1);
    mem_harness_t *h = mem_harness_create(&c, n_sms, 0);
    mem_msg_t m = mem_harness_message(MEM_READ, 0, 3);
    for (uint32_t sm = 0; sm < n_sms; sm++)
        mem_harness_add(h, sm, 0, &m);
    mem_harness_run(h);
    assert_int_equal(stats_of(h).mshr_merges, n_sms - 1);
    assert_int_equal(dram_of(h).read_requests, 1);
    assert_int_equal(stats_of(h).fills, 2);
    for (uint32_t i = 0; i < n_sms; i++) {
        const mem_harness_request_t *r = mem_harness_request(h, i);
        assert_int_equal(r->delivered, 3);
        /* In order of arrival, one after the other through the reply port. */
        assert_int_equal(r->replied, mem_harness_request(h, 0)->replied +
                                         i * data_flits(&c, 3) / c.icnt.slice_flits);
    }
    mem_harness_destroy(h);
}

static void a_write_to_a_sector_under_way_survives_the_fill(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 1);
    mem_harness_t *h = mem_harness_create(&c, 1, 0);
    mem_msg_t read = mem_harness_message(MEM_READ, 0, 1);
    mem_msg_t write = mem_harness_message(MEM_WRITE, 0, 1);
    write.full = 0;
    write.bytes[0] = 1;
    mem_harness_add(h, 0, 0, &read);
    mem_harness_add(h, 0, 1, &write);
    mem_harness_run(h);
    const mem_harness_request_t *r = one(h, MEM_READ, 0, 1); /* merged by the fill */
    assert_int_equal(r->replied, hit_time(&c, r->sent, 1));
    assert_int_equal(dram_of(h).read_requests, 1);
    /* Evict it: the written byte must reach the DRAM. */
    uint64_t lines = c.l2.size / LINE_BYTES;
    for (uint64_t i = 1; i <= 4 * lines; i++) {
        read = mem_harness_message(MEM_READ, i * LINE_BYTES, 1);
        mem_harness_add(h, 0, mem_harness_now(h), &read);
    }
    mem_harness_run(h);
    assert_int_equal(dram_of(h).write_sectors, 1);
    mem_harness_destroy(h);
}

/* The tags may be touched while a sector is under way. Its line must not be there twice after it has come. */
static void a_line_touched_while_a_sector_is_under_way_is_there_once(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 1);
    mem_harness_t *h = mem_harness_create(&c, 1, 0);
    mem_msg_t read = mem_harness_message(MEM_READ, 0, 1);
    partition_t *p = mem_harness_partition(h, 0);
    mem_harness_add(h, 0, 0, &read);
    for (cycle_t until = 1; stats_of(h).requests == 0; until++)
        mem_harness_run_until(h, until);
    assert_int_equal(stats_of(h).fills, 0);
    l2_tags_t tags = partition_l2_tags(p, 0);
    cache_use(tags.cache, 0);
    mem_harness_run(h);
    assert_true(stats_of(h).fills > 0);
    assert_int_equal(cache_set_count(tags.cache, cache_set_of(tags.cache, 0)), 1);
    mem_harness_destroy(h);
}

static void an_atomic_takes_its_latency_and_its_conflicts(void **state)
{
    (void)state;
    for (uint32_t quarters = 4; quarters <= 12; quarters++) {
        mem_config_t c = mem_harness_config(1, 1);
        c.l2.atomic_interval = quarters / 4.0;
        mem_harness_t *h = mem_harness_create(&c, 1, 0);
        partition_memcpy(mem_harness_partition(h, 0), 0, 4096);
        for (uint8_t conflict = 1; conflict <= 32; conflict = (uint8_t)(2 * conflict)) {
            for (uint8_t sectors = 1; sectors <= ALL; sectors = (uint8_t)(2 * sectors + 1)) {
                for (int op = MEM_RED; op <= MEM_ATOMIC; op++) {
                    mem_msg_t m = mem_harness_message((mem_op_t)op, 128, sectors);
                    m.conflict = conflict;
                    uint32_t n = mem_harness_add(h, 0, mem_harness_now(h) + 3, &m);
                    mem_harness_run(h);
                    const mem_harness_request_t *r = mem_harness_request(h, n);
                    uint32_t sent = op == MEM_ATOMIC ? count(sectors) : 1;
                    uint32_t extra = (conflict - 1u) * quarters / 4;
                    if (extra < count(sectors) - 1)
                        extra = count(sectors) - 1;
                    cycle_t ready =
                        at_slice(&c, r->sent, sent) + c.l2.latency + c.l2.atomic_latency + extra;
                    uint32_t flits = op == MEM_ATOMIC ? data_flits(&c, sectors) : 1;
                    assert_int_equal(r->replied, flown(&c, ready, flits));
                }
            }
        }
        mem_harness_destroy(h);
    }
}

static void operations_on_one_word_come_one_per_cycle(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 1);
    c.l2.atomic_interval = 2; /* of the latency only */
    mem_harness_t *h = mem_harness_create(&c, 4, 0);
    partition_memcpy(mem_harness_partition(h, 0), 0, 4096);
    const uint32_t n = 200, conflict = 8;
    for (uint32_t i = 0; i < n; i++) {
        mem_msg_t m = mem_harness_message(MEM_RED, 0, 1);
        m.conflict = (uint8_t)conflict;
        mem_harness_add(h, i % 4, 0, &m);
    }
    mem_harness_run(h);
    cycle_t first = CYCLE_NEVER, last = 0;
    for (uint32_t i = 0; i < n; i++) {
        first = cycle_min(first, mem_harness_request(h, i)->replied);
        last = cycle_max(last, mem_harness_request(h, i)->replied);
    }
    assert_int_equal(last - first, (n - 1) * conflict);
    assert_true(stats_of(h).stall_atomic > 0);
    mem_harness_destroy(h);
}

static void an_atomic_on_an_absent_sector_fetches_and_dirties_it(void **state)
{
    (void)state;
    for (int twice = 0; twice < 2; twice++) {
        mem_config_t c = mem_harness_config(1, 1);
        mem_harness_t *h = mem_harness_create(&c, 1, 0);
        const mem_harness_request_t *r = one(h, MEM_ATOMIC, 0, 6); /* of two fill groups */
        assert_int_equal(r->replies, 1);
        assert_int_equal(stats_of(h).atomic_hits, 0);
        assert_int_equal(dram_of(h).read_requests, 2);
        if (twice) {
            one(h, MEM_ATOMIC, 0, 6);
            assert_int_equal(stats_of(h).atomic_hits, 2);
        }
        uint64_t lines = c.l2.size / LINE_BYTES;
        for (uint64_t i = 1; i <= 4 * lines; i++) {
            mem_msg_t m = mem_harness_message(MEM_READ, i * LINE_BYTES, 1);
            mem_harness_add(h, 0, mem_harness_now(h), &m);
        }
        mem_harness_run(h);
        assert_int_equal(dram_of(h).write_sectors, 2);
        mem_harness_destroy(h);
    }
}

static void the_sectors_of_a_hit_hold_the_input(void **state)
{
    (void)state;
    for (uint32_t width = 1; width <= 4; width *= 2) {
        for (uint8_t sectors = 1; sectors <= ALL; sectors = (uint8_t)(2 * sectors + 1)) {
            mem_config_t c = mem_harness_config(1, 1);
            c.icnt.slice_flits = width;
            mem_harness_t *h = mem_harness_create(&c, 2, 0);
            partition_memcpy(mem_harness_partition(h, 0), 0, 4096);
            mem_msg_t read = mem_harness_message(MEM_READ, 0, sectors);
            mem_msg_t atomic = mem_harness_message(MEM_RED, 128, 1);
            mem_harness_add(h, 0, 0, &read);
            mem_harness_add(h, 1, 0, &atomic);
            mem_harness_run(h);
            cycle_t at = at_slice(&c, 0, 1) + count(sectors) / width;
            assert_int_equal(mem_harness_request(h, 1)->replied,
                             flown(&c, at + c.l2.latency + c.l2.atomic_latency, 1));
            mem_harness_destroy(h);
        }
    }
}

static void hits_stream_at_the_width_of_the_slice(void **state)
{
    (void)state;
    for (uint32_t width = 1; width <= 2; width++) {
        mem_config_t c = mem_harness_config(1, 1);
        c.icnt.slice_flits = width;
        const uint32_t n_sms = 8, each = 200;
        mem_harness_t *h = mem_harness_create(&c, n_sms, 0);
        partition_memcpy(mem_harness_partition(h, 0), 0, 8192);
        for (uint32_t i = 0; i < n_sms * each; i++) {
            mem_msg_t m = mem_harness_message(MEM_READ, i % 64 * LINE_BYTES, ALL);
            mem_harness_add(h, i % n_sms, 0, &m);
        }
        mem_harness_run(h);
        cycle_t last = 0;
        for (uint32_t i = 0; i < n_sms * each; i++)
            last = cycle_max(last, mem_harness_request(h, i)->replied);
        uint32_t sectors = n_sms * each * SECTORS_PER_LINE;
        assert_int_equal(last,
                         flown(&c, at_slice(&c, 0, 1) + c.l2.latency + (sectors - 1) / width, 1));
        assert_int_equal(stats_of(h).data_sectors, sectors);
        mem_harness_destroy(h);
    }
}

static void a_slice_with_a_slower_clock_moves_as_much_less(void **state)
{
    (void)state;
    const struct {
        double clock_mhz;
        uint32_t sectors, cycles; /* in which the core has as many cycles */
    } at[] = {{0, 1, 1}, {2760, 1, 1}, {1380, 1, 1}, {690, 1, 2}, {1104, 4, 5}, {1035, 3, 4}};
    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        mem_config_t c = mem_harness_config(1, 1);
        c.l2.clock_mhz = at[i].clock_mhz;
        const uint32_t n_sms = 4, each = 240, last = n_sms * each - 1;
        mem_harness_t *h = mem_harness_create(&c, n_sms, 0);
        partition_memcpy(mem_harness_partition(h, 0), 0, 8192);
        for (uint32_t n = 0; n <= last; n++) {
            mem_msg_t m = mem_harness_message(MEM_READ, n % 64 * LINE_BYTES, 1);
            mem_harness_add(h, n % n_sms, 0, &m);
        }
        mem_harness_run(h);
        /* Each sector but the last one delays the next one. */
        cycle_t begin = at_slice(&c, 0, 1) + last / at[i].sectors * at[i].cycles +
                        last % at[i].sectors * at[i].cycles / at[i].sectors;
        cycle_t replied = 0;
        for (uint32_t n = 0; n <= last; n++)
            replied = cycle_max(replied, mem_harness_request(h, n)->replied);
        assert_int_equal(replied, flown(&c, begin + c.l2.latency, 1));
        mem_harness_destroy(h);
    }
}

static void a_perfect_l2_hits_from_the_first_access(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 2);
    c.l2.perfect = true;
    mem_harness_t *h = mem_harness_create(&c, 1, 0);
    for (uint64_t i = 0; i < 20; i++) {
        const mem_harness_request_t *r = one(h, MEM_READ, i * 8192, ALL);
        assert_int_equal(r->replied, hit_time(&c, r->sent, ALL));
        r = one(h, MEM_ATOMIC, i * 8192, 1);
        assert_int_equal(r->replied, hit_time(&c, r->sent, 1) + c.l2.atomic_latency);
        r = one(h, MEM_WRITE, i * 8192, ALL);
        assert_int_equal(r->replied, flown(&c, at_slice(&c, r->sent, 4) + c.l2.latency, 1));
    }
    l2_stats_t s = stats_of(h);
    assert_int_equal(s.read_hits, s.read_sectors);
    assert_int_equal(s.write_hits, s.write_sectors);
    assert_int_equal(s.atomic_hits, s.atomic_sectors);
    assert_int_equal(dram_of(h).read_sectors + dram_of(h).write_sectors, 0);
    mem_harness_destroy(h);
}

static void a_perfect_dram_adds_exactly_its_latency(void **state)
{
    (void)state;
    for (uint32_t latency = 0; latency <= 100; latency += 50) {
        mem_config_t c = mem_harness_config(1, 1);
        c.dram.perfect = true;
        c.dram.latency = latency;
        mem_harness_t *h = mem_harness_create(&c, 1, 0);
        for (uint64_t i = 0; i < 20; i++) {
            const mem_harness_request_t *r = one(h, MEM_READ, i * 65536, 1);
            assert_int_equal(r->replied, hit_time(&c, r->sent, 1) + latency);
        }
        mem_harness_destroy(h);
    }
}

static void a_perfect_crossbar_has_only_its_flight(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 1);
    c.icnt.perfect = true;
    c.l2.perfect = true;
    const uint32_t n_sms = 16;
    mem_harness_t *h = mem_harness_create(&c, n_sms, 0);
    for (uint32_t sm = 0; sm < n_sms; sm++) {
        for (uint32_t i = 0; i < 10; i++) {
            mem_msg_t m = mem_harness_message(i % 2 ? MEM_READ : MEM_WRITE, i * 128, ALL);
            mem_harness_add(h, sm, 4, &m);
        }
    }
    mem_harness_run(h);
    for (uint32_t i = 0; i < mem_harness_count(h); i++)
        assert_int_equal(mem_harness_request(h, i)->replied,
                         4 + c.icnt.request_latency + c.l2.latency + c.icnt.reply_latency);
    mem_harness_destroy(h);
}

static void sources_are_told_apart(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 1);
    mem_harness_t *h = mem_harness_create(&c, 1, 0);
    for (uint8_t src = MEM_SRC_GLOBAL; src < MEM_SRC_COUNT; src++) {
        mem_msg_t m = mem_harness_message(MEM_READ, src * UINT64_C(1024), 7);
        m.src = src;
        mem_harness_add(h, 0, 0, &m);
    }
    mem_harness_run(h);
    assert_int_equal(stats_of(h).inst_sectors, 6);
    assert_int_equal(stats_of(h).local_sectors, 3);
    assert_int_equal(stats_of(h).requests, MEM_SRC_COUNT);
    mem_harness_destroy(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unloaded_hit_takes_exactly_its_latency),
        cmocka_unit_test(an_unloaded_miss_adds_what_the_dram_takes),
        cmocka_unit_test(a_cold_scan_misses_once_per_fill_group),
        cmocka_unit_test(a_read_that_is_partly_there_is_answered_in_parts),
        cmocka_unit_test(a_partly_written_sector_is_fetched_when_it_is_read),
        cmocka_unit_test(a_sector_written_in_pieces_needs_no_fetch_once_complete),
        cmocka_unit_test(a_write_is_acknowledged_like_a_hit_with_one_flit),
        cmocka_unit_test(requests_for_a_line_under_way_are_merged),
        cmocka_unit_test(a_write_to_a_sector_under_way_survives_the_fill),
        cmocka_unit_test(a_line_touched_while_a_sector_is_under_way_is_there_once),
        cmocka_unit_test(an_atomic_takes_its_latency_and_its_conflicts),
        cmocka_unit_test(operations_on_one_word_come_one_per_cycle),
        cmocka_unit_test(an_atomic_on_an_absent_sector_fetches_and_dirties_it),
        cmocka_unit_test(the_sectors_of_a_hit_hold_the_input),
        cmocka_unit_test(hits_stream_at_the_width_of_the_slice),
        cmocka_unit_test(a_slice_with_a_slower_clock_moves_as_much_less),
        cmocka_unit_test(a_perfect_l2_hits_from_the_first_access),
        cmocka_unit_test(a_perfect_dram_adds_exactly_its_latency),
        cmocka_unit_test(a_perfect_crossbar_has_only_its_flight),
        cmocka_unit_test(sources_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
