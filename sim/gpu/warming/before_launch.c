/*
 * Brings the caches to where they would be if the launches before the next one had been simulated
 * (warmup.mode functional). This concerns the caches that outlive a launch: the L2 (lines, valid
 * and modified sectors, order of use), instruction caches, TLBs and the MMU. L1 and constant
 * caches are emptied by every launch. Open DRAM rows, the time of the next DRAM refresh and the
 * state of arbiters stay as the last simulated launch left them. Local memory is left out, because
 * its addresses depend on time.
 *
 * The skipped launches are walked without time (touch_walk.h), from the last one back, each on a chip whose L2 is
 * empty. What they leave (footprint.h) is then used in the order of the program, line by line, on what the chip
 * holds. A launch that is equal to one that was walked before is not walked again, and of equal ones only the last
 * one counts. It is walked through an L2 without bounds first, which is the same for all chips of one half
 * (shared_walks.h), and again through the chip's own if that has no room.
 *
 * The walk ends when its lines fill the L2. It also ends after 1, 3, 7, ... launches if these are as many
 * instructions as the next launch allows for (before_t.allowed), and the later half of them has added almost no
 * line that was missing, or not modified. Of the launches before, the last ones of kernels that were not met, and
 * those twice as large as any of their kernel that was walked, are walked, too: a giant may have left what no
 * other launch touches. Of the launches that are not walked, the host copies are applied, and a few blocks of each
 * kernel are walked for its code and its pages.
 *
 * If one wave of the launch before replaces half of the L2, evictions depend on timing, which a walk does not know:
 * the caller simulates that launch, unless it is longer than the next one. So the cost at most doubles.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/host_time.h"
#include "sim/gpu/warming/before_launch.h"

/*
 * A launch may be preceded by a walk over as many instructions as it has itself, and WALKED_ANYWAY,
 * before a step without news ends it; and a walked launch counts as at least WALKED_LEAST. Walking
 * an instruction takes 5 to 60 times less than simulating it.
 */
enum { WALKED_ANYWAY = 20000, WALKED_LEAST = 5000 };

/*
 * A launch leaves what time decides if the blocks of a wave, which run at the same time, replace at least
 * LEAD_WAVE of the L2. A walk has a fifth of these lines wrong (docs/lab/warmup.md): 5 % of what a launch of
 * LEAD_MOST L2s fills, which is 1 % of its cycles.
 */
#define LEAD_WAVE 0.5
#define LEAD_MOST 4.0

static void take_tags(before_t *b)
{
    free(b->tags.slice);
    b->tags = gpu_l2_tags(b->g);
    for (uint32_t s = 0; b->written != NULL && s < b->g->map.slices; s++)
        b->tags.slice[s].writes = b->written + (size_t)s * cache_sets(b->tags.slice[s].cache);
}

/* Returns the sectors that the copies before launch k left in the L2. */
static uint64_t copy_before(const before_t *b, uint64_t k)
{
    const memcpy_op_t *copies;
    uint64_t bytes = 0;
    const size_t n = b->source->ops->copies(b->source, k, &copies);
    return gpu_take_copies(b->g, copies, n, &bytes);
}

/* Instructions of launch k; 0: unknown. */
static uint64_t insts_of(const before_t *b, uint64_t k)
{
    launch_size_t size = {0};
    if (b->source->ops->launch_size != NULL)
        b->source->ops->launch_size(b->source, k, &size);
    return size.warp_insts;
}

/* Gives the chip the L2 tags of the list, which gets the present ones. */
static void exchange_l2(before_t *b, cache_t **list)
{
    const gpu_t *g = b->g;
    for (uint32_t s = 0; s < g->map.slices; s++) {
        partition_t *p = g->partition[s / g->map.slices_per_partition];
        list[s] = partition_exchange_l2(p, s, list[s]);
    }
    take_tags(b);
}

