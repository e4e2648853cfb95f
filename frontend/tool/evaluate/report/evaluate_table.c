#include "frontend/tool/evaluate/report/evaluate_table.h"

#include <math.h>
#include <unistd.h>

#include "frontend/tool/io/text_format.h"
#include "frontend/tool/run/progress_line.h"

enum { LABEL = 128, SCREEN = 24 };

/* ---- numbers ---- */

/* "+1.23 %"; "-" if v is not finite. */
static const char *signed_share(char text[FORMAT_MAX], double v)
{
    if (!isfinite(v))
        return "-";
    snprintf(text, FORMAT_MAX, "%+.*f %%", fabs(v) < 0.0995 ? 2 : 1, 100.0 * v);
    return text;
}

/* "1.23 %"; "-" if v is not finite. */
static const char *size_of(char text[FORMAT_MAX], double v)
{
    if (!isfinite(v))
        return "-";
    snprintf(text, FORMAT_MAX, "%.*f %%", v < 0.0995 ? 2 : 1, 100.0 * v);
    return text;
}

/* A difference of two shares in percentage points. */
static const char *points(char text[FORMAT_MAX], double full, double sampled)
{
    if (!isfinite(full) || !isfinite(sampled))
        return "-";
    snprintf(text, FORMAT_MAX, "%+.1f", 100.0 * (sampled - full));
    return text;
}

static const char *times(char text[FORMAT_MAX], double v)
{
    if (!isfinite(v))
        return "-";
    snprintf(text, FORMAT_MAX, v < 99.95 ? "%.1fx" : "%.0fx", v);
    return text;
}

static const char *count(char text[FORMAT_MAX], uint64_t n)
{
    return n > 0 ? format_grouped(text, n) : "-";
}

/* The share of the intervals that contain the truth; for one run, a word. */
static const char *covered(char text[FORMAT_MAX], const coverage_summary_t *s)
{
    if (s->intervals == 0)
        return s->none > 0 ? "none" : s->exact > 0 ? "exact" : "-";
    if (s->runs == 1)
        return s->covered > 0 ? "yes" : "no";
    return format_share(text, s->coverage);
}

static void label_of(const evaluated_set_t *set, char text[LABEL])
{
    evaluated_label(set->sample, set->warmup, text, LABEL);
}

/* "1 run", "20 runs". */
static const char *runs_of(char text[FORMAT_MAX], uint64_t runs)
{
    snprintf(text, FORMAT_MAX, "%llu run%s", (unsigned long long)runs, runs == 1 ? "" : "s");
    return text;
}

/* ---- means ---- */

void evaluate_table_head(FILE *out, const char *variant, const run_result_t *full)
{
    const run_totals_t *t = &full->totals;
    char insts[FORMAT_MAX], cycles[FORMAT_MAX], seconds[FORMAT_MAX], n[FORMAT_MAX];
    fprintf(out,
            "\n%s%s%s launch%s, %s warp instructions, %s cycles; simulated in %s of processor "
            "time\n",
            variant != NULL ? variant : "", variant != NULL ? ": " : "", format_grouped(n, full->n),
            full->n == 1 ? "" : "es", format_si(insts, (double)t->warp_insts),
            format_si(cycles, (double)t->cycles), format_seconds(seconds, full->host_cpu_seconds));
    fprintf(out, "%-28s %-27s %-17s %-27s %-24s %s\n", "", "error of the cycles ------",
            "interval --------", "instructions -------------", "speed-up -------------",
            "errors of counters -----------");
    fprintf(out, "%-28s %8s %8s %9s %8s %8s %8s %9s %8s %7s %7s %8s %6s %6s %8s  %s\n", "samplers",
            "run", "picked", "p95", "+-", "covers", "run", "between", "inside", "cpu", "cycles",
            "insts", "L1", "L2", "DRAM", "stalls");
}

/* The numbers of a row: means over the runs of a set. */
static void print_means(FILE *out, const char *label, const evaluated_set_t *set)
{
    const sampled_score_t s = set_score_mean(&set->score);
    const coverage_summary_t cycles = coverage_summary(&set->score.totals[0].coverage);
    char t[15][FORMAT_MAX], stall[64];
    double p95 = set->has_picked ? set->picked.error_p95 : (double)NAN;
    double state = s.sampled_state[s.worst_state] - s.full_state[s.worst_state];
    snprintf(stall, sizeof(stall), "%+.1f %s", 100.0 * state, score_state_name(s.worst_state));
    fprintf(
        out, "%-28s %8s %8s %9s %8s %8s %8s %9s %8s %7s %7s %8s %6s %6s %8s  %s\n", label,
        signed_share(t[0], s.error), signed_share(t[1], s.picked_error), format_share(t[2], p95),
        size_of(t[3], cycles.half_width), covered(t[4], &cycles), format_share(t[5], s.simulated),
        format_share(t[6], s.skipped_between), format_share(t[7], s.skipped_inside),
        times(t[8], s.speedup_cpu), times(t[9], s.speedup_cycles), times(t[10], 1.0 / s.simulated),
        points(t[11], s.full[METRIC_global_load_hit_rate], s.sampled[METRIC_global_load_hit_rate]),
        points(t[12], s.full[METRIC_l2_hit_rate], s.sampled[METRIC_l2_hit_rate]),
        signed_share(t[13], s.dram_error), fabs(state) < 0.0005 ? "-" : stall);
}

