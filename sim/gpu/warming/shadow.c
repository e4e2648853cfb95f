#include "sim/gpu/warming/shadow.h"

#include <math.h>
#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/gpu/gpu_internal.h"
#include "sim/gpu/warming/shadow_l1.h"
#include "sim/gpu/warming/touch_walk.h"

enum { COUNTS = sizeof(shadow_counts_t) / sizeof(uint64_t) };

/* What the slices that are looked at show of a bin. */
typedef struct {
    uint64_t misses[L2_TOUCH_KINDS];
    uint64_t filled, filled_late, written_back;
} seen_t;

typedef struct {
    l2_chip_tags_t tags; /* owned, with the caches of the slices that are looked at */
    bool *looked_at;     /* owned; by slice */
    seen_t *seen;        /* owned; by bin */
    shadow_l1_t *l1;     /* owned; NULL: global loads do not use an L1 */
    shadow_t *out;
} survey_t;

static bool wants_l1(void *ctx, uint64_t slot)
{
    const survey_t *s = ctx;
    return shadow_l1_wants(s->l1, slot);
}

static void take_l1(void *ctx, uint64_t slot, uint64_t block, const touch_l1_t *access, size_t n)
{
    const survey_t *s = ctx;
    shadow_l1_take(s->l1, slot, block, access, n);
}

static void take_batch(void *ctx, const touch_batch_t *batch)
{
    const survey_t *s = ctx;
    const touch_counts_t *n = &batch->counts;
    shadow_counts_t *bin = &s->out->bin[batch->bin];
    seen_t *seen = &s->seen[batch->bin];
    l2_warmed_t sum = {0};
    l2_tags_touch(&s->tags, batch->touch, batch->n, batch->masks, &sum);
    bin->warp_insts += n->warp_insts;
    bin->requests += n->requests;
    bin->read_sectors += n->sectors[L2_TOUCH_READ];
    bin->write_sectors += n->sectors[L2_TOUCH_WRITE];
    bin->atomic_sectors += n->sectors[L2_TOUCH_ATOMIC];
    bin->l1_sectors += s->l1 != NULL ? n->l1_sectors : 0;
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

static double share(const shadow_l1_seen_t *seen)
{
    return seen->sectors > 0 ? (double)seen->hits / (double)seen->sectors : 0;
}

/* Estimates the hits in all L1s from those that were looked at; in bins of which they saw nothing,
 * from all bins. */
static void scale_l1(const survey_t *s)
{
    const shadow_l1_seen_t *seen = shadow_l1_seen(s->l1);
    shadow_l1_seen_t all = {0};
    for (size_t i = 0; i < s->out->n_bins; i++) {
        all.sectors += seen[i].sectors;
        all.hits += seen[i].hits;
    }
    for (size_t i = 0; i < s->out->n_bins; i++) {
        shadow_counts_t *bin = &s->out->bin[i];
        const double hits = share(seen[i].sectors > 0 ? &seen[i] : &all);
        bin->l1_hits = (uint64_t)llround(hits * (double)bin->l1_sectors);
    }
}

static void scale_all(const survey_t *s, double scale)
{
    if (s->l1 != NULL)
        scale_l1(s);
    for (size_t i = 0; i < s->out->n_bins; i++) {
        scale_bin(&s->out->bin[i], &s->seen[i], scale);
        for (size_t k = 0; k < COUNTS; k++)
            ((uint64_t *)&s->out->all)[k] += ((const uint64_t *)&s->out->bin[i])[k];
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

static void free_tags(survey_t *s)
{
    for (uint32_t i = 0; i < s->tags.map->slices; i++)
        if (s->looked_at[i])
            cache_destroy(s->tags.slice[i].cache);
    free(s->tags.slice);
    free(s->looked_at);
}

static void make_bins(shadow_t *out, uint64_t n_blocks, uint64_t blocks_per_bin)
{
    out->blocks_per_bin = blocks_per_bin > 0 ? blocks_per_bin : 1;
    out->n_blocks = n_blocks;
    out->n_bins = (size_t)((n_blocks + out->blocks_per_bin - 1) / out->blocks_per_bin);
    out->bin = rb_calloc(out->n_bins, sizeof(*out->bin));
}

rb_code_t shadow_survey_slices(shadow_t *out, gpu_t *g, trace_source_t *source, uint64_t position,
                               uint64_t blocks_per_bin, uint32_t slices, rb_err_t *err)
{
    launch_info_t info;
    occupancy_t occupancy;
    *out = (shadow_t){0};
    RB_TRY(source->ops->launch_info(source, position, &info, err));
    RB_TRY(occupancy_compute(&g->spec, &info, &occupancy, err));
    make_bins(out, info.n_blocks, blocks_per_bin);
    const uint32_t n = slices < g->map.slices ? slices : g->map.slices;
    survey_t s = {.out = out, .seen = rb_calloc(out->n_bins, sizeof(*s.seen))};
    copy_tags(&s, g, n);
    if (g->spec.sm.l1.enabled)
        s.l1 = shadow_l1_create(&g->spec, &occupancy, out->n_bins, out->blocks_per_bin);
    const uint64_t lines = g->spec.mem.l2.size / LINE_BYTES * n / g->map.slices;
    const uint64_t slots = (uint64_t)g->n_sms * occupancy.blocks_per_sm;
    uint8_t *half = gpu_slot_halves(g, &s.tags, slots, NULL);
    const touch_consumer_t consumer = {.take = take_batch,
                                       .ctx = &s,
                                       .reach = touch_reach(lines),
                                       .map = &g->map,
                                       .slices = n < g->map.slices ? s.looked_at : NULL,
                                       .slots = slots,
                                       .half = half,
                                       .blocks_per_bin = out->blocks_per_bin,
                                       .wants_l1 = s.l1 != NULL ? wants_l1 : NULL,
                                       .take_l1 = take_l1};
    const rb_code_t rc = touch_walk(source, position, 0, info.n_blocks,
                                    gpu_code_base(g, info.code_id), &consumer, err);
    scale_all(&s, (double)g->map.slices / n);
    free(half);
    shadow_l1_destroy(s.l1);
    free_tags(&s);
    free(s.seen);
    return rc;
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

rb_code_t shadow_survey(shadow_t *out, gpu_t *g, trace_source_t *source, uint64_t position,
                        uint64_t blocks_per_bin, rb_err_t *err)
{
    uint32_t slices;
    *out = (shadow_t){0};
    RB_TRY(default_slices(g, source, position, &slices, err));
    return shadow_survey_slices(out, g, source, position, blocks_per_bin, slices, err);
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
