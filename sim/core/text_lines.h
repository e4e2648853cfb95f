/*
 * Lines of a text file. Their length is bounded: a file that is no text ends in a message, not in
 * the memory of the machine.
 */
#ifndef RUBATO_CORE_TEXT_LINES_H
#define RUBATO_CORE_TEXT_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/core/err.h"

/* To be initialised with path, in and max; the rest is 0. */
typedef struct {
    const char *path; /* borrowed, for messages */
    FILE *in;         /* borrowed */
    size_t max;       /* bytes of a line without its end; whole MiB */
    char *text;       /* owned: the last line without its end; NULL before the first */
    size_t n, cap;    /* bytes of the last line */
    uint64_t number;  /* of the last line, from 1 */
    bool cut;         /* the file ended before the end of the last line */
} text_lines_t;

/*
 * Reads the next line; *more is false at the end of the file, and after an error. Errors: RB_IO, or
 * RB_TRACE "path:line: ..." for a line above max bytes or with a byte of zero.
 */
RB_CHECKED rb_code_t text_lines_next(text_lines_t *l, bool *more, rb_err_t *err);

void text_lines_free(text_lines_t *l);

#endif
