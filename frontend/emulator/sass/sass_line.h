/* A line of text being written, of at most SASS_TEXT_MAX bytes; the rest is truncated. */
#ifndef RUBATO_SASS_LINE_H
#define RUBATO_SASS_LINE_H

#include "sim/core/err.h"

typedef struct {
    char *text;
    size_t n; /* bytes written so far */
} sass_line_t;

void sass_line_put(sass_line_t *l, const char *format, ...) RB_PRINTF(2, 3);

#endif
