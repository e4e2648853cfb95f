#include "sim/parts/cache.h"

#include <errno.h>
#include <string.h>

#include "sim/core/divider.h"
#include "sim/core/err.h"
#include "sim/core/model_mem.h"
#include "sim/parts/tag_table.h"

#define NIL UINT16_MAX

enum {
    CHECKPOINT_WORDS = 5,
    MAX_WAYS = NIL,
};

/* A way's neighbours in its set's order of use, as ways. The order is a ring, in which the newest
 * is followed by the oldest: what takes the oldest's place need not be linked anew. */
typedef struct {
    uint16_t newer, older;
} link_t;

/* Ways [0, count) of a set hold its lines. */
typedef struct {
    uint16_t newest, oldest;
    uint16_t count;
    uint16_t modified; /* lines with CACHE_TAG_WRITTEN */
} set_t;

struct cache {
    uint32_t sets, ways;
    uint32_t capacity; /* lines allocated */
    uint32_t count;    /* lines present */
    uint32_t line_shift;
    uint32_t set_bits;    /* log2 of sets, if a power of two */
    uint32_t fold_pieces; /* power of two; the fold's first step merges this many set_bits */
    divider_t by_sets;
    bool sets_pow2, hash_sets, random;
    uint32_t random_state;
    uint32_t table_bits; /* log2 of a set's chunks */
    tag_chunk_t *table;  /* owned; way by line; of all sets, one after the other */
    size_t cap_table;
    set_t *set; /* owned */
    size_t cap_set;
    cache_tag_t *tag;         /* owned; way w of set s is tag s * ways + w */
    link_t *link;             /* owned; per tag */
    cache_written_t *written; /* owned; per tag; NULL: lines are never written */
    cache_tag_t dropped;      /* what a cache without lines hands out, */
    cache_written_t dropped_written;
};

static inline uint64_t tag_line(cache_tag_t t)
{
    return t & ~(uint64_t)(CACHE_TAG_VALID | CACHE_TAG_WRITTEN);
}

static inline uint32_t set_of(const cache_t *c, uint64_t line)
{
    uint64_t n = line >> c->line_shift;
    if (!c->sets_pow2)
        return (uint32_t)divider_rest(&c->by_sets, n);
    if (c->hash_sets) {
        /* XOR of all set_bits-wide pieces of n, halving the number of pieces in each step. */
        for (uint32_t pieces = c->fold_pieces; pieces > 0; pieces >>= 1)
            n ^= n >> (pieces * c->set_bits);
    }
    return (uint32_t)n & (c->sets - 1);
}

cache_key_t cache_key_of(const cache_t *c, uint64_t line)
{
    uint32_t set = c->ways > 0 ? set_of(c, line) : 0;
    return (cache_key_t){.line = line, .set = set, .tag = tag_of(line >> c->line_shift)};
}

static void shape_set(cache_t *c, uint32_t sets, uint32_t ways)
{
    bool none = sets == 0 || ways == 0;
    c->sets = none ? 0 : sets;
    c->ways = none ? 0 : ways;
    c->by_sets = divider_make(c->sets > 0 ? c->sets : 1);
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
    c->table_bits = tag_table_bits(c->ways);
    rb_model_grow(&c->set, &c->cap_set, c->sets, sizeof(*c->set));
    rb_model_grow(&c->table, &c->cap_table, (size_t)c->sets << c->table_bits, sizeof(*c->table));
}

static void contents_clear(cache_t *c)
{
    c->count = 0;
    if (c->sets > 0)
        memset(c->table, 0, ((size_t)c->sets << c->table_bits) * sizeof(*c->table));
    for (uint32_t s = 0; s < c->sets; s++)
        c->set[s] = (set_t){.newest = NIL, .oldest = NIL};
}

