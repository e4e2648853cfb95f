#include "frontend/tool/silicon/silicon_measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/silicon/silicon_source.h"
#include "frontend/tool/library/library_client.h"
#include "frontend/tool/library/stat_values.h"
#include "sim/core/alloc.h"

enum { MAX_RUNS = 8, MAX_NAMES = 64, MAX_PARAMS = 32 };

/* The results of a launch. */
typedef struct {
    launch_result_t result;
    clock_read_t *reads; /* owned */
    size_t n_reads;
} outcome_t;

/* A name in the expression of a test. */
typedef struct {
    size_t run;
    double value; /* of a variable */
    enum { CALL_NONE, CALL_CLOCK, CALL_SPREAD } call;
} name_t;

typedef struct {
    const measure_t *m;
    const gpu_spec_t *spec; /* of m->config */
    outcome_t outcome[MAX_RUNS];
    size_t n_runs;
    kernel_number_t number[MAX_PARAMS]; /* parameters of the last launch */
    size_t n_numbers;
    name_t name[MAX_NAMES];
    double vars[MAX_NAMES];
    size_t n_names;
} bench_t;

/* --- results --------------------------------------------------------------------------------- */

static rb_code_t keep_reads(void *ctx, const launch_info_t *info, const clock_read_t *reads,
                            size_t n, rb_err_t *err)
{
    bench_t *b = ctx;
    outcome_t *o = &b->outcome[b->n_runs];

    (void)info;
    (void)err;
    o->n_reads = n;
    o->reads = rb_calloc(n + 1, sizeof(reads[0]));
    if (n > 0)
        memcpy(o->reads, reads, n * sizeof(reads[0]));
    return RB_OK;
}

static rb_code_t keep_result(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    bench_t *b = ctx;

    (void)err;
    b->outcome[b->n_runs++].result = *r;
    return RB_OK;
}

static double busy_cycles(const outcome_t *o)
{
    return (double)(launch_result_cycles(&o->result) - o->result.launch_cycles);
}

/* Clock read number i of the first warp, as a cycle of the launch; -1: it made fewer reads. */
static double clock_of(const outcome_t *o, double index)
{
    int64_t i = expr_whole(index);

    if (i < 0 || (uint64_t)i >= o->n_reads)
        return -1;
    const clock_read_t *r = &o->reads[i];

    return r->block == o->reads[0].block && r->warp == o->reads[0].warp ? (double)r->cycle : -1;
}

static double count_clocks(const outcome_t *o)
{
    size_t n = 0;

    while (clock_of(o, (double)n) >= 0)
        n++;
    return (double)n;
}

/* Time from the earliest to the latest i-th read of all warps; i < 0: of all reads. */
static double spread_of(const outcome_t *o, int64_t i)
{
    uint64_t first = UINT64_MAX, last = 0;
    int64_t at = 0;

    for (size_t k = 0; k < o->n_reads; k++) {
        const clock_read_t *r = &o->reads[k];
        bool same = k > 0 && r->block == r[-1].block && r->warp == r[-1].warp;

        at = same ? at + 1 : 0;
        if (i >= 0 && at != i)
            continue;
        first = r->cycle < first ? r->cycle : first;
        last = r->cycle > last ? r->cycle : last;
    }
    return first <= last ? (double)(last - first) : 0;
}

/* A statistic of the launch by its path, "sm.warp_insts". */
static bool find_statistic(const gpu_spec_t *spec, const outcome_t *o, const char *name, size_t len,
                           double *value)
{
    char path[128];
    run_totals_t launch = {0};
    const stat_view_t view = {.spec = spec, .totals = &launch, .simulated = &launch};

    snprintf(path, sizeof(path), "%.*s", (int)len, name);
    const size_t i = stat_find(path);

    if (i == stat_count())
        return false;
    totals_add(&launch, &o->result);
    *value = stat_value_f64(&view, i);
    return true;
}

/* Peak bandwidth of all DRAM channels in bytes per core cycle. */
static double dram_peak(const gpu_spec_t *spec)
{
    return (double)spec->mem.mem.partitions * spec->mem.dram.bus_bytes * spec->mem.dram.data_rate *
           spec->mem.dram.clock_mhz / spec->gpu.clock_mhz;
}

static bool find_value(bench_t *b, size_t run, const char *name, size_t len, double *value)
{
    const gpu_spec_t *spec = b->spec;
    const outcome_t *o = &b->outcome[run];
    const struct {
        const char *name;
        double value;
    } known[] = {
        {"sms", spec->sm.sm.count},
        {"clock_mhz", spec->gpu.clock_mhz},
        {"l2_bytes", (double)spec->mem.l2.size},
        {"slices", spec->mem.l2.slices},
        {"partitions", spec->mem.mem.partitions},
        {"dram_peak", dram_peak(spec)},
        {"cycles", busy_cycles(o)},
        {"seconds", busy_cycles(o) / (spec->gpu.clock_mhz * 1e6)},
        {"n_clocks", count_clocks(o)},
        {"span", spread_of(o, -1)},
    };

    for (size_t i = 0; i < b->n_numbers; i++)
        if (strlen(b->number[i].name) == len && memcmp(b->number[i].name, name, len) == 0) {
            *value = b->number[i].value;
            return true;
        }
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strlen(known[i].name) == len && memcmp(known[i].name, name, len) == 0) {
            *value = known[i].value;
            return true;
        }
    return find_statistic(spec, o, name, len, value);
}

