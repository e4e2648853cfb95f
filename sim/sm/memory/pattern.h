/*
 * Address patterns that recur: what coalescing found for the addresses of a warp, relative to the
 * first one, is remembered and need not be found again. The rows of a tile and strides are such
 * patterns.
 *
 * A pattern is an address record without its base, with the lanes, the width and the kind of
 * access, and the place of the base within a line (or, for shared memory, within a word). The
 * number of banks must be a power of two; then equal patterns need equally many passes.
 */
#ifndef RUBATO_SM_PATTERN_H
#define RUBATO_SM_PATTERN_H

#include "sim/sm/memory/coalesce.h"

enum {
    PATTERN_SLOTS = 64,
    PATTERN_WORDS = WARP_LANES / 2, /* offsets of an ADDR_DELTA record */
    PATTERN_LINES = 16,             /* more lines are not remembered */
};

typedef enum {
    PATTERN_LOAD,
    PATTERN_STORE,
    PATTERN_SHARED_LOAD,
    PATTERN_SHARED_STORE
} pattern_kind_t;

typedef struct {
    uint64_t header; /* of the record */
    uint64_t lanes;  /* mask, width, kind and place of the base, packed; 0: no pattern */
    uint64_t last;   /* hash of the pattern that was not found here last */
    uint64_t word[PATTERN_WORDS];
    uint16_t passes, ideal;
    uint8_t n_lines;
    uint8_t sectors[PATTERN_LINES]; /* of stores: all their bytes are written */
    int32_t line[PATTERN_LINES];    /* bytes from the base's line */
} pattern_t;

/* An access to be looked up. */
typedef struct {
    const uint64_t *rec;
    uint64_t lanes;
    uint64_t hash;
    pattern_kind_t kind;
    size_t n_words;       /* of offsets, */
    const uint64_t *word; /* packed as in the record, or in: */
    uint64_t packed[PATTERN_WORDS];
} pattern_key_t;

/* false: the record is not remembered: its addresses are far apart, or so simple that coalescing is
 * quicker. key must stay where it is. */
bool pattern_key(const uint64_t *rec, uint32_t mask, unsigned width, pattern_kind_t kind,
                 pattern_key_t *key);

/* The pattern among slots[PATTERN_SLOTS], or NULL. */
const pattern_t *pattern_find(const pattern_t *slots, const pattern_key_t *key);

/* Fills `out` with the lines of a pattern at the base of the record. */
void pattern_lines(const pattern_t *p, const pattern_key_t *key, coalesced_t *out);

/* Remembers the result of an access that was not found, if that is the second time in a row. lines:
 * NULL for shared memory. */
void pattern_note(pattern_t *slots, const pattern_key_t *key, unsigned passes, unsigned ideal,
                  const coalesced_t *lines);

#endif
