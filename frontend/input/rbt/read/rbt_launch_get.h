/*
 * A launch open for reading: blocks from their frames, and their summaries from the index. One
 * index page and one frame are kept, so that blocks in order cost one read of each.
 */
#ifndef RUBATO_RBT_LAUNCH_GET_H
#define RUBATO_RBT_LAUNCH_GET_H

#include <stdatomic.h>

#include "frontend/input/rbt/read/rbt_pages.h"
#include "sim/gpu/source/trace_source.h"

/* The properties of a launch from its row; name and file are borrowed from f. */
launch_info_t rbt_launch_info(const rbt_file_t *f, const rbt_launch_row_t *row);

/*
 * Opens the launch at a position of the file, from 0. file, pages and bytes_done are borrowed; *bytes_done
 * is kept at the furthest byte read. RB_IO, RB_TRACE, RB_NOMEM. Free with rbt_launch_close().
 */
RB_CHECKED rb_code_t rbt_launch_open(trace_launch_t **out, rbt_file_t *file, uint64_t position,
                                     const rbt_launch_t *launch, rbt_pages_t *pages,
                                     _Atomic uint64_t *bytes_done, rb_err_t *err);
void rbt_launch_close(trace_launch_t *l);

/* These implement the functions of the same names in trace_source_ops_t. */
RB_CHECKED rb_code_t rbt_launch_block(trace_launch_t *l, uint64_t index, trace_block_t **out,
                                      rb_err_t *err);
void rbt_launch_use_store(trace_launch_t *l, stream_store_t *store);
void rbt_launch_give_back(trace_launch_t *l, trace_block_t *b);
RB_CHECKED rb_code_t rbt_launch_block_facts(trace_launch_t *l, uint64_t index, block_facts_t *out,
                                            bool *stored, rb_err_t *err);
RB_CHECKED rb_code_t rbt_launch_warp_profile(trace_launch_t *l, uint64_t index, uint32_t warp,
                                             const bb_count_t **counts, size_t *n, rb_err_t *err);
void rbt_launch_basic_block(const trace_launch_t *l, uint32_t bb, basic_block_t *out);
bool rbt_launch_inst_line(trace_launch_t *l, const inst_t *inst, source_line_t *out);
const char *rbt_launch_inst_text(trace_launch_t *l, const inst_t *inst, uint32_t *len);

#endif
