#include "sampling/estimate/cold_launches.h"

#include <math.h>
#include <stdlib.h>

#include "sim/core/alloc.h"

void cold_launches_add(cold_launches_t *c, const launch_result_t *r, double weight)
{
    c->apart = c->apart || (c->n > 0 && r->start < c->end);
    c->end = r->end;
    c->fetched += (double)r->touched.fetched;
    c->placed += (double)r->touched.placed;
    rb_grow(&c->launch, &c->cap, c->n + 1, sizeof(*c->launch));
    c->launch[c->n++] = (priced_launch_t){
        .code = r->info.code_id,
        .insts = r->warp_insts,
        .fills = (double)r->l2.fills,
        .cycles = (double)launch_result_cycles(r) - (double)r->launch_cycles,
        .left_hits = fmax(weight - 1, 0) * (double)r->l2.read_hits,
    };
}

double cold_launches_more(const cold_launches_t *c, double known, double estimated)
{
    return c->apart ? 0 : fmax(known - fmax(estimated, 0), 0);
}

static int by_likeness(const void *a, const void *b)
{
    const priced_launch_t *x = a, *y = b;
    if (x->code != y->code)
        return x->code < y->code ? -1 : 1;
    return (x->insts > y->insts) - (x->insts < y->insts);
}

/* Sums over launches of squares and products of deviations from their means: of fills (f), cycles (c) and instructions
 * (i). */
typedef struct {
    double ff, fc, ii, fi, ic;
} deviations_t;

static deviations_t deviations(const priced_launch_t *l, size_t n)
{
    deviations_t d = {0};
    double fills = 0, cycles = 0, insts = 0;
    for (size_t k = 0; k < n; k++) {
        fills += l[k].fills / (double)n;
        cycles += l[k].cycles / (double)n;
        insts += (double)l[k].insts / (double)n;
    }
    for (size_t k = 0; k < n; k++) {
        const double f = l[k].fills - fills, c = l[k].cycles - cycles;
        const double i = (double)l[k].insts - insts;
        d.ff += f * f;
        d.fc += f * c;
        d.ii += i * i;
        d.fi += f * i;
        d.ic += i * c;
    }
    return d;
}

/* Fills that go along with instructions but for this share of their variance tell nothing. */
#define LEAST_ALONE 1e-3

/* Cycles by fills at equal instructions, of launches whose lengths differ; NAN: their fills tell nothing. */
static double partial_slope(const deviations_t *d)
{
    const double alone = d->ff * d->ii - d->fi * d->fi;
    return alone > LEAST_ALONE * d->ff * d->ii ? fmax(d->fc * d->ii - d->ic * d->fi, 0) / alone
                                               : NAN;
}

/* A kernel, or all. */
typedef struct {
    double ff, fc;        /* among launches of the same length */
    double fills, cycles; /* of launches that fetched any */
    double slope;         /* of a kernel; NAN: unknown */
    double left_hits;
} kernel_price_t;

/* A sector costs no more than it would if launches did nothing but wait for theirs. */
static double at_most(const kernel_price_t *k, double slope)
{
    return k->fills > 0 && slope > k->cycles / k->fills ? k->cycles / k->fills : slope;
}

/* Sets *k to the kernel of launch `from`; returns the first launch after it that is of another one. */
static size_t kernel_price(const cold_launches_t *c, size_t from, kernel_price_t *k)
{
    size_t end = from, to = from;
    *k = (kernel_price_t){0};
    for (; end < c->n && c->launch[end].code == c->launch[from].code; end++) {
        k->left_hits += c->launch[end].left_hits;
        k->fills += c->launch[end].fills;
        k->cycles += c->launch[end].fills > 0 ? c->launch[end].cycles : 0;
    }
    for (size_t at = from; at < end; at = to) {
        for (to = at + 1; to < end && c->launch[to].insts == c->launch[at].insts; to++)
            ;
        const deviations_t d = deviations(&c->launch[at], to - at);
        k->ff += d.ff;
        k->fc += d.fc;
    }
    const deviations_t d = deviations(&c->launch[from], end - from);
    k->slope = k->ff > 0 ? fmax(k->fc, 0) / k->ff : partial_slope(&d);
    return end;
}

double cold_launches_price(cold_launches_t *c)
{
    kernel_price_t all = {0}, k;
    double price = 0;
    if (c->n == 0)
        return 0;
    qsort(c->launch, c->n, sizeof(*c->launch), by_likeness);
    for (size_t from = 0; from < c->n;) {
        from = kernel_price(c, from, &k);
        all.ff += k.ff;
        all.fc += k.fc;
        all.fills += k.fills;
        all.cycles += k.cycles;
        all.left_hits += k.left_hits;
    }
    if (all.fills == 0)
        return 0;
    all.slope = at_most(&all, all.ff > 0 ? fmax(all.fc, 0) / all.ff : INFINITY);
    if (all.left_hits <= 0)
        return all.slope;
    for (size_t from = 0; from < c->n;) {
        from = kernel_price(c, from, &k);
        const double slope = at_most(&k, isnan(k.slope) ? all.slope : k.slope);
        price += slope * k.left_hits / all.left_hits;
    }
    return price;
}

void cold_launches_free(cold_launches_t *c)
{
    free(c->launch);
    *c = (cold_launches_t){0};
}
