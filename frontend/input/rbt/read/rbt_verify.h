/* Checks a whole .rbt: every checksum, every block, and that the index agrees with the blocks. */
#ifndef RUBATO_RBT_VERIFY_H
#define RUBATO_RBT_VERIFY_H

#include <stdint.h>

#include "sim/core/err.h"
#include "sim/isa/stream_doubts.h"

typedef struct {
    uint64_t launches, blocks, warp_insts;
    stream_doubts_t doubts;
} rbt_verified_t;

/* RB_TRACE naming the first fault and its place; RB_IO. */
RB_CHECKED rb_code_t rbt_verify(const char *path, rbt_verified_t *v, rb_err_t *err);

#endif