/* Empty L2 tags of the chip's shape. */
static cache_t **take_l2(const before_t *b)
{
    for (unsigned i = 0; i < GPU_SPARE_L2; i++) {
        cache_t **list = b->g->spare_l2[i];
        b->g->spare_l2[i] = NULL;
        if (list != NULL)
            return list;
    }
    cache_t **list = rb_calloc(b->g->map.slices, sizeof(cache_t *));
    for (uint32_t s = 0; s < b->g->map.slices; s++)
        list[s] = cache_like(b->tags.slice[s].cache);
    return list;
}

/* Keeps tags for the next take_l2(). */
static void give_l2(const before_t *b, cache_t **list)
{
    for (unsigned i = 0; i < GPU_SPARE_L2; i++) {
        if (b->g->spare_l2[i] != NULL)
            continue;
        for (uint32_t s = 0; s < b->g->map.slices; s++)
            cache_renew(list[s]);
        b->g->spare_l2[i] = list;
        return;
    }
    gpu_free_l2(b->g, list);
}

/* Whether the L2 is as good as full. */
static bool recent_is_full(const before_t *b)
{
    uint64_t held = 0, capacity = 0;
    for (uint32_t s = 0; s < b->g->map.slices; s++) {
        held += cache_count(b->recent[s]);
        capacity += cache_capacity(b->recent[s]);
    }
    return (double)held >= b->g->spec.warmup.full * (double)capacity;
}

/* The share of the lines of the recent L2 that would otherwise not be in the L2, or not modified, but for
 * the last step. */
static double share_of_news(const before_t *b)
{
    uint64_t held = 0;
    for (uint32_t s = 0; s < b->g->map.slices; s++)
        held += cache_count(b->recent[s]);
    return held > 0 ? (double)b->news / (double)held : 0.0;
}

/* Puts a footprint before those of the launches after it. */
static void put_left(before_t *b, footprint_t *p)
{
    cache_lines_at_t at = {.lines = &p->lines};
    for (uint32_t s = 0; s < b->g->map.slices; s++)
        b->news +=
            cache_claim_lines(b->recent[s], &at, b->tags.slice[s].modified_ways, b->older[s]);
    rb_grow(&b->left, &b->cap_left, b->n_left + 1, sizeof(footprint_t *));
    if (p->key != 0)
        hash_map_add(&b->keys, p->key, (uint32_t)b->n_left);
    b->left[b->n_left++] = p;
}

/* The footprint of an equal launch after this one. Only the last one counts: its lines were used last, and it
 * writes the same. */
static footprint_t *find_left(const before_t *b, uint64_t key)
{
    if (key != 0)
        for (hash_walk_t w = hash_map_walk(&b->keys, key); hash_walk_next(&w);)
            if (b->left[w.number]->key == key)
                return b->left[w.number];
    return NULL;
}

/* Copies that come before launch k. */
static void put_copies(before_t *b, uint64_t k)
{
    footprint_t copies;
    if (copy_before(b, k) == 0)
        return;
    before_take_footprint(b, 0, 0, &copies);
    put_left(b, footprints_add(b->g->footprints, &copies));
}

/* The code of launch k, the first one of its kernel. */
static void put_code(before_t *b, const footprint_t *of)
{
    footprint_t code;
    before_touch_code(b, of, &code);
    put_left(b, footprints_add(b->g->footprints, &code));
}

/* The footprint of launch k, which no launch after it has. */
static rb_code_t take_launch(before_t *b, uint64_t k, const launch_info_t *info, uint64_t key,
                             footprint_t **out, rb_err_t *err)
{
    footprint_t new = {0};
    *out = footprints_take(b->g->footprints, key);
    if (*out != NULL) {
        b->cost->warp_insts += (*out)->warp_insts;
        trail_repeat(&b->trail, k, (*out)->item, (*out)->n_items);
        return RB_OK;
    }
    RB_TRY(before_walk_launch(b, k, info, key, &new, err));
    new.key = key;
    *out = footprints_add(b->g->footprints, &new);
    return RB_OK;
}

