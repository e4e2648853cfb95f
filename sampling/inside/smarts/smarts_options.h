/* The options of smarts. */
#ifndef RUBATO_SMARTS_OPTIONS_H
#define RUBATO_SMARTS_OPTIONS_H

#include "sim/conf/param.h"

#define SMARTS_OPTIONS(P, E, T)                                                                    \
    P(F64, bound, "0.05", 0.0001, 10, "",                                                          \
      "wanted: half the interval of the launch's cycles, relative")                                \
    P(F64, confidence, "0.95", 0.5, 0.9999, "", "of that interval")                                \
    P(F64, unit, "2", 0.1, 1000, "waves", "length of a unit, in their warp instructions")          \
    P(F64, settle, "1", 0, 1000, "waves",                                                          \
      "simulated before a unit without being measured; at least one and a half times the time "    \
      "between two refreshes of the DRAM")                                                         \
    P(F64, jitter, "0.5", 0, 1000, "waves",                                                        \
      "a random time up to this is added to the settling, so that units do not always meet the "   \
      "same phase of bursts and refreshes")                                                        \
    P(U32, least, "8", 4, 1000000, "", "minimum number of units")                                  \
    P(F64, limit, "0.5", 0, 1, "",                                                                 \
      "if more of the launch than this would have to be simulated, all of it is")                  \
    P(F64, warm, "2", 0, 1000, "",                                                                 \
      "left-out blocks before a unit are read until they have moved this many times the L2's "     \
      "size")                                                                                      \
    P(F64, explain, "3", 0, 1000, "",                                                              \
      "a count of the survey explains the rates of units if its slope is this many standard "      \
      "errors, "                                                                                   \
      "and not 0 with 99 % confidence")                                                            \
    P(F64, bias, "0.03", 0, 1, "",                                                                 \
      "error that all units may share: the interval of what is left out is at least so wide")      \
    P(U32, pairs, "5", 3, 1000000, "",                                                             \
      "with --change-from: how many units of the other run are measured at most")
PARAM_STRUCT(smarts_options_t, SMARTS_OPTIONS);
extern const param_group_t smarts_group;

#endif