void evaluate_table_set(FILE *out, const evaluated_set_t *set)
{
    char label[LABEL];
    label_of(set, label);
    if (set->score.runs > 0)
        print_means(out, label, set);
    else
        fprintf(out, "%-28s %s\n", label, set->score.failure);
}

/* ---- over the seeds ---- */

static void seeds_row(FILE *out, const evaluated_set_t *set)
{
    const set_score_t *score = &set->score;
    const coverage_t *cycles = &score->totals[0].coverage;
    const coverage_summary_t s = coverage_summary(cycles);
    const sampled_score_t mean = set_score_mean(score);
    const double unknown = (double)NAN;
    char label[LABEL], t[16][FORMAT_MAX];
    label_of(set, label);
    fprintf(out, "%-28s %5s %8s %8s %8s %8s %8s %8s %8s %8s %8s %5s %5s %8s %8s %9s %8s\n", label,
            format_grouped(t[0], score->runs), signed_share(t[1], s.bias),
            size_of(t[2], s.error_mean), size_of(t[3], s.error_p95), size_of(t[4], s.error_max),
            size_of(t[5], set->asked), format_share(t[6], coverage_within(cycles, set->asked)),
            covered(t[7], &s), size_of(t[8], s.half_width), format_share(t[9], s.silent_share),
            count(t[10], s.none), count(t[11], s.exact),
            size_of(t[12], set->has_picked ? set->picked.error_mean : unknown),
            format_share(t[13], set->has_picked ? set->picked.interval.coverage : unknown),
            format_share(t[14], mean.simulated), times(t[15], mean.speedup_cpu));
}

/* Why runs failed or have no interval. */
static void seeds_reasons(FILE *out, const evaluated_set_t *set)
{
    const set_score_t *score = &set->score;
    const coverage_t *cycles = score->runs > 0 ? &score->totals[0].coverage : NULL;
    char label[LABEL], runs[FORMAT_MAX];
    label_of(set, label);
    for (size_t i = 0; cycles != NULL && i < cycles->n_reasons; i++)
        fprintf(out, "%s: no interval in %llu of %s: %s\n", label,
                (unsigned long long)cycles->reasons[i].runs, runs_of(runs, score->runs),
                cycles->reasons[i].text);
    if (score->failed > 0)
        fprintf(out, "%s: %s failed: %s\n", label, runs_of(runs, score->failed), score->failure);
}

void evaluate_table_seeds(FILE *out, const evaluated_set_t *sets, size_t n)
{
    fprintf(out, "\n%-28s %5s %-35s %-17s %-38s %-17s\n", "over the seeds", "",
            "error of the cycles ---------------", "bound asked -----",
            "interval -----------------------------", "replayed --------");
    fprintf(out, "%-28s %5s %8s %8s %8s %8s %8s %8s %8s %8s %8s %5s %5s %8s %8s %9s %8s\n",
            "samplers", "runs", "bias", "mean", "p95", "max", "bound", "within", "covered", "+-",
            "silent", "none", "exact", "mean", "covered", "simulated", "cpu");
    for (size_t i = 0; i < n; i++) {
        if (sets[i].sample != NULL && sets[i].score.runs > 0)
            seeds_row(out, &sets[i]);
    }
    for (size_t i = 0; i < n; i++) {
        if (sets[i].sample != NULL)
            seeds_reasons(out, &sets[i]);
    }
}

/* The cells of a table of coverage, from the errors on. */
static void coverage_cells(FILE *out, const coverage_summary_t *s)
{
    char t[9][FORMAT_MAX];
    fprintf(out, " %9s %8s %8s %8s %8s %8s %8s %5s %5s\n", signed_share(t[0], s->bias),
            size_of(t[1], s->error_mean), size_of(t[2], s->error_p95), size_of(t[3], s->error_max),
            covered(t[4], s), size_of(t[5], s->half_width), format_share(t[6], s->silent_share),
            count(t[7], s->none), count(t[8], s->exact));
}

static void coverage_head(FILE *out)
{
    fprintf(out, " %9s %8s %8s %8s %8s %8s %8s %5s %5s\n", "bias", "mean", "p95", "max", "covered",
            "+-", "silent", "none", "exact");
}

