/* What a launch leaves behind: one walk over its blocks, of this chip or of another one. */
#include <stdlib.h>
#include <string.h>

#include "sim/core/mix64.h"
#include "sim/gpu/warming/before_launch.h"
#include "sim/gpu/warming/touch_walk.h"

enum { BATCHES_PER_PROGRESS = 256 };

/*
 * Walks that chips share have as many blocks at a time, and leave out repeats within as many accesses, on
 * all of them; where all lines have room, only the order of their use depends on these.
 */
enum { SHARED_SLOTS = 128, SHARED_REACH = 512 };

/* Applies a part of a batch to the L2. */
static void touch_l2(before_t *b, const touch_batch_t *batch, size_t from, size_t to)
{
    if (b->open != NULL)
        unbounded_l2_touch(b->open, batch->touch + from, to - from, batch->masks);
    else
        l2_tags_touch(&b->tags, batch->touch + from, to - from, batch->masks, &b->warmed);
}

/* Reports the progress of the run. False: it is to stop. */
static bool report_touching(gpu_t *g)
{
    run_state_t *r = &g->run;
    gpu_progress_t p = r->progress;
    if (r->callbacks == NULL || r->callbacks->progress == NULL)
        return !r->stop;
    p.launch_share = 0.0;
    p.share = run_progress_of_run(&r->work, 0.0);
    p.touching = true;
    if (!r->callbacks->progress(r->callbacks->ctx, &p))
        r->stop = true;
    return !r->stop;
}

static void take_batch(void *ctx, const touch_batch_t *batch)
{
    before_t *b = ctx;
    size_t done = 0;
    for (size_t i = 0; i < batch->n; i++) {
        const bool code = batch->touch[i].kind == L2_TOUCH_CODE;
        if (code)
            trail_code(&b->trail, batch->touch[i].line);
        else
            trail_page(&b->trail, batch->touch[i].line);
        if (code ? b->fetches && !b->counts : b->counts)
            continue;
        touch_l2(b, batch, done, i);
        done = i + 1;
    }
    touch_l2(b, batch, done, batch->n);
    b->cost->warp_insts += batch->counts.warp_insts;
    if (++b->batches % BATCHES_PER_PROGRESS == 0)
        report_touching(b->g);
}

/* Lines of code that the launch only fetches ahead reach the L2, too. */
static void touch_ahead(before_t *b)
{
    for (size_t i = b->trail.begun; i < b->trail.n; i++) {
        const trail_item_t *item = &b->trail.item[i];
        const l2_touch_t touch = {
            .line = item->address, .kind = L2_TOUCH_CODE, .sectors = CACHE_TAG_VALID};
        if (item->code && item->sub_cores == 0)
            l2_tags_touch(&b->tags, &touch, 1, NULL, &b->warmed);
    }
}

rb_code_t before_walk_blocks(before_t *b, uint64_t k, bool counts, const uint64_t (*range)[2],
                             size_t n_ranges, rb_err_t *err)
{
    launch_info_t info;
    RB_TRY(b->source->ops->launch_info(b->source, k, &info, err));
    const uint64_t lines = b->g->spec.mem.l2.size / LINE_BYTES;
    const uint64_t slots = b->open != NULL ? SHARED_SLOTS : gpu_slots(b->g, &info);
    uint8_t *half = gpu_slot_halves(b->g, &b->tags, slots, NULL);
    const touch_consumer_t consumer = {.take = take_batch,
                                       .ctx = b,
                                       .reach = b->open != NULL ? SHARED_REACH : touch_reach(lines),
                                       .enough =
                                           b->open != NULL ? unbounded_l2_is_over(b->open) : NULL,
                                       .slots = slots,
                                       .half = half};
    const uint64_t code = gpu_code_base(b->g, info.code_id);
    b->counts = counts;
    b->fetches = gpu_code_first(b->g, info.code_id, k) == k;
    trail_begin(&b->trail, k, &info);
    rb_code_t rc = RB_OK;
    for (size_t i = 0; i < n_ranges && rc == RB_OK; i++)
        rc = touch_walk(b->source, k, range[i][0], range[i][1], code, &consumer, err);
    free(half);
    RB_TRY(rc);
    trail_end(&b->trail);
    if (b->fetches && !counts)
        touch_ahead(b);
    b->met[gpu_code_number(b->g, info.code_id)] = true;
    return report_touching(b->g) ? RB_OK : RB_STOPPED;
}

void before_take_footprint(before_t *b, uint64_t warp_insts, uint64_t placed, footprint_t *out)
{
    *out = (footprint_t){.warp_insts = warp_insts, .placed = placed};
    for (uint32_t s = 0; s < b->g->map.slices; s++) {
        const l2_tags_t *t = &b->tags.slice[s];
        cache_lines_take(&out->lines, t->cache, t->writes);
    }
}

void before_touch_code(before_t *b, const footprint_t *of, footprint_t *out)
{
    for (size_t i = 0; i < of->n_items; i++) {
        const l2_touch_t touch = {
            .line = of->item[i].address, .kind = L2_TOUCH_CODE, .sectors = CACHE_TAG_VALID};
        if (of->item[i].code)
            l2_tags_touch(&b->tags, &touch, 1, NULL, &b->warmed);
    }
    before_take_footprint(b, 0, 0, out);
}

/* The key of launch k's footprint; 0: it cannot be remembered: policies but LRU may depend on what was done before. */
rb_code_t before_key(const before_t *b, uint64_t k, uint64_t *key, rb_err_t *err)
{
    *key = 0;
    if (b->source->ops->digest == NULL || !before_is_lru(b))
        return RB_OK;
    return footprints_key(b->g->footprints, b->source, k, key, err);
}

