#include "frontend/tool/evaluate/report/evaluate_csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/core/files/memory_file.h"

#define COLUMNS(c, list) header(c, list, sizeof(list) / sizeof((list)[0]))

static void header(csv_t *c, const char *const *columns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        csv_text(c, columns[i]);
}

static void run_columns(csv_t *c)
{
    static const char *const columns[] = {"sample",
                                          "variant",
                                          "warmup",
                                          "seed",
                                          "failure",
                                          "folder",
                                          "cycles_full",
                                          "cycles_sampled",
                                          "cycles_error",
                                          "cycles_low",
                                          "cycles_high",
                                          "picked_error",
                                          "picked_seeds",
                                          "picked_error_mean",
                                          "picked_error_p95",
                                          "simulated_share",
                                          "skipped_between_share",
                                          "skipped_inside_share",
                                          "simulated_launches_share",
                                          "speedup_wall",
                                          "speedup_cycles",
                                          "dram_error",
                                          "worst_state",
                                          "worst_state_full",
                                          "worst_state_sampled",
                                          "speedup_cpu",
                                          "covered",
                                          "no_interval"};
    char name[96];
    COLUMNS(c, columns);
    for (unsigned i = 0; i < METRIC_COUNT + SCORE_COUNTS; i++) {
        static const char *const of[] = {"full", "sampled", "picked"};
        for (size_t k = 0; k < sizeof(of) / sizeof(of[0]); k++) {
            snprintf(name, sizeof(name), "%s_%s",
                     i < METRIC_COUNT ? metric_defs[i].name : score_count_names[i - METRIC_COUNT],
                     of[k]);
            csv_text(c, name);
        }
    }
    csv_end_row(c);
}

/* Whether an interval contains the truth: 1 or 0, or why there is none. */
static void covered_columns(csv_t *c, bool estimated, double truth, const printed_interval_t *i)
{
    const bool has = i != NULL && isfinite(i->low) && isfinite(i->high);
    if (has)
        csv_u64(c, i->low <= truth && truth <= i->high);
    else
        csv_text(c, NULL);
    csv_text(c, has || !estimated              ? NULL
                : i != NULL && i->note != NULL ? i->note
                                               : "no reason is given");
}

static void run_row(csv_t *c, const evaluated_run_t *run)
{
    const sampled_score_t *s = run->score;
    csv_text(c, run->sample);
    csv_text(c, run->variant);
    csv_text(c, run->warmup);
    csv_text(c, run->seed);
    csv_text(c, run->failure);
    csv_text(c, run->folder);
    if (s == NULL) {
        csv_end_row(c);
        return;
    }
    csv_u64(c, run->full->totals.cycles);
    csv_u64(c, run->sampled->totals.cycles);
    csv_f64(c, s->error);
    csv_f64(c, run->sampled->low);
    csv_f64(c, run->sampled->high);
    csv_f64(c, s->picked_error);
    csv_u64(c, run->picked != NULL ? run->picked->n : 0);
    csv_f64(c, run->picked != NULL ? run->picked->error_mean : (double)NAN);
    csv_f64(c, run->picked != NULL ? run->picked->error_p95 : (double)NAN);
    csv_f64(c, s->simulated);
    csv_f64(c, s->skipped_between);
    csv_f64(c, s->skipped_inside);
    csv_f64(c, s->launches);
    csv_f64(c, s->speedup_wall);
    csv_f64(c, s->speedup_cycles);
    csv_f64(c, s->dram_error);
    csv_text(c, score_state_name(s->worst_state));
    csv_f64(c, s->full_state[s->worst_state]);
    csv_f64(c, s->sampled_state[s->worst_state]);
    csv_f64(c, s->speedup_cpu);
    covered_columns(c, run->sampled->estimated, (double)run->full->totals.cycles,
                    printed_intervals_find(run->intervals, 0, "cycles"));
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        csv_f64(c, s->full[i]);
        csv_f64(c, s->sampled[i]);
        csv_f64(c, s->picked[i]);
    }
    for (unsigned i = 0; i < SCORE_COUNTS; i++) {
        csv_f64(c, s->full_count[i]);
        csv_f64(c, s->sampled_count[i]);
        csv_f64(c, s->picked_count[i]);
    }
    csv_end_row(c);
}

static void launch_columns(csv_t *c)
{
    static const char *const columns[] = {"sample",
                                          "variant",
                                          "warmup",
                                          "seed",
                                          "launch",
                                          "name",
                                          "blocks",
                                          "waves",
                                          "warp_instructions",
                                          "cycles_full",
                                          "cycles_sampled",
                                          "cycles_error",
                                          "cycles_low",
                                          "cycles_high",
                                          "covered",
                                          "no_interval",
                                          "global_load_hit_rate_full",
                                          "global_load_hit_rate_sampled",
                                          "l2_hit_rate_full",
                                          "l2_hit_rate_sampled",
                                          "weight",
                                          "sampler",
                                          "estimated",
                                          "simulated_blocks",
                                          "simulated_warp_instructions",
                                          "stop_cycle",
                                          "stop_block",
                                          "host_seconds_full",
                                          "host_seconds_sampled",
                                          "evidence"};
    COLUMNS(c, columns);
    csv_end_row(c);
}

