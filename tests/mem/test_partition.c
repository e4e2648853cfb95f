#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/sim/mem_harness.h"

enum { ALL = 15 };

static uint64_t rng_state;

static uint64_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return rng_state;
}

/* All resources are small, so that every queue fills. */
static mem_config_t scarce(void)
{
    mem_config_t c = mem_harness_config(2, 2);
    c.l2.ways = 2;
    c.l2.size = (uint64_t)c.l2.slices * c.l2.ways * 8 * LINE_BYTES;
    c.l2.mshrs = 4;
    c.l2.mshr_merge = 2;
    c.l2.reply_queue = 2;
    c.l2.atomic_interval = 4;
    c.dram.queue = 3;
    c.dram.write_queue = 2;
    c.dram.write_high = 2;
    c.dram.write_low = 1;
    c.icnt.credit_batch = 4;
    c.icnt.buffer = 24;
    return c;
}

/* Random requests of all kinds over some lines; returns the sectors asked for by kind. */
static void add_traffic(mem_harness_t *h, uint32_t n_sms, uint32_t n, uint64_t lines, uint64_t seed,
                        uint64_t sectors[4])
{
    rng_state = seed;
    cycle_t at[64] = {0};
    cycle_t start = mem_harness_now(h);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t x = rng();
        static const uint8_t ops[8] = {MEM_READ,  MEM_READ,  MEM_READ, MEM_READ,
                                       MEM_WRITE, MEM_WRITE, MEM_RED,  MEM_ATOMIC};
        mem_msg_t m = mem_harness_message(ops[x & 7], (x >> 8) % lines * LINE_BYTES,
                                          (uint8_t)(1 + (x >> 40) % 15));
        m.conflict = (uint8_t)(1 + (x >> 44) % 8);
        if (m.op == MEM_WRITE && (x >> 48 & 1)) {
            m.full = 0;
            for (uint32_t s = 0; s < SECTORS_PER_LINE; s++)
                m.bytes[s] &= (uint32_t)rng();
        }
        uint32_t sm = (uint32_t)(x >> 50) % n_sms;
        at[sm] += x >> 56 & 3;
        mem_harness_add(h, sm, start + at[sm], &m);
        sectors[m.op] += (uint32_t)__builtin_popcount(m.sectors);
    }
}

static void everything_asked_for_is_answered_once_whatever_is_scarce(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        mem_config_t c = scarce();
        c.l2.fill_sectors = 1 + (uint32_t)seed % 4;
        c.l2.halves = 1 + (uint32_t)seed % 2;
        c.l2.far_latency = 37;
        c.dram.queue = 1 + (uint32_t)seed % 3;
        mem_harness_t *h = mem_harness_create(&c, 5, 0);
        uint64_t sectors[4] = {0};
        add_traffic(h, 5, 6000, 300, seed * 77777, sectors);
        mem_harness_run(h);
        for (uint32_t i = 0; i < mem_harness_count(h); i++) {
            const mem_harness_request_t *r = mem_harness_request(h, i);
            assert_int_equal(r->delivered, r->mem.sectors);
            assert_true(r->replied >=
                        r->sent + c.icnt.request_latency + c.l2.latency + c.icnt.reply_latency);
        }
        l2_stats_t l2;
        dram_stats_t dram;
        mem_harness_stats(h, &l2, &dram);
        assert_int_equal(l2.requests, mem_harness_count(h));
        assert_int_equal(l2.read_sectors, sectors[MEM_READ]);
        assert_int_equal(l2.write_sectors, sectors[MEM_WRITE]);
        assert_int_equal(l2.red_sectors, sectors[MEM_RED]);
        assert_int_equal(l2.atomic_sectors, sectors[MEM_ATOMIC]);
        assert_int_equal(l2.fills, dram.read_sectors);
        assert_int_equal(l2.writebacks, dram.write_sectors);
        const uint64_t once =
            l2.read_hits + l2.atomic_hits + l2.red_hits + l2.write_sectors + l2.fills;
        assert_true(c.l2.halves == 1 ? l2.data_sectors == once
                                     : l2.data_sectors > once && l2.data_sectors < 2 * once);
        assert_true(l2.stall_mshr > 0 && l2.stall_dram > 0 && l2.stall_atomic > 0 &&
                    l2.mshr_merges > 0 && l2.partial_fetches > 0);
        mem_harness_destroy(h);
    }
}

