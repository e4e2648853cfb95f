#include "sim/gpu/warming/shadow.h"

#include <math.h>
#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/gpu/gpu_internal.h"
#include "sim/gpu/warming/touch_walk.h"

enum { COUNTS = sizeof(shadow_counts_t) / sizeof(uint64_t) };

/* What the slices that are looked at show of a bin. */
typedef struct {
    uint64_t misses[L2_TOUCH_KINDS];
    uint64_t filled, filled_late, written_back;
} seen_t;

typedef struct shadow_walk {
    touch_consumer_t consumer;
    touch_walk_t *walk;   /* owned */
    l2_chip_tags_t tags;  /* owned, with the caches of the slices that are looked at */
    double scale;         /* all slices over those */
    bool *looked_at;      /* owned; by slice */
    uint8_t *half;        /* owned; for the consumer */
    seen_t *seen;         /* owned; by bin */
    shadow_counts_t *bin; /* of the survey */
} survey_t;

static void take_batch(void *ctx, const touch_batch_t *batch)
{
    const survey_t *s = ctx;
    const touch_counts_t *n = &batch->counts;
    shadow_counts_t *bin = &s->bin[batch->bin];
    seen_t *seen = &s->seen[batch->bin];
    l2_warmed_t sum = {0};
    l2_tags_touch(&s->tags, batch->touch, batch->n, batch->masks, &sum);
    bin->warp_insts += n->warp_insts;
    bin->requests += n->requests;
    bin->write_requests += n->write_requests;
    bin->read_sectors += n->sectors[L2_TOUCH_READ];
    bin->write_sectors += n->sectors[L2_TOUCH_WRITE];
    bin->atomic_sectors += n->sectors[L2_TOUCH_ATOMIC];
    for (unsigned k = L2_TOUCH_READ; k <= L2_TOUCH_ATOMIC; k++)
        seen->misses[k] += sum.sectors[k] - sum.hits[k];
    seen->filled += sum.filled;
    seen->filled_late += sum.filled_late;
    seen->written_back += sum.written_back;
}

/* Hits of all slices, if the slices that were looked at are 1 / scale of all and had these misses.
 * Misses are scaled, because they spread over as many lines; a few lines may have most of the
 * hits. */
static uint64_t hits_of(uint64_t sectors, uint64_t misses, double scale)
{
    const double hits = (double)sectors - scale * (double)misses;
    return hits > 0 ? (uint64_t)llround(hits) : 0;
}

static void scale_bin(shadow_counts_t *bin, const seen_t *seen, double scale)
{
    bin->read_hits = hits_of(bin->read_sectors, seen->misses[L2_TOUCH_READ], scale);
    bin->write_hits = hits_of(bin->write_sectors, seen->misses[L2_TOUCH_WRITE], scale);
    bin->atomic_hits = hits_of(bin->atomic_sectors, seen->misses[L2_TOUCH_ATOMIC], scale);
    bin->fills = (uint64_t)llround(scale * (double)seen->filled);
    bin->late_fills = (uint64_t)llround(scale * (double)seen->filled_late);
    bin->written_back = (uint64_t)llround(scale * (double)seen->written_back);
}

/* What is known after a step. Bins that are final do not change any more. */
static void sum_up(shadow_t *out, const survey_t *s)
{
    out->all = (shadow_counts_t){0};
    for (size_t i = 0; i < out->n_bins; i++) {
        scale_bin(&out->bin[i], &s->seen[i], s->scale);
        stats_add((uint64_t *)&out->all, (const uint64_t *)&out->bin[i], COUNTS);
    }
}

/* Copies the tags of n slices, evenly chosen. */
static void copy_tags(survey_t *s, const gpu_t *g, uint32_t n)
{
    const uint32_t slices = g->map.slices;
    s->tags = gpu_l2_tags(g);
    s->looked_at = rb_calloc(slices, sizeof(*s->looked_at));
    for (uint32_t i = 0; i < n; i++)
        s->looked_at[(uint64_t)i * slices / n] = true;
    for (uint32_t i = 0; i < slices; i++)
        if (s->looked_at[i])
            s->tags.slice[i].cache = cache_copy(s->tags.slice[i].cache);
}

static void free_walk(survey_t *s)
{
    if (s == NULL)
        return;
    touch_walk_close(s->walk);
    for (uint32_t i = 0; i < s->tags.map->slices; i++)
        if (s->looked_at[i])
            cache_destroy(s->tags.slice[i].cache);
    free(s->tags.slice);
    free(s->looked_at);
    free(s->half);
    free(s->seen);
    free(s);
}

