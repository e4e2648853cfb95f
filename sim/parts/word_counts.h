/*
 * How often the words that warps wait for were written. The emulator counts while it executes, and
 * the memory of the model while it simulates, by the same rule: an instruction of a warp that writes
 * a word counts once for it, however many of its lanes write it. So "the word has been written n
 * times" means the same to both, in whatever order the writes come (stream_wait_t).
 *
 * What counts: in global memory stores of GPU or system scope, the first store of a warp after a fence
 * of GPU scope, atomics and reductions; in shared memory all stores and atomics. An atomic that polls (takes a lock) counts if it succeeds, apart from
 * the others.
 */
#ifndef RUBATO_PARTS_WORD_COUNTS_H
#define RUBATO_PARTS_WORD_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/isa/stream.h"

typedef struct {
    uint64_t word;   /* address, a multiple of 4, plus 1; 0: unused */
    uint32_t writes; /* by all but polls */
    uint32_t taken;  /* by polls that succeeded */
    uint32_t note;   /* the user's */
} word_count_t;

/* Zero-initialised: empty. */
typedef struct {
    word_count_t *slot; /* owned */
    size_t cap, n;
} word_counts_t;

void word_counts_free(word_counts_t *c);

/* The counts of the word at addr, NULL if it was never added. Valid until the next word_counts_add(). */
word_count_t *word_counts_find(const word_counts_t *c, uint64_t addr);

/* The same; adds the word. NULL: there are too many words (WORD_COUNTS_MOST) to add one. */
enum { WORD_COUNTS_MOST = 1 << 22 };
word_count_t *word_counts_add(word_counts_t *c, uint64_t addr);

/* Whether the words have been written as often as the wait asks. */
static inline bool word_count_fulfils(const word_count_t *c, const wait_word_t *w)
{
    if (w->writes == WAIT_UNTIL_FREE)
        return c == NULL || c->writes >= c->taken;
    return c != NULL && c->writes + c->taken >= w->writes;
}

/* Whether the words of a wait (index + 1 in the block) that lie in [from, to) have been written as
 * often as it asks. */
bool word_counts_fulfil(const word_counts_t *c, const trace_block_t *block, uint32_t wait,
                        uint64_t from, uint64_t to);

/* Counts a write to the word at addr by an instruction that polls for a wait (0: it does not poll),
 * which is fulfilled. */
void word_counts_write(word_counts_t *c, const trace_block_t *block, uint32_t wait, uint64_t addr);

#endif