static void replies_without_credits_stop_the_input(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 1);
    c.icnt.buffer = 16; /* far less than the loop: the crossbar is the bottleneck */
    c.icnt.credit_batch = 1;
    c.l2.reply_queue = 4;
    mem_harness_t *h = mem_harness_create(&c, 2, 0);
    partition_memcpy(mem_harness_partition(h, 0), 0, 4096);
    const uint32_t n = 400;
    for (uint32_t i = 0; i < n; i++) {
        mem_msg_t m = mem_harness_message(MEM_READ, i % 8 * LINE_BYTES, ALL);
        mem_harness_add(h, i % 2, 0, &m);
    }
    mem_harness_run(h);
    cycle_t last = 0;
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(mem_harness_request(h, i)->delivered, ALL);
        last = cycle_max(last, mem_harness_request(h, i)->replied);
    }
    l2_stats_t l2;
    dram_stats_t dram;
    mem_harness_stats(h, &l2, &dram);
    assert_true(l2.stall_reply > 0);
    /* At most one buffer per credit loop and SM. */
    cycle_t loop = c.icnt.request_latency + c.icnt.reply_latency;
    assert_true(last >= n / 2 * 4 / c.icnt.buffer * loop - loop);
    mem_harness_destroy(h);
}

static uint64_t windowed(const mem_config_t *c, cycle_t window, uint32_t n)
{
    mem_harness_t *h = mem_harness_create(c, 5, window);
    uint64_t sectors[4] = {0};
    add_traffic(h, 5, n, 400, 4711, sectors);
    mem_harness_run(h);
    uint64_t hash = mem_harness_hash(h);
    mem_harness_destroy(h);
    return hash;
}

static void results_do_not_depend_on_the_window(void **state)
{
    (void)state;
    mem_config_t config[4] = {scarce(), mem_harness_config(2, 2), mem_harness_config(2, 2),
                              scarce()};
    config[2].dram.clock_mhz = 3500.5;
    config[2].dram.latency = 0;
    config[3].l2.halves = 2;
    config[3].l2.far_latency = 13;
    for (int k = 0; k < 4; k++) {
        uint64_t whole = windowed(&config[k], 0, 3000);
        assert_int_equal(windowed(&config[k], 1, 3000), whole);
        assert_int_equal(windowed(&config[k], 3, 3000), whole);
        assert_int_equal(windowed(&config[k], 7, 3000), whole);
        config[k].l2.latency++;
        assert_true(windowed(&config[k], 0, 3000) != whole); /* the hash sees a single cycle */
    }
}

static void written_sectors_are_in_the_cache_or_were_written_back(void **state)
{
    (void)state;
    for (int partial = 0; partial < 2; partial++) {
        mem_config_t c = mem_harness_config(2, 2);
        mem_harness_t *h = mem_harness_create(&c, 4, 0);
        uint64_t capacity = c.l2.size / LINE_BYTES, lines = 5 * capacity;
        for (uint64_t i = 0; i < lines; i++) {
            mem_msg_t m = mem_harness_message(MEM_WRITE, i * LINE_BYTES, ALL);
            if (partial) {
                m.full = 0;
                for (uint32_t s = 0; s < SECTORS_PER_LINE; s++)
                    m.bytes[s] = 1;
            }
            mem_harness_add(h, (uint32_t)i % 4, 0, &m);
        }
        mem_harness_run(h);
        l2_stats_t l2;
        dram_stats_t dram;
        mem_harness_stats(h, &l2, &dram);
        assert_int_equal(dram.write_sectors, (lines - capacity) * SECTORS_PER_LINE);
        assert_int_equal(l2.writebacks, dram.write_sectors);
        assert_int_equal(dram.read_sectors, 0);
        mem_harness_destroy(h);
    }
}

