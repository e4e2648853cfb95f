#include "sim/parts/cache/cache_internal.h"

#include <string.h>

#include "sim/core/err.h"
#include "sim/core/model_mem.h"
#include "sim/core/prefetch.h"

#define POLICY_HIT_(NAME, name, bits, words, help)                                                 \
    case REPLACEMENT_##NAME:                                                                       \
        replacement_##name##_hit(c, set, way);                                                     \
        break;
#define POLICY_ADDED_(NAME, name, bits, words, help)                                               \
    case REPLACEMENT_##NAME:                                                                       \
        replacement_##name##_added(c, set, way);                                                   \
        break;
#define POLICY_REPLACE_(NAME, name, bits, words, help)                                             \
    case REPLACEMENT_##NAME:                                                                       \
        return replacement_##name##_replace(c, set);

#define FIRST_RANDOM 0x9E3779B9u

/* Of a cache whose owner says nothing of its accesses. */
static const cache_request_t unknown_request;

uint32_t cache_set_of(const cache_t *c, uint64_t line)
{
    return cache_line_set(c, line);
}

cache_key_t cache_key_of(const cache_t *c, uint64_t line)
{
    return cache_line_key(c, line);
}

void cache_shape(cache_t *c, uint32_t sets, uint32_t ways)
{
    bool none = sets == 0 || ways == 0;
    c->sets = none ? 0 : sets;
    c->ways = none ? 0 : ways;
    c->by_sets = divider_make(c->sets > 0 ? c->sets : 1);
    c->by_ways = divider_make(c->ways > 0 ? c->ways : 1);
    c->sets_pow2 = (c->sets & (c->sets - 1)) == 0;
    c->set_bits = 0;
    while (c->sets_pow2 && c->sets >> c->set_bits > 1)
        c->set_bits++;
    c->fold_pieces = 0;
    if (c->set_bits > 0) {
        c->fold_pieces = 1;
        while (c->fold_pieces * 2 * c->set_bits < 64)
            c->fold_pieces *= 2;
    }
    const size_t lines = (size_t)c->sets * c->ways;
    c->plane_words = (c->ways + 63) / 64;
    rb_model_grow(&c->policy_state, &c->cap_policy_state, cache_state_words(c) * c->sets,
                  sizeof(*c->policy_state));
    c->narrow = c->ways <= NARROW_WAYS;
    if (c->narrow) {
        c->narrow_bytes = narrow_set_bytes(c->ways);
        rb_model_grow(&c->narrow_set, &c->cap_narrow, c->sets * c->narrow_bytes, 1);
        rb_model_grow(&c->tag, &c->cap_tag, lines, sizeof(*c->tag));
    } else {
        c->chunks = tag_table_chunks(c->ways);
        rb_model_grow(&c->wide_set, &c->cap_wide, c->sets, sizeof(*c->wide_set));
        rb_model_grow(&c->table, &c->cap_table, (size_t)c->sets * c->chunks, sizeof(*c->table));
        rb_model_grow(&c->way, &c->cap_way, lines, sizeof(*c->way));
    }
}

void cache_clear_rest(cache_t *c)
{
    c->count = 0;
    if (c->policy_word != NULL)
        memset(c->policy_word, 0, replacement_words[c->policy] * sizeof(*c->policy_word));
    if (c->victims != NULL)
        cache_clear(c->victims);
}

void cache_clear_set(cache_t *c, uint32_t set)
{
    const size_t words = cache_state_words(c);
    if (words > 0)
        memset(c->policy_state + set * words, 0, words * sizeof(*c->policy_state));
    if (c->narrow) {
        memset(c->narrow_set + set * c->narrow_bytes, 0, c->narrow_bytes);
        return;
    }
    memset(c->table + (size_t)set * c->chunks, 0, c->chunks * sizeof(*c->table));
    c->wide_set[set] = wide_empty();
}

void cache_clear(cache_t *c)
{
    cache_clear_rest(c);
    if (c->sets == 0)
        return;
    if (c->planes > 0)
        memset(c->policy_state, 0, cache_state_words(c) * c->sets * sizeof(*c->policy_state));
    if (c->narrow) {
        memset(c->narrow_set, 0, c->sets * c->narrow_bytes);
        return;
    }
    memset(c->table, 0, ((size_t)c->sets * c->chunks) * sizeof(*c->table));
    for (uint32_t s = 0; s < c->sets; s++)
        c->wide_set[s] = wide_empty();
}

