#include "frontend/tool/evaluate/report/evaluate_json.h"

#include <math.h>

static void json_metric(json_t *j, const char *name, double full, double sampled, double picked)
{
    json_begin_object(j, name);
    json_f64(j, "full", full);
    json_f64(j, "sampled", sampled);
    json_f64(j, "picked", picked);
    json_end(j);
}

static void json_metrics(json_t *j, const sampled_score_t *s)
{
    json_begin_object(j, "metrics");
    for (unsigned i = 0; i < METRIC_COUNT; i++)
        json_metric(j, metric_defs[i].name, s->full[i], s->sampled[i], s->picked[i]);
    for (unsigned i = 0; i < SCORE_COUNTS; i++)
        json_metric(j, score_count_names[i], s->full_count[i], s->sampled_count[i],
                    s->picked_count[i]);
    json_end(j);
    json_begin_object(j, "states");
    for (size_t i = STATE_NO_WARP + 1; i < STATE_COUNT; i++) {
        json_begin_object(j, score_state_name(i));
        json_f64(j, "full", s->full_state[i]);
        json_f64(j, "sampled", s->sampled_state[i]);
        json_end(j);
    }
    json_end(j);
}

/* Whether the interval contains the truth; null without an interval. */
static void json_covered(json_t *j, const sampled_score_t *s)
{
    if (s->has_interval)
        json_bool(j, "covered", s->covered);
    else
        json_null(j, "covered");
}

void evaluate_json_score(json_t *j, const evaluated_run_t *run)
{
    const sampled_score_t *s = run->score;
    json_begin_object(j, "cycles");
    json_u64(j, "full", run->full->totals.cycles);
    json_u64(j, "sampled", run->sampled->totals.cycles);
    json_f64(j, "error", s->error);
    json_f64(j, "low", run->sampled->low);
    json_f64(j, "high", run->sampled->high);
    json_covered(j, s);
    json_f64(j, "picked_error", s->picked_error);
    json_end(j);
    if (run->picked != NULL) {
        json_begin_object(j, "picked");
        json_u64(j, "seeds", run->picked->n);
        json_f64(j, "error_mean", run->picked->error_mean);
        json_f64(j, "error_p95", run->picked->error_p95);
        json_f64(j, "coverage", run->picked->interval.coverage);
        json_end(j);
    }
    json_begin_object(j, "warp_instructions");
    json_f64(j, "simulated", s->simulated);
    json_f64(j, "skipped_between", s->skipped_between);
    json_f64(j, "skipped_inside", s->skipped_inside);
    json_end(j);
    json_begin_object(j, "speedup");
    json_f64(j, "cpu", s->speedup_cpu);
    json_f64(j, "wall", s->speedup_wall);
    json_f64(j, "cycles", s->speedup_cycles);
    json_f64(j, "warp_instructions", 1.0 / s->simulated);
    json_end(j);
    json_f64(j, "dram_error", s->dram_error);
    json_metrics(j, s);
}

void evaluate_json_launch(json_t *j, const evaluated_run_t *run, const run_launch_t *full,
                          const run_launch_t *l)
{
    const launch_sampling_t *s = &l->r.sampling;
    const printed_interval_t *i = printed_intervals_find(run->intervals, l->r.info.id, "cycles");
    json_begin_object(j, NULL);
    json_u64(j, "id", l->r.info.id);
    json_text(j, "name", l->name);
    json_u64(j, "blocks", l->r.blocks);
    json_f64(j, "waves", sampled_waves(run->spec, &l->r));
    json_u64(j, "cycles_full", launch_result_cycles(&full->r));
    json_u64(j, "cycles_sampled", launch_result_cycles(&l->r));
    json_f64(j, "cycles_low", i != NULL ? i->low : (double)NAN);
    json_f64(j, "cycles_high", i != NULL ? i->high : (double)NAN);
    json_f64(j, "weight", l->weight);
    json_text(j, "sampler", s->sampler);
    json_bool(j, "estimated", s->estimated);
    json_u64(j, "simulated_blocks", s->simulated_blocks);
    json_u64(j, "simulated_warp_instructions", s->simulated_warp_insts);
    json_u64(j, "stop_cycle", s->cycle);
    json_f64(j, "host_seconds_full", full->host_seconds);
    json_f64(j, "host_seconds_sampled", l->host_seconds);
    json_text(j, "evidence", s->evidence);
    json_end(j);
}

