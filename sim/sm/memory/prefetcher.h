/*
 * Prefetchers of the L1 data cache: which lines are fetched before a load asks for them.
 *
 * A prefetcher is one file, prefetcher_NAME.c, and one line of the list below. The file defines
 *
 *   void prefetcher_NAME_load(sm_t *sm, const prefetch_event_t *e, cycle_t now);
 *     A load of global memory has looked up a line of the L1. Calls prefetch_line() for each line
 *     to fetch.
 *
 * using prefetcher_state.h: the event, l1.prefetch_lines, and as many state words as the list says,
 * initially zero and saved in checkpoints. A line that is neither in the L1 nor in flight is
 * requested at once if there is an MSHR and room in the miss queue; otherwise the prefetch is
 * dropped (sm.l1_prefetches_dropped).
 */
#ifndef RUBATO_SM_PREFETCHER_H
#define RUBATO_SM_PREFETCHER_H

#include "sim/conf/param.h"

/* X(enumerator, name in the configuration, words of state, help) */
#define PREFETCHERS(X)                                                                             \
    X(NONE, none, 0, "no prefetching")                                                             \
    X(NEXT_LINE, next_line, 0, "next lines, after a miss or the first use of a prefetched line")   \
    X(STRIDE, stride, 256, "stride between a warp's loads at one pc (Lee 2010)")

#define PREFETCHER_ENUM_(NAME, name, words, help) PREFETCHER_##NAME,
#define PREFETCHER_ONE_(NAME, name, words, help)  +1
typedef enum { PREFETCHERS(PREFETCHER_ENUM_) } prefetcher_t;
#define PREFETCHER_WORDS_(NAME, name, words, help) PREFETCHER_##NAME##_WORDS = (words),
enum { PREFETCHERS(PREFETCHER_WORDS_) };
enum { PREFETCHER_COUNT = 0 PREFETCHERS(PREFETCHER_ONE_) };

/* Entries of the stride prefetcher's table. */
enum { PREFETCHER_STRIDE_ENTRY = 4 /* words */ };
enum { PREFETCHER_STRIDES = PREFETCHER_STRIDE_WORDS / PREFETCHER_STRIDE_ENTRY };

/* Equal distances in a row after which it prefetches. */
enum { PREFETCHER_SURE = 2 };

extern const param_choice_t prefetcher_choices[]; /* for the settings */
extern const uint32_t prefetcher_words[PREFETCHER_COUNT];

#endif
