/*
 * Address translation. The L1 is virtually indexed, so only requests beyond it are translated. A
 * first-level miss that hits the second level costs tlb.l2_latency. On a second-level miss the
 * packet is held until the MMU (mmu.h) has answered; other packets pass it.
 *
 * On the card several SMs may share a second level. Its latency would be shorter than the engine's
 * window, so each SM has its own here, and the MMU already has what other SMs asked for.
 *
 * Local memory is not translated: the model places it without regard to pages. Neither are
 * instructions and constants, whose caches have another path to the MMU.
 */
#include "sim/sm/memory/memory_parts.h"

#include <string.h>

#include "sim/core/files/checkpoint_read.h"
#include "sim/core/model_mem.h"
#include "sim/parts/cache/replacement.h"

#ifdef __SSE4_1__
#include <smmintrin.h>
#endif

enum { LIST_UNIT = 8 /* addresses that are compared at once */ };
_Static_assert(TLB_RECENT % LIST_UNIT == 0, "the recent entries are searched in whole units");

static const uint64_t no_page = UINT64_MAX; /* matches no page address */

void tlb_init(sm_t *sm)
{
    const tlb_spec_t *spec = &sm->config->tlb;
    tlb_t *t = &sm->memory.tlb;
    if (spec->perfect)
        return;
    const uint32_t room = (spec->entries + LIST_UNIT - 1) / LIST_UNIT * LIST_UNIT;
    t->page = rb_model_calloc(room, sizeof(*t->page));
    for (uint32_t i = 0; i < room; i++)
        t->page[i] = no_page;
    t->l2 =
        cache_create(1, spec->l2_entries, (uint32_t)spec->l2_page, spec->replacement, false, false);
    t->held = rb_model_calloc(spec->pending, sizeof(*t->held));
    t->arrived = rb_model_calloc(spec->pending, sizeof(*t->arrived));
}

void tlb_free(sm_t *sm)
{
    rb_model_free(sm->memory.tlb.page);
    cache_destroy(sm->memory.tlb.l2);
    rb_model_free(sm->memory.tlb.held);
    rb_model_free(sm->memory.tlb.arrived);
}

static uint64_t page_of(const sm_t *sm, uint64_t line)
{
    return line & ~(sm->config->tlb.page - 1);
}

static uint64_t entry_of(const sm_t *sm, uint64_t line)
{
    return line & ~(sm->config->tlb.l2_page - 1);
}

#ifdef __SSE4_1__
/* Two bits for each of the 8 addresses from list on: whether it is `address`. */
static inline uint32_t equal_of_8(const uint64_t *list, __m128i address)
{
    __m128i equal[4];
    for (uint32_t i = 0; i < 4; i++) {
        const __m128i two = _mm_loadu_si128((const __m128i *)(const void *)(list + 2 * i));
        equal[i] = _mm_cmpeq_epi64(two, address);
    }
    const __m128i low = _mm_packs_epi32(equal[0], equal[1]);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, _mm_packs_epi32(equal[2], equal[3])));
}

/* Index of an address in a list of n, whose memory ends at a multiple of LIST_UNIT; n or more if
 * absent. The search has no branches, which the host could not predict. */
static inline uint32_t place_of(const uint64_t *list, uint32_t n, uint64_t address)
{
    const __m128i wanted = _mm_set1_epi64x((long long)address);
    uint32_t place = n;
    for (uint32_t i = (n + LIST_UNIT - 1) / LIST_UNIT; i > 0; i--) {
        const uint32_t first = (i - 1) * LIST_UNIT, equal = equal_of_8(list + first, wanted);
        place = equal != 0 ? first + (uint32_t)__builtin_ctz(equal | 1u << 31) / 2 : place;
    }
    return place;
}
#else
static inline uint32_t place_of(const uint64_t *list, uint32_t n, uint64_t address)
{
    uint32_t place = n;
    for (uint32_t i = n; i > 0; i--)
        place = list[i - 1] == address ? i - 1 : place;
    return place;
}
#endif

/* Index of a page in the first level; the number of entries or more if absent. */
static uint32_t first_level_find(const sm_t *sm, uint64_t page)
{
    return place_of(sm->memory.tlb.page, sm->config->tlb.entries, page);
}

/* Moves the page at an index to the front, or puts a new page there in place of the LRU one. */
static void first_level_use(sm_t *sm, uint32_t place, uint64_t page)
{
    const uint32_t last = sm->config->tlb.entries - 1;
    uint32_t older = place < last ? place : last;
    memmove(sm->memory.tlb.page + 1, sm->memory.tlb.page, older * sizeof(*sm->memory.tlb.page));
    sm->memory.tlb.page[0] = page;
}

/* Puts an entry in front of the first n recent ones. */
static void recent_front(tlb_t *t, uint32_t n, uint64_t entry)
{
    for (uint32_t i = n; i > 0; i--)
        t->recent[i] = t->recent[i - 1];
    t->recent[0] = entry;
}

/* Tells the second level the uses noted in `recent`. */
static void recent_note(const tlb_t *t)
{
    for (uint32_t i = t->n_recent; i > 0; i--)
        (void)cache_lookup(t->l2, t->recent[i - 1], true);
}

