/*
 * The section "streams" of the root: the order of the program's work (stream_graph.h). Unpacked:
 *
 *   v operations; for each: v kind; s stream - that of the one before; s priority - that of the one
 *     before; a launch: v id - (that of the launch before + 1; at first 1); others: s address - that
 *     of the one before that is no launch, v bytes;
 *     v waits; for each: s number of this operation - number of the one it waits for
 */
#ifndef RUBATO_RBT_GRAPH_H
#define RUBATO_RBT_GRAPH_H

#include "frontend/input/rbt/rbt_bytes.h"
#include "sim/gpu/source/stream_graph.h"

#define RBT_GRAPH_SECTION "streams"

void rbt_graph_put(const stream_graph_t *g, rbt_buf_t *out);

/* Reads the whole of in; false: it is inconsistent. What it says is not checked
 * (stream_graph_check()). The caller frees *g in any case. */
bool rbt_graph_get(rbt_in_t *in, stream_graph_t *g);

#endif
