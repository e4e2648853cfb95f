/* The options of tbpoint_region: for the sampler itself, and for `plan --regions`, which prints
 * the regions of a launch. */
#ifndef RUBATO_REGION_OPTIONS_H
#define RUBATO_REGION_OPTIONS_H

#include "sampling/inside/guard.h"
#include "sampling/inside/region/region_table.h"
#include "sim/conf/param.h"

enum { TBPOINT_SLOPE, TBPOINT_PAPER };
extern const param_choice_t region_variant_choices[]; /* "slope", "paper" */

#define REGION_OPTIONS(P, E, T)                                                                    \
    E(variant, region_variant_choices, "slope",                                                    \
      "how a region's rate is measured: slope is our own, paper is as published")                  \
    P(F64, threshold, "0.2", 0, 1e6, "", "maximum distance of stall probabilities in a cluster")   \
    P(BOOL, normalise, "true", 0, 1, "", "stall probabilities are relative to the launch's mean")  \
    P(F64, variation, "0.3", 0, 1e6, "", "maximum variation factor of an epoch in a cluster")      \
    P(F64, tolerance, "0.1", 0, 1, "",                                                             \
      "a rate has settled if two units differ by less; slope: allowed difference from the DRAM's " \
      "rate")                                                                                      \
    P(F64, error, "0.005", 0, 1, "", "slope: standard error at which a rate is good enough")       \
    P(F64, share, "0.03", 0, 1, "",                                                                \
      "slope: maximum share of a region to simulate for a better rate")                            \
    P(F64, doubt, "0.05", 0, 10, "",                                                               \
      "slope: if the 90 % confidence interval of the rate is wider than this, ...")                \
    P(F64, usual, "0.03", 0, 10, "",                                                               \
      "slope: usual deviation of waves from an even rate, in waves")                               \
    P(F64, most, "0.055", 0, 1, "", "slope: ... at most this share of a region is simulated")      \
    P(U32, units, "3", 2, 1000000, "", "slope: minimum number of units to measure a rate")         \
    P(BOOL, fill, "true", 0, 1, "",                                                                \
      "slope: separate rates before and after a launch has filled the L2")                         \
    P(F64, light, "0.65", 0, 1, "",                                                                \
      "slope: share of the DRAM's bandwidth up to which a full L2 does not slow a launch")         \
    P(BOOL, dram, "true", 0, 1, "",                                                                \
      "slope: if the DRAM limits a launch, use the sectors it moves to estimate the rate")         \
    P(F64, dram_error, "0.03", 0, 1, "",                                                           \
      "slope: ... one and a half units are enough if their standard error is below this")          \
    P(BOOL, hold, "true", 0, 1, "",                                                                \
      "slope: the last blocks of a launch hold their slots; off: a last wave is simulated")        \
    P(F64, stall, "400", 1, 1e6, "cycles",                                                         \
      "mean length of a stall, for the spread predicted by plan --regions")                        \
    GUARD_OPTIONS(P, E, T, "true")
PARAM_STRUCT(region_options_t, REGION_OPTIONS);
extern const param_group_t region_group;

region_rule_t region_rule(const region_options_t *o);

#endif
