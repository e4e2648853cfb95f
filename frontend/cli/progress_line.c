#include "frontend/cli/progress_line.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "frontend/cli/text_format.h"
#include "sim/core/log.h"

static const double redraw_seconds = 1.0 / 6.0;

double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint64_t clock_peak_rss_bytes(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (uint64_t)u.ru_maxrss * 1024;
}

uint64_t clock_rss_bytes(void)
{
    unsigned long size, resident = 0;
    FILE *in = fopen("/proc/self/statm", "re");
    if (in == NULL)
        return 0;
    if (fscanf(in, "%lu %lu", &size, &resident) != 2)
        resident = 0;
    fclose(in);
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

unsigned terminal_columns(int fd, unsigned otherwise)
{
    struct winsize w;
    return isatty(fd) && ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : otherwise;
}

static void progress_clear(progress_line_t *p)
{
    if (p->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    p->shown = false;
}

static void on_message(void *ctx, bool before)
{
    if (before)
        progress_clear(ctx);
}

void progress_line_begin(progress_line_t *p, progress_when_t when)
{
    *p = (progress_line_t){
        .on = when == PROGRESS_ALWAYS || (when == PROGRESS_AUTO && isatty(STDERR_FILENO)),
        .begun = clock_seconds(),
        .columns = terminal_columns(STDERR_FILENO, 100),
    };
    if (p->on)
        rb_log_set_hook(on_message, p);
}

void progress_line_end(progress_line_t *p)
{
    if (!p->on)
        return;
    rb_log_set_hook(NULL, NULL);
    progress_clear(p);
    p->on = false;
}

/* Share of the work that is done: by bytes of input where known, else by launches and blocks. */
static double work_done(const gpu_progress_t *g)
{
    double f = 0.0;
    if (g->input_total > 0) {
        f = (double)g->input_done / (double)g->input_total;
    } else if (g->launches_total > 0) {
        double part = g->blocks_total > 0 ? (double)g->blocks_done / (double)g->blocks_total : 0.0;
        f = ((double)g->launches_done + part) / (double)g->launches_total;
    }
    return f < 1.0 ? f : 1.0;
}

void progress_line_update(progress_line_t *p, const gpu_progress_t *g)
{
    if (!p->on)
        return;
    double now = clock_seconds();
    if (now - p->drawn < redraw_seconds)
        return;
    p->drawn = now;
    double f = work_done(g), elapsed = now - p->begun;
    if (!p->begun_known) {
        p->begun_known = true;
        p->insts_at_begin = g->warp_insts;
        p->fraction_at_begin = f;
        p->begun = now;
        elapsed = 0.0;
    }
    double gained = f - p->fraction_at_begin;
    double left = gained > 0.0 && elapsed > 0.0 ? (1.0 - f) * elapsed / gained : -1.0;
    char rate[FORMAT_MAX], eta[FORMAT_MAX], rss[FORMAT_MAX], line[256];
    uint64_t launch =
        g->launches_done < g->launches_total ? g->launches_done + 1 : g->launches_total;
    snprintf(line, sizeof(line), "%5.1f %%  launch %llu/%llu  %s warp-inst/s  %s left  %s",
             100.0 * f, (unsigned long long)launch, (unsigned long long)g->launches_total,
             elapsed > 0.0 ? format_si(rate, (double)(g->warp_insts - p->insts_at_begin) / elapsed)
                           : "-",
             format_clock(eta, left), format_bytes(rss, clock_rss_bytes()));
    fprintf(stderr, "\r%.*s\033[K", (int)p->columns - 1, line);
    fflush(stderr);
    p->shown = true;
}
