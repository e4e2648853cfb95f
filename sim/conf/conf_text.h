/*
 * The text of a file in libconfig's syntax, read with care: regular files only, of bounded size,
 * and nothing in it that libconfig would read otherwise than written (conf_scan.h).
 */
#ifndef RUBATO_CONF_CONF_TEXT_H
#define RUBATO_CONF_CONF_TEXT_H

#include <stddef.h>
#include <sys/stat.h>

#include "sim/core/err.h"

/*
 * Reads the file; *text is owned by the caller and ends in "\n\0", which n counts without the zero.
 * *st describes the file. RB_IO; RB_CONFIG if it is no regular file or too large.
 */
RB_CHECKED rb_code_t conf_text_read(const char *path, struct stat *st, char **text, size_t *n,
                                    rb_err_t *err);

/* The line of a syntax error, which may be told as one after the last: at most the last line that
 * has text. */
int conf_text_error_line(const char *text, int line);

/* RB_CONFIG with name and line if libconfig must not see the text. */
RB_CHECKED rb_code_t conf_text_check(const char *name, const char *text, size_t n, rb_err_t *err);

#endif
