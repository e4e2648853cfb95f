#include "sampling/inside/region_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/math/linkage_line.h"
#include "sim/core/alloc.h"

/* An epoch being summed up. */
typedef struct {
    uint64_t n;
    double ratio; /* sum of requests per warp instruction */
    double sum[2], squares[2];
} epoch_sum_t;

typedef struct {
    double stall, variation;
} epoch_t;

typedef struct {
    epoch_t *list; /* owned */
    size_t n, cap;
} epochs_t;

static void add_block(epoch_sum_t *e, const block_facts_t *b)
{
    const double count[2] = {(double)b->requests, (double)b->warp_insts};
    e->n++;
    e->ratio += b->warp_insts == 0 ? 0 : count[0] / count[1];
    for (int i = 0; i < 2; i++) {
        e->sum[i] += count[i];
        e->squares[i] += count[i] * count[i];
    }
}

static void end_epoch(epochs_t *epochs, epoch_sum_t *e)
{
    const double n = (double)e->n;
    epoch_t out = {.stall = e->ratio / n};
    for (int i = 0; i < 2; i++) {
        double mean = e->sum[i] / n, variance = e->squares[i] / n - mean * mean;
        double cov = mean > 0 && variance > 0 ? sqrt(variance) / mean : 0;
        out.variation = fmax(out.variation, cov);
    }
    rb_grow(&epochs->list, &epochs->cap, epochs->n + 1, sizeof(*epochs->list));
    epochs->list[epochs->n++] = out;
    *e = (epoch_sum_t){0};
}

static void add_insts(region_table_t *t, uint64_t block, uint64_t insts)
{
    const insts_run_t *last = t->n_runs == 0 ? NULL : &t->runs[t->n_runs - 1];
    if (last != NULL && last->insts == insts)
        return;
    uint64_t before = last == NULL ? 0 : last->before + (block - last->first) * last->insts;
    rb_grow(&t->runs, &t->cap_runs, t->n_runs + 1, sizeof(*t->runs));
    t->runs[t->n_runs++] = (insts_run_t){block, before, insts};
}

static rb_code_t read_epochs(region_table_t *t, epochs_t *epochs, const trace_source_ops_t *ops,
                             trace_launch_t *launch, rb_err_t *err)
{
    epoch_sum_t sum = {0};
    for (;; t->blocks++) {
        block_facts_t facts;
        bool stored;
        RB_TRY(ops->block_facts(launch, t->blocks, &facts, &stored, err));
        if (sum.n == t->epoch || (!stored && sum.n > 0))
            end_epoch(epochs, &sum);
        if (!stored)
            return RB_OK;
        add_block(&sum, &facts);
        add_insts(t, t->blocks, facts.warp_insts);
    }
}

/* Clusters of the epochs, numbered from 0: those alone for their variation come last. */
static uint32_t *cluster_epochs(const epochs_t *epochs, const region_rule_t *rule)
{
    uint32_t *cluster = rb_calloc(epochs->n, sizeof(*cluster));
    uint32_t *found = rb_calloc(epochs->n, sizeof(*found));
    double *stall = rb_calloc(epochs->n, sizeof(*stall)), mean = 0;
    size_t n = 0;
    for (size_t i = 0; i < epochs->n; i++)
        mean += epochs->list[i].stall / (double)epochs->n;
    const double scale = rule->normalise && mean > 0 ? 1 / mean : 1;
    for (size_t i = 0; i < epochs->n; i++) {
        if (epochs->list[i].variation <= rule->variation)
            stall[n++] = epochs->list[i].stall * scale;
    }
    uint32_t next = (uint32_t)linkage_line(stall, n, rule->threshold, found);
    n = 0;
    for (size_t i = 0; i < epochs->n; i++)
        cluster[i] = epochs->list[i].variation <= rule->variation ? found[n++] : next++;
    free(stall);
    free(found);
    return cluster;
}

static void join_epochs(region_table_t *t, const epochs_t *epochs, const uint32_t *cluster,
                        double limit)
{
    size_t cap = 0;
    for (size_t i = 0, to; i < epochs->n; i = to) {
        region_t r = {.first = i * t->epoch,
                      .cluster = cluster[i],
                      .even = epochs->list[i].variation <= limit};
        for (to = i; to < epochs->n && cluster[to] == cluster[i]; to++) {
            r.stall += epochs->list[to].stall;
            r.variation = fmax(r.variation, epochs->list[to].variation);
        }
        r.stall /= (double)(to - i);
        r.end = to < epochs->n ? to * t->epoch : t->blocks;
        rb_grow(&t->list, &cap, t->n + 1, sizeof(*t->list));
        t->list[t->n++] = r;
    }
}

rb_code_t region_table_make(region_table_t *t, trace_source_t *source, uint64_t position,
                            uint64_t slots, const region_rule_t *rule, rb_err_t *err)
{
    const trace_source_ops_t *ops = source->ops;
    trace_launch_t *launch;
    epochs_t epochs = {0};
    *t = (region_table_t){.epoch = slots};
    if (ops->block_facts == NULL)
        return rb_fail(err, RB_USAGE,
                       "regions of blocks are found in the index of a native trace; this source "
                       "(%s) has none: 'rubato convert TRACE FILE.rbt' writes one",
                       ops->name);
    RB_TRY(ops->open(source, position, &launch, err));
    rb_code_t rc = read_epochs(t, &epochs, ops, launch, err);
    ops->close(launch);
    if (rc == RB_OK) {
        uint32_t *cluster = cluster_epochs(&epochs, rule);
        join_epochs(t, &epochs, cluster, rule->variation);
        free(cluster);
    }
    free(epochs.list);
    return rc;
}

void region_table_free(region_table_t *t)
{
    free(t->list);
    free(t->runs);
    *t = (region_table_t){0};
}

const region_t *region_table_find(const region_table_t *t, uint64_t block)
{
    size_t lo = 0, hi = t->n;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (t->list[mid].first <= block)
            lo = mid;
        else
            hi = mid;
    }
    return &t->list[lo];
}

uint64_t region_table_insts(const region_table_t *t, uint64_t block)
{
    size_t lo = 0, hi = t->n_runs;
    if (t->n_runs == 0)
        return 0;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (t->runs[mid].first <= block)
            lo = mid;
        else
            hi = mid;
    }
    return t->runs[lo].before + (block - t->runs[lo].first) * t->runs[lo].insts;
}
