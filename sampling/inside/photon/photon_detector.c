#include "sampling/inside/photon/photon_detector.h"

#include <math.h>

/* Core cycles between DRAM refreshes, which slow all blocks at the same time; 0: no refresh. */
static double refresh_period(const gpu_spec_t *spec)
{
    const dram_spec_t *d = &spec->mem.dram;
    return d->perfect ? 0 : d->tREFI * (spec->gpu.clock_mhz / d->clock_mhz);
}

photon_rule_t photon_rule_steady(const gpu_spec_t *spec, double waves, uint64_t wave,
                                 uint32_t least, double delta, uint64_t drop)
{
    const double need = ceil((waves > 0 ? waves : 1) * (double)wave);
    return (photon_rule_t){.timed = true,
                           .interval = spec->sampling.interval,
                           .steady = {.need = need < 2 ? 2 : (uint64_t)need,
                                      .enough = least > 0 ? least : 3000,
                                      .delta = delta,
                                      .period = refresh_period(spec),
                                      .drop = drop}};
}

photon_rule_t photon_rule_of_groups(const photon_rule_t *rule, uint32_t size)
{
    photon_rule_t r = *rule;
    r.steady.need = (r.steady.need + size - 1) / size;
    r.steady.enough = (r.steady.enough + size - 1) / size;
    r.window.short_n = r.window.long_n = r.window.short_n / size < 2 ? 2 : r.window.short_n / size;
    return r;
}

uint64_t photon_rule_points(const photon_rule_t *rule)
{
    const steady_rule_t *s = &rule->steady;
    return rule->timed ? 2 * (s->need > s->enough ? s->need : s->enough) : rule->window.short_n;
}

void photon_detector_init(photon_detector_t *d, const photon_rule_t *rule)
{
    *d = (photon_detector_t){.timed = rule->timed};
    if (d->timed)
        steady_init(&d->steady, &rule->steady, rule->interval);
    else
        stability_init(&d->window, &rule->window);
}

void photon_detector_free(photon_detector_t *d)
{
    steady_free(&d->steady);
    stability_free(&d->window);
}

size_t photon_detector_bytes(const photon_rule_t *rule)
{
    return sizeof(photon_detector_t) +
           (rule->timed ? STEADY_BYTES : stability_bytes(&rule->window));
}

void photon_detector_add(photon_detector_t *d, cycle_t start, cycle_t end)
{
    if (d->timed)
        steady_add(&d->steady, end - start);
    else
        stability_add(&d->window, start, end);
}

void photon_detector_close(photon_detector_t *d)
{
    if (d->timed)
        steady_close(&d->steady);
}

static photon_reading_t read_steady(const steady_t *s, bool calm)
{
    const steady_reading_t r = steady_read(s, calm);
    return (photon_reading_t){.verdict = r.verdict == STEADY_FEW      ? PHOTON_FEW
                                         : r.verdict == STEADY_STABLE ? PHOTON_STABLE
                                                                      : PHOTON_CHANGE,
                              .mean = r.mean,
                              .points = r.points,
                              .cycles = r.cycles,
                              .other = r.first,
                              .seen = s->seen > s->rule.drop ? s->seen - s->rule.drop : 0};
}

photon_reading_t photon_detector_read(const photon_detector_t *d, bool calm)
{
    static const photon_verdict_t verdicts[] = {[STABILITY_FEW] = PHOTON_FEW,
                                                [STABILITY_TREND] = PHOTON_TREND,
                                                [STABILITY_CHANGE] = PHOTON_CHANGE,
                                                [STABILITY_STABLE] = PHOTON_STABLE};
    if (d->timed)
        return read_steady(&d->steady, calm);
    const stability_reading_t r = stability_read(&d->window);
    return (photon_reading_t){.verdict = verdicts[r.verdict],
                              .mean = r.short_mean,
                              .points = d->window.rule.short_n,
                              .other = r.long_mean,
                              .slope = r.slope,
                              .seen = r.points};
}

double photon_detector_recent(const photon_detector_t *d, uint64_t cycles)
{
    return d->timed ? steady_mean(&d->steady, cycles) : 0;
}