static bool second_level_has(sm_t *sm, uint64_t entry)
{
    tlb_t *t = &sm->memory.tlb;
    const uint32_t place = place_of(t->recent, t->n_recent, entry);
    if (place < t->n_recent) {
        recent_front(t, place, entry);
        return true;
    }
    if (sm->config->tlb.replacement != REPLACEMENT_LRU)
        return cache_lookup(t->l2, entry, true) != NULL;
    if (cache_lookup(t->l2, entry, false) == NULL)
        return false;
    if (t->n_recent == TLB_RECENT)
        (void)cache_lookup(t->l2, t->recent[--t->n_recent], true);
    recent_front(t, t->n_recent++, entry);
    return true;
}

static void second_level_fill(sm_t *sm, uint64_t entry)
{
    tlb_t *t = &sm->memory.tlb;
    recent_note(t);
    (void)cache_use(t->l2, entry);
    t->recent[0] = entry;
    t->n_recent = sm->config->tlb.replacement == REPLACEMENT_LRU ? 1 : 0;
}

void sm_learn(sm_t *sm, uint64_t entry)
{
    if (sm->memory.tlb.page != NULL)
        second_level_fill(sm, entry);
}

void sm_learn_page(sm_t *sm, uint64_t address)
{
    const uint64_t page = page_of(sm, address);
    if (sm->memory.tlb.page == NULL)
        return;
    second_level_fill(sm, entry_of(sm, address));
    first_level_use(sm, first_level_find(sm, page), page);
}

void tlb_forget(sm_t *sm)
{
    tlb_t *t = &sm->memory.tlb;
    if (t->page == NULL)
        return;
    for (uint32_t i = 0; i < sm->config->tlb.entries; i++)
        t->page[i] = no_page;
    cache_invalidate(t->l2);
    t->n_recent = 0;
}

/* Holds a packet; asks the MMU unless another held packet already waits for the same entry. */
static void hold(sm_t *sm, const mem_msg_t *m, uint32_t flits, uint64_t entry, cycle_t ready)
{
    tlb_t *t = &sm->memory.tlb;
    bool asked = false;
    for (uint32_t i = 0; i < t->n_held; i++)
        asked |= entry_of(sm, t->held[i].m.line) == entry;
    t->held[t->n_held++] = (held_packet_t){.m = *m, .flits = flits};
    if (!asked)
        sm_ask_mmu(sm, entry, ready);
}

static bool translated(const sm_t *sm, const mem_msg_t *m)
{
    return sm->memory.tlb.page != NULL && m->src != MEM_SRC_LOCAL;
}

void tlb_send(sm_t *sm, const mem_msg_t *m, uint32_t flits, cycle_t ready)
{
    const uint64_t page = page_of(sm, m->line);
    if (translated(sm, m) && page != sm->memory.tlb.page[0]) {
        const uint32_t place = first_level_find(sm, page);
        if (place >= sm->config->tlb.entries) {
            const uint64_t entry = entry_of(sm, m->line);
            sm->stats.tlb_misses++;
            ready += sm->config->tlb.l2_latency;
            if (!second_level_has(sm, entry)) {
                sm->stats.tlb_l2_misses++;
                hold(sm, m, flits, entry, ready);
                return;
            }
        }
        first_level_use(sm, place, page);
    }
    sm_send_request(sm, m, flits, ready);
}

void tlb_arrive(sm_t *sm, uint64_t entry)
{
    sm->memory.tlb.arrived[sm->memory.tlb.n_arrived++] = entry;
}

static void release(sm_t *sm, uint64_t entry, cycle_t now)
{
    tlb_t *t = &sm->memory.tlb;
    uint32_t n = 0;
    second_level_fill(sm, entry);
    for (uint32_t i = 0; i < t->n_held; i++) {
        const held_packet_t *h = &t->held[i];
        if (entry_of(sm, h->m.line) != entry) {
            t->held[n++] = *h;
            continue;
        }
        const uint64_t page = page_of(sm, h->m.line);
        first_level_use(sm, first_level_find(sm, page), page);
        sm_send_request(sm, &h->m, h->flits, now);
    }
    t->n_held = n;
}

void tlb_step(sm_t *sm, cycle_t now)
{
    tlb_t *t = &sm->memory.tlb;
    for (uint32_t i = 0; i < t->n_arrived; i++)
        release(sm, t->arrived[i], now);
    t->n_arrived = 0;
    lsu_kick(sm, now);
}

int tlb_save(const sm_t *sm, FILE *out)
{
    const tlb_t *t = &sm->memory.tlb;
    const size_t n = sm->config->tlb.entries;
    if (t->page == NULL)
        return 0;
    if (fwrite(t->page, sizeof(*t->page), n, out) != n)
        return -1;
    recent_note(t);
    return cache_save(t->l2, out);
}

int tlb_load(sm_t *sm, FILE *in)
{
    tlb_t *t = &sm->memory.tlb;
    const size_t n = sm->config->tlb.entries;
    if (t->page == NULL)
        return 0;
    if (fread(t->page, sizeof(*t->page), n, in) != n)
        return checkpoint_read_failed(in);
    for (size_t i = 0; i < n; i++)
        if (t->page[i] != no_page && page_of(sm, t->page[i]) != t->page[i])
            return checkpoint_out_of_range();
    return cache_load(t->l2, in);
}