cache_t *cache_create(uint32_t sets, uint32_t ways, uint32_t line_bytes,
                      replacement_policy_t policy, bool hash_sets, bool writes)
{
    RB_INVARIANT(line_bytes > CACHE_TAG_BITS && (line_bytes & (line_bytes - 1)) == 0,
                 "cache: a line of %u bytes is too short or not a power of two", line_bytes);
    RB_INVARIANT((uint64_t)sets * ways <= 1u << 28 && ways < CACHE_MAX_WAYS,
                 "cache: %u sets of %u ways are too many", sets, ways);
    RB_INVARIANT((uint32_t)policy < REPLACEMENT_COUNT, "cache: no replacement policy %u",
                 (unsigned)policy);
    cache_t *c = rb_model_calloc(1, sizeof(*c));
    c->capacity = sets * ways;
    c->hash_sets = hash_sets;
    c->policy = policy;
    c->planes = replacement_bits[policy];
    c->request = &unknown_request;
    if (replacement_words[policy] > 0)
        c->policy_word = rb_model_calloc(replacement_words[policy], sizeof(*c->policy_word));
    c->random_state = FIRST_RANDOM;
    while (line_bytes >> c->line_shift > 1)
        c->line_shift++;
    if (writes)
        c->written = rb_model_calloc((size_t)c->capacity + 1, sizeof(*c->written));
    cache_shape(c, sets, ways);
    cache_clear(c);
    return c;
}

void cache_keep_victims(cache_t *c, uint32_t lines)
{
    if (lines == 0)
        return;
    RB_INVARIANT(c->written == NULL && c->victims == NULL && c->count == 0,
                 "cache: no place for %u victims", lines);
    c->victims = cache_create(1, lines, 1u << c->line_shift, REPLACEMENT_LRU, false, false);
}

cache_t *cache_like(const cache_t *c)
{
    cache_t *like = cache_create(c->sets, c->ways, 1u << c->line_shift, c->policy, c->hash_sets,
                                 c->written != NULL);
    if (c->victims != NULL)
        cache_keep_victims(like, c->victims->ways);
    return like;
}

void cache_destroy(cache_t *c)
{
    if (c == NULL)
        return;
    cache_destroy(c->victims);
    rb_model_free(c->narrow_set);
    rb_model_free(c->wide_set);
    rb_model_free(c->table);
    rb_model_free(c->tag);
    rb_model_free(c->way);
    rb_model_free(c->written);
    rb_model_free(c->policy_state);
    rb_model_free(c->policy_word);
    rb_model_free(c);
}

void cache_watch(cache_t *c, const cache_request_t *request)
{
    c->request = request;
}

void cache_reset(cache_t *c, uint32_t sets, uint32_t ways)
{
    RB_INVARIANT((uint64_t)sets * ways <= c->capacity && ways < CACHE_MAX_WAYS,
                 "cache: %u x %u lines exceed the capacity of %u", sets, ways, c->capacity);
    cache_shape(c, sets, ways);
    cache_clear(c);
}

void cache_invalidate(cache_t *c)
{
    if (c->count > 0)
        cache_clear(c);
}

void cache_renew(cache_t *c)
{
    if (c->count > 0 || c->planes > 0 || c->policy_word != NULL)
        cache_clear(c);
    c->random_state = FIRST_RANDOM;
}

/* Dispatch to the cache's replacement policy (replacement.h). */
static __attribute__((noinline)) void any_policy_hit(cache_t *c, uint32_t set, uint32_t way)
{
    switch (c->policy) {
        REPLACEMENT_POLICIES(POLICY_HIT_)
    }
}

/* Lookups are frequent, so the usual policy is tested first. */
static inline void policy_hit(cache_t *c, uint32_t set, uint32_t way)
{
    if (c->policy == REPLACEMENT_LRU)
        replacement_lru_hit(c, set, way);
    else
        any_policy_hit(c, set, way);
}

static inline void policy_added(cache_t *c, uint32_t set, uint32_t way)
{
    switch (c->policy) {
        REPLACEMENT_POLICIES(POLICY_ADDED_)
    }
}

static __attribute__((noinline)) uint32_t any_policy_replace(cache_t *c, uint32_t set)
{
    switch (c->policy) {
        REPLACEMENT_POLICIES(POLICY_REPLACE_)
    }
    return 0; /* not reached: cache_create() checks the policy */
}

static inline uint32_t policy_replace(cache_t *c, uint32_t set)
{
    return c->policy == REPLACEMENT_LRU ? replacement_lru_replace(c, set)
                                        : any_policy_replace(c, set);
}

static inline tag_chunk_t *set_table(const cache_t *c, uint32_t set)
{
    return &c->table[(size_t)set * c->chunks];
}

