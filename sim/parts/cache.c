#include "sim/parts/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/err.h"

#define NIL UINT16_MAX

enum { CHECKPOINT_WORDS = 5, MAX_WAYS = NIL };

/* A way's neighbours in its set's order of use, as ways; NIL at the ends. Kept apart from the lines
 * and small, because a use of one line touches those of three others. */
typedef struct {
    uint16_t newer, older;
} link_t;

/* Ways [0, count) of a set hold its lines. */
typedef struct {
    uint16_t newest, oldest;
    uint16_t count;
} set_t;

/* Bucket of the lookup table. The tag's top bits are the bucket the line would like to be in. */
typedef struct {
    uint32_t tag;
    uint32_t slot; /* index + 1; 0: empty */
} bucket_t;

struct cache {
    uint32_t sets, ways;
    uint32_t capacity; /* slots allocated */
    uint32_t count;    /* lines present */
    uint32_t line_shift;
    uint32_t set_bits;    /* log2 of sets, if a power of two */
    uint32_t fold_pieces; /* power of two; the fold's first step merges this many set_bits */
    bool sets_pow2, hash_sets, byte_masks, random;
    uint32_t random_state;
    uint32_t table_shift; /* 32 - log2 of buckets */
    uint32_t table_mask;
    bucket_t *table;      /* owned */
    set_t *set;           /* owned; as many as there may be lines */
    cache_line_t *slot;   /* owned; way w of set s is slot s * ways + w */
    link_t *link;         /* owned; per slot */
    cache_line_t dropped; /* what a cache without lines hands out */
};

static uint32_t line_tag(const cache_t *c, uint64_t line)
{
    return (uint32_t)((line >> c->line_shift) * 0x9E3779B97F4A7C15u >> 32);
}

static uint32_t set_of(const cache_t *c, uint64_t line)
{
    uint64_t n = line >> c->line_shift;
    if (!c->sets_pow2)
        return (uint32_t)(n % c->sets);
    if (c->hash_sets) {
        /* XOR of all set_bits-wide pieces of n, halving the number of pieces in each step. */
        for (uint32_t pieces = c->fold_pieces; pieces > 0; pieces >>= 1)
            n ^= n >> (pieces * c->set_bits);
    }
    return (uint32_t)n & (c->sets - 1);
}

static void shape_set(cache_t *c, uint32_t sets, uint32_t ways)
{
    bool none = sets == 0 || ways == 0;
    c->sets = none ? 0 : sets;
    c->ways = none ? 0 : ways;
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
}

static void contents_clear(cache_t *c)
{
    c->count = 0;
    memset(c->table, 0, ((size_t)c->table_mask + 1) * sizeof(*c->table));
    for (uint32_t s = 0; s < c->sets; s++)
        c->set[s] = (set_t){.newest = NIL, .oldest = NIL};
}

cache_t *cache_create(uint32_t sets, uint32_t ways, uint32_t line_bytes, int policy, bool hash_sets,
                      bool byte_masks)
{
    RB_INVARIANT(line_bytes != 0 && (line_bytes & (line_bytes - 1)) == 0,
                 "cache: a line of %u bytes is no power of two", line_bytes);
    RB_INVARIANT((uint64_t)sets * ways <= 1u << 30 && ways <= MAX_WAYS,
                 "cache: %u sets of %u ways are too many", sets, ways);
    cache_t *c = rb_calloc(1, sizeof(*c));
    c->capacity = sets * ways;
    c->hash_sets = hash_sets;
    c->byte_masks = byte_masks;
    c->random = policy == CACHE_POLICY_RANDOM;
    c->random_state = 0x9E3779B9u;
    while (line_bytes >> c->line_shift > 1)
        c->line_shift++;

    /* At most half full: a probe is short. */
    uint32_t bits = 1;
    while ((uint64_t)1 << bits < (uint64_t)c->capacity * 2)
        bits++;
    c->table_shift = 32 - bits;
    c->table_mask = (uint32_t)((1u << bits) - 1);
    c->table = rb_calloc_aligned((size_t)c->table_mask + 1, sizeof(*c->table));
    c->slot = rb_calloc_aligned((size_t)c->capacity + 1, sizeof(*c->slot));
    c->link = rb_calloc_aligned((size_t)c->capacity + 1, sizeof(*c->link));
    /* reset() may ask for as many sets as there are lines. */
    c->set = rb_calloc((size_t)c->capacity + 1, sizeof(*c->set));
    shape_set(c, sets, ways);
    contents_clear(c);
    return c;
}

