/* The text files of a MacSim trace: lines of bounded length, and numbers in them. */
#ifndef RUBATO_MACSIM_TEXT_H
#define RUBATO_MACSIM_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/err.h"
#include "sim/core/text_lines.h"

typedef struct {
    text_lines_t lines;
    char *text; /* borrowed from lines: the line last read, without trailing blanks */
} macsim_text_t;

/* RB_IO if the file cannot be opened; t need not be closed then. path is borrowed. */
RB_CHECKED rb_code_t macsim_text_open(macsim_text_t *t, const char *path, rb_err_t *err);
void macsim_text_close(macsim_text_t *t);

/* Reads a line; *more is false at the end of the file. RB_TRACE above 1 MiB. */
RB_CHECKED rb_code_t macsim_text_next(macsim_text_t *t, bool *more, rb_err_t *err);

/* As macsim_text_next(), if there must be another line: what names what it would hold. */
RB_CHECKED rb_code_t macsim_text_need(macsim_text_t *t, const char *what, rb_err_t *err);

/* RB_TRACE "path:line: ...". */
rb_code_t macsim_text_fail(const macsim_text_t *t, rb_err_t *err, const char *fmt, ...)
    RB_PRINTF(3, 4);

/* Unsigned decimal number at *p (behind blanks), moved behind it; false without one or above max.
 */
bool macsim_text_number(const char **p, uint64_t max, uint64_t *value);

/* Whether nothing but blanks follows. */
bool macsim_text_ends(const char *p);

/* Whether the first line of a file is "nvbit", or anything else that MacSim's configs begin with.
 */
bool macsim_text_is_trace(const char *path);

/* Reads the lines "nvbit" and "14". */
RB_CHECKED rb_code_t macsim_text_head(macsim_text_t *t, rb_err_t *err);

#endif