/* ---- sets ---- */

static void json_summary(json_t *j, const coverage_summary_t *s)
{
    json_u64(j, "runs", s->runs);
    json_f64(j, "bias", s->bias);
    json_f64(j, "error_mean", s->error_mean);
    json_f64(j, "error_p95", s->error_p95);
    json_f64(j, "error_max", s->error_max);
    json_u64(j, "intervals", s->intervals);
    json_u64(j, "exact", s->exact);
    json_u64(j, "no_interval", s->none);
    json_f64(j, "coverage", s->coverage);
    json_f64(j, "half_width", s->half_width);
    json_f64(j, "silent_share", s->silent_share);
}

static void json_reasons(json_t *j, const coverage_t *c)
{
    json_begin_rows(j, "reasons");
    for (size_t i = 0; i < c->n_reasons; i++) {
        json_begin_object(j, NULL);
        json_u64(j, "runs", c->reasons[i].runs);
        json_text(j, "reason", c->reasons[i].text);
        json_end(j);
    }
    json_end(j);
}

static void json_statistic(json_t *j, const statistic_t *what, double full, const coverage_t *c)
{
    const coverage_summary_t s = coverage_summary(c);
    json_begin_object(j, NULL);
    json_text(j, "name", what->name);
    json_text(j, "error_unit", what->share ? "difference" : "relative");
    json_f64(j, "full", full);
    json_summary(j, &s);
    if (c->n_reasons > 0)
        json_reasons(j, c);
    json_end(j);
}

static void json_launches(json_t *j, const set_score_t *score)
{
    json_begin_rows(j, "launches");
    for (size_t i = 0; i < score->n_launches; i++) {
        const scored_launch_t *l = &score->launches[i];
        json_begin_object(j, NULL);
        json_u64(j, "id", l->id);
        json_text(j, "name", l->name);
        json_f64(j, "simulated", l->simulated / (double)l->runs);
        json_begin_rows(j, "statistics");
        for (size_t k = 0; k < STATISTICS_READ; k++)
            json_statistic(j, &score->read[k], l->value[k], &l->coverage[k]);
        json_end(j);
        json_end(j);
    }
    json_end(j);
}

static void json_means(json_t *j, const evaluated_set_t *set)
{
    const set_score_t *score = &set->score;
    const coverage_t *cycles = &score->totals[0].coverage;
    const sampled_score_t mean = set_score_mean(score);
    json_f64(j, "bound", set->asked);
    json_f64(j, "within", coverage_within(cycles, set->asked));
    json_f64(j, "simulated", mean.simulated);
    json_begin_object(j, "speedup");
    json_f64(j, "cpu", mean.speedup_cpu);
    json_f64(j, "wall", mean.speedup_wall);
    json_f64(j, "cycles", mean.speedup_cycles);
    json_end(j);
    json_begin_rows(j, "statistics");
    for (size_t i = 0; i < score->n_totals; i++) {
        const scored_total_t *t = &score->totals[i];
        json_statistic(j, &t->what, t->full, &t->coverage);
    }
    json_end(j);
    json_launches(j, score);
}

void evaluate_json_set(json_t *j, const evaluated_set_t *set)
{
    json_begin_object(j, NULL);
    json_text(j, "sample", set->sample);
    json_text(j, "variant", set->variant);
    json_text(j, "warmup", set->warmup);
    json_u64(j, "runs", set->score.runs);
    json_u64(j, "failed", set->score.failed);
    json_text(j, "failure", set->score.failure);
    if (set->score.runs > 0)
        json_means(j, set);
    json_end(j);
}
