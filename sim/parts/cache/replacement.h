/*
 * Replacement policies: which line of a full set is evicted for a new one. All caches and TLBs of
 * the chip choose from this list.
 *
 * A policy is one file, replacement_NAME.c, and one line of the list below. The file defines
 *
 *   void replacement_NAME_hit(cache_t *c, uint32_t set, uint32_t way);
 *     The line in way is used.
 *   void replacement_NAME_added(cache_t *c, uint32_t set, uint32_t way);
 *     A new line was put into way, which was empty; it is the newest in the order of use.
 *   uint32_t replacement_NAME_replace(cache_t *c, uint32_t set);
 *     Returns the victim of a full set, as its way. The new line takes that way.
 *
 * using the functions of cache_internal.h. A policy may use the order of use of each set, which
 * always exists, and what the list says: bits per way (cache_plane()) and words per cache
 * (c->policy_word). Bits and words are zero in an empty cache. Checkpoints save all of it.
 *
 * *c->request is the access that is asked about, as far as the owner of the cache knows it;
 * c->incoming is the line that replaces the victim. A policy sees all tags of a set
 * (cache_tag_at()), so it sees clean victims, too.
 */
#ifndef RUBATO_PARTS_REPLACEMENT_H
#define RUBATO_PARTS_REPLACEMENT_H

#include <stdint.h>

#include "sim/conf/param.h"
#include "sim/parts/cache/cache.h"

/* X(enumerator, name in the configuration, bits of state per way, words per cache, help) */
#define REPLACEMENT_POLICIES(X)                                                                    \
    X(LRU, lru, 0, 0, "the least recently used line")                                              \
    X(RANDOM, random, 0, 0, "a random line; every run chooses the same")                           \
    X(FIFO, fifo, 0, 0, "the line that was inserted first")                                        \
    X(NRU, nru, 1, 0, "a random line of those not used since all had been used")                   \
    X(PLRU, plru, 1, 0, "tree pseudo-LRU: bits point away from the lines used last")               \
    X(SRRIP, srrip, 2, 0, "static re-reference interval prediction, 2 bits (Jaleel 2010)")         \
    X(LIP, lip, 0, 0, "LRU with new lines inserted as the oldest (Qureshi 2007)")                  \
    X(BIP, bip, 0, 0, "LIP, but one new line in 32 is inserted as the newest (Qureshi 2007)")      \
    X(DRRIP, drrip, 2, 1, "srrip or its bimodal variant, by set duelling (Jaleel 2010)")           \
    X(SHIP, ship, 17, 2048, "srrip that predicts reuse from the pc of the first access (Wu 2011)") \
    X(WARP, warp, 7, 0, "the line whose users are the warps in the highest slots")

#define REPLACEMENT_ENUM_(NAME, name, bits, words, help) REPLACEMENT_##NAME,
#define REPLACEMENT_ONE_(NAME, name, bits, words, help)  +1
enum { REPLACEMENT_POLICIES(REPLACEMENT_ENUM_) }; /* a replacement_policy_t */
enum { REPLACEMENT_COUNT = 0 REPLACEMENT_POLICIES(REPLACEMENT_ONE_) };

extern const param_choice_t replacement_choices[]; /* for the settings */
extern const uint8_t replacement_bits[REPLACEMENT_COUNT];
extern const uint16_t replacement_words[REPLACEMENT_COUNT];

#define REPLACEMENT_OPS_(NAME, name, bits, words, help)                                            \
    void replacement_##name##_hit(cache_t *c, uint32_t set, uint32_t way);                         \
    void replacement_##name##_added(cache_t *c, uint32_t set, uint32_t way);                       \
    uint32_t replacement_##name##_replace(cache_t *c, uint32_t set);
REPLACEMENT_POLICIES(REPLACEMENT_OPS_)
#undef REPLACEMENT_OPS_

#endif
