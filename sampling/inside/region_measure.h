/*
 * A region of TBPoint that is being measured: its units, the rate that they tell, and whether it is
 * known well enough (inside_tbpoint.c has the variants in words).
 */
#ifndef RUBATO_REGION_MEASURE_H
#define RUBATO_REGION_MEASURE_H

#include "sampling/inside/dram_pace.h"
#include "sampling/inside/fill_skip.h"
#include "sampling/inside/region_options.h"
#include "sampling/inside/region_rate.h"
#include "sampling/inside/unit_slope.h"
#include "sim/gpu/sampler.h"

/* All that tbpoint_region knows of a launch. */
typedef struct {
    region_options_t options;
    region_table_t table;
    uint64_t slots, blocks;
    uint64_t l2_sectors;
    double dram_sectors; /* that the DRAM can move in a cycle */
    double begun;        /* cycle of the first dispatch */
    double travel;       /* cycles that a block holds its slot before and after it is on its SM */
    bool filled;         /* the L2 is as it will remain */
    bool waited;         /* whether it will be filled was open for a while */

    const region_t *in; /* that all blocks on the chip are of; NULL: none */
    bool passed_over;   /* what happened since the last interval that was looked at is not known */
    uint64_t retired;   /* blocks, since the region was entered */
    uint64_t left_out;  /* blocks of the region, so far */
    uint64_t next_edge; /* in retired blocks */
    uint64_t followed;  /* paper: the block whose lifetime the unit is */
    region_rate_t rate;
    unit_slope_t slope; /* slope: of the same units, */
    dram_pace_t pace;   /* and of the intervals in them; */
    double per_inst;  /* sectors that the DRAM moves for an instruction of the region; 0: unknown */
    double held;      /* blocks hold their slots: cycles per warp instruction; 0: none does */
    rate_edge_t last; /* the end of the interval before */

    uint64_t first; /* block being left out */
    double rate_used;
    bool filling;     /* it fills the L2, or is read for what it moves; */
    fill_left_t fill; /* such blocks, in instructions, take the rate that is measured next */
} region_state_t;

/* Forgets the units; the next one begins when so many more blocks have retired. */
void region_measure_anew(region_state_t *s, uint64_t after);

/* A unit is the time in which as many blocks retire as the chip holds. */
void region_count_waves(region_state_t *s, const interval_records_t *r, rate_edge_t *now);

/* A unit is the lifetime of a block. */
void region_follow_block(region_state_t *s, const interval_records_t *r, const rate_edge_t *now);

/* The last two units differ by less than the tolerance. */
bool region_units_agree(const region_state_t *s, rate_count_t count);

/* Warp instructions a cycle, as measured so far; 0: nothing is known. */
double region_measured_rate(const region_state_t *s);

/* What has retired may say too little yet, but the DRAM holds the launch up, and its pace is known.
 */
bool region_dram_tells(const region_state_t *s);

/* The standard error of what retired, as a share of it. */
double region_measured_error(const region_state_t *s);

/* The rate is known well enough. */
bool region_has_settled(const region_state_t *s, const interval_records_t *r);

#endif
