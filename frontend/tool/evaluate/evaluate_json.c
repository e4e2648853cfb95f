#include "frontend/tool/evaluate/evaluate_json.h"

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

void evaluate_json_score(json_t *j, const evaluated_run_t *run)
{
    const sampled_score_t *s = run->score;
    json_begin_object(j, "cycles");
    json_u64(j, "full", run->full->totals.cycles);
    json_u64(j, "sampled", run->sampled->totals.cycles);
    json_f64(j, "error", s->error);
    json_f64(j, "low", run->sampled->low);
    json_f64(j, "high", run->sampled->high);
    json_f64(j, "picked_error", s->picked_error);
    json_end(j);
    if (run->picked != NULL) {
        json_begin_object(j, "picked");
        json_u64(j, "seeds", run->picked->n);
        json_f64(j, "error_mean", run->picked->error_mean);
        json_f64(j, "error_p95", run->picked->error_p95);
        json_end(j);
    }
    json_begin_object(j, "warp_instructions");
    json_f64(j, "simulated", s->simulated);
    json_f64(j, "skipped_between", s->skipped_between);
    json_f64(j, "skipped_inside", s->skipped_inside);
    json_end(j);
    json_begin_object(j, "speedup");
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
    json_begin_object(j, NULL);
    json_u64(j, "id", l->r.info.id);
    json_text(j, "name", l->name);
    json_u64(j, "blocks", l->r.blocks);
    json_f64(j, "waves", sampled_waves(run->spec, &l->r));
    json_u64(j, "cycles_full", launch_result_cycles(&full->r));
    json_u64(j, "cycles_sampled", launch_result_cycles(&l->r));
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
