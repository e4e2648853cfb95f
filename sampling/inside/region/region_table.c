#include "sampling/inside/region/region_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/math/linkage_line.h"
#include "sim/core/alloc.h"
#include "sim/core/find_first.h"

/* Sums over the blocks of an epoch. */
typedef struct {
    uint64_t n;
    double ratio; /* sum over the blocks of requests per warp instruction */
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

/* Context of the visit of all blocks. */
typedef struct {
    uint64_t size; /* blocks per epoch */
    epoch_sum_t sum;
    epochs_t epochs;
} division_t;

static void take_block(void *ctx, const block_facts_t *facts)
{
    division_t *d = ctx;
    add_block(&d->sum, facts);
    if (d->sum.n == d->size)
        end_epoch(&d->epochs, &d->sum);
}

/* Clusters of the epochs, numbered from 0; those of single epochs with large variation come
 * last. */
static uint32_t *cluster_epochs(const epochs_t *epochs, const region_rule_t *rule)
{
    uint32_t *cluster = rb_calloc(epochs->n + 1, sizeof(*cluster));
    uint32_t *found = rb_calloc(epochs->n + 1, sizeof(*found));
    double *stall = rb_calloc(epochs->n + 1, sizeof(*stall)), mean = 0;
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
        r.end = to < epochs->n ? to * t->epoch : t->insts.blocks;
        rb_grow(&t->list, &cap, t->n + 1, sizeof(*t->list));
        t->list[t->n++] = r;
    }
}

rb_code_t region_table_make(region_table_t *t, trace_source_t *source, uint64_t position,
                            uint64_t slots, const region_rule_t *rule, rb_err_t *err)
{
    division_t d = {.size = slots};
    *t = (region_table_t){.epoch = slots};
    rb_code_t rc = block_insts_read(&t->insts, source, position, take_block, &d, err);
    if (rc == RB_OK && d.sum.n > 0)
        end_epoch(&d.epochs, &d.sum);
    if (rc == RB_OK) {
        uint32_t *cluster = cluster_epochs(&d.epochs, rule);
        join_epochs(t, &d.epochs, cluster, rule->variation);
        free(cluster);
    }
    free(d.epochs.list);
    return rc;
}

void region_table_free(region_table_t *t)
{
    free(t->list);
    block_insts_free(&t->insts);
    *t = (region_table_t){0};
}

const region_t *region_table_find(const region_table_t *t, uint64_t block)
{
    size_t after;
    FIND_FIRST(after, 1, t->n, t->list[after].first > block);
    return &t->list[after - 1];
}
