#include "sampling/inside/photon/photon_detector.h"

#include <math.h>

const param_choice_t photon_variant_choices[] = {
    {"steady", NULL}, {"scaled", NULL}, {"paper", NULL}, {"code", NULL}, {NULL, NULL}};

enum { CODE_DROP = 1023 };
static const double published_delta = 0.03;

/* Core cycles between DRAM refreshes, which slow all blocks at the same time; 0: no refresh. */
static double refresh_period(const gpu_spec_t *spec)
{
    const dram_spec_t *d = &spec->mem.dram;
    return d->perfect ? 0 : d->tREFI * (spec->gpu.clock_mhz / d->clock_mhz);
}

/* Points of a window of that many waves, with a minimum. */
static uint64_t window_of(const photon_choice_t *c, double waves, uint32_t least)
{
    const double n = ceil((c->waves > 0 ? c->waves : waves) * (double)c->wave);
    return n < least ? least : (uint64_t)n;
}

photon_rule_t photon_rule(const photon_choice_t *c, const gpu_spec_t *spec)
{
    photon_rule_t rule = {.interval = spec->sampling.interval,
                          .window = {.delta_slope = c->delta > 0 ? c->delta : published_delta,
                                     .delta_mean = c->delta_mean}};
    stability_rule_t *w = &rule.window;
    switch (c->variant) {
    case PHOTON_PAPER:
        w->short_n = c->paper_n;
        w->long_n = 2 * (size_t)c->paper_n;
        break;
    case PHOTON_CODE:
        w->short_n = c->code_n / 2;
        w->long_n = c->code_n;
        w->slope_long = true;
        w->halved = true;
        w->drop = CODE_DROP;
        w->delta_slope = c->delta > 0 ? c->delta : c->code_delta;
        break;
    case PHOTON_SCALED:
        w->short_n = (size_t)window_of(c, 2, c->least > 0 ? c->least : 128);
        w->long_n = 2 * w->short_n;
        w->slope_long = c->longer;
        w->min_span = 1;
        w->unbiased = c->unbiased;
        w->drop = c->drop;
        break;
    default:
        rule.timed = true;
        rule.steady = (steady_rule_t){.need = window_of(c, 1, 2),
                                      .enough = c->least > 0 ? c->least : 3000,
                                      .delta = c->delta_mean,
                                      .period = refresh_period(spec),
                                      .drop = c->drop};
    }
    return rule;
}

photon_rule_t photon_rule_of_groups(const photon_rule_t *rule, uint32_t size)
{
    photon_rule_t r = *rule;
    r.steady.need = (r.steady.need + size - 1) / size;
    r.steady.enough = (r.steady.enough + size - 1) / size;
    r.window.short_n = r.window.short_n / size < 2 ? 2 : r.window.short_n / size;
    r.window.long_n = r.window.short_n;
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
           (rule->timed ? STEADY_BYTES : rule->window.long_n * sizeof(struct stability_point));
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
                                                [STABILITY_SHORT] = PHOTON_SHORT,
                                                [STABILITY_SLOPE] = PHOTON_TREND,
                                                [STABILITY_MEAN] = PHOTON_CHANGE,
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
    return d->timed ? steady_mean(&d->steady, cycles) : stability_recent_mean(&d->window);
}
