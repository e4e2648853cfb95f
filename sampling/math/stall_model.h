/*
 * TBPoint's model of warps that share an issue port (IPDPS 2014, section 4): in each cycle a
 * running warp stalls with probability p, and stalled warp x resumes with probability 1 / m[x].
 * This is a Markov chain over the sets of stalled warps. Warps are independent, so the share of
 * cycles in which not all are stalled is
 *
 *   IPC = 1 - product over x of p / (p + 1 / m[x])
 */
#ifndef RUBATO_MATH_STALL_MODEL_H
#define RUBATO_MATH_STALL_MODEL_H

#include <stddef.h>
#include <stdint.h>

/* Instructions per cycle of n warps. p is limited to 0 .. 1; m: mean stall cycles, greater than
 * 0. */
double stall_model_ipc(double p, const double *m, size_t n);

typedef struct {
    double ipc;    /* if every stall has the mean length */
    double cov;    /* coefficient of variation of the IPC over the trials */
    double within; /* share of the trials within 10 % of ipc */
} stall_spread_t;

/* Spread of the IPC of n warps if the mean stall length of each warp is drawn from a normal
 * distribution around `mean`, with 95 % within 10 % of it. */
stall_spread_t stall_model_spread(double p, double mean, size_t n, unsigned trials, uint64_t seed);

#endif
