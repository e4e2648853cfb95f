/* The table after a run: time, instructions, and what limited the run. */
#include <math.h>
#include <string.h>

#include "frontend/tool/io/text_format.h"
#include "frontend/tool/run/results/run_report.h"

enum { LAUNCHES_SHOWN = 20, STATES_SHOWN = 6, MIN_COLUMNS = 60, MAX_COLUMNS = 160 };

/* Parts of the chip whose utilisation shows what limits a run; of_sm: each SM has its own. */
static const struct {
    metric_id_t metric;
    const char *label;
    bool of_sm;
} bounds[] = {
    {METRIC_issue_utilization, "issue slots", true},
    {METRIC_fp64_utilization, "FP64 pipes", true},
    {METRIC_l1_utilization, "L1 and shared memory data", true},
    {METRIC_texture_utilization, "texture units", true},
    {METRIC_xbar_request_utilization, "crossbar, SM to L2", true},
    {METRIC_xbar_reply_utilization, "crossbar, L2 to SM", true},
    {METRIC_l2_utilization, "L2 data", false},
    {METRIC_dram_utilization, "DRAM bandwidth", false},
};

/* What a run with a limit left out. */
static void write_part(const run_report_t *r, FILE *out)
{
    char a[FORMAT_MAX];
    const bool cycles = r->limit.cycles > 0 && r->simulated.cycles >= r->limit.cycles;
    if (r->part)
        fprintf(out, "PART of the launches: the run ended after %s %s (--%s)\n",
                format_grouped(a, cycles ? r->limit.cycles : r->limit.insts),
                cycles ? "cycles" : "warp instructions", cycles ? "cycles" : "max-insts");
}

static void write_head(const run_report_t *r, FILE *out)
{
    char text[FORMAT_MAX];
    const gpu_spec_t *s = r->spec;
    fprintf(out, "\n%s on %s%s: %u SMs at %g MHz, %s L2, %.0f GB/s DRAM",
            report_trace_name(r->trace_path), r->gpu,
            r->gpu_is_default ? " (chosen by the trace's architecture; --gpu to change)" : "",
            s->sm.sm.count, s->gpu.clock_mhz, format_bytes(text, s->mem.l2.size),
            metric_dram_peak(s) * s->gpu.clock_mhz * 1e6 / 1e9);
    if (r->overrides > 0)
        fprintf(out, ", %zu override%s", r->overrides, r->overrides > 1 ? "s" : "");
    fputs("\n", out);
    if (!r->complete)
        fputs("STOPPED before its end: the following covers only complete launches\n", out);
    write_part(r, out);
}

/* "10x10": dimensions up to the last one that is not 1. */
static void dim_text(char *text, size_t n, const uint32_t dim[3])
{
    if (dim[2] > 1)
        snprintf(text, n, "%ux%ux%u", dim[0], dim[1], dim[2]);
    else if (dim[1] > 1)
        snprintf(text, n, "%ux%u", dim[0], dim[1]);
    else
        snprintf(text, n, "%u", dim[0]);
}

static void write_launch(const run_report_t *r, const launch_result_t *l, unsigned name_width,
                         FILE *out)
{
    char name[MAX_COLUMNS], grid[40], block[40];
    char cycles[FORMAT_MAX], insts[FORMAT_MAX], occupancy[FORMAT_MAX];
    metric_input_t m = report_launch_metrics(r, l);
    format_kernel(name, name_width + 1, l->info.name);
    dim_text(grid, sizeof(grid), l->info.grid);
    dim_text(block, sizeof(block), l->info.block);
    fprintf(out, "%6llu  %-*s %12s %9s %13s %9s %7.2f %7s%s\n", (unsigned long long)l->info.id,
            (int)name_width, name, grid, block, format_grouped(cycles, launch_result_cycles(l)),
            format_si(insts, (double)l->warp_insts), metric_value(METRIC_ipc, &m),
            format_share(occupancy, metric_value(METRIC_achieved_occupancy, &m)),
            l->part ? "  part" : "");
}

static rb_code_t write_launches(const run_report_t *r, unsigned columns, FILE *out, rb_err_t *err)
{
    enum { OTHER_COLUMNS = 72 };
    unsigned width = columns > OTHER_COLUMNS + 12 ? columns - OTHER_COLUMNS : 12;
    record_walk_t walk = record_walk(r->journal, RECORD_LAUNCH, err);
    fprintf(out, "\n%6s  %-*s %12s %9s %13s %9s %7s %7s\n", "launch", (int)width, "kernel", "grid",
            "block", "cycles", "warp inst", "IPC", "occup.");
    for (uint64_t n = 0; n < LAUNCHES_SHOWN && record_walk_next(&walk); n++)
        write_launch(r, &walk.record.launch, width, out);
    RB_TRY(walk.code);
    if (r->simulated.launches > LAUNCHES_SHOWN)
        fprintf(out, "   ...  and %llu more (-o DIR writes them all)\n",
                (unsigned long long)(r->simulated.launches - LAUNCHES_SHOWN));
    return RB_OK;
}

