#include <math.h>

#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/run/results/report_columns.h"
#include "frontend/tool/run/results/run_report.h"

static const stat_interval_t no_interval = {.low = (double)NAN, .high = (double)NAN};

/* Writes the names of all counters and metrics as columns: "sm.warp_insts". */
static void header_counters(csv_t *c)
{
    stat_group_t groups[REPORT_GROUPS];
    char path[128];
    report_groups(groups, NULL, NULL, NULL);
    for (size_t g = 0; g < REPORT_GROUPS; g++) {
        for (size_t i = 0; i < groups[g].n; i++) {
            snprintf(path, sizeof(path), "%s.%s", groups[g].path, groups[g].defs[i].name);
            csv_text(c, path);
        }
    }
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        snprintf(path, sizeof(path), "metrics.%s", metric_defs[i].name);
        csv_text(c, path);
    }
}

static void row_counters(csv_t *c, const metric_input_t *m)
{
    stat_group_t groups[REPORT_GROUPS];
    report_groups(groups, m->sm, m->l2, m->dram);
    for (size_t g = 0; g < REPORT_GROUPS; g++) {
        for (size_t i = 0; i < groups[g].n; i++)
            csv_u64(c, groups[g].values[i]);
    }
    for (unsigned i = 0; i < METRIC_COUNT; i++)
        csv_f64(c, metric_value((metric_id_t)i, m));
}

static void column_names(csv_t *c, const report_column_t *columns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        csv_text(c, columns[i].name);
}

static void launches_header(csv_t *c)
{
    column_names(c, launch_columns, n_launch_columns);
    header_counters(c);
    csv_end_row(c);
}

/* The interval of a launch's cycles; empty if it is not an estimate or does not state its error. */
static void cycles_interval(csv_t *c, const run_report_t *r, const run_record_t *record)
{
    stat_interval_t i = no_interval;
    const seen_launch_t launch = run_estimate_launch(record);
    if (record->launch.sampling.estimated && record->error.n >= 2)
        i = intervals_launch_cycles(&r->intervals, &launch);
    csv_f64(c, i.low);
    csv_f64(c, i.high);
}

static void launches_row(csv_t *c, const run_report_t *r, const run_record_t *record)
{
    const launch_result_t *l = &record->launch;
    const occupancy_t *o = &l->occupancy;
    csv_u64(c, l->info.id);
    csv_u64(c, l->info.trace_id);
    csv_text(c, l->info.name);
    csv_u64(c, l->info.stream);
    for (int i = 0; i < 3; i++)
        csv_u64(c, l->info.grid[i]);
    for (int i = 0; i < 3; i++)
        csv_u64(c, l->info.block[i]);
    csv_u64(c, l->info.regs);
    csv_u64(c, l->info.shared_bytes);
    csv_u64(c, l->start);
    csv_u64(c, launch_result_cycles(l));
    csv_u64(c, l->launch_cycles);
    csv_u64(c, l->blocks);
    csv_u64(c, l->warp_insts);
    csv_u64(c, l->thread_insts);
    csv_u64(c, l->copied_bytes);
    csv_f64(c,
            stats_ratio((uint64_t)o->blocks_per_sm * o->warps_per_block, r->spec->sm.sm.max_warps));
    csv_text(c, o->limiter);
    csv_u64(c, o->blocks_per_sm);
    csv_u64(c, o->carveout);
    csv_u64(c, l->warp_slot_cycles);
    const chosen_t *chosen =
        r->sampling != NULL ? run_sampling_find(r->sampling, l->info.id) : NULL;
    const launch_sampling_t *inside = &l->sampling;
    csv_text(c, inside->sampler[0] != '\0' ? inside->sampler
                : chosen != NULL           ? r->sampling->sampler
                                           : NULL);
    /* A launch that a sampler simulated only to compare stands for none. */
    csv_f64(c, chosen != NULL ? r->sampling->plan.samples[chosen->sample].weight
               : r->of_plan   ? 0.0
                              : 1.0);
    csv_u64(c, inside->estimated);
    csv_u64(c, inside->estimated ? inside->simulated_blocks : l->blocks);
    cycles_interval(c, r, record);
    csv_u64(c, l->part);
    metric_input_t m = report_launch_metrics(r, l);
    row_counters(c, &m);
    csv_end_row(c);
}

