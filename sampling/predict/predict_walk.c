#include "sampling/predict/predict_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/predict/far_reuse.h"
#include "sim/core/alloc.h"
#include "sim/core/engine/msg.h"
#include "sim/gpu/dispatch/occupancy.h"
#include "sim/gpu/warming/touch_walk.h"
#include "sim/sm/memory/coalesce.h"
#include "sim/sm/memory/prefetcher.h"

/* SMs whose L1 is looked at in every launch; lines that are followed, of an L1 and of the L2. Two halvings sample a
 * quarter of an L1's lines, whose distances are then right up to 2,304 lines: the largest L1. */
enum { SMS = 2, L1_LINES = 1152, L1_HALVINGS = 2, L2_LINES = 1 << 12, OWN_LINES = 1 << 11 };

/*
 * A launch of many waves is walked in windows: the first blocks, and some in the middle of equal parts of the rest. A
 * window has a wave or more, and a 32nd of the blocks; all of them have a fifth at most.
 */
enum { WINDOWS = 4, WINDOW_PART = 32, WALKED_PART = 5 };

/* Where code is: no data is there. */
#define CODE_BASE (UINT64_C(1) << 62)

/* The L2 of a point: what it holds, on average. */
typedef struct {
    double lines, modified; /* lines; modified sectors */
} held_t;

struct predict_walk {
    const gpu_spec_t *const *spec;
    size_t n;
    addr_map_t map;
    line_stack_t *l2; /* owned */
    held_t *held;     /* owned; by point */
    /* Of the launch. */
    line_stack_t *l1[SMS]; /* owned */
    uint64_t number[SMS];  /* of their SMs */
    uint32_t n_l1;
    uint64_t slots;
    stack_counts_t in_l1, in_l2;
    /* In L1s that are shared by unequal blocks: lines that the same block used last. */
    stack_counts_t again;
    double sectors[L2_TOUCH_KINDS], l1_sectors;
    double *atomics; /* owned; requests by slice */
    /* Of the window, as far as it is measured. */
    touch_counts_t counts;
    stack_counts_t of_l1, of_again, of_l2;
    uint64_t handed;      /* sectors that the stack of the L2 has had, sampled or not */
    uint64_t *of_atomics; /* owned */
    /* What the blocks that may be the slowest do, each as if it were alone. */
    line_stack_t *own[PROFILE_SLOW]; /* owned */
    stack_counts_t of_own[PROFILE_SLOW];
    bool walked[PROFILE_SLOW]; /* so far */
    bool alone;                /* only that is measured */
    /* Every `apart`-th block is looked at, and those that may be the slowest. */
    predict_profile_t *profile;
    uint64_t begun, apart;
    far_window_t far[WINDOWS];
    touch_walk_t *walk; /* owned; the last one, from which the profile borrows */
};

predict_walk_t *predict_walk_create(const gpu_spec_t *const *spec, size_t n)
{
    predict_walk_t *w = rb_calloc(1, sizeof(*w));
    const mem_config_t *m = &spec[0]->mem;
    *w = (predict_walk_t){.spec = spec, .n = n, .l2 = stack_create(L2_LINES, false)};
    addr_map_init(&w->map, m->mem.partitions, m->l2.slices, m->mem.interleave, m->mem.hash);
    for (uint32_t i = 0; i < SMS; i++) {
        w->l1[i] = stack_create(L1_LINES, true);
        stack_may_halve(w->l1[i], L1_HALVINGS);
    }
    for (uint32_t i = 0; i < PROFILE_SLOW; i++)
        w->own[i] = stack_create(OWN_LINES, false);
    w->held = rb_calloc(n, sizeof(*w->held));
    w->atomics = rb_calloc(m->l2.slices, sizeof(*w->atomics));
    w->of_atomics = rb_calloc(m->l2.slices, sizeof(*w->of_atomics));
    return w;
}

void predict_walk_destroy(predict_walk_t *w)
{
    if (w == NULL)
        return;
    touch_walk_close(w->walk);
    stack_destroy(w->l2);
    for (uint32_t i = 0; i < SMS; i++)
        stack_destroy(w->l1[i]);
    for (uint32_t i = 0; i < PROFILE_SLOW; i++)
        stack_destroy(w->own[i]);
    free(w->held);
    free(w->atomics);
    free(w->of_atomics);
    free(w);
}

