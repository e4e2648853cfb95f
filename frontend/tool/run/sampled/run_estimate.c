#include "frontend/tool/run/sampled/run_estimate.h"

seen_launch_t run_estimate_launch(const run_record_t *record)
{
    return (seen_launch_t){.result = &record->launch, .error = &record->error};
}

static rb_code_t each_launch(void *ctx, void (*see)(void *to, const seen_launch_t *l), void *to,
                             rb_err_t *err)
{
    const run_launches_t *launches = ctx;
    record_walk_t walk = record_walk(launches->journal, RECORD_LAUNCH, err);
    while (record_walk_next(&walk)) {
        seen_launch_t l = run_estimate_launch(&walk.record);
        if (launches->sampling != NULL) {
            const chosen_t *c = run_sampling_find(launches->sampling, l.result->info.id);
            if (c == NULL)
                continue;
            l.sample = c->sample;
        }
        see(to, &l);
    }
    return walk.code;
}

launch_feed_t run_estimate_feed(run_launches_t *l)
{
    return (launch_feed_t){.ctx = l, .each = each_launch};
}

sampled_program_t run_estimate_program(const run_sampling_t *sampling)
{
    if (sampling == NULL)
        return (sampled_program_t){0};
    return (sampled_program_t){.plan = &sampling->plan,
                               .sum = sampling->sum,
                               .cycles = sampling->cycles,
                               .known = sampling->has_counts ? &sampling->counts : NULL,
                               .said = sampling->estimate};
}

void run_estimate_quotients(const metric_input_t *m, stat_part_t *part)
{
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        part[i].value = metric_value((metric_id_t)i, m);
        metric_parts((metric_id_t)i, m, &part[i].numerator, &part[i].denominator);
    }
}

void run_estimate_parts(const stat_view_t *view, stat_part_t *part)
{
    const run_totals_t *t = view->totals;
    const size_t first = stat_count() - METRIC_COUNT;
    const metric_input_t m =
        metric_input(view->spec, t->cycles, t->launch_cycles, &t->sm, &t->l2, &t->dram);
    for (size_t i = 0; i < first; i++)
        part[i] = (stat_part_t){.denominator = 1};
    run_estimate_quotients(&m, part + first);
    for (size_t i = 0; i < stat_count(); i++)
        part[i].value = stat_value_f64(view, i);
}
