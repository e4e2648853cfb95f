#include "bench/bench_run.h"

#include <stdlib.h>
#include <time.h>

enum { MAX_REPEATS = 64 };

static double now_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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
    double start = now_seconds();
    rb_code_t rc = gpu_run(gpu, source, &plan, &callbacks, err);
    out->seconds = now_seconds() - start;
    gpu_destroy(gpu);
    source->ops->destroy(source);
    return rc;
}

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

rb_code_t bench_run(const gpu_spec_t *spec, int threads, unsigned repeats, bench_open_fn open,
                    const void *ctx, bench_result_t *out, rb_err_t *err)
{
    double seconds[MAX_REPEATS];
    bench_result_t one;

    if (repeats < 1)
        repeats = 1;
    if (repeats > MAX_REPEATS)
        repeats = MAX_REPEATS;
    for (unsigned i = 0; i < repeats; i++) {
        RB_TRY(run_once(spec, threads, open, ctx, &one, err));
        if (i > 0 &&
            (one.counts.insts != out->counts.insts || one.counts.sectors != out->counts.sectors ||
             one.counts.cycles != out->counts.cycles))
            rb_panic("two runs of one program differ: %llu and %llu cycles",
                     (unsigned long long)one.counts.cycles, (unsigned long long)out->counts.cycles);
        out->counts = one.counts;
        seconds[i] = one.seconds;
    }
    qsort(seconds, repeats, sizeof(seconds[0]), compare_seconds);
    out->seconds =
        repeats % 2 ? seconds[repeats / 2] : (seconds[repeats / 2 - 1] + seconds[repeats / 2]) / 2;
    return RB_OK;
}