cache_t *cache_create(uint32_t sets, uint32_t ways, uint32_t line_bytes, int policy, bool hash_sets,
                      bool writes)
{
    RB_INVARIANT(line_bytes > (CACHE_TAG_VALID | CACHE_TAG_WRITTEN) &&
                     (line_bytes & (line_bytes - 1)) == 0,
                 "cache: a line of %u bytes is too short or no power of two", line_bytes);
    RB_INVARIANT((uint64_t)sets * ways <= 1u << 28 && ways < MAX_WAYS,
                 "cache: %u sets of %u ways are too many", sets, ways);
    cache_t *c = rb_model_calloc(1, sizeof(*c));
    c->capacity = sets * ways;
    c->hash_sets = hash_sets;
    c->random = policy == CACHE_POLICY_RANDOM;
    c->random_state = 0x9E3779B9u;
    while (line_bytes >> c->line_shift > 1)
        c->line_shift++;
    size_t lines = (size_t)c->capacity + 1;
    c->tag = rb_model_calloc(lines, sizeof(*c->tag));
    c->link = rb_model_calloc(lines, sizeof(*c->link));
    if (writes)
        c->written = rb_model_calloc(lines, sizeof(*c->written));
    shape_set(c, sets, ways);
    contents_clear(c);
    return c;
}

void cache_destroy(cache_t *c)
{
    if (c == NULL)
        return;
    rb_model_free(c->table);
    rb_model_free(c->tag);
    rb_model_free(c->link);
    rb_model_free(c->set);
    rb_model_free(c->written);
    rb_model_free(c);
}

void cache_reset(cache_t *c, uint32_t sets, uint32_t ways)
{
    RB_INVARIANT((uint64_t)sets * ways <= c->capacity && ways < MAX_WAYS,
                 "cache: %u x %u lines exceed the %u built", sets, ways, c->capacity);
    shape_set(c, sets, ways);
    contents_clear(c);
}

void cache_invalidate(cache_t *c)
{
    if (c->count > 0)
        contents_clear(c);
}

static inline tag_chunk_t *set_table(const cache_t *c, uint32_t set)
{
    return &c->table[(size_t)set << c->table_bits];
}

static bool way_holds(const void *tags, uint32_t way, uint64_t line)
{
    return tag_line(((const cache_tag_t *)tags)[way]) == line;
}

/* The way that holds a line; NIL: none. */
static inline uint32_t way_find(const cache_t *c, cache_key_t k)
{
    return tag_table_find(set_table(c, k.set), c->table_bits, k.tag, k.line, way_holds,
                          &c->tag[(size_t)k.set * c->ways], NIL);
}

/* Puts a way that is not in its set's order of use between the newest and the oldest; one of them
 * is then to be changed to it. link: of the set's way 0. */
static inline void order_link(set_t *s, link_t *link, uint32_t way)
{
    const uint16_t w = (uint16_t)way;
    if (s->newest == NIL) {
        link[w] = (link_t){.newer = w, .older = w};
        s->newest = s->oldest = w;
        return;
    }
    link[w] = (link_t){.newer = s->oldest, .older = s->newest};
    link[s->newest].newer = w;
    link[s->oldest].older = w;
}

/* A way that is in the order becomes the newest. */
static inline void order_touch(set_t *s, link_t *link, uint32_t way)
{
    const link_t w = link[way];
    if (way == s->newest)
        return;
    if (way == s->oldest) {
        s->oldest = w.newer;
        s->newest = (uint16_t)way;
        return;
    }
    link[w.newer].older = w.older;
    link[w.older].newer = w.newer;
    order_link(s, link, way);
    s->newest = (uint16_t)way;
}

void cache_prefetch(const cache_t *c, cache_key_t k)
{
    if (c->ways == 0)
        return;
    __builtin_prefetch(&set_table(c, k.set)[tag_table_home(k.tag, c->table_bits)]);
    __builtin_prefetch(&c->set[k.set]);
}

/* The way that gives room to the next line of a set, as an index of tags; UINT32_MAX: there is
 * room, or chance decides. */
static inline uint32_t next_victim(const cache_t *c, uint32_t set)
{
    bool known = !c->random && c->ways > 0 && c->set[set].count == c->ways;
    return known ? set * c->ways + c->set[set].oldest : UINT32_MAX;
}

void cache_prefetch_victim(const cache_t *c, cache_key_t k)
{
    uint32_t victim = next_victim(c, k.set);
    if (victim == UINT32_MAX)
        return;
    __builtin_prefetch(&c->tag[victim]);
    __builtin_prefetch(&c->link[victim]);
}

void cache_prefetch_victim_chunk(const cache_t *c, cache_key_t k)
{
    uint32_t victim = next_victim(c, k.set);
    if (victim == UINT32_MAX)
        return;
    uint16_t tag = tag_of(c->tag[victim] >> c->line_shift);
    __builtin_prefetch(&set_table(c, k.set)[tag_table_home(tag, c->table_bits)]);
}