static uint64_t read_hits(mem_harness_t *h, uint64_t from, uint64_t to)
{
    l2_stats_t before, after;
    dram_stats_t dram;
    mem_harness_stats(h, &before, &dram);
    for (uint64_t a = from; a < to; a += SECTOR_BYTES) {
        uint64_t line = a & ~(uint64_t)(LINE_BYTES - 1);
        mem_msg_t m = mem_harness_message(MEM_READ, line, (uint8_t)(1u << (a - line) / 32));
        mem_harness_add(h, 0, mem_harness_now(h), &m);
    }
    mem_harness_run(h);
    mem_harness_stats(h, &after, &dram);
    return after.read_hits - before.read_hits;
}

/* Returns the remaining sectors. */
static uint64_t copy_to_all(mem_harness_t *h, const mem_config_t *c, uint64_t addr, uint64_t bytes)
{
    uint64_t left = 0;
    for (uint32_t k = 0; k < c->mem.partitions; k++)
        left += partition_memcpy(mem_harness_partition(h, k), addr, bytes);
    return left;
}

static void a_host_copy_leaves_exactly_its_sectors(void **state)
{
    (void)state;
    for (int odd = 0; odd < 2; odd++) {
        mem_config_t c = mem_harness_config(3, odd ? 1 : 2);
        c.l2.fill_sectors = 1;
        mem_harness_t *h = mem_harness_create(&c, 1, 0);
        const uint64_t from = 0x12345680 - 32, to = from + 5000;
        uint64_t sectors = (to + 31) / 32 - from / 32; /* also those touched at the edges */
        assert_int_equal(copy_to_all(h, &c, from + 1, to - from - 2), sectors);
        assert_int_equal(read_hits(h, from, to), sectors);
        assert_int_equal(read_hits(h, from - 32, from), 0);
        assert_int_equal(read_hits(h, (to + 31) & ~UINT64_C(31), to + 63), 0);
        for (uint32_t k = 0; k < c.mem.partitions; k++)
            partition_flush_l2(mem_harness_partition(h, k));
        assert_int_equal(read_hits(h, from, to), 0);
        l2_stats_t l2;
        dram_stats_t dram;
        mem_harness_stats(h, &l2, &dram);
        assert_int_equal(dram.write_sectors, 0);
        mem_harness_destroy(h);
    }
}

static void of_a_large_copy_the_last_part_stays(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(2, 2);
    mem_harness_t *h = mem_harness_create(&c, 1, 0);
    const uint64_t bytes = UINT64_C(1) << 50, addr = 4096;
    copy_to_all(h, &c, addr, bytes); /* must not take proportional time */
    uint64_t end = addr + bytes;
    assert_int_equal(read_hits(h, end - c.l2.size, end), c.l2.size / SECTOR_BYTES);
    copy_to_all(h, &c, UINT64_MAX - 10, UINT64_MAX);
    copy_to_all(h, &c, UINT64_MAX - 100000, UINT64_MAX);
    copy_to_all(h, &c, 0, 0);
    mem_harness_destroy(h);
}

static void a_host_copy_is_written_back_when_it_leaves(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 1);
    mem_harness_t *h = mem_harness_create(&c, 1, 0);
    copy_to_all(h, &c, 0, LINE_BYTES + SECTOR_BYTES);
    uint64_t lines = c.l2.size / LINE_BYTES;
    for (uint64_t i = 2; i <= 4 * lines; i++) {
        mem_msg_t m = mem_harness_message(MEM_READ, i * LINE_BYTES, 1);
        mem_harness_add(h, 0, mem_harness_now(h), &m);
    }
    mem_harness_run(h);
    l2_stats_t l2;
    dram_stats_t dram;
    mem_harness_stats(h, &l2, &dram);
    assert_int_equal(dram.write_sectors, SECTORS_PER_LINE + 1);
    mem_harness_destroy(h);
}

