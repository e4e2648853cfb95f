/*
 * Measures the rate of a TBPoint region in units, and tells when it is known well enough.
 * inside_tbpoint.c describes the variants.
 */
#ifndef RUBATO_REGION_MEASURE_H
#define RUBATO_REGION_MEASURE_H

#include "sampling/inside/fill_skip.h"
#include "sampling/inside/region/dram_pace.h"
#include "sampling/inside/region/region_options.h"
#include "sampling/inside/region/region_rate.h"
#include "sampling/inside/region/unit_slope.h"
#include "sim/gpu/sampled/sampler.h"

/* State of tbpoint_region for a launch. */
typedef struct {
    region_options_t options;
    region_table_t table;
    uint64_t slots, blocks;
    uint64_t l2_sectors;
    double dram_sectors; /* sectors per cycle that the DRAM can move */
    double begun;        /* cycle of the first dispatch */
    double travel;       /* cycles that a block holds its slot before and after its time on the
                          * SM */
    bool filled;         /* the L2 is full, or will not be: it changes the rate no more */
    bool waited;         /* for a while it was unclear whether the L2 will be filled */

    const region_t *in; /* region of all blocks on the chip; NULL: none */
    bool passed_over;   /* intervals since the last one that was used are missing */
    uint64_t retired;   /* blocks, since the region was entered */
    uint64_t left_out;  /* skipped blocks of the region */
    uint64_t next_edge; /* end of the current unit, in retired blocks */
    uint64_t followed;  /* paper: the block that the unit follows */
    region_rate_t rate;
    unit_slope_t slope; /* variant slope: of the same units */
    dram_pace_t pace;   /* variant slope: of the intervals in these units */
    double per_inst;    /* sectors that the DRAM moves per instruction of the region; 0: unknown */
    double held;      /* cycles per warp instruction that blocks hold their slots; 0: they do not */
    rate_edge_t last; /* end of the previous interval */

    uint64_t first; /* first skipped block */
    double rate_used;
    bool filling;     /* the skipped blocks fill the L2, or are read to see what they move */
    fill_left_t fill; /* such blocks, in instructions; they take the rate that is measured next */
    guard_t guard;
} region_state_t;

/* Discards all units. The next one starts when `after` more blocks have retired. */
void region_measure_anew(region_state_t *s, uint64_t after);

/* Counts units, each the time in which as many blocks retire as the chip holds. */
void region_count_waves(region_state_t *s, const interval_records_t *r, const rate_edge_t *now);

/* Variant paper: counts units, each the time from the start of a block to its end. */
void region_follow_block(region_state_t *s, const interval_records_t *r, const rate_edge_t *now);

/* Variant paper: whether the last two units differ by less than the tolerance. */
bool region_units_agree(const region_state_t *s);

/* The rest is of variant slope. Warp instructions per cycle, as measured so far; 0: unknown. */
double region_measured_rate(const region_state_t *s);

/* Whether the DRAM limits the launch and its pace is already known. This can be so when few blocks
 * have retired. */
bool region_dram_tells(const region_state_t *s);

/* Whether the rate is known well enough. */
bool region_has_settled(const region_state_t *s, const interval_records_t *r);

#endif