/* Says why samplers inside launches left nothing out, of the first launch where that is so. */
static rb_code_t write_verdict(const run_report_t *r, FILE *out, rb_err_t *err)
{
    uint64_t n = 0, first = 0;
    launch_sampling_t why = {0};
    if (r->inside == NULL || r->inside->n == 0)
        return RB_OK;
    record_walk_t walk = record_walk(r->journal, RECORD_LAUNCH, err);
    while (record_walk_next(&walk)) {
        const launch_sampling_t *s = &walk.record.launch.sampling;
        if (s->estimated || s->evidence[0] == '\0' || s->sampler[0] == '\0')
            continue;
        if (n++ == 0) {
            first = walk.record.launch.info.id;
            why = *s;
        }
    }
    if (n > 0) {
        char count[FORMAT_MAX];
        fprintf(out, "\n%s: %s launch%s simulated in full (launch %llu: %s)\n", why.sampler,
                format_grouped(count, n), n == 1 ? " was" : "es were", (unsigned long long)first,
                why.evidence);
    }
    return walk.code;
}

/* What the totals below are estimated from, and their confidence. */
static void write_sampling(const run_report_t *r, FILE *out)
{
    char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX];
    const estimate_t *e = &r->cycles_interval;
    if (r->simulated.launches_estimated > 0)
        fprintf(out, "\nESTIMATED: part of %s launch%s was not simulated (%s of %s blocks were)\n",
                format_grouped(a, r->simulated.launches_estimated),
                r->simulated.launches_estimated == 1 ? "" : "es",
                format_grouped(b, r->simulated.run_blocks), format_grouped(c, r->simulated.blocks));
    const plan_t *p = r->of_plan ? &r->sampling->plan : NULL;
    if (p != NULL)
        fprintf(out, "\nESTIMATED from %s of %s launches (%s):\n",
                format_grouped(a, r->simulated.launches), format_grouped(b, p->n_launches),
                r->sampling->sampler);
    if (r->graph != NULL)
        fprintf(out,
                "launches overlap   %12s   cycles to the end of the graph; %s one by one; kinds of "
                "pairs measured: %s\n",
                format_grouped(a, (uint64_t)r->graph->estimate.end.value),
                format_grouped(b, r->graph->one_by_one), format_grouped(c, r->graph->cost.kinds));
    const bool known = isfinite(e->low) && isfinite(e->high);
    if (known)
        fprintf(out, "cycles             %12s   to %s, with %s confidence (%s)\n",
                format_grouped(a, (uint64_t)fmax(e->low, 0)),
                format_grouped(b, (uint64_t)fmax(e->high, 0)), format_share(c, e->confidence),
                e->method);
    if (r->interval_note != NULL)
        fprintf(out, known ? "%34s%s\n" : "%sWARNING: no interval: %s\n", "", r->interval_note);
    if (known && p != NULL && isfinite(p->error_bound))
        fprintf(out, "error bound        %10.3g %%   with %s confidence, on the profiled GPU\n",
                100.0 * p->error_bound, format_share(b, p->confidence));
}

/* What was done so that sampled launches find the caches as in a run of all launches. */
static void write_touched(const run_report_t *r, FILE *out)
{
    char a[FORMAT_MAX], b[FORMAT_MAX];
    const launch_touched_t *t = &r->simulated.touched;
    if (t->launches > 0)
        fprintf(
            out,
            "touched            %12s   launches in the caches without time, %s warp instructions\n",
            format_grouped(a, t->launches), format_si(b, (double)t->warp_insts));
}

/* The totals while they are written. */
typedef struct {
    const run_report_t *r;
    metric_input_t m;
    FILE *out;
    const char *missing; /* why a number that was written has no interval; NULL: all have one */
} totals_table_t;

typedef const char *(*format_t)(char text[FORMAT_MAX], double v);
enum { SPREAD_MAX = 2 * FORMAT_MAX + 8 };

/* "+- 1.2 % ", half the width of a statistic's interval, or "(3.1 % to 4.0 %) " where its sides differ;
 * nothing if it is exact or has none, which is said of the cycles. */