cache_tag_t *cache_lookup_key(cache_t *c, cache_key_t k, bool touch)
{
    if (c->ways == 0)
        return NULL;
    uint32_t way = way_find(c, k), first = k.set * c->ways;
    if (way == NIL)
        return NULL;
    if (touch)
        order_touch(&c->set[k.set], &c->link[first], way);
    return &c->tag[first + way];
}

cache_written_t *cache_written(cache_t *c, const cache_tag_t *t)
{
    if (!(*t & CACHE_TAG_WRITTEN))
        return NULL;
    return t == &c->dropped ? &c->dropped_written : &c->written[t - c->tag];
}

cache_written_t *cache_write(cache_t *c, cache_tag_t *t)
{
    bool first = !(*t & CACHE_TAG_WRITTEN);
    *t |= CACHE_TAG_WRITTEN;
    cache_written_t *w = cache_written(c, t);
    if (first) {
        *w = (cache_written_t){0};
        if (t != &c->dropped)
            c->set[(uint32_t)(t - c->tag) / c->ways].modified++;
    }
    return w;
}

uint32_t cache_modified(const cache_t *c, cache_key_t k)
{
    return c->ways > 0 ? c->set[k.set].modified : 0;
}

/* Marsaglia's xorshift32. */
static uint32_t random_next(cache_t *c)
{
    uint32_t x = c->random_state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    c->random_state = x;
    return x;
}

static cache_line_t line_copy(const cache_t *c, const cache_tag_t *t)
{
    cache_line_t copy = {.line = tag_line(*t), .valid = cache_tag_valid(t)};
    if (*t & CACHE_TAG_WRITTEN)
        copy.written = c->written[t - c->tag];
    return copy;
}

bool cache_clean_oldest(cache_t *c, cache_key_t k, cache_line_t *cleaned)
{
    if (cache_modified(c, k) == 0)
        return false;
    set_t *s = &c->set[k.set];
    const link_t *link = &c->link[k.set * c->ways];
    cache_tag_t *tags = &c->tag[k.set * c->ways];
    uint32_t way = s->oldest;
    while (!(tags[way] & CACHE_TAG_WRITTEN))
        way = link[way].newer;
    *cleaned = line_copy(c, &tags[way]);
    tags[way] &= ~(cache_tag_t)CACHE_TAG_WRITTEN;
    s->modified--;
    return true;
}

cache_tag_t *cache_insert_key(cache_t *c, cache_key_t k, cache_line_t *victim, bool *evicted)
{
    *evicted = false;
    if (c->ways == 0) {
        c->dropped = k.line;
        return &c->dropped;
    }
    uint32_t first = k.set * c->ways, way;
    set_t *s = &c->set[k.set];
    link_t *link = &c->link[first];
    cache_tag_t *tags = &c->tag[first];
    tag_chunk_t *table = set_table(c, k.set);
    if (s->count < c->ways) {
        way = s->count++;
        c->count++;
        order_link(s, link, way);
        s->newest = (uint16_t)way;
    } else {
        way = c->random ? (uint32_t)((uint64_t)random_next(c) * c->ways >> 32) : s->oldest;
        const cache_tag_t *old = &tags[way];
        if (*old & CACHE_TAG_WRITTEN) {
            *victim = line_copy(c, old);
            *evicted = (victim->written.dirty | victim->written.partial) != 0;
            s->modified--;
        }
        tag_table_take(table, c->table_bits, tag_of(*old >> c->line_shift), (uint16_t)way);
        order_touch(s, link, way);
    }
    tags[way] = k.line;
    tag_table_put(table, c->table_bits, k.tag, (uint16_t)way);
    return &tags[way];
}

bool cache_use(cache_t *c, uint64_t line)
{
    const cache_key_t k = cache_key_of(c, line);
    cache_line_t victim; /* never written */
    bool evicted;
    if (cache_lookup_key(c, k, true) != NULL)
        return true;
    cache_tag_fill(cache_insert_key(c, k, &victim, &evicted), CACHE_TAG_VALID);
    return false;
}

void cache_visit(const cache_t *c, void (*visit)(void *ctx, const cache_line_t *line), void *ctx)
{
    for (uint32_t s = 0; s < c->sets; s++) {
        uint32_t first = s * c->ways, w = c->set[s].newest;
        for (uint32_t n = c->set[s].count; n > 0; n--, w = c->link[first + w].older) {
            cache_line_t copy = line_copy(c, &c->tag[first + w]);
            visit(ctx, &copy);
        }
    }
}