/* The error of a launch that both runs have. */
static double launch_error(const launch_result_t *full, const launch_result_t *sampled)
{
    return (double)launch_result_cycles(sampled) / (double)launch_result_cycles(full) - 1.0;
}

static void hit_rates(csv_t *c, metric_id_t id, const gpu_spec_t *spec, const launch_result_t *full,
                      const launch_result_t *sampled)
{
    csv_f64(c, launch_metric(id, spec, full));
    csv_f64(c, launch_metric(id, spec, sampled));
}

static void launch_row(csv_t *c, const evaluated_run_t *run, const run_launch_t *full,
                       const run_launch_t *l)
{
    const launch_sampling_t *s = &l->r.sampling;
    const printed_interval_t *i = printed_intervals_find(run->intervals, l->r.info.id, "cycles");
    csv_text(c, run->sample);
    csv_text(c, run->variant);
    csv_text(c, run->warmup);
    csv_text(c, run->seed);
    csv_u64(c, l->r.info.id);
    csv_text(c, l->name);
    csv_u64(c, l->r.blocks);
    csv_f64(c, sampled_waves(run->spec, &l->r));
    csv_u64(c, full->r.warp_insts);
    csv_u64(c, launch_result_cycles(&full->r));
    csv_u64(c, launch_result_cycles(&l->r));
    csv_f64(c, launch_error(&full->r, &l->r));
    csv_f64(c, i != NULL ? i->low : (double)NAN);
    csv_f64(c, i != NULL ? i->high : (double)NAN);
    covered_columns(c, s->estimated, (double)launch_result_cycles(&full->r), i);
    hit_rates(c, METRIC_global_load_hit_rate, run->spec, &full->r, &l->r);
    hit_rates(c, METRIC_l2_hit_rate, run->spec, &full->r, &l->r);
    csv_f64(c, l->weight);
    csv_text(c, s->sampler);
    csv_u64(c, s->estimated);
    csv_u64(c, s->simulated_blocks);
    csv_u64(c, s->simulated_warp_insts);
    if (s->estimated) {
        csv_u64(c, s->cycle);
        csv_u64(c, s->block);
    } else {
        csv_text(c, NULL);
        csv_text(c, NULL);
    }
    csv_f64(c, full->host_seconds);
    csv_f64(c, l->host_seconds);
    csv_text(c, s->evidence);
    csv_end_row(c);
}

/* ---- sets ---- */

static void set_columns(csv_t *c)
{
    static const char *const columns[] = {"sample",
                                          "variant",
                                          "warmup",
                                          "runs",
                                          "failed",
                                          "error_bias",
                                          "error_mean",
                                          "error_p95",
                                          "error_max",
                                          "bound",
                                          "share_within_bound",
                                          "intervals",
                                          "exact",
                                          "no_interval",
                                          "coverage",
                                          "half_width_mean",
                                          "silent_share",
                                          "simulated_share",
                                          "speedup_cpu",
                                          "speedup_wall",
                                          "speedup_cycles",
                                          "replays",
                                          "replay_error_mean",
                                          "replay_error_p95",
                                          "replay_coverage",
                                          "no_interval_reasons",
                                          "failure"};
    COLUMNS(c, columns);
    csv_end_row(c);
}

static void summary_cells(csv_t *c, const coverage_summary_t *s)
{
    csv_f64(c, s->bias);
    csv_f64(c, s->error_mean);
    csv_f64(c, s->error_p95);
    csv_f64(c, s->error_max);
}

static void interval_cells(csv_t *c, const coverage_summary_t *s)
{
    csv_u64(c, s->intervals);
    csv_u64(c, s->exact);
    csv_u64(c, s->none);
    csv_f64(c, s->coverage);
    csv_f64(c, s->half_width);
    csv_f64(c, s->silent_share);
}

/* "12 x reason; 3 x other reason". */
static void reasons_cell(csv_t *c, const coverage_t *cycles)
{
    memory_file_t text;
    FILE *out = memory_file_open(&text);
    for (size_t i = 0; i < cycles->n_reasons; i++)
        fprintf(out, "%s%llu x %s", i > 0 ? "; " : "", (unsigned long long)cycles->reasons[i].runs,
                cycles->reasons[i].text);
    char *reasons = memory_file_close(&text, NULL);
    csv_text(c, reasons[0] != '\0' ? reasons : NULL);
    free(reasons);
}

static void set_cells(csv_t *c, const evaluated_set_t *set)
{
    csv_text(c, set->sample);
    csv_text(c, set->variant);
    csv_text(c, set->warmup);
}

