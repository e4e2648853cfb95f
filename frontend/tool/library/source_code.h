/* Parses the static code of a kernel that the library's caller describes. */
#ifndef RUBATO_LIBRARY_SOURCE_CODE_H
#define RUBATO_LIBRARY_SOURCE_CODE_H

#include "include/rubato.h"
#include "sim/core/err.h"
#include "sim/isa/inst.h"

/* *code gets as many instructions as k; the caller owns it. RB_TRACE naming launch id and the
 * instruction. */
RB_CHECKED rb_code_t source_code_read(const rubato_kernel *k, uint64_t id, inst_t **code,
                                      rb_err_t *err);

#endif