uint32_t cache_count(const cache_t *c)
{
    return c->count;
}

uint32_t cache_capacity(const cache_t *c)
{
    return c->sets * c->ways;
}

/*
 * Checkpoint: sets, ways, line_shift, random state; then for each set its number of lines, each
 * line in slot order (the random policy chooses by slot) and the slots in order of use.
 */
int cache_save(const cache_t *c, FILE *out)
{
    const uint32_t head[4] = {c->sets, c->ways, c->line_shift, c->random_state};
    if (fwrite(head, sizeof(head), 1, out) != 1)
        return -1;
    for (uint32_t s = 0; s < c->sets; s++) {
        const set_t *set = &c->set[s];
        const link_t *link = &c->link[s * c->ways];
        const uint32_t count = set->count;
        if (fwrite(&count, sizeof(count), 1, out) != 1)
            return -1;
        for (uint32_t w = 0; w < count; w++) {
            const cache_line_t l = line_copy(c, &c->tag[s * c->ways + w]);
            const uint32_t word[CHECKPOINT_WORDS] = {(uint32_t)l.line, (uint32_t)(l.line >> 32),
                                                     l.valid, l.written.dirty, l.written.partial};
            if (fwrite(word, sizeof(word), 1, out) != 1 ||
                fwrite(l.written.bytes, sizeof(l.written.bytes), 1, out) != 1)
                return -1;
        }
        uint32_t w = set->newest;
        for (uint32_t n = count; n > 0; n--, w = link[w].older) {
            if (fwrite(&w, sizeof(w), 1, out) != 1)
                return -1;
        }
    }
    return 0;
}

static int load_failed(FILE *in)
{
    if (!ferror(in))
        errno = EINVAL; /* cut short or not ours */
    return -1;
}

static int set_load(cache_t *c, uint32_t s, FILE *in)
{
    uint32_t count;
    if (fread(&count, sizeof(count), 1, in) != 1 || count > c->ways)
        return -1;
    uint32_t first = s * c->ways;
    link_t *link = &c->link[first];
    cache_tag_t *tags = &c->tag[first];
    for (uint32_t w = 0; w < count; w++) {
        uint32_t word[CHECKPOINT_WORDS];
        cache_written_t written;
        if (fread(word, sizeof(word), 1, in) != 1 ||
            fread(written.bytes, sizeof(written.bytes), 1, in) != 1)
            return -1;
        uint64_t line = word[0] | (uint64_t)word[1] << 32;
        written.dirty = (uint8_t)word[3];
        written.partial = (uint8_t)word[4];
        if (line % (UINT64_C(1) << c->line_shift) != 0 || word[2] > CACHE_TAG_VALID ||
            (c->written == NULL && (word[3] | word[4]) != 0) || set_of(c, line) != s)
            return -1;
        const cache_key_t k = cache_key_of(c, line);
        if (way_find(c, k) != NIL)
            return -1;
        tag_table_put(set_table(c, s), c->table_bits, k.tag, (uint16_t)w);
        tags[w] = line | word[2];
        if ((word[3] | word[4]) != 0)
            *cache_write(c, &tags[w]) = written;
        link[w] = (link_t){.newer = NIL, .older = NIL}; /* not yet in the order of use */
    }
    set_t *set = &c->set[s];
    for (uint32_t n = 0; n < count; n++) {
        uint32_t w;
        if (fread(&w, sizeof(w), 1, in) != 1 || w >= count || link[w].newer != NIL)
            return -1;
        order_link(set, link, w);
        set->oldest = (uint16_t)w;
    }
    set->count = (uint16_t)count;
    c->count += count;
    return 0;
}

int cache_load(cache_t *c, FILE *in)
{
    uint32_t head[4];
    contents_clear(c);
    if (fread(head, sizeof(head), 1, in) != 1)
        return load_failed(in);
    if ((uint64_t)head[0] * head[1] > c->capacity || head[1] >= MAX_WAYS ||
        head[2] != c->line_shift || head[3] == 0) {
        errno = EINVAL;
        return -1;
    }
    c->random_state = head[3];
    shape_set(c, head[0], head[1]);
    contents_clear(c);
    for (uint32_t s = 0; s < c->sets; s++) {
        if (set_load(c, s, in) != 0) {
            contents_clear(c);
            return load_failed(in);
        }
    }
    return 0;
}
