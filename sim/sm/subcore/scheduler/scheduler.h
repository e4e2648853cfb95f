/*
 * Warp schedulers: which of the eligible warps issues in a cycle.
 *
 * A scheduler is one file, scheduler_NAME.c, and one line of the list below. The file defines
 *
 *   uint32_t scheduler_NAME_pick(const sm_spec_t *spec, sub_core_t *sub, uint32_t eligible);
 *     Returns one of the bits of eligible, which is not 0: bit i is the i-th warp slot of the
 *     sub-core.
 *
 * using scheduler_state.h: the warp issued last, the ages of the warps, and one word of state. The
 * word is initially zero and is saved in checkpoints. The list says how many values it can have
 * (spec is the sm_spec_t), so that other values in a damaged checkpoint are refused.
 *
 * One that keeps to the warp issued last while that is eligible is simulated faster if
 * scheduler_is_greedy() knows it.
 */
#ifndef RUBATO_SM_SCHEDULER_H
#define RUBATO_SM_SCHEDULER_H

#include "sim/conf/param.h"

/* X(enumerator, name in the configuration, values of the word, help) */
#define SCHEDULER_POLICIES(X)                                                                      \
    X(GTO, gto, 1, "greedy then oldest: the warp issued last, else the oldest (Rogers 2012)")      \
    X(LRR, lrr, 1, "loose round robin")                                                            \
    X(OLDEST, oldest, 1, "the oldest warp")                                                        \
    X(CGGTY, cggty, 1, "the warp issued last, else the youngest (Huerta 2025)")                    \
    X(GRR, grr, 1, "greedy then round robin: the warp issued last, else the next in slot order")   \
    X(TWO_LEVEL, two_level, scheduler_groups(spec),                                                \
      "round robin within a group of warps until none can issue (Narasiman 2011)")

#define SCHEDULER_ENUM_(NAME, name, values, help) SCHEDULER_##NAME,
#define SCHEDULER_ONE_(NAME, name, values, help)  +1
typedef enum { SCHEDULER_POLICIES(SCHEDULER_ENUM_) } scheduler_policy_t;
enum { SCHEDULER_COUNT = 0 SCHEDULER_POLICIES(SCHEDULER_ONE_) };

extern const param_choice_t scheduler_choices[]; /* for the settings */

#endif
