/*
 * What was left out between the windows of a launch. A line that a window meets for the first time may have been used
 * between windows: then it is not new. Of the lines that are new to a window, a share s belongs to data of which each
 * window uses a share f at random, so that s (1 - (1 - f)^k) of them were used in the k windows before; the other
 * lines are used once. Both follow from what the later windows share with the earlier ones (capture and recapture:
 * Seber, The Estimation of Animal Abundance, 1982).
 */
#ifndef RUBATO_FAR_REUSE_H
#define RUBATO_FAR_REUSE_H

#include <stddef.h>

#include "sampling/predict/stack_distance.h"

/* A window of a launch, not its first one. */
typedef struct {
    double before;  /* windows before it, those that were left out among them */
    double lines;   /* that it uses */
    double counted; /* of them */
    stack_counts_t counts;
} far_window_t;

/* Gives the accesses whose distance is unknown one, and finds those that are not first ones. */
void far_reuse_settle(far_window_t *window, size_t n);

#endif