/* --- the walk --------------------------------------------------------------------------------- */

static void take(void *ctx, const touch_batch_t *batch)
{
    predict_walk_t *w = ctx;
    if (w->alone)
        return;
    for (size_t i = 0; i < batch->n; i++) {
        const l2_touch_t *t = &batch->touch[i];
        if (t->kind == L2_TOUCH_CODE)
            continue;
        const stack_use_t use = {.sectors = t->sectors,
                                 .full = t->full,
                                 .group = (uint8_t)w->spec[0]->mem.l2.fill_sectors,
                                 .read = t->kind != L2_TOUCH_WRITE,
                                 .write = t->kind != L2_TOUCH_READ};
        stack_access(w->l2, t->line / LINE_BYTES, &use, &w->of_l2);
        w->handed += sectors_in(t->sectors) * ((uint64_t)use.read + use.write);
        if (t->kind == L2_TOUCH_ATOMIC)
            w->of_atomics[addr_map_slice(&w->map, t->line)]++;
    }
    w->counts.warp_insts += batch->counts.warp_insts;
    w->counts.requests += batch->counts.requests;
    w->counts.l1_sectors += batch->counts.l1_sectors;
    for (unsigned k = 0; k < L2_TOUCH_KINDS; k++)
        w->counts.sectors[k] += batch->counts.sectors[k];
}

static line_stack_t *l1_of(const predict_walk_t *w, uint64_t slot)
{
    for (uint32_t i = 0; i < w->n_l1; i++)
        if (slot % w->spec[0]->sm.sm.count == w->number[i] % w->slots)
            return w->l1[i];
    return NULL;
}

/* The block's number among those that may be the slowest; PROFILE_SLOW: it is another one. */
static size_t slow_of(const predict_walk_t *w, uint64_t block)
{
    for (size_t i = 0; i < w->profile->n_slow; i++)
        if (w->profile->slow[i].block == block)
            return i;
    return PROFILE_SLOW;
}

static bool wants_l1(void *ctx, uint64_t slot, uint64_t block)
{
    return l1_of(ctx, slot) != NULL || slow_of(ctx, block) < PROFILE_SLOW;
}

static void take_l1(void *ctx, uint64_t slot, uint64_t block, const touch_l1_t *access, size_t n)
{
    predict_walk_t *w = ctx;
    line_stack_t *s = w->alone ? NULL : l1_of(w, slot);
    const size_t slow = slow_of(w, block);
    stack_use_t own = {.group = 1, .read = true}, use = own;
    if (w->profile->n_slow > 0) {
        use.user = (uint32_t)block + 1;
        use.again = &w->of_again;
    }
    for (size_t i = 0; i < n; i++) { /* a store does not allocate, and leaves the order as it is */
        own.sectors = use.sectors = access[i].sectors;
        if (access[i].store)
            continue;
        if (s != NULL)
            stack_access(s, access[i].line / LINE_BYTES, &use, &w->of_l1);
        if (slow < PROFILE_SLOW)
            stack_access(w->own[slow], access[i].line / LINE_BYTES, &own, &w->of_own[slow]);
    }
}

/* New lines push out the oldest ones, with their modified sectors, and if need be each other. Returns
 * the sectors that are written back. */
static double push(held_t *h, const mem_config_t *m, double lines, double modified)
{
    const double room = (double)m->l2.size / LINE_BYTES, before = h->modified;
    const double out = fmin(fmax(h->lines + lines - room, 0), h->lines);
    const double stay = lines > room ? room / lines : 1;
    if (h->lines > 0)
        h->modified *= 1 - out / h->lines;
    h->modified += modified * stay;
    h->lines += fmin(lines, room) - out;
    return before + modified - h->modified;
}

