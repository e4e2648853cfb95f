/* Parses values of options from a command line or a study file. */
#ifndef RUBATO_IO_OPTION_VALUE_H
#define RUBATO_IO_OPTION_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

/*
 * Each function returns RB_USAGE naming the option if the text is invalid. A count may end in k, M
 * or G (powers of 1000).
 */
RB_CHECKED rb_code_t option_count(const char *option, const char *text, uint64_t min, uint64_t max,
                                  uint64_t *out, rb_err_t *err);
RB_CHECKED rb_code_t option_seconds(const char *option, const char *text, double *out,
                                    rb_err_t *err);
/* A share of 1, also in per cent: "0.01" or "1%"; below 1. */
RB_CHECKED rb_code_t option_share(const char *option, const char *text, double *out, rb_err_t *err);
/* words: NULL-terminated; *out is the index. */
RB_CHECKED rb_code_t option_word(const char *option, const char *text, const char *const *words,
                                 unsigned *out, rb_err_t *err);

/*
 * "3-7,12,20-": ascending ids without repeats, within 1 .. n. The caller owns *ids. RB_USAGE for
 * anything else, including ids that the trace does not have.
 */
RB_CHECKED rb_code_t option_id_list(const char *option, const char *text, uint64_t n,
                                    uint64_t **ids, size_t *n_ids, rb_err_t *err);

#endif
