/* The bytes of a profile, from a plain or gzip-compressed file. */
#ifndef RUBATO_PROFILE_INPUT_H
#define RUBATO_PROFILE_INPUT_H

#include <stddef.h>

#include "sim/core/err.h"

typedef struct profile_input profile_input_t;

/* RB_IO; RB_TRACE if the file is empty. */
RB_CHECKED rb_code_t profile_input_open(profile_input_t **out, const char *path, rb_err_t *err);

/* NULL is allowed. */
void profile_input_close(profile_input_t *in);

const char *profile_input_path(const profile_input_t *in);

/* The first bytes, at least 1, without consuming them. */
const char *profile_input_head(const profile_input_t *in, size_t *n);

/* Reads up to cap bytes; *n is 0 only at the end. RB_TRACE if the data is damaged or truncated;
 * RB_IO. */
RB_CHECKED rb_code_t profile_input_read(profile_input_t *in, char *bytes, size_t cap, size_t *n,
                                        rb_err_t *err);

#endif
