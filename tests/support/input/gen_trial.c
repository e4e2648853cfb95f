#include "tests/support/input/gen_trial.h"

#include "tests/support/test.h"

trace_source_t *gen_trial_open(const char *kind, unsigned arch, uint64_t size,
                               const char *const *params)
{
    gen_spec_t spec = {.kind = kind, .arch = arch, .seed = 1, .size = size, .params = params};
    rb_err_t err = {0};

    while (params[spec.n_params] != NULL)
        spec.n_params++;
    trace_source_t *s = gen_open(&spec, &err);

    if (s == NULL)
        fail_msg("%s", err.text);
    return s;
}

stream_counts_t gen_trial_count(trace_source_t *s)
{
    stream_counts_t c = {0};

    stream_check_source(s, &c);
    s->ops->destroy(s);
    return c;
}

stream_counts_t gen_trial_launch(trace_source_t *s, uint64_t id)
{
    stream_counts_t c = {0};

    stream_check_launch(s, id, &c);
    return c;
}
