#include "sim/gpu/shadow.h"

#include <math.h>
#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/gpu/gpu_internal.h"
#include "sim/gpu/touch_walk.h"

enum { COUNTS = sizeof(shadow_counts_t) / sizeof(uint64_t) };

typedef struct {
    l2_chip_tags_t tags; /* owned, with their caches */
    shadow_t *out;
} survey_t;

static void add(shadow_counts_t *sum, const shadow_counts_t *more)
{
    for (size_t i = 0; i < COUNTS; i++)
        ((uint64_t *)sum)[i] += ((const uint64_t *)more)[i];
}

static void take_batch(void *ctx, const touch_batch_t *batch)
{
    const survey_t *s = ctx;
    const touch_counts_t *n = &batch->counts;
    l2_warmed_t sum = {0};
    l2_tags_touch(&s->tags, batch->touch, batch->n, batch->masks, &sum);
    const shadow_counts_t c = {
        .warp_insts = n->warp_insts,
        .requests = n->requests,
        .read_sectors = n->repeated_reads + sum.sectors[L2_TOUCH_READ],
        .read_hits = n->repeated_reads + sum.hits[L2_TOUCH_READ],
        .write_sectors = n->repeated_writes + sum.sectors[L2_TOUCH_WRITE],
        .write_hits = n->repeated_writes + sum.hits[L2_TOUCH_WRITE],
        .atomic_sectors = sum.sectors[L2_TOUCH_ATOMIC],
        .atomic_hits = sum.hits[L2_TOUCH_ATOMIC],
        .fills = sum.filled,
        .written_back = sum.written_back,
    };
    add(&s->out->all, &c);
    add(&s->out->bin[batch->block / s->out->blocks_per_bin], &c);
}

static void copy_tags(survey_t *s, const gpu_t *g)
{
    s->tags = gpu_l2_tags(g);
    for (uint32_t i = 0; i < g->map.slices; i++)
        s->tags.slice[i].cache = cache_copy(s->tags.slice[i].cache);
}

static void free_tags(survey_t *s)
{
    for (uint32_t i = 0; i < s->tags.map->slices; i++)
        cache_destroy(s->tags.slice[i].cache);
    free(s->tags.slice);
}

rb_code_t shadow_survey(shadow_t *out, gpu_t *g, trace_source_t *source, uint64_t position,
                        uint64_t blocks_per_bin, rb_err_t *err)
{
    launch_info_t info;
    *out = (shadow_t){0};
    RB_TRY(source->ops->launch_info(source, position, &info, err));
    out->blocks_per_bin = blocks_per_bin > 0 ? blocks_per_bin : 1;
    out->n_blocks = info.n_blocks;
    out->n_bins = (size_t)((info.n_blocks + out->blocks_per_bin - 1) / out->blocks_per_bin);
    out->bin = rb_calloc(out->n_bins, sizeof(*out->bin));
    survey_t s = {.out = out};
    copy_tags(&s, g);
    const touch_consumer_t consumer = {
        .take = take_batch, .ctx = &s, .reach = touch_reach(g->spec.mem.l2.size / LINE_BYTES)};
    const rb_code_t rc = touch_walk(source, position, 0, info.n_blocks,
                                    gpu_code_base(g, info.code_id), &consumer, err);
    free_tags(&s);
    return rc;
}

/* Adds `share` of a bin's counts. */
static void add_share(double sum[COUNTS], const shadow_counts_t *bin, double share)
{
    for (size_t i = 0; i < COUNTS; i++)
        sum[i] += share * (double)((const uint64_t *)bin)[i];
}

/* Blocks of bin i. */
static uint64_t bin_blocks(const shadow_t *s, size_t i)
{
    const uint64_t left = s->n_blocks - i * s->blocks_per_bin;
    return left < s->blocks_per_bin ? left : s->blocks_per_bin;
}

shadow_counts_t shadow_between(const shadow_t *s, uint64_t first_block, uint64_t end_block)
{
    double sum[COUNTS] = {0};
    shadow_counts_t c;
    const uint64_t end = end_block < s->n_blocks ? end_block : s->n_blocks;
    for (uint64_t at = first_block; at < end;) {
        const size_t i = (size_t)(at / s->blocks_per_bin);
        const uint64_t from = i * s->blocks_per_bin, to = from + bin_blocks(s, i);
        const uint64_t until = end < to ? end : to;
        add_share(sum, &s->bin[i], (double)(until - at) / (double)(to - from));
        at = until;
    }
    for (size_t i = 0; i < COUNTS; i++)
        ((uint64_t *)&c)[i] = (uint64_t)llround(sum[i]);
    return c;
}

void shadow_free(shadow_t *s)
{
    free(s->bin);
    *s = (shadow_t){0};
}