void cache_destroy(cache_t *c)
{
    if (c == NULL)
        return;
    free(c->table);
    free(c->slot);
    free(c->link);
    free(c->set);
    free(c);
}

void cache_reset(cache_t *c, uint32_t sets, uint32_t ways)
{
    RB_INVARIANT((uint64_t)sets * ways <= c->capacity && ways <= MAX_WAYS,
                 "cache: %u x %u lines exceed the %u built", sets, ways, c->capacity);
    shape_set(c, sets, ways);
    contents_clear(c);
}

void cache_invalidate(cache_t *c)
{
    /* One by one while that touches less memory than clearing the table does. */
    if (c->count < c->table_mask / 64) {
        for (uint32_t s = 0; s < c->sets && c->count > 0; s++) {
            while (c->set[s].count > 0)
                cache_remove(c, c->slot[s * c->ways + c->set[s].newest].line);
        }
        return;
    }
    contents_clear(c);
}

/* Bucket of a line that is present, or the empty bucket at which the search for it ends. */
static inline uint32_t table_find(const cache_t *c, uint64_t line, uint32_t tag)
{
    uint32_t b = tag >> c->table_shift;
    for (;; b = (b + 1) & c->table_mask) {
        const bucket_t *k = &c->table[b];
        if (k->slot == 0 || (k->tag == tag && c->slot[k->slot - 1].line == line))
            return b;
    }
}

/* Empties a bucket and closes the gap, so that no search ends too early. */
static void table_erase(cache_t *c, uint32_t gap)
{
    uint32_t b = gap;
    for (;;) {
        b = (b + 1) & c->table_mask;
        const bucket_t *k = &c->table[b];
        if (k->slot == 0)
            break;
        uint32_t home = k->tag >> c->table_shift;
        if (((b - home) & c->table_mask) >= ((b - gap) & c->table_mask)) {
            c->table[gap] = *k;
            gap = b;
        }
    }
    c->table[gap].slot = 0;
}

/* link: of the set's way 0. */
static inline void order_unlink(set_t *s, link_t *link, uint32_t way)
{
    link_t w = link[way];
    if (w.newer != NIL)
        link[w.newer].older = w.older;
    else
        s->newest = w.older;
    if (w.older != NIL)
        link[w.older].newer = w.newer;
    else
        s->oldest = w.newer;
}

static inline void order_push(set_t *s, link_t *link, uint32_t way)
{
    link[way] = (link_t){.newer = NIL, .older = s->newest};
    if (s->newest != NIL)
        link[s->newest].newer = (uint16_t)way;
    else
        s->oldest = (uint16_t)way;
    s->newest = (uint16_t)way;
}

void cache_prefetch(const cache_t *c, uint64_t line)
{
    __builtin_prefetch(&c->table[line_tag(c, line) >> c->table_shift]);
}

