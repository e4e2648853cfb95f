/* Runs the jobs of a sweep on this machine and shows their progress. */
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "frontend/tool/io/text_format.h"
#include "frontend/tool/run/progress_line.h"
#include "frontend/tool/run/run_status.h"
#include "frontend/tool/study/sweep/job_pool.h"
#include "frontend/tool/study/sweep/sweep.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

static const double redraw_seconds = 0.25;

typedef struct {
    sweep_t *sweep;
    job_pool_t pool;
    size_t *queue; /* owned: jobs to run */
    size_t n_queue, next;
    size_t ended, failed; /* ended: done or failed, without stopped ones */
    double begun, spent;  /* spent: total seconds of the jobs that ended */
    bool live;            /* a table is drawn on a terminal */
    unsigned drawn;       /* number of its lines on the screen */
    unsigned columns;
} runner_t;

/* Draws one line of the table, truncated to the width of the terminal. */
static void draw_line(runner_t *r, const char *text)
{
    fprintf(stderr, "%.*s\033[K\n", (int)r->columns - 1, text);
    r->drawn++;
}

static void erase(runner_t *r)
{
    if (r->drawn > 0)
        fprintf(stderr, "\033[%uA\033[J", r->drawn);
    r->drawn = 0;
}

const char sweep_line_head[] =
    "   job  state     share        launch            rate  left          memory  what";

void sweep_job_line(const sweep_t *s, size_t index, char line[SWEEP_LINE])
{
    const sweep_job_t *job = &s->jobs[index];
    run_status_t r = {.share = -1.0, .rate = -1.0, .seconds_left = -1.0};
    bool known = run_status_read(job->folder, &r);
    char share[FORMAT_MAX], rate[FORMAT_MAX], left[FORMAT_MAX], rss[FORMAT_MAX], launch[64] = "";
    if (known)
        snprintf(launch, sizeof(launch), "%llu/%llu", (unsigned long long)r.launch,
                 (unsigned long long)r.launches);
    snprintf(line, SWEEP_LINE, "%6zu  running  %7s  %13s  %7s inst/s  %8s  %9s  %.300s", index + 1,
             format_share(share, r.share >= 0.0 ? r.share : (double)NAN), launch,
             format_si(rate, r.rate), format_clock(left, r.seconds_left),
             known ? format_bytes(rss, r.rss_bytes) : "-", job->label);
}

/* Remaining seconds of the job in a slot, by its own estimate; negative: no job, or unknown. */
static double slot_left(const runner_t *r, const job_slot_t *slot)
{
    run_status_t status;
    bool known = slot->pid != 0 && run_status_read(r->sweep->jobs[slot->job].folder, &status);
    return known ? status.seconds_left : -1.0;
}

/* Seconds until the queue is empty at the current rate; negative: not yet known. */
static double seconds_left(const runner_t *r)
{
    double known = r->spent, n_known = (double)r->ended, gone = 0.0, running = 0.0, longest = 0.0;
    double n_unknown = (double)(r->n_queue - r->next); /* jobs that are waiting or have just
                                                        * begun */
    for (size_t i = 0; i < r->pool.n_slots; i++) {
        const job_slot_t *slot = &r->pool.slots[i];
        const double since = clock_seconds() - slot->begun, left = slot_left(r, slot);
        if (left >= 0.0) {
            known += since + left;
            n_known += 1.0;
            running += left;
            longest = fmax(longest, left);
        } else if (slot->pid != 0) {
            n_unknown += 1.0;
            gone += since;
        }
    }
    if (n_known == 0.0)
        return -1.0;
    const double others = fmax(known / n_known * n_unknown - gone, 0.0);
    return fmax((running + others) / (double)r->pool.n_slots, longest);
}

static void draw(runner_t *r)
{
    char line[SWEEP_LINE], left[FORMAT_MAX], gone[FORMAT_MAX];
    if (!r->live)
        return;
    erase(r);
    draw_line(r, sweep_line_head);
    for (size_t i = 0; i < r->pool.n_slots; i++) {
        if (r->pool.slots[i].pid == 0)
            continue;
        sweep_job_line(r->sweep, r->pool.slots[i].job, line);
        draw_line(r, line);
    }
    snprintf(line, sizeof(line), "%zu of %zu ended, %zu failed, %zu running, %s, %s left", r->ended,
             r->n_queue, r->failed, r->pool.running, format_clock(gone, clock_seconds() - r->begun),
             format_clock(left, seconds_left(r)));
    draw_line(r, line);
    fflush(stderr);
}

/* Prints a permanent line. */
static void say_ended(runner_t *r, size_t index, double seconds)
{
    const sweep_job_t *job = &r->sweep->jobs[index];
    char time_text[FORMAT_MAX];
    erase(r);
    if (job->state == SWEEP_FAILED) {
        char *reason = sweep_reason(r->sweep, index);
        rb_warn("job %zu failed: %s: %s", index + 1, job->label, reason);
        free(reason);
        return;
    }
    format_seconds(time_text, seconds);
    if (job->state == SWEEP_DONE)
        rb_info("[%zu/%zu] done: %s, %s", r->ended, r->n_queue, job->label, time_text);
    else
        rb_info("stopped: %s, %s", job->label, time_text);
}

static rb_code_t start_next(runner_t *r, rb_err_t *err)
{
    size_t index = r->queue[r->next];
    sweep_job_t *job = &r->sweep->jobs[index];
    char *log = sweep_job_path(job, ".log"), *mark = sweep_job_path(job, ".failed");
    unlink(log);
    unlink(mark);
    rb_code_t rc;
    if (job->argv != NULL) {
        rc = job_pool_start(&r->pool, index, job->argv, log, err);
    } else {
        char shell[] = "/bin/sh", option[] = "-c";
        rc = job_pool_start(&r->pool, index, (char *[]){shell, option, job->command, NULL}, log,
                            err);
    }
    free(log);
    free(mark);
    if (rc == RB_OK) {
        job->state = SWEEP_RUNNING;
        r->next++;
    }
    return rc;
}

