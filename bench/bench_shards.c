#include "bench/bench_shards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_schedule.h"
#include "sim/core/alloc.h"
#include "sim/core/engine/engine.h"
#include "sim/core/host_time.h"

/* Opening and closing a window for all threads, in seconds: a guess; two threads of one chip exchange a
 * line of the cache in 0.1 us. */
static const double barrier = 1e-6;

/* One thread is the base. The windows are those of a chip of that many threads. */
static const unsigned n_threads[] = {1, 2, 4, 8, 16};
enum { WAYS = sizeof(n_threads) / sizeof(n_threads[0]) };

typedef struct {
    float gap;      /* time before it, without ... */
    float decoding; /* ... decoding blocks for it */
    uint32_t blocks, tasks;
} window_t;

/* What a run of one thread takes, in the order in which it happens, which is the same in each run: the
 * least time of all runs. */
typedef struct {
    task_t *task;     /* owned; of each window: parts of the transit, then shards */
    window_t *window; /* owned */
    size_t cap_task, cap_window;
    size_t at, windows;    /* in the current run */
    bool again;            /* not the first run */
    double last, decoding; /* decoding: since the last window */
    uint32_t decoded;      /* blocks */
} shard_times_t;

static void keep_least(float *to, double value, bool again)
{
    if (!again || (float)value < *to)
        *to = (float)value;
}

static void on_ran(void *ctx, engine_step_t step, uint32_t number)
{
    static const task_kind_t kind[] = {[ENGINE_TRANSIT] = TASK_TRANSIT,
                                       [ENGINE_SHARD] = TASK_FREE,
                                       [ENGINE_SHARD_AFTER] = TASK_AFTER};
    shard_times_t *t = ctx;
    const double now = clock_seconds(), took = now - t->last;
    (void)number;
    if (step == ENGINE_WINDOW) {
        rb_grow(&t->window, &t->cap_window, t->windows + 1, sizeof(*t->window));
        window_t *w = &t->window[t->windows++];
        keep_least(&w->gap, took - t->decoding, t->again);
        keep_least(&w->decoding, t->decoding, t->again);
        w->blocks = t->decoded;
        w->tasks = 0;
        t->decoding = t->decoded = 0;
    } else {
        rb_grow(&t->task, &t->cap_task, t->at + 1, sizeof(*t->task));
        task_t *task = &t->task[t->at++];
        keep_least(&task->time, took, t->again);
        task->kind = kind[step];
        t->window[t->windows - 1].tasks++;
    }
    t->last = clock_seconds(); /* without the time of this function */
}

/* The source that is measured, whose operations are timed here. */
static struct {
    const trace_source_ops_t *ops;
    shard_times_t *times;
} timed;

static rb_code_t decode(trace_launch_t *l, trace_claim_t *claim, trace_block_t **blocks,
                        uint64_t *n, rb_err_t *err)
{
    const double from = clock_seconds();
    const rb_code_t rc = timed.ops->decode(l, claim, blocks, n, err);
    timed.times->decoding += clock_seconds() - from;
    timed.times->decoded += (uint32_t)*n;
    return rc;
}

static rb_code_t measure(shard_times_t *t, unsigned threads, const gpu_spec_t *spec,
                         bench_open_fn open, const void *ctx, rb_err_t *err)
{
    trace_source_t *source = open(ctx, err);
    if (source == NULL)
        return err->code;
    gpu_t *gpu = gpu_create(spec, 1, 0);
    const run_plan_t plan = {.first = 1};
    const gpu_callbacks_t callbacks = {0};
    trace_source_ops_t ops = *source->ops;
    timed.ops = source->ops;
    timed.times = t;
    ops.decode = decode;
    source->ops = &ops;
    gpu_watch(gpu, (int)threads, on_ran, t);
    t->at = t->windows = 0;
    t->decoding = t->decoded = 0;
    t->last = clock_seconds();
    const rb_code_t rc = gpu_run(gpu, source, &plan, &callbacks, err);
    t->again = true;
    gpu_destroy(gpu);
    source->ops = timed.ops;
    source->ops->destroy(source);
    return rc;
}

/* The tasks of window w: its own, then the blocks of the next window, which threads without a shard
 * decode ahead, each by itself. */
static size_t window_tasks(const shard_times_t *t, size_t w, const task_t *own, task_t **task,
                           size_t *cap)
{
    const window_t *next = &t->window[w + 1];
    const size_t n = t->window[w].tasks, blocks = w + 1 < t->windows ? next->blocks : 0;
    rb_grow(task, cap, n + blocks, sizeof(**task));
    memcpy(*task, own, n * sizeof(**task));
    for (size_t i = 0; i < blocks; i++)
        (*task)[n + i] = (task_t){.time = next->decoding / (float)blocks, .kind = TASK_FREE};
    return n + blocks;
}

/* Seconds of the run on that many threads. */
static double run_time(const shard_times_t *t, unsigned threads)
{
    double seconds = t->window[0].decoding;
    task_t *task = NULL;
    size_t cap = 0;
    const task_t *own = t->task;
    for (size_t w = 0; w < t->windows; own += t->window[w++].tasks) {
        const size_t n = window_tasks(t, w, own, &task, &cap);
        const double all = schedule_window(task, n, 1);
        const double parallel = schedule_window(task, n, threads) + barrier;
        seconds += t->window[w].gap + (parallel < all ? parallel : all);
    }
    free(task);
    return seconds;
}

static void print_row(const char *name, const shard_times_t t[WAYS])
{
    const double one = run_time(t, n_threads[0]);
    double gaps = 0, decoding = 0, transit = 0;
    size_t shards = 0;
    for (size_t w = 0; w < t->windows; w++) {
        gaps += t->window[w].gap;
        decoding += t->window[w].decoding;
    }
    for (size_t i = 0; i < t->at; i++) {
        if (t->task[i].kind == TASK_TRANSIT)
            transit += t->task[i].time;
        else
            shards++;
    }
    printf("%-18s %9zu %8.1f %8.3f %8.2f %% %8.2f %% %8.2f %%", name, t->windows,
           (double)shards / (double)t->windows, one, 100 * gaps / one, 100 * transit / one,
           100 * decoding / one);
    for (unsigned i = 1; i < WAYS; i++)
        printf(" %8.2f", one / run_time(&t[i], n_threads[i]));
    printf("\n");
    fflush(stdout);
}

void bench_shards_header(void)
{
    printf("%-18s %9s %8s %8s %10s %10s %10s", "", "", "shards", "1 thread", "between", "",
           "decoding");
    printf("  times as fast with\n%-18s %9s %8s %8s %10s %10s %10s", "case", "windows", "each", "s",
           "windows", "transit", "blocks");
    for (unsigned i = 1; i < WAYS; i++)
        printf(" %8u", n_threads[i]);
    printf("\n");
}

rb_code_t bench_shards(const gpu_spec_t *spec, const char *name, unsigned repeats,
                       bench_open_fn open, const void *ctx, rb_err_t *err)
{
    shard_times_t t[WAYS] = {0};
    rb_code_t rc = RB_OK;
    for (unsigned i = 0; rc == RB_OK && i < (repeats > 0 ? repeats : 1); i++)
        for (unsigned w = 0; rc == RB_OK && w < WAYS; w++)
            rc = measure(&t[w], n_threads[w], spec, open, ctx, err);
    if (rc == RB_OK && t->windows > 0)
        print_row(name, t);
    for (unsigned w = 0; w < WAYS; w++) {
        free(t[w].task);
        free(t[w].window);
    }
    return rc;
}