/* Puts launch k and the copies before it before the launches after it. */
static rb_code_t add_launch(before_t *b, uint64_t k, rb_err_t *err)
{
    launch_info_t info;
    uint64_t key;
    RB_TRY(b->source->ops->launch_info(b->source, k, &info, err));
    RB_TRY(before_key(b, k, &key, err));
    footprint_t *p = find_left(b, key);
    b->cost->launches++;
    if (p != NULL) {
        b->cost->warp_insts += p->warp_insts;
    } else {
        RB_TRY(take_launch(b, k, &info, key, &p, err));
        put_left(b, p);
    }
    b->met[gpu_code_number(b->g, info.code_id)] = true;
    for (size_t i = 0; i < p->lines.n_sets; i++)
        b->writes[p->lines.set[i].set] += p->lines.set[i].writes;
    b->placed = p->placed;
    if (gpu_code_first(b->g, info.code_id, k) == k)
        put_code(b, p);
    put_copies(b, k);
    return RB_OK;
}

/* Whether the walk has cost what the launch allows for. */
static bool is_dear(const before_t *b)
{
    const uint64_t least = b->cost->launches * WALKED_LEAST, insts = b->cost->warp_insts;
    return (insts > least ? insts : least) >= b->allowed;
}

/* Whether what the launch before leaves in the L2, which its walk has filled, depends on time, and is worth
 * the cost. */
static rb_code_t judge_lead(before_t *b, rb_err_t *err)
{
    launch_info_t info;
    if (!b->may_lead || b->end + 1 != b->position || insts_of(b, b->end) > insts_of(b, b->position))
        return RB_OK;
    RB_TRY(b->source->ops->launch_info(b->source, b->end, &info, err));
    const double waves = (double)info.n_blocks / (double)gpu_slots(b->g, &info);
    const double l2s = (double)b->placed * LINE_BYTES / (double)b->g->spec.mem.l2.size;
    b->lead = l2s >= LEAD_WAVE * fmax(1, waves) && l2s < LEAD_MOST;
    return RB_OK;
}

/* A launch that is larger than others of its kernel by this factor may leave what they do not. */
#define GIANT 2.0

/* Walks launch k, which is before those that were walked, if it is unlike these. */
static rb_code_t walk_if_unlike(before_t *b, uint64_t k, uint64_t *largest, rb_err_t *err)
{
    launch_info_t info;
    RB_TRY(b->source->ops->launch_info(b->source, k, &info, err));
    uint64_t *most = &largest[gpu_code_number(b->g, info.code_id)];
    const uint64_t size = insts_of(b, k), insts = size > 0 ? size : 1;
    const bool walked = k >= b->end;
    if (!walked && *most > 0 && (double)insts < GIANT * (double)*most)
        return RB_OK;
    *most = insts > *most ? insts : *most;
    return walked ? RB_OK : add_launch(b, k, err);
}

static rb_code_t walk_unlike(before_t *b, rb_err_t *err)
{
    uint64_t *largest = rb_calloc(b->g->n_codes, sizeof(*largest));
    rb_code_t rc = RB_OK;
    for (uint64_t k = b->position; k-- > b->first && rc == RB_OK && !recent_is_full(b);)
        rc = walk_if_unlike(b, k, largest, err);
    free(largest);
    return rc;
}

/* Walks launches from the last one back, on a chip whose L2 is empty, until more would change
 * nothing. */
static rb_code_t walk_back(before_t *b, rb_err_t *err)
{
    for (uint64_t step = 1; b->first < b->end; step *= 2) {
        const uint64_t from = b->end - b->first > step ? b->end - step : b->first;
        b->news = 0;
        while (b->end > from) {
            RB_TRY(add_launch(b, --b->end, err));
            if (recent_is_full(b))
                return judge_lead(b, err);
        }
        if (is_dear(b) && share_of_news(b) <= b->g->spec.warmup.news)
            return walk_unlike(b, err);
    }
    return RB_OK;
}

