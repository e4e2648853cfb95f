/* What each launch of a run took on the host: from the results in its folder. */
#ifndef RUBATO_CLI_RUN_WALLS_H
#define RUBATO_CLI_RUN_WALLS_H

#include <stdint.h>

#include "sim/core/err.h"

/*
 * Reads launches[].host_seconds of a run.json into seconds, in their order; there must be n of
 * them. RB_TRACE with the line, also if they are missing (older results); RB_IO.
 */
RB_CHECKED rb_code_t run_walls_read(double *seconds, uint64_t n, const char *path, rb_err_t *err);

#endif
