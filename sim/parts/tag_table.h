/*
 * Open-addressed hash table of 4-byte buckets, for structures that are looked up often and are
 * rarely in the host's cache: a search that finds nothing touches the table alone. The table knows
 * 16 bits of each key; whether a bucket's value really is the one looked for is the owner's to say.
 *
 *   for (b = tag_table_home(tag, bits);; b = tag_table_next(b, bits))
 *       if (table[b].value == 0 || (table[b].tag == tag && this value has the key)) break;
 */
#ifndef RUBATO_PARTS_TAG_TABLE_H
#define RUBATO_PARTS_TAG_TABLE_H

#include <stdint.h>

enum { TAG_TABLE_MAX_BITS = 16 };

typedef struct {
    uint16_t tag;   /* its top bits are the bucket in which the key would like to be */
    uint16_t value; /* the owner's number + 1; 0: empty */
} tag_bucket_t;

/* Top 16 bits of a hash (Knuth's multiplicative, golden ratio) of a key. */
static inline uint16_t tag_of(uint64_t key)
{
    return (uint16_t)(key * 0x9E3779B97F4A7C15u >> 48);
}

/* log2 of the buckets for n keys: at most half full where 16 bits allow it. */
static inline uint32_t tag_table_bits(uint32_t n)
{
    uint32_t bits = 1;
    while (bits < TAG_TABLE_MAX_BITS && UINT64_C(1) << bits < 2 * (uint64_t)n)
        bits++;
    return bits;
}

static inline uint32_t tag_table_home(uint16_t tag, uint32_t bits)
{
    return (uint32_t)tag >> (TAG_TABLE_MAX_BITS - bits);
}

static inline uint32_t tag_table_next(uint32_t b, uint32_t bits)
{
    return (b + 1) & ((1u << bits) - 1);
}

/* The bucket that holds a value known to be there. */
static inline uint32_t tag_table_locate(const tag_bucket_t *table, uint32_t bits, uint16_t tag,
                                        uint16_t value)
{
    uint32_t b = tag_table_home(tag, bits);
    while (table[b].value != value)
        b = tag_table_next(b, bits);
    return b;
}

/* Empties a bucket and closes the gap, so that no search ends too early. */
static inline void tag_table_erase(tag_bucket_t *table, uint32_t bits, uint32_t gap)
{
    uint32_t mask = (1u << bits) - 1;
    for (uint32_t b = gap;;) {
        b = tag_table_next(b, bits);
        tag_bucket_t k = table[b];
        if (k.value == 0)
            break;
        uint32_t home = tag_table_home(k.tag, bits);
        if (((b - home) & mask) >= ((b - gap) & mask)) {
            table[gap] = k;
            gap = b;
        }
    }
    table[gap].value = 0;
}

#endif