rb_code_t report_launches_csv(const run_report_t *r, FILE *out, rb_err_t *err)
{
    csv_t c = {.out = out};
    record_walk_t walk = record_walk(r->journal, RECORD_LAUNCH, err);
    launches_header(&c);
    while (record_walk_next(&walk))
        launches_row(&c, r, &walk.record);
    return walk.code;
}

rb_code_t report_intervals_csv(const run_report_t *r, FILE *out, rb_err_t *err)
{
    csv_t c = {.out = out};
    record_walk_t walk = record_walk(r->journal, RECORD_INTERVAL, err);
    column_names(&c, interval_columns, n_interval_columns);
    header_counters(&c);
    csv_end_row(&c);
    while (record_walk_next(&walk)) {
        const interval_result_t *i = &walk.record.interval;
        metric_input_t m = metric_input(r->spec, i->end - i->start, 0, &i->sm, &i->l2, &i->dram);
        csv_u64(&c, i->launch_id);
        csv_u64(&c, i->start);
        csv_u64(&c, i->end);
        row_counters(&c, &m);
        csv_end_row(&c);
    }
    return walk.code;
}

/* Ends a line of stats.csv: ...,low,high. */
static void end_stat(csv_t *c, const stat_interval_t *i)
{
    csv_f64(c, i->low);
    csv_f64(c, i->high);
    csv_end_row(c);
}

/* Writes one line of stats.csv: group.name,value,unit,low,high. */
static void stat_f64(csv_t *c, const char *path, double v, const char *unit,
                     const stat_interval_t *i)
{
    csv_text(c, path);
    csv_f64(c, v);
    csv_text(c, unit);
    end_stat(c, i);
}

static void interval_f64(csv_t *c, interval_stat_id_t id, double v)
{
    stat_f64(c, interval_stats[id].name, v, interval_stats[id].unit, &no_interval);
}

/* Writes the confidence interval of the cycles. */
static void stat_interval(csv_t *c, const run_report_t *r)
{
    if (isfinite(r->cycles_interval.low)) {
        interval_f64(c, INTERVAL_LOW, r->cycles_interval.low);
        interval_f64(c, INTERVAL_HIGH, r->cycles_interval.high);
        interval_f64(c, INTERVAL_CONFIDENCE, r->cycles_interval.confidence);
    }
    if (r->interval_note != NULL)
        stat_f64(c, interval_stats[INTERVAL_NOTE].name, NAN, r->interval_note, &no_interval);
}

void report_stats_csv(const run_report_t *r, FILE *out)
{
    static const char *const head[] = {"path", "value", "unit", "low", "high"};
    csv_t c = {.out = out};
    const stat_view_t view = {r->spec, &r->totals, &r->simulated, r->estimated};

    for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
        csv_text(&c, head[i]);
    csv_end_row(&c);
    for (size_t i = 0; i < stat_count(); i++) {
        const stat_entry_t e = stat_entry(i);
        const stat_interval_t interval = report_interval(r, i);
        char path[128];
        snprintf(path, sizeof(path), "%s.%s", e.group, e.name);
        if (e.real) {
            stat_f64(&c, path, stat_value_f64(&view, i), e.unit, &interval);
        } else {
            csv_text(&c, path);
            csv_u64(&c, stat_value_u64(&view, i));
            csv_text(&c, e.unit);
            end_stat(&c, &interval);
        }
        if (i == 0)
            stat_interval(&c, r); /* of the cycles, which were just written */
    }
}
