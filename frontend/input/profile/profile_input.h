/* The bytes of a profile: of a plain file, or of one compressed with gzip. */
#ifndef RUBATO_PROFILE_INPUT_H
#define RUBATO_PROFILE_INPUT_H

#include <stddef.h>

#include "sim/core/err.h"

typedef struct profile_input profile_input_t;

/* RB_IO; RB_TRACE if it is empty. */
RB_CHECKED rb_code_t profile_input_open(profile_input_t **out, const char *path, rb_err_t *err);

/* NULL is allowed. */
void profile_input_close(profile_input_t *in);

const char *profile_input_path(const profile_input_t *in);

/* The first bytes, which stay to be read. At least 1. */
const char *profile_input_head(const profile_input_t *in, size_t *n);

/* The next at most cap bytes; *n is 0 at the end only. RB_TRACE: damaged or cut; RB_IO. */
RB_CHECKED rb_code_t profile_input_read(profile_input_t *in, char *bytes, size_t cap, size_t *n,
                                        rb_err_t *err);

#endif