/* Host copies leave their data in the L2, as far as it has room for them: all modified. */
static void take_copies(predict_walk_t *w, trace_source_t *source, uint64_t id)
{
    const memcpy_op_t *ops;
    const stack_use_t use = {.copy = true};
    stack_counts_t ignored;
    uint64_t room = 0;
    for (size_t i = 0; i < w->n; i++)
        room = w->spec[i]->mem.l2.size > room ? w->spec[i]->mem.l2.size : room;
    const size_t n = source->ops->copies(source, id, &ops);
    for (size_t i = 0; i < n && w->spec[0]->gpu.memcpy_fills_l2; i++) {
        const uint64_t end = ops[i].addr + ops[i].bytes;
        const uint64_t first = ops[i].bytes > room ? end - room : ops[i].addr;
        for (uint64_t a = first / LINE_BYTES; a * LINE_BYTES < end; a++)
            stack_access(w->l2, a, &use, &ignored);
        for (size_t k = 0; k < w->n; k++)
            (void)push(&w->held[k], &w->spec[k]->mem, (double)ops[i].bytes / LINE_BYTES,
                       (double)ops[i].bytes / SECTOR_BYTES);
    }
}

/* --- what follows ----------------------------------------------------------------------------- */

static double share(double part, double all)
{
    return all > 0 ? fmin(part / all, 1) : 0;
}

/* The same for a launch, after which a part of the lines at most is modified. */
static double write_back(held_t *h, const mem_config_t *m, double lines, double modified)
{
    const double written = push(h, m, lines, modified);
    const double most = h->lines * SECTORS_PER_LINE * m->l2.modified_share;
    const double early = fmax(h->modified - most, 0);
    h->modified -= early;
    return written + early;
}

/*
 * L1 hits of a block that may be the slowest. Between two uses of a line by it, its fellows on the SM use as many other
 * lines each, as long as there are any. What it does not use again itself hits as often as with other blocks, if the SMs
 * that were looked at have any that load.
 */
static double slow_hits(const predict_walk_t *w, size_t slow, const predict_profile_t *p,
                        const gpu_spec_t *spec, double fellows, double lines)
{
    const distances_t *first = &w->in_l1.read, *own = &w->of_own[slow].read;
    const double length = fmax((double)p->lengths[p->slow[slow].block], 1);
    const double others = (double)p->counts.warp_insts / spec->sm.sm.count / length;
    const double missed = distances_missed(own, lines / fmin(fellows, 1 + others));
    const double again = 1 - share(missed, own->all);
    const double missed_first = share(distances_missed(first, lines), first->all);
    const double late = share(w->of_own[slow].late, own->all);
    const double hits = again + (first->all > 0 ? (1 - again) * (1 - missed_first) : 0);
    return fmax(hits - late, 0);
}

/* The most blocks that an SM has at a time. */
static double blocks_on_sm(const predict_profile_t *p, const gpu_spec_t *spec, const occupancy_t *o)
{
    return fmin(o->blocks_per_sm, ceil((double)p->blocks / spec->sm.sm.count));
}

/* What a stride prefetcher does. Its table spreads the loads of all warps evenly (Fibonacci hashing; Knuth, The Art of
 * Computer Programming 3, 6.4): those that share a place do not find their entry. A sequence that ends has fetched lines that
 * nobody loads. */
static void prefetch(predict_traffic_t *t, const gpu_spec_t *spec, const predict_profile_t *p,
                     const occupancy_t *o)
{
    const access_mean_t *a = &p->access[OP_LOAD_LG];
    if (spec->sm.l1.prefetcher != PREFETCHER_STRIDE || a->strided <= 0 || t->lines[OP_LOAD_LG] > 1)
        return;
    const double keys = blocks_on_sm(p, spec, o) * p->warps * p->loads;
    const double found = keys > 0 ? fmin(fmax(2 * PREFETCHER_STRIDES / keys - 1, 0), 1) : 0;
    const double loads = t->sectors[OP_LOAD_LG] > 0 ? t->load_sectors / t->sectors[OP_LOAD_LG] : 0;
    t->ahead = found * a->ahead / a->strided;
    t->wasted =
        found * loads * a->ends / a->strided * spec->sm.l1.prefetch_lines * SECTORS_PER_LINE;
}

