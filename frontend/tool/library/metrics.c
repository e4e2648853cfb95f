#include "frontend/tool/library/metrics.h"

#include <math.h>
#include <string.h>

#include "sim/core/msg.h"

metric_input_t metric_input(const gpu_spec_t *spec, uint64_t cycles, uint64_t launch_cycles,
                            const sm_stats_t *sm, const l2_stats_t *l2, const dram_stats_t *dram)
{
    /* Overlapping launches may have more launch latency than cycles. */
    double busy = cycles > launch_cycles ? (double)(cycles - launch_cycles) : 0.0;
    return (metric_input_t){
        .spec = spec,
        .cycles = (double)cycles,
        .busy_cycles = busy,
        .seconds = busy / (spec->gpu.clock_mhz * 1e6),
        .sms = spec->sm.sm.count,
        .sm = sm,
        .l2 = l2,
        .dram = dram,
    };
}

double metric_dram_peak(const gpu_spec_t *spec)
{
    const dram_spec_t *d = &spec->mem.dram;
    double per_command_clock = (double)spec->mem.mem.partitions * d->bus_bytes * d->data_rate;
    return per_command_clock * d->clock_mhz / spec->gpu.clock_mhz;
}

static double metric_dram_bytes(const metric_input_t *m)
{
    return (double)SECTOR_BYTES * (double)(m->dram->read_sectors + m->dram->write_sectors);
}

static double metric_l2_sectors(const metric_input_t *m)
{
    return (double)(m->l2->read_sectors + m->l2->write_sectors + m->l2->atomic_sectors +
                    m->l2->red_sectors);
}

uint64_t metric_resident(const sm_stats_t *sm)
{
    const uint64_t *states = (const uint64_t *)sm;
    uint64_t sum = 0;
    for (size_t i = STATE_NO_WARP + 1; i < STATE_COUNT; i++)
        sum += states[i];
    return sum;
}

#define METRIC_ROW_(name, unit, metric, help, num, den) {#name, unit, metric, help},
const metric_def_t metric_defs[METRIC_COUNT] = {METRIC_LIST(METRIC_ROW_)};

/*
 * Upper limit of a metric; INFINITY: unknown. The work and the time of an estimate have separate
 * errors, so their quotient may exceed the limit.
 */
static double most_of(metric_id_t id, const metric_input_t *m)
{
    const sm_spec_t *sm = &m->spec->sm.sm;
    const double clock = m->spec->gpu.clock_mhz * 1e6, schedulers = m->sms * sm->sub_cores;
    if (strcmp(metric_defs[id].unit, "1") == 0)
        return 1.0;
    switch (id) {
    case METRIC_ipc:
        return schedulers;
    case METRIC_ipc_per_sm:
        return sm->sub_cores;
    case METRIC_fp32_rate:
        return schedulers * sm->fp32_lanes * 2.0 * clock;
    case METRIC_fp64_rate:
        return m->sms * (sm->fp64_shared ? 1.0 : sm->sub_cores) * sm->fp64_lanes * 2.0 * clock;
    case METRIC_dram_bandwidth:
        return metric_dram_peak(m->spec) * clock;
    default:
        return INFINITY;
    }
}

double metric_value(metric_id_t id, const metric_input_t *m)
{
    double num = 0.0, den = 0.0;
#define METRIC_CASE_(name, unit, metric, help, n, d)                                               \
    case METRIC_##name:                                                                            \
        num = n;                                                                                   \
        den = d;                                                                                   \
        break;
    switch (id) {
        METRIC_LIST(METRIC_CASE_)
    case METRIC_COUNT:
        break;
    }
    if (!(den > 0.0))
        return (double)NAN;
    return m->estimated ? fmin(num / den, most_of(id, m)) : num / den;
}