static const char *spread(char text[SPREAD_MAX], totals_table_t *t, size_t stat, double value,
                          format_t format)
{
    char a[FORMAT_MAX], b[FORMAT_MAX];
    const stat_interval_t i = report_interval(t->r, stat);
    const double below = value - i.low, above = i.high - value;
    text[0] = '\0';
    if (t->missing == NULL)
        t->missing = i.reason;
    if (i.low < i.high && fmin(below, above) < 0.9 * fmax(below, above))
        snprintf(text, SPREAD_MAX, "(%s to %s) ", format(a, i.low), format(b, i.high));
    else if (i.low < i.high)
        snprintf(text, SPREAD_MAX, "+- %s ", format(a, fmax(below, above)));
    else if (stat == 0 && t->r->estimated && i.reason != NULL)
        snprintf(text, SPREAD_MAX, "(error unknown) ");
    return text;
}

static const char *spread_of(char text[SPREAD_MAX], totals_table_t *t, metric_id_t id,
                             format_t format)
{
    return spread(text, t, report_metric(id), metric_value(id, &t->m), format);
}

static const char *format_whole(char text[FORMAT_MAX], double v)
{
    return format_grouped(text, (uint64_t)ceil(v));
}

static const char *format_ipc(char text[FORMAT_MAX], double v)
{
    snprintf(text, FORMAT_MAX, "%.3g", v);
    return text;
}

static const char *format_traffic(char text[FORMAT_MAX], double v)
{
    char amount[FORMAT_MAX];
    snprintf(text, FORMAT_MAX, "%sB", format_si(amount, v));
    return text;
}

static void write_totals(totals_table_t *table)
{
    char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX], d[SPREAD_MAX];
    const run_report_t *r = table->r;
    const metric_input_t *m = &table->m;
    const run_totals_t *t = &r->totals;
    FILE *out = table->out;
    fprintf(out, "\ntime               %12s   %s %scycles, %s of them launch latency\n",
            format_seconds(a, report_seconds(r)), format_grouped(b, t->cycles),
            spread(d, table, 0, (double)t->cycles, format_whole),
            format_grouped(c, t->launch_cycles));
    fprintf(out, "warp instructions  %12s   %s thread instructions, %s of the lanes active\n",
            format_grouped(a, t->warp_insts), format_si(b, (double)t->thread_insts),
            format_share(c, metric_value(METRIC_warp_execution_efficiency, m)));
    fprintf(out, "IPC                %12.2f   %swarp instructions per cycle; %.2f per active SM\n",
            metric_value(METRIC_ipc, m), spread_of(d, table, METRIC_ipc, format_ipc),
            metric_value(METRIC_ipc_per_sm, m));
    fprintf(out, "occupancy          %12s   %sof the warp slots, while an SM has warps\n",
            format_share(a, metric_value(METRIC_achieved_occupancy, m)),
            spread_of(d, table, METRIC_achieved_occupancy, format_share));
    const char *unit[] = {"fp16  ", "fp32  ", "fp64  ", "tensor"};
    metric_id_t rate[] = {METRIC_fp16_rate, METRIC_fp32_rate, METRIC_fp64_rate, METRIC_tensor_rate};
    for (size_t i = 0; i < sizeof(rate) / sizeof(rate[0]); i++) {
        double v = metric_value(rate[i], m);
        if (v > 0.0)
            fprintf(out, "%s             %12s   %soperations/s\n", unit[i], format_si(a, v),
                    spread_of(d, table, rate[i], format_si));
    }
}

/* The metric that is the share of a state, which is at least 1. */
static metric_id_t share_of_state(size_t state)
{
    return (metric_id_t)(METRIC_state_selected_share + (state - STATE_SELECTED));
}

/* The most frequent warp states, as fractions of the resident warps' cycles. */
static void write_states(totals_table_t *table)
{
    const uint64_t *states = (const uint64_t *)&table->r->totals.sm;
    bool shown[STATE_COUNT] = {false};
    char share[FORMAT_MAX], d[SPREAD_MAX];
    if (metric_resident(&table->r->totals.sm) == 0)
        return;
    fputs("\nwhere the warps' cycles went\n", table->out);
    for (int n = 0; n < STATES_SHOWN; n++) {
        size_t best = STATE_NO_WARP;
        for (size_t i = STATE_NO_WARP + 1; i < STATE_COUNT; i++) {
            if (!shown[i] && states[i] > 0 && (best == STATE_NO_WARP || states[i] > states[best]))
                best = i;
        }
        if (best == STATE_NO_WARP)
            break;
        shown[best] = true;
        const char *name = sm_stat_defs[best].name;
        fprintf(table->out, "  %-20s %8s   %s%s\n",
                strncmp(name, "state_", 6) == 0 ? name + 6 : name,
                format_share(share, metric_value(share_of_state(best), &table->m)),
                spread_of(d, table, share_of_state(best), format_share), sm_stat_defs[best].help);
    }
}

