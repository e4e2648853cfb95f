/*
 * Sectored cache tags: used by all caches and TLBs of the chip. Lines of 128 bytes have four
 * sectors of 32 bytes; caches of whole lines use all four at once. There is no data and no time
 * here: the owner decides when things happen.
 *
 * Lines are allocated on fill or on write, never reserved for an outstanding miss, so a victim can
 * always be found.
 *
 * A chip has a hundred of these and touches a few lines of each at a time, so the tags are rarely
 * in the host's cache. Hence a line is one word, and the state of written lines is stored apart.
 * There are two kinds of sets, chosen by the number of ways: narrow_set.h and wide_set.h.
 */
#ifndef RUBATO_PARTS_CACHE_H
#define RUBATO_PARTS_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/core/engine/msg.h"

typedef struct cache cache_t;

/* One of the policies in replacement.h, which only those include who name one: a new policy compiles few files. */
typedef uint32_t replacement_policy_t;

/* An access to a cache. Walks without time, translations and code leave it all zero: unknown. */
typedef enum { CACHE_BY_OTHERS, CACHE_BY_READ, CACHE_BY_WRITE, CACHE_BY_ATOMIC } cache_access_t;
typedef struct {
    uint32_t pc;     /* low bits of the address of the instruction */
    uint16_t warp;   /* its slot in its SM; only the L1 knows it */
    uint8_t kind;    /* cache_access_t */
    bool prefetched; /* a prefetcher asks, no instruction waits */
    bool fill;       /* not an access: the data of an earlier miss arrive */
} cache_request_t;

/* The low bits of a tag, below the line's address. MARK belongs to the owner; it disappears with
 * the line and is not saved in checkpoints. */
enum {
    CACHE_TAG_VALID = (1 << SECTORS_PER_LINE) - 1,
    CACHE_TAG_WRITTEN = 1 << SECTORS_PER_LINE,
    CACHE_TAG_MARK = CACHE_TAG_WRITTEN << 1,
    CACHE_TAG_BITS = CACHE_TAG_VALID | CACHE_TAG_WRITTEN | CACHE_TAG_MARK,
};

/* A present line: its byte address, a bit per sector whose 32 bytes are all valid, whether it has a
 * cache_written_t, and the mark. */
typedef uint64_t cache_tag_t;

