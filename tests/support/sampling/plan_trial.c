#include "tests/support/sampling/plan_trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frontend/tool/run/sampled/plan_file.h"
#include "sampling/estimate/stratified.h"
#include "sampling/plan/plan_json.h"
#include "sim/core/alloc.h"

static char *json_of(const plan_t *plan, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    RB_INVARIANT(out != NULL, "no memory stream");
    plan_write_json(plan, out);
    fclose(out);
    return text;
}

/* Checks that clusters exist, that launches are numbered from 1 and occur once, and that weights
 * can be summed. */
static void check(const plan_t *plan)
{
    uint64_t *ids = rb_calloc(plan->n_samples + 1, sizeof(*ids));
    RB_INVARIANT(plan->n_samples > 0, "a plan without samples");
    for (uint64_t i = 0; i < plan->n_samples; i++) {
        const plan_sample_t *s = &plan->samples[i];
        RB_INVARIANT(s->launch >= 1 && s->draws >= 1, "sample %llu is of no launch",
                     (unsigned long long)i);
        RB_INVARIANT(isfinite(s->weight) && s->weight > 0, "a weight of %g", s->weight);
        RB_INVARIANT(s->cluster < plan->n_clusters, "a cluster that is not there");
    }
    for (uint32_t c = 0; c < plan->n_clusters; c++)
        RB_INVARIANT(plan->clusters[c].name < plan->n_names, "a cluster without a name");
    RB_INVARIANT(plan_launches(plan, ids) == plan->n_samples, "a launch twice");
    free(ids);
}

/* For any durations of the launches there is an estimate, and no crash. */
static void use(const plan_t *plan)
{
    double *value = rb_calloc(plan->n_samples, sizeof(*value));
    for (uint64_t i = 0; i < plan->n_samples; i++)
        value[i] = (double)(i % 7);
    estimate_t e = estimate_total(plan, value, 0.95);
    RB_INVARIANT(e.method != NULL && !isnan(e.value), "no estimate");
    free(value);
}

static void reread(const plan_t *plan, plan_t *again)
{
    size_t n;
    char *text = json_of(plan, &n);
    FILE *in = fmemopen(text, n, "r");
    rb_err_t err = {0};
    RB_INVARIANT(in != NULL, "no memory stream");
    RB_INVARIANT(plan_read_json(again, in, "again", &err) == RB_OK, "written plan: %s", err.text);
    fclose(in);
    free(text);
}

/* The samples are the same immediately; texts after the first round, which makes them UTF-8. */
static void check_round_trip(const plan_t *plan)
{
    plan_t once, twice;
    size_t n, m;
    reread(plan, &once);
    reread(&once, &twice);
    RB_INVARIANT(
        once.n_samples == plan->n_samples &&
            memcmp(once.samples, plan->samples, plan->n_samples * sizeof(*plan->samples)) == 0,
        "the plan reads back with other samples");
    char *a = json_of(&once, &n), *b = json_of(&twice, &m);
    RB_INVARIANT(n == m && memcmp(a, b, n) == 0, "the plan reads back as another one");
    free(a);
    free(b);
    plan_free(&once);
    plan_free(&twice);
}

rb_code_t plan_trial(const void *data, size_t n)
{
    static int file = -1;
    char path[64];
    plan_t plan;
    rb_err_t err = {0};
    if (file < 0)
        file = memfd_create("plan", MFD_CLOEXEC);
    if (ftruncate(file, 0) != 0 || pwrite(file, data, n, 0) != (ssize_t)n)
        rb_panic("the file in memory cannot be written");
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    rb_code_t code = plan_file_read(&plan, path, &err);
    if (code == RB_OK) {
        check(&plan);
        use(&plan);
        check_round_trip(&plan);
        plan_free(&plan);
    } else {
        RB_INVARIANT(err.code == code && err.text[0] != '\0', "refused without a message");
    }
    return code;
}
