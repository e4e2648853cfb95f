#include "sampling/inside/smarts/smarts_look.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/inside/smarts/slot_model.h"
#include "sim/core/alloc.h"
#include "sim/core/find_first.h"

/* Bins of the survey in a wave; without an index they are single blocks, up to this many. */
enum { BINS_OF_WAVE = 8, MOST_BINS = 1 << 22 };

/* Share of the work of the longest blocks that is too little to matter. */
#define LONGEST_SHARE 0.02

static uint64_t bin_size(const sampler_launch_t *l, bool indexed)
{
    if (indexed)
        return l->slots / BINS_OF_WAVE + 1;
    return l->info->n_blocks / MOST_BINS + 1;
}

/* The lengths of blocks, if there is no index. */
static void take_insts(smarts_look_t *s)
{
    const shadow_t *shadow = s->shadow;
    for (uint64_t block = 0; block < shadow->n_blocks; block++)
        block_insts_add(&s->insts, shadow_between(shadow, block, block + 1).warp_insts);
}

/* A length of blocks, and their number. */
typedef struct {
    uint64_t insts, n;
} length_t;

/* Restores the heap, longest first, below i. */
static void sift(length_t *heap, size_t n, size_t i)
{
    for (size_t next; (next = 2 * i + 1) < n; i = next) {
        if (next + 1 < n && heap[next + 1].insts > heap[next].insts)
            next++;
        if (heap[i].insts >= heap[next].insts)
            return;
        const length_t l = heap[i];
        heap[i] = heap[next];
        heap[next] = l;
    }
}

/* Length of the longest block that matters, over the mean. A heap, because only the longest
 * are wanted in order. */
static void take_lengths(smarts_look_t *s)
{
    const block_insts_t *b = &s->insts;
    length_t *heap = rb_calloc(b->n + 1, sizeof(*heap));
    const double all = (double)block_insts_before(b, b->blocks), mean = all / (double)b->blocks;
    double work = 0;
    for (size_t i = 0; i < b->n; i++) {
        const uint64_t end = i + 1 < b->n ? b->runs[i + 1].first : b->blocks;
        heap[i] = (length_t){b->runs[i].insts, end - b->runs[i].first};
    }
    for (size_t i = b->n / 2; i-- > 0;)
        sift(heap, b->n, i);
    for (size_t n = b->n; n > 0 && work <= LONGEST_SHARE * all; sift(heap, n, 0)) {
        s->usual = (double)heap[0].insts / mean;
        work += (double)heap[0].insts * (double)heap[0].n;
        heap[0] = heap[--n];
    }
    free(heap);
}

/* Everything that follows from the lengths. */
static void digest(smarts_look_t *s, uint64_t slots)
{
    s->blocks = s->insts.blocks;
    s->slots = slots < s->blocks ? slots : s->blocks;
    const double all = (double)block_insts_before(&s->insts, s->blocks);
    s->wave = 0;
    if (all <= 0)
        return;
    s->wave = all / (double)s->blocks * (double)s->slots;
    const slot_model_t model = slot_model_run(&s->insts, s->slots, NULL, 0);
    s->oldest = model.oldest;
    s->drain = model.drain * (double)s->slots / s->wave;
    take_lengths(s);
}

void smarts_look_begin(smarts_look_t *s, const sampler_launch_t *l)
{
    *s = (smarts_look_t){0};
    block_insts_equal(&s->insts, l->info->n_blocks);
    digest(s, l->slots);
}

rb_code_t smarts_look_lengths(smarts_look_t *s, const sampler_launch_t *l, rb_err_t *err)
{
    if (l->source->ops->block_facts == NULL)
        return RB_OK;
    block_insts_free(&s->insts);
    RB_TRY(block_insts_read(&s->insts, l->source, l->position, NULL, NULL, err));
    digest(s, l->slots);
    return RB_OK;
}

rb_code_t smarts_look_survey(smarts_look_t *s, const sampler_launch_t *l, uint64_t until,
                             rb_err_t *err)
{
    const bool indexed = l->source->ops->block_facts != NULL, first = s->shadow == NULL;
    RB_TRY(sampler_survey(l, bin_size(l, indexed), indexed ? until : UINT64_MAX, &s->shadow, err));
    if (indexed || !first)
        return RB_OK;
    block_insts_free(&s->insts);
    take_insts(s);
    digest(s, l->slots);
    return RB_OK;
}

void smarts_look_free(smarts_look_t *s)
{
    block_insts_free(&s->insts);
    *s = (smarts_look_t){0};
}

double smarts_look_insts(const smarts_look_t *s, uint64_t first, uint64_t end)
{
    return (double)(block_insts_before(&s->insts, end) - block_insts_before(&s->insts, first));
}

double smarts_look_place(const smarts_look_t *s, uint64_t block)
{
    return (smarts_look_insts(s, 0, block) / smarts_look_insts(s, 0, s->blocks) +
            (double)block / (double)s->blocks) /
           2;
}

uint64_t smarts_look_at(const smarts_look_t *s, double place)
{
    uint64_t after;
    FIND_FIRST(after, 1, s->blocks, smarts_look_place(s, after) > place);
    return after - 1;
}

/* Sectors that blocks take in the L2. */
static double taken(const smarts_look_t *s, uint64_t first, uint64_t end)
{
    const shadow_counts_t c = shadow_between(s->shadow, first, end);
    return (double)(c.fills + c.write_sectors - c.write_hits);
}

uint64_t smarts_look_back(const smarts_look_t *s, uint64_t least, uint64_t end, double sectors)
{
    const uint64_t step = s->shadow->blocks_per_bin;
    double sum = 0;
    while (end > least && sum < sectors) {
        const uint64_t from = end - least > step ? end - step : least;
        sum += taken(s, from, end);
        end = from;
    }
    return end;
}