static rb_code_t end_job(runner_t *r, size_t index, int status, rb_err_t *err)
{
    double seconds = 0.0;
    for (size_t i = 0; i < r->pool.n_slots; i++) {
        const job_slot_t *slot = &r->pool.slots[i];
        if (slot->pid == 0 && slot->job == index && slot->begun > 0.0)
            seconds = clock_seconds() - slot->begun;
    }
    rb_code_t rc = sweep_mark(r->sweep, index, status, err);
    const sweep_state_t state = r->sweep->jobs[index].state;
    if (state == SWEEP_DONE || state == SWEEP_FAILED) {
        r->ended++;
        r->spent += seconds;
    }
    r->failed += state == SWEEP_FAILED;
    say_ended(r, index, seconds);
    return rc;
}

/* The first request lets runs stop between windows; the second one ends them at once. */
static void on_stop(runner_t *r)
{
    job_pool_signal(&r->pool, SIGTERM);
    erase(r);
    if (r->pool.stops == 1 && r->pool.running > 0)
        rb_info("stopping: the runs write their results (repeat to end them at once)");
}

static rb_code_t run_queue(runner_t *r, rb_err_t *err)
{
    rb_code_t rc = RB_OK;
    while (r->pool.running > 0 || (rc == RB_OK && r->pool.stops == 0 && r->next < r->n_queue)) {
        rb_err_t why = {0};
        size_t job;
        int status;
        rb_code_t now = RB_OK;
        while (rc == RB_OK && now == RB_OK && r->pool.stops == 0 && r->next < r->n_queue &&
               r->pool.running < r->pool.n_slots)
            now = start_next(r, &why);
        draw(r);
        if (now == RB_OK && r->pool.running > 0) {
            job_event_t event = job_pool_wait(&r->pool, redraw_seconds, &job, &status);
            if (event == JOB_ENDED)
                now = end_job(r, job, status, &why);
            else if (event == JOB_STOP)
                on_stop(r);
        }
        /* A failure of this process (no memory for children, a full disk) stops all jobs. */
        if (now != RB_OK && rc == RB_OK) {
            rc = now;
            *err = why;
            job_pool_signal(&r->pool, SIGTERM);
        }
    }
    erase(r);
    return rc == RB_OK && r->pool.stops > 0 ? RB_STOPPED : rc;
}

/* Queues the jobs that are not done, do not equal an earlier one, and do not run elsewhere. */
static void fill_queue(runner_t *r, size_t only)
{
    const sweep_t *s = r->sweep;
    r->queue = rb_calloc(s->n_jobs + 1, sizeof(*r->queue));
    for (size_t i = 0; i < s->n_jobs; i++) {
        sweep_state_t state = s->jobs[i].state;
        bool ready, whole = sweep_is_whole(s, i, &ready);
        const size_t base = s->jobs[i].base;
        const bool first = s->jobs[i].same == i;
        const bool repeats = base != i && s->jobs[base].state == SWEEP_DONE;
        bool wanted = only == SWEEP_ALL       ? first && !whole && base == i
                      : only == SWEEP_WHOLES  ? first && whole && ready
                      : only == SWEEP_REPEATS ? first && repeats
                                              : i == only;
        if (wanted && state != SWEEP_DONE && state != SWEEP_RUNNING)
            r->queue[r->n_queue++] = i;
    }
}

static rb_code_t run_some(sweep_t *s, size_t only, size_t n, progress_when_t progress,
                          rb_err_t *err)
{
    runner_t r = {
        .sweep = s,
        .begun = clock_seconds(),
        .live = progress == PROGRESS_ALWAYS || (progress == PROGRESS_AUTO && isatty(STDERR_FILENO)),
        .columns = terminal_columns(STDERR_FILENO, 120),
    };
    RB_TRY(sweep_look(s, err));
    fill_queue(&r, only);
    rb_log_quiet(progress == PROGRESS_NEVER);
    rb_info("%zu jobs, %zu to run, %zu at a time", s->n_jobs, r.n_queue,
            r.n_queue < n ? r.n_queue : n);
    job_pool_begin(&r.pool, n);
    rb_code_t rc = run_queue(&r, err);
    job_pool_end(&r.pool);
    rb_log_quiet(false);
    rb_code_t looked = sweep_look(s, rc == RB_OK ? err : NULL);
    free(r.queue);
    return rc != RB_OK ? rc : looked;
}

/* Says what cannot run, if anything. */
static bool has_repeats(const sweep_t *s)
{
    size_t n = 0, waiting = 0;
    for (size_t i = 0; i < s->n_jobs; i++) {
        n += s->jobs[i].base != i;
        waiting += s->jobs[i].base != i && s->jobs[s->jobs[i].base].state != SWEEP_DONE;
    }
    if (n > 0)
        rb_info("%zu jobs follow the choice of the first job of their trace", n);
    if (waiting > 0)
        rb_warn("%zu jobs wait: they take launches that a job chose which is not done", waiting);
    return n > 0;
}

rb_code_t sweep_run(sweep_t *s, size_t only, size_t n, progress_when_t progress, rb_err_t *err)
{
    RB_TRY(run_some(s, only, n, progress, err));
    if (only != SWEEP_ALL)
        return RB_OK;
    if (has_repeats(s))
        RB_TRY(run_some(s, SWEEP_REPEATS, n, progress, err));
    return s->split ? run_some(s, SWEEP_WHOLES, n, progress, err) : RB_OK;
}
