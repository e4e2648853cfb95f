/*
 * Checks a config's text before libconfig reads it. Debian's libconfig 1.5 accepts text that it
 * should refuse: 4294967296 reads as 0, 3000000000 as a negative number, "." as 0.0, \x00 ends a
 * string, and @include is resolved against the current directory. Its data structures are quadratic
 * in the number of settings. Text that passes here is read as written and in bounded time.
 */
#ifndef RUBATO_CONF_SCAN_H
#define RUBATO_CONF_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum {
    CONF_MAX_BYTES = 1 << 20,
    CONF_MAX_TOKENS = 32768,
    CONF_MAX_SETTINGS = 4096,
    CONF_MAX_DEPTH = 8, /* open braces, brackets and parentheses */
};

/* true: safe to read. false: *line and why say what is wrong. */
bool conf_scan(const char *text, size_t n, int *line, char *why, size_t size);

#endif
