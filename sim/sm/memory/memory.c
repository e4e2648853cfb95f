/* The memory side as a whole: creation, reset at a launch, gauges, checkpoints. */
#include "sim/sm/memory/memory_parts.h"

#include <stddef.h>

#include "sim/core/files/checkpoint_read.h"
#include "sim/core/model_mem.h"
#include "sim/core/prefetch.h"
#include "sim/sm/memory/prefetcher.h"
#include "sim/sm/save_value.h"

static bool power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

void memory_init(sm_t *sm)
{
    mem_queue_init(sm);
    lsu_init(sm);
    l1_init(sm);
    write_back_init(sm);
    tlb_init(sm);
}

void memory_begin(sm_t *sm)
{
    if (power_of_two(sm->memory.lsu.l1_banks) && power_of_two(sm->config->shared.banks))
        sm->memory.pattern = rb_model_calloc(PATTERN_SLOTS, sizeof(*sm->memory.pattern));
    l1_miss_init(sm);
}

void memory_free(sm_t *sm)
{
    rb_model_free(sm->memory.pattern);
    mem_queue_free(sm);
    l1_free(sm);
    write_back_free(sm);
    l1_miss_free(sm);
    tlb_free(sm);
}

void memory_reset(sm_t *sm, uint32_t carveout, cycle_t now)
{
    l1_reset(sm, carveout, now);
}

void memory_gauges(const sm_t *sm, sm_gauges_t *out)
{
    const memory_t *m = &sm->memory;
    for (uint32_t s = 0; s < sm->n_sub_cores; s++)
        out->memory += m->queue[s].count;
    out->lines = sm->begun ? sm->config->l1.mshrs : 0;
    for (uint32_t i = m->mshr_free; i != 0; i = m->mshr[i - 1].next_free)
        out->lines--;
}

const char *memory_doing(const sm_t *sm)
{
    const lsu_t *u = &sm->memory.lsu;
    if (!u->busy)
        return "idle";
    switch ((l1_result_t)u->stalled) {
    case L1_NO_MSHR:
        return "waits for an MSHR";
    case L1_NO_QUEUE:
        return "waits for the miss queue";
    case L1_NO_TLB:
        return "waits for translations";
    default:
        return "busy";
    }
}

void memory_prefetch_shape(const sm_t *sm)
{
    cache_prefetch_shape(sm->memory.l1);
}

void memory_prefetch(const sm_t *sm)
{
    const size_t begin = offsetof(memory_t, lsu.load);
    prefetch_range((const char *)&sm->memory + begin, sizeof(sm->memory) - begin);
}

/* Scalars that survive a launch. */
#define MEMORY_PERSISTENT(X)                                                                       \
    X(sm->memory.lsu.turn)                                                                         \
    X(sm->memory.lsu.data_free)                                                                    \
    X(sm->memory.lsu.load_owed)                                                                    \
    X(sm->memory.lsu.next_accept)                                                                  \
    X(sm->memory.lsu.tex_free)

static size_t prefetcher_bytes(const sm_t *sm)
{
    return prefetcher_words[sm->config->l1.prefetcher] * sizeof(*sm->memory.prefetcher_word);
}

int memory_save(const sm_t *sm, FILE *out)
{
    int rc = 0;
    MEMORY_PERSISTENT(SAVE_VALUE)
    rc |= cache_save_chance(sm->memory.l1, out);
    rc |= save_bytes(out, sm->memory.prefetcher_word, prefetcher_bytes(sm));
    rc |= tlb_save(sm, out);
    return rc;
}

/* Whether a load/store unit at rest can have these values. */
static bool is_possible(const sm_t *sm, const lsu_t *u, cycle_t latest)
{
    return u->data_free <= latest && u->next_accept <= latest && u->tex_free <= latest &&
           u->turn < sm->n_sub_cores && lsu_owed_is_possible(u->load_owed);
}

int memory_load(sm_t *sm, FILE *in, cycle_t latest)
{
    int rc = 0;
    MEMORY_PERSISTENT(LOAD_VALUE)
    if (rc != 0 || !is_possible(sm, &sm->memory.lsu, latest) ||
        cache_load_chance(sm->memory.l1, in) != 0 ||
        load_bytes(in, sm->memory.prefetcher_word, prefetcher_bytes(sm)) != 0)
        return checkpoint_read_failed(in);
    return tlb_load(sm, in);
}
