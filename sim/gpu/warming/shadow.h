/*
 * A survey of a launch without time: what its blocks do to the L2, bin by bin, found by walking
 * them (touch_walk.h) through a copy of the chip's L2 tags. Exact as far as the order in time does
 * not matter, and no L1 holds reads back.
 */
#ifndef RUBATO_GPU_SHADOW_H
#define RUBATO_GPU_SHADOW_H

#include "sim/gpu/source/trace_source.h"

struct gpu;

/* Of some blocks. Lookups, hits, fills and what is written back are counted as in l2_stats_t, but
 * instructions only by what they fill and displace. */
typedef struct {
    uint64_t warp_insts;
    uint64_t requests;       /* coalesced accesses to 128-byte lines of global memory; */
    uint64_t write_requests; /* of them, stores */
    uint64_t read_sectors, read_hits;
    uint64_t write_sectors, write_hits;
    uint64_t atomic_sectors, atomic_hits; /* also reductions */
    uint64_t fills;                       /* sectors that the DRAM must read; */
    uint64_t late_fills;                  /* with an eighth more ways these would be hits */
    uint64_t written_back;                /* sectors that the DRAM must write, while they run */
} shadow_counts_t;

typedef struct {
    uint64_t blocks_per_bin, n_blocks; /* of the launch's grid */
    size_t n_bins;
    shadow_counts_t *bin;     /* owned; blocks [i * blocks_per_bin, (i + 1) * blocks_per_bin) */
    shadow_counts_t all;      /* of what was surveyed */
    uint64_t known;           /* bins of blocks before this one are final */
    struct shadow_walk *walk; /* owned; NULL: all blocks are surveyed */
} shadow_t;

/* A survey looks at all slices of the L2 if the index says that the launch has fewer requests than
 * SHADOW_FEW; then it takes little time anyway, and small bins are exact. Otherwise it looks at
 * enough slices for SHADOW_LINES lines, at least SHADOW_SLICES; if that is more than half of them, at
 * all: then nobody has to find out in which slice a line is that is accessed again and again. */
enum { SHADOW_FEW = 1 << 20, SHADOW_LINES = 4096, SHADOW_SLICES = 4 };

/* Surveys launch `position` of the source, which runs next, beginning with the present contents
 * of the chip's L2, which stays as it is. *out belongs to the caller (shadow_free()), also after
 * an error of reading. */
RB_CHECKED rb_code_t shadow_survey(shadow_t *out, struct gpu *g, trace_source_t *source,
                                   uint64_t position, uint64_t blocks_per_bin, rb_err_t *err);

/* The same with a number of slices, or all if there are fewer. Lookups are counted of all
 * slices; hits, fills and what is written back are scaled from those that are looked at. */
RB_CHECKED rb_code_t shadow_survey_slices(shadow_t *out, struct gpu *g, trace_source_t *source,
                                          uint64_t position, uint64_t blocks_per_bin,
                                          uint32_t slices, rb_err_t *err);

/* The same in steps, which give the same counts: begins, and goes on until the blocks before `until` are known. What
 * later steps read must stay: chip and source, and the contents of the L2 are those of the beginning. */
RB_CHECKED rb_code_t shadow_begin(shadow_t *out, struct gpu *g, trace_source_t *source,
                                  uint64_t position, uint64_t blocks_per_bin, rb_err_t *err);
RB_CHECKED rb_code_t shadow_go(shadow_t *s, uint64_t until, rb_err_t *err);

/* Counts of blocks [first_block, end_block), linear within a bin. */
shadow_counts_t shadow_between(const shadow_t *s, uint64_t first_block, uint64_t end_block);

void shadow_free(shadow_t *s);

#endif
