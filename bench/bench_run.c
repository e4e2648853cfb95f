#include "bench/bench_run.h"

#include <stdlib.h>

#include "sim/core/host_time.h"

static rb_code_t add_launch(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    bench_counts_t *c = ctx;

    (void)err;
    c->insts += r->warp_insts;
    c->sectors += r->sm.global_load_sectors + r->sm.global_store_sectors +
                  r->sm.local_load_sectors + r->sm.local_store_sectors + r->l2.atomic_sectors +
                  r->l2.red_sectors;
    c->cycles += launch_result_cycles(r);
    return RB_OK;
}

static rb_code_t run_once(const gpu_spec_t *spec, int threads, bench_open_fn open, const void *ctx,
                          bench_result_t *out, rb_err_t *err)
{
    trace_source_t *source = open(ctx, err);

    if (!source)
        return err->code;
    gpu_t *gpu = gpu_create(spec, threads, 0);
    run_plan_t plan = {.first = 1};
    gpu_callbacks_t callbacks = {.ctx = &out->counts, .launch_done = add_launch};

    out->counts = (bench_counts_t){0};
    const double wall = clock_seconds(), cpu = clock_cpu_seconds();
    rb_code_t rc = gpu_run(gpu, source, &plan, &callbacks, err);
    out->cpu = clock_cpu_seconds() - cpu;
    out->seconds = clock_seconds() - wall;
    gpu_destroy(gpu);
    source->ops->destroy(source);
    return rc;
}

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double bench_median(double *times, unsigned n)
{
    qsort(times, n, sizeof(times[0]), compare_seconds);
    return n % 2 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
}

rb_code_t bench_run(const gpu_spec_t *spec, int threads, unsigned repeats, bench_open_fn open,
                    const void *ctx, bench_result_t *out, rb_err_t *err)
{
    double seconds[BENCH_MAX_REPEATS], cpu[BENCH_MAX_REPEATS];
    bench_result_t one;

    if (repeats < 1)
        repeats = 1;
    if (repeats > BENCH_MAX_REPEATS)
        repeats = BENCH_MAX_REPEATS;
    for (unsigned i = 0; i < repeats; i++) {
        RB_TRY(run_once(spec, threads, open, ctx, &one, err));
        if (i > 0 &&
            (one.counts.insts != out->counts.insts || one.counts.sectors != out->counts.sectors ||
             one.counts.cycles != out->counts.cycles))
            rb_panic("two runs of one program differ: %llu and %llu cycles",
                     (unsigned long long)one.counts.cycles, (unsigned long long)out->counts.cycles);
        out->counts = one.counts;
        seconds[i] = one.seconds;
        cpu[i] = one.cpu;
    }
    out->seconds = bench_median(seconds, repeats);
    out->cpu = bench_median(cpu, repeats);
    return RB_OK;
}
