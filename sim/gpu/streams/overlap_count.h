/*
 * Counters of launches that overlap. Each event is counted for one launch: that of the warp, or of the
 * request that causes it. An eviction is caused by the request that takes the place, and so is the
 * write-back of a dirty line, whoever wrote it. Active cycles of an SM are divided among the launches
 * with warps on it. What no launch causes is divided by the time that launches took: empty warp
 * slots, refreshes, and what the memory still does for launches that have ended.
 */
#ifndef RUBATO_GPU_OVERLAP_COUNT_H
#define RUBATO_GPU_OVERLAP_COUNT_H

#include "sim/gpu/gpu_internal.h"

typedef struct {
    gpu_counters_t *of; /* owned; n: the first of none, then of launches in order of appearance */
    size_t n, cap;
    uint32_t *place;       /* owned; in of, by tag; 0: none yet */
    gpu_counters_t copies; /* of all copies, so far; complete after overlap_count_end() */
} overlap_count_t;

/* The chip, which is idle, counts by launch from this cycle on. */
void overlap_count_begin(gpu_t *g, overlap_count_t *c, cycle_t from);
void overlap_count_end(gpu_t *g, overlap_count_t *c);
void overlap_count_free(overlap_count_t *c);

/* Between windows: keeps the number of sets on the chip small. */
void overlap_count_tidy(gpu_t *g, overlap_count_t *c);

/* A group of launches begins at this cycle: warp slots that were empty before do not count. */
void overlap_count_open(gpu_t *g, overlap_count_t *c, cycle_t start);

/* The group has ended at this cycle. Sets the counters of its launches; tag and cycles: of each launch
 * of the group, n > 0. Then all counters are 0. */
void overlap_count_close(gpu_t *g, overlap_count_t *c, cycle_t end, const uint16_t *tag,
                         const uint64_t *cycles, gpu_counters_t *out, size_t n);

#endif
