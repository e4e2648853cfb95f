#include "sampling/inside/inst_units.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/inside/warp_reader.h"
#include "sampling/math/bic.h"
#include "sampling/math/pick.h"
#include "sim/core/alloc.h"
#include "sim/core/find_first.h"
#include "sim/core/mix64.h"

enum { RESTARTS = 5 };

static void divide(inst_units_t *u, uint64_t size)
{
    size_t cap = 0;
    for (uint64_t first = 0, end; first < u->insts.blocks; first = end) {
        const uint64_t from = block_insts_before(&u->insts, first);
        /* The first block with enough instructions before it, or the end. */
        FIND_FIRST(end, first + 1, u->insts.blocks,
                   block_insts_before(&u->insts, end) - from >= size);
        rb_grow(&u->list, &cap, u->n + 1, sizeof(*u->list));
        u->list[u->n++] = (inst_unit_t){.first = first, .end = end};
    }
}

static void choose_systematic(inst_units_t *u, size_t wanted, uint64_t seed)
{
    rng_t rng = rng_make(seed, u->n);
    const double step = (double)u->n / (double)wanted, offset = rng_unit(&rng) * step;
    for (size_t i = 0; i < wanted; i++)
        u->list[(size_t)fmin(offset + (double)i * step, (double)(u->n - 1))].chosen = true;
}

static void choose_random(inst_units_t *u, size_t wanted, uint64_t seed)
{
    uint64_t *chosen = rb_calloc(wanted, sizeof(*chosen));
    rng_t rng = rng_make(seed, u->n);
    pick_distinct(&rng, u->n, wanted, chosen);
    for (size_t i = 0; i < wanted; i++)
        u->list[chosen[i]].chosen = true;
    free(chosen);
}

/* Coordinate of a basic block in a dimension of the random projection, 0 .. 1. */
static double coordinate(uint32_t bb, uint32_t direction, uint64_t seed)
{
    return (double)(mix64(mix64(seed ^ bb) ^ direction) >> 11) * 0x1p-53;
}

/* Adds the instructions of a block to a projected vector. */
static rb_code_t add_block(double *x, warp_reader_t *r, const bb_table_t *table, uint64_t block,
                           const units_rule_t *rule, rb_err_t *err)
{
    RB_TRY(warp_reader_block(r, block, err));
    for (uint32_t w = 0; w < r->n_warps; w++) {
        RB_TRY(warp_reader_warp(r, w, err));
        for (size_t i = 0; i < r->n_counts; i++) {
            const uint32_t bb = r->counts[i].bb;
            const double insts = (double)r->counts[i].n * table->bbs[bb].n_insts;
            for (uint32_t d = 0; d < rule->dimensions; d++)
                x[d] += insts * coordinate(bb, d, rule->seed);
        }
    }
    return RB_OK;
}

static rb_code_t read_vectors(double *x, const inst_units_t *u, const sampler_launch_t *l,
                              const units_rule_t *rule, rb_err_t *err)
{
    bb_table_t table = {0};
    warp_reader_t reader;
    rb_code_t rc = warp_reader_open(&reader, l, &table, err);
    for (size_t i = 0; i < u->n && rc == RB_OK; i++) {
        const inst_unit_t *unit = &u->list[i];
        double *row = x + i * rule->dimensions;
        for (uint64_t b = unit->first; b < unit->end && rc == RB_OK; b++)
            rc = add_block(row, &reader, &table, b, rule, err);
        const double insts = (double)(block_insts_before(&u->insts, unit->end) -
                                      block_insts_before(&u->insts, unit->first));
        for (uint32_t d = 0; d < rule->dimensions && insts > 0; d++)
            row[d] /= insts;
    }
    warp_reader_close(&reader);
    bb_table_free(&table);
    return rc;
}

static rb_code_t choose_simpoint(inst_units_t *u, const sampler_launch_t *l,
                                 const units_rule_t *rule, rb_err_t *err)
{
    double *x = rb_calloc(u->n * rule->dimensions, sizeof(*x));
    double *weight = rb_calloc(u->n, sizeof(*weight));
    uint32_t *cluster = rb_calloc(u->n, sizeof(*cluster));
    rb_code_t rc = read_vectors(x, u, l, rule, err);
    if (rc == RB_OK) {
        const points_t points = {x, weight, u->n, rule->dimensions};
        const size_t most = rule->clusters < u->n ? rule->clusters : u->n;
        for (size_t i = 0; i < u->n; i++)
            weight[i] = 1;
        u->n_clusters = bic_kmeans(&points, most, rule->bic, RESTARTS, rule->seed, cluster);
        bool *seen = rb_calloc(u->n_clusters, sizeof(*seen));
        for (size_t i = 0; i < u->n; i++) {
            u->list[i].cluster = cluster[i];
            u->list[i].chosen = !seen[cluster[i]];
            seen[cluster[i]] = true;
        }
        free(seen);
    }
    free(x);
    free(weight);
    free(cluster);
    return rc;
}

rb_code_t inst_units_make(inst_units_t *u, const sampler_launch_t *l, const units_rule_t *rule,
                          rb_err_t *err)
{
    *u = (inst_units_t){.n_clusters = 1};
    RB_TRY(block_insts_read(&u->insts, l->source, l->position, NULL, NULL, err));
    divide(u, rule->size);
    if (u->n == 0)
        return RB_OK;
    size_t wanted = (size_t)llround(rule->share * (double)u->n);
    wanted = wanted == 0 ? 1 : wanted > u->n ? u->n : wanted;
    if (rule->which == UNITS_SYSTEMATIC)
        choose_systematic(u, wanted, rule->seed);
    else if (rule->which == UNITS_RANDOM)
        choose_random(u, wanted, rule->seed);
    else
        RB_TRY(choose_simpoint(u, l, rule, err));
    for (size_t i = 0; i < u->n; i++)
        u->n_chosen += u->list[i].chosen;
    return RB_OK;
}

void inst_units_free(inst_units_t *u)
{
    block_insts_free(&u->insts);
    free(u->list);
    *u = (inst_units_t){0};
}

size_t inst_units_find(const inst_units_t *u, uint64_t block)
{
    size_t after;
    FIND_FIRST(after, 1, u->n, u->list[after].first > block);
    return after - 1;
}
