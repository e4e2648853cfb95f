/*
 * TBPoint's model of warps that share an issue port (IPDPS 2014, section 4): each cycle, a warp
 * that runs stalls with probability p, and warp x, when stalled, runs again with probability 1 /
 * m[x]. It is a Markov chain over the sets of stalled warps; since warps are independent of each
 * other, the share of cycles in which not all are stalled is
 *
 *   IPC = 1 - product over x of p / (p + 1 / m[x])
 */
#ifndef RUBATO_MATH_STALL_MODEL_H
#define RUBATO_MATH_STALL_MODEL_H

#include <stddef.h>
#include <stdint.h>

/* Instructions a cycle of n warps. p is cut to 0 .. 1; m: mean cycles of a stall, above 0. */
double stall_model_ipc(double p, const double *m, size_t n);

typedef struct {
    double ipc;    /* with every stall of the mean length */
    double cov;    /* coefficient of variation of the IPC over the trials */
    double within; /* share of the trials that are within a tenth of ipc */
} stall_spread_t;

/*
 * How far the IPC of n warps spreads where each warp's stalls have a length of their own, drawn
 * from a normal distribution of that mean, 95 % of it within a tenth of the mean.
 */
stall_spread_t stall_model_spread(double p, double mean, size_t n, unsigned trials, uint64_t seed);

#endif