static predict_traffic_t traffic_at(predict_walk_t *w, size_t point, const predict_profile_t *p,
                                    const occupancy_t *o)
{
    const gpu_spec_t *spec = w->spec[point];
    predict_traffic_t t = predict_assume(p, spec);
    const l1_spec_t *l1 = &spec->sm.l1;
    const double l1_lines = (double)l1->sets * l1_spec_ways(l1, o->carveout);
    const double l2_lines = (double)spec->mem.l2.size / LINE_BYTES;
    const double reads = w->sectors[L2_TOUCH_READ];
    const double loads = w->in_l1.read.all + w->again.read.all;
    const double cached = reads > 0 ? fmin(w->l1_sectors / reads, 1) : 0;
    t.load_sectors = reads;
    t.store_sectors = w->sectors[L2_TOUCH_WRITE];
    t.atomic_sectors = w->sectors[L2_TOUCH_ATOMIC];
    if (!l1->enabled || l1->perfect)
        t.l1_hit = l1->perfect;
    else if (loads > 0) /* else the SMs that were looked at have no loads */
        t.l1_hit = cached * (1 - share(distances_missed(&w->in_l1.read, l1_lines) +
                                           distances_missed(&w->again.read, l1_lines),
                                       loads));
    else
        t.l1_hit *= cached;
    if (loads > 0 && l1->enabled && !l1->perfect)
        t.l1_late = fmin(cached * (w->in_l1.late + w->again.late) / loads, t.l1_hit);
    const double missed = distances_missed(&w->in_l2.read, l2_lines);
    const double to_l2 = t.load_sectors * (1 - t.l1_hit) + t.atomic_sectors;
    t.l2_hit = spec->mem.l2.perfect ? 1 : 1 - share(missed, to_l2);
    t.dram_reads = distances_missed(&w->in_l2.fill, l2_lines);
    const double allocated = distances_missed(&w->in_l2.write, l2_lines);
    t.dram_writes =
        write_back(&w->held[point], &spec->mem, (t.dram_reads + allocated) / SECTORS_PER_LINE,
                   distances_missed(&w->in_l2.dirty, l2_lines));
    for (size_t i = 0; i < PROFILE_SLOW; i++) {
        t.slow_l1_hit[i] = t.l1_hit - t.l1_late;
        if (i < p->n_slow && w->of_own[i].read.all > 0 && l1->enabled && !l1->perfect)
            t.slow_l1_hit[i] = cached * slow_hits(w, i, p, spec, o->blocks_per_sm, l1_lines);
    }
    t.partial = share(w->in_l2.partial, w->in_l2.dirty.all);
    for (uint32_t s = 0; s < w->map.slices; s++)
        t.hot_atomics = fmax(w->atomics[s], t.hot_atomics);
    prefetch(&t, spec, p, o);
    t.dram_reads += t.wasted * (1 - t.l2_hit);
    return t;
}

/* SMs that are evenly spread, not the first, whose blocks are often at an edge. */
static void choose_l1s(predict_walk_t *w)
{
    const uint32_t sms = w->spec[0]->sm.sm.count;
    w->n_l1 = sms < 16 ? 1 : SMS;
    for (uint32_t i = 0; i < w->n_l1; i++)
        w->number[i] = (2 * i + 1) * sms / (2 * w->n_l1);
    for (uint32_t i = 0; i < w->n_l1; i++)
        stack_clear(w->l1[i]);
}

/* What the L1s have on their way: as many lines as all warps ask for before they wait. A block has as many warps as there
 * would be if all did as much as its longest one. The walk hands over several instructions of a warp at a time. */
static void set_flights(predict_walk_t *w, const predict_profile_t *p, const occupancy_t *o)
{
    const l1_spec_t *l1 = &w->spec[0]->sm.l1;
    const double room = (double)l1->sets * l1_spec_ways(l1, o->carveout);
    const double blocks = blocks_on_sm(p, w->spec[0], o), turn = (1 + TOUCH_TURN) / 2.0;
    const uint32_t threads = p->info.block[0] * p->info.block[1] * p->info.block[2];
    const double lines = fmax(predict_assume(p, w->spec[0]).lines[OP_LOAD_LG], 1);
    const double of_warp = turn * lines * predict_profile_together(p);
    const double warps =
        p->sum.longest > 0 ? p->sum.insts / p->sum.longest : ceil((double)threads / WARP_LANES);
    for (uint32_t i = 0; i < SMS; i++)
        stack_flight(w->l1[i], of_warp * warps * blocks, room);
    for (size_t i = 0; i < p->n_slow; i++)
        stack_flight(
            w->own[i],
            of_warp * (double)p->lengths[p->slow[i].block] / fmax(p->slow[i].path.insts, 1), room);
}

