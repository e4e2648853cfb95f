/* The rate of a region, in warp instructions issued per cycle, in consecutive sampling units. */
#ifndef RUBATO_REGION_RATE_H
#define RUBATO_REGION_RATE_H

#include <stdbool.h>
#include <stdint.h>

/* The end of a unit and start of the next, with the counts so far. */
typedef struct {
    double cycle, insts;
    double taken; /* L2 sectors */
} rate_edge_t;

/* The time between two edges at which a block retired, assuming that both counts grow evenly. */
rate_edge_t rate_edge_between(const rate_edge_t *from, const rate_edge_t *to, double cycle);

/* Zeroed: nothing is measured yet. */
typedef struct {
    bool open; /* a unit has started, at edge */
    rate_edge_t edge;
    uint64_t units;      /* number of measured units */
    double taken;        /* L2 sectors in all of them */
    double last, before; /* rates of the last unit and the one before it */
} region_rate_t;

/* Ends the current unit, if any, and starts the next one. */
void region_rate_pass(region_rate_t *r, const rate_edge_t *at);

#endif