static void make_bins(shadow_t *out, uint64_t n_blocks, uint64_t blocks_per_bin)
{
    out->blocks_per_bin = blocks_per_bin > 0 ? blocks_per_bin : 1;
    out->n_blocks = n_blocks;
    out->n_bins = (size_t)((n_blocks + out->blocks_per_bin - 1) / out->blocks_per_bin);
    out->bin = rb_calloc(out->n_bins, sizeof(*out->bin));
}

static rb_code_t begin(shadow_t *out, gpu_t *g, trace_source_t *source, uint64_t position,
                       uint64_t blocks_per_bin, uint32_t slices, rb_err_t *err)
{
    launch_info_t info;
    occupancy_t occupancy;
    *out = (shadow_t){0};
    RB_TRY(source->ops->launch_info(source, position, &info, err));
    RB_TRY(occupancy_compute(&g->spec, &info, &occupancy, err));
    make_bins(out, info.n_blocks, blocks_per_bin);
    const uint32_t n = slices < g->map.slices ? slices : g->map.slices;
    survey_t *s = out->walk = rb_calloc(1, sizeof(*s));
    s->seen = rb_calloc(out->n_bins, sizeof(*s->seen));
    s->bin = out->bin;
    s->scale = (double)g->map.slices / n;
    copy_tags(s, g, n);
    const uint64_t lines = g->spec.mem.l2.size / LINE_BYTES * n / g->map.slices;
    const uint64_t slots = (uint64_t)g->n_sms * occupancy.blocks_per_sm;
    s->half = gpu_slot_halves(g, &s->tags, slots, NULL);
    s->consumer = (touch_consumer_t){.take = take_batch,
                                     .ctx = s,
                                     .reach = touch_reach(lines),
                                     .map = &g->map,
                                     .slices = n < g->map.slices ? s->looked_at : NULL,
                                     .slots = slots,
                                     .half = s->half,
                                     .blocks_per_bin = out->blocks_per_bin};
    return touch_walk_open(&s->walk, source, position, 0, info.n_blocks,
                           gpu_code_base(g, info.code_id), &s->consumer, err);
}

rb_code_t shadow_go(shadow_t *s, uint64_t until, rb_err_t *err)
{
    if (s->walk == NULL || until <= s->known)
        return RB_OK;
    const uint64_t each = s->blocks_per_bin, bins = until / each + (until % each > 0),
                   end = bins < s->n_bins ? bins * each : s->n_blocks;
    const rb_code_t rc = touch_walk_go(s->walk->walk, end, err);
    sum_up(s, s->walk);
    s->known = end;
    if (rc == RB_OK && touch_walk_is_done(s->walk->walk)) {
        s->known = s->n_blocks;
        free_walk(s->walk);
        s->walk = NULL;
    }
    return rc;
}

rb_code_t shadow_survey_slices(shadow_t *out, gpu_t *g, trace_source_t *source, uint64_t position,
                               uint64_t blocks_per_bin, uint32_t slices, rb_err_t *err)
{
    RB_TRY(begin(out, g, source, position, blocks_per_bin, slices, err));
    return shadow_go(out, UINT64_MAX, err);
}

/* Slices to look at in a launch (shadow.h). */
static rb_code_t default_slices(const gpu_t *g, trace_source_t *source, uint64_t position,
                                uint32_t *slices, rb_err_t *err)
{
    const uint64_t lines = g->spec.mem.l2.size / LINE_BYTES;
    const uint64_t enough = (uint64_t)SHADOW_LINES * g->map.slices / lines + 1;
    launch_counts_t counts = {.requests = SHADOW_FEW};
    if (source->ops->launch_counts != NULL)
        RB_TRY(source->ops->launch_counts(source, position, &counts, err));
    *slices = enough < SHADOW_SLICES ? SHADOW_SLICES : (uint32_t)enough;
    if (counts.requests < SHADOW_FEW || *slices > g->map.slices / 2)
        *slices = g->map.slices;
    return RB_OK;
}

rb_code_t shadow_begin(shadow_t *out, gpu_t *g, trace_source_t *source, uint64_t position,
                       uint64_t blocks_per_bin, rb_err_t *err)
{
    uint32_t slices;
    *out = (shadow_t){0};
    RB_TRY(default_slices(g, source, position, &slices, err));
    return begin(out, g, source, position, blocks_per_bin, slices, err);
}

rb_code_t shadow_survey(shadow_t *out, gpu_t *g, trace_source_t *source, uint64_t position,
                        uint64_t blocks_per_bin, rb_err_t *err)
{
    RB_TRY(shadow_begin(out, g, source, position, blocks_per_bin, err));
    return shadow_go(out, UINT64_MAX, err);
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
    free_walk(s->walk);
    free(s->bin);
    *s = (shadow_t){0};
}
