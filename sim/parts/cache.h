/*
 * Sectored cache: tags of 128-byte lines with four 32-byte sectors, used by L1, L2, and (with one
 * sector per line in use) the instruction and constant caches. It holds no data and no time: who
 * owns it decides when things happen.
 *
 * Lines are allocated on fill or on write, never reserved for an outstanding miss, so a victim can
 * always be found.
 *
 * A simulated chip has a hundred of these and visits each for a few lines at a time, so that its
 * tags are rarely in the host's cache. A line is one word, and what only written lines need stands
 * apart; sets are of one of two kinds, by their number of ways: narrow_set.h and wide_set.h.
 */
#ifndef RUBATO_PARTS_CACHE_H
#define RUBATO_PARTS_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/core/msg.h"
#include "sim/parts/replacement.h"

/* Bits of a tag below the line's address. MARK is the owner's; it is gone when the line is, and not
 * in a checkpoint. */
enum {
    CACHE_TAG_VALID = (1 << SECTORS_PER_LINE) - 1,
    CACHE_TAG_WRITTEN = 1 << SECTORS_PER_LINE,
    CACHE_TAG_MARK = CACHE_TAG_WRITTEN << 1,
    CACHE_TAG_BITS = CACHE_TAG_VALID | CACHE_TAG_WRITTEN | CACHE_TAG_MARK,
};

/* A line that is present: its byte address, the sectors whose 32 bytes are all there, whether it
 * has a cache_written_t, and the mark. */
typedef uint64_t cache_tag_t;

static inline uint8_t cache_tag_valid(const cache_tag_t *t)
{
    return (uint8_t)(*t & CACHE_TAG_VALID);
}

static inline void cache_tag_fill(cache_tag_t *t, uint8_t sectors)
{
    *t |= sectors;
}

static inline void cache_tag_drop(cache_tag_t *t, uint8_t sectors)
{
    *t &= ~(cache_tag_t)(sectors & CACHE_TAG_VALID);
}

static inline bool cache_tag_marked(const cache_tag_t *t)
{
    return (*t & CACHE_TAG_MARK) != 0;
}

static inline void cache_tag_mark(cache_tag_t *t, bool mark)
{
    *t = mark ? *t | CACHE_TAG_MARK : *t & ~(cache_tag_t)CACHE_TAG_MARK;
}

/* What is known of a line's written sectors. Masks have bit s for sector s. */
typedef struct {
    uint8_t dirty;   /* sectors with bytes that memory does not have */
    uint8_t partial; /* sectors of which only some written bytes are there: those in bytes */
    uint32_t bytes[SECTORS_PER_LINE];
} cache_written_t;

/* A line as a copy: a victim, or one that is being looked at. */
typedef struct {
    uint64_t line; /* byte address, a multiple of the line size */
    uint8_t valid;
    cache_written_t written; /* zero if it was never written */
} cache_line_t;

/*
 * sets x ways lines of line_bytes (a power of two, at least 64). hash_sets: the set is a XOR fold
 * of the line number's bits rather than its low ones (sets a power of two), or its residue modulo
 * sets where sets is no power of two. writes: lines may be written (L2).
 * sets x ways may be 0: every access misses and fills are dropped.
 */
cache_t *cache_create(uint32_t sets, uint32_t ways, uint32_t line_bytes,
                      replacement_policy_t policy, bool hash_sets, bool writes);
void cache_destroy(cache_t *c);

/* Forgets everything (dirty data too) and changes the shape within the capacity at creation. */
void cache_reset(cache_t *c, uint32_t sets, uint32_t ways);

/* Invalidates all lines; dirty ones too. */
void cache_invalidate(cache_t *c);

/* A line's address (a multiple of the line size) with what is computed from it to find it in one
 * cache: for who looks for a line more than once. It holds until the next reset. */
typedef struct {
    uint64_t line;
    uint32_t set;
    uint16_t tag;
} cache_key_t;

cache_key_t cache_key_of(const cache_t *c, uint64_t line);

/* Host-side hint that the cache will be used; reads nothing. */
void cache_prefetch_shape(const cache_t *c);

/* Host-side hint that a line will be looked up soon. */
void cache_prefetch(const cache_t *c, cache_key_t k);

/* The same for the line that must go if this one is inserted soon: first its tag, then (the tag
 * being there) its place in the table. */
void cache_prefetch_victim(const cache_t *c, cache_key_t k);
void cache_prefetch_victim_chunk(const cache_t *c, cache_key_t k);

/* Looks a line up, marks it used if touch. NULL: absent. Valid until the next insert. */
cache_tag_t *cache_lookup_key(cache_t *c, cache_key_t k, bool touch);

/*
 * Makes room for a line (which is absent) and returns it with no sector valid. If a line had to go
 * and held dirty or partial sectors, *victim is a copy of it and *evicted is true.
 */
cache_tag_t *cache_insert_key(cache_t *c, cache_key_t k, cache_line_t *victim, bool *evicted);

/* The same by address. */
static inline cache_tag_t *cache_lookup(cache_t *c, uint64_t line, bool touch)
{
    return cache_lookup_key(c, cache_key_of(c, line), touch);
}

static inline cache_tag_t *cache_insert(cache_t *c, uint64_t line, cache_line_t *victim,
                                        bool *evicted)
{
    return cache_insert_key(c, cache_key_of(c, line), victim, evicted);
}

/* Uses sectors of a line, in a cache that nobody writes; those that are absent come in. Returns
 * whether all were there. */
bool cache_use_sectors(cache_t *c, uint64_t line, uint8_t sectors);

/* The same for whole lines, in a cache that holds no others. */
static inline bool cache_use(cache_t *c, uint64_t line)
{
    return cache_use_sectors(c, line, CACHE_TAG_VALID);
}

/* What is known of the written sectors of a line just looked up or inserted. NULL: none was
 * written. */
cache_written_t *cache_written(cache_t *c, const cache_tag_t *t);

/* The same for a line that is about to be written: with all zero if none was. */
cache_written_t *cache_write(cache_t *c, cache_tag_t *t);

/* Lines of the set of k that were written. */
uint32_t cache_modified(const cache_t *c, cache_key_t k);

/*
 * The line of the set of k that was written and least recently used goes to memory: *cleaned is a
 * copy of it. It stays with the sectors that are whole, as if it had been read; of the others
 * memory has the bytes now. false: no line of the set was written.
 */
bool cache_clean_oldest(cache_t *c, cache_key_t k, cache_line_t *cleaned);

/* Calls visit for every line present, set by set, most recently used first. */
void cache_visit(const cache_t *c, void (*visit)(void *ctx, const cache_line_t *line), void *ctx);

/* Lines present; lines that fit. */
uint32_t cache_count(const cache_t *c);
uint32_t cache_capacity(const cache_t *c);

/* For checkpoints: the exact state, order of use and random state included. 0, or -1 with errno
 * (EINVAL: not a checkpoint of such a cache); a failed load leaves the cache empty. */
int cache_save(const cache_t *c, FILE *out);
int cache_load(cache_t *c, FILE *in);

/* The same for a cache whose lines do not outlive a launch: what its policy draws from next does.
 * c may be NULL. */
int cache_save_chance(const cache_t *c, FILE *out);
int cache_load_chance(cache_t *c, FILE *in);

#endif
