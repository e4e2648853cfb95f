/* The output of "--sample help": the samplers of both tables with their options. */
#ifndef RUBATO_CLI_SAMPLER_HELP_H
#define RUBATO_CLI_SAMPLER_HELP_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/core/err.h"

/* Whether the argument of --sample asks for help: "help", or "stem:help". */
bool sampler_help_wanted(const char *sample);

/* Prints the requested help. RB_USAGE: there is no such sampler. */
RB_CHECKED rb_code_t sampler_help(const char *sample, FILE *out, rb_err_t *err);

#endif
