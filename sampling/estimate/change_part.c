#include "sampling/estimate/change_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

/* Share of the cycles that a group has at least, if its kernel has so many. */
#define GROUP_SHARE 0.1

/* A cluster of the base's plan. */
typedef struct {
    uint32_t cluster;
    uint32_t kernel; /* number of its name, the same for equal ones */
    bool small;      /* the kernel has less than GROUP_SHARE */
    uint64_t samples;
    double total, time; /* sum of x; mean cycles */
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
    return (x->cluster > y->cluster) - (x->cluster < y->cluster);
}

/* The first name that equals name i. */
static uint32_t first_equal(const plan_t *plan, uint32_t i)
{
    uint32_t first = 0;
    while (strcmp(plan->names[first], plan->names[i]) != 0)
        first++;
    return first;
}

static piece_t *make_pieces(const part_groups_t *g)
{
    const plan_t *plan = g->plan;
    piece_t *piece = rb_calloc(plan->n_clusters + 1, sizeof(*piece));
    uint32_t *kernel = rb_calloc(plan->n_names + 1, sizeof(*kernel));
    double *of_kernel = rb_calloc(plan->n_names + 1, sizeof(*of_kernel));
    for (uint32_t i = 0; i < plan->n_names; i++)
        kernel[i] = first_equal(plan, i);
    for (uint32_t c = 0; c < plan->n_clusters; c++)
        piece[c] = (piece_t){.cluster = c, .kernel = kernel[plan->clusters[c].name]};
    for (uint64_t i = 0; i < plan->n_samples; i++) {
        piece_t *p = &piece[plan->samples[i].cluster];
        p->total += g->x[i];
        p->time += g->cycles[i];
        p->samples++;
        of_kernel[p->kernel] += g->x[i];
    }
    for (uint32_t c = 0; c < plan->n_clusters; c++) {
        piece[c].time /= piece[c].samples > 0 ? (double)piece[c].samples : 1;
        piece[c].small = of_kernel[piece[c].kernel] < GROUP_SHARE * g->all;
    }
    free(kernel);
    free(of_kernel);
    qsort(piece, plan->n_clusters, sizeof(*piece), by_kernel_and_length);
    return piece;
}

/* The end of the pieces from which a group may be made: those of a kernel, or all small ones. */
static uint32_t end_of_run(const piece_t *piece, uint32_t n, uint32_t i, double *total)
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

/* Numbers the groups, in group_of per cluster. */
static void number_groups(part_groups_t *g, const piece_t *piece, uint32_t *group_of)
{
    const double share = GROUP_SHARE * g->all;
    const uint32_t n = g->plan->n_clusters;
    for (uint32_t i = 0; i < n;) {
        double left, have = 0;
        const uint32_t end = end_of_run(piece, n, i, &left);
        const bool any = left > 0;
        for (; i < end; i++) {
            group_of[piece[i].cluster] = g->n;
            have += piece[i].total;
            left -= piece[i].total;
            if (have >= share && left >= share) {
                g->n++;
                have = 0;
            }
        }
        g->n += any;
    }
}

void part_groups_make(part_groups_t *g, const plan_t *plan, const double *cycles)
{
    *g = (part_groups_t){.plan = plan, .cycles = cycles};
    g->of = rb_calloc(plan->n_samples + 1, sizeof(*g->of));
    g->x = rb_calloc(plan->n_samples + 1, sizeof(*g->x));
    for (uint64_t i = 0; i < plan->n_samples; i++) {
        g->x[i] = plan->samples[i].weight * cycles[i];
        g->all += g->x[i];
    }
    piece_t *piece = make_pieces(g);
    uint32_t *group_of = rb_calloc(plan->n_clusters + 1, sizeof(*group_of));
    number_groups(g, piece, group_of);
    g->total = rb_calloc(g->n + 1, sizeof(*g->total));
    g->cost = rb_calloc(g->n + 1, sizeof(*g->cost));
    g->samples = rb_calloc(g->n + 1, sizeof(*g->samples));
    for (uint64_t i = 0; i < plan->n_samples; i++) {
        const uint32_t of = g->of[i] = group_of[plan->samples[i].cluster];
        g->total[of] += g->x[i];
        g->cost[of] += g->x[i] * cycles[i];
        g->samples[of]++;
    }
    for (uint32_t k = 0; k < g->n; k++)
        g->cost[k] /= g->total[k];
    free(group_of);
    free(piece);
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
