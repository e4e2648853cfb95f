/*
 * The 13 metrics with which STEM+ROOT (MICRO'25, figure 14) compares a sampled run with the full
 * run beyond its time: DRAM traffic, shared and global loads and stores, hit rates of L1 and L2
 * reads, FP16, FP32 and integer instructions, warp execution and branch efficiency.
 */
#ifndef RUBATO_EVALUATE_EVALUATE_METRICS_H
#define RUBATO_EVALUATE_EVALUATE_METRICS_H

#include <stdio.h>

#include "frontend/tool/evaluate/score/sampled_score.h"

/*
 * Prints them under a heading: values of the full run (counts as means per launch), and the
 * differences of the weighted sums over the chosen launches, with their values in the full run and
 * in the sampled run. launches: number of launches of the full run. Differences are relative for counts and in percentage points for rates.
 */
void evaluate_metrics_print(FILE *out, const char *label, const sampled_score_t *s,
                            size_t launches);

#endif