static bool wide_way_holds(const void *ways, uint32_t way, uint64_t line)
{
    return cache_tag_line(((const wide_way_t *)ways)[way].tag) == line;
}

/* The way that holds a line; CACHE_NO_WAY: none. */
static inline uint32_t way_find(const cache_t *c, cache_key_t k)
{
    if (c->narrow)
        return cache_narrow_find(c, k);
    return tag_table_find(set_table(c, k.set), c->chunks, k.tag, k.line, wide_way_holds,
                          cache_wide_ways(c, k.set), CACHE_NO_WAY);
}

void cache_prefetch_shape(const cache_t *c)
{
    prefetch_range(c, sizeof(*c));
}

void cache_prefetch(const cache_t *c, cache_key_t k)
{
    if (c->ways == 0)
        return;
    if (c->narrow) {
        __builtin_prefetch(cache_narrow(c, k.set));
        return;
    }
    __builtin_prefetch(&set_table(c, k.set)[tag_table_home(k.tag, c->chunks)]);
    __builtin_prefetch(&c->wide_set[k.set]);
}

/* The tag of the line that LRU would evict next from a set; NULL if the set is not full or has
 * another policy. */
static inline const cache_tag_t *next_victim(const cache_t *c, uint32_t set)
{
    if (c->policy != REPLACEMENT_LRU || c->ways == 0 || cache_set_count(c, set) < c->ways)
        return NULL;
    return cache_tag_at(c, set, cache_oldest_way(c, set));
}

void cache_prefetch_victim(const cache_t *c, cache_key_t k)
{
    /* The tag in a narrow set is only written, and the host does not wait for that. */
    const cache_tag_t *victim = c->narrow ? NULL : next_victim(c, k.set);
    if (victim != NULL)
        __builtin_prefetch(victim, 1);
}

void cache_prefetch_victim_chunk(const cache_t *c, cache_key_t k)
{
    const cache_tag_t *victim = c->narrow ? NULL : next_victim(c, k.set);
    if (victim == NULL)
        return;
    uint16_t tag = tag_of(*victim >> c->line_shift);
    __builtin_prefetch(&set_table(c, k.set)[tag_table_home(tag, c->chunks)]);
}

/*
 * Victims are in a cache of one set, whose tags have the marks that the evicted lines had. A line that is put back
 * leaves a tag without sectors or mark behind, as the oldest. touch: a line that is found is put back.
 */
static __attribute__((noinline)) cache_tag_t *victim_lookup(cache_t *c, cache_key_t k, bool touch)
{
    cache_t *v = c->victims;
    cache_spot_t spot;
    if (!cache_find(v, k.line, &spot))
        return NULL;
    cache_tag_t *kept = cache_tag_at(v, spot.set, spot.way);
    const cache_tag_t bits = *kept & CACHE_TAG_BITS;
    if (!touch)
        return bits != 0 ? kept : NULL;
    cache_line_t victim; /* never written */
    bool evicted;
    *kept &= ~(cache_tag_t)CACHE_TAG_BITS;
    cache_way_age(v, spot.set, spot.way);
    if (bits == 0)
        return NULL;
    cache_tag_t *back = cache_insert_key(c, k, &victim, &evicted);
    *back |= bits;
    return back;
}

cache_tag_t *cache_lookup_key(cache_t *c, cache_key_t k, bool touch)
{
    if (c->ways == 0)
        return NULL;
    uint32_t way = way_find(c, k);
    if (way == CACHE_NO_WAY)
        return c->victims == NULL ? NULL : victim_lookup(c, k, touch);
    if (touch)
        policy_hit(c, k.set, way);
    return cache_tag_at(c, k.set, way);
}

bool cache_find(const cache_t *c, uint64_t line, cache_spot_t *spot)
{
    const cache_key_t k = cache_key_of(c, line);
    if (c->ways == 0)
        return false;
    *spot = (cache_spot_t){.set = k.set, .way = way_find(c, k)};
    return spot->way != CACHE_NO_WAY;
}

void cache_use_again(cache_t *c, cache_spot_t spot)
{
    policy_hit(c, spot.set, spot.way);
}

/* Copies a modified line that is evicted. Returns whether it has data that memory lacks. */
static bool victim_take(const cache_t *c, const cache_tag_t *t, cache_line_t *victim)
{
    *victim = cache_line_copy(c, t);
    return (victim->written.dirty | victim->written.partial) != 0;
}

