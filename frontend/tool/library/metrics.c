#include "frontend/tool/library/metrics.h"

#include <math.h>
#include <string.h>

#include "sim/core/engine/msg.h"

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

const char *metric_state(const char *metric, size_t *n)
{
    static const char prefix[] = "state_", suffix[] = "_share";
    const size_t length = strlen(metric), around = strlen(prefix) + strlen(suffix);
    if (length <= around || strncmp(metric, prefix, strlen(prefix)) != 0 ||
        strcmp(metric + length - strlen(suffix), suffix) != 0)
        return NULL;
    *n = length - around;
    return metric + strlen(prefix);
}

double metric_dram_peak(const gpu_spec_t *spec)
{
    const dram_spec_t *d = &spec->mem.dram;
    double per_command_clock = (double)spec->mem.mem.partitions * d->bus_bytes * d->data_rate;
    return per_command_clock * d->clock_mhz / spec->gpu.clock_mhz;
}

double metric_dram_bytes(const metric_input_t *m)
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

double metric_most(metric_id_t id, const gpu_spec_t *spec)
{
    const sm_spec_t *sm = &spec->sm.sm;
    const double clock = spec->gpu.clock_mhz * 1e6, sms = sm->count;
    const double schedulers = sms * sm->sub_cores;
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
        return sms * (sm->fp64_shared ? 1.0 : sm->sub_cores) * sm->fp64_lanes * 2.0 * clock;
    case METRIC_dram_bandwidth:
        return metric_dram_peak(spec) * clock;
    default:
        return INFINITY;
    }
}

void metric_parts(metric_id_t id, const metric_input_t *m, double *numerator, double *denominator)
{
    *numerator = *denominator = 0.0;
#define METRIC_CASE_(name, unit, metric, help, n, d)                                               \
    case METRIC_##name:                                                                            \
        *numerator = n;                                                                            \
        *denominator = d;                                                                          \
        break;
    switch (id) {
        METRIC_LIST(METRIC_CASE_)
    case METRIC_COUNT:
        break;
    }
}

/* The work and the time of an estimate have separate errors, so their quotient may exceed the
 * limit. */
double metric_value(metric_id_t id, const metric_input_t *m)
{
    double num, den;
    metric_parts(id, m, &num, &den);
    if (!(den > 0.0))
        return (double)NAN;
    return m->estimated ? fmin(num / den, metric_most(id, m->spec)) : num / den;
}
