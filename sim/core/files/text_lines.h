/*
 * Reads the lines of a text file. Their length is bounded, so a file that is not text gives a
 * message and does not fill the memory.
 */
#ifndef RUBATO_CORE_TEXT_LINES_H
#define RUBATO_CORE_TEXT_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/core/err.h"

/* Initialise with path, in and max; the rest is 0. */
typedef struct {
    const char *path; /* borrowed, for messages */
    FILE *in;         /* borrowed */
    size_t max;       /* longest line without its end, in bytes; a multiple of 1 MiB */
    char *text;       /* owned: the last line without its end, NUL-terminated; NULL before the
                       * first */
    size_t n, cap;    /* bytes of the last line */
    uint64_t number;  /* of the last line, from 1 */
    bool cut;         /* the file ended before the end of the last line */
} text_lines_t;

/*
 * Reads the next line; *more is false at the end of the file, and after an error. Errors: RB_IO, or
 * RB_TRACE "path:line: ..." for a line above max bytes or with a zero byte.
 */
RB_CHECKED rb_code_t text_lines_next(text_lines_t *l, bool *more, rb_err_t *err);

void text_lines_free(text_lines_t *l);

#endif