/* Hits in the L1 of one kind of reads. */
static void write_l1(totals_table_t *table, const char *label, uint64_t requests, metric_id_t hits,
                     metric_id_t sectors)
{
    char share[FORMAT_MAX], range[SPREAD_MAX];
    if (requests == 0)
        return;
    fprintf(table->out, "  %-20s %8s %shit   %.1f sectors per request\n", label,
            format_share(share, metric_value(hits, &table->m)),
            spread_of(range, table, hits, format_share), metric_value(sectors, &table->m));
}

static void write_memory(totals_table_t *table)
{
    char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX], d[SPREAD_MAX], e[SPREAD_MAX];
    const metric_input_t *m = &table->m;
    const run_totals_t *t = &table->r->totals;
    FILE *out = table->out;
    fputs("\nmemory\n", out);
    write_l1(table, "L1 global loads", t->sm.global_load_requests, METRIC_global_load_hit_rate,
             METRIC_global_load_sectors_per_request);
    write_l1(table, "L1 textures", t->sm.texture_requests, METRIC_texture_hit_rate,
             METRIC_texture_sectors_per_request);
    if (t->sm.shared_wavefronts > 0)
        fprintf(out, "  shared memory        %8.2f conflicts per request\n",
                metric_value(METRIC_shared_conflicts_per_request, m));
    if (t->l2.requests > 0)
        fprintf(out, "  L2 reads             %8s %shit   writes %s %shit; %sB/s\n",
                format_share(a, metric_value(METRIC_l2_read_hit_rate, m)),
                spread_of(d, table, METRIC_l2_read_hit_rate, format_share),
                format_share(b, metric_value(METRIC_l2_write_hit_rate, m)),
                spread_of(e, table, METRIC_l2_write_hit_rate, format_share),
                format_si(c, metric_value(METRIC_l2_bandwidth, m)));
    fprintf(out, "  DRAM                 %8s %sof peak   %sB/s, %s row hits\n",
            format_share(a, metric_value(METRIC_dram_utilization, m)),
            spread_of(d, table, METRIC_dram_utilization, format_share),
            format_si(b, metric_value(METRIC_dram_bandwidth, m)),
            format_share(c, metric_value(METRIC_dram_row_hit_rate, m)));
    const double bytes = metric_dram_bytes(m);
    if (table->r->estimated)
        fprintf(out, "  DRAM traffic         %9s %sread and written\n", format_traffic(a, bytes),
                spread(d, table, stat_find("totals.dram_bytes"), bytes, format_traffic));
}

/* Why numbers have no interval, unless that was written with the cycles. */
static void write_missing(const totals_table_t *t)
{
    if (t->missing != NULL && isfinite(t->r->cycles_interval.low))
        fprintf(t->out, "\nnumbers without an interval are exact, or have none: %s\n", t->missing);
}

/* SMs without warps are excluded: a run cannot be waiting for them. */
static double busy_share(size_t bound, const metric_input_t *m)
{
    double v = metric_value(bounds[bound].metric, m);
    return bounds[bound].of_sm ? v / metric_value(METRIC_sm_activity, m) : v;
}

static void write_bounds(const metric_input_t *m, FILE *out)
{
    size_t best = 0;
    double most = -1.0;
    char share[FORMAT_MAX];
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        double v = busy_share(i, m);
        if (isfinite(v) && v > most) {
            most = v;
            best = i;
        }
    }
    if (most < 0.0)
        return;
    /* Below a third, no part is near its limit, so the run is bound by latency. */
    const char *verdict = most >= 0.6   ? "the run is bound by it"
                          : most >= 0.3 ? "near it, with latency not hidden"
                                        : "no part is near its limit: latency, or too few warps";
    fprintf(out, "\nbusiest part: %s, %s%s (%s)\n\n", bounds[best].label, format_share(share, most),
            bounds[best].of_sm ? " while an SM has warps" : "", verdict);
}

rb_code_t report_table(const run_report_t *r, unsigned columns, FILE *out, rb_err_t *err)
{
    columns = columns < MIN_COLUMNS ? MIN_COLUMNS : columns > MAX_COLUMNS ? MAX_COLUMNS : columns;
    totals_table_t table = {.r = r, .m = report_total_metrics(r), .out = out};
    write_head(r, out);
    RB_TRY(write_launches(r, columns, out, err));
    if (r->simulated.launches == 0)
        return RB_OK;
    RB_TRY(write_verdict(r, out, err));
    write_sampling(r, out);
    write_touched(r, out);
    write_totals(&table);
    write_states(&table);
    write_memory(&table);
    write_missing(&table);
    write_bounds(&table.m, out);
    return RB_OK;
}
