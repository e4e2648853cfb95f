/*
 * Skips the blocks of a regular launch that fill the L2, for both of Photon's levels. Until a
 * launch has filled the L2, it runs at another rate than later: its own writes do not reach the
 * DRAM yet, and data that it found in the L2 may have to be written back. After two waves this
 * rate is known. Then the other blocks that fill the L2 need not be simulated. They take the time
 * that follows from the rate, and they are read, so that the L2 holds what they access.
 */
#ifndef RUBATO_FILL_SKIP_H
#define RUBATO_FILL_SKIP_H

#include "sim/gpu/sampled/sampler.h"

/* A launch has filled the L2 when it has taken L2_TAKEN_FULL times as many sectors as the L2
 * has: its sets fill unevenly. The rate begins to change at L2_TAKEN_TURN. */
#define L2_TAKEN_TURN 1.05
#define L2_TAKEN_FULL 1.5

/* Of the blocks that fill the L2 only the last ones are read: those that take this many times its
 * size. With 1.2 times no error was smaller. */
#define L2_TAKEN_READ 1.05

/* Share of its bandwidth that the DRAM delivers to blocks that fill the L2, and later to a launch
 * that it limits: 0.82 to 0.94 in 21 launches simulated completely, on rtx2060 and v100. */
#define FILL_DRAM_GIVEN 0.9

/* If the launch will have filled the L2 within this many waves, nothing is skipped until then. */
enum { FILL_WAIT_WAVES = 2 };

/* Skipped blocks that filled the L2. They take as long as the DRAM needs to move their data, but at
 * least as long as the same number of later blocks. If the DRAM limits the later blocks, the latter
 * time is scaled by the sectors that it must move, then / later. */
typedef struct {
    double work;        /* work of the blocks, in any unit */
    double then, later; /* cycles that the DRAM needs for left_moves_t */
} fill_left_t;

typedef struct {
    bool wanted;            /* blocks may still be skipped */
    uint64_t slots, blocks; /* of the launch */
    double l2_sectors;
    double dram_sectors, light; /* sectors per cycle; share of that */
    uint64_t retired;           /* number of blocks */
    double begun;               /* cycle of the first dispatch */
    double moment[2];           /* mean retirement cycle of the blocks of the first two waves */
    struct {
        uint64_t done, taken; /* blocks; L2 sectors; at the end of the interval */
    } wave;                   /* in which the first wave ended */
    /* Cycles per wave; 0: unknown. The mean of two estimates, because each is biased: the time
     * of the second wave, whose blocks may be faster than later ones, and the average of all
     * waves so far, which includes the first one with its cold caches. */
    double pace;
    double of_block;  /* L2 sectors that a block takes; set together with pace */
    fill_left_t left; /* skipped waves */
    struct {
        uint64_t retired; /* blocks that retired */
        double since, to; /* cycles at which the first wave of them and the last one retired */
    } after;              /* the skipped blocks */
} fill_skip_t;

/* Sectors that the DRAM can move in a core cycle. */
double fill_dram_sectors(const gpu_spec_t *spec);

/* Adds skipped work. dram_sectors: sectors per cycle that the DRAM can move. */
void fill_left_add(fill_left_t *f, const left_moves_t *moves, double work, double dram_sectors);

/* Cycles for all skipped work. rate: later work per cycle. light: share of the DRAM's bandwidth up
 * to which it limits no launch. */
double fill_left_cycles(const fill_left_t *f, double rate, double light);

/* How many of the skipped blocks are read. of_block: L2 sectors that a block takes. */
uint64_t fill_blocks_read(uint64_t blocks, double of_block, double l2_sectors);

/* light: share of the DRAM's bandwidth up to which it limits no launch. */
fill_skip_t fill_skip_make(const sampler_launch_t *l, bool wanted, double light);

/* Takes the records of an interval. */
void fill_skip_look(fill_skip_t *f, const interval_records_t *r);

/* The launch has not yet filled the L2 but will. Returns whether blocks are skipped until it has.
 * insts: of the launch. */
bool fill_skip_begin(fill_skip_t *f, const interval_records_t *r, double insts,
                     fast_forward_t *out);

/* Call at fast_forward_end with the number of skipped blocks. */
void fill_skip_end(fill_skip_t *f, uint64_t skipped, const left_moves_t *moves);

/* Cycles of the skipped blocks, for launch_added. */
double fill_skip_added(const fill_skip_t *f);

#endif