static void set_row(csv_t *c, const evaluated_set_t *set)
{
    const set_score_t *score = &set->score;
    enum { EMPTY = 21 };
    set_cells(c, set);
    csv_u64(c, score->runs);
    csv_u64(c, score->failed);
    if (score->runs == 0) {
        for (int i = 0; i < EMPTY; i++)
            csv_text(c, NULL);
        csv_text(c, score->failure);
        csv_end_row(c);
        return;
    }
    const coverage_t *cycles = &score->totals[0].coverage;
    const coverage_summary_t s = coverage_summary(cycles);
    const sampled_score_t mean = set_score_mean(score);
    summary_cells(c, &s);
    csv_f64(c, set->asked);
    csv_f64(c, coverage_within(cycles, set->asked));
    interval_cells(c, &s);
    csv_f64(c, mean.simulated);
    csv_f64(c, mean.speedup_cpu);
    csv_f64(c, mean.speedup_wall);
    csv_f64(c, mean.speedup_cycles);
    csv_u64(c, set->has_picked ? set->picked.n : 0);
    csv_f64(c, set->has_picked ? set->picked.error_mean : (double)NAN);
    csv_f64(c, set->has_picked ? set->picked.error_p95 : (double)NAN);
    csv_f64(c, set->has_picked ? set->picked.interval.coverage : (double)NAN);
    reasons_cell(c, cycles);
    csv_text(c, score->failure);
    csv_end_row(c);
}

static void statistic_columns(csv_t *c)
{
    static const char *const columns[] = {
        "sample",    "variant",         "warmup",       "launch",
        "kernel",    "statistic",       "error_unit",   "full",
        "runs",      "error_bias",      "error_mean",   "error_p95",
        "error_max", "intervals",       "exact",        "no_interval",
        "coverage",  "half_width_mean", "silent_share", "no_interval_reasons"};
    COLUMNS(c, columns);
    csv_end_row(c);
}

/* launch: NULL for the whole trace. */
static void statistic_row(csv_t *c, const evaluated_set_t *set, const scored_launch_t *launch,
                          const statistic_t *what, double full, const coverage_t *coverage)
{
    const coverage_summary_t s = coverage_summary(coverage);
    set_cells(c, set);
    if (launch != NULL)
        csv_u64(c, launch->id);
    else
        csv_text(c, NULL);
    csv_text(c, launch != NULL ? launch->name : NULL);
    csv_text(c, what->name);
    csv_text(c, what->share ? "difference" : "relative");
    csv_f64(c, full);
    csv_u64(c, s.runs);
    summary_cells(c, &s);
    interval_cells(c, &s);
    reasons_cell(c, coverage);
    csv_end_row(c);
}

static void statistic_rows(csv_t *c, const evaluated_set_t *set)
{
    const set_score_t *score = &set->score;
    for (size_t i = 0; i < score->n_totals; i++) {
        const scored_total_t *t = &score->totals[i];
        statistic_row(c, set, NULL, &t->what, t->full, &t->coverage);
    }
    for (size_t i = 0; i < score->n_launches; i++) {
        const scored_launch_t *l = &score->launches[i];
        for (size_t k = 0; k < STATISTICS_READ; k++)
            statistic_row(c, set, l, &score->read[k], l->value[k], &l->coverage[k]);
    }
}

/* ---- the files ---- */

rb_code_t evaluate_csv_begin(evaluate_csv_t *e, const char *folder, const char *runs, rb_err_t *err)
{
    static const char *const names[CSV_FILES] = {"evaluation.csv", "evaluation_launches.csv",
                                                 "evaluation_sets.csv",
                                                 "evaluation_statistics.csv"};
    *e = (evaluate_csv_t){0};
    for (size_t i = 0; i < CSV_FILES; i++) {
        if (i == CSV_RUNS && runs != NULL)
            RB_TRY(out_file_open_path(&e->files[i], runs, err));
        else
            RB_TRY(out_file_open(&e->files[i], folder, names[i], err));
        e->csv[i] = (csv_t){.out = e->files[i].out};
    }
    run_columns(&e->csv[CSV_RUNS]);
    launch_columns(&e->csv[CSV_LAUNCHES]);
    set_columns(&e->csv[CSV_SETS]);
    statistic_columns(&e->csv[CSV_STATISTICS]);
    return RB_OK;
}

void evaluate_csv_run(evaluate_csv_t *e, const evaluated_run_t *run)
{
    run_row(&e->csv[CSV_RUNS], run);
    for (size_t i = 0; run->score != NULL && i < run->sampled->n; i++) {
        const run_launch_t *l = &run->sampled->launches[i];
        const run_launch_t *full = run_result_find(run->full, l->r.info.id);
        if (full != NULL)
            launch_row(&e->csv[CSV_LAUNCHES], run, full, l);
    }
}

void evaluate_csv_set(evaluate_csv_t *e, const evaluated_set_t *set)
{
    set_row(&e->csv[CSV_SETS], set);
    statistic_rows(&e->csv[CSV_STATISTICS], set);
}

rb_code_t evaluate_csv_end(evaluate_csv_t *e, rb_err_t *err)
{
    for (size_t i = 0; i < CSV_FILES; i++)
        RB_TRY(out_file_finish(&e->files[i], err));
    for (size_t i = 0; i < CSV_FILES; i++)
        RB_TRY(out_file_commit(&e->files[i], err));
    return RB_OK;
}

void evaluate_csv_abandon(evaluate_csv_t *e)
{
    for (size_t i = 0; i < CSV_FILES; i++)
        out_file_abandon(&e->files[i]);
}
