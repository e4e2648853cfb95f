#include "sim/gpu/streams/overlap_count.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

/* Tags, and the most sets of a shard that are left there between windows. */
enum { TAGS = 0x10000, SETS_KEPT = 64 };

void overlap_count_begin(gpu_t *g, overlap_count_t *c, cycle_t from)
{
    gpu_counters_t before;
    gpu_count(g, from, &before); /* nothing remains to be charged */
    *c = (overlap_count_t){.place = rb_calloc(TAGS, sizeof(*c->place)), .n = 1};
    rb_grow(&c->of, &c->cap, c->n, sizeof(*c->of));
    c->of[0] = (gpu_counters_t){0};
    for (uint32_t i = 0; i < g->n_sms; i++)
        sm_count_by_launch(g->sm[i], true, inst_collector_tables(g->insts));
    for (uint32_t i = 0; i < g->n_partitions; i++)
        partition_count_by_launch(g->partition[i], true);
    g->run.insts_before = gpu_warp_insts(g);
}

void overlap_count_free(overlap_count_t *c)
{
    free(c->of);
    free(c->place);
}

static gpu_counters_t *counters_of(overlap_count_t *c, uint16_t tag)
{
    if (tag == COPY_TAG)
        return &c->copies;
    if (tag != 0 && c->place[tag] == 0) {
        rb_grow(&c->of, &c->cap, c->n + 1, sizeof(*c->of));
        c->of[c->n] = (gpu_counters_t){0};
        c->place[tag] = (uint32_t)c->n++;
    }
    return &c->of[c->place[tag]];
}

static void take_sm(void *ctx, uint16_t tag, const uint64_t *set)
{
    stats_add((uint64_t *)&counters_of(ctx, tag)->sm, set, SM_STAT_COUNT);
}

static void take_l2(void *ctx, uint16_t tag, const uint64_t *set)
{
    stats_add((uint64_t *)&counters_of(ctx, tag)->l2, set, L2_STAT_COUNT);
}

static void take_dram(void *ctx, uint16_t tag, const uint64_t *set)
{
    stats_add((uint64_t *)&counters_of(ctx, tag)->dram, set, DRAM_STAT_COUNT);
}

void overlap_count_tidy(gpu_t *g, overlap_count_t *c)
{
    for (uint32_t i = 0; i < g->n_sms; i++) {
        if (sm_sets_by_launch(g->sm[i]) > SETS_KEPT)
            sm_drain_by_launch(g->sm[i], take_sm, c);
    }
    for (uint32_t i = 0; i < g->n_partitions; i++) {
        if (partition_sets_by_launch(g->partition[i]) > SETS_KEPT)
            partition_drain_by_launch(g->partition[i], take_l2, take_dram, c);
    }
}

static void drain(gpu_t *g, overlap_count_t *c, cycle_t cycle)
{
    for (uint32_t i = 0; i < g->n_sms; i++) {
        sm_charge(g->sm[i], cycle);
        sm_drain_by_launch(g->sm[i], take_sm, c);
    }
    for (uint32_t i = 0; i < g->n_partitions; i++)
        partition_drain_by_launch(g->partition[i], take_l2, take_dram, c);
}

void overlap_count_end(gpu_t *g, overlap_count_t *c)
{
    drain(g, c, g->next_start);
    for (uint32_t i = 0; i < g->n_sms; i++)
        sm_count_by_launch(g->sm[i], false, NULL);
    for (uint32_t i = 0; i < g->n_partitions; i++)
        partition_count_by_launch(g->partition[i], false);
}

void overlap_count_open(gpu_t *g, overlap_count_t *c, cycle_t start)
{
    drain(g, c, start);
    c->of[0].sm.state_no_warp = 0;
}

/* Takes part / all of *n from it, all of it if nothing else is left to take a part. */
static uint64_t share_of(uint64_t *n, uint64_t part, uint64_t all)
{
    const double share = (double)part / (double)all * (double)*n;
    const uint64_t mine = part == all || share >= (double)*n ? *n : (uint64_t)share;
    *n -= mine;
    return mine;
}

void overlap_count_close(gpu_t *g, overlap_count_t *c, cycle_t end, const uint16_t *tag,
                         const uint64_t *cycles, gpu_counters_t *out, size_t n)
{
    drain(g, c, end);
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t place = c->place[tag[i]];
        memset(&out[i], 0, sizeof(out[i]));
        if (place != 0) {
            out[i] = c->of[place];
            c->of[place] = (gpu_counters_t){0};
        }
        all += cycles[i] + 1;
    }
    gpu_counters_t rest = {0};
    for (size_t i = 0; i < c->n; i++)
        stats_add((uint64_t *)&rest, (const uint64_t *)&c->of[i], GPU_COUNTERS);
    for (size_t i = 0; i < n; i++) {
        const uint64_t part = cycles[i] + 1;
        for (size_t k = 0; k < GPU_COUNTERS; k++)
            ((uint64_t *)&out[i])[k] += share_of(&((uint64_t *)&rest)[k], part, all);
        all -= part;
    }
    memset(c->place, 0, TAGS * sizeof(*c->place));
    c->n = 1;
    c->of[0] = (gpu_counters_t){0};
}
