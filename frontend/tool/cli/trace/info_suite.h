/* rubato info of a suite: lists the traces of a folder or an archive. */
#ifndef RUBATO_CLI_INFO_SUITE_H
#define RUBATO_CLI_INFO_SUITE_H

#include <stdbool.h>
#include <stdio.h>

#include "frontend/tool/io/text_list.h"
#include "sim/core/err.h"

/* Whether path is a folder of traces or an archive. */
bool info_is_suite(const char *path);

/*
 * Prints its traces whose names match, as a table or JSON. Archives are read, not unpacked. A trace
 * that cannot be opened is listed with a warning. RB_USAGE: there is none; RB_TRACE, RB_IO.
 */
RB_CHECKED rb_code_t info_suite(const char *path, const text_list_t *match, bool json,
                                const char *tmpdir, FILE *out, rb_err_t *err);

#endif
