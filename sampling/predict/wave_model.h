/*
 * The blocks of a launch on the chip, by the block scheduler's rule: the next block goes to the SM with
 * the most room (list scheduling; Graham, SIAM J. Applied Math. 17, 1969).
 */
#ifndef RUBATO_WAVE_MODEL_H
#define RUBATO_WAVE_MODEL_H

#include <stdint.h>

typedef struct {
    double longest; /* what a slot has to do at most, in mean blocks one after another */
    double block;   /* the longest block, in mean blocks */
    double busiest; /* what an SM has to do at most, in mean blocks */
} wave_t;

/* length: of each block; NULL: all alike. blocks, sms and slots of an SM: at least 1. */
wave_t wave_model(const uint64_t *length, uint64_t blocks, uint64_t sms, uint64_t slots);

#endif
