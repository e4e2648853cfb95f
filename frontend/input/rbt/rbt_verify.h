/* Checks all of an .rbt: every checksum, every block, and that the index says what is there. */
#ifndef RUBATO_RBT_VERIFY_H
#define RUBATO_RBT_VERIFY_H

#include <stdint.h>

#include "sim/core/err.h"

typedef struct {
    uint64_t launches, blocks, warp_insts;
} rbt_verified_t;

/* RB_TRACE naming the first fault and where it is; RB_IO. */
RB_CHECKED rb_code_t rbt_verify(const char *path, rbt_verified_t *v, rb_err_t *err);

#endif
