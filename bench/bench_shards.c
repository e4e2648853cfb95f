#include "bench/bench_shards.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/bench_schedule.h"
#include "sim/core/alloc.h"
#include "sim/core/engine.h"
#include "sim/core/host_time.h"

/* Opening and closing a window for all threads, in seconds: a guess; two threads of one chip exchange a
 * line of the cache in 0.1 us. */
static const double barrier = 1e-6;

static const unsigned n_threads[] = {2, 4, 8, 16};
enum { WAYS = sizeof(n_threads) / sizeof(n_threads[0]) };

/* What a run of one thread takes, in the order in which it happens, which is the same in each run: the
 * least time of all runs. */
typedef struct {
    float *time;     /* owned; of each shard in each window */
    uint32_t *count; /* owned; shards of each window */
    float *gap;      /* owned; before each window */
    size_t n, n_windows, cap, cap_count, cap_gap;
    size_t at, window; /* in the current run */
    bool again;        /* not the first run */
    double last;
} shard_times_t;

static void keep_least(float *to, double value, bool again)
{
    if (!again || (float)value < *to)
        *to = (float)value;
}

static void on_ran(void *ctx, uint32_t shard)
{
    shard_times_t *t = ctx;
    const double now = clock_seconds(), took = now - t->last;
    if (shard == ENGINE_WINDOW) {
        rb_grow(&t->gap, &t->cap_gap, t->window + 1, sizeof(*t->gap));
        rb_grow(&t->count, &t->cap_count, t->window + 1, sizeof(*t->count));
        keep_least(&t->gap[t->window], took, t->again);
        t->count[t->window++] = 0;
    } else {
        rb_grow(&t->time, &t->cap, t->at + 1, sizeof(*t->time));
        keep_least(&t->time[t->at++], took, t->again);
        t->count[t->window - 1]++;
    }
    t->last = clock_seconds(); /* without the time of this function */
}

static rb_code_t measure(shard_times_t *t, const gpu_spec_t *spec, bench_open_fn open,
                         const void *ctx, rb_err_t *err)
{
    trace_source_t *source = open(ctx, err);
    if (source == NULL)
        return err->code;
    gpu_t *gpu = gpu_create(spec, 1, 0);
    const run_plan_t plan = {.first = 1};
    const gpu_callbacks_t callbacks = {0};
    gpu_watch(gpu, on_ran, t);
    t->at = t->window = 0;
    t->last = clock_seconds();
    const rb_code_t rc = gpu_run(gpu, source, &plan, &callbacks, err);
    t->again = true;
    gpu_destroy(gpu);
    source->ops->destroy(source);
    return rc;
}

static void print_row(const shard_times_t *t, const char *name)
{
    double one = 0, serial = 0, took[WAYS] = {0};
    const float *time = t->time;
    for (size_t w = 0; w < t->window; time += t->count[w++]) {
        const double all = schedule_window(time, t->count[w], 1);
        one += all + t->gap[w];
        serial += t->gap[w];
        for (unsigned i = 0; i < WAYS; i++) {
            const double parallel = schedule_window(time, t->count[w], n_threads[i]) + barrier;
            took[i] += t->gap[w] + (parallel < all ? parallel : all);
        }
    }
    printf("%-18s %9zu %8.1f %8.3f %8.2f %%", name, t->window, (double)t->at / (double)t->window,
           one, 100 * serial / one);
    for (unsigned i = 0; i < WAYS; i++)
        printf(" %8.2f", one / took[i]);
    printf("\n");
    fflush(stdout);
}

void bench_shards_header(void)
{
    printf("%-18s %9s %8s %8s %10s", "", "", "shards", "1 thread", "between");
    printf("  times as fast with\n%-18s %9s %8s %8s %10s", "case", "windows", "each", "s",
           "windows");
    for (unsigned i = 0; i < WAYS; i++)
        printf(" %8u", n_threads[i]);
    printf("\n");
}

rb_code_t bench_shards(const gpu_spec_t *spec, const char *name, unsigned repeats,
                       bench_open_fn open, const void *ctx, rb_err_t *err)
{
    shard_times_t t = {0};
    rb_code_t rc = RB_OK;
    for (unsigned i = 0; rc == RB_OK && i < (repeats > 0 ? repeats : 1); i++)
        rc = measure(&t, spec, open, ctx, err);
    if (rc == RB_OK && t.window > 0)
        print_row(&t, name);
    free(t.time);
    free(t.count);
    free(t.gap);
    return rc;
}
