#include "frontend/tool/library/stat_forms.h"

#include <math.h>

#include "sim/core/alloc.h"

enum { COUNTERS = SM_STAT_COUNT + L2_STAT_COUNT + DRAM_STAT_COUNT };

static const size_t counters_of_sm = 0, counters_of_l2 = SM_STAT_COUNT,
                    counters_of_dram = (size_t)SM_STAT_COUNT + (size_t)L2_STAT_COUNT;

static uint64_t whole(double v)
{
    return !(v > 0) ? 0 : v < 0x1p64 ? (uint64_t)(v + 0.5) : UINT64_MAX;
}

static void round_counters(uint64_t *out, const double *sum, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = whole(sum[i]);
}

run_totals_t totals_of_values(const double sum[STAT_VALUES], const gpu_spec_t *spec)
{
    const double slots = (double)spec->sm.sm.count * spec->sm.sm.max_warps;
    const double *counters = sum + VALUE_COUNTERS;
    run_totals_t t = {.blocks = whole(sum[VALUE_BLOCKS]),
                      .warp_insts = whole(sum[VALUE_WARP_INSTS]),
                      .thread_insts = whole(sum[VALUE_THREAD_INSTS]),
                      .launch_cycles = whole(sum[VALUE_LAUNCH_CYCLES]),
                      .warp_slot_cycles = whole(slots * sum[VALUE_CYCLES]),
                      .copied_bytes = whole(sum[VALUE_COPIED_BYTES]),
                      .cycles = whole(sum[VALUE_CYCLES])};
    round_counters((uint64_t *)&t.sm, counters + counters_of_sm, SM_STAT_COUNT);
    round_counters((uint64_t *)&t.l2, counters + counters_of_l2, L2_STAT_COUNT);
    round_counters((uint64_t *)&t.dram, counters + counters_of_dram, DRAM_STAT_COUNT);
    return t;
}

static void add_term(linear_form_t *f, size_t value, double coefficient)
{
    if (coefficient == 0)
        return;
    RB_INVARIANT(f->n < FORM_TERMS_MAX, "a statistic has more than %d terms", FORM_TERMS_MAX);
    f->term[f->n++] = (linear_term_t){(uint16_t)value, coefficient};
}

/* Totals in which only one value is 1. */
static run_totals_t unit_totals(size_t value, const gpu_spec_t *spec)
{
    double unit[STAT_VALUES] = {0};
    unit[value] = 1;
    return totals_of_values(unit, spec);
}

static void add_quotient(stat_form_t *f, metric_id_t id, size_t value, const run_totals_t *t,
                         const gpu_spec_t *spec)
{
    double num, den;
    metric_input_t m = metric_input(spec, t->cycles, 0, &t->sm, &t->l2, &t->dram);
    m.busy_cycles = m.cycles - (double)t->launch_cycles;
    m.seconds = m.busy_cycles / (spec->gpu.clock_mhz * 1e6);
    metric_parts(id, &m, &num, &den);
    add_term(&f->num, value, num);
    add_term(&f->den, value, den);
}

/* Adds the terms of one value to all forms: a sum's coefficient is what it is when that value is 1 and
 * the others are 0. Of the counters, which follow the other sums, this is known without asking each. */
static void add_value(stat_form_t *forms, size_t value, const gpu_spec_t *spec)
{
    const size_t first = stat_count() - METRIC_COUNT, heads = first - COUNTERS;
    const run_totals_t t = unit_totals(value, spec), nothing = {0};
    const stat_view_t view = {spec, &t, &nothing, false};
    for (size_t i = 0; i < heads; i++)
        add_term(&forms[i].num, value, stat_value_f64(&view, i));
    if (value >= VALUE_COUNTERS && value < VALUE_LAUNCH_CYCLES)
        add_term(&forms[heads + value - VALUE_COUNTERS].num, value, 1);
    for (unsigned i = 0; i < METRIC_COUNT; i++)
        add_quotient(&forms[first + i], (metric_id_t)i, value, &t, spec);
}

stat_list_t stat_forms(const gpu_spec_t *spec)
{
    const size_t n = stat_count(), first = n - METRIC_COUNT;
    stat_form_t *forms = rb_calloc(n, sizeof(*forms));
    for (size_t i = 0; i < n; i++)
        forms[i].most = i < first ? INFINITY : metric_most((metric_id_t)(i - first), spec);
    for (size_t v = 0; v < STAT_VALUES; v++)
        add_value(forms, v, spec);
    return (stat_list_t){forms, n, first};
}
