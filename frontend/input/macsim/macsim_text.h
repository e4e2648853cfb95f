/* The text files of a MacSim trace: lines of bounded length, and numbers. */
#ifndef RUBATO_MACSIM_TEXT_H
#define RUBATO_MACSIM_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/err.h"
#include "sim/core/files/text_lines.h"

typedef struct {
    text_lines_t lines;
    char *text; /* borrowed from lines; the last line read, without trailing blanks */
} macsim_text_t;

/* RB_IO if the file cannot be opened; t then needs no closing. path is borrowed. */
RB_CHECKED rb_code_t macsim_text_open(macsim_text_t *t, const char *path, rb_err_t *err);
void macsim_text_close(macsim_text_t *t);

/* Reads a line; *more is false at the end of the file. RB_TRACE for a line longer than 1 MiB. */
RB_CHECKED rb_code_t macsim_text_next(macsim_text_t *t, bool *more, rb_err_t *err);

/* Like macsim_text_next(), but fails at the end of the file; what names the missing content. */
RB_CHECKED rb_code_t macsim_text_need(macsim_text_t *t, const char *what, rb_err_t *err);

/* Fails with RB_TRACE "path:line: ...". */
rb_code_t macsim_text_fail(const macsim_text_t *t, rb_err_t *err, const char *fmt, ...)
    RB_PRINTF(3, 4);

/* Reads an unsigned decimal number at *p (after blanks) and moves past it; false without a number
 * or above max. */
bool macsim_text_number(const char **p, uint64_t max, uint64_t *value);

/* Whether only blanks follow. */
bool macsim_text_ends(const char *p);

/* Whether the first line of a file is "nvbit" or another first line of MacSim's configs. */
bool macsim_text_is_trace(const char *path);

/* Reads the lines "nvbit" and "14". */
RB_CHECKED rb_code_t macsim_text_head(macsim_text_t *t, rb_err_t *err);

#endif
