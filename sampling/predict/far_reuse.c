#include "sampling/predict/far_reuse.h"

#include <math.h>

typedef struct {
    double s, f;
} sharing_t;

/* The share of data that k windows use. */
static double covered(double f, double k)
{
    return 1 - pow(1 - f, k);
}

/* Accesses of a window to lines that are new to it; *found: that earlier windows used. */
static double novel_of(const stack_counts_t *c, double *found)
{
    *found = c->read.far + c->write.far;
    return *found + c->read.never + c->write.never;
}

/* The best s for a share f, and how far off it is: chi squared, the variance being that of counted lines. */
static double misfit(const far_window_t *window, size_t n, double f, double *s)
{
    double xy = 0, xx = 0, chi = 0;
    for (size_t i = 0; i < n; i++) {
        double found;
        const double x = covered(f, (double)i + 1), novel = novel_of(&window[i].counts, &found);
        xy += x * found;
        xx += x * x * novel;
    }
    *s = xx > 0 ? fmin(xy / xx, 1) : 0;
    for (size_t i = 0; i < n; i++) {
        double found;
        const double novel = novel_of(&window[i].counts, &found);
        const double share = *s * covered(f, (double)i + 1);
        const double lines = novel / fmax(window[i].counted, 1); /* accesses of a counted line */
        const double variance = lines * fmax(share * (1 - share) * novel, lines);
        chi += novel > 0 ? (found - share * novel) * (found - share * novel) / variance : 0;
    }
    return chi;
}

/* The largest f whose chi squared is within two standard deviations of the best one: it assumes the least reuse that
 * the windows did not show. */
static sharing_t fit(const far_window_t *window, size_t n)
{
    enum { STEPS = 50 };
    const double allowed = 4; /* two standard deviations, squared */
    sharing_t x = {0, 1};
    double least = INFINITY;
    for (int step = STEPS; step > 0; step--)
        least = fmin(least, misfit(window, n, (double)step / STEPS, &x.s));
    for (int step = STEPS; step > 0; step--) {
        x.f = (double)step / STEPS;
        if (misfit(window, n, x.f, &x.s) <= least + allowed)
            break;
    }
    return x;
}

/* Accesses of unknown distance: a line was last used j windows ago with f (1 - f)^(j - 1), and between were used what is
 * used once and what the windows share. */
static void spread(distances_t *d, double share, const far_window_t *w, sharing_t x)
{
    enum { AGES = 64 };
    const double moved = share * d->never, all = d->far + moved;
    const double most = fmin(fmax(ceil(w->before), 1), AGES), known = covered(x.f, most);
    d->never -= moved;
    d->far = 0;
    for (double j = 1; j <= most && all > 0; j++)
        distances_add(d, w->lines * ((1 - x.s) * j + x.s * covered(x.f, j) / x.f),
                      all * x.f * pow(1 - x.f, j - 1) / known);
}

void far_reuse_settle(far_window_t *window, size_t n)
{
    const sharing_t x = fit(window, n);
    for (size_t i = 0; i < n; i++) {
        far_window_t *w = &window[i];
        double found;
        const double novel = novel_of(&w->counts, &found), never = novel - found;
        const double more = novel * x.s * covered(x.f, w->before) - found;
        const double share = never > 0 ? fmin(fmax(more / never, 0), 1) : 0;
        spread(&w->counts.read, share, w, x);
        spread(&w->counts.write, share, w, x);
        spread(&w->counts.fill, share, w, x);
        spread(&w->counts.dirty, share, w, x);
    }
}
