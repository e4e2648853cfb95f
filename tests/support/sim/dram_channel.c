#include "tests/support/sim/dram_channel.h"

#include <stdlib.h>
#include <string.h>

#include "sim/conf/param_value.h"
#include "tests/support/test.h"

dram_spec_t dram_hbm(void)
{
    dram_spec_t s;
    memset(&s, 0, sizeof(s));
    param_group_defaults(&dram_param_group, &s);
    return s;
}

dram_spec_t dram_gddr(void)
{
    dram_spec_t s = dram_hbm();
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

dram_channel_t *dram_channel_create(const dram_spec_t *spec)
{
    dram_channel_t *c = calloc(1, sizeof(*c));
    c->spec = *spec;
    c->core_mhz = 1380;
    c->clock = clock_ratio(c->core_mhz, spec->clock_mhz);
    c->d = dram_create(spec, c->core_mhz);
    c->done = calloc(DRAM_CHANNEL_TOKENS, sizeof(*c->done));
    return c;
}

void dram_channel_free(dram_channel_t *c)
{
    dram_destroy(c->d);
    free(c->done);
    free(c);
}

void dram_channel_advance(dram_channel_t *c, cycle_t to)
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

cycle_t dram_channel_finish(dram_channel_t *c)
{
    dram_channel_advance(c, CYCLE_NEVER);
    assert_true(dram_idle(c->d));
    return c->now;
}

uint64_t dram_channel_place(const dram_channel_t *c, uint32_t bank, uint64_t row, uint32_t n)
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

uint32_t dram_burst_ticks(const dram_spec_t *s)
{
    return (s->burst_bytes + s->bus_bytes * s->data_rate - 1) / (s->bus_bytes * s->data_rate);
}

uint64_t dram_last_column(const dram_spec_t *s, uint64_t t, uint32_t n)
{
    uint64_t gap = cycle_max(cycle_max(s->tCCD, s->tCCDL), dram_burst_ticks(s));
    return t + (n - 1) * gap;
}

uint64_t dram_arrival_tick(const dram_channel_t *c, cycle_t sent)
{
    return clock_tick_from(&c->clock, sent + c->spec.latency / 2);
}

cycle_t dram_back(const dram_channel_t *c, uint64_t t)
{
    cycle_t half = c->spec.latency - c->spec.latency / 2;
    return clock_cycle_from(&c->clock, t + c->spec.tCL + dram_burst_ticks(&c->spec)) + half;
}

void dram_each_kind(void (*check)(const dram_spec_t *spec))
{
    dram_spec_t s = dram_hbm();
    check(&s);
    s.latency = 101;
    check(&s);
    s = dram_gddr();
    check(&s);
}

uint64_t dram_saturate(dram_channel_t *c, uint32_t n, uint32_t sectors, bool write,
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
        dram_channel_advance(c, c->now + 1);
    }
    cycle_t end = dram_channel_finish(c);
    return clock_tick_until(&c->clock, end) - clock_tick_from(&c->clock, start);
}

uint64_t dram_in_order(uint64_t i)
{
    return i * 64;
}

uint64_t dram_scattered(uint64_t i)
{
    return (i * 0x9E3779B97F4A7C15u >> 20) % (UINT64_C(1) << 34) & ~UINT64_C(63);
}