cache_line_t *cache_lookup(cache_t *c, uint64_t line, bool touch)
{
    uint32_t b = table_find(c, line, line_tag(c, line));
    if (c->table[b].slot == 0)
        return NULL;
    uint32_t i = c->table[b].slot - 1;
    if (touch && c->link[i].newer != NIL) {
        uint32_t set = set_of(c, line), first = set * c->ways;
        order_unlink(&c->set[set], &c->link[first], i - first);
        order_push(&c->set[set], &c->link[first], i - first);
    }
    return &c->slot[i];
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

cache_line_t *cache_insert(cache_t *c, uint64_t line, cache_line_t *victim, bool *evicted)
{
    *evicted = false;
    if (c->ways == 0) {
        c->dropped = (cache_line_t){.line = line};
        return &c->dropped;
    }
    uint32_t set_index = set_of(c, line), first = set_index * c->ways;
    set_t *s = &c->set[set_index];
    link_t *link = &c->link[first];
    uint32_t way;
    if (s->count < c->ways) {
        way = s->count++;
        c->count++;
    } else {
        way = c->random ? (uint32_t)((uint64_t)random_next(c) * c->ways >> 32) : s->oldest;
        const cache_line_t *old = &c->slot[first + way];
        if ((old->dirty | old->partial) != 0) {
            *victim = *old;
            *evicted = true;
        }
        table_erase(c, table_find(c, old->line, line_tag(c, old->line)));
        order_unlink(s, link, way);
    }
    order_push(s, link, way);
    cache_line_t *l = &c->slot[first + way];
    l->line = line;
    l->valid = l->dirty = l->partial = 0;
    if (c->byte_masks)
        memset(l->bytes, 0, sizeof(l->bytes));
    uint32_t tag = line_tag(c, line);
    c->table[table_find(c, line, tag)] = (bucket_t){.tag = tag, .slot = first + way + 1};
    return l;
}

void cache_remove(cache_t *c, uint64_t line)
{
    uint32_t b = table_find(c, line, line_tag(c, line));
    if (c->table[b].slot == 0)
        return;
    uint32_t set_index = set_of(c, line), first = set_index * c->ways;
    uint32_t hole = c->table[b].slot - 1 - first;
    set_t *s = &c->set[set_index];
    link_t *link = &c->link[first];
    table_erase(c, b);
    order_unlink(s, link, hole);
    c->count--;
    uint32_t last = --s->count;
    if (last == hole)
        return;

    /* A set's lines fill its first ways: the last one moves into the hole. */
    uint64_t moved = c->slot[first + last].line;
    c->table[table_find(c, moved, line_tag(c, moved))].slot = first + hole + 1;
    c->slot[first + hole] = c->slot[first + last];
    link[hole] = link[last];
    if (link[hole].newer != NIL)
        link[link[hole].newer].older = (uint16_t)hole;
    else
        s->newest = (uint16_t)hole;
    if (link[hole].older != NIL)
        link[link[hole].older].newer = (uint16_t)hole;
    else
        s->oldest = (uint16_t)hole;
}

void cache_visit(const cache_t *c, void (*visit)(void *ctx, const cache_line_t *line), void *ctx)
{
    for (uint32_t s = 0; s < c->sets; s++) {
        uint32_t first = s * c->ways;
        for (uint32_t w = c->set[s].newest; w != NIL; w = c->link[first + w].older)
            visit(ctx, &c->slot[first + w]);
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
        const cache_line_t *line = &c->slot[s * c->ways];
        const link_t *link = &c->link[s * c->ways];
        const uint32_t count = set->count;
        if (fwrite(&count, sizeof(count), 1, out) != 1)
            return -1;
        for (uint32_t w = 0; w < count; w++) {
            const cache_line_t *l = &line[w];
            const uint32_t word[CHECKPOINT_WORDS] = {(uint32_t)l->line, (uint32_t)(l->line >> 32),
                                                     l->valid, l->dirty, l->partial};
            if (fwrite(word, sizeof(word), 1, out) != 1 ||
                fwrite(l->bytes, sizeof(l->bytes), 1, out) != 1)
                return -1;
        }
        for (uint32_t w = set->newest; w != NIL; w = link[w].older) {
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
    for (uint32_t w = 0; w < count; w++) {
        cache_line_t *l = &c->slot[first + w];
        uint32_t word[CHECKPOINT_WORDS];
        if (fread(word, sizeof(word), 1, in) != 1 || fread(l->bytes, sizeof(l->bytes), 1, in) != 1)
            return -1;
        l->line = word[0] | (uint64_t)word[1] << 32;
        l->valid = (uint8_t)word[2];
        l->dirty = (uint8_t)word[3];
        l->partial = (uint8_t)word[4];
        /* A way that is its own neighbour is not yet in the order of use. */
        link[w] = (link_t){.newer = (uint16_t)w, .older = (uint16_t)w};
        uint32_t tag = line_tag(c, l->line);
        uint32_t b = table_find(c, l->line, tag);
        if (set_of(c, l->line) != s || c->table[b].slot != 0)
            return -1;
        c->table[b] = (bucket_t){.tag = tag, .slot = first + w + 1};
    }
    set_t *set = &c->set[s];
    uint32_t newer = NIL;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t w;
        if (fread(&w, sizeof(w), 1, in) != 1 || w >= count || link[w].newer != w)
            return -1;
        link[w] = (link_t){.newer = (uint16_t)newer, .older = NIL};
        if (newer != NIL)
            link[newer].older = (uint16_t)w;
        else
            set->newest = (uint16_t)w;
        set->oldest = (uint16_t)w;
        newer = w;
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
    if ((uint64_t)head[0] * head[1] > c->capacity || head[1] > MAX_WAYS ||
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