/* Number of sectors in a mask. */
static inline uint32_t cache_sector_count(uint32_t sectors)
{
    static const uint8_t count[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return count[sectors & 15];
}

static inline uint64_t cache_tag_line(cache_tag_t t)
{
    return t & ~(uint64_t)CACHE_TAG_BITS;
}

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

/* The written sectors of a line. Masks have bit s for sector s. */
typedef struct {
    uint8_t dirty;   /* sectors with bytes that memory does not have yet */
    uint8_t partial; /* sectors with only some valid bytes: those in bytes[] */
    uint32_t bytes[SECTORS_PER_LINE];
} cache_written_t;

/* A copy of a line, such as a victim. */
typedef struct {
    uint64_t line; /* byte address, a multiple of the line size */
    uint8_t valid;
    cache_written_t written; /* zero if it was never written */
} cache_line_t;

/*
 * sets x ways lines of line_bytes (a power of two, at least 64). hash_sets: if sets is a power of
 * two, the set is an XOR fold of the bits of the line number instead of its low bits; otherwise the
 * set is the line number modulo sets in any case. writes: lines may be written (L2). sets x ways
 * may be 0: then every access misses and fills are dropped.
 */
cache_t *cache_create(uint32_t sets, uint32_t ways, uint32_t line_bytes,
                      replacement_policy_t policy, bool hash_sets, bool writes);
void cache_destroy(cache_t *c);

/* Says where the owner keeps what its replacement policy may know of the present access; it must live
 * as long as the cache. */
void cache_watch(cache_t *c, const cache_request_t *request);

/* Keeps the last `lines` lines that were evicted (a victim cache; Jouppi, ISCA 1990): a lookup that
 * uses one of them puts it back in its set, and counts as found. Only for caches that are never
 * written and never saved. */
void cache_keep_victims(cache_t *c, uint32_t lines);

/* An empty cache with the same shape and policy. */
cache_t *cache_like(const cache_t *c);

/* A cache with the same shape, policy and contents, with the order of use; what was evicted is not in it
 * (cache_placed_t.late). */
cache_t *cache_copy(const cache_t *c);

/* Drops all lines, dirty ones too, and changes the shape within the capacity at creation. */
void cache_reset(cache_t *c, uint32_t sets, uint32_t ways);

/* Drops all lines, dirty ones too. */
void cache_invalidate(cache_t *c);

/* The same, and what its policy has seen is forgotten: as just created. */
void cache_renew(cache_t *c);

/* A line's address (a multiple of the line size) with its set and tag in one cache, for callers
 * that look a line up more than once. Valid until the next reset. */
typedef struct {
    uint64_t line;
    uint32_t set;
    uint16_t tag;
} cache_key_t;

cache_key_t cache_key_of(const cache_t *c, uint64_t line);

/* Host-side hint that the cache will be used soon; reads nothing. */
void cache_prefetch_shape(const cache_t *c);

/* Host-side hint that a line will be looked up soon. */
void cache_prefetch(const cache_t *c, cache_key_t k);

/* The same for the line that would be evicted if this one is inserted soon: first its tag, then
 * (once the tag has arrived) its entry in the hash table. */
void cache_prefetch_victim(const cache_t *c, cache_key_t k);
void cache_prefetch_victim_chunk(const cache_t *c, cache_key_t k);

/* Looks a line up; touch marks it as used. NULL on a miss. Valid until the next insert. */
cache_tag_t *cache_lookup_key(cache_t *c, cache_key_t k, bool touch);

/* Where a line is, for callers that use it again and again. Valid until the next insert or reset. */
typedef struct {
    uint32_t set, way;
} cache_spot_t;

/* Finds a line, without marking it as used. false on a miss. */
bool cache_find(const cache_t *c, uint64_t line, cache_spot_t *spot);

/* Marks a line as used. */
void cache_use_again(cache_t *c, cache_spot_t spot);

/* Inserts an absent line with no valid sectors and returns it. If the evicted line had dirty or
 * partial sectors, *victim is a copy of it and *evicted is true. */
cache_tag_t *cache_insert_key(cache_t *c, cache_key_t k, cache_line_t *victim, bool *evicted);

/* A line that was looked up and, if it was absent, inserted. */
typedef struct {
    cache_tag_t *tag; /* as from cache_insert_key() */
    bool fresh;       /* it was absent, */
    bool late;        /* but would be there with an eighth more ways (only cache_place_narrow()) */
    uint8_t dirty;    /* dirty sectors of the line that was evicted for it */
} cache_placed_t;

cache_placed_t cache_place(cache_t *c, cache_key_t k);

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

/* Accesses sectors of a line in a cache that is never written, and fills those that are absent.
 * Returns whether all were present. */
bool cache_use_sectors(cache_t *c, uint64_t line, uint8_t sectors);

/* The same for whole lines. */
static inline bool cache_use(cache_t *c, uint64_t line)
{
    return cache_use_sectors(c, line, CACHE_TAG_VALID);
}

/* The written sectors of a line that was just looked up or inserted; NULL if it was never
 * written. */
cache_written_t *cache_written(cache_t *c, const cache_tag_t *t);

/* The same for a line that is about to be written; all zero on the first write. */
cache_written_t *cache_write(cache_t *c, cache_tag_t *t);

/* Fills sectors of a line with complete data; what was written to them stays modified. */
void cache_fill_sectors(cache_t *c, cache_tag_t *t, uint8_t sectors);

/* Writes bytes of these sectors of a line: all bytes (full) or those of the masks. w: from
 * cache_write(). Returns the sectors that were not modified before. */
uint8_t cache_write_sectors(cache_tag_t *t, cache_written_t *w, uint8_t sectors, uint8_t full,
                            const uint32_t bytes[SECTORS_PER_LINE]);

/* Number of modified lines in the set of k. */
uint32_t cache_modified(const cache_t *c, cache_key_t k);

/* Writes back a modified line: *cleaned is a copy of it. The line stays, with only its complete
 * sectors valid, as if it had been read. false: it is not modified. */
bool cache_clean(cache_t *c, cache_tag_t *t, cache_line_t *cleaned);

/* The same for the least recently used modified line of k's set. false: it has none. */
bool cache_clean_oldest(cache_t *c, cache_key_t k, cache_line_t *cleaned);

/* Calls visit for every line present, set by set, most recently used first. */
void cache_visit(const cache_t *c, void (*visit)(void *ctx, const cache_line_t *line), void *ctx);

/* A set that has lines. */
typedef struct {
    uint32_t set;    /* number, counted over all caches of a list */
    uint32_t writes; /* accesses that wrote to it */
    uint32_t n;      /* its lines */
} cache_lines_set_t;

/*
 * The lines of caches of one shape, such as the slices of an L2, without the empty ways and sets: set by set,
 * most recently used first.
 */
typedef struct {
    cache_lines_set_t *set; /* owned */
    size_t n_sets, cap_sets;
    size_t all_sets;  /* of these caches */
    cache_tag_t *tag; /* owned */
    size_t n, cap;
    cache_written_t *written; /* owned; of the tags with CACHE_TAG_WRITTEN, in their order */
    size_t n_written, cap_written;
} cache_lines_t;

void cache_lines_free(cache_lines_t *l);

/* Bytes of host memory that a list needs. */
size_t cache_lines_bytes(const cache_lines_t *l);

/* Appends the lines of a cache, which is empty then. writes: accesses that wrote to each set; all zero then. */
void cache_lines_take(cache_lines_t *l, cache_t *c, uint32_t *writes);

/* A place in a list: where a cache begins. Initially all zero but the list. */
typedef struct {
    const cache_lines_t *lines;
    size_t set, tag, written;
    size_t before; /* sets of the caches before */
} cache_lines_at_t;

/*
 * Says which lines stay if those in c were used after all of a list, to find out how far back it is worth to
 * look. The lines of the cache at that place of the list become the least recently used ones of c, as far as its
 * sets have room; lines are marked as modified, at most modified_ways in a set. Sectors do not count. The place then
 * is that of the next cache. Returns how many lines it added or marked that another cache of the same shape lacks,
 * or has unmodified.
 */
uint32_t cache_claim_lines(cache_t *c, cache_lines_at_t *at, uint32_t modified_ways,
                           cache_t *other);

/* Sectors that a cache lacked when they were read, and written ones of lines that it lacked. */
typedef struct {
    uint64_t read, written;
} cache_lacked_t;

/* Uses the lines of the cache at that place of a list, the one that was used longest ago first: they get the
 * list's sectors on top of what c has of them. Each write of the list cleans a line where more than modified_ways
 * ways of a set are modified. The place then is that of the next cache. Adds to *lacked. */
void cache_replay_lines(cache_t *c, cache_lines_at_t *at, uint32_t modified_ways,
                        cache_lacked_t *lacked);

/* The same cleaning for writes to lines that are not known. */
void cache_clean_excess(cache_t *c, uint32_t set, uint32_t modified_ways, uint32_t writes);

/* Number of sets. */
uint32_t cache_sets(const cache_t *c);

/* Lines present; lines that fit. */
uint32_t cache_count(const cache_t *c);
uint32_t cache_capacity(const cache_t *c);

/* For checkpoints: the exact state, including the order of use and the random state. Return 0, or
 * -1 with errno (EINVAL: not a checkpoint of a cache of this shape and policy). After a failed load
 * the cache is empty. */
int cache_save(const cache_t *c, FILE *out);
int cache_load(cache_t *c, FILE *in);

/* The same for a cache whose lines do not survive a launch: only its random state is saved. c may
 * be NULL. */
int cache_save_chance(const cache_t *c, FILE *out);
int cache_load_chance(cache_t *c, FILE *in);

#endif