cache_tag_t *cache_way_add(cache_t *c, cache_key_t k)
{
    cache_tag_t *t;
    c->count++;
    if (c->narrow) {
        narrow_set_t *s = cache_narrow(c, k.set);
        uint32_t way = narrow_add(s, c->ways);
        s->lane[way] = (uint8_t)cache_narrow_tag(k);
        t = &c->tag[(size_t)k.set * c->ways + way];
    } else {
        wide_way_t *ways = cache_wide_ways(c, k.set);
        uint32_t way = wide_add(&c->wide_set[k.set], ways);
        tag_table_put(set_table(c, k.set), c->chunks, k.tag, (uint16_t)way);
        t = &ways[way].tag;
    }
    *t = k.line;
    return t;
}

/* Puts the line into a way in place of its present line. */
static inline cache_tag_t *narrow_replace(cache_t *c, cache_key_t k, uint32_t way,
                                          cache_line_t *victim, bool *evicted)
{
    narrow_set_t *s = cache_narrow(c, k.set);
    cache_tag_t *t = &c->tag[(size_t)k.set * c->ways + way];
    if (s->modified >> way & 1) {
        *evicted = victim_take(c, t, victim);
        s->modified &= ~(UINT64_C(1) << way);
    }
    s->lane[way] = (uint8_t)cache_narrow_tag(k);
    *t = k.line;
    return t;
}

static inline cache_tag_t *wide_replace(cache_t *c, cache_key_t k, uint32_t way,
                                        cache_line_t *victim, bool *evicted)
{
    tag_chunk_t *table = set_table(c, k.set);
    cache_tag_t *t = &cache_wide_ways(c, k.set)[way].tag;
    if (*t & CACHE_TAG_WRITTEN) {
        *evicted = victim_take(c, t, victim);
        c->wide_set[k.set].modified--;
    }
    tag_table_take(table, c->chunks, tag_of(*t >> c->line_shift), (uint16_t)way);
    tag_table_put(table, c->chunks, k.tag, (uint16_t)way);
    *t = k.line;
    return t;
}

/* Puts the line into an empty way. */
static inline cache_tag_t *insert_in_room(cache_t *c, cache_key_t k)
{
    cache_tag_t *t = cache_way_add(c, k);
    policy_added(c, k.set, cache_set_count(c, k.set) - 1);
    return t;
}

/* A line, given by its tag, is evicted. */
static void victim_put(cache_t *c, cache_tag_t evicted)
{
    cache_t *v = c->victims;
    cache_line_t oldest; /* never written */
    bool gone;
    const cache_key_t k = cache_key_of(v, cache_tag_line(evicted));
    cache_tag_t *t = cache_lookup_key(v, k, true);
    if (t == NULL)
        t = cache_insert_key(v, k, &oldest, &gone);
    *t |= evicted & CACHE_TAG_BITS;
}

cache_tag_t *cache_insert_key(cache_t *c, cache_key_t k, cache_line_t *victim, bool *evicted)
{
    *evicted = false;
    if (c->ways == 0) {
        c->dropped = k.line;
        return &c->dropped;
    }
    if (cache_set_count(c, k.set) < c->ways)
        return insert_in_room(c, k);
    c->incoming = k.line;
    uint32_t way = policy_replace(c, k.set);
    if (c->victims != NULL)
        victim_put(c, *cache_tag_at(c, k.set, way));
    return c->narrow ? narrow_replace(c, k, way, victim, evicted)
                     : wide_replace(c, k, way, victim, evicted);
}

bool cache_use_sectors(cache_t *c, uint64_t line, uint8_t sectors)
{
    const cache_key_t k = cache_key_of(c, line);
    cache_line_t victim; /* unused: lines are never written */
    bool evicted;
    cache_tag_t *t = cache_lookup_key(c, k, true);
    if (t != NULL && (sectors & ~cache_tag_valid(t)) == 0)
        return true;
    if (t == NULL)
        t = cache_insert_key(c, k, &victim, &evicted);
    cache_tag_fill(t, sectors);
    return false;
}

void cache_visit(const cache_t *c, void (*visit)(void *ctx, const cache_line_t *line), void *ctx)
{
    for (uint32_t s = 0; s < c->sets; s++) {
        const uint32_t count = cache_set_count(c, s);
        for (uint32_t place = 0, way = 0; place < count; place++) {
            way = cache_way_by_use(c, s, place, way);
            cache_line_t copy = cache_line_copy(c, cache_tag_at(c, s, way));
            visit(ctx, &copy);
        }
    }
}

uint32_t cache_count(const cache_t *c)
{
    return c->count;
}

uint32_t cache_sets(const cache_t *c)
{
    return c->sets;
}

uint32_t cache_capacity(const cache_t *c)
{
    return c->sets * c->ways;
}