static const uint64_t all_blocks[1][2] = {{0, UINT64_MAX}};

static uint64_t sectors_of(const cache_lines_t *l)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < l->n; i++)
        sum += cache_sector_count(cache_tag_valid(&l->tag[i]));
    return sum;
}

/* Walks launch k on a chip whose L2 is empty. */
static rb_code_t walk_launch(before_t *b, uint64_t k, footprint_t *out, rb_err_t *err)
{
    const uint64_t before = b->cost->warp_insts;
    const l2_warmed_t warmed = b->warmed;
    RB_TRY(before_walk_blocks(b, k, true, all_blocks, 1, err));
    before_take_footprint(b, b->cost->warp_insts - before, b->warmed.lines - warmed.lines, out);
    out->fetched = b->warmed.filled - warmed.filled;
    out->held = sectors_of(&out->lines);
    out->n_items = trail_copy(&b->trail, &out->item);
    return RB_OK;
}

/* The key of a walk for all chips that fetch code, translate and fill sectors alike. */
static uint64_t shared_key(const before_t *b, uint64_t key)
{
    const uint64_t alike = b->trail.page ^ (uint64_t)b->trail.ahead << 40 ^
                           (uint64_t)b->tags.slice[0].fill_sectors << 56;
    return mix64(key ^ mix64(alike));
}

/* What a walk without bounds leaves in this chip's L2. *fits: it has room; otherwise *out is empty. */
static void use_walk(const before_t *b, shared_walk_t *w, footprint_t *out, bool *fits)
{
    *out = (footprint_t){.warp_insts = w->warp_insts, .placed = w->lines.n, .fetched = UINT64_MAX};
    *fits = used_lines_place(&w->lines, &b->tags, &out->lines);
    if (!*fits)
        return;
    out->item = w->item;
    out->n_items = w->n_items;
    w->item = NULL;
}

/* A chip whose walks others share walks on where it has no room, for L2s that are this many times as large. */
enum { SHARED_LARGER = 8 };

/* Walks launch k through an L2 without bounds, as far as the chip's L2, or one that shares the walk, may have room. */
static rb_code_t walk_unbounded(before_t *b, uint64_t k, shared_walk_t *w, rb_err_t *err)
{
    const uint64_t before = b->cost->warp_insts;
    const uint64_t own = b->g->spec.mem.l2.size / LINE_BYTES;
    b->open = unbounded_l2_create(b->tags.slice[0].fill_sectors,
                                  footprints_keeps(b->g->footprints) ? own * SHARED_LARGER : own);
    const rb_code_t rc = before_walk_blocks(b, k, true, all_blocks, 1, err);
    *w = (shared_walk_t){.warp_insts = b->cost->warp_insts - before};
    if (rc == RB_OK && !*unbounded_l2_is_over(b->open)) {
        unbounded_l2_lines(b->open, &w->lines);
        w->n_items = trail_copy(&b->trail, &w->item);
    }
    unbounded_l2_destroy(b->open);
    b->open = NULL;
    return rc;
}

/* Whether the chip's walks are those of others, too. Which half of an L2 reads what depends on the number of SMs. */
static bool may_share(const before_t *b, uint64_t key)
{
    return key != 0 && !b->tags.slice[0].perfect && !b->tags.halves;
}

rb_code_t before_share_launch(before_t *b, uint64_t k, rb_err_t *err)
{
    footprints_t *f = b->g->footprints;
    const launch_touched_t cost = *b->cost;
    shared_walk_t w;
    uint64_t key;
    if (f == NULL || !footprints_keeps(f))
        return RB_OK;
    RB_TRY(before_key(b, k, &key, err));
    if (!may_share(b, key) || shared_walks_has(footprints_shared(f), shared_key(b, key)))
        return RB_OK;
    RB_TRY(walk_unbounded(b, k, &w, err));
    if (w.lines.tag != NULL)
        shared_walks_put(footprints_shared(f), shared_key(b, key), &w);
    shared_walk_free(&w);
    trail_drop(&b->trail);
    *b->cost = cost;
    return RB_OK;
}

/* Walks launch k, which another chip may have walked, if it has a key. */
rb_code_t before_walk_launch(before_t *b, uint64_t k, const launch_info_t *info, uint64_t key,
                             footprint_t *out, rb_err_t *err)
{
    footprints_t *f = b->g->footprints;
    const uint64_t before = b->cost->warp_insts, shared = shared_key(b, key);
    shared_walk_t w;
    bool fits = false;
    if (!may_share(b, key))
        return walk_launch(b, k, out, err);
    if (footprints_shared(f) != NULL && shared_walks_find(footprints_shared(f), shared, &w)) {
        trail_adapt(&b->trail, info, w.item, w.n_items);
        use_walk(b, &w, out, &fits);
        if (fits) {
            b->cost->warp_insts += out->warp_insts;
            b->met[gpu_code_number(b->g, info->code_id)] = true;
            trail_repeat(&b->trail, k, out->item, out->n_items);
        }
        shared_walk_free(&w);
        return fits ? RB_OK : walk_launch(b, k, out, err);
    }
    RB_TRY(walk_unbounded(b, k, &w, err));
    if (w.lines.tag != NULL) {
        if (footprints_keeps(f))
            shared_walks_put(footprints_shared(f), shared, &w);
        use_walk(b, &w, out, &fits);
    }
    shared_walk_free(&w);
    if (fits)
        return RB_OK;
    trail_drop(&b->trail);
    b->cost->warp_insts = before;
    return walk_launch(b, k, out, err);
}