static void a_loaded_partition_goes_on_exactly_as_the_saved_one(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        mem_config_t c = k == 0 ? scarce() : mem_harness_config(2, 2);
        c.l2.halves = 1 + (uint32_t)k;
        mem_harness_t *a = mem_harness_create(&c, 5, 0), *b = mem_harness_create(&c, 5, 0);
        uint64_t sectors[4] = {0};
        add_traffic(a, 5, 3000, 500, 1234, sectors);
        mem_harness_run(a);
        mem_harness_transplant(a, b);
        uint32_t old = mem_harness_count(a);
        add_traffic(a, 5, 3000, 500, 99, sectors);
        add_traffic(b, 5, 3000, 500, 99, sectors);
        mem_harness_run(a);
        mem_harness_run(b);
        for (uint32_t i = 0; i < mem_harness_count(b); i++)
            assert_int_equal(mem_harness_request(a, old + i)->replied,
                             mem_harness_request(b, i)->replied);
        mem_harness_destroy(a);
        mem_harness_destroy(b);
    }
}

static void a_checkpoint_of_another_shape_or_cut_short_is_refused(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 2);
    mem_harness_t *a = mem_harness_create(&c, 3, 0);
    uint64_t sectors[4] = {0};
    add_traffic(a, 3, 500, 100, 5, sectors);
    mem_harness_run(a);
    FILE *f = tmpfile();
    assert_int_equal(partition_save(mem_harness_partition(a, 0), f), 0);
    long size = ftell(f);
    mem_harness_t *other = mem_harness_create(&c, 4, 0);
    rewind(f);
    assert_int_equal(partition_load(mem_harness_partition(other, 0), f, 1u << 30), -1);
    char *image = malloc((size_t)size);
    rewind(f);
    assert_int_equal(fread(image, 1, (size_t)size, f), size);
    fclose(f);
    for (long cut = 0; cut < size; cut += 1 + size / 50) {
        f = tmpfile();
        fwrite(image, 1, (size_t)cut, f);
        rewind(f);
        assert_int_equal(partition_load(mem_harness_partition(a, 0), f, 1u << 30), -1);
        fclose(f);
    }
    free(image);
    mem_harness_destroy(a);
    mem_harness_destroy(other);
}

static void equal_sms_get_equal_shares_of_a_busy_memory(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(2, 2);
    const uint32_t n_sms = 20, each = 1500;
    mem_harness_t *h = mem_harness_create(&c, n_sms, 0);
    for (uint32_t i = 0; i < each; i++) {
        for (uint32_t sm = 0; sm < n_sms; sm++) {
            mem_msg_t m =
                mem_harness_message(MEM_READ, ((uint64_t)sm * each + i) * LINE_BYTES, ALL);
            mem_harness_add(h, sm, 0, &m);
        }
    }
    mem_harness_run(h);
    /* The number of lines that each had received when the first received its last one. */
    cycle_t first = CYCLE_NEVER;
    for (uint32_t sm = 0; sm < n_sms; sm++)
        first = cycle_min(first, mem_harness_request(h, (each - 1) * n_sms + sm)->replied);
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t sm = 0; sm < n_sms; sm++) {
        uint32_t got = 0;
        for (uint32_t i = 0; i < each; i++)
            got += mem_harness_request(h, i * n_sms + sm)->replied <= first;
        least = least < got ? least : got;
        most = most > got ? most : got;
    }
    assert_true((most - least) * 100 <= 2 * most);
    mem_harness_destroy(h);
}

