/*
 * Counters by launch, for launches that overlap. The counters of one launch are counted in place, by
 * code that does not know of launches; this keeps those of all others. Code that
 * works for another launch calls stats_split_to() first, or adds to the counters where they are
 * (stats_split_set()).
 *
 * A launch is known by its tag, a number that is used again only when nothing of the launch is left. Tag
 * 0 is for what no launch causes.
 */
#ifndef RUBATO_STATS_SPLIT_H
#define RUBATO_STATS_SPLIT_H

#include <stddef.h>
#include <stdint.h>

enum { STATS_SPLIT_PLACES = 256 };

typedef struct {
    uint64_t *live; /* borrowed: the counters that are counted in place */
    size_t n;       /* counters of a set */
    uint16_t tag;   /* whose counters are in place */
    uint16_t *tags; /* owned; of each set */
    uint64_t *sets; /* owned; sets of n counters: those of a launch while it is not in place */
    size_t n_sets, cap_tags, cap_sets;
    uint32_t place[STATS_SPLIT_PLACES]; /* by the low bits of a tag: a set, index + 1 */
} stats_split_t;

/* What is counted in place from now on is tag 0's. */
void stats_split_init(stats_split_t *s, uint64_t *live, size_t n);
void stats_split_free(stats_split_t *s);

/* The counters of a launch, wherever they are; valid until the next call of any function here. */
uint64_t *stats_split_set(stats_split_t *s, uint16_t tag);

/* stats_split_to() for another launch than the one in place. */
void stats_split_exchange(stats_split_t *s, uint16_t tag);

/* Puts the counters of a launch in place. */
static inline void stats_split_to(stats_split_t *s, uint16_t tag)
{
    if (s->tag != tag)
        stats_split_exchange(s, tag);
}

/* Hands out all counters, in any order, and sets them to 0. Call it often enough: sets of launches that
 * have ended stay until then. */
typedef void stats_split_sink_t(void *ctx, uint16_t tag, const uint64_t *set);
void stats_split_drain(stats_split_t *s, stats_split_sink_t *sink, void *ctx);

#endif
