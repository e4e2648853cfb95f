#include "sim/gpu/shadow.h"

#include <math.h>
#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/gpu/gpu_internal.h"
#include "sim/gpu/touch_walk.h"

enum { COUNTS = sizeof(shadow_counts_t) / sizeof(uint64_t) };

typedef struct {
    const addr_map_t *map; /* borrowed */
    l2_tags_t *tags;       /* owned, with their caches; by slice of the chip */
    uint32_t n_slices;
    shadow_t *out;
} survey_t;

static void add(shadow_counts_t *sum, const shadow_counts_t *more)
{
    for (size_t i = 0; i < COUNTS; i++)
        ((uint64_t *)sum)[i] += ((const uint64_t *)more)[i];
}

/* Counts an access whose sectors hit `hits` times. */
static void count_access(shadow_counts_t *c, const touch_access_t *a, uint32_t hits)
{
    const uint32_t n = l2_sector_count(a->sectors);
    if (a->kind == TOUCH_READ) {
        c->read_sectors += n;
        c->read_hits += hits;
    } else if (a->kind == TOUCH_WRITE) {
        c->write_sectors += n;
        c->write_hits += hits;
    } else if (a->kind == TOUCH_ATOMIC) {
        c->atomic_sectors += n;
        c->atomic_hits += hits;
    }
}

static void take_batch(void *ctx, const touch_batch_t *batch)
{
    const survey_t *s = ctx;
    const touch_counts_t *n = &batch->counts;
    shadow_counts_t c = {.warp_insts = n->warp_insts,
                         .requests = n->requests,
                         .read_sectors = n->repeated_reads,
                         .read_hits = n->repeated_reads,
                         .write_sectors = n->repeated_writes,
                         .write_hits = n->repeated_writes};
    l2_warmed_t sum = {0};
    for (size_t i = 0; i < batch->n; i++) {
        const touch_access_t *a = &batch->access[i];
        const l2_touch_t touch = touch_of_l2(batch, a);
        const l2_tags_t *tags = &s->tags[addr_map_slice(s->map, a->line)];
        count_access(&c, a,
                     l2_tags_touch(tags, addr_map_slice_local(s->map, a->line), &touch, &sum));
    }
    c.fills = sum.filled;
    c.written_back = sum.written_back;
    add(&s->out->all, &c);
    add(&s->out->bin[batch->block / s->out->blocks_per_bin], &c);
}

static void copy_tags(survey_t *s, const gpu_t *g)
{
    s->n_slices = g->map.slices;
    s->tags = rb_calloc(s->n_slices, sizeof(*s->tags));
    for (uint32_t i = 0; i < s->n_slices; i++) {
        s->tags[i] = gpu_l2_tags(g, i);
        s->tags[i].cache = cache_copy(s->tags[i].cache);
    }
}

static void free_tags(survey_t *s)
{
    for (uint32_t i = 0; i < s->n_slices; i++)
        cache_destroy(s->tags[i].cache);
    free(s->tags);
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
    survey_t s = {.map = &g->map, .out = out};
    copy_tags(&s, g);
    const touch_consumer_t consumer = {.take = take_batch, .ctx = &s};
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