/* Forgets what was measured of the window. */
static void measure(predict_walk_t *w)
{
    stack_counts_clear(&w->of_l1);
    stack_counts_clear(&w->of_again);
    stack_counts_clear(&w->of_l2);
    w->handed = 0;
    w->counts = (touch_counts_t){0};
    memset(w->of_atomics, 0, w->map.slices * sizeof(*w->of_atomics));
}

/* Adds what was measured of the window, but for the L2. */
static void add_window(predict_walk_t *w, double factor)
{
    stack_counts_add(&w->in_l1, &w->of_l1, factor);
    stack_counts_add(&w->again, &w->of_again, factor);
    for (unsigned k = 0; k < L2_TOUCH_KINDS; k++)
        w->sectors[k] += factor * (double)w->counts.sectors[k];
    w->l1_sectors += factor * (double)w->counts.l1_sectors;
    for (uint32_t s = 0; s < w->map.slices; s++)
        w->atomics[s] += factor * (double)w->of_atomics[s];
}

static void look_at(void *ctx, trace_block_t *block)
{
    predict_walk_t *w = ctx;
    const bool wanted = !w->alone && w->begun++ % w->apart == w->apart / 2;
    const size_t slow = slow_of(w, block->index);
    if (wanted || slow < PROFILE_SLOW)
        predict_profile_add(w->profile, block);
    if (slow < PROFILE_SLOW)
        w->walked[slow] = true;
}

/* Blocks [first, end) of a walk; those before `from` are not measured. */
typedef struct {
    uint64_t first, from, end;
    double blocks; /* for which the measured ones stand */
} window_t;

/* *factor: what each measured access stands for. */
static rb_code_t walk_window(predict_walk_t *w, const window_t *x, double *factor, rb_err_t *err)
{
    uint64_t before = 0;
    measure(w);
    if (x->from > x->first) {
        RB_TRY(touch_walk_go(w->walk, x->from, err));
        before = w->counts.requests;
        measure(w);
    }
    RB_TRY(touch_walk_go(w->walk, UINT64_MAX, err));
    const double of_block = (double)(before + w->counts.requests) / (double)(x->end - x->first);
    *factor = w->counts.requests > 0 ? of_block * x->blocks / (double)w->counts.requests
                                     : x->blocks / (double)(x->end - x->from);
    add_window(w, *factor);
    return RB_OK;
}

/* Sets the windows of n blocks, and returns their number. */
static size_t choose_windows(window_t window[WINDOWS], uint64_t n, uint64_t slots)
{
    const uint64_t part = n / WINDOW_PART, size = slots > part ? slots : part;
    const uint64_t room = n / (WALKED_PART * size), count = room < WINDOWS ? room : WINDOWS;
    if (count < 2) {
        window[0] = (window_t){0, 0, n, (double)n};
        return 1;
    }
    const uint64_t warm = size >= 2 * slots ? size / 4 : 0, period = (n - size) / (count - 1);
    window[0] = (window_t){0, 0, size, (double)size};
    for (uint64_t i = 1; i < count; i++) {
        const uint64_t from = size + (i - 1) * period + (period - size) / 2;
        window[i] = (window_t){from - warm, from, from + size, (double)period};
    }
    return count;
}

/* Blocks between windows bring as many new lines as those of the window before. */
static rb_code_t walk_windows(predict_walk_t *w, const window_t *x, size_t n, uint64_t blocks,
                              rb_err_t *err)
{
    far_window_t *const far = w->far;
    double factor[WINDOWS];
    for (size_t i = 0; i < n; i++) {
        const double fresh = stack_fresh(w->l2), novel = stack_novel(w->l2);
        const double size = (double)(x[i].end - x[i].first);
        const uint64_t next = i + 1 < n ? x[i + 1].first : blocks;
        stack_part(w->l2, i == 0);
        touch_walk_move(w->walk, x[i].first, x[i].end);
        RB_TRY(walk_window(w, &x[i], &factor[i], err));
        far[i].before = (double)x[i].from / size;
        far[i].lines = stack_novel(w->l2) - novel;
        far[i].counted = far[i].lines * stack_rate(w->l2);
        stack_counts_clear(&far[i].counts);
        /* Sampled lines are not exactly their share (SHARDS corrects that, too). */
        const double sampled = w->of_l2.read.all + w->of_l2.write.all;
        stack_counts_add(&far[i].counts, &w->of_l2, sampled > 0 ? (double)w->handed / sampled : 1);
        stack_skip(w->l2, (stack_fresh(w->l2) - fresh) / size * (double)(next - x[i].end));
    }
    far_reuse_settle(far + 1, n - 1);
    for (size_t i = 0; i < n; i++)
        stack_counts_add(&w->in_l2, &far[i].counts, factor[i]);
    return RB_OK;
}

