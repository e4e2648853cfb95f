/*
 * The blocks of a regular launch that fill the L2, left out by Photon's levels. While a launch has
 * yet to fill the L2, what it writes does not reach the DRAM, but what it found there may have to:
 * its rate then says nothing of the rest. Once two waves have shown that rate, the blocks that do
 * the filling need not be simulated: they take the time of that rate, and leave in the L2 what they
 * touch (they are read).
 */
#ifndef RUBATO_FILL_SKIP_H
#define RUBATO_FILL_SKIP_H

#include "sim/gpu/sampler.h"

/*
 * What a launch has taken of the L2, in its sizes, when it is full: sets fill unevenly, so that
 * lines must go from some while others have room. In between there is a turn from one rate to the
 * other.
 */
#define L2_TAKEN_TURN 1.05
#define L2_TAKEN_FULL 1.5

/* Of blocks that fill it, the last that take so many of its sizes are read: what a set has room for
 * or has kept then is hardly more than later, and reading 1.2 changes no error. */
#define L2_TAKEN_READ 1.05

/* Share of its bandwidth that the DRAM gives to blocks that fill the L2: 0.82 to 0.94 in 21
 * launches simulated whole, on rtx2060 and v100; and later to a launch that it holds up. */
#define FILL_DRAM_GIVEN 0.9

/* An L2 that will be full after so few waves is waited for. */
enum { FILL_WAIT_WAVES = 2 };

/*
 * Blocks that filled the L2 and were left out. They take as long as the DRAM needs for what it has
 * to move for them, and no less than as many blocks later; of these only the share that the DRAM
 * has as much to move for, if it holds them up.
 */
typedef struct {
    double work;        /* of the blocks, in any unit */
    double then, later; /* cycles: left_moves_t */
} fill_left_t;

typedef struct {
    bool wanted;            /* blocks may still be left out */
    uint64_t slots, blocks; /* of the launch */
    double l2_sectors;
    double dram_sectors, light; /* per cycle; share of it */
    uint64_t retired;           /* blocks */
    double begun;               /* cycle of the first dispatch */
    double moment[2];           /* mean cycle at which blocks of the first two waves retired */
    struct {
        uint64_t done, taken; /* blocks, sectors of the L2, at the interval's end */
    } wave;                   /* the first wave was over */
    /* Cycles a wave takes, 0: not known. Blocks of the second wave may be quicker than those to
     * come, and all that is known of the first began cold: between the two. */
    double pace;
    double of_block;  /* sectors of the L2 that a block takes; once pace is known */
    fill_left_t left; /* waves left out */
    struct {
        uint64_t retired; /* blocks */
        double since, to; /* cycles at which the first wave of them had, and the last did */
    } after;              /* they were left out */
} fill_skip_t;

/* Sectors that the DRAM can move in a core cycle. */
double fill_dram_sectors(const gpu_spec_t *spec);

/* So much work was left out. dram_sectors: that the DRAM can move in a cycle. */
void fill_left_add(fill_left_t *f, const left_moves_t *moves, double work, double dram_sectors);

/* Cycles that all of it takes. rate: later, of such work in a cycle. light: share of the DRAM's
 * bandwidth that does not hold a launch up. */
double fill_left_cycles(const fill_left_t *f, double rate, double light);

/* Of so many blocks that are left out, those that are read. of_block: sectors of the L2 that one
 * takes. */
uint64_t fill_blocks_read(uint64_t blocks, double of_block, double l2_sectors);

/* light: share of the DRAM's bandwidth that does not hold a launch up. */
fill_skip_t fill_skip_make(const sampler_launch_t *l, bool wanted, double light);

/* What happened in an interval. */
void fill_skip_look(fill_skip_t *f, const interval_records_t *r);

/* The launch will fill the L2 and has not: whether its blocks are left out until it has. insts: of
 * the launch. */
bool fill_skip_begin(fill_skip_t *f, const interval_records_t *r, double insts,
                     fast_forward_t *out);

/* So many were (fast_forward_end). */
void fill_skip_end(fill_skip_t *f, uint64_t skipped, const left_moves_t *moves);

/* Cycles that they take (launch_added). */
double fill_skip_added(const fill_skip_t *f);

#endif
