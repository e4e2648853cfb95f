#include "sampling/estimate/change/change_part.h"

#include <math.h>
#include <stdlib.h>

#include "sim/core/alloc.h"

/* Least share of the cycles of a group, if its kernel has that share. */
#define GROUP_SHARE 0.1

/* Launches of a kernel are divided where they are this many times as long as the shortest of the group. */
#define LONGER 1.2

/* A sample of the base. */
typedef struct {
    uint64_t sample, kernel;
    bool small; /* the kernel has less than GROUP_SHARE */
    double total, time;
} piece_t;

static int by_kernel_and_length(const void *a, const void *b)
{
    const piece_t *x = a, *y = b;
    if (x->small != y->small)
        return x->small - y->small;
    if (x->kernel != y->kernel)
        return x->kernel < y->kernel ? -1 : 1;
    if (x->time < y->time || y->time < x->time)
        return x->time < y->time ? -1 : 1;
    return (x->sample > y->sample) - (x->sample < y->sample);
}

/* The samples by kernel, in order of length. */
static piece_t *make_pieces(const part_groups_t *g, const uint64_t *kernel)
{
    const uint64_t n = g->plan->n_samples;
    piece_t *piece = rb_calloc(n + 1, sizeof(*piece));
    for (uint64_t i = 0; i < n; i++)
        piece[i] = (piece_t){i, kernel[i], false, g->x[i], g->cycles[i]};
    qsort(piece, n, sizeof(*piece), by_kernel_and_length);
    for (uint64_t from = 0, to; from < n; from = to) {
        double total = 0;
        for (to = from; to < n && piece[to].kernel == piece[from].kernel; to++)
            total += piece[to].total;
        for (uint64_t i = from; i < to; i++)
            piece[i].small = total < GROUP_SHARE * g->all;
    }
    qsort(piece, n, sizeof(*piece), by_kernel_and_length);
    return piece;
}

/* The end of the pieces from which a group may be made: those of a kernel, or all small ones. */
static uint64_t end_of_run(const piece_t *piece, uint64_t n, uint64_t i, double *total)
{
    const piece_t first = piece[i];
    *total = 0;
    for (; i < n && piece[i].small == first.small; i++) {
        if (!first.small && piece[i].kernel != first.kernel)
            break;
        *total += piece[i].total;
    }
    return i;
}

static void number_groups(part_groups_t *g, const piece_t *piece)
{
    const double share = GROUP_SHARE * g->all;
    const uint64_t n = g->plan->n_samples;
    for (uint64_t i = 0; i < n; g->n++) {
        double left, have = 0;
        const uint64_t end = end_of_run(piece, n, i, &left);
        for (uint64_t first = i; i < end; i++) {
            const bool longer = piece[i].small || piece[i].time > LONGER * piece[first].time;
            if (have >= share && left >= share && longer) {
                g->n++;
                have = 0;
                first = i;
            }
            g->of[piece[i].sample] = g->n;
            have += piece[i].total;
            left -= piece[i].total;
        }
    }
}

void part_groups_make(part_groups_t *g, const plan_t *plan, const double *cycles,
                      const uint64_t *kernel)
{
    *g = (part_groups_t){.plan = plan, .cycles = cycles};
    g->of = rb_calloc(plan->n_samples + 1, sizeof(*g->of));
    g->x = rb_calloc(plan->n_samples + 1, sizeof(*g->x));
    for (uint64_t i = 0; i < plan->n_samples; i++) {
        g->x[i] = plan->samples[i].weight * cycles[i];
        g->all += g->x[i];
    }
    piece_t *piece = make_pieces(g, kernel);
    number_groups(g, piece);
    free(piece);
    g->total = rb_calloc(g->n + 1, sizeof(*g->total));
    g->cost = rb_calloc(g->n + 1, sizeof(*g->cost));
    g->samples = rb_calloc(g->n + 1, sizeof(*g->samples));
    for (uint64_t i = 0; i < plan->n_samples; i++) {
        const uint32_t of = g->of[i];
        g->total[of] += g->x[i];
        g->cost[of] += g->x[i] * cycles[i];
        g->samples[of]++;
    }
    for (uint32_t k = 0; k < g->n; k++)
        g->cost[k] /= g->total[k];
}

void part_groups_free(part_groups_t *g)
{
    free(g->of);
    free(g->x);
    free(g->total);
    free(g->cost);
    free(g->samples);
    *g = (part_groups_t){0};
}

part_drawn_t part_drawn(const part_groups_t *g, const uint32_t *drawn, uint32_t group)
{
    part_drawn_t d = {0};
    for (uint64_t i = 0; i < g->plan->n_samples; i++) {
        if (g->of[i] != group)
            continue;
        d.draws += drawn[i];
        d.distinct += drawn[i] > 0;
    }
    d.complete = d.distinct == g->samples[group];
    return d;
}

void part_common(const part_groups_t *g, const uint32_t *a, const uint32_t *b, uint32_t *both)
{
    for (uint32_t group = 0; group < g->n; group++) {
        const bool all_a = part_drawn(g, a, group).complete,
                   all_b = part_drawn(g, b, group).complete;
        for (uint64_t i = 0; i < g->plan->n_samples; i++)
            if (g->of[i] == group)
                both[i] = all_b || (!all_a && a[i] < b[i]) ? a[i] : b[i];
    }
}

void part_weights(const part_groups_t *g, const uint32_t *drawn, double *weight)
{
    part_drawn_t *of = rb_calloc(g->n + 1, sizeof(*of));
    for (uint32_t k = 0; k < g->n; k++)
        of[k] = part_drawn(g, drawn, k);
    for (uint64_t i = 0; i < g->plan->n_samples; i++) {
        const part_drawn_t *d = &of[g->of[i]];
        weight[i] = d->complete ? g->plan->samples[i].weight : 0;
        if (!d->complete && drawn[i] > 0)
            weight[i] = drawn[i] * g->total[g->of[i]] / ((double)d->draws * g->cycles[i]);
    }
    free(of);
}

double part_spread(const part_groups_t *g, const uint32_t *drawn, uint32_t group, const double *d,
                   double *mean)
{
    double n = 0, sum = 0, squares = 0;
    for (uint64_t i = 0; i < g->plan->n_samples; i++) {
        if (g->of[i] != group || drawn[i] == 0)
            continue;
        n += drawn[i];
        sum += drawn[i] * d[i] / g->cycles[i];
    }
    *mean = sum / n;
    for (uint64_t i = 0; i < g->plan->n_samples; i++)
        if (g->of[i] == group && drawn[i] > 0)
            squares += drawn[i] * pow(d[i] / g->cycles[i] - *mean, 2);
    return n >= 2 ? sqrt(squares / (n - 1)) : (double)NAN;
}