/* Walks the blocks that may be the slowest and are in no window. */
static rb_code_t walk_slow(predict_walk_t *w, rb_err_t *err)
{
    rb_code_t rc = RB_OK;
    w->alone = true;
    for (size_t i = 0; i < w->profile->n_slow && rc == RB_OK; i++) {
        const uint64_t block = w->profile->slow[i].block;
        if (w->walked[i])
            continue;
        touch_walk_move(w->walk, block, block + 1);
        rc = touch_walk_go(w->walk, UINT64_MAX, err);
    }
    w->alone = false;
    return rc;
}

static rb_code_t walk_blocks(predict_walk_t *w, trace_source_t *source, uint64_t id,
                             predict_profile_t *p, const touch_consumer_t *consumer, rb_err_t *err)
{
    window_t window[WINDOWS];
    uint64_t walked = 0;
    const size_t n = choose_windows(window, p->blocks, consumer->slots);
    for (size_t i = 0; i < n; i++)
        walked += window[i].end - window[i].first;
    w->begun = 0;
    w->apart = (walked + PROFILE_BLOCKS - 1) / PROFILE_BLOCKS;
    w->profile = p;
    touch_walk_close(w->walk);
    memset(w->walked, 0, sizeof(w->walked));
    RB_TRY(touch_walk_open(&w->walk, source, id, 0, window[0].end, CODE_BASE, consumer, err));
    RB_TRY(walk_windows(w, window, n, p->blocks, err));
    return walk_slow(w, err);
}

rb_code_t predict_walk_launch(predict_walk_t *w, trace_source_t *source, uint64_t id,
                              predict_profile_t *p, predict_traffic_t *out, rb_err_t *err)
{
    occupancy_t o;
    RB_TRY(occupancy_compute(w->spec[0], &p->info, &o, err));
    take_copies(w, source, id);
    p->strides = w->spec[0]->sm.l1.prefetcher == PREFETCHER_STRIDE;
    stack_counts_clear(&w->in_l1);
    stack_counts_clear(&w->again);
    stack_counts_clear(&w->in_l2);
    for (size_t i = 0; i < p->n_slow; i++) {
        stack_clear(w->own[i]);
        stack_counts_clear(&w->of_own[i]);
    }
    memset(w->sectors, 0, sizeof(w->sectors));
    w->l1_sectors = 0;
    memset(w->atomics, 0, w->map.slices * sizeof(*w->atomics));
    const uint64_t all = (uint64_t)w->spec[0]->sm.sm.count * o.blocks_per_sm;
    w->slots = all < p->info.n_blocks ? all : p->info.n_blocks;
    choose_l1s(w);
    set_flights(w, p, &o);
    uint64_t smallest = UINT64_MAX;
    for (size_t i = 0; i < w->n; i++)
        smallest = w->spec[i]->mem.l2.size < smallest ? w->spec[i]->mem.l2.size : smallest;
    const touch_consumer_t consumer = {.take = take,
                                       .ctx = w,
                                       .reach = touch_reach(smallest / LINE_BYTES),
                                       .slots = all,
                                       .wants_l1 = wants_l1,
                                       .take_l1 = take_l1,
                                       .begin = look_at};
    RB_TRY(walk_blocks(w, source, id, p, &consumer, err));
    RB_TRY(predict_profile_end(p, err));
    for (size_t i = 0; i < w->n; i++) {
        RB_TRY(occupancy_compute(w->spec[i], &p->info, &o, err));
        out[i] = traffic_at(w, i, p, &o);
    }
    return RB_OK;
}