static void slices_share_their_dram_evenly(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 2);
    mem_harness_t *h = mem_harness_create(&c, 2, 0);
    const uint32_t each = 3000;
    uint32_t number[2][3000];
    /* Each SM reads from one slice only. */
    for (uint32_t slice = 0; slice < 2; slice++) {
        for (uint32_t i = 0; i < each; i++) {
            uint64_t line = addr_map_global(mem_harness_map(h), slice, (uint64_t)i * LINE_BYTES);
            mem_msg_t m = mem_harness_message(MEM_READ, line, ALL);
            number[slice][i] = mem_harness_add(h, slice, 0, &m);
        }
    }
    mem_harness_run(h);
    for (uint32_t slice = 0; slice < 2; slice++) {
        cycle_t half = mem_harness_request(h, number[slice][each / 2])->replied;
        uint32_t other = 0;
        while (mem_harness_request(h, number[!slice][other])->replied <= half)
            other++;
        assert_in_range(other, each / 2 - each / 20, each / 2 + each / 20);
    }
    mem_harness_destroy(h);
}

static void an_idle_partition_wants_no_cycle(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 2);
    mem_harness_t *h = mem_harness_create(&c, 1, 0);
    partition_t *p = mem_harness_partition(h, 0);
    assert_true(partition_shard_ops.run(p, NULL, 0, 1) == CYCLE_NEVER);
    uint64_t sectors[4] = {0};
    add_traffic(h, 1, 300, 600, 3, sectors);
    mem_harness_run(h);
    cycle_t now = mem_harness_now(h);
    assert_true(partition_shard_ops.run(p, NULL, now, now + 1000) == CYCLE_NEVER);
    mem_harness_destroy(h);
}

static void slice_counters_add_up_to_those_of_the_partition(void **state)
{
    (void)state;
    mem_config_t c = mem_harness_config(1, 4);
    mem_harness_t *h = mem_harness_create(&c, 2, 0);
    uint64_t sectors[4] = {0};
    add_traffic(h, 2, 2000, 300, 3, sectors);
    mem_harness_run(h);
    l2_stats_t sum, part = {0};
    dram_stats_t dram;
    partition_stats(mem_harness_partition(h, 0), &sum, &dram);
    for (uint32_t s = 0; s < 4; s++) {
        const l2_stats_t *one = partition_slice_stats(mem_harness_partition(h, 0), s);
        assert_true(one->requests > 0);
        stats_add((uint64_t *)&part, (const uint64_t *)one, L2_STAT_COUNT);
    }
    assert_memory_equal(&sum, &part, sizeof(sum));
    for (size_t i = 0; i < L2_STAT_COUNT; i++)
        assert_non_null(l2_stat_defs[i].name);
    for (size_t i = 0; i < DRAM_STAT_COUNT; i++)
        assert_non_null(dram_stat_defs[i].name);
    mem_harness_destroy(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_asked_for_is_answered_once_whatever_is_scarce),
        cmocka_unit_test(replies_without_credits_stop_the_input),
        cmocka_unit_test(results_do_not_depend_on_the_window),
        cmocka_unit_test(written_sectors_are_in_the_cache_or_were_written_back),
        cmocka_unit_test(a_host_copy_leaves_exactly_its_sectors),
        cmocka_unit_test(of_a_large_copy_the_last_part_stays),
        cmocka_unit_test(a_host_copy_is_written_back_when_it_leaves),
        cmocka_unit_test(a_loaded_partition_goes_on_exactly_as_the_saved_one),
        cmocka_unit_test(a_checkpoint_of_another_shape_or_cut_short_is_refused),
        cmocka_unit_test(equal_sms_get_equal_shares_of_a_busy_memory),
        cmocka_unit_test(slices_share_their_dram_evenly),
        cmocka_unit_test(an_idle_partition_wants_no_cycle),
        cmocka_unit_test(slice_counters_add_up_to_those_of_the_partition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
