#include "frontend/tool/evaluate/evaluate_trial.h"

#include <stdlib.h>

size_t trial_job(const trial_t *t, size_t delta, size_t warmup, size_t set, uint64_t run)
{
    const evaluate_options_t *o = t->o;
    const size_t spot = t->sets[set].first_spot + (size_t)run;
    return (spot * count_or_one(&o->deltas) + delta) * count_or_one(&o->warmups) + warmup;
}

rb_code_t trial_require(const trial_t *t, size_t job, rb_err_t *err)
{
    if (t->sweep.jobs[job].state == SWEEP_DONE)
        return RB_OK;
    char *reason = sweep_reason(&t->sweep, job);
    rb_code_t rc = rb_fail(err, RB_TRACE, "%s: simulating all launches failed: %s",
                           t->sweep.jobs[job].label, reason);
    free(reason);
    return rc;
}

rb_code_t trial_read_planned(trial_t *t, rb_err_t *err)
{
    if (t->has_planned)
        return RB_OK;
    RB_TRY(launch_list_open(&t->planned, t->profile, t->o->setup.tmpdir, err));
    t->has_planned = true;
    return rbt_detect(t->o->setup.trace)
               ? launch_list_add_trace(&t->planned, t->o->setup.trace, err)
               : RB_OK;
}
