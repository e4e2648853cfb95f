#include "frontend/tool/cli/run/run_isolated.h"

#include "frontend/tool/io/stop_signals.h"
#include "frontend/tool/run/launches_beside.h"

uint64_t run_isolated_processes(const run_t *run)
{
    const run_options_t *o = run->options;
    return o->isolated && o->merge.n == 0 && !o->per_instruction && !o->clock_reads ? o->threads
                                                                                    : 1;
}

/* Recreates the chip. With warmup.mode = flush the L2 does not even keep host copies. */
static void renew_gpu(run_t *run)
{
    gpu_spec_t spec = *run->setup.spec;
    if (spec.warmup.mode == WARMUP_FLUSH)
        spec.gpu.memcpy_fills_l2 = false;
    library_sim_renew(run->sim, &spec);
}

static rb_code_t run_alone(run_t *run, const run_plan_t *plan, uint64_t position,
                           const gpu_callbacks_t *callbacks, rb_err_t *err)
{
    run_plan_t one = *plan;
    one.first = position;
    one.launch_ids = &position;
    one.n_launch_ids = 1;
    one.skip_copies_of_others = true;
    renew_gpu(run);
    return library_sim_run(run->sim, &one, callbacks, err);
}

static rb_code_t run_one_by_one(run_t *run, const run_plan_t *plan,
                                const gpu_callbacks_t *callbacks, rb_err_t *err)
{
    run_progress_t *work = &run->isolated_work;
    for (size_t i = 0; i < plan->n_launch_ids; i++)
        work->total += run_progress_size(run->setup.source, plan->launch_ids[i]);
    for (size_t i = 0; i < plan->n_launch_ids; i++) {
        run_progress_over(work);
        work->launch = run_progress_size(run->setup.source, plan->launch_ids[i]);
        if (plan->launch_ids[i] >= plan->first)
            RB_TRY(run_alone(run, plan, plan->launch_ids[i], callbacks, err));
    }
    return RB_OK;
}

/* A process among others. */
typedef struct {
    run_t *run;
    const run_plan_t *plan;
    journal_t *to;
    double begun;
} apart_t;

static rb_code_t keep_apart(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    apart_t *a = ctx;
    RB_TRY(trace_identity_note(a->run->trace, a->to, err));
    return record_launch(a->to, r, NULL, clock_seconds() - a->begun, err);
}

static bool on_progress(void *ctx, const gpu_progress_t *p)
{
    (void)ctx;
    (void)p;
    return !stop_requested();
}

static rb_code_t simulate_apart(void *ctx, uint64_t position, journal_t *to, rb_err_t *err)
{
    apart_t *a = ctx;
    const gpu_callbacks_t callbacks = {
        .ctx = a, .launch_done = keep_apart, .progress = on_progress};
    a->to = to;
    return run_alone(a->run, a->plan, position, &callbacks, err);
}

rb_code_t run_isolated(run_t *run, const run_plan_t *plan, const gpu_callbacks_t *callbacks,
                       const run_parts_taker_t *take, rb_err_t *err)
{
    const uint64_t processes = run_isolated_processes(run);
    size_t first = 0; /* those before were simulated by an earlier process */
    while (first < plan->n_launch_ids && plan->launch_ids[first] < plan->first)
        first++;
    if (processes < 2 || plan->n_launch_ids - first < 2)
        return run_one_by_one(run, plan, callbacks, err);
    apart_t apart = {.run = run, .plan = plan, .begun = clock_seconds()};
    const launches_beside_t beside = {
        .ctx = &apart, .simulate = simulate_apart, .take = take, .stop = stop_requested};
    return launches_beside(&beside, plan->launch_ids + first, plan->n_launch_ids - first, processes,
                           library_tmpdir(run->options->setup.tmpdir), &run->beside_cpu_seconds,
                           err);
}
