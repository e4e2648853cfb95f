/*
 * The error of a plan's total, found by drawing its samples again and again from the profile. The
 * normal distribution is wrong where few launches stand for many whose times are lopsided.
 */
#ifndef RUBATO_PLAN_REDRAW_H
#define RUBATO_PLAN_REDRAW_H

#include "sampling/plan/plan_build.h"

/* Share by which the result varies with the replays. */
#define REPLAY_NOISE 0.05

/* Half-width, relative to the total of the profile, that holds in plan->confidence of the replays. The
 * population needs times, every cluster a sample. 0: no cluster has few samples. */
double plan_redraw_error(const plan_build_t *b);

#endif
