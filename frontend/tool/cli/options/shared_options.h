/* Options that several commands have in common. */
#ifndef RUBATO_CLI_SHARED_OPTIONS_H
#define RUBATO_CLI_SHARED_OPTIONS_H

#include "frontend/tool/cli/options/options.h"
#include "frontend/tool/run/program/program_child.h"
#include "frontend/tool/run/run_setup.h"

/* Handles --gpu, -s and --tmpdir of a command line; false: it is another option. */
bool setup_option(setup_options_t *o, cli_option_id_t id, const char *value);

/* Takes the value of an option that a command cannot use twice. RB_USAGE if it is the second. */
RB_CHECKED rb_code_t option_once(const char **to, const char *option, const char *value,
                                 rb_err_t *err);

/* Handles an option about the execution of the program; *known: it is one. RB_USAGE. */
RB_CHECKED rb_code_t program_option(program_options_t *o, cli_option_id_t id, const char *value,
                                    bool *known, rb_err_t *err);

/* Appends the list of a --sample to earlier ones. *all is owned: free(). RB_USAGE. */
RB_CHECKED rb_code_t sample_option(char **all, const char *value, rb_err_t *err);

#endif
