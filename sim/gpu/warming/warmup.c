/*
 * What changes the L2 without time: host copies, and blocks that a sampler left out of a launch.
 * (before_launch.c does whole launches.)
 *
 * Blocks are applied to the tags in the order of touch_walk.h, without the L1, which only hides
 * repeated reads of lines that are in the L2 anyway. Global accesses are also translated; since the
 * SM is not known, all SMs get the translations into their second-level TLB.
 */
#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/gpu/gpu_internal.h"
#include "sim/gpu/warming/touch_walk.h"
#include "sim/parts/cache/replacement.h"

uint64_t gpu_slots(const gpu_t *g, const launch_info_t *info)
{
    occupancy_t occupancy;
    rb_err_t ignored;
    if (occupancy_compute(&g->spec, info, &occupancy, &ignored) != RB_OK)
        return 1;
    return (uint64_t)g->n_sms * occupancy.blocks_per_sm;
}

void gpu_flush_l2(gpu_t *g)
{
    for (uint32_t p = 0; p < g->n_partitions; p++)
        partition_flush_l2(g->partition[p]);
}

void gpu_free_l2(const gpu_t *g, cache_t **list)
{
    for (uint32_t s = 0; list != NULL && s < g->map.slices; s++)
        cache_destroy(list[s]);
    free(list);
}

l2_chip_tags_t gpu_l2_tags(const gpu_t *g)
{
    l2_chip_tags_t t = {.map = &g->map};
    t.slice = rb_calloc(g->map.slices, sizeof(*t.slice));
    for (uint32_t i = 0; i < g->map.slices; i++)
        t.slice[i] = partition_l2_tags(g->partition[i / g->map.slices_per_partition], i);
    l2_tags_begin(&t);
    return t;
}

uint8_t *gpu_slot_halves(const gpu_t *g, const l2_chip_tags_t *tags, uint64_t slots,
                         const uint32_t *sm)
{
    const uint32_t *order = g->scheduler.placement.order;
    if (!tags->halves)
        return NULL;
    uint8_t *half = rb_calloc(slots, sizeof(*half));
    for (uint64_t k = 0; k < slots; k++)
        half[k] = (sm != NULL ? sm[k] : order[k % g->n_sms]) >= tags->slice[0].far_from;
    return half;
}

uint64_t gpu_take_copies(gpu_t *g, const memcpy_op_t *ops, size_t n, uint64_t *bytes)
{
    uint64_t left = 0;
    for (size_t i = 0; i < n; i++) {
        *bytes += ops[i].bytes;
        if (!g->spec.gpu.memcpy_fills_l2)
            continue;
        for (uint32_t p = 0; p < g->n_partitions; p++)
            left += partition_memcpy(g->partition[p], ops[i].addr, ops[i].bytes);
    }
    return left;
}

/* Waves whose accesses are applied to the L1s: an L1 rarely holds more. */
enum { L1_WAVES = 8 };

/* Matches no entry address. */
#define NO_ENTRY UINT64_MAX

/* A launch whose accesses are applied. */
typedef struct {
    gpu_t *g;
    l2_chip_tags_t tags;
    l2_warmed_t warmed;
    cache_t *taught;   /* owned; translations that the SMs have got from it */
    uint64_t entry;    /* entry of the last line */
    uint64_t l1_first; /* block from which the L1s are warmed, too */
    uint32_t *sm;      /* owned; of each slot */
} passage_t;

/* Makes the translation of a line known to the MMU and the SMs. */
static void touch_entry(passage_t *p, uint64_t line)
{
    gpu_t *g = p->g;
    const uint64_t entry = line & ~(g->spec.sm.tlb.l2_page - 1);
    if (entry == p->entry)
        return;
    p->entry = entry;
    if (cache_use(p->taught, entry))
        return;
    mmu_learn(g->mmu, entry);
    for (uint32_t i = 0; i < g->n_sms; i++)
        sm_learn(g->sm[i], entry);
}

static void take_batch(void *ctx, const touch_batch_t *batch)
{
    passage_t *p = ctx;
    l2_tags_touch(&p->tags, batch->touch, batch->n, batch->masks, &p->warmed);
    for (size_t i = 0; i < batch->n; i++)
        if (batch->touch[i].kind != L2_TOUCH_CODE)
            touch_entry(p, batch->touch[i].line);
}

static bool wants_l1(void *ctx, uint64_t slot, uint64_t block)
{
    (void)block;
    (void)ctx;
    (void)slot;
    return true;
}

static void take_l1(void *ctx, uint64_t slot, uint64_t block, const touch_l1_t *access, size_t n)
{
    const passage_t *p = ctx;
    for (const touch_l1_t *a = access; block >= p->l1_first && a < access + n; a++)
        sm_learn_l1(p->g->sm[p->sm[slot]], a->line, a->sectors, a->full, a->store);
}

/*
 * The SM of each slot of a walk over blocks [first, end): each block is taken for where the resident block is that is
 * as far before the next one as it is before the end. So neighbours in the grid share an L1 as they did.
 */
static uint32_t *place_slots(const gpu_t *g, uint64_t first, uint64_t end, uint64_t slots)
{
    const uint64_t next = g->scheduler.next;
    uint32_t *sm = rb_calloc(slots, sizeof(*sm));
    for (uint64_t k = 0; k < slots; k++)
        sm[k] = (uint32_t)(k % g->n_sms);
    for (uint32_t i = 0; i < g->n_sms; i++) {
        sm_stay_t list[SM_MAX_STAYS];
        const size_t n = sm_residents(g->sm[i], list);
        for (size_t b = 0; b < n; b++) {
            const uint64_t back = next - list[b].block;
            if (list[b].block < next && back <= slots && end >= first + back)
                sm[(end - back - first) % slots] = i;
        }
    }
    return sm;
}

rb_code_t gpu_warm_blocks(gpu_t *g, trace_source_t *source, uint64_t id, uint64_t first,
                          uint64_t end, l2_warmed_t *warmed, rb_err_t *err)
{
    passage_t p = {.g = g, .entry = NO_ENTRY};
    launch_info_t info;
    RB_TRY(source->ops->launch_info(source, id, &info, err));
    p.tags = gpu_l2_tags(g);
    p.taught = cache_create(1, g->spec.sm.tlb.l2_entries, (uint32_t)g->spec.sm.tlb.l2_page,
                            REPLACEMENT_LRU, false, false);
    const uint64_t slots = gpu_slots(g, &info), waves = L1_WAVES * slots;
    p.l1_first = end > waves ? end - waves : 0;
    p.sm = place_slots(g, first, end, slots);
    uint8_t *half = gpu_slot_halves(g, &p.tags, slots, p.sm);
    const touch_consumer_t consumer = {.take = take_batch,
                                       .ctx = &p,
                                       .reach = touch_reach(g->spec.mem.l2.size / LINE_BYTES),
                                       .slots = slots,
                                       .half = half,
                                       .wants_l1 = wants_l1,
                                       .take_l1 = take_l1};
    rb_code_t rc =
        touch_walk(source, id, first, end, gpu_code_base(g, info.code_id), &consumer, err);
    cache_destroy(p.taught);
    free(half);
    free(p.sm);
    free(p.tags.slice);
    *warmed = p.warmed;
    return rc;
}
