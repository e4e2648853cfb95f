/*
 * Reads files in libconfig's syntax safely: regular files only, of bounded size, and with nothing
 * that libconfig would misread (conf_scan.h).
 */
#ifndef RUBATO_CONF_CONF_TEXT_H
#define RUBATO_CONF_CONF_TEXT_H

#include <stddef.h>
#include <sys/stat.h>

#include "sim/core/err.h"

/* Reads a file. *text is owned by the caller and ends in "\n\0"; *n does not count the NUL. *st
 * describes the file. RB_IO; RB_CONFIG if it is not a regular file or is too large. */
RB_CHECKED rb_code_t conf_text_read(const char *path, struct stat *st, char **text, size_t *n,
                                    rb_err_t *err);

/* libconfig may report a syntax error behind the end of the text: returns line, but at most the
 * last line with text. */
int conf_text_error_line(const char *text, int line);

/* RB_CONFIG with name and line if libconfig must not read the text. */
RB_CHECKED rb_code_t conf_text_check(const char *name, const char *text, size_t n, rb_err_t *err);

#endif
