/* The options of tbpoint_region: for the sampler, and for those who show its table. */
#ifndef RUBATO_REGION_OPTIONS_H
#define RUBATO_REGION_OPTIONS_H

#include "sampling/inside/region_table.h"
#include "sim/conf/param.h"

enum { TBPOINT_SLOPE, TBPOINT_WAVES, TBPOINT_PAPER };
extern const param_choice_t region_variant_choices[]; /* "slope", "waves", "paper" */

#define REGION_OPTIONS(P, E, T)                                                                    \
    E(variant, region_variant_choices, "slope",                                                    \
      "how a region's rate is measured: slope and waves are made here, paper is as published")     \
    P(F64, threshold, "0.2", 0, 1e6, "", "largest distance of stall probabilities in a cluster")   \
    P(BOOL, normalise, "true", 0, 1, "", "stall probabilities are relative to the launch's mean")  \
    P(F64, variation, "0.3", 0, 1e6, "", "largest variation factor of an epoch in a cluster")      \
    P(F64, tolerance, "0.1", 0, 1, "",                                                             \
      "a rate has settled when two units differ by less; slope: the DRAM's agrees")                \
    P(F64, error, "0.005", 0, 1, "", "slope, waves: standard error of a rate that is good enough") \
    P(F64, share, "0.03", 0, 1, "",                                                                \
      "slope, waves: of a region, to be simulated for a better rate")                              \
    P(F64, doubt, "0.05", 0, 10, "", "slope: of a rate with a wider 90 % confidence interval ...") \
    P(F64, usual, "0.03", 0, 10, "",                                                               \
      "slope: deviation of waves from an even rate, in waves, that is usual")                      \
    P(F64, most, "0.055", 0, 1, "", "slope: ... this share of a region is simulated, at most")     \
    P(U32, units, "3", 2, 1000000, "", "slope: units that a rate is measured in, at least")        \
    P(BOOL, fill, "true", 0, 1, "",                                                                \
      "slope, waves: rates before and after a launch has filled the L2")                           \
    P(F64, light, "0.65", 0, 1, "",                                                                \
      "slope: a launch that takes less of the DRAM's bandwidth is not held up by a full L2")       \
    P(BOOL, dram, "true", 0, 1, "",                                                                \
      "slope: where the DRAM holds a launch up, what it moves tells the rate, too")                \
    P(F64, dram_error, "0.03", 0, 1, "",                                                           \
      "slope: ... with a standard error below this, one and a half units are enough")              \
    P(BOOL, hold, "true", 0, 1, "",                                                                \
      "slope: the last blocks of a launch hold their slots: else a last wave is simulated")        \
    P(F64, stall, "400", 1, 1e6, "cycles",                                                         \
      "mean length of a stall, for the spread that plan --regions predicts")
PARAM_STRUCT(region_options_t, REGION_OPTIONS);
extern const param_group_t region_group;

region_rule_t region_rule(const region_options_t *o);

#endif