/* Of launches that are not walked: host copies, and the code and pages of some blocks: of the last
 * launch of each kernel that no later launch runs, and of the first one of each. */
static rb_code_t pass_rest(before_t *b, rb_err_t *err)
{
    launch_info_t info;
    for (uint64_t k = b->first; k < b->end; k++)
        (void)copy_before(b, k);
    for (uint64_t k = b->end; k-- > b->first;) {
        RB_TRY(b->source->ops->launch_info(b->source, k, &info, err));
        if (b->met[gpu_code_number(b->g, info.code_id)] &&
            gpu_code_first(b->g, info.code_id, k) != k)
            continue;
        const uint64_t n = info.n_blocks, some[3][2] = {{0, 1}, {n / 2, n / 2 + 1}, {n - 1, n}};
        RB_TRY(before_walk_blocks(b, k, false, some, n < 3 ? (size_t)n : 3, err));
    }
    return RB_OK;
}

/* The launches that were not walked have written as much as the others: each write has cleaned what host copies
 * left modified. */
static void clean_for_rest(const before_t *b)
{
    const uint64_t walked = b->position - b->end, left_out = b->end - b->first;
    const uint32_t sets = cache_sets(b->tags.slice[0].cache);
    for (uint32_t s = 0; s < b->g->map.slices && walked > 0 && left_out > 0; s++) {
        for (uint32_t set = 0; set < sets; set++) {
            const uint64_t writes = b->writes[(size_t)s * sets + set] * left_out / walked;
            cache_clean_excess(b->tags.slice[s].cache, set, b->tags.slice[s].modified_ways,
                               writes < UINT32_MAX ? (uint32_t)writes : UINT32_MAX);
        }
    }
}

static void free_left(before_t *b)
{
    for (size_t i = 0; i < b->n_left; i++)
        footprint_give(b->left[i]);
    free(b->left);
    hash_map_free(&b->keys);
}

static rb_code_t walk_apart(before_t *b, rb_err_t *err)
{
    b->older = take_l2(b);
    b->recent = take_l2(b);
    const size_t n = (size_t)b->g->map.slices * cache_sets(b->tags.slice[0].cache);
    b->writes = rb_calloc(n, sizeof(*b->writes));
    b->written = rb_calloc(n, sizeof(*b->written));
    exchange_l2(b, b->older);
    rb_code_t rc = walk_back(b, err);
    exchange_l2(b, b->older);
    if (rc == RB_OK && !b->lead) {
        rc = pass_rest(b, err);
        clean_for_rest(b);
        before_replay(b);
    }
    give_l2(b, b->older);
    give_l2(b, b->recent);
    free_left(b);
    free(b->writes);
    free(b->written);
    return rc;
}

static void forget_all(gpu_t *g)
{
    gpu_flush_l2(g);
    for (uint32_t p = 0; p < g->n_partitions; p++)
        partition_forget_code(g->partition[p]);
    for (uint32_t i = 0; i < g->n_sms; i++)
        sm_forget(g->sm[i]);
    mmu_forget(g->mmu);
}

/* Notes the code of all launches up to this one, so that kernels are numbered in the order of the
 * trace, as in a run of all launches. */
static rb_code_t note_code(gpu_t *g, trace_source_t *source, uint64_t position, rb_err_t *err)
{
    launch_info_t info;
    for (; g->n_noted < position; g->n_noted++) {
        RB_TRY(source->ops->launch_info(source, g->n_noted + 1, &info, err));
        (void)gpu_code_first(g, info.code_id, g->n_noted + 1);
    }
    return RB_OK;
}

static footprints_t *footprints_of(gpu_t *g)
{
    if (g->footprints == NULL)
        g->footprints = footprints_create();
    return g->footprints;
}

void gpu_keep_walks(gpu_t *g)
{
    footprints_share(footprints_of(g), true);
}

