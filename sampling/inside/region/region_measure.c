#include "sampling/inside/region/region_measure.h"

#include <math.h>

/* Minimum units in which the DRAM's pace can give the rate. */
#define DRAM_UNITS 1.5

void region_measure_anew(region_state_t *s, uint64_t after)
{
    s->rate = (region_rate_t){0};
    s->slope = (unit_slope_t){.slots = s->slots};
    s->pace = (dram_pace_t){0};
    s->next_edge = s->retired + after;
}

void region_count_waves(region_state_t *s, const interval_records_t *r, const rate_edge_t *now)
{
    for (size_t i = 0; i < r->retired[RETIRED_BLOCK].n; i++) {
        const retired_t *block = &r->retired[RETIRED_BLOCK].list[i];
        if (s->rate.open)
            unit_slope_add(&s->slope, (double)block->retire, (double)block->n_insts);
        if (++s->retired < s->next_edge)
            continue;
        const rate_edge_t at = rate_edge_between(&s->last, now, (double)block->retire);
        region_rate_pass(&s->rate, &at);
        s->next_edge = s->retired + s->slots;
    }
}

void region_follow_block(region_state_t *s, const interval_records_t *r, const rate_edge_t *now)
{
    if (!s->rate.open) {
        s->followed = r->next_block - 1;
        region_rate_pass(&s->rate, now);
        return;
    }
    for (size_t i = 0; i < r->retired[RETIRED_BLOCK].n; i++) {
        const retired_t *block = &r->retired[RETIRED_BLOCK].list[i];
        if (block->block != s->followed)
            continue;
        const rate_edge_t at = rate_edge_between(&s->last, now, (double)block->retire);
        region_rate_pass(&s->rate, &at);
        s->followed = r->next_block;
        return;
    }
}

bool region_units_agree(const region_state_t *s)
{
    return s->rate.units >= 2 &&
           fabs(s->rate.last - s->rate.before) < s->options.tolerance * s->rate.last;
}

/* The rate according to the retired blocks. */
static double retiring_rate(const region_state_t *s)
{
    return s->slope.units >= 2 ? unit_slope_rate(&s->slope) : unit_slope_first_rate(&s->slope);
}

static dram_pace_trust_t pace_trust(const region_state_t *s)
{
    return (dram_pace_trust_t){.per_inst = s->options.dram ? s->per_inst : 0,
                               .bandwidth = s->dram_sectors,
                               .light = s->options.light,
                               .tolerance = s->options.tolerance};
}

double region_measured_rate(const region_state_t *s)
{
    const double retiring = retiring_rate(s);
    const dram_pace_trust_t trust = pace_trust(s);
    return retiring <= 0 ? 0 : dram_pace_rate(&s->pace, &trust, retiring);
}

bool region_dram_tells(const region_state_t *s)
{
    const dram_pace_trust_t trust = pace_trust(s);
    const double units = (double)s->slope.units + (double)s->slope.blocks / (double)s->slots;
    return units >= DRAM_UNITS &&
           dram_pace_tells(&s->pace, &trust, retiring_rate(s), s->options.dram_error);
}

bool region_has_settled(const region_state_t *s, const interval_records_t *r)
{
    const double all = (double)(s->in->end - s->in->first);
    const double simulated = (double)(r->next_block - s->in->first - s->left_out);
    const bool told = region_dram_tells(s);
    if ((!told && s->slope.units < s->options.units) || region_measured_rate(s) <= 0)
        return false;
    if (!told && unit_slope_doubt(&s->slope, s->options.usual) > s->options.doubt)
        return !s->guard.refused_once && simulated >= s->options.most * all;
    return unit_slope_error(&s->slope) <= s->options.error || simulated >= s->options.share * all;
}