static expr_name_t resolve(void *ctx, const char *name, size_t len)
{
    bench_t *b = ctx;
    name_t n = {.run = b->n_runs - 1};
    expr_name_t found = {NAME_UNKNOWN, 0, 0};

    if (len > 3 && name[0] == 'r' && name[1] >= '1' && name[1] < '1' + MAX_RUNS && name[2] == '.') {
        n.run = (size_t)(name[1] - '1');
        name += 3;
        len -= 3;
    }
    if (n.run >= b->n_runs || b->n_names == MAX_NAMES)
        return found;
    if (len == 5 && memcmp(name, "clock", 5) == 0)
        n.call = CALL_CLOCK;
    else if (len == 6 && memcmp(name, "spread", 6) == 0)
        n.call = CALL_SPREAD;
    else if (!find_value(b, n.run, name, len, &n.value))
        return found;
    b->vars[b->n_names] = n.value;
    b->name[b->n_names] = n;
    return (expr_name_t){n.call == CALL_NONE ? NAME_VARIABLE : NAME_FUNCTION, 0,
                         (unsigned)b->n_names++};
}

static double call(void *ctx, unsigned slot, double argument)
{
    const bench_t *b = ctx;
    const outcome_t *o = &b->outcome[b->name[slot].run];

    return b->name[slot].call == CALL_CLOCK ? clock_of(o, argument)
                                            : spread_of(o, expr_whole(argument));
}

static rb_code_t evaluate(bench_t *b, const suite_test_t *t, double *value, rb_err_t *err)
{
    rb_err_t what = {0};
    expr_t e;

    if (expr_parse(&e, t->value, strlen(t->value), resolve, b, &what) != RB_OK)
        return rb_fail(err, RB_TRACE, "%s:%u: %s: %s", t->file, t->line, t->id, what.text);
    *value = expr_eval(&e, &(expr_env_t){.vars = b->vars, .call = call, .ctx = b});
    expr_free(&e);
    return RB_OK;
}

/* --- launches -------------------------------------------------------------------------------- */

/* Properties of the chip that a listing may use as parameters. */
static size_t chip_params(const gpu_spec_t *spec, char text[2][32], kernel_param_t *out)
{
    snprintf(text[0], 32, "%u", spec->sm.sm.count);
    snprintf(text[1], 32, "%llu", (unsigned long long)spec->mem.l2.size);
    out[0] = (kernel_param_t){.name = "sms", .value = text[0]};
    out[1] = (kernel_param_t){.name = "l2_bytes", .value = text[1]};
    return 2;
}

/* If two parameters have the same name, the later one counts. */
static rb_code_t add_launch(bench_t *b, silicon_source_t *source, const suite_test_t *t,
                            const suite_run_t *run, const char *point, rb_err_t *err)
{
    kernel_param_t param[MAX_PARAMS];
    char chip[2][32];
    size_t n = chip_params(b->spec, chip, param);
    size_t shorts = b->m->short_form ? t->n_shorts : 0;
    kernel_t k;

    if (n + run->n_params + shorts + 1 > MAX_PARAMS)
        return rb_fail(err, RB_TRACE, "%s:%u: %s: too many parameters", t->file, t->line, t->id);
    if (point != NULL)
        param[n++] = (kernel_param_t){.name = t->points, .value = point};
    for (size_t i = 0; i < run->n_params; i++)
        param[n++] = run->params[i];
    for (size_t i = 0; i < shorts; i++)
        param[n++] = t->shorts[i];
    RB_TRY(kernel_assemble(&k, suite_kernel(b->m->suite, run->kernel), b->spec->gpu.arch, param, n,
                           0, err));
    b->n_numbers = 0;
    for (size_t i = k.n_number; i-- > 0 && b->n_numbers < MAX_PARAMS;)
        b->number[b->n_numbers++] = k.number[i];
    silicon_source_add(source, &k);
    return RB_OK;
}

static rb_code_t run_launches(bench_t *b, rubato_trace *trace, rb_err_t *err)
{
    rubato_sim *sim = library_sim_create(b->m->config, trace, (uint64_t)b->m->threads, 0, err);
    if (sim == NULL)
        return err->code;
    run_plan_t plan = {.first = 1};
    gpu_callbacks_t callbacks = {.ctx = b, .launch_done = keep_result, .clock_reads = keep_reads};
    rb_code_t rc = library_sim_run(sim, &plan, &callbacks, err);

    rubato_sim_destroy(sim);
    return rc;
}

rb_code_t silicon_measure(const measure_t *m, const suite_test_t *t, const char *point,
                          double *value, rb_err_t *err)
{
    silicon_source_t *source = silicon_source_create();
    rubato_trace *trace = library_trace_take(silicon_source_trace(source), NULL);
    bench_t *b = rb_calloc(1, sizeof(*b));
    rb_code_t rc = RB_OK;

    b->m = m;
    b->spec = library_config_spec(m->config);
    if (t->n_runs > MAX_RUNS)
        rc = rb_fail(err, RB_TRACE, "%s:%u: %s: more than %d launches", t->file, t->line, t->id,
                     MAX_RUNS);
    for (size_t i = 0; i < t->n_runs && rc == RB_OK; i++)
        rc = add_launch(b, source, t, &t->runs[i], point, err);
    if (rc == RB_OK)
        rc = run_launches(b, trace, err);
    if (rc == RB_OK)
        rc = evaluate(b, t, value, err);
    for (size_t i = 0; i < MAX_RUNS; i++)
        free(b->outcome[i].reads);
    free(b);
    rubato_trace_destroy(trace);
    return rc;
}
