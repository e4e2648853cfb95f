/* Launches that overlap, in the command line: SMs of streams, and what a run reports. */
#ifndef RUBATO_RUN_RUN_STREAMS_H
#define RUBATO_RUN_RUN_STREAMS_H

#include "sim/gpu/gpu.h"

/* Parses "0:sm=0-39,2:sm=40-79". The caller frees *out. RB_USAGE. */
RB_CHECKED rb_code_t run_streams_parse(const char *text, sm_share_t **out, size_t *n,
                                       rb_err_t *err);

/* Writes copies.csv: what copies did in the L2 and the DRAM. RB_IO. */
RB_CHECKED rb_code_t run_streams_write_copies(const char *folder, const copy_counters_t *copies,
                                              rb_err_t *err);

/* Writes streams.csv: when each operation ran. estimated: as a replay of the graph says. RB_IO. */
RB_CHECKED rb_code_t run_streams_write(const char *folder, const stream_graph_t *g,
                                       const stream_op_time_t *times, bool estimated,
                                       rb_err_t *err);

/* Says in a line what overlapped. */
void run_streams_tell(const stream_graph_t *g, const stream_op_time_t *times, bool estimated);

#endif
