/*
 * What samples say about a whole program, and how far they may be off: the interface of this folder, the
 * only header of it that other folders include.
 *
 * stratified.h     a total from the samples of a plan, with its interval
 * launch_error.h   the error of a launch that was estimated inside
 * launch_values.h  statistics as sums of what launches have, or as quotients of such sums
 * intervals.h      the intervals of all statistics of a program
 * change.h         the change of a statistic between two runs that simulated the same launches
 * change_part.h    runs that simulate a part of what another one chose, for the change
 * unit_file.h      the units that a sampler measured inside launches, for those that follow
 * unit_pairs.h     the change of a statistic of a launch between two runs that measured the same units
 * graph_pairs.h    the time of a graph of launches that overlap, with graph_estimate.h and graph_replay.h
 * launch_reach.h   how much longer than others a launch may take
 */
#ifndef RUBATO_ESTIMATE_ESTIMATE_H
#define RUBATO_ESTIMATE_ESTIMATE_H

#include "sampling/estimate/change/change.h"
#include "sampling/estimate/change/change_part.h"
#include "sampling/estimate/change/graph_pairs.h"
#include "sampling/estimate/change/unit_pairs.h"
#include "sampling/estimate/intervals.h"
#include "sampling/estimate/launch_reach.h"

#endif