bool gpu_take_walk(gpu_t *g, const void *bytes, size_t n)
{
    footprints_share(footprints_of(g), false);
    return shared_walks_take(footprints_shared(g->footprints), bytes, n);
}

void gpu_inherit_walks(gpu_t *g, gpu_t *from)
{
    /* Equal chips that differ in padding only walk again. */
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
    if (g->footprints != NULL || memcmp(&g->spec, &from->spec, sizeof(g->spec)) != 0)
        return;
    g->footprints = from->footprints;
    from->footprints = NULL;
}

void gpu_visit_walks(const gpu_t *g, void (*visit)(void *ctx, const void *bytes, size_t n),
                     void *ctx)
{
    if (g->footprints != NULL && footprints_shared(g->footprints) != NULL)
        shared_walks_visit(footprints_shared(g->footprints), visit, ctx);
}

static rb_code_t walk_skipped(before_t *b, rb_err_t *err)
{
    (void)footprints_of(b->g);
    const rb_code_t rc = walk_apart(b, err);
    if (!b->lead)
        trail_apply(&b->trail, b->g);
    return rc;
}

rb_code_t gpu_warm_up(gpu_t *g, trace_source_t *source, uint64_t position,
                      launch_touched_t *touched, bool *lead, rb_err_t *err)
{
    const double begun = clock_cpu_seconds();
    const uint64_t limit = g->spec.warmup.launches;
    RB_TRY(note_code(g, source, position, err));
    if (g->reached >= position) { /* the chip's state is that of later launches */
        forget_all(g);
        g->reached = 0;
        g->left_out = false;
    }
    before_t b = {.g = g,
                  .source = source,
                  .position = position,
                  .first = g->reached + (g->left_out ? 0 : 1),
                  .end = position,
                  .cost = touched,
                  .may_lead = lead != NULL};
    if (limit > 0 && b.end - b.first > limit)
        b.first = b.end - limit;
    if (b.first == b.end && (g->footprints == NULL || !footprints_keeps(g->footprints)))
        return RB_OK;
    b.allowed = WALKED_ANYWAY + insts_of(&b, position);
    b.met = rb_calloc(g->n_codes, sizeof(*b.met));
    trail_init(&b.trail, g);
    take_tags(&b);
    rb_code_t rc = b.first < b.end ? walk_skipped(&b, err) : RB_OK;
    if (rc == RB_OK && !b.lead)
        rc = before_share_launch(&b, position, err);
    trail_free(&b.trail);
    free(b.tags.slice);
    free(b.met);
    touched->cpu_seconds += clock_cpu_seconds() - begun;
    if (lead != NULL)
        *lead = b.lead;
    return rc;
}

/* Whether a launch of the trace stands for others of its program, which the trace lacks. */
static bool is_sample(const trace_source_t *source)
{
    const uint64_t n = source->ops->weight != NULL ? source->ops->n_launches(source) : 0;
    uint64_t id = 1;
    while (id <= n && source->ops->weight(source, id) == 1.0)
        id++;
    return id <= n;
}

/* Whether no launch is missing between the first and the last one of the trace. */
static bool is_contiguous(trace_source_t *source)
{
    const uint64_t n = source->ops->n_launches(source);
    launch_info_t first, last;
    rb_err_t ignored;
    return n == 0 || (source->ops->launch_info(source, 1, &first, &ignored) == RB_OK &&
                      source->ops->launch_info(source, n, &last, &ignored) == RB_OK &&
                      last.id - first.id == n - 1 && !is_sample(source));
}

unsigned gpu_warmup_mode(const gpu_spec_t *spec, bool sampled, trace_source_t *source)
{
    if (spec->warmup.mode != WARMUP_AUTO)
        return spec->warmup.mode;
    if (!sampled || source->ops->launch_counts == NULL || source->ops->has_launch != NULL)
        return WARMUP_KEEP;
    return is_contiguous(source) ? WARMUP_FUNCTIONAL : WARMUP_KEEP;
}
