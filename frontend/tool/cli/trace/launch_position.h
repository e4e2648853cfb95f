/*
 * Converts launch ids, which a partial trace keeps from the whole one, to positions in the trace,
 * which its source needs.
 */
#ifndef RUBATO_CLI_LAUNCH_POSITION_H
#define RUBATO_CLI_LAUNCH_POSITION_H

#include "sim/gpu/source/trace_source.h"

/* Position (from 1) of the launch with this id; 0: it is not in the trace. */
RB_CHECKED rb_code_t launch_position(trace_source_t *source, uint64_t id, uint64_t *position,
                                     rb_err_t *err);

/*
 * Positions of the launches in a list of ids such as "3-7,12,20-", ascending, owned by the caller.
 * A range may contain ids that the trace does not have. RB_USAGE, naming the option --launches.
 */
RB_CHECKED rb_code_t launch_positions(trace_source_t *source, const char *list,
                                      uint64_t **positions, size_t *n, rb_err_t *err);

#endif
