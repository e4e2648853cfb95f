/*
 * Stride prefetching by pc and warp: a reference prediction table (Chen and Baer, IEEE Transactions
 * on Computers 1995) whose entries are also tagged with the warp, because the loads of different
 * warps interleave (Lee et al., MICRO 2010). After two equal strides in a row, the lines at one to
 * l1.prefetch_lines strides are fetched.
 */
#include "sim/sm/memory/prefetcher.h"
#include "sim/sm/memory/prefetcher_state.h"

/* The words of a table entry. */
typedef enum { KEY, LAST_LINE, DISTANCE, CONFIDENCE } entry_word_t;

static uint64_t *entry_of(sm_t *sm, uint64_t key)
{
    uint64_t hash = key * 0x9E3779B97F4A7C15u >> 32; /* Knuth's multiplicative, golden ratio */
    return sm->memory.prefetcher_word + hash % PREFETCHER_STRIDES * PREFETCHER_STRIDE_ENTRY;
}

/* The entry for that key; replaces an entry for another key. */
static uint64_t *entry_take(sm_t *sm, uint64_t key, uint64_t line)
{
    uint64_t *entry = entry_of(sm, key);
    if (entry[KEY] != key) {
        entry[KEY] = key;
        entry[LAST_LINE] = line;
        entry[DISTANCE] = 0;
        entry[CONFIDENCE] = 0;
    }
    return entry;
}

void prefetcher_stride_load(sm_t *sm, const prefetch_event_t *e, cycle_t now)
{
    const uint64_t key = (e->pc << 8 | e->warp) + 1; /* 0: an empty entry */
    uint64_t *entry = entry_take(sm, key, e->line);
    const uint64_t distance = e->line - entry[LAST_LINE]; /* modulo 2^64 */
    if (distance == 0)
        return;
    entry[LAST_LINE] = e->line;
    if (distance != entry[DISTANCE]) {
        entry[DISTANCE] = distance;
        entry[CONFIDENCE] = 1;
        return;
    }
    if (entry[CONFIDENCE] < PREFETCHER_SURE)
        entry[CONFIDENCE]++;
    for (uint32_t i = 1; entry[CONFIDENCE] == PREFETCHER_SURE && i <= prefetch_depth(sm); i++)
        prefetch_line(sm, e->line + i * distance, now);
}
