#include "frontend/tool/study/table/advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/library/metrics.h"
#include "frontend/tool/report/run_data.h"
#include "sim/core/alloc.h"

static const struct {
    const char *key, *value;
} changes[ADVICE_COUNT] = {
#define ADVICE_CHANGE_(name, key, value, title) {key, value},
    ADVICE_CHANGES(ADVICE_CHANGE_)};

rb_code_t advice_points(study_t *study, rb_err_t *err)
{
    (void)study_add_point(study); /* nothing is changed */
    for (size_t i = 0; i < ADVICE_COUNT; i++)
        RB_TRY(
            study_assign(study, study_add_point(study), changes[i].key, changes[i].value, 0, err));
    return RB_OK;
}

/* The paths that are read: cycles, weights, and one per warp state. */
enum { CYCLES, WEIGHT, STATES };
typedef struct {
    char *path[STATES + ADVICE_STATES_MAX]; /* owned from STATES on */
    size_t n;
} paths_t;

/* The warp states are what metrics state_..._share are of. */
const char *advice_state(size_t wanted)
{
    static char name[64];
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        size_t n;
        const char *state = metric_state(metric_defs[i].name, &n);
        if (state == NULL || wanted-- > 0)
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)n, state);
        return name;
    }
    return NULL;
}

static void make_paths(paths_t *p)
{
    static char cycles[] = "cycles", weight[] = "sampling.weight";
    *p = (paths_t){.path = {cycles, weight}, .n = STATES};
    for (size_t i = 0; i < ADVICE_STATES_MAX && advice_state(i) != NULL; i++)
        p->path[p->n++] = rb_format("sm.state_%s", advice_state(i));
}

static void free_paths(paths_t *p)
{
    for (size_t i = STATES; i < p->n; i++)
        free(p->path[i]);
}

/* The kernel of a name; a new one only while the run itself is read. */
static advice_kernel_t *find_kernel(advice_t *a, const char *name, bool add)
{
    for (size_t i = 0; i < a->n; i++) {
        if (strcmp(a->kernels[i].name, name) == 0)
            return &a->kernels[i];
    }
    if (!add)
        return NULL;
    rb_grow(&a->kernels, &a->cap, a->n + 1, sizeof(*a->kernels));
    a->kernels[a->n] = (advice_kernel_t){.name = rb_strdup(name)};
    for (size_t i = 0; i < ADVICE_COUNT; i++)
        a->kernels[a->n].changed[i] = (double)NAN;
    return &a->kernels[a->n++];
}

/* Adds the launches of a run: of the run itself with change ADVICE_COUNT. */
static void add_run(advice_t *a, const run_data_t *run, size_t change, size_t n_paths)
{
    for (size_t i = 0; i < run->n_launches; i++) {
        const double *v = run->launches[i].values;
        const double weight = isfinite(v[WEIGHT]) ? v[WEIGHT] : 1.0;
        advice_kernel_t *k = find_kernel(a, run->launches[i].name, change == ADVICE_COUNT);
        if (k == NULL)
            continue;
        if (change < ADVICE_COUNT) {
            const double before = isfinite(k->changed[change]) ? k->changed[change] : 0.0;
            k->changed[change] = before + weight * v[CYCLES];
            continue;
        }
        k->launches += weight;
        k->cycles += weight * v[CYCLES];
        a->cycles += weight * v[CYCLES];
        for (size_t s = STATES; s < n_paths; s++)
            k->states[s - STATES] += isfinite(v[s]) ? weight * v[s] : 0.0;
    }
}

static int by_cycles(const void *a, const void *b)
{
    const advice_kernel_t *x = a, *y = b;
    return (x->cycles < y->cycles) - (x->cycles > y->cycles);
}

rb_code_t advice_read(advice_t *a, const sweep_t *s, rb_err_t *err)
{
    paths_t paths;
    rb_code_t rc = RB_OK;
    *a = (advice_t){0};
    if (s->n_jobs != ADVICE_COUNT + 1 || s->jobs[0].state != SWEEP_DONE)
        return rb_fail(err, RB_USAGE, "%s: the run without a change is not done", s->folder);
    make_paths(&paths);
    for (size_t i = 0; rc == RB_OK && i <= ADVICE_COUNT; i++) {
        run_data_t run;
        if (s->jobs[i].state != SWEEP_DONE)
            continue;
        rc = run_data_read(&run, s->jobs[i].folder, (const char *const *)paths.path, paths.n, err);
        if (rc == RB_OK)
            add_run(a, &run, i > 0 ? i - 1 : ADVICE_COUNT, paths.n);
        run_data_free(&run);
    }
    free_paths(&paths);
    if (a->n > 0)
        qsort(a->kernels, a->n, sizeof(*a->kernels), by_cycles);
    return rc;
}

void advice_free(advice_t *a)
{
    for (size_t i = 0; i < a->n; i++)
        free(a->kernels[i].name);
    free(a->kernels);
    *a = (advice_t){0};
}

/* The share of a kernel's cycles that a change saves; 0: unknown. */
static double saved(const advice_kernel_t *k, size_t change)
{
    const double share = 1.0 - k->changed[change] / k->cycles;
    return isfinite(share) ? share : 0.0;
}

/*
 * A perfect L1 also spares what lies below it, and a perfect L2 the DRAM. So what a level costs is
 * what its perfection saves beyond that of the level below.
 */
size_t advice_bound(const advice_kernel_t *k)
{
    const double least = 0.1; /* of the cycles */
    const double costs[] = {
        [ADVICE_DRAM] = saved(k, ADVICE_DRAM),
        [ADVICE_L2] = saved(k, ADVICE_L2) - saved(k, ADVICE_DRAM),
        [ADVICE_L1] = saved(k, ADVICE_L1) - saved(k, ADVICE_L2),
        [ADVICE_XBAR] = saved(k, ADVICE_XBAR),
        [ADVICE_ICACHE] = saved(k, ADVICE_ICACHE),
    };
    size_t most = 0;
    for (size_t i = 1; i < sizeof(costs) / sizeof(costs[0]); i++)
        most = costs[i] > costs[most] ? i : most;
    return costs[most] >= least ? most : ADVICE_COUNT;
}