void evaluate_table_statistics(FILE *out, const evaluated_set_t *set)
{
    const set_score_t *score = &set->score;
    char label[LABEL], full[FORMAT_MAX], runs[FORMAT_MAX];
    label_of(set, label);
    fprintf(out, "\n%s: statistics over %s; errors of shares are in percentage points\n", label,
            runs_of(runs, score->runs));
    fprintf(out, "%-28s %10s", "", "full");
    coverage_head(out);
    for (size_t i = 0; i < STATISTICS_READ; i++) {
        const scored_total_t *t = &score->totals[i];
        const coverage_summary_t s = coverage_summary(&t->coverage);
        const char *text = t->what.share       ? format_share(full, t->full)
                           : isfinite(t->full) ? format_si(full, t->full)
                                               : "-";
        fprintf(out, "%-28s %10s", t->what.name, text);
        coverage_cells(out, &s);
    }
}

void evaluate_table_launches(FILE *out, const evaluated_set_t *set)
{
    const set_score_t *score = &set->score;
    char label[LABEL], kernel[33], blocks[FORMAT_MAX], cycles[FORMAT_MAX], run[FORMAT_MAX];
    if (score->runs == 1 || score->n_launches == 0 || score->n_launches > SCREEN)
        return;
    label_of(set, label);
    fprintf(out, "\n%s: cycles of launches over %s\n%6s  %-24s %10s %8s %12s %9s", label,
            runs_of(run, score->runs), "launch", "kernel", "blocks", "waves", "cycles",
            "simulated");
    coverage_head(out);
    for (size_t i = 0; i < score->n_launches; i++) {
        const scored_launch_t *l = &score->launches[i];
        const coverage_summary_t s = coverage_summary(&l->coverage[0]);
        fprintf(out, "%6llu  %-24s %10s %8.1f %12s %9s", (unsigned long long)l->id,
                format_kernel(kernel, 25, l->name), format_grouped(blocks, l->blocks), l->waves,
                format_grouped(cycles, (uint64_t)l->value[0]),
                format_share(run, l->simulated / (double)l->runs));
        coverage_cells(out, &s);
    }
}

/* ---- one run ---- */

/* The interval of a launch of this run: its half-width relative to the truth. */
static coverage_summary_t launch_interval(const evaluated_run_t *run, const run_launch_t *full,
                                          const run_launch_t *l)
{
    const printed_interval_t *i = printed_intervals_find(run->intervals, l->r.info.id, "cycles");
    coverage_t c = {0};
    coverage_add(&c, &(estimate_case_t){.truth = (double)launch_result_cycles(&full->r),
                                        .value = (double)launch_result_cycles(&l->r),
                                        .low = i != NULL ? i->low : (double)NAN,
                                        .high = i != NULL ? i->high : (double)NAN,
                                        .exact = !l->r.sampling.estimated});
    coverage_summary_t s = coverage_summary(&c);
    coverage_free(&c);
    return s;
}

void evaluate_table_stops(FILE *out, const evaluated_run_t *run)
{
    const unsigned columns = terminal_columns(STDOUT_FILENO, 198);
    char label[LABEL], kernel[33], blocks[FORMAT_MAX], ran[FORMAT_MAX], cycles[FORMAT_MAX];
    char error[FORMAT_MAX], half[FORMAT_MAX], covers[FORMAT_MAX];
    enum { USED = 114 };
    evaluated_label(run->sample, run->warmup, label, sizeof(label));
    if (run->sampled->n > SCREEN)
        return;
    fprintf(out, "\n%s: launches\n%6s  %-24s %10s %8s %12s %9s %8s %8s %12s  %s\n", label, "launch",
            "kernel", "blocks", "waves", "cycles", "error", "+-", "covers", "simulated", "why");
    for (size_t i = 0; i < run->sampled->n; i++) {
        const run_launch_t *l = &run->sampled->launches[i];
        const run_launch_t *full = run_result_find(run->full, l->r.info.id);
        if (full == NULL)
            continue;
        const coverage_summary_t s = launch_interval(run, full, l);
        fprintf(out, "%6llu  %-24s %10s %8.1f %12s %9s %8s %8s %12s  %.*s\n",
                (unsigned long long)l->r.info.id, format_kernel(kernel, 25, l->name),
                format_grouped(blocks, l->r.blocks), sampled_waves(run->spec, &l->r),
                format_grouped(cycles, launch_result_cycles(&full->r)), signed_share(error, s.bias),
                size_of(half, s.half_width), covered(covers, &s),
                format_grouped(ran, l->r.sampling.simulated_blocks),
                columns > USED ? (int)(columns - USED) : 0, l->r.sampling.evidence);
    }
}
