#include "frontend/tool/run/progress_line.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "frontend/tool/io/text_format.h"
#include "frontend/tool/run/run_status.h"
#include "sim/core/log.h"

const char *const progress_when_words[] = {"auto", "always", "never", NULL};

static const double redraw_seconds = 1.0 / 6.0, status_seconds = 1.0;

uint64_t clock_peak_rss_bytes(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (uint64_t)u.ru_maxrss * 1024;
}

static uint64_t rss_bytes(void)
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
        .started = clock_seconds(),
        .begun = clock_seconds(),
        .columns = terminal_columns(STDERR_FILENO, 100),
        .status = -1,
    };
    if (p->on)
        rb_log_set_hook(on_message, p);
}

void progress_line_state(progress_line_t *p, int status)
{
    p->status = status;
}

void progress_line_end(progress_line_t *p)
{
    if (!p->on)
        return;
    rb_log_set_hook(NULL, NULL);
    progress_clear(p);
    p->on = false;
}

/* Shows the percentage of the launch if the total is unknown. */
static void draw(progress_line_t *p, const run_status_t *s, const gpu_progress_t *g)
{
    char rate[FORMAT_MAX], clock[FORMAT_MAX], rss[FORMAT_MAX], line[256], touching[48] = "";
    if (g->touching)
        snprintf(touching, sizeof(touching), " (walks to %llu)", (unsigned long long)g->launch_id);
    format_si(rate, s->rate);
    format_bytes(rss, s->rss_bytes);
    if (s->share >= 0.0)
        snprintf(line, sizeof(line), "%5.1f %%  launch %llu/%llu%s  %s warp-inst/s  %s left  %s",
                 100.0 * s->share, (unsigned long long)s->launch, (unsigned long long)s->launches,
                 touching, rate, format_clock(clock, s->seconds_left), rss);
    else
        snprintf(line, sizeof(line), "launch %llu: %.1f %%%s  %s warp-inst/s  %s gone  %s",
                 (unsigned long long)g->launch_id, 100.0 * g->launch_share, touching, rate,
                 format_clock(clock, clock_seconds() - p->started), rss);
    fprintf(stderr, "\r%.*s\033[K", (int)p->columns - 1, line);
    fflush(stderr);
    p->shown = true;
}

void progress_line_update(progress_line_t *p, const gpu_progress_t *g)
{
    if (!p->on && p->status < 0)
        return;
    double now = clock_seconds();
    bool redraw = p->on && now - p->drawn >= redraw_seconds;
    bool state = p->status >= 0 && now - p->stated >= status_seconds;
    if (!redraw && !state)
        return;
    double elapsed = now - p->begun;
    if (!p->begun_known) {
        p->begun_known = true;
        p->insts_at_begin = g->warp_insts;
        p->share_at_begin = g->share;
        p->begun = now;
        elapsed = 0.0;
    }
    double gained = g->share - p->share_at_begin;
    run_status_t s = {
        .share = g->share,
        .launch = g->launches_done + (g->launches_done < g->launches_total),
        .launches = g->launches_total,
        .rate = elapsed > 0.0 ? (double)(g->warp_insts - p->insts_at_begin) / elapsed : -1.0,
        .seconds_left = gained > 0.0 && elapsed > 0.0 ? (1.0 - g->share) * elapsed / gained : -1.0,
        .rss_bytes = rss_bytes(),
    };
    if (redraw) {
        p->drawn = now;
        draw(p, &s, g);
    }
    if (state) {
        p->stated = now;
        run_status_write(p->status, &s);
    }
}
