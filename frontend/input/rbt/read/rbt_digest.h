/* Which launches of a native trace are the same. */
#ifndef RUBATO_RBT_DIGEST_H
#define RUBATO_RBT_DIGEST_H

#include "frontend/input/rbt/read/rbt_launch_state.h"

/* Implements digest() of trace_source_ops_t for an open launch: a hash of its row in the index and of
 * the unpacked bytes of its frames, which depend on the launch's code and blocks alone. */
RB_CHECKED rb_code_t rbt_launch_digest(trace_launch_t *l, uint64_t *out, rb_err_t *err);

#endif
